//! `solio ls`, run as a user runs it.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod ran;

use ran::{Ran, in_words_of_linux, is_name, run};
use solio::names::OsStrBytes;
use std::ffi::OsStr;
use std::path::Path;

fn folder(names: &[&[u8]]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let path = dir.path().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"12345").unwrap();
    }
    dir
}

/// A sequence of 98 frames out of 100.
fn shot() -> tempfile::TempDir {
    let frames = (1001..=1100).filter(|frame| ![1042, 1067].contains(frame));
    let names: Vec<String> = frames.map(|frame| format!("beauty.{frame}.exr")).collect();
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    folder(&names)
}

fn ls(dir: &Path, args: &[&str]) -> Ran {
    run(dir, &[&["ls"], args].concat(), b"")
}

#[test]
fn a_sequence_is_one_line_that_tells_its_holes() {
    let dir = shot();
    let line = "beauty.1001-1100#.exr  98/100  missing 1042,1067\n";
    assert_eq!(ls(dir.path(), &[]).fine().text(), line);
    assert_eq!(ls(dir.path(), &["."]).fine().text(), line);
    let long = ls(dir.path(), &["--long"]).fine();
    assert_eq!(long.text(), format!("    490 B  {line}"));
    let found = &ls(dir.path(), &["--json", "-l"]).fine().json()[0];
    assert_eq!(found["path"], "beauty.1001-1100#.exr");
    assert_eq!(found["frames"], "1001-1041,1043-1066,1068-1100");
    assert_eq!((&found["present"], &found["expected"]), (&98.into(), &100.into()));
    assert_eq!((&found["missing"], &found["bytes"]), (&"1042,1067".into(), &490.into()));
    let names: Vec<String> = (1001..=1003).map(|frame| format!("beauty.{frame}.exr")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(ls(dir.path(), &names).fine().text(), "beauty.1001-1003#.exr  3/3\n");
}

#[test]
fn odd_padding_doubles_tiles_and_steps_are_told() {
    let dir = folder(&[
        b"9.exr",
        b"010.exr",
        b"11.exr",
        b"a.1.png",
        b"a.01.png",
        b"a.02.png",
        b"t.1001.tif",
        b"t.1002.tif",
        b"t.1011.tif",
        b"x.1.obj",
        b"x.3.obj",
        b"x.5.obj",
        b"x.9.obj",
        b"one.7.exr",
        b".hidden",
        b"sub/inner.txt",
    ]);
    let lines = "\
9-11@.exr  2/3  missing 10
10@@@.exr  1/1  odd padding
a.1@.png  1/1  odd padding  doubles 1
a.1-2@@.png  2/2
one.7.exr
sub/
t.1001-1002,1011<UDIM>.tif  3 tiles
x.1-9x2@.obj  4/5  missing 7
";
    assert_eq!(ls(dir.path(), &[]).fine().text(), lines);
    assert!(ls(dir.path(), &["-a"]).fine().text().contains("\n.hidden\n"));
    let below = ls(dir.path(), &["-r"]).fine();
    assert!(below.text().ends_with("4/5  missing 7\nsub/inner.txt\n"), "{}", below.text());
}

#[test]
fn patterns_select_and_say_what_is_expected() {
    let dir = shot();
    let missing = "beauty.1001-1102#.exr  98/102  missing 1042,1067,1101-1102\n";
    for pattern in ["beauty.1001-1102#.exr", "beauty.1001-1102####.exr", "beauty.1001-1102%04d.exr"]
    {
        assert_eq!(ls(dir.path(), &[pattern]).fine().text(), missing, "{pattern}");
    }
    let all = "beauty.1001-1100#.exr  98/100  missing 1042,1067\n";
    for pattern in ["beauty.$F4.exr", "beauty.@@@@.exr", "b*.exr", "*.#.exr", "{beauty,z}.#.e?r"] {
        assert_eq!(ls(dir.path(), &[pattern]).fine().text(), all, "{pattern}");
    }
    let tiles = ls(dir.path(), &["beauty.1001-1003<UDIM>.exr"]).fine();
    assert_eq!(tiles.text(), "beauty.1001-1003<UDIM>.exr  3 tiles\n");
    let none = ls(dir.path(), &["beauty.1-3#.exr"]).fine();
    assert_eq!(none.text(), "beauty.1-3#.exr  0/3  missing 1-3\n");
    let above = dir.path().parent().unwrap();
    let name = dir.path().file_name().unwrap().to_str().unwrap();
    let found = ls(above, &["-r", &format!("{name}/*.#.exr")]).fine();
    assert_eq!(found.text(), format!("{name}/{all}"));
}

#[test]
fn what_is_not_there_is_named_and_the_rest_is_listed() {
    let dir = shot();
    let ran = ls(dir.path(), &["gone", "none.#.exr", "[", "beauty.#.exr"]);
    assert_eq!(ran.code, 1);
    assert!(ran.text().starts_with("beauty."), "{}", ran.text());
    let err = in_words_of_linux(&ran.err);
    assert!(err.contains("solio: gone: cannot look at: No such file"), "{err}");
    assert!(ran.err.contains("solio: none.#.exr: nothing matches this pattern"), "{}", ran.err);
    assert!(ran.err.contains("solio: [: the pattern: "), "{}", ran.err);
    let told = ls(dir.path(), &["--json", "gone", "none.#.exr", "beauty.#.exr"]).json();
    let told: Vec<_> = told.iter().map(|line| (&line["schema"], &line["path"])).collect();
    let failed = "solio/failure/1".into();
    assert_eq!(told[1..], [(&failed, &"gone".into()), (&failed, &"none.#.exr".into())]);
    assert_eq!(ls(dir.path(), &["none.#.exr"]).code, 3);
    let list = run(dir.path(), &["ls", "-0", "--files-from", "-"], b"beauty.1001.exr\0");
    assert_eq!(list.fine().text(), "beauty.1001.exr\n");
}

#[test]
fn names_survive_whatever_their_bytes() {
    if !is_name(b"caf\xe9\n") {
        return println!("skipped: names are text here");
    }
    let dir = folder(&[b"caf\xe9.1.exr", b"caf\xe9.2.exr", b"two\nlines"]);
    let ran = ls(dir.path(), &[]).fine();
    assert_eq!(ran.out, b"caf\xe9.1-2@.exr  2/2\ntwo\nlines\n");
    let ran = ls(dir.path(), &["--print0"]).fine();
    assert_eq!(ran.out, b"caf\xe9.1-2@.exr\0two\nlines\0");
    let found = ls(dir.path(), &["--json"]).fine().json();
    assert_eq!(found[0]["path_encoded"], "caf%E9.1-2%40.exr");
    assert_eq!(found[1]["path"], "two\nlines");
    assert!(found[1].get("path_encoded").is_none());
}

/// What is printed is read again.
#[test]
fn lists_of_sequences_are_read_by_other_commands() {
    let dir = folder(&[b"s.0001.png", b"s.0002.png", b"s.0004.png"]);
    let list = ls(dir.path(), &["--print0"]).fine().out;
    let args = ["convert", "-n", "-0", "--files-from", "-", "-o", "out/", "--format", "png"];
    let ran = run(dir.path(), &args, &list);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for frame in ["s.0001.png", "s.0002.png", "s.0004.png"] {
        assert!(ran.text().contains(frame) || ran.err.contains(frame), "{}{}", ran.text(), ran.err);
    }
}

/// Of whatever names: what stands before the number may look like a part of the range.
#[test]
fn no_file_of_a_list_is_lost_or_mistaken() {
    let names: [&[u8]; 18] = [
        b"2024-01-05.png",
        b"2024-01-06.png",
        b"2024-01-07.png",
        b"1-0001.png",
        b"1-0003.png",
        b"1-0007.png",
        b"shot_v2-0001.png",
        b"shot_v2-0002.png",
        b"a.0001.ex#r",
        b"a.0002.ex#r",
        b"4x01.png",
        b"4x02.png",
        b"t.01001.tif",
        b"t.01002.tif",
        b"t.01011.tif",
        b"s.1-2#.png",
        b"s.0001.png",
        b"s.0002.png",
    ];
    let dir = folder(&names);
    let list = ls(dir.path(), &["--print0"]).fine().out;
    let args = ["convert", "-n", "-0", "--files-from", "-", "-o", "out/", "--format", "exr"];
    let ran = run(dir.path(), &args, &list).fine();
    let mut told: Vec<&str> =
        ran.text().lines().filter_map(|line| line.split(" -> ").next()).collect();
    told.sort_unstable();
    let mut wanted = names.map(|name| std::str::from_utf8(name).unwrap());
    wanted.sort_unstable();
    assert_eq!(told, wanted);
    // Nor is one made up: a pattern without a frame names no file.
    assert_eq!(ls(dir.path(), &["--print0", "b.1-3#.exr"]).fine().out, b"");
}

/// What `convert` takes, others take, too.
#[test]
fn every_command_of_files_takes_patterns() {
    let names: [&[u8]; 3] = [b"s.0001.obj", b"s.0002.obj", b"s.0004.obj"];
    let dir = folder(&[]);
    for name in names.map(|name| std::str::from_utf8(name).unwrap()) {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let told = |args: &[&str], input: &[u8]| {
        let ran = run(dir.path(), args, input);
        for name in names.map(|name| std::str::from_utf8(name).unwrap()) {
            assert!(ran.text().contains(name), "{args:?}: {}{}", ran.text(), ran.err);
        }
        ran
    };
    for pattern in ["s.####.obj", "s.%04d.obj", "s.@@@@.obj", "s.1,2,4#.obj"] {
        assert_eq!(told(&["info", "--json", pattern], b"").code, 0);
    }
    assert_eq!(told(&["hash", "s.#.obj"], b"").code, 0);
    assert_eq!(told(&["meta", "--json", "s.#.obj"], b"").code, 0);
    assert_eq!(told(&["dup", "s.#.obj"], b"").code, 0);
    let list = ls(dir.path(), &["--print0"]).fine().out;
    assert_eq!(told(&["info", "--json", "-0", "--files-from", "-"], &list).code, 0);
    // A hole is a problem of the sequence, as it is one of the folder.
    let ran = told(&["check", "s.####.obj"], b"");
    assert_eq!(ran.code, 1);
    assert!(
        ran.text().contains("s.####.obj: 1 problem\n  missing-frames: s.1-4#.obj: 1 of 4"),
        "{}",
        ran.text()
    );
    assert_eq!(ran.err, "solio: frames of 1 of 1 sequences are missing\n");
    assert_eq!(told(&["check", "--ignore", "missing-frames", "s.####.obj"], b"").code, 0);
    assert_eq!(told(&["check", "s.1-4#.obj"], b"").code, 1);
    // A file that is called like a pattern is itself meant.
    std::fs::write(dir.path().join("s.#.obj"), "v 0 0 0\n").unwrap();
    let ran = run(dir.path(), &["hash", "s.#.obj"], b"").fine();
    assert_eq!(ran.text().lines().count(), 1);
    let ran = run(dir.path(), &["info", "none.####.obj"], b"");
    assert!(ran.code == 1 && ran.err.contains("no frame matches"), "{}", ran.err);
}

#[test]
fn a_pattern_without_frames_is_told_beside_files() {
    let dir = folder(&[b"b.0001.png"]);
    let convert = |inputs: &[&str]| {
        let more = ["-n", "-o", "out/", "--format", "exr"];
        run(dir.path(), &[&["convert"], inputs, &more].concat(), b"")
    };
    let ran = convert(&["none.####.png", "b.0001.png"]);
    assert_eq!((ran.code, ran.text()), (1, "b.0001.png -> out/b.0001.exr\n"));
    assert_eq!(ran.err, "solio: none.####.png: nothing matches this pattern\n");
    let ran = convert(&["none.####.png"]);
    assert_eq!((ran.code, &*ran.err), (3, "solio: no frames match none.####.png\n"));
}

#[test]
fn a_range_counts_beside_wildcards_too() {
    let names = ["ab.0001.exr", "ab.0002.exr", "ab.0003.exr", "ac.0002.exr", "ad.0009.exr"];
    let dir = folder(&names.map(str::as_bytes));
    let lines = ls(dir.path(), &["a*.1-3#.exr"]).fine();
    assert_eq!(lines.text(), "ab.1-3#.exr  3/3\nac.1-3#.exr  1/3  missing 1,3\n");
    let names = ls(dir.path(), &["--print0", "a*.1-2#.exr"]).fine();
    assert_eq!(names.text(), "ab.1-2#.exr\0ac.2#.exr\0");
    let dir = folder(&[b"a.-002.exr", b"a.-001.exr", b"a.0000.exr", b"a.0001.exr"]);
    let lines = ls(dir.path(), &["*.-2-1#.exr"]).fine();
    assert_eq!(lines.text(), "a.-2-1#.exr  4/4\n");
    // Names that look like patterns are handed on one by one.
    let dir = folder(&[b"a[1].0001.exr", b"a[1].0002.exr"]);
    let handed = ls(dir.path(), &["--print0"]).fine();
    assert_eq!(handed.text(), "a[1].0001.exr\0a[1].0002.exr\0");
}
