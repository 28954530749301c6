//! Surfaces as networks of `UsdPreviewSurface`.

use super::text::{UsdText, quoted, single, tuple};
use crate::export::{
    ExportMeshes, ExportPicture, LeftOut, LossName, PicturePlace, PictureSource, PictureTakes,
    TextureFile,
};
use crate::look::{
    LookClass, LookColor, LookNumber, Looks, MaterialLook, SurfaceKey, TexturePattern, Wrap,
};
use crate::scene::NONE;
use solio_base::{ErrorKind, Result, Work};
use std::collections::HashMap;

const TAKES: PictureTakes = PictureTakes { any_file: true, linear_colors: true, black: true };

const BUMPS: LossName = [
    "displacement of a material, which bends its normals",
    "displacements of materials, which bend their normals",
];
const THROUGH: LossName = [
    "material that light goes through diffusely: what it reflects counts",
    "materials that light goes through diffusely: what they reflect counts",
];
const BELOW: LossName = [
    "material that light enters below the surface: its colour counts",
    "materials that light enters below the surface: their colours count",
];
const HAIR: LossName = ["hair: its colour counts", "hairs: their colours count"];
const SHEEN: LossName = ["sheen of a material", "sheens of materials"];
const ANISOTROPY: LossName = [
    "roughness of two directions: their mean counts",
    "roughnesses of two directions: their means count",
];
const LOST: LossName =
    ["picture that cannot be taken along", "pictures that cannot be taken along"];

/// What is written beside so far.
#[derive(Default)]
pub(super) struct UsdPictures {
    /// Of what was baked: the path; `None` for what cannot be written.
    paths: HashMap<String, Option<String>>,
}

/// Where a material is written, and from what.
pub(super) struct ShadingPlace<'p, 't> {
    pub(super) text: &'p mut UsdText<'t>,
    pub(super) looks: &'p Looks<'p>,
    pub(super) files: &'p dyn ExportMeshes,
    pub(super) pictures: &'p mut UsdPictures,
    pub(super) left: &'p mut LeftOut,
    pub(super) work: &'p Work,
}

