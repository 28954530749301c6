//! What methods of compression with loss do to light that they are not made for: values that are
//! infinite, or nearly so, or nearly 0, and ids.
//!
//! Counted is what really happens: rows in which it can are packed and unpacked again. Rows of ordinary
//! light are only looked through.

use crate::cryptomatte::is_id;
use half::f16;
use solio_base::{Limits, Loss, Losses, Result, Work};
use solio_exr::header::{Box2i, LevelMode, Part, Tiles, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Compression, Layout, PixelType, ReadOptions, WriteOptions};
use std::borrow::Cow;

/// Rows that are packed at once: whole chunks of every method.
const BAND_ROWS: usize = 256;
/// Samples of 16 bits below are those that blocks of bright ones round to 0.
const SMALLEST: f32 = 1.0 / 16384.0;
/// The level of DWAA and DWAB where nobody says another.
const DWA_LEVEL: f32 = 45.0;

/// Whether the method is one that does not give every bit of every type back.
///
/// ```
/// use solio_exr::Compression;
/// assert!(solio_image::losses::is_lossy(Compression::B44a));
/// assert!(!solio_image::losses::is_lossy(Compression::Zstd));
/// ```
pub fn is_lossy(method: Compression) -> bool {
    use Compression::{B44, B44a, Dwaa, Dwab, Lj2k, Pxr24};
    matches!(method, B44 | B44a | Dwaa | Dwab | Lj2k | Pxr24)
}

/// Samples that a method changes for the worse.
#[derive(Clone, Copy, Default)]
struct Changed {
    /// Finite ones that become infinite.
    infinite: u64,
    /// Infinite ones that become finite, and those of them that become 0.
    finite: u64,
    zero: u64,
    /// Finite ones that are not 0 and become it.
    lost: u64,
    /// Those that become NaN, and NaN that becomes a number.
    nan: u64,
    number: u64,
    ids: u64,
}

/// What is lost where `image` is written with `options`.
///
/// # Errors
/// Those of writing.
pub fn of_compression(
    image: &Image<'_>,
    options: &WriteOptions,
    limits: &Limits,
    work: &Work,
) -> Result<Losses> {
    let mut losses = Losses::default();
    for part in &image.parts {
        let own = match part.header.get("compression") {
            Some(Value::Compression(method)) => Some(*method),
            _ => None,
        };
        let method = options.compression.or(own).unwrap_or(Compression::Zip);
        let Pixels::Flat(levels) = &part.pixels else { continue };
        match method {
            Compression::Pxr24 => of_pxr24(&mut losses, part, levels),
            method if is_lossy(method) => {
                let level = options.level.or_else(|| dwa_level(&part.header, method));
                for plane in levels {
                    let changed = of_level(part, plane, (method, level), limits, work)?;
                    tell(&mut losses, method, &changed);
                }
            }
            _ => {}
        }
    }
    Ok(losses)
}

fn dwa_level(part: &Part, method: Compression) -> Option<f32> {
    match part.get("dwaCompressionLevel") {
        Some(Value::Float(level)) if method != Compression::Lj2k => Some(*level),
        _ => None,
    }
}

/// PXR24 rounds floats to 24 bits: the lowest eight are 0 afterwards. Infinities stay.
fn of_pxr24(losses: &mut Losses, part: &ImagePart<'_>, levels: &[FlatLevel<'_>]) {
    for plane in levels.iter().flat_map(|level| &level.planes) {
        let Samples::Float(values) = &plane.samples else { continue };
        let is_rounded = |value: &&f32| value.is_finite() && value.to_bits() & 0xff != 0;
        let count = values.iter().filter(is_rounded).count() as u64;
        if count == 0 {
            continue;
        }
        let name = plane.channel.name.as_str();
        // Half of the last bit that stays is rounded up.
        let is_lost = |value: &&f32| (1..0x80).contains(&(value.to_bits() & 0x7fff_ffff));
        let lost = values.iter().filter(is_lost).count();
        losses.add_some("range", "PXR24 makes finite samples 0", lost, "sample");
        let loss = match is_id(&part.header, name) {
            true => Loss::new("ids", "PXR24 changes ids: they name something else"),
            false => Loss::new("bit_depth", "PXR24 rounds 32-bit samples to 24 bits"),
        };
        losses.add(loss.count(count, "sample").example(name));
    }
}

