//! The walk of a scan: what is new is looked at, and its rows go to the writer.

use super::facts::file_facts;
use super::folder::Folder;
use super::met::{Met, Renamed};
use super::options::Scan;
use super::places::{Places, VolumeHere};
use super::row::row_of;
use super::taken::OwnFiles;
use super::writer::{self, Change, Thumbnail};
use crate::Input;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Progress, Result, Work, lock, unlock};
use solio_catalog::names::shown;
use solio_catalog::row::{Level, Row, column, path_of};
use solio_catalog::store::{Known, KnownFile, folder_hash};
use solio_io::objects::is_address;
use solio_io::walk::{self, EntryKind, FolderEntry, Listing, Status, Visit, WalkOptions};
use solio_io::{HeadReader, HeadSource, OpenFile, folders_and_files};
use solio_measure::now_ns;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

/// Rows that go to the writer together at most, and the bytes of their texts and pictures: what a
/// thread holds back is lost by a kill.
const SEND_ROWS: usize = 32;
pub(super) const SEND_BYTES: usize = 256 << 10;
/// Fewer go together while few files were met: what all threads hold back, and what waits for the
/// writer, is at most such a part of them.
const HELD_PART: u64 = 200;
/// Times as many rows as go together may be under way for each thread: its own, two that wait.
const UNDER_WAY: u64 = 3;
/// What is older goes, too: hashing one file can take as long as looking at a thousand.
const SEND_NS: u64 = 50_000_000;
/// Failures that are kept; all are counted.
const FAILURES: usize = 100_000;
/// Bytes of a file that are read before anything is known of it.
const HEAD_BYTES: usize = solio_kinds::HEAD_BYTES;

/// What is walked.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    /// Absolute.
    pub(super) roots: &'a [PathBuf],
    /// Folders below the roots are left alone.
    pub(super) is_flat: bool,
    /// The roots are those of the scan, all of them.
    pub(super) is_whole: bool,
    /// The roots of the scan, where these lie below them: what is left out begins there.
    pub(super) bases: &'a [PathBuf],
}

/// A walk under way.
pub(super) struct Walked<'a> {
    pub(super) scan: &'a Scan<'a>,
    reach: Reach<'a>,
    wanted: Level,
    /// There is nothing to compare with.
    is_new: bool,
    /// `None`: nothing is written.
    send: Option<SyncSender<Change>>,
    /// The catalogue's own files are no part of it.
    own: OwnFiles,
    /// What the roots lie on.
    pub(super) places: &'a Places,
    /// Device and inode of files with several names, which are counted once.
    counted: Mutex<HashSet<(u64, u64)>>,
    threads: u64,
    /// That of one file.
    work: Work,
    shown: &'a Progress,
    /// The folders that were listed.
    pub(super) seen: Mutex<HashSet<u64>>,
    /// Folders that could not be listed; what is known of them stays.
    kept: Mutex<Vec<Vec<u8>>>,
    /// Folders that are left out; what is known of them is excluded.
    excluded: Mutex<Vec<Vec<u8>>>,
    failures: Mutex<Vec<Error>>,
}

/// What a thread of the walk keeps.
#[derive(Default)]
pub(super) struct Local {
    heads: HeadReader,
    known: Option<Known>,
    /// The folder of the file that was named last, and what is known of it.
    folder: Option<(Arc<[u8]>, Vec<KnownFile>)>,
    /// The device that was met last, and the volume on it.
    device: Option<(u64, VolumeHere)>,
    rows: Vec<Row>,
    thumbnails: Vec<Thumbnail>,
    bytes: usize,
    /// When it sent last.
    sent_ns: u64,
}

/// What a walk leaves.
pub(super) struct Ended {
    pub(super) seen: HashSet<u64>,
    pub(super) kept: Vec<Vec<u8>>,
    pub(super) excluded: Vec<Vec<u8>>,
    pub(super) failures: Vec<Error>,
}

impl<'a> Walked<'a> {
    pub(super) fn new(
        scan: &'a Scan<'a>,
        reach: Reach<'a>,
        is_new: bool,
        send: Option<SyncSender<Change>>,
        places: &'a Places,
        work: &'a Work,
    ) -> Result<Self> {
        let memory_bytes = work.memory_bytes / work.threads.max(1) as u64;
        let progress = Progress::default();
        Ok(Walked {
            scan,
            reach,
            wanted: scan.options.facts.level(),
            is_new,
            send,
            own: OwnFiles::of(scan.catalog)?,
            places,
            counted: Mutex::default(),
            threads: work.threads.max(1) as u64,
            work: Work { threads: 1, memory_bytes, progress, ..work.clone() },
            shown: &work.progress,
            seen: Mutex::default(),
            kept: Mutex::default(),
            excluded: Mutex::default(),
            failures: Mutex::default(),
        })
    }

