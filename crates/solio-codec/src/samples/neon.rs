//! Eight numbers at a time by the conversions of every AArch64 processor, which the compiler of the
//! oldest Rust that Solio takes has no functions for.

use super::{float_to_half, half_to_float};
use crate::neon::load_bytes;
use solio_base::cpu::{Tier, tier};
use std::arch::{aarch64::*, asm};

pub(super) fn halves_to_floats(from: &[[u8; 2]], to: &mut [[u8; 4]]) -> usize {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { halves_to_floats_neon(from, to) } } else { 0 }
}

#[target_feature(enable = "neon")]
fn halves_to_floats_neon(from: &[[u8; 2]], to: &mut [[u8; 4]]) -> usize {
    let groups = from.as_chunks::<8>().0;
    for (from, to) in groups.iter().zip(to.as_chunks_mut::<8>().0) {
        let bytes: &[u8; 16] = from.as_flattened().try_into().expect("eight numbers");
        let x = vreinterpretq_u16_u8(load_bytes(bytes));
        // A NaN is above infinity, without its sign.
        if vmaxvq_u16(vshlq_n_u16::<1>(x)) > 0x7c00 << 1 {
            for (to, from) in to.iter_mut().zip(from) {
                *to = half_to_float(u16::from_le_bytes(*from)).to_le_bytes();
            }
            continue;
        }
        let (low, high): (float32x4_t, float32x4_t);
        // SAFETY: the instructions touch registers alone.
        unsafe {
            asm!(
                "fcvtl {low:v}.4s, {x:v}.4h",
                "fcvtl2 {high:v}.4s, {x:v}.8h",
                x = in(vreg) x, low = out(vreg) low, high = lateout(vreg) high,
                options(pure, nomem, nostack),
            );
        }
        let to = to.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for 32 bytes, which need no alignment.
        unsafe {
            vst1q_u8(to, vreinterpretq_u8_f32(low));
            vst1q_u8(to.add(16), vreinterpretq_u8_f32(high));
        }
    }
    groups.len() * 8
}

pub(super) fn floats_to_halves(from: &[[u8; 4]], to: &mut [[u8; 2]]) -> usize {
    // SAFETY: every AArch64 processor has NEON.
    if tier() == Tier::Neon { unsafe { floats_to_halves_neon(from, to) } } else { 0 }
}

#[target_feature(enable = "neon")]
fn floats_to_halves_neon(from: &[[u8; 4]], to: &mut [[u8; 2]]) -> usize {
    let groups = from.as_chunks::<8>().0;
    for (from, to) in groups.iter().zip(to.as_chunks_mut::<8>().0) {
        let bytes = from.as_ptr().cast::<u8>();
        // SAFETY: 32 bytes are there, and the loads need no alignment.
        let (low, high) = unsafe {
            let (low, high) = (vld1q_u8(bytes), vld1q_u8(bytes.add(16)));
            (vreinterpretq_f32_u8(low), vreinterpretq_f32_u8(high))
        };
        let numbers = vandq_u32(vceqq_f32(low, low), vceqq_f32(high, high));
        if vminvq_u32(numbers) == 0 {
            for (to, from) in to.iter_mut().zip(from) {
                *to = float_to_half(f32::from_le_bytes(*from)).to_le_bytes();
            }
            continue;
        }
        let halves: uint16x8_t;
        // SAFETY: the instructions touch registers alone.
        unsafe {
            asm!(
                "fcvtn {halves:v}.4h, {low:v}.4s",
                "fcvtn2 {halves:v}.8h, {high:v}.4s",
                low = in(vreg) low, high = in(vreg) high, halves = out(vreg) halves,
                options(pure, nomem, nostack),
            );
        }
        // SAFETY: there is room for 16 bytes, which need no alignment.
        unsafe { vst1q_u8(to.as_mut_ptr().cast(), vreinterpretq_u8_u16(halves)) };
    }
    groups.len() * 8
}
