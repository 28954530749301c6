//! How coarse LJ2K is: the steps of bands for a quality.
//!
//! From 97 on the step falls exponentially; below, it is what "Controlling JPEG 2000 image quality using a single
//! parameter" (wg1n101553) says for images of 8 bits, with weights of what the eye sees of each band.

use super::curve::{HALF_MAX, to_curved};
use super::markers::ComponentCoding;
use super::write_markers::LEVELS;

/// Without one.
pub(in super::super) const DEFAULT_QUALITY: f32 = 110.0;

/// Below this, the weights of the eye count.
const FIRST_EXACT: f32 = 97.0;

/// Norms of the 9/7 wavelet: of means after so many levels, of the differences of the next level.
const MEANS: [f32; 6] = [1.0, 1.4021, 2.0304, 2.9012, 4.1153, 5.8245];
const DIFFERENCES: [f32; 5] = [1.4425, 1.9669, 2.8839, 4.1475, 5.8946];

/// Weights by level: of both differences, of one; of luma, of the difference of blue, of red.
const WEIGHTS: [[[f32; 2]; 5]; 3] = [
    [[0.0901, 0.2758], [0.7018, 0.8378], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]],
    [[0.0263, 0.0863], [0.1362, 0.2564], [0.3346, 0.4691], [0.5444, 0.6523], [0.7078, 0.7797]],
    [[0.0773, 0.1835], [0.2598, 0.4130], [0.5040, 0.6464], [0.7220, 0.8254], [0.8769, 0.9424]],
];

/// What an error of a component does to colours.
const GAINS: [f32; 3] = [1.0, 1.8051 / 1.7321, 1.5734 / 1.7321];

/// How a colour of samples up to `largest` is coded.
pub(super) fn set_steps(colors: &mut [ComponentCoding], quality: f32, largest: f64) {
    for (color, coding) in colors.iter_mut().enumerate() {
        let (step, weight) = if quality < FIRST_EXACT {
            let (step, power) = eye_step(quality.round(), coding.depth);
            let weight =
                move |level: usize, kind: usize| WEIGHTS[color][level - 1][kind].powf(power);
            (step / GAINS[color], Some(weight))
        } else {
            (exact_step(quality, coding.depth, largest), None)
        };
        let of = |gain: f32, level: usize, kind: usize| {
            step / (gain * weight.as_ref().map_or(1.0, |weight| weight(level, kind)))
        };
        let levels = LEVELS as usize;
        let mut steps = vec![parts(step / (MEANS[levels] * MEANS[levels]))];
        for level in (1..=levels).rev() {
            let (mean, difference) = (MEANS[level], DIFFERENCES[level - 1]);
            let one = parts(of(mean * difference, level, 1));
            steps.extend([one, one, parts(of(difference * difference, level, 0))]);
        }
        coding.steps = steps;
        (coding.guard_bits, coding.reversible) = (1, false);
    }
}

/// The step of all three components: that of the difference of red, as the reference has it.
fn exact_step(quality: f32, depth: u32, largest: f64) -> f32 {
    let s = (f64::from(quality) - 97.0) / 53.0;
    let mut step = 0.005 * 2f64.powf(-28.478 * s) + 0.001 * 2f64.powf(-10.534 * s);
    if depth == 32 {
        step *= to_curved(HALF_MAX) / to_curved(largest);
    }
    (step / (2.4756f64 / 3.0).sqrt()) as f32
}

/// The step of luma for a quality of 8-bit images, and how much weights count.
fn eye_step(quality: f32, depth: u32) -> (f32, f32) {
    let coarseness = |quality: f32| 2.0 * (1.0 - quality / 100.0);
    let coarse = if quality < 50.0 { 50.0 / quality } else { coarseness(quality) };
    let (low, high) = (coarseness(65.0), coarseness(97.0));
    let (power, scale) = if quality <= 65.0 {
        (1.0, 0.04)
    } else {
        let power = (coarse.ln() - high.ln()) / (low.ln() - high.ln());
        (power, 0.10 * 0.4f32.powf(power))
    };
    (scale * coarse + 0.5f32.sqrt() * 0.5f32.powi(depth as i32), power)
}

/// Exponent and mantissa of a step.
fn parts(step: f32) -> (u32, Option<u32>) {
    let (mut exponent, mut step) = (0, step);
    while step < 1.0 && exponent < 31 {
        exponent += 1;
        step *= 2.0;
    }
    let mantissa = (step * 2048.0).round() as i64 - 2048;
    (exponent, Some(mantissa.clamp(0, 2047) as u32))
}
