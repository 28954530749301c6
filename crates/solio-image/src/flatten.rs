//! Deep images made flat: samples in the order of their depths, laid over each other.
//!
//! After "Interpreting OpenEXR Deep Pixels" (Peter Hillman, OpenEXR's documents): samples that reach through
//! a range of depths are cut where others begin and end, pieces of the same range are mixed, and what is
//! left is composited from front to back.

use crate::edit::{check_fits, floats, one_level, refresh};
use crate::is_id;
use crate::resize::is_depth;
use crate::rows;
use half::f16;
use solio_base::{Error, Limits, Result, Work};
use solio_exr::header::{Kind, Part};
use solio_exr::model::{DeepLevel, FlatLevel, Image, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::borrow::Cow;

/// The depth of a pixel in which there is nothing; 16 bits make infinity of it.
const NOTHING: f32 = 1e30;

/// Makes deep parts flat; others stay. Channels keep their names and types. A colour and all else that is
/// multiplied by alpha is composited by the alpha of its layer (`diffuse.A`, else `A`; `RA` or `AR` of `R`);
/// a part without alpha shows the nearest sample. Depth (`Z`), ids and integers are those of the nearest
/// sample, `ZBack` that of the farthest that is seen; where there is nothing they are 1e30 and 0.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::header::{Box2i, Kind, Part};
/// use solio_exr::model::{DeepLevel, Image, ImagePart, Pixels, Plane, Samples};
/// use solio_exr::{Channel, Compression, PixelType};
/// // A pixel with glass that lets half of the light through, before a wall.
/// let planes = [("A", [0.5, 1.0]), ("R", [0.1, 0.8]), ("Z", [1.0, 7.0])].map(|(name, values)| {
///     let channel = Channel::new(name, PixelType::Float);
///     Plane { channel, samples: Samples::Float(values.to_vec().into()) }
/// });
/// let window = Box2i::of_size(1, 1);
/// let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
/// let mut header = Part::new(window, Compression::Zips, channels);
/// header.set_kind(Kind::DeepScanline);
/// let level = DeepLevel { x: 0, y: 0, window, counts: vec![2].into(), planes: planes.into() };
/// let parts = vec![ImagePart { header, pixels: Pixels::Deep(vec![level]) }];
/// let mut image = Image { parts, missing: Vec::new() };
/// solio_image::flatten(&mut image, &Default::default(), &Work::serial())?;
/// let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
/// assert_eq!(levels[0].planes[1].samples, Samples::Float(vec![0.5].into()));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit`, and `Cancelled`.
pub fn flatten(image: &mut Image<'_>, limits: &Limits, work: &Work) -> Result<()> {
    for part in &mut image.parts {
        let Pixels::Deep(levels) = &mut part.pixels else { continue };
        levels.truncate(1);
        let Some(level) = levels.pop() else {
            return Err(Error::argument("the part has no pixels"));
        };
        let flat = flat_level(&level, &part.header, limits, work)?;
        drop(level);
        part.pixels = Pixels::Flat(vec![flat]);
        let kind = match part.header.kind().is_tiled() {
            true => Kind::Tiled,
            false => Kind::Scanline,
        };
        part.header.set_kind(kind);
        for name in ["maxSamplesPerPixel", "version"] {
            part.header.attributes.retain(|attribute| attribute.name != name);
        }
        one_level(part);
        refresh(part)?;
    }
    Ok(())
}

/// How the samples of a channel become one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Composited, by the alpha of this channel.
    Over(Option<usize>),
    /// That of the nearest sample.
    Front,
    /// That of the farthest sample that is seen.
    Back,
}

/// What is known of the channels of a part.
struct Channels {
    rules: Vec<Rule>,
    /// Where samples begin and end.
    front: Option<usize>,
    back: Option<usize>,
}

