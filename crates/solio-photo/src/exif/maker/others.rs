//! Maker notes of Casio, DJI, FLIR, GE, HP, JVC, Kodak, Motorola, Ricoh, Samsung, Sanyo, Sigma and SonyEricsson:
//! small ones.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::{NoteDirectory, NoteOffsets, read_note};
use crate::gather::Gather;
use crate::record::{Around, MakerBlock, read_record};
use crate::rule::TagRule;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::{
    ByteView,
    tiff::{FieldType, word},
};
use solio_kinds::FileKind;
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
        // A TIFF structure of its own.
        _ if make.starts_with("EASTMAN")
            && FileKind::Tiff.is_at_start(head)
            && matches!(head.get(4..8), Some([8, 0, 0, 0] | [0, 0, 0, 8])) =>
        {
            ("Kodak", "kodak8", (own, 8, head[0] == b'M'))
        }
        [order @ (b'I' | b'M'), second, rest @ ..]
            if order == second
                && make.starts_with("EASTMAN")
                && rest.len() > 4
                && !rest.starts_with(&[*order])
                && !rest.starts_with(b"*\0")
                && !rest.starts_with(b"\0*") =>
        {
            ("Kodak", "kodak10", tiff(2, *order == b'M')?)
        }
        _ if head.starts_with(b"JVC ") => ("JVC", "jvc", tiff(4, note.big)?),
        _ if head.starts_with(b"GE\0\0") || head.starts_with(b"GENIC\0\x01") => {
            ("GE", "ge", (own, 18, head.get(10) == Some(&b'M')))
        }
        _ if head.starts_with(b"MOT\0") => ("Motorola", "motorola", (own, 8, true)),
        _ if head.starts_with(b"SANYO\0") => ("Sanyo", "sanyo", tiff(8, note.big)?),
        _ if head.starts_with(b"Ricoh") || head.starts_with(b"RICOH") => {
            ("Ricoh", "ricoh", tiff(8, note.big)?)
        }
        _ if head.starts_with(b"SEMC MS\0") => {
            let tiff = note.tiff.from(note.at.checked_add(12)?);
            ("Sony", "sony_ericsson", (tiff, 8, head.get(12) == Some(&b'M')))
        }
        _ if head.starts_with(b"STMN") => return None,
        _ if casio => ("Casio", "casio1", tiff(0, note.big)?),
        _ if make == "SAMSUNG" => ("Samsung", "samsung", tiff(0, note.big)?),
        _ if make.starts_with("FLIR SYSTEMS") => ("FLIR", "flir", tiff(0, note.big)?),
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
    if head.starts_with(b"STMN") {
        return fields("samsung_stmn", "Samsung", body, camera, big, gather);
    }
    if let Some(text) = body.get(0, 16).filter(|_| head.starts_with(b"VER:")) {
        jvc_text(&text, gather);
        return true;
    }
    for (mark, name) in [(b"IIII\x04\0", "hp4"), (b"IIII\x06\0", "hp6")] {
        if head.starts_with(mark) {
            return fields(name, "HP", body, camera, big, gather);
        }
    }
    // Other makers sell cameras that write this, too.
    if head.starts_with(b"IIII\x03\0") {
        return fields("kodak9", "Kodak", body, camera, big, gather);
    }
    let kodak = head.starts_with(b"KDK") || make.starts_with("EASTMAN KODAK");
    let year = body.be16(12).unwrap_or(0);
    let (name, skip, big) = match head {
        _ if head.starts_with(b"KDK INFO") => ("kodak1", 8, true),
        _ if head.starts_with(b"KDK") => ("kodak1", 8, false),
        _ if kodak && (1990..2030).contains(&year) => ("kodak3", 0, big),
        _ if kodak && body.get(41, 3).is_some_and(|end| end[..] == *b"JPG") => ("kodak4", 0, big),
        _ if kodak && is_serial(head) => ("kodak7", 0, big),
        _ if kodak && are_settings(body, 28) => ("kodak5", 0, big),
        _ if kodak && are_settings(body, 24) => ("kodak6", 0, big),
        _ if names_camera(body, camera) => ("kodak2", 0, big),
        _ => return false,
    };
    fields(name, "Kodak", body.from(skip), camera, big, gather)
}

