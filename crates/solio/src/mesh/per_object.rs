//! One file per object: Blender's `use_batch` of STL.

use crate::{MeshWriteOptions, Written};
use solio_base::names::joined;
use solio_base::{Error, Result, Work};
use solio_codec::compress::Compression;
use solio_io::FileSink;
use solio_mesh::{Scene, stl};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Files that are written before they reach the disk together.
const DURABLE_AT_ONCE: usize = 32;

/// Writes each object of `scene` to a file of its own, named as Blender does:
/// `out.stl` and the object `Cube` give `outCube.stl`.
pub(crate) fn write_batch(
    scene: &Scene<'_>,
    path: &Path,
    options: &MeshWriteOptions,
    work: &Work,
) -> Result<Written> {
    if path.as_os_str() == solio_io::STANDARD {
        return Err(Error::argument("one file per object cannot go to standard output"));
    }
    let file = options.sink(path);
    let at_once = if options.durable { DURABLE_AT_ONCE } else { 1 };
    let mut all = Written::default();
    let mut open = Vec::new();
    let names = scene.meshes.iter().flat_map(|mesh| &mesh.objects).map(|object| &*object.name);
    let mut names = Names::new(names);
    for mesh in &scene.meshes {
        for i in 0..mesh.objects.len().max(1) {
            let name = mesh.objects.get(i).map_or("", |object| &object.name);
            let path = names.free(path, name);
            let (folder, file_name) = (path.parent().unwrap_or(Path::new("")), path.file_name());
            solio_io::place_below(folder, Path::new(file_name.unwrap_or_default()))?;
            let write = || {
                let mut sink = FileSink::create(&path, &file, work)?;
                stl::encode_stl_object(mesh, i, &options.stl, work, &mut sink)?;
                Ok(sink)
            };
            open.push(write().map_err(|e: Error| e.at_path(&path))?);
            if open.len() == at_once {
                let written = FileSink::commit_all(std::mem::take(&mut open))?;
                written.into_iter().for_each(|file| all.add(file));
            }
        }
    }
    FileSink::commit_all(open)?.into_iter().for_each(|file| all.add(file));
    Ok(all)
}

/// The names of files that objects have, or will have.
struct Names {
    /// Those of the objects, as they stand in a file's.
    own: HashSet<String>,
    taken: HashSet<PathBuf>,
}

impl Names {
    fn new<'n>(objects: impl Iterator<Item = &'n str>) -> Names {
        Names { own: objects.map(safe).collect(), taken: HashSet::new() }
    }

    /// The path with the object's name before its extension, and a number where that is taken: one that
    /// is no other object's name.
    fn free(&mut self, path: &Path, object: &str) -> PathBuf {
        let [stem, extension] = parts(path);
        let safe = safe(object);
        let mut number = 0;
        loop {
            let name = if number == 0 { safe.clone() } else { format!("{safe}.{number:03}") };
            let folder = path.parent().unwrap_or(Path::new(""));
            let path = joined(folder, format!("{stem}{name}{extension}").as_ref());
            if (number == 0 || !self.own.contains(&name)) && self.taken.insert(path.clone()) {
                return path;
            }
            number += 1;
        }
    }
}

/// What stands before and behind the object's name in that of a file.
fn parts(path: &Path) -> [String; 2] {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compression = Compression::of_name(&name).extension().len();
    let (plain, packed) = name.split_at(name.len() - compression);
    match plain.rsplit_once('.') {
        Some((stem, end)) => [stem.to_owned(), format!(".{end}{packed}")],
        None => [plain.to_owned(), format!(".stl{packed}")],
    }
}

/// An object's name as Blender has it in file names: also dots alone are none there.
fn safe(object: &str) -> String {
    let is_unsafe =
        |c: char| matches!(c, '\0'..=' ' | '"' | '*' | '/' | ':' | '<' | '>' | '?' | '\\' | '|');
    let mut name: String = object.chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
    if !name.is_empty() && name.bytes().all(|b| b == b'.') {
        name.replace_range(..1, "_");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_blenders() {
        let mut names = Names::new(["Cube.001"].into_iter());
        let mut name = |path: &str, object: &str| {
            names.free(path.as_ref(), object).to_string_lossy().into_owned()
        };
        assert_eq!(name("b/out.one.stl", "a/b:c é.x"), "b/out.onea_b_c_é.x.stl");
        assert_eq!(name("b/noext", "Plane"), "b/noextPlane.stl");
        assert_eq!(name("b/noext", "Plane"), "b/noextPlane.001.stl");
        assert_eq!(name("a.STL.gz", "x"), "ax.STL.gz");
        assert_eq!(name("parts/.stl", "Cube"), "parts/Cube.stl");
        assert_eq!(name("parts/.stl", "Cube."), "parts/Cube..stl");
        assert_eq!(name("b/out.stl", ".."), "b/out_..stl");
        // An instance does not take the name of another object.
        for expected in ["c/Cube.stl", "c/Cube.002.stl"] {
            assert_eq!(name("c/.stl", "Cube"), expected);
        }
        assert_eq!(name("c/.stl", "Cube.001"), "c/Cube.001.stl");
    }
}
