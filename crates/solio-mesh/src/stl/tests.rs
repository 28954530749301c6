use super::*;
use crate::model::{Attribute, Domain, Mesh, Object, Positions, Scene, Values};
use solio_base::{Result, Work};
use std::borrow::Cow;

fn work(threads: usize) -> Work {
    Work { threads, ..Work::default() }
}

fn read(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_stl(&bytes.to_vec(), &StlReadOptions::default(), &work(2))
}

fn write(scene: &Scene<'_>, ascii_format: bool, threads: usize) -> Vec<u8> {
    let options = StlWriteOptions { ascii_format, ..StlWriteOptions::default() };
    let mut out = Vec::new();
    encode_stl(scene, &options, &work(threads), &mut out).unwrap();
    out
}

/// A grid of `2 n²` triangles that share vertices.
fn grid(n: u32) -> Scene<'static> {
    let w = n + 1;
    let vertex = |i: u32| [(i % w) as f32, (i / w) as f32, ((i * i) % 17) as f32 / 16.0];
    let mut corners = Vec::new();
    for i in (0..n * w).filter(|i| i % w < n) {
        corners.extend_from_slice(&[i, i + 1, i + w + 1, i, i + w + 1, i + w]);
    }
    let mesh = Mesh {
        positions: Positions::F32((0..w * w).map(vertex).collect()),
        face_offsets: (0..=2 * n * n).map(|i| 3 * i).collect(),
        corner_vertices: corners.into(),
        ..Mesh::default()
    };
    Scene { meshes: vec![mesh], ..Scene::default() }
}

#[test]
fn corners_merge_in_first_seen_order_on_any_number_of_threads() {
    let scene = grid(150);
    let points = |scene: &Scene<'_>| -> Vec<[f64; 3]> {
        let mesh = &scene.meshes[0];
        mesh.corner_vertices.iter().map(|&v| mesh.positions.get(v as usize)).collect()
    };
    for ascii in [false, true] {
        let bytes = write(&scene, ascii, 1);
        let first = decode_stl(&bytes, &StlReadOptions::default(), &work(1)).unwrap();
        assert_eq!(first.meshes[0].positions.len(), 151 * 151);
        assert_eq!(points(&first), points(&scene));
        let mut next = 0;
        for &v in first.meshes[0].corner_vertices.iter() {
            assert!(v <= next, "numbers rise one by one");
            next = next.max(v + 1);
        }
        for threads in [2, 7] {
            assert_eq!(write(&scene, ascii, threads), bytes);
            let back = decode_stl(&bytes, &StlReadOptions::default(), &work(threads)).unwrap();
            assert!(back == first);
        }
        let apart = StlReadOptions { merge: false, ..StlReadOptions::default() };
        let apart = decode_stl(&bytes, &apart, &work(2)).unwrap();
        assert_eq!(apart.meshes[0].positions.len(), 6 * 150 * 150);
        assert_eq!(points(&apart), points(&scene));
    }
}

#[test]
fn text_has_solids_names_and_odd_habits() {
    let facet = "FACET NORMAL 0 0 1\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nvertex 1 0 -0\r\n\
                 vertex 0 1 nan ENDLOOP endfacet\r\n";
    let text = format!("solid my part\r\n{facet}{facet}endsolid my part\r\nSOLID b\r\n{facet}");
    let scene = read(text.as_bytes()).unwrap();
    let mesh = &scene.meshes[0];
    let names: Vec<&str> = mesh.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["my part", "b"]);
    assert_eq!(mesh.objects[0].faces_end, 2);
    assert_eq!(mesh.objects[0].vertices_end, 4, "NaN is a place of its own");
    assert_eq!(mesh.positions.len(), 7, "solids do not share vertices");
    assert_eq!(mesh.normals.as_ref().unwrap().domain, Domain::Face);
    assert_eq!(scene.warnings, ["19:1: the text ends without `endsolid` (byte 324)"]);
    assert_eq!(text.len(), 324);
    let strict = StlReadOptions { strict: true, ..StlReadOptions::default() };
    assert!(decode_stl(&text.into_bytes(), &strict, &work(1)).is_err());
}

#[test]
fn binary_may_start_with_solid_and_keeps_its_words() {
    let mut scene = grid(2);
    let words: Vec<u16> = (0..8).map(|i| 0x8000 | i).collect();
    scene.meshes[0].attributes.push(Attribute {
        element: "face".into(),
        name: "attribute_byte_count".into(),
        values: Values::U16(Cow::Owned(words)),
        list: None,
    });
    let mut bytes = write(&scene, false, 1);
    bytes[..5].copy_from_slice(b"solid");
    let back = read(&bytes).unwrap();
    assert_eq!(back.comments, ["solid"]);
    assert_eq!(back.meshes[0].attributes[0], scene.meshes[0].attributes[0]);
    let names: Vec<&str> = back.meshes[0].attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["attribute_byte_count", "red", "green", "blue"]);
    bytes[..5].copy_from_slice(b"Solio");
    bytes.push(0);
    assert_eq!(read(&bytes).unwrap().warnings, ["byte 484: 1 bytes behind the last triangle"]);
}

