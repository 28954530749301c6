//! Files that are named one by one: the rows that a scan would make of them, without a catalogue.

use super::facts::{FileFacts, file_facts};
use super::row::{row_of, row_of_unknown};
use crate::Input;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Work, lock, ordered, unlock};
use solio_catalog::row::{Row, key};
use solio_io::filter::Filter;
use solio_io::objects::is_address;
use solio_io::walk::{self, Listing, Visit, WalkOptions};
use solio_io::{HeadReader, OpenFile, folders_and_files};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that a thread takes at a time.
const AT_ONCE: usize = 32;

/// The files at and below `roots`, in the order of the catalogue, and what could not be listed. Roots
/// become absolute.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("tree")).unwrap();
/// # for name in ["tree/b.exr", "tree/a.exr", "c.obj"] {
/// #     solio::write_bytes(&at(name), b"x")?;
/// # }
/// let roots = [at("tree"), at("c.obj"), at("gone")];
/// let (files, failed) = solio::list_files(&roots, false, &Default::default(), &Default::default())?;
/// # assert!(failed.is_empty());
/// // By folder, then by name. A path that is not there counts as a file: reading it tells.
/// assert_eq!(files, ["c.obj", "gone", "tree/a.exr", "tree/b.exr"].map(at));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled`.
pub fn list_files(
    roots: &[PathBuf],
    follow: bool,
    filter: &Filter,
    work: &Work,
) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    let roots = super::run::absolute(roots)?;
    let (objects, paths): (Vec<_>, Vec<_>) = roots.into_iter().partition(|root| is_address(root));
    let found = Found::default();
    let (folders, mut files) =
        folders_and_files(paths, |_, error| push(&found.failed, vec![error]));
    let (listed, unlisted) = super::objects::list_objects(&objects, filter, work)?;
    files.extend(listed);
    push(&found.failed, unlisted);
    let options = WalkOptions { follow, filter: filter.clone(), ..WalkOptions::of(work) };
    walk::walk(&folders, &options, &found)?;
    files.extend(unlock(found.files));
    files.sort_by(|a, b| {
        let (a, b) = (split(a), split(b));
        (key(a.0), key(a.1)).cmp(&(key(b.0), key(b.1)))
    });
    // Of a key every slash counts, of a path not.
    files.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
    Ok((files, unlock(found.failed)))
}

/// Folder and name of a file or an object.
pub(super) fn split(path: &Path) -> (&[u8], &[u8]) {
    if is_address(path) {
        let bytes = path.as_os_str().as_bytes();
        let slash = bytes.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
        return (&bytes[..slash], &bytes[slash + 1..]);
    }
    let folder = path.parent().unwrap_or(Path::new("")).as_os_str().as_bytes();
    (folder, path.file_name().unwrap_or_default().as_bytes())
}

/// What a walk finds.
#[derive(Default)]
struct Found {
    files: Mutex<Vec<PathBuf>>,
    failed: Mutex<Vec<Error>>,
}

fn push<T>(list: &Mutex<Vec<T>>, more: impl IntoIterator<Item = T>) {
    lock(list).extend(more);
}

impl Visit for Found {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), _: &Listing) -> Result<()> {
        Ok(())
    }

    fn entries(&self, (): &mut (), listing: &Listing, (): &(), entries: &[u32]) -> Result<()> {
        let paths = entries.iter().map(|&i| listing.path_of(&listing.entries()[i as usize]));
        push(&self.files, paths.collect::<Vec<_>>());
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        push(&self.failed, [error]);
    }
}

/// Some files under way.
#[derive(Default)]
struct ScanSlot {
    first: usize,
    heads: HeadReader,
    rows: Vec<Row>,
}

/// Hands the row of each file to `each`, in the order of `files`. What cannot be read is a row with a
/// problem.
///
/// ```
/// use solio::catalog::row::column;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [obj, gone] = ["a.0001.obj", "gone"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&obj, b"v 0 0 0\n")?;
/// let mut rows = Vec::new();
/// let facts = solio::ScanOptions::default().facts;
/// solio::scan_files(&[obj, gone], &facts, &Default::default(), |row| {
///     rows.push(row.cells);
///     Ok(())
/// })?;
/// assert_eq!(rows[0].text(column::KIND), Some("obj"));
/// assert_eq!(rows[0].integer(column::FRAME), Some(1));
/// assert!(rows[1].text(column::PROBLEMS).is_some());
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of `each`, and `Cancelled`.
pub fn scan_files(
    files: &[PathBuf],
    facts: &FileFacts,
    work: &Work,
    mut each: impl FnMut(Row) -> Result<()> + Send,
) -> Result<()> {
    let (mut work, mut at_once) = (work.clone(), AT_ONCE);
    if files.iter().any(|path| is_address(path)) {
        (work.threads, at_once) = (super::objects::in_flight(&work), 1);
    }
    let memory_bytes = work.memory_bytes / work.threads.max(1) as u64;
    let single = Work { threads: 1, memory_bytes, ..work.clone() };
    let mut next = 0;
    ordered::run::<ScanSlot>(
        &work,
        2 * work.threads + 2,
        |slot| {
            slot.first = next;
            next += at_once;
            Ok(slot.first < files.len())
        },
        |slot| {
            let last = files.len().min(slot.first + at_once);
            slot.rows.clear();
            for path in &files[slot.first..last] {
                let row = row(path, facts, &single, &mut slot.heads)?;
                slot.rows.push(row);
            }
            Ok(())
        },
        |slot| slot.rows.drain(..).try_for_each(&mut each),
    )
}

fn row(path: &Path, facts: &FileFacts, work: &Work, heads: &mut HeadReader) -> Result<Row> {
    let (folder, name) = (split(path).0.into(), split(path).1);
    if is_address(path) {
        return super::objects::row(path, &folder, name, facts, work);
    }
    let (status, kind) = match walk::status_of_name(path) {
        Ok(found) => found,
        Err(why) => return row_of_unknown(&folder, name, facts, why),
    };
    let (row, _) = row_of(&folder, name, status, kind, facts, |cells| {
        let source = walk::open_head(path, heads, status.size, solio_kinds::HEAD_BYTES)?;
        let whole = || Input::of(OpenFile::of_head(path, &source, work)?, &facts.limits, work);
        file_facts(path, &source, &whole, facts, work, cells).map(|_| ())
    })?;
    heads.count(&work.progress);
    Ok(row)
}
