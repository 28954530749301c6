//! The codec of arrays: samples of images and of meshes, made small without loss.
//!
//! A chunk holds some planes: the samples of one channel in some scanlines, or one coordinate of
//! some vertices. Each is predicted, and the differences are coded in the way that suits them:
//!
//! ```text
//! head       8 bytes a plane: u8 prediction, u8 method, u16 base (65535: none), u32 size
//! planes     as many bytes as the heads say, plane after plane
//! ```
//!
//! Samples are taken as whole numbers: of floats the bits, of negative ones all but the sign
//! inverted, so that their order is that of the floats. A plane with a base is the difference of
//! its numbers from those of the base, which has none itself. Or the numbers are replaced by their
//! ranks among those that occur, which stand before the rest then ([`ranks`]; 128 is added to the
//! prediction). Then comes the prediction
//! ([`Prediction`]), and the zigzagged differences `v` are stored by a method:
//!
//! | method | what is stored |
//! |---|---|
//! | 0 | the first one; all others are zero |
//! | 1 | the lowest bits of 16-bit numbers as they are, the rest as bytes ([`low_bits`]) |
//! | 2 | classes as bytes, and the bits that tell apart the numbers of a class ([`class`]) |
//! | 3 | all lowest bytes, then all next ones, and so on |
//! | 4, 5 | instead of differences the samples, by codes that depend on what is around ([`context`]) |
//!
//! Bytes are stored as they are, as one, by a prefix code, or by zstd ([`bytes`]).
//! `docs/formats/array.md` has all of it.

use solio_base::named_enum;

mod bytes;
mod choose;
mod class;
mod context;
mod cursor;
mod decode;
mod encode;
mod estimate;
pub mod file;
mod huffman;
mod low_bits;
mod method;
mod predict;
mod prefix;
mod ranks;
#[cfg(test)]
mod tests;

pub use choose::bits_of_numbers;
pub use decode::ArrayDecoder;
pub use encode::{ArrayEncoder, Effort};
pub use predict::Prediction;

named_enum! {
    /// What a sample is.
    ///
    /// ```
    /// use solio_codec::array::Element;
    /// // The types that an OpenEXR channel may have.
    /// let of_channels = [Element::U32, Element::Half, Element::Float];
    /// assert_eq!(of_channels.map(Element::bytes), [4, 2, 4]);
    /// ```
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Element {
        /// A whole number of 8 bits.
        U8 = "uint8",
        /// A whole number of 16 bits.
        U16 = "uint16",
        /// A whole number of 32 bits.
        U32 = "uint32",
        /// A float of 16 bits (IEEE 754 binary16).
        Half = "float16",
        /// A float of 32 bits.
        Float = "float32",
        /// A float of 64 bits.
        Double = "float64",
    }

    /// The name that NumPy has for it.
    ///
    /// ```
    /// use solio_codec::array::Element;
    /// assert_eq!(Element::Half.name(), "float16");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_codec::array::Element;
    /// assert_eq!(Element::of_name("uint8"), Some(Element::U8));
    /// assert_eq!(Element::of_name("int8"), None);
    /// ```
    pub fn of_name;
}

impl Element {
    /// Bytes of a sample.
    ///
    /// ```
    /// use solio_codec::array::Element;
    /// // RGB in halves, in full HD.
    /// assert_eq!(1920 * 1080 * 3 * Element::Half.bytes(), 12_441_600);
    /// ```
    pub fn bytes(self) -> usize {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::Half => 2,
            Element::U32 | Element::Float => 4,
            Element::Double => 8,
        }
    }

    /// Whether samples have a sign bit, and an order that differs from that of their bits.
    ///
    /// ```
    /// use solio_codec::array::Element;
    /// assert!(Element::Float.is_float() && !Element::U32.is_float());
    /// // Why it matters: as whole numbers, the bits of −1 are the larger ones.
    /// assert!((-1.0f32).to_bits() > 1.0f32.to_bits());
    /// ```
    pub fn is_float(self) -> bool {
        matches!(self, Element::Half | Element::Float | Element::Double)
    }
}

/// Where the samples of a plane lie among the bytes of a chunk, lowest byte first.
///
/// ```
/// use solio_codec::array::{ArrayDecoder, Effort, Element, ArrayEncoder, SamplePlane};
/// // The green samples of RGB with 16 bits, two rows of three pixels.
/// let green =
///     SamplePlane { element: Element::U16, width: 3, rows: 2, start: 2, step: 6, row_step: 18 };
/// let image: Vec<u8> = (1..37).collect();
/// let mut packed = Vec::new();
/// ArrayEncoder::new(Effort::Fast)?.encode(&image, &[green], &mut packed)?;
/// let mut to = [0; 36];
/// ArrayDecoder::default().decode(&packed, &[green], &mut to)?;
/// // Red and blue are left alone.
/// assert_eq!(to[..8], [0, 0, 3, 4, 0, 0, 0, 0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePlane {
    /// What they are.
    pub element: Element,
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub rows: usize,
    /// The byte at which the first sample begins.
    pub start: usize,
    /// Bytes from a sample to the one to the right: those of a sample where nothing lies between.
    pub step: usize,
    /// Bytes from a row to the next one.
    pub row_step: usize,
}

impl SamplePlane {
    /// Samples.
    ///
    /// ```
    /// use solio_codec::array::{Element, SamplePlane};
    /// // The heights of a million vertices with three coordinates each.
    /// let (element, width, step) = (Element::Float, 1_000_000, 12);
    /// let heights = SamplePlane { element, width, rows: 1, start: 8, step, row_step: width * step };
    /// assert_eq!(heights.count(), 1_000_000);
    /// ```
    pub fn count(&self) -> usize {
        self.width * self.rows
    }

    /// Whether all samples lie within so many bytes.
    pub(crate) fn is_within(&self, length: usize) -> bool {
        let end = || {
            let across = self.width.checked_sub(1)?.checked_mul(self.step)?;
            let down = self.rows.checked_sub(1)?.checked_mul(self.row_step)?;
            self.start.checked_add(across)?.checked_add(down)?.checked_add(self.element.bytes())
        };
        self.width == 0 || self.rows == 0 || end().is_some_and(|end| end <= length)
    }

    /// Whether samples of the same kind stand at the same places of two planes.
    fn is_like(&self, other: &SamplePlane) -> bool {
        (self.element, self.width, self.rows) == (other.element, other.width, other.rows)
    }
}

/// Bytes of a plane's head.
const HEAD: usize = 8;
/// The bit beside the prediction of a plane whose samples are ranks.
const RANKED: u8 = 0x80;
/// No base.
const NO_BASE: u16 = u16::MAX;

/// How differences are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResidualMethod {
    Zeros = 0,
    LowBits = 1,
    Classes = 2,
    Bytes = 3,
    Median = 4,
    Mean = 5,
}
