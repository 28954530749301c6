//! What other formats of scenes are made of: meshes, surfaces, a view, places.
//!
//! [`gltf`](crate::gltf) and [`usd`](crate::usd) put these down in their own ways. Both are
//! right-handed with +y up, and their cameras look along -z; pbrt is left-handed, its cameras look
//! along +z. A scene whose camera mirrors (`Scale -1 1 1`, as exporters write it) is right-handed
//! already and stays as it is; any other is mirrored in z as a whole, so that the picture is the
//! same.

mod area;
mod left_out;
mod light;
mod shapes;
mod surface;
#[cfg(test)]
pub(crate) mod tests;
mod texture;
mod view;

pub use left_out::left_out_of_meshes;
pub use shapes::{ExportMeshes, Faces, is_border};
pub use texture::PictureFile;

pub(crate) use left_out::{BORDERS, LeftOut, LossName};
pub(crate) use light::{ExportLight, LightKind, light_of};
pub(crate) use shapes::{
    bounds, light_area, mesh_of, name_of, order_by_object, placed, runs, upper,
};
pub(crate) use solio_mesh::decompose::{TransformParts, decompose, nested};
pub(crate) use surface::{Surface, SurfaceKey, Surfaces};
pub(crate) use texture::SurfacePicture;
pub(crate) use view::{CameraView, ViewLens, is_mirrored};

/// What tells the arrays of two shapes apart: the file, and whether its faces are turned.
pub(crate) type FileKey = (Vec<u8>, bool);

/// The identity: three rows of four.
pub(crate) const IDENTITY: [f32; 12] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
