use super::*;
use crate::pbrt::{ReadOptions, Values};
use proptest::prelude::*;
use solio_base::{Error, Limits, Result, Source, Work};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The text of `other.pbrt`.
pub(crate) const OTHER: &str = "Translate 1 0 0\nMaterial \"conductor\"\nShape \"sphere\"\n\
    ObjectInstance \"leaf\"\nObjectBegin \"leaf\"\nShape \"curve\" \"float width\" 0.5\nObjectEnd\n";

/// Files in memory.
pub(crate) struct MemoryFiles(HashMap<PathBuf, Vec<u8>>);

impl MemoryFiles {
    /// Only `other.pbrt`, which is [`OTHER`].
    pub(crate) fn with_other() -> MemoryFiles {
        MemoryFiles(HashMap::from([(PathBuf::from("other.pbrt"), OTHER.as_bytes().to_vec())]))
    }
}

impl Files for MemoryFiles {
    fn path(&self, name: &[u8]) -> PathBuf {
        PathBuf::from(String::from_utf8_lossy(name).into_owned())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(bytes.clone())),
            None => Err(Error::new(solio_base::ErrorKind::Io, "cannot open: no such file")),
        }
    }
}

pub(super) fn read_with(files: &[(&str, &str)], piece_bytes: usize, threads: usize) -> Scene {
    let all = files.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()));
    let memory = MemoryFiles(all.collect());
    let text = ReadOptions { piece_bytes, limits: Limits::default() };
    let options = SceneOptions { text, ..SceneOptions::default() };
    let work = Work { threads, ..Work::serial() };
    let source = files[0].1.as_bytes().to_vec();
    read_scene(&source, Path::new(files[0].0), &memory, &options, &work).unwrap()
}

fn read(text: &str) -> Scene {
    read_with(&[("scene.pbrt", text)], 1 << 20, 1)
}

fn problems(scene: &Scene) -> Vec<String> {
    scene.problems.iter().map(ToString::to_string).collect()
}

/// All that a scene says, without where its values lie.
fn said(scene: &Scene) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let entity = |e: &Entity| {
        let parameters = scene.parameters(e).map(|(kept, p)| {
            let name = String::from_utf8_lossy(kept.text(p.name)).into_owned();
            let values = match p.values {
                Values::Floats(s) => format!("{:?}", &kept.floats[s.range()]),
                Values::Integers(s) | Values::Bools(s) => {
                    format!("{:?}", &kept.integers[s.range()])
                }
                Values::Strings(s) => {
                    let strings = kept.strings[s.range()].iter();
                    format!("{:?}", strings.map(|s| kept.text(*s)).collect::<Vec<_>>())
                }
            };
            format!("{:?} {name} {values}", p.kind)
        });
        let parameters: Vec<String> = parameters.collect();
        format!("{:?} {:?} {parameters:?} {:?}", e.place, scene.class(e), e.color_space)
    };
    let matrix = |i: u32| scene.matrices[i as usize];
    writeln!(text, "{:?} {} {}", scene.files, scene.version, scene.directives).unwrap();
    let camera = scene.camera.as_ref();
    writeln!(text, "{:?}", camera.map(|c| (entity(&c.entity), c.from_world, c.medium))).unwrap();
    let single = [&scene.film, &scene.sampler, &scene.filter, &scene.integrator];
    writeln!(text, "{:?}", single.map(|e| e.as_ref().map(entity))).unwrap();
    writeln!(text, "{:?}", scene.options.iter().map(entity).collect::<Vec<_>>()).unwrap();
    for s in &scene.shapes {
        let numbers = (s.material, s.area_light, s.inside, s.outside, s.reverse_orientation);
        let matrices = (matrix(s.matrix), matrix(s.matrix_end));
        writeln!(text, "{} {numbers:?} {matrices:?}", entity(&s.entity)).unwrap();
    }
    writeln!(text, "{:?} {:?}", scene.objects, scene.instances).unwrap();
    for m in &scene.materials {
        writeln!(text, "{:?} {:?}", m.name, m.entity.as_ref().map(entity)).unwrap();
    }
    for t in &scene.textures {
        writeln!(text, "{:?} {} {:?}", t.name, entity(&t.entity), matrix(t.matrix)).unwrap();
    }
    for m in &scene.media {
        let e = m.entity.as_ref().map(entity);
        writeln!(text, "{:?} {e:?} {:?}", m.name, matrix(m.matrix)).unwrap();
    }
    for l in &scene.lights {
        let matrices = (matrix(l.matrix), matrix(l.matrix_end));
        writeln!(text, "{} {matrices:?} {}", entity(&l.entity), l.medium).unwrap();
    }
    writeln!(text, "{:?}", scene.area_lights.iter().map(entity).collect::<Vec<_>>()).unwrap();
    writeln!(text, "{:?} {:?}", problems(scene), scene.warnings.len()).unwrap();
    text
}

