//! The one answer to "what is this file?".

use crate::family::Family;
use crate::splat::is_splat;
use crate::table::{Alias, FileKind, Magic, matches};
use crate::text;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

/// Bytes of the head that [`FileType::detect`] wants to see, where a file has so many.
pub const HEAD_BYTES: usize = 4096;

/// A mark and what it tells.
struct Mark {
    magic: Magic,
    file_type: FileType,
}

impl Mark {
    fn is_in(&self, head: &[u8]) -> bool {
        matches(self.magic, head)
    }
}

/// All marks, by the first byte of the file where they tell it: a scan asks for every file. Those of
/// aliases come first, as they may be longer than that of another row.
struct Marks {
    at_start: [Vec<Mark>; 256],
    later: Vec<Mark>,
}

static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let mut marks = Marks { at_start: [const { Vec::new() }; 256], later: Vec::new() };
    let aliases = FileKind::ALL.iter().flat_map(|kind| {
        kind.aliases().iter().map(|alias| (alias.magic, FileType::alias(*kind, alias)))
    });
    let rows = FileKind::ALL.iter().map(|kind| (kind.magic(), FileType::from(*kind)));
    for (magics, file_type) in aliases.chain(rows) {
        for magic in magics {
            let mark = Mark { magic, file_type };
            match magic[0] {
                (0, bytes) => marks.at_start[usize::from(bytes[0])].push(mark),
                _ => marks.later.push(mark),
            }
        }
    }
    marks
});

/// All extensions, each with the first row that has it: a scan asks for every text.
static EXTENSIONS: LazyLock<HashMap<&'static str, FileType>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for kind in FileKind::ALL {
        for extension in kind.extensions() {
            all.entry(*extension).or_insert(FileType::from(*kind));
        }
        for alias in kind.aliases() {
            for extension in alias.extensions {
                all.entry(*extension).or_insert(FileType::alias(*kind, alias));
            }
        }
    }
    all
});

/// What a file is: a kind, and the alias where it is one.
///
/// ```
/// use solio_kinds::{Family, FileKind, FileType};
/// let raw = FileType::detect(b"II*\0\x08\0\0\0", Some(900), "a.NEF".as_ref());
/// assert_eq!((raw.kind, raw.name(), raw.mime()), (FileKind::Raw, "nef", "image/x-nikon-nef"));
/// // Content decides; the name helps where content cannot tell.
/// let mesh = FileType::detect(b"ply\nformat ascii 1.0\n", None, "scan.dat".as_ref());
/// assert_eq!(mesh.family(), Family::Mesh);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FileType {
    /// The row.
    pub kind: FileKind,
    alias: Option<&'static Alias>,
    /// What `infer` says of what the table does not know.
    foreign: Option<(&'static str, &'static str)>,
}

impl PartialEq for FileType {
    fn eq(&self, other: &FileType) -> bool {
        (self.kind, self.name()) == (other.kind, other.name())
    }
}

impl Eq for FileType {}

impl From<FileKind> for FileType {
    fn from(kind: FileKind) -> FileType {
        FileType { kind, alias: None, foreign: None }
    }
}

impl FileType {
    fn alias(kind: FileKind, alias: &'static Alias) -> FileType {
        FileType { kind, alias: Some(alias), foreign: None }
    }

