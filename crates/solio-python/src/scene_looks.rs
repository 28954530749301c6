//! What materials, lights and skies look like, as plain Python objects.
//!
//! A colour or a number is a pair of its factor and its texture, or `None`; `solio._scene` makes named tuples
//! of these.

use crate::Any;
use crate::errors::argument;
use crate::run::run;
use crate::scene::Scene;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use solio::OpenScene;
use solio::scene::look::{
    EmissionLook, EnvironmentMapping, LightLook, LightLookKind, LookColor, LookNumber, LookTexture,
    Looks, MaterialLook, TextureEncoding, TexturePicture, TextureSource, TextureTransform, Wrap,
};

/// Pixels, scale and offset of (u, v), and what lies beyond.
type GivenBake<'py> = (Any<'py>, [f32; 2], [f32; 2], &'static str);

/// The looks of all materials, and that of a shape without one at the end.
#[pyfunction]
pub(crate) fn scene_materials<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (open, looks) = (scene.get().open(), scene.get().open().looks());
    let all = looks.materials.iter().chain([&looks.default_material]);
    all.map(|look| material(py, open, &looks, look)).collect()
}

/// What lets shapes shine.
#[pyfunction]
pub(crate) fn scene_area_lights<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (open, looks) = (scene.get().open(), scene.get().open().looks());
    looks.area_lights.iter().map(|look| emission(py, open, &looks, look)).collect()
}

/// How strongly a shape shines.
#[pyfunction]
pub(crate) fn scene_emitted_strength(
    scene: &Bound<'_, Scene>,
    py: Python<'_>,
    shape: u32,
) -> PyResult<Option<f32>> {
    let work = crate::color_arrays::work(None);
    let open = scene.get().open();
    run(py, &work.cancel, || open.emitted_strength(&open.looks(), shape, &work))
}

/// Shapes of which not all is there, by number, and how much is.
#[pyfunction]
pub(crate) fn scene_alphas<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
) -> PyResult<Vec<(u32, Any<'py>)>> {
    let (open, looks) = (scene.get().open(), scene.get().open().looks());
    let shapes = 0..open.scene().shapes.len() as u32;
    let found = shapes.filter_map(|shape| Some((shape, looks.alpha(shape)?)));
    found.map(|(shape, alpha)| Ok((shape, number(py, open, &looks, alpha)?))).collect()
}

/// Lights without a shape; `None` for one that is not known.
#[pyfunction]
pub(crate) fn scene_lights<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
) -> PyResult<Vec<Option<Bound<'py, PyDict>>>> {
    let (open, looks) = (scene.get().open(), scene.get().open().looks());
    let each = looks.lights.iter();
    each.map(|look| look.as_ref().map(|look| light(py, open, look)).transpose()).collect()
}

/// Media.
#[pyfunction]
pub(crate) fn scene_media<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let looks = scene.get().open().looks();
    let each = looks.media.iter().map(|look| {
        let dict = PyDict::new(py);
        dict.set_item("name", &look.name)?;
        dict.set_item("absorption", look.absorption)?;
        dict.set_item("scattering", look.scattering)?;
        dict.set_item("anisotropy", look.anisotropy)?;
        dict.set_item("is_homogeneous", look.is_homogeneous)?;
        Ok(dict)
    });
    each.collect()
}

/// What of materials and textures the neutral form has no words for.
#[pyfunction]
pub(crate) fn scene_look_losses(scene: &Bound<'_, Scene>) -> Vec<crate::functions::GivenLoss> {
    crate::functions::given_losses(scene.get().open().looks().losses())
}

/// A texture as pixels, shape (H, W, 3): that of the field of a material, of an area light, or of a
/// shape's `alpha`.
#[pyfunction]
pub(crate) fn scene_bake<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
    kind: &str,
    index: usize,
    field: &str,
    most: usize,
) -> PyResult<GivenBake<'py>> {
    let work = crate::color_arrays::work(None);
    let open = scene.get().open();
    let baked = run(py, &work.cancel, || {
        let looks = open.looks();
        let found = texture_of(&looks, kind, index, field);
        let found = found.ok_or_else(|| solio::Error::argument("there is no such texture"))?;
        open.bake(&looks, found, most, &work)
    })?;
    let TextureTransform { scale, offset } = baked.transform;
    Ok((pixels(py, &baked.picture)?, scale, offset, wrap(baked.wrap)))
}

