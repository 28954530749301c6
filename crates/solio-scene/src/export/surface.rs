//! Materials and area lights as one colour or picture with a roughness, for formats whose materials are
//! such.

use super::texture::{SurfacePicture, picture_of};
use crate::preview::{MaterialFinder, TexturePattern, material_colors, refractive_index};
use crate::scene::{Entity, NONE, Scene, Shape};

/// What a surface looks like, in linear light with the primaries of sRGB.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surface {
    /// Its name; the number of the material where it has none.
    pub(crate) name: String,
    /// Its colour; that of a picture is multiplied by it.
    pub(crate) color: [f32; 3],
    /// The picture that gives the colour of each place.
    pub(crate) picture: Option<SurfacePicture>,
    pub(crate) finish: SurfaceFinish,
    /// What it sends out: a colour whose largest part is 1, and how strong it is.
    pub(crate) emission: Option<([f32; 3], f32)>,
    /// Whether it shines to both sides; what does not shine is seen from both.
    pub(crate) two_sided: bool,
}

/// How a surface reflects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfaceFinish {
    /// 1 for metals, else 0.
    pub(crate) metallic: f32,
    /// The root of the width of its microfacets: 0 to 1.
    pub(crate) roughness: f32,
    /// How much goes through: 1 for glass.
    pub(crate) transmission: f32,
    /// The refractive index of what lets light through, or of a coat.
    pub(crate) index: Option<f32>,
    /// How much of the surface is there at all.
    pub(crate) opacity: f32,
}

impl SurfaceFinish {
    /// That of which nothing is known.
    const DULL: SurfaceFinish = SurfaceFinish {
        metallic: 0.0,
        roughness: 1.0,
        transmission: 0.0,
        index: None,
        opacity: 1.0,
    };
}

/// The number of a material, that of an area light, and that of the shape where the light depends on its
/// area; each may be [`NONE`].
pub(crate) type SurfaceKey = [u32; 3];

/// The surfaces of a scene.
pub(crate) struct Surfaces<'s> {
    scene: &'s Scene,
    colors: Vec<[f32; 3]>,
    /// The colours where no picture is taken.
    plain: Vec<[f32; 3]>,
    pictures: Vec<Option<SurfacePicture>>,
    finishes: Vec<SurfaceFinish>,
    /// Textures whose constant part alone counts.
    pub(crate) left_textures: u64,
}

/// Materials within materials.
const MOST_DEEP: usize = 8;
/// Parameters of roughness, the first that are there count: of both directions, along u, along v.
const NAMES: [[&str; 3]; 3] = [
    ["roughness", "uroughness", "vroughness"],
    ["conductor.roughness", "conductor.uroughness", "conductor.vroughness"],
    ["interface.roughness", "interface.uroughness", "interface.vroughness"],
];

