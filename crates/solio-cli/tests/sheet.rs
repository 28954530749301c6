//! `solio sheet`.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{names, run};
use std::fs;

#[test]
fn a_sheet_shows_what_it_can_and_says_what_it_cannot() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("in")).unwrap();
    fs::write(path("in/tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(path("in/notes.txt"), "words").unwrap();
    let ran = run(dir.path(), &["sheet", "in", "-o", "sheet.html", "--json"], b"").fine();
    let line = &ran.json()[0];
    assert_eq!((&line["cells"], &line["passed_by"]), (&1.into(), &1.into()));
    let page = fs::read_to_string(path("sheet.html")).unwrap();
    assert!(page.contains("tri.obj") && page.contains("1 face"));

    // A file that was named is shown, whatever it is; the sheet is written all the same.
    let ran = run(dir.path(), &["sheet", "in", "in/notes.txt", "-o", "sheet.png"], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("notes.txt"), "{}", ran.err);
    assert!(fs::read(path("sheet.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(run(dir.path(), &["sheet", "in", "-o", "sheet.pdf"], b"").code, 2);
    fs::create_dir(path("empty")).unwrap();
    let ran = run(dir.path(), &["sheet", "empty", "-o", "none.html", "--json"], b"");
    assert_eq!((ran.code, &ran.json()[0]["output"]), (3, &serde_json::Value::Null));
    let ran = run(dir.path(), &["sheet", "in", "-o", "sheet.html"], b"").fine();
    assert!(ran.err.contains("1 other file is not shown"), "{}", ran.err);
    assert_eq!(names(dir.path()), ["empty", "in", "sheet.html", "sheet.png"]);
}
