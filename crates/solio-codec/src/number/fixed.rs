//! One float with a fixed number of digits, plain code.
//!
//! - An `f32` times 10^D is exact in `f64` for D ≤ 12 (24 + 28 bits), so one addition that rounds
//!   half to even gives all digits as one integer. Everything else takes an exact 128-bit product.
//! - Up to 999 before the point and six digits after it, by far the most common numbers: three
//!   look-ups of three digits each, found by multiplications that do not wait for one another.
//! - Otherwise the digits are made eight at a time ([`super::digits`]); leading zeros go away by a
//!   shift, the point comes in by another.

use super::digits::{MINUS, POWERS, TABLES, ZEROS, eight, sixteen};
use super::tail::TextTail;

/// Most bytes that [`write_f32`] and [`write_f64`] write.
pub(super) const ROOM: usize = 40;

/// Sums with this round to an integer, half to even; the sum's low bits are that integer.
pub(super) const ROUND: f64 = 4_503_599_627_370_496.0; // 2^52

/// Scaled values below this take the short way: far enough below 2^52, and 15 digits.
pub(super) const LIMIT: f64 = 1e15;

/// A number below 10⁹ times the first of these, shifted right by the second, is the number divided
/// by 10⁶: 2^50 / 10⁶ rounded up.
pub(super) const MILLION: (u64, i32) = (1_125_899_907, 50);

/// As [`MILLION`] for 1000.
const THOUSAND: (u64, i32) = (2_199_023_256, 41);

/// What is the same for all numbers with so many digits.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    pub(super) digits: usize,
    /// 10^digits.
    pub(super) scale: f64,
    /// The point and the digits after it; nothing without digits.
    pub(super) tail: usize,
    /// Numbers below this (times 10^digits) take the look-ups.
    pub(super) short: u64,
    /// Makes six digits after the point of those.
    pub(super) pad: u32,
}

impl Fixed {
    /// `None` for more digits than the kernels do.
    pub(super) fn new(digits: u8) -> Option<Fixed> {
        let digits = digits as usize;
        (digits <= super::Digits::MAX_FIXED as usize).then(|| Fixed {
            digits,
            scale: POWERS[digits] as f64,
            tail: if digits == 0 { 0 } else { digits + 1 },
            short: if digits <= 6 { 1000 * POWERS[digits] } else { 0 },
            pad: POWERS[6 - digits.min(6)] as u32,
        })
    }
}

/// Writes a value, or returns false and writes nothing if it is not finite or has more than about
/// 19 digits.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write_f32(tail: &mut TextTail<'_>, fixed: &Fixed, value: f32) -> bool {
    let negative = value.is_sign_negative();
    if fixed.digits <= 12 {
        let scaled = f64::from(value.abs()) * fixed.scale;
        // NaN and infinity fail too.
        if scaled < LIMIT {
            let number = (scaled + ROUND).to_bits() & ((1 << 52) - 1);
            // SAFETY: passed on.
            unsafe { write_number(tail, fixed, negative, number) };
            return true;
        }
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, u64::from(bits & 0x7f_ffff));
    if exponent == 0xff {
        return false;
    }
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 23 };
    // SAFETY: passed on.
    unsafe { write_exact(tail, fixed, negative, mantissa, exponent.max(1) - 150) }
}

/// [`write_f32`] for doubles.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write_f64(tail: &mut TextTail<'_>, fixed: &Fixed, value: f64) -> bool {
    let negative = value.is_sign_negative();
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if exponent == 0x7ff {
        return false;
    }
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    // SAFETY: passed on.
    unsafe { write_exact(tail, fixed, negative, mantissa, exponent.max(1) - 1075) }
}

/// # Safety
/// There is [`ROOM`].
#[inline(always)]
unsafe fn write_exact(
    tail: &mut TextTail<'_>,
    fixed: &Fixed,
    negative: bool,
    mantissa: u64,
    exponent: i32,
) -> bool {
    match scaled(mantissa, exponent, fixed.digits) {
        Some(number) => {
            // SAFETY: passed on.
            unsafe { write_number(tail, fixed, negative, number) };
            true
        }
        None => false,
    }
}

/// `mantissa` · 2^`exponent` · 10^`digits`, rounded half to even; `None` from 2^63 on.
#[inline(always)]
fn scaled(mantissa: u64, exponent: i32, digits: usize) -> Option<u64> {
    // At most 53 + 57 bits.
    let product = u128::from(mantissa) * u128::from(POWERS[digits]);
    if exponent >= 0 {
        let fits = product == 0 || product.leading_zeros() as i32 > 64 + exponent;
        return fits.then(|| (product as u64).checked_shl(exponent as u32).unwrap_or(0));
    }
    let shift = -exponent as u32;
    if shift > 127 {
        return Some(0); // less than half
    }
    let odd = product >> shift & 1;
    let rounded = (product + ((1 << (shift - 1)) - 1) + odd) >> shift;
    (rounded < 1 << 63).then_some(rounded as u64)
}

