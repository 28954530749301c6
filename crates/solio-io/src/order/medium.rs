//! What kind of medium a device is, as the kernel tells in `/sys` and `/proc`.

use crate::sys;
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

/// A medium, as far as the order of reads is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Medium {
    /// Turns: a read far from the last one costs milliseconds.
    Rotational,
    /// Has no moving parts.
    Solid,
    /// A volume that is sold by requests a second.
    IopsLimited,
    /// A disk of a virtual machine: the kernel says that it turns, as drivers do that do not know.
    Virtual,
    /// Not on a block device: memory, a network, a layer over other file systems.
    NoDevice,
    /// The kernel does not tell.
    Unknown,
}

/// Devices on devices on devices: more than this is a circle.
const MOST_LEVELS: usize = 8;

/// Where the kernel tells, so that tests can tell something else.
pub(super) struct KernelFiles {
    sys: PathBuf,
    /// Read when it is needed, which is seldom.
    mounts: OnceCell<String>,
    /// Asked first.
    system: fn(u64) -> Option<Medium>,
}

impl KernelFiles {
    /// The kernel that runs here.
    pub(super) fn here() -> KernelFiles {
        KernelFiles { sys: "/sys/dev/block".into(), mounts: OnceCell::new(), system: sys::medium }
    }

    /// A kernel that tells what a test wants.
    #[cfg(test)]
    pub(super) fn made(sys: PathBuf) -> KernelFiles {
        KernelFiles { sys, mounts: OnceCell::from(String::new()), system: |_| None }
    }

    /// The medium below the device of a file (`st_dev`).
    pub(super) fn medium(&self, device: u64) -> Medium {
        (self.system)(device).unwrap_or_else(|| self.medium_below(device, 0))
    }

    fn medium_below(&self, device: u64, level: usize) -> Medium {
        let (major, minor) = (sys::major(device), sys::minor(device));
        let number = format!("{major}:{minor}");
        if level == MOST_LEVELS {
            return Medium::Unknown;
        }
        if major == 0 {
            // File systems over several devices (btrfs) and those over none have made-up numbers.
            let Some(source) = self.mounted_from(&number) else { return Medium::NoDevice };
            return match fs::metadata(source) {
                Ok(source) if sys::special_device(&source) != 0 => {
                    self.medium_below(sys::special_device(&source), level + 1)
                }
                _ => Medium::Unknown,
            };
        }
        let Ok(mut folder) = self.sys.join(&number).canonicalize() else { return Medium::Unknown };
        if folder.join("partition").exists() {
            folder.pop();
        }
        let below = self.devices_below(&folder);
        if below.is_empty() {
            return disk(&folder);
        }
        let all: Vec<Medium> = below.iter().map(|d| self.medium_below(*d, level + 1)).collect();
        // The slowest one counts.
        let worst = [Medium::Rotational, Medium::IopsLimited, Medium::Virtual, Medium::Unknown];
        worst.into_iter().find(|medium| all.contains(medium)).unwrap_or(all[0])
    }

    /// The devices that a mapped device, an array or a loop device is made of.
    fn devices_below(&self, folder: &Path) -> Vec<u64> {
        if let Some(backing) = read(&folder.join("loop/backing_file")) {
            let path = Path::new(backing.trim_end());
            return fs::metadata(path)
                .map(|file| sys::identity(path, &file).0)
                .into_iter()
                .collect();
        }
        let Ok(entries) = fs::read_dir(folder.join("slaves")) else { return Vec::new() };
        let number = |entry: fs::DirEntry| device_number(&read(&entry.path().join("dev"))?);
        entries.flatten().filter_map(number).collect()
    }

    /// The device file that a file system with this device number was mounted from.
    fn mounted_from(&self, number: &str) -> Option<&str> {
        // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        let mounts = || read(Path::new("/proc/self/mountinfo")).unwrap_or_default();
        let mut lines = self.mounts.get_or_init(mounts).lines();
        let line = lines.find(|line| line.split(' ').nth(2) == Some(number))?;
        let source = line.split_once(" - ")?.1.split(' ').nth(1)?;
        source.starts_with("/dev/").then_some(source)
    }
}

/// What a whole disk is, by its folder in `/sys`.
fn disk(folder: &Path) -> Medium {
    let text = |name: &str| read(&folder.join(name)).unwrap_or_default();
    let model = text("device/model");
    // Network volumes of clouds; as NVMe or SCSI disks they look like any other.
    if ["Amazon Elastic Block Store", "PersistentDisk", "nvme_card-pd"].contains(&model.trim()) {
        return Medium::IopsLimited;
    }
    match text("queue/rotational").trim() {
        "0" => Medium::Solid,
        "1" => {
            let path = folder.to_string_lossy();
            let vendor = text("device/vendor");
            let virtual_bus = path.contains("/virtio") || path.contains("/vbd-");
            let virtual_disk = ["QEMU", "VMware", "Msft"].contains(&vendor.trim());
            if virtual_bus || virtual_disk { Medium::Virtual } else { Medium::Rotational }
        }
        _ => Medium::Unknown,
    }
}

