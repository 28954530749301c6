//! Nikon's maker notes: three layouts of the directory, and records that are enciphered with the
//! camera's serial number and its count of exposures.

use super::{MakerNote, nikon_af};
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{MakerBlock, number_at, put, read_record};
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table;
use solio_container::{ByteView, tiff::FieldType};

const GROUP: &str = "Nikon";

/// Where the note's directory is, if it is one of Nikon's.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let table = |name| table::NIKON.table(name);
    let (group, tiff) = (GROUP, note.tiff);
    if head.starts_with(b"Nikon\0\x01") {
        let table = table("nikon_type1")?;
        return Some(NoteDirectory::new((tiff, note.at + 8, note.big), group, table, camera));
    }
    let table = table("nikon")?;
    if head.starts_with(b"Nikon\0\x02") {
        let view = tiff.from(note.at + 10);
        let big = view.array::<2>(0)? == *b"MM";
        let at = number_at(view, 1, FieldType::Int32u, big)? as u64;
        return Some(NoteDirectory::new((view, at, big), group, table, camera));
    }
    let nikon = camera.make.to_ascii_uppercase().starts_with("NIKON");
    nikon.then(|| NoteDirectory::new((tiff, note.at, note.big), group, table, camera))
}

/// Reads a block.
pub(super) fn hook(name: &'static str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    if let Some(table) = name.strip_prefix("nikon.secret.") {
        secret(block, table, gather);
    } else if let Some(table) = name.strip_prefix("nikon.at.") {
        pointed(block, table, gather);
    } else if let Some(name) = name.strip_prefix("nikon.points.") {
        nikon_af::points(block, name, gather);
    } else if let Some(name) = name.strip_prefix("nikon.point.") {
        nikon_af::point(block, name, gather);
    } else if name == "nikon.settings" {
        settings(block, gather);
    } else if name == "nikon.balance" {
        balance(block, gather);
    }
}

/// Longest enciphered record that is read.
const MOST_RECORD: u64 = 1 << 20;

/// A record whose first four bytes are its version and the rest is enciphered.
fn secret(block: &MakerBlock<'_>, table: &str, gather: &mut Gather<'_>) {
    let is_lens = table == "nikon_lens_data0800";
    let Some(table) = table::NIKON.table(table) else { return };
    if !gather.fields.wants_any(GROUP, table) {
        return;
    }
    let Some(bytes) = block.part.all(MOST_RECORD) else { return };
    let mut bytes = bytes.into_owned();
    if let (Some((serial, count)), true) = (keys(block), bytes.len() > 4) {
        decipher(&mut bytes[4..], serial, count);
    } else {
        bytes.truncate(4);
    }
    if is_lens && has_no_old_lens(&bytes) {
        bytes.truncate(4);
    }
    read_record(ByteView::memory(&bytes), table, &block.around, gather);
}

/// Lenses of the new mount leave the old one's fields blank, all of them: zero is a number of old lenses.
fn has_no_old_lens(record: &[u8]) -> bool {
    record.get(4..20).is_some_and(|fields| fields.iter().all(|byte| *byte == 0))
}

/// Levels of the colours, enciphered: where they are and in which order depends on the version.
fn balance(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    // Twice the place behind where the cipher starts, and one more where green comes first.
    const PLACES: [u8; 17] = [6, 6, 6, 6, 6, 14, 6, 6, 6, 11, 6, 17, 11, 10, 11, 5, 5];
    let version = block.part.get(0, 4).and_then(|v| std::str::from_utf8(&v).ok()?.parse().ok());
    let version = version.and_then(|version: usize| version.checked_sub(200));
    let (Some(version), Some((serial, count))) = (version, keys(block)) else { return };
    let Some(place) = PLACES.get(version).map(|place| usize::from(*place)) else { return };
    let start = if version == 5 { 4 } else { 284 };
    let Some(bytes) = block.part.from(start).get(0, (place & !1) + 8) else { return };
    let mut bytes = bytes.into_owned();
    decipher(&mut bytes, serial, count);
    let levels = decode(&bytes[place & !1..], FieldType::Int16u, block.around.big);
    let name = if place & 1 == 0 { "WB_RGGBLevels" } else { "WB_GRBGLevels" };
    gather.put(block.around.group.clone(), name, levels, TagRule::Plain);
}

/// The serial number and the count of exposures.
fn keys(block: &MakerBlock<'_>) -> Option<(u32, u32)> {
    let (text, _) = block.entry(0x1d)?;
    let text = crate::value::lossy(&text.all(64)?);
    let text = crate::text::before_zero(&text).trim();
    let serial = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.bytes().fold(0u32, |n, byte| n.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')))
    } else if block.around.camera.model.contains("D50")
        && !block.around.camera.model.contains("D500")
    {
        0x22
    } else {
        0x60
    };
    let (count, _) = block.entry(0xa7)?;
    let count = number_at(count, 0, FieldType::Int32u, block.around.big)?;
    Some((serial, count as u32))
}

