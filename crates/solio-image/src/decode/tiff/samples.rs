//! Samples of a TIFF of any type and in any number, as pixels.
//!
//! The crate `tiff` unpacks them; it is told that they are greys, of which it gives all.

use super::photometric::{BLACK_IS_ZERO, CMYK, PALETTE, WHITE_IS_ZERO, YCBCR};
use super::{FLOAT, File, INT, JPEG, Page, Stored, UINT, failed_tiff, open};
use image::{DynamicImage, ImageBuffer, Pixel};
use solio_base::{Error, Result};
use tiff::decoder::DecodingResult;
use tiff::tags::Tag;

/// Reads pixels of a kind that `image` does not.
pub(super) fn decode(bytes: &[u8], page: &Page, file: &mut File<'_>, most: u64) -> Result<Stored> {
    check(page, file)?;
    let (width, height) = file.dimensions().map_err(failed_tiff)?;
    let grey =
        as_grey(bytes).ok_or_else(|| Error::corrupt("TIFF: it says not what its pixels are"))?;
    let mut raw = DecodingResult::U8(Vec::new());
    let layout = open(&grey, most)?.read_image_to_buffer(&mut raw).map_err(failed_tiff)?;
    if raw.as_buffer(0).as_bytes().len() < layout.complete_len {
        return Err(Error::limit("TIFF: its planes do not fit into the limits"));
    }
    let all = Samples { raw, page, size: [width as usize, height as usize] };
    let is_code = page.format != FLOAT;
    let is_small = page.format == UINT && page.bits <= 16;
    let picture = match page.photometric {
        PALETTE => all.of_palette(file)?,
        YCBCR => all.of_ycbcr(file)?,
        CMYK => all.of_cmyk()?,
        _ if is_small && page.bits <= 8 => all.codes(|value, max| (value * 255 / max) as u8)?,
        _ if is_small => all.codes(|value, _| value as u16)?,
        _ => all.floats()?,
    };
    let mut extra = Vec::new();
    for (number, at) in (page.colors..page.samples).enumerate() {
        if page.alpha().is_none_or(|(alpha, _)| alpha != at) {
            extra.push((format!("extra{}", number + 1), all.plane(at)));
        }
    }
    let is_float = matches!(picture, DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_));
    let mut stored = Stored::new(picture, None);
    stored.rounded = all.rounded();
    stored.turn(page.orientation, extra, [width, height])?;
    Ok(Stored {
        is_grey: is_float && page.colors == 1,
        is_half: page.format == FLOAT && page.bits == 16,
        is_code: is_float && is_code,
        ..stored
    })
}

fn check(page: &Page, file: &mut File<'_>) -> Result<()> {
    let kind = match (page.format, page.bits) {
        (UINT, 1 | 2 | 4 | 8 | 16 | 32 | 64) | (INT, 8 | 16 | 32 | 64) | (FLOAT, 16 | 32 | 64) => {
            ""
        }
        (UINT, _) => "integers",
        (INT, _) => "integers with a sign",
        (FLOAT, _) => "floats",
        _ => "samples of an undefined kind",
    };
    let refuse = |message: String| Err(Error::unsupported(format!("TIFF: {message}")));
    if !kind.is_empty() {
        return refuse(format!("{kind} of {} bits are not read", page.bits));
    }
    let is_small = page.format == UINT && page.bits <= 16;
    if matches!(page.photometric, PALETTE | CMYK) && !is_small
        || page.photometric == YCBCR && (page.format, page.bits) != (UINT, 8)
    {
        return refuse("such samples are no colours".to_owned());
    }
    if page.photometric == CMYK && page.compression == JPEG {
        return refuse("inks in JPEG are not read".to_owned());
    }
    let sampling =
        file.find_tag_unsigned_vec::<u16>(Tag::ChromaSubsampling).map_err(failed_tiff)?;
    if page.photometric == YCBCR && page.compression != JPEG && sampling.as_deref() != Some(&[1, 1])
    {
        return refuse("subsampled colours are read in JPEG only".to_owned());
    }
    Ok(())
}

