//! Parquet files of rows, read.

use super::fields::LEAD_COLUMNS;
use super::parquet::{MOUNTED, columns, failed};
use crate::row::{COLUMNS, Cell, Cells, Row, Type};
use crate::store::Mounted;
use bytes::Bytes;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use solio_base::{Error, Result, Source};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// So many of [`COLUMNS`] had the first version.
const OLDEST_COLUMNS: usize = 30;
/// Rows that are read at once.
const BATCH_ROWS: usize = 8192;

/// Reads the rows of a file that [`ParquetWriter`](super::ParquetWriter) wrote.
pub struct ParquetRows {
    file: SerializedFileReader<OfSource>,
    /// The group of rows that comes next. After an error the rows are not read on.
    group: usize,
    /// The columns of the group that is being read, and how many of its rows are left.
    columns: Vec<ColumnReader>,
    left: usize,
    ready: VecDeque<Row>,
    /// The columns that are read; `None`: all.
    wanted: Option<Vec<usize>>,
}

impl Iterator for ParquetRows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        self.row().transpose()
    }
}

impl ParquetRows {
    /// Opens a file.
    ///
    /// # Errors
    /// `Corrupt` for what is no Parquet file, `Unsupported` for one with other columns.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        ParquetRows::with(source, None)
    }

    /// The same; of the columns only those at these `places` are read, the others stay empty.
    ///
    /// # Errors
    /// Those of [`ParquetRows::open`].
    pub fn of_columns(source: Arc<dyn Source>, places: &[usize]) -> Result<Self> {
        ParquetRows::with(source, Some(places.to_vec()))
    }

    fn with(source: Arc<dyn Source>, wanted: Option<Vec<usize>>) -> Result<Self> {
        let read = || SerializedFileReader::new(OfSource(source)).map_err(failed);
        let file = guarded(read)?;
        let found = file.metadata().file_metadata().schema();
        // Earlier versions had the first of the columns.
        let own = columns().map_err(failed)?;
        let is_known = own.get_fields().starts_with(found.get_fields())
            && found.get_fields().len() >= LEAD_COLUMNS + OLDEST_COLUMNS;
        if !is_known {
            let message = "its columns are not those of a catalogue of this version";
            return Err(Error::unsupported(message).hint("solio scan --rebuild makes it anew"));
        }
        let (columns, ready) = (Vec::new(), VecDeque::new());
        Ok(ParquetRows { file, group: 0, columns, left: 0, ready, wanted })
    }

    /// What the rows lie on, as far as the file says so.
    pub fn mounted(&self) -> Mounted {
        let pairs = self.file.metadata().file_metadata().key_value_metadata();
        let own = pairs.into_iter().flatten().find(|pair| pair.key == MOUNTED);
        let text = own.and_then(|pair| pair.value.as_deref());
        text.map_or_else(Mounted::default, Mounted::from_json)
    }

    /// Whether a Parquet file is a catalogue of any version: the first columns are those of one.
    ///
    /// # Errors
    /// `Corrupt` for what is no Parquet file.
    pub fn is_catalog(source: Arc<dyn Source>) -> Result<bool> {
        let read = || SerializedFileReader::new(OfSource(source)).map_err(failed);
        let file = guarded(read)?;
        let found = file.metadata().file_metadata().schema();
        let own = columns().map_err(failed)?;
        let own = own.get_fields().get(..=LEAD_COLUMNS).unwrap_or_default();
        Ok(found.get_fields().starts_with(own))
    }

    fn row(&mut self) -> Result<Option<Row>> {
        while self.ready.is_empty() {
            if self.left == 0 {
                if self.group == self.file.num_row_groups() {
                    return Ok(None);
                }
                guarded(|| self.next_group())?;
            }
            let rows = self.left.min(BATCH_ROWS);
            self.left -= rows;
            self.ready =
                guarded(|| read_rows(&mut self.columns, rows, self.wanted.as_deref()))?.into();
        }
        Ok(self.ready.pop_front())
    }

    fn next_group(&mut self) -> Result<()> {
        let group = self.file.get_row_group(self.group).map_err(failed)?;
        self.left = usize::try_from(group.metadata().num_rows())
            .map_err(|_| Error::corrupt(format!("group {} has less than no rows", self.group)))?;
        let columns = 0..group.num_columns();
        let columns = columns.map(|i| group.get_column_reader(i)).collect();
        self.columns = std::result::Result::map_err(columns, failed)?;
        self.group += 1;
        Ok(())
    }
}

/// The crate ends in a panic at some damaged pages, and what unpacks them where it gets no memory.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let message = "its pages are damaged, or there was no memory to unpack them";
        Err(Error::corrupt(message))
    })
}

/// A column of some rows: `None` where a row has no value.
fn read_column<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<impl Iterator<Item = Option<T::T>>> {
    let (mut values, mut present) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let read = reader.read_records(rows, Some(&mut present), None, &mut values);
    let (records, _, _) = read.map_err(failed)?;
    let expected =
        if present.is_empty() { rows } else { present.iter().filter(|level| **level > 0).count() };
    if records != rows || values.len() != expected {
        return Err(Error::corrupt(format!("a column has {records} of {rows} rows")));
    }
    let mut values = values.into_iter();
    Ok((0..rows).map(move |i| match present.get(i) {
        Some(0) => None,
        _ => values.next(),
    }))
}

