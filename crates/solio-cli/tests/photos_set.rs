//! `solio set` of photos and films: what was meant changes, every other byte and tag stays.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod photo_files;
mod ran;

use photo_files::{Says, film, full_xmp, heic, jpeg, tiff};
use ran::{has, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// All that can be changed.
fn says() -> Says<'static> {
    Says {
        original: Some("2023:01:02 12:00:00"),
        subsec: Some("25"),
        offset: Some("+01:00"),
        gps: Some(("2023:01:02", [11, 0, 0])),
        is_placed: true,
        model: Some("Model X"),
        orientation: Some(6),
        ..Says::default()
    }
}

/// 2023-01-02 11:00:00 in universal time.
const NOON_S: u64 = 1_672_657_200;

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let keys = [
        ("com.apple.quicktime.creationdate", "2023-01-02T12:00:00+0100"),
        ("com.apple.quicktime.location.ISO6709", "+52.5000+013.4000/"),
        ("com.apple.quicktime.model", "Model X"),
    ];
    vec![
        ("a.jpg", jpeg(&says())),
        ("a.dng", tiff(&says())),
        ("a.heic", heic(&says())),
        ("a.mov", film(NOON_S, &keys, 1)),
        ("a.xmp", full_xmp()),
    ]
}

/// All tags of a file but those of the system, as Solio reads them.
fn tags(dir: &Path, name: &str) -> BTreeMap<String, Value> {
    let ran = run(dir, &["meta", "-n", "--json", name], b"").fine();
    let Value::Array(mut files) = serde_json::from_slice(&ran.out).unwrap() else {
        panic!("an array")
    };
    let Value::Object(tags) = files.remove(0) else { panic!("an object") };
    let is_own = |name: &String| !name.starts_with("System:") && name != "SourceFile";
    tags.into_iter().filter(|(name, _)| is_own(name)).collect()
}

/// The same as ExifTool does.
fn their_tags(dir: &Path, name: &str) -> BTreeMap<String, Value> {
    let ran = Command::new("exiftool")
        .args(["-j", "-G1", "-a", "-n", "-u", name])
        .current_dir(dir)
        .output()
        .unwrap();
    let Value::Array(mut files) = serde_json::from_slice(&ran.stdout).unwrap() else {
        panic!("an array")
    };
    let Value::Object(tags) = files.remove(0) else { panic!("an object") };
    let is_own = |name: &String| {
        !["System:", "ExifTool:", "SourceFile"].iter().any(|it| name.starts_with(it))
    };
    tags.into_iter().filter(|(name, _)| is_own(name)).collect()
}

/// What differs, with old and new.
fn differences(
    a: &BTreeMap<String, Value>,
    b: &BTreeMap<String, Value>,
) -> BTreeMap<String, (String, String)> {
    let names = a.keys().chain(b.keys());
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "-".into(),
    };
    let pair = |name: &String| (name.clone(), (text(a.get(name)), text(b.get(name))));
    names.map(pair).filter(|(_, (a, b))| a != b).collect()
}

#[test]
fn dates_are_moved_and_nothing_else() {
    for (name, bytes) in samples() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let before = tags(dir.path(), name);
        let told = run(dir.path(), &["set", "--shift", "+12h", "-n", name], b"").fine();
        assert!(told.text().contains("Date"), "{}", told.text());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        run(dir.path(), &["set", "--shift", "+12h", name], b"").fine();
        let now = fs::read(&path).unwrap();
        assert_eq!(now.len(), bytes.len());
        for (tag, (old, new)) in differences(&before, &tags(dir.path(), name)) {
            assert!(tag.contains("Date"), "{name}: {tag}");
            let is_utc = tag.starts_with("QuickTime") || tag.starts_with("Track");
            let (was, is) = if is_utc {
                ("2023:01:02 11:00:00", "2023:01:02 23:00:00")
            } else {
                ("2023:01:02 12:00:00", "2023:01:03 00:00:00")
            };
            assert!(old.starts_with(was) && new.starts_with(is), "{name}: {tag}: {old}, {new}");
        }
        // And back: the same bytes.
        run(dir.path(), &["set", "--shift", "-12h", name], b"").fine();
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    }
}

