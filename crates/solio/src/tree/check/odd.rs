//! What is odd about a file, whatever its kind.

use super::{FileCheck, kinds};
use crate::Input;
use solio_base::names::OsStrBytes;
use solio_base::{Result, Work, named_enum};
use std::fmt;
use std::path::Path;

/// Something that is wrong with a name, or with a file for its name.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("plate.dpx");
/// // What a disk has left of a file that it lost.
/// solio::write_bytes(&path, &[0; 4096])?;
/// let check = solio::check_found(&path, &Default::default(), &Default::default())?;
/// assert_eq!(check.odd[0].to_string(), "zeros: all 4096 bytes are zero");
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odd {
    /// What rule is broken.
    pub rule: Rule,
    /// How.
    pub message: String,
}

named_enum! {
    /// What is asked of files beside their being whole.
    ///
    /// ```
    /// use solio::Rule;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("cut.obj");
    /// // The end of its last line is missing: `f 1 2 34` may have been meant.
    /// solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")?;
    /// let check = solio::check_file(&path, &Default::default(), &Default::default())?;
    /// assert_eq!(check.odd[0].rule, Rule::End);
    /// // Who does not mind passes it over; nothing else is wrong.
    /// assert_eq!(check.odd.iter().filter(|odd| odd.rule != Rule::End).count(), 0);
    /// # Ok::<(), solio::Error>(())
    /// ```
    #[derive(Hash)]
    pub enum Rule {
        /// A file of a known kind is not empty.
        Empty = "empty",
        /// A file is not made of zeros alone: they are left by disks and transfers that failed.
        Zeros = "zeros",
        /// Text ends with the end of a line; where it does not, it may have been cut off there, and nothing
        /// else tells. A sound text may lack it as well, so this is told and counts as no problem.
        End = "end",
        /// The end of the name is that of the content.
        Extension = "extension",
        /// The name is UTF-8 without control characters.
        Name = "name",
        /// Names in a folder differ in more than case: other systems keep one of them.
        Case = "case",
        /// No frame of a sequence is missing.
        MissingFrames = "missing-frames",
        /// No frame of a sequence is there twice.
        Doubles = "doubles",
        /// All frames of a sequence have the same number of digits.
        Padding = "padding",
    }

    /// `empty`, `zeros`, `end`, `extension`, `name`, `case`, `missing-frames`, `doubles`, `padding`.
    ///
    /// ```
    /// use solio::Rule;
    /// // From the words of a command: which rules are passed over.
    /// let of_name = |name: &str| Rule::ALL.into_iter().find(|rule| rule.name() == name);
    /// let passed_over: Vec<Rule> = "missing-frames,case".split(',').filter_map(of_name).collect();
    /// assert_eq!(passed_over, [Rule::MissingFrames, Rule::Case]);
    /// ```
    pub fn name;
}

impl Rule {
    pub(super) fn broken(self, message: impl Into<String>) -> Odd {
        Odd { rule: self, message: message.into() }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)
    }
}

/// What is wrong with the name of a file.
pub(super) fn name(path: &Path) -> Option<Odd> {
    let name = path.file_name()?;
    if name.to_str().is_none() {
        let shown = solio_catalog::names::percent(name.as_bytes());
        return Some(Rule::Name.broken(format!("the name is not valid UTF-8: {shown}")));
    }
    let controls = name.as_bytes().iter().any(u8::is_ascii_control);
    controls.then(|| Rule::Name.broken("the name has control characters"))
}

/// A text whose last line has no end.
pub(super) fn open_end(input: &Input, work: &Work) -> Result<Option<Odd>> {
    let at = input.file_bytes().filter(|_| !input.comes_once());
    let Some(at) = at.and_then(|bytes| bytes.checked_sub(2)) else {
        return Ok(None);
    };
    let mut last = [0; 2];
    let read = input.source(work)?.read_exact_at(at, &mut last, "the end");
    read.map_err(|e| e.at_path(input.path()))?;
    let ends = match (input.head(), last) {
        // UTF-16, the high byte first or last.
        ([0xfe, 0xff, ..], [0, b'\n' | b'\r']) => true,
        ([0xff, 0xfe, ..], [b'\n' | b'\r', 0]) => true,
        ([0xfe, 0xff, ..] | [0xff, 0xfe, ..], _) => false,
        (_, [_, b'\n' | b'\r']) => true,
        (head, _) => head.contains(&0),
    };
    let message = "the last line has no end: the file may have been cut off there";
    Ok((!ends).then(|| Rule::End.broken(message)))
}

/// What is to be said of a file without content: empty, or zeros from the first byte to the last.
pub(super) fn blank(input: &Input, work: &Work) -> Result<Option<FileCheck>> {
    let Some(bytes) = input.file_bytes() else { return Ok(None) };
    let mut check = FileCheck::default();
    if bytes == 0 {
        // Marks and locks are empty, and so are scenes that only their includer fills.
        match kinds::of_name(input.path()) {
            Some(_) => check.odd.push(Rule::Empty.broken("the file is empty")),
            None => check.notes.push("the file is empty".into()),
        }
        return Ok(Some(check));
    }
    if zeros(bytes).is_none() || input.head().iter().any(|byte| *byte != 0) {
        return Ok(None);
    }
    let mut part = vec![0; 256 << 10];
    let (source, mut at) = (input.source(work)?, input.head().len() as u64);
    loop {
        let got = source.read_at(at, &mut part).map_err(|e| e.at_path(input.path()))?;
        if got == 0 {
            break;
        }
        if part[..got].iter().any(|byte| *byte != 0) {
            return Ok(None);
        }
        at += got as u64;
    }
    check.odd.extend(zeros(bytes));
    Ok(Some(check))
}

/// What is to be said of so many zeros and nothing else. A few are a start like another one.
pub(super) fn zeros(bytes: u64) -> Option<Odd> {
    const LEAST: u64 = 64;
    (bytes >= LEAST).then(|| Rule::Zeros.broken(format!("all {bytes} bytes are zero")))
}
