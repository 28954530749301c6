//! Faces to triangles.
//!
//! * A triangle stays as it is; faces of fewer corners give nothing.
//! * A quad is cut along its shorter diagonal, unless that one lies outside a concave quad.
//! * A convex n-gon becomes a fan, which keeps corners that lie on a straight edge.
//! * Any other n-gon is cut by ear clipping in the plane of its (Newell) normal.

use crate::model::{Colors, Domain, Mesh, Normals, Positions, Uvs, VertexGroup};
use crate::parallel;
use earcut::{Earcut, utils3d::project3d_to_2d};
use solio_base::{Error, Result, Work, memory};
use solio_codec::records;
use std::borrow::Cow;

/// The triangles of a mesh, in the order of its faces.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, triangulate::triangulate};
/// let positions = vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
/// let mesh = Mesh {
///     positions: Positions::F32(positions.into()),
///     face_offsets: vec![0, 3, 7].into(),
///     corner_vertices: vec![0, 1, 2, 0, 1, 2, 3].into(),
///     face_materials: vec![5, 6].into(),
///     ..Mesh::default()
/// };
/// let triangles = triangulate(&mesh, &Work::serial())?;
/// // What a face has, its triangles get.
/// let materials = triangles.faces.iter().map(|&face| mesh.face_materials[face as usize]);
/// assert_eq!(materials.collect::<Vec<u32>>(), [5, 6, 6]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    /// Three corner numbers each: indices into [`Mesh::corner_vertices`] and every other array
    /// that has one value per corner.
    pub corners: Vec<[u32; 3]>,
    /// The face that each triangle comes from.
    pub faces: Vec<u32>,
}

/// Faces that one job takes.
const CHUNK: usize = 32 << 10;

/// Cuts all faces of `mesh` into triangles.
///
/// # Errors
/// `Argument` when the face offsets or corner vertices lie outside their arrays.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Positions, triangulate::triangulate};
/// // An arrow head: one diagonal of it lies outside.
/// let arrow = [[0., 0., 0.], [2., 1., 0.], [0., 2., 0.], [1.5, 1., 0.]];
/// let mesh = Mesh {
///     positions: Positions::F32((&arrow[..]).into()),
///     face_offsets: vec![0, 4].into(),
///     corner_vertices: vec![0, 1, 2, 3].into(),
///     ..Mesh::default()
/// };
/// assert_eq!(triangulate(&mesh, &Work::serial())?.corners, [[0, 1, 3], [1, 2, 3]]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn triangulate(mesh: &Mesh<'_>, work: &Work) -> Result<Triangles> {
    if mesh.face_offsets.len() <= CHUNK {
        return cut_all(mesh, work);
    }
    parallel::pool(work)?.install(|| cut_all(mesh, work))
}

/// Cuts all faces of `mesh` into triangles of numbers of vertices, for who asks for nothing else: in
/// the order of [`triangulate`], and the same ones. The corners of a mesh of triangles are taken out
/// of it where they can stay where they are.
///
/// # Errors
/// As [`triangulate`].
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{obj::decode_obj, triangulate::triangles_of_vertices};
/// let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 4 3 2 1\n";
/// let mut scene = decode_obj(&&text[..], &Default::default(), &Work::serial())?;
/// let triangles = triangles_of_vertices(&mut scene.meshes[0], &Work::serial())?;
/// assert_eq!(triangles, [[3, 2, 1], [3, 1, 0]]); // what a ray tracer takes
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn triangles_of_vertices(mesh: &mut Mesh<'_>, work: &Work) -> Result<Vec<[u32; 3]>> {
    let is_valid = (records::largest(&mesh.corner_vertices) as usize) < mesh.positions.len();
    match even_corners(mesh).filter(|_| is_valid) {
        Some(3) => Ok(take_corners(mesh)),
        Some(4) => match &mesh.positions {
            Positions::F32(p) => cut_quads(mesh, work, |v| p[v as usize].map(f64::from)),
            Positions::F64(p) => cut_quads(mesh, work, |v| p[v as usize]),
        },
        _ => {
            let mut triangles = triangulate(mesh, work)?.corners;
            for corner in triangles.as_flattened_mut() {
                *corner = mesh.corner_vertices[*corner as usize];
            }
            Ok(triangles)
        }
    }
}

/// How many corners each face has, if all have as many and there are no others.
fn even_corners(mesh: &Mesh<'_>) -> Option<u32> {
    let [0, first, ..] = *mesh.face_offsets else { return None };
    let are_even =
        (0u32..).zip(&*mesh.face_offsets).all(|(i, at)| i.checked_mul(first) == Some(*at));
    let end = *mesh.face_offsets.last()? as usize;
    (are_even && end == mesh.corner_vertices.len()).then_some(first)
}

