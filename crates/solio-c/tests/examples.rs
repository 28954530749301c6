//! The examples in C and C++, built by each compiler that is there, and run against the library.
#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const STRICT: [&str; 6] =
    ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wno-unused-parameter"];

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// The folder with the shared library that was built for this test.
fn library() -> Option<PathBuf> {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let name = format!("{}solio_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    [deps.clone(), deps.parent()?.to_owned()].into_iter().find(|folder| folder.join(&name).exists())
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

fn succeeds(command: &mut Command) -> String {
    let ran = run(command);
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{command:?}: {}\n{out}{err}", ran.status);
    out.into_owned()
}

/// Builds a program in `folder` with more options, or says that it cannot.
fn build(compiler: &str, source: &str, folder: &Path, more: &[&str]) -> Option<PathBuf> {
    let Some(library) = library().filter(|_| is_there(compiler)) else {
        eprintln!("skipped: {source} needs {compiler} and the shared library");
        return None;
    };
    let standard = if source.ends_with(".cpp") { "-std=c++17" } else { "-std=c99" };
    let program = folder.join(format!("{compiler}-{}", source.replace(['/', '.'], "-")));
    let mut command = Command::new(compiler);
    command.args(STRICT).args(more).arg(standard).arg("-I").arg(Path::new(HERE).join("include"));
    command.arg(Path::new(HERE).join(source)).arg("-o").arg(&program);
    command.arg("-L").arg(&library).arg("-lsolio_c");
    command.arg(format!("-Wl,-rpath,{}", library.display()));
    succeeds(&mut command);
    // The loader asks for the name that the installed library has.
    let named = library.join("libsolio_c.so.0");
    if cfg!(target_os = "linux") && !named.exists() {
        let _ = std::os::unix::fs::symlink("libsolio_c.so", named);
    }
    Some(program)
}

/// A small scene of each kind in `folder`.
fn files(folder: &Path) -> [PathBuf; 3] {
    let mesh = folder.join("quad.ply");
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n2.5 0 0\n2.5 1 0\n0 1 0\n4 0 1 2 3\n";
    std::fs::write(&mesh, text).unwrap();
    let packed = folder.join("quad.ply.gz");
    solio::write_bytes(&packed, text.as_bytes()).unwrap();
    let scene = folder.join("a.pbrt");
    let text = "# a comment\nLookAt 0 0 5  0 0 0  0 1 0\nWorldBegin\n\
        Shape \"sphere\" \"float radius\" [2]\n  Material \"diffuse\" \"rgb reflectance\" [1 0 0]\n\
        What is this\nAttributeBegin\nAttributeEnd\n";
    std::fs::write(&scene, text).unwrap();
    [mesh, packed, scene]
}

/// Runs all programs that a compiler makes.
fn all(compiler: &str, cpp: &str, more: &[&str]) {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let [mesh, packed, scene] = files(folder);
    if let Some(program) = build(compiler, "examples/read_mesh.c", folder, more) {
        for file in [&mesh, &packed] {
            let said = succeeds(Command::new(&program).arg(file));
            assert!(said.starts_with("4 vertices, 1 faces, 2 triangles, sum of x 7.5"), "{said}");
        }
        assert_eq!(run(Command::new(&program).arg("/no/such.ply")).status.code(), Some(1));
    }
    if let Some(program) = build(compiler, "examples/image_window.c", folder, more) {
        let said = succeeds(Command::new(&program).arg(folder.join("a.exr")));
        assert_eq!(said, "64 x 48 pixels, 3 channels, zip\nwindow ok\n");
    }
    if let Some(program) = build(compiler, "examples/engine.c", folder, more) {
        let said = succeeds(Command::new(&program).args([&mesh, &packed, &scene, &mesh]));
        assert_eq!(said, "4 ended, some bytes\n");
    }
    if let Some(program) = build(compiler, "examples/text.c", folder, more) {
        let ran = run(Command::new(&program).arg(&scene));
        let said = String::from_utf8_lossy(&ran.stdout);
        for line in [
            "gzip ok\n",
            "2:1 LookAt\n",
            "4:1 Shape \"sphere\" float radius[1]\n",
            "5:3 Material \"diffuse\" rgb reflectance[3]\n",
            "7:1 AttributeBegin\n",
        ] {
            assert!(said.contains(line), "{said}");
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(said.contains("line 6") && said.contains("ticks/iteration"), "{said}");
        assert!(ran.status.success());
    }
    if let Some(program) = build(compiler, "tests/c/misuse.c", folder, more) {
        assert_eq!(succeeds(Command::new(&program).arg(folder)), "all codes are right\n");
    }
    if let Some(program) = build(cpp, "examples/swap_reader.cpp", folder, more) {
        let said = succeeds(Command::new(&program).arg(&mesh));
        assert_eq!(said, "12 floats, 6 indices, the same\n");
    }
}

#[test]
fn gcc() {
    all("gcc", "g++", &["-O1"]);
}

#[test]
fn clang() {
    all("clang", "clang++", &["-O1"]);
}

#[test]
fn sanitizers() {
    let options = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let probe = Path::new(HERE).join("tests/c/sizes.c");
    let out = tempfile::tempdir().unwrap();
    let mut works = Command::new("gcc");
    works.args(options).arg("-fsyntax-only").arg("-I").arg(Path::new(HERE).join("include"));
    works.arg(probe).current_dir(out.path());
    match works.output() {
        Ok(ran) if ran.status.success() => all("gcc", "g++", &options),
        _ => eprintln!("skipped: gcc has no sanitizers here"),
    }
}

/// Only compiled: the header is right for Windows, too.
#[test]
fn mingw() {
    let compiler = "x86_64-w64-mingw32-gcc";
    if !is_there(compiler) {
        eprintln!("skipped: {compiler} is not there");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for source in ["read_mesh.c", "image_window.c", "engine.c", "text.c"] {
        let mut command = Command::new(compiler);
        command.args(STRICT).arg("-std=c99").arg("-I").arg(Path::new(HERE).join("include"));
        command.arg("-c").arg(Path::new(HERE).join("examples").join(source));
        succeeds(command.arg("-o").arg(folder.path().join("out.o")));
    }
}

#[test]
fn structures_are_as_large_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build("gcc", "tests/c/sizes.c", folder.path(), &[]) else { return };
    let said = succeeds(&mut Command::new(program));
    macro_rules! sizes {
        ($($name:ident)*) => { vec![$((stringify!($name), size_of::<solio_c::$name>())),*] };
    }
    let ours = sizes!(solio_error solio_work solio_progress solio_mesh_read_options
        solio_mesh_counts solio_array solio_attribute solio_rows solio_mesh_arrays
        solio_mesh_write_options solio_written solio_window solio_part solio_channel solio_slice
        solio_image_read_options solio_image_write_options solio_engine_options solio_request
        solio_result solio_pbrt_values solio_pbrt_event solio_pbrt_parameter);
    let expected: String = ours.iter().map(|(name, size)| format!("{name} {size}\n")).collect();
    assert_eq!(said, expected);
}

#[test]
fn only_our_names_are_exported() {
    let Some(library) = library().filter(|_| cfg!(target_os = "linux") && is_there("nm")) else {
        eprintln!("skipped: needs nm and the shared library");
        return;
    };
    let file = library.join("libsolio_c.so");
    let said = succeeds(Command::new("nm").args(["-D", "--defined-only"]).arg(&file));
    let names: Vec<&str> = said.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert!(names.contains(&"solio_mesh_read"), "{said}");
    assert!(names.iter().all(|name| name.starts_with("solio_")), "{names:?}");
    let header = std::fs::read_to_string(Path::new(HERE).join("include/solio.h")).unwrap();
    for name in names {
        assert!(header.contains(&format!("{name}(")), "{name} is not in the header");
    }
    let said = succeeds(Command::new("readelf").arg("-d").arg(&file));
    assert!(said.contains("[libsolio_c.so.0]"), "{said}");
}

/// A program that has zlib, zstd and SQLite of its own beside ours.
#[test]
fn other_libraries_are_let_alone() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("beside.c");
    let text = "#include \"solio.h\"\nextern const char *zlibVersion(void);\n\
        extern unsigned ZSTD_versionNumber(void);\nextern const char *sqlite3_libversion(void);\n\
        int main(void) { return zlibVersion()[0] == '1' && ZSTD_versionNumber() > 10000\n\
        && sqlite3_libversion()[0] == '3' && solio_check_abi(SOLIO_ABI) == 0 ? 0 : 1; }\n";
    std::fs::write(&source, text).unwrap();
    let Some(library) = library() else { return };
    let link = |libraries: &[&str]| {
        let mut command = Command::new("gcc");
        command.arg("-I").arg(Path::new(HERE).join("include")).arg(&source);
        command.arg("-o").arg(folder.path().join("beside")).arg("-L").arg(&library);
        command.arg(format!("-Wl,-rpath,{}", library.display())).args(libraries);
        command.output().is_ok_and(|ran| ran.status.success())
    };
    // The libraries themselves, without the files for developers, are enough.
    let own = ["-l:libz.so.1", "-l:libzstd.so.1", "-l:libsqlite3.so.0"];
    if !link(&[&["-lsolio_c"][..], &own].concat()) {
        eprintln!("skipped: zlib, zstd or SQLite is not there");
        return;
    }
    succeeds(&mut Command::new(folder.path().join("beside")));
    assert!(link(&[&own[..], &["-lsolio_c"]].concat()));
    succeeds(&mut Command::new(folder.path().join("beside")));
}

/// The pieces of the guide compile as they stand.
#[test]
fn the_guide_compiles() {
    let guide = Path::new(HERE).join("../../docs/c.md");
    let text = std::fs::read_to_string(guide).unwrap();
    let pieces: Vec<&str> =
        text.split("```c\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(pieces.len() >= 4);
    let folder = tempfile::tempdir().unwrap();
    let mut program = String::from("#include \"solio.h\"\n#include <stdlib.h>\n");
    for (number, piece) in pieces.iter().enumerate() {
        program +=
            &format!("void piece_{number}(void);\nvoid piece_{number}(void) {{\n{piece}}}\n");
    }
    for (compiler, name) in [("gcc", "guide.c"), ("clang", "guide.c"), ("g++", "guide.cpp")] {
        if !is_there(compiler) {
            eprintln!("skipped: {compiler} is not there");
            continue;
        }
        let source = folder.path().join(name);
        std::fs::write(&source, &program).unwrap();
        let mut command = Command::new(compiler);
        command.args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-value"]);
        command.arg("-I").arg(Path::new(HERE).join("include")).arg("-c").arg(&source);
        succeeds(command.arg("-o").arg(folder.path().join("guide.o")));
    }
}

/// What docs/c.md says of linking without a shared library.
#[test]
#[ignore = "slow: builds the library again"]
fn static_library() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // Beside the other builds, of which most can be taken.
    let this = std::env::current_exe().unwrap();
    let target = this.ancestors().nth(3).unwrap();
    let mut build = Command::new(env!("CARGO"));
    build.args(["rustc", "--quiet", "-p", "solio-c", "--lib", "--crate-type", "staticlib"]);
    succeeds(build.arg("--target-dir").arg(target).current_dir(HERE));
    let program = folder.join("read_mesh");
    let mut link = Command::new("cc");
    link.arg("-std=c99").arg("-I").arg(Path::new(HERE).join("include")).arg("-o").arg(&program);
    link.arg(Path::new(HERE).join("examples/read_mesh.c"));
    link.arg(target.join("debug/libsolio_c.a")).args(["-lpthread", "-ldl", "-lm"]);
    succeeds(&mut link);
    let said = succeeds(Command::new(&program).arg(&files(folder)[1]));
    assert!(said.starts_with("4 vertices, 1 faces, 2 triangles, sum of x 7.5"), "{said}");
}
