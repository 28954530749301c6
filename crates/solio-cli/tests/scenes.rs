//! Scenes through the command: info, check, preview, convert, as people and scripts meet them.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{Ran, names};
use solio::Work;
use solio::image::model::Pixels;
use solio::image::{ReadOptions, decode_exr};
use std::io::Write;
use std::path::Path;

fn solio(dir: &Path, line: &str) -> Ran {
    ran::run(dir, &line.split_whitespace().collect::<Vec<_>>(), b"")
}

const SCENE: &str = r#"LookAt 0 0 5  0 0 0  0 1 0
Camera "perspective" "float fov" 60
Film "rgb" "integer xresolution" 60 "integer yresolution" 40 "string filename" "a.exr"
WorldBegin
Include "materials/all.pbrt"
ObjectBegin "square"
  NamedMaterial "red"
  Shape "plymesh" "string filename" "square.ply"
ObjectEnd
AttributeBegin
  Scale 0.5 0.5 0.5
  ObjectInstance "square"
AttributeEnd
Translate 0 1 0
ObjectInstance "square"
"#;

const MATERIALS: &str =
    "MakeNamedMaterial \"red\" \"string type\" \"diffuse\" \"rgb reflectance\" [ 1 0 0 ]\n";

const SQUARE: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    -1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\n4 0 1 2 3\n";

/// A folder with a scene, plain and packed.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("materials")).unwrap();
    std::fs::write(dir.path().join("materials/all.pbrt"), MATERIALS).unwrap();
    std::fs::write(dir.path().join("square.ply"), SQUARE).unwrap();
    std::fs::write(dir.path().join("scene.pbrt"), SCENE).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Two members, as `cat a.gz b.gz` makes them.
    let (first, second) = SCENE.as_bytes().split_at(200);
    packed.write_all(first).unwrap();
    let mut bytes = packed.finish().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(second).unwrap();
    bytes.append(&mut packed.finish().unwrap());
    std::fs::write(dir.path().join("packed.pbrt.gz"), bytes).unwrap();
    dir
}

#[test]
fn info_counts_what_is_there() {
    let dir = folder();
    for name in ["scene.pbrt", "packed.pbrt.gz"] {
        let said = solio(dir.path(), &format!("info --json {name}")).fine().json();
        let [said] = &said[..] else { panic!() };
        assert_eq!(said["primitives"], 1);
        assert_eq!(said["instanced_primitives"], 2);
        assert_eq!(said["instances"], 2);
        assert_eq!(said["files"][1]["depth"], 1);
        assert_eq!(said["shapes"]["plymesh"]["shapes"], 1);
        assert_eq!(said["largest_meshes"][0]["name"], "square.ply");
        assert_eq!(said["problems"].as_array().unwrap().len(), 0);
    }
    let text = solio(dir.path(), "info scene.pbrt").fine();
    assert!(text.text().contains("2 of 1 object"), "{}", text.text());
}

