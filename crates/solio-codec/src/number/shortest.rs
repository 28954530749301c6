//! The fewest digits that read back to the same float; of those the nearest to the value,
//! and the even one of two that are equally near.
//!
//! Notation: plain decimal without a trailing point (`1`, `0.25`, `-0`) where the first digit stands
//! between 10⁻⁶ and 10¹² (`f32`) or 10⁻⁵ and 10¹⁵ (`f64`), otherwise with an exponent
//! (`1e-9`, `1.5e20`).
//!
//! The way is that of Raffaello Giulietti, "The Schubfach way to render doubles" (2020). Numbers that
//! read back to v = c · 2^q lie within half a step of 2^q of it. With 10^k ≤ 2^q < 10^(k+1), at most one
//! multiple of 10^(k+1) is among them, which is the shortest then; otherwise it is the multiple of 10^k
//! that is nearest. So v / 10^(k+1) is all that must be known: its whole part has the digits but the
//! last one, and its fraction tells which of them it is to be.
//!
//! The quotient is a product with a power that was rounded up. Continued fractions tell how near a
//! fraction can come to a boundary without lying on it: 2^−62.9 (`f64`) and 2^−32.06 (`f32`) to the end
//! of the interval, 2^−67.9 and 2^−36.04 to the middle of two digits. All that lies nearer is on it.

use super::digits::{TABLES, ZEROS, eight, sixteen};
use super::powers::{exponent, power, tens};
use super::tail::TextTail;

/// Most bytes that [`write_f32`] and [`write_f64`] write.
pub(super) const ROOM: usize = 26;

/// The shortest digits of a float: (10 · `whole` + `last`) · 10^`power`, with `last` below 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShortestSplit {
    pub(super) whole: u64,
    pub(super) last: u64,
    pub(super) power: i32,
}

/// The shortest decimal of a float: `number` · 10^`power`. The number may end in zeros.
///
/// ```
/// use solio_codec::number::format::ShortestDecimal;
/// let ShortestDecimal { number, power } = ShortestDecimal::of_f32(0.1);
/// assert_eq!(format!("{number}e{power}").parse(), Ok(0.1));
/// // 0.1 of an `f32` is not that of an `f64`; its text is.
/// let text = |d: ShortestDecimal| d.number.to_string().trim_end_matches('0').to_string();
/// assert_eq!(text(ShortestDecimal::of_f64(f64::from(0.1f32))), "10000000149011612");
/// assert_eq!(text(ShortestDecimal::of_f32(-0.1)), "1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestDecimal {
    /// Up to nine digits of an `f32`, 17 of an `f64`; 0 only of zero.
    pub number: u64,
    /// The power of ten that it is to be multiplied by.
    pub power: i32,
}

impl ShortestDecimal {
    /// Of a finite value, without its sign.
    ///
    /// ```
    /// use solio_codec::number::format::ShortestDecimal;
    /// let ShortestDecimal { number, power } = ShortestDecimal::of_f32(16_777_216.0);
    /// assert_eq!(number * 10u64.pow(power as u32), 16_777_216);
    /// ```
    #[inline]
    pub fn of_f32(value: f32) -> ShortestDecimal {
        debug_assert!(value.is_finite());
        split_f32(value).into()
    }

    /// Of a finite value, without its sign.
    ///
    /// ```
    /// use solio_codec::number::format::ShortestDecimal;
    /// let ShortestDecimal { number, power } = ShortestDecimal::of_f64(-5e-324);
    /// assert_eq!((number, power), (5, -324));
    /// ```
    #[inline]
    pub fn of_f64(value: f64) -> ShortestDecimal {
        debug_assert!(value.is_finite());
        split_f64(value).into()
    }
}

impl From<ShortestSplit> for ShortestDecimal {
    #[inline]
    fn from(split: ShortestSplit) -> ShortestDecimal {
        ShortestDecimal { number: 10 * split.whole + split.last, power: split.power }
    }
}

/// What is the same for all `f32` of an exponent.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct SingleRow {
    /// 2^q / 10^(k+1) · 2^63, rounded up.
    pub(super) factor: u64,
    /// A bit for the place of the digit before the point, of sixteen of which the digits of `whole` are
    /// from [`SINGLE_BEFORE`] on; 0 if that is elsewhere or some of the values have an exponent.
    pub(super) unit: u32,
    /// k.
    pub(super) power: i32,
}

/// Places of sixteen before the digits of an `f32`: the zeros of 0.00001.
pub(super) const SINGLE_BEFORE: i32 = 6;

