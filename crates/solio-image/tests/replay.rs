//! Replays the fuzz bodies of pictures: over seeds, cut off and changed, and over what fuzzing has found.
#![allow(clippy::disallowed_methods)] // a test reads its own files

#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;
#[path = "../../../fuzz/bodies/picture.rs"]
mod picture_body;

use moxcms::ColorProfile;
use solio_base::{Limits, Work};
use solio_color::gradient::colormap;
use solio_image::{PictureOptions, decode, encode_picture, gradient_image};
use solio_kinds::ImageFormat;
use std::path::PathBuf;

/// A name, a body, and the inputs it starts from.
type Target = (&'static str, fn(&[u8]), Vec<Vec<u8>>);

fn targets() -> [Target; 3] {
    [
        ("hdr", picture_body::hdr, hdr_seeds()),
        ("tiff", picture_body::tiff, tiff_seeds()),
        ("icc", picture_body::icc, icc_seeds()),
    ]
}

/// Profiles with curves, of greys, and of numbers (PQ).
fn icc_seeds() -> Vec<Vec<u8>> {
    let made = [
        ColorProfile::new_display_p3(),
        ColorProfile::new_adobe_rgb(),
        ColorProfile::new_srgb(),
        ColorProfile::new_gray_with_gamma(2.2),
        ColorProfile::new_bt2020_pq(),
    ];
    made.iter().map(|profile| profile.encode().expect("it can be written")).collect()
}

/// All orders of pixels, with and without run lengths, and heads of other programs.
fn hdr_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for size in ["-Y 2 +X 3", "-Y 2 -X 3", "+Y 2 -X 3", "+Y 2 +X 3"] {
        let turned: Vec<&str> = size.split(' ').collect();
        for size in [size.to_owned(), [&turned[2..], &turned[..2]].concat().join(" ")] {
            let head = format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nPIXASPECT=0.5\n\n{size}\n");
            seeds.push([head.as_bytes(), &[128; 24]].concat());
        }
    }
    let rows = [2, 2, 0, 9, 137, 5, 137, 6, 137, 7, 137, 128].repeat(2);
    seeds.push([&b"#?RGBE\nEXPOSURE=2\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 9\n"[..], &rows].concat());
    seeds
}

/// What our writer makes, and kinds that it does not: palettes, YCbCr, planes, many bits, further samples.
fn tiff_seeds() -> Vec<Vec<u8>> {
    let image = gradient_image(&colormap("viridis").expect("it is known"), [5, 4]).expect("small");
    let mut seeds = Vec::new();
    for bits in [8, 16, 32] {
        let options = PictureOptions { bits: Some(bits), ..PictureOptions::default() };
        let work = Work::serial();
        let made = encode_picture(&image, ImageFormat::Tiff, &options, &Limits::default(), &work);
        seeds.push(made.expect("it can be written").bytes);
    }
    let grey = |bits: u16, format: u16| {
        let data = vec![0x5a; usize::from(bits) / 8 * 6 + 6];
        tiff(&[(258, &[bits]), (262, &[1]), (277, &[1]), (339, &[format])], &data)
    };
    for bits in [1, 2, 4, 8, 12, 16, 24, 32, 64] {
        seeds.extend([1, 2, 3].map(|format| grey(bits, format)));
    }
    let palette: Vec<u16> = (0..48).map(|i| i * 1365).collect();
    let shorts = |entries: &[(u16, &[u16])]| tiff(entries, &[0x31; 90]);
    seeds.push(shorts(&[(258, &[4]), (262, &[3]), (277, &[1]), (320, &palette)]));
    seeds.push(shorts(&[(258, &[8, 8, 8]), (262, &[6]), (277, &[3]), (530, &[1, 1])]));
    seeds.push(shorts(&[(258, &[8, 8, 8]), (262, &[2]), (277, &[3]), (284, &[2])]));
    let five = [(258, &[8; 5][..]), (262, &[2]), (274, &[6]), (277, &[5]), (338, &[0, 2])];
    seeds.push(shorts(&five));
    seeds.push(shorts(&[(258, &[8; 4]), (262, &[5]), (277, &[4])]));
    seeds
}

/// A TIFF of 3 × 2 pixels in one strip, uncompressed, with these tags of shorts, sorted.
fn tiff(entries: &[(u16, &[u16])], data: &[u8]) -> Vec<u8> {
    let mut all: Vec<(u16, u16, Vec<u32>)> = vec![
        (256, 3, vec![3]),
        (257, 3, vec![2]),
        (259, 3, vec![1]),
        (273, 4, vec![8]),
        (278, 3, vec![2]),
        (279, 4, vec![data.len() as u32]),
    ];
    all.extend(entries.iter().map(|(tag, v)| (*tag, 3, v.iter().map(|v| u32::from(*v)).collect())));
    all.sort();
    let directory = 8 + data.len().next_multiple_of(2);
    let mut bytes = [&b"II\x2a\0"[..], &(directory as u32).to_le_bytes(), data].concat();
    bytes.resize(directory, 0);
    let mut behind = Vec::new();
    let more = directory + 2 + 12 * all.len() + 4;
    bytes.extend((all.len() as u16).to_le_bytes());
    for (tag, kind, values) in all {
        let packed: Vec<u8> = match kind {
            3 => values.iter().flat_map(|v| (*v as u16).to_le_bytes()).collect(),
            _ => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        bytes.extend([tag, kind].map(u16::to_le_bytes).concat());
        bytes.extend((values.len() as u32).to_le_bytes());
        let mut field = packed.clone();
        if packed.len() > 4 {
            field = ((more + behind.len()) as u32).to_le_bytes().to_vec();
            behind.extend(packed);
        }
        field.resize(4, 0);
        bytes.extend(field);
    }
    [bytes, vec![0; 4], behind].concat()
}

#[test]
fn seeds_are_read() {
    let [(_, _, hdr), (_, _, tiff), _] = targets();
    for seed in hdr {
        decode(&seed, ImageFormat::Hdr, false, &Limits::default()).unwrap();
    }
    let read = tiff
        .iter()
        .filter(|seed| decode(seed, ImageFormat::Tiff, false, &Limits::default()).is_ok());
    let read = read.count();
    assert!(read > tiff.len() / 2, "{read} of {}", tiff.len());
}

/// With `SOLIO_SEEDS=FOLDER` the seeds of each target are written there, into a folder of its name.
#[test]
fn seeds_are_written() {
    let Some(folder) = std::env::var_os("SOLIO_SEEDS").map(PathBuf::from) else { return };
    for (name, _, seeds) in targets() {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (n, bytes) in seeds.iter().enumerate() {
            std::fs::write(folder.join(n.to_string()), bytes).unwrap();
        }
    }
}

#[test]
fn changed_seeds_do_no_harm() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (_, body, seeds) in targets() {
        for seed in seeds {
            body(&seed);
            (0..seed.len()).step_by(3).for_each(|end| body(&seed[..end]));
            for _ in 0..60 {
                let mut changed = seed.clone();
                for _ in 0..=random(3) {
                    let at = random(changed.len());
                    changed[at] = match random(3) {
                        0 => random(256) as u8,
                        1 => seed[random(seed.len())],
                        _ => changed[at] ^ (1 << random(8)),
                    };
                }
                body(&changed);
            }
        }
    }
}

#[test]
fn what_fuzzing_found_does_no_harm() {
    for (name, body, _) in targets() {
        kept::kept(name).iter().for_each(|(_, bytes)| body(bytes));
    }
}
