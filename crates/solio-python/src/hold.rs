//! Borrows the arrays of Python meshes for the engine.
//!
//! Two steps, so that nothing borrows from what still moves: [`HeldMesh::new`] takes hold of the
//! NumPy arrays, [`HeldMesh::model`] shows them as the engine's model. Arrays whose type and
//! layout fit are not copied; others go through `solio._arrays`, which copies or refuses them.

use crate::errors::argument;
use bytemuck::{Pod, cast_slice};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::call::PyCallArgs;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use solio::mesh::model::{
    Attribute, ColorSpace, Colors, Domain, Mesh, NONE, Normals, Object, Positions, ScalarType, Uvs,
    Values, VertexGroup,
};
use std::borrow::Cow;
use std::sync::Arc;

/// A NumPy array that is contiguous and aligned.
pub(crate) struct HeldArray<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<T: Element> HeldArray<'_, T> {
    pub(crate) fn slice(&self) -> &[T] {
        self.0.as_slice().expect("contiguity was checked when the array was taken")
    }
}

/// An [`Attribute`] whose arrays are held.
struct HeldAttribute<'py> {
    element: String,
    name: String,
    values: HeldValues<'py>,
    list: Option<(HeldArray<'py, u32>, ScalarType)>,
}

enum HeldValues<'py> {
    I8(HeldArray<'py, i8>),
    U8(HeldArray<'py, u8>),
    I16(HeldArray<'py, i16>),
    U16(HeldArray<'py, u16>),
    I32(HeldArray<'py, i32>),
    U32(HeldArray<'py, u32>),
    F32(HeldArray<'py, f32>),
    F64(HeldArray<'py, f64>),
}

enum HeldPositions<'py> {
    F32(HeldArray<'py, f32>),
    F64(HeldArray<'py, f64>),
}

enum HeldDomain<'py> {
    Vertex,
    Face,
    Corner,
    Indexed(HeldArray<'py, u32>),
}

/// The arrays of one `solio.Mesh`.
pub(crate) struct HeldMesh<'py> {
    positions: HeldPositions<'py>,
    weights: Option<HeldArray<'py, f32>>,
    colors: Option<(HeldArray<'py, f32>, ColorSpace)>,
    uvs: Option<(HeldArray<'py, f32>, HeldDomain<'py>)>,
    normals: Option<(HeldArray<'py, f32>, HeldDomain<'py>)>,
    /// In the order of [`INDEX_ARRAYS`].
    indices: [HeldArray<'py, u32>; INDEX_ARRAYS.len()],
    groups: Vec<String>,
    objects: Vec<Object>,
    vertex_groups: Vec<(String, HeldArray<'py, u32>, HeldArray<'py, f32>)>,
    attributes: Vec<HeldAttribute<'py>>,
    freeform: Vec<u8>,
    uv_lists: bool,
    pub(crate) pictures: Vec<(String, Arc<Vec<u8>>)>,
    pub(crate) comments: Vec<String>,
    pub(crate) material_libraries: Vec<String>,
    pub(crate) libraries_unread: bool,
}

const INDEX_ARRAYS: [&str; 9] = [
    "face_offsets",
    "corner_vertices",
    "face_materials",
    "face_smoothing",
    "face_groups",
    "line_offsets",
    "line_vertices",
    "line_uvs",
    "points",
];

impl<'py> HeldMesh<'py> {
    /// Takes hold of the arrays of `mesh`, a `solio.Mesh`.
    pub(crate) fn new(mesh: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = mesh.py();
        let mut indices = Vec::with_capacity(INDEX_ARRAYS.len());
        for name in INDEX_ARRAYS {
            indices.push(index(&mesh.getattr(name)?, name)?);
        }
        let weights = present(mesh, intern!(py, "weights"))?;
        let colors = match present(mesh, intern!(py, "colors"))? {
            Some(c) => Some((colors_of(&c)?, color_space(mesh)?)),
            None => None,
        };
        Ok(HeldMesh {
            positions: positions(&mesh.getattr(intern!(py, "positions"))?)?,
            weights: weights.map(|w| floats(&w, "weights", 1)).transpose()?,
            colors,
            uvs: layer(mesh, "uvs", 2, "uv_domain", "uv_indices")?,
            normals: layer(mesh, "normals", 3, "normal_domain", "normal_indices")?,
            indices: indices.try_into().map_err(|_| argument("index arrays"))?,
            groups: mesh.getattr(intern!(py, "groups"))?.extract()?,
            objects: objects(mesh)?,
            vertex_groups: vertex_groups(mesh)?,
            attributes: attributes(mesh)?,
            freeform: mesh.getattr(intern!(py, "freeform"))?.extract()?,
            uv_lists: mesh.getattr(intern!(py, "_uv_lists"))?.extract()?,
            pictures: pictures(&mesh.getattr(intern!(py, "pictures"))?)?,
            comments: mesh.getattr(intern!(py, "comments"))?.extract()?,
            material_libraries: mesh.getattr(intern!(py, "material_libraries"))?.extract()?,
            libraries_unread: mesh.getattr(intern!(py, "_libraries_unread"))?.extract()?,
        })
    }

    /// The engine's view of the arrays.
    pub(crate) fn model(&self) -> Mesh<'_> {
        let [
            face_offsets,
            corner_vertices,
            face_materials,
            face_smoothing,
            face_groups,
            line_offsets,
            line_vertices,
            line_uvs,
            points,
        ] = self.indices.each_ref().map(|held| Cow::Borrowed(held.slice()));
        let positions = match &self.positions {
            HeldPositions::F32(p) => Positions::F32(rows(p)),
            HeldPositions::F64(p) => Positions::F64(rows(p)),
        };
        Mesh {
            positions,
            weights: self.weights.as_ref().map(|w| Cow::Borrowed(w.slice())),
            colors: self
                .colors
                .as_ref()
                .map(|(values, space)| Colors { values: rows(values), space: *space }),
            uvs: self
                .uvs
                .as_ref()
                .map(|(values, domain)| Uvs { values: rows(values), domain: domain.model() }),
            normals: self
                .normals
                .as_ref()
                .map(|(values, domain)| Normals { values: rows(values), domain: domain.model() }),
            face_offsets,
            corner_vertices,
            face_materials,
            face_smoothing,
            face_groups,
            groups: self.groups.clone(),
            line_offsets,
            line_vertices,
            line_uvs,
            points,
            objects: self.objects.clone(),
            vertex_groups: self
                .vertex_groups
                .iter()
                .map(|(name, vertices, weights)| VertexGroup {
                    name: name.clone(),
                    vertices: Cow::Borrowed(vertices.slice()),
                    weights: Cow::Borrowed(weights.slice()),
                })
                .collect(),
            attributes: self.attributes.iter().map(HeldAttribute::model).collect(),
            freeform: self.freeform.clone(),
            uv_lists: self.uv_lists,
        }
    }
}

/// Files by their paths.
fn pictures(by_path: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Arc<Vec<u8>>)>> {
    let pairs = by_path.call_method0("items")?.try_iter()?;
    pairs
        .map(|pair| {
            let (path, bytes): (String, Vec<u8>) = pair?.extract()?;
            Ok((path, Arc::new(bytes)))
        })
        .collect()
}

/// Leads the materials of `mesh` to their places among those of all meshes.
pub(crate) fn place_materials(mesh: &mut Mesh<'_>, places: &[u32]) {
    let lead = |i: &mut u32| *i = places.get(*i as usize).copied().unwrap_or(NONE);
    let is_nowhere = places.iter().all(|place| *place == NONE);
    if is_nowhere {
        mesh.face_materials = Cow::default();
    } else if mesh.objects.is_empty() {
        mesh.objects.push(everything(mesh));
    }
    let mut start = 0;
    for object in &mut mesh.objects {
        let faces = start..object.faces_end as usize;
        start = faces.end;
        match &mut object.material_slots {
            slots if is_nowhere => *slots = None,
            Some(own) => own.iter_mut().for_each(lead),
            // Faces without a word on it have the first one.
            slots if mesh.face_materials.is_empty() => *slots = Some(places.to_vec()),
            // Slots would make the first one of none.
            None => {
                let own = mesh.face_materials.to_mut().get_mut(faces);
                own.into_iter().flatten().for_each(lead);
            }
        }
    }
}

/// The object that a mesh without objects stands for.
pub(crate) fn everything(mesh: &Mesh<'_>) -> Object {
    Object {
        vertices_end: mesh.positions.len() as u32,
        uvs_end: mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len() as u32),
        normals_end: mesh.normals.as_ref().map_or(0, |normals| normals.values.len() as u32),
        faces_end: mesh.face_offsets.len().saturating_sub(1) as u32,
        lines_end: mesh.line_offsets.len().saturating_sub(1) as u32,
        points_end: mesh.points.len() as u32,
        ..Object::default()
    }
}

impl HeldDomain<'_> {
    fn model(&self) -> Domain<'_> {
        match self {
            HeldDomain::Vertex => Domain::Vertex,
            HeldDomain::Face => Domain::Face,
            HeldDomain::Corner => Domain::Corner,
            HeldDomain::Indexed(index) => Domain::Indexed(Cow::Borrowed(index.slice())),
        }
    }
}

impl HeldAttribute<'_> {
    fn model(&self) -> Attribute<'_> {
        let values = match &self.values {
            HeldValues::I8(v) => Values::I8(Cow::Borrowed(v.slice())),
            HeldValues::U8(v) => Values::U8(Cow::Borrowed(v.slice())),
            HeldValues::I16(v) => Values::I16(Cow::Borrowed(v.slice())),
            HeldValues::U16(v) => Values::U16(Cow::Borrowed(v.slice())),
            HeldValues::I32(v) => Values::I32(Cow::Borrowed(v.slice())),
            HeldValues::U32(v) => Values::U32(Cow::Borrowed(v.slice())),
            HeldValues::F32(v) => Values::F32(Cow::Borrowed(v.slice())),
            HeldValues::F64(v) => Values::F64(Cow::Borrowed(v.slice())),
        };
        Attribute {
            element: self.element.clone(),
            name: self.name.clone(),
            values,
            list: self.list.as_ref().map(|(o, count)| (Cow::Borrowed(o.slice()), *count)),
        }
    }
}

fn rows<'a, T: Element + Pod, const N: usize>(held: &'a HeldArray<'_, T>) -> Cow<'a, [[T; N]]>
where
    [T; N]: Pod,
{
    Cow::Borrowed(cast_slice(held.slice()))
}

/// `value` itself when it is an array of `T` that needs no copy.
pub(crate) fn in_place<'py, T: Element>(value: &Bound<'py, PyAny>) -> Option<HeldArray<'py, T>> {
    let array = value.cast::<PyArrayDyn<T>>().ok()?;
    let aligned = (array.data() as usize).is_multiple_of(align_of::<T>());
    if !aligned || !array.is_c_contiguous() {
        return None;
    }
    array.try_readonly().ok().map(HeldArray)
}

/// The same with the wanted columns.
fn fitting<'py, T: Element>(
    value: &Bound<'py, PyAny>,
    columns: usize,
) -> Option<HeldArray<'py, T>> {
    let held = in_place(value)?;
    let fits = match (columns, held.0.shape()) {
        (1, shape) => shape.len() == 1,
        (n, &[_, found]) => found == n,
        _ => false,
    };
    fits.then_some(held)
}

