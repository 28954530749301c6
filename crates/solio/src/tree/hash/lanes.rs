//! Files side by side on each thread, where the CPU sums them up faster so.

use super::files::{HashJob, Hashed, Turns, hash_file};
use solio_base::{Error, Result, Work, lock, threads, unlock};
use solio_codec::digest::{Algorithm, Digest, Messages, digest_side_by_side, pays_side_by_side};
use solio_io::RawFile;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Fewer files for each thread do not fill its lanes.
const LEAST_FILES: usize = 4;

/// The one algorithm of all jobs, where it pays to take several files at once.
pub(super) fn algorithm(jobs: &[HashJob]) -> Option<Algorithm> {
    let [algorithm] = *jobs.first()?.algorithms else { return None };
    let same = jobs.iter().all(|job| *job.algorithms == [algorithm]);
    (same && jobs.len() >= LEAST_FILES && pays_side_by_side(algorithm)).then_some(algorithm)
}

/// [`hash_files`](super::hash_files) for jobs of one algorithm.
pub(super) fn hash_files(
    algorithm: Algorithm,
    jobs: &[HashJob],
    plan: &[usize],
    work: &Work,
    each: impl FnMut(usize, Result<Hashed>) -> Result<bool> + Send,
) -> Result<()> {
    let output = Output { turns: Turns::new(jobs.len()), each, failed: None };
    let (next, stop, output) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(output));
    let run = || {
        let mut files = Files { jobs, plan, work, next: &next, stop: &stop, output: &output };
        digest_side_by_side(algorithm, &mut files);
    };
    let threads = work.threads.min(jobs.len() / LEAST_FILES).max(1);
    threads::beside(threads - 1, &run, run);
    work.cancel.check()?;
    let output = unlock(output);
    output.failed.map_or(Ok(()), Err)
}

/// What takes the results, one thread at a time.
struct Output<F> {
    turns: Turns<Hashed>,
    each: F,
    failed: Option<Error>,
}

/// The files of a thread; it takes the next one that no other has.
struct Files<'r, F> {
    jobs: &'r [HashJob],
    plan: &'r [usize],
    work: &'r Work,
    next: &'r AtomicUsize,
    stop: &'r AtomicBool,
    output: &'r Mutex<Output<F>>,
}

impl<F: FnMut(usize, Result<Hashed>) -> Result<bool>> Files<'_, F> {
    fn tell(&self, place: usize, result: Result<Hashed>) {
        let mut output = lock(self.output);
        let Output { turns, each, failed } = &mut *output;
        let goes_on = turns.take(place, result, each).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            false
        });
        if !goes_on {
            self.stop.store(true, Relaxed);
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Relaxed) || self.work.cancel.is_cancelled()
    }
}

impl<F: FnMut(usize, Result<Hashed>) -> Result<bool>> Messages for Files<'_, F> {
    type Message = (usize, RawFile);

    fn next(&mut self) -> Option<(usize, RawFile)> {
        while !self.stops() {
            let place = *self.plan.get(self.next.fetch_add(1, Relaxed))?;
            match RawFile::open(&self.jobs[place].path, self.work) {
                Ok(Some(file)) => return Some((place, file)),
                Ok(None) => self.tell(place, hash_file(&self.jobs[place], self.work)),
                Err(error) => self.tell(place, Err(error)),
            }
        }
        None
    }

    fn read(&mut self, (place, file): &mut (usize, RawFile), buf: &mut [u8]) -> Option<usize> {
        if self.stops() {
            return None;
        }
        file.read(buf).map_err(|error| self.tell(*place, Err(error))).ok()
    }

    fn done(&mut self, (place, file): (usize, RawFile), digest: Digest) {
        let status = file.status();
        let digests = vec![digest];
        let (bytes, modified_ns) = (status.size, status.modified_ns);
        self.tell(place, Ok(Hashed { bytes, modified_ns, digests }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_files;
    use solio_base::ErrorKind;
    use solio_io::order::Order;
    use solio_io::probe::write_plain;

    /// All ways give the digests of the bytes, in order, on any number of threads.
    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let folder = tempfile::tempdir().unwrap();
        let mut contents = Vec::new();
        for n in 0..100usize {
            let bytes: Vec<u8> = (0..n * n * 37 % 70_000).map(|i| (i * 3 + n) as u8).collect();
            write_plain(&folder.path().join(format!("{n}")), &bytes).unwrap();
            contents.push(bytes);
        }
        for algorithm in [Algorithm::Md5, Algorithm::C4, Algorithm::Xxh128] {
            let job = |n| HashJob {
                path: folder.path().join(format!("{n}")),
                algorithms: [algorithm].into(),
            };
            // The last one is missing.
            let jobs: Vec<HashJob> = (0..=100).map(job).collect();
            for (threads, most) in [(1, 200), (3, 200), (3, 10)] {
                let work = Work { threads, ..Work::default() };
                let mut seen = 0;
                hash_files(&jobs, Order::Auto, &work, |place, result| {
                    assert_eq!(place, seen);
                    seen += 1;
                    match contents.get(place) {
                        Some(bytes) => {
                            let hashed = result.unwrap();
                            assert_eq!(hashed.digests, [Digest::of(algorithm, bytes)]);
                            assert_eq!(hashed.bytes, bytes.len() as u64);
                        }
                        None => assert_eq!(result.unwrap_err().kind(), ErrorKind::Io),
                    }
                    Ok(seen < most)
                })
                .unwrap();
                assert_eq!(seen, 101.min(most));
            }
            let refused = hash_files(&jobs, Order::Auto, &Work::default(), |_, _| {
                Err(Error::argument("enough"))
            });
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Argument);
            let work = Work::default();
            work.cancel.cancel();
            let cancelled = hash_files(&jobs, Order::Auto, &work, |_, result| result.map(|_| true));
            assert_eq!(cancelled.unwrap_err().kind(), ErrorKind::Cancelled);
        }
    }
}
