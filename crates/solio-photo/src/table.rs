//! Tables of tags: text files beside the code, parsed when a file first needs them.
//!
//! One line a tag, four columns parted by tabs: number, name, how it is stored (`-`: as the file
//! says), rule. Lines that start with `#` name the sources.

use crate::rule::Rule;
use std::sync::OnceLock;

/// A table that is parsed at its first use: some tens of microseconds, once a process.
pub(crate) struct Lazy {
    text: &'static str,
    table: OnceLock<Table>,
}

impl Lazy {
    pub(crate) const fn new(text: &'static str) -> Self {
        Lazy { text, table: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> &Table {
        self.table.get_or_init(|| Table::parse(self.text))
    }
}

/// Tags by number.
pub(crate) struct Table {
    rows: Vec<Row>,
}

/// What is known of one tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: u32,
    pub(crate) name: &'static str,
    /// The type to read it as, where that differs from what the file says: `int16s`, `undef`.
    pub(crate) stored: Option<&'static str>,
    pub(crate) rule: Rule,
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut rows: Vec<Row> =
            text.lines().filter(|line| !line.starts_with('#')).filter_map(Row::parse).collect();
        rows.sort_by_key(|row| row.id);
        Table { rows }
    }

    /// The tag of number `id`.
    pub(crate) fn row(&self, id: u32) -> Option<&Row> {
        let found = self.rows.binary_search_by_key(&id, |row| row.id).ok()?;
        Some(&self.rows[found])
    }

    /// All tags, by number.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }
}

impl Row {
    fn parse(line: &'static str) -> Option<Row> {
        let mut columns = line.split('\t');
        let id = columns.next()?;
        let id = match id.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None if id.bytes().all(|b| b.is_ascii_digit()) => id.parse().ok()?,
            // Four letters, as boxes and chunks are named.
            None => u32::from_be_bytes(id.as_bytes().try_into().ok()?),
        };
        let name = columns.next()?;
        let stored = columns.next().filter(|text| *text != "-");
        let rule = Rule::parse(columns.next().unwrap_or("-"))?;
        Some(Row { id, name, stored, rule })
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub(crate) static $name: Lazy =
            Lazy::new(include_str!(concat!("../tables/", $file)));)*

        /// The table of the file `name`.tsv.
        pub(crate) fn named(name: &str) -> Option<&'static Lazy> {
            $(if $file.strip_suffix(".tsv") == Some(name) { return Some(&$name); })*
            None
        }

        #[cfg(test)]
        const ALL: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("../tables/", $file)))),*];
    };
}

tables! {
    /// EXIF and TIFF directories.
    EXIF = "exif.tsv";
    /// The GPS directory.
    GPS = "gps.tsv";
    /// IPTC records; numbers are record × 256 + dataset.
    IPTC = "iptc.tsv";
    /// ICC profiles.
    ICC = "icc.tsv";
    /// Photoshop's image resources.
    PHOTOSHOP = "photoshop.tsv";
    /// Apple's maker notes.
    APPLE = "apple.tsv";
    /// FujiFilm's maker notes.
    FUJIFILM = "fujifilm.tsv";
    /// Panasonic's maker notes.
    PANASONIC = "panasonic.tsv";
    /// User data of movies.
    USER_DATA = "user_data.tsv";
    /// Items of iTunes' list.
    ITEM_LIST = "item_list.tsv";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_understood() {
        for (file, text) in ALL {
            let mut seen = std::collections::BTreeMap::new();
            for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
                let row = Row::parse(line);
                let row = row.unwrap_or_else(|| panic!("{file}:{}: {line}", n + 1));
                assert!(!row.name.is_empty() && !row.name.contains(' '), "{file}:{}", n + 1);
                if let Rule::Record(name) | Rule::Directory(name) = row.rule {
                    assert!(named(name).is_some(), "{file}:{}: no table {name}", n + 1);
                }
                let twice = seen.insert(row.id, n + 1);
                assert_eq!(twice, None, "{file}:{}: the number is there twice", n + 1);
            }
            assert!(text.starts_with("# "), "{file} names its sources");
        }
    }
}
