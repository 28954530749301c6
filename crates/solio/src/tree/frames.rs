//! Frames of a sequence as files: `shot.####.exr`, `shot.%04d.exr`, `shot.1-100x2#.exr`; the grammar
//! is that of [`solio_catalog::sequence`].

use solio_base::names::{OsStrBytes, OsStringBytes};
use solio_base::{Error, Result};
use solio_catalog::sequence::{FrameRange, NamePattern};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of a file with a place for the number of the frame.
///
/// ```
/// use solio::FramePattern;
/// let pattern = FramePattern::of("out/beauty.1-9x2####.exr".as_ref()).unwrap();
/// let frames = pattern.frames(None)?;
/// let files: Vec<_> = frames.iter().map(|frame| pattern.path(*frame)).collect();
/// assert_eq!(frames, [1, 3, 5, 7, 9]);
/// assert_eq!(files[4], std::path::Path::new("out/beauty.0009.exr"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePattern {
    folder: PathBuf,
    name: NamePattern,
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
        let name = NamePattern::of(path.file_name()?.as_bytes())?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Some(FramePattern { folder, name })
    }

    /// The folder of the files; empty for the current one.
    ///
    /// ```
    /// let pattern = solio::FramePattern::of("out/a.%04d.exr".as_ref()).unwrap();
    /// assert_eq!(pattern.folder(), std::path::Path::new("out"));
    /// ```
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the files.
    ///
    /// ```
    /// let pattern = solio::FramePattern::of("out/a.%04d.exr".as_ref()).unwrap();
    /// assert_eq!(pattern.name().padding.width, 4);
    /// // Which frame a file has, if it is one of them.
    /// assert_eq!(pattern.name().frame_of(b"a.0012.exr"), Some(12));
    /// assert_eq!(pattern.name().frame_of(b"b.0012.exr"), None);
    /// ```
    pub fn name(&self) -> &NamePattern {
        &self.name
    }

    /// The file of a frame.
    ///
    /// ```
    /// use std::path::Path;
    /// // A single `#` stands for four digits.
    /// let pattern = solio::FramePattern::of("out/a.#.exr".as_ref()).unwrap();
    /// assert_eq!(pattern.path(7), Path::new("out/a.0007.exr"));
    /// assert_eq!(pattern.path(12345), Path::new("out/a.12345.exr"));
    /// ```
    pub fn path(&self, frame: i64) -> PathBuf {
        solio_base::names::joined(&self.folder, &OsString::from_vec(self.name.name(frame)))
    }

    /// The frames: those of `range`, or of the pattern's own range, or those whose files exist.
    ///
    /// ```
    /// use solio::FramePattern;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # for name in ["a.0002.exr", "a.0010.exr", "b.0001.exr"] {
    /// #     solio::write_bytes(&folder.path().join(name), b"x")?;
    /// # }
    /// let pattern = FramePattern::of(&folder.path().join("a.####.exr")).unwrap();
    /// // Those that are there, or those that are wanted.
    /// assert_eq!(pattern.frames(None)?, [2, 10]);
    /// assert_eq!(pattern.frames(Some(&"1-3,8".parse()?))?, [1, 2, 3, 8]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn frames(&self, range: Option<&FrameRange>) -> Result<Vec<i64>> {
        if let Some(range) = range.or(self.name.range.as_ref()) {
            return Ok(range.frames().to_vec());
        }
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let failed = |e| Error::io("read the folder", e).at_path(folder);
        let mut frames = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            frames.extend(self.name.frame_of(name.as_bytes()));
        }
        frames.sort_unstable();
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_from_ranges_or_from_files() {
        let of = |name: &Path| FramePattern::of(name).unwrap();
        let own = of("a.1-3####.exr".as_ref());
        assert_eq!(own.frames(None).unwrap(), [1, 2, 3]);
        assert_eq!(own.frames(Some(&"7".parse().unwrap())).unwrap(), [7]);
        assert!(FramePattern::of("x#/a.exr".as_ref()).is_none());

        let folder = tempfile::tempdir().unwrap();
        let names =
            ["a.0010.exr", "a.0002.exr", "a.12345.exr", "a.00007.exr", "a.x.exr", "b.0001.exr"];
        for name in names {
            solio_io::probe::write_plain(&folder.path().join(name), b"x").unwrap();
        }
        for pattern in ["a.####.exr", "a.#.exr", "a.%04d.exr", "a.$F4.exr", "a.@@@@.exr"] {
            let pattern = of(&folder.path().join(pattern));
            assert_eq!(pattern.frames(None).unwrap(), [2, 10, 12345]);
        }
    }
}
