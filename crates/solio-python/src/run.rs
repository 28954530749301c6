//! Runs the engine beside the interpreter.

use crate::errors::raise;
use pyo3::prelude::*;
use solio::{Cancel, Result};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(20);

/// Runs `job` on a thread of its own, without the interpreter lock. A signal whose Python handler
/// raises (Ctrl-C does) cancels the job and is raised here.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    job: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let (result, interrupt) = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, wait) = channel::<()>();
            let worker = scope.spawn(move || {
                let _done = done; // dropped, and so heard, even when the job panics
                job()
            });
            let mut interrupt = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(POLL) {
                if interrupt.is_none() {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    if interrupt.is_some() {
                        cancel.cancel();
                    }
                }
            }
            match worker.join() {
                Ok(result) => (result, interrupt),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    });
    match (result, interrupt) {
        (_, Some(signal)) => Err(signal),
        (Ok(value), None) => Ok(value),
        (Err(error), None) => Err(raise(py, &error)),
    }
}
