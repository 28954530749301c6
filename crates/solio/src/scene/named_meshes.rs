//! Scenes as meshes: every shape where it is seen, instances written out.

use crate::scene::file::FolderFiles;
use crate::scene::packed::packed_meshes;
use crate::{Input, MeshReadOptions, SceneReadOptions, ToInput, each_file, read_mesh, read_scene};
use solio_base::{Error, ErrorKind, Losses, Result, Work};
use solio_mesh::model::{Domain, Normals, Object, Positions, Uvs};
use solio_mesh::{Material, Mesh, Scene as Meshes};
use solio_scene::export::{is_border, left_out_of_meshes};
use solio_scene::geometry::{Triangles, triangles};
use solio_scene::preview::material_colors;
use solio_scene::scene::{Entity, Files, NONE, Scene, Shape};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The mesh of a shape, in its own space, with its material on every face.
struct Stored<'s> {
    mesh: Mesh<'s>,
    face_materials: Vec<u32>,
    name: String,
}

/// What meshes do not have of a scene.
#[derive(Clone, Debug, Default)]
pub struct LeftOfScene {
    /// What meshes cannot hold, counted: cameras, lights, motion, shapes that only bound media.
    pub losses: Losses,
    /// How much is missing that meshes could hold: files that could not be read, statements that are
    /// wrong. Each is a warning of the meshes.
    pub problems: u64,
}

/// Reads the scene at `path` and hands its shapes over as meshes: those of the world first, then
/// those of each instance, with the transformation of each as that of its object. Instances share
/// the arrays. Meshes keep their polygons, normals and texture coordinates; quadrics and curves are
/// cut into triangles; faces of shapes whose orientation is reversed are turned around. Problems of
/// the scene, and its notes, are warnings of the meshes; with them goes what of the scene they leave
/// out.
///
/// ```
/// use solio::MeshInfo;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, obj] = ["a.pbrt", "a.obj"].map(|name| folder.path().join(name));
/// # let text = b"WorldBegin\nObjectBegin \"a\"\nShape \"trianglemesh\"\n\
/// #     \"integer indices\" [0 1 2] \"point3 P\" [0 0 0 1 0 0 0 1 0]\nObjectEnd\n\
/// #     ObjectInstance \"a\"\nTranslate 3 0 0\nObjectInstance \"a\"\n";
/// # solio::write_bytes(&path, text)?;
/// # let work = solio::Work::default();
/// // A triangle that is there twice, as a mesh file.
/// let faces = solio::with_scene_meshes(&path, &Default::default(), &work, |meshes, left| {
///     assert!(left.losses.is_empty() && left.problems == 0);
///     solio::write_mesh(meshes, &obj, &Default::default(), &work)?;
///     Ok(MeshInfo::of(meshes).faces)
/// })?;
/// assert_eq!(faces, 2);
/// assert_eq!(solio::info(&obj, &Default::default(), &work)?.mesh.vertices, 6);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the scene cannot be read, and what `then` gives.
pub fn with_scene_meshes<T>(
    input: &(impl ToInput + ?Sized),
    options: &SceneReadOptions,
    work: &Work,
    then: impl FnOnce(&Meshes<'_>, LeftOfScene) -> Result<T>,
) -> Result<T> {
    let input = input.to_input(&options.limits, work)?;
    let scene = read_scene(&*input, options, work)?;
    let mut warnings: Vec<String> = scene.problems.iter().map(ToString::to_string).collect();
    let notes = scene.notes();
    let note_count = notes.len();
    warnings.extend(notes);
    let files = mesh_files(&scene, &input, options, work, &mut warnings)?;
    let mut shapes: Vec<Vec<Stored<'_>>> = Vec::with_capacity(scene.shapes.len());
    for shape in &scene.shapes {
        if is_border(&scene, shape) {
            shapes.push(Vec::new());
            continue;
        }
        let stored = stored(&scene, shape, &files).unwrap_or_else(|error| {
            let place = shape.entity.place;
            let error = error
                .at_path(&scene.files[place.file as usize].path)
                .at_line(place.line.into(), place.column.into());
            warnings.push(error.to_string());
            Vec::new()
        });
        shapes.push(stored);
    }
    let mut meshes = Vec::new();
    for (shape, stored) in scene.shapes.iter().zip(&shapes).take(scene.world_shapes as usize) {
        let matrix = scene.matrices[shape.matrix as usize];
        meshes.extend(stored.iter().map(|stored| placed(stored, stored.name.clone(), &matrix)));
    }
    for (number, (object, instance)) in
        scene.instances.objects.iter().zip(&scene.instances.matrices).enumerate()
    {
        let object = &scene.objects[*object as usize];
        let name = String::from_utf8_lossy(&object.name);
        let range = object.shapes.start as usize..object.shapes.end as usize;
        for (shape, stored) in scene.shapes[range.clone()].iter().zip(&shapes[range]) {
            let matrix = product(instance, &scene.matrices[shape.matrix as usize]);
            let name = |stored: &Stored<'_>| format!("{name}.{number}.{}", stored.name);
            meshes.extend(stored.iter().map(|stored| placed(stored, name(stored), &matrix)));
        }
    }
    let colors = material_colors(&scene);
    let materials = scene.materials.iter().zip(colors).enumerate();
    let materials = materials.map(|(i, (material, color))| Material {
        name: match material.name.is_empty() {
            true => format!("material.{i}"),
            false => String::from_utf8_lossy(&material.name).into_owned(),
        },
        diffuse: Some(color),
        ..Material::default()
    });
    let problems = (warnings.len() - note_count) as u64;
    let left = LeftOfScene { losses: left_out_of_meshes(&scene), problems };
    let made = Meshes { meshes, materials: materials.collect(), warnings, ..Meshes::default() };
    then(&made, left)
}

/// The meshes of all files that shapes name, by their names: those that a packed scene brings along,
/// else those of the files.
fn mesh_files(
    scene: &Scene,
    input: &Input,
    options: &SceneReadOptions,
    work: &Work,
    warnings: &mut Vec<String>,
) -> Result<HashMap<Vec<u8>, Vec<Mesh<'static>>>> {
    let files = FolderFiles::beside(input.path(), &options.limits, work);
    let mut found: HashMap<_, _> = packed_meshes(input, &options.limits, work)?
        .into_iter()
        .map(|(name, mesh)| (name, vec![mesh]))
        .collect();
    let names = scene.mesh_files().into_iter().filter(|name| !found.contains_key(*name));
    let names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    let paths: Vec<PathBuf> = names.iter().map(|name| files.path(name)).collect();
    let read = MeshReadOptions { limits: options.limits, ..MeshReadOptions::default() };
    let read_one = |path: &PathBuf, work: &Work| read_mesh(path, &read, work);
    let mut names = names.into_iter();
    each_file(&paths, work, true, read_one, |path, result| {
        let name = names.next().unwrap_or_default();
        match result {
            Ok(read) => drop(found.insert(name, read.meshes)),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => warnings.push(error.at_path(path).to_string()),
        }
        Ok(true)
    })?;
    Ok(found)
}

