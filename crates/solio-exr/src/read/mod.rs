//! Reading: only the parts, levels, chunks and channels that are wanted.

mod chunk;
mod flat;
mod options;
mod plan;

pub use options::{Levels, ReadOptions};

use crate::codec;
use crate::header::Box2i;
use crate::model::{Image, ImagePart, Pixels};
use crate::shape::Shape;
use crate::table::{Opened, Table};
use chunk::Of;
use plan::PartPlan;
use solio_base::{Error, Limits, Result, Source, Work};

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
fn whole(source: &dyn Source, limits: &Limits, work: &Work) -> Result<Vec<u8>> {
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
    let opened = Opened::new(source, &options.limits)?;
    let plans = plan::plan(&opened, options)?;
    let tables = plans.iter().map(|plan| opened.table(plan.part));
    let tables: Vec<Table> = tables.collect::<Result<_>>()?;
    check_sizes(&opened, &plans, &tables, options)?;
    let mut image = Image::default();
    for plan in &plans {
        let shape = &opened.shapes[plan.part];
        if shape.kind.is_deep() {
            return Err(Error::unsupported("deep data").at_offset(0));
        }
        let levels = (0..plan.levels.len()).map(|which| flat::empty_level(shape, plan, which));
        let pixels = Pixels::Flat(levels.collect::<Result<_>>()?);
        image.parts.push(ImagePart { header: plan.header.clone(), pixels });
    }
    let mut tasks = Vec::new();
    let mut levels = Vec::new();
    for ((plan, table), part) in plans.iter().zip(&tables).zip(&mut image.parts) {
        let of = Of { opened: &opened, part: plan.part, table };
        match &mut part.pixels {
            Pixels::Flat(made) => {
                levels.extend(made);
                let wanted = &plan.wanted[..];
                let task = |(level, region)| flat::Task { of, level, region, wanted };
                tasks.extend(plan.levels.iter().copied().map(task));
            }
            Pixels::Deep(_) => {}
        }
    }
    image.missing = flat::read(&tasks, levels, options.partial, work)?;
    Ok(image)
}

/// Refuses what the file cannot hold, before memory is taken.
fn check_sizes(
    opened: &Opened<'_>,
    plans: &[PartPlan],
    tables: &[Table],
    options: &ReadOptions,
) -> Result<()> {
    let mut all = 0u64;
    for (plan, table) in plans.iter().zip(tables) {
        let of = Of { opened, part: plan.part, table };
        let shape = &opened.shapes[plan.part];
        if shape.kind.is_deep() {
            continue;
        }
        let mut there = 0u64;
        for &(level, region) in &plan.levels {
            all = all.saturating_add(wanted_bytes(shape, plan, &region));
            let task = flat::Task { of, level, region, wanted: &plan.wanted };
            for chunk in task.chunks() {
                let bytes = shape.block(&shape.place(chunk).window).bytes();
                if table[chunk as usize] != 0 {
                    there = there.saturating_add(bytes);
                } else if !options.partial {
                    let message = "the file does not have it: it was not written to its end";
                    let error = Error::corrupt(message).at_offset(opened.length);
                    return Err(of.error(chunk, error));
                }
            }
        }
        let most = codec::most_from_a_byte(shape.compression).saturating_mul(opened.length);
        if there > most {
            let name = shape.compression.name();
            let message = format!(
                "part {} promises {there} bytes of pixels; a file of {} bytes cannot hold them as {name}",
                plan.part, opened.length
            );
            return Err(Error::corrupt(message).at_offset(opened.length));
        }
    }
    options.limits.check_bytes("the image", all)
}

fn wanted_bytes(shape: &Shape, plan: &PartPlan, region: &Box2i) -> u64 {
    let block = shape.block(region);
    let wanted = shape.channels.iter().zip(&plan.wanted).filter(|(_, wanted)| **wanted);
    let bytes = wanted.map(|(channel, _)| {
        let row = block.row_samples(channel) as u64 * channel.pixel_type.bytes() as u64;
        row.saturating_mul(block.rows(channel) as u64)
    });
    bytes.fold(0, u64::saturating_add)
}
