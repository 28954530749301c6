//! Some bytes of a file, written in their place.

use crate::io_error;
use crate::sys::{self, FileExt};
use solio_base::Result;
use std::fs::{File, OpenOptions};
use std::path::Path;

/// The bytes that the system writes at once: a block of the usual file systems.
const BLOCK_BYTES: u64 = 4096;

/// Makes `new` of the bytes `old` at the start of the file at `path`, where all that differs lies in one
/// block of 4096 bytes, which is written by one call: a reader finds the old bytes or the new ones.
/// Whether it was done: not where more differs, where the file has other names or begins otherwise, or
/// may not be written to. Then nothing has changed.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// solio_io::probe::write_plain(&path, b"by me: pixels")?;
/// assert!(solio_io::patch_start(&path, b"by me", b"by us", false)?);
/// assert!(!solio_io::patch_start(&path, b"by me", b"by ml", false)?);
/// assert_eq!(std::fs::read(&path).unwrap(), b"by us: pixels");
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Where writing fails.
pub fn patch_start(path: &Path, old: &[u8], new: &[u8], durable: bool) -> Result<bool> {
    patch_at(path, 0, old, new, durable)
}

/// The same of bytes that start at `at`.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.jpg");
/// solio_io::probe::write_plain(&path, b"date 2022")?;
/// assert!(solio_io::patch_at(&path, 5, b"2022", b"2023", false)?);
/// assert_eq!(std::fs::read(&path).unwrap(), b"date 2023");
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Where writing fails.
pub fn patch_at(path: &Path, at: u64, old: &[u8], new: &[u8], durable: bool) -> Result<bool> {
    let differs = |(old, new): (&u8, &u8)| old != new;
    let pairs = || old.iter().zip(new);
    let (Some(first), Some(last)) = (pairs().position(differs), pairs().rposition(differs)) else {
        return Ok(old == new);
    };
    let block = |place: usize| (at + place as u64) / BLOCK_BYTES;
    if old.len() != new.len() || block(first) != block(last) {
        return Ok(false);
    }
    // What may not be written to may be replaced by another file.
    let Ok(file) = open(path) else { return Ok(false) };
    let Ok(meta) = file.metadata() else { return Ok(false) };
    // Other names may be copies that somebody keeps.
    if !meta.is_file() || sys::links(&file, &meta) != 1 {
        return Ok(false);
    }
    let mut there = vec![0; old.len()];
    if file.read_exact_at(&mut there, at).is_err() || there != old {
        return Ok(false);
    }
    let written = file.write_all_at(&new[first..=last], at + first as u64);
    written.map_err(|e| io_error("write", e, path))?;
    if durable {
        file.sync_all().map_err(|e| io_error("sync", e, path))?;
    }
    Ok(true)
}

#[allow(clippy::disallowed_methods)]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::probe::write_plain;

    const BLOCK_BYTES: usize = super::BLOCK_BYTES as usize;

    #[test]
    fn only_what_lies_in_one_block_of_a_file_with_one_name_is_patched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let old = vec![1; 3 * BLOCK_BYTES];
        write_plain(&path, &[&old[..], b"rest"].concat()).unwrap();
        let with = |places: &[usize]| {
            let mut new = old.clone();
            places.iter().for_each(|at| new[*at] = 2);
            new
        };
        let bytes = || std::fs::read(&path).unwrap();
        assert!(patch_start(&path, &old, &old, true).unwrap());
        assert!(!patch_start(&path, &old, &with(&[0, BLOCK_BYTES]), true).unwrap());
        assert!(!patch_start(&path, &old, &old[1..], true).unwrap());
        let inode = || sys::stat(&path).unwrap().st_ino;
        let before = inode();
        let new = with(&[BLOCK_BYTES, 2 * BLOCK_BYTES - 1]);
        assert!(patch_start(&path, &old, &new, true).unwrap());
        assert_eq!(bytes(), [&new[..], b"rest"].concat());
        assert_eq!(inode(), before);
        std::fs::hard_link(&path, folder.path().join("b")).unwrap();
        assert!(!patch_start(&path, &new, &old, true).unwrap());
        assert_eq!(bytes(), [&new[..], b"rest"].concat());
        assert!(!patch_start(&folder.path().join("none"), &new, &old, true).unwrap());
    }
}
