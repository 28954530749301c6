//! Scenes and mutants of them in every format for other programs: each export is well formed, or refused.

use solio_base::{Error, Result, Work};
use solio_scene::export::{BesideFile, EncodedPicture, ExportMeshes, Faces, PictureFile};
use solio_scene::gltf::{GltfOutput, SceneInstances, encode_gltf};
use solio_scene::look::{EnvironmentMapping, LookPicture, TexturePicture};
use solio_scene::mitsuba::encode_mitsuba;
use solio_scene::pack::PackedMesh;
use solio_scene::scene::{NoFiles, Scene, read_scene};
use solio_scene::usd::encode_usd;
use std::path::Path;

/// Files that are there, damaged, or missing, by their names.
struct OddFiles;

impl ExportMeshes for OddFiles {
    fn mesh(&self, name: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
        match name {
            b"a.ply" => Ok(PackedMesh {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]].into(),
                corners: vec![0, 1, 2, 0, 2, 3].into(),
                ..PackedMesh::default()
            }),
            b"odd.ply" => Ok(PackedMesh {
                positions: vec![[f32::NAN; 3]; 3].into(),
                normals: vec![[0.0; 3]; 3].into(),
                uvs: vec![[f32::INFINITY; 2]; 3].into(),
                corners: vec![0, 1, 2].into(),
                ..PackedMesh::default()
            }),
            _ => Err(Error::argument("no such file")),
        }
    }

    fn picture(&self, name: &[u8]) -> Result<PictureFile> {
        let path = String::from_utf8_lossy(name).into_owned();
        let mime = name.ends_with(b".png").then_some("image/png");
        match name.starts_with(b"gone") {
            true => Err(Error::argument("no such file")),
            false => Ok(PictureFile { uri: "t.png".to_owned(), path, mime }),
        }
    }

    fn picture_bytes(&self, name: &[u8]) -> Result<Vec<u8>> {
        Ok(if name == b"text.png" { Vec::new() } else { b"png".to_vec() })
    }

    fn pixels(&self, picture: &LookPicture, _: usize) -> Result<TexturePicture> {
        match &picture.name[..] {
            b"t.png" => TexturePicture::new(2, vec![[0.0, 0.5, 1.0]; 4]),
            b"odd.exr" => TexturePicture::new(1, vec![[f32::NAN, f32::INFINITY, -1e30]; 2]),
            b"text.png" => Err(Error::corrupt("this is no picture")),
            _ => Err(Error::argument("no such file")),
        }
    }

    fn sky(&self, name: &[u8], _: EnvironmentMapping) -> Result<TexturePicture> {
        match name {
            b"odd.exr" => TexturePicture::new(2, vec![[f32::NAN, f32::INFINITY, -1e30]; 2]),
            b"t.png" => TexturePicture::new(2, vec![[0.0, 0.5, 1.0]; 2]),
            _ => Err(Error::argument("no such file")),
        }
    }

    fn png(&self, picture: &EncodedPicture) -> Result<Vec<u8>> {
        assert_eq!(picture.pixels.len(), (picture.width * picture.height) as usize);
        Ok(b"png".to_vec())
    }

    fn exr(&self, _: &TexturePicture) -> Result<Vec<u8>> {
        Ok(b"exr".to_vec())
    }

    fn beside(&self, name: &str, fill: BesideFile<'_>) -> Result<PictureFile> {
        fill(&mut Vec::new())?;
        let path = format!("b/{name}");
        Ok(PictureFile { uri: path.clone(), path, mime: None })
    }
}

fn scene(text: &[u8]) -> Option<Scene> {
    read_scene(&text, Path::new("s.pbrt"), &NoFiles, &Default::default(), &Work::serial()).ok()
}

/// Writes a scene in every way, and looks at what comes out.
fn export(text: &[u8]) {
    let Some(scene) = scene(text) else { return };
    let said = || String::from_utf8_lossy(text).into_owned();
    let work = Work::serial();
    for how in [SceneInstances::Gpu, SceneInstances::Nodes, SceneInstances::Flat] {
        let (mut document, mut buffer) = (Vec::new(), Vec::new());
        let output =
            GltfOutput::Separate { document: &mut document, buffer: &mut buffer, uri: "a.bin" };
        if encode_gltf(&scene, &OddFiles, how, output, &work).is_ok() {
            check_gltf(&document, buffer.len(), &said);
        }
        let mut glb = Vec::new();
        if encode_gltf(&scene, &OddFiles, how, GltfOutput::Binary(&mut glb), &work).is_ok() {
            let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
            check_gltf(&glb[20..20 + length], glb.len() - 28 - length, &said);
        }
    }
    let mut usd = Vec::new();
    if encode_usd(&scene, &OddFiles, &mut usd, &work).is_ok() {
        check_usd(&String::from_utf8(usd).expect("UTF-8"), &said);
    }
    let mut xml = Vec::new();
    if encode_mitsuba(&scene, &OddFiles, &mut xml, &work).is_ok() {
        check_xml(&String::from_utf8(xml).expect("UTF-8"), &said);
    }
}

