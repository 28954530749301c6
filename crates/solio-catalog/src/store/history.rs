//! What changed from one scan to the next. Only what changed is written down: a scan that finds nothing new
//! adds one row. The first scan of a catalogue adds none for its files, which are all new.

use super::{Known, Store, damaged, failed, name_bytes, name_value, shown_value};
use crate::difference::CatalogDifference;
use crate::row::{Row, column, path_of};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use solio_base::{Result, named_enum};
use std::collections::{BTreeMap, VecDeque};

named_enum! {
    /// What became of a file.
    pub enum FileChange {
        /// It was not known before.
        Added = "added",
        /// Its size, its time or its content is another one.
        Changed = "changed",
        /// It was known under another name, or its content was.
        Moved = "moved",
        /// It is not there any more.
        Removed = "removed",
        /// It may be there: what is left out now is not looked at.
        Excluded = "excluded",
    }

    /// `added`, `changed`, `moved`, `removed`, `excluded`.
    pub fn name;
}

/// A scan under way, as its history will have it.
#[derive(Debug, Default)]
pub(super) struct ScanHistory {
    /// Its number, when it has one.
    id: Option<i64>,
    begun_ns: i64,
    roots: String,
    filter: Option<String>,
    /// Nothing was known before.
    is_first: bool,
}

/// A file that goes.
struct Going {
    path: Vec<u8>,
    is_excluded: bool,
    /// Where it is now.
    to: Option<Vec<u8>>,
    was: Before,
}

/// What was known of a file.
struct Before {
    size: Option<i64>,
    modified_ns: Option<i64>,
    xxh128: Option<String>,
}

impl Store {
    /// A scan begins: what is put and removed from here on is its history. `roots` and `filter` say what it is
    /// of, in whatever form.
    pub fn begin_scan(&mut self, begun_ns: i64, roots: String, filter: Option<String>) {
        let is_first = self.put_so_far() == 0;
        self.history = Some(ScanHistory { id: None, begun_ns, roots, filter, is_first });
    }

    /// The scan is over; one in which nothing changed is written down only where `is_whole`. Gives its number.
    pub fn end_scan(&mut self, ended_ns: i64, is_whole: bool) -> Result<Option<i64>> {
        if is_whole && self.history.is_some() {
            self.scan_id()?;
        }
        let Some(ScanHistory { id: Some(id), .. }) = self.history.take() else { return Ok(None) };
        self.change(
            "UPDATE scans SET ended_ns = ?2, files = (SELECT count(*) FROM entries) WHERE id = ?1",
            (id, ended_ns),
        )?;
        Ok(Some(id))
    }

    /// The number of the scan under way.
    fn scan_id(&mut self) -> Result<Option<i64>> {
        self.begin()?;
        let Store { history, connection, path, pending, .. } = self;
        let Some(history) = history else { return Ok(None) };
        history
            .id(connection, pending)
            .map(Some)
            .map_err(|e| failed("write the catalogue", e, path))
    }

