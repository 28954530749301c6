//! Materials of the model, which is MTL's, as glTF has them: the way back of `material_read.rs`.

use super::write::{GltfImage, GltfWriteOptions};
use crate::material::{Material, TextureMap};
use crate::model::Scene;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The keys of textures that glTF has a place for.
const KEYS: [&str; 13] = [
    "map_Kd", "map_Pr", "map_Pm", "norm", "map_Bump", "bump", "map_Ke", "map_ao", "map_d",
    "map_Pc", "map_Pcr", "map_bump", "map_Norm",
];
/// Options that have their equals.
const OPTIONS: [&str; 5] = ["-o", "-s", "-clamp", "-bm", "-imfchan"];

/// Materials, textures and images of a document.
#[derive(Default)]
pub(super) struct MaterialDocument {
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    /// Bytes of images, each with its number.
    pub(super) bytes: Vec<(usize, Arc<Vec<u8>>)>,
    pub(super) extensions: Vec<&'static str>,
    known: HashMap<String, Option<usize>>,
    known_textures: HashMap<(usize, bool), usize>,
}

/// What of a material has no place in glTF, as words.
pub(super) fn lost(
    material: &Material,
    options: &GltfWriteOptions,
    scene: &Scene<'_>,
) -> Vec<String> {
    let mut lost = Vec::new();
    let is_pbr = material.roughness.is_some();
    let through = material.transmission_filter.filter(|color| *color != [0.0; 3]);
    let is_glass = is_pbr && material.illum != Some(0);
    let given = [
        ("Ka", material.ambient.is_some_and(|color| color != [0.0; 3] && color != [1.0; 3])),
        ("Ks", material.specular.is_some() && !(is_pbr && material.metallic.is_some())),
        ("Ns, as its roughness", material.shininess.is_some() && !is_pbr),
        ("Ns", material.shininess.is_some() && is_pbr),
        ("Ni below 1", material.ior.is_some_and(|ior| ior < 1.0)),
        ("Tf", through.is_some_and(|[r, g, b]| !is_glass || r != g || g != b)),
        ("illum", material.illum.is_some_and(|illum| illum != 0)),
        ("sharpness", material.sharpness.is_some()),
        ("other statements", !material.other.is_empty()),
    ];
    lost.extend(given.iter().filter(|(_, is)| *is).map(|(name, _)| (*name).to_owned()));
    for texture in &material.maps {
        let image = image_of(texture, options, scene);
        if !KEYS.contains(&&*texture.key) || matches!(image, GltfImage::Left) {
            lost.push(texture.key.clone());
        }
        let odd = texture.options.iter().find(|(name, _)| !OPTIONS.contains(&&**name));
        lost.extend(odd.map(|(name, _)| format!("{} {name}", texture.key)));
    }
    let rough = rough_map(material);
    for key in ["map_Pr", "map_Pm"] {
        let own = map(material, &[key]);
        if own.is_some_and(|own| rough.is_none_or(|rough| rough.path != own.path)) {
            lost.push(key.to_owned());
        }
    }
    let base = map(material, &["map_Kd"]);
    if map(material, &["map_d"]).is_some_and(|own| base.is_none_or(|base| base.path != own.path)) {
        lost.push("map_d".to_owned());
    }
    lost
}

/// The texture whose green is the roughness and whose blue the metallic part: one for both, or one for
/// the first where the other is 0 anyway.
fn rough_map(m: &Material) -> Option<&TextureMap> {
    let (rough, metal) = (map(m, &["map_Pr"])?, map(m, &["map_Pm"]));
    match metal {
        Some(metal) => (metal.path == rough.path).then_some(rough),
        None => (unit(m.metallic.unwrap_or(0.0)) == 0.0).then_some(rough),
    }
}

fn map<'m>(material: &'m Material, keys: &[&str]) -> Option<&'m TextureMap> {
    material.maps.iter().find(|map| keys.contains(&&*map.key))
}

/// Where the picture of a texture is.
fn image_of(map: &TextureMap, options: &GltfWriteOptions, scene: &Scene<'_>) -> GltfImage {
    if let Some(known) = options.images.get(&map.path) {
        return known.clone();
    }
    match scene.pictures.iter().find(|picture| picture.path == map.path) {
        Some(picture) => GltfImage::of_bytes(picture.bytes.clone()),
        None => GltfImage::File { path: map.path.clone() },
    }
}

fn numbers(text: &str) -> [Option<f32>; 2] {
    let mut words = text.split_ascii_whitespace().map(|word| word.parse::<f32>().ok());
    [words.next().flatten(), words.next().flatten()]
}

fn unit(x: f32) -> f32 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}

