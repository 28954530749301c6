//! A listing of objects beside what the catalogue knows: keys come folder by folder.

use super::files::split;
use super::met::Met;
use super::walked::{Local, Walked};
use super::writer::Change;
use solio_base::{Result, lock};
use solio_catalog::store::{KnownFile, folder_hash};
use solio_io::objects::{Address, Bucket, Object};
use solio_io::walk::Status;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// An object to look at.
pub(super) struct Job {
    pub(super) folder: Arc<[u8]>,
    pub(super) name: Box<[u8]>,
    pub(super) object: Object,
    pub(super) known: Option<KnownFile>,
}

/// What the catalogue calls a status.
pub(super) fn status_of(object: &Object) -> Status {
    let Object { size, modified_ns, version, .. } = *object;
    Status { size, modified_ns, inode: version, links: 1, ..Status::default() }
}

/// A listing that is being followed.
pub(super) struct Following<'f, 'w> {
    walked: &'f Walked<'w>,
    bucket: &'f Bucket,
    address: &'f Address,
    root: &'f Path,
    local: Local,
    /// Folders whose keys come now, each below the one before.
    open: Vec<Open>,
}

/// A folder whose keys come.
struct Open {
    path: Arc<[u8]>,
    /// By name.
    known: Vec<KnownFile>,
    /// Those that were met.
    met: Vec<bool>,
    /// Whether all of it belongs to the root.
    is_whole: bool,
    /// The root, as a place.
    unit: Option<usize>,
}

impl<'f, 'w> Following<'f, 'w> {
    /// The listing of what is at and below `root`, an address in `bucket`.
    pub(super) fn new(
        walked: &'f Walked<'w>,
        bucket: &'f Bucket,
        address: &'f Address,
        root: &'f Path,
    ) -> Self {
        Following { walked, bucket, address, root, local: Local::default(), open: Vec::new() }
    }

    /// An object has come: what is to be done with it.
    pub(super) fn met(&mut self, object: Object) -> Result<Option<Job>> {
        let path = self.bucket.path_of(&object.key);
        let (folder, name) = split(Path::new(&path));
        self.enter(folder)?;
        let Some(open) = self.open.last_mut() else { return Ok(None) };
        if !self.walked.is_wanted(folder, name) {
            return Ok(None);
        }
        if !super::objects::is_wanted(&self.walked.scan.options.filter, self.address, &object) {
            if let Ok(place) = open.known.binary_search_by(|known| (*known.name).cmp(name)) {
                open.met[place] = true;
                let (folder, names) = (Arc::clone(&open.path), vec![name.into()]);
                self.walked.send(Change::Excluded { folder, names })?;
            }
            return Ok(None);
        }
        let place = open.known.binary_search_by(|known| (*known.name).cmp(name)).ok();
        if let Some(place) = place {
            open.met[place] = true;
        }
        let known = place.map(|place| open.known[place].clone());
        let folder = Arc::clone(&open.path);
        let status = status_of(&object);
        let met = Met::object(&folder, name, known.as_ref(), status);
        if known.is_none() {
            self.walked.places.add_new(open.unit);
        }
        if !self.walked.is_to_look_at(&met) {
            return Ok(None);
        }
        Ok(Some(Job { folder, name: name.into(), object, known }))
    }

    /// Leaves all folders that this one is not below, and enters it.
    fn enter(&mut self, folder: &[u8]) -> Result<()> {
        while let Some(last) = self.open.last() {
            if *last.path == *folder {
                return Ok(());
            }
            if folder.strip_prefix(&*last.path).is_some_and(|rest| rest.starts_with(b"/")) {
                break;
            }
            self.leave()?;
        }
        let root = self.root.as_os_str().as_encoded_bytes();
        let root = root.strip_suffix(b"/").unwrap_or(root);
        let below = folder.strip_prefix(root);
        let is_below = below.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"));
        // A store that lists in another order comes back to a folder after others. What was not met
        // then was said to be gone: all that comes now is looked at.
        let is_first = !is_below || lock(&self.walked.seen).insert(folder_hash(folder));
        let mut known = Vec::new();
        if is_first {
            self.walked.scan.count.folders.fetch_add(1, Relaxed);
            if let Some(reader) = self.walked.known(&mut self.local)? {
                reader.files(folder, &mut known)?;
            }
            known.retain(|file| self.walked.is_wanted(folder, &file.name));
        }
        let (met, is_whole) = (vec![false; known.len()], is_first && is_below);
        let unit = self.walked.places.unit_of(folder);
        self.open.push(Open { path: folder.into(), known, met, is_whole, unit });
        Ok(())
    }

    /// The last folder has no more keys.
    fn leave(&mut self) -> Result<()> {
        let Some(Open { path, known, met, is_whole, .. }) = self.open.pop() else { return Ok(()) };
        let unmet = known.iter().zip(&met).filter(|(_, met)| !**met && is_whole);
        let names: Vec<_> = unmet.map(|(file, _)| file.name.clone()).collect();
        match names.is_empty() {
            true => Ok(()),
            false => self.walked.send(Change::Gone { folder: path, names }),
        }
    }

    pub(super) fn leave_all(&mut self) -> Result<()> {
        while !self.open.is_empty() {
            self.leave()?;
        }
        Ok(())
    }
}
