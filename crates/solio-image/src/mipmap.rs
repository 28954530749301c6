//! Levels of detail of flat images, as textures have them.

use crate::edit::{check_fits, floats, refresh};
use crate::is_id;
use crate::resize::{Filtered, Taps, filtered, is_depth, nearest};
use half::f16;
use solio_base::{Error, Limits, Result, Work};
use solio_exr::header::{Box2i, Kind, LevelMode, Part, Rounding, Tiles, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::borrow::Cow;

/// Gives all parts tiles of `tile` columns and rows, and levels of detail: each has half the columns and
/// rows of the one before, rounded down, to the last of one pixel. A pixel of an even side is the mean of
/// two, of an odd one what lies at its centre between them; ids, depth and integers take the nearest pixel.
/// Levels that are there are made anew. That is what `maketx` makes of an image with its defaults.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::model::Pixels;
/// use solio_image::{gradient_image, mipmap};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let mut image = gradient_image(&map, [8, 4])?;
/// mipmap(&mut image, [64, 64], &Default::default(), &Work::serial())?;
/// let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
/// let sizes: Vec<u64> = levels.iter().map(|level| level.window.width()).collect();
/// assert_eq!(sizes, [8, 4, 2, 1]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` for deep parts and channels with fewer samples than pixels, `Limit`, and `Cancelled`.
pub fn mipmap(image: &mut Image<'_>, tile: [u32; 2], limits: &Limits, work: &Work) -> Result<()> {
    for part in &mut image.parts {
        let bytes = level_bytes(part)?;
        // All further levels together have a third of the pixels.
        check_fits("the image with its levels", bytes.saturating_add(bytes / 3), limits)?;
        levels_of(part, work)?;
        let [width, height] = tile;
        let (levels, rounding) = (LevelMode::Mipmap, Rounding::Down);
        let tiles = Tiles { width, height, levels, rounding };
        part.header.set("tiles", Value::Tiles(tiles));
        part.header.set_kind(Kind::Tiled);
        refresh(part)?;
    }
    Ok(())
}

/// The bytes of the full size, where it can have levels.
fn level_bytes(part: &ImagePart<'_>) -> Result<u64> {
    let Pixels::Flat(levels) = &part.pixels else {
        let error = Error::unsupported("a deep image has no single sample to make levels of");
        return Err(error.hint("make it flat before: --flatten"));
    };
    let planes = levels.first().map(|level| &level.planes[..]).unwrap_or_default();
    let subsampled =
        |plane: &&Plane<'_>| (plane.channel.x_sampling, plane.channel.y_sampling) != (1, 1);
    if let Some(plane) = planes.iter().find(subsampled) {
        let message = format!("channel {:?} has fewer samples than pixels", plane.channel.name);
        return Err(Error::unsupported(message).hint("tiles need a sample in every pixel"));
    }
    Ok(planes.iter().map(|plane| plane.samples.as_bytes().len() as u64).sum())
}

fn levels_of(part: &mut ImagePart<'_>, work: &Work) -> Result<()> {
    let header = part.header.clone();
    let Pixels::Flat(levels) = &mut part.pixels else { return Ok(()) };
    levels.truncate(1);
    let Some(full) = levels.first() else { return Ok(()) };
    let whole = full.window;
    let mut planes: Vec<Halved> =
        full.planes.iter().map(|plane| Halved::of(&header, plane)).collect();
    let mut size = [whole.width() as usize, whole.height() as usize];
    for number in 1.. {
        if size == [1, 1] {
            break;
        }
        let next = size.map(|side| (side / 2).max(1));
        let [across, down] = [0, 1].map(|i| halves(size[i], next[i]));
        let [near_across, near_down] = [0, 1].map(|i| near(size[i], next[i]));
        let mut of_level = Vec::with_capacity(planes.len());
        for (halved, plane) in planes.iter_mut().zip(&levels[0].planes) {
            let Plane { channel, samples } = plane;
            let previous = &levels[number - 1].planes[of_level.len()].samples;
            let (width, is_first) = (size[0], number == 1);
            let samples = match halved {
                Halved::Near => match previous {
                    Samples::Uint(from) => {
                        Samples::Uint(nearest(from, width, &near_across, &near_down, work)?.into())
                    }
                    Samples::Half(from) => {
                        Samples::Half(nearest(from, width, &near_across, &near_down, work)?.into())
                    }
                    Samples::Float(from) => {
                        Samples::Float(nearest(from, width, &near_across, &near_down, work)?.into())
                    }
                },
                Halved::Mean(kept) => {
                    if is_first {
                        *kept = floats(samples);
                    }
                    // Rounded once a level, not once for each level above.
                    *kept = filtered(kept, width, &across, &down, work)?;
                    stored(kept, channel)
                }
            };
            of_level.push(Plane { channel: channel.clone(), samples });
        }
        size = next;
        let [left, top] = whole.min;
        let max = [left + (size[0] - 1) as i32, top + (size[1] - 1) as i32];
        let window = Box2i { min: whole.min, max };
        levels.push(FlatLevel { x: number as u32, y: number as u32, window, planes: of_level });
    }
    Ok(())
}

/// A channel on its way down.
enum Halved {
    Near,
    /// The samples of the last level, in full precision.
    Mean(Vec<f32>),
}

impl Halved {
    fn of(header: &Part, plane: &Plane<'_>) -> Halved {
        let (name, pixel_type) = (&plane.channel.name, plane.channel.pixel_type);
        match pixel_type == PixelType::Uint || is_id(header, name) || is_depth(header, name) {
            true => Halved::Near,
            false => Halved::Mean(Vec::new()),
        }
    }
}

fn stored(values: &[f32], channel: &Channel) -> Samples<'static> {
    if channel.pixel_type == PixelType::Half {
        let mut narrow = vec![f16::default(); values.len()];
        f16::narrow(values, &mut narrow);
        return Samples::Half(Cow::Owned(narrow));
    }
    Samples::Float(Cow::Owned(values.to_vec()))
}

