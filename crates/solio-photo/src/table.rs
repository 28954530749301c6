//! Tables of tags: text files beside the code, parsed when a file first needs them.
//!
//! One line a tag, columns parted by tabs: number (`5&0x0f`: of some bits only), name, how it is
//! stored (`-`: as the file says), rule, and where the line holds only for some cameras or values
//! the condition (see [`When`]). Lines that start with `#` name the sources.
//!
//! A book holds the tables of one maker, each behind a line `[name int16s le low @Group]`: the unit
//! of a record's places, its byte order and its group, where they differ from what is around it;
//! `low`: tags of the same name that were read before count.

mod names;
mod when;

pub(crate) use names::{TableNames, hash};
pub(crate) use when::{When, WhenFacts};

use crate::groups::in_group;
use crate::rule::TagRule;
use solio_container::tiff::{FieldType, tags};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A table that is parsed at its first use: some tens of microseconds, once a process.
pub(crate) struct Lazy {
    text: &'static str,
    table: OnceLock<TagTable>,
    /// What a book's line says of the table.
    pub(crate) head: TableHead,
    /// The book that the table is in.
    pub(crate) book: Option<&'static Book>,
    /// Names of tags: of the table, or of all of its book, as tables lead to others there.
    pub(crate) names: &'static TableNames,
}

/// What differs for a table from what is around it.
#[derive(Clone, Copy, Default)]
pub(crate) struct TableHead {
    /// The unit of places and, if a row says nothing else, the type of numbers.
    pub(crate) unit: Option<FieldType>,
    /// The byte order.
    pub(crate) big: Option<bool>,
    /// The group of its tags.
    pub(crate) group: Option<&'static str>,
    /// Its tags do not stand for those of the same name elsewhere.
    pub(crate) low: bool,
}

impl Lazy {
    pub(crate) const fn new(text: &'static str, names: &'static TableNames) -> Self {
        let head = TableHead { unit: None, big: None, group: None, low: false };
        Lazy { text, table: OnceLock::new(), head, book: None, names }
    }

    pub(crate) fn get(&self) -> &TagTable {
        self.table.get_or_init(|| TagTable::parse(self.text))
    }
}

/// The tables of one maker.
pub(crate) struct Book {
    text: &'static str,
    tables: OnceLock<HashMap<&'static str, Lazy>>,
    names: &'static TableNames,
}

impl Book {
    pub(crate) const fn new(text: &'static str, names: &'static TableNames) -> Self {
        Book { text, tables: OnceLock::new(), names }
    }

    /// The table behind the line `[name …]`.
    pub(crate) fn table(&'static self, name: &str) -> Option<&'static Lazy> {
        self.tables().get(name)
    }

    fn tables(&'static self) -> &'static HashMap<&'static str, Lazy> {
        self.tables.get_or_init(|| {
            let starts = memchr::memmem::find_iter(self.text.as_bytes(), "\n[").map(|at| at + 2);
            let starts: Vec<usize> = starts.collect();
            let ends = starts.iter().skip(1).map(|start| start - 2).chain([self.text.len()]);
            let sections = starts.iter().zip(ends).map(|(start, end)| &self.text[*start..end]);
            sections.filter_map(|section| self.section(section)).collect()
        })
    }

    fn section(&'static self, text: &'static str) -> Option<(&'static str, Lazy)> {
        let (line, rows) = text.split_once('\n').unwrap_or((text, ""));
        let mut words = line.trim_end().strip_suffix(']')?.split(' ');
        let name = words.next()?;
        let mut head = TableHead::default();
        for word in words {
            match word {
                "le" => head.big = Some(false),
                "be" => head.big = Some(true),
                "low" => head.low = true,
                other => match other.strip_prefix('@') {
                    Some(group) => head.group = Some(group),
                    None => head.unit = Some(FieldType::of_name(other)?),
                },
            }
        }
        Some((name, Lazy { head, book: Some(self), ..Lazy::new(rows, self.names) }))
    }

    /// Whether any table has this group as its own.
    pub(crate) fn has_group(&'static self, group: &str) -> bool {
        let own = |table: &Lazy| table.head.group.is_some_and(|own| in_group(own, group));
        self.tables().values().any(own)
    }
}

/// Tags by number.
pub(crate) struct TagTable {
    rows: Vec<TagRow>,
    /// Their numbers: a search touches few lines of the cache.
    ids: Vec<u32>,
}

/// What is known of one tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagRow {
    pub(crate) id: u32,
    pub(crate) name: &'static str,
    /// The type to read it as, where that differs from what the file says: `int16s`, `undef`.
    pub(crate) stored: Option<&'static str>,
    pub(crate) rule: TagRule,
    /// The bits of the number that count; 0: all of them.
    pub(crate) mask: u64,
    /// When the row holds.
    pub(crate) when: Option<When>,
}

