//! The table of picture formats: how each is decoded and encoded, and what it can hold. A new one is a
//! row here, beside that of `solio-kinds`.

use crate::decode::{self, Curve, Stored};
use crate::encode::{self, Packed, Values};
use image::ImageResult;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::qoi::{QoiDecoder, QoiEncoder};
use solio_base::{Error, Result};
use solio_kinds::ImageFormat;

/// Quality of JPEG where nobody asks for one.
const JPEG_QUALITY: u8 = 90;

/// What there is to know of a format.
pub(crate) struct FormatRow {
    pub(crate) format: ImageFormat,
    /// From the bytes of a file, whose pixels may take so many.
    pub(crate) decode: fn(&[u8], u64) -> Result<Stored>,
    /// To the bytes of a file.
    pub(crate) encode: fn(&Values<'_>, &mut Packed) -> ImageResult<()>,
    /// Bits of a value that can be written, the usual ones first, and with how many channels: 1 is
    /// grey, 2 grey and alpha, 3 colours, 4 colours and alpha.
    pub(crate) samples: &'static [(u8, &'static [usize])],
    /// Files have ICC profiles.
    pub(crate) has_profiles: bool,
    /// Pixels are packed with loss, with this quality where nobody asks for another.
    pub(crate) quality: Option<u8>,
}

const ROWS: [FormatRow; 5] = [
    FormatRow {
        format: ImageFormat::Hdr,
        decode: decode::hdr,
        encode: encode::hdr,
        samples: &[(32, &[3])],
        has_profiles: false,
        quality: None,
    },
    FormatRow {
        format: ImageFormat::Jpeg,
        decode: decode::jpeg,
        encode: |values, file| {
            let quality = values.quality.unwrap_or(JPEG_QUALITY);
            values.write(JpegEncoder::new_with_quality(file, quality))
        },
        samples: &[(8, &[1, 3])],
        has_profiles: true,
        quality: Some(JPEG_QUALITY),
    },
    FormatRow {
        format: ImageFormat::Png,
        decode: decode::png,
        encode: |values, file| values.write(encode::png_encoder(file)),
        samples: &[(8, &[1, 2, 3, 4]), (16, &[1, 2, 3, 4])],
        has_profiles: true,
        quality: None,
    },
    FormatRow {
        format: ImageFormat::Qoi,
        decode: |bytes, most| {
            let stored = decode::upright(ImageFormat::Qoi, QoiDecoder::new(bytes), most)?;
            // "The Quite OK Image Format", version 1.0: purely informative, and 1, all channels
            // linear, is what Pillow writes whatever they are.
            let is_linear = bytes.get(13) == Some(&1);
            let curve = is_linear.then(|| Curve::Unapplied("linear colour space".to_owned()));
            Ok(Stored { curve, ..stored })
        },
        encode: |values, file| values.write(QoiEncoder::new(file)),
        samples: &[(8, &[3, 4])],
        has_profiles: false,
        quality: None,
    },
    FormatRow {
        format: ImageFormat::Tiff,
        decode: decode::tiff,
        encode: encode::tiff,
        samples: &[(8, &[1, 3, 4]), (16, &[1, 3, 4]), (32, &[3, 4])],
        has_profiles: true,
        quality: None,
    },
];

impl FormatRow {
    /// The row of a format.
    ///
    /// # Errors
    /// `Argument` for OpenEXR, which has a crate of its own.
    pub(crate) fn of(format: ImageFormat) -> Result<&'static FormatRow> {
        let found = ROWS.iter().find(|row| row.format == format);
        found.ok_or_else(|| Error::argument(format!("{format} is not a format of pictures")))
    }

    /// What people call it: `PNG`.
    pub(crate) fn name(&self) -> String {
        self.format.as_str().to_uppercase()
    }

    /// With how many channels values of `bits` bits can be written.
    pub(crate) fn channels(&self, bits: u8) -> &'static [usize] {
        let found = self.samples.iter().find(|(known, _)| *known == bits);
        found.map_or(&[], |(_, channels)| channels)
    }

    /// The bits of values that can be written, for people: `8, 16`.
    pub(crate) fn bits(&self) -> String {
        let known: Vec<String> = self.samples.iter().map(|(bits, _)| bits.to_string()).collect();
        known.join(", ")
    }

    /// Whether more bits than `bits` can be written, and so many at least.
    pub(crate) fn has_more_bits(&self, bits: u8, least: u8) -> bool {
        self.samples.iter().any(|(more, _)| *more > bits && *more >= least)
    }
}

/// Whether floating point numbers can be chosen for the values of a format.
///
/// ```
/// use solio_image::can_choose_floats;
/// use solio_kinds::ImageFormat;
/// // Radiance HDR has nothing else.
/// let formats = ImageFormat::ALL.into_iter().filter(|format| can_choose_floats(*format));
/// assert_eq!(formats.collect::<Vec<_>>(), [ImageFormat::Tiff]);
/// ```
pub fn can_choose_floats(format: ImageFormat) -> bool {
    FormatRow::of(format).is_ok_and(|row| row.has_more_bits(row.samples[0].0, 32))
}

/// The names of all picture formats that `which` is about, for people: `JPEG, PNG and TIFF`.
///
/// ```
/// use solio_image::{can_choose_floats, picture_names};
/// assert_eq!(picture_names(can_choose_floats), "TIFF");
/// assert!(picture_names(|_| true).ends_with(" and TIFF"));
/// ```
pub fn picture_names(which: impl Fn(ImageFormat) -> bool) -> String {
    let rows = ROWS.iter().filter(|row| which(row.format));
    solio_kinds::listed(&rows.map(FormatRow::name).collect::<Vec<_>>(), "and")
}

