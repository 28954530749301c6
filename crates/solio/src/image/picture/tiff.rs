//! Kinds of TIFF that the crate `image` does not read, and what it does not tell of the others.

use image::metadata::Orientation;
use image::{DynamicImage, ImageBuffer};
use solio_base::{Error, Result};
use std::io::Cursor;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::{ExtraSamples, PlanarConfiguration, SampleFormat, Tag};
use tiff::{ColorType, TiffError};

/// What a TIFF file says.
#[derive(Default)]
pub(super) struct Head {
    /// Alpha is in the colours already: ExtraSamples of TIFF 6.0.
    pub(super) is_associated: bool,
    /// There are further pages.
    pub(super) has_pages: bool,
}

/// Pixels that were read here.
pub(super) struct Own {
    pub(super) picture: DynamicImage,
    /// Its three colours are one, as no picture of `image` has grey of floats.
    pub(super) is_grey: bool,
    /// Its floats had 16 bits.
    pub(super) is_half: bool,
    pub(super) profile: Option<Vec<u8>>,
    pub(super) orientation: Orientation,
}

/// Reads the pixels of a first page of floats of 16 bits, of grey floats, or of grey with alpha;
/// `None` for all that `image` reads. At most `most` bytes are made of it.
pub(super) fn read(bytes: &[u8], most: u64) -> Result<(Head, Option<Own>)> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(most).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let mut file = Decoder::new(Cursor::new(bytes)).map_err(failed)?.with_limits(limits);
    let extra = file.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples).map_err(failed)?;
    let extra = extra.unwrap_or_default();
    let associated = ExtraSamples::AssociatedAlpha.to_u16();
    let is_alpha =
        |kind: &u16| *kind == associated || *kind == ExtraSamples::UnassociatedAlpha.to_u16();
    let is_associated = extra.first() == Some(&associated);
    let mut head = Head { is_associated, has_pages: file.more_images() };
    let format = file.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).map_err(failed)?;
    let format = format.and_then(|all| all.first().copied()).map(SampleFormat::from_u16_exhaustive);
    let is_float = format == Some(SampleFormat::IEEEFP);
    let is_plain = matches!(format, None | Some(SampleFormat::Uint));
    let color = file.colortype().map_err(failed)?;
    // Of grey with more than alpha.
    let mut taken = None;
    let (bits, channels) = match color {
        ColorType::Gray(bits) => (bits, 1),
        ColorType::Multiband { bit_depth, num_samples }
            if usize::from(num_samples) == extra.len() + 1 =>
        {
            let alpha = extra.iter().position(is_alpha);
            head.is_associated = alpha.is_some_and(|at| extra[at] == associated);
            taken = Some(Taken { samples: num_samples.into(), alpha: alpha.map(|at| at + 1) });
            (bit_depth, if alpha.is_some() { 2 } else { 1 })
        }
        ColorType::RGB(bits) => (bits, 3),
        ColorType::RGBA(bits) => (bits, 4),
        ColorType::CMYK(8 | 16) => return Ok((head, None)),
        ColorType::Multiband { num_samples, .. } => {
            return Err(Error::unsupported(format!(
                "TIFF: {num_samples} samples a pixel that are no colours"
            )));
        }
        other => {
            let name = format!("{other:?}");
            let name = name.split(['(', ' ']).next().unwrap_or_default();
            return Err(Error::unsupported(format!(
                "TIFF: pixels of the kind {name} are not read"
            )));
        }
    };
    let is_ours = match (is_float, bits) {
        (true, 16) => true,
        (true, 32) => channels < 3,
        (false, 1) if is_plain && channels == 1 => false,
        (false, 8 | 16) if is_plain => taken.is_some(),
        _ => {
            let kind = match format {
                Some(SampleFormat::IEEEFP) => "floats",
                Some(SampleFormat::Int) => "integers with a sign",
                Some(SampleFormat::Void) => "samples of an undefined kind",
                _ => "integers",
            };
            return Err(Error::unsupported(format!("TIFF: {kind} of {bits} bits are not read")));
        }
    };
    if !is_ours {
        return Ok((head, None));
    }
    let planar = file.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)?;
    if (channels > 1 || taken.is_some()) && planar == Some(PlanarConfiguration::Planar.to_u16()) {
        let message = "TIFF: pixels of this kind are not read where each channel has a plane";
        return Err(Error::unsupported(message));
    }
    let orientation = file.find_tag_unsigned::<u16>(Tag::Orientation).map_err(failed)?;
    let orientation = orientation.and_then(|number| u8::try_from(number).ok());
    let (width, height) = file.dimensions().map_err(failed)?;
    let picture = match (file.read_image().map_err(failed)?, channels) {
        (DecodingResult::U8(v), 1) => {
            ImageBuffer::from_raw(width, height, take(v, taken)).map(DynamicImage::ImageLuma8)
        }
        (DecodingResult::U8(v), _) => {
            ImageBuffer::from_raw(width, height, take(v, taken)).map(DynamicImage::ImageLumaA8)
        }
        (DecodingResult::U16(v), 1) => {
            ImageBuffer::from_raw(width, height, take(v, taken)).map(DynamicImage::ImageLuma16)
        }
        (DecodingResult::U16(v), _) => {
            ImageBuffer::from_raw(width, height, take(v, taken)).map(DynamicImage::ImageLumaA16)
        }
        (DecodingResult::F16(v), _) => {
            let values = take(v, taken).into_iter().map(f32::from).collect();
            colors(values, channels, width, height)
        }
        (DecodingResult::F32(v), _) => colors(take(v, taken), channels, width, height),
        _ => None,
    };
    let picture = picture.ok_or_else(|| Error::corrupt("TIFF: pixels are missing"))?;
    Ok((
        head,
        Some(Own {
            picture,
            is_grey: is_float && channels < 3,
            is_half: is_float && bits == 16,
            profile: file.get_tag_u8_vec(Tag::IccProfile).ok(),
            orientation: orientation
                .and_then(Orientation::from_exif)
                .unwrap_or(Orientation::NoTransforms),
        }),
    ))
}

