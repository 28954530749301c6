//! Reads whole files through the engine and hands their bytes on: what `solio cat` does.

use solio_base::{Error, ErrorKind, Result, Work, lock, unlock};
use solio_io::STANDARD;
use solio_io::engine::{Batch, Buffer, Engine, EngineOptions, EngineStats, Priority, Request};
use solio_io::filter::Filter;
use solio_io::order::{self, Order, OrderOptions, Used};
use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, status_of, walk};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Larger files are read in ranges of this size: their memory is used again.
const RANGE_BYTES: u64 = 8 << 20;
/// And at least of this, whatever the memory is.
const LEAST_RANGE_BYTES: u64 = 64 << 10;
/// Reads under way when bytes have to come in the order of the paths.
const IN_ORDER: usize = 64;

/// How files are read.
///
/// ```
/// use solio::ReadFilesOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let parts = ["b", "a"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&parts[0], b"first, ")?;
/// # solio::write_bytes(&parts[1], b"second")?;
/// // As they are named, whichever the disk would give sooner.
/// let options = ReadFilesOptions { in_order: true, ..ReadFilesOptions::default() };
/// let mut text = Vec::new();
/// solio::read_files(parts.into(), &options, &Default::default(), |_, bytes| {
///     text.extend_from_slice(bytes);
///     Ok(())
/// })?;
/// assert_eq!(text, b"first, second");
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReadFilesOptions {
    /// The engine's own options; memory and threads are those of [`Work`].
    pub engine: EngineOptions,
    /// The priority of all reads.
    pub priority: Priority,
    /// In which order they are asked for.
    pub order: Order,
    /// Bytes come in this order, and each file's from its beginning; otherwise as they arrive.
    pub in_order: bool,
}

/// What was read.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [there, gone] = ["there", "gone"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&there, b"bytes")?;
/// let paths = vec![gone.clone(), there];
/// let all = solio::read_files(paths, &Default::default(), &Default::default(), |_, _| Ok(()))?;
/// assert_eq!((all.files, all.bytes), (1, 5));
/// assert_eq!(all.failed[0].path(), Some(gone.as_path()));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ReadAll {
    /// Files read to their end.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The files that could not be read, and why.
    pub failed: Vec<Error>,
    /// What the engine did.
    pub engine: EngineStats,
    /// The order that was used for each device, and why.
    pub order: Vec<Used>,
}

/// Reads all files; `each` gets their bytes, large files in several parts, one after the other but
/// not always in the same thread. A file that cannot be read is listed, and reading goes on. `-` is
/// standard input; pipes are read where bytes come in order, and else refused.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// # solio_io::probe::write_plain(&path, b"v 0 0 0\n")?;
/// let mut bytes = 0;
/// let read = solio::read_files(vec![path], &Default::default(), &Default::default(), |_, part| {
///     bytes += part.len();
///     Ok(())
/// })?;
/// assert_eq!((read.files, bytes), (1, 8));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of `each`, and `Cancelled`.
pub fn read_files(
    paths: Vec<PathBuf>,
    options: &ReadFilesOptions,
    work: &Work,
    each: impl FnMut(&Path, &[u8]) -> Result<()> + Send,
) -> Result<ReadAll> {
    let engine = Engine::new(EngineOptions {
        memory_bytes: work.memory_bytes.max(LEAST_RANGE_BYTES),
        warm_threads: work.threads,
        ..options.engine.clone()
    })?;
    let asked = OrderOptions { order: options.order, ..OrderOptions::default() };
    let reads: Vec<_> = paths.iter().map(|path| order::Read { path, range: None }).collect();
    let plan = order::plan(&reads, asked, work)?;
    let mut paths: Vec<Option<PathBuf>> = paths.into_iter().map(Some).collect();
    let paths = plan.order.iter().map(|&i| paths[i].take().expect("each once")).collect();
    let all = ReadAll { order: plan.used, ..ReadAll::default() };
    let mut run = Run { options, work, all, each };
    if options.in_order {
        run.in_order(&engine, paths)?;
    } else {
        run.as_they_come(&engine, paths)?;
    }
    run.all.engine = engine.stats();
    Ok(run.all)
}

