//! Lists of digests are checked: what `sha256sum -c` does, for all of them.

use super::{FileState, Finding, HashJob, hash_files};
use solio_base::names::OsStringBytes;
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_catalog::sums::{Sum, Sums, decode_sums};
use solio_codec::digest::{Algorithm, Digest};
use solio_io::order::Order;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Checks the files that the list at `path` (`-` is standard input) names, relative to the current
/// folder, and hands what became of each to `each`, in the order of the list, until that gives
/// `false`. With `algorithm` all untagged lines are by it; otherwise where two may have made a
/// digest of its length (MD5, XXH128), either will do. Gives the bytes read.
///
/// ```
/// use solio::{Work, io::order::Order, verify_sums, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [abc, gone, list] = ["abc", "gone", "SHA256SUMS"].map(|name| folder.path().join(name));
/// write_bytes(&abc, b"abc")?;
/// let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// let lines = format!("{sum}  {}\n{sum}  {}\n", abc.display(), gone.display());
/// write_bytes(&list, lines.as_bytes())?;
/// let mut fine = Vec::new();
/// let bytes = verify_sums(&list, None, Order::Auto, &Work::default(), |finding| {
///     fine.push(finding.is_fine());
///     Ok(true)
/// })?;
/// assert_eq!((fine, bytes), (vec![true, false], 3));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the list cannot be read or has no sums; those of `each`, and `Cancelled`.
pub fn verify_sums(
    path: &Path,
    algorithm: Option<Algorithm>,
    order: Order,
    work: &Work,
    mut each: impl FnMut(Finding) -> Result<bool> + Send,
) -> Result<u64> {
    let limits = Limits::default();
    let text = solio_io::read_whole(path, &limits, work)?;
    let Sums { sums, bad } = decode_sums(&text, algorithm, &limits).map_err(|e| e.at_path(path))?;
    if sums.is_empty() {
        let first = bad.into_iter().next().unwrap_or_else(|| Error::syntax("the list is empty"));
        return Err(first.at_path(path).hint("lists are those of sha256sum, md5sum, xxhsum"));
    }
    for error in bad {
        let failed = FileState::Failed(error.at_path(path));
        if !each(Finding { path: path.to_owned(), state: failed })? {
            return Ok(0);
        }
    }
    let jobs: Vec<HashJob> = sums.iter().map(job).collect();
    let (mut bytes, mut likely) = (0, likely(path));
    hash_files(&jobs, order, work, |index, result| {
        let state = match result {
            Ok(hashed) => {
                bytes += hashed.bytes;
                let state = compare(&sums[index], &hashed.digests, likely);
                if let FileState::Same { digest } = &state {
                    likely = digest.algorithm();
                }
                state
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) if error.is_missing() => FileState::Missing,
            Err(error) => FileState::Failed(error),
        };
        each(Finding { path: jobs[index].path.clone(), state })
    })?;
    Ok(bytes)
}

fn job(sum: &Sum) -> HashJob {
    let algorithms = sum.digests.iter().map(Digest::algorithm).collect();
    HashJob { path: PathBuf::from(OsString::from_vec(sum.name.clone())), algorithms }
}

/// By what the list called `path` was made, where its lines do not tell: as its name says, else by what
/// `solio hash` does unasked.
fn likely(path: &Path) -> Algorithm {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if name.contains("md5") { Algorithm::Md5 } else { Algorithm::Xxh128 }
}

/// Of a changed file the digest by the `likely` algorithm is told.
fn compare(sum: &Sum, found: &[Digest], likely: Algorithm) -> FileState {
    if let Some(digest) = sum.digests.iter().find(|digest| found.contains(digest)) {
        return FileState::Same { digest: *digest };
    }
    let place = sum.digests.iter().position(|digest| digest.algorithm() == likely).unwrap_or(0);
    FileState::Changed { recorded: sum.digests[place], found: found[place] }
}