fn tell(losses: &mut Losses, method: Compression, changed: &Changed) {
    let name = method.name().to_uppercase();
    let mut add = |what, count: u64, reason: &str| {
        if count > 0 {
            losses.add(Loss::new(what, format!("{name} {reason}")).count(count, "sample"));
        }
    };
    add("range", changed.infinite, "makes finite samples infinite");
    add("range", changed.finite, "makes infinite samples finite");
    add("range", changed.zero, "makes infinite samples 0");
    add("range", changed.lost, "makes finite samples 0");
    add("range", changed.nan, "makes samples NaN");
    add("range", changed.number, "makes numbers of NaN");
    add("ids", changed.ids, "changes ids: they name something else");
}

/// What becomes of the rows of a level in which something may.
fn of_level(
    part: &ImagePart<'_>,
    level: &FlatLevel<'_>,
    (method, quality): (Compression, Option<f32>),
    limits: &Limits,
    work: &Work,
) -> Result<Changed> {
    let mut changed = Changed::default();
    // Subsampled channels have rows of their own: they go all at once.
    let is_plain = level
        .planes
        .iter()
        .all(|plane| plane.channel.x_sampling == 1 && plane.channel.y_sampling == 1);
    let (rows, across) = (level.window.height() as usize, level.window.width() as usize);
    // Samples of a row, where all channels have as many.
    let (mut step, mut row) = (rows.max(1), None);
    let tiles = match part.header.get("tiles") {
        Some(Value::Tiles(tiles)) => Some(*tiles),
        _ => None,
    };
    if is_plain {
        let height = tiles.map_or(1, |tiles| tiles.height as usize).max(1);
        step = BAND_ROWS.next_multiple_of(height);
        row = Some(across);
    }
    let of_dwa = quality.unwrap_or(DWA_LEVEL).max(0.0);
    let limits_of_method = match method {
        // Its curve goes as far as samples do.
        Compression::Lj2k => [SMALLEST, f32::INFINITY],
        // Samples are packed by their logarithm, in steps of so many parts.
        Compression::Dwaa | Compression::Dwab => {
            let step = (1e-4 * of_dwa).powf(2.2);
            [SMALLEST.max(step), 65504.0 / (0.05 * of_dwa).exp()]
        }
        _ => [SMALLEST, 65504.0 / (0.05 * of_dwa).exp()],
    };
    for first in (0..rows).step_by(step) {
        work.cancel.check()?;
        let end = (first + step).min(rows);
        let band = |samples: &Samples<'_>| match row {
            None => 0..samples.len(),
            Some(across) => first * across..end * across,
        };
        let is_risky = level.planes.iter().any(|plane| {
            let is_id = is_id(&part.header, &plane.channel.name);
            may_change(&plane.samples, band(&plane.samples), limits_of_method, is_id, method)
        });
        if !is_risky {
            continue;
        }
        let window = match row {
            None => level.window,
            Some(_) => Box2i {
                min: [level.window.min[0], level.window.min[1] + first as i32],
                max: [level.window.max[0], level.window.min[1] + end as i32 - 1],
            },
        };
        let planes = level.planes.iter().map(|plane| Plane {
            channel: plane.channel.clone(),
            samples: cut(&plane.samples, band(&plane.samples)),
        });
        let planes: Vec<Plane<'_>> = planes.collect();
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        let header = Part::new(window, method, channels);
        let layout = match tiles {
            Some(tiles) => Layout::Tiles(Tiles { levels: LevelMode::One, ..tiles }),
            None => Layout::Scanlines,
        };
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        let rows = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
        let options = WriteOptions { layout, level: quality, ..WriteOptions::default() };
        compare(&rows, &part.header, &options, &mut changed, limits, work)?;
    }
    Ok(changed)
}

