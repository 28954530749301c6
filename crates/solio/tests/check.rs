//! Whether files are whole: files that others wrote, cut off at random.
#![allow(clippy::disallowed_methods)] // test files
#![allow(clippy::print_stdout)] // tests say what they skip

use solio::image::CheckOptions;
use solio::{Filter, Result, Rule, Work, check_file, check_found, find_files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn write(path: &Path, bytes: &[u8]) {
    solio_io::probe::write_plain(path, bytes).unwrap();
}

fn check(path: &Path) -> Result<solio::FileCheck> {
    check_found(path, &CheckOptions::default(), &Work::serial())
}

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // PCG of M. O'Neill: a step, then the high bits.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

#[test]
fn random_cuts_of_real_files_are_found() {
    let Some(data) = std::env::var_os("SOLIO_DATA").map(PathBuf::from) else {
        println!("skipped: SOLIO_DATA names no folder");
        return;
    };
    let found = find_files(&[data], &Filter::usual(), &Work::default()).unwrap();
    // Of text every cut at the end of a line is a text, too; of photos from tests of damage some have
    // more behind their picture.
    let kinds = ["exr", "jpeg", "png", "tiff", "gif", "webp", "ply", "stl", "psd", "raf"];
    let whole = |path: &&PathBuf| {
        check(path).is_ok_and(|check| {
            let text = check.format == "stl" && !check.found.contains("triangle");
            check.is_fine() && check.notes.is_empty() && kinds.contains(&check.format) && !text
        })
    };
    let files: Vec<&PathBuf> = found.files.iter().filter(whole).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let mut cuts: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..1000.min(10 * files.len()) {
        let path = files[random.below(files.len() as u64) as usize];
        let format = check(path).unwrap().format;
        let bytes = solio_io::read_whole(path, &Default::default(), &Work::serial()).unwrap();
        let end = 1 + random.below(bytes.len() as u64 - 1) as usize;
        let cut = folder.path().join(path.file_name().unwrap());
        write(&cut, &bytes[..end]);
        let told = check(&cut);
        assert!(told.is_err() || !told.unwrap().is_fine(), "{} cut at {end}", path.display());
        *cuts.entry(format).or_default() += 1;
    }
    println!("found: {cuts:?}");
}

#[test]
fn rules_are_told_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let jpeg = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(20, 10).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
        bytes.into_inner()
    };
    for (name, bytes, rule) in [
        ("empty.exr", &b""[..], Some(Rule::Empty)),
        ("empty.lock", b"", None),
        ("zeros.png", &[0; 9000], Some(Rule::Zeros)),
        ("zeros.bin", &[0; 70], Some(Rule::Zeros)),
        ("photo.png", &jpeg, Some(Rule::Extension)),
        ("photo.jpg", &jpeg, None),
        ("photo.bak", &jpeg, None),
        ("cut.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", Some(Rule::End)),
        ("cut16.obj", b"\xfe\xff\0v\0 \x000\0 \x000\0 \x000", Some(Rule::End)),
        ("whole16.obj", b"\xff\xfev\0 \x000\0 \x000\0 \x000\0\n\0", None),
        ("cut.pbrt", b"WorldBegin\nShape \"sphere\" # a", Some(Rule::End)),
        ("whole.pbrt", b"WorldBegin\nShape \"sphere\"\n", None),
        ("a\nb.jpg", &jpeg, Some(Rule::Name)),
        ("notes.txt", b"no file of a known kind", None),
    ] {
        if let Err(error) = solio_io::check_new_name(&at(name)) {
            println!("without {name:?}: {error}");
            continue;
        }
        write(&at(name), bytes);
        let found = check(&at(name)).unwrap();
        let rules: Vec<Rule> = found.odd.iter().map(|odd| odd.rule).collect();
        assert_eq!(rules, rule.into_iter().collect::<Vec<_>>(), "{name}");
        assert!(found.problems.is_empty(), "{name}");
    }
    write(&at("text.png"), b"hello, this is text");
    let found = check(&at("text.png")).unwrap();
    assert_eq!(found.problems[0].message, "the file does not start as PNG does");
    let work = Work::serial();
    assert!(check_file(&at("notes.txt"), &CheckOptions::default(), &work).is_err());
    let deep = CheckOptions { decode: true, ..CheckOptions::default() };
    assert!(check_file(&at("photo.jpg"), &deep, &work).unwrap().is_fine());
}