const SCENE: &str = r#"LookAt 0 -5 0  0 0 0  0 0 1
Camera "perspective" "float fov" 39.5
Film "rgb" "integer xresolution" 200 "string filename" "a.exr"
Sampler "halton" "integer pixelsamples" 4
Option "bool forcediffuse" true
WorldBegin
MakeNamedMedium "fog" "string type" "homogeneous"
MakeNamedMaterial "red" "string type" "diffuse" "rgb reflectance" [ 1 0 0 ]
Attribute "shape" "float radius" 3
Texture "checks" "spectrum" "checkerboard" "float uscale" 8
AttributeBegin
  Translate 1 2 3
  Scale 2 2 2
  NamedMaterial "red"
  MediumInterface "fog" ""
  ReverseOrientation
  AreaLightSource "diffuse" "rgb L" [ 5 5 5 ]
  Shape "sphere" "float zmin" -1
AttributeEnd
ColorSpace "rec2020"
Material "diffuse" "texture reflectance" "checks"
Shape "disk" "float radius" 7
ObjectBegin "tree"
  Translate 0 0 1
  Shape "sphere"
  Shape "cylinder"
ObjectEnd
AttributeBegin
  Transform [ 1 2 3 0  4 5 6 0  7 8 9 0  10 11 12 1 ]
  ObjectInstance "tree"
AttributeEnd
ObjectInstance "tree"
LightSource "infinite" "float scale" 2
"#;

#[test]
fn a_scene_is_followed() {
    let scene = read(SCENE);
    assert_eq!(problems(&scene), Vec::<String>::new());
    let camera = scene.camera.as_ref().unwrap();
    assert_eq!(scene.class(&camera.entity), b"perspective");
    assert_eq!(scene.float(&camera.entity, "fov"), Some(39.5));
    // The eye is the camera's origin; what it looks at lies on +z, what is up on +y.
    let to = |p: [f64; 3]| camera.from_world.start.transform_point3(p.into()).to_array();
    assert_eq!(to([0., -5., 0.]), [0., 0., 0.]);
    assert_eq!(to([0., 0., 0.]), [0., 0., 5.]);
    assert_eq!(to([0., -5., 1.]), [0., 1., 0.]);
    assert!(!camera.from_world.is_moving());
    assert_eq!(scene.bool(&scene.options[0], "forcediffuse"), Some(true));

    assert_eq!((scene.world_shapes, scene.shapes.len()), (2, 4));
    let [sphere, disk, in_tree, _] = &scene.shapes[..] else { panic!() };
    let moved = [2., 0., 0., 1., 0., 2., 0., 2., 0., 0., 2., 3., 0., 0., 0., 1.];
    assert_eq!(scene.matrices[sphere.matrix as usize], moved);
    assert_eq!(scene.materials[sphere.material as usize].name, b"red");
    assert_eq!(scene.media[sphere.inside as usize].name, b"fog");
    assert!(sphere.outside == NONE && sphere.reverse_orientation);
    assert_eq!(scene.floats(&scene.area_lights[0], "L"), Some(&[5., 5., 5.][..]));
    // Its own parameter, and one that was given to all shapes.
    assert_eq!(scene.float(&sphere.entity, "zmin"), Some(-1.0));
    assert_eq!(scene.float(&sphere.entity, "radius"), Some(3.0));
    assert_eq!((sphere.entity.place.line, sphere.entity.place.column), (18, 3));
    assert_eq!(scene.float(&disk.entity, "radius"), Some(7.0));
    assert!(disk.matrix == 0 && disk.area_light == NONE && !disk.reverse_orientation);
    assert_eq!(disk.entity.color_space, ColorSpace::Rec2020);
    let material = scene.materials[disk.material as usize].entity.unwrap();
    assert_eq!(scene.string(&material, "reflectance"), Some(&b"checks"[..]));
    assert_eq!(scene.matrices[in_tree.matrix as usize][11], 1.0);

    let tree = &scene.objects[0];
    assert_eq!((tree.shapes.clone(), tree.instances), (2..4, 2));
    let rows = [1., 4., 7., 10., 2., 5., 8., 11., 3., 6., 9., 12.];
    assert_eq!(scene.instances.matrices[0], rows);
    assert_eq!(scene.instances.matrices[1][..5], [1., 0., 0., 0., 0.]);
    assert_eq!(&SCENE[scene.instances.places[1] as usize..][..14], "ObjectInstance");
    assert_eq!((scene.textures.len(), scene.lights.len()), (1, 1));
}

