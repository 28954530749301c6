//! Files below an output folder: no symbolic link leads out of it.

use solio_base::{Error, Result};
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
/// `Argument` for a link that leads out of the folder.
pub fn place_below(folder: &Path, name: &Path) -> Result<PathBuf> {
    let to = folder.join(name);
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
pub fn make_folder(folder: &Path) -> Result<()> {
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