/// The corners of a mesh of triangles: those themselves, or, where their memory has room for a
/// part of a triangle, a copy.
fn take_corners(mesh: &mut Mesh<'_>) -> Vec<[u32; 3]> {
    match std::mem::take(&mut mesh.corner_vertices) {
        Cow::Owned(corners) => {
            bytemuck::allocation::try_cast_vec(corners).unwrap_or_else(|(_, corners)| {
                let triangles = corners.as_chunks().0.to_vec();
                mesh.corner_vertices = Cow::Owned(corners);
                triangles
            })
        }
        Cow::Borrowed(corners) => corners.as_chunks().0.to_vec(),
    }
}

/// The triangles of a mesh of quads.
fn cut_quads(
    mesh: &Mesh<'_>,
    work: &Work,
    point: impl Fn(u32) -> [f64; 3],
) -> Result<Vec<[u32; 3]>> {
    let (quads, _) = mesh.corner_vertices.as_chunks::<4>();
    let mut triangles = memory::with_capacity(2 * quads.len());
    for quads in quads.chunks(CHUNK) {
        work.cancel.check()?;
        for corners in quads {
            let cut = quad(corners.map(&point));
            triangles.extend(cut.map(|triangle| triangle.map(|i| corners[i as usize])));
        }
    }
    Ok(triangles)
}

/// The triangles of some faces.
///
/// # Errors
/// As [`triangulate`].
pub(crate) fn cut_some(mesh: &Mesh<'_>, faces: std::ops::Range<usize>) -> Result<Triangles> {
    let mut cutter = Cutter::default();
    let mut out = Triangles::default();
    out.corners.reserve(2 * faces.len());
    out.faces.reserve(2 * faces.len());
    for face in faces {
        cutter.cut(mesh, face, &mut out)?;
    }
    Ok(out)
}

/// How many triangles some faces give; made on the threads of the pool that it is called in.
///
/// # Errors
/// As [`triangulate`].
pub(crate) fn count(mesh: &Mesh<'_>, faces: std::ops::Range<usize>, work: &Work) -> Result<u64> {
    let counts = parallel::collect(faces.len().div_ceil(CHUNK), &|chunk| {
        work.cancel.check()?;
        let start = faces.start + chunk * CHUNK;
        let mut cutter = Cutter::default();
        let mut count = 0;
        let mut cut = Triangles::default();
        for face in start..faces.end.min(start + CHUNK) {
            let corners = mesh.face_offsets[face + 1] - mesh.face_offsets[face];
            if corners <= 4 {
                count += u64::from(corners.saturating_sub(2));
                continue;
            }
            // Clipping ears may leave some out.
            cut.corners.clear();
            cut.faces.clear();
            cutter.cut(mesh, face, &mut cut)?;
            count += cut.faces.len() as u64;
        }
        Ok(count)
    });
    counts.into_iter().sum()
}

/// [`triangulate`] on the threads of the pool that it is called in.
fn cut_all(mesh: &Mesh<'_>, work: &Work) -> Result<Triangles> {
    let faces = mesh.face_offsets.len().saturating_sub(1);
    let of_chunk = |chunk: usize| {
        work.cancel.check()?;
        cut_some(mesh, chunk * CHUNK..faces.min((chunk + 1) * CHUNK))
    };
    let chunks = faces.div_ceil(CHUNK);
    if chunks <= 1 {
        return of_chunk(0);
    }
    let parts = parallel::collect(chunks, &of_chunk);
    let parts = parts.into_iter().collect::<Result<Vec<Triangles>>>()?;
    let count = parts.iter().map(|p| p.faces.len()).sum();
    let mut all =
        Triangles { corners: memory::with_capacity(count), faces: memory::with_capacity(count) };
    for part in parts {
        all.corners.extend_from_slice(&part.corners);
        all.faces.extend_from_slice(&part.faces);
    }
    Ok(all)
}

