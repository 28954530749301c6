//! Colour: from linear light to what screens show, and back.
//!
//! * [`srgb`]: the transfer function of sRGB, exact to the last code value.
//! * [`Primaries`]: from the red, green, blue and white of one picture to those of another.
//! * [`ToneMap`]: published operators that bring light of any strength into 0 to 1.
#![forbid(unsafe_code)]

mod primaries;
pub mod srgb;
mod tone;

pub use primaries::Primaries;
pub use tone::ToneMap;