#[test]
fn colors_of_magics_outlive_its_header() {
    let words = [0x001f, 0x03e0, 0x7c00, 0x8000, 0];
    let mut file = b"COLOR=\x10\x20\x30\xff,MATERIAL=".to_vec();
    file.resize(80, b' ');
    file.extend_from_slice(&(words.len() as u32).to_le_bytes());
    for word in words {
        let corners = [[0.0f32, 0., 1.], [0., 0., 0.], [1., 0., 0.], [0., 1., 0.]];
        file.extend(corners.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        file.extend_from_slice(&u16::to_le_bytes(word));
    }
    let colors = |scene: &Scene<'_>| {
        let values = scene.meshes[0].attributes[1..].iter().map(|a| match &a.values {
            Values::U8(v) => v.to_vec(),
            _ => panic!("bytes"),
        });
        values.collect::<Vec<_>>()
    };
    let scene = read(&file).unwrap();
    assert_eq!(colors(&scene)[0], [255, 0, 0, 16, 0]);
    let mut again = read(&write(&scene, false, 1)).unwrap();
    for channel in 0..3 {
        let pairs =
            colors(&scene)[channel].clone().into_iter().zip(colors(&again)[channel].clone());
        for (was, is) in pairs {
            assert!(was.abs_diff(is) <= 4, "{was} {is}"); // five bits
        }
    }
    // Words of VisCAM stay.
    let bytes = write(&again, false, 1);
    again = read(&bytes).unwrap();
    assert!(write(&again, false, 1) == bytes);
}

#[test]
fn one_object_alone_and_quads() {
    let mut scene = grid(2);
    let mesh = &mut scene.meshes[0];
    let object = |faces_end| Object { faces_end, vertices_end: 9, ..Object::default() };
    mesh.objects = vec![object(3), object(8)];
    let mut out = Vec::new();
    let options = StlWriteOptions::default();
    encode_stl_object(mesh, 1, &options, &work(1), &mut out).unwrap();
    assert_eq!(read(&out).unwrap().meshes[0].face_offsets.len(), 6);
    assert!(encode_stl_object(mesh, 2, &options, &work(1), &mut Vec::new()).is_err());
    let quad = Mesh {
        positions: mesh.positions.clone(),
        face_offsets: Cow::Owned(vec![0, 4]),
        corner_vertices: Cow::Owned(vec![0, 1, 4, 3]),
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![quad], ..Scene::default() };
    assert_eq!(read(&write(&scene, true, 1)).unwrap().meshes[0].face_offsets.len(), 3);
}

#[test]
fn errors_say_what_and_where() {
    let facet = "solid a\nfacet normal 0 0 1\nouter loop\n";
    let mut short = vec![0; 84];
    short[80] = 200;
    let cases: [(Vec<u8>, &str); 7] = [
        (Vec::new(), "byte 0: the file is empty"),
        (
            b"hello".to_vec(),
            "byte 5: neither text (`solid …`) nor long enough for binary STL (84 bytes)",
        ),
        (
            format!("{facet}vertex 1 2 x\n").into_bytes(),
            "4:12: `x` where a number was expected (byte 49)",
        ),
        (
            format!("{facet}vertex 1 2 3\nendloop\n").into_bytes(),
            "2:1: a facet of 1 vertices; STL has triangles only (byte 8)",
        ),
        (b"solid a\n".to_vec(), "2:1: the text ends without `endsolid` (byte 8)"),
        (
            "v 1 2 3\n".repeat(30).into_bytes(),
            "byte 80: 540090486 triangles need 27004524300 bytes; the file has 156 behind its header",
        ),
        (short, "byte 80: 200 triangles need 10000 bytes; the file has 0 behind its header"),
    ];
    for (bytes, message) in cases {
        assert_eq!(read(&bytes).unwrap_err().to_string(), message);
    }
}

