//! How a job may use the machine.

use crate::sys;
use crate::{Error, Result};
use solio_measure::{Counter, GroupLimits, Unit};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Threads, memory, cancellation and progress of one job. Results never depend on it.
#[derive(Clone, Debug)]
pub struct Work {
    /// Threads that compute at once; at least 1.
    pub threads: usize,
    /// Bytes that a pipeline may hold beside its input arrays and its result. Without a wish an
    /// eighth of the machine's memory, 512 MiB to 8 GiB: merging the corners of a large mesh is
    /// several times slower where its tables do not fit. Of the machine's memory counts what the control
    /// groups of the process leave it.
    pub memory_bytes: u64,
    /// Asked at every chunk.
    pub cancel: Cancel,
    /// Counts the bytes that go by, for whoever shows progress.
    pub progress: Progress,
}

impl Default for Work {
    fn default() -> Self {
        Work { threads: default_threads(), ..Work::serial() }
    }
}

/// What the control groups leave of the machine; looked up once.
fn group_limits() -> GroupLimits {
    static LIMITS: OnceLock<GroupLimits> = OnceLock::new();
    *LIMITS.get_or_init(GroupLimits::of_process)
}

/// As many as the machine has cores that this process may use, within what its control groups leave it.
fn default_threads() -> usize {
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = group_limits().processors.map_or(all, |share| share as usize);
    all.min(share).max(1)
}

/// An eighth of the memory, 512 MiB to 8 GiB; never more than half of what the control groups leave.
fn default_memory(machine_bytes: u64, limit_bytes: Option<u64>) -> u64 {
    let own = limit_bytes.map_or(machine_bytes, |limit| limit.min(machine_bytes));
    let most = limit_bytes.map_or(u64::MAX, |limit| limit / 2);
    (own / 8).clamp(512 << 20, 8 << 30).min(most)
}

impl Work {
    /// The default, on one thread. Cheap: how many threads the machine has, it does not ask.
    pub fn serial() -> Self {
        Work {
            threads: 1,
            memory_bytes: default_memory(sys::machine_bytes(), group_limits().memory_bytes),
            cancel: Cancel::default(),
            progress: Progress::default(),
        }
    }

    /// How many chunks of about `chunk_bytes` may be under way: at least 1, at most twice the
    /// threads plus two, within a quarter of the memory.
    pub fn window(&self, chunk_bytes: usize) -> usize {
        let afford = (self.memory_bytes / 4 / chunk_bytes.max(1) as u64).max(1);
        afford.min(2 * self.threads as u64 + 2) as usize
    }
}

/// A flag that asks work to stop; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop soon. Never blocks; async-signal-safe.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
    /// `Err(Cancelled)` once cancelled.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// The same for all jobs of the process, for whoever records.
static READ: Counter = Counter::total("read from files", Unit::Bytes);
static WRITTEN: Counter = Counter::total("written to files", Unit::Bytes);

/// Counts of the bytes that a job has read and written so far; clones share them.
///
/// The job adds, about once a chunk; a progress bar on another thread looks now and then.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<ProgressCounts>);

#[derive(Debug, Default)]
struct ProgressCounts {
    read: AtomicU64,
    read_total: AtomicU64,
    written: AtomicU64,
    files: AtomicU64,
}

/// What a [`Progress`] showed at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progressed {
    /// Bytes read from files, as they lie on the disk (compressed).
    pub read_bytes: u64,
    /// Bytes that the opened files have together; 0 while none with a known length is open.
    pub read_total_bytes: u64,
    /// Bytes written to files, as they lie on the disk (compressed).
    pub written_bytes: u64,
    /// Files that were opened for reading, and files that were written.
    pub files: u64,
}

impl Progress {
    /// Bytes were read from a file.
    pub fn add_read(&self, bytes: u64) {
        self.0.read.fetch_add(bytes, Ordering::Relaxed);
        READ.add(bytes as i64);
    }
    /// A file with this many bytes is going to be read.
    pub fn add_read_total(&self, bytes: u64) {
        self.0.read_total.fetch_add(bytes, Ordering::Relaxed);
    }
    /// Bytes were written to a file.
    pub fn add_written(&self, bytes: u64) {
        self.0.written.fetch_add(bytes, Ordering::Relaxed);
        WRITTEN.add(bytes as i64);
    }
    /// A file was opened for reading, or written.
    pub fn add_file(&self) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
    }
    /// The counts now.
    pub fn now(&self) -> Progressed {
        Progressed {
            read_bytes: self.0.read.load(Ordering::Relaxed),
            read_total_bytes: self.0.read_total.load(Ordering::Relaxed),
            written_bytes: self.0.written.load(Ordering::Relaxed),
            files: self.0.files.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_a_part_of_what_there_is() {
        assert_eq!(default_memory(64 << 30, None), 8 << 30);
        assert_eq!(default_memory(0, None), 512 << 20);
        assert_eq!(default_memory(64 << 30, Some(16 << 30)), 2 << 30);
        assert_eq!(default_memory(64 << 30, Some(256 << 20)), 128 << 20);
        assert_eq!(default_memory(8 << 30, Some(1 << 50)), 1 << 30);
    }
}
