//! What of a mesh goes into a file: vertices split where corners differ, faces cut to triangles,
//! lines cut to edges.

use super::options::PlyWriteOptions;
use super::place::Placement;
use crate::merge::{self, Values};
use crate::model::{Domain, Mesh, NONE, Normals, Uvs, offsets_fit};
use crate::triangulate::triangulate;
use solio_base::{Error, Result, Work};
use std::borrow::Cow;
use std::ops::Range;

/// One mesh on its way into a file.
pub(crate) struct Part<'m> {
    pub(crate) mesh: &'m Mesh<'m>,
    /// Vertices of earlier parts.
    pub(crate) vertex_base: u64,
    pub(crate) vertices: usize,
    /// Where vertices were split: the mesh's vertex of each vertex of the file, and a corner that
    /// has its UV and normal ([`NONE`] for a loose one).
    pub(crate) split: Option<Split>,
    /// The part's vertex of each corner that is written.
    pub(crate) corners: Cow<'m, [u32]>,
    pub(crate) face_offsets: Cow<'m, [u32]>,
    /// The mesh's face of each face that is written, where they differ.
    pub(crate) face_of: Option<Vec<u32>>,
    /// Pairs of vertices of this part.
    pub(crate) edges: Vec<[u32; 2]>,
    /// Transforms, and the vertex before which each one ends.
    pub(crate) transforms: Vec<(u32, Placement)>,
    pub(crate) has_uv: bool,
    pub(crate) has_normal: bool,
}

/// See [`Part::split`].
pub(crate) struct Split {
    pub(crate) vertex: Vec<u32>,
    pub(crate) corner: Vec<u32>,
}

