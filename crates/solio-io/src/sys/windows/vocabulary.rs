//! The words of POSIX that the crate uses, as Windows has them.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::ops::{BitOr, BitOrAssign};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::path::{Path, PathBuf};
use windows_sys::Win32::Foundation as codes;

/// A number of the system's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(i32);

/// What calls of the system answer.
pub(crate) type SysResult<T> = Result<T, Errno>;

impl Errno {
    pub(crate) const ACCESS: Errno = Errno(codes::ERROR_ACCESS_DENIED as i32);
    pub(crate) const FBIG: Errno = Errno(codes::ERROR_FILE_TOO_LARGE as i32);
    pub(crate) const INTR: Errno = Errno(10_004); // WSAEINTR, which no call on files gives
    pub(crate) const INVAL: Errno = Errno(codes::ERROR_INVALID_PARAMETER as i32);
    pub(crate) const LOOP: Errno = Errno(codes::ERROR_CANT_RESOLVE_FILENAME as i32);
    pub(crate) const MFILE: Errno = Errno(codes::ERROR_TOO_MANY_OPEN_FILES as i32);
    pub(crate) const NAMETOOLONG: Errno = Errno(codes::ERROR_FILENAME_EXCED_RANGE as i32);
    pub(crate) const NFILE: Errno = Errno(codes::ERROR_NO_SYSTEM_RESOURCES as i32);
    pub(crate) const NOSYS: Errno = Errno(codes::ERROR_CALL_NOT_IMPLEMENTED as i32);
    pub(crate) const NOTDIR: Errno = Errno(codes::ERROR_DIRECTORY as i32);
    pub(crate) const NOTTY: Errno = Errno(codes::ERROR_INVALID_FUNCTION as i32);
    pub(crate) const OPNOTSUPP: Errno = Errno(codes::ERROR_NOT_SUPPORTED as i32);

    /// That of the last call of this thread.
    pub(crate) fn last() -> Errno {
        Errno::of(&std::io::Error::last_os_error())
    }

    /// That of an error of the standard library.
    pub(crate) fn of(error: &std::io::Error) -> Errno {
        error.raw_os_error().map_or(Errno::INVAL, Errno)
    }

    /// The number.
    pub(crate) const fn raw_os_error(self) -> i32 {
        self.0
    }
}

#[cfg(test)]
impl Errno {
    pub(crate) const NOENT: Errno = Errno(codes::ERROR_FILE_NOT_FOUND as i32);
    pub(crate) const ISDIR: Errno = Errno(codes::ERROR_DIRECTORY_NOT_SUPPORTED as i32);
    pub(crate) const IO: Errno = Errno(codes::ERROR_IO_DEVICE as i32);
    pub(crate) const NOSPC: Errno = Errno(codes::ERROR_DISK_FULL as i32);
}

impl From<Errno> for std::io::Error {
    fn from(e: Errno) -> Self {
        std::io::Error::from_raw_os_error(e.0)
    }
}

/// No call here is interrupted.
pub(crate) fn retry_on_intr<T>(mut call: impl FnMut() -> SysResult<T>) -> SysResult<T> {
    call()
}

macro_rules! flags {
    ($(#[$head:meta])* $name:ident { $($flag:ident = $value:expr),* $(,)? }) => {
        $(#[$head])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(u32);

        impl $name {
            $(pub(crate) const $flag: $name = $name($value);)*

            pub(crate) const fn union(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }

            pub(crate) const fn has(self, other: $name) -> bool {
                other.0 != 0 && self.0 & other.0 == other.0
            }
        }

        impl BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                self.union(other)
            }
        }

        impl BitOrAssign for $name {
            fn bitor_assign(&mut self, other: $name) {
                *self = self.union(other);
            }
        }
    };
}

flags! {
    /// How to open; what Windows has no word for is nothing.
    OFlags {
        RDONLY = 0, CLOEXEC = 0, NONBLOCK = 0, NOCTTY = 0, DIRECTORY = 1, NOFOLLOW = 2, PATH = 4,
    }
}

flags! {
    /// How to look at a name.
    AtFlags { SYMLINK_NOFOLLOW = 1 }
}

impl AtFlags {
    pub(crate) const fn empty() -> AtFlags {
        AtFlags(0)
    }
}

/// Permissions, which new files have from their folder.
#[derive(Clone, Copy)]
pub(crate) struct Mode;

