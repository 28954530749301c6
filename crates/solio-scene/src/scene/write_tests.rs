use super::tests::{MemoryFiles, OTHER};
use super::transform::rows;
use super::*;
use crate::pbrt::Values;
use proptest::prelude::*;
use solio_base::{ErrorKind, Work};
use std::path::Path;

fn read(text: &[u8]) -> Scene {
    read_as(None, text)
}

fn read_as(version: Option<u32>, text: &[u8]) -> Scene {
    let options = SceneOptions { version, ..SceneOptions::default() };
    read_scene(
        &text.to_vec(),
        Path::new("s"),
        &MemoryFiles::with_other(),
        &options,
        &Work::serial(),
    )
    .unwrap()
}

fn written(scene: &Scene) -> Vec<u8> {
    let mut text = Vec::new();
    write_scene(scene, &mut text, &Work::serial()).unwrap();
    text
}

/// All that a scene means: no places, no numbers of things, no files.
fn meaning(scene: &Scene) -> Vec<String> {
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let level = |e: &Entity| {
        let kept = &scene.kept[e.kept as usize];
        let parameters = kept.parameters[e.parameters.range()].iter().map(|p| {
            let values = match p.values {
                Values::Floats(s) => format!("{:?}", bits(&kept.floats[s.range()])),
                Values::Integers(s) => format!("{:?}", &kept.integers[s.range()]),
                Values::Bools(s) => format!("bools {:?}", &kept.integers[s.range()]),
                Values::Strings(s) => {
                    let strings = kept.strings[s.range()].iter();
                    format!("{:?}", strings.map(|s| kept.text(*s)).collect::<Vec<_>>())
                }
            };
            format!("{:?} {} {:?} {values}", p.kind, p.older_form, kept.text(p.name))
        });
        let parameters: Vec<String> = parameters.collect();
        format!("{:?} {parameters:?} {:?}", scene.class(e), e.color_space)
    };
    let entity = |e: &Entity| {
        let mut all = level(e);
        let mut next = e.inherited;
        while next != NONE {
            all += &level(&scene.attributes[next as usize]);
            next = scene.attributes[next as usize].inherited;
        }
        all
    };
    let perhaps = |e: &Option<Entity>| e.as_ref().map(entity);
    let matrix = |i: u32| bits(&scene.matrices[i as usize]);
    let medium = |i: u32| (i != NONE).then(|| scene.media[i as usize].name.clone());
    let material = |i: u32| {
        let made = (i != NONE).then(|| &scene.materials[i as usize]);
        made.map(|made| (made.name.clone(), perhaps(&made.entity)))
    };
    let shape = |s: &Shape| {
        let light =
            (s.area_light != NONE).then(|| entity(&scene.area_lights[s.area_light as usize]));
        let media = (medium(s.inside), medium(s.outside));
        let matrices = (matrix(s.matrix), matrix(s.matrix_end));
        let of = (entity(&s.entity), matrices, material(s.material));
        format!("shape {of:?} {light:?} {media:?} {}", s.reverse_orientation)
    };
    let mut all = vec![format!("version {}", scene.version)];
    all.push(format!(
        "{:?}",
        scene.camera.as_ref().map(|camera| {
            let Motion { start, end, times } = camera.from_world;
            (
                entity(&camera.entity),
                [start, end].map(|m| bits(&rows(&m))),
                times,
                medium(camera.medium),
            )
        })
    ));
    let once = [&scene.film, &scene.sampler, &scene.filter, &scene.integrator, &scene.accelerator];
    all.push(format!("{:?}", once.map(perhaps)));
    all.extend(scene.options.iter().map(|option| format!("option {}", entity(option))));
    let world = 0..scene.world_shapes as usize;
    all.extend(scene.shapes[world].iter().map(shape));
    let mut named = Vec::new();
    for object in scene.objects.iter().filter(|object| object.defined.is_some()) {
        let shapes = &scene.shapes[object.shapes.start as usize..object.shapes.end as usize];
        let shapes: Vec<String> = shapes.iter().map(shape).collect();
        named.push(format!("object {:?} {} {shapes:?}", object.name, object.instances));
    }
    for known in scene.materials.iter().filter(|known| !known.name.is_empty()) {
        if let Some(of) = &known.entity {
            named.push(format!("material {:?} {}", known.name, entity(of)));
        }
    }
    for known in &scene.media {
        if let Some(of) = &known.entity {
            named.push(format!(
                "medium {:?} {} {:?}",
                known.name,
                entity(of),
                matrix(known.matrix)
            ));
        }
    }
    // In the order in which they are named first, which may be another one.
    named.sort();
    all.append(&mut named);
    let instances = &scene.instances;
    let mut moving = instances.moving.iter().peekable();
    for (i, (object, matrix)) in instances.objects.iter().zip(&instances.matrices).enumerate() {
        let end = moving.next_if(|(instance, _)| *instance as usize == i).map(|(_, end)| bits(end));
        // What moves less than single precision tells apart stands.
        let end = end.filter(|end| *end != bits(matrix));
        let name = &scene.objects[*object as usize].name;
        all.push(format!("instance {name:?} {:?} {end:?}", bits(matrix)));
    }
    for t in &scene.textures {
        let of = (entity(&t.entity), matrix(t.matrix));
        all.push(format!("texture {:?} {} {of:?}", t.name, t.is_spectrum));
    }
    for l in &scene.lights {
        let matrices = (matrix(l.matrix), matrix(l.matrix_end));
        all.push(format!("light {} {matrices:?} {:?}", entity(&l.entity), medium(l.medium)));
    }
    all
}

