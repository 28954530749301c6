//! Maker notes of Minolta and Konica Minolta.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{MakerBlock, put};
use crate::table;

/// Where the note's directory is, if it is one of Minolta's: it starts without a head.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let known = camera.make.starts_with("Minolta") || camera.make.starts_with("KONICA MINOLTA");
    let known = known || camera.make.starts_with("Konica Minolta");
    // Cheap cameras, which others made, have other notes.
    if !known
        || ["MLY", "KC", "+M", "MINOL", "CAMER"]
            .iter()
            .any(|mark| head.starts_with(mark.as_bytes()))
    {
        return None;
    }
    let table = table::MINOLTA.table("minolta")?;
    let (view, at, big) = (note.tiff, note.at, note.big);
    Some(NoteDirectory::new((view, at, big), "Minolta", table, camera))
}

/// Reads a block that Minolta's tables name.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    // The settings say it better, where they do.
    let known = gather.find("Minolta", "ColorMode").is_some();
    if let ("minolta.color_mode", false, Some(table), Some(value)) =
        (name, known, table::MINOLTA.table("minolta_color_mode"), block.value())
    {
        put(table, 0, value, &block.around, gather);
    }
}
