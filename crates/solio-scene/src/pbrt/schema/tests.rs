//! One problem each, and files.

use super::table::table;
use super::{Checker, Problem, Severity, Version, check, files};
use crate::pbrt::{Directive, Statements, parse};
use proptest::prelude::*;

fn parsed(text: &str) -> Statements {
    let statements = parse(text.as_bytes(), 0);
    assert!(statements.problems.is_empty(), "{text}: {:?}", statements.problems);
    statements
}

/// Each problem as `E` or `W`, byte, message and, after `|`, hint.
fn said(problem: &Problem) -> String {
    let mark = if problem.severity == Severity::Error { "E" } else { "W" };
    let at = problem.error.offset().expect("a place");
    let hint = problem.error.hint_text().map(|hint| format!(" | {hint}")).unwrap_or_default();
    format!("{mark}{at} {}{hint}", problem.error.message())
}

fn all(text: &str, version: Version) -> Vec<String> {
    let statements = parsed(text);
    let mut checker = Checker::new(version);
    let problems =
        statements.statements.iter().flat_map(|statement| checker.check(&statements, statement));
    problems.map(|problem| said(&problem)).collect()
}

fn v4(text: &str) -> Vec<String> {
    all(text, Version::V4)
}

fn v3(text: &str) -> Vec<String> {
    all(text, Version::V3)
}

#[test]
fn classes() {
    assert_eq!(v4("Shape \"sphere\""), [""; 0]);
    assert_eq!(
        v4("Shape \"spere\""),
        ["E0 Shape has no class \"spere\" | did you mean \"sphere\"?"]
    );
    assert_eq!(
        v4("Material \"matte\""),
        ["E0 version 4 has no Material \"matte\" | write Material \"diffuse\""]
    );
    assert_eq!(v3("Material \"diffuse\""), ["E0 version 3 has no Material \"diffuse\""]);
    assert_eq!(v3("Material \"matte\""), [""; 0]);
    for name in ["none", ""] {
        assert_eq!(
            v4(&format!("Material \"{name}\"")),
            [format!("W0 the material \"{name}\" is deprecated | write \"interface\"")]
        );
        assert_eq!(v3(&format!("Material \"{name}\"")), [""; 0]);
    }
    assert_eq!(
        v4("Texture \"a\" \"float\" \"imagmap\" \"string filename\" \"a.png\""),
        ["E0 Texture of type \"float\" has no class \"imagmap\" | did you mean \"imagemap\"?"]
    );
    assert_eq!(
        v4("Texture \"a\" \"colour\" \"constant\""),
        ["E0 a texture has no type \"colour\" | its types are \"float\" and \"spectrum\""]
    );
    assert_eq!(
        v4("Texture \"a\" \"color\" \"constant\""),
        ["E0 version 4 has no textures of type \"color\" | write \"spectrum\""]
    );
    assert_eq!(v4("ColorSpace \"rec709\"").len(), 1);
    assert_eq!(
        v4("MakeNamedMaterial \"a\""),
        ["E0 MakeNamedMaterial needs the parameter \"string type\""]
    );
    assert_eq!(v4("MakeNamedMaterial \"a\" \"string type\" \"diffuse\""), [""; 0]);
}

#[test]
fn directives() {
    assert_eq!(v4("WorldEnd"), ["E0 version 4 has no WorldEnd | the scene ends with its file"]);
    assert_eq!(v4("TransformBegin"), ["W0 TransformBegin is deprecated | write AttributeBegin"]);
    assert_eq!(v3("TransformBegin WorldEnd"), [""; 0]);
    assert_eq!(
        v3("ColorSpace \"srgb\""),
        ["E0 version 3 has no ColorSpace", "E0 version 3 has no ColorSpace \"srgb\""]
    );
}

