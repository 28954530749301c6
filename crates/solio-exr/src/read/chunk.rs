//! The bytes of chunks: fetched, checked against what stands before them, unpacked.

use crate::chunk::{Leader, leader_bytes};
use crate::codec;
use crate::cursor::Cursor;
use crate::shape::{Place, Shape};
use crate::table::{Opened, Table};
use solio_base::{Error, Result};
use std::ops::Range;

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct Buffers {
    /// What was read from the file, and where it started there.
    file: Vec<u8>,
    start: u64,
    length: usize,
    /// A chunk that was not among it.
    single: Vec<u8>,
    /// A chunk, unpacked.
    raw: Vec<u8>,
    scratch: codec::Scratch,
}

/// A chunk as it lies in the file.
pub(crate) struct Packed<'a> {
    /// What comes after the leader.
    pub(crate) bytes: &'a [u8],
}

/// Which part a chunk is of.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) opened: &'a Opened<'a>,
    pub(crate) part: usize,
    pub(crate) table: &'a Table,
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

impl Buffers {
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

    /// Chunk `chunk`, checked to be that one.
    fn packed<'b>(
        file: &'b [u8],
        start: u64,
        single: &'b mut Vec<u8>,
        of: Of<'b>,
        chunk: u64,
    ) -> Result<Packed<'b>> {
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
        let mut cursor = Cursor::new(head_bytes, span.start);
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
            return Ok(Packed { bytes });
        }
        single.resize(size as usize, 0);
        of.opened.source.read_exact_at(from, single, "a chunk")?;
        Ok(Packed { bytes: single })
    }

    /// The pixels of a flat chunk, as [`Block`](crate::Block) lays them out.
    pub(crate) fn pixels<'b>(
        &'b mut self,
        of: Of<'b>,
        chunk: u64,
        place: &Place,
    ) -> Result<&'b [u8]> {
        let Buffers { file, start, length, single, raw, scratch } = self;
        let packed = Self::packed(&file[..*length], *start, single, of, chunk)?;
        let shape = of.shape();
        let block = shape.block(&place.window);
        let size = block.bytes();
        let stored = packed.bytes.len() as u64;
        if stored > size {
            let message = format!("{stored} bytes of data for {size} bytes of pixels");
            return Err(Error::corrupt(message));
        }
        if stored == size {
            return Ok(packed.bytes);
        }
        if size > stored.saturating_mul(codec::most_from_a_byte(shape.compression)) {
            let message = format!("{stored} bytes of data cannot hold {size} bytes of pixels");
            return Err(Error::corrupt(message));
        }
        let size = size as usize;
        if raw.len() < size {
            raw.resize(size, 0);
        }
        codec::decode(shape.compression, &block, packed.bytes, &mut raw[..size], scratch)?;
        Ok(&raw[..size])
    }
}
