//! Damaged files: an error with a place, or an image; no panic, and no more memory than the file
//! can account for.

mod images;

use images::{deep_images, flat_images};
use peak_alloc::PeakAlloc;
use solio_base::{ErrorKind, Limits, Work};
use solio_exr::{Compression, Levels, ReadOptions, ScanlineOptions, Scanlines, WriteOptions};
use solio_exr::{decode_exr, decode_header, encode_exr};
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time, as the memory is measured.
static ALONE: Mutex<()> = Mutex::new(());

/// A few small files of each kind, with each compression.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for compression in Compression::ALL {
        let mut images = flat_images(compression);
        if [Compression::None, Compression::Rle, Compression::Zips, Compression::Zstd]
            .contains(&compression)
        {
            images.append(&mut deep_images(compression));
        }
        let some = ["mixed types 2", "subsampled 3", "tiles 8", "parts"];
        images.retain(|(name, _)| name.starts_with("deep") || some.contains(&&name[..]));
        for (name, image) in images {
            let mut bytes = Vec::new();
            let written = encode_exr(&image, &WriteOptions::default(), &mut bytes, &Work::serial());
            match written {
                Ok(()) => files.push((format!("{compression:?} {name}"), bytes)),
                Err(e) => assert_eq!(e.kind(), ErrorKind::Unsupported, "{name}: {e}"),
            }
        }
    }
    files
}

/// Reads in every way; says whether it all was there.
fn survive(what: &str, bytes: &[u8]) -> bool {
    let mut whole = true;
    for partial in [false, true] {
        let options = ReadOptions { levels: Levels::All, partial, ..ReadOptions::default() };
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let result = decode_exr(&bytes, &options, &Work::serial());
        let took = MEMORY.peak_usage() - before;
        // A byte of a zip chunk may stand for 1,032 bytes, one of an unfinished file for 4,096,
        // one of these for more. Most of that are zeros that take no room before they are written.
        let dense = ["Dwa", "Zstd", "Htj2k", "Lj2k"].iter().any(|name| what.starts_with(name));
        let of_a_byte = if dense { 1 << 17 } else { 1 << 12 };
        let most = (4 << 20) + 4 * of_a_byte * bytes.len();
        assert!(took <= most, "{what}: {took} bytes of memory");
        match result {
            Ok(image) => whole &= image.missing.is_empty(),
            Err(e) => {
                whole = false;
                assert!(e.offset().is_some(), "{what}: no place: {e}");
                assert!(!matches!(e.kind(), ErrorKind::Io | ErrorKind::Argument), "{what}: {e}");
            }
        }
    }
    whole
}

#[test]
fn every_prefix_is_refused() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in files() {
        assert!(survive(&name, &bytes), "{name}");
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 900) {
            assert!(!survive(&format!("{name}, {end} bytes"), &bytes[..end]), "{name}, {end}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(survive(&name, &longer), "{name}: one byte more");
    }
}

#[test]
fn flipped_bits_are_survived() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, mut bytes) in files() {
        for i in 0..256 {
            // More often in the header and in the tables than in the pixels.
            let span = if i % 2 == 0 { bytes.len().min(700) } else { bytes.len() };
            let bit = (i * 0x9e37_79b1_usize) % (8 * span);
            bytes[bit / 8] ^= 1 << (bit % 8);
            survive(&format!("{name}, bit {bit}"), &bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn huge_numbers_take_no_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in files() {
        for at in (8..bytes.len().min(900)).step_by(3) {
            for number in [i32::MAX, i32::MAX / 2 - 1, -1] {
                let mut broken = bytes.clone();
                let end = (at + 4).min(broken.len());
                broken[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
                survive(&format!("{name}, {number} at {at}"), &broken);
            }
        }
    }
}

#[test]
fn rows_of_damaged_files_are_survived() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, mut bytes) in files() {
        for i in 0..64 {
            let bit = (i * 0x9e37_79b1_usize) % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            let options = ScanlineOptions::default();
            if let Ok(mut rows) = Scanlines::new(&bytes, &options, &Work::serial()) {
                let window = rows.window();
                let none = rows.row_into(window.min[1], &mut []);
                assert!(none.is_err(), "{name}, bit {bit}: every image has a channel");
                for y in (window.min[1]..=window.max[1]).take(100) {
                    if let Err(e) = rows.row(y) {
                        assert!(e.offset().is_some(), "{name}, bit {bit}: no place: {e}");
                    }
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn limits_are_kept() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = Limits { bytes: 1000, ..Limits::default() };
    for (name, bytes) in files() {
        let options = ReadOptions { limits, ..ReadOptions::default() };
        let e = decode_exr(&bytes, &options, &Work::serial()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit, "{name}: {e}");
        decode_header(&bytes, &limits).unwrap();
    }
}
