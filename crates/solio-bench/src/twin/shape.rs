//! Meshes: grids of points, bent to ground, rocks, trunks; and leaves about a stem.

use super::ground::{self, RADIUS};
use super::plan::UniqueMesh;
use super::random::SeededRandom;
use solio::mesh::model::{Attribute, Values};
use solio::mesh::{Domain, Mesh, Normals, Positions, Scene, Uvs};
use std::borrow::Cow;

type TwinPoint = [f64; 3];

/// Where trunks end.
const TALL: f64 = 22.0;
const BEND: f64 = 4.0;

/// Arrays of a mesh.
#[derive(Default)]
pub(super) struct TwinMesh {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) uvs: Vec<[f32; 2]>,
    /// The vertices of the faces.
    pub(super) corners: Vec<u32>,
    /// Corners of each face: 3 or 4.
    pub(super) sides: usize,
}

/// A large mesh of about so many faces.
pub(super) fn large(kind: UniqueMesh, faces: u64, random: &mut SeededRandom) -> TwinMesh {
    let side = (faces as f64).sqrt().ceil().max(3.0) as usize;
    match kind {
        UniqueMesh::Sea => TwinMesh::grid(side, side, 4, |u, v| {
            let (x, z) = (6.0 * RADIUS * (u - 0.5), 6.0 * RADIUS * (v - 0.5));
            [x, 1.5 * ground::noise(x / 40.0, z / 40.0), z]
        }),
        UniqueMesh::Ground(row, column) => TwinMesh::grid(side, side, 4, |u, v| {
            let width = 2.0 * RADIUS / 3.0;
            let x = (f64::from(column) + u) * width - RADIUS;
            let z = (f64::from(row) + v) * width - RADIUS;
            [x, ground::height(x, z), z]
        }),
        UniqueMesh::Rock(_) => lump(side, side, 4, 12.0, random),
        UniqueMesh::Trunk(_) => {
            let around = (side / 4).max(6);
            let seed = random.between(0.0, 100.0);
            TwinMesh::grid((faces as usize / (2 * around)).max(2), around, 3, |u, v| {
                let [x, z] = ring(v);
                let wide = 0.9 * (1.0 - 0.7 * u) * (1.0 + 0.1 * ground::noise(40.0 * u + seed, x));
                [BEND * u * u + wide * x, TALL * u, wide * z]
            })
        }
        UniqueMesh::Crown(_) => {
            let mut shape = leaves(faces, 9.0, random);
            for point in &mut shape.positions {
                *point = [point[0] + BEND as f32, point[1] + TALL as f32, point[2]];
            }
            shape
        }
        UniqueMesh::Bush(_) => leaves(faces, 3.0, random),
    }
}

/// Something small of about so many triangles.
pub(super) fn small(is_lump: bool, triangles: u64, random: &mut SeededRandom) -> TwinMesh {
    let mut shape = if is_lump {
        let side = (triangles as f64 / 2.0).sqrt().round().max(2.0) as usize;
        lump(side, side, 3, 0.5, random)
    } else {
        leaves(triangles, 1.2, random)
    };
    // As modelling programs write them: a few digits.
    let round = |value: &mut f32, parts| *value = rounded(f64::from(*value), parts);
    shape.positions.as_flattened_mut().iter_mut().for_each(|value| round(value, 1e3));
    shape.normals.as_flattened_mut().iter_mut().for_each(|value| round(value, 1e2));
    shape.uvs.as_flattened_mut().iter_mut().for_each(|value| round(value, 1e3));
    shape
}

/// With so many parts of one; never minus zero.
pub(super) fn rounded(value: f64, parts: f64) -> f32 {
    ((value * parts).round() / parts) as f32 + 0.0
}

