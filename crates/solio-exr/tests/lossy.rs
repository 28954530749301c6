//! Real files of each compression against their pixels as the reference once gave them.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use solio_base::Work;
use solio_exr::model::{Pixels, Samples};
use solio_exr::{ReadOptions, decode_exr};
use std::path::Path;

/// All samples, as 32-bit floats.
fn pixels(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    let image = decode_exr(&bytes, &ReadOptions::default(), &Work::serial())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!("{} is deep", path.display()) };
    let floats = levels[0].planes.iter().flat_map(|plane| match &plane.samples {
        Samples::Uint(samples) => samples.iter().map(|s| *s as f32).collect::<Vec<f32>>(),
        Samples::Half(samples) => samples.iter().map(|s| s.to_f32()).collect(),
        Samples::Float(samples) => samples.to_vec(),
    });
    floats.collect()
}

#[test]
fn pixels_are_those_of_the_reference() {
    let data = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let folder = Path::new(&data).join("exr/exrs/tests/images/valid/custom/compression_methods");
    // Those of a folder whose pixels are the same, or that have their pixels beside them. Those of
    // DWA come from an older release: OpenEXR 3.5.3 differs in as many samples as we do.
    let pairs = [
        (0, "f16/rle.exr", "f16/uncompressed.exr"),
        (0, "f16/zip.exr", "f16/uncompressed.exr"),
        (0, "f16/pxr24.exr", "f16/decompressed_pxr24.exr"),
        (0, "f16/b44a.exr", "f16/decompressed_b44.exr"),
        (0, "f32/zips.exr", "f32/piz.exr"),
        (72, "f32/dwaa.exr", "f32/decompressed_dwaa.exr"),
        (330, "f32/dwab.exr", "f32/decompressed_dwab.exr"),
    ];
    for (expected, packed, plain) in pairs {
        if !folder.join(packed).exists() || !folder.join(plain).exists() {
            println!("skipped: no {packed} with {plain} in {}", folder.display());
            continue;
        }
        let (a, b) = (pixels(&folder.join(packed)), pixels(&folder.join(plain)));
        assert_eq!(a.len(), b.len(), "{packed}");
        let wrong = a.iter().zip(&b).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        println!("{packed}: {wrong} of {} samples differ from {plain}", a.len());
        assert_eq!(wrong, expected, "{packed}");
    }
}
