//! `metadata`, `metadata_table` and `thumbnail`: the functions of the native module.

use super::arrow::MetadataColumns;
use crate::Any;
use crate::errors::ArgumentOf;
use crate::options::{CallArguments, plain, work};
use crate::run::run;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use solio::photo::{Fields, ReadOptions, Value, decode_metadata};
use solio::{EmbeddedPicture, Limits, Work};
use std::path::PathBuf;

/// What is read, and how.
struct MetadataReading {
    fields: Option<Vec<String>>,
    words: bool,
    limits: Limits,
    work: Work,
}

impl MetadataReading {
    fn new(dict: &Bound<'_, PyDict>) -> PyResult<MetadataReading> {
        let given = CallArguments::new(dict);
        let (mut fields, mut numbers) = (None::<Vec<String>>, false);
        let mut limits = Limits::default();
        given.with("fields", &mut fields, |v| plain(v).map(Some))?;
        given.with("numbers", &mut numbers, plain)?;
        given.with("max_bytes", &mut limits.bytes, plain)?;
        let work = work(&given)?;
        given.finish()?;
        // As Fields::of takes them.
        let trimmed = |names: Vec<String>| names.iter().map(|name| name.trim().into()).collect();
        let fields = fields.map(trimmed);
        Ok(MetadataReading { fields, words: !numbers, limits, work })
    }
}

/// The tags of the file at `source` (a path), or of the bytes that it is.
#[pyfunction]
pub(crate) fn metadata<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let MetadataReading { fields, words, limits, work } = MetadataReading::new(options)?;
    let wanted = fields.as_ref().map_or_else(Fields::all, Fields::of);
    let metadata = if let Ok(bytes) = source.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        let options = ReadOptions { fields: wanted, limits, ..ReadOptions::default() };
        run(py, &work.cancel, || decode_metadata(bytes, &options))?
    } else {
        let path: PathBuf = source.extract()?;
        run(py, &work.cancel, || solio::read_metadata(&path, &wanted, &limits, &work))?
    };
    let dict = PyDict::new(py);
    for (name, value) in solio::tag_values(&metadata, fields.as_deref(), words) {
        dict.set_item(name, give(py, value)?)?;
    }
    Ok(dict)
}

/// A value as Python has it: numbers, text, bytes, or a list of them.
fn give(py: Python<'_>, value: Value) -> PyResult<Any<'_>> {
    let all: Vec<Any<'_>> = match value {
        Value::Ints(all) => {
            all.into_iter().map(|v| v.into_bound_py_any(py)).collect::<PyResult<_>>()?
        }
        Value::Rationals(_) | Value::Floats(_) => {
            let number = |n| value.number(n).unwrap_or(f64::NAN).into_bound_py_any(py);
            (0..value.count()).map(number).collect::<PyResult<_>>()?
        }
        Value::List(all) => {
            let all = all.into_iter().map(|v| give(py, v)).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyList::new(py, all)?.into_any());
        }
        Value::Bytes(bytes) => return Ok(PyBytes::new(py, &bytes).into_any()),
        other => return other.plain().into_bound_py_any(py),
    };
    match <[_; 1]>::try_from(all) {
        Ok([one]) => Ok(one),
        Err(all) => Ok(PyList::new(py, all)?.into_any()),
    }
}

/// The tags of many files.
#[pyfunction]
pub(crate) fn metadata_table(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &Bound<'_, PyDict>,
) -> PyResult<MetadataColumns> {
    let MetadataReading { fields, words, limits, work } = MetadataReading::new(options)?;
    let table = run(py, &work.cancel, || {
        solio::read_metadata_table(&paths, fields.as_deref(), words, &limits, &work)
    })?;
    MetadataColumns::new(py, table)
}

/// Tag, JPEG, columns, rows and orientation of the picture within the file at `path`.
type GivenPicture<'py> = (String, Bound<'py, PyBytes>, u32, u32, u8);

/// The smallest picture within a file that has `size` pixels, or the largest.
#[pyfunction]
pub(crate) fn thumbnail<'py>(
    py: Python<'py>,
    path: PathBuf,
    size: ArgumentOf<u32>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Option<GivenPicture<'py>>> {
    let MetadataReading { limits, work, .. } = MetadataReading::new(options)?;
    let picture = run(py, &work.cancel, || solio::thumbnail(&path, size.0, &limits, &work))?;
    Ok(picture.map(|p| (p.tag, PyBytes::new(py, &p.jpeg), p.width, p.height, p.orientation)))
}

/// The pixels of a picture that `thumbnail` gave: rows, columns, three bytes each.
#[pyfunction]
pub(crate) fn thumbnail_pixels<'py>(
    py: Python<'py>,
    picture: (String, Vec<u8>, u32, u32, u8),
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let (tag, jpeg, width, height, orientation) = picture;
    let picture = EmbeddedPicture { tag, jpeg, width, height, orientation };
    let (width, height, rgb) = run(py, &Work::default().cancel, || picture.pixels())?;
    PyArray1::from_vec(py, rgb).reshape([height as usize, width as usize, 3])
}
