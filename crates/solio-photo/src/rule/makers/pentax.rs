//! Rules of the tables of pentax.

use super::lenses::Lenses;
use crate::number::plain;
use crate::rule::{MakerRule, Named, look_up};
use crate::value::{Value, binary_text};
use std::sync::OnceLock;

/// The rules that Pentax' tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "pentax.lens", number: Value::clone, text: lens },
    MakerRule { name: "pentax.date", number: date, text: Value::clone },
    MakerRule { name: "pentax.time", number: time, text: Value::clone },
    MakerRule { name: "pentax.compensation", number: compensation, text: signed },
    MakerRule { name: "pentax.bracketing", number: Value::clone, text: bracketing },
    MakerRule { name: "pentax.firmware", number: firmware, text: dotted },
    MakerRule { name: "pentax.picture", number: Value::clone, text: picture },
    MakerRule { name: "pentax.color_temperature", number: color_temperature, text: with_tints },
    MakerRule { name: "pentax.sr_focal", number: stabilized_focal, text: whole_mm },
    MakerRule { name: "pentax.f_stops", number: f_stops, text: Value::clone },
    MakerRule { name: "pentax.lens_focal", number: lens_focal, text: tenths_of_mm },
    MakerRule { name: "pentax.kelvin", number: kelvin, text: Value::clone },
    MakerRule { name: "pentax.segments", number: Value::clone, text: segments },
    MakerRule { name: "pentax.day", number: day, text: Value::clone },
    MakerRule { name: "pentax.production", number: production, text: Value::clone },
    MakerRule { name: "pentax.steps", number: steps, text: signed },
    MakerRule { name: "pentax.time_setting", number: time_setting, text: seconds },
    MakerRule { name: "pentax.aperture_setting", number: aperture_setting, text: one_decimal },
    MakerRule { name: "pentax.iso_setting", number: iso_setting, text: Value::clone },
    MakerRule { name: "pentax.battery_idle", number: Value::clone, text: battery_idle },
    MakerRule { name: "pentax.battery_busy", number: Value::clone, text: battery_busy },
    MakerRule { name: "pentax.curves", number: Value::clone, text: curves },
];

static LENSES: Lenses = Lenses::new(include_str!("../../../tables/pentax_lenses.tsv"));

fn lens(value: &Value) -> Value {
    LENSES.word(value)
}

/// The numbers of a value, if there are as many.
pub(crate) fn ints<const N: usize>(value: &Value) -> Option<[i64; N]> {
    match value {
        Value::Ints(numbers) => numbers.get(..N)?.try_into().ok(),
        _ => None,
    }
}

pub(crate) fn date(value: &Value) -> Value {
    let Some([century, year, month, day]) = ints(value) else { return value.clone() };
    Value::text(format!("{:04}:{month:02}:{day:02}", century << 8 | year))
}

fn time(value: &Value) -> Value {
    let Some([hour, minute, second]) = ints(value) else { return value.clone() };
    Value::text(format!("{hour:02}:{minute:02}:{second:02}"))
}

/// The first number counts tenths from 50.
fn compensation(value: &Value) -> Value {
    let Some([tenths]) = ints(value) else { return value.clone() };
    Value::text(plain((tenths - 50) as f64 / 10.0))
}

fn signed(value: &Value) -> Value {
    match value.number(0) {
        Some(0.0) => Value::int(0),
        Some(number) => Value::text(format!("{number:+.1}")),
        None => value.clone(),
    }
}

fn bracketing(value: &Value) -> Value {
    let Some([steps, extended]) = ints(value) else { return value.clone() };
    let extended = match extended {
        0 => "No Extended Bracket".to_owned(),
        other => format!("Unknown ({other})"),
    };
    Value::text(format!("{steps} EV, {extended}"))
}

/// Versions lie upside down: each byte is taken from 255.
fn firmware(value: &Value) -> Value {
    let Some(parts) = ints::<4>(value) else { return value.clone() };
    let [a, b, c, d] = parts.map(|part| 255 - part);
    Value::text(format!("{a} {b:02} {c:02} {d:02}"))
}

fn dotted(value: &Value) -> Value {
    Value::text(value.plain().replace(' ', "."))
}

