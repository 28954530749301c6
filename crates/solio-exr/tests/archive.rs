//! Files in a file of arrays: they come back, whatever they are; damaged ones are refused.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

mod images;

use images::{UnmappedBytes, deep_images, flat_images};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::array::Effort;
use solio_codec::array::file::{ArrayFile, ArrayReadOptions, ArrayWriter, ChunkChecksum, Kind};
use solio_exr::archive::{
    Archived, Compressed, ExrPacker, ExrPacking, ExrUnpacker, FilePiece, PackingOptions,
};
use solio_exr::header::{LineOrder, Value};
use solio_exr::{Compression, Levels, ReadOptions, WriteOptions, decode_exr, encode_exr};
use std::path::{Path, PathBuf};

/// A file of arrays with one file in it, and how many of its pieces were packed.
fn archive(file: &dyn Source, options: &PackingOptions) -> Result<(Vec<u8>, usize)> {
    let work = Work::serial();
    let mut bytes = Vec::new();
    let mut writer = ArrayWriter::new(&mut bytes, &work)?;
    let packing = ExrPacking::new(file, options)?;
    let (mut packer, mut chunk) = (ExrPacker::default(), Vec::new());
    let (mut pieces, mut sums) = (Vec::new(), Vec::new());
    for piece in 0..packing.pieces() {
        let packed = packer.pack(&packing, piece, file, &mut chunk)?;
        writer.add_chunk(&chunk, ChunkChecksum::of(&chunk)?, &work)?;
        pieces.push(packed.piece);
        sums.push(packed.sum);
    }
    let packed = pieces.iter().filter(|piece| **piece != FilePiece::Kept).count();
    writer.end_entry("a.exr", Kind::Exr, packing.detail(pieces, &sums).encode())?;
    writer.finish(&work)?;
    Ok((bytes, packed))
}

/// The file in a file of arrays.
fn restored(archive: &[u8], compressed: Compressed, verify: bool) -> Result<Vec<u8>> {
    let options = ArrayReadOptions { verify, ..ArrayReadOptions::default() };
    let read = ArrayFile::read(&archive, &options)?;
    let entry = read.find("a.exr").ok_or_else(|| Error::corrupt("gone").at_offset(0))?;
    let archived = Archived::new(entry, &options.limits)?;
    let mut file = archived.start();
    let mut tables = archived.tables();
    let (mut unpacker, mut chunk, mut out) = (ExrUnpacker::default(), Vec::new(), Vec::new());
    for (piece, place) in entry.chunks.iter().enumerate() {
        let placed = |e: Error| Error::new(e.kind(), e.message()).at_offset(place.offset);
        read.read_chunk(&archive, place, &mut chunk)?;
        unpacker.unpack(&archived, piece, &chunk, compressed, &mut out).map_err(placed)?;
        tables.add(unpacker.chunks()).map_err(placed)?;
        file.extend_from_slice(&out);
    }
    let tables = tables.finish().map_err(|e| e.at_offset(0))?;
    let head = archived.detail.head.len();
    file[head..head + tables.len()].copy_from_slice(&tables);
    if let Some(crc) = archived.detail.crc.filter(|_| compressed == Compressed::Own && verify) {
        assert_eq!(crc32fast::hash(&file), crc);
    }
    Ok(file)
}

/// Packs and unpacks in all ways; bytes of the file of arrays without and with `exact`, and how
/// many pieces were packed.
fn there_and_back(name: &str, file: &[u8]) -> ([usize; 2], [usize; 2]) {
    let (mut sizes, mut packed) = ([0; 2], [0; 2]);
    for exact in [false, true] {
        let options = PackingOptions { exact, ..PackingOptions::default() };
        let (bytes, pieces) = archive(&file, &options).unwrap();
        (sizes[usize::from(exact)], packed[usize::from(exact)]) = (bytes.len(), pieces);
        for compressed in [Compressed::Own, Compressed::Not] {
            let back = restored(&bytes, compressed, true).unwrap();
            if exact && compressed == Compressed::Own {
                assert!(back == file, "{name}: other bytes");
                continue;
            }
            let read = |bytes: &[u8]| {
                // Some files are damaged; what can be read of them is the same.
                let (levels, partial) = (Levels::All, true);
                let options = ReadOptions { levels, partial, ..ReadOptions::default() };
                let image = decode_exr(&bytes, &options, &Work::serial());
                image.map_or_else(|_| Err(bytes.to_vec()), |image| Ok(bits(image)))
            };
            assert!(read(&back) == read(file), "{name}: other pixels, {compressed:?}");
        }
    }
    (sizes, packed)
}

