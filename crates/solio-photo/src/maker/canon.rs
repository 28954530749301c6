//! Canon's maker notes: a directory without a head, with records of 16-bit numbers in it.

use super::lenses::Lenses;
use super::{MakerBlock, MakerNote, number_at, put, read_record};
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::rule::{MakerRule, TagRule, words};
use crate::stored::decode;
use crate::table;
use crate::value::Value;
use solio_container::tiff::FieldType;

const GROUP: &str = "Canon";

/// The rules that Canon's tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "canon.camera_iso", number: camera_iso, text: Value::clone },
    MakerRule { name: "canon.self_timer", number: Value::clone, text: self_timer },
    MakerRule { name: "canon.file_number", number: Value::clone, text: file_number },
    MakerRule { name: "canon.file_number_20d", number: file_number_20d, text: file_number },
    MakerRule { name: "canon.file_number_30d", number: file_number_30d, text: file_number },
    MakerRule { name: "canon.flash_output", number: flash_output, text: flash_words },
    MakerRule { name: "canon.categories", number: categories, text: category_words },
    MakerRule { name: "canon.battery", number: battery, text: Value::clone },
    MakerRule { name: "canon.swapped_words", number: swapped_words, text: Value::clone },
    MakerRule { name: "canon.zone", number: Value::clone, text: zone },
    MakerRule { name: "canon.af_micro", number: Value::clone, text: af_micro },
    MakerRule { name: "canon.shutter_range", number: shutter_range, text: shutter_words },
    MakerRule { name: "canon.aperture_range", number: aperture_range, text: aperture_words },
    MakerRule { name: "canon.flagged", number: Value::clone, text: flagged },
    MakerRule { name: "canon.firmware", number: Value::clone, text: firmware },
    MakerRule { name: "canon.points", number: Value::clone, text: points },
    MakerRule { name: "canon.lens", number: Value::clone, text: lens },
];

static LENSES: Lenses = Lenses::new(include_str!("../../tables/canon_lenses.tsv"));

/// Where the note's directory is, if it is one of Canon's.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    _head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let table = table::CANON.table("canon")?;
    let body = note.tiff.part(note.at, note.bytes);
    // The note ends with where it was when the camera wrote it; programs move it.
    let foot = note.bytes.checked_sub(8).and_then(|at| body.array::<8>(at));
    let written = foot.and_then(|foot| match foot {
        [b'I', b'I', 0x2a, 0, at @ ..] => Some(u64::from(u32::from_le_bytes(at))),
        [b'M', b'M', 0, 0x2a, at @ ..] => Some(u64::from(u32::from_be_bytes(at))),
        _ => None,
    });
    let (view, at) = match written {
        Some(written) if written > note.at => (note.tiff.behind(written - note.at), written),
        Some(written) => (note.tiff.from(note.at - written), written),
        None => (note.tiff, note.at),
    };
    camera.make.starts_with("Canon").then_some(NoteDirectory {
        view,
        at,
        big: note.big,
        group: GROUP,
        table,
        camera,
    })
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
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
    record(block, "canon_camera_settings", gather);
    let number = |index| block.number(index, FieldType::Int16u);
    let units = number(25).filter(|units| *units > 0).unwrap_or(1);
    for (index, name) in [(23, "MaxFocalLength"), (24, "MinFocalLength")] {
        if let Some(length) = number(index).filter(|length| *length > 0) {
            millimetres(name, length, units, gather);
        }
    }
}

fn millimetres(name: &'static str, length: i64, units: i64, gather: &mut Gather<'_>) {
    let value = Value::Floats(vec![length as f64 / units as f64]);
    gather.put(GROUP, name, value, TagRule::Template("{} mm"));
}

