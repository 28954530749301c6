//! What is read and written, as the tables in `docs/formats/exr.md` say: each cell is what this
//! test found when it tried. `SOLIO_BLESS=1 cargo test -p solio-exr --test coverage` writes them.
#![allow(clippy::disallowed_methods)] // the test reads and writes a document

mod images;

use images::{deep_images, flat_images};
use solio_base::{ErrorKind, Limits, Work};
use solio_exr::header::Box2i;
use solio_exr::model::{FlatLevel, Image, Pixels, Plane, Samples};
use solio_exr::{Compression, IntoOptions, Layout, Levels, RasterMut, ReadOptions, SamplesMut};
use solio_exr::{ScanlineOptions, Scanlines, WriteOptions};
use solio_exr::{decode_exr, decode_exr_into, decode_header, encode_exr};
use std::collections::BTreeMap;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/exr.md");
const START: &str = "<!-- coverage: start -->";
const END: &str = "<!-- coverage: end -->";

/// What a cell says.
const EXACT: &str = "=";
const NEAR: &str = "≈";
const REFUSED: &str = "–";

/// How far a lossy method may be off: B44 is coarse where a block has jumps of 16.
const TOLERANCE: f32 = 4.0;

fn all_levels() -> ReadOptions {
    ReadOptions { levels: Levels::All, ..ReadOptions::default() }
}

fn read(bytes: &[u8], options: &ReadOptions) -> Image<'static> {
    decode_exr(&bytes, options, &Work::serial()).unwrap()
}

/// The file, or nothing where the method does not take such an image.
fn write(image: &Image<'_>, compression: Compression) -> Option<Vec<u8>> {
    let layout = Layout::Keep;
    let options =
        WriteOptions { compression: Some(compression), layout, ..WriteOptions::default() };
    let mut bytes = Vec::new();
    match encode_exr(image, &options, &mut bytes, &Work::serial()) {
        Ok(()) => Some(bytes),
        Err(e) => {
            let of_deep = e.message().contains("deep data cannot be compressed");
            assert!(of_deep || e.kind() == ErrorKind::Unsupported, "{e}");
            None
        }
    }
}

/// All planes of all levels of all parts.
fn planes<'i>(image: &'i Image<'i>) -> Vec<&'i Plane<'i>> {
    let of_part = |pixels: &'i Pixels<'i>| -> Vec<&'i Plane<'i>> {
        match pixels {
            Pixels::Flat(levels) => levels.iter().flat_map(|level| &level.planes).collect(),
            Pixels::Deep(levels) => levels.iter().flat_map(|level| &level.planes).collect(),
        }
    };
    image.parts.iter().flat_map(|part| of_part(&part.pixels)).collect()
}

fn floats(samples: &Samples<'_>) -> Vec<f32> {
    match samples {
        Samples::Uint(values) => values.iter().map(|v| *v as i32 as f32).collect(),
        Samples::Half(values) => values.iter().map(|v| v.to_f32()).collect(),
        Samples::Float(values) => values.to_vec(),
    }
}

/// Says how well `again` is `image`; something else is a failure.
fn compare(
    what: &str,
    compression: Compression,
    again: &Image<'_>,
    image: &Image<'_>,
) -> &'static str {
    let (again, image) = (planes(again), planes(image));
    assert_eq!(again.len(), image.len(), "{what}");
    use Compression::{B44, B44a, Dwaa, Dwab, Lj2k, Pxr24};
    let lossy = matches!(compression, Pxr24 | B44 | B44a | Dwaa | Dwab | Lj2k);
    for (a, b) in again.iter().zip(&image) {
        assert_eq!(a.channel, b.channel, "{what}");
        assert_eq!(a.samples.len(), b.samples.len(), "{what}");
        assert!(lossy || a.samples == b.samples, "{what}");
        for (a, b) in floats(&a.samples).iter().zip(floats(&b.samples)) {
            let near = (a - b).abs() <= TOLERANCE || (a - b).abs() <= 1e-4 * b.abs();
            assert!(near, "{what}: {a} instead of {b}");
        }
    }
    if lossy { NEAR } else { EXACT }
}

