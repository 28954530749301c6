//! The one writer of a catalogue.

use super::history::ScanHistory;
use super::{
    PAGE_BYTES, as_path, failed, foreign, id_of, name_value, schema, shown_value, version,
};
use crate::row::{COLUMNS, Cell, Row};
use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Params, Statement};
use solio_base::Result;
use solio_kinds::FileKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pages that the write-ahead log collects before they are copied into the database: about as many as
/// that has, so that a small catalogue needs little room; copying often makes inserting slow.
const FEWEST_LOG_PAGES: u64 = 512;
const MOST_LOG_PAGES: u64 = 32_000;
/// Rows that a page holds, about.
const ROWS_OF_A_PAGE: u64 = 32;

/// Whether what another program wrote last is not yet in the database, but in the log beside it.
fn has_foreign_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if !std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return false;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = Connection::open_with_flags(as_path(path), flags)
        .map_err(|e| failed("open the catalogue", e, path))
        .and_then(|connection| version(&connection, path));
    // What cannot be asked may be another's.
    found.is_err()
}

/// A catalogue that is being written.
#[derive(Debug)]
pub struct Store {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    insert: String,
    /// The folder written to last, and its number.
    pub(super) last: Option<(Arc<[u8]>, i64)>,
    /// The scan under way.
    pub(super) history: Option<ScanHistory>,
    /// Rows put or removed since the last commit.
    pub(super) pending: usize,
    /// Rows that were there at the beginning, or put since.
    put: u64,
    /// After how many pages the log is copied now.
    log_pages: u64,
}

impl Store {
    /// Opens the catalogue at `path`, or makes one where there is nothing, or an empty file.
    ///
    /// # Errors
    /// `Corrupt` for what is no catalogue, `Unsupported` for one of another version or program.
    pub fn open(path: &Path) -> Result<Store> {
        let sql = |e| failed("open the catalogue", e, path);
        let connection = Connection::open(as_path(path)).map_err(sql)?;
        connection.busy_timeout(std::time::Duration::from_secs(10)).map_err(sql)?;
        let make = match version(&connection, path)? {
            None => format!("BEGIN; {} COMMIT;", schema::create()),
            Some(schema::VERSION) => schema::INDEX.to_owned(),
            Some(older @ schema::OLDEST..schema::VERSION) => {
                format!("BEGIN; {} COMMIT; {}", schema::upgrade(older), schema::INDEX)
            }
            Some(other) => return Err(foreign(other, path)),
        };
        let settings = format!(
            "PRAGMA page_size = {PAGE_BYTES}; PRAGMA journal_mode = WAL; \
             PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {FEWEST_LOG_PAGES}; \
             PRAGMA cache_size = -32768;"
        );
        connection.execute_batch(&settings).map_err(sql)?;
        connection.execute_batch(&make).map_err(sql)?;
        let rows =
            connection.query_row("SELECT count(*) FROM entries", [], |row| row.get::<_, i64>(0));
        let places = vec!["?"; COLUMNS.len() + 3].join(", ");
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let names = names.join(", ");
        let insert = format!(
            "INSERT OR REPLACE INTO entries (folder, name, shown, {names}) VALUES ({places})"
        );
        let put = rows.map_err(sql)? as u64;
        let (path, log_pages) = (path.to_owned(), FEWEST_LOG_PAGES);
        let (last, history, pending) = (None, None, 0);
        Ok(Store { path, connection, insert, last, history, pending, put, log_pages })
    }

    /// Bytes at the start of a file that tell whether it is a catalogue.
    pub const MARK_BYTES: usize = 105;

