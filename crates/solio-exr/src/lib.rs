//! OpenEXR: the container and every compression.
//!
//! Readers see a [`Source`](solio_base::Source), writers a [`Sink`](solio_base::Sink); nothing
//! here opens files.
#![forbid(unsafe_code)]

pub mod archive;
pub mod block;
mod check;
mod chunk;
pub mod codec;
mod cursor;
pub mod header;
pub mod model;
mod name_bytes;
mod raster;
mod read;
mod reheader;
mod table;
mod write;

pub use block::{Block, Channel, PixelType};
pub use check::{CheckOptions, Checked, Problem, check_exr};
pub use codec::Compression;
pub use header::shape::{Level, Shape};
pub use header::{Header, decode_header};
pub use model::Image;
pub use raster::{RasterMut, SamplesMut};
pub use read::{
    IntoOptions, Levels, ReadInto, ReadOptions, ScanlineOptions, Scanlines, decode_exr,
    decode_exr_into,
};
pub use reheader::{Reheaded, rehead};
pub use write::{Layout, Shared, WriteOptions, encode_exr};
