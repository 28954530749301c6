//! Pictures of textures, as a preview needs them: linear light, and not larger than [`MOST_SIDE`].

use image::{DynamicImage, ImageFormat, ImageReader};
use solio_base::{Error, Limits, Result, Work};
use solio_color::srgb;
use solio_exr::ReadOptions;
use solio_exr::header::MAGIC;
use solio_image::{Buffers, View};
use solio_scene::preview::{TextureEncoding, TexturePicture};
use std::io::Cursor;
use std::path::Path;

/// Most columns and rows that are kept; larger pictures are made smaller by whole steps, each pixel
/// the mean of those under it.
const MOST_SIDE: usize = 512;
/// Most columns and rows of a file.
const MOST_OF_FILE: u32 = 1 << 15;
/// Most bytes that a file takes as it is decoded.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes of a PFM's three lines.
const HEAD_BYTES: usize = 256;

/// Reads the picture at `path`: PNG, JPEG, TIFF, TGA, QOI, Radiance HDR, PFM or OpenEXR. Integers
/// become light by `encoding`; alpha is left out, as pbrt does.
pub(crate) fn read_texture(
    path: &Path,
    encoding: TextureEncoding,
    limits: &Limits,
    work: &Work,
) -> Result<TexturePicture> {
    let limits = Limits { bytes: limits.bytes.min(MOST_BYTES), ..*limits };
    let bytes = solio_io::read_whole(path, &limits, work)?;
    let read = || match &*bytes {
        [b'P', b'F' | b'f', b'\n' | b' ' | b'\r' | b'\t', ..] => pfm(&bytes),
        bytes if bytes.starts_with(&MAGIC) => exr(bytes, &limits, work),
        bytes => decoded(path, bytes, encoding, &limits),
    };
    read().map_err(|e: Error| e.at_path(path))
}

/// By the crate `image`.
fn decoded(
    path: &Path,
    bytes: &[u8],
    encoding: TextureEncoding,
    limits: &Limits,
) -> Result<TexturePicture> {
    let format = image::guess_format(bytes).or_else(|_| ImageFormat::from_path(path));
    let format = format.map_err(|_| Error::unsupported("this is no picture that is known"))?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut bounds = image::Limits::no_limits();
    bounds.max_alloc = Some(limits.bytes);
    (bounds.max_image_width, bounds.max_image_height) = (Some(MOST_OF_FILE), Some(MOST_OF_FILE));
    reader.limits(bounds);
    let picture = reader.decode().map_err(|e| match e {
        image::ImageError::Unsupported(_) => Error::unsupported(e.to_string()),
        image::ImageError::Limits(_) => Error::limit(e.to_string()),
        _ => Error::corrupt(e.to_string()),
    })?;
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    match picture {
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
            let values = picture.into_rgb32f();
            let (pixels, _) = values.as_chunks::<3>();
            reduced(width, height, |y, row| row.copy_from_slice(&pixels[y * width..][..width]))
        }
        DynamicImage::ImageLuma16(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgb16(_)
        | DynamicImage::ImageRgba16(_) => {
            let values = picture.into_rgb16();
            let table = table(1 << 16, encoding);
            let (pixels, _) = values.as_chunks::<3>();
            reduced(width, height, |y, row| light(&pixels[y * width..][..width], &table, row))
        }
        picture => {
            let values = picture.into_rgb8();
            let table = table(1 << 8, encoding);
            let (pixels, _) = values.as_chunks::<3>();
            reduced(width, height, |y, row| light(&pixels[y * width..][..width], &table, row))
        }
    }
}

/// The light of so many codes.
fn table(codes: u32, encoding: TextureEncoding) -> Vec<f32> {
    let value = |code: u32| code as f32 / (codes - 1) as f32;
    let light = |value: f32| match encoding {
        TextureEncoding::Srgb => srgb::to_linear(value),
        TextureEncoding::Linear => value,
        TextureEncoding::Gamma(power) => value.powf(power),
    };
    (0..codes).map(|code| light(value(code))).collect()
}

fn light<T: Copy + Into<u32>>(pixels: &[[T; 3]], table: &[f32], row: &mut [[f32; 3]]) {
    for (to, from) in row.iter_mut().zip(pixels) {
        *to = from.map(|code| table[code.into() as usize]);
    }
}

