//! Opening files for reading.
//!
//! Plain files are read with `pread` into buffers that the pipeline reuses: no shared position,
//! so any thread reads any part, and no page faults of a memory map. Large ones that are not in
//! the page cache are read ahead by the engine.

use crate::ahead;
use crate::stream::InTurnSource;
use crate::sys::{self, AtFlags, BorrowedFd, FileExt, FileType, Mode, OFlags, retry_on_intr};
use crate::{HeadSource, StreamSource, io_error, long_path, objects, throttle};
use solio_base::{Error, Limits, Progress, Result, Source, Work, memory};
use solio_codec::compress::{Compression, StreamDecoder};
use solio_measure::SpanName;
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So much of a file is read when it is opened: it tells the compression, and is often all that is
/// asked for.
pub(crate) const HEAD_BYTES: usize = 4096;

/// The system reads this much ahead without being told that all is wanted.
const READ_AHEAD_BYTES: u64 = 128 << 10;

/// A copy of fewer bytes is not worth another way.
const ASIDE_LEAST_BYTES: usize = 16 << 10;
/// So much is moved at once.
const ASIDE_BYTES: usize = 128 << 10;

/// Bytes that are asked for at a time before the damage of a file.
const DAMAGED_STEP: usize = 16;

static READ: SpanName = SpanName::new("read chunk");

thread_local! {
    /// The memory of a head, for the next file.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A file ready to be decoded.
pub struct OpenedSource {
    /// Its bytes, decompressed.
    pub source: Box<dyn Source>,
    /// The compression that the content showed.
    pub compression: Compression,
    /// Bytes on the disk, where that is known.
    pub file_bytes: Option<u64>,
}

/// A file that is open, with its first bytes read. How the rest is read is chosen when it is known
/// what the file is; it can be read several times, unless its bytes come once, as those of a pipe do.
pub struct OpenFile {
    path: PathBuf,
    content: Content,
    compression: Compression,
    file_bytes: Option<u64>,
}

enum Content {
    File(Arc<FileSource>),
    /// Bytes in memory, or ranges of an object.
    Other(Arc<dyn Source>),
    /// The first bytes, then the rest.
    Once(Vec<u8>, Mutex<Option<Box<dyn Read + Send>>>),
}

impl OpenFile {
    /// Opens `path` (`-` is standard input, `s3://…` an object) and reads its first bytes.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn open(path: &Path, work: &Work) -> Result<OpenFile> {
        work.progress.add_file();
        if path.as_os_str() == crate::STANDARD {
            return OpenFile::once(path, std::io::stdin(), work);
        }
        if objects::is_address(path) {
            let (source, bytes) = objects::open(path, work)?;
            return Ok(OpenFile::of_content(path, Content::Other(source), Some(bytes)));
        }
        let (file, meta) = open_file(path)?;
        if !meta.is_file() {
            return OpenFile::once(path, file, work);
        }
        work.progress.add_read_total(meta.len());
        let mut head = SPARE.take();
        head.resize(HEAD_BYTES, 0);
        let mut span = READ.begin();
        let got = read_full(&file, 0, &mut head).map_err(|e| io_error("read", e, path))?;
        span.set_bytes(got);
        drop(span);
        head.truncate(got);
        let mut source = FileSource::new(file, meta.len(), work.progress.clone());
        source.head = head;
        Ok(OpenFile::of_content(path, Content::File(Arc::new(source)), Some(meta.len())))
    }

    /// The file of which the start has been read, and counted, already.
    ///
    /// # Errors
    /// Where the system has no more file descriptors.
    pub fn of_head(path: &Path, source: &HeadSource<'_>, work: &Work) -> Result<OpenFile> {
        let file = source.file.try_clone().map_err(|e| io_error("open", e, path))?;
        let head = source.start()[..source.start().len().min(HEAD_BYTES)].to_vec();
        let counted = source.start().len() as u64;
        let mut source = FileSource::new(file.into(), source.bytes, work.progress.clone());
        (source.head, source.reached) = (head, AtomicU64::new(counted));
        let bytes = source.bytes;
        Ok(OpenFile::of_content(path, Content::File(Arc::new(source)), Some(bytes)))
    }

    /// Bytes in memory, as if they were the file at `path`.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> OpenFile {
        let length = bytes.len() as u64;
        OpenFile::of_content(path, Content::Other(Arc::new(bytes)), Some(length))
    }

    fn once(path: &Path, reader: impl Read + Send + 'static, work: &Work) -> Result<OpenFile> {
        let mut reader = ProgressReader { reader, progress: work.progress.clone() };
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let took = Read::take(&mut reader, HEAD_BYTES as u64).read_to_end(&mut head);
        took.map_err(|e| io_error("read", e, path))?;
        let content = Content::Once(head, Mutex::new(Some(Box::new(reader))));
        Ok(OpenFile::of_content(path, content, None))
    }

    fn of_content(path: &Path, content: Content, file_bytes: Option<u64>) -> OpenFile {
        let (path, compression) = (path.to_owned(), Compression::None);
        let mut opened = OpenFile { path, content, compression, file_bytes };
        opened.compression = Compression::of_head(opened.head());
        opened
    }

    /// The file as it lies on the disk; `None` for pipes, objects and bytes in memory.
    pub fn plain(&self) -> Option<&FileSource> {
        match &self.content {
            Content::File(file) => Some(file),
            _ => None,
        }
    }

    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The compression that the content shows.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Bytes on the disk, where that is known.
    pub fn file_bytes(&self) -> Option<u64> {
        self.file_bytes
    }

    /// Whether its bytes come once: it is a pipe, a device or standard input.
    pub fn comes_once(&self) -> bool {
        matches!(self.content, Content::Once(..))
    }

    /// The first bytes as they lie on the disk, at least 4,096 where there are so many.
    pub fn head(&self) -> &[u8] {
        match &self.content {
            Content::File(file) => &file.head,
            Content::Other(source) => source.head(),
            Content::Once(head, _) => head,
        }
    }

    /// The first bytes of the content, decompressed. Of what comes once and compressed there are
    /// none before it is read; of a damaged file those before the damage.
    pub fn plain_head(&self) -> Cow<'_, [u8]> {
        let head = &self.head()[..self.head().len().min(HEAD_BYTES)];
        match &self.content {
            _ if self.compression == Compression::None => Cow::Borrowed(head),
            Content::File(file) => Cow::Owned(decode_start(file, self.compression)),
            Content::Other(source) => Cow::Owned(decode_start(source, self.compression)),
            Content::Once(..) => Cow::Borrowed(&[]),
        }
    }

    /// All of it, decompressed; what is large and not in the page cache is read ahead.
    ///
    /// # Errors
    /// Those of the decoder, and where bytes that come once were taken before.
    pub fn source(&self, limits: &Limits, work: &Work) -> Result<OpenedSource> {
        self.source_with(work, |reader, compression| {
            Ok(Box::new(StreamSource::start(reader, compression, &self.path, limits)?))
        })
    }

    /// [`source`](OpenFile::source) for who reads once from the beginning to the end, with all the
    /// threads of `work`: what is packed is unpacked by them, in turn, to where they want it, and by
    /// no thread beside them.
    ///
    /// # Errors
    /// Those of [`source`](OpenFile::source).
    pub fn source_in_turn(&self, limits: &Limits, work: &Work) -> Result<OpenedSource> {
        self.source_with(work, |reader, compression| {
            Ok(Box::new(InTurnSource::new(reader, compression, limits)?))
        })
    }

    /// `stream` makes the source of what can only be read forward.
    fn source_with(
        &self,
        work: &Work,
        stream: impl FnOnce(Box<dyn Read + Send>, Compression) -> Result<Box<dyn Source>>,
    ) -> Result<OpenedSource> {
        let packed = self.compression != Compression::None;
        let source = match &self.content {
            Content::File(file) if packed => {
                stream(Forward::boxed(file.clone()), self.compression)?
            }
            Content::Other(source) if packed => {
                stream(Forward::boxed(source.clone()), self.compression)?
            }
            Content::File(file) => ahead::source(file.clone(), &self.path, work)?,
            Content::Other(source) => Box::new(source.clone()),
            Content::Once(head, rest) => {
                let rest = rest.lock().unwrap_or_else(PoisonError::into_inner).take();
                let rest = rest.ok_or_else(|| {
                    Error::argument("a pipe can be read only once").at_path(&self.path)
                })?;
                let reader = Box::new(std::io::Cursor::new(head.clone()).chain(rest));
                stream(reader, self.compression)?
            }
        };
        Ok(OpenedSource { source, compression: self.compression, file_bytes: self.file_bytes })
    }
}

