//! The tables that say where chunks lie, and finding chunks where a table is not complete.
//!
//! Each part has a table of one 64-bit offset a chunk, right after the header. A writer fills it
//! in at the end: one that was interrupted leaves zeros. Then the chunks are found by going from
//! one to the next, as the reference does.

use crate::chunk::{Leader, MOST_BYTES};
use crate::cursor::HeaderCursor;
use crate::header::shape::Shape;
use crate::header::{self, Header};
use solio_base::{Error, Limits, Result, Source};

/// An open file: its header, and where its tables lie.
pub(crate) struct OpenExr<'s> {
    pub(crate) source: &'s dyn Source,
    pub(crate) header: Header,
    pub(crate) shapes: Vec<Shape>,
    /// Bytes of the file.
    pub(crate) length: u64,
    /// Where the tables start.
    pub(crate) tables: u64,
    /// Where the first chunk can start.
    pub(crate) chunks: u64,
}

/// Where the chunks of a part lie; 0 is a chunk that the file does not have.
pub(crate) type OffsetTable = Vec<u64>;

impl<'s> OpenExr<'s> {
    /// Reads the header. The source must know its length and serve any place.
    pub(crate) fn new(source: &'s dyn Source, limits: &Limits) -> Result<OpenExr<'s>> {
        let length = source
            .len_bytes()
            .ok_or_else(|| Error::argument("an OpenEXR file of unknown length"))?;
        let header::ParsedHeader { header, end } = header::decode_placed(source, limits)?;
        let shapes: Vec<Shape> =
            header.parts.iter().map(header::Part::shape).collect::<Result<_>>()?;
        // Sizes were checked: each part has fewer than 2^64 chunks, but not all of them together.
        let entries: u128 = shapes.iter().map(|shape| u128::from(shape.chunks)).sum();
        let left = length.saturating_sub(end);
        if entries * 8 > u128::from(left) {
            let message = format!("a table of {entries} chunks cannot fit into {left} bytes");
            return Err(Error::corrupt(message).at_offset(end));
        }
        let chunks = end + entries as u64 * 8;
        Ok(OpenExr { source, header, shapes, length, tables: end, chunks })
    }

    /// The table of part `part`, as it is in the file.
    pub(crate) fn stored_table(&self, part: usize) -> Result<OffsetTable> {
        let before: u64 = self.shapes[..part].iter().map(|shape| shape.chunks * 8).sum();
        let mut bytes = vec![0; self.shapes[part].chunks as usize * 8];
        self.source.read_exact_at(self.tables + before, &mut bytes, "the chunk table")?;
        let (offsets, _) = bytes.as_chunks::<8>();
        Ok(offsets.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    /// The table of part `part`, found out anew where it is not complete.
    pub(crate) fn table(&self, part: usize) -> Result<OffsetTable> {
        let mut table = self.stored_table(part)?;
        let possible = self.chunks..self.length;
        if table.iter().all(|offset| possible.contains(offset)) {
            return Ok(table);
        }
        let found = self.search(part)?;
        for (offset, found) in table.iter_mut().zip(found) {
            if !possible.contains(offset) {
                *offset = found;
            }
        }
        Ok(table)
    }

    /// Goes through all chunks of the file; those of `part`, as far as there are any.
    fn search(&self, part: usize) -> Result<OffsetTable> {
        let mut table = vec![0; self.shapes[part].chunks as usize];
        let multipart = self.header.is_multipart();
        let mut left: u64 = self.shapes.iter().map(|shape| shape.chunks).sum();
        let mut offset = self.chunks;
        while offset < self.length && left > 0 {
            let mut bytes = [0; MOST_BYTES];
            let got = self.source.read_at(offset, &mut bytes)?;
            let mut cursor = HeaderCursor::new(&bytes[..got], offset);
            let number = if multipart { cursor.i32("").unwrap_or(-1) } else { 0 };
            let shape = usize::try_from(number).ok().and_then(|number| self.shapes.get(number));
            let Some(shape) = shape else { break };
            let mut cursor = HeaderCursor::new(&bytes[..got], offset);
            let Ok(leader) = Leader::decode(&mut cursor, shape.kind, multipart) else { break };
            let Some(chunk) = leader.chunk(shape) else { break };
            let end = cursor.offset().saturating_add(leader.counts).saturating_add(leader.data);
            if end > self.length {
                break;
            }
            if number as usize == part && table[chunk as usize] == 0 {
                table[chunk as usize] = offset;
            }
            offset = end;
            left -= 1;
        }
        Ok(table)
    }
}
