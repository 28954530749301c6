//! Whether a line is known, by AVX2. See `known.rs`.

use super::known::{KnownLine, LONGEST};
use crate::number::shapes_avx2::opaque;
use std::arch::x86_64::*;

/// A line within 64 bytes.
pub(super) struct LineMarks {
    halves: [__m256i; 2],
    /// A bit for each byte up to the line end that is no digit, also for the line end; of 64 bytes without
    /// one none that is known has.
    pub(super) places: u64,
    /// The bits of the line.
    line: u64,
    /// Its bytes, with the line end.
    pub(super) length: usize,
}

impl LineMarks {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn new(block: &[u8; LONGEST]) -> LineMarks {
        // SAFETY: 32 bytes are there, and the loads need no alignment.
        let halves = unsafe {
            let from = block.as_ptr().cast::<__m256i>();
            [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))]
        };
        let newlines = mask(halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(10))));
        let digits = mask(halves.map(|half| digits(half)));
        let line = newlines ^ newlines.wrapping_sub(1);
        let length = newlines.trailing_zeros() as usize + 1;
        LineMarks { halves, places: line & !digits, line, length }
    }

    /// Whether the line is this one but for its digits.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn is<N>(&self, known: &KnownLine<N>) -> bool {
        let [low, high] = self.halves;
        // SAFETY: 32 bytes are there, and the loads need no alignment.
        let alike = unsafe {
            let from = known.marks.as_ptr().cast::<__m256i>();
            mask([
                _mm256_cmpeq_epi8(low, _mm256_loadu_si256(from)),
                _mm256_cmpeq_epi8(high, _mm256_loadu_si256(from.add(1))),
            ])
        };
        alike & self.line == self.places && known.places == self.places
    }

    /// What is to be known of the line, which has its end within the 64 bytes.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn known<N>(&self, numbers: N) -> KnownLine<N> {
        let mut marks = [0; LONGEST];
        for (to, half) in marks.as_chunks_mut::<32>().0.iter_mut().zip(self.halves) {
            // SAFETY: 32 bytes are there, and the store needs no alignment.
            unsafe {
                _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_or_si256(half, digits(half)))
            };
        }
        KnownLine { marks, places: self.places, numbers }
    }
}

/// 255 for each digit, 0 for what is none.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn digits(bytes: __m256i) -> __m256i {
    // They become the ten least numbers.
    let least = _mm256_add_epi8(bytes, _mm256_set1_epi8((128 - b'0') as i8));
    _mm256_cmpgt_epi8(_mm256_set1_epi8(-118), least)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn mask([low, high]: [__m256i; 2]) -> u64 {
    let [low, high] = [low, high].map(|half| u64::from(_mm256_movemask_epi8(half) as u32));
    opaque(low | high << 32)
}
