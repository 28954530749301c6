//! macOS: what it has beside POSIX. Calls that the crate `rustix` does not have are made here, each
//! with a structure of the system's own layout.

// What this room has itself comes before what all have.
pub(crate) use super::unix::{
    HAS_MAPS, HeldProcess, MOST_PATH_BYTES, PASS, advise_huge, copy_range, drop_from_cache,
    each_name, is_cached, keep_to_one_core, read_mapped, residency, start_held, start_tied,
    unnamed_file, uring,
};

use crate::mount::Mount;
use crate::order::Extent;
use crate::status::{EntryKind, Status, kind, nanoseconds, status};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::path::Arg;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Gives two names each other's files; whether that was done (APFS can).
pub(crate) fn exchange(a: &Path, b: &Path) -> bool {
    rustix::fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
}

/// Gives a file another name, where nothing has that.
pub(crate) fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems have no such call.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => {
            super::posix::rename_by_link(from, to)
        }
        done => Ok(done?),
    }
}

/// Asks the system to fetch a file that is going to be read.
pub(crate) fn will_read(file: &File) {
    let bytes = file.metadata().map_or(0, |found| found.len());
    let range =
        libc::radvisory { ra_offset: 0, ra_count: i32::try_from(bytes).unwrap_or(i32::MAX) };
    // SAFETY: the call reads a structure of this layout; failure is harmless.
    let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_RDADVISE, &raw const range) };
}

/// Says that a file is going to be read from its beginning to its end.
pub(crate) fn reads_in_order(file: &File) {
    // SAFETY: takes a number; failure is harmless.
    let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_RDAHEAD, 1) };
}

/// Has an open file go past the cache from now on, or through it; whether it does.
pub(crate) fn set_direct(file: &impl AsFd, on: bool) -> bool {
    let number = file.as_fd().as_raw_fd();
    // SAFETY: takes a number.
    unsafe { libc::fcntl(number, libc::F_NOCACHE, i32::from(on)) != -1 }
}

/// The same file, opened to go past the cache.
pub(crate) fn past_the_cache(file: &File) -> Option<File> {
    let path = rustix::fs::getpath(file).ok()?;
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let again = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    set_direct(&again, true).then_some(again)
}

/// A name that opens the same file again.
pub(crate) fn name_of_open(file: &File) -> Option<PathBuf> {
    let path = rustix::fs::getpath(file).ok()?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path.to_bytes())))
}

/// Whether names that differ in case are one in a folder.
pub(crate) fn folds(folder: &Path) -> Option<bool> {
    let folder = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path ends with a zero and is not kept.
    match unsafe { libc::pathconf(folder.as_ptr(), libc::_PC_CASE_SENSITIVE) } {
        0 => Some(true),
        1 => Some(false),
        _ => None,
    }
}

/// What the system says about a name in `folder`, and what it is.
pub(crate) fn look_at(
    folder: impl AsFd,
    name: impl Arg + Copy,
    flags: AtFlags,
) -> rustix::io::Result<(Status, EntryKind)> {
    let found = rustix::fs::statat(folder, name, flags)?;
    let born_ns = Some(nanoseconds(found.st_birthtime, found.st_birthtime_nsec));
    Ok((Status { born_ns, ..status(&found) }, kind(FileType::from_raw_mode(found.st_mode))))
}

/// What an attribute of a volume takes at most: a name has up to 255 characters.
const MOST_ATTRIBUTE: usize = 1024;

/// An attribute of the volume that an open folder lies on, as the system packs it: behind the length of
/// all.
fn volume_attribute(folder: BorrowedFd<'_>, attribute: u32) -> Option<Vec<u8>> {
    let mut wanted = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: 0,
        volattr: libc::ATTR_VOL_INFO | attribute,
        dirattr: 0,
        fileattr: 0,
        forkattr: 0,
    };
    let mut found = vec![0u8; MOST_ATTRIBUTE];
    // SAFETY: the list has the system's layout; the call writes at most as many bytes as are said.
    let failed = unsafe {
        libc::fgetattrlist(
            folder.as_raw_fd(),
            (&raw mut wanted).cast(),
            found.as_mut_ptr().cast(),
            found.len(),
            0,
        )
    };
    let (length, _) = found.split_first_chunk::<4>()?;
    let length = u32::from_ne_bytes(*length) as usize;
    if failed != 0 || length > found.len() {
        return None;
    }
    Some(found.drain(..length).skip(4).collect())
}

