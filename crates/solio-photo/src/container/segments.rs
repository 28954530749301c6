//! Small segments of JPEG that some makers have for themselves: stereo pictures, GoPro's settings,
//! Kodak's directories.
//!
//! JPS specification (APP3); GoPro's metadata format GPMF (Apache-2.0 and MIT, its documentation).

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table;
use crate::value::Value;
use solio_container::{ByteView, tiff::FieldType};

/// Boxes of GoPro within each other.
const MOST_DEPTH: u8 = 8;
/// Most entries of one box.
const MOST_ENTRIES: usize = 1 << 12;

/// How the two halves of a stereo picture lie.
pub(super) fn stereo(body: ByteView<'_>, gather: &mut Gather<'_>) {
    const GROUP: &str = "JPS";
    let (Some(length), Some([separation, flags, layout, kind])) =
        (body.be16(8), body.array::<4>(10))
    else {
        return;
    };
    let words = |words| TagRule::Words { words, hex: false };
    // Only of stereo pictures the first byte is the distance between the halves.
    if kind == 1 {
        gather.int(GROUP, "JPSSeparation", separation as i8);
    }
    let bits = TagRule::Bits("0:Half height|1:Half width|2:Left field first");
    gather.put(GROUP, "JPSFlags", Value::int(flags), bits);
    let layouts = match kind {
        1 => "1:Interleaved|2:Side By Side|3:Over Under|4:Anaglyph",
        _ => "0:Both Eyes|1:Left Eye|2:Right Eye",
    };
    gather.put(GROUP, "JPSLayout", Value::int(layout), words(layouts));
    gather.put(GROUP, "JPSType", Value::int(kind), words("0:Mono|1:Stereo"));
    let after = 10 + u64::from(length);
    if let Some(bytes) = body.be16(after).filter(|bytes| *bytes > 0) {
        let comment = body.part(after + 2, u64::from(bytes)).all(1 << 16).unwrap_or_default();
        gather.text(GROUP, "JPSComment", crate::value::lossy(&comment));
    }
}

/// Name (4), type (1), size of an element (1), count (2), elements, padded to four bytes.
pub(super) fn gopro(body: ByteView<'_>, depth: u8, gather: &mut Gather<'_>) {
    let mut at = 0;
    for _ in 0..MOST_ENTRIES {
        let (Some(name), Some([kind, size])) = (body.array::<4>(at), body.array::<2>(at + 4))
        else {
            return;
        };
        let bytes = u64::from(size) * u64::from(body.be16(at + 6).unwrap_or(0));
        let part = body.part(at + 8, bytes);
        if kind == 0 && depth < MOST_DEPTH {
            gopro(part, depth + 1, gather);
        } else if let Some(row) = table::GOPRO.get().row(u32::from_be_bytes(name)) {
            let stored = match kind {
                b'B' => FieldType::Int8u,
                b'b' => FieldType::Int8s,
                b'S' => FieldType::Int16u,
                b's' => FieldType::Int16s,
                b'L' => FieldType::Int32u,
                b'l' => FieldType::Int32s,
                b'f' => FieldType::Float,
                b'd' => FieldType::Double,
                _ => FieldType::Text,
            };
            let value = decode(&part.all(1 << 10).unwrap_or_default(), stored, true);
            gather.put("GoPro", row.name, value, row.rule);
        }
        if gather.is_full() {
            return;
        }
        at += 8 + ((bytes + 3) & !3);
    }
}
