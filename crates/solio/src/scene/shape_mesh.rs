//! Meshes of shapes, for programs that keep an object once: of one, or of several as one mesh.

use crate::scene::named_meshes::{faces_of, turn, turn_corners};
use solio_base::{Error, Result};
use solio_mesh::Mesh;
use solio_mesh::model::{Domain, Normals, Positions, Uvs};
use solio_scene::geometry::triangles;
use solio_scene::scene::{NONE, Scene, Shape};
use std::borrow::Cow;

/// Faces of less than this part of the largest have no side: what they have is rounding.
const FLAT: f32 = 1e-5;
/// The corners of a patch without texture coordinates.
const PATCH: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];

/// The mesh of a shape in the text, in its own space: quads stay quads, quadrics and curves are cut into
/// triangles and have the normals and coordinates of the surface.
///
/// # Errors
/// `Unsupported` for a class that has no triangles; `Corrupt` for indices beyond its vertices.
pub(super) fn text_mesh(scene: &Scene, shape: &Shape) -> Result<Mesh<'static>> {
    let entity = &shape.entity;
    let class = scene.class(entity);
    let found = triangles(scene, entity)?.ok_or_else(|| {
        let class = String::from_utf8_lossy(class);
        Error::unsupported(format!("a {class} cannot be made a mesh"))
    })?;
    let (offsets, corners) = faces_of(scene, entity, &found);
    let vertices = found.positions.len();
    let mut uvs = found.uvs.into_owned();
    if uvs.is_empty() && class == b"bilinearmesh" && vertices == PATCH.len() {
        uvs = PATCH.to_vec();
    }
    let has_uvs = uvs.len() == vertices && vertices > 0 && class != b"curve";
    let uvs = has_uvs.then_some(uvs);
    let positions = found.positions.into_owned();
    let mut normals =
        Some(found.normals.into_owned()).filter(|n| n.len() == vertices && vertices > 0);
    if let Some(normals) = &mut normals
        && !matches!(class, b"trianglemesh" | b"bilinearmesh")
    {
        // Those of other classes were made here, for either side: they look where the faces around do.
        let mut around = vec![[0.0; 3]; vertices];
        for pair in offsets.windows(2) {
            let face = &corners[pair[0] as usize..pair[1] as usize];
            let Some(out) = outward(face, &positions) else { continue };
            for vertex in face {
                let sum = &mut around[*vertex as usize];
                *sum = [0, 1, 2].map(|i| sum[i] + out[i]);
            }
        }
        // Around a pole there may be nothing but faces without an area, which look anywhere.
        let largest = around.iter().map(|out| dot(*out, *out)).fold(0.0, f32::max);
        let counts = |out: [f32; 3]| dot(out, out) > FLAT * FLAT * largest;
        for (normal, out) in normals.iter_mut().zip(around) {
            if counts(out) && dot(*normal, out) < 0.0 {
                *normal = normal.map(|x| -x);
            }
        }
    }
    let mut mesh = Mesh {
        positions: Positions::F32(positions.into()),
        normals: normals.map(|values| Normals { values: values.into(), domain: Domain::Vertex }),
        uvs: uvs.map(|values| Uvs { values: values.into(), domain: Domain::Vertex }),
        face_offsets: offsets.into(),
        corner_vertices: corners.into(),
        ..Mesh::default()
    };
    if shape.reverse_orientation {
        turn(&mut mesh);
    }
    Ok(mesh)
}

/// The meshes of several shapes as one, each where its matrix puts it.
#[derive(Default)]
pub(super) struct JoinedShapes {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    has_normals: bool,
    has_uvs: bool,
    offsets: Vec<u32>,
    corners: Vec<u32>,
    materials: Vec<u32>,
    smoothing: Vec<u32>,
}

