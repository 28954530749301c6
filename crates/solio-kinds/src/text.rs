//! Kinds without a mark: text that its first statements tell, STL by its length, profiles and packets.

use crate::detect::{FileType, HEAD_BYTES};
use crate::table::FileKind;
use memchr::memmem::Finder;
use memchr::{memchr2, memrchr2};
use std::sync::LazyLock;

/// Directives that a pbrt scene begins with (pbrt-v4, "pbrt-v4 Input File Format").
pub const PBRT_DIRECTIVES: [&[u8]; 34] = [
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

/// The mesh format that the content shows, of those without a mark: STL, else OBJ. `bytes` is the
/// length, where it is known.
pub(crate) fn mesh(head: &[u8], bytes: Option<u64>) -> Option<FileKind> {
    if is_stl(head, bytes) {
        return Some(FileKind::Stl);
    }
    looks_like_obj(head).then_some(FileKind::Obj)
}

/// The kind of a text.
pub(crate) fn kind(head: &[u8], mesh: Option<FileKind>, by_name: Option<FileType>) -> FileType {
    let named = |kind: FileKind| by_name.is_some_and(|found| found.kind == kind);
    if names_material(head) {
        return FileKind::Mtl.into();
    }
    if mesh == Some(FileKind::Obj) && (named(FileKind::Obj) || lines(head).any(is_vertex)) {
        return FileKind::Obj.into();
    }
    match lines(head).find(is_statement) {
        Some(line) if is_pbrt(line) => FileKind::Pbrt.into(),
        Some(line) if line.starts_with(b"{") && is_gltf(head) => FileKind::Gltf.into(),
        Some(line) if line.starts_with(b"{") && is_sog(head) => FileKind::Sog.into(),
        Some(line) if line.starts_with(b"<") && is_mitsuba(head) => FileKind::Mitsuba.into(),
        // Comments alone.
        None if named(FileKind::Pbrt) => FileKind::Pbrt.into(),
        _ => by_name.filter(|found| is_told_by_name(found.kind)).unwrap_or(FileKind::Text.into()),
    }
}

/// Whether the head of a JSON text has a member that documents of glTF have, and one of others that it
/// needs to show something.
fn is_gltf(head: &[u8]) -> bool {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    let others: [&[u8]; 5] =
        [b"\"scenes\"", b"\"nodes\"", b"\"meshes\"", b"\"accessors\"", b"\"bufferViews\""];
    has(b"\"asset\"") && (has(b"\"version\"") || others.into_iter().any(has))
}

/// Whether the head of a JSON text says where the places of splats are: the `meta.json` of a loose SOG.
fn is_sog(head: &[u8]) -> bool {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    has(b"\"means\"") && has(b"\"mins\"") && has(b"\"files\"")
}

/// Whether the head of an XML text begins a scene of Mitsuba.
fn is_mitsuba(head: &[u8]) -> bool {
    memchr::memmem::find(head, b"<scene version=").is_some()
}

/// The lines of a text, without blanks around them.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr2(b'\n', b'\r', text);
        rest = end.map(|end| &text[end + 1..]);
        Some(text[..end.unwrap_or(text.len())].trim_ascii())
    })
}

/// Whether a line is neither empty nor a comment.
fn is_statement(line: &&[u8]) -> bool {
    !line.is_empty() && !line.starts_with(b"#")
}

/// Whether a line names a material of MTL.
fn names_material(head: &[u8]) -> bool {
    static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"newmtl "));
    WORD.find_iter(head).any(|at| {
        let start = memrchr2(b'\n', b'\r', &head[..at]).map_or(0, |end| end + 1);
        let behind = &head[at + 7..];
        let end = memchr2(b'\n', b'\r', behind).unwrap_or(behind.len());
        head[start..at].trim_ascii().is_empty() && !behind[..end].trim_ascii().is_empty()
    })
}

/// Whether more of a text than this may tell another kind than [`FileKind::Text`]: there is no statement
/// yet, or one of OBJ, whose vertices may follow.
pub(crate) fn may_tell_more(head: &[u8]) -> bool {
    let ended = memrchr2(b'\n', b'\r', head).map_or(0, |end| end + 1);
    lines(&head[..ended]).find(is_statement).is_none() || looks_like_obj(head)
}

/// Texts that have no mark, and no statement that only they begin with.
fn is_told_by_name(kind: FileKind) -> bool {
    use FileKind::{Gltf, Mtl, Obj, Pbrt};
    let is_gradient = kind.family() == crate::Family::Gradient && kind.magic().is_empty();
    is_gradient || matches!(kind, Obj | Mtl | Pbrt | Gltf)
}

/// UTF-8 without controls, but for a letter that the head cuts.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && head.len() >= HEAD_BYTES,
    };
    // Some at once, without a branch for each.
    let has_control = |bytes: &[u8]| {
        bytes.iter().fold(false, |found, byte| found | matches!(byte, 0..=8 | 14..=26 | 28..=31))
    };
    valid && !head.chunks(256).any(has_control)
}

/// Whether text is UTF-16, as some programs write OBJ.
pub(crate) fn is_wide_obj(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
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
    PBRT_DIRECTIVES.contains(&&line[..end])
        && (follows || number.first().is_some_and(u8::is_ascii_digit))
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
    let solid = solid && text.get(5).is_none_or(u8::is_ascii_whitespace);
    let facet = text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"facet "));
    if !solid && !facet {
        return false;
    }
    let lower = text[..text.len().min(4096)].to_ascii_lowercase();
    let has = |word: &[u8]| lower.windows(word.len()).any(|w| w == word);
    facet && has(b"vertex") || solid && (has(b"facet") || has(b"endsolid") || has(b"end solid"))
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

