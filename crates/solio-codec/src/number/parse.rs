//! Text to numbers.
//!
//! Every function reads the number at the start of the slice and says how many bytes it took. Give
//! it the whole rest of the buffer: with less than 26 bytes it takes a slower way.
//!
//! - All digits of a usual number stand in one word: the point is cut out by two shifts, leading
//!   zeros appear by another, and three multiplications make the number. No loop.
//! - One division of two exact doubles follows. As an `f64` that is the correctly rounded value; as
//!   an `f32` too, see `Decimal::single`. Whatever is not of this shape goes to `fast-float2`.
//! - Where the next number starts hangs on the length of this one. The length is compared with the
//!   usual ones, so that the processor predicts it instead of waiting for it.
//! - `0.439019` takes 5 ns (fast-float2 11), `1234.5678` 10 (14), an integer 3.1 (std 16).

use super::digits::{POWERS, ZEROS};

/// Reads the float at the start of `text`: its value and how many bytes it took; `None` when
/// there is none. Accepts what C's `strtod` accepts in decimal: sign, `1.`, `.5`, `1e-3`, `nan`,
/// `inf`, `infinity` (in any case). Correctly rounded.
///
/// ```
/// use solio_codec::number::parse::f32_prefix;
/// assert_eq!(f32_prefix(b"0.439019 -0.159939\n"), Some((0.439019, 8)));
/// // To the nearest float, of two the even one: halfway between 2^24 and the next.
/// assert_eq!(f32_prefix(b"16777217"), Some((16_777_216.0, 8)));
/// assert_eq!(f32_prefix(b"x 1"), None);
/// ```
#[inline]
pub fn f32_prefix(text: &[u8]) -> Option<(f32, usize)> {
    match frequent(text) {
        Some((value, len)) => Some((value as f32, len)),
        None => usual_f32(text),
    }
}

/// [`f32_prefix`] for doubles.
///
/// ```
/// use solio_codec::number::parse::f64_prefix;
/// let text = b"-1.5e-3,.5";
/// let (first, bytes) = f64_prefix(text).unwrap();
/// assert_eq!((first, &text[bytes..]), (-0.0015, &b",.5"[..]));
/// assert_eq!(f64_prefix(&text[bytes + 1..]), Some((0.5, 2)));
/// assert_eq!(f64_prefix(b"Infinity"), Some((f64::INFINITY, 8)));
/// ```
#[inline]
pub fn f64_prefix(text: &[u8]) -> Option<(f64, usize)> {
    match frequent(text) {
        Some(found) => Some(found),
        None => usual_f64(text),
    }
}

/// Reads the decimal integer at the start of `text`, with an optional sign; `None` when there is
/// none or it does not fit.
///
/// ```
/// use solio_codec::number::parse::i64_prefix;
/// // An index from the end, as OBJ has them.
/// assert_eq!(i64_prefix(b"-12/3"), Some((-12, 3)));
/// assert_eq!(i64_prefix(b"9223372036854775808"), None);
/// ```
#[inline]
pub fn i64_prefix(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative || text.first() == Some(&b'+'));
    let (value, len) = u64_prefix(&text[sign..])?;
    let value = if negative { 0i64.checked_sub_unsigned(value) } else { value.try_into().ok() };
    Some((value?, sign + len))
}

/// Reads the decimal integer without a sign at the start of `text`; `None` when there is none or
/// it does not fit.
///
/// ```
/// use solio_codec::number::parse::u64_prefix;
/// // Leading zeros are bytes too, of any number.
/// assert_eq!(u64_prefix(b"00000000000000000000000042.exr"), Some((42, 26)));
/// assert_eq!(u64_prefix(b"frame"), None);
/// ```
#[inline]
pub fn u64_prefix(text: &[u8]) -> Option<(u64, usize)> {
    let Some(word) = text.first_chunk() else { return long_integer(text) };
    let word = u64::from_le_bytes(*word);
    let others = not_digits(word);
    if others == 0 {
        return long_integer(text);
    }
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return None;
    }
    Some((eight(word << (64 - 8 * count)), predict_digits(count)))
}

