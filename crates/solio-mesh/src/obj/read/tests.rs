use super::super::{decode_mtl, options::ObjReadOptions};
use super::*;
use crate::model::{Domain, Mesh, NONE, Positions};
use solio_base::{Error, ErrorKind, Limits};

fn read(text: impl AsRef<[u8]>) -> Result<Scene<'static>> {
    decode_obj(&text.as_ref().to_vec(), &ObjReadOptions::default(), &Work::serial())
}

fn mesh(text: impl AsRef<[u8]>) -> Mesh<'static> {
    read(text).unwrap().meshes.remove(0)
}

fn strict(text: &str) -> Result<Scene<'static>> {
    let options = ObjReadOptions { strict: true, ..ObjReadOptions::default() };
    decode_obj(&text.as_bytes().to_vec(), &options, &Work::serial())
}

fn positions(mesh: &Mesh<'_>) -> Vec<[f32; 3]> {
    match &mesh.positions {
        Positions::F32(p) => p.to_vec(),
        Positions::F64(_) => panic!("asked for f32"),
    }
}

fn index(domain: &Domain<'_>) -> Vec<u32> {
    match domain {
        Domain::Indexed(index) => index.to_vec(),
        _ => panic!("OBJ gives indices"),
    }
}

/// Serves bytes without showing them, from any place or in order only.
struct Hidden {
    bytes: Vec<u8>,
    sequential: bool,
    next: std::sync::Mutex<u64>,
}

impl Hidden {
    fn new(bytes: &[u8], sequential: bool) -> Self {
        Hidden { bytes: bytes.to_vec(), sequential, next: std::sync::Mutex::new(0) }
    }
}

impl Source for Hidden {
    fn len_bytes(&self) -> Option<u64> {
        (!self.sequential).then_some(self.bytes.len() as u64)
    }
    fn is_sequential(&self) -> bool {
        self.sequential
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let got = self.bytes.read_at(offset, buf)?;
        let mut next = self.next.lock().unwrap();
        assert!(!self.sequential || offset == *next, "a sequential source is read in order");
        *next = offset + got as u64;
        Ok(got)
    }
}

const EVERYTHING: &str = "# head\n# second head\nmtllib a b.mtl\nmtllib c.mtl\n\
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 0.5\no first thing\nv 0 0 1 0.25 0.5 0.75\n\
vt 0 0\nvt 1\nvt 1 1 1\nvn 0 0 1\nvn 0 0 -2\ng a  b\nusemtl Material #25\ns 3\n\
f 1/1/1 2/2/1 3/3/2 4/1/2\nf 1//1 2//1 3//2\ns off\nf 1/1 2/2 3/3\nf -1 -2 -3 # end\n\
usemtl\nf 1 \\\n  2 \\\n  3\nl 1/1 2/2 3\nl 4 5\np 1 2\np -1\n\
o second\nusemtl other\ng\nv 2 2 2\nf -2/-1/-1 -1/-2/-2 7/3/1\nvp 0.1 0.2\n\
cstype bspline\ndeg 3\ncurv 0 1 -1 -2 -3\nparm u 0 1\nend\nv 3 3 3\n";

