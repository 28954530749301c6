//! The bytes of names: the one place that goes between names of the system and bytes.
//!
//! * On Unix a name is its bytes.
//! * On Windows a name is 16-bit units; its bytes are WTF-8, the encoding that the standard library
//!   keeps names in: UTF-8, and for an unpaired surrogate the three bytes that UTF-8 would have for it.
//!
//! So the bytes of a name that is text are the same on every system, and stored data (catalogues,
//! packs, JSON) is the same byte for byte. A name whose bytes are not text, as Linux allows, cannot
//! be a name on Windows: it becomes one that has a `?`, which no file there can be called. Opening it
//! fails with the system's own words; nothing else is met or overwritten by it.

use crate::sys;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The bytes of a name.
///
/// ```
/// use solio_base::names::OsStrBytes;
/// use std::ffi::OsStr;
/// let name = OsStr::new("Straße.exr");
/// assert_eq!(name.as_bytes(), "Straße.exr".as_bytes());
/// assert_eq!(OsStr::from_bytes(name.as_bytes()), name);
/// ```
pub trait OsStrBytes {
    /// The name that has these bytes.
    fn from_bytes(bytes: &[u8]) -> &Self;
    /// Its bytes.
    fn as_bytes(&self) -> &[u8];
}

/// The bytes of a name of one's own.
///
/// ```
/// use solio_base::names::OsStringBytes;
/// use std::ffi::OsString;
/// let name = OsString::from_vec(b"beauty.0001.exr".to_vec());
/// assert_eq!(name, "beauty.0001.exr");
/// assert_eq!(name.into_vec(), b"beauty.0001.exr");
/// ```
pub trait OsStringBytes {
    /// The name that has these bytes.
    fn from_vec(bytes: Vec<u8>) -> Self;
    /// Its bytes.
    fn into_vec(self) -> Vec<u8>;
}

impl OsStrBytes for OsStr {
    #[inline]
    fn from_bytes(bytes: &[u8]) -> &OsStr {
        sys::name_of_bytes(bytes)
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self.as_encoded_bytes()
    }
}

impl OsStringBytes for OsString {
    #[inline]
    fn from_vec(bytes: Vec<u8>) -> OsString {
        sys::name_of_vec(bytes)
    }

    #[inline]
    fn into_vec(self) -> Vec<u8> {
        self.into_encoded_bytes()
    }
}

/// A path whose parts are divided by `/`, as paths are stored and shown; on Windows `\` becomes that, and
/// `\\?\` goes. On Unix the path itself.
///
/// ```
/// use std::path::PathBuf;
/// let path = PathBuf::from("shots/sc010/a.exr");
/// assert_eq!(solio_base::names::slashed(path.clone()).as_os_str(), path.as_os_str());
/// ```
#[inline]
pub fn slashed(path: PathBuf) -> PathBuf {
    sys::slashed(path)
}

/// `name` in `folder`, with a `/` between them.
///
/// ```
/// let path = solio_base::names::joined("shots/sc010".as_ref(), "a.exr".as_ref());
/// assert_eq!(path.to_str(), Some("shots/sc010/a.exr"));
/// ```
#[inline]
pub fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    sys::joined(folder, name)
}

/// Where a path leads, all links followed, [`slashed`].
///
/// # Errors
/// Those of [`Path::canonicalize`].
pub fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize().map(slashed)
}

/// A path from the root on, [`slashed`]; links stay.
///
/// # Errors
/// Those of [`std::path::absolute`].
pub fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    std::path::absolute(path).map(slashed)
}

/// Whether bytes are WTF-8: UTF-8 that may have surrogates, but no pair of them, which would be one
/// character of four bytes.
#[allow(dead_code)] // asked on one system, tested on all
pub(crate) fn is_wtf8(mut bytes: &[u8]) -> bool {
    let mut after_high = false;
    loop {
        let Err(error) = std::str::from_utf8(bytes) else { return true };
        let (text, rest) = bytes.split_at(error.valid_up_to());
        let [0xed, second @ 0xa0..=0xbf, 0x80..=0xbf, ..] = rest else { return false };
        let is_low = *second >= 0xb0;
        if is_low && after_high && text.is_empty() {
            return false;
        }
        after_high = !is_low;
        bytes = &rest[3..];
    }
}

/// A name for bytes that cannot be one: `?` stands for each byte that is not text.
#[allow(dead_code)] // as above
pub(crate) fn marked(bytes: &[u8]) -> String {
    let mut text = String::new();
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        part.invalid().iter().for_each(|_| text.push('?'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_are_names_and_pairs_of_them_are_not() {
        for fine in
            [&b"a.exr"[..], "\u{e9}\u{1f600}".as_bytes(), b"\xed\xa0\x80", b"a\xed\xb0\x80b"]
        {
            assert!(is_wtf8(fine), "{fine:?}");
        }
        // Low before high, and high, text, low are no pairs.
        assert!(is_wtf8(b"\xed\xb0\x80\xed\xa0\x80") && is_wtf8(b"\xed\xa0\x80.\xed\xb0\x80"));
        for bad in [&b"caf\xe9"[..], b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xa0", b"\xc0\x80", b"\xff"]
        {
            assert!(!is_wtf8(bad), "{bad:?}");
        }
        assert_eq!(marked(b"caf\xe9.exr"), "caf?.exr");
    }

    #[test]
    fn names_keep_their_bytes() {
        for bytes in [&b""[..], b"a.exr", "Stra\u{df}e/\u{65e5}\u{672c}.exr".as_bytes()] {
            assert_eq!(OsStr::from_bytes(bytes).as_bytes(), bytes);
            assert_eq!(OsString::from_vec(bytes.to_vec()).into_vec(), bytes);
        }
    }
}
