//! The thread pool for work on arrays in memory.

use solio_base::{Error, Result, Work};

/// Where such work runs.
pub(crate) enum Pool {
    /// On the pool that the caller runs on already.
    Here,
    /// On threads of its own; they end with the value.
    Own(rayon::ThreadPool),
}

impl Pool {
    /// Runs `job`, with rayon's parallel loops on this pool.
    pub(crate) fn install<R: Send>(&self, job: impl FnOnce() -> R + Send) -> R {
        match self {
            Pool::Here => job(),
            Pool::Own(pool) => pool.install(job),
        }
    }
}

/// A pool of `work.threads` threads. A caller that runs on a pool of that size, because it writes
/// many small meshes, keeps it: starting a thread costs more than a small mesh.
pub(crate) fn pool(work: &Work) -> Result<Pool> {
    let threads = work.threads.max(1);
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() == threads {
        return Ok(Pool::Here);
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("array {i}"))
        .build()
        .map(Pool::Own)
        .map_err(|e| Error::io("start threads", std::io::Error::other(e)))
}
