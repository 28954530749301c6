//! What every call goes through: structures come in checked, errors and panics go out as codes.

use crate::handle::Opaque;
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind};
use std::ffi::{OsStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The number of the binary interface that this header describes.
pub const SOLIO_ABI: u32 = 1;

/// All is well.
pub const SOLIO_OK: i32 = 0;
/// The system refused: a missing file, no room, no permission.
pub const SOLIO_IO: i32 = 1;
/// Text that is not as its format wants it.
pub const SOLIO_SYNTAX: i32 = 2;
/// Binary data that contradict themselves, or end early.
pub const SOLIO_CORRUPT: i32 = 3;
/// Sound, but not something that Solio can do.
pub const SOLIO_UNSUPPORTED: i32 = 4;
/// More than a limit allows.
pub const SOLIO_LIMIT: i32 = 5;
/// The caller asks for something impossible.
pub const SOLIO_ARGUMENT: i32 = 6;
/// Cancelled.
pub const SOLIO_CANCELLED: i32 = 7;
/// There is not enough memory.
pub const SOLIO_MEMORY: i32 = 8;
/// A null pointer, or a handle that is none, of another kind, or freed.
pub const SOLIO_HANDLE: i32 = 9;
/// A structure's size, or the number of the interface, is one that this library does not know.
pub const SOLIO_VERSION: i32 = 10;
/// Another thread is using the handle.
pub const SOLIO_BUSY: i32 = 11;
/// A fault in Solio; what it was doing has failed, and the process may go on.
pub const SOLIO_PANIC: i32 = 12;
/// The end was reached: nothing is left.
pub const SOLIO_END: i32 = 13;
/// Nothing has come within the time given.
pub const SOLIO_TIMEOUT: i32 = 14;

/// Bytes of an error's text, with the zero at its end.
pub const SOLIO_ERROR_TEXT: usize = 1000;

/// What went wrong. Set `size`, the rest is filled where a function fails.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_error {
    /// `sizeof(solio_error)`; with any other number nothing is filled.
    pub size: u64,
    /// One of the codes, as the function returns it.
    pub code: i32,
    /// The system's own number (errno), or 0.
    pub os: i32,
    /// The byte in the file, or `UINT64_MAX`.
    pub offset: u64,
    /// The line in the file, from 1 on, or 0.
    pub line: u64,
    /// The column in the line, from 1 on, or 0.
    pub column: u64,
    /// File, place, what was found, what was expected, what to do: UTF-8, cut where it is long.
    pub text: [c_char; SOLIO_ERROR_TEXT],
}

/// Why a call fails.
pub(crate) struct Failure {
    code: i32,
    error: Error,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Io if error.os_error() == Some(OUT_OF_MEMORY) => SOLIO_MEMORY,
            ErrorKind::Io => SOLIO_IO,
            ErrorKind::Syntax => SOLIO_SYNTAX,
            ErrorKind::Corrupt => SOLIO_CORRUPT,
            ErrorKind::Unsupported => SOLIO_UNSUPPORTED,
            ErrorKind::Limit => SOLIO_LIMIT,
            ErrorKind::Argument => SOLIO_ARGUMENT,
            ErrorKind::Cancelled => SOLIO_CANCELLED,
            _ => SOLIO_IO,
        };
        Failure { code, error }
    }
}

/// The system's number for too little memory.
const OUT_OF_MEMORY: i32 = 12;

impl Failure {
    #[cold]
    pub(crate) fn new(code: i32, text: impl Into<String>) -> Failure {
        Failure { code, error: Error::argument(text) }
    }

    /// [`SOLIO_ARGUMENT`].
    #[cold]
    pub(crate) fn argument(text: impl Into<String>) -> Failure {
        Failure::new(SOLIO_ARGUMENT, text)
    }

    pub(crate) fn code(&self) -> i32 {
        self.code
    }

    /// [`SOLIO_MEMORY`].
    #[cold]
    pub(crate) fn memory(bytes: u64) -> Failure {
        Failure::new(SOLIO_MEMORY, format!("{bytes} bytes of memory cannot be had"))
    }
}

