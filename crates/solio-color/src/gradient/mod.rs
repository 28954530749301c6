//! Gradients: colour stops and alpha stops, and the way from each to the next.

mod colormaps;
mod easing;
mod evenness;
mod findings;
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
pub use evenness::non_uniformity;
pub use findings::{GradientFinding, findings};
pub use floats::Floats;
pub use mode::Mode;
pub use sampler::Sampler;
pub use stop_list::parse_stops;
pub use table::Table8;

use crate::{Color, Space};
use solio_base::{Error, Result, named_enum};

/// Whether values can be told apart between these two, which get the colours of the start and of the
/// end.
///
/// ```
/// use solio_color::gradient::check_range;
/// assert!(check_range([-1e38, 1e38]).is_ok());
/// assert!(check_range([-3e38, 3e38]).is_err()); // the width is more than `f32` holds
/// assert!(check_range([0.0, f32::NAN]).is_err());
/// ```
///
/// # Errors
///
/// Where their distance is no number of `f32`.
pub fn check_range(range: [f32; 2]) -> Result<()> {
    if (range[1] - range[0]).is_finite() {
        return Ok(());
    }
    let [start, end] = range;
    let message = format!("the range from {start:?} to {end:?} has no width that float32 can hold");
    Err(Error::argument(message))
}

named_enum! {
    /// How the numbers of a stop in sRGB are read: as codes, or as light.
    ///
    /// The same dialog gives Unity's particle system sRGB codes and its effect graph linear light.
    ///
    /// ```
    /// use solio_color::gradient::{Gradient, Keys, parse_stops};
    /// let colors = parse_stops("color(srgb 0.5 0.5 0.5)")?;
    /// let codes = Gradient { colors, ..Gradient::default() };
    /// let light = Gradient { keys: Keys::Linear, ..codes.clone() };
    /// let shown = |gradient: &Gradient| gradient.sampler().codes_at(0.0)[0];
    /// assert_eq!((shown(&codes), shown(&light)), (128, 188));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Default)]
    pub enum Keys {
        /// As codes of sRGB.
        #[default]
        Srgb = "srgb",
        /// As linear light with the primaries of sRGB.
        Linear = "linear",
    }

    /// `srgb` or `linear`.
    ///
    /// ```
    /// use solio_color::gradient::Keys;
    /// assert_eq!(Keys::default().name(), "srgb");
    /// ```
    pub fn name;

    /// From its name.
    ///
    /// ```
    /// use solio_color::gradient::Keys;
    /// assert_eq!(Keys::of_name("linear"), Some(Keys::Linear));
    /// assert_eq!(Keys::of_name("gamma"), None);
    /// ```
    pub fn of_name;
}

impl Keys {
    /// The colour that a stop means.
    ///
    /// ```
    /// use solio_color::{Color, Space, gradient::Keys};
    /// let grey = Color::new(Space::Srgb, [0.5; 3]);
    /// assert_eq!(Keys::Linear.read(&grey), Color::new(Space::SrgbLinear, [0.5; 3]));
    /// let lab = Color::new(Space::Lab, [50.0, 0.0, 0.0]);
    /// assert_eq!(Keys::Linear.read(&lab), lab); // only numbers of sRGB are in doubt
    /// ```
    pub fn read(self, color: &Color) -> Color {
        match (self, color.space) {
            (Keys::Linear, Space::Srgb) => Color { space: Space::SrgbLinear, ..*color },
            _ => *color,
        }
    }
}

