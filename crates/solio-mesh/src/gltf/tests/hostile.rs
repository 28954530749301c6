//! Files that are cut off, changed, or lie.

use super::*;

/// A file with a bit of everything.
fn rich() -> Vec<u8> {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&SQUARE);
    let uvs = fixture.floats(&[[0.0, 1.0]; 4]);
    let corners = fixture.indices(&[0, 1, 2, 0, 2, 3]);
    let replaced = fixture.view(&[2]);
    let values = fixture.view(bytemuck::cast_slice(&[1f32, 2., 3.]));
    fixture.accessors[positions]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": replaced, "componentType": 5121 },
        "values": { "bufferView": values },
    });
    let places = fixture.floats(&[[1., 0., 0.], [2., 0., 0.]]);
    let image = fixture.view(b"\x89PNG\r\n\x1a\n");
    let rows = ::meshopt::encode_vertex_buffer(&[[1u32; 4], [2; 4], [3; 4], [4; 4]]).unwrap();
    let at = fixture.bytes.len().next_multiple_of(4);
    let packed = fixture.view(&rows);
    fixture.views[packed] = json!({
        "buffer": 0, "byteLength": 64,
        "extensions": { "EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": at, "byteLength": rows.len(), "byteStride": 16, "count": 4,
            "mode": "ATTRIBUTES",
        } },
    });
    let marks = fixture.accessor(json!({
        "bufferView": packed, "componentType": 5125, "count": 4, "type": "VEC4",
    }));
    let attributes = json!({ "POSITION": positions, "TEXCOORD_0": uvs, "_MARK": marks });
    let instancing =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": places } } });
    fixture.glb(json!({
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1] }, { "mesh": 0, "scale": [-1, 1, 1], "extensions": instancing }],
        "materials": [{
            "name": "wood",
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } },
            "alphaMode": "MASK",
        }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": image, "mimeType": "image/png" }],
        "meshes": [{ "primitives": [
            { "attributes": attributes, "indices": corners, "material": 0 },
            { "attributes": { "POSITION": positions }, "mode": 2 },
        ] }],
    }))
}

#[test]
fn every_prefix_is_refused() {
    let file = rich();
    assert_eq!(read(&file).meshes[0].objects.len(), 2);
    for end in 0..file.len() {
        refused(&file[..end]);
    }
}

#[test]
fn changed_bits_end_with_an_answer() {
    let file = rich();
    let limits = solio_base::Limits { bytes: 1 << 24, ..Default::default() };
    for strict in [false, true] {
        let options = GltfReadOptions { strict, limits, ..GltfReadOptions::default() };
        for at in 0..file.len() {
            for bit in [0, 3, 7] {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                if let Err(error) = read_with(&changed, &options) {
                    assert!(error.offset().is_some(), "{at} {bit}: {error}");
                }
            }
        }
    }
}

#[test]
fn counts_are_not_believed() {
    let with = |change: &dyn Fn(&mut Fixture)| {
        let mut fixture = Fixture::default();
        let positions = fixture.floats(&SQUARE);
        change(&mut fixture);
        fixture.glb(json!({
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
        }))
    };
    let message = |change: &dyn Fn(&mut Fixture)| refused(&with(change));
    for count in [5u64, u64::from(u32::MAX) - 1, u64::MAX] {
        let message = message(&|f| f.accessors[0]["count"] = json!(count));
        assert!(message.contains("elements"), "{message}");
    }
    // Zeros that the file does not have.
    let message_of_zeros = message(&|f| {
        f.accessors[0] = json!({ "componentType": 5126, "count": 1 << 30, "type": "VEC3" });
    });
    assert!(message_of_zeros.contains("bytes of zeros"), "{message_of_zeros}");
    let far = message(&|f| f.accessors[0]["byteOffset"] = json!(u64::MAX - 3));
    assert!(far.contains("in a view of 48 bytes"), "{far}");
    let far = message(&|f| f.views[0]["byteLength"] = json!(u64::MAX));
    assert!(far.contains("of a buffer of 48"), "{far}");
    let narrow = message(&|f| f.views[0]["byteStride"] = json!(4));
    assert!(narrow.contains("every 4 bytes"), "{narrow}");
    let wide = message(&|f| f.views[0]["byteStride"] = json!(u64::MAX / 2));
    assert!(wide.contains("in a view of 48 bytes"), "{wide}");
}

#[test]
fn many_instances_of_a_mesh_are_bounded() {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&[[0.5; 3]; 100]);
    let nodes: Vec<Value> = (0..1000).map(|_| json!({ "mesh": 0 })).collect();
    let all: Vec<u32> = (0..1000).collect();
    let file = fixture.glb(json!({
        "scenes": [{ "nodes": all }], "nodes": nodes,
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "mode": 0 }] }],
    }));
    let limits = solio_base::Limits { bytes: 1 << 20, ..Default::default() };
    let options = GltfReadOptions { limits, ..GltfReadOptions::default() };
    let error = read_with(&file, &options).unwrap_err();
    assert!(error.hint_text().unwrap().contains("--instances keep"), "{error}");
    let keep = GltfReadOptions { keep_instances: true, ..options };
    assert_eq!(read_with(&file, &keep).unwrap().instances.len(), 1000);
}

#[test]
fn what_is_not_read_is_named() {
    let document = |members: Value| {
        let mut root = json!({ "asset": { "version": "2.0" } });
        for (name, value) in members.as_object().unwrap() {
            root[name] = value.clone();
        }
        root.to_string()
    };
    let error = |members: Value| refused(document(members).as_bytes());
    assert!(error(json!({ "extensionsRequired": ["X_y"] })).contains("X_y"));
    assert!(error(json!({ "asset": { "version": "1.0" } })).contains("glTF 1.0"));
    assert!(error(json!({ "asset": {} })).contains("does not say its version"));
    let draco = json!([{ "primitives": [{
        "attributes": { "POSITION": 0 }, "extensions": { "KHR_draco_mesh_compression": {} },
    }] }]);
    let accessors = json!([{ "componentType": 5126, "count": 1, "type": "VEC3" }]);
    let message = error(json!({ "meshes": draco, "accessors": accessors }));
    assert!(message.contains("Draco"), "{message}");
    let text = document(json!({
        "animations": [{}], "cameras": [{}, {}], "skins": [{}],
        "extensions": { "KHR_lights_punctual": { "lights": [{}] } },
    }));
    let scene = read(text.as_bytes());
    assert_eq!(
        scene.warnings,
        ["not read: 1 animation", "not read: 1 skin", "not read: 2 cameras", "not read: 1 light"]
    );
    let strict = GltfReadOptions { strict: true, ..GltfReadOptions::default() };
    let error = read_with(text.as_bytes(), &strict).unwrap_err();
    assert_eq!(error.message(), "not read: 1 animation");
    // The position of what is not JSON.
    let error = read_with(b"{\n  \"asset\": ?}", &strict).unwrap_err();
    assert_eq!((error.line(), error.offset()), (Some(2), Some(13)));
    // No deeper than the parser goes.
    let deep = format!("{{\"extras\":{}", "[".repeat(100_000));
    assert!(read_with(deep.as_bytes(), &strict).is_err());
}
