//! The texts here were compared with Blender 5.2.3's own.

use super::encode_obj;
use crate::material::Material;
use crate::model::{
    ColorSpace, Colors, Domain, Mesh, NONE, Normals, Object, Positions, Scene, Uvs, VertexGroup,
};
use crate::obj::{NonFinite, ObjReadOptions, ObjWriteOptions, decode_obj, obj_losses};
use crate::ply::{PlyWriteOptions, encode_ply};
use crate::stl::{StlWriteOptions, encode_stl};
use solio_base::{ErrorKind, Work};
use solio_codec::number::Digits;

fn text(scene: &Scene<'_>, options: &ObjWriteOptions) -> String {
    let mut first = None;
    for threads in [1, 2, 7] {
        let mut out = Vec::new();
        let work = Work { threads, ..Work::default() };
        encode_obj(scene, options, &work, &mut out).unwrap();
        assert!(*first.get_or_insert_with(|| out.clone()) == out, "{threads} threads");
    }
    String::from_utf8(first.unwrap()).unwrap()
}

fn error(mesh: Mesh<'_>, options: &ObjWriteOptions) -> String {
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let e = encode_obj(&scene, options, &Work::serial(), &mut Vec::new()).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    e.message().to_owned()
}

/// Two quads side by side, flat, with a UV per corner.
fn strip() -> Mesh<'static> {
    Mesh {
        positions: Positions::F32(
            (0..6u8).map(|i| [f32::from(i / 2), f32::from(i % 2), 0.0]).collect(),
        ),
        face_offsets: vec![0, 4, 8].into(),
        corner_vertices: vec![0, 2, 3, 1, 2, 4, 5, 3].into(),
        uvs: Some(Uvs {
            values: [0., 0.5, 0.5, 0., 0.5, 1., 1., 0.5].map(|u| [u, -0.0]).to_vec().into(),
            domain: Domain::Corner,
        }),
        normals: Some(Normals { values: vec![[0., 0., 2.]; 2].into(), domain: Domain::Face }),
        ..Mesh::default()
    }
}

#[test]
fn one_object_as_blender_writes_it() {
    let mut mesh = strip();
    mesh.face_smoothing = vec![0, 1].into();
    mesh.face_materials = vec![1, 0].into();
    mesh.line_offsets = vec![0, 2].into();
    mesh.line_vertices = vec![4, 5].into();
    let mut matrix = [[0.0; 4]; 4];
    (0..4).for_each(|i| matrix[i][i] = 1.0);
    matrix[0][0] = -1.0;
    mesh.objects = vec![Object {
        name: "left arm".into(),
        transform: Some(matrix),
        material_slots: Some(vec![1, NONE]),
        ..Object::default()
    }];
    let names = ["skin tone", "a b"].map(|n| Material { name: n.into(), ..Material::default() });
    let scene = Scene { meshes: vec![mesh], materials: names.to_vec(), ..Scene::default() };
    let options = ObjWriteOptions {
        comments: vec!["by hand".into()],
        material_library: Some("x.mtl".into()),
        ..ObjWriteOptions::blender()
    };
    assert_eq!(
        text(&scene, &options),
        "# by hand\nmtllib x.mtl\no left_arm\n\
         v 0.000000 0.000000 0.000000\nv 0.000000 0.000000 -1.000000\n\
         v -1.000000 0.000000 0.000000\nv -1.000000 0.000000 -1.000000\n\
         v -2.000000 0.000000 0.000000\nv -2.000000 0.000000 -1.000000\n\
         vn -0.0000 1.0000 -0.0000\n\
         vt 0.000000 -0.000000\nvt 0.500000 -0.000000\nvt 1.000000 -0.000000\n\
         s 1\nusemtl a_b\nf 3/2/1 4/2/1 6/3/1 5/3/1\n\
         s 0\nusemtl \nf 1/1/1 2/1/1 4/2/1 3/2/1\nl 5 6\n"
    );
}

