//! Levels of the 5/3 wavelet put together, row by row.

use super::coefficient::JoinRows;
use super::lift53::{even_row, join_row, odd_row};
use super::number::Number;

/// The four bands of a level; rows of means are as long as those of differences, or one longer.
#[derive(Clone, Copy)]
pub(super) struct LevelBands<'p, N> {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Which row the bands but the mean start with.
    pub(super) first: usize,
    pub(super) low_low: &'p [N],
    pub(super) high_low: &'p [N],
    pub(super) low_high: &'p [N],
    pub(super) high_high: &'p [N],
}

impl<'p, N> LevelBands<'p, N> {
    /// A row of means, as its low and high half.
    #[inline(always)]
    pub(super) fn means(&self, row: usize) -> [&'p [N]; 2] {
        let (low, high) = (self.width.div_ceil(2), self.width / 2);
        [&self.low_low[row * low..][..low], &self.high_low[(row - self.first) * high..][..high]]
    }

    /// A row of differences.
    #[inline(always)]
    pub(super) fn differences(&self, row: usize) -> [&'p [N]; 2] {
        let (low, high) = (self.width.div_ceil(2), self.width / 2);
        let row = row - self.first;
        [&self.low_high[row * low..][..low], &self.high_high[row * high..][..high]]
    }
}

/// The rows of a level, one after the other. Of rows of both kinds the last two are kept.
#[derive(Default)]
pub(super) struct JoinedRows<N> {
    means: Vec<N>,
    differences: [Vec<N>; 2],
    even: [Vec<N>; 2],
    odd: Vec<N>,
    half: Vec<N>,
}

impl<N: Number> JoinRows<N> for JoinedRows<N> {
    fn start(&mut self, width: usize, _: usize) {
        let [a, b] = &mut self.differences;
        let [c, d] = &mut self.even;
        for row in [&mut self.means, &mut self.odd, a, b, c, d] {
            row.resize(width, N::default());
        }
    }

    fn wanted(y: usize) -> usize {
        y.div_ceil(2)
    }

    #[inline(always)]
    fn row(&mut self, bands: &LevelBands<'_, N>, y: usize) -> &[N] {
        let k = y / 2;
        if y == 0 {
            self.make_even(bands, 0);
        }
        if y.is_multiple_of(2) {
            return &self.even[k % 2];
        }
        let below = if y + 1 < bands.height {
            self.make_even(bands, k + 1);
            k + 1
        } else {
            k
        };
        let even = &self.even;
        odd_row::<N, true>(&self.differences[k % 2], &even[k % 2], &even[below % 2], &mut self.odd);
        &self.odd
    }
}

impl<N: Number> JoinedRows<N> {
    #[inline(always)]
    fn make_even(&mut self, bands: &LevelBands<'_, N>, k: usize) {
        let even = &mut self.even[k % 2];
        let [low, high] = bands.means(k);
        if bands.height == 1 {
            join_row(low, high, &mut self.half, even);
            return;
        }
        join_row(low, high, &mut self.half, &mut self.means);
        let (mut above, mut below) = (k.wrapping_sub(1) % 2, k % 2);
        if 2 * k + 1 < bands.height {
            let [low, high] = bands.differences(k);
            join_row(low, high, &mut self.half, &mut self.differences[k % 2]);
        } else {
            below = above;
        }
        if k == 0 {
            above = 0;
        }
        even_row::<N, true>(&self.means, &self.differences[above], &self.differences[below], even);
    }
}
