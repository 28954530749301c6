//! Mesh files of a scene, read while its text still parses, each once.
//!
//! As soon as a statement names a file, it is queued. Threads beside the one that follows the text
//! read what is queued, in its order, until the text has ended; then whoever draws the scene gets
//! what is there, waits for what is under way, and reads the rest itself. With one thread the
//! system is asked to fetch the files meanwhile.
//!
//! Nobody waits for room: a file that does not fit is left to the one who needs it. Errors wait as
//! results do, so that they are told where the file is needed.

use solio_base::{Error, Result, Work, lock};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// What is read ahead takes at most this share of the memory: one part of so many.
const SHARE: u64 = 4;

/// How files become what is asked for.
pub(crate) trait ReadMesh: Sync {
    /// What a file becomes.
    type Mesh: Clone + Send + Sync;

    /// Reads the file that the scene calls `name`.
    fn read(&self, name: &[u8]) -> Result<Self::Mesh>;

    /// Bytes of memory that it takes.
    fn bytes(mesh: &Self::Mesh) -> u64;

    /// Where the file is; `None` for what is not read ahead.
    fn path(&self, name: &[u8]) -> Option<PathBuf>;
}

enum Stage<T> {
    Queued,
    UnderWay,
    /// With the bytes of memory that it takes.
    Done(Result<Arc<T>>, u64),
}

struct State<T> {
    queue: VecDeque<Vec<u8>>,
    stages: HashMap<Vec<u8>, Stage<T>>,
    /// How often each is still going to be asked for, once that is known.
    uses: HashMap<Vec<u8>, usize>,
    /// Bytes of what waits, and of files under way.
    bytes: u64,
    ended: bool,
}

/// See the head of the file.
pub(crate) struct MeshesAhead<'w, R: ReadMesh> {
    reader: R,
    work: &'w Work,
    state: Mutex<State<R::Mesh>>,
    moved: Condvar,
}

impl<'w, R: ReadMesh> MeshesAhead<'w, R> {
    pub(crate) fn new(reader: R, work: &'w Work) -> Self {
        let state = State {
            queue: VecDeque::new(),
            stages: HashMap::new(),
            uses: HashMap::new(),
            bytes: 0,
            ended: false,
        };
        MeshesAhead { reader, work, state: Mutex::new(state), moved: Condvar::new() }
    }

