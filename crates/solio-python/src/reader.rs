//! The engine for `solio.io`: a reader, its batches, and buffers that NumPy sees without a copy.

use crate::errors::{ArgumentOf, raise};
use crate::options::{CallArguments, plain};
use crate::process::OfProcess;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use solio::io::{
    Backend, Batch, Buffer, Direct, Done, Engine, EngineOptions, Packing, Priority, Request,
};
use solio::{Error, Work};
use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a wait lasts at most before Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(50);

/// `solio.io.Reader` without its Python face.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct Reader {
    engine: OfProcess<Engine>,
}

/// One request as Python passes it: path, offset, length, tag, unpacked length.
type ReadTuple = (PathBuf, u64, Option<u64>, u64, Option<u64>);

#[pymethods]
impl Reader {
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let given = CallArguments::new(options);
        let mut o = EngineOptions::default();
        given.with("backend", &mut o.backend, |v| named(py, v, Backend::ALL, Backend::name))?;
        given.with("direct", &mut o.direct, |v| named(py, v, Direct::ALL, Direct::name))?;
        given.with("threads", &mut o.threads, plain)?;
        given.with("memory", &mut o.memory_bytes, plain)?;
        given.with("bytes_per_second", &mut o.bytes_per_second, |v| plain(v).map(Some))?;
        given
            .with("operations_per_second", &mut o.operations_per_second, |v| plain(v).map(Some))?;
        given.finish()?;
        let engine = Engine::new(o).map_err(|e| raise(py, &e))?;
        Ok(Reader { engine: OfProcess::new(engine, "a solio.io.Reader") })
    }

    /// Queues reads and returns at once.
    fn read(
        &self,
        py: Python<'_>,
        wanted: ArgumentOf<Vec<ReadTuple>>,
        priority: &Bound<'_, PyAny>,
        packing: &Bound<'_, PyAny>,
        deadline_s: Option<f64>,
    ) -> PyResult<Reading> {
        let priority = named(py, priority, Priority::ALL, Priority::name)?;
        let packing = named(py, packing, Packing::ALL, Packing::name)?;
        let deadline = deadline_s.map(|s| seconds(py, "deadline_s", s)).transpose()?;
        let requests = wanted.0.into_iter().map(|(path, offset, length, tag, unpacked)| Request {
            offset,
            length,
            tag,
            unpacked,
            priority,
            packing,
            deadline,
            ..Request::file(path)
        });
        let requests: Vec<Request> = requests.collect();
        let engine = self.engine.get(py)?;
        let batch =
            Mutex::new(TakenResults { batch: py.detach(|| engine.read(requests)), next: None });
        Ok(Reading { taken: OfProcess::new(batch, "the results of a solio.io.Reader") })
    }

    /// Bytes read, those of them past the page cache, reads.
    fn stats(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        let stats = self.engine.get(py)?.stats();
        Ok((stats.bytes, stats.direct_bytes, stats.pieces))
    }
}

/// So many seconds, of which any number is sensible.
fn seconds(py: Python<'_>, what: &str, value: f64) -> PyResult<Duration> {
    if value.is_nan() {
        return Err(raise(py, &Error::argument(format!("{what} is not a number of seconds"))));
    }
    Ok(Duration::from_secs_f64(value.clamp(0.0, 1e9)))
}

/// The value of that name.
fn named<T: Copy, const N: usize>(
    py: Python<'_>,
    name: &Bound<'_, PyAny>,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    let name: String = name.extract()?;
    all.into_iter().find(|&value| name_of(value) == name).ok_or_else(|| {
        let known: Vec<_> = all.into_iter().map(name_of).collect();
        let error = Error::argument(format!("{name:?} is none of the choices"));
        raise(py, &error.hint(format!("use one of: {}", known.join(", "))))
    })
}

/// A batch on its way.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct Reading {
    taken: OfProcess<Mutex<TakenResults>>,
}

/// A batch, and the next of its results if one was waited for and not taken.
struct TakenResults {
    batch: Batch,
    next: Option<Done>,
}

impl TakenResults {
    /// Waits for the next result, and leaves it there; whether there is none, and none to come.
    fn wait(&mut self, patience: Duration) -> bool {
        if self.next.is_none() {
            self.next = self.batch.wait_for(patience);
        }
        self.left() == 0
    }

    fn left(&self) -> usize {
        self.batch.left() + usize::from(self.next.is_some())
    }
}

/// A result as Python gets it: index, tag, buffer or error, seconds in the queue and in all,
/// submitted, late.
type ReadResult = (usize, u64, Option<Bytes>, Option<Py<PyAny>>, f64, f64, bool, bool);

