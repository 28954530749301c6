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
use std::collections::VecDeque;
use std::ops::Range;

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

/// Deals out the rows of one level, chunk after chunk.
pub(crate) struct FlatDealer<'t, 'a> {
    task: &'t LevelTask<'t>,
    /// What is left of each target.
    targets: Vec<TargetRows<'a>>,
    /// Of each target, the bytes of its rows in each tile of a row of tiles.
    bytes: Vec<Vec<usize>>,
    /// The rows of tiles that are left.
    down: Range<u64>,
    /// What is left of the row of tiles that was begun.
    begun: VecDeque<ChunkTarget<'a>>,
}

impl<'t, 'a> FlatDealer<'t, 'a> {
    /// Each of the task's targets has its rows without a gap.
    pub(crate) fn of_planes(
        task: &'t LevelTask<'t>,
        planes: impl Iterator<Item = &'a mut [u8]>,
    ) -> FlatDealer<'t, 'a> {
        FlatDealer::new(task, planes.map(|plane| (plane, None)))
    }

    /// The bytes of each of the task's targets, and from a row to the next unless there is no gap.
    pub(crate) fn new(
        task: &'t LevelTask<'t>,
        targets: impl Iterator<Item = (&'a mut [u8], Option<usize>)>,
    ) -> FlatDealer<'t, 'a> {
        let region = task.shape.block(&task.region);
        let targets = targets.zip(task.targets).map(|((bytes, stride), target)| {
            let row = target.row_bytes(&region);
            TargetRows { bytes, row, stride: stride.unwrap_or(row) }
        });
        let targets = targets.collect();
        let level = task.level();
        let [across, down] = task.shape.tiles_touching(level, &task.region);
        let windows = across.map(|tile| task.shape.window_of(level, [tile, down.start]));
        let windows = windows.filter_map(|window| window.intersection(&task.region));
        let blocks: Vec<_> = windows.map(|window| task.shape.block(&window)).collect();
        let of_target =
            |target: &SampleTarget| blocks.iter().map(|block| target.row_bytes(block)).collect();
        let bytes = task.targets.iter().map(of_target).collect();
        FlatDealer { task, targets, bytes, down, begun: VecDeque::new() }
    }

    /// Cuts the rows of row `down` of tiles into those of each tile.
    fn begin(&mut self, down: u64) {
        let (task, level) = (self.task, self.task.level());
        let [across, _] = task.shape.tiles_touching(level, &task.region);
        let window = task.shape.window_of(level, [across.start, down]);
        let (inside, of_tiles) = (rows(&task.region), rows(&window));
        let down_to = inside.start.max(of_tiles.start)..inside.end.min(of_tiles.end);
        let first = level.first_chunk + down * level.across;
        let rows_of_piece = down_to.len() * task.targets.len();
        self.begun.extend(across.map(|tile| ChunkTarget {
            chunk: first + tile,
            rows: Vec::with_capacity(rows_of_piece),
        }));
        for y in down_to {
            let targets = task.targets.iter().zip(&self.bytes);
            for ((target, bytes), rows) in targets.zip(&mut self.targets) {
                if !target.has_row(y) {
                    continue;
                }
                let all = std::mem::take(&mut rows.bytes);
                let (row, rest) = all.split_at_mut(rows.stride.min(all.len()));
                rows.bytes = rest;
                let mut row = &mut row[..rows.row];
                for (bytes, piece) in bytes.iter().zip(&mut self.begun) {
                    let (of_tile, rest) = row.split_at_mut(*bytes);
                    piece.rows.push(of_tile);
                    row = rest;
                }
            }
        }
    }
}

impl<'a> Iterator for FlatDealer<'_, 'a> {
    type Item = ChunkTarget<'a>;

    fn next(&mut self) -> Option<ChunkTarget<'a>> {
        if self.begun.is_empty() {
            let row = self.down.next()?;
            self.begin(row);
        }
        self.begun.pop_front()
    }
}

/// A piece without rows for each wanted chunk of row `down` of tiles, and the wanted pixels of
/// each.
pub(crate) fn tiles(
    task: &LevelTask<'_>,
    down: u64,
    pieces: &mut VecDeque<ChunkTarget<'_>>,
) -> Vec<Box2i> {
    let level = task.level();
    let [across, _] = task.shape.tiles_touching(level, &task.region);
    let first = level.first_chunk + down * level.across;
    pieces.extend(across.clone().map(|tile| ChunkTarget { chunk: first + tile, rows: Vec::new() }));
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
