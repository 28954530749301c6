//! Columns of tags as Arrow arrays, which other libraries take through the C stream interface
//! (<https://arrow.apache.org/docs/format/CStreamInterface.html>).

use crate::Any;
use crate::errors::{exception, raise};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeListArray, LargeStringArray, RecordBatch,
    RecordBatchIterator, RecordBatchOptions,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use solio::{ColumnValues, Error, MetadataColumn, MetadataTable};
use std::sync::Arc;

/// `solio.MetadataTable` without its Python face.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct MetadataColumns {
    batch: RecordBatch,
    /// Rows and what was wrong with them.
    errors: Vec<(usize, Py<PyAny>)>,
}

impl MetadataColumns {
    pub(super) fn new(py: Python<'_>, table: MetadataTable) -> PyResult<Self> {
        let rows = table.rows;
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for column in table.columns {
            let name = column.name.clone();
            let array = array(column);
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options)
            .map_err(|e| arrow(py, &e))?;
        let raised = |(row, e): (usize, Error)| Ok((row, exception(py, &e)?.unbind()));
        let errors = table.errors.into_iter().map(raised).collect::<PyResult<_>>()?;
        Ok(MetadataColumns { batch, errors })
    }

    fn schema(&self) -> SchemaRef {
        self.batch.schema()
    }
}

fn arrow(py: Python<'_>, error: &ArrowError) -> PyErr {
    raise(py, &Error::argument(error.to_string()))
}

/// One array a column: numbers or texts, or lists of them; null where a file has no such tag.
fn array(column: MetadataColumn) -> ArrayRef {
    let MetadataColumn { values, counts, is_list, .. } = column;
    if is_list {
        let values: ArrayRef = match values {
            ColumnValues::Integers(all) => Arc::new(Int64Array::from(all)),
            ColumnValues::Floats(all) => Arc::new(Float64Array::from(all)),
            ColumnValues::Texts(all) => Arc::new(LargeStringArray::from(all)),
        };
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        let lengths = counts.iter().map(|count| count.unwrap_or(0) as usize);
        let offsets = OffsetBuffer::from_lengths(lengths);
        let nulls: NullBuffer = counts.iter().map(Option::is_some).collect();
        return Arc::new(LargeListArray::new(field, offsets, values, Some(nulls)));
    }
    // Each row has one value or none.
    fn cells<T>(counts: Vec<Option<u32>>, all: Vec<T>) -> impl Iterator<Item = Option<T>> {
        let mut all = all.into_iter();
        counts.into_iter().map(move |count| count.and_then(|_| all.next()))
    }
    match values {
        ColumnValues::Integers(all) => Arc::new(cells(counts, all).collect::<Int64Array>()),
        ColumnValues::Floats(all) => Arc::new(cells(counts, all).collect::<Float64Array>()),
        ColumnValues::Texts(all) => Arc::new(cells(counts, all).collect::<LargeStringArray>()),
    }
}

#[pymethods]
impl MetadataColumns {
    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// How many files there are.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Rows that could not be read, each with its error.
    fn errors(&self, py: Python<'_>) -> Vec<(usize, Py<PyAny>)> {
        self.errors.iter().map(|(row, error)| (*row, error.clone_ref(py))).collect()
    }

    /// A column: an array of numbers (`nan` for none), or a list of texts and of lists.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Any<'py>>> {
        let Some(column) = self.batch.column_by_name(name) else { return Ok(None) };
        if let Some(whole) = column.as_any().downcast_ref::<Int64Array>() {
            if whole.null_count() == 0 {
                return Ok(Some(PyArray1::from_slice(py, whole.values()).into_any()));
            }
            let numbers = whole.iter().map(|v| v.map_or(f64::NAN, |v| v as f64));
            return Ok(Some(PyArray1::from_iter(py, numbers).into_any()));
        }
        if let Some(numbers) = column.as_any().downcast_ref::<Float64Array>() {
            let numbers = numbers.iter().map(|v| v.unwrap_or(f64::NAN));
            return Ok(Some(PyArray1::from_iter(py, numbers).into_any()));
        }
        items(py, column).map(|list| Some(list.into_any()))
    }

    /// The columns' names and types, for Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = arrow_schema::ffi::FFI_ArrowSchema::try_from(&*self.schema())
            .map_err(|e| arrow(py, &e))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// All rows, for Arrow, without a copy. Another schema is not made: whoever asks for one gets
    /// this one, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = std::iter::once(Ok(self.batch.clone()));
        let reader = RecordBatchIterator::new(batches, self.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// The items of an array as Python has them, `None` for none.
fn items<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let any = array.as_any();
    if let Some(all) = any.downcast_ref::<Int64Array>() {
        return PyList::new(py, all.iter());
    }
    if let Some(all) = any.downcast_ref::<Float64Array>() {
        return PyList::new(py, all.iter());
    }
    if let Some(all) = any.downcast_ref::<LargeStringArray>() {
        return PyList::new(py, all.iter());
    }
    let list = PyList::empty(py);
    if let Some(lists) = any.downcast_ref::<LargeListArray>() {
        for one in lists.iter() {
            list.append(one.map(|one| items(py, &one)).transpose()?)?;
        }
    }
    Ok(list)
}
