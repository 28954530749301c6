//! What a file is, by its first bytes.
//!
//! Solio's own formats and those of photos are known to their readers; of the rest the crate
//! `infer` knows the marks. Text without a mark is told by what its first statement looks like. The
//! name decides only where content cannot: raw photos that are TIFF but for their name, comments
//! without a statement.

use crate::Format;
use solio_codec::compress::Compression;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// Bytes that [`kind_of_head`] wants to see, where a file has so many.
pub const KIND_HEAD_BYTES: usize = 4096;

/// Statements that a scene of pbrt begins with (pbrt-v4, "pbrt-v4 Input File Format").
const PBRT: [&[u8]; 34] = [
    b"Accelerator",
    b"ActiveTransform",
    b"AreaLightSource",
    b"Attribute",
    b"AttributeBegin",
    b"Camera",
    b"ColorSpace",
    b"ConcatTransform",
    b"CoordSysTransform",
    b"CoordinateSystem",
    b"Film",
    b"Identity",
    b"Import",
    b"Include",
    b"Integrator",
    b"LightSource",
    b"LookAt",
    b"MakeNamedMaterial",
    b"MakeNamedMedium",
    b"Material",
    b"NamedMaterial",
    b"ObjectBegin",
    b"Option",
    b"PixelFilter",
    b"ReverseOrientation",
    b"Rotate",
    b"Sampler",
    b"Scale",
    b"Shape",
    b"Texture",
    b"Transform",
    b"TransformBegin",
    b"Translate",
    b"WorldBegin",
];

/// What the file is that starts with `head` and is `bytes` long: `exr`, `jpeg`, `nef`, `ply`,
/// `pbrt`, `zip`, `text`, …; `data` for what is not known, `empty` for nothing. A packed file is
/// `gzip` or `zstd`, whatever is in it.
///
/// ```
/// use solio::kind_of_head;
/// assert_eq!(kind_of_head(b"\x76\x2f\x31\x01\x02\0\0\0", 300, "a.jpg".as_ref()), "exr");
/// assert_eq!(kind_of_head(b"v 0 0 0\nv 1 0 0\n", 300, "a.txt".as_ref()), "obj");
/// assert_eq!(kind_of_head(b"", 0, "a.exr".as_ref()), "empty");
/// ```
pub fn kind_of_head(head: &[u8], bytes: u64, name: &OsStr) -> Cow<'static, str> {
    if bytes == 0 {
        return "empty".into();
    }
    if let Some(kind) = of_mark(head) {
        return kind.into();
    }
    let name = Path::new(name);
    let extension = name.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if let Some(photo) = solio_photo::kind_name(head, &extension) {
        return photo.to_ascii_lowercase().replace(' ', "-").into();
    }
    if let Some(found) = infer::get(head) {
        return match found.extension() {
            "gz" => "gzip".into(),
            "zst" => "zstd".into(),
            // Not the mesh, but what compilers make on Windows.
            "obj" => "coff".into(),
            extension => extension.into(),
        };
    }
    let format = Format::of_content(head, Some(bytes));
    if format == Some(Format::Stl) {
        return "stl".into();
    }
    if !is_text(head) {
        return if Format::of_name(name) == Some(Format::Stl) { "stl" } else { "data" }.into();
    }
    of_text(head, format, &extension).into()
}

/// Formats of Solio with a mark of their own.
fn of_mark(head: &[u8]) -> Option<&'static str> {
    let compression = match Compression::of_head(head) {
        Compression::Gzip => Some("gzip"),
        Compression::Zstd => Some("zstd"),
        _ => None,
    };
    Some(match head {
        [0x76, 0x2f, 0x31, 0x01, ..] => "exr",
        [b'p', b'l', b'y', b'\n' | b'\r', ..] => "ply",
        _ if head.starts_with(b"#?RADIANCE") || head.starts_with(b"#?RGBE") => "hdr",
        _ if solio_scene::pack::is_pack(head) => "solio",
        _ if solio_codec::array::file::is_array_file(head) => "solio",
        _ => return compression,
    })
}

/// UTF-8 without controls, but for a letter that the head cuts.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && head.len() >= KIND_HEAD_BYTES,
    };
    valid && !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31))
}

fn of_text(head: &[u8], format: Option<Format>, extension: &str) -> &'static str {
    let lines = || head.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    if lines().any(|line| line.starts_with(b"newmtl ")) {
        return "mtl";
    }
    if format == Some(Format::Obj) && (extension == "obj" || lines().any(is_vertex)) {
        return "obj";
    }
    let mut statements = lines().filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    match statements.next() {
        Some(line) if is_pbrt(line) => "pbrt",
        // Comments alone.
        None if extension == "pbrt" => "pbrt",
        _ => "text",
    }
}

/// `v 1 2 3`.
fn is_vertex(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"v ") else { return false };
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_number = |word: &[u8]| word.iter().all(|b| b.is_ascii_digit() || b"+-.eE".contains(b));
    (0..3).all(|_| words.next().is_some_and(is_number))
}

/// A directive alone, or with what can follow one: text in quotes, a number, a list.
fn is_pbrt(line: &[u8]) -> bool {
    let end = line.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(line.len());
    let rest = line[end..].trim_ascii_start();
    let number = rest.strip_prefix(b"-").unwrap_or(rest);
    let number = number.strip_prefix(b".").unwrap_or(number);
    let follows = matches!(rest, [] | [b'"' | b'[' | b'#', ..]);
    PBRT.contains(&&line[..end]) && (follows || number.first().is_some_and(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &[u8], name: &str) -> Cow<'static, str> {
        kind_of_head(head, head.len() as u64, name.as_ref())
    }

    #[test]
    fn content_tells_whatever_the_name() {
        for (head, kind) in [
            (b"ply\nformat ascii 1.0\n".as_slice(), "ply"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "jpeg"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png"),
            (b"II*\0\x08\0\0\0\0\0", "tiff"),
            (b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", "hdr"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\0", "gzip"),
            (b"\x28\xb5\x2f\xfd\0\0\0\0", "zstd"),
            (b"PK\x03\x04\x14\0\0\0\0\0", "zip"),
            (b"\x89solio\r\nrest", "solio"),
            (b"# a comment\n\nLookAt 1 2 3 4 5 6 7 8 9\n", "pbrt"),
            (b"Include \"geometry.pbrt\"\n", "pbrt"),
            (b"WorldBegin\n", "pbrt"),
            (b"newmtl red\nKd 1 0 0\n", "mtl"),
            (b"# only words\nScale matters to all of us\n", "text"),
            (b"g++ is a compiler\n", "text"),
            (b"Include.pcm.File \"split.conf\"\n", "text"),
            (b"solid x\n facet normal 0 0 1\n", "stl"),
            (b"h\xc3\xa9llo\n", "text"),
            (b"\0\x01\x02\x03", "data"),
        ] {
            assert_eq!(of(head, "a.xyz"), kind, "{:?}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn the_name_decides_where_content_cannot() {
        assert_eq!(of(b"II*\0\x08\0\0\0\0\0", "a.NEF"), "nef");
        assert_eq!(of(b"# Blender\n", "a.obj"), "obj");
        assert_eq!(of(b"# Blender\n", "a.pbrt"), "pbrt");
        assert_eq!(of(b"# Blender\n", "a.py"), "text");
    }
}
