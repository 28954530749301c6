//! Which names belong to which content.

use super::odd::{Odd, Rule};
use solio_codec::compress::Compression;
use std::path::Path;

/// Kinds as [`FileCheck::format`](super::FileCheck) names them, and the extensions of each.
const KINDS: [(&str, &[&str]); 21] = [
    ("exr", &["exr", "sxr", "mxr", "tx"]),
    ("jpeg", &["jpg", "jpeg", "jpe", "jfif", "jps", "mpo", "thm"]),
    ("exv", &["exv"]),
    ("png", &["png", "apng"]),
    (
        "tiff",
        &[
            "tif", "tiff", "btf", "tx", "dng", "nef", "nrw", "cr2", "arw", "sr2", "srf", "srw",
            "pef", "3fr", "fff", "iiq", "erf", "mef", "mos", "dcr", "kdc", "gpr", "rwl", "orf",
            "rw2",
        ],
    ),
    ("hdr", &["hdr", "rgbe", "xyze"]),
    ("gif", &["gif"]),
    ("webp", &["webp"]),
    ("avi", &["avi"]),
    ("wav", &["wav"]),
    ("psd", &["psd", "psb"]),
    ("heif", &["heic", "heif", "hif", "heics", "heifs", "avif"]),
    ("avif", &["avif", "avifs", "heif"]),
    ("mp4", &["mp4", "mov", "m4v", "m4a", "3gp", "3g2", "qt", "f4v", "insv"]),
    ("cr3", &["cr3"]),
    ("jp2", &["jp2", "jpx", "jpf", "jpm", "jph", "j2k"]),
    ("j2c", &["j2c", "j2k", "jpc", "jhc"]),
    ("jxl", &["jxl"]),
    ("raf", &["raf"]),
    ("crw", &["crw"]),
    ("ply", &["ply"]),
];
/// Kinds of which the content is known by reading it.
const TEXTS: [(&str, &[&str]); 4] =
    [("stl", &["stl"]), ("obj", &["obj"]), ("solio", &["solio"]), ("mtl", &["mtl"])];

/// The kind that a name promises.
pub(super) fn of_name(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    let mut all = KINDS.iter().chain(&TEXTS);
    all.find(|(_, ends)| ends.contains(&&*end)).map(|(kind, _)| *kind)
}

/// Whether a name promises another kind of content than this.
pub(crate) fn promises_other(kind: &str, path: &Path) -> bool {
    misnamed(kind, path).is_some()
}

/// The kind that a name promises, where every file of that kind starts with a mark. Icons and
/// sidecars are called as photos are; JPEG XL may start with two bytes.
pub(super) fn with_mark(path: &Path) -> Option<&'static str> {
    let kind = of_name(path)?;
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    let loose = ["thm", "tx", "xyze", "jxl", "qt", "mov", "insv", "iiq", "mos"];
    let marked = KINDS.iter().any(|(known, _)| *known == kind) && !loose.contains(&&*end);
    marked.then_some(kind)
}

/// What is wrong with the end of a name over content of this kind.
pub(super) fn misnamed(kind: &str, path: &Path) -> Option<Odd> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    let (_, ends) = KINDS.iter().find(|(known, _)| *known == kind)?;
    if ends.contains(&&*end) || of_name(path).is_none() {
        return None;
    }
    Some(Rule::Extension.broken(format!("the content is {kind}, but the name ends with .{end}")))
}

/// What is wrong with a name that promises packed content over content that is not.
pub(super) fn not_packed(kind: &str, path: &Path) -> Option<Odd> {
    let packed = Compression::of_name(&path.to_string_lossy());
    let end = packed.extension();
    (packed != Compression::None).then(|| {
        Rule::Extension.broken(format!("the content is {kind}, but the name ends with {end}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_agree() {
        let odd = |kind, name: &str| misnamed(kind, name.as_ref()).is_some();
        assert!(odd("jpeg", "a.png") && odd("exr", "a.JPG") && odd("png", "a.obj"));
        assert!(!odd("jpeg", "a.JPEG") && !odd("tiff", "a.nef") && !odd("avif", "a.heif"));
        assert!(!odd("jpeg", "a.bak") && !odd("jpeg", "a") && !odd("other", "a.png"));
        let other = |name: &str| promises_other("exr", name.as_ref());
        assert!(other("a.png") && other("a.heic") && !other("a.EXR") && !other("a.bak"));
        // Textures are of either kind.
        assert!(!other("a.tx") && !odd("exr", "a.tx") && !odd("tiff", "a.tx"));
        assert_eq!(with_mark("a.PNG".as_ref()), Some("png"));
        assert_eq!((with_mark("a.txt".as_ref()), with_mark("a.mov".as_ref())), (None, None));
    }
}
