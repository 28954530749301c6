//! Names of any bytes, and what the parts of a file have alike.

#[allow(dead_code)] // only some of its images are needed
mod images;

use images::{channel, flat_images, flat_part};
use solio_base::Work;
use solio_exr::header::{Box2i, Chromaticities, KeyCode, Part, TimeCode, Value};
use solio_exr::model::{Image, Pixels};
use solio_exr::{
    Compression, Levels, PixelType, ReadOptions, Shared, WriteOptions, decode_exr, encode_exr,
};

fn write(image: &Image<'_>, options: &WriteOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_exr(image, options, &mut bytes, &Work::serial()).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Image<'static> {
    let options = ReadOptions { levels: Levels::All, ..ReadOptions::default() };
    decode_exr(&bytes, &options, &Work::serial()).unwrap()
}

#[test]
fn names_may_be_any_bytes() {
    let (_, mut image) = flat_images(Compression::Zip).swap_remove(2);
    let Pixels::Flat(levels) = &mut image.parts[0].pixels else { panic!() };
    // In the order of their bytes, which is not that of their characters.
    let planes = &mut levels[0].planes;
    let last = planes.len() - 1;
    planes[last - 1].channel.name = "a\u{efe4}".into();
    planes[last].channel.name = "a漢".into();
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = &mut image.parts[0].header;
    header.set("channels", Value::Channels(channels));
    header.set("Gr\u{eff6}\u{efdf}e", Value::Int(7));
    let bytes = write(&image, &WriteOptions::default());
    let there = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    assert!(there(b"\0Gr\xf6\xdfe\0int\0") && there(b"\0a\xe4\0") && there("a漢\0".as_bytes()));
    let again = read(&bytes);
    assert!(again.parts[0].pixels == image.parts[0].pixels);
    assert_eq!(again.parts[0].header.get("Gr\u{eff6}\u{efdf}e"), Some(&Value::Int(7)));
}

#[test]
fn parts_share_what_they_must() {
    let (_, image) = flat_images(Compression::Zip).pop().unwrap();
    let chromaticities = |x: f32| {
        let at = [x; 2];
        Value::Chromaticities(Chromaticities { red: at, green: at, blue: at, white: at })
    };
    // The first part may say more than the others.
    let mut more = image.clone();
    more.parts[0].header.set("chromaticities", chromaticities(0.5));
    write(&more, &WriteOptions::default());
    for (name, value) in [
        ("chromaticities", chromaticities(0.25)),
        ("timecode", Value::TimeCode(TimeCode { time_and_flags: 1, user_data: 0 })),
        ("pixelAspectRatio", Value::Float(2.0)),
        ("displayWindow", Value::Box2i(Box2i::of_size(3, 3))),
    ] {
        let mut other = more.clone();
        other.parts[1].header.set(name, value);
        let options = WriteOptions::default();
        let e = encode_exr(&other, &options, &mut Vec::new(), &Work::serial()).unwrap_err();
        assert_eq!(e.message(), format!("part 1: {name:?} differs from that of part 0"));
        let options = WriteOptions { shared: Shared::OfFirst, ..options };
        let again = read(&write(&other, &options));
        let [first, second] = [0, 1].map(|i| again.parts[i].header.get(name));
        assert_eq!(first, second);
    }
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let (_, image) = flat_images(Compression::Zip).swap_remove(1);
    let with = |name: &str, value: &Value| {
        let mut image = image.clone();
        image.parts[0].header.set(name, value.clone());
        encode_exr(&image, &WriteOptions::default(), &mut Vec::new(), &Work::serial())
    };
    let far = i32::MAX / 2;
    let window = |min, max| Value::Box2i(Box2i { min, max });
    let code = |numbers: [i32; 7]| Value::KeyCode(KeyCode::from(numbers));
    let fine = [
        ("displayWindow", window([1 - far; 2], [far - 1; 2])),
        ("displayWindow", window([5, 5], [5, 5])),
        ("pixelAspectRatio", Value::Float(1e-6)),
        ("pixelAspectRatio", Value::Float(1e6)),
        ("screenWindowWidth", Value::Float(0.0)),
        ("keyCode", code([99, 99, 999_999, 9999, 119, 15, 120])),
        ("keyCode", code([0, 0, 0, 0, 0, 1, 20])),
    ];
    for (name, value) in fine {
        with(name, &value).unwrap();
    }
    let mut refused = vec![
        ("displayWindow", window([5, 5], [4, 5])),
        ("displayWindow", window([5, 5], [5, 4])),
        ("displayWindow", window([0, -far], [3, 3])),
        ("displayWindow", window([0, 0], [far, 3])),
        ("displayWindow", Value::Int(1)),
        ("pixelAspectRatio", Value::Float(9e-7)),
        ("pixelAspectRatio", Value::Float(1.1e6)),
        ("pixelAspectRatio", Value::Float(1e-40)),
        ("pixelAspectRatio", Value::Float(-1.0)),
        ("pixelAspectRatio", Value::Float(f32::NAN)),
        ("screenWindowWidth", Value::Float(-1.0)),
        // The type decides, not the name.
        ("anything", code([0, 0, 0, 0, 0, 0, 20])),
    ];
    for (i, wrong) in [100, 100, 1_000_000, 10_000, 120, 16, 121].into_iter().enumerate() {
        let mut numbers = [0, 0, 0, 0, 0, 1, 20];
        numbers[i] = wrong;
        refused.push(("keyCode", code(numbers)));
        numbers[i] = -1;
        refused.push(("keyCode", code(numbers)));
    }
    for (name, value) in refused {
        let e = with(name, &value).unwrap_err();
        assert!(e.message().starts_with(&format!("part 0: {name} cannot be ")), "{e}");
        assert!(e.hint_text().unwrap().contains("no other program opens"), "{e}");
    }
}

#[test]
fn the_loss_of_dwa_is_that_of_the_header() {
    let part = |name: &str| {
        let channels = ["B", "G", "R"].map(|name| channel(name, PixelType::Half, 1));
        let mut part = Part::new(Box2i::of_size(64, 40), Compression::Dwaa, channels.to_vec());
        part.set("name", Value::Text(name.into()));
        flat_part(part)
    };
    let image = Image { parts: vec![part("a"), part("b")], ..Image::default() };
    let written = |levels: [Option<f32>; 2], level| {
        let mut image = image.clone();
        for (part, level) in image.parts.iter_mut().zip(levels) {
            if let Some(level) = level {
                part.header.set("dwaCompressionLevel", Value::Float(level));
            }
        }
        write(&image, &WriteOptions { level, ..WriteOptions::default() })
    };
    let pixels =
        |bytes: &[u8]| read(bytes).parts.into_iter().map(|part| part.pixels).collect::<Vec<_>>();
    let [usual, coarse] = [None, Some(5000.0)].map(|level| pixels(&written([None; 2], level)));
    assert!(usual[0] != coarse[0] && usual[1] != coarse[1]);
    // Each part has its own.
    let own = pixels(&written([Some(5000.0), None], None));
    assert!(own[0] == coarse[0] && own[1] == usual[1]);
    assert!(pixels(&written([Some(45.0); 2], None)) == usual);
    // What is asked for counts, and the header does not say otherwise.
    assert!(written([Some(5000.0); 2], Some(90.0)) == written([Some(90.0); 2], None));
    // What is no level says nothing.
    assert!(pixels(&written([Some(f32::NAN), Some(-1.0)], None)) == usual);
}
