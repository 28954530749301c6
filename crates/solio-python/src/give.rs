//! Moves a scene into a `solio.Mesh`; the arrays keep their memory.

use crate::Any;
use crate::hold::SCALAR_TYPES;
use crate::material;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};
use solio::mesh::MeshInstance;
use solio::mesh::model::{
    Attribute, Domain, Mesh, Object, Picture, Positions, Scene, Values, VertexGroup,
};
use std::borrow::Cow;

/// A `solio.Mesh` with what a reader found in one file.
pub(crate) fn scene<'py>(py: Python<'py>, mut scene: Scene<'static>) -> PyResult<Any<'py>> {
    let mut meshes = std::mem::take(&mut scene.meshes).into_iter();
    let first = meshes.next();
    // Splats beside meshes are one of their own.
    for mesh in meshes {
        let count = mesh.positions.len();
        let message = format!("not read: {count} splats beside meshes (read_instances reads both)");
        scene.warnings.push(message);
    }
    FileParts::of(py, scene)?.mesh(py, first)
}

/// `solio.Instance`s of what a reader found in one file, which share their meshes.
pub(crate) fn instances<'py>(
    py: Python<'py>,
    mut scene: Scene<'static>,
) -> PyResult<Vec<Any<'py>>> {
    static INSTANCE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = INSTANCE.import(py, "solio._mesh", "Instance")?;
    let meshes = std::mem::take(&mut scene.meshes);
    let places = std::mem::take(&mut scene.instances);
    let name_of = |mesh: &Mesh<'_>| mesh.objects.first().map(|object| object.mesh_name.clone());
    let names: Vec<String> = meshes.iter().map(|mesh| name_of(mesh).unwrap_or_default()).collect();
    let parts = FileParts::of(py, scene)?;
    let meshes = meshes.into_iter().map(|mesh| parts.mesh(py, Some(mesh)));
    let meshes = meshes.collect::<PyResult<Vec<_>>>()?;
    if places.is_empty() {
        return meshes.into_iter().map(|mesh| class.call1((mesh,))).collect();
    }
    let mut made = Vec::with_capacity(places.len());
    for MeshInstance { mesh, name, matrix } in places {
        let number = mesh as usize;
        let Some(mesh) = meshes.get(number) else { continue };
        let instance = class.call1((mesh, name))?;
        if !names[number].is_empty() {
            instance.setattr("mesh_name", &names[number])?;
        }
        let [x, y, z] = matrix;
        let all = vec![x, y, z, [0.0, 0.0, 0.0, 1.0]];
        instance.setattr("transform", rows(py, Cow::Owned(all))?)?;
        made.push(instance);
    }
    Ok(made)
}

/// What all meshes of a file have of it.
struct FileParts<'py> {
    materials: Vec<Any<'py>>,
    material_libraries: Vec<String>,
    libraries_unread: bool,
    comments: Vec<String>,
    warnings: Vec<String>,
    /// By their paths.
    pictures: Vec<(String, Bound<'py, PyBytes>)>,
}

impl<'py> FileParts<'py> {
    fn of(py: Python<'py>, scene: Scene<'static>) -> PyResult<FileParts<'py>> {
        let Scene {
            meshes: _, // taken out before, as the instances are
            instances: _,
            materials,
            material_libraries,
            libraries_unread,
            names_encoding: _, // the warnings say it
            comments,
            warnings,
            pictures,
        } = scene;
        let materials = materials.into_iter().map(|m| material::give(py, m));
        let bytes = |picture: Picture| (picture.path, PyBytes::new(py, &picture.bytes));
        Ok(FileParts {
            materials: materials.collect::<PyResult<_>>()?,
            material_libraries,
            libraries_unread,
            comments,
            warnings,
            pictures: pictures.into_iter().map(bytes).collect(),
        })
    }

    fn mesh(&self, py: Python<'py>, mesh: Option<Mesh<'static>>) -> PyResult<Any<'py>> {
        static MESH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let object = MESH.import(py, "solio._mesh", "Mesh")?.call0()?;
        object.setattr("materials", &self.materials)?;
        object.setattr("material_libraries", &self.material_libraries)?;
        object.setattr("_libraries_unread", self.libraries_unread)?;
        let by_path = object.getattr("pictures")?;
        for (path, bytes) in &self.pictures {
            by_path.set_item(path, bytes)?;
        }
        object.setattr("comments", &self.comments)?;
        object.setattr("warnings", &self.warnings)?;
        if let Some(mesh) = mesh {
            fill(py, &object, mesh)?;
        }
        Ok(object)
    }
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
