//! What other formats of scenes are made of: meshes, pictures, places. What surfaces, lights and the
//! camera are like is in [`look`](crate::look).
//!
//! [`gltf`](crate::gltf), [`usd`](crate::usd) and [`mitsuba`](crate::mitsuba) put these down in their own
//! ways. The first two are right-handed with +y up, and their cameras look along -z; pbrt is left-handed, its cameras look
//! along +z. A scene whose camera mirrors (`Scale -1 1 1`, as exporters write it) is right-handed
//! already and stays as it is; any other is mirrored in z as a whole, so that the picture is the
//! same.

mod area;
mod left_out;
mod pictures;
mod shapes;
#[cfg(test)]
pub(crate) mod tests;

pub use left_out::left_out_of_meshes;
pub use pictures::{EncodedPicture, PictureFile};
pub use shapes::{BesideFile, ExportMeshes, Faces, is_border, light_area};

pub(crate) use left_out::{BORDERS, LeftOut, LossName};
pub(crate) use pictures::{
    ExportPicture, PicturePlace, PictureSource, PictureTakes, PictureUse, TextureFile,
};
pub(crate) use shapes::{
    bounds, is_closed, mesh_of, name_of, order_by_object, placed, runs, upper,
};
pub(crate) use solio_mesh::decompose::{TransformParts, decompose, nested};

/// What tells the arrays of two shapes apart: the file, and whether its faces are turned.
pub(crate) type FileKey = (Vec<u8>, bool);

/// The identity: three rows of four.
pub(crate) const IDENTITY: [f32; 12] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
