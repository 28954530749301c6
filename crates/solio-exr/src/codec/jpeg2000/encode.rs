//! The samples of a chunk to a codestream.

use solio_codec::lanes::{LaneJob, Lanes, run};

use super::block_encode::BlockWriter;
use super::coefficient::{Coefficient, SplitLevel};
use super::curve::{HALF_MAX, PointCurve, points};
use super::decode::{BlockCut, padded};
use super::geometry::ComponentGrid;
use super::markers::{ComponentCoding, SampleCurve};
use super::pack_packets::write_packets;
use super::packets::BlockPlace;
use super::quality::set_steps;
use super::split::SplitBands;
use super::write_markers::{LEVELS, write_header, write_tile_parts};
use crate::codec::layout::ChannelLane;
use crate::{Channel, PixelType};

/// Width and height of code blocks, as powers of two.
const BLOCK_BITS: [u32; 2] = [7, 5];

/// Those of components without loss beside a colour with.
const OTHER_BLOCK_BITS: [u32; 2] = [6, 6];

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
struct SplitPlanes<N: Coefficient> {
    /// Of each component of a colour, its coefficients, band by band.
    coefficients: [Vec<N>; 3],
    /// The mean of the level that is taken apart, and of the next.
    means: [Vec<N>; 3],
    smaller: Vec<N>,
    rows: [N::Split; 3],
    color: [Vec<N>; 3],
    coded: Vec<N::Coded>,
    writer: BlockWriter<N::Coded>,
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct Jpeg2000Writer {
    narrow: SplitPlanes<i32>,
    wide: SplitPlanes<i64>,
    lossy: SplitPlanes<f32>,
    bytes: Vec<u8>,
    packets: Vec<u8>,
}

/// A component and where its samples are.
pub(super) struct ComponentSource<'c> {
    pub(super) channel: &'c Channel,
    pub(super) lane: &'c ChannelLane,
}

/// The components of a chunk.
pub(super) struct ChunkSources<'c> {
    pub(super) size: [usize; 2],
    pub(super) components: Vec<ComponentSource<'c>>,
    /// The first three are a colour.
    pub(super) color: bool,
    /// Which loses something, at this quality.
    pub(super) quality: Option<f32>,
}

impl ChunkSources<'_> {
    /// How the components are coded: what is of the type of the first one as it is.
    fn codings(&self, raw: &[u8]) -> Vec<ComponentCoding> {
        let mut codings: Vec<ComponentCoding> = Vec::with_capacity(self.components.len());
        for (i, source) in self.components.iter().enumerate() {
            let coding = lossless(source.channel, self.color && i < 3);
            let like = |first: &&ComponentCoding| {
                (first.depth, first.signed) == (coding.depth, coding.signed)
            };
            let like_first = codings.first().filter(like).filter(|_| self.quality.is_none());
            let steps = like_first.map(|first| (first.guard_bits, first.steps.clone()));
            let (guard_bits, steps) = steps.unwrap_or((coding.guard_bits, coding.steps));
            codings.push(ComponentCoding { guard_bits, steps, ..coding });
        }
        if let Some(quality) = self.quality {
            let depth = codings[0].depth;
            let largest = if depth == 32 { self.largest(raw) } else { HALF_MAX };
            let (colors, others) = codings.split_at_mut(3);
            set_steps(colors, quality, largest);
            let curve = points(depth, largest);
            colors.iter_mut().for_each(|coding| coding.curve = curve.clone());
            others.iter_mut().for_each(|coding| coding.block_bits = OTHER_BLOCK_BITS);
        }
        codings
    }

    /// The range of the curve of floats: that of halves, and more where samples are larger.
    fn largest(&self, raw: &[u8]) -> f64 {
        let mut largest = 0f32;
        for lane in self.components[..3].iter().map(|source| source.lane) {
            for row in &lane.rows {
                let floats = raw[*row..][..lane.row_bytes].as_chunks().0;
                let sizes = floats.iter().map(|float| f32::from_le_bytes(*float).abs());
                largest = sizes.filter(|size| size.is_finite()).fold(largest, f32::max);
            }
        }
        let largest = f64::from(largest);
        // Not quite at its end.
        if largest > HALF_MAX { largest * 1.05 } else { HALF_MAX }
    }
}

impl Jpeg2000Writer {
    /// Appends a codestream.
    pub(super) fn write(&mut self, chunk: &ChunkSources<'_>, raw: &[u8], out: &mut Vec<u8>) {
        let ChunkSources { components: sources, color, quality, .. } = chunk;
        let codings = chunk.codings(raw);
        let fill = |size: usize| match quality {
            Some(_) => padded(size, 1 << LEVELS),
            None => size,
        };
        let grid = |(source, coding): (&ComponentSource<'_>, &ComponentCoding)| {
            let [width, height] = [source.lane.samples, source.lane.rows.len()].map(fill);
            (ComponentGrid::new(width, height, coding.levels, coding.block_bits), coding.sampling)
        };
        let grids: Vec<_> = sources.iter().zip(&codings).map(grid).collect();
        let curved = |coding: &ComponentCoding| (coding.clone(), PointCurve::of(coding, false));
        let curved: Vec<_> = codings.iter().map(curved).collect();
        self.bytes.clear();
        let mut blocks = Vec::with_capacity(sources.len());
        let mut first = 0;
        while first < sources.len() {
            let count = if *color && first == 0 { 3 } else { 1 };
            let range = first..first + count;
            let job = SplitJob {
                sources: &sources[range.clone()],
                grids: &grids[range.clone()],
                codings: &curved[range],
                raw,
            };
            let out = (&mut self.bytes, &mut blocks);
            if !codings[first].reversible {
                self.lossy.write(&job, out);
            } else if codings[first].depth == 16 {
                self.narrow.write(&job, out);
            } else {
                self.wide.write(&job, out);
            }
            first += count;
        }
        self.packets.clear();
        let lengths = write_packets(&grids, &blocks, &self.bytes, &mut self.packets);
        write_header(chunk.size.map(fill), &codings, *color, out);
        write_tile_parts(&self.packets, &lengths, out);
    }
}

