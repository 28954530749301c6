//! What a caller asks for and what it gets.

use super::pool::Buffer;
use solio_base::{Cancel, Result, named_enum};
use std::path::{Path, PathBuf};
use std::time::Duration;

named_enum! {
    /// Who goes first. Higher ones are read before lower ones; ageing keeps the lowest alive.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum Priority {
        /// Whenever nothing else is to be done.
        Minimum = "minimum",
        /// Behind ordinary work.
        Low = "low",
        /// A little behind ordinary work.
        BelowNormal = "below-normal",
        /// Ordinary work.
        #[default]
        Normal = "normal",
        /// Somebody waits for it.
        High = "high",
        /// Somebody waits for it now: a frame hangs on it.
        Maximum = "maximum",
    }

    /// The name that the command line and Python take.
    pub fn name;
}

impl Priority {
    /// How many there are.
    pub const COUNT: usize = 6;
}

named_enum! {
    /// How the bytes of a request are packed on the disk.
    #[derive(Default)]
    pub enum Packing {
        /// As they are.
        #[default]
        None = "none",
        /// By what the first bytes say: gzip, zstd or as they are.
        Detect = "detect",
        /// gzip, any number of members.
        Gzip = "gzip",
        /// zlib.
        Zlib = "zlib",
        /// zstd, any number of frames.
        Zstd = "zstd",
    }

    /// The name that Python takes.
    pub fn name;
}

/// One read: a whole file or a range of it, into a buffer of the engine's pool or the caller's.
///
/// ```
/// use solio_io::engine::{Priority, Request};
/// let head = Request::range("a.exr", 0, 4096).priority(Priority::High).tag(7);
/// assert_eq!(head.tag, 7);
/// ```
#[derive(Debug)]
pub struct Request {
    /// The file.
    pub path: PathBuf,
    /// First byte, 0-based.
    pub offset: u64,
    /// Bytes to read; `None` reads to the end of the file. A range that the file does not have
    /// is an error.
    pub length: Option<u64>,
    /// A larger file, or range, is an error of kind `Limit` before anything of it is read.
    pub at_most: u64,
    /// How they are packed.
    pub packing: Packing,
    /// Bytes after unpacking, where known: with a packing the result must have exactly that many.
    pub unpacked: Option<u64>,
    /// Who goes first.
    pub priority: Priority,
    /// Once cancelled, what was not started yet is never read.
    pub cancel: Option<Cancel>,
    /// Comes back with the result.
    pub tag: u64,
    /// From the call on. Among requests of one priority, those with a deadline go first, the
    /// earliest first; one that comes late is delivered all the same, and says so.
    pub deadline: Option<Duration>,
    /// Memory of the caller to read into; it comes back with the result. Must be large enough.
    pub into: Option<Vec<u8>>,
}

impl Request {
    /// A whole file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Request {
            path: path.into(),
            offset: 0,
            length: None,
            at_most: u64::MAX,
            packing: Packing::None,
            unpacked: None,
            priority: Priority::default(),
            cancel: None,
            tag: 0,
            deadline: None,
            into: None,
        }
    }

    /// `length` bytes from `offset` on.
    pub fn range(path: impl Into<PathBuf>, offset: u64, length: u64) -> Self {
        Request { offset, length: Some(length), ..Request::file(path) }
    }

    /// Sets [`Request::priority`].
    pub fn priority(self, priority: Priority) -> Self {
        Request { priority, ..self }
    }

    /// Sets [`Request::tag`].
    pub fn tag(self, tag: u64) -> Self {
        Request { tag, ..self }
    }

    /// Sets [`Request::at_most`].
    pub fn at_most(self, at_most: u64) -> Self {
        Request { at_most, ..self }
    }

    /// Sets [`Request::packing`].
    pub fn packing(self, packing: Packing) -> Self {
        Request { packing, ..self }
    }

    /// Sets [`Request::cancel`].
    pub fn cancel(self, cancel: Cancel) -> Self {
        Request { cancel: Some(cancel), ..self }
    }

    /// Sets [`Request::deadline`].
    pub fn deadline(self, deadline: Duration) -> Self {
        Request { deadline: Some(deadline), ..self }
    }

    /// Sets [`Request::into`].
    pub fn into_buffer(self, into: Vec<u8>) -> Self {
        Request { into: Some(into), ..self }
    }
}

/// How one request ended.
#[derive(Debug)]
pub struct Done {
    /// Its place in the batch, 0-based.
    pub index: usize,
    /// [`Request::tag`].
    pub tag: u64,
    /// All bytes, or why not. A request that was cancelled ends as `ErrorKind::Cancelled`.
    pub result: Result<Buffer>,
    /// From the call to the moment at which the first byte was asked of the system.
    pub queued: Duration,
    /// From the call to the end.
    pub total: Duration,
    /// Whether any byte had been asked of the system; of a request cancelled in the queue, none.
    pub submitted: bool,
    /// Whether it ended after its deadline.
    pub late: bool,
}

/// Adds the path to an error, as every error of the engine has it.
pub(super) fn at<T>(result: Result<T>, path: &Path) -> Result<T> {
    result.map_err(|e| e.at_path(path))
}
