//! `check_exr`: whole files have no problems, and damage is found without unpacking anything.

mod images;

use images::{deep_images, flat_images};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_exr::header::{Box2i, Chromaticities, TimeCode, Value};
use solio_exr::{CheckOptions, Checked, Compression, WriteOptions, check_exr, encode_exr, rehead};
use std::sync::Mutex;

const DEEP_TOO: [Compression; 4] =
    [Compression::None, Compression::Rle, Compression::Zips, Compression::Zstd];

fn file(image: &solio_exr::Image<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let written = encode_exr(image, &WriteOptions::default(), &mut bytes, &Work::serial());
    written.ok().map(|()| bytes)
}

/// Scanlines, levels in tiles, several parts, deep ones.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for compression in Compression::ALL {
        let mut images = flat_images(compression);
        if DEEP_TOO.contains(&compression) {
            images.append(&mut deep_images(compression));
        }
        let named = images.iter().filter_map(|(name, image)| Some((name, file(image)?)));
        files.extend(named.map(|(name, bytes)| (format!("{compression:?} {name}"), bytes)));
    }
    files
}

fn check(source: &dyn Source, decode: bool) -> Checked {
    let options = CheckOptions { decode, ..CheckOptions::default() };
    check_exr(source, &options, &Work::serial()).unwrap()
}

/// The same numbers every time (xorshift).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn whole_files_have_no_problems() {
    for (name, bytes) in files() {
        for decode in [false, true] {
            let checked = check(&bytes, decode);
            assert_eq!(checked.problems, [], "{name}");
            assert_eq!(checked.notes, [""; 0], "{name}");
            assert!(checked.chunks > 0 && checked.parts > 0);
        }
        let longer = check(&[&bytes[..], b"abc"].concat(), false);
        assert_eq!(longer.problems, [], "{name}");
        assert_eq!(longer.notes, ["3 bytes follow the last chunk"], "{name}");
    }
}

#[test]
fn a_thousand_random_truncations_are_all_found() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    let wanted = [
        "Zip scanlines",
        "Zip tiles 8",
        "Piz parts",
        "Zips deep scanlines",
        "Zstd deep mip levels",
        "Rle deep and flat",
        "None from the bottom",
        "Dwaa tiles 7",
    ];
    let files = files();
    let mut kinds = 0;
    for (name, bytes) in &files {
        if !wanted.iter().any(|wanted| name.starts_with(wanted)) {
            continue;
        }
        kinds += 1;
        for _ in 0..1000 {
            let end = random.below(bytes.len());
            let checked = check(&&bytes[..end], false);
            assert!(!checked.problems.is_empty(), "{name}: {end} of {} bytes", bytes.len());
            let placed = checked.problems.iter().all(|p| p.offset.is_some() || p.chunks.is_some());
            assert!(placed || checked.parts > 0, "{name}: {end} bytes: {:?}", checked.problems);
        }
    }
    assert!(kinds >= wanted.len(), "{kinds} kinds");
}

#[test]
fn every_truncation_of_every_make_is_found() {
    for (name, bytes) in files() {
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 300).chain([bytes.len() - 1]) {
            assert!(!check(&&bytes[..end], false).problems.is_empty(), "{name}: {end} bytes");
        }
    }
}

/// Counts the bytes that are read.
struct CountedBytes<'a>(&'a [u8], Mutex<u64>);

impl Source for CountedBytes<'_> {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let got = self.0.read_at(offset, buf)?;
        *self.1.lock().map_err(|_| Error::argument("poisoned"))? += got as u64;
        Ok(got)
    }
}

#[test]
fn pixels_are_not_read() {
    let images = flat_images(Compression::None);
    let (_, image) = images.iter().find(|(name, _)| name.starts_with("mixed types")).unwrap();
    let bytes = file(image).unwrap();
    let source = CountedBytes(&bytes, Mutex::new(0));
    assert_eq!(check(&source, false).problems, []);
    let read = *source.1.lock().unwrap();
    // The header, the table and the heads of 70 chunks; a chunk has 33 pixels of 12 bytes.
    assert!(read < 4096 + 70 * 8 + 70 * 8 + 1, "{read} of {} bytes", bytes.len());
}

