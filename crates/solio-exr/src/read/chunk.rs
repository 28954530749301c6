//! The bytes of chunks: fetched, checked against what stands before them, unpacked.

use super::store::RowStore;
use crate::block::DeepBlock;
use crate::chunk::{Leader, leader_bytes};
use crate::codec::UnpackedRows;
use crate::cursor::HeaderCursor;
use crate::header::shape::{ChunkPlace, Shape};
use crate::header::{Box2i, Kind};
use crate::table::{OffsetTable, OpenExr};
use crate::{Channel, Compression, codec};
use solio_base::{Error, Result};
use std::ops::Range;

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct ReadBuffers {
    /// What was read from the file, and where it started there.
    file: Vec<u8>,
    start: u64,
    length: usize,
    /// A chunk that was not among it.
    single: Vec<u8>,
    /// A chunk, unpacked.
    raw: Vec<u8>,
    /// How many samples each pixel of a deep chunk has, row by row.
    counts: Vec<u32>,
    /// How many each row has.
    row_samples: Vec<u64>,
    scratch: codec::CodecScratch,
    ahead: codec::InflatedAhead,
    pub(crate) store: RowStore,
}

/// A chunk as it lies in the file.
pub(crate) struct StoredChunk<'a> {
    pub(crate) leader: Leader,
    /// Where what comes after it lies in the file.
    offset: u64,
    /// What comes after the leader.
    pub(crate) bytes: &'a [u8],
}

/// Which part a chunk is of.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) opened: &'a OpenExr<'a>,
    pub(crate) part: usize,
    pub(crate) table: &'a OffsetTable,
}

impl<'a> Of<'a> {
    pub(crate) fn shape(&self) -> &'a Shape {
        &self.opened.shapes[self.part]
    }

    /// Where chunk `chunk` may lie: up to where the next one starts, where that is known.
    fn span(&self, chunk: u64) -> Range<u64> {
        let offset = self.table[chunk as usize];
        let next = self.table.get(chunk as usize + 1).copied().filter(|next| *next > offset);
        let shape = self.shape();
        let most = match shape.kind.is_deep() {
            true => u64::MAX,
            false => shape.block(&shape.place(chunk).window).bytes(),
        };
        let multipart = self.opened.header.is_multipart();
        let leader = leader_bytes(shape.kind, multipart) as u64;
        let end = offset.saturating_add(leader).saturating_add(most);
        // Of a deep chunk whose end is unknown only the leader is read at first.
        let unknown = if shape.kind.is_deep() { offset + leader } else { end };
        offset..next.unwrap_or(unknown).min(end).min(self.opened.length)
    }

    /// An error about chunk `chunk`, with its place.
    pub(crate) fn error(&self, chunk: u64, error: Error) -> Error {
        let chunks = self.shape().chunks;
        let part = match self.opened.header.is_multipart() {
            true => format!("part {}, ", self.part),
            false => String::new(),
        };
        let message = format!("{part}chunk {chunk} of {chunks}: {}", error.message());
        let offset = error.offset().unwrap_or(self.table[chunk as usize]);
        Error::new(error.kind(), message).at_offset(offset)
    }
}

impl ReadBuffers {
    /// Reads all of `chunks` at once, where they lie close together.
    pub(crate) fn fetch(&mut self, of: Of<'_>, chunks: impl Iterator<Item = u64>) -> Result<()> {
        self.length = 0;
        if of.opened.source.as_bytes().is_some() {
            return Ok(());
        }
        let (mut start, mut end, mut bytes) = (u64::MAX, 0, 0);
        for span in chunks.map(|chunk| of.span(chunk)).filter(|span| span.start > 0) {
            start = start.min(span.start);
            end = end.max(span.end);
            bytes += span.end.saturating_sub(span.start);
        }
        let all = end.saturating_sub(start);
        if all == 0 || all > 2 * bytes {
            return Ok(());
        }
        self.start = start;
        self.length = all as usize;
        if self.file.len() < self.length {
            self.file.resize(self.length, 0);
        }
        self.length = of.opened.source.read_at(start, &mut self.file[..self.length])?;
        Ok(())
    }