    /// Walks; files among the roots are looked at first, objects last.
    pub(super) fn run(self, work: &Work) -> Result<Ended> {
        let options = WalkOptions {
            threads: work.threads,
            follow: self.scan.options.follow,
            one_file_system: self.scan.options.one_file_system,
            flat: self.reach.is_flat,
            skip: self.places.offline.keys().cloned().collect(),
            filter: self.scan.options.filter.clone(),
            bases: self.reach.bases.to_vec(),
            cancel: work.cancel.clone(),
        };
        for (path, reason) in &self.places.offline {
            self.unlisted(path, reason.error(path));
        }
        self.places.notes.iter().for_each(|(path, reason)| self.fail(reason.error(path)));
        for path in &self.places.excluded {
            lock(&self.kept).push(path.as_os_str().as_bytes().to_vec());
        }
        let online = self.reach.roots.iter().filter(|root| self.places.is_online(root));
        let (objects, paths): (Vec<_>, Vec<_>) = online.cloned().partition(|root| is_address(root));
        // A medium that cannot be asked now may come back.
        let (folders, mut files) =
            folders_and_files(paths, |path, error| self.unlisted(&path, error));
        // What is known is read once for each folder.
        files.sort_by(|a, b| (a.parent(), a).cmp(&(b.parent(), b)));
        let mut local = Local::default();
        for path in files {
            self.file(&path, &mut local)?;
        }
        self.flush(&mut local)?;
        walk::walk(&folders, &options, &self)?;
        super::objects::scan_objects(&self, &objects, work)?;
        self.may_go_on()?;
        let Walked { seen, kept, excluded, failures, .. } = self;
        let (seen, kept) = (unlock(seen), unlock(kept));
        Ok(Ended { seen, kept, excluded: unlock(excluded), failures: unlock(failures) })
    }

    /// A file that was named itself.
    fn file(&self, path: &Path, local: &mut Local) -> Result<()> {
        let parent = path.parent().unwrap_or(Path::new("")).as_os_str().as_bytes();
        let name = path.file_name().unwrap_or_default().as_bytes();
        let status = match walk::status_of(path) {
            Ok(status) => status,
            Err(error) => {
                // A medium that is not there now may come back.
                self.unlisted(path, error);
                return Ok(());
            }
        };
        let (folder, files) = match local.folder.take().filter(|(folder, _)| **folder == *parent) {
            Some(last) => last,
            None => {
                let mut known = Vec::new();
                if let Some(reader) = self.known(local)? {
                    reader.files(parent, &mut known)?;
                }
                (parent.into(), known)
            }
        };
        let known = files.binary_search_by(|file| (*file.name).cmp(name)).ok().map(|at| &files[at]);
        let above = path.parent().unwrap_or(Path::new(""));
        let volume = self.volume(status.device, above, local);
        let met = Met { folder: &folder, name, known, status, kind: EntryKind::File, volume };
        let looked = self.meet(
            &met,
            || path.to_owned(),
            || None,
            local,
            |heads| walk::open_head(path, heads, status.size, HEAD_BYTES),
        );
        local.folder = Some((folder, files));
        looked
    }

    /// The volume that files with this device's number in `folder` lie on.
    fn volume(&self, device: u64, folder: &Path, local: &mut Local) -> VolumeHere {
        match local.device {
            Some((last, here)) if last == device => here,
            _ => {
                let here = self.places.of_device(device, folder);
                local.device = Some((device, here));
                here
            }
        }
    }

