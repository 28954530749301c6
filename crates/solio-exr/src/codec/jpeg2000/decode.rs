//! A codestream to the samples of a chunk.
//!
//! The last level, which has three quarters of all coefficients, goes row of blocks by row of blocks, so that they
//! are still near when its rows are made.

use std::ops::Range;

use solio_base::{Error, Result};
use solio_codec::lanes::{LaneJob, Lanes, run};

use super::block_decode::{BlockReader, CodedBlock};
use super::coefficient::{Coefficient, JoinRows};
use super::curve::PointCurve;
use super::geometry::{Band, ComponentGrid};
use super::join::LevelBands;
use super::markers::{Codestream, ComponentCoding, SampleCurve};
use super::packets::{BlockPlace, read_packets};
use super::write_markers::LEVELS;
use crate::codec::layout::ChannelLane;
use crate::{Channel, PixelType};

/// Buffers for components, kept from chunk to chunk.
#[derive(Default)]
struct Planes<N: Coefficient> {
    reader: BlockReader<N::Coded>,
    /// Of each component of a colour, its coefficients, band by band.
    coefficients: [Vec<N>; 3],
    /// The mean of the last but one level.
    means: [Vec<N>; 3],
    /// Of the level before.
    smaller: Vec<N>,
    rows: [N::Joined; 3],
    /// Of the last level.
    strips: [LevelStrip<N>; 3],
    /// A row of a colour.
    color: [Vec<N>; 3],
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct Jpeg2000Reader {
    narrow: Planes<i32>,
    wide: Planes<i64>,
    lossy: Planes<f32>,
}

/// A component, its samples, and where they go.
struct ComponentJob<'c> {
    coding: &'c ComponentCoding,
    grid: &'c ComponentGrid,
    blocks: &'c [BlockPlace],
    lane: &'c ChannelLane,
    curve: PointCurve,
}

/// What is known of a chunk before its blocks are read.
pub(super) struct OpenedChunk {
    stream: Codestream,
    grids: Vec<(ComponentGrid, [usize; 2])>,
    blocks: Vec<Vec<BlockPlace>>,
}

impl OpenedChunk {
    /// Reads header and packets of the codestream at `at`; its components are the channels of `lanes`, in
    /// their order.
    pub(super) fn open(
        input: &[u8],
        at: usize,
        size: [usize; 2],
        lanes: &[(&Channel, &ChannelLane)],
    ) -> Result<OpenedChunk> {
        let stream = Codestream::read(input, at, lanes.len())?;
        let padding = Padding::of(&stream, size, lanes);
        let mut grids = Vec::with_capacity(lanes.len());
        for (coding, (channel, lane)) in stream.components.iter().zip(lanes) {
            check_component(coding, channel).map_err(|e| e.at_offset(at as u64))?;
            let [width, height] = [(stream.width, 0), (stream.height, 1)]
                .map(|(of, axis)| of.div_ceil(coding.sampling[axis]));
            if (width, height) != padding.padded(lane.samples, lane.rows.len()) {
                let message = format!(
                    "a component of {width} × {height} samples is not the channel {:?} of {} × {}",
                    channel.name,
                    lane.samples,
                    lane.rows.len()
                );
                return Err(Error::corrupt(message).at_offset(at as u64));
            }
            let grid = ComponentGrid::new(width, height, coding.levels, coding.block_bits);
            grids.push((grid, coding.sampling));
        }
        let blocks = read_packets(input, &stream, &grids)?;
        Ok(OpenedChunk { stream, grids, blocks })
    }
}

impl Jpeg2000Reader {
    /// Reads the samples of an opened chunk; those of old files that lose something have their own curve.
    pub(super) fn read(
        &mut self,
        input: &[u8],
        chunk: &OpenedChunk,
        lanes: &[(&Channel, &ChannelLane)],
        is_old_lossy: bool,
        out: &mut [u8],
    ) -> Result<()> {
        let OpenedChunk { stream, grids, blocks } = chunk;
        let mut components: Vec<ComponentJob<'_>> = Vec::with_capacity(lanes.len());
        for (i, (_, lane)) in lanes.iter().enumerate() {
            let (coding, grid) = (&stream.components[i], &grids[i].0);
            let curve = PointCurve::of(coding, is_old_lossy);
            components.push(ComponentJob { coding, grid, blocks: &blocks[i], lane, curve });
        }
        let (color, others) = components.split_at(if stream.color { 3 } else { 0 });
        for group in (!color.is_empty()).then_some(color).into_iter().chain(others.chunks(1)) {
            if !group[0].coding.reversible {
                self.lossy.read(input, group, out)?;
            } else if group[0].coding.depth == 16 {
                self.narrow.read(input, group, out)?;
            } else {
                self.wide.read(input, group, out)?;
            }
        }
        Ok(())
    }
}

