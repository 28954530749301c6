//! One integer to text.

use super::digits::short_text;
use super::fixed::digits_24;
use super::tail::TextTail;

/// Most digits of an integer.
pub(super) const ROOM: usize = 20;

/// Appends `value` in decimal.
pub(super) fn push_u64(out: &mut Vec<u8>, value: u64) {
    let mut tail = TextTail::new(out, ROOM);
    // SAFETY: there is room.
    unsafe { write_u64(&mut tail, value) };
    tail.finish();
}

/// Writes `value` in decimal.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write_u64(tail: &mut TextTail<'_>, value: u64) {
    if value < 100_000_000 {
        let (text, len) = short_text(value);
        // SAFETY: passed on.
        unsafe { tail.word(text, len) }
    } else {
        let text = digits_24(value);
        let start = text.iter().position(|&b| b != b'0').unwrap_or(0);
        // SAFETY: passed on.
        unsafe { tail.slice(&text[start..]) }
    }
}
