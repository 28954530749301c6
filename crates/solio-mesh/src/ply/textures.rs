//! The textures that comments of a PLY name, as MeshLab writes them.

use super::options::PlyWriteOptions;
use crate::material::TEXTURE_COMMENT;
use crate::model::{Attribute, Scene};

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