/// Whether an ICC profile starts so: its class and its colour spaces (ICC.1, 7.2).
pub(crate) fn is_icc(head: &[u8]) -> bool {
    let class = |class: &[u8]| {
        matches!(
            class,
            b"scnr" | b"mntr" | b"prtr" | b"link" | b"spac" | b"abst" | b"nmcl" | b"nkpf"
        )
    };
    let space = |s: &[u8]| s.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ');
    head.len() >= 24 && class(&head[12..16]) && space(&head[16..24])
}

/// Whether an XMP packet starts so, in UTF-8, UTF-16 or UTF-32: zero bytes are passed over.
pub(crate) fn is_xmp(head: &[u8], extension: &str) -> bool {
    let all = head.iter().copied().filter(|byte| *byte != 0);
    let begins = |text: &mut dyn Iterator<Item = u8>, word: &[u8]| {
        word.iter().all(|byte| text.next() == Some(*byte))
    };
    let utf8 = [0xef, 0xbb, 0xbf];
    let marked = if begins(&mut all.clone(), &utf8) { 3 } else { 0 };
    let is_wide =
        [[0xfe, 0xff], [0xff, 0xfe]].iter().any(|mark| begins(&mut all.clone().skip(marked), mark));
    // A mark of UTF-8 alone stays.
    let start = all.skip(if is_wide { marked + 2 } else { 0 });
    let start = start.skip_while(u8::is_ascii_whitespace);
    let opens = [&b"<?xpacket begin"[..], b"<x:xmpmeta", b"<x:xapmeta", b"<rdf:RDF"];
    opens.iter().any(|open| begins(&mut start.clone(), open))
        || extension == "xmp"
            && [&b"<"[..], b"\xef\xbb\xbf<"].iter().any(|open| begins(&mut start.clone(), open))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of texts in a random order.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        const PIECES: [&[u8]; 30] = [
            b"newmtl ",
            b"newmtl",
            b"\n",
            b"\r\n",
            b"\r",
            b" ",
            b"\t",
            b"\x0c",
            b"# c",
            b"v 1 2 3",
            b"solid ",
            b"SOLID\n",
            b"facet ",
            b"vertex",
            b"endsolid",
            b"\0",
            b"\xef\xbb\xbf",
            b"\xfe\xff",
            b"\xff\xfe",
            b"<",
            b"<?xpacket begin",
            b"<x:xmpmeta",
            b"<rdf:RDF",
            b"<\0r\0d\0f\0:\0R\0D\0F\0",
            b"Shape \"a\"",
            b"x",
            b"\x01",
            b"mtllib a",
            b"\x80",
            b"\x0b",
        ];
        let mut state = 1u64;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        (0..200_000).map(move |_| (0..next(9)).flat_map(|_| PIECES[next(30)]).copied().collect())
    }

    #[test]
    fn short_ways_find_what_plain_ones_do() {
        let mut seen = [0; 5];
        for text in texts() {
            let plain = || text.split(|b| matches!(b, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
            assert!(lines(&text).eq(plain()), "{text:?}");
            let material = plain().any(|line| line.starts_with(b"newmtl "));
            assert_eq!(names_material(&text), material, "{text:?}");
            let control = text.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
            let is_plain = std::str::from_utf8(&text).is_ok() && !control;
            assert_eq!(is_text(&text), is_plain, "{text:?}");
            let xmp = plain_xmp(&text, "") || plain_xmp(&text, "xmp");
            assert_eq!(is_xmp(&text, ""), plain_xmp(&text, ""), "{text:?}");
            assert_eq!(is_xmp(&text, "xmp"), plain_xmp(&text, "xmp"), "{text:?}");
            let stl = plain_stl(&text);
            assert_eq!(is_stl(&text, Some(1)), stl, "{text:?}");
            for (seen, found) in seen.iter_mut().zip([material, is_plain, xmp, stl, control]) {
                *seen += u32::from(found);
            }
        }
        assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
    }

    fn plain_xmp(head: &[u8], extension: &str) -> bool {
        let all: Vec<u8> = head.iter().copied().filter(|b| *b != 0).collect();
        let start = all.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(&all);
        let start = start.strip_prefix(&[0xfe, 0xff]).or(start.strip_prefix(&[0xff, 0xfe]));
        let start = start.unwrap_or(&all).trim_ascii_start();
        let opens = [&b"<?xpacket begin"[..], b"<x:xmpmeta", b"<x:xapmeta", b"<rdf:RDF"];
        opens.iter().any(|open| start.starts_with(open))
            || extension == "xmp"
                && (start.starts_with(b"<") || start.starts_with(b"\xef\xbb\xbf<"))
    }

    fn plain_stl(head: &[u8]) -> bool {
        let lower = head.trim_ascii_start().to_ascii_lowercase();
        let has = |word: &[u8]| lower.windows(word.len()).any(|w| w == word);
        let ends = lower.get(5).is_none_or(u8::is_ascii_whitespace);
        lower.starts_with(b"facet ") && has(b"vertex")
            || lower.starts_with(b"solid")
                && ends
                && (has(b"facet") || has(b"endsolid") || has(b"end solid"))
    }

    #[test]
    fn only_where_nothing_is_said_yet_more_may_tell() {
        for (head, more) in [
            (&b"# c\n\n  # d\n"[..], true),
            (b"# c\nSha", true),
            (b"", true),
            (b"# c\nwords and\nnewmt", false),
            (b"mtllib a.mtl\n", true),
            (b"Words\n", false),
        ] {
            assert_eq!(may_tell_more(head), more, "{}", head.escape_ascii());
        }
    }
}
