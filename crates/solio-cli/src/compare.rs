//! Whether a mesh that was read is the mesh that was written, corner by corner.

use solio::mesh::model::NONE;
use solio::mesh::{Domain, Mesh, Scene};
use std::borrow::Cow;

/// How far numbers may lie apart: half a unit of the last digit that was written, plus the
/// rounding of f32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub(crate) position: f64,
    pub(crate) uv: f64,
    pub(crate) normal: f64,
}

/// `Err` says what differs first. Both scenes must hold one mesh each.
pub(crate) fn scenes(a: &Scene<'_>, b: &Scene<'_>, tolerance: Tolerance) -> Result<(), String> {
    let ([a_mesh], [b_mesh]) = (&a.meshes[..], &b.meshes[..]) else {
        return Err(format!("{} and {} meshes", a.meshes.len(), b.meshes.len()));
    };
    equal("vertices", a_mesh.positions.len(), b_mesh.positions.len())?;
    equal("faces", faces(a_mesh), faces(b_mesh))?;
    let names = |mesh: &Mesh<'_>| -> Vec<(String, u32)> {
        mesh.objects.iter().map(|o| (o.name.replace(' ', "_"), o.faces_end)).collect()
    };
    if a_mesh.objects.len() > 1 && names(a_mesh) != names(b_mesh) {
        return Err("the objects differ".into());
    }
    if a_mesh.face_offsets != b_mesh.face_offsets {
        return Err("the sizes of the faces differ".into());
    }
    if let Some(c) = first(&a_mesh.corner_vertices, &b_mesh.corner_vertices) {
        return Err(format!("corner {c} has another vertex"));
    }
    positions(a_mesh, b_mesh, tolerance.position)?;
    corner_values("UV", uvs(a_mesh), uvs(b_mesh), a_mesh, |uv| uv, tolerance.uv)?;
    // The writer makes normals one long before it rounds them.
    corner_values("normal", normals(a_mesh), normals(b_mesh), a_mesh, unit, tolerance.normal)?;
    materials(a, b)
}

fn faces(mesh: &Mesh<'_>) -> usize {
    mesh.face_offsets.len().saturating_sub(1)
}

fn equal(what: &str, a: usize, b: usize) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{a} {what} became {b}")) }
}

fn first(a: &[u32], b: &[u32]) -> Option<usize> {
    if a == b {
        return None;
    }
    Some(a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len())))
}

/// Equal up to `tolerance` and the rounding of f32.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + 1e-9) + a.abs() * f64::from(f32::EPSILON) || a == b
}

fn positions(a: &Mesh<'_>, b: &Mesh<'_>, tolerance: f64) -> Result<(), String> {
    for v in 0..a.positions.len() {
        let (p, q) = (a.positions.get(v), b.positions.get(v));
        if (0..3).any(|i| !near(p[i], q[i], tolerance)) {
            return Err(format!("vertex {v} {p:?} became {q:?}"));
        }
    }
    Ok(())
}

type MeshLayer<'a, const N: usize> = Option<(&'a [[f32; N]], &'a Domain<'a>)>;

fn uvs<'a>(mesh: &'a Mesh<'_>) -> MeshLayer<'a, 2> {
    mesh.uvs.as_ref().filter(|uvs| !uvs.values.is_empty()).map(|uvs| (&*uvs.values, &uvs.domain))
}

fn normals<'a>(mesh: &'a Mesh<'_>) -> MeshLayer<'a, 3> {
    let some = mesh.normals.as_ref().filter(|normals| !normals.values.is_empty());
    some.map(|normals| (&*normals.values, &normals.domain))
}

/// One long, as far as the digits that are written can tell.
fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    // What was read from few digits is one long already, and is compared as it is.
    if length == 0.0 || (length - 1.0).abs() < 2e-4 {
        v
    } else {
        v.map(|x| (f64::from(x) / length) as f32)
    }
}

/// The values of all corners, whatever element they belong to on each side.
fn corner_values<const N: usize>(
    what: &str,
    a: MeshLayer<'_, N>,
    b: MeshLayer<'_, N>,
    mesh: &Mesh<'_>,
    same_form: impl Fn([f32; N]) -> [f32; N],
    tolerance: f64,
) -> Result<(), String> {
    let (a, b) = match (a, b) {
        (None, None) => return Ok(()),
        (Some(a), Some(b)) => (a, b),
        _ => return Err(format!("the {what} layer appeared or vanished")),
    };
    for face in 0..faces(mesh) {
        for corner in mesh.face_offsets[face] as usize..mesh.face_offsets[face + 1] as usize {
            let of = |(values, domain): (&[[f32; N]], &Domain<'_>)| {
                let index = match domain {
                    Domain::Vertex => mesh.corner_vertices[corner],
                    Domain::Face => face as u32,
                    Domain::Corner => corner as u32,
                    Domain::Indexed(index) => index[corner],
                };
                if index == NONE { None } else { values.get(index as usize).map(|v| same_form(*v)) }
            };
            let same = match (of(a), of(b)) {
                (Some(x), Some(y)) => (0..N).all(|i| near(x[i].into(), y[i].into(), tolerance)),
                (x, y) => x == y,
            };
            if !same {
                return Err(format!(
                    "corner {corner} has another {what}: {:?}, {:?}",
                    of(a),
                    of(b)
                ));
            }
        }
    }
    Ok(())
}

/// The material of each face by name: the reader numbers materials as they appear.
fn materials(a: &Scene<'_>, b: &Scene<'_>) -> Result<(), String> {
    let name = |scene: &Scene<'_>, face: usize| -> Option<Cow<'static, str>> {
        let index = *scene.meshes[0].face_materials.get(face)?;
        let material = scene.materials.get(index as usize)?;
        Some(Cow::Owned(material.name.replace(' ', "_")))
    };
    // Pairs that were compared already need no second look at their names.
    let mut last = None;
    for face in 0..faces(&a.meshes[0]) {
        let index = |scene: &Scene<'_>| scene.meshes[0].face_materials.get(face).copied();
        let pair = (index(a), index(b));
        if last != Some(pair) && name(a, face) != name(b, face) {
            return Err(format!("face {face} has another material"));
        }
        last = Some(pair);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic_mesh;

    const EXACT: Tolerance = Tolerance { position: 0.0, uv: 0.0, normal: 0.0 };

    #[test]
    fn a_moved_vertex_and_another_material_are_seen() {
        let a = synthetic_mesh::scene(4);
        let mut b = a.clone();
        scenes(&a, &b, EXACT).unwrap();
        b.meshes[0].face_materials.to_mut()[7] = 3;
        assert!(scenes(&a, &b, EXACT).unwrap_err().contains("face 7"));
        let mut b = a.clone();
        let solio::mesh::Positions::F32(p) = &mut b.meshes[0].positions else { panic!("f32") };
        p.to_mut()[5][1] += 1e-3;
        assert!(scenes(&a, &b, EXACT).unwrap_err().contains("vertex 5"));
        scenes(&a, &b, Tolerance { position: 1e-2, ..EXACT }).unwrap();
    }
}