/// Undoes the cipher: a running sum that starts at what the two numbers choose.
fn decipher(bytes: &mut [u8], serial: u32, count: u32) {
    let key = count.to_le_bytes().iter().fold(0, |all, byte| all ^ byte);
    let step = STEPS[usize::from(serial as u8)];
    let (mut sum, mut times) = (STARTS[usize::from(key)], 0x60u8);
    for byte in bytes {
        sum = sum.wrapping_add(step.wrapping_mul(times));
        times = times.wrapping_add(1);
        *byte ^= sum;
    }
}

/// A record at the place that the number here names.
fn pointed(block: &MakerBlock<'_>, table: &str, gather: &mut Gather<'_>) {
    let at = block.number(0, FieldType::Int32u).filter(|at| *at > 0);
    if let (Some(at), Some(table)) = (at, table::NIKON.table(table)) {
        read_record(block.view.from(at as u64), table, &block.around, gather);
    }
}

/// Settings: after 24 bytes entries of eight, a number, a type and a value.
fn settings(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(table) = table::NIKON.table("nikon_settings") else { return };
    let big = block.around.big;
    let count = block.number(5, FieldType::Int32u).unwrap_or(0);
    for entry in 3..(3 + count.clamp(0, 4096) as u64) {
        let Some(bytes) = block.part.get(8 * entry, 8) else { return };
        let Some(id) = decode(&bytes[..2], FieldType::Int16u, big).integer(0) else { return };
        let kind = u16::from(if big { bytes[2] } else { bytes[3] });
        let Some(stored) = FieldType::of_number(kind).filter(|s| s.size() <= 4) else { continue };
        if gather.is_full() {
            return;
        }
        let value = decode(&bytes[4..4 + stored.size()], stored, big);
        put(table, id as u32, value, &block.around, gather);
    }
}

/// What the sum grows by, by the last byte of the serial number.
#[rustfmt::skip]
const STEPS: [u8; 256] = [
    0xc1, 0xbf, 0x6d, 0x0d, 0x59, 0xc5, 0x13, 0x9d, 0x83, 0x61, 0x6b, 0x4f, 0xc7, 0x7f, 0x3d, 0x3d,
    0x53, 0x59, 0xe3, 0xc7, 0xe9, 0x2f, 0x95, 0xa7, 0x95, 0x1f, 0xdf, 0x7f, 0x2b, 0x29, 0xc7, 0x0d,
    0xdf, 0x07, 0xef, 0x71, 0x89, 0x3d, 0x13, 0x3d, 0x3b, 0x13, 0xfb, 0x0d, 0x89, 0xc1, 0x65, 0x1f,
    0xb3, 0x0d, 0x6b, 0x29, 0xe3, 0xfb, 0xef, 0xa3, 0x6b, 0x47, 0x7f, 0x95, 0x35, 0xa7, 0x47, 0x4f,
    0xc7, 0xf1, 0x59, 0x95, 0x35, 0x11, 0x29, 0x61, 0xf1, 0x3d, 0xb3, 0x2b, 0x0d, 0x43, 0x89, 0xc1,
    0x9d, 0x9d, 0x89, 0x65, 0xf1, 0xe9, 0xdf, 0xbf, 0x3d, 0x7f, 0x53, 0x97, 0xe5, 0xe9, 0x95, 0x17,
    0x1d, 0x3d, 0x8b, 0xfb, 0xc7, 0xe3, 0x67, 0xa7, 0x07, 0xf1, 0x71, 0xa7, 0x53, 0xb5, 0x29, 0x89,
    0xe5, 0x2b, 0xa7, 0x17, 0x29, 0xe9, 0x4f, 0xc5, 0x65, 0x6d, 0x6b, 0xef, 0x0d, 0x89, 0x49, 0x2f,
    0xb3, 0x43, 0x53, 0x65, 0x1d, 0x49, 0xa3, 0x13, 0x89, 0x59, 0xef, 0x6b, 0xef, 0x65, 0x1d, 0x0b,
    0x59, 0x13, 0xe3, 0x4f, 0x9d, 0xb3, 0x29, 0x43, 0x2b, 0x07, 0x1d, 0x95, 0x59, 0x59, 0x47, 0xfb,
    0xe5, 0xe9, 0x61, 0x47, 0x2f, 0x35, 0x7f, 0x17, 0x7f, 0xef, 0x7f, 0x95, 0x95, 0x71, 0xd3, 0xa3,
    0x0b, 0x71, 0xa3, 0xad, 0x0b, 0x3b, 0xb5, 0xfb, 0xa3, 0xbf, 0x4f, 0x83, 0x1d, 0xad, 0xe9, 0x2f,
    0x71, 0x65, 0xa3, 0xe5, 0x07, 0x35, 0x3d, 0x0d, 0xb5, 0xe9, 0xe5, 0x47, 0x3b, 0x9d, 0xef, 0x35,
    0xa3, 0xbf, 0xb3, 0xdf, 0x53, 0xd3, 0x97, 0x53, 0x49, 0x71, 0x07, 0x35, 0x61, 0x71, 0x2f, 0x43,
    0x2f, 0x11, 0xdf, 0x17, 0x97, 0xfb, 0x95, 0x3b, 0x7f, 0x6b, 0xd3, 0x25, 0xbf, 0xad, 0xc7, 0xc5,
    0xc5, 0xb5, 0x8b, 0xef, 0x2f, 0xd3, 0x07, 0x6b, 0x25, 0x49, 0x95, 0x25, 0x49, 0x6d, 0x71, 0xc7,
];