/// Colours of the first part that has some, brought to the primaries of sRGB.
fn exr(bytes: &[u8], limits: &Limits, work: &Work) -> Result<TexturePicture> {
    let options = ReadOptions { limits: *limits, ..ReadOptions::default() };
    let image = solio_exr::decode_exr(&bytes, &options, work)?;
    let view = View::of(&image, limits)?;
    let (mut out, mut buffers) = (vec![0.0; 4 * view.width()], Buffers::default());
    reduced(view.width(), view.height(), |y, row| {
        view.row(y, &mut out, &mut buffers);
        for (to, [r, g, b, _]) in row.iter_mut().zip(out.as_chunks::<4>().0) {
            *to = [*r, *g, *b];
        }
    })
}

/// A portable float map: `PF` or `Pf`, columns, rows, a scale whose sign tells the order of bytes;
/// then rows from the bottom. Source: Paul Debevec's description of the format.
fn pfm(bytes: &[u8]) -> Result<TexturePicture> {
    let wrong = || Error::corrupt("the head of the PFM is wrong");
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let mut words = Vec::new();
    let mut at = 0;
    while words.len() < 4 {
        let start =
            at + head[at..].iter().position(|b| !b.is_ascii_whitespace()).ok_or_else(wrong)?;
        let end = head[start..].iter().position(u8::is_ascii_whitespace).ok_or_else(wrong)?;
        at = start + end;
        words.push(std::str::from_utf8(&head[start..at]).map_err(|_| wrong())?);
    }
    let side = |word: &str| match word.parse::<u32>() {
        Ok(side) if (1..=MOST_OF_FILE).contains(&side) => Ok(side as usize),
        _ => Err(Error::limit(format!("the PFM has {word} columns or rows"))),
    };
    let (width, height) = (side(words[1])?, side(words[2])?);
    let is_little = words[3].parse::<f32>().map_err(|_| wrong())? < 0.0;
    let channels = if words[0] == "PF" { 3 } else { 1 };
    let values = &bytes[at + 1..];
    if values.len() < 4 * channels * width * height {
        return Err(Error::corrupt("the PFM ends before its pixels do"));
    }
    let (values, _) = values.as_chunks::<4>();
    let value = |bytes: [u8; 4]| match is_little {
        true => f32::from_le_bytes(bytes),
        false => f32::from_be_bytes(bytes),
    };
    reduced(width, height, |y, row| {
        let from = &values[(height - 1 - y) * width * channels..][..width * channels];
        for (to, from) in row.iter_mut().zip(from.chunks_exact(channels)) {
            *to = match *from {
                [r, g, b] => [r, g, b].map(value),
                _ => [value(from[0]); 3],
            };
        }
    })
}

