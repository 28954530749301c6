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
/// What a name takes in memory beside its bytes.
const NAME_BYTES: usize = 48;

/// Names of files in a folder.
type Names = Vec<Box<[u8]>>;

/// What is to be written.
pub(super) enum Change {
    Put { rows: Vec<Row>, thumbnails: Vec<Thumbnail> },
    Gone { folder: Arc<[u8]>, names: Names },
}

/// A small picture of a file.
pub(super) struct Thumbnail {
    pub(super) folder: Arc<[u8]>,
    pub(super) name: Box<[u8]>,
    /// `None`: it has none any more.
    pub(super) image: Option<Vec<u8>>,
}

/// What a writer leaves.
#[derive(Default)]
pub(super) struct Written {
    /// Rows that were removed.
    removed: u64,
    /// What is gone, by folder: removed last, as it may have turned up under another name.
    gone: Vec<(Arc<[u8]>, Names)>,
}

impl Written {
    /// Removes what is gone; how many rows were removed in all.
    pub(super) fn remove(self, store: &mut Store) -> Result<u64> {
        let mut removed = self.removed;
        for (folder, names) in self.gone {
            removed += store.remove(&folder, &names)?;
        }
        Ok(removed)
    }
}

/// Writes what comes until nobody sends any more. What is gone waits, in `memory_bytes` at most; where
/// there is more of it, the rest is removed at once.
pub(super) fn write(
    store: &mut Store,
    changes: &Receiver<Change>,
    memory_bytes: u64,
) -> Result<Written> {
    let (mut written, mut gone_bytes) = (Written::default(), 0);
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
            Ok(Change::Gone { folder, names }) => {
                gone_bytes += names.iter().map(|name| name.len() + NAME_BYTES).sum::<usize>();
                if gone_bytes as u64 <= memory_bytes {
                    written.gone.push((folder, names));
                } else {
                    written.removed += store.remove(&folder, &names)?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                store.commit()?;
                return Ok(written);
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
