//! What the command says of images that do not stay as they were: ids, mattes, light beyond a method,
//! files that are not complete, pixels that are not square.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{Ran, run};
use solio::image::header::{Box2i, Part, Value};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType, ReadOptions};
use solio::{CodeValues, ImageWriteOptions, Limits, StoredPicture, Work};
use std::fs;
use std::path::Path;

const SIZE: [u32; 2] = [64, 40];

/// An image of 32-bit channels, each with one value everywhere, and these attributes.
fn save(path: &Path, channels: &[(&str, f32)], attributes: &[(&str, Value)]) {
    let window = Box2i::of_size(SIZE[0], SIZE[1]);
    let mut planes: Vec<Plane<'static>> = channels
        .iter()
        .map(|(name, value)| Plane {
            channel: Channel::new(*name, PixelType::Float),
            samples: Samples::Float(vec![*value; (SIZE[0] * SIZE[1]) as usize].into()),
        })
        .collect();
    planes.sort_by(|a, b| a.channel.name.cmp(&b.channel.name));
    let of_planes = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut header = Part::new(window, Compression::None, of_planes);
    attributes.iter().for_each(|(name, value)| header.set(name, value.clone()));
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
    solio::write_image(&image, path, &ImageWriteOptions::default(), &Work::serial()).unwrap();
}

/// The types of the channels of a file, by name.
fn types(path: &Path) -> Vec<(String, PixelType)> {
    let image = solio::read_image(path, &ReadOptions::default(), &Work::serial()).unwrap();
    let channels = image.parts[0].header.shape().unwrap().channels;
    channels.into_iter().map(|channel| (channel.name, channel.pixel_type)).collect()
}

fn halves(path: &Path) -> Vec<String> {
    let half = |(name, kind): (String, PixelType)| (kind == PixelType::Half).then_some(name);
    types(path).into_iter().filter_map(half).collect()
}

fn solio(dir: &Path, line: &str) -> Ran {
    run(dir, &line.split(' ').collect::<Vec<_>>(), b"")
}

/// An id as Cryptomatte has it: any bits that are no NaN.
const ID: f32 = f32::from_bits(0x4a1b_2c3d);

fn with_matte(dir: &Path) {
    let matte = |what: &str, value: &str| {
        (format!("cryptomatte/f834d0a/{what}"), Value::Text(value.into()))
    };
    let attributes = [
        matte("name", "View.Crypto"),
        matte("hash", "MurmurHash3_32"),
        matte("conversion", "uint32_to_float32"),
        matte("manifest", "{\"a\":\"4a1b2c3d\"}"),
    ];
    let attributes = attributes.each_ref().map(|(name, value)| (&name[..], value.clone()));
    let channels = [
        ("R", 0.5),
        ("G", 0.25),
        ("B", 0.1),
        ("Z", 7.0),
        ("View.Crypto00.R", ID),
        ("View.Crypto00.G", 1.0),
    ];
    save(&dir.join("crypto.exr"), &channels, &attributes);
}

#[test]
fn ids_stay_whole_unless_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    with_matte(dir.path());
    let at = |name: &str| dir.path().join(name);
    let ran = solio(dir.path(), "convert crypto.exr -o all.exr --half").fine();
    assert!(
        ran.err.contains("2 channels of ids keep 32 bits, such as \"View.Crypto00.G\""),
        "{}",
        ran.err
    );
    assert_eq!(halves(&at("all.exr")), ["B", "G", "R", "Z"]);
    let ran = solio(dir.path(), "convert crypto.exr -o list.exr --half=R,G").fine();
    assert!(!ran.err.contains("ids"), "{}", ran.err);
    assert_eq!(halves(&at("list.exr")), ["G", "R"]);
    let ran = solio(dir.path(), "convert crypto.exr -o named.exr --half=View.Crypto00.R").fine();
    assert!(ran.err.contains("ids are rounded"), "{}", ran.err);
    assert_eq!(halves(&at("named.exr")), ["View.Crypto00.R"]);
    let ran = solio(dir.path(), "convert crypto.exr -o none.exr --half=Q");
    assert!(ran.code != 0 && ran.err.contains("there is no channel \"Q\""), "{}", ran.err);
}

#[test]
fn the_manifest_follows_its_channels() {
    let dir = tempfile::tempdir().unwrap();
    with_matte(dir.path());
    let info =
        |name: &str| solio(dir.path(), &format!("info {name} --json")).fine().text().to_owned();
    solio(dir.path(), "convert crypto.exr -o b.exr --rename View.Crypto*=Matte*").fine();
    let after = info("b.exr");
    assert!(after.contains("Matte00.R") && after.contains("/manifest"), "{after}");
    assert!(after.contains("\"Matte\"") && !after.contains("View.Crypto"), "{after}");
    // Of a matte of which one channel goes another way the name stays, which is said.
    let ran =
        solio(dir.path(), "convert crypto.exr -o c.exr --rename View.Crypto00.R=Other.R").fine();
    assert!(ran.err.contains("\"View.Crypto\" loses channels"), "{}", ran.err);
}

