//! What the elements and properties of an output are.

use super::columns::CORNERS;
use super::data::{Scalar, with_values};
use super::options::{PlyColorType, PlyColors, PlyWriteOptions};
use super::part::PlyPart;
use super::textures::{diffuse_map, names_textures, only_texture};
use crate::material::TEXTURE_COMMENT;
use crate::model::{Attribute, Domain, Positions, ScalarType, Scene, Values};
use solio_base::{Error, Result};
use std::borrow::Cow;
use std::collections::HashSet;

/// The properties that come from one place of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PropertyGroup {
    Position(ScalarType),
    Normal,
    Color(PlyColorType),
    Uv,
    /// The corners of faces, with the type of the count.
    Corners(ScalarType),
    /// The texture coordinates of the corners of faces, with the type of the count.
    CornerUvs(ScalarType),
    FaceNormal,
    EdgeEnds,
    Attribute(AttributeItem),
}

/// An attribute of that name in some of the meshes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AttributeItem {
    pub(crate) name: String,
    pub(crate) scalar: ScalarType,
    pub(crate) list: Option<ScalarType>,
}

/// An element of the output.
pub(crate) struct ElementOut {
    pub(crate) name: String,
    pub(crate) items: Vec<PropertyGroup>,
    /// Records that each part has.
    pub(crate) counts: Vec<usize>,
}