impl MaterialDocument {
    pub(super) fn of(scene: &Scene<'_>, options: &GltfWriteOptions) -> MaterialDocument {
        let mut document = MaterialDocument::default();
        for material in options.materials.as_ref().unwrap_or(&scene.materials) {
            let made = document.material(material, scene, options);
            document.materials.push(made);
        }
        document
    }

    fn uses(&mut self, extension: &'static str) {
        if !self.extensions.contains(&extension) {
            self.extensions.push(extension);
        }
    }

    fn material(&mut self, m: &Material, scene: &Scene<'_>, options: &GltfWriteOptions) -> Value {
        let mut made = json!({ "name": m.name });
        let mut pbr = Map::new();
        let mut extensions = Map::new();
        let texture =
            |document: &mut Self, keys: &[&str]| document.texture(map(m, keys), scene, options);
        let [r, g, b] = m.diffuse.unwrap_or([1.0; 3]).map(unit);
        let alpha = unit(m.opacity.unwrap_or(1.0));
        pbr.insert("baseColorFactor".into(), json!([r, g, b, alpha]));
        let base = texture(self, &["map_Kd"]);
        pbr.extend(base.map(|base| ("baseColorTexture".to_owned(), base)));
        // Without a metallic part MTL's materials have none, and shine as their exponent says.
        pbr.insert("metallicFactor".into(), json!(unit(m.metallic.unwrap_or(0.0))));
        let rough = m.roughness.unwrap_or_else(|| roughness_of(m.shininess));
        pbr.insert("roughnessFactor".into(), json!(unit(rough)));
        let both = self.texture(rough_map(m), scene, options);
        pbr.extend(both.map(|both| ("metallicRoughnessTexture".to_owned(), both)));
        made["pbrMetallicRoughness"] = pbr.into();
        if let Some(mut normal) =
            texture(self, &["norm", "map_Norm", "map_Bump", "map_bump", "bump"])
        {
            let options = map(m, &["norm", "map_Norm", "map_Bump", "map_bump", "bump"]);
            let scale = options.and_then(|map| map.options.iter().find(|(name, _)| name == "-bm"));
            if let Some([Some(scale), _]) = scale.map(|(_, value)| numbers(value)) {
                normal["scale"] = json!(scale);
            }
            made["normalTexture"] = normal;
        }
        if let Some(occlusion) = texture(self, &["map_ao"]) {
            made["occlusionTexture"] = occlusion;
        }
        if let Some(emission) = texture(self, &["map_Ke"]) {
            made["emissiveTexture"] = emission;
        }
        let has_light = map(m, &["map_Ke"]).is_some();
        let emission = m.emission.unwrap_or(if has_light { [1.0; 3] } else { [0.0; 3] });
        let emission = emission.map(|x| if x.is_finite() { x.max(0.0) } else { 0.0 });
        let strength = emission.into_iter().fold(0.0, f32::max);
        if strength > 1.0 {
            made["emissiveFactor"] = json!(emission.map(|x| x / strength));
            let value = json!({ "emissiveStrength": strength });
            extensions.insert("KHR_materials_emissive_strength".into(), value);
        } else if strength > 0.0 {
            made["emissiveFactor"] = json!(emission);
        }
        let has_alpha = map(m, &["map_d"]).is_some();
        if let Some(cutoff) = m.alpha_cutoff {
            made["alphaMode"] = json!("MASK");
            if cutoff.is_finite() && cutoff >= 0.0 {
                made["alphaCutoff"] = json!(cutoff);
            }
        } else if has_alpha || alpha < 1.0 {
            made["alphaMode"] = json!("BLEND");
        }
        // No other format culls faces.
        if m.double_sided.unwrap_or(true) {
            made["doubleSided"] = json!(true);
        }
        if m.illum == Some(0) {
            extensions.insert("KHR_materials_unlit".into(), json!({}));
        }
        if let Some(ior) = m.ior.filter(|ior| *ior >= 1.0 && ior.is_finite()) {
            extensions.insert("KHR_materials_ior".into(), json!({ "ior": ior }));
        }
        let clear = m.clearcoat.map(unit).filter(|clear| *clear > 0.0);
        if clear.is_some() || map(m, &["map_Pc", "map_Pcr"]).is_some() {
            let mut coat = json!({
                "clearcoatFactor": clear.unwrap_or(1.0),
                "clearcoatRoughnessFactor": unit(m.clearcoat_roughness.unwrap_or(0.0)),
            });
            if let Some(map) = texture(self, &["map_Pc"]) {
                coat["clearcoatTexture"] = map;
            }
            if let Some(map) = texture(self, &["map_Pcr"]) {
                coat["clearcoatRoughnessTexture"] = map;
            }
            extensions.insert("KHR_materials_clearcoat".into(), coat);
        }
        if let Some([r, g, b]) = m.transmission_filter {
            let through = unit((r + g + b) / 3.0);
            if through > 0.0 && m.illum != Some(0) && m.roughness.is_some() {
                let value = json!({ "transmissionFactor": through });
                extensions.insert("KHR_materials_transmission".into(), value);
            }
        }
        if let Some(sheen) = m.sheen.map(unit).filter(|sheen| *sheen > 0.0) {
            let value = json!({ "sheenColorFactor": [sheen, sheen, sheen] });
            extensions.insert("KHR_materials_sheen".into(), value);
        }
        if let Some(specular) = m.specular.filter(|_| m.roughness.is_some() && m.metallic.is_some())
        {
            // A level of one half is glTF's usual strength.
            let color = specular.map(|x| if x.is_finite() { (2.0 * x).max(0.0) } else { 0.0 });
            let most = color.into_iter().fold(0.0, f32::max).min(1.0);
            if color != [1.0; 3] {
                let over = if most > 0.0 { most } else { 1.0 };
                let value = json!({
                    "specularFactor": most,
                    "specularColorFactor": color.map(|x| x / over),
                });
                extensions.insert("KHR_materials_specular".into(), value);
            }
        }
        if let Some(strength) = m.anisotropy.map(unit).filter(|strength| *strength > 0.0) {
            let turns = m.anisotropy_rotation.unwrap_or(0.0);
            let value = json!({
                "anisotropyStrength": strength,
                "anisotropyRotation": turns * std::f32::consts::TAU,
            });
            extensions.insert("KHR_materials_anisotropy".into(), value);
        }
        for name in extensions.keys() {
            self.uses(MATERIAL_EXTENSIONS.iter().find(|known| *known == name).unwrap_or(&""));
        }
        if !extensions.is_empty() {
            made["extensions"] = extensions.into();
        }
        made
    }