impl<'s> Surfaces<'s> {
    pub(crate) fn new(scene: &'s Scene) -> Surfaces<'s> {
        let finder = MaterialFinder::new(scene);
        let finish = |entity| finish(scene, &finder, entity, 0);
        let entities = scene.materials.iter().map(|made| made.entity.as_ref());
        let finishes = entities.clone().map(|entity| entity.map_or(SurfaceFinish::DULL, finish));
        let finishes = finishes.collect();
        let mut colors = material_colors(scene);
        let plain = colors.clone();
        let mut pictures = vec![None; colors.len()];
        for ((entity, color), picture) in entities.zip(&mut colors).zip(&mut pictures) {
            let Some(entity) = entity else { continue };
            if let Some(through) = through(scene, &finder, entity) {
                *color = through;
            } else if let Some(found) =
                finder.base(entity).and_then(|base| picture_of(&finder, &base))
            {
                (*color, *picture) = (found.factor, Some(found));
            }
        }
        let left = scene.textures.iter().filter(|texture| {
            let pattern = finder.texture_pattern(texture);
            let is_constant = matches!(pattern, TexturePattern::Color(_))
                && matches!(scene.class(&texture.entity), b"constant" | b"scale" | b"mix");
            let is_written = texture.is_spectrum && picture_of(&finder, &pattern).is_some();
            !is_constant && !is_written
        });
        let left_textures = left.count() as u64;
        Surfaces { scene, colors, plain, pictures, finishes, left_textures }
    }

    /// What tells the surface of a shape from others. Shapes of objects do not shine.
    pub(crate) fn key(&self, number: u32, is_world: bool) -> SurfaceKey {
        let shape = &self.scene.shapes[number as usize];
        let known =
            |number: u32, count: usize| if (number as usize) < count { number } else { NONE };
        let light = if is_world { shape.area_light } else { NONE };
        let (materials, lights) = (self.scene.materials.len(), self.scene.area_lights.len());
        let light = known(light, lights);
        let has_power = light != NONE && self.power(light).is_some();
        [known(shape.material, materials), light, if has_power { number } else { NONE }]
    }

    /// The picture of a shape's surface, if it has one.
    pub(crate) fn picture(&self, shape: &Shape) -> Option<&SurfacePicture> {
        self.pictures.get(shape.material as usize)?.as_ref()
    }

    /// The colour of a surface whose picture is not taken.
    pub(crate) fn plain_color(&self, [material, ..]: SurfaceKey) -> [f32; 3] {
        self.plain.get(material as usize).copied().unwrap_or([0.5; 3])
    }

    /// The power that an area light is to have.
    fn power(&self, light: u32) -> Option<f32> {
        let entity = &self.scene.area_lights[light as usize];
        self.scene.float(entity, "power").filter(|power| *power > 0.0 && self.scene.version >= 4)
    }

    /// A surface; `area` is that of a light whose strength depends on it: the mean of its parts, each of
    /// which has the power for itself.
    pub(crate) fn of(&self, [material, light, shape]: SurfaceKey, area: Option<f64>) -> Surface {
        let scene = self.scene;
        let mut surface = Surface {
            name: "default".to_owned(),
            color: [0.5; 3],
            picture: None,
            finish: SurfaceFinish::DULL,
            emission: None,
            two_sided: true,
        };
        if let Some(made) = scene.materials.get(material as usize) {
            surface.color = self.colors[material as usize];
            surface.picture = self.pictures[material as usize].clone();
            surface.name = match made.name.is_empty() {
                true => format!("material.{material}"),
                false => String::from_utf8_lossy(&made.name).into_owned(),
            };
            surface.finish = self.finishes[material as usize];
        }
        if light != NONE {
            let entity = &scene.area_lights[light as usize];
            surface.two_sided = scene.bool(entity, "twosided").unwrap_or(false);
            surface.name = format!("{}.light.{light}", surface.name);
            if shape != NONE {
                surface.name = format!("{}.{shape}", surface.name);
            }
            let sides = if surface.two_sided { 2.0 } else { 1.0 };
            let factor = match (self.power(light), area) {
                (Some(power), Some(area)) if area > 0.0 => {
                    f64::from(power) / (std::f64::consts::PI * area * sides)
                }
                _ => 1.0,
            };
            surface.emission = Some(color_and_strength(scene.shine(entity), factor));
        }
        surface
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

/// The colour of what goes through a material that lets light through.
fn through(scene: &Scene, finder: &MaterialFinder<'_>, entity: &Entity) -> Option<[f32; 3]> {
    match scene.class(entity) {
        b"dielectric" | b"thindielectric" => Some([1.0; 3]),
        b"glass" => Some(finder.color(entity, "Kt").unwrap_or([1.0; 3])),
        _ => None,
    }
}

/// How a material reflects: of a mix as its parts do, by their shares.
fn finish(
    scene: &Scene,
    finder: &MaterialFinder<'_>,
    entity: &Entity,
    depth: usize,
) -> SurfaceFinish {
    if scene.class(entity) != b"mix" {
        return own_finish(scene, finder, entity);
    }
    let [first, second] = finder.parts_of_mix(entity).map(|part| match part {
        Some(part) if depth < MOST_DEEP => finish(scene, finder, part, depth + 1),
        _ => SurfaceFinish::DULL,
    });
    let share = finder.share(entity);
    let mixed = |of: fn(&SurfaceFinish) -> f32| (1.0 - share) * of(&first) + share * of(&second);
    SurfaceFinish {
        metallic: mixed(|finish| finish.metallic),
        roughness: mixed(|finish| finish.roughness),
        transmission: mixed(|finish| finish.transmission),
        index: first.index.or(second.index),
        opacity: mixed(|finish| finish.opacity),
    }
}

/// pbrt's `roughness` becomes the width of microfacets, unless it is told not to: by a root in version 4,
/// in version 3 by a polynomial of its logarithm (`TrowbridgeReitzDistribution::RoughnessToAlpha`).
/// Materials of version 3 look at the one along u and v, or the one of both, alone.
fn own_finish(scene: &Scene, finder: &MaterialFinder<'_>, entity: &Entity) -> SurfaceFinish {
    let class = scene.class(entity);
    let (metallic, default) = match class {
        b"conductor" | b"coatedconductor" | b"mirror" => (1.0, 0.0),
        b"metal" => (1.0, 0.01),
        b"dielectric" | b"thindielectric" | b"glass" | b"coateddiffuse" => (0.0, 0.0),
        b"plastic" | b"uber" | b"substrate" => (0.0, 0.1),
        _ => return SurfaceFinish::DULL,
    };
    let opacity = match class {
        b"uber" => finder.color(entity, "opacity").map_or(1.0, |c| c.iter().sum::<f32>() / 3.0),
        _ => 1.0,
    };
    // Without a coat they are dull.
    let is_bare = matches!(class, b"plastic" | b"uber")
        && finder.color(entity, "Ks").is_some_and(|coat| coat == [0.0; 3]);
    if is_bare {
        return SurfaceFinish { opacity, ..SurfaceFinish::DULL };
    }
    let given = NAMES.iter().find_map(|[both, u, v]| {
        // What is said of one direction goes before what is said of both.
        let [both, u, v] = [both, u, v].map(|name| finder.number(entity, name));
        let [both, u, v] = match class {
            b"glass" | b"substrate" => [None, u, v],
            b"plastic" => [both, None, None],
            b"mirror" => [None; 3],
            _ => [both, u, v],
        };
        let [u, v] = [u, v].map(|one| one.or(both));
        (u.is_some() || v.is_some()).then(|| 0.5 * (u.unwrap_or(default) + v.unwrap_or(default)))
    });
    let given = given.unwrap_or(default).max(0.0);
    // Smooth glass and mirrors of version 3 have no microfacets.
    let is_smooth = given == 0.0 && matches!(class, b"glass" | b"mirror");
    let width = match (scene.bool(entity, "remaproughness"), scene.version) {
        (Some(false), _) => given,
        (_, ..4) if !is_smooth => width_of_version_3(given),
        _ => given.sqrt(),
    };
    let (transmission, names) = match class {
        b"dielectric" | b"thindielectric" | b"glass" => (1.0, &["eta", "index"][..]),
        b"coateddiffuse" => (0.0, &["eta"][..]),
        _ => (0.0, &[][..]),
    };
    let index = names.iter().find_map(|name| refractive_index(scene, entity, name));
    // What both versions take where nothing is given.
    let index = (!names.is_empty()).then(|| index.filter(|index| *index >= 1.0).unwrap_or(1.5));
    let roughness = width.sqrt().clamp(0.0, 1.0);
    SurfaceFinish { metallic, roughness, transmission, index, opacity }
}

fn width_of_version_3(roughness: f32) -> f32 {
    let x = roughness.max(1e-3).ln();
    1.62142 + x * (0.819955 + x * (0.1734 + x * (0.0171201 + x * 0.000640711)))
}
