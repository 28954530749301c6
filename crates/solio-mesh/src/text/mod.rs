//! Text that several formats share: whole records in chunks, names in any encoding, floats as
//! Blender writes them, and words for NaN and infinity.

mod decode;
mod feed;
mod float;
mod odd_float;
pub(crate) mod precision;

pub use decode::TextEncoding;
pub(crate) use decode::{NameBytes, decode, told};
pub(crate) use feed::{RecordCut, TextChunk, TextFeed};
pub(crate) use float::{push_f32, push_f64};
pub(crate) use odd_float::odd_float;
