//! OpenEXR: the container and every compression.
//!
//! Readers see a [`Source`](solio_base::Source), writers a [`Sink`](solio_base::Sink); nothing
//! here opens files.
#![forbid(unsafe_code)]

pub mod block;
pub mod codec;

pub use block::{Block, Channel, PixelType};
pub use codec::Compression;
