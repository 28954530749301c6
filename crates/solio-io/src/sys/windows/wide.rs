//! Names as the system takes them.
//!
//! Win32 changes names in silence: `a.` and `a ` become `a`, `NUL` and `COM1.txt` are devices, `/` is `\`,
//! and what is longer than 260 units is refused. Behind `\\?\` nothing is changed and 32,767 units are
//! allowed. Paths are therefore made whole here, part by part, and go behind it; only the names of
//! devices go as they are. A new file gets no name that other programs could not open.

use super::{BorrowedFd, Errno, SysResult};
use solio_base::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf, Prefix};
use windows_sys::Win32::Storage::FileSystem::{GetFileAttributesW, INVALID_FILE_ATTRIBUTES};

/// Names that are devices in every folder, whatever extension they have.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Characters that are in no name.
const NEVER: &[char] = &['<', '>', ':', '"', '|', '?', '*'];

/// The device that a name stands for.
fn device(name: &str) -> Option<String> {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    let is_numbered = |kind: &str| {
        let rest = stem.strip_prefix(kind).unwrap_or_default();
        let mut all = rest.chars();
        matches!((all.next(), all.next()), (Some('1'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None))
    };
    let is_one = DEVICES.contains(&&*stem) || is_numbered("COM") || is_numbered("LPT");
    is_one.then_some(stem)
}

/// Whether a new file may be called so.
///
/// # Errors
/// `Argument`, which says what is wrong with the name, and nothing else is opened in its place.
pub(crate) fn check_new_name(path: &Path) -> Result<()> {
    if is_verbatim(path) {
        return Ok(()); // whoever writes `\\?\` gets what is written
    }
    for part in path.components() {
        let Component::Normal(name) = part else { continue };
        let text = name.to_string_lossy();
        let told = if let Some(device) = device(&text) {
            format!("{text:?} is the name of the device {device} on Windows")
        } else if text.ends_with(['.', ' ']) {
            format!("{text:?} ends with a dot or a space, which Windows drops")
        } else if let Some(bad) = text.chars().find(|c| NEVER.contains(c) || (*c as u32) < 32) {
            format!("{text:?} has {bad:?}, which no name has on Windows")
        } else {
            continue;
        };
        return Err(Error::argument(told).hint("choose another name"));
    }
    Ok(())
}

fn is_verbatim(path: &Path) -> bool {
    matches!(path.components().next(), Some(Component::Prefix(prefix))
        if prefix.kind().is_verbatim() || matches!(prefix.kind(), Prefix::DeviceNS(_)))
}

/// The path of `name` below an open folder, in the form that is not changed any more.
pub(super) fn whole(folder: BorrowedFd<'_>, name: &OsStr) -> SysResult<PathBuf> {
    let Some(above) = folder.path.filter(|path| !path.as_os_str().is_empty()) else {
        return verbatim(Path::new(name));
    };
    // Names of folders come from the system. Joining by hand: `C:` and the like are names here.
    let mut path = above.as_os_str().to_owned();
    if name != "." {
        path.push("\\");
        path.push(name);
    }
    Ok(path.into())
}

/// `path` behind `\\?\`. The name of a device stays one, unless there is a file of that name, which other
/// systems can make.
fn verbatim(path: &Path) -> SysResult<PathBuf> {
    let is_device = |part: Component<'_>| match part {
        Component::Normal(name) => device(&name.to_string_lossy()).is_some(),
        _ => false,
    };
    if is_verbatim(path) {
        return Ok(path.to_owned());
    }
    let whole = behind_mark(path);
    if path.components().any(is_device) && !whole.as_deref().is_ok_and(is_there) {
        return Ok(path.to_owned());
    }
    whole
}

fn is_there(path: &Path) -> bool {
    let Ok(name) = units(path) else { return false };
    // SAFETY: the name ends with a zero, and lives through the call.
    unsafe { GetFileAttributesW(name.as_ptr()) != INVALID_FILE_ATTRIBUTES }
}

