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
mod container;
mod document;
mod extra;
mod material_read;
mod meshopt;
mod nodes;
mod notes;
mod pictures;
mod primitives;
mod read;
mod uri;

pub use buffers::{GltfFiles, NoGltfFiles};
pub use read::{GltfReadOptions, decode_gltf};
