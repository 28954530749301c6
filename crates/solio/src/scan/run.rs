//! A tree is walked, and what is new in it is looked at.

use super::facts::{FileFacts, ScanFields, file_facts, picture};
use super::folder::Folder;
use super::row::{number, row_of};
use super::writer::{self, Change, Thumbnail};
use serde_json::json;
use solio_base::{Error, ErrorKind, Limits, Progress, Result, Work};
use solio_catalog::row::{Cell, Cells, Level, Row, column};
use solio_catalog::store::{Known, KnownFile, Store, folder_hash};
use solio_io::lock::{FileLock, lock};
use solio_io::walk::{self, Entry, EntryKind, Listing, Status, Visit, WalkOptions};
use solio_io::{HeadReader, HeadSource};
use solio_measure::now_ns;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows that go to the writer together, and the bytes of their texts and pictures: what a thread
/// holds back is lost by a kill.
const SEND_ROWS: usize = 32;
const SEND_BYTES: usize = 256 << 10;
/// What is older goes, too: hashing one file can take as long as looking at a thousand.
const SEND_NS: u64 = 50_000_000;
/// Failures that are kept; all are counted.
const FAILURES: usize = 100_000;

/// What a catalogue remembers while it is being scanned into.
const UNFINISHED: &str = "unfinished";

/// How a tree is scanned.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// How far files are looked at.
    pub facts: FileFacts,
    /// Links to folders are followed.
    pub follow: bool,
    /// Other file systems are left alone.
    pub one_file_system: bool,
    /// Only the files whose path falls into part `i` of `n`, from 0.
    pub shard: Option<(u64, u64)>,
    /// Files are looked at again although size, time and inode are what they were.
    pub again: bool,
    /// What the catalogue holds is thrown away.
    pub rebuild: bool,
    /// Nothing is looked at or written: only counted.
    pub dry: bool,
    /// The scan ends after so many files and folders that cannot be read.
    pub max_errors: Option<u64>,
}

impl Default for ScanOptions {
    fn default() -> Self {
        let fields = ScanFields::new(&[]);
        let limits = Limits::default();
        ScanOptions {
            facts: FileFacts {
                fields,
                deep: false,
                check: false,
                hash: false,
                thumbnail: None,
                limits,
            },
            follow: false,
            one_file_system: false,
            shard: None,
            again: false,
            rebuild: false,
            dry: false,
            max_errors: None,
        }
    }
}

