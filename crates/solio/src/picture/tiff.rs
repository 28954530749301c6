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
    let extra = extra.and_then(|kinds| kinds.first().copied());
    let is_associated = extra == Some(ExtraSamples::AssociatedAlpha.to_u16());
    let head = Head { is_associated, has_pages: file.more_images() };
    let format = file.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).map_err(failed)?;
    let format = format.and_then(|all| all.first().copied()).map(SampleFormat::from_u16_exhaustive);
    let is_float = format == Some(SampleFormat::IEEEFP);
    let is_plain = matches!(format, None | Some(SampleFormat::Uint));
    let has_alpha = is_associated || extra == Some(ExtraSamples::UnassociatedAlpha.to_u16());
    let color = file.colortype().map_err(failed)?;
    let (bits, channels) = match color {
        ColorType::Gray(bits) => (bits, 1),
        ColorType::Multiband { bit_depth, num_samples: 2 } if has_alpha => (bit_depth, 2),
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
        (false, 8 | 16) if is_plain => channels == 2,
        _ => {
            let kind = match format {
                Some(SampleFormat::IEEEFP) => "floats",
                Some(SampleFormat::Int) => "integers with a sign",
                _ => "integers",
            };
            return Err(Error::unsupported(format!("TIFF: {kind} of {bits} bits are not read")));
        }
    };
    if !is_ours {
        return Ok((head, None));
    }
    let planar = file.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)?;
    if channels > 1 && planar == Some(PlanarConfiguration::Planar.to_u16()) {
        let message = "TIFF: pixels of this kind are not read where each channel has a plane";
        return Err(Error::unsupported(message));
    }
    let orientation = file.find_tag_unsigned::<u8>(Tag::Orientation).map_err(failed)?;
    let (width, height) = file.dimensions().map_err(failed)?;
    let picture = match (file.read_image().map_err(failed)?, channels) {
        (DecodingResult::U8(v), _) => {
            ImageBuffer::from_raw(width, height, v).map(DynamicImage::ImageLumaA8)
        }
        (DecodingResult::U16(v), _) => {
            ImageBuffer::from_raw(width, height, v).map(DynamicImage::ImageLumaA16)
        }
        (DecodingResult::F16(v), _) => {
            colors(v.into_iter().map(f32::from).collect(), channels, width, height)
        }
        (DecodingResult::F32(v), _) => colors(v, channels, width, height),
        _ => None,
    };
    let picture = picture.ok_or_else(|| Error::corrupt("TIFF: pixels are missing"))?;
    Ok((
        head,
        Some(Own {
            picture,
            is_grey: is_float && channels < 3,
            profile: file.get_tag_u8_vec(Tag::IccProfile).ok(),
            orientation: orientation
                .and_then(Orientation::from_exif)
                .unwrap_or(Orientation::NoTransforms),
        }),
    ))
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
