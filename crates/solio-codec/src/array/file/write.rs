//! Makes files of arrays.

use super::shape::ArrayShape;
use super::table::{self, ChunkLocation, HEAD, Kind, TableEntry};
use crate::array::{ArrayEncoder, Effort};
use solio_base::{Error, Result, Sink, Work, lock, unlock};
use std::collections::HashSet;
use std::sync::Mutex;

/// Size and CRC-32 of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkChecksum {
    /// Its bytes.
    pub bytes: u32,
    /// Their CRC-32 (that of zlib).
    pub crc: u32,
}

impl ChunkChecksum {
    /// Of the bytes of a chunk.
    ///
    /// # Errors
    /// `Argument` where there are 2³² or more.
    pub fn of(chunk: &[u8]) -> Result<ChunkChecksum> {
        let bytes = u32::try_from(chunk.len())
            .map_err(|_| Error::argument(format!("a chunk of {} bytes", chunk.len())))?;
        Ok(ChunkChecksum { bytes, crc: crc32fast::hash(chunk) })
    }
}

/// A file of arrays under way: chunks first, the table at the end. Chunks that no entry takes are
/// passed over by readers.
pub struct ArrayWriter<'s> {
    sink: &'s mut dyn Sink,
    offset: u64,
    /// Those that no entry has taken.
    waiting: Vec<ChunkLocation>,
    entries: Vec<u8>,
    names: HashSet<String>,
}

impl<'s> ArrayWriter<'s> {
    /// Begins the file.
    pub fn new(sink: &'s mut dyn Sink, work: &Work) -> Result<ArrayWriter<'s>> {
        sink.write_bytes(work, &table::head())?;
        let (waiting, entries, names) = Default::default();
        Ok(ArrayWriter { sink, offset: HEAD, waiting, entries, names })
    }

    /// Puts down a chunk of the next entry; `sum` is [`ChunkChecksum::of`] its bytes.
    pub fn add_chunk(&mut self, bytes: &[u8], sum: ChunkChecksum, work: &Work) -> Result<()> {
        self.sink.write_bytes(work, bytes)?;
        let chunk = self.placed(sum);
        self.waiting.push(chunk);
        Ok(())
    }

    fn placed(&mut self, sum: ChunkChecksum) -> ChunkLocation {
        let offset = self.offset;
        self.offset += u64::from(sum.bytes);
        ChunkLocation { offset, bytes: sum.bytes, crc: sum.crc }
    }

    /// The chunks since the last entry are none of the file's.
    pub fn forget(&mut self) {
        self.waiting.clear();
    }

    /// The chunks since the last entry are one; its bytes in chunks.
    ///
    /// # Errors
    /// `Argument` where the name is taken, or too long for the table.
    pub fn end_entry(&mut self, name: &str, kind: Kind, detail: Vec<u8>) -> Result<u64> {
        if !self.names.insert(name.to_owned()) {
            self.forget();
            return Err(Error::argument(format!("two entries are called {name:?}")));
        }
        let chunks = std::mem::take(&mut self.waiting);
        let entry = TableEntry { name: name.to_owned(), kind, detail, chunks };
        entry.encode(&mut self.entries)?;
        Ok(entry.packed_bytes())
    }

    /// Whether an entry is called so.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds an array, whose samples lie in `bytes` in the order of its axes, lowest byte first; its
    /// bytes in chunks. All threads of `work` pack.
    ///
    /// # Errors
    /// `Argument` where `bytes` are not those of the shape, and as [`Self::end_entry`].
    pub fn add_array(
        &mut self,
        name: &str,
        shape: &ArrayShape,
        bytes: &[u8],
        effort: Effort,
        work: &Work,
    ) -> Result<u64> {
        if bytes.len() as u64 != shape.bytes() {
            let (there, wanted) = (bytes.len(), shape.bytes());
            return Err(Error::argument(format!("{there} bytes for an array of {wanted}")));
        }
        let chunk_bytes = usize::try_from(shape.row_bytes().saturating_mul(shape.chunk_rows));
        let chunk_bytes = chunk_bytes.unwrap_or(usize::MAX).max(1);
        let parts: Vec<&[u8]> = bytes.chunks(chunk_bytes).collect();
        let sums = Mutex::new(vec![ChunkChecksum::default(); parts.len()]);
        let encoders: Mutex<Vec<ArrayEncoder>> = Mutex::default();
        self.sink.write_chunks(work, parts.len(), &|i, out| {
            let spare = lock(&encoders).pop();
            let mut encoder = spare.map_or_else(|| ArrayEncoder::new(effort), Ok)?;
            let planes = shape.planes(parts[i].len() as u64 / shape.row_bytes());
            encoder.encode(parts[i], &planes, out)?;
            lock(&sums)[i] = ChunkChecksum::of(out)?;
            lock(&encoders).push(encoder);
            Ok(())
        })?;
        let sums = unlock(sums);
        for sum in sums {
            let chunk = self.placed(sum);
            self.waiting.push(chunk);
        }
        self.end_entry(name, Kind::Array, shape.encode())
    }

    /// Ends the file; its bytes.
    pub fn finish(self, work: &Work) -> Result<u64> {
        let count = u32::try_from(self.names.len())
            .map_err(|_| Error::argument("a file of arrays has fewer than 2^32 entries"))?;
        let end = table::end(count, &self.entries, self.offset)?;
        self.sink.write_bytes(work, &end)?;
        Ok(self.offset + end.len() as u64)
    }
}
