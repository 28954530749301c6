//! `solio scan s3://…`, run as a user runs it, with a store on loopback.
#![cfg(feature = "objects")]
#![allow(clippy::disallowed_methods)] // test files

mod ran;
mod store;

use ran::Ran;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use store::Store;

fn command(store: &Store, dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio"));
    let is_foreign =
        |name: &str| name.starts_with("AWS_") || name.to_lowercase().ends_with("_proxy");
    for (name, _) in std::env::vars().filter(|(name, _)| is_foreign(name)) {
        command.env_remove(name);
    }
    command.args(args).current_dir(dir).envs(store.variables()).env("XDG_CACHE_HOME", "/no-cache");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), out: output.stdout, err }
}

fn run(store: &Store, dir: &Path, args: &[&str]) -> Ran {
    ran(&mut command(store, dir, args))
}

/// The report of a scan of `root` into `c.sqlite`.
fn scan(store: &Store, dir: &Path, root: &str, more: &[&str]) -> Value {
    let args = [&["scan", root, "-o", "c.sqlite", "--json"], more].concat();
    run(store, dir, &args).fine().json().remove(0)
}

fn numbers(report: &Value) -> [u64; 4] {
    ["files", "looked_at", "unchanged", "removed"].map(|name| report[name].as_u64().unwrap())
}

fn ask(dir: &Path, catalog: &str, sql: &str) -> Vec<Value> {
    ran::run(dir, &["query", catalog, sql, "--json"], b"").fine().json()
}

/// Files of several kinds, some broken, with odd names.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("p/a b/caf\u{e9} %20#?&.obj".into(), b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n".to_vec()),
        ("p/a b/broken.ply".into(), b"ply\nformat ascii 1.0\nelement vertex x\n".to_vec()),
        ("p/a b/empty.exr".into(), Vec::new()),
        ("p/scene.pbrt".into(), b"Film \"rgb\"\nWorldBegin\nShape \"sphere\"\n".to_vec()),
        ("p/zeros.png".into(), vec![0; 3000]),
    ];
    let mut hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 3\n".to_vec();
    hdr.extend([128; 24]);
    files.push(("p/small.hdr".into(), hdr));
    let mut large: Vec<u8> = b"ply\nformat binary_little_endian 1.0\nelement vertex 30000\n\
        property float x\nproperty float y\nproperty float z\nend_header\n"
        .to_vec();
    large.extend((0..90_000u32).flat_map(|n| (n as f32).to_le_bytes()));
    files.push(("p/large.ply".into(), large));
    for n in 0..60 {
        files.push((format!("p/many/beauty.{n:04}.txt"), format!("{n}\n").into_bytes()));
    }
    files
}

#[test]
fn objects_are_rows_as_files_are() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let path = dir.path();
    for (key, bytes) in files() {
        store.put(&key, &bytes);
        let file = path.join(&key);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    let all = files().len() as u64;
    let looks: [&[&str]; 3] =
        [&[], &["--check", "--hash", "xxh128"], &["--deep", "--check", "--fields", "Make", "-j3"]];
    for more in looks {
        let report = scan(&store, path, "s3://shelf/p", &[&["--rebuild"], more].concat());
        assert_eq!(numbers(&report), [all, all, 0, 0]);
        let args = [&["scan", "p", "-o", "local.sqlite", "--rebuild"], more].concat();
        ran::run(path, &args, b"").fine();
        let columns = "SELECT name, size, kind, width, height, parts, channels, compression, \
            vertices, faces, min_x, max_z, sequence, frame, problems, tags, xxh128, level, \
            substr(folder, instr(folder, '/p')) AS below FROM files ORDER BY folder, name";
        let (objects, local) = (ask(path, "c.sqlite", columns), ask(path, "local.sqlite", columns));
        assert_eq!(objects.len(), local.len());
        for (mut object, file) in objects.into_iter().zip(local) {
            // The folder of a test has a name with /p in it now and then.
            let below = file["below"].as_str().unwrap();
            let shown = object["below"].as_str().unwrap();
            assert!(below.ends_with(shown), "{shown} {below}");
            object["below"] = file["below"].clone();
            assert_eq!(object, file, "{more:?}");
        }
    }
    let odd = "SELECT path, modified, inode FROM files WHERE kind = 'obj'";
    let odd = &ask(path, "c.sqlite", odd)[0];
    assert_eq!(odd["path"], "s3://shelf/p/a b/caf\u{e9} %20#?&.obj");
    assert_eq!(odd["modified"], "2024-05-06 07:08:09");
    assert!(odd["inode"].as_u64().unwrap() > 0);
}

