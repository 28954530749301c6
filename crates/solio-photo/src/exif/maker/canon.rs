//! Canon's maker notes: a directory without a head, with records of 16-bit numbers in it.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::{MakerBlock, number_at, put, read_record};
use crate::rule::TagRule;
use crate::stored::decode;
use crate::table;
use crate::value::Value;
use solio_container::tiff::FieldType;

const GROUP: &str = "Canon";

/// Where the note's directory is, if it is one of Canon's.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    _head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let table = table::CANON.table("canon")?;
    camera
        .make
        .starts_with("Canon")
        .then(|| NoteDirectory::new((note.tiff, note.at, note.big), GROUP, table, camera))
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    if let Some(name) = name.strip_prefix("canon.info.") {
        return camera_info(block, name, gather);
    }
    match name {
        "canon.camera_settings" => camera_settings(block, gather),
        "canon.focal_length" => focal_length(block, gather),
        "canon.af_info" => af_info(block, false, gather),
        "canon.af_info2" => af_info(block, true, gather),
        "canon.custom2" => groups(block, "canon_custom_functions2", gather),
        "canon.camera_info32" => camera_info32(block, gather),
        "canon.filters" => groups(block, "canon_filter_info", gather),
        "canon.custom_d30" => custom(block, "canon_custom_functions_d30", gather),
        "canon.custom_30d" => custom(block, "canon_custom_functions30_d", gather),
        "canon.preview" => preview(block, gather),
        "canon.shot_info" => shot_info(block, gather),
        _ => {}
    }
}

fn record(block: &MakerBlock<'_>, name: &str, gather: &mut Gather<'_>) {
    if let Some(table) = table::CANON.table(name) {
        read_record(block.part, table, &block.around, gather);
    }
}

/// Most layouts that the versions of one camera have.
const MOST_LAYOUTS: usize = 8;

/// Of cameras whose record changed with the version, one table a layout: the one in whose place the
/// version is. Of layouts that none knows, what is before the changes.
fn camera_info(block: &MakerBlock<'_>, name: &str, gather: &mut Gather<'_>) {
    let known = (0..MOST_LAYOUTS).map_while(|n| table::CANON.table(&format!("{name}_{n}")));
    let mut fitting = known.filter(|table| {
        let rows = table.get().rows();
        let version = rows.iter().find(|row| row.name == "FirmwareVersion");
        let text = version.and_then(|row| block.part.array::<5>(u64::from(row.id)));
        text.is_some_and(|text| is_version(&text))
    });
    match fitting.next() {
        Some(table) => read_record(block.part, table, &block.around, gather),
        None => record(block, name, gather),
    }
}

/// Three digits with points: `1.0.7`.
fn is_version(text: &[u8; 5]) -> bool {
    matches!(text, [a, b'.', b, b'.', c] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()))
}

fn shot_info(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let before = gather.tags.len();
    record(block, "canon_shot_info", gather);
    // The lower distance says something only beside the upper one.
    if block.number(19, FieldType::Int16u).is_none_or(|upper| upper == 0) {
        let mut n = 0;
        gather.tags.retain(|tag| {
            n += 1;
            n <= before || tag.name != "FocusDistanceLower"
        });
    }
}

/// Where the preview is counts from the TIFF structure.
fn preview(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let before = gather.tags.len();
    record(block, "canon_preview_image_info", gather);
    let base = block.view.place().unwrap_or(0) as i64;
    for tag in gather.tags[before..].iter_mut().filter(|tag| tag.name == "PreviewImageStart") {
        tag.value = Value::int(tag.value.integer(0).unwrap_or(0).saturating_add(base));
    }
}

fn camera_settings(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let before = gather.tags.len();
    record(block, "canon_camera_settings", gather);
    let plain = gather.tags.len();
    let number = |index| block.number(index, FieldType::Int16u);
    let units = number(25).filter(|units| *units > 0).unwrap_or(1);
    for (index, name) in [(23, "MaxFocalLength"), (24, "MinFocalLength")] {
        if let Some(length) = number(index).filter(|length| *length > 0) {
            millimetres(name, length, units, gather);
        }
    }
    // They stand before their unit.
    let place = gather.tags[before..plain].iter().position(|tag| tag.name == "FocalUnits");
    if let Some(place) = place {
        gather.move_to_places(plain, &[(before + place, gather.tags.len() - plain)]);
    }
}

fn millimetres(name: &'static str, length: i64, units: i64, gather: &mut Gather<'_>) {
    let value = Value::Floats(vec![length as f64 / units as f64]);
    gather.put(GROUP, name, value, TagRule::Template("{} mm"));
}

/// Compact cameras keep the temperature three numbers before the end, some four; at the start, some keep
/// sensitivity and rotation, which ones tells the length.
fn camera_info32(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    match block.part.len() / 4 {
        138 | 148 => record(block, "canon_power_shot", gather),
        156 | 162 | 167 | 171 | 264 => record(block, "canon_power_shot2", gather),
        _ => {}
    }
    let count = block.part.len() / 4;
    let at = count.checked_sub(if count == 104 { 4 } else { 3 });
    let value = at.and_then(|at| block.number(at, FieldType::Int32s));
    let value = value.filter(|value| *value != 0 && (-50..100).contains(value));
    if let Some(value) = value.filter(|_| block.part.len() >= 1600 / 5) {
        gather.put(GROUP, "CameraTemperature", Value::int(value), TagRule::Template("{} C"));
    }
}

