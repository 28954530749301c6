//! Bytes of numbers apart: all lowest bytes, then all next ones; of the numbers or of their
//! differences along the row.
//!
//! Why it is fast, on x86-64: with SSE2 eight 16-bit or four 32-bit numbers are summed up in three
//! or two steps, with only an addition and a shuffle from one group to the next; with AVX2 twice
//! as many. NEON does the same. The plain form, one number after the other, is for the rest of a row
//! and for other machines.

#[cfg(target_arch = "aarch64")]
mod neon;

use crate::wide::{Wide, wide};
#[cfg(target_arch = "aarch64")]
use neon as simd;

/// The bytes of numbers, lowest first.
pub type BytePlanes<'a, const N: usize> = [&'a [u8]; N];

/// Fills `to` from planes of as many bytes.
///
/// ```
/// use solio_codec::planes::join_halves;
/// let (low, high, mut numbers) = ([0x00, 0x01, 0x02], [0x3c, 0x00, 0x00], [[0; 2]; 3]);
/// join_halves([&low, &high], false, &mut numbers);
/// assert_eq!(numbers.map(u16::from_le_bytes), [0x3c00, 1, 2]);
/// // As differences: 0x3c00, one more, and two more.
/// join_halves([&low, &high], true, &mut numbers);
/// assert_eq!(numbers.map(u16::from_le_bytes), [0x3c00, 0x3c01, 0x3c03]);
/// ```
pub fn join_halves(planes: BytePlanes<2>, differences: bool, to: &mut [[u8; 2]]) {
    let planes = planes.map(|plane| &plane[..to.len()]);
    if !differences {
        for (i, to) in to.iter_mut().enumerate() {
            *to = planes.map(|plane| plane[i]);
        }
        return;
    }
    let (done, mut sum) = simd::join_halves(planes, to);
    for (i, to) in to.iter_mut().enumerate().skip(done) {
        sum = sum.wrapping_add(u16::from_le_bytes(planes.map(|plane| plane[i])));
        *to = sum.to_le_bytes();
    }
}

/// Fills `to` from planes of as many bytes.
///
/// ```
/// use solio_codec::planes::join_words;
/// // The depths of a flat wall: the first one, and no differences.
/// let planes = 2.5f32.to_le_bytes().map(|byte| [byte, 0, 0, 0, 0]);
/// let mut depths = [[0; 4]; 5];
/// join_words(planes.each_ref().map(|plane| &plane[..]), true, &mut depths);
/// assert_eq!(depths.map(f32::from_le_bytes), [2.5; 5]);
/// ```
pub fn join_words(planes: BytePlanes<4>, differences: bool, to: &mut [[u8; 4]]) {
    let planes = planes.map(|plane| &plane[..to.len()]);
    if !differences {
        for (i, to) in to.iter_mut().enumerate() {
            *to = planes.map(|plane| plane[i]);
        }
        return;
    }
    let (done, mut sum) = simd::join_words(planes, to);
    for (i, to) in to.iter_mut().enumerate().skip(done) {
        sum = sum.wrapping_add(u32::from_le_bytes(planes.map(|plane| plane[i])));
        *to = sum.to_le_bytes();
    }
}

/// Fills planes of as many bytes as `from` has numbers.
///
/// ```
/// use solio_codec::planes::split_halves;
/// let numbers = [300u16, 301, 299].map(u16::to_le_bytes);
/// let (mut low, mut high) = ([0; 3], [0; 3]);
/// split_halves(&numbers, true, [&mut low, &mut high]);
/// // 300 is 256 + 44; then come 1 and −2.
/// assert_eq!((low, high), ([44, 1, 254], [1, 0, 255]));
/// ```
pub fn split_halves(from: &[[u8; 2]], differences: bool, [low, high]: [&mut [u8]; 2]) {
    let (low, high) = (&mut low[..from.len()], &mut high[..from.len()]);
    let Some(first) = from.first() else { return };
    [low[0], high[0]] = *first;
    let mask = if differences { u16::MAX } else { 0 };
    wide(SplitHalves { from, mask, low, high });
}

struct SplitHalves<'a> {
    from: &'a [[u8; 2]],
    mask: u16,
    low: &'a mut [u8],
    high: &'a mut [u8],
}

impl Wide for SplitHalves<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let SplitHalves { from, mask, low, high } = self;
        let (low, high) = (&mut low[1..from.len()], &mut high[1..from.len()]);
        for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
            let before = u16::from_le_bytes(from[i]) & mask;
            let difference = u16::from_le_bytes(from[i + 1]).wrapping_sub(before);
            *low = difference as u8;
            *high = (difference >> 8) as u8;
        }
    }
}

