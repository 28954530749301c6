//! A catalogue that is kept current while its trees change.

use super::options::{Scan, ScanCount, ScanOptions, ScanReport};
use super::run::{begin_history, pass, remove, whole, whole_roots};
use super::taken::{OwnFiles, Taken};
use super::walked::Reach;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Work};
use solio_io::walk::{EntryKind, status_of, status_of_name};
use solio_io::watch::{Patience, TreeWatch};
use solio_measure::{Stopwatch, unix_ns};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A file that is being written is looked at when it rests, or now and then.
const QUIET: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(5);

/// A catalogue that this process keeps current.
///
/// ```no_run
/// use solio::{LiveCatalog, Scan, ScanCount, ScanOptions, Work};
/// let (count, options, work) = (ScanCount::default(), ScanOptions::default(), Work::default());
/// let (roots, catalog) = (["assets".into()], "assets.sqlite".as_ref());
/// let scan = Scan { roots: &roots, catalog, options: &options, count: &count };
/// let (mut live, _) = LiveCatalog::open(&scan, None, &work)?;
/// loop {
///     let round = live.wait(&work)?;
///     println!("{} files looked at", round.count.looked_at.into_inner());
/// }
/// # #[allow(unreachable_code)]
/// # Ok::<(), solio::Error>(())
/// ```
pub struct LiveCatalog {
    path: PathBuf,
    taken: Taken,
    roots: Vec<PathBuf>,
    /// The devices of the roots, where the scan stays on them.
    devices: Option<HashSet<u64>>,
    tree: TreeWatch,
    /// Those of all rounds after the first.
    options: ScanOptions,
    patience: Patience,
}

/// What came of one round of [`LiveCatalog::wait`].
///
/// ```
/// use std::time::Duration;
/// # use solio::{LiveCatalog, Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
/// # std::fs::create_dir(&roots[0]).unwrap();
/// # solio::write_bytes(&roots[0].join("a.obj"), b"v 0 0 0\n")?;
/// # let (count, options, work) = (ScanCount::default(), ScanOptions::default(), Work::default());
/// # let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// // Nothing changes: after a millisecond it looks for itself.
/// let (mut live, _) = LiveCatalog::open(&scan, Some(Duration::from_millis(1)), &work)?;
/// let round = live.wait(&work)?;
/// assert_eq!((round.count.files.into_inner(), round.count.looked_at.into_inner()), (1, 0));
/// assert!(round.report.failures.is_empty());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Round {
    /// Numbers of files and folders that were met in it.
    pub count: ScanCount,
    /// What was gone, and what could not be read or watched.
    pub report: ScanReport,
    /// Seconds from the end of the waiting to the end of the round.
    pub wall_s: f64,
}

