//! Lights without a shape.
//!
//! Strengths are pbrt's own numbers: candela of points and cones, lux of directions, nits of skies.
//! Source: pbrt-v4, `lights.cpp`; pbrt-v3, `lights/*.cpp`.

use super::pattern::TexturePicture;
use super::surface::color_and_strength;
use crate::scene::{Light, Scene};
use glam::{DMat4, DQuat, DVec3, DVec4};
use std::f64::consts::PI;

/// A light without a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct LightLook {
    /// What it is.
    pub kind: LightLookKind,
    /// Its colour, linear; the largest part is 1.
    pub color: [f32; 3],
    /// What the colour is multiplied by: candela (points, cones), lux (directions), nits (skies).
    pub strength: f32,
    /// The picture that it shines by, if there is one; its values are multiplied by colour and strength.
    pub picture: Option<LightPicture>,
    /// The illuminance in lux that a sky with a picture is to give a surface that looks up, if the scene
    /// says so: then the strength is 1 and has to be found by the picture.
    pub illuminance: Option<f32>,
    /// Where it is, in the world.
    pub position: [f64; 3],
    /// Where it shines, of length 1, in the world; +z of those that shine everywhere.
    pub direction: [f64; 3],
    /// From the light to the world, column after column.
    pub to_world: [[f64; 4]; 4],
    /// Whether light of this kind is one that other formats have; else it is the nearest that they have.
    pub is_exact: bool,
}

/// What a light is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightLookKind {
    /// From infinitely far, along a direction.
    Distant,
    /// From a point, the same to everywhere, or by a picture (`goniometric`).
    Point,
    /// From a point into a cone. Between the angles it falls off as a smooth step of the cosine.
    Spot {
        /// Half the angle of the whole cone, in radians.
        outer: f32,
        /// Half the angle of the part that is as bright as its middle, in radians.
        inner: f32,
    },
    /// A picture from a point, of this field of view along the shorter side, in radians.
    Projection {
        /// The whole angle.
        fov: f32,
    },
    /// From everywhere, infinitely far: a sky.
    Sky,
}

/// How the picture of a sky or of a `goniometric` light lies around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnvironmentMapping {
    /// A square by equal areas, with +z in its middle (version 4; Clarberg 2008).
    EqualArea,
    /// Longitude from the left, `atan2(y, x) / 2π`; from the top the angle from +z (version 3).
    LatLong,
    /// A flat picture (`projection`).
    Flat,
}

/// A picture that a light shines by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightPicture {
    /// The path as the scene calls it.
    pub name: Vec<u8>,
    /// How it lies around the light.
    pub mapping: EnvironmentMapping,
}

impl LightLook {
    /// What turns -z to where it shines, as a quaternion: x, y, z, w.
    ///
    /// ```
    /// # use solio_base::Work;
    /// # use solio_scene::{look::Looks, scene::{NoFiles, read_scene}};
    /// let text = b"WorldBegin\nLightSource \"distant\" \"point3 to\" [0 0 -2]\n";
    /// let path = std::path::Path::new("a.pbrt");
    /// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
    /// let sun = Looks::new(&scene).lights[0].clone().expect("a light");
    /// assert_eq!((sun.rotation(), sun.strength), ([0.0, 0.0, 0.0, 1.0], 1.0));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn rotation(&self) -> [f64; 4] {
        let turn = match self.kind {
            LightLookKind::Point | LightLookKind::Sky => DQuat::IDENTITY,
            _ => DQuat::from_rotation_arc(DVec3::NEG_Z, DVec3::from_array(self.direction)),
        };
        turn.normalize().to_array().map(|x| x + 0.0)
    }

    /// Colour times strength.
    pub fn light(&self) -> [f32; 3] {
        self.color.map(|part| part * self.strength)
    }

    pub(crate) fn matrix(&self) -> DMat4 {
        DMat4::from_cols_array_2d(&self.to_world)
    }
}

