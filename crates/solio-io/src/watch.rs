//! What changes in trees, as the system tells it (inotify, FSEvents, `ReadDirectoryChangesW`, by the crate
//! `notify`).
//!
//! File systems of other machines (NFS, SMB) tell only what this machine changes.

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use solio_base::names::slashed;
use solio_base::{Cancel, Error, ErrorKind, Result, lock};
use solio_measure::now_ns;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Paths that are kept apart; where more have changed, everything may have.
const MOST_PATHS: usize = 100_000;
/// How soon a wish to stop is noticed.
const LOOK: Duration = Duration::from_millis(100);

/// How long changes are collected.
///
/// ```
/// use solio_io::watch::{Patience, TreeWatch};
/// use std::time::Duration;
/// # let folder = tempfile::tempdir().unwrap();
/// // A renderer writes frame after frame: after five seconds they are told though it goes on.
/// let patience = Patience {
///     quiet: Duration::from_millis(200),
///     longest: Duration::from_secs(5),
///     idle: Some(Duration::ZERO),
/// };
/// // So little time to be idle makes waiting a look.
/// let watch = TreeWatch::new(&[folder.path().to_owned()], false, |_| false)?;
/// assert!(watch.wait(&patience, &Default::default())?.is_empty());
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Changes are handed out when nothing has changed for so long,
    pub quiet: Duration,
    /// or when the first of them is so old.
    pub longest: Duration,
    /// Waiting ends after so long also without a change.
    pub idle: Option<Duration>,
}

/// What has changed.
///
/// ```
/// use solio_io::watch::WatchChanges;
/// use std::path::PathBuf;
/// /// What to look at again.
/// fn stale(changes: WatchChanges, root: &str) -> Vec<PathBuf> {
///     match changes.is_lost {
///         true => vec![root.into()],
///         false => changes.paths.into_iter().collect(),
///     }
/// }
/// let paths = ["shots/a.exr", "shots/b.exr"].map(PathBuf::from);
/// let some = WatchChanges { paths: paths.clone().into(), ..WatchChanges::default() };
/// assert_eq!(stale(some, "shots"), paths);
/// let lost = WatchChanges { is_lost: true, ..WatchChanges::default() };
/// assert_eq!(stale(lost, "shots"), [PathBuf::from("shots")]);
/// ```
#[derive(Debug, Default)]
pub struct WatchChanges {
    /// Files and folders that came, went, or are other than before.
    pub paths: BTreeSet<PathBuf>,
    /// The system, or this list, was too small for all of it: anything may have changed.
    pub is_lost: bool,
    /// What cannot be watched.
    pub failures: Vec<Error>,
}

impl WatchChanges {
    /// Whether nothing has.
    ///
    /// ```
    /// use solio_io::watch::WatchChanges;
    /// assert!(WatchChanges::default().is_empty());
    /// // No path is known, but anything may have changed.
    /// assert!(!WatchChanges { is_lost: true, ..WatchChanges::default() }.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.is_lost && self.failures.is_empty()
    }
}

/// Trees that are being watched, until it is dropped.
///
/// ```
/// use solio_io::watch::{Patience, TreeWatch};
/// use std::time::Duration;
/// # let folder = tempfile::tempdir().unwrap();
/// # let shots = folder.path().to_owned();
/// # let second = Duration::from_secs(1);
/// # let patience = Patience { quiet: second / 100, longest: second, idle: Some(20 * second) };
/// let watch = TreeWatch::new(&[shots.clone()], false, |_| false)?;
/// solio_io::probe::write_plain(&shots.join("a.exr"), b"pixels")?;
/// let changes = watch.wait(&patience, &Default::default())?;
/// assert!(changes.is_lost || changes.paths.contains(&shots.join("a.exr")));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct TreeWatch {
    // Held for its thread.
    _watcher: RecommendedWatcher,
    told: Arc<Told>,
}

#[derive(Default)]
struct Told {
    state: Mutex<WatchState>,
    moved: Condvar,
}

