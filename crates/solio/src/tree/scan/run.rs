//! A tree is scanned into a catalogue.

use super::export::journal;
use super::options::{Scan, ScanReport};
use super::places::{Places, held};
use super::taken::Taken;
use super::walked::{Ended, Reach, SEND_BYTES, Walked};
use super::writer;
use crate::tree::roots::outermost;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Work};
use solio_catalog::store::{Known, Store};
use solio_io::objects::is_address;
use solio_measure::unix_ns;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::sync_channel;

/// What a catalogue remembers while it is being scanned into.
const UNFINISHED: &str = "unfinished";

/// Scans all that lies at and below `scan.roots` into the catalogue `scan.catalog`, an SQLite
/// database. Files that it knows, and whose size, time and inode are what they were, are not opened.
/// What is there when the scan is stopped is kept; the next one goes on from it.
///
/// ```
/// use solio::catalog::{row::column, store::Rows};
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
/// # std::fs::create_dir(&roots[0]).unwrap();
/// # solio::write_bytes(&roots[0].join("a.obj"), b"v 0 0 0\n")?;
/// # solio::write_bytes(&roots[0].join("b.txt"), b"words")?;
/// let (count, options) = (ScanCount::default(), ScanOptions::default());
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// solio::scan(&scan, &Work::default())?;
/// let mut kinds = Vec::new();
/// for row in Rows::open(&catalog)? {
///     kinds.push(row?.cells.text(column::KIND).unwrap().to_owned());
/// }
/// assert_eq!(kinds, ["obj", "text"]);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Io` while another scan writes to the catalogue, and where it cannot be written; `Corrupt` where
/// it is damaged; `Limit` after [`ScanOptions::max_errors`](super::ScanOptions::max_errors);
/// `Cancelled`. What cannot be read is in the report.
pub fn scan(scan: &Scan<'_>, work: &Work) -> Result<ScanReport> {
    let roots = whole_roots(scan)?;
    if scan.options.dry {
        return dry(scan, &roots, work);
    }
    let mut taken = Taken::open(scan.catalog, scan.options.rebuild)?;
    let report = whole(&mut taken, scan, &roots, work)?;
    taken.close()?;
    Ok(report)
}

/// All of a tree, from one end to the other.
pub(super) fn whole(
    taken: &mut Taken,
    scan: &Scan<'_>,
    roots: &[PathBuf],
    work: &Work,
) -> Result<ScanReport> {
    scan.count.expected.store(taken.store.put_so_far(), Relaxed);
    taken.store.set_state(UNFINISHED, Some("1"))?;
    taken.store.unmark()?;
    begin_history(&mut taken.store, scan, roots);
    let mut report = pass(
        &mut taken.store,
        scan,
        Reach { roots, is_flat: false, is_whole: true, bases: &[] },
        work,
    )?;
    taken.store.index()?;
    taken.store.set_state(UNFINISHED, None)?;
    report.scan = taken.store.end_scan(unix_ns(), true)?;
    taken.store.commit()?;
    Ok(report)
}

/// What changes from here on is the history of this scan.
pub(super) fn begin_history(store: &mut Store, scan: &Scan<'_>, roots: &[PathBuf]) {
    let roots: Vec<_> = roots.iter().map(|root| root.to_string_lossy()).collect();
    let roots = serde_json::to_string(&roots).unwrap_or_default();
    store.begin_scan(unix_ns(), roots, scan.options.filter.text());
}

