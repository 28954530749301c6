//! What the fuzz targets of OpenEXR do with their bytes. Also replayed as ordinary tests: see
//! `crates/solio-exr/tests/replay.rs`.
//!
//! Findings, beside panics: memory beyond a bound of the bytes, errors without a place, rows that
//! differ from the whole image, pixels that are not the same after writing and reading again.

#![allow(dead_code)] // each target uses one of the bodies

mod process;

pub(crate) use process::init;

use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_exr::header::{Box2i, Part};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{
    Channel, Compression, Header, Levels, PixelType, ReadOptions, ScanlineOptions, Scanlines,
    Shared, WriteOptions, decode_exr, decode_header, encode_exr,
};
use std::borrow::Cow;

/// What is kept for all chunks: buffers of the methods.
const FIXED_BYTES: usize = 8 << 20;
/// Most bytes of pixels that a file may ask for: Zstandard and lossy methods have no bound that is
/// tight enough.
const LIMIT: u64 = 4 << 20;

/// The container: any bytes.
pub(crate) fn file(bytes: &[u8]) {
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let header = decode_header(&bytes, &limits);
    let Some(image) = read(bytes) else {
        return;
    };
    let header = header.unwrap_or_else(|e| panic!("an image without a header: {e}"));
    let mut again = Vec::new();
    header.encode(&mut again).unwrap_or_else(|e| panic!("the header cannot be written: {e}"));
    assert!(!image.parts.is_empty());
    rows(bytes, &image);
    // Names of parts may be read twice, but not be written.
    let names: Vec<_> = image.parts.iter().map(|part| part.header.name()).collect();
    let twice = (1..names.len()).any(|i| names[i].is_some() && names[..i].contains(&names[i]));
    if !twice {
        same_again(&image);
    }
}

/// One chunk of a method: shape and channels from the first bytes, the chunk is the rest.
pub(crate) fn chunk(compression: Compression, bytes: &[u8]) {
    let Some((&[kinds, width, height, odd], data)) = bytes.split_first_chunk() else { return };
    // Sampling rates divide the window.
    let rate = |bit: u8| if odd & bit != 0 && kinds >> 6 > 0 { 2 } else { 1 };
    let round = |size: i32, rate: i32| (size + rate - 1) / rate * rate;
    // Mostly small ones: they say nearly as much, and take less time.
    let size = |byte: u8, most: i32| {
        let most = if byte < 192 { most.min(18) } else { most };
        i32::from(byte) % most + 1
    };
    let columns = round(size(width, 70), rate(1));
    let rows = round(size(height, compression.chunk_rows().min(40)), rate(2));
    let channels: Vec<Channel> =
        (0..=usize::from(kinds >> 6)).map(|i| channel(i, kinds, odd)).collect();
    let corner = if odd & 0x80 == 0 { 0 } else { -4 };
    let window = Box2i { min: [corner; 2], max: [corner + columns - 1, corner + rows - 1] };
    let part = Part::new(window, compression, channels);
    // Half of the time, as it takes as long as all the rest.
    if odd & 8 == 0 {
        pixels(&part, window, data);
    }

    let mut file = Vec::new();
    let header = Header { multipart: false, long_names: false, parts: vec![part] };
    header.encode(&mut file).expect("a plain header");
    let start = file.len() as u64 + 8;
    file.extend(start.to_le_bytes());
    file.extend(window.min[1].to_le_bytes());
    file.extend((data.len() as i32).to_le_bytes());
    file.extend_from_slice(data);
    read(&file);
}

fn channel(index: usize, kinds: u8, odd: u8) -> Channel {
    let pixel_type = [PixelType::Half, PixelType::Float, PixelType::Uint, PixelType::Half]
        [usize::from(kinds >> (2 * (index % 3))) & 3];
    // Only the last one is subsampled.
    let sampling = |bit: u8| if index > 0 && odd & bit != 0 { 2 } else { 1 };
    Channel {
        name: ["A", "B", "G", "R"][index].to_owned(),
        pixel_type,
        linear: odd & 4 != 0,
        x_sampling: sampling(1),
        y_sampling: sampling(2),
    }
}

