//! What all systems with POSIX have: the calls of the crate `rustix`, and what is made of them.
//!
//! The names here are the vocabulary of the crate: Windows has its own of the same names.

mod signals;

pub(crate) use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, stat, statat,
};
pub(crate) use rustix::io::{Errno, Result as SysResult, pread, pwrite, retry_on_intr};
pub(crate) use signals::{EndSignal, catch_abort, catch_signals, end_by, remove_name};
pub(crate) use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
pub(crate) use std::os::unix::fs::FileExt;

use crate::status::{Status, nanoseconds};
use core::ptr::NonNull;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use solio_base::{Error, Result};
use std::fs::{DirEntry, File, Metadata};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The number of the device that a file lies on.
#[allow(clippy::unnecessary_cast)] // the type differs by system
pub(crate) fn device_of(found: &Stat) -> u64 {
    found.st_dev as u64
}

/// The first number of a device.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn major(device: u64) -> u32 {
    rustix::fs::major(device as rustix::fs::Dev)
}

/// The second number of a device.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn minor(device: u64) -> u32 {
    rustix::fs::minor(device as rustix::fs::Dev)
}

/// The number of a device of these numbers.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn makedev(major: u32, minor: u32) -> u64 {
    rustix::fs::makedev(major, minor) as u64
}

/// Takes the lock of an open file, if nobody has it.
pub(crate) fn try_lock(file: &File) -> std::result::Result<(), std::fs::TryLockError> {
    file.try_lock()
}

/// Gives it back.
pub(crate) fn unlock(file: &File) -> std::io::Result<()> {
    file.unlock()
}

/// Terminals do.
pub(crate) fn takes_escapes(_: crate::terminal::Printed) -> bool {
    true
}

/// Whether `/proc` and `/sys` may be asked: whatever they lack is an answer.
pub(crate) const HAS_KERNEL_FILES: bool = true;

/// Where the folder of a path ends, if opening the file from there saves looking the folder up.
#[inline]
pub(crate) fn folder_end(path: &[u8]) -> Option<usize> {
    path.iter().rposition(|b| *b == b'/').filter(|cut| *cut > 0)
}

/// The bytes of an open file.
#[inline]
pub(crate) fn length(file: impl AsFd) -> SysResult<u64> {
    rustix::fs::seek(file, rustix::fs::SeekFrom::End(0))
}

/// What the system says about a file that is open.
pub(crate) fn status_of_open(_: &File, found: &Metadata) -> Status {
    let modified_ns = found.mtime().saturating_mul(1_000_000_000);
    Status {
        size: found.len(),
        modified_ns: modified_ns.saturating_add(found.mtime_nsec()),
        born_ns: None, // whom it concerns looks by name
        inode: found.ino(),
        device: found.dev(),
        links: found.nlink(),
        changed_ns: Some(nanoseconds(found.ctime(), found.ctime_nsec())),
        blocks: found.blocks(),
        mode: found.mode(),
        owner: found.uid(),
        group: found.gid(),
    }
}

/// When a file changed last, and its mode.
pub(crate) fn change_and_mode(_: &Path, found: &Metadata) -> (i64, u32) {
    (found.ctime(), found.mode())
}

/// The device of what is at a path, and its inode.
pub(crate) fn identity(_: &Path, found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// The device that a special file stands for; 0 of others.
pub(crate) fn special_device(found: &Metadata) -> u64 {
    found.rdev()
}

/// The inode of an entry.
pub(crate) fn inode_of_entry(entry: &DirEntry) -> Option<u64> {
    Some(entry.ino())
}

/// Names that lead to an open file.
pub(crate) fn links(_: &File, found: &Metadata) -> u64 {
    found.nlink()
}

/// Whether a file that exists may be written to.
pub(crate) fn may_write(path: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

/// Any name is fine that the system takes.
#[inline]
pub(crate) fn check_new_name(_: &Path) -> Result<()> {
    Ok(())
}

/// A file that did not exist.
pub(crate) fn new_file(name: &Path) -> std::io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(File::from(openat(CWD, name, flags, Mode::from_raw_mode(0o666))?))
}

/// Gives a file the owner and the permissions of the one that it is to replace.
pub(crate) fn keep_owner(file: &File, old: &Metadata) {
    // The owner first: a change of owner clears the set-user-ID bits. Only root may
    // change it; for others the new file belongs to whoever writes it.
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    let _ = file.set_permissions(old.permissions());
}

/// Gives a file of [`unnamed_file`](super::unnamed_file) a name that does not exist.
pub(crate) fn name_file(file: &File, name: &Path) -> std::io::Result<()> {
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, unnamed, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Gives a file of [`unnamed_file`](super::unnamed_file) the name of another in one call; there is none.
pub(crate) fn name_over(_: &File, _: &Path) -> Option<std::io::Result<()>> {
    None
}

/// Waits until the medium has the names of a folder.
#[allow(clippy::disallowed_methods)]
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all())
}

/// Nothing more to be said than the system does.
pub(crate) fn hint(_: &std::io::Error) -> Option<&'static str> {
    None
}

/// The name of this machine and the release of its system.
pub(crate) fn machine_and_release() -> (String, String) {
    let names = rustix::system::uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    (text(names.nodename()), text(names.release()))
}

/// What `/proc/self/mountinfo` says, where there is one.
pub(crate) fn mount_table() -> SysResult<Vec<u8>> {
    #[allow(clippy::disallowed_methods)] // no file of a user
    match std::fs::read("/proc/self/mountinfo") {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|e| e.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)),
    }
}

