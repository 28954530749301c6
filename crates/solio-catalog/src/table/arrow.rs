//! Rows as record batches of Arrow, and back.

use crate::names::shown;
use crate::row::{COLUMNS, Cell, Cells, Row, Type, column, path_of};
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use solio_base::{Error, Result};
use std::sync::{Arc, LazyLock};

/// Columns before those of [`COLUMNS`].
const LEAD: usize = 6;

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let timestamp = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let mut fields = vec![
        Field::new("path", DataType::Utf8, false),
        Field::new("path_bytes", DataType::Binary, true),
        Field::new("folder", DataType::Utf8, false),
        Field::new("folder_bytes", DataType::Binary, true),
        Field::new("name", DataType::Utf8, false),
        Field::new("modified", timestamp, true),
    ];
    fields.extend(COLUMNS.iter().map(|column| {
        let kind = match column.kind {
            Type::Integer => DataType::Int64,
            Type::Real => DataType::Float64,
            Type::Text => DataType::Utf8,
        };
        Field::new(column.name, kind, true)
    }));
    Arc::new(Schema::new(fields))
});

/// The columns of every batch.
pub fn schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

enum Builder {
    Integer(Int64Builder),
    Real(Float64Builder),
    Text(StringBuilder),
}

/// Rows on their way to become a record batch.
pub struct Batch {
    path: StringBuilder,
    path_bytes: BinaryBuilder,
    folder: StringBuilder,
    folder_bytes: BinaryBuilder,
    name: StringBuilder,
    modified: TimestampMicrosecondBuilder,
    cells: Vec<Builder>,
}

impl Default for Batch {
    fn default() -> Self {
        let builder = |kind| match kind {
            Type::Integer => Builder::Integer(Int64Builder::new()),
            Type::Real => Builder::Real(Float64Builder::new()),
            Type::Text => Builder::Text(StringBuilder::new()),
        };
        Batch {
            path: StringBuilder::new(),
            path_bytes: BinaryBuilder::new(),
            folder: StringBuilder::new(),
            folder_bytes: BinaryBuilder::new(),
            name: StringBuilder::new(),
            modified: TimestampMicrosecondBuilder::new(),
            cells: COLUMNS.iter().map(|column| builder(column.kind)).collect(),
        }
    }
}

fn bytes_where_no_text(name: &[u8]) -> Option<&[u8]> {
    std::str::from_utf8(name).is_err().then_some(name)
}

impl Batch {
    /// Rows so far.
    pub fn len(&self) -> usize {
        self.path.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes in a row.
    pub fn push(&mut self, row: &Row) {
        let path = path_of(&row.folder, &row.name);
        self.path.append_value(shown_path(row));
        self.path_bytes.append_option(bytes_where_no_text(&path));
        self.folder.append_value(shown(&row.folder));
        self.folder_bytes.append_option(bytes_where_no_text(&row.folder));
        self.name.append_value(shown(&row.name));
        let modified_ns = row.cells.integer(column::MODIFIED_NS);
        self.modified.append_option(modified_ns.map(|ns| ns.div_euclid(1000)));
        for (builder, cell) in self.cells.iter_mut().zip(row.cells.all()) {
            match builder {
                Builder::Integer(builder) => builder.append_option(match cell {
                    Cell::Integer(value) => Some(*value),
                    _ => None,
                }),
                Builder::Real(builder) => builder.append_option(match cell {
                    Cell::Real(value) => Some(*value),
                    _ => None,
                }),
                Builder::Text(builder) => builder.append_option(match cell {
                    Cell::Text(text) => Some(&**text),
                    _ => None,
                }),
            }
        }
    }

    /// The batch; the next rows begin a new one.
    pub fn finish(&mut self) -> RecordBatch {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.path.finish()),
            Arc::new(self.path_bytes.finish()),
            Arc::new(self.folder.finish()),
            Arc::new(self.folder_bytes.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.modified.finish().with_timezone("UTC")),
        ];
        columns.extend(self.cells.iter_mut().map(|builder| -> ArrayRef {
            match builder {
                Builder::Integer(builder) => Arc::new(builder.finish()),
                Builder::Real(builder) => Arc::new(builder.finish()),
                Builder::Text(builder) => Arc::new(builder.finish()),
            }
        }));
        RecordBatch::try_new(schema(), columns).expect("the builders are those of the schema")
    }
}

/// `folder/name`, each part as text of its own: so does the view of the live catalogue.
fn shown_path(row: &Row) -> String {
    let (folder, name) = (shown(&row.folder), shown(&row.name));
    String::from_utf8_lossy(&path_of(folder.as_bytes(), name.as_bytes())).into_owned()
}

/// The rows of a batch that [`Batch`] made.
///
/// # Errors
/// `Corrupt` for a batch with other columns.
pub fn rows_of(batch: &RecordBatch) -> Result<Vec<Row>> {
    if batch.schema().fields() != SCHEMA.fields() {
        return Err(Error::unsupported("its columns are not those of a catalogue of this version"));
    }
    let path = batch.column(0).as_string::<i32>();
    let (path_bytes, folder_bytes) =
        (batch.column(1).as_binary::<i32>(), batch.column(3).as_binary::<i32>());
    let (folder, name) = (batch.column(2).as_string::<i32>(), batch.column(4).as_string::<i32>());
    let mut rows = Vec::with_capacity(batch.num_rows());
    let mut last: Arc<[u8]> = Arc::default();
    for i in 0..path.len() {
        let own: &[u8] = if folder_bytes.is_valid(i) {
            folder_bytes.value(i)
        } else {
            folder.value(i).as_bytes()
        };
        if *last != *own {
            last = own.into();
        }
        // The name is what is left of the path, byte by byte.
        let name = match path_bytes.is_valid(i) {
            false => name.value(i).as_bytes(),
            true => {
                let path = path_bytes.value(i);
                let rest = path.strip_prefix(own).unwrap_or(path);
                rest.strip_prefix(b"/").unwrap_or(rest)
            }
        };
        rows.push(Row { folder: Arc::clone(&last), name: name.into(), cells: Cells::default() });
    }
    for (place, column) in COLUMNS.iter().enumerate() {
        let array = batch.column(LEAD + place);
        for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| array.is_valid(*i)) {
            row.cells.set(
                place,
                match column.kind {
                    Type::Integer => Cell::Integer(array.as_primitive::<Int64Type>().value(i)),
                    Type::Real => Cell::Real(array.as_primitive::<Float64Type>().value(i)),
                    Type::Text => Cell::Text(array.as_string::<i32>().value(i).into()),
                },
            );
        }
    }
    Ok(rows)
}
