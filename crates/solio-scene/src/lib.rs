//! Scenes: descriptions for renderers, read as fast as their text can be looked at.
//!
//! [`pbrt`] reads the text of pbrt, version 4 and 3; [`scene`] makes a scene of what it says.
//! Nothing here opens a file.

#![forbid(unsafe_code)]

pub mod pbrt;
pub mod scene;
