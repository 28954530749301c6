//! How an MTL refers to its textures: Blender's path modes.

use crate::MeshWriteOptions;
use solio_base::{Error, Result};
use solio_mesh::{Material, Scene};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// How texture paths are written. The names are Blender's.
///
/// ```
/// use solio::{MeshWriteOptions, PathMode};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # solio::write_bytes(&at("a.mtl"), b"newmtl oak\nmap_Kd textures/oak.png\n")?;
/// # let text = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl oak\nf 1 2 3\n";
/// # solio::write_bytes(&at("a.obj"), text)?;
/// # let scene = solio::read_mesh(&at("a.obj"), &Default::default(), &Default::default())?;
/// // The texture is `textures/oak.png`.
/// let path_mode: PathMode = "strip".parse()?;
/// let options = MeshWriteOptions { path_mode, ..MeshWriteOptions::default() };
/// solio::write_mesh(&scene, &at("b.obj"), &options, &Default::default())?;
/// assert!(std::fs::read_to_string(at("b.mtl")).unwrap().contains("map_Kd oak.png\n"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathMode {
    /// Relative for textures in the output's folder or below it, else absolute.
    #[default]
    Auto,
    /// Absolute.
    Absolute,
    /// Relative to the output's folder.
    Relative,
    /// Relative where the scene's path is, else absolute.
    Match,
    /// The file name alone.
    Strip,
    /// Copied beside the output, then relative.
    Copy,
}

impl FromStr for PathMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "auto" => PathMode::Auto,
            "absolute" => PathMode::Absolute,
            "relative" => PathMode::Relative,
            "match" => PathMode::Match,
            "strip" => PathMode::Strip,
            "copy" => PathMode::Copy,
            _ => {
                return Err(Error::argument(format!(
                    "unknown path mode \"{name}\"; known: auto, absolute, relative, match, strip, \
                     copy"
                )));
            }
        })
    }
}

/// The materials with their texture paths as the MTL in `folder` is to have them, and the files
/// to copy, as (from, to).
pub(crate) fn refer(
    scene: &Scene<'_>,
    folder: &Path,
    options: &MeshWriteOptions,
) -> (Vec<Material>, Vec<(PathBuf, PathBuf)>) {
    let mut materials = scene.materials.clone();
    let mut copies = Vec::new();
    let output = absolute(folder);
    let root = options.texture_root.as_deref().map(absolute);
    for map in materials.iter_mut().flat_map(|m| &mut m.maps) {
        let (path, copy) = refer_one(&map.path, root.as_deref(), &output, options.path_mode);
        map.path = path;
        if let Some(copy) = copy
            && !copies.contains(&copy)
        {
            copies.push(copy);
        }
    }
    (materials, copies)
}

fn refer_one(
    path: &str,
    root: Option<&Path>,
    output: &Path,
    mode: PathMode,
) -> (String, Option<(PathBuf, PathBuf)>) {
    // Blender marks paths relative to its own file with `//`.
    let path = path.strip_prefix("//").unwrap_or(path);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if mode == PathMode::Strip || name.is_empty() {
        return (name.to_owned(), None);
    }
    let was_relative = Path::new(path).is_relative();
    let full = match root {
        _ if !was_relative => PathBuf::from(path),
        Some(root) => root.join(path.replace('\\', "/")),
        None => return (path.to_owned(), None),
    };
    let full = normalize(&full);
    let relative = match mode {
        PathMode::Copy => {
            return (name.to_owned(), Some((full, output.join(name))));
        }
        PathMode::Auto => full.starts_with(output),
        PathMode::Match => was_relative,
        PathMode::Relative => true,
        PathMode::Absolute | PathMode::Strip => false,
    };
    let path = if relative { relative_to(&full, output) } else { full };
    (path.to_string_lossy().replace('\\', "/"), None)
}

fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    normalize(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// Without `.` and `..`, as text (links are not followed).
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn relative_to(path: &Path, base: &Path) -> PathBuf {
    let shared = path.components().zip(base.components()).take_while(|(a, b)| a == b).count();
    let ups = base.components().count() - shared;
    let mut out: PathBuf = std::iter::repeat_n("..", ups).collect();
    out.extend(path.components().skip(shared));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        let root = Some(Path::new("/in/mesh"));
        let output = Path::new("/out");
        let name = |path, mode| refer_one(path, root, output, mode).0;
        assert_eq!(name("tex/a.png", PathMode::Auto), "/in/mesh/tex/a.png");
        assert_eq!(name("/out/t/a.png", PathMode::Auto), "t/a.png");
        assert_eq!(name("tex/a.png", PathMode::Relative), "../in/mesh/tex/a.png");
        assert_eq!(name("/in/a.png", PathMode::Match), "/in/a.png");
        assert_eq!(name("//../a.png", PathMode::Match), "../in/a.png");
        assert_eq!(name("t\\a.png", PathMode::Absolute), "/in/mesh/t/a.png");
        assert_eq!(name("t\\a.png", PathMode::Strip), "a.png");
        let (path, copy) = refer_one("t/a.png", root, output, PathMode::Copy);
        assert_eq!(path, "a.png");
        assert_eq!(copy, Some(("/in/mesh/t/a.png".into(), "/out/a.png".into())));
    }

    #[test]
    fn without_a_root_relative_paths_stay() {
        let name = |mode| refer_one("t/a.png", None, Path::new("/out"), mode);
        assert_eq!(name(PathMode::Auto), ("t/a.png".to_owned(), None));
        assert_eq!(name(PathMode::Copy), ("t/a.png".to_owned(), None));
    }
}
