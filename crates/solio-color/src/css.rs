//! Colours as text of CSS Color 4.

use crate::{Color, Missing, Space};

impl Color {
    /// Text that [`Color::parse`] reads as the very same colour, if its numbers are finite and its
    /// alpha lies within 0 to 1.
    ///
    /// That is the function of its space, `rgb()` for codes of eight bits, else `color()`. What a
    /// function would hold within its range is written as `color(--lab …)`, which is ours, and so
    /// are `color(--hsv …)` and `color(acescg …)`: browsers do not read these three.
    pub fn to_css(&self) -> String {
        let text = |i: usize, percent: bool| match self.missing.contains(i) {
            true => "none".to_owned(),
            false if percent => percentage(self.components[i]),
            false => self.components[i].to_string(),
        };
        let [first, second, _] = self.components;
        let inside = match self.space {
            Space::Hsl => second >= 0.0,
            Space::Lab => (0.0..=100.0).contains(&first),
            Space::Oklab => (0.0..=1.0).contains(&first),
            Space::Lch => (0.0..=100.0).contains(&first) && second >= 0.0,
            Space::Oklch => (0.0..=1.0).contains(&first) && second >= 0.0,
            space => space == Space::Hwb,
        };
        let name = self.space.name();
        let percent = inside && matches!(self.space, Space::Hsl | Space::Hwb);
        let [a, b, c] = [text(0, false), text(1, percent), text(2, percent)];
        let (open, alpha) = (format!("{a} {b} {c}"), self.alpha_text());
        if let Some([r, g, b]) = self.codes() {
            format!("rgb({r} {g} {b}{alpha})")
        } else if inside {
            format!("{name}({open}{alpha})")
        } else {
            let ours = self.space.is_polar() || matches!(self.space, Space::Lab | Space::Oklab);
            format!("color({}{name} {open}{alpha})", if ours { "--" } else { "" })
        }
    }

    /// A colour of sRGB without its alpha as CSS 2 and SVG 1.1 write it, held within 0 to 1: codes of
    /// eight bits where these are exact, else percentages. [`Color::parse`] reads the very same.
    pub(crate) fn to_legacy_css(self) -> String {
        let held = Color { components: self.components.map(|c| c.clamp(0.0, 1.0) + 0.0), ..self };
        match held.codes() {
            Some([r, g, b]) => format!("rgb({r}, {g}, {b})"),
            None => {
                let [r, g, b] = held.components.map(percentage);
                format!("rgb({r}, {g}, {b})")
            }
        }
    }

    fn alpha_text(&self) -> String {
        if self.missing.contains(Missing::ALPHA) {
            " / none".to_owned()
        } else if self.alpha == 1.0 {
            String::new()
        } else {
            format!(" / {}", self.alpha)
        }
    }

    /// The codes of eight bits that these components are, exactly.
    fn codes(&self) -> Option<[u8; 3]> {
        let codes = self.components.map(|c| (c * 255.0).round() as u8);
        let same = |i: usize| {
            let back = f64::from(codes[i]) / 255.0;
            back.to_bits() == self.components[i].to_bits() && !self.missing.contains(i)
        };
        (self.space == Space::Srgb && (0..3).all(same)).then_some(codes)
    }
}

/// A fraction as a percentage with the same digits, so that exactly it comes back.
fn percentage(value: f64) -> String {
    if value == 0.0 {
        return format!("{value}%");
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0) + 2;
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let mut digits = mantissa.replace('.', "");
    match exponent {
        0..15 => {
            let whole = exponent as usize + 1;
            if digits.len() > whole {
                digits.insert(whole, '.');
            } else {
                digits.push_str(&"0".repeat(whole - digits.len()));
            }
            format!("{sign}{digits}%")
        }
        -6..0 => format!("{sign}0.{}{digits}%", "0".repeat(-exponent as usize - 1)),
        _ => format!("{sign}{mantissa}e{exponent}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_usual_ones_look_usual() {
        for text in [
            "rgb(255 128 0)",
            "rgb(255 128 0 / 0.5)",
            "hsl(120 7% 29%)",
            "hsl(none 7% 29% / none)",
            "hsl(0 0% 2500% / 0)",
            "hsl(0 0.01% 0.5%)",
            "hwb(120 10% 20%)",
            "lab(50 -20.5 none)",
            "oklch(0.5 0.1 30 / 0)",
            "color(srgb none 0.1 1.5)",
            "color(xyz-d65 0.1 0.2 0.3)",
            "color(--hsv 30 0.5 0.2)",
            "color(acescg 1 2 3)",
            "color(--lch 120 5 40)",
        ] {
            assert_eq!(Color::parse(text).unwrap().to_css(), text);
        }
    }

    #[test]
    fn legacy_text_has_commas_and_stays_within_srgb() {
        for (components, text) in [
            ([1.0, 0.2, 0.0], "rgb(255, 51, 0)"),
            ([0.125, 0.5, 0.75], "rgb(12.5%, 50%, 75%)"),
            ([1.5, -0.0, -2.0], "rgb(255, 0, 0)"),
            ([1.5, 0.5, -2.0], "rgb(100%, 50%, 0%)"),
        ] {
            assert_eq!(Color::new(Space::Srgb, components).to_legacy_css(), text);
        }
    }

    proptest! {
        #[test]
        fn legacy_text_leads_back(components in prop::array::uniform3(0.0..=1.0f64)) {
            let color = Color::new(Space::Srgb, components);
            let text = color.to_legacy_css();
            prop_assert_eq!(Color::parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?, color);
        }

        #[test]
        fn text_leads_back(
            space in 0..Space::ALL.len(),
            components in prop::array::uniform3(prop_oneof![-2.0..120.0f64, 0.0..1.0f64, prop::num::f64::NORMAL]),
            alpha in 0.0..=1.0f64,
            missing in prop::collection::vec(0usize..4, 0..3),
        ) {
            let missing = missing.into_iter().fold(Missing::NONE, Missing::with);
            let color = Color::new(Space::ALL[space], components).with_alpha(alpha).with_missing(missing);
            let text = color.to_css();
            prop_assert_eq!(Color::parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?, color);
        }
    }
}
