//! What a JPEG holds beside its common segments.

#[allow(dead_code)] // other tests use the rest
mod fixtures;

use solio_photo::{Fields, Gap, Metadata, ReadOptions, decode_metadata};

fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    [&[0xff, marker][..], &(body.len() as u16 + 2).to_be_bytes(), body].concat()
}

fn read(bytes: &[u8], fields: Fields) -> Metadata {
    decode_metadata(bytes, &ReadOptions { fields, ..ReadOptions::default() }).unwrap()
}

fn words(bytes: &[u8], field: &str) -> Option<String> {
    let of = |fields| read(bytes, fields).get(field).map(|tag| tag.text().plain());
    let words = of(Fields::all());
    assert_eq!(of(Fields::of([field])), words, "{field} alone");
    words
}

#[test]
fn heaps_in_front_of_the_picture() {
    let mut heaps = fixtures::crw();
    heaps[6..14].copy_from_slice(b"HEAPJPGM");
    let file = [&[0xff, 0xd8][..], &segment(0xe0, &heaps), &[0xff, 0xd9]].concat();
    assert_eq!(words(&file, "CIFF:Model").as_deref(), Some("Canon EOS 300D"));
    assert_eq!(words(&file, "FileNumber").as_deref(), Some("116-1602"));
    let raw = fixtures::crw();
    assert_eq!(words(&raw, "CanonRaw:Model").as_deref(), Some("Canon EOS 300D"));
    for end in 0..file.len() {
        _ = decode_metadata(&file[..end], &ReadOptions::default());
    }
}

#[test]
fn zeros_between_segments_are_passed_over() {
    let exif = segment(0xe1, &[b"Exif\0\0", &fixtures::tiff()[..]].concat());
    let frame = segment(0xc0, &[8, 0, 8, 0, 16, 1, 1, 0x11, 0]);
    for zeros in [0, 1, 2, 37, 200_000] {
        let zeros = vec![0; zeros];
        let first = segment(0xe0, b"JFIF\0\x01\x02\x01\0\x48\0\x48\0\0");
        let file = [&[0xff, 0xd8][..], &first, &zeros, &exif, &zeros, &frame].concat();
        assert_eq!(words(&file, "DateTimeOriginal").as_deref(), Some("2020:01:02 03:04:05"));
        assert_eq!(words(&file, "ImageSize").as_deref(), Some("16x8"));
    }
}

#[test]
fn a_segment_that_is_not_known_is_a_gap() {
    let of = |body: &[u8]| {
        let file = [&[0xff, 0xd8][..], &segment(0xe9, body), &[0xff, 0xd9]].concat();
        read(&file, Fields::all()).gaps
    };
    assert_eq!(of(b"Nobody\0knows"), [Gap::Format]);
    let plain = [&[0xff, 0xd8][..], &segment(0xfe, b"a comment"), &[0xff, 0xd9]].concat();
    assert_eq!(read(&plain, Fields::all()).gaps, []);
}

#[test]
fn zeros_in_a_webp_are_no_chunk() {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        [&name[..], &(body.len() as u32).to_le_bytes(), body].concat()
    };
    let xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
        xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
        xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'/></rdf:RDF></x:xmpmeta> ";
    for (zeros, want) in [(false, Some("3")), (true, None)] {
        let head = chunk(b"VP8X", &[4, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
        let between = if zeros { chunk(&[0; 4], &[]) } else { chunk(b"JUNK", &[0, 0]) };
        let chunks = [head, between, chunk(b"XMP ", xmp)].concat();
        let size = (chunks.len() as u32 + 4).to_le_bytes();
        let file = [b"RIFF", &size[..], b"WEBP", &chunks].concat();
        let options = ReadOptions { extension: "webp".into(), ..ReadOptions::default() };
        let metadata = decode_metadata(&file[..], &options).unwrap();
        let rating = metadata.get("XMP-xmp:Rating").map(|tag| tag.text().plain());
        assert_eq!((rating.as_deref(), metadata.warnings.is_empty()), (want, !zeros));
    }
}
