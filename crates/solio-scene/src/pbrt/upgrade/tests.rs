//! Statements of version 3, and what becomes of them.

use super::Upgrader;
use crate::pbrt::parse;
use crate::pbrt::schema::{Checker, Severity, Version};
use crate::pbrt::write::{WriteOptions, to_text};

/// The upgraded text on one line, its problems, and that version 4 takes it.
fn upgraded(text: &str) -> (String, Vec<String>) {
    let mut statements = parse(text.as_bytes(), 0);
    assert!(statements.problems.is_empty(), "{:?}", statements.problems);
    let problems = Upgrader::new().upgrade(&mut statements);
    let said = problems.iter().map(|problem| {
        let mark = if problem.severity == Severity::Error { "E" } else { "W" };
        format!("{mark}{} {}", problem.error.offset().expect("a place"), problem.error.message())
    });
    let said: Vec<_> = said.collect();
    let mut checker = Checker::new(Version::V4);
    if !said.iter().any(|said| said.starts_with('E')) {
        for statement in &statements.statements {
            let left = checker.check(&statements, statement);
            assert!(left.is_empty(), "{text}: {left:?}");
        }
    }
    let written = to_text(&statements, WriteOptions::default());
    let again = parse(&written, 0);
    assert!(again.problems.is_empty());
    let text = String::from_utf8(written).expect("text");
    (text.split_whitespace().collect::<Vec<_>>().join(" "), said)
}

/// The upgraded text, without problems.
fn clean(text: &str) -> String {
    let (text, problems) = upgraded(text);
    assert!(problems.is_empty(), "{text}: {problems:?}");
    text
}

