//! Gradients: colour stops and alpha stops, and the way from each to the next.

mod colormaps;
mod easing;
mod evenness;
mod floats;
pub mod formats;
mod mode;
pub mod presets;
mod sampler;
mod spline;
mod stop_list;
mod table;

pub use colormaps::{COLORMAPS, colormap};
pub use easing::Easing;
pub use evenness::unevenness;
pub use floats::Floats;
pub use mode::Mode;
pub use sampler::Sampler;
pub use stop_list::parse_stops;
pub use table::Table8;

use crate::{Color, Space};

/// How the numbers of a stop in sRGB are read: as codes, or as light.
///
/// The same dialog gives Unity's particle system sRGB codes and its effect graph linear light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// As codes of sRGB.
    #[default]
    Srgb,
    /// As linear light with the primaries of sRGB.
    Linear,
}

impl Keys {
    /// `srgb` or `linear`.
    pub fn name(self) -> &'static str {
        match self {
            Keys::Srgb => "srgb",
            Keys::Linear => "linear",
        }
    }

    /// From its name.
    pub fn of_name(name: &str) -> Option<Keys> {
        [Keys::Srgb, Keys::Linear].into_iter().find(|keys| keys.name() == name)
    }

    /// The colour that a stop means.
    pub fn read(self, color: &Color) -> Color {
        match (self, color.space) {
            (Keys::Linear, Space::Srgb) => Color { space: Space::SrgbLinear, ..*color },
            _ => *color,
        }
    }
}

/// The way from a stop to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// Where the blend is half way, as a part of the way from this stop to the next: 0 to 1.
    pub midpoint: f64,
    /// How fast it goes.
    pub easing: Easing,
    /// How this part blends, where not like the whole gradient.
    pub mode: Option<Mode>,
}

impl Default for Ramp {
    fn default() -> Ramp {
        Ramp { midpoint: 0.5, easing: Easing::Linear, mode: None }
    }
}

/// A colour at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColorStop {
    /// 0 at the start of the gradient, 1 at its end.
    pub position: f64,
    /// Its colour; its alpha counts where the gradient has no alpha stops.
    pub color: Color,
    /// The way to the next stop.
    pub to_next: Ramp,
}

/// An alpha at a place. Its blend is always linear in alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaStop {
    /// 0 at the start of the gradient, 1 at its end.
    pub position: f64,
    /// 0 (clear) to 1 (opaque).
    pub alpha: f64,
    /// The way to the next stop; of its mode only [`Mode::Fixed`] and [`Mode::Hold`] count.
    pub to_next: Ramp,
}

/// Colours for values that are outside of the gradient, or not numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outside {
    /// Below 0; without it, that of 0.
    pub below: Option<Color>,
    /// Above 1; without it, that of 1.
    pub above: Option<Color>,
    /// For NaN; without it, clear black.
    pub nan: Option<Color>,
}

/// Colours along a line from 0 to 1.
///
/// With alpha stops, colours are blended by themselves and alpha by itself, as in Photoshop, GIMP
/// and Unity. Without, the alpha of the colours counts and they are blended premultiplied, as in
/// CSS (Color 4, section 12.3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// What it is called.
    pub name: String,
    /// Sorted by position; two at one place make a hard edge.
    pub colors: Vec<ColorStop>,
    /// Sorted by position; empty where the colours' own alpha counts.
    pub alphas: Vec<AlphaStop>,
    /// How colours are blended.
    pub mode: Mode,
    /// How the numbers of stops in sRGB are read.
    pub keys: Keys,
    /// What lies outside.
    pub outside: Outside,
    /// The values that 0 and 1 stand for, where the gradient is a map of data.
    pub domain: Option<[f64; 2]>,
}

impl Gradient {
    /// These colours at equal distances.
    pub fn of_colors(colors: &[Color], mode: Mode) -> Gradient {
        let last = (colors.len().max(2) - 1) as f64;
        let stop = |(i, &color): (usize, &Color)| ColorStop {
            position: i as f64 / last,
            color,
            to_next: Ramp::default(),
        };
        let colors = colors.iter().enumerate().map(stop).collect();
        Gradient { colors, mode, ..Gradient::default() }
    }

    /// Made ready to be sampled.
    pub fn sampler(&self) -> Sampler {
        Sampler::new(self)
    }

    /// The colour at `at`: sRGB codes (not bounded to 0 to 1 where a stop or a blend is outside of
    /// sRGB), and alpha, not premultiplied. For more than a few places make a [`Sampler`].
    pub fn sample(&self, at: f64) -> [f64; 4] {
        self.sampler().at(at)
    }
}