/// A mesh like `mesh` in which all faces are triangles, without the PLY attributes; made on the
/// threads of the pool that it is called in.
pub(crate) fn triangulated<'a>(mesh: &'a Mesh<'_>, work: &Work) -> Result<Mesh<'a>> {
    let cut = cut_all(mesh, work)?;
    let by_face = |values: &[u32]| -> Cow<'static, [u32]> {
        if values.is_empty() {
            return Cow::Borrowed(&[]);
        }
        cut.faces.iter().map(|&f| values[f as usize]).collect()
    };
    let by_corner = |values: &[u32]| -> Vec<u32> {
        cut.corners.as_flattened().iter().map(|&c| values[c as usize]).collect()
    };
    let mut objects = mesh.objects.clone();
    for object in &mut objects {
        object.faces_end = cut.faces.partition_point(|&f| f < object.faces_end) as u32;
    }
    let uvs = mesh.uvs.as_ref().map(|uvs| {
        let (values, domain) = gather(&uvs.values, &uvs.domain, &cut);
        Uvs { values, domain }
    });
    let normals = mesh.normals.as_ref().map(|normals| {
        let (values, domain) = gather(&normals.values, &normals.domain, &cut);
        Normals { values, domain }
    });
    let colors = mesh.colors.as_ref();
    let vertex_groups = mesh.vertex_groups.iter().map(|group| VertexGroup {
        name: group.name.clone(),
        vertices: Cow::Borrowed(&group.vertices),
        weights: Cow::Borrowed(&group.weights),
    });
    Ok(Mesh {
        positions: match &mesh.positions {
            Positions::F32(p) => Positions::F32(Cow::Borrowed(p)),
            Positions::F64(p) => Positions::F64(Cow::Borrowed(p)),
        },
        weights: mesh.weights.as_deref().map(Cow::Borrowed),
        colors: colors.map(|c| Colors { values: Cow::Borrowed(&c.values), space: c.space }),
        uvs,
        uv_lists: mesh.uv_lists,
        normals,
        face_offsets: (0..=cut.faces.len() as u32).map(|t| 3 * t).collect(),
        corner_vertices: by_corner(&mesh.corner_vertices).into(),
        face_materials: by_face(&mesh.face_materials),
        face_smoothing: by_face(&mesh.face_smoothing),
        face_groups: by_face(&mesh.face_groups),
        groups: mesh.groups.clone(),
        line_offsets: Cow::Borrowed(&mesh.line_offsets),
        line_vertices: Cow::Borrowed(&mesh.line_vertices),
        line_uvs: Cow::Borrowed(&mesh.line_uvs),
        points: Cow::Borrowed(&mesh.points),
        objects,
        vertex_groups: vertex_groups.collect(),
        attributes: Vec::new(),
        freeform: mesh.freeform.clone(),
    })
}

/// The values of the triangles' elements.
fn gather<'a, T: Copy>(
    values: &'a [T],
    domain: &Domain<'_>,
    cut: &Triangles,
) -> (Cow<'a, [T]>, Domain<'a>) {
    let corners = cut.corners.as_flattened().iter().map(|&c| c as usize);
    match domain {
        Domain::Vertex => (values.into(), Domain::Vertex),
        Domain::Face => (cut.faces.iter().map(|&f| values[f as usize]).collect(), Domain::Face),
        Domain::Corner => (corners.map(|c| values[c]).collect(), Domain::Corner),
        Domain::Indexed(index) => {
            (values.into(), Domain::Indexed(corners.map(|c| index[c]).collect()))
        }
    }
}

/// Cuts single faces; keeps its buffers.
#[derive(Default)]
struct Cutter {
    points: Vec<[f64; 3]>,
    flat: Vec<[f64; 2]>,
    ears: Vec<u32>,
    earcut: Earcut<f64>,
}

impl Cutter {
    fn cut(&mut self, mesh: &Mesh<'_>, face: usize, out: &mut Triangles) -> Result<()> {
        let (start, end) = (mesh.face_offsets[face], mesh.face_offsets[face + 1]);
        let Some(corners) = mesh.corner_vertices.get(start as usize..end as usize) else {
            return Err(Error::argument(format!(
                "face {face}: its corners {start}..{end} lie outside the {} corners of the mesh",
                mesh.corner_vertices.len()
            )));
        };
        let vertices = mesh.positions.len();
        if let Some(v) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(Error::argument(format!(
                "face {face} refers to vertex {v}; the mesh has {vertices} vertices"
            )));
        }
        let before = out.corners.len();
        match corners.len() {
            0..3 => {}
            3 => out.corners.push([start, start + 1, start + 2]),
            4 => {
                let at = |i: usize| mesh.positions.get(corners[i] as usize);
                for [a, b, c] in quad([at(0), at(1), at(2), at(3)]) {
                    out.corners.push([start + a, start + b, start + c]);
                }
            }
            n => {
                self.points.clear();
                self.points.extend(corners.iter().map(|&v| mesh.positions.get(v as usize)));
                if is_convex(&self.points) || !self.clip_ears() {
                    let fan = (1..n as u32 - 1).map(|i| [start, start + i, start + i + 1]);
                    out.corners.extend(fan);
                } else {
                    let ears = self.ears.chunks_exact(3);
                    out.corners.extend(ears.map(|t| [start + t[0], start + t[1], start + t[2]]));
                }
            }
        }
        out.faces.resize(out.faces.len() + out.corners.len() - before, face as u32);
        Ok(())
    }

    /// Fills `ears`; `false` when the polygon has no plane or no ears.
    fn clip_ears(&mut self) -> bool {
        if !project3d_to_2d(&self.points, self.points.len(), &mut self.flat) {
            return false;
        }
        self.earcut.earcut(self.flat.iter().copied(), &[], &mut self.ears);
        !self.ears.is_empty()
    }
}

