//! Surfaces as BSDFs, and their textures.

use super::text::{XmlText, color, single};
use crate::export::{
    ExportMeshes, ExportPicture, LeftOut, LossName, PicturePlace, PictureSource, PictureTakes,
    PictureUse, TextureFile,
};
use crate::look::{
    EmissionLook, LookClass, LookColor, LookNumber, Looks, MaterialLook, SurfaceKey, TextureCurve,
    TexturePattern, Wrap, coated_albedo,
};
use solio_base::{ErrorKind, Result, Work};
use std::collections::HashMap;

const TAKES: PictureTakes = PictureTakes { any_file: true, linear_colors: false, black: false };
/// Mixes within mixes; deeper ones are one material of their means.
const MOST_DEEP: usize = 8;
/// α below which a surface is smooth.
const SMOOTH: f32 = 1e-4;
/// α of mirrors and smooth coats within a mix: Mitsuba's blend loses light where one of its parts has no width.
const IN_MIX: f32 = 0.02;

const ROUGH_COAT: LossName = [
    "texture of the roughness of a coat or of glass: its mean counts",
    "textures of the roughness of coats or of glasses: their means count",
];
const HAIR: LossName = ["hair: it is diffuse", "hairs: they are diffuse"];
const COAT: LossName = [
    "coat of a metal: Mitsuba's clearcoat is a quarter of it",
    "coats of metals: Mitsuba's clearcoats are a quarter of them",
];
const DEEP: LossName =
    ["mix within very many: its mean counts", "mixes within very many: their means count"];
const LOST: LossName =
    ["picture that cannot be taken along", "pictures that cannot be taken along"];

/// Mitsuba's `roughplastic` (nonlinear, index 1.5, GGX) at normal incidence under an even sky reflects
/// `s + a · d / (1 - b · d)` of a diffuse reflectance d. The first row is `plastic`'s formula, the others are
/// fitted to renders of version 3.9: α, s, a, b.
const PLASTIC: [[f32; 4]; 8] = [
    [0.0, 0.04, 0.387, 0.5968],
    [0.1, 0.0396, 0.3905, 0.5507],
    [0.2, 0.0382, 0.389, 0.4857],
    [0.316, 0.0351, 0.3824, 0.4041],
    [0.45, 0.0301, 0.3698, 0.3174],
    [0.548, 0.0263, 0.3569, 0.2656],
    [0.75, 0.0191, 0.3265, 0.1821],
    [1.0, 0.0127, 0.2856, 0.1134],
];

/// The diffuse reflectance that makes Mitsuba's plastic as bright as pbrt's coat over `base`: one that
/// catches light (`is_layered`), or one that adds `specular` times its reflection.
pub(crate) fn plastic_reflectance(
    base: f32,
    alpha: f32,
    ior: f32,
    specular: f32,
    is_layered: bool,
) -> f32 {
    let alpha = if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, 1.0) };
    let row = PLASTIC[1..7].iter().filter(|row| alpha > row[0]).count();
    let (low, high) = (PLASTIC[row], PLASTIC[row + 1]);
    let part = (alpha - low[0]) / (high[0] - low[0]);
    let [s, a, b] = [1, 2, 3].map(|i| (1.0 - part) * low[i] + part * high[i]);
    // Other indices by the formula of a smooth coat: a = (1 - F0)(1 - b).
    let f0 = ((ior - 1.0) / (ior + 1.0)).powi(2);
    let inner =
        |ior: f32| (-1.4399 / (ior * ior) + 0.7099 / ior + 0.6681 + 0.0636 * ior).clamp(0.0, 0.99);
    let b = b * inner(ior) / inner(1.5);
    let a = a * (1.0 - f0) * (1.0 - inner(ior)) / (0.96 * (1.0 - inner(1.5)));
    let s = s * f0 / 0.04 * specular;
    let wanted = match is_layered {
        true => coated_albedo(base, alpha, ior),
        false => base + s,
    };
    let below = (wanted - s).max(0.0);
    let reflectance = below / (a + b * below);
    if reflectance.is_finite() { reflectance.clamp(0.0, 1.0) } else { 0.0 }
}

/// What is written beside so far.
#[derive(Default)]
pub(super) struct MitsubaPictures {
    /// Of what was baked: the path; `None` for what cannot be written.
    paths: HashMap<String, Option<String>>,
}