/// The picture of a sky by longitude and latitude, in the light's own space.
#[pyfunction]
pub(crate) fn scene_sky<'py>(
    scene: &Bound<'_, Scene>,
    py: Python<'py>,
    index: usize,
) -> PyResult<Any<'py>> {
    let work = crate::color_arrays::work(None);
    let open = scene.get().open();
    let looks = open.looks();
    let light = looks.lights.get(index).and_then(Option::as_ref);
    let picture = light.and_then(|light| light.picture.as_ref());
    let Some(picture) = picture else { return Err(argument("the light has no picture")) };
    let sky = run(py, &work.cancel, || open.sky(picture, &work))?;
    pixels(py, &sky)
}

/// The texture of a field.
fn texture_of<'l>(
    looks: &'l Looks<'_>,
    kind: &str,
    index: usize,
    field: &str,
) -> Option<&'l LookTexture> {
    let found = match kind {
        "material" => {
            let look = looks.materials.get(index)?;
            match field {
                "base" => &look.base.texture,
                "linear_base" => &look.linear_base.texture,
                "metallic" => &look.metallic.texture,
                "roughness" => &look.roughness.texture,
                "transmission" => &look.transmission.texture,
                "opacity" => &look.opacity.texture,
                "coat_roughness" => &look.coat.as_ref()?.roughness.texture,
                "diffuse_transmission" => &look.diffuse_transmission.as_ref()?.texture,
                "normal_map" => &look.normal_map,
                "bump" => &look.bump.as_ref()?.texture,
                "mix_amount" => &look.mix.as_ref()?.amount.texture,
                _ => return None,
            }
        }
        "area light" => &looks.area_lights.get(index)?.texture,
        "alpha" => &looks.alpha(u32::try_from(index).ok()?)?.texture,
        _ => return None,
    };
    found.as_deref()
}

fn material<'py>(
    py: Python<'py>,
    open: &OpenScene,
    looks: &Looks<'_>,
    look: &MaterialLook,
) -> PyResult<Bound<'py, PyDict>> {
    let of_color = |value: &LookColor| color(py, open, looks, value);
    let of_number = |value: &LookNumber| number(py, open, looks, value);
    let dict = PyDict::new(py);
    dict.set_item("name", &look.name)?;
    dict.set_item("kind", look.class.name())?;
    dict.set_item("base", of_color(&look.base)?)?;
    dict.set_item("linear_base", of_color(&look.linear_base)?)?;
    dict.set_item("metallic", of_number(&look.metallic)?)?;
    dict.set_item("roughness", of_number(&look.roughness)?)?;
    dict.set_item("alphas", (look.alphas[0], look.alphas[1]))?;
    dict.set_item("transmission", of_number(&look.transmission)?)?;
    dict.set_item("ior", look.ior)?;
    dict.set_item("dispersion", look.dispersion)?;
    dict.set_item("is_thin", look.is_thin)?;
    dict.set_item("specular", look.specular)?;
    dict.set_item("specular_color", tuple(look.specular_color))?;
    let coat = look.coat.as_ref();
    dict.set_item("coat", coat.map_or(0.0, |coat| coat.weight))?;
    dict.set_item("coat_roughness", coat.map(|coat| of_number(&coat.roughness)).transpose()?)?;
    dict.set_item("coat_ior", coat.map_or(1.5, |coat| coat.ior))?;
    let sheen = look.sheen.as_ref();
    dict.set_item("sheen", sheen.map(|sheen| tuple(sheen.color)))?;
    dict.set_item("sheen_roughness", sheen.map_or(0.0, |sheen| sheen.roughness))?;
    let below = look.subsurface.as_ref();
    dict.set_item("subsurface", below.map_or(0.0, |below| below.weight))?;
    dict.set_item("subsurface_radius", below.map(|below| tuple(below.radius)))?;
    dict.set_item("subsurface_anisotropy", below.map_or(0.0, |below| below.anisotropy))?;
    let through = look.diffuse_transmission.as_ref().map(of_color).transpose()?;
    dict.set_item("diffuse_transmission", through)?;
    dict.set_item("opacity", of_number(&look.opacity)?)?;
    let normals = look.normal_map.as_deref().map(|map| texture(py, open, looks, map));
    dict.set_item("normal_map", normals.transpose()?)?;
    dict.set_item("bump", look.bump.as_ref().map(of_number).transpose()?)?;
    let mix = look.mix.as_ref();
    dict.set_item("mix", mix.map(|mix| (mix.parts[0], mix.parts[1])))?;
    dict.set_item("mix_amount", mix.map(|mix| of_number(&mix.amount)).transpose()?)?;
    let measured = look.measured.as_ref().map(|name| open.file(name).into_os_string());
    dict.set_item("measured", measured)?;
    Ok(dict)
}

