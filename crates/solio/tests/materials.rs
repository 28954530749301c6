//! OBJ files and their MTL files: what is found where, and what is written over.
#![allow(clippy::print_stdout)] // tests say what they skip
#![allow(clippy::disallowed_methods)] // tests read and write their own files

use solio::mesh::{Material, Scene};
use solio::{Error, ErrorKind, Format, MeshReadOptions, MeshWriteOptions, PathMode, Work};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FACES: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl A\nf 1 2 3\nusemtl B\nf 3 2 1\n";
const RED: &str = "newmtl A\nKd 1 0 0\nmap_Kd a.png\n";
const GREEN: &str = "newmtl B\nKd 0 1 0\n";

/// A folder with `s.obj`, which begins with the line, and these files.
fn folder(line: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(folder.path().join("s.obj"), format!("{line}\n{FACES}")).unwrap();
    folder
}

fn read(path: &Path) -> Scene<'static> {
    solio::read_mesh(path, &MeshReadOptions::default(), &Work::default()).unwrap()
}

fn write(scene: &Scene<'_>, path: &Path, options: &MeshWriteOptions) -> Result<Vec<String>, Error> {
    solio::write_mesh(scene, path, options, &Work::default()).map(|written| written.warnings)
}

fn reds(scene: &Scene<'_>) -> Vec<Option<f32>> {
    scene.materials.iter().map(|material| material.diffuse.map(|color| color[0])).collect()
}

#[test]
fn a_line_may_name_several_libraries() {
    for (line, first, second) in [
        ("mtllib s.mtl b.mtl", "s.mtl", "b.mtl"),
        ("mtllib my s.MTL my b.mtl", "my s.MTL", "my b.mtl"),
        ("mtllib s b.materials", "s", "b.materials"),
        ("mtllib s b.mtl", "s", "b.mtl"),
    ] {
        let folder = folder(line, &[(first, RED), (second, GREEN)]);
        let scene = read(&folder.path().join("s.obj"));
        assert_eq!(reds(&scene), [Some(1.0), Some(0.0)], "{line}");
        assert_eq!(scene.material_libraries, [first, second]);
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }
    // A file of that name comes first, and one that is missing is told of by its name.
    let folder = folder("mtllib s.mtl b.mtl", &[("s.mtl b.mtl", RED), ("s.mtl", GREEN)]);
    let path = folder.path().join("s.obj");
    assert_eq!(reds(&read(&path)), [Some(1.0), None]);
    fs::remove_file(folder.path().join("s.mtl b.mtl")).unwrap();
    let scene = read(&path);
    assert_eq!(reds(&scene), [None, Some(0.0)]);
    assert_eq!(scene.warnings, ["the material library \"b.mtl\" is missing"]);
    fs::remove_file(folder.path().join("s.mtl")).unwrap();
    let strict = MeshReadOptions { strict: true, ..MeshReadOptions::default() };
    let error = solio::read_mesh(&path, &strict, &Work::default()).unwrap_err();
    assert!(error.to_string().contains("s.mtl: the material library is missing"), "{error}");
}

#[test]
fn a_library_that_was_not_read_is_not_overwritten() {
    let folder = folder("mtllib mispelt.mtl", &[("s.mtl", RED), ("gone.mtl", "newmtl A\n")]);
    let at = |name: &str| folder.path().join(name);
    // One of its own name would be read.
    fs::copy(at("s.obj"), at("t.obj")).unwrap();
    let mut scene = read(&at("t.obj"));
    let warnings = write(&scene, &at("s.obj"), &MeshWriteOptions::default()).unwrap();
    assert!(warnings[0].contains("s.mtl stays as it was"), "{warnings:?}");
    assert_eq!(fs::read_to_string(at("s.mtl")).unwrap(), RED);
    assert_eq!(reds(&read(&at("s.obj"))), [Some(1.0), None]);
    // Where there is none, it is written, and written again without a word.
    for _ in 0..2 {
        assert!(write(&scene, &at("new.obj"), &MeshWriteOptions::default()).unwrap().is_empty());
    }
    // What has no library of its own is new.
    scene.material_libraries.clear();
    assert!(write(&scene, &at("s.obj"), &MeshWriteOptions::default()).unwrap().is_empty());
    assert_ne!(fs::read_to_string(at("s.mtl")).unwrap(), RED);
}