/// The two triangles of a quad.
#[inline]
fn quad(p: [[f64; 3]; 4]) -> [[u32; 3]; 2] {
    const FIRST: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
    const SECOND: [[u32; 3]; 2] = [[0, 1, 3], [1, 2, 3]];
    let folds = |t: [[u32; 3]; 2]| {
        let across = |t: [u32; 3]| {
            let [a, b, c] = [p[t[0] as usize], p[t[1] as usize], p[t[2] as usize]];
            cross(sub(b, a), sub(c, a))
        };
        dot(across(t[0]), across(t[1])) < 0.0
    };
    let (d, e) = (sub(p[2], p[0]), sub(p[3], p[1]));
    let (short, long) = if dot(d, d) <= dot(e, e) { (FIRST, SECOND) } else { (SECOND, FIRST) };
    if folds(short) && !folds(long) { long } else { short }
}

/// Whether the polygon turns the same way at every corner (or goes straight on), and only once
/// around, so that a fan covers it.
fn is_convex(points: &[[f64; 3]]) -> bool {
    let n = points.len();
    let mut normal = [0.0; 3];
    for i in 1..n - 1 {
        let c = cross(sub(points[i], points[0]), sub(points[i + 1], points[0]));
        normal = [normal[0] + c[0], normal[1] + c[1], normal[2] + c[2]];
    }
    let turns = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| dot(cross(sub(b, a), sub(c, b)), normal);
    let corners = (0..n).all(|i| turns(points[i], points[(i + 1) % n], points[(i + 2) % n]) >= 0.0);
    corners && (1..n - 1).all(|i| turns(points[0], points[i], points[i + 1]) >= 0.0)
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[[f32; 3]]) -> Mesh<'static> {
        Mesh {
            positions: Positions::F32(points.to_vec().into()),
            face_offsets: vec![0, points.len() as u32].into(),
            corner_vertices: (0..points.len() as u32).collect::<Vec<_>>().into(),
            ..Mesh::default()
        }
    }

    #[test]
    fn triangles_of_vertices_are_those_of_corners() {
        let positions: Vec<[f32; 3]> = (0..60u32)
            .map(|i| [0, 8, 16].map(|shift| (i.wrapping_mul(0x9e37_79b1) >> shift & 0xff) as f32))
            .collect();
        let of = |counts: &[u32], spare: usize| {
            let mut corner_vertices = Vec::with_capacity(spare);
            let mut face_offsets = vec![0];
            for (i, count) in counts.iter().enumerate() {
                corner_vertices.extend((0..*count).map(|k| (i as u32 * 7 + k * 11) % 60));
                face_offsets.push(corner_vertices.len() as u32);
            }
            Mesh {
                positions: Positions::F32(positions.clone().into()),
                face_offsets: face_offsets.into(),
                corner_vertices: corner_vertices.into(),
                ..Mesh::default()
            }
        };
        let work = Work::default();
        let lists: [&[u32]; 6] = [&[3; 50], &[4; 50], &[5; 9], &[3, 4, 3], &[], &[4, 2, 6]];
        for counts in lists {
            for spare in [0, 301] {
                let mut mesh = of(counts, spare);
                let corners = triangulate(&mesh, &work).unwrap().corners;
                let expected: Vec<[u32; 3]> = corners
                    .iter()
                    .map(|t| t.map(|corner| mesh.corner_vertices[corner as usize]))
                    .collect();
                assert_eq!(triangles_of_vertices(&mut mesh, &work).unwrap(), expected);
            }
        }
        let mut wrong = of(&[3; 50], 0);
        wrong.corner_vertices.to_mut()[7] = 60;
        triangles_of_vertices(&mut wrong, &work).unwrap_err();
        let mut wrong = of(&[4; 50], 0);
        wrong.corner_vertices.to_mut().pop();
        triangles_of_vertices(&mut wrong, &work).unwrap_err();
    }

    /// Sum of the triangles' signed areas along z.
    fn area(mesh: &Mesh<'_>, t: &Triangles) -> (f64, f64) {
        let areas = t.corners.iter().map(|c| {
            let [a, b, c] = c.map(|i| mesh.positions.get(i as usize));
            cross(sub(b, a), sub(c, a))[2] / 2.0
        });
        areas.fold((0.0, f64::INFINITY), |(sum, least), a| (sum + a, least.min(a)))
    }

    #[test]
    fn quads_take_the_short_diagonal_inside() {
        let kite = polygon(&[[0., 0., 0.], [1., -0.2, 0.], [2., 0., 0.], [1., 0.2, 0.]]);
        let t = triangulate(&kite, &Work::serial()).unwrap();
        assert_eq!(t.corners, [[0, 1, 3], [1, 2, 3]]);
        let arrow = polygon(&[[0., 0., 0.], [2., 1., 0.], [0., 2., 0.], [1.5, 1., 0.]]);
        let t = triangulate(&arrow, &Work::serial()).unwrap();
        assert_eq!(t.corners, [[0, 1, 3], [1, 2, 3]]);
        assert!(area(&arrow, &t).1 > 0.0);
    }

    #[test]
    fn a_straight_edge_keeps_its_corner() {
        let p = polygon(&[[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [2., 2., 0.], [0., 2., 0.]]);
        let t = triangulate(&p, &Work::serial()).unwrap();
        assert_eq!(t.corners, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(t.faces, [0, 0, 0]);
    }

    #[test]
    fn concave_polygons_are_covered_without_overlap_both_ways_round() {
        let mut star = Vec::new();
        for i in 0..14 {
            let r = if i % 2 == 0 { 2.0 } else { 0.7 };
            let a = i as f32 * std::f32::consts::TAU / 14.0;
            star.push([r * a.cos(), r * a.sin(), 0.0]);
        }
        for way in [1.0, -1.0] {
            let mesh = polygon(&star);
            let t = triangulate(&mesh, &Work::serial()).unwrap();
            let shoelace: f64 = (0..14)
                .map(|i| {
                    let (a, b) = (mesh.positions.get(i), mesh.positions.get((i + 1) % 14));
                    (a[0] * b[1] - a[1] * b[0]) / 2.0
                })
                .sum();
            let (sum, least) = area(&mesh, &t);
            assert!((sum - shoelace).abs() < 1e-9, "{sum} {shoelace}");
            assert_eq!(t.corners.len(), 12);
            // With the star reversed all areas are negative, and the sum of the shoelace too.
            assert!(way < 0.0 || least > 0.0);
            star.reverse();
        }
    }

    #[test]
    fn bad_faces_are_refused_and_degenerate_ones_survive() {
        let mut mesh =
            polygon(&[[0., 0., 0.], [1., 0., 0.], [f32::NAN, 0., 0.], [2., 0., 0.], [3., 0., 0.]]);
        assert_eq!(triangulate(&mesh, &Work::serial()).unwrap().corners.len(), 3);
        mesh.corner_vertices.to_mut()[3] = 9;
        let e = triangulate(&mesh, &Work::serial()).unwrap_err();
        assert_eq!(e.message(), "face 0 refers to vertex 9; the mesh has 5 vertices");
        mesh.face_offsets = vec![0, 7].into();
        assert!(triangulate(&mesh, &Work::serial()).is_err());
        assert_eq!(triangulate(&Mesh::default(), &Work::serial()).unwrap(), Triangles::default());
    }

    #[test]
    fn threads_do_not_matter() {
        let n = 3 * CHUNK as u32;
        let p: Vec<_> =
            (0..n + 3).map(|i| [(i % 97) as f32, (i % 89) as f32, (i % 3) as f32]).collect();
        let mesh = Mesh {
            positions: Positions::F32(p.into()),
            face_offsets: (0..=n).map(|f| 4 * f).collect::<Vec<_>>().into(),
            corner_vertices: (0..4 * n).map(|c| c / 4 + c % 4).collect::<Vec<_>>().into(),
            ..Mesh::default()
        };
        let one = triangulate(&mesh, &Work::serial()).unwrap();
        assert_eq!(one, triangulate(&mesh, &Work { threads: 3, ..Work::default() }).unwrap());
        assert_eq!(one.faces.len(), 2 * n as usize);
    }
}
