//! Which of several equal files is kept, and others that become names of it.

use crate::DuplicateGroup;
use crate::tree::journal::{self, Journal};
use serde_json::Value;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Work};
use solio_io::walk::{Status, status_of};
use std::cmp::{Ordering, Reverse};
use std::path::{Path, PathBuf};

/// What makes a file the one that is kept.
///
/// ```
/// use solio::KeepRule;
/// assert_eq!("path:originals".parse::<KeepRule>(), Ok(KeepRule::Below("originals".into())));
/// assert!("best".parse::<KeepRule>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepRule {
    /// It changed last.
    Newest,
    /// It changed first.
    Oldest,
    /// Its path has the fewest bytes.
    Shortest,
    /// Its path has the most bytes.
    Longest,
    /// It lies at or below this path.
    Below(PathBuf),
}

impl std::str::FromStr for KeepRule {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<KeepRule, String> {
        match text {
            "newest" => Ok(KeepRule::Newest),
            "oldest" => Ok(KeepRule::Oldest),
            "shortest" => Ok(KeepRule::Shortest),
            "longest" => Ok(KeepRule::Longest),
            _ => match text.strip_prefix("path:") {
                Some(path) if !path.is_empty() => Ok(KeepRule::Below(path.into())),
                _ => Err("use newest, oldest, shortest, longest or path:FOLDER".into()),
            },
        }
    }
}

