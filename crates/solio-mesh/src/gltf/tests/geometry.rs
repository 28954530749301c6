//! Accessors and primitives.

use super::*;
use crate::model::{ColorSpace, Domain, NONE, Values};

#[test]
fn all_modes_are_read() {
    let faces = |mode, indices: Option<&[u32]>| {
        let scene = read(&square(mode, indices));
        scene.meshes[0].corner_vertices.to_vec()
    };
    assert_eq!(faces(4, Some(&[0, 1, 2, 0, 2, 3])), [0, 1, 2, 0, 2, 3]);
    assert_eq!(faces(4, None), [0, 1, 2]);
    assert_eq!(faces(5, Some(&[0, 1, 3, 2])), [0, 1, 3, 1, 2, 3]);
    // Two strips joined by triangles without an area.
    assert_eq!(faces(5, Some(&[0, 1, 2, 2, 1, 1, 2, 3])), [0, 1, 2, 1, 3, 2]);
    assert_eq!(faces(6, None), [1, 2, 0, 2, 3, 0]);
    let lines = |mode, indices: Option<&[u32]>| {
        let mesh = read(&square(mode, indices)).meshes.remove(0);
        (mesh.line_offsets.to_vec(), mesh.line_vertices.to_vec())
    };
    assert_eq!(lines(1, None), (vec![0, 2, 4], vec![0, 1, 2, 3]));
    assert_eq!(lines(2, None), (vec![0, 5], vec![0, 1, 2, 3, 0]));
    assert_eq!(lines(3, Some(&[3, 1])), (vec![0, 2], vec![3, 1]));
    assert_eq!(*read(&square(0, Some(&[2, 0]))).meshes[0].points, [2, 0]);
    // A cloud: vertices alone.
    assert!(read(&square(0, None)).meshes[0].points.is_empty());
    assert!(refused(&square(7, None)).contains("the mode 7"));
    assert!(refused(&square(4, Some(&[0, 1, 4]))).contains("vertex 4 of 4"));
    // The whole of the last triangle is not there.
    assert_eq!(read(&square(4, Some(&[0, 1, 2, 3]))).warnings.len(), 1);
}

#[test]
fn quantised_and_interleaved_accessors_are_read() {
    let mut fixture = Fixture::default();
    // Rows of 12 bytes: i16 × 3, two unused, u8 × 2, two unused.
    let mut rows = Vec::new();
    for (i, p) in [[0i16, 0, 0], [32767, -32767, 0], [0, 16384, -32768]].iter().enumerate() {
        p.iter().for_each(|x| rows.extend(x.to_le_bytes()));
        rows.extend([9, 9, i as u8 * 51, 255, 9, 9]);
    }
    let view = fixture.view(&rows[..rows.len() - 2]);
    fixture.views[view]["byteStride"] = json!(12);
    let positions = fixture.accessor(json!({
        "bufferView": view, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3",
    }));
    let uvs = fixture.accessor(json!({
        "bufferView": view, "byteOffset": 8, "componentType": 5121, "normalized": true, "count": 3,
        "type": "VEC2",
    }));
    let colors = fixture.view(&[0, 128, 255, 255, 0, 0, 51, 51, 51, 0, 0, 0]);
    let colors = fixture.accessor(json!({
        "bufferView": colors, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4",
    }));
    let attributes = json!({ "POSITION": positions, "TEXCOORD_0": uvs, "COLOR_0": colors });
    let file = fixture.glb(json!({
        "extensionsRequired": ["KHR_mesh_quantization"],
        "meshes": [{ "primitives": [{ "attributes": attributes }] }],
    }));
    let mesh = read(&file).meshes.remove(0);
    let half = 16384.0 / 32767.0;
    assert_eq!(floats_of(&mesh), [[0., 0., 0.], [1., -1., 0.], [0., half, -1.]]);
    let uvs = mesh.uvs.unwrap();
    assert_eq!((&*uvs.values, uvs.domain), (&[[0., 0.], [0.2, 0.], [0.4, 0.]][..], Domain::Vertex));
    let colors = mesh.colors.unwrap();
    assert_eq!(colors.space, ColorSpace::Linear);
    assert_eq!(colors.values[0], [0., 128. / 255., 1., 1.]);
}

