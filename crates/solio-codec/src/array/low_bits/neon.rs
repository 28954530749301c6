//! A row of sixteen numbers at a time by NEON.

use super::{BLOCK, ROWS, packed_bytes};
use crate::neon::load_bytes;
use solio_base::cpu::{Tier, tier};
use std::arch::aarch64::*;

pub(super) fn join(uppers: &[u8], packed: &[u8], bits: u32, to: &mut [u16]) -> usize {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { join_neon(uppers, packed, bits, to) } } else { 0 }
}

#[target_feature(enable = "neon")]
fn join_neon(uppers: &[u8], packed: &[u8], bits: u32, to: &mut [u16]) -> usize {
    let size = packed_bytes(BLOCK, bits);
    let up = vdupq_n_s16(bits as i16);
    let mask = vdupq_n_u16(((1u32 << bits) - 1) as u16);
    let one = vdupq_n_u16(1);
    let (blocks, _) = to.as_chunks_mut::<BLOCK>();
    for (i, (to, uppers)) in blocks.iter_mut().zip(uppers.as_chunks::<BLOCK>().0).enumerate() {
        let (words, _) = packed[i * size..][..size].as_chunks::<32>();
        let rows = to.as_chunks_mut::<16>().0.iter_mut().zip(uppers.as_chunks::<16>().0);
        for (row, (to, uppers)) in rows.enumerate().take(ROWS) {
            let (at, shift) = (row * bits as usize / 16, row as u32 * bits % 16);
            let mut low = [vdupq_n_u16(0); 2];
            if bits > 0 {
                // Shifts to the left by less than nothing.
                let down = vdupq_n_s16(-(shift as i16));
                low = load(&words[at]).map(|x| vshlq_u16(x, down));
            }
            if shift + bits > 16 {
                let rest = vdupq_n_s16(16 - shift as i16);
                let [a, b] = load(&words[at + 1]).map(|x| vshlq_u16(x, rest));
                low = [vorrq_u16(low[0], a), vorrq_u16(low[1], b)];
            }
            let uppers = load_bytes(uppers);
            let uppers = [vmovl_u8(vget_low_u8(uppers)), vmovl_high_u8(uppers)];
            for (i, eight) in to.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let value = vorrq_u16(vshlq_u16(uppers[i], up), vandq_u16(low[i], mask));
                // All ones where the lowest bit is set.
                let sign = vtstq_u16(value, one);
                let value = veorq_u16(vshrq_n_u16::<1>(value), sign);
                // SAFETY: there is room for eight numbers.
                unsafe { vst1q_u16(eight.as_mut_ptr(), value) };
            }
        }
    }
    blocks.len()
}

#[inline]
#[target_feature(enable = "neon")]
fn load(from: &[u8; 32]) -> [uint16x8_t; 2] {
    let (halves, _) = from.as_chunks::<16>();
    [load_bytes(&halves[0]), load_bytes(&halves[1])].map(|x| vreinterpretq_u16_u8(x))
}
