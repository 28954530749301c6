//! Which date counts in films and in raw files that are built like them: what comes later, be it of
//! QuickTime, EXIF or XMP.

#[allow(dead_code)] // other tests use the rest
mod fixtures;

use fixtures::boxed;
use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};

/// A header of a film that was made a day after 1970 began.
fn header() -> Vec<u8> {
    let mut body = vec![0; 100];
    let seconds = (66 * 365 + 17 + 1) * 86_400u32;
    body[4..8].copy_from_slice(&seconds.to_be_bytes());
    body[8..12].copy_from_slice(&(seconds + 86_400).to_be_bytes());
    body[12..16].copy_from_slice(&600u32.to_be_bytes());
    boxed(b"mvhd", &body)
}

/// A box of XMP.
fn packet() -> Vec<u8> {
    let identifier = b"\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac";
    let text = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
         xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
         xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:CreateDate='2001-02-03T04:05:06' \
         xmp:ModifyDate='2001-02-04T04:05:06'/></rdf:RDF></x:xmpmeta>";
    boxed(b"uuid", &[&identifier[..], text.as_bytes()].concat())
}

/// A CR3's boxes for EXIF: the main directory with a date of change, EXIF's with one of creation.
fn canon() -> Vec<u8> {
    let identifier = b"\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48";
    let tiff = |id: u16, date: &[u8; 20]| {
        let entry = fixtures::entry(id, 2, 20, 26);
        [b"II*\0\x08\0\0\0", &fixtures::directory(&[entry], 0)[..], date].concat()
    };
    let main = boxed(b"CMT1", &tiff(0x0132, b"2011:02:04 04:05:06\0"));
    let exif = boxed(b"CMT2", &tiff(0x9004, b"2011:02:03 04:05:06\0"));
    boxed(b"uuid", &[&identifier[..], &main, &exif].concat())
}

fn read(bytes: &[u8], fields: Fields) -> Metadata {
    decode_metadata(bytes, &ReadOptions { fields, ..ReadOptions::default() }).unwrap()
}

/// The group and the day of a date, read with all others; the same must come when it is read alone.
fn date(bytes: &[u8], name: &str) -> (String, String) {
    let of = |fields: Fields| {
        let metadata = read(bytes, fields);
        let tag = metadata.get(name).expect("there is a date");
        let main = metadata.main_tags();
        let listed = main.iter().find(|tag| tag.name == name).map(|tag| &tag.group);
        assert_eq!(listed, Some(&tag.group));
        (tag.group.to_string(), tag.text().plain()[..10].to_owned())
    };
    let found = of(Fields::all());
    assert_eq!(of(Fields::of([name])), found);
    found
}

fn is(group: &str, day: &str) -> (String, String) {
    (group.to_owned(), day.to_owned())
}

#[test]
fn of_a_films_dates_the_last_counts() {
    let brand = boxed(b"ftyp", b"qt  \0\0\0\0qt  ");
    let moov = boxed(b"moov", &header());
    let behind = [&brand[..], &moov, &packet()].concat();
    assert_eq!(date(&behind, "CreateDate"), is("XMP-xmp", "2001:02:03"));
    assert_eq!(date(&behind, "ModifyDate"), is("XMP-xmp", "2001:02:04"));
    let before = [&brand[..], &packet(), &moov].concat();
    assert_eq!(date(&before, "CreateDate"), is("QuickTime", "1970:01:02"));
    // Each is there by its own group, and all without one.
    let all = read(&behind, Fields::of(["CreateDate"]));
    assert_eq!(all.tags.len(), 2);
    assert!(all.get("QuickTime:CreateDate").is_some());
}

#[test]
fn of_a_raw_files_dates_the_last_counts() {
    let brand = boxed(b"ftyp", b"crx \0\0\0\x01crx isom");
    let moov = boxed(b"moov", &[canon(), header()].concat());
    let file = [&brand[..], &moov].concat();
    assert_eq!(date(&file, "CreateDate"), is("QuickTime", "1970:01:02"));
    assert_eq!(date(&file, "ModifyDate"), is("QuickTime", "1970:01:03"));
    let corrected = [&brand[..], &moov, &packet()].concat();
    assert_eq!(date(&corrected, "CreateDate"), is("XMP-xmp", "2001:02:03"));
    let other = [&brand[..], &boxed(b"moov", &[header(), canon()].concat())].concat();
    assert_eq!(date(&other, "CreateDate"), is("ExifIFD", "2011:02:03"));
    let groups = ["ExifIFD", "QuickTime", "XMP-xmp"];
    assert_eq!(groups_of_dates(&file), groups[..2]);
    assert_eq!(groups_of_dates(&corrected), groups);
}

/// The groups that have a date of creation.
fn groups_of_dates(bytes: &[u8]) -> Vec<String> {
    let metadata = read(bytes, Fields::of(["CreateDate"]));
    metadata.tags.iter().map(|tag| tag.group.to_string()).collect()
}
