//! What is written: the objects of a scene in order, each with its ranges of the mesh's arrays.

use crate::model::{Domain, Mesh, Object};
use crate::obj::ObjWriteOptions;
use crate::transform::FileTransform;
use solio_base::{Error, Result};
use std::ops::Range;

/// One object, or a whole mesh that has none.
#[derive(Clone, Debug)]
pub(super) struct ObjPart<'a> {
    /// Index of the mesh.
    pub(super) mesh: usize,
    pub(super) object: Option<&'a Object>,
    pub(super) vertices: Range<usize>,
    /// Entries of the UV and normal values that belong to it.
    pub(super) uvs: Range<usize>,
    pub(super) normals: Range<usize>,
    pub(super) faces: Range<usize>,
    pub(super) lines: Range<usize>,
    pub(super) points: Range<usize>,
    pub(super) transform: FileTransform,
    pub(super) first: bool,
    pub(super) last: bool,
    /// What earlier objects have left switched on.
    pub(super) left_on: LeftOn,
}

/// State of the file that outlives an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOn {
    pub(super) material: bool,
    pub(super) smoothing: bool,
    pub(super) group: bool,
}

impl ObjPart<'_> {
    /// What error messages call it.
    pub(super) fn describe(&self) -> String {
        match self.object {
            Some(o) if !o.name.is_empty() => format!("object \"{}\"", o.name),
            _ => format!("mesh {}", self.mesh),
        }
    }
}

/// The rotation from the axes of the data to those of the file.
pub(super) type AxesRotation = Option<[[f32; 3]; 3]>;

/// The parts of one mesh, in file order.
pub(super) fn parts<'a>(
    index: usize,
    mesh: &'a Mesh<'_>,
    axes: &AxesRotation,
    options: &ObjWriteOptions,
    left_on: &mut LeftOn,
) -> Vec<ObjPart<'a>> {
    let whole = ends(mesh);
    let mut start = Object::default();
    let count = mesh.objects.len().max(1);
    let mut parts = Vec::with_capacity(count);
    for i in 0..count {
        let object = mesh.objects.get(i);
        // The last object takes what is left, so that nothing is lost.
        let end = if i + 1 == count { &whole } else { &mesh.objects[i] };
        let matrix = object.and_then(|o| o.transform.as_ref()).filter(|_| options.apply_transform);
        let part = ObjPart {
            mesh: index,
            object,
            vertices: range(start.vertices_end, end.vertices_end, whole.vertices_end),
            uvs: range(start.uvs_end, end.uvs_end, whole.uvs_end),
            normals: range(start.normals_end, end.normals_end, whole.normals_end),
            faces: range(start.faces_end, end.faces_end, whole.faces_end),
            lines: range(start.lines_end, end.lines_end, whole.lines_end),
            points: range(start.points_end, end.points_end, whole.points_end),
            transform: FileTransform::new(matrix, axes.as_ref(), options.global_scale),
            first: i == 0,
            last: i + 1 == count,
            left_on: *left_on,
        };
        start = Object {
            vertices_end: part.vertices.end as u32,
            uvs_end: part.uvs.end as u32,
            normals_end: part.normals.end as u32,
            faces_end: part.faces.end as u32,
            lines_end: part.lines.end as u32,
            points_end: part.points.end as u32,
            ..Object::default()
        };
        if !part.faces.is_empty() {
            left_on.material |= options.export_materials && has_materials(mesh, object);
            left_on.smoothing |= !mesh.face_smoothing.is_empty();
            left_on.group |= options.export_groups && !mesh.face_groups.is_empty();
        }
        parts.push(part);
    }
    parts
}

/// An object that ends where the mesh ends.
fn ends(mesh: &Mesh<'_>) -> Object {
    Object {
        vertices_end: mesh.positions.len() as u32,
        uvs_end: mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len() as u32),
        normals_end: mesh.normals.as_ref().map_or(0, |normals| normals.values.len() as u32),
        faces_end: faces(mesh) as u32,
        lines_end: mesh.line_offsets.len().saturating_sub(1) as u32,
        points_end: mesh.points.len() as u32,
        ..Object::default()
    }
}

/// Whether faces of the object have materials at all.
pub(super) fn has_materials(mesh: &Mesh<'_>, object: Option<&Object>) -> bool {
    match object.and_then(|o| o.material_slots.as_ref()) {
        Some(slots) => !slots.is_empty(),
        None => !mesh.face_materials.is_empty(),
    }
}

/// Number of faces.
pub(super) fn faces(mesh: &Mesh<'_>) -> usize {
    mesh.face_offsets.len().saturating_sub(1)
}

fn range(start: u32, end: u32, most: u32) -> Range<usize> {
    let end = end.min(most).max(start);
    start as usize..end as usize
}

/// Whether the lengths of all arrays fit; what lies inside them is checked where it is used.
pub(super) fn check(index: usize, mesh: &Mesh<'_>) -> Result<()> {
    lengths(mesh).map_err(|what| Error::argument(format!("mesh {index}: {what}")))
}

fn lengths(mesh: &Mesh<'_>) -> Result<(), String> {
    let (vertices, corners) = (mesh.positions.len(), mesh.corner_vertices.len());
    let faces = faces(mesh);
    offsets("face_offsets", &mesh.face_offsets, corners)?;
    offsets("line_offsets", &mesh.line_offsets, mesh.line_vertices.len())?;
    let same = |what: &str, got: usize, wanted: usize| {
        if got == wanted {
            Ok(())
        } else {
            Err(format!("{what} has {got} values; {wanted} are needed"))
        }
    };
    let optional = |what: &str, got: usize, wanted: usize| {
        if got == 0 { Ok(()) } else { same(what, got, wanted) }
    };
    optional("face_materials", mesh.face_materials.len(), faces)?;
    optional("face_smoothing", mesh.face_smoothing.len(), faces)?;
    optional("face_groups", mesh.face_groups.len(), faces)?;
    optional("line_uvs", mesh.line_uvs.len(), mesh.line_vertices.len())?;
    if let Some(weights) = &mesh.weights {
        same("weights", weights.len(), vertices)?;
    }
    if let Some(colors) = &mesh.colors {
        same("colors", colors.values.len(), vertices)?;
    }
    let domain = |what: &str, domain: &Domain<'_>, got: usize| match domain {
        Domain::Vertex => same(what, got, vertices),
        Domain::Face => same(what, got, faces),
        Domain::Corner => same(what, got, corners),
        Domain::Indexed(index) => same(&format!("the index of {what}"), index.len(), corners),
    };
    if let Some(uvs) = &mesh.uvs {
        domain("uvs", &uvs.domain, uvs.values.len())?;
    }
    if let Some(normals) = &mesh.normals {
        domain("normals", &normals.domain, normals.values.len())?;
    }
    for group in &mesh.vertex_groups {
        let what = format!("the weights of the vertex group \"{}\"", group.name);
        same(&what, group.weights.len(), group.vertices.len())?;
    }
    if [vertices, corners, mesh.line_vertices.len()].iter().any(|&n| n >= u32::MAX as usize) {
        return Err("has more elements than 32 bits can count".into());
    }
    Ok(())
}

fn offsets(what: &str, offsets: &[u32], count: usize) -> Result<(), String> {
    let (first, last) =
        (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    if first != 0 || last as usize != count {
        return Err(format!("{what} runs from {first} to {last}; it must run from 0 to {count}"));
    }
    Ok(())
}
