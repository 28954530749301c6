//! Images through the command: convert, sequences, set, check, preview, as people and scripts meet
//! them.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod ran;

use ran::{Ran, is_name, names};
use solio::image::header::{Box2i, LevelMode, Part, Rounding, Tiles, Value};
use solio::image::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, Levels, PixelType, ReadOptions, decode_exr};
use solio::names::OsStrBytes;
use solio::{ImageWriteOptions, Work};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn solio(dir: &Path, line: &str) -> Ran {
    run(dir, line, b"")
}

fn run(dir: &Path, line: &str, input: &[u8]) -> Ran {
    ran::run(dir, &line.split_whitespace().collect::<Vec<_>>(), input)
}

fn value(x: i64, y: i64, seed: usize) -> f32 {
    (x as f32 * 0.07).sin().abs() * 0.6 + y as f32 * 0.004 + seed as f32 * 0.05
}

/// A flat part with the levels that its tiles need.
fn part(window: Box2i, names: &[&str], tiles: Option<Tiles>, name: &str) -> ImagePart<'static> {
    let channels: Vec<Channel> = names.iter().map(|n| Channel::new(*n, PixelType::Float)).collect();
    let mut header = Part::new(window, Compression::Zip, channels);
    header.set("owner", Value::Text("nobody".into()));
    header.set("name", Value::Text(name.into()));
    if let Some(tiles) = tiles {
        header.set("tiles", Value::Tiles(tiles));
    }
    header.set("displayWindow", Value::Box2i(Box2i::of_size(48, 32)));
    let shape = header.shape().unwrap();
    let levels = shape.levels.iter().map(|level| {
        let (width, height) = (level.window.width() as i64, level.window.height() as i64);
        let plane = |(seed, channel): (usize, &Channel)| {
            let values = (0..width * height).map(|i| value(i % width, i / width, seed));
            let values = match channel.name.as_str() {
                "A" => values.map(|v| (v * 4.0).round().min(4.0) / 4.0).collect::<Vec<_>>(),
                _ => values.collect(),
            };
            Plane { channel: channel.clone(), samples: Samples::Float(values.into()) }
        };
        let planes = shape.channels.iter().enumerate().map(plane).collect();
        FlatLevel { x: level.x, y: level.y, window: level.window, planes }
    });
    let pixels = Pixels::Flat(levels.collect());
    ImagePart { header, pixels }
}

fn deep() -> ImagePart<'static> {
    let channels = vec![Channel::new("A", PixelType::Half), Channel::new("Z", PixelType::Float)];
    let window = Box2i::of_size(4, 3);
    let mut header = Part::new(window, Compression::Zips, channels.clone());
    header.set("type", Value::Text("deepscanline".into()));
    let counts: Vec<u32> = (0..12).map(|i| i % 3).collect();
    let samples = counts.iter().sum::<u32>() as usize;
    let half = vec![solio_half(0.5); samples];
    let planes = vec![
        Plane { channel: channels[0].clone(), samples: Samples::Half(half.into()) },
        Plane {
            channel: channels[1].clone(),
            samples: Samples::Float((0..samples).map(|i| i as f32).collect::<Vec<_>>().into()),
        },
    ];
    let levels = vec![DeepLevel { x: 0, y: 0, window, counts: counts.into(), planes }];
    ImagePart { header, pixels: Pixels::Deep(levels) }
}

fn solio_half(value: f32) -> half::f16 {
    half::f16::from_f32(value)
}

fn save(parts: Vec<ImagePart<'static>>, path: &Path) {
    let image = Image { parts, missing: Vec::new() };
    solio::write_image(&image, path, &ImageWriteOptions::default(), &Work::serial()).unwrap();
}

fn load(path: &Path) -> Image<'static> {
    let bytes = std::fs::read(path).unwrap();
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    decode_exr(&bytes, &options, &Work::serial()).unwrap()
}

fn flat<'a>(image: &'a Image<'_>, part: usize) -> &'a FlatLevel<'a> {
    let Pixels::Flat(levels) = &image.parts[part].pixels else { panic!("flat") };
    &levels[0]
}

fn channels(image: &Image<'_>, part: usize) -> Vec<String> {
    flat(image, part).planes.iter().map(|plane| plane.channel.name.clone()).collect()
}

/// A folder with `a.exr` (RGBA), `mip.exr`, `two.exr` (two parts), `deep.exr`.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let window = Box2i { min: [4, 2], max: [43, 29] };
    let rgba = ["A", "B", "G", "R"];
    let tiles =
        Tiles { width: 16, height: 16, levels: LevelMode::Mipmap, rounding: Rounding::Down };
    save(vec![part(window, &rgba, None, "rgba")], &at("a.exr"));
    save(vec![part(Box2i::of_size(48, 32), &rgba, Some(tiles), "mip")], &at("mip.exr"));
    let left = part(window, &["B", "G", "R"], None, "left");
    let right = part(window, &["Z", "depth.q"], None, "right");
    save(vec![left, right], &at("two.exr"));
    save(vec![deep()], &at("deep.exr"));
    dir
}

#[test]
fn every_method_keeps_pixels_attributes_and_structure() {
    let dir = folder();
    for name in ["a", "mip", "two", "deep"] {
        let before = load(&dir.path().join(format!("{name}.exr")));
        for method in ["none", "rle", "zips", "zip:4", "zip", "piz", "zstd:3", "zstd"] {
            let line = format!("convert {name}.exr -o out.exr -z {method}");
            let ran = solio(dir.path(), &line);
            if name == "deep" && ["zip", "piz"].contains(&method.split(':').next().unwrap()) {
                assert_eq!(ran.code, 2, "{line}");
                assert!(ran.err.contains("deep data cannot be compressed as"), "{}", ran.err);
                continue;
            }
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}");
            let after = load(&dir.path().join("out.exr"));
            for (before, after) in before.parts.iter().zip(&after.parts) {
                assert_eq!(before.pixels, after.pixels, "{line}");
                for attribute in before.header.attributes.iter() {
                    // Scanlines become wide tiles where that packs better.
                    if !["compression", "chunkCount", "type"].contains(&attribute.name.as_str()) {
                        let value = after.header.get(&attribute.name);
                        assert_eq!(value, Some(&attribute.value), "{line}");
                    }
                }
            }
            assert_eq!(before.parts.len(), after.parts.len(), "{line}");
        }
    }
    for (method, why) in
        [("zip:13", "level of zip"), ("piz:2", "has no level"), ("x", "use one of")]
    {
        let ran = solio(dir.path(), &format!("convert a.exr -o out.exr -z {method}"));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    // As OpenEXR: other bytes, the same pixels.
    solio(dir.path(), "convert a.exr -o ours.exr -z zip").fine();
    solio(dir.path(), "convert a.exr -o compat.exr -z zip --compat").fine();
    assert_eq!(load(&dir.path().join("ours.exr")), load(&dir.path().join("compat.exr")));
}

