//! Reads files of arrays, or some of their chunks.

use super::shape::ArrayShape;
use super::table::{self, ChunkLocation, Kind, TableEntry};
use crate::array::ArrayDecoder;
use solio_base::{Error, Limits, Result, Source, Work, ordered};
use std::ops::Range;

/// How a file of arrays is read.
#[derive(Clone, Copy, Debug)]
pub struct ArrayReadOptions {
    /// Whether to check sums: of the table and of every chunk that is read.
    pub verify: bool,
    /// Bounds.
    pub limits: Limits,
}

impl Default for ArrayReadOptions {
    fn default() -> Self {
        ArrayReadOptions { verify: true, limits: Limits::default() }
    }
}

/// The table of a file of arrays.
#[derive(Clone, Debug)]
pub struct ArrayFile {
    /// What is in the file, in the order in which it was written.
    pub entries: Vec<TableEntry>,
    options: ArrayReadOptions,
}

impl ArrayFile {
    /// Reads the table. `source` must have a known size and give any bytes at any time.
    ///
    /// # Errors
    /// `Corrupt` with the offset for what is no such file, or a damaged one; `Unsupported` for a
    /// later version.
    pub fn read(source: &dyn Source, options: &ArrayReadOptions) -> Result<ArrayFile> {
        let entries = table::read(source, options.verify, &options.limits)?;
        Ok(ArrayFile { entries, options: *options })
    }

    /// The entry of this name.
    pub fn find(&self, name: &str) -> Option<&TableEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The bytes of a chunk, which replace those of `to`.
    pub fn read_chunk(
        &self,
        source: &dyn Source,
        chunk: &ChunkLocation,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        to.resize(chunk.bytes as usize, 0);
        source.read_exact_at(chunk.offset, to, "a chunk")?;
        if self.options.verify && crc32fast::hash(to) != chunk.crc {
            return Err(Error::corrupt("a chunk is damaged").at_offset(chunk.offset));
        }
        Ok(())
    }

    /// The shape of an entry that is an array.
    ///
    /// # Errors
    /// `Argument` where it is none, `Corrupt` where what the table says makes no sense.
    pub fn shape(&self, entry: &TableEntry) -> Result<ArrayShape> {
        if entry.kind != Kind::Array {
            return Err(Error::argument(format!("{:?} is no array", entry.name)));
        }
        let at = entry.chunks.first().map_or(0, |chunk| chunk.offset);
        let bad = |what: &str| Error::corrupt(format!("{:?}: {what}", entry.name)).at_offset(at);
        let shape = ArrayShape::decode(&entry.detail).map_err(bad)?;
        if shape.chunks() != entry.chunks.len() as u64 {
            return Err(bad("its chunks are not those of its shape"));
        }
        self.options.limits.check_bytes("the array", shape.bytes())?;
        Ok(shape)
    }

    /// The samples of some rows, lowest byte first; only the chunks that hold them are read. All
    /// threads of `work` unpack.
    ///
    /// # Errors
    /// `Argument` where there are no such rows or `to` has another size than they, and as
    /// [`Self::read_chunk`]; then some of the samples may have been put down.
    pub fn read_rows(
        &self,
        source: &dyn Source,
        entry: &TableEntry,
        rows: Range<u64>,
        to: &mut [u8],
        work: &Work,
    ) -> Result<()> {
        let shape = self.shape(entry)?;
        let row_bytes = shape.row_bytes();
        let count = rows.end.saturating_sub(rows.start);
        let wanted = count.checked_mul(row_bytes);
        if rows.end > shape.rows() || wanted != Some(to.len() as u64) {
            let (start, end, all) = (rows.start, rows.end, shape.rows());
            let message = format!("rows {start} to {end} of {all} into {} bytes", to.len());
            return Err(Error::argument(message));
        }
        if count == 0 {
            return Ok(());
        }
        let mut pieces = pieces(&shape, rows, to).into_iter();
        let chunk_bytes = shape.chunk_rows.saturating_mul(row_bytes);
        let chunk_bytes = usize::try_from(chunk_bytes).unwrap_or(usize::MAX);
        ordered::run::<ArrayReadSlot<'_>>(
            work,
            work.window(chunk_bytes),
            |slot| {
                slot.piece = pieces.next();
                Ok(slot.piece.is_some())
            },
            |slot| self.fill(source, entry, &shape, slot),
            |_| Ok(()),
        )
    }

    fn fill(
        &self,
        source: &dyn Source,
        entry: &TableEntry,
        shape: &ArrayShape,
        slot: &mut ArrayReadSlot<'_>,
    ) -> Result<()> {
        let Some(ChunkRows { chunk, skip, to }) = slot.piece.take() else { return Ok(()) };
        let place = entry.chunks[chunk as usize];
        self.read_chunk(source, &place, &mut slot.packed)?;
        let rows = shape.chunk_rows.min(shape.rows() - chunk * shape.chunk_rows);
        let planes = shape.planes(rows);
        let all = (rows * shape.row_bytes()) as usize;
        let placed = |error: Error| {
            let at = place.offset + error.offset().unwrap_or(0);
            Error::new(error.kind(), error.message()).at_offset(at)
        };
        if to.len() == all {
            return slot.decoder.decode(&slot.packed, &planes, to).map_err(placed);
        }
        slot.raw.resize(all, 0);
        slot.decoder.decode(&slot.packed, &planes, &mut slot.raw).map_err(placed)?;
        to.copy_from_slice(&slot.raw[skip..skip + to.len()]);
        Ok(())
    }
}

/// Some rows of a chunk, and where they go.
struct ChunkRows<'t> {
    chunk: u64,
    /// Bytes of the chunk before the first wanted one.
    skip: usize,
    to: &'t mut [u8],
}

/// A piece under way, and what a thread keeps from one to the next.
#[derive(Default)]
struct ArrayReadSlot<'t> {
    piece: Option<ChunkRows<'t>>,
    packed: Vec<u8>,
    raw: Vec<u8>,
    decoder: ArrayDecoder,
}

/// Cuts wanted rows, which go to `to`, at the ends of chunks.
fn pieces<'t>(shape: &ArrayShape, rows: Range<u64>, mut to: &'t mut [u8]) -> Vec<ChunkRows<'t>> {
    let row_bytes = shape.row_bytes() as usize;
    let mut all = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let chunk = row / shape.chunk_rows;
        let start = chunk * shape.chunk_rows;
        let end = rows.end.min(start.saturating_add(shape.chunk_rows));
        let (now, rest) = to.split_at_mut((end - row) as usize * row_bytes);
        all.push(ChunkRows { chunk, skip: (row - start) as usize * row_bytes, to: now });
        to = rest;
        row = end;
    }
    all
}
