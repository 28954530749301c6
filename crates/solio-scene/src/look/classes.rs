//! The classes of materials, of both versions, as looks.
//!
//! Source: pbrt-v4, `materials.h` and `materials.cpp`; those of version 3 are in [`super::older`].

use super::graph::{GREY, TextureGraph, within};
use super::metal::{metal, refractive_index};
use super::model::{
    CoatLook, LookClass, LookColor, LookNumber, LookTexture, MaterialLook, MixLook, SubsurfaceLook,
    TextureChannel, TextureSource,
};
use super::pattern::{TextureCurve, TextureEncoding, TexturePattern, TextureTransform, Wrap};
use super::{graph, older};
use crate::export::LossName;
use crate::scene::Entity;

/// The refractive index where nothing is given.
const INDEX: f32 = 1.5;
/// Parts of a pattern; of more the mean counts.
const MOST_PARTS: usize = 256;

const LOOP: LossName = [
    "mix that contains itself: its other material counts",
    "mixes that contain themselves: their other materials count",
];
const MISSING: LossName = [
    "material of a mix that is not there: grey counts",
    "materials of mixes that are not there: grey counts",
];
const MEASURED: LossName = [
    "measured material: grey counts where its file cannot be taken along",
    "measured materials: grey counts where their files cannot be taken along",
];
const UNKNOWN: LossName =
    ["material of an unknown class: grey counts", "materials of unknown classes: grey counts"];
const MANY: LossName = [
    "material of very many textures: their means count",
    "materials of very many textures: their means count",
];
const MEDIUM_PRESET: LossName = [
    "named medium below a surface: pbrt's default counts",
    "named media below surfaces: pbrt's default counts",
];

/// All materials of the scene, in its order.
pub(super) fn materials(graph: &TextureGraph<'_>) -> Vec<MaterialLook> {
    let count = graph.scene.materials.len();
    let mut maker = MaterialMaker { graph, made: vec![None; count], is_open: vec![false; count] };
    for number in 0..count {
        // Parts before the mixes of them, without recursion: chains of mixes can be long.
        let mut stack = vec![number];
        while let Some(&next) = stack.last() {
            if maker.made[next].is_some() {
                maker.is_open[next] = false;
                stack.pop();
                continue;
            }
            if !maker.is_open[next] {
                maker.is_open[next] = true;
                let parts = maker.parts(next);
                let wanted = parts.into_iter().flatten().map(|part| part as usize);
                let wanted: Vec<usize> =
                    wanted.filter(|p| maker.made[*p].is_none() && !maker.is_open[*p]).collect();
                if !wanted.is_empty() {
                    stack.extend(wanted);
                    continue;
                }
            }
            let look = maker.material(next);
            maker.made[next] = Some(look);
        }
    }
    let looks = maker.made.into_iter().enumerate();
    looks
        .map(|(i, look)| look.unwrap_or_else(|| MaterialLook::plain(&format!("material.{i}"))))
        .collect()
}

struct MaterialMaker<'g, 's> {
    graph: &'g TextureGraph<'s>,
    made: Vec<Option<MaterialLook>>,
    /// Those that are being made, and wait for their parts.
    is_open: Vec<bool>,
}

impl MaterialMaker<'_, '_> {
    /// The materials of a mix, of which the amount is that of the second; nothing of others.
    fn parts(&self, number: usize) -> [Option<u32>; 2] {
        let scene = self.graph.scene;
        let Some(mix) = &scene.materials[number].entity else { return [None; 2] };
        if scene.class(mix) != b"mix" {
            return [None; 2];
        }
        let names = match scene.parameter(mix, "materials") {
            Some((kept, parameter)) => [0, 1].map(|i| kept.string(parameter.values, i)),
            // In version 3 the amount is that of the first.
            None => ["namedmaterial2", "namedmaterial1"].map(|name| scene.string(mix, name)),
        };
        names.map(|name| self.graph.material(name?))
    }

