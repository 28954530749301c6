//! Raw files without pixels: directories, pictures for viewing and notes where cameras have them.

use super::build::Val::{Bytes, Data, Dirs, Long, Placed, Ratio, Short, Text};
use super::build::{Dir, Entries, dir, note, tiff};

/// A picture of 3 by 2 without content.
const JPEG: &[u8] =
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x0b\x08\0\x02\0\x03\
    \x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0\x55\xff\xd9";

/// One of each kind that is a TIFF structure or has several.
pub(super) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.cr2", cr2()),
        ("a.cr3", cr3()),
        ("a.nef", nef()),
        ("a.arw", arw()),
        ("a.orf", orf()),
        ("a.rw2", rw2()),
        ("a.pef", pef()),
        ("a.srw", srw()),
        ("a.3fr", hasselblad()),
        ("a.dng", dng()),
    ]
}

const LITTLE: &[u8] = b"II*\0\x08\0\0\0";
const BIG: &[u8] = b"MM\0*\0\0\0\x08";

fn exif(maker_note: Option<fn(u32) -> Vec<u8>>) -> Dir {
    let mut entries: Entries = vec![
        (0x829a, Ratio(&[1, 125])),
        (0x829d, Ratio(&[4, 1])),
        (0x8827, Short(&[200])),
        (0x9000, Bytes(b"0230".to_vec())),
        (0x9003, Text("2020:01:02 03:04:05")),
        (0x9004, Text("2020:01:02 03:04:06")),
        (0x9291, Text("25")),
        (0x920a, Ratio(&[50, 1])),
        (0xa002, Long(vec![600])),
        (0xa003, Long(vec![400])),
    ];
    entries.extend(maker_note.map(|make| (0x927c, Placed(make))));
    dir(entries)
}

fn main(make: &'static str, model: &'static str, exif: Dir, more: Entries) -> Dir {
    let entries = vec![
        (0x10f, Text(make)),
        (0x110, Text(model)),
        (0x112, Short(&[6])),
        (0x132, Text("2020:01:02 03:04:05")),
        (0x11a, Ratio(&[72, 1])),
        (0x11b, Ratio(&[72, 1])),
        (0x128, Short(&[2])),
        (0x8769, Dirs(vec![exif])),
    ];
    dir(entries.into_iter().chain(more).collect())
}

/// A picture that two entries frame: JPEGInterchangeFormat, or the only strip.
fn framed(strip: bool) -> Entries {
    let (at, bytes) = if strip { (0x111, 0x117) } else { (0x201, 0x202) };
    vec![(at, Data(JPEG.to_vec())), (bytes, Long(vec![JPEG.len() as u32]))]
}

/// What raw pixels have: the full size, a pattern of colours, a strip.
fn sensor(compression: &'static [u16]) -> Entries {
    vec![
        (0xfe, Long(vec![0])),
        (0x100, Long(vec![620])),
        (0x101, Long(vec![420])),
        (0x102, Short(&[14])),
        (0x103, Short(compression)),
        (0x106, Short(&[32803])),
        (0x111, Data(vec![b'R'; 64])),
        (0x115, Short(&[1])),
        (0x116, Long(vec![420])),
        (0x117, Long(vec![64])),
        (0x828d, Short(&[2, 2])),
        (0x828e, Bytes(vec![0, 1, 1, 2])),
    ]
}

/// A small picture without compression.
fn small() -> Entries {
    vec![
        (0xfe, Long(vec![1])),
        (0x100, Long(vec![16])),
        (0x101, Long(vec![12])),
        (0x102, Short(&[8, 8, 8])),
        (0x103, Short(&[1])),
        (0x106, Short(&[2])),
        (0x111, Data(vec![0; 24])),
        (0x117, Long(vec![24])),
    ]
}

fn gps() -> Dir {
    dir(vec![
        (0, Bytes(vec![2, 3, 0, 0])),
        (1, Text("N")),
        (2, Ratio(&[48, 1, 30, 1, 0, 1])),
        (3, Text("E")),
        (4, Ratio(&[9, 1, 15, 1, 0, 1])),
    ])
}

fn chained(mut first: Dir, next: Dir) -> Dir {
    first.next = Some(Box::new(next));
    first
}

fn canon_entries() -> Entries {
    let firmware = Text("Firmware Version 1.0.7");
    vec![(6, Text("Canon EOS 5D Mark II")), (7, firmware), (9, Text("somebody"))]
}

