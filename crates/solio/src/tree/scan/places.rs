//! Whether the roots of a scan, and the mount points below them, are what they were: a volume that is
//! not there, another one in its place, or one that is suddenly empty keeps its rows.

use super::options::Scan;
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind, Result, lock};
use solio_catalog::names::shown;
use solio_catalog::store::{
    CatalogPlace, CatalogVolume, PlaceState, PlacedRows, Removal, Store, folder_hash,
};
use solio_io::mount::{Mount, mounts, nearest};
use solio_io::objects::is_address;
use solio_io::volume::Volume;
use solio_measure::unix_ns;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What file systems make for themselves in an empty volume.
const OF_SYSTEM: [&str; 3] = ["lost+found", ".Trashes", "System Volume Information"];

/// What to do about a place that is suddenly empty.
pub(super) const EMPTY_HINT: &str =
    "if it shall be empty, scan it once more, or say --accept-removal";

/// The number of a volume in the catalogue, and whether its times of change can be believed.
pub(super) type VolumeHere = Option<(i64, bool)>;

/// The volumes of a scan, and the places at which they should be.
#[derive(Default)]
pub(super) struct Places {
    mounts: Vec<Mount>,
    /// Those of the catalogue, and those met for the first time.
    volumes: Mutex<Volumes>,
    /// Places that cannot be scanned, and why.
    pub(super) offline: BTreeMap<PathBuf, Reason>,
    /// What is told beside: copies of volumes.
    pub(super) notes: Vec<(PathBuf, Reason)>,
    /// Places that are left alone without a word.
    pub(super) excluded: Vec<PathBuf>,
    /// Roots that are not there any more, as somebody has said.
    dropped: HashSet<PathBuf>,
    /// What the catalogue will know of its places.
    next: BTreeMap<Vec<u8>, CatalogPlace>,
    /// Places that were found empty before, and are so again.
    emptied_before: HashSet<PathBuf>,
    /// Roots in stores of which something is known, and which were not found empty before.
    filled: HashSet<PathBuf>,
    /// Of them, those that are empty now.
    pub(super) emptied: Mutex<Vec<PathBuf>>,
    units: Vec<PlaceUnderWay>,
}

/// Why a place is not scanned, or what is odd about it, and what to do.
pub(super) struct Reason {
    words: String,
    hint: &'static str,
}

impl Reason {
    /// As an error of the place.
    pub(super) fn error(&self, path: &Path) -> Error {
        Error::new(ErrorKind::Io, self.words.clone()).at_path(path).hint(self.hint)
    }
}

/// A root or mount point of this scan.
struct PlaceUnderWay {
    path: Vec<u8>,
    /// Files that were met there and not known.
    new: AtomicU64,
    /// On which mount it lies.
    mount: Option<MountMark>,
}

/// Point and device of a mount.
type MountMark = (PathBuf, (u32, u32));

#[derive(Default)]
struct Volumes {
    known: Vec<(i64, Volume)>,
    /// By the device's number: the volume, or that nobody can say.
    here: HashMap<u64, VolumeHere>,
    met: Vec<i64>,
    /// Why some could not be told.
    untold: Vec<Error>,
}