impl TagTable {
    fn parse(text: &'static str) -> Self {
        let mut rows: Vec<TagRow> =
            text.lines().filter(|line| !line.starts_with('#')).filter_map(TagRow::parse).collect();
        rows.sort_by_key(|row| row.id);
        let ids = rows.iter().map(|row| row.id).collect();
        TagTable { rows, ids }
    }

    /// The tag of number `id`.
    pub(crate) fn row(&self, id: u32) -> Option<&TagRow> {
        self.rows_of(id).first()
    }

    /// All lines of number `id`, in their order.
    pub(crate) fn rows_of(&self, id: u32) -> &[TagRow] {
        let start = self.ids.partition_point(|other| *other < id);
        let count = self.ids[start..].iter().take_while(|other| **other == id).count();
        &self.rows[start..start + count]
    }

    /// Whether a tag has this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name.eq_ignore_ascii_case(name))
    }

    /// All tags, by number.
    pub(crate) fn rows(&self) -> &[TagRow] {
        &self.rows
    }
}

impl TagRow {
    fn parse(line: &'static str) -> Option<TagRow> {
        // Searchers for text are made for longer ones.
        let cut = |text: &'static str, at: u8| {
            let at = text.bytes().position(|b| b == at);
            at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])))
        };
        let mut rest = Some(line);
        let mut column = || {
            let (column, behind) = cut(rest?, b'\t');
            rest = behind;
            Some(column)
        };
        let (id, mask) = match cut(column()?, b'&') {
            (id, Some(mask)) => (id, u64::from_str_radix(mask.strip_prefix("0x")?, 16).ok()?),
            (id, None) => (id, 0),
        };
        let id = match id.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None if id.bytes().all(|b| b.is_ascii_digit()) => id.parse().ok()?,
            // Four letters, as boxes and chunks are named.
            None => u32::from_be_bytes(id.as_bytes().try_into().ok()?),
        };
        let name = column()?;
        let stored = column().filter(|text| *text != "-");
        let rule = TagRule::parse(column().unwrap_or("-"))?;
        let when = match column() {
            Some(text) => Some(When::parse(text)?),
            None => None,
        };
        Some(TagRow { id, name, stored, rule, mask, when })
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub(crate) static $name: Lazy = {
            const TEXT: &str = include_str!(concat!("../tables/", $file));
            static NAMES: TableNames = TableNames::of(TEXT);
            Lazy::new(TEXT, &NAMES)
        };)*

        /// The table of the file `name`.tsv.
        pub(crate) fn named(name: &str) -> Option<&'static Lazy> {
            $(if $file.strip_suffix(".tsv") == Some(name) { return Some(&$name); })*
            BOOKS.iter().find_map(|(_, book)| book.table(name))
        }

        #[cfg(test)]
        const ALL: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("../tables/", $file)))),*];
    };
}

tables! {
    /// EXIF and TIFF directories.
    EXIF = "exif.tsv";
    /// Keys of GeoTIFF.
    GEOTIFF = "geotiff.tsv";
    /// The GPS directory.
    GPS = "gps.tsv";
    /// IPTC records; numbers are record × 256 + dataset.
    IPTC = "iptc.tsv";
    /// ICC profiles.
    ICC = "icc.tsv";
    /// Photoshop's image resources.
    PHOTOSHOP = "photoshop.tsv";
    /// The list of pictures of a multi-picture file.
    MPF = "mpf.tsv";
    /// Properties of FlashPix.
    FLASHPIX = "flashpix.tsv";
    /// GoPro's settings.
    GOPRO = "gopro.tsv";
    /// FotoStation's trailer.
    FOTO_STATION = "foto_station.tsv";
    /// Photo Mechanic's trailer.
    PHOTO_MECHANIC = "photo_mechanic.tsv";
    /// FujiFilm's directory in front of the raw picture.
    RAF = "raf.tsv";
    /// User data of movies.
    USER_DATA = "user_data.tsv";
    /// Items of iTunes' list.
    ITEM_LIST = "item_list.tsv";
}

