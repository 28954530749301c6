//! EXIF: a TIFF structure of directories, each a list of tags.

mod directory;
mod geotiff;
mod pictures;
mod value;

pub(crate) use directory::{
    NoteDirectory, ids_of, read_as, read_chain, read_note, read_part, read_tiff,
};
pub(crate) use pictures::TiffRole;
pub(crate) use value::decode;
