//! Pixels as they are stored in a file to planes of linear light.

use half::f16;
use image::DynamicImage;
use solio_base::{Error, Result};
use solio_color::srgb;
use solio_exr::model::{Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::borrow::Cow;

/// What the numbers of a file are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// Values that stay as they are.
    Raw,
    /// Colours, not yet multiplied by alpha.
    Straight,
    /// The same, as light: integers have no curve.
    Light,
    /// Colours that were multiplied by alpha: integers as codes, not as light.
    Associated,
    /// Colours that were multiplied by alpha, as light.
    Multiplied,
}

/// Whether codes are those of light that was multiplied by alpha: then most where little is covered are
/// above it. Codes that were multiplied themselves are not, but for a few of what shines, and by a
/// little where a filter made them.
pub(super) fn is_light_multiplied(picture: &DynamicImage) -> bool {
    fn above<T: Copy + Into<u32>>(values: &[T], channels: usize, room: u32) -> bool {
        let (mut partly, mut above) = (0_usize, 0_usize);
        for pixel in values.chunks_exact(channels) {
            let alpha: u32 = pixel[channels - 1].into();
            if alpha > 0 && alpha < 32 * room - 1 {
                partly += 1;
                let is_above = |&code: &T| code.into() > alpha + room;
                above += usize::from(pixel[..channels - 1].iter().any(is_above));
            }
        }
        above > partly / 16
    }
    match picture {
        DynamicImage::ImageLumaA8(p) => above(p, 2, 8),
        DynamicImage::ImageRgba8(p) => above(p, 4, 8),
        DynamicImage::ImageLumaA16(p) => above(p, 2, 2048),
        DynamicImage::ImageRgba16(p) => above(p, 4, 2048),
        _ => false,
    }
}

/// Pixels with a colour where alpha is 0.
pub(super) fn hidden(picture: &DynamicImage) -> u64 {
    fn of<T: Copy + Default + PartialEq>(values: &[T], channels: usize) -> u64 {
        let none = T::default();
        let is_hidden = |pixel: &&[T]| {
            pixel[channels - 1] == none && pixel[..channels - 1].iter().any(|value| *value != none)
        };
        values.chunks_exact(channels).filter(is_hidden).count() as u64
    }
    match picture {
        DynamicImage::ImageLumaA8(p) => of(p, 2),
        DynamicImage::ImageRgba8(p) => of(p, 4),
        DynamicImage::ImageLumaA16(p) => of(p, 2),
        DynamicImage::ImageRgba16(p) => of(p, 4),
        DynamicImage::ImageRgba32F(p) => of(p, 4),
        _ => 0,
    }
}

/// Stores floats with 16 bits, if all values are such.
pub(super) fn as_halves(planes: &mut [Plane<'static>]) {
    let half = |value: &f32| {
        let half = f16::from_f32(*value);
        (half.to_f32() == *value || value.is_nan()).then_some(half)
    };
    let halves = |plane: &Plane<'_>| match &plane.samples {
        Samples::Float(values) => values.iter().map(half).collect::<Option<Vec<f16>>>(),
        _ => None,
    };
    let Some(all) = planes.iter().map(halves).collect::<Option<Vec<_>>>() else { return };
    for (plane, halves) in planes.iter_mut().zip(all) {
        plane.samples = Samples::Half(Cow::Owned(halves));
        plane.channel.pixel_type = PixelType::Half;
    }
}

pub(super) fn planes(picture: &DynamicImage, meaning: Meaning) -> Result<Vec<Plane<'static>>> {
    Ok(match picture {
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
            Meaning::Multiplied => self.light[code],
            Meaning::Light => self.direct[code] * alpha,
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
        let channel = Channel::new(name, pixel_type);
        Plane { channel, samples: samples(*i) }
    };
    sorted.iter().map(plane).collect()
}
