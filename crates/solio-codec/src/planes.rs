//! Bytes of numbers apart: all lowest bytes, then all next ones; of the numbers or of their
//! differences along the row.
//!
//! Why it is fast, on x86-64: eight 16-bit or four 32-bit numbers are summed up in three or two
//! steps, with only an addition and a shuffle from one group to the next. The plain form, one
//! number after the other, is for the rest of a row and for other machines.

/// The bytes of numbers, lowest first.
pub type Planes<'a, const N: usize> = [&'a [u8]; N];

/// Fills `to` from planes of as many bytes.
pub fn join_halves(planes: Planes<2>, differences: bool, to: &mut [[u8; 2]]) {
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
pub fn join_words(planes: Planes<4>, differences: bool, to: &mut [[u8; 4]]) {
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
pub fn split_halves(from: &[[u8; 2]], differences: bool, [low, high]: [&mut [u8]; 2]) {
    let (low, high) = (&mut low[..from.len()], &mut high[..from.len()]);
    let Some(first) = from.first() else { return };
    [low[0], high[0]] = *first;
    let mask = if differences { u16::MAX } else { 0 };
    for i in 1..from.len() {
        let before = u16::from_le_bytes(from[i - 1]) & mask;
        let difference = u16::from_le_bytes(from[i]).wrapping_sub(before);
        low[i] = difference as u8;
        high[i] = (difference >> 8) as u8;
    }
}

/// Fills planes of as many bytes as `from` has numbers.
pub fn split_words(from: &[[u8; 4]], differences: bool, planes: [&mut [u8]; 4]) {
    let [a, b, c, d] = planes.map(|plane| &mut plane[..from.len()]);
    let Some(first) = from.first() else { return };
    [a[0], b[0], c[0], d[0]] = *first;
    let mask = if differences { u32::MAX } else { 0 };
    for i in 1..from.len() {
        let before = u32::from_le_bytes(from[i - 1]) & mask;
        let difference = u32::from_le_bytes(from[i]).wrapping_sub(before);
        a[i] = difference as u8;
        b[i] = (difference >> 8) as u8;
        c[i] = (difference >> 16) as u8;
        d[i] = (difference >> 24) as u8;
    }
}

/// Whole groups of numbers: say how many numbers were filled in, and the last one.
#[cfg(target_arch = "x86_64")]
mod simd {
    use super::Planes;
    use std::arch::x86_64::*;

    pub(super) fn join_halves(planes: Planes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { join_halves_sse2(planes, to) }
    }

    pub(super) fn join_words(planes: Planes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { join_words_sse2(planes, to) }
    }

    #[target_feature(enable = "sse2")]
    fn join_halves_sse2([low, high]: Planes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
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
    fn join_words_sse2([a, b, c, d]: Planes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
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

#[cfg(not(target_arch = "x86_64"))]
mod simd {
    use super::Planes;

    pub(super) fn join_halves(_: Planes<2>, _: &mut [[u8; 2]]) -> (usize, u16) {
        (0, 0)
    }

    pub(super) fn join_words(_: Planes<4>, _: &mut [[u8; 4]]) -> (usize, u32) {
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One number after the other.
    fn sums<const N: usize>(planes: Planes<N>) -> Vec<[u8; N]> {
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
            let words: Planes<4> = std::array::from_fn(|i| &noise[i * quarter..][..quarter]);
            let mut to = vec![[0; 4]; quarter];
            join_words(words, true, &mut to);
            prop_assert_eq!(&to, &sums(words));
            let mut back = vec![0; 4 * quarter];
            let (ab, cd) = back.split_at_mut(2 * quarter);
            let ((a, b), (c, d)) = (ab.split_at_mut(quarter), cd.split_at_mut(quarter));
            split_words(&to, true, [a, b, c, d]);
            prop_assert_eq!(&back[..], &noise[..4 * quarter]);

            let half = noise.len() / 2;
            let halves: Planes<2> = std::array::from_fn(|i| &noise[i * half..][..half]);
            let mut to = vec![[0; 2]; half];
            join_halves(halves, true, &mut to);
            prop_assert_eq!(&to, &sums(halves));
            let mut back = vec![0; 2 * half];
            let (low, high) = back.split_at_mut(half);
            split_halves(&to, true, [low, high]);
            prop_assert_eq!(&back[..], &noise[..2 * half]);
        }
    }
}
