//! What the fuzz targets of photos' metadata do with their bytes. Also replayed as ordinary tests:
//! see `crates/solio-photo/tests/hostile.rs`.
//!
//! Findings, beside panics: more memory than a file may take, more bytes read than a file may
//! make us read, other tags from parts of a source than from bytes in memory, JSON that is none.

#![allow(dead_code)] // each target uses one of the bodies

mod process;

#[allow(unused_imports)] // the replaying tests need no pool
pub(crate) use process::init;

use solio_base::{Result, Source};
use solio_photo::{Fields, JsonOptions, Metadata, ReadOptions, decode_metadata, json};
use std::cell::RefCell;

/// Most memory that one file may take.
const MOST_MEMORY: usize = 64 << 20;

/// What files of a container start with; each target is for one, by its place here.
pub(crate) const CONTAINERS: [(&str, &[u8]); 20] = [
    ("jpeg", b"\xff\xd8\xff"),
    ("tiff", b"II*\0"),
    ("bigtiff", b"MM\0+\0\x08\0\0"),
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("webp", b"RIFF\0\0\0\0WEBP"),
    ("gif", b"GIF89a"),
    ("psd", b"8BPS\0\x01"),
    ("heif", b"\0\0\0\x18ftypheic"),
    ("cr3", b"\0\0\0\x18ftypcrx "),
    ("movie", b"\0\0\0\x14ftypisom"),
    ("jp2", b"\0\0\0\x0cjP  \r\n\x87\n"),
    ("jxl", b"\0\0\0\x0cJXL \r\n\x87\n"),
    ("j2c", b"\xff\x4f\xff\x51\0"),
    ("raf", b"FUJIFILMCCD-RAW "),
    ("mrw", b"\0MRM"),
    ("crw", b"II\x1a\0\0\0HEAPCCDR"),
    ("icc", b""),
    ("xmp", b"<x:xmpmeta"),
    ("jumbf", b""),
    ("brob", b""),
];

/// What packed boxes of JPEG XL hold; the last is refused.
pub(crate) const PACKED_KINDS: [&[u8; 4]; 4] = [b"Exif", b"xml ", b"jumb", b"brob"];

/// Makers, their names as cameras write them, and what their notes start with.
pub(crate) const MAKERS: [(&str, &str, &[u8]); 16] = [
    ("canon", "Canon", b""),
    ("nikon", "NIKON CORPORATION", b"Nikon\0\x02\x10\0\0MM\0*\0\0\0\x08"),
    ("sony", "SONY", b"SONY DSC \0\0\0"),
    ("fujifilm", "FUJIFILM", b"FUJIFILM\x0c\0\0\0"),
    ("olympus", "OLYMPUS CORPORATION", b"OLYMPUS\0II\x03\0"),
    ("om", "OM Digital Solutions", b"OM SYSTEM\0\0\0II\x04\0"),
    ("panasonic", "Panasonic", b"Panasonic\0\0\0"),
    ("pentax", "PENTAX Corporation", b"AOC\0MM"),
    ("ricoh", "RICOH", b"Ricoh\0\0\0"),
    ("apple", "Apple", b"Apple iOS\0\0\x01MM"),
    ("samsung", "SAMSUNG", b""),
    ("google", "Google", b"HDRP\x02"),
    ("minolta", "Minolta Co., Ltd.", b""),
    ("sigma", "SIGMA", b"SIGMA\0\0\0\x01\0"),
    ("casio", "CASIO COMPUTER CO.,LTD.", b"QVC\0\0\0"),
    ("kodak", "EASTMAN KODAK COMPANY", b"KDK INFO"),
];

/// A file of the container `name`.
pub(crate) fn container(name: &str, bytes: &[u8]) {
    match name {
        "jumbf" => return file(&in_jpeg(bytes), "jpg"),
        "brob" => return file(&in_jxl(bytes), "jxl"),
        _ => {}
    }
    let (_, head) = CONTAINERS.iter().find(|(known, _)| *known == name).expect("a container");
    let mut all = bytes.to_vec();
    if all.len() < head.len() {
        all.resize(head.len(), 0);
    }
    all[..head.len()].copy_from_slice(head);
    if name == "icc" {
        all.resize(all.len().max(64), 0);
        all[12..24].copy_from_slice(b"mntrRGB XYZ ");
        all[36..40].copy_from_slice(b"acsp");
    }
    file(&all, name);
}

/// A box of JUMBF as a JPEG has it.
fn in_jpeg(bytes: &[u8]) -> Vec<u8> {
    let mut all = b"\xff\xd8".to_vec();
    for (n, part) in (1u32..).zip(bytes.chunks(60_000)) {
        all.extend(b"\xff\xeb");
        all.extend((part.len() as u16 + 10).to_be_bytes());
        all.extend(b"JP\0\x01");
        all.extend(n.to_be_bytes());
        all.extend(part);
    }
    all
}

/// JPEG XL with a packed box; the first byte chooses what is packed, the rest is what Brotli made.
fn in_jxl(bytes: &[u8]) -> Vec<u8> {
    let (&choice, packed) = bytes.split_first().unwrap_or((&0, &[]));
    let mut all = b"\0\0\0\x0cJXL \r\n\x87\n".to_vec();
    all.extend((packed.len() as u32 + 12).to_be_bytes());
    all.extend(b"brob");
    all.extend(PACKED_KINDS[usize::from(choice) % PACKED_KINDS.len()]);
    all.extend(packed);
    all
}

