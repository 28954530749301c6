//! The asynchronous engine: many reads asked for at once, answered as they come.
//!
//! ```
//! use solio_io::engine::{Engine, Priority, Request};
//! # let folder = tempfile::tempdir()?;
//! # let paths: Vec<_> = (0..9).map(|i| folder.path().join(format!("{i}.exr"))).collect();
//! # for path in &paths { solio_io::probe::write_plain(path, b"bytes")?; }
//! let engine = Engine::new(Default::default())?;
//! let background = engine.read(paths.iter().map(Request::file));
//! let urgent = engine.read([Request::range(&paths[3], 0, 4).priority(Priority::Maximum)]);
//! for done in urgent.chain(background) {
//!     println!("{}: {} bytes", done.index, done.result?.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A request's way: [`Engine::read`] → `shared.rs` (queues it, threads wait there) → `core.rs`
//! with `scheduler.rs` (which piece is next) → `handles.rs` (opens) → `read.rs` and `piece.rs`
//! (reads into memory of `pool.rs`) → `batch.rs` (the receiver). `sys/linux/uring.rs` is another driver of
//! the same core, with `link.rs` for small files. `later.rs` keeps long batches out of the queue, and
//! `alone.rs` is how a receiver reads small files of the page cache itself.

mod batch;
pub(crate) mod core;
mod deferred;
pub(crate) mod handles;
mod path_keys;
pub(crate) mod pool;
pub(crate) mod read;
mod receiver_reads;
mod request;
pub(crate) mod scheduler;
mod share;
#[cfg(test)]
mod simulator;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod transfer;

pub use batch::{Batch, BatchControl};
pub use handles::Direct;
pub(crate) use handles::Handle;
pub use pool::Buffer;
pub(crate) use receiver_reads::LastFolder;
pub use request::{Done, Packing, Priority, Request};

use self::core::Core;
use crate::token_bucket::TokenBucket;
use scheduler::Tuning;
use solio_base::{Result, named_enum};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use threads::{EngineShared, Owner};

named_enum! {
    /// What moves the bytes.
    ///
    /// ```
    /// use solio_io::engine::{Backend, Engine, EngineOptions, Request};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.exr");
    /// # solio_io::probe::write_plain(&path, b"bytes")?;
    /// // Any of them will do: where one cannot, another takes its place, and the bytes are the same.
    /// for backend in Backend::ALL {
    ///     let engine = Engine::new(EngineOptions { backend, ..EngineOptions::default() })?;
    ///     let done = engine.read([Request::file(&path)]).wait();
    ///     assert_eq!(done[0].result.as_ref().unwrap()[..], *b"bytes");
    /// }
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Default)]
    pub enum Backend {
        /// The fastest for the job, by what was measured.
        #[default]
        Auto = "auto",
        /// Linux's io_uring, on Windows overlapped reads and a completion port; where the system refuses,
        /// threads (and [`EngineStats`] says so).
        Uring = "uring",
        /// Threads that call `pread`.
        Threads = "threads",
        /// Threads that copy out of memory maps.
        Mmap = "mmap",
    }

    /// The name that `SOLIO_IO` and `--backend` take.
    ///
    /// ```
    /// use solio_io::engine::Backend;
    /// let of_name = |name| Backend::ALL.into_iter().find(|backend| backend.name() == name);
    /// assert_eq!(of_name("uring"), Some(Backend::Uring));
    /// assert_eq!(of_name("aio"), None);
    /// ```
    pub fn name;
}

impl Backend {
    /// Threads that serve an engine.
    fn threads(self, options: &EngineOptions) -> usize {
        match self {
            Backend::Uring => options.warm_threads.min(2),
            _ => options.threads,
        }
    }

    /// Pieces in flight at once.
    fn width(self, options: &EngineOptions, warm: bool) -> usize {
        match (self, warm) {
            (Backend::Uring, true) => 8 * self.threads(options),
            (Backend::Uring, false) => crate::sys::uring::DEPTH * self.threads(options),
            (_, true) => threads::TOGETHER * options.warm_threads,
            (_, false) => options.threads,
        }
    }
}

