//! Whether a scene is sound: all that a renderer would stumble over, in one pass.

use super::{odd, plural};
use crate::scene::file::{FolderFiles, is_pack};
use crate::{
    FileCheck, Input, MeshReadOptions, SceneReadOptions, each_file, read_mesh, read_scene,
};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_codec::compress::Compression;
use solio_exr::CheckOptions;
use solio_kinds::FileKind;
use solio_scene::scene::{Files, Place, Scene};
use std::path::{Path, PathBuf};

/// Checks the scene at `path`.
pub(crate) fn check_scene(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let path = input.path();
    let read =
        SceneReadOptions { check: true, limits: options.limits, ..SceneReadOptions::default() };
    let mut scene = read_scene(input, &read, work)?;
    let mut problems = std::mem::take(&mut scene.problems);
    problems.append(&mut unreadable_files(&scene, path, options, work)?);
    let (files, shapes) = (scene.files.len() as u64, scene.shapes.len() as u64);
    let instances = scene.instances.objects.len() as u64;
    let mut notes: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    if is_pack(input) {
        notes
            .push("a packed scene: its sums are right; what it says is checked in its text".into());
    }
    let check = FileCheck {
        format: "pbrt",
        found: format!(
            "version {}, {}, {}, {}",
            scene.version,
            plural(files, "file"),
            plural(shapes, "shape"),
            plural(instances, "instance"),
        ),
        text_problems: problems,
        notes,
        ..FileCheck::default()
    };
    let is_text = input.kind() == FileKind::Pbrt && input.compression() == Compression::None;
    let end = if is_text && check.is_fine() { odd::open_end(input, work)? } else { None };
    Ok(FileCheck { odd: end.into_iter().collect(), ..check })
}

/// Files that the scene reads and that are not there, or are damaged, in the order of the scene.
fn unreadable_files(
    scene: &Scene,
    path: &Path,
    options: &CheckOptions,
    work: &Work,
) -> Result<Vec<Error>> {
    let files = FolderFiles::beside(path, &options.limits, work);
    let named = &scene.named_files;
    let paths: Vec<PathBuf> = named.iter().map(|(name, _)| files.path(name)).collect();
    let mesh = MeshReadOptions { limits: options.limits, ..MeshReadOptions::default() };
    let look = |path: &PathBuf, work: &Work| {
        let is_mesh = path.to_string_lossy().contains(".ply");
        if options.decode && is_mesh {
            return read_mesh(path, &mesh, work).map(|_| ());
        }
        solio_io::file_bytes(path).map(|_| ())
    };
    let (mut places, mut problems) = (named.iter().map(|(_, place)| place), Vec::new());
    each_file(&paths, work, true, look, |path, result| {
        let place = places.next().copied().unwrap_or_default();
        match result {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                problems.push(at(scene, place, path, &error));
                Ok(true)
            }
        }
    })?;
    Ok(problems)
}

/// What is wrong with a file, at the place that names it.
fn at(scene: &Scene, place: Place, path: &Path, error: &Error) -> Error {
    let message = format!("{}: {}", path.display(), error.message());
    Error::new(error.kind(), message)
        .at_path(&scene.files[place.file as usize].path)
        .at_line(place.line.into(), place.column.into())
        .at_offset(place.at)
}
