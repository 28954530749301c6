//! Maker notes of Pentax, and of Ricoh's cameras of that name.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{Around, MakerBlock, read_record};
use crate::rule::TagRule;
use crate::table;
use crate::value::Value;
use solio_container::ByteView;
use std::borrow::Cow;

/// Where the note's directory is, if it is one of Pentax'.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let asahi = camera.make.starts_with("Asahi");
    let plain = ["330", "430"].iter().any(|model| camera.model.ends_with(model));
    if asahi && plain && camera.model.contains("Optio") && !head.starts_with(b"AOC\0") {
        let table = table::PENTAX.table("pentax2")?;
        return Some(NoteDirectory::new((note.tiff, note.at, note.big), "Pentax", table, camera));
    }
    // Some write what Casio's do.
    if asahi && head.starts_with(b"AOC\0\0\0") {
        let table = table::MAKERS.table("casio2")?;
        let place = (note.tiff, note.at.checked_add(6)?, note.big);
        return Some(NoteDirectory::new(place, "Casio", table, camera));
    }
    // Offsets count from the TIFF structure behind the first head, from the note behind the other.
    let (view, at) = if head.starts_with(b"AOC\0") {
        (note.tiff, note.at.checked_add(6)?)
    } else if head.starts_with(b"PENTAX \0") {
        (note.tiff.from(note.at), 10)
    } else {
        return None;
    };
    let table = table::PENTAX.table("pentax")?;
    Some(NoteDirectory::new((view, at, note.big), "Pentax", table, camera))
}

/// Reads what films of these cameras hold among their user data.
pub(crate) fn read_movie(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let ours = body.get(0, 6).is_some_and(|head| head[..] == *b"PENTAX");
    if let (true, Some(table)) = (ours, table::PENTAX.table("pentax_movie")) {
        let (group, camera) = (Cow::Borrowed("Pentax"), &CameraModel::NONE);
        read_record(
            body,
            table,
            &Around { big: false, camera, ..Around::container(&group) },
            gather,
        );
    }
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    if name == "pentax.shutter_count"
        && gather.wants(block.around.group, "ShutterCount")
        && let Some(count) = shutter_count(block)
    {
        gather.put(block.around.group.clone(), "ShutterCount", Value::int(count), TagRule::Plain);
    }
}

/// The count is mixed with the date and the time, which the same directory holds.
fn shutter_count(block: &MakerBlock<'_>) -> Option<u32> {
    let mixed = u32::from_be_bytes(block.part.array(0)?);
    let date = u32::from_be_bytes(in_place(block, 6)?);
    let [hour, minute, second, _] = in_place(block, 7)?;
    Some(mixed ^ date ^ !u32::from_be_bytes([hour, minute, second, 0]))
}

/// The four bytes of an entry of the block's directory that lie in the entry itself.
fn in_place(block: &MakerBlock<'_>, id: u16) -> Option<[u8; 4]> {
    block.view.array(super::entry_of(block, id)? + 8)
}
