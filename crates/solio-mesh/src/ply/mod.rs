//! PLY, the Polygon File Format (Greg Turk, Stanford, 1994).
//!
//! ```text
//! ply
//! format ascii 1.0                            or binary_little_endian, binary_big_endian
//! comment made by hand
//! element vertex 3                            three records follow the header…
//! property float x                            …of these values
//! property float y
//! property float z
//! element face 1
//! property list uchar int vertex_indices      a count, and so many values
//! end_header
//! 0 0 0
//! 1 0 0
//! 0 1 0
//! 3 0 1 2
//! ```
//!
//! Records lie one behind the other, in the order of the elements, without padding. The format
//! fixes the types (8 to 32-bit integers, 32 and 64-bit floats) but no names: which properties
//! mean what is custom, written down in [`columns`].

mod ascii;
mod assemble;
mod binary;
mod cells;
mod check;
mod color;
mod columns;
mod context;
mod data;
mod even;
mod header;
mod kernels;
mod layout;
mod losses;
mod memory;
mod options;
mod part;
mod read;
mod rows;
mod split;
#[cfg(test)]
mod split_tests;
mod textures;
mod token_values;
mod tokens;
mod wide;
mod write;

pub use check::{PlyCounts, check_ply};
pub use header::{PlyElement, PlyHeader, PlyProperty, decode_ply_header};
pub(crate) use layout::header;
pub use losses::ply_losses;
pub use options::{PlyColorType, PlyColors, PlyFormat, PlyReadOptions, PlyWriteOptions};
pub use read::{decode_ply, decode_ply_into};
pub use textures::{names_textures, only_texture};
pub use write::encode_ply;

#[cfg(test)]
mod tests;