fn of_bytes(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn as_volume(volume: &CatalogVolume) -> Volume {
    let CatalogVolume { kind, uuid, fsid, disk, source, label, device } = volume.clone();
    Volume { kind, uuid, fsid, disk, source, label, device }
}

fn as_row(volume: &Volume) -> CatalogVolume {
    let Volume { kind, uuid, fsid, disk, source, label, device } = volume.clone();
    CatalogVolume { kind, uuid, fsid, disk, source, label, device }
}

impl Places {
    /// Looks at the places that `roots` have to do with; with `is_whole` the roots are places themselves.
    pub(super) fn look(
        store: &impl PlacedRows,
        scan: &Scan<'_>,
        roots: &[PathBuf],
        is_whole: bool,
    ) -> Result<Places> {
        let mut stored = store.mounted()?;
        let known = stored.volumes.iter().map(|(id, volume)| (*id, as_volume(volume))).collect();
        let volumes = Mutex::new(Volumes { known, ..Volumes::default() });
        let mut places = Places { mounts: mounts(), volumes, ..Places::default() };
        let is_accepted = scan.options.accept_removal;
        let own: HashSet<&Path> = roots.iter().map(PathBuf::as_path).collect();
        let above: HashSet<&Path> = roots.iter().flat_map(|root| root.ancestors()).collect();
        let is_stored: HashSet<Vec<u8>> = stored.places.iter().map(|p| p.path.clone()).collect();
        for root in roots.iter().filter(|root| is_whole && !is_stored.contains(bytes(root))) {
            // Nobody knows yet what should be there.
            if is_address(root) || solio_io::is_folder(root).unwrap_or(false) {
                let path = bytes(root).to_vec();
                stored.places.push(CatalogPlace { path, is_root: true, ..CatalogPlace::default() });
            }
        }
        let volumes: HashMap<Vec<u8>, Option<i64>> =
            stored.places.iter().map(|place| (place.path.clone(), place.volume)).collect();
        for place in stored.places {
            let path = of_bytes(&place.path).to_owned();
            // Scanned alone before, and a folder like others of what is scanned now.
            let outer = path.ancestors().skip(1).find_map(|at| volumes.get(bytes(at)));
            let is_part = place.is_root && !own.contains(&*path) && place.volume.is_some();
            if is_part
                && outer == Some(&place.volume)
                && path.ancestors().any(|at| own.contains(at))
            {
                continue;
            }
            let is_below = path.ancestors().any(|above| own.contains(above));
            if !is_below && !above.contains(&*path) {
                continue;
            }
            places.add_unit(&path);
            if is_address(&path) {
                places.look_at_store(store, &place, path)?;
            } else if is_accepted {
                places.accept(&place, path);
            } else if !place.is_root && scan.options.one_file_system {
                places.excluded.push(path);
            } else if let Some((words, state)) = places.look_at(store, &place, &path)? {
                let kept = store.count_below(&place.path)?;
                let words = format!("{words}; {kept} files of it are kept");
                let hint = match state {
                    PlaceState::Empty => EMPTY_HINT,
                    _ => "mount it and scan again; --accept-removal goes by what is there now",
                };
                places.offline.insert(path, Reason { words, hint });
                let seen = CatalogPlace { state, ..place };
                places.next.insert(seen.path.clone(), seen);
            }
        }
        places.find_mounts(roots);
        Ok(places)
    }

    fn add_unit(&mut self, path: &Path) {
        let mount = mount_of(path, &self.mounts);
        let (path, new) = (bytes(path).to_vec(), AtomicU64::new(0));
        self.units.push(PlaceUnderWay { path, new, mount });
    }

    /// Mount points below the roots that are new.
    fn find_mounts(&mut self, roots: &[PathBuf]) {
        let units: HashSet<Vec<u8>> = self.units.iter().map(|unit| unit.path.clone()).collect();
        let folders = roots.iter().filter(|root| !is_address(root) && units.contains(bytes(root)));
        for root in folders {
            let Ok(real) = solio_base::names::canonical(root) else { continue };
            let below = self.mounts.iter().filter_map(|mount| mount.point.strip_prefix(&real).ok());
            let below = below.filter(|rest| !rest.as_os_str().is_empty());
            for path in below.map(|rest| root.join(rest)).collect::<Vec<_>>() {
                if !self.units.iter().any(|unit| unit.path == bytes(&path)) {
                    self.add_unit(&path);
                }
            }
        }
    }

    /// Why a place cannot be scanned, where what should be there is not.
    fn look_at(
        &mut self,
        store: &impl PlacedRows,
        place: &CatalogPlace,
        path: &Path,
    ) -> Result<Option<(String, PlaceState)>> {
        let offline = |words: String| Ok(Some((words, PlaceState::Offline)));
        let stored = place.volume.and_then(|id| self.volume(id));
        let name = stored.as_ref().map_or_else(|| "the volume".to_owned(), Volume::name);
        let now = match Volume::of(path) {
            Ok(now) => now,
            // A root that nobody has scanned yet, and a folder that cannot be read, tell of themselves.
            Err(_) if stored.is_none() => return Ok(None),
            Err(error) => {
                return offline(format!("offline: {name} is not there ({})", error.message()));
            }
        };
        if let Some(stored) = &stored {
            if !now.is_same(stored) {
                let is = if now.is_copy_of(stored) { "a copy of it" } else { "another volume" };
                let words = format!("offline: {name} is not there, but {is}: {}", now.name());
                return offline(words);
            }
            if let Some(words) = self.copies(path, &now, stored) {
                return offline(words);
            }
        }
        let is_mount = solio_base::names::canonical(path)
            .is_ok_and(|real| self.mounts.iter().any(|m| m.point == real));
        if !place.is_root && !is_mount {
            return offline(format!("offline: {name} is not mounted"));
        }
        let is_known_empty = place.state == PlaceState::Empty && stored.is_some();
        if is_known_empty && is_empty(path) {
            self.emptied_before.insert(path.to_owned());
        } else if is_empty(path) && store.has_below(&place.path)? {
            return Ok(Some(("nothing is in it any more".to_owned(), PlaceState::Empty)));
        }
        Ok(None)
    }

    /// Tells of copies of the volume at `path` that are mounted, too, unless the catalogue knows both.
    /// Where nobody can say which of them is the one that was scanned: why.
    fn copies(&mut self, path: &Path, now: &Volume, stored: &Volume) -> Option<String> {
        for (point, copy) in now.copies(&self.mounts) {
            let is_told = now.disk.is_some() && stored.disk == now.disk && copy.disk.is_some();
            if !is_told {
                let words = format!(
                    "offline: {} is mounted twice, here and at {}: nobody can tell which one was scanned",
                    now.name(),
                    point.display()
                );
                return Some(words);
            }
            let is_known = lock(&self.volumes)
                .known
                .iter()
                .any(|(_, known)| known.uuid == copy.uuid && known.disk == copy.disk);
            if !is_known {
                let words =
                    format!("{} has a copy, which is mounted at {}", now.name(), point.display());
                let hint = "scan the copy, too, or unmount it; --accept-removal takes note of it";
                self.notes.push((path.to_owned(), Reason { words, hint }));
            }
        }
        None
    }

    /// A root in a store.
    fn look_at_store(
        &mut self,
        store: &impl PlacedRows,
        place: &CatalogPlace,
        path: PathBuf,
    ) -> Result<()> {
        if place.state == PlaceState::Empty {
            self.emptied_before.insert(path);
        } else if store.has_below(&place.path)? {
            self.filled.insert(path);
        }
        Ok(())
    }

    /// Whatever is there counts.
    fn accept(&mut self, place: &CatalogPlace, path: PathBuf) {
        let is_missing = std::fs::symlink_metadata(&path)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if is_missing && place.volume.is_some() {
            self.dropped.insert(path);
        } else if let Ok(now) = Volume::of(&path) {
            // The next scan knows the copies.
            let copies = now.copies(&self.mounts);
            let mut volumes = lock(&self.volumes);
            for (_, copy) in copies {
                volumes.number(copy);
            }
        }
    }

    fn volume(&self, id: i64) -> Option<Volume> {
        lock(&self.volumes).known.iter().find(|(known, _)| *known == id).map(|(_, v)| v.clone())
    }

    /// Whether a root is to be walked: neither it nor what it lies in is offline.
    pub(super) fn is_online(&self, root: &Path) -> bool {
        !self.dropped.contains(root) && !root.ancestors().any(|at| self.offline.contains_key(at))
    }

    /// Whether something was known of a root in a store, of which nothing is there.
    #[cfg(feature = "objects")]
    pub(super) fn was_filled(&self, root: &Path) -> bool {
        self.filled.contains(root)
    }

    /// The place that a folder lies at; nearest first.
    pub(super) fn unit_of(&self, folder: &[u8]) -> Option<usize> {
        let is_above = |unit: &[u8]| {
            let unit = unit.strip_suffix(b"/").unwrap_or(unit);
            folder.strip_prefix(unit).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        let all = self.units.iter().enumerate().filter(|(_, unit)| is_above(&unit.path));
        all.max_by_key(|(_, unit)| unit.path.len()).map(|(at, _)| at)
    }

    /// A file was met that was not known.
    pub(super) fn add_new(&self, unit: Option<usize>) {
        if let Some(unit) = unit.and_then(|unit| self.units.get(unit)) {
            unit.new.fetch_add(1, Relaxed);
        }
    }

    /// The volume with this device's number, on which the folder `path` lies.
    pub(super) fn of_device(&self, device: u64, path: &Path) -> VolumeHere {
        let mut volumes = lock(&self.volumes);
        if let Some(known) = volumes.here.get(&device) {
            return *known;
        }
        let numbers = numbers_of(device);
        let found = match Volume::of(path) {
            Ok(volume) => Some(volume).filter(|volume| volume.device == numbers),
            Err(error) => {
                // Folders that cannot be read, or are no longer there, tell of themselves.
                let kind = error.os_error().map(|e| io::Error::from_raw_os_error(e).kind());
                if !matches!(kind, Some(io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied))
                {
                    volumes.untold.push(error);
                }
                None
            }
        };
        let here = found.map(|volume| volumes.number(volume));
        volumes.here.insert(device, here);
        here
    }

    /// Looks once more, when the walk is over: volumes that went meanwhile, and why nothing of them counts.
    pub(super) fn gone_meanwhile(&self) -> Vec<(PathBuf, Error)> {
        let now = mounts();
        let is_walked = |path: &Path| !is_address(path) && self.is_online(path);
        let units = self
            .units
            .iter()
            .filter(|unit| unit.mount.is_some() && is_walked(of_bytes(&unit.path)));
        let gone = units.filter(|unit| mount_of(of_bytes(&unit.path), &now) != unit.mount);
        let told = gone.map(|unit| {
            let error = Error::new(ErrorKind::Io, "offline: it was unmounted during the scan");
            let path = of_bytes(&unit.path);
            (path.to_owned(), error.at_path(path))
        });
        told.collect()
    }

    /// Why the volumes of some folders could not be told.
    pub(super) fn untold(&self) -> Vec<Error> {
        std::mem::take(&mut lock(&self.volumes).untold)
    }

    /// What may be removed, at which places.
    pub(super) fn removal(&self, scan: &Scan<'_>) -> Removal<'_> {
        let new = |unit: &PlaceUnderWay| {
            let is_empty = self.emptied_before.contains(of_bytes(&unit.path));
            (!is_empty).then(|| unit.new.load(Relaxed))
        };
        let places = self.units.iter().map(|unit| (&*unit.path, new(unit)));
        let limit = match scan.options.accept_removal {
            true => solio_catalog::store::RemovalLimit::None,
            false => scan.options.max_removed,
        };
        Removal { places: places.collect(), limit, now_ns: unix_ns() }
    }

    /// Writes what the places are now. `seen` are the folders that were listed.
    pub(super) fn keep(
        self,
        store: &mut Store,
        roots: &[PathBuf],
        seen: &HashSet<u64>,
    ) -> Result<()> {
        let now_ns = unix_ns();
        let Places { units, next, dropped, emptied, volumes, .. } = &self;
        let emptied = lock(emptied);
        for unit in units.iter().map(|unit| &unit.path) {
            let path = of_bytes(unit);
            if let Some(place) = next.get(unit) {
                store.put_place(place)?;
            } else if dropped.contains(path) {
                store.remove_place(unit)?;
            } else if is_address(path) {
                let is_empty = emptied.iter().any(|root| root == path);
                let state = if is_empty { PlaceState::Empty } else { PlaceState::Online };
                store.put_place(&CatalogPlace {
                    path: unit.clone(),
                    volume: None,
                    is_root: true,
                    state,
                    seen_ns: now_ns,
                })?;
            } else if seen.contains(&folder_hash(unit)) {
                let is_root = roots.iter().any(|root| bytes(root) == &**unit);
                let is_mount = || {
                    solio_base::names::canonical(path)
                        .is_ok_and(|real| self.mounts.iter().any(|m| m.point == real))
                };
                if !is_root && !is_mount() {
                    store.remove_place(unit)?;
                    continue;
                }
                let Ok(status) = solio_io::walk::status_of(path) else { continue };
                let volume = self.of_device(status.device, path).map(|(id, _)| id);
                let state = PlaceState::Online;
                let path = unit.clone();
                store.put_place(&CatalogPlace { path, volume, is_root, state, seen_ns: now_ns })?;
            }
        }
        let volumes = lock(volumes);
        for (id, volume) in volumes.known.iter().filter(|(id, _)| volumes.met.contains(id)) {
            store.put_volume(*id, &as_row(volume), now_ns)?;
        }
        Ok(())
    }
}

impl Volumes {
    /// The number of a volume that was met: that of the catalogue, or else a new one.
    fn number(&mut self, volume: Volume) -> (i64, bool) {
        let is_free = |id: &i64, here: &HashMap<u64, VolumeHere>| {
            !here.values().flatten().any(|(taken, _)| taken == id)
        };
        let same = self
            .known
            .iter()
            .position(|(id, known)| known.is_same(&volume) && is_free(id, &self.here));
        let tells = volume.tells_changes();
        let id = match same {
            Some(at) => {
                let (id, known) = &mut self.known[at];
                // What is not told now was told before.
                let disk = volume.disk.clone().or_else(|| known.disk.clone());
                let uuid = volume.uuid.clone().or_else(|| known.uuid.clone());
                *known = Volume { disk, uuid, ..volume };
                *id
            }
            None => {
                let mut mark = volume.identity();
                loop {
                    let id = folder_hash(mark.as_bytes()) as i64;
                    if !self.known.iter().any(|(known, _)| *known == id) {
                        self.known.push((id, volume));
                        break id;
                    }
                    // Two that nothing but their devices tells apart.
                    mark.push_str(" copy");
                }
            }
        };
        self.met.push(id);
        (id, tells)
    }
}

/// The numbers of a device as the system writes them.
fn numbers_of(device: u64) -> String {
    let (major, minor) = solio_io::volume::device_numbers(device);
    format!("{major}:{minor}")
}

/// The mount that a path lies on.
fn mount_of(path: &Path, mounts: &[Mount]) -> Option<MountMark> {
    let mount = nearest(mounts, &solio_base::names::canonical(path).ok()?)?;
    Some((mount.point.clone(), mount.device))
}

/// Whether a folder has nothing in it.
fn is_empty(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    let mut names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    names.all(|name| name.is_ok_and(|name| OF_SYSTEM.iter().any(|own| name == **own)))
}

/// Why files stay that are gone.
pub(super) fn held(held: &solio_catalog::store::HeldBack) -> Error {
    let first: Vec<_> = held.first.iter().map(|path| shown(path).into_owned()).collect();
    let more = if held.gone > first.len() as u64 { ", …" } else { "" };
    let words = format!(
        "{} of {} files are gone at once, so all of them are kept: {}{more}",
        held.gone,
        held.known,
        first.join(", ")
    );
    let error = Error::limit(words).at_path(of_bytes(&held.place));
    error.hint("--accept-removal takes them for gone; --max-removed says how many may be")
}
