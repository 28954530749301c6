//! `solio photos`: nothing is lost, pairs stay together, times are those of the place.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod photo_files;
mod ran;

use photo_files::{Says, film, jpeg, note, tiff, xmp};
use ran::{Ran, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Paths of all files below a folder, with their bytes.
type Tree = BTreeMap<String, Vec<u8>>;

fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The same without journals.
fn photos(folder: &Path) -> Tree {
    let mut found = tree(folder);
    found.retain(|name, _| !name.ends_with(".jsonl"));
    found
}

fn names(folder: &Path) -> Vec<String> {
    photos(folder).into_keys().collect()
}

fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn dated(date: &str) -> Says<'_> {
    Says { original: Some(date), ..Says::default() }
}

fn sort(dir: &Path, args: &[&str]) -> Ran {
    run(dir, &[&["photos"], args].concat(), b"")
}

/// Where each file goes, and who told its date.
fn plan(dir: &Path, args: &[&str]) -> BTreeMap<String, (String, String)> {
    let ran = sort(dir, &[args, &["--json"]].concat());
    let field = |line: &serde_json::Value, name: &str| {
        line[name].as_str().unwrap_or("-").replace('\\', "/")
    };
    let lines = ran.json().into_iter().filter(|line| line["schema"] == "solio/photos/1");
    let told = lines.map(|line| {
        let to = match line["action"].as_str().unwrap() {
            "go" => field(&line, "to"),
            "leave" => format!("left: {}", field(&line, "reason")),
            other => format!("{other} {}", field(&line, "to")),
        };
        (field(&line, "from"), (to, field(&line, "source")))
    });
    told.collect()
}

/// A card with all that belongs together.
fn card() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| format!("card/{name}");
    let noon = "2023:01:02 12:00:00";
    put(dir.path(), &at("IMG_0001.DNG"), tiff(&dated(noon)));
    put(dir.path(), &at("IMG_0001.JPG"), jpeg(&dated(noon)));
    put(dir.path(), &at("IMG_0001.xmp"), xmp("2001-01-01T00:00:00"));
    put(dir.path(), &at("IMG_0001.DNG.xmp"), xmp("2001-01-01T00:00:00"));
    let live = |says| Says { content: Some("live-1"), ..says };
    put(
        dir.path(),
        &at("IMG_0002.JPG"),
        jpeg(&live(Says { pixels: 2, ..dated("2023:02:03 10:00:00") })),
    );
    let keys = [
        ("com.apple.quicktime.content.identifier", "live-1"),
        ("com.apple.quicktime.creationdate", "2023-02-03T10:00:00+0100"),
    ];
    put(dir.path(), &at("IMG_0002_3.MOV"), film(1_675_414_800, &keys, 1));
    put(dir.path(), &at("IMG_0002.AAE"), "<plist/>");
    put(
        dir.path(),
        &at("IMG_E0002.JPG"),
        jpeg(&live(Says { pixels: 3, ..dated("2023:02:03 10:00:00") })),
    );
    put(dir.path(), &at("notes.txt"), "nobody's");
    dir
}

