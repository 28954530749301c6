use super::*;
use crate::export::tests::scene_of;
use crate::export::{BesideFile, EncodedPicture, PictureFile};
use crate::look::{EnvironmentMapping, LookPicture, TexturePicture, coated_albedo};
use std::cell::RefCell;

/// Files beside, as they were written.
#[derive(Default)]
struct Beside(RefCell<Vec<(String, Vec<u8>)>>);

impl ExportMeshes for Beside {
    fn mesh(&self, name: &[u8], faces: Faces) -> Result<PackedMesh<'static>> {
        assert_eq!(faces, Faces::Triangles);
        match name {
            b"dir/square.ply" => Ok(PackedMesh {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]].into(),
                uvs: vec![[0., 0.25], [1., 0.], [1., 1.], [0., 1.]].into(),
                corners: vec![0, 1, 2, 0, 2, 3].into(),
                ..PackedMesh::default()
            }),
            _ => Err(Error::argument("cannot open: no such file")),
        }
    }

    fn picture(&self, name: &[u8]) -> Result<PictureFile> {
        let path = String::from_utf8_lossy(name).into_owned();
        Ok(PictureFile { uri: path.clone(), path, mime: Some("image/png") })
    }

    fn pixels(&self, picture: &LookPicture, _: usize) -> Result<TexturePicture> {
        match &picture.name[..] {
            b"t.png" => TexturePicture::new(2, [0.0, 0.2, 0.4, 0.8].map(|v| [v; 3]).to_vec()),
            _ => Err(Error::argument("no such file")),
        }
    }

    fn sky(&self, _: &[u8], mapping: EnvironmentMapping) -> Result<TexturePicture> {
        assert_eq!(mapping, EnvironmentMapping::EqualArea);
        TexturePicture::new(4, vec![[1.0; 3]; 8])
    }

    fn png(&self, picture: &EncodedPicture) -> Result<Vec<u8>> {
        Ok(picture.pixels.as_flattened().to_vec())
    }

    fn exr(&self, picture: &TexturePicture) -> Result<Vec<u8>> {
        Ok(vec![0; picture.pixels().len()])
    }

    fn beside(&self, name: &str, fill: BesideFile<'_>) -> Result<PictureFile> {
        let mut bytes = Vec::new();
        fill(&mut bytes)?;
        self.0.borrow_mut().push((name.to_owned(), bytes));
        let path = format!("s.files/{name}");
        Ok(PictureFile { uri: path.clone(), path, mime: None })
    }
}

fn written(head: &str, world: &str) -> (MitsubaSummary, String, Vec<(String, Vec<u8>)>) {
    let scene = scene_of(head, world, &Work::serial());
    let (files, mut xml) = (Beside::default(), Vec::new());
    let summary = encode_mitsuba(&scene, &files, &mut xml, &Work::serial()).unwrap();
    (summary, String::from_utf8(xml).unwrap(), files.0.into_inner())
}

fn contains(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "{words}\nin {text}");
    }
}

const SQUARE: &str = "Shape \"plymesh\" \"string filename\" \"dir/square.ply\"\n";

#[test]
fn meshes_are_files_and_objects_are_groups() {
    let world = format!(
        "{SQUARE}Translate 1 2 3\nScale -1 1 1\n{SQUARE}ObjectBegin \"o\"\n{SQUARE}Shape \"sphere\"\n\
         ObjectEnd\nObjectInstance \"o\"\nScale 1 1 2\nRotate 40 0 1 1\nObjectInstance \"o\"\n\
         Shape \"plymesh\" \"string filename\" \"gone.ply\"\n"
    );
    let (summary, text, files) = written("", &world);
    // The file once, and the sphere of the object.
    assert_eq!((summary.meshes, summary.instances, summary.problems.len()), (2, 2, 1));
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["00000-square.ply", "00001-sphere_9.ply"]);
    let head = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n";
    assert!(files[0].1.starts_with(head));
    // v is counted from the top.
    let values: Vec<f32> = {
        let end = files[0].1.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let bytes = files[0].1[end..].as_chunks::<4>().0;
        bytes.iter().take(5).map(|b| f32::from_le_bytes(*b)).collect()
    };
    assert_eq!(values, [-1.0, -1.0, 0.0, 0.0, 0.75]);
    contains(
        &text,
        &[
            "<scene version=\"3.0.0\">",
            "<string name=\"filename\" value=\"s.files/00000-square.ply\"/>",
            "<shape type=\"shapegroup\" id=\"object_0\">",
            "<shape type=\"instance\">",
            "<ref id=\"object_0\"/>",
            "<matrix value=\"-1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1\"/>",
            "<boolean name=\"flip_normals\" value=\"true\"/>",
        ],
    );
    for element in ["shape", "bsdf", "scene", "integrator"] {
        let (open, close) = (format!("<{element} "), format!("</{element}>"));
        assert_eq!(text.matches(&open).count(), text.matches(&close).count(), "{element}");
    }
}