#[test]
fn of_parameters_of_one_name_the_last_counts() {
    let text = "WorldBegin\nAttribute \"shape\" \"float radius\" 1 \"float radius\" 2\n\
        Shape \"sphere\"\nAttribute \"shape\" \"float radius\" 3\nShape \"sphere\"\n\
        Shape \"sphere\" \"float radius\" 4 \"float radius\" 5\n\
        Shape \"plymesh\" \"string filename\" \"a.ply\" \"string filename\" \"b.ply\"\n\
        MakeNamedMaterial \"m\" \"string type\" \"diffuse\" \"string type\" \"conductor\"\n";
    for version in [3, 4] {
        let options = SceneOptions { version: Some(version), ..SceneOptions::default() };
        let source = text.as_bytes().to_vec();
        let files = MemoryFiles(HashMap::new());
        let scene = read_scene(&source, Path::new("s"), &files, &options, &Work::serial()).unwrap();
        let radius = |i: usize| scene.float(&scene.shapes[i].entity, "radius");
        assert_eq!([0, 1, 2].map(radius), [Some(2.0), Some(3.0), Some(5.0)]);
        assert_eq!(scene.mesh_files(), [b"b.ply"]);
        assert_eq!(scene.class(&scene.materials[0].entity.unwrap()), b"conductor");
    }
    let statements = crate::pbrt::parse(text.as_bytes(), 0);
    assert_eq!(crate::pbrt::meshes::plymesh_file(&statements, 6), Some(&b"b.ply"[..]));
}

#[test]
fn names_that_do_not_count_are_not_missed() {
    let world = "WorldBegin\nTexture \"t\" \"spectrum\" \"constant\"\n\
        MakeNamedMaterial \"a\" \"string type\" \"diffuse\" \"texture reflectance\" \"no\" \
        \"texture reflectance\" \"t\"\n\
        Material \"mix\" \"string materials\" [\"no\" \"a\"] \"string materials\" [\"a\" \"a\"]\n";
    let [problems, warnings] = checked(world);
    assert_eq!((problems.len(), warnings.len()), (0, 2), "{problems:?} {warnings:?}");
    let files = "WorldBegin\n\
        Shape \"plymesh\" \"string filename\" \"no.ply\" \"string filename\" \"a.ply\"\n";
    let options = SceneOptions { check: true, ..SceneOptions::default() };
    let source = files.as_bytes().to_vec();
    let memory = MemoryFiles(HashMap::new());
    let scene = read_scene(&source, Path::new("s"), &memory, &options, &Work::serial()).unwrap();
    let names = scene.named_files.iter().map(|(name, _)| &name[..]);
    assert_eq!(names.collect::<Vec<_>>(), [b"a.ply"]);
}

#[test]
fn matrices_turn_as_pbrt_says() {
    let scene = read(
        "WorldBegin\nRotate 90 0 0 2\nCoordinateSystem \"a\"\nTranslate 1 0 0\n\
        ObjectBegin \"o\"\nShape \"sphere\"\nObjectEnd\nObjectInstance \"o\"\n\
        CoordSysTransform \"a\"\nObjectInstance \"o\"\n",
    );
    let near = |a: [f32; 12], b: [f32; 12]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(scene.instances.matrices[0], [0., -1., 0., 0., 1., 0., 0., 1., 0., 0., 1., 0.]));
    assert!(near(scene.instances.matrices[1], [0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1., 0.]));
}

#[test]
fn motion_has_two_ends() {
    let scene = read(
        "TransformTimes 0.5 2\nActiveTransform EndTime\nTranslate 0 0 1\n\
        Camera \"perspective\"\nWorldBegin\nObjectBegin \"o\"\nObjectEnd\n\
        AttributeBegin\nActiveTransform StartTime\nTranslate 5 0 0\nActiveTransform All\n\
        Scale 2 1 1\nObjectInstance \"o\"\nShape \"sphere\"\nAttributeEnd\nObjectInstance \"o\"\n",
    );
    assert_eq!(problems(&scene), Vec::<String>::new());
    let camera = scene.camera.as_ref().unwrap().from_world;
    assert_eq!((camera.start.w_axis.z, camera.end.w_axis.z, camera.times), (0., 1., [0.5, 2.]));
    assert_eq!(scene.instances.matrices[0][..4], [2., 0., 0., 5.]);
    assert_eq!(scene.instances.moving.len(), 1);
    assert_eq!(scene.instances.moving[0].1[..4], [2., 0., 0., 0.]);
    let shape = scene.shapes[0];
    assert_eq!(scene.matrices[shape.matrix as usize][3], 5.0);
    assert_eq!(scene.matrices[shape.matrix_end as usize][3], 0.0);
}

