//! The neutral form of a material.

use super::bake::TextureBake;
use super::pattern::{TextureEncoding, TexturePattern, TextureTransform, Wrap};

/// Beyond this places of a texture cannot be told apart.
pub(super) const FAR: f32 = 1e9;

/// What kind of surface a material is: which lobes it has. The numbers are in [`MaterialLook`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LookClass {
    /// Diffuse alone: `diffuse`, `matte`, and `plastic` or `uber` whose coat is black.
    #[default]
    Diffuse,
    /// Diffuse under a dielectric: `coateddiffuse`, `plastic`, `uber`, `substrate`.
    CoatedDiffuse,
    /// A metal: `conductor`, `metal`, `mirror`.
    Conductor,
    /// A metal under a dielectric: `coatedconductor`.
    CoatedConductor,
    /// Glass with an inside: `dielectric`, `glass`.
    Dielectric,
    /// A pane that does not bend rays: `thindielectric`.
    ThinDielectric,
    /// Leaves, paper: `diffusetransmission`, `translucent`.
    DiffuseTransmission,
    /// Skin, wax, milk: `subsurface`, `kdsubsurface`.
    Subsurface,
    /// Fibres: `hair`.
    Hair,
    /// A table in a file: `measured`, `fourier`. The other fields are grey.
    Measured,
    /// Two others together: `mix`. The other fields are those of the parts, mixed by the mean amount.
    Mix,
    /// Everything at once: `disney`.
    Principled,
    /// The border of a medium, of which nothing is seen: `interface`, `none`.
    Interface,
}

impl LookClass {
    /// A short name: `coated-diffuse`.
    pub fn name(self) -> &'static str {
        match self {
            LookClass::Diffuse => "diffuse",
            LookClass::CoatedDiffuse => "coated-diffuse",
            LookClass::Conductor => "conductor",
            LookClass::CoatedConductor => "coated-conductor",
            LookClass::Dielectric => "dielectric",
            LookClass::ThinDielectric => "thin-dielectric",
            LookClass::DiffuseTransmission => "diffuse-transmission",
            LookClass::Subsurface => "subsurface",
            LookClass::Hair => "hair",
            LookClass::Measured => "measured",
            LookClass::Mix => "mix",
            LookClass::Principled => "principled",
            LookClass::Interface => "interface",
        }
    }
}

/// A picture of a file, as a texture names it.
#[derive(Clone, Debug, PartialEq)]
pub struct LookPicture {
    /// The path as the scene calls it: relative to the scene's folder, or absolute.
    pub name: Vec<u8>,
    /// How its integers become light.
    pub encoding: TextureEncoding,
    /// Whether it gives one number a place: of a picture with alpha that (version 4), else the mean of
    /// the colours.
    pub is_number: bool,
    /// Where it is asked for.
    pub(crate) place: crate::scene::Place,
}

/// Which of the picture's values count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureChannel {
    /// Red, green and blue.
    #[default]
    Color,
    /// One number: [`LookPicture::is_number`].
    Number,
}

/// Where the values of a texture come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureSource {
    /// The file of this number, of [`Looks::pictures`](super::Looks::pictures), as it is.
    Picture(u32),
    /// A pattern that is to be [baked](super::Looks::bake).
    Bake(TextureBake),
}

/// Values by the place on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct LookTexture {
    /// The values.
    pub source: TextureSource,
    /// From (u, v) of the surface to (s, t), which are 0 at the lower left corner of the picture and 1
    /// at the upper right one. Baking gives a transform of its own.
    pub transform: TextureTransform,
    /// What lies beyond the borders.
    pub wrap: Wrap,
    /// Which of the values count.
    pub channel: TextureChannel,
    pub(crate) pattern: TexturePattern,
}

/// A colour, and the texture that it is multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct LookColor {
    /// Linear light with the primaries of sRGB, each part from 0 to 1.
    pub factor: [f32; 3],
    /// The texture, if there is one.
    pub texture: Option<Box<LookTexture>>,
}

/// A number, and the texture that it is multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct LookNumber {
    /// The number; the field says its range.
    pub factor: f32,
    /// The texture, if there is one.
    pub texture: Option<Box<LookTexture>>,
}

