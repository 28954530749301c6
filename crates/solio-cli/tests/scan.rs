//! `solio scan`, `query` and `merge`, run as a user runs them.
#![allow(clippy::disallowed_methods)] // test files

mod ran;

use ran::{Ran, has, is_name, run};
use solio::names::OsStrBytes;
use std::ffi::OsStr;
use std::io::BufRead;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A tree of `files` in folders of 100.
fn tree(files: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..files {
        let folder = dir.path().join(format!("r/{:03}", n / 100));
        if n.is_multiple_of(100) {
            std::fs::create_dir_all(&folder).unwrap();
        }
        let (name, text) = match n % 3 {
            0 => (format!("a.{n:04}.obj"), "v 0 0 0\n".repeat(n % 7 + 1)),
            1 => (format!("{n}.txt"), "words\n".repeat(n % 5 + 1)),
            _ => (format!("{n}.pbrt"), "WorldBegin\n".to_owned()),
        };
        std::fs::write(folder.join(name), text).unwrap();
    }
    dir
}

fn ask(dir: &Path, sql: &str) -> Vec<serde_json::Value> {
    run(dir, &["query", "c.sqlite", sql, "--json"], b"").json()
}

fn scan(dir: &Path, args: &[&str]) -> Ran {
    run(dir, &[&["scan", "r", "-o", "c.sqlite", "--json"], args].concat(), b"")
}

#[test]
fn a_tree_is_asked_about_in_sql() {
    let dir = tree(90);
    let path = dir.path();
    let is_odd = is_name(b"caf\xe9\n.txt");
    let odd = if is_odd { &b"caf\xe9\n.txt"[..] } else { "caf\u{e9}.txt".as_bytes() };
    std::fs::write(path.join("r").join(OsStr::from_bytes(odd)), "x").unwrap();
    let report = &scan(path, &[]).fine().json()[0];
    assert_eq!((&report["files"], &report["looked_at"]), (&91.into(), &91.into()));
    let kinds = ask(path, "SELECT kind, files FROM kinds ORDER BY kind");
    let kinds: Vec<_> =
        kinds.iter().map(|row| (row["kind"].as_str().unwrap(), &row["files"])).collect();
    assert_eq!(kinds, [("obj", &30.into()), ("pbrt", &30.into()), ("text", &31.into())]);
    let odd = ask(path, "SELECT path FROM files WHERE path_bytes IS NOT NULL");
    assert_eq!(odd.len(), usize::from(is_odd));
    assert!(!is_odd || odd[0]["path"].as_str().unwrap().ends_with("/r/caf%E9%0A.txt"));
    let sequences = ask(path, "SELECT sequence, first, last, frames, missing FROM sequences");
    let found = sequences.iter().find(|row| row["sequence"] == "a.#.obj").unwrap();
    assert_eq!(
        (&found["first"], &found["last"], &found["frames"]),
        (&0.into(), &87.into(), &30.into())
    );

    let again = &scan(path, &[]).fine().json()[0];
    assert_eq!((&again["looked_at"], &again["unchanged"]), (&0.into(), &91.into()));

    let names = "SELECT name, size FROM files WHERE name LIKE '1%' ORDER BY name LIMIT 2";
    let plain = run(path, &["query", "c.sqlite", names], b"").fine();
    assert_eq!(plain.text(), "name    size\n1.txt   12\n10.txt  6\n");
    let csv = run(path, &["query", "c.sqlite", names, "--csv"], b"").fine();
    assert_eq!(csv.text(), "name,size\n1.txt,12\n10.txt,6\n");
    let null = run(path, &["query", "c.sqlite", names, "-0"], b"").fine();
    assert_eq!(null.out, b"1.txt\x0010.txt\0");
    assert_eq!(run(path, &["query", "c.sqlite", "SELECT 1 WHERE 0"], b"").code, 3);
    for wrong in ["SELECT * FROM nope", "SELECT nope FROM files", "SELECT path FROM files WHERE"] {
        assert_eq!(run(path, &["query", "c.sqlite", wrong], b"").code, 2, "{wrong}");
    }
    // An object has a name once.
    let twice = "SELECT a.name, b.name FROM files a JOIN files b USING (size)";
    let ran = run(path, &["query", "c.sqlite", twice, "--json"], b"");
    assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains("\"name\""), "{}", ran.err);
    assert!(
        run(path, &["query", "c.sqlite", twice, "--csv"], b"").fine().text().contains("\n1.txt,")
    );
    // Nothing to go on with is told too.
    let told = scan(path, &["--resume"]).fine().json();
    assert_eq!((&told[0]["files"], &told[0]["looked_at"]), (&0.into(), &0.into()));
    // Names go on with the bytes that they have.
    let odd = "SELECT coalesce(path_bytes, path) FROM files WHERE path_bytes IS NOT NULL";
    if is_odd {
        let null = run(path, &["query", "c.sqlite", odd, "-0"], b"").fine();
        assert!(null.out.ends_with(b"/r/caf\xe9\n.txt\0"));
    }
    let wrong = run(path, &["query", "c.sqlite", "DELETE FROM entries"], b"");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("cannot change"), "{}", wrong.err);
    assert!(run(path, &["query", "c.sqlite"], b"").fine().text().contains("sequences\n"));
}

