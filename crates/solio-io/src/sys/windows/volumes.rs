//! Drives and their file systems.

use super::files::identity_of;
use super::wide::units;
use super::{AsFd, BorrowedFd, CWD, SysResult, major, makedev, minor};
use crate::mount::Mount;
use crate::order::{Extent, Medium};
use std::ffi::{OsString, c_void};
use std::fs::File;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{ERROR_HANDLE_EOF, ERROR_MORE_DATA, HANDLE};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl as io;
use windows_sys::Win32::System::SystemInformation::{
    ComputerNamePhysicalDnsHostname, GetComputerNameExW, OSVERSIONINFOW,
};

/// What a file system says of itself.
struct FileSystem {
    label: String,
    kind: String,
    serial: u32,
}

fn file_system(handle: HANDLE) -> Option<FileSystem> {
    let (mut label, mut kind) = ([0u16; 261], [0u16; 261]);
    let (mut serial, mut length, mut flags) = (0, 0, 0);
    // SAFETY: both buffers have as many units as is said; the numbers are there to be filled.
    let told = unsafe {
        fs::GetVolumeInformationByHandleW(
            handle,
            label.as_mut_ptr(),
            label.len() as u32,
            &mut serial,
            &mut length,
            &mut flags,
            kind.as_mut_ptr(),
            kind.len() as u32,
        )
    };
    (told != 0).then(|| FileSystem { label: text(&label), kind: text(&kind), serial })
}

/// What stands before the zero.
fn text(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0).unwrap_or(units.len());
    OsString::from_wide(&units[..end]).to_string_lossy().into_owned()
}

/// The number of the file system that an open folder lies on, as Linux shows it: 16 digits of NTFS, two
/// times four of FAT.
pub(crate) fn volume_uuid(folder: BorrowedFd<'_>) -> Option<String> {
    let known = file_system(folder.handle)?;
    let (volume, _) = identity_of(folder.handle).ok()?;
    match (known.kind.as_str(), known.serial) {
        (_, 0) => None,
        ("NTFS" | "ReFS", _) if volume >> 32 != 0 => Some(format!("{volume:016X}")),
        (_, serial) => Some(format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)),
    }
}

/// The label of the file system that an open folder lies on.
pub(crate) fn volume_label(folder: BorrowedFd<'_>) -> Option<String> {
    file_system(folder.handle).map(|known| known.label).filter(|label| !label.is_empty())
}

/// It is the number above.
pub(crate) fn file_system_number(_: impl AsFd) -> SysResult<u64> {
    Ok(0)
}

/// There is no table.
pub(crate) fn mount_table() -> SysResult<Vec<u8>> {
    Ok(Vec::new())
}

/// Each drive that has a letter.
pub(crate) fn other_mounts() -> Vec<Mount> {
    // SAFETY: the call takes nothing.
    let letters = unsafe { fs::GetLogicalDrives() };
    (0..26u8)
        .filter(|place| letters >> place & 1 != 0)
        .filter_map(|place| drive(b'A' + place))
        .collect()
}

fn drive(letter: u8) -> Option<Mount> {
    let point = PathBuf::from(format!("{}:\\", letter as char));
    let folder = super::openat(CWD, &point, super::OFlags::DIRECTORY, super::Mode::empty()).ok()?;
    let handle = folder.as_fd().handle;
    let (device, _) = identity_of(handle).ok()?;
    let known = file_system(handle)?;
    Some(Mount {
        device: (major(device), minor(device)),
        point: solio_base::names::slashed(point.clone()),
        inside: "/".into(),
        kind: known.kind,
        source: volume_name(&point).unwrap_or_else(|| point.display().to_string()),
    })
}

/// `\\?\Volume{…}\`, which stays when the letter changes.
fn volume_name(point: &Path) -> Option<String> {
    let (point, mut name) = (units(point).ok()?, [0u16; 64]);
    // SAFETY: the path ends with a zero; the buffer has as many units as is said.
    let told = unsafe {
        fs::GetVolumeNameForVolumeMountPointW(point.as_ptr(), name.as_mut_ptr(), name.len() as u32)
    };
    (told != 0).then(|| text(&name))
}

