//! `solio hash`: lists as other tools have them, and histories as the reference tool of ASC MHL
//! (`ascmhl-debug`, in PATH or the folder that SOLIO_ASCMHL names) takes and makes them.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // tests have their own files, and say what they skip

mod ran;

use ran::{Ran, is_name, names, run};
use solio::names::OsStrBytes;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A few files, one of them large, in folders.
fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for folder in ["root/Clips/deep", "root/empty", "root/Sub/x"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    fs::write(path("root/a.txt"), "one\n").unwrap();
    // What XML must escape, as far as the system has such names.
    let odd = ["root/Clips/b & <c>.mov", "root/Clips/b & c.mov"].map(path);
    let odd = odd.iter().find(|path| solio_io::check_new_name(path).is_ok()).unwrap();
    fs::write(odd, vec![7; 700_000]).unwrap();
    fs::write(path("root/Clips/deep/ä.txt"), "two\n").unwrap();
    fs::write(path("root/Sub/x/zero"), "").unwrap();
    fs::write(path("root/.DS_Store"), "left out").unwrap();
    dir
}

fn hash(dir: &TempDir, args: &[&str]) -> Ran {
    run(dir.path(), &[&["hash", "--progress", "none"], args].concat(), b"")
}

/// A tool beside the system's own, or `None` where there is none.
fn peer(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("SOLIO_ASCMHL").into_iter();
    let folders = folders.chain(std::env::var_os("PATH"));
    let all: Vec<PathBuf> =
        folders.flat_map(|f| std::env::split_paths(&f).collect::<Vec<_>>()).collect();
    let found = all.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: there is no {name}");
    }
    found
}

