//! Clocks, CPU time, peak memory, and how close a job came to what the machine allows.
//!
//! The only crate that reads clocks.
#![forbid(unsafe_code)]

mod clock;
mod light;
mod usage;

pub use clock::now_ns;
pub use light::{Job, Light, memcpy_mb_s};
pub use usage::{Stopwatch, Usage, cpu_s, peak_rss_bytes};
