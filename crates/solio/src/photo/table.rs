//! Metadata of many files as columns with types, a row a file.

use crate::{MetadataOptions, read_metadata_files};
use solio_base::{Error, Limits, Result, Work};
use solio_photo::{Fields, Metadata, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Tags of many files: a row a file in the order given, a column a tag.
///
/// ```
/// # use solio::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [photo, other] = ["a.tif", "b.tif"].map(|name| folder.path().join(name));
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&photo, tiff)?;
/// # solio::write_bytes(&other, b"no photo")?;
/// // A photo, and a file that is none.
/// let fields = ["Orientation".to_owned()];
/// let (limits, work) = (Limits::default(), Work::default());
/// let table = solio::read_metadata_table(&[photo, other], Some(&fields), true, &limits, &work)?;
/// assert_eq!((table.rows, table.columns[0].counts.as_slice()), (2, &[Some(1), None][..]));
/// assert_eq!(table.errors[0].0, 1);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MetadataTable {
    /// How many files there are.
    pub rows: usize,
    /// The tags: the fields asked for in their order, or else all that turned up, by name.
    pub columns: Vec<MetadataColumn>,
    /// Which files could not be read, by row.
    pub errors: Vec<(usize, Error)>,
}

/// The values of one tag in all files.
///
/// ```
/// # use solio::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x02\x01\x03\0\x02\0\0\0\x08\0\x08\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// let fields = ["BitsPerSample".to_owned()];
/// let (limits, work) = (Limits::default(), Work::default());
/// let table = solio::read_metadata_table(&[path], Some(&fields), true, &limits, &work)?;
/// // One file, which has two of them.
/// let bits = &table.columns[0];
/// assert!(bits.counts == [Some(2)] && bits.is_list);
/// assert_eq!(bits.values, solio::ColumnValues::Integers(vec![8, 8]));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug)]
pub struct MetadataColumn {
    /// `DateTimeOriginal` as asked for, or `ExifIFD:DateTimeOriginal`.
    pub name: String,
    /// All values, one row after the other.
    pub values: ColumnValues,
    /// How many of them each row has; `None` where the file has no such tag.
    pub counts: Vec<Option<u32>>,
    /// Whether a row may have several.
    pub is_list: bool,
}

/// Values of one type: the narrowest that holds all of a column without loss.
///
/// ```
/// use solio::ColumnValues;
/// # use solio::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// # let (files, limits, work) = ([path], Limits::default(), Work::default());
/// let fields = ["Orientation".to_owned()];
/// // In words it is text, else a number.
/// let [words, numbers] = [true, false].map(|words| {
///     solio::read_metadata_table(&files, Some(&fields), words, &limits, &work).unwrap()
/// });
/// assert_eq!(words.columns[0].values, ColumnValues::Texts(vec!["Rotate 90 CW".into()]));
/// assert_eq!(numbers.columns[0].values, ColumnValues::Integers(vec![6]));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers, some with fractions.
    Floats(Vec<f64>),
    /// Text, or numbers beside text.
    Texts(Vec<String>),
}

/// Whole numbers up to this one are numbers in floating point too.
const EXACT: u64 = 1 << 53;

impl ColumnValues {
    fn push(&mut self, value: ColumnValues) {
        use ColumnValues::{Floats, Integers, Texts};
        match (&mut *self, value) {
            (Integers(all), Integers(more)) => all.extend(more),
            (Floats(all), Floats(more)) => all.extend(more),
            (Texts(all), Texts(more)) => all.extend(more),
            (Texts(all), more) => all.extend(more.into_texts()),
            (_, more) => {
                let own = std::mem::replace(self, Integers(Vec::new()));
                let (mut own, more) = match (own.into_floats(), more.into_floats()) {
                    (Ok(own), Ok(more)) => (own, more),
                    (own, more) => (
                        Texts(own.unwrap_or_else(|it| it).into_texts()),
                        Texts(more.unwrap_or_else(|it| it).into_texts()),
                    ),
                };
                own.push(more);
                *self = own;
            }
        }
    }

    /// As floating point, or itself where that would lose something.
    fn into_floats(self) -> std::result::Result<Self, Self> {
        match self {
            ColumnValues::Integers(all) if all.iter().all(|v| v.unsigned_abs() <= EXACT) => {
                Ok(ColumnValues::Floats(all.into_iter().map(|v| v as f64).collect()))
            }
            ColumnValues::Floats(_) => Ok(self),
            other => Err(other),
        }
    }

    fn into_texts(self) -> Vec<String> {
        match self {
            ColumnValues::Integers(all) => all.iter().map(i64::to_string).collect(),
            ColumnValues::Floats(all) => {
                all.into_iter().map(|v| Value::Floats(vec![v]).plain()).collect()
            }
            ColumnValues::Texts(all) => all,
        }
    }

