//! The command `solio`, for who installed the Python package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs `solio` with `arguments`, the first of which is the path of the program; the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| solio_cli::run(arguments))
}