#[test]
fn surfaces_are_bsdfs() {
    for (material, words) in [
        (
            "\"diffuse\"",
            &["<bsdf type=\"twosided\"", "<bsdf type=\"diffuse\">", "value=\"0.5, 0.5, 0.5\""][..],
        ),
        ("\"coateddiffuse\"", &["<bsdf type=\"plastic\">", "name=\"nonlinear\" value=\"true\""]),
        (
            "\"coateddiffuse\" \"float roughness\" 0.1",
            &["<bsdf type=\"roughplastic\">", "name=\"alpha\" value=\"0.3162"],
        ),
        ("\"conductor\"", &["<bsdf type=\"conductor\">", "name=\"material\" value=\"none\""]),
        (
            "\"conductor\" \"float uroughness\" 0.01 \"float vroughness\" 0.25",
            &[
                "<bsdf type=\"roughconductor\">",
                "name=\"alpha_u\" value=\"0.1\"",
                "name=\"alpha_v\" value=\"0.5\"",
            ],
        ),
        (
            "\"dielectric\" \"float eta\" 1.4",
            &["<bsdf type=\"dielectric\"", "name=\"int_ior\" value=\"1.4\""],
        ),
        (
            "\"dielectric\" \"float roughness\" 0.25",
            &["<bsdf type=\"roughdielectric\"", "\"alpha\" value=\"0.5\""],
        ),
        ("\"thindielectric\"", &["<bsdf type=\"thindielectric\""]),
        (
            "\"diffusetransmission\"",
            &["<bsdf type=\"principledthin\"", "name=\"diff_trans\" value=\"1\""],
        ),
        ("\"coatedconductor\"", &["<bsdf type=\"principled\">", "name=\"clearcoat\" value=\"1\""]),
        (
            "\"subsurface\" \"rgb reflectance\" [.8 .4 .2]",
            &[
                "<integrator type=\"volpath\">",
                "<medium type=\"homogeneous\"",
                "<ref name=\"interior\"",
            ],
        ),
        (
            "\"measured\" \"string filename\" \"a.bsdf\"",
            &["<bsdf type=\"measured\">", "value=\"a.bsdf\""],
        ),
    ] {
        let (summary, text, _) = written("", &format!("Material {material}\n{SQUARE}"));
        assert!(summary.problems.is_empty());
        contains(&text, words);
    }
    let (_, text, _) = written(
        "",
        &format!(
            "MakeNamedMaterial \"a\" \"string type\" \"diffuse\"\n\
             MakeNamedMaterial \"b<&\\\"\" \"string type\" \"conductor\"\n\
             Material \"mix\" \"string materials\" [\"a\" \"b<&\\\"\"] \"float amount\" 0.25\n{SQUARE}\
             NamedMaterial \"b<&\\\"\"\n{SQUARE}"
        ),
    );
    contains(
        &text,
        &["<bsdf type=\"blendbsdf\"", "name=\"weight\" value=\"0.25\"", "b&lt;&amp;&quot;#1"],
    );
}

