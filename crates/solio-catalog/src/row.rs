//! What is known of a file: one row, whose columns are named once, here.

use std::sync::Arc;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Whole numbers of 64 bits.
    Integer,
    /// Numbers in floating point.
    Real,
    /// Text.
    Text,
}

/// A column of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// What it says.
    pub about: &'static str,
}

macro_rules! columns {
    ($($id:ident $name:literal $kind:ident $about:literal),* $(,)?) => {
        /// The columns of a row after its folder and name; the constants of the module
        /// [`column`] are their places.
        pub const COLUMNS: &[Column] =
            &[$(Column { name: $name, kind: Type::$kind, about: $about }),*];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($id),* }

        /// The places of the columns.
        pub mod column {
            $(#[doc = $about] pub const $id: usize = super::Place::$id as usize;)*
        }
    };
}

columns! {
    SIZE "size" Integer "Bytes.",
    MODIFIED_NS "modified_ns" Integer "When the content changed last, in nanoseconds since 1970.",
    INODE "inode" Integer "The number of its inode; names with the same one are one file.",
    KIND "kind" Text "What it is, by its content: exr, jpeg, obj, pbrt, link, empty …",
    WIDTH "width" Integer "Pixels in a row.",
    HEIGHT "height" Integer "Rows of pixels.",
    PARTS "parts" Integer "Parts of an OpenEXR file.",
    CHANNELS "channels" Text "Names of the channels, with commas between.",
    COMPRESSION "compression" Text "How its pixels are compressed, or the file as a whole.",
    VERTICES "vertices" Integer "Vertices of a mesh.",
    FACES "faces" Integer "Faces of a mesh, primitives of a scene.",
    MIN_X "min_x" Real "Least x of the box around all vertices.",
    MIN_Y "min_y" Real "Least y.",
    MIN_Z "min_z" Real "Least z.",
    MAX_X "max_x" Real "Greatest x.",
    MAX_Y "max_y" Real "Greatest y.",
    MAX_Z "max_z" Real "Greatest z.",
    MAKE "make" Text "Who made the camera.",
    MODEL "model" Text "The camera.",
    TAKEN "taken" Text "When the picture was taken, as the camera's clock said: YYYY-MM-DD HH:MM:SS.",
    ORIENTATION "orientation" Integer "How to turn the picture, 1 to 8 (EXIF).",
    LATITUDE "latitude" Real "Degrees north.",
    LONGITUDE "longitude" Real "Degrees east.",
    SEQUENCE "sequence" Text "The name with # for its frame number: beauty.#.exr.",
    FRAME "frame" Integer "The frame number in the name.",
    PROBLEMS "problems" Text "What is wrong with it, as a JSON list of sentences.",
    TAGS "tags" Text "The fields asked for, as a JSON object.",
    XXH128 "xxh128" Text "The XXH3 hash of its content, 32 hexadecimal digits.",
    LEVEL "level" Integer "What has been done to find all this out; see Level.",
}

/// One value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    #[default]
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(Box<str>),
}

/// The values of a row, by the constants of [`column`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cells(Box<[Cell]>);

impl Default for Cells {
    fn default() -> Self {
        Cells(vec![Cell::Null; COLUMNS.len()].into())
    }
}

impl Cells {
    /// All values.
    pub fn all(&self) -> &[Cell] {
        &self.0
    }

    /// Sets a value.
    pub fn set(&mut self, place: usize, cell: Cell) {
        self.0[place] = cell;
    }

    /// Sets a whole number; what is beyond 64 bits with a sign is not known.
    pub fn set_integer(&mut self, place: usize, value: impl TryInto<i64>) {
        self.0[place] = value.try_into().map_or(Cell::Null, Cell::Integer);
    }

    /// Sets a number; what is not finite is not known.
    pub fn set_real(&mut self, place: usize, value: f64) {
        self.0[place] = if value.is_finite() { Cell::Real(value) } else { Cell::Null };
    }

    /// Sets a text.
    pub fn set_text(&mut self, place: usize, text: impl Into<Box<str>>) {
        self.0[place] = Cell::Text(text.into());
    }

    /// A whole number.
    pub fn integer(&self, place: usize) -> Option<i64> {
        match self.0[place] {
            Cell::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, place: usize) -> Option<&str> {
        match &self.0[place] {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        let bytes = |cell: &Cell| if let Cell::Text(text) = cell { text.len() } else { 0 };
        self.0.iter().map(bytes).sum()
    }
}

/// How far a file was looked at: a set of bits in the column `level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level(pub u32);

impl Level {
    /// Kind, and what the head of the file says.
    pub const HEAD: Level = Level(1);
    /// Meshes and scenes were read to their end.
    pub const DEEP: Level = Level(2);
    /// Checked for damage.
    pub const CHECKED: Level = Level(4);
    /// Hashed.
    pub const HASHED: Level = Level(8);
    /// A thumbnail was made, or could not be.
    pub const THUMBNAIL: Level = Level(16);
    /// Bits that say which further fields were asked for.
    pub const FIELDS: Level = Level(0xffff_ff00);

    /// Both.
    #[must_use]
    pub const fn with(self, other: Level) -> Level {
        Level(self.0 | other.0)
    }

    /// This look after an earlier one: the steps of both, and the fields of this one if it had any.
    #[must_use]
    pub const fn after(self, earlier: Level) -> Level {
        let fields = if self.0 & Level::FIELDS.0 == 0 { earlier.0 } else { self.0 };
        Level((self.0 | earlier.0) & !Level::FIELDS.0 | fields & Level::FIELDS.0)
    }

    /// Whether a file that was looked at as this says needs no further look for `wanted`.
    pub const fn covers(self, wanted: Level) -> bool {
        let steps = wanted.0 & !Level::FIELDS.0;
        let fields = wanted.0 & Level::FIELDS.0;
        self.0 & steps == steps && (fields == 0 || self.0 & Level::FIELDS.0 == fields)
    }
}

/// A file, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The path of its folder.
    pub folder: Arc<[u8]>,
    /// Its name.
    pub name: Box<[u8]>,
    /// What is known.
    pub cells: Cells,
}

/// Where a name stands in the catalogue's order: text before what is none, each byte by byte.
pub type Key<'n> = (bool, &'n [u8]);

/// The [`Key`] of a name.
pub fn key(name: &[u8]) -> Key<'_> {
    (std::str::from_utf8(name).is_err(), name)
}

impl Row {
    /// Where the row stands in the catalogue's order: by folder, then by name.
    pub fn key(&self) -> (Key<'_>, Key<'_>) {
        (key(&self.folder), key(&self.name))
    }

    /// The path of the file.
    pub fn path(&self) -> Vec<u8> {
        path_of(&self.folder, &self.name)
    }
}

/// The path of the file `name` in `folder`.
pub fn path_of(folder: &[u8], name: &[u8]) -> Vec<u8> {
    // The key of an object may have empty parts: its folder may end with a slash.
    let slash: &[u8] = if folder == b"/" || folder.is_empty() { b"" } else { b"/" };
    [folder, slash, name].concat()
}
