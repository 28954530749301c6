//! All chunks of a file, in the order of the file, each with its place noted for the table.

use super::chunk::{PartStyle, WriteBuffers};
use super::plan;
use crate::chunk::Leader;
use crate::codec::{self, Compression};
use crate::header::shape::Shape;
use crate::model::{Image, Pixels};
use solio_base::{Result, Sink, Work, lock, memory};
use solio_codec::copy::Keep;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pixels that are packed in one go, in bytes: enough that handing them out costs nothing.
const JOB_BYTES: u64 = 256 << 10;

/// Writes the chunks of all parts; their sizes, by part and number.
pub(super) fn chunks(
    image: &Image<'_>,
    shapes: &[Shape],
    styles: &[codec::PackStyle],
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<Vec<Vec<u64>>> {
    let pool: Mutex<Vec<WriteBuffers>> = Mutex::default();
    let mut all = Vec::new();
    for (index, (part, shape)) in image.parts.iter().zip(shapes).enumerate() {
        let style = PartStyle { pack: styles[index], multipart: shapes.len() > 1 };
        let order = plan::order(shape);
        let sizes: Vec<AtomicU64> = order.iter().map(|_| AtomicU64::new(0)).collect();
        let first = shape.block(&shape.place(0).window).bytes().max(1);
        let group = (JOB_BYTES / first).clamp(1, 1 << 16) as usize;
        let groups: Vec<&[u64]> = order.chunks(group).collect();
        let starts: Vec<Vec<u64>> = match &part.pixels {
            Pixels::Deep(levels) => levels.iter().map(super::deep::starts).collect(),
            Pixels::Flat(_) => Vec::new(),
        };
        if let (Pixels::Flat(levels), Compression::None) = (&part.pixels, shape.compression) {
            let size_of = |chunk: u64, size| sizes[chunk as usize].store(size, Ordering::Relaxed);
            let fill = |i: usize, out: &mut Vec<u8>, keep| {
                let chunks = (index, groups[i]);
                super::flat::stored(levels, shape, chunks, style.multipart, (out, keep), size_of)
            };
            stored(groups.len(), first.saturating_mul(shape.chunks), fill, sink, work)?;
            all.push(sizes.into_iter().map(AtomicU64::into_inner).collect());
            continue;
        }
        let fill = |i: usize, out: &mut Vec<u8>| {
            let mut buffers = lock(&pool).pop().unwrap_or_default();
            for &chunk in groups[i] {
                let start = out.len();
                let place = shape.place(chunk);
                let leader = Leader::of_chunk(shape, index, chunk);
                match &part.pixels {
                    Pixels::Flat(levels) => {
                        super::flat::chunk(levels, shape, leader, &place, style, &mut buffers, out)?
                    }
                    Pixels::Deep(levels) => {
                        let pixels = (&levels[place.level], &starts[place.level][..]);
                        super::deep::chunk(
                            pixels,
                            shape,
                            leader,
                            &place,
                            style,
                            &mut buffers,
                            out,
                        )?;
                    }
                }
                sizes[chunk as usize].store((out.len() - start) as u64, Ordering::Relaxed);
            }
            lock(&pool).push(buffers);
            Ok(())
        };
        sink.write_chunks(work, groups.len(), &fill)?;
        all.push(sizes.into_iter().map(AtomicU64::into_inner).collect());
    }
    Ok(all)
}

/// Writes `groups` groups of chunks, `bytes` bytes or so, that `fill` appends as they are.
fn stored(
    groups: usize,
    bytes: u64,
    fill: impl Fn(usize, &mut Vec<u8>, Keep) -> Result<()> + Sync,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<()> {
    if work.threads == 1
        && let Some(out) = sink.in_memory()
    {
        // Right to where they stay. New memory is in the caches already: the system has just
        // filled it with zeros.
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let there = out.capacity() - out.len() >= bytes;
        let keep = if there { Keep::of_result(bytes) } else { Keep::Cached };
        if !there {
            // Where it does not fit, that shows later.
            let _ = memory::try_reserve(out, bytes);
        }
        for group in 0..groups {
            work.cancel.check()?;
            fill(group, out, keep)?;
        }
        return Ok(());
    }
    sink.write_chunks(work, groups, &|i, out| fill(i, out, Keep::Cached))
}