macro_rules! books {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub(crate) static $name: Book = {
            const TEXT: &str = include_str!(concat!("../tables/", $file));
            static NAMES: TableNames = TableNames::of(TEXT);
            Book::new(TEXT, &NAMES)
        };)*

        const BOOKS: &[(&str, &Book)] = &[$(($file, &$name)),*];
    };
}

books! {
    /// Headers, chunks, boxes and segments of containers.
    CONTAINERS = "containers.tsv";
    /// Raw files that are not TIFF.
    RAW = "raw.tsv";
    /// Kodak's directories in APP3.
    KODAK_SEGMENT = "kodak_segment.tsv";
    /// Canon's maker notes.
    CANON = "canon.tsv";
    /// Nikon's maker notes.
    NIKON = "nikon.tsv";
    /// Sony's maker notes.
    SONY = "sony.tsv";
    /// Pentax' maker notes.
    PENTAX = "pentax.tsv";
    /// Olympus' maker notes.
    OLYMPUS = "olympus.tsv";
    /// Minolta's maker notes.
    MINOLTA = "minolta.tsv";
    /// Apple's maker notes.
    APPLE = "apple.tsv";
    /// FujiFilm's maker notes.
    FUJIFILM = "fujifilm.tsv";
    /// Panasonic's maker notes.
    PANASONIC = "panasonic.tsv";
    /// Maker notes of several others.
    MAKERS = "makers.tsv";
}

/// Numbers of entries in EXIF's directories that matter where only the tags `named` do: those, and
/// whatever leads elsewhere.
pub(crate) fn exif_ids(named: impl Fn(&str) -> bool) -> Vec<u16> {
    let leads =
        |rule| matches!(rule, TagRule::Record(_) | TagRule::Directory(_) | TagRule::Hook(_));
    let rows = EXIF.get().rows().iter().filter(|row| leads(row.rule) || named(row.name));
    rows.map(|row| row.id as u16).chain(LEADING).collect()
}

/// Directories, blocks, notes of makers, keys of GeoTIFF, and the names of maker and model.
const LEADING: [u16; 16] = [
    tags::EXIF_IFD,
    tags::GPS_IFD,
    tags::SUB_IFDS,
    tags::INTEROP_IFD,
    tags::XMP,
    tags::IPTC,
    tags::PHOTOSHOP,
    tags::ICC_PROFILE,
    tags::PRINT_IM,
    tags::MAKER_NOTE,
    tags::DNG_PRIVATE_DATA,
    tags::MAKE,
    tags::MODEL,
    tags::GEO_KEY_DIRECTORY,
    tags::GEO_DOUBLE_PARAMS,
    tags::GEO_ASCII_PARAMS,
];

/// The last parts of the paths in the table that have a name that is `named`.
pub(crate) fn xmp_ends(named: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let text = include_str!("../tables/xmp.tsv");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let paths = lines.filter_map(|line| {
        let (path, rest) = line.split_once('\t')?;
        named(rest.split('\t').next()?).then_some(path)
    });
    paths.filter_map(|path| path.rsplit([':', '/']).next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, text: &'static str) {
        let mut seen = std::collections::BTreeMap::new();
        for (n, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.is_empty() {
                continue;
            }
            if line.starts_with('[') {
                seen.clear();
                continue;
            }
            let row = TagRow::parse(line);
            let row = row.unwrap_or_else(|| panic!("{file}:{}: {line}", n + 1));
            assert!(!row.name.is_empty() && !row.name.contains(' '), "{file}:{}", n + 1);
            if let TagRule::Record(name) | TagRule::Directory(name) = row.rule {
                assert!(named(name).is_some(), "{file}:{}: no table {name}", n + 1);
            }
            let twice = seen.insert((row.id, row.mask), row.when.is_none());
            assert_ne!(twice, Some(true), "{file}:{}: a line before it always holds", n + 1);
        }
        assert!(text.starts_with("# "), "{file} names its sources");
    }

    #[test]
    fn every_line_of_every_table_is_understood() {
        for (file, text) in ALL {
            check(file, text);
        }
        for (file, book) in BOOKS {
            check(file, book.text);
            let sections = book.text.lines().filter(|line| line.starts_with('[')).count();
            assert_eq!(book.tables().len(), sections, "{file}: lines of tables");
        }
    }
}
