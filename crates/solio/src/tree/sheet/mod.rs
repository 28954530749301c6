//! Contact sheets: many files as small pictures with captions, on a page or in a picture.

mod cells;
mod page;
mod picture;

use crate::{ThumbnailOptions, each_file};
use cells::{Cell, Shown, cells, shown};
pub use page::PAGE_STYLE;
use page::Page;
use picture::Grid;
use solio_base::{Error, ErrorKind, Result, Work};
use solio_io::filter::Filter;
use std::path::{Path, PathBuf};

/// What a sheet looks like.
///
/// ```
/// use solio::SheetOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [obj, page] = ["a.obj", "sheet.html"].map(|name| folder.path().join(name));
/// # solio::write_bytes(&obj, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let mut options = SheetOptions { title: Some("Props & sets".into()), ..Default::default() };
/// options.thumbnail.size = 32;
/// solio::write_sheet(&[obj], &page, &options, &Default::default())?;
/// assert!(std::fs::read_to_string(&page).unwrap().contains("Props &amp; sets"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SheetOptions {
    /// The small pictures.
    pub thumbnail: ThumbnailOptions,
    /// Cells side by side; `None`: as many as there is room for on a page, in a picture about a
    /// third more than there are rows.
    pub columns: Option<u32>,
    /// The heading of a page.
    pub title: Option<String>,
    /// What is left out of folders.
    pub filter: Filter,
    /// A cell for each layer of an OpenEXR file; frames of a sequence have cells of their own.
    pub layers: bool,
}

/// What was shown.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # std::fs::create_dir(at("in")).unwrap();
/// # solio::write_bytes(&at("in/a.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// # solio::write_bytes(&at("in/bad.png"), b"no picture")?;
/// # solio::write_bytes(&at("in/notes.txt"), b"words")?;
/// # let mut options = solio::SheetOptions::default();
/// # options.thumbnail.size = 32;
/// // A mesh, a picture that is broken, and notes.
/// let done = solio::write_sheet(&[at("in")], &at("a.html"), &options, &Default::default())?;
/// assert_eq!((done.cells, done.passed_by), (2, 1));
/// assert_eq!(done.failed[0].path(), Some(at("in/bad.png").as_path()));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct SheetDone {
    /// Cells, with those that say what is wrong.
    pub cells: u64,
    /// Files in folders that are nothing to look at.
    pub passed_by: u64,
    /// What is wrong with files, and folders that could not be read.
    pub failed: Vec<Error>,
    /// Files that are shown as far as they are there, and how much is missing.
    pub incomplete: Vec<(PathBuf, String)>,
}

/// What takes the cells, one after the other.
trait Sheet: Send {
    fn add(&mut self, cell: &Shown) -> Result<()>;
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Writes a sheet of the files `paths`, and of those below folders that can be looked at, to
/// `output`: a page that needs nothing but itself where that ends with `.html`, a picture where it
/// ends with `.png`. A sequence of images is one cell, of its first, middle and last frame. A file that
/// cannot be shown has a cell that says why. An older sheet at `output` is not shown.
///
/// Without a cell nothing is written.
///
/// Pictures are made by all threads, and a page holds only those under way in memory.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # solio::write_bytes(&at("chair.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// # solio::write_bytes(&at("points.obj"), b"v 0 0 0\nv 0 1 0\n")?;
/// # let mut options = solio::SheetOptions::default();
/// # options.thumbnail.size = 32;
/// let files = [at("chair.obj"), at("points.obj")];
/// let done = solio::write_sheet(&files, &at("sheet.png"), &options, &Default::default())?;
/// assert_eq!((done.cells, done.failed.len()), (2, 0));
/// assert!(std::fs::read(at("sheet.png")).unwrap().starts_with(b"\x89PNG"));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the sheet cannot be written; `Cancelled`. What is wrong with files is in the result.
pub fn write_sheet(
    paths: &[PathBuf],
    output: &Path,
    options: &SheetOptions,
    work: &Work,
) -> Result<SheetDone> {
    let end = output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_page = match end.as_str() {
        "html" | "htm" => true,
        "png" => false,
        _ => {
            let error = Error::argument("sheets are pages or pictures").at_path(output);
            return Err(error.hint("name it .html or .png"));
        }
    };
    let (all, mut done) = cells(paths, output, options, work)?;
    if all.is_empty() {
        return Ok(done);
    }
    let mut sheet: Box<dyn Sheet> = match is_page {
        true => Box::new(Page::start(output, all.len(), options, work)?),
        false => Box::new(Grid::start(output, all.len(), options, work)?),
    };
    let make = |cell: &Cell, work: &Work| Ok(shown(cell, options, work));
    each_file(&all, work, true, make, |_, cell| {
        let mut cell = cell?;
        if let Some(cancelled) = cell.errors.pop_if(|e| e.kind() == ErrorKind::Cancelled) {
            return Err(cancelled);
        }
        work.cancel.check()?;
        sheet.add(&cell)?;
        done.cells += 1;
        let path = cell.folder.join(&cell.name);
        done.incomplete.extend(cell.missing.drain(..).map(|missing| (path.clone(), missing)));
        done.failed.append(&mut cell.errors);
        Ok(true)
    })?;
    sheet.finish()?;
    Ok(done)
}

#[cfg(test)]
mod tests;
