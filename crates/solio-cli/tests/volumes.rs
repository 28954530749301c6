//! Volumes that go, come back, or are others, with real mounts: as root on Linux; else *skipped*.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod ran;

use ran::{Ran, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a command of the system did it.
fn does(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|ran| ran.status.success())
}

/// A folder with mounts in it, which are taken off at the end.
struct Mounts {
    dir: tempfile::TempDir,
}

impl Mounts {
    /// `None`, and said, where mounting is not permitted.
    fn new(test: &str) -> Option<Mounts> {
        let mounts = Mounts { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(mounts.at("try")).unwrap();
        if mounts.tmpfs("try") {
            mounts.unmount("try");
            return Some(mounts);
        }
        println!("skipped: {test}: mounting is not permitted");
        None
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).into_os_string().into_string().unwrap()
    }

    fn tmpfs(&self, name: &str) -> bool {
        does("mount", &["-t", "tmpfs", "solio-test", &self.text(name)])
    }

    /// A disk of its own, with a file system; false where there are no loop devices.
    fn disk(&self, image: &str, label: &str) -> bool {
        let file = std::fs::File::create(self.at(image)).unwrap();
        file.set_len(16 << 20).unwrap();
        does("mkfs.ext4", &["-q", "-L", label, &self.text(image)])
    }

    fn mount(&self, image: &str, name: &str) -> bool {
        does("mount", &["-o", "loop", &self.text(image), &self.text(name)])
    }

    fn unmount(&self, name: &str) {
        assert!(does("umount", &[&self.text(name)]), "umount {name}");
    }

    fn fill(&self, folder: &str) {
        for n in 0..3 {
            let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
            std::fs::write(self.at(folder).join(format!("{n}.obj")), mesh).unwrap();
        }
    }

    fn scan(&self, args: &[&str]) -> Ran {
        run(self.dir.path(), &[&["scan", "-o", "c.sqlite", "--json"], args].concat(), b"")
    }

    /// Rows, hashes, thumbnails and tombstones.
    fn known(&self) -> [u64; 4] {
        let sql = "SELECT count(*) AS a, count(xxh128) AS b, (SELECT count(*) FROM thumbnails) AS c, \
            (SELECT count(*) FROM gone) AS d FROM files";
        let answer = run(self.dir.path(), &["query", "c.sqlite", sql, "--json"], b"").fine().json();
        ["a", "b", "c", "d"].map(|name| answer[0][name].as_u64().unwrap())
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
        let own = points.filter(|point| Path::new(point).starts_with(self.dir.path()));
        own.collect::<Vec<_>>().into_iter().rev().for_each(|point| _ = does("umount", &[point]));
    }
}

/// That rows were kept: exit code 1, and said.
fn kept(ran: &Ran, words: &str) {
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains(words), "{}", ran.err);
}

const MORE: [&str; 3] = ["--hash", "xxh128", "--thumbnails=32"];

#[test]
fn a_root_that_is_unmounted_keeps_its_rows() {
    let Some(mounts) = Mounts::new("a root unmounted") else { return };
    std::fs::create_dir(mounts.at("m")).unwrap();
    assert!(mounts.tmpfs("m"));
    mounts.fill("m");
    mounts.scan(&[&["m"], &MORE[..]].concat()).fine();
    mounts.unmount("m");
    for _ in 0..2 {
        // Not even the second time, as where the same volume is empty.
        let ran = mounts.scan(&["m"]);
        kept(&ran, "offline");
        assert_eq!((mounts.known(), &ran.json()[0]["offline"]), ([3, 3, 3, 0], &1.into()));
    }
    let state = "SELECT state, place, kind FROM volumes";
    let state = run(mounts.dir.path(), &["query", "c.sqlite", state, "--csv"], b"").fine();
    assert!(state.text().ends_with("offline,root,tmpfs\n"), "{}", state.text());
    // Also into Parquet.
    let parquet = |args: &[&str]| {
        run(mounts.dir.path(), &[&["scan", "m", "-o", "p.parquet", "--json"], args].concat(), b"")
    };
    assert!(mounts.tmpfs("m"));
    mounts.fill("m");
    parquet(&["--hash", "xxh128"]).fine();
    mounts.unmount("m");
    kept(&parquet(&[]), "offline");
    run(mounts.dir.path(), &["merge", "p.parquet", "-o", "of-parquet.sqlite"], b"").fine();
    let rows = "SELECT count(xxh128) FROM files";
    let rows = run(mounts.dir.path(), &["query", "of-parquet.sqlite", rows, "--csv"], b"").fine();
    assert!(rows.text().ends_with("\n3\n"));
    // A word drops them, and what was known stays as tombstones until another does.
    mounts.scan(&["m", "--accept-removal"]).fine();
    assert_eq!(mounts.known(), [0, 0, 0, 3]);
    let purged = mounts.scan(&["--purge"]).fine().json();
    assert_eq!((&purged[0]["purged"], mounts.known()), (&3.into(), [0; 4]));
}

