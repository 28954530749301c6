//! What is written is read again: every make of image, every compression.

mod images;

use images::{UnmappedBytes, channel, deep_images, flat_images, flat_part};
use solio_base::{Result, Sink, Source, Work};
use solio_exr::header::{Box2i, LineOrder, Part, Tiles, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, PixelType, SamplesMut, WriteOptions, decode_exr, encode_exr};
use solio_exr::{Compression, Layout, Levels, ReadOptions, ScanlineOptions, Scanlines};

const LOSSLESS: [Compression; 6] = [
    Compression::None,
    Compression::Rle,
    Compression::Zips,
    Compression::Zip,
    Compression::Piz,
    Compression::Zstd,
];

const DEEP: [Compression; 4] =
    [Compression::None, Compression::Rle, Compression::Zips, Compression::Zstd];

fn write(image: &Image<'_>, options: &WriteOptions, threads: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let work = Work { threads, ..Work::default() };
    encode_exr(image, options, &mut bytes, &work).unwrap();
    bytes
}

fn read(bytes: &[u8], options: &ReadOptions, threads: usize) -> Image<'static> {
    decode_exr(&bytes, options, &Work { threads, ..Work::default() }).unwrap()
}

fn all() -> ReadOptions {
    ReadOptions { levels: Levels::All, ..ReadOptions::default() }
}

fn pixels<'i>(image: &'i Image<'i>) -> Vec<&'i Pixels<'i>> {
    image.parts.iter().map(|part| &part.pixels).collect()
}

/// The planes of the first level of the first part.
fn planes<'i>(image: &'i Image<'i>) -> &'i [Plane<'i>] {
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
    &levels[0].planes
}

/// A source that gives its bytes once.
struct OneShotSource(Vec<u8>);