#[test]
fn keys_with_empty_parts_are_told_apart() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let keys = ["p/a/b", "p/a//b", "p//a/b", "p/a/b/", "p/a/", "p/tab\tbed", "p/a/./b", "/lead"];
    for (n, key) in keys.iter().enumerate() {
        store.put(key, "x".repeat(n + 1).as_bytes());
    }
    store.put("p/marker/", b"");
    let args = ["scan", "s3://shelf", "-o", "c.sqlite", "--hash", "xxh128", "--json"];
    let done = run(&store, dir.path(), &args);
    // One key cannot be asked for, which is told; the others can.
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("s3://shelf/p/a/./b: a key with a part . or .."), "{}", done.err);
    assert_eq!(numbers(&done.json()[0]), [8, 8, 0, 0]);
    let rows = ask(dir.path(), "c.sqlite", "SELECT path, size, xxh128 FROM files ORDER BY size");
    for (row, (n, key)) in rows.iter().zip(keys.iter().enumerate()) {
        assert_eq!(row["path"], format!("s3://shelf/{key}"));
        assert_eq!(row["size"], n + 1);
        assert_eq!(row["xxh128"].is_null(), key.contains("/./"), "{key}");
    }
    // Only that one is looked at again.
    let report = run(&store, dir.path(), &args).json().remove(0);
    assert_eq!(numbers(&report), [8, 1, 7, 0]);
}

#[test]
fn only_what_was_written_anew_is_asked_for_again() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let path = dir.path();
    for n in 0..5000 {
        store.put(&format!("p/{:02}/{n}.txt", n % 40), format!("{n:05}").as_bytes());
    }
    store.put("other/x.txt", b"x");
    store.put("p.txt", b"x");
    let report = scan(&store, path, "s3://shelf/p/", &[]);
    assert_eq!((numbers(&report), report["folders"].as_u64()), ([5000, 5000, 0, 0], Some(40)));
    assert_eq!(store.requests(), [5, 0, 5000]);
    let most = store.asked().at_once.load(Relaxed);
    assert!((2..=256).contains(&most), "{most} at once");
    let before = ask(path, "c.sqlite", "SELECT * FROM files ORDER BY path");

    assert_eq!(numbers(&scan(&store, path, "s3://shelf/p/", &[])), [5000, 0, 5000, 0]);
    assert_eq!(store.requests(), [5, 0, 0]);
    assert_eq!(ask(path, "c.sqlite", "SELECT * FROM files ORDER BY path"), before);
    let dry = scan(&store, path, "s3://shelf/p/", &["-n", "--paranoid"]);
    assert_eq!((numbers(&dry), store.requests()), ([5000, 5000, 0, 0], [5, 0, 0]));

    store.put("p/07/7.txt", b"other");
    store.put("p/new.txt", b"new");
    store.remove("p/03/3.txt");
    (0..5000).filter(|n| n % 40 == 9).for_each(|n| store.remove(&format!("p/09/{n}.txt")));
    let report = scan(&store, path, "s3://shelf/p", &["--hash", "xxh128", "-n"]);
    assert_eq!(numbers(&report), [4875, 4875, 0, 0]);
    store.requests();
    assert_eq!(numbers(&scan(&store, path, "s3://shelf/p", &[])), [4875, 2, 4873, 126]);
    assert_eq!(store.requests(), [5, 1, 2]);
    let count = |sql: &str| ask(path, "c.sqlite", sql)[0]["n"].as_u64().unwrap();
    assert_eq!(count("SELECT count(*) AS n FROM files"), 4875);
    assert_eq!(count("SELECT count(*) AS n FROM files WHERE folder = 's3://shelf/p/09'"), 0);

    // A part of it is a root, too, and so is one object.
    assert_eq!(numbers(&scan(&store, path, "s3://shelf/p/07", &[])), [125, 0, 125, 0]);
    assert_eq!(numbers(&scan(&store, path, "s3://shelf/p/07/7.txt", &[])), [1, 0, 1, 0]);
    assert_eq!(count("SELECT count(*) AS n FROM files"), 4875);
    store.remove("p/07/7.txt");
    let gone = run(&store, path, &["scan", "s3://shelf/p/07/7.txt", "-o", "c.sqlite"]);
    assert_eq!(gone.code, 1);
    assert!(gone.err.contains("s3://shelf/p/07/7.txt: there is no such object"), "{}", gone.err);
    assert_eq!(count("SELECT count(*) AS n FROM files"), 4874);
}

