//! The command `solio`, for who installed the Python package, and as functions.

use crate::errors::exception;
use crate::run::run;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use solio::Cancel;
use solio::names::OsStrBytes;
use std::ffi::{OsStr, OsString};

/// Runs `solio` with `arguments`, the first of which is the path of the program; the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| solio_cli::run(arguments))
}

/// Exit code, standard output, notes, errors.
type Answered<'py> = (u8, Bound<'py, PyBytes>, Vec<String>, Vec<Py<PyAny>>);

/// Runs `solio` with the words behind its name, and gives back what it would print.
#[pyfunction]
pub(crate) fn command_answer<'py>(
    py: Python<'py>,
    words: Vec<Bound<'py, PyBytes>>,
) -> PyResult<Answered<'py>> {
    let words = words.iter().map(|word| OsStr::from_bytes(word.as_bytes()).to_owned());
    let arguments: Vec<OsString> = std::iter::once("solio".into()).chain(words).collect();
    let cancel = Cancel::default();
    let answer = run(py, &cancel, || Ok(solio_cli::answer(arguments, &cancel)))?;
    let errors = answer.errors.iter().map(|error| Ok(exception(py, error)?.unbind()));
    let errors = errors.collect::<PyResult<Vec<_>>>()?;
    Ok((answer.code, PyBytes::new(py, &answer.data), answer.notes, errors))
}
