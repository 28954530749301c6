//! Systems that have POSIX and nothing else that Solio knows of.

pub(crate) mod uring;

use super::Residency;
use crate::order::Extent;
use crate::status::{EntryKind, Status, kind, status};
use rustix::fs::{AtFlags, FileType, OFlags};
use rustix::path::Arg;
use solio_base::{Error, Result};
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// Bytes of a path that every system takes: 1,024 with the zero byte on macOS.
pub(crate) const MOST_PATH_BYTES: usize = 1023;

/// Whether files can be read out of memory maps.
pub(crate) const HAS_MAPS: bool = false;

/// To open a folder only to go on from there.
pub(crate) const PASS: OFlags = OFlags::RDONLY;

/// There is none without a name.
pub(crate) fn unnamed_file(_: &Path) -> Option<File> {
    None
}

/// Nobody says.
pub(crate) fn name_of_open(_: &File) -> Option<PathBuf> {
    None
}

/// Nobody says.
pub(crate) fn other_mounts() -> Vec<crate::mount::Mount> {
    Vec::new()
}

/// Not done.
pub(crate) fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Gives a file another name, where nothing has that.
pub(crate) fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    super::posix::rename_by_link(from, to)
}

/// Starts a process; nothing ties it.
pub(crate) fn start_tied(mut command: Command) -> std::io::Result<Child> {
    command.spawn()
}

/// Nothing to be said.
pub(crate) fn will_read(_: &File) {}

/// Nothing to be said.
pub(crate) fn reads_in_order(_: &File) {}

/// Nothing to be asked for.
pub(crate) fn drop_from_cache(_: &File) {}

/// Not supported here.
pub(crate) fn past_the_cache(_: &File) -> Option<File> {
    None
}

/// As nobody says, it may be.
pub(crate) fn is_cached(_: &File, _: u64) -> bool {
    true
}

/// Not done.
pub(crate) fn set_direct(_: &impl AsFd, _: bool) -> bool {
    false
}

/// Nothing to be asked for.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn advise_huge(_: *mut u8, _: usize) {}

/// Not done.
pub(crate) fn keep_to_one_core() -> Result<()> {
    Err(Error::unsupported("this system does not keep processes to one core"))
}

/// Not supported here.
pub(crate) fn copy_range(
    _: &File,
    _: &mut u64,
    _: &File,
    _: &mut u64,
    _: usize,
) -> std::io::Result<Option<u64>> {
    Ok(None)
}

/// Maps could end in a signal.
pub(crate) fn read_mapped(_: &impl AsFd, _: u64, _: &mut [u8]) -> Result<bool> {
    Err(Error::unsupported("memory maps are for Linux"))
}

/// Nobody says.
pub(crate) fn folds(_: &Path) -> Option<bool> {
    None
}

/// Names, inodes and kinds of all that a folder has.
pub(crate) fn each_name(
    folder: &OwnedFd,
    _: &mut Vec<u8>,
    mut keep: impl FnMut(&CStr, u64, FileType) -> rustix::io::Result<()>,
) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        keep(entry.file_name(), entry.ino(), entry.file_type())?;
    }
    Ok(())
}

/// What the system says about a name in `folder`, and what it is.
pub(crate) fn look_at(
    folder: impl AsFd,
    name: impl Arg + Copy,
    flags: AtFlags,
) -> rustix::io::Result<(Status, EntryKind)> {
    let found = rustix::fs::statat(folder, name, flags)?;
    Ok((status(&found), kind(FileType::from_raw_mode(found.st_mode))))
}

/// Nobody says.
pub(crate) fn volume_uuid(_: BorrowedFd<'_>) -> Option<String> {
    None
}

/// Nobody says.
pub(crate) fn volume_label(_: BorrowedFd<'_>) -> Option<String> {
    None
}

/// Nobody says.
pub(crate) fn extents(_: &File, _: usize) -> std::io::Result<Vec<Extent>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// As nobody says, it may be there.
pub(crate) fn residency(_: BorrowedFd<'_>, _: u64, _: u64) -> Residency {
    Residency::Warm
}

/// Nothing asks before a read here.
pub(crate) struct HeldProcess;

impl HeldProcess {
    pub(crate) fn finish(self) -> crate::held::HeldReads {
        crate::held::HeldReads::default()
    }
}

/// Not done.
pub(crate) fn start_held(_: &mut Command, _: Option<u64>) -> std::io::Result<(Child, HeldProcess)> {
    Err(std::io::ErrorKind::Unsupported.into())
}