/// All numbers are finite, and all that is referred to is there.
fn check_gltf(document: &[u8], buffer: usize, said: &dyn Fn() -> String) {
    let json: serde_json::Value = serde_json::from_slice(document).expect("JSON");
    let text = String::from_utf8_lossy(document);
    assert!(!text.contains(":null") && !text.contains("[null"), "{text}\nof {}", said());
    let count = |name: &str| json[name].as_array().map_or(0, Vec::len) as u64;
    let is_there = |value: &serde_json::Value, name: &str| {
        let number = value.as_u64().unwrap_or(0);
        assert!(value.is_null() || number < count(name), "{name} {number}: {}", said());
    };
    let none = Vec::new();
    let all = |name: &str| json[name].as_array().unwrap_or(&none);
    for texture in all("textures") {
        is_there(&texture["source"], "images");
        is_there(&texture["sampler"], "samplers");
    }
    for material in all("materials") {
        let pbr = &material["pbrMetallicRoughness"];
        is_there(&pbr["baseColorTexture"]["index"], "textures");
        is_there(&pbr["metallicRoughnessTexture"]["index"], "textures");
        is_there(&material["normalTexture"]["index"], "textures");
        is_there(&material["emissiveTexture"]["index"], "textures");
        let numbers = [&pbr["metallicFactor"], &pbr["roughnessFactor"]].into_iter();
        let colors = pbr["baseColorFactor"].as_array().unwrap_or(&none);
        let emitted = material["emissiveFactor"].as_array().unwrap_or(&none);
        for number in numbers.chain(colors).chain(emitted).filter_map(|value| value.as_f64()) {
            assert!((0.0..=1.0).contains(&number), "{number}: {material} of {}", said());
        }
        let extensions = material["extensions"].as_object();
        let used = all("extensionsUsed");
        for name in extensions.into_iter().flat_map(serde_json::Map::keys) {
            assert!(used.contains(&name.as_str().into()), "{name} is not named: {}", said());
        }
        let index = &material["extensions"]["KHR_materials_ior"]["ior"];
        assert!(index.is_null() || index.as_f64().is_some_and(|ior| ior >= 1.0), "{}", said());
    }
    for view in all("bufferViews") {
        let [at, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap_or(0));
        assert!(at + length <= buffer as u64 && length > 0, "{view} of {}", said());
    }
    for mesh in all("meshes") {
        for primitive in mesh["primitives"].as_array().unwrap_or(&none) {
            is_there(&primitive["material"], "materials");
            is_there(&primitive["indices"], "accessors");
        }
    }
}

fn check_usd(text: &str, said: &dyn Fn() -> String) {
    // Braces and parentheses outside of strings and assets are balanced.
    let (mut depth, mut in_string, mut in_asset, mut escaped) = ([0i64; 3], false, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' if !in_asset => in_string = !in_string,
            '@' if !in_string => in_asset = !in_asset,
            _ if in_string || in_asset => {}
            '{' | '(' | '[' => depth["{([".find(c).unwrap()] += 1,
            '}' | ')' | ']' => depth["})]".find(c).unwrap()] -= 1,
            _ => {}
        }
        assert!(depth.iter().all(|depth| *depth >= 0), "{text}\nof {}", said());
    }
    assert!(depth == [0; 3] && !in_string && !in_asset, "{text}\nof {}", said());
}

fn check_xml(text: &str, said: &dyn Fn() -> String) {
    let mut open = Vec::new();
    let mut ids = std::collections::HashSet::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap_or_else(|| panic!("{text}"));
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or_default();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag} of {}", said());
        let value = |key: &str| {
            let at = tag.find(&format!(" {key}=\""))? + key.len() + 3;
            tag[at..].split('"').next()
        };
        match tag.as_bytes() {
            [b'?' | b'!', ..] => continue,
            [b'/', ..] => assert_eq!(open.pop(), Some(name), "{text}\nof {}", said()),
            [.., b'/'] => {}
            _ => open.push(name),
        }
        // What is referred to stands before, and once.
        match (name, value("id")) {
            ("ref", Some(id)) => assert!(ids.contains(id), "{id} of {}", said()),
            (_, Some(id)) => assert!(ids.insert(id), "{id} twice: {}", said()),
            _ => {}
        }
        if matches!(name, "float" | "integer" | "matrix") && !tag.starts_with('/') {
            let numbers = value("value").unwrap_or_default().split(' ');
            for number in numbers {
                let number: f64 = number.parse().unwrap_or(f64::NAN);
                assert!(number.is_finite(), "{tag} of {}", said());
            }
        }
    }
    assert!(open.is_empty(), "{open:?} of {}", said());
}