const FILES: [(&str, &str); 4] = [
    (
        "scene.pbrt",
        "WorldBegin\nInclude \"a.pbrt\"\nShape \"sphere\"\nAttributeBegin\nImport \"b.pbrt\"\n\
         Shape \"disk\"\nAttributeEnd\nObjectInstance \"leaf\"\nInclude \"a.pbrt\"\n",
    ),
    ("a.pbrt", "Translate 1 0 0\nMaterial \"conductor\"\n"),
    ("b.pbrt", "Translate 0 7 0\nMaterial \"hair\"\nInclude \"c.pbrt\"\nShape \"cylinder\"\n"),
    ("c.pbrt", "ObjectBegin \"leaf\"\nShape \"curve\"\nObjectEnd\n"),
];

#[test]
fn files_are_included_and_imported() {
    let scene = read_with(&FILES, 1 << 20, 1);
    assert_eq!(problems(&scene), Vec::<String>::new());
    let names: Vec<&Path> = scene.files.iter().map(|file| &*file.path).collect();
    let expected = ["scene.pbrt", "a.pbrt", "b.pbrt", "c.pbrt", "a.pbrt"].map(Path::new);
    assert_eq!(names, expected);
    assert_eq!(scene.files[3].depth, 2);
    let shape =
        |class: &[u8]| scene.shapes.iter().find(|s| scene.class(&s.entity) == class).unwrap();
    let at = |class: &[u8]| scene.matrices[shape(class).matrix as usize];
    assert_eq!((at(b"sphere")[3], at(b"sphere")[7]), (1., 0.));
    assert_eq!((at(b"cylinder")[3], at(b"cylinder")[7]), (1., 7.));
    // What the import changed is as it was.
    assert_eq!((at(b"disk")[3], at(b"disk")[7]), (1., 0.));
    let material = scene.materials[shape(b"disk").material as usize].entity.unwrap();
    assert_eq!(scene.class(&material), b"conductor");
    assert_eq!(scene.objects[0].shapes.len(), 1);
}

#[test]
fn all_problems_are_told_with_their_places() {
    let files = [
        (
            "scene.pbrt",
            "AttributeEnd\nWorldBegin\nInclude \"missing.pbrt\"\n  NamedMaterial \"gold\"\n\
             Include \"a.pbrt\"\nObjectInstance \"tree\"\nObjectEnd\nColorSpace \"mine\"\n\
             Camera \"perspective\"\nMediumInterface \"mist\"\nRotate 3 0 0 0\nWorldBegin\n\
             Texture \"t\" \"float\" \"constant\"\nTexture \"t\" \"float\" \"constant\"\n\
             CoordSysTransform \"there\"\nAttribute \"world\"\nMakeNamedMaterial \"m\"\n\
             ObjectBegin \"o\"\nObjectInstance \"o\"\nAttributeEnd\n",
        ),
        ("a.pbrt", "Shape \"sphere\n\n Include \"scene.pbrt\"\n  Import \"a.pbrt\"\n"),
    ];
    let found = problems(&read_with(&files, 1 << 20, 1));
    let expected = [
        "scene.pbrt:1:1: AttributeEnd without a beginning (byte 0)",
        "scene.pbrt:3:1: missing.pbrt: cannot open: no such file (byte 24)",
        "a.pbrt:1:7: the string does not end on its line (byte 6)",
        "scene.pbrt:7:1: ObjectEnd without ObjectBegin (byte 109)",
    ];
    for problem in expected {
        assert!(found.iter().any(|f| f == problem), "{problem}\nin {found:#?}");
    }
    for words in [
        "8:1: \"mine\" is no color space",
        "9:1: Camera stands before WorldBegin",
        "11:1: the axis of a rotation has no length",
        "12:1: WorldBegin was there before",
        "14:1: the texture \"t\" was defined in line 13",
        "15:1: no coordinate system is called \"there\"",
        "16:1: \"world\" takes no attributes",
        "17:1: a named material needs \"string type\"",
        "19:1: ObjectInstance inside an object",
        "20:1: AttributeEnd inside an object",
        "18:1: ObjectBegin without an end",
        "6:1: no object is called \"tree\"",
        "4:3: no material is called \"gold\"",
        "10:1: no medium is called \"mist\"",
    ] {
        assert!(found.iter().any(|f| f.contains(words)), "{words}\nin {found:#?}");
    }
}

