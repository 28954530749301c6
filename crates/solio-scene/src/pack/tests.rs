use super::*;
use crate::scene::tests::{MemoryFiles, OTHER};
use crate::scene::{Scene, SceneOptions, read_scene};
use proptest::prelude::*;
use solio_base::{Error, ErrorKind, Result, Source, Work};
use solio_codec::array::Effort;
use std::borrow::Cow;
use std::path::Path;

const SCENE: &str = r#"LookAt 0 -5 0  0 0 0  0 0 1
TransformTimes 0.5 2
MediumInterface "" "fog"
Camera "perspective" "float fov" 39.5
MediumInterface ""
Film "rgb" "integer xresolution" 200 "string filename" "a.exr"
Sampler "halton" "integer pixelsamples" 4
PixelFilter "mitchell"
Integrator "path" "integer maxdepth" 100
Accelerator "bvh"
Option "bool forcediffuse" true
WorldBegin
MakeNamedMedium "fog" "string type" "homogeneous"
MakeNamedMaterial "red" "string type" "diffuse" "rgb reflectance" [ 1 0 0 ]
Attribute "shape" "float radius" 3
Attribute "shape" "float zmax" 1
Texture "checks" "spectrum" "checkerboard" "float uscale" 8
AttributeBegin
Translate 1 2 3
ReverseOrientation
NamedMaterial "red"
NamedMaterial "missing"
MediumInterface "fog" ""
AreaLightSource "diffuse" "rgb L" [ 5 5 5 ]
Shape "sphere" "float zmin" -1
AttributeEnd
ColorSpace "rec2020"
Material "diffuse" "texture reflectance" "checks"
Shape "plymesh" "string filename" "a.ply" "spectrum eta" "metal-Cu-eta"
ObjectBegin "tree"
Translate 0 0 1
Shape "plymesh" "string filename" "b.ply"
Shape "plymesh" "string filename" "a.ply"
ObjectEnd
AttributeBegin
ActiveTransform EndTime
Rotate 20 0 1 0
ActiveTransform All
ObjectInstance "tree"
Shape "disk"
AttributeEnd
ObjectInstance "tree"
Include "other.pbrt"
LightSource "infinite" "float scale" 2 "spectrum L" [ 200 1 800 2 ] "color old" [ 1 2 3 ]
ObjectInstance "nothing"
Include "absent.pbrt"
Camera "late"
"#;

fn read_text(text: &str) -> Scene {
    let memory = MemoryFiles::with_other();
    let options = SceneOptions::default();
    let bytes = text.as_bytes().to_vec();
    read_scene(&bytes, Path::new("scene.pbrt"), &memory, &options, &Work::serial()).unwrap()
}

/// All of a scene, numbers by their bits.
fn all_of(scene: &Scene) -> Vec<String> {
    let mut all = Vec::new();
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for kept in &scene.kept {
        assert!(kept.statements.is_empty() && kept.comments.is_empty() && kept.problems.is_empty());
        all.push(format!("{:?} {:?}", kept.parameters, bits(&kept.floats)));
        all.push(format!("{:?} {:?} {:?}", kept.integers, kept.strings, kept.text));
    }
    all.push(format!("{:?} {} {}", scene.files, scene.version, scene.directives));
    all.push(format!("{:?}", bits(scene.matrices.as_flattened())));
    all.push(format!(
        "{:?}",
        scene.camera.as_ref().map(|camera| {
            let Motion { start, end, times } = camera.from_world;
            let matrices = [start, end].map(|m| m.to_cols_array().map(f64::to_bits));
            (camera.entity, matrices, times.map(f32::to_bits), camera.medium)
        })
    ));
    all.push(format!("{:?}", check::once(scene)));
    all.push(format!("{:?} {:?}", scene.options, scene.attributes));
    all.push(format!("{:?} {}", scene.shapes, scene.world_shapes));
    all.push(format!("{:?} {:?}", scene.objects, scene.materials));
    all.push(format!("{:?} {:?}", scene.textures, scene.media));
    all.push(format!("{:?} {:?}", scene.lights, scene.area_lights));
    all.push(format!("{:?}", scene.named_files));
    let instances = &scene.instances;
    all.push(format!("{:?} {:?}", instances.objects, bits(instances.matrices.as_flattened())));
    let moving = instances.moving.iter().map(|(i, matrix)| (i, bits(matrix)));
    all.push(format!(
        "{:?} {:?} {:?}",
        moving.collect::<Vec<_>>(),
        instances.places,
        instances.files
    ));
    all.push(format!("{:?} {:?}", scene.problems, scene.warnings));
    all
}

