//! A first picture of a scene: what is there, seen by its camera, in the colours of its materials.
//!
//! ```text
//! shapes ──► definitions: triangles, a box each ──► boxes of instances ──► a tree over them
//!                    │ a tree each, built when the first ray gets there          │
//!                    └───────────────────► rays of the camera ◄──────────────────┘──► Picture
//! ```
//!
//! No light of the scene is followed: surfaces are lit from the camera and from above, so that the
//! picture is there when the geometry is. Pictures of textures lie on surfaces by their (u, v);
//! other textures count with their constant parts, motion with its first end.

mod camera;
mod color;
mod few;
mod render;
#[cfg(test)]
mod tests;
mod view;
mod world;

pub use color::material_colors;
pub use render::{MOST_PIXELS, Pass, Picture, RenderOptions, render};
pub use view::{SceneView, ViewKind, up_axis};
pub(crate) use world::located;
pub use world::{PreviewFiles, World, scene_bounds};