/// Whether a component is one of such a channel.
fn check_component(coding: &ComponentCoding, channel: &Channel) -> Result<()> {
    let (depth, signed) = match channel.pixel_type {
        PixelType::Half => (16, true),
        PixelType::Float => (32, true),
        PixelType::Uint => (32, false),
    };
    let fits = (coding.depth, coding.signed) == (depth, signed)
        && (signed || coding.curve == SampleCurve::Plain);
    if !fits {
        let message =
            format!("a component does not hold samples of the channel {:?}", channel.name);
        return Err(Error::corrupt(message));
    }
    Ok(())
}

impl<N: Coefficient> Planes<N> {
    /// Reads one component, or the three of a colour.
    fn read(&mut self, input: &[u8], group: &[ComponentJob<'_>], out: &mut [u8]) -> Result<()> {
        for (i, component) in group.iter().enumerate() {
            self.read_smaller_levels(input, i, component)?;
            self.join_smaller_levels(i, component.grid);
        }
        run(LastLevelJob { planes: self, input, group, out })
    }

    /// The coefficients of all levels but the last, which is read in strips.
    fn read_smaller_levels(
        &mut self,
        input: &[u8],
        i: usize,
        job: &ComponentJob<'_>,
    ) -> Result<()> {
        let plane = &mut self.coefficients[i];
        let resolutions = &job.grid.resolutions;
        let smaller = &resolutions[..(resolutions.len() - 1).max(1)];
        for band in smaller.iter().flat_map(|resolution| &resolution.bands) {
            plane.resize(band.start + band.width * band.height, N::default());
            let to = &mut plane[band.start..];
            job.read_rows(input, band, 0..band.down, &mut self.reader, to)?;
        }
        Ok(())
    }

    /// All levels but the last.
    fn join_smaller_levels(&mut self, i: usize, grid: &ComponentGrid) {
        let levels = grid.resolutions.len() - 1;
        let first = &grid.resolutions[0].bands[0];
        let mean = &self.coefficients[i][..first.width * first.height];
        self.means[i].clear();
        self.means[i].extend_from_slice(mean);
        for level in 1..levels {
            let resolution = &grid.resolutions[level];
            std::mem::swap(&mut self.means[i], &mut self.smaller);
            let to = &mut self.means[i];
            to.resize(resolution.width * resolution.height, N::default());
            let bands = level_bands(grid, level, &self.smaller, &self.coefficients[i]);
            run(LevelJob { bands, rows: &mut self.rows[i], to });
        }
    }
}

impl ComponentJob<'_> {
    /// Reads some rows of the blocks of a band; `to` starts with the first of them.
    fn read_rows<N: Coefficient>(
        &self,
        input: &[u8],
        band: &Band,
        rows: Range<usize>,
        reader: &mut BlockReader<N::Coded>,
        to: &mut [N],
    ) -> Result<()> {
        let ComponentJob { coding, grid, blocks, .. } = self;
        let planes = coding.planes(band.index);
        let first = rows.start;
        for (row, column) in rows.flat_map(|y| (0..band.across).map(move |x| (y, x))) {
            let place = blocks[band.blocks + row * band.across + column];
            let cut = BlockCut::new(band, grid.block_bits, [column, row]);
            let cut = cut.below(band, first << grid.block_bits[1]);
            if place.length == 0 {
                cut.rows_mut(to).for_each(|row| row.fill(N::default()));
                continue;
            }
            let data = &input[place.start as usize..][..usize::from(place.length)];
            let missing = u32::from(place.missing);
            let block = CodedBlock { data, width: cut.width, height: cut.height, missing };
            let samples = reader
                .read(block)
                .map_err(|fault| Error::corrupt(fault).at_offset(u64::from(place.start)))?;
            let scale = N::scale(coding, band, planes - 1 - missing);
            run(PlaceJob { samples, cut, to: &mut *to, scale });
        }
        Ok(())
    }

