//! Folders, read in large pieces, with what each entry is.

use super::files::{file_type, folded};
use super::{AsFd, Errno, FileType, OwnedFd, SysResult};
use solio_base::names::OsStringBytes;
use std::ffi::{CStr, CString, OsString, c_void};
use std::os::windows::ffi::OsStringExt;
use windows_sys::Win32::Foundation::{ERROR_NO_MORE_FILES, HANDLE};
use windows_sys::Win32::Storage::FileSystem as fs;

const BUFFER_BYTES: usize = 64 << 10;

/// Names, inodes and kinds of all that a folder has.
pub(crate) fn each_name(
    folder: &OwnedFd,
    buffer: &mut Vec<u8>,
    mut keep: impl FnMut(&CStr, u64, FileType) -> SysResult<()>,
) -> SysResult<()> {
    let handle = folder.as_fd().handle;
    // Entries are aligned to 8 bytes, if the buffer is.
    buffer.resize(BUFFER_BYTES + 8, 0);
    let start = buffer.as_ptr().align_offset(8);
    let buffer = &mut buffer[start..start + BUFFER_BYTES];
    // Numbers of 128 bits where the file system has them; old ones know those of 64.
    let first = fill(handle, fs::FileIdExtdDirectoryRestartInfo, buffer);
    let is_long = first.is_ok();
    let is_filled = match first {
        Ok(is_filled) => is_filled,
        Err(_) => fill(handle, fs::FileIdBothDirectoryRestartInfo, buffer)?,
    };
    if !is_filled {
        return Ok(());
    }
    loop {
        let mut at = 0;
        loop {
            let entry = if is_long { long(&buffer[at..]) } else { short(&buffer[at..]) };
            let Some(entry) = entry else { return Err(Errno::INVAL) };
            let name = OsString::from_wide(&entry.name).into_vec();
            let name = CString::new(name).map_err(|_| Errno::INVAL)?;
            keep(&name, entry.inode, entry.kind)?;
            match entry.next {
                0 => break,
                next => at += next,
            }
        }
        let class = match is_long {
            true => fs::FileIdExtdDirectoryInfo,
            false => fs::FileIdBothDirectoryInfo,
        };
        if !fill(handle, class, buffer)? {
            return Ok(());
        }
    }
}

/// Whether there was more.
fn fill(handle: HANDLE, class: i32, buffer: &mut [u8]) -> SysResult<bool> {
    let start = buffer.as_mut_ptr().cast::<c_void>();
    // SAFETY: the buffer has so many bytes, and is there to be filled.
    let told =
        unsafe { fs::GetFileInformationByHandleEx(handle, class, start, buffer.len() as u32) };
    if told != 0 {
        return Ok(true);
    }
    match Errno::last() {
        e if e.raw_os_error() == ERROR_NO_MORE_FILES as i32 => Ok(false),
        e => Err(e),
    }
}

struct RawEntry {
    next: usize,
    name: Vec<u16>,
    inode: u64,
    kind: FileType,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn entry(bytes: &[u8], tag_at: usize, id: (usize, usize), name_at: usize) -> Option<RawEntry> {
    let u32_at = |at: usize| number(bytes, at).map(u32::from_le_bytes);
    let mut long = [0; 16];
    long[..id.1].copy_from_slice(bytes.get(id.0..id.0 + id.1)?);
    let length = u32_at(core::mem::offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileNameLength))?;
    let attributes = u32_at(core::mem::offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileAttributes))?;
    let name = bytes.get(name_at..name_at + length as usize)?;
    let name = name.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    let kind = file_type(attributes, u32_at(tag_at)?);
    Some(RawEntry { next: u32_at(0)? as usize, name, inode: folded(&long), kind })
}

fn long(bytes: &[u8]) -> Option<RawEntry> {
    use core::mem::offset_of;
    let id = (offset_of!(fs::FILE_ID_EXTD_DIR_INFO, FileId), 16);
    let tag = offset_of!(fs::FILE_ID_EXTD_DIR_INFO, ReparsePointTag);
    entry(bytes, tag, id, offset_of!(fs::FILE_ID_EXTD_DIR_INFO, FileName))
}

/// Of what is no plain file the tag stands where others have the size of extended attributes.
fn short(bytes: &[u8]) -> Option<RawEntry> {
    use core::mem::offset_of;
    let id = (offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileId), 8);
    let tag = offset_of!(fs::FILE_ID_BOTH_DIR_INFO, EaSize);
    entry(bytes, tag, id, offset_of!(fs::FILE_ID_BOTH_DIR_INFO, FileName))
}
