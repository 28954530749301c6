use crate::decode;
use solio_base::{ErrorKind, Limits};
use solio_color::srgb;
use solio_exr::PixelType;
use solio_exr::model::{Pixels, Samples};
use solio_kinds::ImageFormat;
use std::collections::BTreeMap;

/// A value of a tag.
#[derive(Clone)]
enum Tag {
    Short(Vec<u16>),
    Long(Vec<u32>),
    /// The places of the strips, and their lengths.
    Places,
    Lengths,
    Bytes(Vec<u8>),
}

/// How a file is laid out.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
    LittleBigTiff,
}

/// A TIFF of these strips, or tiles where the tags say so.
fn file(order: Order, tags: &BTreeMap<u16, Tag>, strips: &[Vec<u8>]) -> Vec<u8> {
    let is_big_endian = order == Order::Big;
    let number = |value: u64, bytes: usize| match is_big_endian {
        true => value.to_be_bytes()[8 - bytes..].to_vec(),
        false => value.to_le_bytes()[..bytes].to_vec(),
    };
    let place = if order == Order::LittleBigTiff { 8 } else { 4 };
    let mut out = match order {
        Order::Little => b"II*\0".to_vec(),
        Order::Big => b"MM\0*".to_vec(),
        Order::LittleBigTiff => b"II+\0\x08\0\0\0".to_vec(),
    };
    let at_directory = out.len();
    out.resize(at_directory + place, 0);
    let mut places = Vec::new();
    for strip in strips {
        places.push(out.len() as u64);
        out.extend(strip);
        out.resize(out.len().next_multiple_of(2), 0);
    }
    let mut entries = Vec::new();
    for (tag, value) in tags {
        let (kind, width, values): (u64, usize, Vec<u64>) = match value {
            Tag::Short(v) => (3, 2, v.iter().map(|v| u64::from(*v)).collect()),
            Tag::Long(v) => (4, 4, v.iter().map(|v| u64::from(*v)).collect()),
            Tag::Places => (4, 4, places.clone()),
            Tag::Lengths => (4, 4, strips.iter().map(|strip| strip.len() as u64).collect()),
            Tag::Bytes(v) => (7, 1, v.iter().map(|v| u64::from(*v)).collect()),
        };
        let mut bytes: Vec<u8> = values.iter().flat_map(|value| number(*value, width)).collect();
        if bytes.len() > place {
            let at = out.len() as u64;
            out.extend(&bytes);
            out.resize(out.len().next_multiple_of(2), 0);
            bytes = number(at, place);
        }
        bytes.resize(place, 0);
        let count = number(values.len() as u64, place);
        entries.push([number(u64::from(*tag), 2), number(kind, 2), count, bytes].concat());
    }
    let directory = number(out.len() as u64, place);
    out[at_directory..at_directory + place].copy_from_slice(&directory);
    out.extend(number(entries.len() as u64, if place == 8 { 8 } else { 2 }));
    out.extend(entries.concat());
    out.resize(out.len() + place, 0);
    out
}

/// The tags of a page in one strip.
fn tags(
    size: [u32; 2],
    photometric: u16,
    bits: u16,
    format: u16,
    samples: u16,
) -> BTreeMap<u16, Tag> {
    BTreeMap::from([
        (256, Tag::Long(vec![size[0]])),
        (257, Tag::Long(vec![size[1]])),
        (258, Tag::Short(vec![bits; samples.into()])),
        (259, Tag::Short(vec![1])),
        (262, Tag::Short(vec![photometric])),
        (273, Tag::Places),
        (277, Tag::Short(vec![samples])),
        (278, Tag::Long(vec![size[1]])),
        (279, Tag::Lengths),
        (339, Tag::Short(vec![format; samples.into()])),
    ])
}

/// The channels of a file that is read, as floats, and what is said to be lost.
fn read(bytes: &[u8], raw: bool) -> (BTreeMap<String, Vec<f32>>, Vec<&'static str>) {
    let decoded = decode(bytes, ImageFormat::Tiff, raw, &Limits::default()).unwrap();
    let Pixels::Flat(levels) = &decoded.image.parts[0].pixels else { panic!() };
    let planes = levels[0].planes.iter().map(|plane| {
        let Samples::Float(values) = plane.samples.converted(PixelType::Float).unwrap() else {
            panic!()
        };
        (plane.channel.name.clone(), values.into_owned())
    });
    (planes.collect(), decoded.losses.iter().map(|loss| loss.what).collect())
}

#[track_caller]
fn near(values: &[f32], expected: &[f32]) {
    assert_eq!(values.len(), expected.len());
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() <= 2e-3 * expected.abs() + 1e-6, "{values:?}");
    }
}

