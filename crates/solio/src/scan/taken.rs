//! The catalogue as a file that one scan at a time has for itself.

use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_catalog::store::Store;
use solio_io::lock::{FileLock, lock};
use std::os::unix::ffi::OsStrExt;
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

/// Only a database, or nothing, is thrown away: a name given by mistake costs no file.
fn may_be_removed(catalog: &Path) -> Result<()> {
    let opened = solio_io::open(catalog, &Limits::default(), &Work::serial())?;
    let mut mark = [0; 16];
    let got = opened.source.read_at(0, &mut mark).map_err(|e| e.at_path(catalog))?;
    if got == 0 || mark == *b"SQLite format 3\0" {
        return Ok(());
    }
    let error = Error::corrupt("this is no catalogue, so it is not thrown away").at_path(catalog);
    Err(error.hint("if it was one, remove the file and scan again"))
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

/// Tells the catalogue, and what SQLite keeps beside it, from other files.
pub(super) struct OwnFiles {
    folder: PathBuf,
    name: Vec<u8>,
}

impl OwnFiles {
    pub(super) fn of(catalog: &Path) -> Result<OwnFiles> {
        let path = std::path::absolute(catalog);
        let path = path.map_err(|e| Error::io("find", e).at_path(catalog))?;
        let name = path.file_name().unwrap_or_default().as_bytes().to_vec();
        Ok(OwnFiles { folder: path.parent().unwrap_or(Path::new("")).to_owned(), name })
    }

    /// Whether `name` in `folder`, an absolute path, is one of them.
    pub(super) fn has(&self, folder: &[u8], name: &[u8]) -> bool {
        name.strip_prefix(&*self.name).is_some_and(|end| {
            BESIDE.iter().any(|beside| beside.as_bytes() == end)
                && folder == self.folder.as_os_str().as_bytes()
        })
    }
}
