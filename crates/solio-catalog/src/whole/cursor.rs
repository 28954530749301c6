//! A place in a file that moves forward, with a window of bytes that have been read.

use solio_base::{Error, Result, Source};

/// Bytes read at once; as many as are read when a file is opened.
const WINDOW: usize = 4096;
/// While everything is looked at.
const WIDE: usize = 64 << 10;

pub(super) struct Cursor<'s> {
    source: &'s dyn Source,
    /// The length of the file.
    pub(super) len: u64,
    at: u64,
    window: Vec<u8>,
    window_at: u64,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s dyn Source, len: u64) -> Cursor<'s> {
        Cursor { source, len, at: 0, window: Vec::new(), window_at: 0 }
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Moves to a place that has been checked, or where the next read will be.
    pub(super) fn go(&mut self, at: u64) {
        self.at = at;
    }

    pub(super) fn rest(&self) -> u64 {
        self.len.saturating_sub(self.at)
    }

    /// The error of a file that ends within `what`, which ends at `end`.
    pub(super) fn cut(&self, end: u64, what: &str) -> Error {
        let early = end.saturating_sub(self.len);
        let bytes = if early == 1 { "1 byte" } else { &format!("{early} bytes") };
        Error::corrupt(format!("the file ends {bytes} early, inside {what}")).at_offset(self.len)
    }

    /// Fails where the file ends before `end`.
    pub(super) fn reach(&self, end: u64, what: &str) -> Result<()> {
        if end > self.len { Err(self.cut(end, what)) } else { Ok(()) }
    }

    /// Passes over bytes of `what`.
    pub(super) fn skip(&mut self, bytes: u64, what: &str) -> Result<()> {
        let end = self.at.saturating_add(bytes);
        self.reach(end, what)?;
        self.at = end;
        Ok(())
    }

    /// The next bytes of `what`.
    pub(super) fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    /// [`Cursor::take`] into `to`.
    pub(super) fn fill(&mut self, to: &mut [u8], what: &str) -> Result<()> {
        let end = self.at.saturating_add(to.len() as u64);
        self.reach(end, what)?;
        if to.len() > WINDOW {
            self.source.read_exact_at(self.at, to, what)?;
        } else {
            self.load(to.len(), WINDOW)?;
            let start = (self.at - self.window_at) as usize;
            let from = self.window.get(start..start + to.len());
            to.copy_from_slice(from.ok_or_else(|| self.cut(end, what))?);
        }
        self.at = end;
        Ok(())
    }

    /// What comes next, as far as it is read at once; empty at the end of the file.
    pub(super) fn next_part(&mut self) -> Result<&[u8]> {
        self.load(1, WIDE)?;
        let start = self.at.saturating_sub(self.window_at) as usize;
        Ok(self.window.get(start..).unwrap_or_default())
    }

    /// The last bytes of the file.
    pub(super) fn tail<const N: usize>(&self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        if let Some(at) = self.len.checked_sub(N as u64) {
            self.source.read_exact_at(at, &mut bytes, "the end")?;
        }
        Ok(bytes)
    }

    /// Sees that the next `bytes` are in the window, where the file has them.
    fn load(&mut self, bytes: usize, window: usize) -> Result<()> {
        let have = self.window_at..self.window_at + self.window.len() as u64;
        if have.contains(&self.at) && self.at + bytes as u64 <= have.end {
            return Ok(());
        }
        self.window.resize(window, 0);
        let got = self.source.read_at(self.at, &mut self.window)?;
        self.window.truncate(got);
        self.window_at = self.at;
        Ok(())
    }
}

pub(super) fn be16(bytes: [u8; 2]) -> u64 {
    u16::from_be_bytes(bytes).into()
}

pub(super) fn be32(bytes: [u8; 4]) -> u64 {
    u32::from_be_bytes(bytes).into()
}

pub(super) fn le32(bytes: [u8; 4]) -> u64 {
    u32::from_le_bytes(bytes).into()
}
