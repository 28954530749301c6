//! What a file states about its codes: the curve of a PNG, the coding of a JPEG.

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

/// How codes become light, where the file says that it is not by the curve of sRGB.
#[derive(PartialEq)]
pub(crate) enum Curve {
    /// They are light.
    Light,
    /// In a way that is not applied: what says so.
    Unapplied(String),
}

/// What a PNG says of its codes, by the chunk that counts: cICP, iCCP, sRGB, then gAMA (PNG, third
/// edition, 4.3). What an ICC profile says is told elsewhere.
pub(super) fn png_curve(bytes: &[u8]) -> Option<Curve> {
    let (mut video, mut is_known, mut gamma) = (None, false, None);
    let chunks = png_chunks(ByteView::memory(bytes)).map_while(Result::ok);
    for chunk in chunks.take_while(|chunk| &chunk.kind != b"IDAT") {
        match &chunk.kind {
            b"cICP" if chunk.len == 4 => video = chunk.body.array(0),
            b"iCCP" | b"sRGB" => is_known = true,
            b"gAMA" if chunk.len == 4 => gamma = chunk.body.be32(0),
            _ => {}
        }
    }
    // A twentieth more or less is not seen.
    let near = |gamma: u32, value: u32| gamma.abs_diff(value) <= value / 20;
    match (video, gamma) {
        (Some([1, 13, _, 1]), _) => None,
        (Some([1, 8, _, 1]), _) => Some(Curve::Light),
        (Some([primaries, curve, ..]), _) => {
            let said = format!("cICP (primaries {primaries}, transfer function {curve})");
            Some(Curve::Unapplied(said))
        }
        (None, Some(gamma)) if !is_known && near(gamma, 100_000) => Some(Curve::Light),
        (None, Some(gamma)) if !is_known && !near(gamma, 45_455) => {
            Some(Curve::Unapplied(format!("gAMA of {}", f64::from(gamma) / 1e5)))
        }
        _ => None,
    }
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
        let Samples::Half(values) = &levels[0].planes[0].samples else { panic!() };
        let losses = decoded.losses.iter().map(|loss| loss.reason.to_string());
        (values[0].to_f32(), decoded.notes.into_iter().chain(losses).collect())
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
    fn what_a_png_says_of_its_codes_is_heeded_or_told() {
        let [by_srgb, light] = [srgb::light_of_u8(118), 118.0 / 255.0];
        let power = |gamma: u32| gamma.to_be_bytes();
        let (usual, linear, other) = (power(45_455), power(100_000), power(55_556));
        type Chunks<'c> = &'c [(&'c [u8; 4], &'c [u8])];
        let cases: [(Chunks<'_>, f32, &str); 9] = [
            (&[], by_srgb, ""),
            (&[(b"gAMA", &usual)], by_srgb, ""),
            (&[(b"gAMA", &linear)], light, "its codes are taken for light"),
            (&[(b"gAMA", &other)], by_srgb, "its gAMA of 0.55556 is not applied"),
            (&[(b"sRGB", &[0]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 13, 0, 1]), (b"gAMA", &linear)], by_srgb, ""),
            (&[(b"cICP", &[1, 8, 0, 1])], light, "its codes are taken for light"),
            (&[(b"cICP", &[9, 16, 0, 1])], by_srgb, "its cICP (primaries 9, transfer function 16)"),
            (&[(b"cICP", &[1, 13, 0, 0])], by_srgb, "its cICP (primaries 1, transfer function 13)"),
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
