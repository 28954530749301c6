//! The textures that comments of a PLY name, as MeshLab writes them.

use super::options::PlyWriteOptions;
use crate::material::{Material, TEXTURE_COMMENT, TextureMap};
use crate::model::{Attribute, NONE, Scene};

/// The property of faces that counts these.
pub(crate) const TEXNUMBER: &str = "texnumber";

/// Whether a PLY of the scene names the textures that its comments name, because faces lead to them:
/// those of one mesh, by numbers or to the only one.
///
/// ```
/// use solio_mesh::{Mesh, Scene, ply::{PlyWriteOptions, names_textures}};
/// let comments = vec!["TextureFile oak.png".into()];
/// let scene = Scene { comments, meshes: vec![Mesh::default()], ..Scene::default() };
/// assert!(names_textures(&scene, &PlyWriteOptions::default()));
/// ```
pub fn names_textures(scene: &Scene<'_>, options: &PlyWriteOptions) -> bool {
    let [mesh] = &scene.meshes[..] else { return false };
    let lines = scene.comments.iter().flat_map(|comment| comment.split(['\n', '\r']));
    let textures = lines.filter(|line| line.starts_with(TEXTURE_COMMENT)).count();
    let is_number =
        |a: &Attribute<'_>| a.element == "face" && a.name == TEXNUMBER && a.list.is_none();
    let is_numbered = options.export_attributes && mesh.attributes.iter().any(is_number);
    !options.blender_quirks && (textures == 1 || textures > 0 && is_numbered)
}

/// The texture of all faces, where their materials have one and the same; a PLY of the scene names it
/// in a comment. `materials` are the scene's, or say where their textures lie now.
///
/// ```
/// use solio_mesh::{Mesh, Scene, material::TextureMap, ply::{PlyWriteOptions, only_texture}};
/// let oak = TextureMap { key: "map_Kd".into(), path: "oak.png".into(), ..TextureMap::default() };
/// let materials = vec![solio_mesh::Material { maps: vec![oak], ..Default::default() }];
/// let mesh = Mesh { face_materials: vec![0].into(), ..Mesh::default() };
/// let scene = Scene { materials, meshes: vec![mesh], ..Scene::default() };
/// let texture = only_texture(&scene, &scene.materials, &PlyWriteOptions::default());
/// assert_eq!(texture, Some("oak.png"));
/// ```
pub fn only_texture<'m>(
    scene: &Scene<'_>,
    materials: &'m [Material],
    options: &PlyWriteOptions,
) -> Option<&'m str> {
    let [mesh] = &scene.meshes[..] else { return None };
    let mut lines = scene.comments.iter().flat_map(|comment| comment.split(['\n', '\r']));
    if options.blender_quirks || lines.any(|line| line.starts_with(TEXTURE_COMMENT)) {
        return None;
    }
    let (mut texture, mut last) = (None, NONE);
    for &number in mesh.face_materials.iter() {
        if number == last {
            continue;
        }
        last = number;
        let map = diffuse_map(materials.get(number as usize)?)?;
        if *texture.get_or_insert(&*map.path) != map.path {
            return None;
        }
    }
    texture.filter(|path| !path.trim().is_empty() && !path.contains(['\n', '\r']))
}

/// The texture of a material's colour.
pub(crate) fn diffuse_map(material: &Material) -> Option<&TextureMap> {
    material.maps.iter().find(|map| map.key == "map_Kd")
}

/// The material that a comment with a texture's path is.
pub(crate) fn material_of(path: &str) -> Material {
    let path = path.trim().to_string();
    let file = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_string();
    let map = TextureMap { key: "map_Kd".into(), options: Vec::new(), path };
    Material { name, maps: vec![map], ..Material::default() }
}
