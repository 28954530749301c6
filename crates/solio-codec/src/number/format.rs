//! Rows of numbers to lines of text.
//!
//! Each row function picks its kernel once a call; the `_on` twins take the tier, for tests and
//! benches. All tiers write the same bytes.

use super::Digits;
use super::fixed::{self, Fixed};
#[cfg(target_arch = "x86_64")]
use super::lanes::RowJob;
use super::tail::{ShortSeparator, TextTail};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, shortest_avx2};
use super::{integers, shortest};
use solio_base::cpu::{Tier, available, tier};
use std::io::Write;
use std::sync::OnceLock;

pub use super::faces::{CornerIndices, face_rows, face_rows_on};
pub use super::shortest::ShortestDecimal;

/// Appends `value` to `out`. NaN and infinities become `nan`, `-nan`, `inf`, `-inf`.
///
/// ```
/// use solio_codec::number::{Digits, format::push_f32};
/// let mut line = b"Ns ".to_vec();
/// push_f32(&mut line, Digits::Fixed(6), 96.078_43);
/// assert_eq!(line, b"Ns 96.078430");
/// ```
pub fn push_f32(out: &mut Vec<u8>, digits: Digits, value: f32) {
    push(out, DigitStyle::new(digits), value);
}

/// Appends `value` to `out`. NaN and infinities become `nan`, `-nan`, `inf`, `-inf`.
///
/// ```
/// use solio_codec::number::{Digits, format::push_f64};
/// let mut text = Vec::new();
/// for value in [0.125, 0.375, -0.001, f64::NEG_INFINITY] {
///     push_f64(&mut text, Digits::Fixed(2), value);
///     text.push(b' ');
/// }
/// // Halfway: to the even digit. The sign stays.
/// assert_eq!(text, b"0.12 0.38 -0.00 -inf ");
/// ```
pub fn push_f64(out: &mut Vec<u8>, digits: Digits, value: f64) {
    push(out, DigitStyle::new(digits), value);
}

/// Appends `value` in decimal.
///
/// ```
/// use solio_codec::number::format::push_u32;
/// let mut head = b"element vertex ".to_vec();
/// push_u32(&mut head, 4_000_000_000);
/// assert_eq!(head, b"element vertex 4000000000");
/// ```
pub fn push_u32(out: &mut Vec<u8>, value: u32) {
    integers::push_u64(out, u64::from(value));
}

/// Appends `value` in decimal.
///
/// ```
/// use solio_codec::number::format::push_u64;
/// let mut text = Vec::new();
/// push_u64(&mut text, u64::MAX);
/// assert_eq!(text, b"18446744073709551615");
/// ```
pub fn push_u64(out: &mut Vec<u8>, value: u64) {
    integers::push_u64(out, value);
}

/// Appends `value` in decimal.
///
/// ```
/// use solio_codec::number::format::push_i64;
/// let mut text = Vec::new();
/// push_i64(&mut text, i64::MIN);
/// assert_eq!(text, i64::MIN.to_string().as_bytes());
/// ```
pub fn push_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    integers::push_u64(out, value.unsigned_abs());
}

/// For each row of `N` floats appends `prefix`, the values separated by single spaces, and `\n`:
/// `rows_f32(out, b"v ", Digits::Fixed(6), &positions)`.
///
/// ```
/// use solio_codec::number::{Digits, format::rows_f32};
/// let mut text = Vec::new();
/// rows_f32(&mut text, b"v ", Digits::Fixed(2), &[[0.0, 1.5, -2.0], [1e6, 0.005, 0.25]]);
/// assert_eq!(text, b"v 0.00 1.50 -2.00\nv 1000000.00 0.00 0.25\n");
/// ```
pub fn rows_f32<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f32; N]],
) {
    rows_f32_on(tier(), out, prefix, digits, rows);
}