/// What kind of medium the volume of this number lies on: whether the disk says that seeking costs.
pub(crate) fn medium(device: u64) -> Option<Medium> {
    let found = other_mounts().into_iter().find(|m| makedev(m.device.0, m.device.1) == device);
    let Some(mount) = found else { return Some(Medium::Unknown) };
    let path = format!(r"\\.\{}", mount.point.display());
    let Ok(volume) =
        super::files::create_file(Path::new(path.trim_end_matches('/')), 0, fs::OPEN_EXISTING, 0)
    else {
        return Some(Medium::Unknown);
    };
    let query = io::STORAGE_PROPERTY_QUERY {
        PropertyId: io::StorageDeviceSeekPenaltyProperty,
        QueryType: io::PropertyStandardQuery,
        AdditionalParameters: [0],
    };
    let mut answer = io::DEVICE_SEEK_PENALTY_DESCRIPTOR::default();
    let told = control(&volume, io::IOCTL_STORAGE_QUERY_PROPERTY, &query, &mut answer);
    Some(match (told, answer.IncursSeekPenalty) {
        (Err(_), _) => Medium::Unknown,
        (Ok(0), _) => Medium::Unknown,
        (Ok(_), true) => Medium::Rotational,
        (Ok(_), false) => Medium::Solid,
    })
}

/// A question to a driver; how many bytes it answered. Both structures are the ones of `code`.
fn control<Q, A>(file: &File, code: u32, query: &Q, answer: &mut A) -> std::io::Result<u32> {
    let mut got = 0;
    // SAFETY: callers name the code whose structures these are: plain numbers, as many bytes as is said.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            code,
            (&raw const *query).cast::<c_void>(),
            size_of::<Q>() as u32,
            (&raw mut *answer).cast::<c_void>(),
            size_of::<A>() as u32,
            &mut got,
            core::ptr::null_mut(),
        )
    };
    if done == 0 { Err(std::io::Error::last_os_error()) } else { Ok(got) }
}

/// What `FSCTL_GET_RETRIEVAL_POINTERS` answers, with room for some pieces.
#[repr(C)]
struct Pointers {
    count: u32,
    start: i64,
    pieces: [[i64; 2]; 64],
}

/// The first pieces of a file, in clusters of the volume made into bytes.
///
/// A file that lies in its own record, or is empty, has none.
pub(crate) fn extents(file: &File, most: usize) -> std::io::Result<Vec<Extent>> {
    let cluster = cluster_bytes(file)?;
    let mut all = Vec::new();
    let mut next = io::STARTING_VCN_INPUT_BUFFER { StartingVcn: 0 };
    loop {
        let mut found = Pointers { count: 0, start: 0, pieces: [[0; 2]; 64] };
        let asked = control(file, io::FSCTL_GET_RETRIEVAL_POINTERS, &next, &mut found);
        let is_more = match asked {
            // Systems that imitate Windows say yes, and nothing.
            Ok(0) => return Err(std::io::ErrorKind::Unsupported.into()),
            Ok(_) => false,
            Err(e) if e.raw_os_error() == Some(ERROR_MORE_DATA as i32) => true,
            Err(e) if e.raw_os_error() == Some(ERROR_HANDLE_EOF as i32) => return Ok(all),
            Err(e) => return Err(e),
        };
        let at = found.add_to(&mut all, cluster, most)?;
        if !is_more || at <= next.StartingVcn || all.len() >= most {
            return Ok(all);
        }
        next.StartingVcn = at;
    }
}