/// The first bytes choose how the note is held, the rest is the note behind its usual head.
pub(crate) fn note(maker: &str, bytes: &[u8]) {
    let (_, make, head) = MAKERS.iter().find(|(name, ..)| *name == maker).expect("a maker");
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let note = if choice & 2 == 0 { [head, rest].concat() } else { rest.to_vec() };
    file(&in_tiff(make, models(maker, choice), choice & 1 == 1, &note), "tif");
}

/// Tables differ by model.
fn models(maker: &str, choice: u8) -> &'static str {
    let all: &[&str] = match maker {
        "canon" => &["Canon EOS 5D Mark III", "Canon EOS 350D", "Canon PowerShot G2", "EOS R6"],
        "nikon" => &["NIKON D70", "NIKON D850", "E5700", "NIKON Z 6"],
        "sony" => &["DSLR-A100", "ILCE-7M3", "SLT-A77V", "NEX-5"],
        "pentax" => &["PENTAX K10D", "PENTAX K-3", "Optio 330", "PENTAX K-5"],
        _ => &["X", "DiMAGE A2", "E-M1", "DMC-FZ30"],
    };
    all[usize::from(choice >> 2) % all.len()]
}

/// A TIFF file with a maker's note.
pub(crate) fn in_tiff(make: &str, model: &str, big: bool, note: &[u8]) -> Vec<u8> {
    let short = |n: u16| if big { n.to_be_bytes() } else { n.to_le_bytes() };
    let long = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
    let mut all = if big { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
    all.extend(long(8));
    let (names, exif) = (8 + 2 + 3 * 12 + 4, 8 + 2 + 3 * 12 + 4 + 80);
    let entry = |all: &mut Vec<u8>, id: u16, kind: u16, count: usize, value: u32| {
        all.extend(short(id));
        all.extend(short(kind));
        all.extend(long(count as u32));
        all.extend(long(value));
    };
    all.extend(short(3));
    entry(&mut all, 0x010f, 2, 40, names);
    entry(&mut all, 0x0110, 2, 40, names + 40);
    entry(&mut all, 0x8769, 4, 1, exif);
    all.extend(long(0));
    for name in [make, model] {
        let end = all.len() + 40;
        all.extend(name.bytes().take(39));
        all.resize(end, 0);
    }
    all.extend(short(1));
    entry(&mut all, 0x927c, 7, note.len(), exif + 2 + 12 + 4);
    all.extend(long(0));
    all.extend(note);
    all
}

/// Bytes that come in parts.
struct Parts<'a>(&'a [u8]);

impl Source for Parts<'_> {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

thread_local! {
    /// All tags and three dates. To find out what they mean for readers takes longer than a small
    /// file.
    static OPTIONS: RefCell<[ReadOptions; 2]> = RefCell::new([
        Fields::all(),
        Fields::of(["DateTimeOriginal", "CreateDate", "ModifyDate"]),
    ].map(|fields| ReadOptions { fields, ..ReadOptions::default() }));
}

/// Any file.
pub(crate) fn file(bytes: &[u8], extension: &str) {
    OPTIONS.with_borrow_mut(|options| {
        options.iter_mut().for_each(|options| extension.clone_into(&mut options.extension));
        of_options(bytes, &*options);
    });
}

fn of_options(bytes: &[u8], [all, dates]: &[ReadOptions; 2]) {
    let whole = process::within(MOST_MEMORY, bytes, || {
        let metadata = decode_metadata(bytes, all).ok();
        metadata.inspect(shown)
    });
    // What the others find is much the same: a part of all inputs, always the same ones.
    let sum =
        bytes.iter().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
    if cfg!(test) || sum.is_multiple_of(4) {
        let parts = decode_metadata(&Parts(bytes), all).ok();
        let count = |metadata: &Option<Metadata>| metadata.as_ref().map(|m| m.tags.len());
        assert_eq!(count(&whole), count(&parts), "other tags from parts");
        if let Some(parts) = &parts {
            let most = (256 << 20).min((1 << 20) + 1024 * bytes.len() as u64);
            assert!(parts.bytes_read <= most, "{} bytes read", parts.bytes_read);
        }
    }
    if let Ok(few) = decode_metadata(&Parts(bytes), dates) {
        assert!(whole.is_some() || few.tags.is_empty(), "dates of a file that has no kind");
    }
    if !cfg!(test) {
        for n in 0..VARIANTS {
            let variant = variant(bytes, u64::from(sum) + n);
            let _ = process::within(MOST_MEMORY, &variant, || decode_metadata(&variant[..], all));
        }
    }
}

/// Files like the one that the fuzzer made that are read with it: to choose a file costs several times
/// what reading it does.
const VARIANTS: u64 = 9;

/// A beginning of the file, or the file with some bits flipped or some bytes more; which depends on
/// `seed` alone.
fn variant(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut random = |below: usize| {
        // SplitMix64 (Steele, Lea, Flood, 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    };
    let mut variant = bytes.to_vec();
    match random(3) {
        0 => variant.truncate(random(bytes.len())),
        1 => {
            for _ in 0..1 + random(4) {
                let (at, bit) = (random(bytes.len()), random(8));
                variant.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << bit);
            }
        }
        _ => {
            let more: Vec<u8> = (0..1 + random(8)).map(|_| random(256) as u8).collect();
            let at = random(bytes.len() + 1);
            variant.splice(at..at, more);
        }
    }
    variant
}

/// All values in both forms, as JSON.
fn shown(metadata: &Metadata) {
    for numbers in [false, true] {
        let mut text = String::from("{");
        json(&metadata.tags, JsonOptions { numbers, bare_names: false }, "\n", &mut text);
        text.push('}');
        assert!(text.matches("\n\"").count() <= metadata.tags.len());
    }
}