/// Numbers of a scan, also while it runs.
#[derive(Debug, Default)]
pub struct ScanCount {
    /// Folders that were listed.
    pub folders: AtomicU64,
    /// Files that the catalogue knew at the beginning.
    pub expected: AtomicU64,
    /// Files that were met.
    pub files: AtomicU64,
    /// Their bytes.
    pub bytes: AtomicU64,
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
#[derive(Debug, Default)]
pub struct ScanReport {
    /// Files that are no more there.
    pub removed: u64,
    /// What could not be read, and why: the first hundred thousand.
    pub failures: Vec<Error>,
}

/// A scan that is going to run.
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

/// Scans all that lies at and below `scan.roots` into the catalogue `scan.catalog`, an SQLite
/// database. Files that it knows, and whose size, time and inode are what they were, are not opened.
/// What is there when the scan is stopped is kept; the next one goes on from it.
///
/// # Errors
/// `Io` while another scan writes to the catalogue, and where it cannot be written; `Corrupt` where
/// it is damaged; `Limit` after [`ScanOptions::max_errors`]; `Cancelled`. What cannot be read is in
/// the report.
pub fn scan(scan: &Scan<'_>, work: &Work) -> Result<ScanReport> {
    let roots = absolute(scan.roots)?;
    if scan.options.dry {
        return dry(scan, &roots, work);
    }
    let catalog = scan.catalog;
    if catalog.exists() && !catalog.is_file() {
        return Err(Error::argument("a catalogue is a plain file").at_path(catalog));
    }
    let mut held = Some(take(catalog)?);
    if scan.options.rebuild {
        may_be_removed(catalog)?;
        remove_catalog(catalog)?;
        held.replace(take(catalog)?);
    }
    let mut store = Store::open(catalog)?;
    let is_new = store.put_so_far() == 0;
    scan.count.expected.store(store.put_so_far(), Relaxed);
    store.set_state(UNFINISHED, Some("1"))?;
    store.commit()?;
    // Rows wait in memory: within a quarter of it, each thread has its own.
    let most = (work.memory_bytes / 4 / (2 * SEND_BYTES as u64)).clamp(1, 2 * work.threads as u64);
    let (send, receive) = sync_channel(most as usize);
    let walked = Walked::new(scan, &roots, is_new, Some(send), work);
    let (written, walked) = std::thread::scope(|scope| {
        let store = &mut store;
        let writer = scope.spawn(move || writer::write(store, &receive));
        let walked = walked.run(work);
        (writer.join().unwrap_or_else(|_| Err(Error::cancelled())), walked)
    });
    // Why the writer ended counts more than that it did.
    let mut removed = written?;
    let (seen, kept, failures) = walked?;
    let paths: Vec<_> = roots.iter().map(|root| root.as_os_str().as_bytes().to_vec()).collect();
    removed += store.remove_unseen(&paths, &seen, &kept)?;
    store.set_state(UNFINISHED, None)?;
    store.close()?;
    drop(held);
    let renamed = scan.count.renamed.load(Relaxed);
    Ok(ScanReport { removed: removed.saturating_sub(renamed), failures })
}

/// What a scan would look at.
fn dry(scan: &Scan<'_>, roots: &[PathBuf], work: &Work) -> Result<ScanReport> {
    let is_new = scan.options.rebuild || !scan.catalog.exists();
    let (_, _, failures) = Walked::new(scan, roots, is_new, None, work).run(work)?;
    Ok(ScanReport { removed: 0, failures })
}

/// Whether the last scan into `catalog`, SQLite or Parquet, did not come to its end.
pub fn is_unfinished(catalog: &Path) -> Result<bool> {
    let journal = super::export::journal(catalog);
    let catalog = if super::is_parquet(catalog) { &journal } else { catalog };
    if !catalog.exists() {
        return Ok(false);
    }
    Ok(Store::open(catalog)?.state(UNFINISHED)?.is_some())
}

/// The lock of a catalogue.
fn take(catalog: &Path) -> Result<FileLock> {
    lock(catalog)?.ok_or_else(|| {
        Error::new(ErrorKind::Io, "another scan writes to this catalogue")
            .at_path(catalog)
            .hint("wait for its end, or give another catalogue with -o")
    })
}

/// Only a database, or nothing, is thrown away: a name given by mistake costs no file.
fn may_be_removed(catalog: &Path) -> Result<()> {
    let opened = solio_io::open(catalog, &Limits::default(), &Work::serial())?;
    let mut mark = [0; 16];
    let got = opened.source.read_at(0, &mut mark).map_err(|e| e.at_path(catalog))?;
    if got == 0 || mark == *b"SQLite format 3\0" {
        return Ok(());
    }
    let error = Error::corrupt("this is no catalogue, so it is not thrown away").at_path(catalog);
    Err(error.hint("if it was one, remove the file and scan again"))
}

/// Removes a catalogue, with what SQLite keeps beside it.
pub(super) fn remove_catalog(catalog: &Path) -> Result<()> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut path = catalog.as_os_str().to_owned();
        path.push(end);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("remove", e).at_path(path));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Roots as paths that mean the same from everywhere.
pub(super) fn absolute(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let absolute = |root: &PathBuf| {
        let path = std::path::absolute(root).map_err(|e| Error::io("find", e).at_path(root))?;
        // `a/..` stays: it may lead elsewhere than it seems.
        Ok(path.components().collect())
    };
    roots.iter().map(absolute).collect()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The walk of a scan.
struct Walked<'a> {
    scan: &'a Scan<'a>,
    roots: &'a [PathBuf],
    wanted: Level,
    /// There is nothing to compare with.
    is_new: bool,
    /// `None`: nothing is written.
    send: Option<SyncSender<Change>>,
    /// That of one file.
    work: Work,
    shown: &'a Progress,
    /// The folders that were listed.
    seen: Mutex<HashSet<u64>>,
    /// Folders that could not be listed; what is known of them stays.
    kept: Mutex<Vec<Vec<u8>>>,
    failures: Mutex<Vec<Error>>,
}

/// What a thread of the walk keeps.
#[derive(Default)]
struct Local {
    heads: HeadReader,
    known: Option<Known>,
    rows: Vec<Row>,
    thumbnails: Vec<Thumbnail>,
    bytes: usize,
    /// When it sent last.
    sent_ns: u64,
}