/// Any integer.
#[cold]
#[inline(never)]
fn long_integer(text: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut len = 0;
    while let Some(digit) = text.get(len).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        len += 1;
    }
    (len > 0).then_some((value, len))
}

/// The most frequent shapes: d.dddddd and d.dddd with a sign or not, and something below the digits
/// in ASCII behind. The value may be rounded to an `f32`: see [`Decimal::single`].
#[inline(always)]
fn frequent(text: &[u8]) -> Option<(f64, usize)> {
    let bytes: &[u8; 10] = text.first_chunk()?;
    let negative = bytes[0] == b'-';
    let sign = usize::from(negative);
    let word = u64::from_le_bytes(bytes[sign..sign + 8].try_into().ok()?);
    let others = not_digits(word);
    let without_point = (word & 0xff) | (word >> 8 & !0xff);
    let (value, len) = if others == 0x8000 && bytes[sign + 8] < b'0' {
        (eight(without_point << 8) as i64 as f64 / 1e6, 8)
    } else if others << 8 == 0x8000_0000_0080_0000 && bytes[sign + 6] < b'0' {
        (eight(without_point << 24) as i64 as f64 / 1e4, 6)
    } else {
        return None;
    };
    let point = (word >> 8) as u8 == b'.';
    point.then_some((signed(value, negative), sign + len))
}

#[inline(always)]
fn signed(value: f64, negative: bool) -> f64 {
    f64::from_bits(value.to_bits() | u64::from(negative) << 63)
}

#[inline(never)]
fn usual_f32(text: &[u8]) -> Option<(f32, usize)> {
    match Decimal::read(text).and_then(|d| Some((d.single()?, d.len))) {
        None => other(text),
        found => found,
    }
}

#[inline(never)]
fn usual_f64(text: &[u8]) -> Option<(f64, usize)> {
    match Decimal::read(text).map(|d| (d.double(), d.len)) {
        None => other(text),
        found => found,
    }
}

/// Any float.
#[cold]
#[inline(never)]
fn other<F: fast_float2::FastFloat>(text: &[u8]) -> Option<(F, usize)> {
    fast_float2::parse_partial(text).ok()
}

/// A usual number: `digits` / 10^`after`.
struct Decimal {
    negative: bool,
    /// Below 10^15, so exact in `f64`.
    digits: u64,
    /// Digits after the point, at most 15.
    after: usize,
    /// Bytes of text.
    len: usize,
}

/// 10 to the power of the index.
const POWERS_F64: [f64; 16] = {
    let mut powers = [1.0; 16];
    let mut i = 0;
    while i < 16 {
        powers[i] = POWERS[i] as f64;
        i += 1;
    }
    powers
};

/// Whether no more than eight digits stand behind the point.
const FEW_DIGITS: [u64; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];

impl Decimal {
    /// `None` for any other shape.
    #[inline(always)]
    fn read(text: &[u8]) -> Option<Decimal> {
        let bytes: &[u8; 26] = text.first_chunk()?;
        let negative = bytes[0] == b'-';
        let sign = usize::from(negative);
        let at = |i: usize| -> Option<u64> {
            let eight: [u8; 8] = bytes.get(sign + i..sign + i + 8)?.try_into().ok()?;
            Some(u64::from_le_bytes(eight))
        };
        let (before, whole, next) = digits(at(0)?);
        if before == 0 || before == 8 {
            return None;
        }
        let mut found = Decimal { negative, digits: whole, after: 0, len: sign + before };
        if next != b'.' {
            return (next | 0x20 != b'e').then_some(found);
        }
        let (mut after, part, mut next) = digits(at(before + 1)?);
        if after == 0 {
            return None;
        }
        found.digits = whole * POWERS[after & 15] + part;
        if after == 8 {
            let (more, part, behind) = digits(at(before + 9)?);
            (after, next) = (8 + more, behind);
            if before + after > 15 {
                return None;
            }
            found.digits = found.digits * POWERS[more & 15] + part;
        }
        found.after = after;
        found.len = predict_len(before + 1 + after) + sign;
        (next | 0x20 != b'e').then_some(found)
    }

