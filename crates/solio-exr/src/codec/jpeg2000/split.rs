//! Levels of the 5/3 wavelet taken apart, row by row: the other side of `join.rs`.

use super::coefficient::SplitLevel;
use super::lift53::{even_row, odd_row, split_row};
use super::number::Number;

/// The bands of a level, as they are filled.
pub(super) struct SplitBands<'p, N> {
    pub(super) width: usize,
    pub(super) low_low: &'p mut [N],
    pub(super) high_low: &'p mut [N],
    pub(super) low_high: &'p mut [N],
    pub(super) high_high: &'p mut [N],
}

/// Takes the rows of a level one after the other.
#[derive(Default)]
pub(super) struct SplitRows<N> {
    even: Vec<N>,
    odd: Vec<N>,
    means: Vec<N>,
    /// Rows of differences: the last and the one before it.
    differences: [Vec<N>; 2],
}

impl<N: Number> SplitLevel<N> for SplitRows<N> {
    fn start(&mut self, width: usize, _: usize) {
        let [a, b] = &mut self.differences;
        for row in [&mut self.even, &mut self.odd, &mut self.means, a, b] {
            row.resize(width, N::default());
        }
    }

    #[inline(always)]
    fn push(&mut self, bands: &mut SplitBands<'_, N>, y: usize, row: &[N]) {
        if y % 2 == 1 {
            self.odd.copy_from_slice(row);
            return;
        }
        if y > 0 {
            self.split(bands, y / 2 - 1, Some(row));
        }
        self.even.copy_from_slice(row);
    }

    #[inline(always)]
    fn finish(&mut self, bands: &mut SplitBands<'_, N>, height: usize) {
        let k = (height - 1) / 2;
        if height.is_multiple_of(2) {
            self.split(bands, k, None);
        } else if height == 1 {
            split_row(&self.even, bands.means(0));
        } else {
            let last = &self.differences[(k - 1) % 2];
            even_row::<N, false>(&self.even, last, last, &mut self.means);
            split_row(&self.means, bands.means(k));
        }
    }
}

impl<N: Number> SplitRows<N> {
    /// Makes rows `k` of the bands, of which the next even row is known, or mirrored.
    #[inline(always)]
    fn split(&mut self, bands: &mut SplitBands<'_, N>, k: usize, next: Option<&[N]>) {
        let [a, b] = &mut self.differences;
        let (last, before) = if k.is_multiple_of(2) { (a, b) } else { (b, a) };
        odd_row::<N, false>(&self.odd, &self.even, next.unwrap_or(&self.even), last);
        let before = if k == 0 { &*last } else { &*before };
        even_row::<N, false>(&self.even, before, last, &mut self.means);
        split_row(&self.means, bands.means(k));
        split_row(last, bands.differences(k));
    }
}

impl<N> SplitBands<'_, N> {
    /// Rows `k` of the means of columns.
    #[inline(always)]
    pub(super) fn means(&mut self, k: usize) -> [&mut [N]; 2] {
        let (low, high) = (self.width.div_ceil(2), self.width / 2);
        [&mut self.low_low[k * low..][..low], &mut self.high_low[k * high..][..high]]
    }

    /// Rows `k` of their differences.
    #[inline(always)]
    pub(super) fn differences(&mut self, k: usize) -> [&mut [N]; 2] {
        let (low, high) = (self.width.div_ceil(2), self.width / 2);
        [&mut self.low_high[k * low..][..low], &mut self.high_high[k * high..][..high]]
    }
}

#[cfg(test)]
mod tests {
    use super::super::coefficient::JoinRows;
    use super::super::join::{JoinedRows, LevelBands};
    use super::*;

    #[test]
    fn levels_come_back() {
        for (width, height) in
            [(1usize, 1usize), (1, 2), (2, 1), (3, 3), (8, 5), (5, 8), (17, 2), (2, 17)]
        {
            let rows: Vec<i64> =
                (0..width * height).map(|i| (i as i64 * 7919) % 1009 - 500).collect();
            let (low, high) = (width.div_ceil(2), width / 2);
            let (down, differences) = (height.div_ceil(2), height / 2);
            let mut planes = [low * down, high * down, low * differences, high * differences]
                .map(|count| vec![0i64; count]);
            let [low_low, high_low, low_high, high_high] =
                planes.each_mut().map(|plane| &mut plane[..]);
            let mut bands = SplitBands { width, low_low, high_low, low_high, high_high };
            let mut split = SplitRows::default();
            split.start(width, height);
            for (y, row) in rows.chunks_exact(width).enumerate() {
                split.push(&mut bands, y, row);
            }
            split.finish(&mut bands, height);
            let [low_low, high_low, low_high, high_high] =
                planes.each_ref().map(|plane| &plane[..]);
            let bands =
                LevelBands { width, height, first: 0, low_low, high_low, low_high, high_high };
            let mut joined = JoinedRows::default();
            joined.start(width, height);
            for (y, row) in rows.chunks_exact(width).enumerate() {
                assert_eq!(joined.row(&bands, y), row, "{width} × {height}, row {y}");
            }
        }
    }
}