/// A point of the unit circle, by the part of the way round: on each quarter the rational
/// parametrisation, which needs no sine.
fn ring(part: f64) -> [f64; 2] {
    let quarters = 4.0 * (part - part.floor());
    let t = quarters - quarters.floor();
    let length = 1.0 + t * t;
    let [x, y] = [(1.0 - t * t) / length, 2.0 * t / length];
    match quarters as u32 {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}

/// A ball that was in the surf for a while.
fn lump(
    rows: usize,
    columns: usize,
    sides: usize,
    size: f64,
    random: &mut SeededRandom,
) -> TwinMesh {
    let seed = random.between(0.0, 1000.0);
    let flat = random.between(0.5, 1.0);
    TwinMesh::grid(rows, columns, sides, |u, v| {
        let [x, z] = ring(v);
        let y = 2.0 * u - 1.0;
        let wide = (1.0 - y * y).max(0.0).sqrt();
        let rough = |at: f64| ground::noise(at * x * wide + seed, at * (y + z * wide) - seed);
        let radius = size * (1.0 + 0.25 * rough(2.0) + 0.06 * rough(9.0));
        [radius * wide * x, radius * flat * y, radius * wide * z]
    })
}

/// Blades that grow from the origin, up and outwards.
fn leaves(triangles: u64, size: f64, random: &mut SeededRandom) -> TwinMesh {
    const ROWS: usize = 5;
    let mut all = TwinMesh { sides: 3, ..TwinMesh::default() };
    for _ in 0..(triangles as usize).div_ceil(2 * ROWS) {
        let [x, z] = random.circle();
        let (length, rise) = (size * random.between(0.5, 1.0), random.between(0.2, 1.0));
        let (wide, droop) = (0.08 * length, random.between(0.2, 0.9));
        let start = 0.1 * size * random.unit();
        let blade = TwinMesh::grid(ROWS, 1, 3, |u, v| {
            let out = start + length * u * (1.0 - 0.3 * rise);
            let across = wide * (2.0 * v - 1.0) * (1.0 - u * u);
            let up = length * (rise * u - droop * u * u) + 0.3 * wide * (2.0 * v - 1.0);
            [out * x - across * z, up, out * z + across * x]
        });
        let base = all.positions.len() as u32;
        all.positions.extend(blade.positions);
        all.normals.extend(blade.normals);
        all.uvs.extend(blade.uvs);
        all.corners.extend(blade.corners.iter().map(|corner| corner + base));
    }
    all
}

impl TwinMesh {
    /// A grid of `rows` × `columns` cells, each a quad or two triangles; `point` takes parameters
    /// from 0 to 1.
    fn grid(
        rows: usize,
        columns: usize,
        sides: usize,
        point: impl Fn(f64, f64) -> TwinPoint,
    ) -> TwinMesh {
        let (step_u, step_v) = (1.0 / rows as f64, 1.0 / columns as f64);
        let mut shape = TwinMesh { sides, ..TwinMesh::default() };
        for i in 0..=rows {
            for j in 0..=columns {
                let (u, v) = (i as f64 * step_u, j as f64 * step_v);
                let near =
                    |du: f64, dv: f64| point((u + du).clamp(0.0, 1.0), (v + dv).clamp(0.0, 1.0));
                let along = difference(near(step_u, 0.0), near(-step_u, 0.0));
                let across = difference(near(0.0, step_v), near(0.0, -step_v));
                shape.positions.push(point(u, v).map(|value| value as f32));
                shape.normals.push(unit(cross(across, along)));
                shape.uvs.push([u as f32, v as f32]);
            }
        }
        for i in 0..rows as u32 {
            for j in 0..columns as u32 {
                let a = i * (columns as u32 + 1) + j;
                let [b, c, d] = [a + 1, a + columns as u32 + 2, a + columns as u32 + 1];
                match sides {
                    4 => shape.corners.extend([a, b, c, d]),
                    _ => shape.corners.extend([a, b, c, a, c, d]),
                }
            }
        }
        shape
    }

    pub(super) fn faces(&self) -> usize {
        self.corners.len() / self.sides
    }

    /// As a mesh to write: quads have the number of their patch, as Ptex wants, others UVs.
    pub(super) fn scene(&self) -> Scene<'_> {
        let faces = self.faces();
        let quads = self.sides == 4;
        let patches = Attribute {
            element: "face".into(),
            name: "face_indices".into(),
            values: Values::I32(Cow::Owned((0..faces as i32).collect())),
            list: None,
        };
        let mesh = Mesh {
            positions: Positions::F32(Cow::Borrowed(&self.positions)),
            normals: Some(Normals { values: Cow::Borrowed(&self.normals), domain: Domain::Vertex }),
            uvs: (!quads).then(|| Uvs { values: Cow::Borrowed(&self.uvs), domain: Domain::Vertex }),
            face_offsets: (0..=faces as u32).map(|i| i * self.sides as u32).collect(),
            corner_vertices: Cow::Borrowed(&self.corners),
            attributes: if quads { vec![patches] } else { Vec::new() },
            ..Mesh::default()
        };
        Scene { meshes: vec![mesh], ..Scene::default() }
    }
}

fn difference(a: TwinPoint, b: TwinPoint) -> TwinPoint {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: TwinPoint, b: TwinPoint) -> TwinPoint {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Of length one; upwards where there is no direction.
fn unit(a: TwinPoint) -> [f32; 3] {
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    if length > 0.0 { a.map(|value| (value / length) as f32) } else { [0.0, 1.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_closes_and_is_round() {
        for i in 0..40 {
            let [x, y] = ring(f64::from(i) / 40.0);
            assert!((x * x + y * y - 1.0).abs() < 1e-12);
        }
        assert_eq!(ring(0.0), [1.0, 0.0]);
        assert_eq!(ring(0.25), [0.0, 1.0]);
    }

    #[test]
    fn meshes_have_about_the_faces_asked_for_and_use_their_vertices() {
        let kinds = [
            UniqueMesh::Sea,
            UniqueMesh::Ground(1, 1),
            UniqueMesh::Rock(1),
            UniqueMesh::Trunk(1),
            UniqueMesh::Bush(1),
        ];
        for kind in kinds {
            let shape = large(kind, 3000, &mut SeededRandom::new(1, [0; 3]));
            assert!((2700..3300).contains(&shape.faces()), "{}", shape.faces());
            let most = shape.corners.iter().max().map(|corner| *corner as usize + 1);
            assert_eq!(most, Some(shape.positions.len()));
        }
    }
}
