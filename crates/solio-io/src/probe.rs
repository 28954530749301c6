//! How fast this machine moves bytes to and from a folder: the denominators of the speed of light.

use crate::io_error;
use solio_base::Result;
use std::io::{Read, Seek, Write};
use std::path::Path;

const BLOCK_BYTES: usize = 4 << 20;

/// Writes `bytes` of text-like data to an unnamed file in `folder` and reads them back, warm,
/// with the blocks and buffers that [`crate::FileSink`] and [`crate::open`] use. `mark` is called
/// before writing, between writing and reading, and after reading.
pub fn write_and_read(folder: &Path, bytes: u64, mut mark: impl FnMut()) -> Result<()> {
    let atomic = crate::atomic::AtomicFile::create(&folder.join("solio-light"))?;
    let mut file = &atomic.file;
    let mut block = vec![b'7'; BLOCK_BYTES];
    let blocks = bytes.div_ceil(BLOCK_BYTES as u64).max(1);
    mark();
    for _ in 0..blocks {
        file.write_all(&block).map_err(|e| io_error("write", e, folder))?;
    }
    mark();
    file.rewind().map_err(|e| io_error("read", e, folder))?;
    for _ in 0..blocks {
        file.read_exact(&mut block).map_err(|e| io_error("read", e, folder))?;
    }
    mark();
    Ok(())
}

/// Writes `bytes` to `path` with one plain call after another: what any writer of the same file is
/// measured against. Truncates an existing file; not atomic.
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
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_plain(path: &Path, buffer: &mut Vec<u8>) -> Result<()> {
    let mut file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    buffer.clear();
    file.read_to_end(buffer).map_err(|e| io_error("read", e, path))?;
    Ok(())
}
