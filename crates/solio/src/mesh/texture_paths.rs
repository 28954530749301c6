//! How an MTL refers to its textures: Blender's path modes.

use crate::MeshWriteOptions;
use solio_base::names::canonical;
use solio_base::{Error, Result, Work, named_enum};
use solio_mesh::{Material, Scene};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

named_enum! {
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
    #[derive(Default)]
    pub enum PathMode {
        /// Relative for textures in the output's folder or below it, else absolute; in a PLY as `Match`.
        #[default]
        Auto = "auto",
        /// Absolute.
        Absolute = "absolute",
        /// Relative to the output's folder.
        Relative = "relative",
        /// Relative where the scene's path is, else absolute.
        Match = "match",
        /// The file name alone.
        Strip = "strip",
        /// Copied beside the output, then relative.
        Copy = "copy",
    }

    fn name;

    fn of_name;
}

impl FromStr for PathMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        PathMode::of_name(&name.to_ascii_lowercase()).ok_or_else(|| {
            let known = PathMode::ALL.map(PathMode::name).join(", ");
            Error::argument(format!("unknown path mode \"{name}\"; known: {known}"))
        })
    }
}

/// The materials with their texture paths as the MTL in `folder` is to have them, and the files
/// to copy, as (from, to).
pub(crate) fn refer(
    scene: &Scene<'_>,
    folder: &Path,
    options: &MeshWriteOptions,
    work: &Work,
) -> (Vec<Material>, Vec<(PathBuf, PathBuf)>) {
    let mut materials = scene.materials.clone();
    let output = absolute(folder);
    let root = options.texture_root.as_deref().map(absolute);
    let mut copied = Vec::new();
    let is_within = |path: &str| scene.pictures.iter().any(|picture| picture.path == path);
    for map in materials.iter_mut().flat_map(|m| &mut m.maps) {
        // What came within the file is put beside the output under its own name.
        if is_within(&map.path) {
            continue;
        }
        let from;
        (map.path, from) = refer_one(&map.path, root.as_deref(), &output, options.path_mode);
        copied.extend(from.map(|from| (map, from)));
    }
    let replace = options.replace_textures;
    let is_free = |from: &Path, name: &str| replace || !is_other(from, &output.join(name), work);
    let mut copies = Copies::new(&is_free);
    // What lies there already keeps its name.
    for (map, from) in copied.iter().filter(|(_, from)| from.parent() == Some(&output)) {
        copies.name(from, &map.path);
    }
    for (map, from) in &mut copied {
        map.path = copies.name(from, &map.path);
    }
    let copies = copies.list.into_iter().map(|(from, name)| (from, output.join(name))).collect();
    (materials, copies)
}

/// What is to be said where textures cannot be copied, because nobody knows where they lie.
pub(crate) fn not_found(scene: &Scene<'_>, options: &MeshWriteOptions) -> Option<String> {
    let is_within = |path: &str| scene.pictures.iter().any(|picture| picture.path == path);
    let is_lost = |path: &str| is_relative(path) && !is_address(path) && !is_within(path);
    let mut maps = scene.materials.iter().flat_map(|material| &material.maps);
    let lost = options.path_mode == PathMode::Copy
        && options.texture_root.is_none()
        && maps.any(|map| is_lost(&map.path));
    lost.then(|| "textures are not copied: the mesh does not come from a folder of its own".into())
}

/// Whether there is a file `to` that says something else than `from`. It may be one that was copied
/// for another mesh, so it stays.
fn is_other(from: &Path, to: &Path, work: &Work) -> bool {
    from != to && to.is_file() && solio_io::same_bytes(from, to, work).is_ok_and(|same| !same)
}

/// Files that are copied into one folder.
struct Copies<'f> {
    /// From where, and the name that they get.
    list: Vec<(PathBuf, String)>,
    known: HashMap<PathBuf, usize>,
    /// Names in lower case: some systems know no other.
    taken: HashSet<String>,
    /// Whether a file may be copied to a name, for all that lies in the folder.
    is_free: &'f dyn Fn(&Path, &str) -> bool,
}

impl<'f> Copies<'f> {
    fn new(is_free: &'f dyn Fn(&Path, &str) -> bool) -> Self {
        Copies { list: Vec::new(), known: HashMap::new(), taken: HashSet::new(), is_free }
    }

    /// The name that the copy of `from` gets: `wanted`, unless another file has that.
    fn name(&mut self, from: &Path, wanted: &str) -> String {
        if let Some(&i) = self.known.get(from) {
            return self.list[i].1.clone();
        }
        let (stem, extension) = wanted.split_at(wanted.rfind('.').unwrap_or(wanted.len()));
        let mut name = wanted.to_owned();
        let mut number = 0;
        while self.taken.contains(&name.to_lowercase()) || !(self.is_free)(from, &name) {
            number += 1;
            name = format!("{stem}.{number:03}{extension}");
        }
        self.taken.insert(name.to_lowercase());
        self.known.insert(from.to_owned(), self.list.len());
        self.list.push((from.to_owned(), name.clone()));
        name
    }
}