/// The UUID of the volume that an open folder lies on.
pub(crate) fn volume_uuid(folder: BorrowedFd<'_>) -> Option<String> {
    let bytes = volume_attribute(folder, libc::ATTR_VOL_UUID)?;
    let hex = bytes.get(..16)?.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    if hex.bytes().all(|digit| digit == b'0') {
        return None;
    }
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Some(parts.join("-"))
}

/// The name of the volume that an open folder lies on.
pub(crate) fn volume_label(folder: BorrowedFd<'_>) -> Option<String> {
    let bytes = volume_attribute(folder, libc::ATTR_VOL_NAME)?;
    // Where the text begins, from here on, and its bytes with a zero.
    let (start, rest) = bytes.split_first_chunk::<4>()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    let start = usize::try_from(i32::from_ne_bytes(*start)).ok()?;
    let end = start.checked_add(u32::from_ne_bytes(*length) as usize)?;
    let name = bytes.get(start..end)?.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(String::from_utf8_lossy(name).into_owned()).filter(|name| !name.is_empty())
}

/// The first pieces of a file as the device has them.
pub(crate) fn extents(file: &File, most: usize) -> std::io::Result<Vec<Extent>> {
    let bytes = file.metadata()?.len();
    let (mut all, mut at) = (Vec::new(), 0u64);
    while at < bytes && all.len() < most {
        let mut place = libc::log2phys {
            l2p_flags: 0,
            l2p_contigbytes: (bytes - at) as libc::off_t,
            l2p_devoffset: at as libc::off_t,
        };
        // SAFETY: the call reads and writes a structure of this layout.
        let failed =
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_LOG2PHYS_EXT, &raw mut place) == -1 };
        if failed {
            let error = std::io::Error::last_os_error();
            // A hole, or what is not on the disk yet, has no place.
            return if all.is_empty() { Err(error) } else { Ok(all) };
        }
        let (length, physical) = (place.l2p_contigbytes as u64, place.l2p_devoffset as u64);
        if length == 0 {
            break;
        }
        let bytes = length.min(bytes - at);
        all.push(Extent { logical: at, physical, bytes });
        at += bytes;
    }
    Ok(all)
}

/// Text of a fixed array, up to its zero.
fn text(bytes: &[libc::c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|&c| c as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All mounts, as the system lists them.
pub(crate) fn other_mounts() -> Vec<Mount> {
    // SAFETY: asks for the number alone.
    let count = unsafe { libc::getfsstat(core::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
    let Ok(count) = usize::try_from(count) else { return Vec::new() };
    // Some may come meanwhile.
    let room = count + 16;
    let mut all: Vec<libc::statfs> = Vec::with_capacity(room);
    let bytes = room * size_of::<libc::statfs>();
    // SAFETY: the call writes whole entries, at most as many as fit into these bytes, and says how many.
    let filled = unsafe {
        let filled = libc::getfsstat(all.as_mut_ptr(), bytes as libc::c_int, libc::MNT_NOWAIT);
        let filled = usize::try_from(filled).unwrap_or(0).min(room);
        all.set_len(filled);
        filled
    };
    all.truncate(filled);
    let of = |mount: &libc::statfs| {
        // Its first half is the number of the device; asking for the point itself may hang.
        // SAFETY: two numbers of 32 bits, whose names the crate `libc` keeps to itself.
        let device = unsafe { (&raw const mount.f_fsid).cast::<i32>().read() } as u64;
        Mount {
            device: (super::major(device), super::minor(device)),
            inside: "/".into(),
            kind: text(&mount.f_fstypename),
            source: text(&mount.f_mntfromname),
            point: PathBuf::from(text(&mount.f_mntonname)),
        }
    };
    all.iter().map(of).collect()
}
