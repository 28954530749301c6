//! Images of any format: which one it is, and its pixels in linear light.

use crate::Format;
use crate::image::picture::{Decoded, ImageFormat, decode, decoded_bytes};
use solio_base::{Limits, Result, Work};
use std::path::Path;

/// Bytes that tell a format.
const HEAD_BYTES: usize = 16;

/// The image format of a file, by its content, or else by its name; `None` for all others.
pub(crate) fn format_of(path: &Path, limits: &Limits) -> Result<Option<ImageFormat>> {
    let by_name = ImageFormat::of_name(path);
    // A pipe's bytes come once. A file that is missing or damaged says so where it is read.
    if Format::of_name(path).is_some() || solio_io::is_direct(path) {
        return Ok(by_name);
    }
    let opened = solio_io::open(path, limits, &Work { memory_bytes: 0, ..Work::serial() });
    let Ok(opened) = opened else { return Ok(by_name) };
    let mut head = [0; HEAD_BYTES];
    let got = opened.source.read_at(0, &mut head).map_err(|e| e.at_path(path))?;
    Ok(ImageFormat::of_content(&head[..got]).or(by_name))
}

/// About how many bytes reading a picture takes that is not OpenEXR; `None` where it does not tell.
pub(crate) fn picture_bytes(path: &Path, format: ImageFormat, limits: &Limits) -> Option<u64> {
    let opened = solio_io::open(path, limits, &Work { memory_bytes: 0, ..Work::serial() });
    // A file that cannot be read needs none, and says so where it is read.
    let Ok(opened) = opened else { return Some(0) };
    let pixels = decoded_bytes(&*opened.source, format, limits)?;
    Some(pixels.saturating_add(opened.file_bytes.unwrap_or(0)))
}

/// Reads a picture that is not OpenEXR.
pub(crate) fn read_picture(
    path: &Path,
    format: ImageFormat,
    raw: bool,
    limits: &Limits,
    work: &Work,
) -> Result<Decoded> {
    let bytes = solio_io::read_whole(path, limits, work)?;
    decode(&bytes, format, raw, limits).map_err(|e| e.at_path(path))
}
