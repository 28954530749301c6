//! The table. A new format starts with a row here.
//!
//! A row is a container format; kinds that share a container and differ by brand, mark or name are
//! the row's aliases. Magic bytes are those of each format's specification; ExifTool 13.58 and
//! `file` 5.45 were asked where cameras differ from it.

use crate::family::Ability::{Check, Info, Meta, Preview, Read, Write};
use crate::family::{Ability, Family};
use crate::subset::subset;

/// Bytes that a file of a kind has at certain offsets; all parts must match.
pub type Magic = &'static [(usize, &'static [u8])];

/// A kind within a row: the same container under another brand, mark or extension.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The kind's name, such as `nef`.
    pub name: &'static str,
    /// Extensions in small letters, the usual one first; none where only content tells.
    pub extensions: &'static [&'static str],
    /// MIME type.
    pub mime: &'static str,
    /// Marks that tell it whatever its name; empty where only the extension does.
    pub magic: &'static [Magic],
}

struct Row {
    name: &'static str,
    title: &'static str,
    family: Family,
    extensions: &'static [&'static str],
    mime: &'static str,
    magic: &'static [Magic],
    aliases: &'static [Alias],
    abilities: u8,
}

const fn alias(
    name: &'static str,
    extensions: &'static [&'static str],
    mime: &'static str,
    magic: &'static [Magic],
) -> Alias {
    Alias { name, extensions, mime, magic }
}

/// An alias with one extension, which is its name.
macro_rules! raw {
    ($name:literal, $mime:literal $(, $magic:expr)*) => {
        alias($name, &[$name], $mime, &[$($magic),*])
    };
}

const fn bits(abilities: &[Ability]) -> u8 {
    let (mut bits, mut i) = (0, 0);
    while i < abilities.len() {
        bits |= abilities[i].bit();
        i += 1;
    }
    bits
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $id:ident $name:literal $title:literal $family:ident
       [$($extension:literal)*] $mime:literal [$($magic:expr),*] [$($alias:expr),* $(,)?]
       [$($ability:ident)*];)*) => {
        /// A kind of file: a row of the table.
        ///
        /// ```
        /// use solio_kinds::FileKind;
        /// assert_eq!(FileKind::Jpeg.extensions()[0], "jpg");
        /// assert_eq!(FileKind::of_name("exr"), Some(FileKind::Exr));
        /// assert_eq!(FileKind::Pbrt.title(), "pbrt scene");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FileKind {
            $(#[doc = $title] $(#[$doc])* $id,)*
        }

        impl FileKind {
            /// All rows, in the order of the table.
            pub const ALL: &'static [FileKind] = &[$(FileKind::$id),*];
        }

        const ROWS: &[Row] = &[$(Row {
            name: $name,
            title: $title,
            family: Family::$family,
            extensions: &[$($extension),*],
            mime: $mime,
            magic: &[$($magic),*],
            aliases: &[$($alias),*],
            abilities: bits(&[$($ability),*]),
        }),*];
    };
}

