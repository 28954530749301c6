//! Images that are larger than the memory that work may take, made smaller row by row.

use crate::image::any::format_of;
use crate::image::convert::{sample_bytes, wanted_names};
use crate::{ImageConvertOptions, ImageConverted, ImageFormat, Input, part_number};
use solio_base::{Result, Work};
use solio_exr::model::Image;
use solio_exr::{ReadOptions, ScanlineOptions, Scanlines};
use solio_image::{SingleFlat, losses, resize_rows};

/// The image of `input` in the size that `options` want, where it is one flat part of more bytes than the
/// memory of `work`, and there is nothing to be done before that needs all of it.
pub(crate) fn resized_by_rows(
    input: &Input,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<Option<Image<'static>>> {
    let Some(resize) = &options.changes.resize else { return Ok(None) };
    let other = options.changes.view.is_some() || options.crop.is_some() || options.partial;
    if other || format_of(input) != Some(ImageFormat::Exr) || input.comes_once() {
        return Ok(None);
    }
    if sample_bytes(input, work).is_none_or(|bytes| bytes <= work.memory_bytes) {
        return Ok(None);
    }
    let source = input.source(work)?;
    if source.is_sequential() {
        return Ok(None);
    }
    let header = input.exr_header(work)?;
    let parts = match &options.parts[..] {
        [] => (0..header.parts.len()).collect(),
        names => names.iter().map(|name| part_number(header, name)).collect::<Result<Vec<_>>>()?,
    };
    let channels = wanted_names(header, &parts, options)?;
    let read = ReadOptions { parts: Some(parts), channels, ..ReadOptions::default() };
    let Some(single) = SingleFlat::of(header, &read) else { return Ok(None) };
    if !options.changes.mipmap {
        losses::of_levels(&mut done.losses, &[&header.parts[single.part]], "the output");
    }
    let limits = options.limits;
    let scanlines =
        ScanlineOptions { part: single.part, channels: read.channels, limits, level: (0, 0) };
    let mut rows = Scanlines::new(&*source, &scanlines, work)?;
    let (image, notes) = resize_rows(&mut rows, resize, &limits, work)?;
    done.notes.extend(notes);
    Ok(Some(image))
}
