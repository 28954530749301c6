//! FujiFilm's raw files: a JPEG with all metadata of EXIF, directories of numbers, raw pictures.
//!
//! ```text
//! "FUJIFILMCCD-RAW " · … · version at 0x3c · JPEG's place and length at 0x54
//! directories' places and lengths at 0x5c and 0x78, raw pictures' at 0x64 and 0x80 (big-endian)
//! directory: count (4) · number (2), length (2), data
//! ```

use super::jpeg;
use crate::gather::Gather;
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::{ByteView, tiff::FieldType};

/// Most entries of a directory.
const MOST_ENTRIES: u32 = 1024;

/// Reads the JPEG's metadata and the directories.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if let Some(version) = view.get(0x3c, 4) {
        gather.text("File", "RAFVersion", lossy(&version));
    }
    let (Some(at), Some(len)) = (view.be32(0x54), view.be32(0x58)) else { return };
    let picture = view.part(u64::from(at), u64::from(len));
    jpeg::read(picture, gather);
    let wants = |group| gather.fields.wants_any(group, &table::RAF);
    if !wants("RAF") && !wants("RAF2") && !gather.wants("File", "PreviewImage") {
        return;
    }
    if picture.be16(0) == Some(0xffd8) && picture.len() == u64::from(len) {
        let value = Value::Binary { at: u64::from(at), bytes: u64::from(len) };
        gather.put("File", "PreviewImage", value, TagRule::Binary);
    }
    for (place, group) in [(0x5c, "RAF"), (0x78, "RAF2")] {
        // Older files have fewer of them, and the JPEG comes sooner.
        if place >= u64::from(at) {
            return;
        }
        let (Some(at), Some(len)) = (view.be32(place), view.be32(place + 4)) else { return };
        if at != 0 {
            directory(view.part(u64::from(at), u64::from(len)), group, gather);
        }
    }
}

fn directory(view: ByteView<'_>, group: &'static str, gather: &mut Gather<'_>) {
    let count = view.be32(0).unwrap_or(0).min(MOST_ENTRIES);
    let mut at = 4;
    for _ in 0..count {
        let (Some(id), Some(len)) = (view.be16(at), view.be16(at + 2)) else { return };
        let part = view.part(at + 4, u64::from(len));
        if let Some(row) = table::RAF.get().row(u32::from(id))
            && let Some(bytes) = part.all(1 << 10)
        {
            let value = match row.stored {
                // Numerator and denominator of two bytes each.
                Some("rational32s") => match decode(&bytes, FieldType::Int16s, true) {
                    Value::Ints(n) if n.len() == 2 => Value::Rationals(vec![(n[0], n[1])]),
                    other => other,
                },
                stored => {
                    let stored = stored.and_then(FieldType::of_name).unwrap_or(FieldType::Undef);
                    decode(&bytes, stored, true)
                }
            };
            // Levels come twice, once for each half of the sensor.
            let value = match value {
                Value::Ints(levels) if row.name.starts_with("WB_") => {
                    Value::Ints(levels.into_iter().take(4).collect())
                }
                other => other,
            };
            gather.put(group, row.name, value, row.rule);
        }
        at += 4 + u64::from(len);
    }
}