#[test]
fn dates_places_and_orientation_are_set() {
    for (name, bytes) in samples() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name), &bytes).unwrap();
        let before = tags(dir.path(), name);
        let date = "2001-02-03T04:05:06-05:30";
        run(dir.path(), &["set", "--date", date, name], b"").fine();
        let dated = tags(dir.path(), name);
        let mut count = 0;
        for (tag, (_, new)) in differences(&before, &dated) {
            count += 1;
            let fits = match &tag {
                tag if tag.contains("OffsetTime") => new == "-05:30",
                tag if tag.contains("SubSecTime") => ["0", "00"].contains(&&*new),
                tag if tag.starts_with("QuickTime") || tag.starts_with("Track") => {
                    new == "2001:02:03 09:35:06"
                }
                _ => new.starts_with("2001:02:03 04:05:06"),
            };
            assert!(fits, "{name}: {tag}: {new}");
        }
        assert!(count >= 2, "{name}");
        run(dir.path(), &["set", "--remove-gps", name], b"").fine();
        let placeless = tags(dir.path(), name);
        for (tag, (_, new)) in differences(&dated, &placeless) {
            assert!(tag.contains("GPS") && new == "-", "{name}: {tag}: {new}");
        }
        assert!(!placeless.keys().any(|tag| tag.contains("GPS")), "{name}");
        let turned = run(dir.path(), &["set", "--orientation", "1", "--json", name], b"");
        let is_turned = !["a.heic", "a.mov"].contains(&name);
        assert_eq!(turned.code == 0, is_turned, "{name}: {}", turned.err);
        let turns = differences(&placeless, &tags(dir.path(), name));
        assert!(turns.keys().all(|tag| tag.ends_with("Orientation")), "{turns:?}");
        assert_eq!(turns.len(), usize::from(is_turned), "{name}: {turns:?}");
        // ExifTool reads the same.
        if has("exiftool") && name != "a.xmp" {
            fs::write(dir.path().join("old"), &bytes).unwrap();
            let theirs = differences(&their_tags(dir.path(), "old"), &their_tags(dir.path(), name));
            for (tag, (old, new)) in theirs {
                let is_meant =
                    ["Date", "GPS", "SubSecTime", "OffsetTime", "Orientation", "Unknown_free"]
                        .iter()
                        .any(|word| tag.contains(word));
                assert!(is_meant || tag.starts_with("File:"), "{name}: {tag}: {old}, {new}");
            }
        }
    }
}

#[test]
fn all_at_once_is_the_same_as_one_after_the_other() {
    for (name, bytes) in samples().into_iter().filter(|it| !["a.heic", "a.mov"].contains(&it.0)) {
        let dir = tempfile::tempdir().unwrap();
        for path in ["one", "all"] {
            fs::create_dir(dir.path().join(path)).unwrap();
            fs::write(dir.path().join(path).join(name), &bytes).unwrap();
        }
        let all = format!("all/{name}");
        let each = ["--shift=+1h", "--remove-gps", "--orientation=1"];
        for option in each {
            run(dir.path(), &["set", option, &format!("one/{name}")], b"").fine();
        }
        let ran = run(dir.path(), &[&["set"], &each[..], &[&all, "--json"]].concat(), b"").fine();
        assert!(ran.json()[0]["changed"].as_array().unwrap().len() >= 3);
        let read = |path: &str| fs::read(dir.path().join(path)).unwrap();
        assert_eq!(read(&all), read(&format!("one/{name}")), "{name}");
    }
}

#[test]
fn what_cannot_be_changed_stays_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("plain.jpg"), jpeg(&Says::default())).unwrap();
    fs::write(path("film.mov"), film(NOON_S, &[], 1)).unwrap();
    let gpmd = [film(NOON_S, &[], 1), b"\0\0\0\x10moov\0\0\0\x08gpmd".to_vec()].concat();
    fs::write(path("go.mov"), gpmd).unwrap();
    let motion = [jpeg(&says()), b"\0\0\0\x14ftypmp42".to_vec()].concat();
    fs::write(path("motion.jpg"), motion).unwrap();
    let odd = jpeg(&Says { original: Some("2023:01:02 12:00"), ..Says::default() });
    fs::write(path("odd.jpg"), odd).unwrap();
    fs::write(path("empty.jpg"), b"").unwrap();
    fs::write(path("text.jpg"), b"no photo").unwrap();
    fs::write(path("a.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    for (args, word) in [
        (&["--shift", "+1h", "plain.jpg"][..], "no date"),
        (&["--orientation", "3", "plain.jpg"], "no tag Orientation"),
        (&["--orientation", "3", "film.mov"], "matrix"),
        (&["--date", "2023-01-02T03:04:05", "film.mov"], "no zone"),
        (&["--shift", "-200000d", "film.mov"], ""),
        (&["--remove-gps", "motion.jpg"], "film behind"),
        (&["--shift", "+1h", "odd.jpg"], "cannot be changed"),
        (&["--shift", "+1h", "empty.jpg"], ""),
        (&["--shift", "+1h", "text.jpg"], ""),
        (&["--shift", "+1h", "a.png"], ""),
        (&["--shift", "+1h", "none.jpg"], ""),
    ] {
        let name = args.last().unwrap();
        let before = fs::read(path(name)).ok();
        let ran = run(dir.path(), &[&["set"], args].concat(), b"");
        assert_eq!(ran.code, 1, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(word) && ran.err.contains(name), "{args:?}: {}", ran.err);
        assert_eq!(fs::read(path(name)).ok(), before, "{args:?}");
    }
    for bad in [
        &["--shift", "1h", "plain.jpg"][..],
        &["--date", "yesterday", "plain.jpg"],
        &["--date", "2023-01-02T03:04:05", "--shift", "+1h", "plain.jpg"],
        &["--orientation", "9", "plain.jpg"],
        &["--shift", "+1h", "owner=me", "plain.jpg"],
        &["plain.jpg"],
    ] {
        assert_eq!(run(dir.path(), &[&["set"], bad].concat(), b"").code, 2, "{bad:?}");
    }
    // Without a position there is nothing to take out.
    let bytes = fs::read(path("plain.jpg")).unwrap();
    run(dir.path(), &["set", "--remove-gps", "plain.jpg"], b"").fine();
    assert_eq!(fs::read(path("plain.jpg")).unwrap(), bytes);
    // One bad file keeps no other from being written; elsewhere the old one stays.
    fs::write(path("good.jpg"), jpeg(&says())).unwrap();
    let ran =
        run(dir.path(), &["set", "--shift", "+1h", "plain.jpg", "good.jpg", "-o", "out/"], b"");
    assert_eq!(ran.code, 1);
    assert!(path("out/good.jpg").exists() && !path("out/plain.jpg").exists());
    assert_eq!(fs::read(path("good.jpg")).unwrap(), jpeg(&says()));
}

