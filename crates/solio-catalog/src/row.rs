//! What is known of a file: one row, whose columns are named once, here.

use std::sync::Arc;

/// The type of a column.
///
/// ```
/// use solio_catalog::row::{COLUMNS, Type};
/// // What Parquet and SQLite need to know of a column.
/// let sql = |kind| match kind {
///     Type::Integer => "INTEGER",
///     Type::Real => "REAL",
///     Type::Text => "TEXT",
/// };
/// let columns: Vec<_> = COLUMNS.iter().map(|c| format!("{} {}", c.name, sql(c.kind))).collect();
/// assert!(columns.join(", ").starts_with("size INTEGER, modified_ns INTEGER, "));
/// ```
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
///
/// ```
/// use solio_catalog::row::{COLUMNS, Type, column};
/// let width = COLUMNS[column::WIDTH];
/// assert_eq!((width.name, width.kind, width.about), ("width", Type::Integer, "Pixels in a row."));
/// ```
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
    BORN_NS "born_ns" Integer "When the file was made, in nanoseconds since 1970, where the file system tells.",
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
    CHANGED_NS "changed_ns" Integer "When content, mode, owner or links changed last, in nanoseconds since 1970, where the system tells.",
    LINKS "links" Integer "Names that lead to it.",
    BLOCKS "blocks" Integer "Blocks of 512 bytes that it takes on the medium.",
    ALLOCATED "allocated" Integer "Bytes that it takes on the medium.",
    MODE "mode" Integer "Type and permissions, as the system has them.",
    OWNER "owner" Integer "The number of its owner.",
    OWNER_GROUP "owner_group" Integer "The number of its group.",
    DEVICE "device" Integer "The device that it lay on when it was scanned: a number that the system gives out anew.",
    VOLUME "volume" Integer "The volume that it lies on, a number that stays; see the view volumes.",
    TARGET "target" Text "Where a symbolic link leads.",
}

/// The columns that the system tells of a file without its being opened: they are those of now, whatever
/// was found in the file before.
pub const OF_STATUS: [usize; 14] = [
    column::SIZE,
    column::MODIFIED_NS,
    column::BORN_NS,
    column::INODE,
    column::CHANGED_NS,
    column::LINKS,
    column::BLOCKS,
    column::ALLOCATED,
    column::MODE,
    column::OWNER,
    column::OWNER_GROUP,
    column::DEVICE,
    column::VOLUME,
    column::TARGET,
];

/// One value.
///
/// ```
/// use solio_catalog::row::Cell;
/// let shown = |cell: &Cell| match cell {
///     Cell::Null => "—".into(),
///     Cell::Integer(number) => number.to_string(),
///     Cell::Real(number) => format!("{number:.1}"),
///     Cell::Text(text) => text.to_string(),
/// };
/// let cells = [Cell::Integer(1920), Cell::Real(52.525), Cell::Text("exr".into()), Cell::default()];
/// assert_eq!(cells.each_ref().map(shown).join(" "), "1920 52.5 exr —");
/// ```
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
///
/// ```
/// use solio_catalog::row::{Cells, column};
/// let mut cells = Cells::default();
/// cells.set_text(column::KIND, "exr");
/// cells.set_integer(column::WIDTH, 1920);
/// assert_eq!(cells.text(column::KIND), Some("exr"));
/// // Nobody has said so yet.
/// assert_eq!(cells.integer(column::HEIGHT), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cells(Box<[Cell]>);

impl Default for Cells {
    fn default() -> Self {
        Cells(vec![Cell::Null; COLUMNS.len()].into())
    }
}

impl Cells {
    /// All values.
    ///
    /// ```
    /// use solio_catalog::row::{COLUMNS, Cell, Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_integer(column::SIZE, 42);
    /// let known = COLUMNS.iter().zip(cells.all()).filter(|(_, cell)| **cell != Cell::Null);
    /// let known: Vec<_> = known.map(|(column, cell)| (column.name, cell.clone())).collect();
    /// assert_eq!(known, [("size", Cell::Integer(42))]);
    /// ```
    pub fn all(&self) -> &[Cell] {
        &self.0
    }

    /// Sets a value.
    ///
    /// ```
    /// use solio_catalog::row::{Cell, Cells, column};
    /// let (mut old, mut new) = (Cells::default(), Cells::default());
    /// old.set_text(column::XXH128, "99aa06d3014798d86001c324468d497f");
    /// // The file is as it was: its hash is kept.
    /// new.set(column::XXH128, old.all()[column::XXH128].clone());
    /// assert_eq!(new, old);
    /// new.set(column::XXH128, Cell::Null);
    /// assert_eq!(new.text(column::XXH128), None);
    /// ```
    pub fn set(&mut self, place: usize, cell: Cell) {
        self.0[place] = cell;
    }

