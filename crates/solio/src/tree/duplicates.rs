//! Files with the same content: by size, then by their ends, then whole.
//!
//! * Only files of the same size can be equal: most are never opened.
//! * Of the rest the head and the tail are read, which tells nearly all that differ.
//! * What is left is summed up whole (XXH128); where both ends are the whole file, they have told
//!   already. With `paranoid` bytes are compared with bytes.
//! * Names of the same inode are one file: they take no room twice.

use crate::tree::hash::{in_order, run_in_order};
use crate::tree::roots::{absolute, outermost};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_codec::digest::{Algorithm, Digest, Hasher};
use solio_io::filter::Filter;
use solio_io::folders_and_files;
use solio_io::order::Order;
use solio_io::walk::{EntryKind, Listing, Status, Visit, WalkOptions, status_of, walk};
use solio_measure::lock;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Read at each end of a large file; a file of twice as much is read whole.
const END_BYTES: usize = 8 << 10;

/// What is looked for.
///
/// ```
/// use solio::{DuplicateOptions, Filter, FilterOptions, find_duplicates, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name: &str| folder.path().join(name);
/// for name in ["a.log", "b.log", "a.ppm", "b.ppm"] {
///     let text = if name.ends_with("log") { "ok\n" } else { "P3 1 1 255 9 9 9\n" };
///     write_bytes(&path(name), text.as_bytes())?;
/// }
/// // Small files are not worth it.
/// let filter = Filter::new(&FilterOptions { min_bytes: Some(8), ..Default::default() })?;
/// let options = DuplicateOptions { filter, ..DuplicateOptions::default() };
/// let found = find_duplicates(&[folder.path().into()], &options, &Default::default())?;
/// assert_eq!(found.groups.len(), 1);
/// assert_eq!(found.groups[0].files, [[path("a.ppm")], [path("b.ppm")]]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DuplicateOptions {
    /// Empty files are equal, too; else they are passed over.
    pub empty: bool,
    /// Compare every byte, not only digests.
    pub paranoid: bool,
    /// In which order files are read.
    pub order: Order,
    /// What is left out of folders.
    pub filter: Filter,
}

/// Files with the same content.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name: &str| folder.path().join(name);
/// for name in ["a.exr", "c.exr"] {
///     solio::write_bytes(&path(name), b"the same")?;
/// }
/// std::fs::hard_link(path("a.exr"), path("b.exr")).unwrap();
/// let (options, work) = Default::default();
/// let found = solio::find_duplicates(&[folder.path().into()], &options, &work)?;
/// // Two names of one file, and a copy of it: the only one that could go.
/// let group = &found.groups[0];
/// assert_eq!(group.files, [vec![path("a.exr"), path("b.exr")], vec![path("c.exr")]]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateGroup {
    /// Bytes of each.
    pub bytes: u64,
    /// Different files, each with all its names: those at and below the path that was given first come
    /// first, then by name.
    pub files: Vec<Vec<PathBuf>>,
}

impl DuplicateGroup {
    /// Bytes that all but one of the files take.
    ///
    /// ```
    /// use solio::DuplicateGroup;
    /// let files = ["a.exr", "old/a.exr", "old/older/a.exr"].map(|name| vec![name.into()]);
    /// let group = DuplicateGroup { bytes: 1000, files: files.to_vec() };
    /// assert_eq!(group.wasted_bytes(), 2000);
    /// ```
    pub fn wasted_bytes(&self) -> u64 {
        self.bytes * (self.files.len() as u64).saturating_sub(1)
    }
}

/// What was found.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let gone = folder.path().join("gone");
/// let (options, work) = Default::default();
/// solio::write_bytes(&folder.path().join("a.exr"), b"alone")?;
/// // What cannot be looked at ends nothing.
/// let found = solio::find_duplicates(&[folder.path().into(), gone], &options, &work)?;
/// assert_eq!((found.files, found.groups.len()), (1, 0));
/// assert!(found.failed[0].is_missing());
/// // No other file has its size: it was not even opened.
/// assert_eq!(found.read_bytes, 0);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Duplicates {
    /// The group that wastes most first; those that waste the same by name.
    pub groups: Vec<DuplicateGroup>,
    /// Files that were looked at.
    pub files: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// What could not be looked at, or read.
    pub failed: Vec<Error>,
}

impl Duplicates {
    /// The largest waste first.
    pub(crate) fn sort(&mut self) {
        self.groups.sort_by(|a, b| {
            b.wasted_bytes().cmp(&a.wasted_bytes()).then_with(|| a.files.cmp(&b.files))
        });
    }

