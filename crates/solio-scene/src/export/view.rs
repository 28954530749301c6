//! The camera of a scene, for formats that are right-handed and look along -z.

use crate::preview::{RayLens as PreviewLens, lens, resolution};
use crate::scene::Scene;
use glam::{DMat4, DVec3};

/// What the camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewLens {
    /// The tangents of half the angle from left to right, and from bottom to top.
    Perspective([f64; 2]),
    /// Half the width and half the height of what is seen.
    Orthographic([f64; 2]),
}

/// A camera and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CameraView {
    /// From the camera, which looks along -z with +y up, to the world that is written.
    pub(crate) to_world: DMat4,
    pub(crate) lens: ViewLens,
    /// How far the middle of the picture is from where it looks to, in halves of the picture.
    pub(crate) shift: [f64; 2],
    /// Whether this is what the scene asks for, not only near to it.
    pub(crate) is_exact: bool,
}

/// Whether the world has to be mirrored in z to be right-handed: unless its camera mirrors.
pub(crate) fn is_mirrored(scene: &Scene) -> bool {
    let mirrors = |camera: &crate::scene::Camera| camera.from_world.start.determinant() < 0.0;
    !scene.camera.as_ref().is_some_and(mirrors)
}

impl CameraView {
    /// The view of the scene's camera; none of one that sees all around.
    pub(crate) fn of(scene: &Scene) -> Option<CameraView> {
        let camera = scene.camera.as_ref()?;
        let [width, height] = resolution(scene).map(f64::from);
        let (kind, [left, right, bottom, top]) = lens(scene, &camera.entity, width / height);
        let half = [(right - left) / 2.0, (top - bottom) / 2.0];
        if half.iter().any(|x| !(x.is_finite() && *x > 0.0)) {
            return None;
        }
        let lens = match kind {
            PreviewLens::Perspective(tangent) => ViewLens::Perspective(half.map(|x| x * tangent)),
            PreviewLens::Orthographic => ViewLens::Orthographic(half),
            PreviewLens::Spherical { .. } => return None,
        };
        let mirror = DMat4::from_scale(DVec3::new(1.0, 1.0, -1.0));
        let to_world = camera.from_world.start.inverse() * mirror;
        let to_world = if is_mirrored(scene) { mirror * to_world } else { to_world };
        let class = scene.class(&camera.entity);
        Some(CameraView {
            to_world: upright(to_world).filter(DMat4::is_finite)?,
            lens,
            shift: [(right + left) / (right - left), (top + bottom) / (top - bottom)],
            is_exact: matches!(class, b"perspective" | b"orthographic"),
        })
    }
}

/// Without the even scale that a camera may have, which changes no ray but the distances of planes.
fn upright(matrix: DMat4) -> Option<DMat4> {
    let scales = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.length());
    let even = scales.iter().all(|x| (x - scales[0]).abs() <= 1e-6 * scales[0]);
    if scales[0] == 0.0 {
        return None;
    }
    let scale = if even { 1.0 / scales[0] } else { 1.0 };
    let mut matrix = matrix;
    matrix.x_axis *= scale;
    matrix.y_axis *= scale;
    matrix.z_axis *= scale;
    Some(matrix)
}
