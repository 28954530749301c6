//! Which file system a path lies on, by a name that stays the same while the machine does.

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
    let place = existing(path)?;
    #[allow(clippy::disallowed_methods)] // no file of a user: whatever fails is an answer
    let mounts = std::fs::read("/proc/self/mountinfo").ok()?;
    name_in(&String::from_utf8_lossy(&mounts), &place)
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
    let names = rustix::system::uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    (text(names.nodename()), text(names.release()))
}

/// The nearest of `path` and the folders above it that exists, without links.
fn existing(path: &Path) -> Option<PathBuf> {
    let here = |p: &Path| if p.as_os_str().is_empty() { ".".into() } else { p.to_path_buf() };
    path.ancestors().find_map(|path| here(path).canonicalize().ok())
}

/// `36 35 98:0 /inside /mnt rw,noatime master:1 - ext4 /dev/root rw`: the one that lies nearest
/// above `place`; of several at the same point the last hides the others.
fn name_in(mounts: &str, place: &Path) -> Option<String> {
    let mut nearest: Option<(usize, String)> = None;
    for line in mounts.lines() {
        let Some((mount, system)) = line.split_once(" - ") else { continue };
        let mut fields = mount.split(' ');
        let (Some(device), Some(point)) = (fields.nth(2), fields.nth(1)) else { continue };
        let point = unescaped(point);
        let mut system = system.split(' ');
        let (Some(kind), Some(source)) = (system.next(), system.next()) else { continue };
        let depth = Path::new(&point).components().count();
        if !place.starts_with(&point) || nearest.as_ref().is_some_and(|(d, _)| *d > depth) {
            continue;
        }
        // Device numbers without a device (major 0) are dealt out anew at each mount.
        let place = match device.split_once(':') {
            Some(("0", _)) | None => format!("at {point}"),
            _ => device.to_owned(),
        };
        nearest = Some((depth, format!("{kind} {} {place}", unescaped(source))));
    }
    nearest.map(|(_, name)| name)
}

/// Spaces, tabs, newlines and backslashes stand there as `\040` and so on.
fn unescaped(text: &str) -> String {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    codes.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
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
        let of = |path: &str| name_in(MOUNTS, Path::new(path)).unwrap();
        assert_eq!(of("/var/x"), "ext4 /dev/vda 254:0");
        assert_eq!(of("/dev/shm/x"), "tmpfs tmpfs at /dev/shm");
        assert_eq!(of("/dev/shmem"), "ext4 /dev/vda 254:0");
        assert_eq!(of("/mnt/my disk/a"), "btrfs /dev/sda2 8:2");
        assert_eq!(of("/net"), "nfs4 server:/export at /net");
        assert_eq!(name_in("", Path::new("/")), None);
    }

    #[test]
    fn what_does_not_exist_yet_lies_where_its_folder_does() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(name(&dir.path().join("a/b/c.obj")), name(dir.path()));
        if cfg!(target_os = "linux") {
            assert!(name(Path::new("c.obj")).is_some());
        }
    }
}