#[test]
fn where_nothing_is_to_change_chunks_are_copied() {
    let dir = folder();
    solio(dir.path(), "convert a.exr -o lossy.exr -z dwaa").fine();
    solio(dir.path(), "convert lossy.exr -o copy.exr").fine();
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("lossy.exr") == bytes("copy.exr"));
    let ran = solio(dir.path(), "convert lossy.exr -o again.exr --rename R=red").fine();
    assert!(ran.err.contains("dwaa pixels are packed with loss again, as dwaa"), "{}", ran.err);
    // Streams are copied, too, whichever way they go.
    run(dir.path(), "convert - -o stream.exr", &bytes("lossy.exr")).fine();
    assert!(bytes("lossy.exr") == bytes("stream.exr"));
    for line in ["convert lossy.exr --format exr -o -", "convert - --format exr -o -"] {
        let ran = run(dir.path(), line, &bytes("lossy.exr")).fine();
        assert!(ran.out == bytes("lossy.exr") && ran.err.is_empty(), "{line}: {}", ran.err);
    }
    // Damage is no thing to copy.
    std::fs::write(dir.path().join("short.exr"), &bytes("lossy.exr")[..1000]).unwrap();
    assert_eq!(solio(dir.path(), "convert short.exr -o copy2.exr").code, 1);
    assert!(!dir.path().join("copy2.exr").exists());
}

#[test]
fn channels_parts_windows_and_types_are_chosen() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    solio(dir.path(), "convert a.exr -o b.exr --channels R,G --rename R=red.R --crop 10x5+8+6")
        .fine();
    let image = load(&at("b.exr"));
    assert_eq!(channels(&image, 0), ["G", "red.R"]);
    let window = Box2i { min: [8, 6], max: [17, 10] };
    assert_eq!(flat(&image, 0).window, window);
    let Samples::Float(red) = &flat(&image, 0).planes[1].samples else { panic!() };
    assert_eq!(red[11], value(8 + 1 - 4, 6 + 1 - 2, 3));
    assert_eq!(image.parts[0].header.get("owner"), Some(&Value::Text("nobody".into())));

    let ran = solio(dir.path(), "convert two.exr -o b.exr --part right --half").fine();
    assert!(ran.err.contains("32-bit samples are rounded to 16 bits ("), "{}", ran.err);
    let image = load(&at("b.exr"));
    assert_eq!((image.parts.len(), channels(&image, 0)), (1, vec!["Z".into(), "depth.q".into()]));
    assert_eq!(flat(&image, 0).planes[0].channel.pixel_type, PixelType::Half);
    solio(dir.path(), "convert b.exr -o c.exr --float --channels depth.*").fine();
    assert_eq!(channels(&load(&at("c.exr")), 0), ["depth.q"]);

    solio(dir.path(), "convert mip.exr -o b.exr --scanlines").fine();
    let image = load(&at("b.exr"));
    assert!(image.parts[0].header.get("tiles").is_none());
    solio(dir.path(), "convert b.exr -o c.exr --tiles 8").fine();
    assert_eq!(flat(&load(&at("c.exr")), 0).planes, flat(&image, 0).planes);

    for (line, why) in [
        ("convert a.exr -o x.exr --channels q", "there is no channel \"q\""),
        ("convert a.exr -o x.exr --rename q=r", "no channel \"q\" to rename"),
        ("convert a.exr -o x.exr --rename R=G", "two channels would be called \"G\""),
        ("convert two.exr -o x.exr --part middle", "there is no part \"middle\""),
        ("convert a.exr -o x.exr --crop 5x5+900+900", "outside"),
        ("convert a.exr -o x.exr --exposure 1", "OpenEXR keeps light as it is"),
        ("convert a.exr -o x.exr --frame data", "--frame is for"),
        ("convert a.exr -o x.png -z zip", "PNG has no such compression"),
        ("convert a.exr -o x.png --compat", "PNG has no such compression"),
        ("convert a.exr -o x.png --half", "PNG has no 16-bit"),
        ("convert a.exr -o x.jpg --float", "JPEG has no 16-bit"),
        ("convert a.exr -o x.png --quality 80", "PNG has no quality"),
        ("convert a.exr -o x.tif --float --bits 16", "--float makes values of 32 bits"),
        ("convert a.exr -o x.jpg --bits 16", "JPEG has no values of 16 bits"),
        ("convert a.exr -o x.png --channels A,B,G,R,A", "shows one to four channels, not 5"),
        ("convert a.exr -o x.exr --half --float", "cannot be used with"),
    ] {
        let ran = solio(dir.path(), line);
        assert_eq!(ran.code, 2, "{line}: {}", ran.err);
        assert!(ran.err.contains(why), "{line}: {}", ran.err);
        assert!(!at("x.exr").exists() && !at("x.png").exists(), "{line}");
    }
}

/// A part is chosen, and what is missing told, whichever way the file comes.
#[test]
fn streams_are_read_as_files_are() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let bytes = std::fs::read(at("two.exr")).unwrap();
    for (options, end) in [("--part right", "exr"), ("--part left", "png"), ("", "exr")] {
        solio(dir.path(), &format!("convert two.exr -o file.{end} {options}")).fine();
        run(dir.path(), &format!("convert - -o stream.{end} {options}"), &bytes).fine();
        let [file, stream] = ["file", "stream"].map(|name| at(&format!("{name}.{end}")));
        if end == "exr" {
            assert_eq!(load(&stream), load(&file), "{options}");
        } else {
            assert_eq!(std::fs::read(stream).unwrap(), std::fs::read(file).unwrap(), "{options}");
        }
    }
    let ran = run(dir.path(), "convert - -o x.exr --part middle", &bytes);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no part \"middle\""), "{}", ran.err);
    std::fs::write(at("cut.exr"), &bytes[..bytes.len() - 10]).unwrap();
    let note = |ran: Ran| ran.err.split_once("chunks are missing").unwrap().1.to_owned();
    let file = note(solio(dir.path(), "convert cut.exr -o x.exr --partial").fine());
    let cut = &bytes[..bytes.len() - 10];
    assert_eq!(note(run(dir.path(), "convert - -o x.exr --partial", cut).fine()), file);
}

