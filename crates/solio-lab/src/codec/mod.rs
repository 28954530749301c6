//! Codecs: what packs a filtered chunk, through the libraries that people use.

mod bytes;
mod native;
mod numbers;

use crate::array::ValueType;
use solio_base::Result;
use solio_codec::array::Effort;
use solio_codec::filter::FilterShape;

/// What packs chunks and unpacks them. One is kept for all chunks of an array, with its memory.
///
/// ```
/// use solio_base::Result;
/// use solio_codec::filter::FilterShape;
/// use solio_lab::codec::Codec;
/// /// Packs nothing: what the memory alone can do.
/// struct Stored;
/// impl Codec for Stored {
///     fn bound(&mut self, shape: &FilterShape) -> usize {
///         shape.size_bytes()
///     }
///     fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
///         to[..from.len()].copy_from_slice(from);
///         Ok(from.len())
///     }
///     fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
///         to.copy_from_slice(from);
///         Ok(())
///     }
/// }
/// let shape = FilterShape { bytes: 2, planes: 1, rows: 1, channels: 1, width: 2 };
/// let mut packed = vec![0; Stored.bound(&shape)];
/// assert_eq!(Stored.encode(&shape, &[1, 2, 3, 4], &mut packed)?, 4);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub trait Codec {
    /// The most bytes that values of `shape` are packed to.
    ///
    /// ```
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::{ValueType, codec::Method};
    /// let shape = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 1000 };
    /// // What cannot be packed gets a little longer.
    /// let mut codec = Method::Lz4.codec(ValueType::U8)?;
    /// assert!(codec.bound(&shape) > shape.size_bytes());
    /// assert!(codec.bound(&shape) < 1100);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    fn bound(&mut self, shape: &FilterShape) -> usize;

    /// Packs values of `shape` to the start of `to`, which has as many bytes as
    /// [`Codec::bound`] says; gives their number.
    ///
    /// ```
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::{ValueType, codec::Method};
    /// let shape = FilterShape { bytes: 2, planes: 1, rows: 4, channels: 3, width: 100 };
    /// let mut codec = Method::Zstd(1).codec(ValueType::F16)?;
    /// // A black tile.
    /// let mut packed = vec![0; codec.bound(&shape)];
    /// let length = codec.encode(&shape, &vec![0; shape.size_bytes()], &mut packed)?;
    /// assert!(length < 50);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    fn encode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize>;

    /// Undoes [`Codec::encode`]: fills `to`, which has the bytes of `shape`.
    ///
    /// ```
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::{ValueType, codec::Method};
    /// let shape = FilterShape { bytes: 4, planes: 1, rows: 1, channels: 1, width: 3 };
    /// let ids: Vec<u8> = [7_u32, 8, 9].iter().flat_map(|id| id.to_ne_bytes()).collect();
    /// let mut codec = Method::Pco(8).codec(ValueType::U32)?;
    /// let mut packed = vec![0; codec.bound(&shape)];
    /// let length = codec.encode(&shape, &ids, &mut packed)?;
    /// let mut again = vec![0; shape.size_bytes()];
    /// codec.decode(&shape, &packed[..length], &mut again)?;
    /// assert_eq!(again, ids);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    fn decode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()>;

    /// Copies what was unpacked to `to`, for one that unpacks to memory of its own; is not timed.
    ///
    /// ```
    /// use solio_base::Result;
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::codec::Codec;
    /// /// A library that gives memory of its own.
    /// struct Foreign(Vec<u8>);
    /// impl Codec for Foreign {
    /// #     fn bound(&mut self, shape: &FilterShape) -> usize { shape.size_bytes() }
    /// #     fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
    /// #         to[..from.len()].copy_from_slice(from);
    /// #         Ok(from.len())
    /// #     }
    ///     fn decode(&mut self, _: &FilterShape, from: &[u8], _to: &mut [u8]) -> Result<()> {
    ///         self.0 = from.to_vec();
    ///         Ok(())
    ///     }
    ///     fn show(&mut self, to: &mut [u8]) {
    ///         to.copy_from_slice(&self.0);
    ///     }
    /// }
    /// # let shape = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 3 };
    /// let (mut codec, mut pixels) = (Foreign(Vec::new()), [0; 3]);
    /// codec.decode(&shape, &[1, 2, 3], &mut pixels)?;
    /// assert_eq!(pixels, [0; 3]);
    /// codec.show(&mut pixels);
    /// assert_eq!(pixels, [1, 2, 3]);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    fn show(&mut self, _to: &mut [u8]) {}
}