/// The file with pixels that are said to be greys with further samples; `None` where nothing is said.
fn as_grey(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_big_endian = bytes.get(..2)? == b"MM";
    let number = |at: usize, count: usize| -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(count)?)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match is_big_endian {
            true => bytes.iter().fold(0, add),
            false => bytes.iter().rev().fold(0, add),
        })
    };
    let is_big = number(2, 2)? == 43;
    let (start, counted, entry, value) =
        if is_big { (number(8, 8)?, 8, 20, 12) } else { (number(4, 4)?, 2, 12, 8) };
    let start = usize::try_from(start).ok()?;
    let count = number(start, counted)?.min(u64::from(u16::MAX)) as usize;
    let mut entries = (0..count).map(|i| start + counted + i * entry);
    let tag = u64::from(Tag::PhotometricInterpretation.to_u16());
    let at = entries.find(|at| number(*at, 2) == Some(tag))? + value;
    let mut grey = bytes.to_vec();
    let word =
        if is_big_endian { BLACK_IS_ZERO.to_be_bytes() } else { BLACK_IS_ZERO.to_le_bytes() };
    grey.get_mut(at..at + 2)?.copy_from_slice(&word);
    Some(grey)
}

/// All samples of a page.
struct Samples<'p> {
    raw: DecodingResult,
    page: &'p Page,
    /// Columns and rows.
    size: [usize; 2],
}