#[test]
fn parameters() {
    assert_eq!(
        v4("Shape \"sphere\" \"float radios\" 1"),
        ["E15 Shape \"sphere\" has no parameter \"radios\" | did you mean \"radius\"?"]
    );
    assert_eq!(
        v3("Shape \"sphere\" \"float radios\" 1"),
        ["W15 Shape \"sphere\" has no parameter \"radios\" | did you mean \"radius\"?"]
    );
    assert_eq!(
        v4("Shape \"sphere\" \"integer radius\" 1"),
        ["E15 the parameter \"radius\" is of type float, not integer"]
    );
    assert_eq!(
        v4("Shape \"sphere\" \"float radius\" [1 2]"),
        ["E15 the parameter \"radius\" has 2 values, not 1 value"]
    );
    assert_eq!(
        v4("Shape \"sphere\" \"float phimax\" 400"),
        ["W15 the parameter \"phimax\" is 400, not from 0 to 360"]
    );
    assert_eq!(
        v4("Shape \"sphere\" \"float radius\" 1 \"float radius\" 2"),
        ["W32 the parameter \"radius\" stands here twice | the last one is taken"]
    );
    assert_eq!(
        v4("Material \"diffuse\" \"rgb reflectance\" [1 1 1] \"texture reflectance\" \"a\""),
        ["E45 the parameter \"reflectance\" stands here twice | leave one out"]
    );
    assert_eq!(
        v4("Material \"diffuse\" \"texture bumpmap\" \"a\""),
        ["E19 Material \"diffuse\" has no parameter \"bumpmap\" | write \"texture displacement\""]
    );
    assert_eq!(
        v4("Shape \"plymesh\""),
        ["E0 Shape \"plymesh\" needs a parameter \"string filename\""]
    );
    assert_eq!(
        v4("Accelerator \"bvh\" \"string splitmethod\" \"shah\""),
        ["E18 the parameter \"splitmethod\" knows nothing of \"shah\" | did you mean \"sah\"?"]
    );
    // In version 3 a shape may say what its material is made of.
    assert_eq!(v3("Shape \"sphere\" \"rgb Kd\" [1 0 0]"), [""; 0]);
    assert_eq!(v4("Shape \"sphere\" \"rgb reflectance\" [1 0 0]").len(), 1);
}

#[test]
fn older_types() {
    assert_eq!(
        v4("Shape \"curve\" \"point P\" [0 0 0 1 0 0 2 0 0 3 0 0]"),
        ["E14 \"P\": version 4 has no type point | write point3"]
    );
    assert_eq!(v3("Shape \"curve\" \"point P\" [0 0 0 1 0 0 2 0 0 3 0 0]"), [""; 0]);
    assert_eq!(
        v4("Material \"diffuse\" \"color reflectance\" [1 1 1]"),
        ["E19 \"reflectance\": version 4 has no type color | write rgb"]
    );
    assert_eq!(
        v4("Material \"diffuse\" \"xyz reflectance\" [1 1 1]"),
        ["E19 \"reflectance\": version 4 has no type xyz | write rgb or spectrum"]
    );
}

#[test]
fn spectra() {
    let light = |value: &str| v4(&format!("LightSource \"point\" {value}"));
    assert_eq!(light("\"blackbody I\" 6500"), [""; 0]);
    assert_eq!(light("\"blackbody I\" [6500 1]").len(), 1);
    assert_eq!(v3("LightSource \"point\" \"blackbody I\" [6500 1]"), [""; 0]);
    assert_eq!(light("\"spectrum I\" [300 1 400 2]"), [""; 0]);
    assert_eq!(light("\"spectrum I\" [400 1 300 2]"), ["E20 the wavelengths of \"I\" do not rise"]);
    assert_eq!(
        light("\"spectrum I\" [400 1 300]"),
        ["E20 the parameter \"I\" has 3 values, not pairs of wavelength and value"]
    );
    assert_eq!(light("\"rgb I\" [-1 0 0]"), ["E20 the colour \"I\" has a component below 0"]);
    assert_eq!(light("\"rgb I\" [9 9 9]"), [""; 0]);
    assert_eq!(
        v4("Material \"diffuse\" \"rgb reflectance\" [2 0 0]"),
        ["E19 the colour \"reflectance\" reflects more than comes in: above 1"]
    );
}

