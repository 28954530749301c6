//! Finds the marks of a window and the values between them by NEON, as `kernel.rs` does on x86-64.

use super::rows::{FoundNumbers, LineBits, MOST_SHAPE, RowForm};
use super::{ROOM, TextWindow};
use crate::number::shapes::{ALL_SHAPES, single};
use solio_base::cpu::Tier;
use std::arch::aarch64::*;

/// Fills `window` from `text[..len]`; returns the number of marks, or `None` where a number has more
/// than eight digits.
///
/// The caller has checked that 64 bytes follow `len`, and that `window` has room.
pub(super) fn fill(tier: Tier, text: &[u8], len: usize, window: &mut TextWindow) -> Option<usize> {
    debug_assert!(len + 64 <= ROOM && len + 64 <= text.len());
    // SAFETY: the caller has checked the lengths.
    (tier == Tier::Neon).then(|| unsafe { fill_of(text, len, window) })?
}

/// # Safety
/// 64 bytes follow `text[..len]`, and `window` has room for as many entries.
#[target_feature(enable = "neon")]
unsafe fn fill_of(text: &[u8], len: usize, window: &mut TextWindow) -> Option<usize> {
    let mut count = 0;
    for start in (0..len).step_by(64) {
        let bytes = text[start..].first_chunk().expect("64 bytes follow the text");
        let mut marks =
            mask(bytes, |bytes| vcgtq_u8(vsubq_u8(bytes, vdupq_n_u8(b'0')), vdupq_n_u8(9)));
        if len - start < 64 {
            marks &= (1 << (len - start)) - 1;
        }
        let end = count + marks.count_ones() as usize;
        while count < end {
            // Four at once; what is too many is overwritten.
            for i in 0..4 {
                let at = start + (marks.trailing_zeros() & 63) as usize;
                // SAFETY: `count + 3 < len + 3`, for which the arrays have room; `at` is below
                // `len + 64`.
                unsafe {
                    *window.at.get_unchecked_mut(count + i) = at as u16;
                    *window.marks.get_unchecked_mut(count + i) = *text.get_unchecked(at);
                }
                marks &= marks.wrapping_sub(1);
            }
            count += 4;
        }
        count = end;
    }
    // SAFETY: the positions are below `len`.
    unsafe { values(text, count, window) }
}

/// A bit for each byte of which `is` sets all bits.
#[inline]
#[target_feature(enable = "neon")]
fn mask(bytes: &[u8; 64], is: impl Fn(uint8x16_t) -> uint8x16_t) -> u64 {
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    let bits = crate::neon::load_bytes(&BITS);
    let [a, b, c, d]: [uint8x16_t; 4] = std::array::from_fn(|i| {
        vandq_u8(is(crate::neon::load_bytes(&bytes.as_chunks::<16>().0[i])), bits)
    });
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

/// The values before each of `count` marks.
///
/// # Safety
/// The positions of the marks rise, and eight bytes of `text` follow each; `count + 8` is at most
/// [`ROOM`].
#[inline]
#[target_feature(enable = "neon")]
unsafe fn values(text: &[u8], count: usize, window: &mut TextWindow) -> Option<usize> {
    let mut start = 0;
    let mut longest = 0;
    for i in 0..count {
        // SAFETY: as promised.
        unsafe {
            let end = *window.at.get_unchecked(i) as usize;
            let len = end - start;
            let word = text.as_ptr().add(start).cast::<u64>().read_unaligned();
            let top = word.wrapping_shl(64u32.wrapping_sub(8 * len as u32));
            *window.words.get_unchecked_mut(i) = if len == 0 { 0 } else { top };
            longest = longest.max(len);
            start = end + 1;
        }
    }
    window.words[count..count + 8].fill(0);
    for i in (0..count).step_by(8) {
        let words: &[u64; 8] = window.words[i..].first_chunk().expect("eight entries follow");
        let pairs = [0, 2, 4, 6].map(|k| {
            // SAFETY: two of eight words.
            vreinterpretq_u8_u64(unsafe { vld1q_u64(words.as_ptr().add(k)) })
        });
        let [a, b, c, d] = pairs.map(|pair| fours(pair));
        // SAFETY: eight entries follow `count`.
        unsafe {
            let to = window.values.as_mut_ptr().add(i);
            vst1q_u32(to, vpaddq_u32(a, b));
            vst1q_u32(to.add(4), vpaddq_u32(c, d));
        }
    }
    (longest <= 8).then_some(count)
}

/// The upper and the lower four digits of two words of ASCII digits, high bytes last, the upper ones
/// times 10,000; zero bytes count as zeros.
#[inline]
#[target_feature(enable = "neon")]
fn fours(words: uint8x16_t) -> uint32x4_t {
    let digits = vandq_u8(words, vdupq_n_u8(15));
    let tens = vreinterpretq_u8_u16(vdupq_n_u16(1 << 8 | 10));
    let twos = vpaddlq_u8(vmulq_u8(digits, tens));
    let hundreds = vreinterpretq_u16_u32(vdupq_n_u32(1 << 16 | 100));
    let fours = vpaddlq_u16(vmulq_u16(twos, hundreds));
    vmulq_u32(fours, vreinterpretq_u32_u64(vdupq_n_u64(1 << 32 | 10_000)))
}

impl FoundNumbers {
    /// [`FoundNumbers::find`].
    #[target_feature(enable = "neon")]
    pub(super) fn find_neon(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        form: RowForm<'_>,
        most: usize,
    ) -> (usize, usize) {
        self.find(text, at, end, form, (0, most), |block| LineBits {
            digits: mask(block, |b| vcleq_u8(vsubq_u8(b, vdupq_n_u8(b'0')), vdupq_n_u8(9))),
            points: mask(block, |b| vceqq_u8(b, vdupq_n_u8(b'.'))),
            minuses: mask(block, |b| vceqq_u8(b, vdupq_n_u8(b'-'))),
            blanks: mask(block, |b| {
                vorrq_u8(vceqq_u8(b, vdupq_n_u8(b' ')), vceqq_u8(b, vdupq_n_u8(b'\t')))
            }),
            newlines: mask(block, |b| vceqq_u8(b, vdupq_n_u8(b'\n'))),
        })
    }

    /// Makes the first `count` numbers; returns how many are right.
    ///
    /// # Safety
    /// They were found in `text`, not at its start; `out` has room for them.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn make_neon(&mut self, text: &[u8], count: usize, out: *mut f32) -> usize {
        for n in 0..count {
            let (start, shape) = (self.starts[n] as usize, self.shapes[n]);
            let shape = if shape > MOST_SHAPE { 0 } else { shape as usize };
            let bytes = text[start - 1..].first_chunk().expect("more bytes follow the text");
            let (value, is_sure) = single(bytes, &ALL_SHAPES[shape], |bytes, places| {
                let mut moved = [0; 16];
                let [bytes, places] = [bytes, places].map(|b| crate::neon::load_bytes(b));
                crate::neon::store_bytes(vqtbl1q_u8(bytes, places), &mut moved);
                moved
            });
            let value = if is_sure { Some(value) } else { self.odd_number(text, n) };
            let Some(value) = value else { return n };
            // SAFETY: `n < count`.
            unsafe { *out.add(n) = value };
        }
        count
    }
}
