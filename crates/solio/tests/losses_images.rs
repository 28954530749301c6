//! Images that have something go to every format and back: what is missing afterwards is what was
//! said to be lost.
#![allow(clippy::disallowed_methods)] // test files

use solio::image::header::{Box2i, Part, Value};
use solio::image::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType, ReadOptions};
use solio::{ImageConvertOptions, Losses, Work};
use std::collections::BTreeSet;
use std::path::Path;

const FORMATS: [&str; 5] = ["exr", "png", "jpg", "tif", "hdr"];

fn plane(name: &str, values: &[f32]) -> Plane<'static> {
    let channel = Channel {
        name: name.into(),
        pixel_type: PixelType::Float,
        linear: false,
        x_sampling: 1,
        y_sampling: 1,
    };
    Plane { channel, samples: Samples::Float(values.to_vec().into()) }
}

/// A part of two by two pixels.
fn part(channels: &[(&str, [f32; 4])]) -> ImagePart<'static> {
    let window = Box2i::of_size(2, 2);
    let planes: Vec<_> = channels.iter().map(|(name, values)| plane(name, values)).collect();
    let of_header = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, of_header);
    ImagePart { header, pixels: Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]) }
}

fn rgb(values: [f32; 4]) -> ImagePart<'static> {
    part(&[("B", values), ("G", values), ("R", values)])
}

const PLAIN: [f32; 4] = [0., 1., 1., 0.];

/// Images by what they have, and the entries that it takes a format to lose it.
fn images() -> Vec<(&'static str, Image<'static>)> {
    let image = |parts: Vec<ImagePart<'static>>| Image { parts, ..Image::default() };
    let mut attributes = rgb(PLAIN);
    attributes.header.set("artist", Value::Text("Ada".into()));
    let mut overscan = rgb(PLAIN);
    overscan.header.set("displayWindow", Value::Box2i(Box2i::of_size(2, 1)));
    let named = |name: &str| {
        let mut part = rgb(PLAIN);
        part.header.set("name", Value::Text(name.into()));
        part
    };
    let mut deep = rgb(PLAIN);
    deep.header.set("type", Value::Text("deepscanline".into()));
    deep.header.set("compression", Value::Compression(Compression::Zips));
    let samples = [0.0, 1.0, 1.0, 1.0, 0.0];
    let planes = ["B", "G", "R"].map(|name| plane(name, &samples)).to_vec();
    let window = Box2i::of_size(2, 2);
    let counts = vec![1, 1, 2, 1].into();
    deep.pixels = Pixels::Deep(vec![DeepLevel { x: 0, y: 0, window, counts, planes }]);
    vec![
        ("plain", image(vec![rgb(PLAIN)])),
        ("fine", image(vec![rgb([0.2, 0.123_456_7, 0.9, 0.1])])),
        ("bright", image(vec![rgb([0.0, 4.0, 1.0, 1.0])])),
        ("negative", image(vec![rgb([0.0, -1.0, 1.0, 1.0])])),
        ("alpha", {
            let alpha = [1.0, 1.0, 1.0, 0.0];
            image(vec![part(&[("A", alpha), ("B", PLAIN), ("G", PLAIN), ("R", PLAIN)])])
        }),
        ("uncovered", {
            let light = [0.0, 1.0, 1.0, 1.0];
            let alpha = [1.0, 1.0, 1.0, 0.0];
            image(vec![part(&[("A", alpha), ("B", light), ("G", light), ("R", light)])])
        }),
        ("channels", {
            let depth = [1.0, 0.0, 1.0, 1.0];
            image(vec![part(&[("B", PLAIN), ("G", PLAIN), ("R", PLAIN), ("depth.Z", depth)])])
        }),
        ("parts", image(vec![named("beauty"), named("shadow")])),
        ("attributes", image(vec![attributes])),
        ("overscan", image(vec![overscan])),
        ("deep", image(vec![deep])),
    ]
}