#[track_caller]
fn succeeds(tool: &Path, args: &[&str], dir: &Path) {
    let output = Command::new(tool).args(args).current_dir(dir).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn lines_are_those_of_the_peers_and_are_checked() {
    let dir = tree();
    if is_name(b"odd\n\xff\\name") {
        let odd = OsStr::from_bytes(b"root/odd\n\xff\\name");
        fs::write(dir.path().join(odd), "odd").unwrap();
    }
    for (algorithm, tool) in
        [("md5", "md5sum"), ("sha1", "sha1sum"), ("sha256", "sha256sum"), ("sha512", "sha512sum")]
    {
        let ran = hash(&dir, &["-a", algorithm, "root"]).fine();
        fs::write(dir.path().join("list"), &ran.out).unwrap();
        let Some(tool) = peer(tool) else { continue };
        succeeds(&tool, &["-c", "--quiet", "--strict", "list"], dir.path());
        let own = Command::new(&tool).arg("root/a.txt").current_dir(dir.path()).output().unwrap();
        assert_eq!(own.stdout, hash(&dir, &["-a", algorithm, "root/a.txt"]).fine().out);
    }
    for args in [&["-a", "xxh128"][..], &["-a", "xxh3"], &["-a", "xxh64,c4,md5"], &["--tag"]] {
        let ran = hash(&dir, &[args, &["root"]].concat()).fine();
        fs::write(dir.path().join("list"), &ran.out).unwrap();
        let checked = hash(&dir, &["--verify", "list"]).fine();
        let lines = |ran: &Ran| ran.out.iter().filter(|b| **b == b'\n').count();
        assert_eq!(lines(&checked), lines(&ran));
        assert!(hash(&dir, &["--verify", "-q", "list"]).fine().out.is_empty());
    }
    assert_eq!(
        hash(&dir, &["-a", "xxh64", "root/Sub/x/zero"]).text(),
        "ef46db3751d8e999  root/Sub/x/zero\n"
    );
}

#[test]
fn what_changed_is_missing_or_unreadable_is_told() {
    let dir = tree();
    let list = hash(&dir, &["root"]).fine().out;
    fs::write(dir.path().join("list"), [&list[..], b"no sum\n"].concat()).unwrap();
    fs::write(dir.path().join("root/a.txt"), "One\n").unwrap();
    fs::remove_file(dir.path().join("root/Sub/x/zero")).unwrap();
    let ran = hash(&dir, &["--verify", "-q", "list"]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "list: FAILED to read");
    assert_eq!(lines[1], "root/Sub/x/zero: MISSING");
    assert!(lines[2].starts_with("root/a.txt: FAILED (xxh128 was "), "{}", lines[2]);
    assert!(ran.err.contains("list:5:1: no sum"), "{}", ran.err);
    let ran = hash(&dir, &["--verify", "--json", "list"]);
    let states: Vec<_> = ran.json().iter().map(|line| line["state"].clone()).collect();
    assert_eq!(states, ["failed", "same", "same", "missing", "changed"]);

    let ran = hash(&dir, &["root/a.txt", "none", "root/empty"]);
    assert_eq!((ran.code, ran.text().lines().count()), (1, 1));
    assert!(ran.err.contains("none: cannot open"), "{}", ran.err);
    assert_eq!(hash(&dir, &["root/empty"]).code, 3);
    assert_eq!(hash(&dir, &["-a", "crc32", "root"]).code, 2);
    assert_eq!(hash(&dir, &["--verify", "root/Clips"]).code, 1);
    assert_eq!(hash(&dir, &["--mhl", "-a", "sha256", "root"]).code, 1);
    assert!(!dir.path().join("root/ascmhl").exists());

    if !is_name(b"a\nb") {
        return; // all names can be recorded
    }
    // A folder of which a name cannot be recorded has no digest, and is not listed: the schema demands one.
    fs::create_dir_all(dir.path().join("odd/sub")).unwrap();
    fs::write(dir.path().join("odd/sub/a\nb"), "x").unwrap();
    fs::write(dir.path().join("odd/fine"), "x").unwrap();
    assert_eq!(hash(&dir, &["--mhl", "odd"]).code, 1);
    let manifests = names(&dir.path().join("odd/ascmhl"));
    let manifest = manifests.iter().find(|name| name.ends_with(".mhl")).unwrap();
    let text = fs::read_to_string(dir.path().join("odd/ascmhl").join(manifest)).unwrap();
    assert!(!text.contains("<content>") && !text.contains("<roothash>"), "{text}");
    assert!(text.contains(">fine</path>"), "{text}");
}

#[test]
fn names_that_are_no_text_keep_their_bytes() {
    if !is_name(b"caf\xe9") {
        return println!("skipped: names are text here");
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(OsStr::from_bytes(b"caf\xe9")), "x").unwrap();
    let line = &hash(&dir, &["--json", "."]).fine().json()[0];
    assert_eq!(line["path_encoded"], "./caf%E9");
    assert_eq!(line["bytes"], 1);
    assert_eq!(line["xxh128"].as_str().unwrap().len(), 32);
    // XML has no way to write it: the rest is recorded, and this is told.
    fs::write(dir.path().join("fine"), "x").unwrap();
    let ran = hash(&dir, &["--mhl", "--json", "."]);
    assert_eq!(ran.code, 1);
    let lines = ran.json();
    assert_eq!((&lines[0]["state"], &lines[1]["files"]), (&"failed".into(), &1.into()));
}

#[test]
fn a_history_tells_what_became_of_files() {
    let dir = tree();
    let root = dir.path().join("root");
    hash(&dir, &["--mhl", "-a", "xxh64", "root/Sub"]).fine();
    let made =
        hash(&dir, &["--mhl", "--json", "--author", "A & B", "--exclude", "*.tmp", "root"]).fine();
    let line = &made.json()[0];
    assert_eq!((&line["generation"], &line["files"]), (&1.into(), &4.into()));
    assert_eq!((&line["original"], &line["verified"]), (&3.into(), &1.into()));
    assert_eq!(line["manifests"].as_array().unwrap().len(), 2);
    assert_eq!(names(&root.join("Sub/ascmhl")).len(), 3);
    fs::write(root.join("x.tmp"), "").unwrap();
    hash(&dir, &["--verify", "-q", "root"]).fine();

    fs::write(root.join("a.txt"), "One\n").unwrap();
    fs::write(root.join("new"), "").unwrap();
    fs::remove_file(root.join("Sub/x/zero")).unwrap();
    let ran = hash(&dir, &["--verify", "-q", "root"]);
    assert_eq!(ran.code, 1);
    let mut lines: Vec<&str> = ran.text().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "root/Sub/x/zero: MISSING");
    assert!(lines[1].starts_with("root/a.txt: FAILED (xxh128 was "), "{}", lines[1]);
    assert_eq!(lines[2], "root/new: NEW");

    // The next generation says so, too, and is written.
    let ran = hash(&dir, &["--mhl", "root"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.text().contains("generation 2, 4 files") && ran.text().contains("1 new, 2 verified"),
        "{}",
        ran.text()
    );
    let manifests = names(&root.join("ascmhl"));
    assert_eq!(manifests.len(), 3);
    let text = fs::read_to_string(root.join("ascmhl").join(&manifests[1])).unwrap();
    assert!(text.contains("action=\"failed\""));

    // A manifest that was changed is no history.
    let first = root.join("ascmhl").join(&manifests[0]);
    fs::write(&first, fs::read_to_string(&first).unwrap().replace("in-place", "transfer")).unwrap();
    for how in ["--verify", "--mhl"] {
        let ran = hash(&dir, &[how, "root"]);
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("not the one that ascmhl_chain.xml lists"), "{}", ran.err);
    }
    assert_eq!(names(&root.join("ascmhl")), manifests);
}

