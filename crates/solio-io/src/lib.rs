//! Files: the only crate that opens them.
//!
//! * [`open`] gives a [`Source`](solio_base::Source) over a file, a pipe or standard input,
//!   decompressed on the way where the content says so.
//! * [`read_raw`] reads a file as it lies on the disk, packed or not.
//! * [`FileSink`] is a [`Sink`](solio_base::Sink) that compresses on the way and puts the file in
//!   place at the end, whole or not at all.
//! * [`engine`] reads many files, or ranges, asked for at once, with priorities.
//! * [`order`] finds the order in which a disk gives many files soonest.
//! * [`filter`] says what is left out of trees.
//! * [`walk`] lists trees, and opens what is in them, on all threads.
//! * [`watch`] tells what changes in trees.
//! * [`objects`] reads objects of a store as if they were files.
//! * [`child`] starts processes that do not outlive this one.
//! * [`signals`] ends a command cleanly on Ctrl-C.
//! * [`terminal`] gets a console ready for colours.

mod ahead;
mod append;
mod atomic;
mod below;
pub mod cgroup;
pub mod child;
pub mod engine;
mod file;
pub mod filter;
mod head_reader;
pub mod held;
mod host;
mod linked;
pub mod lock;
mod long_path;
pub mod mount;
mod moved;
pub mod objects;
pub mod order;
mod patch;
pub mod probe;
mod raw;
pub mod scratch;
pub mod signals;
mod sink;
mod status;
mod stream;
mod sys;
pub mod terminal;
pub mod throttle;
mod token_bucket;
pub mod volume;
pub mod walk;
pub mod watch;

pub use atomic::sync_folder;
pub use below::{PlacedNames, make_folder, make_folder_of, place_below};
pub use file::{
    FileSource, OpenFile, OpenedSource, bytes_of, copy_file, file_bytes, folders_and_files,
    is_folder, open, prefetch, read_whole,
};
pub use head_reader::{HeadReader, HeadSource};
pub use host::host_name;
pub use linked::{check_unchanged, link_over, new_file, unlink_copy};
pub use moved::{copy_new, move_new, remove_copy};
pub use patch::{patch_at, patch_start};
pub use raw::{RawFile, read_ends, read_raw, same_bytes};
pub use sink::{FileSink, SinkOptions, WrittenFile, is_direct};
pub use stream::StreamSource;

use solio_base::{Error, Result};
use std::path::Path;

/// The name that means standard input or standard output.
pub const STANDARD: &str = "-";

/// Whether the system would leave the name of a new file as it is. Files that this crate makes are asked
/// about by themselves; this is for libraries that make files (SQLite).
///
/// ```
/// assert!(solio_io::check_new_name("shots/c.sqlite".as_ref()).is_ok());
/// ```
///
/// # Errors
/// `Argument` on Windows for `NUL`, `a.` and the like.
pub fn check_new_name(path: &Path) -> Result<()> {
    at_path(sys::check_new_name(path), path)
}

/// The system's error while doing `action` to the file at `path`.
pub(crate) fn io_error(action: &str, error: std::io::Error, path: &Path) -> Error {
    system_error(action, error).at_path(path)
}

/// The system's error while doing `action`, with a hint where it has a common cause.
pub(crate) fn system_error(action: &str, error: std::io::Error) -> Error {
    let hint = match error.kind() {
        std::io::ErrorKind::StorageFull => Some("the disk is full; the old file is as it was"),
        std::io::ErrorKind::QuotaExceeded => Some("your disk quota is used up"),
        std::io::ErrorKind::ReadOnlyFilesystem => Some("the file system is mounted read-only"),
        _ => sys::hint(&error),
    };
    let error = Error::io(action, error);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

pub(crate) fn at_path<T>(result: Result<T>, path: &Path) -> Result<T> {
    result.map_err(|e| e.at_path(path))
}
