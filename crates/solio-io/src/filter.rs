//! What a walk leaves out: one decision by the folders on the way and a name, so that walks, lists of files,
//! watching and keys of object stores agree.
//!
//! The first rule that says something about a name decides:
//!
//! 1. patterns given by the caller ([`FilterOptions::exclude`]), the last one that matches;
//! 2. `.solioignore` files, the nearest folder's first, in each the last line that matches;
//! 3. [`FilterOptions::ignore_files`];
//! 4. [names that nobody means](USUAL), and with [`FilterOptions::no_hidden`] those that begin with a dot.
//!
//! Patterns are those of `.gitignore` (<https://git-scm.com/docs/gitignore>), matched by the crate `ignore`:
//! relative to the root of the walk, or to the folder of their file. What lies in a folder that is left out is
//! never looked at, so that no pattern can bring it back.

use crate::status::{EntryKind, Status};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use solio_base::names::{OsStrBytes, joined};
use solio_base::{Error, Result};
use std::ffi::OsStr;
use std::fmt;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The name of the files in folders that say what is left out there.
pub const IGNORE_FILE: &str = ".solioignore";

/// Names that nobody means, files and folders: what systems and servers keep beside people's files. Names that
/// begin with `._` (AppleDouble) or `.Trash` belong to them.
pub const USUAL: [&str; 13] = [
    "@eaDir",
    "@Recycle",
    "#recycle",
    "$RECYCLE.BIN",
    ".DS_Store",
    ".Spotlight-V100",
    ".fseventsd",
    ".snapshot",
    ".snapshots",
    ".zfs",
    "System Volume Information",
    "Thumbs.db",
    "lost+found",
];

/// What is read of an ignore file: one that has so many bytes is too long.
pub(crate) const MOST_IGNORE_BYTES: usize = 1 << 20;

/// Whether a file of this name that begins so is wanted; for objects of a store the beginning is empty.
pub type KindTest = Arc<dyn Fn(&Path, &[u8]) -> bool + Send + Sync>;

/// What is left out, as somebody asked for it.
#[derive(Clone, Default)]
pub struct FilterOptions {
    /// Patterns of files and folders that are left out; one that begins with `!` keeps what it matches.
    pub exclude: Vec<String>,
    /// Patterns of files: others are left out. Folders are entered all the same.
    pub include: Vec<String>,
    /// Files of patterns to leave out, relative to the root of the walk.
    pub ignore_files: Vec<PathBuf>,
    /// `.solioignore` is a file like any other.
    pub no_ignore: bool,
    /// Names that nobody means are kept.
    pub all: bool,
    /// Names that begin with a dot are left out.
    pub no_hidden: bool,
    /// Folders are entered so far below the root: 1 is what lies in the root itself.
    pub max_depth: Option<usize>,
    /// Folders of other file systems are not entered.
    pub one_file_system: bool,
    /// Smaller files are left out.
    pub min_bytes: Option<u64>,
    /// Larger files are left out.
    pub max_bytes: Option<u64>,
    /// Files that changed last before this time are left out, nanoseconds since 1970.
    pub newer_ns: Option<i64>,
    /// Files that changed last at this time or later are left out, nanoseconds since 1970.
    pub older_ns: Option<i64>,
    /// Files of other kinds are left out, and so many bytes of each are read to tell.
    pub kind: Option<(KindTest, usize)>,
}

impl fmt::Debug for FilterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterOptions")
            .field("exclude", &self.exclude)
            .field("include", &self.include)
            .field("all", &self.all)
            .field("max_depth", &self.max_depth)
            .finish_non_exhaustive()
    }
}

/// What is left out of a tree, and how much that was. Clones count together.
///
/// ```
/// use solio_io::filter::{Filter, FilterOptions};
/// let options = FilterOptions { exclude: vec!["cache/".into(), "*.tmp".into()], ..Default::default() };
/// let filter = Filter::new(&options)?;
/// // Keys of an object store, relative to the root.
/// let wants = |key: &str| filter.wants_key(key.as_bytes(), 10, 0);
/// assert!(wants("shots/a.exr") && !wants("shots/cache/a.exr") && !wants("a.tmp") && !wants("@eaDir/a.exr"));
/// // What the library leaves out unasked: nothing.
/// assert!(Filter::default().wants_key(b"@eaDir/a.exr", 10, 0));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter(Option<Arc<Rules>>);