/// The meshes of a shape: that of its text, or those of its file.
fn stored<'s>(
    scene: &'s Scene,
    shape: &Shape,
    files: &'s HashMap<Vec<u8>, Vec<Mesh<'static>>>,
) -> Result<Vec<Stored<'s>>> {
    let entity = &shape.entity;
    let class = String::from_utf8_lossy(scene.class(entity)).into_owned();
    let (meshes, name) = match scene.mesh_file(entity) {
        Some(name) => {
            // A file that could not be read has been told of.
            let meshes = files.get(name).map_or(&[][..], |meshes| meshes);
            let file = String::from_utf8_lossy(name).into_owned();
            let stem = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy();
            (meshes.iter().map(lent).collect(), stem.into_owned())
        }
        None => {
            let mesh = of_text(scene, entity)?
                .ok_or_else(|| Error::unsupported(format!("a {class} cannot be made a mesh")))?;
            (vec![mesh], format!("{class}.{}", entity.place.line))
        }
    };
    let number = if shape.material == NONE { solio_mesh::model::NONE } else { shape.material };
    Ok(meshes
        .into_iter()
        .map(|mut mesh| {
            if shape.reverse_orientation {
                turn(&mut mesh);
            }
            let faces = mesh.face_offsets.len().saturating_sub(1);
            Stored { face_materials: vec![number; faces], name: name.clone(), mesh }
        })
        .collect())
}

