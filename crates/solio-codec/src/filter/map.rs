//! Value by value: zigzag, monotone integers of floats; and channel by channel: differences of
//! colours.

use super::FilterShape;
use crate::wide::{Wide, wide};
use crate::word::Word;

/// What becomes of each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    Zigzag,
    Unzigzag,
    Monotone,
    Unmonotone,
}

/// Fills `to` with the values of `from`, mapped.
pub(super) fn map<T: Word>(how: Map, from: &[T], to: &mut [T]) {
    wide(MapValues { how, from, to });
}

struct MapValues<'a, T> {
    how: Map,
    from: &'a [T],
    to: &'a mut [T],
}

impl<T: Word> Wide for MapValues<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let pairs = self.to.iter_mut().zip(self.from);
        match self.how {
            Map::Zigzag => pairs.for_each(|(to, value)| *to = value.zigzag()),
            Map::Unzigzag => pairs.for_each(|(to, value)| *to = value.unzigzag()),
            Map::Monotone => pairs.for_each(|(to, value)| *to = value.monotone()),
            Map::Unmonotone => pairs.for_each(|(to, value)| *to = value.unmonotone()),
        }
    }
}

/// Fills `to` with `from`, whose red and blue lines have the green ones taken away.
pub(super) fn decorrelate<T: Word>(rgb: [usize; 3], shape: &FilterShape, from: &[T], to: &mut [T]) {
    to.copy_from_slice(from);
    each_pair(rgb, shape, to, |green, other| {
        wide(GreenDifference { less: true, green, other });
    });
}

/// Undoes [`decorrelate`].
pub(super) fn correlate<T: Word>(rgb: [usize; 3], shape: &FilterShape, from: &[T], to: &mut [T]) {
    to.copy_from_slice(from);
    each_pair(rgb, shape, to, |green, other| {
        wide(GreenDifference { less: false, green, other });
    });
}

/// Calls `job` with the green line of every row, and with the red and the blue one.
fn each_pair<T: Word>(
    [red, green, blue]: [usize; 3],
    shape: &FilterShape,
    values: &mut [T],
    job: impl Fn(&[T], &mut [T]),
) {
    let width = shape.width;
    if width == 0 || shape.channels == 0 {
        return;
    }
    for row in values.chunks_exact_mut(shape.channels * width) {
        for other in [red, blue] {
            let (first, second) = (green.min(other) * width, green.max(other) * width);
            let (before, after) = row.split_at_mut(second);
            let (a, b) = (&mut before[first..][..width], &mut after[..width]);
            if green < other { job(a, b) } else { job(b, a) }
        }
    }
}

struct GreenDifference<'a, T> {
    less: bool,
    green: &'a [T],
    other: &'a mut [T],
}

impl<T: Word> Wide for GreenDifference<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let pairs = self.other.iter_mut().zip(self.green);
        if self.less {
            pairs.for_each(|(other, green)| *other = other.minus(*green));
        } else {
            pairs.for_each(|(other, green)| *other = other.plus(*green));
        }
    }
}