/// [`rows_f32`] for doubles.
///
/// ```
/// use solio_codec::number::{Digits, format::rows_f64};
/// // Without a prefix, as in the lines of a point cloud; far from zero `f32` has no centimetres.
/// let mut text = Vec::new();
/// rows_f64(&mut text, b"", Digits::Shortest, &[[4_182_375.25, 861_240.01]]);
/// assert_eq!(text, b"4182375.25 861240.01\n");
/// ```
pub fn rows_f64<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f64; N]],
) {
    rows_f64_on(tier(), out, prefix, digits, rows);
}

/// [`rows_f32`] with the kernel of a tier (or of the best that this machine has below it).
///
/// ```
/// use solio_base::cpu::{Tier, available};
/// use solio_codec::number::{Digits, format::rows_f32_on};
/// let rows: Vec<[f32; 3]> = (0..99).map(|i| [0.1, -0.01, 12.5].map(|x| x * i as f32)).collect();
/// let text = |tier| {
///     let mut text = Vec::new();
///     rows_f32_on(tier, &mut text, b"vn ", Digits::Fixed(4), &rows);
///     text
/// };
/// // All tiers write the same bytes; one that is lacking is as good as the best that there is.
/// assert!(available().into_iter().all(|tier| text(tier) == text(Tier::Scalar)));
/// assert_eq!(text(Tier::Avx512), text(Tier::Scalar));
/// ```
pub fn rows_f32_on<const N: usize>(
    tier: Tier,
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f32; N]],
) {
    rows_on(tier, out, prefix, digits, rows);
}

/// [`rows_f64`] with the kernel of a tier (or of the best that this machine has below it).
///
/// ```
/// use solio_base::cpu::available;
/// use solio_codec::number::{Digits, format::rows_f64_on};
/// // On every tier what the standard library writes.
/// for tier in available() {
///     let mut text = Vec::new();
///     rows_f64_on(tier, &mut text, b"", Digits::Fixed(15), &[[0.1, 2.0 / 3.0]; 20]);
///     assert_eq!(text, format!("{:.15} {:.15}\n", 0.1, 2.0 / 3.0).repeat(20).as_bytes());
/// }
/// ```
pub fn rows_f64_on<const N: usize>(
    tier: Tier,
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f64; N]],
) {
    rows_on(tier, out, prefix, digits, rows);
}

/// [`Digits`] made ready.
#[derive(Clone, Copy)]
pub(super) enum DigitStyle {
    Fixed(Fixed),
    Shortest,
    /// More digits than the kernels do.
    Many(u8),
}

impl DigitStyle {
    pub(super) fn new(digits: Digits) -> DigitStyle {
        match digits {
            Digits::Fixed(n) => Fixed::new(n).map_or(DigitStyle::Many(n), DigitStyle::Fixed),
            Digits::Shortest => DigitStyle::Shortest,
        }
    }
}

/// Most bytes that [`FloatValue::write`] writes.
pub(super) const ROOM: usize =
    if fixed::ROOM > shortest::ROOM { fixed::ROOM } else { shortest::ROOM };

/// All floats from here on are whole numbers.
const WHOLE: f64 = 9_007_199_254_740_992.0; // 2^53

/// The first one that is no `u128`.
const TOO_LARGE: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0; // 2^128

/// A float type.
pub(super) trait FloatValue: Copy {
    /// An `f32`; otherwise an `f64`.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const SINGLE: bool;

    /// Most digits after the point of which the vector kernels can say that they are exact.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const VECTOR_DIGITS: u8;

