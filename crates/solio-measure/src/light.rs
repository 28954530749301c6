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
    /// Cores that this process may use.
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

/// The least wall seconds that a job can take, by each of the machine's limits alone. What bounds its
/// bytes is one thing, what its own computing takes is another: a run that wastes CPU time is not nearer
/// to any limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Reading its bytes, all from the page cache.
    pub read_s: f64,
    /// Fetching from the medium what was not in the page cache.
    pub disk_s: f64,
    /// Writing its bytes.
    pub write_s: f64,
    /// What it computed, spread over all cores: no bound of the job, but of this program.
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
            (CPU, self.cpu_s),
            ("memory", self.memory_s),
        ]
    }

    /// Those of the bytes alone.
    fn of_bytes(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.limits().into_iter().filter(|(name, _)| *name != CPU)
    }

    /// The least seconds for moving the bytes, all ways overlapping: the largest. CPU time does not count.
    pub fn seconds(&self) -> f64 {
        self.of_bytes().fold(0.0, |most, (_, s)| s.max(most))
    }

    /// The name of the limit of the bytes that binds.
    pub fn binding(&self) -> &'static str {
        let most = self.seconds();
        self.of_bytes().find(|(_, s)| *s == most).map_or("read", |(name, _)| name)
    }
}

/// The name of what a program computes, among the limits.
const CPU: &str = "cpu";

/// How much of the machine a run used: always both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// Of the bytes' bound: what moving them takes at least, over the time taken.
    pub bytes: f64,
    /// Of the cores: those that were busy, over those there are.
    pub cores: f64,
    /// Where a share is above 1: the measured peaks that were too low.
    pub wrong_peaks: Vec<WrongPeak>,
}

/// A peak that a run went past: it was measured too low.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WrongPeak {
    /// Which one: `read`, `disk`, `write`, `memory` in MB/s, `cpu` in cores.
    pub peak: &'static str,
    /// What it was measured to be.
    pub measured: f64,
    /// What the run reached.
    pub seen: f64,
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

    /// The share of the bytes' bound that a job reached which took `wall_s` seconds.
    pub fn achieved(&self, job: &Job, wall_s: f64) -> f64 {
        self.bound_s(job) / wall_s.max(SHORTEST_S)
    }

    /// Both shares of a job that took `wall_s` seconds, and which peak was wrong where one is above 1.
    ///
    /// ```
    /// use solio_measure::{Job, Light};
    /// # let light = Light {
    /// #     write_mb_s: 2000.0,
    /// #     read_mb_s: 5000.0,
    /// #     disk_mb_s: None,
    /// #     memcpy_mb_s: 9000.0,
    /// #     cores: 2,
    /// # };
    /// // On two cores: 400 MB at 2,000 MB/s are 0.2 s. What it computes brings it no nearer to that.
    /// let job = Job { written_bytes: 400_000_000, cpu_s: 1.9, ..Job::default() };
    /// let shares = light.shares(&job, 1.0);
    /// assert_eq!((shares.bytes, shares.cores), (0.2, 0.95));
    /// // Faster than the peak: that was measured too low.
    /// assert_eq!(light.shares(&job, 0.1).wrong_peaks[0].seen, 4000.0);
    /// ```
    pub fn shares(&self, job: &Job, wall_s: f64) -> Shares {
        let wall_s = wall_s.max(SHORTEST_S);
        let bound = self.bound(job);
        let measured = [
            self.read_mb_s,
            self.disk_mb_s.unwrap_or(0.0),
            self.write_mb_s,
            self.cores.max(1) as f64,
            self.memcpy_mb_s,
        ];
        let all = bound.limits().into_iter().zip(measured);
        let wrong = all.filter(|((_, least_s), _)| *least_s > wall_s);
        let wrong_peaks = wrong.map(|((peak, least_s), measured)| WrongPeak {
            peak,
            measured,
            seen: measured * least_s / wall_s,
        });
        Shares {
            bytes: bound.seconds() / wall_s,
            cores: bound.cpu_s / wall_s,
            wrong_peaks: wrong_peaks.collect(),
        }
    }
}

/// No run is shorter.
const SHORTEST_S: f64 = 1e-9;

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
        // What is computed bounds nothing.
        let busy = light.bound(&Job { cpu_s: 12.0, ..job });
        assert_eq!((busy.seconds(), busy.binding(), busy.cpu_s), (5.0, "read", 6.0));
        let cold = Light { disk_mb_s: Some(1000.0), ..light }.bound(&job);
        assert_eq!((cold.seconds(), cold.binding()), (9.0, "disk"));
        let copied = light.bound(&Job { copied_bytes: 80_000_000_000, ..job });
        assert_eq!((copied.seconds(), copied.binding()), (8.0, "memory"));
        assert!(memcpy_mb_s() > 10.0);
    }

    #[test]
    fn wasted_cpu_time_is_no_share_of_the_limit() {
        let light = Light {
            write_mb_s: 1000.0,
            read_mb_s: 2000.0,
            disk_mb_s: Some(500.0),
            memcpy_mb_s: 1e4,
            cores: 2,
        };
        let job = Job { read_bytes: 200_000_000, cpu_s: 1.9, ..Job::default() };
        let shares = light.shares(&job, 1.0);
        assert_eq!((shares.bytes, shares.cores), (0.1, 0.95));
        assert_eq!((light.achieved(&job, 1.0), shares.wrong_peaks), (0.1, vec![]));
        // Above 1, each with the peak that was too low.
        let job = Job { disk_bytes: 800_000_000, cpu_s: 2.5, ..job };
        let shares = light.shares(&job, 1.0);
        assert_eq!((shares.bytes, shares.cores), (1.6, 1.25));
        let peak = |peak, measured, seen| WrongPeak { peak, measured, seen };
        assert_eq!(shares.wrong_peaks, [peak("disk", 500.0, 800.0), peak("cpu", 2.0, 2.5)]);
        // What took no time at all has no share without end.
        assert!(light.shares(&job, 0.0).bytes.is_finite());
    }
}
