//! `solio.scan`: rows of the catalogue as a stream of Arrow.

use crate::errors::{exception, raise};
use crate::options::{CallArguments, filter, plain, work};
use crate::run::run;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use solio::catalog::table::{Batch, schema};
use solio::names::OsStrBytes;
use solio::{Error, FileFacts, Filter, Limits, Result, ScanFields, Work};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::thread::ThreadId;

/// Rows of a batch: enough for the threads, little enough to wait for.
const BATCH_ROWS: usize = 4096;

/// Names of files, and errors.
type ListedFiles<'py> = (Vec<Bound<'py, PyBytes>>, Vec<Py<PyAny>>);

/// How files are looked at.
struct Options {
    facts: FileFacts,
    follow: bool,
    filter: Filter,
    work: Work,
}

impl Options {
    fn new(dict: &Bound<'_, PyDict>) -> PyResult<Options> {
        let given = CallArguments::new(dict);
        let (mut fields, mut follow) = (Vec::<String>::new(), false);
        let (mut deep, mut check, mut hash) = (false, false, false);
        given.with("fields", &mut fields, plain)?;
        given.with("follow", &mut follow, plain)?;
        given.with("deep", &mut deep, plain)?;
        given.with("check", &mut check, plain)?;
        given.with("hash", &mut hash, plain)?;
        let filter = filter(&given, dict.py())?;
        let mut work = work(&given)?;
        given.with("memory_bytes", &mut work.memory_bytes, plain)?;
        given.finish()?;
        let (fields, limits) = (ScanFields::new(&fields), Limits::default());
        Ok(Options {
            facts: FileFacts { fields, deep, check, hash, thumbnail: None, limits },
            follow,
            filter,
            work,
        })
    }
}

fn as_paths(names: &[Bound<'_, PyBytes>]) -> Vec<PathBuf> {
    names.iter().map(|name| OsStr::from_bytes(name.as_bytes()).into()).collect()
}

/// The files at and below roots, in the order of the catalogue, and the errors of folders that
/// cannot be listed.
#[pyfunction]
pub(crate) fn scan_list<'py>(
    py: Python<'py>,
    roots: Vec<Bound<'py, PyBytes>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<ListedFiles<'py>> {
    let Options { follow, filter, work, .. } = Options::new(options)?;
    let roots = as_paths(&roots);
    let (files, failed) =
        run(py, &work.cancel, || solio::list_files(&roots, follow, &filter, &work))?;
    let files = files.iter().map(|path| PyBytes::new(py, path.as_os_str().as_bytes())).collect();
    let raised = |e: Error| Ok(exception(py, &e)?.unbind());
    Ok((files, failed.into_iter().map(raised).collect::<PyResult<_>>()?))
}

/// The columns' names and types, for Arrow.
#[pyfunction]
pub(crate) fn scan_schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = arrow_schema::ffi::FFI_ArrowSchema::try_from(&*schema())
        .map_err(|e| raise(py, &Error::argument(e.to_string())))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// The rows of files, for Arrow; they are looked at when the stream is read.
#[pyfunction]
pub(crate) fn scan_stream<'py>(
    py: Python<'py>,
    paths: Vec<Bound<'py, PyBytes>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let Options { facts, work, .. } = Options::new(options)?;
    let files = as_paths(&paths);
    let made_on = std::thread::current().id();
    let stream = FactStream { files, next: 0, facts, work, made_on };
    let stream = FFI_ArrowArrayStream::new(Box::new(stream));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Batches that are made when somebody asks for them.
struct FactStream {
    files: Vec<PathBuf>,
    next: usize,
    facts: FileFacts,
    work: Work,
    made_on: ThreadId,
}

impl FactStream {
    fn batch(&self, files: &[PathBuf]) -> Result<RecordBatch> {
        let mut batch = Batch::default();
        solio::scan_files(files, &self.facts, &self.work, |row| {
            batch.push(&row);
            Ok(())
        })?;
        Ok(batch.finish())
    }

    /// The same, and Ctrl-C stops it. Arrow knows texts of errors only: the signal itself is raised
    /// once more when the interpreter goes on.
    fn batch_or_signal(&self, files: &[PathBuf]) -> std::result::Result<RecordBatch, String> {
        // Another thread may be waited for by one that holds the interpreter's lock: it must not
        // ask for that.
        if std::thread::current().id() == self.made_on {
            let heard = Python::try_attach(|py| {
                run(py, &self.work.cancel, || self.batch(files)).map_err(|e| {
                    if e.is_instance_of::<PyKeyboardInterrupt>(py) {
                        // SAFETY: it may be called at any time, with or without the lock.
                        unsafe { ffi::PyErr_SetInterrupt() };
                        return "interrupted".to_owned();
                    }
                    e.value(py).to_string()
                })
            });
            if let Some(batch) = heard {
                return batch;
            }
        }
        self.batch(files).map_err(|e| e.to_string())
    }
}

impl Iterator for FactStream {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let last = self.files.len().min(self.next + BATCH_ROWS);
        let files = self.files.get(self.next..last).filter(|files| !files.is_empty())?;
        let batch = self.batch_or_signal(files);
        self.next = last;
        Some(batch.map_err(|e| ArrowError::ExternalError(e.into())))
    }
}

impl RecordBatchReader for FactStream {
    fn schema(&self) -> SchemaRef {
        schema()
    }
}
