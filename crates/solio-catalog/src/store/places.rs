//! What the rows lie on: volumes, and the roots and mount points at which they were seen.

use super::{Store, failed, name_bytes, name_value, shown_value};
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, OptionalExtension};
use serde_json::{Value, json};
use solio_base::{Result, named_enum};
use std::path::Path;

/// A volume, as it was seen last; what each field says stands with `solio_io::volume::Volume`.
///
/// ```
/// use solio_catalog::store::{CatalogVolume, PlacedRows, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("c.sqlite");
/// let disk = CatalogVolume { kind: "ext4".into(), uuid: Some("7d…".into()), ..Default::default() };
/// let mut store = Store::open(&path)?;
/// store.put_volume(1, &disk, 0)?;
/// assert_eq!(store.mounted()?.volumes, [(1, disk)]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogVolume {
    /// The kind of its file system.
    pub kind: String,
    /// The UUID of its file system.
    pub uuid: Option<String>,
    /// The number of its file system.
    pub fsid: Option<String>,
    /// The disk.
    pub disk: Option<String>,
    /// What it was mounted from.
    pub source: String,
    /// Its name.
    pub label: Option<String>,
    /// The numbers of its device.
    pub device: String,
}

/// A root of a scan, or a mount point below one.
///
/// ```
/// use solio_catalog::store::{CatalogPlace, PlacedRows, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("c.sqlite");
/// let root = CatalogPlace { path: b"/mnt/show".to_vec(), volume: Some(1), is_root: true, ..Default::default() };
/// let mut store = Store::open(&path)?;
/// store.put_place(&root)?;
/// assert_eq!(store.mounted()?.places, [root]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogPlace {
    /// Where it is.
    pub path: Vec<u8>,
    /// The number of the volume that is there.
    pub volume: Option<i64>,
    /// Else it is a mount point below one.
    pub is_root: bool,
    /// Whether it could be scanned.
    pub state: PlaceState,
    /// When the volume was there last, in nanoseconds since 1970.
    pub seen_ns: i64,
}

named_enum! {
    /// Whether a place could be scanned the last time.
    #[derive(Default)]
    pub enum PlaceState {
        /// It was scanned.
        #[default]
        Online = "online",
        /// The volume was not there.
        Offline = "offline",
        /// The volume was there, and nothing on it.
        Empty = "empty",
    }

    fn name;
}

impl PlaceState {
    fn of(name: &str) -> PlaceState {
        PlaceState::ALL.into_iter().find(|state| state.name() == name).unwrap_or_default()
    }
}

/// The volumes and places of a catalogue, and their form in the footer of a Parquet file.
///
/// ```
/// use solio_catalog::store::{CatalogPlace, Mounted};
/// let root = CatalogPlace { path: b"/mnt/show".to_vec(), is_root: true, ..Default::default() };
/// let mounted = Mounted { volumes: Vec::new(), places: vec![root] };
/// assert_eq!(Mounted::from_json(&mounted.to_json()), mounted);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounted {
    /// By their numbers.
    pub volumes: Vec<(i64, CatalogVolume)>,
    /// By their paths.
    pub places: Vec<CatalogPlace>,
}

impl Mounted {
    /// Those of another catalogue, too; what both know is as this one knows it.
    pub fn add(&mut self, other: Mounted) {
        for volume in other.volumes {
            if let Err(at) = self.volumes.binary_search_by_key(&volume.0, |known| known.0) {
                self.volumes.insert(at, volume);
            }
        }
        for place in other.places {
            if let Err(at) = self.places.binary_search_by(|known| known.path.cmp(&place.path)) {
                self.places.insert(at, place);
            }
        }
    }

    /// As JSON. Times and numbers of devices, which differ from one scan to the next, are left out.
    pub fn to_json(&self) -> String {
        let volumes = self.volumes.iter().map(|(id, volume)| {
            let CatalogVolume { kind, uuid, fsid, disk, source, label, device: _ } = volume;
            json!({ "id": id, "kind": kind, "uuid": uuid, "fsid": fsid, "disk": disk, "source": source,
                "label": label })
        });
        let places = self.places.iter().map(|place| {
            let path: String = place.path.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "path": crate::names::shown(&place.path), "path_hex": path, "volume": place.volume,
                "is_root": place.is_root, "state": place.state.name() })
        });
        json!({ "volumes": volumes.collect::<Vec<_>>(), "places": places.collect::<Vec<_>>() })
            .to_string()
    }

    /// What [`Mounted::to_json`] wrote; what is not of that form is left out.
    pub fn from_json(text: &str) -> Mounted {
        let all: Value = serde_json::from_str(text).unwrap_or_default();
        let list = |name: &str| all[name].as_array().cloned().unwrap_or_default();
        let volume = |value: Value| {
            let text = |name: &str| value[name].as_str().map(str::to_owned);
            let volume = CatalogVolume {
                kind: text("kind")?,
                uuid: text("uuid"),
                fsid: text("fsid"),
                disk: text("disk"),
                source: text("source")?,
                label: text("label"),
                device: String::new(),
            };
            Some((value["id"].as_i64()?, volume))
        };
        let place = |value: Value| {
            let hex = value["path_hex"].as_str()?.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            Some(CatalogPlace {
                path: hex.map(byte).collect::<Option<_>>()?,
                volume: value["volume"].as_i64(),
                is_root: value["is_root"].as_bool()?,
                state: PlaceState::of(value["state"].as_str()?),
                seen_ns: 0,
            })
        };
        Mounted {
            volumes: list("volumes").into_iter().filter_map(volume).collect(),
            places: list("places").into_iter().filter_map(place).collect(),
        }
    }
}

