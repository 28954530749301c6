//! Finds the marks of a window and the values between them. See the twin in the tests.

use super::{ROOM, TextWindow};
use crate::number::shapes_avx2::opaque;
use core::arch::x86_64::*;
use solio_base::cpu::Tier;

/// Fills `window` from `text[..len]`; returns the number of marks, or `None` where a number has more
/// than eight digits. Without `wide` numbers may have seven, and a longer one a digit as its mark.
///
/// The caller has checked that 64 bytes follow `len`, and that `window` has room.
pub(super) fn fill(
    tier: Tier,
    text: &[u8],
    len: usize,
    wide: bool,
    window: &mut TextWindow,
) -> Option<usize> {
    debug_assert!(len + 64 <= ROOM && len + 64 <= text.len());
    match tier {
        // SAFETY: the machine has this tier and VBMI2, and the caller has checked the lengths.
        Tier::Avx512 if is_x86_feature_detected!("avx512vbmi2") => unsafe {
            avx512(text, len, window)
        },
        // SAFETY: the machine has AVX2, and the caller has checked the lengths.
        Tier::Avx2 | Tier::Avx512 if wide => unsafe { avx2(text, len, window) },
        // SAFETY: as above.
        Tier::Avx2 | Tier::Avx512 => Some(unsafe { avx2_short(text, len, window) }),
        _ => None,
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn avx512(text: &[u8], len: usize, window: &mut TextWindow) -> Option<usize> {
    let iota: [u8; 64] = core::array::from_fn(|i| i as u8);
    // SAFETY: 64 bytes are 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(iota.as_ptr().cast()) };
    let zero = _mm512_set1_epi8(b'0' as i8);
    let ten = _mm512_set1_epi8(10);
    let mut count = 0;
    for start in (0..len).step_by(64) {
        // SAFETY: `start < len`, and 64 bytes follow `len`.
        let bytes = unsafe { _mm512_loadu_si512(text.as_ptr().add(start).cast()) };
        let mut bits = _mm512_cmpge_epu8_mask(_mm512_sub_epi8(bytes, zero), ten);
        if len - start < 64 {
            bits &= (1 << (len - start)) - 1;
        }
        let at = _mm512_maskz_compress_epi8(bits, iota);
        let base = _mm512_set1_epi16(start as i16);
        let low = _mm512_add_epi16(base, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at)));
        let high = _mm512_extracti64x4_epi64::<1>(at);
        let high = _mm512_add_epi16(base, _mm512_cvtepu8_epi16(high));
        // SAFETY: `count <= start < len`, and the arrays have room for 64 entries after `len`.
        unsafe {
            let marks = _mm512_maskz_compress_epi8(bits, bytes);
            _mm512_storeu_si512(window.marks.as_mut_ptr().add(count).cast(), marks);
            _mm512_storeu_si512(window.at.as_mut_ptr().add(count).cast(), low);
            _mm512_storeu_si512(window.at.as_mut_ptr().add(count + 32).cast(), high);
            let stream = window.digits.as_mut_ptr().add(start - count);
            _mm512_storeu_si512(stream.cast(), _mm512_maskz_compress_epi8(!bits, bytes));
        }
        count += bits.count_ones() as usize;
    }
    // SAFETY: the machine has the features, and all digits up to the last mark are there.
    unsafe { dealt(count, window) }
}

