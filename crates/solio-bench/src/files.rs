//! Files that benchmarks make and find.

use flate2::write::GzEncoder;
use solio::{Error, Result, Work};
use std::path::{Path, PathBuf};

/// A folder that goes with what it holds.
pub(crate) fn temporary_folder() -> Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("solio-bench-").tempdir();
    folder.map_err(|e| Error::io("make a temporary folder", e))
}

/// The files at and below `paths`; all of them must be there.
pub(crate) fn all_below(paths: &[PathBuf], work: &Work) -> Result<Vec<PathBuf>> {
    let (found, failed) = solio::files_below(paths, &solio::Filter::default(), work)?;
    failed.into_iter().next().map_or(Ok(found), Err)
}

/// The bytes of a file.
pub(crate) fn whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    solio_io::probe::read_plain(path, &mut bytes)?;
    Ok(bytes)
}

/// Packs into one member, at the level that the sizes of Moana are known of.
pub(crate) fn gzip_packer() -> GzEncoder<Vec<u8>> {
    GzEncoder::new(Vec::new(), flate2::Compression::new(5))
}

/// Packs it all.
pub(crate) fn gzip(whole: &[u8]) -> Result<Vec<u8>> {
    let mut packer = gzip_packer();
    let written = std::io::Write::write_all(&mut packer, whole).and_then(|()| packer.finish());
    written.map_err(|e| Error::io("compress", e))
}
