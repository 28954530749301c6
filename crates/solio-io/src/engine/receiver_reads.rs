//! A receiver that reads small files itself, out of the page cache: it looks at the bytes where they
//! were copied to, in memory that it gets back before it reads the next file. No other thread has to
//! do with that, so there is one lock for a few files.
//!
//! * What it takes from its batch is under way only while it is being read (`later.rs`).
//! * `lseek` tells the size in half the time of `fstat`, and the files of a folder are opened
//!   relative to it, which is looked up once for those that were taken together.
//! * Whatever is not as expected (missing, no regular file, large, cold, shorter than it said) is
//!   given back and read in the plain way, which finds out what is the matter.

use super::batch::BatchState;
use super::core::answer;
use super::deferred::SlotNumber;
use super::pool::{BlockPool, Buffer, Landing};
use super::request::{Done, Request};
use super::scheduler::SMALL;
use crate::sys::{
    self, AsFd, CWD, Errno, Mode, OFlags, OwnedFd, Residency, SysResult, openat, residency,
};
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result};
use solio_measure::{SpanName, now_ns};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

static READ: SpanName = SpanName::new("read small file");

/// After a read that took as long, the next file is looked at: perhaps it is no longer in the page
/// cache.
const SLOW_NS: u64 = 60_000;

/// What a receiver has taken to itself.
pub(crate) struct DirectRequests {
    pool: Arc<BlockPool>,
    /// Larger files are not for it.
    most: u64,
    /// Whether files that are not in the page cache are to be found out.
    asks: bool,
    range: Range<u32>,
    folder: LastFolder,
    looks: bool,
    pub(crate) tally: Tally,
}

/// What has come of it so far.
#[derive(Default)]
pub(crate) struct Tally {
    /// Requests that have ended, and what of them was read.
    pub(crate) ended: usize,
    pub(crate) pieces: u64,
    pub(crate) bytes: u64,
    /// To be read in the plain way.
    pub(crate) plain: Vec<u32>,
    /// Those of them that are large.
    pub(crate) large: usize,
    /// Answers to whether a file was not in the page cache.
    pub(crate) warm: usize,
    pub(crate) cold: usize,
}

/// What a file turned out to be.
enum DirectOutcome {
    Whole(Buffer),
    Cold,
    Large,
    Other,
}

impl DirectRequests {
    pub(crate) fn new(pool: Arc<BlockPool>, memory_bytes: u64, asks: bool) -> Self {
        DirectRequests {
            pool,
            most: memory_bytes.min(SMALL - 1),
            asks,
            range: 0..0,
            folder: LastFolder::default(),
            looks: asks,
            tally: Tally::default(),
        }
    }

    /// It gets requests of its batch.
    pub(crate) fn begin(&mut self, range: Range<u32>) {
        self.range = range;
        self.looks = self.asks;
    }

    /// What it has not read, and what came of the rest.
    pub(crate) fn end(&mut self) -> (Range<u32>, Tally) {
        self.folder = LastFolder::default();
        (std::mem::take(&mut self.range), std::mem::take(&mut self.tally))
    }

    /// Reads the next file; `None` also when one was not as expected: what follows may be like it.
    pub(crate) fn next(&mut self, batch: &BatchState) -> Option<Done> {
        while self.tally.plain.is_empty()
            && let Some(index) = self.range.next()
        {
            let place = &batch.places[index as usize];
            if place.begin()
                && let Some(done) = self.one(batch, index as usize, place)
            {
                self.tally.ended += 1;
                return Some(done);
            }
        }
        None
    }

    fn one(&mut self, batch: &BatchState, index: usize, place: &SlotNumber) -> Option<Done> {
        let request = &batch.requests[index];
        let done = |begin: Option<u64>, end, result| answer(batch, index, begin, result, end);
        let begin_ns = now_ns();
        let mut span = READ.begin();
        if request.cancel.as_ref().is_some_and(|c| c.is_cancelled()) {
            place.end();
            return Some(done(None, begin_ns, Err(Error::cancelled())));
        }
        let looks = std::mem::take(&mut self.looks);
        let seen = self.read(request, looks).unwrap_or(DirectOutcome::Other);
        let end_ns = now_ns();
        let bytes = match seen {
            DirectOutcome::Whole(bytes) => bytes,
            other => {
                match other {
                    DirectOutcome::Cold => self.tally.cold += 1,
                    DirectOutcome::Large => self.tally.large += 1,
                    _ => {}
                }
                if !place.put_back() {
                    place.end();
                    return Some(done(Some(begin_ns), end_ns, Err(Error::cancelled())));
                }
                self.tally.plain.push(index as u32);
                return None;
            }
        };
        self.looks = self.asks && end_ns - begin_ns > SLOW_NS;
        self.tally.warm += usize::from(looks);
        span.set_bytes(bytes.len());
        drop(span);
        self.tally.pieces += 1;
        self.tally.bytes += bytes.len() as u64;
        let result = if place.end() { Ok(bytes) } else { Err(Error::cancelled()) };
        Some(done(Some(begin_ns), end_ns, result))
    }

    fn read(&mut self, request: &Request, looks: bool) -> Result<DirectOutcome> {
        let failed = |e: Errno| Error::io("read", e.into());
        let file = self.folder.open(&request.path).map_err(failed)?;
        // What has no end is no regular file, and what is empty may not be one.
        let bytes = sys::length(&file).map_err(failed)?;
        if bytes >= SMALL {
            return Ok(DirectOutcome::Large);
        }
        if bytes == 0 || bytes > self.most.min(request.at_most) {
            return Ok(DirectOutcome::Other);
        }
        if looks && residency(file.as_fd(), 0, bytes) == Residency::Cold {
            return Ok(DirectOutcome::Cold);
        }
        let landing = Landing::new(&self.pool, 0, bytes as usize)?;
        // SAFETY: the only window.
        let window = unsafe { landing.window(0, bytes as usize) };
        match sys::pread(&file, window, 0) {
            Ok(read) if read as u64 == bytes => Ok(DirectOutcome::Whole(landing.into_buffer())),
            _ => Ok(DirectOutcome::Other),
        }
    }
}

/// The folder of the last file.
#[derive(Default)]
pub(crate) struct LastFolder {
    path: Vec<u8>,
    /// From its second file on.
    file: Option<OwnedFd>,
}

impl LastFolder {
    pub(crate) fn open(&mut self, path: &Path) -> SysResult<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let bytes = path.as_os_str().as_bytes();
        let cut = sys::folder_end(bytes);
        if let Some(cut) = cut {
            if bytes[..cut] != self.path {
                (self.path, self.file) = (bytes[..cut].to_vec(), None);
            } else {
                if self.file.is_none() {
                    let flags = sys::PASS | OFlags::DIRECTORY | OFlags::CLOEXEC;
                    self.file = Some(openat(CWD, &bytes[..cut], flags, Mode::empty())?);
                }
                let name = &bytes[cut + 1..];
                return openat(self.file.as_ref().expect("just made"), name, flags, Mode::empty());
            }
        }
        openat(CWD, path, flags, Mode::empty())
    }
}