/// The path as it is written, and the file to copy to that name.
fn refer_one(
    path: &str,
    root: Option<&Path>,
    output: &Path,
    mode: PathMode,
) -> (String, Option<PathBuf>) {
    // Blender marks paths relative to its own file with `//`.
    let path = path.strip_prefix("//").unwrap_or(path);
    if is_address(path) {
        return (path.to_owned(), None);
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if mode == PathMode::Strip || name.is_empty() {
        return (name.to_owned(), None);
    }
    let was_relative = is_relative(path);
    let full = match root {
        // A path of another system leads nowhere from here.
        _ if !was_relative && mode != PathMode::Copy && Path::new(path).is_relative() => {
            return (path.to_owned(), None);
        }
        _ if !was_relative => PathBuf::from(path),
        Some(root) => root.join(path.replace('\\', "/")),
        None => return (path.to_owned(), None),
    };
    let full = normalize(&full);
    let relative = match mode {
        PathMode::Copy => return (name.to_owned(), Some(full)),
        PathMode::Auto => full.starts_with(output),
        PathMode::Match => was_relative,
        PathMode::Relative => true,
        PathMode::Absolute | PathMode::Strip => false,
    };
    let path = match relative {
        true if full.starts_with(output) => relative_to(&full, output),
        // Above a link there is another folder than its path says.
        true => {
            let folder = canonical(output).unwrap_or_else(|_| output.to_owned());
            relative_to(&real(&full), &folder)
        }
        false => full,
    };
    (path.to_string_lossy().replace('\\', "/"), None)
}

/// Whether a path is an address: `https://…`.
fn is_address(path: &str) -> bool {
    let scheme = path.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

/// Whether a path of an MTL, which may come from any system, leads on from a folder.
pub(crate) fn is_relative(path: &str) -> bool {
    let of_windows = match path.as_bytes() {
        [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    };
    Path::new(path).is_relative() && !of_windows
}

/// The whole path, without `.` and `..`.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    normalize(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// Without `.` and `..`, as text (links are not followed).
pub(crate) fn normalize(path: &Path) -> PathBuf {
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

/// The path without links to its folder, where there is one.
fn real(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| canonical(folder).ok());
    let place = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    place.unwrap_or_else(|| path.to_owned())
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
    use solio_mesh::material::TextureMap;

    /// From the root on: on Windows that of a drive.
    fn whole(path: &str) -> String {
        let path = solio_base::names::absolute(Path::new(path)).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    #[test]
    fn modes() {
        let [root, output] = ["/in/mesh", "/out"].map(whole);
        let (root, output) = (Some(Path::new(&root)), Path::new(&output));
        let name = |path: &str, mode| refer_one(path, root, output, mode).0;
        assert_eq!(name("tex/a.png", PathMode::Auto), whole("/in/mesh/tex/a.png"));
        assert_eq!(name(&whole("/out/t/a.png"), PathMode::Auto), "t/a.png");
        assert_eq!(name("tex/a.png", PathMode::Relative), "../in/mesh/tex/a.png");
        assert_eq!(name(&whole("/in/a.png"), PathMode::Match), whole("/in/a.png"));
        assert_eq!(name("//../a.png", PathMode::Match), "../in/a.png");
        assert_eq!(name("t\\a.png", PathMode::Absolute), whole("/in/mesh/t/a.png"));
        assert_eq!(name("t\\a.png", PathMode::Strip), "a.png");
        let (path, copy) = refer_one("t/a.png", root, output, PathMode::Copy);
        assert_eq!(path, "a.png");
        assert_eq!(copy, Some(whole("/in/mesh/t/a.png").into()));
    }

    #[test]
    fn paths_of_windows_stay() {
        let root = Some(Path::new("/in/mesh"));
        for path in [r"C:\tex\b.png", "c:/tex/b.png", r"\\server\tex\b.png"] {
            let of = |mode| refer_one(path, root, Path::new("/out"), mode);
            // On Windows itself they lead somewhere.
            let is_far = Path::new(path).is_relative();
            let stays = if is_far { path.to_owned() } else { path.replace('\\', "/") };
            assert_eq!(of(PathMode::Absolute), (stays.clone(), None));
            for mode in [PathMode::Auto, PathMode::Relative, PathMode::Match] {
                assert_eq!(of(mode), (stays.clone(), None));
            }
            assert_eq!(of(PathMode::Strip), ("b.png".to_owned(), None));
            assert_eq!(of(PathMode::Copy).0, "b.png");
        }
    }

    #[test]
    fn copies_of_one_name_are_numbered() {
        let maps = ["p/t.png", "q/T.png", "p/t.png", "t.png", "r/t", "s/t"];
        let map = |path: &&str| TextureMap { path: (*path).to_owned(), ..TextureMap::default() };
        let maps = maps.iter().map(map).collect();
        let materials = vec![Material { maps, ..Material::default() }];
        let scene = Scene { materials, ..Scene::default() };
        let options = MeshWriteOptions {
            path_mode: PathMode::Copy,
            texture_root: Some(whole("/in").into()),
            ..MeshWriteOptions::default()
        };
        // `t.png` lies in the output's folder itself.
        let (materials, copies) =
            refer(&scene, Path::new(&whole("/in")), &options, &Work::default());
        let names: Vec<_> = materials[0].maps.iter().map(|map| &map.path[..]).collect();
        assert_eq!(names, ["t.001.png", "T.002.png", "t.001.png", "t.png", "t", "t.001"]);
        let to = |from: &str| {
            copies.iter().find(|copy| copy.0 == Path::new(&whole(from))).map(|c| c.1.clone())
        };
        assert_eq!(to("/in/q/T.png"), Some(whole("/in/T.002.png").into()));
        assert_eq!(to("/in/t.png"), Some(whole("/in/t.png").into()));
        assert_eq!(copies.len(), 5);
    }

    #[test]
    fn without_a_root_relative_paths_stay() {
        let name = |mode| refer_one("t/a.png", None, Path::new("/out"), mode);
        assert_eq!(name(PathMode::Auto), ("t/a.png".to_owned(), None));
        assert_eq!(name(PathMode::Copy), ("t/a.png".to_owned(), None));
    }
}