use crate::scene::Motion;

fn no_mesh(_: &[u8]) -> Result<Option<PackedMesh<'static>>> {
    Ok(None)
}

fn pack_with(scene: &Scene, options: &PackOptions, threads: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let work = Work { threads, ..Work::serial() };
    let summary = encode_pack(scene, &no_mesh, options, &mut bytes, &work).unwrap();
    assert_eq!(summary.file_bytes, bytes.len() as u64);
    bytes
}

fn unpack(bytes: &[u8]) -> Result<Scene> {
    PackReader::new(&bytes, &PackReadOptions::default())?.scene(&Work::serial())
}

/// Packs in all ways; the bytes do not depend on the threads.
fn assert_comes_back(scene: &Scene) {
    let expected = all_of(scene);
    for effort in [Some(Effort::Fast), Some(Effort::Thorough), Some(Effort::Max), None] {
        let options = PackOptions { effort, places: true };
        let bytes = pack_with(scene, &options, 1);
        assert_eq!(bytes, pack_with(scene, &options, 3));
        let back = unpack(&bytes).unwrap();
        assert_eq!(all_of(&back), expected);
        assert_eq!(pack_with(&back, &options, 1), bytes);
    }
}

/// A file that hides some of its bytes: whoever reads them fails.
struct HiddenPart<'f> {
    file: &'f [u8],
    hidden: std::ops::Range<u64>,
}

impl Source for HiddenPart<'_> {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.file.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let end = offset + buffer.len() as u64;
        assert!(end <= self.hidden.start || offset >= self.hidden.end, "read {offset}..{end}");
        self.file.read_at(offset, buffer)
    }
}

#[test]
fn a_scene_without_instances_is_read_without_their_bytes() {
    let scene = read_text(SCENE);
    let mut file = Vec::new();
    encode_pack(&scene, &no_mesh, &PackOptions::default(), &mut file, &Work::serial()).unwrap();
    let whole = PackReader::new(&file, &PackReadOptions::default()).unwrap();
    let name = |section: &&Section| format!("{:?}", section.kind).starts_with("Instance");
    let sections: Vec<&Section> = whole.sections().iter().filter(name).collect();
    assert!(sections.len() >= 4, "{sections:?}");
    for section in sections {
        let hidden = section.offset..section.offset + section.stored_bytes;
        let source = HiddenPart { file: &file, hidden };
        let reader = PackReader::new(&source, &PackReadOptions::default()).unwrap();
        let found = reader.scene_without_instances(&Work::serial()).unwrap();
        let known = Scene { instances: Default::default(), ..read_text(SCENE) };
        assert_eq!(all_of(&found), all_of(&known));
        let (mut counts, all) = (found.counts(|_| None, 3), scene.counts(|_| None, 3));
        counts.set_instances(reader.instance_counts());
        assert_eq!(
            (counts.instances, counts.instances_bytes),
            (all.instances, all.instances_bytes)
        );
        assert_eq!((all.instances.all, all.instances.moving), (4, 1));
        assert_eq!(counts.all, all.all);
    }
}

#[test]
fn everything_comes_back() {
    let scene = read_text(SCENE);
    assert!(scene.problems.len() == 4 && scene.warnings.is_empty(), "{:?}", scene.problems);
    assert_eq!(scene.instances.moving.len(), 1);
    assert_comes_back(&scene);
    assert_comes_back(&read_text(""));
    // Values that are kept as they were parsed, and others beside them.
    let numbers = "0.25 1 2 -7e9 ".repeat(3000);
    let text =
        format!("{SCENE}Shape \"trianglemesh\" \"point3 P\" [ {numbers} ]\nShape \"disk\"\n");
    let scene = read_text(&text);
    assert_eq!(scene.kept.len(), 2);
    assert_comes_back(&scene);
}

