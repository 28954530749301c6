//! A scratch file without a name, to measure the medium below a folder: through the page cache or
//! past it, cached or not, by one thread or several. The clock is the caller's.

use crate::atomic::AtomicFile;
use crate::io_error;
use crate::sys::{self, FileExt};
use solio_base::{Result, Work};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Bytes of one large request.
pub const BLOCK_BYTES: usize = 4 << 20;
/// Bytes of one small request.
pub const SMALL_BYTES: usize = 64 << 10;
/// What direct requests must be a multiple of, on every medium we know.
const ALIGN: usize = 4096;

/// Through the page cache, or past it.
///
/// ```
/// use solio_io::scratch::{ScratchFile, CacheMode};
/// # let folder = tempfile::tempdir().unwrap();
/// # let work = solio_base::Work::default();
/// let scratch = ScratchFile::create(folder.path(), 1)?;
/// let ways = [Some(CacheMode::Buffered), scratch.has_direct().then_some(CacheMode::Direct)];
/// for way in ways.into_iter().flatten() {
///     scratch.write(way, &work)?;
///     scratch.read(way, 1, &work)?;
/// }
/// assert_ne!(ways[0], ways[1]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Through the page cache.
    Buffered,
    /// Straight between the medium and the buffer (`O_DIRECT`).
    Direct,
}

/// The scratch file; it is gone when this is dropped, and after a crash.
///
/// ```
/// use solio_io::scratch::{ScratchFile, CacheMode};
/// # let folder = tempfile::tempdir().unwrap();
/// # let work = solio_base::Work::default();
/// let scratch = ScratchFile::create(folder.path(), 4 << 20)?;
/// scratch.write(CacheMode::Buffered, &work)?;
/// let begun = std::time::Instant::now();
/// scratch.read(CacheMode::Buffered, 1, &work)?;
/// println!("{:.0} MB/s", scratch.bytes() as f64 / 1e6 / begun.elapsed().as_secs_f64());
/// drop(scratch);
/// assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct ScratchFile {
    /// Never put in place.
    buffered: AtomicFile,
    direct: Option<File>,
    folder: PathBuf,
    blocks: u64,
}