#[derive(Debug)]
struct Rules {
    options: FilterOptions,
    exclude: Option<Gitignore>,
    include: Option<Gitignore>,
    listed: Option<Gitignore>,
    files: AtomicU64,
    folders: AtomicU64,
}

/// How much was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files, as far as they were met: those in folders that were left out were not.
    pub files: u64,
    /// Folders.
    pub folders: u64,
}

/// The ignore files on the way to a folder.
#[derive(Debug)]
struct IgnoreFile {
    above: Option<Arc<IgnoreFile>>,
    rules: Gitignore,
    /// Bytes of the path to its folder, with the slash behind.
    at: usize,
}

/// A folder, as a filter knows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterPlace {
    /// How far it lies below the root.
    depth: usize,
    /// Its path below the root, with a slash behind; empty for the root.
    below: Vec<u8>,
    files: Option<Arc<IgnoreFile>>,
}

impl Filter {
    /// What leaves out as `options` say.
    ///
    /// # Errors
    /// `Argument` for a pattern that is none; those of reading the ignore files.
    pub fn new(options: &FilterOptions) -> Result<Filter> {
        let given = |patterns: &[String]| -> Result<Option<Gitignore>> {
            if patterns.is_empty() {
                return Ok(None);
            }
            let mut builder = GitignoreBuilder::new("");
            for pattern in patterns {
                add(&mut builder, pattern).map_err(Error::argument)?;
            }
            built(&builder).map(Some).map_err(Error::argument)
        };
        let mut listed = None;
        if !options.ignore_files.is_empty() {
            let mut builder = GitignoreBuilder::new("");
            for path in &options.ignore_files {
                let (file, _) = crate::file::open_file(path)?;
                add_lines(&mut builder, file, path)?;
            }
            listed = Some(built(&builder).map_err(Error::argument)?);
        }
        Ok(Filter(Some(Arc::new(Rules {
            exclude: given(&options.exclude)?,
            include: given(&options.include)?,
            listed,
            options: options.clone(),
            files: AtomicU64::new(0),
            folders: AtomicU64::new(0),
        }))))
    }

    /// What leaves out the names that nobody means, and what `.solioignore` files name.
    pub fn usual() -> Filter {
        Filter::new(&FilterOptions::default()).expect("no pattern can be wrong")
    }

    /// How much was left out so far.
    pub fn left_out(&self) -> LeftOut {
        let count =
            |of: fn(&Rules) -> &AtomicU64| self.0.as_deref().map_or(0, |r| of(r).load(Relaxed));
        LeftOut { files: count(|rules| &rules.files), folders: count(|rules| &rules.folders) }
    }

