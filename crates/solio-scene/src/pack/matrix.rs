//! Matrices of instances as differences from what most of them are: turned and evenly scaled.
//!
//! Rows `p`, `q`, `r` of such a matrix have one length and stand at right angles. So of nine
//! numbers four say almost all: from `p` and the first number of `q` follow its second, by length
//! and angle (of the two that fit the greater: most things stand rather upright than upside down);
//! from these the third, by the angle; and `r` is the product of both by their length. What is
//! stored in place of a predicted number is the difference of both as whole numbers, with the sign
//! in the lowest bit: for a turned and scaled cube a few units of the last place, else anything,
//! so that every matrix comes back bit for bit.
//!
//! Predictions are made in double precision with `+ − × ÷ √` alone, each rounded as IEEE 754 says,
//! so that they are the same on every machine; what is not finite counts as 0.

use solio_codec::wide::{Wide, wide};

/// Numbers of a matrix: three rows of four, of which the last is the translation.
pub(super) const NUMBERS: usize = 12;
/// Rows of numbers that are worked on at a time, in the first-level cache.
const BLOCK: usize = 128;

/// Where the numbers of `p` and `q` are.
const P: [usize; 3] = [0, 1, 2];
const Q: [usize; 3] = [4, 5, 6];
/// Those that are predicted: two of `q`, and `r`.
const PREDICTED: [usize; 5] = [5, 6, 8, 9, 10];

/// Matrices with differences in place of the predicted numbers.
pub(super) fn differences(matrices: &[u32]) -> Vec<u32> {
    let mut to = matrices.to_vec();
    for matrix in to.as_chunks_mut::<NUMBERS>().0 {
        let [p, q] = [P, Q].map(|row| row.map(|i| f32::from_bits(matrix[i])));
        let [x, y, z] = last(p, q);
        let predicted = [second(p, q[0]), third(p, q[0], q[1]), x, y, z];
        for (at, predicted) in PREDICTED.into_iter().zip(predicted) {
            matrix[at] = difference(matrix[at], predicted);
        }
    }
    to
}

fn difference(value: u32, predicted: f32) -> u32 {
    let difference = value.wrapping_sub(predicted.to_bits()) as i32;
    ((difference << 1) ^ (difference >> 31)) as u32
}

#[inline(always)]
fn add(difference: u32, predicted: f32) -> u32 {
    let difference = (difference >> 1) ^ (difference & 1).wrapping_neg();
    predicted.to_bits().wrapping_add(difference)
}

/// Puts the numbers in the place of their differences: 12 columns of `rows` words.
pub(super) fn restore(columns: &mut [u32], rows: usize) {
    wide(RestoreMatrices { columns, rows });
}

struct RestoreMatrices<'a> {
    columns: &'a mut [u32],
    rows: usize,
}

impl Wide for RestoreMatrices<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        if self.rows == 0 {
            return;
        }
        let mut columns = self.columns.chunks_exact_mut(self.rows);
        let mut columns: [&mut [u32]; NUMBERS] =
            std::array::from_fn(|_| columns.next().unwrap_or_default());
        let mut at = 0;
        while at < self.rows {
            let end = (at + BLOCK).min(self.rows);
            block(columns.each_mut().map(|column| &mut column[at..end]));
            at = end;
        }
    }
}

#[inline(always)]
fn block(columns: [&mut [u32]; NUMBERS]) {
    let [px, py, pz, _, qx, qy, qz, _, rx, ry, rz, _] = columns;
    let count = px.len();
    let (px, py, pz, qx) = (&px[..count], &py[..count], &pz[..count], &qx[..count]);
    let (qy, qz) = (&mut qy[..count], &mut qz[..count]);
    let (rx, ry, rz) = (&mut rx[..count], &mut ry[..count], &mut rz[..count]);
    for i in 0..count {
        let p = [px[i], py[i], pz[i]].map(f32::from_bits);
        qy[i] = add(qy[i], second(p, f32::from_bits(qx[i])));
    }
    for i in 0..count {
        let p = [px[i], py[i], pz[i]].map(f32::from_bits);
        qz[i] = add(qz[i], third(p, f32::from_bits(qx[i]), f32::from_bits(qy[i])));
    }
    for i in 0..count {
        let p = [px[i], py[i], pz[i]].map(f32::from_bits);
        let q = [qx[i], qy[i], qz[i]].map(f32::from_bits);
        let [x, y, z] = last(p, q);
        (rx[i], ry[i], rz[i]) = (add(rx[i], x), add(ry[i], y), add(rz[i], z));
    }
}

