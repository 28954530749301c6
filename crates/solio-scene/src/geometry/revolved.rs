//! Quadrics: a line, turned around the z axis. Parameters and their defaults are those of pbrt.

use super::{Triangles, grid};
use crate::scene::{Entity, Scene};
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// Steps around a full turn.
const AROUND: f32 = 48.0;
/// Steps along the line where it is bent.
const ALONG: usize = 24;
/// Of the way along the line, to see where it leads.
const STEP: f32 = 1e-3;

pub(super) fn quadric(scene: &Scene, entity: &Entity) -> Triangles<'static> {
    let class = scene.class(entity);
    let number = |name: &str, default: f32| scene.float(entity, name).unwrap_or(default);
    // Which of the two is the lower one makes no difference.
    let ends = |low: f32, high: f32| {
        let (a, b) = (number("zmin", low), number("zmax", high));
        (a.min(b), a.max(b))
    };
    let radius = number("radius", 1.0);
    match class {
        b"sphere" => {
            let (low, high) = ends(-radius, radius);
            let angle = |z: f32| (z / radius).clamp(-1.0, 1.0).asin();
            let (from, to) = (angle(low), angle(high));
            turned(scene, entity, ALONG, |t| {
                let angle = (from + (to - from) * t).clamp(-FRAC_PI_2, FRAC_PI_2);
                // At the poles the cosine is a little below 0.
                [radius * angle.cos().max(0.0), 0.0, radius * angle.sin()]
            })
        }
        b"cylinder" => {
            let (low, high) = ends(-1.0, 1.0);
            turned(scene, entity, 1, |t| [radius, 0.0, low + (high - low) * t])
        }
        b"disk" => {
            let (height, inner) = (number("height", 0.0), number("innerradius", 0.0));
            turned(scene, entity, 1, |t| [radius + (inner - radius) * t, 0.0, height])
        }
        b"cone" => {
            let height = number("height", 1.0);
            turned(scene, entity, 1, |t| [radius * (1.0 - t), 0.0, height * t])
        }
        b"paraboloid" => {
            let (low, high) = ends(0.0, 1.0);
            turned(scene, entity, ALONG, |t| {
                let z = low + (high - low) * t;
                [radius * (z / high).max(0.0).sqrt(), 0.0, z]
            })
        }
        _ => {
            let point = |name, default: [f32; 3]| {
                scene.points(entity, name).and_then(|p| p.first().copied()).unwrap_or(default)
            };
            let (a, b) = (point("p1", [0.0; 3]), point("p2", [1.0; 3]));
            turned(scene, entity, ALONG, |t| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t))
        }
    }
}

/// The line turned around the z axis by `phimax` degrees.
fn turned(
    scene: &Scene,
    entity: &Entity,
    along: usize,
    line: impl Fn(f32) -> [f32; 3],
) -> Triangles<'static> {
    let turn = scene.float(entity, "phimax").unwrap_or(360.0).to_radians().clamp(0.0, TAU);
    let around = (AROUND * turn / (2.0 * PI)).ceil().max(1.0) as usize;
    // A full turn ends where it began, so that what is closed has no seam.
    let is_full = turn >= TAU - 1e-5;
    let turned = |column: usize, [x, y, z]: [f32; 3]| {
        let column = if is_full { column % around } else { column };
        let (sin, cos) = (turn * column as f32 / around as f32).sin_cos();
        [x * cos - y * sin, x * sin + y * cos, z]
    };
    let along_line = |row: usize| row as f32 / along as f32;
    let mesh = grid(around + 1, along + 1, |column, row| turned(column, line(along_line(row))));
    // Upright on the way around and on the line. At its ends, where it may touch the axis, a little
    // before them.
    let normal = |row: usize| {
        let t = along_line(row).clamp(STEP, 1.0 - STEP);
        let (at, before, after) = (line(t), line(t - STEP), line(t + STEP));
        let around = Vec3::new(-at[1], at[0], 0.0);
        around.cross(Vec3::from(after) - Vec3::from(before)).normalize_or_zero().to_array()
    };
    let of_rows: Vec<[f32; 3]> = (0..=along).map(normal).collect();
    let normals = of_rows.iter().flat_map(|n| (0..=around).map(|column| turned(column, *n)));
    Triangles { normals: normals.collect(), ..mesh }
}
