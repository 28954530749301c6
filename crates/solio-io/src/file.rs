//! Opening files for reading.
//!
//! Large plain files that are not in the page cache are read ahead by the engine.

use crate::ahead::{self, AheadSource};
use crate::engine::{Residency, residency};
use crate::file_source::{FileSource, HEAD_BYTES, OpenedFile, READ, SPARE, open_file, read_full};
use crate::stream::InTurnSource;
use crate::{StreamSource, io_error, objects};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use std::fs::Metadata;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

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