    /// The value rounded once to an `f64`: a quotient of two exact numbers.
    #[inline(always)]
    fn double(&self) -> f64 {
        signed(self.digits as i64 as f64 / POWERS_F64[self.after & 15], self.negative)
    }

    /// The value rounded once to an `f32`; `None` where that is not sure.
    ///
    /// The `f64` `q` nearest to the quotient rounds to the same `f32` as the quotient itself, unless
    /// `q` lies halfway between two `f32`s and the quotient does not. With up to 8 digits after the
    /// point it cannot: a point `k·2^e` halfway (`k` has 25 bits) and `d / 10^a` differ by at least
    /// `2^e / 10^a` if `e < 0`, that is relatively by `1 / (k·10^a)` ≥ 2^-51.6; otherwise by at least
    /// `1 / 10^a`, relatively by `1 / d` ≥ 2^-49.9. But `q` is off by at most 2^-53. With more digits
    /// `q` is looked at. (It is 0 or at least 10^-15, so no subnormal `f32`.)
    #[inline(always)]
    fn single(&self) -> Option<f32> {
        let value = self.double();
        // The number of digits is never foreseen: it takes part as a number, not as a branch.
        let from_halfway = value.to_bits() & ((1 << 29) - 1) ^ 1 << 28;
        (from_halfway | FEW_DIGITS[self.after & 15] != 0).then_some(value as f32)
    }
}

/// The upper bit of each byte that is not a digit, right up to the first byte that is not a digit or
/// point and beyond it undefined.
#[inline(always)]
fn not_digits(word: u64) -> u64 {
    let values = word ^ ZEROS;
    (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// The digits at the start of a word of text: how many, their number, and the byte behind them (0 if
/// all eight are digits).
#[inline(always)]
fn digits(word: u64) -> (usize, u64, u8) {
    let others = not_digits(word);
    if others == 0 {
        return (8, eight(word), 0);
    }
    let end = others.trailing_zeros() & 56;
    // Two shifts, as one of 64 bits is not allowed.
    ((end / 8) as usize, eight(word << 8 << (56 - end)), (word >> end) as u8)
}

/// The number of up to eight digits that end at the upper end of a word of text; zero bytes below.
#[inline(always)]
pub(crate) fn eight(text: u64) -> u64 {
    // A digit's lower four bits are its value; the text's zero bytes have the value 0. Each product
    // adds ten (a hundred, ten thousand) times a part to the part above.
    let digits = text & 0x0f0f_0f0f_0f0f_0f0f;
    let twos = (digits.wrapping_mul(1 + (10 << 8)) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos.wrapping_mul(1 + (100 << 16)) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

/// Compares with each usual value in turn. The empty instruction keeps the compiler from seeing that
/// this changes nothing.
macro_rules! predict {
    ($value:expr, $($usual:literal),+) => {{
        let value = $value;
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        $(if value == $usual {
            let mut same: usize = $usual;
            // SAFETY: no instruction.
            unsafe { std::arch::asm!("/* {0} */", inout(reg) same, options(nomem, nostack, preserves_flags)) };
            return same;
        })+
        value
    }};
}

/// The bytes of a decimal number.
#[inline(always)]
fn predict_len(len: usize) -> usize {
    predict!(len, 9, 8, 10, 11, 7)
}

#[inline(always)]
fn predict_digits(count: usize) -> usize {
    predict!(count, 7, 6, 5, 4, 3, 2, 1)
}
