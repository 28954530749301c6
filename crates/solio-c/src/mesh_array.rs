//! The arrays of a mesh: seen where they lie, or copied into the caller's memory.

use crate::border::{Failure, Outcome, SOLIO_UNSUPPORTED, Sized0, call, fill, solio_error};
use crate::handle::Opaque;
use crate::mesh::{MeshState, solio_mesh};
use ::solio_mesh::model::{Attribute, NONE, ScalarType, Values};
use ::solio_mesh::{Domain, Mesh, Positions, triangulate};
use solio_base::memory;
use std::borrow::Cow;
use std::ffi::c_char;

/// Positions: 3 × float a vertex.
pub const SOLIO_POSITIONS: u32 = 1;
/// Positions: 3 × double a vertex.
pub const SOLIO_POSITIONS_F64: u32 = 2;
/// Normals, as the file has them: 3 × float each.
pub const SOLIO_NORMALS: u32 = 3;
/// Normals: 3 × float a vertex. Only where the file has them so, which most PLY do.
pub const SOLIO_VERTEX_NORMALS: u32 = 4;
/// Normals: 3 × float a corner; zeros where a corner has none.
pub const SOLIO_CORNER_NORMALS: u32 = 5;
/// The number of a corner's normal: uint32_t, `UINT32_MAX` where it has none.
pub const SOLIO_CORNER_NORMAL_INDICES: u32 = 6;
/// Texture coordinates, as the file has them: 2 × float each; v goes up.
pub const SOLIO_UVS: u32 = 7;
/// Texture coordinates: 2 × float a vertex. Only where the file has them so.
pub const SOLIO_VERTEX_UVS: u32 = 8;
/// Texture coordinates: 2 × float a corner; zeros where a corner has none.
pub const SOLIO_CORNER_UVS: u32 = 9;
/// The number of a corner's texture coordinates: uint32_t, `UINT32_MAX` where it has none.
pub const SOLIO_CORNER_UV_INDICES: u32 = 10;
/// Colours: 4 × float a vertex, 0 to 1, as the file encodes them.
pub const SOLIO_VERTEX_COLORS: u32 = 11;
/// Where the corners of each face begin: uint32_t, one more than faces.
pub const SOLIO_FACE_OFFSETS: u32 = 12;
/// The vertex of each corner: uint32_t.
pub const SOLIO_CORNER_VERTICES: u32 = 13;
/// The vertices of the faces of three corners: 3 × uint32_t each.
pub const SOLIO_TRIANGLES: u32 = 14;
/// The vertices of the faces of four corners: 4 × uint32_t each.
pub const SOLIO_QUADS: u32 = 15;
/// All faces, cut into triangles: the vertices, 3 × uint32_t each.
pub const SOLIO_ALL_TRIANGLES: u32 = 16;
/// The material of each face: uint32_t, `UINT32_MAX` where it has none.
pub const SOLIO_FACE_MATERIALS: u32 = 17;
/// The group of each face: uint32_t, `UINT32_MAX` where it has none.
pub const SOLIO_FACE_GROUPS: u32 = 18;
/// The face after the last one of each object: uint32_t.
pub const SOLIO_OBJECT_FACE_ENDS: u32 = 19;

/// int8_t.
pub const SOLIO_I8: u32 = 1;
/// uint8_t.
pub const SOLIO_U8: u32 = 2;
/// int16_t.
pub const SOLIO_I16: u32 = 3;
/// uint16_t.
pub const SOLIO_U16: u32 = 4;
/// int32_t.
pub const SOLIO_I32: u32 = 5;
/// uint32_t.
pub const SOLIO_U32: u32 = 6;
/// float.
pub const SOLIO_F32: u32 = 7;
/// double.
pub const SOLIO_F64: u32 = 8;
/// 16 bits of floating point.
pub const SOLIO_F16: u32 = 9;

/// An array, seen where it lies.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_array {
    /// `sizeof(solio_array)`.
    pub size: u64,
    /// Its first number; null where there are none. There as long as the handle that it is of.
    pub data: *const u8,
    /// Elements, each of `components` numbers, one directly after the other.
    pub count: u64,
    /// Numbers of an element.
    pub components: u32,
    /// One of `SOLIO_I8` to `SOLIO_F16`.
    pub kind: u32,
}

// SAFETY: numbers and a pointer, after the size.
unsafe impl Sized0 for solio_array {}

