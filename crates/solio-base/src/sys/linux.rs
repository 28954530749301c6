//! Linux.

use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The memory of this machine.
pub(crate) fn machine_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram as u64 * u64::from(info.mem_unit.max(1))
}

/// The core that this thread runs on.
pub(crate) fn core() -> usize {
    sched_getcpu()
}

/// Goes to another core, when this thread is on `core`.
pub(crate) fn leave(core: usize) {
    if sched_getcpu() != core {
        return;
    }
    let Ok(all) = sched_getaffinity(None) else { return };
    let mut others = all;
    others.unset(core);
    // Failure is harmless.
    if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
        let _ = sched_setaffinity(None, &all);
    }
}

/// Asks for huge pages.
///
/// # Safety
/// The bytes are an allocation of the caller's.
pub(crate) unsafe fn advise_huge(start: *mut u8, bytes: usize) {
    // Whole pages, so that the mapping stays in one piece, which the kernel can grow in place or move
    // without a copy.
    let page = rustix::param::page_size();
    let first = start as usize / page * page;
    let end = (start as usize + bytes).next_multiple_of(page);
    // SAFETY: the pages hold the caller's allocation, and MADV_HUGEPAGE changes neither contents nor
    // validity of memory, whatever else is there. Failure is harmless.
    let _ = unsafe {
        rustix::mm::madvise(
            first as *mut core::ffi::c_void,
            end - first,
            rustix::mm::Advice::LinuxHugepage,
        )
    };
}

/// Hands free memory of the allocator back to the system, where the allocator has a word for that.
pub(crate) fn trim_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it touches free memory of the allocator alone, under the allocator's own locks.
    let _ = unsafe { libc::malloc_trim(0) };
}
