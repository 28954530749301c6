//! One file under several names, made and unmade.

use crate::status::{Status, status_of_name};
use crate::{FileSink, SinkOptions, io_error};
use solio_base::{Error, Result, Sink, Work};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, UNIX_EPOCH};

/// Makes `path`, a file that is there, a further name of the file at `of`, in one step: at any moment there is
/// the old file or the new name.
///
/// ```
/// use solio_io::walk::status_of;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&a, b"the same")?;
/// # solio_io::probe::write_plain(&b, b"the same")?;
/// solio_io::link_over(&a, &b)?;
/// assert_eq!(status_of(&a)?.inode, status_of(&b)?.inode);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Io` where the two lie on different file systems, or the folder cannot be written.
pub fn link_over(of: &Path, path: &Path) -> Result<()> {
    let (kept, replaced) = (status_of_name(of)?.0, status_of_name(path)?.0);
    if (kept.device, kept.inode) == (replaced.device, replaced.inode) {
        return Ok(());
    }
    let between = beside(path);
    std::fs::hard_link(of, &between).map_err(|e| io_error("make a link to this file", e, of))?;
    std::fs::rename(&between, path).map_err(|e| {
        // The link is no loss: the file has its other name.
        let _ = std::fs::remove_file(&between);
        io_error("put the link in place", e, path)
    })
}

/// Makes the file at `path` one of its own again, with this mode and time of modification: its other names lead
/// to what they led to.
///
/// ```
/// use solio_base::Work;
/// use solio_io::walk::status_of;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&a, b"the same")?;
/// # solio_io::probe::write_plain(&b, b"the same")?;
/// let before = status_of(&b)?;
/// solio_io::link_over(&a, &b)?;
/// solio_io::unlink_copy(&b, &before, &Work::default())?;
/// assert_ne!(status_of(&a)?.inode, status_of(&b)?.inode);
/// assert_eq!(status_of(&b)?.modified_ns / 1000, before.modified_ns / 1000);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Those of reading and writing it.
#[allow(clippy::disallowed_methods)] // only its time and mode are set
pub fn unlink_copy(path: &Path, before: &Status, work: &Work) -> Result<()> {
    let mut sink = FileSink::create(path, &SinkOptions::default(), work)?;
    crate::read_raw(path, work, |part| sink.write_bytes(work, part))?;
    sink.commit()?;
    let failed = |e| io_error("set the time of", e, path);
    let file = std::fs::File::options().write(true).open(path).map_err(failed)?;
    let modified = u64::try_from(before.modified_ns).ok();
    let modified = modified.and_then(|ns| UNIX_EPOCH.checked_add(Duration::from_nanos(ns)));
    if let Some(modified) = modified {
        file.set_modified(modified).map_err(failed)?;
    }
    crate::sys::set_mode(&file, before.mode).map_err(|e| io_error("set the mode of", e, path))?;
    Ok(())
}

/// A new file at `path`, for whoever appends to it.
///
/// # Errors
/// `Io` where something is there already.
#[allow(clippy::disallowed_methods)] // it is not replaced: nothing may be there
pub fn new_file(path: &Path) -> Result<std::fs::File> {
    let made = std::fs::File::options().write(true).create_new(true).open(path);
    made.map_err(|e| io_error("make", e, path).hint("name a file that is not there yet"))
}

/// A name in the same folder that nothing has.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!(".solio-link-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
    path.with_file_name(name)
}

/// That `path` is still as it was looked at.
///
/// # Errors
/// `Io` where it is not, and those of looking.
pub fn check_unchanged(path: &Path, then: &Status) -> Result<()> {
    let (now, _) = status_of_name(path)?;
    let same = |it: &Status| (it.device, it.inode, it.size, it.modified_ns);
    if same(&now) == same(then) {
        return Ok(());
    }
    let error = Error::new(solio_base::ErrorKind::Io, "this file has changed meanwhile");
    Err(error.at_path(path).hint("run the command again"))
}
