//! What a piece of work took: wall seconds, CPU seconds, peak memory.

use crate::sys;
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
    sys::cpu_s()
}

/// CPU seconds of the processes that this one started and that have ended.
pub fn children_cpu_s() -> f64 {
    sys::children_cpu_s()
}

/// CPU seconds that this thread has used.
pub(crate) fn thread_cpu_s() -> f64 {
    thread_cpu_ns() as f64 * 1e-9
}

/// CPU time that this thread has used, in nanoseconds: on a machine that others use, too, it is
/// steadier than the wall clock. Asking takes some 300 ns.
pub fn thread_cpu_ns() -> u64 {
    sys::thread_cpu_ns()
}

/// The most memory this process has held so far, in bytes; 0 where that is not known.
pub fn peak_rss_bytes() -> u64 {
    sys::peak_bytes().unwrap_or(0)
}

/// Bytes that this process has fetched from a medium so far, by whatever way: past the page cache,
/// into it, or by a fault of a map; 0 where the kernel does not tell.
pub fn fetched_bytes() -> u64 {
    sys::process_io_now().map_or(0, |io| io.read_medium as u64)
}

/// Bytes that this process has read so far by calls of the system, from the page cache or not; 0
/// where the kernel does not tell.
pub fn called_bytes() -> u64 {
    sys::process_io_now().map_or(0, |io| io.read_calls as u64)
}

/// Memory that a piece of work takes, from its start on.
///
/// The kernel keeps the most that the process has held, and can be asked to begin anew. To within
/// some pages, and of the whole process: nothing else should run.
#[derive(Clone, Copy, Debug)]
pub struct PeakMemory {
    before_bytes: Option<u64>,
}

impl PeakMemory {
    /// Starts now; `give_back` hands free memory back to the system first, lest work take that.
    pub fn start(give_back: fn()) -> PeakMemory {
        give_back();
        PeakMemory { before_bytes: sys::begin_peak_anew().and_then(|()| sys::resident_bytes()) }
    }

    /// The most so far, beside what there was before; `None` where the system does not tell.
    pub fn bytes(&self) -> Option<u64> {
        Some(sys::peak_bytes()?.saturating_sub(self.before_bytes?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_peak_begins_anew() {
        let take = |bytes: usize| {
            let peak = PeakMemory::start(|| ());
            drop(std::hint::black_box(vec![1u8; bytes]));
            peak.bytes()
        };
        // A container may forbid it.
        let Some(much) = take(96 << 20) else { return };
        // What other tests hold meanwhile counts, too; they end. What they give back, and what the
        // kernel has not added up yet, takes some off.
        let less = (0..100).map(|_| take(48 << 20).unwrap()).find(|less| *less < 75 << 20);
        assert!(much > 80 << 20 && less.is_some_and(|less| less > 32 << 20), "{much} {less:?}");
    }
}