/// Fills planes of as many bytes as `from` has numbers.
///
/// ```
/// use solio_codec::planes::split_words;
/// let ids = [0x0102_0304u32, 0x0102_0305].map(u32::to_le_bytes);
/// let mut planes = [[0; 2]; 4];
/// split_words(&ids, false, planes.each_mut().map(|plane| &mut plane[..]));
/// assert_eq!(planes, [[4, 5], [3, 3], [2, 2], [1, 1]]);
/// ```
pub fn split_words(from: &[[u8; 4]], differences: bool, planes: [&mut [u8]; 4]) {
    let mut planes = planes.map(|plane| &mut plane[..from.len()]);
    let Some(first) = from.first() else { return };
    planes.iter_mut().zip(first).for_each(|(plane, first)| plane[0] = *first);
    let planes = planes.map(|plane| &mut plane[1..]);
    let mask = if differences { u32::MAX } else { 0 };
    wide(SplitWords { from, mask, planes });
}

struct SplitWords<'a> {
    from: &'a [[u8; 4]],
    mask: u32,
    planes: [&'a mut [u8]; 4],
}

impl Wide for SplitWords<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let SplitWords { from, mask, planes: [a, b, c, d] } = self;
        let planes = a.iter_mut().zip(b).zip(c).zip(d);
        for ((((a, b), c), d), pair) in planes.zip(from.windows(2)) {
            let before = u32::from_le_bytes(pair[0]) & mask;
            let difference = u32::from_le_bytes(pair[1]).wrapping_sub(before);
            [*a, *b, *c, *d] = difference.to_le_bytes();
        }
    }
}

/// Whole groups of numbers: say how many numbers were filled in, and the last one.
#[cfg(target_arch = "x86_64")]
mod simd {
    use super::BytePlanes;
    use solio_base::cpu::{Tier, tier};
    use std::arch::x86_64::*;

    pub(super) fn join_halves(planes: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
        if tier() >= Tier::Avx2 {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { join_halves_avx2(planes, to) };
        }
        join_halves_narrow(planes, to)
    }

    pub(super) fn join_words(planes: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
        if tier() >= Tier::Avx2 {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { join_words_avx2(planes, to) };
        }
        join_words_narrow(planes, to)
    }

    /// [`join_halves`] with what every machine has.
    pub(super) fn join_halves_narrow(planes: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { join_halves_sse2(planes, to) }
    }

    /// [`join_words`] with what every machine has.
    pub(super) fn join_words_narrow(planes: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { join_words_sse2(planes, to) }
    }

