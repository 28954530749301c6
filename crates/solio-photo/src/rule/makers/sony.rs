//! Rules of the tables of sony.

use super::lenses::Lenses;
use crate::number::{leading, plain};
use crate::rule::{MakerRule, words};
use crate::value::Value;

/// The rules that Sony's tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "sony.mount_version", number: Value::clone, text: mount_version },
    MakerRule { name: "sony.lens_firmware", number: Value::clone, text: lens_firmware },
    MakerRule { name: "sony.hex", number: Value::clone, text: hexadecimal },
    MakerRule { name: "sony.year", number: Value::clone, text: year },
    MakerRule { name: "sony.thousandths", number: Value::clone, text: thousandths },
    MakerRule { name: "sony.shutter", number: Value::clone, text: shutter },
    MakerRule { name: "sony.iso_code", number: iso_code, text: Value::clone },
    MakerRule { name: "sony.short_date", number: short_date, text: Value::clone },
    MakerRule { name: "sony.date", number: date, text: Value::clone },
    MakerRule { name: "sony.lens_spec", number: lens_spec, text: lens_words },
    MakerRule { name: "sony.lens_spec_swapped", number: lens_spec_swapped, text: lens_words },
    MakerRule { name: "sony.lens_features", number: lens_features, text: feature_words },
    MakerRule { name: "sony.swapped_size", number: swapped_size, text: size_words },
    MakerRule { name: "sony.swapped_pairs", number: swapped_pairs, text: Value::clone },
    MakerRule { name: "sony.bit_list", number: Value::clone, text: bit_list },
    MakerRule { name: "sony.lens", number: Value::clone, text: lens },
    MakerRule { name: "sony.lens2", number: Value::clone, text: lens_e },
    MakerRule { name: "sony.times8", number: Value::clone, text: times8 },
    MakerRule { name: "sony.ratio", number: ratio, text: time },
    MakerRule { name: "sony.pixel_shift", number: pixel_shift, text: pixel_shift_words },
    MakerRule { name: "sony.af_status", number: Value::clone, text: af_status },
];

static LENSES: Lenses = Lenses::new(include_str!("../../../tables/sony_lenses.tsv"));
static E_LENSES: Lenses = Lenses::new(include_str!("../../../tables/sony_e_lenses.tsv"));

/// Sensitivities in thirds of steps; 11 is 100.
fn iso_code(value: &Value) -> Value {
    const DECADE: [u32; 10] = [100, 125, 160, 200, 250, 320, 400, 500, 640, 800];
    // Each factor of ten has its own rounding above 1000.
    const ABOVE: [u32; 24] = [
        1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6400, 8000, 10000, 12800, 16000, 20000,
        25600, 32000, 40000, 51200, 64000, 80000, 102_400, 128_000, 160_000, 204_800,
    ];
    const BELOW: [u32; 7] = [25, 32, 40, 50, 64, 80, 100];
    let code = value.integer(0).unwrap_or(0);
    let sensitivity = match code {
        0 => return Value::text("Auto"),
        5..=10 => BELOW.get(code as usize - 5),
        11..=20 => DECADE.get(code as usize - 11),
        21..=44 => ABOVE.get(code as usize - 21),
        _ => None,
    };
    sensitivity.map_or_else(|| value.clone(), |number| Value::int(*number))
}

fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Bytes(bytes) => bytes.clone(),
        other => other.numbers().iter().map(|n| *n as u8).collect(),
    }
}