#[test]
fn all_bits_of_numbers_come_back() {
    let mut scene = read_text(SCENE);
    let odd = [0x7fc0_1234, 0xff80_0001, 0x8000_0000, 1, 0x7f80_0000].map(f32::from_bits);
    for i in 0..20_000u32 {
        let value = odd[i as usize % 5];
        scene.kept[0].floats.push(if i.is_multiple_of(3) { value } else { f32::from_bits(i << 9) });
        scene.instances.matrices.push([value; 12]);
        scene.instances.objects.push(i % 2);
        scene.instances.places.push(u64::MAX - u64::from(i));
    }
    scene.matrices[1] = [odd[0]; 16];
    scene.camera.as_mut().unwrap().from_world.times = [odd[0], odd[1]];
    scene.camera.as_mut().unwrap().from_world.end.x_axis.x = f64::from_bits(0x7ff0_0000_0000_0123);
    scene.instances.moving[0].1 = [odd[1]; 12];
    assert_comes_back(&scene);
    scene.instances.objects.sort();
    assert_comes_back(&scene);
}

#[test]
fn names_and_paths_have_any_bytes() {
    use solio_base::names::OsStringBytes;
    let mut scene = read_text(SCENE);
    let bytes: Vec<u8> = (0..=255).collect();
    scene.objects[0].name = bytes.clone();
    scene.materials[0].name = bytes.repeat(300);
    scene.named_files.push((bytes.clone(), scene.shapes[0].entity.place));
    scene.named_files.push((b"b.ply".to_vec(), scene.shapes[1].entity.place));
    scene.files[1].path = std::ffi::OsString::from_vec(bytes[1..].to_vec()).into();
    assert_comes_back(&scene);
}

#[test]
fn places_may_be_left_out() {
    let mut scene = read_text(SCENE);
    let all = pack_with(&scene, &PackOptions::default(), 1);
    let less = PackReadOptions { places: false, ..PackReadOptions::default() };
    let without = PackReader::new(&all, &less).unwrap().scene(&Work::serial()).unwrap();
    let options = PackOptions { places: false, ..PackOptions::default() };
    let bytes = pack_with(&scene, &options, 1);
    assert!(bytes.len() < all.len());
    let back = unpack(&bytes).unwrap();
    assert_eq!(all_of(&back), all_of(&without));
    // What is not a place is the same.
    assert_eq!(back.instances.matrices, scene.instances.matrices);
    scene.shapes.iter_mut().for_each(|shape| shape.entity.place = Default::default());
    assert_eq!(back.shapes, scene.shapes);
    assert_eq!(back.objects[0].defined, Some(Default::default()));
    assert_eq!(back.files[1].included, Some(Default::default()));
}

fn grid(side: u32) -> PackedMesh<'static> {
    let vertex = |i: u32| [(i % side) as f32 * 0.1, (i / side) as f32 * 0.1, (i as f32).sin()];
    let positions: Vec<[f32; 3]> = (0..side * side).map(vertex).collect();
    let uvs = positions.iter().map(|p| [p[0], p[1]]).collect();
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    let corners = cells.flat_map(|i| [i, i + 1, i + side + 1, i + side]).collect::<Vec<_>>();
    let face_offsets = (0..=corners.len() as u32 / 4).map(|face| 4 * face).collect();
    let face_indices = (0..corners.len() as i32 / 4).rev().collect();
    PackedMesh {
        normals: Cow::Owned(positions.clone()),
        positions: Cow::Owned(positions),
        uvs: Cow::Owned(uvs),
        corners: Cow::Owned(corners),
        face_offsets: Cow::Owned(face_offsets),
        face_indices: Cow::Owned(face_indices),
    }
}

