//! Images from path to path.
#![allow(clippy::disallowed_methods)] // test files

use solio::image::header::{Box2i, Part};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType, ReadOptions, WriteOptions};
use solio::{ImageConvertOptions, ImageWriteOptions, Limits, PictureOptions, Work};
use std::path::Path;

fn ramp() -> Image<'static> {
    let window = Box2i::of_size(40, 30);
    let channel = Channel::new("Z", PixelType::Float);
    let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
    let values: Vec<f32> = (0..1200).map(|i| i as f32 / 7.0).collect();
    let planes = vec![Plane { channel, samples: Samples::Float(values.into()) }];
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], ..Image::default() }
}

#[test]
fn a_written_image_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.exr");
    let work = Work::default();
    let written = solio::write_image(&ramp(), &path, &ImageWriteOptions::default(), &work).unwrap();
    assert_eq!(written.files, [(path.clone(), written.file_bytes)]);
    let again = solio::read_image(&path, &ReadOptions::default(), &work).unwrap();
    assert!(again.parts[0].pixels == ramp().parts[0].pixels);
    let header = solio::image_header(&path, &Limits::default(), &work).unwrap();
    assert_eq!(header.parts[0].attributes, ramp().parts[0].header.attributes);
    let is_exr = |path: &Path| {
        let input = solio::Input::open(path, &Limits::default(), &Work::serial()).unwrap();
        input.kind() == solio::FileKind::Exr
    };
    assert!(is_exr(&path));
    let other = folder.path().join("ramp");
    std::fs::rename(&path, &other).unwrap();
    assert!(is_exr(&other));
    let missing = solio::read_image(&path, &ReadOptions::default(), &work).unwrap_err();
    assert_eq!(missing.path(), Some(path.as_path()));
}

/// A header that is looked at before makes no file of its own.
#[test]
fn progress_counts_a_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.exr");
    let of_write = ImageWriteOptions::default();
    let written = solio::write_image(&ramp(), &path, &of_write, &Work::default()).unwrap();
    let counted = |job: &dyn Fn(&Work) -> solio::Result<()>| {
        let work = Work::default();
        job(&work).unwrap();
        let now = work.progress.now();
        assert_eq!(
            (now.read_total_bytes, now.read_bytes),
            (written.file_bytes, written.file_bytes)
        );
        now.files
    };
    let zips = ImageConvertOptions {
        write: ImageWriteOptions {
            exr: WriteOptions { compression: Some(Compression::Zips), ..WriteOptions::default() },
            ..of_write
        },
        ..ImageConvertOptions::default()
    };
    let copy = ImageConvertOptions::default();
    for (name, options) in [("zips.exr", &zips), ("copy.exr", &copy), ("ramp.png", &copy)] {
        let jobs = [(path.clone(), folder.path().join(name))];
        let convert =
            |work: &Work| solio::convert_images(&jobs, options, work, |_, done| done.map(|_| true));
        assert_eq!(counted(&convert), 2, "{name}");
    }
    let preview = |work: &Work| solio::preview_file(&path, &Default::default(), work).map(drop);
    assert_eq!(counted(&preview), 1);
    let small = |work: &Work| solio::thumbnail_of(&path, &Default::default(), work).map(drop);
    assert_eq!(counted(&small), 1);
}