/// Decodes the start of `source`, up to a fault if there is one.
fn decode_start(source: &(impl Source + Clone), compression: Compression) -> Vec<u8> {
    let mut plain = vec![0; HEAD_BYTES];
    let start = |steps: usize, plain: &mut [u8]| {
        let from = Forward { source: source.clone(), at: 0 };
        let Ok(mut decoder) = StreamDecoder::new(compression, from, &Limits::default()) else {
            return Some(0);
        };
        let mut got = 0;
        for step in plain.chunks_mut(steps) {
            match decoder.read(step) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(_) if steps > DAMAGED_STEP => return None,
                Err(_) => break,
            }
        }
        Some(got)
    };
    // An error takes the whole read with it: then bytes are asked for in small steps.
    let got = start(HEAD_BYTES, &mut plain);
    let got = got.or_else(|| start(DAMAGED_STEP, &mut plain)).unwrap_or(0);
    plain.truncate(got);
    plain
}

/// A source from its beginning to its end.
struct Forward<S> {
    source: S,
    at: u64,
}

impl<S: Source + 'static> Forward<S> {
    fn boxed(source: S) -> Box<dyn Read + Send> {
        Box::new(Forward { source, at: 0 })
    }
}

impl<S: Source> Read for Forward<S> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let got = self.source.read_at(self.at, buf).map_err(std::io::Error::other)?;
        self.at += got as u64;
        Ok(got)
    }
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
pub fn open(path: &Path, limits: &Limits, work: &Work) -> Result<OpenedSource> {
    OpenFile::open(path, work)?.source(limits, work)
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
    let is_loop = |e: &std::io::Error| e.raw_os_error() == Some(sys::Errno::LOOP.raw_os_error());
    let look = |folder: BorrowedFd<'_>, path: &Path| sys::statat(folder, path, AtFlags::empty());
    match long_path::at(path, look).map_err(std::io::Error::from) {
        Ok(meta) => Ok(FileType::from_raw_mode(meta.st_mode) == FileType::Directory),
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
    sys::will_read(&file);
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
pub(crate) fn open_file(path: &Path) -> Result<(File, Metadata)> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let open = |folder: BorrowedFd<'_>, path: &Path| {
        retry_on_intr(|| sys::openat(folder, path, flags, Mode::empty()))
    };
    let file = long_path::at(path, open).map_err(|e| io_error("open", e.into(), path))?;
    let file = File::from(file);
    let meta = file.metadata().map_err(|e| io_error("read", e, path))?;
    if meta.is_dir() {
        let e = Error::new(solio_base::ErrorKind::Io, "cannot open: this is a directory");
        return Err(e.at_path(path));
    }
    if meta.len() > READ_AHEAD_BYTES {
        sys::reads_in_order(&file);
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
