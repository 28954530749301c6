use super::*;
use crate::export::tests::scene_of;

struct PolygonSquare;

impl ExportMeshes for PolygonSquare {
    fn mesh(&self, name: &[u8], faces: Faces) -> Result<PackedMesh<'static>> {
        assert_eq!(faces, Faces::Polygons);
        match name {
            b"dir/square.ply" => Ok(PackedMesh {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.1], [-1., 1., 0.]].into(),
                uvs: vec![[0., 0.], [1., 0.], [1., 1.], [0., 1.]].into(),
                corners: vec![0, 1, 2, 3, 0, 1, 2].into(),
                face_offsets: vec![0, 4, 7].into(),
                ..PackedMesh::default()
            }),
            _ => Err(Error::argument("cannot open: no such file")),
        }
    }
}

fn written(head: &str, world: &str, threads: usize) -> (UsdSummary, String) {
    let work = Work { threads, ..Work::serial() };
    let scene = scene_of(head, world, &work);
    let mut bytes = Vec::new();
    let summary = encode_usd(&scene, &PolygonSquare, &mut bytes, &work).unwrap();
    (summary, String::from_utf8(bytes).unwrap())
}

const SQUARE: &str = "Shape \"plymesh\" \"string filename\" \"dir/square.ply\"\n";

#[test]
fn a_scene_is_prims() {
    let world = format!(
        "{SQUARE}Translate 1 2 3\n{SQUARE}ObjectBegin \"1 \\\"o\\\"\"\n{SQUARE}ReverseOrientation\n\
         {SQUARE}ObjectEnd\nObjectInstance \"1 \\\"o\\\"\"\nScale 1 1 2\nRotate 40 0 1 1\n\
         ObjectInstance \"1 \\\"o\\\"\"\nShape \"plymesh\" \"string filename\" \"gone.ply\"\n"
    );
    let (summary, text) = written("", &world, 1);
    assert_eq!((summary.meshes, summary.instances, summary.sheared), (2, 1, 1));
    assert_eq!((summary.problems.len(), summary.losses.is_empty()), (1, true));
    for words in [
        "#usda 1.0\n",
        "double3 xformOp:scale = (1, 1, -1)",
        "def Mesh \"square\" (",
        "point3f[] points = [\n                (-1, -1, 0), (1, -1, 0), (1, 1, 0.1), (-1, 1, 0)]\n",
        "int[] faceVertexCounts = [\n                4, 3]\n",
        "texCoord2f[] primvars:st = [\n                (0, 0), (1, 0), (1, 1), (0, 1)] (interpolation",
        "def Mesh \"square_2\" (\n            prepend references = </Scene/World/square>\n",
        "matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1) )",
        "displayName = \"1 \\\"o\\\"\"",
        "rel prototypes = [</Scene/World/Instances/Prototypes/_1__o_>]",
        "int[] protoIndices = [\n                0]\n",
        "def Xform \"sheared__1__o_\" (\n            instanceable = true\n",
        "rel material:binding = </Scene/Materials/default>",
    ] {
        assert!(text.contains(words), "{words}\nin {text}");
    }
    // Turned around: the first corner stays.
    assert!(text.contains("0, 3, 2, 1, 0, 2, 1]"), "{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert_eq!(written("", &world, 4).1, text);
}

#[test]
fn names_are_taken_once() {
    let mut names = PrimNames::default();
    let taken = ["a", "a", "a_2", "a", "ä", "3", "", "a_2"].map(|name| names.take(name));
    assert_eq!(taken, ["a", "a_2", "a_2_2", "a_3", "_", "_3", "__2", "a_2_3"]);
}

#[test]
fn a_camera_has_its_film() {
    let head = "Film \"rgb\" \"integer xresolution\" 200 \"integer yresolution\" 100\n\
        Scale -1 1 1\nCamera \"perspective\" \"float fov\" 90 \"float screenwindow\" [-1 3 -1 1]";
    let (summary, text) = written(head, "", 1);
    assert!(summary.losses.is_empty());
    for words in [
        "float horizontalAperture = 36\n",
        "float verticalAperture = 18\n",
        "float horizontalApertureOffset = 9\n",
        "float focalLength = 9\n",
        "( (-1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -1, 0), (0, 0, 0, 1) )",
    ] {
        assert!(text.contains(words), "{words}\nin {text}");
    }
    assert!(!text.contains("xformOp:scale"), "{text}");
}

#[test]
fn lights_and_pictures_are_prims() {
    struct Pictures;
    impl ExportMeshes for Pictures {
        fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
            Err(Error::argument("no such file"))
        }
        fn picture(&self, _: &[u8]) -> Result<crate::export::PictureFile> {
            let path = "../t 1.png".to_owned();
            Ok(crate::export::PictureFile { uri: "../t%201.png".to_owned(), path, mime: None })
        }
    }
    let world = "LightSource \"point\" \"rgb I\" [10 10 10]\nLightSource \"distant\"\n\
        LightSource \"infinite\" \"float illuminance\" 10\nLightSource \"spot\"\n\
        LightSource \"infinite\" \"string filename\" \"sky.exr\"\n\
        Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"string wrap\" \"black\" \
        \"float vscale\" 3\n\
        Material \"diffuse\" \"texture reflectance\" \"t\"\nShape \"sphere\"\n\
        Material \"dielectric\" \"float eta\" 1.4\nShape \"sphere\"\n";
    let (scene, work, mut bytes) =
        (scene_of("", world, &Work::serial()), Work::serial(), Vec::new());
    let summary = encode_usd(&scene, &Pictures, &mut bytes, &work).unwrap();
    let losses: Vec<String> = summary.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses, ["left out: 1 light without a shape"]);
    let text = String::from_utf8(bytes).unwrap();
    for words in [
        "def SphereLight \"light_0\"",
        "bool treatAsPoint = 1",
        "def DistantLight \"light_1\"",
        "def DomeLight \"light_2\"",
        "float inputs:intensity = 3.1830988\n",
        "prepend apiSchemas = [\"ShapingAPI\"]",
        "float inputs:shaping:cone:angle = 30\n",
        "asset inputs:file = @../t 1.png@",
        "token inputs:wrapS = \"black\"",
        "float2 inputs:scale = (1, 3)",
        "primvars:st",
        "float inputs:ior = 1.4\n",
        "float inputs:opacity = 0\n",
    ] {
        assert!(text.contains(words), "{words}\nin {text}");
    }
}
