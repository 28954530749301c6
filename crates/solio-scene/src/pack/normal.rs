//! Normals as two numbers and what is left of the third.
//!
//! The third number of a vector of length 1 follows from the others but for its sign. In its place
//! stands the difference of its bits without the sign from those of √(1 − x² − y²), in 31 bits
//! as zigzag, and its sign in the lowest bit. Double precision, as in [`super::matrix`].

use solio_codec::wide::{Wide, wide};

/// Numbers of a normal.
pub(super) const NUMBERS: usize = 3;
/// All bits but the sign.
const MAGNITUDE: u32 = u32::MAX >> 1;

/// Normals with differences in place of their third numbers.
pub(super) fn differences(normals: &[u32]) -> Vec<u32> {
    let mut to = normals.to_vec();
    for [x, y, z] in to.as_chunks_mut::<NUMBERS>().0 {
        let bits = *z;
        let difference = (bits & MAGNITUDE).wrapping_sub(third(*x, *y));
        // In 31 bits, the upper one of which is the sign.
        let difference = (difference << 1) as i32 >> 1;
        let zigzag = ((difference << 1) ^ (difference >> 31)) as u32 & MAGNITUDE;
        *z = zigzag << 1 | bits >> 31;
    }
    to
}

/// Puts the numbers in the place of their differences: 3 columns of `rows` words.
pub(super) fn restore(columns: &mut [u32], rows: usize) {
    let (x, rest) = columns.split_at_mut(rows);
    let (y, z) = rest.split_at_mut(rows);
    wide(RestoreNormals { x, y, z: &mut z[..rows] });
}

struct RestoreNormals<'a> {
    x: &'a [u32],
    y: &'a [u32],
    z: &'a mut [u32],
}

impl Wide for RestoreNormals<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for ((x, y), z) in self.x.iter().zip(self.y).zip(self.z) {
            let stored = *z;
            let zigzag = stored >> 1;
            let difference = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
            let magnitude = third(*x, *y).wrapping_add(difference) & MAGNITUDE;
            *z = magnitude | stored << 31;
        }
    }
}

/// The bits of the third number without its sign; those of 0 for what is not finite.
#[inline(always)]
fn third(x: u32, y: u32) -> u32 {
    let [x, y] = [x, y].map(|word| f64::from(f32::from_bits(word)));
    let square = 1.0 - (x * x + y * y);
    let root = if square > 0.0 { square } else { 0.0 };
    let value = root.sqrt() as f32;
    if value.is_finite() { value.to_bits() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(normals: &[[f32; NUMBERS]]) -> Vec<u32> {
        let words: Vec<u32> = normals.as_flattened().iter().map(|v| v.to_bits()).collect();
        let stored = differences(&words);
        let rows = normals.len();
        let column = |c: usize| stored.iter().skip(c).step_by(NUMBERS).copied();
        let mut columns: Vec<u32> = (0..NUMBERS).flat_map(column).collect();
        restore(&mut columns, rows);
        let back: Vec<u32> =
            (0..NUMBERS * rows).map(|i| columns[i % NUMBERS * rows + i / NUMBERS]).collect();
        assert!(back == words);
        stored
    }

    #[test]
    fn the_third_number_is_a_few_units() {
        let normal = |i: u32| {
            let (turn, z) = (f64::from(i) * 0.7, 0.2 + 0.8 * f64::from(i % 97) / 97.0);
            let (sin, cos) = turn.sin_cos();
            let flat = (1.0 - z * z).sqrt();
            [flat * cos, flat * sin, if i.is_multiple_of(3) { -z } else { z }]
                .map(|value| value as f32)
        };
        let normals: Vec<[f32; NUMBERS]> = (0..1000).map(normal).collect();
        let stored = there_and_back(&normals);
        let small = stored.iter().skip(2).step_by(3).filter(|w| **w < 256);
        assert!(small.count() > 950);
    }

    proptest! {
        #[test]
        fn any_bits_come_back(
            words in prop::collection::vec(
                prop_oneof![
                    any::<u32>(),
                    prop::sample::select(vec![
                        0, 1 << 31, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0001, u32::MAX,
                    ]),
                ],
                NUMBERS..99,
            ),
        ) {
            let numbers: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
            there_and_back(numbers.as_chunks::<NUMBERS>().0);
        }
    }
}
