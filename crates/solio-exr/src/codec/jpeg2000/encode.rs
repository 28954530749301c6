//! The samples of a chunk to a codestream.

use solio_codec::lanes::{LaneJob, Lanes, run};

use super::block_encode::BlockWriter;
use super::decode::{BlockCut, turn, turn_wide};
use super::geometry::ComponentGrid;
use super::markers::{ComponentCoding, SampleCurve};
use super::number::Number;
use super::pack_packets::write_packets;
use super::packets::BlockPlace;
use super::split::{SplitBands, SplitRows};
use super::write_markers::{LEVELS, write_header, write_tile_parts};
use crate::codec::layout::ChannelLane;
use crate::{Channel, PixelType};

/// Width and height of code blocks, as powers of two.
const BLOCK_BITS: [u32; 2] = [7, 5];

/// Bits that the levels of the 5/3 wavelet add to a sample, band by band.
const GAINS: [u32; 16] = [2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2];

/// Most bits of a band that the header can say without guard bits.
const MOST_EXPONENT: u32 = 31;

/// How a channel is coded without loss. Of a colour the differences have a bit more, and all that is as deep has
/// it with them.
fn lossless(channel: &Channel, color: bool) -> ComponentCoding {
    let (depth, signed) = match channel.pixel_type {
        PixelType::Half => (16, true),
        PixelType::Float => (32, true),
        PixelType::Uint => (32, false),
    };
    let bits = GAINS.map(|gain| depth + u32::from(color) + gain);
    let guard_bits = bits.iter().max().map_or(1, |most| most.saturating_sub(MOST_EXPONENT).max(1));
    ComponentCoding {
        depth,
        signed,
        sampling: [channel.x_sampling as usize, channel.y_sampling as usize],
        levels: LEVELS,
        block_bits: BLOCK_BITS,
        reversible: true,
        guard_bits,
        steps: bits.iter().map(|bits| (bits - guard_bits, None)).collect(),
        curve: if signed { SampleCurve::Turned } else { SampleCurve::Plain },
    }
}

/// Buffers for components, kept from chunk to chunk.
#[derive(Default)]
struct SplitPlanes<N: Number> {
    /// Of each component of a colour, its coefficients, band by band.
    coefficients: [Vec<N>; 3],
    /// The mean of the level that is taken apart, and of the next.
    means: [Vec<N>; 3],
    smaller: Vec<N>,
    rows: [SplitRows<N>; 3],
    color: [Vec<N>; 3],
    coded: Vec<N::Coded>,
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct Jpeg2000Writer {
    narrow: SplitPlanes<i32>,
    wide: SplitPlanes<i64>,
    blocks: BlockWriter,
    bytes: Vec<u8>,
    packets: Vec<u8>,
}

/// A component and where its samples are.
pub(super) struct ComponentSource<'c> {
    pub(super) channel: &'c Channel,
    pub(super) lane: &'c ChannelLane,
}

impl Jpeg2000Writer {
    /// Appends a codestream of components without loss, the first three of which are a colour, or not.
    pub(super) fn write(
        &mut self,
        size: [usize; 2],
        sources: &[ComponentSource<'_>],
        color: bool,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) {
        let mut codings: Vec<ComponentCoding> = Vec::with_capacity(sources.len());
        for (i, source) in sources.iter().enumerate() {
            let coding = lossless(source.channel, color && i < 3);
            let like_first = codings
                .first()
                .filter(|first| (first.depth, first.signed) == (coding.depth, coding.signed));
            let steps = like_first.map(|first| (first.guard_bits, first.steps.clone()));
            let (guard_bits, steps) = steps.unwrap_or((coding.guard_bits, coding.steps));
            codings.push(ComponentCoding { guard_bits, steps, ..coding });
        }
        let grid = |(source, coding): (&ComponentSource<'_>, &ComponentCoding)| {
            let (width, height) = (source.lane.samples, source.lane.rows.len());
            (ComponentGrid::new(width, height, coding.levels, coding.block_bits), coding.sampling)
        };
        let grids: Vec<_> = sources.iter().zip(&codings).map(grid).collect();
        self.bytes.clear();
        let mut blocks = Vec::with_capacity(sources.len());
        let mut first = 0;
        while first < sources.len() {
            let count = if color && first == 0 { 3 } else { 1 };
            let range = first..first + count;
            let job = SplitJob {
                sources: &sources[range.clone()],
                grids: &grids[range.clone()],
                codings: &codings[range],
                raw,
            };
            let out = (&mut self.blocks, &mut self.bytes, &mut blocks);
            if codings[first].depth == 16 {
                self.narrow.write(&job, out);
            } else {
                self.wide.write(&job, out);
            }
            first += count;
        }
        self.packets.clear();
        let lengths = write_packets(&grids, &blocks, &self.bytes, &mut self.packets);
        write_header(size, &codings, color, out);
        write_tile_parts(&self.packets, &lengths, out);
    }
}

/// One component, or the three of a colour.
struct SplitJob<'j> {
    sources: &'j [ComponentSource<'j>],
    grids: &'j [(ComponentGrid, [usize; 2])],
    codings: &'j [ComponentCoding],
    raw: &'j [u8],
}

