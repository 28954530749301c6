//! Images, or headers alone, that were read before they are asked for.

use super::functions::{self, From, ReadImage};
use super::give;
use super::options::ImageReading;
use crate::errors::raise;
use crate::process::OfProcess;
use crate::reader::lock;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use solio::image::header::Header;
use solio::{Ahead, AheadOptions, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a wait lasts at most before Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(50);

/// Headers that may be read before they are asked for.
const HEADERS: usize = 256;

/// `solio.image.Batch` without its Python face.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct ImageBatch {
    ahead: OfProcess<Mutex<Ahead<ImageOrHeader>>>,
    count: usize,
}

enum ImageOrHeader {
    Image(ReadImage),
    Header(Header),
}

/// A place among the paths, and an image or a header as Python gets it, or an error.
type BatchResult<'py> = (usize, Option<Bound<'py, PyAny>>, Option<Py<PyAny>>);

#[pymethods]
impl ImageBatch {
    #[new]
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        headers: bool,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let reading = ImageReading::new(options)?;
        let work = reading.work.clone();
        let usual = if headers { HEADERS } else { 2 * work.threads + 1 };
        let room =
            AheadOptions { results: reading.ahead.unwrap_or(usual), bytes: work.memory_bytes };
        let job = Arc::new((paths, reading));
        let (sized, count) = (Arc::clone(&job), job.0.len());
        let size = move |i: usize| {
            let (paths, reading) = &*sized;
            let from = From::Path(&paths[i]);
            let size = || -> Result<u64> {
                let header = reading.header(from)?;
                let options = reading.choice.of(&header, &reading.options)?;
                Ok(solio::image_bytes(&header, &options, reading.pixel_type))
            };
            // What cannot be read says so where it is read.
            if headers { 0 } else { size().unwrap_or(0) }
        };
        let ahead = Ahead::start(count, room, &work, size, move |i, work| {
            let (paths, reading) = &*job;
            let from = From::Path(&paths[i]);
            if headers {
                return reading.header(from).map(ImageOrHeader::Header);
            }
            reading.read(from, work).map(ImageOrHeader::Image)
        });
        let ahead = Mutex::new(ahead.map_err(|e| raise(py, &e))?);
        Ok(ImageBatch { ahead: OfProcess::new(ahead, "a batch of images"), count })
    }

    /// The next image or header, or why there is none; `None` when all were given.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<BatchResult<'py>>> {
        let ahead = self.ahead.get(py)?;
        loop {
            // Others may be asking, too: which one it is can be told within the lock only.
            let (index, found, over) = py.detach(|| {
                let mut ahead = lock(ahead);
                (self.count - ahead.left(), ahead.next_within(POLL), ahead.left() == 0)
            });
            match found {
                Some(Ok(ImageOrHeader::Image(read))) => {
                    let given = functions::give_read(py, read)?.into_pyobject(py)?;
                    return Ok(Some((index, Some(given.into_any()), None)));
                }
                Some(Ok(ImageOrHeader::Header(header))) => {
                    let given = give::header(py, &header)?;
                    return Ok(Some((index, Some(given.into_any()), None)));
                }
                Some(Err(e)) => {
                    let error = raise(py, &e).into_value(py).into_any();
                    return Ok(Some((index, None, Some(error))));
                }
                None if over => return Ok(None),
                None => py.check_signals()?,
            }
        }
    }

    /// How many have not been taken.
    fn left(&self, py: Python<'_>) -> PyResult<usize> {
        let ahead = self.ahead.get(py)?;
        Ok(py.detach(|| lock(ahead).left()))
    }
}
