//! How a job may use the machine.

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads, memory and cancellation of one job. Results never depend on it.
#[derive(Clone, Debug)]
pub struct Work {
    /// Threads that compute at once; at least 1.
    pub threads: usize,
    /// Bytes that a pipeline may hold beside its input arrays and its result.
    pub memory_bytes: u64,
    /// Asked at every chunk.
    pub cancel: Cancel,
}

impl Default for Work {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Work { threads, memory_bytes: 512 << 20, cancel: Cancel::default() }
    }
}

impl Work {
    /// The default, on one thread.
    pub fn serial() -> Self {
        Work { threads: 1, ..Work::default() }
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