impl<N: Number> SplitPlanes<N> {
    fn write(
        &mut self,
        job: &SplitJob<'_>,
        (writer, bytes, blocks): (&mut BlockWriter, &mut Vec<u8>, &mut Vec<Vec<BlockPlace>>),
    ) {
        for (plane, (grid, _)) in self.coefficients.iter_mut().zip(job.grids) {
            plane.resize(grid.width * grid.height, N::default());
        }
        run(FirstLevelJob { planes: self, job });
        for (i, (grid, _)) in job.grids.iter().enumerate() {
            for level in (1..grid.resolutions.len() - 1).rev() {
                let resolution = &grid.resolutions[level];
                let (width, height) = (resolution.width, resolution.height);
                std::mem::swap(&mut self.means[i], &mut self.smaller);
                self.means[i].resize(width.div_ceil(2) * height.div_ceil(2), N::default());
                let bands = split_bands(grid, level, &mut self.means[i], &mut self.coefficients[i]);
                let from = &self.smaller[..width * height];
                run(LevelSplitJob { bands, rows: &mut self.rows[i], from });
            }
            let mean = &self.means[i];
            self.coefficients[i][..mean.len()].copy_from_slice(mean);
            blocks.push(self.write_blocks(i, grid, &job.codings[i], writer, bytes));
        }
    }

    fn write_blocks(
        &mut self,
        i: usize,
        grid: &ComponentGrid,
        coding: &ComponentCoding,
        writer: &mut BlockWriter,
        bytes: &mut Vec<u8>,
    ) -> Vec<BlockPlace> {
        let mut places = Vec::with_capacity(grid.blocks);
        for band in grid.resolutions.iter().flat_map(|resolution| &resolution.bands) {
            let from = &self.coefficients[i][band.start..][..band.width * band.height];
            for (row, column) in (0..band.down).flat_map(|y| (0..band.across).map(move |x| (y, x)))
            {
                let cut = BlockCut::new(band, grid.block_bits, [column, row]);
                let coded = &mut self.coded;
                let is_empty = run(TakeJob { from, cut, coded });
                let start = bytes.len();
                if !is_empty {
                    writer.write(coded, cut.width.next_multiple_of(2), bytes);
                }
                // All bit planes but the lowest are missing, as all are in one pass.
                let missing = coding.planes(band.index) as u8 - 1;
                let length = (bytes.len() - start) as u16;
                places.push(BlockPlace { start: start as u32, length, missing });
            }
        }
        places
    }
}

/// The bands of a level above the first.
fn split_bands<'p, N>(
    grid: &ComponentGrid,
    level: usize,
    low_low: &'p mut [N],
    coefficients: &'p mut [N],
) -> SplitBands<'p, N> {
    let resolution = &grid.resolutions[level];
    let sizes = [0, 1, 2].map(|i| resolution.bands[i].width * resolution.bands[i].height);
    let rest = &mut coefficients[resolution.bands[0].start..];
    let (high_low, rest) = rest.split_at_mut(sizes[0]);
    let (low_high, rest) = rest.split_at_mut(sizes[1]);
    let high_high = &mut rest[..sizes[2]];
    SplitBands { width: resolution.width, low_low, high_low, low_high, high_high }
}

/// Takes samples, makes the colour transform, takes the largest level apart.
struct FirstLevelJob<'j, N: Number> {
    planes: &'j mut SplitPlanes<N>,
    job: &'j SplitJob<'j>,
}

