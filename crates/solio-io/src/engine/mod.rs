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
//! (reads into memory of `pool.rs`) → `batch.rs` (the receiver). `uring.rs` is another driver of
//! the same core, with `link.rs` for small files. `later.rs` keeps long batches out of the queue, and
//! `alone.rs` is how a receiver reads small files of the page cache itself.

mod alone;
mod batch;
mod core;
mod handles;
mod later;
mod link;
mod names;
mod piece;
mod pool;
mod rate;
mod read;
mod registered;
mod request;
mod residency;
mod scheduler;
mod share;
mod shared;
#[cfg(test)]
mod simulator;
#[cfg(test)]
mod tests;
mod uring;

pub(crate) use alone::Folder;
pub use batch::Batch;
pub use handles::Direct;
pub(crate) use handles::Handle;
pub use pool::Buffer;
pub(crate) use rate::Bucket;
pub use request::{Done, Packing, Priority, Request};
pub(crate) use residency::{Residency, residency};

use self::core::Core;
use scheduler::Tuning;
use shared::{Owner, Shared};
use solio_base::Result;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// What moves the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The fastest for the job, by what was measured.
    #[default]
    Auto,
    /// Threads that call `pread`.
    Threads,
    /// Threads that copy out of memory maps.
    Mmap,
    /// Linux's io_uring; where the system refuses it, threads (and [`EngineStats`] says so).
    Uring,
}

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 4] = [Backend::Auto, Backend::Uring, Backend::Threads, Backend::Mmap];

    /// The name that `SOLIO_IO` and `--backend` take.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Threads => "threads",
            Backend::Mmap => "mmap",
            Backend::Uring => "uring",
        }
    }

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
            (Backend::Uring, false) => uring::DEPTH * self.threads(options),
            (_, true) => shared::TOGETHER * options.warm_threads,
            (_, false) => options.threads,
        }
    }
}

/// How an engine may use the machine.
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
pub struct Engine {
    owner: Arc<Owner>,
}

impl Engine {
    /// An engine; its threads start when they are needed.
    pub fn new(mut options: EngineOptions) -> Result<Self> {
        if let Some(backend) = shared::forced_backend()? {
            options.backend = backend;
        }
        options.bytes_per_second = options.bytes_per_second.or(crate::throttle::limit()?);
        options.threads = options.threads.max(1);
        options.warm_threads = options.warm_threads.clamp(1, options.threads);
        let descriptors = free_descriptors();
        let tuning = Tuning {
            memory_bytes: options.memory_bytes,
            open_files: (descriptors / 2).clamp(1, 4096),
            ..Tuning::default()
        };
        let fallback = OnceLock::new();
        let mut backend = options.backend;
        if backend == Backend::Uring
            && let Err(why) = uring::ring()
        {
            let _ = fallback.set(why);
            backend = Backend::Threads;
        }
        let pool = pool::Pool::new(options.memory_bytes);
        let mut core = Core::new(tuning, backend.width(&options, true), pool);
        core.scheduler.ahead = shared::ahead(&options, true);
        core.enough_readers = shared::enough_readers(&options, true);
        core.scheduler.bytes_rate = options.bytes_per_second.map(Bucket::new);
        core.scheduler.operations_rate = options.operations_per_second.map(Bucket::new);
        let handles = handles::Handles::new((descriptors / 4).min(1024));
        let shared = Shared::new(options, backend, fallback, core, handles);
        Ok(Engine { owner: Arc::new(Owner(shared)) })
    }

    /// Queues reads, any number of them, and returns at once.
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
    pub fn options(&self) -> &EngineOptions {
        &self.owner.0.options
    }

    /// What it has done so far.
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

/// Descriptors that this process may still open.
fn free_descriptors() -> usize {
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let most = most.map_or(65_536, |n| n.min(65_536) as usize);
    let used = std::fs::read_dir("/proc/self/fd").map_or(16, |entries| entries.count());
    most.saturating_sub(used)
}