/// The mesh of a shape in the text; quads stay quads.
fn of_text<'s>(scene: &'s Scene, entity: &Entity) -> Result<Option<Mesh<'s>>> {
    let Some(found) = triangles(scene, entity)? else { return Ok(None) };
    let vertices = found.positions.len();
    let (offsets, corners) = faces_of(scene, entity, &found);
    let mut mesh =
        Mesh { face_offsets: offsets.into(), corner_vertices: corners.into(), ..Mesh::default() };
    mesh.positions = Positions::F32(found.positions);
    if matches!(scene.class(entity), b"trianglemesh" | b"bilinearmesh") {
        if let Some(normals) = scene.points(entity, "N").filter(|n| n.len() == vertices) {
            mesh.normals = Some(Normals { values: normals.into(), domain: Domain::Vertex });
        }
        let uvs = scene.floats(entity, "uv").or_else(|| scene.floats(entity, "st"));
        let uvs = uvs.map(|uvs| uvs.as_chunks::<2>().0).filter(|uvs| uvs.len() == vertices);
        if let Some(uvs) = uvs {
            mesh.uvs = Some(Uvs { values: uvs.into(), domain: Domain::Vertex });
        }
    }
    Ok(Some(mesh))
}

/// Offsets and corners of the faces of a shape in the text: those of patches are quads, each of which was
/// cut into (a, b, c) and (b, d, c).
pub(super) fn faces_of(
    scene: &Scene,
    entity: &Entity,
    found: &Triangles<'_>,
) -> (Vec<u32>, Vec<u32>) {
    if scene.class(entity) == b"bilinearmesh" {
        let quads = found.indices.as_chunks::<2>().0;
        let offsets = (0..=quads.len() as u32).map(|i| 4 * i).collect();
        let corner = |[[a, b, c], [_, d, _]]: &[[u32; 3]; 2]| [*a, *b, *d, *c];
        return (offsets, quads.iter().flat_map(corner).collect());
    }
    let offsets = (0..=found.indices.len() as u32).map(|i| 3 * i).collect();
    (offsets, found.indices.as_flattened().to_vec())
}

/// The arrays of a mesh, borrowed; materials, groups and objects are left out.
fn lent<'m>(mesh: &'m Mesh<'_>) -> Mesh<'m> {
    let domain = |domain: &'m Domain<'_>| match domain {
        Domain::Vertex => Domain::Vertex,
        Domain::Face => Domain::Face,
        Domain::Corner => Domain::Corner,
        Domain::Indexed(index) => Domain::Indexed(Cow::Borrowed(index)),
    };
    Mesh {
        positions: match &mesh.positions {
            Positions::F32(values) => Positions::F32(Cow::Borrowed(values)),
            Positions::F64(values) => Positions::F64(Cow::Borrowed(values)),
        },
        colors: mesh.colors.as_ref().map(|colors| solio_mesh::Colors {
            values: Cow::Borrowed(&colors.values),
            space: colors.space,
        }),
        uvs: mesh
            .uvs
            .as_ref()
            .map(|uvs| Uvs { values: Cow::Borrowed(&uvs.values), domain: domain(&uvs.domain) }),
        normals: mesh.normals.as_ref().map(|normals| Normals {
            values: Cow::Borrowed(&normals.values),
            domain: domain(&normals.domain),
        }),
        face_offsets: Cow::Borrowed(&mesh.face_offsets),
        corner_vertices: Cow::Borrowed(&mesh.corner_vertices),
        ..Mesh::default()
    }
}

/// Turns the faces around, and the normals.
pub(super) fn turn(mesh: &mut Mesh<'_>) {
    let offsets = &*mesh.face_offsets;
    turn_corners(offsets, mesh.corner_vertices.to_mut());
    if let Some(uvs) = &mut mesh.uvs {
        turn_values(offsets, &mut uvs.domain, &mut uvs.values);
    }
    if let Some(normals) = &mut mesh.normals {
        turn_values(offsets, &mut normals.domain, &mut normals.values);
        for normal in normals.values.to_mut() {
            *normal = normal.map(|x| -x);
        }
    }
}

/// Values follow the corners that they belong to.
fn turn_values<T: Clone>(offsets: &[u32], domain: &mut Domain<'_>, values: &mut Cow<'_, [T]>) {
    match domain {
        Domain::Vertex | Domain::Face => {}
        Domain::Corner => turn_corners(offsets, values.to_mut()),
        Domain::Indexed(index) => turn_corners(offsets, index.to_mut()),
    }
}

/// The first corner of each face stays the first.
pub(super) fn turn_corners<T>(offsets: &[u32], corners: &mut [T]) {
    for pair in offsets.windows(2) {
        if let Some(rest) = corners.get_mut(pair[0] as usize + 1..pair[1] as usize) {
            rest.reverse();
        }
    }
}

