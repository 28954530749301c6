//! What a catalogue sees of files, and what its commands print of them.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod ran;

use ran::{Ran, has, run};
use solio_io::probe::symlink;
use std::path::Path;
use std::process::Command;

fn scan(dir: &Path, args: &[&str]) -> Ran {
    run(dir, &[&["scan", "-o", "c.sqlite", "--json"], args].concat(), b"")
}

fn ask(dir: &Path, sql: &str) -> Vec<serde_json::Value> {
    run(dir, &["query", "c.sqlite", sql, "--json"], b"").json()
}

/// Sets a file's time of modification to one that is always the same.
fn put_time_back(path: &Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_577_836_800);
    file.set_modified(then).unwrap();
}

#[test]
fn content_that_changes_within_its_time_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("r")).unwrap();
    let file = path.join("r/f");
    let write = |text: &str| {
        std::fs::write(&file, text).unwrap();
        put_time_back(&file);
    };
    let hash = || ask(path, "SELECT xxh128 FROM files")[0]["xxh128"].clone();
    write("aaaa\n");
    scan(path, &["r", "--hash", "xxh128"]).fine();
    let first = hash();
    assert_eq!(scan(path, &["r"]).fine().json()[0]["unchanged"], 1);
    write("bbbb\n");
    assert_eq!(scan(path, &["r", "--hash", "xxh128"]).fine().json()[0]["looked_at"], 1);
    assert_ne!(hash(), first);
    // Without a hash being asked for, none is better than one that is wrong.
    write("cccc\n");
    scan(path, &["r"]).fine();
    assert!(hash().is_null());
    // Another size within the same time.
    write("more bytes\n");
    scan(path, &["r"]).fine();
    assert_eq!(ask(path, "SELECT size FROM files")[0]["size"], 11);
}

#[test]
fn links_blocks_owner_and_targets_are_columns_and_sums_count_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    ["r/a", "r/b"].iter().for_each(|name| std::fs::create_dir_all(path.join(name)).unwrap());
    let sparse = std::fs::File::create(path.join("r/a/f.1.dat")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    ["r/b/f", "r/a/f.2.dat"]
        .iter()
        .for_each(|name| std::fs::hard_link(path.join("r/a/f.1.dat"), path.join(name)).unwrap());
    if let Err(error) = symlink("a/f.1.dat", path.join("r/link")) {
        return println!("skipped: no symbolic links ({error})");
    }
    let told = scan(path, &["r"]).fine().json();
    let (link, _) = solio_io::walk::status_of_name(&path.join("r/link")).unwrap();
    let bytes = (10u64 << 30) + link.size;
    let found = solio_io::walk::status_of(&path.join("r/b/f")).unwrap();
    assert_eq!((&told[0]["files"], &told[0]["bytes"]), (&4.into(), &bytes.into()));
    let allocated = (found.blocks + link.blocks) * 512;
    assert_eq!(told[0]["allocated"], allocated);
    let row = &ask(path, "SELECT * FROM files WHERE name = 'f'")[0];
    for (column, value) in [
        ("links", 3),
        ("blocks", found.blocks),
        ("allocated", found.blocks * 512),
        ("mode", found.mode.into()),
        ("owner", found.owner.into()),
        ("owner_group", found.group.into()),
        ("device", found.device),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    assert_eq!(row["changed_ns"], found.changed_ns.unwrap());
    let link = &ask(path, "SELECT target, kind FROM files WHERE name = 'link'")[0];
    assert_eq!((&link["target"], &link["kind"]), (&"a/f.1.dat".into(), &"link".into()));
    let once = |sql: &str| ask(path, sql)[0]["bytes"].as_u64().unwrap();
    assert_eq!(once("SELECT max(bytes) AS bytes FROM kinds"), 10 << 30);
    assert_eq!(once("SELECT bytes FROM folder_sizes WHERE folder LIKE '%/r/a'"), 10 << 30);
    assert_eq!(once("SELECT bytes FROM sequences"), 10 << 30);
    let list = run(path, &["ls", "-l", "--json", "r/a"], b"").fine().json();
    assert_eq!(list[0]["bytes"], 10u64 << 30);
}

#[test]
fn a_list_of_many_files_takes_as_long_the_second_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("w")).unwrap();
    let mut list = Vec::new();
    for n in 0..20_000 {
        let name = path.join(format!("w/{n}"));
        std::fs::File::create(&name).unwrap();
        list.extend_from_slice(name.as_os_str().as_encoded_bytes());
        list.push(b'\n');
    }
    std::fs::write(path.join("list"), list).unwrap();
    let timed = |args: &[&str]| scan(path, args).fine().json()[0]["wall_s"].as_f64().unwrap();
    let first = timed(&["--files-from", "list"]);
    let again = timed(&["--files-from", "list"]);
    // It was a hundred times the first.
    assert!(again < 2.0 * first + 2.0, "{first} s, then {again} s");
    assert_eq!(scan(path, &["--files-from", "list"]).json()[0]["unchanged"], 20_000);
}