    fn material(&self, number: usize) -> MaterialLook {
        let made = &self.graph.scene.materials[number];
        let name = match made.name.is_empty() {
            true => format!("material.{number}"),
            false => String::from_utf8_lossy(&made.name).into_owned(),
        };
        let Some(entity) = &made.entity else { return MaterialLook::plain(&name) };
        let mut look = match self.graph.scene.class(entity) {
            b"mix" => self.mix(number, entity),
            _ => material(self.graph, entity),
        };
        look.name = name;
        details(self.graph, entity, &mut look);
        look
    }

    fn mix(&self, number: usize, mix: &Entity) -> MaterialLook {
        let graph = self.graph;
        let parts = self.parts(number);
        let is_loop =
            |part: &Option<u32>| part.is_some_and(|part| self.made[part as usize].is_none());
        let look = |part: &Option<u32>| part.and_then(|part| self.made[part as usize].as_ref());
        // Where one is the border of a medium, of which nothing is seen, the other stands for both; so
        // it is where one is the mix itself, which tends to the other.
        let is_left = |part: &Option<u32>| {
            is_loop(part) || look(part).is_some_and(|look| look.class == LookClass::Interface)
        };
        if parts.iter().any(is_loop) {
            graph.tell(LOOP);
        }
        if parts.contains(&None) {
            graph.tell(MISSING);
        }
        let grey = MaterialLook::plain("");
        let [first, second] = match parts.each_ref().map(is_left) {
            [true, true] if parts.iter().any(is_loop) => return grey,
            [true, true] => {
                return MaterialLook { class: LookClass::Interface, ..grey };
            }
            [false, true] => [parts[0]; 2],
            [true, false] => [parts[1]; 2],
            [false, false] => parts,
        };
        let [a, b] = [&first, &second].map(|part| look(part).unwrap_or(&grey));
        if first == second && first.is_some() {
            return a.clone();
        }
        let amount = match graph.scene.version {
            ..4 => graph.color(mix, "amount"),
            _ => graph.number(mix, "amount"),
        };
        let amount = amount.unwrap_or(TexturePattern::Color([0.5; 3]));
        let amount = match amount {
            TexturePattern::Color(color) => TexturePattern::Color(within(color)),
            pattern => pattern,
        };
        let share = amount.at(None, &[]).iter().sum::<f32>() / 3.0;
        let blend = |a: TexturePattern, b: TexturePattern| {
            let pattern = match a == b {
                true => a,
                false => TexturePattern::Mix(Box::new([a, b, amount.clone()])).folded(),
            };
            let mut count = 0;
            pattern.walk(&mut |_| count += 1);
            if count > MOST_PARTS {
                graph.tell(MANY);
                return TexturePattern::Color(pattern.at(None, &[]));
            }
            pattern
        };
        let color = |of: fn(&MaterialLook) -> &LookColor| {
            LookColor::of(blend(of(a).pattern(), of(b).pattern()))
        };
        let number = |of: fn(&MaterialLook) -> &LookNumber| {
            LookNumber::of(blend(of(a).pattern(), of(b).pattern()))
        };
        let mixed = |a: f32, b: f32| (1.0 - share) * a + share * b;
        let index = |look: &MaterialLook| look.specular > 0.0 || look.transmission.mean() > 0.0;
        let with_index = if index(a) { a } else { b };
        MaterialLook {
            class: LookClass::Mix,
            base: color(|look| &look.base),
            linear_base: color(|look| &look.linear_base),
            metallic: number(|look| &look.metallic),
            roughness: number(|look| &look.roughness),
            alphas: [0, 1].map(|i| mixed(a.alphas[i], b.alphas[i])),
            transmission: number(|look| &look.transmission),
            ior: with_index.ior,
            dispersion: with_index.dispersion,
            is_thin: a.is_thin || b.is_thin,
            specular: mixed(a.specular, b.specular),
            specular_color: [0, 1, 2].map(|i| mixed(a.specular_color[i], b.specular_color[i])),
            coat: a.coat.clone().or_else(|| b.coat.clone()).map(|coat| {
                let weight = |look: &MaterialLook| look.coat.as_ref().map_or(0.0, |c| c.weight);
                CoatLook { weight: mixed(weight(a), weight(b)), ..coat }
            }),
            sheen: a.sheen.clone().or_else(|| b.sheen.clone()),
            subsurface: a.subsurface.clone().or_else(|| b.subsurface.clone()).map(|below| {
                let weight =
                    |look: &MaterialLook| look.subsurface.as_ref().map_or(0.0, |s| s.weight);
                SubsurfaceLook { weight: mixed(weight(a), weight(b)), ..below }
            }),
            diffuse_transmission: match (&a.diffuse_transmission, &b.diffuse_transmission) {
                (None, None) => None,
                (a, b) => {
                    let of = |color: &Option<LookColor>| {
                        color.as_ref().map_or(TexturePattern::Color([0.0; 3]), LookColor::pattern)
                    };
                    Some(LookColor::of(blend(of(a), of(b))))
                }
            },
            opacity: number(|look| &look.opacity),
            mix: match (first, second) {
                (Some(first), Some(second)) => {
                    let amount = LookNumber::of(amount.clone());
                    Some(MixLook { parts: [first, second], amount })
                }
                _ => None,
            },
            ..grey
        }
    }
}

