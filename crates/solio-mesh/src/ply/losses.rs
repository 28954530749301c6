//! What a PLY cannot hold of a scene.

use super::color::has_fine_colors;
use super::options::{PlyColors, PlyFormat, PlyWriteOptions};
use super::textures::{material_of, names_textures, only_texture};
use crate::losses::{
    self, FREEFORM, GROUPS, LINE_UVS, POINTS, SMOOTHING, VERTEX_GROUPS, WEIGHTS, lacking,
};
use crate::material::TEXTURE_COMMENT;
use crate::model::{Attribute, ColorSpace, Domain, Mesh, Scene, Values};
use crate::splats;
use solio_base::{Loss, Losses, Result, Work};

/// What a PLY, written with these options, cannot hold of `scene`. What an option switches off that
/// is on by default is not counted.
///
/// # Errors
/// What starting threads fails with; `Unsupported` where splats are to be packed and there are none.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Scene, ply};
/// let mesh = Mesh { points: vec![0, 1].into(), ..Mesh::default() };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let losses = ply::ply_losses(&scene, &Default::default(), &Work::serial())?;
/// assert_eq!(losses.to_string(), "PLY has no point elements (2 points)");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn ply_losses(scene: &Scene<'_>, options: &PlyWriteOptions, work: &Work) -> Result<Losses> {
    if options.pack_splats {
        return splats::packed_splat_losses(scene);
    }
    losses::look(scene, work, || find(scene, options))
}

fn find(scene: &Scene<'_>, options: &PlyWriteOptions) -> Losses {
    let mut losses = Losses::default();
    losses::objects(&mut losses, scene, "PLY");
    losses::transforms(&mut losses, scene, "PLY", options.apply_transform);
    if !names_textures(scene, options) {
        materials(&mut losses, scene, options);
    }
    let comments = scene.comments.iter().filter(|c| {
        options.blender_quirks || c.starts_with(TEXTURE_COMMENT) && !names_textures(scene, options)
    });
    losses.add_some("comments", "these comments are left out", comments.count(), "comment");
    let lacks = [WEIGHTS, SMOOTHING, GROUPS, LINE_UVS, POINTS, VERTEX_GROUPS, FREEFORM];
    lacking(&mut losses, scene, "PLY", &lacks);
    for mesh in &scene.meshes {
        lines(&mut losses, mesh, options);
        colors(&mut losses, mesh, options);
        if losses::shares_vertices(mesh, options.export_uv, options.export_normals, false) {
            let reason = "a PLY vertex has one normal and one texture coordinate: \
                          vertices with several become several";
            losses.add(Loss::new("shared_vertices", reason));
        }
    }
    gaps(&mut losses, scene, options);
    let is_turned = (options.forward_axis, options.up_axis) != options.source_axes;
    if is_turned || options.global_scale != 1.0 {
        let splats = scene.meshes.iter().map(splats::splat_count).sum();
        let reason = "positions alone turn and grow: rotations and sizes of splats do not";
        losses.add_some("splats", reason, splats, "splat");
    }
    let is_text = options.format == PlyFormat::Ascii;
    losses::digits(&mut losses, rounded(scene, options).filter(|_| is_text));
    losses
}

/// What only some of the meshes, or of their corners, have: in a PLY all have it.
fn gaps(losses: &mut Losses, scene: &Scene<'_>, options: &PlyWriteOptions) {
    let reason = "corners without texture coordinates get 0, where others have some";
    losses::gaps(losses, scene, "uvs", reason, "corner", |mesh| {
        let uvs = mesh.uvs.as_ref().filter(|uvs| !uvs.values.is_empty());
        // Lists of faces may be empty.
        match uvs.filter(|_| options.export_uv) {
            Some(uvs) if mesh.uv_lists => [uvs.values.len(), 0],
            uvs => losses::counts_of(mesh, uvs.map(|uvs| &uvs.domain)),
        }
    });
    let reason = "corners without a normal get 0 0 0, where others have one";
    losses::gaps(losses, scene, "normals", reason, "corner", |mesh| {
        let normals =
            mesh.normals.as_ref().filter(|n| !n.values.is_empty() && n.domain != Domain::Face);
        let domain = normals.filter(|_| options.export_normals).map(|normals| &normals.domain);
        losses::counts_of(mesh, domain)
    });
    let reason = "vertices without a colour get 0 0 0 0, where others have one";
    losses::gaps(losses, scene, "vertex_colors", reason, "vertex", |mesh| {
        let count = mesh.positions.len();
        let has = mesh.colors.is_some() && options.export_colors != PlyColors::None;
        if has { [count, 0] } else { [0, count] }
    });
    if !options.export_attributes || scene.meshes.len() < 2 {
        return;
    }
    let rows = |mesh: &Mesh<'_>, element: &str| match element {
        "vertex" => mesh.positions.len(),
        "face" => mesh.face_offsets.len().saturating_sub(1),
        _ => 0,
    };
    let mut known = std::collections::BTreeSet::new();
    for Attribute { element, name, .. } in scene.meshes.iter().flat_map(|mesh| &mesh.attributes) {
        if !known.insert((element, name)) {
            continue;
        }
        let has = |mesh: &&Mesh<'_>| {
            mesh.attributes.iter().any(|a| a.element == *element && a.name == *name)
        };
        let lack: usize = scene.meshes.iter().filter(|m| !has(m)).map(|m| rows(m, element)).sum();
        if lack > 0 {
            let reason = "elements without an attribute get 0, where others have it";
            let loss = Loss::new("attributes", reason).count(lack as u64, "value");
            losses.add(loss.example(format!("{element}.{name}")));
        }
    }
}

