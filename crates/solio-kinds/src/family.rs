//! Families of kinds, and what can be done with a kind.

crate::named_enum! {
    /// What a kind of file holds.
    ///
    /// ```
    /// use solio_kinds::{Family, FileKind};
    /// assert_eq!(FileKind::Ply.family(), Family::Mesh);
    /// assert_eq!(FileKind::Ply.family().as_str(), "mesh");
    /// ```
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum Family {
        /// Vertices and faces.
        Mesh = "mesh",
        /// Pixels.
        Image = "image",
        /// Raw photos, camera containers and metadata sidecars: their metadata and embedded previews
        /// are read, not their pixels.
        Photo = "photo",
        /// Whole scenes.
        Scene = "scene",
        /// Gradients and colour maps.
        Gradient = "gradient",
        /// Archives of images or arrays.
        Archive = "archive",
        /// Tables of files.
        Catalogue = "catalogue",
        /// Everything else.
        Other = "other",
    }

    /// `mesh`, `image`, `photo`, `scene`, `gradient`, `archive`, `catalogue`, `other`.
    pub fn as_str;
}

crate::named_enum! {
    /// Something that Solio does with files of a kind, in the order of the table's columns.
    ///
    /// ```
    /// use solio_kinds::{Ability, FileKind};
    /// assert!(FileKind::Exr.can(Ability::Write));
    /// assert!(!FileKind::Gif.can(Ability::Write));
    /// ```
    #[derive(Hash)]
    pub enum Ability {
        /// Its content becomes arrays: `convert`, `solio.read_mesh`, `solio.read_image`.
        Read = "read",
        /// It is written: `convert`.
        Write = "write",
        /// `info` sums it up.
        Info = "info",
        /// `meta` reads its tags.
        Meta = "meta",
        /// `check` finds damage.
        Check = "check",
        /// `preview` and `sheet` draw it.
        Preview = "preview",
    }

    /// `read`, `write`, `info`, `meta`, `check`, `preview`.
    pub fn as_str;
}

impl Ability {
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}
