//! The one thread that writes the catalogue.

use solio_base::{Error, Result};
use solio_catalog::row::Row;
use solio_catalog::store::Store;
use solio_measure::now_ns;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Most rows that are put at once. A kill loses those that are not committed.
const MOST: usize = 8192;
/// Fewest: a commit takes as long as some rows.
const FEWEST: usize = 8;
/// Of the rows that are there, so many may be lost by a kill: a part of this size.
const PART: u64 = 250;
/// What has waited so long is committed.
const WAIT: Duration = Duration::from_millis(100);

/// Names of files in a folder.
type Names = Vec<Box<[u8]>>;

/// What is to be written.
pub(super) enum Change {
    Put {
        rows: Vec<Row>,
        thumbnails: Vec<Thumbnail>,
    },
    /// Files that are no more there.
    Gone {
        folder: Arc<[u8]>,
        names: Names,
    },
    /// Files that are left out now.
    Excluded {
        folder: Arc<[u8]>,
        names: Names,
    },
    /// A file that was met under another name, at the path `to`.
    Moved {
        folder: Arc<[u8]>,
        name: Box<[u8]>,
        to: Vec<u8>,
    },
}

/// A small picture of a file.
pub(super) struct Thumbnail {
    pub(super) folder: Arc<[u8]>,
    pub(super) name: Box<[u8]>,
    /// `None`: it has none any more.
    pub(super) image: Option<Vec<u8>>,
}

/// Writes what comes until nobody sends any more. What is gone is only marked: it may turn up under another
/// name, or be more than may be gone at once.
pub(super) fn write(store: &mut Store, changes: &Receiver<Change>) -> Result<()> {
    let mut committed_ns = now_ns();
    loop {
        match changes.recv_timeout(WAIT) {
            Ok(Change::Put { mut rows, thumbnails }) => {
                // Neighbours in the table.
                rows.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
                store.put(&rows)?;
                for Thumbnail { folder, name, image } in &thumbnails {
                    match image {
                        Some(image) => store.put_thumbnail(folder, name, image)?,
                        None => store.remove_thumbnail(folder, name)?,
                    }
                }
            }
            Ok(Change::Gone { folder, names }) => store.mark_gone(&folder, &names)?,
            Ok(Change::Excluded { folder, names }) => store.mark_excluded(&folder, &names)?,
            Ok(Change::Moved { folder, name, to }) => store.mark_moved(&folder, &name, &to)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return store.commit();
            }
        }
        let most = usize::try_from(store.put_so_far() / PART).unwrap_or(MOST).clamp(FEWEST, MOST);
        let waited_ns = now_ns() - committed_ns;
        if store.pending() >= most || waited_ns > WAIT.as_nanos() as u64 {
            store.commit()?;
            committed_ns = now_ns();
        }
    }
}

/// The writer has ended before its time: its own error says why.
pub(super) fn has_ended() -> Error {
    Error::cancelled()
}
