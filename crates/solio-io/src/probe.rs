//! The plainest ways to write and read a file: what ours are measured against.

use crate::io_error;
use solio_base::Result;
use std::io::{Read, Write};
use std::path::Path;

const BLOCK_BYTES: usize = 4 << 20;

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

/// Opens `path` and reads what fits into `buffer` with one call: the least that any reader of the
/// same head must do.
#[allow(clippy::disallowed_methods)] // the plain way is the point
pub fn read_head_plain(path: &Path, buffer: &mut [u8]) -> Result<usize> {
    let mut file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    file.read(buffer).map_err(|e| io_error("read", e, path))
}

/// The file at `path` as the standard input of a command.
#[allow(clippy::disallowed_methods)] // a command is what reads it
pub fn input_of(path: &Path) -> Result<std::process::Stdio> {
    let file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    Ok(file.into())
}