type Ended = (HashSet<u64>, Vec<Vec<u8>>, Vec<Error>);

impl<'a> Walked<'a> {
    fn new(
        scan: &'a Scan<'a>,
        roots: &'a [PathBuf],
        is_new: bool,
        send: Option<SyncSender<Change>>,
        work: &'a Work,
    ) -> Self {
        let memory_bytes = work.memory_bytes / work.threads.max(1) as u64;
        let progress = Progress::default();
        Walked {
            scan,
            roots,
            wanted: scan.options.facts.level(),
            is_new,
            send,
            work: Work { threads: 1, memory_bytes, progress, ..work.clone() },
            shown: &work.progress,
            seen: Mutex::default(),
            kept: Mutex::default(),
            failures: Mutex::default(),
        }
    }

    /// Walks; the folders that were seen, those that could not be listed, and what failed.
    fn run(self, work: &Work) -> Result<Ended> {
        let options = WalkOptions {
            threads: work.threads,
            follow: self.scan.options.follow,
            one_file_system: self.scan.options.one_file_system,
            flat: false,
            cancel: work.cancel.clone(),
        };
        self.all(&options)?;
        self.may_go_on()?;
        Ok((unlocked(self.seen), unlocked(self.kept), unlocked(self.failures)))
    }

    /// Folders are walked; files among the roots are looked at first.
    fn all(&self, options: &WalkOptions) -> Result<()> {
        let (folders, files): (Vec<_>, Vec<_>) =
            self.roots.iter().cloned().partition(|root| root.is_dir());
        let mut local = Local::default();
        for path in files {
            self.file(&path, &mut local)?;
        }
        self.flush(&mut local)?;
        walk::walk(&folders, options, self)
    }

    /// A file that was named itself.
    fn file(&self, path: &Path, local: &mut Local) -> Result<()> {
        let parent = path.parent().unwrap_or(Path::new("")).as_os_str().as_bytes();
        let name = path.file_name().unwrap_or_default().as_bytes();
        let status = match walk::status_of(path) {
            Ok(status) => status,
            Err(error) => {
                // A medium that is not there now may come back.
                locked(&self.kept).push(path.as_os_str().as_bytes().to_vec());
                self.fail(error);
                return Ok(());
            }
        };
        let mut known = Vec::new();
        if let Some(reader) = self.known(local)? {
            reader.files(parent, &mut known)?;
        }
        let known = known.iter().find(|file| &*file.name == name);
        let met = Met { folder: &parent.into(), name, known, status, kind: EntryKind::File };
        self.meet(
            &met,
            || path.to_owned(),
            local,
            |heads| walk::open_head(path, heads, status.size, HEAD_BYTES),
        )
    }

