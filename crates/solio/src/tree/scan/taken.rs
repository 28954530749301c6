//! The catalogue as a file that one scan at a time has for itself.

use super::export::parquet_of;
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_catalog::store::Store;
use solio_io::lock::{FileLock, lock};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a database.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A catalogue that is being written.
pub(super) struct Taken {
    pub(super) store: Store,
    // Behind the store: let go when that is closed.
    _lock: FileLock,
}

impl Taken {
    /// Takes the catalogue; with `rebuild` what it holds is thrown away.
    pub(super) fn open(catalog: &Path, rebuild: bool) -> Result<Taken> {
        if catalog.exists() && !catalog.is_file() {
            return Err(Error::argument("a catalogue is a plain file").at_path(catalog));
        }
        let mut held = take(catalog)?;
        if rebuild {
            may_be_removed(catalog)?;
            remove_catalog(catalog)?;
            // Where what is open stays until it is closed, the new one would be the old one.
            drop(held);
            held = take(catalog)?;
        }
        Ok(Taken { store: Store::open(catalog)?, _lock: held })
    }

    /// Commits what was written last.
    pub(super) fn close(self) -> Result<()> {
        self.store.close()
    }
}

/// The lock of a catalogue.
fn take(catalog: &Path) -> Result<FileLock> {
    lock(catalog)?.ok_or_else(|| {
        Error::new(ErrorKind::Io, "another scan writes to this catalogue")
            .at_path(catalog)
            .hint("wait for its end, or give another catalogue with -o")
    })
}

/// Only a catalogue, or nothing, is thrown away: a name given by mistake costs no file.
fn may_be_removed(catalog: &Path) -> Result<()> {
    let opened = solio_io::open(catalog, &Limits::default(), &Work::serial())?;
    let mut start = [0; Store::MARK_BYTES];
    let got = opened.source.read_at(0, &mut start).map_err(|e| e.at_path(catalog))?;
    if got == 0 || Store::is_marked(catalog, &start) {
        return Ok(());
    }
    Err(not_a_catalog(catalog))
}

/// A file that is not thrown away.
pub(super) fn not_a_catalog(path: &Path) -> Error {
    let error = Error::corrupt("this is no catalogue, so it is not thrown away").at_path(path);
    error.hint("if it was one, remove the file and scan again")
}

/// Removes a catalogue, with what SQLite keeps beside it.
pub(super) fn remove_catalog(catalog: &Path) -> Result<()> {
    for end in BESIDE {
        let mut path = catalog.as_os_str().to_owned();
        path.push(end);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("remove", e).at_path(path));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Tells the catalogue, and what SQLite keeps beside it, from other files, whichever way a path takes
/// to them.
pub(super) struct OwnFiles {
    /// Folder and name of the catalogue: as given, and where that is a link, of what it leads to.
    places: Vec<(PathBuf, Vec<u8>)>,
}

impl OwnFiles {
    pub(super) fn of(catalog: &Path) -> Result<OwnFiles> {
        let given = solio_base::names::absolute(catalog);
        let given = given.map_err(|e| Error::io("find", e).at_path(catalog))?;
        let mut places: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        // Rows of a Parquet file are collected beside it.
        let parquet = parquet_of(&given);
        let real = [&given]
            .into_iter()
            .chain(&parquet)
            .filter_map(|path| solio_base::names::canonical(path).ok());
        let real: Vec<PathBuf> = real.collect();
        for path in [&given].into_iter().chain(&parquet).chain(&real) {
            let folder = path.parent().unwrap_or(Path::new(""));
            let folder = solio_base::names::canonical(folder).unwrap_or_else(|_| folder.to_owned());
            let place = (folder, path.file_name().unwrap_or_default().as_bytes().to_vec());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(OwnFiles { places })
    }

    /// Whether `name` in `folder`, an absolute path, is one of them.
    pub(super) fn has(&self, folder: &[u8], name: &[u8]) -> bool {
        let is_beside = |end: &[u8]| BESIDE.iter().any(|beside| beside.as_bytes() == end);
        self.places.iter().any(|(own, catalog)| {
            name.strip_prefix(&**catalog).is_some_and(is_beside) && is_same_folder(folder, own)
        })
    }
}

/// Whether a path leads to the folder `own`, which is told without links.
fn is_same_folder(path: &[u8], own: &Path) -> bool {
    let path = Path::new(OsStr::from_bytes(path));
    path == own || solio_base::names::canonical(path).is_ok_and(|path| path == own)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;

    #[test]
    fn a_catalogue_is_known_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("w/sub")).unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        for (to, link) in [("w", "wl"), ("w/c.sqlite", "elsewhere/link.sqlite")] {
            if let Err(error) = solio_io::probe::symlink(at(to), at(link)) {
                return println!("skipped: no symbolic links ({error})");
            }
        }
        solio_io::probe::write_plain(&at("w/c.sqlite"), b"").unwrap();
        let given = ["w/c.sqlite", "wl/c.sqlite", "w/sub/../c.sqlite", "elsewhere/link.sqlite"];
        for given in given {
            let own = OwnFiles::of(&at(given)).unwrap();
            let has = |folder: &str, name: &str| {
                own.has(at(folder).as_os_str().as_bytes(), name.as_bytes())
            };
            for folder in ["w", "wl"] {
                assert!(has(folder, "c.sqlite") && has(folder, "c.sqlite-wal"), "{given}");
            }
            assert!(!has("w/sub", "c.sqlite") && !has("w", "c.sqlite2"), "{given}");
        }
    }
}