/// Runs `call` and says how it ended, also in `error`.
///
/// # Safety
/// `error` is null or points to a `solio_error` whose size is set.
pub(crate) unsafe fn call(error: *mut solio_error, call: impl FnOnce() -> Outcome) -> i32 {
    // What a panic leaves half done is never looked at again: handles stay busy.
    let done = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failure::new(SOLIO_PANIC, format!("a fault in Solio: {text}")))
    });
    match done {
        Ok(()) => SOLIO_OK,
        Err(failure) => {
            // SAFETY: as the caller promises.
            unsafe { tell(error, &failure) };
            failure.code
        }
    }
}

/// Tells the caller about a request that failed, in a call that succeeds.
///
/// # Safety
/// As for [`call`].
pub(crate) unsafe fn note(to: *mut solio_error, failure: &Failure) {
    // SAFETY: as the caller promises.
    unsafe { tell(to, failure) };
}

/// As much of a text as there is room for, whole characters, and a zero.
pub(crate) fn copy_text(from: &str, to: &mut [c_char]) {
    let mut end = from.len().min(to.len() - 1);
    while !from.is_char_boundary(end) {
        end -= 1;
    }
    for (to, &byte) in to.iter_mut().zip(&from.as_bytes()[..end]) {
        *to = byte.max(1) as c_char;
    }
}

/// # Safety
/// As for [`call`].
unsafe fn tell(to: *mut solio_error, failure: &Failure) {
    // SAFETY: as the caller promises; the size tells whether the rest is there.
    if to.is_null() || !to.is_aligned() || unsafe { (*to).size } != size_of::<solio_error>() as u64
    {
        return;
    }
    let error = &failure.error;
    let mut text = [0; SOLIO_ERROR_TEXT];
    copy_text(&error.to_string(), &mut text);
    let filled = solio_error {
        size: size_of::<solio_error>() as u64,
        code: failure.code,
        os: error.os_error().unwrap_or(0),
        offset: error.offset().unwrap_or(u64::MAX),
        line: error.line().unwrap_or(0),
        column: error.column().unwrap_or(0),
        text,
    };
    // SAFETY: not null, aligned, and as large as it says.
    unsafe { to.write(filled) };
}

/// A structure that begins with its size.
///
/// # Safety
/// Plain numbers and pointers, the first a `u64`, for which zeros are a value.
pub(crate) unsafe trait Sized0: Copy {
    /// Bytes of its first version: no caller has fewer.
    const FIRST: usize = size_of::<Self>();
}

/// Zeros, which are a value of each such structure.
pub(crate) fn zeroed<T: Sized0>() -> T {
    // SAFETY: as the trait promises.
    unsafe { std::mem::zeroed() }
}

fn size_error(what: &str, size: u64, ours: usize) -> Failure {
    let text = format!("{what}: its size is {size}, and this library knows {ours} bytes of it");
    Failure::new(SOLIO_VERSION, text)
}

/// What a caller's structure says; null is all zeros.
///
/// # Safety
/// Null, or as many bytes as its first number says.
pub(crate) unsafe fn given<T: Sized0>(what: &str, from: *const T) -> Outcome<T> {
    let mut own = zeroed::<T>();
    if from.is_null() {
        return Ok(own);
    }
    let bytes = from.cast::<u8>();
    // SAFETY: a structure begins with its size.
    let size = unsafe { from.cast::<u64>().read_unaligned() };
    let ours = size_of::<T>();
    let known = usize::try_from(size).ok().filter(|&size| (T::FIRST..=4096).contains(&size));
    let known = known.ok_or_else(|| size_error(what, size, ours))?;
    // A later version's fields are as good as not there while they are zero.
    // SAFETY: within the size that the caller gives.
    if (ours..known).any(|at| unsafe { bytes.add(at).read() } != 0) {
        return Err(size_error(what, size, ours));
    }
    // SAFETY: within both.
    unsafe { bytes.copy_to_nonoverlapping((&raw mut own).cast::<u8>(), ours.min(known)) };
    Ok(own)
}