/// Compact cameras keep the temperature three numbers before the end.
fn camera_info32(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let at = (block.part.len() / 4).checked_sub(3);
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

fn words_of(words: &'static str, value: &Value) -> String {
    TagRule::Words { words, hex: false }.text(value).plain()
}

/// Codes of the first cameras, or the number itself.
fn camera_iso(value: &Value) -> Value {
    match value.integer(0) {
        Some(number) if number & 0x4000 != 0 => Value::int(number & 0x3fff),
        _ => {
            let codes = "0:n/a|14:Auto High|15:Auto|16:50|17:100|18:200|19:400|20:800";
            Value::Text(words_of(codes, value))
        }
    }
}

/// Tenths of seconds; a bit says that the user chose them.
fn self_timer(value: &Value) -> Value {
    let Some(number) = value.integer(0).filter(|number| *number != 0) else {
        return Value::text("Off");
    };
    let seconds = crate::number::plain((number & 0xfff) as f64 / 10.0);
    let custom = if number & 0x4000 != 0 { ", Custom" } else { "" };
    Value::Text(format!("{seconds} s{custom}"))
}

/// The last four digits count within a folder.
/// Folder in the upper bits, number in the rest; folders start at 100.
fn file_number_30d(value: &Value) -> Value {
    let number = value.integer(0).unwrap_or(0);
    let folder = number >> 10 & 0x3ff;
    let folder = if folder < 100 { folder + (163 - folder) / 64 * 64 } else { folder };
    Value::int(folder * 10_000 + ((number & 0x3ff) << 4) + (number >> 20 & 15))
}

fn file_number_20d(value: &Value) -> Value {
    let number = value.integer(0).unwrap_or(0);
    let folder = number >> 6 & 0x3ff;
    Value::int(folder * 10_000 + (number >> 16 & 0xff) + ((number & 0x3f) << 8))
}

/// A part of the flash's power, in sixteenths of steps from 200.
fn flash_output(value: &Value) -> Value {
    match value.number(0) {
        Some(steps) if steps < 255.0 => Value::Floats(vec![((steps - 200.0) / 16.0).exp2()]),
        _ => Value::int(255),
    }
}

fn flash_words(value: &Value) -> Value {
    Value::Text(match value.number(0) {
        Some(255.0) => "Strobe or Misfire".to_owned(),
        Some(part) => format!("{:.0}%", part * 100.0),
        None => value.plain(),
    })
}

/// `1005604` as `100-5604`: folder and number, in the first five digits or more.
fn file_number(value: &Value) -> Value {
    let mut text = value.plain();
    let runs = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let mut end = 0;
    for run in runs {
        end += run.len();
        if run[0].is_ascii_digit() && run.len() > 4 {
            text.insert(end - 4, '-');
            break;
        }
    }
    Value::Text(text)
}

fn categories(value: &Value) -> Value {
    Value::int(value.integer(1).unwrap_or(0))
}

fn category_words(value: &Value) -> Value {
    let names = "0:People|1:Scenery|2:Events|3:User 1|4:User 2|5:User 3|6:To Do";
    TagRule::Bits(names).text(value)
}

/// Text behind its length.
fn battery(value: &Value) -> Value {
    let Value::Bytes(bytes) = value else { return value.clone() };
    let text = crate::value::lossy(bytes.get(4..).unwrap_or_default());
    Value::Text(crate::text::before_zero(&text).to_owned())
}

/// 32 bits as two words, the high one first in records whose low ends come first.
fn swapped_words(value: &Value) -> Value {
    let Value::Ints(numbers) = value else { return value.clone() };
    Value::Ints(numbers.iter().map(|n| i64::from((*n as u32).rotate_left(16))).collect())
}

fn zone(value: &Value) -> Value {
    let minutes = value.integer(0).unwrap_or(0);
    let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
    Value::Text(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
}

fn joined(first: String, rest: impl Iterator<Item = String>) -> Value {
    Value::Text(rest.fold(first, |all, one| all + "; " + &one))
}

fn af_micro(value: &Value) -> Value {
    let words = "0:Disable|1:Adjust all by same amount|2:Adjust by lens";
    let first = words_of(words, &Value::int(value.integer(0).unwrap_or(0)));
    joined(first, value.numbers().iter().skip(1).map(|n| crate::number::plain(*n)))
}

const ABLE: &str = "0:Disable|1:Enable";

fn able(value: &Value) -> String {
    words_of(ABLE, &Value::int(value.integer(0).unwrap_or(0)))
}

fn flagged(value: &Value) -> Value {
    let flags = value.integer(1).unwrap_or(0);
    Value::Text(format!("{}; Flags 0x{flags:x}", able(value)))
}

/// A switch and two exposures in eighths.
fn range(value: &Value, exposure: impl Fn(f64) -> f64) -> Value {
    let numbers = value.numbers();
    let [first, rest @ ..] = &numbers[..] else { return value.clone() };
    let rest = rest.iter().map(|n| exposure(*n / 8.0));
    Value::Floats(std::iter::once(*first).chain(rest).collect())
}

fn shutter_range(value: &Value) -> Value {
    range(value, |n| (7.0 - n).exp2())
}

fn shutter_words(value: &Value) -> Value {
    let time = |index| words::exposure_time(value.number(index).unwrap_or(0.0));
    Value::Text(format!("{}; Hi {}; Lo {}", able(value), time(1), time(2)))
}

fn aperture_range(value: &Value) -> Value {
    range(value, |n| ((n - 1.0) / 2.0).exp2())
}

fn aperture_words(value: &Value) -> Value {
    let stop = |index| crate::number::significant(value.number(index).unwrap_or(0.0), 2);
    Value::Text(format!("{}; Closed {}; Open {}", able(value), stop(1), stop(2)))
}

/// `1.00 rev 3.00` of digits in hexadecimal.
fn firmware(value: &Value) -> Value {
    let number = value.integer(0).unwrap_or(0);
    let (major, minor) = (number >> 24 & 0xff, number >> 16 & 0xff);
    let (release, build) = (number >> 8 & 0xff, number & 0xff);
    Value::Text(format!("{major:x}.{minor:02x} rev {release:x}.{build:02x}"))
}

/// The points whose bits are set.
fn points(value: &Value) -> Value {
    let Value::Ints(numbers) = value else { return value.clone() };
    let bit = |at: &usize| numbers[at / 16] >> (at % 16) & 1 == 1;
    let set = (0..16 * numbers.len()).filter(bit).map(|at| at.to_string());
    let text = set.collect::<Vec<_>>().join(",");
    Value::Text(if text.is_empty() { "(none)".to_owned() } else { text })
}

fn lens(value: &Value) -> Value {
    let key = value.plain();
    Value::Text(LENSES.name(&key).map_or_else(|| format!("Unknown ({key})"), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_files_and_flashes() {
        assert_eq!(file_number_30d(&Value::int(0x40_915e)).plain(), "1005604");
        for (value, text) in [
            (Value::int(1_005_604), "100-5604"),
            (Value::int(5604), "5604"),
            (Value::Ints(vec![7, -1_005_604]), "7 -100-5604"),
            (Value::text("ä\u{fffd}ö"), "ä\u{fffd}ö"), // no number, and no place for a hyphen
        ] {
            assert_eq!(file_number(&value).plain(), text);
        }
        assert_eq!(file_number_30d(&Value::int(0)).plain(), "1280000");
        assert_eq!(file_number_20d(&Value::int(0x40_915e)).plain(), "5817744");
        let flash = |steps| flash_words(&flash_output(&Value::int(steps))).plain();
        assert_eq!([0, 100, 200, 255, 400].map(flash)[1..3], ["1%", "100%"]);
        assert_eq!(flash(255), "Strobe or Misfire");
    }
}
