//! Maker notes of Casio, DJI, Kodak, Motorola, Ricoh, Samsung, Sanyo and Sigma: small ones.

use super::{Around, MakerBlock, MakerNote, read_record};
use crate::camera::CameraModel;
use crate::exif::{NoteDirectory, read_note};
use crate::gather::Gather;
use crate::number::plain;
use crate::rule::{MakerRule, TagRule};
use crate::table;
use crate::value::{Value, lossy};
use solio_container::ByteView;
use solio_container::tiff::word;
use std::borrow::Cow;

/// The rules that their tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "others.casio_date", number: Value::clone, text: casio_date },
    MakerRule { name: "others.casio_point", number: Value::clone, text: casio_point },
    MakerRule { name: "others.month_day", number: month_day, text: Value::clone },
    MakerRule { name: "others.time", number: time, text: Value::clone },
    MakerRule { name: "others.behind_colon", number: behind_colon, text: Value::clone },
    MakerRule { name: "others.ricoh_date", number: ricoh_date, text: Value::clone },
    MakerRule { name: "others.version", number: Value::clone, text: version },
];

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
        _ if head.starts_with(b"MOT\0") => ("Motorola", "motorola", (own, 8, true)),
        _ if head.starts_with(b"SANYO\0") => ("Sanyo", "sanyo", based(note, 8)?),
        _ if head.starts_with(b"Ricoh") || head.starts_with(b"RICOH") => {
            ("Ricoh", "ricoh", tiff(8, note.big)?)
        }
        _ if casio => ("Casio", "casio1", tiff(0, note.big)?),
        _ if make == "SAMSUNG" => ("Samsung", "samsung", based(note, 0)?),
        _ if make == "DJI" => ("DJI", "dji", tiff(0, note.big)?),
        _ => return None,
    };
    let table = table::MAKERS.table(name)?;
    Some(NoteDirectory { view, at, big, group, table, camera })
}

/// The directory behind `skip` bytes of a note, and what its offsets count from: the TIFF
/// structure where the first of them points behind the directory then, else the note.
fn based<'a>(note: &MakerNote<'a>, skip: u64) -> Option<(ByteView<'a>, u64, bool)> {
    let (view, big) = (note.tiff.from(note.at), note.big);
    let number = |at, bytes| Some(word(&view.get(at, bytes)?, big));
    let count = number(skip, 2)?.min(512);
    let offsets = (0..count).map(|n| skip + 2 + 12 * n).filter_map(|entry| {
        let kind = solio_container::tiff::FieldType::of_number(number(entry + 2, 2)? as u16)?;
        let bytes = number(entry + 4, 4)?.saturating_mul(kind.size() as u64);
        if bytes > 4 { number(entry + 8, 4) } else { None }
    });
    let behind = note.at.checked_add(skip + 2 + 12 * count)?;
    match offsets.min() {
        Some(first) if first < behind => Some((view, skip, big)),
        _ => Some((note.tiff, note.at.checked_add(skip)?, big)),
    }
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
        let around = Around { unit: None, big, group: &group, camera };
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
        read_note(&NoteDirectory { view, at, big, group: "Ricoh", table, camera }, gather);
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
        let rule = if name == "FirmwareVersion" { super::own("others.version") } else { None };
        gather.put("Ricoh", name, Value::text(value), rule.map_or(TagRule::Plain, TagRule::Own));
    }
}

/// Digits of a date: `0302280945` as `2003:02:28 09:45`.
fn casio_date(value: &Value) -> Value {
    let text = value.plain();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let Some(parts) = (digits.len() >= 10).then(|| [0, 2, 4, 6, 8].map(|at| &digits[at..at + 2]))
    else {
        return value.clone();
    };
    let [year, month, day, hour, minute] = parts;
    let century = if year < "70" { "20" } else { "19" };
    Value::text(format!("{century}{year}:{month}:{day} {hour}:{minute}"))
}

/// A place and the size that it is within, in both directions.
fn casio_point(value: &Value) -> Value {
    let [x, width, y, height] = value.numbers()[..] else { return value.clone() };
    if width == 0.0 || height == 0.0 {
        return Value::text("n/a");
    }
    let part = |n: f64| crate::number::significant(n, 2);
    Value::text(format!("{} {}", part(x / width), part(y / height)))
}

fn month_day(value: &Value) -> Value {
    let [month, day] = value.numbers()[..] else { return value.clone() };
    Value::text(format!("{month:02}:{day:02}"))
}

fn time(value: &Value) -> Value {
    let [hour, minute, second, hundredths] = value.numbers()[..] else { return value.clone() };
    Value::text(format!("{hour:02}:{minute:02}:{second:02}.{hundredths:02}"))
}

/// `Expo:+0.0` as `+0.0`.
fn behind_colon(value: &Value) -> Value {
    let text = value.plain();
    Value::text(text.split_once(':').map_or(text.as_str(), |(_, rest)| rest))
}

/// Bytes of two decimal digits each.
fn ricoh_date(value: &Value) -> Value {
    let Value::Ints(bytes) = value else { return value.clone() };
    let [century, year, month, day, hour, minute, second] = bytes[..] else { return value.clone() };
    let date = format!("{century:02x}{year:02x}:{month:02x}:{day:02x}");
    Value::text(format!("{date} {hour:02x}:{minute:02x}:{second:02x}"))
}

/// `0207` or `Rev0207` as `2.07`.
fn version(value: &Value) -> Value {
    let text = value.plain();
    let text = text.strip_prefix("Rev").unwrap_or(&text);
    match text.len().checked_sub(2) {
        Some(split) if text.is_ascii() => {
            let whole = crate::number::leading(&text[..split]);
            Value::text(format!("{}.{}", plain(whole), &text[split..]))
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn codings() {
        assert_eq!(casio_date(&Value::text("0302280945")).plain(), "2003:02:28 09:45");
        assert_eq!(casio_point(&Value::Ints(vec![176, 352, 120, 240])).plain(), "0.5 0.5");
        assert_eq!(month_day(&Value::Ints(vec![5, 1])).plain(), "05:01");
        assert_eq!(time(&Value::Ints(vec![10, 2, 28, 62])).plain(), "10:02:28.62");
        assert_eq!(behind_colon(&Value::text("Expo:+0.0")).plain(), "+0.0");
        assert_eq!(version(&Value::text("0207")).plain(), "2.07");
    }

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
