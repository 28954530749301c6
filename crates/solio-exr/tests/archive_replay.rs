//! Replays the body of the fuzz target of files of arrays over changed files and over what fuzzing
//! has found.
#![allow(clippy::disallowed_methods)] // a test reads its own files

#[path = "../../../fuzz/bodies/array.rs"]
mod bodies;
mod images;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

use solio_base::Work;
use solio_codec::array::file::{ArrayShape, ArrayWriter, ChunkChecksum, Kind};
use solio_codec::array::{Effort, Element};
use solio_exr::archive::{ExrPacker, ExrPacking, PackingOptions};
use solio_exr::{Compression, WriteOptions, encode_exr};
use std::path::Path;

/// A file of an array of each element, and files of an image each.
fn seeds() -> Vec<Vec<u8>> {
    let work = Work::serial();
    let mut seeds = Vec::new();
    for effort in [Effort::Fast, Effort::Max] {
        let mut bytes = Vec::new();
        let mut writer = ArrayWriter::new(&mut bytes, &work).unwrap();
        for element in Element::ALL {
            let shape = ArrayShape::new(element, &[7, 20, 3]).unwrap();
            let samples: Vec<u8> = (0..shape.bytes()).map(|i| (i * i / 29) as u8).collect();
            let name = format!("{element:?}");
            writer.add_array(&name, &shape, &samples, effort, &work).unwrap();
        }
        writer.finish(&work).unwrap();
        seeds.push(bytes);
    }
    let some = ["mixed types 2", "subsampled 3", "tiles 8", "parts"];
    for compression in [Compression::None, Compression::Zip, Compression::Piz, Compression::B44] {
        let mut images = images::flat_images(compression);
        if compression == Compression::None {
            images.append(&mut images::deep_images(compression));
        }
        for (name, image) in images {
            if some.contains(&&name[..]) || name.starts_with("deep") {
                let mut file = Vec::new();
                encode_exr(&image, &WriteOptions::default(), &mut file, &work).unwrap();
                seeds.push(archive(&file));
            }
        }
    }
    seeds
}

fn archive(file: &[u8]) -> Vec<u8> {
    let work = Work::serial();
    let mut bytes = Vec::new();
    let mut writer = ArrayWriter::new(&mut bytes, &work).unwrap();
    let packing = ExrPacking::new(&file, &PackingOptions::default()).unwrap();
    let (mut packer, mut chunk) = (ExrPacker::default(), Vec::new());
    let (mut pieces, mut sums) = (Vec::new(), Vec::new());
    for piece in 0..packing.pieces() {
        let packed = packer.pack(&packing, piece, &file, &mut chunk).unwrap();
        writer.add_chunk(&chunk, ChunkChecksum::of(&chunk).unwrap(), &work).unwrap();
        pieces.push(packed.piece);
        sums.push(packed.sum);
    }
    writer.end_entry("a", Kind::Exr, packing.detail(pieces, &sums).encode()).unwrap();
    writer.finish(&work).unwrap();
    bytes
}

/// For fuzzing to begin with: see `.ci/fuzz`.
#[test]
fn seeds_are_written() {
    if let Ok(folder) = std::env::var("SOLIO_SEEDS") {
        std::fs::create_dir_all(&folder).unwrap();
        for (i, seed) in seeds().iter().enumerate() {
            std::fs::write(Path::new(&folder).join(i.to_string()), seed).unwrap();
        }
    }
}

#[test]
fn the_body_holds() {
    bodies::init();
    let seeds = seeds();
    for seed in &seeds {
        bodies::array(seed);
        for i in 0..200 {
            let mut changed = seed.clone();
            let at = i * seed.len() / 200;
            changed[at] ^= 1 << (i % 8);
            bodies::array(&changed);
            bodies::array(&seed[..at]);
        }
    }
    kept::kept("array").iter().for_each(|(_, bytes)| bodies::array(bytes));
}
