//! What the fuzz targets of pictures do with their bytes, of TIFF and Radiance HDR: reading ends without a
//! panic, twice the same, with as many samples as the picture has pixels.

use solio_base::Limits;
use solio_exr::model::Pixels;
use solio_image::{decode, decode_pixels};
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
