//! Parquet files of rows, written.
//!
//! Columns are written through the crate's plain interface, without Arrow between, which keeps the
//! program small (decision 0015).

use super::fields::{ColumnKind, FieldValue, fields, values};
use crate::row::Row;
use crate::store::Mounted;
use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use solio_base::{Error, Result, Sink, Work};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

/// The key of volumes and places in the footer.
pub(super) const MOUNTED: &str = "solio.volumes";
/// Rows that are compressed together; a reader skips groups that have nothing it asks for.
const GROUP_ROWS: usize = 100_000;

/// The columns as Parquet has them.
pub(super) fn columns() -> std::result::Result<TypePtr, ParquetError> {
    let columns = fields().map(|field| {
        let (physical, logical) = match field.kind {
            ColumnKind::Integer => (Physical::INT64, None),
            ColumnKind::Time => {
                (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS)))
            }
            ColumnKind::Real => (Physical::DOUBLE, None),
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Bytes => (Physical::BYTE_ARRAY, None),
        };
        let repetition = if field.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let column = Type::primitive_type_builder(field.name, physical);
        column.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
    });
    let columns = columns.collect::<std::result::Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(columns).build().map(Arc::new)
}

/// Writes rows to a sink.
pub struct ParquetWriter<'s> {
    writer: SerializedFileWriter<BufWriter<ToSink<'s>>>,
    columns: Vec<ParquetColumn>,
    rows: usize,
}

/// A column of the rows that wait for their group to be full.
struct ParquetColumn {
    values: ParquetValues,
    /// 1 where a row has a value, 0 where it has none; `None` where every row has one.
    present: Option<Vec<i16>>,
}

/// Only those that are there.
enum ParquetValues {
    Integer(Vec<i64>),
    Real(Vec<f64>),
    /// One behind the other, and where each ends.
    Bytes(Vec<u8>, Vec<usize>),
}

impl ParquetColumn {
    fn push(&mut self, value: FieldValue<'_>) {
        let is_there = match (&mut self.values, value) {
            (ParquetValues::Integer(values), FieldValue::Integer(value)) => {
                values.push(value);
                true
            }
            (ParquetValues::Real(values), FieldValue::Real(value)) => {
                values.push(value);
                true
            }
            (ParquetValues::Bytes(bytes, ends), FieldValue::Text(text)) => {
                bytes.extend_from_slice(text.as_bytes());
                ends.push(bytes.len());
                true
            }
            (ParquetValues::Bytes(bytes, ends), FieldValue::Bytes(value)) => {
                bytes.extend_from_slice(&value);
                ends.push(bytes.len());
                true
            }
            // Nothing, or what is of another type than its column, which is not known then.
            _ => false,
        };
        if let Some(present) = &mut self.present {
            present.push(i16::from(is_there));
        }
    }

    /// Writes what was gathered, which is none then.
    fn write(
        &mut self,
        writer: &mut SerializedColumnWriter<'_>,
    ) -> std::result::Result<usize, ParquetError> {
        let present = self.present.as_deref();
        let written = match &mut self.values {
            ParquetValues::Integer(values) => {
                let written = writer.typed::<Int64Type>().write_batch(values, present, None);
                values.clear();
                written
            }
            ParquetValues::Real(values) => {
                let written = writer.typed::<DoubleType>().write_batch(values, present, None);
                values.clear();
                written
            }
            ParquetValues::Bytes(bytes, ends) => {
                let bytes = Bytes::from(std::mem::take(bytes));
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let parts = starts.zip(&*ends).map(|(start, end)| bytes.slice(start..*end).into());
                let parts: Vec<ByteArray> = parts.collect();
                ends.clear();
                writer.typed::<ByteArrayType>().write_batch(&parts, present, None)
            }
        };
        if let Some(present) = &mut self.present {
            present.clear();
        }
        written
    }
}

/// A sink as `parquet` wants it.
struct ToSink<'s> {
    sink: &'s mut dyn Sink,
    work: &'s Work,
}

impl Write for ToSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_bytes(self.work, bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What `parquet` says, or what our own source or sink said through it.
pub(super) fn failed(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => of_io(*error),
            Err(inner) => Error::corrupt(inner.to_string()),
        },
        other => Error::corrupt(other.to_string()),
    }
}

/// Our own error inside one of the system.
fn of_io(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) => Error::io("write", error),
    }
}

impl<'s> ParquetWriter<'s> {
    /// Begins a file.
    pub fn new(sink: &'s mut dyn Sink, work: &'s Work) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by("solio".into())
            .build();
        let sink = BufWriter::with_capacity(1 << 20, ToSink { sink, work });
        let schema = columns().map_err(failed)?;
        let writer = SerializedFileWriter::new(sink, schema, properties.into()).map_err(failed)?;
        let columns = fields().map(|field| ParquetColumn {
            values: match field.kind {
                ColumnKind::Integer | ColumnKind::Time => ParquetValues::Integer(Vec::new()),
                ColumnKind::Real => ParquetValues::Real(Vec::new()),
                ColumnKind::Text | ColumnKind::Bytes => {
                    ParquetValues::Bytes(Vec::new(), Vec::new())
                }
            },
            present: field.nullable.then(Vec::new),
        });
        Ok(ParquetWriter { writer, columns: columns.collect(), rows: 0 })
    }

    /// Keeps what the rows lie on, in the footer.
    pub fn set_mounted(&mut self, mounted: &Mounted) {
        if !mounted.places.is_empty() {
            let text = KeyValue::new(MOUNTED.to_owned(), mounted.to_json());
            self.writer.append_key_value_metadata(text);
        }
    }

    /// Takes in a row; they come in the catalogue's order.
    pub fn push(&mut self, row: &Row) -> Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values(row)) {
            column.push(value);
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.write_group().map_err(failed) } else { Ok(()) }
    }

    fn write_group(&mut self) -> std::result::Result<(), ParquetError> {
        self.rows = 0;
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Writes what is left, and the footer.
    pub fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(failed)?;
        }
        self.writer.close().map(drop).map_err(failed)
    }
}