#[test]
fn a_mount_point_below_a_root_that_is_unmounted_keeps_its_rows() {
    let Some(mounts) = Mounts::new("a nested mount point unmounted") else { return };
    std::fs::create_dir_all(mounts.at("r/n")).unwrap();
    mounts.fill("r");
    assert!(mounts.tmpfs("r/n"));
    mounts.fill("r/n");
    mounts.scan(&[&["r"], &MORE[..]].concat()).fine();
    mounts.unmount("r/n");
    kept(&mounts.scan(&["r"]), "r/n");
    // Something is in the folder below it, or it is no more.
    mounts.fill("r/n");
    kept(&mounts.scan(&["r"]), "offline");
    kept(&mounts.scan(&["r/n"]), "offline");
    std::fs::remove_dir_all(mounts.at("r/n")).unwrap();
    kept(&mounts.scan(&["r"]), "offline");
    assert_eq!(mounts.known(), [6, 6, 6, 0]);
    // Files of the root itself go as ever.
    std::fs::remove_file(mounts.at("r/0.obj")).unwrap();
    assert_eq!(mounts.scan(&["r"]).json()[0]["removed"], 1);
    assert_eq!(mounts.known(), [5, 5, 5, 1]);
}

#[test]
fn another_disk_in_its_place_does_not_take_its_rows() {
    let Some(mounts) = Mounts::new("a disk replaced by another") else { return };
    std::fs::create_dir(mounts.at("m")).unwrap();
    if !(mounts.disk("a.img", "a") && mounts.disk("b.img", "b") && mounts.mount("a.img", "m")) {
        return println!("skipped: no loop devices, or no mkfs.ext4");
    }
    mounts.fill("m");
    mounts.scan(&[&["m"], &MORE[..]].concat()).fine();
    mounts.unmount("m");
    assert!(mounts.mount("b.img", "m"));
    std::fs::write(mounts.at("m/0.obj"), "other").unwrap();
    kept(&mounts.scan(&["m"]), "another volume");
    assert_eq!(mounts.known(), [3, 3, 3, 0]);
    mounts.unmount("m");
    // It comes back on whatever device there is.
    assert!(mounts.mount("a.img", "m"));
    let again = mounts.scan(&["m"]).fine().json();
    assert_eq!((&again[0]["unchanged"], mounts.known()), (&3.into(), [3, 3, 3, 0]));
}

