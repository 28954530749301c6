//! What each system has its own call for; elsewhere nothing asks which system this is.

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
mod unix_names;
#[cfg(unix)]
pub(crate) use unix_names::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;