#[test]
fn numbers_go_on_over_objects_and_the_heaviest_group_names_a_face() {
    let mut first = strip();
    first.vertex_groups = vec![
        VertexGroup { name: "a".into(), vertices: vec![0].into(), weights: vec![0.2].into() },
        VertexGroup { name: "b".into(), vertices: vec![3].into(), weights: vec![0.4].into() },
    ];
    let mut second = strip();
    (second.normals, second.uvs) = (None, None);
    let scene = Scene { meshes: vec![first, second], ..Scene::default() };
    let options = ObjWriteOptions {
        export_vertex_groups: true,
        comments: Vec::new(),
        ..ObjWriteOptions::default()
    };
    let text = text(&scene, &options);
    let rest: Vec<_> = text.lines().filter(|line| !line.starts_with('v')).collect();
    let wanted = [
        "g b",
        "f 1/1/1 3/2/1 4/2/1 2/1/1",
        "f 3/2/1 5/3/1 6/3/1 4/2/1",
        "g off",
        "f 7 9 10 8",
        "f 9 11 12 10",
    ];
    assert_eq!(rest, wanted);
}

#[test]
fn colors_and_fourth_coordinates_end_a_vertex() {
    let mut mesh = strip();
    (mesh.uvs, mesh.normals) = (None, None);
    mesh.colors = Some(Colors { values: vec![[0.5; 4]; 6].into(), space: ColorSpace::Srgb });
    mesh.weights = Some(vec![1.0, 2.0, 1.0, 1.0, 1.0, 1.0].into());
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let text = text(&scene, &ObjWriteOptions::default());
    let lines: Vec<_> = text.lines().skip(1).take(3).collect();
    // Without rational curves nothing uses a fourth coordinate.
    assert_eq!(lines[0], "v 0.000000 0.000000 0.000000 0.5000 0.5000 0.5000 0.5000");
    assert_eq!(lines[1], "v 0.000000 1.000000 0.000000 0.5000 0.5000 0.5000 0.5000");
    let what = |scene: &Scene<'_>, options: &ObjWriteOptions| {
        let losses = obj_losses(scene, options, &Default::default(), &Work::serial()).unwrap();
        losses.iter().map(|loss| loss.what).collect::<Vec<_>>()
    };
    assert_eq!(what(&scene, &ObjWriteOptions::default()), ["weights"]);
    let mut rational = scene.clone();
    rational.meshes[0].freeform = b"cstype rat bezier\n".to_vec();
    let text = self::text(&rational, &ObjWriteOptions::default());
    let lines: Vec<_> = text.lines().skip(1).take(2).collect();
    assert_eq!(lines[0], "v 0.000000 0.000000 0.000000 0.5000 0.5000 0.5000");
    assert_eq!(lines[1], "v 0.000000 1.000000 0.000000 2.000000 0.5000 0.5000 0.5000");
    assert_eq!(what(&rational, &ObjWriteOptions::default()), ["alpha"]);
    let blender = ObjWriteOptions { export_alpha: false, ..ObjWriteOptions::default() };
    assert_eq!(what(&scene, &blender), ["alpha", "weights"]);
    assert!(
        self::text(&scene, &blender)
            .contains("v 0.000000 0.000000 0.000000 0.5000 0.5000 0.5000\n")
    );
    // White beside other colours is as good as none.
    let mut mixed = scene;
    mixed.meshes[0].colors.as_mut().unwrap().values.to_mut()[1] = [1.0; 4];
    let text = self::text(&mixed, &ObjWriteOptions::default());
    assert_eq!(text.lines().nth(2), Some("v 0.000000 1.000000 0.000000 2.000000"));
    assert!(what(&mixed, &ObjWriteOptions::default()).is_empty());
}

#[test]
fn what_was_read_is_written_and_reads_the_same() {
    let file = b"# head\no a\nv 0 0 0\nv 1e-7 0 0.1\nv 1 1 0\nvt 0 1\nvt 0.25 1\nvn 0 0 1\ng one\n\
        usemtl red\ns 2\nf 1/1/1 2/2/1 3/1/1\nl 1/1 2/2 3/1\np 2\np 3\no b\nv 5 5 5\ng two\n\
        usemtl blue\ns 0\nf 1 2 4\nf -1 -2 -3\n";
    let options = ObjWriteOptions {
        comments: Vec::new(),
        position_digits: Digits::Shortest,
        uv_digits: Digits::Shortest,
        normal_digits: Digits::Shortest,
        ..ObjWriteOptions::default()
    };
    let read = |bytes: &[u8]| {
        decode_obj(&bytes.to_vec(), &ObjReadOptions::default(), &Work::serial()).unwrap()
    };
    let scene = read(file);
    let written = text(&scene, &options);
    assert_eq!(read(written.as_bytes()), scene, "{written}");
}

