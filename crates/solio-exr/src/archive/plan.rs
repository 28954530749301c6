//! How a file is cut into pieces.

use super::detail::{ChunkRun, EntryDetail, FilePiece};
use super::run::{MOST_CHUNKS, run_bytes};
use crate::Compression;
use crate::chunk::{Leader, MOST_BYTES, leader_bytes};
use crate::codec;
use crate::cursor::HeaderCursor;
use crate::header::shape::Shape;
use crate::table::OpenExr;
use solio_base::{Limits, Result, Source};
use solio_codec::array::Effort;
use std::ops::Range;

/// So many rows of pixels are packed together, and more as long as they are below [`RUN_BYTES`].
const RUN_ROWS: u64 = 64;
/// As many bytes are always packed together.
const RUN_BYTES: u64 = 1 << 20;
/// More than these bytes are not packed together.
const MOST_RUN_BYTES: u64 = 32 << 20;
/// Bytes of a piece that is kept as it lies.
const KEPT_BYTES: u64 = 1 << 20;

/// How a file is packed.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackingOptions {
    /// Whether the file has to come back byte for byte; without it, its header and pixels do.
    pub exact: bool,
    /// How much is tried.
    pub effort: Effort,
    /// Bounds.
    pub limits: Limits,
}

/// A file that is going to be packed: what its pieces are.
pub struct ExrPacking {
    pub(super) options: PackingOptions,
    /// From the first byte to the end of the headers.
    pub(super) head: Vec<u8>,
    pub(super) shapes: Vec<Shape>,
    pub(super) multipart: bool,
    pub(super) pieces: Vec<PlannedPiece>,
    length: u64,
    /// CRC-32 of the bytes before the first piece.
    start_crc: u32,
    whole: bool,
}

/// A piece of a file.
pub(super) struct PlannedPiece {
    /// Its bytes.
    pub(super) bytes: Range<u64>,
    /// Where its chunks end, those of a run alone: the first byte behind each.
    pub(super) ends: Vec<u64>,
    /// As what it may be packed.
    pub(super) run: Option<ChunkRun>,
}

/// A chunk of a file.
struct Lying {
    part: usize,
    index: u64,
    bytes: Range<u64>,
}

impl ExrPacking {
    /// Reads header, tables and what stands before each chunk.
    ///
    /// # Errors
    /// As [`crate::decode_header`].
    pub fn new(source: &dyn Source, options: &PackingOptions) -> Result<ExrPacking> {
        let opened = OpenExr::new(source, &options.limits)?;
        let length = opened.length;
        let multipart = opened.header.is_multipart();
        let lying = lying(&opened)?;
        let whole = lying.is_none();
        let mut made = ExrPacking {
            options: *options,
            head: Vec::new(),
            shapes: Vec::new(),
            multipart,
            pieces: Vec::new(),
            length,
            start_crc: 0,
            whole,
        };
        let Some(lying) = lying else {
            made.pieces = kept(0..length).collect();
            return Ok(made);
        };
        let mut start = vec![0; opened.chunks as usize];
        source.read_exact_at(0, &mut start, "the header")?;
        made.start_crc = crc32fast::hash(&start);
        start.truncate(opened.tables as usize);
        made.head = start;
        made.pieces = pieces(&opened.shapes, &lying);
        made.shapes = opened.shapes;
        Ok(made)
    }

    /// Pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.length
    }

    /// Whether the file is kept whole: it is not a header, tables and chunks without gaps.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The description for the table, of pieces that became these; with the CRC-32 and the size of
    /// each, as they lie in the file.
    pub fn detail(&self, pieces: Vec<FilePiece>, sums: &[(u32, u64)]) -> EntryDetail {
        let mut crc = crc32fast::Hasher::new_with_initial_len(self.start_crc, self.start_bytes());
        for (sum, bytes) in sums {
            crc.combine(&crc32fast::Hasher::new_with_initial_len(*sum, *bytes));
        }
        EntryDetail {
            whole: self.whole,
            file_bytes: self.length,
            crc: (self.options.exact || self.whole).then(|| crc.finalize()),
            head: self.head.clone(),
            pieces,
        }
    }

    fn start_bytes(&self) -> u64 {
        self.pieces.first().map_or(self.length, |piece| piece.bytes.start)
    }
}

/// The chunks of a file in their order there; `None` where it is not a header, tables and all
/// chunks, without gaps.
fn lying(opened: &OpenExr<'_>) -> Result<Option<Vec<Lying>>> {
    let mut all = Vec::new();
    for part in 0..opened.shapes.len() {
        let table = opened.stored_table(part)?;
        let chunks = table.into_iter().zip(0..);
        all.extend(chunks.map(|(offset, index)| Lying { part, index, bytes: offset..offset }));
    }
    all.sort_by_key(|chunk| chunk.bytes.start);
    let multipart = opened.header.is_multipart();
    let mut end = opened.chunks;
    let mut bytes = [0; MOST_BYTES];
    for chunk in &mut all {
        let shape = &opened.shapes[chunk.part];
        if chunk.bytes.start != end {
            return Ok(None);
        }
        let head = &mut bytes[..leader_bytes(shape.kind, multipart)];
        if opened.source.read_at(end, head)? < head.len() {
            return Ok(None);
        }
        let mut cursor = HeaderCursor::new(head, end);
        let Ok(leader) = Leader::decode(&mut cursor, shape.kind, multipart) else {
            return Ok(None);
        };
        if multipart && leader.part as usize != chunk.part
            || leader.chunk(shape) != Some(chunk.index)
        {
            return Ok(None);
        }
        end = cursor.offset().saturating_add(leader.counts).saturating_add(leader.data);
        if end > opened.length {
            return Ok(None);
        }
        chunk.bytes.end = end;
    }
    Ok((end == opened.length).then_some(all))
}

