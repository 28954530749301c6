//! Linux.

mod held;
mod linked_read;
mod mapped;
mod registered;
mod residency;
pub(crate) mod uring;

pub(crate) use held::{HeldProcess, start_held};
pub(crate) use residency::residency;

use crate::engine::pool::ALIGN;
use crate::order::Extent;
use crate::status::{EntryKind, Status, kind, nanoseconds, status};
use rustix::fs::{Advice, AtFlags, CWD, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use solio_base::{Error, Result};
use std::ffi::CStr;
use std::fmt::Write as _;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// Bytes of a path that the system takes: 4,096 with the zero byte.
pub(crate) const MOST_PATH_BYTES: usize = 4095;

/// Whether files can be read out of memory maps.
pub(crate) const HAS_MAPS: bool = true;

/// To open a folder only to go on from there: no right to read it is needed.
pub(crate) const PASS: OFlags = OFlags::PATH;

/// A file in `folder` that has no name yet, where the file system can.
pub(crate) fn unnamed_file(folder: &Path) -> Option<File> {
    // Naming it later needs /proc.
    if !Path::new("/proc/self/fd").exists() || std::env::var_os("SOLIO_NO_TMPFILE").is_some() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
}

/// A name that opens the same file again, whatever became of its own.
pub(crate) fn name_of_open(file: &File) -> Option<PathBuf> {
    let open = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    open.exists().then_some(open)
}

/// Mounts that no table tells of.
pub(crate) fn other_mounts() -> Vec<crate::mount::Mount> {
    Vec::new()
}

/// Gives two names each other's files; whether that was done.
pub(crate) fn exchange(a: &Path, b: &Path) -> bool {
    rustix::fs::renameat_with(CWD, a, CWD, b, rustix::fs::RenameFlags::EXCHANGE).is_ok()
}

/// Gives a file another name, where nothing has that.
pub(crate) fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let only_new = rustix::fs::RenameFlags::NOREPLACE;
    match rustix::fs::renameat_with(CWD, from, CWD, to, only_new) {
        // Some file systems have no such call.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            super::posix::rename_by_link(from, to)
        }
        done => Ok(done?),
    }
}

/// Starts a process that ends when the thread ends which starts it.
pub(crate) fn start_tied(mut command: Command) -> std::io::Result<Child> {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    let parent = getpid();
    let tie = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have ended already.
        if getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
    };
    // SAFETY: between fork and exec the closure makes two system calls, which are safe there, and
    // neither allocates nor takes a lock; an error becomes a number without allocating.
    unsafe { command.pre_exec(tie) };
    command.spawn()
}

/// Asks the system to fetch a file that is going to be read.
pub(crate) fn will_read(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, Advice::WillNeed);
}

/// Says that a file is going to be read from its beginning to its end.
pub(crate) fn reads_in_order(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, Advice::Sequential);
}

/// Takes what is clean of a file out of the page cache.
pub(crate) fn drop_from_cache(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
}

/// The same file, opened to go past the page cache.
pub(crate) fn past_the_cache(file: &File) -> Option<File> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok().map(File::from)
}

/// Whether a read at `offset` would be answered from the page cache.
pub(crate) fn is_cached(file: &File, offset: u64) -> bool {
    let mut byte = [0u8; 1];
    let mut buffers = [std::io::IoSliceMut::new(&mut byte)];
    let flags = rustix::io::ReadWriteFlags::NOWAIT;
    let read = rustix::io::preadv2(file, &mut buffers, offset, flags);
    !matches!(read, Err(Errno::AGAIN))
}

/// Has an open file go past the page cache from now on, or through it; whether it does.
pub(crate) fn set_direct(file: &impl AsFd, on: bool) -> bool {
    rustix::fs::fcntl_setfl(file, if on { OFlags::DIRECT } else { OFlags::empty() }).is_ok()
}

/// Asks for huge pages.
///
/// # Safety
/// The bytes are a mapping of the caller's own.
pub(crate) unsafe fn advise_huge(start: *mut u8, bytes: usize) {
    // SAFETY: the caller's mapping; the advice changes neither contents nor validity.
    let _ = unsafe { rustix::mm::madvise(start.cast(), bytes, rustix::mm::Advice::LinuxHugepage) };
}

