//! `solio help`: every command of every page runs on small files, but for those that need what a test
//! does not have.

#![allow(clippy::disallowed_methods)] // tests write their own files

mod ran;

use ran::{has, run as solio};
use std::path::Path;
use std::process::{Command, Stdio};

const TASKS: [&str; 16] = [
    "look",
    "export",
    "shrink",
    "sequences",
    "broken",
    "metadata",
    "scene",
    "catalogue",
    "gradients",
    "codec",
    "speed",
    "farm",
    "pipes",
    "json",
    "formats",
    "exit-codes",
];

/// Lines that are not run: they need a store, another program, root, a large disk, or minutes.
const LEFT: [&str; 15] = [
    "photos --undo",
    "s3://",
    "/mnt/show",
    "part2.parquet",
    "--watch",
    "--engine both",
    "solio light",
    "solio demo",
    "solio lab",
    "solio study",
    "ThumbnailImage",
    "-o back/",
    "check out/",
    "saved.exr",
    "solio scan shots -o",
];

/// Lines that end with another code: what they look for is there.
const ENDS: [(&str, i32); 11] = [
    ("photos photos --to", 1),
    ("set --shift", 1),
    ("preview cut.exr", 1),
    ("missing-frames,case", 0),
    ("-q shots/*.exr", 0),
    ("solio check shots", 1),
    ("solio check -q shots/", 1),
    ("solio check --json shots", 1),
    ("FROM problems", 3),
    ("FROM photos", 3),
    ("width > 1000", 3),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    for name in ["shots", "photos"] {
        std::fs::create_dir(dir.join(name)).unwrap();
    }
    write("model.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write("list.txt", "model.obj\n");
    write("scene.pbrt", SCENE);
    write("old.pbrt", SCENE);
    let make = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        solio(dir, &words, b"").fine();
    };
    make("convert model.obj -o model.ply");
    make("gradient red,lime -o a.exr --size 32x16");
    make("gradient red,lime --in srgb -o sky.ggr");
    make("convert a.exr -o beauty.exr --rename A=Z");
    make("convert a.exr -o photo.jpg");
    make("convert a.exr -o photos/one.jpg");
    for name in ["b.exr", "shot.0001.exr", "shot.0002.exr"] {
        std::fs::copy(dir.join("a.exr"), dir.join(name)).unwrap();
    }
    for frame in [1001, 1002, 1004] {
        std::fs::copy(dir.join("a.exr"), dir.join(format!("shots/b.{frame}.exr"))).unwrap();
    }
    make("convert a.exr -o rows.exr -z zips");
    let whole = std::fs::read(dir.join("rows.exr")).unwrap();
    std::fs::write(dir.join("cut.exr"), &whole[..whole.len() - 40]).unwrap();
    folder
}

/// A triangle, as version 3 and version 4 read it, with a depth channel nowhere.
const SCENE: &str = r#"LookAt 0 0 5  0 0 0  0 1 0
Camera "perspective" "float fov" [45]
Film "rgb" "integer xresolution" [16] "integer yresolution" [16] "string filename" "out.exr"
WorldBegin
LightSource "infinite"
Material "diffuse"
Shape "trianglemesh" "point3 P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 1 2]
"#;

/// The command of a line, without what is said about it.
fn command(line: &str) -> Option<&str> {
    let text = line.strip_prefix("  ")?.trim_start();
    let text = text.split_once("  ").map_or(text, |(command, _)| command);
    let first = text.split(' ').next()?;
    ["solio", "cat", "find"].contains(&first).then_some(text)
}

fn expected(line: &str) -> i32 {
    ENDS.iter().find(|(part, _)| line.contains(part)).map_or(0, |(_, code)| *code)
}

fn sh(dir: &Path, line: &str) -> (i32, String) {
    let bin = Path::new(env!("CARGO_BIN_EXE_solio")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(dir)
        .envs([("PATH", path.as_str()), ("XDG_CACHE_HOME", "/no-cache"), ("CLICOLOR_FORCE", "1")])
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn pages_say_what_runs() {
    if !has("sh") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let list = solio(home.path(), &["help"], b"").fine();
    let (mut done, mut wrong) = (0, Vec::new());
    for task in TASKS {
        assert!(list.text().contains(&format!("\n  {task} ")), "{task} is not listed");
        let page = solio(home.path(), &["help", task], b"").fine();
        let page = page.text().replace("|\n      ", "| "); // a line that goes on
        let folder = folder();
        for line in page.lines().filter_map(command) {
            if LEFT.iter().any(|left| line.contains(left)) {
                continue;
            }
            let (code, err) = sh(folder.path(), line);
            if code != expected(line) {
                wrong.push(format!("{task}: {line}: {code} {err}"));
            }
            done += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(done > 100, "{done}");
}

#[test]
fn help_of_commands_and_wrong_words() {
    let home = tempfile::tempdir().unwrap();
    let convert = solio(home.path(), &["help", "convert"], b"").fine();
    let same = solio(home.path(), &["convert", "--help"], b"").fine();
    assert_eq!(convert.text(), same.text());
    // The command line is ExifTool's, but for this.
    let of_exiftool = solio(home.path(), &["exiftool", "--help"], b"").fine();
    assert!(of_exiftool.text().contains("solio exiftool -stay_open True"));
    assert!(solio(home.path(), &["help", "frames"], b"").fine().text().contains("--frames 1-2"));
    let wrong = solio(home.path(), &["help", "gradiant"], b"");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("hint: solio help gradient"), "{}", wrong.err);
}

#[test]
fn version_tells_what_runs() {
    let home = tempfile::tempdir().unwrap();
    let long = solio(home.path(), &["--version"], b"").fine();
    assert_eq!(long.out, solio(home.path(), &["-V"], b"").fine().out);
    let lines: Vec<&str> = long.text().lines().collect();
    assert_eq!(lines[0], format!("solio {}", env!("CARGO_PKG_VERSION")));
    let heads = ["features: ", "cpu tier: ", "target: "];
    assert!(lines[1..].iter().zip(heads).all(|(line, head)| line.starts_with(head)), "{lines:?}");
    assert!(lines[1].contains("objects") && lines[3].contains("rustc"), "{lines:?}");
}

/// Who looks at files where they lie has no use for a stream.
#[test]
fn only_what_reads_standard_input_promises_it() {
    let home = tempfile::tempdir().unwrap();
    let promises = |command: &str| {
        let page = solio(home.path(), &[command, "--help"], b"").fine();
        page.text().contains("goes into them; - is standard input")
    };
    for command in ["ls", "scan", "dup", "set"] {
        assert!(!promises(command), "{command}");
    }
    for command in ["convert", "hash", "cat"] {
        assert!(promises(command), "{command}");
    }
}
