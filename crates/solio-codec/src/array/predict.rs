//! What a sample is expected to be by those before it, and the differences from that.
//!
//! Outside the plane lies what the row above says, and zeros above the first row.

use super::prefix;
use crate::wide::{Wide, wide};
use crate::word::Word;

/// Which samples say what the next one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prediction {
    /// None do: zero is expected.
    None,
    /// The one to the left.
    Left,
    /// The one above.
    Up,
    /// Left, plus above, less above left: a plane through the three.
    Plane,
    /// None do, and the samples have no sign: they are stored as they are, without a zigzag.
    Unsigned,
}

impl Prediction {
    /// All of them.
    pub const ALL: [Prediction; 5] = [
        Prediction::None,
        Prediction::Left,
        Prediction::Up,
        Prediction::Plane,
        Prediction::Unsigned,
    ];

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn of_code(code: u8) -> Option<Prediction> {
        Prediction::ALL.get(usize::from(code)).copied()
    }
}

/// Zigzagged differences of a row from what is expected; `above` is as long, or empty in the
/// first row.
pub(super) fn differences<T: Word>(row: &[T], above: &[T], by: Prediction, to: &mut [T]) {
    let Some((&first, _)) = row.split_first() else { return };
    if by == Prediction::Unsigned {
        to.copy_from_slice(row);
        return;
    }
    let zero = T::default();
    let corner = above.first().copied().unwrap_or(zero);
    // In the first row the plane is what is to the left, and nothing is above.
    let by = match (by, above.is_empty()) {
        (Prediction::Plane, true) => Prediction::Left,
        (Prediction::Up, true) => Prediction::None,
        (by, _) => by,
    };
    wide(Differences { row, above, by, to: &mut *to });
    let expected = if by == Prediction::None { zero } else { corner };
    to[0] = first.minus(expected).zigzag();
}

struct Differences<'a, T> {
    row: &'a [T],
    above: &'a [T],
    by: Prediction,
    to: &'a mut [T],
}

impl<T: Word> Wide for Differences<'_, T> {
    type Output = ();
    /// All but the first one.
    #[inline(always)]
    fn run(self) {
        let Differences { row, above, by, to } = self;
        let count = row.len();
        let (left, to) = (&row[..count - 1], &mut to[1..count]);
        let row = &row[1..];
        match by {
            Prediction::None | Prediction::Unsigned => {
                to.iter_mut().zip(row).for_each(|(to, x)| *to = x.zigzag());
            }
            Prediction::Left => {
                for ((to, x), left) in to.iter_mut().zip(row).zip(left) {
                    *to = x.minus(*left).zigzag();
                }
            }
            Prediction::Up => {
                for ((to, x), up) in to.iter_mut().zip(row).zip(&above[1..count]) {
                    *to = x.minus(*up).zigzag();
                }
            }
            Prediction::Plane => {
                let (corner, up) = (&above[..count - 1], &above[1..count]);
                for ((((to, x), left), up), corner) in
                    to.iter_mut().zip(row).zip(left).zip(up).zip(corner)
                {
                    *to = x.minus(left.plus(up.minus(*corner))).zigzag();
                }
            }
        }
    }
}

/// Makes the samples of differences (not zigzagged) in place.
pub(super) fn restore<T: Word>(row: &mut [T], above: &[T], by: Prediction) {
    let corner = above.first().copied().unwrap_or_default();
    match (by, above.is_empty()) {
        (Prediction::None, _) | (Prediction::Up, true) => {}
        // It was taken for a difference, and zigzagging is undone.
        (Prediction::Unsigned, _) => wide(Zigzag(row)),
        (Prediction::Left, _) | (Prediction::Plane, true) => {
            prefix::sum(row, corner);
        }
        (Prediction::Up, false) => wide(Add { to: row, other: above }),
        (Prediction::Plane, false) => {
            prefix::sum(row, T::default());
            wide(Add { to: row, other: above });
        }
    }
}

/// Undoes the inverse of the zigzag.
struct Zigzag<'a, T>(&'a mut [T]);

impl<T: Word> Wide for Zigzag<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|to| *to = to.zigzag());
    }
}

/// Adds as many samples.
struct Add<'a, T> {
    to: &'a mut [T],
    other: &'a [T],
}

impl<T: Word> Wide for Add<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.to.iter_mut().zip(self.other).for_each(|(to, other)| *to = to.plus(*other));
    }
}
