//! The lowest bits of 16-bit numbers, as many of each, put together with the bytes above them.
//!
//! Noise has no shorter form than its bits, so the lowest ones are stored as they are: of 256
//! numbers at a time, sixteen streams side by side, number `16 r + lane` in stream `lane`.
//!
//! Why it is fast: all lanes of a register are shifted alike, and no lane moves. The layout is that of Afroozeh and Boncz, "The FastLanes Compression Layout"
//! (2023), with registers of 16 lanes.

#[cfg(target_arch = "aarch64")]
mod neon;

use crate::wide::{Wide, wide};
use crate::word::Word;
#[cfg(target_arch = "aarch64")]
use neon as simd;

/// Numbers that are stored together.
pub(super) const BLOCK: usize = 256;
const LANES: usize = 16;
const ROWS: usize = BLOCK / LANES;
/// No more of the lowest bits are stored apart.
pub(super) const MOST: u32 = 12;
/// The byte of numbers whose upper part is not below it; they are stored elsewhere.
pub(super) const ESCAPE: u8 = 255;

/// Bytes that `count` numbers take with so many bits each.
pub(super) fn packed_bytes(count: usize, bits: u32) -> usize {
    count.div_ceil(BLOCK) * ROWS * 2 * bits as usize
}

/// Appends the lowest `bits` of all numbers to `out`, the parts above them to `uppers`, and the
/// numbers whose parts are too large to `escaped`.
pub(super) fn split(
    values: &[u16],
    bits: u32,
    uppers: &mut Vec<u8>,
    escaped: &mut Vec<u16>,
    out: &mut Vec<u8>,
) {
    for block in values.chunks(BLOCK) {
        let mut padded = [0; BLOCK];
        padded[..block.len()].copy_from_slice(block);
        let mut upper = [0; BLOCK];
        let mut packed = [[0; LANES]; MOST as usize];
        wide(SplitLowBits { values: &padded, bits, uppers: &mut upper, packed: &mut packed });
        uppers.extend_from_slice(&upper[..block.len()]);
        if upper.contains(&ESCAPE) {
            let parts = upper.iter().zip(block);
            escaped.extend(parts.filter(|(part, _)| **part == ESCAPE).map(|(_, value)| *value));
        }
        let packed = packed[..bits as usize].as_flattened();
        let start = out.len();
        out.resize(start + 2 * packed.len(), 0);
        for (to, word) in out[start..].as_chunks_mut::<2>().0.iter_mut().zip(packed) {
            *to = word.to_le_bytes();
        }
    }
}

struct SplitLowBits<'a> {
    values: &'a [u16; BLOCK],
    bits: u32,
    uppers: &'a mut [u8; BLOCK],
    packed: &'a mut [[u16; LANES]; MOST as usize],
}

impl Wide for SplitLowBits<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let SplitLowBits { values, bits, uppers, packed } = self;
        for (upper, value) in uppers.iter_mut().zip(values) {
            *upper = (value >> bits).min(u16::from(ESCAPE)) as u8;
        }
        let mask = (1u16 << bits) - 1;
        for (row, values) in values.as_chunks::<LANES>().0.iter().enumerate() {
            let (word, shift) = (row * bits as usize / 16, row as u32 * bits % 16);
            if bits == 0 {
                break;
            }
            for lane in 0..LANES {
                packed[word][lane] |= (values[lane] & mask) << shift;
            }
            if shift + bits > 16 {
                for lane in 0..LANES {
                    packed[word + 1][lane] |= (values[lane] & mask) >> (16 - shift);
                }
            }
        }
    }
}

/// Fills `to` with the differences that [`split`] was given zigzagged. `uppers` are as many as
/// `to`, `packed` has [`packed_bytes`]; `None` where the escaped numbers are too few or too many.
pub(super) fn join(
    uppers: &[u8],
    packed: &[u8],
    bits: u32,
    mut escaped: impl Iterator<Item = u16>,
    to: &mut [u16],
) -> Option<()> {
    let done = simd::join(uppers, packed, bits, to);
    let size = packed_bytes(BLOCK, bits);
    for (i, to) in to[done * BLOCK..].chunks_mut(BLOCK).enumerate() {
        let packed = &packed[(done + i) * size..][..size];
        join_block(&uppers[(done + i) * BLOCK..], packed, bits, to);
    }
    for i in memchr::memchr_iter(ESCAPE, uppers) {
        to[i] = escaped.next()?.unzigzag();
    }
    escaped.next().is_none().then_some(())
}

