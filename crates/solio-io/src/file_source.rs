//! A plain file as a source.
//!
//! It is read with `pread` into buffers that the pipeline reuses: no shared position, so any thread
//! reads any part, and no page faults of a memory map.

use crate::{io_error, throttle};
use solio_base::{Error, Progress, Result, Source, memory};
use solio_codec::compress::Compression;
use solio_measure::SpanName;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// So much of a file is read when it is opened: it tells the compression, and is often all that is
/// asked for.
pub(crate) const HEAD_BYTES: usize = 4096;

/// The system reads this much ahead without being told that all is wanted.
const READ_AHEAD_BYTES: u64 = 128 << 10;

/// A copy of fewer bytes is not worth another way.
const ASIDE_LEAST_BYTES: usize = 16 << 10;
/// So much is moved at once.
const ASIDE_BYTES: usize = 128 << 10;

pub(crate) static READ: SpanName = SpanName::new("read chunk");

thread_local! {
    /// The memory of a head, for the next file.
    pub(crate) static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A file ready to be decoded.
pub struct OpenedFile {
    /// Its bytes, decompressed.
    pub source: Box<dyn Source>,
    /// The compression that the content showed.
    pub compression: Compression,
    /// Bytes on the disk, where that is known.
    pub file_bytes: Option<u64>,
}

/// A plain file: any offset, from any thread.
pub struct FileSource {
    pub(crate) file: File,
    pub(crate) bytes: u64,
    /// What was read when the file was opened.
    pub(crate) head: Vec<u8>,
    /// How far reads have come: progress counts what is read again, such as the head, once.
    reached: AtomicU64,
    progress: Progress,
}

impl FileSource {
    pub(crate) fn new(file: File, bytes: u64, progress: Progress) -> Self {
        FileSource { file, bytes, head: Vec::new(), reached: AtomicU64::new(0), progress }
    }

    /// The bytes from `offset` on, where all `wanted`, or all that there are, were read already.
    fn of_head(&self, offset: u64, wanted: usize) -> Option<&[u8]> {
        let rest = self.head.get(usize::try_from(offset).ok()?..)?;
        let is_whole = !self.head.is_empty() && self.head.len() < HEAD_BYTES;
        (rest.len() >= wanted || is_whole).then(|| &rest[..rest.len().min(wanted)])
    }

    /// Everything before `end` has been read.
    pub(crate) fn reached(&self, end: u64) {
        let before = self.reached.fetch_max(end, Ordering::Relaxed);
        self.progress.add_read(end.saturating_sub(before));
    }
}

impl Drop for FileSource {
    fn drop(&mut self) {
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.head)));
    }
}

impl Source for FileSource {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }

    fn head(&self) -> &[u8] {
        self.reached(self.head.len() as u64);
        &self.head
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if let Some(from) = self.of_head(offset, buf.len()) {
            buf[..from.len()].copy_from_slice(from);
            self.reached(offset + from.len() as u64);
            return Ok(from.len());
        }
        throttle::wait((buf.len() as u64).min(self.bytes.saturating_sub(offset)))?;
        let mut span = READ.begin();
        let got = read_full(&self.file, offset, buf).map_err(|e| Error::io("read", e))?;
        span.set_bytes(got);
        self.reached(offset + got as u64);
        Ok(got)
    }
}

/// The one place that opens files for reading.
#[allow(clippy::disallowed_methods)]
pub(crate) fn open_file(path: &Path) -> Result<(File, Metadata)> {
    let file = File::open(path).map_err(|e| io_error("open", e, path))?;
    let meta = file.metadata().map_err(|e| io_error("read", e, path))?;
    if meta.is_dir() {
        let e = Error::new(solio_base::ErrorKind::Io, "cannot open: this is a directory");
        return Err(e.at_path(path));
    }
    #[cfg(target_os = "linux")]
    if meta.len() > READ_AHEAD_BYTES {
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Sequential);
    }
    Ok((file, meta))
}

/// Reads until `buf` is full or the file ends.
pub(crate) fn read_full(file: &File, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
    if buf.len() >= ASIDE_LEAST_BYTES && memory::copies_slowly(offset, buf.as_ptr() as usize) {
        return read_aside(file, offset, buf);
    }
    read_there(file, offset, buf)
}

/// [`read_full`] where the system's copy would be slow: to a place a little behind, and moved from
/// there while it is in the core's own cache.
fn read_aside(file: &File, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
    let mut done = 0;
    while buf.len() - done > memory::CLEAR_BYTES {
        let rest = &mut buf[done..];
        let end = rest.len().min(memory::CLEAR_BYTES + ASIDE_BYTES);
        let wanted = end - memory::CLEAR_BYTES;
        let there = &mut rest[memory::CLEAR_BYTES..end];
        let got = read_there(file, offset + done as u64, there)?;
        rest.copy_within(memory::CLEAR_BYTES..memory::CLEAR_BYTES + got, 0);
        done += got;
        if got < wanted {
            return Ok(done);
        }
    }
    Ok(done + read_there(file, offset + done as u64, &mut buf[done..])?)
}

fn read_there(file: &File, mut offset: u64, mut buf: &mut [u8]) -> std::io::Result<usize> {
    let wanted = buf.len();
    while !buf.is_empty() {
        match file.read_at(buf, offset) {
            Ok(0) => break,
            Ok(n) => {
                buf = &mut buf[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(wanted - buf.len())
}

/// A reader that counts what it reads.
pub(crate) struct ProgressReader<R> {
    pub(crate) reader: R,
    pub(crate) progress: Progress,
}

impl<R: Read> Read for ProgressReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let mut span = READ.begin();
        let got = self.reader.read(buf)?;
        span.set_bytes(got);
        throttle::wait(got as u64)?;
        self.progress.add_read(got as u64);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_is_moved_is_a_plain_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..400_000u64).map(|i| (i * i / 7 + i) as u8).collect();
        crate::probe::write_plain(&path, &bytes).unwrap();
        let (file, _) = open_file(&path).unwrap();
        for offset in [0, 1, 4096, 130_000, 399_990, 400_000, 400_001] {
            for wanted in [0, 1, 63, 64, 65, 128, 70_000, 131_135, 131_136, 131_137, 300_000] {
                let mut got = vec![0xee; wanted];
                let count = read_aside(&file, offset as u64, &mut got).unwrap();
                let expected = bytes.get(offset..).unwrap_or_default();
                let expected = &expected[..expected.len().min(wanted)];
                assert_eq!(&got[..count], expected, "{wanted} bytes from {offset} on");
            }
        }
    }
}