/// A further attribute.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_attribute {
    /// `sizeof(solio_attribute)`.
    pub size: u64,
    /// The element that it belongs to (`vertex`, `face`, …): UTF-8 without a zero at its end.
    pub element: *const c_char,
    /// Bytes of `element`.
    pub element_length: u64,
    /// The name: UTF-8 without a zero at its end.
    pub name: *const c_char,
    /// Bytes of `name`.
    pub name_length: u64,
    /// Its numbers.
    pub data: *const u8,
    /// How many numbers.
    pub count: u64,
    /// Of a list: where the numbers of each element begin, one more than elements; else null.
    pub offsets: *const u32,
    /// How many offsets.
    pub offset_count: u64,
    /// One of `SOLIO_I8` to `SOLIO_F64`.
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_attribute {}

/// Numbers of one array.
pub(crate) enum Numbers<'a> {
    F32(usize, Cow<'a, [f32]>),
    F64(usize, Cow<'a, [f64]>),
    U32(usize, Cow<'a, [u32]>),
}

impl Numbers<'_> {
    /// Numbers an element, the kind, bytes of a number, the first one, and how many.
    fn parts(&self) -> (usize, u32, usize, *const u8, usize) {
        match self {
            Numbers::F32(n, v) => (*n, SOLIO_F32, 4, v.as_ptr().cast(), v.len()),
            Numbers::F64(n, v) => (*n, SOLIO_F64, 8, v.as_ptr().cast(), v.len()),
            Numbers::U32(n, v) => (*n, SOLIO_U32, 4, v.as_ptr().cast(), v.len()),
        }
    }

    /// What had to be worked out, to keep.
    fn made(self) -> Option<Numbers<'static>> {
        Some(match self {
            Numbers::F32(n, Cow::Owned(v)) => Numbers::F32(n, v.into()),
            Numbers::F64(n, Cow::Owned(v)) => Numbers::F64(n, v.into()),
            Numbers::U32(n, Cow::Owned(v)) => Numbers::U32(n, v.into()),
            _ => return None,
        })
    }

    fn is_stored(&self) -> bool {
        match self {
            Numbers::F32(_, v) => matches!(v, Cow::Borrowed(_)),
            Numbers::F64(_, v) => matches!(v, Cow::Borrowed(_)),
            Numbers::U32(_, v) => matches!(v, Cow::Borrowed(_)),
        }
    }
}

fn lacks(what: &str) -> Failure {
    Failure::new(SOLIO_UNSUPPORTED, format!("the mesh has no {what}"))
}

/// Values for each corner.
fn of_corners<const N: usize>(
    mesh: &Mesh<'_>,
    domain: &Domain<'_>,
    values: &[[f32; N]],
) -> Vec<f32> {
    let mut out = Vec::with_capacity(N * mesh.corner_vertices.len());
    let mut push = |index: usize| {
        out.extend_from_slice(values.get(index).unwrap_or(&[0.0; N]));
    };
    match domain {
        Domain::Vertex => mesh.corner_vertices.iter().for_each(|&v| push(v as usize)),
        Domain::Corner => (0..mesh.corner_vertices.len()).for_each(push),
        Domain::Indexed(index) => index.iter().for_each(|&i| push(i as usize)),
        Domain::Face => {
            for (face, ends) in mesh.face_offsets.windows(2).enumerate() {
                (ends[0]..ends[1]).for_each(|_| push(face));
            }
        }
    }
    out
}

/// The number of each corner's value.
fn index_of_corners<'a>(mesh: &'a Mesh<'_>, domain: &'a Domain<'_>) -> Cow<'a, [u32]> {
    match domain {
        Domain::Vertex => Cow::Borrowed(&mesh.corner_vertices[..]),
        Domain::Indexed(index) => Cow::Borrowed(&index[..]),
        Domain::Corner => (0..mesh.corner_vertices.len() as u32).collect::<Vec<_>>().into(),
        Domain::Face => {
            let faces = mesh.face_offsets.windows(2).enumerate();
            let each = faces.flat_map(|(face, e)| (e[0]..e[1]).map(move |_| face as u32));
            each.collect::<Vec<_>>().into()
        }
    }
}

/// The vertices of all faces of `size` corners.
fn faces_of<'a>(mesh: &'a Mesh<'_>, size: u32, count: u64) -> Cow<'a, [u32]> {
    let all = mesh.face_offsets.len().saturating_sub(1) as u64;
    if count == all {
        return Cow::Borrowed(&mesh.corner_vertices[..]);
    }
    let mut out = Vec::with_capacity(count as usize * size as usize);
    for face in mesh.face_offsets.windows(2).filter(|face| face[1] - face[0] == size) {
        out.extend_from_slice(&mesh.corner_vertices[face[0] as usize..face[1] as usize]);
    }
    out.into()
}

