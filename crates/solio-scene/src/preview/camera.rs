//! Rays of a scene's camera.
//!
//! Source: *Physically Based Rendering* (2023), chapter 5.

use crate::bounds::Box3;
use crate::bvh::Ray;
use crate::look::{RayLens, equal_area_square_to_sphere, lens, screen};
use crate::scene::Scene;
use glam::{DMat4, DVec3};

pub(super) struct RayCamera {
    lens: RayLens,
    to_world: DMat4,
    /// Left, right, bottom, top of the picture on the screen.
    window: [f64; 4],
    /// Up in the world.
    pub(super) up: DVec3,
}

impl RayCamera {
    /// The scene's camera; without one, one that sees all of `bounds`.
    pub(super) fn new(scene: &Scene, bounds: &Box3, [width, height]: [u32; 2]) -> RayCamera {
        let aspect = f64::from(width) / f64::from(height);
        let Some(camera) = &scene.camera else { return overview(bounds, aspect) };
        let (lens, window) = lens(scene, &camera.entity, aspect);
        let from_world = camera.from_world.start;
        let to_world = from_world.inverse();
        // Pictures stand upright: what the camera calls up is up, unless it looks from above.
        let up = to_world.transform_vector3(DVec3::Y).normalize_or(DVec3::Z);
        RayCamera { lens, to_world, window, up: nearest_axis(up) }
    }

    /// Where all rays begin, if they do at one place and go where the screen is.
    pub(super) fn eye(&self) -> Option<[f32; 3]> {
        let RayLens::Perspective(_) = self.lens else { return None };
        Some(self.to_world.transform_point3(DVec3::ZERO).as_vec3().to_array())
    }

    /// The direction of [`ray`](RayCamera::ray) of a camera with an eye, linear in `x` and `y`; also
    /// beyond the picture.
    pub(super) fn direction(&self, x: f64, y: f64) -> DVec3 {
        let [left, right, bottom, top] = self.window;
        let (sx, sy) = (left + (right - left) * x, top + (bottom - top) * y);
        let tangent = if let RayLens::Perspective(tangent) = self.lens { tangent } else { 1.0 };
        self.to_world.transform_vector3(DVec3::new(sx * tangent, sy * tangent, 1.0))
    }

    /// The ray through a point of the picture: 0 to 1 from the left, and from the top.
    pub(super) fn ray(&self, x: f64, y: f64) -> Ray {
        let [left, right, bottom, top] = self.window;
        let (sx, sy) = (left + (right - left) * x, top + (bottom - top) * y);
        let (origin, direction) = match self.lens {
            RayLens::Perspective(tangent) => {
                (DVec3::ZERO, DVec3::new(sx * tangent, sy * tangent, 1.0))
            }
            RayLens::Orthographic => (DVec3::new(sx, sy, 0.0), DVec3::Z),
            RayLens::Spherical { equal_area } => (DVec3::ZERO, spherical(x, y, equal_area)),
        };
        let origin = self.to_world.transform_point3(origin);
        let direction = self.to_world.transform_vector3(direction).normalize_or_zero();
        Ray::new(origin.as_vec3().to_array(), direction.as_vec3().to_array())
    }
}

/// Pbrt's directions have +y up here, as the camera does.
fn spherical(x: f64, y: f64, equal_area: bool) -> DVec3 {
    if equal_area {
        let d = equal_area_square_to_sphere(x, y);
        return DVec3::new(d.x, d.z, d.y);
    }
    let (theta, phi) = (std::f64::consts::PI * y, std::f64::consts::TAU * x);
    DVec3::new(theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin())
}

pub(super) fn nearest_axis(up: DVec3) -> DVec3 {
    let a = up.abs();
    if a.z >= a.y && a.z >= a.x {
        DVec3::new(0.0, 0.0, up.z.signum())
    } else if a.y >= a.x {
        DVec3::new(0.0, up.y.signum(), 0.0)
    } else {
        DVec3::new(up.x.signum(), 0.0, 0.0)
    }
}

/// From the front right above, far enough to see everything; z is up.
fn overview(bounds: &Box3, aspect: f64) -> RayCamera {
    let corner =
        |p: [f32; 3]| DVec3::from(p.map(|x| if x.is_finite() { f64::from(x) } else { 0.0 }));
    let (low, high) = (corner(bounds.min), corner(bounds.max));
    let (middle, radius) = ((low + high) / 2.0, ((high - low).length() / 2.0).max(1e-6));
    let half = 20f64.to_radians();
    let toward = DVec3::new(1.0, -2.0, 1.0).normalize();
    let eye = middle + toward * (radius / half.sin());
    let forward = -toward;
    let right = DVec3::Z.cross(forward).normalize();
    let to_world = DMat4::from_cols(
        right.extend(0.0),
        forward.cross(right).extend(0.0),
        forward.extend(0.0),
        eye.extend(1.0),
    );
    RayCamera {
        lens: RayLens::Perspective(half.tan()),
        to_world,
        window: screen(aspect),
        up: DVec3::Z,
    }
}