impl Source for OneShotSource {
    fn len_bytes(&self) -> Option<u64> {
        None
    }
    fn is_sequential(&self) -> bool {
        true
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

/// A sink that cannot go back.
#[derive(Default)]
struct Pipe(Vec<u8>);

impl Sink for Pipe {
    fn write_chunks(
        &mut self,
        work: &Work,
        chunks: usize,
        fill: &solio_base::FillChunk<'_>,
    ) -> Result<()> {
        self.0.write_chunks(work, chunks, fill)
    }
}

#[test]
fn images_come_back_to_the_bit() {
    for compression in LOSSLESS {
        let mut images = flat_images(compression);
        if DEEP.contains(&compression) {
            images.append(&mut deep_images(compression));
        }
        for (name, image) in images {
            let bytes = write(&image, &WriteOptions::default(), 1);
            let again = read(&bytes, &all(), 1);
            assert!(pixels(&again) == pixels(&image), "{name}, {compression:?}");
            assert_eq!(write(&image, &WriteOptions::default(), 4), bytes, "{name}");
            assert!(read(&bytes, &all(), 4) == again, "{name}");
            assert_eq!(write(&again, &WriteOptions::default(), 2), bytes, "{name}");
            let elsewhere = decode_exr(&UnmappedBytes(bytes.clone()), &all(), &Work::default());
            assert!(elsewhere.unwrap() == again, "{name}");
            let stream = decode_exr(&OneShotSource(bytes.clone()), &all(), &Work::default());
            assert!(stream.unwrap() == again, "{name}");
            let mut pipe = Pipe::default();
            encode_exr(&image, &WriteOptions::default(), &mut pipe, &Work::default()).unwrap();
            assert_eq!(pipe.0, bytes, "{name}");
        }
    }
}

#[test]
fn lossy_methods_keep_the_shape() {
    for compression in [Compression::Pxr24, Compression::B44, Compression::B44a] {
        for (name, image) in flat_images(compression) {
            let again = read(&write(&image, &WriteOptions::default(), 2), &all(), 2);
            for (a, b) in again.parts.iter().zip(&image.parts) {
                assert_eq!(a.header.attributes.len().min(8), 8, "{name}");
                let (Pixels::Flat(a), Pixels::Flat(b)) = (&a.pixels, &b.pixels) else { panic!() };
                for (a, b) in a.iter().zip(b) {
                    let lengths = |planes: &[Plane<'_>]| -> Vec<usize> {
                        planes.iter().map(|plane| plane.samples.len()).collect()
                    };
                    assert_eq!(lengths(&a.planes), lengths(&b.planes), "{name}");
                }
            }
        }
    }
}

/// Samples of the plane `name` in `window`, one by one.
fn cut(image: &Image<'_>, level: usize, name: &str, window: &Box2i) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for part in &image.parts {
        let Pixels::Flat(levels) = &part.pixels else { continue };
        let Some(level) = levels.get(level) else { continue };
        for plane in level.planes.iter().filter(|plane| plane.channel.name == name) {
            let (xs, ys) = (plane.channel.x_sampling, plane.channel.y_sampling);
            let bytes = plane.channel.pixel_type.bytes();
            let mut samples = plane.samples.as_bytes().chunks(bytes);
            for y in level.window.min[1]..=level.window.max[1] {
                for x in level.window.min[0]..=level.window.max[0] {
                    if y.rem_euclid(ys) != 0 || x.rem_euclid(xs) != 0 {
                        continue;
                    }
                    let sample = samples.next().unwrap();
                    let inside =
                        |at: i32, axis: usize| (window.min[axis]..=window.max[axis]).contains(&at);
                    if inside(x, 0) && inside(y, 1) {
                        found.push(sample.to_vec());
                    }
                }
            }
        }
    }
    found
}

#[test]
fn a_choice_gives_the_same_samples() {
    for (name, image) in flat_images(Compression::Zip) {
        let bytes = write(&image, &WriteOptions::default(), 1);
        let first = image.parts[0].header.shape().unwrap();
        for channel in &first.channels {
            for level in first.levels.iter().enumerate() {
                let (index, level) = level;
                for (dx, dy, width, height) in [(0, 0, 400, 1), (3, 5, 6, 20), (1, 17, 2, 2)] {
                    let min = [level.window.min[0] + dx, level.window.min[1] + dy];
                    let window = Box2i { min, max: [min[0] + width - 1, min[1] + height - 1] };
                    let options = ReadOptions {
                        parts: Some(vec![0]),
                        channels: Some(vec![channel.name.clone()]),
                        levels: Levels::One(level.x, level.y),
                        window: Some(window),
                        ..ReadOptions::default()
                    };
                    if window.intersection(&level.window).is_none() {
                        assert!(decode_exr(&bytes, &options, &Work::serial()).is_err());
                        continue;
                    }
                    let part = read(&bytes, &options, 2);
                    assert_eq!(part.parts[0].header.shape().unwrap().channels.len(), 1);
                    let whole = Image { parts: vec![image.parts[0].clone()], ..Image::default() };
                    let expected = cut(&whole, index, &channel.name, &window);
                    assert_eq!(cut(&part, 0, &channel.name, &window), expected, "{name}");
                    // What was chosen is an image of its own.
                    let again = read(&write(&part, &WriteOptions::default(), 1), &all(), 1);
                    assert!(planes(&again) == planes(&part), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_choice_of_deep_data_gives_the_same_samples() {
    for (name, image) in deep_images(Compression::Zips) {
        let bytes = write(&image, &WriteOptions::default(), 1);
        let Pixels::Deep(levels) = &image.parts[0].pixels else { panic!() };
        let whole = &levels[0];
        let (width, [left, top]) = (whole.window.width() as usize, whole.window.min);
        for (dx, dy, across, down) in [(0, 0, 19, 12), (3, 2, 5, 6), (9, 0, 1, 12), (18, 11, 9, 9)]
        {
            let min = [left + dx, top + dy];
            let window = Box2i { min, max: [min[0] + across - 1, min[1] + down - 1] };
            let options = ReadOptions {
                parts: Some(vec![0]),
                channels: Some(vec!["Z".into(), "id".into()]),
                window: Some(window),
                ..ReadOptions::default()
            };
            let part = read(&bytes, &options, 2);
            let Pixels::Deep(levels) = &part.parts[0].pixels else { panic!() };
            let cut = &levels[0];
            let mut planes = vec![Vec::new(); 2];
            let mut counts = Vec::new();
            let mut at = 0;
            for (i, count) in whole.counts.iter().enumerate() {
                let (x, y) = (left + (i % width) as i32, top + (i / width) as i32);
                let inside =
                    |axis: usize, at: i32| (window.min[axis]..=window.max[axis]).contains(&at);
                let samples = at..at + *count as usize;
                at = samples.end;
                if inside(0, x) && inside(1, y) {
                    counts.push(*count);
                    for (to, name) in planes.iter_mut().zip(["Z", "id"]) {
                        let plane = whole.planes.iter().find(|p| p.channel.name == name).unwrap();
                        let bytes = plane.samples.as_bytes();
                        to.extend_from_slice(&bytes[4 * samples.start..4 * samples.end]);
                    }
                }
            }
            assert_eq!(cut.counts[..], counts, "{name}");
            for (plane, expected) in cut.planes.iter().zip(planes) {
                assert_eq!(plane.samples.as_bytes(), expected, "{name}");
            }
            let again = read(&write(&part, &WriteOptions::default(), 1), &all(), 1);
            assert!(pixels(&again) == pixels(&part), "{name}");
        }
    }
}

/// The bytes of each channel of a row, read into memory.
fn row_into(rows: &mut Scanlines<'_>, y: i32) -> Vec<Vec<u8>> {
    let width = rows.window().width() as usize;
    let channels = rows.channels().to_vec();
    let has_row = |channel: &Channel| y.rem_euclid(channel.y_sampling) == 0;
    let mut memory: Vec<Samples<'_>> = (channels.iter())
        .map(|channel| {
            let samples = width / channel.x_sampling as usize;
            match channel.pixel_type {
                PixelType::Uint => Samples::Uint(vec![0; samples].into()),
                PixelType::Half => Samples::Half(vec![half::f16::ZERO; samples].into()),
                PixelType::Float => Samples::Float(vec![0.0; samples].into()),
            }
        })
        .collect();
    let lent = memory.iter_mut().map(|samples| match samples {
        Samples::Uint(values) => SamplesMut::Uint(values.to_mut()),
        Samples::Half(values) => SamplesMut::Half(values.to_mut()),
        Samples::Float(values) => SamplesMut::Float(values.to_mut()),
    });
    let mut lent: Vec<SamplesMut<'_>> = lent.collect();
    assert!(rows.row_into(y, &mut lent[1..]).unwrap_err().message().starts_with("memory for"));
    rows.row_into(y, &mut lent).unwrap();
    let bytes = channels.iter().zip(&memory);
    bytes.map(|(c, s)| if has_row(c) { s.as_bytes().to_vec() } else { Vec::new() }).collect()
}

#[test]
fn rows_come_one_by_one_in_any_order() {
    let images = flat_images(Compression::Zip).into_iter();
    let images = images.chain(flat_images(Compression::Zips));
    for (name, image) in images.chain(flat_images(Compression::None)) {
        let bytes = write(&image, &WriteOptions::default(), 1);
        for (part, of) in image.parts.iter().enumerate() {
            let Pixels::Flat(levels) = &of.pixels else { panic!() };
            for level in levels {
                let level_of = (level.x, level.y);
                let options = ScanlineOptions { part, level: level_of, ..Default::default() };
                let work = Work { threads: 2, ..Work::default() };
                let mut rows = Scanlines::new(&bytes, &options, &work).unwrap();
                let elsewhere = UnmappedBytes(bytes.clone());
                let mut placed = Scanlines::new(&elsewhere, &options, &work).unwrap();
                assert_eq!(rows.window(), level.window, "{name}");
                let (top, bottom) = (level.window.min[1], level.window.max[1]);
                let down = top..=bottom;
                let jumps = (0..9).map(|i| top + i * 71 % (bottom - top + 1));
                for y in down.clone().chain(down.rev()).chain(jumps) {
                    let mut filled = [row_into(&mut rows, y), row_into(&mut placed, y)];
                    let row = rows.row(y).unwrap();
                    for (plane, got) in level.planes.iter().zip(row) {
                        let min = [level.window.min[0], y];
                        let window = Box2i { min, max: [level.window.max[0], y] };
                        let part = ImagePart {
                            header: of.header.clone(),
                            pixels: Pixels::Flat(vec![FlatLevel {
                                planes: vec![plane.clone()],
                                ..*level
                            }]),
                        };
                        let one = Image { parts: vec![part], ..Image::default() };
                        let expected = cut(&one, 0, &plane.channel.name, &window).concat();
                        let got = got.map_or(Vec::new(), |s| s.as_bytes().to_vec());
                        assert_eq!(got, expected, "{name}, row {y}");
                        for filled in &mut filled {
                            assert_eq!(filled.remove(0), expected, "{name}, row {y} into memory");
                        }
                    }
                }
                let e = rows.row(bottom + 1).unwrap_err();
                assert!(e.message().starts_with("there is no row"));
            }
        }
    }
}

/// Where the file ends within a chunk, those before it are still read, also where each byte of the
/// file is one of the pixels.
#[test]
fn of_a_file_that_was_cut_off_what_is_there_is_read() {
    let tiles =
        Tiles { width: 128, height: 8, levels: Default::default(), rounding: Default::default() };
    for compression in [Compression::None, Compression::Zip] {
        for layout in [Layout::Scanlines, Layout::Tiles(tiles)] {
            let channels =
                vec![channel("Y", PixelType::Float, 1), channel("Z", PixelType::Float, 1)];
            let part = flat_part(Part::new(Box2i::of_size(512, 32), compression, channels));
            let image = Image { parts: vec![part], ..Image::default() };
            let options = WriteOptions { layout, ..WriteOptions::default() };
            let bytes = write(&image, &options, 1);
            for end in [bytes.len() * 3 / 4 + 1, bytes.len() - 1000, bytes.len() - 1] {
                let cut = &bytes[..end];
                assert!(decode_exr(&cut, &all(), &Work::serial()).is_err());
                let partial = ReadOptions { partial: true, ..all() };
                let some = read(cut, &partial, 2);
                let last = some.missing.last().unwrap();
                assert!(last.message.contains("the file"), "{}", last.message);
                // The first half is all there, bit by bit.
                for (plane, there) in planes(&image).iter().zip(planes(&some)) {
                    let half = plane.samples.as_bytes().len() / 2;
                    assert!(plane.samples.as_bytes()[..half] == there.samples.as_bytes()[..half]);
                }
            }
        }
    }
}

#[test]
fn options_change_how_it_is_stored_not_what() {
    let (_, image) = flat_images(Compression::None).swap_remove(2);
    let tiles =
        Tiles { width: 6, height: 9, levels: Default::default(), rounding: Default::default() };
    for layout in [Layout::Keep, Layout::Scanlines, Layout::Tiles(tiles)] {
        for line_order in [LineOrder::Increasing, LineOrder::Decreasing] {
            let options = WriteOptions {
                compression: Some(Compression::Zip),
                level: Some(1.0),
                line_order: Some(line_order),
                layout,
                ..WriteOptions::default()
            };
            let again = read(&write(&image, &options, 2), &all(), 2);
            assert!(pixels(&again) == pixels(&image));
            let shape = again.parts[0].header.shape().unwrap();
            assert_eq!((shape.compression, shape.line_order), (Compression::Zip, line_order));
            assert_eq!(shape.kind.is_tiled(), matches!(layout, Layout::Tiles(_)));
        }
    }
}

/// Scanlines have no random order: they get one, unless it was asked for.
#[test]
fn tiles_in_any_order_become_scanlines() {
    for (name, mut image) in
        flat_images(Compression::Zip).into_iter().chain(deep_images(Compression::Zips))
    {
        let one = image.parts.len() == 1;
        let tiled = |part: &ImagePart<'_>| {
            let shape = part.header.shape().unwrap();
            shape.kind.is_tiled() && shape.levels.len() == 1
        };
        if !one || !tiled(&image.parts[0]) {
            continue;
        }
        image.parts[0].header.set("lineOrder", Value::LineOrder(LineOrder::Random));
        let options = WriteOptions { layout: Layout::Scanlines, ..WriteOptions::default() };
        let again = read(&write(&image, &options, 1), &all(), 1);
        assert!(pixels(&again) == pixels(&image), "{name}");
        let shape = again.parts[0].header.shape().unwrap();
        assert_eq!((shape.kind.is_tiled(), shape.line_order), (false, LineOrder::Increasing));
        let line_order = Some(LineOrder::Random);
        let options = WriteOptions { line_order, ..options };
        let e = encode_exr(&image, &options, &mut Vec::new(), &Work::serial()).unwrap_err();
        assert!(e.message().ends_with("only tiles can come in any order"), "{e}");
    }
}

#[test]
fn zstd_takes_several_rows_at_once_unless_told_otherwise() {
    let images = flat_images(Compression::Zstd);
    let image = |name: &str| images.iter().find(|(other, _)| other == name).unwrap().1.clone();
    let shape = |image: &Image<'_>, options: &WriteOptions| {
        let again = read(&write(image, options, 1), &all(), 1);
        assert!(pixels(&again) == pixels(image));
        again.parts[0].header.shape().unwrap()
    };
    let plain = image("scanlines 1");
    let ours = shape(&plain, &WriteOptions::default());
    assert_eq!((ours.kind.is_tiled(), ours.chunks), (true, 1));
    for (layout, compat) in
        [(Layout::Auto, true), (Layout::Keep, false), (Layout::Scanlines, false)]
    {
        let kept = shape(&plain, &WriteOptions { layout, compat, ..WriteOptions::default() });
        assert_eq!((kept.kind.is_tiled(), kept.chunks), (false, 37));
    }
    // Tiles have no subsampled channels; those of a header are kept.
    assert!(!shape(&image("subsampled 3"), &WriteOptions::default()).kind.is_tiled());
    assert!(shape(&image("tiles 5"), &WriteOptions::default()).chunks > 1);
}

#[test]
fn zstd_levels_below_1_give_every_bit_back() {
    for (name, image) in flat_images(Compression::Zstd) {
        for level in [-7.0, -1.0] {
            let options = WriteOptions { level: Some(level), ..WriteOptions::default() };
            let again = read(&write(&image, &options, 1), &all(), 1);
            assert!(pixels(&again) == pixels(&image), "{name}, level {level}");
        }
    }
}

#[test]
fn an_unfinished_file_gives_what_it_has() {
    let names = ["scanlines 1", "tiles 9", "parts"];
    for (name, image) in flat_images(Compression::Rle) {
        if !names.contains(&name.as_str()) {
            continue;
        }
        let bytes = write(&image, &WriteOptions::default(), 1);
        let chunks: u64 = image.parts.iter().map(|part| part.header.shape().unwrap().chunks).sum();
        let mut head = Vec::new();
        let parts: Vec<Part> =
            read(&bytes, &all(), 1).parts.into_iter().map(|p| p.header).collect();
        let header = solio_exr::Header { parts, ..Default::default() };
        header.encode(&mut head).unwrap();
        let table = head.len()..head.len() + 8 * chunks as usize;
        let mut unfinished = bytes.clone();
        unfinished[table.clone()].fill(0);
        assert!(read(&unfinished, &all(), 1) == read(&bytes, &all(), 1), "{name}");
        let end = table.end + (bytes.len() - table.end) / 2;
        let e = decode_exr(&&unfinished[..end], &all(), &Work::serial()).unwrap_err();
        assert!(e.message().contains("was not written completely"), "{e}");
        assert!(e.offset().is_some());
        let partial = ReadOptions { partial: true, ..all() };
        let some = read(&unfinished[..end], &partial, 2);
        assert!(!some.missing.is_empty() && (some.missing.len() as u64) < chunks, "{name}");
        assert!(some == read(&unfinished[..end], &partial, 1));
    }
}

#[test]
fn wrong_wishes_are_refused() {
    let (_, image) = flat_images(Compression::Zip).pop().unwrap();
    let bytes = write(&image, &WriteOptions::default(), 1);
    let refused = |options: ReadOptions| {
        decode_exr(&bytes, &options, &Work::serial()).unwrap_err().to_string()
    };
    let parts = ReadOptions { parts: Some(vec![2]), ..Default::default() };
    assert_eq!(refused(parts), "there is no part 2; the file has 2, from 0 on");
    let channels = ReadOptions { channels: Some(vec!["X".into()]), ..Default::default() };
    assert_eq!(refused(channels), "there is no channel \"X\"");
    let levels = ReadOptions { levels: Levels::One(9, 9), ..Default::default() };
    assert_eq!(refused(levels), "part 0 has no level 9, 9");
    // What a part does not have is asked of those alone whose channels are wanted.
    let window = Some(Box2i { min: [12, 20], max: [14, 21] });
    let outside = ReadOptions { window, ..Default::default() };
    assert!(refused(outside.clone()).contains("lies outside of part 1"));
    let channels = Some(vec!["R".into()]);
    let some = read(&bytes, &ReadOptions { channels, ..outside }, 1);
    assert_eq!((some.parts.len(), planes(&some).len()), (1, 1));
    let mut broken = image.clone();
    let Pixels::Flat(levels) = &mut broken.parts[1].pixels else { panic!() };
    levels.pop();
    let e = encode_exr(&broken, &WriteOptions::default(), &mut Vec::new(), &Work::serial());
    assert_eq!(
        e.unwrap_err().to_string(),
        "part 1: the header needs 4 levels of detail; there are 3"
    );
}
