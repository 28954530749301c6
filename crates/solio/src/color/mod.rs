//! Colour: arrays of colours, gradients and their files; colour spaces, mixing, differences.

pub(crate) mod gradients;
pub(crate) mod pixel_arrays;

pub use solio_color::*;
