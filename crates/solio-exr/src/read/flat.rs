//! Flat parts: the rows of the planes are dealt out to the chunks.
//!
//! Why this is fast:
//!
//! * every thread writes its chunks straight into the planes: the rows of all planes are dealt out
//!   beforehand, in the order in which a chunk has them;
//! * chunks that lie side by side are read at once; those that are stored as they are go from the
//!   source into the planes without a stop;
//! * rows of channels that nobody asked for are stepped over.

use super::chunk::Buffers;
use super::jobs::{Piece, Task};
use crate::Block;
use crate::header::Box2i;
use crate::model::{FlatLevel, Plane, Samples};
use crate::shape::{Shape, columns, rows};
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

/// Deals out the rows of one level, chunk after chunk.
pub(crate) struct Dealer<'t, 'a> {
    task: &'t Task<'t>,
    /// What is left of each wanted plane, and its bytes a row.
    planes: Vec<(&'a mut [u8], usize)>,
    /// The rows of tiles that are left.
    down: Range<u64>,
    /// What is left of the row of tiles that was begun.
    begun: VecDeque<Piece<'a>>,
}

impl<'t, 'a> Dealer<'t, 'a> {
    /// `planes` are those of the wanted channels.
    pub(crate) fn new(task: &'t Task<'t>, planes: impl Iterator<Item = &'a mut [u8]>) -> Self {
        let region = task.shape.block(&task.region);
        let wanted = task.shape.channels.iter().zip(task.wanted).filter(|(_, wanted)| **wanted);
        let row = wanted.map(|(c, _)| region.row_samples(c) * c.pixel_type.bytes());
        let planes = planes.zip(row).collect();
        let [_, down] = task.shape.tiles_touching(task.level(), &task.region);
        Dealer { task, planes, down, begun: VecDeque::new() }
    }

    /// Cuts the rows of row `down` of tiles into those of each tile.
    fn begin(&mut self, down: u64) {
        let (task, shape) = (self.task, self.task.shape);
        let windows = tiles(task, down, &mut self.begun);
        let wanted = shape.channels.iter().zip(task.wanted).filter(|(_, wanted)| **wanted);
        let channels: Vec<_> = wanted.map(|(channel, _)| channel).collect();
        for y in rows(&windows[0]) {
            for (channel, (plane, bytes)) in channels.iter().zip(&mut self.planes) {
                if y.rem_euclid(channel.y_sampling) != 0 {
                    continue;
                }
                let (mut row, rest) = std::mem::take(plane).split_at_mut(*bytes);
                *plane = rest;
                for (window, piece) in windows.iter().zip(&mut self.begun) {
                    let samples = shape.block(window).row_samples(channel);
                    let (of_tile, rest) = row.split_at_mut(samples * channel.pixel_type.bytes());
                    piece.rows.push(of_tile);
                    row = rest;
                }
            }
        }
    }
}

impl<'a> Iterator for Dealer<'_, 'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.begun.is_empty() {
            let row = self.down.next()?;
            self.begin(row);
        }
        self.begun.pop_front()
    }
}

/// A piece without rows for each wanted chunk of row `down` of tiles, and the wanted pixels of
/// each.
pub(crate) fn tiles(task: &Task<'_>, down: u64, pieces: &mut VecDeque<Piece<'_>>) -> Vec<Box2i> {
    let level = task.level();
    let [across, _] = task.shape.tiles_touching(level, &task.region);
    let first = level.first_chunk + down * level.across;
    pieces.extend(across.clone().map(|tile| Piece { chunk: first + tile, rows: Vec::new() }));
    let windows = across.map(|tile| task.shape.window_of(level, [tile, down]));
    windows.filter_map(|window| window.intersection(&task.region)).collect()
}

/// Reads a chunk of pixels, or the counts of a deep one.
pub(crate) fn read_piece(
    task: &Task<'_>,
    buffers: &mut Buffers,
    piece: &mut Piece<'_>,
) -> Result<()> {
    let place = task.place(piece.chunk)?;
    let raw = if task.shape.kind.is_deep() {
        bytemuck::cast_slice(buffers.counts(task.of, piece.chunk, &place)?)
    } else {
        buffers.pixels(task.of, piece.chunk, &place)?
    };
    scatter(&task.shape.block(&place.window), &task.region, task.wanted, raw, &mut piece.rows);
    Ok(())
}

/// Copies the wanted samples of an unpacked chunk into their rows.
pub(crate) fn scatter(
    block: &Block<'_>,
    region: &Box2i,
    wanted: &[bool],
    mut raw: &[u8],
    rows_of_planes: &mut [&mut [u8]],
) {
    let left = block.x.start..columns(region).start.max(block.x.start);
    let left = Block { x: left, ..block.clone() };
    let channels = block.channels.iter().zip(wanted).map(|(channel, wanted)| {
        let bytes = channel.pixel_type.bytes();
        let skip = left.row_samples(channel) * bytes;
        (channel, *wanted, block.row_samples(channel) * bytes, skip)
    });
    let channels: Vec<_> = channels.collect();
    let mut rows_of_planes = rows_of_planes.iter_mut();
    for y in block.y.clone() {
        let inside = rows(region).contains(&y);
        for (channel, wanted, bytes, skip) in &channels {
            if !block.has_row(channel, y) {
                continue;
            }
            let (row, rest) = raw.split_at(*bytes);
            raw = rest;
            if *wanted && inside {
                let to = rows_of_planes.next().expect("a row was dealt out for it");
                to.copy_from_slice(&row[*skip..][..to.len()]);
            }
        }
    }
}
