//! Curves as tubes of few sides, ribbons as strips.

use super::Triangles;
use crate::scene::{Entity, Scene};
use glam::Vec3;
use std::borrow::Cow;
use std::f32::consts::{PI, TAU};

/// How finely curves are drawn.
struct CurveDetail {
    /// Steps that a segment is cut into, at least and at most.
    steps: [usize; 2],
    /// Of its width a chord may be off.
    off: f32,
}

/// Of hair and grass: nobody looks at one of them.
const COARSE: CurveDetail = CurveDetail { steps: [4, 16], off: 1.0 };
/// Where a scene has few curves.
const FINE: CurveDetail = CurveDetail { steps: [4, 64], off: 1.0 / 16.0 };
/// Segments, if all shapes have as many.
const FEW: usize = 1000;

/// The control points of a curve.
struct Controls<'s> {
    points: &'s [[f32; 3]],
    degree: usize,
    is_spline: bool,
}

/// The segments of a `curve`: Bézier or uniform B-spline, of degree 2 or 3.
pub(super) fn curve(scene: &Scene, entity: &Entity) -> Triangles<'static> {
    let controls = Controls {
        points: scene.points(entity, "P").unwrap_or_default(),
        degree: scene.integer(entity, "degree").unwrap_or(3).clamp(2, 3) as usize,
        is_spline: scene.string(entity, "basis") == Some(b"bspline"),
    };
    let count = controls.segments();
    let number = |name, default| scene.float(entity, name).unwrap_or(default);
    let width = number("width", 1.0);
    let (width0, width1) = (number("width0", width), number("width1", width));
    let is_fine = count.saturating_mul(scene.shapes.len()) <= FEW;
    let detail = if is_fine { &FINE } else { &COARSE };
    let steps = controls.steps(detail, width0.max(width1));
    let is_ribbon = scene.string(entity, "type") == Some(b"ribbon");
    let given = scene.points(entity, "N").filter(|given| is_ribbon && given.len() > count);
    let mut line = Vec::with_capacity(count * steps + 1);
    let mut normals = Vec::new();
    for segment in 0..count {
        let from = usize::from(segment > 0);
        for step in from..=steps {
            let t = step as f32 / steps as f32;
            let along = (segment as f32 + t) / count as f32;
            line.push((controls.at(segment, t), 0.5 * (width0 + (width1 - width0) * along)));
            if let Some(given) = given {
                normals.push(between(given[segment].into(), given[segment + 1].into(), t));
            }
        }
    }
    match (given, is_fine) {
        (Some(_), _) => ribbon(&line, &normals),
        (None, true) => tube::<12>(&line),
        (None, false) => tube::<3>(&line),
    }
}

impl Controls<'_> {
    fn segments(&self) -> usize {
        match self.is_spline {
            true => self.points.len().saturating_sub(self.degree),
            false => self.points.len().saturating_sub(1) / self.degree,
        }
    }

    fn at(&self, segment: usize, t: f32) -> Vec3 {
        let stride = if self.is_spline { 1 } else { self.degree };
        let weights = weights(self.degree, self.is_spline, t);
        self.points[segment * stride..][..=self.degree]
            .iter()
            .zip(weights)
            .fold(Vec3::ZERO, |sum, (point, weight)| sum + Vec3::from(*point) * weight)
    }

    /// A chord over a part of a curve is off by no more than an eighth of the second derivative
    /// times the square of the part.
    fn steps(&self, detail: &CurveDetail, width: f32) -> usize {
        let bends = self.points.windows(3).map(|p| {
            let [a, b, c] = [p[0], p[1], p[2]].map(Vec3::from);
            (a - 2.0 * b + c).length()
        });
        let factor = if self.is_spline { 1 } else { self.degree * (self.degree - 1) };
        let off = bends.fold(0.0, f32::max) * factor as f32 / 8.0;
        // What is no number becomes 0.
        let steps = (off / (width * detail.off)).sqrt().ceil() as usize;
        steps.clamp(detail.steps[0], detail.steps[1])
    }
}

/// On the great circle from one direction to another.
fn between(from: Vec3, to: Vec3, t: f32) -> Vec3 {
    let (from, to) = (from.normalize_or_zero(), to.normalize_or_zero());
    let angle = from.angle_between(to);
    let sine = angle.sin();
    // Alike, opposite, or none at all.
    if sine.is_nan() || sine <= 1e-4 {
        return from;
    }
    (from * ((1.0 - t) * angle).sin() + to * (t * angle).sin()) / sine
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

/// Which way a line goes at a point.
fn direction(line: &[(Vec3, f32)], i: usize) -> Vec3 {
    let after = line[(i + 1).min(line.len() - 1)].0;
    (after - line[i.saturating_sub(1)].0).try_normalize().unwrap_or(Vec3::Z)
}

/// Points with radii as a tube that looks as wide as the curve is, on the mean of all directions.
fn tube<const SIDES: usize>(line: &[(Vec3, f32)]) -> Triangles<'static> {
    // A convex outline is as wide as its length over π (Cauchy).
    let wider = PI / (SIDES as f32 * (PI / SIDES as f32).sin());
    let around: [(f32, f32); SIDES] = std::array::from_fn(|i| {
        let (sin, cos) = (TAU * i as f32 / SIDES as f32).sin_cos();
        (sin * wider, cos * wider)
    });
    let mut positions = Vec::with_capacity(line.len() * SIDES);
    for (i, (point, radius)) in line.iter().enumerate() {
        let (x, y) = direction(line, i).any_orthonormal_pair();
        let ring = around.map(|(sin, cos)| (*point + (x * cos + y * sin) * *radius).to_array());
        positions.extend(ring);
    }
    joined::<SIDES>(positions, SIDES)
}

/// A strip across the normals.
fn ribbon(line: &[(Vec3, f32)], normals: &[Vec3]) -> Triangles<'static> {
    let mut positions = Vec::with_capacity(line.len() * 2);
    for (i, ((point, radius), normal)) in line.iter().zip(normals).enumerate() {
        let direction = direction(line, i);
        let across = direction.cross(*normal).try_normalize();
        let across = across.unwrap_or_else(|| direction.any_orthonormal_vector()) * *radius;
        positions.extend([*point - across, *point + across].map(|point| point.to_array()));
    }
    joined::<2>(positions, 1)
}

/// Rows of so many points, each joined with the next by so many quads.
fn joined<const ROW: usize>(positions: Vec<[f32; 3]>, quads: usize) -> Triangles<'static> {
    let rows = positions.len() / ROW;
    let mut indices = Vec::with_capacity(rows.saturating_sub(1) * quads * 2);
    for row in 1..rows {
        for quad in 0..quads {
            let first = (row * ROW) as u32;
            let (a, b) = (first + quad as u32, first + ((quad + 1) % ROW) as u32);
            let (c, d) = (a - ROW as u32, b - ROW as u32);
            indices.extend([[c, d, a], [d, b, a]]);
        }
    }
    Triangles {
        positions: Cow::Owned(positions),
        indices: Cow::Owned(indices),
        ..Triangles::default()
    }
}
