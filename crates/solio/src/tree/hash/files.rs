//! Many files are read, each once and by one thread, and summed up on the way.

use super::lanes;
use crate::tree::each_file::in_turn;
use solio_base::{Error, Result, Work};
use solio_codec::digest::{Algorithm, Digest, Hasher};
use solio_io::order::{self, Order, OrderOptions, Plan};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files under way for each thread: small ones go on while a large one is read.
const AHEAD: usize = 64;

/// A file to be summed up.
///
/// ```
/// use solio::HashJob;
/// use solio::digest::Algorithm;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("abc");
/// # solio::write_bytes(&path, b"abc")?;
/// // Two digests of one pass over the file.
/// let job = HashJob { path, algorithms: [Algorithm::Md5, Algorithm::Xxh64].into() };
/// solio::hash_files(&[job], Default::default(), &Default::default(), |_, hashed| {
///     let texts: Vec<String> = hashed?.digests.iter().map(ToString::to_string).collect();
///     assert_eq!(texts, ["900150983cd24fb0d6963f7d28e17f72", "44bc2cf5ad770999"]);
///     Ok(true)
/// })?;
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HashJob {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// How; all in one pass.
    pub algorithms: Arc<[Algorithm]>,
}

/// What was found.
///
/// ```
/// use solio::digest::{Algorithm, Digest};
/// use solio::{HashJob, Hashed};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("abc");
/// # solio::write_bytes(&path, b"abc")?;
/// let job = HashJob { path, algorithms: [Algorithm::C4].into() };
/// let mut found: Option<Hashed> = None;
/// solio::hash_files(&[job], Default::default(), &Default::default(), |_, hashed| {
///     found = Some(hashed?);
///     Ok(true)
/// })?;
/// let found = found.unwrap();
/// assert_eq!((found.bytes, found.digests), (3, vec![Digest::of(Algorithm::C4, b"abc")]));
/// // Whoever keeps digests need not read a file again whose time is still this one.
/// assert!(found.modified_ns > 0);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// Bytes that were read.
    pub bytes: u64,
    /// When its content changed last, in nanoseconds since 1970; 0 for standard input.
    pub modified_ns: i64,
    /// In the order of [`HashJob::algorithms`].
    pub digests: Vec<Digest>,
}

/// Sums up all files, on all threads, read in the order that suits the medium; `each` gets the
/// results by the index of the job, in the order of the jobs, until it gives `false`.
///
/// ```
/// use solio::digest::Algorithm;
/// use solio::{HashJob, hash_files, io::order::Order};
/// # let folder = tempfile::tempdir().unwrap();
/// # let paths = ["a", "gone", "b"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&paths[0], b"first")?;
/// # solio::write_bytes(&paths[2], b"second")?;
/// let algorithms: std::sync::Arc<[_]> = [Algorithm::Sha256].into();
/// let jobs = paths.map(|path| HashJob { path, algorithms: algorithms.clone() });
/// // The lines of `sha256sum`; a file that cannot be read stops no other.
/// let (mut lines, mut failed) = (Vec::new(), 0);
/// hash_files(&jobs, Order::Auto, &Default::default(), |i, hashed| {
///     match hashed {
///         Ok(hashed) => lines.push(format!("{}  {}", hashed.digests[0], jobs[i].path.display())),
///         Err(_) => failed += 1,
///     }
///     Ok(true)
/// })?;
/// assert_eq!((lines.len(), failed), (2, 1));
/// assert!(lines[0].ends_with("/a") && lines[1].ends_with("/b"));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of `each`, and `Cancelled`.
pub fn hash_files(
    jobs: &[HashJob],
    order: Order,
    work: &Work,
    each: impl FnMut(usize, Result<Hashed>) -> Result<bool> + Send,
) -> Result<()> {
    let paths: Vec<&Path> = jobs.iter().map(|job| job.path.as_path()).collect();
    let plan = plan(&paths, order, work)?;
    // On a disk that seeks a few files at a time are soonest.
    let seeks = plan.used.iter().any(|used| used.order == Order::Physical);
    match lanes::algorithm(jobs).filter(|_| !seeks) {
        Some(algorithm) => lanes::hash_files(algorithm, jobs, &plan.order, work, each),
        None => run_in_order(&plan.order, work, |place, work| hash_file(&jobs[place], work), each),
    }
}

fn plan(paths: &[&Path], order: Order, work: &Work) -> Result<Plan> {
    let reads: Vec<_> = paths.iter().map(|path| order::Read { path, range: None }).collect();
    order::plan(&reads, OrderOptions { order, ..OrderOptions::default() }, work)
}

/// In which order files are best read: their places in `paths`.
pub(crate) fn in_order(paths: &[&Path], order: Order, work: &Work) -> Result<Vec<usize>> {
    Ok(plan(paths, order, work)?.order)
}

/// Calls `work_on` for the places in `plan`, in about that order, on all threads and with a share of
/// the memory each; `each` gets the results by place, from 0 on, until it gives `false`.
pub(crate) fn run_in_order<T: Send>(
    plan: &[usize],
    work: &Work,
    work_on: impl Fn(usize, &Work) -> Result<T> + Sync,
    mut each: impl FnMut(usize, Result<T>) -> Result<bool> + Send,
) -> Result<()> {
    let threads = work.threads.min(plan.len()).max(1);
    let memory_bytes = work.memory_bytes / threads as u64;
    let share = Work { threads: 1, memory_bytes, ..work.clone() };
    let mut turns = Turns::new(plan.len());
    let work_on = |turn: usize| work_on(plan[turn], &share);
    let each = |turn: usize, result| turns.take(plan[turn], result, &mut each);
    in_turn(plan.len(), AHEAD * threads, work, work_on, each)
}

/// Hands results on by place, from 0 on: those that come early wait.
pub(super) struct Turns<T> {
    waiting: Vec<Option<Result<T>>>,
    next: usize,
    goes_on: bool,
}

impl<T> Turns<T> {
    pub(super) fn new(count: usize) -> Turns<T> {
        Turns { waiting: (0..count).map(|_| None).collect(), next: 0, goes_on: true }
    }

    /// Takes the result at `place`; `false` when no more are wanted.
    pub(super) fn take(
        &mut self,
        place: usize,
        result: Result<T>,
        each: &mut impl FnMut(usize, Result<T>) -> Result<bool>,
    ) -> Result<bool> {
        self.waiting[place] = Some(result);
        while self.goes_on
            && let Some(result) = self.waiting.get_mut(self.next).and_then(Option::take)
        {
            self.goes_on = each(self.next, result)?;
            self.next += 1;
        }
        Ok(self.goes_on)
    }
}

pub(super) fn hash_file(job: &HashJob, work: &Work) -> Result<Hashed> {
    let mut hashers: Vec<Hasher> = job.algorithms.iter().map(|a| Hasher::new(*a)).collect();
    let status = solio_io::read_raw(&job.path, work, |part| {
        hashers.iter_mut().for_each(|hasher| hasher.update(part));
        Ok::<(), Error>(())
    })?;
    let digests = hashers.into_iter().map(Hasher::finish).collect();
    Ok(Hashed { bytes: status.size, modified_ns: status.modified_ns, digests })
}
