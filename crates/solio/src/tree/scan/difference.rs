//! What catalogues tell without a look at any file: what is different between two, and find duplicate files in one.

use super::export::is_parquet;
use crate::{DuplicateGroup, Duplicates};
use solio_base::names::OsStrBytes;
use solio_base::{Limits, Result, Work};
use solio_catalog::difference::{COMPARED, CatalogDifference, compare};
use solio_catalog::row::{Row, column};
use solio_catalog::store::Rows;
use solio_catalog::table::ParquetRows;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

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
    let before = rows(before, &COMPARED, work)?;
    if work.threads < 2 {
        return compare(before, rows(after, &COMPARED, work)?);
    }
    // One is read while the other is.
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(AHEAD);
        let read = move || {
            let mut rows = before;
            loop {
                let some: Vec<_> = rows.by_ref().take(BATCH_ROWS).collect();
                if some.is_empty() || send.send(some).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .spawn_scoped(scope, read)
            .map_err(|e| solio_base::Error::io("start a thread", e))?;
        compare(receive.into_iter().flatten(), rows(after, &COMPARED, work)?)
    })
}

/// Files with the same content, by the hashes of a catalogue, SQLite or Parquet; those without one are not
/// compared. Names of one inode on one volume are one file.
///
/// ```
/// use solio::{FileFacts, Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a"), b"the same")?;
/// # solio::write_bytes(&at("tree/b"), b"the same")?;
/// let (roots, catalog, work) = ([at("tree")], at("c.sqlite"), Work::default());
/// let facts = FileFacts { hash: true, ..FileFacts::default() };
/// let (count, options) = (ScanCount::default(), ScanOptions { facts, ..ScanOptions::default() });
/// solio::scan(&Scan { roots: &roots, catalog: &catalog, options: &options, count: &count }, &work)?;
/// let found = solio::catalog_duplicates(&catalog, &work)?;
/// assert_eq!((found.groups.len(), found.wasted_bytes(), found.read_bytes), (1, 8, 0));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the catalogue; `Cancelled`.
pub fn catalog_duplicates(catalog: &Path, work: &Work) -> Result<Duplicates> {
    let columns = [column::SIZE, column::XXH128, column::INODE, column::VOLUME];
    let mut same: BTreeMap<(Box<str>, u64), Vec<NamedFile>> = BTreeMap::new();
    let mut found = Duplicates::default();
    for row in rows(catalog, &columns, work)? {
        let row = row?;
        let number = |place| row.cells.integer(place);
        let (Some(hash), Some(bytes @ 1..)) =
            (row.cells.text(column::XXH128), number(column::SIZE))
        else {
            continue;
        };
        found.files += 1;
        let files = same.entry((hash.into(), bytes as u64)).or_default();
        let path = PathBuf::from(OsStr::from_bytes(&row.path()));
        let inode = number(column::INODE).filter(|inode| *inode != 0);
        let identity = inode.map(|inode| (number(column::VOLUME), inode));
        match files.iter_mut().find(|(known, _)| identity.is_some() && *known == identity) {
            Some((_, names)) => names.push(path),
            None => files.push((identity, vec![path])),
        }
    }
    let groups = same.into_iter().filter(|(_, files)| files.len() > 1);
    found.groups = groups
        .map(|((_, bytes), files)| DuplicateGroup {
            bytes,
            files: files.into_iter().map(|(_, names)| names).collect(),
        })
        .collect();
    found.sort();
    Ok(found)
}

/// Rows that are handed over together, and how many such batches may wait.
const BATCH_ROWS: usize = 1024;
const AHEAD: usize = 4;

/// What tells one file from another in a catalogue, and its names.
type NamedFile = (Option<(Option<i64>, i64)>, Vec<PathBuf>);

/// The rows of a catalogue, of which these columns are read.
fn rows<'w>(
    path: &Path,
    columns: &[usize],
    work: &'w Work,
) -> Result<Box<dyn Iterator<Item = Result<Row>> + Send + 'w>> {
    let of_path = path.to_owned();
    let rows: Box<dyn Iterator<Item = Result<Row>> + Send> = if is_parquet(path) {
        let opened = solio_io::open(path, &Limits::default(), work)?;
        Box::new(
            ParquetRows::of_columns(Arc::from(opened.source), columns)
                .map_err(|e| e.at_path(path))?,
        )
    } else {
        Box::new(Rows::of_columns(path, columns)?)
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
