//! Which prediction, base and method suit a plane: told by some of its samples.

use super::encode::{SubtractFrom, room, row_numbers};
use super::estimate::{bits_of, bits_of_bytes, bits_of_classes};
use super::predict::{Prediction, differences};
use super::ranks::{self, RankedSamples};
use super::{Element, SamplePlane, class};
use crate::wide::{Wide, wide};
use crate::word::Word;

/// Parts of rows that are looked at, and samples of each.
const PIECES: usize = 16;
const PIECE: usize = 64;
/// Of short rows there are more.
const MOST_PIECES: usize = 64;
/// Predictions are worth a closer look whose classes are not larger by more than this in the mean.
const WORTH_COUNTING: u32 = 4;
/// What a base must save: one bit in so many.
const WORTH_A_BASE: u64 = 64;

/// How a plane is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneChoice {
    pub(super) prediction: Prediction,
    pub(super) base: Option<usize>,
    /// Whether samples are replaced by their ranks.
    pub(super) is_ranked: bool,
    /// About how many bits a sample needs, times 1,024.
    pub(super) bits: u64,
}

/// For each plane the best prediction, and the base that makes it smaller.
pub(super) fn choose(bytes: &[u8], planes: &[SamplePlane]) -> Vec<PlaneChoice> {
    let mut memory = CostEstimator::default();
    let mut costs = Vec::with_capacity(planes.len());
    for (i, plane) in planes.iter().enumerate() {
        // Channels that belong together stand together: the base is the one before or behind.
        let is_beside = i > 0 && planes[i - 1].is_like(plane);
        costs.push(match plane.element {
            Element::U8 => memory.costs::<u8>(bytes, plane, is_beside),
            Element::U16 | Element::Half => memory.costs::<u16>(bytes, plane, is_beside),
            Element::U32 | Element::Float => memory.costs::<u32>(bytes, plane, is_beside),
            Element::Double => memory.costs::<u64>(bytes, plane, is_beside),
        });
    }
    let samples: Vec<u64> = planes.iter().map(|plane| plane.count() as u64).collect();
    let bases = bases(&costs, &samples);
    let choice = |(i, base): (usize, Option<usize>)| {
        let beside = base.and_then(|base| costs[base.max(i)].beside);
        let PredictionCost { bits, prediction } = beside.unwrap_or(costs[i].alone);
        PlaneChoice { prediction, base, is_ranked: false, bits }
    };
    bases.into_iter().enumerate().map(choice).collect()
}

/// The bases with which all planes together need fewest bits: a base has none itself.
fn bases(costs: &[PlaneCosts], samples: &[u64]) -> Vec<Option<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Base {
        None,
        Before,
        Behind,
    }
    const ALL: [Base; 3] = [Base::None, Base::Before, Base::Behind];
    let bits = |i: usize, base: Base| {
        let alone = costs[i].alone.bits;
        let beside = match base {
            Base::None => return Some(alone * samples[i]),
            Base::Before => costs[i].beside?.bits,
            Base::Behind => costs.get(i + 1)?.beside?.bits,
        };
        let is_worth_it = beside + beside / WORTH_A_BASE < alone;
        is_worth_it.then_some((beside + beside / WORTH_A_BASE) * samples[i])
    };
    // The least bits of the planes up to one, by its base, and the base of the one before then.
    let mut ways: Vec<[Option<(u64, Base)>; 3]> = Vec::with_capacity(costs.len());
    for i in 0..costs.len() {
        ways.push(ALL.map(|base| {
            let own = bits(i, base)?;
            let Some(before) = i.checked_sub(1).map(|before| ways[before]) else {
                return Some((own, Base::None));
            };
            let fits = |other: Base| match base {
                Base::None => true,
                Base::Before => other == Base::None,
                Base::Behind => other != Base::Behind,
            };
            let others = ALL.into_iter().zip(before).filter(|(other, _)| fits(*other));
            let others = others.filter_map(|(other, way)| Some((way?.0 + own, other)));
            others.min_by_key(|(bits, _)| *bits)
        }));
    }
    let mut found = vec![None; costs.len()];
    let Some(last) = ways.last() else { return found };
    // No plane stands behind the last one, so that it has a cost without a base or with it.
    let least = ALL.into_iter().zip(last).filter_map(|(base, way)| Some((way.as_ref()?.0, base)));
    let mut base = least.min_by_key(|(bits, _)| *bits).map_or(Base::None, |(_, base)| base);
    for i in (0..costs.len()).rev() {
        found[i] = match base {
            Base::None => None,
            Base::Before => Some(i - 1),
            Base::Behind => Some(i + 1),
        };
        let index = ALL.iter().position(|each| *each == base).unwrap_or(0);
        base = ways[i][index].map_or(Base::None, |(_, before)| before);
    }
    found
}

