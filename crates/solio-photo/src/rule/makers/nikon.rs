//! Rules of the tables of nikon.

use crate::rule::look_up;
use crate::rule::{MakerRule, words};
use crate::value::Value;

/// The rules that Nikon's tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "nikon.ev", number: product, text: fraction },
    MakerRule { name: "nikon.ev1", number: product, text: signed_tenths },
    MakerRule { name: "nikon.ev_tenths", number: product, text: tenths },
    MakerRule { name: "nikon.stops", number: product, text: hundredths },
    MakerRule { name: "nikon.retouch", number: without_zeros, text: retouches },
    MakerRule { name: "nikon.crop", number: Value::clone, text: crop },
    MakerRule { name: "nikon.shooting", number: Value::clone, text: shooting },
    MakerRule { name: "nikon.pixel_size", number: Value::clone, text: pixel_size },
    MakerRule { name: "nikon.date", number: date, text: Value::clone },
    MakerRule { name: "nikon.version", number: version, text: version_words },
    MakerRule { name: "nikon.words", number: Value::clone, text: any_words },
    MakerRule { name: "nikon.sensitivity", number: Value::clone, text: sensitivity },
    MakerRule { name: "nikon.iso", number: Value::clone, text: iso },
    MakerRule { name: "nikon.zone", number: Value::clone, text: zone },
    MakerRule { name: "nikon.title", number: trimmed, text: title },
    MakerRule { name: "nikon.angle", number: angle, text: tenths },
    MakerRule { name: "nikon.quarter_none", number: from_middle, text: quarter_none },
    MakerRule { name: "nikon.quarter_normal", number: from_middle, text: quarter_normal },
];

fn one(number: f64) -> Value {
    Value::Floats(vec![number])
}

/// The first byte times the second by the third.
fn product(value: &Value) -> Value {
    let numbers = value.numbers();
    match numbers[..] {
        [_, _, 0.0, ..] => one(0.0),
        [a, b, by, ..] => one(a * (b / by)),
        _ => value.clone(),
    }
}

fn first(value: &Value) -> f64 {
    value.number(0).unwrap_or(0.0)
}

fn fraction(value: &Value) -> Value {
    Value::Text(words::fraction(first(value)))
}

fn signed_tenths(value: &Value) -> Value {
    let number = first(value);
    Value::Text(if number == 0.0 { "0".to_owned() } else { format!("{number:+.1}") })
}

fn tenths(value: &Value) -> Value {
    Value::Text(format!("{:.1}", first(value)))
}

fn hundredths(value: &Value) -> Value {
    Value::Text(format!("{:.2}", first(value)))
}

/// Without the zeros at the end but one.
fn without_zeros(value: &Value) -> Value {
    let Value::Ints(numbers) = value else { return value.clone() };
    let end = numbers.iter().rposition(|number| *number != 0).map_or(1, |last| last + 1);
    Value::Ints(numbers[..end.min(numbers.len())].to_vec())
}

fn retouches(value: &Value) -> Value {
    let numbers = value.plain();
    let word = |key: &str| {
        look_up(RETOUCHES, key).map_or_else(|| format!("Unknown ({key})"), str::to_owned)
    };
    Value::Text(numbers.split(' ').map(word).collect::<Vec<_>>().join("; "))
}

/// What was done to a picture in the camera.
const RETOUCHES: &str = "\
    0:None|3:B & W|4:Sepia|5:Trim|6:Small Picture|7:D-Lighting|8:Red Eye|9:Cyanotype|\
    10:Sky Light|11:Warm Tone|12:Color Custom|13:Image Overlay|14:Red Intensifier|\
    15:Green Intensifier|16:Blue Intensifier|17:Cross Screen|18:Quick Retouch|\
    19:NEF Processing|23:Distortion Control|25:Fisheye|26:Straighten|29:Perspective Control|\
    30:Color Outline|31:Soft Filter|32:Resize|33:Miniature Effect|34:Skin Softening|\
    35:Selected Frame|37:Color Sketch|38:Selective Color|39:Glamour|40:Drawing|44:Pop|\
    45:Toy Camera Effect 1|46:Toy Camera Effect 2|47:Cross Process (red)|\
    48:Cross Process (blue)|49:Cross Process (green)|50:Cross Process (yellow)|51:Super Vivid|\
    52:High-contrast Monochrome|53:High Key|54:Low Key";

