//! Files that get another place: nothing is replaced, and at any moment all bytes are somewhere.
//!
//! Within a file system a file is renamed by a call that fails where something has the name. To another one
//! it is copied, synced, read back and compared by its digest; then the copy gets its name, the folder is
//! synced, and only then the old name goes.

use crate::atomic::{AtomicFile, sync_folder};
use crate::status::{Status, status_of_name};
use crate::sys::{self, FileExt};
use crate::{check_unchanged, io_error, read_raw};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_codec::digest::{Algorithm, Digest, Hasher};
use std::fs::{File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes that are read back at once.
const STEP_BYTES: usize = 1 << 20;

/// Gives the file at `from` the path `to`, which nothing may have; the folder must be there. To another file
/// system it is copied, and removed when the copy has been read back. Whether it was copied.
///
/// ```
/// use solio_base::Work;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&a, b"a photo")?;
/// # solio_io::probe::write_plain(&c, b"another")?;
/// assert!(!solio_io::move_new(&a, &b, &Work::default())?);
/// // Nothing is replaced.
/// assert!(solio_io::move_new(&b, &c, &Work::default()).is_err());
/// assert!(b.exists() && !a.exists());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Io` where something has the name, the disk is full, or the file changes meanwhile. Then the file is where it
/// was, and nothing else is left.
pub fn move_new(from: &Path, to: &Path, work: &Work) -> Result<bool> {
    crate::check_new_name(to)?;
    match sys::rename_new(from, to) {
        Ok(()) => return Ok(false),
        Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => {}
        Err(e) => return Err(failed("move", e, from, to)),
    }
    let then = copy_new(from, to, work)?;
    let removed = check_unchanged(from, &then)
        .and_then(|()| std::fs::remove_file(from).map_err(|e| io_error("remove", e, from)));
    if removed.is_err() {
        // The file stays the one that it was.
        let _ = std::fs::remove_file(to);
    }
    removed.map(|()| true)
}

/// Makes a copy of the file at `from` with its time and permissions at `to`, which nothing may have, and reads it
/// back. Gives what the file was.
///
/// ```
/// use solio_base::Work;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&a, b"a photo")?;
/// let status = solio_io::copy_new(&a, &b, &Work::default())?;
/// assert_eq!(status.modified_ns, solio_io::walk::status_of(&b)?.modified_ns);
/// assert!(solio_io::copy_new(&a, &b, &Work::default()).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// As [`move_new`].
pub fn copy_new(from: &Path, to: &Path, work: &Work) -> Result<Status> {
    crate::check_new_name(to)?;
    let (then, _) = status_of_name(from)?;
    if std::fs::symlink_metadata(to).is_ok() {
        let there = std::io::ErrorKind::AlreadyExists.into();
        return Err(failed("copy", there, from, to));
    }
    let copy = AtomicFile::create(to)?;
    let file = copy.file.file();
    let mut hasher = Hasher::new(Algorithm::Xxh128);
    let mut at = 0;
    read_raw(from, work, |part| {
        file.write_all_at(part, at).map_err(|e| io_error("write", e, to))?;
        at += part.len() as u64;
        hasher.update(part);
        Ok(())
    })?;
    check_unchanged(from, &then)?;
    keep_times(file, &then).map_err(|e| io_error("set the time of", e, to))?;
    sys::set_mode(file, then.mode).map_err(|e| io_error("set the mode of", e, to))?;
    file.sync_all().map_err(|e| io_error("sync", e, to))?;
    if digest_of(file, at, to, work)? != hasher.finish() {
        let error = Error::new(ErrorKind::Io, "the copy reads back as other bytes");
        return Err(error.at_path(to).hint("the disk or its cable may be damaged"));
    }
    let folder = copy.folder().to_owned();
    copy.commit_new().map_err(|e| failed("copy", e, from, to))?;
    sync_folder(&folder)?;
    Ok(then)
}

/// Removes the file at `copy`, if the one at `of` has the same bytes.
///
/// ```
/// use solio_base::Work;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&a, b"a photo")?;
/// # solio_io::probe::write_plain(&b, b"another")?;
/// assert!(solio_io::remove_copy(&b, &a, &Work::default()).is_err());
/// assert!(b.exists());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Io` where the bytes differ, and those of reading and removing.
pub fn remove_copy(copy: &Path, of: &Path, work: &Work) -> Result<()> {
    let ((copied, _), (kept, _)) = (status_of_name(copy)?, status_of_name(of)?);
    // A further name of the file itself has its bytes.
    let is_name_of_it = (copied.device, copied.inode) == (kept.device, kept.inode);
    if !is_name_of_it && !crate::same_bytes(copy, of, work)? {
        let message = format!("its bytes are not those of {}", of.display());
        return Err(Error::new(ErrorKind::Io, message).at_path(copy).hint("look at both"));
    }
    std::fs::remove_file(copy).map_err(|e| io_error("remove", e, copy))
}

fn failed(action: &str, error: std::io::Error, from: &Path, to: &Path) -> Error {
    if error.kind() == std::io::ErrorKind::AlreadyExists {
        let message = format!("cannot {action} it: {} is there already", to.display());
        return Error::new(ErrorKind::Io, message).at_path(from).hint("run the command again");
    }
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::NotFound => {
            io_error(&format!("{action} to"), error, to)
        }
        _ => io_error(action, error, from),
    }
}

