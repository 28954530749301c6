//! The plainest ways to write and read a file: what ours are measured against; and what else only
//! a bench asks for.

use crate::io_error;
use crate::sys;
use solio_base::Result;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::OnceLock;

const BLOCK_BYTES: usize = 4 << 20;

/// Writes `bytes` to `path` with one plain call after another: what any writer of the same file is
/// measured against. Truncates an existing file; not atomic.
///
/// ```
/// use solio_io::probe::write_plain;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("mesh.obj");
/// write_plain(&path, b"v 0 0 0\nv 1 0 0\n")?;
/// // The file is the same, not another in its place.
/// let inode = solio_io::walk::status_of(&path)?.inode;
/// write_plain(&path, b"v 0 0 0\n")?;
/// let status = solio_io::walk::status_of(&path)?;
/// assert_eq!((status.size, status.inode), (8, inode));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn write_plain(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = std::fs::File::create(path).map_err(|e| io_error("create", e, path))?;
    for block in bytes.chunks(BLOCK_BYTES) {
        file.write_all(block).map_err(|e| io_error("write", e, path))?;
    }
    Ok(())
}

/// Reads all of `path` into `buffer`, whose memory is reused: what any reader of the same file is
/// measured against.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let paths = ["a.obj", "b.obj"].map(|name| folder.path().join(name));
/// # solio_io::probe::write_plain(&paths[0], b"v 0 0 0\nv 1 0 0\n")?;
/// # solio_io::probe::write_plain(&paths[1], b"v 2 0 0\n")?;
/// let (mut buffer, mut sizes) = (Vec::new(), Vec::new());
/// for path in &paths {
///     solio_io::probe::read_plain(path, &mut buffer)?;
///     sizes.push(buffer.len());
/// }
/// assert_eq!((sizes, &*buffer), (vec![16, 8], &b"v 2 0 0\n"[..]));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_plain(path: &Path, buffer: &mut Vec<u8>) -> Result<()> {
    let mut file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    buffer.clear();
    file.read_to_end(buffer).map_err(|e| io_error("read", e, path))?;
    Ok(())
}

/// [`write_plain`] by several threads, each a part of its own: the faster of both is what a writer with
/// threads is measured against.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("mesh.obj");
/// solio_io::probe::write_parts(&path, b"v 0 0 0\nv 1 0 0\n", 3)?;
/// let mut back = Vec::new();
/// solio_io::probe::read_parts(&path, &mut back, 2)?;
/// assert_eq!(back, b"v 0 0 0\nv 1 0 0\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn write_parts(path: &Path, bytes: &[u8], threads: usize) -> Result<()> {
    let write = |(number, part): (usize, &[u8])| {
        let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start((number * part_bytes(bytes.len(), threads)) as u64))?;
        part.chunks(BLOCK_BYTES).try_for_each(|block| file.write_all(block))
    };
    let made = std::fs::File::create(path);
    made.map_err(|e| io_error("create", e, path))?;
    let parts = bytes.chunks(part_bytes(bytes.len(), threads)).enumerate();
    at_once(parts, write).map_err(|e| io_error("write", e, path))
}

/// [`read_plain`] by several threads, each a part of its own.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.obj");
/// solio_io::probe::write_plain(&path, &[7; 10_001])?;
/// let mut buffer = Vec::new();
/// solio_io::probe::read_parts(&path, &mut buffer, 4)?;
/// assert_eq!(buffer, [7; 10_001]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_parts(path: &Path, buffer: &mut Vec<u8>, threads: usize) -> Result<()> {
    let length = std::fs::metadata(path).map_err(|e| io_error("look at", e, path))?.len() as usize;
    buffer.resize(length, 0);
    let read = |(number, part): (usize, &mut [u8])| {
        let mut file = std::fs::File::open(path)?;
        file.seek(SeekFrom::Start((number * part_bytes(length, threads)) as u64))?;
        file.read_exact(part)
    };
    let parts = buffer.chunks_mut(part_bytes(length, threads)).enumerate();
    at_once(parts, read).map_err(|e| io_error("read", e, path))
}

/// Bytes of a part: whole pages.
fn part_bytes(length: usize, threads: usize) -> usize {
    length.div_ceil(threads.max(1)).next_multiple_of(4096)
}

/// Does all parts at once, each on a thread; the first error of them.
fn at_once<P: Send>(
    parts: impl Iterator<Item = P>,
    job: impl Fn(P) -> std::io::Result<()> + Sync,
) -> std::io::Result<()> {
    let job = &job;
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || job(part))).collect();
        let gone = || Err(std::io::Error::other("a thread ended early"));
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| gone()));
        ends.fold(Ok(()), std::io::Result::and)
    })
}

