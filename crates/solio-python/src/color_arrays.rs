//! Arrays of colours: the native half of `solio.color.convert`.

use crate::Any;
use crate::errors::{ArgumentOf, argument, raise};
use crate::run::run;
use half::f16;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use solio::color::Space;
use solio::color::arrays::{Conversion, Sample};
use solio::{Error, Work};

/// How to convert, for arrays of any type.
struct ConvertArray<'p> {
    py: Python<'p>,
    conversion: Conversion,
    channels: usize,
    work: Work,
}

/// Converts `array` (`uint8`, `uint16`, `float16`, `float32` or `float64`) into `out`, or in place
/// where there is no array. Both are contiguous and of the same shape, whose last axis is 3 or 4.
#[pyfunction]
pub(crate) fn color_convert<'py>(
    py: Python<'py>,
    array: Option<&Any<'py>>,
    out: &Any<'py>,
    from: &str,
    to: &str,
    threads: Option<ArgumentOf<usize>>,
) -> PyResult<()> {
    let spaces = crate::color::space(from).and_then(|a| Ok((a, crate::color::space(to)?)));
    let (from, to): (Space, Space) = spaces.map_err(|e| raise(py, &e))?;
    let channels = out.getattr("shape")?.extract::<Vec<usize>>()?.last().copied().unwrap_or(0);
    let job =
        ConvertArray { py, conversion: Conversion::new(from, to), channels, work: work(threads) };
    match array {
        None => job.in_place(out),
        Some(array) => job.between(array, out),
    }
}

/// The default but for the number of threads.
pub(crate) fn work(threads: Option<ArgumentOf<usize>>) -> Work {
    let work = Work::default();
    Work { threads: threads.map_or(work.threads, |given| given.0).max(1), ..work }
}

impl ConvertArray<'_> {
    fn in_place(&self, out: &Any<'_>) -> PyResult<()> {
        if let Some(mut array) = writable::<f64>(out) {
            let numbers = array.as_slice_mut().map_err(|_| apart())?;
            let ConvertArray { conversion, channels, work, .. } = self;
            return run(self.py, &work.cancel, || {
                solio::convert_colors_exactly(conversion, None, numbers, *channels, work)
            });
        }
        self.try_in_place::<f32>(out)
            .or_else(|| self.try_in_place::<u8>(out))
            .or_else(|| self.try_in_place::<f16>(out))
            .or_else(|| self.try_in_place::<u16>(out))
            .unwrap_or_else(|| Err(unknown(self.py, out)))
    }

    fn try_in_place<T: Sample + Element>(&self, out: &Any<'_>) -> Option<PyResult<()>> {
        let mut array = writable::<T>(out)?;
        let ConvertArray { conversion, channels, work, .. } = self;
        Some(array.as_slice_mut().map_err(|_| apart()).and_then(|numbers| {
            run(self.py, &work.cancel, || {
                solio::convert_colors_in_place(conversion, numbers, *channels, work)
            })
        }))
    }

    fn between(&self, array: &Any<'_>, out: &Any<'_>) -> PyResult<()> {
        if let (Some(from), Some(mut to)) = (readable::<f64>(array), writable::<f64>(out)) {
            let from = from.as_slice().map_err(|_| apart())?;
            let to = to.as_slice_mut().map_err(|_| apart())?;
            let ConvertArray { conversion, channels, work, .. } = self;
            return run(self.py, &work.cancel, || {
                solio::convert_colors_exactly(conversion, Some(from), to, *channels, work)
            });
        }
        self.try_from::<f32>(array, out)
            .or_else(|| self.try_from::<u8>(array, out))
            .or_else(|| self.try_from::<f16>(array, out))
            .or_else(|| self.try_from::<u16>(array, out))
            .unwrap_or_else(|| Err(unknown(self.py, array)))
    }

    fn try_from<A: Sample + Element>(
        &self,
        array: &Any<'_>,
        out: &Any<'_>,
    ) -> Option<PyResult<()>> {
        let from = readable::<A>(array)?;
        let from = match from.as_slice() {
            Ok(from) => from,
            Err(_) => return Some(Err(apart())),
        };
        let done = self
            .try_between::<A, f32>(from, out)
            .or_else(|| self.try_between::<A, u8>(from, out))
            .or_else(|| self.try_between::<A, f16>(from, out))
            .or_else(|| self.try_between::<A, u16>(from, out));
        Some(done.unwrap_or_else(|| Err(unknown(self.py, out))))
    }

    fn try_between<A: Sample + Element, B: Sample + Element>(
        &self,
        from: &[A],
        out: &Any<'_>,
    ) -> Option<PyResult<()>> {
        let mut array = writable::<B>(out)?;
        let ConvertArray { conversion, channels, work, .. } = self;
        Some(array.as_slice_mut().map_err(|_| apart()).and_then(|to| {
            run(self.py, &work.cancel, || {
                solio::convert_colors(conversion, from, to, *channels, work)
            })
        }))
    }
}

pub(crate) fn readable<'py, T: Element>(array: &Any<'py>) -> Option<PyReadonlyArrayDyn<'py, T>> {
    array.cast::<PyArrayDyn<T>>().ok()?.try_readonly().ok()
}

pub(crate) fn writable<'py, T: Element>(array: &Any<'py>) -> Option<PyReadwriteArrayDyn<'py, T>> {
    array.cast::<PyArrayDyn<T>>().ok()?.try_readwrite().ok()
}

/// `solio.color` hands on contiguous arrays only.
fn apart() -> PyErr {
    argument("the array is not contiguous")
}

pub(crate) fn unknown(py: Python<'_>, array: &Any<'_>) -> PyErr {
    let dtype = array.getattr("dtype").map_or_else(|_| "?".to_owned(), |dtype| dtype.to_string());
    let error = Error::argument(format!("an array of {dtype} that cannot be read or written"));
    raise(py, &error.hint("give uint8, uint16, float16, float32 or float64, out= writable"))
}