#[test]
fn reads_every_kind_of_statement() {
    let scene = read(EVERYTHING).unwrap();
    assert_eq!(scene.warnings, Vec::<String>::new());
    assert_eq!(scene.comments, ["head", "second head"]);
    assert_eq!(scene.material_libraries, ["a b.mtl", "c.mtl"]);
    let names: Vec<&str> = scene.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["Material #25", "other"]);
    let mesh = &scene.meshes[0];
    assert_eq!(positions(mesh)[4..], [[0., 0., 1.], [2., 2., 2.], [3., 3., 3.]]);
    assert_eq!(mesh.weights.as_deref().unwrap(), [1., 1., 1., 0.5, 1., 1., 1.]);
    let colors = mesh.colors.as_ref().unwrap();
    assert_eq!(colors.values[3..6], [NO_COLOR, [0.25, 0.5, 0.75, 1.0], NO_COLOR]);
    assert_eq!(mesh.face_offsets[..], [0, 4, 7, 10, 13, 16, 19]);
    assert_eq!(mesh.corner_vertices[..], [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 4, 3, 2, 0, 1, 2, 4, 5, 6]);
    let uvs = mesh.uvs.as_ref().unwrap();
    assert_eq!(uvs.values[..], [[0., 0.], [1., 0.], [1., 1.]]);
    let n = NONE;
    assert_eq!(index(&uvs.domain), [0, 1, 2, 0, n, n, n, 0, 1, 2, n, n, n, n, n, n, 2, 1, 2]);
    let normals = mesh.normals.as_ref().unwrap();
    assert_eq!(normals.values[..], [[0., 0., 1.], [0., 0., -2.]]);
    assert_eq!(index(&normals.domain), [0, 0, 1, 1, 0, 0, 1, n, n, n, n, n, n, n, n, n, 1, 0, 0]);
    assert_eq!(mesh.face_materials[..], [0, 0, 0, 0, n, 1]);
    assert_eq!(mesh.face_smoothing[..], [3, 3, 0, 0, 0, 0]);
    assert_eq!(mesh.face_groups[..], [0, 0, 0, 0, 0, n]);
    assert_eq!(mesh.groups, ["a b"]);
    assert_eq!(mesh.line_offsets[..], [0, 3, 5]);
    assert_eq!(mesh.line_vertices[..], [0, 1, 2, 3, 4]);
    assert_eq!(mesh.line_uvs[..], [0, 1, n, n, n]);
    assert_eq!(mesh.points[..], [0, 1, 4]);
    let objects: Vec<_> = mesh
        .objects
        .iter()
        .map(|o| {
            (o.name.as_str(), o.vertices_end, o.uvs_end, o.faces_end, o.lines_end, o.points_end)
        })
        .collect();
    assert_eq!(objects, [("first thing", 5, 3, 5, 2, 3), ("second", 7, 3, 6, 2, 3)]);
    let freeform = String::from_utf8(mesh.freeform.clone()).unwrap();
    assert_eq!(freeform, "vp 0.1 0.2\ncstype bspline\ndeg 3\ncurv 0 1 6 5 4\nparm u 0 1\nend\n");
}