/// The values before each of `count` marks: the digits of eight words at once are dealt from the
/// stream of all digits to the ends of eight bytes each.
///
/// # Safety
/// The machine has the features; the positions of the marks rise, and [`TextWindow::digits`] has all
/// that stands between them; `count + 64` is at most [`ROOM`].
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn dealt(count: usize, window: &mut TextWindow) -> Option<usize> {
    // The places of a word's digits among its eight bytes, by their number.
    const PLACES: [u8; 16] =
        [0, 0x80, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF, 0, 0, 0, 0, 0, 0, 0];
    // Of two vectors, the last entry of the first, and all of the second but its last.
    const BEFORE: [u16; 32] = {
        let mut order = [31; 32];
        let mut i = 1;
        while i < 32 {
            order[i] = 31 + i as u16;
            i += 1;
        }
        order
    };
    // SAFETY: the arrays have the loaded lengths.
    let (places, order) = unsafe {
        let places = _mm_loadu_si128(PLACES.as_ptr().cast());
        (_mm256_broadcastsi128_si256(places), _mm512_loadu_si512(BEFORE.as_ptr().cast()))
    };
    let mut last = _mm512_set1_epi16(-1);
    let mut digits = 0;
    for first in (0..count).step_by(32) {
        // SAFETY: more than 32 entries follow `count`.
        let at = unsafe { _mm512_loadu_si512(window.at.as_ptr().add(first).cast()) };
        let before = _mm512_permutex2var_epi16(last, order, at);
        last = at;
        let lengths = _mm512_sub_epi16(_mm512_sub_epi16(at, before), _mm512_set1_epi16(1));
        let here = if count - first < 32 { (1 << (count - first)) - 1 } else { !0 };
        if _mm512_mask_cmpgt_epu16_mask(here, lengths, _mm512_set1_epi16(8)) != 0 {
            return None;
        }
        let lengths = _mm512_maskz_cvtepi16_epi8(here, lengths);
        let mut masks = [0u64; 4];
        // SAFETY: 32 bytes are 32 bytes.
        unsafe {
            let places = _mm256_shuffle_epi8(places, lengths);
            _mm256_storeu_si256(masks.as_mut_ptr().cast(), places);
        }
        let mut values = [_mm512_setzero_si512(); 4];
        for (value, mask) in values.iter_mut().zip(masks) {
            // SAFETY: so many digits have been seen; 64 more entries follow all of them.
            let next = unsafe { _mm512_loadu_si512(window.digits.as_ptr().add(digits).cast()) };
            let digit =
                _mm512_and_si512(_mm512_maskz_expand_epi8(mask, next), _mm512_set1_epi8(15));
            let twos = _mm512_maddubs_epi16(digit, _mm512_set1_epi16(1 << 8 | 10));
            *value = _mm512_madd_epi16(twos, _mm512_set1_epi32(1 << 16 | 100));
            digits += mask.count_ones() as usize;
        }
        let order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
        for half in 0..2 {
            let fours = _mm512_packus_epi32(values[2 * half], values[2 * half + 1]);
            let eights = _mm512_madd_epi16(fours, _mm512_set1_epi32(1 << 16 | 10000));
            let eights = _mm512_permutexvar_epi32(order, eights);
            // SAFETY: more than 32 entries follow `count`.
            unsafe {
                let to = window.values.as_mut_ptr().add(first + 16 * half);
                _mm512_storeu_si512(to.cast(), eights);
            }
        }
    }
    Some(count)
}

/// A bit for each of the 64 bytes from `at` on that is not a digit.
///
/// # Safety
/// The bytes are there.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn bits(text: &[u8], at: usize) -> u64 {
    let half = |at: usize| {
        // SAFETY: as promised.
        let bytes = unsafe { _mm256_loadu_si256(text.as_ptr().add(at).cast()) };
        let digit = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
        let part = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
        u64::from(_mm256_movemask_epi8(part) as u32)
    };
    !(half(at) | half(at + 32) << 32)
}

/// [`avx2`] where no number has more than seven digits. A longer one gets a digit as its mark.
///
/// A mark and the digits before it are one word of eight bytes: one load and one shift, and the length
/// may be 0.
///
/// # Safety
/// 64 bytes follow `text[..len]`, and `window` has room for as many entries.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2_short(text: &[u8], len: usize, window: &mut TextWindow) -> usize {
    let (mut count, mut word) = (0, 0);
    for start in (0..len).step_by(64) {
        // SAFETY: `start < len`, and 64 bytes follow `len`.
        let mut marks = opaque(unsafe { bits(text, start) });
        if len - start < 64 {
            marks &= (1 << (len - start)) - 1;
        }
        let end = count + marks.count_ones() as usize;
        let next = if marks == 0 { word } else { start + 64 - marks.leading_zeros() as usize };
        let mut take = |i: usize| {
            let at = start + (marks.trailing_zeros() & 63) as usize;
            // SAFETY: `i < len + 8`, for which the arrays have room; `word` is at most `len`, and eight
            // bytes follow that.
            unsafe {
                let digits = text.as_ptr().add(word).cast::<u64>().read_unaligned();
                let above = (word + 7).wrapping_sub(at).wrapping_mul(8) as u32;
                *window.words.get_unchecked_mut(i) = digits.wrapping_shl(above);
                *window.at.get_unchecked_mut(i) = at as u16;
            }
            marks &= marks.wrapping_sub(1);
            word = at + 1;
        };
        // Eight, then two at once; what is too many is overwritten.
        (count..count + 8).for_each(&mut take);
        count += 8;
        while count < end {
            take(count);
            take(count + 1);
            count += 2;
        }
        (count, word) = (end, next);
    }
    // SAFETY: words were written up to `count`.
    unsafe { values_short(count, window) };
    count
}