impl Store {
    /// Keeps what another catalogue knows of its volumes and places.
    pub fn put_mounted(&mut self, mounted: &Mounted) -> Result<()> {
        for (id, volume) in &mounted.volumes {
            self.put_volume(*id, volume, 0)?;
        }
        mounted.places.iter().try_for_each(|place| self.put_place(place))
    }

    /// Keeps a volume, which was seen at `seen_ns`.
    pub fn put_volume(&mut self, id: i64, volume: &CatalogVolume, seen_ns: i64) -> Result<()> {
        let CatalogVolume { kind, uuid, fsid, disk, source, label, device } = volume;
        self.change(
            "INSERT OR REPLACE INTO volume (id, kind, uuid, fsid, disk, source, label, device, seen_ns) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (id, kind, uuid, fsid, disk, source, label, device, seen_ns),
        )
    }

    /// Keeps a place.
    pub fn put_place(&mut self, place: &CatalogPlace) -> Result<()> {
        let CatalogPlace { path, volume, is_root, state, seen_ns } = place;
        self.change(
            "INSERT OR REPLACE INTO place (path, shown, volume, is_root, state, seen_ns) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (name_value(path), shown_value(path), volume, is_root, state.name(), seen_ns),
        )
    }

    /// Forgets a place.
    pub fn remove_place(&mut self, path: &[u8]) -> Result<()> {
        self.change("DELETE FROM place WHERE path = ?1", [name_value(path)])
    }
}

/// A catalogue that tells what its rows lie on.
pub trait PlacedRows {
    /// Its connection, and its path.
    #[doc(hidden)]
    fn parts(&self) -> (&Connection, &Path);

    /// Its volumes and places.
    fn mounted(&self) -> Result<Mounted> {
        let (connection, path) = self.parts();
        let failed = |e| failed("read the catalogue", e, path);
        let volumes = volumes(connection).map_err(failed)?;
        Ok(Mounted { volumes, places: places(connection, path).map_err(failed)?? })
    }

    /// How many files are known at and below the folder at `path`.
    fn count_below(&self, path: &[u8]) -> Result<u64> {
        self.below(path, "count(*)")
    }

    /// Whether any is.
    fn has_below(&self, path: &[u8]) -> Result<bool> {
        Ok(self.below(path, "1")? > 0)
    }

    #[doc(hidden)]
    fn below(&self, path: &[u8], what: &str) -> Result<u64> {
        let (connection, catalog) = self.parts();
        let root = path.strip_suffix(b"/").unwrap_or(path);
        let (from, to) = ([root, b"/"].concat(), [root, b"0"].concat());
        let rows = format!("SELECT {what} FROM folders AS f JOIN entries AS e ON e.folder = f.id");
        let ask = |condition: &str, parameters: &[ToSqlOutput<'_>]| -> rusqlite::Result<i64> {
            let sql = format!("{rows} WHERE {condition} LIMIT 1");
            let parameters = rusqlite::params_from_iter(parameters);
            let found = connection.query_row(&sql, parameters, |row| row.get(0));
            Ok(found.optional()?.unwrap_or_default())
        };
        let blob = |bytes: &[u8]| ToSqlOutput::from(bytes.to_vec());
        let between = "f.path > ?1 AND f.path < ?2";
        let read = || -> rusqlite::Result<i64> {
            let own = ask("f.path = ?1", &[name_value(path)])?;
            // Names that are not text are of another type, in an order of their own.
            let text = match std::str::from_utf8(&from) {
                Ok(_) => ask(between, &[name_value(&from), name_value(&to)])?,
                Err(_) => 0,
            };
            Ok(own + text + ask(between, &[blob(&from), blob(&to)])?)
        };
        read().map(|count| count as u64).map_err(|e| failed("read the catalogue", e, catalog))
    }
}

impl PlacedRows for Store {
    fn parts(&self) -> (&Connection, &Path) {
        (&self.connection, &self.path)
    }
}

impl PlacedRows for super::Known {
    fn parts(&self) -> (&Connection, &Path) {
        (&self.connection, &self.path)
    }
}

impl PlacedRows for super::Rows {
    fn parts(&self) -> (&Connection, &Path) {
        (&self.connection, &self.path)
    }
}

fn volumes(connection: &Connection) -> rusqlite::Result<Vec<(i64, CatalogVolume)>> {
    let mut select = connection.prepare(
        "SELECT id, kind, uuid, fsid, disk, source, label, device FROM volume ORDER BY id",
    )?;
    let text = |row: &rusqlite::Row<'_>, column| row.get::<_, Option<String>>(column);
    let rows = select.query_map([], |row| {
        let volume = CatalogVolume {
            kind: text(row, 1)?.unwrap_or_default(),
            uuid: text(row, 2)?,
            fsid: text(row, 3)?,
            disk: text(row, 4)?,
            source: text(row, 5)?.unwrap_or_default(),
            label: text(row, 6)?,
            device: text(row, 7)?.unwrap_or_default(),
        };
        Ok((row.get(0)?, volume))
    })?;
    rows.collect()
}

fn places(connection: &Connection, path: &Path) -> rusqlite::Result<Result<Vec<CatalogPlace>>> {
    let mut select = connection
        .prepare("SELECT path, volume, is_root, state, seen_ns FROM place ORDER BY path")?;
    let mut rows = select.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let place = match name_bytes(row.get_ref(0)?, path) {
            Ok(name) => name.to_vec(),
            Err(e) => return Ok(Err(e)),
        };
        found.push(CatalogPlace {
            path: place,
            volume: row.get(1)?,
            is_root: row.get(2)?,
            state: PlaceState::of(&row.get::<_, String>(3)?),
            seen_ns: row.get::<_, Option<i64>>(4)?.unwrap_or_default(),
        });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Ok(found))
}