impl JoinedShapes {
    /// Adds the mesh of a shape under a matrix, three rows of four. Faces are turned to the side that
    /// their normals point to, as pbrt takes them.
    ///
    /// # Errors
    /// `Limit` for more vertices or corners than 32 bits count.
    pub(super) fn add(
        &mut self,
        mut mesh: Mesh<'static>,
        matrix: &[f32; 12],
        material: u32,
    ) -> Result<()> {
        let first = self.positions.len();
        let positions = match std::mem::take(&mut mesh.positions) {
            Positions::F32(values) => values.into_owned(),
            Positions::F64(values) => values.iter().map(|p| p.map(|x| x as f32)).collect(),
        };
        let (vertices, corners) = (positions.len(), mesh.corner_vertices.len());
        let most = u32::MAX as usize;
        if first + vertices > most || self.corners.len() + corners > most {
            return Err(Error::limit("the shapes have more than 4 billion vertices together"));
        }
        // pbrt looks at values of vertices alone.
        let of_vertices = |count: usize, domain: &Domain<'_>| {
            count == vertices && vertices > 0 && *domain == Domain::Vertex
        };
        let normals = mesh.normals.take().filter(|n| of_vertices(n.values.len(), &n.domain));
        let uvs = mesh.uvs.take().filter(|uvs| of_vertices(uvs.values.len(), &uvs.domain));
        let place = Placing::new(matrix);
        let is_smooth = normals.is_some();
        let normals = match normals {
            Some(normals) => normals.values.iter().map(|n| place.normal(*n)).collect(),
            None => vec![[0.0; 3]; vertices],
        };
        let positions: Vec<[f32; 3]> = positions.into_iter().map(|p| place.point(p)).collect();
        let mut corners = mesh.corner_vertices.into_owned();
        if corners.iter().any(|vertex| *vertex as usize >= vertices) {
            return Err(Error::corrupt("a corner of a mesh has a vertex that is not there"));
        }
        let offsets = &*mesh.face_offsets;
        if place.is_mirroring {
            turn_corners(offsets, &mut corners);
        }
        if is_smooth {
            for pair in offsets.windows(2) {
                let Some(face) = corners.get_mut(pair[0] as usize..pair[1] as usize) else {
                    continue;
                };
                if looks_away(face, &positions, &normals) {
                    face[1..].reverse();
                }
            }
        }
        let start = self.corners.len() as u32;
        let ends = offsets.iter().skip(1).map(|end| start + end);
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.offsets.extend(ends);
        self.corners.extend(corners.iter().map(|vertex| first as u32 + vertex));
        let faces = self.offsets.len() - 1;
        self.materials.resize(faces, material);
        self.smoothing.resize(faces, u32::from(is_smooth));
        self.has_normals |= is_smooth;
        self.has_uvs |= uvs.is_some();
        self.positions.extend(positions);
        self.normals.extend(normals);
        match uvs {
            Some(uvs) => self.uvs.extend_from_slice(&uvs.values),
            None => self.uvs.resize(first + vertices, [0.0; 2]),
        }
        Ok(())
    }

    /// One mesh. Where some shapes have normals or coordinates, those of the others are 0; smooth faces
    /// are in smoothing group 1, flat ones in none.
    pub(super) fn mesh(self) -> Mesh<'static> {
        let (normals, uvs) = (self.normals.into(), self.uvs.into());
        Mesh {
            positions: Positions::F32(self.positions.into()),
            normals: self
                .has_normals
                .then_some(Normals { values: normals, domain: Domain::Vertex }),
            uvs: self.has_uvs.then_some(Uvs { values: uvs, domain: Domain::Vertex }),
            face_offsets: self.offsets.into(),
            corner_vertices: self.corners.into(),
            face_materials: match self.materials.iter().all(|material| *material == NONE) {
                true => Cow::default(),
                false => self.materials.into(),
            },
            face_smoothing: self.smoothing.into(),
            ..Mesh::default()
        }
    }
}

/// Whether a face looks to another side than the normals of its vertices.
fn looks_away(face: &[u32], positions: &[[f32; 3]], normals: &[[f32; 3]]) -> bool {
    let Some(out) = outward(face, positions) else { return false };
    face.iter().map(|vertex| dot(normals[*vertex as usize], out)).sum::<f32>() < 0.0
}

