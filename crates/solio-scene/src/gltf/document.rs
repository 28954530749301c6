//! The parts of the JSON document.

use super::buffer::Geometry;
use crate::export::{CameraView, ExportLight, LightKind, Surface, TransformParts, ViewLens};
use gltf_json as json;
use json::extensions::material::{EmissiveStrength, EmissiveStrengthFactor};
use json::material::{EmissiveFactor, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use json::mesh::{Primitive, Semantic};
use json::scene::UnitQuaternion;
use json::validation::Checked;
use json::{Index, Node};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";
pub(super) const LIGHTS: &str = "KHR_lights_punctual";
pub(super) const TRANSFORM: &str = "KHR_texture_transform";
const EMISSIVE: &str = "KHR_materials_emissive_strength";
const TRANSMISSION: &str = "KHR_materials_transmission";
const INDEX: &str = "KHR_materials_ior";

/// pbrt's near plane.
const NEAR: f32 = 0.01;
/// How far an orthographic camera sees; glTF wants an end.
const FAR: f32 = 1e6;

/// A material; what is more than a colour, a roughness and a picture is in extensions.
pub(super) fn material(surface: Surface, picture: Option<json::texture::Info>) -> json::Material {
    let [r, g, b] = surface.color;
    let finish = surface.finish;
    let mut made = json::Material {
        name: Some(surface.name),
        double_sided: surface.two_sided,
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([r, g, b, finish.opacity]),
            base_color_texture: picture,
            metallic_factor: StrengthFactor(finish.metallic),
            roughness_factor: StrengthFactor(finish.roughness),
            ..PbrMetallicRoughness::default()
        },
        ..json::Material::default()
    };
    if finish.opacity < 1.0 {
        made.alpha_mode = Checked::Valid(json::material::AlphaMode::Blend);
    }
    let mut extensions = json::extensions::material::Material::default();
    if let Some((color, strength)) = surface.emission {
        made.emissive_factor = EmissiveFactor(color);
        extensions.emissive_strength =
            Some(EmissiveStrength { emissive_strength: EmissiveStrengthFactor(strength) });
    }
    if finish.transmission > 0.0 {
        let value = json!({ "transmissionFactor": finish.transmission });
        extensions.others.insert(TRANSMISSION.to_owned(), value);
    }
    if let Some(index) = finish.index {
        extensions.others.insert(INDEX.to_owned(), json!({ "ior": index }));
    }
    let is_used = extensions.emissive_strength.is_some() || !extensions.others.is_empty();
    made.extensions = is_used.then_some(extensions);
    made
}

/// Names the extensions that materials use.
pub(super) fn use_extensions(root: &mut json::Root) {
    let of = |is_used: &dyn Fn(&json::extensions::material::Material) -> bool| {
        root.materials.iter().filter_map(|m| m.extensions.as_ref()).any(is_used)
    };
    let moved = |material: &json::Material| {
        let picture = material.pbr_metallic_roughness.base_color_texture.as_ref();
        picture.is_some_and(|picture| picture.extensions.is_some())
    };
    let used = [
        (EMISSIVE, of(&|e| e.emissive_strength.is_some())),
        (TRANSMISSION, of(&|e| e.others.contains_key(TRANSMISSION))),
        (INDEX, of(&|e| e.others.contains_key(INDEX))),
        (TRANSFORM, root.materials.iter().any(moved)),
    ];
    let used = used.into_iter().filter(|(_, is_used)| *is_used);
    root.extensions_used.extend(used.map(|(name, _)| name.to_owned()));
}