/// A value of the surface: given, or connected to an output of a texture.
enum ShadingInput {
    Value(String),
    Texture { texture: UsdTexture, output: &'static str },
}

/// A `UsdUVTexture`.
struct UsdTexture {
    path: String,
    file: TextureFile,
    scale: [f32; 4],
    bias: [f32; 4],
}

/// Writes a material that is called `name` and lies at `place`; `area` is that of a light whose strength
/// depends on it.
pub(super) fn write(
    at: &mut ShadingPlace<'_, '_>,
    place: &str,
    name: &str,
    key: SurfaceKey,
    area: Option<f64>,
) -> Result<()> {
    let looks = at.looks;
    let look = looks.material(key.material);
    let inputs = inputs(at, look, key, area)?;
    let called = looks.name(key);
    let notes = match called == name {
        true => Vec::new(),
        false => vec![format!("displayName = {}", quoted(&called))],
    };
    let text = &mut *at.text;
    text.begin(&format!("def Material \"{name}\""), &notes)?;
    text.line(&format!("token outputs:surface.connect = <{place}/Surface.outputs:surface>"))?;
    text.begin("def Shader \"Surface\"", &[])?;
    text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
    let mut textures = Vec::new();
    for (kind, input, value) in inputs {
        match value {
            ShadingInput::Value(value) => text.line(&format!("{kind} inputs:{input} = {value}"))?,
            ShadingInput::Texture { texture, output } => {
                let shader = format!("Picture_{input}");
                text.line(&format!(
                    "{kind} inputs:{input}.connect = <{place}/{shader}.outputs:{output}>"
                ))?;
                textures.push((shader, texture, output));
            }
        }
    }
    text.line("token outputs:surface")?;
    text.end()?;
    let has_textures = !textures.is_empty();
    for (shader, texture, output) in textures {
        picture(text, place, &shader, &texture, output)?;
    }
    if has_textures {
        text.begin("def Shader \"Coordinates\"", &[])?;
        text.line("uniform token info:id = \"UsdPrimvarReader_float2\"")?;
        text.line("string inputs:varname = \"st\"")?;
        text.line("float2 outputs:result")?;
        text.end()?;
    }
    text.end()
}

type Inputs = Vec<(&'static str, &'static str, ShadingInput)>;

fn inputs(
    at: &mut ShadingPlace<'_, '_>,
    look: &MaterialLook,
    key: SurfaceKey,
    area: Option<f64>,
) -> Result<Inputs> {
    let looks = at.looks;
    let mut inputs: Inputs = Vec::new();
    let value = |x: f32| ShadingInput::Value(single(x.into()));
    let diffuse = at.color(&look.linear_base)?;
    inputs.push(("color3f", "diffuseColor", diffuse));
    // What reflects otherwise than a dielectric of its index says so by its own colour.
    let is_metal = look.metallic == LookNumber::constant(1.0);
    let is_plain = look.specular == 1.0 && look.specular_color == [1.0; 3];
    match !is_metal && !is_plain && look.metallic == LookNumber::constant(0.0) {
        true => {
            let f0 = look.f0() * look.specular;
            let color = look.specular_color.map(|part| (part * f0).clamp(0.0, 1.0) + 0.0);
            inputs.push(("int", "useSpecularWorkflow", ShadingInput::Value("1".to_owned())));
            inputs.push(("color3f", "specularColor", ShadingInput::Value(tuple(&color))));
        }
        false => {
            let metallic = at.number(&look.metallic)?;
            inputs.push(("float", "metallic", metallic));
        }
    }
    let roughness = at.number(&look.roughness)?;
    inputs.push(("float", "roughness", roughness));
    if look.specular > 0.0 || look.transmission.mean() > 0.0 {
        inputs.push(("float", "ior", value(look.ior)));
    }
    if let Some(coat) = &look.coat {
        inputs.push(("float", "clearcoat", value(coat.weight)));
        let roughness = at.number(&coat.roughness)?;
        inputs.push(("float", "clearcoatRoughness", roughness));
    }
    let holes = looks.alphas.get(key.alpha as usize);
    let through = 1.0 - look.transmission.mean();
    let parts = [
        holes.map_or(TexturePattern::Color([1.0; 3]), LookNumber::pattern),
        look.opacity.pattern().scaled([through; 3]),
    ];
    let opacity = LookNumber::of(TexturePattern::Scale(Box::new(parts)).folded());
    if opacity != LookNumber::constant(1.0) {
        if opacity.texture.is_some() && through > 0.0 {
            inputs.push(("float", "opacityThreshold", value(0.5)));
        }
        let opacity = at.number(&opacity)?;
        inputs.push(("float", "opacity", opacity));
    }
    if key.light != NONE {
        let light = &looks.area_lights[key.light as usize];
        let color = LookColor { factor: light.color, texture: light.texture.clone() };
        let mean = light.texture.as_ref().map_or(1.0, |texture| {
            let mut read = |picture: &_| at.files.pixels(picture, 512);
            let baked = looks.bake(texture, 512, &mut read);
            baked.map_or(1.0, |baked| {
                let [r, g, b] = baked.picture.mean().map(f64::from);
                0.2126 * r + 0.7152 * g + 0.0722 * b
            })
        });
        let strength = light.strength_of(area, mean);
        let emission = match at.color(&color)? {
            ShadingInput::Value(_) => {
                ShadingInput::Value(tuple(&color.mean().map(|x| (x * strength).min(f32::MAX))))
            }
            ShadingInput::Texture { mut texture, output } => {
                let [r, g, b, _] = texture.scale;
                texture.scale = [r * strength, g * strength, b * strength, 1.0];
                ShadingInput::Texture { texture, output }
            }
        };
        inputs.push(("color3f", "emissiveColor", emission));
    }
    if let Some(map) = &look.normal_map
        && let Some(file) = at.source().normals(map, at.left)?
        && let Some(mut texture) = at.texture(file)?
    {
        texture.scale = [2.0, 2.0, 2.0, 1.0];
        texture.bias = [-1.0, -1.0, -1.0, 0.0];
        inputs.push(("normal3f", "normal", ShadingInput::Texture { texture, output: "rgb" }));
    }
    let left = &mut *at.left;
    left.add(BUMPS, u64::from(look.bump.is_some()));
    left.add(THROUGH, u64::from(look.diffuse_transmission.is_some()));
    left.add(BELOW, u64::from(look.subsurface.is_some()));
    left.add(HAIR, u64::from(look.class == LookClass::Hair));
    left.add(SHEEN, u64::from(look.sheen.is_some()));
    left.add(ANISOTROPY, u64::from(look.anisotropy().0 > 0.0));
    Ok(inputs)
}

impl<'p> ShadingPlace<'p, '_> {
    fn source(&self) -> PictureSource<'p> {
        PictureSource { looks: self.looks, files: self.files, takes: TAKES }
    }

    fn color(&mut self, color: &LookColor) -> Result<ShadingInput> {
        match self.source().color(color, self.left)? {
            ExportPicture::Even(values) => Ok(ShadingInput::Value(tuple(&values[0]))),
            ExportPicture::File(file) => match self.texture(file)? {
                Some(texture) => Ok(ShadingInput::Texture { texture, output: "rgb" }),
                None => Ok(ShadingInput::Value(tuple(&color.mean()))),
            },
        }
    }

    fn number(&mut self, number: &LookNumber) -> Result<ShadingInput> {
        let value = |x: f32| ShadingInput::Value(single(x.clamp(0.0, 1.0).into()));
        match self.source().number(number, self.left)? {
            ExportPicture::Even(values) => Ok(value(values[0][0])),
            ExportPicture::File(file) => match self.texture(file)? {
                Some(texture) => Ok(ShadingInput::Texture { texture, output: "r" }),
                None => Ok(value(number.mean())),
            },
        }
    }

    /// A file as a texture; `None` where it cannot be written beside.
    fn texture(&mut self, file: TextureFile) -> Result<Option<UsdTexture>> {
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
        let [r, g, b] = file.factor;
        let (scale, bias) = ([r, g, b, 1.0], [0.0; 4]);
        Ok(path.map(|path| UsdTexture { path, file, scale, bias }))
    }
}

