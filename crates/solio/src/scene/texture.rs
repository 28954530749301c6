//! Pictures of textures, as a preview and what bakes textures need them: linear light, and not larger than
//! they ask for.

use image::{DynamicImage, ImageFormat, ImageReader};
use solio_base::{Error, Limits, Result, Work};
use solio_color::srgb;
use solio_exr::ReadOptions;
use solio_exr::header::MAGIC;
use solio_image::{Buffers, View};
use solio_scene::look::{
    EnvironmentMapping, LookPicture, TextureEncoding, TexturePicture, sky_direction, sky_place,
};
use std::io::Cursor;
use std::path::Path;

/// Most columns and rows that a preview keeps; larger pictures are made smaller by whole steps, each pixel
/// the mean of those under it.
pub(crate) const PREVIEW_SIDE: usize = 512;
/// Rows of a sky by longitude and latitude, at most.
const SKY_ROWS: usize = 1024;
/// Most columns and rows of a file.
const MOST_OF_FILE: u32 = 1 << 15;
/// Most bytes that a file takes as it is decoded.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes of a PFM's three lines.
const HEAD_BYTES: usize = 256;

/// How a picture is read.
#[derive(Clone, Copy)]
struct TextureReading {
    encoding: TextureEncoding,
    /// One number a pixel: alpha where there is one that is not 1 everywhere, else the mean.
    is_number: bool,
    most_side: usize,
}

/// Reads the picture at `path`: PNG, JPEG, TIFF, TGA, QOI, Radiance HDR, PFM or OpenEXR. Integers
/// become light by the encoding. Alpha counts in pictures that give numbers, as in pbrt.
pub(crate) fn read_texture(
    path: &Path,
    picture: &LookPicture,
    most_side: usize,
    limits: &Limits,
    work: &Work,
) -> Result<TexturePicture> {
    let LookPicture { encoding, is_number, .. } = *picture;
    read_as(path, TextureReading { encoding, is_number, most_side }, limits, work)
}

fn read_as(
    path: &Path,
    how: TextureReading,
    limits: &Limits,
    work: &Work,
) -> Result<TexturePicture> {
    let limits = Limits { bytes: limits.bytes.min(MOST_BYTES), ..*limits };
    let bytes = solio_io::read_whole(path, &limits, work)?;
    let read = || match &*bytes {
        [b'P', b'F' | b'f', b'\n' | b' ' | b'\r' | b'\t', ..] => pfm(&bytes, how),
        bytes if bytes.starts_with(&MAGIC) => exr(bytes, how, &limits, work),
        bytes => decoded(path, bytes, how, &limits),
    };
    read().map_err(|e: Error| e.at_path(path))
}

/// Reads the picture of a sky, and gives it by longitude and latitude.
pub(crate) fn read_sky(
    path: &Path,
    mapping: EnvironmentMapping,
    limits: &Limits,
    work: &Work,
) -> Result<TexturePicture> {
    let encoding = TextureEncoding::Srgb;
    let how = TextureReading { encoding, is_number: false, most_side: 4 * SKY_ROWS };
    let picture = read_as(path, how, limits, work)?;
    if mapping != EnvironmentMapping::EqualArea {
        return Ok(picture);
    }
    // As many pixels around the equator as the square has along its two sides together.
    let rows = picture.size()[1].clamp(1, SKY_ROWS);
    let columns = 2 * rows;
    // Some places of each pixel, so that small suns are not missed.
    let places = (2 * picture.size()[1]).div_ceil(rows).clamp(1, 4);
    let mut pixels = Vec::with_capacity(columns * rows);
    for y in 0..rows {
        for x in 0..columns {
            let mut sum = [0f32; 3];
            for i in 0..places * places {
                let part = |i: usize| (i as f64 + 0.5) / places as f64;
                let u = (x as f64 + part(i % places)) / columns as f64;
                let v = (y as f64 + part(i / places)) / rows as f64;
                let toward = sky_direction(u, v, EnvironmentMapping::LatLong);
                let [s, t] = sky_place(toward, mapping).map(|x| x as f32);
                let value = picture.nearest(s, t);
                sum = [0, 1, 2].map(|i| sum[i] + value[i]);
            }
            pixels.push(sum.map(|sum| sum / (places * places) as f32));
        }
    }
    TexturePicture::new(columns, pixels)
}

