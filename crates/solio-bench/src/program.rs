//! The programs that a benchmark starts: itself again, and the command that is shipped.

use std::env::{current_exe, var_os};
use std::path::PathBuf;

/// What starts this benchmark again.
pub(crate) fn own() -> PathBuf {
    current_exe().unwrap_or_else(|_| "solio-bench".into())
}

/// The command `solio`: what `SOLIO_COMMAND` names, else the one that was built beside this program,
/// else the one on `PATH`.
pub(crate) fn solio() -> PathBuf {
    let beside = || Some(own().with_file_name("solio")).filter(|path| path.is_file());
    let named = var_os("SOLIO_COMMAND").map(PathBuf::from);
    named.or_else(beside).unwrap_or_else(|| "solio".into())
}
