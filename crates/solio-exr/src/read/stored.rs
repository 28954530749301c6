//! Chunks that are stored as they are: all rows of a job go straight from the file to where they
//! belong, several at once.

use super::chunk::ReadBuffers;
use super::jobs::{ChunkTarget, LevelTask};
use super::store::SampleTarget;
use crate::Compression;
use crate::header::shape::{columns, rows};
use solio_codec::copy::{self, Keep};

/// A channel's row in a row of a chunk: all its bytes, those that are not wanted at its start, and
/// whether any are wanted.
struct StoredLane {
    row: usize,
    skip: usize,
    wanted: bool,
    y_sampling: i32,
}

/// Reads those of `pieces` that can be read so, and takes them out.
pub(super) fn read<'a>(
    task: &LevelTask<'_>,
    buffers: &ReadBuffers,
    pieces: &mut Vec<ChunkTarget<'a>>,
    keep: Keep,
) {
    let shape = task.shape;
    let stored = shape.compression == Compression::None && !shape.kind.is_deep();
    if !stored || !SampleTarget::are_in_order(task.targets, &shape.channels) {
        return;
    }
    // What stands before each chunk is not where the last one ends: it would be waited for.
    if let Some(bytes) = task.of.opened.source.as_bytes() {
        for piece in &*pieces {
            let start = usize::try_from(task.of.table[piece.chunk as usize]).ok();
            copy::fetch(start.and_then(|start| bytes.get(start..)).unwrap_or_default());
        }
    }
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let (mut lanes, mut lanes_for) = (Vec::new(), 0..0);
    pieces.retain_mut(|piece| {
        let Some((window, mut bytes)) = buffers.stored(task.of, piece.chunk) else { return true };
        let block = shape.block(&window);
        if lanes_for != block.x {
            lanes_for = block.x.clone();
            lanes.clear();
            lanes.extend(self::lanes(task, &block));
        }
        let mut of_piece = piece.rows.drain(..);
        for y in block.y.clone() {
            let inside = rows(&task.region).contains(&y);
            for lane in &lanes {
                if lane.y_sampling != 1 && y.rem_euclid(lane.y_sampling) != 0 {
                    continue;
                }
                let (row, rest) = bytes.split_at(lane.row);
                bytes = rest;
                if inside && lane.wanted {
                    let own = of_piece.next().expect("a row was dealt out for it");
                    from.push(&row[lane.skip..][..own.len()]);
                    to.push(own);
                }
            }
        }
        false
    });
    copy::rows(&from, &mut to, keep);
}

/// Of each channel of a chunk.
fn lanes(task: &LevelTask<'_>, block: &crate::Block<'_>) -> impl Iterator<Item = StoredLane> {
    let left = block.x.start..columns(&task.region).start.max(block.x.start);
    let left = crate::Block { x: left, ..block.clone() };
    let channels = block.channels.iter().zip(task.wanted);
    channels.map(move |(channel, wanted)| {
        let bytes = channel.pixel_type.bytes();
        let (row, skip) = (block.row_samples(channel) * bytes, left.row_samples(channel) * bytes);
        StoredLane { row, skip, wanted: *wanted, y_sampling: channel.y_sampling }
    })
}