impl Samples<'_> {
    /// Where sample `i` of each pixel lies.
    fn places(&self, i: usize) -> impl Iterator<Item = usize> {
        let pixels = self.size[0] * self.size[1];
        let (first, step) = match self.page.is_planar {
            true => (i * pixels, 1),
            false => (i, self.page.samples),
        };
        (0..pixels).map(move |pixel| first + pixel * step)
    }

    /// The integers of sample `i`, of at most 16 bits; white is the largest.
    fn integers(&self, i: usize) -> Vec<u32> {
        let bits = usize::from(self.page.bits);
        let max = (1_u32 << bits.min(16)) - 1;
        let is_turned = self.page.photometric == WHITE_IS_ZERO && i == 0;
        let turned = |value: u32| if is_turned { max - value.min(max) } else { value };
        let values: Vec<u32> = match &self.raw {
            DecodingResult::U8(bytes) if bits < 8 => {
                let [columns, rows] = self.size;
                let across = if self.page.is_planar { 1 } else { self.page.samples };
                let row = (columns * across * bits).div_ceil(8);
                let plane = if self.page.is_planar { i * row * rows } else { 0 };
                let within = if self.page.is_planar { 0 } else { i };
                let value = |y: usize, x: usize| {
                    let bit = (x * across + within) * bits;
                    let byte = bytes.get(plane + y * row + bit / 8).copied().unwrap_or_default();
                    u32::from(byte) >> (8 - bits - bit % 8) & max
                };
                (0..rows).flat_map(|y| (0..columns).map(move |x| value(y, x))).collect()
            }
            DecodingResult::U8(v) => {
                self.places(i).map(|at| v.get(at).map_or(0, |v| (*v).into())).collect()
            }
            DecodingResult::U16(v) => {
                self.places(i).map(|at| v.get(at).map_or(0, |v| (*v).into())).collect()
            }
            _ => Vec::new(),
        };
        values.into_iter().map(turned).collect()
    }

    /// Sample `i` as floats: integers from 0, or −1, to 1.
    fn plane(&self, i: usize) -> Vec<f32> {
        fn of<T: Copy + Default>(
            values: &[T],
            places: impl Iterator<Item = usize>,
            value: impl Fn(T) -> f64,
        ) -> Vec<f32> {
            places.map(|at| value(values.get(at).copied().unwrap_or_default()) as f32).collect()
        }
        let places = self.places(i);
        let mut plane = match &self.raw {
            DecodingResult::U8(_) | DecodingResult::U16(_) => {
                let max = ((1_u32 << self.page.bits.min(16)) - 1) as f32;
                return self.integers(i).into_iter().map(|value| value as f32 / max).collect();
            }
            DecodingResult::U32(v) => of(v, places, |v| f64::from(v) / f64::from(u32::MAX)),
            DecodingResult::U64(v) => of(v, places, |v| v as f64 / u64::MAX as f64),
            DecodingResult::I8(v) => of(v, places, |v| f64::from(v) / f64::from(i8::MAX)),
            DecodingResult::I16(v) => of(v, places, |v| f64::from(v) / f64::from(i16::MAX)),
            DecodingResult::I32(v) => of(v, places, |v| f64::from(v) / f64::from(i32::MAX)),
            DecodingResult::I64(v) => of(v, places, |v| v as f64 / i64::MAX as f64),
            DecodingResult::F16(v) => of(v, places, f64::from),
            DecodingResult::F32(v) => of(v, places, f64::from),
            DecodingResult::F64(v) => of(v, places, |v| v),
        };
        if self.page.photometric == WHITE_IS_ZERO && i == 0 {
            plane.iter_mut().for_each(|value| *value = 1.0 - *value);
        }
        plane
    }

    /// How many samples 32-bit floats do not hold.
    fn rounded(&self) -> u64 {
        // Integers with more digits than a mantissa.
        let is_long = |value: u64| {
            value != 0 && 64 - value.leading_zeros() - value.trailing_zeros() > f32::MANTISSA_DIGITS
        };
        let count = match &self.raw {
            DecodingResult::U32(v) => v.iter().filter(|v| is_long(u64::from(**v))).count(),
            DecodingResult::U64(v) => v.iter().filter(|v| is_long(**v)).count(),
            DecodingResult::I32(v) => {
                v.iter().filter(|v| is_long(u64::from(v.unsigned_abs()))).count()
            }
            DecodingResult::I64(v) => v.iter().filter(|v| is_long(v.unsigned_abs())).count(),
            DecodingResult::F64(v) => {
                v.iter().filter(|v| !v.is_nan() && f64::from(**v as f32) != **v).count()
            }
            _ => 0,
        };
        count as u64
    }

    /// The numbers of the colours and of alpha.
    fn shown(&self) -> Vec<usize> {
        (0..self.page.colors).chain(self.page.alpha().map(|(alpha, _)| alpha)).collect()
    }

    /// Pixels of integers, which `code` makes of a value and the largest that there can be.
    fn codes<T: Code>(&self, code: impl Fn(u32, u32) -> T) -> Result<DynamicImage> {
        let max = (1_u32 << self.page.bits.min(16)) - 1;
        let planes = self.shown().into_iter().map(|i| {
            self.integers(i).into_iter().map(|value| code(value, max)).collect::<Vec<T>>()
        });
        T::picture(&planes.collect::<Vec<_>>(), self.size)
    }

    fn floats(&self) -> Result<DynamicImage> {
        let mut planes: Vec<Vec<f32>> = self.shown().into_iter().map(|i| self.plane(i)).collect();
        if self.page.colors == 1 {
            // No picture of `image` has grey floats.
            let grey = planes[0].clone();
            planes.splice(0..0, [grey.clone(), grey]);
        }
        f32::picture(&planes, self.size)
    }

    fn of_palette(&self, file: &mut File<'_>) -> Result<DynamicImage> {
        let mut map = file.get_tag_u16_vec(Tag::ColorMap).map_err(failed_tiff)?;
        // Many write eight bits as the upper byte alone, and some as the lower.
        if map.iter().all(|value| value & 0xff == 0) {
            map.iter_mut().for_each(|value| *value = (*value >> 8) * 257);
        } else if map.iter().all(|value| *value < 256) {
            map.iter_mut().for_each(|value| *value *= 257);
        }
        let colors = map.len() / 3;
        let color = |i: usize| {
            let of = |value: u32| map.get(i * colors + value as usize).copied().unwrap_or_default();
            self.integers(0).into_iter().map(of).collect::<Vec<u16>>()
        };
        let mut planes: Vec<Vec<u16>> = (0..3).map(color).collect();
        if let Some((alpha, _)) = self.page.alpha() {
            let wide = |value: f32| (value * 65535.0).round() as u16;
            planes.push(self.plane(alpha).into_iter().map(wide).collect());
        }
        // Most have eight bits, twice.
        if planes.iter().flatten().all(|value| value % 257 == 0) {
            let narrow = |plane: &Vec<u16>| plane.iter().map(|value| (value / 257) as u8).collect();
            return u8::picture(&planes.iter().map(narrow).collect::<Vec<_>>(), self.size);
        }
        u16::picture(&planes, self.size)
    }

    /// TIFF 6.0, section 21.
    fn of_ycbcr(&self, file: &mut File<'_>) -> Result<DynamicImage> {
        let given = file.get_tag_f32_vec(Tag::Unknown(529)).ok();
        let [red, green, blue] = match given.as_deref() {
            Some(&[r, g, b]) if g > 0.0 && r.is_finite() && b.is_finite() => [r, g, b],
            _ => [0.299, 0.587, 0.114],
        };
        let [luma, cb, cr] = [0, 1, 2].map(|i| self.integers(i));
        let mut planes = vec![Vec::new(); 3];
        for ((luma, cb), cr) in luma.into_iter().zip(cb).zip(cr) {
            let (y, cb, cr) = (luma as f32, cb as f32 - 128.0, cr as f32 - 128.0);
            let r = y + cr * (2.0 - 2.0 * red);
            let b = y + cb * (2.0 - 2.0 * blue);
            let g = (y - blue * b - red * r) / green;
            for (plane, value) in planes.iter_mut().zip([r, g, b]) {
                plane.push(value.round().clamp(0.0, 255.0) as u8);
            }
        }
        if let Some((alpha, _)) = self.page.alpha() {
            planes.push(self.integers(alpha).into_iter().map(|value| value as u8).collect());
        }
        u8::picture(&planes, self.size)
    }

    /// Inks without a profile: each takes its share of light away.
    fn of_cmyk(&self) -> Result<DynamicImage> {
        let max = ((1_u32 << self.page.bits.min(16)) - 1) as f32;
        let inks = [0, 1, 2, 3].map(|i| self.integers(i));
        let light = |ink: u32| 1.0 - ink as f32 / max;
        let color = |i: usize| {
            let pairs = inks[i].iter().zip(&inks[3]);
            pairs.map(|(ink, key)| (light(*ink) * light(*key) * 65535.0).round() as u16).collect()
        };
        let mut planes: Vec<Vec<u16>> = (0..3).map(color).collect();
        if let Some((alpha, _)) = self.page.alpha() {
            let wide = |value: f32| (value * 65535.0).round() as u16;
            planes.push(self.plane(alpha).into_iter().map(wide).collect());
        }
        u16::picture(&planes, self.size)
    }
}