#[test]
fn an_image_that_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.exr");
    let mut image = ramp();
    let Pixels::Flat(levels) = &mut image.parts[0].pixels else { panic!() };
    levels[0].planes.clear();
    let e = solio::write_image(&image, &path, &ImageWriteOptions::default(), &Work::default());
    assert!(e.is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A TIFF file of one pixel, R, G, B and A, with or without the field ExtraSamples (338).
fn tiff(bits: u16, pixel: &[u8], extra_samples: Option<u16>) -> Vec<u8> {
    tiff_of(4, bits, Some(if bits == 32 { 3 } else { 1 }), pixel, extra_samples)
}

/// One of `channels` samples, colours where they are more than two, in `format` (SampleFormat, 339).
fn tiff_of(
    channels: u32,
    bits: u16,
    format: Option<u16>,
    pixel: &[u8],
    extra_samples: Option<u16>,
) -> Vec<u8> {
    const SHORT: u16 = 3;
    let entry = |tag: u16, count: u32, value: u32| {
        let mut bytes = [tag, SHORT].map(u16::to_le_bytes).concat();
        bytes.extend([count, value].map(u32::to_le_bytes).concat());
        bytes
    };
    // Sizes, then formats of up to four samples, then the pixel, right behind the head. Of two samples
    // the numbers lie in their entries.
    let four = |at, value: u16| match channels {
        1 => value.into(),
        2 => u32::from(value) * 0x1_0001,
        _ => at,
    };
    let mut entries = vec![
        entry(256, 1, 1),
        entry(257, 1, 1),
        entry(258, channels, four(8, bits)),
        entry(259, 1, 1),
        entry(262, 1, if channels > 2 { 2 } else { 1 }),
        entry(273, 1, 24),
        entry(277, 1, channels),
        entry(278, 1, 1),
        entry(279, 1, pixel.len() as u32),
    ];
    entries.extend(extra_samples.map(|kind| entry(338, 1, kind.into())));
    entries.extend(format.map(|format| entry(339, channels, four(16, format))));
    let mut bytes = [&b"II*\0"[..], &(24 + pixel.len() as u32).to_le_bytes()].concat();
    bytes.extend(
        [[bits; 4], [format.unwrap_or(0); 4]].concat().iter().flat_map(|v: &u16| v.to_le_bytes()),
    );
    bytes.extend(pixel);
    bytes.extend((entries.len() as u16).to_le_bytes());
    bytes.extend(entries.concat());
    bytes.extend([0; 4]);
    bytes
}

/// The values of A, B, G and R of the first pixel, as OpenEXR after a conversion.
fn converted(path: &Path, raw: bool) -> Vec<f32> {
    let exr = path.with_extension("exr");
    let picture = PictureOptions { raw, ..PictureOptions::default() };
    let options = ImageConvertOptions { picture, ..ImageConvertOptions::default() };
    solio::convert_image(path, &exr, &options, &Work::default()).unwrap();
    let image = solio::read_image(&exr, &ReadOptions::default(), &Work::default()).unwrap();
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
    let value = |plane: &Plane<'_>| match &plane.samples {
        Samples::Half(values) => values[0].to_f32(),
        Samples::Float(values) => values[0],
        Samples::Uint(_) => panic!(),
    };
    levels[0].planes.iter().map(value).collect()
}

#[test]
fn alpha_of_tiff_is_what_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let read = |bytes: &[u8], raw| {
        std::fs::write(&path, bytes).unwrap();
        converted(&path, raw)
    };
    let near = |got: &[f32], expected: [f32; 4]| {
        let same = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(same, "{got:?} {expected:?}");
    };
    let floats: Vec<u8> =
        [0.25f32, 0.125, 0.0625, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
    // TIFF 6.0: 1 is associated alpha, 2 is not; a file that says nothing is taken for the latter.
    assert_eq!(read(&tiff(32, &floats, Some(1)), false), [0.25, 0.0625, 0.125, 0.25]);
    for kind in [Some(2), None] {
        assert_eq!(read(&tiff(32, &floats, kind), false), [0.25, 0.015625, 0.03125, 0.0625]);
    }
    // Codes are divided by alpha before the curve: 118 of 255 is the light 0.18, 255 white. The half
    // of 118 with an alpha of a half is that light, halved.
    let half = 128.0 / 255.0;
    near(&read(&tiff(8, &[59, 128, 0, 128], Some(1)), false), [half, 0.0, half, 0.18 * half]);
    near(&read(&tiff(8, &[118, 255, 0, 128], Some(2)), false), [half, 0.0, half, 0.18 * half]);
    near(&read(&tiff(8, &[118, 255, 0, 255], Some(1)), false), [1.0, 0.0, 1.0, 0.181]);
    near(&read(&tiff(8, &[118, 0, 0, 0], Some(1)), false), [0.0, 0.0, 0.0, 0.181]);
    let words: Vec<u8> = [15163u16, 32768, 0, 32768].iter().flat_map(|v| v.to_le_bytes()).collect();
    near(&read(&tiff(16, &words, Some(1)), false), [0.5, 0.0, 0.5, 0.09]);
    for kind in [Some(1), Some(2)] {
        assert_eq!(read(&tiff(32, &floats, kind), true), [0.25, 0.0625, 0.125, 0.25]);
        near(&read(&tiff(8, &[51, 255, 0, 102], kind), true), [0.4, 0.0, 1.0, 0.2]);
    }
}