#[test]
fn paths_of_more_than_4096_bytes_are_walked() {
    if !has("sh") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    // As a shell does: a step at a time.
    let make = "mkdir d && cd d && for i in $(seq 120); do mkdir $0 && cd -P $0 || exit 1; done; \
        printf 'v 0 0 0\\n' > leaf.obj; printf words > other.txt";
    let name = "d".repeat(60);
    let made = Command::new("sh").args(["-c", make, &name]).current_dir(path).status().unwrap();
    assert!(made.success());
    for _ in 0..2 {
        let told = scan(path, &["d", "--hash", "xxh128", "--deep"]).fine().json();
        assert_eq!((&told[0]["files"], &told[0]["folders"]), (&2.into(), &121.into()));
    }
    let rows = ask(path, "SELECT kind, vertices FROM files WHERE name = 'leaf.obj'");
    assert_eq!((&rows[0]["kind"], &rows[0]["vertices"]), (&"obj".into(), &1.into()));
    let list = run(path, &["ls", "-r", "-l", "--json", "d"], b"").fine().json();
    assert_eq!(list.len(), 2);
    let checked = run(path, &["check", "--json", "d"], b"").fine().json();
    let is_leaf =
        |path: &serde_json::Value| path.as_str().is_some_and(|p| p.ends_with("/leaf.obj"));
    assert_eq!(checked.iter().filter(|line| is_leaf(&line["path"])).count(), 1);
    run(path, &["hash", "d"], b"").fine();
    for _ in 0..2 {
        let told = &run(path, &["hash", "--mhl", "--json", "d"], b"").fine().json()[0];
        assert_eq!((&told["files"], &told["problems"]), (&2.into(), &0.into()));
    }
    run(path, &["hash", "--verify", "d"], b"").fine();
    // Taken away in the same way.
    let clear = Command::new("rm").args(["-rf", "d"]).current_dir(path).status().unwrap();
    assert!(clear.success());
}

#[test]
fn cells_of_any_size_are_printed_and_spreadsheets_get_no_formulas() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("r")).unwrap();
    for name in ["=1+1", "+a", "-b", "@c", "plain"] {
        std::fs::write(path.join("r").join(name), "x").unwrap();
    }
    scan(path, &["r"]).fine();
    let query = |args: &[&str]| run(path, &[&["query", "c.sqlite"], args].concat(), b"").fine();
    let wide = query(&["SELECT printf('%.*c', 70000, 'x') AS a, 1 AS b"]);
    assert!(wide.text().lines().all(|line| line.len() == 70_003), "{}", wide.text().len());
    let names = "SELECT name, -1 AS n FROM files ORDER BY name";
    let raw = query(&[names, "--csv"]);
    assert_eq!(raw.text(), "name,n\n+a,-1\n-b,-1\n=1+1,-1\n@c,-1\nplain,-1\n");
    let safe = query(&[names, "--csv-safe"]);
    assert_eq!(safe.text(), "name,n\n'+a,-1\n'-b,-1\n'=1+1,-1\n'@c,-1\nplain,-1\n");
}

