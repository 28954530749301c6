//! The files that a glTF refers to, and what one that is written refers to.

use crate::mesh::texture_paths;
use crate::mesh::write::MeshWriteOptions;
use crate::{Format, PathMode};
use serde::Deserialize;
use solio_base::names::OsStrBytes;
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_catalog::names::percent;
use solio_codec::compress::Compression;
use solio_io::OpenFile;
use solio_mesh::gltf::{GltfFiles, GltfImage, NoGltfFiles};
use solio_mesh::{Material, Scene};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A picture of a texture is some megabytes.
const PICTURE_BYTES: u64 = 1 << 30;
/// A document that is larger has its arrays within.
const DOCUMENT_BYTES: u64 = 256 << 20;

/// The folder that a document lies in.
pub(crate) struct FolderOf<'w> {
    /// `None` for standard input and bytes in memory.
    folder: Option<PathBuf>,
    limits: &'w Limits,
    work: &'w Work,
}

impl<'w> FolderOf<'w> {
    pub(crate) fn file(path: &Path, limits: &'w Limits, work: &'w Work) -> FolderOf<'w> {
        let is_file = path.as_os_str() != solio_io::STANDARD && !path.as_os_str().is_empty();
        let folder = is_file.then(|| path.parent().unwrap_or(Path::new("")).to_owned());
        FolderOf { folder, limits, work }
    }
}

impl GltfFiles for FolderOf<'_> {
    fn open(&self, name: &str) -> Result<Box<dyn Source>> {
        let Some(folder) = &self.folder else { return NoGltfFiles.open(name) };
        let path = folder.join(name);
        // A document must not make us read a device.
        if !path.is_file() {
            let error =
                Error::new(ErrorKind::Io, "the file that the document refers to is missing");
            return Err(error.at_path(path));
        }
        let opening = Work { memory_bytes: 0, ..self.work.clone() };
        let opened = OpenFile::open(&path, &opening)?;
        // Bytes as they are: what looks compressed is data, too.
        match opened.plain() {
            Some(_) => opened.source(self.limits, &opening).map(|opened| opened.source),
            None => solio_io::read_whole(&path, self.limits, self.work)
                .map(|bytes| Box::new(bytes) as Box<dyn Source>),
        }
        .map_err(|e| e.at_path(path))
    }
}

/// Where the pictures of a scene are for the glTF at `path`, by the paths that its materials get, and which
/// files are to be copied or written beside it.
#[derive(Default)]
pub(crate) struct GltfPictures {
    pub(crate) materials: Vec<Material>,
    pub(crate) images: HashMap<String, GltfImage>,
    /// From where, and to.
    pub(crate) copies: Vec<(PathBuf, PathBuf)>,
    /// Pictures that the scene brought along, which become files.
    pub(crate) files: Vec<PictureBeside>,
    pub(crate) warnings: Vec<String>,
}

impl GltfPictures {
    /// A `.glb` takes its pictures in, unless the option says otherwise; a `.gltf` refers to them.
    pub(crate) fn of(
        scene: &Scene<'_>,
        format: Format,
        path: &Path,
        options: &MeshWriteOptions,
        work: &Work,
    ) -> GltfPictures {
        let folder = path.parent().unwrap_or(Path::new(""));
        let takes = solio_io::is_direct(path)
            || format == Format::Glb && options.path_mode == PathMode::Auto;
        let mut made = GltfPictures::default();
        if takes {
            made.materials.clone_from(&scene.materials);
            made.take_in(scene, options, work);
            return made;
        }
        let (materials, copies) = texture_paths::refer(scene, folder, options, work);
        made.warnings.extend(texture_paths::not_found(scene, options));
        (made.materials, made.copies) = (materials, copies);
        made.files = pictures_beside(scene, &mut made.materials, folder, options);
        for map in made.materials.iter().flat_map(|material| &material.maps) {
            let image = GltfImage::File { path: map.path.clone() };
            made.images.insert(map.path.clone(), image);
        }
        made
    }

    /// The bytes of all pictures; of those that cannot be read, the path.
    fn take_in(&mut self, scene: &Scene<'_>, options: &MeshWriteOptions, work: &Work) {
        let is_own = |path: &str| scene.pictures.iter().any(|picture| picture.path == path);
        for map in scene.materials.iter().flat_map(|material| &material.maps) {
            if is_own(&map.path) || self.images.contains_key(&map.path) {
                continue;
            }
            let name = map.path.strip_prefix("//").unwrap_or(&map.path).replace('\\', "/");
            let place = match (&options.texture_root, texture_paths::is_relative(&name)) {
                (Some(root), true) => Some(root.join(&name)),
                (None, true) => None,
                _ => Some(PathBuf::from(&name)),
            };
            let unknown = || Error::argument("the mesh does not come from a folder of its own");
            let read = place.ok_or_else(unknown).and_then(|place| read_picture(&place, work));
            let image = match read {
                Ok(bytes) => GltfImage::of_bytes(Arc::new(bytes)),
                Err(error) => {
                    self.warnings.push(format!("texture not taken in: {error}"));
                    GltfImage::File { path: name }
                }
            };
            self.images.insert(map.path.clone(), image);
        }
    }
}