impl LiveCatalog {
    /// Scans as [`scan`](super::scan) does, and watches from its beginning on. With `every`, all is
    /// scanned again after so long without a change: for file systems that do not tell what other
    /// machines change.
    ///
    /// ```
    /// use solio::{LiveCatalog, Scan, ScanCount, ScanOptions, Work};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
    /// # std::fs::create_dir(&roots[0]).unwrap();
    /// # solio::write_bytes(&roots[0].join("a.obj"), b"v 0 0 0\n")?;
    /// let (count, options) = (ScanCount::default(), ScanOptions::default());
    /// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    /// let (live, report) = LiveCatalog::open(&scan, None, &Work::default())?;
    /// // The first scan is over.
    /// assert_eq!((count.files.into_inner(), report.failures.len()), (1, 0));
    /// # live.close()?;
    /// # Ok::<(), solio::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`scan`](super::scan); `Argument` for a root that is no folder; `Limit` where the
    /// system does not watch so many folders.
    pub fn open(
        scan: &Scan<'_>,
        every: Option<Duration>,
        work: &Work,
    ) -> Result<(LiveCatalog, ScanReport)> {
        let roots = whole_roots(scan)?;
        for root in &roots {
            if !solio_io::is_folder(root)? {
                return Err(Error::argument("only folders can be watched").at_path(root));
            }
        }
        let options = scan.options;
        let mut taken = Taken::open(scan.catalog, options.rebuild)?;
        let devices = match options.one_file_system {
            true => {
                Some(roots.iter().map(|root| Ok(status_of(root)?.device)).collect::<Result<_>>()?)
            }
            false => None,
        };
        let own = OwnFiles::of(scan.catalog)?;
        let is_own = move |path: &Path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                return false;
            };
            own.has(folder.as_os_str().as_bytes(), name.as_bytes())
        };
        // Before the first scan, which thus misses nothing.
        let tree = TreeWatch::new(&roots, options.follow, is_own)?;
        let report = whole(&mut taken, scan, &roots, work)?;
        let options = ScanOptions {
            again: false,
            rebuild: false,
            accept_removal: false,
            max_errors: None,
            ..options.clone()
        };
        let patience = Patience { quiet: QUIET, longest: LONGEST, idle: every };
        let path = scan.catalog.to_owned();
        Ok((LiveCatalog { path, taken, roots, devices, tree, options, patience }, report))
    }

    /// Waits until something has changed, and brings the catalogue up to it.
    ///
    /// ```
    /// use solio::{ErrorKind, LiveCatalog};
    /// # use solio::{Scan, ScanCount, ScanOptions, Work};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
    /// # std::fs::create_dir(&roots[0]).unwrap();
    /// # let (count, options) = (ScanCount::default(), ScanOptions::default());
    /// # let work = Work::default();
    /// # let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    /// let (mut live, _) = LiveCatalog::open(&scan, None, &work)?;
    /// // Another thread, or Ctrl-C, ends the waiting.
    /// let cancel = work.cancel.clone();
    /// std::thread::spawn(move || cancel.cancel());
    /// assert_eq!(live.wait(&work).unwrap_err().kind(), ErrorKind::Cancelled);
    /// # Ok::<(), solio::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Cancelled`, and those of writing the catalogue; it is whole then, and not up to date.
    pub fn wait(&mut self, work: &Work) -> Result<Round> {
        let changes = self.tree.wait(&self.patience, &work.cancel)?;
        let clock = Stopwatch::start();
        let mut round = Round::default();
        self.taken.store.unmark()?;
        let (count, options) = (ScanCount::default(), &self.options);
        let scan = Scan { roots: &self.roots, catalog: &self.path, options, count: &count };
        begin_history(&mut self.taken.store, &scan, &self.roots);
        // Nothing at all: it is time to look for oneself.
        if changes.is_lost || changes.is_empty() {
            let roots = self.roots.clone();
            self.pass(
                Reach { roots: &roots, is_flat: false, is_whole: true, bases: &[] },
                &mut round,
                work,
            )?;
        } else {
            self.partly(&changes.paths, &mut round, work)?;
        }
        round.report.scan = self.taken.store.end_scan(unix_ns(), false)?;
        self.taken.store.commit()?;
        let Round { count, report, .. } = &mut round;
        count.failed.fetch_add(changes.failures.len() as u64, Relaxed);
        report.failures.extend(changes.failures);
        round.wall_s = clock.usage().wall_s;
        Ok(round)
    }

    /// What changed below the roots.
    fn partly(&mut self, paths: &BTreeSet<PathBuf>, round: &mut Round, work: &Work) -> Result<()> {
        let (own, mut paths): (BTreeSet<_>, BTreeSet<_>) =
            paths.iter().cloned().partition(|path| self.roots.contains(path));
        for root in own {
            match status_of(&root) {
                // A medium that is not there now may come back: what is known of it stays.
                Err(error) => {
                    round.count.failed.fetch_add(1, Relaxed);
                    round.report.failures.push(error);
                    paths.retain(|path| !path.starts_with(&root));
                }
                Ok(_) => self.flat(&[root], round, work)?,
            }
        }
        let changed = Changed::sort(&paths, |path| self.is_entered(path));
        self.deep(&changed.folders, round, work)?;
        self.flat(&changed.flat, round, work)?;
        if !changed.gone.is_empty() {
            let Round { count, report, .. } = round;
            let options = &self.options;
            let scan = Scan { roots: &changed.gone, catalog: &self.path, options, count };
            remove(&mut self.taken.store, &scan, &changed.gone, report)?;
        }
        Ok(())
    }

    /// Lets the catalogue go.
    ///
    /// ```
    /// use solio::LiveCatalog;
    /// # use solio::{Scan, ScanCount, ScanOptions, Work};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
    /// # std::fs::create_dir(&roots[0]).unwrap();
    /// # let (count, options) = (ScanCount::default(), ScanOptions::default());
    /// # let work = Work::default();
    /// # let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    /// let (live, _) = LiveCatalog::open(&scan, None, &work)?;
    /// assert!(solio::scan(&scan, &work).is_err());
    /// live.close()?;
    /// // Now another scan may write to it.
    /// assert!(solio::scan(&scan, &work).is_ok());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn close(self) -> Result<()> {
        self.taken.close()
    }

    /// Whether a scan enters what is at `path`.
    fn is_entered(&self, path: &Path) -> bool {
        let is_folder = match self.options.follow {
            true => path.is_dir(),
            false => matches!(status_of_name(path), Ok((_, EntryKind::Folder))),
        };
        let is_near = |devices: &HashSet<u64>| {
            status_of(path).is_ok_and(|status| devices.contains(&status.device))
        };
        is_folder && self.devices.as_ref().is_none_or(is_near)
    }

    fn deep(&mut self, roots: &[PathBuf], round: &mut Round, work: &Work) -> Result<()> {
        let bases = &self.roots.clone();
        self.pass(Reach { roots, is_flat: false, is_whole: false, bases }, round, work)
    }

    fn flat(&mut self, roots: &[PathBuf], round: &mut Round, work: &Work) -> Result<()> {
        let bases = &self.roots.clone();
        self.pass(Reach { roots, is_flat: true, is_whole: false, bases }, round, work)
    }

    fn pass(&mut self, reach: Reach<'_>, round: &mut Round, work: &Work) -> Result<()> {
        if reach.roots.is_empty() {
            return Ok(());
        }
        let Round { count, report, .. } = round;
        let scan = Scan { roots: reach.roots, catalog: &self.path, options: &self.options, count };
        let of_pass = pass(&mut self.taken.store, &scan, reach, work)?;
        report.removed += of_pass.removed;
        report.excluded += of_pass.excluded;
        report.held += of_pass.held;
        report.offline = report.offline.max(of_pass.offline);
        report.failures.extend(of_pass.failures);
        Ok(())
    }
}

