//! `solio dup`, beside `jdupes` and `fdupes` where they are.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // tests have their own files, and say what they skip

mod ran;

use ran::{has, is_name, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

type Groups = BTreeSet<BTreeSet<String>>;

/// Hundreds of files of few contents, many of which differ in one byte.
fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut state = 1u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for n in 0..600 {
        let folder = dir.path().join(format!("{}/{}", n % 7, n % 3));
        fs::create_dir_all(&folder).unwrap();
        let size = [0, 1, 50, 5_000, 16_384, 16_385, 200_000][random(7) as usize];
        let mut bytes: Vec<u8> = (0..size).map(|i| (i % 249) as u8).collect();
        if size > 0 && random(3) == 0 {
            let at = random(size as u64) as usize;
            bytes[at] ^= 1 << random(8);
        }
        fs::write(folder.join(format!("f {n}")), bytes).unwrap();
    }
    dir
}

fn ours(dir: &Path, more: &[&str]) -> Groups {
    let ran = run(dir, &[&["dup", "--json", "."], more].concat(), b"").fine();
    let group = |line: serde_json::Value| {
        let files = line["files"].as_array().unwrap().iter();
        files
            .map(|file| file[0]["path"].as_str().unwrap().trim_start_matches("./").to_owned())
            .collect()
    };
    ran.json().into_iter().map(group).collect()
}

#[test]
fn groups_are_those_of_the_peers() {
    let dir = tree();
    for (tool, args, empty) in [
        ("jdupes", &["-r", "-q", "."][..], false),
        ("jdupes", &["-r", "-q", "-z", "."], true),
        ("fdupes", &["-r", "-q", "-n", "."], false),
    ] {
        let Ok(output) = Command::new(tool).args(args).current_dir(dir.path()).output() else {
            println!("skipped: there is no {tool}");
            continue;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let groups = text.split("\n\n").map(|group| -> BTreeSet<String> {
            let names = group.lines().filter(|line| !line.is_empty());
            names.map(|name| name.trim_start_matches("./").to_owned()).collect()
        });
        let theirs: Groups = groups.filter(|group| group.len() > 1).collect();
        for more in [&[][..], &["--paranoid"], &["-j1", "--order", "name"]] {
            let more = if empty { [more, &["--empty"]].concat() } else { more.to_vec() };
            assert_eq!(ours(dir.path(), &more), theirs, "{tool} {more:?}");
        }
    }
}

#[test]
fn waste_is_told_and_spare_names_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("in")).unwrap();
    fs::write(path("a"), "same").unwrap();
    fs::hard_link(path("a"), path("a2")).unwrap();
    // The end of a line is in no name on Windows.
    let (odd, shown) = if is_name(b"b\n") { ("in/b\n", "\\./in/b\\n") } else { ("in/b", "./in/b") };
    fs::write(path(odd), "same").unwrap();
    fs::write(path("large1"), vec![1; 100_000]).unwrap();
    fs::write(path("large2"), vec![1; 100_000]).unwrap();
    let ran = run(dir.path(), &["dup", "."], b"").fine();
    assert_eq!(
        ran.text(),
        format!(
            "100 kB wasted (2 files of 100 kB)\n  ./large1\n  ./large2\n\
             4 B wasted (2 files of 4 B)\n  ./a = ./a2\n  {shown}\n"
        )
    );
    assert!(
        ran.err.contains("2 groups of equal files among 5 files: 100 kB wasted"),
        "{}",
        ran.err
    );
    let ran = run(dir.path(), &["dup", "-z", "."], b"").fine();
    assert_eq!(ran.out, format!("./large2\0./{odd}\0").as_bytes());
    let ran = run(dir.path(), &["dup", "--min-size", "1K", "--json", "."], b"").fine();
    assert_eq!(ran.json()[0]["wasted_bytes"], 100_000);
    assert_eq!(run(dir.path(), &["dup", "none", "."], b"").code, 1);
    fs::create_dir(path("empty")).unwrap();
    assert_eq!(run(dir.path(), &["dup", "empty"], b"").code, 3);
}

#[test]
fn what_was_named_first_is_not_spare() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["incoming", "originals", "originals/old"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
        fs::write(dir.path().join(folder).join("a"), "same").unwrap();
    }
    let spare = |folders: &[&str]| {
        let ran = run(dir.path(), &[&["dup", "--print0"], folders].concat(), b"").fine();
        ran.text().replace('\0', " ")
    };
    assert_eq!(spare(&["originals", "incoming"]), "originals/old/a incoming/a ");
    assert_eq!(spare(&["incoming", "originals"]), "originals/a originals/old/a ");
    assert_eq!(spare(&["originals/old", "originals"]), "originals/a ");
    assert_eq!(spare(&["originals", "."]), "./originals/old/a ./incoming/a ");
    let old = dir.path().join("originals/old");
    assert_eq!(spare(&[old.to_str().unwrap(), "originals"]), "originals/a ");
}

