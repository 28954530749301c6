//! The thread pool for work on arrays in memory.

use rayon::prelude::*;
use solio_base::{Error, Result, Work};
use std::sync::Mutex;

/// Where such work runs.
pub(crate) enum ArrayPool {
    /// On the pool that the caller runs on already.
    Here,
    /// On threads of its own; they end with the value.
    Own(rayon::ThreadPool),
}

impl ArrayPool {
    /// Runs `job`, with rayon's parallel loops on this pool.
    pub(crate) fn install<R: Send>(&self, job: impl FnOnce() -> R + Send) -> R {
        match self {
            ArrayPool::Here => job(),
            ArrayPool::Own(pool) => pool.install(job),
        }
    }
}

/// A pool of `work.threads` threads. A caller that runs on a pool of that size, because it writes
/// many small meshes, keeps it: starting a thread costs more than a small mesh.
pub(crate) fn pool(work: &Work) -> Result<ArrayPool> {
    let threads = work.threads.max(1);
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() == threads {
        return Ok(ArrayPool::Here);
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("array {i}"))
        .build()
        .map(ArrayPool::Own)
        .map_err(|e| Error::io("start threads", std::io::Error::other(e)))
}

/// Runs `job` for `0..count` on the threads of the pool that it is called in.
///
/// None of these is generic over the job: each caller would bring all of rayon's loop with it.
pub(crate) fn each(count: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(job);
}

/// Whether `is` holds for one of `0..count`.
pub(crate) fn any(count: usize, is: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    (0..count).into_par_iter().any(is)
}

/// [`each`], with an item for each number.
pub(crate) fn each_of<T: Send>(items: &mut [T], job: &(dyn Fn(usize, &mut T) + Sync)) {
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    each(items.len(), &|i| job(i, &mut items[i].lock().expect("taken once")));
}

/// What `make` gives for `0..count`, made on the threads of the pool that it is called in.
pub(crate) fn collect<T: Send>(count: usize, make: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut made: Vec<Option<T>> = (0..count).map(|_| None).collect();
    each_of(&mut made, &|i, made| *made = Some(make(i)));
    made.into_iter().flatten().collect()
}