/// Channels are chosen by the names of the input, then renamed.
#[test]
fn pictures_show_channels_that_are_chosen_by_pattern_or_renamed() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let names = ["A", "B", "G", "R", "d.B", "d.G", "d.R", "n.X", "n.Y", "n.Z"];
    save(vec![part(Box2i::of_size(48, 32), &names, None, "rgba")], &at("lay.exr"));
    let png = |options: &str| {
        solio(dir.path(), &format!("convert lay.exr -o lay.png {options}")).fine();
        std::fs::read(at("lay.png")).unwrap()
    };
    let expected = png("--channels d.R,d.G,d.B");
    for options in [
        "--channels d.*",
        "--layer d",
        "--layer d --rename d.*=*",
        "--channels d.* --rename d.*=*",
        "--channels d.R,d.G,d.B --rename d.*=*",
        "--channels d.R,d.G,d.B --rename d.R=a --rename d.G=b --rename d.B=c",
    ] {
        assert!(png(options) == expected, "{options}");
    }
    assert!(png("--layer n --rename n.*=*") == png("--layer n"));
    for (options, why) in [
        ("--channels d.*,q*", "there is no channel \"q*\""),
        ("--channels d.* --rename R=q", "no channel \"R\" to rename"),
    ] {
        let ran = solio(dir.path(), &format!("convert lay.exr -o x.png {options}"));
        assert_eq!(ran.code, 2, "{options}");
        assert!(ran.err.contains(why), "{options}: {}", ran.err);
    }
}

#[test]
fn a_layer_is_what_lies_below_its_name_or_the_channel_of_this_name() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let names = ["B", "G", "R", "d.B", "d.G", "d.R", "depth"];
    save(vec![part(Box2i::of_size(48, 32), &names, None, "rgb")], &at("lay.exr"));
    for (layer, expected) in
        [("d", &names[3..6]), ("d.", &names[3..6]), ("depth", &names[6..]), ("R", &names[2..3])]
    {
        solio(dir.path(), &format!("convert lay.exr -o one.exr --layer {layer}")).fine();
        assert_eq!(channels(&load(&at("one.exr")), 0), expected, "{layer}");
        solio(dir.path(), &format!("convert lay.exr -o one.png --layer {layer}")).fine();
    }
    for name in ["x.exr", "x.png"] {
        let ran = solio(dir.path(), &format!("convert lay.exr -o {name} --layer q"));
        assert!(ran.code == 2 && ran.err.contains("hint: "), "{}", ran.err);
    }
}

#[test]
fn a_part_that_nobody_wants_refuses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let left = part(Box2i::of_size(48, 32), &["B", "G", "R"], None, "left");
    let right = part(Box2i::of_size(4, 4), &["Z"], None, "right");
    save(vec![left, right], &at("two.exr"));
    solio(dir.path(), "convert two.exr -o b.exr --channels R --crop 5x5+30+20").fine();
    assert_eq!(channels(&load(&at("b.exr")), 0), ["R"]);
    let ran = solio(dir.path(), "convert two.exr -o b.exr --crop 5x5+30+20");
    assert!(ran.code == 2 && ran.err.contains("lies outside of part 1"), "{}", ran.err);
}

/// PNG and its like have no names for channels: new ones change nothing.
#[test]
fn pictures_are_the_same_under_other_names() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    // Far and red, then near and green, both opaque: the near one hides the other.
    let names = ["A", "B", "G", "R", "Z"];
    let channels: Vec<Channel> = names.iter().map(|n| Channel::new(*n, PixelType::Float)).collect();
    let window = Box2i::of_size(1, 1);
    let mut header = Part::new(window, Compression::Zips, channels.clone());
    header.set("type", Value::Text("deepscanline".into()));
    let values = [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, 2.0]];
    let plane = |(channel, values): (&Channel, [f32; 2])| Plane {
        channel: channel.clone(),
        samples: Samples::Float(values.to_vec().into()),
    };
    let planes = channels.iter().zip(values).map(plane).collect();
    let levels = vec![DeepLevel { x: 0, y: 0, window, counts: vec![2].into(), planes }];
    save(vec![ImagePart { header, pixels: Pixels::Deep(levels) }], &at("far.exr"));
    let names = ["BY", "RY", "Y"];
    save(vec![part(Box2i::of_size(48, 32), &names, None, "chroma")], &at("chroma.exr"));
    for (name, renames) in [("far", ["Z=far.Z", "*=m.*"]), ("chroma", ["Y=luma", "*=m.*"])] {
        solio(dir.path(), &format!("convert {name}.exr -o {name}.png --raw")).fine();
        for rename in renames {
            let line = format!("convert {name}.exr -o new.png --raw --rename {rename}");
            let ran = solio(dir.path(), &line).fine();
            assert!(!ran.err.contains("of part"), "{line}: {}", ran.err);
            let [old, new] =
                [format!("{name}.png"), "new.png".into()].map(|n| std::fs::read(at(&n)));
            assert!(old.unwrap() == new.unwrap(), "{line}");
        }
    }
    solio(dir.path(), "convert far.png -o far_back.exr --raw --float").fine();
    let image = load(&at("far_back.exr"));
    let Samples::Float(green) = &flat(&image, 0).planes[2].samples else { panic!() };
    assert_eq!((flat(&image, 0).planes[2].channel.name.as_str(), green[0]), ("G", 1.0));
    let ran = solio(dir.path(), "convert chroma.exr -o x.png --rename Y=RY");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("two channels would be called \"RY\""), "{}", ran.err);
}

#[test]
fn the_part_that_a_picture_shows_is_named() {
    let dir = folder();
    let ran = solio(dir.path(), "convert two.exr -o a.png --part 1").fine();
    assert!(ran.err.contains("PNG shows Z of part right (1 channel, \"depth.q\")"), "{}", ran.err);
    let ran = solio(dir.path(), "convert two.exr -o a.png").fine();
    assert!(ran.err.contains("PNG shows R, G, B of part left (1 part, \"right\")"), "{}", ran.err);
    // What was chosen needs no words.
    for options in ["--part left", "--channels R,G,B", "--channels Z"] {
        let ran = solio(dir.path(), &format!("convert two.exr -o a.png {options}")).fine();
        assert!(!ran.err.contains("shows"), "{options}: {}", ran.err);
    }
}

