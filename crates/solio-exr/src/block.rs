//! What one chunk holds once it is decompressed.
//!
//! Row by row from the top, and within a row channel by channel in the order of the header
//! (sorted by name), each channel's samples of that row side by side, little-endian. A channel
//! has samples only where x and y divide by its sampling rates. ("The OpenEXR File Layout",
//! sections "Scan line blocks" and "Tiles".)

use crate::name_bytes;
use solio_base::named_enum;
use solio_codec::samples::SampleConversion;
use std::cmp::Ordering;
use std::ops::Range;

named_enum! {
    /// How a sample is stored.
    ///
    /// ```
    /// use solio_exr::PixelType;
    /// use solio_exr::model::Samples;
    /// let depth = Samples::Float(vec![1e-5, 70_000.0].into());
    /// // Half keeps neither the small difference nor the large depth.
    /// let half = depth.converted(PixelType::Half)?;
    /// assert_ne!(half.converted(PixelType::Float)?, depth);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Hash)]
    pub enum PixelType {
        /// 32-bit unsigned integer.
        Uint = "uint32",
        /// 16-bit floating point number.
        Half = "float16",
        /// 32-bit floating point number.
        Float = "float32",
    }

    /// The name that NumPy has for it.
    ///
    /// ```
    /// use solio_exr::PixelType;
    /// assert_eq!(PixelType::Half.name(), "float16");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_exr::PixelType;
    /// assert_eq!(PixelType::of_name("uint32"), Some(PixelType::Uint));
    /// assert_eq!(PixelType::of_name("half"), None);
    /// ```
    pub fn of_name;
}

impl PixelType {
    /// The type that the format calls `number`; `as` gives the number back.
    pub(crate) fn of_number(number: i32) -> Option<PixelType> {
        PixelType::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Bytes of a sample.
    ///
    /// ```
    /// use solio_exr::PixelType;
    /// let row = |channels: &[PixelType]| 1920 * channels.iter().map(|t| t.bytes()).sum::<usize>();
    /// assert_eq!(row(&[PixelType::Half; 3]), 11_520);
    /// assert_eq!(row(&[PixelType::Half, PixelType::Uint]), 11_520);
    /// ```
    pub fn bytes(self) -> usize {
        match self {
            PixelType::Half => 2,
            PixelType::Uint | PixelType::Float => 4,
        }
    }

    /// How samples of this type become samples of another.
    pub(crate) fn conversion(self, to: PixelType) -> Option<SampleConversion> {
        Some(match (self, to) {
            (PixelType::Half, PixelType::Float) => SampleConversion::HalfToFloat,
            (PixelType::Half, PixelType::Uint) => SampleConversion::HalfToUint,
            (PixelType::Float, PixelType::Half) => SampleConversion::FloatToHalf,
            (PixelType::Float, PixelType::Uint) => SampleConversion::FloatToUint,
            (PixelType::Uint, PixelType::Half) => SampleConversion::UintToHalf,
            (PixelType::Uint, PixelType::Float) => SampleConversion::UintToFloat,
            (PixelType::Half, PixelType::Half)
            | (PixelType::Float, PixelType::Float)
            | (PixelType::Uint, PixelType::Uint) => return None,
        })
    }
}

/// One channel of a part, as its header describes it.
///
/// ```
/// use solio_exr::{Channel, Compression, PixelType, header::{Box2i, Part}};
/// let color = |name: &str, sampling| {
///     let channel = Channel::new(name, PixelType::Half);
///     Channel { x_sampling: sampling, y_sampling: sampling, ..channel }
/// };
/// // Luminance, and colour at half the size; it has to divide the window.
/// let channels = vec![color("Y", 1), color("RY", 2), color("BY", 2)];
/// let part = |width| Part::new(Box2i::of_size(width, 4), Compression::Piz, channels.clone());
/// assert!(part(6).shape().is_ok() && part(7).shape().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Name with its layers: `diffuse.left.R`. Bytes that are not UTF-8 are characters from U+EF80
    /// on.
    pub name: String,
    /// How a sample is stored.
    pub pixel_type: PixelType,
    /// Whether lossy methods may quantise its values directly (`pLinear`), not their logarithm.
    pub linear: bool,
    /// One sample for so many columns, at least 1.
    pub x_sampling: i32,
    /// One sample for so many rows, at least 1.
    pub y_sampling: i32,
}

