//! Files that one process at a time may write.

use crate::{io_error, sys};
use solio_base::Result;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Holds a file until it is dropped, or the process ends, however that comes.
///
/// ```
/// use solio_io::lock::{FileLock, lock};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("catalog.lock");
/// /// The catalogue, while nobody else writes it.
/// struct Writer {
///     _lock: FileLock,
/// }
/// let writer = lock(&path)?.map(|lock| Writer { _lock: lock });
/// assert!(writer.is_some() && lock(&path)?.is_none());
/// drop(writer);
/// assert!(lock(&path)?.is_some());
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug)]
pub struct FileLock(File);

impl Drop for FileLock {
    /// Unlocks by word, as closing is not enough: a child that another thread is just starting has
    /// a copy of the descriptor until it executes its program.
    fn drop(&mut self) {
        // What cannot be unlocked is let go when the last copy is closed.
        let _ = sys::unlock(&self.0);
    }
}

/// Takes the lock (`flock`, on Windows of a byte behind all data) of the file at `path`, which is made where there is none; `None` while
/// another process holds it.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("scan.lock");
/// let Some(_held) = solio_io::lock::lock(&path)? else {
///     panic!("another scan is running");
/// };
/// // Who comes now is told so, and does not wait.
/// assert!(solio_io::lock::lock(&path)?.is_none());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Io` where the file cannot be opened or made, `Argument` for a name that the system would change.
pub fn lock(path: &Path) -> Result<Option<FileLock>> {
    crate::check_new_name(path)?;
    let file = open(path).map_err(|e| io_error("open", e, path))?;
    match sys::try_lock(&file) {
        Ok(()) => Ok(Some(FileLock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(io_error("lock", e, path)),
    }
}

#[allow(clippy::disallowed_methods)]
fn open(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn the_file_stays_open_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        crate::probe::write_plain(&path, b"data").unwrap();
        let held = lock(&path).unwrap();
        // As SQLite opens what it is about: by another handle.
        assert_eq!(std::fs::read(&path).unwrap(), b"data");
        crate::probe::write_plain(&path, b"other").unwrap();
        assert!(held.is_some() && lock(&path).unwrap().is_none());
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = lock(&path).unwrap();
        assert!(first.is_some() && path.exists());
        assert!(lock(&path).unwrap().is_none());
        // As a child has it that was forked meanwhile.
        let copy = first.as_ref().unwrap().0.try_clone().unwrap();
        drop(first);
        assert!(lock(&path).unwrap().is_some());
        drop(copy);
        assert_eq!(lock(folder.path()).unwrap_err().path(), Some(folder.path()));
    }
}