impl<'m> Part<'m> {
    pub(crate) fn new(
        mesh: &'m Mesh<'m>,
        options: &PlyWriteOptions,
        vertex_base: u64,
        work: &Work,
    ) -> Result<Part<'m>> {
        check(mesh)?;
        let of_object = |object: Option<&[[f32; 4]; 4]>| {
            let object = object.filter(|_| options.apply_transform);
            let to = (options.forward_axis, options.up_axis);
            Placement::new(object, options.source_axes, to, options.global_scale)
        };
        let mut transforms = Vec::new();
        for object in &mesh.objects {
            transforms.push((object.vertices_end, of_object(object.transform.as_ref())?));
        }
        if transforms.is_empty() {
            transforms.push((u32::MAX, of_object(None)?));
        }
        let has_corners = !mesh.corner_vertices.is_empty();
        let per_vertex = |d: &Domain<'_>| *d == Domain::Vertex;
        let uvs = mesh.uvs.as_ref().filter(|u| {
            options.export_uv && !u.values.is_empty() && (has_corners || per_vertex(&u.domain))
        });
        let normals = mesh
            .normals
            .as_ref()
            .filter(|n| options.export_normals && n.domain != Domain::Face && !n.values.is_empty());
        let mut part = Part {
            mesh,
            vertex_base,
            vertices: mesh.positions.len(),
            split: None,
            corners: Cow::Borrowed(&mesh.corner_vertices),
            face_offsets: Cow::Borrowed(&mesh.face_offsets),
            face_of: None,
            edges: Vec::new(),
            transforms,
            has_uv: uvs.is_some(),
            has_normal: normals.is_some(),
        };
        let uvs = uvs.filter(|u| !per_vertex(&u.domain));
        let normals = normals.filter(|n| !per_vertex(&n.domain));
        let mut last_of_vertex = None;
        if uvs.is_some() || normals.is_some() {
            last_of_vertex = Some(part.split(uvs, normals, work)?);
        }
        part.lines(last_of_vertex.as_deref());
        if options.export_triangulated_mesh {
            part.triangulate(work)?;
        }
        Ok(part)
    }

    /// Faces that are written.
    pub(crate) fn faces(&self) -> usize {
        self.face_offsets.len().saturating_sub(1)
    }

    /// The mesh's vertex of a vertex of this part.
    pub(crate) fn vertex(&self, i: usize) -> usize {
        self.split.as_ref().map_or(i, |s| s.vertex[i] as usize)
    }

    /// Makes one vertex of every different triple of vertex, UV and normal, numbered in the order
    /// of the corners; loose vertices follow. Returns the vertex of the last corner of each of
    /// the mesh's vertices.
    fn split(
        &mut self,
        uvs: Option<&Uvs<'_>>,
        normals: Option<&Normals<'_>>,
        work: &Work,
    ) -> Result<Vec<u32>> {
        let keys = Keys::new(self.mesh, uvs, normals);
        let count = self.mesh.corner_vertices.len();
        let mut corners = solio_base::memory::with_capacity(count);
        let mut split = Split { vertex: Vec::new(), corner: Vec::new() };
        let mut take = |merged: &merge::Merged| {
            merged.numbers(0..count, &mut corners);
            split.corner.reserve(merged.count() as usize);
            for group in 0..merged.groups() {
                let (start, firsts) = merged.firsts(group);
                split.corner.extend(firsts.iter().map(|&first| (start + first as usize) as u32));
            }
        };
        crate::parallel::pool(work)?.install(|| match (uvs.is_some(), normals.is_some()) {
            (true, true) => take(&merge::merge::<6>(&keys)),
            (true, false) => take(&merge::merge::<3>(&keys)),
            _ => take(&merge::merge::<4>(&keys)),
        });
        let of_corner = &self.mesh.corner_vertices;
        split.vertex.extend(split.corner.iter().map(|&c| of_corner[c as usize]));
        let mut last = vec![NONE; self.mesh.positions.len()];
        for (&vertex, &own) in of_corner.iter().zip(&corners) {
            last[vertex as usize] = own;
        }
        for (vertex, own) in last.iter_mut().enumerate().filter(|(_, own)| **own == NONE) {
            *own = split.vertex.len() as u32;
            split.vertex.push(vertex as u32);
            split.corner.push(NONE);
        }
        self.vertices = split.vertex.len();
        self.corners = Cow::Owned(corners);
        self.split = Some(split);
        Ok(last)
    }

    fn lines(&mut self, of_vertex: Option<&[u32]>) {
        let own = |v: u32| of_vertex.map_or(v, |of| of[v as usize]);
        for line in self.mesh.line_offsets.windows(2) {
            let line = &self.mesh.line_vertices[line[0] as usize..line[1] as usize];
            self.edges.extend(line.windows(2).map(|e| [own(e[0]), own(e[1])]));
        }
    }

    fn triangulate(&mut self, work: &Work) -> Result<()> {
        if self.face_offsets.windows(2).all(|f| f[1] - f[0] == 3) {
            return Ok(());
        }
        let triangles = triangulate(self.mesh, work)?;
        let corners = triangles.corners.as_flattened();
        self.corners = Cow::Owned(corners.iter().map(|&c| self.corners[c as usize]).collect());
        self.face_offsets = Cow::Owned((0..=triangles.faces.len() as u32).map(|i| 3 * i).collect());
        self.face_of = Some(triangles.faces);
        Ok(())
    }
}

/// The values that decide whether corners share a vertex.
struct Keys<'m> {
    corner_vertices: &'m [u32],
    /// The face of each corner, where values belong to faces.
    face_of_corner: Option<Vec<u32>>,
    uvs: Option<&'m Uvs<'m>>,
    normals: Option<&'m Normals<'m>>,
}

impl<'m> Keys<'m> {
    fn new(mesh: &'m Mesh<'_>, uvs: Option<&'m Uvs<'_>>, normals: Option<&'m Normals<'_>>) -> Self {
        let of_faces = uvs.is_some_and(|u| u.domain == Domain::Face);
        let face_of_corner = of_faces.then(|| {
            let mut of = Vec::with_capacity(mesh.corner_vertices.len());
            for (f, pair) in mesh.face_offsets.windows(2).enumerate() {
                of.extend((pair[0]..pair[1]).map(|_| f as u32));
            }
            of
        });
        Keys { corner_vertices: &mesh.corner_vertices, face_of_corner, uvs, normals }
    }
}