#[test]
fn nothing_is_done_unasked_and_what_was_done_is_undone() {
    let dir = card();
    let before = tree(dir.path());
    let ran = sort(dir.path(), &["card", "--to", "out"]).fine();
    assert!(ran.err.contains("dry run") && ran.err.contains("--apply"), "{}", ran.err);
    assert!(ran.text().contains("out/2023/01/20230102_120000.DNG"), "{}", ran.text());
    assert_eq!(tree(dir.path()), before);
    sort(dir.path(), &["card", "--to", "out", "-n"]).fine();
    assert_eq!(tree(dir.path()), before);
    let ran = sort(dir.path(), &["card", "--to", "out", "--apply"]).fine();
    assert!(ran.err.contains("8 files moved"), "{}", ran.err);
    assert_eq!(
        names(&dir.path().join("out")),
        [
            "2023/01/20230102_120000.DNG",
            "2023/01/20230102_120000.DNG.xmp",
            "2023/01/20230102_120000.JPG",
            "2023/01/20230102_120000.xmp",
            "2023/02/20230203_100000.AAE",
            "2023/02/20230203_100000.JPG",
            "2023/02/20230203_100000.MOV",
            "2023/02/20230203_100000_E.JPG",
        ]
    );
    assert_eq!(names(&dir.path().join("card")), ["notes.txt"]);
    // Again: all is where it belongs.
    let again = sort(dir.path(), &["out", "--to", "out", "--apply"]).fine();
    assert!(again.err.contains("nothing to do, 8 files in place"), "{}", again.err);
    // And back.
    sort(dir.path(), &["--undo", "out/solio-photos-1.jsonl"]).fine();
    assert_eq!(photos(dir.path()), before);
    assert_eq!(fs::read_dir(dir.path().join("out")).unwrap().count(), 1);
    // Twice is as good as once; and it can be done once more.
    let again = sort(dir.path(), &["--undo", "out/solio-photos-1.jsonl"]).fine();
    assert!(again.err.contains("0 files put back"), "{}", again.err);
    let ran = sort(dir.path(), &["--resume", "out/solio-photos-1.jsonl"]).fine();
    assert!(ran.err.contains("8 files done"), "{}", ran.err);
    assert_eq!(names(&dir.path().join("card")), ["notes.txt"]);
}

#[test]
fn equal_files_are_told_and_others_get_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let noon = "2023:01:02 12:00:00";
    let shot = |pixels| jpeg(&Says { pixels, ..dated(noon) });
    put(path, "in/a.jpg", shot(1));
    put(path, "in/b.jpg", shot(2));
    put(path, "in/c.JPG", shot(3));
    put(path, "in/d/e.jpg", shot(1));
    put(path, "out/2023/01/20230102_120000.jpg", shot(2));
    let told = plan(path, &["in", "--to", "out"]);
    let to = |name: &str| told[name].0.as_str();
    // A name that differs in case alone is taken, too.
    assert_eq!(to("in/a.jpg"), "out/2023/01/20230102_120000-1.jpg");
    assert_eq!(to("in/b.jpg"), "duplicate out/2023/01/20230102_120000.jpg");
    assert_eq!(to("in/c.JPG"), "out/2023/01/20230102_120000-2.JPG");
    assert_eq!(to("in/d/e.jpg"), "duplicate out/2023/01/20230102_120000-1.jpg");
    let before = tree(path);
    sort(path, &["in", "--to", "out", "--apply"]).fine();
    assert_eq!(names(&path.join("in")), ["b.jpg", "d/e.jpg"]);
    let there = fs::read(path.join("out/2023/01/20230102_120000.jpg")).unwrap();
    assert_eq!(there, shot(2));
    // Sorting what is there changes nothing, whatever the numbers are.
    assert!(sort(path, &["out", "--to", "out", "--apply"]).fine().err.contains("nothing to do"));
    sort(path, &["--undo", "out/solio-photos-1.jsonl"]).fine();
    assert_eq!(photos(path), before);
    // A pair of which only one file exists already is not a duplicate.
    put(path, "in2/b.jpg", shot(2));
    put(path, "in2/b.xmp", xmp("2001-01-01"));
    let told = plan(path, &["in2", "--to", "out"]);
    assert_eq!(told["in2/b.jpg"].0, "out/2023/01/20230102_120000-1.jpg");
    assert_eq!(told["in2/b.xmp"].0, "out/2023/01/20230102_120000-1.xmp");
    // Without numbers the second one stays.
    let ran =
        sort(path, &["in", "--to", "new", "--template", "{date:%Y}/{date:%m%d}{ext}", "--apply"]);
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("has no {-n}"), "{}", ran.text());
    assert_eq!(names(&path.join("new")), ["2023/0102.jpg"]);
}