impl Channels {
    fn of(part: &Part, channels: &[Channel]) -> Channels {
        let place = |name: &str| channels.iter().position(|channel| channel.name == name);
        let is_back = |name: &str| {
            let last = name.rsplit('.').next().unwrap_or(name);
            last.eq_ignore_ascii_case("zback")
        };
        let alpha = |name: &str| {
            let (layer, last) = match name.rsplit_once('.') {
                Some((layer, last)) => (format!("{layer}."), last),
                None => (String::new(), name),
            };
            let own = [format!("{layer}A{last}"), format!("{layer}{last}A"), format!("{layer}A")];
            own.iter().find_map(|name| place(name)).or_else(|| place("A"))
        };
        let rule = |channel: &Channel| match &*channel.name {
            name if is_back(name) => Rule::Back,
            name if channel.pixel_type == PixelType::Uint
                || is_id(part, name)
                || is_depth(part, name) =>
            {
                Rule::Front
            }
            name if is_alpha(name) => Rule::Over(place(name)),
            name => Rule::Over(alpha(name)),
        };
        let named = |wanted: &str| {
            let is_it = |channel: &Channel| channel.name.eq_ignore_ascii_case(wanted);
            channels.iter().position(is_it)
        };
        let last_word = |wanted: &str| {
            let is_it = |channel: &Channel| {
                let last = channel.name.rsplit('.').next();
                last.is_some_and(|last| last.eq_ignore_ascii_case(wanted))
                    && (is_depth(part, &channel.name))
            };
            channels.iter().position(is_it)
        };
        Channels {
            rules: channels.iter().map(rule).collect(),
            front: named("Z").or_else(|| last_word("z")).or_else(|| last_word("depth")),
            back: named("ZBack").or_else(|| last_word("zback")),
        }
    }
}

/// `A`, `RA`, `AR` and the like, alone or in a layer.
fn is_alpha(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    ["A", "RA", "GA", "BA", "AR", "AG", "AB"].contains(&last)
}

/// A sample of a pixel, or a piece of one.
#[derive(Clone, Debug)]
struct Piece {
    front: f32,
    back: f32,
    /// Which sample of the image it is of.
    sample: usize,
    /// Its values, composited channels as they are in the piece; none where they are those of the sample.
    values: Vec<f32>,
}

impl Piece {
    fn value(&self, channel: usize, planes: &[Vec<f32>]) -> f32 {
        self.values.get(channel).copied().unwrap_or_else(|| planes[channel][self.sample])
    }
}

fn flat_level(
    level: &DeepLevel<'_>,
    part: &Part,
    limits: &Limits,
    work: &Work,
) -> Result<FlatLevel<'static>> {
    let channels: Vec<Channel> = level.planes.iter().map(|plane| plane.channel.clone()).collect();
    let known = Channels::of(part, &channels);
    let pixels = level.counts.len();
    let bytes = (pixels as u64).saturating_mul(8).saturating_mul(channels.len() as u64);
    check_fits("the flat image", bytes, limits)?;
    let total = level.planes.iter().map(|plane| plane.samples.len()).min().unwrap_or(0);
    let width = usize::try_from(level.window.width()).unwrap_or(1).max(1);
    let mut starts = Vec::with_capacity(pixels / width + 1);
    let mut start = 0usize;
    for (i, count) in level.counts.iter().enumerate() {
        if i % width == 0 {
            starts.push(start);
        }
        start = start.saturating_add(*count as usize);
    }
    if start > total && !channels.is_empty() {
        return Err(Error::corrupt(format!("{start} samples are counted, {total} are there")));
    }
    let planes: Vec<Vec<f32>> = level.planes.iter().map(|plane| floats(&plane.samples)).collect();
    // The bits of a row, channel by channel: integers are no floats.
    let per_row = width * channels.len();
    let mut bits = vec![0u32; per_row * (pixels / width)];
    let fill = |y: usize, row: &mut [u32], pieces: &mut Vec<Piece>| {
        let mut start = starts[y];
        for (x, count) in level.counts[y * width..][..width].iter().enumerate() {
            let samples = start..start + *count as usize;
            start = samples.end;
            let found = flat_pixel(&known, &planes, samples, pieces);
            for (channel, of_row) in row.chunks_exact_mut(width).enumerate() {
                of_row[x] = match (&level.planes[channel].samples, found.sample) {
                    (Samples::Uint(values), Some(sample)) => values[sample],
                    (Samples::Uint(_), None) => 0,
                    _ => found.values[channel].to_bits(),
                };
            }
        }
    };
    if per_row > 0 {
        rows::fill(work, &mut bits, per_row, Vec::new, fill)?;
    }
    let plane = |(i, channel): (usize, &Channel)| {
        let rows = bits.chunks_exact(per_row.max(1)).flat_map(|row| &row[i * width..][..width]);
        let samples = match channel.pixel_type {
            PixelType::Uint => Samples::Uint(Cow::Owned(rows.copied().collect())),
            PixelType::Float => Samples::Float(rows.map(|bits| f32::from_bits(*bits)).collect()),
            PixelType::Half => {
                Samples::Half(rows.map(|bits| f16::from_f32(f32::from_bits(*bits))).collect())
            }
        };
        Plane { channel: channel.clone(), samples }
    };
    let planes = channels.iter().enumerate().map(plane).collect();
    Ok(FlatLevel { x: 0, y: 0, window: level.window, planes })
}