    /// The bands of the last level, in which row `k` is the next one to be wanted: a row of blocks is in `strip`.
    #[inline(always)]
    fn last_bands<'p, N: Coefficient>(
        &self,
        input: &[u8],
        k: usize,
        strip: &'p mut LevelStrip<N>,
        reader: &mut BlockReader<N::Coded>,
        low_low: &'p [N],
    ) -> Result<LevelBands<'p, N>> {
        let resolution = &self.grid.resolutions[self.grid.resolutions.len() - 1];
        let block_rows = self.grid.block_bits[1];
        let row = k >> block_rows;
        if strip.row != Some(row) && k < resolution.height.div_ceil(2) {
            strip.row = Some(row);
            for (band, to) in resolution.bands.iter().zip(&mut strip.bands) {
                to.resize(band.width * band.height.min(1 << block_rows), N::default());
                let rows = row.min(band.down)..(row + 1).min(band.down);
                self.read_rows(input, band, rows, reader, to)?;
            }
        }
        let [high_low, low_high, high_high] = strip.bands.each_ref().map(|band| &band[..]);
        let first = strip.row.unwrap_or(0) << block_rows;
        let (width, height) = (resolution.width, resolution.height);
        Ok(LevelBands { width, height, first, low_low, high_low, low_high, high_high })
    }
}

/// Some rows of the bands of the last level: as many as code blocks have, and which.
#[derive(Default)]
struct LevelStrip<N> {
    bands: [Vec<N>; 3],
    row: Option<usize>,
}

/// The bands of a level above the first.
fn level_bands<'p, N>(
    grid: &ComponentGrid,
    level: usize,
    low_low: &'p [N],
    coefficients: &'p [N],
) -> LevelBands<'p, N> {
    let resolution = &grid.resolutions[level];
    let [high_low, low_high, high_high] = [0, 1, 2].map(|i| {
        let band = &resolution.bands[i];
        &coefficients[band.start..][..band.width * band.height]
    });
    let (width, height) = (resolution.width, resolution.height);
    LevelBands { width, height, first: 0, low_low, high_low, low_high, high_high }
}

/// Where a code block lies in its band.
#[derive(Clone, Copy)]
pub(super) struct BlockCut {
    start: usize,
    stride: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl BlockCut {
    pub(super) fn new(band: &Band, block_bits: [u32; 2], [column, row]: [usize; 2]) -> BlockCut {
        let [left, top] = [column << block_bits[0], row << block_bits[1]];
        BlockCut {
            start: top * band.width + left,
            stride: band.width,
            width: (band.width - left).min(1 << block_bits[0]),
            height: (band.height - top).min(1 << block_bits[1]),
        }
    }

    /// In the rows of the band from `first` on.
    fn below(self, band: &Band, first: usize) -> BlockCut {
        BlockCut { start: self.start - first * band.width, ..self }
    }

    /// Its rows.
    #[inline(always)]
    pub(super) fn rows<'b, N>(&self, band: &'b [N]) -> impl Iterator<Item = &'b [N]> {
        let width = self.width;
        band[self.start..].chunks(self.stride).take(self.height).map(move |row| &row[..width])
    }

    /// The same, to be filled.
    #[inline(always)]
    fn rows_mut<'b, N>(&self, band: &'b mut [N]) -> impl Iterator<Item = &'b mut [N]> {
        let width = self.width;
        band[self.start..]
            .chunks_mut(self.stride)
            .take(self.height)
            .map(move |row| &mut row[..width])
    }
}

/// Puts a block where it belongs.
struct PlaceJob<'j, N: Coefficient> {
    samples: &'j [N::Coded],
    cut: BlockCut,
    to: &'j mut [N],
    scale: N::Scale,
}

impl<N: Coefficient> LaneJob for PlaceJob<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let rows = self.samples.chunks_exact(self.cut.width.next_multiple_of(2));
        for (to, coded) in self.cut.rows_mut(self.to).zip(rows) {
            for (to, coded) in to.iter_mut().zip(coded) {
                *to = N::decoded(*coded, self.scale);
            }
        }
    }
}

/// Puts a level together.
struct LevelJob<'j, N: Coefficient> {
    bands: LevelBands<'j, N>,
    rows: &'j mut N::Joined,
    to: &'j mut [N],
}

