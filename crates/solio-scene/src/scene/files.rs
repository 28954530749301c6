//! Where the files of a scene come from.

use crate::pbrt::Statements;
use solio_base::{Error, ErrorKind, Result, Source};
use std::path::{Path, PathBuf};

/// Where the files of a scene come from.
pub trait Files: Sync {
    /// The path of the file that the scene calls `name`.
    fn path(&self, name: &[u8]) -> PathBuf;

    /// The text of the file at a path, unpacked.
    fn open(&self, path: &Path) -> Result<Box<dyn Source>>;

    /// These statements were read; it may not be their turn yet. Whoever looks for the files
    /// that they name can begin to read them.
    fn look(&self, _statements: &Statements) {}
}

/// The files of a scene that is a single text: there are none, so that an `Include` becomes a
/// problem of the scene, like that of a missing file.
///
/// ```
/// # use std::path::Path;
/// use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
/// let (text, options) = (b"WorldBegin Include \"a.pbrt\" Shape \"sphere\"", SceneOptions::default());
/// let work = solio_base::Work::serial();
/// let scene = read_scene(&&text[..], Path::new("s.pbrt"), &NoFiles, &options, &work)?;
/// assert_eq!((scene.shapes.len(), scene.problems.len()), (1, 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn path(&self, name: &[u8]) -> PathBuf {
        PathBuf::from(String::from_utf8_lossy(name).into_owned())
    }

    fn open(&self, _: &Path) -> Result<Box<dyn Source>> {
        Err(Error::new(ErrorKind::Io, "there are no other files"))
    }
}
