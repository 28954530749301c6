//! Whether each tag is found when it is asked for alone: what a list of fields leaves out must not
//! hold what it wants.
//!
//! Prints a line with `skipped` where the photos of `SOLIO_DATA` are missing.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

mod photos;

use photos::{files, photos};
use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};
use std::collections::BTreeSet;
use std::path::Path;

fn read(bytes: &[u8], path: &Path, fields: Fields) -> Option<Metadata> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    decode_metadata(bytes, &ReadOptions { fields, extension, ..ReadOptions::default() }).ok()
}

/// The values of all tags of one name and group.
fn values(metadata: &Metadata, group: &str, name: &str) -> Vec<String> {
    let tags = metadata.tags.iter().filter(|tag| tag.group == group && tag.name == name);
    tags.map(|tag| format!("{:?}", tag.text())).collect()
}

/// Groups at the end of a file, which is read only where one of them is named.
const TRAILERS: [&str; 5] = ["IPTC2", "AFCP", "FotoStation", "PhotoMechanic", "Samsung"];

/// Names of which a file's tags are lost when they are asked for alone.
fn lost(bytes: &[u8], path: &Path) -> BTreeSet<String> {
    let Some(all) = read(bytes, path, Fields::all()) else { return BTreeSet::new() };
    let names: BTreeSet<&str> = all.tags.iter().map(|tag| &*tag.name).collect();
    let mut lost = BTreeSet::new();
    for name in names {
        // The one that counts; others may be left out.
        let wanted = all.get(name).expect("it is there");
        let few = read(bytes, path, Fields::of([name]));
        let got = few.as_ref().and_then(|few| few.get(name));
        let equal = TRAILERS.contains(&&*wanted.group)
            || got.is_some_and(|got| got.group == wanted.group && got.text() == wanted.text());
        if !equal {
            lost.insert(format!("{name} ({})", wanted.group));
        }
        // With its group, every one of them.
        let groups: BTreeSet<&str> =
            all.tags.iter().filter(|tag| tag.name == name).map(|tag| &*tag.group).collect();
        for group in groups {
            let field = format!("{group}:{name}");
            let few = read(bytes, path, Fields::of([&field])).unwrap_or_default();
            if values(&few, group, name) != values(&all, group, name) {
                lost.insert(field);
            }
        }
    }
    lost
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