/// Kinds of images, by what the names of the made ones start with.
const KINDS: [(&str, &str); 12] = [
    ("one pixel", "one pixel"),
    ("scanlines", "scanlines"),
    ("mixed types", "scanlines of half, float and uint; windows not at 0, 0"),
    ("subsampled", "subsampled channels"),
    ("from the bottom", "scanlines from the bottom"),
    ("tiles", "tiles: one level, mip, rip; rounded up and down; from the bottom"),
    ("parts", "several parts"),
    ("deep scanlines", "deep scanlines"),
    ("deep from the bottom", "deep scanlines from the bottom"),
    ("deep tiles", "deep tiles"),
    ("deep mip", "deep tiles, mip levels"),
    ("deep rip", "deep tiles, rip levels"),
];

/// Kind by method: what came back.
fn kinds(compression: Compression, cells: &mut BTreeMap<(String, u8), String>) {
    let mut images = flat_images(Compression::None);
    images.append(&mut deep_images(Compression::None));
    for (name, image) in images {
        // The longest name that fits: "deep tiles" is not "tiles".
        let fits = |(start, _): &&(&str, &str)| name.starts_with(start);
        let kind = KINDS.iter().filter(fits).max_by_key(|(start, _)| start.len());
        let said = kind.map_or("deep and flat parts in one file", |(_, said)| said);
        let what = format!("{name}, {}", compression.name());
        let found = match write(&image, compression) {
            None => REFUSED,
            Some(bytes) => compare(&what, compression, &read(&bytes, &all_levels()), &image),
        };
        let cell = cells.entry((said.to_owned(), compression.number())).or_default();
        // One image of a kind that is refused is enough.
        if cell != REFUSED {
            *cell = found.to_owned();
        }
    }
}

/// The image of `images` whose name starts so.
fn named(images: Vec<(String, Image<'static>)>, start: &str) -> Image<'static> {
    images.into_iter().find(|(name, _)| name.starts_with(start)).unwrap().1
}

fn first_level<'i>(image: &'i Image<'i>) -> &'i FlatLevel<'i> {
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!("deep") };
    &levels[0]
}

/// The samples of `plane` of `level` in `window`, for channels that are not subsampled.
fn cut(level: &FlatLevel<'_>, plane: &Plane<'_>, window: &Box2i) -> Vec<u8> {
    let bytes = plane.channel.pixel_type.bytes();
    let row = level.window.width() as usize * bytes;
    let left = (window.min[0] - level.window.min[0]) as usize * bytes;
    let right = left + window.width() as usize * bytes;
    let rows = plane.samples.as_bytes().chunks(row);
    let top = (window.min[1] - level.window.min[1]) as usize;
    let rows = rows.skip(top).take(window.height() as usize);
    rows.flat_map(|row| &row[left..right]).copied().collect()
}

/// A way to read some of a file; says whether it gives what reading all of it gives.
type ReadMethod = fn(&[u8], &Image<'_>) -> bool;

const WAYS: [(&str, ReadMethod); 8] = [
    ("header only", |bytes, whole| {
        let header = decode_header(&bytes, &Limits::default()).unwrap();
        header.parts.len() == whole.parts.len() && header.parts[0] == whole.parts[0].header
    }),
    ("one channel", |bytes, whole| {
        let options = ReadOptions { channels: Some(vec!["Z".into()]), ..ReadOptions::default() };
        let some = read(bytes, &options);
        let of_whole = first_level(whole).planes.iter().find(|plane| plane.channel.name == "Z");
        first_level(&some).planes.iter().eq(of_whole)
    }),
    ("a window", |bytes, whole| {
        let level = first_level(whole);
        let [left, top] = level.window.min;
        let window = Box2i { min: [left + 5, top + 9], max: [left + 20, top + 44] };
        let options = ReadOptions { window: Some(window), ..ReadOptions::default() };
        let some = read(bytes, &options);
        let pairs = first_level(&some).planes.iter().zip(&level.planes);
        first_level(&some).window == window && { pairs }
            .all(|(a, b)| a.samples.as_bytes() == cut(level, b, &window))
    }),
    ("rows, one by one", |bytes, whole| {
        let level = first_level(whole);
        let mut rows =
            Scanlines::new(&bytes, &ScanlineOptions::default(), &Work::serial()).unwrap();
        let [left, right] = [level.window.min[0], level.window.max[0]];
        (level.window.min[1]..=level.window.max[1]).all(|y| {
            let window = Box2i { min: [left, y], max: [right, y] };
            let row = rows.row(y).unwrap();
            let mut pairs = row.iter().zip(&level.planes);
            pairs.all(|(a, b)| a.as_ref().unwrap().as_bytes() == cut(level, b, &window))
        })
    }),
    ("into the caller's memory", |bytes, whole| {
        let level = first_level(whole);
        let Samples::Float(expected) =
            &level.planes.iter().find(|p| p.channel.name == "Z").unwrap().samples
        else {
            return false;
        };
        let mut there = vec![0f32; expected.len()];
        let samples = SamplesMut::Float(&mut there);
        let row_stride = level.window.width() as usize;
        let raster = RasterMut { channels: vec!["Z".into()], samples, row_stride, pixel_stride: 0 };
        let read = decode_exr_into(&bytes, &IntoOptions::default(), vec![raster], &Work::serial());
        read.is_ok() && there == expected[..]
    }),
    ("as a stream", |bytes, whole| {
        let again = decode_exr(&CoverageStream(bytes), &all_levels(), &Work::serial()).unwrap();
        again == *whole
    }),
    ("on several threads", |bytes, whole| {
        let work = Work { threads: 3, ..Work::default() };
        decode_exr(&bytes, &all_levels(), &work).unwrap() == *whole
    }),
    ("without its chunk table", |bytes, whole| {
        let head = decode_header(&bytes, &Limits::default()).unwrap();
        let mut start = Vec::new();
        head.encode(&mut start).unwrap();
        let chunks: u64 = head.parts.iter().map(|part| part.shape().unwrap().chunks).sum();
        let mut bytes = bytes.to_vec();
        bytes[start.len()..start.len() + 8 * chunks as usize].fill(0);
        read(&bytes, &all_levels()) == *whole
    }),
];

/// Bytes that come once.
struct CoverageStream<'a>(&'a [u8]);