    /// Writes the value, or returns false and writes nothing if only [`FloatValue::push_aside`] can.
    ///
    /// # Safety
    /// There is [`ROOM`].
    unsafe fn write(self, tail: &mut TextTail<'_>, style: &DigitStyle) -> bool;

    /// Appends any value, slowly.
    fn push_aside(self, out: &mut Vec<u8>, style: &DigitStyle);

    /// [`avx512::rows`], compiled once and not with every crate that writes rows.
    ///
    /// # Safety
    /// This machine has the tier.
    #[cfg(target_arch = "x86_64")]
    unsafe fn rows_avx512(out: &mut Vec<u8>, job: &RowJob<'_, Self>);

    /// [`shortest_avx2::rows`], likewise.
    ///
    /// # Safety
    /// This machine has the tier.
    #[cfg(target_arch = "x86_64")]
    unsafe fn shortest_rows_avx2(out: &mut Vec<u8>, job: &RowJob<'_, Self, ()>);

    /// [`avx2::rows`], likewise.
    ///
    /// # Safety
    /// This machine has the tier.
    #[cfg(target_arch = "x86_64")]
    unsafe fn rows_avx2(out: &mut Vec<u8>, job: &RowJob<'_, Self>);
}

macro_rules! value {
    ($float:ty, $single:literal, $vector_digits:literal, $fixed:path, $shortest:path) => {
        impl FloatValue for $float {
            #[cfg(target_arch = "x86_64")]
            unsafe fn rows_avx512(out: &mut Vec<u8>, job: &RowJob<'_, Self>) {
                // SAFETY: as the caller says.
                unsafe { avx512::rows(out, job) }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn shortest_rows_avx2(out: &mut Vec<u8>, job: &RowJob<'_, Self, ()>) {
                // SAFETY: as the caller says.
                unsafe { shortest_avx2::rows(out, job) }
            }

            #[cfg(target_arch = "x86_64")]
            unsafe fn rows_avx2(out: &mut Vec<u8>, job: &RowJob<'_, Self>) {
                // SAFETY: as the caller says.
                unsafe { avx2::rows(out, job) }
            }

            const SINGLE: bool = $single;
            const VECTOR_DIGITS: u8 = $vector_digits;

            #[inline(always)]
            unsafe fn write(self, tail: &mut TextTail<'_>, style: &DigitStyle) -> bool {
                match style {
                    // SAFETY: passed on.
                    DigitStyle::Fixed(fixed) => unsafe { $fixed(tail, fixed, self) },
                    DigitStyle::Shortest if self.is_finite() => {
                        // SAFETY: passed on.
                        unsafe { $shortest(tail, self) };
                        true
                    }
                    _ => false,
                }
            }

            fn push_aside(self, out: &mut Vec<u8>, style: &DigitStyle) {
                let digits = match style {
                    DigitStyle::Fixed(fixed) => fixed.digits,
                    DigitStyle::Many(n) => usize::from(*n),
                    DigitStyle::Shortest => 0, // comes here only without being finite
                };
                let size = self.abs();
                if (WHOLE..TOO_LARGE).contains(&f64::from(size)) {
                    // A whole number: much cheaper than a float.
                    if self < 0.0 {
                        out.push(b'-');
                    }
                    write!(out, "{}", size as u128).expect("writing to a vector");
                    if digits > 0 {
                        out.push(b'.');
                        out.resize(out.len() + digits, b'0');
                    }
                } else if self.is_finite() {
                    write!(out, "{self:.digits$}").expect("writing to a vector");
                } else {
                    out.extend_from_slice(match (self.is_nan(), self.is_sign_negative()) {
                        (true, false) => b"nan",
                        (true, true) => b"-nan",
                        (false, false) => b"inf",
                        (false, true) => b"-inf",
                    });
                }
            }
        }
    };
}

// 24 bits times 5^12 fit into an f64; 10^15 leaves one digit before the point of sixteen.
value!(f32, true, 12, fixed::write_f32, shortest::write_f32);
value!(f64, false, 15, fixed::write_f64, shortest::write_f64);

#[inline(always)]
fn push<V: FloatValue>(out: &mut Vec<u8>, style: DigitStyle, value: V) {
    let mut tail = TextTail::new(out, ROOM);
    // SAFETY: there is room.
    if !unsafe { value.write(&mut tail, &style) } {
        tail = tail.aside(0, |out| value.push_aside(out, &style));
    }
    tail.finish();
}

fn rows_on<V: FloatValue, const N: usize>(
    tier: Tier,
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[V; N]],
) {
    if rows.is_empty() {
        return;
    }
    // What lies between two rows is one string, so the first prefix comes before the loop and the
    // one after the last row is dropped.
    let between = [b"\n", prefix].concat();
    out.extend_from_slice(prefix);
    if !vector_rows(tier, out, &between, digits, rows) {
        // A match outside of the loops, so that each loop has only its own style inside.
        match DigitStyle::new(digits) {
            DigitStyle::Fixed(fixed) => {
                plain_rows(out, &between, |()| DigitStyle::Fixed(fixed), rows)
            }
            DigitStyle::Shortest => plain_rows(out, &between, |()| DigitStyle::Shortest, rows),
            DigitStyle::Many(n) => plain_rows(out, &between, |()| DigitStyle::Many(n), rows),
        }
    }
    out.truncate(out.len() - prefix.len());
}

/// Runs a vector kernel if there is one for this.
#[cfg(target_arch = "x86_64")]
fn vector_rows<V: FloatValue, const N: usize>(
    tier: Tier,
    out: &mut Vec<u8>,
    between: &[u8],
    digits: Digits,
    rows: &[[V; N]],
) -> bool {
    if digits == Digits::Shortest {
        let Some(job) = RowJob::with((), rows, between) else { return false };
        return match usable(tier) {
            // SAFETY: this machine has the tier.
            Tier::Avx2 | Tier::Avx512 => unsafe {
                V::shortest_rows_avx2(out, &job);
                true
            },
            _ => false,
        };
    }
    let Some(job) = RowJob::new(digits, rows, between) else { return false };
    match usable(tier) {
        // SAFETY: this machine has the tier.
        Tier::Avx512 if !job.long => unsafe { V::rows_avx512(out, &job) },
        // SAFETY: as above.
        Tier::Avx2 | Tier::Avx512 => unsafe { V::rows_avx2(out, &job) },
        _ => return false,
    }
    true
}

/// Runs a vector kernel if there is one for this.
#[cfg(not(target_arch = "x86_64"))]
fn vector_rows<V: FloatValue, const N: usize>(
    _: Tier,
    _: &mut Vec<u8>,
    _: &[u8],
    _: Digits,
    _: &[[V; N]],
) -> bool {
    false
}

/// The best tier up to `wanted` that this machine has.
pub(crate) fn usable(wanted: Tier) -> Tier {
    static BEST: OnceLock<Tier> = OnceLock::new();
    let best = *BEST.get_or_init(|| available().into_iter().max().unwrap_or(Tier::Scalar));
    wanted.min(best)
}

/// The plain twin of all row kernels.
#[inline(always)]
fn plain_rows<V: FloatValue, const N: usize>(
    out: &mut Vec<u8>,
    between: &[u8],
    style: impl Fn(()) -> DigitStyle,
    rows: &[[V; N]],
) {
    /// Rows for which room is reserved at a time.
    const BLOCK: usize = 64;
    let style = style(());
    let room = BLOCK * (N * (ROOM + 1) + between.len());
    let short = ShortSeparator::new(between);
    let mut tail = TextTail::new(out, 0);
    for block in rows.chunks(BLOCK) {
        tail.reserve(room);
        for row in block {
            for (i, value) in row.iter().enumerate() {
                // SAFETY: the room counts each value, space and row end of the block; after a
                // value put aside there is room for a whole block again.
                unsafe {
                    if !value.write(&mut tail, &style) {
                        tail = tail.aside(room, |out| value.push_aside(out, &style));
                    }
                    if i + 1 < N {
                        tail.word(u64::from(b' '), 1);
                    }
                }
            }
            // SAFETY: as above.
            unsafe {
                match short {
                    Some(s) => tail.word(s.word, s.len),
                    None => tail.slice(between),
                }
            }
        }
    }
    tail.finish();
}