#[test]
fn a_conversion_of_scenes_is_recorded() {
    let dir = folder();
    std::fs::copy(dir.path().join("scene.pbrt"), dir.path().join("other.pbrt")).unwrap();
    let line = "convert scene.pbrt other.pbrt -o out/ --durable --report run.html --trace run.json";
    solio(dir.path(), line).fine();
    let page = std::fs::read_to_string(dir.path().join("run.html")).unwrap();
    for words in ["solio convert 2 scenes -o out/", "out/scene.pbrt", "out/other.pbrt"] {
        assert!(page.contains(words), "{words}");
    }
    let trace = std::fs::read(dir.path().join("run.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&trace).unwrap();
    assert!(!trace["traceEvents"].as_array().unwrap().is_empty());
    let said = solio(dir.path(), "convert scene.pbrt -o scene.glb --report glb.html").fine();
    let page = std::fs::read_to_string(dir.path().join("glb.html")).unwrap();
    assert!(page.contains("solio convert scene.pbrt -o scene.glb"), "{}", said.text());
}

#[test]
fn check_lists_every_problem_with_its_place() {
    let dir = folder();
    let fine = solio(dir.path(), "check scene.pbrt packed.pbrt.gz").fine();
    assert_eq!(fine.text().lines().filter(|line| line.contains(": ok (pbrt")).count(), 2);
    let broken = SCENE
        .replace("square.ply", "gone.ply")
        .replace("\"float fov\"", "\"float fow\"")
        .replace("NamedMaterial \"red\"", "NamedMaterial \"blue\"")
        + "  Include \"nowhere.pbrt\"\nTranslate 1 2\n";
    std::fs::write(dir.path().join("broken.pbrt"), broken).unwrap();
    let found = solio(dir.path(), "check broken.pbrt");
    assert_eq!(found.code, 1);
    for words in [
        "broken.pbrt:2:22: ",
        "broken.pbrt:7:3: no material is called \"blue\"",
        "broken.pbrt:8:19: gone.ply: ",
        "broken.pbrt:16:3: nowhere.pbrt: ",
        "broken.pbrt:18:1: Translate takes 3 numbers",
    ] {
        assert!(found.text().contains(words), "{words}\nin {}", found.text());
    }
    let found = solio(dir.path(), "check --json broken.pbrt").json();
    assert_eq!(found[0]["ok"], false);
    let problems = found[0]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 5);
    assert_eq!((&problems[0]["line"], &problems[0]["column"]), (&2.into(), &22.into()));
    // With --deep meshes are read, and a broken one shows.
    std::fs::write(dir.path().join("square.ply"), &SQUARE[..SQUARE.len() - 12]).unwrap();
    assert_eq!(solio(dir.path(), "check scene.pbrt").code, 0);
    assert_eq!(solio(dir.path(), "check --deep scene.pbrt").code, 1);
}

#[test]
fn preview_draws_what_the_camera_sees() {
    let dir = folder();
    solio(dir.path(), "preview scene.pbrt -o first.exr --progressive").fine();
    let bytes = std::fs::read(dir.path().join("first.exr")).unwrap();
    let image = decode_exr(&bytes, &ReadOptions::default(), &Work::default()).unwrap();
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
    let channels: Vec<&str> = levels[0].planes.iter().map(|p| &*p.channel.name).collect();
    assert_eq!(channels.join(" "), "A B G N.X N.Y N.Z R Z id");
    let said = solio(dir.path(), "preview scene.pbrt -o first.png --size 30 --json").fine().json();
    assert_eq!((&said[0]["width"], &said[0]["height"]), (&30.into(), &20.into()));
    assert_eq!(said[0]["definitions_seen"], 1);
    let png = std::fs::read(dir.path().join("first.png")).unwrap();
    assert_eq!(png[..4], *b"\x89PNG");
    // What cannot be drawn is said; the rest is drawn.
    std::fs::remove_file(dir.path().join("square.ply")).unwrap();
    let ran = solio(dir.path(), "preview scene.pbrt -o nothing.png");
    assert!(ran.err.contains("scene.pbrt:8:3: ") && ran.err.contains("square.ply"), "{}", ran.err);
    assert!(ran.code == 1 && dir.path().join("nothing.png").exists());
}

#[test]
fn convert_formats_and_upgrades() {
    let dir = folder();
    let old = "Film \"image\" \"integer xresolution\" [ 9 ]\nWorldBegin # here\n\
        Material \"matte\" \"color Kd\" [ .5 .25 1.0 ]\n Shape \"sphere\"\nWorldEnd\n";
    std::fs::write(dir.path().join("old.pbrt"), old).unwrap();
    solio(dir.path(), "convert old.pbrt -o new.pbrt --upgrade").fine();
    let new = std::fs::read_to_string(dir.path().join("new.pbrt")).unwrap();
    assert!(new.contains("\"rgb reflectance\" [ 0.5 0.25 1 ]"), "{new}");
    assert!(new.contains("# here") && !new.contains("WorldEnd"), "{new}");
    solio(dir.path(), "check new.pbrt").fine();
    // Written anew nothing changes any more; several files go into a folder.
    solio(dir.path(), "convert new.pbrt scene.pbrt -o out/").fine();
    assert_eq!(names(&dir.path().join("out")), ["new.pbrt", "scene.pbrt"]);
    assert_eq!(std::fs::read_to_string(dir.path().join("out/new.pbrt")).unwrap(), new);
    let none = solio(dir.path(), "convert old.pbrt scene.pbrt -o one.pbrt");
    assert_eq!(none.code, 2, "{}", none.err);
}

#[test]
fn convert_writes_instances_out_as_meshes() {
    let dir = folder();
    let text = format!("{SCENE}Shape \"bilinearmesh\" \"point3 P\" [0 0 9 1 0 9 0 1 9 1 1 9]\n");
    std::fs::write(dir.path().join("scene.pbrt"), text).unwrap();
    solio(dir.path(), "convert scene.pbrt -o scene.obj").fine();
    let said = solio(dir.path(), "info --json scene.obj").fine().json();
    assert_eq!((&said[0]["faces"], &said[0]["quads"]), (&3.into(), &3.into()));
    let names = said[0]["object_names"].as_array().unwrap();
    let expected = ["bilinearmesh.16", "square.0.square", "square.1.square"];
    assert_eq!(names.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), expected);
    // Half as large in the middle; of full size, one higher.
    assert_eq!(said[0]["bounds"], serde_json::json!([[-1.0, -0.5, 0.0], [1.0, 2.0, 9.0]]));
    let obj = std::fs::read_to_string(dir.path().join("scene.obj")).unwrap();
    assert!(obj.contains("usemtl red"), "{obj}");
    let mtl = std::fs::read_to_string(dir.path().join("scene.mtl")).unwrap();
    assert!(mtl.contains("Kd 1.000000 0.000000 0.000000"), "{mtl}");
    // A file that is missing is said, and the rest written.
    std::fs::remove_file(dir.path().join("square.ply")).unwrap();
    let ran = solio(dir.path(), "convert scene.pbrt -o rest.ply");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("square.ply"), "{}", ran.err);
    assert_eq!(solio(dir.path(), "info --json rest.ply").fine().json()[0]["faces"], 1);
    // What meshes have no words for is counted.
    let lit = "WorldBegin\nLightSource \"point\"\nShape \"disk\"\n";
    std::fs::write(dir.path().join("lit.pbrt"), lit).unwrap();
    for format in ["obj", "ply", "stl"] {
        let ran = solio(dir.path(), &format!("convert lit.pbrt -o lit.{format} --json")).fine();
        let first = "solio: note: lit.pbrt: left out: 1 light without a shape\n";
        assert!(ran.err.starts_with(first), "{}", ran.err);
        let loss = &ran.json()[0]["losses"][0];
        assert_eq!(loss["reason"], "left out: 1 light without a shape");
    }
}

