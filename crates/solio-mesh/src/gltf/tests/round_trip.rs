//! What is written is read again.

use super::*;
use crate::gltf::{GltfInstances, GltfWriteOptions, encode_glb, encode_gltf_whole, gltf_losses};
use crate::model::{
    Attribute, ColorSpace, Colors, Domain, NONE, Normals, Object, ScalarType, Uvs, Values,
};
use crate::obj::decode_obj;
use crate::{Material, MeshInstance};

fn written(scene: &Scene<'_>, options: &GltfWriteOptions) -> Vec<u8> {
    let mut files = Vec::new();
    for threads in [1, 3] {
        let mut file = Vec::new();
        let work = Work { threads, ..Work::default() };
        encode_glb(scene, options, &work, &mut file).unwrap();
        files.push(file);
    }
    assert_eq!(files[0], files[1], "threads");
    let head = u32::from_le_bytes(files[0][8..12].try_into().unwrap());
    assert_eq!(head as usize, files[0].len());
    let mut text = Vec::new();
    encode_gltf_whole(scene, options, &Work::serial(), &mut text).unwrap();
    assert_eq!(read(&text).meshes, read(&files[0]).meshes, "as text");
    files.remove(0)
}

/// What each corner of each triangle has, in order.
fn corners(scene: &Scene<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for mesh in &scene.meshes {
        let cut = crate::triangulate::triangulate(mesh, &Work::serial()).unwrap();
        for (corners, face) in cut.corners.iter().zip(&cut.faces) {
            let material = mesh.face_materials.get(*face as usize).copied().unwrap_or(NONE);
            let name = scene.materials.get(material as usize).map_or("", |m| &*m.name);
            for corner in corners.map(|c| c as usize) {
                let vertex = mesh.corner_vertices[corner] as usize;
                let uv = mesh
                    .uvs
                    .as_ref()
                    .and_then(|uvs| uvs.domain.index_of(mesh, corner).map(|at| uvs.values[at]));
                let normal = mesh.normals.as_ref().and_then(|normals| {
                    normals.domain.index_of(mesh, corner).map(|at| normals.values[at])
                });
                all.push(format!("{:?} {uv:?} {normal:?} {name}", mesh.positions.get(vertex)));
            }
        }
    }
    all
}

#[test]
fn an_obj_of_objects_and_seams_is_the_same_geometry() {
    let text = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 1\n\
        vn 0 0 1\nvn 0 1 0\no box\nusemtl red\nf 1/1/1 2/2/1 3/3/1 4/4/1\nusemtl blue\nf 1/4/2 2/1/2 5/2/2\n\
        usemtl red\nf 2/2/1 3/3/2 5/1/1\no lid\nf 3/3/1 4/4/1 5/1/1\n";
    let scene = decode_obj(&&text[..], &Default::default(), &Work::serial()).unwrap();
    let file = written(&scene, &GltfWriteOptions::default());
    let back = read(&file);
    let names: Vec<_> = back.meshes[0].objects.iter().map(|o| &*o.name).collect();
    assert_eq!(names, ["box", "lid"]);
    let (mut is, mut was) = (corners(&back), corners(&scene));
    // Faces of one material come together.
    is.sort();
    was.sort();
    assert_eq!(is, was);
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
}