kinds! {
    // Meshes.
    Obj "obj" "Wavefront OBJ" Mesh ["obj"] "model/obj" [] [] [Read Write Info Meta Check Preview];
    Ply "ply" "Stanford PLY" Mesh ["ply"] "model/x-ply"
        [&[(0, b"ply\n")], &[(0, b"ply\r")], &[(0, b"ply ")], &[(0, b"ply\t")],
         &[(0, b"\xef\xbb\xbfply")]]
        [] [Read Write Info Meta Check Preview];
    Stl "stl" "STL (stereolithography)" Mesh ["stl"] "model/stl" [] []
        [Read Write Info Check Preview];

    Off "off" "OFF (Geomview)" Mesh ["off"] "model/x-off"
        [&[(0, b"OFF")], &[(0, b"COFF")], &[(0, b"NOFF")], &[(0, b"CNOFF")], &[(0, b"STOFF")]] []
        [Read Write Info Check Preview];
    Gltf "gltf" "glTF 2.0" Mesh ["gltf"] "model/gltf+json" [] [] [Read Write Info Check Preview];
    Glb "glb" "glTF 2.0, binary" Mesh ["glb"] "model/gltf-binary" [&[(0, b"glTF")]] []
        [Read Write Info Check Preview];
    Splat "splat" "Gaussian splats (.splat)" Mesh ["splat"] "model/x-splat" [] []
        [Read Write Info Check Preview];
    Spz "spz" "Gaussian splats (SPZ)" Mesh ["spz"] "model/x-spz" [&[(0, b"NGSP")]] []
        [Read Write Info Check Preview];
    // A ZIP whose first file is one of these; other orders are told by the name.
    Sog "sog" "Gaussian splats (SOG)" Mesh ["sog"] "model/x-sog"
        [&[(0, b"PK\x03\x04"), (30, b"means_l.webp")], &[(0, b"PK\x03\x04"), (30, b"meta.json")]] []
        [Read Write Info Check Preview];

    // Images.
    Exr "exr" "OpenEXR" Image ["exr" "sxr" "mxr" "tx"] "image/x-exr"
        [&[(0, b"\x76\x2f\x31\x01")]] [] [Read Write Info Meta Check Preview];
    Hdr "hdr" "Radiance HDR" Image ["hdr" "rgbe" "xyze" "pic"] "image/vnd.radiance"
        [&[(0, b"#?RADIANCE")], &[(0, b"#?RGBE")], &[(0, b"#?\n")]] []
        [Read Write Info Check Preview];
    Jpeg "jpeg" "JPEG" Image ["jpg" "jpeg" "jpe" "jfif" "mpo" "thm"] "image/jpeg"
        [&[(0, b"\xff\xd8\xff")]] [raw!("jps", "image/x-jps")]
        [Read Write Info Meta Check Preview];
    Png "png" "PNG" Image ["png" "apng"] "image/png" [&[(0, b"\x89PNG\r\n\x1a\n")]]
        [alias("apng", &[], "image/apng", &[])]
        [Read Write Info Meta Check Preview];
    Qoi "qoi" "QOI" Image ["qoi"] "image/qoi" [&[(0, b"qoif")]] []
        [Read Write Info Meta Check Preview];
    Tiff "tiff" "TIFF" Image ["tif" "tiff" "tx"] "image/tiff"
        [&[(0, b"II*\0")], &[(0, b"MM\0*")]]
        [raw!("btf", "image/x-tiff-big", &[(0, b"II+\0")], &[(0, b"MM\0+")])]
        [Read Write Info Meta Check Preview];
    Gif "gif" "GIF" Image ["gif"] "image/gif" [&[(0, b"GIF87a")], &[(0, b"GIF89a")]] []
        [Info Meta Check];
    Webp "webp" "WebP" Image ["webp"] "image/webp" [&[(0, b"RIFF"), (8, b"WEBP")]] []
        [Info Meta Check];
    Psd "psd" "Photoshop document" Image ["psd"] "image/vnd.adobe.photoshop"
        [&[(0, b"8BPS\0\x01")]]
        [raw!("psb", "image/vnd.adobe.photoshop", &[(0, b"8BPS\0\x02")])]
        [Info Meta Check];
    Jp2 "jp2" "JPEG 2000" Image ["jp2" "jpx" "jpf" "jpm" "jph" "j2k"] "image/jp2"
        [&[(0, b"\0\0\0\x0cjP  \r\n\x87\n")], &[(0, b"\0\0\0\x0cjP\x1a\x1a\r\n\x87\n")]] []
        [Info Meta Check];
    J2c "j2c" "JPEG 2000 codestream" Image ["j2c" "j2k" "jpc" "jhc"] "image/x-j2c"
        [&[(0, b"\xff\x4f\xff\x51\0")]] [] [Info Meta Check];
    Jxl "jxl" "JPEG XL" Image ["jxl"] "image/jxl" [&[(0, b"\0\0\0\x0cJXL \r\n\x87\n")]]
        [alias("jxl-codestream", &[], "image/jxl", &[&[(0, b"\xff\x0a")]])]
        [Info Meta Check];

    // Photos and videos.
    Raw "raw" "camera raw (TIFF)" Photo ["raw"] "image/x-raw" []
        [
            raw!("dng", "image/x-adobe-dng"),
            raw!("nef", "image/x-nikon-nef"),
            raw!("nrw", "image/x-nikon-nrw"),
            raw!("cr2", "image/x-canon-cr2", &[(0, b"II*\0"), (8, b"CR\x02")],
                 &[(0, b"MM\0*"), (8, b"CR\x02")]),
            raw!("arw", "image/x-sony-arw"),
            raw!("sr2", "image/x-sony-sr2"),
            raw!("srf", "image/x-sony-srf"),
            raw!("srw", "image/x-samsung-srw"),
            raw!("pef", "image/x-pentax-pef"),
            raw!("3fr", "image/x-hasselblad-3fr"),
            raw!("fff", "image/x-hasselblad-fff"),
            raw!("iiq", "image/x-raw"),
            raw!("erf", "image/x-epson-erf"),
            raw!("mef", "image/x-mamiya-mef"),
            raw!("mos", "image/x-raw"),
            raw!("dcr", "image/x-kodak-dcr"),
            raw!("kdc", "image/x-kodak-kdc"),
            raw!("k25", "image/x-kodak-k25"),
            raw!("gpr", "image/x-gopro-gpr"),
            raw!("rwl", "image/x-leica-rwl"),
            raw!("orf", "image/x-olympus-orf", &[(0, b"IIRO")], &[(0, b"IIRS")], &[(0, b"MMOR")]),
            raw!("rw2", "image/x-panasonic-rw2", &[(0, b"IIU\0")]),
        ]
        [Info Meta Check Preview];
    Cr3 "cr3" "Canon raw (CR3)" Photo ["cr3"] "image/x-canon-cr3" [&[(4, b"ftypcrx ")]] []
        [Info Meta Check Preview];
    Crw "crw" "Canon raw (CRW)" Photo ["crw"] "image/x-canon-crw" [&[(6, b"HEAPCCDR")]] []
        [Info Meta Check Preview];
    Raf "raf" "Fujifilm raw (RAF)" Photo ["raf"] "image/x-fujifilm-raf"
        [&[(0, b"FUJIFILMCCD-")]] [] [Info Meta Check Preview];
    Mrw "mrw" "Minolta raw (MRW)" Photo ["mrw"] "image/x-minolta-mrw"
        [&[(0, b"\0MRM")], &[(0, b"\0MRI")]] [] [Info Meta Preview];
    X3f "x3f" "Sigma raw (X3F)" Photo ["x3f"] "image/x-sigma-x3f" [&[(0, b"FOVb")]] [] [];
    Heif "heif" "HEIF" Photo ["heif"] "image/heif"
        [&[(4, b"ftypmif1")], &[(4, b"ftypheix")], &[(4, b"ftypheim")], &[(4, b"ftypheis")],
         &[(4, b"ftyphevx")]]
        [
            alias("heic", &["heic", "hif"], "image/heic", &[&[(4, b"ftypheic")]]),
            alias("heics", &["heics"], "image/heic-sequence", &[&[(4, b"ftyphevc")]]),
            alias("heifs", &["heifs"], "image/heif-sequence", &[&[(4, b"ftypmsf1")]]),
            alias("avif", &["avif", "avifs"], "image/avif",
                  &[&[(4, b"ftypavif")], &[(4, b"ftypavis")]]),
        ]
        [Info Meta Check Preview];
    Movie "mp4" "MP4 or QuickTime movie" Photo ["mp4" "f4v" "insv" "3g2"] "video/mp4" []
        [
            alias("mov", &["mov", "qt"], "video/quicktime",
                  &[&[(4, b"ftypqt  ")], &[(4, b"moov")], &[(4, b"mdat")], &[(0, b"\0"), (4, b"free")],
                    &[(0, b"\0"), (4, b"wide")], &[(0, b"\0"), (4, b"pnot")]]),
            raw!("m4a", "audio/mp4", &[(4, b"ftypM4A ")]),
            raw!("m4v", "video/x-m4v", &[(4, b"ftypM4V ")]),
            raw!("3gp", "video/3gpp", &[(4, b"ftyp3gp4")], &[(4, b"ftyp3gp5")]),
        ]
        [Info Meta Check Preview];
    Avi "avi" "AVI movie" Photo ["avi"] "video/x-msvideo" [&[(0, b"RIFF"), (8, b"AVI ")]] []
        [Check];
    Wav "wav" "WAVE audio" Other ["wav"] "audio/x-wav" [&[(0, b"RIFF"), (8, b"WAVE")]] [] [Check];
    Exv "exv" "Exiv2 metadata" Photo ["exv"] "image/x-exv" [&[(0, b"\xff\x01Exiv2")]] []
        [Info Meta Check];
    Xmp "xmp" "XMP packet" Photo ["xmp"] "application/rdf+xml" [] [] [Info Meta];
    Icc "icc" "ICC profile" Photo ["icc" "icm"] "application/vnd.iccprofile" [] [] [Info Meta];

    // Scenes.
    Pbrt "pbrt" "pbrt scene" Scene ["pbrt"] "text/x-pbrt" [] []
        [Read Write Info Meta Check Preview];
    Pack "solio" "packed pbrt scene" Scene ["solio"] "application/x-solio-scene"
        [&[(0, b"\x89solio\r\n")]] [] [Read Write Info Check Preview];
    Usd "usda" "USD" Scene ["usda" "usd" "usdc" "usdz"] "model/vnd.usda" [&[(0, b"#usda ")]] []
        [Write];
    Mitsuba "xml" "Mitsuba 3 scene" Scene ["xml"] "application/xml" [] [] [Write];

    // Gradients.
    Css "css" "CSS gradients" Gradient ["css"] "text/css" [] [] [Read Write Info Preview];
    Ggr "ggr" "GIMP gradient" Gradient ["ggr"] "text/x-gimp-gradient" [&[(0, b"GIMP Gradient")]] []
        [Read Write Info Preview];
    Grd "grd" "Photoshop gradients" Gradient ["grd"] "application/x-photoshop-gradients"
        [&[(0, b"8BGR")]] [] [Read Write Info Preview];
    Cpt "cpt" "GMT colour palette" Gradient ["cpt"] "text/x-gmt-cpt" [] []
        [Read Write Info Preview];
    Cube "cube" "Cube LUT" Gradient ["cube"] "text/x-cube-lut" [] [] [Read Write Info Preview];
    Unity "unity" "Unity gradients" Gradient ["gradients" "asset" "unity" "prefab"]
        "text/x-unity-yaml" [] [] [Read Write Info Preview];
    Godot "godot" "Godot resource" Gradient ["tres" "tscn"] "text/x-godot-resource"
        [&[(0, b"[gd_")], &[(0, b"[sub_resource")]] [] [Read Write Info Preview];
    Json "json" "gradients as JSON" Gradient ["json"] "application/json" [] []
        [Read Write Info Preview];
    Svg "svg" "SVG gradients" Gradient ["svg"] "image/svg+xml" [] [] [Read Write Info Preview];

    // Archives and catalogues.
    Archive "solio" "archive of images or arrays" Archive ["solio"] "application/x-solio-arrays"
        [&[(0, b"\x89array\r\n")]] [] [Read Write Info Check];
    Npy "npy" "NumPy array" Archive ["npy"] "application/x-npy" [&[(0, b"\x93NUMPY")]] [] [Read];
    Sqlite "sqlite" "catalogue (SQLite)" Catalogue ["sqlite" "sqlite3" "db"]
        "application/vnd.sqlite3" [&[(0, b"SQLite format 3\0")]] [] [Read Write Info];
    Parquet "parquet" "catalogue (Parquet)" Catalogue ["parquet"] "application/vnd.apache.parquet"
        [&[(0, b"PAR1")]] [] [Read Write];

    // What is around them.
    Mtl "mtl" "Wavefront MTL" Other ["mtl"] "model/mtl" [] [] [];
    Gzip "gzip" "gzip" Other ["gz"] "application/gzip" [&[(0, b"\x1f\x8b")]] [] [Check];
    Zstd "zstd" "Zstandard" Other ["zst"] "application/zstd" [&[(0, b"\x28\xb5\x2f\xfd")]] []
        [Check];
    Text "text" "text" Other [] "text/plain" [] [] [];
    /// Nothing that the table knows; its name is what `infer` says, or `data`.
    Data "data" "data" Other [] "application/octet-stream" [] [] [];
    Empty "empty" "an empty file" Other [] "application/x-empty" [] [] [];
}

