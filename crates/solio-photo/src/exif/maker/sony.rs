//! Sony's maker notes: a directory, often behind a head, and records in it that are enciphered.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{MakerBlock, put, read_block, read_record};
use crate::rule::TagRule;
use crate::table;
use crate::value::Value;
use solio_container::{ByteView, tiff::FieldType};

/// Where the note's directory is, if it is one of Sony's.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let table = table::SONY.table("sony")?;
    let headed = [&b"SONY DSC"[..], b"SONY CAM", b"SONY MOBILE", b"\0\0SONY PIC\0", b"VHAB     \0"];
    let at = if headed.iter().any(|text| head.starts_with(text)) {
        note.at + 12
    } else if camera.make.starts_with("SONY")
        && !head.starts_with(b"SONY PI")
        && !head.starts_with(b"PREMI")
    {
        note.at
    } else {
        return None;
    };
    Some(NoteDirectory::new((note.tiff, at, note.big), "Sony", table, camera))
}

/// The tag `ShotInfo`.
const SHOT_INFO: u16 = 0x3000;

/// Longest enciphered record that is read.
const MOST_RECORD: u64 = 1 << 20;

/// Most blocks of a list that are looked through.
const MOST_BLOCKS: u64 = 64;

/// Reads an enciphered record: the table has the block's name.
pub(super) fn hook(name: &'static str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(name) = name.strip_prefix("sony.") else { return };
    if let Some((kind, of)) = name.split_once('.') {
        return match kind {
            "version" => by_version(of, block, gather),
            "second" => second(of, block, gather),
            _ => temperature(of, block, gather),
        };
    }
    if name == "more_info" {
        return more_info(block, gather);
    }
    if name == "faces" {
        return faces(block, gather);
    }
    if name == "tag9402" && between(block) {
        return; // its layout is not known
    }
    let Some(table) = table::SONY.table(&format!("sony_{name}")) else { return };
    if block.part.len() > MOST_RECORD || !gather.fields.wants_any("Sony", table) {
        return;
    }
    let Some(bytes) = block.part.all(MOST_RECORD) else { return };
    let plain = deciphered(&bytes);
    read_record(ByteView::memory(&plain), table, &block.around, gather);
}

/// A list of blocks: how many, how long all is, and each one's number and place. A block ends where
/// the next of the list starts.
fn more_info(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(table) = table::SONY.table("sony_more") else { return };
    let number = |index: u64| Some(block.number(index, FieldType::Int16u)? as u64);
    let (Some(count), Some(all)) = (number(0), number(1)) else { return };
    let all = all.min(block.part.len());
    for n in 0..count.min(MOST_BLOCKS) {
        let end = if n + 1 < count { number(5 + 2 * n) } else { Some(all) };
        if let (Some(id), Some(start), Some(end)) = (number(2 + 2 * n), number(3 + 2 * n), end)
            && start < end
            && end <= all
        {
            read_block(
                table,
                id as u32,
                block.part.part(start, end - start),
                &block.around,
                gather,
            );
        }
    }
}

/// An entry that another has the place of where the notes are of the newer form.
fn by_version(id: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    const NEWER: &[u8] = b"DC7303320222000\0";
    let version = block.entry(SHOT_INFO).and_then(|(info, _)| info.get(0x34, NEWER.len()));
    let newer = version.is_some_and(|version| *version == *NEWER);
    match id {
        "b043" if newer && !between(block) => {}
        "b043" if newer => numbered("sony_version", "1b043", block, gather),
        _ if newer == (id == "b04e") => numbered("sony_version", id, block, gather),
        _ => {}
    }
}

/// Where faces are, where the record says that they lie here.
fn faces(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let place = crate::record::number_at(block.view, 1, FieldType::Int16u, block.around.big);
    if let (Some(table), true) = (table::SONY.table("sony_face_info2"), place == Some(94)) {
        read_record(block.part, table, &block.around, gather);
    }
}

/// Whether the note is of 2011's compact cameras and camcorders, whose enciphered blocks are of the
/// newer form while plain entries still hold what the blocks do not: the first block tells by its
/// length.
fn between(block: &MakerBlock<'_>) -> bool {
    block.entry(0x9400).is_some_and(|(part, _)| part.len() == 144)
}

/// Degrees, where the record says that they were measured.
fn temperature(name: &'static str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let known = match name {
        "AmbientTemperature" => block.view.u8(2) == Some(255),
        _ => block.view.u8(4).is_some_and(|test| (1..100).contains(&test)),
    };
    if let Some(degrees) = block.part.u8(0).filter(|_| known) {
        let value = Value::int(degrees as i8);
        gather.put(block.around.group.clone(), name, value, TagRule::Template("{} C"));
    }
}

/// Each byte below 249 was replaced by its cube modulo 249.
fn deciphered(bytes: &[u8]) -> Vec<u8> {
    let mut plain: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    for byte in 0..249u32 {
        plain[(byte * byte % 249 * byte % 249) as usize] = byte as u8;
    }
    bytes.iter().map(|byte| plain[usize::from(*byte)]).collect()
}

/// An entry that counts where no other of its name does.
fn second(id: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let table = table::SONY.table("sony_second").map(|table| table.get());
    let row = table.and_then(|table| table.row(u32::from_str_radix(id, 16).unwrap_or(0)));
    if row.is_some_and(|row| gather.find("Sony", row.name).is_none()) {
        numbered("sony_second", id, block, gather);
    }
}

fn numbered(table: &str, id: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let id = u32::from_str_radix(id, 16).unwrap_or(0);
    if let (Some(table), Some(value)) = (table::SONY.table(table), block.value()) {
        put(table, id, value, &block.around, gather);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_deciphered() {
        let all: Vec<u8> = (0..=255).collect();
        let plain = deciphered(&all);
        for byte in 0..249u32 {
            assert_eq!(plain[(byte.pow(3) % 249) as usize], byte as u8);
        }
        assert_eq!(plain[250], 250);
    }
}
