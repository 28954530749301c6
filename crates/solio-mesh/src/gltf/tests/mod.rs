//! Fixtures are documents made here, so that each test says what its file has.

mod geometry;
mod hostile;
mod materials;
mod nodes;
mod round_trip;
mod splats;

use super::{GltfReadOptions, NoGltfFiles, decode_gltf, glb_head};
use crate::model::{Mesh, Positions, Scene};
use serde_json::{Value, json};
use solio_base::{Result, Work};

/// A buffer under way, with its views and accessors.
#[derive(Default)]
struct Fixture {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Fixture {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        }));
        self.bytes.extend(bytes);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let view = self.view(bytemuck::cast_slice(rows.as_flattened()));
        let shape = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        self.accessor(json!({
            "bufferView": view, "componentType": 5126, "count": rows.len(), "type": shape,
        }))
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(bytemuck::cast_slice(indices));
        self.accessor(json!({
            "bufferView": view, "componentType": 5125, "count": indices.len(), "type": "SCALAR",
        }))
    }

    /// The document with these members, in a `.glb`.
    fn glb(self, members: Value) -> Vec<u8> {
        let mut root = json!({
            "asset": { "version": "2.0" },
            "buffers": [{ "byteLength": self.bytes.len() }],
            "bufferViews": self.views,
            "accessors": self.accessors,
        });
        for (name, value) in members.as_object().unwrap() {
            root[name] = value.clone();
        }
        glb(&root, &self.bytes)
    }
}

fn glb(root: &Value, bytes: &[u8]) -> Vec<u8> {
    let text = root.to_string();
    let room = text.len().next_multiple_of(4);
    let mut file = glb_head(text.as_bytes(), room, Some(bytes.len() as u64)).unwrap();
    file.extend(bytes);
    file.resize(file.len().next_multiple_of(4), 0);
    file
}

fn read_with(bytes: &[u8], options: &GltfReadOptions) -> Result<Scene<'static>> {
    decode_gltf(&bytes, &NoGltfFiles, options, &Work::serial())
}

fn read(bytes: &[u8]) -> Scene<'static> {
    read_with(bytes, &GltfReadOptions::default()).unwrap()
}

/// What is wrong with a file, without its place.
fn refused(bytes: &[u8]) -> String {
    let error = read_with(bytes, &GltfReadOptions::default()).unwrap_err();
    assert!(error.offset().is_some(), "no place: {error}");
    error.message().to_owned()
}

fn floats_of<'m>(mesh: &'m Mesh<'_>) -> &'m [[f32; 3]] {
    match &mesh.positions {
        Positions::F32(positions) => positions,
        Positions::F64(_) => panic!("doubles"),
    }
}

const SQUARE: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];

/// A square with this primitive's mode and indices.
fn square(mode: u32, indices: Option<&[u32]>) -> Vec<u8> {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&SQUARE);
    let mut primitive = json!({ "attributes": { "POSITION": positions }, "mode": mode });
    if let Some(indices) = indices {
        primitive["indices"] = json!(fixture.indices(indices));
    }
    fixture.glb(json!({ "meshes": [{ "primitives": [primitive] }] }))
}