/// Headers and samples, as bytes: NaNs count, too.
fn bits(image: solio_exr::Image<'_>) -> Vec<(solio_exr::header::Part, Vec<Vec<u8>>)> {
    use solio_exr::model::Pixels;
    let of_planes = |planes: &[solio_exr::model::Plane<'_>]| {
        planes.iter().map(|plane| plane.samples.as_bytes().to_vec()).collect::<Vec<_>>()
    };
    let parts = image.parts.into_iter().map(|part| {
        let planes = match &part.pixels {
            Pixels::Flat(levels) => levels.iter().flat_map(|l| of_planes(&l.planes)).collect(),
            Pixels::Deep(levels) => levels
                .iter()
                .flat_map(|l| {
                    let counts = l.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
                    [vec![counts], of_planes(&l.planes)].concat()
                })
                .collect(),
        };
        (part.header, planes)
    });
    parts.collect()
}

/// Small files of every make.
fn files(options: &WriteOptions) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for compression in Compression::ALL {
        let mut images = flat_images(compression);
        if [Compression::None, Compression::Rle, Compression::Zips, Compression::Zstd]
            .contains(&compression)
        {
            images.append(&mut deep_images(compression));
        }
        for (name, image) in images {
            let mut bytes = Vec::new();
            if encode_exr(&image, options, &mut bytes, &Work::serial()).is_ok() {
                files.push((format!("{compression:?} {name}"), bytes));
            }
        }
    }
    assert!(files.len() > 100);
    files
}

#[test]
fn files_of_every_make_come_back() {
    for compat in [false, true] {
        let options = WriteOptions { compat, ..WriteOptions::default() };
        let mut packed_exactly = 0;
        for (name, file) in files(&options) {
            let (_, packed) = there_and_back(&name, &file);
            packed_exactly += usize::from(packed[1] > 0);
        }
        assert!(packed_exactly > 40, "{packed_exactly}");
    }
}

#[test]
fn files_come_back_from_sources_without_memory() {
    let (_, file) = files(&WriteOptions::default()).remove(20);
    let options = PackingOptions::default();
    let (bytes, _) = archive(&&file[..], &options).unwrap();
    assert!(bytes == archive(&UnmappedBytes(file), &options).unwrap().0);
}

#[test]
fn rows_from_the_bottom_to_the_top_are_packed_together() {
    for order in [LineOrder::Increasing, LineOrder::Decreasing] {
        let name = "mixed types 2";
        let images = flat_images(Compression::Zip);
        let (_, mut image) = images.into_iter().find(|(n, _)| n == name).unwrap();
        image.parts[0].header.set("lineOrder", Value::LineOrder(order));
        let mut file = Vec::new();
        encode_exr(&image, &WriteOptions::default(), &mut file, &Work::serial()).unwrap();
        let (_, packed) = there_and_back(name, &file);
        assert_eq!(packed, [1, 1], "{order:?}");
    }
}