/// What is in reach is walked, looked at where it is new, and written.
pub(super) fn pass(
    store: &mut Store,
    scan: &Scan<'_>,
    reach: Reach<'_>,
    work: &Work,
) -> Result<ScanReport> {
    let is_new = store.put_so_far() == 0;
    // The threads of the walk read what is committed.
    store.commit()?;
    let places = Places::look(store, scan, reach.roots, reach.is_whole)?;
    // Rows wait in memory: within a quarter of it, each thread has its own.
    let most = (work.memory_bytes / 4 / (2 * SEND_BYTES as u64)).clamp(1, 2 * work.threads as u64);
    let (send, receive) = sync_channel(most as usize);
    let walked = Walked::new(scan, reach, is_new, Some(send), &places, work)?;
    let (written, walked) = std::thread::scope(|scope| {
        let store = &mut *store;
        let writer = std::thread::Builder::new().name("solio writer".into());
        let writer = writer
            .spawn_scoped(scope, move || writer::write(store, &receive))
            .map_err(|e| Error::io("start a thread", e))?;
        let walked = walked.run(work);
        Ok((writer.join().unwrap_or_else(|_| Err(Error::cancelled())), walked))
    })?;
    // Why the writer ended counts more than that it did.
    written?;
    // Of a walk that was stopped, nobody knows yet what was only renamed.
    let Ended { seen, mut kept, excluded, mut failures } = walked?;
    store.mark_excluded_below(&excluded)?;
    kept.extend(excluded);
    let mut gone_meanwhile = 0;
    for (path, error) in places.gone_meanwhile() {
        gone_meanwhile += 1;
        store.unmark_below(path.as_os_str().as_bytes())?;
        kept.push(path.into_os_string().into_encoded_bytes());
        scan.count.failed.fetch_add(1, Relaxed);
        failures.push(error);
    }
    let untold = places.untold();
    scan.count.failed.fetch_add(untold.len() as u64, Relaxed);
    failures.extend(untold);
    if !reach.is_flat {
        let paths: Vec<_> =
            reach.roots.iter().map(|root| root.as_os_str().as_bytes().to_vec()).collect();
        store.mark_unseen(&paths, &seen, &kept)?;
    }
    let offline = places.offline.len() as u64 + gone_meanwhile;
    let mut report = ScanReport { failures, offline, ..ScanReport::default() };
    settle(store, scan, &places, &mut report)?;
    if reach.is_whole {
        places.keep(store, reach.roots, &seen)?;
    }
    Ok(report)
}

/// Folders are gone that were there a moment ago, with all in them, unless what they lay on is gone.
pub(super) fn remove(
    store: &mut Store,
    scan: &Scan<'_>,
    gone: &[PathBuf],
    report: &mut ScanReport,
) -> Result<()> {
    let places = Places::look(store, scan, gone, false)?;
    let offline = places.offline.keys().map(|path| path.as_os_str().as_bytes().to_vec());
    let kept: Vec<_> = offline.collect();
    let gone = gone.iter().filter(|path| places.is_online(path));
    let gone: Vec<_> = gone.map(|path| path.as_os_str().as_bytes().to_vec()).collect();
    store.mark_unseen(&gone, &HashSet::new(), &kept)?;
    for (path, reason) in &places.offline {
        scan.count.failed.fetch_add(1, Relaxed);
        report.failures.push(reason.error(path));
    }
    settle(store, scan, &places, report)
}

/// What is marked as gone goes, unless it is too much.
fn settle(
    store: &mut Store,
    scan: &Scan<'_>,
    places: &Places,
    report: &mut ScanReport,
) -> Result<()> {
    let settled = store.settle(&places.removal(scan))?;
    report.removed += settled.removed;
    report.excluded += settled.excluded;
    for back in &settled.held {
        report.held += back.gone;
        scan.count.failed.fetch_add(1, Relaxed);
        report.failures.push(held(back));
    }
    Ok(())
}

