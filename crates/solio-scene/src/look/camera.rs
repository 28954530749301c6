//! The camera of a scene.
//!
//! Source: *Physically Based Rendering* (2023), chapter 5, and pbrt-v4's *Input File Format*,
//! "Cameras". A `realistic` camera is one of perspective here.

use crate::scene::{Entity, Scene};
use glam::{DMat4, DVec3};

/// How a camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraProjection {
    /// The tangents of half the angle from left to right, and from bottom to top.
    Perspective([f64; 2]),
    /// Half the width and half the height of what is seen, in units of the world.
    Orthographic([f64; 2]),
    /// All around.
    Spherical {
        /// By equal areas; else by longitude and latitude.
        equal_area: bool,
    },
}

/// A camera and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraLook {
    /// From the camera, which looks along +z with +x to the right and +y up (left-handed, as pbrt's), to
    /// the world; column after column; at the first time where it moves.
    pub to_world: [[f64; 4]; 4],
    /// How it sees.
    pub projection: CameraProjection,
    /// How far the middle of the picture is from where it looks to, in halves of the picture: to the
    /// right, and up.
    pub shift: [f64; 2],
    /// The radius of the lens, in units of the world; 0 where all is in focus.
    pub lens_radius: f64,
    /// How far away things are in focus, in units of the world.
    pub focal_distance: f64,
    /// Columns and rows of the film.
    pub resolution: [u32; 2],
    /// When the shutter opens and closes.
    pub shutter: [f64; 2],
    /// What pbrt-v4's film multiplies light by: exposure time times ISO over 100; 1 where nothing is
    /// said.
    pub exposure: f64,
    /// Whether this is what the scene asks for, not only near to it (`realistic`).
    pub is_exact: bool,
    /// Whether the world has to be mirrored in z for right-handed programs: unless the camera mirrors.
    pub mirrors_world: bool,
}

/// Whether the world has to be mirrored in z to be right-handed: unless its camera mirrors.
pub fn is_mirrored(scene: &Scene) -> bool {
    let mirrors = |camera: &crate::scene::Camera| camera.from_world.start.determinant() < 0.0;
    !scene.camera.as_ref().is_some_and(mirrors)
}

impl CameraLook {
    pub(super) fn of(scene: &Scene) -> Option<CameraLook> {
        let camera = scene.camera.as_ref()?;
        let resolution = resolution(scene);
        let [width, height] = resolution.map(f64::from);
        let (kind, [left, right, bottom, top]) = lens(scene, &camera.entity, width / height);
        let half = [(right - left) / 2.0, (top - bottom) / 2.0];
        if half.iter().any(|x| !(x.is_finite() && *x > 0.0)) {
            return None;
        }
        let projection = match kind {
            RayLens::Perspective(tangent) => {
                CameraProjection::Perspective(half.map(|x| x * tangent))
            }
            RayLens::Orthographic => CameraProjection::Orthographic(half),
            RayLens::Spherical { equal_area } => CameraProjection::Spherical { equal_area },
        };
        let to_world = camera.from_world.start.inverse();
        let class = scene.class(&camera.entity);
        let number = |name, default: f64| {
            let given = scene.float(&camera.entity, name).map(f64::from);
            given.filter(|x| x.is_finite()).unwrap_or(default)
        };
        let of_film = |name, default: f64| {
            let film = scene.film.as_ref().filter(|_| scene.version >= 4);
            let given = film.and_then(|film| scene.float(film, name)).map(f64::from);
            given.filter(|x| x.is_finite() && *x > 0.0).unwrap_or(default)
        };
        let is_exact =
            matches!(class, b"perspective" | b"orthographic" | b"spherical" | b"environment");
        to_world.is_finite().then(|| CameraLook {
            to_world: to_world.to_cols_array_2d(),
            projection,
            shift: [(right + left) / (right - left), (top + bottom) / (top - bottom)],
            lens_radius: number("lensradius", 0.0).max(0.0),
            focal_distance: number("focaldistance", 1e6).max(0.0),
            resolution,
            shutter: [number("shutteropen", 0.0), number("shutterclose", 1.0)],
            exposure: of_film("exposuretime", 1.0) * of_film("iso", 100.0) / 100.0,
            is_exact,
            mirrors_world: is_mirrored(scene),
        })
    }

