//! Names of Unix: bytes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

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