    /// Bytes that all groups waste together.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # for (i, text) in ["one", "one", "one", "four", "four"].iter().enumerate() {
    /// #     solio::write_bytes(&folder.path().join(i.to_string()), text.as_bytes())?;
    /// # }
    /// # let (options, work) = Default::default();
    /// let found = solio::find_duplicates(&[folder.path().into()], &options, &work)?;
    /// let each: Vec<u64> = found.groups.iter().map(|group| group.wasted_bytes()).collect();
    /// assert_eq!((each, found.wasted_bytes()), (vec![6, 4], 10));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn wasted_bytes(&self) -> u64 {
        self.groups.iter().map(DuplicateGroup::wasted_bytes).sum()
    }
}

/// A file with all its names.
struct Candidate {
    bytes: u64,
    names: Vec<PathBuf>,
}

/// Finds the files at and below `paths` that have the same content; links are not followed.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # for (name, text) in [("a", "12"), ("b", "12"), ("c", "34")] {
/// #     solio::write_bytes(&folder.path().join(name), text.as_bytes())?;
/// # }
/// let found =
///     solio::find_duplicates(&[folder.path().into()], &Default::default(), &Default::default())?;
/// assert_eq!((found.files, found.groups.len(), found.wasted_bytes()), (3, 1, 2));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled`. What cannot be read is listed in the result.
pub fn find_duplicates(
    paths: &[PathBuf],
    options: &DuplicateOptions,
    work: &Work,
) -> Result<Duplicates> {
    let mut found = Duplicates::default();
    let same_size = by_size(paths, options, work, &mut found)?;
    let same_ends = by_ends(same_size, options, work, &mut found)?;
    let same = by_content(same_ends, options, work, &mut found)?;
    found.groups = same
        .into_iter()
        .map(|files| DuplicateGroup {
            bytes: files[0].bytes,
            files: files.into_iter().map(|file| file.names).collect(),
        })
        .collect();
    found.sort();
    Ok(found)
}

/// Different files of the same size.
fn by_size(
    paths: &[PathBuf],
    options: &DuplicateOptions,
    work: &Work,
    found: &mut Duplicates,
) -> Result<Vec<Vec<Candidate>>> {
    let collect = Collect::new(options);
    let given = Given::new(paths);
    let paths = outermost(paths.to_vec(), false);
    let (folders, files) = folders_and_files(paths, |_, error| lock(&collect.failed).push(error));
    for path in files {
        match status_of(&path) {
            // Whoever opens a pipe waits.
            Ok(_) if solio_io::is_direct(&path) => {
                let error =
                    Error::unsupported("this is not a plain file, and has no content to keep");
                lock(&collect.failed).push(error.at_path(&path));
            }
            Ok(status) => collect.take(path, status),
            Err(e) => lock(&collect.failed).push(e),
        }
    }
    let walked = WalkOptions { filter: options.filter.clone(), ..WalkOptions::of(work) };
    walk(&folders, &walked, &collect)?;
    found.failed.append(&mut lock(&collect.failed));
    let Seen { sizes, files } = std::mem::take(&mut *lock(&collect.seen));
    found.files = files;
    let groups = sizes.into_iter().filter(|(_, files)| files.len() > 1);
    let groups = groups.map(|(bytes, files)| of_inodes(bytes, files, &given));
    Ok(groups.filter(|group| group.len() > 1).collect())
}

/// The paths that were given, and their places in the list.
struct Given(HashMap<PathBuf, usize>);

impl Given {
    fn new(paths: &[PathBuf]) -> Given {
        // Of a path that was given twice the first place counts.
        Given(paths.iter().enumerate().rev().map(|(place, path)| (absolute(path), place)).collect())
    }

    /// The first place of what `path` lies at or below.
    fn place_of(&self, path: &Path) -> usize {
        let path = absolute(path);
        path.ancestors().filter_map(|at| self.0.get(at)).min().copied().unwrap_or(usize::MAX)
    }
}

/// Names of the same inode, and names given twice, are one file.
fn of_inodes(bytes: u64, files: Vec<(PathBuf, Status)>, given: &Given) -> Vec<Candidate> {
    let placed = files.into_iter().map(|(path, status)| (given.place_of(&path), path, status));
    let mut files: Vec<_> = placed.collect();
    files.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut files: Vec<_> = files.into_iter().map(|(_, path, status)| (path, status)).collect();
    files.dedup_by(|a, b| a.0 == b.0);
    let mut places: HashMap<(u64, u64), usize> = HashMap::with_capacity(files.len());
    let mut candidates: Vec<Candidate> = Vec::with_capacity(files.len());
    for (path, Status { device, inode, .. }) in files {
        let place = *places.entry((device, inode)).or_insert(candidates.len());
        match candidates.get_mut(place) {
            Some(known) => known.names.push(path),
            None => candidates.push(Candidate { bytes, names: vec![path] }),
        }
    }
    candidates
}