impl Mode {
    pub(crate) const fn empty() -> Mode {
        Mode
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileType {
    RegularFile,
    Directory,
    Symlink,
    Fifo,
    CharacterDevice,
    Unknown,
}

impl FileType {
    /// By the bits that POSIX has for it.
    pub(crate) fn from_raw_mode(mode: u32) -> FileType {
        match mode & 0o170_000 {
            0o100_000 => FileType::RegularFile,
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Symlink,
            0o010_000 => FileType::Fifo,
            0o020_000 => FileType::CharacterDevice,
            _ => FileType::Unknown,
        }
    }

    /// The bits of a mode.
    pub(crate) fn bits(self) -> u32 {
        match self {
            FileType::RegularFile => 0o100_000,
            FileType::Directory => 0o040_000,
            FileType::Symlink => 0o120_000,
            FileType::Fifo => 0o010_000,
            FileType::CharacterDevice => 0o020_000,
            FileType::Unknown => 0,
        }
    }

    pub(crate) fn is_file(self) -> bool {
        self == FileType::RegularFile
    }

    pub(crate) fn is_dir(self) -> bool {
        self == FileType::Directory
    }
}

/// What the system says about a file.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stat {
    pub(crate) st_dev: u64,
    pub(crate) st_ino: u64,
    pub(crate) st_nlink: u64,
    pub(crate) st_mode: u32,
    pub(crate) st_uid: u32,
    pub(crate) st_gid: u32,
    pub(crate) st_size: i64,
    pub(crate) st_blocks: i64,
    pub(crate) st_mtime: i64,
    pub(crate) st_mtime_nsec: i64,
    pub(crate) st_ctime: i64,
    pub(crate) st_ctime_nsec: i64,
    pub(crate) born_ns: i64,
}

/// The number of the volume that a file lies on.
pub(crate) fn device_of(found: &Stat) -> u64 {
    found.st_dev
}

/// A volume's serial number in two halves.
pub(crate) fn major(device: u64) -> u32 {
    (device >> 32) as u32
}

/// The lower half.
pub(crate) fn minor(device: u64) -> u32 {
    device as u32
}

/// Both halves.
pub(crate) fn makedev(major: u32, minor: u32) -> u64 {
    u64::from(major) << 32 | u64::from(minor)
}

/// A file or a folder that is open. A folder knows its path, in the form that is not changed any more
/// (`\\?\`).
#[derive(Debug)]
pub(crate) struct OwnedFd {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
}

impl OwnedFd {
    pub(crate) fn try_clone(&self) -> std::io::Result<OwnedFd> {
        Ok(OwnedFd { file: self.file.try_clone()?, path: self.path.clone() })
    }
}

impl From<OwnedFd> for File {
    fn from(file: OwnedFd) -> File {
        file.file
    }
}

/// What is open, for the time of a call; or the current folder.
#[derive(Clone, Copy)]
pub(crate) struct BorrowedFd<'a> {
    pub(crate) handle: RawHandle,
    pub(crate) path: Option<&'a Path>,
}

/// The current folder.
pub(crate) const CWD: BorrowedFd<'static> =
    BorrowedFd { handle: core::ptr::null_mut(), path: None };

/// What is open.
pub(crate) trait AsFd {
    fn as_fd(&self) -> BorrowedFd<'_>;
}

impl AsFd for OwnedFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        BorrowedFd { handle: self.file.as_raw_handle(), path: Some(&self.path) }
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        BorrowedFd { handle: self.as_raw_handle(), path: None }
    }
}

impl AsFd for BorrowedFd<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        *self
    }
}

impl<T: AsFd> AsFd for &T {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (**self).as_fd()
    }
}

/// A name to be opened.
pub(crate) trait Arg {
    fn name(&self) -> OsString;
}

impl Arg for &CStr {
    fn name(&self) -> OsString {
        use solio_base::names::OsStringBytes;
        OsString::from_vec(self.to_bytes().to_vec())
    }
}

impl Arg for &Path {
    fn name(&self) -> OsString {
        self.as_os_str().to_owned()
    }
}

impl Arg for &PathBuf {
    fn name(&self) -> OsString {
        self.as_os_str().to_owned()
    }
}

impl Arg for &OsStr {
    fn name(&self) -> OsString {
        (*self).to_owned()
    }
}

impl Arg for &[u8] {
    fn name(&self) -> OsString {
        use solio_base::names::OsStringBytes;
        OsString::from_vec(self.to_vec())
    }
}

/// A file of a handle that the system has just given.
///
/// # Safety
/// The handle is open, and nobody else's.
pub(crate) unsafe fn owned(handle: RawHandle) -> File {
    // SAFETY: the caller's word.
    File::from(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Reads and writes at places, whatever the file's own place is.
pub(crate) trait FileExt {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize>;
    fn write_at(&self, buf: &[u8], offset: u64) -> std::io::Result<usize>;

    fn read_exact_at(&self, mut buf: &mut [u8], mut offset: u64) -> std::io::Result<()> {
        while !buf.is_empty() {
            match self.read_at(buf, offset)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                got => (buf, offset) = (&mut buf[got..], offset + got as u64),
            }
        }
        Ok(())
    }

    fn write_all_at(&self, mut buf: &[u8], mut offset: u64) -> std::io::Result<()> {
        while !buf.is_empty() {
            match self.write_at(buf, offset)? {
                0 => return Err(std::io::ErrorKind::WriteZero.into()),
                put => (buf, offset) = (&buf[put..], offset + put as u64),
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        Ok(super::pread(self, buf, offset)?)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> std::io::Result<usize> {
        Ok(super::pwrite(self, buf, offset)?)
    }
}
