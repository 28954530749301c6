//! The tables of the catalogue, and the views that people ask.

use crate::row::{COLUMNS, Column, Type};
use solio_kinds::{Family, FileKind};

/// `Soli` in ASCII: what `file` and others see in the header of the database.
pub(super) const APPLICATION: i64 = 0x536f_6c69;
/// The version of these tables.
pub(super) const VERSION: i64 = 4;
/// The oldest version that is brought up to this one.
pub(super) const OLDEST: i64 = 2;
/// How many of [`COLUMNS`] version 2 had.
const COLUMNS_OF_2: usize = 30;

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

/// What version 3 has beside the tables of version 2: volumes, the roots and mount points at which they
/// were seen, what is gone, and what a scan is about to remove.
fn of_version_3() -> String {
    let columns: String =
        COLUMNS.iter().map(|c| format!("  {} {},\n", c.name, type_name(c))).collect();
    format!(
        "CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  kind TEXT,
  uuid TEXT,
  fsid TEXT,
  disk TEXT,
  source TEXT,
  label TEXT,
  device TEXT,
  seen_ns INTEGER
);
CREATE TABLE place (
  path NOT NULL PRIMARY KEY,
  shown TEXT,
  volume INTEGER,
  is_root INTEGER NOT NULL,
  state TEXT NOT NULL,
  seen_ns INTEGER
) WITHOUT ROWID;
CREATE TABLE tombstones (
  folder INTEGER NOT NULL,
  name NOT NULL,
  shown TEXT,
  gone_ns INTEGER NOT NULL,
  image BLOB,
  why TEXT,
{columns}  PRIMARY KEY (folder, name, gone_ns)
) WITHOUT ROWID;
"
    )
}

/// What version 4 has beside the tables of version 3: what changed from scan to scan, and of what is about to be
/// removed why, and where it is now.
const OF_VERSION_4: &str = "\
CREATE TABLE going (
  folder INTEGER NOT NULL,
  name NOT NULL,
  is_gone INTEGER NOT NULL,
  is_moved INTEGER NOT NULL,
  is_excluded INTEGER NOT NULL DEFAULT 0,
  to_path,
  PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE scans (
  id INTEGER PRIMARY KEY,
  begun_ns INTEGER NOT NULL,
  ended_ns INTEGER,
  roots TEXT,
  filter TEXT,
  is_first INTEGER NOT NULL,
  files INTEGER
);
CREATE TABLE changes (
  scan INTEGER NOT NULL,
  path NOT NULL,
  shown TEXT,
  what TEXT NOT NULL,
  old_path,
  old_shown TEXT,
  old_size INTEGER,
  old_modified_ns INTEGER,
  old_xxh128 TEXT,
  size INTEGER,
  modified_ns INTEGER,
  xxh128 TEXT,
  PRIMARY KEY (scan, path)
) WITHOUT ROWID;
";

/// Brings a catalogue of this earlier version up to this one: nothing of it is lost, and what its rows do not
/// have yet comes with the next scan.
pub(super) fn upgrade(version: i64) -> String {
    let of_3 = match version {
        OLDEST => COLUMNS[COLUMNS_OF_2..]
            .iter()
            .map(|c| format!("ALTER TABLE entries ADD COLUMN {} {};\n", c.name, type_name(c)))
            .chain([of_version_3()])
            .collect(),
        _ => {
            "ALTER TABLE tombstones ADD COLUMN why TEXT;\nDROP TABLE IF EXISTS going;\n".to_owned()
        }
    };
    let old: String = ["files", "kinds", "images", "photos", "meshes", "scenes", "sequences"]
        .iter()
        .chain(&["problems", "folder_sizes", "duplicates", "gallery", "gone", "volumes"])
        .map(|view| format!("DROP VIEW IF EXISTS {view};\n"))
        .collect();
    format!("{old}{of_3}{OF_VERSION_4}{}PRAGMA user_version = {VERSION};", views())
}

/// Makes all but [`INDEX`].
pub(super) fn create() -> String {
    let columns: String =
        COLUMNS.iter().map(|c| format!("  {} {},\n", c.name, type_name(c))).collect();
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
{}{OF_VERSION_4}{}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};",
        of_version_3(),
        views()
    )
}

/// Makes the views.
fn views() -> String {
    let shown = COLUMNS.iter().map(|c| format!(",\n  e.{}", c.name)).collect::<String>();
    let meshes = FileKind::ALL.iter().filter(|kind| kind.family() == Family::Mesh);
    let meshes: Vec<String> = meshes.map(|kind| format!("'{}'", kind.as_str())).collect();
    let once = |by: &str| ONCE.replace("{BY}", by);
    let views = VIEWS.replace("{MESHES}", &meshes.join(", ")).replace("{INODE}", INODE);
    let views = views.replace("{AGAIN}", AGAIN);
    let views = views.replace("{ONCE kind}", &once("kind"));
    let views = views.replace("{ONCE folder}", &once("folder"));
    format!(
        "CREATE VIEW files AS SELECT
  {LEAD}{shown}
FROM entries AS e JOIN folders AS f ON f.id = e.folder;
CREATE VIEW gone AS SELECT
  {LEAD},
  strftime('%Y-%m-%d %H:%M:%S', e.gone_ns / 1000000000, 'unixepoch') AS gone, e.gone_ns,
  coalesce(e.why, 'removed') AS why{shown}
FROM tombstones AS e JOIN folders AS f ON f.id = e.folder;
{views}"
    )
}