/// `8:0` and a newline, to the form of `st_dev`.
fn device_number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(sys::makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// A small file of the kernel.
fn read(path: &Path) -> Option<String> {
    #[allow(clippy::disallowed_methods)] // no file of a user: whatever fails is an answer
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

// They imitate Linux's `/sys`, with names that Windows does not take.
#[cfg(all(test, unix))]
#[allow(clippy::disallowed_methods)] // makes a folder like /sys
mod tests {
    use super::*;
    use crate::probe::symlink;

    /// A folder like `/sys`, with one disk of each kind and what can lie above.
    struct FakeSystem {
        folder: tempfile::TempDir,
        mounts: String,
    }

    impl FakeSystem {
        fn new() -> FakeSystem {
            FakeSystem { folder: tempfile::tempdir().unwrap(), mounts: String::new() }
        }

        fn file(&self, path: &str, text: &str) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// A device, found by its number.
        fn device(&self, number: &str, path: &str, files: &[(&str, &str)]) {
            self.file(&format!("devices/{path}/dev"), &format!("{number}\n"));
            for (name, text) in files {
                self.file(&format!("devices/{path}/{name}"), text);
            }
            let links = self.folder.path().join("block");
            fs::create_dir_all(&links).unwrap();
            symlink(format!("../devices/{path}"), links.join(number)).unwrap();
        }

        /// `upper` is made of `lower`.
        fn stack(&self, upper: &str, lower: &str) {
            let slaves = self.folder.path().join(format!("devices/{upper}/slaves"));
            fs::create_dir_all(&slaves).unwrap();
            let name = lower.rsplit('/').next().unwrap();
            symlink(self.folder.path().join("devices").join(lower), slaves.join(name)).unwrap();
        }

        fn medium(&self, major: u32, minor: u32) -> Medium {
            let kernel = KernelFiles {
                sys: self.folder.path().join("block"),
                mounts: self.mounts.clone().into(),
                system: |_| None,
            };
            kernel.medium(sys::makedev(major, minor))
        }
    }

    #[test]
    fn disks_and_partitions() {
        let made = FakeSystem::new();
        made.device("8:0", "pci/ata1/sda", &[("queue/rotational", "1\n")]);
        made.device("8:1", "pci/ata1/sda/sda1", &[("partition", "1\n")]);
        made.device("259:0", "pci/nvme0n1", &[("queue/rotational", "0\n")]);
        made.device("254:0", "pci/virtio1/vda", &[("queue/rotational", "1\n")]);
        made.device("254:16", "pci/virtio2/vdb", &[("queue/rotational", "0\n")]);
        let qemu = [("queue/rotational", "1\n"), ("device/vendor", "QEMU    \n")];
        made.device("8:16", "pci/ata2/sdb", &qemu);
        let ebs =
            [("queue/rotational", "0\n"), ("device/model", "Amazon Elastic Block Store    \n")];
        made.device("259:1", "pci/nvme1n1", &ebs);
        made.device("7:9", "odd", &[]);
        assert_eq!(made.medium(8, 0), Medium::Rotational);
        assert_eq!(made.medium(8, 1), Medium::Rotational);
        assert_eq!(made.medium(259, 0), Medium::Solid);
        assert_eq!(made.medium(254, 0), Medium::Virtual);
        assert_eq!(made.medium(254, 16), Medium::Solid);
        assert_eq!(made.medium(8, 16), Medium::Virtual);
        assert_eq!(made.medium(259, 1), Medium::IopsLimited);
        assert_eq!(made.medium(7, 9), Medium::Unknown);
        assert_eq!(made.medium(99, 99), Medium::Unknown);
    }

    #[test]
    fn stacks_are_as_slow_as_their_slowest_disk() {
        let made = FakeSystem::new();
        made.device("8:0", "pci/ata1/sda", &[("queue/rotational", "1\n")]);
        made.device("8:1", "pci/ata1/sda/sda1", &[("partition", "1\n")]);
        made.device("259:0", "pci/nvme0n1", &[("queue/rotational", "0\n")]);
        // The kernel's own flag of the upper device is not asked.
        made.device("253:0", "virtual/dm-0", &[("queue/rotational", "0\n")]);
        made.stack("virtual/dm-0", "pci/ata1/sda/sda1");
        made.stack("virtual/dm-0", "pci/nvme0n1");
        made.device("253:1", "virtual/dm-1", &[("queue/rotational", "1\n")]);
        made.stack("virtual/dm-1", "pci/nvme0n1");
        made.device("9:0", "virtual/md0", &[]);
        made.stack("virtual/md0", "virtual/dm-0");
        made.device("253:2", "virtual/dm-2", &[]);
        made.stack("virtual/dm-2", "virtual/dm-2");
        assert_eq!(made.medium(253, 0), Medium::Rotational);
        assert_eq!(made.medium(253, 1), Medium::Solid);
        assert_eq!(made.medium(9, 0), Medium::Rotational);
        assert_eq!(made.medium(253, 2), Medium::Unknown, "a circle ends");
    }

    #[test]
    fn file_systems_with_numbers_of_their_own() {
        let mut made = FakeSystem::new();
        made.mounts = "28 27 0:25 / /run rw - tmpfs none ro,size=4k\n\
                       29 27 0:26 / /data rw shared:1 - btrfs /dev/no-such-device rw\n\
                       30 27 0:27 / /net rw - nfs4 server:/export rw\n"
            .into();
        for minor in [25, 27, 28] {
            assert_eq!(made.medium(0, minor), Medium::NoDevice);
        }
        assert_eq!(made.medium(0, 26), Medium::Unknown, "a device that is gone");
        let kernel = KernelFiles { sys: "/".into(), mounts: made.mounts.into(), system: |_| None };
        assert_eq!(kernel.mounted_from("0:26"), Some("/dev/no-such-device"));
        assert_eq!(kernel.mounted_from("0:27"), None);
    }

    #[test]
    fn this_machine_answers() {
        let here = sys::device_of(&sys::stat(Path::new(".")).unwrap());
        let _ = KernelFiles::here().medium(here);
        if let Some(memory) = sys::stat(Path::new("/proc")).ok().filter(|_| sys::HAS_KERNEL_FILES) {
            assert_eq!(KernelFiles::here().medium(sys::device_of(&memory)), Medium::NoDevice);
        }
    }
}
