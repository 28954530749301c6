//! What one chunk holds once it is decompressed.
//!
//! Row by row from the top, and within a row channel by channel in the order of the header
//! (sorted by name), each channel's samples of that row side by side, little-endian. A channel
//! has samples only where x and y divide by its sampling rates. ("The OpenEXR File Layout",
//! sections "Scan line blocks" and "Tiles".)

use std::ops::Range;

/// How a sample is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PixelType {
    /// 32-bit unsigned integer.
    Uint,
    /// 16-bit floating point number.
    Half,
    /// 32-bit floating point number.
    Float,
}

impl PixelType {
    /// Bytes of a sample.
    pub fn bytes(self) -> usize {
        match self {
            PixelType::Half => 2,
            PixelType::Uint | PixelType::Float => 4,
        }
    }
}

/// One channel of a part, as its header describes it.
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

/// The pixels of one chunk.
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
    pub fn row_samples(&self, channel: &Channel) -> usize {
        self.samples_at(channel.x_sampling)
    }

    /// Samples of a row of a channel with this sampling rate.
    pub(crate) fn samples_at(&self, x_sampling: i32) -> usize {
        multiples(&self.x, x_sampling)
    }

    /// Rows of `channel`.
    pub fn rows(&self, channel: &Channel) -> usize {
        self.rows_at(channel.y_sampling)
    }

    /// Rows of a channel with this sampling rate.
    pub(crate) fn rows_at(&self, y_sampling: i32) -> usize {
        multiples(&self.y, y_sampling)
    }

    /// Whether `channel` has samples in the row `y`.
    pub fn has_row(&self, channel: &Channel, y: i32) -> bool {
        channel.y_sampling == 1 || y.rem_euclid(channel.y_sampling) == 0
    }

    /// Bytes of the whole block, decompressed.
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
