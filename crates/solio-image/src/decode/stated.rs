//! What a file states about its codes: the colours of a PNG, the coding of a JPEG.

use super::profile::{self, Profile};
use solio_color::Primaries;
use solio_container::jpeg::head;
use solio_container::{ByteView, png_chunks};

/// What keeps a JPEG from being unpacked here, as its frame header tells it (ITU T.81, table B.1).
pub(super) fn unread_jpeg(bytes: &[u8]) -> Option<&'static str> {
    head(ByteView::memory(bytes)).find_map(|segment| {
        let bits = segment.frame()?.bits;
        Some(match segment.marker {
            0xc0..=0xc2 if bits == 8 => None,
            0xc0..=0xc2 => Some("a picture of more than 8 bits"),
            0xc5 | 0xc6 => Some("a hierarchical picture"),
            0xc9 | 0xca | 0xcd | 0xce => Some("arithmetic coding"),
            0xf7 => Some("JPEG-LS"),
            _ => Some("a lossless picture"),
        })
    })?
}

/// Whether a JPEG ends before its picture does: decoders make grey of what is missing.
pub(super) fn is_cut_jpeg(bytes: &[u8]) -> bool {
    // Segments say their length; the codes of a scan go on to the next marker (ITU T.81, B.1.1).
    let mut at = 2;
    loop {
        let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(2).position(is_marker))
        else {
            return true;
        };
        let marker = bytes[at + found + 1];
        at += found + 2;
        match marker {
            0xd9 => return false,
            0x01 | 0xd0..=0xd8 => {}
            _ => {
                let Some(&[high, low]) = bytes.get(at..at + 2) else { return true };
                at += usize::from(u16::from_be_bytes([high, low])).max(2);
            }
        }
    }
}

/// Whether two bytes are a marker; others are codes, or fill.
fn is_marker(pair: &[u8]) -> bool {
    pair[0] == 0xff && !matches!(pair[1], 0 | 0xff)
}

/// How codes become light, where the file says something about it.
pub(crate) enum Curve {
    /// By the curve of sRGB, whatever else is said.
    Srgb,
    /// They are light.
    Light,
    /// By a profile.
    Profile(Box<Profile>),
    /// In a way that is not applied: what says so.
    Unapplied(String),
}

/// What a PNG says of its codes, by the chunk that counts: cICP, iCCP, sRGB, then gAMA and cHRM (PNG,
/// third edition, 4.3). What an ICC profile says is found out where it is.
pub(super) fn png_curve(bytes: &[u8]) -> Option<Curve> {
    let (mut video, mut is_known, mut gamma, mut primaries, mut bits) =
        (None, false, None, None, 8);
    let chunks = png_chunks(ByteView::memory(bytes)).map_while(Result::ok);
    for chunk in chunks.take_while(|chunk| &chunk.kind != b"IDAT") {
        match &chunk.kind {
            b"IHDR" => bits = chunk.body.u8(8).unwrap_or(bits),
            b"cICP" if chunk.len == 4 => video = chunk.body.array(0),
            b"iCCP" | b"sRGB" => is_known = true,
            b"gAMA" if chunk.len == 4 => gamma = chunk.body.be32(0),
            b"cHRM" if chunk.len == 32 => primaries = chromaticities(chunk.body),
            _ => {}
        }
    }
    // A twentieth more or less is not seen.
    let near = |gamma: u32, value: u32| gamma.abs_diff(value) <= value / 20;
    if let Some(numbers) = video {
        return Some(cicp_curve(numbers, bits));
    }
    if is_known {
        return None;
    }
    let primaries: Option<Primaries> = primaries.filter(|p| p.to(&Primaries::SRGB).is_some());
    let gamma = gamma.filter(|gamma| *gamma > 0 && !near(*gamma, 45_455));
    match (gamma, primaries) {
        (None, None) => None,
        (Some(gamma), None) if near(gamma, 100_000) => Some(Curve::Light),
        (gamma, primaries) => {
            let gamma = gamma.map(|gamma| f64::from(gamma) / 1e5);
            Some(match profile::of_power(gamma, primaries) {
                Some(profile) => Curve::Profile(Box::new(profile)),
                None => Curve::Unapplied("gAMA".to_owned()),
            })
        }
    }
}

/// What four numbers say of codes of so many bits.
pub(crate) fn cicp_curve(numbers: [u8; 4], bits: u8) -> Curve {
    match numbers {
        [1, 13, _, 1] => Curve::Srgb,
        [1, 8, _, 1] => Curve::Light,
        [primaries, curve, ..] => match profile::of_cicp(numbers, bits) {
            Some(profile) => Curve::Profile(Box::new(profile)),
            None => {
                let said = format!("cICP (primaries {primaries}, transfer function {curve})");
                Curve::Unapplied(said)
            }
        },
    }
}