/// Keeps this thread to the core that it runs on.
pub(crate) fn keep_to_one_core() -> Result<()> {
    // SAFETY: a plain value, for which zeros are an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: reads nothing of ours.
    let core = unsafe { libc::sched_getcpu() }.max(0) as usize;
    if core >= 8 * size_of::<libc::cpu_set_t>() {
        let message = format!("core {core} is more than the system's set holds");
        return Err(Error::unsupported(message));
    }
    // SAFETY: the core lies within the set; the call reads as many bytes as the set has.
    let refused = unsafe {
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
    };
    match refused {
        0 => Ok(()),
        _ => Err(Error::io("keep to one core", std::io::Error::last_os_error())),
    }
}

/// Copies up to `bytes` bytes by one call of the system; `None` where these two files cannot be
/// copied so.
pub(crate) fn copy_range(
    from: &File,
    offset: &mut u64,
    to: &File,
    end: &mut u64,
    bytes: usize,
) -> std::io::Result<Option<u64>> {
    if let Some(written) = mapped::write(from, *offset, to, *end, bytes)? {
        return Ok(Some(written));
    }
    loop {
        match rustix::fs::copy_file_range(from, Some(offset), to, Some(end), bytes) {
            Ok(copied) => return Ok(Some(copied as u64)),
            Err(Errno::INTR) => {}
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => {
                return Ok(None);
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// Fills `window` with what stands at `offset` of a file, out of a memory map; whether it did: not
/// where the file ends before.
///
/// Touching a page that a shrunk file no longer has would be a signal; asking for the pages first
/// (`MADV_POPULATE_READ`, Linux 5.14) makes it an error, but for the moment between the two.
pub(crate) fn read_mapped(file: &impl AsFd, offset: u64, window: &mut [u8]) -> Result<bool> {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
    let failed = |e: Errno| Error::io("map", e.into()).at_offset(offset);
    let start = offset / ALIGN as u64 * ALIGN as u64;
    let (before, length) = ((offset - start) as usize, window.len());
    let size = rustix::fs::fstat(file).map_err(failed)?.st_size as u64;
    if size < offset + length as u64 {
        return Ok(false);
    }
    let null = core::ptr::null_mut();
    // SAFETY: a new read-only mapping of a file that is open, at an address of the kernel's
    // choice.
    let map =
        unsafe { mmap(null, before + length, ProtFlags::READ, MapFlags::SHARED, file, start) };
    let map = map.map_err(failed)?;
    // SAFETY: the mapping was just made and is unmapped below; the pages are there (or the call
    // says that they are not).
    unsafe {
        let there = madvise(map, before + length, Advice::LinuxPopulateRead);
        if there.is_ok() {
            let bytes = core::slice::from_raw_parts(map.cast::<u8>().add(before), length);
            window.copy_from_slice(bytes);
        }
        let _ = munmap(map, before + length);
        there.map_err(failed)?;
    }
    Ok(true)
}

/// Whether names that differ in case are one in a folder: by its own flag (ext4, f2fs, tmpfs), else
/// by the kind of file system.
pub(crate) fn folds(folder: &Path) -> Option<bool> {
    const CASEFOLD: u32 = 0x4000_0000; // FS_CASEFOLD_FL
    /// FAT, exFAT, NTFS (both drivers), CIFS, SMB, HFS, HFS+.
    const FOLDING: [u64; 8] =
        [0x4d44, 0x2011_bab0, 0x5346_544e, 0x7366_746e, 0xff53_4d42, 0xfe53_4d42, 0x4244, 0x482b];
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, folder, flags, Mode::empty()).ok()?;
    let kind = rustix::fs::fstatfs(&folder).ok()?.f_type;
    // On some machines the kernel's number is a signed one of 32 bits.
    let kind = u64::from(kind as u32);
    let flagged = rustix::fs::ioctl_getflags(&folder).is_ok_and(|all| all.bits() & CASEFOLD != 0);
    Some(flagged || FOLDING.contains(&kind))
}

/// Names, inodes and kinds of all that a folder has.
pub(crate) fn each_name(
    folder: &OwnedFd,
    buffer: &mut Vec<u8>,
    mut keep: impl FnMut(&CStr, u64, FileType) -> rustix::io::Result<()>,
) -> rustix::io::Result<()> {
    buffer.reserve(64 << 10);
    let mut read = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = read.next() {
        let entry = entry?;
        keep(entry.file_name(), entry.ino(), entry.file_type())?;
    }
    Ok(())
}

/// What the system says about a name in `folder`, and what it is.
pub(crate) fn look_at(
    folder: impl AsFd,
    name: impl Arg + Copy,
    flags: AtFlags,
) -> rustix::io::Result<(Status, EntryKind)> {
    match rustix::fs::statx(&folder, name, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME) {
        // Old kernels do not know the question, and some sandboxes forbid it.
        Err(Errno::NOSYS | Errno::PERM) => {
            let found = rustix::fs::statat(folder, name, flags)?;
            Ok((status(&found), kind(FileType::from_raw_mode(found.st_mode))))
        }
        found => {
            let found = found?;
            let mode = FileType::from_raw_mode(found.stx_mode.into());
            Ok((status_with_birth(&found), kind(mode)))
        }
    }
}

fn status_with_birth(found: &rustix::fs::Statx) -> Status {
    let is_told = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    let ns = |time: &rustix::fs::StatxTimestamp| nanoseconds(time.tv_sec, time.tv_nsec.into());
    Status {
        size: found.stx_size,
        modified_ns: ns(&found.stx_mtime),
        born_ns: is_told.then(|| ns(&found.stx_btime)),
        inode: found.stx_ino,
        device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
        links: found.stx_nlink.into(),
        changed_ns: Some(ns(&found.stx_ctime)),
        blocks: found.stx_blocks,
        mode: found.stx_mode.into(),
        owner: found.stx_uid,
        group: found.stx_gid,
    }
}

/// `FS_IOC_GETFSUUID`: the length of a UUID, and the UUID.
#[repr(C)]
struct FsUuid {
    length: u8,
    bytes: [u8; 16],
}

/// The UUID of the file system that an open folder lies on; Linux 6.9 or newer. Zeros are none.
pub(crate) fn volume_uuid(folder: BorrowedFd<'_>) -> Option<String> {
    use rustix::ioctl::{Getter, ioctl, opcode};
    const GET: rustix::ioctl::Opcode = opcode::read::<FsUuid>(0x15, 0);
    // SAFETY: the call fills a structure of this size and layout, or fails.
    let found = unsafe { ioctl(folder, Getter::<GET, FsUuid>::new()) }.ok()?;
    let bytes = found.bytes.get(..usize::from(found.length))?;
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let mut text = String::new();
    for (place, byte) in bytes.iter().enumerate() {
        let dash = if bytes.len() == 16 && [4, 6, 8, 10].contains(&place) { "-" } else { "" };
        let _ = write!(text, "{dash}{byte:02x}");
    }
    Some(text)
}

/// `FS_IOC_GETFSLABEL`: the label of the file system that an open folder lies on.
pub(crate) fn volume_label(folder: BorrowedFd<'_>) -> Option<String> {
    use rustix::ioctl::{Getter, ioctl, opcode};
    const GET: rustix::ioctl::Opcode = opcode::read::<[u8; 256]>(0x94, 49);
    // SAFETY: the call fills 256 bytes, or fails.
    let found = unsafe { ioctl(folder, Getter::<GET, [u8; 256]>::new()) }.ok()?;
    let label = found.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(String::from_utf8_lossy(label).into_owned()).filter(|label| !label.is_empty())
}

/// The first pieces of a file that a read fetches from the medium, by the ioctl FIEMAP.
pub(crate) fn extents(file: &File, most: usize) -> std::io::Result<Vec<Extent>> {
    use fiemap::FiemapExtentFlags as Flags;
    let nowhere = Flags::UNKNOWN | Flags::DELALLOC | Flags::UNWRITTEN | Flags::DATA_INLINE;
    let mut all = Vec::new();
    for extent in fiemap::Fiemap::new(file).take(most) {
        let extent = extent?;
        if !extent.fe_flags.intersects(nowhere) {
            all.push(Extent {
                logical: extent.fe_logical,
                physical: extent.fe_physical,
                bytes: extent.fe_length,
            });
        }
    }
    Ok(all)
}
