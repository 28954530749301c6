//! What the fuzz targets of pictures do with their bytes, of TIFF and Radiance HDR: reading ends without a
//! panic, twice the same, with as many samples as the picture has pixels. ICC profiles make light of codes.

use solio_base::Limits;
use solio_exr::model::{Pixels, Samples};
use solio_image::{CodeValues, PictureCodes, decode, decode_pixels};
use solio_kinds::ImageFormat;

/// Larger pictures are refused: a few bytes may promise many pixels.
const MOST_BYTES: u64 = 4 << 20;

#[allow(dead_code)] // each target uses one of them
pub(crate) fn hdr(bytes: &[u8]) {
    picture(bytes, ImageFormat::Hdr);
}

#[allow(dead_code)]
pub(crate) fn tiff(bytes: &[u8]) {
    picture(bytes, ImageFormat::Tiff);
}

/// A profile is applied to a few codes: light comes out, twice the same, for each pixel and channel.
#[allow(dead_code)]
pub(crate) fn icc(bytes: &[u8]) {
    for (channels, is_straight) in [(1, true), (3, true), (4, true), (4, false)] {
        let light = || {
            let codes = PictureCodes {
                size: [3, 2],
                channels,
                values: CodeValues::U8((0..6 * channels).map(|i| (i * 41 % 256) as u8).collect()),
                extra: Vec::new(),
                is_straight,
                icc: Some(bytes.to_vec()),
                cicp: None,
                pixel_aspect: 1.0,
                losses: Default::default(),
            };
            let decoded = codes.into_light().expect("there are as many codes as pixels");
            let Pixels::Flat(levels) = &decoded.image.parts[0].pixels else { panic!("it is flat") };
            let bits = |samples: &Samples<'_>| -> Vec<u32> {
                match samples {
                    Samples::Half(v) => v.iter().map(|v| v.to_bits().into()).collect(),
                    Samples::Float(v) => v.iter().map(|v| v.to_bits()).collect(),
                    Samples::Uint(v) => v.to_vec(),
                }
            };
            levels[0].planes.iter().map(|plane| bits(&plane.samples)).collect::<Vec<_>>()
        };
        let once = light();
        assert_eq!(once, light());
        assert!(once.len() == channels && once.iter().all(|plane| plane.len() == 6));
    }
}

fn picture(bytes: &[u8], format: ImageFormat) {
    let limits = Limits { bytes: MOST_BYTES, ..Limits::default() };
    let stored = decode_pixels(bytes, format, &limits);
    for raw in [false, true] {
        let [once, again] = [0, 1].map(|_| decode(bytes, format, raw, &limits));
        let (decoded, again) = match (once, again) {
            (Ok(once), Ok(again)) => (once, again),
            (Err(once), Err(again)) => {
                assert_eq!(once.message(), again.message());
                continue;
            }
            _ => panic!("read once and not again"),
        };
        assert!(stored.is_ok());
        let part = &decoded.image.parts[0];
        assert_eq!(part.header, again.image.parts[0].header);
        let Pixels::Flat(levels) = &part.pixels else { panic!("a picture is flat") };
        let pixels = levels[0].window.width() * levels[0].window.height();
        for plane in &levels[0].planes {
            assert_eq!(plane.samples.len() as u64, pixels, "{}", plane.channel.name);
        }
    }
}
