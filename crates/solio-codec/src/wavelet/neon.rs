//! Eight squares at a time by NEON, whose loads and stores take pairs apart and put them together.

use super::{Modulo, SignedStep, WaveletStep};
use solio_base::cpu::{Tier, tier};
use std::arch::aarch64::*;

/// A [`WaveletStep`] in 16-bit lanes.
pub(super) trait WaveletSteps: WaveletStep {
    fn split_8(a: uint16x8_t, b: uint16x8_t) -> [uint16x8_t; 2];
    fn join_8(mean: uint16x8_t, difference: uint16x8_t) -> [uint16x8_t; 2];
}

// NEON is part of every AArch64 processor; each block below relies on that alone.
impl WaveletSteps for SignedStep {
    #[inline(always)]
    fn split_8(a: uint16x8_t, b: uint16x8_t) -> [uint16x8_t; 2] {
        // SAFETY: NEON is there.
        unsafe {
            let mean = vhaddq_s16(vreinterpretq_s16_u16(a), vreinterpretq_s16_u16(b));
            [vreinterpretq_u16_s16(mean), vsubq_u16(a, b)]
        }
    }

    #[inline(always)]
    fn join_8(mean: uint16x8_t, difference: uint16x8_t) -> [uint16x8_t; 2] {
        // SAFETY: NEON is there.
        unsafe {
            // Half of the difference, rounded up.
            let half = vrshrq_n_s16::<1>(vreinterpretq_s16_u16(difference));
            let a = vaddq_u16(mean, vreinterpretq_u16_s16(half));
            [a, vsubq_u16(a, difference)]
        }
    }
}

impl WaveletSteps for Modulo {
    #[inline(always)]
    fn split_8(a: uint16x8_t, b: uint16x8_t) -> [uint16x8_t; 2] {
        // SAFETY: NEON is there.
        unsafe {
            let top = vdupq_n_u16(0x8000);
            let flipped = veorq_u16(a, top);
            let less = vandq_u16(vcltq_u16(flipped, b), top);
            [veorq_u16(vhaddq_u16(flipped, b), less), vsubq_u16(flipped, b)]
        }
    }

    #[inline(always)]
    fn join_8(mean: uint16x8_t, difference: uint16x8_t) -> [uint16x8_t; 2] {
        // SAFETY: NEON is there.
        unsafe {
            let b = vsubq_u16(mean, vshrq_n_u16::<1>(difference));
            let a = vaddq_u16(difference, b);
            [veorq_u16(a, vdupq_n_u16(0x8000)), b]
        }
    }
}

pub(super) fn split<S: WaveletSteps>(
    means: &mut [u16],
    top: &mut [[u16; 2]],
    bottom: &mut [[u16; 2]],
) -> usize {
    if tier() < Tier::Neon {
        return 0;
    }
    let rows = top.as_chunks_mut::<8>().0.iter_mut().zip(bottom.as_chunks_mut::<8>().0);
    let mut done = 0;
    for (mean, (top, bottom)) in means.as_chunks_mut::<8>().0.iter_mut().zip(rows) {
        let ([a, b], [c, d]) = (load_pairs(top), load_pairs(bottom));
        let ([a, b], [c, d]) = (S::split_8(a, b), S::split_8(c, d));
        let ([e, f], [g, h]) = (S::split_8(a, c), S::split_8(b, d));
        // SAFETY: eight numbers are there to be written.
        unsafe { vst1q_u16(mean.as_mut_ptr(), e) };
        store_pairs([e, g], top);
        store_pairs([f, h], bottom);
        done += 8;
    }
    done
}

pub(super) fn join<S: WaveletSteps>(
    means: &[u16],
    top: &mut [[u16; 2]],
    bottom: &mut [[u16; 2]],
) -> usize {
    if tier() < Tier::Neon {
        return 0;
    }
    let rows = top.as_chunks_mut::<8>().0.iter_mut().zip(bottom.as_chunks_mut::<8>().0);
    let mut done = 0;
    for (mean, (top, bottom)) in means.as_chunks::<8>().0.iter().zip(rows) {
        // SAFETY: eight numbers are there to be read.
        let mean = unsafe { vld1q_u16(mean.as_ptr()) };
        let ([_, g], [f, h]) = (load_pairs(top), load_pairs(bottom));
        let ([a, c], [b, d]) = (S::join_8(mean, f), S::join_8(g, h));
        store_pairs(S::join_8(a, b), top);
        store_pairs(S::join_8(c, d), bottom);
        done += 8;
    }
    done
}

/// First and second parts of eight pairs.
#[inline(always)]
fn load_pairs(pairs: &[[u16; 2]; 8]) -> [uint16x8_t; 2] {
    // SAFETY: sixteen numbers are there to be read.
    let uint16x8x2_t(first, second) = unsafe { vld2q_u16(pairs.as_ptr().cast()) };
    [first, second]
}

#[inline(always)]
fn store_pairs([first, second]: [uint16x8_t; 2], pairs: &mut [[u16; 2]; 8]) {
    // SAFETY: sixteen numbers are there to be written.
    unsafe { vst2q_u16(pairs.as_mut_ptr().cast(), uint16x8x2_t(first, second)) };
}
