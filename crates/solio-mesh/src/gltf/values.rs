//! The values of vertices as glTF has them.

use super::extra::VERTEX;
use super::split::{VertexSet, Vertices};
use crate::instances::TANGENT;
use crate::model::{Attribute, ColorSpace, Colors, Domain, Mesh, NONE, Positions, Values};
use solio_base::{Error, Result};
use std::ops::Range;

/// How far the square of a normal's length may be from 1 to be left as it is.
const NORMAL_SLACK: f32 = 1e-4;

/// The old vertex of a new one.
#[inline]
pub(super) fn vertex(set: &VertexSet, i: usize) -> usize {
    match set {
        VertexSet::All => i,
        VertexSet::Some(vertices) => vertices.positions[i] as usize,
    }
}

/// The number of its normal.
#[inline]
pub(super) fn normal(set: &VertexSet, i: usize) -> usize {
    match set {
        VertexSet::All => i,
        VertexSet::Some(vertices) => vertices.normals.get(i).map_or(NONE, |at| *at) as usize,
    }
}

/// That of its texture coordinates.
#[inline]
pub(super) fn uv(set: &VertexSet, i: usize) -> usize {
    match set {
        VertexSet::All => i,
        VertexSet::Some(vertices) => vertices.uvs.get(i).map_or(NONE, |at| *at) as usize,
    }
}

#[inline]
pub(super) fn position(mesh: &Mesh<'_>, vertex: usize) -> [f32; 3] {
    match &mesh.positions {
        Positions::F32(positions) => positions[vertex],
        Positions::F64(positions) => positions[vertex].map(|x| x as f32),
    }
}

/// The least and greatest corner of vertices.
pub(super) fn bounds(mesh: &Mesh<'_>, set: &VertexSet) -> Result<[[f32; 3]; 2]> {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut is_finite = true;
    let mut add = |p: [f32; 3]| {
        for i in 0..3 {
            min[i] = min[i].min(p[i]);
            max[i] = max[i].max(p[i]);
            is_finite &= p[i].is_finite();
        }
    };
    match (set, &mesh.positions) {
        (VertexSet::All, Positions::F32(positions)) => positions.iter().for_each(|p| add(*p)),
        (VertexSet::All, _) => (0..mesh.positions.len()).for_each(|i| add(position(mesh, i))),
        (VertexSet::Some(vertices), _) => {
            vertices.positions.iter().for_each(|i| add(position(mesh, *i as usize)));
        }
    }
    match is_finite {
        true => Ok([min, max]),
        false => {
            Err(Error::unsupported("positions that are not finite, or too large for glTF's floats"))
        }
    }
}

/// Whether vertices have one value of everything, so that none is split.
pub(super) fn are_of_vertices(mesh: &Mesh<'_>) -> bool {
    let is_plain = |domain: &Domain<'_>| matches!(domain, Domain::Vertex);
    mesh.uvs.as_ref().is_none_or(|uvs| is_plain(&uvs.domain))
        && mesh.normals.as_ref().is_none_or(|normals| is_plain(&normals.domain))
}

/// Whether values of vertices, faces and corners are as many as these.
pub(super) fn domains_fit(mesh: &Mesh<'_>) -> bool {
    let fits = |domain: &Domain<'_>, count: usize| match domain {
        Domain::Vertex => count >= mesh.positions.len(),
        Domain::Face => count + 1 >= mesh.face_offsets.len(),
        Domain::Corner => count >= mesh.corner_vertices.len(),
        Domain::Indexed(index) => {
            index.len() == mesh.corner_vertices.len()
                && index.iter().all(|at| *at == NONE || (*at as usize) < count)
        }
    };
    mesh.uvs.as_ref().is_none_or(|uvs| fits(&uvs.domain, uvs.values.len()))
        && mesh.normals.as_ref().is_none_or(|n| fits(&n.domain, n.values.len()))
}

/// Whether there are texture coordinates, and all are numbers.
pub(super) fn usable_uvs(mesh: &Mesh<'_>) -> bool {
    let all = |values: &[f32]| values.iter().fold(true, |all, x| all & x.is_finite());
    mesh.uvs.as_ref().is_some_and(|uvs| !uvs.values.is_empty() && all(uvs.values.as_flattened()))
}

/// Whether these vertices have some.
pub(super) fn has_uvs(mesh: &Mesh<'_>, set: &VertexSet) -> bool {
    usable_uvs(mesh)
        && match set {
            VertexSet::All => mesh.uvs.as_ref().is_some_and(|uvs| uvs.domain == Domain::Vertex),
            VertexSet::Some(vertices) => vertices.uvs.iter().any(|at| *at != NONE),
        }
}