/// A mesh of everything that glTF holds, without a seam.
fn full() -> Scene<'static> {
    let attribute = |name: &str, values, list: Option<u32>| Attribute {
        element: "vertex".into(),
        name: name.into(),
        values,
        list: list.map(|n| ((0..=4).map(|i| i * n).collect::<Vec<_>>().into(), ScalarType::U8)),
    };
    let mesh = Mesh {
        positions: Positions::F32(SQUARE.to_vec().into()),
        normals: Some(Normals { values: vec![[0., 0., 1.]; 4].into(), domain: Domain::Vertex }),
        uvs: Some(Uvs {
            values: vec![[0., 0.], [1., 0.], [1., 1.], [0.5, 0.25]].into(),
            domain: Domain::Vertex,
        }),
        colors: Some(Colors {
            values: vec![[0., 0.25, 0.5, 1.], [1.; 4], [0.; 4], [0.5; 4]].into(),
            space: ColorSpace::Linear,
        }),
        face_offsets: vec![0, 3, 6].into(),
        corner_vertices: vec![0, 1, 2, 0, 2, 3].into(),
        face_materials: vec![0, 1].into(),
        attributes: vec![
            attribute("TANGENT", Values::F32([1., 0., 0., -1.].repeat(4).into()), Some(4)),
            attribute("TEXCOORD_1", Values::F32([0.25, 0.5].repeat(4).into()), Some(2)),
            attribute("byte", Values::U8(vec![1, 2, 3, 255].into()), None),
            attribute("quality", Values::F32(vec![0.5, 1.5, -2., 1e9].into()), None),
            attribute("short", Values::I16([-1, 2, -3, 4].repeat(3).into()), Some(3)),
        ],
        objects: vec![Object {
            name: "n".into(),
            mesh_name: "m".into(),
            vertices_end: 4,
            uvs_end: 4,
            normals_end: 4,
            faces_end: 2,
            ..Object::default()
        }],
        ..Mesh::default()
    };
    let material = |name: &str| Material {
        name: name.into(),
        diffuse: Some([0.5, 0.25, 1.0]),
        metallic: Some(0.0),
        roughness: Some(1.0),
        double_sided: Some(true),
        ..Material::default()
    };
    Scene { meshes: vec![mesh], materials: vec![material("a"), material("b")], ..Scene::default() }
}

#[test]
fn nothing_of_what_gltf_holds_is_lost() {
    let scene = full();
    let losses = gltf_losses(&scene, &Default::default(), &Work::serial()).unwrap();
    assert!(losses.iter().next().is_none(), "{losses}");
    assert_eq!(read(&written(&scene, &GltfWriteOptions::default())), scene);
}

#[test]
fn instances_are_written_as_nodes_or_arrays() {
    let mut scene = full();
    scene.meshes[0].objects[0].name = "m".into();
    let rows = |x: f64| [[1., 0., 0., x], [0., 2., 0., 0.], [0., 0., 1., 0.]];
    let mut instances: Vec<MeshInstance> = (0..3)
        .map(|i| MeshInstance { mesh: 0, name: format!("i{i}"), matrix: rows(f64::from(i)) })
        .collect();
    // One that shears.
    instances[1].matrix[0][1] = 0.5;
    scene.instances = instances.clone();
    let keep = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
    for (how, names) in
        [(GltfInstances::Nodes, ["i0", "i1", "i2"]), (GltfInstances::Gpu, ["i1", "m.0", "m.1"])]
    {
        let options = GltfWriteOptions { instances: how, ..GltfWriteOptions::default() };
        let mut file = Vec::new();
        encode_glb(&scene, &options, &Work::serial(), &mut file).unwrap();
        let back = read_with(&file, &keep).unwrap();
        assert_eq!(back.meshes, scene.meshes);
        let mut found: Vec<_> = back.instances.iter().map(|i| &*i.name).collect();
        found.sort_unstable();
        assert_eq!(found, names);
        for was in &instances {
            let near = |is: &&MeshInstance| {
                let pairs = is.matrix.as_flattened().iter().zip(was.matrix.as_flattened());
                pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5)
            };
            assert_eq!(back.instances.iter().filter(near).count(), 1, "{how:?} {}", was.name);
        }
    }
}

