//! The time, as one number.

use std::sync::LazyLock;
use std::time::Instant;

/// Nanoseconds since some moment early in this process; never goes back.
#[allow(clippy::disallowed_methods)]
pub fn now_ns() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}
