//! What is in folders, with sequences of frames on one line each.

use globset::{GlobBuilder, GlobMatcher};
use solio_base::names::{OsStrBytes, OsStringBytes};
use solio_base::{Error, Progress, Result, Work, lock, unlock};
use solio_catalog::sequence::{
    FrameRange, NamePattern, Padding, Sequence, collapse, frames_text, numbered,
};
use solio_io::filter::Filter;
use solio_io::walk::{EntryKind, Listing, Status, Visit, WalkOptions, status_of, walk};
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is listed.
///
/// ```
/// use solio::{ListOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # for frame in 1..=3 {
/// #     solio::write_bytes(&folder.path().join(format!("a.{frame:04}.exr")), &[0; 50])?;
/// # }
/// # let folders = [folder.path().to_owned()];
/// let options = ListOptions { sizes: true, ..ListOptions::default() };
/// let list = solio::list(&folders, options, &Work::default())?;
/// // One line for three files, and their bytes together.
/// assert_eq!(list.entries[0].bytes, Some(3 * 50));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Recurse into subfolders.
    pub recursive: bool,
    /// Names that start with a dot, too.
    pub hidden: bool,
    /// Sizes, for which every file is looked at.
    pub sizes: bool,
    /// What is left out of folders.
    pub filter: Filter,
}

/// One line of a list.
///
/// ```
/// # use solio::Work;
/// # let folder = tempfile::tempdir().unwrap();
/// # std::fs::create_dir(folder.path().join("textures")).unwrap();
/// # for name in ["a.1001.exr", "a.1002.exr", "notes.txt"] {
/// #     solio::write_bytes(&folder.path().join(name), b"x")?;
/// # }
/// # let shot = folder.path().to_owned();
/// let list = solio::list(&[shot.clone()], Default::default(), &Work::default())?;
/// let names: Vec<_> = list.entries.iter().map(|entry| entry.path()).collect();
/// assert_eq!(names, ["a.1001-1002#.exr", "notes.txt", "textures"].map(|name| shot.join(name)));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The folder that it is in: as given, and the names below it.
    pub folder: PathBuf,
    /// What it is.
    pub kind: ListKind,
    /// The bytes of all its files, where [`ListOptions::sizes`] asks for them.
    pub bytes: Option<u64>,
}

/// What stands on a line of a list.
///
/// ```
/// use solio::ListKind;
/// # let folder = tempfile::tempdir().unwrap();
/// # std::fs::create_dir(folder.path().join("textures")).unwrap();
/// # for name in ["a.1.exr", "a.2.exr", "notes.txt"] {
/// #     solio::write_bytes(&folder.path().join(name), b"x")?;
/// # }
/// # let shot = folder.path().to_owned();
/// let list = solio::list(&[shot], Default::default(), &Default::default())?;
/// let count = |of: fn(&ListKind) -> bool| list.entries.iter().filter(|e| of(&e.kind)).count();
/// assert_eq!(count(|kind| matches!(kind, ListKind::Sequence(_))), 1);
/// assert_eq!(count(|kind| matches!(kind, ListKind::Folder(name) if name == "textures")), 1);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// A folder of this name.
    Folder(OsString),
    /// A file of this name that belongs to no sequence.
    File(OsString),
    /// A sequence.
    Sequence(ListSequence),
}

/// A sequence, and how much of it is there.
///
/// ```
/// use solio::ListKind;
/// # let folder = tempfile::tempdir().unwrap();
/// # let mut frames = Vec::new();
/// # for frame in [1, 2, 3, 5] {
/// #     frames.push(folder.path().join(format!("a.{frame:04}.exr")));
/// #     solio::write_bytes(&frames[frames.len() - 1], b"x")?;
/// # }
/// // Frames 1, 2, 3 and 5.
/// let list = solio::list(&frames, Default::default(), &Default::default())?;
/// let ListKind::Sequence(sequence) = &list.entries[0].kind else { unreachable!("four frames") };
/// assert_eq!((sequence.range.as_str(), sequence.missing.as_str()), ("1-5", "4"));
/// assert_eq!((sequence.files.frames.len(), sequence.expected), (4, 5));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSequence {
    /// Its files.
    pub files: Sequence,
    /// From the first to the last frame, or as asked for: `1001-1100`.
    pub range: String,
    /// How many frames that are.
    pub expected: u64,
    /// Those that are not there: `1042,1067`.
    pub missing: String,
    /// The numbers are tiles, of which none is missing.
    pub udim: bool,
}

