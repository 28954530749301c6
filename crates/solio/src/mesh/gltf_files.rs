//! The files that a glTF refers to, and what one that is written refers to.

use crate::mesh::texture_paths;
use crate::mesh::write::MeshWriteOptions;
use crate::{Format, PathMode};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_io::OpenFile;
use solio_mesh::Scene;
use solio_mesh::gltf::{GltfFiles, GltfImage, NoGltfFiles};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A picture of a texture is some megabytes.
const PICTURE_BYTES: u64 = 1 << 30;

/// The folder that a document lies in.
pub(crate) struct FolderOf<'w> {
    /// `None` for standard input.
    folder: Option<PathBuf>,
    limits: &'w Limits,
    work: &'w Work,
}

impl<'w> FolderOf<'w> {
    pub(crate) fn file(path: &Path, limits: &'w Limits, work: &'w Work) -> FolderOf<'w> {
        let is_file = path.as_os_str() != solio_io::STANDARD;
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
    pub(crate) materials: Vec<solio_mesh::Material>,
    pub(crate) images: HashMap<String, GltfImage>,
    /// From where, and to.
    pub(crate) copies: Vec<(PathBuf, PathBuf)>,
    /// Pictures that the scene brought along, which become files.
    pub(crate) files: Vec<(PathBuf, Arc<Vec<u8>>)>,
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
        for picture in &scene.pictures {
            made.files.push((folder.join(&picture.path), picture.bytes.clone()));
        }
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
                (Some(root), true) => root.join(&name),
                _ => PathBuf::from(&name),
            };
            let image = match read_picture(&place, work) {
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

fn read_picture(path: &Path, work: &Work) -> Result<Vec<u8>> {
    if !path.is_file() {
        return Err(Error::new(ErrorKind::Io, "there is no such file").at_path(path));
    }
    let limits = Limits { bytes: PICTURE_BYTES, ..Limits::default() };
    solio_io::read_whole(path, &limits, work)
}