/// Lengths count in units that the camera's settings name.
fn focal_length(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    record(block, "canon_focal_length", gather);
    let big = block.around.big;
    let units = block.entry(1).and_then(|(part, _)| number_at(part, 25, FieldType::Int16u, big));
    if let Some(length) = block.number(1, FieldType::Int16u).filter(|length| *length > 0) {
        millimetres("FocalLength", length, units.filter(|units| *units > 0).unwrap_or(1), gather);
    }
}

/// Points of focus: their number, then as many widths, heights and places.
fn af_info(block: &MakerBlock<'_>, second: bool, gather: &mut Gather<'_>) {
    let heads: &[&str] = if second {
        &[
            "",
            "AFAreaMode",
            "NumAFPoints",
            "ValidAFPoints",
            "CanonImageWidth",
            "CanonImageHeight",
            "AFImageWidth",
            "AFImageHeight",
        ]
    } else {
        &[
            "NumAFPoints",
            "ValidAFPoints",
            "CanonImageWidth",
            "CanonImageHeight",
            "AFImageWidth",
            "AFImageHeight",
            "AFAreaWidth",
            "AFAreaHeight",
        ]
    };
    const MODES: &str = "0:Off (Manual Focus)|1:AF Point Expansion (surround)|2:Single-point AF|\
        4:Auto|5:Face Detect AF|6:Face + Tracking|7:Zone AF|8:AF Point Expansion (4 point)|\
        9:Spot AF|10:AF Point Expansion (8 point)|11:Flexizone Multi (49 point)|\
        12:Flexizone Multi (9 point)|13:Flexizone Single|14:Large Zone AF";
    for (index, name) in heads.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let Some(number) = block.number(index as u64, FieldType::Int16u) else { return };
        let rule = match *name {
            "AFAreaMode" => TagRule::Words { words: MODES, hex: false },
            _ => TagRule::Plain,
        };
        gather.put(GROUP, *name, Value::int(number), rule);
    }
    let points = block.number(if second { 2 } else { 0 }, FieldType::Int16u).unwrap_or(0) as u64;
    let mut at = 2 * heads.len() as u64;
    let lists: &[&str] = if second {
        &["AFAreaWidths", "AFAreaHeights", "AFAreaXPositions", "AFAreaYPositions"]
    } else {
        &["AFAreaXPositions", "AFAreaYPositions"]
    };
    let mut list = |name: &'static str, count: u64, rule: TagRule| {
        let Some(bytes) = block.part.get(at, 2 * count as usize) else { return false };
        at += 2 * count;
        if !name.is_empty() {
            let value = decode(&bytes, FieldType::Int16s, block.around.big);
            gather.put(GROUP, name, value, rule);
        }
        true
    };
    let bits = points.div_ceil(16);
    let chosen = TagRule::parse("canon.points").unwrap_or(TagRule::Plain);
    let compact = !block.around.camera.model.contains("EOS");
    let _ = lists.iter().all(|name| list(name, points, TagRule::Plain))
        && list("AFPointsInFocus", bits, chosen)
        && match (second, compact) {
            (true, false) => list("AFPointsSelected", bits, chosen),
            (true, true) => {
                list("", bits + 1, TagRule::Plain) && list("PrimaryAFPoint", 1, TagRule::Plain)
            }
            (false, true) => list("PrimaryAFPoint", 1, TagRule::Plain),
            (false, false) => true,
        };
}

/// Groups of entries, each a number, how many values, and these.
fn groups(block: &MakerBlock<'_>, name: &str, gather: &mut Gather<'_>) {
    let Some(table) = table::CANON.table(name) else { return };
    if !gather.fields.wants_any(table.head.group.unwrap_or(GROUP), table) {
        return;
    }
    let word = |at: u64| block.number(at, FieldType::Int32s);
    let words = block.part.len() / 4;
    let mut at = 2;
    while at + 3 <= words {
        let Some(entries) = word(at + 2) else { return };
        at += 3;
        for _ in 0..entries.clamp(0, words as i64) {
            let (Some(id), Some(count)) = (word(at), word(at + 1)) else { return };
            let count = count.clamp(0, words as i64) as u64;
            let values: Option<Vec<i64>> = (at + 2..at + 2 + count).map(word).collect();
            let Some(values) = values.filter(|_| !gather.is_full()) else { return };
            put(table, id as u32, Value::Ints(values), &block.around, gather);
            at += 2 + count;
        }
    }
}

/// Custom functions in 16 bits: number and setting.
fn custom(block: &MakerBlock<'_>, name: &str, gather: &mut Gather<'_>) {
    let Some(table) = table::CANON.table(name) else { return };
    for index in 1..block.part.len() / 2 {
        let Some(both) = block.number(index, FieldType::Int16u) else { return };
        put(table, both as u32 >> 8, Value::int(both & 0xff), &block.around, gather);
    }
}