    /// From a camera that looks along -z with +y up to the right-handed world that is written, without
    /// the even scale that a camera may have.
    pub(crate) fn right_handed(&self) -> Option<DMat4> {
        let mirror = DMat4::from_scale(DVec3::new(1.0, 1.0, -1.0));
        let to_world = DMat4::from_cols_array_2d(&self.to_world) * mirror;
        let to_world = if self.mirrors_world { mirror * to_world } else { to_world };
        // Other formats have floats of 32 bits.
        upright(to_world).filter(|matrix| matrix.as_mat4().is_finite())
    }
}

/// Without the even scale that a camera may have, which changes no ray but the distances of planes.
pub(crate) fn upright(matrix: DMat4) -> Option<DMat4> {
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

/// How a camera makes rays of points of its screen.
pub(crate) enum RayLens {
    /// The tangent of half the field of view along the shorter side.
    Perspective(f64),
    Orthographic,
    Spherical {
        equal_area: bool,
    },
}

/// Columns and rows of the scene's film; those of pbrt without one.
pub(crate) fn resolution(scene: &Scene) -> [u32; 2] {
    let default = [1280, 720];
    let side = |i: usize, name| {
        let asked = scene.film.as_ref().and_then(|film| scene.integer(film, name));
        asked.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(default[i])
    };
    [side(0, "xresolution"), side(1, "yresolution")]
}

/// The lens of a camera, and left, right, bottom, top of the picture on its screen; `aspect` is that
/// of the picture.
pub(crate) fn lens(scene: &Scene, entity: &Entity, aspect: f64) -> (RayLens, [f64; 4]) {
    let number = |name| scene.float(entity, name).map(f64::from);
    let aspect = number("frameaspectratio").unwrap_or(aspect);
    let mut window = screen(aspect);
    if let Some(&[left, right, bottom, top]) = scene.floats(entity, "screenwindow") {
        window = [left, right, bottom, top].map(f64::from);
    }
    let lens = match scene.class(entity) {
        b"orthographic" => {
            if let Some(scale) = number("screenscale") {
                window = window.map(|side| side * scale);
            }
            RayLens::Orthographic
        }
        b"spherical" => {
            let mapping = scene.string(entity, "mapping");
            RayLens::Spherical { equal_area: mapping != Some(b"equirectangular") }
        }
        // Of version 3.
        b"environment" => RayLens::Spherical { equal_area: false },
        b"realistic" => RayLens::Perspective((20f64).to_radians().tan()),
        _ => {
            let half = number("halffov").or(number("fov").map(|fov| fov / 2.0)).unwrap_or(45.0);
            RayLens::Perspective(half.clamp(0.01, 89.9).to_radians().tan())
        }
    };
    (lens, window)
}

/// Left, right, bottom and top of a picture of this aspect on the screen: the shorter side reaches from -1 to 1.
pub(crate) fn screen(aspect: f64) -> [f64; 4] {
    if aspect > 1.0 {
        [-aspect, aspect, -1.0, 1.0]
    } else {
        [-1.0, 1.0, -1.0 / aspect, 1.0 / aspect]
    }
}

/// The direction of a place of a square by equal areas: x from the left, y from the top, 0 to 1.
/// Source: Clarberg, *Fast Equal-Area Mapping of the (Hemi)Sphere using SIMD* (2008).
pub(crate) fn equal_area_square_to_sphere(x: f64, y: f64) -> DVec3 {
    let (u, v) = (2.0 * x - 1.0, 2.0 * y - 1.0);
    let (up, vp) = (u.abs(), v.abs());
    let signed = 1.0 - (up + vp);
    let r = 1.0 - signed.abs();
    let ratio = if r == 0.0 { 1.0 } else { (vp - up) / r + 1.0 };
    let phi = ratio * std::f64::consts::FRAC_PI_4;
    let z = (1.0 - r * r).copysign(signed);
    let side = r * (2.0 - r * r).max(0.0).sqrt();
    DVec3::new((phi.cos() * side).copysign(u), (phi.sin() * side).copysign(v), z)
}
