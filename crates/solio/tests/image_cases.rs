//! Images that most programs get wrong, as people meet them: unfinished files, mattes, light that a
//! lossy method cannot keep, pixels that are not square.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

use solio::image::header::{Box2i, LevelMode, Part, Rounding, Tiles, Value};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType};
use solio::{Choice, ImageWriteOptions, Preview, PreviewOptions, SheetOptions, Work};
use std::collections::BTreeSet;
use std::path::Path;

/// A flat part; `value` gives the sample of channel `i` at a place.
fn part(
    [width, height]: [u32; 2],
    names: &[&str],
    tiles: Option<Tiles>,
    value: impl Fn(usize, u32, u32) -> f32,
) -> ImagePart<'static> {
    let channels: Vec<Channel> = names.iter().map(|n| Channel::new(*n, PixelType::Float)).collect();
    let mut header = Part::new(Box2i::of_size(width, height), Compression::None, channels);
    if let Some(tiles) = tiles {
        header.set("tiles", Value::Tiles(tiles));
    }
    let shape = header.shape().unwrap();
    let levels = shape.levels.iter().map(|level| {
        let (across, down) = (level.window.width() as u32, level.window.height() as u32);
        let plane = |(i, channel): (usize, &Channel)| {
            let values = (0..across * down).map(|at| value(i, at % across, at / across));
            let samples = Samples::Float(values.collect::<Vec<_>>().into());
            Plane { channel: channel.clone(), samples }
        };
        let planes = shape.channels.iter().enumerate().map(plane).collect();
        FlatLevel { x: level.x, y: level.y, window: level.window, planes }
    });
    let pixels = Pixels::Flat(levels.collect());
    ImagePart { header, pixels }
}

fn save(parts: Vec<ImagePart<'static>>, path: &Path) {
    let image = Image { parts, missing: Vec::new() };
    solio::write_image(&image, path, &ImageWriteOptions::default(), &Work::serial()).unwrap();
}

fn shown(path: &Path, options: &PreviewOptions) -> solio::Result<Preview> {
    solio::preview_file(path, options, &Work::serial())
}

/// Cuts off all bytes of a file from this share on.
fn cut(from: &Path, to: &Path, share: f64) {
    let bytes = std::fs::read(from).unwrap();
    std::fs::write(to, &bytes[..(bytes.len() as f64 * share) as usize]).unwrap();
}

#[test]
fn what_there_is_of_an_unfinished_file_is_shown_and_the_rest_hatched() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let usual = PreviewOptions::default();
    let grey = |_: usize, _: u32, _: u32| 0.5;
    save(vec![part([64, 40], &["B", "G", "R"], None, grey)], &at("whole.exr"));
    cut(&at("whole.exr"), &at("cut.exr"), 0.6);
    let whole = shown(&at("whole.exr"), &usual).unwrap();
    assert_eq!(whole.missing, None);
    let hatched = shown(&at("cut.exr"), &usual).unwrap();
    let missing = hatched.missing.clone().unwrap();
    let rows = missing.chunks as usize;
    assert!((15..=18).contains(&rows), "{missing:?}");
    assert_eq!((missing.pixels, missing.of_pixels), (64 * rows as u64, 64 * 40));
    let there = 3 * 64 * (40 - rows);
    assert_eq!(hatched.pixels[..there], whole.pixels[..there]);
    let stripes: BTreeSet<&[u8]> = hatched.pixels[there..].chunks(3).collect();
    assert!(stripes.len() == 2 && !stripes.contains(&whole.pixels[..3]), "{stripes:?}");
    // Black, as convert --partial makes it.
    let black = shown(&at("cut.exr"), &PreviewOptions { partial: true, ..usual.clone() }).unwrap();
    assert!(black.pixels[there..].iter().all(|value| *value == 0) && black.missing.is_some());
    // A smaller picture: every pixel that has something missing is marked.
    let most = Some([16, 16]);
    let small = shown(&at("cut.exr"), &PreviewOptions { most, ..usual.clone() }).unwrap();
    let from = (40 - rows) * small.height as usize / 40 * 3 * small.width as usize;
    assert!(small.pixels[from..].chunks(3).all(|pixel| stripes.contains(pixel)));
    // Sheets.
    let files = [at("cut.exr"), at("whole.exr")];
    for sheet in ["a.html", "a.png"] {
        let options = SheetOptions::default();
        let done = solio::write_sheet(&files, &at(sheet), &options, &Work::serial()).unwrap();
        assert_eq!((done.cells, done.failed.len(), done.incomplete.len()), (2, 0, 1));
        assert_eq!(done.incomplete[0], (at("cut.exr"), missing.to_string()));
    }
    let page = std::fs::read_to_string(at("a.html")).unwrap();
    assert_eq!(page.matches(&format!("<em>{missing}</em>")).count(), 1);
    // Nothing of it is there.
    cut(&at("whole.exr"), &at("begun.exr"), 0.03);
    let error = shown(&at("begun.exr"), &usual).unwrap_err();
    assert!(error.message().starts_with("none of its pixels can be read"), "{error}");
    let black = shown(&at("begun.exr"), &PreviewOptions { partial: true, ..usual }).unwrap();
    assert!(black.missing.unwrap().is_all());
}

#[test]
fn damaged_chunks_tiles_and_levels_are_hatched_where_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let usual = PreviewOptions::default();
    // A value: the zeros of what is missing are not its lowest.
    let ramp = |_: usize, x: u32, y: u32| 1.0 + (x + y) as f32;
    save(vec![part([32, 20], &["Z"], None, ramp)], &at("z.exr"));
    cut(&at("z.exr"), &at("cut.exr"), 0.8);
    let value = shown(&at("cut.exr"), &usual).unwrap();
    assert!(value.shown.starts_with("Z from 1 (") && value.missing.is_some(), "{}", value.shown);
    // Levels that are written after the first are not there: the first serves.
    let (levels, rounding) = (LevelMode::Mipmap, Rounding::Down);
    let tiles = Tiles { width: 16, height: 16, levels, rounding };
    let grey = |_: usize, _: u32, _: u32| 0.25;
    save(vec![part([64, 64], &["B", "G", "R"], Some(tiles), grey)], &at("mip.exr"));
    cut(&at("mip.exr"), &at("levels.exr"), 0.78);
    let small = PreviewOptions { most: Some([16; 2]), ..usual.clone() };
    let [whole, rest] = ["mip.exr", "levels.exr"].map(|name| shown(&at(name), &small).unwrap());
    assert_eq!(rest, whole);
    // A damaged chunk of four in one part of two.
    let named = |name: &str| {
        let mut part = part([16, 64], &["B", "G", "R"], None, |i, x, y| (x * y + i as u32) as f32);
        part.header.set("name", Value::Text(name.into()));
        part.header.set("compression", Value::Compression(Compression::Zip));
        part
    };
    save(vec![named("left"), named("right")], &at("two.exr"));
    let mut bytes = std::fs::read(at("two.exr")).unwrap();
    let end = bytes.len();
    bytes[end - 12..].fill(0xff);
    std::fs::write(at("two.exr"), bytes).unwrap();
    let of = |part: usize| {
        let choice = Choice { part: Some(part), ..Choice::default() };
        shown(&at("two.exr"), &PreviewOptions { choice, ..usual.clone() }).unwrap().missing
    };
    assert_eq!(of(0), None);
    assert_eq!(of(1).unwrap().to_string(), "25 % missing");
}