/// Packs, unpacks and compares.
fn compare(
    rows: &Image<'_>,
    header: &Part,
    options: &WriteOptions,
    changed: &mut Changed,
    limits: &Limits,
    work: &Work,
) -> Result<()> {
    let mut bytes: Vec<u8> = Vec::new();
    let uncounted = Work { progress: Default::default(), ..work.clone() };
    solio_exr::encode_exr(rows, options, &mut bytes, &uncounted)?;
    let read = ReadOptions { limits: *limits, ..ReadOptions::default() };
    let again = solio_exr::decode_exr(&bytes, &read, &uncounted)?;
    let [before, after] = [rows, &again].map(|image| match &image.parts[0].pixels {
        Pixels::Flat(levels) => &levels[0].planes[..],
        Pixels::Deep(_) => &[],
    });
    for (before, after) in before.iter().zip(after) {
        if before.channel.pixel_type == PixelType::Uint {
            continue;
        }
        let is_id = is_id(header, &before.channel.name);
        let float = |samples: &Samples<'_>| samples.converted(PixelType::Float);
        let (Samples::Float(old), Samples::Float(new)) =
            (float(&before.samples)?, float(&after.samples)?)
        else {
            continue;
        };
        for (old, new) in old.iter().zip(new.iter()) {
            changed.infinite += u64::from(old.is_finite() && new.is_infinite());
            changed.finite += u64::from(old.is_infinite() && new.is_finite() && *new != 0.0);
            changed.zero += u64::from(old.is_infinite() && *new == 0.0);
            changed.lost += u64::from(old.is_finite() && *old != 0.0 && *new == 0.0);
            changed.nan += u64::from(!old.is_nan() && new.is_nan());
            changed.number += u64::from(old.is_nan() && !new.is_nan());
            changed.ids += u64::from(is_id && old.to_bits() != new.to_bits());
        }
    }
    Ok(())
}

/// Whether values are infinite, none, ids, so large that errors make them infinite, or so small that they
/// become 0: those at or above the second limit, and those below the first but for 0.
fn may_change(
    samples: &Samples<'_>,
    band: std::ops::Range<usize>,
    [small, large]: [f32; 2],
    is_id: bool,
    method: Compression,
) -> bool {
    // Bits without their sign are in the order of the numbers; NaN comes last, and what is below 0 as well
    // when 1 is taken off. Without branches inside a chunk, so that these are vector loops.
    match samples {
        Samples::Uint(_) => false,
        Samples::Half(values) => {
            let least = |limit: f32| {
                let nearest = f16::from_f32(limit);
                nearest.to_bits() + u16::from(nearest.to_f32() < limit)
            };
            let [small, large] = [least(small).saturating_sub(1), least(large)];
            let some = |values: &[f16]| {
                values.iter().fold(false, |some, value| {
                    let bits = value.to_bits() & 0x7fff;
                    some | (bits >= large) | (bits.wrapping_sub(1) < small)
                })
            };
            is_id || values[band].chunks(1024).any(some)
        }
        // Other methods leave 32-bit samples as they are.
        Samples::Float(_) if matches!(method, Compression::B44 | Compression::B44a) => false,
        Samples::Float(values) => {
            let [small, large] = [small.to_bits().saturating_sub(1), large.to_bits()];
            let some = |values: &[f32]| {
                values.iter().fold(false, |some, value| {
                    let bits = value.to_bits() & 0x7fff_ffff;
                    some | (bits >= large) | (bits.wrapping_sub(1) < small)
                })
            };
            is_id || values[band].chunks(1024).any(some)
        }
    }
}

