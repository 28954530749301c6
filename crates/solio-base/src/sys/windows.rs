//! Windows.

use crate::names::{is_wtf8, marked};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use windows_sys::Win32::System::Memory::{GetProcessHeap, HeapCompact};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcessorNumber, GetCurrentThread, SetThreadAffinityMask,
};

/// A name that a file cannot have, because of `?` and `*`. Where a name is borrowed there is no memory for
/// one that resembles the bytes.
const NO_NAME: &str = "?*bytes that are no name on Windows*?";

/// The memory of this machine.
pub(crate) fn machine_bytes() -> u64 {
    let mut status = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: the structure says its size, and is there to be filled.
    let told = unsafe { GlobalMemoryStatusEx(&mut status) };
    if told == 0 { 0 } else { status.ullTotalPhys }
}

/// The core that this thread runs on.
pub(crate) fn core() -> usize {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { GetCurrentProcessorNumber() as usize }
}

/// Goes to another core, when this thread is on `core`.
pub(crate) fn leave(core: usize) {
    if core >= usize::BITS as usize || self::core() != core {
        return;
    }
    // SAFETY: the handle of this thread needs no closing, and a mask is a number. What it was comes back
    // from the first call, and is set again by the second; zero is a refusal, which is harmless.
    unsafe {
        let thread = GetCurrentThread();
        let all = SetThreadAffinityMask(thread, 1 << core);
        if all == 0 {
            return;
        }
        let others = all & !(1 << core);
        if others != 0 {
            SetThreadAffinityMask(thread, others);
        }
        SetThreadAffinityMask(thread, all);
    }
}

/// Large pages need a right that few have, and memory that is never swapped.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn advise_huge(_: *mut u8, _: usize) {}

/// Hands free memory of the allocator back to the system.
pub(crate) fn trim_heap() {
    // SAFETY: the heap of the process lives as long as it; compacting it moves no block.
    unsafe { HeapCompact(GetProcessHeap(), 0) };
}

/// The name that has these bytes.
#[inline]
pub(crate) fn name_of_bytes(bytes: &[u8]) -> &OsStr {
    if !is_wtf8(bytes) {
        return OsStr::new(NO_NAME);
    }
    // SAFETY: WTF-8, as was just checked, is what the standard library keeps names in on Windows: every
    // sequence of 16-bit units has one encoding in it, and these bytes are one.
    unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }
}

/// The name that has these bytes.
#[inline]
pub(crate) fn name_of_vec(bytes: Vec<u8>) -> OsString {
    if !is_wtf8(&bytes) {
        return OsString::from(marked(&bytes));
    }
    // SAFETY: as above.
    unsafe { OsString::from_encoded_bytes_unchecked(bytes) }
}

/// With `/` for `\`, and without `\\?\`, behind which only `\` divides.
pub(crate) fn slashed(path: PathBuf) -> PathBuf {
    let bytes = path.into_os_string().into_encoded_bytes();
    let (start, rest): (&[u8], &[u8]) = match bytes.strip_prefix(br"\\?\") {
        Some(rest) => match rest.strip_prefix(br"UNC\") {
            Some(share) => (b"//", share),
            None if rest.get(1) == Some(&b':') => (b"", rest),
            // A volume without a letter has no other name.
            None => return PathBuf::from(name_of_vec(bytes)),
        },
        None => (b"", &bytes[..]),
    };
    let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
    PathBuf::from(name_of_vec(start.iter().copied().chain(rest.iter().map(slash)).collect()))
}

/// `name` in `folder`, with a `/` between them, if the folder's path is not one that only takes `\`.
pub(crate) fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let bytes = folder.as_os_str().as_encoded_bytes();
    if bytes.is_empty() || bytes.starts_with(br"\\?\") || bytes.ends_with(b":") {
        return folder.join(name);
    }
    let mut path = folder.as_os_str().to_owned();
    if !bytes.ends_with(b"/") && !bytes.ends_with(b"\\") {
        path.push("/");
    }
    path.push(name);
    PathBuf::from(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::windows::ffi::{OsStrExt, OsStringExt};

    #[test]
    fn names_of_any_units_keep_their_bytes() {
        let all: [&[u16]; 4] =
            [&[0x61, 0xd800, 0x62], &[0xdc00, 0xd800], &[0xd83d, 0xde00], &[0xe9, 0x65e5, 0xdfff]];
        for units in all {
            let name = OsString::from_wide(units);
            let again = name_of_bytes(name.as_encoded_bytes());
            assert_eq!(again, name);
            assert_eq!(again.encode_wide().collect::<Vec<_>>(), units);
        }
        assert_eq!(name_of_vec(b"caf\xe9".to_vec()), "caf?");
        assert_eq!(name_of_bytes(b"caf\xe9"), NO_NAME);
    }

    #[test]
    fn paths_are_divided_by_slashes() {
        let of = |path: &str| slashed(PathBuf::from(path)).into_os_string().into_string().unwrap();
        assert_eq!(of(r"\\?\C:\a\b"), "C:/a/b");
        assert_eq!(of(r"\\?\UNC\server\share\a"), "//server/share/a");
        assert_eq!(of(r"\\?\Volume{1}\a"), r"\\?\Volume{1}\a");
        assert_eq!(of(r"a\b/c"), "a/b/c");
        let of = |folder: &str| joined(Path::new(folder), OsStr::new("x")).into_os_string();
        for (folder, path) in
            [("", "x"), ("a", "a/x"), ("C:/", "C:/x"), (r"\\?\C:\a", r"\\?\C:\a\x")]
        {
            assert_eq!(of(folder), path);
        }
    }

    #[test]
    fn the_machine_is_known() {
        assert!(machine_bytes() > 64 << 20);
        leave(core());
        trim_heap();
    }
}