#[test]
fn times_are_those_of_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let gps = Says { gps: Some(("2023:07:01", [22, 30, 0])), ..Says::default() };
    put(path, "in/gps.jpg", jpeg(&gps));
    put(
        path,
        "in/exif.jpg",
        jpeg(&Says { offset: Some("-05:00"), gps: gps.gps, ..dated("2023:07:01 17:30:00") }),
    );
    put(path, "in/film.mov", film(1_688_250_600, &[], 0));
    let keys = [("com.apple.quicktime.creationdate", "2023-07-02T00:30:00+0200")];
    put(path, "in/phone.mov", film(1_688_250_600, &keys, 0));
    put(path, "in/unset.mp4", film(0, &[], 0));
    put(path, "in/side.jpg", jpeg(&Says::default()));
    put(path, "in/side.jpg.xmp", xmp("2022-02-02T02:02:02"));
    put(path, "in/google.jpg", jpeg(&Says { pixels: 1, ..Says::default() }));
    put(path, "in/google.jpg.supplemental-metadata.json", note("google.jpg", 1_688_250_600));
    put(path, "in/IMG-20230101-WA0001.jpg", jpeg(&Says { pixels: 2, ..Says::default() }));
    put(path, "in/PXL_20230701_223000123.jpg", jpeg(&Says { pixels: 3, ..Says::default() }));
    let told = |args: &[&str]| {
        let args =
            [&["in", "--to", "o", "--template", "{date:%Y%m%d_%H%M%S}{-n}{ext}"], args].concat();
        plan(path, &args)
    };
    let fields =
        |told: &BTreeMap<String, (String, String)>, name: &str| told[&format!("in/{name}")].clone();
    let without = told(&[]);
    for name in ["gps.jpg", "film.mov", "google.jpg"] {
        assert!(fields(&without, name).0.contains("--zone Europe/Berlin"), "{name}");
    }
    assert_eq!(fields(&without, "unset.mp4").0, "left: no date");
    let ran = sort(path, &["in", "--to", "o"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let there = told(&["--zone", "Europe/Berlin", "--from-name"]);
    for (name, to, source) in [
        ("gps.jpg", "o/20230702_003000.jpg", "GPS date and time"),
        ("exif.jpg", "o/20230701_173000.jpg", "EXIF DateTimeOriginal"),
        ("film.mov", "o/20230702_003000.mov", "QuickTime CreateDate (UTC)"),
        ("phone.mov", "o/20230702_003000-1.mov", "QuickTime CreationDate"),
        ("unset.mp4", "left: no date", "-"),
        ("side.jpg", "o/20220202_020202.jpg", "XMP sidecar"),
        ("side.jpg.xmp", "o/20220202_020202.jpg.xmp", "XMP sidecar"),
        ("google.jpg", "o/20230702_003000-1.jpg", "Takeout JSON (UTC)"),
        ("IMG-20230101-WA0001.jpg", "o/20230101_000000.jpg", "file name"),
        ("PXL_20230701_223000123.jpg", "o/20230702_003000-2.jpg", "file name"),
    ] {
        let (found, told) = fields(&there, name);
        // Files of one second are numbered by their full time, then by name.
        let stem = |text: &str| text.split('-').next().unwrap().trim_end_matches(".jpg").to_owned();
        assert_eq!((stem(&found), told.as_str()), (stem(to), source), "{name}");
    }
    let modified = told(&["--zone", "UTC", "--from-mtime"]);
    assert_eq!(fields(&modified, "unset.mp4").1, "modification time (UTC)");
    assert!(sort(path, &["in", "--to", "o", "--from-mtime"]).code == 2);
    assert!(
        sort(path, &["in", "--to", "o", "--zone", "Europe/Berln"]).err.contains("Europe/Berlin")
    );
}

#[test]
fn names_change_in_their_folders_also_in_a_ring() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    // Each has the name that the next one gets.
    let days = ["01", "02", "03", "04"];
    for (i, day) in days.iter().enumerate() {
        let name = format!("in/2023010{}_120000.jpg", (i + 1) % 4 + 1);
        put(path, &name, jpeg(&dated(&format!("2023:01:{day} 12:00:00"))));
    }
    put(path, "in/old.JPG", jpeg(&dated("2022:01:01 12:00:00")));
    let before = tree(path);
    let ran = sort(path, &["in", "--rename", "--apply"]).fine();
    assert!(ran.err.contains("5 files renamed"), "{}", ran.err);
    for day in days {
        let bytes = fs::read(path.join(format!("in/202301{day}_120000.jpg"))).unwrap();
        assert_eq!(bytes, jpeg(&dated(&format!("2023:01:{day} 12:00:00"))));
    }
    sort(path, &["--undo", "in/solio-photos-1.jsonl"]).fine();
    assert_eq!(photos(path), before);
    // Letters alone.
    let lower = "--rename={name}{ext:lower}";
    sort(path, &["in/old.JPG", lower, "--apply"]).fine();
    assert!(names(path).contains(&"in/old.jpg".to_owned()));
    for bad in [
        &["in", "--rename={date:%Y}/{name}"][..],
        &["in", "--rename", "--to", "x"],
        &["in"],
        &["in", "--to", "x", "--template", "{nme}"],
    ] {
        assert_eq!(sort(path, bad).code, 2, "{bad:?}");
    }
}

