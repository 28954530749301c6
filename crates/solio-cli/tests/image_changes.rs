//! Images in another size, flat, with levels, put together and taken apart, as people and scripts meet them.
#![allow(clippy::disallowed_methods)] // test files

mod ran;

use ran::{Ran, names};
use solio::Work;
use solio::image::header::{Box2i, Kind, Part, Value};
use solio::image::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, Levels, PixelType, ReadOptions, decode_exr};
use std::path::Path;
use tempfile::TempDir;

fn solio(dir: &Path, line: &str) -> Ran {
    ran::run(dir, &line.split_whitespace().collect::<Vec<_>>(), b"")
}

/// A part with channels that are half, but for `Z` and ids.
fn part(window: Box2i, names: &[&str], seed: f32) -> ImagePart<'static> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let count = (window.width() * window.height()) as usize;
    let plane = |(i, name): (usize, &&str)| {
        let pixel_type = match *name {
            "id" => PixelType::Uint,
            "Z" => PixelType::Float,
            _ => PixelType::Half,
        };
        let value = |at: usize| (at as f32 * 0.37 + i as f32 + seed).sin().abs();
        let values: Vec<f32> = (0..count).map(value).collect();
        let samples = match pixel_type {
            PixelType::Uint => Samples::Uint((0..count as u32).collect::<Vec<_>>().into()),
            _ => Samples::Float(values.into()).converted(pixel_type).unwrap(),
        };
        Plane { channel: Channel::new(*name, pixel_type), samples }
    };
    let planes: Vec<Plane<'static>> = names.iter().enumerate().map(plane).collect();
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut header = Part::new(window, Compression::Zip, channels);
    header.set("displayWindow", Value::Box2i(Box2i::of_size(32, 16)));
    header.set("owner", Value::Text("nobody".into()));
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    ImagePart { header, pixels }
}

fn save(parts: Vec<ImagePart<'static>>, path: &Path) {
    let image = Image { parts, missing: Vec::new() };
    solio::write_image(&image, path, &Default::default(), &Work::serial()).unwrap();
}

fn load(path: &Path) -> Image<'static> {
    let bytes = std::fs::read(path).unwrap();
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    decode_exr(&bytes, &options, &Work::serial()).unwrap()
}

fn channels(image: &Image<'_>, part: usize) -> Vec<String> {
    image.parts[part].header.channels().iter().map(|channel| channel.name.to_string()).collect()
}

/// Frames 1, 2, 4 and 5 of a sequence, of which 4 is cut off.
fn sequence() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let window = Box2i { min: [4, 2], max: [27, 13] };
    for frame in [1, 2, 4, 5] {
        let path = dir.path().join(format!("a.{frame:04}.exr"));
        save(vec![part(window, &["R", "G", "B", "A", "Z", "id"], frame as f32)], &path);
        if frame == 4 {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    dir
}

#[test]
fn sequences_get_another_size_and_go_on_past_bad_frames() {
    let dir = sequence();
    let ran = solio(dir.path(), "convert a.####.exr -o b.####.exr --resize 50%");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains("a.0004.exr") && ran.err.contains("1 of 4 inputs failed"),
        "{}",
        ran.err
    );
    for frame in [1, 2, 5] {
        let image = load(&dir.path().join(format!("b.{frame:04}.exr")));
        let header = &image.parts[0].header;
        assert_eq!(header.display_window(), Some(Box2i::of_size(16, 8)));
        assert_eq!(header.shape().unwrap().data_window, Box2i { min: [2, 1], max: [13, 6] });
        assert_eq!(header.get("owner"), Some(&Value::Text("nobody".into())));
        let types: Vec<PixelType> = header.channels().iter().map(|c| c.pixel_type).collect();
        use PixelType::{Float, Half, Uint};
        assert_eq!(types, [Half, Half, Half, Half, Float, Uint]);
    }
    assert!(!dir.path().join("b.0004.exr").exists());
    // Threads and memory change no bit.
    solio(dir.path(), "convert a.0001.exr -o one.exr --resize 50% -j 1").fine();
    solio(dir.path(), "convert a.0001.exr -o two.exr --resize 50% -j 2 --mem 1M").fine();
    solio(dir.path(), "convert a.0001.exr -o rows.exr --resize 50% --mem 1K").fine();
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("one.exr") == bytes("rows.exr"));
    assert!(bytes("one.exr") == bytes("two.exr") && bytes("one.exr") == bytes("b.0001.exr"));
}

