//! Paths of more bytes than the system takes at once: the folders on the way are opened one after
//! another, so many names at a time as it takes.

use crate::sys::{
    self, AsFd, BorrowedFd, CWD, Errno, MOST_PATH_BYTES, Mode, OFlags, OwnedFd, SysResult,
};
use solio_base::names::OsStrBytes;
use std::ffi::OsStr;
use std::path::Path;

/// Calls `ask` with a folder and a path from there that leads to `path`.
pub(crate) fn at<T>(
    path: &Path,
    ask: impl FnOnce(BorrowedFd<'_>, &Path) -> SysResult<T>,
) -> SysResult<T> {
    if path.as_os_str().len() <= MOST_PATH_BYTES {
        return ask(CWD, path);
    }
    let (folder, rest) = near(path.as_os_str().as_bytes())?;
    ask(folder.as_fd(), Path::new(OsStr::from_bytes(rest)))
}

/// A folder on the way of a long path, and what is left of the way.
fn near(path: &[u8]) -> SysResult<(OwnedFd, &[u8])> {
    let flags = sys::PASS | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let (mut rest, mut folder) = (path, None::<OwnedFd>);
    loop {
        let cut =
            rest[..MOST_PATH_BYTES].iter().rposition(|byte| *byte == b'/').filter(|cut| *cut > 0);
        let cut = cut.ok_or(Errno::NAMETOOLONG)?;
        let next = Path::new(OsStr::from_bytes(&rest[..cut]));
        let above = folder.as_ref().map_or(CWD, |folder| folder.as_fd());
        let entered = sys::openat(above, next, flags, Mode::empty())?;
        // What begins with a slash would begin at the root.
        rest = &rest[cut..];
        rest = &rest[rest.iter().take_while(|byte| **byte == b'/').count()..];
        if rest.len() <= MOST_PATH_BYTES {
            return Ok((entered, if rest.is_empty() { b"." } else { rest }));
        }
        folder = Some(entered);
    }
}

// Windows takes long paths whole.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::fs::AtFlags;
    use std::path::PathBuf;

    #[test]
    fn paths_of_any_length_lead_to_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let name = "n".repeat(200);
        let mut path = folder.path().to_owned();
        let mut here = rustix::fs::open(&path, sys::PASS, Mode::empty()).unwrap();
        for depth in 0..60 {
            // Some in small steps, some by a second slash.
            rustix::fs::mkdirat(&here, &name, Mode::from_raw_mode(0o755)).unwrap();
            here = rustix::fs::openat(&here, &name, sys::PASS, Mode::empty()).unwrap();
            path.push(&name);
            if depth % 7 == 0 {
                let mut slashes = path.into_os_string();
                slashes.push("//");
                path = PathBuf::from(slashes);
            }
            let own = rustix::fs::fstat(&here).unwrap().st_ino;
            let found =
                at(&path, |folder, path| rustix::fs::statat(folder, path, AtFlags::empty()));
            assert_eq!(found.unwrap().st_ino, own, "{depth}");
        }
        let none = at(&path.join("none"), |folder, path| {
            rustix::fs::statat(folder, path, AtFlags::empty())
        });
        assert_eq!(none.unwrap_err(), Errno::NOENT);
        let long = Path::new("/").join("x".repeat(5000));
        let long = at(&long, |folder, path| rustix::fs::statat(folder, path, AtFlags::empty()));
        assert_eq!(long.unwrap_err(), Errno::NAMETOOLONG);
    }
}