/// Forgets the files that were gone from the catalogue at `catalog` more than `days` days ago; how many
/// they were.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a.txt"), b"words")?;
/// # solio::write_bytes(&at("tree/b.txt"), b"more")?;
/// # let (roots, catalog) = ([at("tree")], at("a.sqlite"));
/// let (count, options) = (ScanCount::default(), ScanOptions::default());
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// solio::scan(&scan, &Work::default())?;
/// std::fs::remove_file(at("tree/a.txt")).unwrap();
/// assert_eq!(solio::scan(&scan, &Work::default())?.removed, 1);
/// // All that was known of it is in the view gone until then.
/// assert_eq!(solio::purge_catalog(&catalog, 0)?, 1);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of opening and writing the catalogue.
pub fn purge_catalog(catalog: &Path, days: u64) -> Result<u64> {
    if !catalog.exists() {
        let error = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::io("open the catalogue", error).at_path(catalog));
    }
    let mut taken = Taken::open(catalog, false)?;
    let age_ns = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(86_400_000_000_000);
    let before_ns = unix_ns().saturating_sub(age_ns).saturating_add(i64::from(days == 0));
    let purged = taken.store.purge(before_ns)?;
    taken.close()?;
    Ok(purged)
}

/// What a scan would look at.
fn dry(scan: &Scan<'_>, roots: &[PathBuf], work: &Work) -> Result<ScanReport> {
    let is_new = scan.options.rebuild || !scan.catalog.exists();
    let reach = Reach { roots, is_flat: false, is_whole: true, bases: &[] };
    let places = match is_new {
        true => Places::default(),
        false => Places::look(&Known::open(scan.catalog)?, scan, roots, true)?,
    };
    let Ended { failures, .. } =
        Walked::new(scan, reach, is_new, None, &places, work)?.run(work)?;
    Ok(ScanReport { failures, ..ScanReport::default() })
}

/// Whether the last scan into `catalog`, SQLite or Parquet, did not come to its end.
///
/// ```
/// use solio::{Scan, Work};
/// # use solio::{ScanCount, ScanOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let (roots, catalog) = ([folder.path().join("tree")], folder.path().join("a.sqlite"));
/// # std::fs::create_dir(&roots[0]).unwrap();
/// # solio::write_bytes(&roots[0].join("a.obj"), b"v 0 0 0\n")?;
/// # let (count, options) = (ScanCount::default(), ScanOptions::default());
/// let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// let stopped = Work::default();
/// stopped.cancel.cancel();
/// assert!(solio::scan(&scan, &stopped).is_err() && solio::is_unfinished(&catalog)?);
/// // The next one goes on.
/// solio::scan(&scan, &Work::default())?;
/// assert!(!solio::is_unfinished(&catalog)?);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn is_unfinished(catalog: &Path) -> Result<bool> {
    let journal = journal(catalog);
    let catalog = if super::is_parquet(catalog) { &journal } else { catalog };
    if catalog.metadata().map_or(0, |data| data.len()) == 0 {
        return Ok(false);
    }
    Ok(Known::open(catalog)?.state(UNFINISHED)?.is_some())
}

/// The roots of a scan, none of which is met on the way from another.
pub(super) fn whole_roots(scan: &Scan<'_>) -> Result<Vec<PathBuf>> {
    let roots = absolute(scan.roots)?;
    Ok(outermost(roots, scan.options.one_file_system))
}

/// Roots as paths that mean the same from everywhere.
pub(super) fn absolute(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let absolute = |root: &PathBuf| {
        if is_address(root) {
            return Ok(root.clone());
        }
        let path =
            solio_base::names::absolute(root).map_err(|e| Error::io("find", e).at_path(root))?;
        // `a/..` may lead elsewhere than it seems, where `a` is a link; what follows stays as it is.
        let parts: Vec<Component<'_>> = path.components().collect();
        let up =
            parts.iter().rposition(|part| *part == Component::ParentDir).map_or(0, |up| up + 1);
        let above: PathBuf = parts[..up].iter().collect();
        let real = if up > 0 { solio_base::names::canonical(&above).ok() } else { None };
        let mut found = real.unwrap_or(above);
        found.extend(&parts[up..]);
        Ok(solio_base::names::slashed(found))
    };
    roots.iter().map(absolute).collect()
}
