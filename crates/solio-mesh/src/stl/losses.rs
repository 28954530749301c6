//! What an STL cannot hold of a scene.

use super::collect::WORDS;
use super::color::{self, CHANNELS};
use super::options::StlWriteOptions;
use super::write::normal;
use crate::losses::{self, ATTRIBUTES, VERTEX_COLORS, lacking, lacking_of};
use crate::model::{Domain, Mesh, Positions, Scene};
use solio_base::{Loss, Losses, Result, Work};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// What an STL, written with these options, cannot hold of `scene`; with `batch` each object has a
/// file of its own. Vertices that lie at one place are one vertex in an STL; that is not counted.
///
/// # Errors
/// What starting threads fails with.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Scene, stl};
/// let mesh = Mesh {
///     positions: solio_mesh::Positions::F32(vec![[0.0; 3]; 4].into()),
///     face_offsets: vec![0, 4].into(),
///     corner_vertices: vec![0, 1, 2, 3].into(),
///     ..Mesh::default()
/// };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let losses = stl::stl_losses(&scene, &Default::default(), false, &Work::serial())?;
/// assert_eq!(losses.to_string(), "STL has triangles: larger faces are cut (1 face)");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn stl_losses(
    scene: &Scene<'_>,
    options: &StlWriteOptions,
    batch: bool,
    work: &Work,
) -> Result<Losses> {
    losses::look(scene, work, || find(scene, options, batch))
}

fn find(scene: &Scene<'_>, options: &StlWriteOptions, batch: bool) -> Losses {
    let mut losses = Losses::default();
    if !batch {
        let mut objects = Losses::default();
        losses::objects(&mut objects, scene, "STL");
        losses.extend(objects.into_iter().map(|loss| loss.kept_by("stl_batch")));
    }
    losses::transforms(&mut losses, scene, "STL", options.apply_transform);
    losses::plain(&mut losses, scene, "STL");
    lacking(&mut losses, scene, "STL", &[VERTEX_COLORS]);
    for mesh in &scene.meshes {
        faces(&mut losses, mesh);
        attributes(&mut losses, mesh, options);
        if let Positions::F64(p) = &mesh.positions {
            let narrows = |i: usize| p[i].iter().any(|&v| f64::from(v as f32) != v && !v.is_nan());
            if losses::any(p.len(), narrows) {
                losses.add(Loss::new("positions", "STL has positions of 32 bits"));
                let becomes =
                    |p: &&[f64; 3]| p.iter().any(|&v| v.is_finite() && (v as f32).is_infinite());
                let reason = "positions past 3.4e38 become infinite";
                losses.add_some("range", reason, p.iter().filter(becomes).count(), "position");
            }
        }
        if computes_normals(mesh) {
            let reason = "STL has the normals of its triangles only";
            losses.add(Loss::new("normals", reason));
        }
    }
    let rounds = |mesh: &Mesh<'_>| losses::rounds_positions(mesh, options.digits);
    if options.ascii_format && scene.meshes.iter().any(rounds) {
        losses::digits(&mut losses, Some("positions"));
    }
    losses
}

fn faces(losses: &mut Losses, mesh: &Mesh<'_>) {
    let (mut small, mut large) = (0, 0);
    for face in mesh.face_offsets.windows(2) {
        let corners = face[1].wrapping_sub(face[0]);
        small += usize::from(corners < 3);
        large += usize::from(corners > 3);
    }
    losses.add_some("polygons", "STL has triangles: larger faces are cut", large, "face");
    let reason = "faces of less than three corners are left out";
    losses.add_some("small_faces", reason, small, "face");
    let reason = "STL has no vertices without a face";
    losses.add_some("vertices", reason, loose(mesh), "vertex");
}

/// Vertices without a face.
fn loose(mesh: &Mesh<'_>) -> usize {
    let used: Vec<AtomicU8> = (0..mesh.positions.len()).map(|_| AtomicU8::new(0)).collect();
    losses::any_range(mesh.corner_vertices.len(), |corners| {
        let vertices = &mesh.corner_vertices[corners];
        vertices
            .iter()
            .filter_map(|&v| used.get(v as usize))
            .for_each(|used| used.store(1, Relaxed));
        false
    });
    used.iter().filter(|used| used.load(Relaxed) == 0).count()
}

/// The word behind a triangle holds a colour.
fn attributes(losses: &mut Losses, mesh: &Mesh<'_>, options: &StlWriteOptions) {
    let words = if options.ascii_format { None } else { color::words(mesh, &options.name) };
    let Some(words) = words else { return lacking_of(losses, mesh, "STL", &ATTRIBUTES) };
    let is_kept = |name: &str| name == WORDS || CHANNELS.contains(&name);
    for other in mesh.attributes.iter().filter(|a| a.element != "face" || !is_kept(&a.name)) {
        let loss = Loss::new("attributes", "STL has no attributes but a word for each triangle");
        losses.add(loss.count(1, "attribute").example(format!("{}.{}", other.element, other.name)));
    }
    let is_changed = color::colors(mesh).is_some_and(|colors| {
        losses::any(words.len(), |face| color::viscam(words[face]) != colors(face))
    });
    if is_changed && !color::is_magics(options.name.as_bytes()) {
        let reason = "STL has colours of five bits a channel";
        losses.add(Loss::new("color_depth", reason));
    }
}

/// Whether the mesh has normals that are not those of its triangles.
fn computes_normals(mesh: &Mesh<'_>) -> bool {
    let Some(normals) = mesh.normals.as_ref().filter(|n| !n.values.is_empty()) else {
        return false;
    };
    let place = |corner: usize| {
        let vertex = *mesh.corner_vertices.get(corner)? as usize;
        (vertex < mesh.positions.len()).then(|| mesh.positions.get(vertex).map(|v| v as f32))
    };
    // Some programs leave them out.
    let differs = |given: [f32; 3], made: [f32; 3]| {
        let is_far = |(a, b): (&f32, f32)| (a - b).abs() >= 1e-4 || (a - b).is_nan();
        given != [0.0; 3] && given.iter().zip(made).any(is_far)
    };
    losses::any(mesh.face_offsets.len().saturating_sub(1), |face| {
        let corners = mesh.face_offsets[face] as usize..mesh.face_offsets[face + 1] as usize;
        let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|i| place(corners.start + i)) else {
            return false; // no triangle, or the arrays contradict each other
        };
        let made = normal([a, b, c]);
        let value = |number: usize| normals.values.get(number).is_some_and(|&n| differs(n, made));
        match &normals.domain {
            Domain::Face => value(face),
            domain => corners.into_iter().any(|i| domain.index_of(mesh, i).is_some_and(value)),
        }
    })
}