impl ListEntry {
    /// Folder and name; of a sequence the name with its range, `shots/beauty.1001-1100#.exr`.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let out = folder.path().to_owned();
    /// # for name in ["a.0001.exr", "a.0003.exr"] {
    /// #     solio::write_bytes(&out.join(name), b"x")?;
    /// # }
    /// // A pattern names a sequence, whatever else is in the folder.
    /// let pattern = out.join("a.1-3####.exr");
    /// let list = solio::list(&[pattern], Default::default(), &Default::default())?;
    /// assert_eq!(list.entries[0].path(), out.join("a.1-3#.exr"));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn path(&self) -> PathBuf {
        let name = match &self.kind {
            ListKind::Folder(name) | ListKind::File(name) => name.clone(),
            ListKind::Sequence(s) => OsString::from_vec(s.pattern(&s.range)),
        };
        solio_base::names::joined(&self.folder, &name)
    }

    /// What names exactly the files that are there to other commands: folder and name; of a sequence
    /// the name with its frames where that is read as this sequence, else the name of each file. (What
    /// stands before the number may look like a part of the range: `2024-01-05.png`.)
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let out = folder.path().to_owned();
    /// # for name in ["a.0001.exr", "a.0002.exr", "a.0003.exr", "a.0007.exr"] {
    /// #     solio::write_bytes(&out.join(name), b"x")?;
    /// # }
    /// let list = solio::list(&[out.clone()], Default::default(), &Default::default())?;
    /// // Frames 4 to 6 are missing.
    /// assert_eq!(list.entries[0].path(), out.join("a.1-7#.exr"));
    /// assert_eq!(list.entries[0].exact_paths(), [out.join("a.1-3,7#.exr")]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn exact_paths(&self) -> Vec<PathBuf> {
        let ListKind::Sequence(s) = &self.kind else { return vec![self.path()] };
        let frames = &s.files.frames;
        let pattern = s.pattern(&frames_text(frames));
        let is_read_again = s.is_read_from(&pattern);
        let path = solio_base::names::joined(&self.folder, &OsString::from_vec(pattern));
        // A file that has such a name would itself be meant.
        if is_read_again && !path.exists() {
            return vec![path];
        }
        let name = |&frame: &i64| {
            solio_base::names::joined(&self.folder, &OsString::from_vec(s.files.name(frame)))
        };
        frames.iter().map(name).collect()
    }

    /// What entries of a folder are sorted by.
    fn key(&self) -> (&[u8], &[u8], usize) {
        match &self.kind {
            ListKind::Folder(name) | ListKind::File(name) => (name.as_bytes(), b"", 0),
            ListKind::Sequence(ListSequence { files, .. }) => {
                (&files.before, &files.after, files.padding.width)
            }
        }
    }
}

impl ListSequence {
    /// What is there says what there should be.
    fn of(files: Sequence) -> ListSequence {
        let udim = files.is_udim();
        let (range, missing) = match udim {
            true => (frames_text(&files.frames), String::new()),
            false => (files.range(), files.missing()),
        };
        ListSequence { range, expected: files.expected(), missing, udim, files }
    }

    /// What a pattern asks for says it.
    fn asked(pattern: &NamePattern, mut frames: Vec<i64>) -> ListSequence {
        if let Some(range) = &pattern.range {
            let wanted = sorted(range);
            frames.retain(|frame| wanted.binary_search(frame).is_ok());
        }
        let (before, after) = (pattern.before.clone(), pattern.after.clone());
        let padding = Padding::digits(pattern.padding.width);
        let (odd_padding, doubles) = (false, Vec::new());
        let files = Sequence { before, after, padding, frames, odd_padding, doubles };
        let udim = pattern.padding.udim;
        match &pattern.range {
            Some(range) => ListSequence { udim, ..ListSequence::within(range, files) },
            None if udim => {
                let (range, expected) = (frames_text(&files.frames), files.frames.len() as u64);
                ListSequence { range, expected, missing: String::new(), udim, files }
            }
            None => ListSequence::of(files),
        }
    }

    /// Files whose frames are in `range`, of which all should be there.
    fn within(range: &FrameRange, files: Sequence) -> ListSequence {
        let (mut missing, expected) = (sorted(range), range.frames().len() as u64);
        missing.retain(|frame| files.frames.binary_search(frame).is_err());
        let (range, missing) = (range.to_string(), frames_text(&missing));
        ListSequence { range, expected, missing, udim: false, files }
    }

