//! Surfaces as networks of `UsdPreviewSurface`.

use super::text::{UsdText, quoted, single, tuple};
use crate::export::{LossName, Surface, SurfacePicture};
use crate::preview::Wrap;
use solio_base::Result;

pub(super) const UNREAD: LossName = [
    "picture that cannot be read: its constant part counts",
    "pictures that cannot be read: their constant parts count",
];

/// Writes a material that is called `name` and lies at `place`; the picture with what the file calls it.
pub(super) fn write(
    text: &mut UsdText<'_>,
    place: &str,
    name: &str,
    surface: &Surface,
    picture: Option<(SurfacePicture, String)>,
) -> Result<()> {
    let notes = match surface.name == name {
        true => Vec::new(),
        false => vec![format!("displayName = {}", quoted(&surface.name))],
    };
    text.begin(&format!("def Material \"{name}\""), &notes)?;
    text.line(&format!("token outputs:surface.connect = <{place}/Surface.outputs:surface>"))?;
    text.begin("def Shader \"Surface\"", &[])?;
    text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
    match picture.is_some() {
        true => {
            let output = format!("{place}/Picture.outputs:rgb");
            text.line(&format!("color3f inputs:diffuseColor.connect = <{output}>"))?;
        }
        false => {
            text.line(&format!("color3f inputs:diffuseColor = {}", tuple(&surface.color)))?;
        }
    }
    let finish = surface.finish;
    text.line(&format!("float inputs:metallic = {}", single(finish.metallic.into())))?;
    text.line(&format!("float inputs:roughness = {}", single(finish.roughness.into())))?;
    if let Some(index) = finish.index {
        text.line(&format!("float inputs:ior = {}", single(index.into())))?;
    }
    let opacity = finish.opacity * (1.0 - finish.transmission);
    if opacity < 1.0 {
        text.line(&format!("float inputs:opacity = {}", single(opacity.into())))?;
    }
    if let Some((color, strength)) = surface.emission {
        let color = color.map(|x| (x * strength).min(f32::MAX));
        text.line(&format!("color3f inputs:emissiveColor = {}", tuple(&color)))?;
    }
    text.line("token outputs:surface")?;
    text.end()?;
    if let Some((picture, path)) = picture {
        texture(text, place, &picture, &path)?;
    }
    text.end()
}

/// The picture, and where on the surface it lies. USD counts (s, t) as pbrt does.
fn texture(
    text: &mut UsdText<'_>,
    place: &str,
    picture: &SurfacePicture,
    path: &str,
) -> Result<()> {
    let [su, sv] = picture.mapping.scale;
    let [du, dv] = picture.mapping.offset;
    let is_plain = [su, sv, du, dv] == [1.0, 1.0, 0.0, 0.0];
    let st = if is_plain { "Coordinates" } else { "Place" };
    let wrap = match picture.wrap {
        Wrap::Repeat => "repeat",
        Wrap::Clamp => "clamp",
        Wrap::Black => "black",
    };
    let [r, g, b] = picture.factor;
    let space = if picture.is_linear { "raw" } else { "sRGB" };
    text.begin("def Shader \"Picture\"", &[])?;
    text.line("uniform token info:id = \"UsdUVTexture\"")?;
    // Three signs around a path that has one.
    let around = if path.contains('@') { "@@@" } else { "@" };
    let path = path.replace(|c: char| c.is_control(), "_");
    text.line(&format!("asset inputs:file = {around}{path}{around}"))?;
    text.line(&format!("token inputs:sourceColorSpace = \"{space}\""))?;
    text.line(&format!("token inputs:wrapS = \"{wrap}\""))?;
    text.line(&format!("token inputs:wrapT = \"{wrap}\""))?;
    if picture.factor != [1.0; 3] {
        text.line(&format!("float4 inputs:scale = {}", tuple(&[r, g, b, 1.0])))?;
    }
    text.line(&format!("float2 inputs:st.connect = <{place}/{st}.outputs:result>"))?;
    text.line("float3 outputs:rgb")?;
    text.end()?;
    if !is_plain {
        text.begin("def Shader \"Place\"", &[])?;
        text.line("uniform token info:id = \"UsdTransform2d\"")?;
        text.line(&format!("float2 inputs:in.connect = <{place}/Coordinates.outputs:result>"))?;
        text.line(&format!("float2 inputs:scale = {}", tuple(&[su, sv])))?;
        text.line(&format!("float2 inputs:translation = {}", tuple(&[du, dv])))?;
        text.line("float2 outputs:result")?;
        text.end()?;
    }
    text.begin("def Shader \"Coordinates\"", &[])?;
    text.line("uniform token info:id = \"UsdPrimvarReader_float2\"")?;
    text.line("string inputs:varname = \"st\"")?;
    text.line("float2 outputs:result")?;
    text.end()
}