impl<const N: usize> Values<N> for Keys<'_> {
    fn count(&self) -> usize {
        self.corner_vertices.len()
    }

    fn slice<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f32>) -> &'s [[f32; N]] {
        scratch.clear();
        for corner in range {
            let value: [f32; N] = self.value(corner);
            scratch.extend_from_slice(&value);
        }
        bytemuck::cast_slice(scratch)
    }

    fn value(&self, corner: usize) -> [f32; N] {
        let mut value = [0.0; N];
        // Any number below 2^31 - 2^24 becomes a float of its own that equals itself.
        value[0] = f32::from_bits(self.corner_vertices[corner] + 0x0080_0000);
        let mut at = 1;
        if let Some(uvs) = self.uvs {
            let face = self.face_of_corner.as_ref().map_or(0, |of| of[corner] as usize);
            let i = index_of(&uvs.domain, self.corner_vertices[corner] as usize, corner, face);
            value[at..at + 2].copy_from_slice(&i.map_or([0.0; 2], |i| uvs.values[i]));
            at += 2;
        }
        if let Some(normals) = self.normals {
            let i = index_of(&normals.domain, self.corner_vertices[corner] as usize, corner, 0);
            value[at..].copy_from_slice(&i.map_or([0.0; 3], |i| normals.values[i]));
        }
        value
    }
}

/// Which value a corner has.
pub(crate) fn index_of(
    domain: &Domain<'_>,
    vertex: usize,
    corner: usize,
    face: usize,
) -> Option<usize> {
    match domain {
        Domain::Vertex => Some(vertex),
        Domain::Face => Some(face),
        Domain::Corner => Some(corner),
        Domain::Indexed(index) => (index[corner] != NONE).then_some(index[corner] as usize),
    }
}

/// Refuses meshes whose arrays contradict each other.
fn check(mesh: &Mesh<'_>) -> Result<()> {
    let vertices = mesh.positions.len();
    let corners = mesh.corner_vertices.len();
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let wrong = |what: &str| Err(Error::argument(format!("{what} does not fit the mesh")));
    if !offsets_fit(&mesh.face_offsets, corners) {
        return wrong("face_offsets");
    }
    if !offsets_fit(&mesh.line_offsets, mesh.line_vertices.len()) {
        return wrong("line_offsets");
    }
    let most = |v: &[u32]| v.iter().copied().max().is_none_or(|m| (m as usize) < vertices);
    if !most(&mesh.corner_vertices) {
        return wrong("corner_vertices");
    }
    if !most(&mesh.line_vertices) {
        return wrong("line_vertices");
    }
    let domain_fits = |domain: &Domain<'_>, values: usize| match domain {
        Domain::Vertex => values == vertices,
        Domain::Face => values == faces,
        Domain::Corner => values == corners,
        Domain::Indexed(index) => {
            index.len() == corners && index.iter().all(|&i| i == NONE || (i as usize) < values)
        }
    };
    if mesh.uvs.as_ref().is_some_and(|u| !domain_fits(&u.domain, u.values.len())) {
        return wrong("uvs");
    }
    if mesh.normals.as_ref().is_some_and(|n| !domain_fits(&n.domain, n.values.len())) {
        return wrong("normals");
    }
    if mesh.colors.as_ref().is_some_and(|c| c.values.len() != vertices) {
        return wrong("colors");
    }
    if corners as u64 >= 0x7f00_0000 || vertices as u64 >= 0x7f00_0000 {
        return Err(Error::unsupported("a mesh of more than 2 billion vertices or corners"));
    }
    Ok(())
}