/// As `f32`; 0 without a sign for what is not finite, and for both zeros.
#[inline(always)]
fn single(value: f64) -> f32 {
    let value = value as f32;
    if value.is_finite() { value + 0.0 } else { 0.0 }
}

/// The second number of `q`: the greater one that gives `q` the length of `p` and a right angle
/// to it.
#[inline(always)]
fn second(p: [f32; 3], qx: f32) -> f32 {
    let ([x, y, z], a) = (p.map(f64::from), f64::from(qx));
    // In the plane of the other two numbers: on the line y·b + z·c = −x·a, at this distance.
    let (yz, dot) = (y * y + z * z, -(x * a));
    let left = (x * x + yz) - a * a;
    let along = left * yz - dot * dot;
    let along = if along > 0.0 { along } else { 0.0 };
    single((dot * y + z.abs() * along.sqrt()) / yz)
}

/// The third number of `q`, by the right angle.
#[inline(always)]
fn third(p: [f32; 3], qx: f32, qy: f32) -> f32 {
    let ([x, y, z], a, b) = (p.map(f64::from), f64::from(qx), f64::from(qy));
    single(-(x * a + y * b) / z)
}

/// `r`: at right angles to both.
#[inline(always)]
fn last(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    let ([px, py, pz], [qx, qy, qz]) = (p.map(f64::from), q.map(f64::from));
    let length = (px * px + (py * py + pz * pz)).sqrt();
    [(py * qz - pz * qy) / length, (pz * qx - px * qz) / length, (px * qy - py * qx) / length]
        .map(single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DVec3};
    use proptest::prelude::*;

    fn there_and_back(matrices: &[[f32; NUMBERS]]) -> Vec<u32> {
        let words: Vec<u32> = matrices.as_flattened().iter().map(|v| v.to_bits()).collect();
        let stored = differences(&words);
        let rows = matrices.len();
        let mut columns: Vec<u32> =
            (0..NUMBERS * rows).map(|i| stored[i % rows * NUMBERS + i / rows]).collect();
        restore(&mut columns, rows);
        let back: Vec<u32> =
            (0..NUMBERS * rows).map(|i| columns[i % NUMBERS * rows + i / NUMBERS]).collect();
        assert!(back == words);
        stored
    }

    #[test]
    fn a_turned_cube_needs_four_numbers() {
        let turned = |i: u32| {
            let axis = DVec3::new(0.1 * f64::from(i % 7) - 0.3, 1.0, 0.05 * f64::from(i % 5));
            let turn = DMat3::from_axis_angle(axis.normalize(), f64::from(i) * 0.1 + 0.5);
            let m = (1.0 + f64::from(i % 9)) * turn;
            let row = |r: usize| m.row(r).to_array().map(|v| v as f32);
            let ([a, b, c], [d, e, f], [g, h, k]) = (row(0), row(1), row(2));
            [a, b, c, 5.5, d, e, f, 6.5, g, h, k, 7.5]
        };
        let matrices: Vec<[f32; NUMBERS]> = (0..1000).map(turned).collect();
        let stored = there_and_back(&matrices);
        let predicted = stored.chunks_exact(NUMBERS).flat_map(|m| [m[5], m[6], m[8], m[9], m[10]]);
        let small = predicted.filter(|word| *word < 1 << 12).count();
        assert!(small > 4750, "{small}");
    }

    proptest! {
        #[test]
        fn any_bits_come_back(
            words in prop::collection::vec(
                prop_oneof![
                    any::<u32>(),
                    prop::sample::select(vec![
                        0, 1 << 31, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0x7fc0_0001,
                        0xff80_1234, 0x7f7f_ffff, 1, 0x0080_0000,
                    ]),
                ],
                NUMBERS..300,
            ),
        ) {
            let numbers: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
            there_and_back(numbers.as_chunks::<NUMBERS>().0);
        }
    }
}
