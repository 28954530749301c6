//! Reading: only the parts, levels, chunks and channels that are wanted.

mod chunk;
mod deep;
mod flat;
mod into;
mod jobs;
mod options;
mod plan;
mod scanlines;
mod store;
mod stored;

pub(crate) use chunk::{Of, ReadBuffers, is_stored, most_counts};
pub use into::{ReadInto, decode_exr_into};
pub use options::{IntoOptions, Levels, ReadOptions};
pub use scanlines::{ScanlineOptions, Scanlines};

use crate::header::Box2i;
use crate::header::shape::Shape;
use crate::model::{Image, ImagePart, MissingChunk, Pixels, zeros};
use crate::table::{OffsetTable, OpenExr};
use crate::{Block, Channel, codec};
use jobs::{BufferPool, LevelTask};
use plan::PartPlan;
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::copy::Keep;
use std::borrow::Cow;
use store::SampleTarget;

/// Most bytes of pixels for a byte of an unfinished file.
const MOST_MISSING: u64 = 1 << 12;
/// What the pixels of an unfinished file may take in any case: of one whose writing has just begun there
/// is little more than the header.
const MISSING_ROOM: u64 = 256 << 20;

/// Most that is asked of a stream at once.
const STREAM_BYTES: usize = 1 << 20;

/// Reads a file, or as much of it as `options` want.
pub fn decode_exr(
    source: &dyn Source,
    options: &ReadOptions,
    work: &Work,
) -> Result<Image<'static>> {
    if source.is_sequential() || source.len_bytes().is_none() {
        let bytes = whole(source, &options.limits, work)?;
        return decode_placed(&bytes, options, work);
    }
    decode_placed(source, options, work)
}

/// All of a stream.
pub(crate) fn whole(source: &dyn Source, limits: &Limits, work: &Work) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        work.cancel.check()?;
        let filled = bytes.len();
        limits.check_bytes("the file", filled as u64)?;
        bytes.resize(filled + STREAM_BYTES, 0);
        let got = source.read_at(filled as u64, &mut bytes[filled..])?;
        if got < STREAM_BYTES {
            bytes.truncate(filled + got);
            return Ok(bytes);
        }
    }
}

fn decode_placed(
    source: &dyn Source,
    options: &ReadOptions,
    work: &Work,
) -> Result<Image<'static>> {
    let opened = OpenExr::new(source, &options.limits)?;
    let plans = plan::plan(&opened, options)?;
    let tables = plans.iter().map(|plan| opened.table(plan.part));
    let tables: Vec<OffsetTable> = tables.collect::<Result<_>>()?;
    check_sizes(&opened, &plans, &tables, options)?;
    let mut image = Image::default();
    for plan in &plans {
        let shape = &opened.shapes[plan.part];
        let levels = plan.levels.iter();
        let pixels = if shape.kind.is_deep() {
            Pixels::Deep(levels.map(|(i, window)| deep::empty_level(shape, *i, *window)).collect())
        } else {
            let wanted = &plan.wanted;
            let levels = levels.map(|(i, window)| flat::empty_level(shape, wanted, *i, *window));
            Pixels::Flat(levels.collect::<Result<_>>()?)
        };
        image.parts.push(ImagePart { header: plan.header.clone(), pixels });
    }
    image.missing = read_flat(&opened, &plans, &tables, &mut image.parts, options, work)?;
    let missing = read_deep(&opened, &plans, &tables, &mut image.parts, options, work)?;
    image.missing.extend(missing);
    Ok(image)
}