/// What a preview of 64 × 40 pixels is made of, where all are alike.
fn color(path: &Path) -> [u8; 3] {
    let read = solio::read_stored_picture(path, &Limits::default(), &Work::serial()).unwrap();
    let StoredPicture::Codes(codes) = read else { panic!("it has codes") };
    let CodeValues::U8(values) = codes.values else { panic!("it has 8 bits") };
    let mut pixels = values.chunks_exact(codes.channels);
    let first = pixels.next().unwrap();
    assert!(pixels.all(|pixel| pixel == first), "{}", path.display());
    if codes.channels == 1 { [first[0]; 3] } else { [first[0], first[1], first[2]] }
}

#[test]
fn mattes_are_listed_shown_and_taken_out() {
    let dir = tempfile::tempdir().unwrap();
    with_matte(dir.path());
    let at = |name: &str| dir.path().join(name);
    let info = solio(dir.path(), "info crypto.exr").fine();
    let text = info.text();
    let line =
        "Cryptomatte View.Crypto (f834d0a): 1 rank, MurmurHash3_32, uint32_to_float32, 1 name";
    assert!(text.contains(line) && text.contains("4a1b2c3d a"), "{text}");
    let json = solio(dir.path(), "info crypto.exr --json").fine();
    let json: serde_json::Value = serde_json::from_str(json.text()).unwrap();
    let matte = &json["parts"][0]["cryptomattes"][0];
    assert_eq!(matte["manifest"]["a"], "4a1b2c3d");
    assert_eq!(matte["ranks"][0][1], "View.Crypto00.G");
    // All is covered by a.
    for words in ["--matte a", "--matte <4a1b2c3d>", "--matte * --layer View.Crypto"] {
        solio(dir.path(), &format!("preview crypto.exr -o a.png {words}")).fine();
        assert_eq!(color(&at("a.png")), [255; 3], "{words}");
    }
    solio(dir.path(), "preview crypto.exr -o b.png --matte <00000001>").fine();
    assert_eq!(color(&at("b.png")), [0; 3]);
    let ran = solio(dir.path(), "preview crypto.exr -o c.png --matte b");
    assert!(ran.code == 2 && ran.err.contains("its names are a"), "{}", ran.err);
    solio(dir.path(), "preview crypto.exr -o ids.png --layer View.Crypto").fine();
    assert_ne!(color(&at("ids.png")), [0; 3]);
    let ran = solio(dir.path(), "convert crypto.exr -o m.exr --matte a").fine();
    assert_eq!(ran.err, "");
    assert_eq!(types(&at("m.exr")), [("Y".to_owned(), PixelType::Float)]);
    let ran = solio(dir.path(), "convert crypto.exr -o m.png --matte <00000001>").fine();
    assert!(ran.err.contains("no pixel is covered by <00000001> of View.Crypto"), "{}", ran.err);
    // A manifest beside the image; one elsewhere is not opened.
    let of_file = |name: &str| {
        let attributes = [
            ("cryptomatte/f834d0a/name", Value::Text("View.Crypto".into())),
            ("cryptomatte/f834d0a/manif_file", Value::Text(name.into())),
        ];
        save(&at("side.exr"), &[("View.Crypto00.R", ID), ("View.Crypto00.G", 0.5)], &attributes);
        solio(dir.path(), "info side.exr").fine().text().to_owned()
    };
    fs::write(at("names.json"), "{\"hero\": \"4a1b2c3d\"}").unwrap();
    assert!(of_file("names.json").contains("1 name in names.json"));
    for name in ["gone.json", "../names.json", "/names.json"] {
        assert!(of_file(name).contains("which is not there"), "{name}");
    }
    solio(dir.path(), "convert side.exr -o half.png --matte <4a1b2c3d>").fine();
    assert_eq!(color(&at("half.png")), [128; 3]);
    let ran = solio(dir.path(), "convert half.png -o half.exr --matte a");
    assert!(ran.code != 0 && ran.err.contains("only OpenEXR has Cryptomattes"), "{}", ran.err);
}