/// Whether the files that raw values become say what alpha is, whichever way these came.
#[test]
fn raw_tiff_says_what_alpha_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let convert = |from: &str, to: &str, bits: Option<u8>| {
        let picture = PictureOptions { raw: true, bits, ..PictureOptions::default() };
        let options = ImageConvertOptions { picture, ..ImageConvertOptions::default() };
        solio::convert_image(&path(from), &path(to), &options, &Work::default()).unwrap();
    };
    // An entry of one 16-bit number.
    let extra_samples = |name: &str| {
        let bytes = std::fs::read(path(name)).unwrap();
        let entry = [0x52, 0x01, 3, 0, 1, 0, 0, 0];
        let at = bytes.windows(entry.len()).position(|window| window == entry).unwrap();
        bytes[at + entry.len()]
    };
    let gradient = solio::color::gradient::colormap("viridis").unwrap();
    let image = solio::gradient_image(&gradient, [4, 2]).unwrap();
    solio::write_image(&image, &path("a.exr"), &Default::default(), &Work::default()).unwrap();
    for bits in [8, 16, 32] {
        convert("a.exr", "a.tif", Some(bits));
        assert_eq!(extra_samples("a.tif"), 1, "{bits}");
    }
    for kind in [1, 2] {
        let bytes = tiff(8, &[51, 102, 0, 102], Some(kind));
        std::fs::write(path("b.tif"), bytes).unwrap();
        convert("b.tif", "c.tif", None);
        convert("b.tif", "b.exr", None);
        convert("b.exr", "d.tif", None);
        let found = ["c.tif", "d.tif"].map(|name| u16::from(extra_samples(name)));
        assert_eq!(found, [kind; 2]);
    }
}

/// What OpenImageIO writes where it makes codes of light that alpha is in: white and a tenth at an alpha
/// of a half become 188 and 63.
#[test]
fn codes_above_alpha_are_light_that_alpha_is_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    std::fs::write(&path, tiff(8, &[188, 63, 0, 128], Some(1))).unwrap();
    let values = converted(&path, false);
    let near = |a: f32, b: f32| (a - b).abs() < 3e-3;
    assert!(near(values[3], 0.5) && near(values[2], 0.05), "{values:?}");
    let options = ImageConvertOptions::default();
    let exr = folder.path().join("b.exr");
    let done = solio::convert_image(&path, &exr, &options, &Work::default()).unwrap();
    assert!(done.notes[0].starts_with("colours brighter than their alpha"), "{:?}", done.notes);
    // One that shines among many that do not changes nothing.
    let mut picture = image::RgbaImage::from_pixel(8, 8, image::Rgba([60, 60, 60, 128]));
    picture.put_pixel(7, 7, image::Rgba([140, 60, 60, 128]));
    let many = |picture: &image::RgbaImage| {
        let mut bytes = tiff(8, picture.as_raw(), Some(1));
        // The width and the height, the first two entries, and the rows in the strip, the eighth.
        let start = 24 + picture.as_raw().len() + 2;
        for entry in [0, 1, 7] {
            bytes[start + 12 * entry + 8] = 8;
        }
        std::fs::write(&path, bytes).unwrap();
        converted(&path, false)[3]
    };
    let with = many(&picture);
    picture.put_pixel(7, 7, image::Rgba([60, 60, 60, 128]));
    assert_eq!(with, many(&picture));
}