#[test]
fn a_copy_of_a_disk_is_told_beside_it_and_in_its_place() {
    let Some(mounts) = Mounts::new("a copy mounted beside") else { return };
    ["m", "beside"].iter().for_each(|name| std::fs::create_dir(mounts.at(name)).unwrap());
    if !(mounts.disk("a.img", "a") && mounts.mount("a.img", "m")) {
        return println!("skipped: no loop devices, or no mkfs.ext4");
    }
    mounts.fill("m");
    mounts.scan(&[&["m"], &MORE[..]].concat()).fine();
    mounts.unmount("m");
    std::fs::copy(mounts.at("a.img"), mounts.at("copy.img")).unwrap();
    assert!(mounts.mount("a.img", "m") && mounts.mount("copy.img", "beside"));
    kept(&mounts.scan(&["m"]), "has a copy");
    assert_eq!(mounts.known(), [3, 3, 3, 0]);
    mounts.unmount("m");
    mounts.unmount("beside");
    assert!(mounts.mount("copy.img", "m"));
    std::fs::remove_file(mounts.at("m/0.obj")).unwrap();
    kept(&mounts.scan(&["m"]), "a copy of it");
    assert_eq!(mounts.known(), [3, 3, 3, 0]);
    mounts.unmount("m");
    // Who scans both has two volumes, and no more is said.
    assert!(mounts.mount("a.img", "m") && mounts.mount("copy.img", "beside"));
    kept(&mounts.scan(&["m", "beside"]), "has a copy");
    mounts.scan(&["m", "beside"]).fine();
    let volumes = "SELECT count(DISTINCT volume) FROM files";
    let volumes = run(mounts.dir.path(), &["query", "c.sqlite", volumes, "--csv"], b"").fine();
    assert!(volumes.text().ends_with("\n2\n"), "{}", volumes.text());
}

#[test]
fn a_root_that_is_renamed_keeps_its_rows() {
    let Some(mounts) = Mounts::new("a root renamed") else { return };
    std::fs::create_dir(mounts.at("m")).unwrap();
    assert!(mounts.tmpfs("m"));
    mounts.fill("m");
    mounts.scan(&[&["m"], &MORE[..]].concat()).fine();
    let moved = mounts.text("moved");
    std::fs::create_dir(&moved).unwrap();
    assert!(does("mount", &["--bind", &mounts.text("m"), &moved]));
    mounts.unmount("m");
    std::fs::remove_dir(mounts.at("m")).unwrap();
    kept(&mounts.scan(&["m"]), "offline");
    assert_eq!(mounts.known(), [3, 3, 3, 0]);
    // Scanned where it is now, all of it is known already, and what was known stays.
    let there = mounts.scan(&["moved"]).fine().json();
    assert_eq!((&there[0]["renamed"], mounts.known()), (&3.into(), [6, 6, 6, 0]));
}

#[test]
fn half_of_the_files_gone_at_once_are_held_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::create_dir(path.join("r")).unwrap();
    let file = |n: usize| path.join(format!("r/{n:03}.txt"));
    (0..300).for_each(|n| std::fs::write(file(n), format!("{n}")).unwrap());
    let scan = |args: &[&str]| {
        run(path, &[&["scan", "r", "-o", "c.sqlite", "--json"], args].concat(), b"")
    };
    let rows = || {
        let answer =
            run(path, &["query", "c.sqlite", "SELECT count(*) AS n FROM files", "--json"], b"");
        answer.fine().json()[0]["n"].as_u64().unwrap()
    };
    scan(&["--hash", "xxh128"]).fine();
    // New files do not make the loss smaller.
    (0..200).for_each(|n| std::fs::remove_file(file(n)).unwrap());
    (400..800).for_each(|n| std::fs::write(file(n), format!("{n}")).unwrap());
    let ran = scan(&[]);
    kept(&ran, "200 of 300 files");
    assert_eq!((&ran.json()[0]["held"], rows()), (&200.into(), 700));
    kept(&scan(&["--max-removed", "199"]), "--accept-removal");
    assert_eq!(scan(&["--max-removed", "200"]).fine().json()[0]["removed"], 200);
    assert_eq!(rows(), 500);
    // A root that is suddenly empty is asked about once.
    (200..800).for_each(|n| _ = std::fs::remove_file(file(n)));
    kept(&scan(&[]), "nothing is in it any more");
    assert_eq!(rows(), 500);
    assert_eq!(scan(&["--max-removed", "100%"]).fine().json()[0]["removed"], 500);
    assert_eq!(rows(), 0);
    for wrong in ["x", "101%", "-1"] {
        assert_eq!(scan(&[&format!("--max-removed={wrong}")]).code, 2, "{wrong}");
    }
}
