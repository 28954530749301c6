//! Columns to a [`Mesh`].

use super::columns::{ColumnPlan, ColumnRole, ColumnTable, PlyColumn, alpha_of};
use super::data::ScalarArray;
use super::header::{PlyElement, PlyHeader};
use super::textures::{TEXNUMBER, material_of};
use super::wide::{WideType, narrowed};
use crate::material::{Material, TEXTURE_COMMENT};
use crate::model::{
    Attribute, ColorSpace, Colors, Domain, Mesh, NONE, Normals, Positions, Scene, Uvs, Values,
};
use crate::splats;
use solio_base::{Error, Limits, Result};
use std::borrow::Cow;

/// An element with its plan and its values.
pub(crate) struct Loaded<'a> {
    pub(crate) element: &'a PlyElement,
    pub(crate) plan: &'a ColumnPlan,
    pub(crate) tables: Vec<ColumnTable>,
}

/// Makes the scene of a whole file.
pub(crate) fn assemble(
    header: &PlyHeader,
    loaded: Vec<Loaded<'_>>,
    mut warnings: Vec<String>,
    strict: bool,
    limits: &Limits,
) -> Result<Scene<'static>> {
    let mut mesh = Mesh::default();
    let mut strips = None;
    let mut corner_uvs = None;
    let mut own_alpha = None;
    for item in loaded {
        for (column, table) in item.plan.columns.iter().zip(item.tables) {
            match column.role {
                ColumnRole::Skipped => {}
                ColumnRole::Strips => strips = Some(table),
                ColumnRole::CornerUvs => corner_uvs = Some((item.element, column, table)),
                _ if column.role == ColumnRole::Color && column.parts.len() == 3 => {
                    own_alpha = alpha_of(&item.element.properties[column.parts[0]].name);
                    place(&mut mesh, item.element, column, table);
                }
                _ => place(&mut mesh, item.element, column, table),
            }
        }
    }
    if let Some(alpha) = own_alpha {
        join_alpha(&mut mesh, alpha);
    }
    if let Some((element, column, table)) = corner_uvs {
        set_corner_uvs(&mut mesh, element, column, table);
    }
    if let Some(table) = strips {
        add_strips(&mut mesh, &table, limits)?;
    }
    if !header.elements.iter().any(|e| e.name == "vertex") {
        let message = "the file has no element `vertex`";
        if strict || header.elements.iter().any(|e| e.count > 0) {
            return Err(Error::corrupt(message).at_offset(header.data_at).at_line(header.lines, 1));
        }
        warnings.push(message.into());
    }
    // The vertices of packed splats have no coordinates of their own.
    splats::unpack(&mut mesh);
    narrow_integers(&mut mesh, header, &mut warnings);
    drop_strays(&mut mesh, header, strict, &mut warnings)?;
    let materials = textures(&header.comments);
    if !materials.is_empty() {
        mesh.face_materials = Cow::Owned(face_textures(&mesh, materials.len()));
    }
    let mut all = header.warnings.clone();
    all.append(&mut warnings);
    Ok(Scene {
        meshes: vec![mesh],
        materials,
        comments: header.comments.clone(),
        warnings: all,
        ..Scene::default()
    })
}

/// Gives attributes of 64-bit integers, which were read as doubles, the narrowest type that holds them.
fn narrow_integers(mesh: &mut Mesh<'static>, header: &PlyHeader, warnings: &mut Vec<String>) {
    let is_wide = |a: &Attribute<'_>| {
        let element = PlyElement::find(&header.elements, &a.element);
        let mut properties = element.iter().flat_map(|element| &element.properties);
        let property = properties.find(|property| property.name == a.name);
        property.is_some_and(|p| matches!(p.wide, Some(WideType::I64 | WideType::U64)))
    };
    for attribute in mesh.attributes.iter_mut().filter(|a| is_wide(a)) {
        let values = std::mem::replace(&mut attribute.values, Values::U8(Cow::Borrowed(&[])));
        let (values, rounded) = narrowed(values);
        attribute.values = values;
        if rounded > 0 {
            let name = format!("{}.{}", attribute.element, attribute.name);
            warnings.push(format!("`{name}`: {rounded} integers past 2^53 are rounded to doubles"));
        }
    }
}