/// Modes of the dial, and of its scenes, as seen.
const PICTURES: &str = "\
    0 0:Program|0 1:Hi-speed Program|0 2:DOF Program|0 3:MTF Program|0 4:Standard|0 5:Portrait|\
    0 6:Landscape|0 7:Macro|0 8:Sport|0 9:Night Scene Portrait|0 10:No Flash|0 11:Night Scene|\
    0 12:Surf & Snow|0 13:Text|0 14:Sunset|0 15:Kids|0 16:Pet|0 17:Candlelight|0 18:Museum|\
    0 19:Food|0 20:Stage Lighting|0 21:Night Snap|0 23:Blue Sky|0 24:Sunset|0 26:Night Scene HDR|\
    0 27:HDR|0 28:Quick Macro|0 29:Forest|0 30:Backlight Silhouette|0 31:Max. Aperture Priority|\
    0 32:DOF|1 4:Auto PICT (Standard)|1 5:Auto PICT (Portrait)|1 6:Auto PICT (Landscape)|\
    1 7:Auto PICT (Macro)|1 8:Auto PICT (Sport)|2 0:Program (HyP)|2 1:Hi-speed Program (HyP)|\
    2 2:DOF Program (HyP)|2 3:MTF Program (HyP)|2 22:Shallow DOF (HyP)|3 0:Green Mode|\
    4 0:Shutter Speed Priority|4 2:Shutter Speed Priority 2|4 31:Shutter Speed Priority 31|\
    5 0:Aperture Priority|5 2:Aperture Priority 2|5 31:Aperture Priority 31|6 0:Program Tv Shift|\
    7 0:Program Av Shift|8 0:Manual|9 0:Bulb|10 0:Aperture Priority, Off-Auto-Aperture|\
    11 0:Manual, Off-Auto-Aperture|12 0:Bulb, Off-Auto-Aperture|\
    13 0:Shutter & Aperture Priority AE|14 0:Shutter Priority AE|15 0:Sensitivity Priority AE|\
    16 0:Flash X-Sync Speed AE|17 0:Flash X-Sync Speed|18 0:Auto Program (Normal)|\
    18 1:Auto Program (Hi-speed)|18 2:Auto Program (DOF)|18 3:Auto Program (MTF)|\
    18 22:Auto Program (Shallow DOF)|19 0:Astrotracer|20 22:Blur Control|\
    24 0:Aperture Priority (Adv.Hyp)|25 0:Manual Exposure (Adv.Hyp)|\
    26 0:Shutter and Aperture Priority (TAv)|249 0:Movie (TAv)|250 0:Movie (TAv, Auto Aperture)|\
    251 0:Movie (Manual)|252 0:Movie (Manual, Auto Aperture)|253 0:Movie (Av)|\
    254 0:Movie (Av, Auto Aperture)|255 0:Movie (P, Auto Aperture)|255 4:Video (4)";

fn picture(value: &Value) -> Value {
    let Some([mode, scene]) = ints(value) else { return value.clone() };
    let key = format!("{mode} {scene}");
    let mode = look_up(PICTURES, &key).map_or_else(|| format!("Unknown ({key})"), str::to_owned);
    Value::text(match value.integer(2) {
        Some(0) => format!("{mode}; 1/2 EV steps"),
        Some(1) => format!("{mode}; 1/3 EV steps"),
        Some(other) => format!("{mode}; Unknown ({other})"),
        None => mode,
    })
}

/// A temperature, and tints in the two halves of the last byte.
fn color_temperature(value: &Value) -> Value {
    let Some([high, low, _, tints]) = ints(value) else { return value.clone() };
    let half = |bits: i64| if bits & 8 == 0 { bits & 7 } else { (bits & 15) - 16 };
    Value::Ints(vec![53190 - (high << 8 | low), half(tints), half(tints >> 4)])
}

fn with_tints(value: &Value) -> Value {
    let Some([kelvin, first, second]) = ints(value) else { return value.clone() };
    let tint = |n: i64| if n == 0 { " 0".to_owned() } else { format!("{n:+}") };
    Value::text(format!("{kelvin} {} {}", tint(first), tint(second)))
}

/// Odd numbers count in fours, even ones in halves.
fn stabilized_focal(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::text(plain(if n & 1 == 1 { n as f64 * 4.0 } else { n as f64 / 2.0 }))
}

fn whole_mm(value: &Value) -> Value {
    Value::text(format!("{} mm", value.plain()))
}

fn f_stops(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::text(plain(5.0 + (n ^ 7) as f64 / 2.0))
}

/// Tens, times a power of four.
fn lens_focal(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::text(plain(10.0 * (n >> 2) as f64 * 4f64.powi((n & 3) as i32 - 2)))
}

fn tenths_of_mm(value: &Value) -> Value {
    Value::text(format!("{:.1} mm", value.number(0).unwrap_or_default()))
}

/// A temperature and the factors of red and blue that belong to it.
fn kelvin(value: &Value) -> Value {
    let Some([kelvin, other, red, blue]) = ints(value) else { return value.clone() };
    let factor = |n: i64| n as f64 / 8192.0;
    Value::Floats(vec![(53190 - kelvin) as f64, other as f64, factor(red), factor(blue)])
}