#[test]
fn thumbnails_are_kept_and_follow_a_renamed_file() {
    let dir = tree(0);
    let path = dir.path();
    std::fs::create_dir(path.join("r")).unwrap();
    std::fs::write(path.join("r/a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(path.join("r/a.txt"), "words").unwrap();
    // Asked for later, they are made of files that were seen before.
    scan(path, &["--hash", "xxh128"]).fine();
    scan(path, &["--thumbnails=64"]).fine();
    // And what was known before stays.
    assert_eq!(ask(path, "SELECT xxh128 FROM files WHERE xxh128 IS NOT NULL").len(), 2);
    let both = scan(path, &["--hash", "xxh128", "--thumbnails"]).fine();
    assert_eq!(both.json()[0]["looked_at"], 0);
    let sql = "SELECT path, hex(substr(thumbnail, 1, 3)) AS mark FROM gallery";
    let gallery = ask(path, sql);
    assert_eq!((gallery.len(), &gallery[0]["mark"]), (1, &"FFD8FF".into()));
    std::fs::rename(path.join("r/a.obj"), path.join("r/b.obj")).unwrap();
    assert_eq!(scan(path, &["--thumbnails"]).fine().json()[0]["renamed"], 1);
    let gallery = ask(path, sql);
    assert!(gallery[0]["path"].as_str().unwrap().ends_with("/r/b.obj") && gallery.len() == 1);
    let bytes =
        run(path, &["query", "c.sqlite", "SELECT thumbnail FROM gallery", "-0"], b"").fine();
    assert!(bytes.out.starts_with(b"\xff\xd8\xff"));
}

#[test]
fn unreadable_roots_dry_runs_and_quarantine() {
    let dir = tree(9);
    let path = dir.path();
    let dry = &scan(path, &["-n"]).fine().json()[0];
    assert_eq!(dry["looked_at"], 9);
    assert!(!path.join("c.sqlite").exists());
    let args = ["scan", "r", "missing", "-o", "c.sqlite", "--quarantine", "bad"];
    let ran = run(path, &args, b"");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("missing: cannot look at"), "{}", ran.err);
    let bad = std::fs::read(path.join("bad")).unwrap();
    assert!(bad.ends_with(b"/missing\0"), "{bad:?}");
    let ran = run(path, &["scan", "missing", "-o", "c.sqlite", "--max-errors", "0"], b"");
    assert_eq!(ran.code, 1);
    assert_eq!(run(path, &["scan", "r", "-o", "c.sqlite", "--shard", "0/3"], b"").code, 2);
    let none = run(path, &["scan", "--files-from", "-", "-o", "c.sqlite"], b"");
    assert_eq!(none.code, 3);
    let one = run(
        path,
        &["scan", "-0", "--files-from", "-", "-o", "d.sqlite", "--json"],
        b"r/000/1.txt\0",
    );
    assert_eq!(one.fine().json()[0]["files"], 1);
}

#[test]
fn parts_merge_to_the_bytes_of_one_scan() {
    let dir = tree(600);
    let path = dir.path();
    run(path, &["scan", "r", "-o", "whole.parquet", "-j", "1"], b"").fine();
    for part in ["1/3", "2/3", "3/3"] {
        let name = format!("{}.parquet", &part[..1]);
        run(path, &["scan", "r", "-o", &name, "--shard", part], b"").fine();
    }
    let merged =
        run(path, &["merge", "3.parquet", "1.parquet", "2.parquet", "-o", "m.parquet"], b"");
    assert!(merged.fine().err.contains("600 files from 3 parts"));
    let read = |name: &str| std::fs::read(path.join(name)).unwrap();
    assert!(read("m.parquet") == read("whole.parquet"));
    std::fs::write(path.join("bad.parquet"), &read("m.parquet")[..500]).unwrap();
    let bad = run(path, &["merge", "bad.parquet", "1.parquet", "-o", "m.parquet"], b"");
    assert_eq!(bad.code, 1);
    assert!(bad.err.contains("bad.parquet"), "{}", bad.err);
    assert!(read("m.parquet") == read("whole.parquet"));
}

#[test]
fn a_job_for_farms_gives_the_table_of_one_scan() {
    let dir = tree(200);
    let path = dir.path();
    run(path, &["scan", "r", "-o", "whole.parquet"], b"").fine();
    let args =
        ["scan", "r", "-o", "all.parquet", "--openjd", "job.json", "--parts", "3", "-j", "1"];
    run(path, &args, b"").fine();
    assert!(!path.join("all.parquet").exists());
    let job = std::fs::read_to_string(path.join("job.json")).unwrap();
    let job: serde_json::Value = serde_json::from_str(&job).unwrap();
    let words = |step: usize, part: &str| -> Vec<String> {
        let args = job["steps"][step]["script"]["actions"]["onRun"]["args"].as_array().unwrap();
        let word =
            |arg: &serde_json::Value| arg.as_str().unwrap().replace("{{Task.Param.Part}}", part);
        args.iter().map(word).collect()
    };
    let range = &job["steps"][0]["parameterSpace"]["taskParameterDefinitions"][0]["range"];
    assert_eq!(range, "1-3");
    for part in ["1", "2", "3"] {
        let words = words(0, part);
        run(path, &words.iter().map(String::as_str).collect::<Vec<_>>(), b"").fine();
    }
    let words = words(1, "");
    run(path, &words.iter().map(String::as_str).collect::<Vec<_>>(), b"").fine();
    let read = |name: &str| std::fs::read(path.join(name)).unwrap();
    assert!(read("all.parquet") == read("whole.parquet"));
    assert_eq!(
        run(path, &["scan", "r{{", "-o", "a.parquet", "--openjd", "j", "--parts", "2"], b"").code,
        2
    );
    assert_eq!(
        run(path, &["scan", "r", "-o", "a.parquet", "--openjd", "j", "--parts", "0"], b"").code,
        2
    );
}

/// Kills scans at arbitrary moments; what is left becomes what an uninterrupted scan makes, and what
/// was written is not looked at again.
fn killed(files: usize, kills: u64) {
    let dir = tree(files);
    let path = dir.path();
    run(path, &["scan", "r", "-o", "whole.parquet", "--hash", "xxh128"], b"").fine();
    let args = ["scan", "r", "-o", "c.parquet", "--hash", "xxh128", "-j", "2", "--json"];
    let (mut seed, mut hit) = (1u64, 0);
    for _ in 0..kills {
        let mut child = Command::new(env!("CARGO_BIN_EXE_solio"));
        let child = child.args(args).current_dir(path).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(seed >> 33 & 0x3fff));
        child.kill().unwrap();
        hit += u64::from(!child.wait().unwrap().success());
        if path.join("c.parquet").exists() {
            // It was quicker: from the beginning.
            std::fs::remove_file(path.join("c.parquet")).unwrap();
        }
    }
    assert!(hit > 0);
    let last = &run(path, &args, b"").fine().json()[0];
    assert_eq!(last["files"], files);
    assert_eq!(last["failed"], 0);
    let read = |name: &str| std::fs::read(path.join(name)).unwrap();
    assert!(read("c.parquet") == read("whole.parquet"));
    assert!(!path.join("c.parquet.scan").exists());
}

