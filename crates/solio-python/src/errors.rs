//! Engine errors become `solio.Error` subclasses with all their fields.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use solio::Error;

/// Raises `error` in Python.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    match exception(py, error) {
        Ok(value) => PyErr::from_value(value),
        Err(e) => e,
    }
}

/// `error` as an exception that is not raised.
pub(crate) fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = MAKE.import(py, "solio._errors", "make")?;
    make.call1((
        error.kind().name(),
        error.to_string(),
        error.message(),
        error.path().map(|p| p.to_string_lossy().into_owned()),
        error.line(),
        error.column(),
        error.offset(),
        error.hint_text(),
        error.os_error(),
    ))
}
