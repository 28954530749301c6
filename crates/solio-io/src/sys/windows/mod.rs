//! Windows: the names of POSIX that the crate speaks, made of the calls of Win32.
//!
//! * [`files`] opens, reads and looks at files; a folder that is open remembers its path, below which
//!   names are opened.
//! * [`wide`] is about names: those that the system takes, up to 32,767 units of 16 bits, and those that
//!   it would change in silence.
//! * [`listing`] reads folders.
//! * [`placing`] puts new files in place.
//! * [`volumes`] knows disks and file systems.
//! * [`console`] has the consoles understand escapes.

mod console;
mod files;
mod listing;
mod placing;
mod process;
pub(crate) mod uring;
mod vocabulary;
mod volumes;
mod wide;

pub(crate) use console::takes_escapes;
use files::is_case_sensitive;
pub(crate) use files::*;
pub(crate) use listing::each_name;
pub(crate) use placing::*;
pub(crate) use process::*;
pub(crate) use vocabulary::*;
pub(crate) use volumes::*;
pub(crate) use wide::check_new_name;

use super::Residency;
use core::ptr::NonNull;
use solio_base::{Error, ErrorKind, Result};
use std::alloc::Layout;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Paths are not cut: the system takes whole ones, of 32,767 units.
pub(crate) const MOST_PATH_BYTES: usize = isize::MAX as usize;

/// Whether files can be read out of memory maps.
pub(crate) const HAS_MAPS: bool = false;

/// To open a folder only to go on from there.
pub(crate) const PASS: OFlags = OFlags::PATH;

/// There is neither `/proc` nor `/sys`; what lies there on a drive is somebody's.
pub(crate) const HAS_KERNEL_FILES: bool = false;

/// Opening a file from its folder on saves nothing here.
pub(crate) fn folder_end(_: &[u8]) -> Option<usize> {
    None
}

/// There is none.
pub(crate) fn name_of_open(_: &File) -> Option<PathBuf> {
    None
}

/// The system reads ahead by itself.
pub(crate) fn will_read(_: &File) {}

/// As above.
pub(crate) fn reads_in_order(_: &File) {}

/// Nothing to be asked for.
pub(crate) fn drop_from_cache(_: &File) {}

/// As nobody says, it may be.
pub(crate) fn is_cached(_: &File, _: u64) -> bool {
    true
}

/// As nobody says, it may be there.
pub(crate) fn residency(_: BorrowedFd<'_>, _: u64, _: u64) -> Residency {
    Residency::Warm
}

/// A file that is open through the cache stays so.
pub(crate) fn set_direct<T: AsFd>(_: &T, _: bool) -> bool {
    false
}

/// Not by one call.
pub(crate) fn copy_range(
    _: &File,
    _: &mut u64,
    _: &File,
    _: &mut u64,
    _: usize,
) -> std::io::Result<Option<u64>> {
    Ok(None)
}

/// A file that is mapped cannot be made shorter, by nobody.
pub(crate) fn read_mapped<T: AsFd>(_: &T, _: u64, _: &mut [u8]) -> Result<bool> {
    Err(Error::unsupported("memory maps are for Linux"))
}

/// What the system's words do not say.
pub(crate) fn hint(error: &std::io::Error) -> Option<&'static str> {
    use windows_sys::Win32::Foundation::{
        ERROR_ACCESS_DENIED, ERROR_LOCK_VIOLATION, ERROR_PRIVILEGE_NOT_HELD,
        ERROR_SHARING_VIOLATION, ERROR_USER_MAPPED_FILE,
    };
    match error.raw_os_error()? as u32 {
        ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION | ERROR_USER_MAPPED_FILE => {
            Some("another program holds this file; close it there")
        }
        ERROR_ACCESS_DENIED => Some("another program may hold it, or it is not yours to change"),
        ERROR_PRIVILEGE_NOT_HELD => Some("symbolic links need Windows' developer mode"),
        _ => None,
    }
}

/// As many as memory allows.
pub(crate) fn free_descriptors() -> usize {
    65_536
}

fn layout(bytes: usize, align: usize) -> Result<Layout> {
    let layout = Layout::from_size_align(bytes, align);
    layout.map_err(|_| Error::new(ErrorKind::Limit, "no memory is as large as this"))
}

/// `bytes` of zeros, aligned to `align`.
pub(crate) fn map_zeros(bytes: usize, align: usize) -> Result<NonNull<u8>> {
    let layout = layout(bytes, align)?;
    // SAFETY: the layout has a size: callers ask for some bytes.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    let none = || Error::io("get memory", std::io::ErrorKind::OutOfMemory.into());
    NonNull::new(start).ok_or_else(none)
}

/// Gives memory back.
///
/// # Safety
/// It came from [`map_zeros`] with these numbers, and nobody uses it any more.
pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize, align: usize) {
    if let Ok(layout) = layout(bytes, align) {
        // SAFETY: made with this layout.
        unsafe { std::alloc::dealloc(start.as_ptr(), layout) };
    }
}

/// Whether names that differ in case are one in a folder: nearly everywhere. A folder may say
/// otherwise (`fsutil file setCaseSensitiveInfo`).
pub(crate) fn folds(folder: &Path) -> Option<bool> {
    is_case_sensitive(folder).map(|is_sensitive| !is_sensitive)
}

/// A symbolic link at `link` that leads to `target`. Systems that imitate Windows say that they made one
/// and did not.
pub(crate) fn symlink(target: &Path, link: &Path) -> std::io::Result<()> {
    use std::os::windows::fs::{symlink_dir, symlink_file};
    let above = link.parent().unwrap_or(Path::new(""));
    match above.join(target).is_dir() {
        true => symlink_dir(target, link)?,
        false => symlink_file(target, link)?,
    }
    match std::fs::symlink_metadata(link).is_ok_and(|made| made.is_symlink()) {
        true => Ok(()),
        false => Err(std::io::ErrorKind::Unsupported.into()),
    }
}