#[test]
fn views_and_layers_show_what_there_is() {
    let dir = tempfile::tempdir().unwrap();
    with_matte(dir.path());
    let at = |name: &str| dir.path().join(name);
    let codes = [0.5, 0.25, 0.1].map(solio::color::srgb::u8_of_light);
    solio(dir.path(), "preview crypto.exr -o a.png --view srgb").fine();
    assert_eq!(color(&at("a.png")), codes);
    for same in ["--view neutral", "--tonemap neutral"] {
        solio(dir.path(), &format!("preview crypto.exr -o b.png {same}")).fine();
        solio(dir.path(), "preview crypto.exr -o c.png").fine();
        assert_eq!(color(&at("b.png")), color(&at("c.png")));
    }
    let ran = solio(dir.path(), "preview crypto.exr -o a.png --view srgb --tonemap aces");
    assert_eq!(ran.code, 2);
    let ran = solio(dir.path(), "sheet crypto.exr -o layers.html --layers --json").fine();
    assert!(ran.text().contains("\"cells\":3"), "{}", ran.text());
    let page = fs::read_to_string(at("layers.html")).unwrap();
    for name in ["R, G, B", ">Z<", "View.Crypto"] {
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn what_a_lossy_method_does_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    save(&dir.path().join("sun.exr"), &[("R", f32::INFINITY), ("G", 1e9), ("B", 0.5)], &[]);
    let pixels = SIZE[0] * SIZE[1];
    let ran = solio(dir.path(), "convert sun.exr -o half.exr --half").fine();
    let said = format!("samples beyond 65504 become infinite ({pixels} samples");
    assert!(ran.err.contains(&said), "{}", ran.err);
    let ran = solio(dir.path(), "convert half.exr -o dwa.exr -z dwaa:90").fine();
    assert!(ran.err.contains("infinite") && ran.err.contains("sample"), "{}", ran.err);
    let ran = solio(dir.path(), "convert sun.exr -o same.exr -z zip").fine();
    assert!(!ran.err.contains("infinite"), "{}", ran.err);
    let ran = solio(dir.path(), "convert sun.exr -o not.exr --half --strict-loss");
    assert!(ran.code != 0 && !dir.path().join("not.exr").exists(), "{}", ran.err);
}

#[test]
fn an_unfinished_image_is_shown_and_fails() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    save(&at("whole.exr"), &[("R", 0.5), ("G", 0.5), ("B", 0.5)], &[]);
    let bytes = fs::read(at("whole.exr")).unwrap();
    fs::write(at("cut.exr"), &bytes[..bytes.len() * 6 / 10]).unwrap();
    solio(dir.path(), "preview whole.exr -o whole.png").fine();
    let ran = solio(dir.path(), "preview cut.exr -o cut.png --json");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("missing and hatched"), "{}", ran.err);
    assert_eq!(ran.json()[0]["missing"]["of_pixels"], SIZE[0] * SIZE[1]);
    let ran = solio(dir.path(), "preview cut.exr -o black.png --partial").fine();
    assert!(ran.err.contains("missing and black"), "{}", ran.err);
    let [whole, cut, black] =
        ["whole.png", "cut.png", "black.png"].map(|name| fs::read(at(name)).unwrap());
    assert!(whole != cut && cut != black && cut.starts_with(b"\x89PNG"));
}

#[test]
fn chunks_of_jpeg_2000_are_known_without_unpacking() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.exr");
    save(&path, &[("B", 0.5), ("G", 0.25), ("R", 1.0)], &[]);
    for method in ["htj2k256", "htj2k32", "lj2k"] {
        solio(dir.path(), &format!("convert a.exr -o b.exr -z {method}")).fine();
        solio(dir.path(), "check b.exr").fine();
        solio(dir.path(), "check --deep b.exr").fine();
        let mut bytes = fs::read(dir.path().join("b.exr")).unwrap();
        // The first tile-part says that it is another one.
        let part = [0xff, 0x90, 0, 10, 0, 0];
        let place = bytes.windows(6).position(|window| window == part).unwrap();
        bytes[place + 10] = 3;
        fs::write(dir.path().join("c.exr"), bytes).unwrap();
        let ran = solio(dir.path(), "check c.exr");
        assert_eq!(ran.code, 1, "{}", ran.err);
        let told = ran.text().to_owned() + &ran.err;
        assert!(told.contains("a tile-part is out of order"), "{told}");
    }
}

#[test]
fn pixels_that_are_not_square_are_shown_in_their_shape() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    save(&at("a.exr"), &[("R", 0.5), ("G", 0.5), ("B", 0.5)], &[]);
    solio(dir.path(), "convert a.exr -o a.png").fine();
    let mut bytes = fs::read(at("a.png")).unwrap();
    let body = [&b"pHYs"[..], &1000_u32.to_be_bytes(), &2000_u32.to_be_bytes(), &[1]].concat();
    let sum = 0xa5ed_464c_u32;
    let chunk = [&9_u32.to_be_bytes()[..], &body, &sum.to_be_bytes()].concat();
    bytes.splice(33..33, chunk);
    fs::write(at("wide.png"), bytes).unwrap();
    let size = |name: &str| {
        let ran = solio(dir.path(), &format!("preview {name} -o p.png --json")).fine();
        let line = &ran.json()[0];
        [&line["width"], &line["height"]].map(|side| side.as_u64().unwrap())
    };
    assert_eq!(size("a.png"), [64, 40]);
    assert_eq!(size("wide.png"), [128, 40]);
    let ran = solio(dir.path(), "convert wide.png -o wide.jpg").fine();
    assert!(ran.err.contains("aspect") || ran.err.contains("square"), "{}", ran.err);
}
