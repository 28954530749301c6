//! The classes of version 3.
//!
//! Source: pbrt-v3, `materials/*.cpp`. Where version 4 has a counterpart, the look is that one's; the coats of
//! `plastic`, `uber` and `substrate` lie over the diffuse part there without catching its light.

use super::classes::{RoughnessNames, set_index, subsurface};
use super::graph::TextureGraph;
use super::metal::metal;
use super::model::{CoatLook, LookClass, LookColor, LookNumber, MaterialLook, SheenLook};
use super::pattern::{TextureCurve, TexturePattern};
use crate::export::LossName;
use crate::scene::Entity;

const ROUGH_DIFFUSE: LossName = [
    "sigma of a matte material: it is plainly diffuse",
    "sigmas of matte materials: they are plainly diffuse",
];
const MIRROR_PART: LossName = [
    "Kr of an uber material: its mirror is left out",
    "Kr of uber materials: their mirrors are left out",
];
const GLOSSY_LEAF: LossName = [
    "Ks of a translucent material: its gloss is left out",
    "Ks of translucent materials: their gloss is left out",
];
const GLASS_COLOR: LossName =
    ["Kr of a glass: it reflects as glass does", "Kr of glasses: they reflect as glass does"];
const FLATNESS: LossName =
    ["flatness or difftrans of a disney material", "flatness or difftrans of disney materials"];

/// `None` for a class that is not one of version 3.
pub(super) fn material(graph: &TextureGraph<'_>, entity: &Entity) -> Option<MaterialLook> {
    let scene = graph.scene;
    let color = |name: &str, default: f32| {
        graph.color(entity, name).unwrap_or(TexturePattern::Color([default; 3]))
    };
    let constant =
        |name: &str, default: f32| graph.constant_color(entity, name).unwrap_or([default; 3]);
    let mut look = MaterialLook::plain("");
    match scene.class(entity) {
        b"matte" => {
            if graph.constant(entity, "sigma").is_some_and(|sigma| sigma > 0.0) {
                graph.tell(ROUGH_DIFFUSE);
            }
            look.set_base(color("Kd", 0.5));
        }
        b"plastic" => {
            let names = RoughnessNames { has_directions: false, ..RoughnessNames::of("", 0.1) };
            coated(graph, entity, &mut look, color("Kd", 0.25), constant("Ks", 0.25), &names);
        }
        b"uber" => {
            let names = RoughnessNames::of("", 0.1);
            set_index(graph, entity, &mut look, &["eta", "index"], 1.5);
            coated(graph, entity, &mut look, color("Kd", 0.25), constant("Ks", 0.25), &names);
            look.opacity = LookNumber::of(color("opacity", 1.0));
            if let Some(through) = graph.constant_color(entity, "Kt") {
                look.transmission = LookNumber::constant(mean(through).clamp(0.0, 1.0));
            }
            if constant("Kr", 0.0) != [0.0; 3] {
                graph.tell(MIRROR_PART);
            }
        }
        b"substrate" => {
            let names = RoughnessNames { both: None, ..RoughnessNames::of("", 0.1) };
            substrate(graph, entity, &mut look, &names);
        }
        b"glass" => {
            look.class = LookClass::Dielectric;
            let names =
                RoughnessNames { both: None, can_be_smooth: true, ..RoughnessNames::of("", 0.0) };
            look.set_roughness(graph, entity, &names);
            set_index(graph, entity, &mut look, &["eta", "index"], 1.5);
            look.specular = 1.0;
            look.transmission = LookNumber::constant(1.0);
            look.set_base(color("Kt", 1.0));
            if constant("Kr", 1.0) != [1.0; 3] {
                graph.tell(GLASS_COLOR);
            }
        }
        b"metal" => {
            look.class = LookClass::Conductor;
            look.metallic = LookNumber::constant(1.0);
            look.set_roughness(graph, entity, &RoughnessNames::of("", 0.01));
            let f0 = metal(scene, entity, "", 1.0);
            look.set_base(TexturePattern::Color(super::graph::within(f0)));
        }
        b"mirror" => {
            look.class = LookClass::Conductor;
            look.metallic = LookNumber::constant(1.0);
            look.set_alphas([0.0; 2]);
            look.set_base(color("Kr", 0.9));
        }
        b"translucent" => {
            look.class = LookClass::DiffuseTransmission;
            let base = color("Kd", 0.25);
            let part = |name: &str| {
                let share = color(name, 0.5);
                TexturePattern::Scale(Box::new([base.clone(), share])).folded()
            };
            let (reflected, through) = (part("reflect"), part("transmit"));
            look.set_base(reflected);
            look.diffuse_transmission = Some(LookColor::of(through));
            if constant("Ks", 0.25) != [0.0; 3] {
                graph.tell(GLOSSY_LEAF);
            }
        }
        b"kdsubsurface" => subsurface(graph, entity, &mut look),
        b"disney" => disney(graph, entity, &mut look),
        _ => return None,
    }
    Some(look)
}