/// By the crate `image`.
fn decoded(
    path: &Path,
    bytes: &[u8],
    how: TextureReading,
    limits: &Limits,
) -> Result<TexturePicture> {
    let format = image::guess_format(bytes).or_else(|_| ImageFormat::from_path(path));
    let format = format.map_err(|_| Error::unsupported("this is no picture that is known"))?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut bounds = image::Limits::no_limits();
    bounds.max_alloc = Some(limits.bytes);
    (bounds.max_image_width, bounds.max_image_height) = (Some(MOST_OF_FILE), Some(MOST_OF_FILE));
    reader.limits(bounds);
    let mut picture = reader.decode().map_err(|e| match e {
        image::ImageError::Unsupported(_) => Error::unsupported(e.to_string()),
        image::ImageError::Limits(_) => Error::limit(e.to_string()),
        _ => Error::corrupt(e.to_string()),
    })?;
    if how.is_number && picture.color().has_alpha() {
        let alpha = picture.to_rgba16();
        let is_whole = alpha.pixels().all(|pixel| pixel.0[3] == u16::MAX);
        if !is_whole {
            let (width, height) = alpha.dimensions();
            let values = alpha.pixels().map(|pixel| pixel.0[3]).collect();
            let grey =
                image::ImageBuffer::<image::Luma<u16>, Vec<u16>>::from_raw(width, height, values);
            picture = DynamicImage::ImageLuma16(grey.unwrap_or_default());
        }
    }
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    match picture {
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
            let values = picture.into_rgb32f();
            let (pixels, _) = values.as_chunks::<3>();
            let fill = |y: usize, row: &mut [[f32; 3]]| {
                row.copy_from_slice(&pixels[y * width..][..width]);
            };
            reduced(width, height, how, fill)
        }
        DynamicImage::ImageLuma16(_)
        | DynamicImage::ImageLumaA16(_)
        | DynamicImage::ImageRgb16(_)
        | DynamicImage::ImageRgba16(_) => {
            let values = picture.into_rgb16();
            let table = table(1 << 16, how.encoding);
            let (pixels, _) = values.as_chunks::<3>();
            let fill = |y: usize, row: &mut [[f32; 3]]| {
                light(&pixels[y * width..][..width], &table, row);
            };
            reduced(width, height, how, fill)
        }
        picture => {
            let values = picture.into_rgb8();
            let table = table(1 << 8, how.encoding);
            let (pixels, _) = values.as_chunks::<3>();
            let fill = |y: usize, row: &mut [[f32; 3]]| {
                light(&pixels[y * width..][..width], &table, row);
            };
            reduced(width, height, how, fill)
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
fn exr(bytes: &[u8], how: TextureReading, limits: &Limits, work: &Work) -> Result<TexturePicture> {
    let options = ReadOptions { limits: *limits, ..ReadOptions::default() };
    let image = solio_exr::decode_exr(&bytes, &options, work)?;
    let view = View::of(&image, limits)?;
    let (mut out, mut buffers) = (vec![0.0; 4 * view.width()], Buffers::default());
    reduced(view.width(), view.height(), how, |y, row| {
        view.row(y, &mut out, &mut buffers);
        for (to, [r, g, b, _]) in row.iter_mut().zip(out.as_chunks::<4>().0) {
            *to = [*r, *g, *b];
        }
    })
}

/// A portable float map: `PF` or `Pf`, columns, rows, a scale whose sign tells the order of bytes;
/// then rows from the bottom. Source: Paul Debevec's description of the format.
fn pfm(bytes: &[u8], how: TextureReading) -> Result<TexturePicture> {
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
    reduced(width, height, how, |y, row| {
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
    how: TextureReading,
    mut fill: impl FnMut(usize, &mut [[f32; 3]]),
) -> Result<TexturePicture> {
    let step = width.max(height).div_ceil(how.most_side.max(1)).max(1);
    let (columns, rows) = (width.div_ceil(step), height.div_ceil(step));
    let mut row = vec![[0.0; 3]; width];
    let mut pixels = Vec::with_capacity(columns * rows);
    for first in (0..height).step_by(step) {
        let mut sums = vec![[0.0f32; 3]; columns];
        let count = step.min(height - first);
        for y in first..first + count {
            fill(y, &mut row);
            if how.is_number {
                row.iter_mut().for_each(|value| *value = [value.iter().sum::<f32>() / 3.0; 3]);
            }
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
    let made = TexturePicture::new(columns, pixels)?;
    Ok(if step > 1 { made.smaller() } else { made })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, bytes: &[u8], encoding: TextureEncoding) -> Result<TexturePicture> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        crate::write_bytes(&path, bytes).unwrap();
        let how = TextureReading { encoding, is_number: false, most_side: PREVIEW_SIDE };
        read_as(&path, how, &Limits::default(), &Work::serial())
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
        let how = TextureReading {
            encoding: TextureEncoding::Linear,
            is_number: false,
            most_side: PREVIEW_SIDE,
        };
        let found = reduced(1100, 4, how, |y, row| {
            for (x, value) in row.iter_mut().enumerate() {
                *value = [x as f32, y as f32, f32::NAN];
            }
        });
        let column = |i: usize| if i == 366 { 1098.5 } else { 3.0 * i as f32 + 1.0 };
        let row = |y: f32| (0..367).map(move |i| [column(i), y, 0.0]);
        let expected = TexturePicture::new(367, row(1.0).chain(row(3.0)).collect()).unwrap();
        assert_eq!(found.unwrap(), expected.smaller());
    }

    #[test]
    fn numbers_are_alpha_or_the_mean() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let how = TextureReading {
            encoding: TextureEncoding::Linear,
            is_number: true,
            most_side: PREVIEW_SIDE,
        };
        for (codes, expected) in [
            // Alpha where some of it is not whole, else the mean of the colours.
            ([255, 0, 51, 51, 0, 0, 0, 255], [0.2, 1.0]),
            ([255, 0, 51, 255, 0, 102, 0, 255], [0.4, 0.4 / 3.0]),
        ] {
            let image = image::RgbaImage::from_raw(2, 1, codes.to_vec()).unwrap();
            image.save(&path).unwrap();
            let found = read_as(&path, how, &Limits::default(), &Work::serial()).unwrap();
            let near = found.pixels().iter().zip(expected);
            assert!({ near }.all(|(a, b)| (a[0] - b).abs() < 1e-6 && a[0] == a[2]), "{found:?}");
        }
    }

    #[test]
    fn skies_by_equal_areas_become_longitude_and_latitude() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sky.png");
        // The middle of the square is up, its corners are down.
        let side = 64;
        let image = image::RgbImage::from_fn(side, side, |x, y| {
            let [_, _, z] = sky_direction(
                (f64::from(x) + 0.5) / f64::from(side),
                (f64::from(y) + 0.5) / f64::from(side),
                EnvironmentMapping::EqualArea,
            );
            image::Rgb(if z > 0.0 { [255, 0, 0] } else { [0, 0, 255] })
        });
        image.save(&path).unwrap();
        let (limits, work) = (Limits::default(), Work::serial());
        let sky = read_sky(&path, EnvironmentMapping::EqualArea, &limits, &work).unwrap();
        assert_eq!(sky.size(), [128, 64]);
        let row = |y: usize| &sky.pixels()[128 * y..128 * (y + 1)];
        assert!(row(20).iter().all(|pixel| *pixel == [1.0, 0.0, 0.0]));
        assert!(row(44).iter().all(|pixel| *pixel == [0.0, 0.0, 1.0]));
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
