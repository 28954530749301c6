//! Nodes, their transforms, and other files.

use super::*;
use crate::gltf::GltfFiles;
use solio_base::{Error, Source};

/// A square in a document with these nodes; the scene starts with node 0.
fn drawn(nodes: Value) -> Vec<u8> {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&SQUARE[..3]);
    let normals = fixture.floats(&[[0., 0., 1.]; 3]);
    let attributes = json!({ "POSITION": positions, "NORMAL": normals });
    fixture.glb(json!({
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "meshes": [{ "name": "m", "primitives": [{ "attributes": attributes }] }],
    }))
}

#[test]
fn transforms_are_applied_from_the_inside_out() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let scene = read(&drawn(json!([
        { "translation": [10, 0, 0], "children": [1] },
        // A quarter turn about z.
        { "rotation": [0, 0, half, half], "scale": [2, 2, 2], "mesh": 0, "name": "n" },
    ])));
    let mesh = &scene.meshes[0];
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let places = floats_of(mesh);
    assert!(near(places[1], [10., 2., 0.]) && near(places[2], [8., 2., 0.]), "{places:?}");
    assert_eq!((&*mesh.objects[0].name, &*mesh.objects[0].mesh_name), ("n", "m"));
    assert_eq!(mesh.normals.as_ref().unwrap().values[0], [0., 0., 1.]);
    // Column by column.
    let matrix = [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 5, 1];
    let scene = read(&drawn(json!([{ "matrix": matrix, "mesh": 0 }])));
    assert_eq!(floats_of(&scene.meshes[0])[1], [0., 0., 4.]);
    assert_eq!(scene.meshes[0].normals.as_ref().unwrap().values[0], [1., 0., 0.]);
}

#[test]
fn mirrors_turn_faces_round() {
    let scene = read(&drawn(json!([{ "scale": [-1, 1, 1], "mesh": 0 }])));
    let mesh = &scene.meshes[0];
    assert_eq!(*mesh.corner_vertices, [0, 2, 1]);
    assert_eq!(mesh.normals.as_ref().unwrap().values[0], [0., 0., 1.]);
    // Not even one of two mirrors does.
    let scene = read(&drawn(json!([{ "scale": [-1, -1, 1], "mesh": 0 }])));
    assert_eq!(*scene.meshes[0].corner_vertices, [0, 1, 2]);
}

#[test]
fn far_away_positions_become_doubles() {
    let scene = read(&drawn(json!([{ "translation": [4_500_000.5, 0, 0], "mesh": 0 }])));
    assert_eq!(scene.meshes[0].positions.get(1), [4_500_001.5, 0., 0.]);
    assert!(matches!(scene.meshes[0].positions, Positions::F64(_)));
}

#[test]
fn cycles_and_depth_end() {
    for nodes in [
        json!([{ "children": [0] }]),
        json!([{ "children": [1, 1] }, { "mesh": 0 }]),
        json!([{ "children": [1] }, { "children": [2] }, { "children": [1] }]),
    ] {
        assert!(refused(&drawn(nodes)).contains("two parents"));
    }
    assert!(refused(&drawn(json!([{ "children": [9] }]))).contains("node 9 of 1"));
    assert!(refused(&drawn(json!([{ "mesh": 1 }]))).contains("mesh 1 of 1"));
    let deep = 100_000;
    let mut nodes: Vec<Value> =
        (1..deep).map(|i| json!({ "children": [i], "translation": [0, 1, 0] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    let scene = read(&drawn(json!(nodes)));
    assert_eq!(scene.meshes[0].positions.get(0), [0., f64::from(deep - 1), 0.]);
}

#[test]
fn instances_are_written_out_or_kept() {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&SQUARE[..3]);
    let places = fixture.floats(&[[5., 0., 0.], [7., 0., 0.]]);
    let turns = fixture.view(&[0, 0, 0, 127, 0, 0, 127, 0]);
    let turns = fixture.accessor(json!({
        "bufferView": turns, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC4",
    }));
    let attributes = json!({ "TRANSLATION": places, "ROTATION": turns });
    let instancing = json!({ "EXT_mesh_gpu_instancing": { "attributes": attributes } });
    let file = fixture.glb(json!({
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "mesh": 0, "name": "leaf", "translation": [0, 1, 0], "extensions": instancing },
            { "mesh": 0, "name": "one" },
            { "mesh": 0, "name": "hidden" },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
    }));
    let scene = read(&file);
    let mesh = &scene.meshes[0];
    let names: Vec<_> =
        mesh.objects.iter().map(|o| (&*o.name, o.vertices_end, o.faces_end)).collect();
    assert_eq!(names, [("leaf.0", 3, 1), ("leaf.1", 6, 2), ("one", 9, 3)]);
    assert_eq!(floats_of(mesh)[1], [6., 1., 0.]);
    // Half a turn about z.
    assert_eq!(floats_of(mesh)[4], [6., 1., 0.]);
    assert_eq!(floats_of(mesh)[7], [1., 0., 0.]);
    assert_eq!(*mesh.corner_vertices, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(scene.warnings, ["not read: 1 node with a mesh that the scene does not draw"]);
    let keep = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
    let mut kept = read_with(&file, &keep).unwrap();
    assert_eq!((kept.meshes.len(), kept.instances.len()), (1, 3));
    assert_eq!(kept.instances[0].matrix[0][3], 5.0);
    kept.write_out_instances().unwrap();
    assert_eq!(kept.meshes, scene.meshes);
}

/// Files by name.
struct Named(&'static str, Vec<u8>);

impl GltfFiles for Named {
    fn open(&self, name: &str) -> Result<Box<dyn Source>> {
        match name == self.0 {
            true => Ok(Box::new(self.1.clone())),
            false => Err(Error::argument(format!("no {name}"))),
        }
    }
}

#[test]
fn buffers_of_other_files_and_of_references_are_read() {
    use base64::Engine;
    let bytes: Vec<u8> = bytemuck::cast_slice(SQUARE.as_flattened()).to_vec();
    let document = |uri: &str| {
        json!({
            "asset": { "version": "2.0" },
            "buffers": [{ "byteLength": bytes.len(), "uri": uri }],
            "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        })
        .to_string()
    };
    let read = |uri: &str, outside_files: bool, file: &Named| {
        let options = GltfReadOptions { outside_files, ..GltfReadOptions::default() };
        let text = document(uri);
        decode_gltf(&text.as_bytes(), file, &options, &Work::serial())
    };
    let below = Named("a b/c.bin", bytes.clone());
    let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let data = format!("data:application/octet-stream;base64,{text}");
    for uri in ["a%20b/c.bin", "./../x", &data] {
        let read = read(uri, false, &below);
        match uri {
            "./../x" => assert!(read.unwrap_err().message().contains("leads out of the folder")),
            _ => assert_eq!(floats_of(&read.unwrap().meshes[0]), SQUARE),
        }
    }
    let outside = Named("../x", bytes.clone());
    assert!(read("../x", true, &outside).is_ok());
    let short = Named("a", bytes[..20].to_vec());
    assert!(read("a", false, &short).unwrap_err().message().contains("20 of its 48 bytes"));
    assert!(read("http://a/b", true, &short).unwrap_err().message().contains("is an address"));
}
