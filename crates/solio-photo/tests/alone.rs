//! Whether each tag is found when it is asked for alone: what a list of fields leaves out must not
//! hold what it wants.
//!
//! Prints a line with `skipped` where the photos of `SOLIO_DATA` are missing.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

#[allow(dead_code)] // other tests use the rest
mod fixtures;
mod photos;

use photos::{files, photos};
use solio_photo::{Fields, Metadata, ReadOptions, Tag, decode_metadata};
use std::collections::BTreeSet;
use std::path::Path;

fn read(bytes: &[u8], path: &Path, fields: Fields) -> Option<Metadata> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    decode_metadata(bytes, &ReadOptions { fields, extension, ..ReadOptions::default() }).ok()
}

/// What the tags say that are `wanted`, in their order.
fn stated(metadata: &Metadata, wanted: impl Fn(&Tag) -> bool) -> Vec<String> {
    let tags = metadata.tags.iter().filter(|tag| wanted(tag));
    tags.map(|tag| format!("{}: {:?} {:?}", tag.group, tag.text(), tag.number())).collect()
}

/// Fields of which a file does not say the same when they are asked for alone: by their name, and by
/// name and group.
fn lost(bytes: &[u8], path: &Path) -> BTreeSet<String> {
    let Some(all) = read(bytes, path, Fields::all()) else { return BTreeSet::new() };
    let mut lost = BTreeSet::new();
    let mut look = |field: &str, want: Vec<String>| {
        let few = read(bytes, path, Fields::of([field])).unwrap_or_default();
        let shown = |metadata: &Metadata| metadata.get(field).map(|tag| tag.text());
        if stated(&few, |_| true) != want || shown(&few) != shown(&all) {
            lost.insert(field.to_owned());
        }
    };
    let names: BTreeSet<&str> = all.tags.iter().map(|tag| &*tag.name).collect();
    for name in names {
        look(name, stated(&all, |tag| tag.name.eq_ignore_ascii_case(name)));
    }
    let keys: BTreeSet<(&str, &str)> =
        all.tags.iter().map(|tag| (&*tag.group, &*tag.name)).collect();
    for (group, name) in keys {
        let in_it = |tag: &Tag| tag.group == group || tag.family() == group;
        let same = |tag: &Tag| tag.name.eq_ignore_ascii_case(name) && in_it(tag);
        look(&format!("{group}:{name}"), stated(&all, same));
    }
    lost
}

/// A segment of JPEG.
fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    [&[0xff, marker][..], &(body.len() as u16 + 2).to_be_bytes(), body].concat()
}

/// A JPEG that has EXIF twice.
fn exif_twice() -> Vec<u8> {
    let exif = |year: u8| {
        let mut exif = [b"Exif\0\0", &fixtures::tiff()[..]].concat();
        exif[6 + 203] = year;
        segment(0xe1, &exif)
    };
    [&[0xff, 0xd8][..], &exif(b'4'), &exif(b'5'), &[0xff, 0xd9]].concat()
}

#[test]
fn every_tag_of_made_files_is_found_alone() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, bytes, count) in fixtures::all().into_iter().chain([("twice", exif_twice(), 10)]) {
        let path = Path::new("a").with_extension(if name == "tiff" { "tif" } else { name });
        assert!(read(&bytes, &path, Fields::all()).is_some_and(|all| all.tags.len() >= count / 2));
        wrong.extend(lost(&bytes, &path).into_iter().map(|field| format!("{name}: {field}")));
        seen += 1;
    }
    assert!(wrong.is_empty() && seen > 16, "{} are lost:\n{}", wrong.len(), wrong.join("\n"));
    let date = read(&exif_twice(), Path::new("a.jpg"), Fields::of(["DateTimeOriginal"]));
    let date = date.and_then(|all| all.get("DateTimeOriginal").map(|tag| tag.text().plain()));
    assert_eq!(date.as_deref(), Some("2025:01:02 03:04:05"));
}

#[test]
fn every_tag_is_found_alone() {
    let Some(photos) = photos() else {
        println!("skipped: needs SOLIO_DATA/photo");
        return;
    };
    let mut all = Vec::new();
    files(&photos, &mut all);
    let mut wrong = Vec::new();
    for path in all {
        let bytes = std::fs::read(&path).expect("the file is there");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        wrong.extend(lost(&bytes, &path).into_iter().map(|field| format!("{name}: {field}")));
    }
    assert!(wrong.is_empty(), "{} are lost:\n{}", wrong.len(), wrong.join("\n"));
}
