//! The photos of `SOLIO_DATA`, where they are there.

use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository").to_owned()
}

/// The folder of photos.
pub(crate) fn photos() -> Option<PathBuf> {
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let photos = data.unwrap_or_else(|| root().join("../shared/data")).join("photo");
    photos.is_dir().then_some(photos)
}

/// All files below `folder`, by name.
pub(crate) fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}
