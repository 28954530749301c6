//! The mesh of `solio demo`: a fluted trefoil knot with a string of beads, about as large as
//! Blender's monkey subdivided six times (2,016,578 vertices, 2,015,232 quads).
//!
//! Every part is a closed grid of quads, `rows` × `columns`, that wraps around in both directions:
//! as many faces as vertices. UVs and normals are given for every corner and not merged, as a
//! modelling program holds them; merging them is the exporter's work.

use solio::mesh::{Domain, Material, Mesh, Normals, Object, Positions, Scene, Uvs};
use std::borrow::Cow;
use std::f64::consts::TAU;

type Vec3 = [f64; 3];

const MATERIALS: [(&str, [f32; 3], f32, f32); 6] = [
    ("lapis", [0.05, 0.12, 0.42], 0.25, 0.0),
    ("gold", [0.83, 0.61, 0.18], 0.2, 1.0),
    ("ivory", [0.86, 0.82, 0.72], 0.45, 0.0),
    ("jade", [0.10, 0.45, 0.25], 0.3, 0.0),
    ("coral", [0.85, 0.30, 0.22], 0.5, 0.0),
    ("silver", [0.75, 0.76, 0.78], 0.15, 1.0),
];

const BEADS: usize = 7;

/// The demo's scene. `detail` 256 gives 2,031,616 vertices; half of it a quarter of them.
pub fn scene(detail: usize) -> Scene<'static> {
    let mut builder = PatchJoiner::default();
    builder.patch("Knot", &knot(8 * detail, 3 * detail), true, |row, column| {
        // Stripes that follow the eight flutes: broad lapis and ivory, a thin line of gold.
        let phase = (8.0 * column + 16.0 * row).rem_euclid(1.0);
        if phase < 0.46 {
            0
        } else if phase < 0.54 {
            1
        } else if phase < 0.96 {
            2
        } else {
            1
        }
    });
    for bead in 0..BEADS {
        let smooth = bead % 2 == 0;
        let name = format!("Bead {}", bead + 1);
        builder.patch(&name, &bead_grid(detail, detail, bead), smooth, |row, _| {
            if (row * 12.0).rem_euclid(1.0) < 0.2 { 5 } else { 3 + bead as u32 % 2 }
        });
    }
    builder.finish()
}

/// Points of a closed surface, row after row.
struct PatchGrid {
    rows: usize,
    columns: usize,
    points: Vec<Vec3>,
}

impl PatchGrid {
    /// The point at a row and column that may lie one past the last: the surface is closed.
    fn at(&self, row: usize, column: usize) -> Vec3 {
        self.points[row % self.rows * self.columns + column % self.columns]
    }

    /// The unit normal at a vertex, from its four neighbours.
    fn normal(&self, row: usize, column: usize) -> [f32; 3] {
        let along = sub(self.at(row + 1, column), self.at(row + self.rows - 1, column));
        let around = sub(self.at(row, column + 1), self.at(row, column + self.columns - 1));
        unit(cross(along, around)).map(|x| x as f32)
    }

    /// The unit normal of the quad that starts at a vertex, from its diagonals.
    fn face_normal(&self, row: usize, column: usize) -> [f32; 3] {
        let one = sub(self.at(row + 1, column + 1), self.at(row, column));
        let other = sub(self.at(row, column + 1), self.at(row + 1, column));
        unit(cross(one, other)).map(|x| x as f32)
    }
}

/// A tube with eight twisted flutes along a trefoil knot.
fn knot(rows: usize, columns: usize) -> PatchGrid {
    let mut points = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        let t = row as f64 / rows as f64 * TAU;
        let centre = trefoil(t);
        let tangent = unit(sub(trefoil(t + 1e-4), trefoil(t - 1e-4)));
        // Away from the torus that the knot winds around: a direction that comes back to itself.
        let (sin2, cos2) = (2.0 * t).sin_cos();
        let (sin3, cos3) = (3.0 * t).sin_cos();
        let out = [cos3 * cos2, cos3 * sin2, sin3];
        let side = unit(cross(tangent, out));
        let up = cross(side, tangent);
        let swell = 1.0 + 0.10 * (9.0 * t).cos();
        for column in 0..columns {
            let a = column as f64 / columns as f64 * TAU;
            let flute = (8.0 * a + 16.0 * t).cos();
            let ripple = 0.012 * (64.0 * t).cos() * (24.0 * a).cos();
            let radius = 0.42 * swell * (1.0 + 0.16 * flute.abs().sqrt() * flute.signum() + ripple);
            points.push(mix(centre, side, radius * a.cos(), up, radius * a.sin()));
        }
    }
    PatchGrid { rows, columns, points }
}

fn trefoil(t: f64) -> Vec3 {
    let ring = 2.0 + 0.9 * (3.0 * t).cos();
    [ring * (2.0 * t).cos(), ring * (2.0 * t).sin(), 0.9 * (3.0 * t).sin()]
}

/// A ring with the cross-section of a superellipse, on the circle around the knot.
fn bead_grid(rows: usize, columns: usize, bead: usize) -> PatchGrid {
    let place = bead as f64 / BEADS as f64 * TAU;
    let centre = [4.1 * place.cos(), 4.1 * place.sin(), 0.0];
    let exponent = 0.35 + 0.18 * bead as f64; // from a soft square to a star
    let power = |x: f64| x.abs().powf(exponent).copysign(x);
    let mut points = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        let (sin, cos) = (row as f64 / rows as f64 * TAU).sin_cos();
        for column in 0..columns {
            let (s, c) = (column as f64 / columns as f64 * TAU).sin_cos();
            let ring = 0.42 + 0.2 * power(c);
            // The ring's axis lies along the circle, as on a string.
            let local = [ring * cos, 0.3 * power(s), ring * sin];
            let (ps, pc) = place.sin_cos();
            points.push([
                centre[0] + local[0] * pc - local[1] * ps,
                centre[1] + local[0] * ps + local[1] * pc,
                centre[2] + local[2],
            ]);
        }
    }
    PatchGrid { rows, columns, points }
}

