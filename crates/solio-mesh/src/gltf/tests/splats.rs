//! Gaussian splats: `KHR_gaussian_splatting` both ways.

use super::*;
use crate::gltf::{GltfInstances, GltfWriteOptions, check_gltf, encode_glb, gltf_losses};
use crate::model::{Attribute, Values};
use crate::splat_count;
use crate::splats::tests::{ball, columns, differences};
use crate::splats::{SplatColumns, spz};

fn written(scene: &Scene<'_>, options: &GltfWriteOptions) -> Vec<u8> {
    let mut files = Vec::new();
    for threads in [1, 3] {
        let mut file = Vec::new();
        let work = Work { threads, ..Work::default() };
        encode_glb(scene, options, &work, &mut file).unwrap();
        files.push(file);
    }
    assert_eq!(files[0], files[1], "threads");
    files.remove(0)
}

fn problems(bytes: &[u8]) -> Vec<String> {
    let found = check_gltf(&bytes, &NoGltfFiles, &Default::default(), &Work::serial()).unwrap();
    found.problems.iter().map(|e| e.message().to_owned()).collect()
}

fn document(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn what(scene: &Scene<'_>) -> Vec<&'static str> {
    let losses = gltf_losses(scene, &GltfWriteOptions::default(), &Work::serial()).unwrap();
    losses.iter().map(|loss| loss.what).collect()
}

#[test]
fn splats_come_back_as_they_were() {
    for degree in 0..=3 {
        let scene = ball(70_000 >> (5 * degree), degree);
        let file = written(&scene, &GltfWriteOptions::default());
        let back = read(&file);
        assert_eq!(back.warnings, Vec::<String>::new());
        assert_eq!(splat_count(&back.meshes[0]), scene.meshes[0].positions.len());
        let found = differences(&columns(&scene), &columns(&back));
        // Places and harmonics are the same bits; the logarithms of sizes and alphas move by a last digit.
        let bounds = [0.0, 1e-6, 2e-3, 2e-7, 0.0, 0.0];
        assert!(found.iter().zip(bounds).all(|(off, most)| *off <= most), "{found:?}");
        assert_eq!(what(&scene), Vec::<&str>::new());
        assert_eq!(problems(&file), Vec::<String>::new());
        let names: Vec<_> = back.meshes[0].attributes.iter().map(|a| a.name.clone()).collect();
        let own: Vec<_> = scene.meshes[0].attributes.iter().map(|a| a.name.clone()).collect();
        assert_eq!(names, own);
        // The second time nothing moves at all.
        let again = read(&written(&back, &GltfWriteOptions::default()));
        let found = differences(&columns(&back), &columns(&again));
        assert!(found[0] == 0.0 && found[4] == 0.0 && found[5] == 0.0, "{found:?}");
    }
}

#[test]
fn a_file_says_what_the_extension_asks_for() {
    let root = document(&written(&ball(3, 1), &GltfWriteOptions::default()));
    assert_eq!(root["extensionsUsed"], json!(["KHR_gaussian_splatting"]));
    assert_eq!(root.get("extensionsRequired"), None);
    let primitive = &root["meshes"][0]["primitives"][0];
    let names: Vec<_> = primitive["attributes"].as_object().unwrap().keys().cloned().collect();
    let mut wanted = vec!["POSITION".to_owned(), "COLOR_0".to_owned()];
    let more = ["ROTATION", "SCALE", "OPACITY", "SH_DEGREE_0_COEF_0", "SH_DEGREE_1_COEF_0"];
    let more = more.iter().chain(&["SH_DEGREE_1_COEF_1", "SH_DEGREE_1_COEF_2"]);
    wanted.extend(more.map(|name| format!("KHR_gaussian_splatting:{name}")));
    wanted.sort();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(sorted, wanted);
    assert_eq!(primitive["mode"], json!(0));
    let own = &primitive["extensions"]["KHR_gaussian_splatting"];
    assert_eq!(*own, json!({ "kernel": "ellipse", "colorSpace": "srgb_rec709_display" }));
}

/// Two splats as a fixture of numbers that are easy to follow.
fn two(change: impl Fn(&mut Value, &mut Fixture)) -> Vec<u8> {
    let mut f = Fixture::default();
    let attributes = json!({
        "POSITION": f.floats(&[[1.0, 2.0, 3.0], [-1.0, 0.0, 0.5]]),
        "KHR_gaussian_splatting:ROTATION": f.floats(&[[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.8, 0.0]]),
        "KHR_gaussian_splatting:SCALE": f.floats(&[[1.0, 2.0, 0.5], [1.0, 1.0, 1.0]]),
        "KHR_gaussian_splatting:OPACITY": f.floats(&[[0.5], [1.0]]),
        "KHR_gaussian_splatting:SH_DEGREE_0_COEF_0": f.floats(&[[0.25, 0.5, 1.0], [0.0, 0.0, -1.0]]),
    });
    f.accessors[0]["min"] = json!([-1.0, 0.0, 0.5]);
    f.accessors[0]["max"] = json!([1.0, 2.0, 3.0]);
    let mut members = json!({
        "extensionsUsed": ["KHR_gaussian_splatting"],
        "meshes": [{ "primitives": [{
            "attributes": attributes,
            "mode": 0,
            "extensions": { "KHR_gaussian_splatting": {
                "kernel": "ellipse", "colorSpace": "srgb_rec709_display",
            } },
        }] }],
        "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }],
    });
    change(&mut members, &mut f);
    f.glb(members)
}

fn splats(scene: &Scene<'static>) -> SplatColumns<'static> {
    columns(scene)
}

#[test]
fn the_numbers_of_a_file_turn_by_half_a_turn() {
    let file = two(|_, _| ());
    assert_eq!(problems(&file), Vec::<String>::new());
    let read = splats(&read(&file));
    assert_eq!(*read.positions, [[-1.0, -2.0, 3.0], [1.0, 0.0, 0.5]]);
    assert_eq!([&*read.scales[0], &*read.scales[2]], [[0.0, 0.0], [0.5_f32.ln(), 0.0]]);
    assert_eq!(read.opacity[0], 0.0);
    assert_eq!([0, 1, 2, 3].map(|k| read.turns[k][1]), [0.0, -0.6, 0.0, 0.8]);
    assert_eq!(read.colors[2][..], [1.0, -1.0]);
}

#[test]
fn nodes_move_turn_and_grow_splats() {
    // A quarter about y (glTF's up), twice as large, and moved.
    let half = 0.5_f32.sqrt();
    let file = two(|members, _| {
        members["nodes"][0] = json!({
            "mesh": 0, "name": "tree", "translation": [10, 0, 0], "rotation": [0, half, 0, half],
            "scale": [2, 2, 2],
        });
    });
    let scene = read(&file);
    assert_eq!(scene.meshes[0].objects[0].name, "tree");
    let read = splats(&scene);
    // (1, 2, 3) becomes (3, 2, -1), then twice, then moved: (16, 4, -2); as a PLY (-16, -4, -2).
    let near = |a: [f32; 3], b: [f32; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-5);
    assert!(near(read.positions[0], [-16.0, -4.0, -2.0]), "{:?}", read.positions);
    let scales = [0, 1, 2].map(|k| read.scales[k][0].exp());
    assert!(near(scales, [2.0, 4.0, 1.0]), "{scales:?}");
    let turn = read.turn(0);
    // About y by the other way round: x and y of a PLY point the other way.
    assert!((turn[0].abs() - half).abs() < 1e-5 && (turn[2].abs() - half).abs() < 1e-5, "{turn:?}");
    assert!(turn[0] * turn[2] < 0.0, "{turn:?}");
    // Kept as an instance, and written: the file says the same.
    let options = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
    let kept = read_with(&file, &options).unwrap();
    assert_eq!(kept.instances.len(), 1);
    for instances in [GltfInstances::Nodes, GltfInstances::Gpu] {
        let options = GltfWriteOptions { instances, ..GltfWriteOptions::default() };
        let again = splats(&super::read(&written(&kept, &options)));
        let off = differences(&read, &again);
        assert!(off.iter().zip([1e-5, 1e-5, 2e-3, 0.0, 0.0, 0.0]).all(|(a, b)| *a <= b), "{off:?}");
    }
    let node = &document(&written(&kept, &GltfWriteOptions::default()))["nodes"][0];
    assert_eq!(node["translation"], json!([10.0, 0.0, 0.0]));
}

#[test]
fn splats_and_triangles_stay_apart() {
    let mixed = two(|members, f| {
        let positions = f.floats(&SQUARE[..3]);
        let plain = json!({ "attributes": { "POSITION": positions }, "mode": 4 });
        members["meshes"][0]["primitives"].as_array_mut().unwrap().push(plain);
        let alone = json!({ "primitives": [{ "attributes": { "POSITION": positions } }] });
        members["meshes"].as_array_mut().unwrap().push(alone);
        members["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1 }, { "mesh": 0 }]);
        members["scenes"] = json!([{ "nodes": [0, 1, 2] }]);
    });
    let scene = read(&mixed);
    let counts: Vec<_> =
        scene.meshes.iter().map(|m| (m.positions.len(), splat_count(m), m.objects.len())).collect();
    assert_eq!(counts, [(9, 0, 3), (4, 4, 2)]);
    assert!(scene.warnings.iter().any(|w| w.contains("y down")), "{:?}", scene.warnings);
    let strict = GltfReadOptions { strict: true, ..GltfReadOptions::default() };
    assert!(read_with(&mixed, &strict).is_err());
    // Written again all is there, each in its axes.
    let again = read(&written(&scene, &GltfWriteOptions::default()));
    assert_eq!(floats_of(&again.meshes[0]), floats_of(&scene.meshes[0]));
    let off = differences(&splats(&scene), &splats(&again));
    assert!(off.iter().zip([0.0, 1e-6, 2e-3, 2e-7, 0.0, 0.0]).all(|(a, b)| *a <= b), "{off:?}");
    let kept = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
    let mut kept = read_with(&mixed, &kept).unwrap();
    assert_eq!((kept.meshes.len(), kept.instances.len()), (3, 5));
    kept.write_out_instances().unwrap();
    assert_eq!(kept.meshes, scene.meshes);
}

#[test]
fn splats_of_several_degrees_are_joined_with_the_highest() {
    let mut low = ball(4, 1);
    low.meshes.extend(ball(3, 2).meshes);
    let scene = read(&written(&low, &GltfWriteOptions::default()));
    assert_eq!(splats(&scene), one_by_one(&low));
    let names: Vec<_> = scene.meshes[0].attributes.iter().map(|a| &*a.name).collect();
    assert_eq!(
        (names[2], names[3], names[26], names[27]),
        ("f_dc_2", "f_rest_0", "f_rest_23", "opacity")
    );
}

/// The splats of all meshes, each through a file of its own.
fn one_by_one(scene: &Scene<'static>) -> SplatColumns<'static> {
    let alone = |mesh: &Mesh<'static>| {
        let one = Scene { meshes: vec![mesh.clone()], ..Scene::default() };
        read(&written(&one, &GltfWriteOptions::default())).meshes.remove(0)
    };
    let meshes = scene.meshes.iter().map(alone).collect();
    columns(&Scene { meshes, ..Scene::default() })
}

#[test]
fn linear_colours_stay_linear() {
    let file = two(|members, _| {
        let own =
            &mut members["meshes"][0]["primitives"][0]["extensions"]["KHR_gaussian_splatting"];
        own["colorSpace"] = json!("lin_rec709_display");
    });
    let scene = read(&file);
    assert_eq!(scene.comments, [crate::splats::LINEAR]);
    let root = document(&written(&scene, &GltfWriteOptions::default()));
    let own = &root["meshes"][0]["primitives"][0]["extensions"]["KHR_gaussian_splatting"];
    assert_eq!(own["colorSpace"], json!("lin_rec709_display"));
    assert_eq!(root["asset"].get("extras"), None);
}

#[test]
fn small_numbers_and_own_attributes_are_read() {
    let file = two(|members, f| {
        let view = f.view(&[127, 0, 0, 0, 0, 0, 0, 127]);
        let turns = f.accessor(json!({
            "bufferView": view, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC4",
        }));
        let view = f.view(&[0, 0, 0, 0, 255, 0, 0, 0]);
        f.views[view]["byteStride"] = json!(4);
        let alphas = f.accessor(json!({
            "bufferView": view, "componentType": 5121, "normalized": true, "count": 2, "type": "SCALAR",
        }));
        let own = f.floats(&[[7.0], [8.0]]);
        let attributes = &mut members["meshes"][0]["primitives"][0]["attributes"];
        attributes["KHR_gaussian_splatting:ROTATION"] = json!(turns);
        attributes["KHR_gaussian_splatting:OPACITY"] = json!(alphas);
        attributes["_LABEL"] = json!(own);
        attributes["NORMAL"] = json!(0);
    });
    let scene = read(&file);
    let all = splats(&scene);
    assert_eq!([0, 1, 2, 3].map(|k| all.turns[k][0]), [0.0, -1.0, 0.0, 0.0]);
    assert_eq!(
        [0, 1].map(|i| crate::splats::splat_colors(&scene.meshes[0]).unwrap()[i][3]),
        [0.0, 1.0]
    );
    let label = |scene: &Scene<'static>| {
        let is = |a: &&Attribute<'_>| a.name == "LABEL";
        scene.meshes[0].attributes.iter().find(is).map(|a| a.values.clone())
    };
    assert_eq!(label(&scene), Some(Values::F32(vec![7.0, 8.0].into())));
    assert_eq!(scene.warnings, ["not read: NORMAL of splats (1)"]);
    assert_eq!(label(&read(&written(&scene, &Default::default()))), label(&scene));
}

#[test]
fn what_is_lost_is_told() {
    let mut scene = ball(9, 4);
    assert_eq!(what(&scene), ["harmonics"]);
    let back = read(&written(&scene, &GltfWriteOptions::default()));
    assert_eq!(splats(&back).degree(), 3);
    scene = ball(5, 0);
    let mut all = splats(&scene);
    all.scales[0].to_mut()[1] = f32::NAN;
    all.positions.to_mut()[2][0] = f32::INFINITY;
    scene = all.into_scene();
    scene.meshes[0].normals.as_mut().unwrap().values.to_mut()[3] = [0.0, 1.0, 0.0];
    assert_eq!(what(&scene), ["non_finite", "normals"]);
    assert_eq!(problems(&written(&scene, &GltfWriteOptions::default())), Vec::<String>::new());
}

#[test]
fn rules_of_the_extension_are_checked() {
    type Change = fn(&mut Value, &mut Fixture);
    fn primitive(members: &mut Value) -> &mut Value {
        &mut members["meshes"][0]["primitives"][0]
    }
    const START: &str = "KHR_gaussian_splatting:";
    let cases: [(Change, &str); 9] = [
        (|m, _| drop(m.as_object_mut().unwrap().remove("extensionsUsed")), "not in extensionsUsed"),
        (|m, _| primitive(m)["mode"] = json!(1), "its mode is 1"),
        (
            |m, _| {
                primitive(m)["extensions"][&START[..22]] =
                    json!({ "colorSpace": "srgb_rec709_display" })
            },
            "without a kernel",
        ),
        (
            |m, _| primitive(m)["extensions"][&START[..22]] = json!({ "kernel": "ellipse" }),
            "without a colour space",
        ),
        (
            |m, f| {
                primitive(m)["attributes"][format!("{START}ROTATION")] =
                    json!(f.floats(&[[0.0, 0.0, 0.0, 2.0]; 2]))
            },
            "2 of 2 quaternions do not have the length 1",
        ),
        (
            |m, f| {
                primitive(m)["attributes"][format!("{START}SCALE")] =
                    json!(f.floats(&[[-1.0, 1.0, 1.0], [1.0; 3]]))
            },
            "1 of 2 sizes are below zero",
        ),
        (
            |m, f| {
                primitive(m)["attributes"][format!("{START}OPACITY")] =
                    json!(f.floats(&[[1.5], [0.0]]))
            },
            "1 of 2 opacities are not from 0 to 1",
        ),
        (
            |m, f| {
                primitive(m)["attributes"][format!("{START}SH_DEGREE_1_COEF_0")] =
                    json!(f.floats(&[[0.0; 3]; 2]))
            },
            "the harmonics of degree 1 are not complete",
        ),
        (
            |m, f| {
                primitive(m)["attributes"][format!("{START}SCALE")] =
                    json!(f.floats(&[[1.0; 2]; 2]))
            },
            "its type is not what it has",
        ),
    ];
    for (change, words) in cases {
        let all = problems(&two(change));
        assert!(all.iter().any(|message| message.contains(words)), "{words}: {all:?}");
    }
}

#[test]
fn files_that_lack_something_are_refused_by_name() {
    let without = |name: &str| {
        let name = format!("KHR_gaussian_splatting:{name}");
        refused(&two(|members, _| {
            let attributes = &mut members["meshes"][0]["primitives"][0]["attributes"];
            attributes.as_object_mut().unwrap().remove(&name);
        }))
    };
    for name in ["ROTATION", "SCALE", "OPACITY", "SH_DEGREE_0_COEF_0"] {
        assert!(without(name).contains(&format!("splats without KHR_gaussian_splatting:{name}")));
    }
    let short = refused(&two(|members, f| {
        let attributes = &mut members["meshes"][0]["primitives"][0]["attributes"];
        attributes["KHR_gaussian_splatting:OPACITY"] = json!(f.floats(&[[0.5]]));
    }));
    assert!(short.contains("OPACITY has 1 values for 2 splats"), "{short}");
    let packed = refused(&two(|members, _| {
        let primitive = &mut members["meshes"][0]["primitives"][0];
        let name = "KHR_gaussian_splatting:SCALE";
        primitive["attributes"].as_object_mut().unwrap().remove(name);
        primitive["extensions"]["KHR_gaussian_splatting"]["extensions"] =
            json!({ "EXT_some_compression": {} });
    }));
    assert!(packed.contains("compressed with EXT_some_compression, which is not read"), "{packed}");
}

#[test]
fn an_spz_within_a_gltf_has_its_axes() {
    // SPZ and glTF have the same axes here: what a file of splats says, and what is packed in it.
    let scene = ball(50, 2);
    let mut packed = Vec::new();
    let options = spz::SpzWriteOptions { version: 3, ..Default::default() };
    spz::encode_spz(&scene, &options, &Work::serial(), &mut packed).unwrap();
    let mut f = Fixture::default();
    let view = f.view(&packed);
    let file = f.glb(json!({
        "extensionsUsed": ["KHR_gaussian_splatting", "KHR_gaussian_splatting_compression_spz_2"],
        "extensionsRequired": ["KHR_gaussian_splatting", "KHR_gaussian_splatting_compression_spz_2"],
        "meshes": [{ "primitives": [{
            "attributes": {},
            "mode": 0,
            "extensions": { "KHR_gaussian_splatting": {
                "kernel": "ellipse", "colorSpace": "srgb_rec709_display",
                "extensions": { "KHR_gaussian_splatting_compression_spz_2": { "bufferView": view } },
            } },
        }] }],
    }));
    let found = splats(&read(&file));
    let raw = splats(&scene);
    for (is, was) in found.positions.iter().zip(raw.positions.iter()) {
        // PLY to SPZ: y and z; SPZ as glTF to PLY: x and y.
        let wanted = [-was[0], was[1], -was[2]];
        assert!((0..3).all(|k| (is[k] - wanted[k]).abs() < 1e-3), "{is:?} {wanted:?}");
    }
}

#[test]
fn every_cut_of_a_file_is_an_error_and_no_panic() {
    let file = written(&ball(4, 1), &GltfWriteOptions::default());
    for end in 0..file.len() {
        assert!(read_with(&file[..end], &GltfReadOptions::default()).is_err(), "{end}");
    }
}
