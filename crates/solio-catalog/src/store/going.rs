//! What is gone: gathered while a scan goes on, held against the bounds at its end, and kept as dated
//! tombstones until somebody purges them.

use super::write::folder_hash;
use super::{Store, name_bytes, name_value};
use crate::row::COLUMNS;
use rusqlite::types::ValueRef;
use solio_base::Result;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Fewer files than these are never too many.
const NEVER_TOO_MANY: u64 = 100;
/// Names that are shown of what is held back.
const SHOWN: usize = 5;

/// How many files may be gone at once before somebody is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RemovalLimit {
    /// This share of those of a root or mount point, and more than a hundred.
    Share(f64),
    /// So many of a root or mount point.
    Files(u64),
    /// Whatever is gone is removed.
    None,
}

impl Default for RemovalLimit {
    /// Half of a root.
    fn default() -> Self {
        RemovalLimit::Share(0.5)
    }
}

impl RemovalLimit {
    /// Whether `gone` of `known` files are more than may be.
    ///
    /// ```
    /// use solio_catalog::store::RemovalLimit;
    /// let half = RemovalLimit::default();
    /// assert!(half.is_passed(101, || 200) && !half.is_passed(100, || 200) && !half.is_passed(101, || 202));
    /// assert!(RemovalLimit::Files(3).is_passed(4, || 1000) && !RemovalLimit::None.is_passed(9, || 9));
    /// ```
    pub fn is_passed(self, gone: u64, known: impl FnOnce() -> u64) -> bool {
        match self {
            RemovalLimit::None => false,
            RemovalLimit::Files(most) => gone > most,
            RemovalLimit::Share(share) => {
                gone > NEVER_TOO_MANY && gone as f64 > share * known() as f64
            }
        }
    }
}

/// What may be removed: the roots and mount points, each with how many files are new there.
pub struct Removal<'r> {
    /// Roots and mount points, and how many files were met there that were not known before; `None` where
    /// whatever is gone is gone.
    pub places: Vec<(&'r [u8], Option<u64>)>,
    /// How many may be gone at once.
    pub limit: RemovalLimit,
    /// Now, in nanoseconds since 1970.
    pub now_ns: i64,
}

/// What is gone at a place, and more than may be: all of it stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// The root or mount point.
    pub place: Vec<u8>,
    /// Files that are gone.
    pub gone: u64,
    /// Files that were known.
    pub known: u64,
    /// Paths of the first ones.
    pub first: Vec<Vec<u8>>,
}

/// What became of the files that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Those that became tombstones.
    pub removed: u64,
    /// Those that are left out now, which became tombstones, too.
    pub excluded: u64,
    /// Those that stay.
    pub held: Vec<HeldBack>,
}

/// Paths, and whether another lies at or below one of them.
struct Above<'a>(HashSet<&'a [u8]>);

impl<'a> Above<'a> {
    fn new(paths: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Above(paths.into_iter().map(|path| path.strip_suffix(b"/").unwrap_or(path)).collect())
    }

    fn has(&self, path: &[u8]) -> bool {
        ways(path).any(|above| self.0.contains(above))
    }
}

/// A path, and the paths of all folders that it lies in, the nearest first.
fn ways(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    std::iter::once(path).chain(ends.map(|(end, _)| &path[..end]))
}

impl Store {
    /// Forgets what was marked before: a scan begins.
    pub fn unmark(&mut self) -> Result<()> {
        self.change("DELETE FROM going", [])
    }

    /// Files of a folder are gone, if they do not turn up under another name.
    pub fn mark_gone(&mut self, folder: &Arc<[u8]>, names: &[Box<[u8]>]) -> Result<()> {
        let sql = "INSERT INTO going (folder, name, is_gone, is_moved) VALUES (?1, ?2, 1, 0) \
             ON CONFLICT DO UPDATE SET is_gone = 1";
        self.mark(folder, names, sql)
    }

    /// Files of a folder are left out from now on.
    pub fn mark_excluded(&mut self, folder: &Arc<[u8]>, names: &[Box<[u8]>]) -> Result<()> {
        let sql = "INSERT INTO going (folder, name, is_gone, is_moved, is_excluded) VALUES (?1, ?2, 1, 0, 1) \
             ON CONFLICT DO UPDATE SET is_gone = 1, is_excluded = 1";
        self.mark(folder, names, sql)
    }

