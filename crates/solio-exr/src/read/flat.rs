//! Flat parts: chunks are read and unpacked side by side, each into its rows of the planes.
//!
//! Why this is fast:
//!
//! * every thread writes its chunks straight into the planes: the rows of all planes are dealt out
//!   beforehand, in the order in which a chunk has them;
//! * chunks that lie side by side are read at once; those that are stored as they are go from the
//!   source into the planes without a stop;
//! * rows of channels that nobody asked for are stepped over.

use super::chunk::{Buffers, Of};
use super::plan::PartPlan;
use crate::Block;
use crate::header::Box2i;
use crate::model::{FlatLevel, MissingChunk, Plane, Samples};
use crate::shape::{Level, Shape, columns, rows};
use solio_base::{Error, Result, Work, ordered};
use std::collections::VecDeque;

/// Pixels of a job, in bytes: enough that handing it out costs nothing beside it.
const JOB_BYTES: u64 = 256 << 10;

/// A level of a part that is to be read.
pub(crate) struct Task<'a> {
    pub(crate) of: Of<'a>,
    /// The index of the level.
    pub(crate) level: usize,
    /// The pixels that are wanted.
    pub(crate) region: Box2i,
    /// Which channels are.
    pub(crate) wanted: &'a [bool],
}

impl<'a> Task<'a> {
    fn shape(&self) -> &'a Shape {
        self.of.shape()
    }

    fn level(&self) -> &'a Level {
        &self.shape().levels[self.level]
    }

    /// The chunks that have wanted pixels, row by row.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = u64> + use<'a> {
        let level = self.level();
        let [across, down] = self.shape().tiles_touching(level, &self.region);
        let first = move |row: u64| level.first_chunk + row * level.across;
        down.flat_map(move |row| across.clone().map(move |tile| first(row) + tile))
    }
}

/// Planes of zeros for the wanted pixels of a level.
pub(crate) fn empty_level(
    shape: &Shape,
    plan: &PartPlan,
    which: usize,
) -> Result<FlatLevel<'static>> {
    let (index, window) = plan.levels[which];
    let level = &shape.levels[index];
    let region = shape.block(&window);
    let wanted = shape.channels.iter().zip(&plan.wanted).filter(|(_, wanted)| **wanted);
    let planes = wanted.map(|(channel, _)| {
        let samples = region.row_samples(channel).checked_mul(region.rows(channel));
        let samples = samples.ok_or_else(|| Error::limit("the image does not fit into memory"))?;
        let samples = Samples::zeros(channel.pixel_type, samples);
        Ok(Plane { channel: channel.clone(), samples })
    });
    Ok(FlatLevel { x: level.x, y: level.y, window, planes: planes.collect::<Result<_>>()? })
}

/// A chunk, and the rows of the planes that are its own, in its order.
#[derive(Default)]
struct Piece<'a> {
    chunk: u64,
    rows: Vec<&'a mut [u8]>,
}

/// Deals out the rows of one level.
struct Dealer<'t, 'a> {
    task: &'t Task<'t>,
    /// What is left of each wanted plane, and its bytes a row.
    planes: Vec<(&'a mut [u8], usize)>,
    /// The rows of tiles that are left.
    down: std::ops::Range<u64>,
    /// What is left of the row of tiles that was begun.
    begun: VecDeque<Piece<'a>>,
}

impl<'t, 'a> Dealer<'t, 'a> {
    fn new(task: &'t Task<'t>, level: &'a mut FlatLevel<'static>) -> Self {
        let shape = task.shape();
        let region = shape.block(&task.region);
        let planes = level.planes.iter_mut().map(|plane| {
            let row = region.row_samples(&plane.channel) * plane.channel.pixel_type.bytes();
            (plane.samples.bytes_mut(), row)
        });
        let planes = planes.collect();
        let [_, down] = shape.tiles_touching(task.level(), &task.region);
        Dealer { task, planes, down, begun: VecDeque::new() }
    }

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.begun.is_empty() {
            let row = self.down.next()?;
            self.begin(row);
        }
        self.begun.pop_front()
    }