/// A light, of `KHR_lights_punctual`.
pub(super) fn light(light: &ExportLight, name: &str) -> Value {
    let kind = match light.kind {
        LightKind::Distant => "directional",
        LightKind::Point | LightKind::Sky => "point",
        LightKind::Spot { .. } => "spot",
    };
    let (color, strength) = (light.color, light.strength);
    let mut made = json!({ "name": name, "type": kind, "color": color, "intensity": strength });
    if let LightKind::Spot { outer, inner } = light.kind {
        // The extension wants the inner angle to be the smaller one.
        let outer = outer.clamp(1e-4, std::f32::consts::FRAC_PI_2);
        let inner = inner.min(outer * (1.0 - 1e-4));
        made["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    made
}

/// Where the light of this number is.
pub(super) fn light_node(light: &ExportLight, name: &str, number: usize) -> Node {
    let value = json!({ "light": number });
    let others = Map::from_iter([(LIGHTS.to_owned(), value)]);
    let moved = light.position != [0.0; 3];
    let turned = light.rotation != [0.0, 0.0, 0.0, 1.0];
    Node {
        name: Some(name.to_owned()),
        translation: moved.then_some(light.position),
        rotation: turned.then_some(UnitQuaternion(light.rotation.map(|x| x as f32))),
        extensions: Some(json::extensions::scene::Node { others }),
        ..Node::default()
    }
}

pub(super) fn primitive(geometry: &Geometry, material: u32) -> Primitive {
    let mut attributes = BTreeMap::new();
    let mut set = |semantic, accessor: Option<u32>| {
        if let Some(accessor) = accessor {
            attributes.insert(Checked::Valid(semantic), Index::new(accessor));
        }
    };
    set(Semantic::Positions, Some(geometry.positions));
    set(Semantic::Normals, geometry.normals);
    set(Semantic::TexCoords(0), geometry.uvs);
    Primitive {
        attributes,
        extensions: None,
        extras: Default::default(),
        indices: Some(Index::new(geometry.indices)),
        material: Some(Index::new(material)),
        mode: Checked::Valid(json::mesh::Mode::Triangles),
        targets: None,
    }
}

pub(super) fn mesh(name: String, primitives: Vec<Primitive>) -> json::Mesh {
    let extras = Default::default();
    json::Mesh { extensions: None, extras, name: Some(name), primitives, weights: None }
}

/// A node under three rows of four.
pub(super) fn under_matrix(m: &[f32; 12]) -> Node {
    let column = |i: usize, last: f32| [m[i], m[4 + i], m[8 + i], last];
    let columns = [column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0)];
    let mut flat = [0.0; 16];
    flat.copy_from_slice(columns.as_flattened());
    Node { matrix: Some(flat), ..Node::default() }
}

pub(super) fn under_parts(parts: &TransformParts) -> Node {
    Node {
        translation: (parts.translation != [0.0; 3]).then_some(parts.translation),
        rotation: Some(UnitQuaternion(parts.rotation)),
        scale: (parts.scale != [1.0; 3]).then_some(parts.scale),
        ..Node::default()
    }
}

/// What has a node repeat its mesh.
pub(super) fn instancing(
    translations: u32,
    rotations: Option<u32>,
    scales: Option<u32>,
) -> json::extensions::scene::Node {
    let mut attributes = Map::new();
    attributes.insert("TRANSLATION".to_owned(), translations.into());
    if let Some(rotations) = rotations {
        attributes.insert("ROTATION".to_owned(), rotations.into());
    }
    if let Some(scales) = scales {
        attributes.insert("SCALE".to_owned(), scales.into());
    }
    let value: Value = json!({ "attributes": attributes });
    json::extensions::scene::Node { others: Map::from_iter([(INSTANCING.to_owned(), value)]) }
}

pub(super) fn camera(lens: &ViewLens) -> json::Camera {
    use json::camera::{Orthographic, Perspective, Type};
    let (mut perspective, mut orthographic) = (None, None);
    let type_ = match lens {
        ViewLens::Perspective([across, up]) => {
            perspective = Some(Perspective {
                aspect_ratio: Some((across / up) as f32),
                yfov: (2.0 * up.atan()) as f32,
                zfar: None,
                znear: NEAR,
                extensions: None,
                extras: Default::default(),
            });
            Type::Perspective
        }
        ViewLens::Orthographic([across, up]) => {
            orthographic = Some(Orthographic {
                xmag: *across as f32,
                ymag: *up as f32,
                zfar: FAR,
                znear: 0.0,
                extensions: None,
                extras: Default::default(),
            });
            Type::Orthographic
        }
    };
    json::Camera {
        name: Some("camera".to_owned()),
        orthographic,
        perspective,
        type_: Checked::Valid(type_),
        extensions: None,
        extras: Default::default(),
    }
}

/// The node of a camera.
pub(super) fn camera_node(view: &CameraView) -> Node {
    Node {
        camera: Some(Index::new(0)),
        matrix: Some(view.to_world.to_cols_array().map(|x| x as f32)),
        name: Some("camera".to_owned()),
        ..Node::default()
    }
}
