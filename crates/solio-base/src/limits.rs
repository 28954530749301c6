//! Bounds on what a file may make us do.

use crate::{Error, Result};

/// Bounds that every decoder keeps. The defaults are generous: they refuse hostile files, not
/// large ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of decoded data a single file may ask for.
    pub bytes: u64,
    /// Most elements (vertices, faces, corners, objects…) of one kind.
    pub elements: u64,
    /// Most bytes in one line of text.
    pub line_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 40, elements: u32::MAX as u64 - 1, line_bytes: 1 << 28 }
    }
}

impl Limits {
    /// `Err(Limit)` when `count` of `what` passes [`Limits::elements`].
    pub fn check_elements(&self, what: &str, count: u64) -> Result<()> {
        if count <= self.elements {
            return Ok(());
        }
        Err(Error::limit(format!("{count} {what}; the limit is {}", self.elements)))
    }

    /// `Err(Limit)` when `bytes` of `what` passes [`Limits::bytes`].
    pub fn check_bytes(&self, what: &str, bytes: u64) -> Result<()> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(Error::limit(format!("{what} needs {bytes} bytes; the limit is {}", self.bytes)))
    }
}
