//! Names of files that are hard to hand on: each comes back, byte by byte, from every form of
//! output of `solio meta`.

use crate::hostile_names::{self, tiff};
use crate::ran::{is_name, run as solio};
use solio::names::OsStrBytes;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

/// Writes pictures of all names that the system has; these.
fn written(dir: &Path) -> Vec<Vec<u8>> {
    let mut names = hostile_names::names();
    assert_eq!(names.len(), 21);
    names.retain(|name| is_name(name));
    names.retain(|name| {
        let made = std::fs::write(dir.join(OsStr::from_bytes(name)), tiff(6));
        // Halves of characters are names on Windows, but not of systems that imitate it.
        if made.is_err() && std::str::from_utf8(name).is_err() && cfg!(windows) {
            println!("without a name that is half a character: {made:?}");
            return false;
        }
        made.unwrap();
        true
    });
    assert!(names.len() >= 9);
    names
}

/// `%E9` as the byte.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let (digits, after) = rest.split_at(2);
            let digits = std::str::from_utf8(digits).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    bytes
}

fn of_json(file: &serde_json::Value) -> Vec<u8> {
    assert_eq!(file.get("Error"), None, "{file}");
    let orientation = file.get("IFD0:Orientation").or(file.get("Orientation"));
    assert_eq!(orientation.unwrap(), "Rotate 90 CW");
    match file.get("SourceFileEncoded") {
        Some(encoded) => decoded(encoded.as_str().unwrap()),
        None => file["SourceFile"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// The one array of a text.
fn array(text: &str) -> Vec<serde_json::Value> {
    serde_json::from_str(text).unwrap()
}

/// Cells of comma-separated values, by lines.
fn cells(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut cell, mut quoted) =
        (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.push(letters.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            other => cell.push(other),
        }
    }
    lines
}

#[test]
fn every_name_comes_back_from_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let names = written(dir.path());
    let list: Vec<u8> = names.iter().flat_map(|name| [&name[..], &[0]].concat()).collect();
    let run = |form: &str| {
        let arguments = ["meta", "-0", "--files-from", "-", "-f", "Orientation", form];
        let ran = solio(dir.path(), &arguments, &list);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{form}");
        ran
    };
    // In the order of the list.
    for form in ["--json", "--exiftool-json"] {
        let found: Vec<Vec<u8>> = array(run(form).text()).iter().map(of_json).collect();
        assert_eq!(found, names, "{form}");
    }
    let text = run("--jsonl").text().to_owned();
    let lines = text.lines().map(|line| of_json(&serde_json::from_str(line).unwrap()));
    assert_eq!(lines.collect::<Vec<_>>(), names, "--jsonl");
    let grid = cells(run("--csv").text());
    // A column of its own, where a name needs it.
    let heads = ["SourceFile", "SourceFileEncoded", "Orientation"];
    let is_text = names.iter().all(|name| std::str::from_utf8(name).is_ok());
    assert_eq!(grid[0], if is_text { vec![heads[0], heads[2]] } else { heads.to_vec() });
    let name = |row: &Vec<String>| match row[1].as_str() {
        _ if is_text => row[0].as_bytes().to_vec(),
        "" => row[0].as_bytes().to_vec(),
        encoded => decoded(encoded),
    };
    assert_eq!(grid[1..].iter().map(name).collect::<Vec<_>>(), names, "--csv");
    // One line a file, whatever is in its name.
    assert_eq!(run("--table").text().lines().count(), names.len() + 1);
}

#[test]
fn every_name_is_found_in_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let names = written(dir.path());
    let ran = solio(dir.path(), &["meta", "--json", "-f", "Orientation", "."], b"");
    let file_name = |file: &serde_json::Value| {
        let path = of_json(file);
        Path::new(OsStr::from_bytes(&path)).file_name().unwrap().as_bytes().to_vec()
    };
    let found: BTreeSet<Vec<u8>> = array(ran.text()).iter().map(file_name).collect();
    assert_eq!(found, names.into_iter().collect());
}
