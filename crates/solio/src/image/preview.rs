//! Previews of files: what they hold of a picture, as a small one of 8 bits.

use crate::image::any::{format_of, read_picture};
use crate::image::file::read_input;
use crate::photo::embedded::embedded_picture;
use crate::{
    Choice, ImageFormat, Input, MissingPixels, Preview, PreviewOptions, ToInput, preview,
    read_each_gradient,
};
use solio_base::{Error, Result, Work};
use solio_exr::{Levels, ReadOptions};
use solio_image::{image_of, preview_reads};
use solio_kinds::{Ability, Family};
use std::path::Path;

/// Columns and rows of a gradient in a preview, and most gradients of a file that are shown.
const STRIP_PIXELS: [u32; 2] = [512, 64];
const MOST_STRIPS: usize = 64;

/// A preview of the file at `path`: only the channels that are shown are read, and of an image with
/// levels of detail the one that is large enough. PNG, JPEG, TIFF and HDR are read whole. Of a raw
/// photo, HEIF or a movie the picture within is shown. Chunks that an OpenEXR file does not have are
/// hatched, and counted in [`Preview::missing`].
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.hdr");
/// // Two pixels of Radiance HDR: one of light, one of none.
/// let bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// solio::write_bytes(&path, bytes)?;
/// let preview = solio::preview_file(&path, &Default::default(), &Default::default())?;
/// assert_eq!((preview.width, preview.height, preview.shown.as_str()), (2, 1, "R, G, B"));
/// assert!(preview.pixels[0] > preview.pixels[1] && preview.pixels[3..] == [0; 3]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview_file(
    input: &(impl ToInput + ?Sized),
    options: &PreviewOptions,
    work: &Work,
) -> Result<Preview> {
    preview_input(&*input.to_input(&options.limits, work)?, options, work)
}

/// [`preview_file`] of an image or a photo that lies in memory.
///
/// ```
/// use solio::{PreviewOptions, Work, preview_bytes};
/// let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// let preview = preview_bytes(hdr, &PreviewOptions::default(), &Work::default())?;
/// assert_eq!((preview.width, preview.height), (2, 1));
/// // What it is, the bytes alone tell.
/// assert!(preview_bytes(b"v 0 0 0", &PreviewOptions::default(), &Work::default()).is_err());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview_bytes(bytes: &[u8], options: &PreviewOptions, work: &Work) -> Result<Preview> {
    let input = Input::of_bytes(Path::new(""), bytes.to_vec(), &options.limits)?;
    preview_input(&input, options, work)
}

pub(crate) fn preview_input(
    input: &Input,
    options: &PreviewOptions,
    work: &Work,
) -> Result<Preview> {
    let at_path = |e: Error| e.at_path(input.path());
    if has_embedded(input) {
        let size = options.most.map_or(u32::MAX, |[columns, rows]| columns.max(rows));
        let (within, _) = embedded_picture(input, size, work).map_err(at_path)?;
        let (image, options) = (image_of(&within)?, options.for_picture(true));
        return preview(&image, &options, work).map_err(at_path);
    }
    match format_of(input) {
        Some(ImageFormat::Exr) => preview_exr(input, options, work),
        Some(format) => {
            let read = read_picture(input, format, false, work)?;
            preview(&read.image, &options.for_picture(read.is_finished), work).map_err(at_path)
        }
        None if input.kind_or_named().family() == Family::Gradient => {
            preview_gradients(input, work)
        }
        None => Err(input.wrong("an image or a photo")),
    }
}