#[test]
fn meshes_are_packed_once_each() {
    let scene = read_text(SCENE);
    let triangle = PackedMesh {
        positions: Cow::Owned(vec![[0.; 3], [1.; 3], [f32::NEG_INFINITY; 3]]),
        corners: Cow::Owned(vec![2, 1, 0]),
        ..PackedMesh::default()
    };
    let of_name = |name: &[u8]| match name {
        b"a.ply" => Ok(Some(grid(300))),
        b"b.ply" => Ok(Some(triangle.clone())),
        _ => panic!("no such shape"),
    };
    let work = Work { threads: 2, ..Work::serial() };
    let mut bytes = Vec::new();
    let options = PackOptions::default();
    let summary = encode_pack(&scene, &of_name, &options, &mut bytes, &work).unwrap();
    assert_eq!(summary.meshes, 2);
    let reader = PackReader::new(&bytes, &PackReadOptions::default()).unwrap();
    let infos = reader.meshes(&work).unwrap();
    assert_eq!(infos.iter().map(|info| &info.name[..]).collect::<Vec<_>>(), [b"a.ply", b"b.ply"]);
    assert_eq!((infos[0].vertices, infos[0].faces, infos[1].corners), (90_000, 299 * 299, 3));
    assert!(infos[0].memory_bytes > 4 * infos[0].file_bytes, "{infos:?}");
    assert_eq!(infos[0].memory_bytes, grid(300).memory_bytes() as u64);
    assert_eq!(reader.mesh(0, &work).unwrap(), grid(300));
    assert_eq!(reader.mesh(1, &work).unwrap(), triangle);
    assert_eq!(reader.mesh(2, &work).unwrap_err().kind(), ErrorKind::Argument);
    assert_eq!(all_of(&reader.scene(&work).unwrap()), all_of(&scene));

    let broken = PackedMesh { corners: Cow::Owned(vec![0, 1, 3]), ..triangle.clone() };
    let broken = |_: &[u8]| Ok(Some(broken.clone()));
    let error = encode_pack(&scene, &broken, &options, &mut Vec::new(), &work).unwrap_err();
    assert!(error.message().starts_with("a.ply: a corner of a mesh"), "{error}");
}

/// A scene with many instances, as those of a twin of Moana Island stand.
fn many_instances(count: usize) -> Scene {
    let mut scene = read_text("WorldBegin\nObjectBegin \"a\"\nObjectEnd\n");
    let mut state = 1u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    for i in 0..count {
        let (sin, cos) = (random() * std::f64::consts::TAU).sin_cos();
        let (s, at) = (0.6 + random(), [random() * 5e3, random() * 50., random() * 5e3]);
        let m = [s * cos, 0., s * sin, at[0], 0., s, 0., at[1], -s * sin, 0., s * cos, at[2]];
        scene.instances.matrices.push(m.map(|value| value as f32));
        scene.instances.objects.push(0);
        scene.instances.places.push(270 * i as u64);
    }
    scene.instances.files = vec![(0, 0)];
    scene.objects[0].instances = count as u32;
    scene
}

#[test]
fn an_instance_takes_48_bytes_and_less() {
    let count = 50_000;
    let scene = many_instances(count);
    let plain = PackOptions { effort: None, places: false };
    let bytes = pack_with(&scene, &plain, 2);
    assert!(bytes.len() < 48 * count + 4096, "{}", bytes.len());
    let reader = PackReader::new(&bytes, &PackReadOptions::default()).unwrap();
    let back = reader.instances(&Work::serial()).unwrap();
    assert_eq!(back.matrices, scene.instances.matrices);
    let packed = pack_with(&scene, &PackOptions::default(), 2);
    assert!(packed.len() < 18 * count, "{}", packed.len());
    let reader = PackReader::new(&packed, &PackReadOptions::default()).unwrap();
    let codecs = reader.sections().iter().filter(|s| s.kind == SectionKind::InstanceMatrices);
    assert!(
        codecs.clone().count() > 1 && codecs.clone().all(|s| s.codec == SectionCodec::Matrices)
    );
    let instances = reader.instances(&Work { threads: 3, ..Work::serial() }).unwrap();
    assert_eq!(instances, scene.instances);
}

/// A source that is read piece by piece.
struct Disk(Vec<u8>);