/// Numbers of which `image` has pictures.
trait Code: Copy {
    fn picture(planes: &[Vec<Self>], size: [usize; 2]) -> Result<DynamicImage>
    where
        Self: Sized;
}

/// Pixels of planes that lie side by side.
fn laid<P>(
    planes: &[Vec<P::Subpixel>],
    [width, height]: [usize; 2],
) -> Result<ImageBuffer<P, Vec<P::Subpixel>>>
where
    P: Pixel,
{
    let pixels = planes.first().map_or(0, Vec::len);
    let mut values = Vec::with_capacity(pixels * planes.len());
    for pixel in 0..pixels {
        values.extend(planes.iter().map(|plane| plane[pixel]));
    }
    let made = ImageBuffer::from_raw(width as u32, height as u32, values);
    made.ok_or_else(|| Error::corrupt("TIFF: pixels are missing"))
}

impl Code for u8 {
    fn picture(planes: &[Vec<u8>], size: [usize; 2]) -> Result<DynamicImage> {
        Ok(match planes.len() {
            1 => DynamicImage::ImageLuma8(laid(planes, size)?),
            2 => DynamicImage::ImageLumaA8(laid(planes, size)?),
            3 => DynamicImage::ImageRgb8(laid(planes, size)?),
            _ => DynamicImage::ImageRgba8(laid(planes, size)?),
        })
    }
}

impl Code for u16 {
    fn picture(planes: &[Vec<u16>], size: [usize; 2]) -> Result<DynamicImage> {
        Ok(match planes.len() {
            1 => DynamicImage::ImageLuma16(laid(planes, size)?),
            2 => DynamicImage::ImageLumaA16(laid(planes, size)?),
            3 => DynamicImage::ImageRgb16(laid(planes, size)?),
            _ => DynamicImage::ImageRgba16(laid(planes, size)?),
        })
    }
}

impl Code for f32 {
    fn picture(planes: &[Vec<f32>], size: [usize; 2]) -> Result<DynamicImage> {
        Ok(match planes.len() {
            3 => DynamicImage::ImageRgb32F(laid(planes, size)?),
            _ => DynamicImage::ImageRgba32F(laid(planes, size)?),
        })
    }
}

#[cfg(test)]
mod tests;
