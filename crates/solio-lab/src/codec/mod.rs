//! Codecs: what packs a filtered chunk, through the libraries that people use.

mod bytes;
mod native;
mod numbers;

use crate::array::ValueType;
use solio_base::Result;
use solio_codec::array::Effort;
use solio_codec::filter::Shape;

/// What packs chunks and unpacks them. One is kept for all chunks of an array, with its memory.
pub trait Codec {
    /// The most bytes that values of `shape` are packed to.
    fn bound(&mut self, shape: &Shape) -> usize;

    /// Packs values of `shape` to the start of `to`, which has as many bytes as
    /// [`Codec::bound`] says; gives their number.
    fn encode(&mut self, shape: &Shape, from: &[u8], to: &mut [u8]) -> Result<usize>;

    /// Undoes [`Codec::encode`]: fills `to`, which has the bytes of `shape`.
    fn decode(&mut self, shape: &Shape, from: &[u8], to: &mut [u8]) -> Result<()>;

    /// Copies what was unpacked to `to`, for one that unpacks to memory of its own; is not timed.
    fn show(&mut self, _to: &mut [u8]) {}
}

/// Which codec, and how hard it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// zlib, the C library; levels 1 to 9.
    Zlib(i32),
    /// zlib-rs; levels 1 to 9.
    ZlibRs(i32),
    /// libdeflate's zlib streams; levels 1 to 12.
    Libdeflate(i32),
    /// Zstandard; levels −5 to 22.
    Zstd(i32),
    /// LZ4.
    Lz4,
    /// LZ4's thorough packer; levels 3 to 12.
    Lz4Hc(i32),
    /// Pcodec, which sees numbers; levels 0 to 12.
    Pco(i32),
    /// Solio's own codec of arrays.
    Solio(Effort),
    /// meshoptimizer's vertex codec, which sees elements; levels 0 to 3.
    Meshopt(i32),
    /// ZFP, reversible, of floats; 16-bit ones as 32-bit ones.
    #[cfg(feature = "zfp")]
    ZfpFloat,
    /// ZFP, reversible, of integers; 16-bit floats as integers that rise with them.
    #[cfg(feature = "zfp")]
    ZfpInteger,
}

impl Method {
    /// Whether ZFP is built in.
    pub const HAS_ZFP: bool = cfg!(feature = "zfp");

    /// The library, as people call it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Zlib(_) => "zlib",
            Method::ZlibRs(_) => "zlib-rs",
            Method::Libdeflate(_) => "libdeflate",
            Method::Zstd(_) => "zstd",
            Method::Lz4 => "lz4",
            Method::Lz4Hc(_) => "lz4hc",
            Method::Pco(_) => "pco",
            Method::Solio(Effort::Fast) => "solio fast",
            Method::Solio(Effort::Thorough) => "solio thorough",
            Method::Solio(Effort::Max) => "solio max",
            Method::Meshopt(_) => "meshopt",
            #[cfg(feature = "zfp")]
            Method::ZfpFloat => "ZFP",
            #[cfg(feature = "zfp")]
            Method::ZfpInteger => "ZFP integers",
        }
    }

    /// How hard it tries, where it can be told.
    pub fn level(self) -> Option<i32> {
        match self {
            Method::Zlib(level)
            | Method::ZlibRs(level)
            | Method::Libdeflate(level)
            | Method::Zstd(level)
            | Method::Lz4Hc(level)
            | Method::Pco(level)
            | Method::Meshopt(level) => Some(level),
            _ => None,
        }
    }

    /// Whether it can take such values at all: those that see numbers need to know them.
    pub fn suits(self, value: ValueType, channels: usize) -> bool {
        match self {
            Method::Solio(_) => value != ValueType::U64,
            Method::Meshopt(_) => numbers::vertex_bytes(value.bytes() * channels).is_some(),
            #[cfg(feature = "zfp")]
            Method::ZfpFloat => value.is_float(),
            #[cfg(feature = "zfp")]
            Method::ZfpInteger => {
                matches!(value, ValueType::F16 | ValueType::U16 | ValueType::U32)
            }
            _ => true,
        }
    }

    /// The codec, for values of this type.
    pub fn codec(self, value: ValueType) -> Result<Box<dyn Codec>> {
        Ok(match self {
            Method::Zlib(level) => Box::new(native::Zlib::new(level)?),
            Method::ZlibRs(level) => Box::new(bytes::ZlibRs::new(level)),
            Method::Libdeflate(level) => Box::new(bytes::Libdeflate::new(level)?),
            Method::Zstd(level) => Box::new(bytes::Zstd::new(level)?),
            Method::Lz4 => Box::new(bytes::Lz4 { level: None }),
            Method::Lz4Hc(level) => Box::new(bytes::Lz4 { level: Some(level) }),
            Method::Pco(level) => Box::new(numbers::Pco::new(value, level)),
            Method::Solio(effort) => Box::new(numbers::Solio::new(value, effort)?),
            Method::Meshopt(level) => Box::new(numbers::Meshopt::new(level)),
            #[cfg(feature = "zfp")]
            Method::ZfpFloat => Box::new(numbers::Zfp::floats(value)?),
            #[cfg(feature = "zfp")]
            Method::ZfpInteger => Box::new(numbers::Zfp::integers(value)?),
        })
    }
}

/// A codec whose output another one packs again.
pub struct Then {
    first: Box<dyn Codec>,
    second: Box<dyn Codec>,
    between: Vec<u8>,
}

impl Then {
    /// `first`, then Zstandard at `level`.
    pub fn zstd(first: Box<dyn Codec>, level: i32) -> Result<Then> {
        Ok(Then { first, second: Box::new(bytes::Zstd::new(level)?), between: Vec::new() })
    }
}

impl Codec for Then {
    fn bound(&mut self, shape: &Shape) -> usize {
        let between = self.first.bound(shape);
        4 + self.second.bound(&bytes_shape(between))
    }

    fn encode(&mut self, shape: &Shape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let bound = self.first.bound(shape);
        if self.between.len() < bound {
            self.between.resize(bound, 0);
        }
        let length = self.first.encode(shape, from, &mut self.between)?;
        let (head, rest) = to.split_at_mut(4);
        head.copy_from_slice(&(length as u32).to_le_bytes());
        Ok(4 + self.second.encode(&bytes_shape(length), &self.between[..length], rest)?)
    }

    fn decode(&mut self, shape: &Shape, from: &[u8], to: &mut [u8]) -> Result<()> {
        let Some((length, from)) = from.split_first_chunk::<4>() else {
            return Err(damaged("the length is missing"));
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.first.bound(shape) {
            return Err(damaged("the length is too large"));
        }
        if self.between.len() < length {
            self.between.resize(length, 0);
        }
        let between = &mut self.between[..length];
        self.second.decode(&bytes_shape(length), from, between)?;
        self.first.decode(shape, between, to)
    }
}

fn bytes_shape(length: usize) -> Shape {
    Shape { bytes: 1, planes: 1, rows: 1, channels: 1, width: length }
}

/// The error of a codec that cannot read what it wrote.
fn damaged(why: impl std::fmt::Display) -> solio_base::Error {
    solio_base::Error::corrupt(why.to_string())
}

#[cfg(test)]
mod tests;
