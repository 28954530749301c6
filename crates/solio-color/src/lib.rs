//! Colour: from linear light to what screens show, and back.
//!
//! * [`srgb`]: the transfer function of sRGB, exact to the last code value.
//! * [`arrays`]: whole arrays from one colour space to another;
//! * [`gradient`]: colours along a line, sampled and applied to arrays;
//! * [`Primaries`]: from the red, green, blue and white of one picture to those of another.
//! * [`Space`] and [`convert`]: between the colour spaces of CSS Color 4, in `f64`;
//! * [`Color`]: one colour, from CSS text and to it, with missing components; its gamut mapping;
//! * [`mix`], [`color_mix`] and [`Segment`]: between colours, by CSS Color 4 and 5;
//! * [`spectrum`]: what is seen of light and surfaces whose spectra are known;
//! * [`Difference`]: how different two colours look;
//! * [`ToneMap`]: published operators that bring light of any strength into 0 to 1.
#![forbid(unsafe_code)]

pub mod arrays;
mod cam16;
mod color;
mod convert;
mod css;
mod difference;
mod gamut;
pub mod gradient;
mod mix;
mod parse;
mod parse_five;
mod primaries;
mod space;
pub mod spectrum;
pub mod srgb;
mod tone;
mod transfer;

pub use color::{Color, Missing};
pub use convert::convert;
pub use difference::{Difference, cam16_ucs};
pub use mix::{HueMethod, Interpolation, Segment, color_mix, mix};
pub use primaries::Primaries;
pub use space::Space;
pub use tone::ToneMap;