/// The marks and values of `count` words.
///
/// # Safety
/// `count + 32` is at most [`ROOM`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn values_short(count: usize, window: &mut TextWindow) {
    for first in (0..count).step_by(32) {
        let mut marks = [_mm256_setzero_si256(); 4];
        for (i, marks) in marks.iter_mut().enumerate() {
            // SAFETY: 32 entries follow `first`.
            unsafe {
                let words = window.words.as_ptr().add(first + 8 * i).cast::<__m256i>();
                let (a, b) = (_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1)));
                let tops = _mm256_shuffle_ps::<0b11_01_11_01>(
                    _mm256_castsi256_ps(a),
                    _mm256_castsi256_ps(b),
                );
                *marks = _mm256_srli_epi32::<24>(_mm256_castps_si256(tops));
                let to = window.values.as_mut_ptr().add(first + 8 * i);
                _mm256_storeu_si256(to.cast(), eight_short(a, b));
            }
        }
        // Of each eight, the first half has words 0, 1, 4 and 5.
        let pairs = _mm256_packus_epi16(
            _mm256_packus_epi32(marks[0], marks[1]),
            _mm256_packus_epi32(marks[2], marks[3]),
        );
        let (even, odd) = (_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
        // SAFETY: as above.
        unsafe {
            let to = window.marks.as_mut_ptr().add(first).cast::<__m128i>();
            _mm_storeu_si128(to, _mm_unpacklo_epi16(even, odd));
            _mm_storeu_si128(to.add(1), _mm_unpackhi_epi16(even, odd));
        }
    }
}

/// The values of eight words of up to seven ASCII digits, high bytes last, below a byte that does not
/// count; zero bytes count as zeros.
#[inline]
#[target_feature(enable = "avx2")]
fn eight_short(a: __m256i, b: __m256i) -> __m256i {
    let four_and_three = |words: __m256i| {
        let digits = _mm256_and_si256(words, _mm256_set1_epi8(15));
        let weights = i64::from_le_bytes([10, 1, 10, 1, 10, 1, 1, 0]);
        let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi64x(weights));
        _mm256_madd_epi16(pairs, _mm256_set1_epi64x(100 | 1 << 16 | 10 << 32 | 1 << 48))
    };
    let parts = _mm256_packus_epi32(four_and_three(a), four_and_three(b));
    let values = _mm256_madd_epi16(parts, _mm256_set1_epi32(1 << 16 | 1000));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(values)
}

/// Fills `window` where numbers have up to eight digits.
///
/// # Safety
/// 64 bytes follow `text[..len]`, and `window` has room for as many entries.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2(text: &[u8], len: usize, window: &mut TextWindow) -> Option<usize> {
    let mut count = 0;
    for start in (0..len).step_by(64) {
        // SAFETY: `start < len`, and 64 bytes follow `len`.
        let mut marks = unsafe { bits(text, start) };
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

/// The values before each of `count` marks.
///
/// # Safety
/// The positions of the marks rise, and eight bytes of `text` follow each; `count + 8` is at most
/// [`ROOM`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
        // SAFETY: eight entries follow `count`.
        unsafe {
            let words = window.words.as_ptr().add(i).cast::<__m256i>();
            let values = eight(_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1)));
            _mm256_storeu_si256(window.values.as_mut_ptr().add(i).cast(), values);
        }
    }
    (longest <= 8).then_some(count)
}

/// The values of eight words of ASCII digits, high bytes last; zero bytes count as zeros.
#[inline]
#[target_feature(enable = "avx2")]
fn eight(a: __m256i, b: __m256i) -> __m256i {
    let four = |words: __m256i| {
        let digits = _mm256_and_si256(words, _mm256_set1_epi8(15));
        let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100))
    };
    let fours = _mm256_packus_epi32(four(a), four(b));
    let eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(1 << 16 | 10000));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(eights)
}
