//! Text of files: where a place in it is, and numbers.

use solio_base::{Error, Result};
use std::borrow::Cow;

/// The text of a file, without a byte order mark.
pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let inside = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let skipped = (bytes.len() - inside.len()) as u64;
    std::str::from_utf8(inside).map(Cow::Borrowed).map_err(|error| {
        Error::syntax("expected text in UTF-8").at_offset(skipped + error.valid_up_to() as u64)
    })
}

/// The first bytes as text, whatever they are.
pub(super) fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    let inside = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    String::from_utf8_lossy(&inside[..inside.len().min(1 << 16)])
}

/// The error at byte `at` of `text`, with its line and column.
pub(super) fn error_at(text: &str, at: usize, message: impl Into<String>) -> Error {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |i| i + 1);
    Error::syntax(message).at_line(line as u64 + 1, (before.len() - start) as u64 + 1)
}

/// The byte at which `part`, a part of `text`, begins.
pub(super) fn place(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// A decimal number, finite; not `inf`, `nan` or hexadecimal.
pub(super) fn number(word: &str) -> Option<f64> {
    let plain = word.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    word.parse::<f64>().ok().filter(|value| plain && value.is_finite())
}

/// The shortest text that gives this number again; never in powers of ten, which few readers
/// take, and 0 without a sign.
pub(super) fn shortest(value: f64) -> String {
    (value + 0.0).to_string()
}
