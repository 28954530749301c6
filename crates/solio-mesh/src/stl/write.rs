//! Writing: triangles of all objects, one after the other, in parallel chunks.

use super::binary::TRIANGLE;
use super::collect::WORDS;
use super::options::StlWriteOptions;
use crate::model::{Mesh, Positions, Scene, Values, offsets_fit};
use crate::ply::{Placement, push_f32};
use crate::spans::PREPARE;
use crate::transform;
use crate::triangulate::triangulate;
use solio_base::{Error, Result, Sink, Work};
use std::ops::Range;

/// Triangles in a chunk.
const CHUNK: usize = 8 << 10;

/// Writes all meshes of a scene into one STL file.
///
/// # Errors
/// `Argument` when arrays of a mesh contradict each other or the name cannot be written, and what
/// `sink` fails with.
pub fn encode_stl(
    scene: &Scene<'_>,
    options: &StlWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let prepare = PREPARE.begin();
    let mut parts = Vec::new();
    for mesh in &scene.meshes {
        parts.push(Part::new(mesh, 0..faces(mesh), options, work)?);
    }
    drop(prepare);
    write(&parts, options, work, sink)
}

/// Writes one object of a mesh into a file of its own (`use_batch` of Blender's exporter); object
/// 0 of a mesh without objects is the whole mesh.
///
/// # Errors
/// As [`encode_stl`], and `Argument` when there is no such object.
pub fn encode_stl_object(
    mesh: &Mesh<'_>,
    object: usize,
    options: &StlWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let whole = mesh.objects.is_empty() && object == 0;
    if !whole && object >= mesh.objects.len() {
        let message = format!("object {object} of a mesh with {}", mesh.objects.len());
        return Err(Error::argument(message));
    }
    let range = if whole {
        0..faces(mesh)
    } else {
        let start = object.checked_sub(1).map_or(0, |i| mesh.objects[i].faces_end as usize);
        start..mesh.objects[object].faces_end as usize
    };
    write(&[Part::new(mesh, range, options, work)?], options, work, sink)
}

fn faces(mesh: &Mesh<'_>) -> usize {
    mesh.face_offsets.len().saturating_sub(1)
}

/// Some faces of a mesh as triangles.
struct Part<'m> {
    mesh: &'m Mesh<'m>,
    /// Corners of each triangle; `None` where triangle `i` has corners `3 i..3 i + 3`.
    corners: Option<Vec<[u32; 3]>>,
    /// The face of each triangle, where `corners` is there.
    faces: Vec<u32>,
    /// The triangles to write.
    range: Range<usize>,
    /// Transforms, and the face before which each one ends.
    transforms: Vec<(u32, Placement)>,
    words: Option<&'m [u16]>,
}

impl<'m> Part<'m> {
    fn new(
        mesh: &'m Mesh<'m>,
        range: Range<usize>,
        options: &StlWriteOptions,
        work: &Work,
    ) -> Result<Part<'m>> {
        let vertices = mesh.positions.len();
        let fits = mesh.corner_vertices.iter().max().is_none_or(|&v| (v as usize) < vertices)
            && offsets_fit(&mesh.face_offsets, mesh.corner_vertices.len())
            && range.start <= range.end
            && range.end <= faces(mesh);
        if !fits {
            return Err(Error::argument("the faces do not fit the mesh"));
        }
        let of_object = |object: Option<&[[f32; 4]; 4]>| {
            let object = object.filter(|_| options.apply_transform);
            let to = (options.forward_axis, options.up_axis);
            Placement::new(object, options.source_axes, to, options.global_scale)
        };
        let mut transforms = Vec::new();
        for object in &mesh.objects {
            transforms.push((object.faces_end, of_object(object.transform.as_ref())?));
        }
        if transforms.is_empty() {
            transforms.push((u32::MAX, of_object(None)?));
        }
        let words = mesh.attributes.iter().find_map(|a| match &a.values {
            Values::U16(v) if a.element == "face" && a.name == WORDS && a.list.is_none() => {
                (v.len() == faces(mesh)).then_some(&v[..])
            }
            _ => None,
        });
        let triangles_only =
            mesh.face_offsets.iter().enumerate().all(|(i, &o)| o as usize == 3 * i);
        let mut part = Part { mesh, corners: None, faces: Vec::new(), range, transforms, words };
        if !triangles_only {
            let triangles = triangulate(mesh, work)?;
            let of = &triangles.faces;
            let start = of.partition_point(|&f| (f as usize) < part.range.start);
            let end = of.partition_point(|&f| (f as usize) < part.range.end);
            part.range = start..end;
            part.faces = triangles.faces;
            part.corners = Some(triangles.corners);
        }
        Ok(part)
    }

    /// Corners of a triangle in the file's space, and the word behind it.
    #[inline(always)]
    fn triangle(&self, i: usize) -> ([[f32; 3]; 3], u16) {
        let (corners, face) = match &self.corners {
            Some(corners) => (corners[i], self.faces[i] as usize),
            None => ([3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2], i),
        };
        let transform = match &self.transforms[..] {
            [(_, only)] => only,
            all => {
                let i = all.partition_point(|t| t.0 as usize <= face).min(all.len() - 1);
                &all[i].1
            }
        };
        let points = corners.map(|c| {
            let vertex = self.mesh.corner_vertices[c as usize] as usize;
            match &self.mesh.positions {
                Positions::F32(p) => transform.point(p[vertex]),
                Positions::F64(p) => transform.point_f64(p[vertex]).map(|v| v as f32),
            }
        });
        // Blender turns triangles of mirrored objects (in STL only).
        let points = if transform.mirrors() { [points[2], points[1], points[0]] } else { points };
        (points, self.words.map_or(0, |w| w[face]))
    }
}

