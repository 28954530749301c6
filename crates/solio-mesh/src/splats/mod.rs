//! Gaussian splats: points with a size, a direction, an opacity and colours that change with the view, as
//! attributes of vertices. Which of these there are tells them from other point clouds.

mod columns;
mod ellipsoid;
mod facts;
mod harmonics;
pub(crate) mod khr;
mod measure;
mod pack;
mod place;
mod records;
pub mod sog;
pub mod spz;
mod unpack;

pub(crate) use columns::SplatColumns;
pub use ellipsoid::{Ellipsoid, Ellipsoids};
pub use facts::{SplatFacts, are_antialiased, intensities};
pub(crate) use pack::{encode_packed_splats, packed_splat_losses};
pub(crate) use place::place_splats;
pub use records::{SplatReadOptions, decode_splat, encode_splat, splat_losses};
pub(crate) use unpack::{is_packed, unpack};

use crate::model::{Attribute, Mesh, Values};
use columns::{alpha_of, channel_of};

/// The first spherical harmonic, which the constant part of a splat's colour is a factor of.
const HARMONIC_0: f32 = 0.282_094_8;

/// The comment of a scene whose splats were trained to be drawn as Mip-Splatting does: SPZ has a flag for
/// it, and other formats have none.
pub(crate) const ANTIALIASED: &str = "antialiased splats";

/// The comment of a scene whose splats have colours in linear light: glTF says it, and other formats have
/// them as they are displayed, or say nothing.
pub(crate) const LINEAR: &str = "splat colours are linear light";

/// What a splat has at least.
const NAMES: [&str; 11] = [
    "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1",
    "rot_2", "rot_3",
];

fn floats<'m>(mesh: &'m Mesh<'_>, element: &str, name: &str) -> Option<&'m [f32]> {
    let is = |a: &&Attribute<'_>| a.element == element && a.name == name && a.list.is_none();
    match &mesh.attributes.iter().find(is)?.values {
        Values::F32(values) => Some(values),
        _ => None,
    }
}

/// How many Gaussian splats a mesh is; 0 where it is none.
///
/// ```
/// use solio_mesh::{Mesh, splat_count};
/// assert_eq!(splat_count(&Mesh::default()), 0);
/// ```
pub fn splat_count(mesh: &Mesh<'_>) -> usize {
    let count = mesh.positions.len();
    let has = |name: &&str| floats(mesh, "vertex", name).is_some_and(|v| v.len() == count);
    if NAMES.iter().all(has) { count } else { 0 }
}

/// Gives splats the view-dependent parts of a degree that is not lower than theirs: zeros.
pub(crate) fn to_degree(mesh: &mut Mesh<'_>, degree: usize) {
    let Some(columns) = SplatColumns::of_mesh(mesh) else { return };
    if columns.degree() == degree {
        return;
    }
    let rest = columns.rest_of_degree(degree);
    let is_rest = |a: &Attribute<'_>| a.element == "vertex" && a.name.starts_with("f_rest_");
    let at = mesh.attributes.iter().position(is_rest);
    // Where 3DGS has them: in front of the opacities.
    let opacity = mesh.attributes.iter().position(|a| a.name == NAMES[3]);
    let at = at.or(opacity).unwrap_or(0);
    mesh.attributes.retain(|a| !is_rest(a));
    let named = rest.into_iter().enumerate().map(|(k, values)| Attribute {
        element: "vertex".into(),
        name: format!("f_rest_{k}"),
        values: Values::F32(values.into()),
        list: None,
    });
    mesh.attributes.splice(at..at, named);
}

/// The colours of the splats of a mesh as they are seen from no side more than from others, in sRGB, with
/// their opacity; `None` of other meshes.
///
/// ```
/// use solio_mesh::{Mesh, splat_colors};
/// assert_eq!(splat_colors(&Mesh::default()), None);
/// ```
pub fn splat_colors(mesh: &Mesh<'_>) -> Option<Vec<[f32; 4]>> {
    let count = splat_count(mesh);
    let [red, green, blue, opacity] =
        ["f_dc_0", "f_dc_1", "f_dc_2", "opacity"].map(|name| floats(mesh, "vertex", name));
    let (red, green, blue, opacity) = (red?, green?, blue?, opacity?);
    let channel = |value: f32| channel_of(value).clamp(0.0, 1.0);
    let color =
        |i: usize| [channel(red[i]), channel(green[i]), channel(blue[i]), alpha_of(opacity[i])];
    (count > 0).then(|| (0..count).map(color).collect())
}

#[cfg(test)]
pub(crate) mod tests;