/// Three formats, one winding: that of the normals.
#[test]
fn mirrored_shapes_are_not_inside_out() {
    let dir = tempfile::tempdir().unwrap();
    let triangle = "Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \
        \"normal N\" [0 0 1 0 0 1 0 0 1]\n";
    let text = format!(
        "WorldBegin\nObjectBegin \"o\"\n{triangle}ObjectEnd\nObjectInstance \"o\"\n\
         Scale -1 1 1\n{triangle}ObjectInstance \"o\"\n"
    );
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("scene.pbrt"), text).unwrap();
    for (kind, as_text) in [("obj", ""), ("ply", "--ascii"), ("stl", "--ascii")] {
        solio(dir.path(), &format!("convert scene.pbrt -o out.{kind} {as_text}")).fine();
        let made =
            solio::read_mesh(&at(&format!("out.{kind}")), &Default::default(), &Work::serial());
        let made = made.unwrap();
        let mut normals = Vec::new();
        for mesh in &made.meshes {
            for face in mesh.corner_vertices.as_chunks::<3>().0 {
                let [a, b, c] = face.map(|corner| mesh.positions.get(corner as usize));
                normals.push((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            }
        }
        assert_eq!(normals, [1.0; 3], "{kind}");
    }
}

/// The document of a `.glb`, and its arrays.
fn glb(path: &Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let document = &bytes[20..20 + word(12)];
    let arrays = bytes[28 + document.len()..].to_vec();
    assert_eq!((&bytes[16..20], word(20 + document.len())), (&b"JSON"[..], arrays.len()));
    (serde_json::from_slice(document).unwrap(), arrays)
}

#[test]
fn convert_to_gltf_keeps_instances() {
    let dir = folder();
    solio(dir.path(), "convert scene.pbrt -o scene.glb").fine();
    let (document, arrays) = glb(&dir.path().join("scene.glb"));
    assert_eq!(document["meshes"].as_array().unwrap().len(), 1);
    let node = &document["nodes"][0];
    let translation = &node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"];
    assert_eq!(document["accessors"][translation.as_u64().unwrap() as usize]["count"], 2);
    assert_eq!(document["materials"][0]["name"], "red");
    let color = serde_json::json!([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(document["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"], color);
    // In two files, from a packed scene, the same arrays.
    solio(dir.path(), "pack scene.pbrt -o scene.solio").fine();
    std::fs::create_dir(dir.path().join("other")).unwrap();
    let said =
        solio(dir.path(), "convert scene.solio -o other/ --format gltf --json").fine().json();
    assert_eq!((&said[0]["instances"], &said[0]["meshes"]), (&2.into(), &1.into()));
    assert_eq!(names(&dir.path().join("other")), ["scene.bin", "scene.gltf"]);
    assert!(std::fs::read(dir.path().join("other/scene.bin")).unwrap() == arrays);
    let text = std::fs::read(dir.path().join("other/scene.gltf")).unwrap();
    let mut two: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(two["buffers"][0].as_object_mut().unwrap().remove("uri").unwrap(), "scene.bin");
    assert_eq!(two, document);
    // What is missing, or has no counterpart, is said.
    std::fs::remove_file(dir.path().join("square.ply")).unwrap();
    let text = format!("{SCENE}LightSource \"infinite\"\n");
    std::fs::write(dir.path().join("lit.pbrt"), text).unwrap();
    let ran = solio(dir.path(), "convert lit.pbrt -o lit.gltf");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("lit.pbrt:8:3: ") && ran.err.contains("square.ply"), "{}", ran.err);
    assert!(ran.err.contains("left out: 1 light without a shape"), "{}", ran.err);
    assert_eq!(solio(dir.path(), "convert scene.pbrt -o /dev/null --format glb").code, 1);
}

#[test]
fn convert_to_usd_keeps_instances() {
    let dir = folder();
    let said = solio(dir.path(), "convert scene.pbrt -o scene.usda --json").fine().json();
    assert_eq!((&said[0]["instances"], &said[0]["meshes"]), (&2.into(), &1.into()));
    let text = std::fs::read_to_string(dir.path().join("scene.usda")).unwrap();
    for words in ["def PointInstancer \"Instances\"", "def Xform \"square\"", "4]\n", "(1, 0, 0)"] {
        assert!(text.contains(words), "{words}\nin {text}");
    }
    solio(dir.path(), "convert packed.pbrt.gz -o out/ --format usda").fine();
    assert!(std::fs::read_to_string(dir.path().join("out/packed.usda")).unwrap() == text);
    let binary = solio(dir.path(), "convert scene.pbrt -o scene.usdc");
    assert_eq!(binary.code, 1);
    assert!(binary.err.contains("usdcat scene.usda"), "{}", binary.err);
}

#[test]
fn packed_scenes_are_scenes() {
    let dir = folder();
    solio(dir.path(), "pack scene.pbrt -o scene.solio").fine();
    let of = |name: &str| solio(dir.path(), &format!("info --json {name}")).fine().json();
    let (plain, packed) = (of("scene.pbrt"), of("scene.solio"));
    for key in ["primitives", "instanced_primitives", "instances", "objects", "shapes", "materials"]
    {
        assert_eq!(plain[0][key], packed[0][key], "{key}");
    }
    // Its meshes are in it: the same picture without the files.
    solio(dir.path(), "preview scene.pbrt -o a.exr").fine();
    std::fs::remove_file(dir.path().join("square.ply")).unwrap();
    solio(dir.path(), "preview scene.solio -o b.exr").fine();
    solio(dir.path(), "convert scene.solio -o packed.obj").fine();
    let said = of("packed.obj");
    assert_eq!((&said[0]["quads"], &said[0]["objects"]), (&2.into(), &2.into()));
    let said = solio(dir.path(), "check scene.solio").fine();
    assert!(said.text().contains("a packed scene"), "{}", said.text());
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("a.exr") == bytes("b.exr"));
    // And back: text, and the meshes beside it.
    solio(dir.path(), "convert scene.solio -o back/").fine();
    assert_eq!(names(&dir.path().join("back")), ["scene.pbrt", "square.ply"]);
    let again = of("back/scene.pbrt");
    for key in ["primitives", "instanced_primitives", "instances", "objects", "shapes", "materials"]
    {
        assert_eq!(plain[0][key], again[0][key], "{key}");
    }
    solio(dir.path(), "preview back/scene.pbrt -o c.exr").fine();
    assert!(bytes("a.exr") == bytes("c.exr"));
}

#[test]
fn meshes_go_to_files_and_back() {
    let dir = folder();
    let mesh = "Shape \"trianglemesh\" # here\n \"integer indices\" [ 0 1 2 2 1 3 ]\n \"point3 P\" \
        [ -0 0.1 1e-45 1 0 0 0 1 0 3.4e38 16777217 -1.5 ]\n \"normal N\" [ 0 0 1 0 0 2 0 1 0 1 0 0 ]\n \
        \"point2 uv\" [ 0 0 1 0 0 1 0.3333333 1 ]\n \"integer faceIndices\" [ 7 -1 ]\n \
        \"string alpha\" \"a\"\n";
    let tangents = "Shape \"trianglemesh\"\n\"point3 P\" [ 0 0 0 1 0 0 0 1 0 ]\n\
        \"vector3 S\" [ 1 0 0 1 0 0 1 0 0 ]\n";
    let three =
        "Shape \"trianglemesh\" \"integer indices\" [ 2 1 0 ] \"point3 P\" [ 0 0 0 1 0 0 0 1 0 ]\n";
    let text = format!("WorldBegin\n{mesh}# between\n{tangents}{three}# the end\n");
    std::fs::write(dir.path().join("a.pbrt"), text).unwrap();
    std::fs::create_dir(dir.path().join("ply")).unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    solio(dir.path(), "convert a.pbrt -o plain.pbrt").fine();
    let said = solio(dir.path(), "convert a.pbrt -o ply/b.pbrt --meshes ply --json").fine().json();
    assert_eq!(said[0]["moved_meshes"], 2);
    assert_eq!(names(&dir.path().join("ply/meshes")), ["b_1.ply", "b_2.ply"]);
    let small = read("ply/b.pbrt");
    assert!(small.contains("\"string filename\" \"meshes/b_1.ply\""), "{small}");
    assert!(small.contains("\"vector3 S\"") && small.contains("# between"), "{small}");
    solio(dir.path(), "convert ply/b.pbrt -o back.pbrt --meshes inline").fine();
    assert_eq!(read("back.pbrt"), read("plain.pbrt"));
    // What is there is not written over.
    let again = solio(dir.path(), "convert a.pbrt -o ply/b.pbrt --meshes ply");
    assert!(again.code == 1 && again.err.contains("b_1.ply"), "{}", again.err);
    // Quads are patches; what is missing stays.
    let text = "Shape \"plymesh\" \"string filename\" \"square.ply\"\n\
        Shape \"plymesh\" \"string filename\" \"gone.ply\"\n";
    std::fs::write(dir.path().join("quads.pbrt"), text).unwrap();
    let ran = solio(dir.path(), "convert quads.pbrt -o inline.pbrt --meshes inline").fine();
    assert!(ran.err.contains("quads.pbrt:2:1: ") && ran.err.contains("gone.ply"), "{}", ran.err);
    let text = read("inline.pbrt");
    assert!(
        text.starts_with("Shape \"bilinearmesh\"\n    \"integer indices\" [ 0 1 3 2 ]\n"),
        "{text}"
    );
    assert!(text.contains("gone.ply"), "{text}");
    assert_eq!(solio(dir.path(), "convert a.pbrt -o a.glb --meshes ply").code, 2);
}

#[test]
fn a_whole_scene_is_upgraded_into_another_folder() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["in", "in/parts", "in/textures"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    let main = "Film \"image\" \"integer xresolution\" [ 9 ]\nWorldBegin\n\
        Include \"parts/materials.pbrt\"\nAttributeBegin\nNamedMaterial \"red\"\n\
        Include \"parts/shapes.pbrt.gz\"\nAttributeEnd\nInclude \"../out.pbrt\"\n\
        Include \"gone.pbrt\"\nInclude \"parts/shapes.pbrt.gz\"\nWorldEnd\n";
    std::fs::write(at("in/main.pbrt"), main).unwrap();
    let materials = "Texture \"t\" \"color\" \"imagemap\" \"string filename\" \"textures/t.png\"\n\
        MakeNamedMaterial \"red\" \"string type\" \"matte\" \"color Kd\" [ 1 0 0 ]\n\
        Include \"parts/materials.pbrt\"\n";
    std::fs::write(at("in/parts/materials.pbrt"), materials).unwrap();
    std::fs::write(at("in/textures/t.png"), b"some picture").unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let shapes = "Shape \"trianglemesh\" \"point P\" [0 0 0 1 0 0 0 1 0] \"integer indices\" [0 1 2]\n\
        Shape \"plymesh\" \"string filename\" \"parts/gone.ply\"\n";
    packed.write_all(shapes.as_bytes()).unwrap();
    std::fs::write(at("in/parts/shapes.pbrt.gz"), packed.finish().unwrap()).unwrap();
    let ran =
        solio(dir.path(), "convert in/main.pbrt -o out/ --upgrade --whole-scene --meshes ply");
    assert_eq!(ran.code, 1);
    for words in [
        "in/main.pbrt:8:1: ../out.pbrt: leads out of the folder",
        "in/main.pbrt:9:1: gone.pbrt: ",
        "in/parts/materials.pbrt:3:1: parts/materials.pbrt: includes itself",
        "warning: in/parts/shapes.pbrt.gz:2:17: parts/gone.ply: ",
    ] {
        assert!(ran.err.contains(words), "{words}\nin {}", ran.err);
    }
    assert_eq!(names(&at("out")), ["main.pbrt", "meshes", "parts", "textures"]);
    assert_eq!(names(&at("out/parts")), ["materials.pbrt", "shapes.pbrt.gz"]);
    assert_eq!(names(&at("out/meshes/parts")), ["shapes_1.ply"]);
    assert_eq!(std::fs::read(at("out/textures/t.png")).unwrap(), b"some picture");
    let packed = std::fs::read(at("out/parts/shapes.pbrt.gz")).unwrap();
    assert_eq!(packed[..2], [0x1f, 0x8b]);
    let materials = std::fs::read_to_string(at("out/parts/materials.pbrt")).unwrap();
    assert!(materials.contains("\"string type\" \"diffuse\""), "{materials}");
    // What is written is the scene that was read, but for what was told.
    let said = solio(dir.path(), "check --json out/main.pbrt").json();
    let problems = said[0]["problems"].as_array().unwrap().len();
    assert_eq!(problems, 4, "{said:?}");
    let same = solio(dir.path(), "convert in/main.pbrt -o in/ --whole-scene");
    assert!(same.code == 1 && same.err.contains("the folder of the scene itself"), "{}", same.err);
    assert_eq!(solio(dir.path(), "convert in/main.pbrt -o a.pbrt --whole-scene").code, 2);
}

#[test]
fn files_are_found_beside_the_scene_or_as_they_are_named() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir_all(at("scenes/res")).unwrap();
    std::fs::create_dir(at("res")).unwrap();
    std::fs::copy(at("square.ply"), at("res/square.ply")).unwrap();
    let scene = "WorldBegin\nInclude \"res/light.pbrt\"\n\
        Shape \"plymesh\" \"string filename\" \"res/square.ply\"\n";
    std::fs::write(at("scenes/a.pbrt"), scene).unwrap();
    let light = "LightSource \"point\" \"spectrum I\" \"res/lamp.spd\"\n";
    std::fs::write(at("res/light.pbrt"), light).unwrap();
    std::fs::write(at("res/lamp.spd"), "400 1 700 2").unwrap();
    solio(dir.path(), "check --deep scenes/a.pbrt").fine();
    solio(dir.path(), "preview scenes/a.pbrt -o a.png").fine();
    solio(dir.path(), "convert scenes/a.pbrt -o a.glb").fine();
    solio(dir.path(), "convert scenes/a.pbrt -o whole/ --whole-scene").fine();
    assert!(at("whole/res/square.ply").exists() && at("whole/res/lamp.spd").exists());
    // What lies beside the scene goes before; what is nowhere is told as it was looked for there.
    std::fs::write(at("scenes/res/square.ply"), "no mesh").unwrap();
    assert_eq!(solio(dir.path(), "check --deep scenes/a.pbrt").code, 1);
    std::fs::remove_file(at("scenes/res/square.ply")).unwrap();
    std::fs::remove_file(at("res/square.ply")).unwrap();
    let ran = solio(dir.path(), "check scenes/a.pbrt");
    assert!(
        ran.code == 1 && text(&ran.out).contains("scenes/res/square.ply"),
        "{}",
        text(&ran.out)
    );
}

