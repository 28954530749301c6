//! Clocks for the timers of the header.

/// Nanoseconds of a clock that never goes back.
#[unsafe(no_mangle)]
pub extern "C" fn solio_now_ns() -> u64 {
    solio_measure::now_ns()
}

/// Ticks of the processor's own counter, which runs at a fixed rate on today's machines; where there
/// is none that a program may read, nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn solio_ticks() -> u64 {
    solio_measure::ticks()
}
