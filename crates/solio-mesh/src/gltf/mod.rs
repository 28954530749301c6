//! glTF 2.0: `.gltf` and `.glb`, read and written.
//!
//! ```text
//! container ──► document (JSON) ──► nodes: what is drawn where ──► primitives ──► mesh
//!          └──► binary chunk, other files, data: references ──► views ──► accessors ──┘
//! ```
//!
//! Source: Khronos, *glTF 2.0 Specification*, and the pages of the extensions that `KNOWN` in `read.rs`
//! names.

mod accessor;
mod buffers;
mod check;
mod check_splats;
mod container;
mod document;
mod extra;
mod losses;
mod material_read;
mod material_write;
mod meshopt;
mod nodes;
mod notes;
mod pictures;
mod plan;
mod primitives;
mod read;
mod splats_read;
mod splats_write;
mod split;
#[cfg(test)]
mod tests;
mod uri;
mod values;
mod write;

pub use buffers::{GltfFiles, NoGltfFiles};
pub use check::{GltfFindings, check_gltf};
pub use losses::gltf_losses;
pub use read::{GltfReadOptions, decode_gltf};
pub use write::{
    GltfImage, GltfInstances, GltfWriteOptions, encode_glb, encode_gltf, encode_gltf_whole,
    glb_head,
};