/// What is wrong with a text, and what is to be warned of, with the table's word.
fn checked(text: &str) -> [Vec<String>; 2] {
    let options = SceneOptions { check: true, ..SceneOptions::default() };
    let (source, files) = (text.as_bytes().to_vec(), MemoryFiles(HashMap::new()));
    let scene = read_scene(&source, Path::new("s"), &files, &options, &Work::serial()).unwrap();
    [&scene.problems, &scene.warnings].map(|all| all.iter().map(ToString::to_string).collect())
}

#[test]
fn what_belongs_into_the_world_stands_in_it() {
    for early in [
        "AttributeBegin\nAttributeEnd",
        "ObjectBegin \"o\"\nObjectEnd",
        "Shape \"sphere\"\nMaterial \"diffuse\"",
        "LightSource \"infinite\"",
        "AreaLightSource \"diffuse\"",
        "Material \"diffuse\"",
        "MakeNamedMaterial \"m\" \"string type\" \"diffuse\"",
        "Texture \"t\" \"float\" \"constant\"",
        "ReverseOrientation",
    ] {
        let head = format!("Film \"rgb\"\nCamera \"perspective\"\n{early}\n");
        let told = |text: &str| -> Vec<String> {
            let lines = early.lines().enumerate().map(|(i, line)| {
                let (line_number, at) = (3 + i, text.find(line).unwrap());
                let name = line.split_ascii_whitespace().next().unwrap();
                format!("s:{line_number}:1: {name} belongs behind WorldBegin (byte {at})")
            });
            lines.collect()
        };
        assert_eq!(checked(&format!("{head}WorldBegin\n")), [told(&head), vec![]]);
        // A part of a scene, which others include.
        assert_eq!(checked(&head)[0], [""; 0]);
        // Version 3 goes on.
        let old = format!("{head}WorldBegin\nWorldEnd\n").replace("rgb", "image");
        assert_eq!(checked(&old)[1], told(&old), "{early}");
    }
    let fine = "MakeNamedMedium \"fog\" \"string type\" \"homogeneous\"\n\
        MediumInterface \"\" \"fog\"\nAttribute \"shape\" \"float radius\" 2\n\
        ColorSpace \"srgb\"\nCoordinateSystem \"c\"\nWorldBegin\nShape \"sphere\"\n";
    assert_eq!(checked(fine)[0], [""; 0]);
}

#[test]
fn version_three_goes_on_without_what_is_too_early() {
    let early = "Material \"matte\" \"rgb Kd\" [1 0 0]\nTexture \"t\" \"color\" \"constant\"\n\
        MakeNamedMaterial \"m\" \"string type\" \"matte\"\nReverseOrientation\n\
        AreaLightSource \"diffuse\"\nShape \"sphere\" \"float radius\" 5\n\
        LightSource \"point\"\nObjectBegin \"o\"\nShape \"disk\"\nObjectEnd\n\
        ObjectInstance \"o\"\nAttributeBegin\n";
    let world = "WorldBegin\nTexture \"t\" \"color\" \"constant\"\nMaterial \"matte\"\n\
        Shape \"cylinder\"\nObjectBegin \"o\"\nShape \"cone\"\nObjectEnd\n\
        ObjectInstance \"o\"\nWorldEnd\n";
    let [with, without] = [read(&format!("{early}{world}")), read(world)];
    let told = with.warnings.iter().filter(|warning| warning.message().contains("belongs behind"));
    assert_eq!((problems(&with), told.count()), (vec![], 12));
    let seen = |scene: &Scene| {
        let shape = |s: &Shape| {
            let class = String::from_utf8_lossy(scene.class(&s.entity)).into_owned();
            (class, s.material, s.area_light, s.reverse_orientation)
        };
        let shapes: Vec<_> = scene.shapes.iter().map(shape).collect();
        let counts = [&scene.instances.objects.len(), &scene.lights.len(), &scene.textures.len()];
        (shapes, counts.map(|count| *count), scene.materials.len(), scene.objects.len())
    };
    assert_eq!(seen(&with), seen(&without));
    // A part of a scene keeps it.
    assert_eq!(read(early).shapes.len(), 2);
}

