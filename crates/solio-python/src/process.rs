//! What belongs to the process that made it.

use crate::errors::raise;
use pyo3::prelude::*;
use solio::Error;

/// Something that threads of this process work for. A fork has none of them: there it would be
/// waited for without end, so it is refused, and not even dropped.
pub(crate) struct OfProcess<T> {
    value: Option<T>,
    process: u32,
    what: &'static str,
}

impl<T> OfProcess<T> {
    /// `what` is what Python calls it.
    pub(crate) fn new(value: T, what: &'static str) -> Self {
        OfProcess { value: Some(value), process: std::process::id(), what }
    }

    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<&T> {
        self.value.as_ref().filter(|_| self.process == std::process::id()).ok_or_else(|| {
            let error = Error::argument(format!("{} does not work in a forked process", self.what));
            raise(py, &error.hint("make it in the process that uses it"))
        })
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.take());
        }
    }
}
