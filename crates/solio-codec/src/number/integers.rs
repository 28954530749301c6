//! One integer to text.

use super::digits::short_text;
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
        let (text, start) = long_text(value);
        // SAFETY: passed on.
        unsafe { tail.slice(&text[start..]) }
    }
}

/// The digits of a value other than 0, and where they start.
#[inline(never)]
fn long_text(value: u64) -> ([u8; ROOM], usize) {
    let mut text = [0; ROOM];
    let mut at = ROOM;
    let mut rest = value;
    while rest > 0 {
        at -= 1;
        text[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    (text, at)
}
