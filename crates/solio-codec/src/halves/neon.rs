//! Sixteen pairs at a time by NEON, whose loads and stores take pairs apart and put them together.

use crate::neon::{load_bytes, store_bytes, sums_of_bytes};
use solio_base::cpu::{Tier, tier};
use std::arch::aarch64::*;

pub(super) fn split(pairs: &[[u8; 2]], even: &mut [u8], odd: &mut [u8]) -> usize {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { split_neon(pairs, even, odd) } } else { 0 }
}

#[target_feature(enable = "neon")]
fn split_neon(pairs: &[[u8; 2]], even: &mut [u8], odd: &mut [u8]) -> usize {
    let mut done = 0;
    let mut before = [vdupq_n_u8(128); 2];
    let groups = pairs.as_chunks::<16>().0.iter();
    let halves = even.as_chunks_mut::<16>().0.iter_mut().zip(odd.as_chunks_mut::<16>().0);
    for (group, (even, odd)) in groups.zip(halves) {
        // SAFETY: a group has 32 bytes.
        let uint8x16x2_t(a, b) = unsafe { vld2q_u8(group.as_ptr().cast()) };
        store_bytes(differences(a, before[0]), even);
        store_bytes(differences(b, before[1]), odd);
        before = [a, b];
        done += 16;
    }
    done
}

/// Of each byte to the one before, plus 128; `before` are the 16 bytes before.
#[inline]
#[target_feature(enable = "neon")]
fn differences(x: uint8x16_t, before: uint8x16_t) -> uint8x16_t {
    veorq_u8(vsubq_u8(x, vextq_u8::<15>(before, x)), vdupq_n_u8(128))
}

/// Also says what the last pair was.
pub(super) fn merge(
    even: &[u8],
    odd: &[u8],
    start: [u8; 2],
    pairs: &mut [[u8; 2]],
) -> (usize, [u8; 2]) {
    if tier() < Tier::Neon {
        return (0, start);
    }
    // SAFETY: every AArch64 processor has NEON.
    unsafe { merge_neon(even, odd, start, pairs) }
}

#[target_feature(enable = "neon")]
fn merge_neon(even: &[u8], odd: &[u8], start: [u8; 2], pairs: &mut [[u8; 2]]) -> (usize, [u8; 2]) {
    let mut done = 0;
    let [mut sum_a, mut sum_b] = start.map(|byte| vdupq_n_u8(byte));
    let halves = even.as_chunks::<16>().0.iter().zip(odd.as_chunks::<16>().0);
    for ((even, odd), to) in halves.zip(pairs.as_chunks_mut::<16>().0) {
        let (a, b) = (sums(even), sums(odd));
        let both = uint8x16x2_t(vaddq_u8(a, sum_a), vaddq_u8(b, sum_b));
        // One addition from group to group.
        sum_a = vaddq_u8(sum_a, vdupq_laneq_u8::<15>(a));
        sum_b = vaddq_u8(sum_b, vdupq_laneq_u8::<15>(b));
        // SAFETY: there is room for 16 pairs.
        unsafe { vst2q_u8(to.as_mut_ptr().cast(), both) };
        done += 16;
    }
    (done, [vgetq_lane_u8::<0>(sum_a), vgetq_lane_u8::<0>(sum_b)])
}

/// Sums of the bytes so far, each less 128.
#[inline]
#[target_feature(enable = "neon")]
fn sums(bytes: &[u8; 16]) -> uint8x16_t {
    sums_of_bytes(veorq_u8(load_bytes(bytes), vdupq_n_u8(128)))
}