    /// What is marked as gone is about to go.
    pub(super) fn record_going(&mut self) -> Result<()> {
        if self.history.is_none() {
            return Ok(());
        }
        let going = || -> rusqlite::Result<Result<Vec<Going>>> {
            let mut select = self.connection.prepare(
                "SELECT f.path, g.name, g.is_excluded, g.to_path, e.size, e.modified_ns, e.xxh128 FROM going AS g \
                 JOIN entries AS e ON e.folder = g.folder AND e.name = g.name \
                 JOIN folders AS f ON f.id = g.folder WHERE g.is_gone AND (NOT g.is_moved OR g.to_path IS NOT NULL)",
            )?;
            let mut rows = select.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let bytes = |column| name_bytes(row.get_ref_unwrap(column), &self.path);
                let path = bytes(0).and_then(|folder| Ok(path_of(folder, bytes(1)?)));
                let to = match row.get_ref(3)? {
                    ValueRef::Null => Ok(None),
                    _ => bytes(3).map(|to| Some(to.to_vec())),
                };
                let (path, to) = match (path, to) {
                    (Ok(path), Ok(to)) => (path, to),
                    (Err(e), _) | (_, Err(e)) => return Ok(Err(e)),
                };
                let was =
                    Before { size: row.get(4)?, modified_ns: row.get(5)?, xxh128: row.get(6)? };
                found.push(Going { path, is_excluded: row.get(2)?, to, was });
            }
            Ok(Ok(found))
        };
        let going = self.sql(going())??;
        if going.is_empty() {
            return Ok(());
        }
        let Some(scan) = self.scan_id()? else { return Ok(()) };
        for Going { path, is_excluded, to, was } in going {
            let change = match (&to, is_excluded) {
                (Some(_), _) => FileChange::Moved,
                (None, true) => FileChange::Excluded,
                (None, false) => FileChange::Removed,
            };
            let (now, old) = match &to {
                Some(to) => (to, Some(&path)),
                None => (&path, None),
            };
            let sql = "INSERT OR REPLACE INTO changes (scan, path, shown, what, old_path, old_shown, old_size, \
                 old_modified_ns, old_xxh128) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let old_shown = old.and_then(|old| shown_value(old));
            let old = old.map(|old| name_value(old));
            let Before { size, modified_ns, xxh128 } = was;
            let (what, shown) = (change.name(), shown_value(now));
            self.change(
                sql,
                (scan, name_value(now), shown, what, old, old_shown, size, modified_ns, xxh128),
            )?;
        }
        Ok(())
    }

    /// Content that went away under one name and came under another one in the same scan was moved.
    pub(super) fn record_moved_content(&mut self) -> Result<()> {
        let Some(ScanHistory { id: Some(scan), .. }) = self.history else { return Ok(()) };
        let pairs = || -> rusqlite::Result<Vec<(Vec<u8>, Vec<u8>)>> {
            let bytes = |value: ValueRef<'_>| match value {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
                _ => Vec::new(),
            };
            let mut gone = self.connection.prepare(
                "SELECT c.path, c.old_xxh128, c.old_size FROM changes AS c WHERE c.scan = ?1 AND c.what = 'removed' \
                 AND c.old_xxh128 IS NOT NULL AND c.old_size > 0 ORDER BY c.path",
            )?;
            let mut came = self.connection.prepare(
                "SELECT c.path, c.xxh128 FROM changes AS c WHERE c.scan = ?1 AND c.what = 'added' \
                 AND c.xxh128 IS NOT NULL ORDER BY c.path",
            )?;
            let mut new = BTreeMap::<String, VecDeque<Vec<u8>>>::new();
            let mut rows = came.query([scan])?;
            while let Some(row) = rows.next()? {
                new.entry(row.get(1)?).or_default().push_back(bytes(row.get_ref(0)?));
            }
            let mut pairs = Vec::new();
            let mut rows = gone.query([scan])?;
            while let Some(row) = rows.next()? {
                let hash: String = row.get(1)?;
                if let Some(to) = new.get_mut(&hash).and_then(VecDeque::pop_front) {
                    pairs.push((bytes(row.get_ref(0)?), to));
                }
            }
            Ok(pairs)
        };
        for (from, to) in self.sql(pairs())? {
            self.change(
                "UPDATE changes SET what = 'moved', old_path = ?3, old_shown = ?4 WHERE scan = ?1 AND path = ?2",
                (scan, name_value(&to), name_value(&from), shown_value(&from)),
            )?;
            let gone = "DELETE FROM changes WHERE scan = ?1 AND path = ?2";
            self.change(gone, (scan, name_value(&from)))?;
        }
        Ok(())
    }
}