/// Joins grids to one mesh.
#[derive(Default)]
struct PatchJoiner {
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    corner_vertices: Vec<u32>,
    face_materials: Vec<u32>,
    face_smoothing: Vec<u32>,
    objects: Vec<Object>,
}

impl PatchJoiner {
    /// Adds a grid as an object; `material` numbers [`MATERIALS`] by row and column, each 0 to 1.
    fn patch(
        &mut self,
        name: &str,
        grid: &PatchGrid,
        smooth: bool,
        material: impl Fn(f64, f64) -> u32,
    ) {
        let (rows, columns) = (grid.rows, grid.columns);
        let base = self.positions.len() as u32;
        let vertex =
            |row: usize, column: usize| base + (row % rows * columns + column % columns) as u32;
        self.positions.extend(grid.points.iter().map(|p| p.map(|x| x as f32)));
        let smooth_normals: Vec<[f32; 3]> = (0..rows * columns)
            .map(|i| if smooth { grid.normal(i / columns, i % columns) } else { [0.0; 3] })
            .collect();
        for row in 0..rows {
            for column in 0..columns {
                let quad =
                    [(row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1)];
                let flat = if smooth { [0.0; 3] } else { grid.face_normal(row, column) };
                for (r, c) in quad {
                    let v = vertex(r, c);
                    self.corner_vertices.push(v);
                    self.uvs.push([r as f32 / rows as f32, c as f32 / columns as f32]);
                    let normal = if smooth { smooth_normals[(v - base) as usize] } else { flat };
                    self.normals.push(normal);
                }
                let (u, v) = (row as f64 / rows as f64, column as f64 / columns as f64);
                self.face_materials.push(material(u, v));
                self.face_smoothing.push(u32::from(smooth));
            }
        }
        self.objects.push(Object {
            name: name.into(),
            mesh_name: name.into(),
            vertices_end: self.positions.len() as u32,
            uvs_end: self.uvs.len() as u32,
            normals_end: self.normals.len() as u32,
            faces_end: self.face_materials.len() as u32,
            ..Object::default()
        });
    }

    fn finish(self) -> Scene<'static> {
        let faces = self.face_materials.len() as u32;
        let mesh = Mesh {
            positions: Positions::F32(Cow::Owned(self.positions)),
            uvs: Some(Uvs { values: Cow::Owned(self.uvs), domain: Domain::Corner }),
            normals: Some(Normals { values: Cow::Owned(self.normals), domain: Domain::Corner }),
            face_offsets: Cow::Owned((0..=faces).map(|face| 4 * face).collect()),
            corner_vertices: Cow::Owned(self.corner_vertices),
            face_materials: Cow::Owned(self.face_materials),
            face_smoothing: Cow::Owned(self.face_smoothing),
            objects: self.objects,
            ..Mesh::default()
        };
        let materials = MATERIALS.map(|(name, diffuse, roughness, metallic)| Material {
            name: name.into(),
            diffuse: Some(diffuse),
            roughness: Some(roughness),
            metallic: Some(metallic),
            illum: Some(2),
            ..Material::default()
        });
        Scene { meshes: vec![mesh], materials: materials.into(), ..Scene::default() }
    }
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vec3) -> Vec3 {
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    if length > 0.0 { a.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
}

fn mix(centre: Vec3, a: Vec3, by_a: f64, b: Vec3, by_b: f64) -> Vec3 {
    std::array::from_fn(|i| centre[i] + a[i] * by_a + b[i] * by_b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grid_has_as_many_faces_as_vertices_and_the_objects_share_them_out() {
        let scene = scene(16);
        let mesh = &scene.meshes[0];
        let vertices = mesh.positions.len();
        assert_eq!(vertices, (24 + BEADS) * 16 * 16);
        assert_eq!(mesh.face_offsets.len(), vertices + 1);
        assert_eq!(mesh.corner_vertices.len(), 4 * vertices);
        assert_eq!(mesh.objects.len(), 1 + BEADS);
        assert_eq!(mesh.objects[BEADS].vertices_end as usize, vertices);
        assert!(mesh.corner_vertices.iter().all(|v| (*v as usize) < vertices));
        let used: std::collections::BTreeSet<_> = mesh.face_materials.iter().collect();
        assert_eq!(used.len(), MATERIALS.len());
    }

    #[test]
    fn normals_are_unit_and_point_outwards() {
        let grid = knot(96, 48);
        let mut outwards = 0;
        for row in 0..grid.rows {
            let centre = trefoil(row as f64 / grid.rows as f64 * TAU);
            for column in 0..grid.columns {
                let n = grid.normal(row, column);
                let out = sub(grid.at(row, column), centre);
                let dot: f64 = (0..3).map(|i| f64::from(n[i]) * out[i]).sum();
                outwards += usize::from(dot > 0.0);
                let length: f32 = n.iter().map(|x| x * x).sum();
                assert!((length - 1.0).abs() < 1e-5);
            }
        }
        assert!(outwards * 100 > grid.points.len() * 95, "{outwards} of {}", grid.points.len());
    }
}
