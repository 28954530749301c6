//! Trees of boxes that rays are led through: one over the triangles of each definition, one over
//! the boxes of instances.
//!
//! ```
//! use solio_scene::bvh::{BvhMesh, Quality, Ray, TriangleBvh};
//!
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mesh = BvhMesh { positions: &positions, triangles: &[[0, 1, 2]] };
//! let tree = TriangleBvh::build(mesh, Quality::Fast)?;
//! let hit = tree.closest(mesh, &Ray::new([0.25, 0.5, 2.0], [0.0, 0.0, -1.0])).unwrap();
//! assert_eq!((hit.triangle, hit.distance, hit.u, hit.v), (0, 2.0, 0.25, 0.5));
//! # Ok::<(), solio_base::Error>(())
//! ```
//!
//! Nodes have eight children, whose boxes are tested at once; leaves have up to eight triangles,
//! tested at once likewise. Building takes one thread: definitions are built side by
//! side by who calls. All is total: whatever the numbers, building and tracing end, and the same
//! arrays give the same tree and the same hits on every machine.

mod boxes;
mod build;
mod group;
mod leaf;
mod mesh;
mod node;
mod order;
mod ray;
mod triangles;
mod walk;

#[cfg(test)]
mod tests;

pub use boxes::BoxBvh;
pub use mesh::BvhMesh;
pub use node::TreeCost;
pub use ray::{Hit, Ray};
pub use triangles::{Quality, TriangleBvh};
