//! Arrays cut into chunks, which are packed one by one.

use crate::array::{Array, Layout};
use solio_codec::filter::FilterShape;
use std::ops::Range;

/// Elements of a list that count as one line.
const LINE_ELEMENTS: usize = 1024;

/// How much is packed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChunkSize {
    /// So many rows of an image, or times 1,024 elements of a list.
    Lines(usize),
    /// All of it.
    Whole,
    /// As the method itself does it.
    Own,
}

impl ChunkSize {
    /// In words.
    pub fn name(self) -> String {
        match self {
            ChunkSize::Lines(1) => "1 line".into(),
            ChunkSize::Lines(lines) => format!("{lines} lines"),
            ChunkSize::Whole => "whole".into(),
            ChunkSize::Own => "own".into(),
        }
    }
}

/// An array in chunks, each with its values line by line.
pub(crate) struct Chunked {
    pub(crate) bytes: Vec<u8>,
    pub(crate) chunks: Vec<(FilterShape, Range<usize>)>,
}

/// Cuts `array`.
pub(crate) fn cut(array: &Array, size: ChunkSize) -> Chunked {
    let (channels, bytes) = (array.channels.len(), array.value.bytes());
    let mut chunked = Chunked { bytes: Vec::with_capacity(array.bytes.len()), chunks: Vec::new() };
    let (total, unit) = match array.layout {
        Layout::Rows { rows, .. } => (rows, 1),
        Layout::Elements { count } => (count, LINE_ELEMENTS),
    };
    let step = match size {
        ChunkSize::Lines(lines) => lines.max(1) * unit,
        ChunkSize::Whole | ChunkSize::Own => total.max(1),
    };
    for start in (0..total).step_by(step) {
        let count = step.min(total - start);
        let from = chunked.bytes.len();
        let shape = match array.layout {
            Layout::Rows { width, .. } => {
                let row = width * array.element_bytes();
                chunked.bytes.extend_from_slice(&array.bytes[start * row..][..count * row]);
                FilterShape { bytes, planes: 1, rows: count, channels, width }
            }
            Layout::Elements { .. } => {
                let element = array.element_bytes();
                let elements = &array.bytes[start * element..][..count * element];
                for channel in 0..channels {
                    for one in elements.chunks_exact(element) {
                        chunked.bytes.extend_from_slice(&one[channel * bytes..][..bytes]);
                    }
                }
                FilterShape { bytes, planes: 1, rows: 1, channels, width: count }
            }
        };
        chunked.chunks.push((shape, from..chunked.bytes.len()));
    }
    chunked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Kind, ValueType};

    #[test]
    fn lists_are_cut_and_their_channels_parted() {
        let count = 2500;
        let bytes: Vec<u8> = (0..count).flat_map(|i| [i as u8, 100, 200]).collect();
        let array = Array {
            file: "a.ply".into(),
            name: "positions".into(),
            kind: Kind::MeshPositions,
            value: ValueType::U8,
            channels: ["x", "y", "z"].map(String::from).to_vec(),
            layout: Layout::Elements { count },
            whole_bytes: bytes.len() as u64,
            bytes,
        };
        let cut_up = cut(&array, ChunkSize::Lines(1));
        assert_eq!(
            cut_up.chunks.iter().map(|(s, _)| s.width).collect::<Vec<_>>(),
            [1024, 1024, 452]
        );
        let (shape, range) = &cut_up.chunks[2];
        assert_eq!((shape.rows, shape.channels, shape.size_bytes()), (1, 3, range.len()));
        let last = &cut_up.bytes[range.clone()];
        assert_eq!((last[0], last[452], last[2 * 452]), (2048u32 as u8, 100, 200));
        assert_eq!(cut(&array, ChunkSize::Whole).chunks.len(), 1);
        assert_eq!(cut_up.bytes.len(), array.bytes.len());
    }
}
