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

/// Files as other programs write them: the lenient STL reader, headers of PLY with a byte order mark and
/// with types that PLY does not have.
fn written_otherwise(target: &str) -> Vec<(String, Vec<u8>)> {
    let stl = "solid a b\nfacet normal 0 0 1\nouter  loop\nvertex 0 0 0\nvertex 1 0 0 red\n\
               vertex 0 1 0\nend loop\nend facet\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n\
               end solid a b\n";
    let ply = "\u{feff}ply\nformat ascii 1.0\ncomment Gr\u{fc}n\nelement vertex 1\nproperty float16 x\n\
               property long y\nproperty uint64 z\nproperty bool ok\nelement face 1\n\
               property list uint64 int64 vertex_indices\nend_header\n1 2 3 1\n3 0 0 0\n";
    let text = match target {
        "stl" => stl,
        "ply" => ply,
        _ => return Vec::new(),
    };
    let mut all = vec![(format!("written otherwise: {target}"), text.as_bytes().to_vec())];
    for at in 0..text.len() {
        let named = |what: &str| format!("written otherwise: {target}, {what} {at}");
        let mut changed = text.as_bytes().to_vec();
        changed[at] ^= 0x91;
        all.push((named("changed at"), changed));
        all.push((named("cut off at"), text.as_bytes()[..at].to_vec()));
    }
    all
}

/// One test for all, as the memory that each takes is measured.
#[test]
fn what_fuzzing_found_stays_fixed() {
    bodies::init();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let targets: [(&str, Body); 10] = [
        ("obj", bodies::obj),
        ("mtl", bodies::mtl),
        ("ply", bodies::ply),
        ("stl", bodies::stl),
        ("off", bodies::off),
        ("gltf", bodies::gltf),
        ("splat", bodies::splat),
        ("spz", bodies::spz),
        ("sog", bodies::sog),
        ("number", bodies::number),
    ];
    let data = files(&root.join("data"));
    for (name, body) in targets {
        let kept = kept::kept(name);
        assert!(!kept.is_empty(), "no findings for {name}");
        let own = data.iter().filter(|path| path.extension().is_some_and(|end| end == name));
        let own = own.map(|path| (path.display().to_string(), fs::read(path).expect("readable")));
        for (place, bytes) in kept.into_iter().chain(own).chain(written_otherwise(name)) {
            let ran = std::panic::catch_unwind(|| body(&bytes));
            assert!(ran.is_ok(), "target {name}: {place}: panicked as told above");
        }
    }
}
