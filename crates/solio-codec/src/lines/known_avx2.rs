//! Whether a line is known, by AVX2. See `known.rs`.

use super::known::{BLOCK, KnownLine};
use crate::number::shapes_avx2::opaque;
use std::arch::x86_64::*;

/// A line within some blocks.
pub(super) struct LineMarks<const BLOCKS: usize> {
    halves: [[__m256i; 2]; BLOCKS],
    /// A bit for each byte up to and including the line end that is not a digit. Without a line end no known line
    /// matches.
    pub(super) places: [u64; BLOCKS],
    /// The bits of the line.
    line: [u64; BLOCKS],
    /// Its bytes, with the line end.
    pub(super) length: usize,
}

impl<const BLOCKS: usize> LineMarks<BLOCKS> {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn new(blocks: &[[u8; BLOCK]; BLOCKS]) -> Self {
        let mut marks = LineMarks {
            halves: [[_mm256_setzero_si256(); 2]; BLOCKS],
            places: [0; BLOCKS],
            line: [0; BLOCKS],
            length: 1,
        };
        // All bits while the line goes on.
        let mut goes_on = u64::MAX;
        for (i, block) in blocks.iter().enumerate() {
            // SAFETY: 32 bytes are there, and the loads need no alignment.
            let halves = unsafe {
                let from = block.as_ptr().cast::<__m256i>();
                [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))]
            };
            let newlines = mask(halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(10))));
            let digits = mask(halves.map(|half| digits(half)));
            marks.halves[i] = halves;
            marks.line[i] = (newlines ^ newlines.wrapping_sub(1)) & goes_on;
            marks.places[i] = marks.line[i] & !digits;
            marks.length += newlines.trailing_zeros() as usize & goes_on as usize;
            goes_on &= if newlines == 0 { u64::MAX } else { 0 };
        }
        marks
    }

    /// Whether the line is this one but for its digits.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn is<N>(&self, known: &KnownLine<N, BLOCKS>) -> bool {
        let mut is = true;
        for (i, [low, high]) in self.halves.into_iter().enumerate() {
            // SAFETY: 32 bytes are there, and the loads need no alignment.
            let alike = unsafe {
                let from = known.marks[i].as_ptr().cast::<__m256i>();
                mask([
                    _mm256_cmpeq_epi8(low, _mm256_loadu_si256(from)),
                    _mm256_cmpeq_epi8(high, _mm256_loadu_si256(from.add(1))),
                ])
            };
            is &= alike & self.line[i] == self.places[i] && known.places[i] == self.places[i];
        }
        is
    }

    /// Whether the line ends within the blocks.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.length <= BLOCKS * BLOCK
    }

    /// What is to be known of the line, which is whole.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn known<N>(&self, numbers: N) -> KnownLine<N, BLOCKS> {
        let mut marks = [[0; BLOCK]; BLOCKS];
        for (to, half) in marks
            .as_flattened_mut()
            .as_chunks_mut::<32>()
            .0
            .iter_mut()
            .zip(self.halves.as_flattened())
        {
            // SAFETY: 32 bytes are there, and the store needs no alignment.
            unsafe {
                _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_or_si256(*half, digits(*half)));
            }
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