    /// This thread's own reader of what is known.
    pub(super) fn known<'l>(&self, local: &'l mut Local) -> Result<Option<&'l Known>> {
        if self.is_new {
            return Ok(None);
        }
        if local.known.is_none() {
            local.known = Some(Known::open(self.scan.catalog)?);
        }
        Ok(local.known.as_ref())
    }

    /// A file or folder cannot be read.
    pub(super) fn fail(&self, error: Error) {
        self.scan.count.failed.fetch_add(1, Relaxed);
        let mut failures = lock(&self.failures);
        if failures.len() < FAILURES {
            failures.push(error);
        }
    }

    /// Nothing at and below `path` can be known now; what was known stays.
    pub(super) fn unlisted(&self, path: &Path, error: Error) {
        lock(&self.kept).push(path.as_os_str().as_bytes().to_vec());
        self.fail(error);
    }

    /// Whether the scan may go on after all that could not be read.
    pub(super) fn may_go_on(&self) -> Result<()> {
        let failed = self.scan.count.failed.load(Relaxed);
        match self.scan.options.max_errors {
            Some(most) if failed > most => {
                let words = format!("{failed} files and folders cannot be read, more than {most}");
                Err(Error::limit(words).hint("--max-errors says how many may be"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the file belongs into the catalogue: it is one of this part, and not the catalogue.
    pub(super) fn is_wanted(&self, folder: &[u8], name: &[u8]) -> bool {
        let is_of_part =
            self.scan.options.shard.is_none_or(|(part, parts)| {
                folder_hash(&path_of(folder, name)) % parts.max(1) == part
            });
        is_of_part && !self.own.has(folder, name)
    }

    /// A file: whether it is known, and if not, what it is.
    fn meet(
        &self,
        met: &Met<'_>,
        path: impl Fn() -> PathBuf,
        target: impl Fn() -> Option<OsString>,
        local: &mut Local,
        open: impl FnOnce(&mut HeadReader) -> Result<HeadSource<'_>>,
    ) -> Result<()> {
        if !self.is_to_look_at(met) {
            return if met.is_restated() { self.restate(met, local) } else { Ok(()) };
        }
        let before = match met.known.is_none() && !self.scan.options.again {
            true => self.renamed(met, local)?,
            false => None,
        };
        if let Some(Renamed { is_enough: true, cells, .. }) = before {
            return self.keep(met.row(cells), local);
        }
        let mut facts = Cow::Borrowed(&self.scan.options.facts);
        if facts.hash && before.as_ref().is_some_and(|before| before.hash().is_some()) {
            facts.to_mut().hash = false;
        }
        let Local { heads, .. } = local;
        let mut image = None;
        let (mut row, failed) =
            row_of(met.folder, met.name, met.status, met.kind, &facts, |cells| {
                let (source, path) = (open(heads)?, path());
                let whole = || {
                    let file = OpenFile::of_head(&path, &source, &self.work)?;
                    Input::of(file, &facts.limits, &self.work)
                };
                image = file_facts(&path, &source, &whole, &facts, &self.work, cells)?;
                Ok(())
            })?;
        local.heads.count(self.shown);
        met.set_status(&mut row.cells);
        if met.kind == EntryKind::Link
            && let Some(target) = target()
        {
            row.cells.set_text(column::TARGET, shown(target.as_bytes()));
        }
        if let Some(before) = before {
            before.complete(&mut row.cells);
        }
        self.looked_at(met, row, failed, image, local)
    }

    /// What is known of a file stays; what the system says of it is not what it was.
    fn restate(&self, met: &Met<'_>, local: &mut Local) -> Result<()> {
        if self.scan.options.dry {
            return Ok(());
        }
        let known = self.known(local)?.map(|known| known.row(met.folder, met.name)).transpose()?;
        let Some((cells, _)) = known.flatten() else { return Ok(()) };
        let target = cells.all()[column::TARGET].clone();
        let mut row = met.row(cells);
        row.cells.set(column::TARGET, target);
        self.keep(row, local)
    }

    /// Whether a file that was met is to be looked at; counts it.
    pub(super) fn is_to_look_at(&self, met: &Met<'_>) -> bool {
        let count = self.scan.count;
        count.files.fetch_add(1, Relaxed);
        let Status { size, blocks, links, device, inode, .. } = met.status;
        if links < 2 || lock(&self.counted).insert((device, inode)) {
            count.bytes.fetch_add(size, Relaxed);
            count.allocated.fetch_add(blocks.saturating_mul(512), Relaxed);
        }
        let is_enough = met.known.is_some_and(|known| known.level.covers(self.wanted));
        if !self.scan.options.again && is_enough && met.is_as_before() {
            count.unchanged.fetch_add(1, Relaxed);
            return false;
        }
        count.looked_at.fetch_add(1, Relaxed);
        !self.scan.options.dry
    }

    /// The row of a file that was looked at, and what belongs to it.
    pub(super) fn looked_at(
        &self,
        met: &Met<'_>,
        mut row: Row,
        failed: Option<Error>,
        image: Option<Vec<u8>>,
        local: &mut Local,
    ) -> Result<()> {
        if let Some(error) = failed {
            self.fail(error);
        }
        let facts = &self.scan.options.facts;
        match image {
            Some(image) => self.keep_thumbnail(met, image, local),
            // That of the content before shows nothing that is there.
            None if met.known.is_some() && (facts.thumbnail.is_some() || !met.is_as_before()) => {
                let (folder, name) = (Arc::clone(met.folder), met.name.into());
                local.thumbnails.push(Thumbnail { folder, name, image: None });
            }
            None => {}
        }
        if met.is_as_before()
            && let Some(known) = self.known(local)?
        {
            match self.scan.options.again {
                true => met.compare(known, &mut row.cells)?,
                false => met.complete(known, &mut row.cells)?,
            }
        }
        if row.cells.text(column::PROBLEMS).is_some() {
            self.scan.count.with_problems.fetch_add(1, Relaxed);
        }
        self.keep(row, local)
    }

    /// What is known of the file under another name; its thumbnail is kept.
    fn renamed(&self, met: &Met<'_>, local: &mut Local) -> Result<Option<Renamed>> {
        let Some(known) = self.known(local)? else { return Ok(None) };
        let renamed = met.renamed(known, self.wanted)?;
        if let Some(Renamed { from, thumbnail, is_gone, .. }) = &renamed {
            self.scan.count.renamed.fetch_add(u64::from(*is_gone), Relaxed);
            if *is_gone {
                let (folder, name) = from.clone();
                let to = path_of(met.folder, met.name);
                self.send(Change::Moved { folder, name, to })?;
            }
            if let Some(image) = thumbnail {
                self.keep_thumbnail(met, image.clone(), local);
            }
        }
        Ok(renamed)
    }

    fn keep_thumbnail(&self, met: &Met<'_>, image: Vec<u8>, local: &mut Local) {
        local.bytes += image.len();
        let (folder, name) = (Arc::clone(met.folder), met.name.into());
        local.thumbnails.push(Thumbnail { folder, name, image: Some(image) });
    }

    fn keep(&self, row: Row, local: &mut Local) -> Result<()> {
        local.bytes += row.cells.text_bytes();
        local.rows.push(row);
        let met = self.scan.count.files.load(Relaxed);
        let most = (met / (HELD_PART * UNDER_WAY * self.threads)).min(SEND_ROWS as u64) as usize;
        let is_much = local.rows.len() >= most.max(1) || local.bytes >= SEND_BYTES;
        if is_much || now_ns() - local.sent_ns > SEND_NS { self.flush(local) } else { Ok(()) }
    }

    pub(super) fn flush(&self, local: &mut Local) -> Result<()> {
        if local.rows.is_empty() {
            return Ok(());
        }
        local.bytes = 0;
        local.sent_ns = now_ns();
        let (rows, thumbnails) =
            (std::mem::take(&mut local.rows), std::mem::take(&mut local.thumbnails));
        self.send(Change::Put { rows, thumbnails })
    }

    pub(super) fn send(&self, change: Change) -> Result<()> {
        let Some(send) = &self.send else { return Ok(()) };
        send.send(change).map_err(|_| writer::has_ended())
    }
}

impl Visit for Walked<'_> {
    type Folder = Folder;
    type Local = Local;

    fn folder(&self, local: &mut Local, listing: &Listing) -> Result<Folder> {
        self.scan.count.folders.fetch_add(1, Relaxed);
        let path = listing.path.as_os_str().as_bytes();
        lock(&self.seen).insert(folder_hash(path));
        let mut known = Vec::new();
        if let Some(reader) = self.known(local)? {
            reader.files(path, &mut known)?;
        }
        if self.scan.options.shard.is_some() {
            known.retain(|file| self.is_wanted(path, &file.name));
        }
        let unit = self.places.unit_of(path);
        let (folder, gone, excluded) = Folder::new(listing, known, unit);
        if !gone.is_empty() {
            self.send(Change::Gone { folder: Arc::clone(&folder.path), names: gone })?;
        }
        if !excluded.is_empty() {
            self.send(Change::Excluded { folder: Arc::clone(&folder.path), names: excluded })?;
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
            let entry: &FolderEntry = &listing.entries()[place as usize];
            let name = listing.name(entry).as_bytes();
            if !self.is_wanted(&folder.path, name) {
                continue;
            }
            let status = match listing.status(entry) {
                Ok(status) => status,
                // It has just gone; the next scan sees that.
                Err(error) if error.is_missing() => continue,
                Err(error) => {
                    self.fail(error);
                    continue;
                }
            };
            let known = folder.known(place);
            if known.is_none() {
                self.places.add_new(folder.unit);
            }
            let volume = self.volume(status.device, &listing.path, local);
            let met = Met { folder: &folder.path, name, known, status, kind: entry.kind, volume };
            self.meet(
                &met,
                || listing.path_of(entry),
                || listing.target(entry).ok(),
                local,
                |heads| listing.open_head(entry, heads, status.size, HEAD_BYTES),
            )?;
        }
        self.flush(local)
    }

    fn failed(&self, path: &Path, error: Error) {
        if error.is_missing() {
            // It has just gone, with what is known of it; only what was asked for is missed.
            if self.reach.roots.iter().any(|root| root == path) {
                self.fail(error);
            }
            return;
        }
        self.unlisted(path, error);
    }

    fn left_out(&self, path: &Path) {
        if !self.is_new && !self.reach.is_flat {
            lock(&self.excluded).push(path.as_os_str().as_bytes().to_vec());
        }
    }
}
