//! Opening files for reading.
//!
//! Plain files are read with `pread` into buffers that the pipeline reuses: no shared position,
//! so any thread reads any part, and no page faults of a memory map. Large ones that are not in
//! the page cache are read ahead by the engine.

use crate::ahead::{self, AheadSource};
use crate::engine::{Residency, residency};
use crate::stream::InTurnSource;
use crate::{StreamSource, io_error, objects, throttle};
use solio_base::{Error, Limits, Progress, Result, Source, Work, memory};
use solio_codec::compress::Compression;
use solio_measure::SpanName;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// So much of a file is read when it is opened: it tells the compression, and is often all that is
/// asked for.
const HEAD_BYTES: usize = 4096;

/// The system reads this much ahead without being told that all is wanted.
const READ_AHEAD_BYTES: u64 = 128 << 10;

/// A copy of fewer bytes is not worth another way.
const ASIDE_LEAST_BYTES: usize = 16 << 10;
/// So much is moved at once.
const ASIDE_BYTES: usize = 128 << 10;

static READ: SpanName = SpanName::new("read chunk");

thread_local! {
    /// The memory of a head, for the next file.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
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

/// Opens `path` (`-` is standard input, `s3://…` an object) and finds out by its first bytes how it is compressed.
///
/// ```no_run
/// # use solio_base::{Limits, Work};
/// let opened = solio_io::open("mesh.obj.gz".as_ref(), &Limits::default(), &Work::default())?;
/// let mut head = [0; 4096];
/// let got = opened.source.read_at(0, &mut head)?;
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn open(path: &Path, limits: &Limits, work: &Work) -> Result<OpenedFile> {
    open_with(path, work, |reader| {
        let source = StreamSource::start(reader, path, limits, &work.progress)?;
        let compression = source.compression();
        Ok((Box::new(source), compression))
    })
}

/// [`open`] for who reads once from the beginning to the end, with all the threads of `work`: what
/// is packed is unpacked by them, in turn, to where they want it, and by no thread beside them.
pub fn open_in_turn(path: &Path, limits: &Limits, work: &Work) -> Result<OpenedFile> {
    open_with(path, work, |reader| {
        let source = InTurnSource::new(reader, path, limits, &work.progress)?;
        let compression = source.compression();
        Ok((Box::new(source), compression))
    })
}

/// `stream` makes the source of what can only be read forward.
fn open_with(
    path: &Path,
    work: &Work,
    stream: impl FnOnce(Box<dyn Read + Send>) -> Result<(Box<dyn Source>, Compression)>,
) -> Result<OpenedFile> {
    work.progress.add_file();
    if path.as_os_str() == crate::STANDARD {
        let (source, compression) = stream(Box::new(std::io::stdin()))?;
        return Ok(OpenedFile { source, compression, file_bytes: None });
    }
    if objects::is_address(path) {
        return objects::open(path, work, stream);
    }
    let (file, meta) = open_file(path)?;
    if !meta.is_file() {
        let (source, compression) = stream(Box::new(file))?;
        return Ok(OpenedFile { source, compression, file_bytes: None });
    }
    work.progress.add_read_total(meta.len());
    let mut head = SPARE.take();
    head.resize(HEAD_BYTES, 0);
    let mut span = READ.begin();
    let got = read_full(&file, 0, &mut head).map_err(|e| io_error("read", e, path))?;
    span.set_bytes(got);
    drop(span);
    head.truncate(got);
    let compression = Compression::of_head(&head);
    let source: Box<dyn Source> = if compression == Compression::None {
        let cold = meta.len() >= ahead::LEAST_BYTES
            && work.memory_bytes >= ahead::LEAST_MEMORY
            && residency(file.as_fd(), 0, meta.len()) == Residency::Cold;
        let mut source = FileSource::new(file, meta.len(), work.progress.clone());
        source.head = head;
        if cold {
            Box::new(AheadSource::new(source, path, work.memory_bytes)?)
        } else {
            Box::new(source)
        }
    } else {
        stream(Box::new(file))?.0
    };
    Ok(OpenedFile { source, compression, file_bytes: Some(meta.len()) })
}

/// A plain file: any offset, from any thread.
pub struct FileSource {
    pub(crate) file: File,
    pub(crate) bytes: u64,
    /// What was read when the file was opened.
    head: Vec<u8>,
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

/// The whole of a small side file, such as an MTL, decompressed; at most `most` bytes.
pub fn read_whole(path: &Path, limits: &Limits, work: &Work) -> Result<Vec<u8>> {
    let opened = open(path, limits, work)?;
    crate::at_path(bytes_of(&*opened.source, limits), path)
}

/// All bytes of a source.
///
/// ```
/// let source: &[u8] = b"v 0 0 0\n";
/// assert_eq!(solio_io::bytes_of(&source, &Default::default())?, source);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit` where there are too many, and those of the source.
pub fn bytes_of(source: &dyn Source, limits: &Limits) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let start = bytes.len();
        limits.check_bytes("the file", start as u64)?;
        let step = match source.len_bytes() {
            Some(all) => (all as usize).saturating_sub(start) + 1,
            None => 64 << 10,
        };
        bytes.resize(start + step.min(1 << 20), 0);
        let got = source.read_at(start as u64, &mut bytes[start..])?;
        bytes.truncate(start + got);
        if got < step.min(1 << 20) {
            return Ok(bytes);
        }
    }
}

