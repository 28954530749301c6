//! The kernel's figures about this process and this machine; nothing else asks which system this is.
//!
//! Whatever a system does not have is left out.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;

/// What the process has moved, by the kernel's account; bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ProcessIo {
    /// Through `read` and its like, from the page cache or not.
    pub(crate) read_calls: f64,
    pub(crate) write_calls: f64,
    /// From and to the medium.
    pub(crate) read_medium: f64,
    pub(crate) write_medium: f64,
}

/// A small file of the kernel's, as text.
#[allow(clippy::disallowed_methods)]
pub(crate) fn small_text(path: &std::path::Path) -> Option<String> {
    String::from_utf8(std::fs::read(path).ok()?).ok()
}
