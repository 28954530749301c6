//! A mesh of triangles as a binary PLY, as Mitsuba reads it.

use crate::pack::PackedMesh;
use solio_base::{Result, Sink, Work};

/// Rows that are put down at once.
const CHUNK_ROWS: usize = 32 << 10;

/// Whether a mesh has normals that can be written: each has a direction.
pub(super) fn has_normals(mesh: &PackedMesh<'_>) -> bool {
    let fine = |normal: &[f32; 3]| {
        normal.iter().all(|x| x.is_finite()) && normal.iter().any(|x| *x != 0.0)
    };
    !mesh.normals.is_empty() && mesh.normals.iter().all(fine)
}

/// Mitsuba counts v from the top, so it is turned over.
pub(super) fn write(mesh: &PackedMesh<'_>, sink: &mut dyn Sink, work: &Work) -> Result<()> {
    let vertices = mesh.positions.len();
    let finite = |values: &[f32]| !values.is_empty() && values.iter().all(|x| x.is_finite());
    let has_normals = has_normals(mesh);
    let has_uvs = finite(mesh.uvs.as_flattened());
    let corners = mesh.corners.as_chunks::<3>().0;
    let mut head = format!("ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n");
    let mut properties = |names: &[&str]| {
        names.iter().for_each(|name| head.push_str(&format!("property float {name}\n")));
    };
    properties(&["x", "y", "z"]);
    if has_normals {
        properties(&["nx", "ny", "nz"]);
    }
    if has_uvs {
        properties(&["u", "v"]);
    }
    head.push_str(&format!(
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        corners.len()
    ));
    sink.write_bytes(work, head.as_bytes())?;
    sink.write_chunks(work, vertices.div_ceil(CHUNK_ROWS), &|chunk, out| {
        let start = chunk * CHUNK_ROWS;
        for i in start..vertices.min(start + CHUNK_ROWS) {
            let mut put = |values: &[f32]| {
                values.iter().for_each(|value| out.extend(value.to_le_bytes()));
            };
            put(&mesh.positions[i]);
            if has_normals {
                let normal = glam::DVec3::from_array(mesh.normals[i].map(f64::from));
                put(&normal.normalize_or_zero().as_vec3().to_array());
            }
            if has_uvs {
                let [u, v] = mesh.uvs[i];
                put(&[u, 1.0 - v]);
            }
        }
        Ok(())
    })?;
    sink.write_chunks(work, corners.len().div_ceil(CHUNK_ROWS), &|chunk, out| {
        let start = chunk * CHUNK_ROWS;
        for face in &corners[start..corners.len().min(start + CHUNK_ROWS)] {
            out.push(3);
            face.iter().for_each(|corner| out.extend(corner.to_le_bytes()));
        }
        Ok(())
    })
}
