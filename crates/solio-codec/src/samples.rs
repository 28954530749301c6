//! Rows of samples from one type to another, and side by side: 16-bit floating point numbers
//! (1 sign, 5 exponent and 10 significand bits; IEEE 754 binary16), 32-bit ones, 32-bit integers.
//!
//! All numbers are little-endian bytes, which need no alignment.
//!
//! Why it is fast: eight numbers at a time are converted by the machine's own instruction, where it
//! has one (F16C on x86-64, NEON on AArch64); a group with a NaN takes the plain form, which keeps the
//! NaN's payload as the reference does. Interleaving and the rarer conversions are plain loops,
//! cloned for the machine's vectors.

#[cfg(target_arch = "aarch64")]
mod neon;

use crate::wide::{Wide, wide};
#[cfg(target_arch = "aarch64")]
use neon as simd;

/// The same number with 32 bits.
///
/// ```
/// use solio_codec::samples::half_to_float;
/// assert_eq!(half_to_float(0x3c00), 1.0);
/// // The smallest above zero, the largest, and what comes after it.
/// assert_eq!(half_to_float(0x0001), 2f32.powi(-24));
/// assert_eq!([0x7bff, 0x7c00].map(half_to_float), [65504.0, f32::INFINITY]);
/// ```
#[inline(always)]
pub fn half_to_float(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let rest = u32::from(half & 0x7fff);
    let magnitude = match rest >> 10 {
        0 => (rest as f32 * (1.0 / 16_777_216.0)).to_bits(), // subnormal: units of 2^-24
        31 => 0x7f80_0000 | (rest & 0x3ff) << 13,
        _ => (rest << 13) + 0x3800_0000,
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest number with 16 bits, the even one of two; too large ones become infinite. A NaN
/// keeps the upper bits of its payload, at least one.
///
/// ```
/// use solio_codec::samples::{float_to_half, half_to_float};
/// // From 2048 on only even numbers are left.
/// let stored = [2047.0, 2049.0, 2051.0, 1e6].map(|x| half_to_float(float_to_half(x)));
/// assert_eq!(stored, [2047.0, 2048.0, 2052.0, f32::INFINITY]);
/// ```
#[inline(always)]
pub fn float_to_half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let rest = bits & 0x7fff_ffff;
    let magnitude = if rest >= 0x7f80_0000 {
        let payload = (rest & 0x7f_ffff) >> 13;
        0x7c00 | payload | u32::from(rest > 0x7f80_0000 && payload == 0)
    } else if rest >= 0x477f_f000 {
        0x7c00
    } else if rest >= 0x3880_0000 {
        (rest - 0x3800_0000 + 0xfff + (rest >> 13 & 1)) >> 13
    } else {
        // Subnormal: adding 0.5 lines the units of 2^-24 up with the last bit, and rounds.
        (f32::from_bits(rest) + 0.5).to_bits() - 0.5f32.to_bits()
    };
    sign | magnitude as u16
}

/// The nearest number with 16 bits; those above the largest, 65504, become infinite.
///
/// ```
/// use solio_codec::samples::uint_to_half;
/// assert_eq!(uint_to_half(1), 0x3c00);
/// // Floats up to 65519 are rounded to the largest half; integers are not.
/// assert_eq!([65504, 65505].map(uint_to_half), [0x7bff, 0x7c00]);
/// ```
#[inline(always)]
pub fn uint_to_half(number: u32) -> u16 {
    if number > 65504 { 0x7c00 } else { float_to_half(number as f32) }
}

/// A pair of sample types.
///
/// ```
/// use solio_codec::samples::SampleConversion;
/// let floats = [2.75f32, -1.0, f32::NAN, 1e20].map(f32::to_le_bytes);
/// let mut ids = [[0; 4]; 4];
/// SampleConversion::FloatToUint.apply(floats.as_flattened(), ids.as_flattened_mut());
/// assert_eq!(ids.map(u32::from_le_bytes), [2, 0, 0, u32::MAX]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleConversion {
    /// Exact.
    HalfToFloat,
    /// Fractions are cut off; negative numbers and NaNs become 0, infinity the largest.
    HalfToUint,
    /// See [`float_to_half`].
    FloatToHalf,
    /// Fractions are cut off; negative numbers and NaNs become 0, too large ones the largest.
    FloatToUint,
    /// See [`uint_to_half`].
    UintToHalf,
    /// The nearest number.
    UintToFloat,
}

