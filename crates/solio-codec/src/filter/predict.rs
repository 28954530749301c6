//! Each value less a guess from those around it: what is left is small where values change slowly.
//!
//! Lines are those of a [`FilterShape`]: the line above is that of the same channel and plane, one row
//! up. Going forward the values around are all there, and the loop is compiled for the vectors of
//! this machine; going back each value needs the one before.

use super::FilterShape;
use crate::wide::{Wide, wide};
use crate::word::Word;

/// How a value is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Left,
    Up,
    ClampedGradient,
    Paeth,
}

/// From `left`, `up` and the one left of that.
trait Guesses: Copy {
    fn of<T: Word>(self, left: T, up: T, corner: T) -> T;
}

#[derive(Clone, Copy)]
struct PredictLeft;
#[derive(Clone, Copy)]
struct Up;
/// The median of left, up and left + up − corner (LOCO-I; ITU-T T.87, A.4.2).
#[derive(Clone, Copy)]
struct ClampedGradient;
/// The one of the three that is nearest to left + up − corner (PNG, third edition, 9.4).
#[derive(Clone, Copy)]
struct Paeth;

impl Guesses for PredictLeft {
    #[inline(always)]
    fn of<T: Word>(self, left: T, _: T, _: T) -> T {
        left
    }
}

impl Guesses for Up {
    #[inline(always)]
    fn of<T: Word>(self, _: T, up: T, _: T) -> T {
        up
    }
}

impl Guesses for ClampedGradient {
    #[inline(always)]
    fn of<T: Word>(self, left: T, up: T, corner: T) -> T {
        let (low, high) = (left.min(up), left.max(up));
        // What lies between the two cannot wrap around.
        low.plus(high).minus(corner.max(low).min(high))
    }
}

impl Guesses for Paeth {
    #[inline(always)]
    fn of<T: Word>(self, left: T, up: T, corner: T) -> T {
        let apart = |a: T, b: T| a.max(b).minus(a.min(b));
        let (to_left, to_up) = (apart(up, corner), apart(left, corner));
        let same_side = (up >= corner) == (left >= corner);
        // On the same side both distances add up: the corner is never the nearest.
        let corner_is_nearer =
            !same_side && apart(to_left, to_up) < to_left && apart(to_left, to_up) < to_up;
        if corner_is_nearer {
            corner
        } else if to_left <= to_up {
            left
        } else {
            up
        }
    }
}

/// Fills `to` with what is left of `from`.
pub(super) fn apply<T: Word>(guess: Guess, shape: &FilterShape, from: &[T], to: &mut [T]) {
    match guess {
        Guess::Left => forward(PredictLeft, shape, from, to),
        Guess::Up => forward(Up, shape, from, to),
        Guess::ClampedGradient => forward(ClampedGradient, shape, from, to),
        Guess::Paeth => forward(Paeth, shape, from, to),
    }
}

/// Undoes [`apply`].
pub(super) fn undo<T: Word>(guess: Guess, shape: &FilterShape, from: &[T], to: &mut [T]) {
    match guess {
        Guess::Left => back(PredictLeft, shape, from, to),
        Guess::Up => back(Up, shape, from, to),
        Guess::ClampedGradient => back(ClampedGradient, shape, from, to),
        Guess::Paeth => back(Paeth, shape, from, to),
    }
}

/// Of the lines of `shape`: its number, and that of the line above.
fn lines(shape: &FilterShape) -> impl Iterator<Item = (usize, Option<usize>)> + use<> {
    let (rows, channels) = (shape.rows, shape.channels);
    (0..shape.lines()).map(move |line| {
        let row = line / channels % rows;
        (line, (row > 0).then(|| line - channels))
    })
}

fn forward<T: Word, G: Guesses>(guess: G, shape: &FilterShape, from: &[T], to: &mut [T]) {
    let width = shape.width;
    if width == 0 {
        return;
    }
    for (line, above) in lines(shape) {
        let row = &from[line * width..][..width];
        let above = above.map(|above| &from[above * width..][..width]);
        wide(PredictForward { guess, row, above, to: &mut to[line * width..][..width] });
    }
}

struct PredictForward<'a, T, G> {
    guess: G,
    row: &'a [T],
    above: Option<&'a [T]>,
    to: &'a mut [T],
}

impl<T: Word, G: Guesses> Wide for PredictForward<'_, T, G> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let PredictForward { guess, row, above, to } = self;
        // In the first row the value to the left is all there is, in the first column that above.
        to[0] = row[0].minus(above.map_or(T::default(), |above| above[0]));
        let pairs = row.iter().zip(&row[1..]).zip(&mut to[1..]);
        match above {
            None => pairs.for_each(|((left, value), to)| *to = value.minus(*left)),
            Some(above) => {
                for (((left, value), to), (corner, up)) in pairs.zip(above.iter().zip(&above[1..]))
                {
                    *to = value.minus(guess.of(*left, *up, *corner));
                }
            }
        }
    }
}

fn back<T: Word, G: Guesses>(guess: G, shape: &FilterShape, from: &[T], to: &mut [T]) {
    let width = shape.width;
    if width == 0 {
        return;
    }
    for (line, above) in lines(shape) {
        let (done, rest) = to.split_at_mut(line * width);
        let above = above.map(|above| &done[above * width..][..width]);
        wide(Back { guess, row: &from[line * width..][..width], above, to: &mut rest[..width] });
    }
}

struct Back<'a, T, G> {
    guess: G,
    row: &'a [T],
    above: Option<&'a [T]>,
    to: &'a mut [T],
}

impl<T: Word, G: Guesses> Wide for Back<'_, T, G> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Back { guess, row, above, to } = self;
        let mut left = row[0].plus(above.map_or(T::default(), |above| above[0]));
        to[0] = left;
        let pairs = row[1..].iter().zip(&mut to[1..]);
        match above {
            None => {
                for (rest, to) in pairs {
                    left = left.plus(*rest);
                    *to = left;
                }
            }
            Some(above) => {
                for ((rest, to), (corner, up)) in pairs.zip(above.iter().zip(&above[1..])) {
                    left = rest.plus(guess.of(left, *up, *corner));
                    *to = left;
                }
            }
        }
    }
}
