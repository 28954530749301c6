//! Single tags of sample cameras, alone and among all.
//!
//! Prints a line with `skipped` where the samples beside `SOLIO_DATA` are missing.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

#[allow(dead_code)] // other tests use the rest
mod photos;

use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};
use std::path::{Path, PathBuf};

/// A folder beside `SOLIO_DATA`.
fn beside(folder: &str) -> Option<PathBuf> {
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let data = data.unwrap_or_else(|| photos::root().join("../shared/data"));
    Some(data.join("..").join(folder)).filter(|samples| samples.is_dir())
}

fn samples() -> Option<PathBuf> {
    beside("cameras")
}

fn read(path: &Path, fields: Fields) -> Metadata {
    let bytes = std::fs::read(path).expect("the sample is there");
    let options = ReadOptions { fields, extension: "jpg".into(), ..ReadOptions::default() };
    decode_metadata(&bytes[..], &options).expect("the sample is read")
}

#[test]
fn printers_settings_within_notes_tell_their_version() {
    let Some(samples) = samples() else {
        println!("skipped: needs the cameras beside SOLIO_DATA");
        return;
    };
    let metadata = read(&samples.join("Sony/SonyDCR-IP45.jpg"), Fields::of(["PrintIMVersion"]));
    let text = metadata.get("PrintIM:PrintIMVersion").map(|tag| tag.text().plain());
    assert_eq!(text.as_deref(), Some("0100"));
}

/// Two cameras whose notes are long: how many tags there are, and some of them.
#[test]
fn long_notes_are_read_to_their_ends() {
    let Some(cases) = beside("cases/photo/cases") else {
        println!("skipped: needs the cases beside SOLIO_DATA");
        return;
    };
    for (file, group, count, some) in [
        (
            "mb_SonySLT-A33.jpg",
            "Sony",
            123,
            &[
                ("ExposureTime", "1/21"),
                ("AFStatusLower-middle", "Back Focus (+69)"),
                ("ShutterCount", "211"),
                ("DriveMode", "Self-timer 2 sec, Mirror Lock-up"),
                ("ImageNumber", "0064"),
                ("BatteryTemperature", "40.6 C"),
                ("LongExposureNoiseReduction", "On (unused)"),
            ][..],
        ),
        (
            "mb_SigmaDP2X.jpg",
            "Sigma",
            39,
            &[
                ("PreviewImageStart", "15980"),
                ("ExposureCompensation", "+1"),
                ("AFPoint", "Center"),
            ],
        ),
    ] {
        let metadata = read(&cases.join(file), Fields::all());
        let names = metadata.tags.iter().filter(|tag| tag.group == group).map(|tag| &*tag.name);
        let names: std::collections::BTreeSet<&str> = names.collect();
        assert_eq!(names.len(), count, "{file}");
        for (name, want) in some {
            let tag = metadata.get(&format!("{group}:{name}"));
            assert_eq!(tag.map(|tag| tag.text().plain()).as_deref(), Some(*want), "{name}");
        }
    }
}

/// Of files of each maker, each tag asked for by itself is what it is among all.
#[test]
fn a_tag_alone_is_what_it_is_among_all() {
    let Some(samples) = samples() else {
        println!("skipped: needs the cameras beside SOLIO_DATA");
        return;
    };
    let listed = |folder: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    };
    let mut wrong = Vec::new();
    for maker in listed(&samples).iter().filter(|path| path.is_dir()) {
        for path in listed(maker).iter().filter(|path| path.extension().is_some()).take(8) {
            for tag in &read(path, Fields::all()).tags {
                let field = format!("{}:{}", tag.group, tag.name);
                let alone = read(path, Fields::of([&field]));
                if !alone.tags.iter().any(|one| one.text() == tag.text()) {
                    wrong.push(format!("{}: {field}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
