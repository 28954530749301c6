//! Maker notes of Casio, DJI, JVC, Kodak, Motorola, Ricoh, Samsung, Sanyo and Sigma: small ones.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::{NoteDirectory, NoteOffsets, read_note};
use crate::gather::Gather;
use crate::record::{Around, MakerBlock, read_record};
use crate::rule::TagRule;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::ByteView;
use std::borrow::Cow;

/// Where the note's directory is, if it is one of these makers'.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let make = camera.make.to_ascii_uppercase();
    let tiff = |skip: u64, big: bool| Some((note.tiff, note.at.checked_add(skip)?, big));
    let own = note.tiff.from(note.at);
    let casio = make.starts_with("CASIO") && !head.starts_with(b"DCI\0");
    let (group, name, (view, at, big)) = match head {
        _ if head.starts_with(b"QVC\0") => ("Casio", "casio2", tiff(6, true)?),
        _ if head.starts_with(b"SIGMA\0") || head.starts_with(b"FOVEON\0") => {
            ("Sigma", "sigma", tiff(10, note.big)?)
        }
        _ if head.starts_with(b"JVC ") => ("JVC", "jvc", tiff(4, note.big)?),
        _ if head.starts_with(b"MOT\0") => ("Motorola", "motorola", (own, 8, true)),
        _ if head.starts_with(b"SANYO\0") => ("Sanyo", "sanyo", tiff(8, note.big)?),
        _ if head.starts_with(b"Ricoh") || head.starts_with(b"RICOH") => {
            ("Ricoh", "ricoh", tiff(8, note.big)?)
        }
        _ if casio => ("Casio", "casio1", tiff(0, note.big)?),
        _ if make == "SAMSUNG" => ("Samsung", "samsung", tiff(0, note.big)?),
        _ if make == "DJI" => ("DJI", "dji", tiff(0, note.big)?),
        _ => return None,
    };
    let table = table::MAKERS.table(name)?;
    let mut place = NoteDirectory::new((view, at, big), group, table, camera);
    // Some of Sanyo's cameras wrote offsets that mean nothing.
    let model = camera.model.as_bytes();
    if let ("Sanyo", [b'J' | b'S', b'0'..=b'9', ..]) = (group, model) {
        place.offsets = NoteOffsets::Nothing;
    }
    Some(place)
}

/// Reads a note that is no directory. False where it is none of these makers'.
pub(super) fn read(
    body: ByteView<'_>,
    head: &[u8],
    camera: &CameraModel,
    big: bool,
    gather: &mut Gather<'_>,
) -> bool {
    let make = camera.make.to_ascii_uppercase();
    if make.starts_with("RICOH") && (head.starts_with(b"Rv") || head.starts_with(b"Rev")) {
        ricoh(body, gather);
        return true;
    }
    let kodak = head.starts_with(b"KDK") || make.starts_with("EASTMAN KODAK");
    let year = body.be16(12).unwrap_or(0);
    let (name, skip, big) = match head {
        _ if head.starts_with(b"KDK INFO") => ("kodak1", 8, true),
        _ if head.starts_with(b"KDK") => ("kodak1", 8, false),
        _ if kodak && (1990..2030).contains(&year) => ("kodak3", 0, big),
        _ if kodak && body.get(41, 3).is_some_and(|end| end[..] == *b"JPG") => ("kodak4", 0, big),
        _ => return false,
    };
    if let Some(table) = table::MAKERS.table(name) {
        let group = Cow::Borrowed("Kodak");
        let around = Around { big, camera, ..Around::container(&group) };
        read_record(body.from(skip), table, &around, gather);
    }
    true
}

/// Reads a block: a directory of Ricoh's within the note, behind a line of text that ends in a
/// zero where offsets count from the line.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let head = block.part.get(0, 20).unwrap_or_default();
    if name != "others.ricoh_inner" || !head.starts_with(b"[Ricoh Camera Info]") {
        return;
    }
    let places = block.part.place().zip(block.view.place());
    let (view, at) = match places {
        Some((here, base)) if head.ends_with(&[0xff]) => (block.view, here - base + 20),
        _ => (block.part, 20),
    };
    if let Some(table) = table::MAKERS.table("ricoh_inner") {
        let (big, camera) = (block.around.big, block.around.camera);
        read_note(&NoteDirectory::new((view, at, big), "Ricoh", table, camera), gather);
    }
}

/// `Rv0207;Sf6C84;Rg76;…`: two letters and a value.
fn ricoh(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let bytes = body.all(1 << 12).unwrap_or_default();
    let text = lossy(&bytes);
    for pair in text.split([';', ':']).take(64) {
        let Some((name, value)) = pair.split_at_checked(2) else { continue };
        let name = match name {
            "Rv" => "FirmwareVersion",
            "Rg" => "RedGain",
            "Gg" => "GreenGain",
            "Bg" => "BlueGain",
            _ => continue,
        };
        let rule = if name == "FirmwareVersion" {
            crate::rule::makers::own("others.version")
        } else {
            None
        };
        gather.put("Ricoh", name, Value::text(value), rule.map_or(TagRule::Plain, TagRule::Own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn a_text_of_ricoh() {
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        ricoh(ByteView::memory(b"Rv0103;Rg1C;Bg18;Ll0:\0\xff"), &mut gather);
        let all: Vec<_> = gather.tags.iter().map(|t| (&*t.name, t.text().plain())).collect();
        let want = [("FirmwareVersion", "1.03"), ("RedGain", "1C"), ("BlueGain", "18")];
        assert_eq!(all, want.map(|(name, value)| (name, value.to_owned())));
    }
}