/// Which part of the sensor, its size, that of the picture and where it lies.
fn crop(value: &Value) -> Value {
    let numbers = value.plain();
    let [kind, width, height, cropped, tall, x, y] = numbers.split(' ').collect::<Vec<_>>()[..]
    else {
        return Value::Text(format!("Unknown ({numbers})"));
    };
    let word = look_up(CROPS, kind).map_or_else(|| format!("Unknown ({kind})"), str::to_owned);
    Value::Text(format!("{word} ({width}x{height} cropped to {cropped}x{tall} at pixel {x},{y})"))
}

const CROPS: &str = "\
    0:Off|1:1.3x Crop|2:DX Crop|3:5:4 Crop|4:3:2 Crop|6:16:9 Crop|8:2.7x Crop|\
    9:DX Movie 16:9 Crop|10:1.3x Movie Crop|11:FX Uncropped|12:DX Uncropped|13:2.8x Movie Crop|\
    14:1.4x Movie Crop|15:1.5x Movie Crop|17:FX 1:1 Crop|18:DX 1:1 Crop";

/// Several bits; a single picture where none of some is set.
fn shooting(value: &Value) -> Value {
    const SERIES: i64 = 0x87;
    let bits = value.integer(0).unwrap_or(0);
    let rest = if bits == 0 { String::new() } else { crate::rule::bits(SHOOTING, value) };
    Value::Text(match (bits & SERIES, rest.is_empty()) {
        (0, true) => "Single-Frame".to_owned(),
        (0, false) => format!("Single-Frame, {rest}"),
        _ => rest,
    })
}

const SHOOTING: &str = "\
    0:Continuous|1:Delay|2:PC Control|3:Self-timer|4:Exposure Bracketing|5:Auto ISO|\
    6:White-Balance Bracketing|7:IR Control|8:D-Lighting Bracketing|11:Pre-capture";

fn pixel_size(value: &Value) -> Value {
    Value::Text(format!("{} um", value.plain().replace(' ', " x ")))
}

