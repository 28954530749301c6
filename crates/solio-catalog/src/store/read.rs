//! All rows of a catalogue, in its order.

use super::{failed, name_bytes, open_to_read};
use crate::row::{COLUMNS, Cell, Cells, Column, Row};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use solio_base::Result;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are read at a time.
const AT_ONCE: usize = 4096;

/// Reads the rows of a catalogue by folder, then by name; at most some thousand are in memory.
#[derive(Debug)]
pub struct Rows {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    select: String,
    /// The folder that is being read, and its number.
    folder: Option<(Arc<[u8]>, i64)>,
    /// Its path.
    at: Vec<u8>,
    /// The last name that was read of it; the empty text is before all names.
    after: Vec<u8>,
    ready: VecDeque<Row>,
    ended: bool,
}

impl Iterator for Rows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        self.row().transpose()
    }
}

impl Rows {
    /// Opens the catalogue at `path`. What it holds now is read, whatever is written meanwhile.
    pub fn open(path: &Path) -> Result<Rows> {
        Rows::with(path, |_| true)
    }

    /// The same; of the columns only those at these `places` are read, the others stay empty.
    pub fn of_columns(path: &Path, places: &[usize]) -> Result<Rows> {
        Rows::with(path, |place| places.contains(&place))
    }

    fn with(path: &Path, is_wanted: impl Fn(usize) -> bool) -> Result<Rows> {
        let connection = open_to_read(path)?;
        let begun = connection.execute_batch("BEGIN");
        begun.map_err(|e| failed("read the catalogue", e, path))?;
        let named =
            |(place, column): (usize, &Column)| if is_wanted(place) { column.name } else { "NULL" };
        let columns: Vec<&str> = COLUMNS.iter().enumerate().map(named).collect();
        let select = format!(
            "SELECT name, {} FROM entries WHERE folder = ?1 AND name > ?2 ORDER BY name LIMIT {AT_ONCE}",
            columns.join(", ")
        );
        let path = path.to_owned();
        Ok(Rows {
            path,
            connection,
            select,
            folder: None,
            at: Vec::new(),
            after: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
        })
    }

    fn row(&mut self) -> Result<Option<Row>> {
        while self.ready.is_empty() && !self.ended {
            let more = self.more();
            more.map_err(|e| failed("read the catalogue", e, &self.path))??;
        }
        Ok(self.ready.pop_front())
    }

    /// Thumbnail of a file.
    pub fn thumbnail(&self, row: &Row) -> Result<Option<Vec<u8>>> {
        use rusqlite::OptionalExtension;
        let read = || {
            let (id, _) = super::id_of(&self.connection, &row.folder)?;
            self.connection
                .prepare_cached("SELECT image FROM thumbnails WHERE folder = ?1 AND name = ?2")?
                .query_row((id, super::name_value(&row.name)), |found| found.get(0))
                .optional()
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))
    }

    /// Reads more of the folder, or goes to the next one.
    fn more(&mut self) -> rusqlite::Result<Result<()>> {
        let Some((folder, id)) = &self.folder else { return self.next_folder() };
        let mut select = self.connection.prepare_cached(&self.select)?;
        let mut rows = select.query((id, super::name_value(&self.after)))?;
        while let Some(row) = rows.next()? {
            let name: Box<[u8]> = match name_bytes(row.get_ref(0)?, &self.path) {
                Ok(name) => name.into(),
                Err(e) => return Ok(Err(e)),
            };
            let cells = cells(row, 1)?;
            self.ready.push_back(Row { folder: Arc::clone(folder), name, cells });
        }
        drop(rows);
        drop(select);
        if self.ready.len() < AT_ONCE {
            return self.next_folder();
        }
        self.after = self.ready.back().map_or_else(Vec::new, |row| row.name.to_vec());
        Ok(Ok(()))
    }

    fn next_folder(&mut self) -> rusqlite::Result<Result<()>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id, path FROM folders WHERE path > ?1 ORDER BY path LIMIT 1")?;
        let mut rows = select.query([super::name_value(&self.at)])?;
        self.folder = match rows.next()? {
            None => {
                self.ended = true;
                None
            }
            Some(row) => match name_bytes(row.get_ref(1)?, &self.path) {
                Ok(path) => {
                    self.at = path.to_vec();
                    self.after.clear();
                    Some((path.into(), row.get(0)?))
                }
                Err(e) => return Ok(Err(e)),
            },
        };
        Ok(Ok(()))
    }
}

/// The values of a row from the column `first` on.
pub(super) fn cells(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Cells> {
    let mut cells = Cells::default();
    for place in 0..COLUMNS.len() {
        cells.set(
            place,
            match row.get_ref(first + place)? {
                ValueRef::Null | ValueRef::Blob(_) => Cell::Null,
                ValueRef::Integer(value) => Cell::Integer(value),
                ValueRef::Real(value) => Cell::Real(value),
                ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into()),
            },
        );
    }
    Ok(cells)
}
