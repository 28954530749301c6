//! Between colours: CSS Color 4, §12 "Color Interpolation", and CSS Color 5, `color-mix()`.

use crate::{Color, Missing, Space, convert};
use solio_base::{Error, Result, named_enum};

named_enum! {
    /// Which way round hues go (CSS Color 4, §12.4).
    #[derive(Default, Hash)]
    pub enum HueMethod {
        /// The shorter arc.
        #[default]
        Shorter = "shorter",
        /// The longer arc; between equal hues a whole turn.
        Longer = "longer",
        /// Ever larger angles.
        Increasing = "increasing",
        /// Ever smaller angles.
        Decreasing = "decreasing",
    }

    /// `shorter`, `longer`, `increasing`, `decreasing`.
    pub fn name;
}

impl HueMethod {
    /// From its name, in letters of either case.
    pub fn of_name(name: &str) -> Option<HueMethod> {
        HueMethod::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(name))
    }

    /// Two hues in degrees, so that the straight way between them is the one meant.
    pub fn fix(self, a: f64, b: f64) -> (f64, f64) {
        let (a, b) = (a.rem_euclid(360.0), b.rem_euclid(360.0));
        let difference = b - a;
        match self {
            HueMethod::Shorter if difference > 180.0 => (a + 360.0, b),
            HueMethod::Shorter if difference < -180.0 => (a, b + 360.0),
            HueMethod::Longer if 0.0 < difference && difference < 180.0 => (a + 360.0, b),
            HueMethod::Longer if -180.0 < difference && difference <= 0.0 => (a, b + 360.0),
            HueMethod::Increasing if difference < 0.0 => (a, b + 360.0),
            HueMethod::Decreasing if difference > 0.0 => (a + 360.0, b),
            _ => (a, b),
        }
    }
}

/// Where colours are blended, and which way round their hues go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interpolation {
    /// The space in which the components are blended.
    pub space: Space,
    /// Of hues, where that space has one.
    pub hue: HueMethod,
}

/// In Oklab, which is what CSS Color 5 does where nothing is said.
impl Default for Interpolation {
    fn default() -> Interpolation {
        Interpolation::new(Space::Oklab)
    }
}

impl Interpolation {
    /// In `space`, hues by the shorter arc.
    pub fn new(space: Space) -> Interpolation {
        Interpolation { space, hue: HueMethod::Shorter }
    }
}

/// The colour at `t` on the way from `a` (0) to `b` (1), in the space of the interpolation. `t`
/// may lie beyond 0 to 1; the line then goes on.
pub fn mix(a: &Color, b: &Color, t: f64, interpolation: Interpolation) -> Color {
    Segment::new(a, b, interpolation).at(t)
}

/// A line between two colours, prepared to be asked for many points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    space: Space,
    /// Multiplied by alpha, hues made to go the right way.
    ends: [[f64; 3]; 2],
    alphas: [f64; 2],
    missing: Missing,
}

impl Segment {
    /// The line from `a` to `b`.
    pub fn new(a: &Color, b: &Color, interpolation: Interpolation) -> Segment {
        let Interpolation { space, hue } = interpolation;
        let (a, b) = (carry(a, space), carry(b, space));
        let mut missing = Missing::NONE;
        let mut pair = |index: usize, a_value: f64, b_value: f64| match (
            a.missing.contains(index),
            b.missing.contains(index),
        ) {
            (true, true) => {
                missing = missing.with(index);
                (a_value, b_value)
            }
            (true, false) => (b_value, b_value),
            (false, true) => (a_value, a_value),
            (false, false) => (a_value, b_value),
        };
        let alphas = pair(Missing::ALPHA, a.alpha, b.alpha);
        let pairs = [0, 1, 2].map(|i| pair(i, a.components[i], b.components[i]));
        // Where alpha is missing from both, nothing is multiplied by it.
        let weights = if missing.contains(Missing::ALPHA) { (1.0, 1.0) } else { alphas };
        let pairs = [0, 1, 2].map(|i| {
            let (a, b) = pairs[i];
            if space.hue_index() == Some(i) {
                hue.fix(a, b)
            } else {
                (a * weights.0, b * weights.1)
            }
        });
        let ends = [pairs.map(|(a, _)| a), pairs.map(|(_, b)| b)];
        Segment { space, ends, alphas: [alphas.0, alphas.1], missing }
    }

    /// The colour at `t`: 0 is the one end, 1 the other.
    pub fn at(&self, t: f64) -> Color {
        let between = |a: f64, b: f64| a * (1.0 - t) + b * t;
        let alpha = between(self.alphas[0], self.alphas[1]);
        let whole = alpha == 0.0 || self.missing.contains(Missing::ALPHA);
        let divisor = if whole { 1.0 } else { alpha };
        let components = [0, 1, 2].map(|i| {
            let value = between(self.ends[0][i], self.ends[1][i]);
            if self.space.hue_index() == Some(i) {
                value.rem_euclid(360.0)
            } else {
                value / divisor
            }
        });
        let color = Color { space: self.space, components, alpha, missing: Missing::NONE };
        color.with_missing(self.missing)
    }
}

