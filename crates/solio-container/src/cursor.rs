//! A place in a view that moves forward; what is missing is an error that names it.

use crate::ByteView;
use solio_base::{Error, Result};

#[derive(Clone, Copy)]
pub(crate) struct ViewCursor<'a> {
    pub(crate) view: ByteView<'a>,
    pub(crate) at: u64,
}

impl<'a> ViewCursor<'a> {
    pub(crate) fn new(view: ByteView<'a>, at: u64) -> Self {
        ViewCursor { view, at }
    }

    /// How many bytes follow.
    pub(crate) fn rest(&self) -> u64 {
        self.view.len().saturating_sub(self.at)
    }

    /// Passes over bytes of `what`.
    pub(crate) fn skip(&mut self, bytes: u64, what: &str) -> Result<()> {
        let end = self.at.saturating_add(bytes);
        self.view.reach(end, what)?;
        self.at = end;
        Ok(())
    }

    /// The next bytes of `what`.
    pub(crate) fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let bytes = self.view.take(self.at, what)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(crate) fn be16(&mut self, what: &str) -> Result<u64> {
        self.take(what).map(|bytes| u16::from_be_bytes(bytes).into())
    }

    pub(crate) fn be32(&mut self, what: &str) -> Result<u64> {
        self.take(what).map(|bytes| u32::from_be_bytes(bytes).into())
    }

    pub(crate) fn le32(&mut self, what: &str) -> Result<u64> {
        self.take(what).map(|bytes| u32::from_le_bytes(bytes).into())
    }
}

/// The error of a structure that is damaged at `at`.
pub(crate) fn damaged(message: impl Into<String>, at: u64) -> Error {
    Error::corrupt(message).at_offset(at)
}