/// How an engine may use the machine.
///
/// ```
/// use solio_io::engine::{Direct, Engine, EngineOptions};
/// // A quiet neighbour: little memory, half of a slow disk, and what others read stays cached.
/// let options = EngineOptions {
///     direct: Direct::Always,
///     memory_bytes: 32 << 20,
///     bytes_per_second: Some(60_000_000),
///     ..EngineOptions::default()
/// };
/// assert!(options.threads >= options.warm_threads);
/// assert!(options.operations_per_second.is_none());
/// let engine = Engine::new(options)?;
/// # assert_eq!(engine.options().memory_bytes, 32 << 20);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// What moves the bytes; the environment variable `SOLIO_IO` overrides it.
    pub backend: Backend,
    /// When reads go past the page cache.
    pub direct: Direct,
    /// Most threads that wait for the medium at once.
    pub threads: usize,
    /// Most threads that copy out of the page cache at once.
    pub warm_threads: usize,
    /// Bytes of results under way or not taken yet.
    pub memory_bytes: u64,
    /// Most bytes a second, and most reads a second.
    pub bytes_per_second: Option<u64>,
    /// See `bytes_per_second`.
    pub operations_per_second: Option<u64>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        EngineOptions {
            backend: Backend::Auto,
            direct: Direct::Auto,
            threads: 32.max(cores),
            warm_threads: cores,
            memory_bytes: 512 << 20,
            bytes_per_second: None,
            operations_per_second: None,
        }
    }
}

/// What an engine has done since it was made.
///
/// ```
/// use solio_io::engine::{Engine, EngineStats, Request};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # solio_io::probe::write_plain(&path, &[7; 10_000])?;
/// let engine = Engine::new(Default::default())?;
/// engine.read([Request::range(&path, 0, 4_000), Request::range(&path, 6_000, 4_000)]).wait();
/// let EngineStats { bytes, direct_bytes, fallback, .. } = engine.stats();
/// println!("{direct_bytes} of {bytes} bytes past the page cache");
/// assert!(bytes >= 8_000 && direct_bytes <= bytes);
/// if let Some(why) = fallback {
///     println!("no io_uring: {why}");
/// }
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineStats {
    /// What moved them.
    pub backend: Backend,
    /// Why it is not the backend that was asked for.
    pub fallback: Option<String>,
    /// Bytes read.
    pub bytes: u64,
    /// Those of them that went past the page cache.
    pub direct_bytes: u64,
    /// Reads that they took.
    pub pieces: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Files that a ring opened, read and closed in one go.
    pub linked: u64,
    /// Reads of a ring into memory that the system knew already (registered buffers).
    pub registered: u64,
}

/// Reads files: make one, share it, keep it.
///
/// ```
/// use solio_io::engine::{Engine, Request};
/// # let folder = tempfile::tempdir().unwrap();
/// # let paths = ["a.exr", "b.exr"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&paths[0], b"one")?;
/// # solio_io::probe::write_plain(&paths[1], b"other")?;
/// let engine = Engine::new(Default::default())?;
/// let size = |path| engine.read([Request::file(path)]).wait()[0].result.as_ref().unwrap().len();
/// // Both threads share its memory and its limits.
/// std::thread::scope(|scope| {
///     let other = scope.spawn(|| size(&paths[1]));
///     assert_eq!((size(&paths[0]), other.join().unwrap()), (3, 5));
/// });
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct Engine {
    owner: Arc<Owner>,
}