/// The numbers of cICP.
pub(super) fn png_cicp(bytes: &[u8]) -> Option<[u8; 4]> {
    let chunks = png_chunks(ByteView::memory(bytes)).map_while(Result::ok);
    let mut chunks = chunks.take_while(|chunk| &chunk.kind != b"IDAT");
    let chunk = chunks.find(|chunk| &chunk.kind == b"cICP" && chunk.len == 4)?;
    chunk.body.array(0)
}

/// White, red, green and blue of cHRM.
fn chromaticities(body: ByteView<'_>) -> Option<Primaries> {
    let pair = |at: u64| Some([body.be32(at)?, body.be32(at + 4)?].map(|n| n as f32 / 1e5));
    let (white, rgb) = (pair(0)?, [pair(8)?, pair(16)?, pair(24)?]);
    Some(Primaries { rgb, white })
}

/// Pixels in a length, across and down, as pHYs says them.
pub(super) fn png_density(bytes: &[u8]) -> Option<[f64; 2]> {
    let chunks = png_chunks(ByteView::memory(bytes)).map_while(Result::ok);
    let mut chunks = chunks.take_while(|chunk| &chunk.kind != b"IDAT");
    let chunk = chunks.find(|chunk| &chunk.kind == b"pHYs" && chunk.len == 9)?;
    Some([chunk.body.be32(0)?, chunk.body.be32(4)?].map(f64::from))
}

/// The same of JFIF's head.
pub(super) fn jpeg_density(bytes: &[u8]) -> Option<[f64; 2]> {
    let mut segments = head(ByteView::memory(bytes));
    let segment = segments.find(|s| s.application() == Some(0) && s.body.starts_with(b"JFIF\0"))?;
    Some([segment.body.be16(8)?, segment.body.be16(10)?].map(f64::from))
}

#[cfg(test)]
mod tests {
    use crate::{decode, png};
    use image::ExtendedColorType;
    use image::codecs::jpeg::{JpegEncoder, PixelDensity, PixelDensityUnit};
    use solio_base::Limits;
    use solio_color::srgb;
    use solio_exr::header::Value;
    use solio_exr::model::{Pixels, Samples};
    use solio_kinds::ImageFormat;

    /// A PNG of one grey pixel with the code 118, and these chunks behind its head.
    fn with_chunks(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = png(&[118; 3], 1, 1, false).unwrap();
        let mut at = 33;
        for (kind, data) in chunks {
            let body = [kind.as_slice(), *data].concat();
            let length = (data.len() as u32).to_be_bytes();
            let chunk = [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat();
            let end = at + chunk.len();
            bytes.splice(at..at, chunk);
            at = end;
        }
        bytes
    }

    /// The light of that pixel, and what is said of it.
    fn read(chunks: &[(&[u8; 4], &[u8])], raw: bool) -> (f32, Vec<String>) {
        let decoded =
            decode(&with_chunks(chunks), ImageFormat::Png, raw, &Limits::default()).unwrap();
        let Pixels::Flat(levels) = &decoded.image.parts[0].pixels else { panic!() };
        let value = match &levels[0].planes[0].samples {
            Samples::Half(values) => values[0].to_f32(),
            Samples::Float(values) => values[0],
            Samples::Uint(_) => panic!(),
        };
        let losses = decoded.losses.iter().map(|loss| loss.reason.to_string());
        (value, decoded.notes.into_iter().chain(losses).collect())
    }

    /// The aspect of the pixels of a file.
    fn aspect(bytes: &[u8], format: ImageFormat) -> Option<Value> {
        let decoded = decode(bytes, format, false, &Limits::default()).unwrap();
        decoded.image.parts[0].header.get("pixelAspectRatio").cloned()
    }

    #[test]
    fn pixels_have_the_shape_that_their_density_gives() {
        let dots = |across: u32, down: u32| {
            let data = [&across.to_be_bytes()[..], &down.to_be_bytes(), &[1]].concat();
            aspect(&with_chunks(&[(b"pHYs", &data)]), ImageFormat::Png)
        };
        assert_eq!(dots(1000, 2000), Some(Value::Float(2.0)));
        assert_eq!(dots(2834, 2835), Some(Value::Float(1.0)));
        assert_eq!(dots(0, 2835), Some(Value::Float(1.0)));
        let jpeg = |orientation: u8| {
            let mut bytes = Vec::new();
            let mut encoder = JpegEncoder::new(&mut bytes);
            encoder.set_pixel_density(PixelDensity {
                density: (300, 150),
                unit: PixelDensityUnit::Inches,
            });
            encoder.encode(&[9; 24], 4, 2, ExtendedColorType::Rgb8).unwrap();
            let exif = [
                &b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..],
                &[orientation, 0, 0, 0, 0, 0, 0],
            ];
            let at = 2 + 2 + usize::from(u16::from_be_bytes([bytes[4], bytes[5]]));
            bytes.splice(at..at, exif.concat());
            bytes
        };
        assert_eq!(aspect(&jpeg(1), ImageFormat::Jpeg), Some(Value::Float(0.5)));
        assert_eq!(aspect(&jpeg(6), ImageFormat::Jpeg), Some(Value::Float(2.0)));
    }

