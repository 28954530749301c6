//! Two images by their paths, compared.

use crate::image::any::{format_of, read_picture};
use crate::image::convert::side_by_side;
use crate::image::file::read_input;
use crate::{Input, ToInput};
use solio_base::{Error, Limits, Result, Work};
use solio_exr::model::Image;
use solio_exr::{Levels, ReadOptions};
use solio_image::{CompareOptions, ImageDifference, compare_images, flip};
use solio_kinds::ImageFormat;
use std::path::PathBuf;

/// How far two image files are from each other: of OpenEXR all parts, levels and channels, of other
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
    compare_inputs(&a, &b, options, work)
}

/// [`compare_image_files`] of each pair; small images are compared at once, within the memory of `work`.
/// Hands what was found to `each`, in order, until that gives `false` or an error.
///
/// ```
/// use solio::{CompareOptions, Verdict, compare_image_pairs};
/// # let folder = tempfile::tempdir().unwrap();
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// let frame = |number: u32| folder.path().join(format!("a.{number}.exr"));
/// # for number in [1, 3] {
/// #     solio::write_image(&solio::gradient_image(&map, [8, 4])?, &frame(number), &Default::default(), &work)?;
/// # }
/// // A sequence with itself; its second frame is missing.
/// let pairs = [1, 2, 3].map(|number| [frame(number), frame(number)]);
/// let mut found = Vec::new();
/// compare_image_pairs(&pairs, &CompareOptions::default(), &Default::default(), &work, |_, one| {
///     found.push(one.map_or(None, |one| Some(one.verdict)));
///     Ok(true)
/// })?;
/// assert_eq!(found, [Some(Verdict::Same), None, Some(Verdict::Same)]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn compare_image_pairs(
    pairs: &[[PathBuf; 2]],
    options: &CompareOptions,
    limits: &Limits,
    work: &Work,
    mut each: impl FnMut(&[PathBuf; 2], Result<ImageDifference>) -> Result<bool> + Send,
) -> Result<()> {
    let inputs = |index: usize| &pairs[index][..];
    let compare = |_: usize, opened: Vec<Result<Input>>, work: &Work| {
        let mut opened = opened.into_iter();
        let mut next = || opened.next().unwrap_or_else(|| Err(Error::argument("no image")));
        let (a, b) = (next()?, next()?);
        compare_inputs(&a, &b, options, work)
    };
    let each = |index: usize, found| each(&pairs[index], found);
    side_by_side(pairs.len(), inputs, (&Default::default(), limits), work, compare, each)
}

fn compare_inputs(
    a: &Input,
    b: &Input,
    options: &CompareOptions,
    work: &Work,
) -> Result<ImageDifference> {
    let raw = [a, b].into_iter().all(|input| format_of(input) != Some(ImageFormat::Exr));
    let own = CompareOptions { flip: options.flip.filter(|_| !raw), ..*options };
    let mut found = compare_images(&image(a, raw, work)?, &image(b, raw, work)?, &own, work)?;
    if let Some(pixels_per_degree) = options.flip.filter(|_| raw) {
        // What is seen is light, whatever the files have.
        let seen = [image(a, false, work)?, image(b, false, work)?];
        found.flip = Some(flip([&seen[0], &seen[1]], pixels_per_degree, a.limits(), work)?);
    }
    Ok(found)
}

fn image(input: &Input, raw: bool, work: &Work) -> Result<Image<'static>> {
    match format_of(input) {
        Some(ImageFormat::Exr) => {
            let (limits, levels) = (*input.limits(), Levels::All);
            let options = ReadOptions { limits, levels, ..ReadOptions::default() };
            read_input(input, &options, work)
        }
        Some(format) => Ok(read_picture(input, format, raw, work)?.image),
        None => Err(input.wrong("an image")),
    }
}
