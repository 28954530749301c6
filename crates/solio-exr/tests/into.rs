//! Reading into the caller's memory gives the samples that reading planes gives, converted.

mod images;

use half::f16;
use images::{deep_images, flat_images};
use solio_base::Work;
use solio_codec::samples::{float_to_half, uint_to_half};
use solio_exr::header::Box2i;
use solio_exr::model::{FlatLevel, Image, Pixels, Plane, Samples};
use solio_exr::{Compression, IntoOptions, Levels, PixelType, RasterMut, ReadOptions, SamplesMut};
use solio_exr::{decode_exr, decode_exr_into, encode_exr};

const TYPES: [PixelType; 3] = [PixelType::Uint, PixelType::Half, PixelType::Float];

fn bytes_of(image: &Image<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_exr(image, &Default::default(), &mut bytes, &Work::serial()).unwrap();
    bytes
}

/// The samples as bits of another type, one after the other.
fn converted(plane: &Plane<'_>, to: PixelType) -> Vec<u32> {
    let from_float = |value: f32| match to {
        PixelType::Uint => value as u32,
        PixelType::Half => float_to_half(value).into(),
        PixelType::Float => value.to_bits(),
    };
    let from_uint = |value: u32| match to {
        PixelType::Uint => value,
        PixelType::Half => uint_to_half(value).into(),
        PixelType::Float => (value as f32).to_bits(),
    };
    match &plane.samples {
        Samples::Uint(values) => values.iter().map(|v| from_uint(*v)).collect(),
        Samples::Half(values) => values.iter().map(|v| from_float(v.to_f32())).collect(),
        Samples::Float(values) => values.iter().map(|v| from_float(*v)).collect(),
    }
}

/// Memory of any type, with a mark where nothing was written.
enum MarkedMemory {
    Uint(Vec<u32>),
    Half(Vec<f16>),
    Float(Vec<f32>),
}

const MARK: u32 = 0x5555;

impl MarkedMemory {
    fn new(pixel_type: PixelType, count: usize) -> MarkedMemory {
        match pixel_type {
            PixelType::Uint => MarkedMemory::Uint(vec![MARK; count]),
            PixelType::Half => MarkedMemory::Half(vec![f16::from_bits(MARK as u16); count]),
            PixelType::Float => MarkedMemory::Float(vec![f32::from_bits(MARK); count]),
        }
    }

    fn samples(&mut self) -> SamplesMut<'_> {
        match self {
            MarkedMemory::Uint(values) => SamplesMut::Uint(values),
            MarkedMemory::Half(values) => SamplesMut::Half(values),
            MarkedMemory::Float(values) => SamplesMut::Float(values),
        }
    }

    fn bits(&self) -> Vec<u32> {
        match self {
            MarkedMemory::Uint(values) => values.clone(),
            MarkedMemory::Half(values) => values.iter().map(|v| v.to_bits().into()).collect(),
            MarkedMemory::Float(values) => values.iter().map(|v| v.to_bits()).collect(),
        }
    }
}

fn level(
    bytes: &[u8],
    number: usize,
    (x, y): (u32, u32),
    window: Option<Box2i>,
) -> FlatLevel<'static> {
    let options = ReadOptions {
        parts: Some(vec![number]),
        levels: Levels::One(x, y),
        window,
        ..ReadOptions::default()
    };
    let mut image = decode_exr(&bytes, &options, &Work::serial()).unwrap();
    let Pixels::Flat(mut levels) = image.parts.remove(0).pixels else { panic!() };
    levels.remove(0)
}

/// Every channel alone, with a gap between rows.
fn alone(bytes: &[u8], level: &FlatLevel<'_>, options: &IntoOptions, threads: usize) {
    let work = Work { threads, ..Work::default() };
    for to in TYPES {
        for plane in &level.planes {
            let rows = level.window.height() as usize / plane.channel.y_sampling as usize;
            let row = plane.samples.len() / rows.max(1);
            for step in [1, 3] {
                let used = (row.max(1) - 1) * step + 1;
                let stride = used + 3;
                let mut memory = MarkedMemory::new(to, rows * stride);
                let raster = RasterMut {
                    channels: vec![plane.channel.name.clone()],
                    samples: memory.samples(),
                    row_stride: stride,
                    pixel_stride: step,
                };
                let read = decode_exr_into(&bytes, options, vec![raster], &work).unwrap();
                assert_eq!(read.window, level.window);
                let wanted = converted(plane, to);
                for (got, wanted) in memory.bits().chunks(stride).zip(wanted.chunks(row.max(1))) {
                    let (of_row, between): (Vec<_>, Vec<_>) = got
                        .iter()
                        .enumerate()
                        .partition(|(i, _)| i.is_multiple_of(step) && *i < used);
                    let of_row: Vec<u32> = of_row.iter().map(|(_, bits)| **bits).collect();
                    assert_eq!(of_row[..row], *wanted, "{to:?} of {:?}", plane.channel);
                    assert!(between.iter().all(|(_, bits)| **bits == MARK));
                }
            }
        }
    }
}