#[test]
fn the_size_that_is_told_is_that_of_the_picture() {
    let dir = folder();
    let size = |options: &str| {
        let line = format!("convert a.exr -o a.png --json {options}");
        let json = solio(dir.path(), &line).fine().json();
        [&json[0]["width"], &json[0]["height"]].map(|side| side.as_u64().unwrap())
    };
    assert_eq!((size(""), size("--frame data")), ([48, 32], [40, 28]));
}

/// A header that others refuse is the input's fault, and found by `check`.
#[test]
fn attributes_that_cannot_be_are_told_of_the_file_that_has_them() {
    let dir = folder();
    let mut bytes = std::fs::read(dir.path().join("a.exr")).unwrap();
    let name = b"pixelAspectRatio\0float\0\x04\0\0\0";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    bytes[at..at + 4].fill(0);
    std::fs::write(dir.path().join("zero.exr"), &bytes).unwrap();
    for line in ["convert zero.exr -o x.exr -z piz", "convert zero.exr -o x.exr"] {
        let ran = solio(dir.path(), line);
        assert_eq!(ran.code, 1, "{line}");
        assert!(ran.err.contains("zero.exr: pixelAspectRatio cannot be 0"), "{}", ran.err);
        assert!(ran.err.contains("`solio set pixelAspectRatio=… FILE`"), "{}", ran.err);
    }
    assert_eq!(solio(dir.path(), "check zero.exr").code, 1);
    solio(dir.path(), "set pixelAspectRatio=1 zero.exr").fine();
    solio(dir.path(), "check zero.exr").fine();
    // Parts that differ in what all have alike.
    let mut bytes = std::fs::read(dir.path().join("two.exr")).unwrap();
    let name = b"displayWindow\0box2i\0\x10\0\0\0";
    let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap() + name.len();
    bytes[at] = 1;
    std::fs::write(dir.path().join("differ.exr"), &bytes).unwrap();
    for line in ["convert differ.exr -o x.exr -z piz", "convert differ.exr -o x.exr"] {
        let ran = solio(dir.path(), line);
        assert_eq!(ran.code, 1, "{line}");
        assert!(
            ran.err.contains("differ.exr: its parts differ in \"displayWindow\""),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("`solio set displayWindow=… FILE`"), "{}", ran.err);
        assert!(!dir.path().join("x.exr").exists());
    }
    assert_eq!(solio(dir.path(), "check differ.exr").code, 1);
    solio(dir.path(), "set displayWindow=0,0,47,31 differ.exr").fine();
    solio(dir.path(), "check differ.exr").fine();
}

#[test]
fn names_promise_what_is_written() {
    let dir = folder();
    for name in ["y.png", "y.exr.gz"] {
        let ran = solio(dir.path(), &format!("set owner=x a.exr -o {name}"));
        assert_eq!(ran.code, 2, "{name}");
        assert!(ran.err.contains("OpenEXR is written, but the name ends with"), "{}", ran.err);
        assert!(!dir.path().join(name).exists());
    }
    // One that has such a name already may keep it.
    std::fs::rename(dir.path().join("a.exr"), dir.path().join("y.png")).unwrap();
    solio(dir.path(), "set owner=x y.png").fine();
}

#[test]
fn methods_are_offered_by_name() {
    let ran = solio(folder().path(), "convert a.exr -o x.exr -z foo");
    assert!(ran.err.contains("zstd") && ran.err.contains("htj2k256, htj2k32, lj2k"), "{}", ran.err);
}

#[test]
fn pictures_are_packed_by_name() {
    let dir = folder();
    let bytes = std::fs::read(dir.path().join("a.exr")).unwrap();
    let ran = run(dir.path(), "pack - -o z.solio", &bytes);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("the file is an OpenEXR image, not a pbrt scene"), "{}", ran.err);
    assert!(!dir.path().join("z.solio").exists());
    run(dir.path(), "pack - -o z.solio", b"WorldBegin\nShape \"sphere\"\n").fine();
    // Of one that comes twice nothing is kept twice.
    solio(dir.path(), "pack a.exr -o one.solio").fine();
    let twice = solio(dir.path(), "pack a.exr a.exr -o two.solio");
    assert_eq!(twice.code, 1);
    assert!(twice.err.contains("two entries are called \"a.exr\""), "{}", twice.err);
    let bytes = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().len();
    assert_eq!(bytes("one.solio"), bytes("two.solio"));
    let ran = solio(dir.path(), "unpack z.solio -o out");
    assert!(ran.err.contains("solio convert scene.solio -o scene.pbrt"), "{}", ran.err);
}

#[test]
fn sequences_go_on_past_bad_frames() {
    let dir = folder();
    let bytes = std::fs::read(dir.path().join("a.exr")).unwrap();
    for frame in 1..=6 {
        let bytes = if frame == 4 { &bytes[..700] } else { &bytes };
        std::fs::write(dir.path().join(format!("s.{frame:04}.exr")), bytes).unwrap();
    }
    let made = |start: &str| {
        let all = names(dir.path());
        all.into_iter().filter(|name| name.starts_with(start)).collect::<Vec<_>>()
    };
    let ran = solio(dir.path(), "convert s.####.exr -o t.####.exr -z piz --json");
    assert_eq!(ran.code, 1);
    let json = ran.json();
    let inputs: Vec<&str> = json
        .iter()
        .map(|line| line.get("input").unwrap_or(&line["path"]).as_str().unwrap())
        .collect();
    assert_eq!(inputs, (1..=6).map(|i| format!("s.{i:04}.exr")).collect::<Vec<_>>());
    assert_eq!(json[3]["error"]["kind"], "corrupt");
    assert!(ran.err.contains("s.0004.exr: ") && ran.err.contains("1 of 6 inputs failed"));
    assert_eq!(made("t."), [1, 2, 3, 5, 6].map(|i| format!("t.{i:04}.exr")));

    // Results do not depend on the number of threads.
    for jobs in [1, 3] {
        solio(dir.path(), &format!("convert s.####.exr -o u{jobs}.%04d.exr -z piz -j{jobs}"));
    }
    for frame in [1, 6] {
        let bytes = |start: &str| {
            std::fs::read(dir.path().join(format!("{start}.{frame:04}.exr"))).unwrap()
        };
        assert_eq!(bytes("u1"), bytes("u3"));
        assert_eq!(bytes("u1"), bytes("t"));
    }

    let ran = solio(dir.path(), "convert s.1-6x2####.exr -o v.%d.png -n").fine();
    assert_eq!(ran.text(), "s.0001.exr -> v.1.png\ns.0003.exr -> v.3.png\ns.0005.exr -> v.5.png\n");
    let ran = solio(dir.path(), "convert s.%04d.exr --frames 2,9 -o p/ --format png");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("s.0009.exr: cannot open"), "{}", ran.err);
    assert_eq!(names(&dir.path().join("p")), ["s.0002.png"]);
    assert_eq!(solio(dir.path(), "convert none.####.exr -o t.####.exr").code, 3);
    assert_eq!(solio(dir.path(), "convert a.exr -o t.####.exr").code, 2);
    assert_eq!(solio(dir.path(), "convert s.####.exr -o t.exr").code, 2);
    assert_eq!(solio(dir.path(), "convert a.exr --frames 1-2 -o t.exr").code, 2);
}

