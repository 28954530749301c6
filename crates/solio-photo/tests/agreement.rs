//! How far the tags agree with ExifTool's, group by group, over the photos of `SOLIO_DATA`.
//!
//! Prints a line with `skipped` where ExifTool or the photos are missing. `SOLIO_BLESS=1` writes
//! the report into `docs/formats/photo.md`.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

mod made;
mod photos;
mod raw_kinds;

use photos::{files, photos, root};
use serde_json::Value as Json;
use solio_photo::{Fields, JsonOptions, Metadata, ReadOptions, Value, decode_metadata, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

type Members = BTreeMap<String, Json>;

/// ExifTool's answer for every file below `photos`, by path; `None` without ExifTool.
fn exiftool(photos: &Path, options: &[&str]) -> Option<BTreeMap<String, Members>> {
    let output =
        Command::new("exiftool").args(options).arg("-j").arg("-r").arg(photos).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let list: Vec<Members> = serde_json::from_str(&text).expect("ExifTool prints JSON");
    let path = |members: &Members| members["SourceFile"].as_str().expect("a path").to_owned();
    Some(list.into_iter().map(|members| (path(&members), members)).collect())
}

fn read(path: &Path, fields: Fields) -> Option<Metadata> {
    let bytes = std::fs::read(path).expect("the file is there");
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let options = ReadOptions { fields, extension, ..ReadOptions::default() };
    decode_metadata(&bytes[..], &options).ok()
}

fn members(metadata: &Metadata, numbers: bool) -> Members {
    let mut text = String::from("{");
    json(&metadata.tags, JsonOptions { numbers, bare_names: false }, "\n", &mut text);
    text.push('}');
    serde_json::from_str(&text).expect("our JSON is JSON")
}

/// How one group agrees.
#[derive(Default)]
struct Agreement {
    keys: usize,
    there: usize,
    equal: usize,
    equal_numbers: usize,
    extra: usize,
}

#[derive(Default)]
struct Report {
    /// Of the files, those that the test made.
    made: usize,
    groups: BTreeMap<String, Agreement>,
    missing: BTreeMap<String, usize>,
    /// Only here.
    extra: BTreeMap<String, usize>,
    different: BTreeMap<String, (usize, String)>,
    files: usize,
    kinds: BTreeMap<String, usize>,
}

/// Groups that are shown together; `None` for what is about the file system or the run.
fn shown_group(key: &str) -> Option<String> {
    let group = key.split(':').next().unwrap_or_default();
    Some(match group {
        "System" | "ExifTool" | "SourceFile" => return None,
        _ if group.starts_with("XMP") => "XMP".into(),
        _ if group.starts_with("ICC") => "ICC_Profile".into(),
        _ if group.starts_with("SubIFD") => "SubIFD".into(),
        _ if group.starts_with("Track") => "QuickTime tracks".into(),
        "IPTC2" | "IPTC3" => "IPTC".into(),
        "Keys" | "ItemList" | "UserData" | "Meta" => "QuickTime".into(),
        "PNG-pHYs" | "PNG-cICP" => "PNG".into(),
        other => other.to_owned(),
    })
}

impl Report {
    fn compare(&mut self, path: &Path, theirs: [&Members; 2], ours: [&Members; 2]) {
        for (key, value) in theirs[0] {
            let Some(group) = shown_group(key) else { continue };
            let agreement = self.groups.entry(group).or_default();
            agreement.keys += 1;
            let Some(our) = ours[0].get(key) else {
                *self.missing.entry(key.clone()).or_default() += 1;
                continue;
            };
            agreement.there += 1;
            agreement.equal += usize::from(our == value);
            let numbers = (ours[1].get(key), theirs[1].get(key));
            agreement.equal_numbers += usize::from(numbers.0 == numbers.1);
            let both = if our != value { Some((value, our)) } else { None };
            let both =
                both.or_else(|| numbers.1.zip(numbers.0).filter(|(theirs, ours)| theirs != ours));
            if let Some((their, our)) = both {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let example = format!("{name}: {} / {}", short(their), short(our));
                self.different.entry(key.clone()).or_insert((0, example)).0 += 1;
            }
        }
        for key in ours[0].keys().filter(|key| !theirs[0].contains_key(*key)) {
            if let Some(group) = shown_group(key) {
                self.groups.entry(group).or_default().extra += 1;
                *self.extra.entry(key.clone()).or_default() += 1;
            }
        }
    }

    fn text(&self, version: &str) -> String {
        let mut out = format!(
            "ExifTool {version}, `-j -G1 -a` and the same with `-n`, against {} files of known \
             kinds, {} of which the test makes.\n\n| group | keys | there | equal | equal with `-n` | only here |\n\
             |---|--:|--:|--:|--:|--:|\n",
            self.files, self.made
        );
        let mut groups: Vec<_> = self.groups.iter().filter(|(_, a)| a.keys > 0).collect();
        groups.sort_by_key(|(name, a)| {
            (std::cmp::Reverse(a.there > 0), std::cmp::Reverse(a.keys), *name)
        });
        let rate = |part: usize, all: usize| match all {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * part as f64 / all as f64),
        };
        for (name, a) in groups {
            let _ = writeln!(
                out,
                "| {name} | {} | {} | {} | {} | {} |",
                a.keys,
                rate(a.there, a.keys),
                rate(a.equal, a.there),
                rate(a.equal_numbers, a.there),
                a.extra
            );
        }
        out.push_str("\n### Values that differ\n\nTag, in how many files, one of them: ExifTool's value / this one: why.\n\n");
        for (key, (count, example)) in &self.different {
            let known = include_str!("known_differences.tsv");
            let mut lines = known.lines().filter_map(|line| line.split_once('\t'));
            let reason = lines.find(|(tag, _)| tag == key).map_or("not explained", |(_, why)| why);
            let _ = writeln!(out, "- {key} ({count}): {example}: {reason}");
        }
        out.push_str("\n### Tags that are missing\n\n");
        let own: BTreeSet<&String> =
            self.groups.iter().filter(|(_, a)| a.there > 0).map(|(name, _)| name).collect();
        let listed = |keys: &BTreeMap<String, usize>| {
            let is_own = |key: &str| shown_group(key).is_some_and(|group| own.contains(&group));
            let keys = keys.iter().filter(|(key, _)| is_own(key));
            let list: Vec<String> = keys.map(|(key, count)| format!("{key} ({count})")).collect();
            if list.is_empty() { "None.".to_owned() } else { list.join(", ") }
        };
        out.push_str(&listed(&self.missing));
        out.push_str("\n\n### Tags that are only here\n\n");
        out.push_str(&listed(&self.extra));
        out.push('\n');
        out
    }
}

