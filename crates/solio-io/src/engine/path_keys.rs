//! Under which name an open file is kept: its path, folded where the medium takes names that
//! differ only in case for the same.
//!
//! Folding more than the medium does is harmless: a hit counts only when the path still means the
//! file (`handles.rs`). So the whole path is folded where its last folder folds, by Unicode's
//! simple folding, whatever table the medium has.

use solio_base::lock;
use solio_base::names::OsStrBytes;
use solio_codec::fold::fold_path;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Folders whose answer is remembered.
const MOST_FOLDERS: usize = 1024;

/// Whether names in a folder are folded; `None` when that cannot be found out now.
pub(super) type Folds = fn(&Path) -> Option<bool>;

/// Names of files, with what each folder answered.
pub(super) struct PathNames {
    folds: Folds,
    folders: Mutex<HashMap<PathBuf, bool>>,
}

impl PathNames {
    pub(super) fn new(folds: Folds) -> PathNames {
        PathNames { folds, folders: Mutex::new(HashMap::new()) }
    }

    /// The name to keep the file at `path` under.
    pub(super) fn of<'p>(&self, path: &'p Path) -> Cow<'p, [u8]> {
        let bytes = path.as_os_str().as_bytes();
        let folder = path.parent().unwrap_or(path);
        if !self.folded(folder) {
            return Cow::Borrowed(bytes);
        }
        let mut folded = Vec::new();
        fold_path(&mut folded, bytes);
        Cow::Owned(folded)
    }

    fn folded(&self, folder: &Path) -> bool {
        let folders = || lock(&self.folders);
        if let Some(known) = folders().get(folder) {
            return *known;
        }
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Some(answer) = (self.folds)(here) else { return false };
        let mut folders = folders();
        if folders.len() >= MOST_FOLDERS {
            folders.clear();
        }
        folders.insert(folder.to_owned(), answer);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn names_are_folded_where_the_folder_folds() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let names = PathNames::new(|folder| {
            ASKED.fetch_add(1, Ordering::Relaxed);
            (!folder.ends_with("gone")).then(|| folder.ends_with("Folding"))
        });
        let of = |path: &str| names.of(Path::new(path)).into_owned();
        assert_eq!(of("a/Folding/X\u{c4}.OBJ"), "a/folding/x\u{e4}.obj".as_bytes());
        assert_eq!(of("a/Folding/x\u{e4}.obj"), of("a/Folding/X\u{c4}.obj"));
        assert_eq!(of("a/Plain/X.obj"), b"a/Plain/X.obj");
        assert_eq!(of("X.obj"), b"X.obj");
        assert_eq!(ASKED.load(Ordering::Relaxed), 3, "each folder once");
        assert_eq!((of("gone/X"), of("gone/Y")), (b"gone/X".to_vec(), b"gone/Y".to_vec()));
        assert_eq!(ASKED.load(Ordering::Relaxed), 5, "no answer is not remembered");
        (0..3 * MOST_FOLDERS).for_each(|i| _ = of(&format!("{i}/x")));
        assert!(names.folders.lock().unwrap().len() <= MOST_FOLDERS);
    }

    #[test]
    fn the_system_answers_for_folders_only() {
        let dir = tempfile::tempdir().unwrap();
        assert!(sys::folds(dir.path()).is_some());
        if cfg!(target_os = "linux") {
            assert_eq!(sys::folds(&dir.path().join("none")), None);
            assert_eq!(sys::folds(Path::new("/proc")), Some(false));
        }
    }
}
