//! EXIF: a TIFF structure of directories, each a list of tags.
//!
//! ```text
//! byte order "II" or "MM" · 42 (43: BigTIFF) · offset of the first directory
//! directory: count · entries (tag, type, count, value or offset; 12 bytes) · offset of the next
//! ```
//! TIFF 6.0, sections 2 and 7; CIPA DC-008 (Exif) 4.6.

mod directory;
mod geotiff;
mod pictures;
mod value;

pub(crate) use directory::{Place, ids_of, read_as, read_chain, read_note, read_tiff};
pub(crate) use pictures::Role;
pub(crate) use value::{Stored, decode, word};
