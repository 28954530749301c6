//! Which volume a path lies on, told by what stays with it when it is mounted elsewhere.
//!
//! * The number of a device (`st_dev`) goes to the next disk that is plugged in: it tells nothing.
//! * A copy of a disk has the same UUID and the same number of the file system: the disk itself
//!   (serial number, file behind a loop device) tells them apart, where the system names it.
//! * Network file systems are told by what they were mounted from.

use crate::mount::{Mount, nearest, told_mounts};
use crate::sys::{self, AsFd, BorrowedFd, Errno, Mode, OFlags, OwnedFd, SysResult};
use crate::{io_error, long_path};
use solio_base::Result;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// File systems that are told by what they were mounted from.
const NETWORK: [&str; 10] =
    ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "virtiofs", "vboxsf", "afs", "fuse"];

/// A volume: a file system, and the disk it is on.
///
/// ```
/// use solio_io::volume::Volume;
/// # let folder = tempfile::tempdir().unwrap();
/// let (here, there) = (Volume::of(folder.path())?, Volume::of(folder.path())?);
/// assert!(here.is_same(&there));
/// // A copy of it, on another disk.
/// let disk = |name: &str| Volume { uuid: Some("7d…".into()), disk: Some(name.into()), ..here.clone() };
/// assert!(!disk("a").is_same(&disk("b")) && disk("a").is_copy_of(&disk("b")));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// `ext4`, `nfs4` …; empty where the system does not tell.
    pub kind: String,
    /// That of the file system, as udev writes it.
    pub uuid: Option<String>,
    /// The number of the file system, in hexadecimal; `None` where it is made of the device's number.
    pub fsid: Option<String>,
    /// What the disk says of itself: serial number and partition, or the file behind a loop device.
    pub disk: Option<String>,
    /// What it was mounted from: `/dev/sda1`, `server:/export` …
    pub source: String,
    /// The name that people gave it.
    pub label: Option<String>,
    /// The numbers of the device now, `8:1`.
    pub device: String,
}

