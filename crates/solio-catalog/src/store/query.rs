//! Questions in SQL, which cannot change anything.

use super::{failed, open_to_read};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use solio_base::{Cancel, Error, Result};
use std::path::{Path, PathBuf};

/// A catalogue that can be asked.
#[derive(Debug)]
pub struct Query {
    path: PathBuf,
    connection: Connection,
}

/// A value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Query {
    /// Opens the catalogue at `path`; a question ends when `cancel` is set.
    pub fn open(path: &Path, cancel: &Cancel) -> Result<Query> {
        let mut connection = open_to_read(path)?;
        let only_reads = connection.pragma_update(None, "query_only", true);
        only_reads.map_err(|e| failed("open the catalogue", e, path))?;
        let cancel = cancel.clone();
        connection
            .progress_handler(10_000, Some(move || cancel.is_cancelled()))
            .map_err(|e| failed("open the catalogue", e, path))?;
        Ok(Query { path: path.to_owned(), connection })
    }

    /// Asks `sql`, one statement. `each` gets the names of the columns, first alone, then with the
    /// values of every row, until it gives `false`.
    ///
    /// # Errors
    /// `Argument` for what is no SQL, or would change something.
    pub fn ask(
        &self,
        sql: &str,
        mut each: impl FnMut(&[&str], Option<Vec<Answer>>) -> Result<bool>,
    ) -> Result<()> {
        let wrong = |e: rusqlite::Error| match e {
            rusqlite::Error::SqlInputError { msg, offset, .. } => {
                let place = usize::try_from(offset).unwrap_or_default().min(sql.len());
                let rest = sql.get(place..).unwrap_or_default();
                let rest: String = rest.chars().take(30).collect();
                Error::argument(format!("{msg}, before \"{rest}\""))
                    .hint("the tables and columns: SELECT name, sql FROM sqlite_master")
            }
            // What SQLite has no place for in the question is still a fault of the question.
            rusqlite::Error::SqliteFailure(code, Some(msg))
                if code.extended_code == rusqlite::ffi::SQLITE_ERROR =>
            {
                Error::argument(msg)
            }
            rusqlite::Error::MultipleStatement => Error::argument("ask one question at a time"),
            e => failed("ask the catalogue", e, &self.path),
        };
        let mut statement = self.connection.prepare(sql).map_err(wrong)?;
        if !statement.readonly() {
            return Err(Error::argument("a question cannot change the catalogue")
                .hint("begin it with SELECT; solio scan changes catalogues"));
        }
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut goes_on = each(&names, None)?;
        let mut rows = statement.query([]).map_err(wrong)?;
        while goes_on && let Some(row) = rows.next().map_err(wrong)? {
            let values = (0..names.len()).map(|column| answer(row.get_ref_unwrap(column)));
            goes_on = each(&names, Some(values.collect()))?;
        }
        Ok(())
    }

    /// The views and tables, with the number of rows of each.
    pub fn views(&self) -> Result<Vec<String>> {
        let sql = "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name";
        let read = || -> rusqlite::Result<Vec<String>> {
            self.connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))
    }
}

fn answer(value: ValueRef<'_>) -> Answer {
    match value {
        ValueRef::Null => Answer::Null,
        ValueRef::Integer(value) => Answer::Integer(value),
        ValueRef::Real(value) => Answer::Real(value),
        ValueRef::Text(text) => Answer::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Answer::Bytes(bytes.to_vec()),
    }
}