#[test]
fn copies_are_verified_and_undone_only_while_their_sources_are_there() {
    let dir = card();
    let path = dir.path();
    let before = tree(path);
    sort(path, &["card", "--to", "out", "--copy", "--apply"]).fine();
    assert_eq!(tree(&path.join("card")).len(), before.len());
    assert_eq!(names(&path.join("out")).len(), 8);
    let modified = |name: &str| fs::metadata(path.join(name)).unwrap().modified().unwrap();
    assert_eq!(modified("card/IMG_0001.JPG"), modified("out/2023/01/20230102_120000.JPG"));
    // One source is gone, one copy was edited: both stay.
    fs::remove_file(path.join("card/IMG_0001.JPG")).unwrap();
    fs::write(path.join("out/2023/02/20230203_100000.AAE"), "edited").unwrap();
    let ran = sort(path, &["--undo", "out/solio-photos-1.jsonl"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("the copy stays"), "{}", ran.err);
    assert_eq!(
        names(&path.join("out")),
        ["2023/01/20230102_120000.JPG", "2023/02/20230203_100000.AAE"]
    );
}

/// A folder on another file system.
fn elsewhere(dir: &Path) -> Option<TempDir> {
    let there = tempfile::tempdir_in("/dev/shm").ok()?;
    let device = |path: &Path| solio_io::walk::status_of(path).ok().map(|status| status.device);
    let is_other = device(dir) != device(there.path());
    if !is_other {
        println!("skipped: /dev/shm is not another file system");
    }
    is_other.then_some(there)
}

#[test]
fn files_go_to_another_file_system_and_back() {
    let dir = card();
    let Some(there) = elsewhere(dir.path()) else { return };
    let before = tree(dir.path());
    let to = there.path().join("o").to_string_lossy().into_owned();
    sort(dir.path(), &["card", "--to", &to, "--apply"]).fine();
    assert_eq!(names(there.path()).len(), 8);
    assert_eq!(names(&dir.path().join("card")), ["notes.txt"]);
    sort(dir.path(), &["--undo", &format!("{to}/solio-photos-1.jsonl")]).fine();
    assert_eq!(tree(dir.path()), before);
    assert!(names(there.path()).is_empty());
}

#[test]
fn a_full_disk_stops_the_run_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::create_dir(path.join("small")).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "solio-test"])
        .arg(path.join("small"))
        .output();
    if !mount.is_ok_and(|ran| ran.status.success()) {
        return println!("skipped: mounting is not permitted");
    }
    struct Mounted(PathBuf);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        }
    }
    let _mounted = Mounted(path.join("small"));
    for n in 0..20 {
        let mut bytes =
            jpeg(&Says { pixels: n, ..dated(&format!("2023:01:{:02} 12:00:00", n + 1)) });
        bytes.resize(30_000, n as u8);
        put(path, &format!("in/IMG_{n}.jpg"), bytes);
        put(path, &format!("in/IMG_{n}.xmp"), xmp(&n.to_string()));
    }
    let before = photos(path);
    for how in ["--move", "--copy"] {
        let ran = sort(path, &["in", "--to", "small/o", how, "--apply"]);
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("the disk is full"), "{}", ran.err);
        // Every file is at one place, whole, with what belongs to it.
        let mut now = tree(&path.join("in"));
        for (name, bytes) in photos(&path.join("small")) {
            assert!(before.values().any(|known| *known == bytes), "{name}");
            now.insert(format!("small {name}"), bytes);
        }
        let extra = if how == "--copy" { photos(&path.join("small")).len() } else { 0 };
        assert_eq!(now.len(), before.len() + extra);
        assert_eq!(photos(&path.join("small")).len() % 2, 0);
        assert!(photos(&path.join("small")).len() > 2);
        sort(path, &["--undo", "small/o/solio-photos-1.jsonl"]).fine();
        assert_eq!(photos(path), before);
        fs::remove_dir_all(path.join("small/o")).unwrap();
    }
}

