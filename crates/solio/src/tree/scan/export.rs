//! The catalogue as Parquet, and parts of it as one.

use super::options::{Scan, ScanReport};
use super::run::scan;
use super::taken::{not_a_catalog, remove_catalog};
use solio_base::names::OsStrBytes;
use solio_base::{Error, Limits, Result, Work};
use solio_catalog::row::{Level, Row, column};
use solio_catalog::store::{Mounted, PlacedRows, Rows, Store};
use solio_catalog::table::{Merge, ParquetRows, ParquetWriter};
use solio_io::FileSink;
use solio_kinds::FileKind;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are committed at once.
const COMMIT: usize = 8192;
/// Behind the name of a Parquet file that is being made.
const JOURNAL: &str = ".scan";

/// Whether a path is called as Parquet files are.
///
/// ```
/// assert!(solio::is_parquet("assets.Parquet".as_ref()));
/// assert!(!solio::is_parquet("assets.sqlite".as_ref()));
/// ```
pub fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("parquet"))
}

/// [`scan`] into a Parquet file. While it runs its rows lie in a catalogue beside the file, called as
/// it is with `.scan` behind; a scan that was stopped goes on from there. What the file knows already
/// is not looked at again.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let (tree, catalog) = (folder.path().join("tree"), folder.path().join("assets.parquet"));
/// # std::fs::create_dir(&tree).unwrap();
/// # solio::write_bytes(&tree.join("a.obj"), b"v 0 0 0\n")?;
/// let (count, options) = (ScanCount::default(), ScanOptions::default());
/// let scan = Scan { roots: &[tree], catalog: &catalog, options: &options, count: &count };
/// solio::scan_to_parquet(&scan, &Work::default())?;
/// // A file for DuckDB, pandas or Polars.
/// assert!(std::fs::read(&catalog).unwrap().starts_with(b"PAR1"));
/// assert_eq!(count.files.into_inner(), 1);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn scan_to_parquet(wanted: &Scan<'_>, work: &Work) -> Result<ScanReport> {
    let to = wanted.catalog;
    let journal = journal(to);
    let own = Scan { catalog: &journal, ..*wanted };
    if wanted.options.facts.thumbnail.is_some() {
        let error = Error::argument("a catalogue in Parquet has no thumbnails").at_path(to);
        return Err(error.hint("name one that does not end in .parquet: -o c.sqlite"));
    }
    if wanted.options.rebuild && to.exists() {
        may_be_replaced(to)?;
    }
    let is_seeded = !wanted.options.rebuild && to.exists() && !journal.exists();
    if is_seeded {
        merge_catalogs(&[to.to_owned()], &journal, work)?;
    }
    let report = scan(&own, work);
    if wanted.options.dry {
        if is_seeded {
            remove_catalog(&journal)?;
        }
        return report;
    }
    let report = report?;
    export_catalog(&journal, to, work)?;
    remove_catalog(&journal)?;
    Ok(report)
}

/// Only a catalogue, or nothing, is thrown away.
fn may_be_replaced(to: &Path) -> Result<()> {
    let opened = solio_io::open(to, &Limits::default(), &Work::serial())?;
    let is_empty = opened.file_bytes == Some(0);
    if is_empty || ParquetRows::is_catalog(Arc::from(opened.source)).unwrap_or(false) {
        return Ok(());
    }
    Err(not_a_catalog(to))
}

/// Where the rows of a Parquet file lie while it is being made.
pub(super) fn journal(to: &Path) -> PathBuf {
    let mut journal = to.as_os_str().to_owned();
    journal.push(JOURNAL);
    journal.into()
}

/// The Parquet file whose rows lie in `journal`.
pub(super) fn parquet_of(journal: &Path) -> Option<PathBuf> {
    let name = journal.as_os_str().as_bytes().strip_suffix(JOURNAL.as_bytes())?;
    Some(PathBuf::from(OsStr::from_bytes(name))).filter(|path| is_parquet(path))
}

/// Writes the rows of the catalogue at `from` to a Parquet file, in their order; how many there
/// were. The file depends on nothing but the rows.
///
/// ```
/// # use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let (work, count, options) = (Work::default(), ScanCount::default(), ScanOptions::default());
/// # std::fs::create_dir(at("tree")).unwrap();
/// # solio::write_bytes(&at("tree/a.obj"), b"v 0 0 0\n")?;
/// # solio::write_bytes(&at("tree/b.txt"), b"words")?;
/// # let (roots, catalog) = ([at("tree")], at("assets.sqlite"));
/// # let scan = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
/// solio::scan(&scan, &work)?;
/// let rows = solio::export_catalog(&catalog, &at("assets.parquet"), &work)?;
/// assert_eq!(rows, 2);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn export_catalog(from: &Path, to: &Path, work: &Work) -> Result<u64> {
    let rows = Rows::open(from)?;
    let mounted = rows.mounted()?;
    parquet(rows, &mounted, to, work)
}