impl SampleConversion {
    /// Converts each number of `from` into its place in `to`.
    ///
    /// # Panics
    /// When their lengths are not those of as many numbers.
    ///
    /// ```
    /// use solio_codec::samples::SampleConversion;
    /// // 1, −2 and infinity in the file become floats; they need not lie at even places.
    /// let file = [0xff, 0x00, 0x3c, 0x00, 0xc0, 0x00, 0x7c];
    /// let mut floats = [[0; 4]; 3];
    /// SampleConversion::HalfToFloat.apply(&file[1..], floats.as_flattened_mut());
    /// assert_eq!(floats.map(f32::from_le_bytes), [1.0, -2.0, f32::INFINITY]);
    /// ```
    pub fn apply(self, from: &[u8], to: &mut [u8]) {
        let half = |half: [u8; 2]| half_to_float(u16::from_le_bytes(half));
        match self {
            SampleConversion::HalfToFloat => {
                let (from, to) = pairs::<2, 4>(from, to);
                let done = simd::halves_to_floats(from, to);
                each(&from[done..], &mut to[done..], |h| half(h).to_le_bytes());
            }
            SampleConversion::FloatToHalf => {
                let (from, to) = pairs::<4, 2>(from, to);
                let done = simd::floats_to_halves(from, to);
                let half = |f| float_to_half(f32::from_le_bytes(f)).to_le_bytes();
                each(&from[done..], &mut to[done..], half);
            }
            SampleConversion::HalfToUint => {
                let (from, to) = pairs::<2, 4>(from, to);
                each(from, to, |h| (half(h) as u32).to_le_bytes());
            }
            SampleConversion::FloatToUint => {
                let (from, to) = pairs::<4, 4>(from, to);
                each(from, to, |f| (f32::from_le_bytes(f) as u32).to_le_bytes());
            }
            SampleConversion::UintToHalf => {
                let (from, to) = pairs::<4, 2>(from, to);
                each(from, to, |u| uint_to_half(u32::from_le_bytes(u)).to_le_bytes());
            }
            SampleConversion::UintToFloat => {
                let (from, to) = pairs::<4, 4>(from, to);
                each(from, to, |u| (u32::from_le_bytes(u) as f32).to_le_bytes());
            }
        }
    }
}

/// The bytes as as many numbers.
fn pairs<'a, const M: usize, const N: usize>(
    from: &'a [u8],
    to: &'a mut [u8],
) -> (&'a [[u8; M]], &'a mut [[u8; N]]) {
    let (from, rest) = from.as_chunks();
    let (to, rest_to) = to.as_chunks_mut();
    assert!(from.len() == to.len() && rest.is_empty() && rest_to.is_empty(), "rows of one length");
    (from, to)
}

struct Each<'a, const M: usize, const N: usize, F>(&'a [[u8; M]], &'a mut [[u8; N]], F);

impl<const M: usize, const N: usize, F: Fn([u8; M]) -> [u8; N]> Wide for Each<'_, M, N, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (from, to) in self.0.iter().zip(self.1) {
            *to = self.2(*from);
        }
    }
}

fn each<const M: usize, const N: usize>(
    from: &[[u8; M]],
    to: &mut [[u8; N]],
    convert: impl Fn([u8; M]) -> [u8; N],
) {
    wide(Each(from, to, convert));
}

/// Puts the numbers of `rows` side by side: the first of each, the second of each, …
///
/// # Panics
/// When there are fewer numbers in a row than pixels in `to`.
///
/// ```
/// use solio_codec::samples::interleave;
/// // The channels of two pixels.
/// let [red, green, blue] = [b"rR", b"gG", b"bB"].map(|row| row.map(|sample| [sample]));
/// let mut pixels = [[0]; 6];
/// interleave(&[&red, &green, &blue], &mut pixels);
/// assert_eq!(pixels.as_flattened(), b"rgbRGB");
/// ```
pub fn interleave<const N: usize>(rows: &[&[[u8; N]]], to: &mut [[u8; N]]) {
    match rows {
        [row] => to.copy_from_slice(&row[..to.len()]),
        [a, b] => interleave_of([*a, b], to),
        [a, b, c] => interleave_of([*a, b, c], to),
        [a, b, c, d] => interleave_of([*a, b, c, d], to),
        rows => {
            for (slot, row) in rows.iter().enumerate() {
                for (pixel, sample) in to.chunks_exact_mut(rows.len()).zip(*row) {
                    pixel[slot] = *sample;
                }
            }
        }
    }
}