/// The way from a stop to the next.
///
/// ```
/// use solio_color::{Space, gradient::{Gradient, Mode, Ramp, parse_stops}};
/// let mut colors = parse_stops("black, white")?;
/// colors[0].to_next = Ramp { midpoint: 0.2, ..Ramp::default() };
/// let gradient = Gradient { colors, mode: Mode::in_space(Space::Srgb), ..Gradient::default() };
/// assert!((gradient.sample(0.2)[0] - 0.5).abs() < 1e-12); // half way after a fifth
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_color::{Color, gradient::{ColorStop, Gradient, Ramp}};
/// // Two stops at one place are a hard edge; there the later one counts.
/// let [red, blue] = [[255, 0, 0], [0, 0, 255]].map(Color::from_rgb8);
/// let stop = |color| ColorStop { position: 0.5, color, to_next: Ramp::default() };
/// let colors = vec![stop(red), stop(blue)];
/// let edge = Gradient { colors, ..Gradient::default() }.sampler();
/// assert_eq!([0.49, 0.5].map(|at| edge.codes_at(at)[2]), [0, 255]);
/// ```
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
///
/// ```
/// use solio_color::gradient::{AlphaStop, Gradient, Ramp, parse_stops};
/// let stop = |position, alpha| AlphaStop { position, alpha, to_next: Ramp::default() };
/// let alphas = vec![stop(0.0, 1.0), stop(1.0, 0.0)];
/// let fade = Gradient { colors: parse_stops("red")?, alphas, ..Gradient::default() };
/// assert_eq!(fade.sampler().codes_at(0.75), [255, 0, 0, 64]);
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_color::gradient::{Gradient, Outside, parse_stops};
/// use solio_color::Color;
/// let outside = Outside { above: Some(Color::parse("magenta")?), ..Outside::default() };
/// let map = Gradient { colors: parse_stops("black, white")?, outside, ..Gradient::default() };
/// let codes = [-1.0, 2.0, f64::NAN].map(|at| map.sampler().codes_at(at));
/// assert_eq!(codes, [[0, 0, 0, 255], [255, 0, 255, 255], [0, 0, 0, 0]]);
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_color::{Space, gradient::{Gradient, Mode, parse_stops}};
/// let stops = parse_stops("yellow, blue")?;
/// let middle = |mode| {
///     Gradient { colors: stops.clone(), mode, ..Gradient::default() }.sampler().codes_at(0.5)
/// };
/// assert_eq!(middle(Mode::in_space(Space::Srgb)), [128, 128, 128, 255]); // grey
/// assert_ne!(middle(Mode::default())[0], middle(Mode::default())[1]); // Oklab has a colour there
/// # Ok::<(), solio_base::Error>(())
/// ```
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
    ///
    /// ```
    /// use solio_color::{Color, gradient::{Gradient, Mode}};
    /// let three = [[255, 0, 0], [255, 255, 255], [0, 0, 255]].map(Color::from_rgb8);
    /// let gradient = Gradient::of_colors(&three, Mode::Hold);
    /// assert_eq!(gradient.colors[1].position, 0.5);
    /// assert_eq!(gradient.sampler().codes_at(0.49), [255, 0, 0, 255]); // held up to the next
    /// ```
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

    /// Blends all parts in this way, those too that had one of their own.
    ///
    /// ```
    /// use solio_color::{Space, gradient::{Gradient, Mode, parse_stops}};
    /// let mut gradient = Gradient { colors: parse_stops("black, white")?, ..Gradient::default() };
    /// gradient.colors[0].to_next.mode = Some(Mode::Hold);
    /// gradient.set_mode(Mode::in_space(Space::Srgb));
    /// assert_eq!(gradient.sampler().codes_at(0.5), [128, 128, 128, 255]);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.colors.iter_mut().for_each(|stop| stop.to_next.mode = None);
    }

    /// Made ready to be sampled.
    ///
    /// ```
    /// use solio_color::gradient::{Mode, presets::Preset};
    /// let sampler = Preset::of_name("black-white").unwrap().gradient(Mode::default()).sampler();
    /// let pixels = (0..=255).flat_map(|x| sampler.codes_at(f64::from(x) / 255.0));
    /// let strip: Vec<u8> = pixels.collect();
    /// assert_eq!((&strip[..4], &strip[1020..]), (&[0, 0, 0, 255][..], &[255; 4][..]));
    /// ```
    pub fn sampler(&self) -> Sampler {
        Sampler::new(self)
    }

    /// The colour at `at`: sRGB codes (not bounded to 0 to 1 where a stop or a blend is outside of
    /// sRGB), and alpha, not premultiplied. For more than a few places make a [`Sampler`].
    ///
    /// ```
    /// use solio_color::{Color, Space, gradient::{Gradient, Mode}};
    /// let ends = [Color::new(Space::Srgb, [0.0; 3]), Color::new(Space::Srgb, [1.0; 3])];
    /// let light = Gradient::of_colors(&ends, Mode::in_space(Space::SrgbLinear));
    /// assert!((light.sample(0.5)[0] - 0.735_357).abs() < 1e-6); // half the light is no half code
    /// ```
    pub fn sample(&self, at: f64) -> [f64; 4] {
        self.sampler().at(at)
    }
}
