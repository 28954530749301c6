//! Media.

use crate::scene::{Medium, Scene};

/// What light meets in a space.
#[derive(Clone, Debug, PartialEq)]
pub struct MediumLook {
    /// Its name.
    pub name: String,
    /// How much is absorbed, per unit of the world, of red, green and blue.
    pub absorption: [f32; 3],
    /// How much is scattered, per unit of the world.
    pub scattering: [f32; 3],
    /// Henyey and Greenstein's asymmetry: -1 to 1.
    pub anisotropy: f32,
    /// Whether it is the same everywhere; else the figures are those of a density of 1, which a grid
    /// multiplies.
    pub is_homogeneous: bool,
}

impl MediumLook {
    /// The colour that is left after a distance of one unit, by absorption alone.
    pub fn tint(&self) -> [f32; 3] {
        self.absorption.map(|sigma| (-sigma).exp().clamp(0.0, 1.0))
    }
}

pub(super) fn medium_of(scene: &Scene, medium: &Medium) -> MediumLook {
    let name = String::from_utf8_lossy(&medium.name).into_owned();
    let nothing = MediumLook {
        name,
        absorption: [0.0; 3],
        scattering: [0.0; 3],
        anisotropy: 0.0,
        is_homogeneous: true,
    };
    let Some(entity) = &medium.entity else { return nothing };
    let number = |name: &str, default: f32| {
        scene.float(entity, name).filter(|x| x.is_finite()).unwrap_or(default)
    };
    let scale = number("scale", 1.0).max(0.0);
    let class = scene.class(entity);
    // Where nothing is said, homogeneous media of either version are pbrt's default one, in millimetres.
    let defaults = match (class, scene.version) {
        (b"homogeneous", _) | (_, ..4) => [[0.0011, 0.0024, 0.014], [2.55, 3.21, 3.77]],
        _ => [[1.0; 3]; 2],
    };
    let color = |name: &str, default: [f32; 3]| {
        let given = match scene.spectrum(entity, name) {
            Some(spectrum) => Some([611.4, 549.1, 464.2].map(|at| spectrum.at(at))),
            None => scene.reflected(entity, name),
        };
        given.unwrap_or(default).map(|x| {
            let x = x * scale;
            if x.is_finite() { x.max(0.0) } else { 0.0 }
        })
    };
    MediumLook {
        absorption: color("sigma_a", defaults[0]),
        scattering: color("sigma_s", defaults[1]),
        anisotropy: number("g", 0.0).clamp(-1.0, 1.0),
        is_homogeneous: class == b"homogeneous",
        ..nothing
    }
}
