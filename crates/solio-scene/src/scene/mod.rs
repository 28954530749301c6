//! A scene: what the statements of pbrt mean together.
//!
//! ```text
//! files ──► pieces of text ──► statements ──► graphics state ──► Scene: shapes, instances, …
//!           (in order)         (in parallel)  (in order)
//! ```
//!
//! Statements set up the camera, change a graphics state (transformation, material, media, …) that
//! blocks keep and give back, or put something there under the state of that moment. [`read_scene`]
//! follows them and keeps what is put there, in flat arrays: instances are 3 × 4 matrices beside
//! the numbers of their objects; shapes, materials, textures, media and lights are [`Entity`]s
//! whose values stay in the arrays that the parser made. Everything knows its place in the text.
//!
//! Source: pbrt-v4's *Input File Format* (pbrt.org/fileformat-v4) and the behaviour of pbrt-v4;
//! for files of version 3 that of pbrt-v3.

mod ahead;
mod build;
mod checks;
mod count;
mod definitions;
mod files;
mod keep;
mod lines;
mod model;
mod notes;
#[cfg(test)]
mod older_tests;
mod read;
mod spectra;
#[cfg(test)]
mod spectra_tests;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod transform;
mod values;
mod write;
#[cfg(test)]
mod write_tests;

pub use count::{ClassCounts, InstanceCounts, LargeMesh, MeshCounts, SceneCounts};
pub use files::{Files, NoFiles};
pub use model::{
    Camera, ColorSpace, Entity, Instances, Light, Material, Medium, NONE, Object, Place, Scene,
    SceneFile, Shape, Texture,
};
pub use read::{SceneOptions, read_scene};
pub use transform::Motion;
pub use write::write_scene;
