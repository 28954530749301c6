//! Codecs: number text (format, parse, whole lines) and compressed streams.

pub mod compress;
pub mod estimate;
pub mod lines;
pub mod number;