#[test]
fn of_several_pictures_the_first_is_read() {
    let frame = |radius: u32, file: &str| {
        format!(
            "Camera \"environment\"\nFilm \"image\"\nWorldBegin\nInclude \"{file}\"\n\
             Shape \"sphere\" \"float radius\" {radius}\nWorldEnd\n"
        )
    };
    let text = frame(1, "a") + "# the next\n" + &frame(2, "none") + &frame(3, "none");
    for piece_bytes in [1, 40, 1 << 20] {
        let scene = read_with(&[("s", &text), ("a", "Shape \"disk\"\n")], piece_bytes, 2);
        assert_eq!((problems(&scene), scene.shapes.len()), (vec![], 2));
        let [told] = &scene.warnings[..] else { panic!("{:?}", scene.warnings) };
        assert!(told.to_string().starts_with("s:8:1: a second picture"), "{told}");
    }
}

#[test]
fn borders_of_media_shine_in_version_three_alone() {
    let world = "WorldBegin\nAreaLightSource \"diffuse\"\nMaterial \"none\"\nShape \"sphere\"\n\
        NamedMaterial \"late\"\nShape \"disk\"\nMaterial \"\"\nShape \"cylinder\"\n\
        MakeNamedMaterial \"late\" \"string type\" \"none\"\n";
    let lights = |scene: &Scene| scene.shapes.iter().map(|s| s.area_light).collect::<Vec<_>>();
    let scene = read(world);
    assert_eq!(lights(&scene), [NONE; 3]);
    let lines = scene.warnings.iter().map(|warning| warning.line().unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), [4, 6, 8]);
    assert!(scene.warnings[0].to_string().contains("do not shine"), "{:?}", scene.warnings);
    let scene = read(&format!("{world}WorldEnd\n"));
    assert_eq!((lights(&scene), scene.warnings.len()), (vec![0; 3], 0));
}

#[test]
fn color_spaces_are_named_in_any_case() {
    for name in ["sRGB", "Rec2020", "DCI-P3", "ACES2065-1"] {
        let text = format!("ColorSpace \"{name}\"\nWorldBegin\n");
        assert_eq!(checked(&text), [const { Vec::<String>::new() }; 2]);
    }
    let [found, _] = checked("WorldBegin\nColorSpace \"rec709\"\n");
    assert_eq!(found, ["s:2:1: ColorSpace has no class \"rec709\" (byte 11)"]);
}