    /// What files are read by.
    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    fn lock(&self) -> MutexGuard<'_, State<R::Mesh>> {
        lock(&self.state)
    }

    fn most_bytes(&self) -> u64 {
        self.work.memory_bytes / SHARE
    }

    /// Starts the threads that read; they end with what this gives, or with [`Self::text_ended`].
    pub(crate) fn start<'s>(&'s self, scope: &'s Scope<'s, '_>) -> End<'s, 'w, R> {
        for i in 1..self.work.threads {
            let thread = std::thread::Builder::new().name(format!("meshes {i}"));
            // Without it files are read when they are needed.
            let _ = thread.spawn_scoped(scope, || while self.read_next() {});
        }
        End(self)
    }

    /// The text names this file; it is going to be needed.
    pub(crate) fn named(&self, name: &[u8]) {
        let mut state = self.lock();
        if state.ended || state.stages.contains_key(name) {
            return;
        }
        state.stages.insert(name.to_vec(), Stage::Queued);
        if self.work.threads > 1 {
            state.queue.push_back(name.to_vec());
            self.moved.notify_all();
        } else if state.bytes < self.most_bytes()
            && let Some(path) = self.reader.path(name)
        {
            state.bytes += solio_io::prefetch(&path, self.most_bytes() - state.bytes);
        }
    }

    /// No more is read ahead. `uses`: all that is going to be asked for, as often as it is.
    pub(crate) fn text_ended<'n>(&self, uses: impl Iterator<Item = &'n [u8]>) {
        let mut state = self.lock();
        state.ended = true;
        state.queue.clear();
        for name in uses {
            *state.uses.entry(name.to_vec()).or_default() += 1;
        }
        let State { stages, uses, .. } = &mut *state;
        stages.retain(|name, stage| matches!(stage, Stage::UnderWay) || uses.contains_key(name));
        self.moved.notify_all();
    }

    /// The file of this name. It stays until it was asked for as often as was told.
    pub(crate) fn take(&self, name: &[u8]) -> Result<R::Mesh> {
        let mut state = self.lock();
        loop {
            match state.stages.get(name) {
                Some(Stage::UnderWay) => {
                    state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                Some(Stage::Done(..)) => {
                    let shared = state.hand_out(name);
                    drop(state);
                    return shared.map(Arc::unwrap_or_clone);
                }
                Some(Stage::Queued) | None => break,
            }
        }
        state.stages.insert(name.to_vec(), Stage::UnderWay);
        drop(state);
        let reading = Reading { ahead: self, name, reserved: 0, made: None };
        let shared = reading.end(self.reader.read(name)).hand_out(name);
        shared.map(Arc::unwrap_or_clone)
    }

    /// Reads the next file of the queue; `false` at the end.
    fn read_next(&self) -> bool {
        let mut state = self.lock();
        let name = loop {
            if state.ended || self.work.cancel.is_cancelled() {
                return false;
            }
            if let Some(name) = state.queue.pop_front() {
                break name;
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        let Some(path) = self.reader.path(&name) else { return true };
        // A file that is not there is reading's to tell. As triangles in memory it takes about as
        // much as on the disk.
        drop(state);
        let reserved = solio_io::file_bytes(&path).unwrap_or(0);
        let mut state = self.lock();
        let fits = state.bytes.saturating_add(reserved) <= self.most_bytes();
        if state.ended || !fits || !matches!(state.stages.get(&name), Some(Stage::Queued)) {
            // It stays as it is, for whoever needs it; others may fit.
            return !state.ended;
        }
        state.bytes += reserved;
        state.stages.insert(name.clone(), Stage::UnderWay);
        drop(state);
        let reading = Reading { ahead: self, name: &name, reserved, made: None };
        drop(reading.end(self.reader.read(&name)));
        true
    }
}

impl<T> State<T> {
    /// What is done; the last one who asks for it gets it itself.
    fn hand_out(&mut self, name: &[u8]) -> Result<Arc<T>> {
        let left = self.uses.get_mut(name).map_or(0, |uses| {
            *uses = uses.saturating_sub(1);
            *uses
        });
        if left > 0
            && let Some(Stage::Done(result, _)) = self.stages.get(name)
        {
            return match result {
                Ok(mesh) => Ok(Arc::clone(mesh)),
                Err(error) => Err(again(error)),
            };
        }
        match self.stages.remove(name) {
            Some(Stage::Done(result, bytes)) => {
                self.bytes -= bytes;
                result
            }
            _ => Err(Error::argument("the mesh was not read")),
        }
    }
}

/// The same error once more.
fn again(error: &Error) -> Error {
    let mut same = Error::new(error.kind(), error.message());
    if let Some(path) = error.path() {
        same = same.at_path(path);
    }
    if let Some(offset) = error.offset() {
        same = same.at_offset(offset);
    }
    if let Some(line) = error.line() {
        same = same.at_line(line, error.column().unwrap_or(0));
    }
    if let Some(hint) = error.hint_text() {
        same = same.hint(hint);
    }
    same
}

/// A file under way. Also after a panic nobody waits for it any longer.
struct Reading<'a, 'w, R: ReadMesh> {
    ahead: &'a MeshesAhead<'w, R>,
    name: &'a [u8],
    reserved: u64,
    made: Option<Result<Arc<R::Mesh>>>,
}

impl<'a, R: ReadMesh> Reading<'a, '_, R> {
    fn end(mut self, made: Result<R::Mesh>) -> MutexGuard<'a, State<R::Mesh>> {
        self.made = Some(made.map(Arc::new));
        let ahead = self.ahead;
        let mut state = ahead.lock();
        self.note(&mut state);
        state
    }

    fn note(&mut self, state: &mut State<R::Mesh>) {
        state.bytes -= std::mem::take(&mut self.reserved);
        let Some(made) = self.made.take() else { return };
        let bytes = made.as_ref().map_or(0, |mesh| R::bytes(mesh));
        state.bytes += bytes;
        state.stages.insert(self.name.to_vec(), Stage::Done(made, bytes));
        self.ahead.moved.notify_all();
    }
}

impl<R: ReadMesh> Drop for Reading<'_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.ahead.lock();
            state.bytes -= self.reserved;
            state.stages.remove(self.name);
            self.ahead.moved.notify_all();
        }
    }
}

/// Ends the reading ahead when it is dropped.
pub(crate) struct End<'a, 'w, R: ReadMesh>(&'a MeshesAhead<'w, R>);

