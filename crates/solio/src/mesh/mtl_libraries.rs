//! The MTL files that an OBJ names.

use crate::MeshReadOptions;
use crate::mesh::texture_paths::is_relative;
use crate::mesh::write::library_name;
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_mesh::obj;
use solio_mesh::{Material, Scene};
use std::collections::HashSet;
use std::path::{Component, Path, Prefix};

/// An MTL file is text about some thousand materials at most.
const MTL_BYTES: u64 = 256 << 20;

/// Reads the MTL files that the OBJ at `path` names, beside it.
pub(crate) fn load_materials(
    scene: &mut Scene<'static>,
    path: &Path,
    options: &MeshReadOptions,
    work: &Work,
) -> Result<()> {
    if path.as_os_str() == solio_io::STANDARD {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let limits = Limits { bytes: options.limits.bytes.min(MTL_BYTES), ..options.limits };
    let mut obj_options = options.obj();
    // A library is mostly written by the same program.
    obj_options.encoding = obj_options.encoding.or(scene.names_encoding);
    let mut materials = Vec::new();
    let mut read = |scene: &mut Scene<'static>, library: &str| {
        scene.libraries_unread = false;
        let found = folder.join(library);
        let bytes = solio_io::read_whole(&found, &limits, work)?;
        let (mut more, warnings) =
            obj::decode_mtl(&bytes, &obj_options).map_err(|e| e.at_path(&found))?;
        place_textures(&mut more, folder, library);
        materials.extend(more);
        let named = |warning| format!("{}: {warning}", found.display());
        scene.warnings.extend(warnings.into_iter().map(named));
        Result::Ok(())
    };
    let lines = std::mem::take(&mut scene.material_libraries);
    let mut known = HashSet::new();
    let mut missing = Vec::new();
    for (name, found) in lines.iter().flat_map(|line| libraries(folder, line)) {
        if !known.insert(name) {
            continue;
        }
        scene.material_libraries.push(name.to_owned());
        match found {
            Some(library) => read(scene, &library)?,
            None if options.strict => {
                let e = Error::new(ErrorKind::Io, "the material library is missing");
                return Err(e.at_path(folder.join(name)));
            }
            None => missing.push(name),
        }
    }
    // Some exporters name a library that they call otherwise, or none: Blender looks here, too.
    let own = library_name(path);
    let is_wanted = !missing.is_empty() || known.is_empty() && !options.strict;
    let is_own = is_wanted && !scene.materials.is_empty() && !known.contains(&*own);
    let instead = (is_own && folder.join(&own).is_file()).then_some(&own);
    for name in &missing {
        let instead = instead.map_or(String::new(), |own| format!("; \"{own}\" is read instead"));
        scene.warnings.push(format!("the material library \"{name}\" is missing{instead}"));
    }
    if let Some(own) = instead {
        if missing.is_empty() {
            scene.warnings.push(format!("no material library is named; \"{own}\" is read"));
        }
        scene.material_libraries.push(own.clone());
        read(scene, own)?;
    }
    obj::attach_materials(scene, materials);
    Ok(())
}

/// The names that a line of `mtllib` consists of, and where those that exist are, as seen from
/// `folder`. Names may have blanks, so the line as a whole comes first, then names that end in
/// `.mtl`, then words.
fn libraries<'l>(folder: &Path, line: &'l str) -> Vec<(&'l str, Option<String>)> {
    let find = |name: &'l str| (name, find_library(folder, name));
    let whole = find(line);
    if whole.1.is_some() {
        return vec![whole];
    }
    let mut out = Vec::new();
    for name in library_names(line) {
        let whole = find(name);
        let words = || name.split_ascii_whitespace().map(find);
        if whole.1.is_none() && words().any(|(_, found)| found.is_some()) {
            out.extend(words());
        } else {
            out.push(whole);
        }
    }
    out
}

/// The names in a line of `mtllib`, as far as the line itself tells: each but the last ends in
/// `.mtl`, or stands between quotation marks.
pub(crate) fn library_names(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim_ascii();
    std::iter::from_fn(move || {
        if let Some((name, behind)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            rest = behind.trim_ascii_start();
            return Some(name.trim_ascii());
        }
        let bytes = rest.as_bytes();
        let ends = |&at: &usize| {
            bytes[at].is_ascii_whitespace() && bytes[at - 4..at].eq_ignore_ascii_case(b".mtl")
        };
        let (name, behind) = rest.split_at((4..rest.len()).find(ends).unwrap_or(rest.len()));
        rest = behind.trim_ascii_start();
        (!name.is_empty()).then_some(name)
    })
}

/// The library as named, relative to the OBJ; a name from another machine (`C:\x\a.mtl`) also by
/// its last part. Only regular files: an OBJ must not make us read a device.
fn find_library(folder: &Path, name: &str) -> Option<String> {
    let slashed = name.replace('\\', "/");
    let last = slashed.rsplit('/').next().unwrap_or(&slashed);
    // On Windows, looking for a name such as `\\server\x` tells a server who is asking.
    let is_far = |name: &str| match Path::new(name).components().next() {
        Some(Component::Prefix(start)) => !matches!(start.kind(), Prefix::Disk(_)),
        _ => false,
    };
    let near = [name, &slashed, last].into_iter().filter(|name| !is_far(name));
    let found = { near }.find(|name| folder.join(name).is_file());
    found.map(str::to_owned)
}

/// Makes texture paths, which are relative to the library, relative to `folder`: that of the OBJ.
fn place_textures(materials: &mut [Material], folder: &Path, library: &str) {
    let inner = Path::new(library).parent().unwrap_or(Path::new(""));
    if inner.as_os_str().is_empty() {
        return;
    }
    for map in materials.iter_mut().flat_map(|material| &mut material.maps) {
        let path = map.path.strip_prefix("//").unwrap_or(&map.path);
        if path.is_empty() || !is_relative(path) {
            continue;
        }
        let placed = inner.join(path.replace('\\', "/")).to_string_lossy().replace('\\', "/");
        let is_file = |path: &str| folder.join(path.replace('\\', "/")).is_file();
        // Some exporters mean the folder of the OBJ.
        if is_file(&placed) || !is_file(path) {
            map.path = placed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_into_names() {
        let names = |line| library_names(line).collect::<Vec<_>>();
        assert_eq!(names("a b.mtl"), ["a b.mtl"]);
        assert_eq!(names(" a b.mtl  c.MTL\td.mtlx "), ["a b.mtl", "c.MTL", "d.mtlx"]);
        assert_eq!(names(".mtl \u{e9}.mtl x"), [".mtl", "\u{e9}.mtl", "x"]);
        assert!(names(" ").is_empty());
        assert_eq!(names(r#""a b.mtl" "c d.mtl" e f.mtl"#), ["a b.mtl", "c d.mtl", "e f.mtl"]);
        assert_eq!(names(r#"a.mtl "b.mtl"#), ["a.mtl", "\"b.mtl"]);
    }
}
