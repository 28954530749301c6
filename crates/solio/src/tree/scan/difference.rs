//! What is different between two catalogues.

use super::export::is_parquet;
use solio_base::{Limits, Result, Work};
use solio_catalog::difference::{COMPARED, CatalogDifference, compare};
use solio_catalog::row::Row;
use solio_catalog::store::Rows;
use solio_catalog::table::ParquetRows;
use std::path::Path;
use std::sync::Arc;

/// What was added, changed, moved and removed from the catalogue `before` to the catalogue `after`, each SQLite
/// or Parquet, by path. Files are compared by size, time and hash; none is looked at.
///
/// ```
/// use solio::catalog::store::FileChange;
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a.obj"), b"v 0 0 0\n")?;
/// let (roots, work) = ([at("tree")], Work::default());
/// let scan = |catalog: &str| {
///     let (count, options) = (ScanCount::default(), ScanOptions::default());
///     solio::scan(&Scan { roots: &roots, catalog: &at(catalog), options: &options, count: &count }, &work)
/// };
/// scan("monday.sqlite")?;
/// solio::write_bytes(&at("tree/b.obj"), b"v 1 0 0\n")?;
/// scan("tuesday.sqlite")?;
/// let all = solio::diff_catalogs(&at("monday.sqlite"), &at("tuesday.sqlite"), &work)?;
/// assert_eq!((all.len(), all[0].change), (1, FileChange::Added));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the catalogues; `Cancelled`.
pub fn diff_catalogs(before: &Path, after: &Path, work: &Work) -> Result<Vec<CatalogDifference>> {
    compare(rows(before, work)?, rows(after, work)?)
}

/// The rows of a catalogue, as far as they tell one state of a file from another.
fn rows<'w>(path: &Path, work: &'w Work) -> Result<Box<dyn Iterator<Item = Result<Row>> + 'w>> {
    let of_path = path.to_owned();
    let rows: Box<dyn Iterator<Item = Result<Row>>> = if is_parquet(path) {
        let opened = solio_io::open(path, &Limits::default(), work)?;
        Box::new(
            ParquetRows::of_columns(Arc::from(opened.source), &COMPARED)
                .map_err(|e| e.at_path(path))?,
        )
    } else {
        Box::new(Rows::of_columns(path, &COMPARED)?)
    };
    let mut read = 0u64;
    Ok(Box::new(rows.map(move |row| {
        read += 1;
        if read.is_multiple_of(4096) {
            work.cancel.check()?;
        }
        row.map_err(|e| e.at_path(&of_path))
    })))
}