    /// Whether a pattern stands for exactly these files.
    fn is_read_from(&self, pattern: &[u8]) -> bool {
        let Sequence { before, after, padding, frames, .. } = &self.files;
        // `solio ls` itself takes such a name for one with wildcards.
        !has_wildcards(pattern)
            && NamePattern::of(pattern).is_some_and(|read| {
                (&read.before, &read.after, read.padding.width) == (before, after, padding.width)
                    && read.range.is_some_and(|range| range.frames() == frames)
            })
    }

    /// The name with these frames.
    fn pattern(&self, frames: &str) -> Vec<u8> {
        let padding = Padding { udim: self.udim, ..self.files.padding }.text();
        let Sequence { before, after, .. } = &self.files;
        [&before[..], frames.as_bytes(), padding.as_bytes(), &after[..]].concat()
    }
}

/// What is listed, and what went wrong.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let gone = folder.path().join("gone");
/// let list = solio::list(&[gone.clone()], Default::default(), &Default::default())?;
/// // What is not there ends nothing: it is in the result, with its path.
/// assert!(list.entries.is_empty());
/// assert_eq!(list.failed[0].path(), Some(gone.as_path()));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct List {
    /// By folder, then by name.
    pub entries: Vec<ListEntry>,
    /// What could not be looked at, and paths and patterns that nothing matches.
    pub failed: Vec<Error>,
}

/// Lists what is in the folders among `paths`; the files among them are collapsed to sequences, folder
/// by folder. A path that does not exist may be a pattern: a sequence (`a.####.exr`), or a name with
/// `*`, `?`, `[…]`, `{…,…}` and a padding. Links are not followed.
///
/// ```
/// use solio::{ListOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let show = folder.path().to_owned();
/// # for shot in ["sh010", "sh020"] {
/// #     std::fs::create_dir(show.join(shot)).unwrap();
/// #     for frame in 1..=4 {
/// #         solio::write_bytes(&show.join(shot).join(format!("a.{frame:04}.exr")), b"x")?;
/// #     }
/// # }
/// let all = ListOptions { recursive: true, ..ListOptions::default() };
/// let list = solio::list(&[show.clone()], all, &Work::default())?;
/// // Eight files in two folders.
/// let names: Vec<_> = list.entries.iter().map(|entry| entry.path()).collect();
/// assert_eq!(names, ["sh010/a.1-4#.exr", "sh020/a.1-4#.exr"].map(|name| show.join(name)));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Only `Cancelled`; everything else is in [`List::failed`].
pub fn list(paths: &[PathBuf], options: ListOptions, work: &Work) -> Result<List> {
    let lister = Lister { options, found: Mutex::default() };
    let mut files: BTreeMap<PathBuf, Vec<OsString>> = BTreeMap::new();
    for path in paths {
        let is_folder = match solio_io::is_folder(path) {
            Ok(is_folder) => is_folder,
            Err(error) => {
                lister.locked().failed.push(error);
                continue;
            }
        };
        match (is_folder, path.symlink_metadata()) {
            (true, _) => lister.folder(path, NameFilter::All, work)?,
            (false, Ok(_)) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                let name = path.file_name().unwrap_or(path.as_os_str()).to_owned();
                files.entry(folder).or_default().push(name);
            }
            (false, Err(e)) => lister.pattern(path, e, work)?,
        }
    }
    for (folder, mut names) in files {
        names.sort_unstable();
        names.dedup();
        let size = |name: &OsStr| status_of(&folder.join(name)).ok();
        let entries = lister.collapsed(&folder, names.iter().map(|name| name.as_bytes()), size);
        lister.locked().entries.extend(entries);
    }
    let mut list = unlock(lister.found);
    list.entries.sort_by(|a, b| a.folder.cmp(&b.folder).then_with(|| a.key().cmp(&b.key())));
    list.entries.dedup();
    Ok(list)
}

/// Which names of a folder are wanted. With a range go its frames in rising order.
enum NameFilter {
    All,
    Pattern(NamePattern),
    Glob(GlobMatcher, Option<Padding>, Option<(FrameRange, Vec<i64>)>),
}