/// Takes number `slot` of each `count` numbers of `from`.
///
/// # Panics
/// When there are fewer pixels in `from` than numbers in `to`.
///
/// ```
/// use solio_codec::samples::pick;
/// // Green, the second of three, of two pixels with 16 bits.
/// let pixels = [10u16, 20, 30, 11, 21, 31].map(u16::to_le_bytes);
/// let mut green = [[0; 2]; 2];
/// pick(&pixels, 1, 3, &mut green);
/// assert_eq!(green.map(u16::from_le_bytes), [20, 21]);
/// ```
pub fn pick<const N: usize>(from: &[[u8; N]], slot: usize, count: usize, to: &mut [[u8; N]]) {
    match count {
        1 => to.copy_from_slice(&from[..to.len()]),
        3 => wide(Pick(&from.as_chunks::<3>().0[..to.len()], slot, to)),
        4 => wide(Pick(&from.as_chunks::<4>().0[..to.len()], slot, to)),
        count => {
            for (to, pixel) in to.iter_mut().zip(from.chunks_exact(count)) {
                *to = pixel[slot];
            }
        }
    }
}

struct Pick<'a, const N: usize, const C: usize>(&'a [[[u8; N]; C]], usize, &'a mut [[u8; N]]);

impl<const N: usize, const C: usize> Wide for Pick<'_, N, C> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let slot = self.1.min(C - 1);
        for (to, pixel) in self.2.iter_mut().zip(self.0) {
            *to = pixel[slot];
        }
    }
}

fn interleave_of<const N: usize, const C: usize>(rows: [&[[u8; N]]; C], to: &mut [[u8; N]]) {
    let pixels = to.as_chunks_mut::<C>().0;
    let rows = rows.map(|row| &row[..pixels.len()]);
    wide(Interleave(rows, pixels));
}

struct Interleave<'a, const N: usize, const C: usize>([&'a [[u8; N]]; C], &'a mut [[[u8; N]; C]]);

impl<const N: usize, const C: usize> Wide for Interleave<'_, N, C> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Interleave(rows, pixels) = self;
        for (i, pixel) in pixels.iter_mut().enumerate() {
            for slot in 0..C {
                pixel[slot] = rows[slot][i];
            }
        }
    }
}

/// Whole groups of numbers without NaNs: say how many numbers were done.
#[cfg(target_arch = "x86_64")]
mod simd {
    use super::{float_to_half, half_to_float};
    use solio_base::cpu::{Tier, tier};
    use std::arch::x86_64::*;

    fn has() -> bool {
        tier() >= Tier::Avx2 && is_x86_feature_detected!("f16c")
    }

    pub(super) fn halves_to_floats(from: &[[u8; 2]], to: &mut [[u8; 4]]) -> usize {
        // SAFETY: the machine has what the kernel needs.
        if has() { unsafe { halves_to_floats_f16c(from, to) } } else { 0 }
    }

    pub(super) fn floats_to_halves(from: &[[u8; 4]], to: &mut [[u8; 2]]) -> usize {
        // SAFETY: the machine has what the kernel needs.
        if has() { unsafe { floats_to_halves_f16c(from, to) } } else { 0 }
    }

