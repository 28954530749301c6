//! Flat parts: the rows of the planes are dealt out to the chunks.
//!
//! Why this is fast:
//!
//! * every thread writes its chunks straight into the planes: the rows of all planes are dealt out
//!   beforehand, in the order in which a chunk has them;
//! * chunks that lie side by side are read at once; those that are stored as they are go from the
//!   source into the planes without a stop;
//! * rows of channels that nobody asked for are stepped over.

use super::chunk::ReadBuffers;
use super::jobs::{ChunkTarget, LevelTask};
use super::store::SampleTarget;
use crate::codec;
use crate::header::Box2i;
use crate::header::shape::{Shape, rows};
use crate::model::{FlatLevel, Plane, Samples};
use solio_base::{Error, Result};

/// Planes of zeros for the wanted channels of the pixels `window` of a level.
pub(crate) fn empty_level(
    shape: &Shape,
    wanted: &[bool],
    level: usize,
    window: Box2i,
) -> Result<FlatLevel<'static>> {
    let level = &shape.levels[level];
    let region = shape.block(&window);
    let wanted = shape.channels.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    let planes = wanted.map(|(channel, _)| {
        let samples = region.row_samples(channel).checked_mul(region.rows(channel));
        let samples = samples.ok_or_else(|| Error::limit("the image does not fit into memory"))?;
        let samples = Samples::zeros(channel.pixel_type, samples)?;
        Ok(Plane { channel: channel.clone(), samples })
    });
    Ok(FlatLevel { x: level.x, y: level.y, window, planes: planes.collect::<Result<_>>()? })
}

/// What is left of the rows of a target.
struct TargetRows<'a> {
    bytes: &'a mut [u8],
    /// Bytes of a row.
    row: usize,
    /// Bytes from a row to the next.
    stride: usize,
}

/// Deals out the rows of one level, chunk after chunk. Each of the task's targets has its rows
/// without a gap.
pub(crate) fn deal_planes<'a>(
    task: &LevelTask<'_>,
    planes: impl Iterator<Item = &'a mut [u8]>,
) -> impl Iterator<Item = ChunkTarget<'a>> {
    deal(task, planes.map(|plane| (plane, None)))
}

/// As [`deal_planes`], of the bytes of each of the task's targets, and from a row to the next
/// unless there is no gap.
pub(crate) fn deal<'a>(
    task: &LevelTask<'_>,
    targets: impl Iterator<Item = (&'a mut [u8], Option<usize>)>,
) -> impl Iterator<Item = ChunkTarget<'a>> {
    let region = task.shape.block(&task.region);
    let targets = targets.zip(task.targets).map(|((bytes, stride), target)| {
        // The last pixel has nothing behind it.
        let row = target.row_bytes(&region).saturating_sub(target.gap_bytes());
        TargetRows { bytes, row, stride: stride.unwrap_or(row) }
    });
    // What is left of each target.
    let mut targets: Vec<_> = targets.collect();
    let [_, down] = task.shape.tiles_touching(task.level(), &task.region);
    // Of each target, the bytes of its rows in each tile of a row of tiles.
    let windows = tiles(task, down.start);
    let blocks: Vec<_> = windows.iter().map(|window| task.shape.block(window)).collect();
    let of_target =
        |target: &SampleTarget| blocks.iter().map(|block| target.row_bytes(block)).collect();
    let bytes: Vec<Vec<usize>> = task.targets.iter().map(of_target).collect();
    down.flat_map(move |down| {
        let down_to = tiles(task, down).first().map_or(0..0, rows);
        let mut pieces = pieces(task, down, down_to.len() * task.targets.len());
        for y in down_to {
            for ((target, bytes), rows) in task.targets.iter().zip(&bytes).zip(&mut targets) {
                if !target.has_row(y) {
                    continue;
                }
                let all = std::mem::take(&mut rows.bytes);
                let (row, rest) = all.split_at_mut(rows.stride.min(all.len()));
                rows.bytes = rest;
                let mut row = &mut row[..rows.row];
                for (bytes, piece) in bytes.iter().zip(&mut pieces) {
                    let (of_tile, rest) = row.split_at_mut((*bytes).min(row.len()));
                    piece.rows.push(of_tile);
                    row = rest;
                }
            }
        }
        pieces
    })
}

/// A piece for each wanted chunk of row `down` of tiles, with room for so many rows.
pub(crate) fn pieces<'a>(task: &LevelTask<'_>, down: u64, rows: usize) -> Vec<ChunkTarget<'a>> {
    let level = task.level();
    let [across, _] = task.shape.tiles_touching(level, &task.region);
    let first = level.first_chunk + down * level.across;
    let piece = |tile| ChunkTarget { chunk: first + tile, rows: Vec::with_capacity(rows) };
    across.map(piece).collect()
}

/// The wanted pixels of each wanted chunk of row `down` of tiles.
pub(crate) fn tiles(task: &LevelTask<'_>, down: u64) -> Vec<Box2i> {
    let level = task.level();
    let [across, _] = task.shape.tiles_touching(level, &task.region);
    let windows = across.map(|tile| task.shape.window_of(level, [tile, down]));
    windows.filter_map(|window| window.intersection(&task.region)).collect()
}

/// Reads a chunk of pixels, or the counts of a deep one.
pub(crate) fn read_piece(
    task: &LevelTask<'_>,
    buffers: &mut ReadBuffers,
    piece: &mut ChunkTarget<'_>,
) -> Result<()> {
    let place = task.place(piece.chunk)?;
    let mut store = std::mem::take(&mut buffers.store);
    let source = if task.shape.kind.is_deep() {
        codec::UnpackedRows::Plain(bytemuck::cast_slice(buffers.counts(
            task.of,
            piece.chunk,
            &place,
        )?))
    } else {
        buffers.pixels(task.of, piece.chunk, &place)?
    };
    let block = task.shape.block(&place.window);
    store.chunk(&block, &task.region, task.targets, source, &mut piece.rows);
    buffers.store = store;
    Ok(())
}
