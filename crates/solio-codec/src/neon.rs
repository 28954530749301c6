//! Loads, stores and running sums by NEON, which every AArch64 processor has.

use std::arch::aarch64::*;

/// From memory; no alignment is needed, here and below.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load_bytes(from: &[u8; 16]) -> uint8x16_t {
    // SAFETY: 16 bytes are there.
    unsafe { vld1q_u8(from.as_ptr()) }
}

/// To memory.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn store_bytes(x: uint8x16_t, to: &mut [u8; 16]) {
    // SAFETY: there is room for 16 bytes.
    unsafe { vst1q_u8(to.as_mut_ptr(), x) }
}

/// The sums of all lanes up to each.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn sums_of_bytes(x: uint8x16_t) -> uint8x16_t {
    let zero = vdupq_n_u8(0);
    let x = vaddq_u8(x, vextq_u8::<15>(zero, x));
    let x = vaddq_u8(x, vextq_u8::<14>(zero, x));
    let x = vaddq_u8(x, vextq_u8::<12>(zero, x));
    vaddq_u8(x, vextq_u8::<8>(zero, x))
}

/// The sums of all lanes up to each.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn sums_of_halves(x: uint16x8_t) -> uint16x8_t {
    let zero = vdupq_n_u16(0);
    let x = vaddq_u16(x, vextq_u16::<7>(zero, x));
    let x = vaddq_u16(x, vextq_u16::<6>(zero, x));
    vaddq_u16(x, vextq_u16::<4>(zero, x))
}

/// The sums of all lanes up to each.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn sums_of_words(x: uint32x4_t) -> uint32x4_t {
    let zero = vdupq_n_u32(0);
    let x = vaddq_u32(x, vextq_u32::<3>(zero, x));
    vaddq_u32(x, vextq_u32::<2>(zero, x))
}
