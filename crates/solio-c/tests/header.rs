//! The header that is handed out is the one that the code makes.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

/// The header of the code, without what is said to Rust alone.
fn header() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let made = cbindgen::Builder::new().with_crate(folder).with_config(config).generate().unwrap();
    let mut bytes = Vec::new();
    made.write(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let mut kept = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_end = line.trim() == "//" || line.trim() == "///";
        if is_end && lines.peek().is_some_and(|next| next.contains("# Safety")) {
            // To the declaration.
            while lines.next_if(|next| next.trim_start().starts_with("//")).is_some() {}
            continue;
        }
        kept.push(line.replace('`', ""));
    }
    kept.join("\n") + "\n"
}

#[test]
fn the_header_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/solio.h");
    let made = header();
    if std::env::var_os("SOLIO_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == made,
        "include/solio.h is an old one: SOLIO_BLESS=1 cargo test -p solio-c header"
    );
}
