//! What an OBJ with its MTL cannot hold of a scene.

use super::mtl_keys::{KEYS, MtlValue};
use super::rational::is_rational;
use super::write::says_weight;
use super::{MtlWriteOptions, ObjWriteOptions, small_faces};
use crate::losses::{self, ATTRIBUTES, SPLATS, VERTEX_GROUPS, lacking};
use crate::material::Material;
use crate::model::{ColorSpace, Domain, Mesh, Object, Scene};
use crate::{MOST_COLORS, stl};
use solio_base::{Loss, Losses, Result, Work};

/// What an OBJ and its MTL, written with these options, cannot hold of `scene`. What an option
/// switches off that is on by default is not counted.
///
/// # Errors
/// What starting threads fails with.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{Mesh, Scene, model::VertexGroup, obj};
/// let arm = VertexGroup { name: "arm".into(), vertices: vec![].into(), weights: vec![].into() };
/// let mesh = Mesh { vertex_groups: vec![arm], ..Mesh::default() };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let losses = obj::obj_losses(&scene, &Default::default(), &Default::default(), &Work::serial())?;
/// assert_eq!(losses.iter().map(|loss| loss.what).collect::<Vec<_>>(), ["vertex_groups"]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn obj_losses(
    scene: &Scene<'_>,
    options: &ObjWriteOptions,
    mtl: &MtlWriteOptions,
    work: &Work,
) -> Result<Losses> {
    losses::look(scene, work, || find(scene, options, mtl))
}

fn find(scene: &Scene<'_>, options: &ObjWriteOptions, mtl: &MtlWriteOptions) -> Losses {
    let mut losses = Losses::default();
    objects(&mut losses, scene, options);
    losses::transforms(&mut losses, scene, "OBJ", options.apply_transform);
    lacking(&mut losses, scene, "OBJ", &[SPLATS, ATTRIBUTES]);
    face_colors(&mut losses, scene);
    if options.export_vertex_groups {
        let groups = scene.meshes.iter().map(|mesh| mesh.vertex_groups.len()).sum();
        let reason = "OBJ has vertex groups as groups of faces, without weights";
        losses.add_some("vertex_groups", reason, groups, "vertex group");
    } else {
        lacking(&mut losses, scene, "OBJ", &[VERTEX_GROUPS]);
    }
    let is_rational =
        is_rational(&options.epilogue) || scene.meshes.iter().any(|m| is_rational(&m.freeform));
    for mesh in &scene.meshes {
        let reason = "faces of less than three corners become lines, points or nothing";
        losses.add_some("small_faces", reason, small_faces(mesh), "face");
        let own = |uvs: &Domain<'_>| !options.merge || matches!(uvs, Domain::Indexed(_));
        if options.export_uv && !mesh.uvs.as_ref().is_some_and(|uvs| own(&uvs.domain)) {
            let reason = "lines refer to texture coordinates that are merged";
            losses.add_some("line_uvs", reason, mesh.line_uvs.len(), "value");
        }
        if options.export_colors {
            colors(&mut losses, mesh, options, is_rational);
        }
    }
    if options.export_materials {
        let count = |is: fn(&Material) -> bool| scene.materials.iter().filter(|m| is(m)).count();
        let reason = "MTL does not tell from which opacity on a surface is seen";
        losses.add_some("materials", reason, count(|m| m.alpha_cutoff.is_some()), "material");
        let reason = "MTL does not tell that one side alone is seen";
        losses.add_some("materials", reason, count(|m| m.double_sided == Some(false)), "material");
    }
    losses::digits(&mut losses, rounded(scene, options, mtl));
    losses
}

/// Colours of faces that did not become materials.
fn face_colors(losses: &mut Losses, scene: &Scene<'_>) {
    let mut colored = scene.meshes.iter().filter(|mesh| stl::face_colors(mesh).is_some());
    if colored.next().is_some() {
        let reason = format!(
            "OBJ has the colours of faces as materials: of up to {MOST_COLORS} colours, where the \
             faces have no materials"
        );
        losses.add(Loss::new("attributes", reason));
    }
}