impl Channel {
    /// A channel with a sample for each pixel.
    ///
    /// ```
    /// use solio_exr::{Channel, PixelType};
    /// let depth = Channel::new("Z", PixelType::Float);
    /// assert_eq!((depth.x_sampling, depth.y_sampling, depth.linear), (1, 1, false));
    /// ```
    pub fn new(name: impl Into<String>, pixel_type: PixelType) -> Channel {
        Channel { name: name.into(), pixel_type, linear: false, x_sampling: 1, y_sampling: 1 }
    }

    /// The counts of a deep part, seen as a channel.
    pub(crate) fn counts() -> Channel {
        Channel::new("counts", PixelType::Uint)
    }

    /// The order of channels in a file: by the bytes of their names there.
    ///
    /// ```
    /// use solio_exr::{Channel, PixelType};
    /// let channel = |name: &str| Channel::new(name, PixelType::Half);
    /// // Two bytes of UTF-8; the byte 80, which is none.
    /// let mut channels = ["é", "\u{ef80}", "R"].map(channel);
    /// channels.sort_by(Channel::by_name);
    /// assert_eq!(channels.map(|channel| channel.name), ["R", "\u{ef80}", "é"]);
    /// ```
    pub fn by_name(&self, other: &Channel) -> Ordering {
        name_bytes::encode(&self.name).cmp(&name_bytes::encode(&other.name))
    }
}

/// The pixels of one chunk.
///
/// ```
/// use solio_exr::{Block, Channel, PixelType};
/// let channel = |name: &str| Channel::new(name, PixelType::Half);
/// let channels = ["B", "G", "R"].map(channel);
/// // The rows of a tile that the edge of the image cuts off.
/// let block = Block { channels: &channels, x: 0..64, y: 1024..1080 };
/// assert_eq!(block.bytes(), 64 * 56 * 3 * 2);
/// ```
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// All channels of the part, in the order of the header.
    pub channels: &'a [Channel],
    /// Columns, in the coordinates of the data window; with levels, in those of the level.
    pub x: Range<i32>,
    /// Rows.
    pub y: Range<i32>,
}