/// A scene that lacks a file is written, but not as if it were whole, whatever it becomes.
#[test]
fn what_a_scene_lacks_is_told_by_the_exit_code() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    for gap in ["Include \"gone.pbrt\"", "Shape \"plymesh\" \"string filename\" \"gone.ply\""] {
        let text = format!("WorldBegin\nShape \"disk\"\n{gap}\n");
        std::fs::write(at("gap.pbrt"), text).unwrap();
        for output in ["a.gltf", "a.glb", "a.usda", "a.obj", "a.ply", "a.stl", "a.off", "a.solio"] {
            let ran = solio(dir.path(), &format!("convert gap.pbrt -o {output}"));
            assert!(ran.code == 1 && ran.err.contains("gone."), "{output}: {}", ran.err);
            assert!(at(output).exists(), "{output}");
        }
    }
    // The name of a packed scene gives one, not text.
    solio(dir.path(), "convert scene.pbrt -o b.solio").fine();
    solio(dir.path(), "pack scene.pbrt -o c.solio").fine();
    assert!(std::fs::read(at("b.solio")).unwrap() == std::fs::read(at("c.solio")).unwrap());
    solio(dir.path(), "convert b.solio -o d.solio").fine();
    solio(dir.path(), "check d.solio").fine();
    assert_eq!(solio(dir.path(), "convert scene.pbrt -o e.solio --meshes inline").code, 2);
    let work = Work::default();
    let error = solio::rewrite_scene(&at("scene.pbrt"), &at("e.solio"), &Default::default(), &work);
    assert!(error.unwrap_err().message().contains("packed") && !at("e.solio").exists());
}