#[test]
fn a_large_mesh_in_many_pieces_equals_itself_from_its_own_index() {
    let n = 300u32;
    let vertex = |x: u32, y: u32| y * (n + 1) + x;
    let corners: Vec<u32> = (0..n * n)
        .flat_map(|f| {
            let (x, y) = (f % n, f / n);
            [vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1)]
        })
        .collect();
    let place = |v: u32| [(v % (n + 1)) as f32 * 0.37, (v / (n + 1)) as f32 * 0.11];
    let positions: Vec<_> = (0..(n + 1) * (n + 1)).map(place).collect();
    let mut mesh = Mesh {
        positions: Positions::F32(positions.iter().map(|p| [p[0], p[1], 1.0]).collect()),
        face_offsets: (0..=n * n).map(|f| 4 * f).collect(),
        face_materials: (0..n * n).map(|f| f / 7 % 3).collect(),
        uvs: Some(Uvs {
            values: corners.iter().map(|&c| place(c)).collect(),
            domain: Domain::Corner,
        }),
        corner_vertices: corners.into(),
        ..Mesh::default()
    };
    let options = ObjWriteOptions { sort_by_material: true, ..ObjWriteOptions::default() };
    let scene = |mesh: &Mesh<'static>| Scene {
        meshes: vec![mesh.clone()],
        materials: vec![Material::default(); 3],
        ..Scene::default()
    };
    let merged = text(&scene(&mesh), &options);
    // The same by hand: the order in which the corners first show their vertices.
    let mut numbers = vec![NONE; positions.len()];
    let mut values = Vec::new();
    let index: Vec<u32> = mesh
        .corner_vertices
        .iter()
        .map(|&v| {
            if numbers[v as usize] == NONE {
                numbers[v as usize] = values.len() as u32;
                values.push(place(v));
            }
            numbers[v as usize]
        })
        .collect();
    mesh.uvs = Some(Uvs { values: values.into(), domain: Domain::Indexed(index.into()) });
    assert!(merged == text(&scene(&mesh), &options));
    assert_eq!(merged.matches("usemtl").count(), 3);
}

#[test]
fn triangles_keep_uvs_and_normals() {
    let scene = Scene { meshes: vec![strip()], ..Scene::default() };
    let options = ObjWriteOptions { export_triangulated_mesh: true, ..ObjWriteOptions::default() };
    let text = text(&scene, &options);
    let faces: Vec<_> = text.lines().filter(|line| line.starts_with("f ")).collect();
    assert_eq!(faces[..2], ["f 1/1/1 3/2/1 4/2/1", "f 1/1/1 4/2/1 2/1/1"]);
    assert_eq!(faces.len(), 4);
}

/// Objects that show the same arrays, and objects with copies of them.
#[test]
fn shared_arrays_are_written_as_if_they_were_not_shared() {
    let mut base = strip();
    base.face_materials = vec![1, 0].into();
    let mut other = strip();
    other.face_smoothing = vec![1, 0].into();
    let place = |i: usize, mut mesh: Mesh<'static>| {
        let turn = (i as f32 * 0.3).sin_cos();
        let matrix = [[turn.1, turn.0, 0., 1.], [-turn.0, turn.1, 0., 0.], [0., 0., 1., 0.]];
        mesh.objects = vec![Object {
            name: format!("object {i}"),
            transform: Some([matrix[0], matrix[1], matrix[2], [0., 0., 0., 1.]]),
            material_slots: Some(vec![1, NONE]),
            ..Object::default()
        }];
        mesh
    };
    let of = |i: usize| if i.is_multiple_of(3) { &other } else { &base };
    let copies = (0..20).map(|i| place(i, of(i).clone())).collect();
    let shown = |mesh: &'static Mesh<'static>| Mesh {
        uvs: mesh
            .uvs
            .as_ref()
            .map(|uvs| Uvs { values: (&uvs.values[..]).into(), domain: uvs.domain.clone() }),
        face_materials: (&mesh.face_materials[..]).into(),
        ..mesh.clone()
    };
    let (base, other): (&'static _, &'static _) =
        (Box::leak(Box::new(base.clone())), Box::leak(Box::new(other.clone())));
    let of = |i: usize| if i.is_multiple_of(3) { other } else { base };
    let shared = (0..20).map(|i| place(i, shown(of(i)))).collect();
    let scene = |meshes| Scene { meshes, ..Scene::default() };
    let options = ObjWriteOptions::blender();
    assert_eq!(text(&scene(shared), &options), text(&scene(copies), &options));
}

