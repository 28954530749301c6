//! EXIF: a TIFF structure of directories, each a list of tags.

mod directory;
mod geotiff;
mod pictures;
mod value;

pub(crate) use directory::{Place, ids_of, read_as, read_chain, read_note, read_part, read_tiff};
pub(crate) use pictures::Role;
pub(crate) use value::decode;
