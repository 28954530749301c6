//! Small files made by hand: every cut is found, and no damage does harm.

use super::{ContainerReport, check_container, checks};
use proptest::prelude::*;
use solio_base::{ErrorKind, Result};
use solio_kinds::{FileKind, FileType};

fn kind(head: &[u8]) -> Option<FileKind> {
    FileType::of_head(head, "").map(|found| found.kind).filter(|kind| checks(*kind))
}

fn look(bytes: &[u8]) -> Result<Option<ContainerReport>> {
    kind(bytes).map_or(Ok(None), |kind| check_container(kind, &bytes))
}

pub(crate) fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16 + 2).to_be_bytes();
    [&[0xff, marker], &length[..], data].concat()
}

/// A picture of 640 × 480, with a picture in its head, as cameras write it.
pub(crate) fn jpeg() -> Vec<u8> {
    let thumbnail = [&b"Exif\0\0"[..], &[0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff, 0xd9]].concat();
    let frame = [8, 480u16.to_be_bytes()[0], 480u16.to_be_bytes()[1], 2, 128, 1, 1, 0x11, 0];
    [
        &[0xff, 0xd8][..],
        &segment(0xe1, &thumbnail),
        &segment(0xc0, &frame),
        &segment(0xda, &[1, 1, 0, 0, 63, 0]),
        &[1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 5],
        &[0xff, 0xd9],
    ]
    .concat()
}

pub(crate) fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind, data].concat();
    let (length, sum) = ((data.len() as u32).to_be_bytes(), crc32fast::hash(&body).to_be_bytes());
    [&length[..], &body, &sum].concat()
}

pub(crate) fn png() -> Vec<u8> {
    let size = [0, 0, 0, 2, 0, 0, 0, 3, 8, 0, 0, 0, 0];
    let pixels = vec![9; 5000];
    let chunks = [chunk(b"IHDR", &size), chunk(b"IDAT", &pixels), chunk(b"IEND", &[])].concat();
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunks].concat()
}

pub(crate) fn gif() -> Vec<u8> {
    let mut bytes = b"GIF89a\x05\0\x04\0\x80\0\0".to_vec();
    bytes.extend([0; 6]); // two colours
    bytes.extend(b"\x21\xf9\x04\0\0\0\0\0"); // an extension
    bytes.extend(b"\x2c\0\0\0\0\x05\0\x04\0\0\x02\x03abc\0\x3b");
    bytes
}

pub(crate) fn riff() -> Vec<u8> {
    let chunks = b"VP8 \x05\0\0\0abcde\0EXIF\x02\0\0\0xy";
    let size = (chunks.len() as u32 + 4).to_le_bytes();
    [&b"RIFF"[..], &size, b"WEBP", chunks].concat()
}

pub(crate) fn boxed(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32 + 8).to_be_bytes()[..], kind, data].concat()
}

fn movie() -> Vec<u8> {
    let parts =
        [boxed(b"ftyp", b"isom\0\0\0\0"), boxed(b"mdat", &[7; 100]), boxed(b"moov", &[1; 40])];
    parts.concat()
}

fn jp2() -> Vec<u8> {
    let mark = boxed(b"jP  ", b"\r\n\x87\n");
    [mark, boxed(b"jp2c", &[0xff, 0x4f, 1, 2, 3, 0xff, 0xd9])].concat()
}

/// Two strips behind a directory.
pub(crate) fn tiff() -> Vec<u8> {
    let field = |tag: u16, kind: u16, count: u32, value: u32| {
        let head = [tag.to_le_bytes(), kind.to_le_bytes()].concat();
        [&head[..], &count.to_le_bytes(), &value.to_le_bytes()].concat()
    };
    let fields = [
        field(0x100, 3, 1, 10),
        field(0x101, 3, 1, 4),
        field(0x111, 4, 2, 62),
        field(0x117, 3, 2, 20 | 20 << 16),
    ];
    let mut bytes = b"II*\0\x08\0\0\0\x04\0".to_vec();
    bytes.extend(fields.concat());
    bytes.extend([0; 4]); // no further directory
    assert_eq!(bytes.len(), 62);
    bytes.extend([70u32.to_le_bytes(), 90u32.to_le_bytes()].concat());
    bytes.extend([5; 40]);
    bytes
}

pub(crate) fn psd() -> Vec<u8> {
    let mut bytes = b"8BPS\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\x08\0\x01".to_vec();
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0]);
    bytes.extend([0, 1, 0, 2, 0, 3, 1, 1, 2, 2, 2]); // two packed rows
    bytes
}