/// The number of the file system that an open folder lies on.
pub(crate) fn file_system_number(folder: impl AsFd) -> SysResult<u64> {
    Ok(rustix::fs::fstatvfs(folder)?.f_fsid)
}

/// Asked of the kernel's files instead.
pub(crate) fn medium(_: u64) -> Option<crate::order::Medium> {
    None
}

/// Descriptors that this process may still open.
pub(crate) fn free_descriptors() -> usize {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let most = most.map_or(65_536, |n| n.min(65_536) as usize);
    let used = std::fs::read_dir("/proc/self/fd").map_or(16, |entries| entries.count());
    most.saturating_sub(used)
}

/// `bytes` of zeros (a multiple of `align`, which is one of pages), aligned to `align`.
pub(crate) fn map_zeros(bytes: usize, align: usize) -> Result<NonNull<u8>> {
    let failed = |e: Errno| Error::io("get memory", e.into());
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice.
    let all = unsafe {
        mmap_anonymous(
            core::ptr::null_mut(),
            bytes + align,
            ProtFlags::READ | ProtFlags::WRITE,
            flags,
        )
    };
    let all = all.map_err(failed)?.cast::<u8>();
    let before = all.align_offset(align);
    // SAFETY: the mapping is `align` longer than asked for, so the aligned part lies inside; the
    // ends that are cut off, at page boundaries, are used by nobody.
    unsafe {
        let start = all.add(before);
        if before > 0 {
            let _ = munmap(all.cast(), before);
        }
        if before < align {
            let _ = munmap(start.add(bytes).cast(), align - before);
        }
        super::advise_huge(start, bytes);
        Ok(NonNull::new_unchecked(start))
    }
}

/// Gives memory back.
///
/// # Safety
/// It came from [`map_zeros`] with these numbers, and nobody uses it any more.
pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize, _align: usize) {
    // SAFETY: a mapping of `map_zeros`, whole.
    let _ = unsafe { munmap(start.as_ptr().cast(), bytes) };
}

/// Whether the system has control groups.
pub(crate) fn check_groups() -> Result<()> {
    Ok(())
}

/// Starts `command` as a member of the control group whose file of members is named.
pub(crate) fn start_in_group(command: &mut Command, members: PathBuf) -> std::io::Result<Child> {
    use std::os::unix::process::CommandExt;
    let members = std::ffi::CString::new(members.into_os_string().into_encoded_bytes())?;
    // SAFETY: between fork and exec the closure makes system calls, which are safe there, and
    // neither allocates nor takes a lock; an error becomes a number without allocating.
    unsafe {
        command.pre_exec(move || {
            let file = rustix::fs::open(&*members, OFlags::WRONLY, Mode::empty())?;
            rustix::io::write(&file, b"0")?;
            Ok(())
        });
    }
    command.spawn()
}

/// Has the system write everything to its media.
pub(crate) fn write_all_back() {
    rustix::fs::sync();
}

/// Waits until a child has ended, and leaves what is known of it; then the bytes that it has read from
/// files and from a medium.
pub(crate) fn wait_for_counts(child: &mut Child) -> std::io::Result<Option<(u64, u64)>> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let pid = Pid::from_child(child);
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
            Ok(_) => break,
        }
    }
    let text = std::fs::read_to_string(format!("/proc/{}/io", child.id())).ok();
    Ok(text.and_then(|text| {
        let field = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        };
        Some((field("rchar:")?, field("read_bytes:")?))
    }))
}

/// A symbolic link at `link` that leads to `target`.
pub(crate) fn symlink(target: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Appends a number as `printf` writes it; whether there is one.
pub(crate) fn printf(out: &mut Vec<u8>, form: char, digits: u8, value: f64) -> bool {
    let form = match form {
        'f' => c"%.*f",
        'g' => c"%.*g",
        _ => return false,
    };
    // A sign, 309 digits, the point, those behind it and the zero byte.
    let mut text = [0u8; 640];
    let (room, digits) = (text.len(), std::ffi::c_int::from(digits));
    // SAFETY: the buffer has the room that is given, and the arguments are those of the form.
    let length =
        unsafe { libc::snprintf(text.as_mut_ptr().cast(), room, form.as_ptr(), digits, value) };
    let Some(text) = usize::try_from(length).ok().and_then(|length| text.get(..length)) else {
        return false;
    };
    out.extend_from_slice(text);
    true
}

/// Gives a file another name, where nothing has that, by a further name that becomes the only one; where
/// there are no links (FAT), by renaming after a look.
pub(crate) fn rename_by_link(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(e) if [ErrorKind::PermissionDenied, ErrorKind::Unsupported].contains(&e.kind()) => {
            match std::fs::symlink_metadata(to) {
                Err(e) if e.kind() == ErrorKind::NotFound => std::fs::rename(from, to),
                Err(e) => Err(e),
                Ok(_) => Err(ErrorKind::AlreadyExists.into()),
            }
        }
        Err(e) => Err(e),
    }
}

/// Gives a file these permissions.
pub(crate) fn set_mode(file: &File, mode: u32) -> std::io::Result<()> {
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode((mode & 0o7777) as _))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::write_plain;

    #[test]
    fn names_move_where_a_file_system_has_no_call_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        write_plain(&a, b"one").unwrap();
        write_plain(&c, b"two").unwrap();
        rename_by_link(&a, &b).unwrap();
        assert!(b.exists() && !a.exists());
        assert_eq!(rename_by_link(&b, &c).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(b.exists());
    }
}