impl NameFilter {
    /// The filter that a name asks for.
    fn of(name: &OsStr) -> Result<Option<NameFilter>> {
        let bytes = name.as_bytes();
        let pattern = NamePattern::of(bytes);
        if !has_wildcards(bytes) {
            return Ok(pattern.map(NameFilter::Pattern));
        }
        let padding = pattern.as_ref().map(|pattern| pattern.padding);
        let range = pattern.as_ref().and_then(|pattern| pattern.range.clone());
        let range = range.map(|range| (range.clone(), sorted(&range)));
        let glob = match &pattern {
            Some(NamePattern { before, after, .. }) => [before, &b"[-0-9]*"[..], after].concat(),
            None => bytes.to_vec(),
        };
        let glob = String::from_utf8(glob)
            .map_err(|_| Error::argument("the pattern is not text in UTF-8"))?;
        let glob = GlobBuilder::new(&glob).literal_separator(true).build();
        let glob = glob.map_err(|e| Error::argument(format!("the pattern: {}", e.kind())))?;
        Ok(Some(NameFilter::Glob(glob.compile_matcher(), padding, range)))
    }

    fn takes(&self, name: &[u8]) -> bool {
        match self {
            NameFilter::All => true,
            NameFilter::Pattern(pattern) => pattern.frame_of(name).is_some(),
            NameFilter::Glob(glob, padding, range) => {
                let fits = |padding: &Padding| {
                    let is_wanted = |frame| {
                        range
                            .as_ref()
                            .is_none_or(|(_, wanted)| wanted.binary_search(&frame).is_ok())
                    };
                    numbered(name)
                        .is_some_and(|n| padding.takes(n.digits, n.frame) && is_wanted(n.frame))
                };
                glob.is_match(OsStr::from_bytes(name)) && padding.as_ref().is_none_or(fits)
            }
        }
    }

    /// What a range that was asked for says of a line: which of its frames are missing.
    fn asks(&self, kind: ListKind) -> ListKind {
        let NameFilter::Glob(_, _, Some((range, _))) = self else { return kind };
        let files = match kind {
            ListKind::Sequence(sequence) => sequence.files,
            ListKind::File(name) => match numbered(name.as_bytes()) {
                Some(n) => Sequence {
                    before: n.before.to_vec(),
                    after: n.after.to_vec(),
                    padding: Padding::digits(n.digits.len()),
                    frames: vec![n.frame],
                    odd_padding: false,
                    doubles: Vec::new(),
                },
                None => return ListKind::File(name),
            },
            folder @ ListKind::Folder(_) => return folder,
        };
        ListKind::Sequence(ListSequence::within(range, files))
    }
}

/// Whether a name has what a pattern of names may have.
fn has_wildcards(name: &[u8]) -> bool {
    name.iter().any(|b| b"*?[{".contains(b))
}

fn sorted(range: &FrameRange) -> Vec<i64> {
    let mut frames = range.frames().to_vec();
    frames.sort_unstable();
    frames
}

struct Lister {
    options: ListOptions,
    found: Mutex<List>,
}

impl Lister {
    fn locked(&self) -> std::sync::MutexGuard<'_, List> {
        lock(&self.found)
    }

    fn folder(&self, folder: &Path, filter: NameFilter, work: &Work) -> Result<()> {
        let options = WalkOptions {
            threads: if self.options.recursive { work.threads } else { 1 },
            flat: !self.options.recursive,
            filter: self.options.filter.clone(),
            ..WalkOptions::of(work)
        };
        let visitor = Folder { lister: self, filter, progress: &work.progress };
        walk(&[folder.to_owned()], &options, &visitor)
    }

    /// A path that is not there.
    fn pattern(&self, path: &Path, missing: std::io::Error, work: &Work) -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let before = self.locked().entries.len();
        let filter = match path.file_name().map_or(Ok(None), NameFilter::of) {
            Ok(Some(filter)) => filter,
            Ok(None) => {
                self.locked().failed.push(Error::io("look at", missing).at_path(path));
                return Ok(());
            }
            Err(e) => {
                self.locked().failed.push(e.at_path(path));
                return Ok(());
            }
        };
        self.folder(folder.unwrap_or(Path::new(".")), filter, work)?;
        let mut found = self.locked();
        if found.entries.len() == before {
            let error = Error::argument("nothing matches this pattern").at_path(path);
            found.failed.push(error);
        }
        Ok(())
    }

    /// The lines for the files of a folder.
    fn collapsed<'n>(
        &self,
        folder: &Path,
        names: impl Iterator<Item = &'n [u8]>,
        size: impl Fn(&OsStr) -> Option<Status>,
    ) -> Vec<ListEntry> {
        let collapsed = collapse(names);
        let size_of = |name: &[u8]| size(OsStr::from_bytes(name));
        let sizes = self.options.sizes;
        let files = collapsed.files.into_iter().map(|name| ListEntry {
            folder: folder.to_owned(),
            bytes: if sizes { size_of(name).map(|found| found.size) } else { None },
            kind: ListKind::File(OsStr::from_bytes(name).to_owned()),
        });
        let sequences = collapsed.sequences.into_iter().map(|s| {
            let all = || once(s.frames.iter().filter_map(|&frame| size_of(&s.name(frame))));
            let bytes = sizes.then(all);
            let kind = ListKind::Sequence(ListSequence::of(s));
            ListEntry { folder: folder.to_owned(), bytes, kind }
        });
        files.chain(sequences).collect()
    }
}