fn cut<'s>(samples: &'s Samples<'_>, band: std::ops::Range<usize>) -> Samples<'s> {
    match samples {
        Samples::Uint(values) => Samples::Uint(Cow::Borrowed(&values[band])),
        Samples::Half(values) => Samples::Half(Cow::Borrowed(&values[band])),
        Samples::Float(values) => Samples::Float(Cow::Borrowed(&values[band])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Channel;

    #[test]
    fn what_may_change_is_what_reaches_the_limit() {
        let samples = [0.0, 1.0, -1.0, 65504.0, f32::INFINITY, -f32::INFINITY, f32::NAN, -f32::NAN];
        for limit in [0.0, 6.1e-5, 0.3, 1.0, 1000.3, 6904.1, 65504.0] {
            let near = f16::from_f32(limit);
            let beside = [-1, 0, 1]
                .map(|by| f16::from_bits(near.to_bits().saturating_add_signed(by)).to_f32());
            for value in samples.into_iter().chain(beside).chain([limit.next_up()]) {
                let float = Samples::Float(vec![value].into());
                let half = Samples::Half(vec![f16::from_f32(value)].into());
                for (samples, value) in [(float, value), (half, f16::from_f32(value).to_f32())] {
                    let is_large = value.is_nan() || value.abs() >= limit;
                    let is_small = value != 0.0 && value.abs() < limit;
                    let nothing = f32::INFINITY;
                    let found =
                        |limits| may_change(&samples, 0..1, limits, false, Compression::Dwaa);
                    // Of both limits one at a time; NaN is always at risk.
                    assert_eq!(found([0.0, limit]), is_large, "{value} {limit}");
                    let is_open = value.is_nan() || value.is_infinite();
                    assert_eq!(found([limit, nothing]), is_small || is_open, "{value} {limit}");
                }
            }
        }
    }

    /// An image of dim light with a sun in it, a lamp that is infinite, and a pixel that is none.
    fn sun(pixel_type: PixelType, name: &str) -> Image<'static> {
        let window = Box2i::of_size(64, 600);
        let value = |at: usize| match (at % 64, at / 64) {
            (20..24, 420..424) => 65504.0,
            (40..42, 40..42) => f32::INFINITY,
            (50, 500) => f32::NAN,
            // Dust beside light, and of a few bits alone.
            (30, 100) => 3e-8,
            (31, 100) => 1e-43,
            _ => 0.01,
        };
        let samples = Samples::Float((0..64 * 600).map(value).collect::<Vec<_>>().into());
        let samples = samples.converted(pixel_type).unwrap();
        let channel = Channel::new(name, pixel_type);
        let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
        let planes = vec![Plane { channel, samples }];
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    fn lost(image: &Image<'_>, method: Compression, level: Option<f32>) -> Losses {
        let options = WriteOptions { compression: Some(method), level, ..WriteOptions::default() };
        of_compression(image, &options, &Limits::default(), &Work::serial()).unwrap()
    }

    /// What comes back of the whole file that is written.
    fn in_truth(image: &Image<'_>, method: Compression, level: Option<f32>) -> [u64; 4] {
        let options = WriteOptions { compression: Some(method), level, ..WriteOptions::default() };
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(image, &options, &mut bytes, &Work::serial()).unwrap();
        let again = solio_exr::decode_exr(&bytes, &Default::default(), &Work::serial()).unwrap();
        let [old, new] = [image, &again].map(|image| {
            let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
            match levels[0].planes[0].samples.converted(PixelType::Float).unwrap() {
                Samples::Float(values) => values.into_owned(),
                _ => panic!(),
            }
        });
        let pairs = || old.iter().zip(&new);
        [
            pairs().filter(|(a, b)| a.is_finite() && b.is_infinite()).count() as u64,
            pairs().filter(|(a, b)| a.is_infinite() && b.is_finite() && **b != 0.0).count() as u64,
            pairs().filter(|(a, b)| a.is_infinite() && **b == 0.0).count() as u64,
            pairs().filter(|(a, b)| a.is_finite() && **a != 0.0 && **b == 0.0).count() as u64,
        ]
    }

    #[test]
    fn what_becomes_infinite_or_finite_is_counted() {
        let reasons = [
            "makes finite samples infinite",
            "makes infinite samples finite",
            "makes infinite samples 0",
            "makes finite samples 0",
        ];
        let mut found = [0; 4];
        for pixel_type in [PixelType::Half, PixelType::Float] {
            let image = sun(pixel_type, "R");
            for (method, level) in [
                (Compression::Dwaa, Some(90.0)),
                (Compression::Dwab, None),
                (Compression::Dwaa, Some(2000.0)),
                (Compression::B44, None),
                (Compression::B44a, None),
                (Compression::Pxr24, None),
                (Compression::Zip, None),
            ] {
                let (losses, truth) =
                    (lost(&image, method, level), in_truth(&image, method, level));
                for ((reason, count), found) in reasons.iter().zip(truth).zip(&mut found) {
                    let told = losses.iter().find(|loss| loss.reason.ends_with(reason));
                    let told = told.and_then(|loss| loss.amount).map_or(0, |(count, _)| count);
                    assert_eq!(told, count, "{method:?} {level:?} {pixel_type:?} {reason}");
                    *found += count;
                }
            }
        }
        assert!(found.iter().all(|count| *count > 0), "{found:?}");
    }

    #[test]
    fn ordinary_light_is_not_told_of_and_ids_are() {
        let grey = |name: &str, value: f32| {
            let mut image = sun(PixelType::Float, name);
            let Pixels::Flat(levels) = &mut image.parts[0].pixels else { panic!() };
            levels[0].planes[0].samples = Samples::Float(vec![value; 64 * 600].into());
            image
        };
        assert!(lost(&grey("R", 0.5), Compression::Dwaa, None).is_empty());
        assert!(lost(&grey("crypto00.R", 0.123_456_7), Compression::Zip, None).is_empty());
        for method in [Compression::Dwaa, Compression::Pxr24] {
            let told = lost(&grey("crypto00.R", 0.123_456_7), method, None);
            let ids = told.iter().find(|loss| loss.what == "ids").unwrap();
            assert_eq!(ids.amount, Some((64 * 600, "sample")), "{method:?}");
        }
    }
}