    fn of(value: Value) -> Self {
        match value {
            Value::Ints(all) => ColumnValues::Integers(all),
            Value::Floats(all) => ColumnValues::Floats(all),
            Value::Rationals(_) => {
                let numbers = (0..value.count()).map(|n| value.number(n).unwrap_or(f64::NAN));
                ColumnValues::Floats(numbers.collect())
            }
            Value::List(all) => {
                let mut values = ColumnValues::Integers(Vec::new());
                for one in all {
                    // A list within the list is one of its values.
                    let one = match one {
                        Value::List(_) => Value::Text(one.plain()),
                        other => other,
                    };
                    values.push(ColumnValues::of(one));
                }
                values
            }
            other => ColumnValues::Texts(vec![other.plain()]),
        }
    }

    fn len(&self) -> usize {
        match self {
            ColumnValues::Integers(all) => all.len(),
            ColumnValues::Floats(all) => all.len(),
            ColumnValues::Texts(all) => all.len(),
        }
    }
}

impl MetadataColumn {
    fn new(name: String) -> Self {
        let values = ColumnValues::Integers(Vec::new());
        MetadataColumn { name, values, counts: Vec::new(), is_list: false }
    }

    /// Puts `value` at `row`; rows in between have none.
    fn put(&mut self, row: usize, value: Value) {
        if self.counts.len() > row {
            return; // the first of a name counts
        }
        let is_list = matches!(value, Value::List(_));
        let values = ColumnValues::of(value);
        self.counts.resize(row, None);
        self.counts.push(Some(values.len() as u32));
        self.is_list |= is_list || values.len() != 1;
        self.values.push(values);
    }
}

/// Reads many files into a table. `fields`: `None` for all tags; the names are those of
/// [`Fields::of`]. `words`: values in words as [`Tag::text`](solio_photo::Tag::text) has them,
/// else numbers. A file that cannot be read has an empty row and an error.
///
/// ```
/// # use solio::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// solio::write_bytes(&at("a.obj"), b"# by hand\nv 0 0 0\n")?;
/// solio::write_bytes(&at("b.pbrt"), b"Film \"rgb\" \"integer xresolution\" 640\nWorldBegin\n")?;
/// let files = [at("a.obj"), at("b.pbrt")];
/// // All that turns up in any of them, by name.
/// let table =
///     solio::read_metadata_table(&files, None, true, &Limits::default(), &Work::default())?;
/// let film = table.columns.iter().find(|column| column.name == "PBRT:FilmXresolution").unwrap();
/// assert_eq!(film.counts, [None, Some(1)]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_metadata_table(
    files: &[PathBuf],
    fields: Option<&[String]>,
    words: bool,
    limits: &Limits,
    work: &Work,
) -> Result<MetadataTable> {
    let wanted = fields.map_or_else(Fields::all, Fields::of);
    let named = fields.filter(|fields| !has_wildcard(fields));
    let mut table = MetadataTable::default();
    let mut places = HashMap::<String, usize>::new();
    for name in named.unwrap_or_default() {
        places.insert(name.clone(), table.columns.len());
        table.columns.push(MetadataColumn::new(name.clone()));
    }
    let show = |_: &Path, read: Result<Metadata>, row: &mut Option<_>| {
        *row = Some(read.map(|read| tag_values(&read, named, words)));
    };
    let mut put = |row: Result<Vec<(String, Value)>>| {
        match row {
            Ok(row) => {
                for (name, value) in row {
                    let place = *places.entry(name).or_insert_with_key(|name| {
                        table.columns.push(MetadataColumn::new(name.clone()));
                        table.columns.len() - 1
                    });
                    table.columns[place].put(table.rows, value);
                }
            }
            Err(error) => table.errors.push((table.rows, error)),
        }
        table.rows += 1;
    };
    let each = |rows: &mut [Option<_>]| {
        rows.iter_mut().filter_map(Option::take).for_each(&mut put);
        Ok(())
    };
    let options = MetadataOptions { fields: wanted, limits: *limits, ..MetadataOptions::default() };
    read_metadata_files(files, &options, work, show, each)?;
    if named.is_none() {
        table.columns.sort_by(|a, b| a.name.cmp(&b.name));
    }
    for column in &mut table.columns {
        column.counts.resize(table.rows, None);
        if column.values.len() == 0 {
            column.values = ColumnValues::Texts(Vec::new()); // what tags are most often
        }
    }
    Ok(table)
}

/// Whether a field stands for several tags.
fn has_wildcard(fields: &[String]) -> bool {
    fields.iter().any(|field| field.ends_with('*'))
}

