//! Files that are cut, damaged or made to harm: reading ends, soon, within little memory.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files and a clock

use peak_alloc::PeakAlloc;
use solio_base::{Result, Source};
use solio_photo::{Fields, ReadOptions, decode_metadata};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

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

fn entry(id: u16, kind: u16, count: u32, value: u32) -> Vec<u8> {
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(value.to_le_bytes());
    bytes
}

fn directory(entries: &[Vec<u8>], next: u32) -> Vec<u8> {
    let mut bytes = (entries.len() as u16).to_le_bytes().to_vec();
    bytes.extend(entries.concat());
    bytes.extend(next.to_le_bytes());
    bytes
}

/// Three directories that point to each other and to themselves.
fn tiff() -> Vec<u8> {
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    let first = directory(
        &[
            entry(0x0112, 3, 1, 6),
            entry(0x0132, 2, 20, 200),
            entry(0x014a, 4, 2, 8),
            entry(0x8769, 4, 1, 100),
        ],
        8,
    );
    bytes.extend(first);
    bytes.resize(100, 0);
    bytes.extend(directory(
        &[entry(0x9003, 2, 20, 200), entry(0x829a, 5, 1, 220), entry(0xa005, 4, 1, 100)],
        100,
    ));
    bytes.resize(200, 0);
    bytes.extend(b"2020:01:02 03:04:05\0");
    bytes.extend([1, 0, 0, 0, 60, 0, 0, 0]);
    bytes
}

const PACKET: &str = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
    xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
    xmlns:dc='http://purl.org/dc/elements/1.1/' dc:format='image/x'><dc:subject><rdf:Bag>\
    <rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>";

fn iptc() -> Vec<u8> {
    b"\x1c\x02\x37\0\x0820200102\x1c\x02\x19\0\x01k\x1c\x02\x19\0\x01l".to_vec()
}

fn resources() -> Vec<u8> {
    let data = iptc();
    let mut bytes = b"8BIM\x04\x04\0\0".to_vec();
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(&data);
    bytes.resize(bytes.len() + data.len() % 2, 0);
    bytes.extend(b"8BIM\x04\x0a\0\0\0\0\0\x01\x01\0");
    bytes
}

fn profile() -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[36..40].copy_from_slice(b"acsp");
    bytes[12..24].copy_from_slice(b"mntrRGB XYZ ");
    bytes.extend(2u32.to_be_bytes());
    bytes.extend(b"cprt\0\0\0\x9c\0\0\0\x0cdesc\0\0\0\xa8\0\0\0\x26");
    bytes.extend(b"text\0\0\0\0abc\0");
    bytes.extend(b"mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x0a\0\0\0\x1c\0a\0b\0c\0d\0e");
    bytes
}

fn jpeg() -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    let mut segment = |marker: u8, body: &[&[u8]]| {
        let body = body.concat();
        bytes.extend([0xff, marker]);
        bytes.extend((body.len() as u16 + 2).to_be_bytes());
        bytes.extend(body);
    };
    segment(0xe0, &[b"JFIF\0\x01\x02\x01\0\x48\0\x48\0\0"]);
    segment(0xe1, &[b"Exif\0\0", &tiff()]);
    segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", PACKET.as_bytes()]);
    segment(0xe2, &[b"ICC_PROFILE\0\x01\x01", &profile()]);
    segment(0xed, &[b"Photoshop 3.0\0", &resources()]);
    segment(0xc0, &[&[8, 0, 2, 0, 3, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]]);
    bytes.extend([0xff, 0xda, 0, 2, 0xff, 0xd9]);
    bytes
}

fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes()[..], name, body, &[0; 4]].concat()
}

fn png() -> Vec<u8> {
    let text = [b"XML:com.adobe.xmp\0\0\0\0\0", PACKET.as_bytes()].concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0]),
        chunk(b"tIME", &[7, 0xe4, 1, 2, 3, 4, 5]),
        chunk(b"iTXt", &text),
        chunk(b"tEXt", b"Raw profile type exif\0\nexif\n  4\n4949"),
        chunk(b"eXIf", &tiff()),
        chunk(b"IEND", b""),
    ]
    .concat()
}

fn riff(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let pad = vec![0; body.len() % 2];
    [name, &(body.len() as u32).to_le_bytes()[..], body, &pad].concat()
}

fn webp() -> Vec<u8> {
    let chunks = [
        riff(b"VP8X", &[12, 0, 0, 0, 1, 0, 0, 2, 0, 0]),
        riff(b"EXIF", &tiff()),
        riff(b"XMP ", PACKET.as_bytes()),
    ];
    [&b"RIFF\0\0\0\0WEBP"[..], &chunks.concat()].concat()
}

fn boxed(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], name, body].concat()
}

