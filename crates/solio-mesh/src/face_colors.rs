//! Colours of faces, as STL and some PLY have them, as materials.

use crate::losses::any;
use crate::material::Material;
use crate::model::{Attribute, Mesh, Scene, Values};
use crate::stl::{FACE_CHANNELS, WORDS, face_colors, is_said};
use std::collections::HashMap;

/// Most materials that colours become: 16 steps of each of three channels.
pub const MOST_COLORS: usize = 4096;

/// A copy of a scene without materials in which the colours of faces are some: one for each, named
/// after it, with `Kd`. `None` where there are materials, no colours, or more than [`MOST_COLORS`].
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{materials_of_face_colors, stl::decode_stl};
/// // One triangle, red as VisCAM writes it.
/// let mut file = vec![0; 84 + 50];
/// file[80] = 1;
/// file[132..].copy_from_slice(&0xfc00u16.to_le_bytes());
/// let scene = decode_stl(&&file[..], &Default::default(), &Work::serial())?;
/// let colored = materials_of_face_colors(&scene).unwrap();
/// assert_eq!(colored.materials[0].name, "rgb_ff0000");
/// assert_eq!(colored.materials[0].diffuse, Some([1.0, 0.0, 0.0]));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn materials_of_face_colors<'a>(scene: &Scene<'a>) -> Option<Scene<'a>> {
    let has_any = |mesh: &Mesh<'_>| face_colors(mesh).is_some();
    let has_materials = scene.meshes.iter().any(|mesh| !mesh.face_materials.is_empty());
    if has_materials || !scene.materials.is_empty() || !scene.meshes.iter().any(has_any) {
        return None;
    }
    let (mut known, mut materials, mut of_meshes) = (HashMap::new(), Vec::new(), Vec::new());
    for mesh in &scene.meshes {
        let mut numbers = Vec::new();
        if let Some(color) = face_colors(mesh) {
            for face in 0..mesh.face_offsets.len().saturating_sub(1) {
                let next = materials.len() as u32;
                let color = color(face);
                let number = *known.entry(color).or_insert(next);
                if number == next {
                    if materials.len() == MOST_COLORS {
                        return None;
                    }
                    materials.push(material(color));
                }
                numbers.push(number);
            }
        }
        of_meshes.push(numbers);
    }
    let mut colored = Scene { materials, ..scene.clone() };
    for (mesh, numbers) in colored.meshes.iter_mut().zip(of_meshes) {
        if numbers.is_empty() {
            continue;
        }
        let words = words_say_more(mesh);
        mesh.face_materials = numbers.into();
        let is_told = |a: &Attribute<'_>| {
            a.element == "face" && (FACE_CHANNELS.contains(&&*a.name) || a.name == WORDS && !words)
        };
        mesh.attributes.retain(|attribute| !is_told(attribute));
    }
    Some(colored)
}

/// Whether the words behind the triangles of an STL say something else than colours.
fn words_say_more(mesh: &Mesh<'_>) -> bool {
    let is = |a: &&Attribute<'_>| a.element == "face" && a.name == WORDS && a.list.is_none();
    let (Some(words), Some(color)) = (mesh.attributes.iter().find(is), face_colors(mesh)) else {
        return false;
    };
    let Values::U16(words) = &words.values else { return true };
    any(words.len(), |face| !is_said(words[face], color(face)))
}

fn material([r, g, b]: [u8; 3]) -> Material {
    // As many digits as an MTL has, which are more than enough for a byte.
    let value = |byte: u8| ((f64::from(byte) / 255.0 * 1e6).round() / 1e6) as f32;
    Material {
        name: format!("rgb_{r:02x}{g:02x}{b:02x}"),
        diffuse: Some([r, g, b].map(value)),
        ..Material::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(values: &[u8]) -> Scene<'static> {
        let channel = |name: &str| Attribute {
            element: "face".into(),
            name: name.into(),
            values: Values::U8(values.to_vec().into()),
            list: None,
        };
        let faces = values.len() as u32;
        let mesh = Mesh {
            face_offsets: (0..=faces).map(|face| 3 * face).collect(),
            corner_vertices: vec![0; 3 * values.len()].into(),
            attributes: FACE_CHANNELS.map(channel).to_vec(),
            ..Mesh::default()
        };
        Scene { meshes: vec![mesh], ..Scene::default() }
    }

    #[test]
    fn each_color_is_one_material() {
        let colored = materials_of_face_colors(&scene(&[9, 255, 9])).unwrap();
        let names: Vec<_> = colored.materials.iter().map(|material| &*material.name).collect();
        assert_eq!(names, ["rgb_090909", "rgb_ffffff"]);
        assert_eq!(colored.meshes[0].face_materials[..], [0, 1, 0]);
        assert!(colored.meshes[0].attributes.is_empty());
    }

    #[test]
    fn too_many_colors_stay_attributes() {
        let mut many = scene(&vec![0; MOST_COLORS + 1]);
        let bytes = |shift: usize| (0..=MOST_COLORS).map(|i| (i >> shift) as u8).collect();
        many.meshes[0].attributes[0].values = Values::U8(bytes(0));
        many.meshes[0].attributes[1].values = Values::U8(bytes(8));
        assert!(materials_of_face_colors(&many).is_none());
        let mut named = scene(&[1]);
        named.materials.push(Material::default());
        assert!(materials_of_face_colors(&named).is_none());
    }
}
