//! `solio lab` as people and scripts meet it.
#![cfg(feature = "lab")]
#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{Ran, names};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn solio(dir: &Path, line: &str) -> Ran {
    ran::run(dir, &line.split_whitespace().collect::<Vec<_>>(), b"")
}

/// A folder with an image, a mesh, an array of NumPy, and numbers without a head.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let numbers: Vec<u8> =
        (0..48 * 40 * 3).flat_map(|i| (i as f32 * 0.01).sin().to_le_bytes()).collect();
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 48, 3), }\n";
    let length = (head.len() as u16).to_le_bytes();
    let npy = [b"\x93NUMPY\x01\x00", &length[..], head.as_bytes(), &numbers].concat();
    std::fs::write(dir.path().join("a.npy"), npy).unwrap();
    std::fs::write(dir.path().join("a.bin"), &numbers).unwrap();
    let mut mesh = String::new();
    for i in 0..300 {
        mesh += &format!("v {} {} {}\n", i % 17, f64::from(i) * 0.37, i * i % 23);
    }
    for i in 1..298 {
        mesh += &format!("f {i} {} {}\n", i + 1, i + 2);
    }
    std::fs::write(dir.path().join("a.obj"), mesh).unwrap();
    solio(dir.path(), "gradient viridis -o a.png --size 64x40").fine();
    solio(dir.path(), "gradient viridis -o a.exr --size 64x40").fine();
    std::fs::write(dir.path().join("broken.exr"), b"v/1\x01 this is no image").unwrap();
    dir
}

fn kinds(data: &Value) -> Vec<&str> {
    data["arrays"].as_array().unwrap().iter().map(|a| a["kind"].as_str().unwrap()).collect()
}

#[test]
fn every_kind_of_file_is_taken_and_bad_ones_are_passed_by() {
    let dir = folder();
    let line = "lab a.exr a.png a.npy a.obj broken.exr missing.exr --seconds 0 --json -o lab.html";
    let ran = solio(dir.path(), line);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("broken.exr") && ran.err.contains("missing.exr"), "{}", ran.err);
    let data = &ran.json()[0];
    let expected = ["float colour", "integer colour", "numbers", "mesh positions", "mesh indices"];
    assert_eq!(kinds(data), expected);
    assert_eq!(data["failed"].as_array().unwrap().len(), 2);
    assert_eq!(data["refused"].as_array().unwrap().len(), 0, "{}", data["refused"]);
    assert_eq!(data["statements"].as_array().unwrap().len(), 7);
    for cell in data["cells"].as_array().unwrap() {
        assert!(cell["packed_bytes"].as_u64().unwrap() <= 2 * cell["raw_bytes"].as_u64().unwrap());
        assert!(cell["write_mb_s"][0].as_f64().unwrap() > 0.0, "{cell}");
    }
    let page = std::fs::read_to_string(dir.path().join("lab.html")).unwrap();
    assert!(page.contains("\"statements\"") && !page.contains("/*DATA*/"));
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
    assert!(!page.contains("https://"));
}

#[test]
fn cells_come_as_a_table() {
    let dir = folder();
    let ran = solio(dir.path(), "lab a.bin --raw f32,3,48x40 --seconds 0 --csv").fine();
    let mut lines = ran.text().lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let ratio = head.iter().position(|name| *name == "ratio").unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() > 40);
    for row in &rows {
        assert_eq!(row.len(), head.len(), "{row:?}");
        assert!(row[ratio].parse::<f64>().unwrap() > 0.9, "{row:?}");
    }
    assert_eq!(names(dir.path()).len(), 6, "nothing is left behind");
    let ran = solio(dir.path(), "lab a.npy --seconds 0").fine();
    assert!(ran.text().contains("What a study said in 2021") && ran.text().contains("ratio"));
}

/// What took long is not lost with the page.
#[test]
fn figures_are_printed_where_the_page_cannot_be_written() {
    let dir = folder();
    std::fs::create_dir(dir.path().join("lab.html")).unwrap();
    let ran = solio(dir.path(), "lab a.npy --seconds 0 --csv -o lab.html");
    assert_ne!(ran.code, 0, "{}", ran.err);
    assert!(ran.text().lines().count() > 40 && ran.err.contains("lab.html"), "{}", ran.err);
}

#[test]
fn wrong_words_are_usage() {
    let dir = folder();
    for line in [
        "lab",
        "lab a.bin --raw f17,1,2",
        "lab a.exr --sample some",
        "lab a.exr --seconds -1",
        "lab a.exr --json --csv",
        "lab a.exr -o lab.csv",
        "lab a.exr -o none/lab.html",
    ] {
        assert_eq!(solio(dir.path(), line).code, 2, "{line}");
    }
    let ran = solio(dir.path(), "lab a.bin --raw f32,3,48x41 --seconds 0");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("a.bin: the file has 23040 bytes; f32,3,48x41 needs 23616"),
        "{}",
        ran.err
    );
    let ran = solio(dir.path(), "lab a.npy --python no-such-python --seconds 0");
    assert!(ran.code != 0 && ran.err.contains("no-such-python"), "{}", ran.err);
}