/// `value`, converted by `solio._arrays.float_array` if it must be.
pub(crate) fn floats<'py>(
    value: &Bound<'py, PyAny>,
    what: &str,
    columns: usize,
) -> PyResult<HeldArray<'py, f32>> {
    if let Some(held) = fitting(value, columns) {
        return Ok(held);
    }
    let array = converted("float_array", value.py(), (value, what, columns))?;
    fitting(&array, columns).ok_or_else(|| unfit(what))
}

/// RGBA, converted by `solio._arrays.color_array` if it must be.
fn colors_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<HeldArray<'py, f32>> {
    if let Some(held) = fitting(value, 4) {
        return Ok(held);
    }
    let array = converted("color_array", value.py(), (value,))?;
    fitting(&array, 4).ok_or_else(|| unfit("colors"))
}

/// Positions, which stay doubles where they are.
fn positions<'py>(value: &Bound<'py, PyAny>) -> PyResult<HeldPositions<'py>> {
    let held = |value: &Bound<'py, PyAny>| {
        let single = fitting(value, 3).map(HeldPositions::F32);
        single.or_else(|| fitting(value, 3).map(HeldPositions::F64))
    };
    if let Some(held) = held(value) {
        return Ok(held);
    }
    let array = converted("position_array", value.py(), (value,))?;
    held(&array).ok_or_else(|| unfit("positions"))
}