#[test]
fn what_the_table_tells_is_told_once() {
    for wrong in ["Attribute \"Shape\" \"float radius\" 3", "Texture \"t\" \"colour\" \"constant\""]
    {
        let text = format!("WorldBegin\n{wrong}\n");
        let [found, _] = checked(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(problems(&read(&text)).len(), 1, "{wrong}");
    }
}

#[test]
fn textures_are_there_and_of_the_type_that_is_needed() {
    let text = "WorldBegin\n\
        Texture \"color\" \"spectrum\" \"constant\"\n\
        Texture \"number\" \"float\" \"constant\"\n\
        Texture \"both\" \"float\" \"constant\"\n\
        Texture \"both\" \"spectrum\" \"constant\"\n\
        MakeNamedMaterial \"a\" \"string type\" \"diffuse\" \"texture reflectance\" \"both\"\n\
        MakeNamedMaterial \"b\" \"string type\" \"diffuse\" \"texture reflectance\" \"number\"\n\
        MakeNamedMaterial \"m\" \"string type\" \"mix\" \"string materials\" [\"a\" \"b\"] \
        \"texture amount\" \"color\"\n\
        Shape \"sphere\" \"texture alpha\" \"both\"\n\
        Shape \"disk\" \"texture alpha\" \"none\"\n\
        MakeNamedMaterial \"n\" \"string type\" \"diffuse\" \"texture reflectance\" \"none\"\n";
    let checked = |version| {
        let options = SceneOptions { check: true, version, ..SceneOptions::default() };
        let source = text.as_bytes().to_vec();
        let files = MemoryFiles(HashMap::new());
        read_scene(&source, Path::new("s"), &files, &options, &Work::serial()).unwrap()
    };
    let found = problems(&checked(Some(4)));
    let expected = [
        "s:7:47: texture \"number\" is of type \"float\", not \"spectrum\" (byte 277)",
        "s:8:72: texture \"color\" is of type \"spectrum\", not \"float\" (byte 379)",
        "s:10:14: no texture is called \"none\" (byte 455)",
    ];
    assert_eq!(found, expected);
    // In version 3 a mix was of colours.
    let found = problems(&checked(Some(3)));
    assert!(found.iter().all(|problem| !problem.contains("\"color\" is of type")), "{found:?}");
}

#[test]
fn files_in_circles_end() {
    let text = "WorldBegin\n Include \"b\"\n";
    let found = problems(&read_with(&[("a", text), ("b", "\nInclude \"a\"\n")], 1 << 20, 2));
    assert_eq!(found, ["b:2:1: the file includes itself (byte 1)"]);
    let names: Vec<String> = (0..100).map(|i| format!("f{i}")).collect();
    let texts: Vec<String> = (1..101).map(|i| format!("Include \"f{i}\"\n")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (&**name, &**text)).collect();
    for threads in [1, 3] {
        let found = problems(&read_with(&files, 1 << 20, threads));
        assert_eq!(found, ["f63:1:1: files are included more than 64 deep (byte 0)"]);
    }
}

#[test]
fn blocks_within_blocks_are_bounded() {
    let deep = "AttributeBegin\n".repeat(200_000);
    let scene = read(&deep);
    assert_eq!(scene.problems.len(), 10);
    assert!(problems(&scene)[3].starts_with("scene.pbrt:4:1: AttributeBegin without an end"));
    let bytes = "AttributeBegin\n".repeat(1_000_001).into_bytes();
    let none = MemoryFiles(HashMap::new());
    let options = SceneOptions::default();
    let result = read_scene(&bytes, Path::new("x"), &none, &options, &Work::serial());
    let error = result.map(|_| ()).unwrap_err();
    assert_eq!(error.line(), Some(1_000_001));
}

#[test]
fn version_three_gives_back_the_transformation_alone() {
    let text = "Film \"image\"\nWorldBegin\nTransformBegin\nTranslate 1 0 0\nMaterial \"matte\"\n\
        TransformEnd\nShape \"sphere\"\nWorldEnd\n";
    let scene = read(text);
    assert_eq!((scene.version, scene.shapes[0].matrix, scene.shapes[0].material), (3, 0, 0));
    let scene = read(&text.replace("Film \"image\"", "Film \"rgb\""));
    assert_eq!((scene.version, scene.shapes[0].matrix, scene.shapes[0].material), (4, 0, NONE));
}

#[test]
fn values_are_kept_alike_whoever_reads_a_file() {
    let shape = format!("Shape \"trianglemesh\" \"point3 P\" [ {}]\n", "0.25 1 2 ".repeat(2000));
    let (mesh, scene) = (shape.repeat(6), "WorldBegin\n".to_owned() + &"Include \"m\"\n".repeat(3));
    let files = [("scene.pbrt", &*scene), ("m", &*mesh)];
    let kept = |threads| {
        let scene = read_with(&files, 8000, threads);
        let counts = |kept: &crate::pbrt::Statements| (kept.floats.len(), kept.parameters.len());
        scene.kept.iter().map(counts).collect::<Vec<_>>()
    };
    let one = kept(1);
    assert!(one.len() > 6);
    for threads in [2, 4] {
        assert_eq!(one, kept(threads));
    }
}

#[test]
fn large_pieces_are_kept_whole() {
    let numbers = "0.25 1 2 ".repeat(3000);
    let text =
        format!("{SCENE}Shape \"trianglemesh\" \"point3 P\" [ {numbers} ]\nShape \"disk\"\n");
    for piece_bytes in [1 << 20, 4000, 700] {
        let scene = read_with(&[("s", &text)], piece_bytes, 1);
        let mesh = scene.shapes.iter().find(|s| scene.class(&s.entity) == b"trianglemesh").unwrap();
        let points = scene.points(&mesh.entity, "P").unwrap();
        assert!(points.len() == 3000 && points.iter().all(|p| *p == [0.25, 1., 2.]));
        assert_eq!(scene.float(&mesh.entity, "radius"), Some(3.0));
        assert_eq!(said(&scene), said(&read_with(&[("s", &text)], 1 << 20, 3)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_and_threads_change_nothing(
        lines in prop::collection::vec(
            prop::sample::select(SCENE.lines().chain(FILES[0].1.lines()).collect::<Vec<_>>()), 0..60),
        piece_bytes in 1usize..400,
        threads in 1usize..5,
    ) {
        let text = lines.iter().map(|line| format!("{}\n", line.trim())).collect::<String>();
        let files = [("scene.pbrt", &*text), FILES[1], FILES[2], FILES[3]];
        let expected = said(&read_with(&files, 1 << 20, 1));
        prop_assert_eq!(expected, said(&read_with(&files, piece_bytes, threads)));
    }
}

#[test]
fn version_three_takes_names_anew() {
    let text = "WorldBegin\n\
        AttributeBegin\n\
        Texture \"t\" \"color\" \"constant\" \"rgb value\" [1 0 0]\n\
        MakeNamedMaterial \"m\" \"string type\" \"matte\" \"texture Kd\" \"t\"\n\
        NamedMaterial \"m\"\nShape \"disk\"\n\
        AttributeBegin\nMakeNamedMaterial \"m\" \"string type\" \"glass\"\nAttributeEnd\n\
        NamedMaterial \"m\"\nShape \"disk\"\n\
        AttributeEnd\n\
        AttributeBegin\n\
        Texture \"t\" \"color\" \"constant\" \"rgb value\" [0 1 0]\n\
        Texture \"t\" \"color\" \"scale\" \"texture tex1\" \"t\"\n\
        Texture \"t\" \"float\" \"constant\"\n\
        Texture \"t-2\" \"color\" \"constant\"\n\
        MakeNamedMaterial \"m\" \"string type\" \"matte\" \"texture Kd\" \"t\" \"texture sigma\" \"t\"\n\
        NamedMaterial \"m\"\nShape \"disk\"\n\
        AttributeEnd\n\
        MakeNamedMedium \"f\" \"string type\" \"homogeneous\"\nMediumInterface \"f\" \"\"\n\
        MakeNamedMedium \"f\" \"string type\" \"heterogeneous\"\nMediumInterface \"\" \"f\"\n\
        ObjectBegin \"o\"\nShape \"cone\"\nObjectEnd\nObjectInstance \"o\"\n\
        ObjectBegin \"o\"\nShape \"sphere\"\nObjectEnd\nObjectInstance \"o\"\nObjectInstance \"o\"\n\
        ObjectBegin \"o-2\"\nShape \"sphere\"\nObjectEnd\nObjectInstance \"o-2\"\nObjectInstance \"o\"\n\
        WorldEnd\n";
    let text = format!("Film \"image\"\n{text}");
    for piece_bytes in [1, 1 << 20] {
        let scene = read_with(&[("s", &text)], piece_bytes, 1);
        assert_eq!(problems(&scene), [""; 0]);
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let names: Vec<_> = scene.textures.iter().map(|t| name(&t.name)).collect();
        assert_eq!(names, ["t", "t-2", "t-3", "t", "t-2+"]);
        let used = |entity: &Entity, of: &str| scene.string(entity, of).map(name);
        assert_eq!(used(&scene.textures[2].entity, "tex1").as_deref(), Some("t-2"));
        let names: Vec<_> = scene.materials.iter().map(|m| name(&m.name)).collect();
        assert_eq!(names, ["m", "m-2", "m-3"]);
        let [first, _, last] = [0, 1, 2].map(|i| scene.materials[i].entity.unwrap());
        assert_eq!(used(&first, "Kd").as_deref(), Some("t"));
        let last = ["Kd", "sigma"].map(|of| used(&last, of).unwrap());
        assert_eq!(last, ["t-3", "t"]);
        let world = &scene.shapes[..scene.world_shapes as usize];
        assert_eq!(world.iter().map(|s| s.material).collect::<Vec<_>>(), [0, 0, 2]);
        assert_eq!(
            (scene.media.len(), scene.shapes[3].inside, scene.shapes[3].outside),
            (2, NONE, 1)
        );
        let objects: Vec<_> =
            scene.objects.iter().map(|o| (name(&o.name), o.shapes.len(), o.instances)).collect();
        let expected = [("o", 1, 1), ("o-2", 1, 3), ("o-2+", 1, 1)];
        assert_eq!(objects, expected.map(|(name, shapes, used)| (name.to_owned(), shapes, used)));
        let told = scene.warnings.iter().map(|w| w.line().unwrap());
        assert_eq!(told.collect::<Vec<_>>(), [9, 16, 25, 31]);
    }
}

#[test]
fn indices_that_make_no_face_are_told() {
    let mesh = |class: &str, indices: &str| {
        format!(
            "Shape \"{class}\" \"point3 P\" [0 0 0 1 0 0 0 1 0 1 1 0] \"integer indices\" {indices}\n"
        )
    };
    let shapes = [
        mesh("trianglemesh", "[0 1 2]"),
        mesh("trianglemesh", "[0 1 2 0 1]"),
        mesh("bilinearmesh", "[0 1 2 3 0]"),
    ];
    let scene = read(&format!("WorldBegin\n{}", shapes.concat()));
    assert_eq!((problems(&scene), scene.shapes.len()), (vec![], 3));
    let told: Vec<_> = scene.warnings.iter().map(|w| (w.line().unwrap(), w.message())).collect();
    let expected = [
        (3, "2 indices are left out at the end: a face has 3 corners"),
        (4, "1 index is left out at the end: a face has 4 corners"),
    ];
    assert_eq!(told, expected);
}
