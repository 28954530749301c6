//! Roots in a store: its objects are listed, and those that are new or were written anew are asked
//! for.
//!
//! * One thread follows the listing; what is known of a folder is held against it while its keys come.
//! * A store answers late, but many at once: far more requests are in flight than there are threads.
//! * A store that stops answering ends the scan, which is then unfinished. What it had is kept.

use super::facts::{FileFacts, file_facts};
use super::files::split;
use super::following::{Following, Job, status_of};
use super::met::Met;
use super::places::EMPTY_HINT;
use super::row::{row_of, row_of_unknown};
use super::walked::{Local, Walked};
use super::writer::Change;
use crate::Input;
use solio_base::{Error, ErrorKind, Result, Work, lock};
use solio_catalog::row::{Cell, Row, column};
use solio_io::filter::Filter;
use solio_io::objects::{Address, Bucket, Object, ObjectSource, ask, open_object};
use solio_io::walk::EntryKind;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

/// Requests in flight for each thread of the work.
const FOR_A_THREAD: usize = 32;
/// Most requests in flight.
const MOST: usize = 256;
/// Memory that each must have.
const LEAST_MEMORY: u64 = 4 << 20;
/// Objects that wait for a request, for each in flight.
const WAITING: usize = 4;

/// How many objects are looked at at once.
pub(super) fn in_flight(work: &Work) -> usize {
    let afford = usize::try_from(work.memory_bytes / LEAST_MEMORY).unwrap_or(MOST).max(1);
    (FOR_A_THREAD * work.threads.max(1)).min(MOST).min(afford)
}

/// The work of each of them.
fn work_of_one(work: &Work) -> Work {
    let memory_bytes = work.memory_bytes / in_flight(work) as u64;
    Work { threads: 1, memory_bytes, ..work.clone() }
}

/// All objects at and below `roots`, addresses.
///
/// # Errors
/// `Io` for a store that stops answering, after those of other stores were scanned; `Cancelled`;
/// those of the writer.
pub(super) fn scan_objects(walked: &Walked<'_>, roots: &[PathBuf], work: &Work) -> Result<()> {
    let mut done = Ok(());
    for root in outermost(roots) {
        match walked.objects(root, work) {
            Err(error) if error.kind() == ErrorKind::Io && error.path().is_some() => {
                done = done.and(Err(error));
            }
            scanned => scanned?,
        }
    }
    done
}

/// The objects at and below `roots`, and what could not be listed.
///
/// # Errors
/// `Cancelled`.
pub(super) fn list_objects(
    roots: &[PathBuf],
    filter: &Filter,
    work: &Work,
) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for root in outermost(roots) {
        let mut met = 0u64;
        let mut list = || {
            let (bucket, address) = open(root)?;
            bucket.list(&address.key, &work.cancel, |object| {
                if !is_folder(&object) {
                    met += 1;
                    if is_wanted(filter, &address, &object) {
                        found.push(PathBuf::from(bucket.path_of(&object.key)));
                    }
                }
                Ok(())
            })
        };
        match list() {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => failed.push(error),
            Ok(()) if met == 0 => failed.push(nothing(root)),
            Ok(()) => {}
        }
    }
    Ok((found, failed))
}

/// The row of one object.
///
/// # Errors
/// `Cancelled`.
pub(super) fn row(
    path: &Path,
    folder: &Arc<[u8]>,
    name: &[u8],
    facts: &FileFacts,
    work: &Work,
) -> Result<Row> {
    let opened = open_object(path, ask(solio_kinds::HEAD_BYTES, work));
    work.progress.add_file();
    let source = match opened {
        Ok(source) => source,
        Err(why) => return row_of_unknown(folder, name, facts, why),
    };
    let status = status_of(source.object());
    let (row, _) = row_of(folder, name, status, EntryKind::File, facts, |cells| {
        let whole = || Input::open(path, &facts.limits, work);
        file_facts(path, &source, &whole, facts, work, cells).map(|_| ())
    })?;
    Ok(row)
}

fn open(root: &Path) -> Result<(Arc<Bucket>, Address)> {
    let address = Address::of(root)
        .unwrap_or_else(|| Err(Error::argument("this is no address").at_path(root)))?;
    Ok((Bucket::open(&address)?, address))
}

/// Whether the filter leaves an object in, which lies at or below the address of a root.
pub(super) fn is_wanted(filter: &Filter, root: &Address, object: &Object) -> bool {
    let below = object.key.strip_prefix(root.key.trim_end_matches('/')).unwrap_or(&object.key);
    match below.trim_start_matches('/') {
        "" => true,
        below => filter.wants_key(below.as_bytes(), object.size, object.modified_ns),
    }
}

/// What is called a folder in a store's own pages.
fn is_folder(object: &Object) -> bool {
    object.size == 0 && object.key.ends_with('/')
}

fn nothing(root: &Path) -> Error {
    let error = Error::new(ErrorKind::Io, "there is no such object, and none below it");
    error.at_path(root)
}

/// Addresses without those at or below others.
fn outermost<'a>(addresses: &'a [PathBuf]) -> Vec<&'a Path> {
    let plain = |address: &'a PathBuf| {
        let bytes = address.as_os_str().as_encoded_bytes();
        bytes.strip_suffix(b"/").unwrap_or(bytes)
    };
    let all: HashSet<&[u8]> = addresses.iter().map(plain).collect();
    let mut told = HashSet::new();
    let mut is_met = |address: &&'a PathBuf| {
        let own = plain(address);
        let ends = own.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let is_below = ends.map(|(end, _)| &own[..end]).any(|above| all.contains(above));
        is_below || !told.insert(own)
    };
    addresses.iter().filter(|address| !is_met(address)).map(PathBuf::as_path).collect()
}