    /// The pixels and the bytes of a flat chunk without compression, where it was fetched and
    /// nothing is wrong with it.
    pub(super) fn stored<'b>(&'b self, of: Of<'b>, chunk: u64) -> Option<(Box2i, &'b [u8])> {
        let (file, start) = match of.opened.source.as_bytes() {
            Some(bytes) => (bytes, 0),
            None => (&self.file[..self.length], self.start),
        };
        let offset = of.table[chunk as usize];
        let from = usize::try_from(offset.checked_sub(start)?).ok()?;
        let multipart = of.opened.header.is_multipart();
        let shape = of.shape();
        let mut cursor = HeaderCursor::new(file.get(from..)?, offset);
        let leader = Leader::decode(&mut cursor, shape.kind, multipart).ok()?;
        if offset == 0 || leader.part as usize != of.part && multipart {
            return None;
        }
        let window = shape.place(chunk).window;
        let whole = leader.data == shape.block(&window).bytes();
        if !whole || leader.chunk(shape) != Some(chunk) {
            return None;
        }
        let head = leader_bytes(shape.kind, multipart);
        let bytes = file.get(from + head..)?.get(..usize::try_from(leader.data).ok()?)?;
        Some((window, bytes))
    }

    /// Whether chunk `chunk` was fetched, or need not be.
    pub(super) fn has(&self, of: Of<'_>, chunk: u64) -> bool {
        let span = of.span(chunk);
        let end = self.start + self.length as u64;
        of.opened.source.as_bytes().is_some() || (self.start <= span.start && span.end <= end)
    }

    /// Chunk `chunk`, checked to be that one.
    fn packed<'b>(
        file: &'b [u8],
        start: u64,
        single: &'b mut Vec<u8>,
        of: Of<'b>,
        chunk: u64,
    ) -> Result<StoredChunk<'b>> {
        let span = of.span(chunk);
        let shape = of.shape();
        let multipart = of.opened.header.is_multipart();
        let head = leader_bytes(shape.kind, multipart);
        let fetched = |range: &Range<u64>| {
            let (file, start) = match of.opened.source.as_bytes() {
                Some(bytes) => (bytes, 0),
                None => (file, start),
            };
            let from = usize::try_from(range.start.checked_sub(start)?).ok()?;
            let to = usize::try_from(range.end.checked_sub(start)?).ok()?;
            file.get(from..to)
        };
        let mut own = [0; crate::chunk::MOST_BYTES];
        let head_span = span.start..span.start + head as u64;
        let head_bytes = match fetched(&head_span) {
            Some(bytes) => bytes,
            None => {
                let what = "the head of a chunk";
                of.opened.source.read_exact_at(span.start, &mut own[..head], what)?;
                &own[..head]
            }
        };
        let mut cursor = HeaderCursor::new(head_bytes, span.start);
        let leader = Leader::decode(&mut cursor, shape.kind, multipart)?;
        if leader.part as usize != of.part && multipart || leader.chunk(shape) != Some(chunk) {
            let message = "another chunk lies where the table says that this one is";
            return Err(Error::corrupt(message).at_offset(span.start));
        }
        let from = head_span.end;
        let size = leader.counts.saturating_add(leader.data);
        let to = from.saturating_add(size);
        if to > of.opened.length {
            let early = to - of.opened.length;
            let message = format!("the file ends {early} bytes early");
            return Err(Error::corrupt(message).at_offset(of.opened.length));
        }
        if let Some(bytes) = fetched(&(from..to)) {
            return Ok(StoredChunk { leader, offset: from, bytes });
        }
        single.resize(size as usize, 0);
        of.opened.source.read_exact_at(from, single, "a chunk")?;
        Ok(StoredChunk { leader, offset: from, bytes: single })
    }

    /// Unpacks those of `chunks` that are best unpacked side by side, for [`pixels`](Self::pixels)
    /// to give later. Chunks with an error are left to it.
    pub(crate) fn unpack_ahead(&mut self, of: Of<'_>, chunks: &[u64]) {
        let shape = of.shape();
        let some = match shape.kind.is_deep() || codec::side_by_side(shape.compression) == 1 {
            true => &[],
            false => chunks,
        };
        let mut singles = vec![Vec::new(); some.len()];
        let mut packed = Vec::with_capacity(some.len());
        for (&chunk, single) in some.iter().zip(&mut singles) {
            let file = &self.file[..self.length];
            if of.table[chunk as usize] == 0 {
                continue;
            }
            let Ok(found) = Self::packed(file, self.start, single, of, chunk) else { continue };
            let bytes = shape.block(&shape.place(chunk).window).bytes();
            if let Ok(false) = is_stored(shape.compression, found.bytes, bytes, "pixels") {
                packed.push((chunk, found.bytes, bytes as usize));
            }
        }
        self.ahead.unpack(&packed);
    }

    /// The rows of a flat chunk, as [`Block`](crate::Block) lays them out.
    pub(crate) fn pixels<'b>(
        &'b mut self,
        of: Of<'b>,
        chunk: u64,
        place: &ChunkPlace,
    ) -> Result<UnpackedRows<'b>> {
        let ReadBuffers { file, start, length, single, raw, scratch, ahead, .. } = self;
        if let Some(merger) = ahead.get(chunk) {
            return Ok(UnpackedRows::Filtered(merger));
        }
        let packed = Self::packed(&file[..*length], *start, single, of, chunk)?;
        let shape = of.shape();
        let block = shape.block(&place.window);
        if is_stored(shape.compression, packed.bytes, block.bytes(), "pixels")? {
            return Ok(UnpackedRows::Plain(packed.bytes));
        }
        codec::unpack(shape.compression, &block, packed.bytes, raw, scratch)
            .map_err(|e| placed(e, packed.offset))
    }

    /// How many samples each pixel of a deep chunk has, row by row.
    pub(crate) fn counts(&mut self, of: Of<'_>, chunk: u64, place: &ChunkPlace) -> Result<&[u32]> {
        let ReadBuffers { file, start, length, single, scratch, counts, row_samples, .. } = self;
        let packed = Self::packed(&file[..*length], *start, single, of, chunk)?;
        let bytes = &packed.bytes[..packed.leader.counts as usize];
        unpack_counts(of.shape(), place, bytes, counts, row_samples, scratch)
            .map_err(|e| placed(e, packed.offset))?;
        Ok(counts)
    }

    /// The counts of a deep chunk, and its samples: row by row, in each channel by channel.
    pub(crate) fn samples<'b>(
        &'b mut self,
        of: Of<'b>,
        chunk: u64,
        place: &ChunkPlace,
    ) -> Result<(&'b [u32], &'b [u8])> {
        let ReadBuffers { file, start, length, single, raw, scratch, counts, row_samples, .. } =
            self;
        let packed = Self::packed(&file[..*length], *start, single, of, chunk)?;
        let shape = of.shape();
        let (before, bytes) = packed.bytes.split_at(packed.leader.counts as usize);
        unpack_counts(shape, place, before, counts, row_samples, scratch)
            .map_err(|e| placed(e, packed.offset))?;
        let of_all = |channel: &Channel| channel.pixel_type.bytes() as u64;
        let of_all: u64 = shape.channels.iter().map(of_all).sum();
        let size = row_samples.iter().sum::<u64>().saturating_mul(of_all);
        if size != packed.leader.unpacked {
            let promised = packed.leader.unpacked;
            let message = format!("{promised} bytes of samples are promised, {size} counted");
            return Err(Error::corrupt(message));
        }
        if is_stored(shape.compression, bytes, size, "samples")? {
            return Ok((counts, bytes));
        }
        let raw = codec::room(raw, size as usize);
        let block = DeepBlock { channels: &shape.channels, row_samples };
        codec::decode_deep(shape.compression, &block, bytes, raw, scratch)
            .map_err(|e| placed(e, packed.offset + packed.leader.counts))?;
        Ok((counts, raw))
    }
}

