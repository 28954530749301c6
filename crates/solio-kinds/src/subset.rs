//! Formats that are read into one model, as types of their own: rows of the table, by name. The
//! table says which.

use std::fmt;

/// A name that is not one of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl UnknownFormat {
    pub(crate) fn new(message: String) -> UnknownFormat {
        UnknownFormat(message)
    }
}

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
            pub fn of_name(path: &std::path::Path) -> Option<$type> {
                $crate::FileType::of_path(path).and_then(|found| $type::of_kind(found.kind))
            }

            /// From the first bytes of the (decompressed) content and, where it is known, its
            /// length.
            pub fn of_content(head: &[u8], bytes: Option<u64>) -> Option<$type> {
                $type::of_kind($crate::FileType::detect(head, bytes, std::path::Path::new("")).kind)
            }

            /// A short name, which is also an extension: `ply`, `exr`, `jpeg`.
            pub fn as_str(self) -> &'static str {
                self.kind().as_str()
            }

            /// The usual extension, without a dot.
            pub fn extension(self) -> &'static str {
                self.kind().extensions()[0]
            }

            /// Those that are written, for hints: `obj, ply or stl`.
            pub fn written() -> String {
                let written = $type::ALL.iter().filter(|format| format.kind().can($crate::Ability::Write));
                let names: Vec<_> = written.map(|format| format.as_str()).collect();
                $crate::listed(&names, "or")
            }

            /// The usual extensions of those that are written, for hints: `.obj, .ply or .stl`.
            pub fn written_extensions() -> String {
                let written = $type::ALL.iter().filter(|format| format.kind().can($crate::Ability::Write));
                let names: Vec<_> = written.map(|format| format!(".{}", format.extension())).collect();
                $crate::listed(&names, "or")
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownFormat;

            fn from_str(name: &str) -> Result<$type, $crate::UnknownFormat> {
                let lower = name.to_ascii_lowercase();
                let is = |format: &$type| {
                    format.as_str() == lower || format.kind().has_extension(&lower)
                };
                $type::ALL.into_iter().find(is).ok_or_else(|| {
                    let known: Vec<_> = $type::ALL.iter().map(|format| format.as_str()).collect();
                    let known = known.join(", ");
                    $crate::UnknownFormat::new(format!("unknown {} format \"{name}\"; known: {known}", $what))
                })
            }
        }
    };
}

pub(crate) use subset;