fn crw() -> Vec<u8> {
    let mut bytes = b"II\x0e\0\0\0HEAPCCDR".to_vec();
    bytes.extend([3; 20]);
    bytes.extend(b"\x01\0\x05\x20\x14\0\0\0\0\0\0\0");
    bytes.extend(20u32.to_le_bytes());
    bytes
}

fn raf() -> Vec<u8> {
    let mut bytes = b"FUJIFILMCCD-RAW ".to_vec();
    bytes.resize(84, 0);
    for (at, size) in [(108u32, 10u32), (118, 2), (120, 30)] {
        bytes.extend([at.to_be_bytes(), size.to_be_bytes()].concat());
    }
    bytes.resize(150, 6);
    bytes
}

fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("jpeg", jpeg()),
        ("png", png()),
        ("gif", gif()),
        ("webp", riff()),
        ("mp4", movie()),
        ("jp2", jp2()),
        ("tiff", tiff()),
        ("psd", psd()),
        ("crw", crw()),
        ("raf", raf()),
        ("j2c", b"\xff\x4f\xff\x51\0\x29\x01\xff\xd9".to_vec()),
    ]
}

#[test]
fn whole_files_are_whole_and_every_cut_is_found() {
    for (name, bytes) in all() {
        let found = look(&bytes).unwrap().unwrap();
        assert_eq!((kind(&bytes), found.notes.len()), (FileKind::of_name(name), 0), "{found:?}");
        for end in 0..bytes.len() {
            match look(&bytes[..end]) {
                // Too short to be told from anything else.
                Ok(None) => assert!(end < 16, "{name} cut at {end}"),
                Ok(Some(_)) => panic!("{name} cut at {end} passed"),
                Err(e) => assert_eq!(e.kind(), ErrorKind::Corrupt, "{name} cut at {end}: {e}"),
            }
        }
    }
    assert_eq!(look(&jpeg()).unwrap().unwrap().found, "640 × 480 pixels");
    assert_eq!(look(&png()).unwrap().unwrap().found, "2 × 3 pixels");
    assert_eq!(look(&tiff()).unwrap().unwrap().found, "10 × 4 pixels");
    assert_eq!(look(&psd()).unwrap().unwrap().found, "3 × 2 pixels");
    assert_eq!((kind(b"hello"), kind(b"")), (None, None));
}

#[test]
fn what_follows_a_picture_is_looked_at_where_it_is_known() {
    let more = [jpeg(), b"trailer".to_vec()].concat();
    assert_eq!(look(&more).unwrap().unwrap().notes, ["7 bytes follow the end of the picture"]);
    // Another picture, a film.
    for second in [jpeg(), movie()] {
        let both = [jpeg(), second.clone()].concat();
        assert_eq!(look(&both).unwrap().unwrap().notes.len(), 0);
        for end in jpeg().len() + 8..both.len() {
            // A film may end behind any of its boxes there, a picture where one ends in its head.
            let cut = &both[..end];
            let boundary = [16, 124].map(|at| jpeg().len() + at).contains(&end);
            let ends = boundary || cut.ends_with(&[0xff, 0xd9]);
            assert!(look(cut).is_err() || ends, "cut at {end}");
        }
    }
    let more = [png(), vec![0; 9]].concat();
    assert_eq!(look(&more).unwrap().unwrap().notes.len(), 1);
}

#[test]
fn damage_to_the_structure_is_told_with_its_place() {
    let mut bytes = png();
    bytes[100] ^= 1;
    let e = look(&bytes).unwrap_err();
    assert_eq!(
        (e.offset(), e.message()),
        (Some(33), "the chunk IDAT is damaged: its sum is another")
    );
    let mut bytes = jpeg();
    bytes[2] = 0;
    assert!(look(&[&bytes[..2], &[0xff], &bytes[2..]].concat()).is_err());
    let film = [boxed(b"ftyp", b"isom\0\0\0\0"), boxed(b"mdat", &[7; 100])].concat();
    assert!(look(&film).unwrap_err().message().contains("no box moov"));
    let e = look(&movie()[..50]).unwrap_err();
    assert_eq!(
        (e.offset(), e.message()),
        (Some(50), "the file ends 74 bytes early, inside the box \"mdat\"")
    );
}

proptest! {
    #[test]
    fn any_damage_ends(which in 0usize..11, at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let (_, mut bytes) = all().swap_remove(which);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = look(&bytes);
        let _ = look(&bytes[..cut.index(bytes.len())]);
    }
}