/// One block, number by number.
fn join_block(uppers: &[u8], packed: &[u8], bits: u32, to: &mut [u16]) {
    let word = |i: usize| packed.as_chunks::<2>().0.get(i).map_or(0, |w| u16::from_le_bytes(*w));
    let mask = (1u32 << bits) - 1;
    for (i, (to, upper)) in to.iter_mut().zip(uppers).enumerate() {
        let (row, lane) = (i / LANES, i % LANES);
        let (at, shift) = (row * bits as usize / 16 * LANES + lane, row as u32 * bits % 16);
        let pair = u32::from(word(at)) | u32::from(word(at + LANES)) << 16;
        *to = (u16::from(*upper) << bits | (pair >> shift & mask) as u16).unzigzag();
    }
}

/// Whole blocks by registers: how many were done.
#[cfg(target_arch = "x86_64")]
mod simd {
    use super::{BLOCK, ROWS, packed_bytes};
    use solio_base::cpu::{Tier, tier};
    use std::arch::x86_64::*;

    pub(super) fn join(uppers: &[u8], packed: &[u8], bits: u32, to: &mut [u16]) -> usize {
        if tier() < Tier::Avx2 {
            return 0;
        }
        // SAFETY: a tier is never one that the machine lacks.
        unsafe { join_avx2(uppers, packed, bits, to) }
    }

    #[target_feature(enable = "avx2")]
    fn join_avx2(uppers: &[u8], packed: &[u8], bits: u32, to: &mut [u16]) -> usize {
        let size = packed_bytes(BLOCK, bits);
        let up = _mm_cvtsi32_si128(bits as i32);
        let mask = _mm256_set1_epi16(((1u32 << bits) - 1) as i16);
        let one = _mm256_set1_epi16(1);
        let zero = _mm256_setzero_si256();
        let (blocks, _) = to.as_chunks_mut::<BLOCK>();
        for (i, (to, uppers)) in blocks.iter_mut().zip(uppers.as_chunks::<BLOCK>().0).enumerate() {
            let (words, _) = packed[i * size..][..size].as_chunks::<32>();
            let rows = to.as_chunks_mut::<16>().0.iter_mut().zip(uppers.as_chunks::<16>().0);
            for (row, (to, uppers)) in rows.enumerate().take(ROWS) {
                let (at, shift) = (row * bits as usize / 16, row as u32 * bits % 16);
                let mut low = zero;
                if bits > 0 {
                    low = _mm256_srl_epi16(load(&words[at]), _mm_cvtsi32_si128(shift as i32));
                }
                if shift + bits > 16 {
                    let rest = _mm_cvtsi32_si128(16 - shift as i32);
                    low = _mm256_or_si256(low, _mm256_sll_epi16(load(&words[at + 1]), rest));
                }
                // SAFETY: 16 bytes are there, and the load needs no alignment.
                let upper = unsafe { _mm_loadu_si128(uppers.as_ptr().cast()) };
                let upper = _mm256_sll_epi16(_mm256_cvtepu8_epi16(upper), up);
                let value = _mm256_or_si256(upper, _mm256_and_si256(low, mask));
                let sign = _mm256_sub_epi16(zero, _mm256_and_si256(value, one));
                let value = _mm256_xor_si256(_mm256_srli_epi16(value, 1), sign);
                // SAFETY: there is room for 16 numbers, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) };
            }
        }
        blocks.len()
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(from: &[u8; 32]) -> __m256i {
        // SAFETY: 32 bytes are there, and the load needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod simd {
    pub(super) fn join(_: &[u8], _: &[u8], _: u32, _: &mut [u16]) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comes_back(
            noise in prop::collection::vec(any::<u16>(), 0..700), shift in 0..16u32, bits in 0..=MOST,
        ) {
            let values: Vec<u16> = noise.iter().map(|n| n >> shift).collect();
            let (mut uppers, mut escaped, mut packed) = (Vec::new(), Vec::new(), Vec::new());
            split(&values, bits, &mut uppers, &mut escaped, &mut packed);
            prop_assert_eq!(packed.len(), packed_bytes(values.len(), bits));
            let mut back = vec![0; values.len()];
            join(&uppers, &packed, bits, escaped.iter().copied(), &mut back).expect("just made");
            let differences: Vec<u16> = values.iter().map(|v| v.unzigzag()).collect();
            prop_assert_eq!(&back, &differences);
            if !escaped.is_empty() {
                let fewer = escaped[1..].iter().copied();
                prop_assert!(join(&uppers, &packed, bits, fewer, &mut back).is_none());
            }
            // The plain twin of the registers.
            let size = packed_bytes(BLOCK, bits);
            let mut plain = vec![0; values.len()];
            for (i, to) in plain.chunks_mut(BLOCK).enumerate() {
                join_block(&uppers[i * BLOCK..], &packed[i * size..][..size], bits, to);
            }
            let mut wide = vec![0; values.len()];
            let done = BLOCK * simd::join(&uppers, &packed, bits, &mut wide);
            prop_assert_eq!(&plain[..done], &wide[..done]);
        }
    }
}
