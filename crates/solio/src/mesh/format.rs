//! Which format is it? The content says; where it cannot, the name does.

use solio_base::{Error, Result};
use solio_codec::compress::Compression;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A mesh format.
///
/// ```
/// use solio::{Format, MeshReadOptions, MeshWriteOptions, Work, encode_mesh, read_mesh_bytes};
/// let work = Work::default();
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// let scene = read_mesh_bytes(text, &MeshReadOptions::default(), &work)?;
/// // Every format is told by its content.
/// for format in Format::ALL {
///     let bytes = encode_mesh(&scene, format, &MeshWriteOptions::default(), &work)?;
///     assert_eq!(Format::of_content(&bytes, Some(bytes.len() as u64)), Some(format));
/// }
/// // By name, as in the options of a command.
/// assert_eq!("PLY".parse::<Format>()?, Format::Ply);
/// assert!("fbx".parse::<Format>().is_err());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ with its MTL.
    Obj,
    /// Stanford PLY.
    Ply,
    /// STL (stereolithography).
    Stl,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Obj, Format::Ply, Format::Stl];

    /// `obj`, `ply`, `stl`: also the end of a file name.
    ///
    /// ```
    /// use solio::Format;
    /// use std::path::Path;
    /// let output = Path::new("scans/statue.ply").with_extension(Format::Stl.as_str());
    /// assert_eq!(output, Path::new("scans/statue.stl"));
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Stl => "stl",
        }
    }

    /// From a file name, whatever its case and compression: `A.OBJ.gz` is OBJ.
    ///
    /// ```
    /// use solio::Format;
    /// assert_eq!(Format::of_name("scan.PLY.zst".as_ref()), Some(Format::Ply));
    /// assert_eq!(Format::of_name("notes.txt".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let plain = name.strip_suffix(Compression::of_name(&name).extension()).unwrap_or(&name);
        let (_, end) = plain.rsplit_once('.')?;
        end.parse().ok()
    }

    /// From the first bytes of the (decompressed) content and, where it is known, its length.
    ///
    /// PLY has a magic line. A binary STL is as long as its triangle count says; a text STL
    /// starts with `solid` and soon has a `facet`. What is left is OBJ if its first statement is
    /// one of OBJ's.
    ///
    /// ```
    /// use solio::Format;
    /// // The first bytes of a download; how much comes is not known yet.
    /// assert_eq!(Format::of_content(b"ply\nformat ascii 1.0\n", None), Some(Format::Ply));
    /// assert_eq!(Format::of_content(b"# made by hand\nv 0 0 0\n", None), Some(Format::Obj));
    /// assert_eq!(Format::of_content(b"solid of iron\n", None), None);
    /// // A binary STL of no triangles is 84 bytes long, whatever its head says.
    /// let empty = [&[b' '; 80][..], &[0; 4]].concat();
    /// assert_eq!(Format::of_content(&empty, Some(84)), Some(Format::Stl));
    /// ```
    pub fn of_content(head: &[u8], bytes: Option<u64>) -> Option<Format> {
        if head.starts_with(b"ply\n") || head.starts_with(b"ply\r") {
            return Some(Format::Ply);
        }
        if is_stl(head, bytes) {
            return Some(Format::Stl);
        }
        looks_like_obj(head).then_some(Format::Obj)
    }

    /// The content's word first, then the name's.
    pub(crate) fn detect(head: &[u8], bytes: Option<u64>, path: Option<&Path>) -> Result<Format> {
        let by_content = Format::of_content(head, bytes);
        if let Some(format) = by_content.or_else(|| path.and_then(Format::of_name)) {
            return Ok(format);
        }
        if head.is_empty() {
            return Err(Error::corrupt("the file is empty").at_offset(0));
        }
        Err(Error::unsupported("neither content nor name tell a known mesh format")
            .hint("name the format: obj, ply or stl"))
    }
}

fn is_stl(head: &[u8], bytes: Option<u64>) -> bool {
    if let (Some(bytes), Some(count)) = (bytes, head.get(80..84)) {
        let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
        if bytes == 84 + 50 * u64::from(count) {
            return true;
        }
    }
    if bytes.is_none() && starts_as_binary_stl(head) {
        return true;
    }
    let text = head.trim_ascii_start();
    let solid = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let ends = text.get(5).is_none_or(u8::is_ascii_whitespace);
    let lower = text[..text.len().min(4096)].to_ascii_lowercase();
    let has = |word: &[u8]| lower.windows(word.len()).any(|w| w == word);
    solid && ends && (has(b"facet") || has(b"endsolid"))
}