/// Extensions that files of other content have, too: icons and sidecars are called as photos are.
pub const LOOSE_EXTENSIONS: [&str; 9] =
    ["thm", "tx", "xyze", "jxl", "qt", "mov", "insv", "iiq", "mos"];

subset! {
    /// A mesh format.
    ///
    /// ```
    /// use solio_kinds::MeshFormat;
    /// assert_eq!("PLY".parse(), Ok(MeshFormat::Ply));
    /// assert!("fbx".parse::<MeshFormat>().is_err());
    /// assert_eq!(MeshFormat::of_name("scan.PLY.zst".as_ref()), Some(MeshFormat::Ply));
    /// assert_eq!(MeshFormat::of_content(b"# by hand\nv 0 0 0\n", None), Some(MeshFormat::Obj));
    /// // A binary STL of no triangles is 84 bytes long, whatever its header says.
    /// let empty = [&[b' '; 80][..], &[0; 4]].concat();
    /// assert_eq!(MeshFormat::of_content(&empty, Some(84)), Some(MeshFormat::Stl));
    /// ```
    MeshFormat "mesh" [Obj Ply Stl Off Gltf Glb Splat Spz Sog]
}

impl MeshFormat {
    /// Whether it holds Gaussian splats and nothing else.
    ///
    /// ```
    /// use solio_kinds::MeshFormat;
    /// assert!(MeshFormat::Spz.has_splats_alone());
    /// assert!(!MeshFormat::Ply.has_splats_alone());
    /// ```
    pub fn has_splats_alone(self) -> bool {
        matches!(self, MeshFormat::Splat | MeshFormat::Spz | MeshFormat::Sog)
    }
}

