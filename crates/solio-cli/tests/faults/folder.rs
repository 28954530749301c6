//! What the command finds, and what it leaves.

pub(crate) use crate::commands::{Files, files};
use solio::Work;
use solio::image::header::{Box2i, Part};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType, WriteOptions};
use std::fmt::Write;
use std::path::Path;

/// Makes the files of `dir` be `wanted` and nothing else.
pub(crate) fn set(dir: &Path, wanted: &Files) {
    for name in files(dir).keys().filter(|name| !wanted.contains_key(*name)) {
        std::fs::remove_file(dir.join(name)).unwrap();
    }
    for (name, bytes) in wanted {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if std::fs::read(&path).ok().as_ref() != Some(bytes) {
            std::fs::write(path, bytes).unwrap();
        }
    }
}

/// A ramp of 64 columns and `n` rows, at most 100,000, as OpenEXR without compression.
fn image(n: usize) -> Vec<u8> {
    let window = Box2i::of_size(64, n.min(100_000) as u32);
    let channel = Channel::new("Z", PixelType::Uint);
    let header = Part::new(window, Compression::None, vec![channel.clone()]);
    let values: Vec<u32> = (0..window.width() * window.height()).map(|i| i as u32).collect();
    let planes = vec![Plane { channel, samples: Samples::Uint(values.into()) }];
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    let image = Image { parts: vec![ImagePart { header, pixels }], ..Image::default() };
    let mut bytes = Vec::new();
    solio::image::encode_exr(&image, &WriteOptions::default(), &mut bytes, &Work::serial())
        .unwrap();
    bytes
}

/// A strip of `n` quads as OBJ text, with a material and a texture, and an image.
pub(crate) fn inputs(n: usize) -> Files {
    let mut obj = String::from("mtllib in.mtl\no strip\n");
    for i in 0..=n {
        let x = i as f32 / 7.0;
        let _ = write!(obj, "v {x:.6} 0 0\nv {x:.6} 1 0.5\n");
    }
    obj.push_str("usemtl red\n");
    for i in 0..n {
        let a = 2 * i + 1;
        let _ = writeln!(obj, "f {} {} {} {}", a, a + 2, a + 3, a + 1);
    }
    let mtl = "newmtl red\nKd 1 0 0\nmap_Kd textures/red.png\n";
    let mut files: Files =
        [("in.obj", obj.as_str()), ("in.mtl", mtl), ("textures/red.png", "no picture at all")]
            .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
            .into();
    files.insert("in.exr".to_owned(), image(n));
    files
}

/// Whether `bytes` are those of a complete run. Recordings differ from run to run, so they are
/// asked for their end.
pub(crate) fn is_complete(name: &str, bytes: &[u8], reference: &[u8]) -> bool {
    if name.ends_with(".html") {
        return bytes.starts_with(b"<!doctype html>") && bytes.ends_with(b"</html>\n");
    }
    if name.ends_with(".json") {
        return serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    }
    if name.ends_with("/mesh.mtl") {
        // The demo writes it twice, with its own materials and with those that it read back.
        return bytes.starts_with(b"# Solio\n") && bytes.len().abs_diff(reference.len()) < 200;
    }
    bytes == reference
}

/// Whether this is the name of an unfinished file.
pub(crate) fn is_temporary(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with('.') && name.contains(".solio-") && name.ends_with(".tmp")
}
