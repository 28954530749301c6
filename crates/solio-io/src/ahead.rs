//! A large file that is not in the page cache: the engine reads it ahead, past the page cache.
//!
//! Decoders ask for one chunk after the other, some for a few at a time. Here a few large reads
//! are always under way before them (338 MB of OBJ on a virtual disk of 2 GB/s: 0.34 s, where the page cache
//! had to be filled 0.41 s; 292 MB of PLY 0.40 and 0.77 s). What lies far behind or ahead of that
//! is read with `pread`, and so is everything once a read has failed: then the error is that of the
//! place which the decoder has come to, whatever was read ahead.
//!
//! A slow medium is not worth it: reading the file once more would take its time again. So where
//! the first reads took too long, the rest goes through the page cache.

use crate::engine::{Batch, Buffer, Engine, EngineOptions, Request};
use crate::file::FileSource;
use crate::sys::{self, AsFd, Residency, residency};
use solio_base::{Result, Source, Work, lock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Smaller files go through the page cache: whoever reads them next finds them there.
const LEAST_BYTES: u64 = 16 << 20;
/// Bytes of results before the decoder.
const AHEAD_BYTES: u64 = 32 << 20;
/// The memory budget that an eighth may be taken of: four reads at a time.
const LEAST_MEMORY: u64 = 8 * 4 * RANGE;
/// Bytes of a read.
const RANGE: u64 = 2 << 20;
/// Ranges that are kept behind the newest one: chunks are asked for in about their order.
const BEHIND: u64 = 8;
/// The farthest jump that is waited for.
const JUMP: u64 = 32;

/// The range that tells how fast the medium is: those before it do not wait for the decoder.
const TELLS: u64 = 7;
/// Below a gigabyte a second the page cache keeps up.
const SLOW: Duration = Duration::from_nanos((TELLS + 1) * RANGE);

/// The file at `path`, read ahead where it is large and not in the page cache, and `work` has the
/// memory.
pub(crate) fn source(file: Arc<FileSource>, path: &Path, work: &Work) -> Result<Box<dyn Source>> {
    let is_cold = file.bytes >= LEAST_BYTES
        && work.memory_bytes >= LEAST_MEMORY
        && residency(file.file.as_fd(), 0, file.bytes) == Residency::Cold;
    Ok(match is_cold {
        true => Box::new(AheadSource::new(file, path, work.memory_bytes)?),
        false => Box::new(file),
    })
}

/// See the head of the file.
struct AheadSource {
    file: Arc<FileSource>,
    /// Names the file that is open, whatever happens where it was found.
    path: PathBuf,
    engine: Engine,
    state: Mutex<AheadState>,
}

#[derive(Default)]
struct AheadState {
    /// From the first range that was asked for to the end of the file.
    batch: Option<Batch>,
    base: u64,
    /// By their number in the file.
    ranges: BTreeMap<u64, Arc<Buffer>>,
    newest: u64,
    /// The rest is read with `pread`.
    given_up: bool,
}

impl AheadSource {
    /// For an open file, with at least [`LEAST_MEMORY`] to use.
    fn new(file: Arc<FileSource>, path: &Path, memory_bytes: u64) -> Result<Self> {
        let memory_bytes = AHEAD_BYTES.min(memory_bytes / 8);
        let engine = Engine::new(EngineOptions { memory_bytes, ..EngineOptions::default() })?;
        let path = sys::name_of_open(&file.file).unwrap_or_else(|| path.to_owned());
        Ok(AheadSource { file, path, engine, state: Mutex::default() })
    }

    /// The range with this number, if it is not far away.
    fn range(&self, number: u64) -> Option<Arc<Buffer>> {
        let mut state = lock(&self.state);
        if state.batch.is_none() {
            let bytes = self.file.bytes;
            let ranges = (number..bytes.div_ceil(RANGE))
                .map(|n| Request::range(&self.path, n * RANGE, RANGE.min(bytes - n * RANGE)));
            (state.base, state.newest) = (number, number);
            state.batch = Some(self.engine.read(ranges));
        }
        if number < state.base || number > state.newest + JUMP {
            return None;
        }
        loop {
            if let Some(range) = state.ranges.get(&number) {
                return Some(range.clone());
            }
            if state.given_up || number + BEHIND < state.newest {
                return None;
            }
            let done = state.batch.as_mut().and_then(Batch::next)?;
            if done.result.is_err() || (done.index as u64 == TELLS && done.total > SLOW) {
                state.given_up = true;
                state.batch.as_ref().into_iter().for_each(Batch::cancel);
            }
            let Ok(range) = done.result else { continue };
            let arrived = state.base + done.index as u64;
            state.ranges.insert(arrived, Arc::new(range));
            state.newest = state.newest.max(arrived);
            let oldest = state.newest.saturating_sub(BEHIND);
            state.ranges = state.ranges.split_off(&oldest);
        }
    }
}

impl Source for AheadSource {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.file.bytes)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let end = self.file.bytes.min(offset.saturating_add(buf.len() as u64));
        // Whoever finds out what the file is looks at its head, and needs no more of it.
        if end <= RANGE / 2 {
            return self.file.read_at(offset, buf);
        }
        let mut at = offset;
        while at < end {
            let Some(range) = self.range(at / RANGE) else {
                let done = (at - offset) as usize;
                return Ok(done + self.file.read_at(at, &mut buf[done..])?);
            };
            let start = (at % RANGE) as usize;
            let count = (range.len() - start).min((end - at) as usize);
            let to = (at - offset) as usize;
            buf[to..to + count].copy_from_slice(&range[start..start + count]);
            at += count as u64;
        }
        self.file.reached(end);
        Ok((end - offset.min(end)) as usize)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use solio_base::Progress;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    fn made(bytes: usize) -> (tempfile::TempDir, Vec<u8>, AheadSource) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let content: Vec<u8> = (0..bytes as u64)
            .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
            .collect();
        std::fs::write(&path, &content).unwrap();
        let (file, _) = crate::file::open_file(&path).unwrap();
        let file = Arc::new(FileSource::new(file, bytes as u64, Progress::default()));
        let source = AheadSource::new(file, &path, u64::MAX).unwrap();
        (folder, content, source)
    }

    fn check(source: &AheadSource, content: &[u8], offset: u64, length: usize) {
        let mut buffer = vec![0; length];
        let got = source.read_at(offset, &mut buffer).unwrap();
        let start = content.len().min(offset as usize);
        assert!(buffer[..got] == content[start..content.len().min(start + length)], "{offset}");
    }

    #[test]
    fn any_order_gives_the_files_bytes() {
        let (_folder, content, source) = made((40 << 20) + 12_345);
        for at in (0..content.len() as u64).step_by(3 << 20) {
            check(&source, &content, at, (3 << 20) + 7);
        }
        // Back, to the end, beyond it, and the head again.
        for at in [5 << 20, 39 << 20, 0, 17, content.len() as u64 - 1, content.len() as u64 + 9] {
            check(&source, &content, at, 4 << 20);
        }
        let (_folder, content, far) = made(100 << 20);
        check(&far, &content, 1 << 20, 1 << 20);
        check(&far, &content, 98 << 20, 4 << 20);
        check(&far, &content, 3 << 20, 4 << 20);
    }

    #[test]
    fn another_file_at_the_path_does_not_matter() {
        let (folder, content, source) = made(20 << 20);
        check(&source, &content, 2 << 20, 1 << 20);
        std::fs::rename(folder.path().join("a"), folder.path().join("b")).unwrap();
        if crate::probe::symlink("/dev/zero", folder.path().join("a")).is_err() {
            crate::probe::write_plain(&folder.path().join("a"), b"another").unwrap();
        }
        check(&source, &content, 12 << 20, 1 << 20);
    }

    #[test]
    fn threads_share_it() {
        let (_folder, content, source) = made(30 << 20);
        let next = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1_000_003, Relaxed);
                        if at >= content.len() as u64 {
                            return;
                        }
                        check(&source, &content, at, 1_000_003);
                    }
                });
            }
        });
    }

    #[test]
    fn a_file_that_shrinks_ends_where_it_does() {
        let (folder, content, source) = made(40 << 20);
        let file = std::fs::OpenOptions::new().write(true).open(folder.path().join("a")).unwrap();
        file.set_len(10 << 20).unwrap();
        let mut buffer = vec![0; 2 << 20];
        for number in 1..20 {
            let at = number * RANGE;
            let got = source.read_at(at, &mut buffer).unwrap();
            assert_eq!(got, if at < 10 << 20 { buffer.len() } else { 0 }, "{at}");
            assert!(buffer[..got] == content[at as usize..][..got]);
        }
    }
}
