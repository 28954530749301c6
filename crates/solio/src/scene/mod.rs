//! pbrt scenes: reading, conversion, packing and previews; their text, and what it means.

pub(crate) mod draw;
pub(crate) mod exporter;
pub(crate) mod file;
pub(crate) mod meshes_ahead;
pub(crate) mod named_meshes;
pub(crate) mod open;
pub(crate) mod packed;
pub(crate) mod shape_mesh;
pub(crate) mod text;
pub(crate) mod text_files;
pub(crate) mod text_meshes;
pub(crate) mod texture;

pub use solio_scene::*;