fn write(
    parts: &[Part<'_>],
    options: &StlWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let total: usize = parts.iter().map(|p| p.range.len()).sum();
    let total = u32::try_from(total)
        .map_err(|_| Error::unsupported(format!("{total} triangles; STL can hold 4294967295")))?;
    if options.name.contains(['\n', '\r', '\0']) {
        return Err(Error::argument("the name of a solid is one line"));
    }
    let mut jobs: Vec<(&Part<'_>, Range<usize>)> = Vec::new();
    for part in parts {
        let Range { start, end } = part.range;
        jobs.extend((start..end).step_by(CHUNK).map(|s| (part, s..end.min(s + CHUNK))));
    }
    if options.ascii_format {
        sink.write_bytes(work, format!("solid {}\n", options.name).as_bytes())?;
    } else {
        if options.name.len() > 80 || options.name.starts_with("solid") {
            let message = "the header of a binary STL has 80 bytes and does not start with `solid`";
            return Err(Error::argument(message));
        }
        let mut header = options.name.clone().into_bytes();
        header.resize(80, 0);
        header.extend_from_slice(&total.to_le_bytes());
        sink.write_bytes(work, &header)?;
    }
    sink.write_chunks(work, jobs.len(), &|i, out| {
        let (part, range) = &jobs[i];
        if options.ascii_format {
            text(out, part, range.clone(), options);
        } else {
            binary(out, part, range.clone());
        }
        Ok(())
    })?;
    if options.ascii_format {
        sink.write_bytes(work, format!("endsolid {}\n", options.name).as_bytes())?;
    }
    Ok(())
}

fn binary(out: &mut Vec<u8>, part: &Part<'_>, range: Range<usize>) {
    let start = out.len();
    out.resize(start + range.len() * TRIANGLE, 0);
    let (records, _) = out[start..].as_chunks_mut::<TRIANGLE>();
    for (record, i) in records.iter_mut().zip(range) {
        let (p, word) = part.triangle(i);
        let points = [normal(p), p[0], p[1], p[2]];
        for (bytes, value) in record.as_chunks_mut::<4>().0.iter_mut().zip(points.as_flattened()) {
            *bytes = value.to_le_bytes();
        }
        record[48..].copy_from_slice(&word.to_le_bytes());
    }
}

fn text(out: &mut Vec<u8>, part: &Part<'_>, range: Range<usize>, options: &StlWriteOptions) {
    for i in range {
        let (p, _) = part.triangle(i);
        let lines = [
            (&b"facet normal"[..], normal(p)),
            (b"\n outer loop\n  vertex", p[0]),
            (b"\n  vertex", p[1]),
            (b"\n  vertex", p[2]),
        ];
        for (before, point) in lines {
            out.extend_from_slice(before);
            for value in point {
                out.push(b' ');
                push_f32(out, options.digits, value);
            }
        }
        out.extend_from_slice(b"\n endloop\nendfacet\n");
    }
}

/// The direction of a triangle, in the float operations of Blender's exporter.
#[inline(always)]
fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let u = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let v = [b[0] - c[0], b[1] - c[1], b[2] - c[2]];
    transform::unit([
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ])
}