    /// Cuts the rows of row `down` of tiles into those of each tile.
    fn begin(&mut self, down: u64) {
        let (task, shape, level) = (self.task, self.task.shape(), self.task.level());
        let [across, _] = shape.tiles_touching(level, &task.region);
        let windows = across.clone().map(|tile| shape.window_of(level, [tile, down]));
        let windows: Vec<Box2i> =
            windows.filter_map(|window| window.intersection(&task.region)).collect();
        let first = level.first_chunk + down * level.across + across.start;
        for i in 0..windows.len() as u64 {
            self.begun.push_back(Piece { chunk: first + i, rows: Vec::new() });
        }
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

/// Some chunks of one level, and what a thread needs for them.
#[derive(Default)]
struct Job<'a> {
    task: usize,
    pieces: Vec<Piece<'a>>,
    buffers: Buffers,
    missing: Vec<MissingChunk>,
}

/// Reads all `tasks` into the `levels` made for them. Chunks that cannot be read are an error, or,
/// where `partial` allows it, returned.
pub(crate) fn read(
    tasks: &[Task<'_>],
    levels: Vec<&mut FlatLevel<'static>>,
    partial: bool,
    work: &Work,
) -> Result<Vec<MissingChunk>> {
    let dealers = tasks.iter().zip(levels).map(|(task, level)| Dealer::new(task, level));
    let mut dealers = dealers.enumerate().peekable();
    let mut largest = JOB_BYTES;
    for task in tasks {
        let first = task.shape().place(task.level().first_chunk);
        largest = largest.max(task.shape().block(&first.window).bytes());
    }
    let window = work.window(usize::try_from(largest.saturating_mul(3)).unwrap_or(usize::MAX));
    let mut missing = Vec::new();
    ordered::run::<Job<'_>>(
        work,
        window,
        |job| {
            job.pieces.clear();
            let mut bytes = 0;
            while bytes < JOB_BYTES {
                let Some((index, dealer)) = dealers.peek_mut() else { break };
                let Some(piece) = dealer.next() else {
                    if !job.pieces.is_empty() {
                        break;
                    }
                    dealers.next();
                    continue;
                };
                let shape = tasks[*index].shape();
                bytes += shape.block(&shape.place(piece.chunk).window).bytes();
                job.task = *index;
                job.pieces.push(piece);
            }
            Ok(!job.pieces.is_empty())
        },
        |job| {
            let task = &tasks[job.task];
            job.buffers.fetch(task.of, job.pieces.iter().map(|piece| piece.chunk))?;
            for piece in &mut job.pieces {
                if let Err(e) = read_piece(task, &mut job.buffers, piece) {
                    let e = task.of.error(piece.chunk, e);
                    if !partial || !matches!(e.kind(), solio_base::ErrorKind::Corrupt) {
                        return Err(e);
                    }
                    piece.rows.iter_mut().for_each(|row| row.fill(0));
                    let message = e.to_string();
                    let (part, chunk) = (task.of.part, piece.chunk);
                    job.missing.push(MissingChunk { part, chunk, message });
                }
            }
            Ok(())
        },
        |job| {
            missing.append(&mut job.missing);
            Ok(())
        },
    )?;
    Ok(missing)
}

fn read_piece(task: &Task<'_>, buffers: &mut Buffers, piece: &mut Piece<'_>) -> Result<()> {
    let place = task.shape().place(piece.chunk);
    if task.of.table[piece.chunk as usize] == 0 {
        return Err(Error::corrupt("the file does not have it: it was not written to its end"));
    }
    let raw = buffers.pixels(task.of, piece.chunk, &place)?;
    scatter(&task.shape().block(&place.window), &task.region, task.wanted, raw, &mut piece.rows);
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
    let left =
        Block { x: block.x.start..columns(region).start.max(block.x.start), ..block.clone() };
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
