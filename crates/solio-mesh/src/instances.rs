//! Instances: a mesh drawn at several places, and the same written out.

use crate::join::join_apart;
use crate::model::{Domain, Mesh, Normals, Object, Positions, Scene, Uvs, Values};
use crate::splats::place_splats;
use solio_base::{Losses, Result};
use std::borrow::Cow;

/// Three rows of four, applied to column vectors.
pub type Matrix = [[f64; 4]; 3];

/// The matrix that leaves everything where it is.
pub(crate) const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// A mesh of a scene where it is drawn.
///
/// ```
/// use solio_mesh::{Mesh, MeshInstance, Positions, Scene};
/// let mesh = Mesh { positions: Positions::F32(vec![[1.0, 0.0, 0.0]].into()), ..Mesh::default() };
/// let at = |x| MeshInstance {
///     mesh: 0,
///     name: "leaf".into(),
///     matrix: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
/// };
/// let mut scene = Scene { meshes: vec![mesh], instances: vec![at(0.0), at(5.0)], ..Scene::default() };
/// scene.write_out_instances()?;
/// let mesh = &scene.meshes[0];
/// assert_eq!((scene.instances.len(), mesh.objects.len()), (0, 2));
/// assert_eq!(mesh.positions.get(1), [6.0, 0.0, 0.0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeshInstance {
    /// The number of the mesh in [`Scene::meshes`].
    pub mesh: u32,
    /// The name of the object.
    pub name: String,
    /// Mesh to world.
    pub matrix: Matrix,
}

/// Floats keep so small a part of the size of a mesh, or it needs doubles.
const FINEST: f64 = 1.0 / 1024.0;

/// The matrix that applies `inner` first.
pub(crate) fn product(outer: &Matrix, inner: &Matrix) -> Matrix {
    [0, 1, 2].map(|r| {
        let [a, b, c, d] = outer[r];
        let at = |i: usize| a * inner[0][i] + b * inner[1][i] + c * inner[2][i];
        [at(0), at(1), at(2), at(3) + d]
    })
}

/// The transposed inverse of the upper three columns, but for a positive factor: for normals.
fn normal_matrix(m: &Matrix) -> ([[f64; 3]; 3], f64) {
    let cofactor = |i: usize, j: usize| {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]
    };
    let made = [0, 1, 2].map(|i| [0, 1, 2].map(|j| cofactor(i, j)));
    let determinant = (0..3).map(|j| m[0][j] * made[0][j]).sum::<f64>();
    let sign = if determinant < 0.0 { -1.0 } else { 1.0 };
    (made.map(|row| row.map(|x| sign * x)), determinant)
}

fn directed(v: [f32; 3], m: &[[f64; 3]; 3]) -> [f32; 3] {
    let [x, y, z] = v.map(f64::from);
    let made = m.map(|r| r[0] * x + r[1] * y + r[2] * z);
    let length = made.iter().map(|x| x * x).sum::<f64>().sqrt();
    match length > 0.0 && length.is_finite() {
        true => made.map(|x| (x / length) as f32),
        false => v,
    }
}

impl Scene<'_> {
    /// Replaces the meshes by one that has an object for each instance, at its place, and by another one of
    /// the splats, if there are some; meshes without an instance go. Without instances nothing changes.
    /// Memory: that of the mesh that comes out. Returns what the one mesh says otherwise than the many: where
    /// only some have colours, or an attribute.
    ///
    /// # Errors
    /// `Limit` where it has more elements than can be numbered.
    pub fn write_out_instances(&mut self) -> Result<Losses> {
        let instances = std::mem::take(&mut self.instances);
        let mut losses = Losses::default();
        if instances.is_empty() {
            return Ok(losses);
        }
        let mut uses = vec![0usize; self.meshes.len()];
        for instance in &instances {
            if let Some(uses) = uses.get_mut(instance.mesh as usize) {
                *uses += 1;
            }
        }
        let mut made = Vec::with_capacity(instances.len());
        for instance in instances {
            let number = instance.mesh as usize;
            let Some(left) = uses.get_mut(number) else { continue };
            *left -= 1;
            let mut mesh = match left {
                0 => std::mem::take(&mut self.meshes[number]),
                _ => self.meshes[number].clone(),
            };
            place(&mut mesh, &instance.matrix);
            rename(&mut mesh, instance.name);
            made.push(mesh);
        }
        self.meshes = join_apart(made, &mut losses)?;
        Ok(losses)
    }
}

/// Gives the object of a mesh its name.
pub(crate) fn rename(mesh: &mut Mesh<'_>, name: String) {
    match &mut mesh.objects[..] {
        [object] => object.name = name,
        [] => mesh.objects = vec![whole(mesh, name, String::new())],
        _ => {}
    }
}