#[test]
fn odd_files_are_kept_whole() {
    let (_, file) = files(&WriteOptions::default()).remove(30);
    let longer = [&file[..], &[1, 2, 3]].concat();
    let cut = &file[..file.len() - 1];
    let mut unfinished = file.clone();
    let head = ExrPacking::new(&&file[..], &PackingOptions::default()).unwrap();
    let at = head.detail(Vec::new(), &[]).head.len();
    unfinished[at..at + 8].fill(0);
    for odd in [&longer[..], cut, &unfinished] {
        let packing = ExrPacking::new(&odd, &PackingOptions::default()).unwrap();
        assert!(packing.is_whole());
        let (bytes, _) = archive(&odd, &PackingOptions::default()).unwrap();
        assert!(restored(&bytes, Compressed::Own, true).unwrap() == odd);
    }
    assert!(archive(&&file[..10], &PackingOptions::default()).is_err());
}

#[test]
fn chunks_that_do_not_unpack_are_kept_and_told() {
    let mut notes = Vec::new();
    let mut files = files(&WriteOptions::default());
    files.retain(|(name, _)| name.starts_with("Zip "));
    for (_, mut damaged) in files {
        let end = damaged.len();
        damaged[end - 60..end - 20].fill(0xff);
        // The header of a very small file was there.
        let packing = ExrPacking::new(&&damaged[..], &PackingOptions::default());
        let Ok(packing) = packing else { continue };
        for piece in 0..packing.pieces() {
            let packed = ExrPacker::default().pack(&packing, piece, &&damaged[..], &mut Vec::new());
            notes.extend(packed.unwrap().damage);
        }
        there_and_back("damaged", &damaged);
    }
    assert!(notes.iter().any(|note| note.contains("zlib")), "{notes:?}");
}

#[test]
fn damaged_archives_are_refused_with_a_place() {
    let some = ["Zip tiles 8", "Piz parts", "Zips deep", "B44 mixed types 2"];
    for (name, file) in files(&WriteOptions::default()) {
        if !some.iter().any(|some| name.starts_with(some)) {
            continue;
        }
        let (bytes, _) = archive(&&file[..], &PackingOptions::default()).unwrap();
        for i in 0..256 {
            let mut changed = bytes.clone();
            let at = i * bytes.len() / 256;
            changed[at] ^= 1 << (i % 8);
            let error = restored(&changed, Compressed::Own, true).expect_err(&name);
            assert!(error.offset().is_some(), "{name}: {error}");
            // Without sums, something or an error with a place.
            if let Err(error) = restored(&changed, Compressed::Own, false) {
                assert!(error.offset().is_some(), "{name}: {error}");
            }
        }
    }
}

/// All EXR files under `folder`, sorted.
fn exr_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut exr_files(&path));
        } else if path.extension().is_some_and(|end| end == "exr") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn real_files_come_back() {
    let root = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let mut files = exr_files(&Path::new(&root).join("exr"));
    if files.is_empty() {
        println!("skipped: no files in {root}/exr");
    }
    // Of a sequence one in ten is enough here.
    let mut number = 0;
    files.retain(|path| {
        number += 1;
        !path.components().any(|part| part.as_os_str() == "fls") || number % 10 == 0
    });
    let (mut all, mut sizes) = (0, [0; 2]);
    for path in files {
        let file = std::fs::read(&path).unwrap();
        if ExrPacking::new(&&file[..], &PackingOptions::default()).is_err() {
            println!("{}: refused", path.display());
            continue;
        }
        let (made, packed) = there_and_back(&path.display().to_string(), &file);
        println!("{}: {} {made:?} pieces {packed:?}", path.display(), file.len());
        all += file.len();
        sizes[0] += made[0];
        sizes[1] += made[1];
    }
    println!("{all} bytes become {sizes:?}");
}

#[test]
fn more_effort_makes_nothing_larger() {
    let (_, image) = flat_images(Compression::Zip).remove(0);
    let mut file = Vec::new();
    encode_exr(&image, &WriteOptions::default(), &mut file, &Work::serial()).unwrap();
    let size = |effort| {
        let options = PackingOptions { effort, limits: Limits::default(), exact: false };
        archive(&&file[..], &options).unwrap().0.len()
    };
    assert!(size(Effort::Thorough) <= size(Effort::Fast));
}
