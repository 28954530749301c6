//! Numbers that the lossless wavelet works on: 32 bits for halves, 64 for the rest. All wrap round, as damaged
//! files hold anything.

use super::block_decode::Word;

/// A sample or coefficient.
pub(super) trait Number: Copy + Default + Send + Sync + 'static {
    /// What code blocks have for it.
    type Coded: Word;
    const TWO: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Divided by a power of two, rounded down.
    fn shifted<const BY: u32>(self) -> Self;
    /// Of a sample as it is stored: signed, or 2^31 more than it is here.
    fn of(sample: u32, signed: bool) -> Self;
    /// The same, back.
    fn sample(self, signed: bool) -> u32;
    /// What a code block has for it; `shift` bit planes were left out.
    fn of_coded(coded: Self::Coded, shift: u32) -> Self;
    /// What a code block gets of it.
    fn to_coded(self) -> Self::Coded;
}

impl Number for i32 {
    type Coded = u32;
    const TWO: i32 = 2;
    #[inline(always)]
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: i32) -> i32 {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn shifted<const BY: u32>(self) -> i32 {
        self >> BY
    }
    #[inline(always)]
    fn of(sample: u32, _: bool) -> i32 {
        sample as i32
    }
    #[inline(always)]
    fn sample(self, _: bool) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn of_coded(coded: u32, shift: u32) -> i32 {
        // The middle of what was left out.
        let magnitude =
            if shift == 0 || coded == 0 { coded >> 1 } else { (coded | 1) << (shift - 1) };
        let sign = -((coded & 1) as i32);
        (magnitude as i32 ^ sign) - sign
    }
    #[inline(always)]
    fn to_coded(self) -> u32 {
        self.unsigned_abs() << 1 | self as u32 >> 31
    }
}

/// Larger than any coefficient.
const BIAS: i64 = 1 << 44;

impl Number for i64 {
    type Coded = u64;
    const TWO: i64 = 2;
    #[inline(always)]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: i64) -> i64 {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn shifted<const BY: u32>(self) -> i64 {
        // As AVX2 has no shift that keeps the sign; the same for all that is smaller than the bias.
        ((self.wrapping_add(BIAS) as u64 >> BY) as i64).wrapping_sub(BIAS >> BY)
    }
    #[inline(always)]
    fn of(sample: u32, signed: bool) -> i64 {
        if signed { i64::from(sample as i32) } else { i64::from(sample) - (1 << 31) }
    }
    #[inline(always)]
    fn sample(self, signed: bool) -> u32 {
        if signed { self as u32 } else { (self as u32).wrapping_add(1 << 31) }
    }
    #[inline(always)]
    fn of_coded(coded: u64, shift: u32) -> i64 {
        let magnitude =
            if shift == 0 || coded == 0 { coded >> 1 } else { (coded | 1) << (shift - 1) };
        let sign = -((coded & 1) as i64);
        (magnitude as i64 ^ sign) - sign
    }
    #[inline(always)]
    fn to_coded(self) -> u64 {
        self.unsigned_abs() << 1 | self as u64 >> 63
    }
}