#[test]
fn pictures_come_back_as_they_were() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let bytes = |name: &str| std::fs::read(at(name)).unwrap();
    for (name, more) in
        [("p.png", ""), ("q.png", "--bits 16"), ("p.tif", ""), ("q.tif", "--bits 16")]
    {
        solio(dir.path(), &format!("convert a.exr -o {name} {more}")).fine();
        // There and back gives the same numbers, whether light passes through or not.
        for raw in ["", "--raw"] {
            solio(dir.path(), &format!("convert {name} -o back.exr {raw}")).fine();
            let ran = solio(dir.path(), &format!("convert back.exr -o again.{name} {more} {raw}"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            let (first, second) = (bytes(name), bytes(&format!("again.{name}")));
            // Where alpha is zero colours are gone: not with raw values.
            if raw == "--raw" {
                assert!(first == second, "{name} {raw}");
            }
        }
    }
    // The picture is the display window; outside of the data it is transparent.
    let window = load(&at("back.exr")).parts[0].header.get("dataWindow").cloned();
    assert_eq!(window, Some(Value::Box2i(Box2i::of_size(48, 32))));
    solio(dir.path(), "convert a.exr -o d.png --frame data").fine();
    solio(dir.path(), "convert d.png -o d.exr").fine();
    assert_eq!(flat(&load(&at("d.exr")), 0).window, Box2i::of_size(40, 28));

    // Light of 0.18 has the code 118 in sRGB; twice as much with an exposure of 1.
    let y = Channel::new("Y", PixelType::Float);
    let window = Box2i::of_size(2, 1);
    let header = Part::new(window, Compression::None, vec![y.clone()]);
    let planes = vec![Plane { channel: y, samples: Samples::Float(vec![0.09, 0.18].into()) }];
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    save(vec![ImagePart { header, pixels }], &at("grey.exr"));
    let codes = |line: &str| -> Vec<i64> {
        solio(dir.path(), &format!("convert grey.exr -o grey.png {line}")).fine();
        solio(dir.path(), "convert grey.png -o codes.exr --raw --float").fine();
        let image = load(&at("codes.exr"));
        let Samples::Float(values) = &flat(&image, 0).planes[0].samples else { panic!() };
        values.iter().map(|v| (v * 255.0).round() as i64).collect()
    };
    assert_eq!(codes(""), [85, 118]);
    assert_eq!(codes("--exposure 1"), [118, 162]);
    assert_eq!(codes("--raw"), [23, 46]);
    for name in ["j.jpg", "h.hdr"] {
        let ran = solio(dir.path(), &format!("convert a.exr -o {name}")).fine();
        assert!(ran.err.contains("has no alpha: the picture lies on black"), "{}", ran.err);
        solio(dir.path(), &format!("check {name}")).fine();
        solio(dir.path(), &format!("convert {name} -o from_{name}.exr")).fine();
    }
    solio(dir.path(), "convert a.exr -o f.tif --float").fine();
    solio(dir.path(), "convert f.tif -o f.exr").fine();
    let image = load(&at("f.exr"));
    assert_eq!(flat(&image, 0).planes[0].channel.pixel_type, PixelType::Float);
    // Also where the name of each file tells the format.
    solio(dir.path(), "convert f.tif -o wide/ --float").fine();
    solio(dir.path(), "convert wide/f.tif -o g.exr").fine();
    assert_eq!(flat(&load(&at("g.exr")), 0).planes[0].channel.pixel_type, PixelType::Float);
}

#[test]
fn set_changes_attributes_and_nothing_else() {
    let dir = folder();
    for name in ["a.exr", "mip.exr", "two.exr", "deep.exr"] {
        let path = dir.path().join(name);
        let before = (std::fs::read(&path).unwrap(), load(&path));
        solio(dir.path(), &format!("set comments=hello mine:v2i=3,4 {name}")).fine();
        let after = load(&path);
        for (before, after) in before.1.parts.iter().zip(&after.parts) {
            assert_eq!(before.pixels, after.pixels, "{name}");
            assert_eq!(after.header.get("comments"), Some(&Value::Text("hello".into())));
            assert_eq!(after.header.get("mine"), Some(&Value::V2i([3, 4])));
        }
        solio(dir.path(), &format!("check {name}")).fine();
        solio(dir.path(), &format!("set comments= --delete mine {name}")).fine();
        assert_eq!(std::fs::read(&path).unwrap(), before.0, "{name}");
    }
    solio(dir.path(), "set --part left view=l two.exr -o new.exr").fine();
    let image = load(&dir.path().join("new.exr"));
    let views: Vec<_> = image.parts.iter().map(|part| part.header.get("view").is_some()).collect();
    assert_eq!(views, [true, false]);
    let old = std::fs::read(dir.path().join("a.exr")).unwrap();
    for name in
        ["channels", "compression", "dataWindow", "tiles", "type", "chunkCount", "lineOrder"]
    {
        let ran = solio(dir.path(), &format!("set {name}=1 a.exr"));
        assert_eq!(ran.code, 2, "{name}");
        assert!(ran.err.contains("cannot be set: "), "{}", ran.err);
    }
    assert_eq!(solio(dir.path(), "set framesPerSecond=fast a.exr").code, 2);
    assert_eq!(solio(dir.path(), "set a.exr").code, 2);
    assert_eq!(std::fs::read(dir.path().join("a.exr")).unwrap(), old);
    // Several files; bad ones are passed over.
    std::fs::write(dir.path().join("bad.exr"), b"nothing").unwrap();
    let ran = solio(dir.path(), "set owner=all a.exr bad.exr mip.exr --json");
    assert_eq!((ran.code, ran.json().len()), (1, 3));
    assert!(solio(dir.path(), "info mip.exr").fine().text().contains("owner (string): \"all\""));
    assert_eq!(std::fs::read(dir.path().join("bad.exr")).unwrap(), b"nothing");
}

#[test]
fn check_lists_all_that_is_wrong() {
    let dir = folder();
    let ran = solio(dir.path(), "check a.exr mip.exr two.exr deep.exr").fine();
    let expected = "a.exr: ok (exr, 1 part, 2 chunks)\nmip.exr: ok (exr, 1 part, 12 chunks)\n\
        two.exr: ok (exr, 2 parts, 4 chunks)\ndeep.exr: ok (exr, 1 part, 3 chunks)\n";
    assert_eq!(ran.text(), expected);
    let bytes = std::fs::read(dir.path().join("two.exr")).unwrap();
    std::fs::write(dir.path().join("cut.exr"), &bytes[..bytes.len() - 1]).unwrap();
    std::fs::write(dir.path().join("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(dir.path().join("tri.stl"), "solid a\nfacet normal 0 0 1\nouter").unwrap();
    std::fs::write(dir.path().join("note.txt"), "hello").unwrap();
    let ran = solio(dir.path(), "check -q cut.exr a.exr tri.obj tri.stl note.txt gone.exr");
    assert_eq!(ran.code, 1);
    let end = bytes.len() - 1;
    let first = format!("byte {end}: part 1, chunk 1: the file ends 1 bytes before the chunk does");
    assert!(ran.text().starts_with(&format!("cut.exr: 1 problem\n  {first}\n")), "{}", ran.text());
    assert!(ran.text().contains("tri.stl: 1 problem\n"), "{}", ran.text());
    assert!(!ran.text().contains("tri.obj") && !ran.text().contains("a.exr:"));
    assert!(ran.err.contains("can be checked: avi, cr3, crw, exr"), "{}", ran.err);
    assert!(ran.err.contains("gone.exr: cannot open"));
    assert!(ran.err.contains("4 of 6 files are damaged or unreadable"), "{}", ran.err);
    let ran = solio(dir.path(), "check --json cut.exr a.exr");
    let json = ran.json();
    assert_eq!((json[0]["ok"].as_bool(), json[1]["ok"].as_bool()), (Some(false), Some(true)));
    assert_eq!(json[0]["problems"][0]["chunks"], serde_json::json!([1, 2]));
    // What only unpacking shows.
    let mut spoiled = std::fs::read(dir.path().join("a.exr")).unwrap();
    let start = spoiled.len() - 400;
    spoiled[start..].fill(0xff);
    std::fs::write(dir.path().join("spoiled.exr"), &spoiled).unwrap();
    solio(dir.path(), "check spoiled.exr").fine();
    assert_eq!(solio(dir.path(), "check --deep a.exr spoiled.exr").code, 1);
}

#[test]
fn previews_are_pictures() {
    let dir = folder();
    let ran = solio(dir.path(), "preview a.exr -o p.png --size 24 --json").fine();
    let json = ran.json();
    assert_eq!((&json[0]["width"], &json[0]["height"]), (&24.into(), &16.into()));
    assert_eq!(json[0]["channels"], "R, G, B, A");
    assert!(std::fs::read(dir.path().join("p.png")).unwrap().starts_with(b"\x89PNG"));
    let ran = solio(dir.path(), "preview mip.exr -o p.png --size 12 --json").fine();
    assert_eq!((&ran.json()[0]["width"], &ran.json()[0]["height"]), (&12.into(), &8.into()));
    let ran = solio(dir.path(), "preview two.exr -o p.png --part right --channels Z --json").fine();
    let shown = ran.json()[0]["channels"].as_str().unwrap().to_owned();
    assert!(shown.starts_with("Z from 0 (black) to "), "{shown}");
    solio(dir.path(), "preview deep.exr p.png -o thumbs/").fine();
    std::fs::write(dir.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let ran = solio(dir.path(), "preview a.obj -o m.exr --size 9x7 --up-axis Z --json").fine();
    assert_eq!((&ran.json()[0]["width"], &ran.json()[0]["height"]), (&7.into(), &7.into()));
    solio(dir.path(), "preview m.exr -o m.png --channels Z").fine();
    for n in [1, 3] {
        std::fs::copy(dir.path().join("a.exr"), dir.path().join(format!("s.000{n}.exr"))).unwrap();
    }
    let ran = solio(dir.path(), "preview s.####.exr -o t.##.png --size 24 --json").fine();
    assert_eq!(ran.json()[1]["output"], "t.03.png");
    assert!(dir.path().join("t.01.png").exists());
    for (line, why) in [
        ("preview a.exr -o t.##.png", "only frames can become frames"),
        ("preview s.####.exr -o t.##.exr", "previews are PNG files"),
        ("preview s.####.exr -o t.png", "2 inputs, but one output"),
        ("preview s.####.exr m/s.0003.exr -o some/", "would become some/s.0003.png"),
    ] {
        let ran = solio(dir.path(), line);
        assert!(ran.code == 2 && ran.err.contains(why), "{line}: {}", ran.err);
    }
    // As in convert: nothing at all, and a pattern of nothing beside others.
    let ran = solio(dir.path(), "preview q.####.exr -o t.##.png");
    assert!(ran.code == 3 && ran.err.contains("no frames match q.####.exr"), "{}", ran.err);
    let ran = solio(dir.path(), "preview q.####.exr s.####.exr -o u.##.png");
    assert!(ran.code == 1 && ran.err.contains("nothing matches this pattern"), "{}", ran.err);
    assert!(dir.path().join("u.01.png").exists() && dir.path().join("u.03.png").exists());
    // As in convert: asked of one image wrongly, or something that one of several does not have.
    let ran = solio(dir.path(), "preview a.exr -o q.png --channels Z");
    assert!(ran.code == 2 && ran.err.contains("no channels Z"), "{}", ran.err);
    let ran = solio(dir.path(), "preview a.exr m.exr -o some/ --channels Z");
    assert!(ran.code == 1 && ran.err.contains("no channels Z"), "{}", ran.err);
    assert!(dir.path().join("some/m.png").exists());
    for mesh in ["v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "v 0 0 0\nv 1 1 1\n"] {
        std::fs::write(dir.path().join("b.obj"), mesh).unwrap();
        let ran = solio(dir.path(), "preview b.obj -o m.png --size 4000000000");
        assert!(ran.code == 1 && ran.err.contains("is too large"), "{}", ran.err);
    }
    std::fs::write(dir.path().join("a.txt"), "words\n").unwrap();
    let ran = solio(dir.path(), "preview a.txt -o m.png");
    assert!(ran.code == 1 && ran.err.contains("neither content nor name"), "{}", ran.err);
    assert_eq!(names(&dir.path().join("thumbs")), ["deep.png", "p.png"]);
    let ran = solio(dir.path(), "preview a.exr");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("not a terminal") && ran.err.contains("-o preview.png"),
        "{}",
        ran.err
    );
    let show = |no_color: &str| {
        Command::new(env!("CARGO_BIN_EXE_solio"))
            .args(["preview", "a.exr", "--size", "8"])
            .current_dir(dir.path())
            .envs([("CLICOLOR_FORCE", "1"), ("NO_COLOR", no_color)])
            .output()
            .unwrap()
    };
    let refused = show("1");
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("NO_COLOR wants no colours"));
    let forced = show("");
    let text = String::from_utf8(forced.stdout).unwrap();
    assert!(text.contains("\u{1b}[38;2;") && text.lines().count() == 3, "{text:?}");
}

#[test]
fn an_image_from_a_pipe_has_the_same_preview() {
    let dir = folder();
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    solio(dir.path(), "convert a.exr -o a.png").fine();
    solio(dir.path(), "convert a.exr -o a.hdr").fine();
    for (name, options) in
        [("a.exr", ""), ("two.exr", "--part right --channels Z"), ("a.png", ""), ("a.hdr", "")]
    {
        solio(dir.path(), &format!("preview {name} -o f.png {options}")).fine();
        run(dir.path(), &format!("preview - -o p.png {options}"), &read(name)).fine();
        assert_eq!(read("p.png"), read("f.png"), "{name}");
    }
    // A mesh is one, too; text is nothing to look at.
    run(dir.path(), "preview - -o p.png", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").fine();
    let ran = run(dir.path(), "preview - -o p.png", b"only words\n");
    assert!(ran.code == 1 && ran.err.contains("neither content nor name"), "{}", ran.err);
}

#[test]
fn names_of_any_bytes_and_pipes_work() {
    let dir = folder();
    let bytes = |odd: &'static [u8], text: &'static [u8]| {
        std::ffi::OsStr::from_bytes(if is_name(odd) { odd } else { text })
    };
    let name = bytes(b"\xff\xfe.0001.exr", "\u{e9}.0001.exr".as_bytes());
    std::fs::copy(dir.path().join("a.exr"), dir.path().join(name)).unwrap();
    let of = |args: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_solio"));
        command.args(args).current_dir(dir.path()).output().unwrap().status.code()
    };
    let pattern = bytes(b"\xff\xfe.####.exr", "\u{e9}.####.exr".as_bytes());
    let to = bytes(b"\xfe.####.exr", "\u{e8}.####.exr".as_bytes());
    let word = |word: &'static str| std::ffi::OsStr::new(word);
    assert_eq!(of(&[word("convert"), pattern, word("-o"), to, word("-z"), word("rle")]), Some(0));
    assert!(dir.path().join(bytes(b"\xfe.0001.exr", "\u{e8}.0001.exr".as_bytes())).exists());
    assert_eq!(of(&[word("set"), word("owner=me"), name]), Some(0));
    assert_eq!(of(&[word("check"), name]), Some(0));

    let bytes = std::fs::read(dir.path().join("a.exr")).unwrap();
    let ran = run(dir.path(), "convert - -o - --format exr -z none", &bytes).fine();
    let image = decode_exr(&ran.out, &ReadOptions::default(), &Work::serial()).unwrap();
    assert_eq!(image.parts[0].pixels, load(&dir.path().join("a.exr")).parts[0].pixels);
}

#[test]
fn archives_give_images_back() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("in")).unwrap();
    let window = Box2i { min: [0, 0], max: [79, 139] };
    let image = |owner: &str| {
        let mut part = part(window, &["R", "G", "B"], None, "a");
        part.header.set("owner", Value::Text(owner.into()));
        Image { parts: vec![part], missing: Vec::new() }
    };
    for i in 0..4 {
        let to = at(&format!("in/a.{i}.exr"));
        let options = ImageWriteOptions::default();
        solio::write_image(&image(&format!("owner {i}")), &to, &options, &Work::default()).unwrap();
    }
    let names = ["in/a.0.exr", "in/a.1.exr", "in/a.2.exr", "in/a.3.exr"];
    let line = format!("pack {} -o a.solio --json", names.join(" "));
    let packed = solio(dir.path(), &line).fine().json();
    let all: u64 = names.iter().map(|name| std::fs::metadata(at(name)).unwrap().len()).sum();
    assert_eq!((packed.len(), &packed[4]["image_bytes"]), (5, &all.into()));
    let size = std::fs::metadata(at("a.solio")).unwrap().len();
    assert_eq!(packed[4]["file_bytes"], size);
    assert!(size < all, "{size} of {all}");
    // The same bytes on one thread.
    solio(dir.path(), &(line.replace("a.solio", "b.solio") + " -j1")).fine();
    assert!(std::fs::read(at("a.solio")).unwrap() == std::fs::read(at("b.solio")).unwrap());

    let info = solio(dir.path(), "info a.solio --json").fine().json();
    assert_eq!(info[0]["entries"][3]["name"], "a.3.exr");
    assert!(solio(dir.path(), "info a.solio").fine().text().contains("a.2.exr"));
    for line in ["check a.solio", "check --deep a.solio"] {
        let text = solio(dir.path(), line).fine().text().to_owned();
        assert!(text.contains("ok (archive, 4 entries"), "{text}");
    }
    solio(dir.path(), "unpack a.solio -o out/deep --only a.1.exr").fine();
    assert_eq!(self::names(&at("out/deep")), ["a.1.exr"]);
    let read = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        decode_exr(&bytes, &ReadOptions::default(), &Work::default()).unwrap()
    };
    assert_eq!(read(&at("out/deep/a.1.exr")).parts, read(&at("in/a.1.exr")).parts);

    // Byte for byte, and past a bad file.
    std::fs::write(at("in/bad.exr"), b"v/1\x01 no image").unwrap();
    let exact = "pack --exact in/a.0.exr in/bad.exr in/a.3.exr -o exact.solio";
    let ran = solio(dir.path(), exact);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("bad.exr") && ran.err.contains("1 of 3 inputs failed"), "{}", ran.err);
    solio(dir.path(), "unpack exact.solio -o out/exact").fine();
    for name in ["a.0.exr", "a.3.exr"] {
        let back = std::fs::read(at("out/exact").join(name)).unwrap();
        assert!(back == std::fs::read(at("in").join(name)).unwrap(), "{name}");
    }
    assert_eq!(self::names(&at("out/exact")), ["a.0.exr", "a.3.exr"]);

    // Damage is found, and harms one file.
    let mut bytes = std::fs::read(at("a.solio")).unwrap();
    bytes[40] ^= 1;
    std::fs::write(at("a.solio"), bytes).unwrap();
    let found = solio(dir.path(), "check a.solio");
    assert!(found.code == 1 && found.text().contains("byte 16: a.0.exr: a chunk"), "{found:?}");
    let ran = solio(dir.path(), "unpack a.solio -o out/some");
    assert_eq!(ran.code, 1);
    assert_eq!(self::names(&at("out/some")), ["a.1.exr", "a.2.exr", "a.3.exr"]);

    // What cannot be.
    assert_eq!(solio(dir.path(), "pack in/bad.exr -o none.solio").code, 1);
    assert!(!at("none.solio").exists());
    assert_eq!(solio(dir.path(), "pack in/a.0.exr -o none.solio -l 3").code, 2);
    assert_eq!(solio(dir.path(), "unpack a.solio -o out --only b.exr").code, 2);
    assert_eq!(solio(dir.path(), "unpack in/a.0.exr -o out").code, 1);
}