fn parquet(
    rows: impl Iterator<Item = Result<Row>>,
    mounted: &Mounted,
    to: &Path,
    work: &Work,
) -> Result<u64> {
    let mut sink = FileSink::create(to, &Default::default(), work)?;
    let mut written = 0;
    let write = || -> Result<()> {
        let mut writer = ParquetWriter::new(&mut sink, work)?;
        writer.set_mounted(mounted);
        for row in rows {
            work.cancel.check()?;
            writer.push(&row?)?;
            written += 1;
        }
        writer.finish()
    };
    // An error of a part has its own path.
    write().map_err(|e| if e.path().is_some() { e } else { e.at_path(to) })?;
    sink.commit()?;
    Ok(written)
}

/// Merges the parts of a catalogue, SQLite or Parquet, into one: Parquet where `to` ends so, else
/// SQLite. A file that is in several parts comes once. How many rows there are.
///
/// ```
/// use solio::{Scan, ScanCount, ScanOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let work = Work::default();
/// # std::fs::create_dir(at("tree")).unwrap();
/// # for n in 0..9 {
/// #     solio::write_bytes(&at(&format!("tree/{n}.txt")), b"words")?;
/// # }
/// # let roots = [at("tree")];
/// // Each machine scans a part of the tree.
/// let parts = [at("1.parquet"), at("2.parquet")];
/// for (part, number) in parts.iter().zip(0..) {
///     let (count, shard) = (ScanCount::default(), Some((number, 2)));
///     let options = ScanOptions { shard, ..ScanOptions::default() };
///     let scan = Scan { roots: &roots, catalog: part, options: &options, count: &count };
///     solio::scan_to_parquet(&scan, &work)?;
/// }
/// assert_eq!(solio::merge_catalogs(&parts, &at("all.parquet"), &work)?, 9);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the parts, with their paths, and of writing.
pub fn merge_catalogs(parts: &[PathBuf], to: &Path, work: &Work) -> Result<u64> {
    let made = solio_base::names::canonical(to).ok();
    let same = |part: &&PathBuf| made.is_some() && solio_base::names::canonical(part).ok() == made;
    if let Some(part) = parts.iter().find(same).filter(|_| !is_parquet(to)) {
        return Err(Error::argument("a part cannot be the catalogue that is made").at_path(part));
    }
    let mut mounted = Mounted::default();
    let parts =
        parts.iter().map(|part| rows(part, &mut mounted, work)).collect::<Result<Vec<_>>>()?;
    // Thumbnails do not come along; the next scan that is asked for them makes them.
    let without = |mut row: Row| {
        if let Some(level) = row.cells.integer(column::LEVEL) {
            let level = Level(level as u32).without(Level::THUMBNAIL);
            row.cells.set_integer(column::LEVEL, level.0);
        }
        row
    };
    let merged = Merge::new(parts)?.map(|found| found.map(|(row, _)| without(row)));
    if is_parquet(to) {
        return parquet(merged, &mounted, to, work);
    }
    solio_io::check_new_name(to)?;
    let mut store = Store::open(to)?;
    store.put_mounted(&mounted)?;
    let mut written = 0;
    for row in merged {
        work.cancel.check()?;
        store.put([&row?])?;
        written += 1;
        if store.pending() >= COMMIT {
            store.commit()?;
        }
    }
    store.close()?;
    Ok(written)
}

type AnyRows = Box<dyn Iterator<Item = Result<Row>>>;

/// The rows of a part; what they lie on is added to `mounted`.
fn rows(part: &Path, mounted: &mut Mounted, work: &Work) -> Result<AnyRows> {
    let opened =
        solio_io::open(part, &Limits::default(), &Work { memory_bytes: 0, ..work.clone() })?;
    let mut head = [0; 4];
    opened.source.read_at(0, &mut head).map_err(|e| e.at_path(part))?;
    if !FileKind::Parquet.is_at_start(&head) {
        let rows = Rows::open(part)?;
        mounted.add(rows.mounted()?);
        return Ok(Box::new(rows));
    }
    let path = part.to_owned();
    let rows = ParquetRows::open(Arc::from(opened.source)).map_err(|e: Error| e.at_path(part))?;
    mounted.add(rows.mounted());
    Ok(Box::new(rows.map(move |row| row.map_err(|e| e.at_path(&path)))))
}
