//! Ordinary images: an input to pixels in linear light.

use crate::Input;
use solio_base::{Result, Work};
use solio_image::{Decoded, decode, decoded_bytes};
use solio_kinds::ImageFormat;

/// The image format of an input, by its content, or else by its name; `None` for all others.
pub(crate) fn format_of(input: &Input) -> Option<ImageFormat> {
    ImageFormat::of_kind(input.kind_or_named())
}

/// About how many bytes reading a picture takes that is not OpenEXR; `None` where it does not tell.
pub(crate) fn picture_bytes(input: &Input, format: ImageFormat, work: &Work) -> Option<u64> {
    if input.comes_once() || input.compression() != solio_codec::compress::Compression::None {
        return None;
    }
    // A file that cannot be read needs none, and says so where it is read.
    let Ok(source) = input.source(work) else { return Some(0) };
    let pixels = decoded_bytes(&*source, format)?;
    Some(pixels.saturating_add(input.file_bytes().unwrap_or(0)))
}

/// Reads a picture that is not OpenEXR.
pub(crate) fn read_picture(
    input: &Input,
    format: ImageFormat,
    raw: bool,
    work: &Work,
) -> Result<Decoded> {
    let bytes = input.bytes(work)?;
    decode(&bytes, format, raw, input.limits()).map_err(|e| e.at_path(input.path()))
}