/// [`read_plain`] to the part of `buffer` that the system copies to at full speed, see
/// [`solio_base::memory::copies_slowly`]: the fastest way to read a file. Gives the bytes.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.stl");
/// solio_io::probe::write_plain(&path, b"solid cube")?;
/// let mut buffer = Vec::new();
/// let bytes = solio_io::probe::read_placed(&path, &mut buffer)?;
/// // They may begin anywhere in it.
/// assert_eq!(bytes, b"solid cube");
/// assert!(buffer.len() >= 10);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_placed<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let mut read = || {
        let mut file = std::fs::File::open(path)?;
        let bytes = file.metadata()?.len() as usize;
        let place = solio_base::memory::placed(buffer, bytes, 0);
        file.read_exact(place).map(|()| bytes)
    };
    let bytes = read().map_err(|e| io_error("read", e, path))?;
    Ok(&*solio_base::memory::placed(buffer, bytes, 0))
}

/// Opens `path` and reads what fits into `buffer` with one call: the least that any reader of the
/// same head must do.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("short.exr");
/// solio_io::probe::write_plain(&path, &[0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0])?;
/// let mut head = [0; 4096];
/// let got = solio_io::probe::read_head_plain(&path, &mut head)?;
/// assert_eq!(got, 8);
/// assert!(head.starts_with(b"\x76\x2f\x31\x01"));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_head_plain(path: &Path, buffer: &mut [u8]) -> Result<usize> {
    let mut file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    file.read(buffer).map_err(|e| io_error("read", e, path))
}

/// The file at `path` as the standard input of a command.
///
/// ```
/// use std::process::Command;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.obj");
/// solio_io::probe::write_plain(&path, b"v 0 0 0\n")?;
/// let input = solio_io::probe::input_of(&path)?;
/// let output = Command::new("cat").stdin(input).output()?;
/// assert_eq!(output.stdout, b"v 0 0 0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[allow(clippy::disallowed_methods)] // a command is what reads it
pub fn input_of(path: &Path) -> Result<std::process::Stdio> {
    let file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    Ok(file.into())
}

/// Makes a reader of the bytes that a whole gzip file unpacks to.
pub type Inflate = fn(Box<dyn Read + Send>) -> Box<dyn Read + Send>;

static INFLATE: OnceLock<Inflate> = OnceLock::new();

/// From now on gzip files are unpacked by `inflate`, whoever opens them in this process: what
/// another decoder would cost the same program. The first call counts.
///
/// ```
/// # use solio_base::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.obj.gz");
/// // A decoder for nothing: what is left is the cost of all else.
/// solio_io::probe::inflate_by(|_packed| Box::new(&b"v 0 0 0\n"[..]));
/// solio_io::probe::write_plain(&path, b"\x1f\x8b\x08 and no more")?;
/// let bytes = solio_io::read_whole(&path, &Limits::default(), &Work::default())?;
/// assert_eq!(bytes, b"v 0 0 0\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn inflate_by(inflate: Inflate) {
    INFLATE.get_or_init(|| inflate);
}

/// The other decoder, where there is one.
pub(crate) fn other_inflate() -> Option<Inflate> {
    INFLATE.get().copied()
}

/// Appends a number as C's `printf` writes it with so many digits, `%.6f` or `%.9g` by its `form`; whether the
/// system has one. In the C locale, or the one that this process has set.
///
/// ```
/// let mut text = Vec::new();
/// if solio_io::probe::printf(&mut text, 'f', 3, 2.0 / 3.0) {
///     assert_eq!(text, b"0.667");
/// }
/// ```
pub fn printf(out: &mut Vec<u8>, form: char, digits: u8, value: f64) -> bool {
    sys::printf(out, form, digits, value)
}

/// Makes a symbolic link at `link` that leads to `target`, as tests need them.
///
/// # Errors
/// Those of the system; Windows lets not everybody make one.
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> std::io::Result<()> {
    sys::symlink(target.as_ref(), link.as_ref())
}

/// Keeps this process, with all threads that it starts from now on, to one core: the one that it
/// runs on.
///
/// ```
/// use std::thread;
/// // Of a thread, so that the others keep all cores.
/// let cores = thread::spawn(|| {
///     solio_io::probe::keep_to_one_core()?;
///     Ok::<_, solio_base::Error>(thread::available_parallelism().map_or(1, |n| n.get()))
/// });
/// let cores = cores.join().unwrap();
/// assert!(cores.is_err() || cores.is_ok_and(|n| n == 1 || cfg!(windows)));
/// ```
///
/// # Errors
/// Where the system has no such thing, or refuses it.
pub fn keep_to_one_core() -> Result<()> {
    sys::keep_to_one_core()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_keeps_to_one_core_has_one() {
        // Of a thread: the others of the tests go on with all cores.
        std::thread::spawn(|| {
            if keep_to_one_core().is_err() {
                return; // not every system can
            }
            // Windows tells the processors of the machine.
            if cfg!(unix) {
                assert_eq!(std::thread::available_parallelism().unwrap().get(), 1);
            }
        })
        .join()
        .unwrap();
    }
}