#[test]
fn swapped_and_shared_chunks_are_named() {
    let (bytes, table) = placed(Compression::Zips, "scanlines");
    let entry = |i: usize| table + 8 * i..table + 8 * i + 8;

    let mut swapped = bytes.clone();
    let (first, second) = (bytes[entry(3)].to_vec(), bytes[entry(4)].to_vec());
    swapped[entry(3)].copy_from_slice(&second);
    swapped[entry(4)].copy_from_slice(&first);
    let problems = check(&swapped, false).problems;
    let messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(messages, ["chunk 4 lies there", "chunk 3 lies there"]);
    assert_eq!(problems[0].chunks, Some(3..4));

    let mut empty = bytes.clone();
    empty[entry(5).start..entry(9).end].fill(0);
    let problems = check(&empty, false).problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].chunks, Some(5..10));
    assert!(problems[0].message.contains("not written completely"));
}

/// The first of the files with this compression and name, and where its table lies.
fn placed(compression: Compression, name: &str) -> (Vec<u8>, usize) {
    let images = flat_images(compression);
    let (_, image) = images.iter().find(|(made, _)| made.starts_with(name)).unwrap();
    let bytes = file(image).unwrap();
    let header = solio_exr::decode_header(&bytes, &Default::default()).unwrap();
    let mut head = Vec::new();
    header.encode(&mut head).unwrap();
    (bytes, head.len())
}

fn chunk_start(bytes: &[u8], table: usize, chunk: usize) -> usize {
    let entry = table + 8 * chunk..table + 8 * chunk + 8;
    u64::from_le_bytes(bytes[entry].try_into().unwrap()) as usize
}

#[test]
fn a_size_that_reaches_into_the_next_chunk_is_found() {
    let (mut bytes, table) = placed(Compression::Zip, "scanlines");
    let start = chunk_start(&bytes, table, 0);
    let size = u32::from_le_bytes(bytes[start + 4..start + 8].try_into().unwrap());
    bytes[start + 4..start + 8].copy_from_slice(&(size + 5).to_le_bytes());
    let problems = check(&bytes, false).problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].chunks, Some(1..2));
    assert!(problems[0].message.starts_with("shares bytes with chunk 0"), "{problems:?}");
}

#[test]
fn what_is_inside_chunks_is_found_by_unpacking() {
    let (mut bytes, table) = placed(Compression::Zip, "scanlines");
    let start = chunk_start(&bytes, table, 1);
    bytes[start + 8..start + 40].fill(0xff);
    assert_eq!(check(&bytes, false).problems, []);
    let serial = check(&bytes, true);
    assert_eq!(serial.problems.len(), 1, "{serial:?}");
    assert_eq!(serial.problems[0].chunks, Some(1..2));
    let options = CheckOptions { decode: true, ..CheckOptions::default() };
    let work = Work { threads: 4, ..Work::default() };
    assert_eq!(check_exr(&bytes, &options, &work).unwrap(), serial);
}

/// The reference stores the counts of a whole tile where nothing packs them, also of one that the
/// edge of the image cuts: those that count come first.
#[test]
fn plain_counts_of_cut_tiles_may_be_those_of_whole_ones() {
    let images = deep_images(Compression::None);
    let (_, image) = images.iter().find(|(name, _)| name == "deep tiles").unwrap();
    let bytes = file(image).unwrap();
    let header = solio_exr::decode_header(&bytes, &Default::default()).unwrap();
    let mut table = Vec::new();
    header.encode(&mut table).unwrap();
    // Tiles of 8 × 5 pixels; the last one has 3 × 2.
    let start = chunk_start(&bytes, table.len(), 8);
    let counts = start + 16 + 24;
    assert_eq!(bytes[start + 16..start + 24], 24u64.to_le_bytes());
    let with = |size: u64| {
        let mut bytes = bytes.clone();
        bytes[start + 16..start + 24].copy_from_slice(&size.to_le_bytes());
        let behind = vec![0xab; size as usize - 24];
        bytes.splice(counts + 24..counts + 24, behind);
        bytes
    };
    let read = |bytes: Vec<u8>| {
        solio_exr::decode_exr(&bytes, &Default::default(), &Work::serial()).map(|i| i.parts)
    };
    let plain = read(bytes.clone()).unwrap();
    for size in [24, 28, 160] {
        let longer = with(size);
        for decode in [false, true] {
            assert_eq!(check(&longer, decode).problems, [], "{size}");
        }
        assert!(read(longer).unwrap() == plain, "{size}");
    }
    assert_eq!(check(&with(161), false).problems.len(), 1);
    let e = read(with(161)).unwrap_err();
    assert!(e.message().ends_with("161 bytes of data for 24 bytes of counts"), "{e}");
}

