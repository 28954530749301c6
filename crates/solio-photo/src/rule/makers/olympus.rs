//! Rules of the tables of olympus.

use super::lenses::Lenses;
use crate::number::plain;
use crate::rule::{MakerRule, look_up};
use crate::value::Value;

/// The rules that Olympus' tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "olympus.special_mode", number: Value::clone, text: special_mode },
    MakerRule { name: "olympus.balance", number: balance, text: Value::clone },
    MakerRule { name: "olympus.trimmed", number: Value::clone, text: trimmed },
    MakerRule { name: "olympus.firmware", number: Value::clone, text: firmware },
    MakerRule { name: "olympus.lens", number: lens, text: lens_name },
    MakerRule { name: "olympus.extender", number: extender, text: extender_name },
    MakerRule { name: "olympus.focus_mode", number: Value::clone, text: focus_mode },
    MakerRule { name: "olympus.af_areas", number: Value::clone, text: af_areas },
    MakerRule { name: "olympus.af_point", number: af_point, text: af_point_words },
    MakerRule { name: "olympus.tracking", number: tracking, text: tracking_words },
    MakerRule { name: "olympus.e1_saturation", number: Value::clone, text: e1_saturation },
    MakerRule { name: "olympus.drive", number: Value::clone, text: drive },
    MakerRule { name: "olympus.panorama", number: Value::clone, text: panorama },
    MakerRule { name: "olympus.roll", number: roll, text: Value::clone },
    MakerRule { name: "olympus.pitch", number: pitch, text: Value::clone },
    MakerRule { name: "olympus.distance", number: distance, text: metres },
    MakerRule { name: "olympus.manual_flash", number: Value::clone, text: manual_flash },
    MakerRule { name: "olympus.stabilizer", number: Value::clone, text: stabilizer },
];

fn numbers(value: &Value) -> Vec<i64> {
    match value {
        Value::Ints(numbers) => numbers.clone(),
        Value::Bytes(bytes) => bytes.iter().map(|b| i64::from(*b)).collect(),
        other => other.numbers().into_iter().map(|n| n as i64).collect(),
    }
}

fn named(words: &'static str, number: i64) -> String {
    let known = look_up(words, &number.to_string());
    known.map_or_else(|| format!("Unknown ({number})"), str::to_owned)
}

const DIRECTIONS: &str = "0:(none)|1:Left to Right|2:Right to Left|3:Bottom to Top|4:Top to Bottom";

fn special_mode(value: &Value) -> Value {
    let [mode, number, direction] = numbers(value)[..] else { return value.clone() };
    let mode = named("0:Normal|1:Unknown (1)|2:Fast|3:Panorama", mode);
    let direction = named(DIRECTIONS, direction);
    Value::text(format!("{mode}, Sequence: {number}, Panorama: {direction}"))
}

fn balance(value: &Value) -> Value {
    value.number(0).map_or_else(|| value.clone(), |n| Value::text(plain(n / 256.0)))
}

fn trimmed(value: &Value) -> Value {
    Value::text(value.plain().trim_end())
}

/// `0x1401` as `1.401`.
fn firmware(value: &Value) -> Value {
    let Some(number) = value.integer(0) else { return value.clone() };
    let hex = format!("{number:x}");
    Value::text(match hex.len().checked_sub(3) {
        Some(split) => format!("{}.{}", &hex[..split], &hex[split..]),
        None => hex,
    })
}

fn lens(value: &Value) -> Value {
    let [maker, _, lens, kind, ..] = numbers(value)[..] else { return value.clone() };
    Value::text(format!("{maker:x} {lens:02x} {kind:02x}"))
}

fn lens_name(value: &Value) -> Value {
    LENSES.word(value)
}

fn known(words: &'static str, value: &Value) -> Value {
    let key = value.plain();
    Value::text(look_up(words, &key).map_or_else(|| format!("Unknown ({key})"), str::to_owned))
}

fn extender(value: &Value) -> Value {
    let [maker, _, kind, ..] = numbers(value)[..] else { return value.clone() };
    Value::text(format!("{maker:x} {kind:02x}"))
}