/// What a light of the scene becomes; `None` for one of an unknown class, and for one whose matrix or points
/// are no numbers.
pub(super) fn light_of(scene: &Scene, light: &Light) -> Option<LightLook> {
    let entity = &light.entity;
    let matrix = scene.matrices.get(light.matrix as usize)?.map(f64::from);
    let matrix = DMat4::from_cols_array(&matrix).transpose();
    let point = |name: &str, default: DVec3| match scene.floats(entity, name) {
        Some(&[x, y, z]) => DVec3::new(x.into(), y.into(), z.into()),
        _ => default,
    };
    let finite = |value: &f64| value.is_finite();
    let number = |name: &str| scene.float(entity, name).map(f64::from).filter(finite);
    // Values that are not above 0 are not set; version 3 has none.
    let wanted = |name: &str| number(name).filter(|value| *value > 0.0 && scene.version >= 4);
    let (from, to) = (point("from", DVec3::ZERO), point("to", DVec3::Z));
    let file = scene.string(entity, "filename").or_else(|| scene.string(entity, "mapname"));
    let file = file.filter(|name| !name.is_empty());
    let class = scene.class(entity);
    let (mut is_exact, mut illuminance) = (true, None);
    let mut mapping = match scene.version {
        ..4 => EnvironmentMapping::LatLong,
        _ => EnvironmentMapping::EqualArea,
    };
    let around_all = |power: f64| power / (4.0 * PI);
    let (kind, factor) = match class {
        b"distant" => (LightLookKind::Distant, wanted("illuminance").unwrap_or(1.0)),
        b"point" => (LightLookKind::Point, wanted("power").map_or(1.0, around_all)),
        b"goniometric" => {
            is_exact = file.is_none();
            (LightLookKind::Point, wanted("power").map_or(1.0, around_all))
        }
        b"spot" => {
            let outer = number("coneangle").unwrap_or(30.0).clamp(0.0, 90.0).to_radians();
            let delta = number("conedeltaangle").unwrap_or(5.0).to_radians();
            let inner = (outer - delta).clamp(0.0, outer);
            let (start, end) = (inner.cos(), outer.cos());
            let around = 2.0 * PI * ((1.0 - start) + (start - end) / 2.0);
            let factor = wanted("power").map_or(1.0, |power| power / around);
            (LightLookKind::Spot { outer: outer as f32, inner: inner as f32 }, factor)
        }
        b"projection" => {
            (is_exact, mapping) = (false, EnvironmentMapping::Flat);
            let default = if scene.version >= 4 { 90.0 } else { 45.0 };
            let fov = number("fov").unwrap_or(default).clamp(0.01, 179.0).to_radians();
            // About: its picture is a square.
            let solid = 4.0 * ((fov / 2.0).sin().powi(2)).asin();
            let factor = wanted("power").map_or(1.0, |power| power / solid);
            (LightLookKind::Projection { fov: fov as f32 }, factor)
        }
        b"infinite" | b"exinfinite" => {
            is_exact = scene.parameter(entity, "portal").is_none();
            let lux = wanted("illuminance");
            let factor = match &file {
                Some(_) => {
                    illuminance = lux.map(|lux| lux as f32);
                    1.0
                }
                None => lux.map_or(1.0, |lux| lux / PI),
            };
            (LightLookKind::Sky, factor)
        }
        _ => return None,
    };
    let direction = match kind {
        LightLookKind::Point | LightLookKind::Sky => DVec3::Z,
        LightLookKind::Projection { .. } => matrix.transform_vector3(DVec3::Z).try_normalize()?,
        _ => matrix.transform_vector3(to - from).try_normalize()?,
    };
    let position = match kind {
        LightLookKind::Point | LightLookKind::Spot { .. } | LightLookKind::Projection { .. } => {
            matrix.transform_point3(from)
        }
        _ => DVec3::ZERO,
    };
    let is_number = position.as_vec3().is_finite() && direction.is_finite() && matrix.is_finite();
    // What shines by a picture has no colour of its own in version 4, where nothing else is said.
    let shine = match (&file, scene.version) {
        (Some(_), 4..) if scene.parameter(entity, "L").is_none() && class == b"infinite" => {
            [scene.float(entity, "scale").unwrap_or(1.0).max(0.0); 3]
        }
        _ => scene.shine(entity),
    };
    let (color, strength) = color_and_strength(shine, factor);
    is_number.then(|| LightLook {
        kind,
        color,
        strength,
        picture: file.map(|name| LightPicture { name: name.to_vec(), mapping }),
        illuminance,
        position: position.to_array(),
        direction: direction.to_array(),
        to_world: matrix.to_cols_array_2d(),
        is_exact,
    })
}