/// The picture whose rows `fill` gives, each once, from the top.
fn reduced(
    width: usize,
    height: usize,
    mut fill: impl FnMut(usize, &mut [[f32; 3]]),
) -> Result<TexturePicture> {
    let step = width.max(height).div_ceil(MOST_SIDE).max(1);
    let (columns, rows) = (width.div_ceil(step), height.div_ceil(step));
    let mut row = vec![[0.0; 3]; width];
    let mut pixels = Vec::with_capacity(columns * rows);
    for first in (0..height).step_by(step) {
        let mut sums = vec![[0.0f32; 3]; columns];
        let count = step.min(height - first);
        for y in first..first + count {
            fill(y, &mut row);
            for (sum, under) in sums.iter_mut().zip(row.chunks(step)) {
                for value in under {
                    // What is no number, or infinite, is black.
                    let finite = value.map(|v| if v.is_finite() { v } else { 0.0 });
                    *sum = [0, 1, 2].map(|i| sum[i] + finite[i]);
                }
            }
        }
        let of = |(column, sum): (usize, [f32; 3])| {
            let under = step.min(width - column * step) * count;
            sum.map(|sum| sum / under as f32)
        };
        pixels.extend(sums.into_iter().enumerate().map(of));
    }
    TexturePicture::new(columns, pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, bytes: &[u8], encoding: TextureEncoding) -> Result<TexturePicture> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        crate::write_bytes(&path, bytes).unwrap();
        read_texture(&path, encoding, &Limits::default(), &Work::serial())
    }

    fn written(format: ImageFormat) -> Vec<u8> {
        let codes = vec![255, 0, 51, 0, 102, 255];
        let image = image::RgbImage::from_raw(2, 1, codes).unwrap();
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(image).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn integers_become_light_by_their_encoding() {
        for (name, format) in
            [("a.png", ImageFormat::Png), ("a.tga", ImageFormat::Tga), ("a.QOI", ImageFormat::Qoi)]
        {
            let bytes = written(format);
            let linear = picture(name, &bytes, TextureEncoding::Linear).unwrap();
            let expected = vec![[1.0, 0.0, 0.2], [0.0, 0.4, 1.0]];
            assert_eq!(linear, TexturePicture::new(2, expected).unwrap(), "{name}");
            let squared = picture(name, &bytes, TextureEncoding::Gamma(2.0)).unwrap();
            let expected = vec![[1.0, 0.0, 0.2f32.powf(2.0)], [0.0, 0.4f32.powf(2.0), 1.0]];
            assert_eq!(squared, TexturePicture::new(2, expected).unwrap(), "{name}");
            // IEC 61966-2-1: ((0.2 + 0.055) / 1.055) ^ 2.4 and the same of 0.4.
            let curved = picture(name, &bytes, TextureEncoding::Srgb).unwrap();
            let expected = vec![[1.0, 0.0, srgb::to_linear(0.2)], [0.0, srgb::to_linear(0.4), 1.0]];
            assert!((srgb::to_linear(0.2) - 0.033_104_77).abs() < 1e-6);
            assert_eq!(curved, TexturePicture::new(2, expected).unwrap(), "{name}");
        }
    }

    #[test]
    fn floats_are_light_whatever_the_encoding() {
        let values = vec![4.0, 0.5, 0.25, 0.5];
        let image = image::ImageBuffer::from_raw(1, 1, values).unwrap();
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgba32F(image).write_to(&mut bytes, ImageFormat::Tiff).unwrap();
        let found = picture("a.tif", bytes.get_ref(), TextureEncoding::Srgb).unwrap();
        assert_eq!(found, TexturePicture::new(1, vec![[4.0, 0.5, 0.25]]).unwrap());
    }

    #[test]
    fn float_maps_begin_at_the_bottom() {
        let values = [0.5f32, 2.0, 4.0, 8.0];
        let little = values.iter().flat_map(|v| v.to_le_bytes());
        let grey: Vec<u8> = b"Pf\n1 4\n-1.0\n".iter().copied().chain(little).collect();
        let found = picture("a.pfm", &grey, TextureEncoding::Srgb).unwrap();
        let expected = [8.0, 4.0, 2.0, 0.5].map(|v| [v; 3]).to_vec();
        assert_eq!(found, TexturePicture::new(1, expected).unwrap());
        let big = [0.5f32, 2.0, 4.0].iter().flat_map(|v| v.to_be_bytes());
        let color: Vec<u8> = b"PF 1 1 1\n".iter().copied().chain(big).collect();
        let found = picture("a.pfm", &color, TextureEncoding::Srgb).unwrap();
        assert_eq!(found, TexturePicture::new(1, vec![[0.5, 2.0, 4.0]]).unwrap());
        for wrong in
            [&grey[..20], b"PF", b"PF 1 1", b"PF 0 9 1\n", b"PF 99999999 2 1\n", b"PF x 1 1\n"]
        {
            assert!(picture("a.pfm", wrong, TextureEncoding::Srgb).is_err());
        }
    }

    #[test]
    fn large_pictures_become_means() {
        // 1,100 columns: steps of 3, the last of 2.
        let found = reduced(1100, 4, |y, row| {
            for (x, value) in row.iter_mut().enumerate() {
                *value = [x as f32, y as f32, f32::NAN];
            }
        });
        let column = |i: usize| if i == 366 { 1098.5 } else { 3.0 * i as f32 + 1.0 };
        let row = |y: f32| (0..367).map(move |i| [column(i), y, 0.0]);
        let expected = TexturePicture::new(367, row(1.0).chain(row(3.0)).collect()).unwrap();
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn what_is_no_picture_is_an_error_with_its_path() {
        let bytes = written(ImageFormat::Png);
        for (name, bytes) in [("a.png", &bytes[..40]), ("a.xyz", b"nothing"), ("a.tga", b"")] {
            let error = picture(name, bytes, TextureEncoding::Srgb).unwrap_err();
            assert!(error.path().is_some_and(|path| path.ends_with(name)), "{error}");
        }
    }
}