/// Bumps and normals.
fn details(graph: &TextureGraph<'_>, entity: &Entity, look: &mut MaterialLook) {
    let bump = ["displacement", "bumpmap"].iter().find_map(|name| graph.number(entity, name));
    let is_even = |pattern: &TexturePattern| matches!(pattern, TexturePattern::Color(_));
    if let Some(bump) = bump.filter(|pattern| !is_even(pattern)) {
        look.bump = Some(LookNumber::of(bump));
    }
    let map = graph.scene.string(entity, "normalmap").filter(|name| !name.is_empty());
    if let Some(name) = map {
        let number = graph.named(name, TextureEncoding::Linear, false, entity);
        let transform = TextureTransform::IDENTITY;
        let pattern = TexturePattern::Picture {
            number,
            mapping: Some(transform),
            wrap: Wrap::Repeat,
            scale: 1.0,
            invert: false,
            is_plain: true,
        };
        look.normal_map = Some(Box::new(LookTexture {
            source: TextureSource::Picture(number as u32),
            transform,
            wrap: Wrap::Repeat,
            channel: TextureChannel::Color,
            pattern,
        }));
    }
}

/// A material that is not mixed of others.
fn material(graph: &TextureGraph<'_>, entity: &Entity) -> MaterialLook {
    let scene = graph.scene;
    let color = |name: &str, default: f32| {
        graph.color(entity, name).unwrap_or(TexturePattern::Color([default; 3]))
    };
    let mut look = MaterialLook::plain("");
    match scene.class(entity) {
        b"diffuse" => look.set_base(color("reflectance", 0.5)),
        b"coateddiffuse" => {
            look.class = LookClass::CoatedDiffuse;
            look.set_roughness(graph, entity, &RoughnessNames::of("", 0.0));
            set_index(graph, entity, &mut look, &["eta"], INDEX);
            look.specular = 1.0;
            look.set_base_under_coat(color("reflectance", 0.5));
        }
        b"conductor" => {
            look.class = LookClass::Conductor;
            look.metallic = LookNumber::constant(1.0);
            look.set_roughness(graph, entity, &RoughnessNames::of("", 0.0));
            look.set_base(conductor(graph, entity, "", 1.0));
        }
        b"coatedconductor" => {
            look.class = LookClass::CoatedConductor;
            look.metallic = LookNumber::constant(1.0);
            let mut coat = MaterialLook::plain("");
            coat.set_roughness(graph, entity, &RoughnessNames::of("interface.", 0.0));
            set_index(graph, entity, &mut coat, &["interface.eta"], INDEX);
            look.ior = coat.ior;
            let (roughness, ior) = (coat.roughness, coat.ior);
            look.coat = Some(CoatLook { weight: 1.0, roughness, ior });
            look.set_roughness(graph, entity, &RoughnessNames::of("conductor.", 0.0));
            look.set_base(conductor(graph, entity, "conductor.", ior));
        }
        b"dielectric" | b"thindielectric" => {
            look.is_thin = scene.class(entity) == b"thindielectric";
            look.class =
                if look.is_thin { LookClass::ThinDielectric } else { LookClass::Dielectric };
            let names = RoughnessNames::of("", 0.0);
            match look.is_thin {
                true => look.set_alphas([0.0; 2]),
                false => look.set_roughness(graph, entity, &names),
            }
            set_index(graph, entity, &mut look, &["eta"], INDEX);
            look.specular = 1.0;
            look.transmission = LookNumber::constant(1.0);
            look.set_base(TexturePattern::Color([1.0; 3]));
        }
        b"diffusetransmission" => {
            look.class = LookClass::DiffuseTransmission;
            let scale = [scene.float(entity, "scale").unwrap_or(1.0).clamp(0.0, 1.0); 3];
            look.set_base(color("reflectance", 0.25).scaled(scale));
            let through = color("transmittance", 0.25).scaled(scale);
            look.diffuse_transmission = Some(LookColor::of(through));
        }
        b"subsurface" => subsurface(graph, entity, &mut look),
        b"hair" => hair(graph, entity, &mut look),
        b"measured" | b"fourier" => {
            look.class = LookClass::Measured;
            let file = scene.string(entity, "filename").filter(|_| scene.version >= 4);
            look.measured = file.map(<[u8]>::to_vec);
            graph.tell(MEASURED);
        }
        b"interface" | b"none" | b"" => look.class = LookClass::Interface,
        _ => match older::material(graph, entity) {
            Some(made) => look = made,
            None => {
                graph.tell(UNKNOWN);
                // What colours are called everywhere.
                let names = ["reflectance", "albedo", "color", "Kd", "Kr"];
                let found = names.iter().find_map(|name| graph.color(entity, name));
                look.set_base(found.unwrap_or(TexturePattern::Color(GREY)));
            }
        },
    }
    look
}