fn heif() -> Vec<u8> {
    let tiff = [&[0, 0, 0, 0][..], &tiff()].concat();
    let place = 32u32;
    let mut infos = vec![0, 0, 0, 0, 0, 1];
    infos.extend(boxed(b"infe", b"\x02\0\0\0\0\x01\0\0Exif\0"));
    let mut places = vec![0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1];
    places.extend(place.to_be_bytes());
    places.extend((tiff.len() as u32).to_be_bytes());
    let size = boxed(b"ispe", &[0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3]);
    let properties = [boxed(b"ipco", &size), boxed(b"ipma", &[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1])];
    let meta = [
        vec![0; 4],
        boxed(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        boxed(b"pitm", &[0, 0, 0, 0, 0, 1]),
        boxed(b"iinf", &infos),
        boxed(b"iloc", &places),
        boxed(b"iprp", &properties.concat()),
    ];
    [boxed(b"ftyp", b"heic\0\0\0\0mif1heic"), boxed(b"mdat", &tiff), boxed(b"meta", &meta.concat())]
        .concat()
}

fn movie() -> Vec<u8> {
    let mut head = vec![0; 100];
    head[4..8].copy_from_slice(&3_200_000_000u32.to_be_bytes());
    head[12..16].copy_from_slice(&600u32.to_be_bytes());
    let handler = boxed(b"hdlr", b"\0\0\0\0mhlrvide\0\0\0\0\0\0\0\0\0\0\0\0\x04Name");
    let media = boxed(b"mdia", &[handler, boxed(b"mdhd", &[0; 24])].concat());
    let track = boxed(b"trak", &[boxed(b"tkhd", &[0; 84]), media].concat());
    let name = boxed(b"\xa9nam", &boxed(b"data", b"\0\0\0\x01\0\0\0\0Name"));
    let list = [vec![0; 4], boxed(b"ilst", &name)].concat();
    let user = boxed(b"udta", &boxed(b"meta", &list));
    let movie = boxed(b"moov", &[boxed(b"mvhd", &head), track, user].concat());
    [boxed(b"ftyp", b"isom\0\0\0\0isom"), movie].concat()
}

fn gif() -> Vec<u8> {
    let mut bytes = b"GIF89a\x02\0\x03\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    bytes.extend(b"!\xfe\x02hi\0!\xff\x0bXMP DataXMP");
    bytes.extend(PACKET.as_bytes());
    bytes.push(1);
    bytes.extend((0..=255).rev());
    bytes.extend(b"\0,\0\0\0\0\x02\0\x03\0\0\x02\x01\0\0;");
    bytes
}

fn psd() -> Vec<u8> {
    let mut bytes =
        b"8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x02\0\0\0\x03\0\x08\0\x03\0\0\0\0".to_vec();
    let resources = resources();
    bytes.extend((resources.len() as u32).to_be_bytes());
    bytes.extend(resources);
    bytes.extend([0, 0, 0, 0, 0, 1]);
    bytes
}

fn jp2() -> Vec<u8> {
    let header = boxed(b"ihdr", &[0, 0, 0, 2, 0, 0, 0, 3, 0, 3, 7, 7, 0, 0]);
    [
        boxed(b"jP  ", b"\r\n\x87\n"),
        boxed(b"ftyp", b"jp2 \0\0\0\0jp2 "),
        boxed(b"jp2h", &header),
        boxed(b"xml ", PACKET.as_bytes()),
        boxed(b"uuid", &[&b"JpgTiffExif->JP2"[..], &tiff()].concat()),
    ]
    .concat()
}

fn raf() -> Vec<u8> {
    let mut bytes = b"FUJIFILMCCD-RAW 0201".to_vec();
    bytes.resize(0x54, 0);
    bytes.extend(100u32.to_be_bytes());
    bytes.extend((jpeg().len() as u32).to_be_bytes());
    bytes.resize(100, 0);
    bytes.extend(jpeg());
    bytes
}

/// A file of each kind, with the number of tags that it has.
fn all() -> Vec<(&'static str, Vec<u8>, usize)> {
    vec![
        ("tiff", tiff(), 7),
        ("jpeg", jpeg(), 39),
        ("png", png(), 18),
        ("webp", webp(), 12),
        ("heif", heif(), 14),
        ("movie", movie(), 35),
        ("gif", gif(), 14),
        ("psd", psd(), 10),
        ("jp2", jp2(), 17),
        ("raf", raf(), 40),
        ("icc", profile(), 20),
        ("xmp", PACKET.into(), 5),
    ]
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
    assert_eq!((date.as_str(), metadata.bytes_read), ("2020:01:02 03:04:05", 4096));
    assert_eq!(metadata.tags.len(), 2);
}

#[test]
fn counts_without_data_take_no_memory() {
    let mut huge = b"II*\0\x08\0\0\0\xff\xff".to_vec();
    huge.extend(entry(0x0111, 4, u32::MAX, 0).repeat(2000));
    let many = directory(&vec![entry(0x0140, 3, 30_000, 8); 5000], 8);
    let many = [&b"II*\0\x08\0\0\0"[..], &many].concat();
    let deep = boxed(b"moov", &(0..2000).fold(vec![], |inner, _| boxed(b"trak", &inner)));
    MEMORY.reset_peak_usage();
    for bytes in [huge, many, deep] {
        read(&bytes);
    }
    assert!(MEMORY.peak_usage_as_mb() < 64.0, "{} MB", MEMORY.peak_usage_as_mb());
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}

#[test]
fn no_real_file_takes_long() {
    let data = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let mut all = Vec::new();
    files(&Path::new(&data).join("photo"), &mut all);
    if all.is_empty() {
        println!("skipped: needs SOLIO_DATA/photo");
        return;
    }
    let (mut longest, mut largest) = (0.0f64, 0.0f32);
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        // The machine may be busy: the better of two runs counts.
        let mut best = f64::INFINITY;
        for _ in 0..2 {
            let before = MEMORY.current_usage_as_mb();
            MEMORY.reset_peak_usage();
            let start = Instant::now();
            read(&bytes);
            best = best.min(start.elapsed().as_secs_f64());
            largest = largest.max(MEMORY.peak_usage_as_mb() - before);
        }
        assert!(best < 0.1, "{}: {best} s", path.display());
        assert!(largest < 64.0, "{}: {largest} MB", path.display());
        longest = longest.max(best);
    }
    println!("longest {:.1} ms, most memory {largest:.1} MB", longest * 1e3);
}
