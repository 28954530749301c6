//! Scenes: descriptions for renderers, read as fast as their text can be looked at.
//!
//! [`pbrt`] reads the text of pbrt, version 4 and 3; [`scene`] makes a scene of what it says;
//! [`pack`] keeps a scene so that it need not be parsed again. [`geometry`] makes triangles of its
//! shapes, [`bounds`] and [`bvh`] are what rays need: boxes of instances, trees; [`preview`] draws.
//! [`look`] reduces its materials, lights and camera to one neutral form, of which [`gltf`], [`usd`] and
//! [`mitsuba`] write a scene for other programs; [`export`] is what they share.
//! Nothing here opens a file.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod bvh;
pub mod export;
pub mod geometry;
pub mod gltf;
pub mod look;
pub mod mitsuba;
pub mod pack;
pub mod pbrt;
pub mod preview;
pub mod scene;
pub mod usd;
