//! Another process over time, seen from outside: every ten milliseconds, for at most one percent of a core.

use crate::sys::Others;
use crate::{clock, usage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY_NS: u64 = 10_000_000;
/// A look may take this share of the time until the next one.
const COST_SHARE: u64 = 100;
/// When there are more, every second one goes, and half as many are taken from then on.
const MOST_SAMPLES: usize = 4096;

/// A process and all that it started, at one moment since the watch began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessSample {
    /// Seconds since the watch began.
    pub time_s: f64,
    /// CPU seconds used until then.
    pub cpu_s: f64,
    /// Bytes read until then by calls of the system, from the page cache or not.
    pub read_bytes: f64,
    /// Bytes fetched until then from a medium.
    pub disk_bytes: f64,
    /// Memory held then.
    pub memory_bytes: f64,
}

/// Looks at a process until it is told to stop.
///
/// ```
/// use solio_measure::ProcessWatch;
/// let mut child = std::process::Command::new("sleep").arg("0.05").spawn()?;
/// let watch = ProcessWatch::start(child.id());
/// child.wait()?;
/// let samples = watch.finish();
/// // Nothing where the system does not tell.
/// assert!(samples.is_sorted_by(|a, b| a.time_s < b.time_s && a.cpu_s <= b.cpu_s));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ProcessWatch {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<ProcessSample>>>,
}

impl ProcessWatch {
    /// Starts to look.
    pub fn start(process: u32) -> ProcessWatch {
        let start = clock::ticks();
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("solio-watch".into());
        // Without a thread there are no samples.
        let thread = thread.spawn(move || run(start, process, &until)).ok();
        ProcessWatch { stop, thread }
    }

    /// What was seen; nothing where the system does not tell.
    pub fn finish(mut self) -> Vec<ProcessSample> {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<Vec<ProcessSample>> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl Drop for ProcessWatch {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(start: u64, process: u32, stop: &AtomicBool) -> Vec<ProcessSample> {
    let mut others = Others::of(process);
    let mut samples: Vec<ProcessSample> = Vec::new();
    let (mut next, mut every) = (0, EVERY_NS);
    let mut spent_s = usage::thread_cpu_s();
    while !stop.load(Ordering::Relaxed) {
        let now = clock::ns_between(start, clock::ticks());
        if now < next {
            std::thread::park_timeout(Duration::from_nanos(next - now));
            continue;
        }
        let Some(seen) = others.now() else { break };
        samples.push(ProcessSample { time_s: now as f64 * 1e-9, ..seen });
        if samples.len() > MOST_SAMPLES {
            let mut i = 0;
            samples.retain(|_| {
                i += 1;
                i % 2 == 1
            });
            every *= 2;
        }
        let before_s = std::mem::replace(&mut spent_s, usage::thread_cpu_s());
        let cost = ((spent_s - before_s) * 1e9) as u64;
        next = now + every.max(COST_SHARE * cost);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_computes_is_seen() {
        if !std::path::Path::new("/proc/self/schedstat").exists() {
            return; // only Linux tells
        }
        // A shell that starts another one, which computes.
        let script = "sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'; true";
        let mut child = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
        let watch = ProcessWatch::start(child.id());
        child.wait().unwrap();
        let samples = watch.finish();
        let last = samples.last().unwrap();
        assert!(last.cpu_s > 0.0 && last.memory_bytes > 0.0, "{samples:?}");
        assert!(samples.is_sorted_by(|a, b| a.cpu_s <= b.cpu_s && a.read_bytes <= b.read_bytes));
        // Of no process there is nothing to see.
        assert!(ProcessWatch::start(u32::MAX - 1).finish().is_empty());
    }
}
