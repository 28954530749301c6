//! The real scenes that tests read, where there are any.

use std::path::{Path, PathBuf};

/// All scenes of the folder that `SOLIO_DATA` names, sorted; none where it is absent.
pub(crate) fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let folder = data.unwrap_or_else(|| root.join("../shared/data")).join("scene");
    let all = under(&folder);
    if all.is_empty() {
        println!("skipped: no scenes in {}", folder.display());
    }
    all
}

fn under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut under(&path));
        } else if path.extension().is_some_and(|end| end == "pbrt") {
            found.push(path);
        }
    }
    found.sort();
    found
}