fn extender_name(value: &Value) -> Value {
    const EXTENDERS: &str = "0 00:None|0 04:Olympus Zuiko Digital EC-14 1.4x Teleconverter|\
        0 08:Olympus EX-25 Extension Tube|0 10:Olympus Zuiko Digital EC-20 2.0x Teleconverter";
    known(EXTENDERS, value)
}

fn focus_mode(value: &Value) -> Value {
    const MODES: &str = "0:Single AF|1:Sequential shooting AF|2:Continuous AF|3:Multi AF|\
        4:Face Detect|10:MF";
    const BITS: &str = "0:S-AF|2:C-AF|4:MF|5:Face Detect|6:Imager AF|\
        7:Live View Magnification Frame|8:AF sensor";
    let numbers = numbers(value);
    let Some(mode) = numbers.first() else { return value.clone() };
    let mode = named(MODES, *mode);
    Value::text(match numbers.get(1) {
        Some(bits) => format!("{mode}; {}", crate::rule::bits(BITS, &Value::int(*bits))),
        None => mode,
    })
}

/// Corners of areas, each a byte.
fn af_areas(value: &Value) -> Value {
    let areas = numbers(value).into_iter().filter(|area| *area != 0).map(|area| {
        let [left, top, right, bottom] = (area as u32).to_be_bytes();
        let name = match area {
            0x3679_4285 => "Left ",
            0x7979_8585 => "Center ",
            0xbd79_c985 => "Right ",
            _ => "",
        };
        format!("{name}({left},{top})-({right},{bottom})")
    });
    let text = areas.collect::<Vec<_>>().join(", ");
    Value::text(if text.is_empty() { "none".to_owned() } else { text })
}

/// Newer cameras put a fraction without a value in front.
fn af_point(value: &Value) -> Value {
    match value {
        Value::Rationals(parts) if parts.len() == 5 => Value::Rationals(parts[1..].to_vec()),
        other => other.clone(),
    }
}

fn af_point_words(value: &Value) -> Value {
    let percent = |i: usize| value.number(i).filter(|n| n.is_finite()).map(|n| (n * 100.0) as i64);
    let (Some(a), Some(b), Some(c), Some(d)) = (percent(0), percent(1), percent(2), percent(3))
    else {
        return Value::text("n/a");
    };
    if a + b + c + d == 0 {
        return Value::text("n/a");
    }
    Value::text(format!("({a}%,{b}%) ({c}%,{d}%)"))
}

fn tracking(value: &Value) -> Value {
    let Some(number) = value.integer(0) else { return value.clone() };
    Value::Ints(vec![number >> 8 & 0xff, number & 0xff])
}

fn tracking_words(value: &Value) -> Value {
    let [mode, found] = numbers(value)[..] else { return value.clone() };
    let mode = named("0:Off", mode);
    Value::text(format!("{mode}; {}", named("0:Object Not Found|1:Object Found", found)))
}

fn e1_saturation(value: &Value) -> Value {
    let [value, least, most] = numbers(value)[..] else { return value.clone() };
    Value::text(format!("CS{} (min CS0, max CS{})", value - least, most - least))
}

fn drive(value: &Value) -> Value {
    const MODES: &str = "1:Continuous Shooting|2:Exposure Bracketing|3:White Balance Bracketing|\
        4:Exposure+WB Bracketing";
    let numbers = numbers(value);
    let [mode, shot, ..] = numbers[..] else { return value.clone() };
    let third = numbers.get(2).copied().unwrap_or(0);
    let shutter = match numbers.get(5) {
        Some(17) => "; Anti-shock 0",
        Some(33) => "; Electronic shutter",
        _ => "",
    };
    if mode == 0 {
        return Value::text(format!("Single Shot{shutter}"));
    }
    let mode = if mode == 5 && numbers.len() > 2 {
        let names = [(0, "AE"), (1, "WB"), (2, "FL"), (3, "MF"), (6, "Focus")];
        let set = names.iter().filter(|(bit, _)| third >> bit & 1 == 1).map(|(_, name)| *name);
        format!("{} Bracketing", set.collect::<Vec<_>>().concat())
    } else {
        named(MODES, mode)
    };
    Value::text(format!("{mode}, Shot {shot}{shutter}"))
}

