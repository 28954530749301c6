//! Nothing is lost without an entry, and no entry is there for nothing: scenes that have something
//! go through every pair of formats, and what is missing afterwards is compared with what was said.

use solio::mesh::material::{Material, TextureMap};
use solio::mesh::model::{Attribute, Domain, NONE, ScalarType, Values, VertexGroup};
use solio::mesh::{ColorSpace, Colors, Mesh, Normals, Object, Positions, Scene, Uvs};
use solio::{Losses, MeshReadOptions, MeshWriteOptions, Work};
use std::collections::BTreeSet;
use std::path::Path;

/// What one scene has and another does not: each with the entries of which one must say so.
type Missing = Vec<(&'static str, &'static [&'static str])>;

const ROUNDED: &[&str] = &["digits", "positions", "transforms"];

/// A quad's half and a triangle that share an edge.
fn base() -> Scene<'static> {
    let positions = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
    let mesh = Mesh {
        positions: Positions::F32(positions.to_vec().into()),
        face_offsets: vec![0, 3, 6].into(),
        corner_vertices: vec![0, 1, 2, 0, 2, 3].into(),
        ..Mesh::default()
    };
    Scene { meshes: vec![mesh], ..Scene::default() }
}

fn object(name: &str, faces_end: u32, end: u32) -> Object {
    Object {
        name: name.into(),
        vertices_end: end,
        uvs_end: u32::MAX,
        normals_end: u32::MAX,
        faces_end,
        lines_end: u32::MAX,
        points_end: u32::MAX,
        ..Object::default()
    }
}

type Change = fn(&mut Scene<'static>);

/// Everything that a scene may have.
const FEATURES: [(&str, Change); 34] = [
    ("nothing", |_| {}),
    ("quad", |s| {
        s.meshes[0].face_offsets = vec![0, 4].into();
        s.meshes[0].corner_vertices = vec![0, 1, 2, 3].into();
    }),
    ("small face", |s| {
        s.meshes[0].face_offsets = vec![0, 3, 6, 8].into();
        s.meshes[0].corner_vertices = vec![0, 1, 2, 0, 2, 3, 1, 3].into();
    }),
    ("double", |s| {
        let far = [[4_500_000.123_456, 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
        s.meshes[0].positions = Positions::F64(far.to_vec().into());
    }),
    ("fine positions", |s| {
        let fine = [[0.123_456_79, 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
        s.meshes[0].positions = Positions::F32(fine.to_vec().into());
    }),
    ("loose vertex", |s| {
        let more = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [5., 5., 5.]];
        s.meshes[0].positions = Positions::F32(more.to_vec().into());
    }),
    ("weights", |s| s.meshes[0].weights = Some(vec![1., 0.5, 1., 2.].into())),
    ("colors", |s| colors(s, [1.0, 0.0, 0.0, 1.0], ColorSpace::Srgb)),
    ("fine colors", |s| colors(s, [0.5, 0.123_456, 2.0, 1.0], ColorSpace::Srgb)),
    ("alpha", |s| colors(s, [1.0, 0.0, 0.0, 0.0], ColorSpace::Srgb)),
    ("linear colors", |s| colors(s, [0.25, 0.0, 0.0, 1.0], ColorSpace::Linear)),
    ("uvs", |s| {
        let values = vec![[0., 0.], [1., 0.], [1., 1.], [0., 1.]].into();
        s.meshes[0].uvs = Some(Uvs { values, domain: Domain::Vertex });
    }),
    ("seam", |s| {
        let values = vec![[0., 0.], [1., 0.], [1., 1.], [0.5, 0.125], [0.25, 1.]].into();
        let domain = Domain::Indexed(vec![0, 1, 2, 3, 2, 4].into());
        s.meshes[0].uvs = Some(Uvs { values, domain });
    }),
    ("fine uvs", |s| {
        let values = vec![[1. / 3., 0.], [1., 0.], [1., 1.], [0., 1.]].into();
        s.meshes[0].uvs = Some(Uvs { values, domain: Domain::Vertex });
    }),
    ("normals", |s| {
        let values = vec![[0., 1., 0.]; 4].into();
        s.meshes[0].normals = Some(Normals { values, domain: Domain::Vertex });
    }),
    ("corner normals", |s| {
        let mut values = vec![[0., 0.6, 0.8]; 6];
        values[3] = [1., 0., 0.];
        s.meshes[0].normals = Some(Normals { values: values.into(), domain: Domain::Corner });
    }),
    ("face normals", |s| {
        let values = vec![[0., 0., 1.], [0., 0., 1.]].into();
        s.meshes[0].normals = Some(Normals { values, domain: Domain::Face });
    }),
    ("materials", |s| materials(s, [1.0, 0.5, 0.25])),
    ("fine materials", |s| materials(s, [1. / 3., 0.5, 0.25])),
    ("one texture", |s| textures(s, ["oak", "oak"], ["oak.png", "oak.png"])),
    ("one texture under two names", |s| textures(s, ["wood", "oak"], ["oak.png", "oak.png"])),
    ("two textures", |s| textures(s, ["oak", "fir"], ["oak.png", "fir.png"])),
    ("face colors", |s| {
        let channel = |(name, values): (&str, [u8; 2])| Attribute {
            element: "face".into(),
            name: name.into(),
            values: Values::U8(values.to_vec().into()),
            list: None,
        };
        let channels = [("red", [255, 8]), ("green", [0, 16]), ("blue", [0, 0])];
        s.meshes[0].attributes = channels.map(channel).to_vec();
    }),
    ("smoothing", |s| s.meshes[0].face_smoothing = vec![1, 2].into()),
    ("groups", |s| {
        s.meshes[0].face_groups = vec![1, 0].into();
        s.meshes[0].groups = vec!["left".into(), "right".into()];
    }),
    ("edges", |s| lines(s, &[0, 2], &[1, 3])),
    ("polylines", |s| lines(s, &[0, 3, 5], &[1, 3, 0, 0, 1])),
    ("points", |s| s.meshes[0].points = vec![0, 3].into()),
    ("objects", |s| s.meshes[0].objects = vec![object("one", 1, 4), object("two", 2, 4)]),
    ("transforms", |s| {
        let mut moved = object("one", 2, 4);
        let [x, y, z, w] = [[1., 0., 0., 8.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]];
        moved.transform = Some([x, y, z, w]);
        moved.mesh_name = "one".into();
        s.meshes[0].objects = vec![moved];
    }),
    ("mesh names", |s| {
        let mut named = object("one", 2, 4);
        named.mesh_name = "data".into();
        s.meshes[0].objects = vec![named];
    }),
    ("vertex groups", |s| {
        let (vertices, weights) = (vec![0, 1].into(), vec![1.0, 0.5].into());
        s.meshes[0].vertex_groups = vec![VertexGroup { name: "arm".into(), vertices, weights }];
    }),
    ("attributes", |s| {
        let attribute = |element: &str, name: &str, values| Attribute {
            element: element.into(),
            name: name.into(),
            values,
            list: None,
        };
        let list = Some((vec![0, 2, 3].into(), ScalarType::U8));
        let values = Values::F64(vec![0.1, 0.2, 0.3].into());
        s.meshes[0].attributes = vec![
            attribute("vertex", "label", Values::I32(vec![-1, 2, 70_000, 3].into())),
            attribute("face", "quality", Values::F32(vec![0.25, 1.0 / 3.0].into())),
            Attribute { list, ..attribute("face", "neighbours", values) },
            attribute("camera", "focal", Values::U16(vec![50].into())),
        ];
    }),
    ("freeform and comments", |s| {
        s.meshes[0].freeform = b"cstype bezier\ndeg 3\ncurv 0 1 1 2 3 4\nend\n".to_vec();
        s.comments = vec!["made by hand".into()];
    }),
];

fn colors(scene: &mut Scene<'static>, color: [f32; 4], space: ColorSpace) {
    scene.meshes[0].colors = Some(Colors { values: vec![color; 4].into(), space });
}

fn materials(scene: &mut Scene<'static>, diffuse: [f32; 3]) {
    let map = TextureMap { key: "map_Kd".into(), options: Vec::new(), path: "oak.png".into() };
    let oak = Material {
        name: "oak".into(),
        diffuse: Some(diffuse),
        roughness: Some(0.5),
        maps: vec![map],
        ..Material::default()
    };
    scene.materials = vec![oak, Material { name: "iron".into(), ..Material::default() }];
    scene.meshes[0].face_materials = vec![0, 1].into();
}

/// Materials that are a texture each; those of one name are one.
fn textures(scene: &mut Scene<'static>, names: [&str; 2], paths: [&str; 2]) {
    let material = |(name, path): (&str, &str)| Material {
        name: name.into(),
        maps: vec![TextureMap { key: "map_Kd".into(), options: Vec::new(), path: path.into() }],
        ..Material::default()
    };
    scene.materials = names.into_iter().zip(paths).map(material).collect();
    scene.materials.dedup();
    scene.meshes[0].face_materials = vec![0, scene.materials.len() as u32 - 1].into();
}

fn lines(scene: &mut Scene<'static>, offsets: &[u32], vertices: &[u32]) {
    scene.meshes[0].line_offsets = offsets.to_vec().into();
    scene.meshes[0].line_vertices = vertices.to_vec().into();
}

/// All of them at once, as far as they go together.
fn everything() -> Scene<'static> {
    let mut scene = base();
    for (name, change) in FEATURES {
        let apart =
            ["quad", "small face", "loose vertex", "transforms", "mesh names", "face colors"];
        if !apart.contains(&name) && !name.contains("texture") {
            change(&mut scene);
        }
    }
    scene
}

/// A value of each corner.
fn of_corners<T: Copy>(mesh: &Mesh<'_>, domain: &Domain<'_>, values: &[T]) -> Vec<Option<T>> {
    let face = |corner: usize| mesh.face_offsets.partition_point(|&o| o as usize <= corner) - 1;
    let of = |corner: usize| {
        let index = match domain {
            Domain::Vertex => mesh.corner_vertices[corner] as usize,
            Domain::Face => face(corner),
            Domain::Corner => corner,
            Domain::Indexed(index) if index[corner] == NONE => return None,
            Domain::Indexed(index) => index[corner] as usize,
        };
        Some(values[index])
    };
    (0..mesh.corner_vertices.len()).map(of).collect()
}

fn corners_of<T: Copy>(mesh: &Mesh<'_>, of_vertex: impl Fn(usize) -> T) -> Vec<T> {
    mesh.corner_vertices.iter().map(|&vertex| of_vertex(vertex as usize)).collect()
}

fn places(mesh: &Mesh<'_>) -> BTreeSet<[u64; 3]> {
    // Zeros of both signs are one place.
    let of = |i: usize| mesh.positions.get(i).map(|v| (v + 0.0).to_bits());
    (0..mesh.positions.len()).map(of).collect()
}

fn polylines(mesh: &Mesh<'_>) -> Vec<Vec<[f64; 3]>> {
    let line = |range: &[u32]| {
        let vertices = &mesh.line_vertices[range[0] as usize..range[1] as usize];
        vertices.iter().map(|&v| mesh.positions.get(v as usize)).collect()
    };
    mesh.line_offsets.windows(2).map(line).collect()
}

/// The names of a number of each face.
fn names_of<'n>(numbers: &[u32], names: &[&'n str]) -> Vec<&'n str> {
    numbers.iter().map(|&n| names.get(n as usize).copied().unwrap_or("")).collect()
}

/// What an STL has behind its triangles.
const WORDS: &str = "attribute_byte_count";

/// The colours of faces, of attributes or of materials.
fn face_colors(scene: &Scene<'_>) -> Vec<[u8; 3]> {
    let mesh = &scene.meshes[0];
    let of = |name: &str| {
        let found = mesh.attributes.iter().find(|a| a.element == "face" && a.name == name);
        match found.map(|a| &a.values) {
            Some(Values::U8(values)) => values.to_vec(),
            _ => Vec::new(),
        }
    };
    let [red, green, blue] = ["red", "green", "blue"].map(of);
    if !red.is_empty() {
        return (0..red.len()).map(|i| [red[i], green[i], blue[i]]).collect();
    }
    let color = |number: &u32| {
        let color = scene.materials[*number as usize].diffuse.unwrap();
        color.map(|value| (value * 255.0).round() as u8)
    };
    mesh.face_materials.iter().map(color).collect()
}

/// The normals of faces of a PLY, which are attributes where they are read.
fn face_normals(mesh: &Mesh<'_>) -> Option<Normals<'static>> {
    let of = |name: &str| {
        let is = |a: &&Attribute<'_>| (&*a.element, &*a.name) == ("face", name);
        match &mesh.attributes.iter().find(is)?.values {
            Values::F32(values) => Some(values.to_vec()),
            _ => None,
        }
    };
    let [x, y, z] = [of("nx")?, of("ny")?, of("nz")?];
    let values: Vec<_> = x.iter().zip(&y).zip(&z).map(|((&x, &y), &z)| [x, y, z]).collect();
    Some(Normals { values: values.into(), domain: Domain::Face })
}

/// Whether a material has what another says; a format may say more, such as that nothing is metal.
fn keeps(material: &Material, other: &Material) -> bool {
    fn same<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
        a.is_none() || a == b
    }
    let (a, b) = (material, other);
    let paths = |m: &Material| m.maps.iter().map(|map| map.path.clone()).collect::<BTreeSet<_>>();
    same(a.ambient.filter(|color| *color != [1.0; 3]), b.ambient)
        && same(a.diffuse, b.diffuse)
        && same(a.specular, b.specular)
        && same(a.emission, b.emission)
        && same(a.transmission_filter, b.transmission_filter)
        && same(a.shininess, b.shininess)
        && same(a.ior, b.ior)
        && same(a.opacity.filter(|opacity| *opacity != 1.0), b.opacity)
        && same(a.illum, b.illum)
        && same(a.roughness, b.roughness)
        && same(a.metallic, b.metallic)
        && same(a.clearcoat, b.clearcoat)
        && same(a.sheen, b.sheen)
        && same(a.anisotropy, b.anisotropy)
        && same(a.double_sided.filter(|both| !both), b.double_sided)
        && same(a.alpha_cutoff, b.alpha_cutoff)
        && paths(a).is_subset(&paths(b))
}

/// What `before` has and `after` does not.
fn missing(before: &Scene<'_>, after: &Scene<'_>) -> Missing {
    let mut missing: Missing = Vec::new();
    let (a, b) = (&before.meshes[0], &after.meshes[0]);
    let mut expect = |holds: bool, what, said| {
        if !holds {
            missing.push((what, said));
        }
    };
    let same_faces = a.face_offsets == b.face_offsets;
    expect(same_faces, "faces", &["polygons", "small_faces"]);
    expect(
        places(a).is_subset(&places(b)),
        "positions",
        &["digits", "positions", "transforms", "vertices"],
    );
    expect(
        a.positions.len() >= b.positions.len(),
        "vertices that are shared",
        &["shared_vertices"],
    );
    expect(a.weights.is_none() || a.weights == b.weights, "weights", &["weights"]);
    let wide = |mesh: &Mesh<'_>| matches!(mesh.positions, Positions::F64(_));
    expect(!wide(a) || wide(b), "double", &["positions"]);
    if same_faces {
        let corner = |mesh: &Mesh<'_>| corners_of(mesh, |v| mesh.positions.get(v));
        expect(corner(a) == corner(b), "corners", ROUNDED);
        if let Some(uvs) = &a.uvs {
            let of = |uvs: &Uvs<'_>, mesh| of_corners(mesh, &uvs.domain, &uvs.values);
            expect(b.uvs.is_some(), "uvs", &["uvs"]);
            let other = b.uvs.as_ref().is_none_or(|other| of(other, b) == of(uvs, a));
            expect(other, "values of uvs", &["digits"]);
        }
        if let Some(normals) = &a.normals {
            let of =
                |normals: &Normals<'_>, mesh| of_corners(mesh, &normals.domain, &normals.values);
            let same = match &b.normals {
                Some(other) => of(other, b) == of(normals, a),
                None => face_normals(b).is_some_and(|other| of(&other, b) == of(normals, a)),
            };
            expect(same, "normals", &["digits", "normals"]);
        }
        if let Some(colors) = &a.colors {
            expect(b.colors.is_some(), "colors", &["vertex_colors"]);
            if let Some(other) = &b.colors {
                let of = |mesh, colors: &Colors<'_>, alpha: f32| {
                    corners_of(mesh, |v| {
                        let [r, g, b, a] = colors.values[v];
                        [r, g, b, a * alpha]
                    })
                };
                expect(colors.space == other.space, "space of colors", &["color_space"]);
                let said: &[&str] = &["color_depth", "color_space", "digits"];
                expect(of(a, colors, 0.0) == of(b, other, 0.0), "values of colors", said);
                let alpha = corners_of(a, |v| colors.values[v][3]);
                let same = alpha == corners_of(b, |v| other.values[v][3]);
                expect(same, "alpha", &["alpha"]);
            }
        }
        let material_names = |scene: &Scene<'_>| {
            let names: Vec<_> = scene.materials.iter().map(|m| m.name.clone()).collect();
            names
        };
        let (x, y) = (material_names(before), material_names(after));
        let names = |names: &[String], mesh: &Mesh<'_>| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            names_of(&mesh.face_materials, &names).join("|")
        };
        let kept = a.face_materials.is_empty() || names(&x, a) == names(&y, b);
        expect(kept, "materials of faces", &["materials"]);
        let groups = |mesh: &Mesh<'_>| {
            let names: Vec<&str> = mesh.groups.iter().map(String::as_str).collect();
            names_of(&mesh.face_groups, &names).join("|")
        };
        expect(a.face_groups.is_empty() || groups(a) == groups(b), "groups", &["groups"]);
        let smoothing = a.face_smoothing.is_empty() || a.face_smoothing == b.face_smoothing;
        expect(smoothing, "smoothing", &["smoothing_groups"]);
    }
    for material in &before.materials {
        let other = after.materials.iter().find(|other| other.name == material.name);
        expect(other.is_some(), "materials", &["materials"]);
        let same = other.is_none_or(|other| other == material || keeps(material, other));
        expect(same, "values of materials", &["digits", "materials"]);
    }
    expect(b.line_offsets.len() >= a.line_offsets.len(), "lines", &["lines"]);
    if !a.line_offsets.is_empty() && !b.line_offsets.is_empty() {
        let said = &["polylines", "digits", "positions", "transforms"];
        expect(polylines(a) == polylines(b), "polylines", said);
    }
    let points = |mesh: &Mesh<'_>| -> Vec<[f64; 3]> {
        mesh.points.iter().map(|&vertex| mesh.positions.get(vertex as usize)).collect()
    };
    let said = &["points", "digits", "positions", "transforms"];
    expect(points(a).is_empty() || points(a) == points(b), "points", said);
    let objects = |mesh: &Mesh<'_>| {
        let named = mesh.objects.iter().filter(|o| !o.name.is_empty());
        named.map(|o| (o.name.clone(), o.faces_end)).collect::<Vec<_>>()
    };
    expect(objects(a).is_empty() || objects(a) == objects(b), "objects", &["objects"]);
    let data = |o: &&Object| !o.mesh_name.is_empty() && o.mesh_name != o.name;
    let mesh_names = |mesh: &Mesh<'_>| mesh.objects.iter().filter(data).count();
    expect(mesh_names(a) == mesh_names(b), "names of meshes", &["mesh_names", "objects"]);
    let transforms = |mesh: &Mesh<'_>| mesh.objects.iter().any(|o| o.transform.is_some());
    expect(transforms(a) == transforms(b), "transforms", &["transforms"]);
    let groups = a.vertex_groups.is_empty() || a.vertex_groups == b.vertex_groups;
    expect(groups, "vertex groups", &["vertex_groups"]);
    let has_face = |name: &str| a.attributes.iter().any(|a| a.element == "face" && a.name == name);
    let colored = has_face("red") && same_faces && !b.face_materials.is_empty();
    if colored {
        expect(face_colors(before) == face_colors(after), "colours of faces", &["attributes"]);
    }
    let is_color = |a: &Attribute<'_>| ["red", "green", "blue", WORDS].contains(&&*a.name);
    for attribute in a.attributes.iter().filter(|a| !(colored && is_color(a))) {
        let is = |other: &&Attribute<'_>| {
            (&other.element, &other.name) == (&attribute.element, &attribute.name)
        };
        let other = b.attributes.iter().find(is);
        expect(other.is_some(), "attributes", &["attributes"]);
        if let Some(other) = other.filter(|_| attribute.element != "vertex") {
            expect(other == attribute, "values of attributes", &["color_depth"]);
        }
    }
    let freeform = a.freeform.is_empty() || a.freeform == b.freeform;
    expect(freeform, "freeform", &["freeform"]);
    let maps = || after.materials.iter().flat_map(|material| &material.maps);
    // An MTL says what a comment of a PLY does.
    let is_map = |comment: &String| {
        let path = comment.strip_prefix("TextureFile ");
        path.is_some_and(|path| maps().any(|map| map.path == path))
    };
    let is_kept = |comment: &String| after.comments.contains(comment) || is_map(comment);
    let comments = before.comments.iter().all(is_kept);
    expect(comments, "comments", &["comments"]);
    let libraries = before.material_libraries.is_empty() || !after.material_libraries.is_empty();
    expect(libraries, "libraries", &["material_libraries"]);
    missing
}

