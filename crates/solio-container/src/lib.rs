//! The structure of image and video files: which elements follow each other, and whether all of them
//! are there.
//!
//! The elements of each container are walked in one place: segments of JPEG ([`jpeg`]), chunks of PNG
//! and RIFF and boxes of HEIF and MP4 ([`ContainerChunks`]), directories of TIFF ([`tiff`]), blocks of
//! GIF ([`gif`]), sections of PSD ([`psd`]). A walk yields what a file has; what an element promises
//! and what is there of it stand side by side. Two kinds of users go the same way:
//! [`check_container`] makes an error of everything that is missing or damaged, readers of metadata
//! go on with what is there.
#![forbid(unsafe_code)]

mod boxes;
mod check;
mod chunk;
mod cursor;
pub mod gif;
pub mod hdr;
mod header;
pub mod jpeg;
pub mod png;
pub mod psd;
mod raw;
pub mod riff;
pub mod tiff;
mod view;

pub use check::{ContainerReport, check_container, checks};
pub use chunk::{ContainerChunk, ContainerChunks, boxes, png_chunks, riff_chunks};
pub use header::{ColorModel, ContainerHeader, SampleKind, container_header};
pub use view::{ByteView, ReadSteps, SourceCache};