/// Bytes of all; of a file with several names once.
fn once(all: impl Iterator<Item = Status>) -> u64 {
    let mut met = HashSet::new();
    let is_new = |found: &Status| found.links < 2 || met.insert((found.device, found.inode));
    all.filter(is_new).map(|found| found.size).sum()
}

/// Lists folders as they are walked.
struct Folder<'l> {
    lister: &'l Lister,
    filter: NameFilter,
    progress: &'l Progress,
}

impl Folder<'_> {
    fn entries(&self, listing: &Listing) -> Vec<ListEntry> {
        // `solio ls` is about names; `./` before each would be noise.
        let folder = listing.path.strip_prefix(".").unwrap_or(&listing.path);
        let options = &self.lister.options;
        let wanted =
            |name: &[u8]| (options.hidden || !name.starts_with(b".")) && self.filter.takes(name);
        let all = listing.entries().iter();
        let names = all.clone().filter(|entry| entry.kind != EntryKind::Folder);
        let names = names.map(|entry| listing.name(entry).as_bytes()).filter(|name| wanted(name));
        let size = |name: &OsStr| {
            let entries = listing.entries();
            let at = entries.binary_search_by(|entry| listing.name(entry).cmp(name)).ok()?;
            listing.status(&entries[at]).ok()
        };
        if let NameFilter::Pattern(pattern) = &self.filter {
            let mut frames: Vec<i64> = names.filter_map(|name| pattern.frame_of(name)).collect();
            frames.sort_unstable();
            let asked = ListSequence::asked(pattern, frames);
            return self.asked(folder, asked, size).into_iter().collect();
        }
        let mut entries = self.lister.collapsed(folder, names, size);
        for entry in &mut entries {
            let kind = std::mem::replace(&mut entry.kind, ListKind::File(OsString::new()));
            entry.kind = self.filter.asks(kind);
        }
        if !options.recursive {
            let folders = all.filter(|entry| entry.kind == EntryKind::Folder);
            let folders = folders.map(|entry| listing.name(entry));
            entries.extend(folders.filter(|name| wanted(name.as_bytes())).map(|name| ListEntry {
                folder: folder.to_owned(),
                kind: ListKind::Folder(name.to_owned()),
                bytes: None,
            }));
        }
        entries
    }

    /// The sequence that a pattern names, where it has any frame.
    fn asked(
        &self,
        folder: &Path,
        sequence: ListSequence,
        size: impl Fn(&OsStr) -> Option<Status>,
    ) -> Option<ListEntry> {
        let files = &sequence.files;
        // A folder that is asked for certain frames says that it has none of them.
        if files.frames.is_empty() && (sequence.expected == 0 || self.lister.options.recursive) {
            return None;
        }
        let of = |&frame: &i64| size(OsStr::from_bytes(&files.name(frame)));
        let bytes = self.lister.options.sizes.then(|| once(files.frames.iter().filter_map(of)));
        Some(ListEntry { folder: folder.to_owned(), bytes, kind: ListKind::Sequence(sequence) })
    }
}

impl Visit for Folder<'_> {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), listing: &Listing) -> Result<()> {
        // Names that were looked at; nothing is opened.
        listing.entries().iter().for_each(|_| self.progress.add_file());
        let entries = self.entries(listing);
        self.lister.locked().entries.extend(entries);
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        self.lister.locked().failed.push(error);
    }
}