    /// The kind's name in small letters: `exr`, `nef`, `heic`, `zip`, `text`, `data`.
    pub fn name(self) -> &'static str {
        let foreign = self.foreign.map(|(name, _)| name);
        foreign.or(self.alias.map(|alias| alias.name)).unwrap_or(self.kind.as_str())
    }

    /// MIME type.
    pub fn mime(self) -> &'static str {
        let foreign = self.foreign.map(|(_, mime)| mime);
        foreign.or(self.alias.map(|alias| alias.mime)).unwrap_or(self.kind.mime())
    }

    /// The usual extension; empty for kinds without one.
    pub fn extension(self) -> &'static str {
        let own = self.alias.map_or(self.kind.extensions(), |alias| alias.extensions);
        own.first().or(self.kind.extensions().first()).copied().unwrap_or_default()
    }

    /// What it holds.
    pub fn family(self) -> Family {
        self.kind.family()
    }

    /// By the extension of a name, whatever its case; `.gz` and `.zst` at its end are passed over.
    ///
    /// ```
    /// use solio_kinds::{FileKind, FileType};
    /// let of = |name: &str| FileType::of_path(name.as_ref());
    /// assert_eq!(of("scan.PLY.zst").unwrap().kind, FileKind::Ply);
    /// assert_eq!(of("IMG_1.HIF").unwrap().name(), "heic");
    /// assert_eq!(of("notes"), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<FileType> {
        FileType::of_extension(&plain_extension(path)?)
    }

    /// By an extension in small letters. Where several kinds share one, the first row is taken.
    pub fn of_extension(extension: &str) -> Option<FileType> {
        EXTENSIONS.get(extension).copied()
    }

    /// By the first bytes alone; `None` where only text follows, or nothing that has a mark.
    ///
    /// ```
    /// use solio_kinds::FileType;
    /// assert_eq!(FileType::of_magic(b"\xff\xd8\xff\xe0\0\x10JFIF\0").unwrap().name(), "jpeg");
    /// assert_eq!(FileType::of_magic(b"v 0 0 0\n"), None);
    /// ```
    pub fn of_magic(head: &[u8]) -> Option<FileType> {
        let first = head.first().map_or(&[][..], |first| &MARKS.at_start[usize::from(*first)]);
        let mut marks = first.iter().chain(&MARKS.later);
        let found = marks.find(|mark| mark.is_in(head)).map(|mark| mark.file_type);
        found
            .or_else(|| other_brand(head))
            .or_else(|| text::is_icc(head).then(|| FileKind::Icc.into()))
    }

    /// By the first bytes, of kinds that have a mark, and by the extension (in small letters) where
    /// several share one: images, photos, videos, profiles and packets among them.
    ///
    /// ```
    /// use solio_kinds::FileType;
    /// assert_eq!(FileType::of_head(b"II*\0\x08\0\0\0", "nef").unwrap().name(), "nef");
    /// assert_eq!(FileType::of_head(b"hello", "jpg"), None);
    /// ```
    pub fn of_head(head: &[u8], extension: &str) -> Option<FileType> {
        let marked = FileType::of_magic(head).map(|found| found.refined(head, extension));
        marked.or_else(|| text::is_xmp(head, extension).then(|| FileKind::Xmp.into()))
    }

    /// By the name of a row or of an alias: `dng`, `jpeg`.
    pub fn of_name(name: &str) -> Option<FileType> {
        FileKind::ALL.iter().find_map(|kind| {
            let alias = kind.aliases().iter().find(|alias| alias.name == name);
            let alias = alias.map(|alias| FileType::alias(*kind, alias));
            alias.or_else(|| (kind.as_str() == name).then(|| (*kind).into()))
        })
    }

    /// What the file is that starts with `head`, has `bytes` (`None` for a stream) and is called
    /// `name`: by its content, and by its extension where content cannot tell. A compressed file is
    /// `gzip` or `zstd`, whatever is in it.
    pub fn detect(head: &[u8], bytes: Option<u64>, name: &Path) -> FileType {
        if bytes == Some(0) {
            return FileKind::Empty.into();
        }
        let extension = plain_extension(name).unwrap_or_default();
        if let Some(found) = FileType::of_head(head, &extension) {
            return found;
        }
        let mesh = text::mesh(head, bytes);
        if mesh == Some(FileKind::Stl) {
            return FileKind::Stl.into();
        }
        let by_name = FileType::of_extension(&extension);
        if !text::is_text(head) {
            let named = |kind: FileKind| by_name == Some(kind.into());
            if is_splat(head, bytes, named(FileKind::Splat)) {
                return FileKind::Splat.into();
            }
            if named(FileKind::Sog) && head.starts_with(FileKind::Sog.mark()) {
                return FileKind::Sog.into();
            }
            if let Some(found) = infer::get(head) {
                return foreign(found);
            }
            // A damaged or truncated binary STL has no mark to go by.
            let is_stl = named(FileKind::Stl);
            let is_wide = text::is_wide_obj(head) && mesh == Some(FileKind::Obj);
            return match (is_stl, is_wide) {
                (true, _) => FileKind::Stl.into(),
                (_, true) => FileKind::Obj.into(),
                _ => FileKind::Data.into(),
            };
        }
        text::kind(head, mesh, by_name)
    }

    /// Whether more bytes of a file that is [`FileKind::Text`] by its `head` may tell what it is: so far
    /// there are comments alone, or statements of OBJ without a vertex.
    ///
    /// ```
    /// use solio_kinds::FileType;
    /// assert!(FileType::may_be_hidden(b"# made by a program\n#\n"));
    /// assert!(!FileType::may_be_hidden(b"# notes\nThis is prose.\n"));
    /// ```
    pub fn may_be_hidden(head: &[u8]) -> bool {
        text::may_tell_more(head)
    }

    /// Containers that several kinds share: the extension tells which.
    fn refined(self, head: &[u8], extension: &str) -> FileType {
        let named = |kind: FileKind| {
            let alias = kind.aliases().iter().find(|alias| alias.extensions.contains(&extension));
            alias.map(|alias| FileType::alias(kind, alias))
        };
        match self.kind {
            FileKind::Tiff if self.alias.is_none() => named(FileKind::Raw).unwrap_or(self),
            FileKind::Jpeg => named(FileKind::Jpeg).unwrap_or(self),
            // QuickTime's boxes under the name of MP4.
            FileKind::Movie if self.name() == "mov" && extension == "mp4" => {
                let is_branded = head.get(4..8) == Some(b"ftyp");
                let foreign = is_branded.then(|| (FileKind::Movie.as_str(), self.mime()));
                FileType { kind: FileKind::Movie, alias: None, foreign }
            }
            _ => self,
        }
    }
}