/// Writes `number` / 10^D.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
unsafe fn write_number(tail: &mut TextTail<'_>, fixed: &Fixed, negative: bool, number: u64) {
    // SAFETY: 1 byte for the sign; the others say how much they take.
    unsafe {
        if number < fixed.short {
            return write_short(
                tail,
                fixed,
                FixedParts::new(negative, number * u64::from(fixed.pad)),
            );
        }
        tail.word(u64::from(b'-'), usize::from(negative));
        if number < 10_000_000_000_000_000 && fixed.digits <= 15 {
            write_16(tail, fixed, number);
        } else {
            write_24(tail, fixed, number);
        }
    }
}

/// Where the texts of a number's parts stand in [`TABLES`].
#[derive(Clone, Copy)]
struct FixedParts {
    whole: usize,
    high: usize,
    low: usize,
}

impl FixedParts {
    /// `number` / 10⁶ below 1000.
    #[inline(always)]
    fn new(negative: bool, number: u64) -> FixedParts {
        let whole = (number * MILLION.0) >> MILLION.1;
        let thousands = (number * THOUSAND.0) >> THOUSAND.1;
        FixedParts {
            whole: whole as usize + usize::from(negative) * MINUS,
            high: (thousands - 1000 * whole) as usize,
            low: (number - 1000 * thousands) as usize,
        }
    }
}

/// Of the six digits after the point as many as are wanted.
///
/// # Safety
/// There is room for 11 bytes; each part is within its table.
#[inline(always)]
unsafe fn write_short(tail: &mut TextTail<'_>, fixed: &Fixed, parts: FixedParts) {
    debug_assert!(parts.high < 1000 && parts.low < 1000);
    // SAFETY: the caller promises the parts; a minus, at most 3 digits, a point and 6 digits.
    unsafe {
        write_whole(tail, parts.whole);
        let high = *TABLES.fractions.get_unchecked(parts.high);
        let low = *TABLES.triples.get_unchecked(parts.low);
        tail.word(u64::from(high) | u64::from(low) << 32, fixed.tail);
    }
}

/// What stands before the point.
///
/// # Safety
/// There is room for 4 bytes; the part is within its table.
#[inline(always)]
pub(super) unsafe fn write_whole(tail: &mut TextTail<'_>, whole: usize) {
    debug_assert!(whole < TABLES.wholes.len());
    // SAFETY: the caller promises the part; a minus, and at most 3 digits.
    unsafe {
        let text = *TABLES.wholes.get_unchecked(whole);
        tail.word(u64::from(text), usize::from(*TABLES.lengths.get_unchecked(whole)));
    }
}

/// At most 16 digits, at most 15 of them after the point.
///
/// # Safety
/// There is room for 17 bytes.
#[inline(always)]
unsafe fn write_16(tail: &mut TextTail<'_>, fixed: &Fixed, number: u64) {
    let digits = sixteen(number);
    let whole = 16 - fixed.digits;
    let zeros = (digits | 1 << (8 * (whole - 1))).trailing_zeros() & 120;
    let text = digits | (u128::from(ZEROS) << 64 | u128::from(ZEROS));
    let after = text.wrapping_shr(8 * whole as u32) << 8 | u128::from(b'.');
    // SAFETY: at most 16 digits and a point.
    unsafe {
        tail.wide(text >> zeros, whole - (zeros / 8) as usize);
        tail.wide(after, fixed.tail);
    }
}

/// Any number of digits: rare, so plain.
///
/// # Safety
/// There is room for 25 bytes.
#[inline(always)]
unsafe fn write_24(tail: &mut TextTail<'_>, fixed: &Fixed, number: u64) {
    let text = digits_24(number);
    let point = 24 - fixed.digits;
    let start = text[..point - 1].iter().position(|&b| b != b'0').unwrap_or(point - 1);
    // SAFETY: at most 24 digits and a point.
    unsafe {
        tail.slice(&text[start..point]);
        tail.word(u64::from(b'.'), usize::from(fixed.digits > 0));
        tail.slice(&text[point..]);
    }
}

#[inline(never)]
pub(super) fn digits_24(number: u64) -> [u8; 24] {
    const LOW: u64 = 10_000_000_000_000_000;
    let mut text = [0; 24];
    text[..8].copy_from_slice(&(eight(number / LOW) | ZEROS).to_le_bytes());
    text[8..16].copy_from_slice(&(eight(number % LOW / 100_000_000) | ZEROS).to_le_bytes());
    text[16..].copy_from_slice(&(eight(number % 100_000_000) | ZEROS).to_le_bytes());
    text
}