#[pymethods]
impl Reading {
    /// The next result; `None` when all were given, or, after `patience_s`, when none came.
    fn next(&self, py: Python<'_>, patience_s: Option<f64>) -> PyResult<Option<ReadResult>> {
        let done = self.poll(py, patience_s, |taken| taken.next.take())?;
        done.map(|done| answer(py, done)).transpose()
    }

    /// Waits as `next` does, and leaves the result for `next`: who waits may be gone before it comes.
    fn wait(&self, py: Python<'_>, patience_s: Option<f64>) -> PyResult<()> {
        self.poll(py, patience_s, |taken| taken.next.as_ref().map(drop)).map(drop)
    }

    fn left(&self, py: Python<'_>) -> PyResult<usize> {
        let taken = self.taken.get(py)?;
        Ok(py.detach(|| lock(taken).left()))
    }

    fn cancel(&self, py: Python<'_>, index: Option<usize>) -> PyResult<()> {
        let taken = self.taken.get(py)?;
        let result = py.detach(|| {
            let taken = lock(taken);
            match index {
                Some(index) => taken.batch.cancel_one(index),
                None => {
                    taken.batch.cancel();
                    Ok(())
                }
            }
        });
        result.map_err(|e| raise(py, &e))
    }
}

impl Reading {
    /// What `found` gives once there is a result; `None` after `patience_s`, or when none is to come.
    fn poll<T: Send>(
        &self,
        py: Python<'_>,
        patience_s: Option<f64>,
        found: impl Fn(&mut TakenResults) -> Option<T> + Sync,
    ) -> PyResult<Option<T>> {
        let taken = self.taken.get(py)?;
        let mut left = patience_s.map(|s| seconds(py, "seconds", s)).transpose()?;
        loop {
            let step = left.map_or(POLL, |left| left.min(POLL));
            let (done, over) = py.detach(|| {
                let mut taken = lock(taken);
                let over = taken.wait(step);
                (found(&mut taken), over)
            });
            if done.is_some() {
                return Ok(done);
            }
            py.check_signals()?;
            left = left.map(|left| left.saturating_sub(step));
            if over || left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(py: Python<'_>, done: Done) -> PyResult<ReadResult> {
    let (bytes, error) = match done.result {
        Ok(buffer) => (Some(Bytes { buffer }), None),
        Err(e) => (None, Some(raise(py, &e).into_value(py).into_any())),
    };
    let (queued, total) = (done.queued.as_secs_f64(), done.total.as_secs_f64());
    Ok((done.index, done.tag, bytes, error, queued, total, done.submitted, done.late))
}

/// Bytes of the engine; its memory goes back to the engine with the last view.
#[pyclass(frozen, module = "solio._solio")]
pub(crate) struct Bytes {
    buffer: Buffer,
}

#[pymethods]
impl Bytes {
    fn __len__(&self) -> usize {
        self.buffer.len()
    }

    /// A read-only view.
    ///
    /// # Safety
    /// As the buffer protocol of Python (PEP 3118) has it: `view` is valid.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes: &[u8] = &slf.get().buffer;
        // SAFETY: the view keeps `slf`, and so the bytes, alive; they neither move nor change.
        let result = unsafe {
            ffi::PyBuffer_FillInfo(
                view,
                slf.as_ptr(),
                bytes.as_ptr().cast_mut().cast(),
                bytes.len() as ffi::Py_ssize_t,
                1,
                flags,
            )
        };
        if result == 0 { Ok(()) } else { Err(PyBufferError::new_err("a read-only buffer")) }
    }
}

/// A peak as Python gets it: name, threads, MB/s, why there is none.
type PeakRow = (String, usize, Option<f64>, Option<String>);

/// What this machine can do at best; kept for later runs, where there is room for that.
#[pyfunction]
pub(crate) fn light(
    py: Python<'_>,
    folder: PathBuf,
    bytes: ArgumentOf<u64>,
    rounds: ArgumentOf<usize>,
) -> PyResult<Vec<PeakRow>> {
    let (bytes, rounds, work) = (bytes.0, rounds.0, Work::default());
    let peaks = crate::run::run(py, &work.cancel, || {
        let peaks = solio::measure_machine(&folder, bytes, rounds, &work)?;
        // What cannot be kept is a result all the same.
        let _ = solio::keep_peaks(&folder, bytes, &peaks);
        Ok(peaks)
    })?;
    let row = |p: solio::Peak| {
        (p.name.into_owned(), p.threads, p.mb_s, p.why_not.map(|why| why.into_owned()))
    };
    Ok(peaks.into_iter().map(row).collect())
}
