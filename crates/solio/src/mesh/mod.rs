//! Meshes: reading and writing files of any format, counts, pictures; the mesh model, its materials,
//! and the options of each format.

pub(crate) mod draw;
pub(crate) mod gltf_files;
pub(crate) mod info;
pub(crate) mod mtl_libraries;
pub(crate) mod per_object;
pub(crate) mod read;
pub(crate) mod texture_paths;
pub(crate) mod write;

pub use solio_mesh::*;
