//! A folder is held against its history.

use super::tree::{Tree, look};
use super::{FileState, Finding, HashJob, hash_files};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_codec::digest::Digest;
use solio_io::order::Order;
use std::path::Path;

pub use super::history::has_mhl;

/// Checks the folder `root` against its history (ASC MHL) and those within: every file by the digest
/// that was recorded first. What became of each file goes to `each`, until that gives `false`; then
/// what is missing, among it manifests within that a history refers to. Gives the bytes read.
///
/// ```
/// use solio::{MhlOptions, Work, create_mhl, io::order::Order, verify_mhl, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # let work = Work::default();
/// # write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// # write_bytes(&reel.join("A002.mov"), b"another clip")?;
/// create_mhl(reel, &MhlOptions::default(), &work)?;
/// write_bytes(&reel.join("A002.mov"), b"another clap")?;
/// let mut wrong = Vec::new();
/// let bytes = verify_mhl(reel, &[], Order::Auto, &work, |finding| {
///     if !finding.is_fine() {
///         wrong.push(finding.path);
///     }
///     Ok(true)
/// })?;
/// assert_eq!((wrong, bytes), (vec![reel.join("A002.mov")], 18));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where there is no history, or a manifest is missing, changed or damaged; those of `each`, and
/// `Cancelled`.
pub fn verify_mhl(
    root: &Path,
    ignore: &[String],
    order: Order,
    work: &Work,
    mut each: impl FnMut(Finding) -> Result<bool> + Send,
) -> Result<u64> {
    let tree = look(root, ignore, work)?;
    if tree.histories[0].generations.is_empty() {
        let error = Error::argument("the folder has no history (no folder ascmhl in it)");
        return Err(error.at_path(root).hint("solio hash --mhl FOLDER begins one"));
    }
    let missing = tree.missing();
    let (jobs, recorded, new) = jobs(&tree);
    let mut bytes = 0;
    let mut goes_on = true;
    hash_files(&jobs, order, work, |index, result| {
        let state = match result {
            Ok(hashed) => {
                bytes += hashed.bytes;
                compare(recorded[index], hashed.digests[0])
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => FileState::Failed(error),
        };
        goes_on = each(Finding { path: jobs[index].path.clone(), state })?;
        Ok(goes_on)
    })?;
    let missing = missing.into_iter().map(|path| Finding { path, state: FileState::Missing });
    let lost = tree.lost_references();
    for finding in new.into_iter().chain(missing).chain(lost).chain(tree.failed) {
        goes_on = goes_on && each(finding)?;
    }
    Ok(bytes)
}

/// What is to be read, what it should give, and the files that no generation knows.
fn jobs(tree: &Tree) -> (Vec<HashJob>, Vec<Digest>, Vec<Finding>) {
    let (mut jobs, mut recorded, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for folder in &tree.folders {
        let history = &tree.histories[folder.history];
        for file in &folder.files {
            let path = file.path.clone();
            match history.original(&file.name) {
                Some(hash) => {
                    let algorithms = [hash.digest.algorithm()].into();
                    jobs.push(HashJob { path, algorithms });
                    recorded.push(hash.digest);
                }
                None => new.push(Finding { path, state: FileState::New }),
            }
        }
    }
    (jobs, recorded, new)
}

fn compare(recorded: Digest, found: Digest) -> FileState {
    if recorded == found {
        return FileState::Same { digest: found };
    }
    FileState::Changed { recorded, found }
}