impl Source for Disk {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

#[test]
fn files_are_read_as_memory_is() {
    let scene = many_instances(30_000);
    let disk = Disk(pack_with(&scene, &PackOptions::default(), 1));
    let reader = PackReader::new(&disk, &PackReadOptions::default()).unwrap();
    assert_eq!(all_of(&reader.scene(&Work::default()).unwrap()), all_of(&scene));
}

fn refused(bytes: &[u8]) -> Error {
    let error = unpack(bytes).map(|_| ()).unwrap_err();
    assert!(error.offset().is_some() && !error.message().is_empty(), "{error}");
    error
}

#[test]
fn what_is_damaged_is_refused() {
    let bytes = pack_with(&read_text(SCENE), &PackOptions::default(), 1);
    for end in 0..bytes.len() {
        refused(&bytes[..end]);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    refused(&longer);
    longer.resize(bytes.len() + 64, 0);
    refused(&longer);
    for bit in 0..8 * bytes.len() {
        let mut other = bytes.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        refused(&other);
    }
    assert_eq!(refused(b"# a scene as text").message(), "this is no packed scene");
    let mut newer = bytes.clone();
    newer[8] = 4;
    assert_eq!(refused(&newer).kind(), ErrorKind::Unsupported);
}

#[test]
fn sections_that_promise_too_much_are_refused() {
    let bytes = pack_with(&read_text(SCENE), &PackOptions::default(), 1);
    let table = u64::from_le_bytes(*bytes[bytes.len() - 64..].first_chunk().unwrap()) as usize;
    let lax = PackReadOptions { verify: false, ..PackReadOptions::default() };
    for entry in (table..bytes.len() - 64).step_by(64) {
        for field in [8, 16, 24] {
            for value in [u64::MAX, 1 << 40, u64::MAX - 63, 0x100_0000] {
                let mut other = bytes.clone();
                other[entry + field..entry + field + 8].copy_from_slice(&value.to_le_bytes());
                let error = PackReader::new(&other, &lax).map(|_| ()).unwrap_err();
                assert!(error.offset().is_some(), "{error}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_scenes_come_back(
        lines in prop::collection::vec(
            prop::sample::select(SCENE.lines().chain(OTHER.lines()).collect::<Vec<_>>()), 0..80),
    ) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let scene = read_text(&text);
        let bytes = pack_with(&scene, &PackOptions::default(), 1);
        prop_assert_eq!(all_of(&unpack(&bytes).unwrap()), all_of(&scene));
    }

    /// Numbers that lead nowhere are found without the sums.
    #[test]
    fn random_changes_are_no_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = pack_with(&read_text(SCENE), &PackOptions { effort: None, places: true }, 1);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let lax = PackReadOptions { verify: false, ..PackReadOptions::default() };
        if let Ok(reader) = PackReader::new(&bytes, &lax)
            && let Ok(scene) = reader.scene(&Work::serial())
        {
            let options = PackOptions::default();
            let packed = pack_with(&scene, &options, 1);
            prop_assert_eq!(pack_with(&unpack(&packed).unwrap(), &options, 1), packed);
        }
    }
}

/// Curves as a twin of Moana Island has them: a few decimals.
#[test]
fn curves_take_an_eighth_of_their_text() {
    use std::fmt::Write;
    let mut text = String::from("WorldBegin\n");
    for i in 0..4000u32 {
        let random = |n: u32| f64::from((i * 8 + n).wrapping_mul(0x9e37_79b1) >> 16) / 65536.0;
        let at = [random(0) * 2000.0, random(1) * 20.0, random(2) * 2000.0];
        let lean = [random(3) - 0.5, random(4) + 0.5, random(5) - 0.5];
        let points = (0..4).flat_map(|k| {
            let along = f64::from(k * k) * 0.3;
            [0, 1, 2].map(|axis| at[axis] + along * lean[axis])
        });
        let points: String = points.map(|value| format!(" {value:.2}")).collect();
        writeln!(text, "Shape \"curve\" \"string type\" [ \"flat\" ] \"point3 P\" [{points} ]")
            .unwrap();
    }
    let scene = read_text(&text);
    let bytes = pack_with(&scene, &PackOptions::default(), 1);
    assert!(8 * bytes.len() < text.len(), "{} of {}", bytes.len(), text.len());
    assert_eq!(all_of(&unpack(&bytes).unwrap()), all_of(&scene));
    let reader = PackReader::new(&bytes, &PackReadOptions::default()).unwrap();
    let floats: Vec<_> = reader
        .sections()
        .iter()
        .filter(|section| section.kind == SectionKind::SortedFloats)
        .collect();
    assert!(floats.iter().all(|s| s.codec == SectionCodec::Columns), "{floats:?}");
}

#[test]
fn versions_that_are_not_known_are_named() {
    let mut bytes = pack_with(&read_text(""), &PackOptions::default(), 1);
    bytes[8] = 1;
    let error = refused(&bytes);
    assert_eq!(error.message(), "version 1 of packed scenes; 3 is known");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Unsupported, Some(8)));
}
