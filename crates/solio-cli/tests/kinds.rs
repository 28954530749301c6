//! The table of kinds keeps its word: a file of each kind goes through every command that the table
//! promises, whatever it is called, and each command opens it once.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // tests read and write their own files

mod ran;

use ran::run;
use solio::{Ability, Family, FileKind};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    [&[0xff, marker], &(data.len() as u16 + 2).to_be_bytes()[..], data].concat()
}

fn boxed(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32 + 8).to_be_bytes()[..], kind, data].concat()
}

/// A TIFF directory with these fields, and `data` behind it, at byte 8 + 2 + 12 a field + 4.
fn tiff(fields: &[(u16, u16, u32, u32)], data: &[u8]) -> Vec<u8> {
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    bytes.extend((fields.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in fields {
        bytes.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
    }
    bytes.extend([0; 4]);
    bytes.extend(data);
    bytes
}

/// A raw photo of 10 × 4 pixels with an embedded JPEG.
fn raw(jpeg: &[u8]) -> Vec<u8> {
    let at = 8 + 2 + 12 * 6 + 4;
    let fields = [
        (0x100, 3, 1, 10),
        (0x101, 3, 1, 4),
        (0x111, 4, 1, at + jpeg.len() as u32),
        (0x117, 4, 1, 40),
        (0x201, 4, 1, at),
        (0x202, 4, 1, jpeg.len() as u32),
    ];
    tiff(&fields, &[jpeg, &[5; 40]].concat())
}

fn raf(jpeg: &[u8]) -> Vec<u8> {
    let mut bytes = b"FUJIFILMCCD-RAW ".to_vec();
    bytes.resize(84, 0);
    let end = 148 + jpeg.len() as u32;
    for (at, size) in [(148, jpeg.len() as u32), (end, 2), (end + 2, 30)] {
        bytes.extend([u32::to_be_bytes(at), u32::to_be_bytes(size)].concat());
    }
    bytes.resize(148, 0);
    [bytes, jpeg.to_vec(), vec![6; 32]].concat()
}

/// A movie whose cover is a JPEG.
fn movie(jpeg: &[u8]) -> Vec<u8> {
    let data = boxed(b"data", &[&[0, 0, 0, 13, 0, 0, 0, 0][..], jpeg].concat());
    let list = boxed(b"ilst", &boxed(b"covr", &data));
    let handler = boxed(b"hdlr", b"\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0");
    let meta = boxed(b"meta", &[&[0; 4][..], &handler, &list].concat());
    let moov = boxed(b"moov", &boxed(b"udta", &meta));
    [boxed(b"ftyp", b"isom\0\0\0\0"), boxed(b"mdat", &[7; 100]), moov].concat()
}

fn icc() -> Vec<u8> {
    let mut bytes = vec![0; 132];
    bytes[..4].copy_from_slice(&132u32.to_be_bytes());
    bytes[12..24].copy_from_slice(b"mntrRGB XYZ ");
    bytes[36..40].copy_from_slice(b"acsp");
    bytes
}

/// A file of each kind that the table has, made by the command or by hand; their names.
fn fixtures(dir: &Path) -> BTreeMap<ByTable, String> {
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.join(name), bytes).unwrap();
    let make = |args: &[&str]| drop(run(dir, args, b"").fine());
    write("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for name in ["a.ply", "a.stl", "a.off"] {
        make(&["convert", "a.obj", "-o", name]);
    }
    let places = [1.0, 2.0, 3.0, 0.1, 0.1, 0.1].map(f32::to_le_bytes);
    let record = [&places.concat()[..], &[255, 0, 0, 255, 255, 128, 128, 128]].concat();
    write("a.splat", &record.repeat(5));
    make(&["convert", "a.splat", "-o", "a.spz"]);
    make(&["convert", "a.splat", "-o", "a.sog"]);
    make(&["gradient", "red, lime, blue", "--size", "16x8", "-o", "a.exr"]);
    for name in ["a.png", "a.jpg", "a.tif", "a.hdr", "a.qoi"] {
        make(&["convert", "a.exr", "-o", name]);
    }
    for name in ["a.css", "a.ggr", "a.grd", "a.cpt", "a.cube", "a.tres", "a.svg", "a.json"] {
        make(&["gradient", "red, lime", "-o", name]);
    }
    make(&["gradient", "red, lime", "--fit", "-o", "a.gradients"]);
    write(
        "a.pbrt",
        b"LookAt 0 0 5 0 0 0 0 1 0\nCamera \"perspective\"\nWorldBegin\nShape \"sphere\"\n",
    );
    make(&["pack", "a.pbrt", "-o", "scene.solio"]);
    make(&["pack", "a.exr", "-o", "images.solio"]);
    for name in ["a.gltf", "a.glb", "a.usda", "a.xml"] {
        make(&["convert", "a.pbrt", "-o", name]);
    }
    let jpeg = std::fs::read(dir.join("a.jpg")).unwrap();
    write(
        "a.gif",
        b"GIF89a\x05\0\x04\0\x80\0\0\0\0\0\0\0\0\x2c\0\0\0\0\x05\0\x04\0\0\x02\x03abc\0\x3b",
    );
    write("a.webp", b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0\0\0\0\x9d\x01\x2a\x05\0\x04\0abcd");
    let head = b"8BPS\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\x08\0\x01";
    let rest = [0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 2, 2];
    write("a.psd", &[&head[..], &rest].concat());
    let stream = b"\xff\x4f\xff\x51\0\x29\0\0\0\0\0\x05\0\0\0\x04\xff\xd9";
    let image = boxed(b"jp2h", &boxed(b"ihdr", b"\0\0\0\x04\0\0\0\x05\0\x03\x07\x07\0\0"));
    write("a.jp2", &[boxed(b"jP  ", b"\r\n\x87\n"), image, boxed(b"jp2c", stream)].concat());
    write("a.j2c", stream);
    write("a.jxl", &[boxed(b"JXL ", b"\r\n\x87\n"), boxed(b"jxlc", b"\xff\x0a\0\0")].concat());
    write("a.nef", &raw(&jpeg));
    write("a.cr3", &[boxed(b"ftyp", b"crx \0\0\0\0"), boxed(b"moov", &[])].concat());
    let mut crw = b"II\x0e\0\0\0HEAPCCDR".to_vec();
    crw.extend([3; 20]);
    crw.extend(b"\x01\0\x05\x20\x14\0\0\0\0\0\0\0\x14\0\0\0");
    write("a.crw", &crw);
    write("a.raf", &raf(&jpeg));
    write("a.mrw", b"\0MRM\0\0\0\x10\0PRD\0\0\0\x08abcdefgh");
    write("a.x3f", b"FOVb\0\0\x02\0");
    write("a.heic", &[boxed(b"ftyp", b"heic\0\0\0\0mif1"), boxed(b"meta", &[0; 4])].concat());
    write("a.mp4", &movie(&jpeg));
    write("a.avi", b"RIFF\x04\0\0\0AVI ");
    write("a.wav", b"RIFF\x04\0\0\0WAVE");
    write(
        "a.exv",
        &[&b"\xff\x01Exiv2"[..], &segment(0xe1, b"Exif\0\0II*\0\x08\0\0\0\0\0"), b"\xff\xd9"]
            .concat(),
    );
    write("a.xmp", b"<?xpacket begin='' id=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>");
    write("a.icc", &icc());
    write("a.npy", b"\x93NUMPY\x01\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }            \n\0\0\x80\x3f");
    write("a.mtl", b"newmtl red\nKd 1 0 0\n");
    make(&["convert", "a.obj", "-o", "b.ply.gz"]);
    write("a.gz", &std::fs::read(dir.join("b.ply.gz")).unwrap());
    make(&["convert", "a.obj", "-o", "b.ply.zst"]);
    write("a.zst", &std::fs::read(dir.join("b.ply.zst")).unwrap());
    std::fs::remove_file(dir.join("b.ply.gz")).unwrap();
    std::fs::remove_file(dir.join("b.ply.zst")).unwrap();
    write("a.txt", b"only words\n");
    write("a.data", b"\0\x01\x02\x03");
    write("a.none", b"");
    std::fs::create_dir(dir.join("in")).unwrap();
    write("in/a.txt", b"words\n");
    make(&["scan", "in", "-o", "a.sqlite"]);
    make(&["scan", "in", "-o", "a.parquet"]);
    let mut names = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let input =
                solio::Input::open(&path, &Default::default(), &Default::default()).unwrap();
            let kind = match path.extension().unwrap().to_str().unwrap() {
                "gz" => FileKind::Gzip,
                "zst" => FileKind::Zstd,
                _ => input.kind(),
            };
            names.insert(ByTable(kind), path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    names
}

/// A kind, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByTable(FileKind);

impl Ord for ByTable {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0 as u32).cmp(&(other.0 as u32))
    }
}

impl PartialOrd for ByTable {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether the file has a picture that is shown: of photos it is one within, which not all have.
fn has_picture(kind: FileKind) -> bool {
    !matches!(kind, FileKind::Cr3 | FileKind::Crw | FileKind::Mrw | FileKind::Heif)
}

#[test]
fn every_kind_goes_through_the_commands_that_the_table_promises() {
    let dir = tempfile::tempdir().unwrap();
    let files = fixtures(dir.path());
    for kind in FileKind::ALL {
        assert!(files.contains_key(&ByTable(*kind)), "there is no fixture of {kind:?}");
    }
    let mut broken = Vec::new();
    for (ByTable(kind), name) in &files {
        let mut tried = |args: &[&str], promised: bool| {
            let ran = run(dir.path(), args, b"");
            let fine = ran.code == 0;
            // What is not promised is refused in words that tell what the file is.
            let told = ran.err.contains(name) && !ran.err.contains("panicked");
            if fine != promised || !fine && !told {
                broken.push(format!("{args:?}: exit code {}, {}", ran.code, ran.err.trim()));
            }
        };
        // Of a compressed file what is in it counts.
        let inner =
            if matches!(kind, FileKind::Gzip | FileKind::Zstd) { FileKind::Ply } else { *kind };
        tried(&["info", name], inner.can(Ability::Info));
        if kind.can(Ability::Meta) {
            tried(&["meta", name], true);
        }
        if kind.can(Ability::Check) {
            tried(&["check", name], true);
        }
        let png = format!("{name}.preview.png");
        tried(&["preview", name, "-o", &png], inner.can(Ability::Preview) && has_picture(inner));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_command_and_the_scan_name_the_same_kind_whatever_the_file_is_called() {
    let dir = tempfile::tempdir().unwrap();
    let files = fixtures(dir.path());
    let other = tempfile::tempdir().unwrap();
    let mut expected = BTreeMap::new();
    for (ByTable(kind), name) in &files {
        // Kinds without a mark are told by their name alone, or by their text.
        let is_told = !kind.magic().is_empty()
            || matches!(kind, FileKind::Obj | FileKind::Pbrt | FileKind::Stl);
        if is_told {
            let to = format!("{}.dat", kind.as_str());
            std::fs::copy(dir.path().join(name), other.path().join(&to)).unwrap();
            let input = solio::Input::open(
                &dir.path().join(name),
                &Default::default(),
                &Default::default(),
            )
            .unwrap();
            let is_packed = matches!(kind, FileKind::Gzip | FileKind::Zstd);
            // The catalogue has the alias: heic, not heif.
            let alias = if is_packed { kind.as_str() } else { input.file_type().name() };
            expected.insert(to, (*kind, alias));
        }
    }
    let scanned = other.path().join("c.csv.sqlite");
    let scanned = scanned.to_str().unwrap();
    run(other.path(), &["scan", ".", "-o", scanned], b"").fine();
    let sql = "SELECT name, kind FROM files WHERE name LIKE '%.dat'";
    for row in run(other.path(), &["query", scanned, sql, "--json"], b"").fine().json() {
        let (name, kind) = (row["name"].as_str().unwrap(), row["kind"].as_str().unwrap());
        // What is within a packed file is told, too.
        let (expected, alias) = expected[name];
        let packed = matches!(expected, FileKind::Gzip | FileKind::Zstd);
        assert_eq!(kind, if packed { "ply" } else { alias }, "{name}");
    }
    for (name, (kind, _)) in &expected {
        if kind.can(Ability::Preview) && has_picture(*kind) && kind.family() != Family::Photo {
            run(other.path(), &["preview", name, "-o", "p.png"], b"").fine();
        }
        if kind.can(Ability::Info) {
            run(other.path(), &["info", name], b"").fine();
        }
    }
}

/// How often `solio ARGS` opens the file `name`; `None` where strace cannot trace.
fn opens(dir: &Path, args: &[&str], name: &str) -> Option<usize> {
    let log = dir.join("strace.log");
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=open,openat,openat2", "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_solio"))
        .args(args)
        .current_dir(dir)
        .env("XDG_CACHE_HOME", "/no-cache")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .ok()?;
    let log = std::fs::read_to_string(log).ok()?;
    if !log.contains("openat(") {
        return None;
    }
    assert!(traced.status.success(), "{args:?}: {}", String::from_utf8_lossy(&traced.stderr));
    let quoted = format!("{name}\"");
    let is_read = |line: &&str| {
        line.contains(&quoted) && !line.contains("O_WRONLY") && !line.contains("ENOENT")
    };
    Some(log.lines().filter(is_read).count())
}

#[test]
fn every_command_opens_an_input_once() {
    let dir = tempfile::tempdir().unwrap();
    fixtures(dir.path());
    let inputs = [
        "a.exr",
        "a.png",
        "a.jpg",
        "a.tif",
        "a.hdr",
        "a.obj",
        "a.ply",
        "a.stl",
        "a.pbrt",
        "scene.solio",
        "a.nef",
    ];
    let mut broken = Vec::new();
    for name in inputs {
        let png = format!("{name}.png");
        let mut commands = vec![
            vec!["info", name],
            vec!["meta", name],
            vec!["check", name],
            vec!["check", "--deep", name],
            vec!["preview", name, "-o", &png],
            vec!["sheet", name, "-o", "sheet.png"],
            vec!["hash", name],
            vec!["scan", ".", "-o", "all.sqlite", "--check", "--deep", "--thumbnails"],
        ];
        match name {
            "a.obj" | "a.ply" | "a.stl" => commands.push(vec!["convert", name, "-o", "out.ply"]),
            "a.pbrt" => commands.push(vec!["convert", name, "-o", "out.pbrt"]),
            "scene.solio" => commands.push(vec!["convert", name, "-o", "out.gltf"]),
            "a.nef" => {}
            _ => {
                commands.push(vec!["convert", name, "-o", "out.exr"]);
                commands.push(vec!["convert", name, "-o", "out.tif"]);
            }
        }
        if name == "a.exr" {
            commands.push(vec!["set", name, "owner=Kim", "-o", "set.exr"]);
            commands.push(vec!["pack", name, "-o", "out.solio"]);
            commands.push(vec!["convert", name, "--channels", "R", "-o", "out.exr"]);
        }
        for args in commands {
            if args.contains(&"meta") && matches!(name, "a.stl" | "a.hdr" | "scene.solio") {
                continue;
            }
            let _ = std::fs::remove_file(dir.path().join("all.sqlite"));
            let Some(count) = opens(dir.path(), &args, name) else {
                eprintln!("skipped: strace cannot trace here");
                return;
            };
            if count != 1 {
                broken.push(format!("{args:?} opens {name} {count} times"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
