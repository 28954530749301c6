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
