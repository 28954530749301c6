//! The program that runs: a benchmark starts it again.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static OWN: OnceLock<PathBuf> = OnceLock::new();

/// Keeps what starts this program again.
pub(crate) fn set(path: PathBuf) {
    // A second call in the same process is of the same program.
    let _ = OWN.set(path);
}

/// What starts this program again.
pub(crate) fn own() -> &'static Path {
    OWN.get().map_or(Path::new("solio"), PathBuf::as_path)
}