/// A picture that is put beside an output: where, and its bytes.
pub(crate) type PictureBeside = (PathBuf, Arc<Vec<u8>>);

/// The files that the pictures of a scene become in a folder. Other files that lie there stay, and the
/// pictures get a number; `materials` name them so.
pub(crate) fn pictures_beside(
    scene: &Scene<'_>,
    materials: &mut [Material],
    folder: &Path,
    options: &MeshWriteOptions,
) -> Vec<PictureBeside> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut made = Vec::new();
    let is_used = |path: &str| materials.iter().flat_map(|m| &m.maps).any(|map| map.path == path);
    let used: Vec<_> = scene.pictures.iter().filter(|picture| is_used(&picture.path)).collect();
    let mut names = HashMap::new();
    for picture in used {
        let (stem, extension) =
            picture.path.split_at(picture.path.rfind('.').unwrap_or(picture.path.len()));
        let (mut name, mut number) = (picture.path.clone(), 0);
        let is_other = |name: &str| {
            let limits = Limits { bytes: PICTURE_BYTES, ..Limits::default() };
            let place = folder.join(name);
            !options.replace_textures
                && place.is_file()
                && solio_io::read_whole(&place, &limits, &Work::serial())
                    .map_or(true, |old| old != **picture.bytes)
        };
        while taken.contains(&name.to_lowercase()) || is_other(&name) {
            number += 1;
            name = format!("{stem}.{number:03}{extension}");
        }
        taken.insert(name.to_lowercase());
        made.push((folder.join(&name), picture.bytes.clone()));
        names.insert(picture.path.clone(), name);
    }
    for map in materials.iter_mut().flat_map(|material| &mut material.maps) {
        if let Some(name) = names.get(&map.path) {
            map.path.clone_from(name);
        }
    }
    made
}

/// Where the arrays of the `.gltf` at `document` go, beside it: `scene.bin` of `scene.gltf` and of
/// `scene.gltf.gz`. As with textures another file of that name stays, and the arrays get a number; what
/// the document that is replaced has there is replaced with it.
pub(crate) fn buffer_beside(document: &Path, work: &Work) -> PathBuf {
    let name = document.file_name().unwrap_or_default().to_string_lossy();
    let packed = Compression::of_name(&name).extension();
    let plain = if packed.is_empty() { document.to_owned() } else { document.with_extension("") };
    let stem = plain.file_stem().unwrap_or_default();
    let own = buffers_of(document, work);
    let numbered = (1..).map(|number| {
        let mut name = stem.to_owned();
        name.push(format!(".{number:03}.bin"));
        plain.with_file_name(name)
    });
    let is_free = |place: &PathBuf| {
        let name = place.file_name().unwrap_or_default();
        // A folder in the way is an error, as it is of the document.
        std::fs::symlink_metadata(place).map_or(true, |found| found.is_dir())
            || own.iter().any(|uri| *uri == percent(name.as_bytes()) || name == uri.as_str())
    };
    let places = [plain.with_extension("bin")].into_iter().chain(numbered);
    { places }.find(is_free).unwrap_or_default()
}

/// The files that the document which lies there has its arrays in; none where it cannot be read.
fn buffers_of(document: &Path, work: &Work) -> Vec<String> {
    #[derive(Deserialize)]
    struct OldDocument {
        #[serde(default)]
        buffers: Vec<OldBuffer>,
    }
    #[derive(Deserialize)]
    struct OldBuffer {
        uri: Option<String>,
    }
    let limits = Limits { bytes: DOCUMENT_BYTES, ..Limits::default() };
    let bytes = match document.is_file() {
        true => solio_io::read_whole(document, &limits, work).ok(),
        false => None,
    };
    let parsed = bytes.and_then(|bytes| serde_json::from_slice::<OldDocument>(&bytes).ok());
    parsed.into_iter().flat_map(|old| old.buffers).filter_map(|buffer| buffer.uri).collect()
}

fn read_picture(path: &Path, work: &Work) -> Result<Vec<u8>> {
    if !path.is_file() {
        return Err(Error::new(ErrorKind::Io, "there is no such file").at_path(path));
    }
    let limits = Limits { bytes: PICTURE_BYTES, ..Limits::default() };
    solio_io::read_whole(path, &limits, work)
}