/// The reference refuses such files.
#[test]
fn parts_that_differ_where_they_must_not_are_told_of() {
    let (_, image) = flat_images(Compression::Zip).pop().unwrap();
    let bytes = file(&image).unwrap();
    let with = |part: usize, name: &str, value: Value| {
        let made = rehead(&bytes, &Limits::default(), |header| {
            header.parts[part].set(name, value);
            Ok(())
        });
        let made = made.unwrap();
        let bytes = [&made.head[..], &bytes[made.rest as usize..]].concat();
        check(&bytes, false).problems
    };
    let at = [0.25; 2];
    let primaries = Chromaticities { red: at, green: at, blue: at, white: at };
    let code = TimeCode { time_and_flags: 1, user_data: 0 };
    for (name, value) in [
        ("displayWindow", Value::Box2i(Box2i::of_size(3, 3))),
        ("pixelAspectRatio", Value::Float(2.0)),
        ("timecode", Value::TimeCode(code)),
        ("chromaticities", Value::Chromaticities(primaries)),
    ] {
        let problems = with(1, name, value);
        assert_eq!((problems.len(), problems[0].part), (1, Some(1)), "{name}: {problems:?}");
        let start = format!("{name:?} differs from that of part 0");
        assert!(problems[0].message.starts_with(&start), "{problems:?}");
    }
    // What the first part alone has is no contradiction, nor is what each may have for itself.
    assert_eq!(with(0, "chromaticities", Value::Chromaticities(primaries)), []);
    assert_eq!(with(1, "owner", Value::Text("me".into())), []);
}

#[test]
fn headers_are_checked_too() {
    let (_, mut image) = flat_images(Compression::Rle).remove(1);
    image.parts[0].header.remove("pixelAspectRatio");
    image.parts[0].header.remove("screenWindowWidth");
    let problems = check(&file(&image).unwrap(), false).problems;
    let messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
    let missing = |name: &str| format!("the header has no attribute {name:?}");
    assert_eq!(messages, [missing("pixelAspectRatio"), missing("screenWindowWidth")]);
    // What OpenEXR 3.5.3 does not open.
    let (_, image) = flat_images(Compression::Rle).remove(1);
    let bytes = file(&image).unwrap();
    let with = |name: &str, value: &[u8]| {
        let mut bytes = bytes.clone();
        let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).unwrap();
        let at = at + name.len();
        bytes[at..at + value.len()].copy_from_slice(value);
        check(&bytes, false).problems.into_iter().map(|p| p.message).collect::<Vec<_>>()
    };
    let ratio = "pixelAspectRatio\0float\0\x04\0\0\0";
    for value in [0.0f32, f32::NAN, -1.0, 1e7] {
        let problems = with(ratio, &value.to_le_bytes());
        assert!(
            problems.len() == 1 && problems[0].contains("pixelAspectRatio cannot be"),
            "{value}"
        );
    }
    assert_eq!(with(ratio, &2.0f32.to_le_bytes()), [""; 0]);
    let width = "screenWindowWidth\0float\0\x04\0\0\0";
    assert_eq!(with(width, &(-1.0f32).to_le_bytes()).len(), 1);
    let window: Vec<u8> = [5i32, 5, 4, 4].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(with("displayWindow\0box2i\0\x10\0\0\0", &window).len(), 1);
    let nonsense = check(&b"hello world, this is no image".as_slice(), false);
    assert_eq!(nonsense.problems[0].message, "not an OpenEXR file: wrong magic number");
}
