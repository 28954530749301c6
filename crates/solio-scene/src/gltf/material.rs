//! Materials, with their textures: beside a `.gltf`, within a `.glb`.

use super::buffer::GltfBuffer;
use crate::export::{
    ExportMeshes, ExportPicture, LeftOut, LossName, PicturePlace, PictureSource, PictureTakes,
    PictureUse, TextureFile,
};
use crate::look::{LookClass, LookColor, LookNumber, Looks, MaterialLook, SurfaceKey, Wrap};
use crate::scene::NONE;
use gltf_json as json;
use json::extensions::material::{EmissiveStrength, EmissiveStrengthFactor};
use json::material::{
    AlphaCutoff, AlphaMode, EmissiveFactor, NormalTexture, PbrBaseColorFactor,
    PbrMetallicRoughness, StrengthFactor,
};
use json::texture::{Info, Sampler, Texture, WrappingMode};
use json::validation::Checked;
use json::{Image, Index};
use serde_json::{Map, Value, json};
use solio_base::{Error, ErrorKind, Result};
use std::collections::{BTreeSet, HashMap};

pub(super) const TRANSFORM: &str = "KHR_texture_transform";
const EMISSIVE: &str = "KHR_materials_emissive_strength";
const TRANSMISSION: &str = "KHR_materials_transmission";
const INDEX: &str = "KHR_materials_ior";
const VOLUME: &str = "KHR_materials_volume";
const CLEARCOAT: &str = "KHR_materials_clearcoat";
const SPECULAR: &str = "KHR_materials_specular";
const SHEEN: &str = "KHR_materials_sheen";
const ANISOTROPY: &str = "KHR_materials_anisotropy";
const DISPERSION: &str = "KHR_materials_dispersion";
const DIFFUSE_TRANSMISSION: &str = "KHR_materials_diffuse_transmission";

const TAKES: PictureTakes = PictureTakes { any_file: false, linear_colors: false, black: false };

const BUMPS: LossName = [
    "displacement of a material, which bends its normals",
    "displacements of materials, which bend their normals",
];
const BELOW: LossName = [
    "material that light enters below the surface: its colour counts",
    "materials that light enters below the surface: their colours count",
];
const HAIR: LossName = ["hair: its colour counts", "hairs: their colours count"];
const UNUSED: LossName = [
    "texture of a value that glTF has no texture for: its mean counts",
    "textures of values that glTF has no textures for: their means count",
];

/// A surface whose mesh has an inside, for glass: about how thick it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GltfSurface {
    pub(super) key: SurfaceKey,
    /// Whether the mesh is closed.
    pub(super) has_inside: bool,
}

/// What is in the document so far.
pub(super) struct GltfMaterials {
    /// Whether bytes are taken along.
    takes: bool,
    known: HashMap<GltfSurface, u32>,
    /// Of names and of what was baked; `None` for what cannot be written.
    images: HashMap<Vec<u8>, Option<u32>>,
    textures: HashMap<(u32, bool), u32>,
    used: BTreeSet<&'static str>,
}

/// Where materials are written, and from what.
pub(super) struct MaterialPlace<'p, 'w> {
    pub(super) looks: &'p Looks<'p>,
    pub(super) files: &'p dyn ExportMeshes,
    pub(super) root: &'p mut json::Root,
    pub(super) buffer: &'p mut GltfBuffer<'w>,
    pub(super) left: &'p mut LeftOut,
}

impl GltfMaterials {
    pub(super) fn new(takes: bool) -> GltfMaterials {
        GltfMaterials {
            takes,
            known: HashMap::new(),
            images: HashMap::new(),
            textures: HashMap::new(),
            used: BTreeSet::new(),
        }
    }

    /// The material that is there already.
    pub(super) fn known(&self, surface: &GltfSurface) -> Option<u32> {
        self.known.get(surface).copied()
    }

