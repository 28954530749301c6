//! Lights without a shape, for formats that have lights of a point, a cone and a direction.
//!
//! Strengths are pbrt's own numbers: candela of points and cones, lux of directions, nits of skies.
//! Source: pbrt-v4, `lights.cpp`.

use super::surface::color_and_strength;
use crate::scene::{Light, Scene};
use glam::{DMat4, DQuat, DVec3};
use std::f64::consts::PI;

/// A light.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExportLight {
    pub(crate) kind: LightKind,
    /// Its largest part is 1.
    pub(crate) color: [f32; 3],
    pub(crate) strength: f32,
    pub(crate) position: [f32; 3],
    /// Turns -z to where it shines, as a quaternion: x, y, z, w.
    pub(crate) rotation: [f64; 4],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LightKind {
    Distant,
    Point,
    /// Half the angle of the whole cone, and of the part that is as bright as its middle, in radians.
    Spot {
        outer: f32,
        inner: f32,
    },
    /// The same from everywhere.
    Sky,
}

/// What a light of the scene becomes; `None` for one whose light comes from a picture, and for one whose
/// matrix or points are no numbers.
pub(crate) fn light_of(scene: &Scene, light: &Light) -> Option<ExportLight> {
    let entity = &light.entity;
    let matrix = scene.matrices[light.matrix as usize].map(f64::from);
    let matrix = DMat4::from_cols_array(&matrix).transpose();
    let point = |name: &str, default: DVec3| match scene.floats(entity, name) {
        Some(&[x, y, z]) => DVec3::new(x.into(), y.into(), z.into()),
        _ => default,
    };
    let number = |name: &str| scene.float(entity, name).map(f64::from);
    // Values that are not above 0 are not set; version 3 has none.
    let wanted = |name: &str| number(name).filter(|value| *value > 0.0 && scene.version >= 4);
    let (from, to) = (point("from", DVec3::ZERO), point("to", DVec3::Z));
    let is_plain = scene.string(entity, "filename").or(scene.string(entity, "mapname")).is_none()
        && scene.parameter(entity, "portal").is_none();
    let (kind, factor) = match scene.class(entity) {
        b"distant" => (LightKind::Distant, wanted("illuminance").unwrap_or(1.0)),
        b"point" => (LightKind::Point, wanted("power").map_or(1.0, |power| power / (4.0 * PI))),
        b"spot" => {
            let outer = number("coneangle").unwrap_or(30.0).clamp(0.0, 90.0).to_radians();
            let delta = number("conedeltaangle").unwrap_or(5.0).to_radians();
            let inner = (outer - delta).clamp(0.0, outer);
            let (start, end) = (inner.cos(), outer.cos());
            let around = 2.0 * PI * ((1.0 - start) + (start - end) / 2.0);
            let factor = wanted("power").map_or(1.0, |power| power / around);
            (LightKind::Spot { outer: outer as f32, inner: inner as f32 }, factor)
        }
        b"infinite" | b"exinfinite" if is_plain => {
            (LightKind::Sky, wanted("illuminance").map_or(1.0, |lux| lux / PI))
        }
        _ => return None,
    };
    let direction = matrix.transform_vector3(to - from).try_normalize();
    let turn = match kind {
        LightKind::Point | LightKind::Sky => DQuat::IDENTITY,
        _ => DQuat::from_rotation_arc(DVec3::NEG_Z, direction?),
    };
    let position = match kind {
        LightKind::Point | LightKind::Spot { .. } => matrix.transform_point3(from),
        _ => DVec3::ZERO,
    };
    let is_number = position.is_finite() && turn.is_finite();
    let (color, strength) = color_and_strength(scene.shine(entity), factor);
    is_number.then(|| ExportLight {
        kind,
        color,
        strength,
        position: position.as_vec3().to_array(),
        rotation: turn.normalize().to_array().map(|x| x + 0.0),
    })
}