/// Where a face looks to, of any length.
fn outward(face: &[u32], positions: &[[f32; 3]]) -> Option<[f32; 3]> {
    let &[a, b, c, ..] = face else { return None };
    let at = |i: u32| positions[i as usize];
    // Diagonals of a quad: three of its corners may lie on a line.
    let (from, to) = match face {
        [_, _, _, d] => (minus(at(c), at(a)), minus(at(*d), at(b))),
        _ => (minus(at(b), at(a)), minus(at(c), at(a))),
    };
    Some([
        from[1] * to[2] - from[2] * to[1],
        from[2] * to[0] - from[0] * to[2],
        from[0] * to[1] - from[1] * to[0],
    ])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// How points and normals are moved.
struct Placing {
    rows: [[f64; 4]; 3],
    /// Cofactors: the inverse, transposed, times the determinant.
    cofactors: [[f64; 3]; 3],
    is_mirroring: bool,
    is_identity: bool,
}

impl Placing {
    fn new(matrix: &[f32; 12]) -> Placing {
        let m = matrix.map(f64::from);
        let rows: [[f64; 4]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| m[4 * i + j]));
        let minor = |i: usize, j: usize| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            let (c, d) = ((j + 1) % 3, (j + 2) % 3);
            rows[a][c] * rows[b][d] - rows[a][d] * rows[b][c]
        };
        let cofactors: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| minor(i, j)));
        let determinant: f64 = (0..3).map(|j| rows[0][j] * cofactors[0][j]).sum();
        let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
        Placing {
            rows,
            cofactors,
            is_mirroring: determinant < 0.0,
            is_identity: *matrix == identity,
        }
    }

    fn point(&self, p: [f32; 3]) -> [f32; 3] {
        if self.is_identity {
            return p;
        }
        let [x, y, z] = p.map(f64::from);
        self.rows.map(|[a, b, c, d]| (a * x + b * y + c * z + d) as f32)
    }

    /// Of length 1, or 0 where it had no direction.
    fn normal(&self, n: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = n.map(f64::from);
        let turned = match self.is_identity {
            true => [x, y, z],
            false => self.cofactors.map(|[a, b, c]| a * x + b * y + c * z),
        };
        let length = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sign = if self.is_mirroring { -1.0 } else { 1.0 };
        match length > 0.0 && length.is_finite() {
            true => turned.map(|x| (sign * x / length) as f32),
            false => [0.0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(normal: Option<[f32; 3]>) -> Mesh<'static> {
        let normals = normal.map(|n| Normals { values: vec![n; 3].into(), domain: Domain::Vertex });
        Mesh {
            positions: Positions::F32(vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]].into()),
            face_offsets: vec![0, 3].into(),
            corner_vertices: vec![0, 1, 2].into(),
            normals,
            ..Mesh::default()
        }
    }

    #[test]
    fn shapes_become_one_mesh_where_they_are() {
        let mut all = JoinedShapes::default();
        let away = [2., 0., 0., 5., 0., 1., 0., 0., 0., 0., 1., 0.];
        let mirrored = [-1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
        all.add(triangle(None), &away, 3).unwrap();
        all.add(triangle(None), &mirrored, NONE).unwrap();
        // Its normals say that it shows the other side.
        all.add(triangle(Some([0., 0., -2.])), &away, 4).unwrap();
        let mesh = all.mesh();
        assert_eq!(mesh.positions.get(1), [7., 0., 0.]);
        assert_eq!(*mesh.corner_vertices, [0, 1, 2, 3, 5, 4, 6, 8, 7]);
        assert_eq!(*mesh.face_offsets, [0, 3, 6, 9]);
        assert_eq!(*mesh.face_materials, [3, NONE, 4]);
        assert_eq!(*mesh.face_smoothing, [0, 0, 1]);
        let normals = mesh.normals.unwrap().values;
        assert_eq!((normals[0], normals[6]), ([0.; 3], [0., 0., -1.]));
        assert!(mesh.uvs.is_none());
    }

    #[test]
    fn normals_stay_upright_under_uneven_scales() {
        let matrix = [1., 0., 0., 0., 0., 4., 0., 0., 0., 0., 1., 0.];
        let place = Placing::new(&matrix);
        let slope = place.normal([1., 1., 0.]);
        // At right angles to (1, -1, 0), which became (1, -4, 0).
        assert!((slope[0] - 4.0 * slope[1]).abs() < 1e-6);
        let flat = Placing::new(&[0.; 12]);
        assert_eq!(flat.normal([1., 0., 0.]), [0.; 3]);
    }

    #[test]
    fn corners_beyond_the_vertices_are_refused() {
        let wrong = Mesh { corner_vertices: vec![0, 1, 7].into(), ..triangle(None) };
        let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
        let error = JoinedShapes::default().add(wrong, &identity, NONE).unwrap_err();
        assert!(error.message().contains("vertex"), "{error}");
    }
}
