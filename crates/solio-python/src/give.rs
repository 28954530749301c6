//! Moves a scene into a `solio.Mesh`; the arrays keep their memory.

use crate::Any;
use crate::hold::SCALAR_TYPES;
use crate::material;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};
use solio::mesh::model::{Attribute, Domain, Mesh, Object, Positions, Scene, Values, VertexGroup};
use std::borrow::Cow;

/// A `solio.Mesh` with what a reader found in one file.
pub(crate) fn scene<'py>(py: Python<'py>, scene: Scene<'static>) -> PyResult<Any<'py>> {
    let Scene {
        meshes,
        materials,
        material_libraries,
        libraries_unread,
        names_encoding: _, // the warnings say it
        comments,
        mut warnings,
        instances: _, // written out
        pictures,
    } = scene;
    if !pictures.is_empty() {
        warnings.push(format!("not read: {} pictures within the file", pictures.len()));
    }
    static MESH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let object = MESH.import(py, "solio._mesh", "Mesh")?.call0()?;
    let materials: Vec<_> =
        materials.into_iter().map(|m| material::give(py, m)).collect::<PyResult<_>>()?;
    object.setattr("materials", materials)?;
    object.setattr("material_libraries", material_libraries)?;
    object.setattr("_libraries_unread", libraries_unread)?;
    let by_path = object.getattr("pictures")?;
    for picture in pictures {
        by_path.set_item(picture.path, PyBytes::new(py, &picture.bytes))?;
    }
    object.setattr("comments", comments)?;
    object.setattr("warnings", warnings)?;
    // Every reader makes one mesh for a file.
    if let Some(mesh) = meshes.into_iter().next() {
        fill(py, &object, mesh)?;
    }
    Ok(object)
}

fn fill<'py>(py: Python<'py>, object: &Any<'py>, mesh: Mesh<'static>) -> PyResult<()> {
    let positions = match mesh.positions {
        Positions::F32(p) => rows(py, p)?,
        Positions::F64(p) => rows(py, p)?,
    };
    object.setattr("positions", positions)?;
    if let Some(weights) = mesh.weights {
        object.setattr("weights", array(py, weights))?;
    }
    if let Some(colors) = mesh.colors {
        object.setattr("colors", rows(py, colors.values)?)?;
        object.setattr("color_space", colors.space.name())?;
    }
    if let Some(uvs) = mesh.uvs {
        object.setattr("uvs", rows(py, uvs.values)?)?;
        domain(py, object, "uv_domain", "uv_indices", uvs.domain)?;
    }
    if let Some(normals) = mesh.normals {
        object.setattr("normals", rows(py, normals.values)?)?;
        domain(py, object, "normal_domain", "normal_indices", normals.domain)?;
    }
    for (name, values) in [
        ("face_offsets", mesh.face_offsets),
        ("corner_vertices", mesh.corner_vertices),
        ("face_materials", mesh.face_materials),
        ("face_smoothing", mesh.face_smoothing),
        ("face_groups", mesh.face_groups),
        ("line_offsets", mesh.line_offsets),
        ("line_vertices", mesh.line_vertices),
        ("line_uvs", mesh.line_uvs),
        ("points", mesh.points),
    ] {
        object.setattr(name, array(py, values))?;
    }
    object.setattr("_uv_lists", mesh.uv_lists)?;
    object.setattr("groups", mesh.groups)?;
    object.setattr("objects", objects(py, mesh.objects)?)?;
    object.setattr("vertex_groups", vertex_groups(py, mesh.vertex_groups)?)?;
    object.setattr("attributes", attributes(py, mesh.attributes)?)?;
    object.setattr("freeform", PyBytes::new(py, &mesh.freeform))
}

/// An array that takes over the memory of `values`.
pub(crate) fn array<'py, T: Element + Clone>(
    py: Python<'py>,
    values: Cow<'static, [T]>,
) -> Any<'py> {
    PyArray1::from_vec(py, values.into_owned()).into_any()
}

/// An (N, `COLUMNS`) array that takes over the memory of `values`.
fn rows<'py, T: Element + Clone, const COLUMNS: usize>(
    py: Python<'py>,
    values: Cow<'static, [[T; COLUMNS]]>,
) -> PyResult<Any<'py>> {
    let values = values.into_owned();
    let count = values.len();
    let flat = PyArray1::from_vec(py, values.into_flattened());
    Ok(flat.reshape([count, COLUMNS])?.into_any())
}

fn domain<'py>(
    py: Python<'py>,
    object: &Any<'py>,
    name: &str,
    indices: &str,
    domain: Domain<'static>,
) -> PyResult<()> {
    let text = match &domain {
        Domain::Vertex => "vertex",
        Domain::Face => "face",
        Domain::Corner => "corner",
        Domain::Indexed(_) => "indexed",
    };
    object.setattr(name, text)?;
    if let Domain::Indexed(index) = domain {
        object.setattr(indices, array(py, index))?;
    }
    Ok(())
}

fn objects<'py>(py: Python<'py>, objects: Vec<Object>) -> PyResult<Vec<Any<'py>>> {
    static OBJECT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = OBJECT.import(py, "solio._mesh", "Object")?;
    objects
        .into_iter()
        .map(|o| {
            let object = class.call1((o.name,))?;
            if !o.mesh_name.is_empty() {
                object.setattr("mesh_name", o.mesh_name)?;
            }
            object.setattr("vertices_end", o.vertices_end)?;
            object.setattr("uvs_end", o.uvs_end)?;
            object.setattr("normals_end", o.normals_end)?;
            object.setattr("faces_end", o.faces_end)?;
            object.setattr("lines_end", o.lines_end)?;
            object.setattr("points_end", o.points_end)?;
            if let Some(transform) = o.transform {
                object.setattr("transform", rows(py, Cow::Owned(transform.to_vec()))?)?;
            }
            if let Some(slots) = o.material_slots {
                object.setattr("material_slots", slots)?;
            }
            Ok(object)
        })
        .collect()
}

fn vertex_groups<'py>(
    py: Python<'py>,
    groups: Vec<VertexGroup<'static>>,
) -> PyResult<Bound<'py, PyList>> {
    static GROUP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = GROUP.import(py, "solio._mesh", "VertexGroup")?;
    let list = PyList::empty(py);
    for g in groups {
        list.append(class.call1((g.name, array(py, g.vertices), array(py, g.weights)))?)?;
    }
    Ok(list)
}

fn attributes<'py>(
    py: Python<'py>,
    attributes: Vec<Attribute<'static>>,
) -> PyResult<Bound<'py, PyDict>> {
    static LISTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = LISTS.import(py, "solio._mesh", "ListValues")?;
    let dict = PyDict::new(py);
    for a in attributes {
        let mut value = match a.values {
            Values::I8(v) => array(py, v),
            Values::U8(v) => array(py, v),
            Values::I16(v) => array(py, v),
            Values::U16(v) => array(py, v),
            Values::I32(v) => array(py, v),
            Values::U32(v) => array(py, v),
            Values::F32(v) => array(py, v),
            Values::F64(v) => array(py, v),
        };
        if let Some((offsets, count)) = a.list {
            let name = SCALAR_TYPES.iter().find(|(_, t)| *t == count).map_or("uint8", |(n, _)| n);
            value = class.call1((array(py, offsets), value, name))?;
        }
        dict.set_item((a.element, a.name), value)?;
    }
    Ok(dict)
}
