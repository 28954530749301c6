//! What of a file is in the page cache.

use std::os::fd::BorrowedFd;

/// How much of a range the page cache has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residency {
    /// Next to nothing.
    Cold,
    /// Some or all of it, or the system does not say.
    Warm,
}

/// Asks `cachestat` (Linux 6.5, man 2 cachestat): about a microsecond, whatever the length.
#[cfg(target_os = "linux")]
pub(crate) fn residency(file: BorrowedFd, offset: u64, length: u64) -> Residency {
    use std::os::fd::AsRawFd;
    const CACHESTAT: libc::c_long = 451; // the same number on every architecture
    let range = [offset, length];
    // Pages: in the cache, dirty, being written, evicted, recently evicted.
    let mut pages = [0u64; 5];
    // SAFETY: both structures have the layout of the system call's and live through the call.
    let failed = unsafe {
        libc::syscall(CACHESTAT, file.as_raw_fd(), range.as_ptr(), pages.as_mut_ptr(), 0u32)
    };
    if failed == 0 && pages[0] * 4096 * 8 < length { Residency::Cold } else { Residency::Warm }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn residency(_: BorrowedFd, _: u64, _: u64) -> Residency {
    Residency::Warm
}
