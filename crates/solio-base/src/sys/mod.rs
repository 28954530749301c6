//! What each system has its own call for; elsewhere nothing asks which system this is.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(all(unix, not(target_os = "linux")))]
mod other;
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use other::*;

#[cfg(unix)]
mod unix_names;
#[cfg(unix)]
pub(crate) use unix_names::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;