/// The error of a codec, which knows places in its chunk, with the place in the file.
fn placed(error: Error, start: u64) -> Error {
    let offset = start + error.offset().unwrap_or(0);
    Error::new(error.kind(), error.message()).at_offset(offset)
}

/// Whether `size` bytes of `what` are stored as they are in `packed`; an error where they cannot
/// come from it.
pub(crate) fn is_stored(
    compression: Compression,
    packed: &[u8],
    size: u64,
    what: &str,
) -> Result<bool> {
    let stored = packed.len() as u64;
    if stored > size {
        let message = format!("{stored} bytes of data for {size} bytes of {what}");
        return Err(Error::corrupt(message));
    }
    if stored < size && size > stored.saturating_mul(codec::most_from_a_byte(compression)) {
        let message = format!("{stored} bytes of data cannot hold {size} bytes of {what}");
        return Err(Error::corrupt(message));
    }
    Ok(stored == size)
}

/// Most bytes that a table of `size` bytes of counts has in the file. Where nothing packs it, the
/// reference stores that of a whole tile, also of one that the edge of the image cuts; the counts
/// come first, and what is behind them means nothing.
pub(crate) fn most_counts(shape: &Shape, size: u64) -> u64 {
    match (shape.kind, shape.compression) {
        (Kind::DeepTiled, Compression::None) => 4 * shape.chunk_size[0] * shape.chunk_size[1],
        _ => size,
    }
}

/// Unpacks the table of a deep chunk: in the file each row counts up from zero.
fn unpack_counts(
    shape: &Shape,
    place: &ChunkPlace,
    packed: &[u8],
    counts: &mut Vec<u32>,
    row_samples: &mut Vec<u64>,
    scratch: &mut codec::CodecScratch,
) -> Result<()> {
    let (width, height) = (place.window.width(), place.window.height());
    let (size, stored) = (4 * width * height, packed.len() as u64);
    if stored > most_counts(shape, size)
        || size > stored.saturating_mul(codec::most_from_a_byte(shape.compression))
    {
        let message = format!("{stored} bytes of data for {size} bytes of counts");
        return Err(Error::corrupt(message));
    }
    counts.resize(size as usize / 4, 0);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(counts);
    if stored >= size {
        bytes.copy_from_slice(&packed[..size as usize]);
    } else {
        row_samples.clear();
        row_samples.resize(height as usize, width);
        let block = DeepBlock { channels: &[Channel::counts()], row_samples };
        codec::decode_deep(shape.compression, &block, packed, bytes, scratch)?;
    }
    row_samples.clear();
    for row in counts.chunks_mut(width as usize) {
        let mut before = 0;
        for count in row {
            let up_to = *count;
            if up_to < before || up_to > i32::MAX as u32 {
                let message = format!("the counts of a row go from {before} to {}", up_to as i32);
                return Err(Error::corrupt(message));
            }
            *count = up_to - before;
            before = up_to;
        }
        row_samples.push(u64::from(before));
    }
    Ok(())
}