#[test]
fn a_further_name_of_a_file_keeps_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("a.jpg"), dir.path().join("b.jpg"));
    fs::write(&one, jpeg(&says())).unwrap();
    fs::hard_link(&one, &other).unwrap();
    run(dir.path(), &["set", "--shift", "+1h", "a.jpg"], b"").fine();
    assert_eq!(fs::read(&other).unwrap(), jpeg(&says()));
    assert_ne!(fs::read(&one).unwrap(), jpeg(&says()));
}

/// Bytes of samples are changed, cut and put together: each file is changed exactly, or stays.
#[test]
fn a_thousand_damaged_files_are_changed_exactly_or_left() {
    use solio::photo::{
        DateEdit, Fields, PhotoEdit, ReadOptions, decode_metadata, patched, plan_edit,
    };
    let mut lot = 9u64;
    let mut random = |below: usize| {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (lot >> 33) as usize % below
    };
    let edits = [
        PhotoEdit { date: Some(DateEdit::Shift { seconds: 3600 }), ..PhotoEdit::default() },
        PhotoEdit { remove_gps: true, ..PhotoEdit::default() },
        PhotoEdit { orientation: Some(3), remove_gps: true, ..PhotoEdit::default() },
    ];
    let samples = samples();
    let (mut changed, mut left) = (0, 0);
    for n in 0..1000 {
        let (name, whole) = &samples[n % samples.len()];
        let mut bytes = whole.clone();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                2 => bytes.truncate(at.max(8)),
                _ => {
                    let from = random(bytes.len());
                    let len = 1 + random(12);
                    let part = bytes[from..(from + len).min(bytes.len())].to_vec();
                    let to = at.min(bytes.len() - part.len().min(bytes.len()));
                    bytes[to..to + part.len()].copy_from_slice(&part);
                }
            }
        }
        let extension = name.split('.').nth(1).unwrap().to_owned();
        let options = ReadOptions { extension, ..ReadOptions::default() };
        let edit = &edits[random(edits.len())];
        let Ok(planned) = plan_edit(&bytes[..], edit, &options) else {
            left += 1;
            continue;
        };
        changed += 1;
        let mut now = bytes.clone();
        patched(&mut now, 0, &planned.patches);
        // Nothing but the patches, which begin where they say and hold what was there.
        for patch in &planned.patches {
            let at = patch.at as usize;
            assert_eq!(&bytes[at..at + patch.old.len()], &patch.old[..]);
            assert_eq!(patch.old.len(), patch.new.len());
        }
        let all = ReadOptions { fields: Fields::all(), ..options };
        let (before, after) = (decode_metadata(&bytes[..], &all), decode_metadata(&now[..], &all));
        let (before, after) = (before.unwrap(), after.unwrap());
        let shown = |tag: &solio::photo::Tag| {
            (tag.group.to_string(), tag.name.to_string(), tag.number().plain())
        };
        let is_meant = |name: &str| {
            let words: &[&str] = match edit.date {
                Some(_) => &["Date"],
                None => &["GPS", "Orientation", "Rotation"],
            };
            words.iter().any(|word| name.contains(word))
        };
        let rest = |tags: &[solio::photo::Tag]| -> Vec<_> {
            tags.iter().map(shown).filter(|tag| tag.0 != "GPS" && !is_meant(&tag.1)).collect()
        };
        if edit.date.is_some() {
            let kept = |tags: &[solio::photo::Tag]| -> Vec<_> {
                tags.iter().map(shown).filter(|tag| !is_meant(&tag.1)).collect()
            };
            assert_eq!(kept(&before.tags), kept(&after.tags), "{name} {n}");
        } else {
            assert_eq!(rest(&before.tags), rest(&after.tags), "{name} {n}");
            assert!(!after.tags.iter().any(|tag| tag.group == "GPS"), "{name} {n}");
        }
    }
    println!("{changed} changed, {left} left");
    assert!(changed > 100 && left > 50, "{changed} changed, {left} left");
}