impl Engine {
    /// An engine; its threads start when they are needed.
    ///
    /// ```
    /// use solio_io::engine::{Engine, EngineOptions};
    /// // What makes no sense is mended.
    /// let options = EngineOptions { threads: 0, warm_threads: 99, ..EngineOptions::default() };
    /// let engine = Engine::new(options)?;
    /// assert_eq!((engine.options().threads, engine.options().warm_threads), (1, 1));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn new(mut options: EngineOptions) -> Result<Self> {
        if let Some(backend) = threads::forced_backend()? {
            options.backend = backend;
        }
        options.bytes_per_second = options.bytes_per_second.or(crate::throttle::limit()?);
        options.threads = options.threads.max(1);
        options.warm_threads = options.warm_threads.clamp(1, options.threads);
        let descriptors = crate::sys::free_descriptors();
        let tuning = Tuning {
            memory_bytes: options.memory_bytes,
            open_files: (descriptors / 2).clamp(1, 4096),
            ..Tuning::default()
        };
        let fallback = OnceLock::new();
        let mut backend = options.backend;
        if backend == Backend::Uring
            && let Err(why) = crate::sys::uring::ring()
        {
            let _ = fallback.set(why);
            backend = Backend::Threads;
        }
        if backend == Backend::Mmap && !crate::sys::HAS_MAPS {
            let _ = fallback.set("memory maps are for Linux".into());
            backend = Backend::Threads;
        }
        let pool = pool::BlockPool::new(options.memory_bytes);
        let mut core = Core::new(tuning, backend.width(&options, true), pool);
        core.scheduler.ahead = threads::ahead(&options, true);
        core.enough_readers = threads::enough_readers(&options, true);
        core.scheduler.bytes_rate = options.bytes_per_second.map(TokenBucket::new);
        core.scheduler.operations_rate = options.operations_per_second.map(TokenBucket::new);
        let handles = handles::Handles::new((descriptors / 4).min(1024));
        let shared = EngineShared::new(options, backend, fallback, core, handles);
        Ok(Engine { owner: Arc::new(Owner(shared)) })
    }

    /// Queues reads, any number of them, and returns at once.
    ///
    /// ```
    /// use solio_io::engine::{Engine, Request};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let paths = ["a.exr", "gone.exr", "c.exr"].map(|name| folder.path().join(name));
    /// # solio_io::probe::write_plain(&paths[0], b"pixels")?;
    /// # solio_io::probe::write_plain(&paths[2], b"pixels")?;
    /// let engine = Engine::new(Default::default())?;
    /// // A file that cannot be read is no end of the others.
    /// let mut failed = Vec::new();
    /// for done in engine.read(paths.iter().map(Request::file)) {
    ///     if let Err(error) = done.result {
    ///         failed.push((done.index, error.is_missing()));
    ///     }
    /// }
    /// assert_eq!(failed, [(1, true)]);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn read(&self, requests: impl IntoIterator<Item = Request>) -> Batch {
        let state = self.owner.0.submit(requests.into_iter().collect());
        Batch::new(state, self.owner.clone())
    }

    /// Writes `bytes` at `offset` of an open file when their turn has come, and gives their memory
    /// back. The caller waits anyway, so its own thread does it: the bytes are in its cache.
    pub(crate) fn write(
        &self,
        path: &Path,
        file: &Arc<Handle>,
        offset: u64,
        bytes: Vec<u8>,
    ) -> Result<Vec<u8>> {
        let request = Request::range(path, offset, bytes.len() as u64).into_buffer(bytes);
        Ok(self.owner.0.write(request, file.clone()).result?.into_vec())
    }

    /// How it may use the machine.
    ///
    /// ```
    /// use solio_io::engine::{Engine, EngineOptions};
    /// let rate = EngineOptions { operations_per_second: Some(500), ..EngineOptions::default() };
    /// let engine = Engine::new(rate)?;
    /// assert_eq!(engine.options().operations_per_second, Some(500));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn options(&self) -> &EngineOptions {
        &self.owner.0.options
    }

    /// What it has done so far.
    ///
    /// ```
    /// use solio_io::engine::{Engine, Request};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.exr");
    /// # solio_io::probe::write_plain(&path, &[7; 10_000])?;
    /// let engine = Engine::new(Default::default())?;
    /// let before = engine.stats();
    /// assert_eq!(before.bytes, 0);
    /// engine.read([Request::file(&path)]).wait();
    /// assert_eq!(engine.stats().bytes - before.bytes, 10_000);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn stats(&self) -> EngineStats {
        let shared = &self.owner.0;
        let counts = &shared.counts;
        EngineStats {
            backend: shared.moved_by(),
            fallback: shared.fallback.get().cloned(),
            bytes: counts.bytes.load(Relaxed),
            direct_bytes: counts.direct_bytes.load(Relaxed),
            pieces: counts.pieces.load(Relaxed),
            linked: counts.linked.load(Relaxed),
            registered: counts.registered.load(Relaxed),
            written_bytes: counts.written_bytes.load(Relaxed),
        }
    }
}

/// The engine of this process that files are written through.
pub(crate) fn of_process() -> Result<&'static Engine> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    match ENGINE.get() {
        Some(engine) => Ok(engine),
        None => {
            let engine = Engine::new(EngineOptions::default())?;
            Ok(ENGINE.get_or_init(|| engine))
        }
    }
}
