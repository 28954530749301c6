//! What a piece of work took: wall seconds, CPU seconds, peak memory.

use std::time::Instant;

/// Measures from its start.
///
/// ```
/// let watch = solio_measure::Stopwatch::start();
/// let usage = watch.usage();
/// assert!(usage.wall_s >= 0.0 && usage.cpu_s >= 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
    cpu_s: f64,
}

/// What some work took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Seconds on the wall clock.
    pub wall_s: f64,
    /// CPU seconds of all threads of the process, user and system together.
    pub cpu_s: f64,
}

impl Stopwatch {
    /// Starts now.
    #[allow(clippy::disallowed_methods)]
    pub fn start() -> Self {
        Stopwatch { start: Instant::now(), cpu_s: cpu_s() }
    }

    /// Wall seconds since the start.
    pub fn wall_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Wall and CPU seconds since the start.
    pub fn usage(&self) -> Usage {
        Usage { wall_s: self.wall_s(), cpu_s: cpu_s() - self.cpu_s }
    }
}

/// CPU seconds that this process has used, user and system together, all threads.
pub fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// CPU seconds of the processes that this one started and that have ended.
pub fn children_cpu_s() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        let seconds =
            |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
        seconds(usage.user_time()) + seconds(usage.system_time())
    })
}

/// CPU seconds that this thread has used.
pub(crate) fn thread_cpu_s() -> f64 {
    thread_cpu_ns() as f64 * 1e-9
}

/// CPU time that this thread has used, in nanoseconds: on a machine that others use, too, it is
/// steadier than the wall clock. Asking takes some 300 ns.
pub fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peak_rss_bytes;

    #[test]
    fn work_takes_cpu_time_and_memory() {
        let watch = Stopwatch::start();
        let mut values = vec![1u8; 64 << 20];
        while watch.usage().cpu_s < 0.01 {
            values.iter_mut().for_each(|v| *v = v.wrapping_mul(3));
        }
        assert!(std::hint::black_box(&values)[7] > 0);
        assert!(watch.usage().wall_s > 0.0);
        if std::path::Path::new("/proc/self/status").exists() {
            assert!(peak_rss_bytes() >= 64 << 20);
        }
    }
}