/// Takes the plain files of a walk.
struct Collect<'o> {
    options: &'o DuplicateOptions,
    seen: Mutex<Seen>,
    failed: Mutex<Vec<Error>>,
}

#[derive(Default)]
struct Seen {
    files: u64,
    sizes: BTreeMap<u64, Vec<(PathBuf, Status)>>,
}

impl Collect<'_> {
    fn new(options: &DuplicateOptions) -> Collect<'_> {
        Collect { options, seen: Mutex::default(), failed: Mutex::default() }
    }

    fn wants(&self, size: u64) -> bool {
        size > 0 || self.options.empty
    }

    fn take(&self, path: PathBuf, status: Status) {
        let mut seen = lock(&self.seen);
        seen.files += 1;
        if self.wants(status.size) {
            seen.sizes.entry(status.size).or_default().push((path, status));
        }
    }
}

impl Visit for Collect<'_> {
    type Folder = ();
    type Local = ();

    fn folder(&self, _: &mut (), _: &Listing) -> Result<()> {
        Ok(())
    }

    fn entries(&self, _: &mut (), listing: &Listing, _: &(), entries: &[u32]) -> Result<()> {
        let mut all = Vec::with_capacity(entries.len());
        for entry in entries.iter().map(|i| &listing.entries()[*i as usize]) {
            if entry.kind != EntryKind::File {
                continue;
            }
            match listing.status(entry) {
                Ok(status) => all.push((entry, status)),
                Err(e) => lock(&self.failed).push(e),
            }
        }
        let mut seen = lock(&self.seen);
        seen.files += all.len() as u64;
        for (entry, status) in all {
            if self.wants(status.size) {
                let path = listing.path_of(entry);
                seen.sizes.entry(status.size).or_default().push((path, status));
            }
        }
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        lock(&self.failed).push(error);
    }
}

/// Splits groups by what both ends are; small files are read whole.
fn by_ends(
    groups: Vec<Vec<Candidate>>,
    options: &DuplicateOptions,
    work: &Work,
    found: &mut Duplicates,
) -> Result<Vec<Vec<Candidate>>> {
    split(groups, options, work, found, |candidate, work| {
        let mut hasher = Hasher::new(Algorithm::Xxh128);
        let read = solio_io::read_ends(&candidate.names[0], END_BYTES, work, |part| {
            hasher.update(part);
        })?;
        Ok((read, hasher.finish()))
    })
}

/// Splits groups of files that were not read whole by all that is in them.
fn by_content(
    groups: Vec<Vec<Candidate>>,
    options: &DuplicateOptions,
    work: &Work,
    found: &mut Duplicates,
) -> Result<Vec<Vec<Candidate>>> {
    let is_large = |group: &Vec<Candidate>| group[0].bytes > 2 * END_BYTES as u64;
    let (large, mut done): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_large);
    done.extend(split(large, options, work, found, |candidate, work| {
        let mut hasher = Hasher::new(Algorithm::Xxh128);
        let status = solio_io::read_raw(&candidate.names[0], work, |part| {
            hasher.update(part);
            Ok(())
        })?;
        Ok((status.size, hasher.finish()))
    })?);
    if !options.paranoid {
        return Ok(done);
    }
    let mut exact = Vec::new();
    for group in done {
        by_bytes(group, work, found, &mut exact)?;
    }
    Ok(exact)
}

/// Sums up all files of all groups, in the order of the medium and on all threads, and splits the
/// groups by the digests.
fn split(
    groups: Vec<Vec<Candidate>>,
    options: &DuplicateOptions,
    work: &Work,
    found: &mut Duplicates,
    digest: impl Fn(&Candidate, &Work) -> Result<(u64, Digest)> + Sync,
) -> Result<Vec<Vec<Candidate>>> {
    let files = groups.into_iter().zip(0usize..);
    let files: Vec<(usize, Candidate)> = files
        .flat_map(|(group, number)| group.into_iter().map(move |file| (number, file)))
        .collect();
    let names: Vec<&Path> = files.iter().map(|(_, file)| file.names[0].as_path()).collect();
    let plan = in_order(&names, options.order, work)?;
    let mut digests: Vec<Option<Digest>> = vec![None; files.len()];
    run_in_order(
        &plan,
        work,
        |place, work| digest(&files[place].1, work),
        |place, result| {
            match result {
                Ok((read, digest)) => {
                    found.read_bytes += read;
                    digests[place] = Some(digest);
                }
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => found.failed.push(error),
            }
            Ok(true)
        },
    )?;
    let mut split: BTreeMap<(usize, Digest), Vec<Candidate>> = BTreeMap::new();
    for ((number, file), digest) in files.into_iter().zip(digests) {
        if let Some(digest) = digest {
            split.entry((number, digest)).or_default().push(file);
        }
    }
    Ok(split.into_values().filter(|group| group.len() > 1).collect())
}

