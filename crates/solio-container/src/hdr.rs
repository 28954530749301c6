//! Radiance HDR: lines of text, an empty one, then the size (Radiance, `color.h` and `resolu.h`).

use crate::{ByteView, ColorModel, ContainerHeader, SampleKind};
use solio_kinds::HEAD_BYTES;
use std::ops::Range;

/// What the lines before the pixels say.
#[derive(Clone, Debug, PartialEq)]
pub struct HdrHeader {
    /// Columns of the picture as it is meant to be seen.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The directions in which the pixels follow each other: `-Y +X` is from the top, then from the
    /// left.
    pub order: String,
    /// The colours are CIE XYZ, and not red, green and blue.
    pub is_xyz: bool,
    /// The width of a pixel in parts of its height.
    pub pixel_aspect: f32,
    /// The bytes of the line that says the size, without its end.
    pub size_line: Range<usize>,
}

impl HdrHeader {
    /// Of the file that `view` shows; `None` where there is no size.
    ///
    /// ```
    /// use solio_container::ByteView;
    /// use solio_container::hdr::HdrHeader;
    /// let file = b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n+X 768 -Y 512\n";
    /// let header = HdrHeader::of(ByteView::memory(file)).unwrap();
    /// assert_eq!((header.width, header.height, header.is_xyz), (768, 512, true));
    /// assert_eq!(header.order, "+X -Y");
    /// ```
    pub fn of(view: ByteView<'_>) -> Option<HdrHeader> {
        let text = view.get(0, view.len().min(HEAD_BYTES as u64) as usize)?;
        let (mut is_xyz, mut pixel_aspect, mut start) = (false, 1.0, 0);
        for line in text.split(|byte| *byte == b'\n') {
            let size_line = start..start + line.len();
            start = size_line.end + 1;
            let Ok(line) = std::str::from_utf8(line) else { continue };
            is_xyz |= line.trim() == "FORMAT=32-bit_rle_xyze";
            // Height over width; several are multiplied.
            if let Some(Ok(ratio)) =
                line.strip_prefix("PIXASPECT=").map(|v| v.trim().parse::<f32>())
                && ratio.is_finite()
                && ratio > 0.0
            {
                pixel_aspect /= ratio;
            }
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let [first, first_count, second, second_count] = words[..] else { continue };
            let (Ok(a), Ok(b)) = (first_count.parse(), second_count.parse()) else { continue };
            let [width, height] =
                match [first, second].map(|axis| axis.trim_start_matches(['+', '-'])) {
                    ["Y", "X"] => [b, a],
                    ["X", "Y"] => [a, b],
                    _ => continue,
                };
            let order = format!("{first} {second}");
            return Some(HdrHeader { width, height, order, is_xyz, pixel_aspect, size_line });
        }
        None
    }

    /// How the rows of the file lie in the picture, from 1 to 8 as Exif counts it; `None` for an order
    /// that is none.
    ///
    /// ```
    /// use solio_container::ByteView;
    /// use solio_container::hdr::HdrHeader;
    /// let turned = |size: &str| {
    ///     let file = format!("#?RADIANCE\n\n{size}\n");
    ///     HdrHeader::of(ByteView::memory(file.as_bytes()))?.orientation()
    /// };
    /// assert_eq!((turned("-Y 2 +X 3"), turned("+Y 2 +X 3"), turned("+X 2 -Y 3")), (Some(1), Some(4), Some(5)));
    /// ```
    pub fn orientation(&self) -> Option<u8> {
        // The first axis goes from row to row, the second along a row; Y goes up.
        Some(match self.order.as_str() {
            "-Y +X" => 1,
            "-Y -X" => 2,
            "+Y -X" => 3,
            "+Y +X" => 4,
            "+X -Y" => 5,
            "-X -Y" => 6,
            "-X +Y" => 7,
            "+X +Y" => 8,
            _ => return None,
        })
    }
}

/// Three mantissas and an exponent of eight bits a pixel, which make floats of 32 bits.
pub(crate) fn header(view: ByteView<'_>) -> Option<ContainerHeader> {
    let HdrHeader { width, height, is_xyz, .. } = HdrHeader::of(view)?;
    let color = if is_xyz { ColorModel::Xyz } else { ColorModel::Rgb };
    let (bits, channels, sample) = (32, 3, SampleKind::Float);
    Some(ContainerHeader { width, height, bits, channels, sample, color, has_profile: false })
}
