//! What versions have that others stop at, and one message for one fault.

use super::{NoFiles, Scene, SceneOptions, read_scene};
use solio_base::Work;
use std::path::Path;

fn read(text: &str, check: bool) -> Scene {
    let options = SceneOptions { check, ..SceneOptions::default() };
    let path = Path::new("s.pbrt");
    read_scene(&text.as_bytes().to_vec(), path, &NoFiles, &options, &Work::serial()).unwrap()
}

/// The messages of problems with their lines.
fn told(text: &str) -> Vec<(u64, String)> {
    let problems = read(text, true).problems;
    problems.iter().map(|e| (e.line().unwrap(), e.message().to_owned())).collect()
}

#[test]
fn values_that_version_4_stops_at_are_told() {
    let mesh = "\"point3 P\" [0 0 0 1 0 0 0 1 0] \"integer indices\"";
    for (statement, word) in [
        ("Shape \"loopsubdiv\" \"integer levels\" 2.0 ", "integer"),
        ("Shape \"loopsubdiv\" \"integer levels\" [2.] ", "integer"),
        ("Shape \"loopsubdiv\" \"integer levels\" 1e0 ", "integer"),
        ("AreaLightSource \"diffuse\" \"bool twosided\" \"true\" # ", "bool"),
        ("AreaLightSource \"diffuse\" \"bool twosided\" [\"false\"] # ", "bool"),
    ] {
        let text = format!("WorldBegin\n{statement}{mesh} [0 1 2]\n");
        let found = told(&text);
        let [(2, message)] = &found[..] else { panic!("{statement}: {found:?}") };
        assert!(message.contains("version 4 stops") && message.contains(word), "{message}");
        // The value is there all the same, and version 3 says nothing.
        assert!(told(&format!("{text}WorldEnd\n")).is_empty(), "{statement}");
        assert!(read(&text, false).problems.is_empty());
    }
    let indices = format!("WorldBegin\nShape \"trianglemesh\" {mesh} [0 1 2.0]\n");
    assert_eq!(told(&indices).len(), 1);
    // What stops version 3 too is a problem of the text.
    for value in ["0x10", "1.5", "\"2\"", "true", "2f"] {
        let text =
            format!("WorldBegin\nShape \"loopsubdiv\" \"integer levels\" {value} {mesh} [0 1 2]\n");
        assert_eq!(read(&text, false).problems.len(), 1, "{value}");
    }
}

#[test]
fn whole_numbers_may_be_hexadecimal() {
    let radius = |value: &str| {
        let scene = read(&format!("WorldBegin\nShape \"sphere\" \"float radius\" {value}\n"), true);
        assert!(scene.problems.is_empty(), "{value}: {:?}", scene.problems);
        scene.float(&scene.shapes[0].entity, "radius").unwrap()
    };
    for (text, value) in [
        ("0x1F", 31.0),
        ("[ 0X1f ]", 31.0),
        ("0x0", 0.0),
        ("+0x10", 16.0),
        ("0x1000001", 16_777_216.0),
        ("0x1000003", 16_777_220.0),
        ("0x100000000000000000001", 1.208_925_8e24),
    ] {
        assert_eq!(radius(text), value, "{text}");
    }
    let scene = read("WorldBegin\nTranslate -0x2 0 0xA\nShape \"sphere\"\n", true);
    assert_eq!((scene.matrices[1][3], scene.matrices[1][11]), (-2.0, 10.0));
    for bad in ["0x", "0xG", "0x1.8", "0x1p3", "1x2", "--0x1"] {
        let text = format!("WorldBegin\nShape \"sphere\" \"float radius\" {bad}\n");
        assert_eq!(read(&text, false).problems.len(), 1, "{bad}");
    }
}

#[test]
fn one_fault_is_one_message() {
    for text in [
        "WorldBegin\nMakeNamedMedium \"fog\" \"rgb sigma_a\" [.1 .1 .1]\nMediumInterface \"fog\"\n",
        "WorldBegin\nMakeNamedMaterial \"red\" \"rgb reflectance\" [1 0 0]\nNamedMaterial \"red\"\n",
        "WorldBegin\nMaterial \"diffuse\" \"rgb reflectance\" 1 0 0\nShape \"sphere\"\n",
        "WorldBegin\nAttributeBegin\nObjectBegin \"o\"\nAttributeEnd\nObjectEnd\n",
    ] {
        for check in [false, true] {
            let problems = read(&format!("{text}Shape \"sphere\"\n"), check).problems;
            assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        }
    }
}

#[test]
fn versions_1_and_2_are_named_and_read_as_far_as_they_go() {
    let text = "Renderer \"sampler\"\nSurfaceIntegrator \"path\" \"integer maxdepth\" [5]\n\
        VolumeIntegrator \"emission\" \"float stepsize\" 1\nSampler \"bestcandidate\"\n\
        Film \"image\" \"integer xresolution\" [8]\nCamera \"perspective\"\nWorldBegin\n\
        Volume \"homogeneous\" \"color sigma_a\" [1 1 1]\nMaterial \"matte\" \"color Kd\" [1 0 0]\n\
        Shape \"sphere\" \"float radius\" 2\nWorldEnd\n";
    for check in [false, true] {
        let scene = read(text, check);
        assert_eq!((scene.version, scene.shapes.len()), (2, 1));
        assert!(scene.problems.is_empty(), "{:?}", scene.problems);
        let told: Vec<_> = scene.warnings.iter().map(|w| (w.line(), w.message())).collect();
        for (line, word) in
            [(1, "Renderer"), (2, "SurfaceIntegrator"), (3, "VolumeIntegrator"), (8, "Volume")]
        {
            let is_told = |(at, message): &(Option<u64>, &str)| {
                *at == Some(line) && message.starts_with(&format!("{word} is of version 2"))
            };
            assert!(told.iter().any(is_told), "{word}: {told:?}");
        }
    }
    let first = read("SearchPath \"textures\"\nWorldBegin\nShape \"sphere\"\nWorldEnd\n", true);
    assert_eq!((first.version, first.problems.len()), (1, 0));
    // In the middle of a word it is none.
    assert_eq!(read("WorldBegin\nRenderers \"x\"\n", false).problems.len(), 1);
}
