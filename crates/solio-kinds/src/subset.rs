//! Formats that are read into one model, as types of their own: rows of the table, by name.

use crate::detect::FileType;
use crate::family::Ability;
use crate::table::FileKind;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A name that is not one of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownFormat {}

/// Names for people: `a, b and c`, with `last` before the last one.
///
/// ```
/// assert_eq!(solio_kinds::listed(&["a", "b", "c"], "or"), "a, b or c");
/// assert_eq!(solio_kinds::listed(&["a"], "or"), "a");
/// ```
pub fn listed(names: &[impl AsRef<str>], last: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((end, [])) => (*end).to_owned(),
        Some((end, before)) => format!("{} {last} {end}", before.join(", ")),
        None => String::new(),
    }
}

macro_rules! subset {
    ($(#[$doc:meta])* $type:ident $what:literal [$($id:ident)*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = concat!("[`FileKind::", stringify!($id), "`].")] $id,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: [$type; [$($type::$id),*].len()] = [$($type::$id),*];

            /// The row of the table.
            pub fn kind(self) -> FileKind {
                match self {
                    $($type::$id => FileKind::$id,)*
                }
            }

            /// The format of a row; `None` for all other kinds.
            pub fn of_kind(kind: FileKind) -> Option<$type> {
                match kind {
                    $(FileKind::$id => Some($type::$id),)*
                    _ => None,
                }
            }

            /// From a file name, whatever its case and compression: `A.PLY.gz`, `b.0001.EXR`.
            pub fn of_name(path: &Path) -> Option<$type> {
                FileType::of_path(path).and_then(|found| $type::of_kind(found.kind))
            }

            /// From the first bytes of the (decompressed) content and, where it is known, its
            /// length.
            pub fn of_content(head: &[u8], bytes: Option<u64>) -> Option<$type> {
                $type::of_kind(FileType::detect(head, bytes, Path::new("")).kind)
            }

            /// A short name, which is also an extension: `ply`, `exr`, `jpeg`.
            pub fn as_str(self) -> &'static str {
                self.kind().as_str()
            }

            /// The usual extension, without a dot.
            pub fn extension(self) -> &'static str {
                self.kind().extensions()[0]
            }

            /// Those that are written, as `obj, ply, stl`.
            pub fn written() -> String {
                let written = $type::ALL.iter().filter(|format| format.kind().can(Ability::Write));
                written.map(|format| format.as_str()).collect::<Vec<_>>().join(", ")
            }

            /// The usual extensions of those that are written, for hints: `.obj, .ply or .stl`.
            pub fn written_extensions() -> String {
                let written = $type::ALL.iter().filter(|format| format.kind().can(Ability::Write));
                let names: Vec<_> = written.map(|format| format!(".{}", format.extension())).collect();
                listed(&names, "or")
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = UnknownFormat;

            fn from_str(name: &str) -> Result<$type, UnknownFormat> {
                let lower = name.to_ascii_lowercase();
                let is = |format: &$type| {
                    format.as_str() == lower || format.kind().has_extension(&lower)
                };
                $type::ALL.into_iter().find(is).ok_or_else(|| {
                    let known: Vec<_> = $type::ALL.iter().map(|format| format.as_str()).collect();
                    let known = known.join(", ");
                    UnknownFormat(format!("unknown {} format \"{name}\"; known: {known}", $what))
                })
            }
        }
    };
}

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
    MeshFormat "mesh" [Obj Ply Stl]
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
    /// assert_eq!(SceneFormat::ALL.map(SceneFormat::as_str), ["gltf", "glb", "usda"]);
    /// assert_eq!(SceneFormat::of_name("car.usdc".as_ref()), Some(SceneFormat::Usd));
    /// assert_eq!(SceneFormat::of_name("car.obj".as_ref()), None);
    /// ```
    SceneFormat "scene" [Gltf Glb Usd]
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