#[test]
fn meshes() {
    let mesh =
        |rest: &str| v4(&format!("Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] {rest}"));
    assert_eq!(mesh(""), [""; 0]);
    assert_eq!(mesh("\"integer indices\" [0 1 2]"), [""; 0]);
    assert_eq!(
        mesh("\"integer indices\" [0 1 3 0 1 -1]"),
        ["E52 the index 3 is not that of one of 3 points"]
    );
    assert_eq!(
        mesh("\"integer indices\" [0 1 2 0]"),
        ["W52 the parameter \"indices\" has 4 values, not a multiple of 3 values"]
    );
    assert_eq!(
        mesh("\"normal N\" [0 0 1]"),
        ["W52 1 values of \"N\" for 3 points | pbrt leaves them out"]
    );
    assert_eq!(
        v4("Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0]"),
        ["E0 the mesh needs a parameter \"integer indices\""]
    );
    assert_eq!(
        v4("Shape \"trianglemesh\" \"point3 P\" [0 0 0 1]"),
        [
            "E21 the parameter \"P\" has 4 values, not a multiple of 3 values",
            "E0 the mesh needs a parameter \"integer indices\""
        ]
    );
    let curve =
        |rest: &str| v4(&format!("Shape \"curve\" \"point3 P\" [0 0 0 1 0 0 2 0 0] {rest}"));
    assert_eq!(curve("").len(), 1);
    assert_eq!(curve("\"integer degree\" 2"), [""; 0]);
    assert_eq!(curve("\"integer degree\" 2 \"string type\" \"ribbon\"").len(), 1);
    assert_eq!(
        curve("\"integer degree\" 2 \"string type\" \"ribbon\" \"normal N\" [0 0 1 0 0 1]"),
        [""; 0]
    );
}

#[test]
fn grids() {
    let grid =
        |rest: &str| v4(&format!("MakeNamedMedium \"a\" \"string type\" \"uniformgrid\" {rest}"));
    let sides = "\"integer nx\" 2 \"integer ny\" 2";
    assert_eq!(grid(&format!("{sides} \"float density\" [1 2 3 4]")), [""; 0]);
    assert_eq!(grid(&format!("{sides} \"float density\" [1 2 3]")).len(), 1);
    let huge = "\"integer nx\" 2147483647 \"integer ny\" -2147483648 \"integer nz\" 2147483647";
    assert!(!grid(&format!("{huge} \"float density\" [1 2 3]")).is_empty());
}

/// Version 4 stops at what it does not look at because of other parameters.
#[test]
fn idle_parameters() {
    let idle = |at: usize, name: &str| {
        format!("E{at} {name:?} is not used beside the other parameters | leave it out")
    };
    let both = "\"float uroughness\" 1 \"float vroughness\" 1 \"float roughness\" 1";
    assert_eq!(v4(&format!("Material \"conductor\" {both}")), [idle(63, "roughness")]);
    let dots = |rest: &str| v4(&format!("Texture \"a\" \"float\" \"dots\" {rest}"));
    assert_eq!(dots("\"float uscale\" 2"), [""; 0]);
    assert_eq!(dots("\"string mapping\" \"planar\" \"vector3 v1\" [1 0 0]"), [""; 0]);
    assert_eq!(dots("\"string mapping\" \"spherical\" \"float uscale\" 2"), [idle(56, "uscale")]);
    assert_eq!(dots("\"vector3 v1\" [1 0 0]"), [idle(27, "v1")]);
    let solid =
        "Texture \"a\" \"float\" \"checkerboard\" \"integer dimension\" 3 \"float uscale\" 2";
    assert_eq!(v4(solid), [idle(57, "uscale")]);
    assert_eq!(v3(solid), [""; 0]);
    let milk = "Material \"subsurface\" \"string name\" \"Skimmilk\"";
    assert_eq!(v4(milk), [""; 0]);
    assert_eq!(v4(&format!("{milk} \"rgb mfp\" [1 1 1]")), [idle(47, "mfp")]);
    assert_eq!(
        v4("Material \"subsurface\" \"string name\" \"Skim milk\""),
        ["E22 nothing is known of a medium \"Skim milk\" | did you mean \"Skimmilk\"?"]
    );
    let medium = "MakeNamedMedium \"a\" \"string type\" \"homogeneous\" \"string preset\"";
    assert_eq!(v4(&format!("{medium} \"Coke\"")), [""; 0]);
    assert_eq!(v4(&format!("{medium} \"Coke\" \"rgb sigma_a\" [1 1 1]")).len(), 1);
    assert_eq!(v4(&format!("{medium} \"Koke\""))[0].as_bytes()[0], b'W');
}