#[test]
fn sparse_values_replace_some() {
    let file = |index: u8, base: bool| {
        let mut fixture = Fixture::default();
        let all = fixture.view(bytemuck::cast_slice(SQUARE.as_flattened()));
        let indices = fixture.view(&[1, index]);
        let values = fixture.view(bytemuck::cast_slice(&[5f32, 6., 7., 8., 9., 10.]));
        let mut accessor = json!({
            "componentType": 5126, "count": 4, "type": "VEC3",
            "sparse": {
                "count": 2,
                "indices": { "bufferView": indices, "componentType": 5121 },
                "values": { "bufferView": values },
            },
        });
        if base {
            accessor["bufferView"] = json!(all);
        }
        let positions = fixture.accessor(accessor);
        fixture.glb(json!({
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions } }] }],
        }))
    };
    let all = read(&file(3, true));
    assert_eq!(floats_of(&all.meshes[0]), [SQUARE[0], [5., 6., 7.], SQUARE[2], [8., 9., 10.]]);
    let zeros = read(&file(2, false));
    assert_eq!(floats_of(&zeros.meshes[0])[..3], [[0.; 3], [5., 6., 7.], [8., 9., 10.]]);
    assert!(refused(&file(4, true)).contains("sparse index 4 of 4"));
}

#[test]
fn views_in_meshoptimizers_code_are_unpacked() {
    let indices: Vec<u32> = vec![0, 1, 2, 2, 1, 3];
    let rows: Vec<[f32; 3]> = (0..4).map(|i| [i as f32, (i * i) as f32, 0.5]).collect();
    let vertex_code = ::meshopt::encode_vertex_buffer(&rows).unwrap();
    let index_code = ::meshopt::encode_index_buffer(&indices, 4).unwrap();
    let file = |damage: usize| {
        let mut fixture = Fixture::default();
        let (mut at, mut views) = (Vec::new(), Vec::new());
        for code in [&vertex_code, &index_code] {
            at.push((fixture.bytes.len().next_multiple_of(4), code.len()));
            fixture.view(code);
        }
        fixture.bytes[damage] ^= 0x55;
        for ((offset, length), (count, stride, mode)) in
            at.iter().zip([(4, 12, "ATTRIBUTES"), (6, 4, "TRIANGLES")])
        {
            let packed = json!({
                "buffer": 0, "byteOffset": offset, "byteLength": length, "byteStride": stride,
                "count": count, "mode": mode,
            });
            views.push(json!({
                "buffer": 1, "byteLength": stride * count,
                "extensions": { "EXT_meshopt_compression": packed },
            }));
        }
        fixture.views = views;
        let positions = fixture.accessor(json!({
            "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
        }));
        let corners = fixture.accessor(json!({
            "bufferView": 1, "componentType": 5125, "count": 6, "type": "SCALAR",
        }));
        let primitive = json!({ "attributes": { "POSITION": positions }, "indices": corners });
        let buffers = json!([{ "byteLength": fixture.bytes.len() }, { "byteLength": 72 }]);
        fixture.glb(json!({
            "buffers": buffers,
            "extensionsRequired": ["EXT_meshopt_compression"],
            "meshes": [{ "primitives": [primitive] }],
        }))
    };
    let all = vertex_code.len();
    // An unused byte between the codes: nothing is damaged.
    let spare = all.next_multiple_of(4) - 1;
    if spare >= all {
        let mesh = read(&file(spare)).meshes.remove(0);
        assert_eq!(floats_of(&mesh), rows);
        // The code may turn a triangle, whose order stays.
        let turns = |t: &[u32]| [[t[0], t[1], t[2]], [t[1], t[2], t[0]], [t[2], t[0], t[1]]];
        for (is, was) in mesh.corner_vertices.chunks(3).zip(indices.chunks(3)) {
            assert!(turns(was).contains(&[is[0], is[1], is[2]]));
        }
    }
    assert!(refused(&file(0)).contains("damaged"));
}