/// Which codec, and how hard it tries.
///
/// ```
/// use solio_codec::filter::FilterShape;
/// use solio_lab::{ValueType, codec::Method};
/// // Numbers that rise: LZ77 finds nothing that repeats, Pcodec sees what they are.
/// let shape = FilterShape { bytes: 4, planes: 1, rows: 1, channels: 1, width: 4096 };
/// let ids: Vec<u8> = (0..4096_u32).flat_map(|i| (i * 1_000).to_ne_bytes()).collect();
/// let size = |method: Method| {
///     let mut codec = method.codec(ValueType::U32)?;
///     let mut packed = vec![0; codec.bound(&shape)];
///     codec.encode(&shape, &ids, &mut packed)
/// };
/// assert!(size(Method::Pco(8))? * 10 < size(Method::Lz4)?);
/// # Ok::<(), solio_base::Error>(())
/// ```
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
    ///
    /// ```
    /// use solio_codec::array::Effort;
    /// use solio_lab::codec::Method;
    /// assert_eq!(Method::Zstd(3).name(), "zstd");
    /// // Its efforts are no levels, and stand in the name.
    /// assert_eq!(Method::Solio(Effort::Max).name(), "solio max");
    /// ```
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
    ///
    /// ```
    /// use solio_lab::codec::Method;
    /// assert_eq!(Method::Zstd(-5).level(), Some(-5));
    /// assert_eq!(Method::Lz4.level(), None);
    /// ```
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
    ///
    /// ```
    /// use solio_codec::array::Effort;
    /// use solio_lab::{ValueType, codec::Method};
    /// assert!(Method::Solio(Effort::Fast).suits(ValueType::F32, 3));
    /// assert!(!Method::Solio(Effort::Fast).suits(ValueType::U64, 1));
    /// // An element of meshoptimizer has 256 bytes at most.
    /// assert!(Method::Meshopt(2).suits(ValueType::F32, 64));
    /// assert!(!Method::Meshopt(2).suits(ValueType::F32, 65));
    /// ```
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
    ///
    /// ```
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::{ValueType, codec::Method};
    /// // Whatever wrote a zlib stream, the others read it.
    /// let shape = FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: 5 };
    /// let mut writer = Method::Libdeflate(12).codec(ValueType::U8)?;
    /// let mut packed = vec![0; writer.bound(&shape)];
    /// let length = writer.encode(&shape, b"pixel", &mut packed)?;
    /// let mut again = [0; 5];
    /// Method::Zlib(6).codec(ValueType::U8)?.decode(&shape, &packed[..length], &mut again)?;
    /// assert_eq!(&again, b"pixel");
    /// # Ok::<(), solio_base::Error>(())
    /// ```
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
///
/// ```
/// use solio_codec::filter::FilterShape;
/// use solio_lab::{ValueType, codec::{Codec, Method, Then}};
/// let shape = FilterShape { bytes: 2, planes: 1, rows: 1, channels: 1, width: 3 };
/// let positions = [1, 0, 2, 0, 4, 0];
/// let mut codec = Then::zstd(Method::Meshopt(2).codec(ValueType::U16)?, 1)?;
/// let mut packed = vec![0; codec.bound(&shape)];
/// let length = codec.encode(&shape, &positions, &mut packed)?;
/// // Both are undone, the last one first.
/// let mut again = [0; 6];
/// codec.decode(&shape, &packed[..length], &mut again)?;
/// assert_eq!(again, positions);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct Then {
    first: Box<dyn Codec>,
    second: Box<dyn Codec>,
    between: Vec<u8>,
}

impl Then {
    /// `first`, then Zstandard at `level`.
    ///
    /// ```
    /// use solio_codec::filter::FilterShape;
    /// use solio_lab::{ValueType, codec::{Codec, Method, Then}};
    /// // meshoptimizer packs each element alike: what repeats is left to another.
    /// let shape = FilterShape { bytes: 2, planes: 1, rows: 1, channels: 2, width: 2000 };
    /// let grid: Vec<u8> = (0..4000_u16).flat_map(|i| (i % 50).to_ne_bytes()).collect();
    /// let size = |mut codec: Box<dyn Codec>| {
    ///     let mut packed = vec![0; codec.bound(&shape)];
    ///     codec.encode(&shape, &grid, &mut packed)
    /// };
    /// let alone = size(Method::Meshopt(2).codec(ValueType::U16)?)?;
    /// let both = size(Box::new(Then::zstd(Method::Meshopt(2).codec(ValueType::U16)?, 1)?))?;
    /// assert!(2 * both < alone);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn zstd(first: Box<dyn Codec>, level: i32) -> Result<Then> {
        Ok(Then { first, second: Box::new(bytes::Zstd::new(level)?), between: Vec::new() })
    }
}

impl Codec for Then {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        let between = self.first.bound(shape);
        4 + self.second.bound(&bytes_shape(between))
    }

    fn encode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let bound = self.first.bound(shape);
        if self.between.len() < bound {
            self.between.resize(bound, 0);
        }
        let length = self.first.encode(shape, from, &mut self.between)?;
        let (head, rest) = to.split_at_mut(4);
        head.copy_from_slice(&(length as u32).to_le_bytes());
        Ok(4 + self.second.encode(&bytes_shape(length), &self.between[..length], rest)?)
    }

    fn decode(&mut self, shape: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
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

fn bytes_shape(length: usize) -> FilterShape {
    FilterShape { bytes: 1, planes: 1, rows: 1, channels: 1, width: length }
}

/// The error of a codec that cannot read what it wrote.
fn damaged(why: impl std::fmt::Display) -> solio_base::Error {
    solio_base::Error::corrupt(why.to_string())
}

#[cfg(test)]
mod tests;