/// What a command writes to a terminal.
fn on_terminal(dir: &Path, line: &str) -> Option<String> {
    let solio = env!("CARGO_BIN_EXE_solio");
    let line = line.replace("solio", &format!("'{solio}'"));
    let mut script = Command::new("script");
    let script = script.args(["-qec", &line, "/dev/null"]).current_dir(dir);
    let ran = script.env("TERM", "xterm").stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn names_do_not_drive_a_terminal() {
    if !has("script") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("e")).unwrap();
    let name = "a\x1b]0;pwned\x07\x1b[2J\nb\u{9b}";
    let mesh = path.join("e").join(format!("{name}.obj"));
    std::fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(path.join("e").join(format!("{name}.exr")), "x").unwrap();
    let pattern = "e/*.obj";
    let bad = "e/*.exr";
    for line in [
        "solio check e".to_owned(),
        "solio ls e".to_owned(),
        "solio ls -r e".to_owned(),
        format!("solio info {pattern}"),
        format!("solio info {bad}"),
        format!("solio convert {pattern} -o out.ply"),
        format!("solio convert {bad} -o out.png"),
        format!("solio meta {bad}"),
        format!("solio cat {bad} {bad}x"),
        "solio hash e".to_owned(),
        "solio dup e e".to_owned(),
        "solio scan e -o t.sqlite --progress bar".to_owned(),
        "solio query t.sqlite 'SELECT path FROM files'".to_owned(),
        format!("solio preview {bad} -o p.png --progress bar"),
        "solio scan e/nothing* -o t.sqlite".to_owned(),
    ] {
        let Some(shown) = on_terminal(path, &line) else {
            return println!("skipped: there is no script");
        };
        for driven in ["\x1b]0;", "\x07", "\x1b[2J", "\u{9b}"] {
            assert!(!shown.contains(driven), "{line}: {shown:?}");
        }
    }
    let shown = on_terminal(path, "solio ls e").unwrap();
    assert!(shown.contains("a\\x1b]0;pwned\\x07\\x1b[2J\\nb\\u{9b}.obj"), "{shown:?}");
    // In a pipe names are as they are.
    let piped = run(path, &["ls", "e"], b"").fine();
    assert!(piped.text().contains(name), "{:?}", piped.text());
    assert!(run(path, &["check", "e"], b"").text().contains(name));
}

#[test]
fn no_link_leads_out_of_an_output_folder() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(path.join("a.obj"), mesh).unwrap();
    std::fs::write(path.join("outside"), "precious").unwrap();
    let exr = ["gradient", "viridis", "-o", "a.png"];
    run(path, &exr, b"").fine();
    run(path, &["convert", "a.png", "-o", "a.exr"], b"").fine();
    std::fs::create_dir_all(path.join("sub")).unwrap();
    std::fs::copy(path.join("a.exr"), path.join("sub/a.exr")).unwrap();
    run(path, &["pack", "sub/a.exr", "-o", "a.solio"], b"").fine();
    let names = run(path, &["info", "a.solio", "--json"], b"").fine().json();
    let name = names[0]["entries"][0]["name"].as_str().unwrap().to_owned();
    for (args, file) in [
        (vec!["unpack", "a.solio", "-o", "out"], &*name),
        (vec!["convert", "a.obj", "a.obj", "-o", "out", "--format", "ply"], "a.ply"),
        (vec!["convert", "a.obj", "-o", "out/", "--format", "stl"], "a.stl"),
        (vec!["convert", "a.exr", "-o", "out/"], "a.exr"),
        (vec!["preview", "a.obj", "-o", "out/"], "a.png"),
        (vec!["set", "a.exr", "owner=me", "-o", "out/"], "a.exr"),
    ] {
        let _ = std::fs::remove_dir_all(path.join("out"));
        let place = path.join("out").join(file);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        if let Err(error) = symlink(path.join("outside"), &place) {
            return println!("skipped: no symbolic links ({error})");
        }
        let ran = run(path, &args, b"");
        assert_ne!(ran.code, 0, "{args:?}");
        assert_eq!(std::fs::read_to_string(path.join("outside")).unwrap(), "precious", "{args:?}");
    }
    // Nor does a folder that is a link.
    if let Some((folder, _)) = name.split_once('/') {
        std::fs::remove_dir_all(path.join("out")).unwrap();
        std::fs::create_dir_all(path.join("out")).unwrap();
        std::fs::create_dir_all(path.join("elsewhere")).unwrap();
        symlink(path.join("elsewhere"), path.join("out").join(folder)).unwrap();
        assert_eq!(run(path, &["unpack", "a.solio", "-o", "out"], b"").code, 1);
        assert_eq!(std::fs::read_dir(path.join("elsewhere")).unwrap().count(), 0);
    }
}