/// Light values in steps of an eighth, 0 and 255 of none. Some cameras have thousands of them, of
/// which each is one of a byte's.
fn segments(value: &Value) -> Value {
    let one = |n: f64| match n as i64 {
        0 => "0".to_owned(),
        255 => "n/a".to_owned(),
        _ => format!("{:.1}", n / 8.0 - 6.0),
    };
    static BYTES: OnceLock<Vec<String>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| (0..=255u8).map(|n| one(f64::from(n))).collect());
    let mut text = String::new();
    for n in value.numbers() {
        if !text.is_empty() {
            text.push(' ');
        }
        match bytes.get(n as usize).filter(|_| n >= 0.0 && n.fract() == 0.0) {
            Some(known) => text.push_str(known),
            None => text.push_str(&one(n)),
        }
    }
    Value::Text(text)
}

/// `20060729` as `2006:07:29`.
pub(crate) fn day(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::text(format!("{:04}:{:02}:{:02}", n / 10000, n / 100 % 100, n % 100))
}

fn production(value: &Value) -> Value {
    Value::text(value.plain().replace(' ', "."))
}

/// Exposure values in eighths, of which three and five stand for thirds.
fn exposure_value(eighths: i64) -> f64 {
    let (whole, rest) = (eighths.abs() >> 3, eighths.abs() & 7);
    let rest = match rest {
        3 => 1.0 / 3.0,
        5 => 2.0 / 3.0,
        other => other as f64 / 8.0,
    };
    (whole as f64 + rest).copysign(eighths as f64)
}

fn steps(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    if n == 64 { Value::int(0) } else { Value::Floats(vec![exposure_value(64 - n)]) }
}

fn time_setting(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::Floats(vec![(-exposure_value(n - 68)).exp2()])
}

fn seconds(value: &Value) -> Value {
    Named::ExposureTime.text(value)
}

fn aperture_setting(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::Floats(vec![(exposure_value(n - 68) / 2.0).exp2()])
}

fn one_decimal(value: &Value) -> Value {
    value.number(0).map_or_else(|| value.clone(), |n| Value::text(format!("{n:.1}")))
}

fn iso_setting(value: &Value) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    Value::Ints(vec![(100.0 * exposure_value(n - 32).exp2()).round() as i64])
}

/// Measured steps of 0.044 V; empty and full as read off what is printed for some of them.
fn battery(value: &Value, empty: i64, full: i64) -> Value {
    let Some([n]) = ints(value) else { return value.clone() };
    let percent = (100 * (n - empty) / (full - empty)).clamp(0, 100);
    Value::text(format!("{n} ({:.1}V, {percent}%)", n as f64 * 0.044))
}

fn battery_idle(value: &Value) -> Value {
    battery(value, 155, 190)
}

fn battery_busy(value: &Value) -> Value {
    battery(value, 152, 186)
}

fn curves(value: &Value) -> Value {
    Value::text(match value {
        Value::Bytes(bytes) => binary_text(bytes.len() as u64),
        other => other.plain(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings() {
        let both = |name: &str, numbers: &[i64]| {
            let rule = RULES.iter().find(|rule| rule.name == name).unwrap();
            let number = (rule.number)(&Value::Ints(numbers.to_vec()));
            (number.plain(), (rule.text)(&number).plain())
        };
        let same = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(both("pentax.date", &[7, 0xe0, 1, 20]), same("2016:01:20"));
        assert_eq!(both("pentax.time", &[9, 5, 59]), same("09:05:59"));
        assert_eq!(both("pentax.compensation", &[53, 0]).1, "+0.3");
        assert_eq!(both("pentax.firmware", &[254, 255, 255, 248]).1, "1.00.00.07");
        assert_eq!(both("pentax.picture", &[5, 0, 1]).1, "Aperture Priority; 1/3 EV steps");
        let daylight = both("pentax.color_temperature", &[0xbb, 0x71, 0, 0x2b]);
        assert_eq!(daylight, ("5205 -5 2".into(), "5205 -5 +2".into()));
        assert_eq!(both("pentax.sr_focal", &[55]).1, "220 mm");
        assert_eq!(both("pentax.lens_focal", &[108]).0, "16.875");
        assert_eq!(both("pentax.segments", &[74, 0, 255]).1, "3.2 0 n/a");
        assert_eq!(both("pentax.time_setting", &[129]).1, "1/203");
        assert_eq!(both("pentax.aperture_setting", &[127]).1, "12.7");
        assert_eq!(both("pentax.steps", &[59]).1, "+0.7");
        assert_eq!(both("pentax.battery_idle", &[171]).1, "171 (7.5V, 45%)");
        assert_eq!(both("pentax.battery_busy", &[168]).1, "168 (7.4V, 47%)");
        assert_eq!(both("pentax.day", &[20060729]), same("2006:07:29"));
    }
}
