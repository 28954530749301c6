//! The fewest digits that read back to the same float; of those the nearest to the value,
//! and the even one of two that are equally near.
//!
//! Notation: plain decimal without a trailing point (`1`, `0.25`, `-0`) where the first digit stands
//! between 10⁻⁶ and 10¹² (`f32`) or 10⁻⁵ and 10¹⁵ (`f64`), otherwise with an exponent
//! (`1e-9`, `1.5e20`).

use super::tail::TextTail;

/// Most bytes that [`write`] writes.
pub(super) const ROOM: usize = 26;

/// Writes a finite value.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write<F: zmij::Float>(tail: &mut TextTail<'_>, value: F) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value).as_bytes();
    // SAFETY: the text has at most 24 bytes.
    unsafe {
        if let Some(whole) = text.strip_suffix(b".0") {
            tail.slice(whole);
        } else if let Some(e) = text.iter().position(|&b| b == b'e') {
            tail.slice(&text[..=e]);
            tail.slice(text[e + 1..].strip_prefix(b"+").unwrap_or(&text[e + 1..]));
        } else {
            tail.slice(text);
        }
    }
}