impl<R: ReadMesh> Drop for End<'_, '_, R> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    /// Files of as many bytes as their names say; reading them counts.
    struct Counting<'c> {
        folder: PathBuf,
        reads: &'c AtomicUsize,
    }

    impl ReadMesh for Counting<'_> {
        type Mesh = Vec<u8>;

        fn read(&self, name: &[u8]) -> Result<Vec<u8>> {
            self.reads.fetch_add(1, SeqCst);
            assert_ne!(name, b"panic");
            solio_io::read_whole(
                &self.path(name).expect("a path"),
                &solio_base::Limits::default(),
                &Work::serial(),
            )
        }

        fn bytes(mesh: &Vec<u8>) -> u64 {
            mesh.len() as u64
        }

        fn path(&self, name: &[u8]) -> Option<PathBuf> {
            Some(self.folder.join(std::str::from_utf8(name).ok()?))
        }
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [10, 20, 30] {
            let path = folder.path().join(bytes.to_string());
            crate::write_bytes(&path, &vec![7; bytes]).unwrap();
        }
        folder
    }

    fn work(threads: usize, memory_bytes: u64) -> Work {
        Work { threads, memory_bytes, ..Work::serial() }
    }

    /// Waits until so many files were read.
    fn wait(reads: &AtomicUsize, count: usize) {
        let seen = (0..20_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            reads.load(SeqCst) >= count
        });
        assert!(seen, "{} reads", reads.load(SeqCst));
    }

    const NAMES: [&[u8]; 5] = [b"10", b"none", b"30", b"10", b"none"];

    #[test]
    fn each_file_is_read_once_and_errors_come_where_it_is_needed() {
        let folder = folder();
        for (threads, memory) in [(1, 1 << 20), (2, 1 << 20), (4, 1 << 20), (4, 0), (1, 0)] {
            let reads = AtomicUsize::new(0);
            let work = work(threads, memory);
            let reader = Counting { folder: folder.path().to_owned(), reads: &reads };
            let ahead = MeshesAhead::new(reader, &work);
            std::thread::scope(|scope| {
                let _end = ahead.start(scope);
                NAMES.iter().for_each(|name| ahead.named(name));
                if threads > 1 && memory > 0 {
                    wait(&reads, 3);
                }
                ahead.text_ended(NAMES.into_iter());
                for name in NAMES {
                    match ahead.take(name) {
                        Ok(bytes) => {
                            assert_eq!(bytes.len().to_string().as_bytes(), name);
                        }
                        Err(error) => {
                            assert_eq!(name, b"none");
                            assert_eq!(error.path(), Some(&*folder.path().join("none")));
                        }
                    }
                }
            });
            assert_eq!(reads.load(SeqCst), 3, "{threads} threads, {memory} bytes");
            let state = ahead.lock();
            assert!(state.stages.is_empty(), "all was handed out");
        }
    }

    #[test]
    fn no_more_waits_than_fits_and_nobody_waits_for_room() {
        let folder = folder();
        let reads = AtomicUsize::new(0);
        // Room for 40 bytes: 10 and 20, or 30 alone.
        let work = work(2, 160);
        let reader = Counting { folder: folder.path().to_owned(), reads: &reads };
        let ahead = MeshesAhead::new(reader, &work);
        std::thread::scope(|scope| {
            let _end = ahead.start(scope);
            let names: [&[u8]; 3] = [b"20", b"30", b"10"];
            names.iter().for_each(|name| ahead.named(name));
            wait(&reads, 2);
            assert!(ahead.lock().bytes <= 40);
            ahead.text_ended(names.into_iter());
            for name in names {
                assert_eq!(ahead.take(name).unwrap().len().to_string().as_bytes(), name);
            }
        });
        assert_eq!(reads.load(SeqCst), 3);
    }

    #[test]
    fn cancelling_ends_the_reading() {
        let folder = folder();
        let reads = AtomicUsize::new(0);
        let work = work(3, 1 << 20);
        work.cancel.cancel();
        let reader = Counting { folder: folder.path().to_owned(), reads: &reads };
        let ahead = MeshesAhead::new(reader, &work);
        std::thread::scope(|scope| {
            let _end = ahead.start(scope);
            NAMES.iter().for_each(|name| ahead.named(name));
        });
        assert_eq!(reads.load(SeqCst), 0);
    }

    #[test]
    fn a_panic_lets_nobody_wait() {
        let folder = folder();
        let reads = AtomicUsize::new(0);
        let work = work(2, 1 << 20);
        crate::write_bytes(&folder.path().join("panic"), b"").unwrap();
        let reader = Counting { folder: folder.path().to_owned(), reads: &reads };
        let ahead = MeshesAhead::new(reader, &work);
        let run = std::panic::AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let _end = ahead.start(scope);
                ahead.named(b"panic");
                wait(&reads, 1);
                ahead.text_ended([&b"panic"[..]].into_iter());
                // Whoever needs it reads it again, and meets the same.
                ahead.take(b"panic").map(drop)
            })
        });
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
