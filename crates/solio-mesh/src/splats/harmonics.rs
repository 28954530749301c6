//! Spherical harmonics as 3DGS has them (real ones with the Condon–Shortley phase), and how their
//! coefficients turn.

use super::columns::COEFFICIENTS;
use glam::{DMat3, DVec3};

/// The highest degree that a format has.
pub(super) const MOST_DEGREE: usize = 4;
/// Those behind the constant one.
const COUNT: usize = COEFFICIENTS[MOST_DEGREE];

/// The view-dependent harmonics in a direction of length 1, in the order of `f_rest`.
fn harmonics(d: DVec3) -> [f64; COUNT] {
    let [x, y, z] = d.to_array();
    let (xx, yy, zz, xy, yz, xz) = (x * x, y * y, z * z, x * y, y * z, x * z);
    [
        -0.488_602_511_902_919_9 * y,
        0.488_602_511_902_919_9 * z,
        -0.488_602_511_902_919_9 * x,
        1.092_548_430_592_079_2 * xy,
        -1.092_548_430_592_079_2 * yz,
        0.315_391_565_252_520_05 * (2.0 * zz - xx - yy),
        -1.092_548_430_592_079_2 * xz,
        0.546_274_215_296_039_6 * (xx - yy),
        -0.590_043_589_926_643_5 * y * (3.0 * xx - yy),
        2.890_611_442_640_554 * xy * z,
        -0.457_045_799_464_465_8 * y * (4.0 * zz - xx - yy),
        0.373_176_332_590_115_4 * z * (2.0 * zz - 3.0 * xx - 3.0 * yy),
        -0.457_045_799_464_465_8 * x * (4.0 * zz - xx - yy),
        1.445_305_721_320_277 * z * (xx - yy),
        -0.590_043_589_926_643_5 * x * (xx - 3.0 * yy),
        2.503_342_941_796_704_6 * xy * (xx - yy),
        -1.770_130_769_779_930_4 * yz * (3.0 * xx - yy),
        0.946_174_695_757_560_1 * xy * (7.0 * zz - 1.0),
        -0.669_046_543_557_289_2 * yz * (7.0 * zz - 3.0),
        0.105_785_546_915_204_31 * (zz * (35.0 * zz - 30.0) + 3.0),
        -0.669_046_543_557_289_2 * xz * (7.0 * zz - 3.0),
        0.473_087_347_878_780_04 * (xx - yy) * (7.0 * zz - 1.0),
        -1.770_130_769_779_930_4 * xz * (xx - 3.0 * yy),
        0.625_835_735_449_176_1 * (xx * (xx - 3.0 * yy) - yy * (3.0 * xx - yy)),
    ]
}

/// Heights and weights of Gauss's quadrature: exact for polynomials up to degree 9.
const HEIGHTS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];
/// Directions around the axis, exact likewise.
const AROUND: usize = 10;

/// Directions with weights whose sums over products of two harmonics are the integrals.
fn directions() -> impl Iterator<Item = (DVec3, f64)> {
    HEIGHTS.into_iter().flat_map(|(z, weight)| {
        (0..AROUND).map(move |i| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / AROUND as f64).sin_cos();
            let radius = (1.0 - z * z).sqrt();
            let share = std::f64::consts::TAU / AROUND as f64;
            (DVec3::new(radius * cos, radius * sin, z), weight * share)
        })
    })
}

/// The matrices that coefficients are multiplied by where what they colour turns: one for each degree from
/// 1 on, row by row.
pub(super) struct HarmonicTurn(Vec<Vec<f64>>);

impl HarmonicTurn {
    /// Of an orthogonal matrix, which may mirror.
    pub(super) fn of(turn: &DMat3) -> HarmonicTurn {
        let mut all: Vec<Vec<f64>> =
            (1..=MOST_DEGREE).map(|degree| vec![0.0; (2 * degree + 1).pow(2)]).collect();
        for (direction, weight) in directions() {
            let here = harmonics(direction);
            let there = harmonics(turn.transpose() * direction);
            for (degree, matrix) in (1..).zip(&mut all) {
                let (first, width) = (COEFFICIENTS[degree - 1], 2 * degree + 1);
                for row in 0..width {
                    for column in 0..width {
                        matrix[row * width + column] +=
                            weight * here[first + row] * there[first + column];
                    }
                }
            }
        }
        HarmonicTurn(all)
    }

    /// Turns the coefficients of one channel: a column each, as many as a degree has.
    pub(super) fn apply(&self, columns: &[&[f32]]) -> Vec<Vec<f32>> {
        let mut out = Vec::with_capacity(columns.len());
        for (degree, matrix) in (1..).zip(&self.0) {
            let (first, width) = (COEFFICIENTS[degree - 1], 2 * degree + 1);
            let Some(own) = columns.get(first..first + width) else { break };
            for row in matrix.chunks_exact(width) {
                let value = |i: usize| {
                    let parts = row.iter().zip(own).map(|(m, column)| m * f64::from(column[i]));
                    parts.sum::<f64>() as f32
                };
                out.push((0..own[0].len()).map(value).collect());
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn harmonics_are_orthonormal() {
        for a in 0..COUNT {
            for b in 0..COUNT {
                let sum: f64 = directions()
                    .map(|(d, weight)| {
                        let all = harmonics(d);
                        weight * all[a] * all[b]
                    })
                    .sum();
                let wanted = if a == b { 1.0 } else { 0.0 };
                assert!((sum - wanted).abs() < 1e-12, "{a} {b}: {sum}");
            }
        }
    }

    #[test]
    fn turned_coefficients_say_what_the_others_say_of_the_direction_before() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.3));
        for turn in [turn, DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0)) * turn] {
            let before: Vec<f32> = (0..COUNT).map(|k| (k as f32 * 1.7).sin()).collect();
            let columns: Vec<&[f32]> = before.chunks(1).collect();
            let after = HarmonicTurn::of(&turn).apply(&columns);
            assert_eq!(after.len(), COUNT);
            let sum = |d: DVec3, of: &dyn Fn(usize) -> f32| -> f64 {
                harmonics(d).iter().zip(0..).map(|(h, k)| h * f64::from(of(k))).sum()
            };
            for (direction, _) in directions() {
                let is = sum(direction, &|k| after[k][0]);
                let was = sum(turn.transpose() * direction, &|k| before[k]);
                assert!((is - was).abs() < 1e-5, "{is} {was}");
            }
        }
        // Fewer degrees are turned alike.
        let columns = [&[1.0][..], &[2.0], &[3.0]];
        assert_eq!(HarmonicTurn::of(&turn).apply(&columns).len(), 3);
    }
}
