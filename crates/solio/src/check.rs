//! Whether files are whole.

use crate::any_image::{format_of, read_picture};
use crate::picture::ImageFormat;
use crate::{Format, MeshReadOptions};
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_exr::{CheckOptions, Problem};
use std::path::Path;

/// What was found out about a file.
#[derive(Debug, Default)]
pub struct FileCheck {
    /// `exr`, `obj`, `png`, …
    pub format: &'static str,
    /// What it has: `2 parts, 120 chunks`.
    pub found: String,
    /// All that is wrong; nothing in a whole file.
    pub problems: Vec<Problem>,
    /// All that is wrong with a scene: each has its own file, line and column.
    pub text_problems: Vec<Error>,
    /// What is odd, but harms nobody.
    pub notes: Vec<String>,
}

impl FileCheck {
    /// Whether nothing is wrong.
    pub fn is_fine(&self) -> bool {
        self.problems.is_empty() && self.text_problems.is_empty()
    }
}

/// Checks the file at `path`: OpenEXR by its header and its tables of chunks, or, with
/// [`CheckOptions::decode`], by unpacking every chunk; other images and meshes by reading them.
/// What is wrong with the file is in the result; an error says that it could not be looked at.
///
/// Scenes: every statement is held against the table of classes and parameters, every name against
/// those that are defined, and every file that the scene reads must be there; with
/// [`CheckOptions::decode`] its meshes are read, too. Archives of images (`.solio`): the sums of all
/// chunks, or everything is unpacked.
pub fn check_file(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    if crate::is_packed_scene(path) && crate::is_archive(path) {
        return crate::image_unpack::check_archive(path, options, work);
    }
    if crate::is_scene(path) {
        return crate::scene_check::check_scene(path, options, work);
    }
    match format_of(path, &options.limits)? {
        Some(ImageFormat::Exr) => check_exr(path, options, work),
        Some(format) => check_picture(path, format, &options.limits, work),
        None => check_mesh(path, &options.limits, work),
    }
}

fn check_exr(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    // Without unpacking, a small part of the file is read: nothing ahead.
    let memory_bytes = if options.decode { work.memory_bytes } else { 0 };
    let opening = Work { memory_bytes, ..work.clone() };
    let opened = solio_io::open(path, &options.limits, &opening)?;
    let checked = solio_exr::check_exr(&*opened.source, options, work);
    let checked = checked.map_err(|e| e.at_path(path))?;
    let (parts, chunks) = (checked.parts as u64, checked.chunks);
    let found = format!("{}, {}", plural(parts, "part"), plural(chunks, "chunk"));
    let (problems, notes) = (checked.problems, checked.notes);
    Ok(FileCheck { format: "exr", found, problems, notes, ..FileCheck::default() })
}

fn check_picture(
    path: &Path,
    format: ImageFormat,
    limits: &Limits,
    work: &Work,
) -> Result<FileCheck> {
    let read = || {
        let decoded = read_picture(path, format, true, limits, work)?;
        let window = decoded.image.parts[0].header.display_window();
        Ok(window.map_or((0, 0), |window| (window.width(), window.height())))
    };
    let mut check = FileCheck { format: format.as_str(), ..FileCheck::default() };
    match read() {
        Ok((width, height)) => check.found = format!("{width} × {height} pixels"),
        Err(e) => check.problems.push(problem(e, path)?),
    }
    Ok(check)
}

fn check_mesh(path: &Path, limits: &Limits, work: &Work) -> Result<FileCheck> {
    let options =
        MeshReadOptions { limits: *limits, skip_materials: true, ..MeshReadOptions::default() };
    let mut check = FileCheck {
        format: Format::of_name(path).map_or("mesh", Format::as_str),
        ..FileCheck::default()
    };
    match crate::info(path, &options, work) {
        Ok(info) => {
            let (vertices, faces) = (info.mesh.vertices as u64, info.mesh.faces as u64);
            check.format = info.format.as_str();
            check.found = format!("{}, {}", plural(vertices, "vertex"), plural(faces, "face"));
            check.notes = info.mesh.warnings;
        }
        Err(e) if e.kind() == ErrorKind::Unsupported && Format::of_name(path).is_none() => {
            let error = Error::unsupported("this is no file that can be checked").at_path(path);
            return Err(error.hint("known are EXR, PNG, JPEG, TIFF, HDR, OBJ, PLY and STL"));
        }
        Err(e) => check.problems.push(problem(e, path)?),
    }
    Ok(check)
}

/// An error as a problem of the file; those that are none of the file's go on.
fn problem(e: Error, path: &Path) -> Result<Problem> {
    if matches!(e.kind(), ErrorKind::Io | ErrorKind::Cancelled) {
        return Err(e.at_path(path));
    }
    let place = e.line().map_or(String::new(), |line| format!("line {line}: "));
    let message = format!("{place}{}", e.message());
    Ok(Problem { kind: e.kind(), offset: e.offset(), part: None, chunks: None, message })
}

pub(crate) fn plural(count: u64, name: &str) -> String {
    match (count, name) {
        (1, name) => format!("1 {name}"),
        (count, "vertex") => format!("{count} vertices"),
        (count, "entry") => format!("{count} entries"),
        (count, name) => format!("{count} {name}s"),
    }
}
