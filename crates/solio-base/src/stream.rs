//! Where formats read from and write to. Formats never open files.

use crate::ordered::{self, FillChunk};
use crate::{Error, Result, Work};
use std::sync::Arc;

/// Bytes that a decoder reads.
///
/// A plain file serves any offset from any thread. A compressed stream serves its bytes once, in
/// order: [`Source::is_sequential`] says so, and a decoder then asks for rising offsets only.
pub trait Source: Send + Sync {
    /// Total bytes, when known before reading to the end.
    fn len_bytes(&self) -> Option<u64>;

    /// Whether bytes come once and in order.
    fn is_sequential(&self) -> bool {
        false
    }

    /// The whole content, when it lies in memory already.
    fn as_bytes(&self) -> Option<&[u8]> {
        None
    }

    /// The first bytes, as far as they are known without reading: what lies in memory, and of a file
    /// what was read when it was opened.
    fn head(&self) -> &[u8] {
        self.as_bytes().unwrap_or_default()
    }

    /// Fills as much of `buf` as there is, and says how much; fewer bytes than `buf.len()` only
    /// at the end of the data.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;

    /// Fills all of `buf`, or fails with `Corrupt` at the end of the data; `what` names the thing.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8], what: &str) -> Result<()> {
        let got = self.read_at(offset, buf)?;
        if got == buf.len() {
            return Ok(());
        }
        Err(Error::corrupt(format!("the data ends {} bytes early, inside {what}", buf.len() - got))
            .at_offset(offset + got as u64))
    }
}

impl Source for [u8] {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let n = buf.len().min(self.len() - start);
        buf[..n].copy_from_slice(&self[start..start + n]);
        Ok(n)
    }
}

impl Source for &[u8] {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        (**self).read_at(offset, buf)
    }
}

impl Source for Vec<u8> {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.as_slice().read_at(offset, buf)
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn len_bytes(&self) -> Option<u64> {
        (**self).len_bytes()
    }
    fn is_sequential(&self) -> bool {
        (**self).is_sequential()
    }
    fn as_bytes(&self) -> Option<&[u8]> {
        (**self).as_bytes()
    }
    fn head(&self) -> &[u8] {
        (**self).head()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        (**self).read_at(offset, buf)
    }
}

/// Where an encoder's bytes go.
pub trait Sink: Send {
    /// Calls `fill(i, buffer)` for every `i` in `0..chunks`, several at once, each with an empty
    /// buffer, and puts the buffers down in the order of `i`. Memory stays within the budget of
    /// `work` as long as single chunks do.
    fn write_chunks(&mut self, work: &Work, chunks: usize, fill: &FillChunk<'_>) -> Result<()>;

    /// Puts down one small piece, after all chunks so far.
    fn write_bytes(&mut self, work: &Work, bytes: &[u8]) -> Result<()> {
        self.write_chunks(work, 1, &|_, buffer| {
            buffer.extend_from_slice(bytes);
            Ok(())
        })
    }

    /// All bytes so far, where they lie in memory: who makes the next ones on one thread may append
    /// them without a detour.
    fn in_memory(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// Whether [`Sink::rewrite`] works: not on pipes and compressed streams.
    fn can_rewrite(&self) -> bool {
        false
    }

    /// Puts `bytes` in the place of those that start `before_end` bytes before the end of what was
    /// put down so far: for formats whose head is known last.
    fn rewrite(&mut self, before_end: u64, bytes: &[u8]) -> Result<()> {
        let _ = (before_end, bytes);
        Err(Error::argument("this output cannot be rewritten"))
    }
}

impl Sink for Vec<u8> {
    fn write_chunks(&mut self, work: &Work, chunks: usize, fill: &FillChunk<'_>) -> Result<()> {
        ordered::for_chunks(work, work.window(1 << 20), chunks, fill, |bytes| {
            self.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn in_memory(&mut self) -> Option<&mut Vec<u8>> {
        Some(self)
    }

    fn can_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&mut self, before_end: u64, bytes: &[u8]) -> Result<()> {
        let start = usize::try_from(before_end).ok().and_then(|back| self.len().checked_sub(back));
        let place = start.and_then(|start| self.get_mut(start..start + bytes.len()));
        let place = place.ok_or_else(|| Error::argument("nothing was put down there"))?;
        place.copy_from_slice(bytes);
        Ok(())
    }
}