    /// A file of a folder was met at the path `to`, with all that is known of it.
    pub fn mark_moved(&mut self, folder: &Arc<[u8]>, name: &[u8], to: &[u8]) -> Result<()> {
        let sql = "INSERT INTO going (folder, name, is_gone, is_moved, to_path) VALUES (?1, ?2, 0, 1, ?3) \
             ON CONFLICT DO UPDATE SET is_moved = 1, to_path = ?3";
        let id = self.folder(folder)?;
        self.change(sql, (id, name_value(name), name_value(to)))
    }

    /// Files at and below `paths` are left out from now on.
    pub fn mark_excluded_below(&mut self, paths: &[Vec<u8>]) -> Result<()> {
        let paths = Above::new(paths.iter().map(|path| &**path));
        if paths.0.is_empty() {
            return Ok(());
        }
        self.mark_folders(|_, path| paths.has(path), "1")
    }

    /// What lies at and below `path` is not known to be gone.
    pub fn unmark_below(&mut self, path: &[u8]) -> Result<()> {
        self.begin()?;
        let above = Above::new([path]);
        let mut folders = Vec::new();
        let marked = "SELECT g.folder, f.path, count(*) FROM going AS g JOIN folders AS f \
             ON f.id = g.folder GROUP BY g.folder";
        self.by_folder(marked, |id, folder, _| {
            if above.has(folder) {
                folders.push(id);
            }
        })?;
        for folder in folders {
            let unmark = "UPDATE going SET is_gone = 0 WHERE folder = ?1";
            self.sql(self.connection.execute(unmark, [folder]))?;
        }
        self.pending += 1;
        Ok(())
    }

