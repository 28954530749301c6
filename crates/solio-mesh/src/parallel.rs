//! The thread pool for work on arrays in memory.

use solio_base::{Error, Result, Work};

/// A pool of `work.threads` threads; it ends with the value.
pub(crate) fn pool(work: &Work) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(work.threads.max(1))
        .build()
        .map_err(|e| Error::io("start threads", std::io::Error::other(e)))
}