#[test]
fn every_way_to_cut_and_share_the_work_gives_the_same() {
    let crlf = EVERYTHING.replace('\n', "\r\n");
    let cr = EVERYTHING.replace('\n', "\r");
    let wide: Vec<u8> = std::iter::once(0xFEFF)
        .chain(EVERYTHING.encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    let little: Vec<u8> = EVERYTHING.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = format!("\u{FEFF}{EVERYTHING}");
    let expected = read(EVERYTHING).unwrap();
    let forms =
        [EVERYTHING.as_bytes(), crlf.as_bytes(), cr.as_bytes(), &wide, &little, marked.as_bytes()];
    for bytes in forms {
        for chunk_bytes in [1, 7, 64, 500, 1 << 20] {
            for threads in [1, 2, 7] {
                let work = Work { threads, ..Work::default() };
                let options = ObjReadOptions::default();
                let sources: [Box<dyn Source>; 3] = [
                    Box::new(bytes.to_vec()),
                    Box::new(Hidden::new(bytes, false)),
                    Box::new(Hidden::new(bytes, true)),
                ];
                for source in sources {
                    let scene = decode_chunks(&*source, &options, &work, chunk_bytes).unwrap();
                    assert_eq!(scene, expected, "{chunk_bytes} {threads}");
                }
            }
        }
    }
}

/// The error of a text, the same however it is read.
fn error(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    let expected = read(bytes).unwrap_err().to_string();
    for chunk_bytes in [1, 7, 64] {
        for threads in [1, 3] {
            let work = Work { threads, ..Work::default() };
            let options = ObjReadOptions::default();
            for sequential in [false, true] {
                let source = Hidden::new(bytes, sequential);
                let e = decode_chunks(&source, &options, &work, chunk_bytes).unwrap_err();
                assert_eq!(e.to_string(), expected, "{chunk_bytes} {threads} {sequential}");
            }
        }
    }
    expected
}

#[test]
fn errors_name_the_very_word() {
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_eq!(
        error(format!("{v}f 1 2 0\n")),
        "4:7: face refers to vertex 0; indices start at 1 (byte 30)\n  \
         hint: some exporters write 0-based indices; try --index-base 0"
    );
    assert_eq!(
        error(format!("{v}# c\r\nf 1 2 3/4 5\n")),
        "5:11: face refers to vertex 5; the file has 3 vertices (byte 39)"
    );
    assert_eq!(
        error(format!("{v}vt 0 0\nl 1/1 2/1\nf 1/1 2/2 3/1\nv 1 1 1\n")),
        "6:9: face refers to texture coordinate 2; the file has 1 texture coordinate (byte 49)"
    );
    assert_eq!(
        error(format!("{v}f 1 2 3\nf -1 -2 -4\nf 0 0 0\n")),
        "5:9: face refers to vertex -4; only 3 come before it (byte 40)"
    );
    assert_eq!(error(format!("{v}v 1 2,5 3\n")), "4:5: `2,5` is not a number (byte 28)");
    assert_eq!(error(format!("{v}v 1 2 \\\n x\n")), "5:2: `x` is not a number (byte 33)");
    assert_eq!(
        error(format!("{v}f 1 2 x\n")),
        "4:7: `x` is not a corner; corners are v, v/vt, v//vn or v/vt/vn (byte 30)"
    );
    assert_eq!(error(format!("{v}f 1 2 3.5\n")), "4:7: `3.5` is not a whole number (byte 30)");
    assert_eq!(
        error(format!("{v}f 1 2 99999999999\n")),
        "4:7: index 99999999999 is too large (byte 30)"
    );
    assert_eq!(
        error(format!("{v}curv 0 1 1 -9\n")),
        "4:12: index -9 points before the first element (byte 35)"
    );
    // UTF-16: offsets are those of the file.
    let wide: Vec<u8> =
        "\u{FEFF}# ä😀\nv 1 2 x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(error(wide), "2:7: `x` is not a number (byte 26)");
}

#[test]
fn what_is_no_obj_is_refused() {
    let texts: [&[u8]; 6] = [
        b"",
        b"\n\n",
        b"# only a comment\n",
        b"<!DOCTYPE html>\n<html></html>\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"o a\nusemtl b\ng c\nvn 0 0 1\n",
    ];
    for text in texts {
        let e = read(text).unwrap_err();
        assert_eq!(e.message(), "no vertices: this is no OBJ model, or an empty one");
    }
    assert_eq!(mesh("v 1 2 3").positions.len(), 1);
}

#[test]
fn a_backslash_at_the_end_joins_nothing() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\\";
    let scene = read(text).unwrap();
    assert_eq!(scene.meshes[0].corner_vertices[..], [0, 1, 2]);
    assert_eq!(scene.warnings, ["5:2: a backslash at the end of the file joins nothing"]);
    let error = strict(text).unwrap_err().to_string();
    assert_eq!(error, "5:2: a backslash at the end of the file joins nothing (byte 33)");
}

#[test]
fn what_other_files_bring_in_is_refused_when_strict() {
    let scene = read("call other.obj\nv 0 0 0\nbevel on\n").unwrap();
    assert_eq!(scene.warnings, ["1:1: `call` is not followed", "3:1: `bevel` is not kept"]);
    let error = strict("v 0 0 0\ncall other.obj\n").unwrap_err();
    assert_eq!((error.kind(), error.line()), (ErrorKind::Unsupported, Some(2)));
    assert_eq!(strict("v 0 0 0\nbevel on\n").unwrap().warnings.len(), 1);
}

#[test]
fn lenient_and_strict_differ() {
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (line, warning) in [
        ("foo bar\n", "4:1: unknown statement `foo`"),
        ("f 1 2\n", "4:1: a face of 2 vertices; it needs 3"),
        ("l 1\n", "4:1: a line of 1 vertices; it needs 2"),
        ("v 1 2\n", "4:1: `v` has 2 numbers; it needs 3"),
        ("vn 1 2 3 4\n", "4:10: `vn` has too many numbers"),
        ("s x\n", "4:1: `s` needs a number, `on` or `off`"),
    ] {
        assert_eq!(read(format!("{v}{line}")).unwrap().warnings, [warning]);
        let e = strict(&format!("{v}{line}")).unwrap_err();
        let place = format!("{}:{}", e.line().unwrap(), e.column().unwrap());
        assert_eq!(format!("{place}: {}", e.message()), warning);
    }
    let text = format!("{v}f 1/1/1 2/2/1 3/3/1\n");
    let scene = read(&text).unwrap();
    assert_eq!(scene.warnings.len(), 2);
    assert!(scene.meshes[0].uvs.is_none() && scene.meshes[0].normals.is_none());
    assert!(strict(&text).is_err());
    let many = format!("{v}{}", "foo\n".repeat(1000));
    let warnings = read(many).unwrap().warnings;
    assert_eq!((warnings.len(), warnings[100].as_str()), (101, "and 900 more"));
}