/// What the function of that name in `solio._arrays` makes of `arguments`.
fn converted<'py>(
    function: &str,
    py: Python<'py>,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let import = || PyResult::Ok(py.import("solio._arrays")?.unbind());
    ARRAYS.get_or_try_init(py, import)?.bind(py).getattr(function)?.call1(arguments)
}

/// `value`, converted by `solio._arrays.index_array` if it must be.
fn index<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<HeldArray<'py, u32>> {
    if let Some(held) = fitting(value, 1) {
        return Ok(held);
    }
    let array = converted("index_array", value.py(), (value, what))?;
    fitting(&array.call_method1("reshape", (-1,))?, 1).ok_or_else(|| unfit(what))
}

pub(crate) fn unfit(what: &str) -> PyErr {
    argument(format!("{what}: no such array can be used"))
}

/// An attribute that may be `None`.
fn present<'py, N>(object: &Bound<'py, PyAny>, name: N) -> PyResult<Option<Bound<'py, PyAny>>>
where
    N: IntoPyObject<'py, Target = pyo3::types::PyString>,
{
    let value = object.getattr(name)?;
    Ok((!value.is_none()).then_some(value))
}

fn color_space(mesh: &Bound<'_, PyAny>) -> PyResult<ColorSpace> {
    let name = mesh.getattr("color_space")?.extract::<String>()?;
    let missing = || argument(format!("no such colour space: {name}"));
    ColorSpace::of_name(&name).ok_or_else(missing)
}