/// With the prediction that makes them fewest.
#[derive(Clone, Copy)]
pub(super) struct PredictionCost {
    /// About how many bits a sample needs, times 1,024.
    pub(super) bits: u64,
    pub(super) prediction: Prediction,
}

/// Of a plane.
struct PlaneCosts {
    alone: PredictionCost,
    /// Of its differences from the plane before, and as well of that one's from this: they are as
    /// far from zero.
    beside: Option<PredictionCost>,
}

/// Parts of planes.
#[derive(Default)]
struct CostEstimator {
    looked_at: Vec<u64>,
    before: Vec<u64>,
}

impl CostEstimator {
    fn costs<T: Word>(&mut self, bytes: &[u8], plane: &SamplePlane, is_beside: bool) -> PlaneCosts {
        let parts = SampledRows::of(plane.width, plane.rows);
        std::mem::swap(&mut self.looked_at, &mut self.before);
        let looked_at = room::<T>(&mut self.looked_at, parts.samples());
        parts.read(looked_at, |x, y, to| row_numbers(bytes, plane, y, x, to));
        let alone = parts.cheapest(looked_at, parts.predictions(plane.element.is_float()));
        let beside = is_beside.then(|| {
            let before = room::<T>(&mut self.before, parts.samples());
            wide(SubtractFrom { from: looked_at, other: before });
            parts.cheapest(before, parts.predictions(true))
        });
        PlaneCosts { alone, beside }
    }
}

/// The cheapest prediction of ranks, with the values that they stand for.
pub(super) fn best_of_ranks<T: Word>(ranks: &RankedSamples<T>, width: usize) -> PredictionCost {
    let count = ranks.ranks.len();
    let parts = SampledRows::of(width, count / width.max(1));
    let mut looked_at = vec![T::default(); parts.samples()];
    parts.read(&mut looked_at, |x, y, to| {
        to.copy_from_slice(&ranks.ranks[y * width + x..][..to.len()])
    });
    let PredictionCost { bits, prediction } = parts.cheapest(&looked_at, parts.predictions(false));
    let values = bits_of(&ranks::classes_of_gaps(&ranks.values));
    PredictionCost { bits: bits + values / count.max(1) as u64, prediction }
}

/// About how many bits each of these numbers needs, times 1,024, in a plane of one row: told by some
/// of them. Differences have signs, and are not predicted once more.
pub fn bits_of_numbers(numbers: &[u32], are_differences: bool) -> u64 {
    let parts = SampledRows::of(numbers.len(), 1);
    let mut looked_at = vec![0; parts.samples()];
    parts.read(&mut looked_at, |x, _, to| to.copy_from_slice(&numbers[x..][..to.len()]));
    let by = if are_differences { &[Prediction::None] } else { parts.predictions(false) };
    parts.cheapest(&looked_at, by).bits
}

/// The parts of rows that are looked at, spread over a plane.
#[derive(Clone, Copy)]
struct SampledRows {
    width: usize,
    rows: usize,
    count: usize,
    length: usize,
}

impl SampledRows {
    fn of(width: usize, rows: usize) -> SampledRows {
        let length = PIECE.min(width);
        let count = (PIECES * PIECE / length.max(1)).min(MOST_PIECES);
        SampledRows {
            width,
            rows,
            count: count.min((width * rows).div_ceil(length.max(1))),
            length,
        }
    }

    /// With those above them.
    fn samples(&self) -> usize {
        2 * self.length * self.count
    }

    /// Where a part begins: no row of a period of rows, and no part of the rows, is left out.
    fn place(&self, part: usize) -> (usize, usize) {
        let y = (2 * part + 1) * self.rows / (2 * self.count);
        // Steps of the golden section come everywhere.
        let far = part * 40_503 % 65_536;
        let far = if self.rows == 1 { 65_536 * part / self.count } else { far };
        let x = (self.width - self.length) * far / 65_535;
        // Of rows that were doubled the odd ones are like those above.
        (x, (y ^ part & 1).min(self.rows - 1))
    }

    /// Each part after what is above it; `read` gives what begins at a column of a row.
    fn read<T: Word>(&self, to: &mut [T], mut read: impl FnMut(usize, usize, &mut [T])) {
        for (part, to) in to.chunks_exact_mut(2 * self.length.max(1)).enumerate() {
            let (x, y) = self.place(part);
            let (above, row) = to.split_at_mut(self.length);
            read(x, y, row);
            match y {
                0 => above.fill(T::default()),
                _ => read(x, y - 1, above),
            }
        }
    }

