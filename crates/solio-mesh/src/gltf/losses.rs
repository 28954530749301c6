//! What glTF cannot hold of a scene.

use super::material_write::lost;
use super::splats_write::splats_of;
use super::values::{
    are_normals_of_vertices, are_of_vertices, columns, usable_normals, usable_uvs,
};
use super::write::{GltfInstances, GltfWriteOptions};
use crate::losses::{self, FREEFORM, GROUPS, LINE_UVS, SMOOTHING, VERTEX_GROUPS, WEIGHTS, lacking};
use crate::model::{ColorSpace, Domain, Mesh, NONE, Positions, Scene};
use crate::splats::khr::khr_losses;
use crate::unused::unused;
use solio_base::{Loss, Losses, Result, Work};
use std::ops::Range;

/// What a glTF file cannot hold of `scene`, or holds otherwise.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{gltf, obj::decode_obj};
/// let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ns 1\nf 1 2 3 4\n";
/// let scene = decode_obj(&&text[..], &Default::default(), &Work::serial())?;
/// let losses = gltf::gltf_losses(&scene, &Default::default(), &Work::serial())?;
/// let what: Vec<_> = losses.iter().map(|loss| loss.what).collect();
/// assert_eq!(what, ["smoothing_groups", "polygons"]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// What starting threads fails with.
pub fn gltf_losses(scene: &Scene<'_>, options: &GltfWriteOptions, work: &Work) -> Result<Losses> {
    losses::look(scene, work, || find(scene, options))
}

fn find(scene: &Scene<'_>, options: &GltfWriteOptions) -> Losses {
    let mut losses = Losses::default();
    let lacks = [WEIGHTS, LINE_UVS, SMOOTHING, GROUPS, VERTEX_GROUPS, FREEFORM];
    lacking(&mut losses, scene, "glTF", &lacks);
    if scene.libraries_unread {
        losses::libraries(&mut losses, scene, "glTF");
    }
    for mesh in &scene.meshes {
        if splats_of(mesh).is_some() {
            khr_losses(&mut losses, mesh);
            splats(&mut losses, mesh);
            continue;
        }
        faces(&mut losses, mesh);
        arrays(&mut losses, mesh);
        attributes(&mut losses, mesh);
        loose(&mut losses, mesh);
        if losses::shares_vertices(mesh, usable_uvs(mesh), true, true) {
            let reason = "a vertex of glTF has one normal and one texture coordinate: \
                          vertices with several become several";
            losses.add(Loss::new("shared_vertices", reason));
        } else if objects_share(mesh) {
            let reason = "an object of glTF has vertices of its own: those of several are copied";
            losses.add(Loss::new("shared_vertices", reason));
        }
    }
    if options.instances == GltfInstances::Gpu {
        let reason = "instances in arrays have no names";
        let named = scene.instances.iter().filter(|instance| !instance.name.is_empty()).count();
        losses.add_some("objects", reason, named, "instance");
    }
    for material in options.materials.as_ref().unwrap_or(&scene.materials) {
        for what in lost(material, options, scene) {
            let reason = format!("glTF materials have no place for it: {what}");
            losses
                .add(Loss::new("materials", reason).count(1, "material").example(&*material.name));
        }
    }
    losses
}

/// What splats have beside what they are made of.
fn splats(losses: &mut Losses, mesh: &Mesh<'_>) {
    attributes(losses, mesh);
    // Those of 3DGS are all zero.
    let is_some = |normal: &&[f32; 3]| **normal != [0.0; 3];
    let normals = mesh.normals.iter().flat_map(|n| n.values.iter().filter(is_some)).count();
    losses.add_some("normals", "splats of glTF have no normals", normals, "value");
    let colors = mesh.colors.as_ref().map_or(0, |colors| colors.values.len());
    let reason = "splats of glTF have no colours but their own";
    losses.add_some("vertex_colors", reason, colors, "vertex");
    let uvs = mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
    losses.add_some("uvs", "splats of glTF have no texture coordinates", uvs, "value");
    if let Positions::F64(positions) = &mesh.positions {
        let rounded = positions.iter().filter(|p| p.iter().any(|x| f64::from(*x as f32) != *x));
        let reason = "glTF has positions in single precision";
        losses.add_some("positions", reason, rounded.count(), "vertex");
    }
}

fn faces(losses: &mut Losses, mesh: &Mesh<'_>) {
    let corners = mesh.face_offsets.windows(2).map(|face| face[1].saturating_sub(face[0]));
    let (mut large, mut small) = (0, 0);
    for corners in corners {
        large += usize::from(corners > 3);
        small += usize::from(corners < 3);
    }
    losses.add_some("polygons", "glTF has triangles only: faces are cut", large, "face");
    losses.add_some("small_faces", "faces of less than three corners are left out", small, "face");
    let long = mesh.line_offsets.windows(2).filter(|line| line[1].saturating_sub(line[0]) != 2);
    losses.add_some("polylines", "lines are written segment by segment", long.count(), "line");
}

