//! Pictures of other formats: PNG, JPEG, TIFF and Radiance HDR, as the crate `image` reads and
//! writes them, from and to images in linear light.
//!
//! Integers in these files are taken for sRGB, floating point numbers for linear light. Alpha is
//! straight in them (but in TIFF files that say otherwise), while images in memory (and OpenEXR) have
//! colours multiplied by alpha.

mod choose;
mod decode;
mod encode;
mod look;
pub(crate) mod losses;
mod rows;
mod tiff;
mod view;

pub use choose::{Choice, part_number};
pub(crate) use choose::{Colors, choose};
#[cfg(feature = "lab")]
pub(crate) use decode::decode_pixels;
pub(crate) use decode::{Decoded, decode, decoded_bytes, image_of};
pub use encode::PictureOptions;
pub(crate) use encode::{Encoded, encode_picture};
pub(crate) use look::{Look, place_in};
pub(crate) use rows::fill;
pub use view::Frame;
pub(crate) use view::{Buffers, View};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use solio_base::{Error, Result};

/// A PNG file with these pixels of 8 bits.
pub(crate) fn png(pixels: &[u8], width: u32, height: u32, has_alpha: bool) -> Result<Vec<u8>> {
    let color = if has_alpha { ExtendedColorType::Rgba8 } else { ExtendedColorType::Rgb8 };
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive)
        .write_image(pixels, width, height, color)
        .map_err(|e| Error::argument(format!("PNG: {e}")))?;
    Ok(bytes)
}