#[test]
fn parts_merge_to_the_whole_and_a_job_names_the_address() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let path = dir.path();
    files().iter().for_each(|(key, bytes)| store.put(key, bytes));
    store.put("p/a b//twice", b"1");
    let scan = |args: &[&str]| {
        run(&store, path, &[&["scan", "s3://shelf/p"], args].concat()).fine();
    };
    scan(&["-o", "whole.parquet"]);
    scan(&["-o", "1.parquet", "--shard", "1/2"]);
    scan(&["-o", "2.parquet", "--shard", "2/2", "-j", "4"]);
    ran::run(path, &["merge", "1.parquet", "2.parquet", "-o", "both.parquet"], b"").fine();
    let read = |name: &str| std::fs::read(path.join(name)).unwrap();
    assert!(read("both.parquet") == read("whole.parquet"));
    scan(&["-o", "show.parquet", "--openjd", "job.json", "--parts", "2"]);
    let job: Value = serde_json::from_slice(&read("job.json")).unwrap();
    assert_eq!(job["steps"][0]["script"]["actions"]["onRun"]["args"][1], "s3://shelf/p");
}

#[test]
fn of_a_large_object_only_what_is_needed_is_asked_for() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let head = "ply\nformat binary_little_endian 1.0\nelement vertex 16666658\n\
        property float x\nproperty float y\nproperty float z\nend_header\n";
    store.put_large("large.ply", head.as_bytes(), 200_000_000);
    store.put_large("large.bin", b"\x01\x02", 200_000_000);
    scan(&store, dir.path(), "s3://shelf", &[]);
    let rows = ask(dir.path(), "c.sqlite", "SELECT kind, vertices FROM files ORDER BY kind");
    assert_eq!(rows[1]["vertices"], 16_666_658, "{rows:?}");
    let bytes = store.asked().bytes.load(Relaxed);
    assert!(bytes <= 256 << 10, "{bytes} bytes of 400 MB");
}

#[test]
fn an_object_that_goes_before_it_is_asked_for_is_no_row() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    (0..20).for_each(|n| store.put(&format!("{n}.txt"), b"words"));
    store.vanish("7.txt");
    assert_eq!(numbers(&scan(&store, dir.path(), "s3://shelf", &[])), [20, 20, 0, 0]);
    let rows = "SELECT count(*) AS n FROM files";
    assert_eq!(ask(dir.path(), "c.sqlite", rows)[0]["n"], 19);
    store.vanish("8.txt");
    store.put("8.txt", b"words again");
    assert_eq!(numbers(&scan(&store, dir.path(), "s3://shelf", &[])), [19, 1, 18, 1]);
    assert_eq!(ask(dir.path(), "c.sqlite", rows)[0]["n"], 18);
}