impl LookColor {
    /// The same everywhere.
    pub const fn constant(factor: [f32; 3]) -> LookColor {
        LookColor { factor, texture: None }
    }

    pub(crate) fn of(pattern: TexturePattern) -> LookColor {
        let (factor, texture) = lower(pattern, TextureChannel::Color);
        LookColor { factor: factor.map(unit), texture }
    }

    pub(crate) fn pattern(&self) -> TexturePattern {
        pattern_of(self.factor, self.texture.as_deref())
    }

    /// What comes out where pictures are not read: the factor, of a picture a half of it.
    pub fn mean(&self) -> [f32; 3] {
        self.pattern().at(None, &[]).map(unit)
    }
}

impl LookNumber {
    /// The same everywhere.
    pub const fn constant(factor: f32) -> LookNumber {
        LookNumber { factor, texture: None }
    }

    pub(crate) fn of(pattern: TexturePattern) -> LookNumber {
        let (factor, texture) = lower(pattern, TextureChannel::Number);
        let factor = factor[0];
        let factor = if factor.is_nan() { 0.0 } else { factor.clamp(f32::MIN, f32::MAX) };
        LookNumber { factor, texture }
    }

    pub(crate) fn pattern(&self) -> TexturePattern {
        pattern_of([self.factor; 3], self.texture.as_deref())
    }

    /// What comes out where pictures are not read: the factor, of a picture a half of it.
    pub fn mean(&self) -> f32 {
        self.pattern().at(None, &[])[0]
    }
}

/// From 0 to 1; what is no number is 0.
fn unit(part: f32) -> f32 {
    if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
}

fn pattern_of(factor: [f32; 3], texture: Option<&LookTexture>) -> TexturePattern {
    let color = TexturePattern::Color(factor);
    match texture {
        None => color,
        Some(texture) if factor == [1.0; 3] => texture.pattern.clone(),
        Some(texture) => TexturePattern::Scale(Box::new([texture.pattern.clone(), color])),
    }
}

/// A pattern as a factor and a texture: a picture of a file where that says all, else a pattern to bake.
fn lower(pattern: TexturePattern, channel: TextureChannel) -> ([f32; 3], Option<Box<LookTexture>>) {
    if let TexturePattern::Color(color) = pattern {
        return (color, None);
    }
    if let Some((factor, pattern)) = picture_of(&pattern)
        && let TexturePattern::Picture { number, mapping: Some(transform), wrap, .. } = pattern
    {
        let source = TextureSource::Picture(number as u32);
        let texture = LookTexture { source, transform, wrap, channel, pattern };
        return (factor, Some(Box::new(texture)));
    }
    let bake = TextureBake::new(vec![pattern.clone()]);
    let (transform, wrap) = (bake.transform(), bake.wrap());
    let texture =
        LookTexture { source: TextureSource::Bake(bake), transform, wrap, channel, pattern };
    ([1.0; 3], Some(Box::new(texture)))
}

/// The picture that a pattern consists of, if there is one alone, by (u, v), and not made brighter,
/// with what it is multiplied by.
fn picture_of(pattern: &TexturePattern) -> Option<([f32; 3], TexturePattern)> {
    let (factor, picture) = match pattern {
        TexturePattern::Picture { number, mapping, wrap, scale, invert: false, is_plain: true } => {
            let mapping = Some((*mapping)?);
            let (number, wrap) = (*number, *wrap);
            let picture = TexturePattern::Picture {
                number,
                mapping,
                wrap,
                scale: 1.0,
                invert: false,
                is_plain: true,
            };
            ([*scale; 3], picture)
        }
        TexturePattern::Scale(parts) => {
            let (of, factor) = match &**parts {
                [of, TexturePattern::Color(factor)] | [TexturePattern::Color(factor), of] => {
                    (of, factor)
                }
                _ => return None,
            };
            let (under, picture) = picture_of(of)?;
            ([0, 1, 2].map(|i| under[i] * factor[i]), picture)
        }
        _ => return None,
    };
    let is_factor = factor.iter().all(|factor| (0.0..=1.0).contains(factor));
    let TexturePattern::Picture { mapping: Some(mapping), .. } = &picture else { return None };
    let of_mapping = mapping.scale.iter().chain(&mapping.offset);
    (is_factor && of_mapping.into_iter().all(|x| x.abs() < FAR)).then_some((factor, picture))
}

