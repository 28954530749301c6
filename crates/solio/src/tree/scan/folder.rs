//! What a folder holds now beside what the catalogue knows of it.

use solio_base::names::OsStrBytes;
use solio_catalog::store::KnownFile;
use solio_io::walk::{EntryKind, Listing};
use std::sync::Arc;

/// Names of files in a folder.
type Names = Vec<Box<[u8]>>;

/// A folder under way.
pub(super) struct Folder {
    pub(super) path: Arc<[u8]>,
    known: Vec<KnownFile>,
    /// The root or mount point that it lies at.
    pub(super) unit: Option<usize>,
    /// For each entry of the listing its place in `known`.
    places: Vec<Option<u32>>,
}

impl Folder {
    /// Both lists are by name; files that are no more there are the second result, those that are left out now
    /// the third.
    pub(super) fn new(
        listing: &Listing,
        known: Vec<KnownFile>,
        unit: Option<usize>,
    ) -> (Folder, Names, Names) {
        let (mut gone, mut excluded) = (Vec::new(), Vec::new());
        let is_left_out = |file: &KnownFile| {
            let all = listing.left_out();
            let by_name = |entry| listing.name(entry).as_bytes().cmp(&file.name);
            all.binary_search_by(by_name).is_ok_and(|at| all[at].kind != EntryKind::Folder)
        };
        let mut places = Vec::new();
        if !known.is_empty() {
            places.resize(listing.entries().len(), None);
        }
        let mut entries = listing.entries().iter().enumerate().peekable();
        for (place, file) in (0u32..).zip(&known) {
            let name = |entry| listing.name(entry).as_bytes();
            while entries.next_if(|(_, entry)| name(entry) < &*file.name).is_some() {}
            match entries.next_if(|(_, entry)| name(entry) == &*file.name) {
                Some((at, entry)) if entry.kind != EntryKind::Folder => places[at] = Some(place),
                _ if is_left_out(file) => excluded.push(file.name.clone()),
                _ => gone.push(file.name.clone()),
            }
        }
        let path = listing.path.as_os_str().as_bytes().into();
        (Folder { path, known, unit, places }, gone, excluded)
    }

    /// What is known of an entry of the listing.
    pub(super) fn known(&self, entry: u32) -> Option<&KnownFile> {
        let place = (*self.places.get(entry as usize)?)?;
        self.known.get(place as usize)
    }
}