/// What is taken of the samples of a pixel: the first, and alpha.
#[derive(Clone, Copy)]
struct Taken {
    samples: usize,
    alpha: Option<usize>,
}

/// The samples that are taken, of all that there are.
fn take<T: Copy>(values: Vec<T>, taken: Option<Taken>) -> Vec<T> {
    match taken {
        Some(Taken { samples, alpha }) if samples != 1 + usize::from(alpha.is_some()) => {
            let of = |pixel: &[T]| [Some(pixel[0]), alpha.map(|at| pixel[at])];
            values.chunks_exact(samples).flat_map(of).flatten().collect()
        }
        _ => values,
    }
}

/// Floats as a picture of colours.
fn colors(values: Vec<f32>, channels: usize, width: u32, height: u32) -> Option<DynamicImage> {
    let repeated = |pixel: &[f32]| {
        let grey = pixel[0];
        [grey, grey, grey, pixel.get(1).copied().unwrap_or(1.0)].into_iter().take(channels + 2)
    };
    let values = match channels {
        1 | 2 => values.chunks_exact(channels).flat_map(repeated).collect(),
        _ => values,
    };
    match channels {
        1 | 3 => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgb32F),
        _ => ImageBuffer::from_raw(width, height, values).map(DynamicImage::ImageRgba32F),
    }
}

fn failed(e: TiffError) -> Error {
    let message = format!("TIFF: {e}");
    match e {
        TiffError::UnsupportedError(_) => Error::unsupported(message),
        TiffError::LimitsExceeded => Error::limit(message),
        TiffError::IoError(e) if e.raw_os_error().is_some() => Error::io("read", e),
        _ => Error::corrupt(message),
    }
}
