//! Paths that were named once, and lie in none of the others.

use solio_io::objects::is_address;
use solio_io::walk::status_of;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// `paths`, without those that a walk of the others meets anyway: named twice, or below another.
/// Those behind a link, which a walk does not follow, stay; so does what is not there. With
/// `one_file_system` a walk does not come to other file systems, either.
pub(crate) fn outermost(paths: Vec<PathBuf>, one_file_system: bool) -> Vec<PathBuf> {
    let absolute: Vec<PathBuf> = paths.iter().map(|path| absolute(path)).collect();
    let mut first: HashMap<&Path, usize> = HashMap::with_capacity(paths.len());
    for (place, path) in absolute.iter().enumerate() {
        first.entry(path).or_insert(place);
    }
    let mut addresses: HashMap<&OsStr, usize> = HashMap::new();
    for (place, path) in absolute.iter().enumerate().filter(|(_, path)| is_address(path)) {
        addresses.entry(path.as_os_str()).or_insert(place);
    }
    let is_met = |place: usize, path: &Path| {
        if is_address(path) {
            // `a` and `a/` are different objects.
            return addresses.get(path.as_os_str()).is_some_and(|first| *first < place);
        }
        path.ancestors().any(|outer| match first.get(outer) {
            Some(&other) if outer == path => other != place,
            Some(_) => leads_to(outer, path) && (!one_file_system || is_one_device(outer, path)),
            None => false,
        })
    };
    let met: Vec<bool> =
        absolute.iter().enumerate().map(|(place, path)| is_met(place, path)).collect();
    paths.into_iter().zip(met).filter(|(_, is_met)| !is_met).map(|(path, _)| path).collect()
}

/// Without `.` and further slashes; an address as it is.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    if is_address(path) {
        return path.to_owned();
    }
    solio_base::names::absolute(path).map_or_else(
        |_| path.to_owned(),
        |path| solio_base::names::slashed(path.components().collect()),
    )
}

/// Whether there is no link on the way from the folder `outer` to `path`, which lies below.
fn leads_to(outer: &Path, path: &Path) -> bool {
    let rest = path.strip_prefix(outer).unwrap_or(path);
    match (solio_base::names::canonical(outer), solio_base::names::canonical(path)) {
        (Ok(outer), Ok(path)) => outer.join(rest) == path,
        _ => false,
    }
}

/// Whether all on the way from the folder `outer` to `path`, which lies below, is on one file system.
fn is_one_device(outer: &Path, path: &Path) -> bool {
    let device = |path: &Path| status_of(path).ok().map(|status| status.device);
    let mut between = path.ancestors().take_while(|at| *at != outer);
    device(outer).is_some_and(|own| between.all(|at| device(at) == Some(own)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;

    #[test]
    fn what_others_hold_is_dropped_and_what_is_behind_links_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("t/sub/deep")).unwrap();
        std::fs::create_dir_all(at("t2/a")).unwrap();
        solio_io::probe::write_plain(&at("t/file"), b"bytes").unwrap();
        if let Err(error) = solio_io::probe::symlink(at("t2"), at("t/link")) {
            return println!("skipped: no symbolic links ({error})");
        }
        let given = [
            "t/sub/deep",
            "t",
            "t/./sub/",
            "t",
            "t2/a",
            "t/file",
            "t/link",
            "t/gone",
            "t/sub/../../t2",
            "t2",
        ];
        let kept = outermost(given.map(at).into(), false);
        assert_eq!(kept, ["t", "t/link", "t/gone", "t/sub/../../t2", "t2"].map(at));
        let addresses = ["s3://b/a", "s3://b/a", "s3://b/a/", "s3://b/a/b"].map(PathBuf::from);
        assert_eq!(outermost(addresses.into(), false).len(), 3);
        // All of it is on one file system.
        assert_eq!(outermost(given.map(at).into(), true), kept);
        assert_eq!(outermost(vec!["/proc".into(), "/".into()], true).len(), 2);
    }
}
