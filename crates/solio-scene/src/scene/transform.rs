//! Transformations of the graphics state: matrices in double precision.

use glam::{DMat4, DVec3, DVec4};

/// A transformation at two times; between them it changes as pbrt's `AnimatedTransform` does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// At the first time.
    pub start: DMat4,
    /// At the second time.
    pub end: DMat4,
    /// The two times.
    pub times: [f32; 2],
}

impl Motion {
    /// Whether the two ends differ.
    pub fn is_moving(&self) -> bool {
        self.start != self.end
    }
}

/// 16 numbers as `Transform` has them: column after column of a matrix for column vectors.
pub(super) fn columns(values: &[f32; 16]) -> DMat4 {
    DMat4::from_cols_array(&values.map(f64::from))
}

/// Turns by `degrees` around an axis of any length but zero.
pub(super) fn rotate([degrees, x, y, z]: [f32; 4]) -> Option<DMat4> {
    let axis = DVec3::new(x.into(), y.into(), z.into()).try_normalize()?;
    Some(DMat4::from_axis_angle(axis, f64::from(degrees).to_radians()))
}

/// From the world to a camera at `eye` that looks at `point` along +z. `None` where `up` does not
/// say what is up. Source: Pharr, Jakob, Humphreys, *Physically Based Rendering* (2023), 3.9.4.
pub(super) fn look_at(v: [f32; 9]) -> Option<DMat4> {
    let vector = |i: usize| DVec3::new(v[i].into(), v[i + 1].into(), v[i + 2].into());
    let (eye, point, up) = (vector(0), vector(3), vector(6));
    let forward = (point - eye).try_normalize()?;
    let right = up.try_normalize()?.cross(forward).try_normalize()?;
    let true_up = forward.cross(right);
    let from_camera = DMat4::from_cols(
        right.extend(0.0),
        true_up.extend(0.0),
        forward.extend(0.0),
        DVec4::new(eye.x, eye.y, eye.z, 1.0),
    );
    Some(from_camera.inverse())
}

/// The matrix row after row.
pub(super) fn rows(matrix: &DMat4) -> [f32; 16] {
    matrix.transpose().to_cols_array().map(|value| value as f32)
}

/// The upper three rows.
pub(super) fn upper_rows(matrix: &DMat4) -> [f32; 12] {
    let m = matrix.to_cols_array();
    std::array::from_fn(|i| m[4 * (i % 4) + i / 4] as f32)
}
