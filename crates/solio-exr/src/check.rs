//! Whether a file is whole: from its header and its chunk tables, without unpacking anything. Of methods
//! that say in a chunk what it holds (JPEG 2000), that is read as well.
//!
//! Every chunk is looked for where the table says: what stands before its data has to name that
//! part and that place, its sizes have to be possible for its pixels, and it has to end within the
//! file and before the next one starts. So a file that was cut off anywhere is found out. With
//! [`CheckOptions::decode`] every chunk is unpacked as well.

use crate::Compression;
use crate::chunk::{Leader, leader_bytes};
use crate::codec;
use crate::cursor::HeaderCursor;
use crate::header::shape::Shape;
use crate::header::{Header, Value, check_attribute, differing};
use crate::read::{Of, ReadBuffers, most_counts, whole};
use crate::table::{OffsetTable, OpenExr};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work, ordered};
use std::ops::Range;

/// What every part has to have.
const NEEDED: [&str; 8] = [
    "channels",
    "compression",
    "dataWindow",
    "displayWindow",
    "lineOrder",
    "pixelAspectRatio",
    "screenWindowCenter",
    "screenWindowWidth",
];

/// What every part of a file of several has to have, beside those.
const NEEDED_OF_PARTS: [&str; 3] = ["chunkCount", "name", "type"];

/// Pixels that a thread unpacks before it asks for more, in bytes.
const JOB_BYTES: u64 = 256 << 10;

/// How a file is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Unpack every chunk.
    pub decode: bool,
    /// What the file may make us do.
    pub limits: Limits,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What sort of thing.
    pub kind: ErrorKind,
    /// Where in the file.
    pub offset: Option<u64>,
    /// The part, where it is about one.
    pub part: Option<usize>,
    /// The chunks of that part that it is about.
    pub chunks: Option<Range<u64>>,
    /// What is wrong.
    pub message: String,
}

/// What was found out about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Its parts, as far as the header could be read.
    pub parts: usize,
    /// The chunks of all parts.
    pub chunks: u64,
    /// All that is wrong, in the order of the file's parts and chunks; none in a whole file.
    pub problems: Vec<Problem>,
    /// What is odd, but harms nobody.
    pub notes: Vec<String>,
}

/// Checks a file. What is wrong with it is in the result; an error says that it could not be read.
pub fn check_exr(source: &dyn Source, options: &CheckOptions, work: &Work) -> Result<Checked> {
    if source.is_sequential() || source.len_bytes().is_none() {
        let bytes = whole(source, &options.limits, work)?;
        return check(&bytes, options, work);
    }
    check(source, options, work)
}

fn check(source: &dyn Source, options: &CheckOptions, work: &Work) -> Result<Checked> {
    let mut checked = Checked::default();
    let opened = match OpenExr::new(source, &options.limits) {
        Ok(opened) => opened,
        Err(e) => {
            checked.problems.push(problem(e, None, None)?);
            return Ok(checked);
        }
    };
    checked.parts = opened.shapes.len();
    checked.chunks = opened.shapes.iter().map(|shape| shape.chunks).sum();
    check_header(&opened.header, &opened.shapes, &mut checked.problems);
    let mut spans = Vec::new();
    let mut tables = Vec::new();
    for part in 0..opened.shapes.len() {
        let mut table = opened.stored_table(part)?;
        check_table(&opened, part, &mut table, &mut checked.problems);
        for chunk in 0..table.len() as u64 {
            work.cancel.check()?;
            let offset = table[chunk as usize];
            if offset == 0 {
                continue;
            }
            let found = check_leader(&opened, part, chunk, offset).and_then(|place| {
                if !options.decode {
                    check_chunk(&opened, part, chunk, &place)?;
                }
                Ok(place.end)
            });
            match found {
                Ok(end) => spans.push(ChunkSpan { place: offset..end, part, chunk }),
                Err(e) => {
                    checked.problems.push(problem(e, Some(part), Some(chunk..chunk + 1))?);
                    table[chunk as usize] = 0;
                }
            }
        }
        tables.push(table);
    }
    check_overlaps(&opened, spans, &mut checked);
    if options.decode {
        for (part, table) in tables.iter().enumerate() {
            decode(&opened, part, table, &mut checked.problems, work)?;
        }
    }
    checked
        .problems
        .sort_by_key(|p| (p.part, p.chunks.as_ref().map(|chunks| chunks.start), p.offset));
    Ok(checked)
}

/// An error as a problem of the file; those that are none of the file's go on.
fn problem(e: Error, part: Option<usize>, chunks: Option<Range<u64>>) -> Result<Problem> {
    if matches!(e.kind(), ErrorKind::Io | ErrorKind::Cancelled) {
        return Err(e);
    }
    let (kind, offset) = (e.kind(), e.offset());
    Ok(Problem { kind, offset, part, chunks, message: e.message().to_owned() })
}

fn corrupt(part: usize, message: String) -> Problem {
    Problem { kind: ErrorKind::Corrupt, offset: None, part: Some(part), chunks: None, message }
}

