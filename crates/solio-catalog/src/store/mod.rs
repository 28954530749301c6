//! The live catalogue: an SQLite database.
//!
//! Tables: `folders` (a path, its number), `entries` (a file: folder, name, and the columns of
//! [`row::COLUMNS`](crate::row::COLUMNS)), `thumbnails`, `state`, `tombstones` (what is gone, with all
//! that was known of it), `volume` and `place` (what the roots lie on). A name is TEXT where it is UTF-8,
//! else BLOB, with a readable form beside it (`shown`). The view `files` puts paths together; other
//! views answer what is asked often.
//!
//! * A folder's number is a hash of its path, so that a table does not depend on the order in which
//!   folders were found.
//! * Rows of a folder lie together: what is known of it is one range of the table.
//! * The write-ahead log lets others read while a scan writes, and keeps what was committed through
//!   a kill. Only one scan writes; the lock that sees to it is the caller's.

mod going;
mod history;
mod known;
mod places;
mod query;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use going::{HeldBack, Removal, RemovalLimit, Settled};
pub use history::FileChange;
pub use known::{Known, KnownFile};
pub use places::{CatalogPlace, CatalogVolume, Mounted, PlaceState, PlacedRows};
pub use query::{Answer, Query};
pub use read::Rows;
pub use write::{Store, folder_hash};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use siphasher::sip::SipHasher24;
use solio_base::{Error, ErrorKind, Result};
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// Pages of the database.
const PAGE_BYTES: i64 = 8192;

/// A name as the database keeps it.
fn name_value(name: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match std::str::from_utf8(name) {
        Ok(_) => ValueRef::Text(name),
        Err(_) => ValueRef::Blob(name),
    })
}

/// What stands beside a name that is no text.
fn shown_value(name: &[u8]) -> Option<String> {
    std::str::from_utf8(name).is_err().then(|| crate::names::percent(name))
}

/// The bytes of a name.
fn name_bytes<'v>(value: ValueRef<'v>, path: &Path) -> Result<&'v [u8]> {
    match value {
        ValueRef::Text(name) | ValueRef::Blob(name) => Ok(name),
        _ => Err(damaged("a name is a number", path)),
    }
}

fn damaged(what: &str, path: &Path) -> Error {
    Error::corrupt(format!("the catalogue is damaged: {what}"))
        .at_path(path)
        .hint("solio scan --rebuild makes it anew")
}

/// Whether the file at `path` is called as Parquet files are.
fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("parquet"))
}

/// What SQLite complains about, with the path of the database.
fn failed(action: &str, error: rusqlite::Error, path: &Path) -> Error {
    let words = format!("cannot {action}: {error}");
    let made = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) if is_parquet(path) => Error::unsupported(
            "this is no catalogue in SQLite; by its name it is one in Parquet",
        )
        .hint("DuckDB, Polars and pandas ask it; solio merge FILE -o c.sqlite makes one for query"),
        Some(ErrorCode::NotADatabase) => {
            Error::corrupt("this is no catalogue, or its start is damaged")
                .hint("if it was one, remove the file and scan again")
        }
        Some(ErrorCode::DatabaseCorrupt) => return damaged(&error.to_string(), path),
        Some(ErrorCode::DiskFull) => Error::new(ErrorKind::Io, words)
            .hint("the disk is full; what was written before is kept: make room and run it again"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::new(ErrorKind::Io, words).hint("another program writes to it; wait for its end")
        }
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure,
        ) => Error::new(ErrorKind::Io, words),
        Some(ErrorCode::OperationInterrupted) => Error::cancelled(),
        Some(_) => Error::new(ErrorKind::Corrupt, words),
        None => Error::argument(words),
    };
    made.at_path(path)
}

/// A path that SQLite takes for one: `:memory:` and `file:…` mean something else to it. That of a folder which
/// is there is whole: on Windows such a one (`\\?\`) may have more than 260 characters.
fn as_path(path: &Path) -> PathBuf {
    let above = path
        .parent()
        .map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    if let (Some(Ok(folder)), Some(name)) = (above.map(Path::canonicalize), path.file_name()) {
        return folder.join(name);
    }
    if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) }
}

/// Opens the catalogue at `path` for reading. A pipe or an empty file is none.
fn open_to_read(path: &Path) -> Result<Connection> {
    let failed = |e| failed("open the catalogue", e, path);
    let open = |access: OpenFlags| {
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(as_path(path), flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        Ok(connection)
    };
    let mut connection = open(OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    if is_left_unfinished(&connection) {
        // Whoever may write brings it back to its last commit; others are told that they may not.
        let writer = open(OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        is_left_unfinished(&writer);
        drop(writer);
        connection = open(OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    }
    match version(&connection, path)? {
        Some(schema::VERSION) => Ok(connection),
        Some(version @ schema::OLDEST..schema::VERSION) => Err(older(version, path)),
        Some(other) => Err(foreign(other, path)),
        None => Err(Error::corrupt("this is no catalogue: it is empty").at_path(path)),
    }
}

/// Whether a kill left a journal that must be played back before anything can be read: a kill of the last
/// step, when the write-ahead log goes. A connection that may write has done it then.
fn is_left_unfinished(connection: &Connection) -> bool {
    let read = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    read.is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::ReadOnly))
}

/// The version of the tables; `None` for an empty database.
fn version(connection: &Connection, path: &Path) -> Result<Option<i64>> {
    let number = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|e| failed("read the catalogue", e, path))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application == schema::APPLICATION {
        return Ok(Some(version));
    }
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(|e| failed("read the catalogue", e, path))?;
    if application == 0 && tables == 0 {
        return Ok(None);
    }
    Err(Error::unsupported("this database is not one of Solio's").at_path(path))
}

/// A catalogue of an earlier version, which the next scan brings up to this one.
fn older(version: i64, path: &Path) -> Error {
    let words =
        format!("the catalogue has version {version}; this Solio reads {}", schema::VERSION);
    let error = Error::unsupported(words).at_path(path);
    error.hint("solio scan FOLDER -o CATALOGUE brings it up to date, and loses nothing of it")
}

fn foreign(version: i64, path: &Path) -> Error {
    let words =
        format!("the catalogue has version {version}; this Solio reads {}", schema::VERSION);
    Error::unsupported(words).at_path(path).hint("solio scan --rebuild makes it anew")
}

/// Where to look for the number of a folder first: 52 bits of a hash, which floating point and
/// JavaScript can hold.
fn first_id(folder: &[u8]) -> i64 {
    let mut hasher = SipHasher24::new();
    hasher.write(folder);
    (hasher.finish() >> 12) as i64
}

/// What finds a folder by its number.
const FIND: &str = "SELECT path FROM folders WHERE id = ?1";

/// Whether a value is the path of this folder.
fn is_path(value: ValueRef<'_>, folder: &[u8]) -> bool {
    matches!(value, ValueRef::Text(path) | ValueRef::Blob(path) if path == folder)
}

/// The number of a folder, and whether it is in the table; else the next free number.
fn id_of(connection: &Connection, folder: &[u8]) -> rusqlite::Result<(i64, bool)> {
    let mut find = connection.prepare_cached(FIND)?;
    let mut id = first_id(folder);
    loop {
        let same = find.query_row([id], |row| Ok(is_path(row.get_ref(0)?, folder))).optional()?;
        match same {
            None => return Ok((id, false)),
            Some(true) => return Ok((id, true)),
            Some(false) => id += 1,
        }
    }
}