/// Whether there are normals of vertices, and all have a direction.
pub(super) fn are_normals_of_vertices(mesh: &Mesh<'_>) -> bool {
    mesh.normals.as_ref().is_some_and(|normals| {
        let fine = |normal: &[f32; 3]| {
            let square: f64 = normal.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            square > 0.0 && square.is_finite()
        };
        normals.domain == Domain::Vertex
            && !normals.values.is_empty()
            && normals.values.iter().all(fine)
    })
}

/// Vertices with what belongs to vertices: normals, if these can be written, and texture coordinates.
pub(super) fn with_values_of_vertices(mesh: &Mesh<'_>, mut vertices: Vertices) -> Vertices {
    if are_normals_of_vertices(mesh) {
        vertices.normals.clone_from(&vertices.positions);
    }
    if mesh.uvs.as_ref().is_some_and(|uvs| uvs.domain == Domain::Vertex) {
        vertices.uvs.clone_from(&vertices.positions);
    }
    vertices
}

/// Whether all corners of some faces have a normal with a direction.
pub(super) fn usable_normals(mesh: &Mesh<'_>, faces: Range<usize>) -> bool {
    let Some(normals) = &mesh.normals else { return false };
    let fine = |normal: &[f32; 3]| {
        let square: f64 = normal.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        square > 0.0 && square.is_finite()
    };
    let at = |face: usize| mesh.face_offsets[face] as usize;
    let corners = at(faces.start)..at(faces.end);
    let of = |i: usize| normals.values.get(i).is_some_and(fine);
    match &normals.domain {
        Domain::Vertex if faces.len() + 1 == mesh.face_offsets.len() => {
            normals.values.iter().all(fine)
        }
        Domain::Vertex => mesh.corner_vertices[corners].iter().all(|v| of(*v as usize)),
        Domain::Face => faces.into_iter().all(of),
        Domain::Corner => corners.into_iter().all(of),
        Domain::Indexed(index) => index[corners].iter().all(|at| of(*at as usize)),
    }
}

/// With the length 1, which glTF asks for.
#[inline]
pub(super) fn unit(normal: [f32; 3]) -> [f32; 3] {
    let square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    if (square - 1.0).abs() <= NORMAL_SLACK {
        return normal;
    }
    let wide = normal.map(f64::from);
    let length = wide.iter().map(|x| x * x).sum::<f64>().sqrt();
    wide.map(|x| (x / length) as f32)
}

/// A colour in linear light, each part between 0 and 1.
#[inline]
pub(super) fn linear(colors: &Colors<'_>, vertex: usize) -> [f32; 4] {
    // NaN becomes 0.
    let within = |x: f32| if x > 0.0 { x.min(1.0) } else { 0.0 };
    let [r, g, b, a] = colors.values[vertex].map(within);
    match colors.space {
        ColorSpace::Linear => [r, g, b, a],
        ColorSpace::Srgb => {
            let [r, g, b] = [r, g, b].map(linear_of_srgb);
            [r, g, b, a]
        }
    }
}

pub(super) fn linear_of_srgb(value: f32) -> f32 {
    let value = f64::from(value);
    let light = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    light as f32
}

/// An attribute of vertices that glTF can hold.
pub(super) struct AttributeColumn<'m> {
    /// What the document calls it.
    pub(super) name: String,
    pub(super) column: Column<'m>,
    /// Numbers from one vertex to the next.
    pub(super) first_part: usize,
    /// Numbers of a vertex.
    pub(super) parts: usize,
}