/// The extension in small letters, without that of a compression.
fn plain_extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let packed = [FileKind::Gzip, FileKind::Zstd].into_iter().find_map(|kind| {
        let stem = name.strip_suffix(kind.extensions()[0])?;
        stem.strip_suffix('.')
    });
    let plain = packed.filter(|stem| stem.contains('.')).unwrap_or(&name);
    plain.rsplit_once('.').map(|(_, extension)| extension.to_owned())
}

/// Files of boxes whose main brand is unknown: some name their kind among the compatible brands only
/// (ISO/IEC 14496-12, 4.3). All others are movies.
fn other_brand(head: &[u8]) -> Option<FileType> {
    let rest = head.get(4..)?.strip_prefix(b"ftyp")?;
    let compatible = rest.get(8..).unwrap_or_default().chunks_exact(4).find_map(|brand| {
        let of_brand = [&[0; 4], b"ftyp", brand].concat();
        FileType::of_magic(&of_brand).filter(|found| found.mime().starts_with("image/"))
    });
    Some(compatible.unwrap_or(FileKind::Movie.into()))
}

fn foreign(found: infer::Type) -> FileType {
    // Not the mesh, but what compilers make on Windows.
    let name = if found.extension() == "obj" { "coff" } else { found.extension() };
    let foreign = Some((name, found.mime_type()));
    FileType { kind: FileKind::Data, alias: None, foreign }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &[u8], name: &str) -> &'static str {
        FileType::detect(head, Some(head.len() as u64), name.as_ref()).name()
    }

    #[test]
    fn content_tells_whatever_the_name() {
        for (head, kind) in [
            (b"ply\nformat ascii 1.0\n".as_slice(), "ply"),
            (b"ply \nformat ascii 1.0\n", "ply"),
            (b"\xef\xbb\xbfply\r\nformat ascii 1.0\n", "ply"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "jpeg"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png"),
            (b"II*\0\x08\0\0\0\0\0", "tiff"),
            (b"II+\0\x08\0\0\0\0\0", "btf"),
            (b"II*\0\x10\0\0\0CR\x02\0", "cr2"),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"),
            (b"\0\0\0\x18ftypisom\0\0\0\0isommp42", "mp4"),
            (b"\0\0\0\x18ftypzzzz\0\0\0\0zzzzavif", "avif"),
            (b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", "hdr"),
            (b"#?\nFORMAT=32-bit_rle_rgbe\n", "hdr"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\0", "gzip"),
            (b"\x28\xb5\x2f\xfd\0\0\0\0", "zstd"),
            (b"PK\x03\x04\x14\0\0\0\0\0", "zip"),
            (b"\x89solio\r\nrest", "solio"),
            (b"SQLite format 3\0", "sqlite"),
            (b"# a comment\n\nLookAt 1 2 3 4 5 6 7 8 9\n", "pbrt"),
            (b"Include \"geometry.pbrt\"\n", "pbrt"),
            (b"WorldBegin\n", "pbrt"),
            (b"newmtl red\nKd 1 0 0\n", "mtl"),
            (b"{ \"asset\": { \"version\": \"2.0\" } }", "gltf"),
            (b"{ \"asset\": 3 }", "text"),
            (b"<?xml version=\"1.0\"?>\n<!-- made -->\n<scene version=\"3.0.0\">\n", "xml"),
            (b"<?xml version=\"1.0\"?>\n<list/>\n", "text"),
            (b"# only words\nScale matters to all of us\n", "text"),
            (b"g++ is a compiler\n", "text"),
            (b"Include.pcm.File \"split.conf\"\n", "text"),
            (b"solid x\n facet normal 0 0 1\n", "stl"),
            (b"<?xpacket begin='", "xmp"),
            (b"h\xc3\xa9llo\n", "text"),
            (b"\0\x01\x02\x03", "data"),
            (b"", "empty"),
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
        assert_eq!(of(b"a { color: red }\n", "a.css"), "css");
        assert_eq!(of(b"\0\0\0\x08moov", "a.mp4"), "mp4");
        assert_eq!(of(b"\0\0\0\x08moov", "a"), "mov");
        assert_eq!(of(b"hello", "a.jpg"), "text");
    }

    #[test]
    fn marks_are_told_apart() {
        // No row hides another: each mark leads to its own row or alias.
        let bytes = |magic: &[(usize, &[u8])]| {
            let mut head = vec![0; 64];
            for (offset, part) in magic {
                head[*offset..*offset + part.len()].copy_from_slice(part);
            }
            head
        };
        for kind in FileKind::ALL {
            for magic in kind.magic() {
                assert_eq!(FileType::of_magic(&bytes(magic)), Some((*kind).into()), "{kind:?}");
            }
            for alias in kind.aliases() {
                for magic in alias.magic {
                    let found = FileType::of_magic(&bytes(magic)).unwrap();
                    assert_eq!((found.kind, found.name()), (*kind, alias.name));
                }
            }
        }
    }

    #[test]
    fn extensions_lead_to_a_kind_that_has_them() {
        for kind in FileKind::ALL {
            for extension in kind.all_extensions() {
                let found = FileType::of_extension(extension).unwrap();
                assert!(found.kind.has_extension(extension));
                assert_eq!(extension, extension.to_ascii_lowercase());
            }
        }
    }
}
