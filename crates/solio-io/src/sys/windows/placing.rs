//! New files: they vanish when they are closed, until they are put in place.
//!
//! * A new file has a temporary name, and is marked to be deleted with its last handle: whatever ends the
//!   process, nothing is left of it, and nobody else can open it.
//! * Putting it in place takes the mark away and renames it by its handle. An existing file is replaced
//!   in one step (`FileRenameInfoEx` with the meaning of POSIX, Windows 10 1607), also while somebody
//!   reads it, who then goes on reading the old one. File systems that lack it (FAT, shares) get a
//!   rename that replaces, where nobody may have the old file open.

use super::files::{SHARE, create_file};
use super::wide::{units, whole};
use super::{AsFd, CWD, Errno, SysResult, owned};
use solio_base::names::OsStrBytes;
use std::ffi::{OsStr, c_void};
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use windows_sys::Win32::Foundation::{
    ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, GENERIC_READ,
    GENERIC_WRITE, HANDLE, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem as fs;

/// Flags of `FileRenameInfoEx`.
const REPLACE: u32 = 1;
const POSIX_SEMANTICS: u32 = 2;

/// A file in `folder` that is gone when it is closed.
pub(crate) fn unnamed_file(folder: &Path) -> Option<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if std::env::var_os("SOLIO_NO_TMPFILE").is_some() {
        return None;
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for _ in 0..64 {
        let seed = u64::from(std::process::id()) << 32 | COUNT.fetch_add(1, Ordering::Relaxed);
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let name = folder.join(format!(".solio-{:012x}.tmp", mixed >> 16));
        match new_file(&name) {
            Ok(file) => {
                if set_deleted(&file, true).is_err() {
                    drop(file);
                    let _ = std::fs::remove_file(&name);
                    return None;
                }
                return Some(file);
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

/// A file that did not exist.
pub(crate) fn new_file(name: &Path) -> std::io::Result<File> {
    let access = GENERIC_READ | GENERIC_WRITE | fs::DELETE;
    Ok(create_file(&whole(CWD, name.as_os_str())?, access, fs::CREATE_NEW, 0)?)
}

/// Whether a file goes away when it is closed.
fn set_deleted(file: &File, on: bool) -> SysResult<()> {
    let mark = fs::FILE_DISPOSITION_INFO { DeleteFile: on };
    let (start, bytes) = ((&raw const mark).cast::<c_void>(), size_of_val(&mark) as u32);
    let class = fs::FileDispositionInfo;
    // SAFETY: a structure of the class that is named.
    match unsafe { fs::SetFileInformationByHandle(file.as_fd().handle, class, start, bytes) } {
        0 => Err(Errno::last()),
        _ => Ok(()),
    }
}

/// Renames an open file.
fn rename(handle: HANDLE, to: &Path, class: i32, flags: u32) -> SysResult<()> {
    let name = units(&whole(CWD, to.as_os_str())?)?;
    let bytes = size_of::<fs::FILE_RENAME_INFO>() + 2 * name.len();
    // In words of 8 bytes, so that the structure is aligned.
    let mut memory = vec![0u64; bytes.div_ceil(8)];
    let info = memory.as_mut_ptr().cast::<fs::FILE_RENAME_INFO>();
    // SAFETY: the memory is aligned and has room for the structure and all of the name behind it; the
    // call reads no more than that.
    let renamed = unsafe {
        (*info).Anonymous.Flags = flags;
        (*info).FileNameLength = 2 * (name.len() as u32 - 1);
        let place = (&raw mut (*info).FileName).cast::<u16>();
        place.copy_from_nonoverlapping(name.as_ptr(), name.len());
        fs::SetFileInformationByHandle(handle, class, info.cast::<c_void>(), bytes as u32)
    };
    if renamed == 0 { Err(Errno::last()) } else { Ok(()) }
}

/// Gives a file of [`unnamed_file`] a name that does not exist.
pub(crate) fn name_file(file: &File, name: &Path) -> std::io::Result<()> {
    placed(file, || rename(file.as_fd().handle, name, fs::FileRenameInfo, 0))
}

/// Gives a file of [`unnamed_file`] the name of another, which goes.
pub(crate) fn name_over(file: &File, name: &Path) -> Option<std::io::Result<()>> {
    let handle = file.as_fd().handle;
    let done = placed(file, || {
        let at_once = rename(handle, name, fs::FileRenameInfoEx, REPLACE | POSIX_SEMANTICS);
        let lacks = [ERROR_INVALID_PARAMETER, ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED];
        match at_once {
            Err(e) if lacks.contains(&(e.raw_os_error() as u32)) => {
                rename(handle, name, fs::FileRenameInfo, REPLACE)
            }
            ended => ended,
        }
    });
    Some(done)
}

/// Takes the mark away for good, if `rename` goes well.
fn placed(file: &File, rename: impl FnOnce() -> SysResult<()>) -> std::io::Result<()> {
    set_deleted(file, false)?;
    let renamed = rename();
    if renamed.is_err() {
        let _ = set_deleted(file, true);
    }
    Ok(renamed?)
}

/// Gives a file another name, where nothing has that.
pub(crate) fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let file = create_file(&whole(CWD, from.as_os_str())?, fs::DELETE, fs::OPEN_EXISTING, 0)?;
    Ok(rename(file.as_fd().handle, to, fs::FileRenameInfo, 0)?)
}

/// Two names cannot be exchanged.
pub(crate) fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Whether a file that exists may be written to.
pub(crate) fn may_write(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path)?.permissions().readonly() {
        true => Err(Errno::ACCESS.into()),
        false => Ok(()),
    }
}

/// New files have the rights that their folder hands down.
pub(crate) fn keep_owner(_: &File, _: &Metadata) {}

/// The file system logs names by itself.
pub(crate) fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The same file, opened to go past the cache.
pub(crate) fn past_the_cache(file: &File) -> Option<File> {
    let access = GENERIC_READ | GENERIC_WRITE;
    let how = fs::FILE_FLAG_NO_BUFFERING;
    // SAFETY: the handle is open.
    let handle = unsafe { fs::ReOpenFile(file.as_fd().handle, access, SHARE, how) };
    // SAFETY: just opened, and nobody else's.
    (handle != INVALID_HANDLE_VALUE).then(|| unsafe { owned(handle) })
}

/// Removes a file whose name was kept as bytes.
pub(crate) fn remove_name(name: &std::ffi::CStr) {
    let _ = std::fs::remove_file(PathBuf::from(OsStr::from_bytes(name.to_bytes())));
}
