//! The 9/7 wavelet, in floats: four steps, each of which takes from samples what their neighbours say.
//!
//! Rows go through the steps as soon as their neighbours have come: four rows of each kind are enough.

use super::coefficient::{JoinRows, SplitLevel};
use super::join::LevelBands;
use super::split::SplitBands;

/// The steps, of odd samples and even ones in turn.
const ALPHA: f32 = -1.586_134_3;
const BETA: f32 = -0.052_980_12;
const GAMMA: f32 = 0.882_911_1;
const DELTA: f32 = 0.443_506_85;
/// By how much means are smaller than samples.
const K: f32 = 1.230_174_1;

/// `to` += `factor` · (a + b), of rows.
#[inline(always)]
fn lift(to: &mut [f32], a: &[f32], b: &[f32], factor: f32) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to += factor * (a + b);
    }
}

/// The same of each difference of a row, with the means before and behind it.
#[inline(always)]
fn lift_high(high: &mut [f32], low: &[f32], factor: f32) {
    lift(high, low, &low[1..], factor);
    if high.len() == low.len() {
        let last = low.len() - 1;
        high[last] += factor * (low[last] + low[last]);
    }
}

/// The same of each mean, with the differences before and behind it.
#[inline(always)]
fn lift_low(low: &mut [f32], high: &[f32], factor: f32) {
    low[0] += factor * (high[0] + high[0]);
    lift(&mut low[1..], high, &high[1..], factor);
    if low.len() > high.len() {
        let last = high.len() - 1;
        low[last + 1] += factor * (high[last] + high[last]);
    }
}

/// Room for the halves of a row.
#[derive(Default)]
struct HalfRows {
    low: Vec<f32>,
    high: Vec<f32>,
}

impl HalfRows {
    /// Puts a row together, `factor` times as large.
    #[inline(always)]
    fn join(&mut self, [low, high]: [&[f32]; 2], factor: f32, out: &mut [f32]) {
        let scaled = |to: &mut Vec<f32>, from: &[f32], factor: f32| {
            to.clear();
            to.extend(from.iter().map(|x| x * factor));
        };
        if high.is_empty() {
            out.iter_mut().zip(low).for_each(|(to, x)| *to = x * factor);
            return;
        }
        scaled(&mut self.low, low, K * factor);
        scaled(&mut self.high, high, factor / K);
        let (low, high) = (&mut self.low[..], &mut self.high[..]);
        lift_low(low, high, -DELTA);
        lift_high(high, low, -GAMMA);
        lift_low(low, high, -BETA);
        lift_high(high, low, -ALPHA);
        let (pairs, odd) = out.as_chunks_mut();
        for ((pair, low), high) in pairs.iter_mut().zip(&*low).zip(&*high) {
            *pair = [*low, *high];
        }
        if let [odd] = odd {
            *odd = low[high.len()];
        }
    }

    /// Takes a row apart, `factor` times as large.
    #[inline(always)]
    fn split(&mut self, row: &[f32], factor: f32, [low_out, high_out]: [&mut [f32]; 2]) {
        if high_out.is_empty() {
            low_out.iter_mut().zip(row).for_each(|(to, x)| *to = x * factor);
            return;
        }
        self.low.resize(low_out.len(), 0.0);
        self.high.resize(high_out.len(), 0.0);
        let (low, high) = (&mut self.low[..], &mut self.high[..]);
        let (pairs, odd) = row.as_chunks();
        for (([even, odd], low), high) in pairs.iter().zip(&mut *low).zip(&mut *high) {
            (*low, *high) = (*even, *odd);
        }
        if let [odd] = odd {
            low[high.len()] = *odd;
        }
        lift_high(high, low, ALPHA);
        lift_low(low, high, BETA);
        lift_high(high, low, GAMMA);
        lift_low(low, high, DELTA);
        low_out.iter_mut().zip(&*low).for_each(|(to, x)| *to = x * (factor / K));
        high_out.iter_mut().zip(&*high).for_each(|(to, x)| *to = x * (factor * K));
    }
}

/// Rows on their way: the last four even ones and odd ones.
#[derive(Default)]
struct MovingRows {
    even: [Vec<f32>; 4],
    odd: [Vec<f32>; 4],
    /// How many there are of each.
    count: [usize; 2],
}

impl MovingRows {
    fn start(&mut self, width: usize, height: usize) {
        self.count = [height.div_ceil(2), height / 2];
        self.even.iter_mut().chain(&mut self.odd).for_each(|row| row.resize(width, 0.0));
    }

    /// The step of odd row `j`, if it is there.
    #[inline(always)]
    fn lift_odd(&mut self, j: usize, factor: f32) {
        if j < self.count[1] {
            let below = (j + 1).min(self.count[0] - 1);
            lift(&mut self.odd[j % 4], &self.even[j % 4], &self.even[below % 4], factor);
        }
    }

    /// The step of even row `j`, if it is there.
    #[inline(always)]
    fn lift_even(&mut self, j: usize, factor: f32) {
        if j < self.count[0] {
            let [above, below] = [j.saturating_sub(1), j].map(|j| j.min(self.count[1] - 1));
            lift(&mut self.even[j % 4], &self.odd[above % 4], &self.odd[below % 4], factor);
        }
    }
}

/// The rows of a level, one after the other.
#[derive(Default)]
pub(super) struct JoinedFloats {
    rows: MovingRows,
    halves: HalfRows,
    /// How many rows of the bands have come.
    come: usize,
}