/// A path that has no mark yet, part by part.
fn behind_mark(path: &Path) -> SysResult<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(Errno::of(&std::io::Error::from_raw_os_error(3)));
    }
    let mut parts = path.components().peekable();
    let (mut root, mut names) = (None::<OsString>, Vec::<OsString>::new());
    if let Some(Component::Prefix(prefix)) = parts.peek() {
        root = Some(match prefix.kind() {
            Prefix::Disk(_) if !path.has_root() => {
                // `C:a` is below the current folder of that drive, which the system knows.
                let absolute = std::path::absolute(path).map_err(|e| Errno::of(&e))?;
                return verbatim(&absolute);
            }
            Prefix::Disk(letter) => format!(r"\\?\{}:", letter as char).into(),
            Prefix::UNC(server, share) => {
                let mut root = OsString::from(r"\\?\UNC\");
                root.push(server);
                root.push("\\");
                root.push(share);
                root
            }
            _ => return Ok(path.to_owned()),
        });
        parts.next();
    }
    if root.is_none() {
        let here = std::env::current_dir().map_err(|e| Errno::of(&e))?;
        let mut above = match is_verbatim(&here) {
            true => here.into_os_string().into_encoded_bytes(),
            false => verbatim(&here)?.into_os_string().into_encoded_bytes(),
        };
        while above.ends_with(b"\\") {
            above.pop();
        }
        // SAFETY: encoded bytes of a name, cut before characters of ASCII.
        let above = unsafe { OsString::from_encoded_bytes_unchecked(above) };
        let mut all = Path::new(&above).components();
        let Some(Component::Prefix(prefix)) = all.next() else { return Ok(path.to_owned()) };
        root = Some(prefix.as_os_str().to_owned());
        if !path.has_root() {
            names.extend(all.filter_map(normal));
        }
    }
    for part in parts {
        match part {
            Component::ParentDir => drop(names.pop()),
            part => names.extend(normal(part)),
        }
    }
    let mut whole = root.unwrap_or_default();
    let is_root = names.is_empty();
    for name in names {
        whole.push("\\");
        whole.push(name);
    }
    if is_root {
        whole.push("\\");
    }
    Ok(whole.into())
}

fn normal(part: Component<'_>) -> Option<OsString> {
    match part {
        Component::Normal(name) => Some(name.to_owned()),
        _ => None,
    }
}

/// With the zero at its end.
pub(super) fn units(path: &Path) -> SysResult<Vec<u16>> {
    let mut units: Vec<u16> = path.as_os_str().encode_wide().collect();
    if units.contains(&0) {
        return Err(Errno::INVAL);
    }
    units.push(0);
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_whole() {
        let of = |path: &str| verbatim(Path::new(path)).unwrap().to_string_lossy().into_owned();
        assert_eq!(of(r"C:\a/b\..\c. "), r"\\?\C:\a\c. ");
        assert_eq!(of(r"C:/"), r"\\?\C:\");
        assert_eq!(of(r"\\server\share\a"), r"\\?\UNC\server\share\a");
        assert_eq!(of(r"\\?\C:\a."), r"\\?\C:\a.");
        assert_eq!(of("NUL"), "NUL");
        let here = std::env::current_dir().unwrap();
        let here = here.display().to_string();
        let here = here.trim_start_matches(r"\\?\").trim_end_matches('\\');
        assert_eq!(of(r"a\.\b"), format!(r"\\?\{here}\a\b"));
        assert_eq!(of(r"\a"), format!(r"\\?\{}\a", &here[..2]));
    }

    #[test]
    fn a_file_that_is_called_as_a_device_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("con.obj");
        assert_eq!(verbatim(&path).unwrap(), path);
        crate::probe::write_plain(&behind_mark(&path).unwrap(), b"v 0 0 0").unwrap();
        assert_eq!(verbatim(&path).unwrap(), behind_mark(&path).unwrap());
        let read = crate::read_whole(&path, &Default::default(), &Default::default()).unwrap();
        assert_eq!(&read[..], b"v 0 0 0");
        assert_eq!(verbatim(Path::new("NUL")).unwrap(), Path::new("NUL"));
    }

    #[test]
    fn names_that_are_no_names_are_told() {
        for bad in
            ["CON", "sub/nul.txt", "COM1", "lpt9.exr", "a.", "b /c", "x?.exr", "x/a:b", "COM\u{b2}"]
        {
            let error = check_new_name(Path::new(bad));
            assert!(error.is_err(), "{bad}");
        }
        for fine in ["a.exr", "C:\\x\\..\\y", "./console", "COM10", "COM", "nulls", r"\\?\C:\a."] {
            assert!(check_new_name(Path::new(fine)).is_ok(), "{fine}");
        }
    }
}