fn mean(color: [f32; 3]) -> f32 {
    color.iter().sum::<f32>() / 3.0
}

/// A diffuse base with a coat over it, which adds `coat` times its reflection.
fn coated(
    graph: &TextureGraph<'_>,
    entity: &Entity,
    look: &mut MaterialLook,
    base: TexturePattern,
    coat: [f32; 3],
    names: &RoughnessNames,
) {
    // Without a coat it is dull.
    if coat != [0.0; 3] {
        look.class = LookClass::CoatedDiffuse;
        look.set_roughness(graph, entity, names);
        let most = coat.iter().fold(0f32, |most, part| most.max(*part));
        look.specular = most.clamp(0.0, 1.0);
        look.specular_color = coat.map(|part| part / most);
    }
    look.set_base(base);
}

/// Ashikhmin and Shirley's blend: Ks is the reflection at normal incidence itself, and takes its part from
/// the diffuse one.
fn substrate(
    graph: &TextureGraph<'_>,
    entity: &Entity,
    look: &mut MaterialLook,
    names: &RoughnessNames,
) {
    let base = graph.color(entity, "Kd").unwrap_or(TexturePattern::Color([0.5; 3]));
    let coat = graph.constant_color(entity, "Ks").unwrap_or([0.5; 3]);
    if coat == [0.0; 3] {
        look.set_base(base);
        return;
    }
    look.class = LookClass::CoatedDiffuse;
    look.set_roughness(graph, entity, names);
    let most = coat.iter().fold(0f32, |most, part| most.max(*part)).clamp(0.0, 0.99);
    // The index that reflects so much.
    look.ior = (1.0 + most.sqrt()) / (1.0 - most.sqrt());
    look.specular = 1.0;
    look.specular_color = coat.map(|part| if most > 0.0 { (part / most).min(1.0) } else { 1.0 });
    look.set_base(base);
}

/// Disney's material, whose parameters are those of the other formats.
fn disney(graph: &TextureGraph<'_>, entity: &Entity, look: &mut MaterialLook) {
    let number = |name: &str, default: f32| {
        graph.number(entity, name).unwrap_or(TexturePattern::Color([default; 3]))
    };
    let constant = |name: &str, default: f32| {
        let value = graph.constant(entity, name).unwrap_or(default);
        if value.is_nan() { default } else { value.clamp(0.0, 1.0) }
    };
    look.class = LookClass::Principled;
    look.set_base(graph.color(entity, "color").unwrap_or(TexturePattern::Color([0.5; 3])));
    look.metallic = LookNumber::of(number("metallic", 0.0));
    // Its roughness is the root of α already.
    look.roughness = LookNumber::of(number("roughness", 0.5));
    let rough = look.roughness.mean().clamp(0.0, 1.0);
    let aspect = (1.0 - 0.9 * constant("anisotropic", 0.0)).sqrt();
    look.alphas = [rough * rough / aspect, rough * rough * aspect].map(|x| x.clamp(0.0, 1.0));
    set_index(graph, entity, look, &["eta"], 1.5);
    look.specular = 1.0;
    look.transmission = LookNumber::of(number("spectrans", 0.0));
    look.is_thin = graph.scene.bool(entity, "thin").unwrap_or(false);
    let base = look.base.mean();
    let luminance = 0.2126 * base[0] + 0.7152 * base[1] + 0.0722 * base[2];
    let tint = |share: f32| {
        base.map(|part| {
            let hue = if luminance > 0.0 { (part / luminance).min(1.0) } else { 1.0 };
            1.0 - share + share * hue
        })
    };
    look.specular_color = tint(constant("speculartint", 0.0));
    let coat = constant("clearcoat", 0.0);
    if coat > 0.0 {
        let alpha = 0.1 + (0.001 - 0.1) * constant("clearcoatgloss", 1.0);
        let roughness = TexturePattern::Color([alpha; 3]).curved(TextureCurve::Root);
        look.coat = Some(CoatLook {
            // A quarter of a lacquer of 1.5, as Disney's paper has it.
            weight: 0.25 * coat,
            roughness: LookNumber::of(roughness),
            ior: 1.5,
        });
    }
    let sheen = constant("sheen", 0.0);
    if sheen > 0.0 {
        let color = tint(constant("sheentint", 0.5)).map(|part| part * sheen);
        look.sheen = Some(SheenLook { color, roughness: 0.5 });
    }
    let has = |name: &str, neutral: f32| {
        graph.constant(entity, name).is_some_and(|value| value != neutral)
    };
    if has("flatness", 0.0) || (look.is_thin && has("difftrans", 0.0)) {
        graph.tell(FLATNESS);
    }
    let scatter = graph.number_color(entity, "scatterdistance").unwrap_or([0.0; 3]);
    if scatter.iter().any(|distance| *distance > 0.0) {
        look.subsurface =
            Some(super::SubsurfaceLook { weight: 1.0, radius: scatter, anisotropy: 0.0 });
    }
}
