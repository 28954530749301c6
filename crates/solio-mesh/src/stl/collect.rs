//! Triangles, chunk by chunk, to a mesh.

use super::options::StlReadOptions;
use super::weld::{LOCAL_CORNERS, LocalWeld, StlPoint, Welder};
use crate::model::{Attribute, Domain, Mesh, Normals, Object, Positions, Values};
use crate::text::{NameBytes, decode};
use solio_base::Result;
use std::borrow::Cow;

/// Triangles of one chunk: at most [`LOCAL_CORNERS`] corners are merged at once.
#[derive(Default)]
pub(crate) struct SolidTriangles {
    pub(crate) points: Vec<StlPoint>,
    pub(crate) normals: Vec<StlPoint>,
    /// What stands behind each triangle; empty while all are 0.
    pub(crate) attributes: Vec<u16>,
    /// Where solids start: a triangle of this chunk, and the solid's name as the file has it.
    pub(crate) solids: Vec<(usize, Vec<u8>)>,
    /// Whether the last solid that starts or ends here, ends here.
    pub(crate) closed: Option<bool>,
    /// Merged stretches of corners.
    stretches: Vec<LocalWeld>,
    /// Stretches in use, and the triangle that each starts at.
    starts: Vec<usize>,
}

impl SolidTriangles {
    pub(crate) fn clear(&mut self) {
        self.points.clear();
        self.normals.clear();
        self.attributes.clear();
        self.solids.clear();
        self.starts.clear();
        self.closed = None;
    }

    /// Merges the corners within each stretch that lies in one solid.
    pub(crate) fn merge(&mut self) {
        let count = self.points.len() / 3;
        let mut bounds: Vec<usize> = self.solids.iter().map(|s| s.0).collect();
        bounds.extend((0..count).step_by(LOCAL_CORNERS / 3));
        bounds.push(count);
        bounds.sort_unstable();
        bounds.dedup();
        for pair in bounds.windows(2) {
            let i = self.starts.len();
            if self.stretches.len() == i {
                self.stretches.push(LocalWeld::default());
            }
            self.stretches[i].merge(&self.points[3 * pair[0]..3 * pair[1]]);
            self.starts.push(pair[0]);
        }
    }
}

/// All triangles so far.
pub(crate) struct Collector<'o> {
    options: &'o StlReadOptions,
    welder: Welder,
    corners: Vec<u32>,
    normals: Vec<StlPoint>,
    attributes: Vec<u16>,
    triangles: usize,
    objects: Vec<Object>,
    /// Names of objects whose encoding is not known yet.
    names: NameBytes<usize>,
}

impl<'o> Collector<'o> {
    /// For about `expected` triangles.
    pub(crate) fn new(options: &'o StlReadOptions, expected: usize) -> Self {
        use solio_base::memory::with_capacity;
        let vertices = if options.merge { expected / 2 + 1024 } else { 3 * expected };
        Collector {
            options,
            welder: Welder::new(vertices),
            corners: with_capacity(3 * expected),
            normals: with_capacity(if options.normals { expected } else { 0 }),
            attributes: Vec::new(),
            triangles: 0,
            objects: Vec::new(),
            names: NameBytes::default(),
        }
    }

    /// Gives solids whose names are not UTF-8 these in their encoding; what is to be said of it.
    pub(crate) fn settle_names(&mut self) -> Option<String> {
        let objects = &mut self.objects;
        let set = |object: usize, name: String| {
            objects[object].mesh_name.clone_from(&name);
            objects[object].name = name;
        };
        let (_, told) = std::mem::take(&mut self.names).settle(self.options.encoding, set)?;
        (!told.is_empty()).then_some(told)
    }

    /// Triangles so far.
    pub(crate) fn triangles(&self) -> usize {
        self.triangles
    }

    /// Appends a chunk.
    pub(crate) fn add(&mut self, chunk: &SolidTriangles) -> Result<()> {
        let count = chunk.points.len() / 3;
        let total = (self.triangles + count) as u64;
        self.options.limits.check_elements("corners", 3 * total)?;
        let first = self.welder.points.len();
        let mut solids = chunk.solids.iter().peekable();
        if self.options.merge {
            for (&start, stretch) in chunk.starts.iter().zip(&chunk.stretches) {
                while let Some((_, name)) = solids.next_if(|s| s.0 <= start) {
                    self.start_solid(name, self.welder.points.len(), self.triangles + start);
                }
                self.welder.add(stretch, &mut self.corners);
            }
        } else {
            self.welder.points.extend_from_slice(&chunk.points);
            self.corners.extend(first as u32..(first + chunk.points.len()) as u32);
        }
        for (at, name) in solids {
            let merged = self.options.merge;
            let vertices = if merged { self.welder.points.len() } else { first + 3 * at };
            self.start_solid(name, vertices, self.triangles + at);
        }
        if self.options.normals {
            self.normals.extend_from_slice(&chunk.normals);
        }
        if !chunk.attributes.is_empty() {
            self.attributes.resize(self.triangles, 0);
            self.attributes.extend_from_slice(&chunk.attributes);
        }
        self.triangles += count;
        Ok(())
    }

    fn start_solid(&mut self, name: &[u8], vertices: usize, triangle: usize) {
        self.end_object(vertices, triangle);
        self.names.note(self.objects.len(), name, self.options.encoding);
        let name = decode(name).0;
        self.objects.push(Object { name: name.clone(), mesh_name: name, ..Object::default() });
        self.welder.next_solid();
    }

    /// Notes where the last object ends.
    fn end_object(&mut self, vertices: usize, triangle: usize) {
        if let Some(object) = self.objects.last_mut() {
            object.vertices_end = vertices as u32;
            object.faces_end = triangle as u32;
            object.normals_end = if self.options.normals { triangle as u32 } else { 0 };
        }
    }

    /// The mesh, and the attribute words where any is not 0.
    pub(crate) fn finish(mut self) -> (Mesh<'static>, Vec<u16>) {
        self.end_object(self.welder.points.len(), self.triangles);
        let mut mesh = Mesh::default();
        if self.triangles > 0 {
            let mut offsets = solio_base::memory::with_capacity(self.triangles + 1);
            offsets.extend((0..=self.triangles as u32).map(|i| 3 * i));
            mesh.face_offsets = Cow::Owned(offsets);
        }
        mesh.positions = Positions::F32(Cow::Owned(self.welder.points));
        mesh.corner_vertices = Cow::Owned(self.corners);
        if self.options.normals && self.triangles > 0 {
            mesh.normals = Some(Normals { values: Cow::Owned(self.normals), domain: Domain::Face });
        }
        if self.objects.len() > 1 || self.objects.iter().any(|o| !o.name.is_empty()) {
            mesh.objects = self.objects;
        }
        if !self.attributes.is_empty() {
            self.attributes.resize(self.triangles, 0);
        }
        (mesh, self.attributes)
    }
}

/// The name of the attribute that holds the words behind the triangles.
pub(crate) const WORDS: &str = "attribute_byte_count";

/// A face attribute.
pub(crate) fn face_attribute(name: &str, values: Values<'static>) -> Attribute<'static> {
    Attribute { element: "face".into(), name: name.into(), values, list: None }
}