/// Writes and reads; what was said to be lost has to be what is.
fn through(scene: &Scene<'_>, path: &Path, what: &str, wrong: &mut Vec<String>) -> Scene<'static> {
    let options = MeshWriteOptions::default();
    let work = Work::default();
    let written = solio::write_mesh(scene, path, &options, &work).unwrap();
    let mut read = MeshReadOptions::default();
    read.obj.double = matches!(scene.meshes[0].positions, Positions::F64(_));
    let after = solio::read_mesh(path, &read, &work).unwrap();
    let what = format!("{what} -> {}", path.extension().unwrap().display());
    let mut missing = missing(scene, &after);
    let is_gltf = path.extension().is_some_and(|end| end == "gltf" || end == "glb");
    if is_gltf {
        // It has the materials themselves.
        missing.retain(|(_, said)| !said.contains(&"material_libraries"));
    }
    if is_gltf && scene.meshes[0].objects.iter().any(|object| object.transform.is_some()) {
        // The node has it, and the reader puts the vertices where it leads.
        missing.retain(|(_, said)| !said.contains(&"transforms"));
    }
    // Vertices without a face may lie where others do, so that no position is missing.
    let mesh = &scene.meshes[0];
    let used: BTreeSet<u32> = mesh.corner_vertices.iter().copied().collect();
    if used.len() < mesh.positions.len() && written.losses.iter().any(|l| l.what == "vertices") {
        missing.push(("vertices without a face", &["vertices"]));
    }
    compare(&missing, &written.losses, &what, wrong);
    if !written.losses.is_empty() {
        let strict = MeshWriteOptions { strict_loss: true, ..options };
        let refused = path.with_file_name("refused.ply").with_extension(path.extension().unwrap());
        assert!(solio::write_mesh(scene, &refused, &strict, &work).is_err(), "{what}");
        assert!(!refused.exists(), "{what}");
    }
    after
}

fn compare(missing: &Missing, losses: &Losses, what: &str, wrong: &mut Vec<String>) {
    for (thing, said) in missing {
        let is_said = losses.iter().any(|loss| said.contains(&loss.what));
        if !is_said {
            wrong.push(format!("{what}: {thing} missing without an entry; there are: {losses}"));
        }
    }
    for loss in losses {
        let is_true = missing.iter().any(|(_, said)| said.contains(&loss.what));
        if !is_true {
            wrong.push(format!("{what}: nothing is missing that would be: {loss}; {missing:?}"));
        }
    }
}

#[test]
fn what_meshes_lose_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenes: Vec<(&str, Scene<'static>)> = FEATURES
        .iter()
        .map(|(name, change)| {
            let mut scene = base();
            change(&mut scene);
            (*name, scene)
        })
        .collect();
    scenes.push(("everything", everything()));
    let mut wrong = Vec::new();
    for (name, scene) in &scenes {
        // Those of splats alone refuse what has none.
        let formats = || {
            let all = solio::Format::ALL.into_iter().filter(|format| !format.has_splats_alone());
            all.map(solio::Format::as_str)
        };
        for first in formats() {
            let path = folder.path().join(format!("first.{first}"));
            let once = through(scene, &path, name, &mut wrong);
            for second in formats() {
                let path = folder.path().join(format!("second.{second}"));
                through(&once, &path, &format!("{name} -> {first}"), &mut wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_options_lose_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::default();
    let what = |scene: &Scene<'_>, name: &str, change: &dyn Fn(&mut MeshWriteOptions)| {
        let mut options = MeshWriteOptions::default();
        change(&mut options);
        let written = solio::write_mesh(scene, &folder.path().join(name), &options, &work);
        written.unwrap().losses.iter().map(|loss| loss.what).collect::<Vec<_>>()
    };
    let scene = |wanted: &str| {
        let mut scene = base();
        FEATURES.iter().find(|(name, _)| *name == wanted).unwrap().1(&mut scene);
        scene
    };
    // The options that entries name do keep.
    let fine = scene("fine positions");
    assert_eq!(what(&fine, "a.obj", &|_| {}), ["digits"]);
    let shortest = |o: &mut MeshWriteOptions| o.obj.position_digits = solio::Digits::Shortest;
    assert!(what(&fine, "a.obj", &shortest).is_empty());
    let colors = scene("fine colors");
    assert_eq!(what(&colors, "a.ply", &|_| {}), ["color_depth"]);
    let float = |o: &mut MeshWriteOptions| o.ply.color_type = solio::mesh::ply::PlyColorType::F32;
    assert!(what(&colors, "a.ply", &float).is_empty());
    let objects = scene("objects");
    assert_eq!(what(&objects, "a.stl", &|_| {}), ["objects"]);
    assert!(what(&objects, "a.stl", &|o| o.stl_batch = true).is_empty());
    // What is switched off is not lost.
    assert!(what(&colors, "a.obj", &|o| o.obj.export_colors = false).is_empty());
}