#[derive(Default)]
struct WatchState {
    changes: WatchChanges,
    first_ns: u64,
    last_ns: u64,
}

impl Told {
    fn lock(&self) -> MutexGuard<'_, WatchState> {
        lock(&self.state)
    }

    fn tell(&self, change: impl FnOnce(&mut WatchChanges)) {
        let mut state = self.lock();
        state.last_ns = now_ns();
        if state.changes.is_empty() {
            state.first_ns = state.last_ns;
        }
        change(&mut state.changes);
        if state.changes.paths.len() > MOST_PATHS {
            state.changes.paths.clear();
            state.changes.is_lost = true;
        }
        drop(state);
        self.moved.notify_one();
    }
}

impl TreeWatch {
    /// Watches the folders `roots` and all below them. What `ignore` says yes to is never told.
    ///
    /// ```
    /// use solio_io::watch::TreeWatch;
    /// # let folder = tempfile::tempdir().unwrap();
    /// let gone = folder.path().join("gone");
    /// // Who watches and writes in the same tree ignores what is its own.
    /// let ignore = |path: &std::path::Path| path.ends_with("catalog.sqlite");
    /// let error = TreeWatch::new(&[gone.clone()], false, ignore).err().unwrap();
    /// assert_eq!(error.path(), Some(&*gone));
    /// ```
    ///
    /// # Errors
    /// `Limit` where the system watches no more folders, `Io` where one cannot be watched.
    pub fn new(
        roots: &[PathBuf],
        follow: bool,
        ignore: impl Fn(&Path) -> bool + Send + 'static,
    ) -> Result<TreeWatch> {
        let told = Arc::new(Told::default());
        let teller = Arc::clone(&told);
        let tell = move |event: notify::Result<Event>| match event {
            Ok(event) => {
                let is_lost = event.need_rescan();
                let paths = event.paths.into_iter().map(slashed);
                let paths: Vec<_> = match is_change(event.kind) {
                    true => paths.filter(|path| !ignore(path)).collect(),
                    false => Vec::new(),
                };
                if is_lost || !paths.is_empty() {
                    teller.tell(|changes| {
                        changes.is_lost |= is_lost;
                        changes.paths.extend(paths);
                    });
                }
            }
            Err(error) => teller.tell(|changes| changes.failures.push(failed(error, None))),
        };
        let config = Config::default().with_follow_symlinks(follow);
        let watcher = RecommendedWatcher::new(tell, config);
        let mut watcher = watcher.map_err(|e| failed(e, None))?;
        for root in roots {
            let watched = watcher.watch(root, RecursiveMode::Recursive);
            watched.map_err(|e| failed(e, Some(root)))?;
        }
        Ok(TreeWatch { _watcher: watcher, told })
    }