/// A metal: by a colour or a texture, else by its optical constants.
fn conductor(graph: &TextureGraph<'_>, entity: &Entity, prefix: &str, coat: f32) -> TexturePattern {
    match graph.color(entity, "reflectance") {
        Some(pattern) if coat == 1.0 => pattern,
        Some(pattern) => pattern.curved(TextureCurve::MetalUnderCoat { ior: coat }),
        None => TexturePattern::Color(within(metal(graph.scene, entity, prefix, coat))),
    }
}

/// The refractive index, which a look has where it is at least 1.
pub(super) fn set_index(
    graph: &TextureGraph<'_>,
    entity: &Entity,
    look: &mut MaterialLook,
    names: &[&str],
    default: f32,
) {
    let found = refractive_index(graph.scene, entity, names);
    let found = found.or_else(|| {
        let of = |name: &&str| graph.constant(entity, name).map(|index| (index, 0.0));
        names.iter().find_map(of)
    });
    let (index, dispersion) =
        found.filter(|(index, _)| *index >= 1.0 && index.is_finite()).unwrap_or((default, 0.0));
    (look.ior, look.dispersion) = (index, dispersion);
}

/// What light does below a surface: by its albedo, or by coefficients.
pub(super) fn subsurface(graph: &TextureGraph<'_>, entity: &Entity, look: &mut MaterialLook) {
    let scene = graph.scene;
    look.class = LookClass::Subsurface;
    let names = RoughnessNames {
        both: (scene.version >= 4).then_some("roughness"),
        ..RoughnessNames::of("", 0.0)
    };
    look.set_roughness(graph, entity, &names);
    set_index(graph, entity, look, &["eta"], 1.33);
    look.specular = 1.0;
    let scale = scene.float(entity, "scale").unwrap_or(1.0);
    let raw = |name: &str| graph.number_color(entity, name);
    let albedo = graph.color(entity, "reflectance").or_else(|| graph.color(entity, "Kd"));
    let is_kd = scene.class(entity) == b"kdsubsurface";
    let (base, radius) = if albedo.is_some() || is_kd {
        let free = raw("mfp").unwrap_or([1.0; 3]);
        (albedo.unwrap_or(TexturePattern::Color(GREY)), free.map(|x| x * scale))
    } else {
        if scene.string(entity, "name").is_some_and(|name| !name.is_empty())
            && raw("sigma_s").is_none()
        {
            graph.tell(MEDIUM_PRESET);
        }
        // Those of pbrt, in millimetres.
        let absorbs = raw("sigma_a").unwrap_or([0.0011, 0.0024, 0.014]);
        let scatters = raw("sigma_s").unwrap_or([2.55, 3.21, 3.77]);
        let g = scene.float(entity, "g").unwrap_or(0.0).clamp(-0.99, 0.99);
        let albedo = [0, 1, 2].map(|i| {
            let reduced = scatters[i] * (1.0 - g);
            // Kulla and Conty, *Revisiting Physically Based Shading at Imageworks* (2017).
            let s = (1.0 - reduced / (reduced + absorbs[i])).max(0.0).sqrt();
            (1.0 - s) * (1.0 - 0.139 * s) / (1.0 + 1.17 * s)
        });
        let free = [0, 1, 2].map(|i| 1.0 / (scale * (absorbs[i] + scatters[i])));
        (TexturePattern::Color(within(albedo)), free)
    };
    let radius = radius.map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 });
    let anisotropy = scene.float(entity, "g").unwrap_or(0.0).clamp(-1.0, 1.0);
    look.subsurface = Some(SubsurfaceLook { weight: 1.0, radius, anisotropy });
    look.set_base(base);
}

