//! Heads by hand, and with `SOLIO_DATA` real files, of images beside ExifTool's word for them.

use super::{Fields, FileKind, HEAD_BYTES, Limits, Metadata, Result, Source, reads};
use serde_json::Value as Json;
use solio_exr::header::{Box2i, Part, Preview, TimeCode, Value as Attribute};
use solio_exr::{Channel, Compression, Header, PixelType};
use solio_kinds::FileType;
use solio_photo::{JsonOptions, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(name: &str, bytes: &[u8]) -> Metadata {
    super::read(kind_of(bytes, name), &bytes, &Fields::all(), &Limits::default()).unwrap()
}

fn kind_of(head: &[u8], name: &str) -> FileKind {
    FileType::detect(head, None, Path::new(name)).kind
}

/// Groups, names and words, a line a tag, without those of the kind.
fn shown(metadata: &Metadata) -> String {
    let tags = metadata.tags.iter().filter(|tag| !tag.name.contains("Type"));
    let line =
        |tag: &solio_photo::Tag| format!("{}:{}={}\n", tag.group, tag.name, tag.text().plain());
    tags.map(line).collect()
}

#[test]
fn names_and_first_bytes_tell_the_kind() {
    let of = |head: &[u8], name: &str| Some(kind_of(head, name)).filter(|kind| reads(*kind));
    assert_eq!(of(b"\x76\x2f\x31\x01\x02", "x"), Some(FileKind::Exr));
    assert_eq!(of(b"ply\r\nformat", "x.jpg"), Some(FileKind::Ply));
    assert_eq!(of(b"# text\nv 1 2 3\n", "x.OBJ.gz"), Some(FileKind::Obj));
    assert_eq!(of(b"Film \"rgb\"", "x.pbrt.zst"), Some(FileKind::Pbrt));
    assert_eq!(of(b"some words\n", "x"), None);
    assert_eq!(of(b"II*\0", "x.pbrt"), None);
}

#[test]
fn the_head_of_a_ply_file() {
    let text = b"ply\nformat ascii 1.0\ncomment by hand\nobj_info a b\nelement vertex 3\n\
        property float x\nproperty uchar red\nelement face 1\n\
        property list uchar int vertex_indices\nelement camera 2\nend_header\n0 0";
    assert_eq!(
        shown(&read("x", text)),
        "PLY:Format=ascii\nPLY:Comments=by hand\nPLY:ObjInfo=a b\nPLY:Vertices=3\n\
         PLY:VertexProperties=float x, uchar red\nPLY:Faces=1\n\
         PLY:FaceProperties=list uchar int vertex_indices\nPLY:CameraCount=2\n"
    );
}

#[test]
fn the_head_of_an_obj_file_ends_with_the_first_vertex() {
    let text =
        b"# Blender 4\r\n#\r\nmtllib a b.mtl\r\no Cube\r\nv 1 2 3\r\n# later\r\no Second\r\n";
    assert_eq!(
        shown(&read("x.obj", text)),
        "OBJ:Comments=Blender 4\nOBJ:MaterialLibraries=a b.mtl\nOBJ:FirstObject=Cube\n"
    );
}

#[test]
fn the_head_of_a_pbrt_file_ends_with_the_world() {
    let text = b"# one\nFilm \"rgb\" \"string filename\" [ \"a b.exr\" ]\n\
        \"integer xresolution\" 320 \"integer yresolution\" [240]#two\n\
        LookAt 0 0 5.5  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" [ 45 ]\n\
        Option \"bool wavefront\" true\nWorldBegin\nShape \"sphere\" \"float radius\" 1\n";
    assert_eq!(
        shown(&read("x.pbrt", text)),
        "PBRT:Film=rgb\nPBRT:FilmFilename=a b.exr\nFile:ImageWidth=320\nPBRT:FilmXresolution=320\n\
         File:ImageHeight=240\nPBRT:FilmYresolution=240\nPBRT:LookAt=0 0 5.5 0 0 0 0 1 0\n\
         PBRT:Camera=perspective\nPBRT:CameraFov=45\nPBRT:Option=\nPBRT:OptionWavefront=true\n\
         PBRT:Comments=one, two\nComposite:ImageSize=320x240\nComposite:Megapixels=0.077\n"
    );
}

#[test]
fn broken_heads_are_errors_or_say_less() {
    let limits = Limits::default();
    for (name, bytes) in [
        ("x.exr", &b"\x76\x2f\x31\x01\x02\0\0\0channels\0chlist\0\xff\xff\xff\x7f"[..]),
        ("x.ply", b"ply\nelement vertex 1\n"),
    ] {
        let kind = kind_of(bytes, name);
        super::read(kind, &bytes, &Fields::all(), &limits).unwrap_err();
    }
    for text in ["Film \"rgb", "\"", "Film [[ \"float x\"", "Film \"\" #", "\u{feff}", ""] {
        read("x.pbrt", text.as_bytes());
    }
}

#[test]
fn heads_of_streams_are_read_once() {
    struct Stream(Vec<u8>);
    impl Source for Stream {
        fn len_bytes(&self) -> Option<u64> {
            None
        }
        fn is_sequential(&self) -> bool {
            true
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
            assert!(offset == 0 || offset >= HEAD_BYTES as u64);
            self.0[..].read_at(offset, buf)
        }
    }
    let mut text = b"ply\nformat ascii 1.0\n".to_vec();
    (0..5000).for_each(|n| text.extend(format!("comment number {n}\n").bytes()));
    text.extend(b"element vertex 7\nproperty float x\nend_header\n");
    let metadata =
        super::read(FileKind::Ply, &Stream(text), &Fields::all(), &Limits::default()).unwrap();
    assert_eq!(metadata.get("PLY:Vertices").unwrap().number().plain(), "7");
}

type Members = BTreeMap<String, Json>;

/// What ExifTool says of the files below `path`; `None` without it.
fn exiftool(path: &Path, numbers: bool) -> Option<Vec<Members>> {
    let words = if numbers { &["-n"][..] } else { &[] };
    let mut command = Command::new("exiftool");
    command.args(["-j", "-G1", "-a", "-r", "-ext", "exr", "--System:all"]).args(words);
    let output = command.arg(path).output().ok()?;
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Compares all files below `folder` with what ExifTool prints; which values were compared, and
/// which differ.
#[allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files
fn compared(folder: &Path) -> Option<(usize, Vec<String>)> {
    let (mut count, mut differ) = (0, Vec::new());
    for numbers in [false, true] {
        for theirs in exiftool(folder, numbers)? {
            let path = PathBuf::from(theirs["SourceFile"].as_str().unwrap());
            let bytes = std::fs::read(&path).unwrap();
            let read = super::read(FileKind::Exr, &&bytes[..], &Fields::all(), &Limits::default());
            let tags = read.map(|read| read.tags).unwrap_or_default();
            let mut text = String::from("{");
            json(&tags, JsonOptions { numbers, bare_names: false }, "", &mut text);
            let ours: Members = serde_json::from_str(&(text + "}")).unwrap();
            for (key, their) in theirs {
                if key == "SourceFile" || key.starts_with("ExifTool:") {
                    continue;
                }
                count += 1;
                let our = ours.get(&key);
                if our != Some(&their) {
                    let our = our.map_or("nothing".to_owned(), Json::to_string);
                    differ.push(format!("{key}: {their} / {our}"));
                }
            }
        }
    }
    differ.sort();
    differ.dedup();
    Some((count, differ))
}

/// A header with attributes of all kinds that ExifTool knows, and of names that it does not.
fn rich_header() -> Header {
    let channel =
        |name: &str, pixel_type, linear| Channel { linear, ..Channel::new(name, pixel_type) };
    let channels = vec![
        channel("A", PixelType::Uint, false),
        channel("G", PixelType::Half, true),
        channel("Z", PixelType::Float, false),
    ];
    let mut part = Part::new(Box2i::of_size(64, 32), Compression::Zip, channels);
    let float = Attribute::Float;
    let text = |text: &str| Attribute::Text(text.into());
    for (name, value) in [
        ("adoptedNeutral", Attribute::V2f([0.3127, 0.329])),
        ("altitude", float(12.5)),
        ("aperture", float(2.8)),
        ("capDate", text("2009:02:09 12:01:17")),
        ("utcOffset", float(-7200.0)),
        ("comments", text("caf\u{e9}")),
        ("envmap", Attribute::Envmap(1)),
        ("expTime", float(0.004)),
        ("focus", float(3.25)),
        ("framesPerSecond", Attribute::Rational(30000, 1001)),
        ("isoSpeed", float(400.0)),
        ("keyCode", Attribute::KeyCode([1, 2, 3, 4, 5, 6, 7].into())),
        ("latitude", float(-33.5)),
        ("longitude", float(-151.25)),
        ("multiView", Attribute::TextVector(vec!["left".into(), "right".into()])),
        ("preview", Attribute::Preview(Preview { width: 2, height: 2, rgba: vec![7; 16] })),
        ("timeCode", Attribute::TimeCode(TimeCode { time_and_flags: 0x0102_0304, user_data: 5 })),
        ("worldToNDC", Attribute::M44f([0.25; 16])),
        ("wrapmodes", text("clamp")),
        ("xDensity", float(72.009)),
        ("lensModel", text("a lens")),
        ("aDouble", Attribute::Double(1.0 / 3.0)),
        ("aBox2f", Attribute::Box2f([[0.0, 0.1], [1.0, 2.5]])),
        ("a/path.with odd-chars", text("x")),
        ("exif:Make", text("true")),
        ("foo_bar_baz", Attribute::Int(-4)),
        ("nul", text("ab\0cd")),
        ("tiny", float(1e-20)),
        ("v3f", Attribute::V3f([1.0, 0.2, 3.0])),
        ("x", Attribute::Int(1)),
        ("noNumber", Attribute::V3f([f32::NAN, f32::INFINITY, -f32::INFINITY])),
        ("noDouble", Attribute::Double(f64::NAN)),
        ("zDensity", float(f32::INFINITY)),
        ("opaque", Attribute::Opaque { type_name: "mytype".into(), data: vec![1, 2, 3] }),
    ] {
        part.set(name, value);
    }
    Header { parts: vec![part], ..Header::default() }
}

#[test]
#[allow(clippy::disallowed_methods, clippy::print_stdout)]
fn every_kind_of_attribute_agrees_with_exiftool() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    rich_header().encode(&mut bytes).unwrap();
    bytes.extend([0; 64]);
    std::fs::write(folder.path().join("rich.exr"), bytes).unwrap();
    let Some((count, differ)) = compared(folder.path()) else {
        println!("skipped: needs exiftool");
        return;
    };
    assert!(count > 90, "{count}");
    assert_eq!(differ, [""; 0]);
}

#[test]
#[allow(clippy::print_stdout)]
fn images_agree_with_exiftool() {
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let data =
        data.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let found = data.join("exr").is_dir().then(|| compared(&data.join("exr"))).flatten();
    let Some((count, mut differ)) = found else {
        println!("skipped: needs exiftool and SOLIO_DATA/exr");
        return;
    };
    println!("{count} values compared");
    assert!(count > 10_000, "{count}");
    // Methods that ExifTool 12.57 has no words for.
    differ.retain(|one| !one.starts_with("OpenEXR:Compression: \"Unknown ("));
    assert_eq!(differ, [""; 0]);
}
