//! Materials together with what shapes add to them: light, and holes.

use super::graph::TextureGraph;
use super::pattern::{TexturePattern, TextureTransform, Wrap};
use super::{EmissionLook, LookClass, LookColor, LookNumber, Looks, MaterialLook, TextureEncoding};
use crate::scene::{Entity, NONE, Scene, Shape};
use std::collections::HashMap;

/// What tells the surface of a shape from others. Each number may be [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SurfaceKey {
    /// The material.
    pub(crate) material: u32,
    /// The area light.
    pub(crate) light: u32,
    /// The shape, where the light depends on its area.
    pub(crate) shape: u32,
    /// The texture of `alpha`, of [`Looks::alphas`].
    pub(crate) alpha: u32,
    /// The medium inside of glass.
    pub(crate) medium: u32,
}

impl Looks<'_> {
    /// What tells the surface of a shape from others. Shapes of objects do not shine.
    pub(crate) fn key(&self, number: u32, is_world: bool) -> SurfaceKey {
        let shape = &self.scene.shapes[number as usize];
        let known =
            |number: u32, count: usize| if (number as usize) < count { number } else { NONE };
        let light = if is_world { shape.area_light } else { NONE };
        let light = known(light, self.area_lights.len());
        let has_power = light != NONE && self.area_lights[light as usize].power.is_some();
        let material = known(shape.material, self.materials.len());
        let is_glass = self.material(material).class == LookClass::Dielectric;
        SurfaceKey {
            material,
            light,
            shape: if has_power { number } else { NONE },
            alpha: self.alpha_of_shape.get(&number).copied().unwrap_or(NONE),
            medium: if is_glass { known(shape.inside, self.media.len()) } else { NONE },
        }
    }

    /// A material; the default one for [`NONE`].
    pub(crate) fn material(&self, number: u32) -> &MaterialLook {
        self.materials.get(number as usize).unwrap_or(&self.default_material)
    }

    /// The material of a shape.
    pub fn of_shape(&self, shape: &Shape) -> &MaterialLook {
        self.material(shape.material)
    }

    /// What a shape sends out, if it shines.
    pub fn emission_of(&self, shape: &Shape) -> Option<&EmissionLook> {
        self.area_lights.get(shape.area_light as usize)
    }

    /// How much of a shape is there (`alpha`): 0 to 1; `None` where all of it is. The number is that of
    /// [`Scene::shapes`].
    pub fn alpha(&self, shape: u32) -> Option<&LookNumber> {
        self.alphas.get(*self.alpha_of_shape.get(&shape)? as usize)
    }

    /// What a surface is called.
    pub(crate) fn name(&self, key: SurfaceKey) -> String {
        let mut name = self.material(key.material).name.clone();
        if key.light != NONE {
            name = format!("{name}.light.{}", key.light);
        }
        if key.shape != NONE {
            name = format!("{name}.{}", key.shape);
        }
        if key.alpha != NONE {
            name = format!("{name}.alpha.{}", key.alpha);
        }
        if key.medium != NONE {
            name = format!("{name}.inside.{}", key.medium);
        }
        name
    }

    /// Whether anything of a shape's surface depends on (u, v).
    pub(crate) fn is_textured(&self, number: u32) -> bool {
        let shape = &self.scene.shapes[number as usize];
        let look = self.material(shape.material);
        let light = self.emission_of(shape).is_some_and(|light| light.texture.is_some());
        let alpha = self.alpha(number).is_some_and(|alpha| alpha.texture.is_some());
        light || alpha || self.has_textures(look)
    }

    fn has_textures(&self, look: &MaterialLook) -> bool {
        let coat = look.coat.as_ref().and_then(|coat| coat.roughness.texture.as_ref());
        let through = look.diffuse_transmission.as_ref().and_then(|color| color.texture.as_ref());
        let numbers = [&look.metallic, &look.roughness, &look.transmission, &look.opacity];
        let of_mix = look.mix.as_ref().is_some_and(|mix| mix.amount.texture.is_some());
        look.base.texture.is_some()
            || coat.is_some()
            || through.is_some()
            || look.normal_map.is_some()
            || look.bump.is_some()
            || of_mix
            || numbers.iter().any(|number| number.texture.is_some())
    }
}

/// Light as a colour whose largest part is 1, and its strength.
pub(crate) fn color_and_strength(light: [f32; 3], factor: f64) -> ([f32; 3], f32) {
    let most = light.iter().fold(0f32, |most, x| most.max(*x));
    let strength = (f64::from(most) * factor).min(f64::from(f32::MAX)) as f32;
    match most > 0.0 && strength.is_finite() {
        true => (light.map(|x| (x / most).min(1.0)), strength),
        false => ([0.0; 3], 0.0),
    }
}

/// An area light.
pub(super) fn emission(graph: &TextureGraph<'_>, light: &Entity) -> EmissionLook {
    let scene: &Scene = graph.scene;
    let file = scene.string(light, "filename").filter(|name| !name.is_empty());
    let shine = match file {
        Some(_) if scene.parameter(light, "L").is_none() => {
            [scene.float(light, "scale").unwrap_or(1.0).max(0.0); 3]
        }
        _ => scene.shine(light),
    };
    let (color, strength) = color_and_strength(shine, 1.0);
    let power = scene.float(light, "power").filter(|p| *p > 0.0 && scene.version >= 4);
    let texture = file.and_then(|name| {
        let is_number = false;
        let number = graph.named(name, TextureEncoding::Srgb, is_number, light);
        LookColor::of(TexturePattern::Picture {
            number,
            mapping: Some(TextureTransform::IDENTITY),
            wrap: Wrap::Repeat,
            scale: 1.0,
            invert: false,
            is_plain: true,
        })
        .texture
    });
    let two_sided = scene.bool(light, "twosided").unwrap_or(false);
    EmissionLook { color, strength, two_sided, power, texture }
}

/// What of shapes is not there: each value once, and which shapes have one.
pub(super) fn alphas(graph: &TextureGraph<'_>) -> (Vec<LookNumber>, HashMap<u32, u32>) {
    let scene = graph.scene;
    let (mut alphas, mut of_shape) = (Vec::new(), HashMap::new());
    let mut known: HashMap<(Vec<u8>, u32), u32> = HashMap::new();
    for (number, shape) in (0..).zip(&scene.shapes) {
        let Some((kept, parameter)) = scene.parameter(&shape.entity, "alpha") else { continue };
        let name = kept.string(parameter.values, 0).unwrap_or_default().to_vec();
        let value = scene.float(&shape.entity, "alpha").unwrap_or(f32::NAN);
        let next = alphas.len() as u32;
        let place = *known.entry((name, value.to_bits())).or_insert(next);
        if place == next {
            match graph.number(&shape.entity, "alpha") {
                Some(TexturePattern::Color([alpha, ..])) => {
                    alphas.push(LookNumber::constant(alpha.clamp(0.0, 1.0)));
                }
                Some(pattern) => alphas.push(LookNumber::of(pattern)),
                None => {
                    known.retain(|_, known| *known != place);
                    continue;
                }
            }
        }
        // One that is all there is none.
        if alphas[place as usize] != LookNumber::constant(1.0) {
            of_shape.insert(number, place);
        }
    }
    (alphas, of_shape)
}