/// Puts the file that is kept at the head of each group: the first rule that tells two apart counts, and then the
/// order in which they were. Of a file with several names the name at its head is judged.
///
/// ```
/// use solio::{DuplicateGroup, KeepRule, keep_first};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [a, b] = ["a long name", "b"].map(|name| folder.path().join(name));
/// # for path in [&a, &b] {
/// #     solio::write_bytes(path, b"x")?;
/// # }
/// let mut groups = [DuplicateGroup { bytes: 1, files: vec![vec![a.clone()], vec![b.clone()]] }];
/// keep_first(&mut groups, &[KeepRule::Shortest])?;
/// assert_eq!(groups[0].files, [[b], [a]]);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Io` for a file that is gone meanwhile, where its time is asked for.
pub fn keep_first(groups: &mut [DuplicateGroup], rules: &[KeepRule]) -> Result<()> {
    let asks_for_time =
        rules.iter().any(|rule| matches!(rule, KeepRule::Newest | KeepRule::Oldest));
    for group in groups {
        let mut files = Vec::with_capacity(group.files.len());
        for names in std::mem::take(&mut group.files) {
            let time = if asks_for_time { status_of(&names[0])?.modified_ns } else { 0 };
            files.push((time, names));
        }
        files.sort_by(|a, b| {
            let orders = rules.iter().map(|rule| rule.order((a.0, &a.1[0]), (b.0, &b.1[0])));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        group.files = files.into_iter().map(|(_, names)| names).collect();
    }
    Ok(())
}

impl KeepRule {
    fn order(&self, a: (i64, &PathBuf), b: (i64, &PathBuf)) -> Ordering {
        let bytes = |path: &PathBuf| path.as_os_str().as_bytes().len();
        match self {
            KeepRule::Newest => b.0.cmp(&a.0),
            KeepRule::Oldest => a.0.cmp(&b.0),
            KeepRule::Shortest => bytes(a.1).cmp(&bytes(b.1)),
            KeepRule::Longest => bytes(b.1).cmp(&bytes(a.1)),
            KeepRule::Below(folder) => {
                let absolute =
                    |path: &Path| solio_base::names::absolute(path).unwrap_or(path.into());
                let folder = absolute(folder);
                let is_below = |path: &PathBuf| Reverse(absolute(path).starts_with(&folder));
                is_below(a.1).cmp(&is_below(b.1))
            }
        }
    }
}

/// What became of linking or of undoing it.
#[derive(Debug, Default)]
pub struct Relinked {
    /// Names that lead to another file now.
    pub files: u64,
    /// Bytes that this frees, or takes again.
    pub bytes: u64,
    /// Why others stayed what they were.
    pub failed: Vec<Error>,
}

/// Makes all files of each group further names (hard links) of its first one. Both are compared byte by byte
/// right before, and each change is in the file `journal` before it is made; a file that has changed meanwhile,
/// or lies on another file system, stays what it is.
///
/// ```
/// use solio::{DuplicateGroup, Work, link_duplicates, undo_links};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # solio::write_bytes(&at("a"), b"the same")?;
/// # solio::write_bytes(&at("b"), b"the same")?;
/// let group = DuplicateGroup { bytes: 8, files: vec![vec![at("a")], vec![at("b")]] };
/// let done = link_duplicates(&[group], &at("undo.jsonl"), &Work::default())?;
/// assert_eq!((done.files, done.bytes), (1, 8));
/// // And back: two files again.
/// assert_eq!(undo_links(&at("undo.jsonl"), &Work::default())?.files, 1);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the journal is there already or cannot be written; `Cancelled`.
pub fn link_duplicates(groups: &[DuplicateGroup], journal: &Path, work: &Work) -> Result<Relinked> {
    let mut lines = Journal::create(journal)?;
    let mut done = Relinked::default();
    for group in groups {
        let Some((kept, others)) = group.files.split_first() else { continue };
        for names in others {
            let mut linked = 0;
            for name in names {
                work.cancel.check()?;
                let mut link = || -> Result<()> {
                    let (of, then) = (status_of(&kept[0])?, status_of(name)?);
                    if !solio_io::same_bytes(&kept[0], name, work)? {
                        return Err(Error::new(
                            solio_base::ErrorKind::Io,
                            "its bytes are others by now",
                        )
                        .at_path(name));
                    }
                    solio_io::check_unchanged(&kept[0], &of)?;
                    solio_io::check_unchanged(name, &then)?;
                    lines.append(&[line_of(&kept[0], name, &then)])?;
                    solio_io::link_over(&kept[0], name)
                };
                match link() {
                    Ok(()) => linked += 1,
                    Err(error) if error.path() == Some(journal) => return Err(error),
                    Err(error) => done.failed.push(error),
                }
            }
            done.files += linked;
            // While one of its names stays, so do its bytes.
            done.bytes += if linked == names.len() as u64 { group.bytes } else { 0 };
        }
    }
    Ok(done)
}

/// Makes the names in a journal of [`link_duplicates`] files of their own again, with the modes and times that
/// they had. A name that leads elsewhere by now stays.
///
/// # Errors
/// Where the journal cannot be read, or is none; `Cancelled`.
pub fn undo_links(journal: &Path, work: &Work) -> Result<Relinked> {
    let mut done = Relinked::default();
    for (number, line) in journal::read(journal, work)? {
        work.cancel.check()?;
        let entry = entry_of(&line).ok_or_else(|| {
            Error::corrupt("this line is no entry of a journal of links")
                .at_path(journal)
                .at_line(number, 1)
        })?;
        let undo = || -> Result<bool> {
            let (now, kept) = (status_of(&entry.path)?, status_of(&entry.kept)?);
            // It was never made, or somebody has undone it.
            if (now.device, now.inode) != (kept.device, kept.inode) {
                return Ok(false);
            }
            solio_io::unlink_copy(&entry.path, &entry.then, work)?;
            Ok(true)
        };
        match undo() {
            Ok(true) => {
                done.files += 1;
                done.bytes += entry.then.size;
            }
            Ok(false) => {}
            Err(error) => done.failed.push(error),
        }
    }
    Ok(done)
}

/// A line of a journal.
struct Entry {
    kept: PathBuf,
    path: PathBuf,
    then: Status,
}

fn line_of(kept: &Path, path: &Path, then: &Status) -> Value {
    let mut line = serde_json::json!({});
    journal::put_path(&mut line, "kept", kept);
    journal::put_path(&mut line, "path", path);
    line["bytes"] = then.size.into();
    line["modified_ns"] = then.modified_ns.into();
    line["mode"] = then.mode.into();
    line
}

fn entry_of(line: &Value) -> Option<Entry> {
    let then = Status {
        size: line["bytes"].as_u64()?,
        modified_ns: line["modified_ns"].as_i64()?,
        mode: u32::try_from(line["mode"].as_u64()?).ok()?,
        ..Status::default()
    };
    let path = |name: &str| journal::path_of(line, name);
    Some(Entry { kept: path("kept")?, path: path("path")?, then })
}