const WORLD: &str = "Film \"rgb\" \"integer xresolution\" 20 \"integer yresolution\" 10 \"float iso\" 200\n\
    LookAt 0 0 5 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 40 \"float lensradius\" 0.1\n\
    WorldBegin\nLightSource \"infinite\" \"string filename\" \"odd.exr\" \"float illuminance\" 3\n\
    LightSource \"infinite\" \"string filename\" \"gone.exr\"\nLightSource \"point\" \"float power\" 5\n\
    LightSource \"spot\" \"float coneangle\" 40\nLightSource \"distant\" \"blackbody L\" 3000\n\
    LightSource \"projection\" \"string filename\" \"t.png\"\n\
    Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"float uscale\" 2\n\
    Texture \"o\" \"spectrum\" \"imagemap\" \"string filename\" \"odd.exr\" \"string wrap\" \"black\"\n\
    Texture \"g\" \"float\" \"imagemap\" \"string filename\" \"gone.png\" \"bool invert\" true\n\
    Texture \"c\" \"spectrum\" \"checkerboard\" \"texture tex1\" \"t\" \"float vscale\" 3\n\
    Texture \"m\" \"spectrum\" \"mix\" \"texture tex1\" \"c\" \"texture tex2\" \"m\" \"texture amount\" \"g\"\n\
    Texture \"b\" \"float\" \"bilerp\" \"float v11\" 2\nTexture \"n\" \"spectrum\" \"marble\"\n\
    MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [1 2 3]\n\
    MakeNamedMaterial \"a\" \"string type\" \"coateddiffuse\" \"texture reflectance\" \"m\" \
    \"texture roughness\" \"b\" \"texture displacement\" \"b\" \"string normalmap\" \"text.png\"\n\
    MakeNamedMaterial \"x\" \"string type\" \"mix\" \"string materials\" [\"a\" \"x\"] \"texture amount\" \"g\"\n\
    MakeNamedMaterial \"l\" \"string type\" \"diffusetransmission\" \"texture transmittance\" \"t\"\n\
    AttributeBegin\nMediumInterface \"fog\" \"\"\nMaterial \"dielectric\" \"float eta\" 1.4 \
    \"float uroughness\" 0.2\nShape \"sphere\" \"float radius\" 2\nMaterial \"interface\"\nShape \"disk\"\n\
    AttributeEnd\nAttributeBegin\nNamedMaterial \"x\"\nAreaLightSource \"diffuse\" \"float power\" 3 \
    \"bool twosided\" true\nShape \"plymesh\" \"string filename\" \"a.ply\" \"texture alpha\" \"g\"\n\
    AreaLightSource \"diffuse\" \"string filename\" \"t.png\"\nShape \"plymesh\" \"string filename\" \
    \"odd.ply\"\nAttributeEnd\nObjectBegin \"o\"\nNamedMaterial \"l\"\nShape \"sphere\"\n\
    Material \"subsurface\"\nShape \"plymesh\" \"string filename\" \"a.ply\"\nMaterial \"conductor\" \
    \"texture reflectance\" \"o\" \"texture uroughness\" \"g\"\nShape \"plymesh\" \"string filename\" \
    \"a.ply\" \"float alpha\" 0.5\nObjectEnd\nObjectInstance \"o\"\nScale -1 2 1\nObjectInstance \"o\"\n\
    Rotate 40 0 1 1\nObjectInstance \"o\"\nMaterial \"coatedconductor\" \"texture reflectance\" \"n\"\n\
    Shape \"curve\" \"point3 P\" [0 0 0 1 0 0 2 0 0 3 1 0]\nMaterial \"hair\"\nShape \"cylinder\"\n\
    Material \"measured\" \"string filename\" \"gone.bsdf\"\nShape \"disk\"\n";