subset! {
    /// An image format.
    ///
    /// ```
    /// use solio_kinds::ImageFormat;
    /// assert_eq!("JPG".parse(), Ok(ImageFormat::Jpeg));
    /// assert!("gif".parse::<ImageFormat>().is_err());
    /// assert_eq!(ImageFormat::of_name("a.0001.EXR".as_ref()), Some(ImageFormat::Exr));
    /// assert_eq!(ImageFormat::of_content(b"\x89PNG\r\n\x1a\n", None), Some(ImageFormat::Png));
    /// ```
    ImageFormat "image" [Exr Hdr Jpeg Png Qoi Tiff]
}

subset! {
    /// A format of whole scenes that other programs read.
    ///
    /// ```
    /// use solio_kinds::SceneFormat;
    /// assert_eq!("glb".parse(), Ok(SceneFormat::Glb));
    /// assert_eq!(SceneFormat::ALL.map(SceneFormat::as_str), ["gltf", "glb", "usda", "xml"]);
    /// assert_eq!(SceneFormat::of_name("car.usdc".as_ref()), Some(SceneFormat::Usd));
    /// assert_eq!(SceneFormat::of_name("car.obj".as_ref()), None);
    /// ```
    SceneFormat "scene" [Gltf Glb Usd Mitsuba]
}