#[test]
fn indices_may_start_at_0() {
    let options = ObjReadOptions { index_base: 0, ..ObjReadOptions::default() };
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\nf -3 -2 -1\ncurv 0 1 0 1 2\n".to_vec();
    let scene = decode_obj(&text, &options, &Work::serial()).unwrap();
    assert_eq!(scene.meshes[0].corner_vertices[..], [0, 1, 2, 0, 1, 2]);
    assert_eq!(scene.meshes[0].freeform, b"curv 0 1 1 2 3\n");
}

#[test]
fn odd_numbers_are_read() {
    let m = mesh("v nan -inf inf\nv 1.#INF -1.#IND -nan(ind)\nv .5 1. +1e-3\n");
    let p = positions(&m);
    assert!(p[0][0].is_nan() && p[1][1].is_nan() && p[1][2].is_nan());
    assert_eq!((p[0][1], p[0][2], p[1][0]), (f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY));
    assert_eq!(p[2], [0.5, 1.0, 1e-3]);
    let options = ObjReadOptions { double: true, ..ObjReadOptions::default() };
    let text = b"v 4500000.123456789 0.1 -3\nv 1 2 3 4\n".to_vec();
    let scene = decode_obj(&text, &options, &Work::serial()).unwrap();
    assert_eq!(scene.meshes[0].positions.get(0), [4500000.123456789, 0.1, -3.0]);
    assert_eq!(scene.meshes[0].weights.as_deref().unwrap(), [1.0, 4.0]);
}

#[test]
fn floats_are_bit_equal_to_std() {
    let mut state = 88172645463325252u64;
    let mut text = String::new();
    let mut expected = Vec::new();
    for i in 0..20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let value = f32::from_bits(state as u32);
        // Larger ones need no more than the digits of a float either; these are other tests'.
        let value = if value.abs() < 65536.0 { value } else { 1.0 };
        let words = [
            format!("{:.*}", i % 10, (state >> 32) as i32 as f64 / 1e7),
            format!("{value}"),
            format!("{value:e}"),
        ];
        text.push_str(&format!("v {}\n", words.join(" ")));
        expected.push(words.map(|w| w.parse::<f32>().unwrap().to_bits()));
    }
    let got: Vec<[u32; 3]> = positions(&mesh(text)).iter().map(|p| p.map(f32::to_bits)).collect();
    assert_eq!(got, expected);
}

#[test]
fn polypaint_colours_the_vertices_before_it() {
    let m = mesh("v 0 0 0\nv 1 0 0\n#MRGB ff0000ff00ff0000ff\nv 2 0 0\n#MRGB ffffffff\n");
    assert!(m.colors.is_some());
    let m = mesh(
        "v 0 0 0\nv 1 0 0\n#MRGB ff0000ff\n#MRGB ffff0000\nv 2 0 0\n#MRGB ff00ff00\nv 3 0 0\n",
    );
    let colors = m.colors.unwrap().values;
    let [r, g, b] = [[1., 0., 0., 1.], [0., 1., 0., 1.], [0., 0., 1., 1.]];
    assert_eq!(colors[..], [b, r, g, NO_COLOR]);
}

#[test]
fn names_keep_their_spaces_and_bytes() {
    let text = b"o  a b \t\nusemtl d\xe6k\nv 0 0 0\no \xe6\xbc\xa2\n";
    let scene = read(text).unwrap();
    let names: Vec<&str> = scene.meshes[0].objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["a b", "漢"]);
    assert_eq!(scene.materials.len(), 1);
    assert_eq!(scene.materials[0].name, "dæk");
    let told = "names are not UTF-8: read as windows-1252, a guess (`dæk`); --encoding says which";
    assert_eq!(scene.warnings, [told]);
}