#[test]
fn a_pipe_is_told_and_not_waited_for() {
    if !has("mkfifo") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "").unwrap();
    assert!(Command::new("mkfifo").arg(dir.path().join("p")).status().unwrap().success());
    let ran = run(dir.path(), &["dup", "--empty", "p", "a"], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("p: this is not a plain file"), "{}", ran.err);
}

#[test]
fn what_fails_is_told_to_programs_too() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "x").unwrap();
    let ran = run(dir.path(), &["dup", "--json", "a", "gone"], b"");
    assert_eq!((ran.code, ran.json().len()), (1, 1));
    assert_eq!(ran.json()[0]["schema"], "solio/failure/1");
    assert_eq!(ran.json()[0]["path"], "gone");
}

fn equal(dir: &Path, names: &[&str]) {
    for name in names {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "the same content").unwrap();
    }
}

#[test]
fn rules_say_which_file_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    equal(path, &["copies/a", "masters/a-longer-name", "z"]);
    let set = |name: &str, year: u64| {
        let file = fs::File::options().write(true).open(path.join(name)).unwrap();
        let at = std::time::Duration::from_secs((year - 1970) * 31_557_600);
        file.set_modified(std::time::UNIX_EPOCH + at).unwrap();
    };
    set("copies/a", 2005);
    set("masters/a-longer-name", 2010);
    set("z", 2020);
    let first = |rules: &[&str]| {
        let rules = rules.iter().flat_map(|rule| ["--keep", rule]);
        let args: Vec<&str> = ["dup", "--json", "."].into_iter().chain(rules).collect();
        let name = &run(path, &args, b"").fine().json()[0]["files"][0][0]["path"];
        name.as_str().unwrap().trim_start_matches("./").replace('\\', "/")
    };
    for (rules, kept) in [
        (&["newest"][..], "z"),
        (&["oldest"], "copies/a"),
        (&["longest"], "masters/a-longer-name"),
        (&["shortest"], "z"),
        (&["path:masters", "newest"], "masters/a-longer-name"),
        (&["path:nothing", "oldest"], "copies/a"),
    ] {
        assert_eq!(first(rules), kept, "{rules:?}");
    }
    assert_eq!(run(path, &["dup", "--keep", "best", "."], b"").code, 2);
}

#[cfg(unix)]
#[test]
fn a_script_removes_all_but_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    equal(path, &["a", "it's a; rm b", "new\nline/c", "-rf"]);
    fs::write(path.join("other"), "something else").unwrap();
    run(path, &["dup", "--keep", "shortest", "--script", "x.sh", "."], b"").fine();
    let ran = Command::new("sh").arg("x.sh").current_dir(path).status().unwrap();
    assert!(ran.success());
    assert_eq!(ran::names(path), ["a", "new\nline", "other", "x.sh"]);
    assert!(ran::names(&path.join("new\nline")).is_empty());
}

#[test]
fn links_are_made_and_undone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    equal(path, &["a", "b", "s/c"]);
    let inode = |name: &str| solio_io::walk::status_of(&path.join(name)).unwrap();
    let before = ["a", "b", "s/c"].map(inode);
    let told = run(path, &["dup", "--link", "--journal", "j", "--json", "."], b"").fine().json();
    assert_eq!((&told[1]["linked"], &told[1]["bytes"]), (&2.into(), &32.into()));
    assert!(["b", "s/c"].iter().all(|name| inode(name).inode == before[0].inode));
    // No second journal over the first.
    equal(path, &["d"]);
    assert_eq!(run(path, &["dup", "--link", "--journal", "j", "."], b"").code, 1);
    // What somebody has made a file of its own meanwhile stays as it is.
    fs::remove_file(path.join("b")).unwrap();
    fs::write(path.join("b"), "another content").unwrap();
    let undone = run(path, &["dup", "--undo", "j", "--json"], b"").fine().json();
    assert_eq!(undone[0]["linked"], 1);
    assert_eq!(fs::read(path.join("b")).unwrap(), b"another content");
    let c = inode("s/c");
    assert!(c.inode != inode("a").inode && c.modified_ns / 1000 == before[2].modified_ns / 1000);
    assert_eq!(c.mode, before[2].mode);
}

#[test]
fn a_catalogue_with_hashes_tells_duplicates_without_reading() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    equal(path, &["r/a", "r/b", "r/s/c"]);
    fs::hard_link(path.join("r/a"), path.join("r/linked")).unwrap();
    for catalog in ["c.sqlite", "c.parquet"] {
        run(path, &["scan", "r", "-o", catalog, "--hash", "xxh128"], b"").fine();
        let told = run(path, &["dup", "--json", "--keep", "longest", catalog], b"").fine().json();
        assert_eq!((told.len(), &told[0]["wasted_bytes"]), (1, &32.into()));
        let files = told[0]["files"].as_array().unwrap();
        assert_eq!(files.iter().map(|names| names.as_array().unwrap().len()).sum::<usize>(), 4);
    }
}