impl Pointers {
    /// Adds the pieces, up to `most` in all; the cluster of the file at which the next question begins.
    fn add_to(&self, all: &mut Vec<Extent>, cluster: u64, most: usize) -> std::io::Result<i64> {
        let mut at = self.start;
        for [end, place] in self.pieces.into_iter().take(self.count as usize) {
            if end <= at || at < 0 {
                // An answer that is none, of systems that imitate Windows.
                return Err(std::io::ErrorKind::Unsupported.into());
            }
            // Holes and what is compressed to nothing lie nowhere.
            if place >= 0 && all.len() < most {
                all.push(Extent {
                    logical: (at as u64).saturating_mul(cluster),
                    physical: (place as u64).saturating_mul(cluster),
                    bytes: ((end - at) as u64).saturating_mul(cluster),
                });
            }
            at = end;
        }
        Ok(at)
    }
}

/// Bytes of a cluster of the volume that a file lies on; 4,096 where the system does not say, which is
/// right for order, if not for places.
fn cluster_bytes(file: &File) -> std::io::Result<u64> {
    let mut name = vec![0u16; 512];
    // SAFETY: the buffer has as many units as is said.
    let length = unsafe {
        fs::GetFinalPathNameByHandleW(file.as_raw_handle(), name.as_mut_ptr(), name.len() as u32, 0)
    } as usize;
    let (mut sectors, mut bytes, mut free, mut all) = (0, 0, 0, 0);
    // `\\?\C:\`
    if (7..name.len()).contains(&length) && name[5] == u16::from(b':') {
        let root = [name[4], name[5], u16::from(b'\\'), 0];
        // SAFETY: the root ends with a zero; the numbers are there to be filled.
        let told = unsafe {
            fs::GetDiskFreeSpaceW(root.as_ptr(), &mut sectors, &mut bytes, &mut free, &mut all)
        };
        if told != 0 && sectors > 0 && bytes > 0 {
            return Ok(u64::from(sectors) * u64::from(bytes));
        }
    }
    Ok(4096)
}

/// The name of this machine and the release of its system.
pub(crate) fn machine_and_release() -> (String, String) {
    let mut name = [0u16; 256];
    let mut length = name.len() as u32;
    // SAFETY: the buffer has as many units as is said.
    let told = unsafe {
        GetComputerNameExW(ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &mut length)
    };
    let name = if told == 0 { String::new() } else { text(&name) };
    let mut version = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        ..OSVERSIONINFOW::default()
    };
    // SAFETY: the structure says its size, and is there to be filled; the call cannot fail.
    unsafe { RtlGetVersion(&mut version) };
    let OSVERSIONINFOW { dwMajorVersion, dwMinorVersion, dwBuildNumber, .. } = version;
    (name, format!("{dwMajorVersion}.{dwMinorVersion}.{dwBuildNumber} Windows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_bytes_and_holes_are_nowhere() {
        let mut found = Pointers { count: 3, start: 16, pieces: [[0; 2]; 64] };
        found.pieces[..3].copy_from_slice(&[[20, 1000], [28, -1], [29, 7]]);
        let mut all = Vec::new();
        assert_eq!(found.add_to(&mut all, 4096, 10).unwrap(), 29);
        let told: Vec<_> = all.iter().map(|e| [e.logical, e.physical, e.bytes]).collect();
        assert_eq!(told, [[65_536, 4_096_000, 16_384], [114_688, 28_672, 4096]]);
        found.add_to(&mut all, 4096, 3).unwrap();
        assert_eq!(all.len(), 3);
        // More than the room, backwards, nothing: all no answers of a file system.
        found.count = u32::MAX;
        assert!(found.add_to(&mut all, 4096, 3).is_err());
        found.start = i64::MIN;
        assert!(found.add_to(&mut all, u64::MAX, usize::MAX).is_err());
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn a_file_lies_somewhere_or_the_system_does_not_say() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &[1; 300_000]).unwrap();
        file.sync_all().unwrap();
        match extents(&file, 100) {
            Ok(all) => {
                let bytes: u64 = all.iter().map(|e| e.bytes).sum();
                assert!(bytes >= 300_000 && all[0].logical == 0, "{all:?}");
            }
            Err(e) => println!("skipped: {e}"),
        }
        assert!(cluster_bytes(&file).unwrap() >= 512);
    }
}