/// What a list names counts as what is typed.
#[test]
fn inputs_of_a_list_say_what_is_converted() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    solio(at, "gradient red,lime -o a.exr --size 8x8").fine();
    std::fs::write(at.join("s.pbrt"), "WorldBegin\nShape \"sphere\"\n").unwrap();
    run(at, "convert --files-from - -o out/ --half", b"a.exr\n").fine();
    run(at, "convert --files-from - -o s.glb", b"s.pbrt\n").fine();
    run(at, "convert --files-from - -o out/", b"s.pbrt\n").fine();
    assert_eq!(names(&at.join("out")), ["a.exr", "s.pbrt"]);
    assert!(at.join("s.glb").is_file());
    assert_eq!(run(at, "convert --files-from - -o out/", b"").code, 3);
}

#[test]
fn a_file_and_json_are_not_mixed() {
    let dir = folder();
    for line in ["preview a.exr -o - --json", "set owner=x a.exr -o - --json"] {
        let ran = solio(dir.path(), line);
        assert!(ran.code == 2 && ran.out.is_empty(), "{line}: {}", ran.err);
        assert!(ran.err.contains("both want standard output"), "{line}: {}", ran.err);
    }
    assert!(solio(dir.path(), "preview a.exr -o -").fine().out.starts_with(b"\x89PNG"));
}