#[test]
fn polygons_lines_points_and_clouds_are_written() {
    let text =
        b"v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nv 9 9 9\nf 1 2 3 4 5\nl 1 2 3\np 5\n";
    let scene = decode_obj(&&text[..], &Default::default(), &Work::serial()).unwrap();
    let losses = gltf_losses(&scene, &Default::default(), &Work::serial()).unwrap();
    let what: Vec<_> = losses.iter().map(|loss| loss.what).collect();
    // All vertices go out as they are, the loose one too.
    assert_eq!(what, ["polygons", "polylines"]);
    let back = read(&written(&scene, &GltfWriteOptions::default()));
    assert_eq!(corners(&back), corners(&scene));
    let mesh = &back.meshes[0];
    assert_eq!(mesh.positions, scene.meshes[0].positions);
    assert_eq!((&*mesh.line_vertices, &*mesh.points), (&[0, 1, 1, 2][..], &[4][..]));
    let cloud = Mesh { positions: Positions::F32(SQUARE.to_vec().into()), ..Mesh::default() };
    let scene = Scene { meshes: vec![cloud], ..Scene::default() };
    let back = read(&written(&scene, &GltfWriteOptions::default()));
    assert_eq!(back.meshes[0].positions, scene.meshes[0].positions);
    assert!(back.meshes[0].points.is_empty());
    // Nothing at all.
    let nothing = read(&written(&Scene::default(), &GltfWriteOptions::default()));
    assert!(nothing.meshes[0].positions.is_empty());
}

#[test]
fn many_vertices_have_long_indices() {
    for (count, size) in [(65_535u32, 2), (65_536, 4)] {
        let positions = (0..count).map(|i| [i as f32, 0.0, 0.0]).collect::<Vec<_>>();
        let corners: Vec<u32> = (0..count - 2).flat_map(|i| [i, i + 1, i + 2]).collect();
        let mesh = Mesh {
            positions: Positions::F32(positions.into()),
            face_offsets: (0..count - 1).map(|f| 3 * f).collect::<Vec<_>>().into(),
            corner_vertices: corners.into(),
            ..Mesh::default()
        };
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let file = written(&scene, &GltfWriteOptions::default());
        let arrays = count as usize * 12 + (count as usize - 2) * 3 * size;
        assert!(file.len() - arrays < 1000, "{} {arrays}", file.len());
        assert_eq!(read(&file).meshes[0].corner_vertices, scene.meshes[0].corner_vertices);
    }
}

#[test]
fn contradicting_arrays_and_no_numbers_are_refused() {
    let refused = |change: &dyn Fn(&mut Mesh<'static>)| {
        let mut scene = full();
        change(&mut scene.meshes[0]);
        let encoded = encode_glb(&scene, &Default::default(), &Work::serial(), &mut Vec::new());
        encoded.unwrap_err().message().to_owned()
    };
    for change in [
        &(|m: &mut Mesh<'static>| m.corner_vertices.to_mut()[3] = 4) as &dyn Fn(&mut Mesh<'static>),
        &|m| m.face_offsets.to_mut()[2] = 7,
        &|m| m.face_materials = vec![0].into(),
        &|m| m.points = vec![9].into(),
        &|m| m.uvs.as_mut().unwrap().values.to_mut().truncate(3),
        &|m| m.normals.as_mut().unwrap().domain = Domain::Corner,
    ] {
        assert!(refused(change).contains("contradict"));
    }
    let message = refused(&|m| m.positions = Positions::F32(vec![[f32::NAN; 3]; 4].into()));
    assert!(message.contains("not finite"), "{message}");
}

#[test]
fn normals_are_given_their_length_or_left_out() {
    let mut scene = full();
    scene.meshes[0].normals.as_mut().unwrap().values = vec![[0., 0., 3.]; 4].into();
    let back = read(&written(&scene, &GltfWriteOptions::default()));
    assert_eq!(back.meshes[0].normals.as_ref().unwrap().values[0], [0., 0., 1.]);
    scene.meshes[0].normals.as_mut().unwrap().values.to_mut()[2] = [0.0; 3];
    let losses = gltf_losses(&scene, &Default::default(), &Work::serial()).unwrap();
    assert_eq!(losses.iter().next().unwrap().what, "normals");
    assert!(read(&written(&scene, &GltfWriteOptions::default())).meshes[0].normals.is_none());
}