type UvLayer<'py> = (HeldArray<'py, f32>, HeldDomain<'py>);

fn layer<'py>(
    mesh: &Bound<'py, PyAny>,
    values: &str,
    columns: usize,
    domain: &str,
    indices: &str,
) -> PyResult<Option<UvLayer<'py>>> {
    let Some(array) = present(mesh, values)? else { return Ok(None) };
    let held = floats(&array, values, columns)?;
    let domain = match mesh.getattr(domain)?.extract::<&str>()? {
        "vertex" => HeldDomain::Vertex,
        "face" => HeldDomain::Face,
        "corner" => HeldDomain::Corner,
        "indexed" => HeldDomain::Indexed(index(&mesh.getattr(indices)?, indices)?),
        other => return Err(argument(format!("no such domain: {other}"))),
    };
    Ok(Some((held, domain)))
}

fn objects(mesh: &Bound<'_, PyAny>) -> PyResult<Vec<Object>> {
    let py = mesh.py();
    let mut objects = Vec::new();
    for object in mesh.getattr(intern!(py, "objects"))?.try_iter()? {
        let object = object?;
        let end = |name: &str| object.getattr(name)?.extract::<u32>();
        let transform = match present(&object, intern!(py, "transform"))? {
            Some(t) => Some(matrix(&floats(&t, "transform", 4)?)?),
            None => None,
        };
        objects.push(Object {
            name: object.getattr(intern!(py, "name"))?.extract()?,
            mesh_name: object.getattr(intern!(py, "mesh_name"))?.extract()?,
            vertices_end: end("vertices_end")?,
            uvs_end: end("uvs_end")?,
            normals_end: end("normals_end")?,
            faces_end: end("faces_end")?,
            lines_end: end("lines_end")?,
            points_end: end("points_end")?,
            transform,
            material_slots: object.getattr(intern!(py, "material_slots"))?.extract()?,
        });
    }
    Ok(objects)
}