/// Whether pixels of a method are the same after they were compressed once more. PXR24 drops bits
/// of floats: that is found out for each run.
fn can_be_packed(shape: &Shape) -> bool {
    !shape.kind.is_deep()
        && matches!(
            shape.compression,
            Compression::None
                | Compression::Rle
                | Compression::Zips
                | Compression::Zip
                | Compression::Piz
                | Compression::Pxr24
                | Compression::Zstd
        )
}

fn pieces(shapes: &[Shape], mut lying: &[Lying]) -> Vec<PlannedPiece> {
    let mut pieces: Vec<PlannedPiece> = Vec::new();
    while let Some(first) = lying.first() {
        let shape = &shapes[first.part];
        let run = match can_be_packed(shape) {
            true => longest_run(shape, lying),
            false => None,
        };
        let Some(run) = run else {
            match pieces.last_mut() {
                // Kept together with what lies before it.
                Some(last)
                    if last.run.is_none() && first.bytes.end - last.bytes.start <= KEPT_BYTES =>
                {
                    last.bytes.end = first.bytes.end;
                }
                _ => pieces.push(PlannedPiece {
                    bytes: first.bytes.clone(),
                    ends: Vec::new(),
                    run: None,
                }),
            }
            lying = &lying[1..];
            continue;
        };
        let (chunks, rest) = lying.split_at(run.chunks as usize);
        let bytes = first.bytes.start..chunks[chunks.len() - 1].bytes.end;
        let ends = chunks.iter().map(|chunk| chunk.bytes.end).collect();
        pieces.push(PlannedPiece { bytes, ends, run: Some(run) });
        lying = rest;
    }
    pieces
}

/// The run that begins with the first of these chunks.
fn longest_run(shape: &Shape, lying: &[Lying]) -> Option<ChunkRun> {
    let (part, first) = (lying[0].part, lying[0].index);
    let place = shape.place(first);
    let level = &shape.levels[place.level];
    let (across, tile) = (level.across, place.tile[0]);
    let is = |at: u64, index: u64| {
        lying.get(at as usize).is_some_and(|chunk| (chunk.part, chunk.index) == (part, index))
    };
    let bytes = shape.block(&place.window).bytes().max(1);
    let mut run = ChunkRun { part: part as u64, first, chunks: 1, upwards: false, style: 0 };
    let most_across = (MOST_RUN_BYTES / bytes).clamp(1, MOST_CHUNKS);
    while tile + run.chunks < across
        && run.chunks < most_across
        && is(run.chunks, first + run.chunks)
    {
        run.chunks += 1;
    }
    if tile == 0 && run.chunks == across {
        let row_bytes = bytes.saturating_mul(across);
        let mut rows = 1;
        let has_row = |rows: u64, start: Option<u64>| {
            start.is_some_and(|start| (0..across).all(|x| is(rows * across + x, start + x)))
        };
        let height = place.window.height();
        let last = level.first_chunk + level.across * level.down;
        loop {
            let all = row_bytes.saturating_mul(rows + 1);
            let enough = rows * height >= RUN_ROWS && all > RUN_BYTES;
            if enough || all > MOST_RUN_BYTES || (rows + 1) * across > MOST_CHUNKS {
                break;
            }
            let below = Some(first + rows * across).filter(|start| *start < last);
            let above = first.checked_sub(rows * across).filter(|at| *at >= level.first_chunk);
            if (rows == 1 || !run.upwards) && has_row(rows, below) {
                rows += 1;
            } else if (rows == 1 || run.upwards) && has_row(rows, above) {
                run.upwards = true;
                rows += 1;
            } else {
                break;
            }
        }
        run.chunks = rows * across;
    }
    run_bytes(shape, &run).is_some().then_some(run)
}

/// Bytes that are kept as they lie.
fn kept(all: Range<u64>) -> impl Iterator<Item = PlannedPiece> {
    all.clone().step_by(KEPT_BYTES as usize).map(move |start| {
        let bytes = start..all.end.min(start + KEPT_BYTES);
        PlannedPiece { bytes, ends: Vec::new(), run: None }
    })
}

/// Ways to compress, of which one may give the bytes that are there.
pub(super) fn styles(compression: Compression) -> impl Iterator<Item = u8> {
    let levels: &[u8] = match compression {
        Compression::Zip | Compression::Zips => &[6, 9, 5, 7, 8, 3, 2, 1],
        _ => &[],
    };
    [1, 0].into_iter().chain(levels.iter().map(|level| level + 2))
}

/// What the codec makes of a style.
pub(super) fn style(number: u8) -> Option<codec::PackStyle> {
    match number {
        0 => Some(codec::PackStyle::default()),
        1 => Some(codec::PackStyle { level: None, compat: true }),
        2..=14 => Some(codec::PackStyle { level: Some(f32::from(number - 2)), compat: false }),
        _ => None,
    }
}
