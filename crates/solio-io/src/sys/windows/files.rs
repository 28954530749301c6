//! Files and folders that are open, and what the system says about them.

use super::wide::{units, whole};
use super::{
    Arg, AsFd, AtFlags, BorrowedFd, Errno, FileType, Mode, OFlags, OwnedFd, Stat, SysResult,
};
use super::{CWD, owned};
use crate::status::{EntryKind, Status, kind, status};
use solio_base::names::OsStringBytes;
use std::ffi::{CString, c_void};
use std::fs::{DirEntry, File, Metadata, TryLockError};
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_HANDLE_EOF, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, GENERIC_READ,
    HANDLE, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Everybody else may do everything meanwhile: read, write, rename, remove.
pub(super) const SHARE: u32 = fs::FILE_SHARE_READ | fs::FILE_SHARE_WRITE | fs::FILE_SHARE_DELETE;

/// Most bytes of one call.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// 1601 to 1970, in steps of 100 ns.
const EPOCH: i64 = 116_444_736_000_000_000;

/// Links to places, which `read_link` follows: symbolic ones and junctions.
const LINKS: [u32; 2] = [0xa000_000c, 0xa000_0003];

/// Opens a name below a folder.
pub(crate) fn openat(
    folder: impl AsFd,
    name: impl Arg,
    flags: OFlags,
    _: Mode,
) -> SysResult<OwnedFd> {
    let path = whole(folder.as_fd(), &name.name())?;
    let access = match flags {
        flags if flags.has(OFlags::PATH) => fs::FILE_READ_ATTRIBUTES | fs::FILE_TRAVERSE,
        flags if flags.has(OFlags::DIRECTORY) => fs::FILE_LIST_DIRECTORY | fs::FILE_READ_ATTRIBUTES,
        _ => GENERIC_READ,
    };
    let how = if flags.has(OFlags::NOFOLLOW) { fs::FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
    let file = create_file(&path, access | fs::SYNCHRONIZE, fs::OPEN_EXISTING, how)?;
    let folder = flags.has(OFlags::DIRECTORY);
    if folder {
        match tagged(file.as_raw_handle())? {
            (attributes, tag) if is_link(attributes, tag) => return Err(Errno::LOOP),
            (attributes, _) if attributes & fs::FILE_ATTRIBUTE_DIRECTORY == 0 => {
                return Err(Errno::NOTDIR);
            }
            _ => {}
        }
    }
    Ok(OwnedFd { file, path: if folder { path } else { Default::default() } })
}

/// `CreateFileW`; folders can be opened, too.
pub(super) fn create_file(path: &Path, access: u32, when: u32, how: u32) -> SysResult<File> {
    let name = units(path)?;
    let how = how | fs::FILE_FLAG_BACKUP_SEMANTICS;
    // SAFETY: the name ends with a zero and lives through the call; there are no security attributes
    // and no template.
    let handle = unsafe {
        fs::CreateFileW(
            name.as_ptr(),
            access,
            SHARE,
            core::ptr::null(),
            when,
            how,
            core::ptr::null_mut(),
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(Errno::last());
    }
    // SAFETY: just opened, and nobody else's.
    Ok(unsafe { owned(handle) })
}

/// Opens what is at a path to look at it.
fn to_look_at(folder: BorrowedFd<'_>, name: impl Arg, flags: AtFlags) -> SysResult<File> {
    let how = match flags.has(AtFlags::SYMLINK_NOFOLLOW) {
        true => fs::FILE_FLAG_OPEN_REPARSE_POINT,
        false => 0,
    };
    create_file(&whole(folder, &name.name())?, fs::FILE_READ_ATTRIBUTES, fs::OPEN_EXISTING, how)
}

/// What the system says about a name in `folder`, and what it is.
pub(crate) fn look_at(
    folder: impl AsFd,
    name: impl Arg + Copy,
    flags: AtFlags,
) -> SysResult<(Status, EntryKind)> {
    let found = statat(folder, name, flags)?;
    let status = Status { born_ns: Some(found.born_ns), ..status(&found) };
    Ok((status, kind(FileType::from_raw_mode(found.st_mode))))
}

/// What the system says about a name in `folder`.
pub(crate) fn statat(folder: impl AsFd, name: impl Arg, flags: AtFlags) -> SysResult<Stat> {
    stat_of(to_look_at(folder.as_fd(), name, flags)?.as_raw_handle())
}

/// What the system says about a path; links are followed.
pub(crate) fn stat(path: impl Arg) -> SysResult<Stat> {
    statat(CWD, path, AtFlags::empty())
}

/// What the system says about what is open.
pub(crate) fn fstat(file: impl AsFd) -> SysResult<Stat> {
    stat_of(file.as_fd().handle)
}

/// What the system says about a file that is open.
pub(crate) fn status_of_open(file: &File, found: &Metadata) -> Status {
    match fstat(file) {
        Ok(stat) => status(&stat),
        // A pipe has nothing but what is known.
        Err(_) => Status { size: found.len(), ..Status::default() },
    }
}

/// When a file changed last, and its mode.
pub(crate) fn change_and_mode(path: &Path, _: &Metadata) -> (i64, u32) {
    stat(path).map_or((0, 0), |found| (found.st_ctime, found.st_mode))
}

/// The device of what is at a path, and its inode.
pub(crate) fn identity(path: &Path, _: &Metadata) -> (u64, u64) {
    stat(path).map_or((0, 0), |found| (found.st_dev, found.st_ino))
}

/// There are no device files.
pub(crate) fn special_device(_: &Metadata) -> u64 {
    0
}

/// The inode of an entry.
pub(crate) fn inode_of_entry(entry: &DirEntry) -> Option<u64> {
    stat(&entry.path()).ok().map(|found| found.st_ino)
}

/// Names that lead to an open file.
pub(crate) fn links(file: &File, _: &Metadata) -> u64 {
    fstat(file).map_or(0, |found| found.st_nlink)
}

/// A question to `GetFileInformationByHandleEx` whose answer has a fixed size.
fn ask<T: Default>(handle: HANDLE, class: i32) -> SysResult<T> {
    let mut answer = T::default();
    let (start, bytes) = ((&raw mut answer).cast::<c_void>(), size_of::<T>() as u32);
    // SAFETY: callers name the class whose structure `T` is: plain numbers, filled in place.
    match unsafe { fs::GetFileInformationByHandleEx(handle, class, start, bytes) } {
        0 => Err(Errno::last()),
        _ => Ok(answer),
    }
}

/// Attributes, and the tag of what is more than a file.
fn tagged(handle: HANDLE) -> SysResult<(u32, u32)> {
    let found: fs::FILE_BASIC_INFO = ask(handle, fs::FileBasicInfo)?;
    let mut tag = 0;
    if found.FileAttributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        let told: SysResult<fs::FILE_ATTRIBUTE_TAG_INFO> = ask(handle, fs::FileAttributeTagInfo);
        tag = told.map_or(0, |told| told.ReparseTag);
    }
    Ok((found.FileAttributes, tag))
}

fn is_link(attributes: u32, tag: u32) -> bool {
    attributes & fs::FILE_ATTRIBUTE_REPARSE_POINT != 0 && LINKS.contains(&tag)
}

/// What attributes and tag say that something is. Files that a cloud or a filter holds are files.
pub(super) fn file_type(attributes: u32, tag: u32) -> FileType {
    if is_link(attributes, tag) {
        FileType::Symlink
    } else if attributes & fs::FILE_ATTRIBUTE_DIRECTORY != 0 {
        FileType::Directory
    } else {
        FileType::RegularFile
    }
}

/// One number for a file's 128 bits: where the upper 64 are zeros, as on NTFS, the lower ones.
pub(super) fn folded(id: &[u8; 16]) -> u64 {
    let half = |at: usize| u64::from_le_bytes(id[at..at + 8].try_into().expect("eight bytes"));
    half(0) ^ half(8).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Volume and file.
pub(super) fn identity_of(handle: HANDLE) -> SysResult<(u64, u64)> {
    let told: SysResult<fs::FILE_ID_INFO> = ask(handle, fs::FileIdInfo);
    if let Ok(told) = told {
        return Ok((told.VolumeSerialNumber, folded(&told.FileId.Identifier)));
    }
    let mut found = fs::BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the structure is there to be filled.
    if unsafe { fs::GetFileInformationByHandle(handle, &mut found) } == 0 {
        return Err(Errno::last());
    }
    let file = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), file))
}

