//! Even and odd bytes apart, then the difference of each byte to the one before, plus 128: the
//! filter of OpenEXR before run lengths and deflate.
//!
//! Why it is fast, on x86-64: both halves are summed up side by side, 16 bytes of each in four
//! steps, with only an addition from one group to the next; with AVX2 both in one register. What
//! the second half starts from is the sum of the first, which is taken 16 bytes at a time
//! beforehand. NEON does the same. The plain form, one byte after the other, is for the rest and for
//! other machines.

#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "aarch64")]
use neon as simd;

/// Filters `raw` into `out`, which is as long.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// use solio_codec::halves::split;
/// // 16-bit numbers that rise by one: 0x3c00, 0x3c01, 0x3c02.
/// let mut filtered = [0; 6];
/// split(&[0, 0x3c, 1, 0x3c, 2, 0x3c], &mut filtered);
/// // The odd bytes go on from the last even one, 2.
/// assert_eq!(filtered, [0, 129, 129, 0x3c - 2 + 128, 128, 128]);
/// ```
pub fn split(raw: &[u8], out: &mut [u8]) {
    assert_eq!(raw.len(), out.len());
    let (even, odd) = out.split_at_mut(raw.len().div_ceil(2));
    let (pairs, last) = raw.as_chunks::<2>();
    let done = simd::split(pairs, even, odd);
    for (i, [a, b]) in pairs.iter().enumerate().skip(done) {
        let [before_a, before_b] = if i == 0 { [128, 128] } else { pairs[i - 1] };
        even[i] = difference(before_a, *a);
        odd[i] = difference(before_b, *b);
    }
    if let [last] = last {
        even[pairs.len()] = difference(pairs.last().map_or(128, |pair| pair[0]), *last);
    }
    // The second half goes on from the end of the first.
    if let Some(first) = odd.first_mut() {
        let end = raw[(raw.len() - 1) / 2 * 2];
        *first = difference(end, raw[1]);
    }
}

/// Undoes [`split`]: `filtered` becomes `out`, which is as long.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// use solio_codec::halves::{merge, split};
/// let (mut filtered, mut again) = ([0; 7], [0; 7]);
/// split(b"an odd!", &mut filtered);
/// assert_ne!(&filtered, b"an odd!");
/// merge(&filtered, &mut again);
/// assert_eq!(&again, b"an odd!");
/// ```
pub fn merge(filtered: &[u8], out: &mut [u8]) {
    assert_eq!(filtered.len(), out.len());
    Merger::new(filtered).fill(out);
}

/// Undoes [`split`] piece by piece.
///
/// ```
/// use solio_codec::halves::{Merger, split};
/// let (raw, mut filtered) = (b"row 0 row 1 row 2 ", [0; 18]);
/// split(raw, &mut filtered);
/// // Each row goes to its own place in the image.
/// let (mut merger, mut row) = (Merger::new(&filtered), [0; 6]);
/// for expected in raw.chunks(6) {
///     merger.fill(&mut row);
///     assert_eq!(row, expected);
/// }
/// ```
#[derive(Debug)]
pub struct Merger<'a> {
    even: &'a [u8],
    odd: &'a [u8],
    /// The last byte of each.
    last: [u8; 2],
}

