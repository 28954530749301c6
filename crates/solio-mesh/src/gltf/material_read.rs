//! Materials of glTF as the model has them, which is MTL's.
//!
//! Factors as they are (both are linear). Textures: base colour `map_Kd`, roughness and metallic `map_Pr`
//! and `map_Pm` of the channels green and blue, normals `norm`, emission `map_Ke`, occlusion `map_ao`,
//! opacity `map_d`. Opacity is that of the base colour where the material is not opaque.

use super::buffers::{Buffers, missing};
use super::document::{ImageJson, MaterialJson, TextureRef};
use super::notes::Notes;
use super::pictures::Pictures;
use crate::material::{Material, TextureMap};
use solio_base::Result;

/// Extensions whose values no member of a material holds, that say nothing of its looks either.
const SILENT: [&str; 1] = ["KHR_xmp_json_ld"];
/// Wrapping that is not repetition.
const CLAMP: u32 = 33071;
const MIRROR: u32 = 33648;
/// Blender's level of a specular part as strong as glTF's.
const SPECULAR_LEVEL: f32 = 0.5;

/// What the materials of a document are made of.
pub(super) struct MaterialReader<'r, 'b> {
    pub(super) buffers: &'r Buffers<'b>,
    pub(super) pictures: Pictures,
    pub(super) outside: bool,
}

impl MaterialReader<'_, '_> {
    pub(super) fn read(&mut self, json: &MaterialJson, notes: &mut Notes) -> Result<Material> {
        let pbr = &json.pbr_metallic_roughness;
        let [r, g, b, a] = pbr.base_color_factor.unwrap_or([1.0; 4]);
        let mode = json.alpha_mode.as_deref().unwrap_or("OPAQUE");
        let mut made = Material {
            name: json.name.clone().unwrap_or_default(),
            diffuse: Some([r, g, b]),
            metallic: Some(pbr.metallic_factor.unwrap_or(1.0)),
            roughness: Some(pbr.roughness_factor.unwrap_or(1.0)),
            double_sided: Some(json.double_sided),
            ..Material::default()
        };
        let base = self.texture("map_Kd", pbr.base_color_texture.as_ref(), &[], notes)?;
        if mode != "OPAQUE" {
            made.opacity = Some(a);
            let mut base = base.clone();
            base.iter_mut().for_each(|map| {
                map.key = "map_d".into();
                map.options.push(("-imfchan".into(), "m".into()));
            });
            made.maps.extend(base);
        }
        if mode == "MASK" {
            made.alpha_cutoff = Some(json.alpha_cutoff.unwrap_or(0.5));
        }
        made.maps.splice(0..0, base);
        let rough = pbr.metallic_roughness_texture.as_ref();
        for (key, channel) in [("map_Pr", "g"), ("map_Pm", "b")] {
            made.maps.extend(self.texture(key, rough, &[("-imfchan", channel)], notes)?);
        }
        if let Some(normal) = &json.normal_texture {
            let scale = normal.scale.filter(|scale| *scale != 1.0).map(|scale| scale.to_string());
            let scale = scale.as_deref().map(|scale| ("-bm", scale));
            let scale = Vec::from_iter(scale);
            made.maps.extend(self.texture("norm", Some(normal), &scale, notes)?);
        }
        if let Some(occlusion) = &json.occlusion_texture {
            if occlusion.strength.is_some_and(|strength| strength != 1.0) {
                notes.leave("strength of occlusion");
            }
            made.maps.extend(self.texture(
                "map_ao",
                Some(occlusion),
                &[("-imfchan", "r")],
                notes,
            )?);
        }
        let strength = json.extensions.emissive.as_ref().and_then(|e| e.emissive_strength);
        let strength = strength.unwrap_or(1.0);
        if json.emissive_factor != [0.0; 3] {
            made.emission = Some(json.emissive_factor.map(|x| x * strength));
        }
        made.maps.extend(self.texture("map_Ke", json.emissive_texture.as_ref(), &[], notes)?);
        self.extensions(json, &mut made, notes)?;
        Ok(made)
    }