/// Reads a note that is numbers at fixed places.
fn fields(
    name: &str,
    group: &'static str,
    body: ByteView<'_>,
    camera: &CameraModel,
    big: bool,
    gather: &mut Gather<'_>,
) -> bool {
    let Some(table) = table::MAKERS.table(name) else { return false };
    let group = Cow::Borrowed(group);
    let around = Around { big, camera, ..Around::container(&group) };
    read_record(body, table, &around, gather);
    true
}

/// Whether a note of Kodak's starts with a serial number, such as `C31030872732` or `C530 01891884`.
fn is_serial(head: &[u8]) -> bool {
    let text = head.split(|byte| *byte == 0).next().unwrap_or_default();
    (10..16).contains(&text.len())
        && text[0].is_ascii_uppercase()
        && text[1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b' ')
        && head[text.len()..].iter().all(|byte| *byte == 0)
}

/// Whether aperture, sensitivity, optical and digital zoom can lie at `at`: notes of Kodak's that are
/// nothing but numbers differ in where.
fn are_settings(body: ByteView<'_>, at: u64) -> bool {
    let within = |place: u64, low: u16, high: u16| {
        body.be16(place).is_some_and(|number| (low..=high).contains(&number))
    };
    within(at, 100, 3200)
        && within(at + 2, 25, 3200)
        && within(at + 4, 100, 2000)
        && within(at + 6, 100, 2000)
}

/// Whether the note has the names of a maker and of this camera (without its version), in 32 bytes each.
fn names_camera(body: ByteView<'_>, camera: &CameraModel) -> bool {
    let name = |at| {
        let bytes = body.get(at, 32)?;
        Some(crate::text::before_zero(&lossy(&bytes)).trim_end().to_owned())
    };
    let (maker, model) = (name(8).unwrap_or_default(), name(40).unwrap_or_default());
    !maker.is_empty() && model.starts_with(&maker) && camera.model.starts_with(&model)
}

/// `VER:0100QTY:FINE`.
fn jvc_text(text: &[u8], gather: &mut Gather<'_>) {
    let text = lossy(text);
    if let Some(version) = text.strip_prefix("VER:").and_then(|rest| rest.get(..4)) {
        gather.put("JVC", "MakerNoteVersion", Value::text(version), TagRule::Plain);
    }
    if let Some(quality) = text.get(8..).and_then(|rest| rest.strip_prefix("QTY:")) {
        let rule = TagRule::Words { words: "FINE:Fine|STND:Normal|*:{}", hex: false };
        gather.put("JVC", "Quality", Value::text(quality), rule);
    }
}

/// Reads a block: a directory of Ricoh's within the note, behind a line of text. Offsets count from
/// the line, or as the note's do.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let head = block.part.get(0, 20).unwrap_or_default();
    if name != "others.ricoh_inner" || !head.starts_with(b"[Ricoh Camera Info]") {
        return;
    }
    let (view, at) = match block.part.place().zip(block.view.place()) {
        Some((here, base)) if !from_line(block) => (block.view, here - base + 20),
        _ => (block.part, 20),
    };
    if let Some(table) = table::MAKERS.table("ricoh_inner") {
        let (big, camera) = (block.around.big, block.around.camera);
        read_note(&NoteDirectory::new((view, at, big), "Ricoh", table, camera), gather);
    }
}

/// Whether the first offset of the directory behind the line leads to right behind the directory when
/// it counts from the line.
fn from_line(block: &MakerBlock<'_>) -> bool {
    let number = |at, bytes| Some(word(&block.part.get(at, bytes)?, block.around.big));
    let count = number(20, 2).unwrap_or(0).min(256);
    let longer = (0..count).find_map(|n| {
        let entry = 22 + 12 * n;
        let stored = FieldType::of_number(number(entry + 2, 2)? as u16)?;
        let bytes = number(entry + 4, 4)?.checked_mul(stored.size() as u64)?;
        if bytes > 4 { number(entry + 8, 4) } else { None }
    });
    let behind = 22 + 12 * count;
    longer.is_some_and(|offset| (behind..behind + 8).contains(&offset))
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