#[test]
fn a_library_that_was_read_is_written_anew() {
    let folder = folder("mtllib s.mtl", &[("s.mtl", "newmtl A\n"), ("out.mtl", GREEN)]);
    let at = |name: &str| folder.path().join(name);
    let scene = read(&at("s.obj"));
    assert!(write(&scene, &at("out.obj"), &MeshWriteOptions::default()).unwrap().is_empty());
    let text = fs::read_to_string(at("out.mtl")).unwrap();
    assert!(text.contains("newmtl A\n") && text.contains("newmtl B\n"), "{text}");
    // Where it was not looked for, the one that is there stays.
    let skip = MeshReadOptions { skip_materials: true, ..MeshReadOptions::default() };
    let scene = solio::read_mesh(&at("s.obj"), &skip, &Work::default()).unwrap();
    fs::write(at("out.mtl"), GREEN).unwrap();
    assert_eq!(write(&scene, &at("out.obj"), &MeshWriteOptions::default()).unwrap().len(), 1);
    assert_eq!(fs::read_to_string(at("out.mtl")).unwrap(), GREEN);
}

#[test]
fn textures_are_those_of_the_librarys_folder() {
    let files = [("in/mats/a.mtl", RED), ("in/mats/a.png", "pixels"), ("in/beside.png", "")];
    let folder = folder("mtllib in/mats/a.mtl", &files);
    let inside = folder.path().join("in");
    fs::write(inside.join("a.obj"), format!("mtllib mats/a.mtl\n{FACES}")).unwrap();
    let scene = read(&inside.join("a.obj"));
    assert_eq!(scene.materials[0].maps[0].path, "mats/a.png");
    let options = |path_mode| MeshWriteOptions {
        path_mode,
        texture_root: Some(inside.clone()),
        ..Default::default()
    };
    let out = folder.path().join("out");
    fs::create_dir_all(out.join("sub")).unwrap();
    let warnings = write(&scene, &out.join("a.obj"), &options(PathMode::Copy)).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(fs::read(out.join("a.png")).unwrap(), b"pixels");
    // Where the MTL gets a folder of its own, paths start there.
    let mut below = options(PathMode::Relative);
    below.obj.material_library = Some("sub/x.mtl".into());
    write(&scene, &out.join("b.obj"), &below).unwrap();
    let text = fs::read_to_string(out.join("sub/x.mtl")).unwrap();
    assert!(text.contains("map_Kd ../../in/mats/a.png\n"), "{text}");
    // From a system that writes paths the other way: one file, one copy, of a library that is
    // named by its whole path, too.
    let maps = "map_Kd ../t/w.png\nmap_Ks ..\\t\\w.png\n";
    fs::create_dir(inside.join("t")).unwrap();
    fs::write(inside.join("t/w.png"), "wood").unwrap();
    fs::write(inside.join("mats/w.mtl"), format!("newmtl A\n{maps}")).unwrap();
    for library in ["mats/w.mtl", inside.join("mats/w.mtl").to_str().unwrap()] {
        fs::write(inside.join("w.obj"), format!("mtllib {library}\n{FACES}")).unwrap();
        let scene = read(&inside.join("w.obj"));
        let warnings = write(&scene, &out.join("w.obj"), &options(PathMode::Copy)).unwrap();
        assert_eq!(warnings, [""; 0]);
        let text = fs::read_to_string(out.join("w.mtl")).unwrap();
        assert!(text.contains("map_Kd w.png\n") && text.contains("map_Ks w.png\n"), "{text}");
    }
    // A texture beside the OBJ alone, an absolute one, and one of Windows.
    let maps = "map_Kd beside.png\nmap_Ks /a.png\nmap_Ns C:\\a.png\nmap_Ke gone.png\n";
    fs::write(inside.join("mats/a.mtl"), format!("newmtl A\n{maps}")).unwrap();
    let paths = read(&inside.join("a.obj")).materials[0]
        .maps
        .iter()
        .map(|m| m.path.clone())
        .collect::<Vec<_>>();
    assert_eq!(paths, ["beside.png", "/a.png", "C:\\a.png", "mats/gone.png"]);
}

