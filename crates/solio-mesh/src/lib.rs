//! Meshes: one model ([`Scene`], [`Mesh`]), three formats ([`obj`], [`ply`], [`stl`]).
//!
//! Formats read from a [`Source`](solio_base::Source) and write to a [`Sink`](solio_base::Sink);
//! they never open files.
#![forbid(unsafe_code)]

pub mod axes;
mod color;
mod head;
pub mod material;
mod merge;
pub mod model;
pub mod obj;
mod parallel;
pub mod ply;
pub mod stl;
mod transform;
pub mod triangulate;

pub use material::Material;
pub use model::{ColorSpace, Colors, Domain, Mesh, Normals, Object, Positions, Scene, Uvs};