/// Where the sum starts, by the bytes of the count.
#[rustfmt::skip]
const STARTS: [u8; 256] = [
    0xa7, 0xbc, 0xc9, 0xad, 0x91, 0xdf, 0x85, 0xe5, 0xd4, 0x78, 0xd5, 0x17, 0x46, 0x7c, 0x29, 0x4c,
    0x4d, 0x03, 0xe9, 0x25, 0x68, 0x11, 0x86, 0xb3, 0xbd, 0xf7, 0x6f, 0x61, 0x22, 0xa2, 0x26, 0x34,
    0x2a, 0xbe, 0x1e, 0x46, 0x14, 0x68, 0x9d, 0x44, 0x18, 0xc2, 0x40, 0xf4, 0x7e, 0x5f, 0x1b, 0xad,
    0x0b, 0x94, 0xb6, 0x67, 0xb4, 0x0b, 0xe1, 0xea, 0x95, 0x9c, 0x66, 0xdc, 0xe7, 0x5d, 0x6c, 0x05,
    0xda, 0xd5, 0xdf, 0x7a, 0xef, 0xf6, 0xdb, 0x1f, 0x82, 0x4c, 0xc0, 0x68, 0x47, 0xa1, 0xbd, 0xee,
    0x39, 0x50, 0x56, 0x4a, 0xdd, 0xdf, 0xa5, 0xf8, 0xc6, 0xda, 0xca, 0x90, 0xca, 0x01, 0x42, 0x9d,
    0x8b, 0x0c, 0x73, 0x43, 0x75, 0x05, 0x94, 0xde, 0x24, 0xb3, 0x80, 0x34, 0xe5, 0x2c, 0xdc, 0x9b,
    0x3f, 0xca, 0x33, 0x45, 0xd0, 0xdb, 0x5f, 0xf5, 0x52, 0xc3, 0x21, 0xda, 0xe2, 0x22, 0x72, 0x6b,
    0x3e, 0xd0, 0x5b, 0xa8, 0x87, 0x8c, 0x06, 0x5d, 0x0f, 0xdd, 0x09, 0x19, 0x93, 0xd0, 0xb9, 0xfc,
    0x8b, 0x0f, 0x84, 0x60, 0x33, 0x1c, 0x9b, 0x45, 0xf1, 0xf0, 0xa3, 0x94, 0x3a, 0x12, 0x77, 0x33,
    0x4d, 0x44, 0x78, 0x28, 0x3c, 0x9e, 0xfd, 0x65, 0x57, 0x16, 0x94, 0x6b, 0xfb, 0x59, 0xd0, 0xc8,
    0x22, 0x36, 0xdb, 0xd2, 0x63, 0x98, 0x43, 0xa1, 0x04, 0x87, 0x86, 0xf7, 0xa6, 0x26, 0xbb, 0xd6,
    0x59, 0x4d, 0xbf, 0x6a, 0x2e, 0xaa, 0x2b, 0xef, 0xe6, 0x78, 0xb6, 0x4e, 0xe0, 0x2f, 0xdc, 0x7c,
    0xbe, 0x57, 0x19, 0x32, 0x7e, 0x2a, 0xd0, 0xb8, 0xba, 0x29, 0x00, 0x3c, 0x52, 0x7d, 0xa8, 0x49,
    0x3b, 0x2d, 0xeb, 0x25, 0x49, 0xfa, 0xa3, 0xaa, 0x39, 0xa7, 0xc5, 0xa7, 0x50, 0x11, 0x36, 0xfb,
    0xc6, 0x67, 0x4a, 0xf5, 0xa5, 0x12, 0x65, 0x7e, 0xb0, 0xdf, 0xaf, 0x4e, 0xb3, 0x61, 0x7f, 0x2f,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenses_of_the_new_mount_do_not_fill_the_old_fields() {
        let mut record = [&b"0800"[..], &[0; 44]].concat();
        record[30] = 1;
        assert!(has_no_old_lens(&record));
        record[14] = 1;
        assert!(!has_no_old_lens(&record));
    }
}
