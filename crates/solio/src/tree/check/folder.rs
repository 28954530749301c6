//! What is in folders, and what is wrong with the names there.

use super::odd::{Odd, Rule};
use super::{FileCheck, plural};
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Work, lock, unlock};
use solio_catalog::sequence::{Sequence, collapse, frames_text};
use solio_io::filter::Filter;
use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, walk};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What was found in folders.
///
/// ```
/// use solio::{Filter, Work, check_found, find_files, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path();
/// write_bytes(&root.join("whole.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// write_bytes(&root.join("broken.obj"), b"v 0 0 0\nv 1 0 0\nv 0 one 0\nf 1 2 3\n")?;
/// // A delivery is checked: the names in its folders, then each file.
/// let found = find_files(&[root.to_owned()], &Filter::usual(), &Work::default())?;
/// let mut wrong: usize = found.folders.iter().map(|(_, check)| check.problem_count()).sum();
/// for path in &found.files {
///     wrong += check_found(path, &Default::default(), &Work::default())?.problem_count();
/// }
/// assert_eq!((found.folders.len(), found.files.len(), wrong), (1, 2, 1));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Found {
    /// All files, by name; links to folders are not followed.
    pub files: Vec<PathBuf>,
    /// The folders, and what is wrong with the names in each.
    pub folders: Vec<(PathBuf, FileCheck)>,
    /// What could not be looked at.
    pub failed: Vec<Error>,
}

/// Finds all files at and below `folders` and checks their names: holes, doubles and odd padding of
/// sequences, names that differ in case alone.
///
/// Not every numbered file is a frame. Holes are told of sequences of at least three frames of which
/// more are there than missing, and not of versions (`_v003`), of photos as cameras number them
/// (`IMG_0042`), or of texture tiles.
///
/// ```
/// use solio::{Filter, Rule, Work, find_files, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path();
/// for frame in [1, 2, 3, 5] {
///     write_bytes(&root.join(format!("smoke.{frame:04}.txt")), b"smoke\n")?;
/// }
/// let found = find_files(&[root.to_owned()], &Filter::usual(), &Work::default())?;
/// let (path, check) = &found.folders[0];
/// assert_eq!((path.as_path(), &*check.found), (root, "4 files, 1 sequence"));
/// assert_eq!(check.odd[0].rule, Rule::MissingFrames);
/// assert!(check.odd[0].message.ends_with("1 of 5 frames are missing: 4"));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn find_files(folders: &[PathBuf], filter: &Filter, work: &Work) -> Result<Found> {
    let finder = Finder { found: Mutex::default() };
    let options = WalkOptions { filter: filter.clone(), ..WalkOptions::of(work) };
    walk(folders, &options, &finder)?;
    let mut found = unlock(finder.found);
    found.files.sort_unstable();
    found.files.dedup();
    found.folders.sort_by(|a, b| a.0.cmp(&b.0));
    found.folders.dedup_by(|a, b| a.0 == b.0);
    Ok(found)
}

/// What is wrong with the frames of a sequence, of which these files are there: holes, told as
/// [`find_files`] tells them.
///
/// ```
/// let files = [1, 2, 3, 5].map(|frame| format!("shots/smoke.{frame:04}.exr").into());
/// let check = solio::check_frames(&files);
/// assert_eq!((&*check.found, check.odd.len()), ("4 frames", 1));
/// assert!(check.odd[0].message.ends_with("1 of 5 frames are missing: 4"));
/// ```
pub fn check_frames(files: &[PathBuf]) -> FileCheck {
    let names = files.iter().filter_map(|file| file.file_name()).map(OsStrBytes::as_bytes);
    let mut odd = Vec::new();
    for sequence in &collapse(names).sequences {
        frames(sequence, &mut odd);
    }
    let found = plural(files.len() as u64, "frame");
    FileCheck { format: "sequence", found, odd, ..FileCheck::default() }
}

struct Finder {
    found: Mutex<Found>,
}