    /// What was asked for, in words, for whoever keeps it; `None` where that is nothing.
    pub fn text(&self) -> Option<String> {
        let options = &self.0.as_deref()?.options;
        let mut parts: Vec<String> = Vec::new();
        parts.extend(options.exclude.iter().map(|pattern| format!("exclude {pattern}")));
        parts.extend(options.include.iter().map(|pattern| format!("include {pattern}")));
        parts.extend(
            options.ignore_files.iter().map(|file| format!("ignore file {}", file.display())),
        );
        let switches = [
            (options.no_ignore, "no ignore files"),
            (options.all, "all"),
            (options.no_hidden, "no hidden names"),
            (options.one_file_system, "one file system"),
            (options.kind.is_some(), "some kinds"),
        ];
        parts.extend(
            switches.iter().filter(|(given, _)| *given).map(|(_, words)| (*words).to_owned()),
        );
        let values = [
            ("depth at most", options.max_depth.map(|depth| depth.to_string())),
            ("bytes at least", options.min_bytes.map(|bytes| bytes.to_string())),
            ("bytes at most", options.max_bytes.map(|bytes| bytes.to_string())),
            ("newer than ns", options.newer_ns.map(|ns| ns.to_string())),
            ("older than ns", options.older_ns.map(|ns| ns.to_string())),
        ];
        parts.extend(
            values.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?))),
        );
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a file or folder that somebody named is wanted: by the patterns given, by size, time and kind.
    /// Names that nobody means are meant then, and ignore files count below the folder only.
    ///
    /// ```
    /// use solio_io::filter::{Filter, FilterOptions};
    /// let options = FilterOptions { exclude: vec!["*.tmp".into()], ..Default::default() };
    /// let filter = Filter::new(&options)?;
    /// assert!(filter.wants_named("/show/.DS_Store".as_ref()) && !filter.wants_named("/show/a.tmp".as_ref()));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn wants_named(&self, path: &Path) -> bool {
        let Some(rules) = self.0.as_deref() else { return true };
        let says_nothing =
            rules.exclude.is_none() && rules.include.is_none() && !rules.asks_for_status();
        if says_nothing || crate::objects::is_address(path) || path.as_os_str() == crate::STANDARD {
            return true;
        }
        let names = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        });
        let below: PathBuf = names.collect();
        if below.as_os_str().is_empty() {
            return true;
        }
        let found = crate::status::status_of(path).ok();
        let is_folder = found.is_some_and(|found| found.is_folder());
        if let Some(exclude) = &rules.exclude
            && exclude.matched_path_or_any_parents(&below, is_folder).is_ignore()
        {
            return rules.leave(is_folder);
        }
        if is_folder {
            return true;
        }
        let is_included =
            |include: &Gitignore| include.matched_path_or_any_parents(&below, false).is_ignore();
        let mut wanted = rules.include.as_ref().is_none_or(is_included);
        if let Some(found) = found.filter(|_| wanted) {
            wanted = rules.wants_status(found.size, found.modified_ns);
            if let Some((test, bytes)) =
                rules.options.kind.as_ref().filter(|_| wanted && found.is_file())
            {
                wanted = start_of(path, *bytes).is_none_or(|head| test(path, &head));
            }
        }
        wanted || rules.leave(false)
    }

    /// Whether an object is wanted, by its key below the root, its size and its time. No ignore file of the
    /// store is read, and its kind is told by its name.
    pub fn wants_key(&self, below: &[u8], bytes: u64, modified_ns: i64) -> bool {
        let Some(rules) = self.0.as_deref() else { return true };
        let mut place = FilterPlace::default();
        let mut names = below.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            let is_folder = names.peek().is_some();
            let is_too_deep = is_folder && !rules.enters(&place);
            if is_too_deep || rules.leaves_out(&place, name, is_folder) {
                return rules.leave(is_folder);
            }
            if is_folder {
                place.enter(name);
            } else if !rules.wants_status(bytes, modified_ns)
                || rules
                    .options
                    .kind
                    .as_ref()
                    .is_some_and(|(test, _)| !test(Path::new(OsStr::from_bytes(name)), &[]))
            {
                return rules.leave(false);
            }
        }
        true
    }

    /// The place of the folder `path` at or below the root `base`; `None` where a walk from there does not
    /// come to it. What is wrong with ignore files on the way goes to `failed`.
    pub(crate) fn place_of(
        &self,
        base: &Path,
        path: &Path,
        failed: &mut dyn FnMut(&Path, Error),
    ) -> Option<FilterPlace> {
        let mut place = FilterPlace::default();
        let Some(rules) = self.0.as_deref() else { return Some(place) };
        let Ok(way) = path.strip_prefix(base) else { return Some(place) };
        let mut here = base.to_owned();
        for part in way.components() {
            let Component::Normal(name) = part else { continue };
            if !rules.options.no_ignore {
                let file = joined(&here, IGNORE_FILE.as_ref());
                let read =
                    crate::file::open_file(&file).and_then(|(opened, _)| place.read(opened, &file));
                if let Some(error) = read.err().filter(|error| !error.is_missing()) {
                    failed(&file, error);
                }
            }
            if !rules.enters(&place) || rules.leaves_out(&place, name.as_bytes(), true) {
                return None;
            }
            place.enter(name.as_bytes());
            here = joined(&here, name);
        }
        Some(place)
    }

    /// Whether a walk goes into folders at `place`.
    pub(crate) fn enters(&self, place: &FilterPlace) -> bool {
        self.0.as_deref().is_none_or(|rules| rules.enters(place))
    }

    /// Whether a walk stays on the file system of its root.
    pub(crate) fn is_of_one_file_system(&self) -> bool {
        self.0.as_deref().is_some_and(|rules| rules.options.one_file_system)
    }

    /// Whether ignore files are read.
    pub(crate) fn reads_ignore_files(&self) -> bool {
        self.0.as_deref().is_some_and(|rules| !rules.options.no_ignore)
    }

    /// Whether a name in the folder at `place` is left out; counts it. `status` looks at it, and `start` reads so
    /// many bytes of its beginning: both are asked only where somebody asked for size, time or kind.
    pub(crate) fn leaves_out(
        &self,
        place: &FilterPlace,
        name: &OsStr,
        kind: EntryKind,
        status: impl FnOnce() -> Option<Status>,
        start: impl FnOnce(u64, usize) -> Option<Vec<u8>>,
    ) -> bool {
        let Some(rules) = self.0.as_deref() else { return false };
        let is_folder = kind == EntryKind::Folder;
        let mut is_out = rules.leaves_out(place, name.as_bytes(), is_folder);
        if !is_out && !is_folder && rules.asks_for_status() {
            let Some(found) = status() else { return false };
            is_out = !rules.wants_status(found.size, found.modified_ns);
            if let Some((test, bytes)) = rules.options.kind.as_ref().filter(|_| !is_out) {
                is_out = kind != EntryKind::File
                    || start(found.size, *bytes).is_some_and(|head| !test(Path::new(name), &head));
            }
        }
        is_out && !rules.leave(is_folder)
    }
}

