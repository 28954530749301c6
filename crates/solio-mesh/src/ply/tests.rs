use super::*;
use crate::model::{
    Attribute, ColorSpace, Colors, Domain, Mesh, Normals, Object, Positions, ScalarType, Scene,
    Uvs, Values,
};
use proptest::prelude::*;
use solio_base::{Limits, Result, Source, Work};
use std::borrow::Cow;

fn work(threads: usize) -> Work {
    Work { threads, ..Work::default() }
}

fn read(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_ply(&bytes.to_vec(), &PlyReadOptions::default(), &work(2))
}

fn write(scene: &Scene<'_>, options: &PlyWriteOptions, threads: usize) -> Vec<u8> {
    let mut out = Vec::new();
    encode_ply(scene, options, &work(threads), &mut out).unwrap();
    out
}

fn format(format: PlyFormat) -> PlyWriteOptions {
    PlyWriteOptions { format, ..PlyWriteOptions::default() }
}

const FORMATS: [PlyFormat; 3] =
    [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian];

/// A source that serves its bytes once, in order, and does not know how many there are.
struct Stream(Vec<u8>, std::sync::atomic::AtomicU64);

impl Source for Stream {
    fn len_bytes(&self) -> Option<u64> {
        None
    }
    fn is_sequential(&self) -> bool {
        true
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        use std::sync::atomic::Ordering::SeqCst;
        assert!(offset >= self.1.load(SeqCst), "a sequential source was asked to go back");
        let n = self.0.read_at(offset, buffer)?;
        self.1.store(offset + n as u64, SeqCst);
        Ok(n)
    }
}

/// Vertices with everything, mixed faces, an edge, attributes of every type.
fn rich(vertices: usize, faces: usize) -> Scene<'static> {
    let v = vertices;
    let point = |i: usize| [i as f32 * 0.5, (i as f32).sin(), -1e-7 * i as f32];
    let mut offsets = vec![0];
    let mut corners = Vec::new();
    for f in 0..faces {
        corners.extend((0..3 + f % 3).map(|k| ((f * 7 + k) % v) as u32));
        offsets.push(corners.len() as u32);
    }
    let color = |i: usize| [i % 256, (i * 3) % 256, 255, i % 2].map(|c| c as f32 / 255.0);
    let attribute = |element: &str, name: &str, values: Values<'static>| Attribute {
        element: element.into(),
        name: name.into(),
        values,
        list: None,
    };
    let lists: Vec<u32> = (0..=v as u32).map(|i| i / 2).collect();
    let mut attributes = vec![
        attribute("vertex", "quality", Values::F64((0..v).map(|i| i as f64 / 3.0).collect())),
        attribute("vertex", "a i8", Values::I8((0..v).map(|i| i as i8).collect())),
        attribute("vertex", "u16", Values::U16((0..v).map(|i| (i * 3) as u16).collect())),
        attribute("face", "flags", Values::U8((0..faces).map(|i| i as u8).collect())),
        attribute("face", "id", Values::I32((0..faces).map(|i| -(i as i32)).collect())),
        attribute("camera", "fov", Values::F32(Cow::Owned(vec![0.5, 1e30]))),
        attribute("camera", "frame", Values::I16(Cow::Owned(vec![-5, 5]))),
    ];
    attributes.push(Attribute {
        element: "vertex".into(),
        name: "links".into(),
        values: Values::U32((0..lists[v]).collect()),
        list: Some((Cow::Owned(lists), ScalarType::U16)),
    });
    let mesh = Mesh {
        positions: Positions::F32((0..v).map(point).collect()),
        normals: Some(Normals {
            values: (0..v).map(|i| [0.0, 1.0, i as f32]).collect(),
            domain: Domain::Vertex,
        }),
        colors: Some(Colors { values: (0..v).map(color).collect(), space: ColorSpace::Srgb }),
        uvs: Some(Uvs {
            values: (0..v).map(|i| [i as f32 / 7.0, 0.25]).collect(),
            domain: Domain::Vertex,
        }),
        face_offsets: Cow::Owned(offsets),
        corner_vertices: Cow::Owned(corners),
        line_offsets: Cow::Owned(vec![0, 2, 4]),
        line_vertices: Cow::Owned(vec![0, 1, 1, v as u32 - 1]),
        attributes,
        ..Mesh::default()
    };
    Scene { meshes: vec![mesh], comments: vec!["Solio".into()], ..Scene::default() }
}