#[test]
fn a_study_of_another_program_is_held_or_refused() {
    if !has("cat") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::write(path.join("r.bin"), vec![7; 40_000_000]).unwrap();
    let study = ["study", "--bandwidths", "20M,100M", "--rounds", "1", "--json"];
    let by_default = run(path, &[&study[..], &["--", "cat", "r.bin"]].concat(), b"");
    if by_default.code == 0 {
        let found = &by_default.json()[0];
        let curve = &found["curves"][0];
        assert!(found["how"] == "calls" || found["how"] == "cgroup", "{found}");
        for point in curve["points"].as_array().unwrap() {
            let [Some(rate), Some(bytes)] = ["bandwidth", "read_bytes"].map(|n| point[n].as_f64())
            else {
                continue;
            };
            // Never faster than the bound: the first bytes are held as well.
            let wall_s = point["low_s"].as_f64().unwrap();
            assert!(bytes >= 4e7 && wall_s * rate >= bytes * 0.98, "{point}");
        }
        assert_eq!(curve["files"].as_u64().map(|files| files > 0), Some(true));
    } else {
        assert_eq!(by_default.code, 1, "{}", by_default.err);
        assert!(by_default.err.contains("--how cgroup"), "{}", by_default.err);
    }
    let bucket = [&study[..], &["--how", "bucket", "--", "cat", "r.bin"]].concat();
    let bucket = run(path, &bucket, b"");
    assert_eq!(bucket.code, 1, "{}", bucket.err);
    assert!(bucket.err.contains("nothing held it"), "{}", bucket.err);
}

fn make(dir: &Path, names: &[&str]) {
    for name in names {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, name.as_bytes()).unwrap();
    }
}

fn paths(dir: &Path) -> Vec<String> {
    let rows = ask(dir, "SELECT path FROM files ORDER BY path");
    let below = |row: &serde_json::Value| {
        let path = row["path"].as_str().unwrap().replace('\\', "/");
        path.rsplit_once("/r/").unwrap().1.to_owned()
    };
    rows.iter().map(below).collect()
}

#[test]
fn what_is_left_out_is_excluded_and_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    make(
        path,
        &["r/a.obj", "r/cache/b.obj", "r/cache/c.obj", "r/d.tmp", "r/@eaDir/t", "r/.DS_Store"],
    );
    let first = scan(path, &["r", "--hash", "xxh128", "--all"]).fine().json();
    assert_eq!(first[0]["files"], 6);
    // Two rules, and the names that nobody means.
    let leave = ["r", "--exclude", "cache/", "--exclude", "*.tmp"];
    let told = scan(path, &leave).fine().json();
    assert_eq!((&told[0]["excluded"], &told[0]["removed"]), (&5.into(), &0.into()), "{told:?}");
    assert_eq!(paths(path), ["a.obj"]);
    assert_eq!(ask(path, "SELECT count(*) AS n FROM gone WHERE why = 'excluded'")[0]["n"], 5);
    // Once more: nothing is left to exclude.
    assert_eq!(scan(path, &leave).fine().json()[0]["excluded"], 0);
    // Without the rules they are back with their hashes, though none is asked for, and not opened.
    let back = scan(path, &["r", "--all"]).fine().json();
    assert_eq!((&back[0]["excluded"], &back[0]["removed"]), (&0.into(), &0.into()));
    assert_eq!(ask(path, "SELECT count(xxh128) AS n FROM files")[0]["n"], 6);
    assert_eq!(ask(path, "SELECT count(*) AS n FROM gone")[0]["n"], 0);
    // What is excluded and goes meanwhile is gone when somebody looks again.
    scan(path, &leave).fine();
    std::fs::remove_file(path.join("r/cache/b.obj")).unwrap();
    scan(path, &["r"]).fine();
    assert_eq!(paths(path), ["a.obj", "cache/c.obj", "d.tmp"]);
}

