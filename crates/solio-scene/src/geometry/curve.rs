//! Curves as tubes of three sides: thin enough that nobody counts them.

use super::Triangles;
use crate::scene::{Entity, Scene};
use glam::Vec3;
use std::borrow::Cow;

/// Steps that a segment is cut into.
const STEPS: usize = 4;
const SIDES: usize = 3;

/// The segments of a `curve`: Bézier or uniform B-spline, of degree 2 or 3.
pub(super) fn curve(scene: &Scene, entity: &Entity) -> Triangles<'static> {
    let points = scene.points(entity, "P").unwrap_or_default();
    let degree = scene.integer(entity, "degree").unwrap_or(3).clamp(2, 3) as usize;
    let spline = scene.string(entity, "basis") == Some(b"bspline");
    let count = if spline {
        points.len().saturating_sub(degree)
    } else {
        points.len().saturating_sub(1) / degree
    };
    let stride = if spline { 1 } else { degree };
    let number = |name, default| scene.float(entity, name).unwrap_or(default);
    let width = number("width", 1.0);
    let (width0, width1) = (number("width0", width), number("width1", width));
    let mut line = Vec::with_capacity(count * STEPS + 1);
    for segment in 0..count {
        let controls = &points[segment * stride..][..=degree];
        let from = usize::from(segment > 0);
        for step in from..=STEPS {
            let t = step as f32 / STEPS as f32;
            let weights = weights(degree, spline, t);
            let point = controls
                .iter()
                .zip(weights)
                .fold(Vec3::ZERO, |sum, (point, weight)| sum + Vec3::from(*point) * weight);
            let along = (segment as f32 + t) / count as f32;
            line.push((point, 0.5 * (width0 + (width1 - width0) * along)));
        }
    }
    tube(&line)
}

/// What each control point counts at `t`.
fn weights(degree: usize, spline: bool, t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    match (degree, spline) {
        (2, false) => [s * s, 2.0 * s * t, t * t, 0.0],
        (2, true) => [0.5 * s * s, 0.5 + s * t, 0.5 * t * t, 0.0],
        (_, false) => [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t],
        (_, true) => [
            s * s * s / 6.0,
            (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
            (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
            t * t * t / 6.0,
        ],
    }
}

/// Points with radii as a tube.
fn tube(line: &[(Vec3, f32)]) -> Triangles<'static> {
    let mut positions = Vec::with_capacity(line.len() * SIDES);
    let mut indices = Vec::with_capacity(line.len().saturating_sub(1) * SIDES * 2);
    let around: [(f32, f32); SIDES] =
        std::array::from_fn(|i| (std::f32::consts::TAU * i as f32 / SIDES as f32).sin_cos());
    for (i, (point, radius)) in line.iter().enumerate() {
        let before = line[i.saturating_sub(1)].0;
        let after = line[(i + 1).min(line.len() - 1)].0;
        let (x, y) = (after - before).try_normalize().unwrap_or(Vec3::Z).any_orthonormal_pair();
        for (side, (sin, cos)) in around.into_iter().enumerate() {
            positions.push((*point + (x * cos + y * sin) * *radius).to_array());
            if i > 0 {
                let ring = (i * SIDES) as u32;
                let (a, b) = (ring + side as u32, ring + ((side + 1) % SIDES) as u32);
                let (c, d) = (a - SIDES as u32, b - SIDES as u32);
                indices.extend([[c, d, a], [d, b, a]]);
            }
        }
    }
    Triangles {
        positions: Cow::Owned(positions),
        indices: Cow::Owned(indices),
        ..Triangles::default()
    }
}