/// The array of an attribute.
#[derive(Clone, Copy)]
pub(super) enum Column<'m> {
    I8(&'m [i8]),
    U8(&'m [u8]),
    I16(&'m [i16]),
    U16(&'m [u16]),
    I32(&'m [i32]),
    U32(&'m [u32]),
    F32(&'m [f32]),
    F64(&'m [f64]),
}

impl Column<'_> {
    /// Bytes of a number as it is written: glTF has no integers of 32 bits for vertices, nor doubles.
    pub(super) fn size(&self) -> usize {
        match self {
            Column::I8(_) | Column::U8(_) => 1,
            Column::I16(_) | Column::U16(_) => 2,
            _ => 4,
        }
    }

    /// glTF's number of the type.
    pub(super) fn code(&self) -> u32 {
        match self {
            Column::I8(_) => 5120,
            Column::U8(_) => 5121,
            Column::I16(_) => 5122,
            Column::U16(_) => 5123,
            _ => 5126,
        }
    }

    /// Appends number `at`; 1 less it, where it counts from the other end.
    pub(super) fn put(&self, at: usize, is_flipped: bool, buffer: &mut Vec<u8>) {
        let mut float = |x: f32| {
            let x = if is_flipped { 1.0 - x } else { x };
            buffer.extend_from_slice(&x.to_le_bytes());
        };
        match self {
            Column::F32(v) => float(v[at]),
            Column::F64(v) => float(v[at] as f32),
            Column::I32(v) => float(v[at] as f32),
            Column::U32(v) => float(v[at] as f32),
            Column::I8(v) => buffer.push(v[at] as u8),
            Column::U8(v) => buffer.push(v[at]),
            Column::I16(v) => buffer.extend_from_slice(&v[at].to_le_bytes()),
            Column::U16(v) => buffer.extend_from_slice(&v[at].to_le_bytes()),
        }
    }

    /// Whether all numbers are read back as they are.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Column::I32(v) => v.iter().all(|x| f64::from(*x as f32) == f64::from(*x)),
            Column::U32(v) => v.iter().all(|x| f64::from(*x as f32) == f64::from(*x)),
            Column::F64(v) => v.iter().all(|x| f64::from(*x as f32) == *x || x.is_nan()),
            _ => true,
        }
    }

    fn is_finite(&self) -> bool {
        match self {
            Column::F32(v) => v.iter().all(|x| x.is_finite()),
            Column::F64(v) => v.iter().all(|x| (*x as f32).is_finite()),
            _ => true,
        }
    }

    fn len(&self) -> usize {
        match self {
            Column::I8(v) => v.len(),
            Column::U8(v) => v.len(),
            Column::I16(v) => v.len(),
            Column::U16(v) => v.len(),
            Column::I32(v) => v.len(),
            Column::U32(v) => v.len(),
            Column::F32(v) => v.len(),
            Column::F64(v) => v.len(),
        }
    }
}

/// The attributes of a mesh that glTF can hold.
pub(super) fn columns<'m>(mesh: &'m Mesh<'_>) -> Vec<AttributeColumn<'m>> {
    let mut sets = 0;
    mesh.attributes.iter().filter_map(|attribute| column_of(mesh, attribute, &mut sets)).collect()
}

/// An attribute as glTF can hold it: of vertices, a number each or two to four.
fn column_of<'m>(
    mesh: &Mesh<'_>,
    attribute: &'m Attribute<'_>,
    sets: &mut usize,
) -> Option<AttributeColumn<'m>> {
    if attribute.element != VERTEX || attribute.name.is_empty() {
        return None;
    }
    let vertices = mesh.positions.len();
    let parts = match &attribute.list {
        None => 1,
        Some((offsets, _)) => {
            let parts = *offsets.get(1)?;
            let even = offsets.iter().enumerate().all(|(i, at)| *at as usize == i * parts as usize);
            Some(parts as usize).filter(|parts| even && (2..=4).contains(parts))?
        }
    };
    let column = match &attribute.values {
        Values::I8(v) => Column::I8(v),
        Values::U8(v) => Column::U8(v),
        Values::I16(v) => Column::I16(v),
        Values::U16(v) => Column::U16(v),
        Values::I32(v) => Column::I32(v),
        Values::U32(v) => Column::U32(v),
        Values::F32(v) => Column::F32(v),
        Values::F64(v) => Column::F64(v),
    };
    if column.len() != vertices * parts || !column.is_finite() {
        return None;
    }
    let name = &attribute.name;
    let is_set = name.strip_prefix("TEXCOORD_").is_some_and(|n| n.parse::<u32>().is_ok());
    let name = match &column {
        // They are numbered without a gap from the first on.
        Column::F32(_) if is_set && parts == 2 && has_first_set(mesh) => {
            *sets += 1;
            format!("TEXCOORD_{sets}")
        }
        Column::F32(values)
            if name == TANGENT && are_tangents(values, parts) && mesh.normals.is_some() =>
        {
            TANGENT.to_owned()
        }
        _ => format!("_{name}"),
    };
    Some(AttributeColumn { name, column, first_part: parts, parts })
}

fn has_first_set(mesh: &Mesh<'_>) -> bool {
    usable_uvs(mesh)
}

/// Whether these are directions with a sign, as glTF has tangents.
fn are_tangents(values: &[f32], parts: usize) -> bool {
    let fine = |t: &[f32]| {
        let square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
        (square - 1.0).abs() <= 1e-3 && t[3].abs() == 1.0
    };
    parts == 4 && values.chunks_exact(4).all(fine)
}
