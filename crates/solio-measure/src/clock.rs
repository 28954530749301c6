//! The two clocks: one that everybody may ask, and a cheaper one for spans and timers.

use std::sync::{LazyLock, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds since some moment early in this process; never goes back.
#[allow(clippy::disallowed_methods)]
pub fn now_ns() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

/// Nanoseconds since 1970, by the machine's calendar: for what outlives a process.
#[allow(clippy::disallowed_methods)]
pub fn unix_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    i64::try_from(since).unwrap_or(i64::MAX)
}

/// Seconds since 1970, by the machine's calendar: for what outlives a process.
#[allow(clippy::disallowed_methods)]
pub fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

static CLOCK: OnceLock<quanta::Clock> = OnceLock::new();

/// Ticks now: of the CPU's time-stamp counter where that runs evenly, of the system's clock
/// elsewhere. Takes 10 to 20 ns. How long a tick is, [`ns_between`] knows.
#[inline]
pub fn ticks() -> u64 {
    clock().raw()
}

/// Nanoseconds from `start` to `end`, both from [`ticks`].
pub(crate) fn ns_between(start: u64, end: u64) -> u64 {
    clock().delta_as_nanos(start, end)
}

#[inline]
fn clock() -> &'static quanta::Clock {
    // The first use finds out how long a tick is, in about a millisecond.
    CLOCK.get_or_init(quanta::Clock::new)
}
