//! The table of classes: real scenes fit it, and the document shows it.
//! `SOLIO_BLESS=1 cargo test -p solio-scene --test schema` writes the document.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

mod scenes;

use solio_scene::pbrt::parse;
use solio_scene::pbrt::schema::{Checker, Version, VersionMarks, describe};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/pbrt.md");
const START: &str = "<!-- classes: start -->\n";
const END: &str = "<!-- classes: end -->";

#[test]
fn real_scenes_fit() {
    let mut found = Vec::new();
    for path in scenes::all() {
        let text = std::fs::read(&path).expect("a scene that can be read");
        let statements = parse(&text, 0);
        let name = path.to_string_lossy().into_owned();
        let version = if name.contains("v3-scenes") { Version::V3 } else { Version::V4 };
        let mut marks = VersionMarks::default();
        marks.see(&statements);
        assert!(marks.version().is_none_or(|found| found == version), "{name}: {marks:?}");
        let mut checker = Checker::new(version);
        for statement in &statements.statements {
            for problem in checker.check(&statements, statement) {
                let at = problem.error.offset().expect("a place") as usize;
                let line = text[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
                let message = problem.error.message().to_string();
                // Many of them set the mapping of a texture twice, some the resolution.
                if !message.ends_with("stands here twice") {
                    found.push(format!("{name}:{line}: {:?}: {message}", problem.severity));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_document_shows_the_table() {
    let text = std::fs::read_to_string(DOCUMENT).expect("the document");
    let start = text.find(START).expect("the table's start") + START.len();
    let end = text.find(END).expect("the table's end");
    let table = describe();
    if std::env::var_os("SOLIO_BLESS").is_some() {
        let whole = format!("{}{table}\n{}", &text[..start], &text[end..]);
        std::fs::write(DOCUMENT, whole).expect("the document can be written");
        return;
    }
    assert_eq!(text[start..end].trim(), table.trim(), "SOLIO_BLESS=1 writes the table");
}