fn emission<'py>(
    py: Python<'py>,
    open: &OpenScene,
    looks: &Looks<'_>,
    look: &EmissionLook,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("color", tuple(look.color))?;
    dict.set_item("strength", look.strength)?;
    dict.set_item("is_two_sided", look.two_sided)?;
    dict.set_item("power", look.power)?;
    let map = look.texture.as_deref().map(|map| texture(py, open, looks, map));
    dict.set_item("texture", map.transpose()?)?;
    Ok(dict)
}

fn light<'py>(py: Python<'py>, open: &OpenScene, look: &LightLook) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (kind, angles) = match look.kind {
        LightLookKind::Distant => ("distant", None),
        LightLookKind::Point => ("point", None),
        LightLookKind::Spot { outer, inner } => ("spot", Some((outer, inner))),
        LightLookKind::Projection { fov } => ("projection", Some((fov, fov))),
        LightLookKind::Sky => ("sky", None),
    };
    dict.set_item("kind", kind)?;
    dict.set_item("color", tuple(look.color))?;
    dict.set_item("strength", look.strength)?;
    dict.set_item("angles", angles)?;
    dict.set_item("position", look.position)?;
    dict.set_item("direction", look.direction)?;
    dict.set_item("to_world", look.to_world)?;
    dict.set_item("illuminance", look.illuminance)?;
    let picture = look.picture.as_ref();
    dict.set_item("picture", picture.map(|p| open.file(&p.name).into_os_string()))?;
    let mapping = picture.map(|picture| match picture.mapping {
        EnvironmentMapping::EqualArea => "equal-area",
        EnvironmentMapping::LatLong => "lat-long",
        EnvironmentMapping::Flat => "flat",
    });
    dict.set_item("mapping", mapping)?;
    dict.set_item("is_exact", look.is_exact)?;
    Ok(dict)
}

fn color<'py>(
    py: Python<'py>,
    open: &OpenScene,
    looks: &Looks<'_>,
    value: &LookColor,
) -> PyResult<Any<'py>> {
    let map = value.texture.as_deref().map(|map| texture(py, open, looks, map)).transpose()?;
    Ok((tuple(value.factor), map).into_pyobject(py)?.into_any())
}

fn number<'py>(
    py: Python<'py>,
    open: &OpenScene,
    looks: &Looks<'_>,
    value: &LookNumber,
) -> PyResult<Any<'py>> {
    let map = value.texture.as_deref().map(|map| texture(py, open, looks, map)).transpose()?;
    Ok((value.factor, map).into_pyobject(py)?.into_any())
}

/// The file, how its integers become light, the power where that is one, whether it gives one number a place,
/// scale and offset, what lies beyond the borders.
fn texture<'py>(
    py: Python<'py>,
    open: &OpenScene,
    looks: &Looks<'_>,
    map: &LookTexture,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let picture = match &map.source {
        TextureSource::Picture(index) => looks.pictures.get(*index as usize),
        TextureSource::Bake(_) => None,
    };
    dict.set_item("path", picture.map(|p| open.file(&p.name).into_os_string()))?;
    let encoding = picture.map(|picture| match picture.encoding {
        TextureEncoding::Srgb => ("srgb", 1.0),
        TextureEncoding::Linear => ("linear", 1.0),
        TextureEncoding::Gamma(power) => ("gamma", power),
    });
    dict.set_item("encoding", encoding)?;
    let is_number = map.channel == solio::scene::look::TextureChannel::Number;
    dict.set_item("is_number", is_number)?;
    dict.set_item("scale", (map.transform.scale[0], map.transform.scale[1]))?;
    dict.set_item("offset", (map.transform.offset[0], map.transform.offset[1]))?;
    dict.set_item("wrap", wrap(map.wrap))?;
    Ok(dict)
}

fn wrap(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Clamp => "clamp",
        Wrap::Black => "black",
    }
}

fn tuple([a, b, c]: [f32; 3]) -> (f32, f32, f32) {
    (a, b, c)
}

/// An array of shape (H, W, 3).
fn pixels<'py>(py: Python<'py>, picture: &TexturePicture) -> PyResult<Any<'py>> {
    let [width, height] = picture.size();
    let flat = PyArray1::from_slice(py, picture.pixels().as_flattened());
    Ok(flat.reshape([height, width, 3])?.into_any())
}