#[test]
fn names_in_folders_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "a.0001.x",
        "a.0002.x",
        "a.0004.x",
        "b_v001.x",
        "b_v002.x",
        "b_v005.x",
        "IMG_0001.x",
        "IMG_0002.x",
        "IMG_0004.x",
        "c.1.x",
        "c.2.x",
        "c.3.x",
        "c.03.x",
        "c.04.x",
        "Read.x",
        "READ.x",
        "t.1001.x",
        "t.1002.x",
        "t.1011.x",
    ];
    names.iter().for_each(|name| write(&folder.path().join(name), b"x"));
    let found = find_files(&[folder.path().to_owned()], &Filter::usual(), &Work::serial()).unwrap();
    // Where the folder takes both for one name, only one is there.
    let folds = folder.path().join("rEAD.x").exists();
    let there = names.len() - usize::from(folds);
    assert_eq!((found.files.len(), found.folders.len()), (there, 1));
    let told: Vec<_> = found.folders[0].1.odd.iter().map(ToString::to_string).collect();
    let expected = [
        "missing-frames: a.1-4#.x: 1 of 4 frames are missing: 3",
        "doubles: c.3-4@@.x: frames that are there twice: 3",
        "padding: c.3-4@@.x: other frames of this name have another number of digits",
        "case: READ.x and Read.x differ in case alone",
    ];
    assert_eq!(told, expected[..4 - usize::from(folds)]);
    let missing =
        find_files(&[folder.path().join("gone")], &Filter::usual(), &Work::serial()).unwrap();
    assert_eq!(missing.failed.len(), 1);
}

// Windows has no sockets among its files.
#[cfg(unix)]
#[test]
fn nobody_waits_for_what_comes_out_of_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.x"), b"x");
    let _socket = std::os::unix::net::UnixListener::bind(at("s.x")).unwrap();
    for (name, to) in [("to_file.x", "a.x"), ("to_socket.x", "s.x"), ("to_nothing.x", "gone")] {
        solio_io::probe::symlink(to, at(name)).unwrap();
    }
    let found = find_files(&[folder.path().to_owned()], &Filter::usual(), &Work::serial()).unwrap();
    assert_eq!(found.files, ["a.x", "to_file.x", "to_nothing.x"].map(at));
}