/// Questions that are asked often.
const VIEWS: &str = "\
CREATE VIEW kinds AS
  SELECT kind, sum(files) AS files, sum(bytes) AS bytes, sum(allocated) AS allocated FROM ({ONCE kind})
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
  SELECT coalesce(f.shown, f.path) AS folder, e.sequence, min(e.frame) AS first, max(e.frame) AS last,
    count(*) AS frames, max(e.frame) - min(e.frame) + 1 - count(DISTINCT e.frame) AS missing,
    sum(CASE WHEN {AGAIN} THEN 0 ELSE e.size END) AS bytes,
    sum(CASE WHEN {AGAIN} THEN 0 ELSE e.allocated END) AS allocated
  FROM entries AS e JOIN folders AS f ON f.id = e.folder
  WHERE e.sequence IS NOT NULL GROUP BY e.folder, e.sequence HAVING count(*) > 1;
CREATE VIEW problems AS
  SELECT files.path, files.kind, p.value AS problem FROM files, json_each(files.problems) AS p
  WHERE files.problems IS NOT NULL;
CREATE VIEW folder_sizes AS
  SELECT coalesce(f.shown, f.path) AS folder, sum(e.files) AS files, sum(e.bytes) AS bytes,
    sum(e.allocated) AS allocated
  FROM ({ONCE folder}) AS e JOIN folders AS f ON f.id = e.folder
  GROUP BY e.folder ORDER BY bytes DESC;
CREATE VIEW duplicates AS
  SELECT xxh128, count(DISTINCT {INODE}) AS copies, size, (count(DISTINCT {INODE}) - 1) * size AS wasted,
    json_group_array(path) AS paths
  FROM files WHERE xxh128 IS NOT NULL AND size > 0
  GROUP BY xxh128, size HAVING copies > 1 ORDER BY wasted DESC;
CREATE VIEW gallery AS
  SELECT coalesce(nullif(coalesce(f.shown, f.path), '/'), '') || '/' || coalesce(e.shown, e.name) AS path,
    t.image AS thumbnail, e.kind, e.width, e.height, e.vertices, e.faces, e.taken, e.size
  FROM thumbnails AS t JOIN entries AS e USING (folder, name) JOIN folders AS f ON f.id = t.folder;
CREATE VIEW history AS
  SELECT c.scan, strftime('%Y-%m-%d %H:%M:%S', s.begun_ns / 1000000000, 'unixepoch') AS scanned, c.what,
    coalesce(c.shown, c.path) AS path, coalesce(c.old_shown, c.old_path) AS old_path,
    c.old_size, coalesce(c.size, CASE c.what WHEN 'moved' THEN c.old_size END) AS size, s.begun_ns,
    CASE WHEN c.shown IS NULL THEN NULL ELSE c.path END AS path_bytes
  FROM changes AS c JOIN scans AS s ON s.id = c.scan ORDER BY c.scan, c.path;
CREATE VIEW scan_list AS
  SELECT s.id AS scan, strftime('%Y-%m-%d %H:%M:%S', s.begun_ns / 1000000000, 'unixepoch') AS began,
    CASE WHEN s.ended_ns IS NULL THEN 'unfinished' ELSE 'complete' END AS state, s.files,
    CASE s.is_first WHEN 1 THEN s.files ELSE (SELECT count(*) FROM changes WHERE scan = s.id AND what = 'added') END AS added,
    (SELECT count(*) FROM changes WHERE scan = s.id AND what = 'changed') AS changed,
    (SELECT count(*) FROM changes WHERE scan = s.id AND what = 'moved') AS moved,
    (SELECT count(*) FROM changes WHERE scan = s.id AND what = 'removed') AS removed,
    (SELECT count(*) FROM changes WHERE scan = s.id AND what = 'excluded') AS excluded, s.roots, s.filter
  FROM scans AS s ORDER BY s.id;
CREATE VIEW volumes AS
  SELECT coalesce(p.shown, p.path) AS path, CASE p.is_root WHEN 1 THEN 'root' ELSE 'mount point' END AS place,
    p.state, strftime('%Y-%m-%d %H:%M:%S', p.seen_ns / 1000000000, 'unixepoch') AS seen,
    v.kind, v.label, v.uuid, v.fsid, v.disk, v.source, v.device, p.volume
  FROM place AS p LEFT JOIN volume AS v ON v.id = p.volume ORDER BY p.path;
";

/// What tells files apart that have one content.
const INODE: &str = "coalesce(volume, '') || ' ' || inode || ' ' || coalesce(born_ns, '')";

/// Whether a frame is a further name of a file of its sequence.
const AGAIN: &str = "e.links > 1 AND e.name > (SELECT min(o.name) FROM entries AS o WHERE o.inode = e.inode \
    AND o.volume IS e.volume AND o.folder = e.folder AND o.sequence = e.sequence)";

/// Files and bytes by the column `{BY}`, a file that has several names there counted once.
const ONCE: &str = "\
    SELECT {BY}, count(*) AS files, sum(size) AS bytes, sum(allocated) AS allocated
      FROM entries WHERE links IS NULL OR links < 2 GROUP BY {BY}
    UNION ALL SELECT {BY}, sum(names), sum(size), sum(allocated) FROM (
      SELECT {BY}, count(*) AS names, max(size) AS size, max(allocated) AS allocated
      FROM entries WHERE links > 1 GROUP BY {BY}, volume, inode) GROUP BY {BY}";