#[test]
fn the_reference_tool_and_solio_continue_each_others_histories() {
    let Some(tool) = peer("ascmhl-debug") else { return };
    let create = tool.with_file_name("ascmhl");
    let dir = tree();
    let root = dir.path().join("root");
    let accepts = |algorithm| {
        succeeds(&tool, &["verify", "root"], dir.path());
        succeeds(&create, &["diff", "root"], dir.path());
        succeeds(&create, &["info", "root"], dir.path());
        succeeds(&create, &["create", "-h", algorithm, "root"], dir.path());
        hash(&dir, &["--verify", "-q", "root"]).fine();
    };
    for algorithm in ["xxh128", "md5", "xxh3", "sha1", "c4", "xxh64"] {
        hash(&dir, &["--mhl", "-a", algorithm, "root"]).fine();
        succeeds(&tool, &["verify", "-dh", "root"], dir.path());
        accepts(algorithm);
    }
    hash(&dir, &["--mhl", "-a", "md5,xxh64,c4", "root"]).fine();
    succeeds(&tool, &["verify", "-dh", "root"], dir.path());
    assert_eq!(names(&root.join("ascmhl")).len(), 14);
    // A folder within gets a history of its own.
    for way in [["create", "-h", "md5", "root/Sub"], ["create", "-h", "xxh64", "root/Clips"]] {
        succeeds(&create, &way, dir.path());
        hash(&dir, &["--mhl", "-a", "xxh64", "root"]).fine();
        accepts("xxh64");
    }

    // Both see what became of a file.
    fs::write(root.join("Sub/x/zero"), "not any more").unwrap();
    assert_eq!(hash(&dir, &["--verify", "root"]).code, 1);
    assert_eq!(hash(&dir, &["--mhl", "root"]).code, 1);
    let output = Command::new(&tool).args(["verify", "root"]).current_dir(dir.path()).output();
    assert!(!output.unwrap().status.success());
}

#[test]
fn folders_of_histories_within_are_summed_up_as_the_reference_does() {
    let Some(tool) = peer("ascmhl-debug") else { return };
    let dir = tree();
    for root in ["root/Clips/deep", "root/Sub", "root/Clips", "root"] {
        hash(&dir, &["--mhl", "-a", "md5", root]).fine();
    }
    succeeds(&tool, &["verify", "-dh", "root"], dir.path());
    succeeds(&tool, &["verify", "root"], dir.path());
}

#[test]
fn a_history_within_that_was_begun_anew_is_told() {
    let dir = tree();
    let root = dir.path().join("root");
    for folder in ["root/Sub", "root"] {
        hash(&dir, &["--mhl", folder]).fine();
    }
    hash(&dir, &["--verify", "-q", "root"]).fine();
    let within = root.join("Sub/ascmhl");
    let second = names(&within)[1].clone();
    fs::remove_dir_all(&within).unwrap();
    fs::write(root.join("Sub/x/zero"), "another clip").unwrap();
    // It agrees with itself, but is not the one that was referred to.
    hash(&dir, &["--mhl", "root/Sub"]).fine();
    hash(&dir, &["--verify", "-q", "root/Sub"]).fine();
    let missing = format!("root/Sub/ascmhl/{second}: MISSING\n");
    for how in ["--verify", "--mhl"] {
        let ran = hash(&dir, &[how, "-q", "root"]);
        assert_eq!((ran.code, ran.text()), (1, &*missing), "{how}");
    }
    assert_eq!(hash(&dir, &["--verify", "-q", "root", "--exclude", "Sub/"]).fine().text(), "");
}