/// All elements that have something to say.
pub(crate) fn elements(
    parts: &[PlyPart<'_>],
    options: &PlyWriteOptions,
) -> Result<Vec<ElementOut>> {
    let any = |f: &dyn Fn(&PlyPart<'_>) -> bool| parts.iter().any(f);
    let counts = |f: &dyn Fn(&PlyPart<'_>) -> usize| parts.iter().map(f).collect::<Vec<_>>();
    let mut items =
        vec![PropertyGroup::Position(if any(&|p| matches!(p.mesh.positions, Positions::F64(_))) {
            ScalarType::F64
        } else {
            ScalarType::F32
        })];
    if any(&|p| p.has_normal) {
        items.push(PropertyGroup::Normal);
    }
    if options.export_colors != PlyColors::None && any(&|p| p.mesh.colors.is_some()) {
        items.push(PropertyGroup::Color(options.color_type));
    }
    if any(&|p| p.has_uv) {
        items.push(PropertyGroup::Uv);
    }
    let mut out =
        vec![ElementOut { name: "vertex".into(), items, counts: counts(&|p| p.vertices) }];
    if any(&|p| p.faces > 0) {
        let count = |most| match any(&|p| p.has_longer_faces(most)) {
            true => ScalarType::U32,
            false => ScalarType::U8,
        };
        let mut items = vec![PropertyGroup::Corners(count(255))];
        if any(&|p| p.uv_lists) {
            items.push(PropertyGroup::CornerUvs(count(127)));
        }
        let of_face =
            |p: &PlyPart<'_>| p.mesh.normals.as_ref().is_some_and(|n| n.domain == Domain::Face);
        if options.export_normals && any(&of_face) {
            items.push(PropertyGroup::FaceNormal);
        }
        out.push(ElementOut { name: "face".into(), items, counts: counts(&|p| p.faces) });
    }
    if any(&|p| p.edges > 0) {
        let counts = counts(&|p| p.edges);
        out.push(ElementOut { name: "edge".into(), items: vec![PropertyGroup::EdgeEnds], counts });
    }
    if options.export_attributes {
        attributes(parts, &mut out)?;
    }
    Ok(out)
}

/// Adds the attributes of all meshes, and the elements that only they have.
fn attributes(parts: &[PlyPart<'_>], out: &mut Vec<ElementOut>) -> Result<()> {
    for (i, part) in parts.iter().enumerate() {
        for attribute in &part.mesh.attributes {
            let count = attribute_len(attribute)?;
            let mut element = out.iter().position(|e| e.name == attribute.element);
            let standard = matches!(attribute.element.as_str(), "vertex" | "face" | "edge");
            if element.is_none() && !standard {
                let counts = vec![0; parts.len()];
                out.push(ElementOut { name: attribute.element.clone(), items: Vec::new(), counts });
                element = Some(out.len() - 1);
            }
            let Some(element) = element else { continue };
            let element = &mut out[element];
            let own = match attribute.element.as_str() {
                "vertex" => part.mesh.positions.len(),
                "face" => part.mesh.face_offsets.len().saturating_sub(1),
                // Edges of a polyline have no attributes of their own.
                "edge" if part.edges != count => continue,
                "edge" => count,
                _ => {
                    let first = element.counts[i] == 0;
                    if first {
                        element.counts[i] = count;
                    }
                    element.counts[i]
                }
            };
            if own != count {
                return Err(Error::argument(format!(
                    "the attribute `{}` has {count} values for {own} elements `{}`",
                    attribute.name, attribute.element
                )));
            }
            add(element, attribute);
        }
    }
    Ok(())
}

/// Adds an attribute to an element, or widens the type of the one of that name.
fn add(element: &mut ElementOut, attribute: &Attribute<'_>) {
    let list = attribute.list.as_ref().map(|(offsets, count)| {
        let longest = offsets.windows(2).map(|p| p[1] - p[0]).max().unwrap_or(0);
        wide_enough(*count, longest)
    });
    let scalar = attribute.values.scalar();
    for item in &mut element.items {
        if let PropertyGroup::Attribute(known) = item
            && known.name == attribute.name
            && known.list.is_some() == list.is_some()
        {
            if known.scalar != scalar {
                known.scalar = ScalarType::F64; // holds every value of every other type
            }
            if let (Some(a), Some(b)) = (known.list.as_mut(), list) {
                *a = if b.size() > a.size() { b } else { *a };
            }
            return;
        }
    }
    element.items.push(PropertyGroup::Attribute(AttributeItem {
        name: attribute.name.clone(),
        scalar,
        list,
    }));
}

/// The count's type, or u32 where that is too small.
fn wide_enough(count: ScalarType, longest: u32) -> ScalarType {
    if count.range().contains(&i64::from(longest)) { count } else { ScalarType::U32 }
}

/// Number of records of an attribute.
fn attribute_len(attribute: &Attribute<'_>) -> Result<usize> {
    let values = attribute.values.len();
    let Some((offsets, _)) = &attribute.list else { return Ok(values) };
    let fits = offsets.first() == Some(&0)
        && offsets.last().is_some_and(|&e| e as usize == values)
        && offsets.windows(2).all(|p| p[0] <= p[1]);
    if !fits {
        let message = format!("the list offsets of attribute `{}` do not fit it", attribute.name);
        return Err(Error::argument(message));
    }
    Ok(offsets.len() - 1)
}

/// The header, with the comments that the options name, then those of the scene.
pub(crate) fn header(
    elements: &[ElementOut],
    scene: &Scene<'_>,
    options: &PlyWriteOptions,
) -> Result<String> {
    let mut text = format!("ply\nformat {} 1.0\n", options.format.name());
    let own: Vec<&str> = options.comments.iter().flat_map(|comment| comment.lines()).collect();
    let read = if options.blender_quirks { Vec::new() } else { comments(scene, options) };
    let read = read.iter().map(|line| &line[..]).filter(|line| !own.contains(line));
    for line in own.iter().copied().chain(read) {
        if !line.starts_with("obj_info ") {
            text.push_str("comment ");
        }
        text.push_str(line);
        text.push('\n');
    }
    for element in elements {
        let count: usize = element.counts.iter().sum();
        text.push_str(&format!("element {} {count}\n", one_line(&element.name)?));
        let mut names = HashSet::new();
        if element.name == "tristrips" {
            // Strips were made into faces: a list of such a name would be read as further ones.
            names.extend(CORNERS.map(String::from));
        }
        for item in &element.items {
            properties(&mut text, item, &mut names)?;
        }
    }
    text.push_str("end_header\n");
    Ok(text)
}

/// The comments that a scene brings along, as lines. Those that name textures stay where faces still
/// lead to them, and say what the materials that they became say now.
fn comments<'s>(scene: &'s Scene<'_>, options: &PlyWriteOptions) -> Vec<Cow<'s, str>> {
    let lines = || scene.comments.iter().flat_map(|comment| comment.split(['\n', '\r']));
    let textures = lines().filter(|line| line.starts_with(TEXTURE_COMMENT)).count();
    let lead = names_textures(scene, options);
    let materials = options.materials.as_ref().unwrap_or(&scene.materials);
    let only = only_texture(scene, materials, options);
    let only = only.map(|path| Cow::Owned(format!("{TEXTURE_COMMENT}{path}")));
    let mut materials = materials.iter().filter(|_| materials.len() == textures);
    let line = |line: &'s str| {
        if !line.starts_with(TEXTURE_COMMENT) {
            return Some(Cow::Borrowed(line));
        }
        let map = materials.next().and_then(diffuse_map);
        let now = map.filter(|map| !map.path.contains(['\n', '\r']));
        let now = now.map(|map| format!("{TEXTURE_COMMENT}{}", map.path));
        lead.then(|| now.map_or(Cow::Borrowed(line), Cow::Owned))
    };
    lines().filter_map(line).chain(only).collect()
}

fn one_line(name: &str) -> Result<&str> {
    if name.trim().is_empty() || name.contains(['\n', '\r']) {
        let message = format!("`{}` cannot be a name in a PLY file", name.escape_debug());
        return Err(Error::argument(message));
    }
    Ok(name)
}

/// `name`, or where the element has it already `name.001` and so on: a reader would take two
/// properties of one name for a mistake, and leave one out.
fn unlike(name: &str, names: &HashSet<String>) -> String {
    let numbered = (1..).map(|i| format!("{name}.{i:03}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !names.contains(name))
        .expect("there are fewer names than numbers")
}

/// The lines of an item's properties; `names` are those of the element so far.
fn properties(text: &mut String, item: &PropertyGroup, names: &mut HashSet<String>) -> Result<()> {
    let mut scalars = |scalar: ScalarType, new: &[&str]| {
        names.extend(new.iter().map(|name| name.to_string()));
        for name in new {
            text.push_str(&format!("property {} {name}\n", scalar.name()));
        }
    };
    match item {
        PropertyGroup::Position(scalar) => scalars(*scalar, &["x", "y", "z"]),
        PropertyGroup::Normal | PropertyGroup::FaceNormal => {
            scalars(ScalarType::F32, &["nx", "ny", "nz"])
        }
        PropertyGroup::Color(PlyColorType::U8) => {
            scalars(ScalarType::U8, &["red", "green", "blue", "alpha"]);
        }
        PropertyGroup::Color(PlyColorType::F32) => {
            scalars(ScalarType::F32, &["red", "green", "blue", "alpha"]);
        }
        PropertyGroup::Uv => scalars(ScalarType::F32, &["s", "t"]),
        PropertyGroup::EdgeEnds => scalars(ScalarType::I32, &["vertex1", "vertex2"]),
        PropertyGroup::Corners(count) => {
            names.insert("vertex_indices".into());
            text.push_str(&format!("property list {} uint vertex_indices\n", count.name()));
        }
        PropertyGroup::CornerUvs(count) => {
            names.insert("texcoord".into());
            text.push_str(&format!("property list {} float texcoord\n", count.name()));
        }
        PropertyGroup::Attribute(a) => {
            let list = a.list.map_or(String::new(), |count| format!("list {} ", count.name()));
            let name = unlike(one_line(&a.name)?, names);
            names.insert(name.clone());
            text.push_str(&format!("property {list}{} {name}\n", a.scalar.name()));
        }
    }
    Ok(())
}

/// The attribute of `item`'s name in a mesh, if it has one.
pub(crate) fn find<'m>(
    part: &PlyPart<'m>,
    element: &str,
    item: &AttributeItem,
) -> Option<&'m Attribute<'m>> {
    part.mesh.attributes.iter().find(|a| {
        a.element == element && a.name == item.name && a.list.is_some() == item.list.is_some()
    })
}

/// Values in another type.
pub(crate) fn convert(values: Values<'_>, to: ScalarType) -> Values<'_> {
    if values.scalar() == to {
        return values;
    }
    with_values!(Values, &values, v => Values::F64(v.iter().map(|&v| v.to_f64()).collect()))
}
