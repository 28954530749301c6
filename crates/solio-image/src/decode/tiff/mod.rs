//! TIFF: what the crate `image` reads of it, kinds that it does not read, and what it does not tell.

mod samples;

use super::{Stored, is_sideways, upright};
use image::codecs::tiff::TiffDecoder;
use image::metadata::Orientation;
use solio_base::{Error, Result};
use solio_kinds::ImageFormat;
use std::io::Cursor;
use tiff::TiffError;
use tiff::decoder::ifd::Value as TagValue;
use tiff::decoder::{Decoder, Limits};
use tiff::tags::Tag;

type File<'a> = Decoder<Cursor<&'a [u8]>>;

/// Numbers of PhotometricInterpretation.
mod photometric {
    pub(super) const WHITE_IS_ZERO: u16 = 0;
    pub(super) const BLACK_IS_ZERO: u16 = 1;
    pub(super) const RGB: u16 = 2;
    pub(super) const PALETTE: u16 = 3;
    pub(super) const MASK: u16 = 4;
    pub(super) const CMYK: u16 = 5;
    pub(super) const YCBCR: u16 = 6;
}
/// Numbers of SampleFormat.
const UINT: u16 = 1;
const INT: u16 = 2;
const FLOAT: u16 = 3;
/// Numbers of ExtraSamples.
const ASSOCIATED: u16 = 1;
const UNASSOCIATED: u16 = 2;
/// JPEG as technical note 2 of TIFF 6.0 has it.
const JPEG: u16 = 7;

/// Reads the first page.
pub(crate) fn decode(bytes: &[u8], most: u64) -> Result<Stored> {
    let mut file = open(bytes, most)?;
    let has_pages = file.more_images();
    let page = Page::of(&mut file)?;
    let stored = match page.is_plain() {
        true => upright(ImageFormat::Tiff, TiffDecoder::new(Cursor::new(bytes)), most)?,
        false => samples::decode(bytes, &page, &mut file, most)?,
    };
    let (is_sideways, density) = (is_sideways(page.orientation), density(&mut file));
    let stored = Stored { is_sideways, ..stored }.with_density(density);
    // The decoder of `image` has no more room for it than for the pixels.
    let icc = file.get_tag_u8_vec(Tag::IccProfile).ok();
    let associated = page.alpha().is_some_and(|(_, is)| is);
    Ok(Stored { associated, icc, has_pages, ..stored })
}

/// Pixels in a length, across and down. NaN is ignored.
fn density(file: &mut File<'_>) -> Option<[f64; 2]> {
    let mut number = |tag: Tag| match file.find_tag(tag).ok()?? {
        TagValue::Rational(above, below) => Some(f64::from(above) / f64::from(below)),
        _ => None,
    };
    Some([number(Tag::XResolution)?, number(Tag::YResolution)?])
}

fn open(bytes: &[u8], most: u64) -> Result<File<'_>> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(most).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    Ok(Decoder::new(Cursor::new(bytes)).map_err(failed_tiff)?.with_limits(limits))
}

/// What the pixels of a page are.
struct Page {
    photometric: u16,
    compression: u16,
    format: u16,
    bits: u16,
    /// Samples a pixel, and how many of them are colours.
    samples: usize,
    colors: usize,
    /// What those after the colours are.
    extra: Vec<u16>,
    is_planar: bool,
    orientation: Orientation,
}

impl Page {
    /// # Errors
    /// `Unsupported` for those that nobody reads.
    fn of(file: &mut File<'_>) -> Result<Page> {
        let mut tag = |tag: Tag| file.find_tag_unsigned_vec::<u16>(tag).map_err(failed_tiff);
        let mut first = |name: Tag, usual: u16| {
            Ok::<u16, Error>(tag(name)?.and_then(|all| all.first().copied()).unwrap_or(usual))
        };
        let photometric = first(Tag::PhotometricInterpretation, photometric::BLACK_IS_ZERO)?;
        let compression = first(Tag::Compression, 1)?;
        let format = first(Tag::SampleFormat, UINT)?;
        let bits = first(Tag::BitsPerSample, 1)?;
        let samples = usize::from(first(Tag::SamplesPerPixel, 1)?);
        let is_planar = first(Tag::PlanarConfiguration, 1)? == 2;
        let orientation = first(Tag::Orientation, 1)?;
        let orientation = u8::try_from(orientation).ok().and_then(Orientation::from_exif);
        let mut extra = tag(Tag::ExtraSamples)?.unwrap_or_default();
        let colors = match photometric {
            photometric::WHITE_IS_ZERO
            | photometric::BLACK_IS_ZERO
            | photometric::PALETTE
            | photometric::MASK => 1,
            photometric::RGB | photometric::YCBCR => 3,
            photometric::CMYK => 4,
            other => {
                let name = match other {
                    8..=10 => "CIE L*a*b*".to_owned(),
                    32_803 => "of a colour filter array".to_owned(),
                    32_844 | 32_845 => "LogLuv".to_owned(),
                    34_892 => "linear raw".to_owned(),
                    other => format!("of the kind {other}"),
                };
                return Err(Error::unsupported(format!("TIFF: pixels {name} are not read")));
            }
        };
        let Some(more) = samples.checked_sub(colors) else {
            let message = format!("TIFF: {samples} samples a pixel make no colours");
            return Err(Error::corrupt(message));
        };
        if extra.is_empty() && photometric == photometric::RGB && more == 1 {
            // Without a word a fourth sample is taken for alpha.
            extra.push(UNASSOCIATED);
        }
        extra.resize(more, 0);
        let orientation = orientation.unwrap_or(Orientation::NoTransforms);
        Ok(Page {
            photometric,
            compression,
            format,
            bits,
            samples,
            colors,
            extra,
            is_planar,
            orientation,
        })
    }

    /// The number of the sample that is alpha, and whether colours are multiplied by it.
    fn alpha(&self) -> Option<(usize, bool)> {
        let is_alpha = |kind: &u16| [ASSOCIATED, UNASSOCIATED].contains(kind);
        let at = self.extra.iter().position(is_alpha)?;
        Some((self.colors + at, self.extra[at] == ASSOCIATED))
    }

    /// Whether `image` reads all of it.
    fn is_plain(&self) -> bool {
        use photometric::{BLACK_IS_ZERO, CMYK, RGB, WHITE_IS_ZERO};
        let kind = match (self.photometric, self.format, self.bits) {
            (WHITE_IS_ZERO | BLACK_IS_ZERO, UINT, 1 | 8 | 16) => self.samples == 1,
            (RGB, UINT, 8 | 16) | (RGB, FLOAT, 32) => {
                self.samples == 3 || self.samples == 4 && self.alpha().is_some()
            }
            (CMYK, UINT, 8 | 16) => self.samples == 4,
            _ => false,
        };
        kind && !self.is_planar && self.compression != JPEG
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