impl ScratchFile {
    /// An empty file in the file system of `folder`, which will hold `bytes`, rounded up to whole
    /// blocks of [`BLOCK_BYTES`].
    ///
    /// ```
    /// use solio_io::scratch::ScratchFile;
    /// # let folder = tempfile::tempdir().unwrap();
    /// // It takes no room before it is written.
    /// let scratch = ScratchFile::create(folder.path(), 1 << 50)?;
    /// assert_eq!(scratch.bytes(), 1 << 50);
    /// let missing = folder.path().join("not-mounted");
    /// assert!(ScratchFile::create(&missing, 1).is_err_and(|error| error.is_missing()));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn create(folder: &Path, bytes: u64) -> Result<ScratchFile> {
        let buffered = AtomicFile::create(&folder.join("solio-scratch"))?;
        let direct = sys::past_the_cache(buffered.file.file());
        let blocks = bytes.div_ceil(BLOCK_BYTES as u64).max(1);
        Ok(ScratchFile { buffered, direct, folder: folder.to_path_buf(), blocks })
    }

    /// Bytes that the file holds after the first [`ScratchFile::write`].
    ///
    /// ```
    /// use solio_io::scratch::{BLOCK_BYTES, ScratchFile};
    /// # let folder = tempfile::tempdir().unwrap();
    /// let bytes = |wanted| Ok(ScratchFile::create(folder.path(), wanted)?.bytes());
    /// assert_eq!(bytes(0)?, BLOCK_BYTES as u64);
    /// assert_eq!(bytes(BLOCK_BYTES as u64 + 1)?, 2 * BLOCK_BYTES as u64);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES as u64
    }

    /// Whether this file system reads and writes past the page cache.
    ///
    /// ```
    /// use solio_io::scratch::{ScratchFile, CacheMode};
    /// # let folder = tempfile::tempdir().unwrap();
    /// let scratch = ScratchFile::create(folder.path(), 1)?;
    /// let written = scratch.write(CacheMode::Direct, &Default::default());
    /// assert_eq!(written.is_ok(), scratch.has_direct());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn has_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// Writes the whole file, front to back.
    ///
    /// ```
    /// use solio_io::scratch::{ScratchFile, CacheMode};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let work = solio_base::Work::default();
    /// let scratch = ScratchFile::create(folder.path(), 1 << 40)?;
    /// // Asked before every block: nobody waits for a terabyte.
    /// work.cancel.cancel();
    /// let error = scratch.write(CacheMode::Buffered, &work).unwrap_err();
    /// assert_eq!(error.kind(), solio_base::ErrorKind::Cancelled);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the system; `InvalidInput` for [`CacheMode::Direct`] where [`ScratchFile::has_direct`] says no.
    pub fn write(&self, way: CacheMode, work: &Work) -> Result<()> {
        let file = self.file(way)?;
        let mut buffer = Aligned::new(BLOCK_BYTES);
        buffer.get(BLOCK_BYTES).fill(b'7');
        for block in 0..self.blocks {
            work.cancel.check()?;
            file.write_all_at(buffer.get(BLOCK_BYTES), block * BLOCK_BYTES as u64)
                .map_err(|e| io_error("write", e, &self.folder))?;
        }
        Ok(())
    }

    /// Waits until the medium has everything.
    ///
    /// ```
    /// use solio_io::scratch::{ScratchFile, CacheMode};
    /// use std::time::Instant;
    /// # let folder = tempfile::tempdir().unwrap();
    /// let scratch = ScratchFile::create(folder.path(), 1)?;
    /// // The page cache takes the bytes sooner than the medium has them.
    /// let begun = Instant::now();
    /// scratch.write(CacheMode::Buffered, &Default::default())?;
    /// let cached = begun.elapsed();
    /// scratch.sync()?;
    /// assert!(begun.elapsed() >= cached);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn sync(&self) -> Result<()> {
        self.buffered.file.file().sync_data().map_err(|e| io_error("sync", e, &self.folder))
    }

    /// Reads the whole file: each of `threads` its own part, front to back.
    ///
    /// ```
    /// use solio_io::scratch::{ScratchFile, CacheMode};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let work = solio_base::Work::default();
    /// let scratch = ScratchFile::create(folder.path(), 8 << 20)?;
    /// // What was not written cannot be read.
    /// assert!(scratch.read(CacheMode::Buffered, 1, &work).is_err());
    /// scratch.write(CacheMode::Buffered, &work)?;
    /// for threads in [1, 2] {
    ///     scratch.read(CacheMode::Buffered, threads, &work)?;
    /// }
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn read(&self, way: CacheMode, threads: usize, work: &Work) -> Result<()> {
        let file = self.file(way)?;
        let threads = threads.max(1) as u64;
        in_threads(threads, |thread| {
            let mut buffer = Aligned::new(BLOCK_BYTES);
            let part = thread * self.blocks / threads..(thread + 1) * self.blocks / threads;
            for block in part {
                work.cancel.check()?;
                self.read_at(file, buffer.get(BLOCK_BYTES), block * BLOCK_BYTES as u64)?;
            }
            Ok(())
        })
    }

    /// Reads `requests` pieces of [`SMALL_BYTES`] at scattered places, `threads` at a time.
    ///
    /// ```
    /// use solio_io::scratch::{SMALL_BYTES, ScratchFile, CacheMode};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let work = solio_base::Work::default();
    /// let scratch = ScratchFile::create(folder.path(), 4 << 20)?;
    /// scratch.write(CacheMode::Buffered, &work)?;
    /// // A quarter of the file, by two threads.
    /// let requests = scratch.bytes() / SMALL_BYTES as u64 / 4;
    /// assert_eq!(requests, 16);
    /// scratch.read_scattered(CacheMode::Buffered, 2, requests, &work)?;
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn read_scattered(
        &self,
        way: CacheMode,
        threads: usize,
        requests: u64,
        work: &Work,
    ) -> Result<()> {
        let file = self.file(way)?;
        let threads = threads.max(1) as u64;
        let pieces = self.bytes() / SMALL_BYTES as u64;
        in_threads(threads, |thread| {
            let mut buffer = Aligned::new(SMALL_BYTES);
            for request in (thread..requests).step_by(threads as usize) {
                work.cancel.check()?;
                // Multiplying by an odd constant scatters without repeating soon.
                let piece = request.wrapping_mul(0x9e37_79b9_7f4a_7c15) % pieces;
                self.read_at(file, buffer.get(SMALL_BYTES), piece * SMALL_BYTES as u64)?;
            }
            Ok(())
        })
    }

    /// Asks the system to drop the file from the page cache; says whether it did. Only what has
    /// reached the medium can be dropped: [`ScratchFile::sync`] first.
    ///
    /// ```
    /// use solio_io::scratch::{ScratchFile, CacheMode};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let work = solio_base::Work::default();
    /// let scratch = ScratchFile::create(folder.path(), 1)?;
    /// scratch.write(CacheMode::Buffered, &work)?;
    /// scratch.sync()?;
    /// // A file system in memory has nowhere to drop it to.
    /// let from = if scratch.evict() { "the medium" } else { "the page cache" };
    /// println!("what follows reads from {from}");
    /// assert!(scratch.read(CacheMode::Buffered, 1, &work).is_ok());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn evict(&self) -> bool {
        sys::drop_from_cache(self.buffered.file.file());
        (0..16).all(|i| !sys::is_cached(self.buffered.file.file(), i * self.bytes() / 16))
    }

    fn file(&self, way: CacheMode) -> Result<&File> {
        let none = || {
            let e = std::io::Error::from(std::io::ErrorKind::InvalidInput);
            io_error("open past the page cache", e, &self.folder)
        };
        match way {
            CacheMode::Buffered => Ok(self.buffered.file.file()),
            CacheMode::Direct => self.direct.as_ref().ok_or_else(none),
        }
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], offset: u64) -> Result<()> {
        file.read_exact_at(buffer, offset).map_err(|e| io_error("read", e, &self.folder))
    }
}