#[test]
fn integers_of_all_sizes_are_greys() {
    for order in [Order::Little, Order::Big, Order::LittleBigTiff] {
        // Of four pixels, the shares of the largest value.
        let shares = [0_u64, 5, 10, 15];
        for (bits, format) in [
            (1, 1),
            (2, 1),
            (4, 1),
            (8, 1),
            (16, 1),
            (32, 1),
            (64, 1),
            (8, 2),
            (16, 2),
            (32, 2),
            (64, 2),
        ] {
            let max = u64::MAX >> (64 - bits + u32::from(format == 2));
            let value = |share: u64| match bits {
                1 => share / 8,
                2 => share / 5,
                _ => (u128::from(max) * u128::from(share) / 15) as u64,
            };
            let bytes = match bits {
                1 | 2 | 4 => {
                    let all =
                        shares.iter().fold(0_u16, |all, share| all << bits | value(*share) as u16);
                    (all << (16 - 4 * bits)).to_be_bytes().to_vec()
                }
                _ => {
                    let width = bits as usize / 8;
                    let bytes = shares.iter().map(|share| match order {
                        Order::Big => value(*share).to_be_bytes()[8 - width..].to_vec(),
                        _ => value(*share).to_le_bytes()[..width].to_vec(),
                    });
                    bytes.collect::<Vec<_>>().concat()
                }
            };
            let file = file(order, &tags([4, 1], 1, bits as u16, format, 1), &[bytes]);
            let (channels, losses) = read(&file, true);
            let expected = shares.map(|share| value(share) as f32 / max as f32);
            near(&channels["Y"], &expected);
            assert_eq!(losses.contains(&"bit_depth"), bits > 24, "{bits} {losses:?}");
            let (channels, _) = read(&file, false);
            near(&channels["Y"], &expected.map(srgb::to_linear));
        }
    }
}

#[test]
fn floats_of_all_sizes_planes_and_further_samples_are_kept() {
    let values = [0.25_f64, -1.5, 1000.0, 0.1, 3.0, 0.5, 0.75, 0.125, 2.0, 8.0];
    for (bits, order) in [(16, Order::Big), (32, Order::Little), (64, Order::LittleBigTiff)] {
        let bytes = |value: &f64| {
            let bytes = match bits {
                16 => half::f16::from_f64(*value).to_le_bytes().to_vec(),
                32 => (*value as f32).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            };
            match order {
                Order::Big => bytes.into_iter().rev().collect(),
                _ => bytes,
            }
        };
        // Red, green, blue, a further one, alpha.
        let mut tags = tags([2, 1], 2, bits, 3, 5);
        tags.insert(338, Tag::Short(vec![0, 2]));
        let chunky = file(order, &tags, &[values.iter().flat_map(bytes).collect()]);
        tags.insert(284, Tag::Short(vec![2]));
        let plane = |i: usize| [bytes(&values[i]), bytes(&values[5 + i])].concat();
        let planar = file(order, &tags, &[0, 1, 2, 3, 4].map(plane));
        for file in [chunky, planar] {
            let (channels, losses) = read(&file, true);
            assert_eq!(channels.len(), 5);
            for (i, name) in ["R", "G", "B", "extra1", "A"].into_iter().enumerate() {
                near(&channels[name], &[values[i] as f32, values[5 + i] as f32]);
            }
            assert_eq!(losses.contains(&"bit_depth"), bits == 64);
        }
    }
}

#[test]
fn palettes_and_inverted_greys_are_looked_up() {
    let mut palette = tags([3, 1], 3, 4, 1, 1);
    let mut map = vec![0_u16; 48];
    (map[5], map[16 + 5], map[32 + 5]) = (0xffff, 0x8080, 0);
    palette.insert(320, Tag::Short(map));
    let (channels, _) = read(&file(Order::Little, &palette, &[vec![0x50, 0x50]]), true);
    near(&channels["R"], &[1.0, 0.0, 1.0]);
    near(&channels["G"], &[128.0 / 255.0, 0.0, 128.0 / 255.0]);
    // Eight bits in one byte of the two, as Pillow and others write them.
    for shift in [0, 8] {
        let mut map = vec![0_u16; 48];
        (map[5], map[16 + 5], map[32 + 5]) = (0xff << shift, 0x80 << shift, 0);
        palette.insert(320, Tag::Short(map));
        let (channels, _) = read(&file(Order::Little, &palette, &[vec![0x50, 0x50]]), true);
        near(&channels["R"], &[1.0, 0.0, 1.0]);
        near(&channels["G"], &[128.0 / 255.0, 0.0, 128.0 / 255.0]);
    }
    let white = tags([2, 1], 0, 4, 1, 1);
    let (channels, _) = read(&file(Order::Big, &white, &[vec![0x0f]]), true);
    near(&channels["Y"], &[1.0, 0.0]);
}

