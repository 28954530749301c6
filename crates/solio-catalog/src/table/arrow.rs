//! Rows as record batches of Arrow.

use super::fields::{ColumnKind, FieldValue, fields, values};
use crate::row::Row;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use std::sync::{Arc, LazyLock};

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let fields = fields().map(|field| {
        let kind = match field.kind {
            ColumnKind::Integer => DataType::Int64,
            ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            ColumnKind::Real => DataType::Float64,
            ColumnKind::Text => DataType::Utf8,
            ColumnKind::Bytes => DataType::Binary,
        };
        Field::new(field.name, kind, field.nullable)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
});

/// The columns of every batch.
pub fn schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

enum ColumnBuilder {
    Integer(Int64Builder),
    Time(TimestampMicrosecondBuilder),
    Real(Float64Builder),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
}

/// Rows on their way to become a record batch.
pub struct Batch {
    columns: Vec<ColumnBuilder>,
    rows: usize,
}

impl Default for Batch {
    fn default() -> Self {
        let columns = fields().map(|field| match field.kind {
            ColumnKind::Integer => ColumnBuilder::Integer(Int64Builder::new()),
            ColumnKind::Time => ColumnBuilder::Time(TimestampMicrosecondBuilder::new()),
            ColumnKind::Real => ColumnBuilder::Real(Float64Builder::new()),
            ColumnKind::Text => ColumnBuilder::Text(StringBuilder::new()),
            ColumnKind::Bytes => ColumnBuilder::Bytes(BinaryBuilder::new()),
        });
        Batch { columns: columns.collect(), rows: 0 }
    }
}

impl Batch {
    /// Rows so far.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Takes in a row.
    pub fn push(&mut self, row: &Row) {
        self.rows += 1;
        for (column, value) in self.columns.iter_mut().zip(values(row)) {
            match (column, value) {
                (ColumnBuilder::Integer(column), FieldValue::Integer(value)) => {
                    column.append_value(value)
                }
                (ColumnBuilder::Time(column), FieldValue::Integer(value)) => {
                    column.append_value(value)
                }
                (ColumnBuilder::Real(column), FieldValue::Real(value)) => {
                    column.append_value(value)
                }
                (ColumnBuilder::Text(column), FieldValue::Text(value)) => {
                    column.append_value(value)
                }
                (ColumnBuilder::Bytes(column), FieldValue::Bytes(value)) => {
                    column.append_value(value)
                }
                // Nothing, or what is of another type than its column, which is not known then.
                (ColumnBuilder::Integer(column), _) => column.append_null(),
                (ColumnBuilder::Time(column), _) => column.append_null(),
                (ColumnBuilder::Real(column), _) => column.append_null(),
                (ColumnBuilder::Text(column), _) => column.append_null(),
                (ColumnBuilder::Bytes(column), _) => column.append_null(),
            }
        }
    }

    /// The batch; the next rows begin a new one.
    pub fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let columns = self.columns.iter_mut().map(|column| -> ArrayRef {
            match column {
                ColumnBuilder::Time(column) => Arc::new(column.finish().with_timezone("UTC")),
                ColumnBuilder::Integer(column) => ArrayBuilder::finish(column),
                ColumnBuilder::Real(column) => ArrayBuilder::finish(column),
                ColumnBuilder::Text(column) => ArrayBuilder::finish(column),
                ColumnBuilder::Bytes(column) => ArrayBuilder::finish(column),
            }
        });
        RecordBatch::try_new(schema(), columns.collect())
            .expect("the builders are those of the schema")
    }
}