#[test]
fn odd_inputs_are_named_and_the_rest_is_sorted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    put(path, "in/good.jpg", jpeg(&dated("2023:01:02 12:00:00")));
    put(path, "in/empty.jpg", "");
    put(path, "in/cut.jpg", &jpeg(&dated("2023:01:03 12:00:00"))[..30]);
    put(path, "in/zero.jpg", jpeg(&dated("0000:00:00 00:00:00")));
    put(path, "in/alone.xmp", xmp("2020-01-01"));
    put(path, "in/a\nb.jpg", jpeg(&Says { pixels: 9, ..dated("2023:01:04 12:00:00") }));
    let is_linked = solio_io::probe::symlink("good.jpg", path.join("in/link.jpg")).is_ok();
    let ran = sort(path, &["in", "none.jpg", "--to", "out", "--apply"]);
    assert_eq!(ran.code, 1);
    for word in ["none.jpg", "no date", "is not beside it"] {
        assert!(
            ran.err.contains(word) || ran.text().contains(word),
            "{word}: {}{}",
            ran.text(),
            ran.err
        );
    }
    assert_eq!(
        names(&path.join("out")),
        ["2023/01/20230102_120000.jpg", "2023/01/20230104_120000.jpg"]
    );
    assert!(path.join("in/empty.jpg").exists() && path.join("in/cut.jpg").exists());
    assert!(!is_linked || fs::symlink_metadata(path.join("in/link.jpg")).is_ok());
    assert_eq!(sort(path, &["in/alone.xmp", "--to", "out"]).code, 1);
    put(path, "text/a.txt", "no photo");
    assert_eq!(sort(path, &["text", "--to", "out"]).code, 3);
    // A file stands where the folder should be.
    put(path, "file", "x");
    put(path, "in3/a.jpg", jpeg(&dated("2023:01:02 12:00:00")));
    let ran = sort(path, &["in3", "--to", "file", "--apply"]);
    assert_ne!(ran.code, 0);
    assert!(path.join("in3/a.jpg").exists() && fs::read(path.join("file")).unwrap() == b"x");
    // A journal that is there is not written over.
    put(path, "j", "mine");
    let ran = sort(path, &["in3", "--to", "out3", "--apply", "--journal", "j"]);
    assert_eq!(ran.code, 1);
    assert_eq!(fs::read(path.join("j")).unwrap(), b"mine");
    assert!(path.join("in3/a.jpg").exists());
    assert_eq!(sort(path, &["--undo", "j"]).code, 1);
    assert_eq!(sort(path, &["--undo", "nowhere"]).code, 1);
}

/// The same numbers each time.
struct Lot(u64);