#[test]
fn a_preview_with_something_missing_fails_and_is_written() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let gap = "WorldBegin\nShape \"sphere\"\nInclude \"gone.pbrt\"\n";
    std::fs::write(at("gap.pbrt"), gap).unwrap();
    let ran = solio(dir.path(), "preview gap.pbrt scene.pbrt -o out/");
    assert!(ran.code == 1 && ran.err.contains("gone.pbrt"), "{}", ran.err);
    assert_eq!(names(&at("out")), ["gap.png", "scene.png"]);
    let old = "SurfaceIntegrator \"path\"\nWorldBegin\nShape \"sphere\"\nWorldEnd\n";
    std::fs::write(at("old.pbrt"), old).unwrap();
    let ran = solio(dir.path(), "check old.pbrt").fine();
    assert!(
        text(&ran.out).contains("version 2") && text(&ran.out).contains("SurfaceIntegrator is of"),
        "{}",
        text(&ran.out)
    );
    let ran = solio(dir.path(), "preview old.pbrt -o old.png").fine();
    assert!(ran.err.contains("SurfaceIntegrator is of version 2"), "{}", ran.err);
    // Written anew it would be lost.
    let ran = solio(dir.path(), "convert old.pbrt -o new.pbrt");
    assert!(ran.code == 1 && ran.err.contains("SurfaceIntegrator"), "{}", ran.err);
}