/// Where BSDFs are written, and from what.
pub(super) struct BsdfPlace<'p, 't> {
    pub(super) text: &'p mut XmlText<'t>,
    pub(super) looks: &'p Looks<'p>,
    pub(super) files: &'p dyn ExportMeshes,
    pub(super) pictures: &'p mut MitsubaPictures,
    pub(super) left: &'p mut LeftOut,
    pub(super) work: &'p Work,
}

/// Writes the BSDF of a surface.
pub(super) fn write(place: &mut BsdfPlace<'_, '_>, key: SurfaceKey, id: &str) -> Result<()> {
    let looks = place.looks;
    let look = looks.material(key.material);
    let holes = looks.alphas.get(key.alpha as usize);
    let opacity = match holes {
        None => look.opacity.clone(),
        Some(holes) => {
            let parts = Box::new([holes.pattern(), look.opacity.pattern()]);
            LookNumber::of(TexturePattern::Scale(parts).folded())
        }
    };
    let id = Some(id);
    if opacity == LookNumber::constant(1.0) {
        return place.around(look, id, 0);
    }
    place.open("mask", None, id)?;
    place.number("opacity", &opacity)?;
    place.around(look, None, 0)?;
    place.text.close("bsdf")
}

/// Writes the radiance of an area light.
pub(super) fn radiance(
    place: &mut BsdfPlace<'_, '_>,
    light: &EmissionLook,
    area: Option<f64>,
) -> Result<()> {
    let Some(texture) = &light.texture else {
        let strength = light.strength_of(area, 1.0);
        return place.text.value("rgb", "radiance", &color(&light.color.map(|c| c * strength)));
    };
    let mut read = |picture: &_| place.files.pixels(picture, 2048);
    let baked = place.looks.bake(texture, 2048, &mut read);
    let baked = match baked {
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        baked => baked.ok(),
    };
    let mean = baked.as_ref().map_or(1.0, |baked| {
        let [r, g, b] = baked.picture.mean().map(f64::from);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    });
    let strength = light.strength_of(area, mean);
    let made = baked.and_then(|baked| {
        let pixels = baked.picture.pixels().iter();
        let pixels = pixels.map(|p| [0, 1, 2].map(|i| p[i] * light.color[i] * strength));
        let picture =
            crate::look::TexturePicture::new(baked.picture.size()[0], pixels.collect()).ok()?;
        let exr = place.files.exr(&picture).ok()?;
        let name = format!("light-{}.exr", place.pictures.paths.len());
        let work = place.work;
        let file = place.files.beside(&name, &mut |sink| sink.write_bytes(work, &exr)).ok()?;
        place.pictures.paths.insert(name, Some(file.path.clone()));
        Some((file.path, baked.transform, baked.wrap))
    });
    match made {
        Some((path, transform, wrap)) => place.bitmap("radiance", &path, transform, wrap, true),
        None => {
            place.left.add(LOST, 1);
            place.text.value("rgb", "radiance", &color(&light.color.map(|c| c * strength)))
        }
    }
}

