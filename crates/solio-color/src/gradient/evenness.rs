//! How even the steps of a gradient look.

use super::Gradient;
use crate::{Color, Difference, Space};

/// Smaller steps, in the unit of any measure, are what rounding makes of equal colours; that of hues is
/// the largest.
const LEAST_STEP: f64 = 1e-6;

/// The coefficient of variation of the differences between neighbours of `samples` colours, at
/// equal distances from 0 to 1 and within sRGB: their standard deviation by their mean.
///
/// 0 is perfectly even; lower is better. The study takes 256 samples. NaN where fewer than three
/// samples are asked for or all colours are the same, but for rounding.
pub fn non_uniformity(gradient: &Gradient, difference: Difference, samples: usize) -> f64 {
    let sampler = gradient.sampler();
    let last = samples.saturating_sub(1).max(1) as f64;
    let color = |i: usize| {
        let [r, g, b, _] = sampler.at(i as f64 / last);
        Color::new(Space::Srgb, [r, g, b].map(|code| code.clamp(0.0, 1.0)))
    };
    let mut before = color(0);
    let mut steps = Vec::with_capacity(samples);
    for i in 1..samples {
        let next = color(i);
        steps.push(difference.between(&before, &next));
        before = next;
    }
    if steps.len() < 2 {
        return f64::NAN;
    }
    let count = steps.len() as f64;
    let mean = steps.iter().sum::<f64>() / count;
    if mean < LEAST_STEP {
        return f64::NAN;
    }
    let variance = steps.iter().map(|step| (step - mean) * (step - mean)).sum::<f64>() / count;
    variance.sqrt() / mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::presets::Preset;
    use crate::gradient::{Mode, parse_stops};

    /// What the study found in CAM16-UCS, in sRGB, linear light and Oklab.
    #[test]
    fn it_is_what_the_study_found() {
        for (name, wanted) in [
            ("black-white", [0.29, 1.54, 0.25]),
            ("blue-white", [0.37, 0.41, 0.09]),
            ("red-green", [0.34, 0.39, 0.15]),
            ("blue-yellow", [0.55, 0.30, 0.17]),
            ("rainbow", [0.91, 0.75, 0.71]),
            ("heat", [0.58, 1.05, 0.21]),
            ("red-blue-green", [0.46, 0.28, 0.26]),
        ] {
            let preset = Preset::of_name(name).unwrap();
            for (mode, want) in ["srgb", "linear", "oklab"].into_iter().zip(wanted) {
                let gradient = preset.gradient(Mode::of_name(mode).unwrap());
                let found = non_uniformity(&gradient, Difference::Cam16Ucs, 256);
                assert!((found - want).abs() < 0.015, "{name} in {mode}: {found:.3}, not {want}");
            }
        }
    }

    /// CIEDE2000 finds the blend of sRGB the most even one from black to white.
    #[test]
    fn ciede2000_reverses_black_to_white() {
        let of = |mode: &str| {
            let gradient =
                Preset::of_name("black-white").unwrap().gradient(Mode::of_name(mode).unwrap());
            non_uniformity(&gradient, Difference::Ciede2000, 256)
        };
        assert!(of("srgb") < of("oklab"), "{} {}", of("srgb"), of("oklab"));
    }

    #[test]
    fn what_has_no_steps_has_no_non_uniformity() {
        let one = Preset::of_name("heat").unwrap().gradient(Mode::default());
        assert!(non_uniformity(&one, Difference::Ok, 2).is_nan());
        assert!(non_uniformity(&Gradient::default(), Difference::Ok, 20).is_nan());
        for (stops, mode) in
            [("red, red", "oklab"), ("#123456, #123456", "oklch"), ("teal", "srgb")]
        {
            let colors = parse_stops(stops).unwrap();
            let mode = Mode::of_name(mode).unwrap();
            let constant = Gradient { colors, mode, ..Gradient::default() };
            for difference in Difference::ALL {
                assert!(
                    non_uniformity(&constant, difference, 256).is_nan(),
                    "{stops} {difference:?}"
                );
            }
        }
    }
}