/// Names and values of one file: those of the `named` fields, or all, each with its group, where
/// none are named or one stands for several (`GPS:*`).
///
/// ```
/// use solio::photo::{Fields, Value};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// let ifd0 = Fields::of(["IFD0:*"]);
/// let metadata = solio::read_metadata(&path, &ifd0, &Default::default(), &Default::default())?;
/// let values = solio::tag_values(&metadata, None, false);
/// assert_eq!(values, [("IFD0:Orientation".to_owned(), Value::Ints(vec![6]))]);
/// // Names as asked for; what is not there is left out.
/// let named = ["Orientation".to_owned(), "ISO".to_owned()];
/// assert_eq!(solio::tag_values(&metadata, Some(&named), true)[0].0, "Orientation");
/// # Ok::<(), solio::Error>(())
/// ```
pub fn tag_values(
    metadata: &Metadata,
    named: Option<&[String]>,
    words: bool,
) -> Vec<(String, Value)> {
    let Some(named) = named.filter(|named| !has_wildcard(named)) else {
        let name = |tag: &solio_photo::Tag| format!("{}:{}", tag.group, tag.name);
        let tags = metadata.distinct_tags().into_iter();
        return tags.map(|tag| (name(tag), tag.typed(words))).collect();
    };
    let cell = |name: &String| metadata.get(name).map(|tag| (name.clone(), tag.typed(words)));
    named.iter().filter_map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_io::probe::write_plain;

    /// A TIFF file with one directory: numbers of tags, types, counts, values of four bytes.
    fn tiff(entries: &[(u16, u16, u32, [u8; 4])]) -> Vec<u8> {
        let mut bytes = b"II*\0\x08\0\0\0".to_vec();
        bytes.extend((entries.len() as u16).to_le_bytes());
        for (tag, kind, count, value) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            bytes.extend(value);
        }
        bytes.extend([0; 4]);
        bytes
    }

    #[test]
    fn columns_have_the_narrowest_type_and_rows_that_fit() {
        let folder = tempfile::tempdir().unwrap();
        let contents = [
            tiff(&[(0x100, 3, 1, [8, 0, 0, 0]), (0x10f, 2, 3, *b"ab\0\0")]),
            b"nothing known".to_vec(),
            tiff(&[(0x100, 3, 1, [9, 0, 0, 0]), (0x102, 3, 2, [8, 0, 8, 0])]),
        ];
        let mut files = Vec::new();
        for (n, bytes) in contents.iter().enumerate() {
            files.push(folder.path().join(format!("{n}.tif")));
            write_plain(&files[n], bytes).unwrap();
        }
        let (limits, work) = (Limits::default(), Work::default());
        let fields = ["ImageWidth", "Make", "BitsPerSample"].map(str::to_owned);
        let table = read_metadata_table(&files, Some(&fields), true, &limits, &work).unwrap();
        assert_eq!(table.rows, 3);
        assert_eq!(table.errors.len(), 1);
        assert_eq!(table.errors[0].0, 1);
        let [width, make, bits] = &table.columns[..] else { panic!("three columns") };
        assert_eq!(width.values, ColumnValues::Integers(vec![8, 9]));
        assert_eq!(width.counts, [Some(1), None, Some(1)]);
        assert!(!width.is_list && bits.is_list);
        assert_eq!(make.values, ColumnValues::Texts(vec!["ab".into()]));
        assert_eq!(bits.values, ColumnValues::Integers(vec![8, 8]));
        assert_eq!(bits.counts, [None, None, Some(2)]);

        let none = ["ISO".to_owned()];
        let table = read_metadata_table(&files, Some(&none), true, &limits, &work).unwrap();
        assert_eq!(table.columns[0].values, ColumnValues::Texts(Vec::new()));

        let all = read_metadata_table(&files, None, false, &limits, &work).unwrap();
        let names: Vec<&str> = all.columns.iter().map(|c| c.name.as_str()).collect();
        assert!(names.contains(&"IFD0:ImageWidth") && names.is_sorted());
        assert!(all.columns.iter().all(|column| column.counts.len() == 3));
    }

    #[test]
    fn a_wildcard_among_the_names_gives_all_tags_that_were_read() {
        let fields = ["IFD0:*".to_owned()];
        let bytes = tiff(&[(0x100, 3, 1, [8, 0, 0, 0]), (0x10f, 2, 3, *b"ab\0\0")]);
        let options =
            solio_photo::ReadOptions { fields: Fields::of(&fields), ..Default::default() };
        let metadata = solio_photo::decode_metadata(&bytes[..], &options).unwrap();
        let values = tag_values(&metadata, Some(&fields), true);
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["IFD0:ImageWidth", "IFD0:Make"]);
    }

    #[test]
    fn types_widen_without_loss() {
        let mut column = MetadataColumn::new("X".into());
        column.put(0, Value::Ints(vec![3]));
        column.put(1, Value::Floats(vec![0.5]));
        assert_eq!(column.values, ColumnValues::Floats(vec![3.0, 0.5]));
        column.put(2, Value::Text("many".into()));
        assert_eq!(
            column.values,
            ColumnValues::Texts(["3", "0.5", "many"].map(str::to_owned).into())
        );
        let mut column = MetadataColumn::new("Y".into());
        column.put(0, Value::Ints(vec![i64::MAX]));
        column.put(2, Value::Rationals(vec![(1, 4)]));
        let texts = ["9223372036854775807", "0.25"].map(str::to_owned);
        assert_eq!(column.values, ColumnValues::Texts(texts.into()));
        assert_eq!(column.counts, [Some(1), None, Some(1)]);
    }
}