/// A value short enough for a line, in ASCII.
fn short(value: &Json) -> String {
    let text: String = value.to_string().chars().filter(|c| !c.is_control()).take(60).collect();
    let text: String = text.escape_default().to_string().replace("\\\"", "").replace('|', "/");
    format!("`{}`", text.replace(['`', '\\'], "'"))
}

/// The folder of the files that the test makes.
fn make_files() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made_photos");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (name, bytes) in made::files() {
        std::fs::write(folder.join(name), bytes).expect("a file can be written");
    }
    folder
}

fn compared() -> Option<(Report, String)> {
    let mut report = Report::default();
    compare_folder(&photos()?, &mut report)?;
    let real = report.files;
    compare_folder(&make_files(), &mut report)?;
    report.made = report.files - real;
    let version = Command::new("exiftool").arg("-ver").output().ok()?;
    Some((report, String::from_utf8_lossy(&version.stdout).trim().to_owned()))
}

/// Compares all files below `folder`; `None` without ExifTool.
fn compare_folder(folder: &Path, report: &mut Report) -> Option<()> {
    let words = exiftool(folder, &["-G1", "-a"])?;
    let numbers = exiftool(folder, &["-G1", "-a", "-n"])?;
    let mut all = Vec::new();
    files(folder, &mut all);
    for path in all {
        let name = path.to_string_lossy().into_owned();
        let (Some(words), Some(numbers)) = (words.get(&name), numbers.get(&name)) else { continue };
        let Some(metadata) = read(&path, Fields::all()) else { continue };
        let kind = metadata.get("File:FileType").map(|t| t.text().plain()).unwrap_or_default();
        if !is_read(&kind) {
            continue;
        }
        *report.kinds.entry(kind).or_default() += 1;
        report.files += 1;
        let ours = [members(&metadata, false), members(&metadata, true)];
        report.compare(&path, [words, numbers], [&ours[0], &ours[1]]);
    }
    Some(())
}

