//! What is wrong with the way of a gradient between its colours: four statements, judged by lightness, chroma and hue.

use super::Gradient;
use crate::{Color, Space};

/// Colours that are looked at between two key colours.
const STEPS: usize = 64;
/// Lightness (CIE L*) that is off by so much is seen at once, and no matter of taste: between black and white
/// Oklab and CIE L* themselves are 13 apart.
const LIGHTNESS: f64 = 14.0;
/// Hue that is off by so much, as a distance in Oklab: two just noticeable ones.
const HUE: f64 = 0.04;
/// Half of the change in so small a part of the way is narrow.
const NARROW: f64 = 0.25;

/// A statement about a gradient, and whether it holds.
///
/// ```
/// use solio_color::gradient::{Mode, findings, presets::Preset};
/// let black_white = Preset::of_name("black-white").unwrap();
/// let linear = findings(&black_white.gradient(Mode::of_name("linear").unwrap()));
/// // Light that rises evenly is far too bright in the middle.
/// assert!(linear[0].statement == "too bright" && linear[0].holds && linear[0].amount > 20.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientFinding {
    /// `too bright`, `too dark`, `tint in the middle` or `narrow part`.
    pub statement: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// By how much at worst: in L*, as a distance in Oklab, or as the part of the way that takes half of the change.
    pub amount: f64,
    /// Where that is, from 0 to 1.
    pub at: f64,
}

/// The four statements, each at its worst between any two key colours. Between those lightness (CIE L*) should
/// change evenly, and the hue (of Oklab) should keep to the straight line.
///
/// ```
/// use solio_color::gradient::{Mode, findings, presets::Preset};
/// let blue_white = Preset::of_name("blue-white").unwrap();
/// let of = |mode: &str| findings(&blue_white.gradient(Mode::of_name(mode).unwrap()))[2];
/// // Codes of sRGB go through violet.
/// assert!(of("srgb").holds && !of("oklab").holds);
/// ```
pub fn findings(gradient: &Gradient) -> [GradientFinding; 4] {
    let finding = |statement, amount| GradientFinding { statement, holds: false, amount, at: 0.0 };
    let mut found = [
        finding("too bright", 0.0),
        finding("too dark", 0.0),
        finding("tint in the middle", 0.0),
        finding("narrow part", 1.0),
    ];
    let sampler = gradient.sampler();
    let look = |at: f64| {
        let [r, g, b, _] = sampler.at(at);
        let color = Color::new(Space::Srgb, [r, g, b].map(|code| code.clamp(0.0, 1.0)));
        (color.to(Space::Lab).components[0], color.to(Space::Oklab).components)
    };
    for (from, to) in sections(gradient) {
        let ((l0, ok0), (l1, ok1)) = (look(from), look(to));
        let mut way = vec![0.0];
        let mut before = ok0;
        for step in 1..=STEPS {
            let share = step as f64 / STEPS as f64;
            let at = from + (to - from) * share;
            let (l, ok) = look(at);
            let off = l - (l0 + (l1 - l0) * share);
            worse(&mut found[0], off, at);
            worse(&mut found[1], -off, at);
            worse(&mut found[2], beside(ok0, ok1, ok), at);
            way.push(way[step - 1] + distance(before, ok));
            before = ok;
        }
        narrowest(&mut found[3], &way, [from, to]);
    }
    for (finding, least) in found.iter_mut().zip([LIGHTNESS, LIGHTNESS, HUE]) {
        finding.holds = finding.amount >= least;
    }
    found[3].holds = found[3].amount <= NARROW;
    found
}

/// From each key colour to the next one that lies apart, within 0 to 1.
fn sections(gradient: &Gradient) -> Vec<(f64, f64)> {
    let places: Vec<f64> =
        gradient.colors.iter().map(|stop| stop.position.clamp(0.0, 1.0)).collect();
    let pairs = places.windows(2).map(|pair| (pair[0], pair[1]));
    // Just inside: at a hard edge two colours share a place.
    let inside = |(from, to): (f64, f64)| (from + (to - from) * 1e-6, to - (to - from) * 1e-6);
    pairs.filter(|(from, to)| to - from > 1e-9).map(inside).collect()
}

fn worse(finding: &mut GradientFinding, amount: f64, at: f64) {
    if amount > finding.amount {
        (finding.amount, finding.at) = (amount, at);
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// How far a colour's hue and chroma lie beside the straight line between two others, whatever its lightness.
fn beside(from: [f64; 3], to: [f64; 3], color: [f64; 3]) -> f64 {
    let (a, b) = ([to[1] - from[1], to[2] - from[2]], [color[1] - from[1], color[2] - from[2]]);
    let length = a[0].hypot(a[1]);
    if length < 1e-9 {
        return b[0].hypot(b[1]);
    }
    // Beyond an end the end counts.
    let along = ((a[0] * b[0] + a[1] * b[1]) / (length * length)).clamp(0.0, 1.0);
    (b[0] - along * a[0]).hypot(b[1] - along * a[1])
}

/// The smallest part of a way in which half of its change happens.
fn narrowest(finding: &mut GradientFinding, way: &[f64], [from, to]: [f64; 2]) {
    let all = way[way.len() - 1];
    if all < 0.02 {
        return; // no change to speak of
    }
    let mut end = 0;
    for (start, at) in way.iter().enumerate() {
        while end < way.len() && way[end] - at < 0.5 * all {
            end += 1;
        }
        if end == way.len() {
            return;
        }
        let share = (end - start) as f64 / STEPS as f64;
        if share < finding.amount {
            finding.amount = share;
            finding.at = from + (to - from) * (start + end) as f64 / (2 * STEPS) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::presets::Preset;
    use crate::gradient::{Mode, parse_stops};

    fn of(name: &str, mode: &str) -> [GradientFinding; 4] {
        let mode = Mode::of_name(mode).unwrap();
        let colors = Preset::of_name(name)
            .map_or_else(|| parse_stops(name).unwrap(), |preset| preset.gradient(mode).colors);
        findings(&Gradient { colors, mode, ..Gradient::default() })
    }

    #[test]
    fn linear_light_is_too_bright_and_its_dark_part_narrow() {
        let linear = of("black-white", "linear");
        assert!(linear[0].holds && (20.0..40.0).contains(&linear[0].amount), "{linear:?}");
        assert!(!linear[1].holds && !linear[2].holds, "{linear:?}");
        assert!(linear[3].holds && linear[3].at < 0.2, "{linear:?}");
        let even = of("black-white", "oklab");
        assert!(even.iter().all(|finding| !finding.holds), "{even:?}");
    }

    #[test]
    fn codes_are_too_dark_between_red_and_green_and_tint_blue_to_white() {
        assert!(of("red-green", "srgb")[1].holds);
        assert!(of("blue-white", "srgb")[2].holds && !of("blue-white", "oklab")[2].holds);
    }

    #[test]
    fn one_colour_and_hard_edges_have_nothing_wrong() {
        for stops in ["red, red", "red", "red, red 50%, blue 50%, blue"] {
            let found = of(stops, "srgb");
            assert!(found.iter().all(|finding| !finding.holds), "{stops}: {found:?}");
        }
    }
}
