//! Maker notes of FujiFilm.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::table;

/// Where the note's directory is, if it is one of FujiFilm's; offsets count from the note.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    if !head.starts_with(b"FUJIFILM") {
        return None;
    }
    let view = note.tiff.from(note.at);
    let at = u64::from(view.le32(8)?);
    let table = table::FUJIFILM.table("fujifilm")?;
    Some(NoteDirectory::new((view, at, false), "FujiFilm", table, camera))
}
