//! Frame sequences: `shot.####.exr`, `shot.%04d.exr`, `shot.1-100x2####.exr`.
//!
//! Each `#` is a digit, and there may be more of them; `%d` and a single `#` take any number of
//! digits. A range right before the digits, or given apart, says which frames there are; without one
//! the files that exist do.

use solio_base::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Most frames of a range: a few hours of film.
const MOST_FRAMES: u64 = 1_000_000;

/// Which frames: `1-100`, `1-100x2` (every other), `7`, and several of these with commas between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRange(Vec<u64>);

impl FromStr for FrameRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<FrameRange> {
        let wrong = || {
            Error::argument(format!("{text:?} is no range of frames"))
                .hint("write 1-100, 1-100x2 or 1,5,9-12")
        };
        let mut frames = Vec::new();
        for part in text.split(',') {
            let (ends, step) = part.split_once('x').unwrap_or((part, "1"));
            let (first, last) = ends.split_once('-').unwrap_or((ends, ends));
            let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
            let (first, last, step) = (number(first)?, number(last)?, number(step)?);
            if step == 0 || last < first || (last - first) / step >= MOST_FRAMES {
                return Err(wrong());
            }
            frames.extend((first..=last).step_by(usize::try_from(step).map_err(|_| wrong())?));
        }
        Ok(FrameRange(frames))
    }
}

/// The name of a file with a place for the number of the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePattern {
    folder: PathBuf,
    before: Vec<u8>,
    /// At least so many digits.
    digits: usize,
    after: Vec<u8>,
    range: Option<FrameRange>,
}

impl FramePattern {
    /// The pattern in the name of a file, where there is one.
    ///
    /// ```
    /// use solio::FramePattern;
    /// let pattern = FramePattern::of("out/a.####.exr".as_ref()).unwrap();
    /// assert_eq!(pattern.path(7), std::path::Path::new("out/a.0007.exr"));
    /// assert!(FramePattern::of("a.0007.exr".as_ref()).is_none());
    /// ```
    pub fn of(path: &Path) -> Option<FramePattern> {
        let name = path.file_name()?.as_bytes();
        let (start, end, digits) = hashes(name).or_else(|| percent(name))?;
        let (before, range) = split_range(&name[..start]);
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let (before, after) = (before.to_vec(), name[end..].to_vec());
        Some(FramePattern { folder, before, digits, after, range })
    }

    /// The file of a frame.
    pub fn path(&self, frame: u64) -> PathBuf {
        let number = format!("{frame:0width$}", width = self.digits);
        let name = [&self.before[..], number.as_bytes(), &self.after[..]].concat();
        self.folder.join(OsString::from_vec(name))
    }

    /// The frames: those of `range`, or of the pattern's own range, or those whose files exist.
    pub fn frames(&self, range: Option<&FrameRange>) -> Result<Vec<u64>> {
        if let Some(FrameRange(frames)) = range.or(self.range.as_ref()) {
            return Ok(frames.clone());
        }
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let failed = |e| Error::io("read the folder", e).at_path(folder);
        let mut frames = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            frames.extend(self.frame_of(&entry.map_err(failed)?.file_name()));
        }
        frames.sort_unstable();
        Ok(frames)
    }

    /// The frame that a file of this name has.
    fn frame_of(&self, name: &OsStr) -> Option<u64> {
        let rest = name.as_bytes().strip_prefix(&self.before[..])?;
        let number = rest.strip_suffix(&self.after[..])?;
        let frame: u64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        // `a.00007.exr` is none of `a.####.exr`, `a.12345.exr` is.
        (format!("{frame:0width$}", width = self.digits).as_bytes() == number).then_some(frame)
    }
}

/// The last run of `#`: where it starts and ends, and its digits.
fn hashes(name: &[u8]) -> Option<(usize, usize, usize)> {
    let end = name.iter().rposition(|b| *b == b'#')? + 1;
    let start = name[..end].iter().rposition(|b| *b != b'#').map_or(0, |at| at + 1);
    Some((start, end, end - start))
}

/// `%04d` or `%d`.
fn percent(name: &[u8]) -> Option<(usize, usize, usize)> {
    let start = name.iter().rposition(|b| *b == b'%')?;
    let length = name[start + 1..].iter().position(|b| *b == b'd')?;
    let width = std::str::from_utf8(&name[start + 1..start + 1 + length]).ok()?;
    let digits = match width {
        "" => 1,
        width => {
            width.strip_prefix('0')?.parse().ok().filter(|digits| (1..=18).contains(digits))?
        }
    };
    Some((start, start + length + 2, digits))
}

/// `a.1-100x2` as `a.` and the range.
fn split_range(before: &[u8]) -> (&[u8], Option<FrameRange>) {
    let of_range = |b: &u8| b.is_ascii_digit() || b"-x,".contains(b);
    let start = before.iter().rposition(|b| !of_range(b)).map_or(0, |at| at + 1);
    let text = std::str::from_utf8(&before[start..]).unwrap_or_default();
    match text.parse() {
        Ok(range) if text.contains('-') => (&before[..start], Some(range)),
        _ => (before, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<FramePattern> {
        FramePattern::of(Path::new(name))
    }

    #[test]
    fn patterns_name_files() {
        let name = |pattern: &str, frame| of(pattern).unwrap().path(frame).display().to_string();
        assert_eq!(name("x/a.####.exr", 12), "x/a.0012.exr");
        assert_eq!(name("a.####.exr", 12345), "a.12345.exr");
        assert_eq!(name("a%03d.png", 7), "a007.png");
        assert_eq!(name("#.exr", 7), "7.exr");
        assert_eq!(name("v2.1-9x2##.exr", 3), "v2.03.exr");
        for plain in ["a.exr", "100%.exr", "a%sd.exr", "a%0d.exr", "x#/a.exr"] {
            assert_eq!(of(plain), None, "{plain}");
        }
    }

    #[test]
    fn frames_come_from_ranges_or_from_files() {
        let range = |text: &str| text.parse::<FrameRange>().map(|range| range.0);
        assert_eq!(range("1-9x3").unwrap(), [1, 4, 7]);
        assert_eq!(range("5,7-8").unwrap(), [5, 7, 8]);
        for bad in ["", "a", "3-1", "1-3x0", "1-99999999999", "-3"] {
            assert!(range(bad).is_err(), "{bad}");
        }
        let own = of("a.1-3####.exr").unwrap();
        assert_eq!(own.frames(None).unwrap(), [1, 2, 3]);
        assert_eq!(own.frames(Some(&"7".parse().unwrap())).unwrap(), [7]);

        let folder = tempfile::tempdir().unwrap();
        for name in
            ["a.0010.exr", "a.0002.exr", "a.12345.exr", "a.00007.exr", "a.x.exr", "b.0001.exr"]
        {
            solio_io::FileSink::create(
                &folder.path().join(name),
                &Default::default(),
                &Default::default(),
            )
            .and_then(solio_io::FileSink::commit)
            .unwrap();
        }
        let pattern = FramePattern::of(&folder.path().join("a.####.exr")).unwrap();
        assert_eq!(pattern.frames(None).unwrap(), [2, 10, 12345]);
    }
}