    /// Sets a whole number; what is beyond 64 bits with a sign is not known.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_integer(column::VERTICES, 8_usize);
    /// cells.set_integer(column::SIZE, u64::MAX);
    /// assert_eq!(cells.integer(column::VERTICES), Some(8));
    /// assert_eq!(cells.integer(column::SIZE), None);
    /// ```
    pub fn set_integer(&mut self, place: usize, value: impl TryInto<i64>) {
        self.0[place] = value.try_into().map_or(Cell::Null, Cell::Integer);
    }

    /// Sets a number; what is not finite is not known.
    ///
    /// ```
    /// use solio_catalog::row::{Cell, Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_real(column::LATITUDE, 52.525);
    /// // The least x of a mesh without vertices.
    /// cells.set_real(column::MIN_X, f64::INFINITY);
    /// assert_eq!(cells.all()[column::LATITUDE], Cell::Real(52.525));
    /// assert_eq!(cells.all()[column::MIN_X], Cell::Null);
    /// ```
    pub fn set_real(&mut self, place: usize, value: f64) {
        self.0[place] = if value.is_finite() { Cell::Real(value) } else { Cell::Null };
    }

    /// Sets a text.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_text(column::CHANNELS, ["R", "G", "B"].join(","));
    /// cells.set_text(column::COMPRESSION, "zip");
    /// assert_eq!(cells.text(column::CHANNELS), Some("R,G,B"));
    /// ```
    pub fn set_text(&mut self, place: usize, text: impl Into<Box<str>>) {
        self.0[place] = Cell::Text(text.into());
    }

    /// A whole number.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_integer(column::FRAME, -5);
    /// assert_eq!(cells.integer(column::FRAME), Some(-5));
    /// // What is stored as another type is none.
    /// cells.set_text(column::FRAME, "-0005");
    /// assert_eq!(cells.integer(column::FRAME), None);
    /// ```
    pub fn integer(&self, place: usize) -> Option<i64> {
        match self.0[place] {
            Cell::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// A text.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_text(column::TAKEN, "2024-05-01 12:30:00");
    /// let year = cells.text(column::TAKEN).and_then(|taken| taken.get(..4));
    /// assert_eq!((year, cells.text(column::MAKE)), (Some("2024"), None));
    /// ```
    pub fn text(&self, place: usize) -> Option<&str> {
        match &self.0[place] {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Bytes of its texts.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, column};
    /// let mut cells = Cells::default();
    /// cells.set_text(column::KIND, "jpeg");
    /// cells.set_text(column::MODEL, "α7");
    /// cells.set_integer(column::SIZE, 5_000_000);
    /// // Of what a row needs beside its fixed size, to count rows into batches.
    /// assert_eq!(cells.text_bytes(), 4 + 3);
    /// ```
    pub fn text_bytes(&self) -> usize {
        let bytes = |cell: &Cell| if let Cell::Text(text) = cell { text.len() } else { 0 };
        self.0.iter().map(bytes).sum()
    }
}

/// How far a file was looked at: a set of bits in the column `level`.
///
/// ```
/// use solio_catalog::row::Level;
/// let looked = Level::HEAD.with(Level::HASHED);
/// assert_eq!(looked, Level(1 | 8));
/// // Damage was not looked for.
/// assert!(!looked.covers(Level::CHECKED));
/// ```
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
    /// Pixels were unpacked, too, as a check that is deep does.
    pub const UNPACKED: Level = Level(32);
    /// What looks for problems.
    pub const LOOKS: Level = Level(1 | 2 | 4 | 32);
    /// Bits that say which further fields were asked for.
    pub const FIELDS: Level = Level(0xffff_ff00);

    /// Both.
    ///
    /// ```
    /// use solio_catalog::row::Level;
    /// // Asked for by --deep and --check.
    /// let wanted = [Level::DEEP, Level::CHECKED].into_iter().fold(Level::HEAD, Level::with);
    /// assert_eq!(wanted, Level(7));
    /// ```
    #[must_use]
    pub const fn with(self, other: Level) -> Level {
        Level(self.0 | other.0)
    }

    /// This without the steps of another.
    ///
    /// ```
    /// use solio_catalog::row::Level;
    /// assert_eq!(Level(7).without(Level::DEEP), Level(5));
    /// ```
    #[must_use]
    pub const fn without(self, other: Level) -> Level {
        Level(self.0 & !other.0)
    }

    /// Whether a look like this finds all problems that an earlier one found.
    ///
    /// ```
    /// use solio_catalog::row::Level;
    /// let checked = Level::HEAD.with(Level::CHECKED);
    /// assert!(checked.finds_problems_of(checked.with(Level::HASHED)));
    /// assert!(!Level::HEAD.finds_problems_of(checked));
    /// ```
    pub const fn finds_problems_of(self, earlier: Level) -> bool {
        earlier.0 & Level::LOOKS.0 & !self.0 == 0
    }

    /// This look after an earlier one: the steps of both, and the fields of this one if it had any.
    ///
    /// ```
    /// use solio_catalog::row::Level;
    /// let tags = Level(0x100);
    /// let earlier = Level::HEAD.with(Level::HASHED).with(tags);
    /// // A check adds to what is known and keeps the fields …
    /// assert_eq!(Level::CHECKED.after(earlier), earlier.with(Level::CHECKED));
    /// // … and other fields take their place.
    /// assert_eq!(Level(0x200).after(earlier), Level(0x200 | 1 | 8));
    /// ```
    #[must_use]
    pub const fn after(self, earlier: Level) -> Level {
        let fields = if self.0 & Level::FIELDS.0 == 0 { earlier.0 } else { self.0 };
        Level((self.0 | earlier.0) & !Level::FIELDS.0 | fields & Level::FIELDS.0)
    }

    /// Whether a file that was looked at as this says needs no further look for `wanted`.
    ///
    /// ```
    /// use solio_catalog::row::Level;
    /// let known = Level::HEAD.with(Level::HASHED).with(Level(0x300));
    /// assert!(known.covers(Level::HASHED) && !known.covers(Level::DEEP));
    /// // Fields are the same ones or others, never more or fewer.
    /// assert!(known.covers(Level(0x300)) && !known.covers(Level(0x100)));
    /// ```
    pub const fn covers(self, wanted: Level) -> bool {
        let steps = wanted.0 & !Level::FIELDS.0;
        let fields = wanted.0 & Level::FIELDS.0;
        self.0 & steps == steps && (fields == 0 || self.0 & Level::FIELDS.0 == fields)
    }
}

/// A file, and what is known of it.
///
/// ```
/// use solio_catalog::row::{Cells, Row, column};
/// let mut cells = Cells::default();
/// cells.set_integer(column::SIZE, 4_096);
/// // Rows of a folder share its path.
/// let folder = std::sync::Arc::from(&b"/shots/sc010"[..]);
/// let row = Row { folder, name: (*b"a.exr").into(), cells };
/// assert_eq!(row.path(), b"/shots/sc010/a.exr");
/// ```
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
///
/// ```
/// use solio_catalog::row::key;
/// let mut names = [&b"caf\xe9.jpg"[..], b"b.exr", b"B.exr"];
/// names.sort_by_key(|name| key(name));
/// assert_eq!(names, [&b"B.exr"[..], b"b.exr", b"caf\xe9.jpg"]);
/// ```
pub fn key(name: &[u8]) -> Key<'_> {
    (std::str::from_utf8(name).is_err(), name)
}

impl Row {
    /// Where the row stands in the catalogue's order: by folder, then by name.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, Row};
    /// let row = |folder: &[u8], name: &[u8]| Row {
    ///     folder: folder.into(),
    ///     name: name.into(),
    ///     cells: Cells::default(),
    /// };
    /// let mut rows = [row(b"shots-old", b"a"), row(b"shots/sc010", b"a"), row(b"shots", b"z")];
    /// rows.sort_by(|a, b| a.key().cmp(&b.key()));
    /// // What lies in a folder stands together: by path, `shots/z` would be the last.
    /// assert_eq!(rows.map(|row| row.folder.len()), [5, 9, 11]);
    /// ```
    pub fn key(&self) -> (Key<'_>, Key<'_>) {
        (key(&self.folder), key(&self.name))
    }

