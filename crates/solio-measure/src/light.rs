//! The speed of light of this machine: the peaks that bound a job, and the bound itself.

use crate::Stopwatch;
use serde::Serialize;

/// What the machine can do at best, measured on the file system of the job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Light {
    /// Reading from the page cache into reused buffers, MB/s (10^6 bytes).
    pub read_mb_s: f64,
    /// Reading from the medium, past what is in the page cache, MB/s; `None` where there is no
    /// medium below, or where that could not be measured.
    pub disk_mb_s: Option<f64>,
    /// Writing into the page cache, one thread, MB/s.
    pub write_mb_s: f64,
    /// Copying memory between reused buffers, one thread, MB/s.
    pub memcpy_mb_s: f64,
    /// Threads that compute at once.
    pub cores: usize,
}

/// What a job moved and used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Job {
    /// Bytes read from files.
    pub read_bytes: u64,
    /// Those of them that came from the medium: they were not in the page cache.
    pub disk_bytes: u64,
    /// Bytes written to files.
    pub written_bytes: u64,
    /// Bytes that had to be copied in memory at least once; those that files brought or took
    /// among them.
    pub copied_bytes: u64,
    /// CPU seconds that the job's computation needs.
    pub cpu_s: f64,
}

/// The least wall seconds that a job can take, by each of the machine's limits alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Reading its bytes, all from the page cache.
    pub read_s: f64,
    /// Fetching from the medium what was not in the page cache.
    pub disk_s: f64,
    /// Writing its bytes.
    pub write_s: f64,
    /// Its computing, on all cores.
    pub cpu_s: f64,
    /// Copying its bytes in memory.
    pub memory_s: f64,
}

impl Bound {
    /// The limits by name, with the seconds of each.
    pub fn limits(&self) -> [(&'static str, f64); 5] {
        [
            ("read", self.read_s),
            ("disk", self.disk_s),
            ("write", self.write_s),
            ("cpu", self.cpu_s),
            ("memory", self.memory_s),
        ]
    }

    /// All of them overlapping: the largest.
    pub fn seconds(&self) -> f64 {
        self.limits().into_iter().fold(0.0, |most, (_, s)| s.max(most))
    }

    /// The name of the limit that binds.
    pub fn binding(&self) -> &'static str {
        let most = self.seconds();
        self.limits().into_iter().find(|(_, s)| *s == most).map_or("cpu", |(name, _)| name)
    }
}

impl Light {
    /// What each resource at its peak allows for `job`.
    pub fn bound(&self, job: &Job) -> Bound {
        Bound {
            read_s: job.read_bytes as f64 / (self.read_mb_s * 1e6),
            disk_s: self.disk_mb_s.map_or(0.0, |rate| job.disk_bytes as f64 / (rate * 1e6)),
            write_s: job.written_bytes as f64 / (self.write_mb_s * 1e6),
            cpu_s: job.cpu_s / self.cores.max(1) as f64,
            memory_s: job.copied_bytes as f64 / (self.memcpy_mb_s * 1e6),
        }
    }

    /// The least wall seconds that `job` can take here: each resource at its peak, all of them
    /// overlapping.
    ///
    /// ```
    /// use solio_measure::{Job, Light};
    /// let light = Light {
    ///     write_mb_s: 2000.0,
    ///     read_mb_s: 5000.0,
    ///     disk_mb_s: None,
    ///     memcpy_mb_s: 9000.0,
    ///     cores: 2,
    /// };
    /// let job = Job { written_bytes: 400_000_000, cpu_s: 0.3, ..Job::default() };
    /// assert_eq!(light.bound_s(&job), 0.2);
    /// assert_eq!(light.bound(&job).binding(), "write");
    /// assert_eq!(light.achieved(&job, 0.25), 0.8);
    /// ```
    pub fn bound_s(&self, job: &Job) -> f64 {
        self.bound(job).seconds()
    }

    /// The share of the limit that a job reached which took `wall_s` seconds; 1 is the limit.
    pub fn achieved(&self, job: &Job, wall_s: f64) -> f64 {
        if wall_s > 0.0 { self.bound_s(job) / wall_s } else { 1.0 }
    }
}

/// Measures how fast one thread copies memory between reused buffers: the best of several rounds
/// over 16 MiB, more than a core's own caches hold. Takes about 20 ms.
pub fn memcpy_mb_s() -> f64 {
    const BYTES: usize = 16 << 20;
    let from = vec![1u8; BYTES];
    let mut to = vec![2u8; BYTES];
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let watch = Stopwatch::start();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
        best = best.min(watch.wall_s());
    }
    BYTES as f64 / 1e6 / best.max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_resource_bounds() {
        let light = Light {
            write_mb_s: 1000.0,
            read_mb_s: 2000.0,
            disk_mb_s: None,
            memcpy_mb_s: 1e4,
            cores: 2,
        };
        let job = Job {
            read_bytes: 10_000_000_000,
            written_bytes: 1_000_000_000,
            disk_bytes: 9_000_000_000,
            copied_bytes: 11_000_000_000,
            cpu_s: 4.0,
        };
        let bound = light.bound(&job);
        assert_eq!((bound.seconds(), bound.binding()), (5.0, "read"));
        let busy = light.bound(&Job { cpu_s: 12.0, ..job });
        assert_eq!((busy.seconds(), busy.binding()), (6.0, "cpu"));
        let cold = Light { disk_mb_s: Some(1000.0), ..light }.bound(&job);
        assert_eq!((cold.seconds(), cold.binding()), (9.0, "disk"));
        let copied = light.bound(&Job { copied_bytes: 80_000_000_000, ..job });
        assert_eq!((copied.seconds(), copied.binding()), (8.0, "memory"));
        assert!(memcpy_mb_s() > 10.0);
    }
}
