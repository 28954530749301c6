//! EXIF: a TIFF structure of directories, each a list of tags.

mod directory;
mod geotiff;
pub(crate) mod maker;
pub(crate) mod photoshop;
mod pictures;

pub(crate) use directory::{
    BYTE_ORDER, NoteDirectory, NoteOffsets, PRINT_IM, read_as, read_chain, read_note, read_part,
    read_tiff,
};
pub(crate) use pictures::TiffRole;
