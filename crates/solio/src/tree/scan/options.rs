//! What is asked of a scan, and what it says of itself.

use super::facts::FileFacts;
use solio_base::Error;
use solio_catalog::store::RemovalLimit;
use solio_io::filter::Filter;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// How a tree is scanned.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
/// # std::fs::create_dir(&roots[0]).unwrap();
/// # solio::write_bytes(&roots[0].join("a.obj"), b"v 0 0 0\n")?;
/// // What would a scan look at?
/// let options = ScanOptions { dry: true, ..ScanOptions::default() };
/// let count = ScanCount::default();
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// solio::scan(&scan, &Work::default())?;
/// assert_eq!(count.looked_at.into_inner(), 1);
/// assert!(!catalog.exists());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ScanOptions {
    /// How far files are looked at.
    pub facts: FileFacts,
    /// Links to folders are followed.
    pub follow: bool,
    /// Other file systems are left alone.
    pub one_file_system: bool,
    /// What is left out: files that the catalogue knows of it are *excluded*, not gone.
    pub filter: Filter,
    /// Only the files whose path falls into part `i` of `n`, from 0.
    pub shard: Option<(u64, u64)>,
    /// Files are looked at again although size, time and inode are what they were.
    pub again: bool,
    /// What the catalogue holds is thrown away.
    pub rebuild: bool,
    /// Nothing is looked at or written: only counted.
    pub dry: bool,
    /// What is not there is gone: also all of a volume that is not mounted, or has another in its place.
    pub accept_removal: bool,
    /// How many files of a root may be gone at once.
    pub max_removed: RemovalLimit,
    /// The scan ends after so many files and folders that cannot be read.
    pub max_errors: Option<u64>,
}

/// Numbers of a scan, also while it runs.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// use std::sync::atomic::AtomicU64;
/// # let folder = tempfile::tempdir().unwrap();
/// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
/// # std::fs::create_dir(&roots[0]).unwrap();
/// # solio::write_bytes(&roots[0].join("a.txt"), b"words")?;
/// # solio::write_bytes(&roots[0].join("b.txt"), b"more words")?;
/// let (options, mut numbers) = (ScanOptions::default(), Vec::new());
/// for _ in 0..2 {
///     let count = ScanCount::default();
///     let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
///     solio::scan(&scan, &Work::default())?;
///     numbers.push([count.files, count.looked_at, count.unchanged].map(AtomicU64::into_inner));
/// }
/// // The second time nothing is opened.
/// assert_eq!(numbers, [[2, 2, 0], [2, 0, 2]]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ScanCount {
    /// Folders that were listed.
    pub folders: AtomicU64,
    /// Files that the catalogue knew at the beginning.
    pub expected: AtomicU64,
    /// Files that were met.
    pub files: AtomicU64,
    /// Their bytes; of a file with several names once.
    pub bytes: AtomicU64,
    /// Bytes that they take on the medium.
    pub allocated: AtomicU64,
    /// Of the files, those that are as the catalogue knows them.
    pub unchanged: AtomicU64,
    /// Files that the catalogue knows under another name.
    pub renamed: AtomicU64,
    /// Files that were looked at, or would be.
    pub looked_at: AtomicU64,
    /// Files in which something is wrong, of those that were looked at.
    pub with_problems: AtomicU64,
    /// Files and folders that could not be read.
    pub failed: AtomicU64,
}

/// What came of a scan, beside its [`ScanCount`].
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a.txt"), b"words")?;
/// let (options, catalog) = (ScanOptions::default(), at("a.sqlite"));
/// let (roots, count) = ([at("tree"), at("gone")], ScanCount::default());
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// let report = solio::scan(&scan, &Work::default())?;
/// // A root that is not there ends nothing.
/// assert_eq!(report.failures[0].path(), Some(at("gone").as_path()));
/// std::fs::remove_file(at("tree/a.txt")).unwrap();
/// # solio::write_bytes(&at("tree/b.txt"), b"words")?;
/// assert_eq!(solio::scan(&scan, &Work::default())?.removed, 1);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ScanReport {
    /// The number of the scan in the catalogue's history.
    pub scan: Option<i64>,
    /// Files that are no more there: tombstones now.
    pub removed: u64,
    /// Files that are left out now: tombstones, too, and back as they were when they are not.
    pub excluded: u64,
    /// Roots and mount points that are offline: their rows stay.
    pub offline: u64,
    /// Files that are no more there, and stay: too many are gone at once.
    pub held: u64,
    /// What could not be read, and why: the first hundred thousand.
    pub failures: Vec<Error>,
}

/// A scan that is going to run.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a.txt"), b"words")?;
/// let (roots, catalog) = ([at("tree")], at("a.sqlite"));
/// let (count, options) = (ScanCount::default(), ScanOptions::default());
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// solio::scan(&scan, &Work::default())?;
/// // The same once more, and all files are looked at again.
/// let again = ScanOptions { again: true, ..ScanOptions::default() };
/// solio::scan(&Scan { options: &again, ..scan }, &Work::default())?;
/// assert_eq!((count.files.into_inner(), count.looked_at.into_inner()), (2, 2));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// Folders and files.
    pub roots: &'a [PathBuf],
    /// The catalogue.
    pub catalog: &'a Path,
    /// How.
    pub options: &'a ScanOptions,
    /// Counts what was met, for whoever shows it.
    pub count: &'a ScanCount,
}