/// Attributes by element and name: a file has them in another order.
fn sorted(mut scene: Scene<'_>) -> Scene<'_> {
    for mesh in &mut scene.meshes {
        mesh.attributes.sort_by(|a, b| (&a.element, &a.name).cmp(&(&b.element, &b.name)));
    }
    scene
}

#[test]
fn everything_survives_in_all_formats_and_threads() {
    for (v, f) in [(9, 5), (40_000, 70_001)] {
        let scene = sorted(rich(v, f));
        for form in FORMATS {
            let bytes = write(&scene, &format(form), 1);
            for threads in [1, 2, 7] {
                assert_eq!(write(&scene, &format(form), threads), bytes);
                let back = decode_ply(&bytes, &PlyReadOptions::default(), &work(threads)).unwrap();
                assert!(sorted(back) == scene, "{form:?} on {threads} threads");
            }
            let stream = Stream(bytes, 0.into());
            let back = decode_ply(&stream, &PlyReadOptions::default(), &work(2)).unwrap();
            assert!(sorted(back) == scene, "{form:?} from a stream");
        }
    }
}

#[test]
fn plain_triangles_survive_on_any_number_of_threads() {
    let n = 100_000u32;
    let mesh = Mesh {
        positions: Positions::F32((0..n).map(|i| [i as f32, 0.5, -0.0]).collect()),
        face_offsets: (0..n - 1).map(|i| 3 * i).collect(),
        corner_vertices: (0..n - 2).flat_map(|i| [i, i + 1, i + 2]).collect(),
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], comments: vec!["Solio".into()], ..Scene::default() };
    for form in FORMATS {
        let bytes = write(&scene, &format(form), 2);
        for threads in [1, 2, 7] {
            let back = decode_ply(&bytes, &PlyReadOptions::default(), &work(threads)).unwrap();
            assert!(back == scene, "{form:?} on {threads} threads");
        }
    }
}

#[test]
fn vertices_split_where_uvs_differ() {
    let mesh = Mesh {
        positions: Positions::F32((0..5).map(|i| [i as f32, 0.0, 0.0]).collect()),
        face_offsets: Cow::Owned(vec![0, 3, 6]),
        corner_vertices: Cow::Owned(vec![0, 1, 2, 2, 1, 3]),
        uvs: Some(Uvs {
            values: vec![[0., 0.], [1., 0.], [1., 1.], [0.5, 1.], [1., -0.0], [0., 1.]].into(),
            domain: Domain::Corner,
        }),
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let text = String::from_utf8(write(&scene, &format(PlyFormat::Ascii), 2)).unwrap();
    let body = text.split_once("end_header\n").unwrap().1;
    assert_eq!(
        body,
        "0 0 0 0 0\n1 0 0 1 0\n2 0 0 1 1\n2 0 0 0.5 1\n3 0 0 0 1\n4 0 0 0 0\n\
         3 0 1 2\n3 3 1 4\n"
    );
}

#[test]
fn no_two_properties_have_one_name() {
    let mut scene = rich(3, 1);
    let alpha = |element: &str, values| Attribute {
        element: element.to_owned(),
        name: "alpha".to_owned(),
        values,
        list: None,
    };
    scene.meshes[0].attributes = vec![
        alpha("vertex", Values::I16(vec![7, -8, 9].into())),
        alpha("face", Values::U8(vec![5].into())),
    ];
    let bytes = write(&scene, &format(PlyFormat::Ascii), 1);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains("property uchar alpha\nproperty"), "{text}");
    let strict = PlyReadOptions { strict: true, ..PlyReadOptions::default() };
    let back = decode_ply(&bytes, &strict, &work(1)).unwrap();
    let names: Vec<_> = back.meshes[0].attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["alpha.001", "alpha"]);
    assert_eq!(back.meshes[0].attributes[0].values, Values::I16(vec![7, -8, 9].into()));
}

#[test]
fn text_need_not_keep_to_lines() {
    let header = "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty double x\r\n\
                  property double y\r\nproperty double z\r\nproperty uchar red\r\n\
                  property uchar green\r\nproperty uchar blue\r\nelement tristrips 1\r\n\
                  property list int int vertex_indices\r\nend_header\r\n";
    let body = "0 0\t0 255 0 0 1 0 0 0 51 0\r\n\r\n0 1\r\n0 0 0 102 7 0 1 2\r\n-1 2\t1 0";
    for old_mac in [false, true] {
        let mut text = format!("{header}{body}");
        if old_mac {
            text = text.replace("\r\n", "\r");
        }
        let scene = read(text.as_bytes()).unwrap();
        let mesh = &scene.meshes[0];
        assert_eq!(mesh.positions.get(1), [1.0, 0.0, 0.0]);
        assert!(matches!(mesh.positions, Positions::F64(_)));
        assert_eq!(mesh.colors.as_ref().unwrap().values[1], [0.0, 0.2, 0.0, 1.0]);
        assert_eq!(mesh.corner_vertices[..], [0, 1, 2, 2, 1, 0]);
        assert_eq!(mesh.face_offsets[..], [0, 3, 6]);
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }
}