#[test]
fn sizes_and_filters_are_understood_or_refused() {
    let dir = sequence();
    let size = |line: &str| {
        solio(dir.path(), &format!("convert a.0001.exr -o out.exr {line}")).fine();
        let image = load(&dir.path().join("out.exr"));
        let display = image.parts[0].header.display_window().unwrap();
        [display.width(), display.height()]
    };
    assert_eq!(size("--resize 64x"), [64, 32]);
    assert_eq!(size("--resize x4 --filter box"), [8, 4]);
    assert_eq!(size("--resize 1x1 --filter mitchell --nearest=R,Z"), [1, 1]);
    assert_eq!(size("--resize 10x10 --nearest="), [10, 10]);
    for (line, why) in [
        ("--resize 0", "50%"),
        ("--resize 50% --filter nearest", "lanczos3"),
        ("--filter box", "--resize"),
        ("--resize 50% --nearest=Q", "no channel"),
        ("--resize 1000000000x1000000000", "the limit is"),
    ] {
        let ran = solio(dir.path(), &format!("convert a.0001.exr -o bad.exr {line}"));
        assert_ne!(ran.code, 0, "{line}");
        assert!(ran.err.contains(why), "{line}: {}", ran.err);
    }
    assert!(!dir.path().join("bad.exr").exists());
    // Other formats: light is filtered, not codes.
    solio(dir.path(), "convert a.0001.exr -o a.png").fine();
    solio(dir.path(), "convert a.png -o small.png --resize 25%").fine();
    solio(dir.path(), "convert small.png -o small.exr").fine();
    let display = load(&dir.path().join("small.exr")).parts[0].header.display_window();
    assert_eq!(display, Some(Box2i::of_size(8, 4)));
}

#[test]
fn levels_are_made_and_compared() {
    let dir = sequence();
    solio(dir.path(), "convert a.0001.exr -o mip.exr --mipmap --tiles 16").fine();
    let Pixels::Flat(levels) = &load(&dir.path().join("mip.exr")).parts[0].pixels else { panic!() };
    let sizes: Vec<u64> = levels.iter().map(|level| level.window.width()).collect();
    assert_eq!(sizes, [24, 12, 6, 3, 1]);
    // Of levels that are there the full size counts.
    solio(dir.path(), "convert mip.exr -o again.exr --mipmap --tiles 16").fine();
    solio(dir.path(), "diff mip.exr again.exr").fine();
    let ran = solio(dir.path(), "convert a.0001.exr -o mip.png --mipmap");
    assert!(ran.code == 2 && ran.err.contains("no levels"), "{}", ran.err);
    let ran = solio(dir.path(), "convert a.0001.exr -o out.exr --mipmap --scanlines");
    assert!(ran.code == 2 && ran.err.contains("tiles"), "{}", ran.err);
    // A level that is other is told.
    let mut image = load(&dir.path().join("mip.exr"));
    let Pixels::Flat(levels) = &mut image.parts[0].pixels else { panic!() };
    let last = levels.len() - 1;
    let count = levels[last].planes[0].samples.len();
    levels[last].planes[0].samples = Samples::zeros(PixelType::Half, count).unwrap();
    save(image.parts, &dir.path().join("other.exr"));
    let ran = solio(dir.path(), "diff mip.exr other.exr");
    assert_eq!(ran.code, 2);
    assert!(ran.text().contains("level 4"), "{}", ran.text());
}

#[test]
fn deep_images_become_flat() {
    let dir = tempfile::tempdir().unwrap();
    let window = Box2i::of_size(2, 1);
    let planes =
        [("A", [1.0, 0.5]), ("R", [0.5, 0.25]), ("Z", [2.0, 1.0])].map(|(name, values)| {
            let channel = Channel::new(name, PixelType::Float);
            Plane { channel, samples: Samples::Float(values.to_vec().into()) }
        });
    let of = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut header = Part::new(window, Compression::Zips, of);
    header.set_kind(Kind::DeepScanline);
    let counts = vec![2, 0].into();
    let level = DeepLevel { x: 0, y: 0, window, counts, planes: planes.into() };
    let parts = vec![ImagePart { header, pixels: Pixels::Deep(vec![level]) }];
    save(parts, &dir.path().join("deep.exr"));
    let ran = solio(dir.path(), "convert deep.exr -o small.exr --resize 50%");
    assert!(ran.code != 0 && ran.err.contains("--flatten"), "{}", ran.err);
    solio(dir.path(), "convert deep.exr -o flat.exr --flatten -z piz").fine();
    let Pixels::Flat(levels) = &load(&dir.path().join("flat.exr")).parts[0].pixels else {
        panic!()
    };
    assert_eq!(levels[0].planes[1].samples, Samples::Float(vec![0.5, 0.0].into()));
    solio(dir.path(), "convert deep.exr -o small.exr --flatten --resize 1x1").fine();
    solio(dir.path(), "check flat.exr small.exr").fine();
}