/// What is said of a file: its kind and all that is wrong, or why it could not be looked at.
fn told(path: &Path, decode: bool) -> String {
    let options = CheckOptions { decode, ..CheckOptions::default() };
    match check_file(path, &options, &Work::serial()) {
        Ok(check) => {
            format!("{} {} {:?} {:?}", check.format, check.found, check.problems, check.odd)
        }
        Err(e) => format!("{:?} {}", e.kind(), e.message()),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    let compression = solio::Compression::Gzip;
    let options = solio_io::SinkOptions { compression, level: None, durable: false };
    let mut sink = solio_io::FileSink::create(&path, &options, &Work::serial()).unwrap();
    solio::Sink::write_bytes(&mut sink, &Work::serial(), bytes).unwrap();
    sink.commit().unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn a_stream_is_told_what_a_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let work = Work::default();
    let map = solio::color::gradient::colormap("magma").unwrap();
    let image = solio::gradient_image(&map, [8, 4]).unwrap();
    solio::write_image(&image, &at("a.exr"), &Default::default(), &work).unwrap();
    for name in ["a.jpg", "a.png", "a.tif"] {
        solio::convert_image(&at("a.exr"), &at(name), &Default::default(), &work).unwrap();
    }
    let ramp: Vec<u8> = (0..=255).collect();
    let element = solio::array::Element::U8;
    let array = solio::NamedArray { name: "z", element, axes: &[256], bytes: &ramp };
    solio::write_arrays(&[array], &at("a.solio"), solio::array::Effort::Fast, &work).unwrap();
    write(&at("a.webp"), b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0fourteen bytes");
    write(&at("zeros"), &[0; 5000]);

    let pipe = at("pipe");
    let Ok(made) = std::process::Command::new("mkfifo").arg(&pipe).status() else {
        return println!("skipped: no command mkfifo");
    };
    assert!(made.success());
    let streamed = |bytes: Vec<u8>, decode| {
        let to = pipe.clone();
        // Who does not read on breaks the pipe: no matter.
        let writer = std::thread::spawn(move || std::fs::write(to, bytes).ok());
        let said = told(&pipe, decode);
        writer.join().unwrap();
        said
    };
    for name in ["a.exr", "a.jpg", "a.png", "a.tif", "a.solio", "a.webp", "zeros"] {
        let bytes = std::fs::read(at(name)).unwrap();
        // Without a name that says what it is, but for archives, which need theirs.
        let file = at(if name == "a.solio" { "cut.solio" } else { "cut" });
        for end in
            (8..bytes.len()).step_by(1 + bytes.len() / 40).chain([bytes.len() - 1, bytes.len()])
        {
            write(&file, &bytes[..end]);
            assert_eq!(streamed(bytes[..end].to_vec(), false), told(&file, false), "{name} {end}");
        }
        let deep = streamed(bytes, true);
        assert!(name == "zeros" || deep.ends_with("[] []"), "{name}: {deep}");
    }
    // Packed, what is cut off is told as well.
    for (name, whole) in [("a.exr", "exr"), ("a.jpg", "jpeg"), ("a.png", "png"), ("a.webp", "webp")]
    {
        let bytes = std::fs::read(at(name)).unwrap();
        let packed = at(&format!("{name}.gz"));
        write(&packed, &gzip(&bytes));
        assert_eq!(told(&packed, true), told(&at(name), true), "{name}");
        assert!(told(&packed, false).starts_with(whole));
        write(&packed, &gzip(&bytes[..bytes.len() - 3]));
        write(&at("cut"), &bytes[..bytes.len() - 3]);
        assert_eq!(told(&packed, false), told(&at("cut"), false), "{name}");
        let half = gzip(&bytes);
        write(&packed, &half[..half.len() - 9]);
        assert!(!told(&packed, false).ends_with("[] []"), "{}", told(&packed, false));
    }
    // So is what is not what its name promises.
    for (name, content, words) in [
        ("z.exr.gz", &[0; 5000][..], "all 5000 bytes are zero"),
        ("e.exr.gz", b"", "the file is empty"),
        ("t.png.gz", b"words", "PNG"),
        ("t.psd.gz", b"words", "does not start as PSD does"),
        ("x.png.gz", &std::fs::read(at("a.exr")).unwrap(), "the content is exr"),
    ] {
        write(&at(name), &gzip(content));
        let said = told(&at(name), false);
        assert!(said.contains(words), "{name}: {said}");
    }
    write(&at("z.bin.gz"), &gzip(&[0; 5000]));
    assert!(told(&at("z.bin.gz"), false).contains("all 5000 bytes are zero"));
    for (name, content, words) in [
        ("empty.png.gz", &b""[..], "the file is empty"),
        ("text.exr.gz", b"words", "does not start as GZIP does"),
        ("plain.jpg.gz", &std::fs::read(at("a.png")).unwrap(), "the extension is .gz"),
    ] {
        write(&at(name), content);
        let said = told(&at(name), false);
        assert!(said.contains(words), "{name}: {said}");
    }
    // What would take too much memory has not been looked into.
    let mut large = std::fs::read(at("a.jpg")).unwrap();
    large.resize(3 << 20, 0);
    write(&at("l.jpg.gz"), &gzip(&large));
    let work = Work { memory_bytes: 4 << 20, ..Work::serial() };
    let said = check_found(&at("l.jpg.gz"), &CheckOptions::default(), &work).unwrap_err();
    assert_eq!(said.kind(), solio::ErrorKind::Limit);
    assert!(said.hint_text().unwrap().contains("--mem"), "{said}");
    // Scenes are told by their words, also where they have no name.
    let scene = b"WorldBegin\nShape \"sphere\"\n".to_vec();
    assert!(streamed(scene, false).starts_with("pbrt version 4, 1 file, 1 shape"));
}