impl Block<'_> {
    /// Samples of `channel` in each row that has any.
    ///
    /// ```
    /// # use solio_exr::{Block, Channel, PixelType};
    /// # let name = "RY".to_owned();
    /// # let pixel_type = PixelType::Half;
    /// let chroma = Channel { x_sampling: 2, y_sampling: 2, ..Channel::new(name, pixel_type) };
    /// // The columns that divide by 2: -2, 0 and 2.
    /// let block = Block { channels: std::slice::from_ref(&chroma), x: -3..4, y: 0..1 };
    /// assert_eq!(block.row_samples(&chroma), 3);
    /// ```
    pub fn row_samples(&self, channel: &Channel) -> usize {
        self.samples_at(channel.x_sampling)
    }

    /// Samples of a row of a channel with this sampling rate.
    pub(crate) fn samples_at(&self, x_sampling: i32) -> usize {
        multiples(&self.x, x_sampling)
    }

    /// Rows of `channel`.
    ///
    /// ```
    /// # use solio_exr::{Block, Channel, PixelType};
    /// # let name = "BY".to_owned();
    /// # let pixel_type = PixelType::Half;
    /// let chroma = Channel { x_sampling: 2, y_sampling: 2, ..Channel::new(name, pixel_type) };
    /// let at = |y| Block { channels: std::slice::from_ref(&chroma), x: 0..8, y }.rows(&chroma);
    /// assert_eq!((at(0..16), at(15..16)), (8, 0)); // a chunk may have no row of it
    /// ```
    pub fn rows(&self, channel: &Channel) -> usize {
        self.rows_at(channel.y_sampling)
    }

    /// Rows of a channel with this sampling rate.
    pub(crate) fn rows_at(&self, y_sampling: i32) -> usize {
        multiples(&self.y, y_sampling)
    }

    /// Whether `channel` has samples in the row `y`.
    ///
    /// ```
    /// # use solio_exr::{Block, Channel, PixelType};
    /// # let name = "RY".to_owned();
    /// # let pixel_type = PixelType::Half;
    /// let chroma = Channel { x_sampling: 2, y_sampling: 2, ..Channel::new(name, pixel_type) };
    /// let block = Block { channels: std::slice::from_ref(&chroma), x: 0..8, y: -2..2 };
    /// let rows: Vec<i32> = block.y.clone().filter(|&y| block.has_row(&chroma, y)).collect();
    /// assert_eq!(rows, [-2, 0]);
    /// ```
    pub fn has_row(&self, channel: &Channel, y: i32) -> bool {
        channel.y_sampling == 1 || y.rem_euclid(channel.y_sampling) == 0
    }

    /// Bytes of the whole block, decompressed.
    ///
    /// ```
    /// # use solio_exr::{Block, Channel, PixelType};
    /// # let channel = |name: &str, sampling| {
    /// #     let channel = Channel::new(name, PixelType::Half);
    /// #     Channel { x_sampling: sampling, y_sampling: sampling, ..channel }
    /// # };
    /// let channels = [channel("BY", 2), channel("RY", 2), channel("Y", 1)];
    /// let block = Block { channels: &channels, x: 0..100, y: 0..16 };
    /// assert_eq!(block.bytes(), 100 * 16 * 2 + 2 * (50 * 8 * 2)); // half of three full planes
    /// ```
    pub fn bytes(&self) -> u64 {
        let bytes = |channel: &Channel| {
            let row = self.row_samples(channel) as u64 * channel.pixel_type.bytes() as u64;
            row.saturating_mul(self.rows(channel) as u64)
        };
        self.channels.iter().map(bytes).fold(0, u64::saturating_add)
    }
}

/// The samples of one deep chunk: row by row, in each channel by channel, all samples of the row
/// side by side. Deep channels are not subsampled.
///
/// ```
/// # use solio_exr::{Channel, PixelType, block::DeepBlock};
/// # let channel = |name: &str, pixel_type| Channel::new(name, pixel_type);
/// let channels = [channel("A", PixelType::Half), channel("Z", PixelType::Float)];
/// let block = DeepBlock { channels: &channels, row_samples: &[0, 5, 2] };
/// let samples: u64 = block.row_samples.iter().sum();
/// let bytes: usize = block.channels.iter().map(|channel| channel.pixel_type.bytes()).sum();
/// assert_eq!(samples * bytes as u64, 42);
/// ```
#[derive(Clone, Debug)]
pub struct DeepBlock<'a> {
    /// All channels of the part, in the order of the header.
    pub channels: &'a [Channel],
    /// How many samples each row has, in every channel.
    pub row_samples: &'a [u64],
}

/// How many numbers of `range` divide by `step`.
fn multiples(range: &Range<i32>, step: i32) -> usize {
    // Nearly always; divisions take longer than all else that is done for a row.
    if step == 1 {
        return usize::try_from(i64::from(range.end) - i64::from(range.start)).unwrap_or(0);
    }
    let below = |end: i32| (i64::from(end) - 1).div_euclid(i64::from(step));
    usize::try_from(below(range.end) - below(range.start)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_where_the_rate_divides() {
        for (start, end, step) in [(0, 10, 1), (0, 10, 2), (-3, 4, 2), (1, 2, 3), (-7, -1, 3)] {
            let counted = (start..end).filter(|x: &i32| x.rem_euclid(step) == 0).count();
            assert_eq!(multiples(&(start..end), step), counted, "{start}..{end} by {step}");
        }
        assert_eq!(multiples(&(5..5), 2), 0);
        assert_eq!(multiples(&(i32::MIN..i32::MAX), 1), u32::MAX as usize);
    }
}
