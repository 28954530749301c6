//! Images taken apart and put together again.

use super::*;
use solio_base::{Limits, Work};
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};

fn part(window: Box2i, names: &[&str]) -> ImagePart<'static> {
    let count = (window.width() * window.height()) as usize;
    let mut names = names.to_vec();
    names.sort_unstable();
    let plane = |(i, name): (usize, &&str)| Plane {
        channel: Channel::new(*name, PixelType::Float),
        samples: Samples::Float(vec![i as f32 + 1.0; count].into()),
    };
    let planes: Vec<Plane<'static>> = names.iter().enumerate().map(plane).collect();
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut header = Part::new(window, Compression::Zip, channels);
    header.set("displayWindow", Value::Box2i(Box2i::of_size(8, 8)));
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    ImagePart { header, pixels }
}

fn image(window: Box2i, names: &[&str]) -> Image<'static> {
    Image { parts: vec![part(window, names)], missing: Vec::new() }
}

fn named(name: &str, chosen: bool, image: Image<'static>) -> MergeInput<'static> {
    MergeInput { name: name.into(), chosen, image }
}

fn names(image: &Image<'_>, part: usize) -> Vec<String> {
    image.parts[part].header.channels().iter().map(|channel| channel.name.to_string()).collect()
}

fn is_a_file(image: &Image<'_>) {
    let mut bytes: Vec<u8> = Vec::new();
    solio_exr::encode_exr(image, &Default::default(), &mut bytes, &Work::serial()).unwrap();
}

#[test]
fn layers_keep_their_names_unless_two_are_the_same() {
    let window = Box2i::of_size(4, 4);
    let beauty = || image(window, &["R", "G", "B"]);
    let far = Box2i { min: [6, 2], max: [7, 9] };
    let inputs = vec![
        named("beauty", false, beauty()),
        named("depth", false, image(far, &["Z"])),
        named("diffuse", false, beauty()),
    ];
    let (merged, losses) = merge_images(inputs, ImageGroup::Layers, &Limits::default()).unwrap();
    let wanted = ["B", "G", "R", "Z", "diffuse.B", "diffuse.G", "diffuse.R"];
    assert_eq!(names(&merged, 0), wanted);
    assert!(losses.is_empty());
    let Pixels::Flat(levels) = &merged.parts[0].pixels else { panic!() };
    assert_eq!(levels[0].window, Box2i { min: [0, 0], max: [7, 9] });
    let Samples::Float(depth) = &levels[0].planes[3].samples else { panic!() };
    let there = depth.iter().filter(|value| **value == 1.0).count();
    assert_eq!((there, depth[2 * 8 + 6], depth[0]), (16, 1.0, 0.0));
    is_a_file(&merged);

    let inputs = vec![named("", true, beauty()), named("light.key", true, beauty())];
    let (merged, _) = merge_images(inputs, ImageGroup::Layers, &Limits::default()).unwrap();
    assert_eq!(names(&merged, 0)[3..], ["light.key.B", "light.key.G", "light.key.R"]);
    // And back.
    let pieces = split_image(merged, ImageGroup::Layers).unwrap();
    let titles: Vec<&str> = pieces.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["rgba", "light.key"]);
    assert!(pieces.iter().all(|(_, piece)| names(piece, 0) == ["B", "G", "R"]));
    pieces.iter().for_each(|(_, piece)| is_a_file(piece));
}

#[test]
fn what_cannot_be_one_image_is_refused() {
    let window = Box2i::of_size(4, 4);
    let one = || image(window, &["R"]);
    let refused = |inputs, by| merge_images(inputs, by, &Limits::default()).is_err();
    let mut other = one();
    other.parts[0].header.set("displayWindow", Value::Box2i(Box2i::of_size(9, 9)));
    assert!(refused(vec![named("a", false, one()), named("b", false, other)], ImageGroup::Layers));
    let same = || vec![named("a", true, one()), named("a", true, one())];
    for by in ImageGroup::ALL {
        assert!(refused(same(), by), "{by:?}");
        assert!(refused(Vec::new(), by), "{by:?}");
    }
    let far = Box2i { min: [1 << 29, 1 << 29], max: [1 << 29, 1 << 29] };
    let inputs = vec![named("a", false, one()), named("b", false, image(far, &["Z"]))];
    assert!(refused(inputs, ImageGroup::Layers));
}

