//! Gaussian splats: points with a size, a direction, an opacity and colours that change with the view, as
//! attributes of vertices. Which of these there are tells them from other point clouds.

use crate::model::{Attribute, Mesh, Positions, Values};
use std::borrow::Cow;

/// The first spherical harmonic, which the constant part of a splat's colour is a factor of.
const HARMONIC_0: f32 = 0.282_094_8;

/// Records of a chunk of a packed file.
const CHUNK: usize = 256;

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
    let channel = |value: f32| (0.5 + HARMONIC_0 * value).clamp(0.0, 1.0);
    let color = |i: usize| {
        let alpha = 1.0 / (1.0 + (-opacity[i]).exp());
        [channel(red[i]), channel(green[i]), channel(blue[i]), alpha]
    };
    (count > 0).then(|| (0..count).map(color).collect())
}

/// Whether an element of these properties is that of packed splats.
pub(crate) fn is_packed<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| name == "packed_position")
}

/// Unpacks the splats that SuperSplat packs: chunks of 256, whose numbers lie between bounds of the chunk.
/// Returns whether the mesh had such, whole.
pub(crate) fn unpack(mesh: &mut Mesh<'static>) -> bool {
    let Some((positions, mut made)) = unpacked(mesh) else { return false };
    made.extend(harmonics(mesh, positions.len()));
    let is_packed = |a: &Attribute<'_>| match a.element.as_str() {
        "chunk" | "sh" => true,
        element => element == "vertex" && a.name.starts_with("packed_"),
    };
    mesh.attributes.retain(|a| !is_packed(a));
    mesh.positions = Positions::F32(positions.into());
    let vertex = |(name, values): (String, Vec<f32>)| Attribute {
        element: "vertex".into(),
        name,
        values: Values::F32(Cow::Owned(values)),
        list: None,
    };
    mesh.attributes.extend(made.into_iter().map(vertex));
    true
}

type NamedFloats = Vec<(String, Vec<f32>)>;

fn unpacked(mesh: &Mesh<'_>) -> Option<(Vec<[f32; 3]>, NamedFloats)> {
    let words = |name: &str| {
        let is = |a: &&Attribute<'_>| a.element == "vertex" && a.name == name && a.list.is_none();
        match &mesh.attributes.iter().find(is)?.values {
            Values::U32(values) => Some(&values[..]),
            _ => None,
        }
    };
    let names = ["packed_position", "packed_rotation", "packed_scale", "packed_color"];
    let [places, turns, sizes, colors] = names.map(words);
    let (places, turns, sizes, colors) = (places?, turns?, sizes?, colors?);
    let chunks = places.len().div_ceil(CHUNK);
    let bound = |name: &str| floats(mesh, "chunk", name).filter(|bounds| bounds.len() >= chunks);
    let bounds = |names: [&str; 3]| {
        let [x, y, z] = names.map(bound);
        Some([x?, y?, z?])
    };
    let place_low = bounds(["min_x", "min_y", "min_z"])?;
    let place_high = bounds(["max_x", "max_y", "max_z"])?;
    let size_low = bounds(["min_scale_x", "min_scale_y", "min_scale_z"])?;
    let size_high = bounds(["max_scale_x", "max_scale_y", "max_scale_z"])?;
    // Older files have colours from 0 to 1.
    let color_low = bounds(["min_r", "min_g", "min_b"]);
    let color_high = bounds(["max_r", "max_g", "max_b"]);
    let between = |low: [&[f32]; 3], high: [&[f32]; 3], chunk: usize, at: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|k| low[k][chunk] + (high[k][chunk] - low[k][chunk]) * at[k])
    };
    let mut positions = Vec::with_capacity(places.len());
    let mut made: NamedFloats =
        NAMES.iter().map(|name| (name.to_string(), Vec::with_capacity(places.len()))).collect();
    for i in 0..places.len() {
        let chunk = i / CHUNK;
        positions.push(between(place_low, place_high, chunk, three(places[i])));
        let size = between(size_low, size_high, chunk, three(sizes[i]));
        let [r, g, b, a] = colors[i].to_be_bytes().map(|byte| f32::from(byte) / 255.0);
        let rgb = match (color_low, color_high) {
            (Some(low), Some(high)) => between(low, high, chunk, [r, g, b]),
            _ => [r, g, b],
        };
        let [red, green, blue] = rgb.map(|c| (c - 0.5) / HARMONIC_0);
        // 0 and 1 are at no finite place.
        let alpha = a.clamp(1e-6, 1.0 - 1e-6);
        let opacity = (alpha / (1.0 - alpha)).ln();
        let [w, x, y, z] = rotation(turns[i]);
        let values = [red, green, blue, opacity, size[0], size[1], size[2], w, x, y, z];
        made.iter_mut().zip(values).for_each(|((_, all), value)| all.push(value));
    }
    Some((positions, made))
}

/// Three numbers from 0 to 1, of 11, 10 and 11 bits.
fn three(word: u32) -> [f32; 3] {
    let bits = |shift: u32, most: u32| (word >> shift & most) as f32 / most as f32;
    [bits(21, 2047), bits(11, 1023), bits(0, 2047)]
}

/// A quaternion, w first: the largest part follows from the other three.
fn rotation(word: u32) -> [f32; 4] {
    let part =
        |shift: u32| ((word >> shift & 1023) as f32 / 1023.0 - 0.5) * std::f32::consts::SQRT_2;
    let others = [part(20), part(10), part(0)];
    let largest = (word >> 30) as usize;
    let rest = 1.0 - others.iter().map(|v| v * v).sum::<f32>();
    let mut others = others.into_iter();
    std::array::from_fn(|k| match k == largest {
        true => rest.max(0.0).sqrt(),
        false => others.next().unwrap_or(0.0),
    })
}

/// The view-dependent parts of the colours, which are bytes from −4 to 4.
fn harmonics(mesh: &Mesh<'_>, count: usize) -> NamedFloats {
    let of = |a: &Attribute<'_>| match &a.values {
        Values::U8(v) if a.element == "sh" && a.list.is_none() && v.len() == count => {
            let values = v.iter().map(|&b| (f32::from(b) + 0.5) / 32.0 - 4.0).collect();
            Some((a.name.clone(), values))
        }
        _ => None,
    };
    mesh.attributes.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_three_parts_has_the_fourth() {
        for largest in 0..4_usize {
            // 0.2, -0.3, 0.4 as 10 bits each.
            let bits = |v: f32| ((v / std::f32::consts::SQRT_2 + 0.5) * 1023.0).round() as u32;
            let word = (largest as u32) << 30 | bits(0.2) << 20 | bits(-0.3) << 10 | bits(0.4);
            let turn = rotation(word);
            let length: f32 = turn.iter().map(|v| v * v).sum();
            assert!((length - 1.0).abs() < 1e-5, "{turn:?}");
            let mut others = turn.to_vec();
            others.remove(largest);
            for (a, b) in others.iter().zip([0.2, -0.3, 0.4]) {
                assert!((a - b).abs() < 1e-3, "{turn:?}");
            }
        }
    }
}