/// Hair: by its colour, or by what it absorbs.
fn hair(graph: &TextureGraph<'_>, entity: &Entity, look: &mut MaterialLook) {
    look.class = LookClass::Hair;
    look.ior = 1.55;
    let width = graph.constant(entity, "beta_m").unwrap_or(0.3).clamp(0.0, 1.0);
    look.set_alphas([width; 2]);
    let color = graph.color(entity, "reflectance").or_else(|| graph.color(entity, "color"));
    let absorbed = graph.number_color(entity, "sigma_a").or_else(|| {
        let of = |name: &str| graph.constant(entity, name);
        let (dark, red) = match (of("eumelanin"), of("pheomelanin")) {
            (None, None) => (1.3, 0.0),
            (dark, red) => (dark.unwrap_or(0.0).max(0.0), red.unwrap_or(0.0).max(0.0)),
        };
        let parts = [[0.419, 0.697, 1.37], [0.187, 0.4, 1.05]];
        Some([0, 1, 2].map(|i| dark * parts[0][i] + red * parts[1][i]))
    });
    // The inverse of pbrt's `SigmaAFromReflectance` (Chiang and others, 2016).
    let beta = graph.constant(entity, "beta_n").unwrap_or(0.3);
    let powers = [5.969, -0.215, 2.532, -10.73, 5.574, 0.245];
    let divisor = powers.iter().rev().fold(0.0, |sum, part| sum * beta + part);
    let of_absorbed = |sigma: f32| (-sigma.max(0.0).sqrt() * divisor).exp();
    look.set_base(color.unwrap_or_else(|| {
        TexturePattern::Color(within(absorbed.unwrap_or([1.0; 3]).map(of_absorbed)))
    }));
}

