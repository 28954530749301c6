//! PLY, the Polygon File Format (Greg Turk, Stanford, 1994).
//!
//! ```text
//! ply
//! format ascii 1.0                            or binary_little_endian, binary_big_endian
//! comment made by hand
//! element vertex 3                            three records follow the header…
//! property float x                            …of these values
//! property float y
//! property float z
//! element face 1
//! property list uchar int vertex_indices      a count, and so many values
//! end_header
//! 0 0 0
//! 1 0 0
//! 0 1 0
//! 3 0 1 2
//! ```
//!
//! Records lie one behind the other, in the order of the elements, without padding. The format
//! fixes the types (8 to 32-bit integers, 32 and 64-bit floats) but no names: which properties
//! mean what is custom, written down in [`columns`].

mod ascii;
mod assemble;
mod binary;
mod cells;
mod check;
mod color;
mod columns;
mod even;
mod header;
mod kernels;
mod layout;
mod memory;
mod options;
mod part;
mod place;
mod read;
mod rows;
mod split;
#[cfg(test)]
mod split_tests;
mod text;
mod tokens;
mod write;

use crate::model::{Attribute, Scene};

pub use check::{PlyCounts, check_ply};
pub use color::has_fine_colors;
pub use header::{
    Element as PlyElement, Header as PlyHeader, Property as PlyProperty, decode_ply_header,
};
pub use options::{PlyColorType, PlyColors, PlyFormat, PlyReadOptions, PlyWriteOptions};
pub(crate) use place::Placement;
pub use read::{decode_ply, decode_ply_into};
pub(crate) use rows::stretches;
pub(crate) use text::push_f32;
pub use write::encode_ply;

/// How a comment that names a texture begins, as MeshLab has them.
pub(crate) const TEXTURE: &str = "TextureFile ";
/// The property of faces that counts these.
const TEXNUMBER: &str = "texnumber";

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
    let textures = lines.filter(|line| line.starts_with(TEXTURE)).count();
    let is_number =
        |a: &Attribute<'_>| a.element == "face" && a.name == TEXNUMBER && a.list.is_none();
    let is_numbered = options.export_attributes && mesh.attributes.iter().any(is_number);
    !options.blender_quirks && (textures == 1 || textures > 0 && is_numbered)
}

#[cfg(test)]
mod tests;