impl Walked<'_> {
    /// All objects at and below `root`.
    ///
    /// # Errors
    /// `Io` for a store that stops answering; `Cancelled`; those of the writer.
    fn objects(&self, root: &Path, work: &Work) -> Result<()> {
        let (bucket, address) = match open(root) {
            Ok(opened) => opened,
            Err(error) => {
                self.unlisted(root, error);
                return Ok(());
            }
        };
        let (one, ended) = (work_of_one(work), AtomicBool::new(false));
        let (jobs, waiting) = sync_channel(WAITING * in_flight(work));
        let waiting = Mutex::new(waiting);
        std::thread::scope(|scope| {
            let mut lookers = Vec::new();
            for _ in 0..in_flight(work) {
                let look = || self.look_at_objects(&bucket, &waiting, &one, &ended);
                match std::thread::Builder::new().spawn_scoped(scope, look) {
                    Ok(looker) => lookers.push(looker),
                    // Fewer do it, too.
                    Err(_) if !lookers.is_empty() => break,
                    Err(e) => return Err(Error::io("start a thread", e)),
                }
            }
            let listed = self.list(&bucket, &address, root, &jobs, work, &ended);
            drop(jobs);
            let mut done = Ok(());
            for looker in lookers {
                let looked = looker.join().unwrap_or_else(|_| Err(Error::cancelled()));
                done = done.and(looked);
            }
            // Why somebody stopped looking counts more than that the listing was stopped then.
            done.and(listed)
        })
    }

    /// Follows the listing.
    fn list(
        &self,
        bucket: &Bucket,
        address: &Address,
        root: &Path,
        jobs: &SyncSender<Job>,
        work: &Work,
        ended: &AtomicBool,
    ) -> Result<()> {
        let mut listing = Following::new(self, bucket, address, root);
        let (mut met, mut stopped) = (0u64, None);
        let listed = bucket.list(&address.key, &work.cancel, |object| {
            if is_folder(&object) {
                return Ok(());
            }
            met += 1;
            let each = || {
                self.may_go_on()?;
                if ended.load(Relaxed) {
                    return Err(Error::cancelled());
                }
                match listing.met(object)? {
                    Some(job) => jobs.send(job).map_err(|_| Error::cancelled()),
                    None => Ok(()),
                }
            };
            each().map_err(|error| {
                stopped = Some(error);
                Error::cancelled()
            })
        });
        match (listed, stopped) {
            (_, Some(error)) => return Err(error),
            (Err(error), _) if error.kind() == ErrorKind::Cancelled || bucket.is_silent() => {
                return Err(error);
            }
            (Err(error), _) => {
                self.unlisted(root, error);
                return Ok(());
            }
            (Ok(()), None) => listing.leave_all()?,
        }
        if met == 0 && self.places.was_filled(root) && !self.scan.options.accept_removal {
            lock(&self.places.emptied).push(root.to_owned());
            let error =
                Error::new(ErrorKind::Io, "nothing is in it any more; what was known is kept");
            self.unlisted(root, error.at_path(root).hint(EMPTY_HINT));
            return Ok(());
        }
        if met == 0 && !address.key.is_empty() {
            let (folder, name) = split(root);
            self.send(Change::Gone { folder: folder.into(), names: vec![name.into()] })?;
            self.fail(nothing(root));
        }
        Ok(())
    }

    /// Looks at objects as they come.
    fn look_at_objects(
        &self,
        bucket: &Arc<Bucket>,
        waiting: &Mutex<Receiver<Job>>,
        work: &Work,
        ended: &AtomicBool,
    ) -> Result<()> {
        let mut local = Local::default();
        let next = || lock(waiting).recv();
        while let Ok(job) = next() {
            // Those that wait are taken away, or the listing would wait for ever.
            if ended.load(Relaxed) {
                continue;
            }
            let looked = self.look_at_object(bucket, &job, work, &mut local);
            if let Err(error) = looked.and_then(|()| self.flush(&mut local))
                && !ended.swap(true, Relaxed)
            {
                while next().is_ok() {}
                return Err(error);
            }
        }
        Ok(())
    }

    fn look_at_object(
        &self,
        bucket: &Arc<Bucket>,
        job: &Job,
        work: &Work,
        local: &mut Local,
    ) -> Result<()> {
        let Job { folder, name, object, known } = job;
        let (mut status, mut opened) = (status_of(object), None);
        work.progress.add_file();
        if object.size > 0 {
            match ObjectSource::open(bucket, &object.key, ask(solio_kinds::HEAD_BYTES, work)) {
                // It was removed after it was listed.
                Ok(None) => {
                    let names = vec![name.clone()];
                    return self.send(Change::Gone { folder: Arc::clone(folder), names });
                }
                Ok(Some(source)) => {
                    status = status_of(source.object());
                    opened = Some(Ok(source));
                }
                Err(error) if error.kind() == ErrorKind::Cancelled || bucket.is_silent() => {
                    return Err(error);
                }
                Err(error) => opened = Some(Err(error)),
            }
        }
        let path = bucket.path_of(&object.key);
        let (path, facts) = (Path::new(&path), &self.scan.options.facts);
        let mut image = None;
        let (mut row, failed) = row_of(folder, name, status, EntryKind::File, facts, |cells| {
            let Some(source) = opened else { return Ok(()) };
            let whole = || Input::open(path, &facts.limits, work);
            image = file_facts(path, &source?, &whole, facts, work, cells)?;
            Ok(())
        })?;
        if bucket.was_silent() {
            // What is wrong may not be in the object: it is looked at again.
            row.cells.set(column::LEVEL, Cell::Null);
        }
        let known = known.as_ref();
        let met = Met::object(folder, name, known, status);
        self.looked_at(&met, row, failed, image, local)
    }
}
