//! Numbers that arrays of pixels are made of.

use super::block::{Load, PixelBlock, StorePixels};
use crate::srgb;
use half::f16;
use half::slice::HalfFloatSliceExt;
use solio_codec::wide::wide;

/// A number of a pixel: `f32`, `f16`, or a code of 8 or 16 bits, whose largest stands for 1.
pub trait Sample: Copy + Default + Send + Sync + Sealed + 'static {
    /// The nearest; codes are held within their range, and what is not a number becomes 0.
    fn of_f32(value: f32) -> Self;
    /// Many as floats, as many as there are places.
    fn to_floats(from: &[Self], to: &mut [f32]);
    /// Many from floats.
    #[inline(always)]
    fn of_floats(from: &[f32], to: &mut [Self]) {
        for (from, to) in from.iter().zip(to) {
            *to = Self::of_f32(*from);
        }
    }
    /// Where they are floats.
    #[inline(always)]
    fn floats(_: &[Self]) -> Option<&[f32]> {
        None
    }
    /// Where they are floats.
    #[inline(always)]
    fn floats_mut(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
    /// As codes of sRGB to light, where a table does it exactly.
    #[inline(always)]
    fn to_light(_: &[Self], _: &mut [f32]) -> bool {
        false
    }
}

/// Keeps the list of samples closed; its functions are compiled once, here, with this crate's level
/// of optimisation, not with that of who calls them, which may be for size.
pub trait Sealed: Sized {
    /// Takes in up to a block of pixels; codes of sRGB as light, if `as_light` asks for it and a
    /// table does it exactly: then it gives `true`.
    fn load(block: &mut PixelBlock, from: &[Self], channels: usize, as_light: bool) -> bool;
    /// Gives out up to a block of pixels.
    fn store(block: &mut PixelBlock, to: &mut [Self], channels: usize);
}

macro_rules! samples {
    ($($sample:ty),*) => {$(
        impl Sealed for $sample {
            #[inline(never)]
            fn load(block: &mut PixelBlock, from: &[Self], channels: usize, as_light: bool) -> bool {
                wide(Load { block, from, channels, as_light })
            }
            #[inline(never)]
            fn store(block: &mut PixelBlock, to: &mut [Self], channels: usize) {
                wide(StorePixels { block, to, channels });
            }
        }
    )*};
}
samples!(f32, f16, u8, u16);

impl Sample for f32 {
    #[inline(always)]
    fn of_f32(value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn to_floats(from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }
    #[inline(always)]
    fn floats(from: &[f32]) -> Option<&[f32]> {
        Some(from)
    }
    #[inline(always)]
    fn floats_mut(to: &mut [f32]) -> Option<&mut [f32]> {
        Some(to)
    }
}

impl Sample for f16 {
    #[inline(always)]
    fn of_f32(value: f32) -> f16 {
        f16::from_f32(value)
    }
    #[inline(always)]
    fn to_floats(from: &[f16], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
    #[inline(always)]
    fn of_floats(from: &[f32], to: &mut [f16]) {
        to.convert_from_f32_slice(from);
    }
}

/// The code of a value from 0 to 1: one half more, cut off; 0 of NaN.
///
/// Rust's conversion looks at every number by itself, where vectors of AVX2 are wanted. Between 2²³
/// and 2²⁴ floats are 1 apart: adding 2²³ rounds, to the even one in the middle between two, and
/// where that is more than the number, it is taken back.
#[inline(always)]
fn code(value: f32, largest: f32) -> u32 {
    const WHOLE: f32 = (1 << 23) as f32;
    let code = value * largest + 0.5;
    // Comparisons that NaN fails leave 0.
    let code = if code > 0.0 { code } else { 0.0 };
    let code = if code < largest { code } else { largest };
    let rounded = code + WHOLE;
    let more = u32::from(rounded - WHOLE > code);
    rounded.to_bits() - WHOLE.to_bits() - more
}

impl Sample for u8 {
    #[inline(always)]
    fn of_f32(value: f32) -> u8 {
        code(value, 255.0) as u8
    }
    #[inline(always)]
    fn to_floats(from: &[u8], to: &mut [f32]) {
        for (from, to) in from.iter().zip(to) {
            *to = f32::from(*from) / 255.0;
        }
    }
    #[inline(always)]
    fn to_light(from: &[u8], to: &mut [f32]) -> bool {
        let lights = srgb::lights();
        for (from, to) in from.iter().zip(to) {
            *to = lights[usize::from(*from)];
        }
        true
    }
}

impl Sample for u16 {
    #[inline(always)]
    fn of_f32(value: f32) -> u16 {
        code(value, 65535.0) as u16
    }
    #[inline(always)]
    fn to_floats(from: &[u16], to: &mut [f32]) {
        for (from, to) in from.iter().zip(to) {
            *to = f32::from(*from) / 65535.0;
        }
    }
}