#[test]
fn meshopt_filters_are_undone() {
    let rows = ::meshopt::encode_vertex_buffer(&[[127i8, 0, 127, 0], [0, 0, 127, 0]]).unwrap();
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&[[0., 0., 0.], [1., 0., 0.]]);
    let at = fixture.bytes.len();
    fixture.view(&rows);
    fixture.views[1] = json!({
        "buffer": 0, "byteLength": 8,
        "extensions": { "KHR_meshopt_compression": {
            "buffer": 0, "byteOffset": at, "byteLength": rows.len(), "byteStride": 4, "count": 2,
            "mode": "ATTRIBUTES", "filter": "OCTAHEDRAL",
        } },
    });
    let normals = fixture.accessor(json!({
        "bufferView": 1, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC3",
        "byteOffset": 0,
    }));
    fixture.views[1]["byteStride"] = json!(4);
    let attributes = json!({ "POSITION": positions, "NORMAL": normals });
    let file = fixture
        .glb(json!({ "meshes": [{ "primitives": [{ "attributes": attributes, "mode": 0 }] }] }));
    let normals = read(&file).meshes.remove(0).normals.unwrap();
    assert_eq!(*normals.values, [[1., 0., 0.], [0., 0., 1.]]);
}

#[test]
fn what_only_some_primitives_have_gets_an_index() {
    let mut fixture = Fixture::default();
    let [a, b] = [fixture.floats(&SQUARE), fixture.floats(&SQUARE[1..])];
    let uvs = fixture.floats(&[[0.25, 0.25]; 3]);
    let colors = fixture.floats(&[[0.5, 0.5, 0.5]; 3]);
    let marks = fixture.view(&[7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
    fixture.views[marks]["byteStride"] = json!(4);
    let marks = fixture.accessor(json!({
        "bufferView": marks, "componentType": 5121, "count": 3, "type": "SCALAR",
    }));
    let second = json!({ "POSITION": b, "TEXCOORD_0": uvs, "COLOR_0": colors, "_MARK": marks });
    let file = fixture.glb(json!({
        "materials": [{}, { "name": "m" }],
        "meshes": [{ "primitives": [
            { "attributes": { "POSITION": a }, "material": 1 },
            { "attributes": second },
            { "attributes": { "POSITION": a }, "material": 0 },
        ] }],
    }));
    let scene = read(&file);
    let mesh = &scene.meshes[0];
    // The first and third share their vertices.
    assert_eq!(mesh.positions.len(), 7);
    assert_eq!(*mesh.corner_vertices, [0, 1, 2, 4, 5, 6, 0, 1, 2]);
    assert_eq!(*mesh.face_materials, [1, NONE, 0]);
    let uvs = mesh.uvs.as_ref().unwrap();
    assert_eq!(*uvs.values, [[0.25, 0.75]; 3]);
    let none = [NONE; 3];
    assert_eq!(uvs.domain, Domain::Indexed([none, [0, 1, 2], none].concat().into()));
    let colors = mesh.colors.as_ref().unwrap();
    assert_eq!((colors.values[0], colors.values[4]), ([1.0; 4], [0.5, 0.5, 0.5, 1.0]));
    assert_eq!(mesh.attributes[0].name, "MARK");
    assert_eq!(mesh.attributes[0].values, Values::U8(vec![0, 0, 0, 0, 7, 8, 9].into()));
}

#[test]
fn attributes_of_several_numbers_are_lists() {
    let mut fixture = Fixture::default();
    let positions = fixture.floats(&SQUARE);
    let more = fixture.floats(&[[0.0, 0.25]; 4]);
    let tangents = fixture.floats(&[[1.0, 0.0, 0.0, -1.0]; 4]);
    // Columns of a matrix of bytes start at multiples of four.
    let matrix = fixture.view(&[[1, 2, 0, 0, 3, 4, 0, 0]; 4].concat());
    let matrix = fixture.accessor(json!({
        "bufferView": matrix, "componentType": 5121, "count": 4, "type": "MAT2",
    }));
    let attributes = json!({
        "POSITION": positions, "TEXCOORD_1": more, "TANGENT": tangents, "_M": matrix,
    });
    let file = fixture.glb(json!({ "meshes": [{ "primitives": [{ "attributes": attributes }] }] }));
    let mesh = read(&file).meshes.remove(0);
    let names: Vec<_> = mesh.attributes.iter().map(|a| &*a.name).collect();
    assert_eq!(names, ["TANGENT", "TEXCOORD_1", "M"]);
    let Values::F32(uvs) = &mesh.attributes[1].values else { panic!("floats") };
    assert_eq!(uvs[..2], [0.0, 0.75]);
    let list = mesh.attributes[2].list.as_ref().unwrap();
    assert_eq!(*list.0, [0, 4, 8, 12, 16]);
    assert_eq!(mesh.attributes[2].values, Values::U8([1, 2, 3, 4].repeat(4).into()));
}