impl<'a> Merger<'a> {
    /// Starts with the first byte.
    ///
    /// ```
    /// use solio_codec::halves::Merger;
    /// let mut first = [0; 2];
    /// Merger::new(&[0, 129, 129, 186, 128, 128]).fill(&mut first);
    /// assert_eq!(first, [0, 0x3c]);
    /// ```
    pub fn new(filtered: &'a [u8]) -> Merger<'a> {
        let (even, odd) = filtered.split_at(filtered.len().div_ceil(2));
        Merger { even, odd, last: [128, sum(128, even)] }
    }

    /// Fills `out` with the next bytes: an even number of them, or all that are left.
    ///
    /// # Panics
    /// When fewer are left.
    ///
    /// ```
    /// use solio_codec::halves::{Merger, split};
    /// let mut filtered = [0; 5];
    /// split(b"abcde", &mut filtered);
    /// let (mut merger, mut pair, mut rest) = (Merger::new(&filtered), [0; 2], [0; 3]);
    /// merger.fill(&mut pair);
    /// // The odd one comes with all that are left.
    /// merger.fill(&mut rest);
    /// assert_eq!((&pair, &rest), (b"ab", b"cde"));
    /// ```
    pub fn fill(&mut self, out: &mut [u8]) {
        let (pairs, last) = out.as_chunks_mut::<2>();
        let (even, odd) = (&self.even[..pairs.len()], &self.odd[..pairs.len()]);
        let (done, [mut a, mut b]) = simd::merge(even, odd, self.last, pairs);
        for ((pair, even), odd) in pairs.iter_mut().zip(even).zip(odd).skip(done) {
            a = a.wrapping_add(*even).wrapping_sub(128);
            b = b.wrapping_add(*odd).wrapping_sub(128);
            *pair = [a, b];
        }
        self.last = [a, b];
        (self.even, self.odd) = (&self.even[pairs.len()..], &self.odd[pairs.len()..]);
        if let [last] = last {
            *last = sum(a, &self.even[..1]);
            self.even = &self.even[1..];
        }
    }

    /// Steps over the next `bytes`, an even number.
    ///
    /// # Panics
    /// When fewer are left.
    ///
    /// ```
    /// use solio_codec::halves::{Merger, split};
    /// let mut filtered = [0; 18];
    /// split(b"row 0 row 1 row 2 ", &mut filtered);
    /// // The last row of a chunk is all that is wanted.
    /// let (mut merger, mut row) = (Merger::new(&filtered), [0; 6]);
    /// merger.skip(12);
    /// merger.fill(&mut row);
    /// assert_eq!(&row, b"row 2 ");
    /// ```
    pub fn skip(&mut self, bytes: usize) {
        for (half, last) in [&mut self.even, &mut self.odd].into_iter().zip(&mut self.last) {
            let (skipped, rest) = half.split_at(bytes / 2);
            *last = sum(*last, skipped);
            *half = rest;
        }
    }
}

/// The last of the bytes whose differences are `half`, after `before`.
fn sum(before: u8, half: &[u8]) -> u8 {
    // Each adds itself, less 128.
    let all = half.iter().fold(before, |sum, byte| sum.wrapping_add(*byte));
    all.wrapping_sub((half.len() as u8).wrapping_mul(128))
}

fn difference(before: u8, byte: u8) -> u8 {
    byte.wrapping_sub(before).wrapping_add(128)
}

/// Whole groups of bytes: say how many pairs were done.
#[cfg(target_arch = "x86_64")]
mod simd {
    use solio_base::cpu::{Tier, tier};
    use std::arch::x86_64::*;

    pub(super) fn split(pairs: &[[u8; 2]], even: &mut [u8], odd: &mut [u8]) -> usize {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { split_sse2(pairs, even, odd) }
    }

    /// Also says what the last pair was.
    pub(super) fn merge(
        even: &[u8],
        odd: &[u8],
        start: [u8; 2],
        pairs: &mut [[u8; 2]],
    ) -> (usize, [u8; 2]) {
        if tier() >= Tier::Avx2 {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { merge_avx2(even, odd, start, pairs) };
        }
        merge_narrow(even, odd, start, pairs)
    }

    /// [`merge`] with what every machine has.
    pub(super) fn merge_narrow(
        even: &[u8],
        odd: &[u8],
        start: [u8; 2],
        pairs: &mut [[u8; 2]],
    ) -> (usize, [u8; 2]) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { merge_sse2(even, odd, start, pairs) }
    }