#[test]
fn wrong_buckets_users_and_addresses_are_told() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    store.put("p/x.txt", b"x");
    let path = dir.path();
    scan(&store, path, "s3://shelf/p", &[]);
    let told = |command: &mut Command, words: &[&str]| {
        let done = ran(command);
        assert_eq!(done.code, 1, "{}", done.err);
        words.iter().for_each(|word| assert!(done.err.contains(word), "{word}: {}", done.err));
    };
    let of = |root: &str| command(&store, path, &["scan", root, "-o", "c.sqlite"]);
    told(&mut of("s3://other/p"), &["s3://other/p: ", "NoSuchBucket", "AWS_ENDPOINT_URL"]);
    told(&mut of("s3://shelf/q"), &["s3://shelf/q: there is no such object, and none below it"]);
    told(&mut of("s3://"), &["names no bucket", "s3://BUCKET/KEY"]);
    let words = ["s3://shelf/p: ", "InvalidAccessKeyId", "set AWS_ACCESS_KEY_ID"];
    told(of("s3://shelf/p").env("AWS_ACCESS_KEY_ID", "stranger"), &words);
    told(of("s3://shelf/p").env_remove("AWS_ALLOW_HTTP"), &["AWS_ALLOW_HTTP=true"]);
    told(of("s3://shelf/p").env_remove("AWS_SECRET_ACCESS_KEY"), &["AWS_SECRET_ACCESS_KEY"]);
    // What was known of them is kept.
    assert_eq!(ask(path, "c.sqlite", "SELECT path FROM files").len(), 1);
    // Other roots are scanned.
    std::fs::write(path.join("file.txt"), "x").unwrap();
    let both = ["scan", "s3://other", "file.txt", "s3://shelf", "-o", "c.sqlite", "--json"];
    let done = run(&store, path, &both);
    assert_eq!((done.code, &done.json()[0]["files"]), (1, &2.into()));
}

#[test]
fn a_store_that_stops_answering_ends_the_scan_which_goes_on_later() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    let path = dir.path();
    (0..3000).for_each(|n| store.put(&format!("p/{n}.txt"), b"words"));
    run(&store, path, &["scan", "s3://shelf", "-o", "whole.parquet"]).fine();
    store.break_after(1500);
    let args = ["scan", "s3://shelf", "-o", "c.parquet"];
    let done = run(&store, path, &args);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("no answer from the store"), "{}", done.err);
    assert!(!path.join("c.parquet").exists());
    store.break_after(0);
    store.requests();
    let done = run(&store, path, &[&args[..], &["--resume", "--json"]].concat()).fine();
    let [files, looked_at, ..] = numbers(&done.json()[0]);
    assert_eq!((files, looked_at < 1700), (3000, true), "{looked_at} looked at again");
    let read = |name: &str| std::fs::read(path.join(name)).unwrap();
    assert!(read("c.parquet") == read("whole.parquet"));
}

#[test]
fn ctrl_c_ends_a_scan_that_waits() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    (0..100).for_each(|n| store.put(&format!("{n}.txt"), b"words"));
    store.hang(true);
    let child =
        command(&store, dir.path(), &["scan", "s3://shelf", "-o", "c.sqlite"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    store.hang(false);
    let report = scan(&store, dir.path(), "s3://shelf", &["--resume"]);
    assert_eq!(numbers(&report)[0], 100);
}

#[test]
fn many_requests_are_in_flight_where_answers_are_late() {
    let (store, dir) = (Store::new(), tempfile::tempdir().unwrap());
    (0..200).for_each(|n| store.put(&format!("{n}.txt"), b"words"));
    store.be_late(20);
    scan(&store, dir.path(), "s3://shelf", &["-j", "1"]);
    let one = store.asked().at_once.swap(0, Relaxed);
    scan(&store, dir.path(), "s3://shelf", &["-j", "4", "--paranoid"]);
    let four = store.asked().at_once.load(Relaxed);
    assert!((4..=33).contains(&one) && (33..=129).contains(&four), "{one} and {four} at once");
}