/// One component, or the three of a colour.
struct SplitJob<'j> {
    sources: &'j [ComponentSource<'j>],
    grids: &'j [(ComponentGrid, [usize; 2])],
    codings: &'j [(ComponentCoding, PointCurve)],
    raw: &'j [u8],
}

impl<N: Coefficient> SplitPlanes<N> {
    fn write(
        &mut self,
        job: &SplitJob<'_>,
        (bytes, blocks): (&mut Vec<u8>, &mut Vec<Vec<BlockPlace>>),
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
            blocks.push(self.write_blocks(i, grid, &job.codings[i].0, bytes));
        }
    }

    fn write_blocks(
        &mut self,
        i: usize,
        grid: &ComponentGrid,
        coding: &ComponentCoding,
        bytes: &mut Vec<u8>,
    ) -> Vec<BlockPlace> {
        let mut places = Vec::with_capacity(grid.blocks);
        for band in grid.resolutions.iter().flat_map(|resolution| &resolution.bands) {
            let from = &self.coefficients[i][band.start..][..band.width * band.height];
            for (row, column) in (0..band.down).flat_map(|y| (0..band.across).map(move |x| (y, x)))
            {
                let cut = BlockCut::new(band, grid.block_bits, [column, row]);
                let coded = &mut self.coded;
                let scale = N::coded_scale(coding, band);
                let is_empty = run(TakeJob { from, cut, coded, scale });
                let start = bytes.len();
                if !is_empty {
                    self.writer.write(coded, cut.width.next_multiple_of(2), bytes);
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
struct FirstLevelJob<'j, N: Coefficient> {
    planes: &'j mut SplitPlanes<N>,
    job: &'j SplitJob<'j>,
}

impl<N: Coefficient> LaneJob for FirstLevelJob<'_, N> {
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
            rows.start(width, height);
        }
        color.iter_mut().for_each(|row| row.resize(width, N::default()));
        let mut planes = coefficients.iter_mut().zip(means.iter_mut());
        let mut bands: [_; 3] = std::array::from_fn(|i| {
            let (plane, mean) = planes.next()?;
            (i < sources.len()).then(|| split_bands(grid, level, mean, plane))
        });
        for y in 0..height {
            for ((source, (coding, curve)), row) in sources.iter().zip(*codings).zip(&mut *color) {
                // What fills the levels repeats the last row and column.
                let lane = source.lane;
                let y = y.min(lane.rows.len() - 1);
                let raw = &raw[lane.rows[y]..][..lane.row_bytes];
                let (samples, more) = row.split_at_mut(lane.samples);
                N::load(raw, coding, curve, samples);
                more.fill(samples[samples.len() - 1]);
            }
            if sources.len() == 3 {
                N::split_color(color);
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

/// Takes a level apart.
struct LevelSplitJob<'j, N: Coefficient> {
    bands: SplitBands<'j, N>,
    rows: &'j mut N::Split,
    from: &'j [N],
}

impl<N: Coefficient> LaneJob for LevelSplitJob<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let LevelSplitJob { mut bands, rows, from } = self;
        let (width, height) = (bands.width, from.len() / bands.width);
        rows.start(width, height);
        for (y, row) in from.chunks_exact(width).enumerate() {
            rows.push(&mut bands, y, row);
        }
        rows.finish(&mut bands, height);
    }
}

/// Takes a block out of its band, as what is coded; whether all of it is 0.
struct TakeJob<'j, N: Coefficient> {
    from: &'j [N],
    cut: BlockCut,
    coded: &'j mut Vec<N::Coded>,
    scale: N::Scale,
}

impl<N: Coefficient> LaneJob for TakeJob<'_, N> {
    type Output = bool;
    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        let TakeJob { from, cut, coded, scale } = self;
        let stride = cut.width.next_multiple_of(2);
        coded.resize(stride * cut.height.next_multiple_of(2), N::Coded::default());
        let mut all = N::Coded::default();
        let mut rows = coded.chunks_exact_mut(stride);
        for (from, to) in cut.rows(from).zip(&mut rows) {
            for (to, number) in to.iter_mut().zip(from) {
                *to = number.coded(scale);
                all = all.max(*to);
            }
            to[cut.width..].fill(N::Coded::default());
        }
        rows.for_each(|row| row.fill(N::Coded::default()));
        all == N::Coded::default()
    }
}
