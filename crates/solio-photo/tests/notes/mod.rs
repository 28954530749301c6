//! Maker notes put together here.

use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};

/// An entry of a directory: number, type, count and value.
pub(crate) type Entry = (u16, u16, u32, Vec<u8>);

pub(crate) fn text(id: u16, text: &str) -> Entry {
    (id, 2, text.len() as u32, text.as_bytes().to_vec())
}

pub(crate) fn short(id: u16, number: u16) -> Entry {
    (id, 3, 1, number.to_le_bytes().to_vec())
}

/// A directory at `at` whose offsets count `from` bytes less.
pub(crate) fn directory(at: usize, from: usize, entries: &[Entry]) -> Vec<u8> {
    let mut head = (entries.len() as u16).to_le_bytes().to_vec();
    let mut values: Vec<u8> = Vec::new();
    let behind = at + 2 + 12 * entries.len() + 4;
    for (id, kind, count, value) in entries {
        head.extend(id.to_le_bytes());
        head.extend(kind.to_le_bytes());
        head.extend(count.to_le_bytes());
        if value.len() > 4 {
            head.extend(((behind + values.len() - from) as u32).to_le_bytes());
            values.extend(value);
        } else {
            let mut inline = value.clone();
            inline.resize(4, 0);
            head.extend(inline);
        }
    }
    head.extend([0; 4]);
    head.extend(values);
    head
}

/// A TIFF file of a camera with a note; `note` makes it for the place where it will be.
pub(crate) fn photo(make: &str, model: &str, note: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let file = |exif: u32, at: usize| {
        let mut bytes = b"II*\0\x08\0\0\0".to_vec();
        let entries =
            [text(0x010f, make), text(0x0110, model), (0x8769, 4, 1, exif.to_le_bytes().to_vec())];
        bytes.extend(directory(8, 0, &entries));
        let exif = bytes.len();
        let note = note(at);
        bytes.extend(directory(exif, 0, &[(0x927c, 7, note.len() as u32, note)]));
        (bytes, exif)
    };
    // The first round finds where things come to lie.
    let (bytes, exif) = file(0, 0);
    let length = note(0).len();
    file(exif as u32, bytes.len() - length).0
}

pub(crate) fn read(bytes: &[u8]) -> Option<Metadata> {
    let options =
        ReadOptions { fields: Fields::all(), extension: "tif".into(), ..ReadOptions::default() };
    decode_metadata(bytes, &options).ok()
}

pub(crate) fn words(bytes: &[u8], tag: &str) -> String {
    let metadata = read(bytes).expect("the file is read");
    metadata.get(tag).map(|tag| tag.text().plain()).unwrap_or_default()
}
