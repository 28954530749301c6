//! Linear light to sRGB as Blender's exporters compute it.
//!
//! Blender takes the power 5/12 by a quick approximation, which shows in the fourth digit; the
//! same bytes need the same steps. On x86-64 these include the processor's own estimate of
//! 1/√x: its last bits differ between makers, here as in Blender.

use solio_codec::estimate;

/// One channel; negative light becomes 0, there is no upper bound.
pub(crate) fn linear_to_srgb(c: f32) -> f32 {
    if c < 0.003_130_8 {
        return (c * 12.92).max(0.0);
    }
    1.055 * power_5_12(c) - 0.055
}

/// x^(5/12) as the fourth root of x^(5/3), which is estimated from above as x · x^(2/3) and from
/// below as x² · x^(-1/3).
fn power_5_12(x: f32) -> f32 {
    /// Makes up for the bias of both estimates.
    #[allow(clippy::excessive_precision)]
    const MEAN: f32 = 1.0 / (3.0 * 0.629_960_524_947_437) * 0.999_852;
    let third = power_2_3(x);
    let mean = MEAN * (x * third + x * x * inverse_root(third));
    let root = mean * inverse_root(mean);
    root * inverse_root(root)
}

/// A guess at x^(2/3): the bits of a float are about its logarithm.
fn power_2_3(x: f32) -> f32 {
    /// 2^(127 / (2/3) - 127), which keeps the exponent's bias out.
    const BIAS: f32 = f32::from_bits(0x5eb5_04f3);
    let log = (x * BIAS).to_bits() as i32 as f32;
    f32::from_bits((log * (2.0 / 3.0)).round_ties_even() as i32 as u32)
}

/// 1/√x from an estimate and one step of Newton's method.
fn inverse_root(x: f32) -> f32 {
    let r = estimate::inverse_root(x);
    1.5 * r + x * -0.5 * r * (r * r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_near_the_definition() {
        for i in 0..=2000 {
            let c = i as f32 / 1000.0;
            let exact = if c < 0.0031308 {
                c * 12.92
            } else {
                1.055 * f64::from(c).powf(1.0 / 2.4) as f32 - 0.055
            };
            assert!((linear_to_srgb(c) - exact).abs() < 3e-4, "{c}");
        }
        assert_eq!(linear_to_srgb(-1.0), 0.0);
    }
}
