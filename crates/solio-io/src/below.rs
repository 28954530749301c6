//! Files below an output folder: no symbolic link leads out of it.

use crate::sys;
use solio_base::names::{OsStrBytes, slashed};
use solio_base::{Error, Result};
use solio_codec::fold::fold_path;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The links of one path that are followed at most.
const MOST_LINKS: usize = 40;

/// Where the file `name` goes that is to be written below `folder`: no symbolic link on the way, nor one
/// at its end, leads out of the folder. The folder itself may be a link.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let out = dir.path().join("out");
/// # std::fs::create_dir(&out).unwrap();
/// assert_eq!(solio_io::place_below(&out, "a/b.exr".as_ref())?, out.join("a/b.exr"));
/// solio_io::probe::symlink("/tmp", out.join("a")).unwrap();
/// assert!(solio_io::place_below(&out, "a/b.exr".as_ref()).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument` for a link that leads out of the folder, and for a name that the system would change.
pub fn place_below(folder: &Path, name: &Path) -> Result<PathBuf> {
    let to = slashed(folder.join(name));
    crate::at_path(sys::check_new_name(name), &to)?;
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // What is not there yet has no links in it.
    let Ok(inside) = here.canonicalize() else { return Ok(to) };
    let mut at = folder.to_owned();
    for part in name.components() {
        at.push(part);
        let is_link = std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink());
        if is_link && !leads_to(&at, MOST_LINKS).is_some_and(|end| end.starts_with(&inside)) {
            let error =
                Error::argument("this is a symbolic link that leads out of the output folder");
            return Err(error.at_path(&at).hint("remove the link, or name another folder"));
        }
    }
    Ok(to)
}

/// Makes a folder and those above it.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let folder = dir.path().join("shots/0010");
/// solio_io::make_folder(&folder)?;
/// solio_io::make_folder(&folder)?; // it is there
/// # assert!(folder.is_dir());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Io`, and `Argument` for a name that the system would change.
pub fn make_folder(folder: &Path) -> Result<()> {
    crate::check_new_name(folder)?;
    std::fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", e).at_path(folder))
}

/// Makes the folder that a file is to lie in.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// let file = dir.path().join("shots/0010/a.exr");
/// solio_io::make_folder_of(&file)?;
/// # assert!(file.parent().unwrap().is_dir());
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn make_folder_of(file: &Path) -> Result<()> {
    file.parent().map_or(Ok(()), make_folder)
}

/// Files that are written by one command: no two of them are to be one because their folder takes names
/// that differ in case for one.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let out = dir.path();
/// let mut placed = solio_io::PlacedNames::default();
/// placed.add(&out.join("a.exr"))?;
/// placed.add(&out.join("b.exr"))?;
/// // On most volumes of Linux these are two.
/// let _ = placed.add(&out.join("A.exr"));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Default)]
pub struct PlacedNames {
    /// Whether a folder folds; asked once.
    folds: HashMap<PathBuf, bool>,
    /// By the folded path.
    placed: HashMap<Vec<u8>, PathBuf>,
}

impl PlacedNames {
    /// Notes that `to` is written.
    ///
    /// # Errors
    /// `Argument` where another file was noted that would be the same one.
    pub fn add(&mut self, to: &Path) -> Result<()> {
        self.add_where(to, sys::folds)
    }

    fn add_where(&mut self, to: &Path, asked: fn(&Path) -> Option<bool>) -> Result<()> {
        let folder = to.parent().unwrap_or(to);
        if !self.folds.contains_key(folder) {
            // One that is not there yet will be as the one above it.
            let above = folder
                .ancestors()
                .map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
            let there = above.into_iter().find(|above| above.is_dir());
            let folds = there.and_then(asked).unwrap_or(false);
            self.folds.insert(folder.to_owned(), folds);
        }
        if !self.folds[folder] {
            return Ok(());
        }
        let mut folded = Vec::new();
        fold_path(&mut folded, to.as_os_str().as_bytes());
        match self.placed.get(&folded) {
            Some(other) if other != to => {
                let message = format!("{} and this are one file here", other.display());
                let hint =
                    "names that differ in case alone are one on this volume; write to another";
                Err(Error::argument(message).at_path(to).hint(hint))
            }
            Some(_) => Ok(()),
            None => {
                self.placed.insert(folded, to.to_owned());
                Ok(())
            }
        }
    }
}

/// Where a link leads, also where nothing is there.
fn leads_to(link: &Path, most: usize) -> Option<PathBuf> {
    if let Ok(end) = link.canonicalize() {
        return Some(end);
    }
    let above = link.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    match std::fs::read_link(link) {
        Ok(target) if most > 0 => leads_to(&above.join(target), most - 1),
        Ok(_) => None,
        Err(_) => Some(above.canonicalize().ok()?.join(link.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)]
    use super::*;
    use crate::probe::symlink;

    #[test]
    fn names_that_differ_in_case_are_one_where_the_folder_folds() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mut placed = PlacedNames::default();
        for fine in ["a.exr", "new/a.exr", "a.exr", "b.exr"] {
            placed.add_where(&at(fine), |_| Some(true)).unwrap();
        }
        for bad in ["A.exr", "new/A.EXR"] {
            let error = placed.add_where(&at(bad), |_| Some(true)).unwrap_err();
            assert!(error.message().contains("a.exr"), "{error}");
        }
        let mut placed = PlacedNames::default();
        for fine in ["a.exr", "A.exr"] {
            placed.add_where(&at(fine), |_| Some(false)).unwrap();
        }
    }

    #[test]
    fn a_folder_is_called_as_was_asked_or_not_made() {
        for name in ["a.", "b ", "nul", "com1.x", "plain"] {
            let dir = tempfile::tempdir().unwrap();
            let made = make_folder(&dir.path().join(name));
            let there: Vec<_> =
                std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
            match made {
                Ok(()) => assert_eq!(there, [name]),
                Err(e) => assert!(there.is_empty() && e.hint_text().is_some(), "{e}"),
            }
        }
    }

    #[test]
    fn links_lead_nowhere_but_below_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (out, at) = (dir.path().join("out"), |name: &str| dir.path().join(name));
        std::fs::create_dir_all(out.join("sub")).unwrap();
        std::fs::create_dir(at("outside")).unwrap();
        if let Err(error) = symlink("sub", out.join("inner")) {
            return println!("skipped: no symbolic links ({error})");
        }
        symlink(at("outside"), out.join("outer")).unwrap();
        symlink("../outside/new", out.join("dangling")).unwrap();
        symlink("sub/new", out.join("new")).unwrap();
        symlink("loop", out.join("loop")).unwrap();
        symlink(at("out"), at("by-link")).unwrap();
        let is_fine = |name: &str| place_below(&out, Path::new(name)).is_ok();
        for fine in ["a", "sub/a", "inner/a", "new", "none/of/these"] {
            assert!(is_fine(fine), "{fine}");
            assert!(place_below(&at("by-link"), Path::new(fine)).is_ok(), "{fine}");
        }
        for bad in ["outer/a", "outer", "dangling", "inner/../outer/a", "loop"] {
            assert!(!is_fine(bad), "{bad}");
        }
        assert!(place_below(&at("not-yet"), Path::new("a")).is_ok());
    }
}
