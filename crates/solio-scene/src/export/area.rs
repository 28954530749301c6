//! How large the parts of a light are.

use crate::scene::{Scene, Shape};
use glam::{DMat4, DVec3};

/// The mean area of the parts of a shape that shine each for itself: quadrics as a whole, in their own
/// space, the triangles or patches of a mesh under their matrix (pbrt-v4, `shapes.cpp`).
pub(super) fn part_area(
    scene: &Scene,
    shape: &Shape,
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
) -> f64 {
    let entity = &shape.entity;
    let number = |name: &str, default: f64| scene.float(entity, name).map_or(default, f64::from);
    let radius = number("radius", 1.0);
    let turn = number("phimax", 360.0).clamp(0.0, 360.0).to_radians();
    let height = |least: f64, most: f64| {
        let [a, b] = [number("zmin", least), number("zmax", most)];
        (a - b).abs()
    };
    match scene.class(entity) {
        b"sphere" => turn * radius * height(-radius, radius).min(2.0 * radius),
        b"cylinder" => turn * radius * height(-1.0, 1.0),
        b"disk" => turn * 0.5 * (radius * radius - number("innerradius", 0.0).powi(2)),
        class => {
            let matrix = scene.matrices[shape.matrix as usize].map(f64::from);
            let matrix = DMat4::from_cols_array(&matrix).transpose();
            let at = |i: u32| {
                let point = positions.get(i as usize).copied().unwrap_or_default();
                matrix.transform_point3(DVec3::from_array(point.map(f64::from)))
            };
            let area = |corners: &[u32; 3]| {
                let [a, b, c] = corners.map(at);
                (b - a).cross(c - a).length() / 2.0
            };
            let sum: f64 = triangles.iter().map(area).sum();
            let parts =
                if class == b"bilinearmesh" { triangles.len() / 2 } else { triangles.len() };
            sum / parts.max(1) as f64
        }
    }
}