/// Of materials PLY has the texture, if that of all is one.
fn materials(losses: &mut Losses, scene: &Scene<'_>, options: &PlyWriteOptions) {
    let Some(path) = only_texture(scene, &scene.materials, options) else {
        return losses::materials(losses, scene, "PLY");
    };
    let told = material_of(path);
    let mut more = scene.materials.iter().filter(|material| **material != told);
    if let Some(first) = more.next() {
        let loss = Loss::new("materials", "PLY has a texture, and nothing else of materials");
        losses.add(loss.count(1 + more.count() as u64, "material").example(&*first.name));
    }
    losses::libraries(losses, scene, "PLY");
}

/// PLY has edges of two vertices.
fn lines(losses: &mut Losses, mesh: &Mesh<'_>, options: &PlyWriteOptions) {
    let vertices = mesh.line_offsets.windows(2).map(|line| line[1].saturating_sub(line[0]));
    let long = vertices.clone().filter(|&n| n > 2).count();
    losses.add_some("polylines", "PLY has edges: longer lines become several", long, "line");
    let short = vertices.clone().filter(|&n| n < 2).count();
    losses.add_some("lines", "PLY has edges: lines of one vertex are left out", short, "line");
    let edges: usize = vertices.map(|n| n.saturating_sub(1) as usize).sum();
    let of_edges = mesh.attributes.iter().filter(|a| a.element == "edge");
    let rows = |a: &Attribute<'_>| match &a.list {
        Some((offsets, _)) => offsets.len().saturating_sub(1),
        None => a.values.len(),
    };
    for attribute in of_edges.filter(|a| options.export_attributes && rows(a) != edges) {
        let loss = Loss::new("attributes", "attributes of lines do not fit their edges");
        losses.add(loss.count(1, "attribute").example(format!("edge.{}", attribute.name)));
    }
}

fn colors(losses: &mut Losses, mesh: &Mesh<'_>, options: &PlyWriteOptions) {
    let Some(colors) = mesh.colors.as_ref().filter(|_| options.export_colors != PlyColors::None)
    else {
        return;
    };
    if has_fine_colors(mesh, options) {
        let reason = "PLY colours are bytes: finer ones, and those outside 0 to 1, are rounded";
        losses.add(Loss::new("color_depth", reason).kept_by("float_colors"));
    }
    if colors.space == ColorSpace::Linear {
        let reason = match options.export_colors {
            PlyColors::Linear => "PLY does not say that colours are linear",
            _ => "PLY colours are sRGB: linear ones are converted",
        };
        losses.add_some("color_space", reason, colors.values.len(), "vertex");
    }
}

/// The first array with values that the digits of a text round.
fn rounded(scene: &Scene<'_>, options: &PlyWriteOptions) -> Option<&'static str> {
    let digits = options.digits;
    let positions = |mesh: &Mesh<'_>| losses::rounds_positions(mesh, digits);
    let normals = |mesh: &Mesh<'_>| {
        let normals = mesh.normals.as_ref().filter(|_| options.export_normals);
        normals.is_some_and(|n| losses::rounds(n.values.as_flattened(), digits))
    };
    let uvs = |mesh: &Mesh<'_>| {
        let uvs = mesh.uvs.as_ref().filter(|_| options.export_uv);
        uvs.is_some_and(|uvs| losses::rounds(uvs.values.as_flattened(), digits))
    };
    let attributes = |mesh: &Mesh<'_>| {
        options.export_attributes
            && mesh.attributes.iter().any(|attribute| match &attribute.values {
                Values::F32(values) => losses::rounds(values, digits),
                Values::F64(values) => losses::rounds_f64(values, digits),
                _ => false,
            })
    };
    let any = |rounds: &dyn Fn(&Mesh<'_>) -> bool| scene.meshes.iter().any(rounds);
    let found = [
        (any(&positions), "positions"),
        (any(&normals), "normals"),
        (any(&uvs), "texture coordinates"),
        (any(&attributes), "attributes"),
    ];
    found.into_iter().find_map(|(rounds, array)| rounds.then_some(array))
}
