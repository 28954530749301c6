//! SPZ, Niantic's packed splats: all places, then all alphas, colours, sizes, rotations and harmonics,
//! in bytes (nianticlabs/spz). Versions 1 to 3 are one gzip stream; of version 4 each of these is a zstd
//! stream, and a table behind the header tells their sizes.
//!
//! A file's axes are right, up and back; here `y` is down and `z` to the front, as in a PLY.

mod bytes;
mod frame;
mod header;
mod read;
mod write;

pub(super) use frame::{FrameFlips, USUAL};
pub use header::{SpzHeader, decode_spz_header};
pub use read::decode_spz;
pub(crate) use read::unpacked;
pub use write::{SpzWriteOptions, encode_spz, spz_losses};

#[cfg(test)]
mod tests;