/// The picture, and where on the surface it lies. USD counts (s, t) as pbrt does.
fn picture(
    text: &mut UsdText<'_>,
    place: &str,
    shader: &str,
    texture: &UsdTexture,
    output: &str,
) -> Result<()> {
    let [su, sv] = texture.file.transform.scale;
    let [du, dv] = texture.file.transform.offset;
    let is_plain = [su, sv, du, dv] == [1.0, 1.0, 0.0, 0.0];
    let st = if is_plain { "Coordinates".to_owned() } else { format!("{shader}_place") };
    let wrap = match texture.file.wrap {
        Wrap::Repeat => "repeat",
        Wrap::Clamp => "clamp",
        Wrap::Black => "black",
    };
    let space = if texture.file.is_linear { "raw" } else { "sRGB" };
    text.begin(&format!("def Shader \"{shader}\""), &[])?;
    text.line("uniform token info:id = \"UsdUVTexture\"")?;
    text.line(&format!("asset inputs:file = {}", asset(&texture.path)))?;
    text.line(&format!("token inputs:sourceColorSpace = \"{space}\""))?;
    text.line(&format!("token inputs:wrapS = \"{wrap}\""))?;
    text.line(&format!("token inputs:wrapT = \"{wrap}\""))?;
    if texture.scale != [1.0; 4] {
        text.line(&format!("float4 inputs:scale = {}", tuple(&texture.scale)))?;
    }
    if texture.bias != [0.0; 4] {
        text.line(&format!("float4 inputs:bias = {}", tuple(&texture.bias)))?;
    }
    text.line(&format!("float2 inputs:st.connect = <{place}/{st}.outputs:result>"))?;
    let kind = if output == "rgb" { "float3" } else { "float" };
    text.line(&format!("{kind} outputs:{output}"))?;
    text.end()?;
    if !is_plain {
        text.begin(&format!("def Shader \"{st}\""), &[])?;
        text.line("uniform token info:id = \"UsdTransform2d\"")?;
        text.line(&format!("float2 inputs:in.connect = <{place}/Coordinates.outputs:result>"))?;
        text.line(&format!("float2 inputs:scale = {}", tuple(&[su, sv])))?;
        text.line(&format!("float2 inputs:translation = {}", tuple(&[du, dv])))?;
        text.line("float2 outputs:result")?;
        text.end()?;
    }
    Ok(())
}

/// A path as an asset: three signs around one that has such a sign.
pub(super) fn asset(path: &str) -> String {
    let around = if path.contains('@') { "@@@" } else { "@" };
    let path = path.replace(|c: char| c.is_control(), "_");
    format!("{around}{path}{around}")
}
