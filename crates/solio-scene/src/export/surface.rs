//! Materials and area lights as one colour with a roughness, for formats whose materials are such.

use crate::preview::{MaterialFinder, material_colors};
use crate::scene::{Entity, NONE, Scene, Shape};

/// What a surface looks like, in linear light with the primaries of sRGB.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surface {
    /// Its name; the number of the material where it has none.
    pub(crate) name: String,
    pub(crate) color: [f32; 3],
    /// 1 for metals, else 0.
    pub(crate) metallic: f32,
    /// The root of the width of its microfacets: 0 to 1.
    pub(crate) roughness: f32,
    /// What it sends out: a colour whose largest part is 1, and how strong it is.
    pub(crate) emission: Option<([f32; 3], f32)>,
}

/// The number of a material, and that of an area light; both may be [`NONE`].
pub(crate) type SurfaceKey = (u32, u32);

/// The surfaces of a scene.
pub(crate) struct Surfaces<'s> {
    scene: &'s Scene,
    colors: Vec<[f32; 3]>,
    /// How metallic and how rough each material is.
    finishes: Vec<[f32; 2]>,
}

/// Materials within materials.
const MOST_DEEP: usize = 8;
/// Parameters of roughness, the first that are there count: of both directions, along u, along v.
const NAMES: [[&str; 3]; 3] = [
    ["roughness", "uroughness", "vroughness"],
    ["conductor.roughness", "conductor.uroughness", "conductor.vroughness"],
    ["interface.roughness", "interface.uroughness", "interface.vroughness"],
];
/// How metallic and how rough that is of which nothing is known.
const DULL: [f32; 2] = [0.0, 1.0];

impl<'s> Surfaces<'s> {
    pub(crate) fn new(scene: &'s Scene) -> Surfaces<'s> {
        let finder = MaterialFinder::new(scene);
        let finish = |entity| finish(scene, &finder, entity, 0);
        let finishes = scene.materials.iter();
        let finishes = finishes.map(|made| made.entity.as_ref().map_or(DULL, finish)).collect();
        Surfaces { scene, colors: material_colors(scene), finishes }
    }

    /// What tells the surface of a shape from others. Shapes of objects do not shine.
    pub(crate) fn key(&self, shape: &Shape, is_world: bool) -> SurfaceKey {
        let known =
            |number: u32, count: usize| if (number as usize) < count { number } else { NONE };
        let light = if is_world { shape.area_light } else { NONE };
        let (materials, lights) = (self.scene.materials.len(), self.scene.area_lights.len());
        (known(shape.material, materials), known(light, lights))
    }

    pub(crate) fn of(&self, (material, light): SurfaceKey) -> Surface {
        let scene = self.scene;
        let mut surface = Surface {
            name: "default".to_owned(),
            color: [0.5; 3],
            metallic: 0.0,
            roughness: 1.0,
            emission: None,
        };
        if let Some(made) = scene.materials.get(material as usize) {
            surface.color = self.colors[material as usize];
            surface.name = match made.name.is_empty() {
                true => format!("material.{material}"),
                false => String::from_utf8_lossy(&made.name).into_owned(),
            };
            [surface.metallic, surface.roughness] = self.finishes[material as usize];
        }
        if light != NONE {
            surface.name = format!("{}.light.{light}", surface.name);
            surface.emission = Some(self.emission(&scene.area_lights[light as usize]));
        }
        surface
    }

    fn emission(&self, light: &Entity) -> ([f32; 3], f32) {
        let scene = self.scene;
        let color = match scene.light_color(light, "L") {
            Some(color) => color.map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 }),
            None => [1.0; 3],
        };
        let scale = scene.float(light, "scale").filter(|x| x.is_finite()).unwrap_or(1.0).max(0.0);
        let most = color.iter().fold(0f32, |most, x| most.max(*x));
        match most > 0.0 {
            true => (color.map(|x| (x / most).min(1.0)), most * scale),
            false => ([0.0; 3], 0.0),
        }
    }
}

/// How metallic a material is, and how rough: of a mix what its parts are, by their shares.
fn finish(scene: &Scene, finder: &MaterialFinder<'_>, entity: &Entity, depth: usize) -> [f32; 2] {
    if scene.class(entity) != b"mix" {
        return metallic_roughness(scene, finder, entity);
    }
    let [first, second] = finder.parts_of_mix(entity).map(|part| match part {
        Some(part) if depth < MOST_DEEP => finish(scene, finder, part, depth + 1),
        _ => DULL,
    });
    let share = finder.share(entity);
    [0, 1].map(|i| (1.0 - share) * first[i] + share * second[i])
}

/// pbrt's `roughness` becomes a width by a root, unless it is told not to. Materials of version 3 look at
/// the one along u and v, or the one of both, alone.
fn metallic_roughness(scene: &Scene, finder: &MaterialFinder<'_>, entity: &Entity) -> [f32; 2] {
    let (metallic, default) = match scene.class(entity) {
        b"conductor" | b"coatedconductor" | b"mirror" => (1.0, 0.0),
        b"metal" => (1.0, 0.01),
        b"dielectric" | b"thindielectric" | b"glass" | b"coateddiffuse" => (0.0, 0.0),
        b"plastic" | b"uber" | b"substrate" => (0.0, 0.1),
        _ => return DULL,
    };
    let given = NAMES.iter().find_map(|[both, u, v]| {
        // What is said of one direction goes before what is said of both.
        let [both, u, v] = [both, u, v].map(|name| finder.number(entity, name));
        let [both, u, v] = match scene.class(entity) {
            b"glass" | b"substrate" => [None, u, v],
            b"plastic" => [both, None, None],
            b"mirror" => [None; 3],
            _ => [both, u, v],
        };
        let [u, v] = [u, v].map(|one| one.or(both));
        (u.is_some() || v.is_some()).then(|| 0.5 * (u.unwrap_or(default) + v.unwrap_or(default)))
    });
    let given = given.unwrap_or(default).max(0.0);
    let width = match scene.bool(entity, "remaproughness") {
        Some(false) => given,
        _ => given.sqrt(),
    };
    [metallic, width.sqrt().clamp(0.0, 1.0)]
}