struct Run<'o, F> {
    options: &'o ReadFilesOptions,
    work: &'o Work,
    all: ReadAll,
    each: F,
}

/// What the tag of a request says: whether it is the last one of its file.
const LAST: u64 = 1;

impl<F: FnMut(&Path, &[u8]) -> Result<()> + Send> Run<'_, F> {
    fn whole(&self, path: PathBuf) -> Request {
        let request = Request::file(path).tag(LAST).at_most(self.range_bytes());
        self.request(request)
    }

    fn request(&self, request: Request) -> Request {
        request.priority(self.options.priority).cancel(self.work.cancel.clone())
    }

    fn range_bytes(&self) -> u64 {
        RANGE_BYTES.min(self.work.memory_bytes / IN_ORDER as u64).max(LEAST_RANGE_BYTES)
    }

    /// The ranges of a large file.
    fn ranges(&self, path: &Path) -> Result<Vec<Request>> {
        let (size, step) = (solio_io::file_bytes(path)?, self.range_bytes());
        let ranges = (0..size.div_ceil(step)).map(|i| {
            let (start, end) = (i * step, size.min((i + 1) * step));
            let tag = if end == size { LAST } else { 0 };
            self.request(Request::range(path, start, end - start).tag(tag))
        });
        Ok(ranges.collect())
    }

    /// Takes a result; `true` for a file that is to be read in ranges instead.
    fn take(&mut self, path: &Path, tag: u64, result: Result<Buffer>) -> Result<bool> {
        match result {
            // The system says so of files that it makes when they are read (/proc), too.
            Ok(bytes) if bytes.is_empty() => self.raw(path).map(|()| false),
            Ok(bytes) => {
                self.work.progress.add_read(bytes.len() as u64);
                self.all.bytes += bytes.len() as u64;
                self.all.files += tag;
                (self.each)(path, &bytes)?;
                Ok(false)
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => Err(e),
            Err(e) if e.kind() == ErrorKind::Limit => Ok(true),
            Err(e) => {
                self.all.failed.push(e);
                Ok(false)
            }
        }
    }

    /// What has no size, such as standard input and pipes: to its end, past the engine.
    fn raw(&mut self, path: &Path) -> Result<()> {
        let each = &mut self.each;
        let mut refused = false;
        let read = solio_io::read_raw(path, self.work, |part| {
            if part.is_empty() {
                return Ok(());
            }
            self.all.bytes += part.len() as u64;
            each(path, part).inspect_err(|_| refused = true)
        });
        match read {
            Ok(_) => self.all.files += 1,
            Err(e) if refused || e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => self.all.failed.push(e),
        }
        Ok(())
    }

    fn as_they_come(&mut self, engine: &Engine, mut paths: Vec<PathBuf>) -> Result<()> {
        let all = paths.len();
        paths.retain(|path| !is_standard(path));
        for _ in paths.len()..all {
            self.raw(Path::new(STANDARD))?;
        }
        // Each thread reads small files of the page cache itself; only `each` takes turns.
        let large = Mutex::new(Vec::new());
        let batch = engine.read(paths.into_iter().map(|path| self.whole(path)));
        let (threads, cancel) = (self.work.threads, self.work.cancel.clone());
        let run = Mutex::new(&mut *self);
        batch.try_consume(threads, |request, done| {
            cancel.check()?;
            if lock(&run).take(&request.path, done.tag, done.result)? {
                lock(&large).push(request.path.clone());
            }
            Ok(())
        })?;
        let large = unlock(large);
        // Each by itself, so that a file is read from its beginning to its end.
        for path in large {
            let ranges = match self.ranges(&path) {
                Ok(ranges) => ranges,
                Err(e) => {
                    self.all.failed.push(e);
                    continue;
                }
            };
            let mut failed = None;
            for done in engine.read(ranges) {
                self.work.cancel.check()?;
                match done.result {
                    Err(e) if e.kind() != ErrorKind::Cancelled => _ = failed.get_or_insert(e),
                    result => _ = self.take(&path, 0, result)?,
                }
            }
            match failed {
                Some(e) => self.all.failed.push(e),
                None => self.all.files += 1,
            }
        }
        Ok(())
    }

    fn in_order(&mut self, engine: &Engine, paths: Vec<PathBuf>) -> Result<()> {
        /// Standard input and pipes are read when their turn comes.
        enum Turn {
            File(Batch),
            Stream(PathBuf),
        }
        let mut coming = paths.into_iter();
        let mut flying = VecDeque::new();
        let mut ranges: VecDeque<Request> = VecDeque::new();
        loop {
            // The ranges of a large file go first: its turn has come.
            if let Some(request) = ranges.pop_front() {
                self.large_in_order(engine, request, &mut ranges)?;
                continue;
            }
            while flying.len() < IN_ORDER
                && let Some(path) = coming.next()
            {
                flying.push_back(match solio_io::is_direct(&path) {
                    true => Turn::Stream(path),
                    false => Turn::File(engine.read([self.whole(path)])),
                });
            }
            let mut batch = match flying.pop_front() {
                None => return Ok(()),
                Some(Turn::File(batch)) => batch,
                Some(Turn::Stream(path)) => {
                    self.raw(&path)?;
                    continue;
                }
            };
            let Some(done) = batch.next() else { continue };
            self.work.cancel.check()?;
            let path = batch.requests()[0].path.clone();
            if self.take(&path, done.tag, done.result)? {
                match self.ranges(&path) {
                    Ok(found) => ranges.extend(found),
                    Err(e) => self.all.failed.push(e),
                }
            }
        }
    }

    /// A large file: several ranges under way, handed on in their order.
    fn large_in_order(
        &mut self,
        engine: &Engine,
        first: Request,
        ranges: &mut VecDeque<Request>,
    ) -> Result<()> {
        const AHEAD: usize = 4;
        let path = first.path.clone();
        let mut flying = VecDeque::from([engine.read([first])]);
        while let Some(mut batch) = {
            while flying.len() < AHEAD
                && let Some(request) = ranges.pop_front()
            {
                flying.push_back(engine.read([request]));
            }
            flying.pop_front()
        } {
            let Some(done) = batch.next() else { continue };
            self.work.cancel.check()?;
            match done.result {
                Err(e) if e.kind() != ErrorKind::Cancelled => {
                    // What follows a gap is of no use.
                    self.all.failed.push(e);
                    ranges.clear();
                    return Ok(());
                }
                result => _ = self.take(&path, done.tag, result)?,
            }
        }
        Ok(())
    }
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// The files at and below `paths`, folders in the order of their names; links to folders are not
/// followed, and pipes and the like below folders left out. What cannot be looked at is in the second
/// list.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("shot")).unwrap();
/// # for name in ["shot/b.exr", "shot/a.exr", "notes.txt"] {
/// #     solio::write_bytes(&at(name), b"x")?;
/// # }
/// let paths = [at("notes.txt"), at("shot")];
/// let (files, failed) = solio::files_below(&paths, &solio::Filter::default(), &solio::Work::default())?;
/// assert_eq!(files, ["notes.txt", "shot/a.exr", "shot/b.exr"].map(at));
/// assert!(failed.is_empty());
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled` alone.
pub fn files_below(
    paths: &[PathBuf],
    filter: &Filter,
    work: &Work,
) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        // Most names are files; only a folder needs a walk.
        let is_folder = match is_standard(path) {
            true => Ok(false),
            false => solio_io::is_folder(path),
        };
        match is_folder {
            Ok(true) => {}
            Ok(false) => {
                files.push(path.clone());
                continue;
            }
            Err(error) => {
                failed.push(error);
                continue;
            }
        }
        let (below, unread) = found(path, filter, false, work)?;
        files.extend(below);
        failed.extend(unread);
    }
    Ok((files, failed))
}

/// The files right in a folder, by name, without what `filter` leaves out.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("below")).unwrap();
/// # for name in ["b.jpg", ".DS_Store", "below/c.jpg"] {
/// #     solio::write_bytes(&at(name), b"x")?;
/// # }
/// let (files, _) = solio::files_in(folder.path(), &solio::Filter::usual(), &Default::default())?;
/// assert_eq!(files, [at("b.jpg")]);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled` alone.
pub fn files_in(folder: &Path, filter: &Filter, work: &Work) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    found(folder, filter, true, work)
}