fn stat_of(handle: HANDLE) -> SysResult<Stat> {
    // SAFETY: the handle is open.
    match unsafe { fs::GetFileType(handle) } {
        fs::FILE_TYPE_DISK => {}
        other => {
            let of = match other {
                fs::FILE_TYPE_PIPE => FileType::Fifo,
                _ => FileType::CharacterDevice,
            };
            return Ok(Stat { st_mode: of.bits() | 0o666, st_nlink: 1, ..Stat::default() });
        }
    }
    let basic: fs::FILE_BASIC_INFO = ask(handle, fs::FileBasicInfo)?;
    let standard: fs::FILE_STANDARD_INFO = ask(handle, fs::FileStandardInfo)?;
    let (st_dev, st_ino) = identity_of(handle)?;
    let (attributes, tag) = tagged(handle)?;
    let of = file_type(attributes, tag);
    let rights = match (of, basic.FileAttributes & fs::FILE_ATTRIBUTE_READONLY != 0) {
        (FileType::RegularFile, true) => 0o444,
        (FileType::RegularFile, false) => 0o666,
        _ => 0o777,
    };
    let (st_mtime, st_mtime_nsec) = seconds(basic.LastWriteTime);
    let (st_ctime, st_ctime_nsec) = seconds(basic.ChangeTime);
    Ok(Stat {
        st_dev,
        st_ino,
        st_nlink: standard.NumberOfLinks.into(),
        st_mode: of.bits() | rights,
        st_uid: 0,
        st_gid: 0,
        st_size: if of.is_dir() { 0 } else { standard.EndOfFile },
        st_blocks: standard.AllocationSize / 512,
        st_mtime,
        st_mtime_nsec,
        st_ctime,
        st_ctime_nsec,
        born_ns: (basic.CreationTime - EPOCH).saturating_mul(100),
    })
}