/// What the parameters of roughness are called.
pub(super) struct RoughnessNames {
    pub(super) prefix: &'static str,
    pub(super) both: Option<&'static str>,
    pub(super) has_directions: bool,
    pub(super) default: f32,
    /// Whether 0 is smooth in version 3, without microfacets.
    pub(super) can_be_smooth: bool,
}

impl RoughnessNames {
    pub(super) fn of(prefix: &'static str, default: f32) -> RoughnessNames {
        RoughnessNames {
            prefix,
            both: Some("roughness"),
            has_directions: true,
            default,
            can_be_smooth: false,
        }
    }
}

impl MaterialLook {
    pub(super) fn set_base(&mut self, base: TexturePattern) {
        self.base = LookColor::of(base);
        self.linear_base = self.base.clone();
    }

    /// A base below the coat that the look has by its index and roughness, where light is caught.
    pub(super) fn set_base_under_coat(&mut self, base: TexturePattern) {
        let alpha = 0.5 * (self.alphas[0] + self.alphas[1]);
        let curve = TextureCurve::UnderCoat { alpha, ior: self.ior };
        self.base = LookColor::of(base.clone());
        self.linear_base = LookColor::of(base.curved(curve));
    }

    pub(super) fn set_alphas(&mut self, alphas: [f32; 2]) {
        let alphas = alphas.map(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) });
        self.alphas = alphas;
        let mean = (0.5 * (alphas[0] + alphas[1])).clamp(0.0, 1.0);
        self.roughness = LookNumber::constant(mean.sqrt());
    }

    /// pbrt's `roughness` becomes α, unless it is told not to: by a root in version 4, in version 3 by a
    /// polynomial of its logarithm.
    pub(super) fn set_roughness(
        &mut self,
        graph: &TextureGraph<'_>,
        entity: &Entity,
        names: &RoughnessNames,
    ) {
        let scene = graph.scene;
        let of = |name: &str| graph.number(entity, &format!("{}{name}", names.prefix));
        // What is said of one direction goes before what is said of both.
        let both = names.both.and_then(of);
        let directions = ["uroughness", "vroughness"];
        let [u, v] = directions.map(|name| names.has_directions.then(|| of(name)).flatten());
        let default = || TexturePattern::Color([names.default; 3]);
        let [u, v] = [u, v].map(|one| one.or_else(|| both.clone()).unwrap_or_else(default));
        let value = |pattern: &TexturePattern| {
            let value = pattern.at(None, &[])[0];
            if value.is_nan() { 0.0 } else { value.max(0.0) }
        };
        let [a, b] = [value(&u), value(&v)];
        let is_remapped = scene.bool(entity, "remaproughness").unwrap_or(true);
        let is_smooth = names.can_be_smooth && a == 0.0 && b == 0.0;
        let (alpha, curve): (fn(f32) -> f32, _) = match (is_remapped, scene.version) {
            (false, _) => (|given| given, TextureCurve::Root),
            (true, ..4) if !is_smooth => (graph::alpha_of_version_3, TextureCurve::OlderRoughness),
            (true, _) => (f32::sqrt, TextureCurve::Roughness),
        };
        let alpha = |given: f32| alpha(given).clamp(0.0, 1.0);
        self.alphas = [alpha(a), alpha(b)];
        self.roughness = match (u, v) {
            (TexturePattern::Color(_), TexturePattern::Color(_)) => {
                LookNumber::constant(alpha(0.5 * (a + b)).sqrt())
            }
            (u, v) if u == v => LookNumber::of(u.curved(curve)),
            (u, v) => {
                let half = TexturePattern::Color([0.5; 3]);
                LookNumber::of(TexturePattern::Mix(Box::new([u, v, half])).curved(curve))
            }
        };
    }
}
