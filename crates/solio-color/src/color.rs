//! One colour: a space, three components, alpha, and which of these are missing.

use crate::{Space, convert};

/// Which components of a colour are missing (`none` in CSS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Missing(u8);

impl Missing {
    /// Nothing is missing.
    pub const NONE: Missing = Missing(0);
    /// The index of alpha, after the three components.
    pub const ALPHA: usize = 3;

    /// Whether component `index` (0 to 2, or [`Missing::ALPHA`]) is missing.
    pub fn contains(self, index: usize) -> bool {
        index < 4 && self.0 >> index & 1 == 1
    }

    /// With component `index` missing too; an index past [`Missing::ALPHA`] changes nothing.
    #[must_use]
    pub fn with(self, index: usize) -> Missing {
        if index < 4 { Missing(self.0 | 1 << index) } else { self }
    }

    /// Whether nothing is missing.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A colour in some space, as CSS Color 4 has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// The space of the components.
    pub space: Space,
    /// Three numbers in the units of [`Space`]; 0 where missing.
    pub components: [f64; 3],
    /// Coverage, 0 to 1; 0 where missing. Colours are not multiplied by it.
    pub alpha: f64,
    /// Which of them are missing.
    pub missing: Missing,
}

impl Color {
    /// An opaque colour.
    pub fn new(space: Space, components: [f64; 3]) -> Color {
        Color { space, components, alpha: 1.0, missing: Missing::NONE }
    }

    /// An opaque colour of sRGB, from codes of eight bits.
    pub fn from_rgb8(rgb: [u8; 3]) -> Color {
        Color::new(Space::Srgb, rgb.map(|code| f64::from(code) / 255.0))
    }

    /// The same with another alpha, which is then not missing.
    #[must_use]
    pub fn with_alpha(self, alpha: f64) -> Color {
        let missing = Missing(self.missing.0 & !(1 << Missing::ALPHA));
        Color { alpha, missing, ..self }
    }

    /// The same with some components missing, which then are 0.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Color {
        for (index, component) in self.components.iter_mut().enumerate() {
            if missing.contains(index) {
                *component = 0.0;
            }
        }
        if missing.contains(Missing::ALPHA) {
            self.alpha = 0.0;
        }
        self.missing = missing;
        self
    }

    /// The same colour in another space (CSS Color 4, §11): what is missing counts as 0, except
    /// alpha, and a hue that has no power there is missing afterwards.
    #[must_use]
    pub fn to(&self, space: Space) -> Color {
        if space == self.space {
            return *self;
        }
        let components = convert(self.components, self.space, space);
        let alpha_only = Missing(self.missing.0 & 1 << Missing::ALPHA);
        let converted = Color { space, components, alpha: self.alpha, missing: Missing::NONE };
        match converted.powerless_hue() {
            Some(hue) => converted.with_missing(alpha_only.with(hue)),
            None => converted.with_missing(alpha_only),
        }
    }

    /// The index of the hue where this colour is so grey that its hue has no power.
    ///
    /// LCH and Oklch have the thresholds of CSS Color 4's sample code (0.0015 and 0.000004); those
    /// of HSL, HSV and HWB, where CSS has 0, leave room for the rounding of conversions.
    pub fn powerless_hue(&self) -> Option<usize> {
        let [_, b, c] = self.components;
        let grey = match self.space {
            Space::Hsl => b.abs() <= 1e-6 || c == 0.0 || (c - 1.0).abs() <= 1e-6,
            Space::Hsv => b.abs() <= 1e-6 || c == 0.0,
            Space::Hwb => b + c >= 1.0 - 1e-7,
            Space::Lch => b <= 0.0015,
            Space::Oklch => b <= 0.000_004,
            _ => false,
        };
        if grey { self.space.hue_index() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greys_lose_their_hue_on_the_way() {
        let grey = Color::from_rgb8([127; 3]);
        for space in Space::ALL {
            let found = grey.to(space);
            assert_eq!(found.missing.is_empty(), !space.is_polar(), "{space:?}");
            for other in Space::ALL {
                let on = found.to(other);
                let all = other == space || on.missing.is_empty() != other.is_polar();
                assert!(all, "{space:?} {other:?} {on:?}");
            }
        }
        // A colour that is not converted keeps what it has.
        let written = Color::new(Space::Lch, [100.0, 0.0, 40.0]);
        assert_eq!(written.to(Space::Lch), written);
    }

    #[test]
    fn missing_counts_as_0() {
        let none = Missing::NONE.with(2).with(Missing::ALPHA);
        let color = Color::new(Space::Srgb, [1.0, 1.0, 1.0]).with_missing(none);
        assert_eq!((color.components, color.alpha), ([1.0, 1.0, 0.0], 0.0));
        let hsl = color.to(Space::Hsl);
        assert_eq!(hsl.components, [60.0, 1.0, 0.5]);
        assert_eq!(hsl.missing, Missing::NONE.with(Missing::ALPHA));
        assert_eq!(color.with_alpha(0.5).missing, Missing::NONE.with(2));
        assert!(!none.contains(9) && none.with(9) == none);
    }
}