const OLDER: &str = "Camera \"orthographic\" \"float screenwindow\" [-2 3 -1 1]\nWorldBegin\n\
    LightSource \"infinite\" \"string mapname\" \"t.png\"\nLightSource \"goniometric\"\n\
    Texture \"t\" \"color\" \"imagemap\" \"string filename\" \"t.png\"\n\
    Texture \"f\" \"float\" \"fbm\"\nMaterial \"uber\" \"texture Kd\" \"t\" \"rgb opacity\" [.5 .2 .1] \
    \"rgb Kt\" [.1 .1 .1] \"texture bumpmap\" \"f\"\nShape \"sphere\"\nMaterial \"disney\" \"float metallic\" 2 \
    \"float anisotropic\" 1 \"float clearcoat\" 1 \"float sheen\" 1 \"float spectrans\" .5 \
    \"rgb scatterdistance\" [1 1 1]\nShape \"sphere\"\nMaterial \"substrate\"\nShape \"disk\"\n\
    Material \"translucent\" \"texture Kd\" \"t\"\nShape \"disk\"\nMaterial \"glass\" \"texture Kt\" \"t\"\n\
    Shape \"sphere\"\nMaterial \"kdsubsurface\" \"texture Kd\" \"t\"\nShape \"sphere\"\nMaterial \"matte\" \
    \"float sigma\" 20\nShape \"disk\"\nWorldEnd\n";

#[test]
fn odd_scenes_are_written_whole() {
    export(WORLD.as_bytes());
    export(OLDER.as_bytes());
}

/// Inputs that once gave something else than a whole file, or could.
#[test]
fn kept_inputs_stay_whole() {
    for world in [
        "Material \"disney\" \"float metallic\" 1e39 \"float roughness\" -1e39\nShape \"disk\"",
        "Material \"hair\" \"float beta_m\" 1e39 \"float beta_n\" -1e39\nShape \"disk\"",
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"float vscale\" 3e38 \
         \"float vdelta\" -3e38\nMaterial \"diffuse\" \"texture reflectance\" \"t\"\nShape \"disk\"",
        "Texture \"t\" \"spectrum\" \"checkerboard\" \"float uscale\" 1e39\nMaterial \"diffuse\" \
         \"texture reflectance\" \"t\"\nShape \"disk\"",
        "Texture \"t\" \"spectrum\" \"checkerboard\" \"float uscale\" 0\nMaterial \"diffuse\" \
         \"texture reflectance\" \"t\"\nShape \"disk\"",
        "LightSource \"spot\" \"float coneangle\" 1e39 \"float conedeltaangle\" -1e39",
        "LightSource \"point\" \"point3 from\" [1e39 0 0] \"rgb I\" [1e39 1e39 1e39]",
        "Translate 1e30 1e30 1e30\nScale 1e30 1e30 1e30\nLightSource \"point\"\nShape \"sphere\"",
        "MakeNamedMedium \"m\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [1e-44 0 0]\n\
         MediumInterface \"m\" \"\"\nMaterial \"dielectric\" \"float eta\" 1e39\nShape \"sphere\"",
        "Material \"dielectric\" \"spectrum eta\" [300 0 900 0]\nShape \"sphere\"",
        "Material \"conductor\" \"spectrum eta\" [300 0 900 0] \"spectrum k\" [300 0 900 0]\nShape \"disk\"",
        "Material \"subsurface\" \"rgb sigma_a\" [0 0 0] \"rgb sigma_s\" [0 0 0]\nShape \"sphere\"",
        "AreaLightSource \"diffuse\" \"rgb L\" [1e39 0 -1] \"float power\" 1e39\nShape \"disk\" \
         \"float radius\" 0",
        "Shape \"disk\" \"float alpha\" 1e39\nShape \"disk\" \"texture alpha\" \"gone\"",
        "MakeNamedMaterial \"\" \"string type\" \"mix\"\nMaterial \"mix\"\nShape \"disk\"",
        "ObjectBegin \"o\"\nShape \"disk\"\nObjectEnd\nScale 0 1 1\nObjectInstance \"o\"",
    ] {
        export(format!("WorldBegin\n{world}\n").as_bytes());
    }
}

#[test]
fn mutants_are_written_whole_or_refused() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let odd =
        ["1e39", "-1e39", "0", "-1", "1e-45", "\"t\"", "\"x\"", "[", "]", "true", "\"float a\""];
    for text in [WORLD, OLDER] {
        let words: Vec<&str> = text.split(' ').collect();
        for _ in 0..150 {
            let mut words = words.clone();
            for _ in 0..=random(3) {
                let at = random(words.len());
                match random(4) {
                    0 => words[at] = odd[random(odd.len())],
                    1 => {
                        words.remove(at);
                    }
                    2 => words.insert(at, words[random(words.len())]),
                    _ => {
                        let other = random(words.len());
                        words.swap(at, other);
                    }
                }
            }
            export(words.join(" ").as_bytes());
        }
    }
}
