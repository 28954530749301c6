//! Sony's maker notes: a directory, often behind a head, and records in it that are enciphered.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{MakerBlock, put, read_record};
use crate::rule::TagRule;
use crate::table;
use crate::value::Value;
use solio_container::ByteView;

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
    let Some(table) = table::SONY.table(&format!("sony_{name}")) else { return };
    if block.part.len() > MOST_RECORD || !gather.fields.wants_any("Sony", table) {
        return;
    }
    let Some(bytes) = block.part.all(MOST_RECORD) else { return };
    let plain = deciphered(&bytes);
    read_record(ByteView::memory(&plain), table, &block.around, gather);
}

/// An entry that another has the place of where the notes are of the newer form.
fn by_version(id: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    const NEWER: &[u8] = b"DC7303320222000\0";
    let version = block.entry(SHOT_INFO).and_then(|(info, _)| info.get(0x34, NEWER.len()));
    let newer = version.is_some_and(|version| *version == *NEWER);
    if newer == (id == "b04e") {
        numbered("sony_version", id, block, gather);
    }
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
    if gather.find("Sony", "WhiteBalance").is_none() {
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
