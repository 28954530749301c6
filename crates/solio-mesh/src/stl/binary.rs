//! Binary triangles.

use super::collect::{Collector, SolidTriangles};
use super::options::StlReadOptions;
use super::weld::{LOCAL_CORNERS, StlPoint};
use crate::head::SourceHead;
use crate::spans::{DECODE, JOIN};
use solio_base::{Error, Result, Work, ordered};

/// Bytes before the first triangle.
pub(crate) const HEADER: usize = 84;
/// Bytes of a triangle.
pub(crate) const TRIANGLE: usize = 50;

#[derive(Default)]
struct TriangleChunk {
    bytes: Vec<u8>,
    triangles: SolidTriangles,
}

/// Reads `count` triangles; with `None` all that the source has.
pub(crate) fn read<'o>(
    head: &SourceHead<'_>,
    count: Option<u64>,
    options: &'o StlReadOptions,
    work: &Work,
) -> Result<Collector<'o>> {
    let chunk = LOCAL_CORNERS / 3;
    // Without a known length, memory follows the data.
    let expected = if head.len_bytes().is_some() { count.unwrap_or(0) as usize } else { 0 };
    let mut collector = Collector::new(options, expected);
    let mut done = 0u64;
    let mut ended = false;
    ordered::run::<TriangleChunk>(
        work,
        work.window(4 * chunk * TRIANGLE),
        |slot| {
            let n = count.map_or(chunk, |count| (count - done).min(chunk as u64) as usize);
            if n == 0 || ended {
                return Ok(false);
            }
            let at = HEADER as u64 + done * TRIANGLE as u64;
            slot.bytes.resize(n * TRIANGLE, 0);
            let got = head.read_at(at, &mut slot.bytes)?;
            ended = got < slot.bytes.len();
            let is_whole = count.is_none() && got.is_multiple_of(TRIANGLE);
            // What no count asked for is data of triangles only where it is nothing else.
            let is_lenient = count.is_some() && !options.strict;
            if ended && (is_whole || is_lenient && got >= TRIANGLE) {
                slot.bytes.truncate(got - got % TRIANGLE);
            } else if ended && is_lenient && done > 0 {
                return Ok(false);
            } else if ended {
                let count = count.map_or("all".into(), |count| count.to_string());
                let triangle = done + (got / TRIANGLE) as u64;
                let message = format!("the data ends in triangle {triangle} of {count}");
                return Err(Error::corrupt(message).at_offset(at + got as u64));
            }
            done += n as u64;
            Ok(true)
        },
        |slot| {
            let _span = DECODE.begin().bytes(slot.bytes.len());
            decode(&slot.bytes, &mut slot.triangles, options);
            Ok(())
        },
        |slot| {
            let _span = JOIN.begin();
            collector.add(&slot.triangles)
        },
    )?;
    Ok(collector)
}

fn decode(bytes: &[u8], out: &mut SolidTriangles, options: &StlReadOptions) {
    out.clear();
    let point = |b: &[u8]| -> StlPoint {
        let of = |i: usize| f32::from_le_bytes(b[i..i + 4].try_into().expect("four bytes"));
        [of(0), of(4), of(8)]
    };
    let (records, _) = bytes.as_chunks::<TRIANGLE>();
    let mut words = 0;
    for r in records {
        out.points.extend_from_slice(&[point(&r[12..24]), point(&r[24..36]), point(&r[36..48])]);
        words |= r[48] | r[49];
    }
    if options.normals {
        out.normals.extend(records.iter().map(|r| point(&r[..12])));
    }
    if words != 0 {
        out.attributes.extend(records.iter().map(|r| u16::from_le_bytes([r[48], r[49]])));
    }
    if options.merge {
        out.merge();
    }
}
