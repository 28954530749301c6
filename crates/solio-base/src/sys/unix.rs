//! Systems of which nothing more is known.

/// Not known.
pub(crate) fn machine_bytes() -> u64 {
    0
}

/// Not known.
pub(crate) fn core() -> usize {
    0
}

/// Nothing to be done.
pub(crate) fn leave(_: usize) {}

/// Nothing to be asked for.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn advise_huge(_: *mut u8, _: usize) {}

/// The allocators have no word for it.
pub(crate) fn trim_heap() {}