/// Splits a group by comparing all bytes.
fn by_bytes(
    mut group: Vec<Candidate>,
    work: &Work,
    found: &mut Duplicates,
    into: &mut Vec<Vec<Candidate>>,
) -> Result<()> {
    while group.len() > 1 {
        let (mut same, mut other) = (vec![group.remove(0)], Vec::new());
        for file in group {
            found.read_bytes += 2 * file.bytes;
            match solio_io::same_bytes(&same[0].names[0], &file.names[0], work) {
                Ok(true) => same.push(file),
                Ok(false) => other.push(file),
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => found.failed.push(error),
            }
        }
        if same.len() > 1 {
            into.push(same);
        }
        group = other;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;
    use solio_io::filter::FilterOptions;
    use solio_io::probe::write_plain;

    fn find(folder: &Path, options: DuplicateOptions) -> Vec<(u64, Vec<Vec<String>>)> {
        let found = find_duplicates(&[folder.to_owned()], &options, &Work::default()).unwrap();
        assert!(found.failed.is_empty());
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let names = |file: &Vec<PathBuf>| file.iter().map(name).collect();
        let group = |g: &DuplicateGroup| (g.wasted_bytes(), g.files.iter().map(names).collect());
        found.groups.iter().map(group).collect()
    }

    /// Files that differ in the middle alone, at an end alone, in nothing.
    #[test]
    fn only_equal_files_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for size in [1, 100, 2 * END_BYTES, 2 * END_BYTES + 1, 300_000] {
            let base: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            for (name, at) in [
                ("a", None),
                ("b", None),
                ("first", Some(0)),
                ("middle", Some(size / 2)),
                ("last", Some(size - 1)),
            ] {
                let mut bytes = base.clone();
                if let Some(at) = at {
                    bytes[at] ^= 0x80;
                }
                // Of one byte all places are the same.
                let name = if size == 1 && at.is_some() { continue } else { name };
                write_plain(&path(&format!("{size}-{name}")), &bytes).unwrap();
            }
        }
        write_plain(&path("empty1"), b"").unwrap();
        write_plain(&path("empty2"), b"").unwrap();
        for paranoid in [false, true] {
            let groups = find(folder.path(), DuplicateOptions { paranoid, ..Default::default() });
            let wasted: Vec<u64> = groups.iter().map(|(wasted, _)| *wasted).collect();
            let ends = 2 * END_BYTES as u64;
            assert_eq!(wasted, [300_000, ends + 1, ends, 100, 1]);
            assert_eq!(groups[0].1, [["300000-a"], ["300000-b"]]);
        }
        let groups = find(folder.path(), DuplicateOptions { empty: true, ..Default::default() });
        assert_eq!(groups.last().unwrap().1, [["empty1"], ["empty2"]]);
        let larger = FilterOptions { min_bytes: Some(101), ..Default::default() };
        let larger = Filter::new(&larger).unwrap();
        let groups = find(folder.path(), DuplicateOptions { filter: larger, ..Default::default() });
        assert_eq!(groups.len(), 3);
    }

    #[test]
    fn names_of_one_file_waste_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_plain(&path("a"), b"same").unwrap();
        std::fs::hard_link(path("a"), path("b")).unwrap();
        if let Err(error) = solio_io::probe::symlink(path("a"), path("link")) {
            println!("without a symbolic link: {error}");
        }
        assert!(find(folder.path(), DuplicateOptions::default()).is_empty());
        write_plain(&path("c"), b"same").unwrap();
        let groups = find(folder.path(), DuplicateOptions::default());
        assert_eq!(groups, [(4, vec![vec!["a".into(), "b".into()], vec!["c".into()]])]);
        // A folder given twice, and a file beside it.
        let twice = [folder.path().to_owned(), folder.path().join("."), path("c")];
        let found = find_duplicates(&twice, &DuplicateOptions::default(), &Work::default());
        let found = found.unwrap();
        assert_eq!((found.files, found.wasted_bytes()), (3, 4));
    }
}