impl Visit for Finder {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), listing: &Listing) -> Result<()> {
        let is_file = |path: &PathBuf, kind| match kind {
            EntryKind::File => true,
            // Nobody waits for what comes out of a pipe.
            EntryKind::Link => path.is_file() || !path.exists(),
            _ => false,
        };
        let mut files = Vec::new();
        for entry in listing.entries() {
            let path = listing.path_of(entry);
            if is_file(&path, entry.kind) {
                files.push(path);
            }
        }
        let check = names(listing);
        let mut found = lock(&self.found);
        found.files.append(&mut files);
        found.folders.push((listing.path.clone(), check));
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        lock(&self.found).failed.push(error);
    }
}

/// What is wrong with the names in a folder.
fn names(listing: &Listing) -> FileCheck {
    let all = || listing.entries().iter();
    let name = |entry| listing.name(entry).as_bytes();
    let files = all().filter(|entry| entry.kind != EntryKind::Folder);
    let collapsed = collapse(files.clone().map(name));
    let sequences = &collapsed.sequences;
    let mut odd = Vec::new();
    sequences.iter().for_each(|sequence| frames(sequence, &mut odd));
    clashes(all().map(name), &mut odd);
    let found = match sequences.len() as u64 {
        0 => plural(files.count() as u64, "file"),
        some => format!("{}, {}", plural(files.count() as u64, "file"), plural(some, "sequence")),
    };
    FileCheck { format: "folder", found, odd, ..FileCheck::default() }
}

fn frames(sequence: &Sequence, odd: &mut Vec<Odd>) {
    let name = |range: &str| {
        let pattern = sequence.pattern(range);
        String::from_utf8_lossy(&pattern).into_owned()
    };
    if !sequence.doubles.is_empty() {
        let doubles = frames_text(&sequence.doubles);
        odd.push(Rule::Doubles.broken(format!(
            "{}: frames that are there twice: {doubles}",
            name(&sequence.range())
        )));
    }
    if sequence.odd_padding && sequence.frames.len() > sequence.doubles.len() {
        odd.push(Rule::Padding.broken(format!(
            "{}: other frames of this name have another number of digits",
            name(&frames_text(&sequence.frames))
        )));
    }
    let (present, expected) = (sequence.frames.len() as u64, sequence.expected());
    if present < expected && is_rendered(sequence, expected) {
        let (count, missing) = (expected - present, sequence.missing());
        odd.push(Rule::MissingFrames.broken(format!(
            "{}: {count} of {expected} frames are missing: {missing}",
            name(&sequence.range())
        )));
    }
}

/// Whether the numbers are those of frames, as far as that can be told.
fn is_rendered(sequence: &Sequence, expected: u64) -> bool {
    let before = &sequence.before[..];
    let is_version = matches!(before, [.., b'_' | b'.' | b'-', b'v' | b'V'] | [b'v' | b'V']);
    // DCF (JEITA CP-3461): four letters, digits or underscores, then four digits.
    let of_dcf = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let is_photo = before.len() == 4 && before.iter().all(of_dcf) && sequence.padding.width == 4;
    let present = sequence.frames.len() as u64;
    present >= 3 && 2 * present > expected && !is_version && !is_photo && !sequence.odd_padding
}

/// Names that differ in case alone.
fn clashes<'n>(names: impl Iterator<Item = &'n [u8]> + Clone, odd: &mut Vec<Odd>) {
    let has_capital = |name: &&[u8]| name.iter().any(|b| b.is_ascii_uppercase() || !b.is_ascii());
    if !names.clone().any(|name| has_capital(&name)) {
        return;
    }
    let folded = |name: &[u8]| match std::str::from_utf8(name) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => name.to_ascii_lowercase(),
    };
    let mut same: BTreeMap<Vec<u8>, Vec<&[u8]>> = BTreeMap::new();
    for name in names {
        same.entry(folded(name)).or_default().push(name);
    }
    for clash in same.into_values().filter(|names| names.len() > 1) {
        let shown: Vec<_> = clash.iter().map(|name| String::from_utf8_lossy(name)).collect();
        odd.push(Rule::Case.broken(format!("{} differ in case alone", shown.join(" and "))));
    }
}