    /// Those to try: in one row there is nothing above.
    fn predictions(&self, has_signs: bool) -> &'static [Prediction] {
        use Prediction::{Left, None, Plane, Unsigned, Up};
        match (self.rows, has_signs) {
            (..=1, true) => &[Left, None],
            (..=1, false) => &[Left, None, Unsigned],
            (_, true) => &[Left, Plane, Up, None],
            (_, false) => &[Left, Plane, Up, None, Unsigned],
        }
    }

    /// What [`Self::read`] gave needs least by which of some predictions?
    fn cheapest<T: Word>(&self, looked_at: &[T], by: &[Prediction]) -> PredictionCost {
        let mut classes = [[0u8; PIECES * PIECE]; Prediction::ALL.len()];
        // Floats of meshes and scenes are often noise below their upper bits, of which classes tell
        // little: of those in one row the bytes count too.
        let by_bytes = T::BYTES == 4 && self.rows == 1;
        let mut all = vec![T::default(); if by_bytes { by.len() * PIECES * PIECE } else { 0 }];
        let mut differences_of_row = [T::default(); PIECE];
        let to = &mut differences_of_row[..self.length];
        let mut counted = 0;
        // The first of a part has no left neighbour in it.
        let skipped = 1.min(self.length.saturating_sub(1));
        for (part, samples) in looked_at.chunks_exact(2 * self.length.max(1)).enumerate() {
            let (above, row) = samples.split_at(self.length);
            let above = if self.place(part).1 == 0 { &[] } else { above };
            for (i, (classes, prediction)) in classes.iter_mut().zip(by).enumerate() {
                differences(row, above, *prediction, to);
                let to = &to[skipped..];
                class::all_of(to, &mut classes[counted..]);
                if by_bytes {
                    all[i * PIECES * PIECE + counted..][..to.len()].copy_from_slice(to);
                }
            }
            counted += self.length - skipped;
        }
        let mut sums = [0u32; Prediction::ALL.len()];
        for (sum, classes) in sums.iter_mut().zip(&classes[..by.len()]) {
            *sum = wide(SumBytes(&classes[..counted]));
        }
        let least = sums[..by.len()].iter().min().copied().unwrap_or(0);
        let most = least.saturating_add(WORTH_COUNTING * counted as u32);
        let mut best = PredictionCost { bits: u64::MAX, prediction: Prediction::None };
        for (i, &prediction) in by.iter().enumerate() {
            if sums[i] <= most {
                let mut bits = bits_of_classes(&classes[i][..counted]);
                if by_bytes {
                    bits = bits.min(bits_of_bytes(&all[i * PIECES * PIECE..][..counted]));
                }
                if bits < best.bits {
                    best = PredictionCost { bits, prediction };
                }
            }
        }
        let bits = best.bits.checked_div(counted as u64).unwrap_or(0);
        PredictionCost { bits, ..best }
    }
}

struct SumBytes<'a>(&'a [u8]);

impl Wide for SumBytes<'_> {
    type Output = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        self.0.iter().map(|class| u32::from(*class)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(bits: u64) -> PredictionCost {
        PredictionCost { bits, prediction: Prediction::Left }
    }

    /// What all planes cost, or `None` where a base has one itself or is not worth it.
    fn total(costs: &[PlaneCosts], bases: &[Option<usize>]) -> Option<u64> {
        let each = bases.iter().enumerate().map(|(i, base)| {
            let alone = costs[i].alone.bits;
            let Some(base) = *base else { return Some(alone) };
            let bits = costs[base.max(i)].beside?.bits;
            let bits = bits + bits / WORTH_A_BASE;
            (bases[base].is_none() && bits < alone).then_some(bits)
        });
        each.sum()
    }

    proptest! {
        #[test]
        fn no_other_bases_are_better(
            bits in prop::collection::vec((0..4000u64, prop::option::of(0..4000u64)), 1..7),
        ) {
            let costs: Vec<PlaneCosts> = bits.iter().enumerate().map(|(i, (alone, beside))| {
                let beside = beside.filter(|_| i > 0).map(cost);
                PlaneCosts { alone: cost(*alone), beside }
            }).collect();
            let samples = vec![1; costs.len()];
            let found = total(&costs, &bases(&costs, &samples)).expect("bases that are possible");
            for way in 0..3usize.pow(costs.len() as u32) {
                let others: Vec<Option<usize>> = (0..costs.len()).map(|i| {
                    match way / 3usize.pow(i as u32) % 3 {
                        1 => i.checked_sub(1),
                        2 => Some(i + 1).filter(|i| *i < costs.len()),
                        _ => None,
                    }
                }).collect();
                let total = total(&costs, &others);
                prop_assert!(total.is_none_or(|total| total >= found), "{:?}", others);
            }
        }
    }

    #[test]
    fn parts_lie_in_their_plane() {
        for (width, rows) in [(1, 1), (1, 5000), (3, 1), (63, 2), (64, 64), (65, 3), (9000, 2)] {
            let parts = SampledRows::of(width, rows);
            assert!(parts.count > 0);
            for part in 0..parts.count {
                let (x, y) = parts.place(part);
                assert!(x + parts.length <= width && y < rows, "{width} × {rows}: {x}, {y}");
            }
        }
        assert_eq!(SampledRows::of(0, 5).samples(), 0);
    }
}
