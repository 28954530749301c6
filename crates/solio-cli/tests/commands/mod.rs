//! A line or more for every command: small inputs, and what each of them leaves. Tests of what
//! holds for all commands go over these.

#![allow(dead_code)] // each test binary uses some of it

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Names, with folders, and bytes of all files below a folder.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Lines that write and print the same bytes whenever and wherever they run.
pub(crate) const SAME: &[&str] = &[
    "convert in.obj -o out.obj",
    "convert in.obj -o out.ply",
    "convert in.obj -o out.stl",
    "convert in.obj -o out.glb",
    "convert in.obj -o out.gltf",
    "convert in.obj -o out.obj.gz",
    "convert in.obj -o out.ply.zst",
    "convert in.obj -o - --format ply",
    "convert in.ply b.stl -o out/ --format obj",
    "convert a.0001.exr -o out.exr -z zip",
    "convert a.0001.exr -o out.exr -z piz",
    "convert a.0001.exr -o out.exr -z dwab",
    "convert a.####.exr -o out.####.exr -z zstd --half",
    "convert a.####.exr -o out.####.exr --resize 50%",
    "convert a.0001.exr -o out.exr --resize 150% --mipmap",
    "convert a.0001.exr a.0002.exr -o out.exr --join parts",
    "convert a.0001.exr -o out/ --split layers",
    "convert a.0001.exr -o out.png --bits 16",
    "convert a.0001.exr -o out.jpg",
    "convert a.0001.exr -o out.tif",
    "convert a.0001.exr -o out.hdr",
    "convert in.png -o out.exr",
    "convert scene.pbrt -o out.pbrt",
    "convert scene.pbrt -o out/ --whole-scene --upgrade",
    "convert scene.pbrt -o out.obj",
    "convert scene.pbrt -o out.glb",
    "convert scene.pbrt -o out.gltf",
    "convert scene.pbrt -o out.usda",
    "convert scene.solio -o out/",
    "info --json in.obj in.ply a.0001.exr scene.pbrt scene.solio images.solio",
    "meta --json -f ImageSize,FileType,PixelAspectRatio in.jpg a.0001.exr in.png scene.pbrt",
    "exiftool -S -FileType -MIMEType in.jpg",
    "ls -r --json tree",
    "scan tree -o out.parquet --check --deep --hash xxh128",
    "query in.sqlite 'SELECT path, size, kind FROM files' --csv",
    "check --deep --json tree",
    "set owner=me a.0001.exr",
    "set owner=me a.0001.exr -o out.exr",
    "preview a.0001.exr -o out.png",
    "preview a.0001.exr -o out.png --view srgb",
    "preview scene.pbrt -o out.png --occlusion 4",
    "preview in.ply -o out.png --size 64",
    "preview a.0001.exr -o out.png --channels R --colormap turbo",
    "gradient 'red, lime' --compare -o out.html",
    "gradient viridis -o out.png",
    "gradient viridis -o out.exr",
    "gradient viridis -o out.cube",
    "gradient 'red, lime' --json",
    "gradient sunset.ggr -o out.css",
    "unpack images.solio -o out --json",
    "cat in.obj a.0001.exr",
    "diff --json a.0001.exr a.0002.exr",
    "dup --json tree",
    "photos --json --from-name IMG_20230102_030405.jpg --to out",
    "sheet tree -o out.html",
    "sheet tree -o out.png",
    "sheet a.0001.exr -o out.png --layers",
    "hash -a xxh128,sha256,md5 tree",
    "hash --verify sums",
    "completions bash",
    "man out",
];

/// Lines that write the same bytes, and say how long it took.
pub(crate) const SAME_FILES: &[&str] = &[
    "merge in.parquet in.parquet -o out.parquet",
    "pack a.0001.exr a.0002.exr -o out.solio --exact",
    "pack a.0001.exr a.0002.exr -o out.solio --level max",
    "pack scene.pbrt -o out.solio",
];

/// Lines that write what is of its day: times, speeds, places on the disk.
pub(crate) const TIMED: &[&str] = &[
    "scan tree -o out.sqlite --json",
    "check --junit out.xml tree",
    "hash --mhl tree",
    "light --size 4M --rounds 1 --json .",
    "study --how bucket --bandwidths 1G --rounds 1 -o out.html -- true",
    "study order tree --rounds 1 -o out.html",
    "lab a.0001.exr in.obj --sample 4K --seconds 0 -o out.html",
    "cat --null in.obj --report out.html",
    "demo --detail 4 --keep out",
];

/// Commands that have no `-j`.
const NO_THREADS: [&str; 5] = ["exiftool", "query", "completions", "man", "study"];

/// The words of a line; what stands between quotes is one.
pub(crate) fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    let quoted = |(i, piece): (usize, &str)| match i % 2 {
        0 => piece.split_whitespace().map(str::to_owned).collect(),
        _ => vec![piece.to_owned()],
    };
    pieces.flat_map(quoted).collect()
}

/// The words of a line, on so many threads where the command has a choice.
pub(crate) fn words_on(line: &str, threads: usize) -> Vec<String> {
    let mut words = words(line);
    if !NO_THREADS.contains(&words[0].as_str()) {
        words.insert(1, format!("-j{threads}"));
    }
    words
}