#[test]
fn coats_are_as_bright_as_those_of_pbrt() {
    // What Mitsuba 3.9 renders of a diffuse reflectance d: its own figures, not the fit.
    let smooth = |d: f32| 0.04 + 0.96 * 0.4032 * d / (1.0 - 0.5968 * d);
    for base in [0.2, 0.5, 0.8, 1.0] {
        let d = plastic_reflectance(base, 0.0, 1.5, 1.0, true);
        let wanted = coated_albedo(base, 0.0, 1.5);
        assert!((smooth(d) - wanted).abs() < 0.01 * wanted, "{base}: {} {wanted}", smooth(d));
    }
    for (d, alpha, rendered) in [(0.5, 0.316, 0.2748), (0.8, 0.548, 0.3889), (0.2, 1.0, 0.0712)] {
        // The reflectance that gives what was rendered is the one that it was rendered with.
        let s = match alpha {
            0.316 => 0.0351,
            0.548 => 0.0263,
            _ => 0.0127,
        };
        let found = plastic_reflectance(rendered - s, alpha, 1.5, 1.0, false);
        assert!((found - d).abs() < 0.01, "{alpha}: {found}, not {d}");
    }
}

#[test]
fn pictures_and_holes_are_textures() {
    let world = format!(
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"float uscale\" 2 \
         \"float vdelta\" 0.25\nTexture \"half\" \"spectrum\" \"scale\" \"texture tex\" \"t\" \
         \"float scale\" 0.5\nTexture \"a\" \"float\" \"imagemap\" \"string filename\" \"t.png\"\n\
         Material \"diffuse\" \"texture reflectance\" \"t\"\n{SQUARE}\
         Material \"diffuse\" \"texture reflectance\" \"half\"\n{SQUARE}\
         Shape \"plymesh\" \"string filename\" \"dir/square.ply\" \"texture alpha\" \"a\"\n\
         Material \"conductor\" \"texture roughness\" \"a\" \"string normalmap\" \"n.png\"\n{SQUARE}"
    );
    let (_, text, files) = written("", &world);
    contains(
        &text,
        &[
            "<string name=\"filename\" value=\"t.png\"/>",
            "<scale x=\"2\" y=\"1\"/><translate x=\"0\" y=\"-0.25\"/>",
            "<bsdf type=\"mask\"",
            "<texture type=\"bitmap\" name=\"opacity\">",
            "<texture type=\"bitmap\" name=\"alpha\">",
            "<bsdf type=\"normalmap\"",
        ],
    );
    // Of a factor there is a picture of its own: half of 0.8, by the curve of sRGB.
    let baked = files.iter().find(|(name, _)| name.starts_with("texture-")).unwrap();
    assert_eq!(baked.1[12], solio_color::srgb::u8_of_light(0.4));
}

#[test]
fn lights_are_emitters() {
    let head = "Film \"rgb\" \"integer xresolution\" 200 \"integer yresolution\" 100\n\
        LookAt 0 0 5 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 60 \"float lensradius\" 0.1 \
        \"float focaldistance\" 5";
    let world = format!(
        "LightSource \"point\" \"rgb I\" [1 2 4] \"point3 from\" [1 2 3]\n\
         LightSource \"distant\" \"point3 from\" [0 5 0] \"point3 to\" [0 0 0]\n\
         LightSource \"spot\"\nLightSource \"infinite\" \"float illuminance\" 10\n\
         LightSource \"infinite\" \"string filename\" \"sky.exr\" \"float scale\" 2\n\
         LightSource \"goniometric\" \"string filename\" \"lamp.exr\"\n\
         AreaLightSource \"diffuse\" \"rgb L\" [1 4 2]\n{SQUARE}"
    );
    let (summary, text, files) = written(head, &world);
    contains(
        &text,
        &[
            "<emitter type=\"point\">",
            "<rgb name=\"intensity\" value=\"1, 2, 4\"/>",
            "<vector name=\"direction\" value=\"0, -1, 0\"/>",
            "<float name=\"cutoff_angle\" value=\"30",
            "<rgb name=\"radiance\" value=\"3.183",
            "<emitter type=\"envmap\">",
            "<float name=\"scale\" value=\"2\"/>",
            "<rgb name=\"radiance\" value=\"1, 4, 2\"/>",
            "<sensor type=\"thinlens\">",
            "<float name=\"aperture_radius\" value=\"0.1",
            "<integer name=\"width\" value=\"200\"/>",
        ],
    );
    assert!(files.iter().any(|(name, _)| name == "sky-4.exr"));
    let words: Vec<String> = summary.losses.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 1, "{words:?}");
    // 60 degrees are those of the shorter side.
    let across = 2.0 * (2.0 * 30f64.to_radians().tan()).atan().to_degrees();
    contains(&text, &[&format!("<float name=\"fov\" value=\"{}", &across.to_string()[..8])]);
}