#[test]
fn limits_hold() {
    let limits = Limits { elements: 3, line_bytes: 50, ..Limits::default() };
    let options = ObjReadOptions { limits, ..ObjReadOptions::default() };
    let kind = |text: &str| {
        let source = text.as_bytes().to_vec();
        decode_chunks(&source, &options, &Work::serial(), 16).err().map(|e: Error| e.kind())
    };
    assert_eq!(kind("v 0 0 0\nv 0 0 0\nv 0 0 0\n"), None);
    assert_eq!(kind("v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\n"), Some(ErrorKind::Limit));
    assert_eq!(kind(&format!("v 0 0 0\n# {}", "x".repeat(200))), Some(ErrorKind::Limit));
}

#[test]
fn broken_files_never_panic() {
    let golden = EVERYTHING.as_bytes();
    let options = ObjReadOptions::default();
    let work = Work::serial();
    let decode = |bytes: &[u8]| {
        let _ = decode_chunks(&bytes.to_vec(), &options, &work, 100);
        let _ = decode_mtl(bytes, &options);
    };
    for end in 0..golden.len() {
        decode(&golden[..end]);
    }
    let mut state = 1u64;
    for _ in 0..256 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut broken = golden.to_vec();
        let at = (state >> 33) as usize % broken.len();
        broken[at] ^= 1 << (state >> 20 & 7);
        decode(&broken);
        broken.insert(at, (state >> 40) as u8);
        decode(&broken);
    }
}

#[test]
fn real_files_are_read_or_refused_with_a_place() {
    let root = std::env::var_os("SOLIO_DATA")
        .map(std::path::PathBuf::from)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let mut folders = vec![root.join("mesh")];
    let (mut read_files, mut refused) = (0, 0);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let kind = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
            let error = match kind.as_deref() {
                Some("obj") => check_obj(&file(&path)).err(),
                Some("mtl") => decode_mtl(&file(&path), &ObjReadOptions::default()).err(),
                _ => continue,
            };
            match error {
                None => read_files += 1,
                Some(e) => {
                    assert!(e.line().is_some() && e.offset().is_some(), "{path:?}: {e}");
                    refused += 1;
                }
            }
        }
    }
    if read_files == 0 {
        #[allow(clippy::print_stdout)]
        {
            println!("skipped: no files in {}", root.display());
        }
        return;
    }
    assert!(read_files > 60 && refused < 10, "{read_files} read, {refused} refused");
}