/// The size of the file at `path`, in bytes.
pub fn file_bytes(path: &Path) -> Result<u64> {
    std::fs::metadata(path).map(|m| m.len()).map_err(|e| io_error("read", e, path))
}

/// Whether a folder, or a link to one, is at `path`; where nothing is, there is none.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// assert!(solio_io::is_folder(folder.path())?);
/// assert!(!solio_io::is_folder(&folder.path().join("none"))?);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Where the system cannot tell. Taken for a file, a folder would be left out without a word.
pub fn is_folder(path: &Path) -> Result<bool> {
    use std::io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    let is_loop =
        |e: &std::io::Error| e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    match std::fs::metadata(path) {
        Ok(meta) => Ok(meta.is_dir()),
        // Reading tells what is wrong with these.
        Err(e) if matches!(e.kind(), NotFound | NotADirectory | InvalidFilename) => Ok(false),
        Err(e) if is_loop(&e) => Ok(false),
        Err(e) => Err(io_error("look at", e, path)),
    }
}

/// Those of `paths` that are folders, and the others; what cannot be told goes to `failed`.
pub fn folders_and_files(
    paths: impl IntoIterator<Item = PathBuf>,
    mut failed: impl FnMut(PathBuf, Error),
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for path in paths {
        match is_folder(&path) {
            Ok(true) => folders.push(path),
            Ok(false) => files.push(path),
            Err(error) => failed(path, error),
        }
    }
    (folders, files)
}

/// Asks the system to fetch the file at `path`, which is going to be read, and returns at once;
/// gives its bytes. What is no plain file, cannot be opened or has more than `most_bytes` is left
/// alone, and gives 0.
pub fn prefetch(path: &Path, most_bytes: u64) -> u64 {
    // Opening a pipe would wait for its writer.
    let is_fit = |meta: &Metadata| meta.is_file() && meta.len() <= most_bytes;
    if !std::fs::metadata(path).is_ok_and(|meta| is_fit(&meta)) {
        return 0;
    }
    let Ok((file, meta)) = open_file(path) else { return 0 };
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::WillNeed);
    drop(file);
    meta.len()
}

/// Copies `from` to `to` (whole or not at all), for textures that go along with a mesh. A file
/// that is copied onto itself stays as it is.
pub fn copy_file(from: &Path, to: &Path, work: &Work) -> Result<u64> {
    if let (Ok(a), Ok(b)) = (from.canonicalize(), to.canonicalize())
        && a == b
    {
        return Ok(0);
    }
    let (file, _) = open_file(from)?;
    let mut sink = crate::FileSink::create(to, &crate::SinkOptions::default(), work)?;
    let mut buffer = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        let got = read_full(&file, offset, &mut buffer).map_err(|e| io_error("read", e, from))?;
        if got == 0 {
            break;
        }
        work.cancel.check()?;
        solio_base::Sink::write_bytes(&mut sink, work, &buffer[..got])?;
        offset += got as u64;
    }
    Ok(sink.commit()?.file_bytes)
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