#[test]
fn copies_of_textures_leave_other_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(at(name)).unwrap();
    fs::create_dir(at("out")).unwrap();
    for name in ["a", "b"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(&format!("{name}/{name}.obj")), format!("mtllib m.mtl\n{FACES}")).unwrap();
        fs::write(at(&format!("{name}/m.mtl")), "newmtl A\nmap_Kd t.png\n").unwrap();
        fs::write(at(&format!("{name}/t.png")), format!("pixels of {name}")).unwrap();
    }
    let convert = |name: &str, replace_textures| {
        let path_mode = PathMode::Copy;
        let texture_root = Some(at(name));
        let options =
            MeshWriteOptions { path_mode, texture_root, replace_textures, ..Default::default() };
        let scene = read(&at(&format!("{name}/{name}.obj")));
        let warnings = write(&scene, &at(&format!("out/{name}.obj")), &options).unwrap();
        assert_eq!(warnings, [""; 0]);
    };
    // The second time nothing is new.
    for _ in 0..2 {
        convert("a", false);
        convert("b", false);
        assert!(text("out/a.mtl").contains("map_Kd t.png\n"), "{}", text("out/a.mtl"));
        assert!(text("out/b.mtl").contains("map_Kd t.001.png\n"), "{}", text("out/b.mtl"));
        assert_eq!([text("out/t.png"), text("out/t.001.png")], ["pixels of a", "pixels of b"]);
        assert_eq!(fs::read_dir(at("out")).unwrap().count(), 6);
    }
    // Blender's way.
    convert("b", true);
    assert_eq!(text("out/t.png"), "pixels of b");
    assert!(text("out/b.mtl").contains("map_Kd t.png\n"));
}

#[test]
fn different_materials_have_different_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(at(name)).unwrap();
    let ply = "ply\nformat ascii 1.0\ncomment TextureFile p/a.png\ncomment TextureFile q/a.png\n\
        element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty int texnumber\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0\n3 2 1 0 1\n";
    fs::write(at("two.ply"), ply).unwrap();
    // Without their folders the pictures are one, the names in both files still the same.
    for path_mode in [PathMode::Auto, PathMode::Strip] {
        let options = MeshWriteOptions { path_mode, ..MeshWriteOptions::default() };
        write(&read(&at("two.ply")), &at("two.obj"), &options).unwrap();
        let used = |file: &str, key: &str| {
            let text = text(file);
            let names = text.lines().filter_map(|line| line.strip_prefix(key));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(used("two.mtl", "newmtl "), ["a", "a.001"]);
        assert_eq!(used("two.obj", "usemtl "), ["a", "a.001"]);
        let back = read(&at("two.obj"));
        let found: Vec<_> = back.materials.iter().map(|m| &m.maps[0].path[..]).collect();
        let strip = path_mode == PathMode::Strip;
        assert_eq!(found, if strip { ["a.png"; 2] } else { ["p/a.png", "q/a.png"] });
    }
    // A PLY in another folder leads there too, or has copies beside it.
    fs::create_dir(at("out")).unwrap();
    for name in ["p", "q"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(&format!("{name}/a.png")), name).unwrap();
    }
    for (path_mode, p, q) in [
        (PathMode::Auto, "../p/a.png", "../q/a.png"),
        (PathMode::Relative, "../p/a.png", "../q/a.png"),
        (PathMode::Copy, "a.png", "a.001.png"),
    ] {
        let texture_root = Some(folder.path().to_owned());
        let options = MeshWriteOptions { path_mode, texture_root, ..Default::default() };
        write(&read(&at("two.ply")), &at("out/two.ply"), &options).unwrap();
        let back = read(&at("out/two.ply"));
        let found: Vec<_> = back.materials.iter().map(|m| &m.maps[0].path[..]).collect();
        assert_eq!(found, [p, q]);
        assert_eq!(back.materials.len(), 2);
        let pictures = [p, q].map(|path| fs::read_to_string(at("out").join(path)).unwrap());
        assert_eq!(pictures, ["p", "q"]);
    }
    // Through a link, too, whose folder is deeper than its path says.
    fs::create_dir_all(at("deep/er/still")).unwrap();
    if let Err(error) = solio_io::probe::symlink("deep/er/still", at("link")) {
        println!("without a symbolic link: {error}");
    } else {
        let texture_root = Some(folder.path().to_owned());
        let options = MeshWriteOptions { texture_root, ..Default::default() };
        write(&read(&at("two.ply")), &at("link/two.ply"), &options).unwrap();
        let path = read(&at("link/two.ply")).materials[0].maps[0].path.clone();
        assert_eq!(path, "../../../p/a.png");
        assert_eq!(fs::read_to_string(at("link").join(path)).unwrap(), "p");
    }
    // What the file does not name is not copied; an address is no path.
    let numbers = [("property int texnumber\n", ""), ("1 2 0\n", "1 2\n"), ("1 0 1\n", "1 0\n")];
    let plain = numbers.iter().fold(ply.to_owned(), |text, (from, to)| text.replace(from, to));
    fs::write(at("no.ply"), plain).unwrap();
    fs::write(at("net.ply"), ply.replace("q/a.png", "https://x.y/q.png")).unwrap();
    let texture_root = Some(folder.path().to_owned());
    let options =
        MeshWriteOptions { path_mode: PathMode::Copy, texture_root, ..Default::default() };
    fs::create_dir(at("new")).unwrap();
    write(&read(&at("no.ply")), &at("new/no.ply"), &options).unwrap();
    assert_eq!(fs::read_dir(at("new")).unwrap().count(), 1);
    write(&read(&at("net.ply")), &at("new/net.ply"), &options).unwrap();
    assert_eq!(read(&at("new/net.ply")).materials[1].maps[0].path, "https://x.y/q.png");
    // Names that spaces, and the ends of lines, do not tell apart.
    let red = |name: &str, red| Material {
        name: name.into(),
        diffuse: Some([red, 0.0, 0.0]),
        ..Material::default()
    };
    let names = ["a b", "a_b", "a_b ", "a\nb", "a_b.001", "c"];
    let materials = (0..6u8).map(|i| red(names[usize::from(i)], f32::from(i))).collect();
    let scene = Scene { materials, ..Scene::default() };
    let mut options = MeshWriteOptions::default();
    options.mtl.spaces_to_underscores = true;
    write(&scene, &at("more.obj"), &options).unwrap();
    let back = fs::read_to_string(at("more.mtl")).unwrap();
    let back: Vec<_> = back.lines().filter_map(|line| line.strip_prefix("newmtl ")).collect();
    assert_eq!(back, ["a_b", "a_b.002", "a_b_", "a_b.003", "a_b.001", "c"]);
}

