//! Replays the bodies of the fuzz targets over made-up bytes and over what fuzzing has found.
#![allow(clippy::disallowed_methods)] // tests read their own files

#[path = "../../../fuzz/bodies/exr.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

use solio_exr::Compression;

/// The methods that have a target each, by its name.
const CHUNKS: [(&str, Compression); 9] = [
    ("exr_rle", Compression::Rle),
    ("exr_zip", Compression::Zip),
    ("exr_piz", Compression::Piz),
    ("exr_pxr24", Compression::Pxr24),
    ("exr_b44", Compression::B44),
    ("exr_dwa", Compression::Dwaa),
    ("exr_zstd", Compression::Zstd),
    ("exr_htj2k", Compression::Htj2k32),
    ("exr_lj2k", Compression::Lj2k),
];

fn made_up(seed: u64) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let length = next() % 600;
    // Some noise, some small numbers, some runs.
    let mask = [0xff, 0x0f, 0x81, 0x03][(seed % 4) as usize];
    (0..length).map(|_| (next() >> 32) as u8 & mask).collect()
}

/// What fuzzing has found, and what reaches most.
fn findings(target: &str) -> Vec<Vec<u8>> {
    kept::kept(target).into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn the_bodies_hold() {
    bodies::init();
    for (target, compression) in CHUNKS {
        for bytes in (0..800).map(made_up).chain(findings(target)) {
            bodies::chunk(compression, &bytes);
        }
    }
    for bytes in (0..400).map(made_up).chain(findings("exr")) {
        bodies::file(&bytes);
        bodies::file(&[&[0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0], &bytes[..]].concat());
    }
}
