//! One file per object: Blender's `use_batch` of STL.

use crate::write::{MeshWriteOptions, Written};
use crate::{Format, write};
use solio_base::{Error, Result, Work};
use solio_codec::compress::Compression;
use solio_mesh::{Mesh, Object, Scene};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Writes each object of `scene` that has faces to a file of its own, named as Blender does:
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
    let mut all = Written::default();
    let mut taken = HashSet::new();
    for mesh in &scene.meshes {
        let whole = [Object {
            faces_end: mesh.face_offsets.len().saturating_sub(1) as u32,
            ..Object::default()
        }];
        let objects = if mesh.objects.is_empty() { &whole[..] } else { &mesh.objects[..] };
        let mut start = 0;
        for object in objects {
            let faces = start as usize..object.faces_end.max(start) as usize;
            start = object.faces_end;
            let part = Scene { meshes: vec![cut(mesh, object, faces)?], ..Scene::default() };
            let path = free_name(path, &object.name, &mut taken);
            let written = write::write_single(&part, Format::Stl, &path, options, work)?;
            all.file_bytes += written.file_bytes;
            all.raw_bytes += written.raw_bytes;
            all.files.extend(written.files);
        }
    }
    Ok(all)
}

/// A mesh with one object and its faces, borrowing all it can.
fn cut<'a>(mesh: &'a Mesh<'_>, object: &Object, faces: std::ops::Range<usize>) -> Result<Mesh<'a>> {
    let broken = || Error::argument("an object's faces lie outside its mesh");
    let count = faces.len() as u32;
    let mut part = Mesh { positions: borrowed(&mesh.positions), ..Mesh::default() };
    if count > 0 {
        let offsets = mesh.face_offsets.get(faces.start..=faces.end).ok_or_else(broken)?;
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let corners = mesh.corner_vertices.get(first as usize..last as usize);
        part.corner_vertices = Cow::Borrowed(corners.ok_or_else(broken)?);
        part.face_offsets =
            Cow::Owned(offsets.iter().map(|offset| offset.wrapping_sub(first)).collect());
    }
    part.objects = vec![Object {
        name: object.name.clone(),
        vertices_end: mesh.positions.len() as u32,
        faces_end: count,
        transform: object.transform,
        ..Object::default()
    }];
    Ok(part)
}

fn borrowed<'a>(positions: &'a solio_mesh::Positions<'_>) -> solio_mesh::Positions<'a> {
    use solio_mesh::Positions;
    match positions {
        Positions::F32(values) => Positions::F32(Cow::Borrowed(values)),
        Positions::F64(values) => Positions::F64(Cow::Borrowed(values)),
    }
}

/// The path with the object's name before its extension, and a number where that is taken.
fn free_name(path: &Path, object: &str, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compression = Compression::of_name(&name).extension().len();
    let (plain, packed) = name.split_at(name.len() - compression);
    let (stem, extension) = match plain.rsplit_once('.') {
        Some((stem, end)) => (stem, format!(".{end}{packed}")),
        None => (plain, format!(".stl{packed}")),
    };
    let safe: String = object.chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
    let mut number = 0;
    loop {
        let suffix = if number == 0 { String::new() } else { format!(".{number:03}") };
        let path = path.with_file_name(OsString::from(format!("{stem}{safe}{suffix}{extension}")));
        if taken.insert(path.clone()) {
            return path;
        }
        number += 1;
    }
}

/// What Blender replaces in file names.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, ' ' | '"' | '*' | '/' | ':' | '<' | '>' | '?' | '\\' | '|')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_blenders() {
        let mut taken = HashSet::new();
        let mut name = |path: &str, object: &str| {
            let path = free_name(path.as_ref(), object, &mut taken);
            path.to_string_lossy().into_owned()
        };
        assert_eq!(name("b/out.one.stl", "a/b:c é.x"), "b/out.onea_b_c_é.x.stl");
        assert_eq!(name("b/noext", "Plane"), "b/noextPlane.stl");
        assert_eq!(name("b/noext", "Plane"), "b/noextPlane.001.stl");
        assert_eq!(name("a.STL.gz", "x"), "ax.STL.gz");
    }
}