/// What a walk finds, in order.
fn found(
    folder: &Path,
    filter: &Filter,
    flat: bool,
    work: &Work,
) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    let found = FilesBelow::default();
    let options = WalkOptions { filter: filter.clone(), flat, ..WalkOptions::of(work) };
    walk(&[folder.to_owned()], &options, &found)?;
    let (mut files, mut failed) = (unlock(found.files), unlock(found.failed));
    files.sort_unstable();
    failed.sort_by(|a, b| a.path().cmp(&b.path()));
    Ok((files, failed))
}

/// The files that a walk meets.
#[derive(Default)]
struct FilesBelow {
    files: Mutex<Vec<PathBuf>>,
    failed: Mutex<Vec<Error>>,
}

impl Visit for FilesBelow {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), listing: &Listing) -> Result<()> {
        let found = listing.entries().iter().map(|entry| (listing.path_of(entry), entry.kind));
        let files = found.filter(|(path, kind)| is_file(path, *kind)).map(|(path, _)| path);
        lock(&self.files).extend(files);
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        lock(&self.failed).push(error);
    }
}

/// Whether what a walk met can be read as a file. A link to a folder leads out of the tree, or in a
/// circle; a pipe has no content, and whoever reads it waits. Why a link leads nowhere is told where it
/// is read.
pub(crate) fn is_file(path: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::File => true,
        EntryKind::Folder => false,
        EntryKind::Link | EntryKind::Other => status_of(path).map_or(true, |found| found.is_file()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_io::probe::write_plain;

    #[test]
    fn bytes_come_in_order_within_little_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut wanted = Vec::new();
        for (i, size) in [10usize, 0, 3_000_000, 70_000, 1, 20 << 20].into_iter().enumerate() {
            let bytes: Vec<u8> = (0..size).map(|b| (b * 7 + b / 251 + i) as u8).collect();
            write_plain(&folder.path().join(format!("{i}")), &bytes).unwrap();
            wanted.extend(bytes);
        }
        let below = files_below(&[folder.path().to_owned()], &Filter::default(), &Work::default());
        let (mut paths, none) = below.unwrap();
        assert!(none.is_empty() && paths.len() == 6);
        paths.insert(2, folder.path().join("missing"));
        let work = Work { memory_bytes: 4 << 20, ..Work::default() };
        for in_order in [true, false] {
            let order = if in_order { Order::None } else { Order::Auto };
            let options = ReadFilesOptions { in_order, order, ..ReadFilesOptions::default() };
            let mut got = Vec::new();
            let read = read_files(paths.clone(), &options, &work, |_, part| {
                got.extend_from_slice(part);
                Ok(())
            });
            let read = read.unwrap();
            assert_eq!((read.files, read.bytes), (6, wanted.len() as u64));
            assert_eq!(read.failed.len(), 1);
            assert!(read.failed[0].path().unwrap().ends_with("missing"));
            assert_eq!(got.len(), wanted.len());
            assert!(!in_order || got == wanted);
        }
    }

    // Windows has no sockets among its files.
    #[cfg(unix)]
    #[test]
    fn only_what_can_be_read_is_found_below_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        write_plain(&at("file"), b"bytes").unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (name, to) in [("a", "file"), ("b", "sub"), ("c", "socket"), ("d", "nothing")] {
            solio_io::probe::symlink(to, at(name)).unwrap();
        }
        let below = files_below(&[folder.path().to_owned()], &Filter::default(), &Work::default());
        let (files, failed) = below.unwrap();
        assert_eq!(files, ["a", "d", "file"].map(at));
        assert!(failed.is_empty());
    }

    #[test]
    fn what_each_refuses_ends_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_plain(&path, b"bytes").unwrap();
        for (in_order, threads) in [(true, 2), (false, 1), (false, 4)] {
            let options = ReadFilesOptions { in_order, ..ReadFilesOptions::default() };
            let work = Work { threads, ..Work::default() };
            let mut calls = 0;
            let read = read_files(vec![path.clone(); 5000], &options, &work, |_, part| {
                assert_eq!(part, b"bytes");
                calls += 1;
                if calls < 70 { Ok(()) } else { Err(Error::argument("enough")) }
            });
            assert_eq!(read.unwrap_err().kind(), ErrorKind::Argument);
            assert!((70..70 + threads).contains(&calls), "{calls}");
        }
    }
}
