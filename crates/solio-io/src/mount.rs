//! Which file system a path lies on, by a name that stays the same while the machine does.

use crate::sys::{self, SysResult};
use solio_base::names::{self, OsStringBytes};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of the file system below `path`, or below its nearest folder that exists: its kind,
/// where it was mounted from, and the device's number; where there is no device, where it is
/// mounted. `None` where the system does not tell.
///
/// ```
/// let here = solio_io::mount::name(std::path::Path::new("."));
/// assert_eq!(here, solio_io::mount::name(std::path::Path::new("no-such-folder/x")));
/// ```
pub fn name(path: &Path) -> Option<String> {
    name_in(&mounts(), &existing(path)?)
}

/// A mount, as the system lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The device's numbers, major and minor.
    pub device: (u32, u32),
    /// Where it is mounted, without links.
    pub point: PathBuf,
    /// The folder of the file system that is seen there: `/` unless it is a bind mount.
    pub inside: String,
    /// `ext4`, `nfs4` …
    pub kind: String,
    /// `/dev/sda1`, `server:/export` …
    pub source: String,
}

/// All mounts that this process sees, in the system's order; of two at one point the last hides the
/// other. None where the system does not tell.
///
/// ```
/// let mounts = solio_io::mount::mounts();
/// assert!(mounts.is_empty() || mounts.iter().any(|mount| mount.point.has_root()));
/// ```
pub fn mounts() -> Vec<Mount> {
    told_mounts().unwrap_or_default()
}

/// [`mounts`], where none are a fault: a file system whose kind is not told would be taken for another.
pub(crate) fn told_mounts() -> SysResult<Vec<Mount>> {
    let mut all = mounts_in(&sys::mount_table()?);
    all.extend(sys::other_mounts());
    Ok(all)
}

/// The mount that a path without links lies on.
pub fn nearest<'m>(mounts: &'m [Mount], place: &Path) -> Option<&'m Mount> {
    let above = mounts.iter().filter(|mount| place.starts_with(&mount.point));
    // Of equals the last.
    above.max_by_key(|mount| mount.point.components().count())
}

/// `36 35 98:0 /inside /mnt rw,noatime master:1 - ext4 /dev/root rw`, a line a mount.
fn mounts_in(text: &[u8]) -> Vec<Mount> {
    let lines = text.split(|byte| *byte == b'\n');
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').map(unescaped);
        let mut next = || fields.next();
        let device = String::from_utf8(next().and_then(|_| next()).and_then(|_| next())?).ok()?;
        let (major, minor) = device.split_once(':')?;
        let device = (major.parse().ok()?, minor.parse().ok()?);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (inside, point) = (text(next()?), PathBuf::from(OsString::from_vec(next()?)));
        // Options, and fields that may be several, up to a dash.
        while next()? != b"-" {}
        Some(Mount { device, point, inside, kind: text(next()?), source: text(next()?) })
    };
    lines.filter_map(mount).collect()
}

/// This machine's name and its kernel's version.
///
/// ```
/// let (host, kernel) = solio_io::mount::machine();
/// assert_eq!(host, solio_io::host_name());
/// // Such as 6.8.0-45-generic.
/// assert!(kernel.starts_with(|c: char| c.is_ascii_digit()));
/// ```
pub fn machine() -> (String, String) {
    sys::machine_and_release()
}

/// The nearest of `path` and the folders above it that exists, without links.
fn existing(path: &Path) -> Option<PathBuf> {
    let here = |p: &Path| if p.as_os_str().is_empty() { ".".into() } else { p.to_path_buf() };
    path.ancestors().find_map(|path| names::canonical(&here(path)).ok())
}

/// The name of the mount that `place` lies on.
fn name_in(mounts: &[Mount], place: &Path) -> Option<String> {
    let Mount { device, point, kind, source, .. } = nearest(mounts, place)?;
    // Device numbers without a device (major 0) are dealt out anew at each mount.
    let place = match device {
        (0, _) => format!("at {}", point.display()),
        (major, minor) => format!("{major}:{minor}"),
    };
    Some(format!("{kind} {source} {place}"))
}

/// Spaces, tabs, newlines and backslashes stand there as `\040` and so on.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let [first, after @ ..] = rest {
        let code = after.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        plain.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 21 0:21 / /dev/shm rw shared:2 - tmpfs tmpfs rw,size=24g
30 21 8:1 / /mnt/my\\040disk rw - xfs /dev/sda1 rw
31 21 8:2 / /mnt/my\\040disk rw - btrfs /dev/sda2 rw
32 21 0:50 / /net rw - nfs4 server:/export rw
damaged line
33 21 - ext4
";

    #[test]
    fn the_nearest_mount_names_the_file_system() {
        let of = |path: &str| name_in(&mounts_in(MOUNTS.as_bytes()), Path::new(path)).unwrap();
        assert_eq!(of("/var/x"), "ext4 /dev/vda 254:0");
        assert_eq!(of("/dev/shm/x"), "tmpfs tmpfs at /dev/shm");
        assert_eq!(of("/dev/shmem"), "ext4 /dev/vda 254:0");
        assert_eq!(of("/mnt/my disk/a"), "btrfs /dev/sda2 8:2");
        assert_eq!(of("/net"), "nfs4 server:/export at /net");
        assert_eq!(name_in(&[], Path::new("/")), None);
    }

    #[test]
    fn what_does_not_exist_yet_lies_where_its_folder_does() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(name(&dir.path().join("a/b/c.obj")), name(dir.path()));
        if Path::new("/proc/self/mountinfo").exists() {
            assert!(name(Path::new("c.obj")).is_some());
        }
    }
}