impl JoinRows<f32> for JoinedFloats {
    fn start(&mut self, width: usize, height: usize) {
        self.rows.start(width, height);
        self.come = 0;
    }

    fn wanted(y: usize) -> usize {
        y / 2 + 1 + y % 2
    }

    #[inline(always)]
    fn row(&mut self, bands: &LevelBands<'_, f32>, y: usize) -> &[f32] {
        // A row is ready when the next one of the bands has come, or the one after it.
        while self.come <= Self::wanted(y) {
            self.come(bands, self.come);
            self.come += 1;
        }
        let rows = if y.is_multiple_of(2) { &self.rows.even } else { &self.rows.odd };
        &rows[y / 2 % 4]
    }
}

impl JoinedFloats {
    #[inline(always)]
    fn come(&mut self, bands: &LevelBands<'_, f32>, k: usize) {
        let [even, odd] = self.rows.count;
        let scale = if odd == 0 { 1.0 } else { K };
        if k < even {
            self.halves.join(bands.means(k), scale, &mut self.rows.even[k % 4]);
        }
        if odd == 0 {
            return;
        }
        if k < odd {
            self.halves.join(bands.differences(k), 1.0 / K, &mut self.rows.odd[k % 4]);
        }
        self.rows.lift_even(k, -DELTA);
        if let Some(j) = k.checked_sub(1) {
            self.rows.lift_odd(j, -GAMMA);
            self.rows.lift_even(j, -BETA);
        }
        if let Some(j) = k.checked_sub(2) {
            self.rows.lift_odd(j, -ALPHA);
        }
    }
}

/// Takes the rows of a level one after the other.
#[derive(Default)]
pub(super) struct SplitFloats {
    rows: MovingRows,
    halves: HalfRows,
}

impl SplitLevel<f32> for SplitFloats {
    fn start(&mut self, width: usize, height: usize) {
        self.rows.start(width, height);
    }

    #[inline(always)]
    fn push(&mut self, bands: &mut SplitBands<'_, f32>, y: usize, row: &[f32]) {
        if y.is_multiple_of(2) {
            self.rows.even[y / 2 % 4].copy_from_slice(row);
            self.come(bands, y / 2);
        } else {
            self.rows.odd[y / 2 % 4].copy_from_slice(row);
        }
    }

    #[inline(always)]
    fn finish(&mut self, bands: &mut SplitBands<'_, f32>, height: usize) {
        let even = height.div_ceil(2);
        if height == 1 {
            return self.halves.split(&self.rows.even[0], 1.0, bands.means(0));
        }
        self.come(bands, even);
        self.come(bands, even + 1);
    }
}

impl SplitFloats {
    /// Even row `k` has come, and all before it.
    #[inline(always)]
    fn come(&mut self, bands: &mut SplitBands<'_, f32>, k: usize) {
        let [even, odd] = self.rows.count;
        if odd == 0 {
            return;
        }
        if let Some(j) = k.checked_sub(1) {
            self.rows.lift_odd(j, ALPHA);
            self.rows.lift_even(j, BETA);
        }
        if let Some(j) = k.checked_sub(2) {
            self.rows.lift_odd(j, GAMMA);
            self.rows.lift_even(j, DELTA);
            if j < even {
                self.halves.split(&self.rows.even[j % 4], 1.0 / K, bands.means(j));
            }
            if j < odd {
                self.halves.split(&self.rows.odd[j % 4], K, bands.differences(j));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_come_back() {
        let sizes: [(usize, usize); 9] =
            [(1, 1), (1, 2), (2, 1), (3, 3), (8, 5), (5, 8), (17, 2), (2, 17), (33, 65)];
        for (width, height) in sizes {
            let rows: Vec<f32> =
                (0..width * height).map(|i| ((i * 7919) % 1009) as f32 / 1009.0).collect();
            let (low, high) = (width.div_ceil(2), width / 2);
            let (down, differences) = (height.div_ceil(2), height / 2);
            let mut planes = [low * down, high * down, low * differences, high * differences]
                .map(|count| vec![0f32; count]);
            let [low_low, high_low, low_high, high_high] =
                planes.each_mut().map(|plane| &mut plane[..]);
            let mut bands = SplitBands { width, low_low, high_low, low_high, high_high };
            let mut split = SplitFloats::default();
            split.start(width, height);
            for (y, row) in rows.chunks_exact(width).enumerate() {
                split.push(&mut bands, y, row);
            }
            split.finish(&mut bands, height);
            let [low_low, high_low, low_high, high_high] =
                planes.each_ref().map(|plane| &plane[..]);
            let bands =
                LevelBands { width, height, first: 0, low_low, high_low, low_high, high_high };
            let mut joined = JoinedFloats::default();
            joined.start(width, height);
            for (y, row) in rows.chunks_exact(width).enumerate() {
                let again = joined.row(&bands, y);
                let near = again.iter().zip(row).all(|(a, b)| (a - b).abs() < 2e-6);
                assert!(near, "{width} × {height}, row {y}: {again:?} of {row:?}");
            }
        }
        // A flat plane: its mean is as large, and there are no differences.
        let (mut low, mut high) = ([0.0; 4], [0.0; 3]);
        HalfRows::default().split(&[0.25; 7], 1.0, [&mut low, &mut high]);
        assert!(low.iter().all(|x| (x - 0.25).abs() < 1e-6) && high.iter().all(|x| x.abs() < 1e-6));
    }
}
