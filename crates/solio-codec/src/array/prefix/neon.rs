//! Sixteen 16-bit or eight 32-bit samples at a time by NEON.

use super::same;
use crate::neon::{sums_of_halves, sums_of_words};
use crate::word::Word;
use solio_base::cpu::{Tier, tier};
use std::any::TypeId;
use std::arch::aarch64::*;

pub(super) fn sum<T: Word>(row: &mut [T], start: T) -> (usize, T) {
    let of = TypeId::of::<T>();
    let bits = start.to_u64();
    let (done, last) = if tier() < Tier::Neon {
        (0, bits)
    } else if of == TypeId::of::<u16>() {
        // SAFETY: every AArch64 processor has NEON.
        let (done, last) = unsafe { halves(same(row), bits as u16) };
        (done, u64::from(last))
    } else if of == TypeId::of::<u32>() {
        // SAFETY: as above.
        let (done, last) = unsafe { words(same(row), bits as u32) };
        (done, u64::from(last))
    } else {
        (0, bits)
    };
    (done, T::of_u64(last))
}

#[target_feature(enable = "neon")]
fn halves(row: &mut [u16], start: u16) -> (usize, u16) {
    let mut sum = vdupq_n_u16(start);
    let (groups, _) = row.as_chunks_mut::<16>();
    for group in groups.iter_mut() {
        for eight in group.as_chunks_mut::<8>().0 {
            // SAFETY: eight numbers are there.
            let x = sums_of_halves(unsafe { vld1q_u16(eight.as_ptr()) });
            // SAFETY: as above.
            unsafe { vst1q_u16(eight.as_mut_ptr(), vaddq_u16(x, sum)) };
            sum = vaddq_u16(sum, vdupq_laneq_u16::<7>(x));
        }
    }
    (16 * groups.len(), vgetq_lane_u16::<0>(sum))
}

#[target_feature(enable = "neon")]
fn words(row: &mut [u32], start: u32) -> (usize, u32) {
    let mut sum = vdupq_n_u32(start);
    let (groups, _) = row.as_chunks_mut::<8>();
    for group in groups.iter_mut() {
        for four in group.as_chunks_mut::<4>().0 {
            // SAFETY: four numbers are there.
            let x = sums_of_words(unsafe { vld1q_u32(four.as_ptr()) });
            // SAFETY: as above.
            unsafe { vst1q_u32(four.as_mut_ptr(), vaddq_u32(x, sum)) };
            sum = vaddq_u32(sum, vdupq_laneq_u32::<3>(x));
        }
    }
    (8 * groups.len(), vgetq_lane_u32::<0>(sum))
}
