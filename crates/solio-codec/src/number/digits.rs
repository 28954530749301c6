//! Integers to decimal digits, eight at a time inside one word, without branches or tables.
//!
//! - The eight digits of a word are split in three steps (÷10⁴, ÷100, ÷10), each one multiplication
//!   for all parts at once.
//! - The number of leading zeros is the number of trailing zero *bits* of the digit bytes / 8, so
//!   dropping them is a shift.

/// `'0'` in each byte.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// 10 to the power of the index.
pub(super) const POWERS: [u64; 20] = {
    let mut powers = [1u64; 20];
    let mut i = 1;
    while i < 20 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The eight decimal digits of `x < 10⁸` as byte values 0 to 9, the first digit in the lowest byte.
#[inline(always)]
pub(super) fn eight(x: u64) -> u64 {
    debug_assert!(x < 100_000_000);
    // Each constant is 2^k / divisor rounded up; the products are exact for these ranges.
    let high = (x * 109_951_163) >> 40;
    let fours = high + ((x - high * 10_000) << 32);
    let hundreds = ((fours * 5243) >> 19) & 0x0000_007f_0000_007f;
    let twos = hundreds + ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens + ((twos - tens * 10) << 8)
}

/// The sixteen decimal digits of `x < 10¹⁶`, as [`eight`] gives them.
#[inline(always)]
pub(super) fn sixteen(x: u64) -> u128 {
    let high = x / 100_000_000;
    eight(high) as u128 | (eight(x - high * 100_000_000) as u128) << 64
}

/// The text of `x < 10⁸` and its length.
#[inline(always)]
pub(super) fn short_text(x: u64) -> (u64, usize) {
    let digits = eight(x);
    // The last digit always counts.
    let zeros = (digits | 1 << 56).trailing_zeros() & 56;
    ((digits | ZEROS) >> zeros, 8 - (zeros / 8) as usize)
}
