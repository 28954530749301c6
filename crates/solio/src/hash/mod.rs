//! Digests of files, the lists that hold them, and histories of folders (ASC MHL).

mod create;
mod files;
mod history;
mod lanes;
mod sums;
mod tree;
mod verify;

pub use create::{MhlCreated, MhlOptions, create_mhl};
pub use files::{HashJob, Hashed, hash_files};
pub(crate) use files::{in_order, run_in_order};
pub use sums::verify_sums;
pub use verify::{has_mhl, verify_mhl};

use solio_base::Error;
use solio_codec::digest::Digest;
use std::path::PathBuf;

/// What became of a file that a list or a history knows, or should know.
#[derive(Debug)]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub state: FileState,
}

/// See [`Finding`].
#[derive(Debug)]
pub enum FileState {
    /// It is what it was.
    Same {
        /// Its digest.
        digest: Digest,
    },
    /// It is not what it was.
    Changed {
        /// What it was.
        recorded: Digest,
        /// What it is.
        found: Digest,
    },
    /// It is not there.
    Missing,
    /// No generation knows it.
    New,
    /// It could not be read, or not be recorded.
    Failed(Error),
}

impl Finding {
    /// Whether nothing is wrong.
    pub fn is_fine(&self) -> bool {
        matches!(self.state, FileState::Same { .. })
    }
}