#[test]
fn options() {
    assert_eq!(v4("Option \"seed\" 6 Option \"Render-Coord_Sys\" \"world\""), [""; 0]);
    assert_eq!(v4("Option \"displacementedgescale\" 2 Option \"wavefront\" true"), [""; 0]);
    assert_eq!(v4("Option \"wavefront\" 1").len(), 1);
    assert_eq!(
        v4("Option \"bool wavefront\" true"),
        ["E7 Option takes \"wavefront\" without a type"]
    );
    assert_eq!(
        v4("Option \"sead\" 6"),
        ["E0 Option has no class \"sead\" | did you mean \"seed\"?"]
    );
}

#[test]
fn attributes_give_what_would_be_missing() {
    assert_eq!(v4("Attribute \"shape\" \"string filename\" \"a.ply\" Shape \"plymesh\""), [""; 0]);
    assert_eq!(v4("Attribute \"shap\"").len(), 1);
    assert_eq!(
        v4("Attribute \"shape\" \"float radios\" 1"),
        ["W18 no shape has a parameter \"radios\" | did you mean \"radius\"?"]
    );
}

#[test]
fn files_of_statements() {
    let named = |text: &str| -> Vec<String> {
        let statements = parsed(text);
        let all = statements.statements.iter();
        all.flat_map(|statement| files(&statements, statement))
            .map(|file| format!("{} {}", file.at, String::from_utf8_lossy(file.name)))
            .collect()
    };
    assert_eq!(named("Include \"a.pbrt\" Import \"b.pbrt\""), ["0 a.pbrt", "17 b.pbrt"]);
    assert_eq!(named("Shape \"plymesh\" \"string filename\" \"a.ply\""), ["16 a.ply"]);
    assert_eq!(named("Film \"rgb\" \"string filename\" \"a.exr\""), [""; 0]);
    assert_eq!(
        named("Texture \"a\" \"color\" \"imagemap\" \"string filename\" \"a.png\"").len(),
        1
    );
    assert_eq!(named("LightSource \"infinite\" \"string mapname\" \"a.exr\"").len(), 1);
    assert_eq!(named("Material \"diffuse\" \"string normalmap\" \"a.exr\"").len(), 1);
    assert_eq!(
        named("MakeNamedMaterial \"a\" \"string type\" \"fourier\" \"string bsdffile\" \"a\"")
            .len(),
        1
    );
    let spectra =
        "Material \"conductor\" \"spectrum eta\" \"metal-Cu-eta\" \"spectrum k\" \"k.spd\"";
    assert_eq!(named(spectra), ["51 k.spd"]);
    let camera = "Camera \"realistic\" \"string lensfile\" \"a.dat\" \"string aperture\" ";
    assert_eq!(named(&format!("{camera} \"star\"")), ["19 a.dat"]);
    assert_eq!(named(&format!("{camera} \"b.png\"")).len(), 2);
    // Of one name the last counts, among few and among many.
    let twice = "Shape \"plymesh\" \"string filename\" \"no.ply\" \"string filename\" \"a.ply\"";
    let many: String = (0..40).map(|i| format!(" \"float p{i}\" 1")).collect();
    for text in [twice.to_owned(), twice.to_owned() + &many] {
        assert_eq!(named(&text), ["43 a.ply"]);
    }
}

