//! Eight floats in two registers of NEON.

use super::{Eight, Lanes};
use std::arch::aarch64::*;

/// Registers of NEON, which every AArch64 processor has: a value is always at hand, and each block
/// below relies on that alone where it says no more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

type Floats = [float32x4_t; 2];

/// What is done with the lower and the upper halves of two.
#[inline(always)]
fn halves(
    f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t,
    [a, b]: Floats,
    [c, d]: Floats,
) -> Floats {
    [f(a, c), f(b, d)]
}

impl Lanes for Neon {
    type Floats = Floats;
    #[inline(always)]
    fn load(self, from: &Eight) -> Floats {
        // SAFETY: eight floats are there.
        unsafe { [vld1q_f32(from.0.as_ptr()), vld1q_f32(from.0.as_ptr().add(4))] }
    }
    #[inline(always)]
    fn store(self, [low, high]: Floats) -> Eight {
        let mut to = Eight([0.0; 8]);
        // SAFETY: there is room for eight floats.
        unsafe {
            vst1q_f32(to.0.as_mut_ptr(), low);
            vst1q_f32(to.0.as_mut_ptr().add(4), high);
        }
        to
    }
    #[inline(always)]
    fn splat(self, x: f32) -> Floats {
        // SAFETY: NEON is there.
        unsafe { [vdupq_n_f32(x); 2] }
    }
    #[inline(always)]
    fn add(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: NEON is there.
        halves(|a, b| unsafe { vaddq_f32(a, b) }, a, b)
    }
    #[inline(always)]
    fn sub(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: NEON is there.
        halves(|a, b| unsafe { vsubq_f32(a, b) }, a, b)
    }
    #[inline(always)]
    fn mul(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: NEON is there.
        halves(|a, b| unsafe { vmulq_f32(a, b) }, a, b)
    }
    // NEON's own minimum and maximum are NaN where one is.
    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: NEON is there.
        halves(|a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }, a, b)
    }
    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: NEON is there.
        halves(|a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }, a, b)
    }
    #[inline(always)]
    fn abs(self, x: Floats) -> Floats {
        // SAFETY: NEON is there.
        x.map(|x| unsafe { vabsq_f32(x) })
    }
    #[inline(always)]
    fn at_most(self, a: Floats, b: Floats) -> u32 {
        const BITS: [u32; 4] = [1, 2, 4, 8];
        // SAFETY: NEON is there, and four numbers are.
        unsafe {
            let bits = vld1q_u32(BITS.as_ptr());
            let low = vandq_u32(vcleq_f32(a[0], b[0]), bits);
            let high = vandq_u32(vcleq_f32(a[1], b[1]), vshlq_n_u32::<4>(bits));
            vaddvq_u32(vorrq_u32(low, high))
        }
    }
    #[inline(always)]
    fn where_less(self, a: Floats, b: Floats, then: Floats, otherwise: Floats) -> Floats {
        // SAFETY: NEON is there.
        [0, 1].map(|i| unsafe { vbslq_f32(vcltq_f32(a[i], b[i]), then[i], otherwise[i]) })
    }
    #[inline(always)]
    fn swap_halves(self, [low, high]: Floats) -> Floats {
        [high, low]
    }
    #[inline(always)]
    fn cycle(self, x: Floats) -> Floats {
        // SAFETY: NEON is there.
        x.map(|x| unsafe {
            // Lanes 1, 2, 3, 0, of which the last two change places.
            let turned = vextq_f32::<1>(x, x);
            let last = vrev64q_f32(turned);
            vcombine_f32(vget_low_f32(turned), vget_high_f32(last))
        })
    }
    #[inline(always)]
    fn shift_in(self, [low, high]: Floats, first: f32) -> Floats {
        // SAFETY: NEON is there.
        unsafe { [vextq_f32::<3>(vdupq_n_f32(first), low), vextq_f32::<3>(low, high)] }
    }
    #[inline(always)]
    fn columns(self, rows: [&[f32; 4]; 8]) -> [Floats; 4] {
        // SAFETY: NEON is there, and each row has four floats.
        let (low, high) = unsafe {
            let rows = rows.map(|row| vld1q_f32(row.as_ptr()));
            (
                transposed([rows[0], rows[1], rows[2], rows[3]]),
                transposed([rows[4], rows[5], rows[6], rows[7]]),
            )
        };
        std::array::from_fn(|i| [low[i], high[i]])
    }
    #[inline(always)]
    fn rows(self, [a, b, c, d]: [Floats; 4]) -> [[f32; 4]; 8] {
        let mut rows = [[0.0; 4]; 8];
        let to = rows.as_mut_ptr().cast::<f32>();
        // SAFETY: there is room for 32 floats.
        unsafe {
            vst4q_f32(to, float32x4x4_t(a[0], b[0], c[0], d[0]));
            vst4q_f32(to.add(16), float32x4x4_t(a[1], b[1], c[1], d[1]));
        }
        rows
    }
    #[inline(always)]
    fn whole(self, [low, high]: Floats) -> [i32; 8] {
        let mut to = [0; 8];
        // SAFETY: there is room for eight numbers.
        unsafe {
            vst1q_s32(to.as_mut_ptr(), vcvtq_s32_f32(low));
            vst1q_s32(to.as_mut_ptr().add(4), vcvtq_s32_f32(high));
        }
        to
    }
    #[inline(always)]
    fn least(self, [low, high]: Floats) -> f32 {
        // SAFETY: NEON is there.
        unsafe { vminvq_f32(vminq_f32(low, high)) }
    }
}

/// Rows and columns of four by four change places.
#[inline]
#[target_feature(enable = "neon")]
fn transposed([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
    let (ab, ab_odd) = (vtrn1q_f32(a, b), vtrn2q_f32(a, b));
    let (cd, cd_odd) = (vtrn1q_f32(c, d), vtrn2q_f32(c, d));
    let low = |x, y| vcombine_f32(vget_low_f32(x), vget_low_f32(y));
    let high = |x, y| vcombine_f32(vget_high_f32(x), vget_high_f32(y));
    [low(ab, cd), low(ab_odd, cd_odd), high(ab, cd), high(ab_odd, cd_odd)]
}
