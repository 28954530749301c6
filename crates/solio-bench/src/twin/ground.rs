//! The island: how high the ground is, and places on it. Y is up; the sea is at 0.

use super::random::{SeededRandom, mixed};

/// Half the width of what has ground.
pub(super) const RADIUS: f64 = 2000.0;

/// The height of the ground.
pub(super) fn height(x: f64, z: f64) -> f64 {
    let (u, v) = (x / RADIUS, z / RADIUS);
    let shore = 90.0 * (0.5 - u * u - v * v).max(-0.6);
    let hill = |x: f64, z: f64, height: f64, width: f64| {
        let square = ((u - x) * (u - x) + (v - z) * (v - z)) / (width * width);
        height / ((1.0 + square) * (1.0 + square))
    };
    let hills = hill(-0.15, 0.2, 620.0, 0.28) + hill(0.33, 0.1, 380.0, 0.2);
    let rough = 0.2 + (hills / 300.0).min(1.0);
    shore + hills + rough * (60.0 * noise(x / 260.0, z / 260.0) + 14.0 * noise(x / 60.0, z / 60.0))
        - 20.0
}

/// A point on the ground where it is between `low` and `high`.
pub(super) fn place(random: &mut SeededRandom, [low, high]: [f64; 2]) -> [f64; 3] {
    let mut best = [0.0; 3];
    for _ in 0..64 {
        let (x, z) = (random.between(-RADIUS, RADIUS), random.between(-RADIUS, RADIUS));
        best = [x, height(x, z), z];
        if (low..high).contains(&best[1]) {
            break;
        }
    }
    best
}

/// Smooth noise from -1 to 1 over a lattice of whole numbers.
pub(super) fn noise(x: f64, y: f64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    let (s, t) = (smooth(x - column), smooth(y - row));
    let at = |i: i64, j: i64| {
        let cell = (column as i64 + i).cast_unsigned() ^ (row as i64 + j).cast_unsigned() << 32;
        (mixed(cell) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let (low, high) = (at(0, 0) + s * (at(1, 0) - at(0, 0)), at(0, 1) + s * (at(1, 1) - at(0, 1)));
    low + t * (high - low)
}