/// Whether more than its kind is read of a file.
fn is_read(kind: &str) -> bool {
    !matches!(kind, "" | "AVI")
}

#[test]
fn groups_agree_with_exiftool() {
    let Some((report, version)) = compared() else {
        println!("skipped: needs exiftool and SOLIO_DATA/photo");
        return;
    };
    let text = report.text(&version);
    let table = text.split("\n### ").next().unwrap_or_default();
    println!("{table}\n{:?}", report.kinds);
    if std::env::var_os("SOLIO_BLESS").is_some() {
        let path = root().join("docs/formats/photo.md");
        let document = std::fs::read_to_string(&path).expect("the document is there");
        let mark = "## Agreement, as measured\n";
        let (head, _) = document.split_once(mark).expect("the document has the chapter");
        std::fs::write(&path, format!("{head}{mark}\n{text}")).expect("the document is written");
    }
    // No less than what was reached; hostile files make up most of what is missing.
    for (group, keys, equal) in [
        ("ExifIFD", 99.5, 99.9),
        ("IFD0", 99.0, 99.0),
        ("IFD1", 99.0, 99.9),
        ("GPS", 99.5, 99.0),
        ("InteropIFD", 99.9, 99.9),
        ("JFIF", 99.9, 99.9),
        ("XMP", 97.0, 99.0),
        ("ICC_Profile", 98.0, 99.5),
        ("IPTC", 85.0, 99.0),
        ("Photoshop", 99.0, 99.0),
        ("PNG", 95.0, 98.0),
        ("QuickTime", 98.0, 97.0),
        ("Pentax", 99.5, 99.5),
        ("Olympus", 99.5, 99.5),
        ("FujiFilm", 99.5, 99.5),
        ("Panasonic", 99.5, 99.0),
        ("Apple", 99.5, 99.5),
    ] {
        let a = &report.groups[group];
        let there = 100.0 * a.there as f64 / a.keys as f64;
        let same = 100.0 * a.equal as f64 / a.there as f64;
        assert!(there >= keys, "{group}: {there:.2} % of the keys");
        assert!(same >= equal, "{group}: {same:.2} % of the values");
    }
}

#[test]
fn three_dates_agree_with_exiftool() {
    const DATES: [&str; 3] = ["DateTimeOriginal", "CreateDate", "ModifyDate"];
    let options = DATES.map(|name| format!("-{name}"));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let theirs = photos().and_then(|photos| exiftool(&photos, &options));
    let Some(theirs) = theirs else {
        println!("skipped: needs exiftool and SOLIO_DATA/photo");
        return;
    };
    let (mut compared, mut wrong, mut bytes) = (0, Vec::new(), 0);
    for (name, dates) in theirs {
        let path = Path::new(&name);
        let Some(all) = read(path, Fields::all()) else { continue };
        let kind = all.get("File:FileType").map(|t| t.text().plain()).unwrap_or_default();
        if !is_read(&kind) {
            continue;
        }
        let few = read(path, Fields::of(DATES));
        bytes += few.as_ref().map_or(0, |few| few.bytes_read);
        for date in DATES {
            let text = |m: &Metadata| m.get(date).map(|tag| tag.text());
            let ours = [text(&all), few.as_ref().and_then(text)];
            let ours = ours.map(|v| v.as_ref().map(Value::plain).filter(|v| !v.is_empty()));
            let their = dates.get(date).map(|v| match v {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            });
            let their = their.filter(|text| !text.is_empty());
            compared += usize::from(their.is_some());
            if ours[0] != their || ours[1] != their {
                wrong.push(format!(
                    "{name}: {date}: {their:?}, here {:?} and {:?}",
                    ours[0], ours[1]
                ));
            }
        }
    }
    println!("{compared} dates compared, {} differ", wrong.len());
    assert!(compared > 400, "{compared} dates");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(bytes, 0, "bytes in memory are not read");
}
