//! Meshes: one model ([`Scene`], [`Mesh`]), formats ([`obj`], [`ply`], [`stl`], [`off`], [`gltf`], and those of
//! [`splats`]).
//!
//! Formats read from a [`Source`](solio_base::Source) and write to a [`Sink`](solio_base::Sink);
//! they never open files.
#![forbid(unsafe_code)]

pub mod axes;
mod bits;
mod color;
pub mod decompose;
mod face_colors;
pub mod gltf;
mod head;
mod instances;
mod join;
mod losses;
pub mod material;
mod merge;
pub mod model;
pub mod obj;
mod odd;
pub mod off;
mod offsets;
mod parallel;
mod placement;
pub mod ply;
mod rounds;
mod skip;
mod spans;
pub mod splats;
pub mod stl;
mod text;
mod transform;
pub mod triangulate;
mod unused;

pub use face_colors::{MOST_COLORS, materials_of_face_colors};
pub use instances::{Matrix, MeshInstance};
pub use material::Material;
pub use model::{
    ColorSpace, Colors, Domain, Mesh, Normals, Object, Picture, Positions, Scene, Uvs,
};
pub use skip::MeshSkip;
pub use splats::{splat_colors, splat_count};
pub use text::TextEncoding;
pub use unused::unused;

/// All files under `folder` whose names end in `end`, in any case.
#[cfg(test)]
#[allow(clippy::disallowed_methods)]
fn test_files(folder: &std::path::Path, end: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut test_files(&path, end));
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end)) {
            found.push(path);
        }
    }
    found.sort();
    found
}