/// Gives the colours their alpha, which was of another type and so became an attribute.
fn join_alpha(mesh: &mut Mesh<'static>, name: &str) {
    let Some(colors) = &mut mesh.colors else { return };
    let is = |a: &Attribute<'_>| {
        let fits = a.values.len() == colors.values.len() && a.list.is_none();
        a.element == "vertex" && a.name == name && fits
    };
    let Some(i) = mesh.attributes.iter().position(is) else { return };
    let rows = colors.values.to_mut().iter_mut();
    match &mesh.attributes[i].values {
        Values::U8(v) => rows.zip(&v[..]).for_each(|(row, &a)| row[3] = f32::from(a) / 255.0),
        Values::U16(v) => rows.zip(&v[..]).for_each(|(row, &a)| row[3] = f32::from(a) / 65535.0),
        Values::F32(v) => rows.zip(&v[..]).for_each(|(row, &a)| row[3] = a),
        Values::F64(v) => rows.zip(&v[..]).for_each(|(row, &a)| row[3] = a as f32),
        _ => return,
    }
    mesh.attributes.remove(i);
}

/// Puts a table where it belongs.
fn place(mesh: &mut Mesh<'static>, element: &PlyElement, column: &PlyColumn, table: ColumnTable) {
    match (column.role, table.data) {
        (ColumnRole::Position, ScalarArray::F32(v)) => {
            mesh.positions = Positions::F32(Cow::Owned(rows(v)))
        }
        (ColumnRole::Position, ScalarArray::F64(v)) => {
            mesh.positions = Positions::F64(Cow::Owned(rows(v)))
        }
        (ColumnRole::Normal, ScalarArray::F32(v)) => {
            mesh.normals = Some(Normals { values: Cow::Owned(rows(v)), domain: Domain::Vertex });
        }
        (ColumnRole::Color, ScalarArray::F32(v)) => {
            mesh.colors = Some(Colors { values: Cow::Owned(rows(v)), space: ColorSpace::Srgb });
        }
        (ColumnRole::Uv, ScalarArray::F32(v)) => {
            mesh.uvs = Some(Uvs { values: Cow::Owned(rows(v)), domain: Domain::Vertex });
        }
        (ColumnRole::Corners, ScalarArray::U32(v)) => {
            mesh.corner_vertices = Cow::Owned(v);
            if element.count > 0 {
                mesh.face_offsets = Cow::Owned(table.offsets);
            }
        }
        (ColumnRole::EdgeEnds, ScalarArray::U32(v)) => {
            if element.count > 0 {
                mesh.line_offsets = Cow::Owned((0..=element.count as u32).map(|i| i * 2).collect());
            }
            mesh.line_vertices = Cow::Owned(v);
        }
        (_, data) => {
            // Of two properties with one name the first is kept.
            let own = column.parts[0];
            let name = &element.properties[own].name;
            if element.properties[..own].iter().all(|p| p.name != *name) {
                mesh.attributes.push(attribute(element, column, data, table.offsets));
            }
        }
    }
}

fn attribute(
    element: &PlyElement,
    column: &PlyColumn,
    data: ScalarArray,
    offsets: Vec<u32>,
) -> Attribute<'static> {
    let property = &element.properties[column.parts[0]];
    Attribute {
        element: element.name.clone(),
        name: property.name.clone(),
        values: data.into_values(),
        list: property.list.map(|count| (Cow::Owned(offsets), count)),
    }
}

/// Flat values as rows of `N`.
fn rows<T: bytemuck::Pod, const N: usize>(mut values: Vec<T>) -> Vec<[T; N]> {
    if !values.capacity().is_multiple_of(N) {
        // A copy would need new memory; this gives back what is too much.
        values.shrink_to_fit();
    }
    bytemuck::allocation::try_cast_vec(values)
        .unwrap_or_else(|(_, values): (_, Vec<T>)| bytemuck::cast_slice(&values).to_vec())
}

/// UVs of corners, where every face has a pair for each corner or none at all. Anything else
/// stays an attribute.
fn set_corner_uvs(
    mesh: &mut Mesh<'static>,
    element: &PlyElement,
    column: &PlyColumn,
    table: ColumnTable,
) {
    let faces = &mesh.face_offsets;
    let length = |pair: &[u32]| pair[1] - pair[0];
    let fits = faces.len() == table.offsets.len()
        && mesh.uvs.is_none()
        && faces
            .windows(2)
            .zip(table.offsets.windows(2))
            .all(|(f, uv)| length(uv) == 0 || length(uv) == 2 * length(f));
    match table.data {
        ScalarArray::F32(values) if fits && values.len() == 2 * mesh.corner_vertices.len() => {
            mesh.uvs = Some(Uvs { values: Cow::Owned(rows(values)), domain: Domain::Corner });
            mesh.uv_lists = true;
        }
        ScalarArray::F32(values) if fits => {
            let mut index = Vec::with_capacity(mesh.corner_vertices.len());
            for (f, uv) in faces.windows(2).zip(table.offsets.windows(2)) {
                let first = uv[0] / 2;
                let has = length(uv) > 0;
                index.extend((0..length(f)).map(|i| if has { first + i } else { NONE }));
            }
            let domain = Domain::Indexed(Cow::Owned(index));
            mesh.uvs = Some(Uvs { values: Cow::Owned(rows(values)), domain });
            mesh.uv_lists = true;
        }
        data => mesh.attributes.push(attribute(element, column, data, table.offsets)),
    }
}

