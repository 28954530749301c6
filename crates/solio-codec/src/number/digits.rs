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

/// Texts by number below 1000. All in one, so that one register points to them.
#[repr(C, align(64))]
pub(super) struct DigitTables {
    /// The three digits, the first one in the lowest byte.
    pub(super) triples: [u32; 1000],
    /// A point and those.
    pub(super) fractions: [u32; 1000],
    /// The digits without leading zeros; from [`MINUS`] on after a minus.
    pub(super) wholes: [u32; MINUS + 1000],
    /// How many bytes each of `wholes` has.
    pub(super) lengths: [u8; MINUS + 1000],
}

/// Added to an index of [`DigitTables::wholes`] for a minus in front.
pub(super) const MINUS: usize = 1024;

pub(super) static TABLES: DigitTables = {
    let mut tables = DigitTables {
        triples: [0; 1000],
        fractions: [0; 1000],
        wholes: [0; MINUS + 1000],
        lengths: [0; MINUS + 1000],
    };
    let mut i = 0;
    while i < 1000 {
        let triple = 0x30_3030 + (i / 100 + ((i / 10 % 10) << 8) + ((i % 10) << 16)) as u32;
        let zeros = (i < 100) as u8 + (i < 10) as u8;
        let whole = triple >> (8 * zeros);
        tables.triples[i] = triple;
        tables.fractions[i] = triple << 8 | b'.' as u32;
        (tables.wholes[i], tables.lengths[i]) = (whole, 3 - zeros);
        tables.wholes[MINUS + i] = whole << 8 | b'-' as u32;
        tables.lengths[MINUS + i] = 4 - zeros;
        i += 1;
    }
    tables
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
