//! The command `solio`, for who installed the Python package.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs `solio` with `arguments`, the first of which is the path of the program; the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let program = arguments.first().map_or_else(|| "solio".into(), PathBuf::from);
    py.detach(|| solio_cli::run(program, arguments))
}
