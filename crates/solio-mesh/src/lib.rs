//! Meshes: one model ([`Scene`], [`Mesh`]), three formats ([`obj`], [`ply`], [`stl`]).
//!
//! Formats read from a [`Source`](solio_base::Source) and write to a [`Sink`](solio_base::Sink);
//! they never open files.
#![forbid(unsafe_code)]

pub mod axes;
pub mod material;
pub mod model;
pub mod obj;

pub use material::Material;
pub use model::{Colors, ColorSpace, Domain, Mesh, Normals, Object, Positions, Scene, Uvs};
