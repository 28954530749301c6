//! A file of arrays: chunks of the codec, and a table that says where each lies.
//!
//! ```text
//! head     16 bytes   mark, version, check
//! chunks              one after the other
//! table               entries: name, kind, what the kind says, sizes and sums of their chunks
//! tail     40 bytes   where the table is, check, mark
//! ```
//!
//! Every chunk stands for itself and has a sum of its own, so any of them is read without the
//! others. An entry is an array, or something else that was cut into chunks: an OpenEXR file, of
//! which `solio-exr` knows more. The layout byte by byte stands in `docs/formats/array.md`.

mod read;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod write;

pub use read::{ArrayFile, ArrayReadOptions};
pub use shape::ArrayShape;
pub use table::{ChunkLocation, Kind, TableEntry};
pub use write::{ArrayWriter, ChunkChecksum};

use solio_kinds::FileKind;

/// The first and the last bytes of a file of arrays. A transfer that takes it for text, or cuts off
/// a bit of each byte, changes them.
pub const MARK: [u8; 8] = match FileKind::Archive.mark().first_chunk() {
    Some(mark) => *mark,
    None => panic!("a file of arrays begins with eight bytes"),
};

/// Whether a file that begins so is a file of arrays.
///
/// ```
/// use solio_codec::array::file::{MARK, is_array_file};
/// assert!(is_array_file(&[&MARK[..], b"and so on"].concat()));
/// // A transfer as text has changed the line end.
/// assert!(!is_array_file(b"\x89array\nand so on"));
/// ```
pub fn is_array_file(head: &[u8]) -> bool {
    head.starts_with(&MARK)
}