fn cr2() -> Vec<u8> {
    let mut raw = sensor(&[6]);
    raw.retain(|(id, _)| matches!(id, 0x103 | 0x111 | 0x117));
    raw.extend([(0xc5e0, Long(vec![1])), (0xc640, Short(&[1, 100, 50])), (0xc6c5, Long(vec![1]))]);
    let mut third = framed(true);
    third.extend([(0x100, Short(&[60])), (0x101, Short(&[40])), (0x103, Short(&[6]))]);
    let mut more = framed(true);
    more.extend([(0x100, Short(&[300])), (0x101, Short(&[200])), (0x103, Short(&[6]))]);
    more.push((0x8825, Dirs(vec![gps()])));
    let exif = exif(Some(|at| note(false, b"", canon_entries(), at)));
    let others = chained(dir(framed(false)), chained(dir(third), dir(raw)));
    let first = main("Canon", "Canon EOS 5D Mark II", exif, more);
    tiff(b"II*\0\x10\0\0\0CR\x02\0\0\0\0\0", chained(first, others))
}

fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat()
}

fn cr3() -> Vec<u8> {
    let size = (JPEG.len() as u32).to_be_bytes();
    let parts = [
        main("Canon", "Canon EOS M50", dir(vec![]), vec![]),
        exif(None),
        dir(canon_entries()),
        gps(),
    ];
    let kinds = [b"CMT1", b"CMT2", b"CMT3", b"CMT4"];
    let mut canon = b"\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48".to_vec();
    canon.extend(boxed(b"CNCV", b"CanonCR3_001/00.09.00/00.00.00"));
    for (kind, mut part) in kinds.into_iter().zip(parts) {
        // Pointers make no sense where each directory has a structure of its own.
        part.entries.retain(|(id, _)| *id != 0x8769);
        canon.extend(boxed(kind, &tiff(LITTLE, part)));
    }
    canon.extend(boxed(
        b"THMB",
        &[&[0, 0, 0, 0, 0, 3, 0, 2][..], &size, &[0, 1, 0, 0], JPEG].concat(),
    ));
    let head = [
        &[0; 4][..],
        &3_660_000_000u32.to_be_bytes(),
        &3_660_000_000u32.to_be_bytes(),
        &[0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0],
        &[0; 24],
        &[0, 0, 0, 2],
    ];
    let preview = [&[0, 0, 0, 0, 0, 1, 0, 3, 0, 2, 0, 1][..], &size, JPEG].concat();
    let mark = b"\xea\xf4\x2b\x5e\x1c\x98\x4b\x88\xb9\xfb\xb7\xdc\x40\x6e\x4d\x16\0\0\0\0\0\0\0\0";
    [
        boxed(b"ftyp", b"crx \0\0\0\x01crx isom"),
        boxed(b"moov", &[boxed(b"uuid", &canon), boxed(b"mvhd", &head.concat())].concat()),
        boxed(b"uuid", &[&mark[..], &boxed(b"PRVW", &preview)].concat()),
        boxed(b"mdat", &[0; 32]),
    ]
    .concat()
}

fn nef() -> Vec<u8> {
    let nikon = |_| {
        let entries = vec![
            (1, Bytes(b"0210".to_vec())),
            (2, Short(&[0, 200])),
            (4, Text("RAW    ")),
            (5, Text("AUTO        ")),
        ];
        [&b"Nikon\0\x02\x10\0\0"[..], &tiff(BIG, dir(entries))].concat()
    };
    let mut viewing = framed(false);
    viewing.extend([(0xfe, Long(vec![1])), (0x103, Short(&[6]))]);
    let mut more = small();
    more.push((0x14a, Dirs(vec![dir(viewing), dir(sensor(&[34713]))])));
    more.push((0x8825, Dirs(vec![gps()])));
    tiff(BIG, main("NIKON CORPORATION", "NIKON D90", exif(Some(nikon)), more))
}

fn arw() -> Vec<u8> {
    let sony = |at| {
        let entries = vec![(0x102, Long(vec![2])), (0xb020, Text("Standard"))];
        note(false, b"SONY DSC \0\0\0", entries, at)
    };
    let mut more = framed(false);
    more.extend([(0xfe, Long(vec![1])), (0x103, Short(&[6])), (0x213, Short(&[2]))]);
    more.push((0x14a, Dirs(vec![dir(sensor(&[32767]))])));
    let first = main("SONY", "DSLR-A700", exif(Some(sony)), more);
    tiff(LITTLE, chained(first, dir(framed(false))))
}

