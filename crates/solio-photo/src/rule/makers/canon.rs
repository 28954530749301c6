//! Rules of the tables of canon.

use super::lenses::Lenses;
use crate::rule::{MakerRule, TagRule, words};
use crate::value::Value;

/// The rules that Canon's tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "canon.serial", number: Value::clone, text: serial },
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

static LENSES: Lenses = Lenses::new(include_str!("../../../tables/canon_lenses.tsv"));

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
    let stage = match number >> 28 & 0xf {
        0xa => "Alpha ",
        0xb => "Beta ",
        _ => "",
    };
    let major = number >> 24 & if stage.is_empty() { 0xff } else { 0xf };
    let (minor, release, build) = (number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    Value::Text(format!("{stage}{major:x}.{minor:02x} rev {release:x}.{build:02x}"))
}

/// The points whose bits are set.
fn points(value: &Value) -> Value {
    let Value::Ints(numbers) = value else { return value.clone() };
    let bit = |at: &usize| numbers[at / 16] >> (at % 16) & 1 == 1;
    let set = (0..16 * numbers.len()).filter(bit).map(|at| at.to_string());
    let text = set.collect::<Vec<_>>().join(",");
    Value::Text(if text.is_empty() { "(none)".to_owned() } else { text })
}

/// The first half in base 16, the second in decimal digits.
fn serial(value: &Value) -> Value {
    let Some(n) = value.integer(0) else { return value.clone() };
    Value::Text(format!("{:04x}{:05}", n >> 16, n & 0xffff))
}

fn lens(value: &Value) -> Value {
    LENSES.word(value)
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