#[test]
fn the_mtl_is_another_file_than_the_obj() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let scene = Scene {
        materials: vec![Material { name: "A".into(), ..Material::default() }],
        ..Scene::default()
    };
    let as_obj = MeshWriteOptions { format: Some(Format::Obj), ..MeshWriteOptions::default() };
    let mut named = as_obj.clone();
    named.obj.material_library = Some("./q.obj".into());
    for (name, options) in [("q.mtl", as_obj), ("q.obj", named)] {
        let error = write(&scene, &at(name), &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains("cannot be the same file"), "{error}");
        assert!(!at(name).exists());
    }
}

#[test]
fn names_of_libraries_may_be_quoted() {
    for (line, files) in [
        (r#"mtllib "my mat.mtl" "b.mtl""#, ["my mat.mtl", "b.mtl"]),
        (r#"mtllib a.mtl "my mat.mtl""#, ["a.mtl", "my mat.mtl"]),
    ] {
        let folder = folder(line, &[(files[0], RED), (files[1], GREEN)]);
        let scene = read(&folder.path().join("s.obj"));
        assert_eq!(reds(&scene), [Some(1.0), Some(0.0)], "{line}");
        assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    }
}

#[test]
fn a_library_of_the_objs_name_stands_in_for_a_missing_one() {
    for (line, note) in [
        (
            "mtllib bar.mtl",
            "the material library \"bar.mtl\" is missing; \"s.mtl\" is read instead",
        ),
        ("", "no material library is named; \"s.mtl\" is read"),
    ] {
        let folder = folder(line, &[("s.mtl", RED)]);
        let path = folder.path().join("s.obj");
        let scene = read(&path);
        assert_eq!(reds(&scene), [Some(1.0), None], "{line}");
        assert_eq!(scene.warnings, [note]);
        let strict = MeshReadOptions { strict: true, ..MeshReadOptions::default() };
        let refused = solio::read_mesh(&path, &strict, &Work::default()).map(|scene| reds(&scene));
        assert!(refused.is_err() || refused.unwrap() == [None, None], "{line}");
    }
}