#[test]
fn corner_uvs_and_textures() {
    let text = "ply\nformat ascii 1.0\ncomment TextureFile a b.png\nelement vertex 3\n\
        property float x\nproperty float y\nproperty float z\nelement face 2\n\
        property list uchar int vertex_index\nproperty list uchar float texcoord\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n3 2 1 0 0\n";
    let scene = read(text.as_bytes()).unwrap();
    let mesh = &scene.meshes[0];
    let uvs = mesh.uvs.as_ref().unwrap();
    let none = crate::model::NONE;
    assert_eq!(uvs.domain, Domain::Indexed(vec![0, 1, 2, none, none, none].into()));
    assert_eq!(uvs.values[..], [[0., 0.], [1., 0.], [0., 1.]]);
    assert_eq!((scene.materials[0].name.as_str(), &mesh.face_materials[..]), ("a b", &[0, 0][..]));
}

/// A file of two faces, each with a texture of its own, as MeshLab writes it.
fn two_textures() -> Scene<'static> {
    let text = "ply\nformat ascii 1.0\ncomment by hand\ncomment TextureFile a b.png\n\
        comment TextureFile c.png\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nelement face 2\nproperty list uchar int vertex_index\n\
        property uchar texnumber\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0\n3 2 1 0 1\n";
    read(text.as_bytes()).unwrap()
}

#[test]
fn text_that_is_not_utf8_is_latin() {
    let text = b"ply\nformat ascii 1.0\ncomment caf\xe9\nelement vertex 1\nproperty float x\n\
        property float y\nproperty float z\nproperty float qu\xe9\nproperty float qu\xe8\n\
        end_header\n0 0 0 1 2\n";
    let scene = read(text).unwrap();
    assert_eq!(scene.comments, ["caf\u{e9}"]);
    let names = scene.meshes[0].attributes.iter().map(|a| &a.name[..]).collect::<Vec<_>>();
    assert_eq!(names, ["qu\u{e9}", "qu\u{e8}"]);
    assert!(scene.warnings[0].contains("windows-1252, a guess"), "{:?}", scene.warnings);
}

#[test]
fn textures_stay_where_faces_lead_to_them() {
    let comments = |scene: &Scene<'_>| {
        let mut options = format(PlyFormat::Ascii);
        options.comments.clear();
        read(&write(scene, &options, 1)).unwrap().comments
    };
    let mut scene = two_textures();
    let textures = ["by hand", "TextureFile a b.png", "TextureFile c.png"];
    assert_eq!(comments(&scene), textures);
    // The material says where the texture is.
    scene.materials[1].maps[0].path = "d.png".into();
    assert_eq!(comments(&scene)[1..], ["TextureFile a b.png", "TextureFile d.png"]);
    // Numbers of a second mesh would lead to the textures of the first.
    scene.meshes.push(scene.meshes[0].clone());
    assert_eq!(comments(&scene), ["by hand"]);
    scene.meshes.pop();
    scene.meshes[0].attributes.clear();
    assert_eq!(comments(&scene), ["by hand"]);
    // All faces have the only one.
    scene.comments = vec!["TextureFile a b.png".into()];
    assert_eq!(comments(&scene), ["TextureFile a b.png"]);
}

#[test]
fn textures_are_no_comments_of_obj() {
    let mut text = Vec::new();
    let options = crate::obj::ObjWriteOptions::default();
    crate::obj::encode_obj(&two_textures(), &options, &work(1), &mut text).unwrap();
    assert!(text.starts_with(b"# Solio\n# by hand\nv "), "{}", String::from_utf8_lossy(&text));
}

const HEAD: &str = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n\
    property float y\nproperty float z\nelement face 1\n\
    property list uchar int vertex_indices\nend_header\n";

