//! How colours between stops are made.

use crate::{HueMethod, Interpolation, Space};

/// How a gradient gets from one stop to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// The colour of the stop that follows, up to it: Unity's fixed mode.
    Fixed,
    /// The colour of the stop before, up to the next: Godot's constant mode, steps of colour maps.
    Hold,
    /// Straight, in a colour space.
    Blend(Interpolation),
    /// A monotone cubic spline in Oklab through all stops (Fritsch and Carlson, 1980): no edge in
    /// the middle, and no colour beyond those of its neighbours.
    Smooth,
}

impl Default for Mode {
    /// In Oklab.
    fn default() -> Mode {
        Mode::in_space(Space::Oklab)
    }
}

impl Mode {
    /// Straight in `space`, hues by the shorter way.
    pub const fn in_space(space: Space) -> Mode {
        Mode::Blend(Interpolation { space, hue: HueMethod::Shorter })
    }

    /// `fixed`, `hold`, `smooth`, or the space, with the way that hues take where it is not the
    /// shorter: `oklch longer`. Light with the primaries of sRGB is `linear`.
    pub fn name(self) -> String {
        match self {
            Mode::Fixed => "fixed".to_owned(),
            Mode::Hold => "hold".to_owned(),
            Mode::Smooth => "smooth".to_owned(),
            Mode::Blend(Interpolation { space: Space::SrgbLinear, .. }) => "linear".to_owned(),
            Mode::Blend(Interpolation { space, hue }) => {
                if space.is_polar() && hue != HueMethod::Shorter {
                    format!("{} {}", space.name(), hue.name())
                } else {
                    space.name().to_owned()
                }
            }
        }
    }

    /// From its name; `oklch longer hue`, as in CSS, is understood too.
    pub fn of_name(text: &str) -> Option<Mode> {
        let text = text.strip_suffix(" hue").unwrap_or(text);
        Some(match text {
            "fixed" => Mode::Fixed,
            "hold" => Mode::Hold,
            "smooth" => Mode::Smooth,
            "linear" => Mode::in_space(Space::SrgbLinear),
            _ => {
                let (space, hue) = text.split_once([' ', '-']).map_or((text, None), |(a, b)| {
                    if Space::of_name(text).is_some() { (text, None) } else { (a, Some(b)) }
                });
                let space = Space::of_name(space)?;
                let hue = match hue {
                    Some(name) => HueMethod::of_name(name.trim()).filter(|_| space.is_polar())?,
                    None => HueMethod::Shorter,
                };
                Mode::Blend(Interpolation { space, hue })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_same_mode_again() {
        let mut modes = vec![Mode::Fixed, Mode::Hold, Mode::Smooth];
        for space in Space::ALL {
            modes.push(Mode::in_space(space));
        }
        for hue in [HueMethod::Longer, HueMethod::Increasing, HueMethod::Decreasing] {
            modes.push(Mode::Blend(Interpolation { space: Space::Oklch, hue }));
        }
        for mode in modes {
            assert_eq!(Mode::of_name(&mode.name()), Some(mode), "{}", mode.name());
        }
        let longer = Interpolation { space: Space::Oklch, hue: HueMethod::Longer };
        assert_eq!(Mode::of_name("oklch longer hue"), Some(Mode::Blend(longer)));
        assert_eq!(Mode::of_name("oklch-longer"), Some(Mode::Blend(longer)));
        for wrong in ["", "oklab longer", "best", "oklch sideways"] {
            assert_eq!(Mode::of_name(wrong), None, "{wrong}");
        }
    }
}