/// Whether the start of a stream, whose length nobody knows yet, is that of a binary STL: as many
/// triangles as it has are finite and have a normal of length 1 or 0.
fn starts_as_binary_stl(head: &[u8]) -> bool {
    let Some((header, triangles)) = head.split_at_checked(84) else { return false };
    let count = u32::from_le_bytes([header[80], header[81], header[82], header[83]]);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (seen, rest) = triangles.as_chunks::<50>();
    let plausible = |triangle: &[u8; 50]| {
        let (floats, _) = triangle.as_chunks::<4>();
        let value = |i: usize| f32::from_le_bytes(floats[i]);
        let length = (0..3).map(|i| value(i) * value(i)).sum::<f32>();
        (0..12).all(|i| value(i).is_finite()) && (length == 0.0 || (length - 1.0).abs() < 0.01)
    };
    let more = count > seen.len() || (count == seen.len() && rest.is_empty());
    // All zeros say nothing.
    let says = seen.iter().any(|triangle| triangle[..48].iter().any(|&byte| byte != 0));
    more && says && seen.iter().all(plausible)
}

/// Whether the first lines that are not comments are OBJ statements.
fn looks_like_obj(head: &[u8]) -> bool {
    const WORDS: [&[u8]; 36] = [
        b"v",
        b"vt",
        b"vn",
        b"vp",
        b"f",
        b"fo",
        b"l",
        b"p",
        b"o",
        b"g",
        b"s",
        b"mg",
        b"usemtl",
        b"mtllib",
        b"usemap",
        b"maplib",
        b"cstype",
        b"deg",
        b"bmat",
        b"step",
        b"curv",
        b"curv2",
        b"surf",
        b"parm",
        b"trim",
        b"hole",
        b"scrv",
        b"sp",
        b"end",
        b"con",
        b"lod",
        b"bevel",
        b"c_interp",
        b"d_interp",
        b"shadow_obj",
        b"trace_obj",
    ];
    let decoded;
    let head = match head {
        [0xff, 0xfe, rest @ ..] => {
            decoded = every_other(rest, 0);
            &decoded[..]
        }
        [0xfe, 0xff, rest @ ..] => {
            decoded = every_other(rest, 1);
            &decoded[..]
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => rest,
        _ => head,
    };
    let mut comment = false;
    for line in head.split(|b| matches!(b, b'\n' | b'\r')) {
        let line = line.trim_ascii();
        if line.starts_with(b"#") {
            comment = true;
        } else if let Some(word) = line.split(u8::is_ascii_whitespace).find(|w| !w.is_empty()) {
            return WORDS.contains(&word) && (line.len() > word.len() || word == b"end");
        }
    }
    // Nothing but comments and blank lines: only those who write `#` can have meant OBJ.
    comment && !head.contains(&0)
}

/// The low bytes of UTF-16 text: enough to find ASCII words.
fn every_other(bytes: &[u8], first: usize) -> Vec<u8> {
    bytes.iter().skip(first).step_by(2).copied().collect()
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format> {
        let known = Format::ALL.into_iter().find(|f| f.as_str().eq_ignore_ascii_case(name));
        known.ok_or_else(|| {
            Error::argument(format!("unknown mesh format \"{name}\"; known: obj, ply, stl"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &[u8]) -> Option<Format> {
        Format::of_content(head, Some(head.len() as u64))
    }

    #[test]
    fn content_tells() {
        assert_eq!(of(b"ply\nformat ascii 1.0\n"), Some(Format::Ply));
        assert_eq!(of(b"# Blender\nmtllib a.mtl\n"), Some(Format::Obj));
        assert_eq!(of(b"\xef\xbb\xbfv 1 2 3\n"), Some(Format::Obj));
        assert_eq!(of(b"\xff\xfev\0 \x001\0 \x002\0"), Some(Format::Obj));
        assert_eq!(of(b"solid a\n facet normal 0 0 1\n"), Some(Format::Stl));
        assert_eq!(of(b"solid\nendsolid\n"), Some(Format::Stl));
        let mut binary =
            [b"solid of nothing".as_slice(), &[b' '; 64], &1u32.to_le_bytes()].concat();
        binary.extend([0; 50]);
        assert_eq!(of(&binary), Some(Format::Stl));
        // A stream's length is not known.
        assert_eq!(Format::of_content(&binary, None), None);
        binary[84 + 8..84 + 12].copy_from_slice(&1f32.to_le_bytes());
        assert_eq!(Format::of_content(&binary, None), Some(Format::Stl));
        binary[84 + 4..84 + 8].copy_from_slice(&0.5f32.to_le_bytes());
        assert_eq!(Format::of_content(&binary, None), None);
        assert_eq!(of(b"hello world\n"), None);
        assert_eq!(of(b""), None);
    }

    #[test]
    fn the_name_helps_where_content_cannot() {
        let found = Format::detect(b"\0\0junk", None, Some("a.STL.GZ".as_ref()));
        assert_eq!(found.unwrap(), Format::Stl);
        assert!(Format::detect(b"", Some(0), None).is_err());
    }
}