impl Known {
    /// What changed in the scan of this number, by path.
    pub fn changes(&self, scan: i64) -> Result<Vec<CatalogDifference>> {
        let read = || -> rusqlite::Result<Result<Vec<CatalogDifference>>> {
            let mut select = self.connection.prepare(
                "SELECT path, what, old_path, old_size, size FROM changes WHERE scan = ?1 ORDER BY path",
            )?;
            let mut rows = select.query([scan])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let what: String = row.get(1)?;
                let bytes = |column| name_bytes(row.get_ref_unwrap(column), &self.path);
                let old_path = match row.get_ref(2)? {
                    ValueRef::Null => Ok(None),
                    _ => bytes(2).map(|old| Some(old.to_vec())),
                };
                let change = FileChange::ALL.into_iter().find(|change| change.name() == what);
                let (path, old_path, change) = match (bytes(0), old_path, change) {
                    (Ok(path), Ok(old_path), Some(change)) => (path.to_vec(), old_path, change),
                    (Err(e), ..) | (_, Err(e), _) => return Ok(Err(e)),
                    (.., None) => return Ok(Err(damaged("a change has no name", &self.path))),
                };
                let size = |column| {
                    row.get::<_, Option<i64>>(column).map(|size| size.map(|size| size as u64))
                };
                let (old_size, size) = (size(3)?, size(4)?);
                found.push(CatalogDifference { change, path, old_path, size, old_size });
            }
            Ok(Ok(found))
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))?
    }
}

impl ScanHistory {
    fn id(&mut self, connection: &Connection, pending: &mut usize) -> rusqlite::Result<i64> {
        if let Some(id) = self.id {
            return Ok(id);
        }
        connection
            .prepare_cached(
                "INSERT INTO scans (begun_ns, roots, filter, is_first) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute((self.begun_ns, &self.roots, &self.filter, self.is_first))?;
        *pending += 1;
        let id = connection.last_insert_rowid();
        self.id = Some(id);
        Ok(id)
    }

    /// A row is about to be put into the folder with this number.
    pub(super) fn record_put(
        &mut self,
        connection: &Connection,
        folder: i64,
        row: &Row,
        pending: &mut usize,
    ) -> rusqlite::Result<()> {
        if self.is_first {
            return Ok(());
        }
        let before = connection
            .prepare_cached(
                "SELECT size, modified_ns, xxh128 FROM entries WHERE folder = ?1 AND name = ?2",
            )?
            .query_row((folder, name_value(&row.name)), |found| {
                Ok(Before {
                    size: found.get(0)?,
                    modified_ns: found.get(1)?,
                    xxh128: found.get(2)?,
                })
            })
            .optional()?;
        let hash = row.cells.text(column::XXH128);
        let is_as_before = before.as_ref().is_some_and(|before| {
            let both = before.xxh128.as_deref().zip(hash);
            before.size == row.cells.integer(column::SIZE)
                && before.modified_ns == row.cells.integer(column::MODIFIED_NS)
                && both.is_none_or(|(then, now)| then == now)
        });
        if is_as_before {
            return Ok(());
        }
        let (scan, path) = (self.id(connection, pending)?, path_of(&row.folder, &row.name));
        if before.is_none() {
            // What was left out, and is not any more, is not a tombstone.
            connection
                .prepare_cached(
                    "DELETE FROM tombstones WHERE folder = ?1 AND name = ?2 AND why = 'excluded'",
                )?
                .execute((folder, name_value(&row.name)))?;
        }
        let what = if before.is_some() { FileChange::Changed } else { FileChange::Added };
        let old = before.as_ref();
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO changes (scan, path, shown, what, old_size, old_modified_ns, old_xxh128, \
                 size, modified_ns, xxh128) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute((
                scan,
                name_value(&path),
                shown_value(&path),
                what.name(),
                old.and_then(|old| old.size),
                old.and_then(|old| old.modified_ns),
                old.and_then(|old| old.xxh128.as_deref()),
                row.cells.integer(column::SIZE),
                row.cells.integer(column::MODIFIED_NS),
                hash,
            ))?;
        *pending += 1;
        Ok(())
    }
}
