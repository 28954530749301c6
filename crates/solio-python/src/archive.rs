//! Archives of images and files of arrays: the native half of `solio.open_archive`,
//! `solio.read_array` and `solio.write_array`.

use crate::Any;
use crate::color_arrays::{readable, work, writable};
use crate::errors::{ArgumentOf, argument, raise};
use crate::image::{GivenImage, give_header, give_read, read_bytes};
use crate::run::run;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use solio::array::{Effort, Element, Kind};
use solio::{Error, ImagePackOptions, ImageUnpackOptions, Limits, NamedArray};
use std::path::{Path, PathBuf};

/// `solio.Archive` without its Python face.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct Archive {
    archive: solio::Archive,
    path: PathBuf,
}

/// Name, kind, bytes of the file or the samples, bytes in the archive, whether it comes back byte
/// for byte; type and axes of an array.
type GivenEntry = (String, &'static str, u64, u64, bool, Option<(&'static str, Vec<u64>)>);

#[pymethods]
impl Archive {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, max_bytes: Option<ArgumentOf<u64>>) -> PyResult<Archive> {
        let usual = Limits::default();
        let limits = Limits { bytes: max_bytes.map_or(usual.bytes, |given| given.0), ..usual };
        let work = work(None);
        let archive = run(py, &work.cancel, || solio::Archive::open(&path, &limits, &work))?;
        Ok(Archive { archive, path })
    }

    fn entries(&self, py: Python<'_>) -> PyResult<Vec<GivenEntry>> {
        let entries = py.detach(|| self.archive.entries()).map_err(|e| self.raise(py, e))?;
        let each = entries.into_iter().map(|entry| {
            let kind = match entry.kind {
                Kind::Array => "array",
                Kind::Exr => "exr",
                Kind::Other(_) => "unknown",
            };
            let shape = entry.shape.map(|s| (s.element.name(), s.axes));
            (entry.name, kind, entry.file_bytes, entry.packed_bytes, entry.exact, shape)
        });
        Ok(each.collect())
    }

    /// As `image_read`.
    fn image<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        options: &Bound<'py, PyDict>,
    ) -> PyResult<GivenImage<'py>> {
        let read =
            read_bytes(py, options, &self.path, |work| self.archive.file(index, false, work))?;
        give_read(py, read)
    }

    /// As `image_header`.
    fn header<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyList>> {
        let work = work(None);
        let header = run(py, &work.cancel, || {
            self.archive.header(index, &work).map_err(|e| e.at_path(&self.path))
        })?;
        give_header(py, &header)
    }

    /// The bytes of the file that was packed.
    fn file<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let work = work(threads);
        let bytes = run(py, &work.cancel, || {
            self.archive.file(index, true, &work).map_err(|e| e.at_path(&self.path))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads items `start` to `stop` along the first axis into `out`, an array of bytes.
    fn rows(
        &self,
        py: Python<'_>,
        index: usize,
        start: u64,
        stop: u64,
        out: &Any<'_>,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<()> {
        let mut array = writable::<u8>(out).ok_or_else(not_bytes)?;
        let to = array.as_slice_mut().map_err(|_| not_bytes())?;
        let work = work(threads);
        run(py, &work.cancel, || {
            let read = self.archive.shape(index).and_then(|shape| {
                let rows = shape.rows_of_item();
                let rows = start.saturating_mul(rows)..stop.saturating_mul(rows);
                self.archive.rows(index, rows, to, &work)
            });
            read.map_err(|e| e.at_path(&self.path))
        })
    }
}

impl Archive {
    fn raise(&self, py: Python<'_>, error: Error) -> PyErr {
        raise(py, &error.at_path(&self.path))
    }
}

fn not_bytes() -> PyErr {
    argument("samples pass as contiguous bytes")
}

fn effort(py: Python<'_>, level: &str) -> PyResult<Effort> {
    Effort::of_name(level).ok_or_else(|| {
        let error = Error::argument(format!("there is no level {level:?}"));
        raise(py, &error.hint("fast, thorough or max"))
    })
}

/// Writes arrays, each as its name, the name of its type, its axes and its samples as bytes, into
/// the file `path`; bytes of that.
#[pyfunction]
pub(crate) fn arrays_write(
    py: Python<'_>,
    arrays: Vec<(String, String, Vec<u64>, Any<'_>)>,
    path: PathBuf,
    level: &str,
    threads: Option<ArgumentOf<usize>>,
) -> PyResult<u64> {
    let effort = effort(py, level)?;
    let mut held = Vec::with_capacity(arrays.len());
    for (name, of, axes, bytes) in &arrays {
        let element = Element::of_name(of).ok_or_else(|| argument(format!("no type {of}")))?;
        held.push((name, element, axes, readable::<u8>(bytes).ok_or_else(not_bytes)?));
    }
    let mut named = Vec::with_capacity(held.len());
    for (name, element, axes, bytes) in &held {
        let bytes = bytes.as_slice().map_err(|_| not_bytes())?;
        named.push(NamedArray { name, element: *element, axes, bytes });
    }
    let work = work(threads);
    run(py, &work.cancel, || solio::write_arrays(&named, &path, effort, &work))
}

/// Files, bytes of all, bytes of the archive; what went wrong with others.
type PackTotals = (u64, u64, u64, Vec<(PathBuf, Py<PyAny>)>);

/// Packs OpenEXR files into an archive.
#[pyfunction]
pub(crate) fn archive_pack(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    output: PathBuf,
    exact: bool,
    level: &str,
    threads: Option<ArgumentOf<usize>>,
) -> PyResult<PackTotals> {
    let options =
        ImagePackOptions { exact, effort: effort(py, level)?, ..ImagePackOptions::default() };
    let work = work(threads);
    let mut failed = Vec::new();
    let packed = run(py, &work.cancel, || {
        solio::pack_images(&paths, &output, &options, &work, |path: &Path, result| {
            if let Err(error) = result {
                failed.push((path.to_owned(), error));
            }
            Ok(())
        })
    })?;
    let failed = failed.into_iter();
    let failed = failed.map(|(path, e)| (path, raise(py, &e).into_value(py).into_any())).collect();
    Ok((packed.images, packed.image_bytes, packed.file_bytes, failed))
}

/// Writes the files of the archive at `path`, or those of these names, into `folder`; their names
/// and bytes. The first error ends it, and is raised when the others are there.
#[pyfunction]
pub(crate) fn archive_extract(
    py: Python<'_>,
    path: PathBuf,
    folder: PathBuf,
    only: Vec<String>,
    threads: Option<ArgumentOf<usize>>,
) -> PyResult<Vec<(String, u64)>> {
    let work = work(threads);
    run(py, &work.cancel, || {
        let (mut done, mut failed) = (Vec::new(), None);
        let options = ImageUnpackOptions::default();
        solio::unpack_images(&path, &folder, &only, &options, &work, |name, result| {
            match result {
                Ok(bytes) => done.push((name.to_owned(), bytes)),
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
            Ok(())
        })?;
        failed.map_or(Ok(done), Err)
    })
}