/// From a dome with the pole +y and +z in the middle of its picture (OpenEXR, USD, Mitsuba) to the sky of a
/// scene.
pub(crate) const DOME_TO_SKY: DMat4 = DMat4::from_cols(
    DVec4::new(0.0, 1.0, 0.0, 0.0),
    DVec4::new(0.0, 0.0, 1.0, 0.0),
    DVec4::new(-1.0, 0.0, 0.0, 0.0),
    DVec4::new(0.0, 0.0, 0.0, 1.0),
);

/// The illuminance that a sky by longitude and latitude gives what looks to +z, for a strength of 1.
pub(crate) fn illuminance_of_sky(sky: &TexturePicture) -> f64 {
    let [width, height] = sky.size();
    let (across, up) = (2.0 * PI / width as f64, PI / height as f64);
    let mut sum = 0.0;
    for (y, row) in sky.pixels().chunks(width).enumerate() {
        let theta = (y as f64 + 0.5) * up;
        if theta >= PI / 2.0 {
            break;
        }
        let of_row: f64 = row
            .iter()
            .map(|[r, g, b]| {
                0.2126 * f64::from(*r) + 0.7152 * f64::from(*g) + 0.0722 * f64::from(*b)
            })
            .sum();
        sum += of_row * theta.cos() * theta.sin() * across * up;
    }
    sum
}

/// The direction of a place of a picture of a sky: x from the left, y from the top, 0 to 1.
pub fn sky_direction(x: f64, y: f64, mapping: EnvironmentMapping) -> [f64; 3] {
    match mapping {
        EnvironmentMapping::EqualArea => super::equal_area_square_to_sphere(x, y).to_array(),
        _ => {
            let (theta, phi) = (PI * y, 2.0 * PI * x);
            [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()]
        }
    }
}

/// The place in a picture of a sky of a direction of length 1: x from the left, y from the top, 0 to 1.
///
/// ```
/// use solio_scene::look::{EnvironmentMapping, sky_direction, sky_place};
/// let up = sky_place([0.0, 0.0, 1.0], EnvironmentMapping::EqualArea);
/// assert_eq!(up, [0.5, 0.5]); // in the middle
/// let there = sky_place([0.6, 0.0, 0.8], EnvironmentMapping::EqualArea);
/// let back = sky_direction(there[0], there[1], EnvironmentMapping::EqualArea);
/// assert!((back[0] - 0.6).abs() < 1e-9 && back[1].abs() < 1e-9);
/// ```
pub fn sky_place([x, y, z]: [f64; 3], mapping: EnvironmentMapping) -> [f64; 2] {
    match mapping {
        EnvironmentMapping::EqualArea => {
            let r = (1.0 - z.abs()).max(0.0).sqrt();
            let (long, short) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
            let angle = if long == 0.0 { 0.0 } else { (short / long).atan() * 2.0 / PI };
            let angle = if x.abs() < y.abs() { 1.0 - angle } else { angle };
            let (mut u, mut v) = (r - angle * r, angle * r);
            if z < 0.0 {
                (u, v) = (1.0 - v, 1.0 - u);
            }
            [(u.copysign(x) + 1.0) * 0.5, (v.copysign(y) + 1.0) * 0.5]
        }
        _ => {
            let turn = y.atan2(x) / (2.0 * PI);
            [if turn < 0.0 { turn + 1.0 } else { turn }, z.clamp(-1.0, 1.0).acos() / PI]
        }
    }
}
