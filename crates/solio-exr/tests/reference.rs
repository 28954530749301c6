//! Real files against the pixels that the reference gave, bit by bit; and damaged ones, which
//! are refused with a place, in memory within limits. `reference/pixels.md` says how the
//! reference's sums were made.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use libdeflater::Crc;
use peak_alloc::PeakAlloc;
use solio_base::{ErrorKind, Work};
use solio_exr::model::{Pixels, Plane};
use solio_exr::{Levels, ReadOptions, decode_exr};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time, as the memory is measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Part and level: samples and their CRC.
type SampleSums = BTreeMap<(usize, u32, u32), (usize, u32)>;

fn folder() -> PathBuf {
    let data = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    Path::new(&data).join("exr")
}

/// The reference's sums, by file.
fn expected() -> BTreeMap<&'static str, SampleSums> {
    let mut files: BTreeMap<&str, SampleSums> = BTreeMap::new();
    for line in include_str!("reference/pixels.tsv").lines().skip(1) {
        let [path, part, x, y, samples, crc] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let key = (part.parse().unwrap(), x.parse().unwrap(), y.parse().unwrap());
        let sum = (samples.parse().unwrap(), u32::from_str_radix(crc, 16).unwrap());
        files.entry(path).or_default().insert(key, sum);
    }
    files
}

fn sum<'p>(counts: &[u32], planes: impl IntoIterator<Item = &'p Plane<'p>>) -> (usize, u32) {
    let (mut samples, mut crc) = (counts.len(), Crc::new());
    counts.iter().for_each(|count| crc.update(&count.to_le_bytes()));
    for plane in planes {
        samples += plane.samples.len();
        crc.update(plane.samples.as_bytes());
    }
    (samples, crc.sum())
}

fn sums(path: &Path) -> SampleSums {
    let bytes = std::fs::read(path).unwrap();
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    let image = decode_exr(&bytes, &options, &Work::default())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut sums = SampleSums::new();
    for (i, part) in image.parts.iter().enumerate() {
        match &part.pixels {
            Pixels::Flat(levels) => sums.extend(
                levels.iter().map(|level| ((i, level.x, level.y), sum(&[], &level.planes))),
            ),
            Pixels::Deep(levels) => {
                sums.extend(levels.iter().map(|l| ((i, l.x, l.y), sum(&l.counts, &l.planes))))
            }
        }
    }
    sums
}

#[test]
fn pixels_are_those_of_the_reference() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut same, mut samples, mut absent) = (0, 0, 0);
    for (name, expected) in expected() {
        let path = folder().join(name);
        if !path.exists() {
            absent += 1;
            continue;
        }
        let found = sums(&path);
        for (key, sum) in expected {
            assert_eq!(found.get(&key), Some(&sum), "{name}: part, level {key:?}");
            samples += sum.0;
        }
        same += 1;
    }
    println!("{same} files, {samples} samples as the reference's");
    if absent > 0 {
        println!("skipped: {absent} files are not in {}", folder().display());
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() { found.append(&mut files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn damaged_files_are_refused_in_bounded_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = expected();
    let (mut refused, mut read, mut most) = (0, 0, 0);
    for path in files(&folder()) {
        let name = path.strip_prefix(folder()).unwrap().to_string_lossy().into_owned();
        if known.contains_key(&name[..]) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for partial in [false, true] {
            let options = ReadOptions { levels: Levels::All, partial, ..ReadOptions::default() };
            MEMORY.reset_peak_usage();
            let before = MEMORY.current_usage();
            let result = decode_exr(&bytes, &options, &Work::serial());
            let took = MEMORY.peak_usage() - before;
            // What a chunk or a missing chunk may stand for, and what unpacking one takes.
            assert!(took <= (4 << 20) + (4 << 12) * bytes.len(), "{name}: {took} bytes of memory");
            most = most.max(took);
            match result {
                Ok(image) => read += usize::from(!image.parts.is_empty()),
                Err(e) => {
                    assert!(e.offset().is_some(), "{name}: no place: {e}");
                    let kinds = [ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::Limit];
                    assert!(kinds.contains(&e.kind()), "{name}: {e}");
                    refused += usize::from(!partial);
                }
            }
        }
    }
    println!("{refused} refused, {read} read in full or in part, at most {most} bytes of memory");
    if refused == 0 {
        println!("skipped: no damaged files in {}", folder().display());
    }
}