impl<'p> BsdfPlace<'p, '_> {
    fn open(&mut self, kind: &str, name: Option<&str>, id: Option<&str>) -> Result<()> {
        let mut attributes = vec![("type", kind)];
        attributes.extend(name.map(|name| ("name", name)));
        attributes.extend(id.map(|id| ("id", id)));
        self.text.open("bsdf", &attributes)
    }

    /// What bends normals goes around the rest.
    fn around(&mut self, look: &MaterialLook, id: Option<&str>, depth: usize) -> Result<()> {
        let mut id = id;
        let mut opened = 0;
        if let Some(map) = &look.normal_map
            && let Some(file) = self.source().normals(map, self.left)?
            && let Some(path) = self.path(&file)?
        {
            self.open("normalmap", None, id.take())?;
            self.bitmap("normalmap", &path, file.transform, file.wrap, true)?;
            opened += 1;
        }
        if let Some(bump) = &look.bump
            && let Some(texture) = &bump.texture
        {
            self.open("bumpmap", None, id.take())?;
            let plain = LookNumber { factor: 1.0, texture: Some(texture.clone()) };
            self.number("arbitrary", &plain)?;
            self.text.value("float", "scale", &single(bump.factor))?;
            opened += 1;
        }
        self.sides(look, id, depth)?;
        for _ in 0..opened {
            self.text.close("bsdf")?;
        }
        Ok(())
    }

    /// What lets nothing through is the same from both sides.
    fn sides(&mut self, look: &MaterialLook, id: Option<&str>, depth: usize) -> Result<()> {
        let is_open = match look.class {
            LookClass::Dielectric
            | LookClass::ThinDielectric
            | LookClass::DiffuseTransmission
            | LookClass::Subsurface
            | LookClass::Interface
            | LookClass::Mix => true,
            LookClass::Principled => look.transmission.mean() > 0.0,
            _ => look.transmission.mean() > 0.0,
        };
        if is_open {
            return self.one(look, id, depth);
        }
        self.open("twosided", None, id)?;
        self.one(look, None, depth)?;
        self.text.close("bsdf")
    }

    fn one(&mut self, look: &MaterialLook, id: Option<&str>, depth: usize) -> Result<()> {
        let mut alpha = 0.5 * (look.alphas[0] + look.alphas[1]);
        let mut alphas = look.alphas;
        let can_widen = matches!(look.class, LookClass::Conductor | LookClass::CoatedDiffuse);
        if depth > 0 && can_widen {
            alpha = alpha.max(IN_MIX);
            alphas = alphas.map(|alpha| alpha.max(IN_MIX));
        }
        let rough = |plain: &'static str, rough: &'static str| {
            if alpha > SMOOTH { rough } else { plain }
        };
        match look.class {
            LookClass::Mix if look.mix.is_some() && depth < MOST_DEEP => {
                return self.mix(look, id, depth);
            }
            LookClass::Mix => {
                self.left.add(DEEP, u64::from(look.mix.is_some()));
                return self.principled(look, id);
            }
            LookClass::Principled => return self.principled(look, id),
            LookClass::CoatedDiffuse if look.transmission.mean() > 0.0 => {
                return self.principled(look, id);
            }
            LookClass::CoatedDiffuse => {
                self.open(rough("plastic", "roughplastic"), None, id)?;
                self.plastic(look, alpha)?;
            }
            LookClass::Conductor => {
                let is_textured = look.roughness.texture.is_some();
                let kind = if is_textured {
                    "roughconductor"
                } else {
                    rough("conductor", "roughconductor")
                };
                self.open(kind, None, id)?;
                self.text.value("string", "material", "none")?;
                self.color("specular_reflectance", &look.base)?;
                if kind == "roughconductor" {
                    self.text.value("string", "distribution", "ggx")?;
                    match is_textured {
                        true => {
                            let squared = look.roughness.pattern().curved(TextureCurve::Square);
                            self.number("alpha", &LookNumber::of(squared))?;
                        }
                        false => {
                            for (name, alpha) in ["alpha_u", "alpha_v"].into_iter().zip(alphas) {
                                self.text.value("float", name, &single(alpha.max(SMOOTH)))?;
                            }
                        }
                    }
                }
            }
            LookClass::CoatedConductor => {
                self.left.add(COAT, 1);
                return self.principled(look, id);
            }
            LookClass::Dielectric | LookClass::Subsurface => {
                self.open(rough("dielectric", "roughdielectric"), None, id)?;
                self.left.add(ROUGH_COAT, u64::from(look.roughness.texture.is_some()));
                if alpha > SMOOTH {
                    self.text.value("string", "distribution", "ggx")?;
                    self.text.value("float", "alpha", &single(alpha))?;
                }
                self.index(look.ior)?;
                let is_white = look.base == LookColor::constant([1.0; 3]);
                if !is_white && look.class == LookClass::Dielectric {
                    self.color("specular_transmittance", &look.base)?;
                }
            }
            LookClass::ThinDielectric => {
                self.open("thindielectric", None, id)?;
                self.index(look.ior)?;
            }
            LookClass::DiffuseTransmission => {
                self.open("principledthin", None, id)?;
                self.leaf(look)?;
            }
            LookClass::Interface => self.open("null", None, id)?,
            LookClass::Measured => {
                let file = look.measured.as_ref().and_then(|name| self.files.picture(name).ok());
                match file {
                    Some(file) => {
                        self.open("measured", None, id)?;
                        self.text.value("string", "filename", &file.path)?;
                    }
                    None => {
                        self.open("diffuse", None, id)?;
                        self.color("reflectance", &look.base)?;
                    }
                }
            }
            LookClass::Hair | LookClass::Diffuse => {
                self.left.add(HAIR, u64::from(look.class == LookClass::Hair));
                self.open("diffuse", None, id)?;
                self.color("reflectance", &look.base)?;
            }
        }
        self.text.close("bsdf")
    }

    fn index(&mut self, ior: f32) -> Result<()> {
        self.text.value("float", "int_ior", &single(ior.max(1.0)))?;
        self.text.value("float", "ext_ior", "1")
    }

    fn plastic(&mut self, look: &MaterialLook, alpha: f32) -> Result<()> {
        self.left.add(ROUGH_COAT, u64::from(look.roughness.texture.is_some()));
        // A coat that catches light has a base of its own for linear formats.
        let is_layered = look.base != look.linear_base;
        let (ior, specular) = (look.ior, look.specular);
        let curve = TextureCurve::Plastic { alpha, ior, specular, is_layered };
        let base = look.base.pattern().curved(curve);
        self.color("diffuse_reflectance", &LookColor::of(base))?;
        self.text.value("boolean", "nonlinear", "true")?;
        self.index(ior)?;
        let tint = look.specular_color.map(|part| (part * specular).clamp(0.0, 1.0));
        if tint != [1.0; 3] {
            self.text.value("rgb", "specular_reflectance", &color(&tint))?;
        }
        if alpha > SMOOTH {
            self.text.value("string", "distribution", "ggx")?;
            self.text.value("float", "alpha", &single(alpha))?;
        }
        Ok(())
    }

    /// A leaf: one colour for what is reflected and what goes through, and their shares of 2.
    fn leaf(&mut self, look: &MaterialLook) -> Result<()> {
        let none = LookColor::constant([0.0; 3]);
        let through = look.diffuse_transmission.as_ref().unwrap_or(&none);
        let [back, front] = [look.base.mean(), through.mean()];
        let sums = [back, front].map(|color| color.iter().sum::<f32>());
        let all = sums[0] + sums[1];
        let share = if all > 0.0 { 2.0 * sums[1] / all } else { 0.0 };
        // A texture of the larger part counts for both.
        let base = match (&look.base.texture, &through.texture) {
            (None, None) => {
                LookColor::constant([0, 1, 2].map(|i| (back[i] + front[i]).clamp(0.0, 1.0)))
            }
            _ => {
                let of = if sums[0] >= sums[1] { &look.base } else { through };
                let part = sums[0].max(sums[1]);
                let factor = if part > 0.0 { all / part } else { 1.0 };
                LookColor::of(of.pattern().scaled([factor; 3]))
            }
        };
        self.color("base_color", &base)?;
        self.text.value("float", "diff_trans", &single(share))?;
        // By renders: of this roughness it is as bright as a surface that is plainly diffuse.
        self.text.value("float", "roughness", "0.4")?;
        self.text.value("float", "eta", "1.0001")
    }

    fn mix(&mut self, look: &MaterialLook, id: Option<&str>, depth: usize) -> Result<()> {
        let Some(mix) = &look.mix else { return Ok(()) };
        self.open("blendbsdf", None, id)?;
        self.number("weight", &mix.amount)?;
        for part in mix.parts {
            let part = self.looks.material(part);
            self.around(part, None, depth + 1)?;
        }
        self.text.close("bsdf")
    }

    fn principled(&mut self, look: &MaterialLook, id: Option<&str>) -> Result<()> {
        self.open("principled", None, id)?;
        self.color("base_color", &look.linear_base)?;
        self.number("roughness", &look.roughness)?;
        self.number("metallic", &look.metallic)?;
        self.number("spec_trans", &look.transmission)?;
        if look.transmission.mean() > 0.0 {
            self.text.value("float", "eta", &single(look.ior.max(1.001)))?;
        } else {
            // 0.08 · specular is F0.
            let specular = (look.f0() * look.specular / 0.08).clamp(0.0, 1.0);
            self.text.value("float", "specular", &single(specular))?;
        }
        let [u, v] = look.alphas;
        let (narrow, wide) = (u.min(v), u.max(v));
        if wide > narrow && wide > 0.0 {
            let anisotropic = ((1.0 - narrow / wide) / 0.9).clamp(0.0, 1.0);
            self.text.value("float", "anisotropic", &single(anisotropic))?;
        }
        if let Some(coat) = &look.coat {
            // A quarter of it counts there.
            self.text.value("float", "clearcoat", &single((4.0 * coat.weight).min(1.0)))?;
            let alpha = coat.roughness.mean().powi(2).clamp(0.001, 0.1);
            let gloss = (0.1 - alpha) / (0.1 - 0.001);
            self.text.value("float", "clearcoat_gloss", &single(gloss))?;
        }
        if let Some(sheen) = &look.sheen {
            let most = sheen.color.iter().fold(0f32, |most, part| most.max(*part));
            self.text.value("float", "sheen", &single(most.clamp(0.0, 1.0)))?;
        }
        self.text.close("bsdf")
    }

    fn source(&self) -> PictureSource<'p> {
        PictureSource { looks: self.looks, files: self.files, takes: TAKES }
    }

    fn color(&mut self, name: &str, value: &LookColor) -> Result<()> {
        let mut picture = self.source().color(value, self.left)?;
        // There is no factor of a bitmap.
        if matches!(&picture, ExportPicture::File(file) if file.factor != [1.0; 3]) {
            let layers = vec![value.pattern()];
            picture = self.source().baked(layers, PictureUse::Color, self.left)?;
        }
        let mean = match picture {
            ExportPicture::Even(values) => values[0],
            ExportPicture::File(file) => match self.path(&file)? {
                Some(path) => {
                    return self.bitmap(name, &path, file.transform, file.wrap, file.is_linear);
                }
                None => value.mean(),
            },
        };
        self.text.value("rgb", name, &color(&mean))
    }

    fn number(&mut self, name: &str, value: &LookNumber) -> Result<()> {
        let mean = match self.source().number(value, self.left)? {
            ExportPicture::Even(values) => values[0][0],
            ExportPicture::File(file) => match self.path(&file)? {
                Some(path) => return self.bitmap(name, &path, file.transform, file.wrap, true),
                None => value.mean(),
            },
        };
        self.text.value("float", name, &single(mean.clamp(0.0, 1.0)))
    }

    /// A bitmap. pbrt counts (s, t) from the lower left corner, Mitsuba from the upper left one, and the
    /// meshes have their v turned over.
    fn bitmap(
        &mut self,
        name: &str,
        path: &str,
        transform: crate::look::TextureTransform,
        wrap: Wrap,
        is_raw: bool,
    ) -> Result<()> {
        self.text.open("texture", &[("type", "bitmap"), ("name", name)])?;
        self.text.value("string", "filename", path)?;
        let wrap = if wrap == Wrap::Repeat { "repeat" } else { "clamp" };
        self.text.value("string", "wrap_mode", wrap)?;
        self.text.value("boolean", "raw", if is_raw { "true" } else { "false" })?;
        let ([su, sv], [du, dv]) = (transform.scale, transform.offset);
        if [su, sv, du, dv] != [1.0, 1.0, 0.0, 0.0] {
            let [x, y] = [single(su), single(sv)];
            let [dx, dy] = [single(du), single(1.0 - sv - dv)];
            self.text.line(&format!(
                "<transform name=\"to_uv\"><scale x=\"{x}\" y=\"{y}\"/><translate x=\"{dx}\" \
                 y=\"{dy}\"/></transform>"
            ))?;
        }
        self.text.close("texture")
    }

    /// The path of a file; `None` where it cannot be written beside.
    fn path(&mut self, file: &TextureFile) -> Result<Option<String>> {
        let path = match &file.place {
            PicturePlace::Named(_, file) => Some(file.path.clone()),
            PicturePlace::Baked(key, png) => match self.pictures.paths.get(key) {
                Some(known) => known.clone(),
                None => {
                    let name = format!("texture-{}.png", self.pictures.paths.len());
                    let work = self.work;
                    let made = self.files.beside(&name, &mut |sink| sink.write_bytes(work, png));
                    let made = match made {
                        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                        made => made.ok().map(|file| file.path),
                    };
                    self.pictures.paths.insert(key.clone(), made.clone());
                    made
                }
            },
        };
        self.left.add(LOST, u64::from(path.is_none()));
        Ok(path)
    }
}
