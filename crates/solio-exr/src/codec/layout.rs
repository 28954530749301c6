//! Where the rows of each channel lie in a chunk.
//!
//! A chunk goes row by row and within a row channel by channel; most methods work on one channel
//! at a time.

use crate::Block;

/// One channel's rows in a chunk.
pub(super) struct ChannelLane {
    /// Index of the channel in the block.
    pub(super) channel: usize,
    /// Samples of a row.
    pub(super) samples: usize,
    /// Bytes of a row.
    pub(super) row_bytes: usize,
    /// Where each row begins in the chunk.
    pub(super) rows: Vec<usize>,
}

impl ChannelLane {
    /// Bytes of all rows.
    pub(super) fn bytes(&self) -> usize {
        self.row_bytes * self.rows.len()
    }
}

/// The lanes of all channels; those without samples have no rows.
pub(super) fn lanes(block: &Block) -> Vec<ChannelLane> {
    let mut lanes: Vec<ChannelLane> = block
        .channels
        .iter()
        .enumerate()
        .map(|(channel, c)| {
            let samples = block.row_samples(c);
            let row_bytes = samples * c.pixel_type.bytes();
            let rows = if samples == 0 { 0 } else { block.rows(c) };
            ChannelLane { channel, samples, row_bytes, rows: Vec::with_capacity(rows) }
        })
        .collect();
    let mut start = 0;
    for y in block.y.clone() {
        for (lane, channel) in lanes.iter_mut().zip(block.channels) {
            if lane.samples > 0 && block.has_row(channel, y) {
                lane.rows.push(start);
                start += lane.row_bytes;
            }
        }
    }
    lanes
}

/// Index of the channel and number of samples of each row of the chunk, in its order.
pub(super) fn rows<'a>(block: &'a Block) -> impl Iterator<Item = (usize, usize)> + 'a {
    let samples: Vec<usize> = block.channels.iter().map(|c| block.row_samples(c)).collect();
    block.y.clone().flat_map(move |y| {
        let here: Vec<_> = (block.channels.iter().zip(&samples).enumerate())
            .filter(|(_, (channel, samples))| **samples > 0 && block.has_row(channel, y))
            .map(|(index, (_, samples))| (index, *samples))
            .collect();
        here
    })
}