/// A layer of varnish over what the other fields say: the coat of a metal, or `clearcoat`.
#[derive(Clone, Debug, PartialEq)]
pub struct CoatLook {
    /// How much of it there is: 0 to 1.
    pub weight: f32,
    /// Its perceptual roughness, the root of α: 0 to 1.
    pub roughness: LookNumber,
    /// Its refractive index.
    pub ior: f32,
}

/// Cloth: what shines at grazing angles.
#[derive(Clone, Debug, PartialEq)]
pub struct SheenLook {
    /// Its colour times its weight, linear.
    pub color: [f32; 3],
    /// Its perceptual roughness: 0 to 1.
    pub roughness: f32,
}

/// What light does below the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SubsurfaceLook {
    /// How much of the light goes below: 0 to 1.
    pub weight: f32,
    /// The mean free path of red, green and blue, in units of the world.
    pub radius: [f32; 3],
    /// Henyey and Greenstein's asymmetry: -1 to 1.
    pub anisotropy: f32,
}

/// Two materials together.
#[derive(Clone, Debug, PartialEq)]
pub struct MixLook {
    /// Of [`Scene::materials`](crate::scene::Scene::materials), in the order of version 4.
    pub parts: [u32; 2],
    /// How much of the second: 0 to 1.
    pub amount: LookNumber,
}

/// What a surface sends out.
#[derive(Clone, Debug, PartialEq)]
pub struct EmissionLook {
    /// A colour whose largest part is 1, linear.
    pub color: [f32; 3],
    /// How strong it is, in nits (pbrt's radiance): the colour is multiplied by this. Of a light with
    /// `power` this is the strength at a power of π for each square unit of a side:
    /// [`EmissionLook::strength_of`] takes the area into account.
    pub strength: f32,
    /// Whether both sides shine; else the one that the normal points to.
    pub two_sided: bool,
    /// The power in watts that each part of the shape is to have, if the scene says so (version 4).
    pub power: Option<f32>,
    /// The picture that the colour is multiplied by, by (u, v).
    pub texture: Option<Box<LookTexture>>,
}

impl EmissionLook {
    /// The strength on a shape whose parts, each of which has the `power` for itself, have this mean
    /// area in square units; `picture_mean` is the mean luminance of the picture, 1 without one.
    ///
    /// ```
    /// use solio_scene::look::EmissionLook;
    /// let lamp = EmissionLook {
    ///     color: [1.0; 3], strength: 1.0, two_sided: true, power: Some(72.0), texture: None,
    /// };
    /// // A square of 36 square metres is two triangles.
    /// assert!((lamp.strength_of(Some(18.0), 1.0) - 0.637).abs() < 1e-3);
    /// ```
    pub fn strength_of(&self, area: Option<f64>, picture_mean: f64) -> f32 {
        let sides = if self.two_sided { 2.0 } else { 1.0 };
        let strength = f64::from(self.strength);
        let factor = match (self.power, area) {
            (Some(power), Some(area)) if area > 0.0 && picture_mean > 0.0 => {
                f64::from(power) / (std::f64::consts::PI * area * sides * picture_mean)
            }
            _ => 1.0,
        };
        let strength = (strength * factor).min(f64::from(f32::MAX)) as f32;
        if strength.is_finite() { strength } else { 0.0 }
    }
}