/// All channels that have a sample a pixel side by side, backwards, one twice, and one that the
/// file lacks; beside a plane.
fn side_by_side(bytes: &[u8], level: &FlatLevel<'_>, options: &IntoOptions, threads: usize) {
    let work = Work { threads, ..Work::default() };
    let full = level.planes.iter().filter(|plane| plane.channel.x_sampling == 1);
    let mut planes: Vec<&Plane<'_>> = full.collect();
    planes.reverse();
    planes.push(planes[0]);
    let (width, height) = (level.window.width() as usize, level.window.height() as usize);
    for to in TYPES {
        for (count, gap) in (1..=planes.len()).flat_map(|count| [(count, 0), (count, 2)]) {
            let planes = &planes[..count];
            let mut channels: Vec<String> =
                planes.iter().map(|plane| plane.channel.name.clone()).collect();
            channels.push("none".into());
            let step = channels.len() + gap;
            let row = width * step;
            // The last pixel has nothing behind it.
            let mut memory = MarkedMemory::new(to, height * row - gap);
            let mut beside = MarkedMemory::new(PixelType::Half, height * width);
            let rasters = vec![
                RasterMut {
                    channels: channels.clone(),
                    samples: memory.samples(),
                    row_stride: row,
                    pixel_stride: if gap == 0 { 0 } else { step },
                },
                RasterMut {
                    channels: vec![planes[0].channel.name.clone()],
                    samples: beside.samples(),
                    row_stride: width,
                    pixel_stride: 0,
                },
            ];
            decode_exr_into(&bytes, options, rasters, &work).unwrap();
            let wanted: Vec<Vec<u32>> = planes.iter().map(|p| converted(p, to)).collect();
            let fill = match to {
                PixelType::Uint => 1,
                PixelType::Half => 0x3c00,
                PixelType::Float => 1f32.to_bits(),
            };
            for (i, pixel) in memory.bits().chunks(step).enumerate() {
                let of_planes: Vec<u32> = wanted.iter().map(|plane| plane[i]).collect();
                assert_eq!(pixel[..count], of_planes, "{to:?}");
                assert_eq!(pixel[count], fill);
                assert!(pixel[count + 1..].iter().all(|bits| *bits == MARK));
            }
            assert_eq!(beside.bits(), converted(planes[0], PixelType::Half));
        }
    }
}

#[test]
fn samples_are_those_of_planes() {
    for compression in [Compression::None, Compression::Zip, Compression::Zstd, Compression::Piz] {
        for (_, image) in flat_images(compression) {
            let bytes = bytes_of(&image);
            for (part, of) in image.parts.iter().enumerate() {
                let Pixels::Flat(levels) = &of.pixels else { panic!() };
                let last = levels.last().unwrap();
                for (x, y) in [(levels[0].x, levels[0].y), (last.x, last.y)] {
                    let whole = level(&bytes, part, (x, y), None);
                    // Of subsampled channels windows have whole samples.
                    let mut inner = whole.window;
                    inner.min[0] += if inner.width() > 4 { 4 } else { 0 };
                    inner.max[1] -= if inner.height() > 4 { 4 } else { 0 };
                    for window in [None, Some(inner)] {
                        let level = level(&bytes, part, (x, y), window);
                        let options = IntoOptions {
                            part,
                            level: (x, y),
                            window,
                            fill: Some(1.0),
                            ..IntoOptions::default()
                        };
                        alone(&bytes, &level, &options, 1);
                        side_by_side(&bytes, &level, &options, 2);
                    }
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (_, image) = flat_images(Compression::Zip).remove(1);
    let bytes = bytes_of(&image);
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
    let (width, height) = (levels[0].window.width() as usize, levels[0].window.height() as usize);
    let name = levels[0].planes[0].channel.name.clone();
    let refuse = |channels: &[&str], row_stride: usize, count: usize, options: IntoOptions| {
        let mut memory = vec![0.0; count];
        let raster = RasterMut {
            channels: channels.iter().map(|name| name.to_string()).collect(),
            samples: SamplesMut::Float(&mut memory),
            row_stride,
            pixel_stride: 0,
        };
        let read = decode_exr_into(&bytes, &options, vec![raster], &Work::serial());
        read.map(|_| ()).map_err(|e| e.message().to_owned())
    };
    let all = width * height;
    let plain = IntoOptions::default;
    assert_eq!(refuse(&[&name], width, all, plain()), Ok(()));
    let short = refuse(&[&name], width, all - 1, plain()).unwrap_err();
    assert!(short.contains("do not fit"), "{short}");
    assert!(refuse(&[&name], width - 1, all, plain()).is_err());
    assert!(refuse(&[&name], usize::MAX, all, plain()).is_err());
    assert!(refuse(&[], width, all, plain()).is_err());
    assert_eq!(refuse(&["none"], width, all, plain()).unwrap_err(), "there is no channel \"none\"");
    let filled = IntoOptions { fill: Some(1.0), ..plain() };
    assert!(refuse(&["none"], width, all, filled).is_err());
    assert!(refuse(&[&name], width, all, IntoOptions { part: 7, ..plain() }).is_err());
    let deep = bytes_of(&deep_images(Compression::Zips)[0].1);
    let raster = RasterMut {
        channels: vec![name],
        samples: SamplesMut::Uint(&mut []),
        row_stride: 0,
        pixel_stride: 0,
    };
    assert!(decode_exr_into(&deep, &plain(), vec![raster], &Work::serial()).is_err());
}
