//! Numbers to text and back.

use crate::border::{Failure, Outcome, call, put, slice, slice_mut, solio_error};
use solio_base::Error;
use solio_codec::number::{Digits, format, parse};
use std::ffi::c_char;

/// The fewest digits that read back to the same number.
pub const SOLIO_SHORTEST: i32 = -1;

/// Bytes that are enough for the text of any number.
pub const SOLIO_NUMBER_BYTES: usize = 400;

fn digits(digits: i32) -> Outcome<Digits> {
    match digits {
        SOLIO_SHORTEST => Ok(Digits::Shortest),
        0..=17 => Ok(Digits::Fixed(digits as u8)),
        _ => Err(Failure::argument(format!("{digits} digits; -1 and 0 to 17 can be had"))),
    }
}

/// # Safety
/// `text` is valid for `bytes` bytes.
unsafe fn copy(made: &[u8], text: *mut c_char, bytes: u64, length: *mut u64) -> Outcome {
    // SAFETY: as the caller promises.
    unsafe {
        let room = slice_mut("the text", text.cast::<u8>(), bytes)?;
        let Some(room) = room.get_mut(..made.len()) else {
            return Err(Failure::argument(format!("{} bytes of text into {bytes}", made.len())));
        };
        room.copy_from_slice(made);
        put("the length", length, made.len() as u64)
    }
}

/// A float as text into `bytes` bytes from `text` on: `digits_after` behind the point, 0 to 17, or
/// `SOLIO_SHORTEST`. No zero stands at its end; `length` gets its bytes.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_f32_text(
    value: f32,
    digits_after: i32,
    text: *mut c_char,
    bytes: u64,
    length: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let mut made = Vec::with_capacity(32);
            format::push_f32(&mut made, digits(digits_after)?, value);
            copy(&made, text, bytes, length)
        })
    }
}

/// A double as text, as `solio_f32_text`.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_f64_text(
    value: f64,
    digits_after: i32,
    text: *mut c_char,
    bytes: u64,
    length: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let mut made = Vec::with_capacity(32);
            format::push_f64(&mut made, digits(digits_after)?, value);
            copy(&made, text, bytes, length)
        })
    }
}

fn none() -> Failure {
    Error::syntax("no number begins here").into()
}

/// # Safety
/// Both are null or may be written to.
unsafe fn found<T>(number: (T, usize), value: *mut T, used: *mut u64) -> Outcome {
    // SAFETY: as the caller promises.
    unsafe {
        put("the value", value, number.0)?;
        if !used.is_null() {
            used.write(number.1 as u64);
        }
    }
    Ok(())
}

/// The float that a text of `length` bytes begins with, the nearest one; `used`, which may be null,
/// gets the bytes of its text. White space before it is not passed over.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_f32_value(
    text: *const c_char,
    length: u64,
    value: *mut f32,
    used: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let bytes = slice("the text", text.cast::<u8>(), length)?;
            found(parse::f32_prefix(bytes).ok_or_else(none)?, value, used)
        })
    }
}

/// The double that a text begins with, as `solio_f32_value`.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_f64_value(
    text: *const c_char,
    length: u64,
    value: *mut f64,
    used: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let bytes = slice("the text", text.cast::<u8>(), length)?;
            found(parse::f64_prefix(bytes).ok_or_else(none)?, value, used)
        })
    }
}
