//! Writing: vertices, then faces, in parallel chunks.

use crate::losses;
use crate::model::{ColorSpace, Colors, Mesh, Positions, Scene};
use crate::offsets::offsets_fit;
use crate::text::{push_f32, push_f64};
use solio_base::{Error, Losses, Result, Sink, Work};
use solio_codec::number::Digits;
use std::ops::Range;

/// Vertices or faces in a chunk.
const ROWS: usize = 16 << 10;

/// Rows of a mesh that become a chunk of text.
enum Rows<'m> {
    Vertices(&'m Mesh<'m>, Range<usize>),
    /// Faces, and the number of vertices of the meshes before.
    Faces(&'m Mesh<'m>, Range<usize>, usize),
}

/// What an OFF file cannot hold of `scene`.
///
/// # Errors
/// What starting threads fails with.
pub fn off_losses(scene: &Scene<'_>, work: &Work) -> Result<Losses> {
    losses::look(scene, work, || {
        let mut losses = Losses::default();
        losses::objects(&mut losses, scene, "OFF");
        losses::transforms(&mut losses, scene, "OFF", false);
        losses::plain(&mut losses, scene, "OFF");
        losses::lacking(&mut losses, scene, "OFF", &[losses::ATTRIBUTES]);
        let normals = scene.meshes.iter().filter(|mesh| mesh.normals.is_some()).count();
        losses.add_some("normals", "OFF is written without normals", normals, "mesh");
        scene.meshes.iter().for_each(|mesh| colors(&mut losses, mesh));
        let reason = "vertices without a colour become white, where others have one";
        losses::gaps(&mut losses, scene, "vertex_colors", reason, "vertex", |mesh| {
            let count = mesh.positions.len();
            if mesh.colors.is_some() { [count, 0] } else { [0, count] }
        });
        losses
    })
}

fn colors(losses: &mut Losses, mesh: &Mesh<'_>) {
    let Some(colors) = &mesh.colors else { return };
    let is_outside = |color: &[f32; 4]| color.iter().any(|part| !(0.0..=1.0).contains(part));
    let outside = colors.values.iter().filter(|color| is_outside(color)).count();
    losses.add_some("color_depth", "OFF colours are 0 to 1: others are cut", outside, "vertex");
    if colors.space == ColorSpace::Linear {
        let reason = "OFF colours are sRGB: linear ones are converted";
        losses.add_some("color_space", reason, colors.values.len(), "vertex");
    }
}

/// A colour as the format has it.
fn color_of(colors: &Colors<'_>, vertex: usize) -> [f32; 4] {
    let [r, g, b, a] = colors.values[vertex];
    // NaN becomes 0.
    let within = |part: f32| if part > 0.0 { part.min(1.0) } else { 0.0 };
    let [r, g, b] = match colors.space {
        ColorSpace::Srgb => [r, g, b],
        ColorSpace::Linear => [r, g, b].map(srgb_of_linear),
    };
    [r, g, b, a].map(within)
}

/// By the definition: all digits are written, and Blender's quick way differs between processors.
fn srgb_of_linear(light: f32) -> f32 {
    let light = f64::from(light.max(0.0));
    let value =
        if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    value as f32
}

/// Writes all meshes of a scene into one OFF text; with vertex colours it is `COFF`.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::off::{decode_off, encode_off};
/// let text = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// let scene = decode_off(&&text[..], &Default::default(), &Work::serial())?;
/// let mut again = Vec::new();
/// encode_off(&scene, &Work::serial(), &mut again)?;
/// assert_eq!(again, text);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument` when arrays of a mesh contradict each other, and what `sink` fails with.
pub fn encode_off(scene: &Scene<'_>, work: &Work, sink: &mut dyn Sink) -> Result<()> {
    let (mut vertices, mut faces, mut rows) = (0, 0, Vec::new());
    for mesh in &scene.meshes {
        check(mesh)?;
        let count = mesh.positions.len();
        rows.extend(pieces(count).map(|range| Rows::Vertices(mesh, range)));
        vertices += count;
    }
    let mut before = 0;
    for mesh in &scene.meshes {
        let count = mesh.face_offsets.len().saturating_sub(1);
        rows.extend(pieces(count).map(|range| Rows::Faces(mesh, range, before)));
        before += mesh.positions.len();
        faces += count;
    }
    let colored = scene.meshes.iter().any(|mesh| mesh.colors.is_some());
    let keyword = if colored { "COFF" } else { "OFF" };
    sink.write_bytes(work, format!("{keyword}\n{vertices} {faces} 0\n").as_bytes())?;
    sink.write_chunks(work, rows.len(), &|i, out| {
        match &rows[i] {
            Rows::Vertices(mesh, range) => {
                range.clone().for_each(|vertex| push_vertex(out, mesh, vertex, colored));
            }
            Rows::Faces(mesh, range, before) => {
                range.clone().for_each(|face| push_face(out, mesh, face, *before));
            }
        }
        Ok(())
    })
}

fn pieces(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(ROWS).map(move |start| start..count.min(start + ROWS))
}

fn check(mesh: &Mesh<'_>) -> Result<()> {
    let vertices = mesh.positions.len();
    let fits = offsets_fit(&mesh.face_offsets, mesh.corner_vertices.len())
        && mesh.corner_vertices.iter().all(|&vertex| (vertex as usize) < vertices)
        && mesh.colors.as_ref().is_none_or(|colors| colors.values.len() == vertices);
    if fits { Ok(()) } else { Err(Error::argument("the arrays do not fit the mesh")) }
}

fn push_vertex(out: &mut Vec<u8>, mesh: &Mesh<'_>, vertex: usize, colored: bool) {
    match &mesh.positions {
        Positions::F32(positions) => {
            push_row(out, positions[vertex], |out, value| push_f32(out, Digits::Shortest, value));
        }
        Positions::F64(positions) => {
            push_row(out, positions[vertex], |out, value| push_f64(out, Digits::Shortest, value));
        }
    }
    if colored {
        let white = [1.0; 4];
        let color = mesh.colors.as_ref().map_or(white, |colors| color_of(colors, vertex));
        out.push(b' ');
        push_row(out, color, |out, value| push_f32(out, Digits::Shortest, value));
    }
    out.push(b'\n');
}

fn push_row<T, const N: usize>(out: &mut Vec<u8>, row: [T; N], push: impl Fn(&mut Vec<u8>, T)) {
    for (i, value) in row.into_iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        push(out, value);
    }
}

fn push_face(out: &mut Vec<u8>, mesh: &Mesh<'_>, face: usize, before: usize) {
    let corners = mesh.face_offsets[face] as usize..mesh.face_offsets[face + 1] as usize;
    out.extend_from_slice(corners.len().to_string().as_bytes());
    for &vertex in &mesh.corner_vertices[corners] {
        out.push(b' ');
        out.extend_from_slice((vertex as usize + before).to_string().as_bytes());
    }
    out.push(b'\n');
}
