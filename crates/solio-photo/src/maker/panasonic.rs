//! Maker notes of Panasonic.

use super::{MakerBlock, MakerNote};
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::rule::{MakerRule, TagRule};
use crate::stored::decode;
use crate::table::{self, Lazy};
use crate::value::Value;
use solio_container::tiff::FieldType;

/// The rules that Panasonic's table names.
pub(super) const RULES: &[MakerRule] =
    &[MakerRule { name: "panasonic.date", number: date, text: Value::clone }];

/// Where the note's directory is, if it is one of Panasonic's; offsets count as EXIF's own do.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    if !head.starts_with(b"Panasonic\0\0\0") {
        return None;
    }
    let table = table::PANASONIC.table("panasonic")?;
    let (view, at, big) = (note.tiff, note.at.checked_add(12)?, note.big);
    Some(NoteDirectory { view, at, big, group: "Panasonic", table, camera })
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
    crate::container::read_jpeg(block.part, gather);
    gather.keep_new(before);
}

/// Part of a block, as `stored`.
fn part(block: &MakerBlock<'_>, at: u64, bytes: usize, stored: FieldType) -> Option<Value> {
    Some(decode(&block.part.get(at, bytes)?, stored, block.around.big))
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

/// Bytes of two decimal digits each.
fn date(value: &Value) -> Value {
    let Value::Ints(bytes) = value else { return value.clone() };
    let [century, year, month, day, hour, minute, second, part] = bytes[..] else {
        return value.clone();
    };
    Value::text(format!(
        "{century:02x}{year:02x}:{month:02x}:{day:02x} {hour:02x}:{minute:02x}:{second:02x}.{part:02x}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_decimal_digits() {
        let bytes = Value::Ints(vec![0x20, 0x11, 0x08, 0x31, 0x23, 0x59, 0x07, 0x50]);
        assert_eq!(date(&bytes).plain(), "2011:08:31 23:59:07.50");
    }
}