impl solio_base::Source for CoverageStream<'_> {
    fn len_bytes(&self) -> Option<u64> {
        None
    }
    fn is_sequential(&self) -> bool {
        true
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> solio_base::Result<usize> {
        self.0.read_at(offset, buf)
    }
}

/// Way by method: whether it gives the same.
fn ways(compression: Compression, cells: &mut BTreeMap<(String, u8), String>) {
    let bytes = write(&named(flat_images(Compression::None), "mixed types"), compression);
    let whole = bytes.as_ref().map(|bytes| read(bytes, &all_levels()));
    for (name, way) in WAYS {
        let cell = match (&bytes, &whole) {
            (Some(bytes), Some(whole)) => {
                assert!(way(bytes, whole), "{name}, {}", compression.name());
                EXACT
            }
            _ => REFUSED,
        };
        cells.insert((name.to_owned(), compression.number()), cell.to_owned());
    }
}

fn table(head: &str, rows: &[&str], cells: &BTreeMap<(String, u8), String>) -> String {
    let methods = Compression::ALL.map(|method| format!(" {} |", method.name())).concat();
    let mut text = format!("| {head} |{methods}\n|---|{}\n", "---|".repeat(14));
    for row in rows {
        let cell = |method: Compression| {
            let cell = cells.get(&((*row).to_owned(), method.number()));
            format!(" {} |", cell.expect("every method was tried"))
        };
        text += &format!("| {row} |{}\n", Compression::ALL.map(cell).concat());
    }
    text
}

#[test]
fn the_document_says_what_was_found() {
    let mut cells = BTreeMap::new();
    for compression in Compression::ALL {
        kinds(compression, &mut cells);
        ways(compression, &mut cells);
    }
    let mut rows: Vec<&str> = KINDS.iter().map(|(_, said)| *said).collect();
    rows.push("deep and flat parts in one file");
    let ways: Vec<&str> = WAYS.iter().map(|(name, _)| *name).collect();
    let kinds = table("written and read again", &rows, &cells);
    let tables = format!("{START}\n{kinds}\n{}{END}", table("read in part", &ways, &cells));

    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(START).expect("the document has a place for tables");
    let (_, after) = rest.split_once(END).expect("the place has an end");
    let new = format!("{before}{tables}{after}");
    if std::env::var_os("SOLIO_BLESS").is_some() {
        std::fs::write(DOCUMENT, &new).unwrap();
    } else if new != document {
        panic!(
            "docs/formats/exr.md says something else than the tests found; \
             SOLIO_BLESS=1 cargo test -p solio-exr --test coverage writes it:\n{tables}"
        );
    }
}