const SCENE: &str = r#"LookAt 0 -5 0  0 0 0  0.1 0 1
TransformTimes 0.5 2
ColorSpace "aces2065-1"
MediumInterface "" "fog"
ActiveTransform EndTime
Translate 0 0.3 0
ActiveTransform All
Camera "perspective" "float fov" 39.5
Film "rgb" "integer xresolution" 200 "string filename" "a \"b\".exr"
Sampler "halton" "integer pixelsamples" 4
PixelFilter "mitchell"
Integrator "path" "integer maxdepth" 100
Accelerator "bvh"
Option "bool forcediffuse" true
Option "float displacementedgescale" 2
WorldBegin
Rotate 33 1 2 3
MakeNamedMedium "fog" "string type" "homogeneous" "rgb sigma_a" [ 1 2 3 ]
Attribute "material" "bool remaproughness" false
MakeNamedMaterial "red" "string type" "diffuse" "rgb reflectance" [ 1 0 0 ]
Attribute "shape" "float radius" 3
Attribute "light" "float scale" 3
Attribute "medium" "float g" 0.5
Attribute "texture" "float vscale" 9
ColorSpace "rec2020"
Attribute "shape" "float zmax" 1e39
Texture "checks" "spectrum" "checkerboard" "float uscale" -0
MakeNamedMedium "mist" "string type" "cloud"
AttributeBegin
Translate 1 2 3
ReverseOrientation
NamedMaterial "red"
NamedMaterial "missing"
MediumInterface "fog" ""
MediumInterface "mist"
AreaLightSource "diffuse" "rgb L" [ 5 5 5 ]
Shape "sphere" "float zmin" -1
AttributeEnd
ColorSpace "dci-p3"
Material "diffuse" "texture reflectance" "checks"
Shape "plymesh" "string filename" "a.ply" "spectrum eta" "metal-Cu-eta" "point old" [ 1 2 3 ]
ObjectBegin "tree"
Translate 0 0 1
Shape "plymesh" "string filename" "b.ply"
Material "hair" "float eumelanin" 0.3
ReverseOrientation
Shape "trianglemesh" "point3 P" [ 0 0 0 1 0 0 0 1 0 ] "integer indices" [ 0 1 2 ]
ObjectEnd
ActiveTransform StartTime
Scale 1 2 1e-3
ActiveTransform EndTime
Rotate 20 0 1 0
ActiveTransform All
ObjectInstance "tree"
Shape "disk"
AttributeEnd
ObjectInstance "tree"
CoordinateSystem "here"
Identity
CoordSysTransform "here"
Include "other.pbrt"
Import "other.pbrt"
LightSource "infinite" "float scale" 2 "spectrum L" [ 200 1 800 2 ]
ObjectInstance "nothing"
ConcatTransform [ 1 2 3 0  4 5 6 0  7 8 9 0  10 11 12 1 ]
"#;

#[test]
fn text_of_a_scene_is_read_as_the_scene() {
    let scene = read(SCENE.as_bytes());
    let text = written(&scene);
    let back = read(&text);
    assert_eq!(meaning(&back), meaning(&scene), "{}", String::from_utf8_lossy(&text));
    // Once more changes nothing.
    assert_eq!(String::from_utf8_lossy(&written(&back)), String::from_utf8_lossy(&text));
    let scene = read_as(Some(3), SCENE.as_bytes());
    assert_eq!(meaning(&read_as(Some(3), &written(&scene))), meaning(&scene));
}

#[test]
fn attributes_end_with_the_material_that_held_beside_them() {
    let text = "Attribute \"shape\" \"float zmax\" 1\nWorldBegin\nAttributeBegin\nMaterial \"conductor\"\n\
        Shape \"sphere\"\nAttributeEnd\nShape \"disk\"\nAttribute \"shape\" \"float zmax\" 2\n\
        Shape \"cylinder\"\n";
    let scene = read(text.as_bytes());
    assert_eq!(meaning(&read(&written(&scene))), meaning(&scene));
}

#[test]
fn what_has_no_text_is_refused() {
    let mut scene = read(SCENE.as_bytes());
    scene.matrices[2][5] = f32::NAN;
    let error = write_scene(&scene, &mut Vec::new(), &Work::serial()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn long_texts_are_written_in_pieces() {
    let mut text = String::from("WorldBegin\nObjectBegin \"a\"\nObjectEnd\n");
    for i in 0..70_000u32 {
        text += &format!("Translate {i} 0 1\nObjectInstance \"a\"\n");
        if i.is_multiple_of(7) {
            text += "Identity\nShape \"sphere\"\n";
        }
    }
    let scene = read(text.as_bytes());
    let text = written(&scene);
    let mut threads = Vec::new();
    let work = Work { threads: 3, ..Work::serial() };
    write_scene(&scene, &mut threads, &work).unwrap();
    assert!(threads == text);
    assert!(meaning(&read(&text)) == meaning(&scene));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_scenes_are_written(
        lines in prop::collection::vec(
            prop::sample::select(SCENE.lines().chain(OTHER.lines()).collect::<Vec<_>>()), 0..80),
    ) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let scene = read(text.as_bytes());
        let written = written(&scene);
        let back = read_as(Some(scene.version), &written);
        prop_assert_eq!(meaning(&back), meaning(&scene), "{}", text);
    }
}