    /// The path of the file.
    ///
    /// ```
    /// use solio_catalog::row::{Cells, Row};
    /// let folder = std::sync::Arc::from(&b"."[..]);
    /// let row = Row { folder, name: (*b"caf\xe9.jpg").into(), cells: Cells::default() };
    /// // For the system as it is, for people by `names::shown`.
    /// assert_eq!(row.path(), b"./caf\xe9.jpg");
    /// ```
    pub fn path(&self) -> Vec<u8> {
        path_of(&self.folder, &self.name)
    }
}

/// The path of the file `name` in `folder`.
///
/// ```
/// use solio_catalog::row::path_of;
/// assert_eq!(path_of(b"shots", b"a.exr"), b"shots/a.exr");
/// assert_eq!(path_of(b"/", b"a.exr"), b"/a.exr");
/// assert_eq!(path_of(b"", b"a.exr"), b"a.exr");
/// // Roots of Windows.
/// assert_eq!(path_of(b"C:/", b"a.exr"), b"C:/a.exr");
/// assert_eq!(path_of(b"//server/share/", b"a.exr"), b"//server/share/a.exr");
/// // An object whose key has an empty part.
/// assert_eq!(path_of(b"s3://bucket/shots/", b"a.exr"), b"s3://bucket/shots//a.exr");
/// ```
pub fn path_of(folder: &[u8], name: &[u8]) -> Vec<u8> {
    // Of folders roots alone end with a slash. The key of an object may have empty parts: what it lies in
    // may end so as well.
    let is_root = folder.ends_with(b"/") && !folder.windows(3).any(|part| part == b"://");
    let slash: &[u8] = if is_root || folder.is_empty() { b"" } else { b"/" };
    [folder, slash, name].concat()
}