/// Attributes that are missing, come twice, cannot be, or contradict the shape of the part.
fn check_header(header: &Header, shapes: &[Shape], problems: &mut Vec<Problem>) {
    let multipart = header.is_multipart();
    for (part, (attributes, shape)) in header.parts.iter().zip(shapes).enumerate() {
        let of_parts = NEEDED_OF_PARTS.iter().filter(|_| multipart);
        for name in NEEDED.iter().chain(of_parts) {
            if attributes.get(name).is_none() {
                problems.push(corrupt(part, format!("the header has no attribute {name:?}")));
            }
        }
        let mut names: Vec<_> = attributes.attributes.iter().map(|a| &a.name).collect();
        names.sort();
        for twice in names.windows(2).filter(|pair| pair[0] == pair[1]) {
            problems.push(corrupt(part, format!("the attribute {:?} comes twice", twice[0])));
        }
        for attribute in &attributes.attributes {
            if let Err(e) = check_attribute(&attribute.name, &attribute.value) {
                let message = format!("{}; other programs do not open such a file", e.message());
                problems.push(corrupt(part, message));
            }
        }
        if let Some(Value::Int(count)) = attributes.get("chunkCount")
            && i64::from(*count) != shape.chunks as i64
        {
            let there = shape.chunks;
            let message = format!("\"chunkCount\" is {count}, but the part has {there} chunks");
            problems.push(corrupt(part, message));
        }
        let earlier = &header.parts[..part];
        if let Some(name) = attributes.name().filter(|_| multipart)
            && earlier.iter().any(|other| other.name() == Some(name))
        {
            problems.push(corrupt(part, format!("another part is called {name:?}, too")));
        }
        // One that is missing has been told of. No part differs from itself, be it by NaN.
        let there = |name: &&str| part > 0 && attributes.get(name).is_some();
        for name in differing(&header.parts[0], attributes).filter(there) {
            let what = "differs from that of part 0; other programs do not open such a file";
            problems.push(corrupt(part, format!("{name:?} {what}")));
        }
    }
}

/// Entries that cannot be places of chunks; they become 0. Neighbours that are wrong in the same
/// way are told together.
fn check_table(
    opened: &OpenExr<'_>,
    part: usize,
    table: &mut OffsetTable,
    problems: &mut Vec<Problem>,
) {
    let possible = opened.chunks..opened.length;
    let mut last: Option<(Problem, bool)> = None;
    for (chunk, offset) in table.iter_mut().enumerate() {
        let chunk = chunk as u64;
        if possible.contains(offset) {
            continue;
        }
        let never_written = *offset == 0;
        if let Some((Problem { chunks: Some(chunks), .. }, before)) = &mut last
            && chunks.end == chunk
            && *before == never_written
        {
            chunks.end += 1;
        } else {
            let message = if never_written {
                "not in the chunk table: the file was not written completely".into()
            } else if *offset >= possible.end {
                format!("starts at byte {offset}, past the end of the file ({})", possible.end)
            } else {
                format!("starts at byte {offset}, but chunks start at {}", possible.start)
            };
            problems.extend(last.take().map(|(problem, _)| problem));
            let chunks = Some(chunk..chunk + 1);
            last = Some((Problem { chunks, ..corrupt(part, message) }, never_written));
        }
        *offset = 0;
    }
    problems.extend(last.map(|(problem, _)| problem));
}

/// What a chunk with data at `place` shows of itself.
fn check_chunk(opened: &OpenExr<'_>, part: usize, chunk: u64, place: &Range<u64>) -> Result<()> {
    let shape = &opened.shapes[part];
    if shape.kind.is_deep() || !codec::has_structure(shape.compression) {
        return Ok(());
    }
    let mut data = Vec::new();
    let length = usize::try_from(place.end - place.start).unwrap_or(usize::MAX);
    data.try_reserve_exact(length).map_err(|_| Error::limit("a chunk does not fit into memory"))?;
    data.resize(length, 0);
    opened.source.read_exact_at(place.start, &mut data, "a chunk")?;
    let block = shape.place(chunk);
    codec::check_structure(shape.compression, &shape.block(&block.window), &data).map_err(|e| {
        let offset = place.start + e.offset().unwrap_or(0);
        Error::new(e.kind(), e.message()).at_offset(offset)
    })
}

/// Where the data of a chunk are that lies at `offset`.
fn check_leader(opened: &OpenExr<'_>, part: usize, chunk: u64, offset: u64) -> Result<Range<u64>> {
    let shape = &opened.shapes[part];
    let multipart = opened.header.is_multipart();
    let mut bytes = [0; crate::chunk::MOST_BYTES];
    let bytes = &mut bytes[..leader_bytes(shape.kind, multipart)];
    opened.source.read_exact_at(offset, bytes, "the head of a chunk")?;
    let mut cursor = HeaderCursor::new(bytes, offset);
    let leader = Leader::decode(&mut cursor, shape.kind, multipart)?;
    let at = |message: String| Error::corrupt(message).at_offset(offset);
    if multipart && leader.part as usize != part {
        return Err(at(format!("a chunk of part {} lies there", leader.part)));
    }
    match leader.chunk(shape) {
        Some(found) if found == chunk => {}
        Some(found) => return Err(at(format!("chunk {found} lies there"))),
        None => {
            let numbers = if shape.kind.is_tiled() { 4 } else { 1 };
            let place = &leader.place[..numbers];
            return Err(at(format!("its place {place:?} is none of the part")));
        }
    }
    check_sizes(shape, chunk, &leader).map_err(at)?;
    let end = cursor.offset().saturating_add(leader.counts).saturating_add(leader.data);
    if end > opened.length {
        let early = end - opened.length;
        let message = format!("the file ends {early} bytes before the chunk does");
        return Err(Error::corrupt(message).at_offset(opened.length));
    }
    Ok(cursor.offset()..end)
}

