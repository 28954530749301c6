//! Row by row: the rows around the last one are kept, so that a chunk is unpacked once.
//!
//! Who goes on from row to row gets more and more rows ahead, unpacked on all threads; who jumps
//! pays for one row of chunks. They stay within the cache until they are asked for. Rows without
//! compression go straight from the file to where they are wanted.

use super::chunk::{Of, ReadBuffers};
use super::flat;
use super::jobs::{self, BufferPool, ChunkTarget, LevelTask};
use super::{Levels, ReadOptions, plan, stored};
use crate::header::shape::Shape;
use crate::header::{Box2i, Part};
use crate::model::{FlatLevel, Samples};
use crate::raster::SamplesMut;
use crate::table::{OffsetTable, OpenExr};
use crate::{Channel, Compression};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::copy::{self, Keep};
use std::borrow::Cow;
use std::ops::Range;

/// Most bytes of pixels a thread that are kept.
const KEPT_BYTES: u64 = 512 << 10;

/// Rows of so many bytes go past the caches, where the whole image does: waiting for shorter ones
/// takes longer than what that saves.
const PAST_ROW_BYTES: usize = 8 << 10;

/// What of a file to read row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanlineOptions {
    /// The number of the part.
    pub part: usize,
    /// The full names of the channels; all without a word on it.
    pub channels: Option<Vec<String>>,
    /// The level: how often the width and the height were halved.
    pub level: (u32, u32),
    /// What the file may make us do.
    pub limits: Limits,
}

/// Reads a flat part row by row, in any order; fastest in that of the file.
pub struct Scanlines<'s> {
    opened: OpenExr<'s>,
    plan: plan::PartPlan,
    table: OffsetTable,
    /// The shape of what is wanted: its channels are those of the rows.
    wanted: Shape,
    work: Work,
    kept: Option<FlatLevel<'static>>,
    /// Rows of chunks that the next step reads.
    step: u64,
    /// For the next step.
    pool: BufferPool,
    /// For rows that are read by themselves, and the last of them.
    buffers: ReadBuffers,
    last: Option<i32>,
    /// How rows are stored that go to memory of the whole image, and where the last one went.
    keep: Keep,
    went: usize,
}

impl<'s> Scanlines<'s> {
    /// Reads the header and the chunk table. The source must serve any place.
    pub fn new(source: &'s dyn Source, options: &ScanlineOptions, work: &Work) -> Result<Self> {
        if source.is_sequential() {
            let message = "reading row by row needs a file that can be read in any order";
            return Err(Error::argument(message));
        }
        let opened = OpenExr::new(source, &options.limits)?;
        let (x, y) = options.level;
        let read = ReadOptions {
            parts: Some(vec![options.part]),
            channels: options.channels.clone(),
            levels: Levels::One(x, y),
            limits: options.limits,
            ..ReadOptions::default()
        };
        let plan = plan::plan(&opened, &read)?.swap_remove(0);
        if opened.shapes[plan.part].kind.is_deep() {
            return Err(Error::unsupported("deep parts are read as a whole, not row by row"));
        }
        let table = opened.table(plan.part)?;
        let wanted = plan.header.shape()?;
        let whole = wanted.block(&wanted.data_window);
        let image = usize::try_from(whole.bytes()).unwrap_or(usize::MAX);
        let large_rows = image / whole.y.len().max(1) >= PAST_ROW_BYTES;
        Ok(Scanlines {
            keep: if large_rows { Keep::of_result(image) } else { Keep::Cached },
            opened,
            plan,
            table,
            wanted,
            work: work.clone(),
            kept: None,
            step: 1,
            pool: BufferPool::default(),
            buffers: ReadBuffers::default(),
            last: None,
            went: usize::MAX,
        })
    }

    /// The attributes of what is read: its channels and its window.
    pub fn header(&self) -> &Part {
        &self.plan.header
    }

    /// The channels of a row, in order.
    pub fn channels(&self) -> &[Channel] {
        &self.wanted.channels
    }

    /// The rows and columns that there are.
    pub fn window(&self) -> Box2i {
        self.wanted.data_window
    }