fn arrays(losses: &mut Losses, mesh: &Mesh<'_>) {
    if let Positions::F64(positions) = &mesh.positions {
        let rounded = positions.iter().filter(|p| p.iter().any(|x| f64::from(*x as f32) != *x));
        let reason = "glTF has positions in single precision";
        losses.add_some("positions", reason, rounded.count(), "vertex");
    }
    if let Some(normals) = mesh.normals.as_ref().filter(|_| mesh.face_offsets.len() < 2) {
        let reason =
            "normals of points and lines that have no direction are left out, with all others";
        let count = if are_normals_of_vertices(mesh) { 0 } else { normals.values.len() };
        losses.add_some("normals", reason, count, "value");
    }
    if let Some(normals) = mesh.normals.as_ref().filter(|_| mesh.face_offsets.len() > 1) {
        let faces = mesh.face_offsets.len() - 1;
        let is_fine = mesh.objects.len() > 1 || usable_normals(mesh, 0..faces);
        let starts = mesh.objects.iter().scan(0, |start, object| {
            let faces = *start..(object.faces_end as usize).clamp(*start, faces);
            *start = faces.end;
            Some(faces)
        });
        let bad = match mesh.objects.len() {
            0 | 1 => usize::from(!is_fine),
            _ => starts
                .filter(|faces| !faces.is_empty() && !usable_normals(mesh, faces.clone()))
                .count(),
        };
        let reason = "objects with corners that have no direction as normal are written without";
        losses.add_some(
            "normals",
            reason,
            if normals.values.is_empty() { 0 } else { bad },
            "object",
        );
    }
    if let Some(uvs) = &mesh.uvs {
        if !uvs.values.is_empty() && !usable_uvs(mesh) {
            let reason = "texture coordinates that are not finite are left out";
            losses.add_some("uvs", reason, 1, "mesh");
        }
        if let Domain::Indexed(index) = &uvs.domain {
            let reason =
                "corners without texture coordinates get 0, where others of the object have some";
            for corners in object_corners(mesh) {
                let own = index.get(corners).unwrap_or_default();
                let missing = own.iter().filter(|at| **at == NONE).count();
                losses.add_some(
                    "uvs",
                    reason,
                    if missing < own.len() { missing } else { 0 },
                    "corner",
                );
            }
        }
    }
    let Some(colors) = &mesh.colors else { return };
    let is_outside = |color: &[f32; 4]| color.iter().any(|part| !(0.0..=1.0).contains(part));
    let outside = colors.values.iter().filter(|color| is_outside(color)).count();
    losses.add_some("color_depth", "glTF colours are 0 to 1: others are cut", outside, "vertex");
    if colors.space == ColorSpace::Srgb {
        let reason = "glTF colours are linear: those of sRGB are converted";
        losses.add_some("color_space", reason, colors.values.len(), "vertex");
    }
}

/// The corners of each object, or of all.
fn object_corners(mesh: &Mesh<'_>) -> Vec<Range<usize>> {
    let all = mesh.corner_vertices.len();
    let at = |face: u32| mesh.face_offsets.get(face as usize).map_or(all, |at| *at as usize);
    let mut start = 0;
    let mut ranges: Vec<_> = mesh
        .objects
        .iter()
        .map(|object| {
            let own = start..at(object.faces_end).max(start);
            start = own.end;
            own
        })
        .collect();
    match ranges.last_mut() {
        Some(last) => last.end = all.max(last.start),
        None => ranges.push(0..all),
    }
    ranges
}

/// Whether a vertex belongs to faces, lines or points of several objects.
fn objects_share(mesh: &Mesh<'_>) -> bool {
    if mesh.objects.len() < 2 {
        return false;
    }
    let mut owners = vec![NONE; mesh.positions.len()];
    let mut own = |vertices: &[u32], object: u32| {
        vertices.iter().any(|&vertex| match owners.get_mut(vertex as usize) {
            Some(owner) if *owner == NONE => {
                *owner = object;
                false
            }
            Some(owner) => *owner != object,
            None => false,
        })
    };
    let at = |offsets: &[u32], end: u32| offsets.get(end as usize).map_or(0, |at| *at as usize);
    let mut start = [0; 3];
    mesh.objects.iter().zip(0..).any(|(object, number)| {
        let end = [
            at(&mesh.face_offsets, object.faces_end),
            at(&mesh.line_offsets, object.lines_end),
            object.points_end as usize,
        ];
        let all = [&mesh.corner_vertices, &mesh.line_vertices, &mesh.points];
        let shared = (0..3).any(|i| own(all[i].get(start[i]..end[i]).unwrap_or_default(), number));
        start = end;
        shared
    })
}

fn attributes(losses: &mut Losses, mesh: &Mesh<'_>) {
    let kept = columns(mesh);
    let splats = splats_of(mesh);
    let is_splat = |name: &str| splats.as_ref().is_some_and(|splats| splats.is_own(name));
    for column in &kept {
        if !column.column.is_exact() {
            let loss = Loss::new(
                "digits",
                "glTF has attributes as floats: large integers and doubles round",
            );
            losses.add(loss.example(column.name.trim_start_matches('_')));
        }
    }
    let is_kept = |name: &str| {
        kept.iter().any(|column| column.name.strip_prefix('_').unwrap_or(&column.name) == name)
            || name.starts_with("TEXCOORD_")
    };
    for attribute in mesh.attributes.iter().filter(|a| !is_splat(&a.name)) {
        if attribute.element != super::extra::VERTEX || !is_kept(&attribute.name) {
            let reason = "glTF has attributes of vertices, of one number to four";
            let example = format!("{}.{}", attribute.element, attribute.name);
            losses.add(Loss::new("attributes", reason).count(1, "attribute").example(example));
        }
    }
}

/// Vertices that nothing refers to, where something does to others.
fn loose(losses: &mut Losses, mesh: &Mesh<'_>) {
    let named = [&mesh.corner_vertices, &mesh.line_vertices, &mesh.points];
    // Of one object whose vertices need no copies all go out as they are.
    if mesh.objects.len() < 2 && are_of_vertices(mesh) && !mesh.corner_vertices.is_empty() {
        return;
    }
    if named.iter().all(|index| index.is_empty()) {
        return;
    }
    let all: Vec<u32> = named.into_iter().flat_map(|index| index.iter().copied()).collect();
    let loose = unused(mesh.positions.len(), &all).map_or(0, |loose| loose.len());
    losses.add_some("vertices", "vertices that nothing refers to are not drawn", loose, "vertex");
}