/// That so many bytes can be the pixels of the chunk.
fn check_sizes(shape: &Shape, chunk: u64, leader: &Leader) -> Result<(), String> {
    let place = shape.place(chunk);
    let possible = |what: &str, stored: u64, size: u64| {
        let most = match shape.compression {
            Compression::None => stored,
            method => stored.saturating_mul(codec::most_from_a_byte(method)),
        };
        if stored > size || size > most {
            return Err(format!("{stored} bytes of data cannot be {size} bytes of {what}"));
        }
        Ok(())
    };
    if !shape.kind.is_deep() {
        return possible("pixels", leader.data, shape.block(&place.window).bytes());
    }
    let counts = 4 * place.window.width() * place.window.height();
    if !(counts..=most_counts(shape, counts)).contains(&leader.counts) {
        possible("counts", leader.counts, counts)?;
    }
    possible("samples", leader.data, leader.unpacked)?;
    let of_all: u64 = shape.channels.iter().map(|c| c.pixel_type.bytes() as u64).sum();
    if !leader.unpacked.is_multiple_of(of_all) {
        let size = leader.unpacked;
        return Err(format!("{size} bytes of samples do not divide by the {of_all} of one sample"));
    }
    Ok(())
}

/// Where a chunk lies.
struct ChunkSpan {
    place: Range<u64>,
    part: usize,
    chunk: u64,
}

/// Chunks that share bytes, bytes that no chunk has.
fn check_overlaps(opened: &OpenExr<'_>, mut spans: Vec<ChunkSpan>, checked: &mut Checked) {
    spans.sort_by_key(|span| (span.place.start, span.place.end));
    let mut end = opened.chunks;
    let mut unused = 0;
    let mut before: Option<&ChunkSpan> = None;
    for span in &spans {
        if let Some(other) = before.filter(|_| span.place.start < end) {
            let message = format!(
                "shares bytes with chunk {} of part {}, which ends at {end}",
                other.chunk, other.part
            );
            checked.problems.push(Problem {
                offset: Some(span.place.start),
                chunks: Some(span.chunk..span.chunk + 1),
                ..corrupt(span.part, message)
            });
        }
        unused += span.place.start.saturating_sub(end);
        if span.place.end >= end {
            end = span.place.end;
            before = Some(span);
        }
    }
    // Where chunks are missing, what lies there instead is no news.
    if !checked.problems.is_empty() {
        return;
    }
    if unused > 0 {
        checked.notes.push(format!("{unused} bytes between the chunks belong to none"));
    }
    if opened.length > end {
        let more = opened.length - end;
        checked.notes.push(format!("{more} bytes follow the last chunk"));
    }
}

/// Some chunks, and what a thread needs to unpack them.
#[derive(Default)]
struct CheckJob {
    chunks: Range<u64>,
    buffers: ReadBuffers,
    problems: Vec<Problem>,
}

/// Unpacks all chunks of a part that are in the table.
fn decode(
    opened: &OpenExr<'_>,
    part: usize,
    table: &OffsetTable,
    problems: &mut Vec<Problem>,
    work: &Work,
) -> Result<()> {
    let shape = &opened.shapes[part];
    let of = Of { opened, part, table };
    let largest = shape.block(&shape.place(0).window).bytes().max(1);
    let at_once = (JOB_BYTES / largest).max(1);
    let window = work.window(usize::try_from(largest.max(JOB_BYTES) * 3).unwrap_or(usize::MAX));
    let mut next = 0;
    ordered::run::<CheckJob>(
        work,
        window,
        |job| {
            job.chunks = next..(next + at_once).min(shape.chunks);
            next = job.chunks.end;
            Ok(!job.chunks.is_empty())
        },
        |job| {
            let there = |chunk: &u64| table[*chunk as usize] != 0;
            job.buffers.fetch(of, job.chunks.clone().filter(there))?;
            for chunk in job.chunks.clone().filter(there) {
                let place = shape.place(chunk);
                let unpacked = match shape.kind.is_deep() {
                    true => job.buffers.samples(of, chunk, &place).map(|_| ()),
                    false => job.buffers.pixels(of, chunk, &place).map(|_| ()),
                };
                if let Err(e) = unpacked {
                    let e = e.at_offset(table[chunk as usize]);
                    job.problems.push(problem(e, Some(part), Some(chunk..chunk + 1))?);
                }
            }
            Ok(())
        },
        |job| {
            problems.append(&mut job.problems);
            Ok(())
        },
    )
}
