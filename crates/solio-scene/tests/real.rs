//! Real scenes of both versions: everything in them is understood, in one piece and in many.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

use solio_base::Work;
use solio_scene::pbrt::{ReadOptions, Statements, parse, read_statements};
use std::path::{Path, PathBuf};

/// All scenes under `folder`, sorted.
fn scenes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut scenes(&path));
        } else if path.extension().is_some_and(|end| end == "pbrt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn real_scenes_have_no_problems() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let folder = data.unwrap_or_else(|| root.join("../shared/data")).join("scene");
    let all = scenes(&folder);
    if all.is_empty() {
        println!("skipped: no scenes in {}", folder.display());
    }
    for path in all {
        let text = std::fs::read(&path).expect("a scene that can be read");
        let whole = parse(&text, 0);
        assert!(whole.problems.is_empty(), "{}: {:?}", path.display(), whole.problems);
        let options = ReadOptions { piece_bytes: 1000, ..ReadOptions::default() };
        let directives =
            |piece: &Statements| piece.statements.iter().map(|s| (s.at, s.directive)).collect();
        let (mut floats, mut found) = (Vec::new(), Vec::<(u64, _)>::new());
        read_statements(
            &text,
            &options,
            &Work::default(),
            |_| {},
            |piece| {
                floats.extend(piece.statements.floats.iter().map(|float| float.to_bits()));
                found.extend::<Vec<_>>(directives(piece.statements));
                Ok(())
            },
        )
        .expect("text in memory");
        let expected: Vec<u32> = whole.floats.iter().map(|float| float.to_bits()).collect();
        assert!(floats == expected, "{}", path.display());
        assert_eq!(found, directives(&whole), "{}", path.display());
    }
}
