//! Row by row: the rows around the last one are kept, so that a chunk is unpacked once.
//!
//! Who goes on from row to row gets more and more rows ahead, unpacked on all threads; who jumps
//! pays for one row of chunks.

use super::chunk::Of;
use super::flat::{self, Dealer};
use super::jobs::{self, Task};
use super::plan;
use super::{Levels, ReadOptions};
use crate::Channel;
use crate::header::{Box2i, Part};
use crate::model::{FlatLevel, Samples};
use crate::shape::Shape;
use crate::table::{Opened, Table};
use solio_base::{Error, Limits, Result, Source, Work};
use std::borrow::Cow;
use std::ops::Range;

/// Most bytes of pixels a thread that are kept.
const KEPT_BYTES: u64 = 2 << 20;

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
    opened: Opened<'s>,
    plan: plan::PartPlan,
    table: Table,
    /// The shape of what is wanted: its channels are those of the rows.
    wanted: Shape,
    work: Work,
    kept: Option<FlatLevel<'static>>,
    /// Rows of chunks that the next step reads.
    step: u64,
}

impl<'s> Scanlines<'s> {
    /// Reads the header and the table of chunks. The source must serve any place.
    pub fn new(source: &'s dyn Source, options: &ScanlineOptions, work: &Work) -> Result<Self> {
        if source.is_sequential() {
            let message = "reading row by row needs a file that can be read in any order";
            return Err(Error::argument(message));
        }
        let opened = Opened::new(source, &options.limits)?;
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
        Ok(Scanlines { opened, plan, table, wanted, work: work.clone(), kept: None, step: 1 })
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
        let window = self.window();
        if y < window.min[1] || y > window.max[1] {
            let (top, bottom) = (window.min[1], window.max[1]);
            return Err(Error::argument(format!(
                "there is no row {y}; rows are {top} to {bottom}"
            )));
        }
        let rows = |level: &FlatLevel<'_>| level.window.min[1]..=level.window.max[1];
        if !self.kept.as_ref().is_some_and(|kept| rows(kept).contains(&y)) {
            self.keep(y)?;
        }
        let kept = self.kept.as_ref().expect("it was just kept");
        let row = Box2i { min: [window.min[0], y], max: [window.max[0], y] };
        let above = self.wanted.block(&kept.window).y.start..y;
        let planes = kept.planes.iter().map(|plane| {
            let row = self.wanted.block(&row);
            let above = crate::Block { y: above.clone(), ..row.clone() };
            row.has_row(&plane.channel, y).then(|| {
                let samples = row.row_samples(&plane.channel);
                let start = above.rows(&plane.channel) * samples;
                part_of(&plane.samples, start..start + samples)
            })
        });
        Ok(planes.collect())
    }

    /// Unpacks the row of chunks that has row `y`, and some after it in the direction of travel.
    fn keep(&mut self, y: i32) -> Result<()> {
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
        let task = Task { of, shape, level, region, wanted, targets };
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
        let dealers = vec![Dealer::of_planes(&task, planes)];
        jobs::read(std::slice::from_ref(&task), dealers, flat::read_piece, false, &self.work)?;
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