/// A pixel of the flat image.
struct FlatPixel {
    values: Vec<f32>,
    /// The nearest sample, of which integers are.
    sample: Option<usize>,
}

fn flat_pixel(
    known: &Channels,
    planes: &[Vec<f32>],
    samples: std::ops::Range<usize>,
    pieces: &mut Vec<Piece>,
) -> FlatPixel {
    let nothing = |rule: &Rule, channel: usize| match rule {
        _ if Some(channel) == known.front || Some(channel) == known.back => NOTHING,
        Rule::Back => NOTHING,
        _ => 0.0,
    };
    let mut values: Vec<f32> =
        known.rules.iter().enumerate().map(|(i, rule)| nothing(rule, i)).collect();
    if samples.is_empty() {
        return FlatPixel { values, sample: None };
    }
    pieces.clear();
    for sample in samples {
        let front = known.front.map_or(0.0, |channel| planes[channel][sample]);
        let back = known.back.map_or(front, |channel| planes[channel][sample]);
        // What ends before it begins, or has no end, has no length.
        let back = if back > front { back } else { front };
        pieces.push(Piece { front, back, sample, values: Vec::new() });
    }
    // Of the same depth the order of the file stays; NaN comes last.
    pieces.sort_by(|a, b| a.front.total_cmp(&b.front));
    let overlap = pieces.windows(2).any(|pair| pair[1].front < pair[0].back);
    if overlap {
        *pieces = tidy(known, planes, std::mem::take(pieces));
    }
    let nearest = pieces[0].sample;
    let mut last = &pieces[0];
    let mut seen_through = vec![1f32; values.len()];
    values.iter_mut().zip(&known.rules).for_each(|(value, rule)| {
        if matches!(rule, Rule::Over(_)) {
            *value = 0.0;
        }
    });
    for piece in pieces.iter() {
        let mut seen = false;
        for (channel, rule) in known.rules.iter().enumerate() {
            let Rule::Over(alpha) = rule else { continue };
            let through = &mut seen_through[channel];
            if *through <= 0.0 {
                continue;
            }
            seen = true;
            values[channel] += *through * piece.value(channel, planes);
            // Without alpha nothing is seen through.
            let alpha = alpha.map_or(1.0, |alpha| piece.value(alpha, planes));
            *through *= 1.0 - alpha.clamp(0.0, 1.0);
        }
        if !seen {
            break;
        }
        last = piece;
    }
    for (channel, rule) in known.rules.iter().enumerate() {
        match rule {
            Rule::Front => values[channel] = planes[channel][nearest],
            Rule::Back => values[channel] = planes[channel][last.sample],
            Rule::Over(_) => {}
        }
    }
    FlatPixel { values, sample: Some(nearest) }
}

/// Pieces that do not reach into each other, from front to back.
fn tidy(known: &Channels, planes: &[Vec<f32>], samples: Vec<Piece>) -> Vec<Piece> {
    let mut cuts: Vec<f32> = samples.iter().flat_map(|piece| [piece.front, piece.back]).collect();
    cuts.retain(|cut| !cut.is_nan());
    cuts.sort_by(f32::total_cmp);
    cuts.dedup();
    let mut pieces: Vec<Piece> = Vec::new();
    for sample in samples {
        let inside = cuts.iter().filter(|cut| **cut > sample.front && **cut < sample.back);
        let mut ends: Vec<f32> = inside.copied().collect();
        ends.push(sample.back);
        let length = f64::from(sample.back) - f64::from(sample.front);
        let whole: Vec<f32> = planes.iter().map(|plane| plane[sample.sample]).collect();
        let mut front = sample.front;
        for back in ends {
            let part = (f64::from(back) - f64::from(front)) / length;
            let values = match part.is_finite() && part < 1.0 {
                true => cut(known, &whole, part),
                false => whole.clone(),
            };
            pieces.push(Piece { front, back, sample: sample.sample, values });
            front = back;
        }
    }
    // Points come before the ranges that begin where they are.
    pieces.sort_by(|a, b| a.front.total_cmp(&b.front).then(a.back.total_cmp(&b.back)));
    let mut tidy: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match tidy.last_mut() {
            Some(last)
                if last.front == piece.front
                    && last.back == piece.back
                    && last.back > last.front =>
            {
                mix(known, last, &piece);
            }
            _ => tidy.push(piece),
        }
    }
    tidy
}