fn orf() -> Vec<u8> {
    let olympus = |at| {
        let entries = vec![(0x200, Long(vec![0, 0, 0])), (0x207, Text("E-1"))];
        note(false, b"OLYMP\0\x01\0", entries, at)
    };
    let mut more = sensor(&[1]);
    more.retain(|(id, _)| !matches!(id, 0xfe | 0x828d | 0x828e));
    let exif = exif(Some(olympus));
    tiff(b"IIRO\x08\0\0\0", main("OLYMPUS IMAGING CORP.", "E-3", exif, more))
}

fn rw2() -> Vec<u8> {
    let panasonic = |at| {
        let entries = vec![(1, Short(&[2])), (0x26, Bytes(b"0400".to_vec()))];
        note(false, b"Panasonic\0\0\0", entries, at)
    };
    let first = main("Panasonic", "DMC-G1", exif(Some(panasonic)), vec![]);
    let inner = tiff(LITTLE, chained(first, dir(framed(false))));
    let length = (inner.len() as u16 + 8).to_be_bytes();
    let viewing = [&JPEG[..2], b"\xff\xe1", &length, b"Exif\0\0", &inner, &JPEG[20..]].concat();
    let entries = vec![
        (1, Bytes(b"0310".to_vec())),
        (2, Short(&[640])),
        (3, Short(&[440])),
        (4, Short(&[4])),
        (5, Short(&[6])),
        (6, Short(&[404])),
        (7, Short(&[606])),
        (9, Short(&[3])),
        (0xa, Short(&[12])),
        (0xb, Short(&[34316])),
        (0x17, Short(&[200])),
        (0x2e, Bytes(viewing)),
        (0x10f, Text("Panasonic")),
        (0x110, Text("DMC-G1")),
        (0x112, Short(&[1])),
        (0x8769, Dirs(vec![exif(None)])),
    ];
    let head = b"IIU\0\x18\0\0\0\x88\xe7\x74\xd8\xf8\x25\x1d\x4d\x94\x7a\x6e\x77\x82\x2b\x5d\x6a";
    tiff(head, dir(entries))
}

fn pef() -> Vec<u8> {
    let pentax = |at| {
        let entries = vec![(1, Short(&[0])), (5, Long(vec![0x12b9c])), (8, Short(&[2]))];
        note(true, b"AOC\0MM", entries, at)
    };
    let mut more = sensor(&[65535]);
    more.retain(|(id, _)| !matches!(id, 0xfe | 0x828d | 0x828e));
    let mut third = framed(false);
    third.extend([(0x100, Long(vec![600])), (0x101, Long(vec![400])), (0x103, Short(&[6]))]);
    let first = main("PENTAX Corporation", "PENTAX K10D", exif(Some(pentax)), more);
    tiff(BIG, chained(first, chained(dir(framed(false)), dir(third))))
}

fn srw() -> Vec<u8> {
    let samsung = |at| {
        let entries = vec![(1, Bytes(b"0100".to_vec())), (3, Long(vec![0x500_1038]))];
        note(false, b"", entries, at)
    };
    let mut more = framed(false);
    more.extend([(0xfe, Long(vec![1])), (0x100, Long(vec![60])), (0x101, Long(vec![40]))]);
    more.push((0x14a, Dirs(vec![dir(sensor(&[32770]))])));
    let first = main("SAMSUNG", "NX100", exif(Some(samsung)), more);
    tiff(LITTLE, chained(first, dir(framed(false))))
}

fn hasselblad() -> Vec<u8> {
    let mut more = small();
    more.push((0x14a, Dirs(vec![dir(sensor(&[7]))])));
    tiff(LITTLE, main("Hasselblad", "Hasselblad H3D", exif(None), more))
}

fn dng() -> Vec<u8> {
    let mut viewing = framed(true);
    viewing.extend([(0xfe, Long(vec![1])), (0x100, Long(vec![60])), (0x101, Long(vec![40]))]);
    viewing.push((0x103, Short(&[7])));
    let mut more = small();
    more.push((0x14a, Dirs(vec![dir(sensor(&[7])), dir(viewing)])));
    more.extend([(0xc612, Bytes(vec![1, 4, 0, 0])), (0xc614, Text("Leica M8"))]);
    tiff(LITTLE, main("Leica", "M8", exif(None), more))
}
