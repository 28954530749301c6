//! Numbers as text, always correctly rounded (half to even on the exact binary value).
//!
//! [`format`] turns whole rows of numbers into lines of text; [`parse`] reads numbers back,
//! bit-equal to a correctly rounded parse.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_faces;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_faces;
mod digits;
mod faces;
mod fixed;
pub mod format;
mod integers;
#[cfg(target_arch = "x86_64")]
mod lanes;
pub mod parse;
mod powers;
pub mod run;
#[cfg(target_arch = "x86_64")]
mod run_avx2;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod shapes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod shapes_avx2;
mod shortest;
#[cfg(target_arch = "x86_64")]
mod shortest_avx2;
mod tail;

/// How a float becomes text.
///
/// ```
/// use solio_codec::number::{Digits, format::push_f32};
/// let text = |digits| {
///     let mut out = Vec::new();
///     push_f32(&mut out, digits, 0.1);
///     String::from_utf8(out).unwrap()
/// };
/// assert_eq!(text(Digits::Shortest), "0.1");
/// assert_eq!(text(Digits::Fixed(3)), "0.100");
/// // What the float really is.
/// assert_eq!(text(Digits::Fixed(12)), "0.100000001490");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Digits {
    /// This many digits after the point, 0 to 17, as C's `%.Nf`.
    Fixed(u8),
    /// The fewest digits that read back to the same value.
    Shortest,
}

impl Digits {
    /// Most digits that [`Digits::Fixed`] takes.
    pub const MAX_FIXED: u8 = 17;
}
