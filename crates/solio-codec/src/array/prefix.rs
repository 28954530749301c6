//! Sums of all samples up to each: what undoes differences along a row.
//!
//! Why it is fast: a register of sixteen 16-bit or eight 32-bit samples (half as many with SSE2 and
//! NEON) is summed up in four or three steps, and only an addition leads from one register to the next.

#[cfg(target_arch = "aarch64")]
mod neon;

use crate::word::Word;
#[cfg(target_arch = "aarch64")]
use neon as simd;

/// Makes of differences the samples: `start` and all differences up to each.
pub(super) fn sum<T: Word>(row: &mut [T], start: T) {
    let (done, mut sum) = simd::sum(row, start);
    for sample in &mut row[done..] {
        sum = sum.plus(*sample);
        *sample = sum;
    }
}

/// A slice of what the caller knows to be the same type; empty of others.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn same<T: 'static, U: bytemuck::Pod>(row: &mut [T]) -> &mut [U] {
    if std::any::TypeId::of::<T>() != std::any::TypeId::of::<U>() {
        return &mut [];
    }
    // SAFETY: both types are the same one.
    unsafe { std::slice::from_raw_parts_mut(row.as_mut_ptr().cast(), row.len()) }
}

/// Whole registers: how many samples were done, and the last sum.
#[cfg(target_arch = "x86_64")]
mod simd {
    use super::{Word, same};
    use solio_base::cpu::{Tier, tier};
    use std::any::TypeId;
    use std::arch::x86_64::*;

    pub(super) fn sum<T: Word>(row: &mut [T], start: T) -> (usize, T) {
        let of = TypeId::of::<T>();
        let bits = start.to_u64();
        let (done, last) = if of == TypeId::of::<u16>() {
            let (done, last) = halves(same(row), bits as u16);
            (done, u64::from(last))
        } else if of == TypeId::of::<u32>() {
            let (done, last) = words(same(row), bits as u32);
            (done, u64::from(last))
        } else {
            (0, bits)
        };
        (done, T::of_u64(last))
    }

    fn halves(row: &mut [u16], start: u16) -> (usize, u16) {
        if tier() >= Tier::Avx2 {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { halves_avx2(row, start) };
        }
        // SAFETY: SSE2 is part of x86-64.
        unsafe { halves_sse2(row, start) }
    }

    fn words(row: &mut [u32], start: u32) -> (usize, u32) {
        if tier() >= Tier::Avx2 {
            // SAFETY: a tier is never one that the machine lacks.
            return unsafe { words_avx2(row, start) };
        }
        // SAFETY: SSE2 is part of x86-64.
        unsafe { words_sse2(row, start) }
    }