    #[target_feature(enable = "avx2,f16c")]
    fn halves_to_floats_f16c(from: &[[u8; 2]], to: &mut [[u8; 4]]) -> usize {
        let largest = _mm_set1_epi16(0x7c00);
        let unsigned = _mm_set1_epi16(0x7fff);
        let groups = from.as_chunks::<8>().0;
        for (from, to) in groups.iter().zip(to.as_chunks_mut::<8>().0) {
            // SAFETY: 16 bytes are there, and the load needs no alignment.
            let x = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
            let nan = _mm_cmpgt_epi16(_mm_and_si128(x, unsigned), largest);
            if _mm_movemask_epi8(nan) != 0 {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = half_to_float(u16::from_le_bytes(*from)).to_le_bytes();
                }
                continue;
            }
            // SAFETY: there is room for 32 bytes, and the store needs no alignment.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr().cast(), _mm256_cvtph_ps(x)) };
        }
        groups.len() * 8
    }

    #[target_feature(enable = "avx2,f16c")]
    fn floats_to_halves_f16c(from: &[[u8; 4]], to: &mut [[u8; 2]]) -> usize {
        let groups = from.as_chunks::<8>().0;
        for (from, to) in groups.iter().zip(to.as_chunks_mut::<8>().0) {
            // SAFETY: 32 bytes are there, and the load needs no alignment.
            let x = unsafe { _mm256_loadu_ps(from.as_ptr().cast()) };
            if _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x)) != 0 {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = float_to_half(f32::from_le_bytes(*from)).to_le_bytes();
                }
                continue;
            }
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x);
            // SAFETY: there is room for 16 bytes, and the store needs no alignment.
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), halves) };
        }
        groups.len() * 8
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod simd {
    pub(super) fn halves_to_floats(_: &[[u8; 2]], _: &mut [[u8; 4]]) -> usize {
        0
    }

    pub(super) fn floats_to_halves(_: &[[u8; 4]], _: &mut [[u8; 2]]) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            assert_eq!(float_to_half(half_to_float(half)), half, "{half:04x}");
        }
        assert_eq!(half_to_float(0x3c00), 1.0);
        assert_eq!(half_to_float(0xc000), -2.0);
        assert_eq!(half_to_float(1), 2f32.powi(-24));
        assert_eq!(half_to_float(0x7bff), 65504.0);
    }

    #[test]
    fn rounds_to_the_nearest_and_then_to_the_even() {
        for half in 0..0x7bffu16 {
            let (low, high) = (half_to_float(half), half_to_float(half + 1));
            let middle = low + (high - low) / 2.0;
            let even = half + (half & 1);
            assert_eq!(float_to_half(middle), even, "{half:04x}");
            assert_eq!(float_to_half(f32::from_bits(middle.to_bits() - 1)), half);
            assert_eq!(float_to_half(f32::from_bits(middle.to_bits() + 1)), half + 1);
        }
        assert_eq!(float_to_half(65519.996), 0x7bff);
        assert_eq!(float_to_half(65520.0), 0x7c00);
        assert_eq!(float_to_half(f32::from_bits(0x7f80_0001)), 0x7c01);
    }

    #[test]
    fn integers_and_floats_meet_at_the_ends() {
        let uints = |number: f32| {
            let mut to = [0; 4];
            SampleConversion::FloatToUint.apply(&number.to_le_bytes(), &mut to);
            u32::from_le_bytes(to)
        };
        for (number, uint) in
            [(-1.0, 0), (f32::NAN, 0), (1.9, 1), (5e9, u32::MAX), (f32::INFINITY, u32::MAX)]
        {
            assert_eq!(uints(number), uint);
        }
        assert_eq!([0, 2049, 65504, 65505].map(uint_to_half), [0, 0x6800, 0x7bff, 0x7c00]);
    }

    #[test]
    fn every_half_becomes_its_float_in_groups_too() {
        let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let mut floats = vec![0; 2 * halves.len()];
        SampleConversion::HalfToFloat.apply(&halves, &mut floats);
        for (half, float) in (0..=u16::MAX).zip(floats.as_chunks().0) {
            assert_eq!(u32::from_le_bytes(*float), half_to_float(half).to_bits());
        }
        let mut back = vec![0; halves.len()];
        SampleConversion::FloatToHalf.apply(&floats, &mut back);
        assert_eq!(back, halves);
    }

    proptest! {
        #[test]
        fn floats_round_in_groups_as_alone(bits in prop::collection::vec(any::<u32>(), 0..40)) {
            // Small exponents too: most random floats are too large or too small for halves.
            let near = bits.iter().map(|bits| bits % 0x1800_0000 + 0x3000_0000);
            for numbers in [bits.clone(), near.collect()] {
                let floats: Vec<u8> = numbers.iter().flat_map(|bits| bits.to_le_bytes()).collect();
                let mut halves = vec![0; floats.len() / 2];
                SampleConversion::FloatToHalf.apply(&floats, &mut halves);
                let alone = numbers.iter().map(|bits| float_to_half(f32::from_bits(*bits)));
                let alone: Vec<u8> = alone.flat_map(u16::to_le_bytes).collect();
                prop_assert_eq!(halves, alone);
            }
        }

        #[test]
        fn pixels_come_apart_again(
            noise in prop::collection::vec(any::<[u8; 2]>(), 0..400), count in 1usize..7
        ) {
            let pixels = noise.len() / count;
            let rows: Vec<&[[u8; 2]]> = noise.chunks_exact(pixels.max(1)).take(count).collect();
            if pixels > 0 {
                let mut to = vec![[0; 2]; pixels * count];
                interleave(&rows, &mut to);
                for (slot, row) in rows.iter().enumerate() {
                    for (i, sample) in row.iter().enumerate() {
                        prop_assert_eq!(to[i * count + slot], *sample);
                    }
                    let mut again = vec![[0; 2]; pixels];
                    pick(&to, slot, count, &mut again);
                    prop_assert_eq!(&again[..], *row);
                }
            }
        }
    }
}
