//! Maker notes of Panasonic.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::MakerBlock;
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table::{self, Lazy};
use crate::value::Value;
use solio_container::{ByteView, tiff::FieldType};

/// Where the note's directory is, if it is one of Panasonic's; offsets count as EXIF's own do.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let (group, name, view, skip) = match head {
        _ if head.starts_with(b"Panasonic\0") => ("Panasonic", "panasonic", note.tiff, 12),
        _ if head.starts_with(b"LEICA CAMERA AG\0") => ("Panasonic", "panasonic", note.tiff, 18),
        _ => leica(note, head, camera)?,
    };
    let table = table::PANASONIC.table(name)?;
    let at = if view.place() == note.tiff.place() { note.at.checked_add(skip)? } else { skip };
    Some(NoteDirectory::new((view, at, note.big), group, table, camera))
}

/// Group, table, what offsets count from, and how long the head is, of Leica's own layouts and of the
/// cameras that Panasonic made.
fn leica<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &CameraModel,
) -> Option<(&'static str, &'static str, ByteView<'a>, u64)> {
    let make = camera.make.to_ascii_uppercase();
    let own = note.tiff.from(note.at);
    Some(match head {
        // The digital backs have no head, and Panasonic's cameras the maker's short name.
        [b'L', b'E', b'I', b'C', b'A', rest @ ..] => match rest {
            [b'0', 3, 0, ..] => ("Leica", "leica4", own, 8),
            [0, 0, 0, ..] if make.starts_with("LEICA CAMERA") => ("Leica", "leica2", own, 8),
            [0, 2, 0xff, ..] => ("Leica", "leica6", note.tiff, 8),
            [0, 2, 0, ..] => ("Leica", "leica9", own, 8),
            [0, 1 | 4..=7 | 0x10 | 0x1a, 0, ..] => ("Leica", "leica5", own, 8),
            [0, 8..=10, 0, ..] => ("Leica", "leica5", note.tiff, 8),
            _ => ("Panasonic", "panasonic", note.tiff, 8),
        },
        _ if make == "LEICA" => ("Panasonic", "panasonic", note.tiff, 8),
        _ if make.starts_with("LEICA CAMERA") => ("Leica", "leica3", note.tiff, 0),
        _ => return None,
    })
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    match name {
        "panasonic.faces" => faces(block, gather),
        "panasonic.recognized" => recognized(block, gather),
        "panasonic.jpeg" => jpeg(block, gather),
        _ => {}
    }
}

/// The tags of a raw file's main directory that are the maker's own.
pub(crate) fn raw_table() -> Option<&'static Lazy> {
    table::PANASONIC.table("panasonic_raw")
}

/// The picture for viewing within a raw file has what EXIF says and the maker's note. What the file
/// said before counts.
fn jpeg(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let value = Value::from(block.part);
    gather.put(block.around.group.clone(), "JpgFromRaw", value, TagRule::Binary);
    let before = gather.mark();
    (gather.read_jpeg)(block.part, gather);
    gather.keep_new(before);
}

/// How many faces, and the place of each: centre and size.
fn faces(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(count) = part(block, 0, 2, FieldType::Int16u) else { return };
    let faces = count.integer(0).unwrap_or(0).clamp(0, 5) as u64;
    let group = block.around.group;
    gather.put(group.clone(), "NumFacePositions", count, TagRule::Plain);
    for n in 0..faces {
        let Some(place) = part(block, 2 + n * 8, 8, FieldType::Int16u) else { return };
        gather.put(group.clone(), format!("Face{}Position", n + 1), place, TagRule::Plain);
    }
}

/// How many faces have a name; name, place and age of each.
fn recognized(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(count) = part(block, 0, 2, FieldType::Int16u) else { return };
    let faces = count.integer(0).unwrap_or(0).clamp(0, 3) as u64;
    let group = block.around.group;
    gather.put(group.clone(), "FacesRecognized", count, TagRule::Plain);
    for n in 0..faces {
        let at = 4 + n * 48;
        let rows = [
            ("Name", at, 20, FieldType::Text),
            ("Position", at + 20, 8, FieldType::Int16u),
            ("Age", at + 28, 20, FieldType::Text),
        ];
        for (name, at, bytes, stored) in rows {
            let Some(value) = part(block, at, bytes, stored) else { return };
            let name = format!("RecognizedFace{}{name}", n + 1);
            gather.put(group.clone(), name, value, TagRule::Plain);
        }
    }
}

/// Part of a block, as `stored`.
fn part(block: &MakerBlock<'_>, at: u64, bytes: usize, stored: FieldType) -> Option<Value> {
    Some(decode(&block.part.get(at, bytes)?, stored, block.around.big))
}