    #[test]
    fn a_jpeg_that_ends_early_says_so() {
        let mut bytes = Vec::new();
        let noise: Vec<u8> =
            (0..64 * 48 * 3_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        JpegEncoder::new(&mut bytes).encode(&noise, 64, 48, ExtendedColorType::Rgb8).unwrap();
        let read = |bytes: &[u8]| decode(bytes, ImageFormat::Jpeg, false, &Limits::default());
        assert!(!read(&bytes).unwrap().is_cut);
        assert!(!read(&[&bytes[..], b"more"].concat()).unwrap().is_cut);
        for end in [bytes.len() / 2, bytes.len() - 100, bytes.len() - 1] {
            assert!(read(&bytes[..end]).is_ok_and(|read| read.is_cut), "{end}");
            let stored = crate::decode_stored(&bytes[..end], ImageFormat::Jpeg, &Limits::default());
            let error = stored.err().unwrap();
            assert_eq!(error.offset(), Some(end as u64));
        }
        for end in 0..300 {
            super::is_cut_jpeg(&bytes[..end]);
        }
    }

    #[test]
    fn what_a_png_says_of_its_codes_is_heeded_or_told() {
        let [by_srgb, light] = [srgb::light_of_u8(118), 118.0 / 255.0];
        let power = |gamma: u32| gamma.to_be_bytes();
        let (usual, linear, other) = (power(45_455), power(100_000), power(55_556));
        type Chunks<'c> = &'c [(&'c [u8; 4], &'c [u8])];
        let chromaticities = |all: [u32; 8]| all.map(u32::to_be_bytes).concat();
        let p3 = chromaticities([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]);
        let of_srgb =
            chromaticities([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]);
        let power_of = |power: f32| (118.0_f32 / 255.0).powf(power);
        // BT.2100's PQ of the code 118: 63.18 candelas a square metre.
        let pq = 63.177 / 203.0;
        let narrow = srgb::to_linear(102.0 / 219.0);
        let cases: [(Chunks<'_>, f32, &str); 13] = [
            (&[], by_srgb, ""),
            (&[(b"gAMA", &usual)], by_srgb, ""),
            (&[(b"gAMA", &linear)], light, "its codes are taken for light"),
            (&[(b"gAMA", &other)], power_of(1.8), "its gAMA of 0.55556 is applied"),
            (&[(b"cHRM", &p3)], by_srgb, "its cHRM is applied"),
            (&[(b"gAMA", &usual), (b"cHRM", &of_srgb)], by_srgb, ""),
            (&[(b"sRGB", &[0]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 13, 0, 1]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 8, 0, 1])], light, "its codes are taken for light"),
            (&[(b"cICP", &[9, 16, 0, 1])], pq, "its cICP (BT.2020, PQ) is applied"),
            (&[(b"cICP", &[1, 13, 0, 0])], narrow, "its cICP (BT.709, sRGB) is applied"),
            (&[(b"cICP", &[1, 13, 0, 0]), (b"sRGB", &[0])], narrow, "its cICP (BT.709, sRGB)"),
            (
                &[(b"cICP", &[10, 16, 0, 1])],
                by_srgb,
                "its cICP (primaries 10, transfer function 16)",
            ),
        ];
        for (chunks, expected, note) in cases {
            let (value, notes) = read(chunks, false);
            assert!((value - expected).abs() < 1e-3, "{chunks:?}: {value} {expected}");
            assert_eq!(notes.len(), usize::from(!note.is_empty()), "{chunks:?}: {notes:?}");
            assert!(notes.iter().all(|said| said.starts_with(note)), "{chunks:?}: {notes:?}");
            let (value, notes) = read(chunks, true);
            assert!((value - light).abs() < 1e-3 && notes.is_empty(), "{chunks:?}: {notes:?}");
        }
    }
}
