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
    let view = note.tiff.from(note.at);
    // General Imaging had cameras made that write the same, under two of its names.
    let at = match head {
        _ if head.starts_with(b"FUJIFILM") || head.starts_with(b"GENERALE") => {
            u64::from(view.le32(8)?)
        }
        [b'G', b'E', 12, 0, 0, 0, 22, 0, 0, 0, ..] => 12,
        [b'G', b'E', b'N', b'I', b'C', 12, 0, 0, 0, ..] => u64::from(view.le32(5)?),
        _ => return None,
    };
    let table = table::FUJIFILM.table("fujifilm")?;
    Some(NoteDirectory::new((view, at, false), "FujiFilm", table, camera))
}
