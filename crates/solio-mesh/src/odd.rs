//! What a reader does with a file that is odd, but can be read.

use solio_base::{Error, Result};

/// Fails with `error` where the reader is strict, and keeps it as a warning otherwise.
pub(crate) fn tolerate(error: Error, strict: bool, warnings: &mut Vec<String>) -> Result<()> {
    if strict {
        return Err(error);
    }
    warnings.push(error.to_string());
    Ok(())
}
