//! Loops over the planes of a block of pixels, in `f32`.
//!
//! Roots start from a division of the bits of the number, which is right to a few per cent, and
//! take two steps of Halley's method, which triples the number of right digits each time; results
//! are within 6 units in the last place. No operation is fused, so that
//! all tiers give the same bits.

use crate::step::Operation;

/// Pixels of a block: three planes of `f32` that stay in the cache of first level.
pub(super) const BLOCK: usize = 256;

/// One component of the pixels of a block.
pub(super) type Plane = [f32; BLOCK];

/// What is done to each pixel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// Each component is a sum of all three.
    Matrix([[f32; 3]; 3]),
    /// From codes of sRGB to light.
    DecodeSrgb,
    /// From light to codes of sRGB.
    EncodeSrgb,
    /// x^2.4
    Decode24,
    /// x^(1/2.4)
    Encode24,
    Cube,
    CubeRoot,
    /// One pixel after the other, in `f64`.
    Reference(Operation),
}

impl Stage {
    #[inline(always)]
    pub(super) fn run(self, planes: &mut [Plane; 3]) {
        match self {
            Stage::Matrix(m) => matrix(&m, planes),
            Stage::DecodeSrgb => each(planes, decode_srgb),
            Stage::EncodeSrgb => each(planes, encode_srgb),
            Stage::Decode24 => each(planes, |x| power24(x.abs()).copysign(x)),
            Stage::Encode24 => each(planes, |x| root24(x.abs()).copysign(x)),
            Stage::Cube => each(planes, |x| x * x * x),
            Stage::CubeRoot => each(planes, |x| cube_root(x.abs()).copysign(x)),
            Stage::Reference(operation) => reference(operation, planes),
        }
    }
}

#[inline(always)]
fn each(planes: &mut [Plane; 3], f: impl Fn(f32) -> f32) {
    for plane in planes {
        for x in plane {
            *x = f(*x);
        }
    }
}

#[inline(always)]
fn matrix(m: &[[f32; 3]; 3], planes: &mut [Plane; 3]) {
    let [x, y, z] = planes;
    for i in 0..BLOCK {
        let (a, b, c) = (x[i], y[i], z[i]);
        x[i] = m[0][0] * a + m[0][1] * b + m[0][2] * c;
        y[i] = m[1][0] * a + m[1][1] * b + m[1][2] * c;
        z[i] = m[2][0] * a + m[2][1] * b + m[2][2] * c;
    }
}

#[inline(never)]
fn reference(operation: Operation, planes: &mut [Plane; 3]) {
    let [x, y, z] = planes;
    for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
        [*x, *y, *z] = operation.apply([*x, *y, *z].map(f64::from)).map(|c| c as f32);
    }
}

/// From the code of sRGB to light, mirrored below 0 (IEC 61966-2-1).
#[inline(always)]
fn decode_srgb(code: f32) -> f32 {
    let v = code.abs();
    let curve = power24((v + 0.055) * (1.0 / 1.055));
    (if v <= 0.040_45 { v * (1.0 / 12.92) } else { curve }).copysign(code)
}

/// From light to the code of sRGB, mirrored below 0.
#[inline(always)]
fn encode_srgb(light: f32) -> f32 {
    let v = light.abs();
    let curve = 1.055 * root24(v) - 0.055;
    (if v <= 0.003_130_8 { v * 12.92 } else { curve }).copysign(light)
}

/// x^2.4 = x² · (x²)^(1/5), of what is not negative.
#[inline(always)]
fn power24(x: f32) -> f32 {
    let square = x * x;
    square * fifth_root(square)
}

/// x^(5/12) = x^(1/4) · x^(1/6), of what is not negative.
#[inline(always)]
fn root24(x: f32) -> f32 {
    let root = x.sqrt();
    root.sqrt() * cube_root(root)
}

/// Of what is not negative. 0, infinity and what is not a number are their own roots.
#[inline(always)]
fn cube_root(x: f32) -> f32 {
    let mut y = f32::from_bits(x.to_bits() / 3 + 0x2a51_37a0);
    for _ in 0..2 {
        let cube = y * y * y;
        y *= (cube + x + x) / (cube + cube + x);
    }
    ends(x, y)
}

/// As [`cube_root`].
#[inline(always)]
fn fifth_root(x: f32) -> f32 {
    // 0.8 · 127 · 2²³, less what spreads the error (3.4 %) on both sides.
    let mut y = f32::from_bits(x.to_bits() / 5 + 0x32c8_4000);
    for _ in 0..2 {
        let square = y * y;
        let fifth = square * square * y;
        y *= (2.0 * fifth + 3.0 * x) / (3.0 * fifth + 2.0 * x);
    }
    ends(x, y)
}

/// Where Halley's step has nothing to divide.
#[inline(always)]
fn ends(x: f32, root: f32) -> f32 {
    if x > 0.0 && x < f32::INFINITY { root } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64, from: f32, to: f32) -> f64 {
        let mut worst = 0.0_f64;
        let mut x = from;
        while x < to {
            let (found, want) = (f64::from(f(x)), exact(f64::from(x)));
            worst = worst.max(((found - want) / want).abs() / f64::from(f32::EPSILON));
            x = f32::from_bits(x.to_bits() + 997);
        }
        worst
    }

    /// In units of the last place of 1 (2⁻²³), over many decades; curves lose some where they subtract.
    #[test]
    fn roots_are_right_to_a_few_last_places() {
        assert!(worst(cube_root, f64::cbrt, 1e-20, 1e20) < 2.0);
        assert!(worst(fifth_root, |x| x.powf(0.2), 1e-20, 1e20) < 2.5);
        assert!(worst(power24, |x| x.powf(2.4), 1e-6, 1e6) < 4.0);
        assert!(worst(root24, |x| x.powf(1.0 / 2.4), 1e-6, 1e6) < 4.0);
        let decode =
            |x: f64| if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        assert!(worst(decode_srgb, decode, 1e-4, 1.0) < 5.0);
        let encode =
            |x: f64| if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        assert!(worst(encode_srgb, encode, 1e-4, 1.0) < 6.0);
    }

    #[test]
    fn what_has_no_root_is_defined() {
        for f in [cube_root, fifth_root, power24, root24, encode_srgb, decode_srgb] {
            assert_eq!(f(0.0), 0.0);
            assert_eq!(f(f32::INFINITY), f32::INFINITY);
            assert!(f(f32::NAN).is_nan());
            // The least numbers have so few digits that their roots may be far off, but not large.
            assert!(f(f32::from_bits(1)) < 1e-7);
        }
        assert_eq!((encode_srgb(-1.0), decode_srgb(-1.0)), (-encode_srgb(1.0), -decode_srgb(1.0)));
    }
}