#[test]
fn damaged_files_do_no_harm() {
    for ascii in [false, true] {
        let golden = write(&grid(2), ascii, 1);
        for end in 0..golden.len() {
            let result = read(&golden[..end]);
            assert!(result.is_err() || ascii || end >= 84 + 50, "{end}");
            if let Ok(scene) = result {
                let ended = golden[..end].ends_with(b"endsolid");
                assert!(ended || !scene.warnings.is_empty() || end + 2 >= golden.len(), "{end}");
            }
        }
        let mut longer = golden.clone();
        longer.push(b'x');
        assert!(!read(&longer).unwrap().warnings.is_empty());
        let strict = StlReadOptions { strict: true, ..StlReadOptions::default() };
        assert!(decode_stl(&longer, &strict, &work(1)).is_err());
        for i in 0..256 {
            let mut bytes = golden.clone();
            let bit = i * 7919 % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            let of = |threads| {
                decode_stl(&bytes, &StlReadOptions::default(), &work(threads))
                    .map_err(|e| e.to_string())
            };
            assert_eq!(format!("{:?}", of(1)), format!("{:?}", of(2)));
        }
    }
}

#[test]
fn many_equal_nans_take_no_time() {
    let nan = [f32::NAN; 3];
    let mesh = Mesh {
        positions: Positions::F32(vec![nan; 60_000].into()),
        face_offsets: (0..=20_000).map(|i| 3 * i).collect(),
        corner_vertices: (0..60_000).collect(),
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let back = read(&write(&scene, false, 2)).unwrap();
    assert_eq!(back.meshes[0].positions.len(), 60_000);
}

#[test]
#[allow(clippy::disallowed_methods, clippy::print_stderr)]
fn real_files_are_read() {
    let root = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let files = crate::test_files(&std::path::Path::new(&root).join("mesh"), "stl");
    if files.is_empty() {
        return eprintln!("skipped: no files in {root}/mesh");
    }
    for path in files {
        let scene = read(&std::fs::read(&path).unwrap()).unwrap();
        let empty = scene.meshes[0].positions.is_empty();
        assert_eq!(empty, path.ends_with("empty.stl") || path.ends_with("stl_empty_bin.stl"));
    }
}

const FACET: &str = " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n\
  endloop\n endfacet\n";

#[test]
fn facets_in_other_words_are_read_with_a_warning() {
    let strict = StlReadOptions { strict: true, ..StlReadOptions::default() };
    let odd: [(&str, &str); 14] = [
        ("endloop", "end loop"),
        ("endfacet", "end facet"),
        ("normal ", ""),
        ("normal 0 0 1", ""),
        ("normal 0 0 1", "normal"),
        ("outer loop", "outer"),
        ("outer loop", "loop"),
        ("  outer loop\n", ""),
        ("endloop\n", ""),
        (" endfacet\n", ""),
        (" facet normal 0 0 1\n", ""),
        ("vertex 0 1 0", "vertex 0 1 0 7"),
        (" endfacet", " color 1 0 0\n endfacet"),
        ("outer loop", "OUTER LOOP 3"),
    ];
    for (from, to) in odd {
        let facet = FACET.replace(from, to);
        let text = format!("solid a\n{facet}{FACET}{facet}endsolid a\n").into_bytes();
        let scene = read(&text).unwrap_or_else(|e| panic!("{to:?} for {from:?}: {e}"));
        assert_eq!(scene.meshes[0].face_offsets.len(), 4, "{from:?} {to:?}");
        assert_eq!(scene.meshes[0].positions.len(), 3, "{from:?} {to:?}");
        assert_eq!(scene.warnings.len(), 1, "{from:?} {to:?}: {:?}", scene.warnings);
        assert!(decode_stl(&text, &strict, &work(1)).is_err(), "{from:?} {to:?}");
    }
    for text in [
        format!("solid a\n{FACET}end solid a\n"),
        format!("solid a\nmade by hand\n{FACET}endsolid a\n"),
        format!("{FACET}endsolid a\n"),
    ] {
        let scene = read(text.as_bytes()).unwrap();
        assert_eq!((scene.meshes[0].face_offsets.len(), scene.warnings.len()), (2, 1), "{text}");
        assert!(decode_stl(&text.into_bytes(), &strict, &work(1)).is_err());
    }
    // Many of them are cut into chunks as others are, on any number of threads.
    let many = FACET.replace("endloop", "end loop").replace("endfacet", "end facet").repeat(12_000);
    let text = format!("solid a\n{many}end solid a\n").into_bytes();
    let of = |threads| decode_stl(&text, &StlReadOptions::default(), &work(threads)).unwrap();
    assert_eq!(of(1).meshes[0].face_offsets.len(), 12_001);
    assert_eq!(of(1), of(3));
}

#[test]
fn a_count_that_is_too_large_leaves_the_triangles_that_are_there() {
    let mut bytes = write(&grid(2), false, 1);
    let triangles = (bytes.len() - 84) / 50;
    bytes[80] += 9;
    let scene = read(&bytes).unwrap();
    assert_eq!(scene.meshes[0].face_offsets.len(), triangles + 1);
    assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    let strict = StlReadOptions { strict: true, ..StlReadOptions::default() };
    assert!(decode_stl(&bytes, &strict, &work(1)).is_err());
}

#[test]
fn text_far_from_the_origin_is_read_in_doubles() {
    let far = FACET.replace("vertex 1 0 0", "vertex 500000.1234 4649776.9876 10.5");
    let text = format!("solid a\n{far}{far}endsolid a\nsolid b\n{far}endsolid b\n").into_bytes();
    let scene = read(&text).unwrap();
    let mesh = &scene.meshes[0];
    let Positions::F64(positions) = &mesh.positions else { panic!("floats do not hold them") };
    assert_eq!(positions[1], [500000.1234, 4649776.9876, 10.5]);
    assert_eq!(positions.len(), 6, "of each solid three");
    assert_eq!(mesh.corner_vertices[..], [0, 1, 2, 0, 1, 2, 3, 4, 5]);
    assert_eq!(mesh.objects[0].vertices_end, 3);
    // What a program writes of floats needs no more than floats.
    let floats = FACET.replace("vertex 1 0 0", "vertex 500000.125000 4649777.000000 10.5");
    let text = format!("solid a\n{floats}endsolid a\n").into_bytes();
    assert!(matches!(read(&text).unwrap().meshes[0].positions, Positions::F32(_)));
}

#[test]
fn names_of_other_encodings_are_guessed_or_asked_for() {
    let solid = |name: &str| {
        format!(
            "solid {name}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
             vertex 0 1 0\nendloop\nendfacet\nendsolid {name}\n"
        )
    };
    for (encoding, label, names) in [
        (encoding_rs::GBK, "gbk", ["红色金属", "木头地板"]),
        (encoding_rs::SHIFT_JIS, "shift-jis", ["赤い金属", "ガラス"]),
        (encoding_rs::WINDOWS_1252, "latin-1", ["Größe", "métal rouge"]),
    ] {
        let text = encoding.encode(&names.map(solid).concat()).0.into_owned();
        let mut header = encoding.encode(&format!("{:<60}", names[0])).0.into_owned();
        header.resize(84, 0);
        header[80] = 1;
        let binary = [header, vec![0; 50]].concat();
        let asked = StlReadOptions {
            encoding: crate::TextEncoding::of_label(label),
            ..StlReadOptions::default()
        };
        for (options, said) in [(asked, 0), (StlReadOptions::default(), 1)] {
            let scene = decode_stl(&text, &options, &Work::serial()).unwrap();
            let found = scene.meshes[0].objects.iter().map(|object| &*object.name);
            assert_eq!(found.collect::<Vec<_>>(), names);
            assert_eq!(scene.warnings.len(), said, "{:?}", scene.warnings);
            let scene = decode_stl(&binary, &options, &Work::serial()).unwrap();
            assert_eq!(
                (&scene.comments[..], scene.warnings.len()),
                (&[names[0].to_owned()][..], said)
            );
        }
    }
}

#[test]
fn positions_past_single_precision_are_counted() {
    let text = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
        vertex 0 0.5E+80 0\nendloop\nendfacet\nendsolid a\n"
        .to_vec();
    let scene = decode_stl(&text, &StlReadOptions::default(), &Work::serial()).unwrap();
    assert_eq!(scene.meshes[0].positions.get(2)[1], 0.5e80);
    for ascii_format in [false, true] {
        let options = StlWriteOptions { ascii_format, ..StlWriteOptions::default() };
        let losses = stl_losses(&scene, &options, true, &Work::serial()).unwrap().to_string();
        assert!(losses.contains("past 3.4e38 become infinite (1 position)"), "{losses}");
    }
}

/// A source that does not know how many bytes it has.
struct Unmeasured(Vec<u8>);

impl solio_base::Source for Unmeasured {
    fn len_bytes(&self) -> Option<u64> {
        None
    }
    fn is_sequential(&self) -> bool {
        true
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn data_without_a_count_are_triangles_or_nothing_also_in_a_stream() {
    let mut bytes = write(&grid(7), false, 1);
    bytes[80..84].fill(0);
    let streamed = |bytes: &[u8]| {
        decode_stl(&Unmeasured(bytes.to_vec()), &StlReadOptions::default(), &work(1))
    };
    let faces = |scene: Scene<'_>| scene.meshes[0].face_offsets.len() - 1;
    assert_eq!(faces(read(&bytes).unwrap()), faces(streamed(&bytes).unwrap()));
    for more in [1, 22, 49] {
        let odd = [&bytes[..], &vec![0x78; more]].concat();
        assert!(read(&odd).is_err() && streamed(&odd).is_err(), "{more}");
    }
}
