//! Deep chunks: the counts of a tile or row, then its samples.

use super::chunk::{PartStyle, WriteBuffers, keep_smaller};
use crate::Channel;
use crate::block::DeepBlock;
use crate::chunk::{Leader, leader_bytes};
use crate::codec;
use crate::header::shape::{ChunkPlace, Shape, rows};
use crate::model::DeepLevel;
use solio_base::{Error, Result};

/// Where the samples of each pixel start, and where the last ones end.
pub(super) fn starts(level: &DeepLevel<'_>) -> Vec<u64> {
    let mut starts = Vec::with_capacity(level.counts.len() + 1);
    let mut at = 0;
    starts.push(0);
    for count in level.counts.iter() {
        at += u64::from(*count);
        starts.push(at);
    }
    starts
}

/// Appends a chunk of a level whose pixels are `pixels` and whose samples start at `starts`.
pub(super) fn chunk(
    (pixels, starts): (&DeepLevel<'_>, &[u64]),
    shape: &Shape,
    mut leader: Leader,
    place: &ChunkPlace,
    style: PartStyle,
    buffers: &mut WriteBuffers,
    out: &mut Vec<u8>,
) -> Result<()> {
    let WriteBuffers { raw, scratch } = buffers;
    let head = out.len();
    out.resize(head + leader_bytes(shape.kind, style.multipart), 0);

    // The pixels of each row of the chunk, as indices into the level.
    let (width, across) = (place.window.width() as usize, pixels.window.width() as usize);
    let [left, top] =
        [0, 1].map(|axis| (place.window.min[axis] - shape.data_window.min[axis]) as usize);
    let of_row = |row: usize| {
        let start = (top + row) * across + left;
        start..start + width
    };
    let pixel_rows = (0..place.window.height() as usize).map(of_row);

    raw.clear();
    let mut row_samples = Vec::new();
    for (row, y) in pixel_rows.clone().zip(rows(&place.window)) {
        let first = starts[row.start];
        for end in &starts[row.start + 1..=row.end] {
            let up_to = i32::try_from(end - first)
                .map_err(|_| Error::argument(format!("row {y} has more than 2^31 - 1 samples")))?;
            raw.extend_from_slice(&up_to.to_le_bytes());
        }
        row_samples.push(starts[row.end] - first);
    }
    let start = out.len();
    let row_counts = vec![width as u64; row_samples.len()];
    let block = DeepBlock { channels: &[Channel::counts()], row_samples: &row_counts };
    codec::encode_deep(shape.compression, style.pack, &block, raw, out, scratch)?;
    keep_smaller(raw, start, out);
    leader.counts = (out.len() - start) as u64;

    raw.clear();
    for row in pixel_rows {
        let (first, last) = (starts[row.start] as usize, starts[row.end] as usize);
        for plane in &pixels.planes {
            let bytes = plane.channel.pixel_type.bytes();
            raw.extend_from_slice(&plane.samples.as_bytes()[first * bytes..last * bytes]);
        }
    }
    let start = out.len();
    let block = DeepBlock { channels: &shape.channels, row_samples: &row_samples };
    codec::encode_deep(shape.compression, style.pack, &block, raw, out, scratch)?;
    keep_smaller(raw, start, out);
    leader.data = (out.len() - start) as u64;
    leader.unpacked = raw.len() as u64;

    let mut bytes = Vec::new();
    leader.encode(shape.kind, style.multipart, &mut bytes);
    out[head..head + bytes.len()].copy_from_slice(&bytes);
    Ok(())
}
