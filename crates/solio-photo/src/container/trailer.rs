//! What programs append behind the picture of a JPEG. Each trailer ends with a mark, so that they
//! are found from the file's end backwards.
//!
//! AXS File Concatenation Protocol; FotoStation and Photo Mechanic (as files show it); Samsung's
//! directory "SEFH" (as metadata-extractor's issues describe it).

use crate::Fields;
use crate::gather::Gather;
use crate::iptc::{self, IptcHome};
use crate::rule::{Named, TagRule};
use crate::stored::decode;
use crate::value::{Value, lossy};
use crate::{table, xmp};
use solio_container::{ByteView, tiff::FieldType};

/// Most trailers behind each other.
const MOST_TRAILERS: usize = 16;
/// Most entries of one trailer's directory.
const MOST_ENTRIES: u32 = 256;
/// Kinds of the parts of Samsung's trailer.
mod samsung_parts {
    pub(super) const IMAGE: u16 = 0x0001;
    pub(super) const AUDIO: u16 = 0x0100;
    pub(super) const TIME: u16 = 0x0a01;
    pub(super) const VIDEO: u16 = 0x0a30;
    pub(super) const DEPTH_MAP: u16 = 0x0ab1;
}

/// Tags that only trailers have, beside those of tables.
const NAMES: [(&str, &[&str]); 3] = [
    ("AFCP", &["Text", "ThumbnailImage", "PreviewImage"]),
    ("FotoStation", &["ThumbnailImage", "PreviewImage"]),
    (
        "Samsung",
        &[
            "EmbeddedImageName",
            "EmbeddedImage",
            "EmbeddedImage2",
            "EmbeddedAudioFileName",
            "EmbeddedAudioFile",
            "EmbeddedVideoType",
            "EmbeddedVideoFile",
            "DepthMapName",
            "DepthMapData",
            "TimeStamp",
        ],
    ),
];

/// Whether a trailer of any camera's file may hold what is wanted. Each costs a read at the end of the file, so
/// a list of dates does without: only Canon's programs append XMP, to files of Canon's cameras.
fn may_hold(fields: &Fields) -> bool {
    fields.is_all()
        || NAMES.iter().any(|(group, names)| names.iter().any(|name| fields.wants(group, name)))
        // What composites of dates are made of comes from the main block.
        || table::IPTC.get().rows().iter().any(|row| fields.asks("IPTC2", row.name))
        || fields.wants_any("FotoStation", &table::FOTO_STATION)
        || fields.wants_any("PhotoMechanic", &table::PHOTO_MECHANIC)
}

/// Reads the trailers of a file, where they may hold what is wanted.
pub(super) fn read(file: ByteView<'_>, gather: &mut Gather<'_>) {
    let fields = gather.fields;
    let of_canon = gather.of_canon && fields.wants_groups_like("XMP");
    if !of_canon && !fields.wants_trailers(may_hold) {
        return;
    }
    let mut rest = file;
    for _ in 0..MOST_TRAILERS {
        let Some(bytes) = last(rest, gather).filter(|bytes| (1..=rest.len()).contains(bytes))
        else {
            return;
        };
        rest = rest.part(0, rest.len() - bytes);
    }
}

/// Reads the trailer that ends where `view` does; gives its length.
fn last(view: ByteView<'_>, gather: &mut Gather<'_>) -> Option<u64> {
    let tail = view.array::<12>(view.len().checked_sub(12)?)?;
    match tail {
        [b'A', b'X', b'S', b'!' | b'*', ..] => afcp(view, tail, gather),
        [.., 0xa1, 0xb2, 0xc3, 0xd4] => foto_station(view, tail, gather),
        [.., b'c', b'b', b'i', b'p', b'c', b'b', b'b', b'l'] => photo_mechanic(view, tail, gather),
        [.., b'S', b'E', b'F', b'T'] => samsung(view, tail, gather),
        _ => canon(view, gather),
    }
}

/// The block of XMP in what Canon's programs append.
const CANON_XMP: u32 = 0xffff_00f6;
/// The mark of what Canon's programs append.
const CANON: [u8; 20] = *b"CANON OPTIONAL DATA\0";