#[test]
fn tiff_of_grey_and_of_halves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        converted(&path, false)
    };
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let halves = [0x3400u16, 0x3000, 0x2c00, 0x3800].map(u16::to_le_bytes).concat();
    // Depth, depth with alpha, codes with alpha, half floats: 0.25, 0.125, 0.0625, 0.5.
    assert_eq!(read(&tiff_of(1, 32, Some(3), &floats(&[1234.5]), None)), [1234.5]);
    assert_eq!(read(&tiff_of(2, 32, Some(3), &floats(&[4.0, 0.5]), Some(1))), [0.5, 4.0]);
    assert_eq!(read(&tiff_of(2, 32, Some(3), &floats(&[4.0, 0.5]), Some(2))), [0.5, 2.0]);
    assert_eq!(read(&tiff_of(2, 8, Some(1), &[255, 51], Some(2)))[..1], [0.19995117]);
    assert_eq!(read(&tiff_of(2, 16, None, &[255, 255, 0, 0], Some(2))), [0.0, 0.0]);
    // A second sample that is not alpha is a channel of its own.
    assert_eq!(read(&tiff_of(2, 8, Some(1), &[255, 51], Some(0))), [1.0, 0.2]);
    assert_eq!(read(&tiff_of(2, 32, Some(3), &floats(&[4.0, 0.5]), Some(0))), [4.0, 0.5]);
    assert_eq!(read(&tiff_of(4, 16, Some(3), &halves, Some(1))), [0.5, 0.0625, 0.125, 0.25]);
    assert_eq!(read(&tiff_of(3, 16, Some(3), &halves[..6], None)), [0.0625, 0.125, 0.25]);
    // What had 16 bits has no more, unless alpha that is multiplied in needs them.
    let type_of = |bytes: &[u8]| {
        read(bytes);
        let image =
            solio::read_image(&folder.path().join("a.exr"), &Default::default(), &Work::default());
        let Pixels::Flat(levels) = &image.unwrap().parts[0].pixels else { panic!() };
        levels[0].planes.iter().map(|plane| plane.channel.pixel_type).collect::<Vec<_>>()
    };
    let [half, float] = [PixelType::Half, PixelType::Float];
    assert_eq!(type_of(&tiff_of(3, 16, Some(3), &halves[..6], None)), [half; 3]);
    assert_eq!(type_of(&tiff_of(1, 16, Some(3), &[1, 0x7e], None)), [half], "NaN");
    assert_eq!(type_of(&tiff_of(1, 32, Some(3), &floats(&[0.25]), None)), [float]);
    let fine = [0x3c01u16, 0x3c01, 0x3c01, 0x3555].map(u16::to_le_bytes).concat();
    assert_eq!(type_of(&tiff_of(4, 16, Some(3), &fine, Some(2))), [float; 4]);
    assert_eq!(type_of(&tiff_of(4, 16, Some(3), &fine, Some(1))), [half; 4]);
}

#[test]
fn tiff_of_long_integers_is_not_taken_for_floats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    // Half of the range, by the curve of sRGB; as a float it would be almost nothing.
    for (channels, format) in [(3, None), (3, Some(1)), (1, Some(1))] {
        let bytes = tiff_of(channels, 32, format, &[0x80; 12][..4 * channels as usize], None);
        std::fs::write(&path, bytes).unwrap();
        for value in converted(&path, false) {
            assert!((value - 0.215_861).abs() < 1e-5, "{value}");
        }
    }
}

#[test]
fn radiance_files_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hdr");
    let rest = b"FORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x40\x20\x81";
    for first in [&b"#?RADIANCE\n"[..], b"#?RGBE\n", b"#?rview\n"] {
        std::fs::write(&path, [first, rest].concat()).unwrap();
        assert_eq!(converted(&path, false), [0.25, 0.5, 1.0]);
    }
}

#[test]
fn what_is_packed_in_gzip_is_copied_where_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let work = Work::default();
    let mut options = ImageWriteOptions::default();
    options.exr.compression = Some(Compression::Dwaa);
    solio::write_image(&ramp(), &path("a.exr"), &options, &work).unwrap();
    let bytes = std::fs::read(path("a.exr")).unwrap();
    let compression = solio::Compression::Gzip;
    let sink = solio_io::SinkOptions { compression, level: None, durable: false };
    let mut sink = solio_io::FileSink::create(&path("a.exr.gz"), &sink, &work).unwrap();
    solio::Sink::write_bytes(&mut sink, &work, &bytes).unwrap();
    sink.commit().unwrap();
    let convert = |options: &ImageConvertOptions, to: &str| {
        solio::convert_image(&path("a.exr.gz"), &path(to), options, &work).unwrap()
    };
    assert!(convert(&ImageConvertOptions::default(), "b.exr").notes.is_empty());
    assert!(std::fs::read(path("b.exr")).unwrap() == bytes);
}

#[test]
fn tiff_files_say_that_their_alpha_is_straight() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let floats: Vec<u8> =
        [0.25f32, 0.125, 0.0625, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(&path, tiff(32, &floats, Some(1))).unwrap();
    let out = folder.path().join("out.tif");
    for bits in [8, 16, 32] {
        let picture = PictureOptions { bits: Some(bits), ..PictureOptions::default() };
        let options = ImageConvertOptions { picture, ..ImageConvertOptions::default() };
        solio::convert_image(&path, &out, &options, &Work::default()).unwrap();
        // An entry of one 16-bit number: ExtraSamples is 2, unassociated alpha.
        let bytes = std::fs::read(&out).unwrap();
        let entry = [0x52, 0x01, 3, 0, 1, 0, 0, 0, 2, 0];
        assert!(bytes.windows(entry.len()).any(|window| window == entry), "{bits}");
        let again = converted(&out, false);
        let expected = [0.25, 0.0625, 0.125, 0.25];
        assert!(again.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3), "{bits} {again:?}");
    }
}
