//! TIFF: what the crate `image` reads of it, kinds that it does not read, and what it does not tell.

use super::{Stored, upright};
use image::codecs::tiff::TiffDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageBuffer};
use solio_base::{Error, Result};
use solio_kinds::ImageFormat;
use std::io::Cursor;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::{ExtraSamples, PlanarConfiguration, SampleFormat, Tag};
use tiff::{ColorType, TiffError};

type File<'a> = Decoder<Cursor<&'a [u8]>>;

/// Reads the first page.
pub(crate) fn decode(bytes: &[u8], most: u64) -> Result<Stored> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(most).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let mut file = Decoder::new(Cursor::new(bytes)).map_err(failed_tiff)?.with_limits(limits);
    let has_pages = file.more_images();
    let kind = PixelKind::of(&mut file)?;
    let stored = match kind.is_ours {
        true => own(&mut file, &kind)?,
        false => upright(ImageFormat::Tiff, TiffDecoder::new(Cursor::new(bytes)), most)?,
    };
    Ok(Stored { associated: kind.is_associated, has_pages, ..stored })
}

/// What the pixels of a page are.
struct PixelKind {
    /// They are of a kind that `image` does not read: floats of 16 bits, grey floats, grey with
    /// further samples.
    is_ours: bool,
    /// Alpha is in the colours already: ExtraSamples of TIFF 6.0.
    is_associated: bool,
    is_float: bool,
    bits: u8,
    channels: usize,
    /// Of grey with further samples.
    taken: Option<Taken>,
}

impl PixelKind {
    /// # Errors
    /// `Unsupported` for those that nobody reads.
    fn of(file: &mut File<'_>) -> Result<PixelKind> {
        let extra = file.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples).map_err(failed_tiff)?;
        let extra = extra.unwrap_or_default();
        let associated = ExtraSamples::AssociatedAlpha.to_u16();
        let is_alpha =
            |kind: &u16| [associated, ExtraSamples::UnassociatedAlpha.to_u16()].contains(kind);
        let mut is_associated = extra.first() == Some(&associated);
        let format = file.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).map_err(failed_tiff)?;
        let format = format.and_then(|all| all.first().copied());
        let format = format.map_or(SampleFormat::Uint, SampleFormat::from_u16_exhaustive);
        let (is_float, is_plain) = (format == SampleFormat::IEEEFP, format == SampleFormat::Uint);
        let mut taken = None;
        let (bits, channels) = match file.colortype().map_err(failed_tiff)? {
            ColorType::Gray(bits) => (bits, 1),
            ColorType::Multiband { bit_depth, num_samples }
                if usize::from(num_samples) == extra.len() + 1 =>
            {
                let alpha = extra.iter().position(is_alpha);
                is_associated = alpha.is_some_and(|at| extra[at] == associated);
                taken = Some(Taken { samples: num_samples.into(), alpha: alpha.map(|at| at + 1) });
                (bit_depth, if alpha.is_some() { 2 } else { 1 })
            }
            ColorType::RGB(bits) => (bits, 3),
            ColorType::RGBA(bits) | ColorType::CMYK(bits @ (8 | 16)) => (bits, 4),
            ColorType::Multiband { num_samples, .. } => {
                let message = format!("TIFF: {num_samples} samples a pixel that are no colours");
                return Err(Error::unsupported(message));
            }
            other => {
                let name = format!("{other:?}");
                let name = name.split(['(', ' ']).next().unwrap_or_default();
                let message = format!("TIFF: pixels of the kind {name} are not read");
                return Err(Error::unsupported(message));
            }
        };
        let is_ours = match (is_float, bits) {
            (true, 16) => true,
            (true, 32) => channels < 3,
            (false, 1) if is_plain && channels == 1 => false,
            (false, 8 | 16) if is_plain => taken.is_some(),
            _ => {
                let kind = match format {
                    SampleFormat::IEEEFP => "floats",
                    SampleFormat::Int => "integers with a sign",
                    SampleFormat::Void => "samples of an undefined kind",
                    _ => "integers",
                };
                let message = format!("TIFF: {kind} of {bits} bits are not read");
                return Err(Error::unsupported(message));
            }
        };
        Ok(PixelKind { is_ours, is_associated, is_float, bits, channels, taken })
    }
}

/// Reads pixels of a kind that `image` does not.
fn own(file: &mut File<'_>, kind: &PixelKind) -> Result<Stored> {
    let &PixelKind { is_float, bits, channels, taken, .. } = kind;
    let planar = file.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed_tiff)?;
    if (channels > 1 || taken.is_some()) && planar == Some(PlanarConfiguration::Planar.to_u16()) {
        let message = "TIFF: pixels of this kind are not read where each channel has a plane";
        return Err(Error::unsupported(message));
    }
    let orientation = file.find_tag_unsigned::<u16>(Tag::Orientation).map_err(failed_tiff)?;
    let orientation =
        orientation.and_then(|number| Orientation::from_exif(number.try_into().ok()?));
    let (width, height) = file.dimensions().map_err(failed_tiff)?;
    let picture = match (file.read_image().map_err(failed_tiff)?, channels) {
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
    let mut picture = picture.ok_or_else(|| Error::corrupt("TIFF: pixels are missing"))?;
    picture.apply_orientation(orientation.unwrap_or(Orientation::NoTransforms));
    let stored = Stored::new(picture, file.get_tag_u8_vec(Tag::IccProfile).ok());
    Ok(Stored { is_grey: is_float && channels < 3, is_half: is_float && bits == 16, ..stored })
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

fn failed_tiff(e: TiffError) -> Error {
    let message = format!("TIFF: {e}");
    match e {
        TiffError::UnsupportedError(_) => Error::unsupported(message),
        TiffError::LimitsExceeded => Error::limit(message),
        TiffError::IoError(e) if e.raw_os_error().is_some() => Error::io("read", e),
        _ => Error::corrupt(message),
    }
}
