//! A source whose first bytes have been looked at.
//!
//! A compressed stream serves its bytes once. [`SourceHead`] keeps what was read to find out what the
//! file is, and serves it again to the reader proper.

use solio_base::{Result, Source};

/// A source with its first bytes in memory.
pub(crate) struct SourceHead<'a> {
    source: &'a dyn Source,
    bytes: Vec<u8>,
    ended: bool,
}

impl<'a> SourceHead<'a> {
    pub(crate) fn new(source: &'a dyn Source) -> Self {
        SourceHead { source, bytes: Vec::new(), ended: false }
    }

    /// The bytes looked at so far, from the start of the source.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Looks further, until `count` bytes are known or the source ends.
    pub(crate) fn look(&mut self, count: usize) -> Result<&[u8]> {
        let have = self.bytes.len();
        if have < count && !self.ended {
            self.bytes.resize(have + self.room(have as u64, count - have), 0);
            let got = self.source.read_at(have as u64, &mut self.bytes[have..])?;
            self.bytes.truncate(have + got);
            self.ended = have + got < count;
        }
        Ok(&self.bytes)
    }

    /// Whether the source ends where the known bytes end.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// As [`Source::is_sequential`].
    pub(crate) fn is_sequential(&self) -> bool {
        self.source.is_sequential()
    }

    /// Total bytes of the source, where known.
    pub(crate) fn len_bytes(&self) -> Option<u64> {
        if self.ended { Some(self.bytes.len() as u64) } else { self.source.len_bytes() }
    }

    /// Bytes of buffer for a read of `want` at `offset`: small files need no large one.
    pub(crate) fn room(&self, offset: u64, want: usize) -> usize {
        let rest = self.len_bytes().map_or(u64::MAX, |total| total.saturating_sub(offset));
        usize::try_from(rest).unwrap_or(usize::MAX).min(want)
    }

    /// As [`Source::read_at`]; for a sequential source with rising offsets only.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        if !self.is_sequential() {
            return self.source.read_at(offset, buffer);
        }
        let known = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        let n = buffer.len().min(self.bytes.len() - known);
        buffer[..n].copy_from_slice(&self.bytes[known..known + n]);
        if n == buffer.len() || self.ended {
            return Ok(n);
        }
        Ok(n + self.source.read_at(offset + n as u64, &mut buffer[n..])?)
    }
}
