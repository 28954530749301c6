//! Finds the marks of a window and the values between them. See the twin in the tests.

use super::{ROOM, TextWindow};
use core::arch::x86_64::*;
use solio_base::cpu::Tier;

/// Fills `window` from `text[..len]`; returns the number of marks, or `None` where a number is
/// longer than eight bytes, or has a sign within.
///
/// The caller has checked that 64 bytes follow `len`, and that `window` has room.
pub(super) fn fill(
    tier: Tier,
    text: &[u8],
    len: usize,
    signed: bool,
    window: &mut TextWindow,
) -> Option<usize> {
    debug_assert!(len + 64 <= ROOM && len + 64 <= text.len());
    let avx512_here = tier == Tier::Avx512 && is_x86_feature_detected!("avx512vbmi2");
    match (tier, signed) {
        // SAFETY: the machine has this tier and VBMI2, and the caller has checked the lengths.
        (_, true) if avx512_here => unsafe { avx512::<true>(text, len, window) },
        // SAFETY: as above.
        (_, false) if avx512_here => unsafe { avx512::<false>(text, len, window) },
        // SAFETY: the machine has AVX2, and the caller has checked the lengths.
        (Tier::Avx2 | Tier::Avx512, true) => unsafe { avx2::<true>(text, len, window) },
        // SAFETY: as above.
        (Tier::Avx2 | Tier::Avx512, false) => unsafe { avx2::<false>(text, len, window) },
        _ => None,
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe fn avx512<const SIGNED: bool>(
    text: &[u8],
    len: usize,
    window: &mut TextWindow,
) -> Option<usize> {
    let iota: [u8; 64] = core::array::from_fn(|i| i as u8);
    // SAFETY: 64 bytes are 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(iota.as_ptr().cast()) };
    let zero = _mm512_set1_epi8(b'0' as i8);
    let ten = _mm512_set1_epi8(10);
    let minus = _mm512_set1_epi8(b'-' as i8);
    let mut count = 0;
    for start in (0..len).step_by(64) {
        // SAFETY: `start < len`, and 64 bytes follow `len`.
        let bytes = unsafe { _mm512_loadu_si512(text.as_ptr().add(start).cast()) };
        let mut bits = _mm512_cmpge_epu8_mask(_mm512_sub_epi8(bytes, zero), ten);
        if SIGNED {
            bits &= !_mm512_cmpeq_epi8_mask(bytes, minus);
        }
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
            if !SIGNED {
                let stream = window.digits.as_mut_ptr().add(start - count);
                _mm512_storeu_si512(stream.cast(), _mm512_maskz_compress_epi8(!bits, bytes));
            }
        }
        count += bits.count_ones() as usize;
    }
    if SIGNED {
        // SAFETY: the positions are below `len`.
        return unsafe { values::<SIGNED>(text, count, window) };
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

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<const SIGNED: bool>(
    text: &[u8],
    len: usize,
    window: &mut TextWindow,
) -> Option<usize> {
    let mut count = 0;
    let bits = |at: usize| {
        // SAFETY: called with `at < len + 32`, and 64 bytes follow `len`.
        let bytes = unsafe { _mm256_loadu_si256(text.as_ptr().add(at).cast()) };
        let digit = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
        let mut part = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
        if SIGNED {
            let minus = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'-' as i8));
            part = _mm256_or_si256(part, minus);
        }
        u64::from(!_mm256_movemask_epi8(part) as u32)
    };
    for start in (0..len).step_by(64) {
        let mut marks = bits(start) | bits(start + 32) << 32;
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
    unsafe { values::<SIGNED>(text, count, window) }
}

/// The values before each of `count` marks.
///
/// # Safety
/// The positions of the marks rise, and eight bytes of `text` follow each; `count + 8` is at most
/// [`ROOM`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn values<const SIGNED: bool>(
    text: &[u8],
    count: usize,
    window: &mut TextWindow,
) -> Option<usize> {
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
    let mut signs = _mm256_setzero_si256();
    for i in (0..count).step_by(8) {
        // SAFETY: eight entries follow `count`.
        unsafe {
            let words = window.words.as_ptr().add(i).cast::<__m256i>();
            let (mut a, mut b) = (_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1)));
            if SIGNED {
                let strays = _mm256_or_si256(unsign(&mut a), unsign(&mut b));
                signs = _mm256_or_si256(signs, strays);
            }
            let values = eight(a, b);
            _mm256_storeu_si256(window.values.as_mut_ptr().add(i).cast(), values);
        }
    }
    let plain = longest <= 8 && _mm256_testz_si256(signs, signs) == 1;
    plain.then_some(count)
}

/// Makes the signs in four words zeros; returns those that do not stand first in their word.
#[inline]
#[target_feature(enable = "avx2")]
fn unsign(words: &mut __m256i) -> __m256i {
    let minus = _mm256_cmpeq_epi8(*words, _mm256_set1_epi8(b'-' as i8));
    let before = _mm256_slli_epi64::<8>(*words);
    let first = _mm256_cmpeq_epi8(before, _mm256_setzero_si256());
    *words = _mm256_andnot_si256(minus, *words);
    _mm256_andnot_si256(first, minus)
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