/// A head of 28 bytes, blocks of kind (4) and length (4), a foot of 64 that starts with the mark
/// and the length of the blocks. Of the blocks XMP is read.
pub(super) fn canon(view: ByteView<'_>, gather: &mut Gather<'_>) -> Option<u64> {
    let foot = view.len().checked_sub(64)?;
    if view.array::<20>(foot)? != CANON {
        return None;
    }
    let length = u64::from(view.be32(foot + 20)?);
    let start = foot.checked_sub(28 + length)?;
    if view.array::<20>(start)? != CANON {
        return None;
    }
    let blocks = view.part(start + 28, length);
    let mut at = 0;
    for _ in 0..MOST_ENTRIES {
        let (Some(kind), Some(bytes)) = (blocks.be32(at), blocks.be32(at + 4)) else { break };
        let block = blocks.part(at + 8, u64::from(bytes));
        if kind == CANON_XMP {
            xmp::read_view(block, gather);
        }
        at += 8 + u64::from(bytes);
    }
    Some(view.len() - start)
}

/// "AXS!" or "AXS*" (the byte order), where the trailer starts; there, a list of parts.
fn afcp(view: ByteView<'_>, tail: [u8; 12], gather: &mut Gather<'_>) -> Option<u64> {
    let big = tail[3] == b'!';
    let word = |at: u64| {
        let four = view.array::<4>(at)?;
        Some(if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
    };
    let start = u64::from(word(view.len() - 8)?);
    if view.get(start, 4)?[..] != tail[..4] {
        return None;
    }
    let count = word(start + 4)? & 0xffff;
    for n in 0..u64::from(count.min(MOST_ENTRIES)) {
        let entry = start + 12 + n * 12;
        let (Some(name), Some(bytes), Some(at)) =
            (view.array::<4>(entry), word(entry + 4), word(entry + 8))
        else {
            break;
        };
        let part = view.part(u64::from(at), u64::from(bytes));
        match &name {
            b"IPTC" => iptc::read(part, IptcHome::Second, gather),
            b"TEXT" => {
                let text = lossy(&part.all(1 << 16).unwrap_or_default());
                gather.text("AFCP", "Text", text.trim_end_matches('\0'));
            }
            b"Nail" => picture("AFCP", "ThumbnailImage", part.from(18), gather),
            b"PrVw" => picture("AFCP", "PreviewImage", part.from(18), gather),
            _ => {}
        }
    }
    Some(view.len() - start)
}

fn picture(group: &'static str, name: &'static str, part: ByteView<'_>, gather: &mut Gather<'_>) {
    gather.put(group, name, part.into(), TagRule::Binary);
}

/// Kind (2), length (4), mark (4) behind each part.
fn foto_station(view: ByteView<'_>, tail: [u8; 12], gather: &mut Gather<'_>) -> Option<u64> {
    let kind = u16::from_be_bytes([tail[2], tail[3]]);
    let bytes = u64::from(u32::from_be_bytes([tail[4], tail[5], tail[6], tail[7]]));
    let body = view.part(view.len().checked_sub(bytes)?, bytes.checked_sub(10)?);
    match kind {
        1 => iptc::read(body, IptcHome::Second, gather),
        2 => soft_edit(body, gather),
        3 => picture("FotoStation", "ThumbnailImage", body, gather),
        4 => picture("FotoStation", "PreviewImage", body, gather),
        _ => {}
    }
    Some(bytes)
}

/// How a picture is to be turned and cut, in numbers of 32 bits.
fn soft_edit(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let bytes = body.all(64).unwrap_or_default();
    let numbers = decode(&bytes, FieldType::Int32s, true);
    for row in table::FOTO_STATION.get().rows() {
        let Some(number) = numbers.integer(row.id as usize) else { return };
        let thousandths = Value::Floats(vec![number as f64 / 1000.0]);
        let value = match row.name {
            // Counted against the clock; hundredths of a degree.
            "Rotation" if number == 0 => Value::int(0),
            "Rotation" => Value::Floats(vec![360.0 - number as f64 / 100.0]),
            "CropRotation" => Value::Floats(vec![-number as f64 / 100.0]),
            "XYResolution" => thousandths,
            name if name.starts_with("Crop") => thousandths,
            _ => Value::int(number),
        };
        gather.put("FotoStation", row.name, value, row.rule);
    }
}

/// Length (4) and mark (8) behind datasets as IPTC has them.
fn photo_mechanic(view: ByteView<'_>, tail: [u8; 12], gather: &mut Gather<'_>) -> Option<u64> {
    let bytes = u64::from(u32::from_be_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let start = view.len().checked_sub(bytes + 12)?;
    let body = view.part(start, bytes);
    let all = body.all(1 << 20)?;
    let mut rest = &all[..];
    while let [0x1c, 2, dataset, high, low, after @ ..] = rest {
        let Some((data, after)) =
            after.split_at_checked(usize::from(*high) << 8 | usize::from(*low))
        else {
            break;
        };
        rest = after;
        if let Some(row) = table::PHOTO_MECHANIC.get().row(u32::from(*dataset)) {
            let stored = row.stored.and_then(FieldType::of_name).unwrap_or(FieldType::Text);
            let value = decode(data, stored, true);
            let value = match value.integer(0) {
                // Parts of the whole in units of 2⁻¹⁶.
                Some(part) if row.rule == TagRule::Named(Named::ThousandthPercent) => {
                    Value::Floats(vec![part as f64 / 655.36])
                }
                _ => value,
            };
            gather.put("PhotoMechanic", row.name, value, row.rule);
        }
    }
    Some(bytes + 12)
}

/// "SEFH", entries of twelve bytes, the directory's length, "SEFT"; the parts lie before it.
fn samsung(view: ByteView<'_>, tail: [u8; 12], gather: &mut Gather<'_>) -> Option<u64> {
    let length = u64::from(u32::from_le_bytes([tail[4], tail[5], tail[6], tail[7]]));
    let directory = view.len().checked_sub(8 + length)?;
    if view.get(directory, 4)?[..] != *b"SEFH" {
        return None;
    }
    let count = view.le32(directory + 8)?;
    let mut first = directory;
    for n in 0..u64::from(count.min(MOST_ENTRIES)) {
        let entry = directory + 12 + 12 * n;
        let (Some(kind), Some(before), Some(bytes)) =
            (view.le16(entry + 2), view.le32(entry + 4), view.le32(entry + 8))
        else {
            break;
        };
        let Some(at) = directory.checked_sub(u64::from(before)) else { break };
        first = first.min(at);
        samsung_part(kind, view.part(at, u64::from(bytes)), gather);
    }
    Some(view.len() - first)
}

/// One part: kind again, length of the name, name, content.
fn samsung_part(kind: u16, part: ByteView<'_>, gather: &mut Gather<'_>) {
    let Some(name) = part.le32(4) else { return };
    let name_text = lossy(&part.part(8, u64::from(name)).all(1 << 8).unwrap_or_default());
    let content = part.from(8 + u64::from(name));
    const GROUP: &str = "Samsung";
    match (kind, &*name_text) {
        (samsung_parts::IMAGE, _) => {
            let first = name_text == "DualShot_1";
            gather.text(GROUP, "EmbeddedImageName", name_text);
            let name = if first { "EmbeddedImage" } else { "EmbeddedImage2" };
            picture(GROUP, name, content, gather);
        }
        (samsung_parts::AUDIO, _) => {
            gather.text(GROUP, "EmbeddedAudioFileName", name_text);
            picture(GROUP, "EmbeddedAudioFile", content, gather);
        }
        (samsung_parts::TIME, "Image_UTC_Data") => {
            let text = lossy(&content.all(64).unwrap_or_default());
            if let Ok(milliseconds) = text.trim().parse::<i64>() {
                let date = Named::UnixDate.number(&Value::int(milliseconds.div_euclid(1000)));
                let rest = milliseconds.rem_euclid(1000);
                gather.text(GROUP, "TimeStamp", format!("{}.{rest:03}+00:00", date.plain()));
            }
        }
        (samsung_parts::VIDEO, _) => {
            gather.text(GROUP, "EmbeddedVideoType", name_text);
            picture(GROUP, "EmbeddedVideoFile", content, gather);
        }
        (samsung_parts::DEPTH_MAP, _) => {
            gather.text(GROUP, "DepthMapName", name_text);
            picture(GROUP, "DepthMapData", content, gather);
        }
        _ => {}
    }
}
