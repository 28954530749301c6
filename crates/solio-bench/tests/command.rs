//! The benchmarks as people meet them: what they measure without any peer, and what they skip.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

use std::path::Path;
use std::process::Command;

/// Runs `solio-bench ARGS` in `dir`: the exit code, standard output and standard error.
fn bench(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio-bench"));
    command.args(args).current_dir(dir).env("XDG_CACHE_HOME", "/no-cache");
    let output = command.env_remove("CLICOLOR_FORCE").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn images_are_measured_without_any_peer() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["exr", "--quick", "--methods", "none", "--python", "nothing", "--json"];
    let (code, out, err) = bench(dir.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("OpenEXR (Python): skipped"), "{err}");
    assert_eq!(out.lines().count(), 5, "row by row; memory and file, write and read");
    for line in out.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["raw_bytes"], 4 << 20);
        assert!(line["ratio_cpu"][0].as_f64().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn what_has_nothing_to_measure_is_skipped_and_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    let (code, out, err) = bench(dir.path(), &["photo", "empty", "--json"]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.contains("name some"), "{err}");
    // The folder that is named is read, not the one of the environment.
    let args = ["all", "--only", "photo", "--photos", "empty", "-o", "page.html"];
    let (code, _, err) = bench(dir.path(), &args);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("photo: not measured: there are no inputs for it here"), "{err}");
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("there are no inputs for it here"));
}

#[test]
fn help_and_wrong_words_name_this_program() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = bench(dir.path(), &["help", "mesh"]);
    assert!(code == 0 && out.contains("Usage: solio-bench mesh"), "{out}");
    let (code, _, err) = bench(dir.path(), &["mesh", "--quik"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("solio-bench help mesh lists all options"), "{err}");
}

const MATERIALS: &str =
    "MakeNamedMaterial \"red\" \"string type\" \"diffuse\" \"rgb reflectance\" [ 1 0 0 ]\n";

const SQUARE: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    -1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\n4 0 1 2 3\n";

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

#[test]
fn a_study_takes_every_way_to_store_a_scene_and_draws_one_picture() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("materials")).unwrap();
    std::fs::write(dir.path().join("materials/all.pbrt"), MATERIALS).unwrap();
    std::fs::write(dir.path().join("square.ply"), SQUARE).unwrap();
    std::fs::write(dir.path().join("scene.pbrt"), SCENE).unwrap();
    let line = "scene --study scene.pbrt --quick -j 2 --bandwidths 1M,50M --json -o page.html";
    let words: Vec<&str> = line.split(' ').collect();
    let (code, out, err) = bench(dir.path(), &words);
    assert_eq!(code, 0, "{err}");
    let study: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let names: Vec<_> = study["encodings"].as_array().unwrap().iter().map(|e| &e["name"]).collect();
    assert_eq!(names, ["plain", "zlib", "libdeflate", "zst", "packed"]);
    assert_eq!(study["threads"], serde_json::json!([1, 2]));
    let cells = study["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5 * 2 * 3, "encodings, cores, bandwidths");
    for cell in cells {
        let figures = |name: &str| -> Vec<f64> {
            let stages = cell["stages"].as_array().unwrap();
            stages.iter().map(|stage| stage[name].as_f64().unwrap()).collect()
        };
        let (wall, read) = (figures("wall_s"), figures("read_bytes"));
        assert!(wall[0] > 0.0 && wall.is_sorted() && read[0] > 0.0 && read.is_sorted(), "{cell}");
        assert!(figures("bound_s").iter().all(|bound| *bound > 0.0));
        assert_eq!(cell["timeline"]["cores"].as_array().unwrap().len(), 60);
    }
    // Without a limit the bound is the computing; at a low one it is the bytes.
    let stage = |cell: &serde_json::Value, name: &str| cell["stages"][2][name].as_f64().unwrap();
    assert!((stage(&cells[2], "bound_s") - stage(&cells[2], "cpu_s")).abs() < 1e-9);
    assert!(stage(&cells[0], "bound_s") >= stage(&cells[2], "read_bytes") / 1e6);
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("\"encodings\"") && !page.contains("/*DATA*/") && page.len() < 400_000);
    // A scene that is not whole has no first picture to compare.
    std::fs::remove_file(dir.path().join("square.ply")).unwrap();
    let line = ["scene", "--study", "scene.pbrt", "--quick", "--bandwidths", "1M"];
    let (code, _, err) = bench(dir.path(), &line);
    assert_eq!(code, 1);
    assert!(err.contains("square.ply"), "{err}");
}