/// Runs `job` on as many threads; the first error, if any.
fn in_threads(threads: u64, job: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    if threads == 1 {
        return job(0);
    }
    std::thread::scope(|scope| {
        let job = &job;
        let all: Vec<_> = (0..threads).map(|t| scope.spawn(move || job(t))).collect();
        all.into_iter().try_for_each(|thread| thread.join().expect("reads do not panic"))
    })
}

/// Memory that starts where direct requests may.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
}

impl Aligned {
    fn new(bytes: usize) -> Aligned {
        let mut memory = solio_base::memory::with_capacity(bytes + ALIGN);
        memory.resize(bytes + ALIGN, 0u8);
        let start = memory.as_ptr().align_offset(ALIGN);
        Aligned { memory, start }
    }

    fn get(&mut self, bytes: usize) -> &mut [u8] {
        &mut self.memory[self.start..self.start + bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_files_leave_nothing_and_read_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let work = Work::default();
        let scratch = ScratchFile::create(dir.path(), 5 << 20).unwrap();
        assert_eq!(scratch.bytes(), 8 << 20);
        scratch.write(CacheMode::Buffered, &work).unwrap();
        assert!(sys::is_cached(scratch.buffered.file.file(), 0));
        scratch.sync().unwrap();
        scratch.evict();
        for threads in [1, 2, 5] {
            scratch.read(CacheMode::Buffered, threads, &work).unwrap();
            scratch.read_scattered(CacheMode::Buffered, threads, 33, &work).unwrap();
        }
        if scratch.has_direct() {
            scratch.write(CacheMode::Direct, &work).unwrap();
            scratch.read(CacheMode::Direct, 2, &work).unwrap();
            scratch.read_scattered(CacheMode::Direct, 3, 7, &work).unwrap();
        } else {
            assert!(scratch.read(CacheMode::Direct, 1, &work).is_err());
        }
        let mut last = [0; 1];
        scratch.buffered.file.file().read_exact_at(&mut last, scratch.bytes() - 1).unwrap();
        assert_eq!(&last, b"7");
        drop(scratch);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_cancelled_measurement_ends() {
        let dir = tempfile::tempdir().unwrap();
        let work = Work::default();
        let scratch = ScratchFile::create(dir.path(), 1).unwrap();
        scratch.write(CacheMode::Buffered, &work).unwrap();
        work.cancel.cancel();
        let error = scratch.read(CacheMode::Buffered, 2, &work).unwrap_err();
        assert_eq!(error.kind(), solio_base::ErrorKind::Cancelled);
    }
}