impl Volume {
    /// The volume that the folder at `path` lies on; of a file that of its folder.
    ///
    /// # Errors
    /// `Io` where the folder cannot be opened.
    pub fn of(path: &Path) -> Result<Volume> {
        let failed = |e: Errno| io_error("look into", e.into(), path);
        let open = |folder: BorrowedFd<'_>, path: &Path| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
            sys::openat(folder, path, flags, Mode::empty())
        };
        let folder = match long_path::at(path, open) {
            Err(Errno::NOTDIR) => {
                let above = path.parent().filter(|above| !above.as_os_str().is_empty());
                long_path::at(above.unwrap_or(Path::new(".")), open)
            }
            opened => opened,
        };
        let mounts =
            told_mounts().map_err(|e| io_error("ask for the mounts below", e.into(), path))?;
        Volume::of_folder(&folder.map_err(failed)?, path, &mounts).map_err(failed)
    }

    fn of_folder(folder: &OwnedFd, path: &Path, mounts: &[Mount]) -> SysResult<Volume> {
        let device = sys::device_of(&sys::fstat(folder)?);
        let numbers = device_numbers(device);
        let place = solio_base::names::canonical(path).unwrap_or_else(|_| path.to_owned());
        // A subvolume has a number of its own, which no mount has.
        let mount = nearest(mounts, &place).filter(|mount| mount.device == numbers);
        let mount = mount.or_else(|| mounts.iter().find(|mount| mount.device == numbers));
        let mount = mount.or_else(|| nearest(mounts, &place));
        let (kind, source) = mount.map(|m| (m.kind.clone(), m.source.clone())).unwrap_or_default();
        let udev = Udev::of(numbers);
        let uuid = sys::volume_uuid(folder.as_fd())
            .or_else(|| udev.get("ID_FS_UUID"))
            .or_else(|| by_uuid(device));
        let label = sys::volume_label(folder.as_fd()).or_else(|| udev.get("ID_FS_LABEL_ENC"));
        let number = sys::file_system_number(folder)?;
        let is_of_device = [device, encoded(numbers)].contains(&number) || number == 0;
        let fsid = (!is_of_device).then(|| format!("{number:016x}"));
        let disk = (numbers.0 != 0).then(|| disk(numbers)).flatten();
        let device = format!("{}:{}", numbers.0, numbers.1);
        Ok(Volume { kind, uuid, fsid, disk, source, label, device })
    }

    /// Whether both are one volume. What one of them does not tell does not count against it.
    pub fn is_same(&self, other: &Volume) -> bool {
        let is_one_disk = self.disk.as_ref().zip(other.disk.as_ref()).is_none_or(|(a, b)| a == b);
        self.has_marks_of(other) && is_one_disk
    }

    /// Whether both have the marks of one file system, but lie on different disks, or nobody knows that
    /// they do not.
    pub fn is_copy_of(&self, other: &Volume) -> bool {
        let is_one_disk = self.disk.is_some() && self.disk == other.disk;
        self.uuid.is_some() && self.has_marks_of(other) && !is_one_disk
    }

    /// Whether what is written on both is the same.
    fn has_marks_of(&self, other: &Volume) -> bool {
        if self.kind != other.kind {
            return false;
        }
        if self.is_of_network() {
            return self.source == other.source;
        }
        let numbers = self.fsid.as_ref().zip(other.fsid.as_ref());
        match (&self.uuid, &other.uuid, numbers) {
            // Subvolumes have one UUID, and numbers of their own.
            (Some(a), Some(b), numbers) => a == b && numbers.is_none_or(|(a, b)| a == b),
            (.., Some((a, b))) => a == b,
            // Nothing but where it comes from: a disk that can be told apart from others says more.
            _ => match (&self.disk, &other.disk) {
                (Some(own), Some(other)) => own == other,
                _ => self.source == other.source,
            },
        }
    }

    fn is_of_network(&self) -> bool {
        let kind = self.kind.split('.').next().unwrap_or_default();
        NETWORK.contains(&kind)
    }

    /// Whether the system tells when the inode of a file changed: a file system of another machine, or of
    /// a program, may make that up.
    pub fn tells_changes(&self) -> bool {
        !self.is_of_network()
    }

    /// All that tells it from others, in one line; the same for the same volume, wherever it is mounted.
    pub fn identity(&self) -> String {
        let mut text = self.kind.clone();
        let mut add = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                let _ = write!(text, " {name}={value}");
            }
        };
        if self.is_of_network() {
            add("from", Some(&self.source));
            return text;
        }
        add("uuid", self.uuid.as_deref());
        add("fsid", self.fsid.as_deref());
        add("disk", self.disk.as_deref());
        let is_told = self.uuid.is_some() || self.fsid.is_some() || self.disk.is_some();
        add("from", Some(&*self.source).filter(|_| !is_told));
        text
    }

    /// As people know it: its label, or else its UUID, and what it was mounted from.
    pub fn name(&self) -> String {
        let name = self.label.as_ref().or(self.uuid.as_ref()).or(self.fsid.as_ref());
        match name {
            Some(name) => format!("{} {name} ({})", self.kind, self.source),
            None => format!("{} {}", self.kind, self.source),
        }
    }

    /// Other places at which a volume of the same marks is mounted now, on another device.
    pub fn copies(&self, mounts: &[Mount]) -> Vec<(PathBuf, Volume)> {
        if self.uuid.is_none() || self.is_of_network() {
            return Vec::new();
        }
        let mut found: Vec<(PathBuf, Volume)> = Vec::new();
        for mount in mounts {
            let device = format!("{}:{}", mount.device.0, mount.device.1);
            let is_told = found.iter().any(|(_, volume)| volume.device == device);
            // Subvolumes of one file system have devices without a disk.
            if mount.device.0 == 0 || mount.kind != self.kind || device == self.device || is_told {
                continue;
            }
            let Ok(volume) = Volume::of(&mount.point) else { continue };
            if volume.device == device && volume.uuid == self.uuid {
                found.push((mount.point.clone(), volume));
            }
        }
        found
    }
}

