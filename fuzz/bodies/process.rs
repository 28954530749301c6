//! What all bodies share: the process they run in, and what every error must say.

use peak_alloc::PeakAlloc;
use solio_base::Error;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Makes the calling thread a pool of one thread, so that no thread is started a time.
pub(crate) fn init() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    one.build_global().expect("the first pool of the process");
}

/// Fails where `task` takes more than `most` bytes of memory, beside what there is.
pub(super) fn within<T>(most: usize, bytes: &[u8], task: impl FnOnce() -> T) -> T {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = task();
    let took = MEMORY.peak_usage().saturating_sub(before);
    assert!(took <= most, "{took} bytes of memory for {}", bytes.len());
    result
}

/// An error says what is wrong and where.
pub(super) fn assert_placed(error: &Error) {
    assert!(error.offset().is_some(), "no place: {error}");
    assert!(!error.message().is_empty());
}