#[test]
fn floats_of_windows_are_read() {
    for newline in ["\n", "\r"] {
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty double q\n\
                    property float y\nproperty float z\nend_header\n0 -1.#IND 2 3\n\
                    -nan(ind) 1.5 1.#QNAN -1.#INF\n";
        let scene = read(text.replace('\n', newline).as_bytes()).unwrap();
        let [x, y, z] = scene.meshes[0].positions.get(1);
        assert!(x.is_nan() && y.is_nan() && z == f64::NEG_INFINITY);
        let Values::F64(q) = &scene.meshes[0].attributes[0].values else { panic!("doubles") };
        assert!(q[0].is_nan() && q[1] == 1.5);
    }
}

#[test]
fn alpha_may_be_of_another_type() {
    let file = |color: &str, alpha: &str, values: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
             property float z\nproperty {color} red\nproperty {color} green\n\
             property {color} blue\nproperty {alpha} alpha\nend_header\n0 0 0 {values}\n"
        )
    };
    for (color, alpha, values, want) in [
        ("float", "uchar", "0.5 0.25 2.5 51", [0.5, 0.25, 2.5, 0.2]),
        ("uchar", "float", "255 0 51 0.75", [1.0, 0.0, 0.2, 0.75]),
        ("uchar", "ushort", "255 0 51 13107", [1.0, 0.0, 0.2, 0.2]),
        ("ushort", "double", "65535 0 13107 3", [1.0, 0.0, 0.2, 3.0]),
        ("float", "float", "0.5 0.25 2.5 0.75", [0.5, 0.25, 2.5, 0.75]),
    ] {
        let scene = read(file(color, alpha, values).as_bytes()).unwrap();
        assert_eq!(scene.meshes[0].colors.as_ref().unwrap().values[0], want, "{color} {alpha}");
        assert!(scene.meshes[0].attributes.is_empty());
    }
    let scene = read(file("float", "int", "0.5 0.25 2.5 7").as_bytes()).unwrap();
    assert_eq!(scene.meshes[0].colors.as_ref().unwrap().values[0][3], 1.0);
    assert_eq!(scene.meshes[0].attributes[0].values, Values::I32(vec![7].into()));
}

#[test]
fn comments_are_kept_and_not_repeated() {
    let mut scene = rich(3, 1);
    scene.comments = ["one", "Solio", "obj_info two", ""].map(String::from).to_vec();
    let mut options = format(PlyFormat::Ascii);
    for _ in 0..2 {
        scene = read(&write(&scene, &options, 1)).unwrap();
        assert_eq!(scene.comments, ["Solio", "one", "obj_info two", ""]);
    }
    scene.comments = vec!["two\nlines".into()];
    options.comments = vec!["own".into()];
    assert_eq!(read(&write(&scene, &options, 1)).unwrap().comments, ["own", "two", "lines"]);
    options.blender_quirks = true;
    assert_eq!(read(&write(&scene, &options, 1)).unwrap().comments, ["own"]);
}

/// A triangle and a quad that look along +z, in an object each; what mirrors in x is mirrored.
fn two_objects(mirrored: [bool; 2], uvs: bool) -> Scene<'static> {
    let corners = vec![0, 1, 2, 3, 4, 5, 6];
    let object = |vertices_end, faces_end, mirrored: bool| {
        let x = if mirrored { -1.0 } else { 1.0 };
        let rows = [[x, 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]];
        Object { vertices_end, faces_end, transform: Some(rows), ..Object::default() }
    };
    let points = [[0., 0.], [1., 0.], [0., 1.], [5., 0.], [6., 0.], [6., 1.], [5., 1.]];
    let values = points.iter().rev().copied().collect::<Vec<[f32; 2]>>();
    let mesh = Mesh {
        positions: Positions::F32(points.iter().map(|&[x, y]| [x, y, 0.0]).collect()),
        face_offsets: vec![0, 3, 7].into(),
        corner_vertices: corners.into(),
        normals: Some(Normals { values: vec![[0., 0., 1.]; 2].into(), domain: Domain::Face }),
        uvs: uvs.then(|| Uvs { values: values.into(), domain: Domain::Corner }),
        objects: vec![object(3, 1, mirrored[0]), object(7, 2, mirrored[1])],
        ..Mesh::default()
    };
    Scene { meshes: vec![mesh], ..Scene::default() }
}

