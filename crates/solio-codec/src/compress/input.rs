//! The compressed bytes, and where in the file they are.

use solio_base::{Error, Result};
use std::io::Read;

/// Bytes asked of the reader at a time.
const INPUT_BYTES: usize = 64 << 10;
/// And at first: of many files only the start is wanted.
const FIRST_BYTES: usize = 4 << 10;

/// A buffered reader that knows its offset.
pub(super) struct CompressedInput<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset in the file of `buffer[end]`.
    offset: u64,
}

impl<R: Read> CompressedInput<R> {
    pub(super) fn new(reader: R) -> Self {
        CompressedInput { reader, buffer: Vec::new(), start: 0, end: 0, offset: 0 }
    }

    /// Offset in the file of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.offset - (self.end - self.start) as u64
    }

    /// The bytes at hand; empty only at the end of the file.
    pub(super) fn fill(&mut self) -> Result<&[u8]> {
        if self.start == self.end {
            let wanted = if self.offset == 0 { FIRST_BYTES } else { INPUT_BYTES };
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            self.start = 0;
            self.end = read_some(&mut self.reader, &mut self.buffer)?;
            self.offset += self.end as u64;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Marks `count` of the bytes at hand as used.
    pub(super) fn take(&mut self, count: usize) {
        self.start += count;
    }

    /// One byte, or `None` at the end.
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        let byte = self.fill()?.first().copied();
        self.start += usize::from(byte.is_some());
        Ok(byte)
    }

    /// The error for a file that stops inside `what`.
    pub(super) fn ends_early(&self, what: &str) -> Error {
        Error::corrupt(format!("the compressed file ends inside a {what}"))
            .at_offset(self.position())
            .hint("the file was probably cut off while it was copied or written")
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut got = 0;
        while got < out.len() {
            match read_some(&mut self.reader, &mut out[got..])? {
                0 => break,
                n => got += n,
            }
        }
        self.offset += got as u64;
        Ok(got)
    }
}

fn read_some(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    loop {
        match reader.read(buffer) {
            Ok(n) => return Ok(n),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io("read", e)),
        }
    }
}

/// `Corrupt`, with an offset that is said to be in the compressed file.
pub(super) fn corrupt_at(at: u64, what: &str, why: &str) -> Error {
    Error::corrupt(format!("the compressed file's {what} data is corrupt here: {why}"))
        .at_offset(at)
}