#[test]
fn materials() {
    assert_eq!(
        clean(r#"Material "matte" "color Kd" [.1 .2 .3] "float sigma" 0"#),
        r#"Material "diffuse" "rgb reflectance" [ 0.1 0.2 0.3 ]"#
    );
    assert_eq!(
        clean(r#"Material "plastic" "rgb Ks" [0 0 0] "float roughness" .2"#),
        r#"Material "diffuse" "rgb reflectance" [ 0.25 0.25 0.25 ]"#
    );
    assert_eq!(
        upgraded(r#"Material "plastic" "texture Kd" "a" "rgb Ks" [.5 .5 .5] "texture bumpmap" "b""#),
        (
            r#"Material "coateddiffuse" "float roughness" 0.1 "texture reflectance" "a" "texture displacement" "b""#.into(),
            vec!["W36 \"Ks\" has no counterpart and is left out".into()]
        )
    );
    assert_eq!(
        clean(r#"Material "glass" "float roughness" 1 "float index" 1.3"#),
        r#"Material "dielectric" "float eta" 1.3"#
    );
    assert_eq!(
        clean(r#"Material "metal" "spectrum eta" "a.spd" "spectrum k" [500 1 400 2]"#),
        r#"Material "conductor" "float roughness" 0.01 "spectrum eta" "a.spd" "spectrum k" [ 400 2 500 1 ]"#
    );
    assert_eq!(
        clean(r#"Material "mirror" "rgb Kr" [.5 0 0]"#),
        r#"Material "conductor" "float roughness" 0 "rgb reflectance" [ 0.5 0 0 ]"#
    );
    assert_eq!(
        clean(r#"Material "mirror""#),
        r#"Material "conductor" "float roughness" 0 "spectrum eta" "metal-Ag-eta" "spectrum k" "metal-Ag-k""#
    );
    assert_eq!(
        clean(
            r#"Material "translucent" "rgb Kd" [.5 1 0] "rgb Ks" [0 0 0] "rgb transmit" [1 1 1]"#
        ),
        r#"Material "diffusetransmission" "rgb reflectance" [ 0.25 0.5 0 ] "rgb transmittance" [ 0.5 1 0 ]"#
    );
    assert_eq!(
        clean(r#"Material "" Material "none""#),
        r#"Material "interface" Material "interface""#
    );
    assert_eq!(
        clean(
            r#"MakeNamedMaterial "a" "string type" "matte" MakeNamedMaterial "b" "string type" "mix"
            "string namedmaterial1" "a" "string namedmaterial2" "c" "rgb amount" [.3 .3 .3]"#
        ),
        r#"MakeNamedMaterial "a" "string type" "diffuse" MakeNamedMaterial "b" "string materials" [ "c" "a" ] "float amount" 0.3 "string type" "mix""#
    );
    assert_eq!(
        upgraded(r#"Material "uber" "rgb opacity" [.5 .5 .5] "rgb Ks" [0 0 0]"#).1,
        ["E16 \"opacity\" of a material has no counterpart"]
    );
    assert_eq!(
        upgraded(r#"Material "matte" "rgb Kd" [2 .5 -1]"#),
        (
            r#"Material "diffuse" "rgb reflectance" [ 1 0.5 0 ]"#.into(),
            vec!["W17 the colour \"reflectance\" is brought between 0 and 1".into()]
        )
    );
    assert_eq!(
        upgraded(r#"Material "fourier" "string bsdffile" "a.bsdf""#).1,
        ["E0 the material \"fourier\" has no counterpart"]
    );
}

#[test]
fn lights() {
    assert_eq!(
        clean(
            r#"LightSource "point" "blackbody I" [5500 2] "rgb scale" [3 3 3] "integer samples" 4"#
        ),
        r#"LightSource "point" "float scale" 6 "blackbody I" 5500"#
    );
    assert_eq!(
        upgraded(r#"LightSource "infinite" "string mapname" "a.exr" "rgb L" [2 2 2]"#),
        (
            r#"LightSource "infinite" "float scale" 2 "string filename" "a.exr""#.into(),
            vec!["W23 the picture has to become one of equal areas".into()]
        )
    );
    assert_eq!(
        upgraded(r#"LightSource "infinite" "string mapname" "a.exr" "rgb L" [2 2 3]"#).1,
        ["E48 \"L\" is no grey colour", "W23 the picture has to become one of equal areas"]
    );
    assert_eq!(
        clean(r#"LightSource "distant" "rgb L" [1 2 3] "rgb scale" [.5 1 2]"#),
        r#"LightSource "distant" "rgb L" [ 0.5 2 6 ]"#
    );
    assert_eq!(
        clean(r#"AreaLightSource "area" "color L" [1 1 1] "integer nsamples" 8"#),
        r#"AreaLightSource "diffuse" "rgb L" [ 1 1 1 ]"#
    );
}

#[test]
fn shapes() {
    assert_eq!(
        clean(
            r#"Shape "trianglemesh" "point P" [0 0 0 1 0 0 0 1 0] "float uv" [0 0 1 0 0 1] "integer indices" [0 1 2]"#
        ),
        r#"Shape "trianglemesh" "point3 P" [ 0 0 0 1 0 0 0 1 0 ] "point2 uv" [ 0 0 1 0 0 1 ] "integer indices" [ 0 1 2 ]"#
    );
    assert_eq!(
        clean(
            r#"Shape "loopsubdiv" "integer nlevels" 2 "point P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 1 2]"#
        ),
        r#"Shape "loopsubdiv" "integer levels" 2 "point3 P" [ 0 0 0 1 0 0 0 1 0 ] "integer indices" [ 0 1 2 ]"#
    );
    assert_eq!(
        clean(r#"Shape "curve" "point P" [0 0 0 1 0 0 2 0 0 3 0 0] "float splitdepth" 2"#),
        r#"Shape "curve" "integer splitdepth" 2 "point3 P" [ 0 0 0 1 0 0 2 0 0 3 0 0 ]"#
    );
    assert_eq!(upgraded(r#"Shape "cone""#).1, ["E0 the shape \"cone\" has no counterpart"]);
    assert_eq!(
        upgraded(r#"Shape "sphere" "rgb Kd" [1 0 0]"#),
        (r#"Shape "sphere""#.into(), vec!["W15 \"Kd\" has no counterpart and is left out".into()])
    );
}

/// What floats cannot hold could not be read again.
#[test]
fn what_is_computed_is_finite() {
    for alpha in ["0", "-0", "-3"] {
        let (text, problems) =
            upgraded(&format!("PixelFilter \"gaussian\" \"float alpha\" {alpha}"));
        assert_eq!(text, r#"PixelFilter "gaussian" "float yradius" 2 "float xradius" 2"#);
        assert!(problems[0].contains("lets nothing through"), "{problems:?}");
    }
    let colour = r#"LightSource "point" "xyz I" [ 3e38 3e38 -3e38 ]"#;
    assert!(!upgraded(colour).0.contains("inf"), "{}", upgraded(colour).0);
}

#[test]
fn settings() {
    assert_eq!(
        clean(
            r#"Film "image" "string filename" "a.png" "float scale" 2 "float maxsampleluminance" 9"#
        ),
        r#"Film "rgb" "float iso" 200 "string filename" "a.png" "float maxcomponentvalue" 9"#
    );
    assert_eq!(
        clean(r#"PixelFilter "gaussian" "float alpha" 2 "float xwidth" 3"#),
        r#"PixelFilter "gaussian" "float sigma" 0.5 "float yradius" 2 "float xradius" 3"#
    );
    assert_eq!(
        clean(r#"Sampler "02sequence" "integer dimensions" 4 "integer pixelsamples" 8"#),
        r#"Sampler "paddedsobol" "integer pixelsamples" 8"#
    );
    assert_eq!(
        clean(r#"Integrator "directlighting" "integer maxdepth" 5 "string strategy" "all""#),
        r#"Integrator "path" "integer maxdepth" 1"#
    );
    assert_eq!(
        clean(
            r#"Integrator "volpath" "string lightsamplestrategy" "spatial" "float rrthreshold" 1"#
        ),
        r#"Integrator "volpath" "string lightsampler" "bvh""#
    );
    assert_eq!(
        clean(r#"Camera "environment""#),
        r#"Camera "spherical" "string mapping" "equirectangular""#
    );
    assert_eq!(
        clean(r#"Camera "perspective" "float halffov" 20"#),
        r#"Camera "perspective" "float fov" 40"#
    );
    assert_eq!(
        clean(
            r#"MakeNamedMedium "a" "string type" "heterogeneous" "float density" 1 "rgb sigma_a" [1 1 1] "rgb sigma_s" [9 9 9]"#
        ),
        r#"MakeNamedMedium "a" "string type" "uniformgrid" "float density" 1 "rgb sigma_a" [ 1 1 1 ] "rgb sigma_s" [ 9 9 9 ]"#
    );
}

#[test]
fn textures() {
    assert_eq!(
        clean(
            r#"Texture "a" "color" "imagemap" "string filename" "a.png" "bool trilinear" "true" "bool gamma" "true""#
        ),
        r#"Texture "a" "spectrum" "imagemap" "string encoding" "sRGB" "string filter" "trilinear" "string filename" "a.png""#
    );
    assert_eq!(
        clean(r#"Texture "a" "float" "scale" "texture tex1" "b" "float tex2" 2"#),
        r#"Texture "a" "float" "scale" "texture tex" "b" "float scale" 2"#
    );
    assert_eq!(
        clean(r#"Texture "a" "spectrum" "scale" "rgb tex1" [2 2 2] "texture tex2" "b""#),
        r#"Texture "a" "spectrum" "scale" "float scale" 2 "texture tex" "b""#
    );
    assert_eq!(
        clean(
            r#"Texture "b" "float" "constant" Texture "a" "color" "scale" "texture tex1" "c" "texture tex2" "b""#
        ),
        r#"Texture "b" "float" "constant" Texture "a" "spectrum" "scale" "texture scale" "b" "texture tex" "c""#
    );
    assert_eq!(
        upgraded(r#"Texture "a" "color" "scale" "texture tex1" "b" "texture tex2" "c""#).1[0],
        "E0 both factors of the texture are colours: in version 4 one is a number"
    );
    assert_eq!(
        upgraded(r#"Texture "a" "color" "uv""#).1,
        ["E0 a spectrum texture of class \"uv\" has no counterpart"]
    );
}

/// What version 4 would stop at because of other parameters goes without a word.
#[test]
fn idle_parameters_go() {
    assert_eq!(
        clean(r#"Texture "a" "float" "dots" "string mapping" "spherical" "float uscale" 2"#),
        r#"Texture "a" "float" "dots" "string mapping" "spherical""#
    );
    assert_eq!(
        clean(r#"Material "metal" "float uroughness" 1 "float vroughness" 1 "float roughness" 2"#),
        r#"Material "conductor" "float uroughness" 1 "float vroughness" 1"#
    );
    assert_eq!(
        clean(
            r#"Material "subsurface" "string name" "Coke" "rgb sigma_a" [1 1 1] "rgb sigma_s" [1 1 1]"#
        ),
        r#"Material "subsurface" "rgb sigma_a" [ 1 1 1 ] "rgb sigma_s" [ 1 1 1 ]"#
    );
}

/// A name that is defined again counts until its block ends.
#[test]
fn names_by_blocks() {
    let text = r#"Texture "t" "float" "constant"
        AttributeBegin
            Texture "t" "float" "constant" "float value" 2
            Texture "t" "color" "constant"
            Material "matte" "texture bumpmap" "t" "texture Kd" "t"
        AttributeEnd
        Material "matte" "texture bumpmap" "t"
        ObjectBegin "o" ObjectEnd ObjectBegin "o" ObjectEnd ObjectInstance "o""#;
    assert_eq!(
        clean(text),
        "Texture \"t\" \"float\" \"constant\" AttributeBegin \
         Texture \"t-2\" \"float\" \"constant\" \"float value\" 2 \
         Texture \"t\" \"spectrum\" \"constant\" \
         Material \"diffuse\" \"texture displacement\" \"t-2\" \"texture reflectance\" \"t\" \
         AttributeEnd Material \"diffuse\" \"texture displacement\" \"t\" \
         ObjectBegin \"o\" ObjectEnd ObjectBegin \"o-2\" ObjectEnd ObjectInstance \"o-2\""
    );
}

#[test]
fn directives() {
    assert_eq!(
        upgraded("WorldBegin TransformBegin Scale 1 2 3 Material \"matte\" TransformEnd WorldEnd"),
        (
            "WorldBegin AttributeBegin Scale 1 2 3 Material \"diffuse\" AttributeEnd".into(),
            vec!["W38 Material in a block of TransformBegin ends with it in version 4".into()]
        )
    );
    assert_eq!(upgraded("WorldBegin WorldEnd WorldBegin").1, ["E20 a second scene in the file"]);
}

#[test]
fn hostile_texts_end() {
    let mut text = "AttributeEnd ObjectEnd TransformEnd ".repeat(10);
    text += &"AttributeBegin Texture \"t\" \"float\" \"constant\" ".repeat(20_000);
    text += &"AttributeEnd ".repeat(30_000);
    text += "Material \"matte\" \"rgb Kd\" [1] \"rgb Kd\" [] \"float sigma\" []";
    text +=
        " LightSource \"point\" \"blackbody I\" [1 2 3] Shape \"curve\" \"float splitdepth\" 1e39";
    let mut statements = parse(text.as_bytes(), 0);
    assert!(statements.problems.is_empty());
    let _ = Upgrader::new().upgrade(&mut statements);
    let foreign =
        b"Material \"matte\" \"texture Kd\" \"\xff\" Texture \"\xff\" \"color\" \"\xff\" \
        MakeNamedMedium \"\xff\" \"string type\" \"\xff\" Camera \"\xff\" \"float \xff\" 1";
    let mut statements = parse(foreign, 0);
    assert!(statements.problems.is_empty());
    let _ = Upgrader::new().upgrade(&mut statements);
    let again = parse(&to_text(&statements, WriteOptions::default()), 0);
    assert_eq!(again.statements.len(), 4);
}

#[test]
fn what_stands_before_the_world_is_told() {
    let early = "Material \"matte\"\nInclude \"a\"\n";
    assert_eq!(upgraded(early).1, [""; 0]);
    let wrong = ["E0 Material belongs behind WorldBegin"];
    assert_eq!(upgraded(&format!("{early}WorldBegin Shape \"sphere\"")).1, wrong);
    // What is included before the world, and where the world begins in another file.
    for (included, expected) in [
        ("Shape \"sphere\"", vec![0, 17]),
        ("MediumInterface \"fog\"", vec![0]),
        ("WorldBegin", vec![0]),
    ] {
        let mut main = parse(format!("{early}WorldBegin").as_bytes(), 0);
        let mut other = parse(included.as_bytes(), 0);
        let problems = Upgrader::new().upgrade_with(&mut main, &mut |upgrader, _, _| {
            assert!(upgrader.upgrade(&mut other).is_empty());
        });
        let stands =
            |error: &solio_base::Error| error.message().contains("belongs behind WorldBegin");
        let brings =
            |error: &solio_base::Error| error.message().contains("brings what belongs behind");
        let told = problems.iter().map(|problem| &problem.error);
        let told = told.filter(|error| stands(error) || brings(error));
        let places: Vec<u64> = told.map(|error| error.offset().unwrap()).collect();
        assert_eq!(places, expected, "{included}");
    }
}
