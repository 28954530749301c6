//! One axis of a change of size: which samples make a sample, and with which weights.

use super::ResizeFilter;
use solio_base::{Error, Result};
use std::ops::Range;

/// Weights of a sample are filled up to a multiple of this.
pub(super) const LANES: usize = 8;

/// The most weights that are looked at for all samples of an axis: more is asked only by display windows
/// that are far larger than any image.
const MOST_WEIGHTS: f64 = (1u64 << 28) as f64;

/// An axis: the pixels of both display windows, and the samples that there are.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Where both display windows start.
    pub(super) start: i64,
    /// Pixels of the display windows, before and after.
    pub(super) sizes: [u64; 2],
    /// Pixels from a sample to the next: sample i lies in pixel i times this.
    pub(super) step: i64,
    /// The samples of the source.
    pub(super) from: Range<i64>,
    /// Those of the result.
    pub(super) to: Range<i64>,
}

/// For each sample of the result: the first sample of the source that counts, and the weights from there on.
pub(crate) struct Taps {
    pub(super) starts: Vec<usize>,
    /// So many for each, zeros at the end.
    pub(super) width: usize,
    pub(super) weights: Vec<f32>,
}

impl Taps {
    /// Two samples each: the first of them, and both weights.
    pub(crate) fn of_pairs(pairs: impl Iterator<Item = (usize, [f32; 2])>) -> Taps {
        let mut taps = Taps { starts: Vec::new(), width: LANES, weights: Vec::new() };
        for (start, weights) in pairs {
            taps.starts.push(start);
            taps.weights.extend_from_slice(&weights);
            taps.weights.resize(taps.starts.len() * LANES, 0.0);
        }
        taps
    }

    /// The weights of a sample.
    pub(super) fn of(&self, sample: usize) -> &[f32] {
        &self.weights[sample * self.width..][..self.width]
    }
}

impl Axis {
    /// How much larger the result is.
    fn ratio(&self) -> f64 {
        self.sizes[1] as f64 / self.sizes[0] as f64
    }

    /// The pixels of the result that some of the pixels in `data` fall on.
    pub(super) fn scaled(&self, data: Range<i64>) -> Range<i64> {
        let [before, after] = self.sizes.map(i128::from);
        let place = |at: i64| i128::from(at - self.start) * after;
        let first = place(data.start).div_euclid(before);
        let end = -(-place(data.end)).div_euclid(before);
        let start = i128::from(self.start);
        (first + start) as i64..(end.max(first + 1) + start) as i64
    }

    /// Where the centre of a sample of the result lies among the samples of the source.
    fn centre(&self, sample: i64) -> f64 {
        let start = self.start as f64;
        let pixel = (sample * self.step) as f64 - start + 0.5;
        (pixel / self.ratio() - 0.5 + start) / self.step as f64
    }

    /// The samples that are nearest to those of the result, `None` where there are none.
    pub(super) fn nearest(&self) -> Vec<Option<usize>> {
        let [before, after] = self.sizes.map(i128::from);
        let one = |sample: i64| {
            // Twice the place of the centre, in pixels of the source times those of the result.
            let twice = 2 * i128::from(sample * self.step - self.start) + 1;
            let pixel = (twice * before).div_euclid(2 * after) + i128::from(self.start);
            let near = pixel.div_euclid(i128::from(self.step)) - i128::from(self.from.start);
            usize::try_from(near).ok().filter(|near| *near < self.count())
        };
        self.to.clone().map(one).collect()
    }

    fn count(&self) -> usize {
        (self.from.end - self.from.start) as usize
    }

