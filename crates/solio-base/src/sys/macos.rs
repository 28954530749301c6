//! macOS.

pub(crate) use super::unix::{advise_huge, core, leave, trim_heap};

/// The memory of this machine.
pub(crate) fn machine_bytes() -> u64 {
    let mut bytes = 0u64;
    let mut length = size_of::<u64>();
    // SAFETY: the name ends with a zero; the call writes at most `length` bytes, which `bytes` has.
    let failed = unsafe {
        libc::sysctlbyname(
            c"hw.memsize".as_ptr(),
            (&raw mut bytes).cast(),
            &raw mut length,
            core::ptr::null_mut(),
            0,
        )
    };
    if failed == 0 { bytes } else { 0 }
}