/// # Errors
/// `SOLIO_UNSUPPORTED` where the mesh has no such array, `SOLIO_ARGUMENT` for one that nobody knows.
fn numbers(state: &MeshState, array: u32) -> Outcome<Numbers<'_>> {
    let mesh = state.mesh()?;
    let normals = || mesh.normals.as_ref().ok_or_else(|| lacks("normals"));
    let uvs = || mesh.uvs.as_ref().ok_or_else(|| lacks("texture coordinates"));
    Ok(match array {
        SOLIO_POSITIONS => match &mesh.positions {
            Positions::F32(p) => Numbers::F32(3, p.as_flattened().into()),
            Positions::F64(p) => Numbers::F32(
                3,
                p.as_flattened().iter().map(|&v| v as f32).collect::<Vec<_>>().into(),
            ),
        },
        SOLIO_POSITIONS_F64 => match &mesh.positions {
            Positions::F64(p) => Numbers::F64(3, p.as_flattened().into()),
            Positions::F32(p) => {
                let wide = p.as_flattened().iter().map(|&v| f64::from(v));
                Numbers::F64(3, wide.collect::<Vec<_>>().into())
            }
        },
        SOLIO_NORMALS => Numbers::F32(3, normals()?.values.as_flattened().into()),
        SOLIO_VERTEX_NORMALS => match &normals()?.domain {
            Domain::Vertex => Numbers::F32(3, normals()?.values.as_flattened().into()),
            _ => return Err(lacks("normals of vertices, but of corners or faces")),
        },
        SOLIO_CORNER_NORMALS => {
            let normals = normals()?;
            Numbers::F32(3, of_corners(mesh, &normals.domain, &normals.values).into())
        }
        SOLIO_CORNER_NORMAL_INDICES => Numbers::U32(1, index_of_corners(mesh, &normals()?.domain)),
        SOLIO_UVS => Numbers::F32(2, uvs()?.values.as_flattened().into()),
        SOLIO_VERTEX_UVS => match &uvs()?.domain {
            Domain::Vertex => Numbers::F32(2, uvs()?.values.as_flattened().into()),
            _ => return Err(lacks("texture coordinates of vertices, but of corners")),
        },
        SOLIO_CORNER_UVS => {
            let uvs = uvs()?;
            Numbers::F32(2, of_corners(mesh, &uvs.domain, &uvs.values).into())
        }
        SOLIO_CORNER_UV_INDICES => Numbers::U32(1, index_of_corners(mesh, &uvs()?.domain)),
        SOLIO_VERTEX_COLORS => {
            let colors = mesh.colors.as_ref().ok_or_else(|| lacks("colours"))?;
            Numbers::F32(4, colors.values.as_flattened().into())
        }
        SOLIO_FACE_OFFSETS => Numbers::U32(1, mesh.face_offsets[..].into()),
        SOLIO_CORNER_VERTICES => Numbers::U32(1, mesh.corner_vertices[..].into()),
        SOLIO_TRIANGLES => Numbers::U32(3, faces_of(mesh, 3, state.sizes[0])),
        SOLIO_QUADS => Numbers::U32(4, faces_of(mesh, 4, state.sizes[1])),
        SOLIO_ALL_TRIANGLES => {
            let faces = mesh.face_offsets.len().saturating_sub(1) as u64;
            if faces == state.sizes[0] {
                return Ok(Numbers::U32(3, mesh.corner_vertices[..].into()));
            }
            let corners = triangulate::triangulate(mesh, &state.work)?.corners;
            let vertex = |&corner: &u32| mesh.corner_vertices[corner as usize];
            let vertices = corners.as_flattened().iter().map(vertex).collect::<Vec<_>>();
            Numbers::U32(3, vertices.into())
        }
        SOLIO_FACE_MATERIALS => per_face(mesh, &mesh.face_materials),
        SOLIO_FACE_GROUPS => per_face(mesh, &mesh.face_groups),
        SOLIO_OBJECT_FACE_ENDS => {
            let ends = mesh.objects.iter().map(|object| object.faces_end);
            Numbers::U32(1, ends.collect::<Vec<_>>().into())
        }
        other => return Err(Failure::argument(format!("there is no array {other}"))),
    })
}

fn per_face<'a>(mesh: &Mesh<'_>, values: &'a [u32]) -> Numbers<'a> {
    if !values.is_empty() {
        return Numbers::U32(1, values.into());
    }
    Numbers::U32(1, vec![NONE; mesh.face_offsets.len().saturating_sub(1)].into())
}