    fn extensions(
        &mut self,
        json: &MaterialJson,
        made: &mut Material,
        notes: &mut Notes,
    ) -> Result<()> {
        let given = &json.extensions;
        if given.unlit.is_some() {
            made.illum = Some(0);
        }
        made.ior = given.ior.as_ref().map(|ior| ior.ior.unwrap_or(1.5));
        if let Some(clear) = &given.clearcoat {
            made.clearcoat = Some(clear.clearcoat_factor);
            made.clearcoat_roughness = Some(clear.clearcoat_roughness_factor);
            let coat = clear.clearcoat_texture.as_ref();
            made.maps.extend(self.texture("map_Pc", coat, &[("-imfchan", "r")], notes)?);
            let rough = clear.clearcoat_roughness_texture.as_ref();
            made.maps.extend(self.texture("map_Pcr", rough, &[("-imfchan", "g")], notes)?);
            left(notes, &clear.clearcoat_normal_texture, "texture of the clear coat's normals");
        }
        if let Some(through) = &given.transmission {
            made.transmission_filter = Some([through.transmission_factor; 3]);
            left(notes, &through.transmission_texture, "texture of transmission");
        }
        if let Some(sheen) = &given.sheen {
            let color = sheen.sheen_color_factor;
            made.sheen = Some(color.into_iter().fold(0.0, f32::max));
            if color[0] != color[1] || color[1] != color[2] {
                notes.leave("colour of sheen");
            }
            if sheen.sheen_roughness_factor != 0.0 {
                notes.leave("roughness of sheen");
            }
            left(notes, &sheen.sheen_color_texture, "texture of sheen");
            left(notes, &sheen.sheen_roughness_texture, "texture of sheen's roughness");
        }
        if let Some(specular) = &given.specular {
            let factor = specular.specular_factor.unwrap_or(1.0) * SPECULAR_LEVEL;
            let color = specular.specular_color_factor.unwrap_or([1.0; 3]);
            made.specular = Some(color.map(|x| x * factor));
            left(notes, &specular.specular_texture, "texture of specular strength");
            left(notes, &specular.specular_color_texture, "texture of specular colour");
        }
        if let Some(anisotropy) = &given.anisotropy {
            made.anisotropy = Some(anisotropy.anisotropy_strength);
            // MTL counts turns.
            let turns = anisotropy.anisotropy_rotation / std::f32::consts::TAU;
            made.anisotropy_rotation = (turns != 0.0).then_some(turns);
            left(notes, &anisotropy.anisotropy_texture, "texture of anisotropy");
        }
        if let Some(glossy) = &given.glossiness {
            let [r, g, b, a] = glossy.diffuse_factor.unwrap_or([1.0; 4]);
            made.diffuse = Some([r, g, b]);
            made.specular = Some(glossy.specular_factor.unwrap_or([1.0; 3]));
            made.metallic = None;
            made.roughness = Some(1.0 - glossy.glossiness_factor.unwrap_or(1.0));
            made.opacity = made.opacity.map(|_| a);
            made.maps.retain(|map| !["map_Kd", "map_Pr", "map_Pm", "map_d"].contains(&&*map.key));
            let base = self.texture("map_Kd", glossy.diffuse_texture.as_ref(), &[], notes)?;
            made.maps.splice(0..0, base);
            let both = &glossy.specular_glossiness_texture;
            left(notes, both, "texture of specular colour and glossiness");
        }
        for name in given.others.keys().filter(|name| !SILENT.contains(&&***name)) {
            notes.leave(format!("material extension {name}"));
        }
        Ok(())
    }

    /// A texture of a material, if there is one and it leads to a picture.
    fn texture(
        &mut self,
        key: &str,
        used: Option<&TextureRef>,
        options: &[(&str, &str)],
        notes: &mut Notes,
    ) -> Result<Vec<TextureMap>> {
        let Some(used) = used else { return Ok(Vec::new()) };
        let document = self.buffers.document;
        let count = document.textures.len();
        let texture = document.textures.get(used.index as usize);
        let texture = texture.ok_or_else(|| missing("texture", used.index, count))?;
        let Some(image) = texture.image() else {
            notes.leave("texture without an image");
            return Ok(Vec::new());
        };
        let images = &document.images;
        let json: &ImageJson =
            images.get(image as usize).ok_or_else(|| missing("image", image, images.len()))?;
        let Some(path) = self.pictures.path(image, json, self.buffers, self.outside, notes)? else {
            return Ok(Vec::new());
        };
        let mut map = TextureMap { key: key.to_owned(), path, ..TextureMap::default() };
        let mut option = |name: &str, value: String| map.options.push((name.to_owned(), value));
        let mut set = used.tex_coord;
        if let Some(moved) = &used.extensions.transform {
            set = moved.tex_coord.unwrap_or(set);
            let [su, sv] = moved.scale.unwrap_or([1.0; 2]);
            let [ou, ov] = moved.offset.unwrap_or([0.0; 2]);
            // v counts from the bottom here: 1 − (sv (1 − v) + ov).
            let ov = 1.0 - sv - ov;
            if (ou, ov) != (0.0, 0.0) {
                option("-o", format!("{ou} {ov} 0"));
            }
            if (su, sv) != (1.0, 1.0) {
                option("-s", format!("{su} {sv} 1"));
            }
            if moved.rotation != 0.0 {
                notes.leave("rotation of a texture");
            }
        }
        if set != 0 {
            notes.leave("texture on other than the first texture coordinates");
        }
        if let Some(sampler) = texture.sampler.and_then(|i| document.samplers.get(i as usize)) {
            let wraps = [sampler.wrap_s, sampler.wrap_t];
            if wraps == [Some(CLAMP); 2] {
                option("-clamp", "on".into());
            } else if wraps.iter().flatten().any(|wrap| [CLAMP, MIRROR].contains(wrap)) {
                notes.leave("wrapping of a texture");
            }
        }
        let more = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        map.options.extend(more);
        Ok(vec![map])
    }
}

fn left(notes: &mut Notes, texture: &Option<TextureRef>, what: &str) {
    if texture.is_some() {
        notes.leave(what);
    }
}
