//! Replays the bodies of the fuzz targets over the golden and broken files and over what fuzzing
//! has found. `fuzz/findings/TARGET/` has a file for each finding.
#![allow(clippy::disallowed_methods)]

#[path = "../../../fuzz/bodies/mod.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

use std::fs;
use std::path::{Path, PathBuf};

/// All files under `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.append(&mut files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// What a fuzz target does with an input.
type Body = fn(&[u8]);

/// One test for all, as the memory that each takes is measured.
#[test]
fn what_fuzzing_found_stays_fixed() {
    bodies::init();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let targets: [(&str, Body); 6] = [
        ("obj", bodies::obj),
        ("mtl", bodies::mtl),
        ("ply", bodies::ply),
        ("stl", bodies::stl),
        ("off", bodies::off),
        ("number", bodies::number),
    ];
    let data = files(&root.join("data"));
    for (name, body) in targets {
        let kept = kept::kept(name);
        assert!(!kept.is_empty(), "no findings for {name}");
        let own = data.iter().filter(|path| path.extension().is_some_and(|end| end == name));
        let own = own.map(|path| (path.display().to_string(), fs::read(path).expect("readable")));
        for (place, bytes) in kept.into_iter().chain(own) {
            let ran = std::panic::catch_unwind(|| body(&bytes));
            assert!(ran.is_ok(), "target {name}: {place}: panicked as told above");
        }
    }
}