/// What is to be done about changes.
#[derive(Debug, Default, PartialEq)]
struct Changed {
    /// Folders that may have come: all in them is met.
    folders: Vec<PathBuf>,
    /// Folders in which a name has come, gone or changed.
    flat: Vec<PathBuf>,
    /// No folders any more.
    gone: Vec<PathBuf>,
}

impl Changed {
    /// `is_folder`: whether a scan enters what is at a path.
    fn sort(paths: &BTreeSet<PathBuf>, is_folder: impl Fn(&Path) -> bool) -> Changed {
        let mut changed = Changed::default();
        let mut flat = BTreeSet::new();
        for path in paths {
            if is_folder(path) {
                if !changed.is_met(path) {
                    changed.folders.push(path.clone());
                }
            } else if status_of_name(path).is_err() {
                changed.gone.push(path.clone());
            }
            flat.extend(path.parent().map(Path::to_owned));
        }
        flat.retain(|folder| !changed.is_met(folder) && is_folder(folder));
        Changed { flat: flat.into_iter().collect(), ..changed }
    }

    /// Whether a folder that may have come has the path in it, or is it. They are in order, and none
    /// lies in another.
    fn is_met(&self, path: &Path) -> bool {
        let behind = self.folders.partition_point(|folder| folder.as_path() <= path);
        self.folders[..behind].last().is_some_and(|folder| path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "new/below", "new2"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        solio_io::probe::write_plain(&path("a/file"), b"1").unwrap();
        let told = ["a/file", "a/gone", "new", "new/below", "new/below/file", "new2", "went/with"];
        let changed = Changed::sort(&told.map(path).into(), Path::is_dir);
        assert_eq!(
            changed,
            Changed {
                folders: ["new", "new2"].map(path).into(),
                // The root itself, because names in it have changed.
                flat: [folder.path().to_owned(), path("a")].into(),
                gone: ["a/gone", "new/below/file", "went/with"].map(path).into(),
            }
        );
    }
}