impl Rules {
    /// Counts what is left out; it is not wanted.
    fn leave(&self, is_folder: bool) -> bool {
        if is_folder { &self.folders } else { &self.files }.fetch_add(1, Relaxed);
        false
    }

    fn enters(&self, place: &FilterPlace) -> bool {
        self.options.max_depth.is_none_or(|most| place.depth + 1 < most)
    }

    fn asks_for_status(&self) -> bool {
        let FilterOptions { min_bytes, max_bytes, newer_ns, older_ns, kind, .. } = &self.options;
        min_bytes.or(*max_bytes).is_some() || newer_ns.or(*older_ns).is_some() || kind.is_some()
    }

    fn wants_status(&self, bytes: u64, modified_ns: i64) -> bool {
        let FilterOptions { min_bytes, max_bytes, newer_ns, older_ns, .. } = &self.options;
        min_bytes.is_none_or(|least| bytes >= least)
            && max_bytes.is_none_or(|most| bytes <= most)
            && newer_ns.is_none_or(|from| modified_ns >= from)
            && older_ns.is_none_or(|to| modified_ns < to)
    }

    /// Whether patterns and names leave out what is called so in the folder at `place`.
    fn leaves_out(&self, place: &FilterPlace, name: &[u8], is_folder: bool) -> bool {
        let has_patterns = self.exclude.is_some() || self.listed.is_some() || place.files.is_some();
        let is_included_by = self.include.as_ref().filter(|_| !is_folder);
        if !has_patterns && is_included_by.is_none() {
            return self.is_usually_out(name);
        }
        let full = [&place.below[..], name].concat();
        let path = |from: usize| Path::new(OsStr::from_bytes(&full[from..]));
        let is_out = match self.decision(place, path, is_folder) {
            Some(is_out) => is_out,
            None => self.is_usually_out(name),
        };
        is_out
            || is_included_by.is_some_and(|include| {
                !include.matched_path_or_any_parents(path(0), false).is_ignore()
            })
    }

