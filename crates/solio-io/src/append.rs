//! The rest of one file put behind what was written of another, by the system itself.
//!
//! `copy_file_range` moves bytes within the page cache, or shares them where the file system can, as
//! `cp` does; bytes that come to another place of their page are written out of a memory map. Where
//! neither goes (other file systems, devices, packed outputs) they are read and written.

use crate::file::FileSource;
use crate::sink::FileSink;
use crate::throttle;
use solio_base::{Error, Result, Sink, Source, Work};
use std::path::Path;

/// Bytes between two looks at whether to stop.
const STEP_BYTES: usize = 8 << 20;
/// Bytes at once where they are read and written.
const BUFFER_BYTES: usize = 1 << 20;

impl FileSource {
    /// Opens the plain file at `path`; what it is compressed with stays.
    pub fn open(path: &Path, work: &Work) -> Result<FileSource> {
        work.progress.add_file();
        let (file, meta) = crate::file::open_file(path)?;
        if !meta.is_file() {
            return Err(Error::argument("this is no plain file").at_path(path));
        }
        work.progress.add_read_total(meta.len());
        Ok(FileSource::new(file, meta.len(), work.progress.clone()))
    }
}

impl FileSink {
    /// Writes all of `source` from `offset` on.
    pub fn append(&mut self, source: &FileSource, offset: u64, work: &Work) -> Result<()> {
        let mut at = offset;
        while at < source.bytes {
            work.cancel.check()?;
            let step = (source.bytes - at).min(STEP_BYTES as u64) as usize;
            throttle::wait(step as u64)?;
            match self.append_by_system(source, at, step)? {
                Some(0) => return Err(shorter(source, at)),
                Some(copied) => {
                    at += copied;
                    source.reached(at);
                }
                None => return self.append_by_hand(source, at, work),
            }
        }
        Ok(())
    }

    fn append_by_hand(&mut self, source: &FileSource, mut at: u64, work: &Work) -> Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES.min((source.bytes - at) as usize)];
        while at < source.bytes {
            let step = (source.bytes - at).min(buffer.len() as u64) as usize;
            let got = source.read_at(at, &mut buffer[..step])?;
            if got == 0 {
                return Err(shorter(source, at));
            }
            self.write_bytes(work, &buffer[..got])?;
            at += got as u64;
        }
        Ok(())
    }
}

/// The file had more bytes when it was opened.
fn shorter(source: &FileSource, at: u64) -> Error {
    let missing = source.bytes - at;
    Error::corrupt(format!("the file has become {missing} bytes shorter while it was copied"))
}
