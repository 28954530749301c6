//! Where results go: a file, a folder, or standard output.

use solio::names::OsStrBytes;
use solio::{Compression, Error, Result};
use std::ffi::OsStr;
use std::path::Path;

/// What the system calls writing to a pipe that nobody reads.
pub(crate) const BROKEN_PIPE: i32 = 32;

/// Refuses to mix a file and JSON.
pub(crate) fn refuse_both(output: &Path, json: bool) -> Result<()> {
    match is_standard(output) && json {
        true => Err(Error::argument("--json and -o - both want standard output")),
        false => Ok(()),
    }
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether an output is a folder: one that is there, or that its name says to be one.
pub(crate) fn is_folder(output: &Path) -> bool {
    let is_named = || output.as_os_str().as_bytes().ends_with(b"/");
    !is_standard(output) && (output.is_dir() || is_named())
}

/// An output whose name tells what it is: that of a folder says nothing of what is in it.
pub(crate) fn named_file(output: &Path) -> Option<&Path> {
    Some(output).filter(|output| !is_folder(output))
}

/// That the folder of an output is there; `what` is what would go into it.
pub(crate) fn check_folder(output: &Path, what: &str) -> Result<()> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Error::argument(format!("there is no such folder for {what}"))
            .at_path(folder)
            .hint(format!("make it first: mkdir -p {}", folder.display()))),
    }
}

/// Whether a file has this extension, in letters of either case: `png`.
pub(crate) fn has_end(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(end))
}

/// The name of the file without the extension of a compression.
pub(crate) fn without_compression(path: &Path) -> &OsStr {
    let name = path.file_name().unwrap_or_default();
    let ending = Compression::of_name(&name.to_string_lossy()).extension();
    OsStr::from_bytes(&name.as_bytes()[..name.len() - ending.len()])
}