/// What a surface looks like. Fields that a class does not have stand at what changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialLook {
    /// Its name; `material.N` where the scene gives none.
    pub name: String,
    /// Which lobes it has.
    pub class: LookClass,
    /// The colour: what a diffuse surface reflects, F0 of a metal, the tint of what goes through glass,
    /// the reflected part of a leaf, the albedo of many scatterings of skin. Under a coat, as in pbrt.
    pub base: LookColor,
    /// The base for formats that blend base and coat linearly (glTF, `UsdPreviewSurface`, OpenPBR,
    /// Principled): with the darkening of light that is caught below the coat, so that base and coat
    /// together are as bright as pbrt's. The same as [`MaterialLook::base`] without a coat.
    pub linear_base: LookColor,
    /// 1 for metals: 0 to 1.
    pub metallic: LookNumber,
    /// Perceptual roughness, the root of α: 0 to 1. Of two directions, of their mean.
    pub roughness: LookNumber,
    /// α, the width of microfacets, along u and v; of a texture the mean.
    pub alphas: [f32; 2],
    /// How much goes through: 0 to 1.
    pub transmission: LookNumber,
    /// The refractive index (of the d line, 587.6 nm) of glass or of the coat of a diffuse surface.
    pub ior: f32,
    /// 20 over Abbe's number; 0 without dispersion.
    pub dispersion: f32,
    /// Whether it is a sheet without an inside.
    pub is_thin: bool,
    /// How much of the dielectric reflection there is: 0 to 1, where F0 is that of [`MaterialLook::ior`].
    pub specular: f32,
    /// The colour of that reflection.
    pub specular_color: [f32; 3],
    /// Varnish.
    pub coat: Option<CoatLook>,
    /// Cloth.
    pub sheen: Option<SheenLook>,
    /// Skin.
    pub subsurface: Option<SubsurfaceLook>,
    /// What goes through diffusely: leaves.
    pub diffuse_transmission: Option<LookColor>,
    /// How much of the surface is there at all: 0 to 1.
    pub opacity: LookNumber,
    /// Normals by a picture, in the space of tangents, with +y along v. Its values are linear.
    pub normal_map: Option<Box<LookTexture>>,
    /// Heights in units of the world, which pbrt bends normals by (`displacement`, `bumpmap`).
    pub bump: Option<LookNumber>,
    /// The materials of a mixture; `None` where one is missing or contains itself.
    pub mix: Option<MixLook>,
    /// The file of a measured material, as the scene calls it.
    pub measured: Option<Vec<u8>>,
}

impl MaterialLook {
    /// Grey, diffuse, with two sides.
    pub(crate) fn plain(name: &str) -> MaterialLook {
        MaterialLook {
            name: name.to_owned(),
            class: LookClass::Diffuse,
            base: LookColor::constant([0.5; 3]),
            linear_base: LookColor::constant([0.5; 3]),
            metallic: LookNumber::constant(0.0),
            roughness: LookNumber::constant(1.0),
            alphas: [1.0; 2],
            transmission: LookNumber::constant(0.0),
            ior: 1.5,
            dispersion: 0.0,
            is_thin: false,
            specular: 0.0,
            specular_color: [1.0; 3],
            coat: None,
            sheen: None,
            subsurface: None,
            diffuse_transmission: None,
            opacity: LookNumber::constant(1.0),
            normal_map: None,
            bump: None,
            mix: None,
            measured: None,
        }
    }

    /// How much wider microfacets are along the one direction, for glTF: the wider α is mixed of the
    /// narrower one and 1 by the square of this; and whether the wider one is that along v.
    ///
    /// ```
    /// # use solio_base::Work;
    /// # use solio_scene::{look::Looks, scene::{NoFiles, read_scene}};
    /// let text = b"WorldBegin\nMaterial \"conductor\" \"bool remaproughness\" false\n\
    ///     \"float uroughness\" 0.1 \"float vroughness\" 0.325\n";
    /// let path = std::path::Path::new("a.pbrt");
    /// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
    /// let (strength, is_along_v) = Looks::new(&scene).materials[0].anisotropy();
    /// assert!((strength - 0.5).abs() < 1e-6 && is_along_v); // 0.1 + 0.25 · 0.9
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn anisotropy(&self) -> (f32, bool) {
        let [u, v] = self.alphas;
        let (narrow, wide) = (u.min(v), u.max(v));
        if !(narrow < 1.0 && wide > narrow) {
            return (0.0, false);
        }
        (((wide - narrow) / (1.0 - narrow)).clamp(0.0, 1.0).sqrt(), v > u)
    }

    /// F0 of the dielectric reflection, without [`MaterialLook::specular`].
    pub fn f0(&self) -> f32 {
        ((self.ior - 1.0) / (self.ior + 1.0)).powi(2)
    }
}