fn bytes_of(
    reader: &mut ColumnReader,
    rows: usize,
) -> Result<impl Iterator<Item = Option<ByteArray>>> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => read_column(reader, rows),
        _ => Err(Error::corrupt("a column of text has another type")),
    }
}

/// The next rows of all columns.
fn read_rows(
    columns: &mut [ColumnReader],
    rows: usize,
    wanted: Option<&[usize]>,
) -> Result<Vec<Row>> {
    let Some((lead, columns)) = columns.split_at_mut_checked(LEAD_COLUMNS) else {
        return Err(Error::corrupt("a group has too few columns"));
    };
    let mut read = read_names(lead, rows)?;
    for (place, (kind, reader)) in COLUMNS.iter().map(|c| c.kind).zip(columns).enumerate() {
        if wanted.is_some_and(|wanted| !wanted.contains(&place)) {
            continue;
        }
        let rows_of_it = read.iter_mut();
        match (kind, reader) {
            (Type::Integer, ColumnReader::Int64ColumnReader(reader)) => {
                let values = read_column(reader, rows)?.map(|value| value.map(Cell::Integer));
                set(rows_of_it, place, values.map(Ok))?;
            }
            (Type::Real, ColumnReader::DoubleColumnReader(reader)) => {
                let values = read_column(reader, rows)?.map(|value| value.map(Cell::Real));
                set(rows_of_it, place, values.map(Ok))?;
            }
            (Type::Text, reader) => {
                let values = bytes_of(reader, rows)?;
                let text = |value: ByteArray| Ok(Cell::Text(text(&value)?.into()));
                set(rows_of_it, place, values.map(|value| value.map(text).transpose()))?;
            }
            _ => return Err(Error::corrupt("a column of numbers has another type")),
        }
    }
    Ok(read)
}

fn set<'r>(
    rows: impl Iterator<Item = &'r mut Row>,
    place: usize,
    values: impl Iterator<Item = Result<Option<Cell>>>,
) -> Result<()> {
    for (row, value) in rows.zip(values) {
        if let Some(cell) = value? {
            row.cells.set(place, cell);
        }
    }
    Ok(())
}

fn text(value: &ByteArray) -> Result<&str> {
    value.as_utf8().map_err(|_| Error::corrupt("a text is not UTF-8"))
}

/// Rows with their folder and name; nothing else of them is known yet.
fn read_names(lead: &mut [ColumnReader], rows: usize) -> Result<Vec<Row>> {
    let [path, path_bytes, folder, folder_bytes, name, modified] = lead else {
        return Err(Error::corrupt("a group has too few columns"));
    };
    // What is shown of it, and the time in microseconds, follow from the rest of the row: read past.
    bytes_of(path, rows).map(drop)?;
    if let ColumnReader::Int64ColumnReader(reader) = modified {
        read_column(reader, rows).map(drop)?;
    }
    let (mut folders, mut names) = (bytes_of(folder, rows)?, bytes_of(name, rows)?);
    let (mut paths, mut exact) = (bytes_of(path_bytes, rows)?, bytes_of(folder_bytes, rows)?);
    let mut last: Arc<[u8]> = Arc::default();
    let mut read = Vec::with_capacity(rows);
    for _ in 0..rows {
        let (Some(folder), Some(name)) = (folders.next().flatten(), names.next().flatten()) else {
            return Err(Error::corrupt("a row has no name"));
        };
        let exact_folder = exact.next().flatten();
        let own = match &exact_folder {
            Some(bytes) => bytes.data(),
            None => text(&folder)?.as_bytes(),
        };
        if *last != *own {
            last = own.into();
        }
        // The name is what is left of the path, byte by byte.
        let exact_path = paths.next().flatten();
        let name = match &exact_path {
            None => text(&name)?.as_bytes(),
            Some(path) => {
                let rest = path.data().strip_prefix(own).unwrap_or(path.data());
                rest.strip_prefix(b"/").unwrap_or(rest)
            }
        };
        read.push(Row { folder: Arc::clone(&last), name: name.into(), cells: Cells::default() });
    }
    Ok(read)
}

/// A source as `parquet` wants it.
struct OfSource(Arc<dyn Source>);

impl Length for OfSource {
    fn len(&self) -> u64 {
        self.0.len_bytes().unwrap_or(0)
    }
}

impl ChunkReader for OfSource {
    type T = ReadFrom;

    fn get_read(&self, start: u64) -> std::result::Result<ReadFrom, ParquetError> {
        Ok(ReadFrom { source: Arc::clone(&self.0), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> std::result::Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.len());
        if end.is_none() {
            return Err(ParquetError::EOF(format!("byte {start}: {length} bytes go past the end")));
        }
        let mut bytes = vec![0; length];
        let mut read = ReadFrom { source: Arc::clone(&self.0), at: start };
        read.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a place.
struct ReadFrom {
    source: Arc<dyn Source>,
    at: u64,
}

impl Read for ReadFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.source.read_at(self.at, buffer).map_err(io::Error::other)?;
        self.at += got as u64;
        Ok(got)
    }
}