/// Appends the triangles of strips: every second one is turned, and triangles with two equal
/// vertices (which only steer the strip) are left out.
fn add_strips(mesh: &mut Mesh<'static>, table: &ColumnTable, limits: &Limits) -> Result<()> {
    let ScalarArray::U32(values) = &table.data else { return Ok(()) };
    let mut offsets = std::mem::take(&mut mesh.face_offsets).into_owned();
    let mut corners = std::mem::take(&mut mesh.corner_vertices).into_owned();
    limits.check_elements("corners", corners.len() as u64 + 3 * values.len() as u64)?;
    if offsets.is_empty() {
        offsets.push(0);
    }
    for list in table.offsets.windows(2) {
        for strip in values[list[0] as usize..list[1] as usize].split(|&v| v == u32::MAX) {
            for (i, t) in strip.windows(3).enumerate() {
                if t[0] == t[1] || t[1] == t[2] || t[0] == t[2] {
                    continue;
                }
                let t = if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
                corners.extend_from_slice(&t);
                offsets.push(corners.len() as u32);
            }
        }
    }
    if offsets.len() > 1 {
        mesh.face_offsets = Cow::Owned(offsets);
    }
    mesh.corner_vertices = Cow::Owned(corners);
    Ok(())
}

/// Drops attributes of elements that the mesh has not: those of faces or edges without vertices,
/// or of faces that have been joined by those of strips.
fn drop_strays(
    mesh: &mut Mesh<'static>,
    header: &PlyHeader,
    strict: bool,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let edges = mesh.line_offsets.len().saturating_sub(1);
    let counts = |element: &str| match element {
        "vertex" => Some(mesh.positions.len()),
        "face" => Some(faces),
        "edge" => Some(edges),
        _ => None,
    };
    let length = |a: &Attribute<'_>| match &a.list {
        Some((offsets, _)) => offsets.len().saturating_sub(1),
        None => a.values.len(),
    };
    let fits = |a: &Attribute<'_>| counts(&a.element).is_none_or(|count| count == length(a));
    for stray in mesh.attributes.iter().filter(|a| !fits(a)) {
        let message = format!(
            "`{}` has values for {} elements `{}`, of which the mesh has {}",
            stray.name,
            length(stray),
            stray.element,
            counts(&stray.element).unwrap_or(0)
        );
        if strict {
            return Err(Error::corrupt(message).at_offset(header.data_at).at_line(header.lines, 1));
        }
        warnings.push(format!("{message}: not kept"));
    }
    let keep: Vec<bool> = mesh.attributes.iter().map(fits).collect();
    let mut keep = keep.into_iter();
    mesh.attributes.retain(|_| keep.next().unwrap_or(true));
    Ok(())
}

/// A material for each comment `TextureFile <name>`.
fn textures(comments: &[String]) -> Vec<Material> {
    comments.iter().filter_map(|c| c.strip_prefix(TEXTURE_COMMENT)).map(material_of).collect()
}

/// The texture of each face: what the property `texnumber` says, or the only one.
fn face_textures(mesh: &Mesh<'_>, textures: usize) -> Vec<u32> {
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let numbers = mesh
        .attributes
        .iter()
        .find(|a| a.element == "face" && a.name == TEXNUMBER && a.list.is_none());
    let of = |n: i64| u32::try_from(n).ok().filter(|&n| (n as usize) < textures).unwrap_or(NONE);
    let mut materials: Vec<u32> = match numbers.map(|a| &a.values) {
        Some(Values::U8(v)) => v.iter().map(|&n| of(n as i64)).collect(),
        Some(Values::I16(v)) => v.iter().map(|&n| of(n as i64)).collect(),
        Some(Values::I32(v)) => v.iter().map(|&n| of(n as i64)).collect(),
        Some(Values::U32(v)) => v.iter().map(|&n| of(n as i64)).collect(),
        _ => Vec::new(),
    };
    materials.resize(faces, if textures == 1 { 0 } else { NONE });
    materials
}