/// By the exponent's bits, then of a fraction that is 0: the float below is only half a step away.
/// The first row of those is zero's.
pub(super) static SINGLE_ROWS: [SingleRow; 512] = {
    let mut rows = [SingleRow { factor: 0, unit: 0, power: 0 }; 512];
    let mut i = 0;
    while i < 512 {
        let (biased, narrow) = (i as i32 % 256, i > 257);
        if i == 256 {
            rows[i].unit = 1 << SINGLE_BEFORE;
        } else if biased < 255 {
            let q = if biased == 0 { 1 } else { biased } - 150;
            let k = tens(q, narrow);
            let n = -(k + 1);
            let cut = 64 - q - exponent(n);
            let rounded = (power(n) + ((1 << cut) - 1)) >> cut;
            // Of a normal number `whole` has 6 to 8 digits.
            let unit = SINGLE_BEFORE + 8 + k;
            let plain = biased > 0 && k >= -12 && unit < 16;
            rows[i] = SingleRow {
                factor: rounded as u64,
                unit: if plain { 1 << unit } else { 0 },
                power: k,
            };
        }
        i += 1;
    }
    rows
};

/// Bits of the fraction of an `f32`'s quotient.
pub(super) const SINGLE_BITS: u32 = 39;

/// A quotient of an `f32` and its fraction are less than this off, and others lie farther from a boundary.
pub(super) const SINGLE_NEAR: u64 = 8;

/// The same of ten times the fraction, and the middle of two digits.
pub(super) const SINGLE_MIDDLE: u64 = 16;

/// Of a finite value.
#[inline(always)]
pub(super) fn split_f32(value: f32) -> ShortestSplit {
    const ONE: u64 = 1 << SINGLE_BITS;
    let bits = value.to_bits();
    let (biased, fraction) = (bits >> 23 & 0xff, u64::from(bits & 0x7f_ffff));
    let c = if biased == 0 { fraction } else { fraction | 1 << 23 };
    let row = &SINGLE_ROWS[(biased as usize) | (usize::from(fraction == 0) << 8)];
    let quotient = ((u128::from(c << 8) * u128::from(row.factor)) >> 32) as u64;
    let (whole, part) = (quotient >> SINGLE_BITS, quotient & (ONE - 1));
    let half_step = row.factor >> (64 - SINGLE_BITS);
    let narrow = fraction == 0 && biased > 1;
    // An even c reads both ends of its interval.
    let bias = (2 * SINGLE_NEAR * u64::from(c & 1 == 0)).wrapping_sub(SINGLE_NEAR);
    let down = part < (half_step >> u32::from(narrow)).wrapping_add(bias);
    let up = part.wrapping_add(half_step).wrapping_add(bias) > ONE;
    let power = row.power;
    if down | up {
        return ShortestSplit { whole: whole + u64::from(up), last: 0, power };
    }
    let ten = 10 * part;
    // To the nearest, in the middle to the even one.
    let odd = ten >> SINGLE_BITS & 1;
    let mut last = (ten + (ONE / 2 - SINGLE_MIDDLE) + 2 * SINGLE_MIDDLE * odd) >> SINGLE_BITS;
    // The nearest may be below an interval that is shorter there.
    if narrow && ten > (last << SINGLE_BITS) + 10 * (half_step >> 1) {
        last += 1;
    }
    ShortestSplit { whole, last, power }
}

/// Of a finite value.
#[inline(always)]
pub(super) fn split_f64(value: f64) -> ShortestSplit {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if fraction == 0 {
        return split_power_of_two(biased);
    }
    let c = if biased == 0 { fraction } else { fraction | 1 << 52 };
    split_double(c, biased.max(1) - 1075, false)
}

/// Of an `f64` with a fraction of 0: the float below is only half a step away.
#[inline(never)]
fn split_power_of_two(biased: i32) -> ShortestSplit {
    match biased {
        0 => ShortestSplit { whole: 0, last: 0, power: 0 },
        _ => split_double(1 << 52, biased - 1075, biased > 1),
    }
}

/// Of `c` · 2^`q`; with `narrow`, the float below is only half a step away.
#[inline(always)]
fn split_double(c: u64, q: i32, narrow: bool) -> ShortestSplit {
    let k = tens(q, narrow);
    let n = -(k + 1);
    let shift = q + exponent(n);
    let factor = power(n);
    // 53 bits and 74 of the fraction.
    let shifted = u128::from(c << (shift + 11));
    let quotient = shifted * (factor >> 64) + ((shifted * u128::from(factor as u64)) >> 64);
    let (whole, part) = ((quotient >> 74) as u64, (quotient >> 10) as u64);
    let half_step = (factor >> 64) as u64 >> -shift;
    let bias = 2 * u64::from(c & 1 == 0);
    let down = part < (half_step >> u32::from(narrow)) + bias;
    let up = part > (half_step + bias).wrapping_neg();
    if down | up {
        return ShortestSplit { whole: whole + u64::from(up), last: 0, power: k };
    }
    let ten = u128::from(part) * 10;
    let (digit, rest) = ((ten >> 64) as u64, ten as u64);
    let mut last = digit + (rest >> 63);
    if rest.wrapping_sub((1 << 63) - 16) < 32 {
        last = middle(quotient);
    }
    if narrow && ten > (u128::from(last) << 64) + 10 * u128::from(half_step >> 1) {
        last += 1;
    }
    ShortestSplit { whole, last, power: k }
}

