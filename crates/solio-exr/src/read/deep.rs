//! Deep parts: first the counts of all chunks, as if they were pixels; then, when the planes can be
//! made and dealt out, the samples.

use super::chunk::ReadBuffers;
use super::flat::{pieces, tiles};
use super::jobs::{ChunkTarget, LevelTask};
use crate::header::Box2i;
use crate::header::shape::{Shape, columns, rows};
use crate::model::{DeepLevel, Plane, Samples};
use crate::{Channel, codec};
use solio_base::{Error, Limits, Result};
use std::borrow::Cow;

/// A level without samples yet.
pub(crate) fn empty_level(shape: &Shape, level: usize, window: Box2i) -> DeepLevel<'static> {
    let level = &shape.levels[level];
    DeepLevel { x: level.x, y: level.y, window, counts: Cow::default(), planes: Vec::new() }
}

/// Makes planes of zeros for as many samples as were counted.
pub(crate) fn make_planes(
    task: &LevelTask<'_>,
    level: &mut DeepLevel<'static>,
    limits: &Limits,
) -> Result<()> {
    let samples: u64 = level.counts.iter().map(|count| u64::from(*count)).sum();
    let wanted = task.shape.channels.iter().zip(task.wanted).filter(|(_, wanted)| **wanted);
    let channels: Vec<&Channel> = wanted.map(|(channel, _)| channel).collect();
    let bytes: u64 = channels.iter().map(|channel| channel.pixel_type.bytes() as u64).sum();
    let all = samples.saturating_mul(bytes);
    limits.check_bytes("the deep image", all)?;
    let of_a_byte = codec::most_from_a_byte(task.shape.compression);
    if all > of_a_byte.saturating_mul(task.of.opened.length) {
        let message =
            format!("{samples} samples a channel are promised; the file cannot hold them");
        return Err(Error::corrupt(message).at_offset(task.of.opened.length));
    }
    let samples = usize::try_from(samples)
        .map_err(|_| Error::limit("the deep image does not fit into memory"))?;
    for channel in channels {
        let samples = Samples::zeros(channel.pixel_type, samples)?;
        level.planes.push(Plane { channel: channel.clone(), samples });
    }
    Ok(())
}

/// Deals out the samples of one level, chunk after chunk.
pub(crate) fn deal<'a>(
    task: &LevelTask<'_>,
    level: &'a mut DeepLevel<'static>,
) -> impl Iterator<Item = ChunkTarget<'a>> {
    let (counts, region) = (&*level.counts, &task.region);
    // What is left of each wanted plane, and its bytes a sample.
    let planes = level.planes.iter_mut().map(|plane| {
        let bytes = plane.channel.pixel_type.bytes();
        (plane.samples.bytes_mut(), bytes)
    });
    let mut planes: Vec<_> = planes.collect();
    let [_, down] = task.shape.tiles_touching(task.level(), region);
    down.flat_map(move |down| {
        let windows = tiles(task, down);
        let mut pieces = pieces(task, down, 0);
        for y in rows(&windows[0]) {
            let row = (y - region.min[1]) as usize * region.width() as usize;
            let at = |x: i32| row + (x - region.min[0]) as usize;
            for (plane, bytes) in &mut planes {
                for (window, piece) in windows.iter().zip(&mut pieces) {
                    let columns = columns(window);
                    let counts = &counts[at(columns.start)..at(columns.end)];
                    let samples: usize = counts.iter().map(|count| *count as usize).sum();
                    let (own, rest) = std::mem::take(plane).split_at_mut(samples * *bytes);
                    piece.rows.push(own);
                    *plane = rest;
                }
            }
        }
        pieces
    })
}

/// Reads the samples of a chunk.
pub(crate) fn read_piece(
    task: &LevelTask<'_>,
    buffers: &mut ReadBuffers,
    piece: &mut ChunkTarget<'_>,
) -> Result<()> {
    let place = task.place(piece.chunk)?;
    let (counts, raw) = buffers.samples(task.of, piece.chunk, &place)?;
    scatter(task, &place.window, counts, raw, &mut piece.rows)
}

/// Copies the wanted samples of an unpacked chunk into their rows.
fn scatter(
    task: &LevelTask<'_>,
    window: &Box2i,
    counts: &[u32],
    mut raw: &[u8],
    rows_of_planes: &mut [&mut [u8]],
) -> Result<()> {
    let sum = |counts: &[u32]| counts.iter().map(|count| *count as usize).sum::<usize>();
    let skipped = columns(&task.region).start.max(window.min[0]) - window.min[0];
    let mut rows_of_planes = rows_of_planes.iter_mut();
    for (y, counts) in rows(window).zip(counts.chunks(window.width() as usize)) {
        let inside = rows(&task.region).contains(&y);
        let (all, skip) = (sum(counts), sum(&counts[..skipped as usize]));
        for (channel, wanted) in task.shape.channels.iter().zip(task.wanted) {
            let bytes = channel.pixel_type.bytes();
            let (row, rest) = raw.split_at(all * bytes);
            raw = rest;
            if !*wanted || !inside {
                continue;
            }
            let to = rows_of_planes.next().expect("a row was dealt out for it");
            let from = row.get(skip * bytes..).and_then(|row| row.get(..to.len()));
            // The counts were read twice, from a file that somebody may be writing to.
            let from = from.ok_or_else(|| Error::corrupt("it changed while it was read"))?;
            to.copy_from_slice(from);
        }
    }
    Ok(())
}