impl Lot {
    fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A library with pairs, duplicates, and what has no date; gives how many files there are.
fn library(folder: &Path, files: usize) -> usize {
    let mut lot = Lot(50);
    let mut made = 0;
    let mut put = |name: String, bytes: &[u8]| {
        put(folder, &name, bytes);
        made += 1;
        made >= files
    };
    for n in 0.. {
        let place = format!("{}/{:02}", ["card", "phone", "takeout"][n % 3], n / 300);
        let (month, day) = (1 + lot.next(12), 1 + lot.next(28));
        let date = format!("2023:{month:02}:{day:02} 12:{:02}:{:02}", lot.next(60), lot.next(60));
        let says = Says { pixels: n as u64, model: Some("Model X"), ..dated(&date) };
        let photo = jpeg(&says);
        let is_full = match lot.next(6) {
            0 => {
                put(format!("{place}/DSC_{n:04}.DNG"), &tiff(&says))
                    || put(format!("{place}/DSC_{n:04}.JPG"), &photo)
                    || put(format!("{place}/DSC_{n:04}.xmp"), xmp(&n.to_string()).as_bytes())
            }
            1 => {
                let id = format!("id-{n}");
                let keys = [("com.apple.quicktime.content.identifier", id.as_str())];
                put(
                    format!("{place}/IMG_{n:04}.JPG"),
                    &jpeg(&Says { content: Some(&id), ..says.clone() }),
                ) || put(format!("{place}/IMG_{n:04}.MOV"), &film(1_672_574_400, &keys, n as u64))
                    || put(
                        format!("{place}/IMG_{n:04}.AAE"),
                        format!("<plist>{n}</plist>").as_bytes(),
                    )
            }
            2 => {
                let none = jpeg(&Says { pixels: n as u64, ..Says::default() });
                put(format!("{place}/photo{n}.jpg"), &none)
                    || put(
                        format!("{place}/photo{n}.jpg.json"),
                        note(&format!("photo{n}.jpg"), 1_672_574_400 + n as u64).as_bytes(),
                    )
            }
            3 => {
                put(format!("{place}/P{n:04}.JPG"), &photo)
                    || put(format!("copies/P{n:04} (1).JPG"), &photo)
            }
            4 => put(
                format!("{place}/VID_{n}.mov"),
                &film(1_672_574_400 + 60 * n as u64, &[], n as u64),
            ),
            _ => put(format!("{place}/S{n:04}.jpg"), &photo),
        };
        if is_full {
            break;
        }
    }
    made
}

/// How often each content is there.
fn contents(trees: &[&Path]) -> BTreeMap<Vec<u8>, usize> {
    let mut counts = BTreeMap::new();
    for bytes in trees.iter().flat_map(|tree| photos(tree).into_values()) {
        *counts.entry(bytes).or_default() += 1;
    }
    counts
}

fn kills(most: usize, files: usize) {
    let dir = tempfile::tempdir().unwrap();
    let there = elsewhere(dir.path());
    let path = dir.path();
    library(&path.join("in"), files);
    let before = tree(&path.join("in"));
    let once = contents(&[&path.join("in")]);
    let here = path.join("out").to_string_lossy().into_owned();
    let other = there.as_ref().map(|there| there.path().join("out").to_string_lossy().into_owned());
    let sort_to = |to: &str, how: &str| {
        let line = ["photos", "in", "--to", to, how, "--apply", "--zone", "UTC", "--from-name"];
        line.map(str::to_owned).to_vec()
    };
    let start = |args: &[String]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_solio"));
        command.args(args).current_dir(path).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let (mut lot, mut hit, mut at_work) = (Lot(7), 0, 0);
    let mut spans = BTreeMap::new();
    let mut n = 0;
    // A run that had ended is none that was killed.
    while hit < most && n < 3 * most {
        n += 1;
        let how = if lot.next(3) == 0 { "--copy" } else { "--move" };
        let to = match &other {
            Some(other) if lot.next(2) == 0 => other,
            _ => &here,
        };
        let line = sort_to(to, how);
        // Kills fall into the time that it takes on this machine.
        let span = *spans.entry((how, to.clone())).or_insert_with(|| {
            let started = Instant::now();
            assert!(start(&line).wait().unwrap().code().is_some());
            let span = started.elapsed();
            let journal = format!("{to}/solio-photos-1.jsonl");
            run(path, &["photos", "--undo", &journal], b"").fine();
            assert_eq!(tree(&path.join("in")), before);
            fs::remove_dir_all(to).unwrap();
            span
        });
        let mut child = start(&line);
        std::thread::sleep(span.mul_f64(lot.next(1000) as f64 / 1000.0));
        child.kill().unwrap();
        hit += usize::from(child.wait().unwrap().code().is_none());
        let roots = [&path.join("in"), Path::new(to)].map(Path::to_owned);
        let roots: Vec<&Path> =
            roots.iter().map(PathBuf::as_path).filter(|root| root.exists()).collect();
        let now = contents(&roots);
        // Nothing is lost, nothing is half there, and at most one file is at two places.
        assert_eq!(now.len(), once.len(), "kill {n}: a file is lost, or a part of one is there");
        let twice: usize = now.iter().map(|(bytes, count)| count - once[bytes].min(*count)).sum();
        let lost = now.iter().any(|(bytes, count)| *count < once[bytes]);
        assert!(
            !lost && (how == "--copy" || twice <= 1),
            "kill {n}: {twice} files are there twice"
        );
        let journal = format!("{to}/solio-photos-1.jsonl");
        let is_begun = Path::new(&journal).exists();
        at_work += usize::from(is_begun && tree(&path.join("in")) != before || twice > 0);
        if is_begun {
            // Every third run is killed on its way back, too; every other one goes on first.
            if n % 2 == 0 {
                run(path, &["photos", "--resume", &journal], b"").fine();
                let all: usize = contents(&roots).values().sum();
                let copied = if how == "--copy" { photos(Path::new(to)).len() } else { 0 };
                assert_eq!(all, before.len() + copied, "kill {n}");
            }
            if n % 3 == 0 {
                let mut child = start(&["photos", "--undo", &journal].map(str::to_owned));
                std::thread::sleep(Duration::from_micros(lot.next(1 + span.as_micros() as u64)));
                child.kill().unwrap();
                child.wait().unwrap();
            }
            run(path, &["photos", "--undo", &journal], b"").fine();
        }
        assert_eq!(tree(&path.join("in")), before, "kill {n}");
        assert!(!Path::new(to).exists() || photos(Path::new(to)).is_empty(), "kill {n}");
        let _ = fs::remove_dir_all(to);
    }
    println!("{n} runs, {hit} killed, {at_work} of them while files were on their way");
    assert_eq!(hit, most, "runs had ended before they were killed");
}

#[test]
fn a_dozen_kills_lose_nothing() {
    kills(12, 120);
}

#[test]
#[ignore = "slow: 200 kills"]
fn two_hundred_kills_lose_nothing() {
    kills(200, 300);
}

#[test]
#[ignore = "slow: 3,000 files"]
fn a_library_is_sorted_and_undone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let made = library(&path.join("in"), 3000);
    let before = tree(&path.join("in"));
    let once = contents(&[&path.join("in")]);
    let took = |args: &[&str]| {
        let started = Instant::now();
        let ran = run(path, args, b"").fine();
        (started.elapsed().as_secs_f64(), ran.err)
    };
    let line = ["photos", "in", "--to", "out", "--zone", "Europe/Berlin"];
    let (planned, said) = took(&line);
    println!("{made} files; plan {planned:.2} s, {:.0} files/s: {said}", made as f64 / planned);
    for how in ["--move", "--copy"] {
        let (done, said) = took(&[&line[..], &[how, "--apply"]].concat());
        println!("{how} {done:.2} s, {:.0} files/s: {said}", made as f64 / done);
        if how == "--move" {
            assert_eq!(contents(&[&path.join("in"), &path.join("out")]), once);
        }
        let (undone, said) = took(&["photos", "--undo", "out/solio-photos-1.jsonl"]);
        println!("undo {undone:.2} s: {said}");
        assert_eq!(tree(&path.join("in")), before);
        fs::remove_dir_all(path.join("out")).unwrap();
    }
}
