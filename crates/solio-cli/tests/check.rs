//! `solio check` of folders, run as a user runs it.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{is_name, run};
use solio::names::OsStrBytes;
use std::ffi::OsStr;

#[test]
fn a_folder_without_files_is_nothing_to_check() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
    let ran = run(dir.path(), &["check", "a"], b"");
    assert_eq!((ran.code, &*ran.err), (3, "solio: there are no files\n"));
}

#[test]
fn a_report_is_of_all_files_also_where_nobody_reads_on() {
    let dir = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(["check", "in", "--json", "--junit", "report.xml", "-j", "1"])
        .current_dir(dir.path())
        .stdout(writer)
        .status();
    assert_eq!(status.unwrap().code(), Some(1));
    let report = std::fs::read_to_string(dir.path().join("report.xml")).unwrap();
    // Eight files and two folders.
    assert_eq!(report.matches("<testcase ").count(), 10, "{report}");
}

/// A name that is no text, where the system has such.
fn odd() -> Option<&'static [u8]> {
    Some(&b"in/caf\xe9.txt"[..]).filter(|name| is_name(name))
}

/// A cube of STL, a cut one, a text, frames with a hole.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &[u8], bytes: &[u8]| {
        let path = dir.path().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let mut stl = vec![0; 84 + 50 * 12];
    (stl[0], stl[80]) = (1, 12);
    write(b"in/whole.stl", &stl);
    write(b"in/cut.stl", &stl[..300]);
    write(b"in/notes.txt", b"hello\n");
    write(odd().unwrap_or("in/caf\u{e9}.txt".as_bytes()), b"hello\n");
    for frame in [1, 2, 4, 5] {
        write(format!("in/sub/f.{frame:04}.dat").as_bytes(), b"x");
    }
    dir
}

#[test]
fn folders_are_checked_with_all_below_them() {
    let dir = folder();
    let ran = run(dir.path(), &["check", "in"], b"");
    assert_eq!(ran.code, 1);
    let text = String::from_utf8_lossy(&ran.out).into_owned();
    let wanted = "\
in/sub: 1 problem
  missing-frames: f.1-5#.dat: 1 of 5 frames are missing: 3
in/caf\u{fffd}.txt: 1 problem
  name: the name is not valid UTF-8: caf%E9.txt
in/cut.stl: 1 problem
  byte 300: the file ends after 4 of 12 triangles
kind    files  problems
folder      2         1
other       6         1
stl         2         1
";
    let told = "in/caf\u{fffd}.txt: 1 problem\n  name: the name is not valid UTF-8: caf%E9.txt\n";
    match odd() {
        Some(_) => assert_eq!(text, wanted),
        None => assert_eq!(text, wanted.replace(told, "").replace("6         1", "6         –")),
    }
    assert!(
        odd().is_none() || ran.err.starts_with("solio: 2 of 8 files are damaged or unreadable;")
    );
    assert!(ran.err.ends_with("; naming problems in 1 of 2 folders\n"), "{}", ran.err);
    let ran = run(dir.path(), &["check", "in", "--ignore", "missing-frames,name"], b"");
    assert_eq!((ran.code, ran.text().lines().count()), (1, 6), "{}", ran.text());
    std::fs::remove_file(dir.path().join("in/cut.stl")).unwrap();
    let ran = run(dir.path(), &["check", "in", "--ignore", "missing-frames,name", "-v"], b"");
    assert_eq!(ran.code, 0);
    assert!(String::from_utf8_lossy(&ran.out).contains("in/whole.stl: ok (stl, 12 triangles)\n"));
}

#[test]
fn reports_are_for_programs_too() {
    let dir = folder();
    let ran = run(dir.path(), &["check", "in", "--json", "--junit", "report.xml", "-j", "1"], b"");
    assert_eq!(ran.code, 1);
    let found = ran.json();
    assert_eq!(found.len(), 10);
    let of = |path: &str| found.iter().find(|line| line["path"] == path).unwrap();
    assert_eq!(of("in/sub")["problems"][0]["kind"], "missing-frames");
    assert_eq!(of("in/cut.stl")["problems"][0]["offset"], 300);
    assert_eq!(of("in/whole.stl")["ok"], true);
    if odd().is_some() {
        assert_eq!(of("in/caf\u{fffd}.txt")["path_encoded"], "in/caf%E9.txt");
    }
    let xml = std::fs::read_to_string(dir.path().join("report.xml")).unwrap();
    let failures = 2 + usize::from(odd().is_some());
    assert!(xml.contains(&format!("tests=\"10\" failures=\"{failures}\" errors=\"0\"")), "{xml}");
    assert!(xml.contains("<testcase classname=\"stl\" name=\"in/cut.stl\">"), "{xml}");
    let gone = run(dir.path(), &["check", "gone", "in/whole.stl"], b"");
    assert_eq!(gone.code, 1);
    assert!(gone.err.contains("gone: cannot open"), "{}", gone.err);
}