#[allow(clippy::disallowed_methods)]
fn file(path: &std::path::Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

fn check_obj(bytes: &[u8]) -> Result<()> {
    let options = ObjReadOptions::default();
    let expected = read(bytes);
    for (chunk_bytes, threads) in [(100, 1), (5000, 3)] {
        let work = Work { threads, ..Work::default() };
        let got = decode_chunks(&Hidden::new(bytes, true), &options, &work, chunk_bytes);
        match (&expected, got) {
            (Ok(a), Ok(b)) => assert!(*a == b || has_nan(a)),
            (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
    expected.map(|_| ())
}

fn has_nan(scene: &Scene<'_>) -> bool {
    positions(&scene.meshes[0]).iter().flatten().any(|x| x.is_nan())
}

#[test]
fn seven_numbers_are_a_place_and_a_colour_with_alpha() {
    let m = mesh("v 0 0 0 1 0.5 0 0.25\nv 1 0 0 0 1 0 1\nv 0 1 0 0 0 1\nf 1 2 3\n");
    let colors = m.colors.unwrap();
    assert_eq!(colors.values[..], [[1., 0.5, 0., 0.25], [0., 1., 0., 1.], [0., 0., 1., 1.]]);
    assert_eq!(m.weights, None);
    // Curves that are not rational change nothing; rational ones use the fourth coordinate.
    let curve = "v 0 0 0 2 0.5 0 0.25\nv 1 0 0 1 0 0\nv 0 1 0 3\ncstype bezier\ndeg 2\n\
        curv 0 1 1 2 3\nparm u 0 1\nend\n";
    assert_eq!(mesh(curve).colors.unwrap().values[0], [2., 0.5, 0., 0.25]);
    let m = mesh(curve.replace("bezier", "rat bezier"));
    assert_eq!(m.weights.as_deref().unwrap(), [2., 1., 3.]);
    assert_eq!(m.colors.unwrap().values[..2], [[0.5, 0., 0.25, 1.], [1., 0., 0., 1.]]);
}

#[test]
fn places_far_from_the_origin_are_doubles() {
    let near = "v 0.1 0.25 3\n".repeat(40);
    let far = "v 456789.123456 5432109.876543 123.456789\n";
    let text = format!("{near}{far}{near}f 1 2 3\n");
    let double = ObjReadOptions { double: true, ..ObjReadOptions::default() };
    let wanted = decode_obj(&text.as_bytes().to_vec(), &double, &Work::serial()).unwrap();
    for chunk in [64, 512 << 10] {
        for sequential in [false, true] {
            let source = Hidden::new(text.as_bytes(), sequential);
            let options = ObjReadOptions::default();
            let scene = decode_precise(&source, &options, &Work::serial(), chunk).unwrap();
            assert_eq!(scene, wanted, "{chunk} {sequential}");
        }
    }
    let Positions::F64(positions) = &wanted.meshes[0].positions else { panic!() };
    assert_eq!(positions[40], [456789.123456, 5432109.876543, 123.456789]);
    let is_f32 = |text: &str| matches!(mesh(text).positions, Positions::F32(_));
    // A model of centimetres in degrees; one as large as its distance; text of floats.
    assert!(!is_f32("v 13.40495401 52.52000815 0\nv 13.40495512 52.52000921 0\n"));
    assert!(is_f32("v 13.40495401 52.52000815 0\nv 0 0 0\n"));
    assert!(is_f32("v 500000.125000 4649777.000000 0.1\nv 70000.3359375 1e9 1.2345679e8\n"));
    assert!(!is_f32("v 1e39 0 0\n"), "floats would have infinity");
    // Another look tells whether text says more, and a stream has none.
    let small = Hidden::new(b"v 13.40495401 52.52000815 0\nv 13.40495512 52.52000921 0\n", true);
    let told = decode_obj(&small, &ObjReadOptions::default(), &Work::serial()).unwrap().warnings;
    assert!(told[0].contains("may be rounded to 32 bits"), "{told:?}");
}

#[test]
fn names_of_other_encodings_are_guessed_or_asked_for() {
    let text = |encoding: &'static encoding_rs::Encoding, names: [&str; 3]| {
        let text = format!(
            "mtllib {0}.mtl\no {1}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl {2}\nf 1 2 3\n",
            names[0], names[1], names[2]
        );
        encoding.encode(&text).0.into_owned()
    };
    for (encoding, label, names) in [
        (encoding_rs::GBK, "gbk", ["材质文件", "木头地板", "红色金属"]),
        // The last byte of the last name looks like a backslash.
        (encoding_rs::SHIFT_JIS, "shift-jis", ["マテリアル", "赤い金属", "ガラス表"]),
    ] {
        let bytes = text(encoding, names);
        let asked = ObjReadOptions {
            encoding: crate::TextEncoding::of_label(label),
            ..ObjReadOptions::default()
        };
        let told = decode_obj(&bytes, &asked, &Work::serial()).unwrap();
        assert!(told.warnings.is_empty(), "{:?}", told.warnings);
        let guessed = read(&bytes).unwrap();
        assert!(guessed.warnings[0].contains("a guess"), "{:?}", guessed.warnings);
        for scene in [told, guessed] {
            assert_eq!(scene.material_libraries, [format!("{}.mtl", names[0])]);
            assert_eq!(scene.meshes[0].objects[0].name, names[1]);
            assert_eq!(scene.materials[0].name, names[2]);
            assert_eq!(scene.names_encoding, asked.encoding);
            assert_eq!(scene.meshes[0].face_offsets.len(), 2);
        }
        let library = encoding.encode(&format!("newmtl {}\nKd 1 0 0\n", names[2])).0.into_owned();
        let (materials, warnings) = decode_mtl(&library, &asked).unwrap();
        assert_eq!((&*materials[0].name, warnings.len()), (names[2], 0));
    }
    let (materials, _) =
        decode_mtl(b"newmtl a\nmap_Kd -clamp on \"my tex.png\"\n", &Default::default()).unwrap();
    assert_eq!(materials[0].maps[0].path, "my tex.png");
}