/// Year of this century, month, day, hour, minute and second in a byte each.
fn short_date(value: &Value) -> Value {
    let [year, month, day, hour, minute, second] = bytes_of(value)[..] else {
        return value.clone();
    };
    Value::Text(format!("20{year:02}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

/// The same with a year of two bytes.
fn date(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let [low, high, month, day, hour, minute, second] = bytes[..] else { return value.clone() };
    let year = u16::from_le_bytes([low, high]);
    Value::Text(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

/// The same in numbers of two bytes that are the other way round.
fn lens_spec_swapped(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let swapped = bytes.chunks(2).flat_map(|pair| pair.iter().rev().copied());
    lens_spec(&Value::Bytes(swapped.collect()))
}

/// Two bytes of features around lengths and apertures in decimal digits.
fn lens_spec(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let [before, a, b, c, d, wide, narrow, behind] = bytes[..] else { return value.clone() };
    let digits = |byte: u8| format!("{byte:02x}");
    // Digits end where a letter is.
    let length = |high, low| plain(leading(&(digits(high) + &digits(low))));
    let stop = |byte: u8| plain(leading(&digits(byte)) / 10.0);
    Value::Text(format!(
        "{before:02x} {} {} {} {} {behind:02x}",
        length(a, b),
        length(c, d),
        stop(wide),
        stop(narrow)
    ))
}

/// Day and time of a group of pictures, which of how many this is, and a number more.
fn pixel_shift(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let [a, b, c, d, shot, count] = bytes[..] else { return value.clone() };
    let n = u32::from_le_bytes([a, b, c, d]);
    let (day, hour, minute, second) = (n >> 17 & 31, n >> 12 & 31, n >> 6 & 63, n & 63);
    let group = format!("{day:02}{hour:02}{minute:02}{second:02}");
    Value::Text(format!("{group} {shot} {count} {:#x}", n >> 22))
}

fn pixel_shift_words(value: &Value) -> Value {
    let text = value.plain();
    Value::Text(match text.split(' ').collect::<Vec<_>>()[..] {
        _ if text.starts_with("00000000 0 0 ") => "n/a".to_owned(),
        [group, shot, count, more] => format!("Group {group}, Shot {shot}/{count} ({more})"),
        _ => text,
    })
}

/// What the bits of the two bytes of features say, before and behind the lengths.
fn features(bits: u16) -> (Vec<&'static str>, Vec<&'static str>) {
    let one = |mask: u16, words: &[(u16, &'static str)]| {
        words.iter().find(|(value, _)| bits & mask == *value).map(|(_, word)| *word)
    };
    let before = [
        one(0x4000, &[(0x4000, "PZ")]),
        one(0x0300, &[(0x0100, "DT"), (0x0200, "FE"), (0x0300, "E")]),
    ];
    let behind = [
        one(0x00e0, &[(0x20, "STF"), (0x40, "Reflex"), (0x60, "Macro"), (0x80, "Fisheye")]),
        one(0x000c, &[(0x04, "ZA"), (0x08, "G")]),
        one(0x0003, &[(0x01, "SSM"), (0x02, "SAM")]),
        one(0x8000, &[(0x8000, "OSS")]),
        one(0x2000, &[(0x2000, "LE")]),
        one(0x0800, &[(0x0800, "II")]),
    ];
    let mut before: Vec<_> = before.into_iter().flatten().collect();
    before.reverse();
    (before, behind.into_iter().flatten().collect())
}

fn lens_words(value: &Value) -> Value {
    let text = value.plain();
    let parts: Vec<&str> = text.split(' ').collect();
    let [before, short, long, wide, narrow, behind] = parts[..] else { return value.clone() };
    let byte = |text| u16::from_str_radix(text, 16).unwrap_or(0);
    let bits = byte(before) << 8 | byte(behind);
    let number = |text: &str| leading(text);
    let fits = number(short) > 0.0
        && number(wide) > 0.0
        && (number(long) == 0.0 || number(long) >= number(short))
        && (number(narrow) == 0.0 || number(narrow) >= number(wide));
    if !fits {
        return Value::Text(format!("Unknown ({text})"));
    }
    let range = |low: &str, high: &str| {
        if number(high) > 0.0 && high != low { format!("{low}-{high}") } else { low.to_owned() }
    };
    let lens = format!("{}mm F{}", range(short, long), range(wide, narrow));
    let (before, behind) = features(bits);
    let words: Vec<String> = before
        .into_iter()
        .map(str::to_owned)
        .chain(std::iter::once(lens))
        .chain(behind.into_iter().map(str::to_owned))
        .collect();
    Value::Text(words.join(" "))
}

fn lens_features(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let [before, behind] = bytes[..] else { return value.clone() };
    Value::Text(format!("{before:02x} {behind:02x}"))
}

fn feature_words(value: &Value) -> Value {
    let text = value.plain();
    let mut bytes = text.split(' ').map(|text| u16::from_str_radix(text, 16).unwrap_or(0));
    let bits = bytes.next().unwrap_or(0) << 8 | bytes.next().unwrap_or(0);
    let (before, behind) = features(bits);
    Value::Text(before.into_iter().chain(behind).collect::<Vec<_>>().join(" "))
}

/// Height before width.
fn swapped_size(value: &Value) -> Value {
    match value {
        Value::Ints(sizes) => Value::Ints(sizes.iter().rev().copied().collect()),
        other => other.clone(),
    }
}

fn size_words(value: &Value) -> Value {
    Value::Text(value.plain().replace(' ', "x"))
}

/// Digits whose pairs come last first.
fn swapped_pairs(value: &Value) -> Value {
    let text = value.plain();
    let pairs: Vec<&[u8]> = text.as_bytes().chunks(2).rev().collect();
    Value::Text(crate::value::lossy(&pairs.concat()))
}

/// The places of the bits that are set, over bytes.
fn bit_list(value: &Value) -> Value {
    let bytes = bytes_of(value);
    let set = (0..8 * bytes.len()).filter(|at| bytes[at / 8] >> (at % 8) & 1 == 1);
    let text = set.map(|at| format!("[{at}]")).collect::<Vec<_>>().join(", ");
    Value::Text(if text.is_empty() { "(none)".to_owned() } else { text })
}

fn lens(value: &Value) -> Value {
    LENSES.word(value)
}

/// Of the E mount, which has numbers of its own.
fn lens_e(value: &Value) -> Value {
    E_LENSES.word(value)
}

/// Sizes in units of eight pixels.
fn times8(value: &Value) -> Value {
    match value.integer(0).unwrap_or(0) {
        0 => Value::text("n/a"),
        number => Value::int(8 * number),
    }
}

/// A numerator and a denominator.
fn ratio(value: &Value) -> Value {
    match (value.integer(0), value.integer(1)) {
        // Seven digits are what such short numbers give.
        (Some(a), Some(b)) if b != 0 => {
            Value::Text(crate::number::significant(a as f64 / b as f64, 7))
        }
        (Some(a), Some(b)) => Value::Rationals(vec![(a, b)]),
        _ => value.clone(),
    }
}

fn time(value: &Value) -> Value {
    Value::Text(words::exposure_time(value.number(0).unwrap_or(0.0)))
}

fn af_status(value: &Value) -> Value {
    Value::Text(match value.integer(0).unwrap_or(0) {
        0 => "In Focus".to_owned(),
        -32768 => "Out of Focus".to_owned(),
        number if number < 0 => format!("Front Focus ({number})"),
        number => format!("Back Focus (+{number})"),
    })
}

/// The parts of a version are its bytes in hexadecimal: 0x0150 is `1.50`.
fn mount_version(value: &Value) -> Value {
    let Some(n) = value.integer(0) else { return value.clone() };
    Value::Text(format!("{:x}.{:02x}", n >> 8, n & 0xff))
}

/// The first byte in hexadecimal, the second in decimal: `Ver.02.004`.
fn lens_firmware(value: &Value) -> Value {
    let Some(n) = value.integer(0) else { return value.clone() };
    Value::Text(format!("Ver.{:02x}.{:03}", n >> 8, n & 0xff))
}

fn hexadecimal(value: &Value) -> Value {
    Value::Text(value.numbers().into_iter().map(|n| format!("{:02x}", n as u8)).collect())
}

fn year(value: &Value) -> Value {
    match value.integer(0) {
        Some(year @ 0..=99) => Value::int(2000 + year),
        _ => value.clone(),
    }
}

fn thousandths(value: &Value) -> Value {
    let numbers = value.numbers().into_iter().map(|n| format!("{:.2}", n / 1000.0));
    Value::Text(numbers.collect::<Vec<_>>().join(" "))
}

/// Three times of the shutter's blades, which an electronic one does not have.
fn shutter(value: &Value) -> Value {
    let times = value.plain();
    let kind = if times == "0 0 0" { "Silent / Electronic" } else { "Mechanical" };
    Value::Text(format!("{kind} ({times})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenses_and_sensitivities() {
        let spec = |bytes: [u8; 8]| lens_words(&lens_spec(&Value::Bytes(bytes.to_vec()))).plain();
        let power = [0xc3, 0, 0x16, 0, 0x50, 0x35, 0x56, 0];
        assert_eq!(spec(power), "E PZ 16-50mm F3.5-5.6 OSS");
        assert_eq!(spec([8, 0, 0x24, 0, 0x70, 0x28, 0, 5]), "24-70mm F2.8 ZA SSM II");
        let swapped = Value::Bytes(vec![0, 2, 2, 0x70, 0x28, 0, 8, 0x40]);
        assert_eq!(lens_words(&lens_spec_swapped(&swapped)).plain(), "FE 70-200mm F2.8-4 G");
        assert_eq!(iso_code(&Value::int(35)).plain(), "25600");
        assert_eq!(iso_code(&Value::int(8)).plain(), "50");
    }

    #[test]
    fn groups_of_shifted_pixels() {
        let value = pixel_shift(&Value::Bytes(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(value.plain(), "01160801 5 6 0x10");
        assert_eq!(pixel_shift_words(&value).plain(), "Group 01160801, Shot 5/6 (0x10)");
        assert_eq!(pixel_shift_words(&pixel_shift(&Value::Bytes(vec![0; 6]))).plain(), "n/a");
        let spec = lens_spec(&Value::Bytes(vec![0x83, 0x0b, 1, 0, 2, 0x35, 0x56, 0]));
        assert_eq!(spec.plain(), "83 0 2 3.5 5.6 00");
    }

    #[test]
    fn versions_and_years() {
        assert_eq!(mount_version(&Value::int(384)).plain(), "1.80");
        assert_eq!(lens_firmware(&Value::int(514)).plain(), "Ver.02.002");
        assert_eq!(lens_firmware(&Value::int(48307)).plain(), "Ver.bc.179");
        assert_eq!(hexadecimal(&Value::Ints(vec![0, 255, 13])).plain(), "00ff0d");
        assert_eq!(year(&Value::int(21)).plain(), "2021");
        assert_eq!(thousandths(&Value::Ints(vec![-500, 500])).plain(), "-0.50 0.50");
        assert_eq!(shutter(&Value::Ints(vec![0; 3])).plain(), "Silent / Electronic (0 0 0)");
        assert_eq!(shutter(&Value::Ints(vec![1, 2, 3])).plain(), "Mechanical (1 2 3)");
    }
}