    fn mark(&mut self, folder: &Arc<[u8]>, names: &[Box<[u8]>], sql: &str) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let id = self.folder(folder)?;
        names.iter().try_for_each(|name| self.change(sql, (id, name_value(name))))
    }

    /// Marks as gone all files of folders at and below `roots` that were not `seen`, except of those at and
    /// below `kept`. `seen` are the hashes that [`folder_hash`] gives.
    pub fn mark_unseen(
        &mut self,
        roots: &[Vec<u8>],
        seen: &HashSet<u64>,
        kept: &[Vec<u8>],
    ) -> Result<()> {
        self.begin()?;
        let (roots, kept) = (roots.iter().map(|root| &**root), kept.iter().map(|kept| &**kept));
        let (roots, kept) = (Above::new(roots), Above::new(kept));
        let is_unseen =
            |path: &[u8]| !seen.contains(&folder_hash(path)) && roots.has(path) && !kept.has(path);
        self.mark_folders(|_, path| is_unseen(path), "0")
    }

    /// Marks all files of the folders that `is_gone` picks.
    fn mark_folders(
        &mut self,
        is_gone: impl Fn(i64, &[u8]) -> bool,
        is_excluded: &str,
    ) -> Result<()> {
        self.begin()?;
        let picked = || -> rusqlite::Result<Vec<(i64, Result<bool>)>> {
            let mut select = self.connection.prepare("SELECT id, path FROM folders")?;
            let pick = |row: &rusqlite::Row<'_>| {
                let id = row.get(0)?;
                let path = name_bytes(row.get_ref(1)?, &self.path);
                Ok((id, path.map(|path| is_gone(id, path))))
            };
            select.query_map([], pick)?.collect()
        };
        let mark = format!(
            "INSERT INTO going (folder, name, is_gone, is_moved, is_excluded) \
             SELECT folder, name, 1, 0, {is_excluded} FROM entries WHERE folder = ?1 \
             ON CONFLICT DO UPDATE SET is_gone = 1, is_excluded = {is_excluded}"
        );
        for (id, is_picked) in self.sql(picked())? {
            if !is_picked? {
                continue;
            }
            let marked = self.sql(self.connection.execute(&mark, [id]))?;
            self.pending += marked;
            self.sql(self.connection.execute(EMPTY_FOLDER, [id]))?;
        }
        self.last = None;
        Ok(())
    }

    /// What is marked as gone becomes tombstones, except where it is more than may be: that stays. What was
    /// met under another name just goes.
    pub fn settle(&mut self, removal: &Removal<'_>) -> Result<Settled> {
        self.begin()?;
        let held = self.held(removal)?;
        self.record_going()?;
        let columns: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let (columns, of_entry) = (columns.join(", "), columns.join(", e."));
        let bury = format!(
            "INSERT OR REPLACE INTO tombstones (folder, name, shown, gone_ns, image, why, {columns}) \
             SELECT e.folder, e.name, e.shown, ?1, t.image, \
             CASE WHEN g.is_excluded THEN 'excluded' END, e.{of_entry} FROM going AS g \
             CROSS JOIN entries AS e ON e.folder = g.folder AND e.name = g.name \
             LEFT JOIN thumbnails AS t ON t.folder = g.folder AND t.name = g.name \
             WHERE g.is_gone AND NOT g.is_moved"
        );
        let buried = self.connection.execute(&bury, [removal.now_ns]);
        let buried = self.sql(buried)? as u64;
        let excluded = "SELECT count(*) FROM going AS g JOIN entries AS e ON e.folder = g.folder \
             AND e.name = g.name WHERE g.is_gone AND g.is_excluded AND NOT g.is_moved";
        let excluded = self.connection.query_row(excluded, [], |row| row.get::<_, i64>(0));
        let excluded = self.sql(excluded)? as u64;
        let removed = buried.saturating_sub(excluded);
        let clear = || -> rusqlite::Result<()> {
            let connection = &self.connection;
            let mut entry =
                connection.prepare("DELETE FROM entries WHERE folder = ?1 AND name = ?2")?;
            let mut image =
                connection.prepare("DELETE FROM thumbnails WHERE folder = ?1 AND name = ?2")?;
            let mut marked = connection
                .prepare("SELECT folder, name FROM going WHERE is_gone ORDER BY folder")?;
            let mut rows = marked.query([])?;
            let mut folders = Vec::new();
            while let Some(row) = rows.next()? {
                let (folder, name): (i64, ValueRef<'_>) = (row.get(0)?, row.get_ref(1)?);
                for delete in [&mut entry, &mut image] {
                    delete.execute((folder, rusqlite::types::ToSqlOutput::Borrowed(name)))?;
                }
                if folders.last() != Some(&folder) {
                    folders.push(folder);
                }
            }
            let mut empty = connection.prepare(EMPTY_FOLDER)?;
            folders.into_iter().try_for_each(|folder| empty.execute([folder]).map(drop))?;
            connection.execute("DELETE FROM going WHERE is_gone", []).map(drop)
        };
        self.sql(clear())?;
        self.last = None;
        self.pending += 1;
        self.record_moved_content()?;
        Ok(Settled { removed, excluded, held })
    }

    /// Takes the marks off where more is gone than may be.
    fn held(&mut self, removal: &Removal<'_>) -> Result<Vec<HeldBack>> {
        let own = |path: &'_ [u8]| path.strip_suffix(b"/").unwrap_or(path).len();
        let places: HashMap<&[u8], usize> =
            removal.places.iter().map(|(path, _)| &path[..own(path)]).zip(0..).collect();
        let place_of = |path: &[u8]| {
            let root = places.get(&b""[..]);
            ways(&path[..own(path)]).find_map(|above| places.get(above)).or(root).copied()
        };
        let mut gone: HashMap<usize, (u64, Vec<i64>)> = HashMap::new();
        let marked = "SELECT g.folder, f.path, count(*) FROM going AS g JOIN folders AS f \
             ON f.id = g.folder WHERE g.is_gone AND NOT g.is_moved AND NOT g.is_excluded GROUP BY g.folder";
        self.by_folder(marked, |folder, path, files| {
            if let Some(place) = place_of(path) {
                let (count, folders) = gone.entry(place).or_default();
                *count += files;
                folders.push(folder);
            }
        })?;
        let may_be = |gone: u64| removal.limit.is_passed(gone, || 0);
        gone.retain(|place, (count, _)| removal.places[*place].1.is_some() && may_be(*count));
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut known: HashMap<usize, u64> = HashMap::new();
        let all = "SELECT e.folder, f.path, count(*) FROM entries AS e JOIN folders AS f \
             ON f.id = e.folder GROUP BY e.folder";
        self.by_folder(all, |_, path, files| {
            if let Some(place) = place_of(path) {
                *known.entry(place).or_default() += files;
            }
        })?;
        let mut held = Vec::new();
        let mut gone: Vec<_> = gone.into_iter().collect();
        gone.sort_unstable_by_key(|(place, _)| *place);
        for (place, (count, folders)) in gone {
            let (path, Some(new)) = removal.places[place] else { continue };
            let known = known.get(&place).copied().unwrap_or_default().saturating_sub(new);
            if !removal.limit.is_passed(count, || known) {
                continue;
            }
            let first = self.first_of(&folders)?;
            for folder in folders {
                let keep =
                    "DELETE FROM going WHERE folder = ?1 AND NOT is_moved AND NOT is_excluded";
                self.sql(self.connection.execute(keep, [folder]))?;
            }
            held.push(HeldBack { place: path.to_vec(), gone: count, known, first });
        }
        Ok(held)
    }

    /// Calls `each` with the number of a folder, its path, and how many files there are.
    fn by_folder(&self, sql: &str, mut each: impl FnMut(i64, &[u8], u64)) -> Result<()> {
        let mut read = || -> rusqlite::Result<Result<()>> {
            let mut select = self.connection.prepare(sql)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                match name_bytes(row.get_ref(1)?, &self.path) {
                    Ok(path) => each(row.get(0)?, path, row.get::<_, i64>(2)? as u64),
                    Err(e) => return Ok(Err(e)),
                }
            }
            Ok(Ok(()))
        };
        self.sql(read())?
    }

    /// Paths of the first files that are marked as gone in these folders.
    fn first_of(&self, folders: &[i64]) -> Result<Vec<Vec<u8>>> {
        let mut first = Vec::new();
        for folder in folders {
            let read = || -> rusqlite::Result<Result<Vec<Vec<u8>>>> {
                let mut select = self.connection.prepare_cached(
                    "SELECT f.path, g.name FROM going AS g JOIN folders AS f ON f.id = g.folder \
                     WHERE g.folder = ?1 AND g.is_gone AND NOT g.is_moved AND NOT g.is_excluded ORDER BY g.name LIMIT ?2",
                )?;
                let mut rows = select.query((folder, SHOWN as i64))?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let name = |column| name_bytes(row.get_ref_unwrap(column), &self.path);
                    match (name(0), name(1)) {
                        (Ok(folder), Ok(name)) => found.push(crate::row::path_of(folder, name)),
                        (Err(e), _) | (_, Err(e)) => return Ok(Err(e)),
                    }
                }
                Ok(Ok(found))
            };
            first.extend(self.sql(read())??);
            if first.len() >= SHOWN {
                first.truncate(SHOWN);
                break;
            }
        }
        Ok(first)
    }

    /// Forgets the files that were gone before `before_ns`, and what changed in scans before; how many files
    /// they were.
    ///
    /// ```
    /// use solio_catalog::store::Store;
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut store = Store::open(&folder.path().join("c.sqlite"))?;
    /// assert_eq!(store.purge(i64::MAX)?, 0);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn purge(&mut self, before_ns: i64) -> Result<u64> {
        self.begin()?;
        let purge = || -> rusqlite::Result<usize> {
            let purged = self
                .connection
                .execute("DELETE FROM tombstones WHERE gone_ns < ?1", [before_ns])?;
            let old =
                "DELETE FROM changes WHERE scan IN (SELECT id FROM scans WHERE begun_ns < ?1)";
            self.connection.execute(old, [before_ns])?;
            self.connection.execute(
                "DELETE FROM folders WHERE NOT EXISTS (SELECT 1 FROM entries WHERE folder = id) \
                 AND NOT EXISTS (SELECT 1 FROM tombstones WHERE folder = id)",
                [],
            )?;
            Ok(purged)
        };
        let purged = self.sql(purge())? as u64;
        self.last = None;
        self.pending += 1;
        Ok(purged)
    }
}

/// Forgets a folder of which nothing is known, and nothing was.
const EMPTY_FOLDER: &str = "DELETE FROM folders WHERE id = ?1 \
    AND NOT EXISTS (SELECT 1 FROM entries WHERE folder = ?1) \
    AND NOT EXISTS (SELECT 1 FROM tombstones WHERE folder = ?1)";
