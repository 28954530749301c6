//! Where the coefficients of a component lie: resolutions, bands, code blocks, and the order of packets.
//!
//! All of it starts at 0, 0, so that the size of a component and few numbers of the header say everything.

/// What kind of band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BandKind {
    /// The mean of all levels.
    LowLow,
    /// Differences along rows.
    HighLow,
    /// Differences along columns.
    LowHigh,
    /// Both.
    HighHigh,
}

/// A band of one resolution.
#[derive(Clone, Debug)]
pub(super) struct Band {
    pub(super) kind: BandKind,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Where its coefficients start in those of the component.
    pub(super) start: usize,
    /// Its number in QCD.
    pub(super) index: usize,
    /// Where its blocks start in those of the component.
    pub(super) blocks: usize,
    pub(super) across: usize,
    pub(super) down: usize,
}

/// One resolution: the mean, or what is added to the one before.
#[derive(Clone, Debug)]
pub(super) struct Resolution {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bands: Vec<Band>,
}

/// A component.
#[derive(Clone, Debug)]
pub(super) struct ComponentGrid {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Of a code block, as powers of two.
    pub(super) block_bits: [u32; 2],
    pub(super) resolutions: Vec<Resolution>,
    /// All code blocks.
    pub(super) blocks: usize,
}

/// Width and height of what the header calls a precinct, where it says nothing of them.
const PRECINCT_BITS: u32 = 15;

impl ComponentGrid {
    pub(super) fn new(width: usize, height: usize, levels: u32, block_bits: [u32; 2]) -> Self {
        let mut grid =
            ComponentGrid { width, height, block_bits, resolutions: Vec::new(), blocks: 0 };
        let mut start = 0;
        for resolution in 0..=levels {
            // Halved so many times.
            let times = levels - resolution;
            let size = |of: usize| of.div_ceil(1 << times.min(63));
            let (width, height) = (size(width), size(height));
            use BandKind::{HighHigh, HighLow, LowHigh, LowLow};
            let kinds: &[BandKind] =
                if resolution == 0 { &[LowLow] } else { &[HighLow, LowHigh, HighHigh] };
            let bands = kinds.iter().map(|kind| {
                let [low_width, low_height] = [width, height].map(|of| of.div_ceil(2));
                let (width, height) = match kind {
                    LowLow => (width, height),
                    HighLow => (width / 2, low_height),
                    LowHigh => (low_width, height / 2),
                    HighHigh => (width / 2, height / 2),
                };
                let [across, down] = [(width, block_bits[0]), (height, block_bits[1])]
                    .map(|(of, b)| of.div_ceil(1 << b));
                let index = match kind {
                    LowLow => 0,
                    kind => 3 * (resolution as usize - 1) + *kind as usize,
                };
                let band = Band {
                    kind: *kind,
                    width,
                    height,
                    start,
                    index,
                    blocks: grid.blocks,
                    across,
                    down,
                };
                start += width * height;
                grid.blocks += across * down;
                band
            });
            let bands = bands.collect();
            grid.resolutions.push(Resolution { width, height, bands });
        }
        grid
    }
}

/// A packet: the blocks of a component that lie in one precinct of a resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) component: usize,
    pub(super) resolution: usize,
    /// Column and row of the precinct.
    pub(super) precinct: [usize; 2],
}

/// All packets: by resolution, then by place, then by component.
pub(super) fn packets(grids: &[(ComponentGrid, [usize; 2])]) -> Vec<Packet> {
    let mut packets = Vec::new();
    let most = grids.iter().map(|(grid, _)| grid.resolutions.len()).max().unwrap_or(0);
    for resolution in 0..most {
        let mut of_resolution = Vec::new();
        for (component, (grid, sampling)) in grids.iter().enumerate() {
            let Some(size) = grid.resolutions.get(resolution) else { continue };
            let [columns, rows] =
                [size.width, size.height].map(|of| of.div_ceil(1 << PRECINCT_BITS));
            let times = (grid.resolutions.len() - 1 - resolution).min(32);
            for (row, column) in
                (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
            {
                let place = |index: usize, sampling: usize| {
                    ((index as u128) << (PRECINCT_BITS as usize + times)) * sampling as u128
                };
                let at = [place(row, sampling[1]), place(column, sampling[0])];
                let packet = Packet { component, resolution, precinct: [column, row] };
                of_resolution.push((at, packet));
            }
        }
        of_resolution.sort_by_key(|(at, packet)| (*at, packet.component));
        packets.extend(of_resolution.into_iter().map(|(_, packet)| packet));
    }
    packets
}

impl Band {
    /// Columns and rows of the blocks of the band that are in a precinct.
    pub(super) fn blocks_of(
        &self,
        precinct: [usize; 2],
        block_bits: [u32; 2],
    ) -> [std::ops::Range<usize>; 2] {
        let bits = PRECINCT_BITS - u32::from(self.kind != BandKind::LowLow);
        let range = |index: usize, block: u32, most: usize| {
            let each = 1 << (bits - block);
            (index * each).min(most)..((index + 1) * each).min(most)
        };
        [
            range(precinct[0], block_bits[0], self.across),
            range(precinct[1], block_bits[1], self.down),
        ]
    }
}
