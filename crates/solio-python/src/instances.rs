//! Meshes and instances of meshes: the arrays of each mesh are held once.

use crate::hold::{HeldMesh, everything, floats, matrix, place_materials};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use solio::mesh::model::{Mesh, Object};
use solio::mesh::{MeshInstance, Picture};
use std::collections::{HashMap, HashSet};

/// The matrix that leaves a mesh where it is.
const UNMOVED: [[f64; 4]; 3] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// What a file gets, in order.
pub(crate) struct HeldMeshes<'py> {
    meshes: Vec<HeldMesh<'py>>,
    /// A place in `meshes`, and what an instance changes.
    entries: Vec<(usize, Option<Instance>)>,
}

/// A `solio.Instance` without its mesh.
struct Instance {
    name: String,
    mesh_name: String,
    transform: Option<[[f32; 4]; 4]>,
    material_slots: Option<Vec<u32>>,
}

impl<'py> HeldMeshes<'py> {
    /// Takes hold of the arrays of `solio.Mesh`es and `solio.Instance`s.
    pub(crate) fn new(py: Python<'py>, items: &[Bound<'py, PyAny>]) -> PyResult<Self> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let class = CLASS.import(py, "solio._mesh", "Instance")?;
        let mut held = HeldMeshes { meshes: Vec::new(), entries: Vec::with_capacity(items.len()) };
        let mut places = HashMap::new();
        for item in items {
            let (mesh, instance) = if item.is_instance(class)? {
                (item.getattr(pyo3::intern!(py, "mesh"))?, Some(Instance::new(item)?))
            } else {
                (item.clone(), None)
            };
            let place = match places.get(&mesh.as_ptr()) {
                Some(&place) => place,
                None => {
                    held.meshes.push(HeldMesh::new(&mesh)?);
                    places.insert(mesh.as_ptr(), held.meshes.len() - 1);
                    held.meshes.len() - 1
                }
            };
            held.entries.push((place, instance));
        }
        Ok(held)
    }

    /// The comments of all meshes, each once; those of one as they are, as in a PLY they count
    /// textures.
    pub(crate) fn comments(&self) -> Vec<String> {
        if let [mesh] = &self.meshes[..] {
            return mesh.comments.clone();
        }
        distinct(self.meshes.iter().flat_map(|mesh| &mesh.comments))
    }

    /// The pictures that the meshes brought along, those of one path once.
    pub(crate) fn pictures(&self) -> Vec<Picture> {
        let mut pictures: Vec<Picture> = Vec::new();
        for (path, bytes) in self.meshes.iter().flat_map(|mesh| &mesh.pictures) {
            if pictures.iter().all(|other| other.path != *path) {
                pictures.push(Picture { path: path.clone(), bytes: bytes.clone() });
            }
        }
        pictures
    }

    /// The libraries that the materials of all meshes came with, each once.
    pub(crate) fn material_libraries(&self) -> Vec<String> {
        distinct(self.meshes.iter().flat_map(|mesh| &mesh.material_libraries))
    }

    /// Whether one of the meshes came with libraries that were not read.
    pub(crate) fn libraries_unread(&self) -> bool {
        self.meshes.iter().any(|mesh| mesh.libraries_unread)
    }

    /// The engine's views, each mesh once, and where it is drawn: for formats that keep instances. Those of
    /// one mesh with other materials are views of their own.
    pub(crate) fn shared(
        &self,
        slots: Vec<Option<Vec<u32>>>,
    ) -> (Vec<Mesh<'_>>, Vec<MeshInstance>) {
        let (mut meshes, mut drawn) = (Vec::new(), Vec::with_capacity(self.entries.len()));
        let mut places = HashMap::new();
        for ((place, instance), slots) in self.entries.iter().zip(slots) {
            let own = instance.as_ref().and_then(|instance| instance.material_slots.as_ref());
            let number = *places.entry((*place, own, slots.clone())).or_insert_with(|| {
                let mut mesh = self.meshes[*place].model();
                if let Some(instance) = instance {
                    mesh.objects = vec![Object { transform: None, ..instance.object(&mesh) }];
                }
                if let Some(slots) = slots {
                    place_materials(&mut mesh, &slots);
                }
                meshes.push(mesh);
                meshes.len() as u32 - 1
            });
            let transform = instance.as_ref().and_then(|instance| instance.transform);
            drawn.push(MeshInstance {
                mesh: number,
                name: instance.as_ref().map_or_else(String::new, |instance| instance.name.clone()),
                matrix: transform.map_or(UNMOVED, |t| [0, 1, 2].map(|row| t[row].map(f64::from))),
            });
        }
        (meshes, drawn)
    }

    /// Whether some are instances.
    pub(crate) fn has_instances(&self) -> bool {
        self.entries.iter().any(|(_, instance)| instance.is_some())
    }

    /// The engine's views; `slots` places the materials of each in the scene's.
    pub(crate) fn models(&self, slots: Vec<Option<Vec<u32>>>) -> Vec<Mesh<'_>> {
        let models = self.entries.iter().zip(slots).map(|((place, instance), slots)| {
            let mut mesh = self.meshes[*place].model();
            if let Some(instance) = instance {
                mesh.objects = vec![instance.object(&mesh)];
            }
            if let Some(slots) = slots {
                place_materials(&mut mesh, &slots);
            }
            mesh
        });
        models.collect()
    }
}

/// Each once, in the order of their first places.
fn distinct<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = HashSet::new();
    all.filter(|text| seen.insert(*text)).cloned().collect()
}

impl Instance {
    fn new(instance: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = instance.py();
        let transform = instance.getattr(pyo3::intern!(py, "transform"))?;
        Ok(Instance {
            name: instance.getattr(pyo3::intern!(py, "name"))?.extract()?,
            mesh_name: instance.getattr(pyo3::intern!(py, "mesh_name"))?.extract()?,
            transform: if transform.is_none() {
                None
            } else if let Ok(rows) = transform.extract() {
                Some(rows)
            } else {
                Some(matrix(&floats(&transform, "transform", 4)?)?)
            },
            material_slots: instance.getattr(pyo3::intern!(py, "material_slots"))?.extract()?,
        })
    }

    fn object(&self, mesh: &Mesh<'_>) -> Object {
        Object {
            name: self.name.clone(),
            mesh_name: self.mesh_name.clone(),
            transform: self.transform,
            material_slots: self.material_slots.clone(),
            ..everything(mesh)
        }
    }
}