#[test]
fn jpeg_in_tiff_is_ycbcr_or_rgb_as_the_tag_says() {
    // A grey of 90 has the codes 90, 128 and 128.
    let mut jpeg = Vec::new();
    let grey = [90_u8; 3 * 16 * 16];
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 100);
    image::ImageEncoder::write_image(encoder, &grey, 16, 16, image::ExtendedColorType::Rgb8)
        .unwrap();
    for (photometric, expected) in [(6, [90.0, 90.0, 90.0]), (2, [90.0, 128.0, 128.0_f32])] {
        let mut tags = tags([16, 16], photometric, 8, 1, 3);
        tags.insert(259, Tag::Short(vec![7]));
        let (channels, _) = read(&file(Order::Little, &tags, std::slice::from_ref(&jpeg)), true);
        for (name, expected) in ["R", "G", "B"].into_iter().zip(expected) {
            assert!(
                channels[name].iter().all(|value| (value - expected / 255.0).abs() < 0.01),
                "{photometric} {name}"
            );
        }
    }
}

#[test]
fn compressions_predictors_and_tiles_of_such_pixels_are_undone() {
    let words: Vec<u32> = (0..64).map(|i| i * i * 70_000).collect();
    let plain: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let expected: Vec<f32> =
        words.iter().map(|word| (f64::from(*word) / 4294967295.0) as f32).collect();
    let differences = || {
        let rows = words.chunks(8).flat_map(|row| {
            (0..8).map(move |i| row[i].wrapping_sub(if i > 0 { row[i - 1] } else { 0 }))
        });
        rows.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let packed = |bytes: &[u8]| {
        bytes.chunks(64).flat_map(|run| [&[run.len() as u8 - 1], run].concat()).collect()
    };
    let zstd = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).unwrap();
    let cases: [(u16, u16, Vec<u8>); 5] = [
        (1, 1, plain.clone()),
        (1, 2, differences()),
        (32_773, 1, packed(&plain)),
        (50_000, 1, zstd(&plain)),
        (50_000, 2, zstd(&differences())),
    ];
    for (compression, predictor, bytes) in cases {
        let mut tags = tags([8, 8], 1, 32, 1, 1);
        tags.insert(259, Tag::Short(vec![compression]));
        tags.insert(317, Tag::Short(vec![predictor]));
        let (channels, _) = read(&file(Order::Little, &tags, &[bytes]), true);
        near(&channels["Y"], &expected);
    }
    // Four tiles.
    let mut tiled = tags([8, 8], 1, 32, 1, 1);
    for tag in [273, 278, 279] {
        tiled.remove(&tag);
    }
    tiled.insert(322, Tag::Long(vec![4]));
    tiled.insert(323, Tag::Long(vec![4]));
    tiled.insert(324, Tag::Places);
    tiled.insert(325, Tag::Lengths);
    let tile = |at: usize| {
        let rows = (0..4).flat_map(|y| &words[(at / 2 * 4 + y) * 8 + at % 2 * 4..][..4]);
        rows.flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
    };
    let (channels, _) = read(&file(Order::Little, &tiled, &[0, 1, 2, 3].map(tile)), true);
    near(&channels["Y"], &expected);
    // Turned: the first column is the last row.
    let mut turned = tags([8, 8], 1, 32, 1, 1);
    turned.insert(274, Tag::Short(vec![3]));
    let (channels, _) = read(&file(Order::Little, &turned, &[plain]), true);
    near(&channels["Y"], &expected.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn what_is_not_read_is_named_and_damage_is_no_panic() {
    let refused =
        |bytes: &[u8]| decode(bytes, ImageFormat::Tiff, false, &Limits::default()).unwrap_err();
    let lab = file(Order::Little, &tags([1, 1], 8, 8, 1, 3), &[vec![0; 3]]);
    assert_eq!(refused(&lab).message(), "TIFF: pixels CIE L*a*b* are not read");
    let mut inks = tags([1, 1], 5, 8, 1, 4);
    inks.insert(259, Tag::Short(vec![7]));
    assert_eq!(refused(&file(Order::Little, &inks, &[vec![0; 4]])).kind(), ErrorKind::Unsupported);
    let mut palette = tags([4, 4], 3, 8, 1, 1);
    palette.insert(320, Tag::Short(vec![7; 30]));
    palette.insert(34_675, Tag::Bytes(vec![0; 9]));
    let whole = file(Order::Big, &palette, &[vec![255; 16]]);
    for end in 0..whole.len() {
        let _ = decode(&whole[..end], ImageFormat::Tiff, false, &Limits::default());
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        let _ = decode(&damaged, ImageFormat::Tiff, false, &Limits::default());
    }
}