/// The last digit where the value lies in the middle of two, or near it.
#[cold]
#[inline(never)]
fn middle(quotient: u128) -> u64 {
    const HALF: u128 = 1 << 73;
    let ten = (quotient & (2 * HALF - 1)) * 10;
    let (digit, rest) = ((ten >> 74) as u64, ten & (2 * HALF - 1));
    match rest.abs_diff(HALF) <= 16 {
        true => digit + (digit & 1),
        false => digit + u64::from(rest > HALF),
    }
}

/// Writes a finite value.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write_f32(tail: &mut TextTail<'_>, value: f32) {
    let split = split_f32(value);
    let digits = u128::from(eight(split.whole)) | u128::from(split.last) << 64;
    let first = split.power + 8;
    // SAFETY: passed on.
    unsafe { write_digits::<-6, 13, false>(tail, value.is_sign_negative(), digits, 0, first) }
}

/// [`write_f32`] for doubles.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
pub(super) unsafe fn write_f64(tail: &mut TextTail<'_>, value: f64) {
    let ShortestSplit { whole, last, power } = split_f64(value);
    let (digits, extra, first) = match whole {
        0 => (u128::from(last), 0, power),
        _ => (sixteen(whole), last as u8, power + 16),
    };
    // SAFETY: passed on.
    unsafe { write_digits::<-5, 16, true>(tail, value.is_sign_negative(), digits, extra, first) }
}

/// Writes digits, the first one of which (which may be 0) counts 10^`first`; with `WIDE`, `extra` is the
/// 17th. The notation is plain where the first digit other than 0 counts 10^`LEAST` or more, and less
/// than 10^`BELOW`.
///
/// # Safety
/// There is [`ROOM`].
#[inline(always)]
unsafe fn write_digits<const LEAST: i32, const BELOW: i32, const WIDE: bool>(
    tail: &mut TextTail<'_>,
    negative: bool,
    digits: u128,
    extra: u8,
    first: i32,
) {
    const ALL: u128 = (ZEROS as u128) << 64 | ZEROS as u128;
    let zeros = (digits.trailing_zeros() / 8) as usize;
    // SAFETY: a sign; then each branch says how much it writes. Stores go no more than 17 bytes beyond.
    unsafe {
        tail.word(u64::from(b'-'), usize::from(negative));
        if digits == 0 {
            return tail.word(u64::from(b'0'), 1);
        }
        let text = (digits | ALL) >> (8 * zeros);
        let count = match extra {
            0 => 16 - (digits.leading_zeros() / 8) as usize,
            _ => 17,
        } - zeros;
        let extra = extra | b'0';
        let exponent = first - zeros as i32;
        if (0..BELOW).contains(&exponent) {
            // At most 16 before the point; with it, 18.
            let whole = exponent as usize + 1;
            tail.digits::<WIDE>(text, extra, 16 - zeros, whole.min(count));
            if count <= whole {
                tail.wide(ALL, whole - count);
            } else {
                tail.word(u64::from(b'.'), 1);
                let rest = text >> (8 * exponent as u32) >> 8;
                tail.digits::<WIDE>(rest, extra, 16 - zeros - whole, count - whole);
            }
        } else if (LEAST..0).contains(&exponent) {
            // At most 7 and 17.
            tail.word(ZEROS & !0xff00 | u64::from(b'.') << 8, (1 - exponent) as usize);
            tail.digits::<WIDE>(text, extra, 16 - zeros, count);
        } else {
            // At most 18 with the point, and 5.
            tail.word(text as u64, 1);
            if count > 1 {
                tail.word(u64::from(b'.'), 1);
                tail.digits::<WIDE>(text >> 8, extra, 15 - zeros, count - 1);
            }
            let size = exponent.unsigned_abs() as usize;
            let e = u64::from(b'e') | if exponent < 0 { u64::from(b'-') << 8 } else { 0 };
            tail.word(e, 1 + usize::from(exponent < 0));
            tail.word(u64::from(TABLES.wholes[size]), usize::from(TABLES.lengths[size]));
        }
    }
}
