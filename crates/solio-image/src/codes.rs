//! PictureCodes of ordinary pictures, as their files store them: no light, and not multiplied by alpha.

use crate::decode::{Curve, Decoded, Stored, cicp_curve, cut_error, decode_pixels, light};
use crate::encode::{Encoded, encode_values};
use crate::formats::FormatRow;
use image::{DynamicImage, ImageBuffer};
use solio_base::{Error, Limits, Loss, Losses, Result};
use solio_kinds::ImageFormat;

/// A picture as its file stores it, upright.
///
/// ```
/// use solio_image::{CodeValues, StoredPicture, decode_stored};
/// use solio_kinds::ImageFormat;
/// let png = solio_image::png(&[200, 100, 50], 1, 1, false)?;
/// let read = decode_stored(&png, ImageFormat::Png, &Default::default())?;
/// let StoredPicture::Codes(codes) = read else { panic!("PNG has codes") };
/// assert_eq!(codes.values, CodeValues::U8(vec![200, 100, 50]));
/// // The same as light, as `decode` gives it.
/// let light = codes.into_light()?;
/// assert_eq!(light.image.parts[0].header.channels().len(), 3);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub enum StoredPicture {
    /// Integers of 8 or 16 bits.
    Codes(PictureCodes),
    /// Everything else: floats that are light, and integers of other sizes as light.
    Light(Decoded),
}

/// Integers, pixel by pixel from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeValues {
    /// Of 8 bits.
    U8(Vec<u8>),
    /// Of 16 bits.
    U16(Vec<u16>),
}

/// PictureCodes of a picture, and what they are.
#[derive(Clone, Debug)]
pub struct PictureCodes {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Values a pixel: 1 is grey, 2 grey and alpha, 3 colours, 4 colours and alpha.
    pub channels: usize,
    /// All of them.
    pub values: CodeValues,
    /// Further samples of a TIFF, by name, from 0 to 1.
    pub extra: Vec<(String, Vec<f32>)>,
    /// Colours are not multiplied by alpha.
    pub is_straight: bool,
    /// The ICC profile that says what they are; without one, and without `cicp`, they are sRGB.
    pub icc: Option<Vec<u8>>,
    /// Colour primaries, transfer function, matrix and range by ITU-T H.273, where a PNG says them.
    pub cicp: Option<[u8; 4]>,
    /// The width of a pixel in parts of its height.
    pub pixel_aspect: f32,
    /// What of the file this does not have.
    pub losses: Losses,
}

