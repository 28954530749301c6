//! Timers, and how much of the machine a run used.

use pyo3::prelude::*;
use solio::{Job, Timing};
use std::path::PathBuf;

/// Ticks of the processor's counter.
#[pyfunction]
pub(crate) fn ticks() -> u64 {
    solio::ticks()
}

/// The line about a piece of work, in the words of all of Solio's timers.
#[pyfunction]
pub(crate) fn timing_text(text: &str, ns: u64, ticks: u64, iterations: u64) -> String {
    Timing { text, ns, ticks, iterations }.to_string()
}

/// A peak that a run went past: its name, what was measured, what was seen.
type WrongRow = (&'static str, f64, f64);

/// Both shares of a run, what binds and the wrong peaks, by the peaks kept for a folder; `None` where none are.
#[pyfunction]
pub(crate) fn shares(
    folder: PathBuf,
    wall_s: f64,
    cpu_s: f64,
    moved: (u64, u64, u64, u64),
) -> Option<(f64, f64, &'static str, Vec<WrongRow>)> {
    let (read_bytes, disk_bytes, written_bytes, copied_bytes) = moved;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let light = solio::kept_peaks(&folder).peaks?.light(cores)?;
    let job = Job { read_bytes, disk_bytes, written_bytes, copied_bytes, cpu_s };
    let shares = light.shares(&job, wall_s);
    let wrong = shares.wrong_peaks.iter().map(|wrong| (wrong.peak, wrong.measured, wrong.seen));
    Some((shares.bytes, shares.cores, light.bound(&job).binding(), wrong.collect()))
}