    /// The extensions that materials use.
    pub(super) fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.used.iter().copied()
    }

    /// Makes the material of a surface. `area` is that of a light whose strength depends on it,
    /// `thickness` about how thick the mesh is.
    pub(super) fn make(
        &mut self,
        surface: GltfSurface,
        area: Option<f64>,
        thickness: f32,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<u32> {
        let key = surface.key;
        let looks = place.looks;
        let look = looks.material(key.material);
        let mut made = json::Material {
            name: Some(looks.name(key)),
            double_sided: true,
            ..Default::default()
        };
        let mut others = Map::new();
        self.base(look, key, &mut made, place)?;
        self.normals(look, &mut made, place)?;
        let mut extensions = json::extensions::material::Material::default();
        if key.light != NONE {
            let light = &looks.area_lights[key.light as usize];
            made.double_sided = light.two_sided;
            let color = LookColor { factor: light.color, texture: light.texture.clone() };
            let mut picture_mean = 1.0;
            let picture = match self.source(place).color(&color, place.left)? {
                ExportPicture::Even(values) => {
                    made.emissive_factor = EmissiveFactor(values[0]);
                    None
                }
                ExportPicture::File(file) => {
                    made.emissive_factor = EmissiveFactor(light.color);
                    picture_mean = self.picture_mean(&color, place);
                    self.info(file, place)?
                }
            };
            made.emissive_texture = picture;
            let strength = light.strength_of(area, picture_mean);
            extensions.emissive_strength =
                Some(EmissiveStrength { emissive_strength: EmissiveStrengthFactor(strength) });
            self.used.insert(EMISSIVE);
        }
        self.lobes(look, &mut others, place)?;
        if surface.has_inside && look.transmission.mean() > 0.0 && !look.is_thin {
            others.insert(VOLUME.to_owned(), volume(looks, key, thickness));
            if look.dispersion > 0.0 {
                let value = json!({ "dispersion": look.dispersion });
                others.insert(DISPERSION.to_owned(), value);
            }
        }
        for name in [
            TRANSMISSION,
            INDEX,
            VOLUME,
            CLEARCOAT,
            SPECULAR,
            SHEEN,
            ANISOTROPY,
            DISPERSION,
            DIFFUSE_TRANSMISSION,
        ] {
            if others.contains_key(name) {
                self.used.insert(name);
            }
        }
        extensions.others = others;
        let is_used = extensions.emissive_strength.is_some() || !extensions.others.is_empty();
        made.extensions = is_used.then_some(extensions);
        place.root.materials.push(made);
        let number = place.root.materials.len() as u32 - 1;
        self.known.insert(surface, number);
        Ok(number)
    }

    /// Colour, alpha, roughness and metal.
    fn base(
        &mut self,
        look: &MaterialLook,
        key: SurfaceKey,
        made: &mut json::Material,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<()> {
        let holes = place.looks.alphas.get(key.alpha as usize);
        let all = LookNumber::constant(1.0);
        let holes = holes.unwrap_or(&all);
        let opacity = match (&holes.texture, &look.opacity.texture) {
            (None, None) => LookNumber::constant(holes.factor * look.opacity.factor),
            _ => {
                let parts = Box::new([holes.pattern(), look.opacity.pattern()]);
                LookNumber::of(crate::look::TexturePattern::Scale(parts).folded())
            }
        };
        let mut alpha = opacity.factor.clamp(0.0, 1.0);
        let color = match &opacity.texture {
            None => self.source(place).color(&look.linear_base, place.left)?,
            Some(_) => {
                alpha = 1.0;
                let layers = vec![look.linear_base.pattern(), opacity.pattern()];
                self.source(place).baked(layers, PictureUse::ColorAlpha, place.left)?
            }
        };
        if opacity.texture.is_some() {
            made.alpha_mode = Checked::Valid(AlphaMode::Mask);
            made.alpha_cutoff = Some(AlphaCutoff(0.5));
        } else if alpha < 1.0 {
            made.alpha_mode = Checked::Valid(AlphaMode::Blend);
        }
        let mut pbr = PbrMetallicRoughness::default();
        let [r, g, b] = match color {
            ExportPicture::Even(values) => {
                if opacity.texture.is_some() {
                    alpha = values[1][0];
                }
                values[0]
            }
            ExportPicture::File(file) => {
                let factor = file.factor;
                pbr.base_color_texture = self.info(file, place)?;
                factor
            }
        };
        // What goes through takes its part from what is reflected: see `through`.
        let rest = 1.0 - through_share(look);
        let [r, g, b] = [r, g, b].map(|x| if rest < 1.0 { (x / rest).min(1.0) } else { x });
        pbr.base_color_factor = PbrBaseColorFactor([r, g, b, alpha]);
        let (strength, _) = look.anisotropy();
        let narrow = look.alphas[0].min(look.alphas[1]).sqrt();
        pbr.metallic_factor = StrengthFactor(look.metallic.factor.clamp(0.0, 1.0));
        pbr.roughness_factor = StrengthFactor(match strength > 0.0 {
            true => narrow,
            false => look.roughness.factor.clamp(0.0, 1.0),
        });
        let is_textured = look.roughness.texture.is_some() && strength == 0.0;
        if is_textured || look.metallic.texture.is_some() {
            let layers = vec![look.roughness.pattern(), look.metallic.pattern()];
            match self.source(place).baked(layers, PictureUse::GreenBlue, place.left)? {
                ExportPicture::Even(values) => {
                    pbr.roughness_factor = StrengthFactor(values[0][0]);
                    pbr.metallic_factor = StrengthFactor(values[1][0]);
                }
                ExportPicture::File(file) => {
                    pbr.roughness_factor = StrengthFactor(1.0);
                    pbr.metallic_factor = StrengthFactor(1.0);
                    pbr.metallic_roughness_texture = self.info(file, place)?;
                }
            }
        }
        made.pbr_metallic_roughness = pbr;
        Ok(())
    }

    fn normals(
        &mut self,
        look: &MaterialLook,
        made: &mut json::Material,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<()> {
        place.left.add(BUMPS, u64::from(look.bump.is_some()));
        let Some(map) = &look.normal_map else { return Ok(()) };
        let Some(file) = self.source(place).normals(map, place.left)? else { return Ok(()) };
        made.normal_texture = self.info(file, place)?.map(|info| {
            let extensions = info
                .extensions
                .map(|info| json::extensions::material::NormalTexture { others: info.others });
            NormalTexture {
                index: info.index,
                scale: 1.0,
                tex_coord: 0,
                extensions,
                extras: Default::default(),
            }
        });
        Ok(())
    }

    /// What is more than a colour, a roughness and a metal.
    fn lobes(
        &mut self,
        look: &MaterialLook,
        others: &mut Map<String, Value>,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<()> {
        let is_dielectric = look.specular > 0.0 || look.transmission.mean() > 0.0;
        if is_dielectric || look.class == LookClass::Principled {
            others.insert(INDEX.to_owned(), json!({ "ior": look.ior.max(1.0) }));
        }
        // A metal has no other reflection; a diffuse surface has none at all.
        let is_metal = look.metallic == LookNumber::constant(1.0);
        let is_plain = look.specular == 1.0 && look.specular_color == [1.0; 3];
        if !is_metal && !is_plain {
            let mut value = json!({ "specularFactor": look.specular.clamp(0.0, 1.0) });
            if look.specular_color != [1.0; 3] {
                value["specularColorFactor"] = json!(look.specular_color);
            }
            others.insert(SPECULAR.to_owned(), value);
        }
        if look.transmission.mean() > 0.0 {
            let mut value = json!({ "transmissionFactor": 1.0 });
            match self.source(place).number(&look.transmission, place.left)? {
                ExportPicture::Even(values) => {
                    value["transmissionFactor"] = json!(values[0][0].clamp(0.0, 1.0));
                }
                ExportPicture::File(file) => {
                    if let Some(info) = self.info(file, place)? {
                        value["transmissionTexture"] = info_value(&info);
                    }
                }
            }
            others.insert(TRANSMISSION.to_owned(), value);
        }
        if let Some(coat) = &look.coat {
            let mut value = json!({
                "clearcoatFactor": coat.weight.clamp(0.0, 1.0),
                "clearcoatRoughnessFactor": coat.roughness.factor.clamp(0.0, 1.0),
            });
            match self.source(place).number(&coat.roughness, place.left)? {
                ExportPicture::Even(values) => {
                    value["clearcoatRoughnessFactor"] = json!(values[0][0].clamp(0.0, 1.0));
                }
                ExportPicture::File(file) => {
                    value["clearcoatRoughnessFactor"] = json!(1.0);
                    if let Some(info) = self.info(file, place)? {
                        value["clearcoatRoughnessTexture"] = info_value(&info);
                    }
                }
            }
            others.insert(CLEARCOAT.to_owned(), value);
        }
        if let Some(sheen) = &look.sheen {
            let value = json!({
                "sheenColorFactor": sheen.color.map(|part| part.clamp(0.0, 1.0)),
                "sheenRoughnessFactor": sheen.roughness,
            });
            others.insert(SHEEN.to_owned(), value);
        }
        let (strength, is_along_v) = look.anisotropy();
        if strength > 0.0 {
            let mut value = json!({ "anisotropyStrength": strength });
            if is_along_v {
                value["anisotropyRotation"] = json!(std::f32::consts::FRAC_PI_2);
            }
            others.insert(ANISOTROPY.to_owned(), value);
            place.left.add(UNUSED, u64::from(look.roughness.texture.is_some()));
        }
        if let Some(through) = &look.diffuse_transmission {
            let value = self.through(look, through, place)?;
            others.insert(DIFFUSE_TRANSMISSION.to_owned(), value);
        }
        let is_below = look.subsurface.as_ref().is_some_and(|below| below.weight > 0.0);
        place.left.add(BELOW, u64::from(is_below));
        place.left.add(HAIR, u64::from(look.class == LookClass::Hair));
        Ok(())
    }

    /// The extension mixes what is reflected and what goes through by a factor: the base is written as
    /// bright as both together would be.
    fn through(
        &mut self,
        look: &MaterialLook,
        through: &LookColor,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<Value> {
        let share = through_share(look);
        let mut value = json!({ "diffuseTransmissionFactor": share });
        match self.source(place).color(through, place.left)? {
            ExportPicture::Even(values) => {
                let color = values[0].map(|part| if share > 0.0 { part / share } else { 0.0 });
                value["diffuseTransmissionColorFactor"] = json!(color.map(|part| part.min(1.0)));
            }
            ExportPicture::File(file) => {
                let factor = file.factor.map(|part| if share > 0.0 { part / share } else { 0.0 });
                value["diffuseTransmissionColorFactor"] = json!(factor.map(|part| part.min(1.0)));
                if let Some(info) = self.info(file, place)? {
                    value["diffuseTransmissionColorTexture"] = info_value(&info);
                }
            }
        }
        Ok(value)
    }

    /// The mean luminance of the picture of a light.
    fn picture_mean(&self, color: &LookColor, place: &MaterialPlace<'_, '_>) -> f64 {
        let Some(texture) = &color.texture else { return 1.0 };
        let mut read = |picture: &_| place.files.pixels(picture, 512);
        let baked = place.looks.bake(texture, 512, &mut read);
        baked.map_or(1.0, |baked| {
            let [r, g, b] = baked.picture.mean().map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        })
    }

    fn source<'p>(&self, place: &MaterialPlace<'p, '_>) -> PictureSource<'p> {
        PictureSource { looks: place.looks, files: place.files, takes: TAKES }
    }

    /// A texture as a material uses it; `None` where its file cannot be taken along.
    fn info(
        &mut self,
        file: TextureFile,
        place: &mut MaterialPlace<'_, '_>,
    ) -> Result<Option<Info>> {
        let key = match &file.place {
            PicturePlace::Named(name, _) => [b"f", &name[..]].concat(),
            PicturePlace::Baked(key, _) => [b"b", key.as_bytes()].concat(),
        };
        let image = match self.images.get(&key) {
            Some(known) => *known,
            None => {
                let made = match self.image(&file.place, place) {
                    Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                    made => made.ok(),
                };
                self.images.insert(key, made);
                made
            }
        };
        let Some(image) = image else {
            place.left.add(
                ["picture that cannot be taken along", "pictures that cannot be taken along"],
                1,
            );
            return Ok(None);
        };
        let is_clamped = file.wrap == Wrap::Clamp;
        let root = &mut *place.root;
        let texture = *self.textures.entry((image, is_clamped)).or_insert_with(|| {
            let mode = match is_clamped {
                true => WrappingMode::ClampToEdge,
                false => WrappingMode::Repeat,
            };
            let (wrap_s, wrap_t) = (Checked::Valid(mode), Checked::Valid(mode));
            root.samplers.push(Sampler { wrap_s, wrap_t, ..Sampler::default() });
            root.textures.push(Texture {
                name: None,
                sampler: Some(Index::new(root.samplers.len() as u32 - 1)),
                source: Index::new(image),
                extensions: None,
                extras: Default::default(),
            });
            root.textures.len() as u32 - 1
        });
        // pbrt counts (s, t) from the lower left corner, glTF from the upper left one.
        let [su, sv] = file.transform.scale;
        let [du, dv] = file.transform.offset;
        let is_plain = [su, sv, du, dv] == [1.0, 1.0, 0.0, 0.0];
        let extensions = (!is_plain).then(|| {
            let value = json!({ "scale": [su, sv], "offset": [du, 1.0 - sv - dv] });
            let mut info = json::extensions::texture::Info::default();
            info.others.insert(TRANSFORM.to_owned(), value);
            info
        });
        if !is_plain {
            self.used.insert(TRANSFORM);
        }
        let index = Index::new(texture);
        Ok(Some(Info { index, tex_coord: 0, extensions, extras: Default::default() }))
    }

    fn image(&self, picture: &PicturePlace, place: &mut MaterialPlace<'_, '_>) -> Result<u32> {
        let number = place.root.images.len();
        let (uri, view, mime) = match (picture, self.takes) {
            (PicturePlace::Named(name, file), true) => {
                let bytes = place.files.picture_bytes(name)?;
                if bytes.is_empty() {
                    return Err(Error::corrupt("an empty picture"));
                }
                (None, Some(Index::new(place.buffer.bytes(&bytes)?)), file.mime)
            }
            (PicturePlace::Named(_, file), false) => (Some(file.uri.clone()), None, file.mime),
            (PicturePlace::Baked(_, png), true) => {
                (None, Some(Index::new(place.buffer.bytes(png)?)), Some("image/png"))
            }
            (PicturePlace::Baked(_, png), false) => {
                let name = format!("texture-{number}.png");
                let work = place.buffer.work();
                let file = place.files.beside(&name, &mut |sink| sink.write_bytes(work, png))?;
                (Some(file.uri), None, Some("image/png"))
            }
        };
        place.root.images.push(Image {
            buffer_view: view,
            mime_type: mime
                .filter(|_| self.takes)
                .map(|mime| json::image::MimeType(mime.to_owned())),
            name: None,
            uri,
            extensions: None,
            extras: Default::default(),
        });
        Ok(number as u32)
    }
}

/// The part of all diffuse light that goes through.
fn through_share(look: &MaterialLook) -> f32 {
    let Some(through) = &look.diffuse_transmission else { return 0.0 };
    let luminance = |c: [f32; 3]| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    let [back, front] = [look.base.mean(), through.mean()].map(luminance);
    let share = if back + front > 0.0 { front / (back + front) } else { 0.0 };
    // Some of the base has to be left to be divided by.
    share.min(0.999)
}

/// What is inside of glass.
fn volume(looks: &Looks<'_>, key: SurfaceKey, thickness: f32) -> Value {
    let mut value = json!({ "thicknessFactor": thickness.clamp(1e-6, f32::MAX) });
    if let Some(medium) = looks.media.get(key.medium as usize)
        && medium.is_homogeneous
    {
        let most = medium.absorption.iter().fold(0f32, |most, sigma| most.max(*sigma));
        if most > 1e-30 {
            // After this distance e⁻¹ of the most absorbed colour is left.
            value["attenuationDistance"] = json!(1.0 / most);
            value["attenuationColor"] = json!(medium.absorption.map(|sigma| (-sigma / most).exp()));
        }
    }
    value
}

fn info_value(info: &Info) -> Value {
    let mut value = json!({ "index": info.index.value() });
    if let Some(moved) = info.extensions.as_ref().and_then(|e| e.others.get(TRANSFORM)) {
        value["extensions"] = json!({ TRANSFORM: moved });
    }
    value
}
