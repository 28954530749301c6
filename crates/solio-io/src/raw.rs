//! Files as they lie on the disk, read once from the beginning to the end: what is packed stays so.

use crate::ahead;
use crate::file::{FileSource, ProgressReader, open_file, read_full};
use crate::status::Status;
use crate::sys::status_of_open;
use crate::{STANDARD, io_error};
use solio_base::{Error, Result, Source, Work};
use std::cell::Cell;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that are read at once: what was read is still in the core's own cache when `each` has it.
const RAW_BYTES: usize = 256 << 10;

thread_local! {
    /// The memory of a thread, for its next file.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads the file at `path` (`-` is standard input) and hands its bytes to `each`, in order and in
/// parts. Gives what the system said when it was opened; its size is what was read.
///
/// A large file that is not in the page cache is read ahead past it.
pub fn read_raw(
    path: &Path,
    work: &Work,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Status> {
    let mut buffer = BUFFER.take();
    buffer.resize(RAW_BYTES, 0);
    let read = read_with(path, &mut buffer, work, &mut each);
    BUFFER.set(buffer);
    read
}

fn read_with(
    path: &Path,
    buffer: &mut [u8],
    work: &Work,
    each: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<Status> {
    work.progress.add_file();
    if path.as_os_str() == STANDARD {
        let stdin =
            ProgressReader { reader: std::io::stdin().lock(), progress: work.progress.clone() };
        let size = to_end(stdin, path, buffer, work, each)?;
        return Ok(Status { size, ..Status::default() });
    }
    let (file, meta) = open_file(path)?;
    let mut status = status_of_open(&file, &meta);
    if !meta.is_file() {
        let reader = ProgressReader { reader: file, progress: work.progress.clone() };
        status.size = to_end(reader, path, buffer, work, each)?;
        return Ok(status);
    }
    work.progress.add_read_total(status.size);
    let source = FileSource::new(file, status.size, work.progress.clone());
    let read = ahead::source(source.into(), path, work)
        .and_then(|source| all_of(&*source, buffer, work, each));
    status.size = crate::at_path(read, path)?;
    Ok(status)
}

/// A file as it lies on the disk, read forward when its bytes are asked for.
pub struct RawFile {
    file: FileSource,
    path: PathBuf,
    status: Status,
    offset: u64,
}

impl RawFile {
    /// Opens the plain file at `path`; `None` for whatever is none, which [`read_raw`] reads.
    pub fn open(path: &Path, work: &Work) -> Result<Option<RawFile>> {
        if path.as_os_str() == STANDARD || !path.is_file() {
            return Ok(None);
        }
        let (file, meta) = open_file(path)?;
        work.progress.add_file();
        work.progress.add_read_total(meta.len());
        let status = status_of_open(&file, &meta);
        let file = FileSource::new(file, status.size, work.progress.clone());
        Ok(Some(RawFile { file, path: path.to_owned(), status, offset: 0 }))
    }

    /// The next bytes; fewer than `buf` holds at the end alone.
    pub fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let got = crate::at_path(self.file.read_at(self.offset, buf), &self.path)?;
        self.offset += got as u64;
        Ok(got)
    }

    /// What the system said when it was opened; its size is what was read so far.
    pub fn status(&self) -> Status {
        Status { size: self.offset, ..self.status }
    }
}

/// Reads the first and the last `bytes` of the plain file at `path`, or all of it where it is not
/// longer than both, and hands them to `each`. Gives how many were read.
pub fn read_ends(
    path: &Path,
    bytes: usize,
    work: &Work,
    mut each: impl FnMut(&[u8]),
) -> Result<u64> {
    work.cancel.check()?;
    let (file, meta) = open_file(path)?;
    let mut buffer = BUFFER.take();
    buffer.resize(RAW_BYTES.max(2 * bytes), 0);
    let mut read = |from: u64, len: usize| {
        let got =
            read_full(&file, from, &mut buffer[..len]).map_err(|e| io_error("read", e, path))?;
        each(&buffer[..got]);
        Ok::<_, Error>(got as u64)
    };
    let size = meta.len();
    let done = match size <= 2 * bytes as u64 {
        true => read(0, 2 * bytes)?,
        false => read(0, bytes)? + read(size - bytes as u64, bytes)?,
    };
    BUFFER.set(buffer);
    work.progress.add_read(done);
    Ok(done)
}

/// Whether two files have the same bytes.
pub fn same_bytes(a: &Path, b: &Path, work: &Work) -> Result<bool> {
    let ((one, meta), (other, _)) = (open_file(a)?, open_file(b)?);
    let mut buffers = [vec![0; RAW_BYTES], vec![0; RAW_BYTES]];
    let mut offset = 0;
    loop {
        work.cancel.check()?;
        let [ours, theirs] = &mut buffers;
        let got = read_full(&one, offset, ours).map_err(|e| io_error("read", e, a))?;
        let same = read_full(&other, offset, theirs).map_err(|e| io_error("read", e, b))?;
        if ours[..got] != theirs[..same] {
            return Ok(false);
        }
        offset += got as u64;
        if got < RAW_BYTES || offset > meta.len() {
            return Ok(true);
        }
    }
}

/// Until a read gives less than was asked for; the size may have changed since.
fn all_of(
    source: &dyn Source,
    buffer: &mut [u8],
    work: &Work,
    each: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let mut offset = 0;
    loop {
        work.cancel.check()?;
        let got = source.read_at(offset, buffer)?;
        offset += got as u64;
        each(&buffer[..got])?;
        if got < buffer.len() {
            return Ok(offset);
        }
    }
}

fn to_end(
    mut reader: impl Read,
    path: &Path,
    buffer: &mut [u8],
    work: &Work,
    each: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let mut bytes = 0;
    loop {
        work.cancel.check()?;
        match reader.read(buffer) {
            Ok(0) => return Ok(bytes),
            Ok(got) => {
                bytes += got as u64;
                each(&buffer[..got])?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(io_error("read", e, path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::write_plain;
    use solio_base::Progress;

    #[test]
    fn bytes_come_as_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, RAW_BYTES - 1, RAW_BYTES, RAW_BYTES + 1, 3 * RAW_BYTES] {
            let path = folder.path().join("packed.gz");
            let mut bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            if size > 2 {
                bytes[..2].copy_from_slice(b"\x1f\x8b");
            }
            write_plain(&path, &bytes).unwrap();
            let work = Work { progress: Progress::default(), ..Work::default() };
            let mut got = Vec::new();
            let status = read_raw(&path, &work, |part| {
                got.extend_from_slice(part);
                Ok(())
            });
            let status = status.unwrap();
            assert!(got == bytes);
            assert_eq!(status.size, size as u64);
            assert!(status.inode != 0 && status.links == 1 && status.modified_ns > 0);
            assert_eq!(work.progress.now().read_bytes, size as u64);
        }
        let packed = folder.path().join("packed.gz");
        let mut file = RawFile::open(&packed, &Work::default()).unwrap().unwrap();
        let mut part = vec![0; 2 * RAW_BYTES];
        assert_eq!(file.read(&mut part).unwrap(), 2 * RAW_BYTES);
        assert_eq!((file.read(&mut part).unwrap(), part[0]), (RAW_BYTES, 200));
        assert_eq!(file.status().size, 3 * RAW_BYTES as u64);
        assert!(RawFile::open(folder.path(), &Work::default()).unwrap().is_none());
        let path = |name: &str| folder.path().join(name);
        for (name, bytes) in [("a", &b"0123456789"[..]), ("b", b"0123456789"), ("c", b"01234x6789")]
        {
            write_plain(&path(name), bytes).unwrap();
        }
        let ends = |bytes| {
            let mut got = Vec::new();
            let read = read_ends(&path("a"), bytes, &Work::default(), |part| got.extend(part));
            assert_eq!(read.unwrap(), got.len() as u64);
            got
        };
        assert_eq!(
            (ends(2), ends(5), ends(50)),
            (b"0189".into(), b"0123456789".into(), b"0123456789".into())
        );
        let same = |other| same_bytes(&path("a"), &path(other), &Work::default()).unwrap();
        assert!(same("b") && !same("c") && !same("packed.gz"));
        let error = read_raw(folder.path(), &Work::default(), |_| Ok(()));
        assert_eq!(error.unwrap_err().path(), Some(folder.path()));
    }
}