pub(crate) fn matrix(held: &HeldArray<'_, f32>) -> PyResult<[[f32; 4]; 4]> {
    let rows: &[[f32; 4]] = cast_slice(held.slice());
    rows.try_into().map_err(|_| argument("transform must have shape (4, 4)"))
}

type HeldGroup<'py> = (String, HeldArray<'py, u32>, HeldArray<'py, f32>);

fn vertex_groups<'py>(mesh: &Bound<'py, PyAny>) -> PyResult<Vec<HeldGroup<'py>>> {
    let mut groups = Vec::new();
    for group in mesh.getattr(intern!(mesh.py(), "vertex_groups"))?.try_iter()? {
        let group = group?;
        groups.push((
            group.getattr("name")?.extract()?,
            index(&group.getattr("vertices")?, "vertices of a vertex group")?,
            floats(&group.getattr("weights")?, "weights of a vertex group", 1)?,
        ));
    }
    Ok(groups)
}

fn attributes<'py>(mesh: &Bound<'py, PyAny>) -> PyResult<Vec<HeldAttribute<'py>>> {
    let py = mesh.py();
    let mut attributes = Vec::new();
    let items = mesh.getattr(intern!(py, "attributes"))?.call_method0("items")?;
    for item in items.try_iter()? {
        let ((element, name), value): ((String, String), Bound<'py, PyAny>) = item?.extract()?;
        let (values, list) = if value.hasattr("count_type")? {
            let count = value.getattr("count_type")?.extract::<String>()?;
            let count = scalar_type(&count)
                .ok_or_else(|| argument(format!("no such count type: {count}")))?;
            let offsets = index(&value.getattr("offsets")?, "offsets of a list attribute")?;
            (value.getattr("values")?, Some((offsets, count)))
        } else {
            (value, None)
        };
        let what = format!("attribute {name} of {element}");
        let values = match held_values(&values) {
            Some(held) => held,
            None => held_values(&converted("attribute_array", py, (&values, &what))?)
                .ok_or_else(|| unfit(&what))?,
        };
        attributes.push(HeldAttribute { element, name, values, list });
    }
    Ok(attributes)
}

fn held_values<'py>(value: &Bound<'py, PyAny>) -> Option<HeldValues<'py>> {
    fitting(value, 1)
        .map(HeldValues::F32)
        .or_else(|| fitting(value, 1).map(HeldValues::F64))
        .or_else(|| fitting(value, 1).map(HeldValues::U8))
        .or_else(|| fitting(value, 1).map(HeldValues::I32))
        .or_else(|| fitting(value, 1).map(HeldValues::U32))
        .or_else(|| fitting(value, 1).map(HeldValues::I16))
        .or_else(|| fitting(value, 1).map(HeldValues::U16))
        .or_else(|| fitting(value, 1).map(HeldValues::I8))
}

/// The scalar types by their NumPy names.
pub(crate) const SCALAR_TYPES: [(&str, ScalarType); 8] = [
    ("int8", ScalarType::I8),
    ("uint8", ScalarType::U8),
    ("int16", ScalarType::I16),
    ("uint16", ScalarType::U16),
    ("int32", ScalarType::I32),
    ("uint32", ScalarType::U32),
    ("float32", ScalarType::F32),
    ("float64", ScalarType::F64),
];

fn scalar_type(name: &str) -> Option<ScalarType> {
    SCALAR_TYPES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
}