#[test]
fn the_name_of_a_folder_tells_no_format() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    solio(at, "gradient red,lime -o a.png --size 8x8").fine();
    for output in ["frames.exr/", "frames.exr"] {
        solio(at, &format!("convert a.png -o {output}")).fine();
        assert_eq!(names(&at.join("frames.exr")), ["a.png"], "{output}");
    }
    assert!(std::fs::read(at.join("frames.exr/a.png")).unwrap().starts_with(b"\x89PNG"));
    solio(at, "convert a.png -o frames.exr/ --format exr").fine();
    assert_eq!(names(&at.join("frames.exr")), ["a.exr", "a.png"]);
    std::fs::write(at.join("a.obj"), "v 0 0 0\n").unwrap();
    let ran = solio(at, "convert a.obj -o frames.exr/");
    assert!(ran.code == 2 && ran.err.contains("does not tell the format"), "{}", ran.err);
}

#[test]
fn a_folder_is_made_when_all_names_in_it_are_known() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    solio(at, "gradient red,lime -o a.exr --size 8x8").fine();
    for (name, text) in [("a.obj", "v 0 0 0\n"), ("s.pbrt", "WorldBegin\n")] {
        std::fs::write(at.join(name), text).unwrap();
    }
    for line in ["a.exr a.exr --format png", "a.obj ./a.obj --format ply", "s.pbrt s.pbrt"] {
        let ran = solio(at, &format!("convert {line} -o out/"));
        assert_eq!((ran.code, at.join("out").exists()), (2, false), "{line}: {}", ran.err);
    }
    for line in ["set owner=me a.exr ./a.exr", "preview a.exr ./a.exr"] {
        let ran = solio(at, &format!("{line} -o out/"));
        assert_eq!((ran.code, at.join("out").exists()), (2, false), "{line}: {}", ran.err);
        assert!(ran.err.contains("this would become out/a."), "{line}: {}", ran.err);
    }
}

