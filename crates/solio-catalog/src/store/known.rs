//! What the catalogue already knows of the files in a folder.

use super::read::cells;
use super::{FIND, failed, first_id, id_of, is_path, name_bytes, name_value, open_to_read};
use crate::row::{COLUMNS, Cells, Level};
use rusqlite::{Connection, OptionalExtension};
use solio_base::Result;
use std::path::{Path, PathBuf};

/// A reader of the catalogue for one thread, beside the one that writes.
#[derive(Debug)]
pub struct Known {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
}

/// What tells whether a file is the one that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFile {
    /// Its name.
    pub name: Box<[u8]>,
    /// Bytes.
    pub size: u64,
    /// In nanoseconds since 1970.
    pub modified_ns: i64,
    /// When the file was made, in nanoseconds since 1970, where the file system tells.
    pub born_ns: Option<i64>,
    /// The number of its inode.
    pub inode: u64,
    /// How far it was looked at.
    pub level: Level,
    /// When content, mode, owner or links changed last, where that is known.
    pub changed_ns: Option<i64>,
    /// The number of the volume that it lay on, where that is known.
    pub volume: Option<i64>,
}

impl Known {
    /// Opens the catalogue at `path`.
    pub fn open(path: &Path) -> Result<Known> {
        let connection = open_to_read(path)?;
        let small = connection.pragma_update(None, "cache_size", -512);
        small.map_err(|e| failed("open the catalogue", e, path))?;
        Ok(Known { path: path.to_owned(), connection })
    }

    /// What a [`Store`](super::Store) was told to remember.
    pub fn state(&self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM state WHERE name = ?1";
        let found = self.connection.query_row(sql, [name], |row| row.get(0)).optional();
        found.map(Option::flatten).map_err(|e| failed("read the catalogue", e, &self.path))
    }

    /// The files of a folder, by name, byte by byte.
    pub fn files(&self, folder: &[u8], files: &mut Vec<KnownFile>) -> Result<()> {
        files.clear();
        let mut read = || -> rusqlite::Result<Result<()>> {
            let mut find = self.connection.prepare_cached(FIND)?;
            let mut id = first_id(folder);
            // As long as this row is held both questions are one transaction, with one lock.
            let _held = loop {
                let mut found = find.query([id])?;
                match found.next()? {
                    None => return Ok(Ok(())),
                    Some(row) if is_path(row.get_ref(0)?, folder) => break found,
                    Some(_) => id += 1,
                }
            };
            let mut select = self.connection.prepare_cached(
                "SELECT name, size, modified_ns, inode, level, born_ns, changed_ns, volume FROM entries \
                 WHERE folder = ?1 ORDER BY name",
            )?;
            let mut rows = select.query([id])?;
            while let Some(row) = rows.next()? {
                let name = match name_bytes(row.get_ref(0)?, &self.path) {
                    Ok(name) => name.into(),
                    Err(e) => return Ok(Err(e)),
                };
                let number =
                    |column| row.get::<_, Option<i64>>(column).map(Option::unwrap_or_default);
                files.push(KnownFile {
                    name,
                    size: number(1)? as u64,
                    modified_ns: number(2)?,
                    inode: number(3)? as u64,
                    level: Level(number(4)? as u32),
                    born_ns: row.get(5)?,
                    changed_ns: row.get(6)?,
                    volume: row.get(7)?,
                });
            }
            Ok(Ok(()))
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))??;
        // Names that are no text come last in the table.
        if !files.is_sorted_by(|a, b| a.name <= b.name) {
            files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        Ok(())
    }

    /// All that is known of a file, and its thumbnail.
    pub fn row(&self, folder: &[u8], name: &[u8]) -> Result<Option<(Cells, Option<Vec<u8>>)>> {
        let columns: Vec<&str> = COLUMNS.iter().map(|c| c.name).collect();
        let columns = columns.join(", ");
        let read = || {
            let (id, _) = id_of(&self.connection, folder)?;
            let select = format!(
                "SELECT image, {columns} FROM entries LEFT JOIN thumbnails USING (folder, name) \
                 WHERE folder = ?1 AND name = ?2"
            );
            self.connection
                .prepare_cached(&select)?
                .query_row((id, name_value(name)), |row| Ok((cells(row, 1)?, row.get(0)?)))
                .optional()
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))
    }

    /// All that was known of a file when it was left out, and its thumbnail, where its size, time and inode are
    /// what they were.
    pub fn excluded(
        &self,
        folder: &[u8],
        name: &[u8],
        size: u64,
        modified_ns: i64,
        inode: u64,
    ) -> Result<Option<(Cells, Option<Vec<u8>>)>> {
        let columns: Vec<&str> = COLUMNS.iter().map(|c| c.name).collect();
        let columns = columns.join(", ");
        let read = || {
            let (id, _) = id_of(&self.connection, folder)?;
            let select = format!(
                "SELECT image, {columns} FROM tombstones WHERE folder = ?1 AND name = ?2 AND why = 'excluded' \
                 AND size = ?3 AND modified_ns = ?4 AND inode = ?5 ORDER BY gone_ns DESC LIMIT 1"
            );
            self.connection
                .prepare_cached(&select)?
                .query_row((id, name_value(name), size as i64, modified_ns, inode as i64), |row| {
                    Ok((cells(row, 1)?, row.get(0)?))
                })
                .optional()
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))
    }

    /// Paths of files that were seen with this inode, size, time, and time of birth, on `volume` or on one
    /// that is not known.
    pub fn same_inode(
        &self,
        inode: u64,
        size: u64,
        modified_ns: i64,
        born_ns: i64,
        volume: Option<i64>,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let read = || -> rusqlite::Result<Result<Vec<_>>> {
            let mut select = self.connection.prepare_cached(
                "SELECT f.path, e.name FROM entries AS e JOIN folders AS f ON f.id = e.folder \
                 WHERE e.inode = ?1 AND e.size = ?2 AND e.modified_ns = ?3 \
                 AND e.born_ns = ?4 AND (e.volume IS NULL OR ?5 IS NULL OR e.volume = ?5)",
            )?;
            let same = (inode as i64, size as i64, modified_ns, born_ns, volume);
            let mut rows = select.query(same)?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let name = |column| name_bytes(row.get_ref_unwrap(column), &self.path);
                match (name(0), name(1)) {
                    (Ok(folder), Ok(name)) => found.push((folder.to_vec(), name.to_vec())),
                    (Err(e), _) | (_, Err(e)) => return Ok(Err(e)),
                }
            }
            Ok(Ok(found))
        };
        read().map_err(|e| failed("read the catalogue", e, &self.path))?
    }
}