#[test]
fn colors_and_fourth_coordinates_are_finite_or_refused() {
    let positions = Positions::F32(vec![[0.0; 3]; 2].into());
    let values = vec![[0.5; 4], [0.0, f32::NAN, 1.0, 1.0]].into();
    let colors = Some(Colors { values, space: ColorSpace::Srgb });
    let colored = Mesh { positions: positions.clone(), colors, ..Mesh::default() };
    let weighted =
        Mesh { positions, weights: Some(vec![1.0, f32::INFINITY].into()), ..Mesh::default() };
    let refuse = ObjWriteOptions::default();
    let found = error(colored.clone(), &refuse);
    assert_eq!(found, "mesh 0: the colour of vertex 1 is (0, NaN, 1, 1)");
    let found = error(weighted.clone(), &refuse);
    assert_eq!(found, "mesh 0: the fourth coordinate of vertex 1 is (inf)");
    let write = ObjWriteOptions { non_finite: NonFinite::Write, ..ObjWriteOptions::default() };
    for (mesh, word) in [(colored, " nan "), (weighted, " inf\n")] {
        let written = text(&Scene { meshes: vec![mesh], ..Scene::default() }, &write);
        assert!(written.contains(word), "{written}");
    }
}

#[test]
fn faces_of_less_than_three_corners_are_no_faces() {
    let mesh = Mesh {
        positions: Positions::F32(vec![[0.0; 3]; 4].into()),
        face_offsets: vec![0, 2, 5, 5, 6, 8, 12].into(),
        corner_vertices: vec![0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 2, 3].into(),
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh.clone(), mesh], ..Scene::default() };
    let written = text(&scene, &ObjWriteOptions::default());
    let faces = |written: &str| {
        let lines = written.lines().filter(|line| line.starts_with(['f', 'l', 'p']));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = ["l 1 2", "f 1 2 3", "p 4", "l 3 4", "f 1 2 3 4"];
    let second = ["l 5 6", "f 5 6 7", "p 8", "l 7 8", "f 5 6 7 8"];
    assert_eq!(faces(&written), [first, second].concat());
    let read = decode_obj(&written.as_bytes(), &ObjReadOptions::default(), &Work::serial());
    let mesh = &read.unwrap().meshes[0];
    let counts = [mesh.face_offsets.len(), mesh.line_offsets.len(), mesh.points.len()];
    assert_eq!(counts, [5, 5, 2]);
}

#[test]
fn backslashes_end_no_line() {
    let object = Object { name: "o\\".into(), mesh_name: "m \\".into(), ..Object::default() };
    let mesh = Mesh { face_materials: vec![0, 0].into(), objects: vec![object], ..strip() };
    let scene = Scene {
        meshes: vec![mesh],
        materials: vec![Material { name: "x y\\".into(), ..Material::default() }],
        ..Scene::default()
    };
    for (spaces_to_underscores, name, mesh_name) in
        [(false, "x y\\", "m \\"), (true, "x_y\\", "m_\\")]
    {
        let options = ObjWriteOptions {
            spaces_to_underscores,
            export_object_groups: true,
            export_material_groups: true,
            ..ObjWriteOptions::default()
        };
        let written = text(&scene, &options);
        assert!(written.contains(&format!("\nusemtl {name} \n")), "{written}");
        assert!(written.contains(&format!("\ng o\\_{name} \n")), "{written}");
        assert!(written.contains(&format!("\ng o\\_{mesh_name} \n")), "{written}");
        let read = decode_obj(&written.as_bytes(), &ObjReadOptions::default(), &Work::serial());
        assert_eq!(read.unwrap().materials[0].name, name);
    }
}

