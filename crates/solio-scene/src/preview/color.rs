//! The colours of materials, as far as they can be told without their textures' files.

use crate::pbrt::ParameterType;
use crate::scene::{Entity, NONE, Scene, Shape};
use std::collections::HashMap;

/// What a surface looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    /// Linear light that is reflected.
    Surface([f32; 3]),
    /// Shines by itself, at most 1.
    Light([f32; 3]),
    /// Is not to be seen: the border of a medium.
    Nothing,
}

/// Textures within textures, and materials within materials.
const MOST_DEEP: usize = 8;
/// Of what nothing is known.
const GREY: [f32; 3] = [0.5; 3];
/// Parameters that give a material its colour, the first counts: of version 4, then of 3.
const NAMES: [&str; 8] =
    ["reflectance", "albedo", "color", "Kd", "Kr", "sigma_a", "transmittance", "Ks"];
/// Metals by the names of their spectra: reflectance at normal incidence, from their refractive
/// indices (refractiveindex.info).
const METALS: [(&[u8], [f32; 3]); 6] = [
    (b"metal-Au", [1.0, 0.78, 0.34]),
    (b"metal-Cu", [0.96, 0.64, 0.54]),
    (b"metal-CuZn", [0.91, 0.78, 0.42]),
    (b"metal-Ag", [0.97, 0.96, 0.91]),
    (b"metal-Al", [0.91, 0.92, 0.92]),
    (b"metal-MgO", [0.8, 0.8, 0.8]),
];

/// The colour of each material, in linear light, as a preview shows it; grey where nothing is known.
pub fn material_colors(scene: &Scene) -> Vec<[f32; 3]> {
    let looks = Looks::new(scene).materials;
    let color = |look| match look {
        Look::Surface(color) | Look::Light(color) => color,
        Look::Nothing => GREY,
    };
    looks.into_iter().map(color).collect()
}

/// Looks at all materials once.
pub(super) struct Looks<'s> {
    scene: &'s Scene,
    materials: Vec<Look>,
}

impl<'s> Looks<'s> {
    pub(super) fn new(scene: &'s Scene) -> Looks<'s> {
        let textures =
            scene.textures.iter().enumerate().map(|(i, texture)| (&*texture.name, i)).collect();
        let names = scene.materials.iter().enumerate();
        let names = names.filter(|(_, m)| !m.name.is_empty()).map(|(i, m)| (&*m.name, i)).collect();
        let finder = Finder { scene, textures, materials: names };
        let looks = scene.materials.iter().map(|material| match &material.entity {
            Some(entity) => finder.material(entity, 0),
            None => Look::Surface(GREY),
        });
        Looks { scene, materials: looks.collect() }
    }

    pub(super) fn of(&self, shape: &Shape) -> Look {
        if shape.area_light != NONE {
            let entity = &self.scene.area_lights[shape.area_light as usize];
            let light = self.scene.floats(entity, "L").filter(|l| l.len() == 3);
            let light = light.map_or([1.0; 3], |l| [l[0], l[1], l[2]]);
            let most = light.iter().fold(0f32, |most, l| most.max(*l));
            let scale = if most > 0.0 { 1.0 / most } else { 0.0 };
            return Look::Light(light.map(|l| (l * scale).clamp(0.0, 1.0)));
        }
        match self.materials.get(shape.material as usize) {
            Some(look) => *look,
            None => Look::Surface(GREY),
        }
    }
}

struct Finder<'s> {
    scene: &'s Scene,
    textures: HashMap<&'s [u8], usize>,
    materials: HashMap<&'s [u8], usize>,
}

impl Finder<'_> {
    fn material(&self, entity: &Entity, depth: usize) -> Look {
        let scene = self.scene;
        match scene.class(entity) {
            b"interface" | b"none" | b"" => return Look::Nothing,
            b"mix" => {
                let name = scene.string(entity, "materials");
                let name = name.or_else(|| scene.string(entity, "namedmaterial1"));
                let found = name.and_then(|name| self.materials.get(name));
                let found = found.and_then(|i| scene.materials[*i].entity.as_ref());
                return match found.filter(|_| depth < MOST_DEEP) {
                    Some(found) => self.material(found, depth + 1),
                    None => Look::Surface(GREY),
                };
            }
            b"dielectric" | b"thindielectric" | b"glass" => {
                return Look::Surface([0.8, 0.88, 0.9]);
            }
            b"mirror" => return Look::Surface([0.9; 3]),
            b"conductor" | b"coatedconductor" | b"metal" => {
                if let Some(metal) = self.metal(entity) {
                    return Look::Surface(metal);
                }
            }
            b"hair" => {
                let color = self.parameter(entity, "reflectance", 0);
                return Look::Surface(color.unwrap_or([0.23, 0.14, 0.08]));
            }
            _ => {}
        }
        let color = NAMES.iter().find_map(|name| self.parameter(entity, name, depth));
        Look::Surface(color.unwrap_or(GREY))
    }

    fn metal(&self, entity: &Entity) -> Option<[f32; 3]> {
        let names = ["eta", "conductor.eta", "k"];
        let name = names.iter().find_map(|name| self.scene.string(entity, name));
        let Some(name) = name else {
            // Copper is what pbrt takes.
            let given = self.parameter(entity, "reflectance", 0);
            return given.or(Some(METALS[1].1));
        };
        let known = METALS.iter().rev().find(|(metal, _)| name.starts_with(metal));
        known.map(|(_, color)| *color)
    }

    /// The colour that a parameter gives, by itself or through a texture.
    fn parameter(&self, entity: &Entity, name: &str, depth: usize) -> Option<[f32; 3]> {
        let (kept, parameter) = self.scene.parameter(entity, name)?;
        match parameter.kind {
            ParameterType::Texture => {
                let texture = kept.string(parameter.values, 0)?;
                let texture = self.scene.textures.get(*self.textures.get(texture)?)?;
                Some(self.texture(&texture.entity, depth + 1))
            }
            ParameterType::Spectrum => {
                // Pairs of wavelength and value: their mean.
                let pairs = self.scene.floats(entity, name)?.as_chunks::<2>().0;
                let sum: f32 = pairs.iter().map(|[_, value]| value).sum();
                (!pairs.is_empty()).then(|| [(sum / pairs.len() as f32).clamp(0.0, 1.0); 3])
            }
            _ => match *self.scene.floats(entity, name)? {
                [grey] => Some([grey.clamp(0.0, 1.0); 3]),
                [r, g, b] => Some([r, g, b].map(|c| c.clamp(0.0, 1.0))),
                _ => None,
            },
        }
    }

    fn texture(&self, entity: &Entity, depth: usize) -> [f32; 3] {
        if depth > MOST_DEEP {
            return GREY;
        }
        let of = |name: &str| self.parameter(entity, name, depth);
        let mean = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|i| 0.5 * (a[i] + b[i]));
        match self.scene.class(entity) {
            b"constant" => of("value").unwrap_or([1.0; 3]),
            b"scale" => {
                let tex = of("tex").or_else(|| of("tex1")).unwrap_or([1.0; 3]);
                let scale = of("scale").or_else(|| of("tex2")).unwrap_or([1.0; 3]);
                [0, 1, 2].map(|i| tex[i] * scale[i])
            }
            b"checkerboard" | b"mix" | b"directionmix" => {
                mean(of("tex1").unwrap_or([1.0; 3]), of("tex2").unwrap_or([0.0; 3]))
            }
            b"dots" => mean(of("inside").unwrap_or([1.0; 3]), of("outside").unwrap_or([0.0; 3])),
            _ => GREY,
        }
    }
}