    /// Waits until something has changed, and then as `patience` says; nothing where it was idle.
    ///
    /// ```
    /// # use solio_io::watch::{Patience, TreeWatch};
    /// # use std::time::Duration;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let hour = Duration::from_secs(3600);
    /// # let patience = Patience { quiet: hour, longest: hour, idle: None };
    /// let watch = TreeWatch::new(&[folder.path().to_owned()], false, |_| false)?;
    /// let cancel = solio_base::Cancel::default();
    /// // As another thread, or Ctrl-C, does it.
    /// cancel.cancel();
    /// let error = watch.wait(&patience, &cancel).unwrap_err();
    /// assert_eq!(error.kind(), solio_base::ErrorKind::Cancelled);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn wait(&self, patience: &Patience, cancel: &Cancel) -> Result<WatchChanges> {
        let begun_ns = now_ns();
        let is_over = |since_ns: u64, long: Duration| {
            now_ns().saturating_sub(since_ns) >= long.as_nanos() as u64
        };
        let mut state = self.told.lock();
        loop {
            cancel.check()?;
            let is_ripe = !state.changes.is_empty()
                && (is_over(state.last_ns, patience.quiet)
                    || is_over(state.first_ns, patience.longest));
            if is_ripe || patience.idle.is_some_and(|idle| is_over(begun_ns, idle)) {
                return Ok(std::mem::take(&mut state.changes));
            }
            let waited = self.told.moved.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Reading is none.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

fn failed(error: notify::Error, root: Option<&Path>) -> Error {
    let path = error.paths.first().cloned().or_else(|| root.map(Path::to_owned));
    let made = match error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            Error::limit("the system watches no more folders for this user")
                .hint("raise fs.inotify.max_user_watches (sysctl), or watch fewer folders")
        }
        notify::ErrorKind::Io(error) => Error::io("watch", error),
        other => Error::new(ErrorKind::Io, format!("cannot watch: {}", notify::Error::new(other))),
    };
    match path {
        Some(path) => made.at_path(path),
        None => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::write_plain;
    use solio_base::names::{OsStrBytes, OsStringBytes};

    const PATIENCE: Patience = Patience {
        quiet: Duration::from_millis(50),
        longest: Duration::from_secs(5),
        idle: Some(Duration::from_secs(20)),
    };

    #[test]
    fn what_comes_changes_and_goes_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let ignored = root.join("log");
        let is_ignored = ignored.clone();
        let watch = TreeWatch::new(&[slashed(root.clone())], false, move |path| path == is_ignored)
            .unwrap();
        let cancel = Cancel::default();
        // One change may be told in several pieces.
        let root_bytes = slashed(root.clone()).into_os_string().into_vec();
        let until = |wanted: &[PathBuf]| {
            let mut told = BTreeSet::<PathBuf>::new();
            while !wanted.iter().all(|path| told.contains(path)) {
                let changes = watch.wait(&PATIENCE, &cancel).unwrap();
                assert!(!changes.is_empty(), "{wanted:?} was not told, {told:?} was");
                assert!(!changes.is_lost && changes.failures.is_empty());
                assert!(!changes.paths.contains(&ignored));
                // As they are stored: with `/` on every system.
                for path in &changes.paths {
                    let below = path.as_os_str().as_bytes().strip_prefix(&*root_bytes).unwrap();
                    assert!(
                        below.is_empty() || below[0] == b'/' && !below.contains(&b'\\'),
                        "{path:?}"
                    );
                }
                told.extend(changes.paths);
            }
        };
        let [a, new, old] = ["a", "new", "old"].map(|name| root.join(name));

        write_plain(&ignored, b"not told").unwrap();
        write_plain(&a, b"1").unwrap();
        until(std::slice::from_ref(&a));
        std::fs::create_dir(&new).unwrap();
        until(std::slice::from_ref(&new));
        // The folder that has come is watched, too.
        write_plain(&new.join("b"), b"2").unwrap();
        until(&[new.join("b")]);
        std::fs::rename(&new, &old).unwrap();
        until(&[new, old.clone()]);
        std::fs::remove_dir_all(&old).unwrap();
        until(&[old]);

        // Reading is no change.
        let idle = Patience { idle: Some(Duration::from_millis(200)), ..PATIENCE };
        while !watch.wait(&idle, &cancel).unwrap().is_empty() {}
        crate::read_whole(&a, &Default::default(), &Default::default()).unwrap();
        assert!(watch.wait(&idle, &cancel).unwrap().is_empty());
        cancel.cancel();
        assert_eq!(watch.wait(&PATIENCE, &cancel).unwrap_err().kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn what_cannot_be_watched_is_told() {
        let Err(error) = TreeWatch::new(&["/nowhere/at/all".into()], false, |_| false) else {
            panic!("watched")
        };
        assert!(error.path().is_some(), "{error}");
    }

    #[test]
    fn too_many_changes_are_one() {
        let told = Told::default();
        told.tell(|changes| {
            changes.paths.extend((0..=MOST_PATHS).map(|n| PathBuf::from(n.to_string())));
        });
        let changes = std::mem::take(&mut told.lock().changes);
        assert!(changes.is_lost && changes.paths.is_empty());
    }
}
