//! Gradients with a name: eight that show how ways of blending differ, after Pranckevičius, *Gradients in
//! linear space aren't better* (2021).

use super::{Gradient, Mode};

/// A gradient with a name and the list of its colours.
///
/// ```
/// use solio_color::gradient::{parse_stops, presets::STUDY};
/// let most = STUDY.iter().max_by_key(|preset| parse_stops(preset.stops).unwrap().len());
/// assert_eq!(most.unwrap().name, "rainbow");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// As it is asked for.
    pub name: &'static str,
    /// As [`super::parse_stops`] reads it.
    pub stops: &'static str,
}

/// The eight gradients of the study. The muddy one has colours of earth, dark and little saturated, with a
/// yellow and a brown section: there lies what linear light makes too bright.
pub const STUDY: [Preset; 8] = [
    Preset { name: "black-white", stops: "black, white" },
    Preset { name: "blue-white", stops: "blue, white" },
    Preset { name: "red-green", stops: "red, lime" },
    Preset { name: "blue-yellow", stops: "blue, yellow" },
    Preset {
        name: "rainbow",
        stops: "rgb(148 0 211), rgb(75 0 130), blue, lime, yellow, rgb(255 127 0), red",
    },
    Preset { name: "heat", stops: "black, red, yellow, blue, white" },
    Preset {
        name: "muddy",
        stops: "rgb(38 34 30), rgb(150 128 40), rgb(88 54 28), rgb(96 104 72), rgb(52 44 58)",
    },
    Preset { name: "red-blue-green", stops: "red, blue, lime" },
];

impl Preset {
    /// The preset of this name.
    ///
    /// ```
    /// use solio_color::gradient::presets::Preset;
    /// assert_eq!(Preset::of_name("red-green").unwrap().stops, "red, lime");
    /// assert!(Preset::of_name("viridis").is_none()); // that is one of gradient::COLORMAPS
    /// ```
    pub fn of_name(name: &str) -> Option<Preset> {
        STUDY.into_iter().find(|preset| preset.name == name)
    }

    /// Its gradient, blended as `mode` says.
    ///
    /// ```
    /// use solio_color::{Space, gradient::{Mode, presets::Preset}};
    /// let muddy = Preset::of_name("muddy").unwrap();
    /// let [r, g, b, _] = muddy.gradient(Mode::in_space(Space::Srgb)).sampler().codes_at(0.5);
    /// assert_eq!([r, g, b], [88, 54, 28]); // the brown one
    /// ```
    pub fn gradient(self, mode: Mode) -> Gradient {
        let colors = super::parse_stops(self.stops).expect("a preset is right");
        Gradient { name: self.name.to_owned(), colors, mode, ..Gradient::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_read_and_found() {
        for preset in STUDY {
            assert!(preset.gradient(Mode::default()).colors.len() >= 2);
            assert_eq!(Preset::of_name(preset.name), Some(preset));
        }
    }
}
