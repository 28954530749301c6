//! From ellipsoids in space to ellipses in the picture (Zwicker and others, "EWA splatting", 2002; Kerbl and
//! others, "3D Gaussian Splatting", 2023).

use super::View;
use solio_mesh::splats::Ellipsoid;

/// What is added to the variances of an ellipse, so that none is narrower than a pixel.
const LOW_PASS: f32 = 0.3;
/// Below this alpha nothing is seen.
pub(super) const LEAST_ALPHA: f32 = 1.0 / 255.0;
/// The slope of a splat far outside the picture is taken as that of one here, in parts of its edge.
const MOST_SLOPE: f32 = 1.3;

/// An ellipse in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flat {
    /// In pixels from the corner above to the left.
    pub(super) middle: [f32; 2],
    /// The exponent of two at an offset of (x, y) is `a x² + b x y + c y²`, plus that of the alpha.
    pub(super) exponent: [f32; 3],
    /// Half the size of the box outside which nothing is seen.
    pub(super) reach: [f32; 2],
    pub(super) alpha: f32,
    pub(super) color: [f32; 3],
    pub(super) depth: f32,
}

/// The camera, for splats.
pub(super) struct Projection {
    eye: [f64; 3],
    /// To the right, down and away from the camera.
    axes: [[f32; 3]; 3],
    focal: f32,
    half_tangent: f32,
    middle: f32,
    size: f32,
    /// What is nearer stands in the way.
    near: f32,
    antialiased: bool,
}

impl Projection {
    pub(super) fn new(view: &View, size: u32, antialiased: bool) -> Projection {
        let [right, above, toward] = view.axes();
        let distance = (0..3).map(|i| (view.eye[i] - view.middle[i]).powi(2)).sum::<f64>().sqrt();
        // Of the sphere that the picture is filled by.
        let radius = distance * view.half_tangent;
        Projection {
            eye: view.eye,
            axes: [right, above.map(|v| -v), toward.map(|v| -v)].map(|axis| axis.map(|v| v as f32)),
            focal: (f64::from(size) / 2.0 / view.half_tangent) as f32,
            half_tangent: view.half_tangent as f32,
            middle: size as f32 / 2.0,
            size: size as f32,
            near: (distance - 1.5 * radius).max(0.01 * distance) as f32,
            antialiased,
        }
    }

    /// The ellipse of a splat; `None` where nothing of it is seen.
    pub(super) fn of(&self, splat: &Ellipsoid) -> Option<Flat> {
        let from = [0, 1, 2].map(|i| (f64::from(splat.middle[i]) - self.eye[i]) as f32);
        let along = |v: [f32; 3]| self.axes.map(|a| a[0] * v[0] + a[1] * v[1] + a[2] * v[2]);
        let [x, y, depth] = along(from);
        // NaN is not farther than anything.
        let is_seen = depth > self.near && depth.is_finite() && splat.alpha >= LEAST_ALPHA;
        if !is_seen {
            return None;
        }
        let scale = self.focal / depth;
        let most = MOST_SLOPE * self.half_tangent;
        let (slope_x, slope_y) = ((x / depth).clamp(-most, most), (y / depth).clamp(-most, most));
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for axis in splat.axes {
            let [right, down, away] = along(axis);
            let (u, v) = (scale * (right - slope_x * away), scale * (down - slope_y * away));
            (xx, xy, yy) = (xx + u * u, xy + u * v, yy + v * v);
        }
        let sharp = (xx * yy - xy * xy).max(0.0);
        (xx, yy) = (xx + LOW_PASS, yy + LOW_PASS);
        let determinant = xx * yy - xy * xy;
        if !(determinant > 0.0 && determinant.is_finite()) {
            return None;
        }
        let mut alpha = splat.alpha;
        if self.antialiased {
            // What is widened is less dense (Yu and others, "Mip-Splatting", 2024).
            alpha *= (sharp / determinant).sqrt();
        }
        // The square of the distance, in deviations, where nothing is seen any more.
        let end = 2.0 * (alpha / LEAST_ALPHA).ln();
        if !(end > 0.0 && splat.color.iter().all(|c| c.is_finite())) {
            return None;
        }
        let reach = [(end * xx).sqrt(), (end * yy).sqrt()];
        let middle = [self.middle + x * scale, self.middle + y * scale];
        let is_inside = |k: usize| middle[k] + reach[k] > 0.0 && middle[k] - reach[k] < self.size;
        if !(is_inside(0) && is_inside(1)) {
            return None;
        }
        let half = -0.5 * std::f32::consts::LOG2_E / determinant;
        let exponent = [half * yy, -2.0 * half * xy, half * xx];
        Some(Flat { middle, exponent, reach, alpha, color: splat.color, depth })
    }
}
