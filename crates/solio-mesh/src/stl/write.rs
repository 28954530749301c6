//! Writing: triangles of all objects, one after the other, in parallel chunks.

use super::binary::TRIANGLE;
use super::color;
use super::options::StlWriteOptions;
use crate::model::{Mesh, Positions, Scene};
use crate::offsets::{offsets_fit, stretches};
use crate::placement::Placement;
use crate::spans::PREPARE;
use crate::text::push_f32;
use crate::transform;
use crate::triangulate;
use solio_base::{Error, Result, Sink, Work};
use std::borrow::Cow;
use std::ops::Range;

/// Corners in a chunk, unless one face alone has more.
const CORNERS: u32 = 16 << 10;

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
    let parts = crate::parallel::pool(work)?.install(|| {
        let parts =
            scene.meshes.iter().map(|mesh| StlPart::new(mesh, 0..faces(mesh), options, work));
        parts.collect::<Result<Vec<_>>>()
    })?;
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
    let pool = crate::parallel::pool(work)?;
    let part = pool.install(|| StlPart::new(mesh, range, options, work))?;
    write(&[part], options, work, sink)
}

fn faces(mesh: &Mesh<'_>) -> usize {
    mesh.face_offsets.len().saturating_sub(1)
}

/// Some faces of a mesh as triangles.
struct StlPart<'m> {
    mesh: &'m Mesh<'m>,
    /// Whether triangle `i` has corners `3 i..3 i + 3`; otherwise faces must be cut.
    triangles_only: bool,
    /// The faces to write.
    range: Range<usize>,
    /// How many triangles they give.
    triangles: u64,
    /// Transforms, and the face before which each one ends.
    transforms: Vec<(u32, Placement)>,
    words: Option<Cow<'m, [u16]>>,
}

impl<'m> StlPart<'m> {
    fn new(
        mesh: &'m Mesh<'m>,
        range: Range<usize>,
        options: &StlWriteOptions,
        work: &Work,
    ) -> Result<StlPart<'m>> {
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
        let words = if options.ascii_format { None } else { color::words(mesh, &options.name) };
        let triangles_only =
            mesh.face_offsets.iter().enumerate().all(|(i, &o)| o as usize == 3 * i);
        let triangles = if triangles_only {
            range.len() as u64
        } else {
            triangulate::count(mesh, range.clone(), work)?
        };
        Ok(StlPart { mesh, triangles_only, range, triangles, transforms, words })
    }

    /// Calls `each` with the triangles of some faces.
    #[inline(always)]
    fn triangles(
        &self,
        faces: Range<usize>,
        mut each: impl FnMut([[f32; 3]; 3], u16),
    ) -> Result<()> {
        if self.triangles_only {
            for face in faces {
                let first = 3 * face as u32;
                let (points, word) = self.triangle([first, first + 1, first + 2], face);
                each(points, word);
            }
            return Ok(());
        }
        let cut = triangulate::cut_some(self.mesh, faces)?;
        for (&corners, &face) in cut.corners.iter().zip(&cut.faces) {
            let (points, word) = self.triangle(corners, face as usize);
            each(points, word);
        }
        Ok(())
    }

    /// Corners of a triangle in the file's space, and the word behind it.
    #[inline(always)]
    fn triangle(&self, corners: [u32; 3], face: usize) -> ([[f32; 3]; 3], u16) {
        let transform = match &self.transforms[..] {
            [(_, only)] => only,
            all => {
                let i = all.partition_point(|t| t.0 as usize <= face).min(all.len() - 1);
                &all[i].1
            }
        };
        // One by one: `map` stays a call where crates are compiled in parts.
        let a = self.point(transform, corners[0]);
        let b = self.point(transform, corners[1]);
        let c = self.point(transform, corners[2]);
        // Blender turns triangles of mirrored objects (in STL only).
        let points = if transform.mirrors() { [c, b, a] } else { [a, b, c] };
        (points, self.words.as_ref().map_or(0, |w| w[face]))
    }

    #[inline(always)]
    fn point(&self, transform: &Placement, corner: u32) -> [f32; 3] {
        let vertex = self.mesh.corner_vertices[corner as usize] as usize;
        match &self.mesh.positions {
            Positions::F32(p) => transform.point(p[vertex]),
            Positions::F64(p) => transform.point_f64(p[vertex]).map(|v| v as f32),
        }
    }
}

fn write(
    parts: &[StlPart<'_>],
    options: &StlWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let total: u64 = parts.iter().map(|p| p.triangles).sum();
    let total = u32::try_from(total)
        .map_err(|_| Error::unsupported(format!("{total} triangles; STL can hold 4294967295")))?;
    if options.name.contains(['\n', '\r', '\0']) {
        return Err(Error::argument("the name of a solid is one line"));
    }
    let mut jobs: Vec<(&StlPart<'_>, Range<usize>)> = Vec::new();
    for part in parts {
        let stretches = stretches(&part.mesh.face_offsets, part.range.clone(), CORNERS);
        jobs.extend(stretches.map(|stretch| (part, stretch)));
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
            text(out, part, range.clone(), options)
        } else {
            binary(out, part, range.clone())
        }
    })?;
    if options.ascii_format {
        sink.write_bytes(work, format!("endsolid {}\n", options.name).as_bytes())?;
    }
    Ok(())
}

fn binary(out: &mut Vec<u8>, part: &StlPart<'_>, faces: Range<usize>) -> Result<()> {
    let corners = part.mesh.face_offsets[faces.end] - part.mesh.face_offsets[faces.start];
    out.reserve((corners as usize).saturating_sub(2 * faces.len()) * TRIANGLE);
    part.triangles(faces, |p, word| {
        let mut record = [0; TRIANGLE];
        let points = [normal(p), p[0], p[1], p[2]];
        for (bytes, value) in record.as_chunks_mut::<4>().0.iter_mut().zip(points.as_flattened()) {
            *bytes = value.to_le_bytes();
        }
        record[48..].copy_from_slice(&word.to_le_bytes());
        out.extend_from_slice(&record);
    })
}

fn text(
    out: &mut Vec<u8>,
    part: &StlPart<'_>,
    faces: Range<usize>,
    options: &StlWriteOptions,
) -> Result<()> {
    part.triangles(faces, |p, _| {
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
    })
}

/// The direction of a triangle, in the float operations of Blender's exporter.
#[inline(always)]
pub(crate) fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let u = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let v = [b[0] - c[0], b[1] - c[1], b[2] - c[2]];
    transform::unit([
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ])
}
