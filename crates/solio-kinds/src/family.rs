//! Families of kinds, and what can be done with a kind.

/// What a kind of file holds.
///
/// ```
/// use solio_kinds::{Family, FileKind};
/// assert_eq!(FileKind::Ply.family(), Family::Mesh);
/// assert_eq!(FileKind::Ply.family().as_str(), "mesh");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Vertices and faces.
    Mesh,
    /// Pixels.
    Image,
    /// Raw photos, camera containers and metadata sidecars: their metadata and embedded previews
    /// are read, not their pixels.
    Photo,
    /// Whole scenes.
    Scene,
    /// Gradients and colour maps.
    Gradient,
    /// Archives of images or arrays.
    Archive,
    /// Tables of files.
    Catalogue,
    /// Everything else.
    Other,
}

impl Family {
    /// `mesh`, `image`, `photo`, `scene`, `gradient`, `archive`, `catalogue`, `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Mesh => "mesh",
            Family::Image => "image",
            Family::Photo => "photo",
            Family::Scene => "scene",
            Family::Gradient => "gradient",
            Family::Archive => "archive",
            Family::Catalogue => "catalogue",
            Family::Other => "other",
        }
    }
}

/// Something that Solio does with files of a kind.
///
/// ```
/// use solio_kinds::{Ability, FileKind};
/// assert!(FileKind::Exr.can(Ability::Write));
/// assert!(!FileKind::Gif.can(Ability::Write));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ability {
    /// Its content becomes arrays: `convert`, `solio.read_mesh`, `solio.read_image`.
    Read,
    /// It is written: `convert`.
    Write,
    /// `info` sums it up.
    Info,
    /// `meta` reads its tags.
    Meta,
    /// `check` finds damage.
    Check,
    /// `preview` and `sheet` draw it.
    Preview,
}

impl Ability {
    /// All of them, in the order of the table's columns.
    pub const ALL: [Ability; 6] = [
        Ability::Read,
        Ability::Write,
        Ability::Info,
        Ability::Meta,
        Ability::Check,
        Ability::Preview,
    ];

    /// `read`, `write`, `info`, `meta`, `check`, `preview`.
    pub fn as_str(self) -> &'static str {
        match self {
            Ability::Read => "read",
            Ability::Write => "write",
            Ability::Info => "info",
            Ability::Meta => "meta",
            Ability::Check => "check",
            Ability::Preview => "preview",
        }
    }

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}
