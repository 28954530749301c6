//! Files that are cut, damaged or made to harm: reading ends, soon, within little memory.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

#[path = "../../../fuzz/bodies/photo.rs"]
mod bodies;
mod fixtures;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;
mod photos;

use fixtures::{all, boxed, directory, entry, jpeg};
use photos::{files, photos, root};
use solio_base::{Result, Source};
use solio_photo::{Fields, ReadOptions, decode_metadata};
use std::path::PathBuf;

/// Bytes that must be read in parts, as those of a file.
struct Parts<'a>(&'a [u8]);

impl Source for Parts<'_> {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

fn read(bytes: &[u8]) -> usize {
    decode_metadata(bytes, &ReadOptions::default()).map_or(0, |metadata| {
        metadata.tags.iter().for_each(|tag| {
            tag.text();
            tag.number();
        });
        metadata.tags.len()
    })
}

#[test]
fn fixtures_have_their_tags() {
    for (name, bytes, least) in all() {
        let found = read(&bytes);
        assert!(found >= least, "{name}: {found} tags");
        let parts = decode_metadata(&Parts(&bytes), &ReadOptions::default()).unwrap();
        assert_eq!(parts.tags.len(), found, "{name}: the same in parts");
        for end in 0..bytes.len() {
            read(&bytes[..end]);
        }
        read(&[&bytes[..], &[0xff]].concat());
    }
}

#[test]
fn items_in_several_places_are_put_together() {
    let shown = |bytes: &[u8]| -> Vec<String> {
        let metadata = decode_metadata(bytes, &ReadOptions::default()).unwrap();
        assert!(metadata.get("ExifIFD:DateTimeOriginal").is_some());
        let shown =
            |tag: &solio_photo::Tag| format!("{}:{} {}", tag.group, tag.name, tag.text().plain());
        metadata.tags.iter().map(shown).collect()
    };
    assert_eq!(shown(&fixtures::heif_in_parts(&[0, 7, 130])), shown(&fixtures::heif()));
}

#[test]
fn packed_boxes_say_what_they_hold() {
    let metadata = decode_metadata(&fixtures::jxl()[..], &ReadOptions::default()).unwrap();
    for (field, text) in [
        ("IFD0:Orientation", "Rotate 90 CW"),
        ("XMP-dc:Format", "image/jxl"),
        ("JUMBF:JUMDLabel", "test.json"),
        ("JSON:Answer", "42"),
        ("Composite:ImageSize", "200x300"),
    ] {
        assert_eq!(metadata.get(field).unwrap().text().plain(), text, "{field}");
    }
    assert!(metadata.warnings.is_empty());
}

#[test]
fn flipped_bits_do_no_harm() {
    for (_, bytes, _) in all() {
        let mut state = 1u64;
        for _ in 0..1024 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut bytes = bytes.clone();
            for shift in [33, 17] {
                let bit = (state >> shift) as usize % (bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            read(&bytes);
        }
    }
}

#[test]
fn dates_take_one_small_read() {
    let mut bytes = jpeg();
    bytes.resize(1 << 20, 0);
    let options = ReadOptions {
        fields: Fields::of(["DateTimeOriginal", "ModifyDate"]),
        ..ReadOptions::default()
    };
    let metadata = decode_metadata(&Parts(&bytes), &options).unwrap();
    let date = metadata.get("DateTimeOriginal").unwrap().text().plain();
    assert_eq!((date.as_str(), metadata.bytes_read), ("2020:01:02 03:04:05", 2048));
    assert_eq!(metadata.tags.len(), 2);
}

#[test]
fn counts_without_data_take_no_memory() {
    let mut huge = b"II*\0\x08\0\0\0\xff\xff".to_vec();
    huge.extend(entry(0x0111, 4, u32::MAX, 0).repeat(2000));
    let many = directory(&vec![entry(0x0140, 3, 30_000, 8); 5000], 8);
    let many = [&b"II*\0\x08\0\0\0"[..], &many].concat();
    let deep = boxed(b"moov", &(0..2000).fold(vec![], |inner, _| boxed(b"trak", &inner)));
    for bytes in [huge, many, deep] {
        bodies::file(&bytes, "");
    }
}

/// Packets of many names, and directories over one another: work that grows with the square of a
/// file's size would take minutes here.
#[test]
fn many_of_anything_take_no_more_than_their_share() {
    let each = |form: &dyn Fn(u32) -> String| (0..60_000).map(form).collect::<String>();
    let packet = |attributes: &str, inner: &str| {
        format!(
            "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
             xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
             xmlns:a='http://a/'{attributes}>{inner}</rdf:Description></rdf:RDF></x:xmpmeta>"
        )
    };
    let bag = "<rdf:Bag><rdf:li>x</rdf:li></rdf:Bag>";
    let properties = each(&|n| format!("<a:p{n}>{bag}</a:p{n}>"));
    let spaces = each(&|n| format!(" xmlns:n{n}='http://n{n}/'"));
    for packet in [packet("", &properties), packet(&spaces, &properties)] {
        assert!(read(packet.as_bytes()) <= 1 << 14);
        bodies::file(packet.as_bytes(), "xmp");
    }
    // Each starts within the one before, and goes on to the next.
    let (count, all) = (65_535, 250);
    let mut bytes =
        [&b"II*\0\x08\0\0\0\0\0"[..], &entry(0xffff, 3, 1, 0).repeat(count + all)].concat();
    for n in 0..all {
        let (start, next) = (8 + 12 * n, (8 + 12 * (n + 1)) as u32);
        bytes[start..start + 2].copy_from_slice(&[0xff, 0xff]);
        let end = start + 2 + 12 * count;
        bytes.resize(bytes.len().max(end + 4), 0);
        bytes[end..end + 4].copy_from_slice(&next.to_le_bytes());
    }
    bodies::file(&bytes, "tif");
}

#[test]
fn no_real_file_takes_much() {
    let Some(photos) = photos() else {
        println!("skipped: needs SOLIO_DATA/photo");
        return;
    };
    let mut all = Vec::new();
    files(&photos, &mut all);
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        bodies::file(&bytes, &extension);
        // What a copy that broke off, or was damaged at one place, makes of it.
        let half = &bytes[..bytes.len() / 2];
        bodies::file(half, &extension);
        let mut damaged = half.to_vec();
        let middle = damaged.len() / 3;
        damaged.iter_mut().skip(middle).take(8).for_each(|byte| *byte = 0xff);
        bodies::file(&damaged, &extension);
    }
}

