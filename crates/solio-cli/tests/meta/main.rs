//! `solio meta` as people run it.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // tests read and write their own files

mod binary;
mod drop_in;
mod exiftool;
mod folders;
#[path = "../../../solio/tests/hostile_names/mod.rs"]
mod hostile_names;
mod names;
#[path = "../ran/mod.rs"]
mod ran;

#[test]
fn lists_of_names_may_have_spaces() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.tif"), hostile_names::tiff(6)).unwrap();
    let args = ["meta", "-n", "--csv", "-f", "Make, Orientation", "a.tif"];
    let ran = ran::run(dir.path(), &args, b"").fine();
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!(lines, ["SourceFile,Make,Orientation", "a.tif,,6"]);
}
