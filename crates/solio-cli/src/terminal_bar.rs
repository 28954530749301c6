//! The progress bar that is on the terminal, and printing beside it.

use indicatif::ProgressBar;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bar that is on the terminal now.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The bar that is on the terminal, to set or to clear.
pub(crate) fn shown_bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints while no bar is in the way: it is taken off the terminal, and comes again below.
pub(crate) fn beside<T>(print: impl FnOnce() -> T) -> T {
    let bar = shown_bar().clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}