#[test]
fn history_tells_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    make(path, &["r/a", "r/b", "r/s/c", "r/s/d", "r/e"]);
    let diff = |args: &[&str]| {
        let ran = run(path, &[&["scan", "-o", "c.sqlite", "--diff"], args].concat(), b"");
        let lines = ran.text().lines().map(|line| line.replace('\\', "/"));
        let short = |line: String| line.replace(&format!("{}/", path.join("r").display()), "");
        lines.map(short).collect::<Vec<_>>()
    };
    // All files of the first scan are new: it says so in one number.
    assert_eq!(diff(&["r", "--hash", "xxh128"]), [""; 0]);
    assert_eq!(ask(path, "SELECT added, state FROM scan_list")[0]["added"], 5);
    std::fs::write(path.join("r/a"), "longer than before").unwrap();
    std::fs::remove_file(path.join("r/b")).unwrap();
    std::fs::rename(path.join("r/s/c"), path.join("r/moved")).unwrap();
    std::fs::write(path.join("r/new"), "1").unwrap();
    let lines = diff(&["r", "--hash", "xxh128", "--exclude", "e"]);
    assert_eq!(lines, ["M a  3 B -> 18 B", "- b", "x e", "R s/c -> moved", "+ new"]);
    assert_eq!(diff(&["r", "--exclude", "e"]), [""; 0]);
    let since = run(path, &["query", "c.sqlite", "--since", "1", "--json"], b"").fine().json();
    assert_eq!(
        since.iter().map(|it| &it["what"]).collect::<Vec<_>>(),
        ["changed", "removed", "excluded", "moved", "added"]
    );
    assert_eq!(
        run(path, &["query", "c.sqlite", "--since", "1h", "--csv"], b"")
            .fine()
            .text()
            .lines()
            .count(),
        6
    );
    // Two hours from now nothing will have changed yet.
    let none = run(path, &["query", "c.sqlite", "--since", "2099-01-01"], b"");
    assert_eq!(none.code, 3);
    // Content that went and came under another inode.
    std::fs::write(path.join("r/copy"), "1").unwrap();
    std::fs::remove_file(path.join("r/new")).unwrap();
    assert_eq!(diff(&["r", "--hash", "xxh128", "--exclude", "e"]), ["R new -> copy"]);
}

#[test]
fn two_catalogues_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    make(path, &["r/a", "r/b", "r/c"]);
    for to in ["old.sqlite", "old.parquet"] {
        run(path, &["scan", "r", "-o", to], b"").fine();
    }
    std::fs::write(path.join("r/a"), "longer").unwrap();
    std::fs::rename(path.join("r/b"), path.join("r/bb")).unwrap();
    std::fs::remove_file(path.join("r/c")).unwrap();
    make(path, &["r/d"]);
    for to in ["new.sqlite", "new.parquet"] {
        run(path, &["scan", "r", "-o", to], b"").fine();
    }
    for (old, new) in
        [("old.sqlite", "new.sqlite"), ("old.parquet", "new.sqlite"), ("old.sqlite", "new.parquet")]
    {
        let ran = run(path, &["diff", old, new, "--json"], b"");
        let told: Vec<_> =
            ran.json().iter().map(|it| it["change"].as_str().unwrap().to_owned()).collect();
        assert_eq!(
            (told.as_slice(), ran.code),
            (&["changed", "moved", "removed", "added"].map(str::to_owned)[..], 1)
        );
        let same = run(path, &["diff", new, new], b"");
        assert_eq!((same.text(), same.code), ("", 0));
    }
    std::fs::write(path.join("x.png"), "no catalogue").unwrap();
    let other = run(path, &["diff", "old.sqlite", "x.png"], b"");
    assert!(other.code == 2 && other.err.contains("this is not"), "{}", other.err);
}
