//! What of a file is in the page cache.

use crate::sys::Residency;
use std::os::fd::BorrowedFd;

/// Asks `cachestat` (Linux 6.5, man 2 cachestat): about a microsecond, whatever the length. Where
/// there is none, a few bytes are read that may not be waited for.
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
    let cold = if failed == 0 { pages[0] * 4096 * 8 < length } else { samples(file, range) };
    if cold { Residency::Cold } else { Residency::Warm }
}

/// Whether none of eight bytes, spread over a range, comes without waiting (`RWF_NOWAIT`, Linux
/// 4.14).
fn samples(file: BorrowedFd, [offset, length]: [u64; 2]) -> bool {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    const SAMPLES: u64 = 8;
    (0..SAMPLES).all(|i| {
        let mut byte = [0];
        let at = offset + length / SAMPLES * i;
        let parts = &mut [std::io::IoSliceMut::new(&mut byte)];
        preadv2(file, parts, at, ReadWriteFlags::NOWAIT) == Err(Errno::AGAIN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    #[allow(clippy::print_stdout)]
    fn both_ways_tell_cold_from_warm() {
        // Beside the sources: what a temporary folder in memory holds is never cold.
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let length = 1 << 20;
        file.write_all(&vec![1; length as usize]).unwrap();
        file.sync_all().unwrap();
        assert_eq!(residency(file.as_fd(), 0, length), Residency::Warm);
        assert!(!samples(file.as_fd(), [0, length]));
        // The system may keep some of what it is told to drop for a while (a folio that is held, or
        // pages that asking has begun to read), so both are asked again.
        let mut dropped = false;
        for _ in 0..50 {
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
            if residency(file.as_fd(), 0, length) == Residency::Cold {
                dropped = true;
                if samples(file.as_fd(), [0, length]) {
                    return;
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(!dropped, "the samples never say cold, though cachestat does");
        println!("cold: skipped (this file system keeps what is to be dropped)");
    }
}
