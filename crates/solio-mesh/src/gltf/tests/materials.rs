//! Materials and their pictures.

use super::*;
use crate::gltf::{GltfWriteOptions, encode_glb};
use crate::material::{Material, TextureMap};

fn material(json: Value) -> (Material, Vec<String>) {
    let root = json!({
        "asset": { "version": "2.0" },
        "materials": [json],
        "textures": [{ "source": 0 }, { "source": 1, "sampler": 0 }],
        "samplers": [{ "wrapS": 33071, "wrapT": 33071 }],
        "images": [{ "uri": "t/a%20b.png" }, { "uri": "c.jpg" }],
    });
    let mut scene = read(root.to_string().as_bytes());
    (scene.materials.remove(0), scene.warnings)
}

#[test]
fn factors_and_textures_are_those_of_mtl() {
    let (made, warnings) = material(json!({
        "name": "m",
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 0.125, 0.75],
            "metallicFactor": 0.25,
            "baseColorTexture": { "index": 0, "extensions": {
                "KHR_texture_transform": { "offset": [0.5, 0.25], "scale": [2, 4] },
            } },
            "metallicRoughnessTexture": { "index": 1 },
        },
        "normalTexture": { "index": 0, "scale": 0.5 },
        "emissiveFactor": [1, 0.5, 0],
        "alphaMode": "MASK",
        "doubleSided": true,
        "extensions": {
            "KHR_materials_emissive_strength": { "emissiveStrength": 4 },
            "KHR_materials_ior": { "ior": 1.25 },
            "KHR_materials_transmission": { "transmissionFactor": 0.5 },
            "KHR_materials_volume": {},
        },
    }));
    assert_eq!(made.diffuse, Some([0.5, 0.25, 0.125]));
    assert_eq!((made.opacity, made.alpha_cutoff), (Some(0.75), Some(0.5)));
    assert_eq!((made.metallic, made.roughness, made.ior), (Some(0.25), Some(1.0), Some(1.25)));
    assert_eq!(made.emission, Some([4.0, 2.0, 0.0]));
    assert_eq!(made.transmission_filter, Some([0.5; 3]));
    assert_eq!(made.double_sided, Some(true));
    let maps: Vec<String> = made
        .maps
        .iter()
        .map(|map| {
            let options = map.options.iter().map(|(name, value)| format!("{name} {value} "));
            format!("{} {}{}", map.key, options.collect::<String>(), map.path)
        })
        .collect();
    assert_eq!(
        maps,
        [
            "map_Kd -o 0.5 -3.25 0 -s 2 4 1 t/a b.png",
            "map_d -o 0.5 -3.25 0 -s 2 4 1 -imfchan m t/a b.png",
            "map_Pr -clamp on -imfchan g c.jpg",
            "map_Pm -clamp on -imfchan b c.jpg",
            "norm -bm 0.5 t/a b.png",
        ]
    );
    assert_eq!(warnings, ["not read: material extension KHR_materials_volume (1)"]);
}

#[test]
fn materials_come_back_as_they_were() {
    let (made, _) = material(json!({
        "name": "all",
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 0.125, 0.5],
            "metallicFactor": 0.5, "roughnessFactor": 0.25,
            "baseColorTexture": { "index": 0, "extensions": {
                "KHR_texture_transform": { "offset": [0.5, 0.25], "scale": [2, 4] },
            } },
            "metallicRoughnessTexture": { "index": 1 },
        },
        "normalTexture": { "index": 0, "scale": 0.5 },
        "occlusionTexture": { "index": 1 },
        "emissiveTexture": { "index": 0 },
        "emissiveFactor": [1, 0.5, 0],
        "alphaMode": "BLEND",
        "extensions": {
            "KHR_materials_emissive_strength": { "emissiveStrength": 2 },
            "KHR_materials_ior": { "ior": 1.25 },
            "KHR_materials_transmission": { "transmissionFactor": 0.5 },
            "KHR_materials_clearcoat": {
                "clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.25,
                "clearcoatTexture": { "index": 1 },
            },
            "KHR_materials_sheen": { "sheenColorFactor": [0.5, 0.5, 0.5] },
            "KHR_materials_specular": { "specularFactor": 0.5, "specularColorFactor": [1, 0.5, 0.25] },
            "KHR_materials_anisotropy": { "anisotropyStrength": 0.5, "anisotropyRotation": 0.5 },
        },
    }));
    let scene = Scene { materials: vec![made.clone()], ..Scene::default() };
    let mut file = Vec::new();
    encode_glb(&scene, &GltfWriteOptions::default(), &Work::serial(), &mut file).unwrap();
    let back = read(&file);
    assert_eq!(back.materials, [made]);
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    let losses = crate::gltf::gltf_losses(&scene, &Default::default(), &Work::serial()).unwrap();
    assert!(losses.iter().next().is_none(), "{losses}");
}

#[test]
fn pictures_within_come_along() {
    let mut fixture = Fixture::default();
    let png = b"\x89PNG\r\n\x1a\n and more".to_vec();
    let view = fixture.view(&png);
    let texture = |index: usize| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": index } } });
    let file = fixture.glb(json!({
        "materials": [texture(0), texture(1), texture(2)],
        "textures": [{ "source": 0 }, { "source": 1 }, { "source": 2 }],
        "images": [
            { "bufferView": view, "mimeType": "image/png", "name": "../wood" },
            { "uri": "data:image/jpeg;base64,/9j/4A==", "name": "wood" },
            { "uri": "../../secret.png" },
        ],
    }));
    let scene = read(&file);
    let paths: Vec<_> = scene.pictures.iter().map(|picture| &*picture.path).collect();
    assert_eq!(paths, ["wood.png", "wood.jpg"]);
    assert_eq!(*scene.pictures[0].bytes, png);
    assert_eq!(scene.materials[0].maps[0].path, "wood.png");
    assert!(scene.materials[2].maps.is_empty());
    assert!(scene.warnings[0].contains("leads out of the folder"), "{:?}", scene.warnings);
    let mut again = Vec::new();
    encode_glb(&scene, &GltfWriteOptions::default(), &Work::serial(), &mut again).unwrap();
    let back = read(&again);
    assert_eq!((back.pictures, &back.materials), (scene.pictures, &scene.materials));
    // Without materials no picture is read.
    let skip = GltfReadOptions { skip_materials: true, ..GltfReadOptions::default() };
    let bare = read_with(&file, &skip).unwrap();
    assert_eq!((bare.pictures.len(), bare.materials[0].diffuse), (0, None));
}

#[test]
fn what_a_material_has_no_place_for_is_a_loss() {
    let map = |key: &str, path: &str| TextureMap {
        key: key.into(),
        path: path.into(),
        ..TextureMap::default()
    };
    let material = Material {
        name: "m".into(),
        metallic: Some(1.0),
        maps: vec![map("map_Pr", "a.png"), map("disp", "b.png"), map("map_d", "c.png")],
        ..Material::default()
    };
    let scene = Scene { materials: vec![material], ..Scene::default() };
    let losses = crate::gltf::gltf_losses(&scene, &Default::default(), &Work::serial()).unwrap();
    let what: Vec<_> = losses.iter().map(|loss| loss.reason.rsplit(": ").next().unwrap()).collect();
    // Its blue would be taken for the metallic part.
    assert_eq!(what, ["disp", "map_Pr", "map_d"]);
}