impl<N: Number> LaneJob for FirstLevelJob<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let SplitJob { sources, grids, codings, raw } = self.job;
        let SplitPlanes { coefficients, means, rows, color, .. } = self.planes;
        let grid = &grids[0].0;
        let (width, height) = (grid.width, grid.height);
        let level = grid.resolutions.len() - 1;
        for (mean, rows) in means.iter_mut().zip(rows.iter_mut()).take(sources.len()) {
            mean.resize(width.div_ceil(2) * height.div_ceil(2), N::default());
            rows.start(width);
        }
        color.iter_mut().for_each(|row| row.resize(width, N::default()));
        let mut planes = coefficients.iter_mut().zip(means.iter_mut());
        let mut bands: [_; 3] = std::array::from_fn(|i| {
            let (plane, mean) = planes.next()?;
            (i < sources.len()).then(|| split_bands(grid, level, mean, plane))
        });
        for y in 0..height {
            for ((source, coding), row) in sources.iter().zip(*codings).zip(&mut *color) {
                source.load(coding, y, raw, row);
            }
            if sources.len() == 3 {
                split_color(color);
            }
            for ((rows, bands), row) in rows.iter_mut().zip(&mut bands).zip(&*color) {
                if let Some(bands) = bands {
                    rows.push(bands, y, row);
                }
            }
        }
        for (rows, bands) in rows.iter_mut().zip(&mut bands) {
            if let Some(bands) = bands {
                rows.finish(bands, height);
            }
        }
    }
}

impl ComponentSource<'_> {
    /// A row of samples as numbers.
    #[inline(always)]
    fn load<N: Number>(&self, coding: &ComponentCoding, y: usize, raw: &[u8], to: &mut [N]) {
        let raw = &raw[self.lane.rows[y]..][..self.lane.row_bytes];
        if coding.depth == 16 {
            for (to, sample) in to.iter_mut().zip(raw.as_chunks().0) {
                let sample = i16::from_le_bytes(*sample);
                *to = N::of(i32::from(sample ^ turn(sample)) as u32, true);
            }
        } else {
            let turned = coding.curve == SampleCurve::Turned;
            for (to, sample) in to.iter_mut().zip(raw.as_chunks().0) {
                let sample = i32::from_le_bytes(*sample);
                let turn = if turned { turn_wide(sample) } else { 0 };
                *to = N::of((sample ^ turn) as u32, coding.signed);
            }
        }
    }
}

/// Red, green and blue to a luma, and what blue and red differ from green by.
#[inline(always)]
fn split_color<N: Number>(color: &mut [Vec<N>; 3]) {
    let [r, g, b] = color.each_mut().map(|row| row.iter_mut());
    for ((r, g), b) in r.zip(g).zip(b) {
        let luma = r.plus(*g).plus(g.plus(*b)).shifted::<2>();
        (*r, *g, *b) = (luma, b.minus(*g), r.minus(*g));
    }
}

/// Takes a level apart.
struct LevelSplitJob<'j, N> {
    bands: SplitBands<'j, N>,
    rows: &'j mut SplitRows<N>,
    from: &'j [N],
}

impl<N: Number> LaneJob for LevelSplitJob<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let LevelSplitJob { mut bands, rows, from } = self;
        rows.start(bands.width);
        let width = bands.width;
        for (y, row) in from.chunks_exact(width).enumerate() {
            rows.push(&mut bands, y, row);
        }
        rows.finish(&mut bands, from.len() / width);
    }
}

/// Takes a block out of its band, as what is coded; whether all of it is 0.
struct TakeJob<'j, N: Number> {
    from: &'j [N],
    cut: BlockCut,
    coded: &'j mut Vec<N::Coded>,
}

impl<N: Number> LaneJob for TakeJob<'_, N> {
    type Output = bool;
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        let TakeJob { from, cut, coded } = self;
        let stride = cut.width.next_multiple_of(2);
        coded.resize(stride * cut.height.next_multiple_of(2), N::Coded::default());
        let mut all = N::Coded::default();
        let mut rows = coded.chunks_exact_mut(stride);
        for (from, to) in cut.rows(from).zip(&mut rows) {
            for (to, number) in to.iter_mut().zip(from) {
                *to = number.coded();
                all = all.max(*to);
            }
            to[cut.width..].fill(N::Coded::default());
        }
        rows.for_each(|row| row.fill(N::Coded::default()));
        all == N::Coded::default()
    }
}
