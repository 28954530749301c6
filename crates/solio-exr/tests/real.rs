//! Real files: read, or refused with a place and a reason.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use solio_base::{Limits, Work};
use solio_exr::{Levels, ReadOptions, decode_exr, decode_header};
use std::path::{Path, PathBuf};

/// All EXR files under `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else if path.extension().is_some_and(|end| end == "exr") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The real files that there are; says so where there are none.
fn real_files() -> Vec<PathBuf> {
    let root = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let found = files(&Path::new(&root).join("exr"));
    if found.is_empty() {
        println!("skipped: no files in {root}/exr");
    }
    found
}

#[test]
fn headers_are_kept_to_the_byte() {
    let (mut same, mut refused) = (0, 0);
    for path in real_files() {
        let bytes = std::fs::read(&path).unwrap();
        match decode_header(&bytes, &Limits::default()) {
            Ok(header) => {
                let mut again = Vec::new();
                header.encode(&mut again).unwrap();
                assert_eq!(again[..], bytes[..again.len()], "{}", path.display());
                same += 1;
            }
            Err(e) => {
                assert!(e.offset().is_some(), "{}: no place: {e}", path.display());
                println!("{}: {e}", path.display());
                refused += 1;
            }
        }
    }
    println!("{same} headers the same, {refused} refused");
}

#[test]
fn files_are_read_or_refused_with_a_place() {
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    let (mut read, mut refused) = (0, 0);
    for path in real_files() {
        let bytes = std::fs::read(&path).unwrap();
        match decode_exr(&bytes, &options, &Work::default()) {
            Ok(image) => {
                assert!(!image.parts.is_empty() && image.missing.is_empty());
                read += 1;
            }
            Err(e) => {
                assert!(e.offset().is_some(), "{}: no place: {e}", path.display());
                println!("{}: {e}", path.display());
                refused += 1;
            }
        }
    }
    println!("{read} read, {refused} refused");
}
