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
///
/// ```
/// use solio::{FileState, Finding};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # let (options, work) = Default::default();
/// # solio::write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// # solio::create_mhl(reel, &options, &work)?;
/// // A clip that came after the history was written.
/// solio::write_bytes(&reel.join("A002.mov"), b"another clip")?;
/// let mut new = Vec::new();
/// solio::verify_mhl(reel, &[], Default::default(), &work, |Finding { path, state }| {
///     if matches!(state, FileState::New) {
///         new.push(path);
///     }
///     Ok(true)
/// })?;
/// assert_eq!(new, [reel.join("A002.mov")]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug)]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub state: FileState,
}

/// See [`Finding`].
///
/// ```
/// use solio::FileState;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [plate, list] = ["plate.exr", "list.md5"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&plate, b"abd")?;
/// # let work = solio::Work::default();
/// let line = format!("900150983cd24fb0d6963f7d28e17f72  {}\n", plate.display());
/// solio::write_bytes(&list, line.as_bytes())?;
/// let mut told = String::new();
/// solio::verify_sums(&list, None, Default::default(), &work, |finding| {
///     told = match finding.state {
///         FileState::Same { .. } => "it is what it was".into(),
///         FileState::Changed { recorded, .. } => format!("it was {recorded}"),
///         FileState::Missing => "it is gone".into(),
///         FileState::New => "it came later".into(),
///         FileState::Failed(error) => return Err(error),
///     };
///     Ok(true)
/// })?;
/// assert_eq!(told, "it was 900150983cd24fb0d6963f7d28e17f72");
/// # Ok::<(), solio::Error>(())
/// ```
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
    ///
    /// ```
    /// use solio::digest::{Algorithm, Digest};
    /// use solio::{FileState, Finding};
    /// let digest = Digest::of(Algorithm::Xxh128, b"a clip");
    /// let of = |state| Finding { path: "A001.mov".into(), state };
    /// assert!(of(FileState::Same { digest }).is_fine());
    /// // What nobody has recorded is not fine, either.
    /// assert!(!of(FileState::New).is_fine() && !of(FileState::Missing).is_fine());
    /// ```
    pub fn is_fine(&self) -> bool {
        matches!(self.state, FileState::Same { .. })
    }
}