/// Objects are told by their names.
fn objects(losses: &mut Losses, scene: &Scene<'_>, options: &ObjWriteOptions) {
    let none = Object::default();
    let objects = scene.meshes.iter().flat_map(|mesh| match mesh.objects.is_empty() {
        true => std::slice::from_ref(&none),
        false => &mesh.objects[..],
    });
    let nameless = objects.clone().skip(1).filter(|object| object.name.is_empty()).count();
    let reason = "objects without a name join the one before";
    losses.add_some("objects", reason, nameless, "object");
    let has_other = |o: &&Object| !o.mesh_name.is_empty() && o.mesh_name != o.name;
    for object in objects.filter(|o| !options.export_object_groups && has_other(o)) {
        let loss = Loss::new("mesh_names", "OBJ has names of objects, and none of their meshes");
        let loss = loss.count(1, "name").example(&*object.mesh_name);
        losses.add(loss.kept_by("export_object_groups"));
    }
}

fn colors(losses: &mut Losses, mesh: &Mesh<'_>, options: &ObjWriteOptions, is_rational: bool) {
    let Some(colors) = &mesh.colors else { return };
    let alpha = || colors.values.iter().filter(|color| color[3] != 1.0).count();
    if is_rational {
        let reason = "in an OBJ of rational curves colours have no alpha";
        losses.add_some("alpha", reason, alpha(), "vertex");
    } else if !options.export_alpha {
        let loss = Loss::new("alpha", "the colours' alpha is left out, as Blender does");
        if alpha() > 0 {
            losses.add(loss.count(alpha() as u64, "vertex").kept_by("export_alpha"));
        }
    }
    if let Some(weights) = &mesh.weights {
        let pairs = weights.iter().zip(&*colors.values);
        let lost = |&(&w, &c): &(&f32, &[f32; 4])| w != 1.0 && !says_weight(w, c, is_rational);
        let reason = "an OBJ without rational curves has a vertex' colour or its fourth coordinate";
        losses.add_some("weights", reason, pairs.filter(lost).count(), "vertex");
    }
    if colors.space == ColorSpace::Linear {
        let reason = "OBJ colours are sRGB: linear ones are converted";
        losses.add_some("color_space", reason, colors.values.len(), "vertex");
    }
}

/// The first array with values that the digits written round.
fn rounded(
    scene: &Scene<'_>,
    options: &ObjWriteOptions,
    mtl: &MtlWriteOptions,
) -> Option<&'static str> {
    let positions = |mesh: &Mesh<'_>| losses::rounds_positions(mesh, options.position_digits);
    let weights = |mesh: &Mesh<'_>| {
        mesh.weights.as_ref().is_some_and(|w| losses::rounds(w, options.position_digits))
    };
    let uvs = |mesh: &Mesh<'_>| {
        let uvs = mesh.uvs.as_ref().filter(|_| options.export_uv);
        uvs.is_some_and(|uvs| losses::rounds(uvs.values.as_flattened(), options.uv_digits))
    };
    let normals = |mesh: &Mesh<'_>| {
        let normals = mesh.normals.as_ref().filter(|_| options.export_normals);
        normals.is_some_and(|n| losses::rounds(n.values.as_flattened(), options.normal_digits))
    };
    let colors = |mesh: &Mesh<'_>| {
        let colors = mesh.colors.as_ref().filter(|_| options.export_colors);
        colors.is_some_and(|c| {
            losses::any(c.values.len(), |i| losses::rounds(&c.values[i][..3], options.color_digits))
        })
    };
    type Rounds<'a> = &'a dyn Fn(&Mesh<'_>) -> bool;
    let arrays: [(Rounds<'_>, &str); 5] = [
        (&positions, "positions"),
        (&weights, "weights"),
        (&uvs, "texture coordinates"),
        (&normals, "normals"),
        (&colors, "vertex colours"),
    ];
    let found = arrays.into_iter().find(|(rounds, _)| scene.meshes.iter().any(rounds));
    found.map(|(_, array)| array).or_else(|| {
        let mut materials = scene.materials.iter().filter(|_| options.export_materials);
        materials.any(|one| losses::rounds(&numbers(one), mtl.digits)).then_some("materials")
    })
}

/// All numbers of a material that are written with digits.
fn numbers(material: &Material) -> Vec<f32> {
    let mut material = material.clone();
    let of = |(_, value): &(&str, MtlValue)| match value {
        MtlValue::Color(field) => field(&mut material).map_or(Vec::new(), Vec::from),
        MtlValue::Number(field) => Vec::from_iter(*field(&mut material)),
        MtlValue::Illum | MtlValue::Transparency => Vec::new(),
    };
    KEYS.iter().flat_map(of).collect()
}
