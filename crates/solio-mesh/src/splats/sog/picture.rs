//! The pictures: lossless WebP, of which bytes are numbers.

use image_webp::{ColorType, WebPDecoder, WebPEncoder};
use solio_base::{Error, Result};
use std::io::Cursor;

/// Pixels of four bytes, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SogPicture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<[u8; 4]>,
}

/// A picture has so many pixels more than it needs, and at most so many times as many: sides may be powers
/// of two.
const SPARE_PIXELS: u64 = 1 << 20;
const SPARE_TIMES: u64 = 4;

impl SogPicture {
    /// Decodes a WebP of at least `needed` pixels.
    pub(super) fn decode(bytes: &[u8], name: &str, needed: u64) -> Result<SogPicture> {
        let wrong = |e: &dyn std::fmt::Display| Error::corrupt(format!("{name}: {e}"));
        if !solio_kinds::FileKind::Webp.is_at_start(bytes) {
            let message = format!("{name} is not a WebP");
            return Err(Error::unsupported(message).hint("other pictures of SOG are not read"));
        }
        let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|e| wrong(&e))?;
        if decoder.is_lossy() || decoder.is_animated() {
            let message = format!("{name} is not a lossless WebP: its numbers are wrong");
            return Err(Error::corrupt(message));
        }
        let (width, height) = decoder.dimensions();
        let all = u64::from(width) * u64::from(height);
        if all < needed {
            let message = format!("{name} has {width} × {height} pixels, for {needed}");
            return Err(Error::corrupt(message));
        }
        if all > needed.saturating_mul(SPARE_TIMES).saturating_add(SPARE_PIXELS) {
            let message = format!("{name} has {width} × {height} pixels, of which {needed} count");
            return Err(Error::limit(message));
        }
        let room = decoder.output_buffer_size().unwrap_or(usize::MAX);
        let mut raw = vec![0; room];
        decoder.read_image(&mut raw).map_err(|e| wrong(&e))?;
        let pixels = match decoder.has_alpha() {
            true => raw.as_chunks::<4>().0.to_vec(),
            false => raw.as_chunks::<3>().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect(),
        };
        Ok(SogPicture { width: width as usize, height: height as usize, pixels })
    }

    /// A picture for so many splats, in sides that are multiples of four.
    pub(super) fn of_splats(count: usize, pixel: impl Fn(usize) -> [u8; 4]) -> SogPicture {
        let width = ((count as f64).sqrt() / 4.0).ceil().max(1.0) as usize * 4;
        let height = count.div_ceil(width).next_multiple_of(4).max(4);
        let mut pixels: Vec<[u8; 4]> = (0..count).map(pixel).collect();
        pixels.resize(width * height, [0, 0, 0, 255]);
        SogPicture { width, height, pixels }
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let (width, height) = (self.width as u32, self.height as u32);
        let is_opaque = self.pixels.iter().all(|pixel| pixel[3] == 255);
        let (color, raw): (_, Vec<u8>) = match is_opaque {
            true => {
                let colors = self.pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]);
                (ColorType::Rgb8, colors.collect())
            }
            false => (ColorType::Rgba8, self.pixels.as_flattened().to_vec()),
        };
        let mut bytes = Vec::new();
        WebPEncoder::new(&mut bytes)
            .encode(&raw, width, height, color)
            .map_err(|e| Error::unsupported(format!("a picture of the SOG: {e}")))?;
        Ok(bytes)
    }
}

/// The longest side of a WebP.
pub(super) const MOST_SIDE: usize = 16_383;