    /// A texture where it is used, if its picture is kept.
    fn texture(
        &mut self,
        map: Option<&TextureMap>,
        scene: &Scene<'_>,
        options: &GltfWriteOptions,
    ) -> Option<Value> {
        let map = map?;
        let image = match self.known.get(&map.path) {
            Some(known) => (*known)?,
            None => {
                let made = self.image(map, scene, options);
                self.known.insert(map.path.clone(), made);
                made?
            }
        };
        let option = |name: &str| {
            let found = map.options.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str())
        };
        let is_clamped = option("-clamp") == Some("on");
        let texture = match self.known_textures.get(&(image, is_clamped)) {
            Some(known) => *known,
            None => {
                let mut made = json!({ "source": image });
                if is_clamped {
                    if self.samplers.is_empty() {
                        self.samplers.push(json!({ "wrapS": 33071, "wrapT": 33071 }));
                    }
                    made["sampler"] = json!(0);
                }
                self.textures.push(made);
                self.known_textures.insert((image, is_clamped), self.textures.len() - 1);
                self.textures.len() - 1
            }
        };
        let mut used = json!({ "index": texture });
        let (moved, scaled) = (option("-o").map(numbers), option("-s").map(numbers));
        if moved.is_some() || scaled.is_some() {
            let [ou, ov] = moved.unwrap_or_default().map(|x| x.unwrap_or(0.0));
            let [su, sv] = scaled.unwrap_or_default().map(|x| x.unwrap_or(1.0));
            // v counts from the top there.
            let transform = json!({ "offset": [ou, 1.0 - sv - ov], "scale": [su, sv] });
            used["extensions"] = json!({ TRANSFORM: transform });
            self.uses(TRANSFORM);
        }
        Some(used)
    }

    fn image(
        &mut self,
        map: &TextureMap,
        scene: &Scene<'_>,
        options: &GltfWriteOptions,
    ) -> Option<usize> {
        let name = map.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let number = self.images.len();
        match image_of(map, options, scene) {
            GltfImage::Left => return None,
            GltfImage::File { path } => self.images.push(json!({ "uri": uri_of(&path) })),
            GltfImage::Bytes { mime, bytes } => {
                let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                self.images.push(json!({ "name": name, "mimeType": mime }));
                self.bytes.push((number, bytes));
            }
        }
        Some(number)
    }
}

const TRANSFORM: &str = "KHR_texture_transform";
const MATERIAL_EXTENSIONS: [&str; 8] = [
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_materials_ior",
    "KHR_materials_clearcoat",
    "KHR_materials_transmission",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_anisotropy",
];

/// As Blender reads an exponent of MTL: 1 − √(Ns / 1000).
fn roughness_of(shininess: Option<f32>) -> f32 {
    let exponent = shininess.unwrap_or(250.0).clamp(0.0, 1000.0);
    1.0 - (exponent / 1000.0).sqrt()
}

/// A path as a URI reference: what is not plain is percent-encoded.
pub(super) fn uri_of(path: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const PLAIN: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(path, PLAIN).to_string()
}
