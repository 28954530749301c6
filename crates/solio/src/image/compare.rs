//! Two images by their paths, compared.

use crate::image::any::{format_of, read_picture};
use crate::image::file::read_input;
use crate::{Input, ToInput};
use solio_base::{Limits, Result, Work};
use solio_exr::ReadOptions;
use solio_exr::model::Image;
use solio_image::{CompareOptions, ImageDifference, compare_images};
use solio_kinds::ImageFormat;

/// How far two image files are from each other: of OpenEXR all parts and channels of the full size, of other
/// images their pixels. Integers are values from 0 to 1 as they are in the file, unless the other image is
/// OpenEXR: then both are linear light.
///
/// ```
/// use solio::{CompareOptions, Verdict, Work, compare_image_files};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a.hdr", "b.hdr"].map(|name| folder.path().join(name));
/// // Radiance HDR, one pixel each.
/// let [dark, light] = [b"\x80\x40\x20\x81", b"\x80\x40\x20\x82"];
/// for (path, pixel) in [(&a, dark), (&b, light)] {
///     let head = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n";
///     solio::write_bytes(path, &[&head[..], pixel].concat())?;
/// }
/// let (options, work) = (CompareOptions::default(), Work::default());
/// let found = compare_image_files(&a, &b, &options, &Default::default(), &work)?;
/// assert_eq!((found.verdict, found.channels.len()), (Verdict::Different, 3));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the files, and `Unsupported` for files that hold no image.
pub fn compare_image_files(
    a: &(impl ToInput + ?Sized),
    b: &(impl ToInput + ?Sized),
    options: &CompareOptions,
    limits: &Limits,
    work: &Work,
) -> Result<ImageDifference> {
    let (a, b) = (a.to_input(limits, work)?, b.to_input(limits, work)?);
    let raw = [&*a, &*b].into_iter().all(|input| format_of(input) != Some(ImageFormat::Exr));
    compare_images(&image(&a, raw, work)?, &image(&b, raw, work)?, options, work)
}

fn image(input: &Input, raw: bool, work: &Work) -> Result<Image<'static>> {
    match format_of(input) {
        Some(ImageFormat::Exr) => {
            let options = ReadOptions { limits: *input.limits(), ..ReadOptions::default() };
            read_input(input, &options, work)
        }
        Some(format) => Ok(read_picture(input, format, raw, work)?.image),
        None => Err(input.wrong("an image")),
    }
}