/// A folder with the inputs, and nothing else.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) inputs: Files,
}

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap(), inputs: inputs().clone() };
        place.restore(&place.inputs);
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn run(&self, words: &[String], environment: &[(&str, &str)]) -> Output {
        solio(self.path(), words, environment)
    }

    /// The files that are new or other than in `before`; those that are gone have no bytes.
    pub(crate) fn changed(&self, before: &Files) -> BTreeMap<String, Option<Vec<u8>>> {
        let now = files(self.path());
        let gone = before.keys().filter(|name| !now.contains_key(*name));
        let gone: Vec<_> = gone.map(|name| (name.clone(), None)).collect();
        let other = now.into_iter().filter(|(name, bytes)| before.get(name) != Some(bytes));
        other.map(|(name, bytes)| (name, Some(bytes))).chain(gone).collect()
    }

    /// Makes the files be `wanted` and nothing else; those that are right keep their inodes.
    pub(crate) fn restore(&self, wanted: &Files) {
        let now = files(self.path());
        for name in now.keys().filter(|name| !wanted.contains_key(*name)) {
            std::fs::remove_file(self.path().join(name)).unwrap();
        }
        for (name, bytes) in wanted.iter().filter(|(name, bytes)| now.get(*name) != Some(bytes)) {
            let path = self.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        // Folders that have become empty go, too.
        let _ = folders(self.path()).iter().rev().map(std::fs::remove_dir).count();
    }
}

/// Does `work` for each of `lines`, several at a time; tells of all that fail. `SOLIO_LINE` picks
/// those that begin with it.
pub(crate) fn each_line(lines: &[&'static str], work: impl Fn(&'static str) + Sync) {
    let picked = std::env::var("SOLIO_LINE").unwrap_or_default();
    let lines: Vec<_> = lines.iter().filter(|line| line.starts_with(&picked)).collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // What went wrong is printed by the panic itself.
                    if std::panic::catch_unwind(AssertUnwindSafe(|| work(line))).is_err() {
                        failed.lock().unwrap().push(**line);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "failed, as told above: {failed:#?}");
}

fn solio(dir: &Path, words: &[String], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio"));
    command.args(words).current_dir(dir).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", dir.join("cache")).env_remove("CLICOLOR_FORCE");
    command.env_remove("RUST_BACKTRACE");
    command.envs(environment.iter().copied()).output().unwrap()
}

/// All folders below `dir`, each before those within it.
fn folders(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            let below = folders(&path);
            found.push(path);
            found.extend(below);
        }
    }
    found
}

/// All files below `dir`.
pub(crate) fn files(dir: &Path) -> Files {
    let mut found = Files::new();
    let mut folders: Vec<PathBuf> = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The inputs; those in other formats are made by the command itself.
fn inputs() -> &'static Files {
    static INPUTS: OnceLock<Files> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("in.obj", &strip(300));
        write("in.mtl", "newmtl red\nKd 1 0 0\nmap_Kd red.png\n");
        write("scene.pbrt", SCENE);
        write("sunset.ggr", SUNSET);
        for line in MAKING {
            let output = solio(dir.path(), &words(line), &[]);
            let why = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}: {why}");
            if line.starts_with("hash") {
                std::fs::write(dir.path().join("sums"), &output.stdout).unwrap();
            }
            if *line == "convert a.0001.exr -o in.jpg" {
                std::fs::create_dir_all(dir.path().join("tree/sub")).unwrap();
                for (name, bytes) in files(dir.path()) {
                    std::fs::write(dir.path().join("tree").join(&name), &bytes).unwrap();
                    if name == "in.obj" {
                        std::fs::write(dir.path().join("tree/sub/same.obj"), &bytes).unwrap();
                    }
                }
                let photo = ["in.jpg", "IMG_20230102_030405.jpg"].map(|name| dir.path().join(name));
                std::fs::copy(&photo[0], &photo[1]).unwrap();
            }
        }
        files(dir.path())
    })
}

const MAKING: &[&str] = &[
    "convert in.obj -o in.ply",
    "convert in.obj -o b.stl",
    "gradient 'red, lime' -o in.png --size 96x64",
    "convert in.png -o a.0001.exr",
    "convert in.png -o a.0002.exr -z piz",
    "convert a.0001.exr -o in.jpg",
    "hash tree",
    "scan tree -o in.sqlite",
    "scan tree -o in.parquet",
    "pack scene.pbrt -o scene.solio",
    "pack a.0001.exr a.0002.exr -o images.solio",
];

const SCENE: &str = "LookAt 0 0 5  0 0 0  0 1 0\n\
    Camera \"perspective\" \"float fov\" 40\n\
    Film \"rgb\" \"integer xresolution\" 32 \"integer yresolution\" 24\n\
    WorldBegin\n\
    LightSource \"infinite\"\n\
    Material \"diffuse\" \"rgb reflectance\" [.5 .2 .1]\n\
    Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \"integer indices\" [0 1 2]\n\
    Shape \"sphere\" \"float radius\" .5\n";

const SUNSET: &str = "GIMP Gradient\nName: sunset\n2\n\
    0 0.25 0.5 1 0 0 1 0 0 1 1 0 0\n0.5 0.75 1 0 0 1 1 1 1 0 1 0 0\n";

/// A strip of `n` quads as OBJ text, with a material.
fn strip(n: usize) -> String {
    let mut obj = String::from("mtllib in.mtl\no strip\n");
    for i in 0..=n {
        let x = i as f32 / 7.0;
        obj += &format!("v {x:.6} 0 0\nv {x:.6} 1 0.5\n");
    }
    obj += "usemtl red\n";
    for i in 0..n {
        let a = 2 * i + 1;
        obj += &format!("f {} {} {} {}\n", a, a + 2, a + 3, a + 1);
    }
    obj
}