/// The corners of each face, and the area that its corners go around, seen from +z.
fn corners_and_area(bytes: &[u8]) -> (Vec<Vec<u32>>, f64) {
    let scene = read(bytes).unwrap();
    let mesh = &scene.meshes[0];
    let ends = mesh.face_offsets.windows(2);
    let faces = ends.map(|f| mesh.corner_vertices[f[0] as usize..f[1] as usize].to_vec());
    let faces: Vec<Vec<u32>> = faces.collect();
    let point = |corner: u32| mesh.positions.get(corner as usize);
    let area = |face: &Vec<u32>| {
        let next = face.iter().cycle().skip(1);
        let pairs = face.iter().zip(next).map(|(&a, &b)| (point(a), point(b)));
        pairs.map(|(a, b)| (a[0] * b[1] - a[1] * b[0]) / 2.0).sum::<f64>()
    };
    let sum = faces.iter().map(area).sum();
    (faces, sum)
}

#[test]
fn mirrored_faces_look_where_they_did() {
    for (form, uvs) in FORMATS.into_iter().flat_map(|form| [(form, false), (form, true)]) {
        for mirrored in [[false, false], [false, true], [true, false], [true, true]] {
            let scene = two_objects(mirrored, uvs);
            let options = format(form);
            let bytes = write(&scene, &options, 1);
            let (faces, area) = corners_and_area(&bytes);
            assert_eq!(faces[0], if mirrored[0] { [0, 2, 1] } else { [0, 1, 2] });
            assert_eq!(faces[1], if mirrored[1] { [3, 6, 5, 4] } else { [3, 4, 5, 6] });
            assert_eq!(area, 1.5);
            let mut triangles = options.clone();
            triangles.export_triangulated_mesh = true;
            let cut = write(&scene, &triangles, 1);
            assert_eq!(corners_and_area(&cut).1, 1.5, "{form:?} {mirrored:?}");
            for threads in [2, 7] {
                assert_eq!(write(&scene, &options, threads), bytes);
                assert_eq!(write(&scene, &triangles, threads), cut);
            }
            // Blender's exporter leaves the corners as they are.
            let quirks = PlyWriteOptions { blender_quirks: true, ..options };
            let as_blender = corners_and_area(&write(&scene, &quirks, 2)).0;
            assert_eq!(as_blender, [vec![0, 1, 2], vec![3, 4, 5, 6]]);
        }
    }
}