#[test]
fn long_and_foreign_names_are_no_trouble() {
    let long = "x".repeat(100_000);
    let text = format!(
        "Shape \"{long}\" Shape \"sphere\" \"float {long}\" 1 Attribute \"{long}\" \
         Attribute \"shape\" \"float {long}\" [] Texture \"a\" \"{long}\" \"{long}\""
    );
    let statements = parse(text.as_bytes(), 0);
    let mut bytes =
        b"Shape \"\xff\xfe\" Shape \"sphere\" \"float \xff\" 1 Option \"\xff\" 1".to_vec();
    bytes.extend_from_slice(b" Material \"\xff\" \"spectrum \xff\" \"\xff\"");
    for statements in [&statements, &parse(&bytes, 0)] {
        assert!(statements.problems.is_empty());
        for statement in &statements.statements {
            for version in [Version::V3, Version::V4] {
                let problems = check(statements, statement, version);
                assert!(!problems.is_empty());
                assert!(problems.iter().all(|problem| problem.error.message().len() < 400));
            }
            let _ = files(statements, statement).count();
        }
    }
}

/// A statement of some class of the table, with some of its parameters under some types.
fn text_of(directive: &str, class: usize, rows: &[(usize, usize, i32, usize)]) -> String {
    const TYPES: [&str; 14] = [
        "bool",
        "integer",
        "float",
        "point2",
        "vector2",
        "point3",
        "vector3",
        "normal",
        "string",
        "spectrum",
        "rgb",
        "blackbody",
        "texture",
        "color",
    ];
    let of = Directive::of_word(directive.as_bytes()).expect("a directive");
    let classes: Vec<_> = table().classes_of(of).collect();
    let class = classes[class % classes.len()];
    let mut text = match (of, class.name.split_once('.')) {
        (Directive::Texture, Some((kind, name))) => format!("Texture \"a\" \"{kind}\" \"{name}\""),
        (Directive::MakeNamedMedium, _) => {
            format!("MakeNamedMedium \"a\" \"string type\" \"{}\"", class.name)
        }
        _ => format!("{directive} \"{}\"", class.name),
    };
    for (row, kind, value, count) in rows {
        let kind = TYPES[*kind];
        let name = class.rows.get(row % class.rows.len().max(1)).map_or("nothing", |row| row.name);
        let value = match kind {
            "bool" => "true ".to_string(),
            "string" | "texture" => format!("\"{value}\" "),
            _ => format!("{value} "),
        };
        text += &format!(" \"{kind} {name}\" [ {}]", value.repeat(*count));
    }
    text
}

proptest! {
    /// Any class with any parameters, of any types and counts: problems have a place, no panic.
    #[test]
    fn checks_are_total(
        directive in prop::sample::select(vec![
            "Shape", "Material", "Film", "Camera", "LightSource", "MakeNamedMedium", "Texture",
        ]),
        class in 0_usize..50,
        rows in prop::collection::vec((0_usize..50, 0_usize..14, -3_i32..9, 0_usize..9), 0..6),
    ) {
        let text = text_of(directive, class, &rows);
        let statements = parse(text.as_bytes(), 0);
        for statement in &statements.statements {
            for version in [Version::V3, Version::V4] {
                for problem in check(&statements, statement, version) {
                    let at = problem.error.offset().expect("a place") as usize;
                    prop_assert!(text.is_char_boundary(at) && at < text.len());
                }
            }
            let _ = files(&statements, statement).count();
        }
    }
}
