//! Small images of every make, with pixels that depend on nothing but their place.

use half::f16;
use solio_base::{Result, Source};
use solio_exr::header::{Box2i, LevelMode, LineOrder, Part, Rounding, Text, Tiles, Value};
use solio_exr::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Block, Channel, Compression, PixelType, Shape};
use std::borrow::Cow;

/// A source that has its bytes elsewhere.
#[allow(dead_code)] // only some tests need it
pub(crate) struct UnmappedBytes(pub(crate) Vec<u8>);

impl Source for UnmappedBytes {
    fn len_bytes(&self) -> Option<u64> {
        self.0.len_bytes()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

pub(crate) fn channel(name: &str, pixel_type: PixelType, sampling: i32) -> Channel {
    Channel { x_sampling: sampling, y_sampling: sampling, ..Channel::new(name, pixel_type) }
}

/// Smooth with a few jumps.
fn value(x: i32, y: i32, seed: usize) -> f32 {
    let wave = (x as f32 * 0.21 + seed as f32).sin() + (y as f32 * 0.13).cos();
    if (x * 7 + y * 3) % 11 == 0 { wave * 8.0 } else { wave }
}

fn samples(channel: &Channel, block: &Block<'_>, seed: usize) -> Samples<'static> {
    let on = |range: &std::ops::Range<i32>, step: i32| {
        let range = range.clone();
        range.filter(move |at| at.rem_euclid(step) == 0)
    };
    let ys = on(&block.y, channel.y_sampling);
    let values = ys.flat_map(|y| on(&block.x, channel.x_sampling).map(move |x| value(x, y, seed)));
    match channel.pixel_type {
        PixelType::Half => Samples::Half(Cow::Owned(values.map(f16::from_f32).collect())),
        PixelType::Float => Samples::Float(Cow::Owned(values.collect())),
        PixelType::Uint => {
            Samples::Uint(Cow::Owned(values.map(|v| (v * 1000.0) as i32 as u32).collect()))
        }
    }
}

/// A flat part with the levels that its header needs.
pub(crate) fn flat_part(header: Part) -> ImagePart<'static> {
    let shape: Shape = header.shape().unwrap();
    let level = |level: &solio_exr::Level| {
        let window = level.window;
        let block = Block {
            channels: &shape.channels,
            x: window.min[0]..window.max[0] + 1,
            y: window.min[1]..window.max[1] + 1,
        };
        let planes = shape.channels.iter().enumerate().map(|(seed, channel)| Plane {
            channel: channel.clone(),
            samples: samples(channel, &block, seed),
        });
        FlatLevel { x: level.x, y: level.y, window, planes: planes.collect() }
    };
    let pixels = Pixels::Flat(shape.levels.iter().map(level).collect());
    ImagePart { header, pixels }
}

fn image(mut parts: Vec<ImagePart<'static>>) -> Image<'static> {
    let display = parts[0].header.get("displayWindow").unwrap().clone();
    parts.iter_mut().for_each(|part| part.header.set("displayWindow", display.clone()));
    Image { parts, missing: Vec::new() }
}

fn rgb() -> Vec<Channel> {
    vec![
        channel("B", PixelType::Half, 1),
        channel("G", PixelType::Half, 1),
        channel("R", PixelType::Half, 1),
    ]
}

fn mixed() -> Vec<Channel> {
    vec![
        channel("Z", PixelType::Float, 1),
        channel("id", PixelType::Uint, 1),
        channel("A", PixelType::Half, 1),
        channel("a layer with a name of more than 31 bytes.R", PixelType::Half, 1),
    ]
}

fn luminance() -> Vec<Channel> {
    vec![
        channel("BY", PixelType::Half, 2),
        channel("RY", PixelType::Half, 2),
        channel("Y", PixelType::Half, 1),
        channel("far", PixelType::Float, 4),
    ]
}

fn window(left: i32, top: i32, width: i32, height: i32) -> Box2i {
    Box2i { min: [left, top], max: [left + width - 1, top + height - 1] }
}

fn tiled(header: &Part, width: u32, height: u32, levels: LevelMode, rounding: Rounding) -> Part {
    let mut header = header.clone();
    header.set("tiles", Value::Tiles(Tiles { width, height, levels, rounding }));
    header
}

/// Flat images of every make, by name.
pub(crate) fn flat_images(compression: Compression) -> Vec<(String, Image<'static>)> {
    let part = |window, channels| Part::new(window, compression, channels);
    let plain = part(window(0, 0, 21, 37), rgb());
    let mut made: Vec<(&str, Part)> = vec![
        ("one pixel", part(window(5, -7, 1, 1), mixed())),
        ("scanlines", plain.clone()),
        ("mixed types", part(window(-9, -40, 33, 70), mixed())),
        ("subsampled", part(window(-8, 4, 24, 40), luminance())),
    ];
    let mut decreasing = part(window(-3, -5, 17, 50), mixed());
    decreasing.set("lineOrder", Value::LineOrder(LineOrder::Decreasing));
    decreasing.set("owner", Value::Text(Text(b"\xa9 nobody".to_vec())));
    made.push(("from the bottom", decreasing.clone()));
    for levels in LevelMode::ALL {
        for rounding in [Rounding::Down, Rounding::Up] {
            made.push(("tiles", tiled(&plain, 8, 16, levels, rounding)));
        }
    }
    let from_bottom = tiled(&decreasing, 5, 7, LevelMode::Mipmap, Rounding::Up);
    made.push(("tiles from the bottom", from_bottom));
    let images = made.into_iter().enumerate();
    let images =
        images.map(|(i, (name, part))| (format!("{name} {i}"), image(vec![flat_part(part)])));
    let mut images: Vec<_> = images.collect();
    let mut first = part(window(0, 0, 20, 33), rgb());
    first.set("name", Value::Text("left".into()));
    let second = tiled(&part(window(2, 2, 9, 9), mixed()), 4, 4, LevelMode::Mipmap, Rounding::Down);
    images.push(("parts".into(), image(vec![flat_part(first), flat_part(second)])));
    images
}

/// A deep part with the levels that its header needs.
fn deep_part(mut header: Part) -> ImagePart<'static> {
    let kind = if header.get("tiles").is_some() { "deeptile" } else { "deepscanline" };
    header.set("type", Value::Text(kind.into()));
    let shape: Shape = header.shape().unwrap();
    let level = |level: &solio_exr::Level| {
        let pixels = level.window.width() * level.window.height();
        // None at all in places, many in others.
        let counts: Vec<u32> =
            (0..pixels as u32).map(|i| (i * i / 7 % 9).saturating_sub(4)).collect();
        let samples: u32 = counts.iter().sum();
        let planes = shape.channels.iter().enumerate().map(|(seed, channel)| {
            let block = Block { channels: &[], x: 0..samples as i32, y: 0..1 };
            Plane { channel: channel.clone(), samples: self::samples(channel, &block, seed) }
        });
        let planes = planes.collect();
        DeepLevel { x: level.x, y: level.y, window: level.window, counts: counts.into(), planes }
    };
    let pixels = Pixels::Deep(shape.levels.iter().map(level).collect());
    ImagePart { header, pixels }
}

/// Deep images of every make, by name.
pub(crate) fn deep_images(compression: Compression) -> Vec<(String, Image<'static>)> {
    let part = |window, channels| Part::new(window, compression, channels);
    let scanlines = part(window(-4, 7, 19, 12), mixed());
    let mut from_bottom = scanlines.clone();
    from_bottom.set("lineOrder", Value::LineOrder(LineOrder::Decreasing));
    let one = tiled(&scanlines, 8, 5, LevelMode::One, Rounding::Down);
    let mut made =
        vec![("scanlines", scanlines), ("from the bottom", from_bottom), ("tiles", one.clone())];
    made.push(("mip levels", tiled(&one, 4, 4, LevelMode::Mipmap, Rounding::Up)));
    made.push(("rip levels", tiled(&one, 4, 4, LevelMode::Ripmap, Rounding::Down)));
    let images = made.iter();
    let images = images
        .map(|(name, header)| (format!("deep {name}"), image(vec![deep_part(header.clone())])));
    let mut images: Vec<_> = images.collect();
    let flat = flat_part(part(window(0, 0, 8, 8), rgb()));
    let parts = made.into_iter().map(|(_, header)| deep_part(header));
    images.push(("deep and flat".into(), image(parts.chain([flat]).collect())));
    images
}
