//! Reading into the caller's memory: each chunk's samples are converted as they are stored.

use super::jobs;
use super::options::{IntoOptions, Levels, ReadOptions};
use super::store::{SampleTarget, sample_bytes};
use super::{check_sizes, flat, plan, plan_tasks, whole};
use crate::block::Channel;
use crate::header::shape::Shape;
use crate::header::{Box2i, Part};
use crate::model::MissingChunk;
use crate::raster::{RasterMut, check_rows};
use crate::table::{OffsetTable, OpenExr};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::copy::Keep;

/// What was read into the caller's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInto {
    /// The attributes of the part. Data window and tiles are those of the pixels that were read.
    pub header: Part,
    /// Which pixels these are.
    pub window: Box2i,
    /// Chunks that were missing or damaged, and whose samples are zero; see
    /// [`IntoOptions::partial`].
    pub missing: Vec<MissingChunk>,
}

/// Reads the pixels of a flat part into `rasters`.
///
/// Each raster has as many rows and columns as the pixels that are read: those of
/// [`IntoOptions::window`], or the whole level. A subsampled channel has fewer and stands alone.
pub fn decode_exr_into(
    source: &dyn Source,
    options: &IntoOptions,
    rasters: Vec<RasterMut<'_>>,
    work: &Work,
) -> Result<ReadInto> {
    if source.is_sequential() || source.len_bytes().is_none() {
        let bytes = whole(source, &options.limits, work)?;
        return decode_placed(&bytes, options, rasters, work);
    }
    decode_placed(source, options, rasters, work)
}

fn decode_placed(
    source: &dyn Source,
    options: &IntoOptions,
    rasters: Vec<RasterMut<'_>>,
    work: &Work,
) -> Result<ReadInto> {
    let opened = OpenExr::new(source, &options.limits)?;
    let shape = opened.shapes.get(options.part).ok_or_else(|| {
        let there = opened.shapes.len();
        Error::argument(format!("there is no part {}; the file has {there}", options.part))
    })?;
    if shape.kind.is_deep() {
        return Err(Error::unsupported("a deep part does not fit into pixels of one size"));
    }
    let mut targets = Vec::new();
    for raster in rasters {
        targets.push((target(&raster, shape, options.fill)?, raster));
    }
    // In the order of a chunk, which may then go straight to where it belongs.
    targets.sort_by_key(|(target, _)| target.channels.first().copied().flatten());
    let used = |channel: &Channel| {
        let mut names = targets.iter().flat_map(|(_, raster)| &raster.channels);
        names.any(|name| *name == channel.name)
    };
    let wanted = shape.channels.iter().filter(|channel| used(channel));
    let wanted: Vec<String> = wanted.map(|channel| channel.name.clone()).collect();
    if wanted.is_empty() {
        let message = format!("part {} has none of the channels", options.part);
        return Err(Error::argument(message));
    }
    let read = ReadOptions {
        parts: Some(vec![options.part]),
        channels: Some(wanted),
        levels: Levels::One(options.level.0, options.level.1),
        window: options.window,
        partial: options.partial,
        // The memory is there already.
        limits: Limits { bytes: u64::MAX, ..options.limits },
    };
    let mut plans = plan::plan(&opened, &read)?;
    let (_, window) = plans[0].levels[0];
    let region = shape.block(&window);
    let mut memory = Vec::new();
    plans[0].targets.clear();
    for (target, raster) in targets {
        let row = target.row_bytes(&region).saturating_sub(target.gap_bytes());
        let bytes = target.pixel_type.bytes();
        let samples = raster.samples.into_bytes();
        let rows = region.rows_at(target.sampling[1]);
        check_rows(rows, row / bytes, raster.row_stride, samples.len() / bytes).map_err(|e| {
            Error::argument(format!("{}: {}", raster.channels.join(", "), e.message()))
        })?;
        plans[0].targets.push(target);
        let stride = raster.row_stride.max(row / bytes) * bytes;
        memory.push((samples, Some(stride)));
    }
    let tables: [OffsetTable; 1] = [opened.table(options.part)?];
    check_sizes(&opened, &plans, &tables, &read)?;
    let tasks: Vec<_> = plan_tasks(&opened, &plans[0], &tables[0]).collect();
    let dealers = vec![flat::deal(&tasks[0], memory.into_iter())];
    let pool = jobs::BufferPool::default();
    // New memory is in the caches already: the system has just filled it with zeros.
    let keep = match options.fresh {
        true => Keep::Cached,
        false => Keep::of_result(tasks.iter().map(jobs::LevelTask::result_bytes).sum()),
    };
    let how = (options.partial, keep);
    let missing = jobs::read(&tasks, dealers, flat::read_piece, how, &pool, work)?;
    let header = plans[0].header.clone();
    Ok(ReadInto { header, window, missing })
}

/// Where the channels of `raster` come from.
fn target(raster: &RasterMut<'_>, shape: &Shape, fill: Option<f32>) -> Result<SampleTarget> {
    let pixel_type = raster.samples.pixel_type();
    if raster.channels.is_empty() {
        return Err(Error::argument("pixels without a channel"));
    }
    let (mut channels, mut sampling) = (Vec::new(), [1, 1]);
    for name in &raster.channels {
        let found = shape.channels.iter().position(|channel| channel.name == *name);
        match found.map(|index| &shape.channels[index]) {
            None if fill.is_none() => {
                return Err(Error::argument(format!("there is no channel {name:?}")));
            }
            Some(channel) if [channel.x_sampling, channel.y_sampling] != [1, 1] => {
                sampling = [channel.x_sampling, channel.y_sampling];
                if raster.channels.len() > 1 {
                    let message = format!("channel {name:?} is subsampled: not one sample a pixel");
                    return Err(Error::unsupported(message).hint("read it alone"));
                }
            }
            _ => {}
        }
        channels.push(found);
    }
    let fill = sample_bytes(fill.unwrap_or(0.0), pixel_type);
    let step = match raster.pixel_stride {
        0 => channels.len(),
        step if step >= channels.len() => step,
        step => {
            let message = format!("{} samples do not fit into every {step}", channels.len());
            return Err(Error::argument(message));
        }
    };
    Ok(SampleTarget { channels, step, pixel_type, fill, sampling })
}