#[test]
fn errors_say_what_and_where() {
    let cases: [(String, &str); 9] = [
        (String::new(), "byte 0: the file is empty; a PLY file starts with `ply`"),
        ("plx\n".into(), "1:1: a PLY file starts with a line `ply` (byte 0)"),
        (
            "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\n\
             property float y\nproperty float z\nend_header\n0 0 0\n"
                .into(),
            "byte 109: 4000000000 records of element `vertex` need at least 24000000000 bytes; \
             the file has 6 behind its header",
        ),
        (
            format!("{HEAD}0 0 zero\n3 0 0 0\n"),
            "10:5: `zero` where `z` of type float in element \
             `vertex` was expected (byte 158)",
        ),
        (
            format!("{HEAD}0 0 0\n3 0 1 0\n"),
            "11:5: `vertex_indices` of record 0 of element `face` \
             refers to a vertex that is not there; the file has 1 vertices (byte 164)",
        ),
        (
            format!("{HEAD}0 0 0\n3 0 -1 0\n"),
            "11:5: `vertex_indices` of record 0 of element \
             `face` refers to a vertex that is not there; the file has 1 vertices (byte 164)",
        ),
        (
            format!("{HEAD}0 0 0\n300 0 0 0\n"),
            "11:1: `300` where the count of list \
             `vertex_indices` was expected (byte 160)",
        ),
        (
            format!("{HEAD}0 0 0\n3 0 0\n"),
            "11:1: the data ends in record 0 of 1 of element \
             `face` (byte 166)",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 0\nproperty quad x\nend_header\n".into(),
            "4:1: unknown type `quad` (byte 38)\n  hint: PLY knows char, uchar, short, ushort, \
             int, uint, float and double",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn binary_errors_have_their_byte() {
    let head = HEAD.replace("ascii", "binary_little_endian");
    let mut bytes = head.into_bytes();
    let data = bytes.len();
    bytes.extend_from_slice(&[0; 12]);
    bytes.push(3);
    bytes.extend_from_slice(&[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.offset(), Some(data as u64 + 12));
    assert!(error.message().starts_with("`vertex_indices` of record 0"), "{error}");
    bytes[data + 12] = 200;
    let error = read(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "byte {}: a list of 800 bytes in element `face`; the file has 12 bytes left",
            data + 12
        )
    );
}

#[test]
fn limits_hold() {
    let limits = Limits { elements: 2, ..Limits::default() };
    let options = PlyReadOptions { limits, ..PlyReadOptions::default() };
    let bytes = write(&rich(9, 5), &format(PlyFormat::Ascii), 1);
    let error = decode_ply(&bytes, &options, &work(1)).unwrap_err();
    assert_eq!(error.kind(), solio_base::ErrorKind::Limit);
}

/// Decodes damaged bytes; the answer does not matter, only that there is one, and the same on
/// every number of threads.
fn survive(bytes: &[u8]) {
    let of = |threads| {
        decode_ply(&bytes.to_vec(), &PlyReadOptions::default(), &work(threads))
            .map_err(|e| e.to_string())
    };
    let (one, two) = (of(1), of(2));
    match (&one, &two) {
        (Ok(a), Ok(b)) => assert_eq!(format!("{a:?}"), format!("{b:?}")), // NaN is not itself
        _ => assert_eq!(one.is_err(), two.is_err()),
    }
    assert_eq!(one.as_ref().err(), two.as_ref().err());
}

#[test]
fn damaged_files_do_no_harm() {
    for form in FORMATS {
        let golden = write(&rich(9, 5), &format(form), 1);
        for end in 0..golden.len() {
            // Without its last newline a text file is still whole.
            let whole = form == PlyFormat::Ascii && end + 1 == golden.len();
            assert_eq!(read(&golden[..end]).is_ok(), whole, "{form:?} cut at {end}");
        }
        let mut longer = golden.clone();
        longer.push(b'7');
        assert_eq!(read(&longer).unwrap().warnings.len(), 1);
        let strict = PlyReadOptions { strict: true, ..PlyReadOptions::default() };
        assert!(decode_ply(&longer, &strict, &work(1)).is_err());
        for i in 0..256 {
            let mut bytes = golden.clone();
            let bit = i * 7919 % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            survive(&bytes);
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_behind_a_header(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        for form in FORMATS {
            let head = HEAD.replace("ascii", form.name()).replace("vertex 1", "vertex 3");
            let mut bytes = head.into_bytes();
            bytes.extend_from_slice(&body);
            survive(&bytes);
        }
    }

    #[test]
    fn text_is_read_as_it_was_written(values in proptest::collection::vec(any::<f32>(), 3..60)) {
        let rows: Vec<[f32; 3]> = values.as_chunks::<3>().0.to_vec();
        let mesh = Mesh { positions: Positions::F32(rows.clone().into()), ..Mesh::default() };
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let back = read(&write(&scene, &format(PlyFormat::Ascii), 1)).unwrap();
        let Positions::F32(got) = &back.meshes[0].positions else { panic!() };
        for (a, b) in rows.as_flattened().iter().zip(got.as_flattened()) {
            prop_assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
        }
    }
}

#[test]
#[allow(clippy::disallowed_methods, clippy::print_stderr)]
fn real_files_are_read_or_refused_with_a_place() {
    let root = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let files = crate::test_files(&std::path::Path::new(&root).join("mesh"), "ply");
    if files.is_empty() {
        return eprintln!("skipped: no files in {root}/mesh");
    }
    for path in files {
        match read(&std::fs::read(&path).unwrap()) {
            Ok(scene) => {
                let empty = scene.meshes[0].positions.is_empty();
                let named = path.file_name().is_some_and(|n| n.to_string_lossy().contains("empty"));
                assert_eq!(empty, named, "{path:?}");
            }
            Err(e) => assert!(e.offset().is_some(), "{path:?}: {e}"),
        }
    }
}

#[test]
fn a_byte_order_mark_comes_before_the_header() {
    let text = "\u{feff}ply\nformat ascii 1.0 \nelement vertex 1 \nproperty float x \nproperty float y\t\n\
        property float z \nend_header \n1 2 3\n";
    let scene = read(text.as_bytes()).unwrap();
    assert_eq!(scene.meshes[0].positions.get(0), [1.0, 2.0, 3.0]);
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    // Offsets are those of the file.
    let cut = &text.as_bytes()[..text.len() - 3];
    assert!(read(cut).unwrap_err().offset().unwrap() >= text.len() as u64 - 8);
}

/// Two vertices with attributes of types that PLY does not have, and a list of such.
const WIDE: &str = "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
    property int64 small\nproperty ulong large\nproperty half weight\nproperty bool on\n\
    element face 1\nproperty list int64 uint64 vertex_indices\nend_header\n";

#[test]
fn types_that_ply_does_not_have_are_read() {
    let text = format!(
        "ply\nformat ascii 1.0\n{WIDE}0 0 0 -7 4000000000 0.5 1\n1 0 0 8 9007199254740993 2 0\n3 0 1 0\n"
    );
    let mut files = vec![text.into_bytes()];
    for big in [false, true] {
        let name = if big { "big" } else { "little" };
        let mut file = format!("ply\nformat binary_{name}_endian 1.0\n{WIDE}").into_bytes();
        let mut put = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if big {
                bytes.reverse();
            }
            file.extend_from_slice(&bytes);
        };
        for (x, small, large, half, on) in [
            (0.0_f32, -7_i64, 4_000_000_000_u64, 0x3800_u16, 1_u8),
            (1.0, 8, (1 << 53) + 1, 0x4000, 0),
        ] {
            [x, 0.0, 0.0].iter().for_each(|v| put(&v.to_le_bytes()));
            put(&small.to_le_bytes());
            put(&large.to_le_bytes());
            put(&half.to_le_bytes());
            put(&[on]);
        }
        [3_i64, 0, 1, 0].iter().for_each(|v| put(&v.to_le_bytes()));
        files.push(file);
    }
    for file in &files {
        let scene = read(file).unwrap();
        let mesh = &scene.meshes[0];
        let value = |name: &str| &mesh.attributes.iter().find(|a| a.name == name).unwrap().values;
        assert_eq!(*value("small"), Values::I32(vec![-7, 8].into()));
        assert_eq!(*value("large"), Values::F64(vec![4e9, 9007199254740992.0].into()));
        assert_eq!(*value("weight"), Values::F32(vec![0.5, 2.0].into()));
        assert_eq!(*value("on"), Values::U8(vec![1, 0].into()));
        assert_eq!(mesh.corner_vertices[..], [0, 1, 0]);
        let rounded = |w: &&String| w.contains("1 integers past 2^53");
        assert_eq!(scene.warnings.iter().filter(rounded).count(), 1, "{:?}", scene.warnings);
    }
    for end in 0..files[1].len() {
        assert!(read(&files[1][..end]).is_err(), "{end}");
    }
}

#[test]
fn lists_of_texture_coordinates_stay_lists() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 3\nproperty list uchar int vertex_indices\n\
        property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n\
        3 0 1 2 6 0 0 1 0 0 1\n3 2 1 3 6 0.5 0.5 1 0 0.25 1\n3 0 1 3 0\n";
    let scene = read(text.as_bytes()).unwrap();
    for kind in [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian] {
        let written = write(&scene, &format(kind), 1);
        let back = read(&written).unwrap();
        assert_eq!(back.meshes, scene.meshes, "{kind:?}");
        assert_eq!(back.meshes[0].positions.len(), 4);
    }
    // As of Blender, and of OBJ, they split the vertices.
    let mut apart = scene.clone();
    apart.meshes[0].uv_lists = false;
    let back = read(&write(&apart, &format(PlyFormat::Ascii), 1)).unwrap();
    assert!(back.meshes[0].positions.len() > 4);
    // Faces cut to triangles have theirs.
    let quad = text
        .replace("element face 3", "element face 1")
        .split("3 0 1 2 6")
        .next()
        .unwrap()
        .to_owned()
        + "4 0 1 3 2 8 0 0 1 0 1 1 0 1\n";
    let options = PlyWriteOptions { export_triangulated_mesh: true, ..format(PlyFormat::Ascii) };
    let back = read(&write(&read(quad.as_bytes()).unwrap(), &options, 1)).unwrap();
    let mesh = &back.meshes[0];
    assert_eq!((mesh.positions.len(), mesh.corner_vertices.len()), (4, 6));
    let uvs = mesh.uvs.as_ref().unwrap();
    for (corner, uv) in uvs.values.iter().enumerate() {
        let place = mesh.positions.get(mesh.corner_vertices[corner] as usize);
        assert_eq!([f64::from(uv[0]), f64::from(uv[1])], [place[0], place[1]]);
    }
}

#[test]
fn packed_splats_are_unpacked() {
    let mut file = b"ply\nformat binary_little_endian 1.0\nelement chunk 1\n".to_vec();
    let axes = ["x", "y", "z"];
    let (mut names, mut bounds) = (Vec::new(), Vec::new());
    for (what, low, high) in [("", -1.0_f32, 3.0_f32), ("scale_", -8.0, -4.0)] {
        for axis in axes {
            names.extend([format!("min_{what}{axis}"), format!("max_{what}{axis}")]);
            bounds.extend([low, high]);
        }
    }
    for name in &names {
        file.extend_from_slice(format!("property float {name}\n").as_bytes());
    }
    file.extend_from_slice(b"element vertex 1\n");
    for name in ["position", "rotation", "scale", "color"] {
        file.extend_from_slice(format!("property uint packed_{name}\n").as_bytes());
    }
    file.extend_from_slice(b"end_header\n");
    bounds.iter().for_each(|v| file.extend_from_slice(&v.to_le_bytes()));
    // The ends of the bounds; no turn; white, half seen through.
    let half = 512 << 20 | 512 << 10 | 512_u32;
    for word in [2047 << 21, half, 1023 << 11, 0xffff_ff80_u32] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    let scene = read(&file).unwrap();
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions.get(0), [3.0, -1.0, -1.0]);
    assert_eq!(crate::splat_count(mesh), 1);
    let value = |name: &str| match &mesh.attributes.iter().find(|a| a.name == name).unwrap().values
    {
        Values::F32(values) => values[0],
        other => panic!("{other:?}"),
    };
    assert_eq!([value("scale_0"), value("scale_1"), value("scale_2")], [-8.0, -4.0, -8.0]);
    assert!((value("rot_0") - 1.0).abs() < 1e-3 && value("rot_1").abs() < 1e-3);
    let color = crate::splat_colors(mesh).unwrap()[0];
    assert!(color[..3].iter().all(|c| (c - 1.0).abs() < 1e-6), "{color:?}");
    assert!((color[3] - 128.0 / 255.0).abs() < 1e-4, "{color:?}");
    // What is written is a plain file of splats, and OBJ tells what it loses.
    let back = read(&write(&scene, &format(PlyFormat::BinaryLittleEndian), 1)).unwrap();
    assert_eq!(back.meshes, scene.meshes);
    let work = Work::serial();
    let losses = crate::obj::obj_losses(&scene, &Default::default(), &Default::default(), &work);
    assert_eq!(losses.unwrap().iter().next().unwrap().what, "splats");
}

#[test]
fn doubles_in_a_stream_are_asked_for_or_told() {
    let text = |x: &str| {
        let head = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
                    property float z\nend_header\n";
        format!("{head}{x} 0 0\n1 2 3\n").into_bytes()
    };
    let read = |x: &str, double| {
        let options = PlyReadOptions { double, ..PlyReadOptions::default() };
        let scene = decode_ply(&Stream(text(x), 0.into()), &options, &work(1)).unwrap();
        (scene.meshes[0].positions.get(0)[0], scene.warnings)
    };
    let (value, warnings) = read("5432109.876543", false);
    assert_eq!(value, 5432110.0);
    assert!(warnings[0].contains("may be rounded to 32 bits"), "{warnings:?}");
    assert_eq!(read("5432109.876543", true), (5432109.876543, Vec::new()));
    assert_eq!(read("54.876543", false).1, Vec::<String>::new());
    let whole = decode_ply(&text("5432109.876543"), &PlyReadOptions::default(), &work(1)).unwrap();
    assert_eq!(whole.meshes[0].positions.get(0)[0], 5432109.876543);
}

#[test]
fn comments_of_other_encodings_are_guessed_or_asked_for() {
    for (encoding, label, [comment, name]) in [
        (encoding_rs::GBK, "gbk", ["红色金属模型", "木头地板"]),
        (encoding_rs::SHIFT_JIS, "shift-jis", ["赤い金属の模型", "ガラス"]),
        (encoding_rs::WINDOWS_1252, "latin-1", ["Größe in Zentimetern", "métal"]),
    ] {
        let text = format!(
            "ply\nformat ascii 1.0\ncomment {comment}\nelement vertex 1\nproperty float x\n\
             property float y\nproperty float z\nproperty float {name}\nend_header\n0 0 0 7\n"
        );
        let bytes = encoding.encode(&text).0.into_owned();
        let encoding = crate::TextEncoding::of_label(label);
        let asked = PlyReadOptions { encoding, ..PlyReadOptions::default() };
        for (options, said) in [(asked, 0), (PlyReadOptions::default(), 1)] {
            let scene = decode_ply(&bytes, &options, &work(1)).unwrap();
            assert_eq!(scene.comments, [comment]);
            assert_eq!(scene.meshes[0].attributes[0].name, name);
            assert_eq!(scene.warnings.len(), said, "{:?}", scene.warnings);
        }
    }
}