/// An object that is all of a mesh.
pub(crate) fn whole(mesh: &Mesh<'_>, name: String, mesh_name: String) -> Object {
    Object {
        name,
        mesh_name,
        vertices_end: mesh.positions.len() as u32,
        uvs_end: mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len() as u32),
        normals_end: mesh.normals.as_ref().map_or(0, |normals| normals.values.len() as u32),
        faces_end: mesh.face_offsets.len().saturating_sub(1) as u32,
        lines_end: mesh.line_offsets.len().saturating_sub(1) as u32,
        points_end: mesh.points.len() as u32,
        transform: None,
        material_slots: None,
    }
}

/// Moves a mesh to its place. A mirrored one has its faces turned round.
pub(crate) fn place(mesh: &mut Mesh<'_>, matrix: &Matrix) {
    if *matrix == IDENTITY {
        return;
    }
    move_positions(&mut mesh.positions, matrix);
    place_splats(mesh, matrix);
    let (normal, determinant) = normal_matrix(matrix);
    if let Some(Normals { values, .. }) = &mut mesh.normals {
        values.to_mut().iter_mut().for_each(|n| *n = directed(*n, &normal));
    }
    let direction = matrix.map(|r| [r[0], r[1], r[2]]);
    for attribute in mesh.attributes.iter_mut().filter(|a| a.name == TANGENT) {
        if let Values::F32(values) = &mut attribute.values {
            for tangent in values.to_mut().chunks_exact_mut(4) {
                let moved = directed([tangent[0], tangent[1], tangent[2]], &direction);
                tangent[..3].copy_from_slice(&moved);
                if determinant < 0.0 {
                    tangent[3] = -tangent[3];
                }
            }
        }
    }
    if determinant < 0.0 {
        turn_faces(mesh);
    }
}

/// What an attribute of tangents is called.
pub(crate) const TANGENT: &str = "TANGENT";

fn move_positions(positions: &mut Positions<'_>, m: &Matrix) {
    let moved = |[x, y, z]: [f64; 3]| m.map(|r| r[0] * x + r[1] * y + r[2] * z + r[3]);
    match positions {
        Positions::F64(values) => values.to_mut().iter_mut().for_each(|p| *p = moved(*p)),
        Positions::F32(values) => {
            if is_far(values, m) {
                let wide: Vec<_> = values.iter().map(|p| moved(p.map(f64::from))).collect();
                *positions = Positions::F64(wide.into());
                return;
            }
            let moved = |p: [f32; 3]| moved(p.map(f64::from)).map(|x| x as f32);
            match values {
                Cow::Owned(values) => values.iter_mut().for_each(|p| *p = moved(*p)),
                Cow::Borrowed(lent) => {
                    *values = lent.iter().map(|p| moved(*p)).collect::<Vec<_>>().into();
                }
            }
        }
    }
}

/// Whether the mesh is so far away, for its size, that floats would blur it.
fn is_far(values: &[[f32; 3]], m: &Matrix) -> bool {
    let translation = [m[0][3], m[1][3], m[2][3]].map(f64::abs).into_iter().fold(0.0, f64::max);
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in values {
        for i in 0..3 {
            least[i] = least[i].min(p[i]);
            most[i] = most[i].max(p[i]);
        }
    }
    let scale = m.iter().flat_map(|r| &r[..3]).fold(0.0, |most: f64, x| most.max(x.abs()));
    let size = (0..3).map(|i| f64::from(most[i]) - f64::from(least[i])).fold(0.0, f64::max);
    let size = size * scale;
    // A single vertex has no size.
    size > 0.0 && size.is_finite() && translation * f64::from(f32::EPSILON) > size * FINEST
}

/// Turns all faces round, whose first corners stay.
fn turn_faces(mesh: &mut Mesh<'_>) {
    let offsets = std::mem::take(&mut mesh.face_offsets);
    let turn = |corners: &mut [u32]| {
        for face in offsets.windows(2) {
            if let Some(face) = corners.get_mut(face[0] as usize + 1..face[1] as usize) {
                face.reverse();
            }
        }
    };
    turn(mesh.corner_vertices.to_mut());
    let domains = [
        mesh.uvs.as_mut().map(|Uvs { domain, .. }| domain),
        mesh.normals.as_mut().map(|Normals { domain, .. }| domain),
    ];
    for domain in domains.into_iter().flatten() {
        match domain {
            Domain::Indexed(index) => turn(index.to_mut()),
            Domain::Corner => {
                let mut index: Vec<u32> = (0..mesh.corner_vertices.len() as u32).collect();
                turn(&mut index);
                *domain = Domain::Indexed(index.into());
            }
            Domain::Vertex | Domain::Face => {}
        }
    }
    mesh.face_offsets = offsets;
}
