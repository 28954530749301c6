//! The parts of the JSON document.

use super::buffer::Geometry;
use crate::export::TransformParts;
use crate::look::{CameraProjection, LightLook, LightLookKind};
use glam::DMat4;
use gltf_json as json;
use json::mesh::{Primitive, Semantic};
use json::scene::UnitQuaternion;
use json::validation::Checked;
use json::{Index, Node};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(super) const INSTANCING: &str = "EXT_mesh_gpu_instancing";
pub(super) const LIGHTS: &str = "KHR_lights_punctual";

/// pbrt's near plane.
const NEAR: f32 = 0.01;
/// How far an orthographic camera sees; glTF wants an end.
const FAR: f32 = 1e6;

/// A light, of `KHR_lights_punctual`.
pub(super) fn light(light: &LightLook, name: &str) -> Value {
    let (kind, cone) = match light.kind {
        LightLookKind::Distant => ("directional", None),
        LightLookKind::Point | LightLookKind::Sky => ("point", None),
        LightLookKind::Spot { outer, inner } => ("spot", Some([outer, inner])),
        LightLookKind::Projection { fov } => ("spot", Some([fov / 2.0, fov / 2.0])),
    };
    let (color, strength) = (light.color, light.strength);
    let mut made = json!({ "name": name, "type": kind, "color": color, "intensity": strength });
    if let Some([outer, inner]) = cone {
        // The extension wants the inner angle to be the smaller one.
        let outer = outer.clamp(1e-4, std::f32::consts::FRAC_PI_2);
        let inner = inner.min(outer * (1.0 - 1e-4));
        made["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    made
}

/// Where the light of this number is.
pub(super) fn light_node(light: &LightLook, name: &str, number: usize) -> Node {
    let value = json!({ "light": number });
    let others = Map::from_iter([(LIGHTS.to_owned(), value)]);
    let moved = light.position != [0.0; 3];
    let rotation = light.rotation();
    let turned = rotation != [0.0, 0.0, 0.0, 1.0];
    Node {
        name: Some(name.to_owned()),
        translation: moved.then(|| light.position.map(|x| x as f32)),
        rotation: turned.then(|| UnitQuaternion(rotation.map(|x| x as f32))),
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

/// A camera; `None` for one that sees all around.
pub(super) fn camera(projection: &CameraProjection) -> Option<json::Camera> {
    use json::camera::{Orthographic, Perspective, Type};
    let (mut perspective, mut orthographic) = (None, None);
    let type_ = match projection {
        CameraProjection::Spherical { .. } => return None,
        CameraProjection::Perspective([across, up]) => {
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
        CameraProjection::Orthographic([across, up]) => {
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
    Some(json::Camera {
        name: Some("camera".to_owned()),
        orthographic,
        perspective,
        type_: Checked::Valid(type_),
        extensions: None,
        extras: Default::default(),
    })
}

/// The node of a camera.
pub(super) fn camera_node(to_world: &DMat4) -> Node {
    Node {
        camera: Some(Index::new(0)),
        matrix: Some(to_world.to_cols_array().map(|x| x as f32)),
        name: Some("camera".to_owned()),
        ..Node::default()
    }
}