/// Fills a caller's structure, as far as its size goes. The size stays.
///
/// # Safety
/// Null, or as many bytes as its first number says.
pub(crate) unsafe fn fill<T: Sized0>(what: &str, to: *mut T, value: &T) -> Outcome {
    if to.is_null() {
        return Err(Failure::new(SOLIO_HANDLE, format!("{what} is null")));
    }
    // SAFETY: a structure begins with its size.
    let size = unsafe { to.cast::<u64>().read_unaligned() };
    let ours = size_of::<T>();
    let room = usize::try_from(size).ok().filter(|&size| (T::FIRST..=4096).contains(&size));
    let room = room.ok_or_else(|| size_error(what, size, ours))?.min(ours);
    let from = (&raw const *value).cast::<u8>();
    // SAFETY: within both; the first eight bytes are the size.
    unsafe { from.add(8).copy_to_nonoverlapping(to.cast::<u8>().add(8), room - 8) };
    Ok(())
}

/// The caller's bytes.
///
/// # Safety
/// `bytes` is valid for `length` bytes, or `length` is 0.
pub(crate) unsafe fn slice<'a, T>(what: &str, start: *const T, length: u64) -> Outcome<&'a [T]> {
    let count = usize::try_from(length).ok().filter(|&n| {
        n.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize)
    });
    let count = count.ok_or_else(|| Failure::argument(format!("{what}: {length} are too many")))?;
    if count == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(Failure::new(SOLIO_HANDLE, format!("{what} is null")));
    }
    if !start.is_aligned() {
        return Err(Failure::argument(format!("{what} is not aligned")));
    }
    // SAFETY: not null, aligned, and valid as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}

/// The same, to be written to.
///
/// # Safety
/// As for [`slice`], and nobody else looks at it meanwhile.
pub(crate) unsafe fn slice_mut<'a, T>(
    what: &str,
    start: *mut T,
    length: u64,
) -> Outcome<&'a mut [T]> {
    // SAFETY: as the caller promises.
    let checked = unsafe { slice(what, start.cast_const(), length) }?;
    if checked.is_empty() {
        return Ok(&mut []);
    }
    // SAFETY: checked just now; the caller's alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(start, checked.len()) })
}

/// A path: UTF-8, or on systems whose names are bytes, bytes.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn path(text: *const c_char, length: u64) -> Outcome<PathBuf> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { slice("the path", text.cast::<u8>(), length) }?;
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(Failure::argument("the path is empty, or has a zero byte"));
    }
    Ok(PathBuf::from(OsStr::from_bytes(bytes)))
}

/// UTF-8 text.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn text<'a>(what: &str, text: *const c_char, length: u64) -> Outcome<&'a str> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { slice(what, text.cast::<u8>(), length) }?;
    std::str::from_utf8(bytes).map_err(|e| Failure::argument(format!("{what} is not UTF-8: {e}")))
}

/// Puts a value where the caller wants it.
///
/// # Safety
/// `to` is null or may be written to.
pub(crate) unsafe fn put<T>(what: &str, to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(Failure::new(SOLIO_HANDLE, format!("the place of {what} is null")));
    }
    // SAFETY: not null, and the caller's.
    unsafe { to.write(value) };
    Ok(())
}

/// Puts a new handle where the caller wants it.
///
/// # Safety
/// `to` is null or may be written to.
pub(crate) unsafe fn hand_out<T: Opaque>(to: *mut *mut T, value: T::Inner) -> Outcome {
    if to.is_null() {
        return Err(Failure::new(SOLIO_HANDLE, "the place of the handle is null"));
    }
    // SAFETY: not null, and the caller's.
    unsafe { put("the handle", to, T::new(value)) }
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn solio_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// Whether the library has the interface of a header: `SOLIO_OK`, or `SOLIO_VERSION`. Call it once
/// with `SOLIO_ABI` where a program starts.
#[unsafe(no_mangle)]
pub extern "C" fn solio_check_abi(abi: u32) -> i32 {
    if abi == SOLIO_ABI { SOLIO_OK } else { SOLIO_VERSION }
}