/// A component's class: what is analogous to what (CSS Color 4, §12.2).
#[derive(Clone, Copy, PartialEq)]
enum AxisClass {
    Red,
    Green,
    Blue,
    Lightness,
    Colorfulness,
    Hue,
    OpponentA,
    OpponentB,
    /// Of HSV, which CSS lacks: where lightness is, but not analogous to it.
    Value,
    /// Whiteness and blackness have nothing analogous.
    Own,
}

fn classes(space: Space) -> [AxisClass; 3] {
    match space {
        Space::Hsl => [AxisClass::Hue, AxisClass::Colorfulness, AxisClass::Lightness],
        Space::Hsv => [AxisClass::Hue, AxisClass::Colorfulness, AxisClass::Value],
        Space::Hwb => [AxisClass::Hue, AxisClass::Own, AxisClass::Own],
        Space::Lab | Space::Oklab => {
            [AxisClass::Lightness, AxisClass::OpponentA, AxisClass::OpponentB]
        }
        Space::Lch | Space::Oklch => {
            [AxisClass::Lightness, AxisClass::Colorfulness, AxisClass::Hue]
        }
        _ => [AxisClass::Red, AxisClass::Green, AxisClass::Blue],
    }
}

/// The colour in another space, with what is analogous to a missing component missing too. What
/// has nothing analogous is carried as a set: all of it or nothing.
fn carry(color: &Color, space: Space) -> Color {
    let converted = color.to(space);
    if space == color.space || color.missing.is_empty() {
        return converted;
    }
    let (from, to) = (classes(color.space), classes(space));
    let partner = |class: AxisClass, others: [AxisClass; 3]| {
        let place = |class: AxisClass| {
            if class == AxisClass::Value { AxisClass::Lightness } else { class }
        };
        others.iter().position(|other| place(*other) == place(class) && class != AxisClass::Own)
    };
    let mut rest = (0..3).filter(|i| partner(from[*i], to).is_none()).peekable();
    let set = rest.peek().is_some() && rest.all(|i| color.missing.contains(i));
    let whole = (0..3).all(|i| color.missing.contains(i));
    let mut missing = converted.missing;
    for (i, class) in to.into_iter().enumerate() {
        let carried = match partner(class, from) {
            Some(index) => color.missing.contains(index) && from[index] == class,
            None => set,
        };
        if carried || whole {
            missing = missing.with(i);
        }
    }
    converted.with_missing(missing)
}

