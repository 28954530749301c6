//! SOG, PlayCanvas' splats as pictures: `meta.json` and lossless WebP files, loose in a folder or zipped as
//! `.sog`. A pixel of each picture is a splat; sizes and colours are numbers of a code of 256, and the
//! view-dependent colours of all splats share a palette.
//!
//! Source: PlayCanvas, *The SOG Format* (version 2); of version 1, which had ranges in place of codes,
//! `playcanvas/splat-transform`.

mod bundle;
mod code;
mod meta;
mod palette;
mod picture;
mod read;
mod write;

pub use read::decode_sog;
pub use write::{encode_sog, sog_losses};

#[cfg(test)]
mod tests;

/// The name of the file that says what the others are.
const META: &str = "meta.json";
/// Entries of a code, whose numbers are bytes.
const CODES: usize = 256;
/// Entries of a palette in a row of its picture.
const PALETTE_ROW: usize = 64;
/// The highest degree of harmonics.
const MOST_DEGREE: usize = 3;
/// What the fourth byte of a quaternion is where its first part is the largest one.
const FIRST_PART: u8 = 252;