/// An array of a mesh where it lies, without a copy. `array` is one of `SOLIO_POSITIONS` and those that
/// follow; what has to be worked out first is `SOLIO_UNSUPPORTED` here, and `solio_mesh_copy` does it.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_view(
    mesh: *const solio_mesh,
    array: u32,
    view: *mut solio_array,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_mesh::take(mesh)?;
            let numbers = numbers(&taken, array)?;
            if !numbers.is_stored() {
                let text =
                    format!("array {array} does not lie in memory: solio_mesh_copy makes it");
                return Err(Failure::new(SOLIO_UNSUPPORTED, text));
            }
            let (components, kind, _, start, count) = numbers.parts();
            let found = solio_array {
                size: 0,
                data: if count == 0 { std::ptr::null() } else { start },
                count: (count / components) as u64,
                components: components as u32,
                kind,
            };
            fill("solio_array", view, &found)
        })
    }
}

/// Copies an array into the caller's memory: element `i` goes to `to + i × stride`. `stride` is in
/// bytes, 0 for elements one directly after the other; `bytes` is how much may be written from `to`
/// on. `count` gets the number of elements, and may be null; with `to` null nothing else is done. An
/// array that has to be worked out to be counted is kept until the next call of this function.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_copy(
    mesh: *const solio_mesh,
    array: u32,
    to: *mut u8,
    bytes: u64,
    stride: u64,
    count: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let mut taken = solio_mesh::take(mesh)?;
            let kept = taken.made.take().filter(|(of, _)| *of == array);
            let numbers = match kept {
                Some((_, numbers)) => numbers,
                None => numbers(&taken, array)?,
            };
            let (components, _, size, start, all) = numbers.parts();
            let elements = all / components;
            if !count.is_null() {
                count.write(elements as u64);
            }
            if to.is_null() || elements == 0 {
                let made = numbers.made();
                taken.made = made.map(|numbers| (array, numbers));
                return Ok(());
            }
            let element = components * size;
            let stride = if stride == 0 { element as u64 } else { stride };
            let needed = (elements as u64 - 1).checked_mul(stride);
            let needed = needed.and_then(|needed| needed.checked_add(element as u64));
            if stride < element as u64 || needed.is_none_or(|needed| needed > bytes) {
                return Err(Failure::argument(format!(
                    "{elements} elements of {element} bytes, {stride} bytes apart, do not fit into \
                     {bytes} bytes"
                )));
            }
            if stride == element as u64 {
                // The caller's memory is often as fresh as it came from malloc, and clearing it in small
                // pages takes longer than reading a file.
                memory::advise_huge_at(to, elements * element);
                start.copy_to_nonoverlapping(to, elements * element);
            } else {
                for i in 0..elements {
                    let place = to.add(i * stride as usize);
                    start.add(i * element).copy_to_nonoverlapping(place, element);
                }
            }
            Ok(())
        })
    }
}

fn values(values: &Values<'_>) -> (u32, *const u8, usize) {
    match values {
        Values::I8(v) => (SOLIO_I8, v.as_ptr().cast(), v.len()),
        Values::U8(v) => (SOLIO_U8, v.as_ptr(), v.len()),
        Values::I16(v) => (SOLIO_I16, v.as_ptr().cast(), v.len()),
        Values::U16(v) => (SOLIO_U16, v.as_ptr().cast(), v.len()),
        Values::I32(v) => (SOLIO_I32, v.as_ptr().cast(), v.len()),
        Values::U32(v) => (SOLIO_U32, v.as_ptr().cast(), v.len()),
        Values::F32(v) => (SOLIO_F32, v.as_ptr().cast(), v.len()),
        Values::F64(v) => (SOLIO_F64, v.as_ptr().cast(), v.len()),
    }
}

/// A further attribute of a mesh, such as a property of a PLY: number `index`, from 0 on. All pointers
/// are there as long as the mesh.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_mesh_attribute(
    mesh: *const solio_mesh,
    index: u64,
    attribute: *mut solio_attribute,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_mesh::take(mesh)?;
            let found =
                usize::try_from(index).ok().and_then(|i| taken.mesh().ok()?.attributes.get(i));
            let found: &Attribute<'_> =
                found.ok_or_else(|| Failure::argument(format!("there is no attribute {index}")))?;
            let (kind, data, count) = values(&found.values);
            let offsets =
                found.list.as_ref().map(|(offsets, _): &(Cow<'_, [u32]>, ScalarType)| offsets);
            let told = solio_attribute {
                size: 0,
                element: found.element.as_ptr().cast(),
                element_length: found.element.len() as u64,
                name: found.name.as_ptr().cast(),
                name_length: found.name.len() as u64,
                data,
                count: count as u64,
                offsets: offsets.map_or(std::ptr::null(), |offsets| offsets.as_ptr()),
                offset_count: offsets.map_or(0, |offsets| offsets.len() as u64),
                kind,
                reserved: 0,
            };
            fill("solio_attribute", attribute, &told)
        })
    }
}
