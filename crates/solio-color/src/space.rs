//! Colour spaces: their names, components and ranges.

use solio_base::named_enum;

named_enum! {
    /// A colour space of CSS Color 4, and those of film and pickers.
    ///
    /// Units: components of RGB and XYZ are 0 to 1 with white at 1 and are not bounded; hues are in
    /// degrees; saturation, lightness, value, whiteness and blackness of HSL, HSV and HWB are 0 to 1;
    /// L of Lab and LCH is 0 to 100, L of Oklab and Oklch 0 to 1.
    #[derive(Default, Hash)]
    pub enum Space {
        /// sRGB with its curve (IEC 61966-2-1).
        #[default]
        Srgb = "srgb",
        /// Light with the primaries of sRGB.
        SrgbLinear = "srgb-linear",
        /// Hue, saturation, lightness of sRGB.
        Hsl = "hsl",
        /// Hue, saturation, value of sRGB.
        Hsv = "hsv",
        /// Hue, whiteness, blackness of sRGB.
        Hwb = "hwb",
        /// CIE L*a*b* under D50.
        Lab = "lab",
        /// Lab as lightness, chroma, hue.
        Lch = "lch",
        /// Oklab (Ottosson, 2020).
        Oklab = "oklab",
        /// Oklab as lightness, chroma, hue.
        Oklch = "oklch",
        /// CIE XYZ, white D50.
        XyzD50 = "xyz-d50",
        /// CIE XYZ, white D65.
        XyzD65 = "xyz-d65",
        /// Display P3: primaries of DCI P3, white D65, the curve of sRGB.
        DisplayP3 = "display-p3",
        /// Light with the primaries of Display P3.
        DisplayP3Linear = "display-p3-linear",
        /// Rec. 2020 as displayed: an exponent of 2.4 (BT.1886), as CSS Color 4 has it since 2025.
        Rec2020 = "rec2020",
        /// Adobe RGB (1998).
        A98Rgb = "a98-rgb",
        /// ProPhoto RGB (ROMM), white D50.
        ProphotoRgb = "prophoto-rgb",
        /// ACEScg: light with the primaries AP1 (Academy S-2014-004), white near D60.
        AcesCg = "acescg",
    }

    /// The name that CSS has for it; `hsv` and `acescg`, which CSS lacks, are ours.
    pub fn name;
}

impl Space {
    /// From its name, in letters of either case; `xyz` is XYZ under D65.
    pub fn of_name(name: &str) -> Option<Space> {
        let name = if name.eq_ignore_ascii_case("xyz") { "xyz-d65" } else { name };
        Space::ALL.into_iter().find(|space| space.name().eq_ignore_ascii_case(name))
    }

    /// Which component is a hue in degrees.
    pub fn hue_index(self) -> Option<usize> {
        match self {
            Space::Hsl | Space::Hsv | Space::Hwb => Some(0),
            Space::Lch | Space::Oklch => Some(2),
            _ => None,
        }
    }

    /// Whether one component is a hue.
    pub fn is_polar(self) -> bool {
        self.hue_index().is_some()
    }

    /// The reference range of each component (CSS Color 4, 0 % to 100 %; a hue is a full turn).
    pub fn ranges(self) -> [[f64; 2]; 3] {
        let one = [0.0, 1.0];
        let turn = [0.0, 360.0];
        match self {
            Space::Hsl | Space::Hsv | Space::Hwb => [turn, one, one],
            Space::Lab => [[0.0, 100.0], [-125.0, 125.0], [-125.0, 125.0]],
            Space::Lch => [[0.0, 100.0], [0.0, 150.0], turn],
            Space::Oklab => [one, [-0.4, 0.4], [-0.4, 0.4]],
            Space::Oklch => [one, [0.0, 0.4], turn],
            _ => [one; 3],
        }
    }

    /// The RGB space whose cube bounds what can be shown; `None` where there are no bounds (Lab,
    /// LCH, Oklab, Oklch, XYZ, and ACEScg, which is light of any strength).
    pub fn gamut(self) -> Option<Space> {
        match self {
            Space::Hsl | Space::Hsv | Space::Hwb => Some(Space::Srgb),
            Space::Lab | Space::Lch | Space::Oklab | Space::Oklch => None,
            Space::XyzD50 | Space::XyzD65 | Space::AcesCg => None,
            other => Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for space in Space::ALL {
            assert_eq!(Space::of_name(space.name()), Some(space));
            assert_eq!(Space::of_name(&space.name().to_uppercase()), Some(space));
            let turn = space.ranges().iter().position(|range| *range == [0.0, 360.0]);
            assert_eq!(space.hue_index(), turn);
        }
        assert_eq!(Space::of_name("xyz"), Some(Space::XyzD65));
        assert_eq!(Space::of_name("cmyk"), None);
    }
}
