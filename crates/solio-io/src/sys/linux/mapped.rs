//! Bytes of one file written into another, where they lie at another place of their page.
//!
//! `copy_file_range` then takes each page in two steps: 44 MB took 14.4 to 15.7 ms of a core on
//! ext4. Written out of a memory map whose pages were asked for first they take 11.5 to 11.8 ms, as
//! much as `cp` needs where pages stay pages.

use std::fs::File;

/// File systems whose pages are this machine's: on others the server may copy by itself.
const LOCAL: [u64; 4] = [0xef53, 0x0102_1994, 0x5846_5342, 0x9123_683e]; // ext, tmpfs, XFS, btrfs

/// Writes up to `bytes` bytes of `from`, from `offset` on, to `to`, from `end` on; `None` where
/// this is not the way.
pub(crate) fn write(
    from: &File,
    offset: u64,
    to: &File,
    end: u64,
    bytes: usize,
) -> std::io::Result<Option<u64>> {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    use std::os::fd::AsRawFd;

    let page = rustix::param::page_size() as u64;
    let is_local = |file: &File| {
        rustix::fs::fstatfs(file).is_ok_and(|about| LOCAL.contains(&(about.f_type as u64)))
    };
    if offset % page == end % page || !is_local(from) || !is_local(to) {
        return Ok(None);
    }
    let start = offset / page * page;
    let before = (offset - start) as usize;
    let flags = MapFlags::SHARED | MapFlags::POPULATE;
    let null = core::ptr::null_mut();
    // SAFETY: a new read-only mapping of a file that is open, at an address of the kernel's
    // choice.
    let map = unsafe { mmap(null, before + bytes, ProtFlags::READ, flags, from, start) };
    let Ok(map) = map else { return Ok(None) };
    let written = loop {
        // SAFETY: the mapping has so many bytes. Only the kernel looks at them: where the file has
        // become shorter, that is an error of the call.
        let written = unsafe {
            libc::pwrite(to.as_raw_fd(), map.cast::<u8>().add(before).cast(), bytes, end as i64)
        };
        if written >= 0 {
            break Ok(Some(written as u64));
        }
        let error = std::io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            // The other way finds out where it ends.
            Some(libc::EFAULT) => break Ok(None),
            _ => break Err(error),
        }
    };
    // SAFETY: the mapping was made above, and nothing refers to it.
    let _ = unsafe { munmap(map, before + bytes) };
    written
}