subset! {
    /// A gradient format.
    ///
    /// ```
    /// use solio_kinds::GradientFormat;
    /// let names = GradientFormat::ALL.map(GradientFormat::as_str).join(", ");
    /// assert_eq!(names, "css, ggr, grd, cpt, cube, unity, godot, json, svg");
    /// assert_eq!(GradientFormat::of_name("heat.TSCN".as_ref()), Some(GradientFormat::Godot));
    /// assert_eq!(GradientFormat::Godot.extension(), "tres");
    /// ```
    GradientFormat "gradient" [Css Ggr Grd Cpt Cube Unity Godot Json Svg]
}

impl FileKind {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// A short name in small letters: `exr`, `jpeg`, `pbrt`.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// What people call it: `OpenEXR`, `Wavefront OBJ`.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// What it holds.
    pub fn family(self) -> Family {
        self.row().family
    }

    /// The row's own extensions in small letters and without a dot, the usual one first; those of
    /// aliases are [`all_extensions`](FileKind::all_extensions).
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// All extensions: the row's, then its aliases'.
    ///
    /// ```
    /// use solio_kinds::FileKind;
    /// assert!(FileKind::Heif.all_extensions().any(|extension| extension == "hif"));
    /// ```
    pub fn all_extensions(self) -> impl Iterator<Item = &'static str> {
        let aliases = self.aliases().iter().flat_map(|alias| alias.extensions);
        self.extensions().iter().chain(aliases).copied()
    }

    /// Whether `extension`, in small letters, is one of this kind's.
    pub fn has_extension(self, extension: &str) -> bool {
        self.all_extensions().any(|known| known == extension)
    }

    /// MIME type.
    pub fn mime(self) -> &'static str {
        self.row().mime
    }

    /// Marks of the row itself; those of aliases are theirs.
    ///
    /// ```
    /// let (offset, bytes) = solio_kinds::FileKind::Exr.magic()[0][0];
    /// assert_eq!((offset, bytes), (0, &[0x76, 0x2f, 0x31, 0x01][..]));
    /// ```
    pub const fn magic(self) -> &'static [Magic] {
        ROWS[self as usize].magic
    }

    /// The first mark's bytes, for readers and writers whose files begin with it.
    ///
    /// # Panics
    /// In a constant, at build time, for kinds without a mark.
    pub const fn mark(self) -> &'static [u8] {
        ROWS[self as usize].magic[0][0].1
    }

    /// Whether a file that starts with `head` has one of the row's own marks.
    ///
    /// ```
    /// assert!(solio_kinds::FileKind::Png.is_at_start(b"\x89PNG\r\n\x1a\n\0\0"));
    /// ```
    pub fn is_at_start(self, head: &[u8]) -> bool {
        self.magic().iter().any(|magic| matches(magic, head))
    }

    /// Kinds in the same container.
    pub fn aliases(self) -> &'static [Alias] {
        self.row().aliases
    }

    /// Whether Solio does this with files of the kind.
    pub fn can(self, ability: Ability) -> bool {
        self.row().abilities & ability.bit() != 0
    }

    /// All kinds that Solio does this with.
    pub fn with(ability: Ability) -> impl Iterator<Item = FileKind> {
        FileKind::ALL.iter().copied().filter(move |kind| kind.can(ability))
    }

    /// By the name of a row or of an alias.
    pub fn of_name(name: &str) -> Option<FileKind> {
        let is = |kind: &FileKind| {
            kind.as_str() == name || kind.aliases().iter().any(|alias| alias.name == name)
        };
        FileKind::ALL.iter().copied().find(is)
    }
}

/// Whether `head` has all parts of a mark.
pub(crate) fn matches(magic: Magic, head: &[u8]) -> bool {
    magic
        .iter()
        .all(|(offset, bytes)| head.get(*offset..).is_some_and(|rest| rest.starts_with(bytes)))
}