/// What the fuzz target `name` starts from.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    if let Some(maker) = name.strip_prefix("note_") {
        let note = directory(&[entry(1, 3, 1, 6), entry(2, 4, 1, 7), entry(9, 2, 3, 0x6162)], 0);
        let own = [&[2, b'I', b'I', b'*', 0, 8, 0, 0, 0][..], &note].concat();
        let _ = maker;
        return vec![[&[0][..], &note].concat(), [&[2][..], &note].concat(), own];
    }
    let kind = name.trim_start_matches("photo_");
    if kind == "jumbf" {
        return vec![fixtures::jumbf()];
    }
    if kind == "brob" {
        let choice = |kind| bodies::PACKED_KINDS.iter().position(|k| *k == kind).unwrap() as u8;
        let seed = |(kind, packed): (_, Vec<u8>)| [&[choice(kind)], &packed[..]].concat();
        return fixtures::packed().map(seed).collect();
    }
    let kinds: &[&str] = match kind {
        "jpeg" => &["jpeg", "makers"],
        "bigtiff" => &["tiff"],
        "cr3" => &["heif", "movie"],
        "jxl" => &["jp2", "jxl"],
        other => &[other],
    };
    all().into_iter().filter(|(name, ..)| kinds.contains(name)).map(|(_, bytes, _)| bytes).collect()
}

fn targets() -> impl Iterator<Item = String> {
    let containers = bodies::CONTAINERS.iter().map(|(name, _)| format!("photo_{name}"));
    containers.chain(bodies::MAKERS.iter().map(|(name, ..)| format!("note_{name}")))
}

/// With `SOLIO_SEEDS=FOLDER/TARGET` the seeds of a fuzz target are written there.
#[test]
fn seeds_are_written() {
    let Some(folder) = std::env::var_os("SOLIO_SEEDS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (n, bytes) in seeds(&name).iter().enumerate() {
        std::fs::write(folder.join(n.to_string()), bytes).unwrap();
    }
}

#[test]
fn the_bodies_hold() {
    for target in targets() {
        let run = |bytes: &[u8]| match target.split_once('_') {
            Some(("note", maker)) => bodies::note(maker, bytes),
            Some((_, kind)) => bodies::container(kind, bytes),
            None => {}
        };
        findings(&target).iter().filter(|bytes| !bytes.is_empty()).for_each(|bytes| run(bytes));
        for seed in seeds(&target) {
            let mut state = 7u64;
            for _ in 0..200 {
                run(&seed);
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mut bytes = seed.clone();
                for shift in [33, 21, 9] {
                    let at = (state >> shift) as usize % bytes.len();
                    bytes[at] = (state >> 50) as u8 >> (shift % 7);
                }
                run(&bytes);
                run(&bytes[..(state >> 40) as usize % bytes.len()]);
            }
        }
    }
}

fn findings(target: &str) -> Vec<Vec<u8>> {
    kept::kept(target).into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn findings_stay_mended() {
    let findings = root().join("fuzz/findings");
    for (name, _) in bodies::CONTAINERS {
        let mut all = Vec::new();
        files(&findings.join(format!("photo_{name}")), &mut all);
        all.iter().for_each(|path| bodies::container(name, &std::fs::read(path).unwrap()));
    }
}