/// Year, month, day, hour, minute and second; the year's byte order is the one that makes sense.
fn date(value: &Value) -> Value {
    let Value::Bytes(bytes) = value else { return value.clone() };
    let [a, b, month, day, hour, minute, second, ..] = bytes[..] else { return value.clone() };
    let (big, little) = (u16::from_be_bytes([a, b]), u16::from_le_bytes([a, b]));
    let year = if (1900..3000).contains(&big) { big } else { little };
    Value::Text(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

/// Four digits, as text or as numbers.
pub(crate) fn version(value: &Value) -> Value {
    let Value::Bytes(bytes) = value else { return value.clone() };
    let digit = |byte: &u8| char::from(if *byte < 10 { byte + b'0' } else { *byte });
    Value::Text(bytes.iter().map(digit).collect())
}

fn version_words(value: &Value) -> Value {
    let text = value.plain();
    match (text.get(..2), text.get(2..)) {
        (Some(major), Some(minor)) => {
            let major = major.strip_prefix('0').unwrap_or(major);
            Value::Text(format!("{major}.{minor}"))
        }
        _ => Value::Text(text),
    }
}

fn trimmed(value: &Value) -> Value {
    Value::Text(value.plain())
}

/// Words in small letters with a large one first.
fn title(value: &Value) -> Value {
    let text = value.plain();
    let word = |word: &str| {
        let mut letters = word.chars();
        let large = letters.next().map(|letter| letter.to_ascii_uppercase());
        large.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect()
    };
    let words: Vec<String> = text.trim_end().split(' ').map(word).collect();
    Value::Text(words.join(" "))
}

/// What cameras write in capitals: `NO= 20025585` as `No= 20025585`, `AUTO(FLASH OFF)` as
/// `Auto(Flash Off)`; abbreviations (`AF-C`, `RAW`, `5000K`) as they are. Of words that begin with
/// capitals these alone are lowered, where a vowel is among them.
fn any_words(value: &Value) -> Value {
    const MOST: usize = 60;
    const SHOWN: usize = 55;
    let text = value.plain();
    if text.chars().count() > MOST {
        return Value::Text(text.chars().take(SHOWN).chain("[...]".chars()).collect());
    }
    let text = text.trim_end();
    let is_vowel = |letter: u8| b"AEIOUY".contains(&letter);
    let mut bytes = text.as_bytes().to_vec();
    let mut begins_with_vowel = false;
    let mut at = 0;
    while at < bytes.len() {
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let end = at + bytes[at..].iter().take_while(|byte| is_of_word(byte)).count();
        let capitals = bytes[at..end].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let run = &mut bytes[at..at + capitals];
        let vowel_first = run.len() > 1 && is_vowel(run[0]);
        if vowel_first || run.get(1..).is_some_and(|tail| tail.iter().any(|b| is_vowel(*b))) {
            begins_with_vowel |= vowel_first;
            if !matches!(&*run, b"AF" | b"RAW") || run.len() != end - at {
                run[1..].make_ascii_lowercase();
            }
        }
        at = end.max(at) + 1;
    }
    // Letters of ASCII alone have changed.
    let mut shown = String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
    // Some cameras write a byte behind the blanks that end the text.
    if begins_with_vowel
        && let Some((last, _)) = shown.char_indices().next_back()
        && shown[..last].ends_with("  ")
    {
        shown.truncate(shown[..last].trim_end_matches(' ').len());
    }
    Value::Text(shown)
}

/// The second of two numbers; what the first is matters where it is none.
fn sensitivity(value: &Value) -> Value {
    match value.plain().strip_prefix("0 ") {
        Some(number) => Value::text(number),
        None => value.clone(),
    }
}

/// The same of the first field, which tells high ones.
fn iso(value: &Value) -> Value {
    match value.plain().strip_prefix("1 ") {
        Some(number) => Value::Text(format!("Hi {number}")),
        None => sensitivity(value),
    }
}

/// Minutes from universal time as `-05:00`.
fn zone(value: &Value) -> Value {
    let Some(minutes) = value.integer(0) else { return value.clone() };
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    Value::Text(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
}

/// Degrees in 65536ths, to 180 either way.
fn angle(value: &Value) -> Value {
    let degrees = (first(value) / 65536.0 * 1e5).round() / 1e5;
    one(if degrees > 180.0 { degrees - 360.0 } else { degrees })
}

fn from_middle(value: &Value) -> Value {
    one(first(value) - 128.0)
}

fn quarters(value: &Value, zero: &str) -> Value {
    let number = first(value);
    Value::Text(match number as i64 {
        0 => zero.to_owned(),
        -128 => "Auto".to_owned(),
        -127 => "User".to_owned(),
        127 => "n/a".to_owned(),
        _ => format!("{:.2}", number / 4.0),
    })
}

fn quarter_none(value: &Value) -> Value {
    quarters(value, "None")
}

fn quarter_normal(value: &Value) -> Value {
    quarters(value, "Normal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_words_and_numbers() {
        let words = |text: &str| any_words(&Value::text(text)).plain();
        for (stored, shown) in [
            ("NO= 20025585", "No= 20025585"),
            ("AUTO(FLASH OFF)", "Auto(Flash Off)"),
            ("CUSTOM         ", "Custom"),
            ("AF-C  ", "AF-C"),
            ("RAW    ", "RAW"),
            ("VR-ON", "VR-On"),
            ("VR-OFF  x", "VR-Off"),
            ("NEW_TTL", "New_TTL"),
            ("NO= 30AB02EC", "No= 30AB02EC"),
            ("iTTL-BL", "iTTL-BL"),
            ("AutoISO 5AUTO", "AutoISO 5AUTO"),
            ("MODE1A", "Mode1A"),
            ("ÄRGER AF RAW", "ÄRger AF RAW"),
            ("MODE1a  ", "Mode1a"),
            ("5000K       ", "5000K"),
            ("Built-in,TTL&Comdr.", "Built-in,TTL&Comdr."),
        ] {
            assert_eq!(words(stored), shown);
        }
        assert_eq!(sensitivity(&Value::Ints(vec![0, 320])).plain(), "320");
        assert_eq!(sensitivity(&Value::Ints(vec![1, 320])).plain(), "1 320");
        assert_eq!(iso(&Value::Ints(vec![1, 320])).plain(), "Hi 320");
        assert_eq!(iso(&Value::Ints(vec![0, 320])).plain(), "320");
        let long = words(&"A".repeat(61));
        assert_eq!(long, "A".repeat(55) + "[...]");
        assert_eq!(zone(&Value::int(-300)).plain(), "-05:00");
        assert_eq!(zone(&Value::int(345)).plain(), "+05:45");
    }
}
