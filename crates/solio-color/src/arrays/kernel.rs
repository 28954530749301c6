//! Loops over the planes of a block of pixels, in `f32`.
//!
//! Roots start from the bits of the number, which give y, its root's reciprocal, to 4 per cent. What
//! c = x · yⁿ lacks to 1 tells how far y is off: a parabola in c leaves one part in 10,000, and the
//! root itself takes one more step. There is no division, which takes as long as ten
//! multiplications; results are within 6 units in the last place. No operation is fused, so that all
//! tiers give the same bits.

use crate::convert::Operation;

/// Pixels of a block: three planes of `f32` that stay in the cache of first level.
pub(super) const BLOCK: usize = 256;

/// One component of the pixels of a block.
pub(super) type ComponentPlane = [f32; BLOCK];

/// What is done to each pixel.
#[derive(Clone, Copy, Debug)]
pub(super) enum PixelStage {
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

impl PixelStage {
    #[inline(always)]
    pub(super) fn run(self, planes: &mut [ComponentPlane; 3]) {
        match self {
            PixelStage::Matrix(m) => matrix(&m, planes),
            PixelStage::DecodeSrgb => each(planes, decode_srgb),
            PixelStage::EncodeSrgb => each(planes, encode_srgb),
            PixelStage::Decode24 => each(planes, |x| power24(x.abs()).copysign(x)),
            PixelStage::Encode24 => each(planes, |x| root24(x.abs()).copysign(x)),
            PixelStage::Cube => each(planes, |x| x * x * x),
            PixelStage::CubeRoot => each(planes, |x| cube_root(x.abs()).copysign(x)),
            PixelStage::Reference(operation) => reference(operation, planes),
        }
    }
}

#[inline(always)]
fn each(planes: &mut [ComponentPlane; 3], f: impl Fn(f32) -> f32) {
    for plane in planes {
        for x in plane {
            *x = f(*x);
        }
    }
}

#[inline(always)]
fn matrix(m: &[[f32; 3]; 3], planes: &mut [ComponentPlane; 3]) {
    let [x, y, z] = planes;
    for i in 0..BLOCK {
        let (a, b, c) = (x[i], y[i], z[i]);
        x[i] = m[0][0] * a + m[0][1] * b + m[0][2] * c;
        y[i] = m[1][0] * a + m[1][1] * b + m[1][2] * c;
        z[i] = m[2][0] * a + m[2][1] * b + m[2][2] * c;
    }
}

#[inline(never)]
fn reference(operation: Operation, planes: &mut [ComponentPlane; 3]) {
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

/// x^2.4 = (x · x^(-1/5))³, of what is not negative.
#[inline(always)]
fn power24(x: f32) -> f32 {
    let y = reciprocal_root::<5>(x);
    let product = x * y;
    let square = y * y;
    let lacks = 1.0 - product * (square * square);
    let power = product * product * product;
    power + power * (lacks * (0.6 + 0.48 * lacks))
}

/// x^(5/12) = √(x · x^(-1/6)), of what is not negative.
#[inline(always)]
fn root24(x: f32) -> f32 {
    let y = reciprocal_root::<6>(x);
    let product = x * y;
    let square = y * y;
    let lacks = 1.0 - product * (square * square * y);
    finite(x, (product + product * (lacks * (1.0 / 6.0))).sqrt())
}

/// Of what is not negative. 0, infinity and what is not a number are their own roots.
#[inline(always)]
fn cube_root(x: f32) -> f32 {
    let y = reciprocal_root::<3>(x);
    let square = y * y;
    let root = x * square;
    // One step of Newton's method, in which y² is a reciprocal of the root's square.
    let over = root * root * root - x;
    finite(x, root - over * (square * (1.0 / 3.0)))
}

/// x^(-1/N) to one part in 10,000.
///
/// The bits of a float are nearly its logarithm: what they are subtracted from is chosen so that c
/// lies as much above 1 as below, and the parabola comes nearest to c^(-1/N) between (found by
/// least squares, weighted until all errors are equal).
#[inline(always)]
fn reciprocal_root<const N: u32>(x: f32) -> f32 {
    // Shares of 2^15: a product of more digits would be longer than 32 bits.
    let (start, share, [p, q, r]): (u32, u32, [f32; 3]) = const {
        match N {
            3 => (0x54a2_d500, 10923, [1.552_331_6, -0.769_89, 0.217_573_54]),
            5 => (0x4c2b_e600, 6554, [1.320_343_1, -0.438_96, 0.118_630_3]),
            6 => (0x4a0e_0b00, 5461, [1.264_171_7, -0.359_845_28, 0.095_692_73]),
            _ => panic!("no such root is needed"),
        }
    };
    let y = f32::from_bits(start - (x.to_bits() >> 15) * share);
    let square = y * y;
    let c = match N {
        3 => x * y * square,
        5 => x * y * (square * square),
        _ => x * y * (square * square * y),
    };
    y * (p + c * (q + c * r))
}

/// Infinity and what is not a number are their own roots.
#[inline(always)]
fn finite(x: f32, root: f32) -> f32 {
    if x < f32::INFINITY { root } else { x }
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
        for f in [cube_root, power24, root24, encode_srgb, decode_srgb] {
            assert_eq!(f(0.0), 0.0);
            assert_eq!(f(f32::INFINITY), f32::INFINITY);
            assert!(f(f32::NAN).is_nan());
            // The least numbers have so few digits that their roots may be far off, but not large.
            assert!(f(f32::from_bits(1)) < 1e-7);
        }
        assert_eq!((encode_srgb(-1.0), decode_srgb(-1.0)), (-encode_srgb(1.0), -decode_srgb(1.0)));
    }
}