    #[target_feature(enable = "avx2")]
    fn join_halves_avx2([low, high]: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
        let groups = low.as_chunks::<16>().0.iter().zip(high.as_chunks::<16>().0);
        let mut done = 0;
        let mut sum = _mm256_setzero_si256();
        let last = _mm256_set1_epi16(0x0f0e);
        for ((low, high), to) in groups.zip(to.as_chunks_mut::<16>().0) {
            let (low, high) = (_mm256_cvtepu8_epi16(load(low)), _mm256_cvtepu8_epi16(load(high)));
            let x = _mm256_or_si256(low, _mm256_slli_epi16(high, 8));
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 2));
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 4));
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 8));
            // The sum of the lower lane goes on in the upper one, that of both in the next group.
            let sums = _mm256_shuffle_epi8(x, last);
            let x = _mm256_add_epi16(x, _mm256_permute2x128_si256(sums, sums, 0x08));
            let both = _mm256_add_epi16(sums, _mm256_permute2x128_si256(sums, sums, 0x01));
            store(_mm256_add_epi16(x, sum), to.as_flattened_mut());
            sum = _mm256_add_epi16(sum, both);
            done += 16;
        }
        (done, _mm256_extract_epi16(sum, 0) as u16)
    }

    #[target_feature(enable = "avx2")]
    fn join_words_avx2([a, b, c, d]: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
        let [a, b, c, d] = [a, b, c, d].map(|plane| plane.as_chunks::<8>().0);
        let mut done = 0;
        let mut sum = _mm256_setzero_si256();
        for ((((a, b), c), d), to) in a.iter().zip(b).zip(c).zip(d).zip(to.as_chunks_mut::<8>().0) {
            let low = _mm256_cvtepu16_epi32(_mm_unpacklo_epi8(bytes(a), bytes(b)));
            let high = _mm256_cvtepu16_epi32(_mm_unpacklo_epi8(bytes(c), bytes(d)));
            let x = _mm256_or_si256(low, _mm256_slli_epi32(high, 16));
            let x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
            let x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
            let sums = _mm256_shuffle_epi32(x, 0xff);
            let x = _mm256_add_epi32(x, _mm256_permute2x128_si256(sums, sums, 0x08));
            let both = _mm256_add_epi32(sums, _mm256_permute2x128_si256(sums, sums, 0x01));
            store(_mm256_add_epi32(x, sum), to.as_flattened_mut());
            sum = _mm256_add_epi32(sum, both);
            done += 8;
        }
        (done, _mm256_extract_epi32(sum, 0) as u32)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(from: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are there, and the load needs no alignment.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(x: __m256i, to: &mut [u8]) {
        let to: &mut [u8; 32] = to.try_into().expect("a group has 32 bytes");
        // SAFETY: there is room for 32 bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), x) };
    }

    #[target_feature(enable = "sse2")]
    fn join_halves_sse2([low, high]: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
        let groups = low.as_chunks::<8>().0.iter().zip(high.as_chunks::<8>().0);
        let mut done = 0;
        let mut sum = _mm_setzero_si128();
        for ((low, high), to) in groups.zip(to.as_chunks_mut::<8>().0) {
            let x = _mm_unpacklo_epi8(bytes(low), bytes(high));
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 2));
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 4));
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 8));
            let x = _mm_add_epi16(x, sum);
            to.as_flattened_mut().copy_from_slice(&stored(x));
            sum = _mm_shufflehi_epi16(x, 0xff);
            sum = _mm_shuffle_epi32(sum, 0xff);
            done += 8;
        }
        (done, _mm_cvtsi128_si32(sum) as u16)
    }

    #[target_feature(enable = "sse2")]
    fn join_words_sse2([a, b, c, d]: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
        let [a, b, c, d] = [a, b, c, d].map(|plane| plane.as_chunks::<8>().0);
        let mut done = 0;
        let mut sum = _mm_setzero_si128();
        for ((((a, b), c), d), to) in a.iter().zip(b).zip(c).zip(d).zip(to.as_chunks_mut::<8>().0) {
            let low = _mm_unpacklo_epi8(bytes(a), bytes(b));
            let high = _mm_unpacklo_epi8(bytes(c), bytes(d));
            let (first, second) = to.as_flattened_mut().split_at_mut(16);
            for (x, to) in
                [(_mm_unpacklo_epi16(low, high), first), (_mm_unpackhi_epi16(low, high), second)]
            {
                let x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
                let x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
                let x = _mm_add_epi32(x, sum);
                to.copy_from_slice(&stored(x));
                sum = _mm_shuffle_epi32(x, 0xff);
            }
            done += 8;
        }
        (done, _mm_cvtsi128_si32(sum) as u32)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bytes(bytes: &[u8; 8]) -> __m128i {
        _mm_cvtsi64_si128(i64::from_le_bytes(*bytes))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn stored(x: __m128i) -> [u8; 16] {
        let halves = [_mm_cvtsi128_si64(x), _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x))];
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&halves[0].to_le_bytes());
        bytes[8..].copy_from_slice(&halves[1].to_le_bytes());
        bytes
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod simd {
    use super::BytePlanes;

    pub(super) fn join_halves(_: BytePlanes<2>, _: &mut [[u8; 2]]) -> (usize, u16) {
        (0, 0)
    }

    pub(super) fn join_words(_: BytePlanes<4>, _: &mut [[u8; 4]]) -> (usize, u32) {
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One number after the other.
    fn sums<const N: usize>(planes: BytePlanes<N>) -> Vec<[u8; N]> {
        let mut sum = 0u32;
        let number =
            |i: usize| planes.iter().rev().fold(0, |n, plane| n << 8 | u32::from(plane[i]));
        (0..planes[0].len())
            .map(|i| {
                sum = sum.wrapping_add(number(i));
                *sum.to_le_bytes().first_chunk().unwrap()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn joins_like_its_plain_twin(noise in prop::collection::vec(any::<u8>(), 0..400)) {
            let quarter = noise.len() / 4;
            let words: BytePlanes<4> = std::array::from_fn(|i| &noise[i * quarter..][..quarter]);
            let mut to = vec![[0; 4]; quarter];
            join_words(words, true, &mut to);
            prop_assert_eq!(&to, &sums(words));
            let mut back = vec![0; 4 * quarter];
            let (ab, cd) = back.split_at_mut(2 * quarter);
            let ((a, b), (c, d)) = (ab.split_at_mut(quarter), cd.split_at_mut(quarter));
            split_words(&to, true, [a, b, c, d]);
            prop_assert_eq!(&back[..], &noise[..4 * quarter]);

            let half = noise.len() / 2;
            let halves: BytePlanes<2> = std::array::from_fn(|i| &noise[i * half..][..half]);
            let mut to = vec![[0; 2]; half];
            join_halves(halves, true, &mut to);
            prop_assert_eq!(&to, &sums(halves));
            let mut back = vec![0; 2 * half];
            let (low, high) = back.split_at_mut(half);
            split_halves(&to, true, [low, high]);
            prop_assert_eq!(&back[..], &noise[..2 * half]);
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn registers_agree(noise in prop::collection::vec(any::<u8>(), 0..400)) {
            let quarter = noise.len() / 4;
            let words: BytePlanes<4> = std::array::from_fn(|i| &noise[i * quarter..][..quarter]);
            let mut to = vec![[0; 4]; quarter];
            let (done, _) = simd::join_words_narrow(words, &mut to);
            prop_assert_eq!(&to[..done], &sums(words)[..done]);
            let half = noise.len() / 2;
            let halves: BytePlanes<2> = std::array::from_fn(|i| &noise[i * half..][..half]);
            let mut to = vec![[0; 2]; half];
            let (done, _) = simd::join_halves_narrow(halves, &mut to);
            prop_assert_eq!(&to[..done], &sums(halves)[..done]);
        }
    }
}