/// Whether a format packs pixels with loss, of a quality to choose.
pub fn has_quality(format: ImageFormat) -> bool {
    FormatRow::of(format).is_ok_and(|row| row.quality.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PictureOptions, decode, encode_picture, gradient_image};
    use solio_base::{Limits, Work};
    use solio_color::gradient::{Gradient, parse_stops};
    use solio_color::srgb;
    use solio_exr::model::{Image, Pixels, Samples};
    use solio_kinds::Ability;

    /// Colours, or greys, from left to right, with alpha or without.
    fn image(channels: usize) -> Image<'static> {
        let stops = match channels {
            1 | 3 => "black, red, white",
            _ => "black, red, rgb(255 255 255 / 50%)",
        };
        let gradient = Gradient { colors: parse_stops(stops).unwrap(), ..Gradient::default() };
        let mut image = gradient_image(&gradient, [9, 4]).unwrap();
        let keep: &[String] = &match channels {
            1 => vec!["R"],
            2 => vec!["R", "A"],
            3 => vec!["R", "G", "B"],
            _ => vec!["*"],
        }
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
        crate::edit::keep(&mut image, keep).unwrap();
        if channels < 3 {
            crate::edit::rename(&mut image, &[("R".into(), "Y".into())]).unwrap();
        }
        image
    }

    #[test]
    fn every_format_reads_what_it_writes() {
        let (limits, work) = (Limits::default(), Work::serial());
        for row in &ROWS {
            let is_lossy = row.quality.is_some();
            for (bits, all) in row.samples {
                for channels in *all {
                    let options = PictureOptions { bits: Some(*bits), ..PictureOptions::default() };
                    let image = image(*channels);
                    let made =
                        encode_picture(&image, row.format, &options, &limits, &work).unwrap();
                    assert_eq!(made.size, [9, 4]);
                    assert!(row.format.kind().is_at_start(&made.bytes), "{}", row.name());
                    let what = made.losses.iter().map(|loss| loss.what).collect::<Vec<_>>();
                    assert_eq!(what.contains(&"compression"), is_lossy, "{}: {what:?}", row.name());
                    let read = decode(&made.bytes, row.format, false, &limits).unwrap();
                    assert!(read.notes.is_empty() && read.losses.is_empty(), "{}", row.name());
                    let Pixels::Flat(levels) = &read.image.parts[0].pixels else { panic!() };
                    assert_eq!(levels[0].planes.len(), *channels, "{} {bits}", row.name());
                    // What was read is written to the same bytes, and reading needs no more memory
                    // than was foreseen.
                    let again =
                        encode_picture(&read.image, row.format, &options, &limits, &work).unwrap();
                    // Alpha is multiplied in and divided out: that rounds.
                    let is_exact = !is_lossy && channels % 2 == 1;
                    assert!(!is_exact || again.bytes == made.bytes, "{} {bits}", row.name());
                    let samples: usize = levels[0].planes.iter().map(|p| p.samples.len()).sum();
                    let bytes = crate::decoded_bytes(&made.bytes, row.format).unwrap();
                    assert!(bytes >= (samples * usize::from(*bits) / 8) as u64);
                    // A file that ends early is no picture.
                    let cut = &made.bytes[..made.bytes.len() / 2];
                    assert!(decode(cut, row.format, false, &limits).is_err(), "{}", row.name());
                }
            }
        }
    }

    #[test]
    fn qoi_is_codes_of_srgb_whatever_its_header_says() {
        // Two pixels: green, and the same with half of its alpha.
        let file = |space: u8| {
            let header = [b"qoif\0\0\0\x02\0\0\0\x01\x04", &[space][..]].concat();
            [&header[..], b"\xfe\0\x76\0\xff\0\x76\0\x80", b"\0\0\0\0\0\0\0\x01"].concat()
        };
        let light = srgb::light_of_u8(0x76);
        for space in [0, 1] {
            let limits = Limits::default();
            let read = decode(&file(space), ImageFormat::Qoi, false, &limits).unwrap();
            let told: Vec<String> =
                read.losses.iter().map(|loss| loss.reason.to_string()).collect();
            assert_eq!(told.len(), usize::from(space), "{told:?}");
            assert!(told.iter().all(|told| told.starts_with("its linear colour space")));
            let Pixels::Flat(levels) = &read.image.parts[0].pixels else { panic!() };
            let value = |plane: usize, pixel: usize| match &levels[0].planes[plane].samples {
                Samples::Half(values) => values[pixel].to_f32(),
                _ => panic!(),
            };
            let half = 128.0 / 255.0;
            assert!((value(0, 0) - 1.0).abs() < 1e-3 && (value(0, 1) - half).abs() < 1e-3);
            assert!((value(2, 0) - light).abs() < 1e-3);
            assert!((value(2, 1) - light * half).abs() < 1e-3);
        }
        assert_eq!(crate::decoded_bytes(&file(0), ImageFormat::Qoi), Some(2 * 4 * 3));
    }

    #[test]
    fn formats_of_pictures_are_those_that_are_read_and_written() {
        for format in ImageFormat::ALL {
            let is_here = ROWS.iter().any(|row| row.format == format);
            assert_eq!(is_here, format != ImageFormat::Exr, "{format}");
            assert!([Ability::Read, Ability::Write].iter().all(|does| format.kind().can(*does)));
        }
        assert!(FormatRow::of(ImageFormat::Exr).is_err());
        assert!(has_quality(ImageFormat::Jpeg) && !has_quality(ImageFormat::Png));
    }

    #[test]
    fn the_table_of_options_has_the_quality() {
        let option = solio_kinds::FormatOption::of_flag("quality").unwrap();
        assert_eq!(option.default, JPEG_QUALITY.to_string());
    }
}
