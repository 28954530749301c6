//! Whether a space can show a colour, and the nearest one that it can.

use crate::difference::distance_ok;
use crate::{Color, Missing, Space, convert};

/// What rounding may leave outside: Ottosson's constants have ten digits.
const ROOM: f64 = 1e-6;

impl Color {
    /// Whether the colour lies within what `space` can show; always, where that has no bounds.
    pub fn in_gamut(&self, space: Space) -> bool {
        let Some(gamut) = space.gamut() else { return true };
        let components = convert(self.components, self.space, gamut);
        components.iter().all(|c| (-ROOM..=1.0 + ROOM).contains(c))
    }

    /// In `space`, each component of its RGB cut off at 0 and 1. Hues can shift. What is not a
    /// number stays so.
    #[must_use]
    pub fn clip(&self, space: Space) -> Color {
        match space.gamut() {
            Some(gamut) => cut(&self.to(gamut)).to(space),
            None => self.to(space),
        }
    }

    /// In `space`, by CSS Color 4, §14.2 "Binary Search Gamut Mapping with Local MINDE": lightness
    /// and hue of Oklch are kept and chroma is reduced until cutting off makes no noticeable
    /// difference. Alpha is kept; other missing components count as 0.
    ///
    /// Where a component is not finite, this is [`Color::clip`].
    #[must_use]
    pub fn map_css(&self, space: Space) -> Color {
        let Some(gamut) = space.gamut() else { return self.to(space) };
        let ok = convert(self.components, self.space, Space::Oklch);
        let start = self.to(gamut);
        let start = start.with_missing(alpha_only(start.missing));
        if start.in_gamut(gamut) || ok.iter().any(|c| !c.is_finite()) {
            return cut(&start).to(space);
        }
        let [lightness, chroma, hue] = ok;
        let components = if lightness >= 1.0 - ROOM {
            [1.0; 3]
        } else if lightness <= 0.0 {
            [0.0; 3]
        } else {
            reduce(lightness, chroma, hue, gamut)
        };
        Color { components, ..start }.to(space)
    }
}

fn alpha_only(missing: Missing) -> Missing {
    let alpha = Missing::NONE.with(Missing::ALPHA);
    if missing.contains(Missing::ALPHA) { alpha } else { Missing::NONE }
}

fn cut(color: &Color) -> Color {
    Color { components: color.components.map(|c| c.clamp(0.0, 1.0)), ..*color }
}

/// Less chroma, until the colour cut off differs from it by less than is noticed.
fn reduce(lightness: f64, chroma: f64, hue: f64, gamut: Space) -> [f64; 3] {
    /// A difference in Oklab that is just noticed.
    const NOTICED: f64 = 0.02;
    const PRECISION: f64 = 1e-4;
    let at = |chroma: f64| {
        let color = Color::new(Space::Oklch, [lightness, chroma, hue]);
        let clipped = color.to(gamut);
        let clipped = cut(&clipped);
        (color.in_gamut(gamut), distance_ok(&color, &clipped), clipped.components)
    };
    let (_, difference, mut clipped) = at(chroma);
    if difference < NOTICED {
        return clipped;
    }
    let (mut least, mut most) = (0.0, chroma);
    let mut least_inside = true;
    while most - least > PRECISION {
        let middle = (least + most) / 2.0;
        let (inside, difference, here) = at(middle);
        if least_inside && inside {
            least = middle;
            continue;
        }
        clipped = here;
        // Of a chroma without measure it is not a number.
        if difference.is_nan() || difference >= NOTICED {
            most = middle;
        } else if NOTICED - difference < PRECISION {
            break;
        } else {
            least_inside = false;
            least = middle;
        }
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p3(components: [f64; 3]) -> Color {
        Color::new(Space::DisplayP3, components)
    }

    /// As coloraide 8.13.1 maps them (`minde-chroma`).
    #[test]
    fn the_same_as_another_program() {
        let rec2020 = Color::new(Space::Rec2020, [1.0, 0.0, 0.0]);
        let oklch = Color::new(Space::Oklch, [0.6, 0.3, 260.0]);
        for (color, expected) in [
            (p3([0.0, 1.0, 0.0]), [0.0, 0.985_763_71, 0.159_742_44]),
            (p3([1.0, 1.0, 0.0]), [0.996_233_27, 0.999_013_90, 0.0]),
            (p3([0.0, 0.0, 1.0]), [0.0, 0.0, 1.0]),
            (rec2020, [1.0, 0.288_023_35, 0.308_860_91]),
            (oklch, [0.022_182_03, 0.451_374_42, 1.0]),
        ] {
            assert!(!color.in_gamut(Space::Srgb) && color.in_gamut(Space::Oklab));
            let mapped = color.map_css(Space::Srgb).components;
            let near = mapped.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(near, "{color:?}: {mapped:?}, not {expected:?}");
        }
    }

    #[test]
    fn mapping_keeps_lightness_and_hue_nearly() {
        for color in [p3([1.0, 1.0, 0.0]), p3([0.0, 0.0, 1.0]), p3([1.0, 0.0, 0.4])] {
            let (mapped, clipped) = (color.map_css(Space::Srgb), color.clip(Space::Srgb));
            assert!(mapped.in_gamut(Space::Srgb) && clipped.in_gamut(Space::Srgb));
            let (a, b) = (color.to(Space::Oklch).components, mapped.to(Space::Oklch).components);
            assert!((a[0] - b[0]).abs() < 0.02 && b[1] <= a[1] + 0.02, "{a:?} {b:?}");
        }
    }

    #[test]
    fn inside_nothing_changes_and_the_extremes_are_white_and_black() {
        let color = Color::from_rgb8([12, 200, 99]).with_alpha(0.3);
        assert_eq!(color.map_css(Space::Srgb), color);
        let bright = Color::new(Space::Oklch, [1.2, 0.1, 30.0]);
        assert_eq!(bright.map_css(Space::DisplayP3).components, [1.0; 3]);
        let dark = Color::new(Space::Oklab, [-0.1, 0.1, 0.2]);
        assert_eq!(dark.map_css(Space::Srgb).components, [0.0; 3]);
        assert_eq!(bright.map_css(Space::Lab), bright.to(Space::Lab));
        assert!(bright.map_css(Space::Hsl).in_gamut(Space::Srgb));
    }

    #[test]
    fn odd_numbers_come_to_an_end() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            for i in 0..3 {
                let mut components = [0.4; 3];
                components[i] = odd;
                for space in Space::ALL {
                    let _ = Color::new(space, components).map_css(Space::Srgb);
                    let _ = Color::new(Space::Oklch, components).map_css(space);
                }
            }
        }
    }
}