impl<N: Coefficient> LaneJob for LevelJob<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.rows.start(self.bands.width, self.bands.height);
        for (y, to) in self.to.chunks_exact_mut(self.bands.width).enumerate() {
            to.copy_from_slice(self.rows.row(&self.bands, y));
        }
    }
}

/// Puts the last level together, undoes the colour transform, stores samples.
struct LastLevelJob<'j, N: Coefficient> {
    planes: &'j mut Planes<N>,
    input: &'j [u8],
    group: &'j [ComponentJob<'j>],
    out: &'j mut [u8],
}

impl<N: Coefficient> LaneJob for LastLevelJob<'_, N> {
    type Output = Result<()>;
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Result<()> {
        let LastLevelJob { planes, input, group, out } = self;
        let Planes { reader, means, rows, color, strips, .. } = planes;
        let grid = group[0].grid;
        let (width, height) = (grid.width, grid.height);
        rows.iter_mut().for_each(|rows| rows.start(width, height));
        strips.iter_mut().for_each(|strip| strip.row = None);
        color.iter_mut().for_each(|row| row.resize(width, N::default()));
        let has_levels = grid.resolutions.len() > 1;
        // Rows that were only added to fill levels are not wanted.
        for y in 0..group[0].lane.rows.len() {
            if !has_levels {
                for (mean, to) in means.iter().zip(&mut *color).take(group.len()) {
                    to.copy_from_slice(&mean[y * width..][..width]);
                }
                if group.len() == 3 {
                    let rows = color.each_ref().map(|row| row.clone());
                    N::join_color(rows.each_ref().map(|row| &row[..]), color);
                }
                for (component, row) in group.iter().zip(&*color) {
                    store(component, row, y, out);
                }
                continue;
            }
            let k = N::Joined::wanted(y);
            let [first, second, third] = &mut *rows;
            let [strip, second_strip, third_strip] = &mut *strips;
            let bands = group[0].last_bands(input, k, strip, reader, &means[0])?;
            let row = first.row(&bands, y);
            let [_, other, last] = group else {
                store(&group[0], row, y, out);
                continue;
            };
            let bands = other.last_bands(input, k, second_strip, reader, &means[1])?;
            let blue = second.row(&bands, y);
            let bands = last.last_bands(input, k, third_strip, reader, &means[2])?;
            N::join_color([row, blue, third.row(&bands, y)], color);
            for (component, row) in group.iter().zip(&*color) {
                store(component, row, y, out);
            }
        }
        Ok(())
    }
}

/// Stores a row of samples.
#[inline(always)]
fn store<N: Coefficient>(component: &ComponentJob<'_>, row: &[N], y: usize, out: &mut [u8]) {
    let ComponentJob { coding, lane, curve, .. } = component;
    let out = &mut out[lane.rows[y]..][..lane.row_bytes];
    N::store(row, coding, curve, out);
}

/// How much larger the codestream is than the chunk.
struct Padding(Option<usize>);

impl Padding {
    /// With loss, sizes may have grown to 1 more than a multiple of what the levels divide by.
    fn of(stream: &Codestream, size: [usize; 2], lanes: &[(&Channel, &ChannelLane)]) -> Padding {
        let first = &stream.components[0];
        let plain =
            |(channel, _): &(&Channel, _)| channel.x_sampling == 1 && channel.y_sampling == 1;
        let may_be = !first.reversible && first.levels <= LEVELS && lanes.iter().all(plain);
        Padding((may_be && [stream.width, stream.height] != size).then_some(1 << first.levels))
    }

    fn padded(&self, width: usize, height: usize) -> (usize, usize) {
        match self.0 {
            None => (width, height),
            Some(multiple) => (padded(width, multiple), padded(height, multiple)),
        }
    }
}

/// The next size that is 1 more than a multiple.
pub(super) fn padded(size: usize, multiple: usize) -> usize {
    (size - 1).next_multiple_of(multiple) + 1
}

/// The bits that change where negative numbers are turned round: all but the sign. As floats have it, numbers
/// then rise; it is its own inverse.
#[inline(always)]
pub(super) fn turn(sample: i16) -> i16 {
    sample >> 15 & i16::MAX
}

/// [`turn`] of 32 bits.
#[inline(always)]
pub(super) fn turn_wide(sample: i32) -> i32 {
    sample >> 31 & i32::MAX
}
