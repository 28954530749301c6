//! Names of Unix: bytes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The name that has these bytes.
#[inline]
pub(crate) fn name_of_bytes(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// The name that has these bytes.
#[inline]
pub(crate) fn name_of_vec(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}

/// Parts of paths are divided by `/`.
#[inline]
pub(crate) fn slashed(path: PathBuf) -> PathBuf {
    path
}

/// `name` in `folder`.
#[inline]
pub(crate) fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    folder.join(name)
}