#[test]
fn killed_scans_end_the_same() {
    killed(500, 12);
}

#[test]
#[ignore = "slow: 200 kills"]
fn two_hundred_killed_scans_end_the_same() {
    killed(5000, 200);
}

/// What a command that goes on says next.
fn told(child: &mut std::process::Child) -> impl FnMut() -> serde_json::Value + use<> {
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    move || serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
}

#[test]
fn a_watched_catalogue_stays_current_until_it_is_interrupted() {
    let dir = tree(30);
    let path = dir.path();
    let mut child = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(["scan", "r", "-o", "c.sqlite", "--json", "--watch", "--stats"])
        .current_dir(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut next = told(&mut child);
    let first = next();
    assert_eq!(first["files"], 30);
    assert!(first["read_bytes"].as_u64().unwrap() > 0 && first["cpu_s"].is_number(), "{first}");
    // In one step, so that it is one round.
    std::fs::write(path.join("new.txt"), "words").unwrap();
    std::fs::rename(path.join("new.txt"), path.join("r/000/new.txt")).unwrap();
    assert_eq!(next()["looked_at"], 1);
    // The catalogue can be asked while it is kept current, and has one writer.
    assert_eq!(ask(path, "SELECT count(*) AS n FROM files")[0]["n"], 31);
    let second = scan(path, &[]);
    assert!(second.code == 1 && second.err.contains("another scan writes"), "{second:?}");
    std::fs::remove_file(path.join("r/000/new.txt")).unwrap();
    assert_eq!(next()["removed"], 1);
    if !has("kill") {
        child.kill().unwrap();
        child.wait().unwrap();
        return; // signals are the rest
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // One file, as after any scan.
    assert!(!path.join("c.sqlite-wal").exists());

    // A hangup that is ignored, as by nohup, does not end it.
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_solio")])
        .args(["scan", "r", "-o", "c.sqlite", "--json", "--watch"])
        .current_dir(path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut next = told(&mut child);
    assert_eq!(next()["files"], 30);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    std::fs::write(path.join("r/000/late.txt"), "words").unwrap();
    assert_eq!(next()["schema"], "solio/scan/1");
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));

    for bad in [["--watch", "--resume"], ["--watch=0", "--check"]] {
        assert_eq!(scan(path, &bad).code, 2, "{bad:?}");
    }
    let parquet = run(path, &["scan", "r", "-o", "c.parquet", "--watch"], b"");
    assert!(parquet.code == 2 && parquet.err.contains("SQLite"), "{parquet:?}");
}

#[test]
fn a_catalogue_is_a_file_and_parquet_is_told() {
    let dir = tree(3);
    for args in [&["scan", "r", "-o", "-"][..], &["merge", "a.sqlite", "-o", "-"]] {
        let ran = run(dir.path(), args, b"");
        assert!(ran.code == 2 && ran.err.contains("a catalogue is a file"), "{}", ran.err);
    }
    assert!(!dir.path().join("-").exists());
    run(dir.path(), &["scan", "r", "-o", "c.parquet"], b"").fine();
    let ran = run(dir.path(), &["query", "c.parquet", "SELECT path FROM files"], b"");
    assert!(ran.code == 1 && ran.err.contains("solio merge"), "{}", ran.err);
}

#[test]
fn roots_with_dots_are_those_without() {
    let dir = tree(3);
    for root in ["r/000/..", "r"] {
        run(dir.path(), &["scan", root, "-o", "c.sqlite"], b"").fine();
    }
    assert_eq!(ask(dir.path(), "SELECT count(*) AS n FROM files")[0]["n"], 3);
    // Behind the last .. links stay what they are called.
    if solio_io::probe::symlink("r", dir.path().join("l")).is_ok() {
        run(dir.path(), &["scan", "r/../l", "-o", "d.sqlite"], b"").fine();
        run(dir.path(), &["scan", "l", "-o", "d.sqlite"], b"").fine();
        let count = "SELECT count(*) AS n FROM files";
        let count = run(dir.path(), &["query", "d.sqlite", count, "--json"], b"");
        assert_eq!(count.json()[0]["n"], 3);
    }
    // A name is a name, whatever it means to SQLite; on Windows this is none.
    if solio_io::check_new_name(":memory:".as_ref()).is_ok() {
        run(dir.path(), &["scan", "r", "-o", ":memory:"], b"").fine();
        run(dir.path(), &["query", ":memory:", "SELECT 1"], b"").fine();
    }
    let ran = scan(dir.path(), &["r/000", "--one-file-system"]).fine();
    assert_eq!(ran.json()[0]["files"], 3);
}
