//! Codecs: number text (format and parse) and compressed streams.

pub mod compress;
pub mod estimate;
pub mod number;
