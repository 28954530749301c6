//! Rows as record batches of Arrow.

use super::fields::{Kind, Value, fields, values};
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
            Kind::Integer => DataType::Int64,
            Kind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Kind::Real => DataType::Float64,
            Kind::Text => DataType::Utf8,
            Kind::Bytes => DataType::Binary,
        };
        Field::new(field.name, kind, field.nullable)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
});

/// The columns of every batch.
pub fn schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

enum Builder {
    Integer(Int64Builder),
    Time(TimestampMicrosecondBuilder),
    Real(Float64Builder),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
}

/// Rows on their way to become a record batch.
pub struct Batch {
    columns: Vec<Builder>,
    rows: usize,
}

impl Default for Batch {
    fn default() -> Self {
        let columns = fields().map(|field| match field.kind {
            Kind::Integer => Builder::Integer(Int64Builder::new()),
            Kind::Time => Builder::Time(TimestampMicrosecondBuilder::new()),
            Kind::Real => Builder::Real(Float64Builder::new()),
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Bytes => Builder::Bytes(BinaryBuilder::new()),
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
                (Builder::Integer(column), Value::Integer(value)) => column.append_value(value),
                (Builder::Time(column), Value::Integer(value)) => column.append_value(value),
                (Builder::Real(column), Value::Real(value)) => column.append_value(value),
                (Builder::Text(column), Value::Text(value)) => column.append_value(value),
                (Builder::Bytes(column), Value::Bytes(value)) => column.append_value(value),
                // Nothing, or what is of another type than its column, which is not known then.
                (Builder::Integer(column), _) => column.append_null(),
                (Builder::Time(column), _) => column.append_null(),
                (Builder::Real(column), _) => column.append_null(),
                (Builder::Text(column), _) => column.append_null(),
                (Builder::Bytes(column), _) => column.append_null(),
            }
        }
    }

    /// The batch; the next rows begin a new one.
    pub fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let columns = self.columns.iter_mut().map(|column| -> ArrayRef {
            match column {
                Builder::Time(column) => Arc::new(column.finish().with_timezone("UTC")),
                Builder::Integer(column) => ArrayBuilder::finish(column),
                Builder::Real(column) => ArrayBuilder::finish(column),
                Builder::Text(column) => ArrayBuilder::finish(column),
                Builder::Bytes(column) => ArrayBuilder::finish(column),
            }
        });
        RecordBatch::try_new(schema(), columns.collect())
            .expect("the builders are those of the schema")
    }
}