fn keep_times(file: &File, then: &Status) -> std::io::Result<()> {
    file.set_times(FileTimes::new().set_modified(time_of(then.modified_ns)))
}

/// A time before 1970 counts, too.
fn time_of(ns: i64) -> SystemTime {
    let span = Duration::from_nanos(ns.unsigned_abs());
    if ns < 0 { UNIX_EPOCH - span } else { UNIX_EPOCH + span }
}

/// Of what the medium has, where the system can be made to ask it.
fn digest_of(file: &File, bytes: u64, path: &Path, work: &Work) -> Result<Digest> {
    sys::drop_from_cache(file);
    let mut hasher = Hasher::new(Algorithm::Xxh128);
    let mut buffer = vec![0; STEP_BYTES.min(bytes as usize).max(1)];
    let mut at = 0;
    while at < bytes {
        work.cancel.check()?;
        let step = (bytes - at).min(buffer.len() as u64) as usize;
        let read = file.read_exact_at(&mut buffer[..step], at);
        read.map_err(|e| io_error("read back", e, path))?;
        hasher.update(&buffer[..step]);
        at += step as u64;
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;
    use crate::probe::write_plain;

    #[test]
    fn a_file_goes_to_another_file_system_and_back() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm"));
        let Ok(there) = there else { return println!("skipped: there is no /dev/shm") };
        let (a, b) = (here.path().join("a"), there.path().join("b"));
        for size in [0, 1, STEP_BYTES, 3 * STEP_BYTES + 7] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            write_plain(&a, &bytes).unwrap();
            let then = status_of_name(&a).unwrap().0;
            if status_of_name(there.path()).unwrap().0.device == then.device {
                return println!("skipped: /dev/shm is on the same file system");
            }
            assert!(move_new(&a, &b, &Work::default()).unwrap());
            assert!(!a.exists());
            let now = status_of_name(&b).unwrap().0;
            assert_eq!(
                (now.size, now.modified_ns, now.mode),
                (then.size, then.modified_ns, then.mode)
            );
            // Nothing is replaced on the way back either.
            write_plain(&a, b"other").unwrap();
            assert!(move_new(&b, &a, &Work::default()).is_err());
            assert!(b.exists());
            std::fs::remove_file(&a).unwrap();
            assert!(move_new(&b, &a, &Work::default()).unwrap());
            let mut read = Vec::new();
            let part = |part: &[u8]| {
                read.extend_from_slice(part);
                Ok(())
            };
            read_raw(&a, &Work::default(), part).unwrap();
            assert_eq!(read, bytes);
        }
        // Nothing else is left.
        assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_copy_goes_only_while_its_bytes_are_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        write_plain(&a, b"one").unwrap();
        copy_new(&a, &b, &Work::default()).unwrap();
        remove_copy(&b, &a, &Work::default()).unwrap();
        assert!(!b.exists() && a.exists());
        std::fs::hard_link(&a, &b).unwrap();
        remove_copy(&b, &a, &Work::default()).unwrap();
        assert!(!b.exists() && a.exists());
        write_plain(&b, b"ONE").unwrap();
        assert!(remove_copy(&b, &a, &Work::default()).is_err());
        assert!(remove_copy(&a, &folder.path().join("none"), &Work::default()).is_err());
        assert!(a.exists() && b.exists());
    }
}