    /// Whether the file at `path`, which starts so, is a catalogue of any version, whatever else is wrong
    /// with it, or the database without tables that a kill may leave of one.
    ///
    /// ```
    /// use solio_catalog::store::Store;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("c.sqlite");
    /// Store::open(&path)?.close()?;
    /// let bytes = std::fs::read(&path).unwrap();
    /// let mut start: [u8; Store::MARK_BYTES] = bytes[..Store::MARK_BYTES].try_into().unwrap();
    /// assert!(Store::is_marked(&path, &start));
    /// // The database of another program.
    /// start[68..72].copy_from_slice(b"GPKG");
    /// assert!(!Store::is_marked(&path, &start));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn is_marked(path: &Path, start: &[u8; Store::MARK_BYTES]) -> bool {
        // Section 1.3 of the file format of SQLite: the application; 1.6: cells of the first page.
        let application =
            i64::from(u32::from_be_bytes([start[68], start[69], start[70], start[71]]));
        let has_tables = start[103..105] != [0, 0];
        let is_ours = application == schema::APPLICATION
            || application == 0 && !has_tables && !has_foreign_log(path);
        FileKind::Sqlite.is_at_start(start) && is_ours
    }

    /// Rows that were there at the beginning, or put since.
    pub fn put_so_far(&self) -> u64 {
        self.put
    }

    /// Rows put or removed since the last [`Store::commit`].
    pub fn pending(&self) -> usize {
        self.pending
    }

    pub(super) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|e| failed("write the catalogue", e, &self.path))
    }

    pub(super) fn begin(&mut self) -> Result<()> {
        if self.pending == 0 && self.connection.is_autocommit() {
            let begun = self.connection.execute_batch("BEGIN IMMEDIATE");
            return self.sql(begun);
        }
        Ok(())
    }

    /// Changes a row; that waits to be committed.
    pub(super) fn change(&mut self, sql: &str, values: impl Params) -> Result<()> {
        self.begin()?;
        let changed =
            self.connection.prepare_cached(sql).and_then(|mut change| change.execute(values));
        self.sql(changed)?;
        self.pending += 1;
        Ok(())
    }

    /// The number of a folder, which is put into the table where it is not there.
    pub(super) fn folder(&mut self, folder: &Arc<[u8]>) -> Result<i64> {
        self.begin()?;
        let id = folder_id(&self.connection, &mut self.last, folder);
        self.sql(id)
    }

    /// Puts rows, in place of what was known of these files.
    pub fn put<'r>(&mut self, rows: impl IntoIterator<Item = &'r Row>) -> Result<()> {
        self.begin()?;
        let Store { path, connection, insert, last, history, pending, put, .. } = self;
        let all = || -> rusqlite::Result<()> {
            let mut insert = connection.prepare_cached(insert)?;
            // What was bound before stays bound: nothing, at first.
            let mut is_bound = [false; COLUMNS.len()];
            for row in rows {
                let id = folder_id(connection, last, &row.folder)?;
                if let Some(history) = history {
                    history.record_put(connection, id, row, pending)?;
                }
                bind(&mut insert, id, row, &mut is_bound)?;
                insert.raw_execute()?;
                *pending += 1;
                *put += 1;
            }
            Ok(())
        };
        all().map_err(|e| failed("write the catalogue", e, path))
    }

    /// Puts the thumbnail of a file.
    pub fn put_thumbnail(&mut self, folder: &Arc<[u8]>, name: &[u8], image: &[u8]) -> Result<()> {
        let id = self.folder(folder)?;
        let sql = "INSERT OR REPLACE INTO thumbnails VALUES (?1, ?2, ?3)";
        self.change(sql, (id, name_value(name), image))
    }

    /// Removes the thumbnail of a file.
    pub fn remove_thumbnail(&mut self, folder: &Arc<[u8]>, name: &[u8]) -> Result<()> {
        let id = self.folder(folder)?;
        let sql = "DELETE FROM thumbnails WHERE folder = ?1 AND name = ?2";
        self.change(sql, (id, name_value(name)))
    }

    /// Remembers something about the catalogue.
    pub fn set_state(&mut self, name: &str, value: Option<&str>) -> Result<()> {
        match value {
            Some(value) => {
                self.change("INSERT OR REPLACE INTO state VALUES (?1, ?2)", (name, value))
            }
            None => self.change("DELETE FROM state WHERE name = ?1", [name]),
        }
    }

    /// Makes what was put last: from here on it outlives a kill.
    pub fn commit(&mut self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        let pages = (self.put / ROWS_OF_A_PAGE).next_power_of_two();
        let pages = pages.clamp(FEWEST_LOG_PAGES, MOST_LOG_PAGES);
        let done = self.connection.execute_batch("COMMIT");
        self.sql(done)?;
        self.pending = 0;
        if pages != self.log_pages {
            let set = self.connection.pragma_update(None, "wal_autocheckpoint", pages as i64);
            self.sql(set)?;
            self.log_pages = pages;
        }
        Ok(())
    }

    /// Sees to it that files are found by their inode.
    pub fn index(&mut self) -> Result<()> {
        let indexed = self.connection.execute_batch(schema::INDEX);
        self.sql(indexed)
    }

    /// Commits, and copies the write-ahead log into the database, which is then one file.
    pub fn close(mut self) -> Result<()> {
        self.index()?;
        self.commit()?;
        // Without the log, readers need no files beside it either. While somebody reads, it stays.
        let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
        let path = std::mem::take(&mut self.path);
        self.connection.close().map_err(|(_, e)| failed("write the catalogue", e, &path))
    }

    /// Whether all pages are what they should be.
    pub fn check(&self) -> Result<()> {
        let sql = "PRAGMA quick_check(1)";
        let found: String = self.sql(self.connection.query_row(sql, [], |row| row.get(0)))?;
        if found == "ok" { Ok(()) } else { Err(super::damaged(&found, &self.path)) }
    }
}

/// What [`Store::mark_unseen`] knows a folder by.
pub fn folder_hash(path: &[u8]) -> u64 {
    super::first_id(path) as u64
}

/// The number of a folder, which is put into the table where it is not there; `last` is the folder
/// that was asked for before.
fn folder_id(
    connection: &Connection,
    last: &mut Option<(Arc<[u8]>, i64)>,
    folder: &Arc<[u8]>,
) -> rusqlite::Result<i64> {
    if let Some((last, id)) = last
        && last == folder
    {
        return Ok(*id);
    }
    let (id, is_known) = id_of(connection, folder)?;
    if !is_known {
        let mut put = connection.prepare_cached("INSERT INTO folders VALUES (?1, ?2, ?3)")?;
        put.execute((id, name_value(folder), shown_value(folder)))?;
    }
    *last = Some((Arc::clone(folder), id));
    Ok(id)
}

/// Binds the values of a row; `is_bound` says of which columns the statement holds a value.
fn bind(
    insert: &mut Statement<'_>,
    folder: i64,
    row: &Row,
    is_bound: &mut [bool; COLUMNS.len()],
) -> rusqlite::Result<()> {
    insert.raw_bind_parameter(1, folder)?;
    insert.raw_bind_parameter(2, name_value(&row.name))?;
    insert.raw_bind_parameter(3, shown_value(&row.name))?;
    for (at, cell) in row.cells.all().iter().enumerate() {
        let place = at + 4;
        match cell {
            Cell::Null if !is_bound[at] => {}
            Cell::Null => insert.raw_bind_parameter(place, Null)?,
            Cell::Integer(value) => insert.raw_bind_parameter(place, value)?,
            Cell::Real(value) => insert.raw_bind_parameter(place, value)?,
            Cell::Text(text) => {
                let text = ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()));
                insert.raw_bind_parameter(place, text)?;
            }
        }
        is_bound[at] = *cell != Cell::Null;
    }
    Ok(())
}
