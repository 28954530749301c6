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

/// The three digits of numbers below 1000, the first one in the lowest byte.
pub(super) static TRIPLES: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut i = 0;
    while i < 1000 {
        table[i] = 0x30_3030 + (i / 100 + (i / 10 % 10 << 8) + (i % 10 << 16)) as u32;
        i += 1;
    }
    table
};

/// A point and those three digits.
pub(super) static FRACTIONS: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut i = 0;
    while i < 1000 {
        table[i] = TRIPLES[i] << 8 | b'.' as u32;
        i += 1;
    }
    table
};

/// The digits of numbers below 1000 without leading zeros; how many there are in the highest byte.
pub(super) static WHOLES: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut i = 0;
    while i < 1000 {
        let zeros = (i < 100) as u32 + (i < 10) as u32;
        table[i] = TRIPLES[i] >> (8 * zeros) | (3 - zeros) << 24;
        i += 1;
    }
    table
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