#[test]
fn the_scale_is_above_zero_and_doubles_keep_all_of_it() {
    let positions = Positions::F64(vec![[1e9 + 0.125, 0.0, -3.0]].into());
    let points = || Mesh { positions: positions.clone(), ..Mesh::default() };
    let mut options = ObjWriteOptions { global_scale: 0.1, ..ObjWriteOptions::default() };
    options.position_digits = Digits::Shortest;
    let scene = Scene { meshes: vec![points()], ..Scene::default() };
    assert!(text(&scene, &options).ends_with("\nv 100000000.0125 0 -0.30000000000000004\n"));
    for global_scale in [0.0, -1.0, 1e-60, f64::NAN, f64::INFINITY] {
        let options = ObjWriteOptions { global_scale, ..options.clone() };
        assert!(error(points(), &options).contains("must be a float above 0"));
        let ply = PlyWriteOptions { global_scale, ..PlyWriteOptions::default() };
        let stl = StlWriteOptions { global_scale, ..StlWriteOptions::default() };
        for e in [
            encode_ply(&scene, &ply, &Work::serial(), &mut Vec::new()),
            encode_stl(&scene, &stl, &Work::serial(), &mut Vec::new()),
        ] {
            assert_eq!(e.unwrap_err().kind(), ErrorKind::Argument, "{global_scale}");
        }
    }
}

#[test]
fn wrong_arrays_are_refused_with_their_place() {
    let plain = ObjWriteOptions::default();
    let mut mesh = strip();
    mesh.corner_vertices.to_mut()[5] = 6;
    assert_eq!(error(mesh, &plain), "face 1 refers to vertex 6; the mesh has 6 vertices");
    for (merge, per_vertex) in [(true, true), (true, false), (false, true)] {
        let mut mesh = strip();
        mesh.corner_vertices.to_mut()[5] = 6;
        let domain = if per_vertex { Domain::Vertex } else { Domain::Corner };
        let values = mesh.uvs.as_ref().unwrap().values[..6].to_vec();
        if per_vertex {
            mesh.uvs = Some(Uvs { values: values.into(), domain });
        }
        let options = ObjWriteOptions { merge, ..plain.clone() };
        assert_eq!(error(mesh, &options), "face 1 refers to vertex 6; the mesh has 6 vertices");
    }
    let mut mesh = strip();
    mesh.face_offsets = vec![0, 9, 8].into();
    assert!(error(mesh, &plain).contains("do not rise"));
    // Where memory is short, corners are looked at before their faces are gathered.
    let many = 300_000;
    let mut offsets: Vec<u32> = (0..=many).step_by(3).collect();
    offsets[1000] = 9;
    let mesh = Mesh {
        positions: Positions::F32(vec![[0.0; 3]; 3].into()),
        face_offsets: offsets.into(),
        corner_vertices: vec![0; many as usize].into(),
        uvs: Some(Uvs {
            values: (0..many).map(|i| [i as f32, 0.0]).collect(),
            domain: Domain::Corner,
        }),
        ..Mesh::default()
    };
    let work = Work { memory_bytes: 6 << 20, ..Work::serial() };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let e = encode_obj(&scene, &plain, &work, &mut Vec::new()).unwrap_err();
    assert_eq!(e.message(), "mesh 0: the offsets of the faces 999 to 1000 do not rise");
    let mut mesh = strip();
    mesh.face_materials = vec![0].into();
    assert_eq!(error(mesh, &plain), "mesh 0: face_materials has 1 values; 2 are needed");
    let mut mesh = strip();
    let index = vec![0, 1, 2, 3, NONE, 9, 0, 0];
    mesh.uvs.as_mut().unwrap().domain = Domain::Indexed(index.into());
    assert_eq!(error(mesh, &plain), "mesh 0: face 1 refers to UV 9; there are 8");
    let mut mesh = strip();
    mesh.positions = Positions::F64(vec![[0.0, 1.0, f64::NAN]; 6].into());
    mesh.objects = vec![Object { name: "cup".into(), ..Object::default() }];
    assert_eq!(error(mesh.clone(), &plain), "object \"cup\": vertex 0 is (0, 1, NaN)");
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let options = ObjWriteOptions { non_finite: NonFinite::Write, ..plain };
    assert!(text(&scene, &options).contains("\nv 0.000000 1.000000 nan\n"));
}
