//! What each system has its own call for, behind one interface: nothing else asks which system this
//! is.
//!
//! A system without such a call says so with an answer that the callers have a plain way for: no
//! unnamed file, no ring, no label.

/// How much of a range the page cache has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residency {
    /// Next to nothing.
    Cold,
    /// Some or all of it, or the system does not say.
    Warm,
}

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
pub(crate) use macos::*;

// macOS takes from it what it has no call of its own for.
#[cfg(all(unix, not(target_os = "linux")))]
#[cfg_attr(target_os = "macos", allow(dead_code))]
mod unix;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
pub(crate) use unix::*;

#[cfg(unix)]
mod posix;
#[cfg(unix)]
pub(crate) use posix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;