fn read_flat(
    opened: &OpenExr<'_>,
    plans: &[PartPlan],
    tables: &[OffsetTable],
    parts: &mut [ImagePart<'static>],
    options: &ReadOptions,
    work: &Work,
) -> Result<Vec<MissingChunk>> {
    let mut tasks = Vec::new();
    let mut levels = Vec::new();
    for ((plan, table), part) in plans.iter().zip(tables).zip(parts) {
        if let Pixels::Flat(made) = &mut part.pixels {
            tasks.extend(plan_tasks(opened, plan, table));
            levels.extend(made);
        }
    }
    let dealers = tasks.iter().zip(levels).map(|(task, level)| {
        let planes = level.planes.iter_mut().map(|plane| plane.samples.bytes_mut());
        flat::deal_planes(task, planes)
    });
    let (how, pool) = ((options.partial, Keep::Cached), BufferPool::default());
    jobs::read(&tasks, dealers.collect(), flat::read_piece, how, &pool, work)
}

fn read_deep(
    opened: &OpenExr<'_>,
    plans: &[PartPlan],
    tables: &[OffsetTable],
    parts: &mut [ImagePart<'static>],
    options: &ReadOptions,
    work: &Work,
) -> Result<Vec<MissingChunk>> {
    let mut all_missing = Vec::new();
    let (how, pool) = ((options.partial, Keep::Cached), BufferPool::default());
    for ((plan, table), part) in plans.iter().zip(tables).zip(parts) {
        let Pixels::Deep(levels) = &mut part.pixels else { continue };
        let tasks: Vec<LevelTask<'_>> = plan_tasks(opened, plan, table).collect();
        let channels = vec![Channel::counts()];
        let of_counts = Shape { channels, ..opened.shapes[plan.part].clone() };
        let wanted = &[true][..];
        let targets = &SampleTarget::planes(&of_counts.channels, wanted);
        let of_counts =
            tasks.iter().map(|task| LevelTask { shape: &of_counts, wanted, targets, ..*task });
        let of_counts: Vec<LevelTask<'_>> = of_counts.collect();
        for (level, task) in levels.iter_mut().zip(&tasks) {
            let pixels = task.region.width() * task.region.height();
            level.counts = Cow::Owned(zeros(pixels as usize)?);
        }
        let dealers = of_counts.iter().zip(levels.iter_mut()).map(|(task, level)| {
            let counts = bytemuck::cast_slice_mut(level.counts.to_mut().as_mut_slice());
            flat::deal_planes(task, std::iter::once(counts))
        });
        let dealers = dealers.collect();
        let missing = jobs::read(&of_counts, dealers, flat::read_piece, how, &pool, work)?;
        for (level, task) in levels.iter_mut().zip(&tasks) {
            deep::make_planes(task, level, &options.limits)?;
        }
        let dealers = tasks.iter().zip(levels).map(|(task, level)| deep::deal(task, level));
        let dealers = dealers.collect();
        let more = jobs::read(&tasks, dealers, deep::read_piece, how, &pool, work)?;
        let known = |chunk: &MissingChunk| missing.iter().any(|other| other.chunk == chunk.chunk);
        let more: Vec<_> = more.into_iter().filter(|chunk| !known(chunk)).collect();
        all_missing.extend(missing.into_iter().chain(more));
    }
    Ok(all_missing)
}

/// The levels of a part that are to be read.
fn plan_tasks<'a>(
    opened: &'a OpenExr<'a>,
    plan: &'a PartPlan,
    table: &'a OffsetTable,
) -> impl Iterator<Item = LevelTask<'a>> {
    let of = Of { opened, part: plan.part, table };
    let shape = &opened.shapes[plan.part];
    let (wanted, targets) = (&plan.wanted[..], &plan.targets[..]);
    let task = move |(level, region)| LevelTask { of, shape, level, region, wanted, targets };
    plan.levels.iter().copied().map(task)
}

/// Refuses what the file cannot hold, before memory is taken. Of deep data that is the counts.
fn check_sizes(
    opened: &OpenExr<'_>,
    plans: &[PartPlan],
    tables: &[OffsetTable],
    options: &ReadOptions,
) -> Result<()> {
    let counts = [Channel::counts()];
    let mut all = 0u64;
    for (plan, table) in plans.iter().zip(tables) {
        let shape = &opened.shapes[plan.part];
        let channels = if shape.kind.is_deep() { &counts[..] } else { &shape.channels };
        let bytes = |window: &Box2i| Block { channels, ..shape.block(window) }.bytes();
        let (mut there, mut wished) = (0u64, 0u64);
        for task in plan_tasks(opened, plan, table) {
            let wanted = channels.iter().zip(&plan.wanted).filter(|(_, wanted)| **wanted);
            let wanted: Vec<Channel> = wanted.map(|(channel, _)| channel.clone()).collect();
            let region = Block { channels: &wanted, ..shape.block(&task.region) };
            wished = wished.saturating_add(region.bytes());
            let mut chunks = task.chunks();
            if !table.contains(&0) {
                // All together, as a rectangle.
                let (first, last) = (chunks.next(), chunks.last());
                let window = |chunk: u64| shape.place(chunk).window;
                let first = first.map(window).unwrap_or(task.region);
                let last = last.map_or(first, window);
                let all = bytes(&Box2i { min: first.min, max: last.max });
                there = there.saturating_add(all);
                continue;
            }
            for chunk in chunks {
                if table[chunk as usize] != 0 {
                    there = there.saturating_add(bytes(&shape.place(chunk).window));
                } else if !options.partial {
                    let error = Error::corrupt(jobs::NOT_THERE).at_offset(opened.length);
                    return Err(task.of.error(chunk, error));
                }
            }
        }
        all = all.saturating_add(wished);
        // The last chunk of a file that was cut off is there, but not all of it.
        let largest = bytes(&shape.place(0).window);
        let lacking = if options.partial { largest } else { 0 };
        let of_a_byte = codec::most_from_a_byte(shape.compression);
        let of_missing = of_a_byte.max(MOST_MISSING);
        let room = if options.partial { MISSING_ROOM } else { 0 };
        if there.saturating_sub(lacking) > of_a_byte.saturating_mul(opened.length)
            || wished > of_missing.saturating_mul(opened.length).max(room)
        {
            let (name, length) = (shape.compression.name(), opened.length);
            let promised = there.max(wished);
            let message = format!(
                "part {} promises {promised} bytes; a file of {length} bytes cannot hold them as {name}",
                plan.part
            );
            return Err(Error::corrupt(message).at_offset(opened.length));
        }
    }
    options.limits.check_bytes("the image", all)
}