/// Seconds since 1970, and nanoseconds.
fn seconds(time: i64) -> (i64, i64) {
    let steps = time - EPOCH;
    (steps.div_euclid(10_000_000), steps.rem_euclid(10_000_000) * 100)
}

/// Where a link leads.
pub(crate) fn readlinkat(folder: impl AsFd, name: impl Arg, _: Vec<u8>) -> SysResult<CString> {
    let path = whole(folder.as_fd(), &name.name())?;
    let target = std::fs::read_link(path).map_err(|e| Errno::of(&e))?;
    CString::new(target.into_os_string().into_vec()).map_err(|_| Errno::INVAL)
}

/// The bytes of an open file.
pub(crate) fn length(file: impl AsFd) -> SysResult<u64> {
    let standard: fs::FILE_STANDARD_INFO = ask(file.as_fd().handle, fs::FileStandardInfo)?;
    if standard.Directory {
        return Err(Errno::INVAL);
    }
    Ok(standard.EndOfFile as u64)
}

/// An offset as calls take it.
pub(super) fn at(offset: u64) -> OVERLAPPED {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = offset as u32;
    place.Anonymous.Anonymous.OffsetHigh = (offset >> 32) as u32;
    place
}

/// Reads at a place; nothing behind the end.
pub(crate) fn pread(file: impl AsFd, buf: &mut [u8], offset: u64) -> SysResult<usize> {
    let (mut place, mut got) = (at(offset), 0);
    let bytes = buf.len().min(MOST_BYTES) as u32;
    // SAFETY: the buffer has so many bytes; the file was not opened for overlapped calls, so the system
    // is done with buffer and place when it returns.
    let read =
        unsafe { fs::ReadFile(file.as_fd().handle, buf.as_mut_ptr(), bytes, &mut got, &mut place) };
    if read != 0 {
        return Ok(got as usize);
    }
    match Errno::last() {
        e if e.raw_os_error() == ERROR_HANDLE_EOF as i32 => Ok(0),
        e if e.raw_os_error() == ERROR_BROKEN_PIPE as i32 => Ok(0),
        e => Err(e),
    }
}

/// Writes at a place.
pub(crate) fn pwrite(file: impl AsFd, buf: &[u8], offset: u64) -> SysResult<usize> {
    let (mut place, mut put) = (at(offset), 0);
    let bytes = buf.len().min(MOST_BYTES) as u32;
    // SAFETY: as for reading.
    let written =
        unsafe { fs::WriteFile(file.as_fd().handle, buf.as_ptr(), bytes, &mut put, &mut place) };
    if written == 0 { Err(Errno::last()) } else { Ok(put as usize) }
}

/// The byte that stands for a file's lock: what is locked here nobody else can read or write, so it is one
/// that no file has. The standard library would lock all of them.
const LOCKED_BYTE: u64 = i64::MAX as u64 - 1;

/// Takes the lock of an open file, if nobody has it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    let mut place = at(LOCKED_BYTE);
    let how = fs::LOCKFILE_EXCLUSIVE_LOCK | fs::LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and was not opened for overlapped calls.
    if unsafe { fs::LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &mut place) } != 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    match error.raw_os_error().map(|code| code as u32) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Err(TryLockError::WouldBlock),
        _ => Err(TryLockError::Error(error)),
    }
}

/// Gives it back.
pub(crate) fn unlock(file: &File) -> std::io::Result<()> {
    let mut place = at(LOCKED_BYTE);
    // SAFETY: as above.
    match unsafe { fs::UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &mut place) } {
        0 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Whether a folder says that names in it that differ in case are two.
pub(super) fn is_case_sensitive(folder: &Path) -> Option<bool> {
    let folder = to_look_at(CWD, folder, AtFlags::empty()).ok()?;
    let told: SysResult<fs::FILE_CASE_SENSITIVE_INFO> =
        ask(folder.as_raw_handle(), fs::FileCaseSensitiveInfo);
    // Old systems do not know the question: there names are one.
    Some(told.is_ok_and(|told| told.Flags & 1 != 0))
}

/// Permissions of a file are those of its folder here.
#[allow(clippy::unnecessary_wraps)] // elsewhere it can fail
pub(crate) fn set_mode(_: &File, _: u32) -> std::io::Result<()> {
    Ok(())
}
