//! The compression lab: filters and codecs, measured on arrays of numbers.
//!
//! An [`Array`] is what is packed: the channels of an image that belong together, or one array of a
//! mesh. A [`Plan`](plan::Plan) lists which filters, codecs, levels and sizes of chunks are tried
//! on it; [`measure`](fn@measure) packs and unpacks with each of them, checks that every bit comes back,
//! and times it. [`statements`](fn@statements) holds what the study of 2021 said against what came out.
//!
//! `unsafe` is in `codec/native.rs` alone, the glue to libraries in C.
#![deny(unsafe_code)]

pub mod array;
mod chunk;
pub mod codec;
mod measure;
pub mod npy;
pub mod plan;
mod results;
mod statements;

pub use array::{Array, Kind, Layout, ValueType};
pub use chunk::ChunkSize;
pub use measure::{MeasureOptions, Measuring, measure};
pub use results::{Cell, Config, Interval, Refused, Results};
pub use statements::{Finding, Statement, Verdict, statements};