#[test]
fn files_become_one_and_one_becomes_files() {
    let dir = sequence();
    let window = Box2i::of_size(8, 8);
    for frame in [1, 2, 3, 5] {
        let path = dir.path().join(format!("key_{frame:04}.exr"));
        save(vec![part(window, &["R", "G", "B"], 9.0)], &path);
    }
    save(vec![part(window, &["mask.A"], 3.0)], &dir.path().join("mask.exr"));
    // Frame 3 lacks one file, frame 4 is damaged and lacks the other.
    let line = "convert a.####.exr key_####.exr mask.exr -o all.####.exr --join layers";
    let ran = solio(dir.path(), line);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("2 of 5 inputs failed"), "{}", ran.err);
    assert!(ran.err.contains("a.0003.exr") && ran.err.contains("a.0004.exr"), "{}", ran.err);
    let all = load(&dir.path().join("all.0005.exr"));
    let wanted = ["A", "B", "G", "R", "Z", "id", "key.B", "key.G", "key.R", "mask.A"];
    assert_eq!(channels(&all, 0), wanted);
    let data = all.parts[0].header.shape().unwrap().data_window;
    assert_eq!(data, Box2i { min: [0, 0], max: [27, 13] });

    std::fs::create_dir(dir.path().join("out")).unwrap();
    solio(dir.path(), "convert all.0001.exr all.0002.exr -o out/ --split layers").fine();
    let found = names(&dir.path().join("out"));
    assert_eq!(found.len(), 6, "{found:?}");
    // Outside of what it had is nothing.
    solio(dir.path(), "diff key_0002.exr out/all.0002.key.exr").fine();
    solio(dir.path(), "convert all.####.exr -o out/*_####.exr --frames 1 --split layers").fine();
    assert!(dir.path().join("out/key_0001.exr").exists());
    let ran = solio(dir.path(), "convert all.0001.exr -o out/one.exr --split layers");
    assert!(ran.code == 2 && ran.err.contains('*'), "{}", ran.err);

    solio(dir.path(), "convert key_0001.exr key_0002.exr -o lr.exr --join views --as left,right")
        .fine();
    let both = load(&dir.path().join("lr.exr"));
    assert_eq!(both.parts[1].header.get("view"), Some(&Value::Text("right".into())));
    solio(dir.path(), "convert lr.exr -o right.exr --view right").fine();
    solio(dir.path(), "diff key_0002.exr right.exr").fine();
    let ran = solio(dir.path(), "convert lr.exr -o no.exr --view middle");
    assert!(ran.code == 2 && ran.err.contains("left, right"), "{}", ran.err);
    solio(dir.path(), "convert lr.exr -o small.exr --resize 50%").fine();
    assert_eq!(load(&dir.path().join("small.exr")).parts.len(), 2);
    let ran = solio(dir.path(), "convert key_0001.exr mask.exr -o no.exr --join layers --as one");
    assert!(ran.code == 2 && ran.err.contains("1 names for 2 inputs"), "{}", ran.err);
    let ran = solio(dir.path(), "convert key_0001.exr mask.exr -o no.png --join layers");
    assert!(ran.code == 2 && ran.err.contains("only OpenEXR"), "{}", ran.err);
    assert!(!dir.path().join("no.exr").exists());
}

#[test]
fn how_visible_differences_are_is_told() {
    let dir = sequence();
    let ran = solio(dir.path(), "diff a.0001.exr a.0002.exr --flip");
    assert_eq!(ran.code, 2);
    assert!(ran.text().contains("FLIP 0."), "{}", ran.text());
    let ran = solio(dir.path(), "diff a.0001.exr a.0001.exr --flip=40 --json").fine();
    assert!(ran.text().contains("\"flip\":{"), "{}", ran.text());
    assert_eq!(solio(dir.path(), "diff a.0001.exr a.0001.exr --flip=0").code, 2);
}
