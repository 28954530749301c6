//! Sixteen numbers at a time by NEON.

use super::BytePlanes;
use crate::neon::{load_bytes, sums_of_halves, sums_of_words};
use solio_base::cpu::{Tier, tier};
use std::arch::aarch64::*;

pub(super) fn join_halves(planes: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { halves_by_neon(planes, to) } } else { (0, 0) }
}

pub(super) fn join_words(planes: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { words_by_neon(planes, to) } } else { (0, 0) }
}

#[target_feature(enable = "neon")]
fn halves_by_neon([low, high]: BytePlanes<2>, to: &mut [[u8; 2]]) -> (usize, u16) {
    let groups = low.as_chunks::<16>().0.iter().zip(high.as_chunks::<16>().0);
    let mut done = 0;
    let mut sum = vdupq_n_u16(0);
    for ((low, high), to) in groups.zip(to.as_chunks_mut::<16>().0) {
        let (low, high) = (load_bytes(low), load_bytes(high));
        let numbers = [vzip1q_u8(low, high), vzip2q_u8(low, high)];
        let (eights, _) = to.as_chunks_mut::<8>();
        for (x, to) in numbers.into_iter().zip(eights) {
            let x = sums_of_halves(vreinterpretq_u16_u8(x));
            // SAFETY: there is room for eight numbers; a vector of bytes needs no alignment.
            unsafe {
                vst1q_u8(to.as_mut_ptr().cast(), vreinterpretq_u8_u16(vaddq_u16(x, sum)));
            }
            sum = vaddq_u16(sum, vdupq_laneq_u16::<7>(x));
        }
        done += 16;
    }
    (done, vgetq_lane_u16::<0>(sum))
}

#[target_feature(enable = "neon")]
fn words_by_neon(planes: BytePlanes<4>, to: &mut [[u8; 4]]) -> (usize, u32) {
    let [a, b, c, d] = planes.map(|plane| plane.as_chunks::<16>().0);
    let mut done = 0;
    let mut sum = vdupq_n_u32(0);
    for ((((a, b), c), d), to) in a.iter().zip(b).zip(c).zip(d).zip(to.as_chunks_mut::<16>().0) {
        let [a, b, c, d] = [a, b, c, d].map(|bytes| load_bytes(bytes));
        let low = [vzip1q_u8(a, b), vzip2q_u8(a, b)].map(|x| vreinterpretq_u16_u8(x));
        let high = [vzip1q_u8(c, d), vzip2q_u8(c, d)].map(|x| vreinterpretq_u16_u8(x));
        let numbers = [
            vzip1q_u16(low[0], high[0]),
            vzip2q_u16(low[0], high[0]),
            vzip1q_u16(low[1], high[1]),
            vzip2q_u16(low[1], high[1]),
        ];
        let (fours, _) = to.as_chunks_mut::<4>();
        for (x, to) in numbers.into_iter().zip(fours) {
            let x = sums_of_words(vreinterpretq_u32_u16(x));
            // SAFETY: there is room for four numbers; a vector of bytes needs no alignment.
            unsafe {
                vst1q_u8(to.as_mut_ptr().cast(), vreinterpretq_u8_u32(vaddq_u32(x, sum)));
            }
            sum = vaddq_u32(sum, vdupq_laneq_u32::<3>(x));
        }
        done += 16;
    }
    (done, vgetq_lane_u32::<0>(sum))
}