/// A mesh at its place, as one object.
fn placed<'m>(stored: &'m Stored<'_>, name: String, matrix: &[f32; 16]) -> Mesh<'m> {
    let mesh = Mesh { face_materials: Cow::Borrowed(&stored.face_materials), ..lent(&stored.mesh) };
    let count = |n: usize| n as u32;
    let object = Object {
        mesh_name: name.clone(),
        name,
        vertices_end: count(mesh.positions.len()),
        uvs_end: count(mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len())),
        normals_end: count(mesh.normals.as_ref().map_or(0, |normals| normals.values.len())),
        faces_end: count(mesh.face_offsets.len().saturating_sub(1)),
        transform: Some(std::array::from_fn(|row| std::array::from_fn(|c| matrix[4 * row + c]))),
        ..Object::default()
    };
    Mesh { objects: vec![object], ..mesh }
}

/// The matrix of a shape under an instance.
fn product(instance: &[f32; 12], shape: &[f32; 16]) -> [f32; 16] {
    std::array::from_fn(|i| {
        let (row, column) = (i / 4, i % 4);
        if row == 3 {
            return if column == 3 { 1.0 } else { 0.0 };
        }
        let term = |k: usize| f64::from(instance[4 * row + k]) * f64::from(shape[4 * k + column]);
        (term(0) + term(1) + term(2) + term(3)) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Primaries;
    use crate::write_bytes;

    /// The corners of each mesh, its normals, and what was left out.
    type Made = (Vec<Vec<u32>>, Vec<Vec<[f32; 3]>>, Losses);

    fn made(world: &str, file: &[u8]) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pbrt");
        write_bytes(&path, format!("WorldBegin\n{world}").as_bytes()).unwrap();
        write_bytes(&folder.path().join("a.ply"), file).unwrap();
        with_scene_meshes(&path, &SceneReadOptions::default(), &Work::serial(), |made, left| {
            let is_of_borders = |told: &String| told.contains("on borders of media do not shine");
            assert!(made.warnings.iter().all(is_of_borders), "{:?}", made.warnings);
            let corners = made.meshes.iter().map(|mesh| mesh.corner_vertices.to_vec());
            let normals = made.meshes.iter().map(|mesh| match &mesh.normals {
                Some(normals) => normals.values.to_vec(),
                None => Vec::new(),
            });
            Ok((corners.collect(), normals.collect(), left.losses))
        })
        .unwrap()
    }

    #[test]
    fn what_version_three_leaves_out_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pbrt");
        let picture = "Camera \"perspective\"\nWorldBegin\nShape \"disk\"\nWorldEnd\n";
        let text = format!("Shape \"sphere\"\n{picture}{picture}");
        write_bytes(&path, text.as_bytes()).unwrap();
        let (options, work) = (SceneReadOptions::default(), Work::serial());
        let warnings =
            with_scene_meshes(&path, &options, &work, |made, _| Ok(made.warnings.clone())).unwrap();
        let told = |warnings: &[String]| {
            let [early, second] = warnings else { panic!("{warnings:?}") };
            assert!(early.contains("a.pbrt:1:1: Shape belongs behind WorldBegin"), "{early}");
            assert!(second.contains("a.pbrt:6:1: a second picture"), "{second}");
        };
        told(&warnings);
        for name in ["a.gltf", "a.usda"] {
            let output = folder.path().join(name);
            let made = crate::export_scene(&path, &output, &Default::default(), &work).unwrap();
            told(&made.warnings);
        }
        let small = solio_scene::preview::RenderOptions {
            most: Some([8, 8]),
            ..solio_scene::preview::RenderOptions::default()
        };
        let drawn = crate::preview_scene(&path, &options, &small, &work, |_| Ok(true)).unwrap();
        told(&drawn.warnings);
    }

    const QUAD: &[u8] = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n\
        property float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

    #[test]
    fn reversed_shapes_show_their_other_side() {
        let triangle = "Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \
            \"normal N\" [0 0 1 0 0 1 0 1 0]\n";
        let file = "Shape \"plymesh\" \"string filename\" \"a.ply\"\n";
        let world = format!(
            "{triangle}{file}ReverseOrientation\n{triangle}{file}\
             ObjectBegin \"o\"\n{triangle}ObjectEnd\nObjectInstance \"o\"\n"
        );
        let (corners, normals, left) = made(&world, QUAD);
        assert!(left.is_empty());
        let turned = vec![0, 2, 1];
        let expected = [vec![0, 1, 2], vec![0, 1, 2, 3], turned.clone(), vec![0, 3, 2, 1], turned];
        assert_eq!(corners, expected);
        assert_eq!(normals[0], [[0., 0., 1.], [0., 0., 1.], [0., 1., 0.]]);
        assert_eq!(normals[2], [[0., 0., -1.], [0., 0., -1.], [0., -1., 0.]]);
    }

    #[test]
    fn values_of_corners_go_with_them() {
        let mut mesh = Mesh {
            face_offsets: vec![0, 3, 3, 7].into(),
            corner_vertices: vec![0, 1, 2, 0, 1, 2, 3].into(),
            uvs: Some(Uvs {
                values: (0..7u8).map(|i| [f32::from(i); 2]).collect(),
                domain: Domain::Corner,
            }),
            normals: Some(Normals {
                values: vec![[1., 0., 0.], [0., 1., 0.]].into(),
                domain: Domain::Indexed(vec![0, 0, 1, 1, 0, 0, 1].into()),
            }),
            ..Mesh::default()
        };
        turn(&mut mesh);
        assert_eq!(*mesh.corner_vertices, [0, 2, 1, 0, 3, 2, 1]);
        let uvs = mesh.uvs.unwrap().values.iter().map(|[u, _]| *u).collect::<Vec<_>>();
        assert_eq!(uvs, [0., 2., 1., 3., 6., 5., 4.]);
        let normals = mesh.normals.unwrap();
        assert_eq!(*normals.values, [[-1., 0., 0.], [0., -1., 0.]]);
        assert_eq!(normals.domain, Domain::Indexed(vec![0, 1, 0, 1, 1, 0, 0].into()));
    }

    /// Two crates that do not know each other.
    #[test]
    fn color_spaces_of_scenes_are_those_of_pictures() {
        use solio_scene::scene::ColorSpace;
        let white = Primaries::SRGB.white;
        for (space, rgb, white) in [
            (ColorSpace::Srgb, Primaries::SRGB.rgb, white),
            (ColorSpace::DciP3, [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], white),
            (ColorSpace::Rec2020, [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046]], white),
            (
                ColorSpace::Aces2065,
                [[0.7347, 0.2653], [0.0, 1.0], [0.0001, -0.077]],
                [0.32168, 0.33767],
            ),
        ] {
            let [ours, wanted] = [space.to_srgb(), Primaries { rgb, white }.to(&Primaries::SRGB)];
            assert_eq!(ours.is_some(), wanted.is_some());
            let pairs = ours.iter().flatten().flatten().zip(wanted.iter().flatten().flatten());
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 2e-6), "{space:?} {wanted:?}");
        }
    }

    #[test]
    fn borders_of_media_are_left_out() {
        let sphere = "Shape \"sphere\"\n";
        let disk = "Material \"diffuse\"\nShape \"disk\"\n";
        let world = format!("Material \"interface\"\n{sphere}{sphere}{disk}");
        let (corners, _, left) = made(&world, b"");
        assert_eq!(corners.len(), 1);
        assert_eq!(left.to_string(), "left out: 2 shapes that only bound media");
        // What shines is seen: in version 3.
        let light = "Material \"none\"\nAreaLightSource \"diffuse\"\nShape \"disk\"\n";
        assert_eq!(made(light, b"").0.len(), 0);
        assert_eq!(made(&format!("{light}WorldEnd\n"), b"").0.len(), 1);
    }
    #[test]
    fn what_meshes_have_no_words_for_is_counted() {
        let world = "LightSource \"point\"\nTexture \"t\" \"spectrum\" \"constant\"\n\
            ActiveTransform EndTime\nTranslate 1 0 0\nActiveTransform All\nShape \"sphere\"\n\
            AreaLightSource \"diffuse\"\nShape \"disk\"\nShape \"cylinder\"\n\
            Material \"interface\"\nShape \"sphere\"\n";
        let expected = [
            "2 lights of shapes",
            "1 light without a shape",
            "4 motions of shapes: they stand where they begin",
            "1 shape that only bounds media",
            "1 texture: its constant part alone counts",
        ];
        let left: Vec<String> = made(world, b"").2.iter().map(ToString::to_string).collect();
        assert_eq!(left, expected.map(|words| format!("left out: {words}")));
    }
}
