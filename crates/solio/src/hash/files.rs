//! Many files are read, each once and by one thread, and summed up on the way.

use solio_base::{Error, Result, Work, ordered};
use solio_codec::digest::{Algorithm, Digest, Hasher};
use solio_io::order::{self, Order, OrderOptions};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Files under way for each thread: small ones go on while a large one is read.
const AHEAD: usize = 64;

/// A file to be summed up.
#[derive(Clone, Debug)]
pub struct HashJob {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// How; all in one pass.
    pub algorithms: Arc<[Algorithm]>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// Bytes that were read.
    pub bytes: u64,
    /// When its content changed last, in nanoseconds since 1970; 0 for standard input.
    pub modified_ns: i64,
    /// In the order of [`HashJob::algorithms`].
    pub digests: Vec<Digest>,
}

/// A file under way.
#[derive(Default)]
struct Slot {
    place: usize,
    result: Option<Result<Hashed>>,
}

/// Sums up all files, on all threads, read in the order that suits the medium; `each` gets the
/// results by the index of the job, in the order of the jobs, until it gives `false`.
///
/// # Errors
/// Those of `each`, and `Cancelled`.
pub fn hash_files(
    jobs: &[HashJob],
    order: Order,
    work: &Work,
    mut each: impl FnMut(usize, Result<Hashed>) -> Result<bool> + Send,
) -> Result<()> {
    let reads: Vec<_> =
        jobs.iter().map(|job| order::Read { path: &job.path, range: None }).collect();
    let plan = order::plan(&reads, OrderOptions { order, ..OrderOptions::default() }, work)?.order;
    let threads = work.threads.min(jobs.len()).max(1);
    let share =
        Work { threads: 1, memory_bytes: work.memory_bytes / threads as u64, ..work.clone() };
    let stop = AtomicBool::new(false);
    let mut taken = 0;
    // Results that wait for those before them.
    let mut waiting: Vec<Option<Result<Hashed>>> = (0..jobs.len()).map(|_| None).collect();
    let mut turn = 0;
    ordered::run::<Slot>(
        work,
        AHEAD * threads,
        |slot| {
            slot.place = taken;
            taken += 1;
            Ok(slot.place < plan.len() && !stop.load(Relaxed))
        },
        |slot| {
            slot.result = Some(hash_file(&jobs[plan[slot.place]], &share));
            Ok(())
        },
        |slot| {
            waiting[plan[slot.place]] = slot.result.take();
            while let Some(result) = waiting.get_mut(turn).and_then(Option::take) {
                if !stop.load(Relaxed) && !each(turn, result)? {
                    stop.store(true, Relaxed);
                }
                turn += 1;
            }
            Ok(())
        },
    )
}

fn hash_file(job: &HashJob, work: &Work) -> Result<Hashed> {
    let mut hashers: Vec<Hasher> = job.algorithms.iter().map(|a| Hasher::new(*a)).collect();
    let status = solio_io::read_raw(&job.path, work, |part| {
        hashers.iter_mut().for_each(|hasher| hasher.update(part));
        Ok::<(), Error>(())
    })?;
    let digests = hashers.into_iter().map(Hasher::finish).collect();
    Ok(Hashed { bytes: status.size, modified_ns: status.modified_ns, digests })
}