    #[target_feature(enable = "avx2")]
    fn halves_avx2(row: &mut [u16], start: u16) -> (usize, u16) {
        let mut sum = _mm256_set1_epi16(start as i16);
        let last = _mm256_set1_epi16(0x0f0e);
        let mut done = 0;
        for group in row.as_chunks_mut::<16>().0 {
            // SAFETY: a group has 32 bytes, and neither load nor store needs alignment.
            let x = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 2));
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 4));
            let x = _mm256_add_epi16(x, _mm256_slli_si256(x, 8));
            // The sum of the lower half goes on in the upper one, that of both in the next group.
            let sums = _mm256_shuffle_epi8(x, last);
            let x = _mm256_add_epi16(x, _mm256_permute2x128_si256(sums, sums, 0x08));
            let both = _mm256_add_epi16(sums, _mm256_permute2x128_si256(sums, sums, 0x01));
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(group.as_mut_ptr().cast(), _mm256_add_epi16(x, sum)) };
            sum = _mm256_add_epi16(sum, both);
            done += 16;
        }
        (done, _mm256_extract_epi16(sum, 0) as u16)
    }

    #[target_feature(enable = "avx2")]
    fn words_avx2(row: &mut [u32], start: u32) -> (usize, u32) {
        let mut sum = _mm256_set1_epi32(start as i32);
        let mut done = 0;
        for group in row.as_chunks_mut::<8>().0 {
            // SAFETY: a group has 32 bytes, and neither load nor store needs alignment.
            let x = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
            let x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
            let x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
            let sums = _mm256_shuffle_epi32(x, 0xff);
            let x = _mm256_add_epi32(x, _mm256_permute2x128_si256(sums, sums, 0x08));
            let both = _mm256_add_epi32(sums, _mm256_permute2x128_si256(sums, sums, 0x01));
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(group.as_mut_ptr().cast(), _mm256_add_epi32(x, sum)) };
            sum = _mm256_add_epi32(sum, both);
            done += 8;
        }
        (done, _mm256_extract_epi32(sum, 0) as u32)
    }

    #[target_feature(enable = "sse2")]
    pub(super) fn halves_sse2(row: &mut [u16], start: u16) -> (usize, u16) {
        let mut sum = _mm_set1_epi16(start as i16);
        let mut done = 0;
        for group in row.as_chunks_mut::<8>().0 {
            // SAFETY: a group has 16 bytes, and neither load nor store needs alignment.
            let x = unsafe { _mm_loadu_si128(group.as_ptr().cast()) };
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 2));
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 4));
            let x = _mm_add_epi16(x, _mm_slli_si128(x, 8));
            let x = _mm_add_epi16(x, sum);
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(group.as_mut_ptr().cast(), x) };
            sum = _mm_shuffle_epi32(_mm_shufflehi_epi16(x, 0xff), 0xff);
            done += 8;
        }
        (done, _mm_cvtsi128_si32(sum) as u16)
    }

    #[target_feature(enable = "sse2")]
    pub(super) fn words_sse2(row: &mut [u32], start: u32) -> (usize, u32) {
        let mut sum = _mm_set1_epi32(start as i32);
        let mut done = 0;
        for group in row.as_chunks_mut::<4>().0 {
            // SAFETY: a group has 16 bytes, and neither load nor store needs alignment.
            let x = unsafe { _mm_loadu_si128(group.as_ptr().cast()) };
            let x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
            let x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
            let x = _mm_add_epi32(x, sum);
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(group.as_mut_ptr().cast(), x) };
            sum = _mm_shuffle_epi32(x, 0xff);
            done += 4;
        }
        (done, _mm_cvtsi128_si32(sum) as u32)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod simd {
    use super::Word;

    pub(super) fn sum<T: Word>(_: &mut [T], start: T) -> (usize, T) {
        (0, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain<T: Word>(row: &[T], start: T) -> Vec<T> {
        row.iter()
            .scan(start, |sum, x| {
                *sum = sum.plus(*x);
                Some(*sum)
            })
            .collect()
    }

    fn check<T: Word>(noise: &[u64], start: u64) {
        let row: Vec<T> = noise.iter().map(|x| T::of_u64(*x)).collect();
        let mut summed = row.clone();
        sum(&mut summed, T::of_u64(start));
        assert_eq!(summed, plain(&row, T::of_u64(start)));
    }

    proptest! {
        #[test]
        fn sums_like_its_plain_twin(noise in prop::collection::vec(any::<u64>(), 0..150), start: u64) {
            check::<u8>(&noise, start);
            check::<u16>(&noise, start);
            check::<u32>(&noise, start);
            check::<u64>(&noise, start);
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn narrow_registers_agree(noise in prop::collection::vec(any::<u32>(), 0..150), start: u32) {
            let mut words = noise.clone();
            // SAFETY: SSE2 is part of x86-64.
            let (done, _) = unsafe { simd::words_sse2(&mut words, start) };
            prop_assert_eq!(&words[..done], &plain(&noise, start)[..done]);
            let noise: Vec<u16> = noise.iter().map(|x| *x as u16).collect();
            let mut halves = noise.clone();
            // SAFETY: SSE2 is part of x86-64.
            let (done, _) = unsafe { simd::halves_sse2(&mut halves, start as u16) };
            prop_assert_eq!(&halves[..done], &plain(&noise, start as u16)[..done]);
        }
    }
}
