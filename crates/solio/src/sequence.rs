//! Frames of a sequence as files: `shot.####.exr`, `shot.%04d.exr`, `shot.1-100x2#.exr`; the grammar
//! is that of [`solio_catalog::sequence`].

use solio_base::{Error, Result};
use solio_catalog::sequence::{FrameRange, NamePattern};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The name of a file with a place for the number of the frame.
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
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the files.
    pub fn name(&self) -> &NamePattern {
        &self.name
    }

    /// The file of a frame.
    pub fn path(&self, frame: i64) -> PathBuf {
        self.folder.join(OsString::from_vec(self.name.name(frame)))
    }

    /// The frames: those of `range`, or of the pattern's own range, or those whose files exist.
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
