//! What of a mesh goes into a file, and how much of it.

use super::options::PlyWriteOptions;
use super::split::{CornerKeys, VertexSplit};
use crate::model::{Domain, Mesh, NONE};
use crate::offsets::offsets_fit;
use crate::placement::Placement;
use crate::triangulate;
use solio_base::{Error, Result, Work};

/// One mesh on its way into a file.
pub(crate) struct PlyPart<'m> {
    pub(crate) mesh: &'m Mesh<'m>,
    /// Vertices of earlier parts.
    pub(crate) vertex_base: u64,
    pub(crate) vertices: usize,
    /// What makes vertices of corners, where they may differ within a vertex.
    pub(crate) keys: Option<CornerKeys<'m>>,
    /// The same, done.
    pub(crate) split: Option<VertexSplit<'m>>,
    /// Whether faces are cut to triangles.
    pub(crate) triangulates: bool,
    /// Faces that are written.
    pub(crate) faces: usize,
    /// Edges that are written.
    pub(crate) edges: usize,
    /// Transforms, and the vertex before which each one ends.
    pub(crate) transforms: Vec<(u32, Placement)>,
    pub(crate) has_uv: bool,
    /// Whether texture coordinates are lists of faces.
    pub(crate) uv_lists: bool,
    pub(crate) has_normal: bool,
}

impl<'m> PlyPart<'m> {
    /// A mesh whose corners are not merged yet; call it on the threads that count triangles.
    pub(crate) fn new(
        mesh: &'m Mesh<'m>,
        options: &PlyWriteOptions,
        work: &Work,
    ) -> Result<PlyPart<'m>> {
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
        let uv_lists = mesh.uv_lists && !options.blender_quirks;
        let uv_lists = uv_lists && uvs.is_some_and(|u| !per_vertex(&u.domain));
        let (has_uv, has_normal) = (uvs.is_some() && !uv_lists, normals.is_some());
        let uvs = uvs.filter(|u| !per_vertex(&u.domain) && !uv_lists);
        let normals = normals.filter(|n| !per_vertex(&n.domain));
        let splits = uvs.is_some() || normals.is_some();
        let mut faces = mesh.face_offsets.len().saturating_sub(1);
        let triangulates = options.export_triangulated_mesh
            && mesh.face_offsets.windows(2).any(|f| f[1] - f[0] != 3);
        if triangulates {
            faces = triangulate::count(mesh, 0..faces, work)? as usize;
        }
        let lines = mesh.line_offsets.windows(2);
        Ok(PlyPart {
            mesh,
            vertex_base: 0,
            vertices: mesh.positions.len(),
            keys: splits.then_some(CornerKeys { mesh, uvs, normals }),
            split: None,
            triangulates,
            faces,
            edges: lines.map(|line| (line[1] - line[0]).saturating_sub(1) as usize).sum(),
            transforms,
            has_uv,
            uv_lists,
            has_normal,
        })
    }

    /// Whether a face that is written has more than `most` corners.
    pub(crate) fn has_longer_faces(&self, most: u32) -> bool {
        !self.triangulates && self.mesh.face_offsets.windows(2).any(|f| f[1] - f[0] > most)
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