/// The values of a part of a sample: light is taken up evenly on the way through.
fn cut(known: &Channels, values: &[f32], part: f64) -> Vec<f32> {
    let of = |(channel, value): (usize, &f32)| {
        let Rule::Over(alpha) = known.rules[channel] else { return *value };
        let alpha = alpha.map_or(1.0, |alpha| f64::from(values[alpha])).clamp(0.0, 1.0);
        match alpha {
            1.0 => *value,
            0.0 => (f64::from(*value) * part) as f32,
            _ => {
                let of_part = -(part * (-alpha).ln_1p()).exp_m1();
                (f64::from(*value) * of_part / alpha) as f32
            }
        }
    };
    values.iter().enumerate().map(of).collect()
}

/// Mixes `other` into `piece`, which has the same range: both are there at once.
fn mix(known: &Channels, piece: &mut Piece, other: &Piece) {
    let before = piece.values.clone();
    for (channel, rule) in known.rules.iter().enumerate() {
        let Rule::Over(alpha) = rule else { continue };
        let [a, b] = [&before, &other.values]
            .map(|values| alpha.map_or(1.0, |alpha| f64::from(values[alpha])).clamp(0.0, 1.0));
        let [first, second] = [before[channel], other.values[channel]].map(f64::from);
        let mixed = match (a, b) {
            (1.0, 1.0) => (first + second) / 2.0,
            (1.0, _) => first,
            (_, 1.0) => second,
            _ => {
                // How dense each is, and how bright it would be if it were alone for all of the way.
                let density = [a, b].map(|alpha| -(-alpha).ln_1p());
                let bright = |value: f64, alpha: f64, density: f64| match alpha > 0.0 {
                    true => value * density / alpha,
                    false => value,
                };
                let both = density[0] + density[1];
                let share = if both > 0.0 { -(-both).exp_m1() / both } else { 1.0 };
                share * (bright(first, a, density[0]) + bright(second, b, density[1]))
            }
        };
        piece.values[channel] = mixed as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;
    use solio_exr::header::Box2i;
    use solio_exr::model::ImagePart;

    /// Pixels in a row, each with its samples: values of the channels.
    fn deep(channels: &[(&str, PixelType)], pixels: &[&[&[f32]]]) -> Image<'static> {
        let window = Box2i { min: [3, 7], max: [2 + pixels.len() as i32, 7] };
        let planes: Vec<Plane<'static>> = channels
            .iter()
            .enumerate()
            .map(|(i, (name, pixel_type))| {
                let values: Vec<f32> =
                    pixels.iter().flat_map(|pixel| pixel.iter().map(|sample| sample[i])).collect();
                let samples = Samples::Float(values.into()).converted(*pixel_type).unwrap();
                Plane { channel: Channel::new(*name, *pixel_type), samples }
            })
            .collect();
        let of = planes.iter().map(|plane| plane.channel.clone()).collect();
        let mut header = Part::new(window, Compression::Zips, of);
        header.set_kind(Kind::DeepScanline);
        let counts: Vec<u32> = pixels.iter().map(|pixel| pixel.len() as u32).collect();
        let level = DeepLevel { x: 0, y: 0, window, counts: counts.into(), planes };
        let parts = vec![ImagePart { header, pixels: Pixels::Deep(vec![level]) }];
        Image { parts, missing: Vec::new() }
    }

    fn flat(mut image: Image<'_>) -> Vec<Vec<f32>> {
        flatten(&mut image, &Limits::default(), &Work::serial()).unwrap();
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(&image, &Default::default(), &mut bytes, &Work::serial()).unwrap();
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!("it is flat") };
        levels[0].planes.iter().map(|plane| floats(&plane.samples)).collect()
    }

    const ARZ: [(&str, PixelType); 3] =
        [("A", PixelType::Float), ("R", PixelType::Float), ("Z", PixelType::Float)];

    #[test]
    fn samples_are_laid_over_each_other_by_depth() {
        let near: &[f32] = &[0.5, 0.25, 1.0];
        let far: &[f32] = &[0.5, 0.5, 2.0];
        let wall: &[f32] = &[1.0, 0.75, 3.0];
        let behind: &[f32] = &[1.0, 9.0, 4.0];
        let found =
            flat(deep(&ARZ, &[&[near, far, wall, behind], &[behind, far, wall, near], &[]]));
        assert_eq!(found[0], [1.0, 1.0, 0.0]);
        assert_eq!(found[1][..2], [0.25 + 0.25 + 0.25 * 0.75; 2]);
        assert_eq!(found[2], [1.0, 1.0, NOTHING]);
    }

    #[test]
    fn volumes_that_reach_into_each_other_are_cut_and_mixed() {
        let channels = [
            ("A", PixelType::Float),
            ("R", PixelType::Float),
            ("Z", PixelType::Float),
            ("ZBack", PixelType::Float),
        ];
        // Smoke from 0 to 2, and a card in its middle.
        let smoke: &[f32] = &[0.75, 0.75, 0.0, 2.0];
        let card: &[f32] = &[1.0, 0.0, 1.0, 1.0];
        let found = flat(deep(&channels, &[&[smoke, card], &[card, smoke]]));
        // Half of the way takes half of the light that is left: 1 - sqrt(1/4).
        for pixel in 0..2 {
            assert!((found[1][pixel] - 0.5).abs() < 1e-6, "{found:?}");
            assert_eq!([found[0][pixel], found[2][pixel]], [1.0, 0.0]);
        }
        // The same smoke twice is as dense as it would be over twice the way.
        let found = flat(deep(&channels, &[&[smoke, smoke]]));
        assert!((found[0][0] - (1.0 - 0.0625)).abs() < 1e-6, "{found:?}");
        assert!((found[1][0] - (1.0 - 0.0625)).abs() < 1e-6, "{found:?}");
        // A cut alone changes nothing.
        let beside: &[f32] = &[0.0, 0.0, 1.0, 5.0];
        let found = flat(deep(&channels, &[&[smoke, beside]]));
        assert!((found[0][0] - 0.75).abs() < 1e-6 && (found[1][0] - 0.75).abs() < 1e-6);
    }

    #[test]
    fn ids_and_integers_are_those_of_the_nearest() {
        let channels = [
            ("A", PixelType::Half),
            ("Z", PixelType::Half),
            ("id", PixelType::Uint),
            ("objectId", PixelType::Float),
        ];
        let far: &[f32] = &[1.0, 2.0, 70000.0, 3.0];
        let near: &[f32] = &[0.5, 1.0, 4.0, 16777215.0];
        let mut image = deep(&channels, &[&[far, near], &[]]);
        flatten(&mut image, &Limits::default(), &Work::serial()).unwrap();
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
        let planes = &levels[0].planes;
        assert_eq!(planes[2].samples, Samples::Uint(vec![4, 0].into()));
        assert_eq!(planes[3].samples, Samples::Float(vec![16777215.0, 0.0].into()));
        assert_eq!(floats(&planes[1].samples), [1.0, f32::INFINITY]);
        assert_eq!(floats(&planes[0].samples), [1.0, 0.0]);
    }

    #[test]
    fn odd_samples_end_no_run() {
        let odd: &[f32] = &[f32::NAN, f32::INFINITY, f32::NAN];
        let plain: &[f32] = &[1.0, 0.5, 2.0];
        let found = flat(deep(&ARZ, &[&[odd, plain], &[odd], &[plain]]));
        assert_eq!(found[1][2], 0.5);
        // No alpha: the nearest sample.
        let found = flat(deep(&[("R", PixelType::Float)], &[&[&[0.5], &[0.25]], &[]]));
        assert_eq!(found[0], [0.5, 0.0]);
        // No channel says how deep: the order of the file.
        let channels = [("A", PixelType::Float), ("R", PixelType::Float)];
        let found = flat(deep(&channels, &[&[&[0.5, 0.5], &[1.0, 1.0]]]));
        assert_eq!(found[1], [1.0]);
    }
}