/// Of a file that was not finished or is damaged, what there is of it.
fn preview_exr(input: &Input, options: &PreviewOptions, work: &Work) -> Result<Preview> {
    let at_path = |e: Error| e.at_path(input.path());
    let wanted = preview_reads(input.exr_header(work)?, options).map_err(at_path)?;
    let choice = Choice { part: None, ..options.choice.clone() };
    let options = PreviewOptions { choice, ..options.clone() };
    let made = |wanted: &ReadOptions| {
        preview(&read_input(input, wanted, work)?, &options, work).map_err(at_path)
    };
    let mut shown = made(&wanted)?;
    if shown.missing.is_some() && wanted.levels != Levels::Full && !input.comes_once() {
        // Smaller levels are written last.
        let full = made(&ReadOptions { levels: Levels::Full, ..wanted })?;
        let lacks = |shown: &Preview| {
            shown.missing.as_ref().map_or(0.0, |lost| lost.pixels as f64 / lost.of_pixels as f64)
        };
        if lacks(&full) < lacks(&shown) {
            shown = full;
        }
    }
    match &shown.missing {
        Some(missing) if missing.is_all() && !options.partial => {
            let message = format!("none of its pixels can be read: {}", missing.first);
            Err(at_path(Error::corrupt(message)))
        }
        _ => Ok(shown),
    }
}

/// Gradients, each as a strip; those that are not right are missing.
fn preview_gradients(input: &Input, work: &Work) -> Result<Preview> {
    let found = read_each_gradient(input, input.limits(), work)?;
    let (gradients, mut problems) = (found.gradients, found.problems);
    if gradients.is_empty() && !problems.is_empty() {
        return Err(problems.swap_remove(0));
    }
    let height = STRIP_PIXELS[1].saturating_mul(gradients.len().min(MOST_STRIPS) as u32);
    let shown = &gradients[..gradients.len().min(MOST_STRIPS)];
    let mut preview = crate::gradient_strips(shown, [STRIP_PIXELS[0], height])?;
    let strips = |count: usize| count as u64 * STRIP_PIXELS.map(u64::from).iter().product::<u64>();
    preview.missing = problems.first().map(|first| MissingPixels {
        chunks: problems.len() as u64,
        pixels: strips(problems.len()),
        of_pixels: strips(gradients.len() + problems.len()),
        first: first.to_string(),
    });
    Ok(preview)
}

/// Whether the picture within is shown: of raw photos, HEIF, movies, and of images whose pixels are
/// not decoded.
pub(crate) fn has_embedded(input: &Input) -> bool {
    let kind = input.kind_or_named();
    kind.can(Ability::Preview) && kind.family() == Family::Photo
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToneMap;

    #[test]
    fn finished_pictures_keep_their_white() {
        let written = |picture: image::DynamicImage, format| {
            let mut bytes = std::io::Cursor::new(Vec::new());
            picture.write_to(&mut bytes, format).unwrap();
            bytes.into_inner()
        };
        let white = || image::RgbImage::from_pixel(8, 8, image::Rgb([255; 3])).into();
        let light = || image::Rgb32FImage::from_pixel(8, 8, image::Rgb([1.0; 3])).into();
        let first = |bytes: &[u8], options: &PreviewOptions| {
            preview_bytes(bytes, options, &Work::default()).unwrap().pixels[0]
        };
        let (usual, neutral) = (PreviewOptions::default(), Some(ToneMap::Neutral));
        for format in [image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::Tiff]
        {
            let bytes = written(white(), format);
            assert_eq!(first(&bytes, &usual), 255, "{format:?}");
            let asked = PreviewOptions { tone_map: neutral, ..usual.clone() };
            assert!(first(&bytes, &asked) < 250, "{format:?}");
            // Made brighter it has light beyond white.
            let bright = PreviewOptions { exposure: 0.1, ..usual.clone() };
            assert!(first(&bytes, &bright) < 255, "{format:?}");
        }
        for format in [image::ImageFormat::Hdr, image::ImageFormat::Tiff] {
            let bytes = written(light(), format);
            assert!(first(&bytes, &usual) < 250, "{format:?}");
            let asked = PreviewOptions { tone_map: Some(ToneMap::None), ..usual.clone() };
            assert_eq!(first(&bytes, &asked), 255, "{format:?}");
        }
    }
}