fn panorama(value: &Value) -> Value {
    let [direction, shot] = numbers(value)[..] else { return value.clone() };
    if direction == 0 {
        return Value::text("Off");
    }
    Value::text(format!("{}, Shot {shot}", named(DIRECTIONS, direction)))
}

/// Tenths of degrees, and whether they were measured.
fn roll(value: &Value) -> Value {
    tenths(value, -10.0)
}

fn pitch(value: &Value) -> Value {
    tenths(value, 10.0)
}

fn tenths(value: &Value, unit: f64) -> Value {
    let [angle, measured] = numbers(value)[..] else { return value.clone() };
    let angle = angle as f64 / unit;
    Value::text(if measured == 0 { "n/a".to_owned() } else { plain(angle) })
}

/// Millimetres; the other half of the fraction means nothing.
fn distance(value: &Value) -> Value {
    match numbers(value).first() {
        Some(0 | 0xffff_ffff) => Value::text("inf"),
        Some(number) => Value::text(plain(*number as f64 / 1000.0)),
        None => value.clone(),
    }
}

fn metres(value: &Value) -> Value {
    match value.plain().as_str() {
        "inf" => value.clone(),
        number => Value::text(format!("{number} m")),
    }
}

fn manual_flash(value: &Value) -> Value {
    let [on, part] = numbers(value)[..] else { return value.clone() };
    Value::text(match (on, part) {
        (0, _) => "Off".to_owned(),
        (_, 1) => "Full".to_owned(),
        (_, part) => format!("On (1/{part} strength)"),
    })
}

fn stabilizer(value: &Value) -> Value {
    let bytes = numbers(value);
    if bytes.iter().take(4).all(|byte| *byte == 0) {
        return Value::text("Off");
    }
    let first = bytes.get(44).is_some_and(|byte| byte & 1 == 1);
    Value::text(if first { "On, Mode 1" } else { "On, Mode 2" })
}

/// Maker, lens and kind in base 16.
static LENSES: Lenses = Lenses::new(include_str!("../../../tables/olympus_lenses.tsv"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings() {
        let text = |name: &str, numbers: &[i64]| {
            let rule = RULES.iter().find(|rule| rule.name == name).unwrap();
            (rule.text)(&(rule.number)(&Value::Ints(numbers.to_vec()))).plain()
        };
        let special = text("olympus.special_mode", &[2, 1, 0]);
        assert_eq!(special, "Fast, Sequence: 1, Panorama: (none)");
        assert_eq!(text("olympus.firmware", &[0x1401]), "1.401");
        assert_eq!(text("olympus.firmware", &[0]), "0");
        let lens = text("olympus.lens", &[0, 0, 5, 0, 0, 0]);
        assert_eq!(lens, "Olympus Zuiko Digital 14-54mm F2.8-3.5");
        assert_eq!(text("olympus.lens", &[9, 0, 0x99, 0, 0, 0]), "Unknown (9 99 00)");
        assert_eq!(text("olympus.focus_mode", &[2, 0x44]), "Continuous AF; C-AF, Imager AF");
        assert_eq!(text("olympus.af_areas", &[0x7979_8585, 0]), "Center (121,121)-(133,133)");
        assert_eq!(text("olympus.drive", &[5, 1, 1, 0, 0]), "AE Bracketing, Shot 1");
        assert_eq!(text("olympus.drive", &[0, 0, 0, 0, 2, 17]), "Single Shot; Anti-shock 0");
        assert_eq!(text("olympus.roll", &[105, 1]), "-10.5");
        assert_eq!(text("olympus.distance", &[705, 10]), "0.705 m");
        assert_eq!(text("olympus.distance", &[0xffff_ffff, 1]), "inf");
        assert_eq!(text("olympus.manual_flash", &[1, 16]), "On (1/16 strength)");
    }
}