/// Reads the bytes of a picture file.
///
/// # Errors
/// As [`decode`](crate::decode).
pub fn decode_stored(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<StoredPicture> {
    let stored = decode_pixels(bytes, format, limits)?;
    if stored.is_cut {
        return Err(cut_error(bytes.len() as u64));
    }
    Ok(match PictureCodes::of(stored) {
        Ok(codes) => StoredPicture::Codes(codes),
        Err(stored) => StoredPicture::Light(light(*stored, false)?),
    })
}

impl PictureCodes {
    /// `Err` gives back what has other values.
    fn of(stored: Stored) -> std::result::Result<PictureCodes, Box<Stored>> {
        use DynamicImage as Image;
        let size = [stored.picture.width(), stored.picture.height()];
        let (channels, values) = match stored.picture {
            Image::ImageLuma8(p) => (1, CodeValues::U8(p.into_raw())),
            Image::ImageLumaA8(p) => (2, CodeValues::U8(p.into_raw())),
            Image::ImageRgb8(p) => (3, CodeValues::U8(p.into_raw())),
            Image::ImageRgba8(p) => (4, CodeValues::U8(p.into_raw())),
            Image::ImageLuma16(p) => (1, CodeValues::U16(p.into_raw())),
            Image::ImageLumaA16(p) => (2, CodeValues::U16(p.into_raw())),
            Image::ImageRgb16(p) => (3, CodeValues::U16(p.into_raw())),
            Image::ImageRgba16(p) => (4, CodeValues::U16(p.into_raw())),
            picture => return Err(Box::new(Stored { picture, ..stored })),
        };
        let mut losses = Losses::default();
        if stored.has_pages {
            let reason = "its first page is taken, further ones are left out";
            losses.add(Loss::new("pages", reason));
        }
        let said = match &stored.curve {
            Some(Curve::Light) if stored.cicp.is_none() => Some("codes are light"),
            Some(Curve::Profile(profile)) if stored.cicp.is_none() => Some(&*profile.said),
            Some(Curve::Unapplied(said)) if stored.cicp.is_none() => Some(&**said),
            _ => None,
        };
        if let Some(said) = said {
            let reason = format!("what it says of its colours is not kept with the codes: {said}");
            losses.add(Loss::new("color_profile", reason));
        }
        Ok(PictureCodes {
            size,
            channels,
            values,
            extra: stored.extra,
            is_straight: !stored.associated,
            icc: stored.icc,
            cicp: stored.cicp,
            pixel_aspect: stored.pixel_aspect,
            losses,
        })
    }

    /// Light with the primaries of sRGB, multiplied by alpha, as [`decode`](crate::decode) makes it.
    ///
    /// # Errors
    /// `Argument`, where there are not as many values as the size says.
    pub fn into_light(self) -> Result<Decoded> {
        let bits = self.bits();
        let PictureCodes { size: [width, height], channels, values, extra, .. } = self;
        fn buffer<P: image::Pixel>(
            size: [u32; 2],
            values: Vec<P::Subpixel>,
        ) -> Option<ImageBuffer<P, Vec<P::Subpixel>>> {
            ImageBuffer::from_raw(size[0], size[1], values)
        }
        let size = [width, height];
        let picture = match (channels, values) {
            (1, CodeValues::U8(v)) => buffer(size, v).map(DynamicImage::ImageLuma8),
            (2, CodeValues::U8(v)) => buffer(size, v).map(DynamicImage::ImageLumaA8),
            (3, CodeValues::U8(v)) => buffer(size, v).map(DynamicImage::ImageRgb8),
            (4, CodeValues::U8(v)) => buffer(size, v).map(DynamicImage::ImageRgba8),
            (1, CodeValues::U16(v)) => buffer(size, v).map(DynamicImage::ImageLuma16),
            (2, CodeValues::U16(v)) => buffer(size, v).map(DynamicImage::ImageLumaA16),
            (3, CodeValues::U16(v)) => buffer(size, v).map(DynamicImage::ImageRgb16),
            (4, CodeValues::U16(v)) => buffer(size, v).map(DynamicImage::ImageRgba16),
            _ => None,
        };
        let wrong =
            || Error::argument(format!("there are no {width} × {height} × {channels} codes"));
        let stored = Stored::new(picture.ok_or_else(wrong)?, self.icc);
        let curve = self.cicp.map(|numbers| cicp_curve(numbers, bits));
        light(
            Stored {
                curve,
                cicp: self.cicp,
                associated: !self.is_straight,
                pixel_aspect: self.pixel_aspect,
                extra,
                ..stored
            },
            false,
        )
    }

    fn bits(&self) -> u8 {
        match self.values {
            CodeValues::U8(_) => 8,
            CodeValues::U16(_) => 16,
        }
    }

    /// The bytes of a file with these codes, as they are.
    ///
    /// ```
    /// # use solio_image::{StoredPicture, decode_stored};
    /// use solio_kinds::ImageFormat;
    /// # let png = solio_image::png(&[200, 100, 50], 1, 1, false)?;
    /// # let read = decode_stored(&png, ImageFormat::Png, &Default::default())?;
    /// # let StoredPicture::Codes(codes) = read else { panic!("PNG has codes") };
    /// let tiff = codes.encode(ImageFormat::Tiff, None)?;
    /// let StoredPicture::Codes(again) = decode_stored(&tiff.bytes, ImageFormat::Tiff, &Default::default())?
    /// else { panic!() };
    /// assert_eq!(again.values, codes.values);
    /// // Radiance HDR has no codes.
    /// assert!(codes.encode(ImageFormat::Hdr, None).is_err());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Argument`, where the format has no such values, channels or quality, and where there are not as
    /// many values as the size says.
    pub fn encode(&self, format: ImageFormat, quality: Option<u8>) -> Result<Encoded> {
        let (row, bits) = (FormatRow::of(format)?, self.bits());
        let name = row.name();
        let known = row.channels(bits);
        if known.is_empty() {
            let error = Error::argument(format!("{name} has no codes of {bits} bits"));
            return Err(error.hint(match format {
                ImageFormat::Hdr => "it has light: give floats".to_owned(),
                _ => format!("it has {} bits", row.bits()),
            }));
        }
        if self.channels.is_multiple_of(2) && !known.contains(&4) {
            let error = Error::argument(format!("{name} has no alpha"));
            return Err(error.hint("leave alpha out"));
        }
        if quality.is_some() && row.quality.is_none() {
            return Err(Error::argument(format!("{name} has no quality to choose")));
        }
        let wanted = self.size.iter().map(|n| *n as usize).product::<usize>() * self.channels;
        let count = match &self.values {
            CodeValues::U8(values) => values.len(),
            CodeValues::U16(values) => values.len(),
        };
        if count != wanted {
            return Err(Error::argument(format!("there are {count} codes, and not {wanted}")));
        }
        let mut losses = Losses::default();
        let extra = self.extra.len();
        losses.add_some("channels", "there is no place for further channels", extra, "channel");
        let is_wide = !known.contains(&self.channels);
        let bytes = match &self.values {
            CodeValues::U8(v) if is_wide => self.write(row, &colors(v, self.channels), quality),
            CodeValues::U8(v) => self.write(row, v, quality),
            CodeValues::U16(v) if is_wide => self.write(row, &colors(v, self.channels), quality),
            CodeValues::U16(v) => self.write(row, v, quality),
        }?;
        if self.icc.is_some() && !row.has_profiles {
            losses.add(Loss::new("color_profile", format!("{name} has no ICC profiles")));
        }
        if self.cicp.is_some() && format != ImageFormat::Png {
            losses.add(Loss::new("color_profile", format!("{name} has no cICP")));
        }
        if row.quality.is_some() {
            losses.add(Loss::new("compression", format!("{name} packs pixels with loss")));
        }
        Ok(Encoded { bytes, size: self.size.map(u64::from), losses })
    }

    fn write<T: bytemuck::Pod>(
        &self,
        row: &FormatRow,
        values: &[T],
        quality: Option<u8>,
    ) -> Result<Vec<u8>> {
        let pixels = self.size.iter().map(|n| *n as usize).product::<usize>();
        let channels = values.len().checked_div(pixels).unwrap_or(self.channels);
        let profile = (self.icc.as_deref(), self.cicp);
        encode_values(row, values, (self.size, channels), self.is_straight, profile, quality)
    }
}

/// Greys as colours.
fn colors<T: Copy>(values: &[T], channels: usize) -> Vec<T> {
    let pixels = values.chunks_exact(channels);
    pixels.flat_map(|pixel| [[pixel[0]; 3].as_slice(), &pixel[1..]].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(channels: usize, bits: u8) -> PictureCodes {
        let count = 5 * 3 * channels;
        let values = match bits {
            8 => CodeValues::U8((0..count).map(|i| (i * 37 % 256) as u8).collect()),
            _ => CodeValues::U16((0..count).map(|i| (i * 7919 % 65536) as u16).collect()),
        };
        PictureCodes {
            size: [5, 3],
            channels,
            values,
            extra: Vec::new(),
            is_straight: true,
            icc: None,
            cicp: None,
            pixel_aspect: 1.0,
            losses: Losses::default(),
        }
    }

    fn read(bytes: &[u8], format: ImageFormat) -> PictureCodes {
        match decode_stored(bytes, format, &Limits::default()).unwrap() {
            StoredPicture::Codes(codes) => codes,
            StoredPicture::Light(_) => panic!("{format} gives light"),
        }
    }

    #[test]
    fn codes_come_back_as_they_were_with_their_profile() {
        let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
        for format in [ImageFormat::Png, ImageFormat::Tiff, ImageFormat::Qoi] {
            for (channels, bits) in
                [(1, 8), (2, 8), (3, 8), (4, 8), (1, 16), (2, 16), (3, 16), (4, 16)]
            {
                let given = PictureCodes { icc: Some(profile.clone()), ..codes(channels, bits) };
                if format == ImageFormat::Qoi && bits == 16 {
                    assert!(given.encode(format, None).is_err());
                    continue;
                }
                let made = given.encode(format, None).unwrap();
                let again = read(&made.bytes, format);
                let has_profile = format != ImageFormat::Qoi;
                assert_eq!(
                    again.icc.as_ref() == Some(&profile),
                    has_profile,
                    "{format} {channels}"
                );
                assert_eq!(made.losses.is_empty(), has_profile, "{format}");
                let expected = match (&given.values, again.channels == channels) {
                    (values, true) => values.clone(),
                    (CodeValues::U8(v), false) => CodeValues::U8(colors(v, channels)),
                    (CodeValues::U16(v), false) => CodeValues::U16(colors(v, channels)),
                };
                assert_eq!(again.values, expected, "{format} {channels} {bits}");
            }
        }
        let jpeg = PictureCodes { icc: Some(profile.clone()), ..codes(3, 8) };
        let made = jpeg.encode(ImageFormat::Jpeg, Some(95)).unwrap();
        assert_eq!(read(&made.bytes, ImageFormat::Jpeg).icc, Some(profile));
        assert!(codes(4, 8).encode(ImageFormat::Jpeg, None).is_err());
        let mut short = codes(3, 8);
        short.size = [5, 4];
        assert!(short.encode(ImageFormat::Png, None).is_err() && short.into_light().is_err());
    }

    #[test]
    fn numbers_of_colours_are_kept_in_a_png() {
        let given = PictureCodes { cicp: Some([9, 16, 0, 1]), ..codes(3, 16) };
        let made = given.encode(ImageFormat::Png, None).unwrap();
        let again = read(&made.bytes, ImageFormat::Png);
        assert_eq!((again.cicp, again.losses.is_empty()), (Some([9, 16, 0, 1]), true));
        // PQ is light of more than white, and the same however it comes.
        let [once, other] = [given, again].map(|codes| codes.into_light().unwrap());
        assert!(!once.is_finished);
        assert_eq!(once.image.parts[0].pixels, other.image.parts[0].pixels);
    }

    #[test]
    fn associated_alpha_is_said() {
        let given = PictureCodes { is_straight: false, ..codes(4, 8) };
        let made = given.encode(ImageFormat::Tiff, None).unwrap();
        assert!(!read(&made.bytes, ImageFormat::Tiff).is_straight);
    }
}