/// Major and minor of a device's number.
pub fn device_numbers(device: u64) -> (u32, u32) {
    (sys::major(device), sys::minor(device))
}

/// The number of a device as the kernel hands it out in the number of a file system (`new_encode_dev`,
/// `huge_encode_dev`).
fn encoded((major, minor): (u32, u32)) -> u64 {
    u64::from(minor & 0xff | major << 8) | u64::from(minor & !0xff) << 12
}

/// What udev has found out of a device.
struct Udev(String);

impl Udev {
    fn of((major, minor): (u32, u32)) -> Udev {
        Udev(text(Path::new(&format!("/run/udev/data/b{major}:{minor}"))).unwrap_or_default())
    }

    fn get(&self, name: &str) -> Option<String> {
        let mut values = self.0.lines().filter_map(|line| line.strip_prefix("E:")?.split_once('='));
        values.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
    }
}

/// A small file of the system.
#[allow(clippy::disallowed_methods)] // no file of a user: whatever fails is an answer
fn text(path: &Path) -> Option<String> {
    if !sys::HAS_KERNEL_FILES {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// By the links that udev keeps.
fn by_uuid(device: u64) -> Option<String> {
    if !sys::HAS_KERNEL_FILES {
        return None;
    }
    let links = std::fs::read_dir("/dev/disk/by-uuid").ok()?;
    let mut links = links.filter_map(std::result::Result::ok);
    let is_it = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|found| sys::special_device(&found) == device)
    };
    let link = links.find(|link| is_it(&link.path()))?;
    Some(link.file_name().to_string_lossy().into_owned())
}

/// What the disk says of itself.
fn disk((major, minor): (u32, u32)) -> Option<String> {
    let mut folder =
        PathBuf::from(format!("/sys/dev/block/{major}:{minor}")).canonicalize().ok()?;
    let partition = text(&folder.join("partition"));
    if partition.is_some() {
        folder.pop();
    }
    let names = ["loop/backing_file", "dm/uuid", "md/uuid", "wwid", "device/wwid", "serial"];
    let found = names.iter().chain(&["device/serial"]).find_map(|name| text(&folder.join(name)))?;
    Some(match partition {
        Some(partition) => format!("{found} part {partition}"),
        None => found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(kind: &str, uuid: &str, disk: &str, source: &str) -> Volume {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (kind, source) = (kind.to_owned(), source.to_owned());
        Volume { kind, uuid: some(uuid), disk: some(disk), source, ..Volume::default() }
    }

    #[test]
    fn a_volume_is_told_by_more_than_its_uuid_and_never_by_its_device() {
        let disk = volume("ext4", "u", "serial a", "/dev/sda1");
        // Plugged in later, the same disk has another name.
        assert!(disk.is_same(&volume("ext4", "u", "serial a", "/dev/sdb1")));
        assert!(disk.is_same(&volume("ext4", "u", "", "/dev/sdb1")));
        let copy = volume("ext4", "u", "serial b", "/dev/sda1");
        assert!(!disk.is_same(&copy) && disk.is_copy_of(&copy));
        assert!(disk.is_copy_of(&volume("ext4", "u", "", "/dev/sdb1")));
        assert_ne!(disk.identity(), copy.identity());
        // Formatted anew.
        assert!(!disk.is_same(&volume("ext4", "v", "serial a", "/dev/sda1")));
        assert!(!disk.is_same(&volume("xfs", "u", "serial a", "/dev/sda1")));
        let share = volume("nfs4", "", "", "server:/a");
        assert!(share.is_same(&share) && !share.is_same(&volume("nfs4", "", "", "server:/b")));
        assert!(!share.tells_changes() && disk.tells_changes());
    }

    #[test]
    fn numbers_made_of_devices_are_known() {
        assert_eq!(encoded((7, 0)), 0x700);
        assert_eq!(encoded((259, 4098)), 0x0100_0000 | 259 << 8 | 2);
    }
}