    /// Row `y`: the samples of each channel, or none where the channel has no samples in this row.
    pub fn row(&mut self, y: i32) -> Result<Vec<Option<Samples<'_>>>> {
        self.check_row(y)?;
        self.keep(y)?;
        Ok(self.kept_row(y).collect())
    }

    /// Fills `to` with the samples of row `y`: of each channel, in order, as many of its type as it
    /// has in a row. A channel without samples in this row stays as it is.
    pub fn row_into(&mut self, y: i32, to: &mut [SamplesMut<'_>]) -> Result<()> {
        self.check_row(y)?;
        let row = self.wanted.block(&self.row_window(y));
        let channels = &self.wanted.channels;
        if to.len() != channels.len() {
            let message = format!("memory for {} channels of {}", to.len(), channels.len());
            return Err(Error::argument(message));
        }
        let mut rows = Vec::with_capacity(to.len());
        for (channel, to) in channels.iter().zip(to) {
            let samples = row.row_samples(channel);
            if !row.has_row(channel, y) {
                continue;
            }
            if to.pixel_type() != channel.pixel_type
                || to.bytes_mut().len() != samples * channel.pixel_type.bytes()
            {
                let (name, kind) = (&channel.name, channel.pixel_type);
                let message = format!("channel {name:?} has {samples} samples of type {kind:?}");
                return Err(Error::argument(message));
            }
            rows.push(to.bytes_mut());
        }
        // Who takes row after row into the same memory looks at each soon.
        let to = rows.first().map_or(0, |row| row.as_ptr() as usize);
        let goes_on = std::mem::replace(&mut self.went, to) < to;
        let keep = if goes_on { self.keep } else { Keep::Cached };
        if self.wanted.compression == Compression::None && !self.wanted.kind.is_tiled() {
            return self.read_row(y, rows, keep);
        }
        self.keep(y)?;
        let kept: Vec<Samples<'_>> = self.kept_row(y).flatten().collect();
        let kept: Vec<&[u8]> = kept.iter().map(Samples::as_bytes).collect();
        copy::rows(&kept, &mut rows, keep);
        Ok(())
    }

    fn check_row(&self, y: i32) -> Result<()> {
        let [top, bottom] = [self.window().min[1], self.window().max[1]];
        if y >= top && y <= bottom {
            return Ok(());
        }
        Err(Error::argument(format!("there is no row {y}; rows are {top} to {bottom}")))
    }

    fn row_window(&self, y: i32) -> Box2i {
        let window = self.window();
        Box2i { min: [window.min[0], y], max: [window.max[0], y] }
    }

    /// The samples of row `y`, which was kept.
    fn kept_row(&self, y: i32) -> impl Iterator<Item = Option<Samples<'_>>> {
        let kept = self.kept.as_ref().expect("it was just kept");
        let row = self.wanted.block(&self.row_window(y));
        let above = self.wanted.block(&kept.window).y.start..y;
        kept.planes.iter().map(move |plane| {
            let above = crate::Block { y: above.clone(), ..row.clone() };
            row.has_row(&plane.channel, y).then(|| {
                let samples = row.row_samples(&plane.channel);
                let start = above.rows(&plane.channel) * samples;
                part_of(&plane.samples, start..start + samples)
            })
        })
    }

    /// Reads row `y`, which is a chunk of its own, straight into `rows`.
    fn read_row(&mut self, y: i32, rows: Vec<&mut [u8]>, keep: Keep) -> Result<()> {
        let of = Of { opened: &self.opened, part: self.plan.part, table: &self.table };
        let shape = of.shape();
        let (level, whole) = self.plan.levels[0];
        let region = Box2i { min: [whole.min[0], y], max: [whole.max[0], y] };
        let (wanted, targets) = (&self.plan.wanted[..], &self.plan.targets[..]);
        let task = LevelTask { of, shape, level, region, wanted, targets };
        let chunk = (i64::from(y) - i64::from(shape.data_window.min[1])) as u64;
        let error = |e| of.error(chunk, e);
        let place = task.place(chunk).map_err(error)?;
        if !self.buffers.has(of, chunk) {
            let goes_on = self.last.is_some_and(|last| last + 1 == y);
            let ahead = jobs::JOB_BYTES / shape.block(&place.window).bytes().max(1);
            let count = if goes_on { ahead.max(1) } else { 1 };
            let chunks = chunk..chunk.saturating_add(count).min(shape.chunks);
            self.buffers.fetch(of, chunks)?;
        }
        self.last = Some(y);
        let mut pieces = vec![ChunkTarget { chunk, rows }];
        stored::read(&task, &self.buffers, &mut pieces, keep);
        // What is wrong with it is found out here.
        let Some(mut piece) = pieces.pop() else { return Ok(()) };
        flat::read_piece(&task, &mut self.buffers, &mut piece).map_err(error)
    }

    /// Unpacks the row of chunks that has row `y`, and some after it in the direction of travel,
    /// unless it was kept.
    fn keep(&mut self, y: i32) -> Result<()> {
        let rows = |level: &FlatLevel<'_>| level.window.min[1]..=level.window.max[1];
        if self.kept.as_ref().is_some_and(|kept| rows(kept).contains(&y)) {
            return Ok(());
        }
        let of = Of { opened: &self.opened, part: self.plan.part, table: &self.table };
        let shape = of.shape();
        let (level, whole) = self.plan.levels[0];
        let size = shape.chunk_size[1] as i64;
        let row_of = |y: i32| (i64::from(y) - i64::from(whole.min[1])) / size;
        let (mut upwards, mut goes_on) = (false, false);
        if let Some(kept) = &self.kept {
            upwards = y < kept.window.min[1];
            let next = if upwards { kept.window.min[1] - 1 } else { kept.window.max[1] + 1 };
            goes_on = row_of(y) == row_of(next);
        }
        let of_row = Box2i { min: [whole.min[0], y], max: [whole.max[0], y] };
        let bytes = shape.block(&of_row).bytes().saturating_mul(size as u64).max(1);
        let most = (KEPT_BYTES * self.work.threads as u64 / bytes).max(1);
        self.step = if goes_on { (2 * self.step).min(most) } else { 1 };
        let (first, last) = match (row_of(y), self.step as i64 - 1) {
            (row, more) if upwards => ((row - more).max(0), row),
            (row, more) => (row, row + more),
        };
        let top = i64::from(whole.min[1]) + first * size;
        let bottom = (i64::from(whole.min[1]) + (last + 1) * size - 1).min(whole.max[1].into());
        let region = Box2i { min: [whole.min[0], top as i32], max: [whole.max[0], bottom as i32] };

        let (wanted, targets) = (&self.plan.wanted[..], &self.plan.targets[..]);
        let task = LevelTask { of, shape, level, region, wanted, targets };
        if let Some(chunk) = task.chunks().find(|chunk| self.table[*chunk as usize] == 0) {
            let error = Error::corrupt(jobs::NOT_THERE).at_offset(self.opened.length);
            return Err(of.error(chunk, error));
        }
        // The planes are used again where they fit.
        let rows = |window: &Box2i, channel: &Channel| shape.block(window).rows(channel);
        let fits = |kept: &FlatLevel<'_>| {
            let channels = &self.wanted.channels;
            channels.iter().all(|channel| rows(&kept.window, channel) == rows(&region, channel))
        };
        let mut kept = match self.kept.take().filter(fits) {
            Some(kept) => FlatLevel { window: region, ..kept },
            None => flat::empty_level(shape, &self.plan.wanted, level, region)?,
        };
        let planes = kept.planes.iter_mut().map(|plane| plane.samples.bytes_mut());
        let dealers = vec![flat::deal_planes(&task, planes)];
        let tasks = std::slice::from_ref(&task);
        jobs::read(
            tasks,
            dealers,
            flat::read_piece,
            (false, Keep::Cached),
            &self.pool,
            &self.work,
        )?;
        self.kept = Some(kept);
        Ok(())
    }
}

/// Some of `samples`, borrowed.
fn part_of<'a>(samples: &'a Samples<'_>, range: Range<usize>) -> Samples<'a> {
    match samples {
        Samples::Uint(values) => Samples::Uint(Cow::Borrowed(&values[range])),
        Samples::Half(values) => Samples::Half(Cow::Borrowed(&values[range])),
        Samples::Float(values) => Samples::Float(Cow::Borrowed(&values[range])),
    }
}
