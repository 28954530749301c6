//! The tables of the catalogue, and the views that people ask.

use crate::row::{COLUMNS, Column, Type};
use solio_kinds::{Family, FileKind};

/// `Soli` in ASCII: what `file` and others see in the header of the database.
pub(super) const APPLICATION: i64 = 0x536f_6c69;
/// The version of these tables.
pub(super) const VERSION: i64 = 2;

/// Columns of the view `files` that are made of others, before those of [`COLUMNS`].
const LEAD: &str = "\
    coalesce(nullif(coalesce(f.shown, f.path), '/'), '') || '/' || coalesce(e.shown, e.name) AS path,\n  \
    CASE WHEN f.shown IS NULL AND e.shown IS NULL THEN NULL ELSE\n    \
    CAST(coalesce(nullif(CAST(f.path AS TEXT), '/'), '') || '/' || CAST(e.name AS TEXT) AS BLOB) END AS path_bytes,\n  \
    coalesce(f.shown, f.path) AS folder,\n  \
    coalesce(e.shown, e.name) AS name,\n  \
    strftime('%Y-%m-%d %H:%M:%S', e.modified_ns / 1000000000, 'unixepoch') AS modified";

fn type_name(column: &Column) -> &'static str {
    match column.kind {
        Type::Integer => "INTEGER",
        Type::Real => "REAL",
        Type::Text => "TEXT",
    }
}

/// By inode a file is found that was renamed. A new catalogue gets this at its end: sorting all at once
/// is faster than keeping the order row by row, and nothing is renamed before.
pub(super) const INDEX: &str = "CREATE INDEX IF NOT EXISTS entries_inode ON entries (inode);";

/// Makes all but [`INDEX`].
pub(super) fn create() -> String {
    let columns: String =
        COLUMNS.iter().map(|c| format!("  {} {},\n", c.name, type_name(c))).collect();
    let shown = COLUMNS.iter().map(|c| format!(",\n  e.{}", c.name)).collect::<String>();
    let meshes = FileKind::ALL.iter().filter(|kind| kind.family() == Family::Mesh);
    let meshes: Vec<String> = meshes.map(|kind| format!("'{}'", kind.as_str())).collect();
    let views = VIEWS.replace("{MESHES}", &meshes.join(", "));
    format!(
        "CREATE TABLE folders (
  id INTEGER PRIMARY KEY,
  path NOT NULL UNIQUE,
  shown TEXT
);
CREATE TABLE entries (
  folder INTEGER NOT NULL,
  name NOT NULL,
  shown TEXT,
{columns}  PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE thumbnails (
  folder INTEGER NOT NULL,
  name NOT NULL,
  image BLOB NOT NULL,
  PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE VIEW files AS SELECT
  {LEAD}{shown}
FROM entries AS e JOIN folders AS f ON f.id = e.folder;
{views}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};"
    )
}

/// Questions that are asked often.
const VIEWS: &str = "\
CREATE VIEW kinds AS
  SELECT kind, count(*) AS files, sum(size) AS bytes FROM entries
  GROUP BY kind ORDER BY bytes DESC;
CREATE VIEW images AS
  SELECT path, kind, width, height, parts, channels, compression, size, modified FROM files
  WHERE width IS NOT NULL AND kind <> 'pbrt';
CREATE VIEW photos AS
  SELECT path, kind, taken, make, model, width, height, orientation, latitude, longitude, size
  FROM files WHERE taken IS NOT NULL OR make IS NOT NULL OR model IS NOT NULL;
CREATE VIEW meshes AS
  SELECT path, kind, vertices, faces, max_x - min_x AS width, max_y - min_y AS height,
    max_z - min_z AS depth, compression, size FROM files
  WHERE kind IN ({MESHES});
CREATE VIEW scenes AS
  SELECT path, kind, faces AS primitives, width, height, size FROM files
  WHERE kind IN ('pbrt', 'solio');
CREATE VIEW sequences AS
  SELECT folder, sequence, min(frame) AS first, max(frame) AS last, count(*) AS frames,
    max(frame) - min(frame) + 1 - count(DISTINCT frame) AS missing, sum(size) AS bytes
  FROM files WHERE sequence IS NOT NULL GROUP BY folder, sequence HAVING count(*) > 1;
CREATE VIEW problems AS
  SELECT files.path, files.kind, p.value AS problem FROM files, json_each(files.problems) AS p
  WHERE files.problems IS NOT NULL;
CREATE VIEW folder_sizes AS
  SELECT coalesce(f.shown, f.path) AS folder, count(*) AS files, sum(e.size) AS bytes
  FROM entries AS e JOIN folders AS f ON f.id = e.folder GROUP BY e.folder ORDER BY bytes DESC;
CREATE VIEW duplicates AS
  SELECT xxh128, count(DISTINCT inode || ' ' || coalesce(born_ns, '')) AS copies, size,
    (count(DISTINCT inode || ' ' || coalesce(born_ns, '')) - 1) * size AS wasted,
    json_group_array(path) AS paths
  FROM files WHERE xxh128 IS NOT NULL AND size > 0
  GROUP BY xxh128, size HAVING copies > 1 ORDER BY wasted DESC;
CREATE VIEW gallery AS
  SELECT coalesce(nullif(coalesce(f.shown, f.path), '/'), '') || '/' || coalesce(e.shown, e.name) AS path,
    t.image AS thumbnail, e.kind, e.width, e.height, e.vertices, e.faces, e.taken, e.size
  FROM thumbnails AS t JOIN entries AS e USING (folder, name) JOIN folders AS f ON f.id = t.folder;
";
