//! Engine errors become `solio.Error` subclasses with all their fields.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use solio::Error;

/// The error of an argument that cannot be; with the interpreter's lock.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    Python::attach(|py| raise(py, &Error::argument(message.into())))
}

/// `error` of the argument `name`: a wrong value is one of ours, a wrong type Python's.
pub(crate) fn refused(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let is_value =
        error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyOverflowError>(py);
    let is_type = error.is_instance_of::<PyTypeError>(py);
    let text = match name {
        "" => error.value(py).to_string(),
        name => format!("{name}: {}", error.value(py)),
    };
    match (is_value, is_type) {
        (true, _) => argument(text),
        (_, true) => PyTypeError::new_err(text),
        _ => error, // Ctrl-C, say
    }
}

/// An argument, of which a value that is none of `T` is an error of ours: a negative number, say.
pub(crate) struct ArgumentOf<T>(pub(crate) T);

impl<'a, 'py, T> FromPyObject<'a, 'py> for ArgumentOf<T>
where
    T: FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<T>().map(ArgumentOf).map_err(|e| refused(value.py(), "", e.into()))
    }
}

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
        error.path().map(|p| p.as_os_str().to_owned()),
        error.line(),
        error.column(),
        error.offset(),
        error.hint_text(),
        error.os_error(),
    ))
}
