//! SuperSplat's packed PLY, read: chunks of 256 splats, whose numbers lie between bounds of the chunk.

use super::columns::{SplatColumns, logit, of_channel};
use super::floats;
use crate::model::{Attribute, Mesh, Values};
use std::borrow::Cow;

/// Records of a chunk of a packed file.
pub(super) const CHUNK: usize = 256;
/// The properties of a chunk.
pub(super) const BOUNDS: [&str; 18] = [
    "min_x",
    "min_y",
    "min_z",
    "max_x",
    "max_y",
    "max_z",
    "min_scale_x",
    "min_scale_y",
    "min_scale_z",
    "max_scale_x",
    "max_scale_y",
    "max_scale_z",
    "min_r",
    "min_g",
    "min_b",
    "max_r",
    "max_g",
    "max_b",
];
/// Those of a splat.
pub(super) const WORDS: [&str; 4] =
    ["packed_position", "packed_rotation", "packed_scale", "packed_color"];

/// Whether an element of these properties is that of packed splats.
pub(crate) fn is_packed<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| name == "packed_position")
}

/// Unpacks the splats that SuperSplat packs: chunks of 256, whose numbers lie between bounds of the chunk.
/// Returns whether the mesh had such, whole.
pub(crate) fn unpack(mesh: &mut Mesh<'static>) -> bool {
    let Some(mut columns) = unpacked(mesh) else { return false };
    columns.rest = harmonics(mesh, columns.count());
    let is_packed = |a: &Attribute<'_>| match a.element.as_str() {
        "chunk" | "sh" => true,
        element => element == "vertex" && a.name.starts_with("packed_"),
    };
    mesh.attributes.retain(|a| !is_packed(a));
    let plain = columns.into_mesh();
    mesh.positions = plain.positions;
    mesh.normals = mesh.normals.take().or(plain.normals);
    mesh.attributes.splice(..0, plain.attributes);
    true
}

fn unpacked(mesh: &Mesh<'_>) -> Option<SplatColumns<'static>> {
    let words = |name: &str| {
        let is = |a: &&Attribute<'_>| a.element == "vertex" && a.name == name && a.list.is_none();
        match &mesh.attributes.iter().find(is)?.values {
            Values::U32(values) => Some(&values[..]),
            _ => None,
        }
    };
    let [places, turns, sizes, colors] = WORDS.map(words);
    let (places, turns, sizes, colors) = (places?, turns?, sizes?, colors?);
    let chunks = places.len().div_ceil(CHUNK);
    let bound = |name: &str| floats(mesh, "chunk", name).filter(|bounds| bounds.len() >= chunks);
    let bounds = |first: usize| {
        let [x, y, z] = [0, 1, 2].map(|k| bound(BOUNDS[first + k]));
        Some([x?, y?, z?])
    };
    let (place_low, place_high) = (bounds(0)?, bounds(3)?);
    let (size_low, size_high) = (bounds(6)?, bounds(9)?);
    // Older files have colours from 0 to 1.
    let (color_low, color_high) = (bounds(12), bounds(15));
    let between = |low: [&[f32]; 3], high: [&[f32]; 3], chunk: usize, at: [f32; 3]| -> [f32; 3] {
        std::array::from_fn(|k| low[k][chunk] + (high[k][chunk] - low[k][chunk]) * at[k])
    };
    let mut columns = SplatColumns::of_degree(0, places.len());
    for i in 0..places.len() {
        let chunk = i / CHUNK;
        let position = between(place_low, place_high, chunk, three(places[i]));
        let size = between(size_low, size_high, chunk, three(sizes[i]));
        let [r, g, b, a] = colors[i].to_be_bytes().map(|byte| f32::from(byte) / 255.0);
        let rgb = match (color_low, color_high) {
            (Some(low), Some(high)) => between(low, high, chunk, [r, g, b]),
            _ => [r, g, b],
        };
        let [red, green, blue] = rgb.map(of_channel);
        let [w, x, y, z] = rotation(turns[i]);
        let opacity = logit(a);
        let numbers = [red, green, blue, opacity, size[0], size[1], size[2], w, x, y, z];
        columns.push(position, numbers);
    }
    Some(columns)
}

/// Three numbers from 0 to 1, of 11, 10 and 11 bits.
pub(super) fn three(word: u32) -> [f32; 3] {
    let bits = |shift: u32, most: u32| (word >> shift & most) as f32 / most as f32;
    [bits(21, 2047), bits(11, 1023), bits(0, 2047)]
}

/// A quaternion, w first: the largest part follows from the other three.
pub(super) fn rotation(word: u32) -> [f32; 4] {
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
fn harmonics(mesh: &Mesh<'_>, count: usize) -> Vec<Cow<'static, [f32]>> {
    let column = |k: usize| {
        let name = format!("f_rest_{k}");
        let is = |a: &&Attribute<'_>| a.element == "sh" && a.name == name && a.list.is_none();
        match &mesh.attributes.iter().find(is)?.values {
            Values::U8(bytes) if bytes.len() == count => {
                Some(bytes.iter().map(|&byte| of_byte(byte)).collect())
            }
            _ => None,
        }
    };
    (0..).map_while(column).collect()
}

pub(super) fn of_byte(byte: u8) -> f32 {
    (f32::from(byte) + 0.5) / 32.0 - 4.0
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
