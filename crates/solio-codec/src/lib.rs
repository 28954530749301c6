//! Codecs: number text (format, parse, whole lines), compressed streams, case folding of names;
//! digests; kernels over arrays of floats.

pub mod array;
pub mod boxes;
pub mod compress;
pub mod copy;
pub mod deflate;
pub mod digest;
pub mod estimate;
pub mod filter;
pub mod fold;
pub mod halves;
pub mod inflate;
pub mod lanes;
pub mod lines;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod number;
pub mod planes;
pub mod records;
pub mod samples;
pub mod wavelet;
pub mod wide;
mod word;
