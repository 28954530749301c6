//! Rows of numbers to lines of text.
//!
//! Each row function picks its kernel once a call; the `_on` twins take the tier, for tests and
//! benches. All tiers write the same bytes.

use super::Digits;
use super::fixed::{self, Fixed};
use super::tail::{Short, Tail};
use super::{integers, shortest};
use solio_base::cpu::{Tier, tier};
use std::io::Write;

pub use super::faces::{Corners, face_rows, face_rows_on};

/// Appends `value` to `out`. NaN and infinities become `nan`, `-nan`, `inf`, `-inf`.
pub fn push_f32(out: &mut Vec<u8>, digits: Digits, value: f32) {
    push(out, Style::new(digits), value);
}

/// Appends `value` to `out`. NaN and infinities become `nan`, `-nan`, `inf`, `-inf`.
pub fn push_f64(out: &mut Vec<u8>, digits: Digits, value: f64) {
    push(out, Style::new(digits), value);
}

/// Appends `value` in decimal.
pub fn push_u32(out: &mut Vec<u8>, value: u32) {
    integers::push_u64(out, u64::from(value));
}

/// Appends `value` in decimal.
pub fn push_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    integers::push_u64(out, value.unsigned_abs());
}

/// For each row of `N` floats appends `prefix`, the values separated by single spaces, and `\n`:
/// `rows_f32(out, b"v ", Digits::Fixed(6), &positions)`.
pub fn rows_f32<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f32; N]],
) {
    rows_f32_on(tier(), out, prefix, digits, rows);
}

/// [`rows_f32`] for doubles.
pub fn rows_f64<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f64; N]],
) {
    rows_f64_on(tier(), out, prefix, digits, rows);
}

/// [`rows_f32`] with the kernel of a tier (or of the best that this machine has below it).
pub fn rows_f32_on<const N: usize>(
    _tier: Tier,
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f32; N]],
) {
    plain_rows(out, prefix, digits, rows);
}

/// [`rows_f64`] with the kernel of a tier (or of the best that this machine has below it).
pub fn rows_f64_on<const N: usize>(
    _tier: Tier,
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f64; N]],
) {
    plain_rows(out, prefix, digits, rows);
}

/// [`Digits`] made ready.
#[derive(Clone, Copy)]
pub(super) enum Style {
    Fixed(Fixed),
    Shortest,
    /// More digits than the kernels do.
    Many(u8),
}

impl Style {
    pub(super) fn new(digits: Digits) -> Style {
        match digits {
            Digits::Fixed(n) => Fixed::new(n).map_or(Style::Many(n), Style::Fixed),
            Digits::Shortest => Style::Shortest,
        }
    }
}

/// Most bytes that [`Value::write`] writes.
pub(super) const ROOM: usize =
    if fixed::ROOM > shortest::ROOM { fixed::ROOM } else { shortest::ROOM };

/// A float type.
pub(super) trait Value: Copy {
    /// Writes the value, or returns false and writes nothing if only [`Value::push_aside`] can.
    ///
    /// # Safety
    /// There is [`ROOM`].
    unsafe fn write(self, tail: &mut Tail<'_>, style: &Style) -> bool;

    /// Appends any value, slowly.
    fn push_aside(self, out: &mut Vec<u8>, style: &Style);
}

macro_rules! value {
    ($float:ty, $fixed:path) => {
        impl Value for $float {
            #[inline(always)]
            unsafe fn write(self, tail: &mut Tail<'_>, style: &Style) -> bool {
                match style {
                    // SAFETY: passed on.
                    Style::Fixed(fixed) => unsafe { $fixed(tail, fixed, self) },
                    Style::Shortest if self.is_finite() => {
                        // SAFETY: passed on.
                        unsafe { shortest::write(tail, self) };
                        true
                    }
                    _ => false,
                }
            }

            fn push_aside(self, out: &mut Vec<u8>, style: &Style) {
                let digits = match style {
                    Style::Fixed(fixed) => fixed.digits,
                    Style::Many(n) => usize::from(*n),
                    Style::Shortest => 0, // comes here only without being finite
                };
                if self.is_finite() {
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

value!(f32, fixed::write_f32);
value!(f64, fixed::write_f64);

#[inline(always)]
fn push<V: Value>(out: &mut Vec<u8>, style: Style, value: V) {
    let mut tail = Tail::new(out, ROOM);
    // SAFETY: there is room.
    if !unsafe { value.write(&mut tail, &style) } {
        tail = tail.aside(0, |out| value.push_aside(out, &style));
    }
    tail.finish();
}

/// The plain twin of all row kernels.
pub(super) fn plain_rows<V: Value, const N: usize>(
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
    // A match outside of the loops, so that each loop has only its own style inside.
    match Style::new(digits) {
        Style::Fixed(fixed) => plain_rows_in(out, &between, |_| Style::Fixed(fixed), rows),
        Style::Shortest => plain_rows_in(out, &between, |_| Style::Shortest, rows),
        Style::Many(n) => plain_rows_in(out, &between, |_| Style::Many(n), rows),
    }
    out.truncate(out.len() - prefix.len());
}

#[inline(always)]
fn plain_rows_in<V: Value, const N: usize>(
    out: &mut Vec<u8>,
    between: &[u8],
    style: impl Fn(()) -> Style,
    rows: &[[V; N]],
) {
    /// Rows for which room is reserved at a time.
    const BLOCK: usize = 64;
    let style = style(());
    let room = BLOCK * (N * (ROOM + 1) + between.len());
    let short = Short::new(between);
    let mut tail = Tail::new(out, 0);
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
                    tail.word(u64::from(b' '), usize::from(i + 1 < N));
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
