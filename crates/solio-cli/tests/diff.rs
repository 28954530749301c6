//! `solio diff` as people and scripts meet it.
#![allow(clippy::disallowed_methods)] // test files

mod ran;

use ran::run;
use solio::image::header::{Box2i, Part};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType};
use std::fs;
use std::path::Path;

/// An image of two channels; pixel 5 of Y is `value`.
fn write(path: &Path, value: f32) {
    let window = Box2i::of_size(4, 3);
    let mut grey: Vec<f32> = (0..12).map(|i| i as f32 / 8.0).collect();
    grey[5] = value;
    let planes: Vec<_> = [("A", vec![1.0; 12]), ("Y", grey)]
        .into_iter()
        .map(|(name, samples)| Plane {
            channel: Channel::new(name, PixelType::Float),
            samples: Samples::Float(samples.into()),
        })
        .collect();
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    let image = Image { parts: vec![ImagePart { header, pixels }], ..Image::default() };
    solio::write_image(&image, path, &Default::default(), &solio::Work::serial()).unwrap();
}

#[test]
fn exit_codes_are_those_of_idiff() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("a.exr"), 0.625);
    write(&dir.join("b.exr"), 0.75);
    let code = |line: &str| run(dir, &line.split_whitespace().collect::<Vec<_>>(), b"").code;
    assert_eq!(code("diff a.exr a.exr"), 0);
    assert_eq!(code("diff a.exr b.exr"), 2);
    assert_eq!(code("diff a.exr b.exr --fail 0.125"), 1);
    assert_eq!(code("diff a.exr b.exr --fail 0.125 --warn 0.125"), 0);
    // One of twelve pixels.
    assert_eq!(code("diff a.exr b.exr --fail-percent 9 --warn-percent 9"), 0);
    assert_eq!(code("diff a.exr b.exr --fail-percent 8 --warn-percent 9"), 2);
    assert_eq!(code("diff a.exr b.exr --fail-percent 9 --warn-percent 9 --hard-warn 0.1"), 1);
    assert_eq!(code("diff a.exr b.exr --fail-percent 9 --hard-fail 0.1"), 2);
    assert_eq!(code("diff a.exr none.exr"), 4);
    assert_eq!(code("diff a.exr"), 2);
}

#[test]
fn people_and_programs_are_told_where_and_how_much() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("a.exr"), 0.625);
    write(&dir.join("b.exr"), 0.75);
    let ran = run(dir, &["diff", "a.exr", "b.exr", "--heat", "where.png"], b"");
    let text = ran.text();
    assert!(text.starts_with("a.exr  b.exr  different\n"), "{text}");
    assert!(
        text.contains("Y ") && text.contains("0.125000  1, 1") && !text.contains("\n  A "),
        "{text}"
    );
    assert!(fs::read(dir.join("where.png")).unwrap().starts_with(b"\x89PNG"));
    let ran = run(dir, &["diff", "a.exr", "b.exr", "--json"], b"");
    let said: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!((&said["verdict"], &said["beyond_fail"]), (&"different".into(), &1.into()));
    let grey = &said["channels"][1];
    assert_eq!(
        (&grey["name"], &grey["largest"], &grey["at"][0]),
        (&"Y".into(), &0.125.into(), &1.into())
    );
    let psnr = 20.0 * (1.375f64 / (0.125f64 * 0.125 / 12.0).sqrt()).log10();
    assert!((grey["psnr_db"].as_f64().unwrap() - psnr).abs() < 1e-9);
}

#[test]
fn frames_and_folders_go_on_past_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for name in ["v1", "v2"] {
        fs::create_dir(dir.join(name)).unwrap();
    }
    for (name, value) in [("v1/s.1001.exr", 0.0), ("v1/s.1002.exr", 0.0), ("v1/s.1003.exr", 0.5)] {
        write(&dir.join(name), value);
    }
    for (name, value) in [("v2/s.1001.exr", 0.0), ("v2/s.1003.exr", 0.75)] {
        write(&dir.join(name), value);
    }
    for line in [["diff", "v1/s.####.exr", "v2/s.####.exr"], ["diff", "v1", "v2"]] {
        let ran = run(dir, &line, b"");
        let text = ran.text();
        assert_eq!(ran.code, 4, "{text}");
        assert!(
            text.contains("s.1001.exr  same\n") && text.contains("s.1003.exr  different\n"),
            "{text}"
        );
        assert!(ran.err.contains("s.1002.exr"), "{}", ran.err);
        assert!(ran.err.contains("1 of 3 pairs differ; 1 could not be compared"));
    }
    let drawn = ["diff", "v1/s.####.exr", "v1/s.####.exr", "--heat", "heat.####.png"];
    assert_eq!(run(dir, &drawn, b"").code, 0);
    assert!(dir.join("heat.1003.png").is_file());
    assert_eq!(run(dir, &["diff", "v1", "v1", "--heat", "heat.png"], b"").code, 2);
}