#[test]
fn pictures_go_beside_gltf_and_into_glb() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let picture = solio::gradient_strips(
        &[solio::color::gradient::presets::STUDY[0].gradient(Default::default())],
        [4, 4],
    );
    std::fs::write(at("a b.png"), picture.unwrap().to_png().unwrap()).unwrap();
    let text = "WorldBegin\nTexture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"a b.png\"\n\
        Material \"diffuse\" \"texture reflectance\" \"t\"\nShape \"sphere\"\n";
    std::fs::write(at("tx.pbrt"), text).unwrap();
    std::fs::create_dir(at("out")).unwrap();
    solio(dir.path(), "convert tx.pbrt -o out/tx.gltf").fine();
    let made = std::fs::read(at("out/tx.gltf")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&made).unwrap();
    assert_eq!(document["images"][0]["uri"], "../a%20b.png");
    solio(dir.path(), "convert tx.pbrt -o tx.usda").fine();
    let usda = std::fs::read_to_string(at("tx.usda")).unwrap();
    assert!(usda.contains("asset inputs:file = @a b.png@"), "{usda}");
    solio(dir.path(), "convert tx.pbrt -o tx.glb").fine();
    let (document, arrays) = glb(&at("tx.glb"));
    let view =
        &document["bufferViews"][document["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let [start, length] =
        ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
    assert!(arrays[start..start + length] == std::fs::read(at("a b.png")).unwrap());
}

#[test]
fn textures_that_no_format_has_are_baked_beside() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let text = "WorldBegin\nTexture \"c\" \"spectrum\" \"checkerboard\" \"float uscale\" 4\n\
        Material \"diffuse\" \"texture reflectance\" \"c\"\nShape \"sphere\"\n";
    std::fs::write(at("c.pbrt"), text).unwrap();
    solio(dir.path(), "convert c.pbrt -o c.gltf").fine();
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(at("c.gltf")).unwrap()).unwrap();
    assert_eq!(document["images"][0]["uri"], "c.files/texture-0.png");
    let png = std::fs::read(at("c.files/texture-0.png")).unwrap();
    let found = solio(dir.path(), "info --json c.files/texture-0.png").fine().json();
    let facts = &found[0]["facts"];
    assert_eq!((&facts["width"], &facts["height"]), (&64.into(), &64.into()), "{found:?}");
    // In one file it is within.
    solio(dir.path(), "convert c.pbrt -o one.glb").fine();
    let (document, arrays) = glb(&at("one.glb"));
    let view =
        &document["bufferViews"][document["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let [start, length] =
        ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
    assert!(arrays[start..start + length] == png && !at("one.files").exists());
    for name in ["c.usda", "c.xml"] {
        solio(dir.path(), &format!("convert c.pbrt -o {name}")).fine();
        let text = std::fs::read_to_string(at(name)).unwrap();
        assert!(text.contains("c.files/texture-0.png"), "{text}");
    }
    // What is refused leaves nothing beside.
    let text = format!("{text}Material \"hair\"\nShape \"disk\"\n");
    std::fs::write(at("d.pbrt"), text).unwrap();
    assert_eq!(solio(dir.path(), "convert d.pbrt -o d.gltf --strict-loss").code, 1);
    assert!(!at("d.gltf").exists() && !at("d.files").exists());
}

#[test]
fn instances_of_a_gltf_are_arrays_nodes_or_flat() {
    let dir = folder();
    let of = |how: &str| {
        solio(dir.path(), &format!("convert scene.pbrt -o {how}.glb --instances {how}")).fine();
        glb(&dir.path().join(format!("{how}.glb"))).0
    };
    let count = |document: &serde_json::Value, key: &str| document[key].as_array().unwrap().len();
    let [arrays, nodes, flat] = ["gpu", "nodes", "flat"].map(of);
    assert!(arrays["extensionsRequired"][0] == "EXT_mesh_gpu_instancing");
    assert!(nodes.get("extensionsRequired").is_none() && flat.get("extensionsRequired").is_none());
    assert_eq!(count(&arrays, "meshes"), count(&nodes, "meshes"));
    assert!(count(&flat, "meshes") > count(&nodes, "meshes"));
    assert!(count(&nodes, "nodes") > count(&arrays, "nodes"));
    let ran = solio(dir.path(), "convert scene.pbrt -o a.usda --instances flat");
    assert!(ran.code == 2 && ran.err.contains("--instances does nothing"), "{}", ran.err);
}

#[test]
fn convert_to_mitsuba_writes_meshes_beside() {
    let dir = folder();
    let said = solio(dir.path(), "convert scene.pbrt -o scene.xml --json").fine().json();
    assert_eq!((&said[0]["instances"], &said[0]["meshes"]), (&2.into(), &1.into()));
    let text = std::fs::read_to_string(dir.path().join("scene.xml")).unwrap();
    for words in
        ["<scene version=\"3.0.0\">", "type=\"shapegroup\"", "scene.files/00000-square.ply"]
    {
        assert!(text.contains(words), "{words}\nin {text}");
    }
    let mesh = solio(dir.path(), "info --json scene.files/00000-square.ply").fine().json();
    assert!(mesh[0].to_string().contains("\"vertices\":4"), "{mesh:?}");
}

#[test]
fn gradients_past_bad_ones_end_with_exit_code_1() {
    let dir = folder();
    let two = ":root{--a: linear-gradient(red, blue); --b: linear-gradient(var(--x), blue)}";
    std::fs::write(dir.path().join("two.css"), two).unwrap();
    let ran = solio(dir.path(), "gradient two.css");
    assert!(ran.code == 1 && ran.err.contains("the gradient \"b\""), "{}", ran.err);
    assert_eq!(
        text(&ran.out),
        "linear-gradient(to right in srgb, rgb(255 0 0) 0%, rgb(0 0 255) 100%)\n"
    );
    let ran = solio(dir.path(), "gradient two.css -o one.svg");
    assert!(ran.code == 1 && dir.path().join("one.svg").exists(), "{}", ran.err);
}

/// What a command printed.
fn text(out: &[u8]) -> String {
    String::from_utf8_lossy(out).into_owned()
}
