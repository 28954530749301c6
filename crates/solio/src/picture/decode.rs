//! PNG, JPEG, TIFF and HDR to images in linear light, as OpenEXR has them.

use super::ImageFormat;
use half::f16;
use image::{DynamicImage, ImageDecoder};
use solio_base::{Error, Limits, Result};
use solio_color::srgb;
use solio_exr::header::{Box2i, Part};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use std::borrow::Cow;
use std::io::Cursor;
use tiff::tags::{ExtraSamples, Tag};

/// Most bytes of pixels for one of a file: what deflate can do, and then some.
const MOST_FROM_A_BYTE: u64 = 1 << 12;
/// What every file may need beside that.
const ROOM: u64 = 64 << 20;

/// An image, and what there is to say about it.
pub(crate) struct Decoded {
    pub(crate) image: Image<'static>,
    pub(crate) notes: Vec<String>,
}

/// Reads the bytes of a file. With `raw` integers become values from 0 to 1 as they are, and colours
/// are not multiplied by alpha.
pub(crate) fn decode(
    bytes: &[u8],
    format: ImageFormat,
    raw: bool,
    limits: &Limits,
) -> Result<Decoded> {
    let stored = decode_pixels(bytes, format, limits)?;
    let mut notes = Vec::new();
    if stored.other_profile && !raw {
        notes.push("its ICC profile is not applied: the values are taken for sRGB".to_owned());
    }
    let meaning = match (raw, stored.associated) {
        (true, _) => Meaning::Raw,
        (false, true) => Meaning::Associated,
        (false, false) => Meaning::Straight,
    };
    Ok(Decoded { image: with_meaning(stored.picture, meaning)?, notes })
}

/// Pixels as an image; where they have alpha, it is straight.
pub(crate) fn image_of(picture: DynamicImage, raw: bool) -> Result<Image<'static>> {
    with_meaning(picture, if raw { Meaning::Raw } else { Meaning::Straight })
}

/// What the numbers of a file are.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    /// Values that stay as they are.
    Raw,
    /// Colours, not yet multiplied by alpha.
    Straight,
    /// Colours that were multiplied by alpha: integers as codes, not as light.
    Associated,
}

fn with_meaning(picture: DynamicImage, meaning: Meaning) -> Result<Image<'static>> {
    let (width, height) = (picture.width(), picture.height());
    let window = Box2i::of_size(width, height);
    let planes = planes(picture, meaning)?;
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Ok(Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() })
}

/// The pixels of a file as they are stored, upright.
pub(crate) struct Stored {
    pub(crate) picture: DynamicImage,
    /// An ICC profile says that they are something else than sRGB.
    other_profile: bool,
    /// Colours have been multiplied by alpha.
    associated: bool,
}

/// Reads what is stored.
pub(crate) fn decode_pixels(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Stored> {
    let failed_here = |e| failed(format, e);
    let format_of_crate = match format {
        ImageFormat::Hdr => image::ImageFormat::Hdr,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Tiff => image::ImageFormat::Tiff,
        ImageFormat::Exr => return Err(Error::argument("OpenEXR has a reader of its own")),
    };
    let mut reader = image::ImageReader::with_format(Cursor::new(bytes), format_of_crate);
    let mut bounds = image::Limits::no_limits();
    let most = (bytes.len() as u64).saturating_mul(MOST_FROM_A_BYTE).saturating_add(ROOM);
    bounds.max_alloc = Some(most.min(limits.bytes));
    reader.limits(bounds);
    let mut decoder = reader.into_decoder().map_err(failed_here)?;
    let profile = decoder.icc_profile();
    let other = profile.is_ok_and(|profile| profile.is_some_and(|p| !names_srgb(&p)));
    let orientation = decoder.orientation().map_err(failed_here)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed_here)?;
    picture.apply_orientation(orientation);
    let associated = format == ImageFormat::Tiff && has_associated_alpha(bytes);
    Ok(Stored { picture, other_profile: other, associated })
}

/// Whether a TIFF file says that its alpha is in the colours already: ExtraSamples of TIFF 6.0, which
/// `image` does not tell.
fn has_associated_alpha(bytes: &[u8]) -> bool {
    let decoder = tiff::decoder::Decoder::new(Cursor::new(bytes));
    let kinds = decoder.and_then(|mut d| d.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples));
    let first = kinds.ok().flatten().and_then(|kinds| kinds.first().copied());
    first == Some(ExtraSamples::AssociatedAlpha.to_u16())
}

pub(crate) fn failed(format: ImageFormat, e: image::ImageError) -> Error {
    let message = format!("{}: {e}", format.as_str().to_uppercase());
    match e {
        image::ImageError::Unsupported(_) => Error::unsupported(message),
        image::ImageError::Limits(_) => Error::limit(message),
        image::ImageError::IoError(e) if e.raw_os_error().is_some() => Error::io("read", e),
        _ => Error::corrupt(message),
    }
}