#[test]
fn what_is_left_out_is_not_missing() {
    let dir = tree();
    let root = dir.path().join("root");
    fs::create_dir(root.join("Sub/y")).unwrap();
    fs::write(root.join("Sub/one.tmp"), "left").unwrap();
    for folder in ["root/Sub", "root"] {
        hash(&dir, &["--mhl", folder]).fine();
    }
    let patterns = ["Clips/", "/Clips", "Clips/*", "Sub/one.tmp", "*.tmp", "Sub/y", "x/", "Sub/"];
    for pattern in patterns {
        let ran = hash(&dir, &["--verify", "-q", "root", "--exclude", pattern]);
        assert_eq!((ran.code, ran.text()), (0, ""), "{pattern}");
    }
    let both = ["--exclude", "Clips/", "--exclude", "!Clips/deep"];
    hash(&dir, &[&["--verify", "-q", "root"], &both[..]].concat()).fine();
    fs::remove_file(root.join("Sub/x/zero")).unwrap();
    let ran = hash(&dir, &["--verify", "-q", "root", "--exclude", "Clips/"]);
    assert_eq!((ran.code, ran.text()), (1, "root/Sub/x/zero: MISSING\n"));
}

#[test]
fn a_folder_without_files_has_a_history_too() {
    let dir = tree();
    let made = hash(&dir, &["--mhl", "root/empty"]).fine();
    assert!(made.text().contains("generation 1, 0 files"), "{}", made.text());
    hash(&dir, &["--verify", "root/empty"]).fine();
}

#[test]
fn a_changed_file_is_told_by_the_algorithm_of_its_list() {
    let dir = tree();
    for (list, algorithm) in [("root.xxh128", "xxh128"), ("MD5SUMS", "md5")] {
        let lines = hash(&dir, &["-a", algorithm, "root/a.txt"]).fine();
        fs::write(dir.path().join(list), lines.text()).unwrap();
        let before = lines.text().split(' ').next().unwrap().to_owned();
        fs::write(dir.path().join("root/a.txt"), "two\n").unwrap();
        let now = hash(&dir, &["-a", algorithm, "root/a.txt"]).fine();
        let ran = hash(&dir, &["--verify", list]);
        let told =
            format!("{algorithm} was {before}, is {}", now.text().split(' ').next().unwrap());
        assert!(ran.code == 1 && ran.text().contains(&told), "{}", ran.text());
        fs::write(dir.path().join("root/a.txt"), "one\n").unwrap();
    }
}

// Rights are bits on Unix alone.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_into_does_not_hide_what_changed() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tree();
    hash(&dir, &["--mhl", "root/"]).fine();
    fs::write(dir.path().join("root/a.txt"), "changed\n").unwrap();
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(dir.path(), 0o755);
    let locked = dir.path().join("root/Sub");
    allow(&locked, 0);
    // Nothing is locked for root: the command runs as nobody then.
    let solio = env!("CARGO_BIN_EXE_solio");
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", solio];
    let words = if fs::read_dir(&locked).is_ok() { &nobody[..] } else { &nobody[4..] };
    let run = |args: &[&str]| {
        let all = [&words[1..], args].concat();
        Command::new(words[0]).args(all).current_dir(dir.path()).output()
    };
    if !run(&["--version"]).is_ok_and(|output| output.status.success()) {
        println!("skipped: nobody else can run the command");
        allow(&locked, 0o755);
        return;
    }
    let output = run(&["hash", "--verify", "root/"]).unwrap();
    allow(&locked, 0o755);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("root/a.txt: FAILED (xxh128 was "), "{text}");
    assert!(text.contains("root/Sub: FAILED to read"), "{text}");
}
