//! Runs: chunks of a part that make up a rectangle, and its samples as planes, one a channel, one
//! after the other.

use super::detail::ChunkRun;
use crate::codec::UnpackedRows;
use crate::header::Box2i;
use crate::header::shape::{Level, Shape};
use crate::{Block, PixelType};
use solio_codec::array::{Element, SamplePlane};
use std::ops::Range;

/// The most bytes of samples of a run.
const MOST_BYTES: u64 = 1 << 30;
/// The most chunks of a run.
pub(super) const MOST_CHUNKS: u64 = 1 << 16;
/// A byte of a packed run stands for at most so many bytes of samples, so that what a reader
/// allocates is bounded by the file.
pub(super) const MOST_RATIO: u64 = 1 << 18;

/// A run, laid out.
pub(super) struct Laid<'s> {
    pub(super) shape: &'s Shape,
    /// Its chunks, in the order of the file.
    pub(super) chunks: Vec<u64>,
    /// Its pixels.
    pub(super) window: Box2i,
    /// Where its channels lie.
    pub(super) planes: Vec<SamplePlane>,
    /// Bytes of all planes.
    pub(super) bytes: usize,
}

/// Which rectangle of tiles a run is.
struct Rectangle<'s> {
    level: &'s Level,
    /// The first tile, how many there are side by side, the rows of tiles.
    tile: u64,
    across: u64,
    rows: Range<u64>,
    window: Box2i,
}

impl<'s> Rectangle<'s> {
    fn new(shape: &'s Shape, run: &ChunkRun) -> Option<Rectangle<'s>> {
        let &ChunkRun { first, chunks: count, upwards, .. } = run;
        let possible = (1..=shape.chunks.min(MOST_CHUNKS)).contains(&count);
        if !possible || shape.kind.is_deep() || first >= shape.chunks {
            return None;
        }
        let place = shape.place(first);
        let level = &shape.levels[place.level];
        let [tile, row] = place.tile;
        let whole_rows = tile == 0 && count.is_multiple_of(level.across);
        let rows = match (whole_rows, upwards) {
            (true, false) => row..row + count / level.across,
            (true, true) => (row + 1).checked_sub(count / level.across)?..row + 1,
            (false, false) if count <= level.across - tile => row..row + 1,
            _ => return None,
        };
        if rows.end > level.down {
            return None;
        }
        let across = if whole_rows { level.across } else { count };
        let min = shape.window_of(level, [tile, rows.start]).min;
        let max = shape.window_of(level, [tile + across - 1, rows.end - 1]).max;
        Some(Rectangle { level, tile, across, rows, window: Box2i { min, max } })
    }

    /// The chunks, in the order of the file.
    fn chunks(&self, upwards: bool) -> Vec<u64> {
        let Rectangle { level, tile, across, rows, .. } = self;
        let of_row = |row: u64| {
            let first = level.first_chunk + row * level.across + tile;
            first..first + across
        };
        match upwards {
            true => rows.clone().rev().flat_map(of_row).collect(),
            false => rows.clone().flat_map(of_row).collect(),
        }
    }
}

/// Bytes of the samples of a run; `None` where the part has no such chunks, they make up no
/// rectangle, or are too large.
pub(super) fn run_bytes(shape: &Shape, run: &ChunkRun) -> Option<u64> {
    let window = Rectangle::new(shape, run)?.window;
    // Chunks of rows without samples, which subsampled channels have, would be many for nothing.
    Some(shape.block(&window).bytes()).filter(|bytes| (run.chunks..=MOST_BYTES).contains(bytes))
}

impl<'s> Laid<'s> {
    /// `None` as of [`run_bytes`].
    pub(super) fn new(shape: &'s Shape, run: &ChunkRun) -> Option<Laid<'s>> {
        let bytes = run_bytes(shape, run)? as usize;
        let rectangle = Rectangle::new(shape, run)?;
        let window = rectangle.window;
        let planes = planes(&shape.block(&window));
        Some(Laid { shape, chunks: rectangle.chunks(run.upwards), window, planes, bytes })
    }

    /// The places of the rows of a chunk: channel, byte among the planes, bytes, from top to
    /// bottom.
    pub(super) fn places(&self, chunk: u64) -> RowPlaces<'_> {
        let block = self.shape.block(&self.shape.place(chunk).window);
        let left = Block { x: self.window.min[0]..block.x.start, ..block.clone() };
        let above = Block { y: self.window.min[1]..block.y.start, ..block.clone() };
        let each = block.channels.iter().zip(&self.planes);
        let channels = each.map(|(channel, plane)| {
            let size = channel.pixel_type.bytes();
            let before = left.row_samples(channel) * size + above.rows(channel) * plane.row_step;
            (plane.start + before, block.row_samples(channel) * size, plane.row_step)
        });
        let channels = channels.collect();
        RowPlaces { block, channels }
    }
}

/// Where the rows of a chunk lie among the planes of its run.
pub(super) struct RowPlaces<'a> {
    pub(super) block: Block<'a>,
    /// The byte where the next row goes, bytes of a row, bytes to the next one.
    channels: Vec<(usize, usize, usize)>,
}

impl RowPlaces<'_> {
    /// Puts the rows of the chunk to their places.
    pub(super) fn scatter(mut self, mut from: UnpackedRows<'_>, planes: &mut [u8]) {
        for y in self.block.y.clone() {
            for (index, channel) in self.block.channels.iter().enumerate() {
                if self.block.has_row(channel, y) {
                    let (at, bytes, step) = &mut self.channels[index];
                    from.fill(&mut planes[*at..*at + *bytes], index, channel);
                    *at += *step;
                }
            }
        }
    }

    /// Appends the rows of the chunk as [`Block`] lays them out.
    pub(super) fn gather(mut self, planes: &[u8], to: &mut Vec<u8>) {
        for y in self.block.y.clone() {
            for (index, channel) in self.block.channels.iter().enumerate() {
                if self.block.has_row(channel, y) {
                    let (at, bytes, step) = &mut self.channels[index];
                    to.extend_from_slice(&planes[*at..*at + *bytes]);
                    *at += *step;
                }
            }
        }
    }
}

/// The channels of a block, one after the other.
fn planes(block: &Block<'_>) -> Vec<SamplePlane> {
    let mut start = 0;
    let each = block.channels.iter().map(|channel| {
        let element = match channel.pixel_type {
            PixelType::Uint => Element::U32,
            PixelType::Half => Element::Half,
            PixelType::Float => Element::Float,
        };
        let (width, rows) = (block.row_samples(channel), block.rows(channel));
        let step = element.bytes();
        let plane = SamplePlane { element, width, rows, start, step, row_step: width * step };
        start += rows * width * step;
        plane
    });
    each.collect()
}
