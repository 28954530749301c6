//! Nikon's maker notes.

use super::{Block, Camera, Note};
use crate::exif::Place;
use crate::gather::Gather;
use crate::rule::Own;
use crate::table;

/// The rules that Nikon's tables name.
pub(super) const RULES: &[Own] = &[];

/// Where the note's directory is, if it is one of Nikon's.
pub(super) fn place<'a>(note: &Note<'a>, head: &[u8], camera: &'a Camera) -> Option<Place<'a>> {
    let table = table::NIKON.table("nikon")?;
    (camera.make.starts_with("Nikon") && !head.is_empty()).then_some(Place {
        view: note.tiff,
        at: note.at,
        big: note.big,
        group: "Nikon",
        table,
        camera,
    })
}

/// Reads a block.
pub(super) fn hook(_name: &str, _block: &Block<'_>, _gather: &mut Gather<'_>) {}