/// Whether an ICC profile says of itself that it is one of sRGB.
fn names_srgb(profile: &[u8]) -> bool {
    let has = |name: &[u8]| profile.windows(name.len()).any(|window| window == name);
    // As ASCII, or as UTF-16.
    has(b"sRGB") || has(b"s\0R\0G\0B") || has(b"\0s\0R\0G\0B")
}

fn planes(picture: DynamicImage, meaning: Meaning) -> Result<Vec<Plane<'static>>> {
    Ok(match &picture {
        DynamicImage::ImageLuma8(p) => of_bytes(p, 1, meaning),
        DynamicImage::ImageLumaA8(p) => of_bytes(p, 2, meaning),
        DynamicImage::ImageRgb8(p) => of_bytes(p, 3, meaning),
        DynamicImage::ImageRgba8(p) => of_bytes(p, 4, meaning),
        DynamicImage::ImageLuma16(p) => of_words(p, 1, meaning),
        DynamicImage::ImageLumaA16(p) => of_words(p, 2, meaning),
        DynamicImage::ImageRgb16(p) => of_words(p, 3, meaning),
        DynamicImage::ImageRgba16(p) => of_words(p, 4, meaning),
        DynamicImage::ImageRgb32F(p) => of_floats(p, 3, meaning),
        DynamicImage::ImageRgba32F(p) => of_floats(p, 4, meaning),
        other => {
            let message = format!("pixels of the kind {:?} are unknown", other.color());
            return Err(Error::unsupported(message));
        }
    })
}

/// Eight bits are exact in 16-bit floating point numbers: back in eight bits they are the same.
fn of_bytes(values: &[u8], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let codes = Codes {
        direct: (0..=u8::MAX).map(|code| f32::from(code) / 255.0).collect(),
        light: (0..=u8::MAX).map(srgb::light_of_u8).collect(),
        channels,
        meaning,
    };
    split(channels, PixelType::Half, |i| {
        let of = |pixel| f16::from_f32(codes.value(pixel, i));
        Samples::Half(Cow::Owned(values.chunks_exact(channels).map(of).collect()))
    })
}

fn of_words(values: &[u16], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let codes = Codes {
        direct: (0..=u16::MAX).map(|code| f32::from(code) / 65535.0).collect(),
        light: (0..=u16::MAX).map(srgb::light_of_u16).collect(),
        channels,
        meaning,
    };
    let of = |i| values.chunks_exact(channels).map(|pixel| codes.value(pixel, i)).collect();
    floats(channels, of)
}

/// What integers are worth.
struct Codes {
    /// From 0 to 1, a value a code.
    direct: Vec<f32>,
    light: Vec<f32>,
    channels: usize,
    meaning: Meaning,
}

impl Codes {
    /// The value of channel `i` of a pixel.
    fn value<T: Copy + Into<usize>>(&self, pixel: &[T], i: usize) -> f32 {
        let code: usize = pixel[i].into();
        let last = self.channels - 1;
        let has_alpha = self.channels.is_multiple_of(2);
        if self.meaning == Meaning::Raw || (has_alpha && i == last) {
            return self.direct[code];
        }
        let alpha = if has_alpha { self.direct[pixel[last].into()] } else { 1.0 };
        match self.meaning {
            // Light without alpha, such as that of a flame, is divided by nothing.
            Meaning::Associated if alpha == 0.0 => self.light[code],
            Meaning::Associated if alpha < 1.0 => {
                srgb::to_linear(self.direct[code] / alpha) * alpha
            }
            _ => self.light[code] * alpha,
        }
    }
}

fn of_floats(values: &[f32], channels: usize, meaning: Meaning) -> Vec<Plane<'static>> {
    let of = |pixel: &[f32], i: usize| match channels {
        4 if i < 3 && meaning == Meaning::Straight => pixel[i] * pixel[3],
        _ => pixel[i],
    };
    floats(channels, |i| values.chunks_exact(channels).map(|pixel| of(pixel, i)).collect())
}

fn floats(channels: usize, plane: impl Fn(usize) -> Vec<f32>) -> Vec<Plane<'static>> {
    split(channels, PixelType::Float, |i| Samples::Float(Cow::Owned(plane(i))))
}

/// A plane a channel, sorted by name; `samples` gives those of the channel with that number.
fn split(
    channels: usize,
    pixel_type: PixelType,
    samples: impl Fn(usize) -> Samples<'static>,
) -> Vec<Plane<'static>> {
    let sorted: &[(&str, usize)] = match channels {
        1 => &[("Y", 0)],
        2 => &[("A", 1), ("Y", 0)],
        3 => &[("B", 2), ("G", 1), ("R", 0)],
        _ => &[("A", 3), ("B", 2), ("G", 1), ("R", 0)],
    };
    let plane = |(name, i): &(&str, usize)| {
        let name = (*name).to_owned();
        let channel = Channel { name, pixel_type, linear: false, x_sampling: 1, y_sampling: 1 };
        Plane { channel, samples: samples(*i) }
    };
    sorted.iter().map(plane).collect()
}
