//! How much a scene holds.

use super::{Entity, Scene, Shape};
use crate::pbrt::Values;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the file of a mesh holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshCounts {
    /// Vertices.
    pub vertices: u64,
    /// Faces.
    pub faces: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of its arrays in memory.
    pub memory_bytes: u64,
}

/// The shapes of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// How many shapes.
    pub shapes: u64,
    /// How many primitives they have, instances not counted.
    pub primitives: u64,
    /// The same, each as often as it is seen: once for shapes of the world, else once an instance.
    pub instanced_primitives: u64,
}

/// A mesh, and how large it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeMesh {
    /// Which of [`Scene::shapes`].
    pub shape: u32,
    /// Its primitives.
    pub primitives: u64,
    /// Its vertices.
    pub vertices: u64,
    /// Bytes of its arrays in memory.
    pub memory_bytes: u64,
}

/// How many instances a scene has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceCounts {
    /// All of them.
    pub all: u64,
    /// Those that move.
    pub moving: u64,
}

impl InstanceCounts {
    /// Bytes of so many in memory.
    fn memory_bytes(self) -> u64 {
        let each = size_of::<[f32; 12]>() + size_of::<u32>() + size_of::<u64>();
        let moving = size_of::<(u32, [f32; 12])>() as u64;
        self.all.saturating_mul(each as u64).saturating_add(self.moving.saturating_mul(moving))
    }
}

/// How much a scene holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneCounts {
    /// Shapes by class.
    pub classes: BTreeMap<String, ClassCounts>,
    /// All together.
    pub all: ClassCounts,
    /// Bytes of arrays that hold statements' values, in memory.
    pub values_bytes: u64,
    /// Bytes of shapes, materials, matrices and the like, in memory.
    pub entities_bytes: u64,
    /// Instances.
    pub instances: InstanceCounts,
    /// Bytes of instances, in memory.
    pub instances_bytes: u64,
    /// The meshes with the most primitives, falling; those of equal size in the order of the scene.
    pub largest: Vec<LargeMesh>,
}

impl SceneCounts {
    /// Says how many instances there are, of a scene without them.
    pub fn set_instances(&mut self, instances: InstanceCounts) {
        (self.instances, self.instances_bytes) = (instances, instances.memory_bytes());
    }
}

impl Scene {
    /// Counts what is there. `mesh` tells of the file of a `plymesh`; one that it knows nothing of
    /// has no primitives. Of the largest meshes there are `largest`.
    ///
    /// A primitive is a triangle, a quad, a quadric, or a segment of a curve; of a `loopsubdiv` a
    /// triangle of its last level.
    pub fn counts(
        &self,
        mesh: impl Fn(&[u8]) -> Option<MeshCounts>,
        largest: usize,
    ) -> SceneCounts {
        let mut counts = SceneCounts::default();
        let mut times = vec![1u64; self.shapes.len()];
        for object in &self.objects {
            let range = object.shapes.start as usize..object.shapes.end as usize;
            times[range].fill(object.instances.into());
        }
        let mut meshes = Vec::new();
        for (i, (shape, times)) in self.shapes.iter().zip(&times).enumerate() {
            let size = self.mesh_size(shape, i as u32, &mesh);
            let class = String::from_utf8_lossy(self.class(&shape.entity)).into_owned();
            for to in [counts.classes.entry(class).or_default(), &mut counts.all] {
                to.shapes += 1;
                to.primitives = to.primitives.saturating_add(size.primitives);
                let seen = size.primitives.saturating_mul(*times);
                to.instanced_primitives = to.instanced_primitives.saturating_add(seen);
            }
            if size.vertices > 0 {
                meshes.push(size);
            }
        }
        meshes.sort_by_key(|size| std::cmp::Reverse(size.primitives));
        meshes.truncate(largest);
        counts.largest = meshes;
        counts.values_bytes = self.kept.iter().map(|kept| kept.memory_bytes()).sum();
        counts.entities_bytes = (size_of_val(&*self.shapes)
            + size_of_val(&*self.materials)
            + size_of_val(&*self.textures)
            + size_of_val(&*self.media)
            + size_of_val(&*self.lights)
            + size_of_val(&*self.area_lights)
            + size_of_val(&*self.attributes)
            + size_of_val(&*self.matrices)
            + size_of_val(&*self.objects)) as u64;
        counts.set_instances(InstanceCounts {
            all: self.instances.objects.len() as u64,
            moving: self.instances.moving.len() as u64,
        });
        counts
    }

    fn mesh_size(
        &self,
        shape: &Shape,
        number: u32,
        mesh: &impl Fn(&[u8]) -> Option<MeshCounts>,
    ) -> LargeMesh {
        let entity = &shape.entity;
        let length =
            |name| self.parameter(entity, name).map_or(0, |(_, p)| p.values.count() as u64);
        let mut size = LargeMesh { shape: number, primitives: 1, vertices: 0, memory_bytes: 0 };
        match self.class(entity) {
            b"plymesh" => {
                let known = self.string(entity, "filename").and_then(mesh).unwrap_or_default();
                size.primitives = known.faces;
                (size.vertices, size.memory_bytes) = (known.vertices, known.memory_bytes);
                return size;
            }
            b"trianglemesh" => size.primitives = self.faces(entity, 3),
            b"bilinearmesh" => size.primitives = self.faces(entity, 4),
            b"loopsubdiv" => {
                let levels = self.integer(entity, "levels").unwrap_or(3).clamp(0, 16);
                size.primitives = self.faces(entity, 3) << (2 * levels);
            }
            b"curve" => {
                size.primitives = self.curve_segments(entity);
                return size;
            }
            _ => return size,
        }
        size.vertices = length("P") / 3;
        let arrays = self.parameters(entity).map(|(_, p)| match p.values {
            Values::Floats(span) | Values::Integers(span) => 4 * span.count() as u64,
            _ => 0,
        });
        size.memory_bytes = arrays.sum();
        size
    }

    /// Faces of a mesh; without indices there is one.
    fn faces(&self, entity: &Entity, corners: u64) -> u64 {
        match self.parameter(entity, "indices") {
            Some((_, indices)) => indices.values.count() as u64 / corners,
            None => 1,
        }
    }

    /// Segments of a curve: pieces with as many control points as its degree asks for.
    fn curve_segments(&self, entity: &Entity) -> u64 {
        let points = self.points(entity, "P").map_or(0, <[_]>::len) as u64;
        let degree = self.integer(entity, "degree").unwrap_or(3).clamp(2, 3) as u64;
        match self.string(entity, "basis") {
            Some(b"bspline") => points.saturating_sub(degree),
            _ => points.saturating_sub(1) / degree,
        }
    }
}