/// What the first image has and the second does not: each with the entries of which one must say so.
fn missing(before: &Image<'_>, after: &Image<'_>) -> Vec<(&'static str, &'static [&'static str])> {
    let mut missing: Vec<(&'static str, &'static [&'static str])> = Vec::new();
    let mut expect = |holds: bool, what, said| {
        if !holds {
            missing.push((what, said));
        }
    };
    expect(before.parts.len() <= after.parts.len(), "parts", &["parts"]);
    let (a, b) = (&before.parts[0], &after.parts[0]);
    let names = |part: &ImagePart<'_>| -> BTreeSet<String> {
        let of = |planes: &[Plane<'_>]| planes.iter().map(|p| p.channel.name.clone()).collect();
        match &part.pixels {
            Pixels::Flat(levels) => of(&levels[0].planes),
            Pixels::Deep(levels) => of(&levels[0].planes),
        }
    };
    let lost: Vec<String> = names(a).difference(&names(b)).cloned().collect();
    // Grey stands for three colours that are one.
    let is_grey = names(b).contains("Y");
    let lost: Vec<&str> = lost
        .iter()
        .map(String::as_str)
        .filter(|name| !is_grey || !["R", "G", "B"].contains(name))
        .collect();
    expect(!lost.contains(&"A"), "alpha", &["alpha"]);
    expect(!lost.iter().any(|name| *name != "A"), "channels", &["channels"]);
    let artist = |part: &ImagePart<'_>| part.header.get("artist").is_some();
    let name = |part: &ImagePart<'_>| part.header.name().is_some();
    let kept = (!artist(a) || artist(b)) && (!name(a) || name(b));
    expect(kept, "attributes", &["attributes"]);
    let (Pixels::Flat(of_a), Pixels::Flat(of_b)) = (&a.pixels, &b.pixels) else {
        let is_deep = |part: &ImagePart<'_>| matches!(part.pixels, Pixels::Deep(_));
        expect(is_deep(a) == is_deep(b), "deep samples", &["deep_samples"]);
        return missing;
    };
    let value = |level: &FlatLevel<'_>, name: &str, [x, y]: [i32; 2]| -> Option<f32> {
        let plane = level.planes.iter().find(|plane| plane.channel.name == name)?;
        let inside = (level.window.min[0]..=level.window.max[0]).contains(&x)
            && (level.window.min[1]..=level.window.max[1]).contains(&y);
        let across = level.window.width() as i32;
        let at = (y - level.window.min[1]) * across + (x - level.window.min[0]);
        inside.then(|| match &plane.samples {
            Samples::Half(v) => v[at as usize].to_f32(),
            Samples::Float(v) => v[at as usize],
            Samples::Uint(v) => v[at as usize] as f32,
        })
    };
    let (mut outside, mut changed) = (false, false);
    for pixel in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        let other = if is_grey { "Y" } else { "R" };
        match (value(&of_a[0], "R", pixel), value(&of_b[0], other, pixel)) {
            (Some(a), Some(b)) => changed |= (a - b).abs() > 1e-6,
            (Some(_), None) => outside = true,
            _ => {}
        }
    }
    expect(!outside, "overscan", &["overscan"]);
    expect(!changed, "values", &["bit_depth", "range", "uncovered_light", "compression", "alpha"]);
    missing
}

fn compare(
    missing: &[(&'static str, &'static [&'static str])],
    losses: &Losses,
    what: &str,
    wrong: &mut Vec<String>,
) {
    for (thing, said) in missing {
        if !losses.iter().any(|loss| said.contains(&loss.what)) {
            wrong.push(format!("{what}: {thing} missing without an entry; there are: {losses}"));
        }
    }
    // A lossy method may leave some pixels as they were.
    for loss in losses.iter().filter(|loss| loss.what != "compression") {
        if !missing.iter().any(|(_, said)| said.contains(&loss.what)) {
            wrong.push(format!("{what}: nothing is missing that would be: {loss}; {missing:?}"));
        }
    }
}

#[test]
fn what_images_lose_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (options, work) = (ImageConvertOptions::default(), Work::default());
    let read = |path: &Path| solio::read_image(path, &ReadOptions::default(), &work).unwrap();
    let mut wrong = Vec::new();
    for (name, image) in images() {
        solio::write_image(&image, &path("a.exr"), &Default::default(), &work).unwrap();
        for format in FORMATS {
            let other = path(&format!("b.{format}"));
            let done = solio::convert_image(&path("a.exr"), &other, &options, &work).unwrap();
            solio::convert_image(&other, &path("c.exr"), &options, &work).unwrap();
            let missing = missing(&image, &read(&path("c.exr")));
            compare(&missing, &done.losses, &format!("{name} -> {format}"), &mut wrong);
            let strict = ImageConvertOptions { strict_loss: true, ..options.clone() };
            let refused = path(&format!("refused.{format}"));
            let result = solio::convert_image(&path("a.exr"), &refused, &strict, &work);
            assert_eq!(result.is_err(), !done.losses.is_empty(), "{name} -> {format}");
            assert_eq!(refused.exists(), result.is_ok(), "{name} -> {format}");
            let _ = std::fs::remove_file(refused);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_pictures_lose_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let work = Work::default();
    let losses = |from: &str, to: &str| {
        let done = solio::convert_image(&path(from), &path(to), &Default::default(), &work);
        done.unwrap().losses.iter().map(|loss| loss.what).collect::<Vec<_>>()
    };
    // Codes of eight and sixteen bits come back as they were; sixteen do not fit into eight.
    let codes = |x: u32, y: u32| (7 * x + 64 * y) as u8;
    let opaque = image::RgbImage::from_fn(9, 3, |x, y| image::Rgb([codes(x, y), 3, 200]));
    opaque.save(path("a.png")).unwrap();
    let clear = image::RgbaImage::from_fn(9, 3, |x, y| image::Rgba([codes(x, y), 3, 9, 77]));
    clear.save(path("clear.png")).unwrap();
    let wide: image::ImageBuffer<image::Rgb<u16>, _> =
        image::ImageBuffer::from_fn(9, 3, |x, y| image::Rgb([4099 * x as u16, y as u16, 65_535]));
    wide.save(path("wide.png")).unwrap();
    for (from, to) in
        [("a.png", "b.exr"), ("a.png", "b.png"), ("a.png", "b.tif"), ("b.exr", "c.png")]
    {
        assert_eq!(losses(from, to), [""; 0], "{from} {to}");
    }
    assert_eq!(losses("clear.png", "d.exr"), [""; 0]);
    assert_eq!(losses("clear.png", "d.png"), [""; 0]);
    assert_eq!(losses("wide.png", "e.exr"), [""; 0]);
    assert_eq!(losses("wide.png", "e.png"), ["bit_depth"]);
    assert_eq!(losses("a.png", "b.jpg"), ["compression"]);
    // Colours that nobody sees.
    let hidden = image::RgbaImage::from_pixel(2, 2, image::Rgba([9, 9, 9, 0]));
    hidden.save(path("hidden.png")).unwrap();
    assert_eq!(losses("hidden.png", "f.exr"), ["hidden_colors"]);
    // What is said of the picture.
    let bytes = std::fs::read(path("a.png")).unwrap();
    let text = b"tEXtTitle\0A map";
    let chunk = [&8u32.to_be_bytes()[..], text, &crc32fast::hash(text).to_be_bytes()].concat();
    let length = (text.len() as u32 - 4).to_be_bytes();
    let chunk = [&length[..], &chunk[4..]].concat();
    std::fs::write(path("said.png"), [&bytes[..33], &chunk, &bytes[33..]].concat()).unwrap();
    assert_eq!(losses("said.png", "g.exr"), ["metadata"]);
}