    /// This thread's own reader of what is known.
    fn known<'l>(&self, local: &'l mut Local) -> Result<Option<&'l Known>> {
        if self.is_new {
            return Ok(None);
        }
        if local.known.is_none() {
            local.known = Some(Known::open(self.scan.catalog)?);
        }
        Ok(local.known.as_ref())
    }

    /// A file or folder cannot be read.
    fn fail(&self, error: Error) {
        self.scan.count.failed.fetch_add(1, Relaxed);
        let mut failures = locked(&self.failures);
        if failures.len() < FAILURES {
            failures.push(error);
        }
    }

    /// Whether the scan may go on after all that could not be read.
    fn may_go_on(&self) -> Result<()> {
        let failed = self.scan.count.failed.load(Relaxed);
        match self.scan.options.max_errors {
            Some(most) if failed > most => {
                let words = format!("{failed} files and folders cannot be read, more than {most}");
                Err(Error::limit(words).hint("--max-errors says how many may be"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the file is one of this part.
    fn is_own(&self, folder: &[u8], name: &[u8]) -> bool {
        self.scan.options.shard.is_none_or(|(part, parts)| {
            let path = solio_catalog::row::path_of(folder, name);
            folder_hash(&path) % parts.max(1) == part
        })
    }

    /// A file: whether it is known, and if not, what it is.
    fn meet(
        &self,
        met: &Met<'_>,
        path: impl Fn() -> PathBuf,
        local: &mut Local,
        open: impl FnOnce(&mut HeadReader) -> Result<HeadSource<'_>>,
    ) -> Result<()> {
        let count = self.scan.count;
        count.files.fetch_add(1, Relaxed);
        count.bytes.fetch_add(met.status.size, Relaxed);
        let is_same = |known: &KnownFile| {
            (known.size, known.modified_ns, known.inode)
                == (met.status.size, met.status.modified_ns, met.status.inode)
                && known.level.covers(self.wanted)
        };
        if !self.scan.options.again && met.known.is_some_and(is_same) {
            count.unchanged.fetch_add(1, Relaxed);
            return Ok(());
        }
        count.looked_at.fetch_add(1, Relaxed);
        if self.scan.options.dry {
            return Ok(());
        }
        if met.known.is_none()
            && !self.scan.options.again
            && let Some(row) = self.renamed(met, local)?
        {
            return self.keep(row, local);
        }
        let Met { folder, name, status, kind, .. } = *met;
        let facts = &self.scan.options.facts;
        let Local { heads, .. } = local;
        let (mut row, failed) = row_of(folder, name, status, kind, facts, |cells| {
            let source = open(heads)?;
            file_facts(&path(), &source, facts, &self.work, cells)
        })?;
        local.heads.count(self.shown);
        if let Some(error) = failed {
            self.fail(error);
        }
        if let Some(image) = picture(&path(), facts, &self.work, &row.cells)? {
            local.bytes += image.len();
            let (folder, name) = (Arc::clone(folder), name.into());
            local.thumbnails.push(Thumbnail { folder, name, image });
        }
        self.complete(met, &mut row.cells, local)?;
        self.compare(met, &mut row.cells, local)?;
        if row.cells.text(column::PROBLEMS).is_some() {
            count.with_problems.fetch_add(1, Relaxed);
        }
        self.keep(row, local)
    }

    /// A file that is as before, and of which more was asked now: what was known stays known.
    fn complete(&self, met: &Met<'_>, cells: &mut Cells, local: &mut Local) -> Result<()> {
        let Some(known) = met.known.filter(|_| !self.scan.options.again) else { return Ok(()) };
        let now = (met.status.size, met.status.modified_ns, met.status.inode);
        let (true, Some(level)) =
            ((known.size, known.modified_ns, known.inode) == now, cells.integer(column::LEVEL))
        else {
            return Ok(());
        };
        let Some(reader) = self.known(local)? else { return Ok(()) };
        let Some((before, _)) = reader.row(met.folder, met.name)? else { return Ok(()) };
        for (place, cell) in before.all().iter().enumerate() {
            if cells.all()[place] == Cell::Null {
                cells.set(place, cell.clone());
            }
        }
        cells.set_integer(column::LEVEL, Level(level as u32).after(known.level).0);
        Ok(())
    }

    /// A file that was looked at again, though it seemed to be as before, must be as before.
    fn compare(&self, met: &Met<'_>, cells: &mut Cells, local: &mut Local) -> Result<()> {
        let (true, Some(known)) = (self.scan.options.again, met.known) else { return Ok(()) };
        if (known.size, known.modified_ns) != (met.status.size, met.status.modified_ns) {
            return Ok(());
        }
        let Some(reader) = self.known(local)? else { return Ok(()) };
        let Some((before, _)) = reader.row(met.folder, met.name)? else { return Ok(()) };
        let hashes = (before.text(column::XXH128), cells.text(column::XXH128));
        if let (Some(before), Some(now)) = hashes
            && before != now
        {
            let words = format!(
                "the content has changed, though size and time have not (xxh128 was {before})"
            );
            let mut all: Vec<String> = cells
                .text(column::PROBLEMS)
                .and_then(|all| serde_json::from_str(all).ok())
                .unwrap_or_default();
            all.push(words);
            cells.set_text(column::PROBLEMS, json!(all).to_string());
        }
        Ok(())
    }

    /// What is known of a file under another name: one with its inode, size and time.
    fn renamed(&self, met: &Met<'_>, local: &mut Local) -> Result<Option<Row>> {
        let Status { size, modified_ns, inode, .. } = met.status;
        let Some(known) = self.known(local)? else { return Ok(None) };
        for (folder, name) in known.same_inode(inode, size, modified_ns)? {
            let Some((cells, thumbnail)) = known.row(&folder, &name)? else { continue };
            let level = Level(cells.integer(column::LEVEL).unwrap_or(0) as u32);
            // Whether a problem is one depends on the name, too.
            if !level.covers(self.wanted) || cells.text(column::PROBLEMS).is_some() {
                continue;
            }
            let old = solio_catalog::row::path_of(&folder, &name);
            if walk::status_of(Path::new(OsStr::from_bytes(&old))).is_err() {
                self.scan.count.renamed.fetch_add(1, Relaxed);
            }
            if let Some(image) = thumbnail {
                let (folder, name) = (Arc::clone(met.folder), met.name.into());
                local.thumbnails.push(Thumbnail { folder, name, image });
            }
            let mut row = Row { folder: Arc::clone(met.folder), name: met.name.into(), cells };
            number(&mut row);
            return Ok(Some(row));
        }
        Ok(None)
    }

    fn keep(&self, row: Row, local: &mut Local) -> Result<()> {
        local.bytes += row.cells.text_bytes();
        local.rows.push(row);
        let is_much = local.rows.len() >= SEND_ROWS || local.bytes >= SEND_BYTES;
        if is_much || now_ns() - local.sent_ns > SEND_NS { self.flush(local) } else { Ok(()) }
    }

    fn flush(&self, local: &mut Local) -> Result<()> {
        if local.rows.is_empty() {
            return Ok(());
        }
        local.bytes = 0;
        local.sent_ns = now_ns();
        let (rows, thumbnails) =
            (std::mem::take(&mut local.rows), std::mem::take(&mut local.thumbnails));
        self.send(Change::Put { rows, thumbnails })
    }

    fn send(&self, change: Change) -> Result<()> {
        let Some(send) = &self.send else { return Ok(()) };
        send.send(change).map_err(|_| writer::has_ended())
    }
}

/// A file that was met.
struct Met<'m> {
    folder: &'m Arc<[u8]>,
    name: &'m [u8],
    known: Option<&'m KnownFile>,
    status: Status,
    kind: EntryKind,
}

impl Visit for Walked<'_> {
    type Folder = Folder;
    type Local = Local;

    fn folder(&self, local: &mut Local, listing: &Listing) -> Result<Folder> {
        self.scan.count.folders.fetch_add(1, Relaxed);
        let path = listing.path.as_os_str().as_bytes();
        locked(&self.seen).insert(folder_hash(path));
        let mut known = Vec::new();
        if let Some(reader) = self.known(local)? {
            reader.files(path, &mut known)?;
        }
        if self.scan.options.shard.is_some() {
            known.retain(|file| self.is_own(path, &file.name));
        }
        let (folder, names) = Folder::new(listing, known);
        if !names.is_empty() {
            self.send(Change::Gone { folder: Arc::clone(&folder.path), names })?;
        }
        Ok(folder)
    }

    fn entries(
        &self,
        local: &mut Local,
        listing: &Listing,
        folder: &Folder,
        entries: &[u32],
    ) -> Result<()> {
        self.may_go_on()?;
        for &place in entries {
            let entry: &Entry = &listing.entries()[place as usize];
            let name = listing.name(entry).as_bytes();
            if !self.is_own(&folder.path, name) {
                continue;
            }
            let status = match listing.status(entry) {
                Ok(status) => status,
                // It has just gone; the next scan sees that.
                Err(error) if is_missing(&error) => continue,
                Err(error) => {
                    self.fail(error);
                    continue;
                }
            };
            let known = folder.known(place);
            let met = Met { folder: &folder.path, name, known, status, kind: entry.kind };
            self.meet(
                &met,
                || listing.path_of(entry),
                local,
                |heads| listing.open_head(entry, heads, status.size, HEAD_BYTES),
            )?;
        }
        self.flush(local)
    }

    fn left(&self, _: &mut Local, _: &Listing, _: Folder) -> Result<()> {
        Ok(())
    }

    fn failed(&self, path: &Path, error: Error) {
        if !is_missing(&error) {
            locked(&self.kept).push(path.as_os_str().to_owned().into_vec());
        }
        self.fail(error);
    }
}

/// Bytes of a file that are read before anything is known of it.
const HEAD_BYTES: usize = crate::kind::KIND_HEAD_BYTES;

/// The system's number for a file that is not there.
const ENOENT: i32 = 2;

fn is_missing(error: &Error) -> bool {
    error.os_error() == Some(ENOENT)
}
