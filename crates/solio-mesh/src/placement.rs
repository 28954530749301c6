//! The transform of Blender's PLY and STL exporters, in their float operations: unlike for OBJ,
//! the scale is applied after the matrix, and the normals' matrix is made from the adjoint.
//!
//! No operation here may be fused or reordered.

use crate::axes::Axis;
use crate::transform::{self, FileTransform};
use solio_base::Result;

/// What happens to positions and normals on the way into a file.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    position: Option<[[f32; 4]; 3]>,
    normal: Option<[[f32; 3]; 3]>,
    scale: f64,
    mirrors: bool,
}

impl Placement {
    /// Applies `object` (rows), then turns the axes, then scales.
    pub(crate) fn new(
        object: Option<&[[f32; 4]; 4]>,
        from: (Axis, Axis),
        to: (Axis, Axis),
        scale: f64,
    ) -> Result<Placement> {
        let axes = transform::axes(from, to)?;
        let scale = transform::scale(scale)?;
        let FileTransform { position, mirrors, .. } =
            FileTransform::new(object, axes.as_ref(), 1.0);
        let normal = position.map(|m| inverse_transpose(&m.map(|row| [row[0], row[1], row[2]])));
        Ok(Placement { position, normal, scale, mirrors })
    }

    /// Whether positions stay as they are.
    pub(crate) fn keeps_positions(&self) -> bool {
        self.position.is_none() && self.scale == 1.0
    }

    /// Whether right becomes left.
    pub(crate) fn mirrors(&self) -> bool {
        self.mirrors
    }

    #[inline(always)]
    pub(crate) fn point(&self, p: [f32; 3]) -> [f32; 3] {
        let p = self.position.as_ref().map_or(p, |m| transform::point(p, m));
        if self.scale == 1.0 { p } else { p.map(|v| v * self.scale as f32) }
    }

    #[inline(always)]
    pub(crate) fn point_f64(&self, p: [f64; 3]) -> [f64; 3] {
        let p = self
            .position
            .as_ref()
            .map_or(p, |m| transform::point_f64(p, &m.map(|row| row.map(f64::from))));
        if self.scale == 1.0 { p } else { p.map(|v| v * self.scale) }
    }

    #[inline(always)]
    pub(crate) fn direction(&self, n: [f32; 3]) -> [f32; 3] {
        let Some(m) = &self.normal else { return n };
        unit(m.map(|r| n[0] * r[0] + n[1] * r[1] + n[2] * r[2]))
    }
}

/// The direction of `v`, with length 1 (or 0 where `v` has none).
#[inline(always)]
fn unit(v: [f32; 3]) -> [f32; 3] {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square <= 1.0e-35 {
        return [0.0; 3];
    }
    let over = 1.0 / square.sqrt();
    v.map(|c| c * over)
}

/// The adjoint over the determinant, transposed.
fn inverse_transpose(m: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let [[a, b, c], [d, e, f], [g, h, i]] = *m;
    let adjoint = [
        [e * i - f * h, -d * i + f * g, d * h - e * g],
        [-b * i + c * h, a * i - c * g, -a * h + b * g],
        [b * f - c * e, -a * f + c * d, a * e - b * d],
    ];
    let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    if determinant == 0.0 {
        return adjoint;
    }
    let over = 1.0 / determinant;
    adjoint.map(|row| row.map(|v| v * over))
}