    /// The weights of all samples of the result. Beyond the display window, or the data window where that
    /// is larger, the outermost samples go on; between the two there is black.
    ///
    /// # Errors
    /// `Limit`, for display windows beyond all measure.
    pub(super) fn taps(&self, filter: ResizeFilter) -> Result<Taps> {
        // Of the smaller of both images are the pixels in which a filter is so wide.
        let scale = self.ratio().min(1.0);
        let reach = filter.radius() / scale;
        let samples = (self.to.end - self.to.start) as f64;
        if (2.0 * reach + 1.0) * samples > MOST_WEIGHTS {
            let message = format!("{} pixels are too many to be filtered", self.sizes[0]);
            return Err(Error::limit(message).hint("the display window is larger than any image"));
        }
        let display = {
            let first = self.start.div_euclid(self.step);
            first..first + (self.sizes[0] as i64).div_euclid(self.step).max(1)
        };
        let edges = [self.from.start.min(display.start), self.from.end.max(display.end) - 1];
        let mut all: Vec<(usize, Vec<f32>)> = Vec::new();
        let mut sums: Vec<f64> = Vec::new();
        for sample in self.to.clone() {
            let centre = self.centre(sample);
            let near =
                (centre - reach - 1e-6).ceil() as i64..=(centre + reach + 1e-6).floor() as i64;
            sums.clear();
            let mut start = 0;
            let mut total = 0.0;
            for at in near {
                let weight = filter.weight((at as f64 - centre) * scale);
                total += weight;
                let held = at.clamp(edges[0], edges[1]) - self.from.start;
                let Some(held) = usize::try_from(held).ok().filter(|held| *held < self.count())
                else {
                    continue;
                };
                if sums.is_empty() {
                    start = held;
                }
                let place = held - start;
                if sums.len() <= place {
                    sums.resize(place + 1, 0.0);
                }
                sums[place] += weight;
            }
            if total != 0.0 {
                sums.iter_mut().for_each(|weight| *weight /= total);
            }
            // What counts nothing is not looked at: it may be no number.
            let leading = sums.iter().take_while(|weight| **weight == 0.0).count();
            let used = sums.iter().rposition(|weight| *weight != 0.0).map_or(0, |last| last + 1);
            let weights = sums[leading.min(used)..used].iter().map(|weight| *weight as f32);
            all.push((start + leading.min(used), weights.collect()));
        }
        let most = all.iter().map(|(_, weights)| weights.len()).max().unwrap_or(0);
        let width = most.next_multiple_of(LANES).max(LANES);
        let mut taps = Taps {
            starts: Vec::with_capacity(all.len()),
            width,
            weights: Vec::with_capacity(all.len() * width),
        };
        for (start, weights) in all {
            taps.starts.push(start);
            taps.weights.extend_from_slice(&weights);
            taps.weights.resize(taps.starts.len() * width, 0.0);
        }
        Ok(taps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(sizes: [u64; 2], from: Range<i64>, to: Range<i64>) -> Axis {
        Axis { start: 0, sizes, step: 1, from, to }
    }

    #[test]
    fn weights_come_to_one_where_pixels_are() {
        for filter in ResizeFilter::ALL {
            for sizes in [[7, 3], [3, 7], [1, 1], [100, 1], [1, 100], [64, 32]] {
                let [before, after] = sizes.map(|size| size as i64);
                let taps = axis(sizes, 0..before, 0..after).taps(filter).unwrap();
                for sample in 0..after as usize {
                    let sum: f64 = taps.of(sample).iter().map(|weight| f64::from(*weight)).sum();
                    assert!((sum - 1.0).abs() < 1e-6, "{filter:?} {sizes:?} {sum}");
                    assert!(taps.starts[sample] < before as usize);
                }
            }
        }
    }

    #[test]
    fn between_the_windows_there_is_black() {
        // Pixels 4 to 7 of 16 become 2 and 3 of 8.
        let taps = axis([16, 8], 4..8, 0..8).taps(ResizeFilter::Box).unwrap();
        let sums: Vec<f32> = (0..8).map(|sample| taps.of(sample).iter().sum()).collect();
        assert_eq!(sums, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        // Where data and display end together, the last pixel goes on.
        let taps = axis([4, 2], 0..4, 0..2).taps(ResizeFilter::Lanczos3).unwrap();
        assert!((taps.of(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn windows_cover_all_that_they_hold() {
        let axis = Axis { start: -2, ..axis([20, 10], 0..1, 0..1) };
        assert_eq!(axis.scaled(-2..18), -2..8);
        assert_eq!(axis.scaled(-1..0), -2..-1);
        assert_eq!(axis.scaled(3..8), 0..3);
        assert_eq!(axis.scaled(-12..-11), -7..-6);
    }

    #[test]
    fn display_windows_beyond_measure_are_refused() {
        let error = axis([1 << 30, 1], 0..1, 0..1).taps(ResizeFilter::Box).err().unwrap();
        assert_eq!(error.kind(), solio_base::ErrorKind::Limit);
    }

    #[test]
    fn nearest_is_the_pixel_at_the_centre() {
        let near = |sizes, from, to| axis(sizes, from, to).nearest();
        assert_eq!(near([4, 2], 0..4, 0..2), [Some(1), Some(3)]);
        assert_eq!(near([2, 4], 0..2, 0..4), [Some(0), Some(0), Some(1), Some(1)]);
        assert_eq!(near([3, 1], 0..3, 0..1), [Some(1)]);
        assert_eq!(near([4, 2], 2..4, 0..2), [None, Some(1)]);
    }
}