/// The bytes as pixels: written and read again they are the same, where the method says so.
fn pixels(part: &Part, window: Box2i, data: &[u8]) {
    let shape = part.shape().expect("a plain part");
    let multiples =
        |low: i32, high: i32, step: i32| (low..=high).filter(|x| x.rem_euclid(step) == 0).count();
    let mut at = 0;
    let planes = shape.channels.iter().map(|channel| {
        let count = multiples(window.min[0], window.max[0], channel.x_sampling)
            * multiples(window.min[1], window.max[1], channel.y_sampling);
        let mut next = || {
            let word = std::array::from_fn(|i| {
                data.get((at + i) % data.len().max(1)).copied().unwrap_or(0)
            });
            at += 4;
            u32::from_le_bytes(word)
        };
        let words: Vec<u32> = (0..count).map(|_| next()).collect();
        let samples = match channel.pixel_type {
            PixelType::Uint => Samples::Uint(Cow::Owned(words)),
            PixelType::Half => {
                Samples::Half(words.iter().map(|w| half::f16::from_bits(*w as u16)).collect())
            }
            PixelType::Float => Samples::Float(words.iter().map(|w| f32::from_bits(*w)).collect()),
        };
        Plane { channel: channel.clone(), samples }
    });
    let level = FlatLevel { x: 0, y: 0, window, planes: planes.collect() };
    let part = ImagePart { header: part.clone(), pixels: Pixels::Flat(vec![level]) };
    same_again(&Image { parts: vec![part], missing: Vec::new() });
}

/// Reads all of a file, within memory that its bytes bound.
fn read(bytes: &[u8]) -> Option<Image<'static>> {
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let options = ReadOptions { levels: Levels::All, limits, ..ReadOptions::default() };
    let most = FIXED_BYTES + 3 * LIMIT as usize + 400 * bytes.len();
    match process::within(most, bytes, || decode_exr(&bytes, &options, &Work::serial())) {
        Ok(image) => Some(image),
        Err(e) => {
            assert_placed(&e);
            let partial = ReadOptions { partial: true, ..options };
            if let Err(e) = decode_exr(&bytes, &partial, &Work::serial()) {
                assert_placed(&e);
            }
            None
        }
    }
}

/// What is too large for the limits need not have a place.
fn assert_placed(error: &Error) {
    if error.kind() != ErrorKind::Limit {
        process::assert_placed(error);
    }
}

/// Reading row by row gives what reading everything gives.
fn rows(bytes: &[u8], image: &Image<'_>) {
    let Pixels::Flat(levels) = &image.parts[0].pixels else { return };
    let Some(level) = levels.iter().find(|level| (level.x, level.y) == (0, 0)) else { return };
    let limits = Limits { bytes: LIMIT, ..Limits::default() };
    let options = ScanlineOptions { limits, ..ScanlineOptions::default() };
    let all = |y: i32| -> Result<Vec<Vec<u8>>> {
        let source: &[u8] = bytes;
        let mut scanlines = Scanlines::new(&source, &options, &Work::serial())?;
        let row = scanlines.row(y)?;
        Ok(row.iter().map(|s| s.as_ref().map_or(Vec::new(), |s| s.as_bytes().to_vec())).collect())
    };
    let row = all(level.window.min[1]).unwrap_or_else(|e| panic!("no first row: {e}"));
    for (plane, row) in level.planes.iter().zip(row) {
        assert!(plane.samples.as_bytes().starts_with(&row), "{}", plane.channel.name);
    }
}

/// Written and read again.
fn same_again(image: &Image<'_>) {
    let mut file = Vec::new();
    let work = Work::serial();
    let options = WriteOptions { shared: Shared::OfFirst, ..WriteOptions::default() };
    match encode_exr(image, &options, &mut file, &work) {
        Ok(()) => {}
        // Scanlines in any order are read; no writer may make them.
        Err(e) if e.message().ends_with("only tiles can come in any order") => return,
        // Values are read for which no other reader opens a file.
        Err(e) if e.message().contains(" cannot be ") => return,
        Err(e) => panic!("it cannot be written: {e}"),
    }
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    let again = decode_exr(&file.as_slice(), &options, &work)
        .unwrap_or_else(|e| panic!("what was written cannot be read: {e}"));
    for (part, other) in image.parts.iter().zip(&again.parts) {
        use Compression::{Htj2k32, Htj2k256, None, Piz, Rle, Zip, Zips, Zstd};
        let compression = part.header.shape().expect("it was written").compression;
        if [None, Rle, Zips, Zip, Piz, Zstd, Htj2k256, Htj2k32].contains(&compression) {
            assert!(part.pixels == other.pixels, "other pixels with {}", compression.name());
        }
    }
}