#[test]
fn parts_and_views() {
    let window = Box2i::of_size(4, 4);
    let mut eye = image(window, &["R", "G"]);
    eye.parts[0].header.set("name", Value::Text("rgb".into()));
    let inputs = vec![named("left", false, eye.clone()), named("right", false, eye.clone())];
    let (merged, _) = merge_images(inputs, ImageGroup::Parts, &Limits::default()).unwrap();
    let titles = |image: &Image<'_>| -> Vec<String> {
        image.parts.iter().map(|part| part.header.name().unwrap().to_string()).collect()
    };
    assert_eq!(titles(&merged), ["rgb", "right"]);
    is_a_file(&merged);
    let pieces = split_image(merged, ImageGroup::Parts).unwrap();
    assert_eq!(pieces.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["rgb", "right"]);

    let inputs = vec![named("left", true, eye.clone()), named("right", true, eye.clone())];
    let (mut stereo, _) = merge_images(inputs, ImageGroup::Views, &Limits::default()).unwrap();
    is_a_file(&stereo);
    let headers: Vec<Part> = stereo.parts.iter().map(|part| part.header.clone()).collect();
    assert_eq!(views(&headers), ["left", "right"]);
    assert_eq!(split_image(stereo.clone(), ImageGroup::Views).unwrap().len(), 2);
    assert!(select_view(&mut stereo.clone(), "middle").is_err());
    select_view(&mut stereo, "right").unwrap();
    assert_eq!(titles(&stereo), ["right"]);
    assert!(split_image(eye, ImageGroup::Views).is_err());
}

#[test]
fn views_of_one_part_are_in_the_names_of_channels() {
    let window = Box2i::of_size(2, 2);
    let channels = ["R", "left.R", "spec.R", "spec.left.R", "Z"];
    let mut both = image(window, &channels);
    let views = ["right", "left"].map(|view| view.into()).to_vec();
    both.parts[0].header.set("multiView", Value::TextVector(views));
    let pieces = split_image(both, ImageGroup::Views).unwrap();
    let found: Vec<(&str, Vec<String>)> =
        pieces.iter().map(|(name, piece)| (name.as_str(), names(piece, 0))).collect();
    let [right, left] = [&["R", "Z", "spec.R"][..], &["R", "spec.R"]];
    assert_eq!(found[0], ("right", right.iter().map(ToString::to_string).collect()));
    assert_eq!(found[1], ("left", left.iter().map(ToString::to_string).collect()));
    pieces.iter().for_each(|(_, piece)| is_a_file(piece));
}

#[test]
fn mattes_stay_whole() {
    let window = Box2i::of_size(2, 2);
    let channels = ["R", "crypto00.R", "crypto00.G", "crypto01.R", "id.X", "crypto.R"];
    let mut image = image(window, &channels);
    let header = &mut image.parts[0].header;
    header.set("cryptomatte/bda530a/name", Value::Text("crypto".into()));
    header.set("cryptomatte/bda530a/manifest", Value::Text("{}".into()));
    let pieces = split_image(image, ImageGroup::Layers).unwrap();
    let found: Vec<(&str, usize, bool)> = pieces
        .iter()
        .map(|(name, piece)| {
            let manifest = piece.parts[0].header.get("cryptomatte/bda530a/manifest");
            (name.as_str(), names(piece, 0).len(), manifest.is_some())
        })
        .collect();
    assert_eq!(found, [("rgba", 1, false), ("crypto", 4, true), ("id", 1, false)]);
    assert!(names(&pieces[1].1, 0).contains(&"crypto00.R".to_owned()));
}
