//! The kinds of raw files one by one: those of the corpus, and a small one of each made here, with
//! the structure that cameras give it, since no free corpus has all.
//!
//! `SOLIO_BLESS=1` writes the table into `docs/formats/photo.md`.

mod build;
mod made;

use super::photos::{files, photos, root};
use super::{Report, exiftool, is_read, members, read};
use solio_photo::Fields;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Kinds that are read, by what ExifTool calls them.
const KINDS: [&str; 13] =
    ["DNG", "CR2", "CR3", "NEF", "ARW", "ORF", "RW2", "PEF", "SRW", "3FR", "RAF", "CRW", "MRW"];

/// How the files below `folder` agree, by kind.
fn by_kind(folder: &Path) -> Option<BTreeMap<String, Report>> {
    let words = exiftool(folder, &["-G1", "-a"])?;
    let numbers = exiftool(folder, &["-G1", "-a", "-n"])?;
    let mut all = Vec::new();
    files(folder, &mut all);
    let mut kinds = BTreeMap::<String, Report>::new();
    for path in all {
        let name = path.to_string_lossy().into_owned();
        let (Some(words), Some(numbers)) = (words.get(&name), numbers.get(&name)) else { continue };
        let kind = words.get("File:FileType").and_then(|kind| kind.as_str()).unwrap_or_default();
        let Some(metadata) = read(&path, Fields::all()).filter(|_| is_read(kind)) else { continue };
        let report = kinds.entry(kind.to_owned()).or_default();
        report.files += 1;
        let ours = [members(&metadata, false), members(&metadata, true)];
        report.compare(&path, [words, numbers], [&ours[0], &ours[1]]);
    }
    Some(kinds)
}

/// Keys, how many are there, how many of those are equal both ways.
fn sums(report: &Report) -> [usize; 3] {
    let add = |[keys, there, equal]: [usize; 3], a: &super::Agreement| {
        [keys + a.keys, there + a.there, equal + a.equal.min(a.equal_numbers)]
    };
    report.groups.values().fold([0; 3], add)
}

fn table(corpus: &BTreeMap<String, Report>, made: &BTreeMap<String, Report>) -> String {
    let mut out = String::from(
        "| kind | real files | keys | there | equal | made here: keys | there | equal |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for kind in KINDS {
        let _ = write!(out, "| {kind} | {} |", corpus.get(kind).map_or(0, |report| report.files));
        for report in [corpus.get(kind), made.get(kind)] {
            let cells = report.map(sums).map_or_else(
                || " – | – | – |".to_owned(),
                |[keys, there, equal]| format!(" {keys} | {there} | {equal} |"),
            );
            out.push_str(&cells);
        }
        out.push('\n');
    }
    out
}

#[test]
fn raw_kinds_agree_with_exiftool() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in made::all() {
        std::fs::write(folder.path().join(name), bytes).expect("the file is written");
    }
    let Some(made) = by_kind(folder.path()) else {
        println!("skipped: needs exiftool");
        return;
    };
    for kind in ["DNG", "CR2", "CR3", "NEF", "ARW", "ORF", "RW2", "PEF", "SRW", "3FR"] {
        let report = made.get(kind).unwrap_or_else(|| panic!("{kind} is none to ExifTool"));
        let [keys, there, equal] = sums(report);
        assert!(keys >= 35, "{kind}: {keys} keys");
        assert_eq!(
            (there, equal),
            (keys, keys),
            "{kind}: {:?} {:?}",
            report.missing,
            report.different
        );
        let extra: usize = report.groups.values().map(|a| a.extra).sum();
        assert_eq!(extra, 0, "{kind}");
    }
    let Some(corpus) = photos().and_then(|photos| by_kind(&photos)) else {
        println!("skipped: needs SOLIO_DATA/photo");
        return;
    };
    let table = table(&corpus, &made);
    println!("{table}");
    if std::env::var_os("SOLIO_BLESS").is_some() {
        let path = root().join("docs/formats/photo.md");
        let document = std::fs::read_to_string(&path).expect("the document is there");
        let mark = "## Raw kinds, as measured\n";
        let (head, rest) = document.split_once(mark).expect("the document has the chapter");
        let (text, _) = rest.split_once("| kind").expect("a text stands before the table");
        let (_, tail) = rest.split_once("\n\n## ").expect("another chapter follows");
        let text = format!("{head}{mark}{text}{table}\n## {tail}");
        std::fs::write(&path, text).expect("the document is written");
    }
}