    /// What the first pattern says that says something.
    fn decision<'f>(
        &self,
        place: &FilterPlace,
        path: impl Fn(usize) -> &'f Path,
        is_folder: bool,
    ) -> Option<bool> {
        let said = |rules: &Gitignore, from| match rules.matched(path(from), is_folder) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        let nearest = std::iter::successors(place.files.as_deref(), |file| file.above.as_deref());
        let given = self.exclude.as_ref().and_then(|rules| said(rules, 0));
        given
            .or_else(|| nearest.into_iter().find_map(|file| said(&file.rules, file.at)))
            .or_else(|| self.listed.as_ref().and_then(|rules| said(rules, 0)))
    }

    fn is_usually_out(&self, name: &[u8]) -> bool {
        self.options.no_hidden && name.starts_with(b".") || !self.options.all && is_usual(name)
    }
}

/// Whether nobody means a file or folder of this name.
fn is_usual(name: &[u8]) -> bool {
    match name {
        [b'.', b'_', _, ..] => true,
        [b'@' | b'#' | b'$' | b'.' | b'S' | b'T' | b'l', ..] => {
            name.starts_with(b".Trash") || USUAL.iter().any(|usual| usual.as_bytes() == name)
        }
        _ => false,
    }
}

impl FilterPlace {
    /// A folder in this one.
    pub(crate) fn below(&self, name: &OsStr) -> FilterPlace {
        let mut below = self.clone();
        below.enter(name.as_bytes());
        below
    }

    fn enter(&mut self, name: &[u8]) {
        self.depth += 1;
        self.below.extend_from_slice(name);
        self.below.push(b'/');
    }

    /// Takes in the ignore file that lies in this folder.
    ///
    /// # Errors
    /// `Corrupt` for a line that is no pattern; nothing of the file counts then.
    pub(crate) fn read(&mut self, file: impl std::io::Read, path: &Path) -> Result<()> {
        let mut builder = GitignoreBuilder::new("");
        add_lines(&mut builder, file, path)?;
        let rules = built(&builder).map_err(|e| Error::argument(e).at_path(path))?;
        let at = self.below.len();
        self.files = Some(Arc::new(IgnoreFile { above: self.files.take(), rules, at }));
        Ok(())
    }
}

/// The first bytes of a file, as far as they can be read.
fn start_of(path: &Path, bytes: usize) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    crate::file::open_file(path).ok()?.0.take(bytes as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Adds the lines of an ignore file.
fn add_lines(builder: &mut GitignoreBuilder, file: impl std::io::Read, path: &Path) -> Result<()> {
    let mut text = Vec::new();
    file.take(MOST_IGNORE_BYTES as u64)
        .read_to_end(&mut text)
        .map_err(|e| crate::io_error("read", e, path))?;
    if text.len() >= MOST_IGNORE_BYTES {
        let error = Error::limit("an ignore file has less than 1 MiB");
        return Err(error.at_path(path).hint("a few patterns say more than many names"));
    }
    let Ok(text) = std::str::from_utf8(&text) else {
        return Err(Error::corrupt("an ignore file is text in UTF-8").at_path(path));
    };
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1u64..) {
        add(builder, line).map_err(|e| Error::corrupt(e).at_path(path).at_line(number, 1))?;
    }
    Ok(())
}

/// Adds a pattern. A bracket that is never closed matches itself in git; nobody means that.
fn add(builder: &mut GitignoreBuilder, pattern: &str) -> std::result::Result<(), String> {
    let told = |e: String| format!("the pattern {pattern:?} is not valid: {e}");
    let is_comment = pattern.starts_with('#') || pattern.trim().is_empty();
    if !is_comment && let Err(e) = globset::Glob::new(pattern.trim_start_matches('!')) {
        return Err(told(e.kind().to_string()));
    }
    builder.add_line(None, pattern).map(drop).map_err(|e| told(e.to_string()))
}

fn built(builder: &GitignoreBuilder) -> std::result::Result<Gitignore, String> {
    builder.build().map_err(|e| format!("the patterns cannot be used together: {e}"))
}

#[cfg(test)]
mod tests;
