//! STL, triangles without a connection (3D Systems, 1989).
//!
//! Binary, little endian: 80 bytes of any text, the number of triangles as `u32`, then 50 bytes
//! for each: normal and three corners as `f32` triples, and a `u16` that should be 0 and often
//! holds a colour.
//!
//! ```text
//! solid name                      text: any number of solids
//! facet normal 0 0 1
//!  outer loop
//!   vertex 0 0 0
//!   vertex 1 0 0
//!   vertex 0 1 0
//!  endloop
//! endfacet
//! endsolid name
//! ```
//!
//! Binary files may start with `solid` too: the length decides.

mod ascii;
mod binary;
mod collect;
mod color;
mod losses;
mod options;
mod read;
mod weld;
mod write;

pub(crate) use collect::WORDS;
pub(crate) use color::{CHANNELS as FACE_CHANNELS, colors as face_colors, is_said};
pub use losses::stl_losses;
pub use options::{StlReadOptions, StlWriteOptions};
pub use read::decode_stl;
pub use write::{encode_stl, encode_stl_object};

#[cfg(test)]
mod tests;