/// Linear interpolation at the centres of half as many pixels.
fn halves(before: usize, after: usize) -> Taps {
    let ratio = before as f64 / after as f64;
    let tap = |sample: usize| {
        let centre = ((sample as f64 + 0.5) * ratio - 0.5).clamp(0.0, (before - 1) as f64);
        let first = centre.floor();
        let part = centre - first;
        (first as usize, [1.0 - part, part].map(|weight| weight as f32))
    };
    Taps::of_pairs((0..after).map(tap))
}

fn near(before: usize, after: usize) -> Vec<Option<usize>> {
    (0..after).map(|sample| Some((2 * sample + 1) * before / (2 * after))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;

    fn image(size: [u32; 2], channels: &[(&str, PixelType)]) -> Image<'static> {
        let window = Box2i { min: [5, -3], max: [4 + size[0] as i32, size[1] as i32 - 4] };
        let count = size[0] * size[1];
        let value = |i: u32| (i.wrapping_mul(0x9e37_79b1) >> 20) as f32 / 4096.0;
        let plane = |(name, pixel_type): &(&str, PixelType)| {
            let samples = match pixel_type {
                PixelType::Uint => Samples::Uint((0..count).collect::<Vec<_>>().into()),
                _ => {
                    let values: Vec<f32> = (0..count).map(value).collect();
                    Samples::Float(values.into()).converted(*pixel_type).unwrap()
                }
            };
            Plane { channel: Channel::new(*name, *pixel_type), samples }
        };
        let planes: Vec<Plane<'static>> = channels.iter().map(plane).collect();
        let of = planes.iter().map(|plane| plane.channel.clone()).collect();
        let header = Part::new(window, Compression::Zip, of);
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    #[test]
    fn levels_are_means_or_what_lies_between() {
        let mut image = image([5, 4], &[("R", PixelType::Float), ("id", PixelType::Uint)]);
        mipmap(&mut image, [16, 16], &Limits::default(), &Work::serial()).unwrap();
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
        let sizes: Vec<[u64; 2]> =
            levels.iter().map(|level| [level.window.width(), level.window.height()]).collect();
        assert_eq!(sizes, [[5, 4], [2, 2], [1, 1]]);
        let values = |level: usize| match &levels[level].planes[0].samples {
            Samples::Float(values) => values.to_vec(),
            _ => panic!("they are floats"),
        };
        let (full, half) = (values(0), values(1));
        // The centre of the first of two pixels for five lies at 0.75.
        let between = |row: usize| 0.25 * full[5 * row] + 0.75 * full[5 * row + 1];
        assert!((half[0] - 0.5 * (between(0) + between(1))).abs() < 1e-6);
        let mean = half.iter().sum::<f32>() / 4.0;
        assert!((values(2)[0] - mean).abs() < 1e-6);
        let Samples::Uint(ids) = &levels[1].planes[1].samples else { panic!() };
        assert_eq!(**ids, [6, 8, 16, 18]);
        // And it is a file.
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(&image, &Default::default(), &mut bytes, &Work::serial()).unwrap();
        let options =
            solio_exr::ReadOptions { levels: solio_exr::Levels::All, ..Default::default() };
        let again = solio_exr::decode_exr(&bytes, &options, &Work::serial()).unwrap();
        assert_eq!(again.parts[0].pixels, image.parts[0].pixels);
    }

    #[test]
    fn one_pixel_has_one_level_and_narrow_images_go_on() {
        for (size, count) in [([1, 1], 1), ([1, 9], 4), ([64, 1], 7)] {
            let mut image = image(size, &[("Y", PixelType::Half)]);
            mipmap(&mut image, [64, 64], &Limits::default(), &Work::serial()).unwrap();
            mipmap(&mut image, [64, 64], &Limits::default(), &Work::serial()).unwrap();
            let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
            assert_eq!(levels.len(), count, "{size:?}");
        }
    }

    #[test]
    fn too_large_and_subsampled_is_refused() {
        let mut large = image([64, 64], &[("Y", PixelType::Half)]);
        let limits = Limits { bytes: 1 << 12, ..Limits::default() };
        assert!(mipmap(&mut large, [64, 64], &limits, &Work::serial()).is_err());
        let Pixels::Flat(levels) = &mut large.parts[0].pixels else { panic!() };
        levels[0].planes[0].channel.x_sampling = 2;
        assert!(mipmap(&mut large, [64, 64], &Limits::default(), &Work::serial()).is_err());
    }
}