    /// The even bytes in the lower half of a register, the odd ones in the upper.
    #[target_feature(enable = "avx2")]
    fn merge_avx2(
        even: &[u8],
        odd: &[u8],
        start: [u8; 2],
        pairs: &mut [[u8; 2]],
    ) -> (usize, [u8; 2]) {
        let mut done = 0;
        let [a, b] = start.map(|byte| _mm_set1_epi8(byte as i8));
        let mut sum = _mm256_set_m128i(b, a);
        let offset = _mm256_set1_epi8(-128);
        let last = _mm256_set1_epi8(15);
        let halves = even.as_chunks::<16>().0.iter().zip(odd.as_chunks::<16>().0);
        for ((even, odd), to) in halves.zip(pairs.as_chunks_mut::<16>().0) {
            let x = _mm256_xor_si256(_mm256_set_m128i(load(odd), load(even)), offset);
            let x = _mm256_add_epi8(x, _mm256_slli_si256(x, 1));
            let x = _mm256_add_epi8(x, _mm256_slli_si256(x, 2));
            let x = _mm256_add_epi8(x, _mm256_slli_si256(x, 4));
            let x = _mm256_add_epi8(x, _mm256_slli_si256(x, 8));
            let y = _mm256_add_epi8(x, sum);
            sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(x, last));
            let (even, odd) = (_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
            let (first, second) = to.as_flattened_mut().split_at_mut(16);
            first.copy_from_slice(&bytes(_mm_unpacklo_epi8(even, odd)));
            second.copy_from_slice(&bytes(_mm_unpackhi_epi8(even, odd)));
            done += 16;
        }
        let (even, odd) = (_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        (done, [bytes(even)[0], bytes(odd)[0]])
    }

    #[target_feature(enable = "sse2")]
    fn split_sse2(pairs: &[[u8; 2]], even: &mut [u8], odd: &mut [u8]) -> usize {
        let low = _mm_set1_epi16(0xff);
        let mut done = 0;
        let mut before = [_mm_set1_epi8(-128); 2];
        let groups = pairs.as_chunks::<16>().0.iter();
        let halves = even.as_chunks_mut::<16>().0.iter_mut().zip(odd.as_chunks_mut::<16>().0);
        for (group, (even, odd)) in groups.zip(halves) {
            let [first, second] = load_two(group.as_flattened());
            let a = _mm_packus_epi16(_mm_and_si128(first, low), _mm_and_si128(second, low));
            let b = _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8));
            *even = bytes(differences(a, before[0]));
            *odd = bytes(differences(b, before[1]));
            before = [a, b];
            done += 16;
        }
        done
    }

    /// Of each byte to the one before, plus 128; `before` are the 16 bytes before.
    #[target_feature(enable = "sse2")]
    fn differences(x: __m128i, before: __m128i) -> __m128i {
        let shifted = _mm_or_si128(_mm_slli_si128(x, 1), _mm_srli_si128(before, 15));
        _mm_xor_si128(_mm_sub_epi8(x, shifted), _mm_set1_epi8(-128))
    }

    #[target_feature(enable = "sse2")]
    fn merge_sse2(
        even: &[u8],
        odd: &[u8],
        start: [u8; 2],
        pairs: &mut [[u8; 2]],
    ) -> (usize, [u8; 2]) {
        let mut done = 0;
        let [mut sum_a, mut sum_b] = start.map(|byte| _mm_set1_epi8(byte as i8));
        let halves = even.as_chunks::<16>().0.iter().zip(odd.as_chunks::<16>().0);
        for ((even, odd), to) in halves.zip(pairs.as_chunks_mut::<16>().0) {
            let (a, b) = (sums(load(even)), sums(load(odd)));
            let (x, y) = (_mm_add_epi8(a, sum_a), _mm_add_epi8(b, sum_b));
            sum_a = _mm_add_epi8(sum_a, last(a));
            sum_b = _mm_add_epi8(sum_b, last(b));
            let (first, second) = to.as_flattened_mut().split_at_mut(16);
            first.copy_from_slice(&bytes(_mm_unpacklo_epi8(x, y)));
            second.copy_from_slice(&bytes(_mm_unpackhi_epi8(x, y)));
            done += 16;
        }
        (done, [bytes(sum_a)[0], bytes(sum_b)[0]])
    }

    /// Sums of the bytes so far, each less 128.
    #[target_feature(enable = "sse2")]
    fn sums(x: __m128i) -> __m128i {
        let x = _mm_xor_si128(x, _mm_set1_epi8(-128));
        let x = _mm_add_epi8(x, _mm_slli_si128(x, 1));
        let x = _mm_add_epi8(x, _mm_slli_si128(x, 2));
        let x = _mm_add_epi8(x, _mm_slli_si128(x, 4));
        _mm_add_epi8(x, _mm_slli_si128(x, 8))
    }

    /// The last byte, 16 times.
    #[target_feature(enable = "sse2")]
    fn last(x: __m128i) -> __m128i {
        let x = _mm_unpackhi_epi8(x, x);
        let x = _mm_shufflehi_epi16(x, 0xff);
        _mm_shuffle_epi32(x, 0xff)
    }

    #[target_feature(enable = "sse2")]
    fn load(from: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are there, and the load needs no alignment.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[target_feature(enable = "sse2")]
    fn load_two(from: &[u8]) -> [__m128i; 2] {
        let (groups, _) = from.as_chunks::<16>();
        [load(&groups[0]), load(&groups[1])]
    }

    #[target_feature(enable = "sse2")]
    fn bytes(x: __m128i) -> [u8; 16] {
        let mut to = [0; 16];
        // SAFETY: there is room for 16 bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), x) };
        to
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod simd {
    pub(super) fn split(_: &[[u8; 2]], _: &mut [u8], _: &mut [u8]) -> usize {
        0
    }

    pub(super) fn merge(_: &[u8], _: &[u8], start: [u8; 2], _: &mut [[u8; 2]]) -> (usize, [u8; 2]) {
        (0, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the filter is, in so many words.
    fn plain(raw: &[u8]) -> Vec<u8> {
        let even = raw.iter().step_by(2);
        let mut bytes: Vec<u8> = even.chain(raw.iter().skip(1).step_by(2)).copied().collect();
        for i in (1..bytes.len()).rev() {
            bytes[i] = difference(bytes[i - 1], bytes[i]);
        }
        bytes
    }

    #[test]
    fn filters_as_the_reference_does() {
        let mut filtered = [0; 5];
        split(&[1, 2, 3, 4, 5], &mut filtered);
        assert_eq!(filtered, [1, 130, 130, 125, 130]);
    }

    proptest! {
        #[test]
        fn equals_the_plain_filter_and_undoes_it(
            raw in prop::collection::vec(any::<u8>(), 0..300), step in 1usize..60
        ) {
            let mut filtered = vec![7; raw.len()];
            split(&raw, &mut filtered);
            prop_assert_eq!(&filtered, &plain(&raw));
            let mut again = vec![9; raw.len()];
            merge(&filtered, &mut again);
            prop_assert_eq!(&again, &raw);
            // In pieces, each second one skipped.
            let (mut merger, step) = (Merger::new(&filtered), 2 * step);
            let mut start = 0;
            while start < raw.len() {
                let end = raw.len().min(start + step);
                let mut piece = vec![9; end - start];
                merger.fill(&mut piece);
                prop_assert_eq!(&piece, &raw[start..end]);
                start = raw.len().min(end + step) / 2 * 2;
                if start > end {
                    merger.skip(start - end);
                } else {
                    break;
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn registers_agree(
            even in prop::collection::vec(any::<u8>(), 200),
            odd in prop::collection::vec(any::<u8>(), 200),
            start in any::<[u8; 2]>(),
        ) {
            let mut narrow = vec![[0; 2]; 200];
            let mut wide = narrow.clone();
            // The kernel of this machine, and the one that all have.
            let of_narrow = simd::merge_narrow(&even, &odd, start, &mut narrow);
            prop_assert_eq!(simd::merge(&even, &odd, start, &mut wide), of_narrow);
            prop_assert_eq!(wide, narrow);
        }
    }
}