/// CSS Color 5, `color-mix()`: colours and how many percent of each; where one has none, what is
/// left of 100 is dealt evenly to those.
///
/// Percentages that add up to more than 100 are scaled to 100; if to less, the colour is as much
/// less opaque, and transparent black if to 0.
///
/// # Errors
///
/// Where there are no colours, or a percentage is not within 0 to 100.
pub fn color_mix(items: &[(Color, Option<f64>)], interpolation: Interpolation) -> Result<Color> {
    if items.is_empty() {
        return Err(Error::argument("no colours to mix"));
    }
    let given = items.iter().filter_map(|(_, percent)| *percent);
    if let Some(percent) = given.clone().find(|percent| !(0.0..=100.0).contains(percent)) {
        return Err(Error::argument(format!("{percent} % of a colour; 0 to 100 can be mixed")));
    }
    let sum: f64 = given.sum();
    let open = items.iter().filter(|(_, percent)| percent.is_none()).count();
    let share = (100.0 - sum).max(0.0) / open.max(1) as f64;
    let items = items.iter().map(|(color, percent)| (color, percent.unwrap_or(share)));
    let total = if open > 0 { sum.max(100.0) } else { sum };
    if total == 0.0 {
        let black = convert([0.0; 3], Space::Srgb, interpolation.space);
        let black = Color::new(interpolation.space, black).with_alpha(0.0);
        let hue = black.powerless_hue().map_or(Missing::NONE, |hue| Missing::NONE.with(hue));
        return Ok(black.with_missing(hue));
    }
    let mixed = items.map(|(color, percent)| (*color, percent)).reduce(|(a, p), (b, q)| {
        let t = if p + q > 0.0 { q / (p + q) } else { 0.5 };
        (mix(&a, &b, t, interpolation), p + q)
    });
    let Some((mixed, _)) = mixed else {
        return Err(Error::argument("no colours to mix"));
    };
    let mut mixed = carry(&mixed, interpolation.space);
    if total < 100.0 {
        mixed.alpha *= total / 100.0;
    }
    Ok(mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn css(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    fn near(found: &Color, expected: [f64; 4], tolerance: f64) {
        let [a, b, c] = found.components;
        let all =
            [a, b, c, found.alpha].iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance);
        assert!(all, "{found:?} is not {expected:?}");
    }

    /// The examples of CSS Color 4, §12.3, and of CSS Color 5, §3.
    #[test]
    fn the_examples_of_css_color() {
        let (a, b) = (css("rgb(24% 12% 98% / .4)"), css("rgb(62% 26% 64% / .6)"));
        let srgb = mix(&a, &b, 0.5, Interpolation::new(Space::Srgb));
        near(&srgb, [0.468, 0.204, 0.776, 0.5], 1e-9);
        let (a, b) = (css("rgb(76% 62% 3% / .4)"), css("color(display-p3 .84 .19 .72 / .6)"));
        let lab = mix(&a, &b, 0.5, Interpolation::new(Space::Lab));
        near(&lab, [58.873, 51.552, 7.108, 0.5], 2e-2);
        let lch = mix(&a, &b, 0.5, Interpolation::new(Space::Lch));
        near(&lch, [58.873, 81.126, 31.82, 0.5], 2e-2);
        let peru = [(css("peru"), Some(40.0)), (css("palegoldenrod"), None)];
        let mixed = color_mix(&peru, Interpolation::new(Space::Lch)).unwrap();
        near(&mixed, [79.7256, 40.448, 84.771, 1.0], 2e-2);
        let red =
            [(css("rgb(100% 0% 0% / .7)"), Some(20.0)), (css("rgb(0% 100% 0% / .2)"), Some(60.0))];
        let mixed = color_mix(&red, Interpolation::new(Space::Srgb)).unwrap();
        near(&mixed, [0.53846, 0.46154, 0.0, 0.26], 1e-5);
    }

    /// What is carried forward, by the examples of CSS Color 4, §12.2, and beyond.
    #[test]
    fn missing_components_are_carried() {
        for (from, space, expected) in [
            ("lab(50% none none)", Space::Lch, "lch(50 none none)"),
            ("rgb(none none none / 50%)", Space::Oklab, "oklab(none none none / 0.5)"),
            ("color(xyz none none none)", Space::Hwb, "hwb(none none none)"),
            ("hwb(30 none none)", Space::Oklch, "oklch(none none 53)"),
            ("hsl(none 50% 50% / none)", Space::Oklch, "oklch(0.6 0.1 none / none)"),
            ("color(display-p3 0 none 0)", Space::XyzD50, "color(xyz-d50 0 none 0)"),
            ("color(--hsv none .5 .5)", Space::Hsl, "hsl(none 33% 38%)"),
            ("color(--hsv none none .5)", Space::Lab, "lab(53 none none)"),
            ("color(--hsv 30 .5 none)", Space::Hsl, "hsl(none 0% 0%)"),
            ("lab(50 none none)", Space::Hsv, "color(--hsv none none .5)"),
            ("lch(none none none)", Space::Hsv, "color(--hsv none none none)"),
            ("hsl(90 none 50%)", Space::Lab, "lab(53 0 0)"),
            ("rgb(none 0 0)", Space::Lab, "lab(0 0 0)"),
        ] {
            let (found, expected) = (carry(&css(from), space), css(expected));
            assert_eq!(found.missing, expected.missing, "{from}: {}", found.to_css());
            assert_eq!(found.space, expected.space);
        }
    }

    #[test]
    fn a_line_goes_on_beyond_its_ends() {
        let line =
            Segment::new(&css("black"), &css("white"), Interpolation::new(Space::SrgbLinear));
        near(&line.at(0.25), [0.25, 0.25, 0.25, 1.0], 1e-12);
        near(&line.at(-1.0), [-1.0, -1.0, -1.0, 1.0], 1e-12);
        near(&line.at(2.0), [2.0, 2.0, 2.0, 1.0], 1e-12);
        assert!(line.at(f64::NAN).components[0].is_nan());
    }

    #[test]
    fn percentages_out_of_range_are_refused() {
        for percent in [-1.0, 100.5, f64::NAN] {
            let items = [(css("red"), Some(percent)), (css("blue"), None)];
            assert!(color_mix(&items, Interpolation::default()).is_err());
        }
        assert!(color_mix(&[], Interpolation::default()).is_err());
        let none = [(css("red"), Some(0.0)), (css("blue"), Some(0.0))];
        let clear = color_mix(&none, Interpolation::new(Space::Oklch)).unwrap();
        assert_eq!((clear.alpha, clear.missing), (0.0, Missing::NONE.with(2)));
    }
}