#[test]
fn names_that_are_no_text_stay_what_they_are() {
    if !is_name(b"caf\xe9") {
        return println!("skipped: names are text here");
    }
    let dir = tempfile::tempdir().unwrap();
    let name = |bytes: &'static [u8]| dir.path().join(std::ffi::OsStr::from_bytes(bytes));
    std::fs::write(name(b"caf\xe8.obj"), "v 0 0 0\n").unwrap();
    std::fs::write(name(b"caf\xe9.obj"), "v 0 0 0\n").unwrap();
    std::fs::write(name(b"caf\xe9.pbrt"), "WorldBegin\nShape \"sphere\"\n").unwrap();
    let list = b"caf\xe8.obj\ncaf\xe9.obj\n";
    run(dir.path(), "convert --files-from - -o out/ --format ply", list).fine();
    run(dir.path(), "convert --files-from - -o out/ --format glb", b"caf\xe9.pbrt\n").fine();
    for made in [&b"out/caf\xe8.ply"[..], b"out/caf\xe9.ply", b"out/caf\xe9.glb"] {
        assert!(dir.path().join(std::ffi::OsStr::from_bytes(made)).is_file());
    }
}

#[test]
fn images_that_come_as_a_stream_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    solio(at, "gradient red,lime -o a.exr --size 64x8").fine();
    solio(at, "convert a.exr -o a.png").fine();
    solio(at, "convert a.exr -o a.jpg").fine();
    for (name, found) in [("a.exr", "exr"), ("a.png", "png"), ("a.jpg", "jpeg")] {
        let bytes = std::fs::read(at.join(name)).unwrap();
        let whole = run(at, "check - --json", &bytes).fine();
        assert_eq!((&whole.json()[0]["format"], whole.json().len()), (&found.into(), 1));
        let cut = run(at, "check -", &bytes[..bytes.len() - 40]);
        assert_eq!(cut.code, 1, "{name}: {}", cut.text());
    }
    run(at, "check -", b"v 0 0 0\n").fine();
    run(at, "check -", b"WorldBegin\nShape \"sphere\"\n").fine();
    let text = run(at, "check -", b"only words\n");
    assert_eq!(text.code, 1);
    assert!(text.err.contains("cannot be checked"), "{}", text.err);
}
