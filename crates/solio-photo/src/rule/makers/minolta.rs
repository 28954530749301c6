//! Rules of the tables of minolta.

use crate::rule::{MakerRule, look_up};
use crate::value::Value;

/// The rules that Minolta's tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "minolta.white_balance", number: Value::clone, text: white_balance },
    MakerRule { name: "minolta.date", number: date, text: Value::clone },
    MakerRule { name: "minolta.time", number: time, text: Value::clone },
    MakerRule { name: "minolta.raw_iso", number: Value::clone, text: raw_iso },
    MakerRule { name: "minolta.raw_balance", number: Value::clone, text: raw_balance },
    MakerRule { name: "minolta.on", number: on, text: Value::clone },
    MakerRule { name: "minolta.focus", number: Value::clone, text: focus },
];

/// Where the block is there, stabilization was on.
fn on(_: &Value) -> Value {
    Value::text("On")
}

/// Newer cameras put the kind of light above the lower bits.
fn white_balance(value: &Value) -> Value {
    const KINDS: &str = "0:Auto|1:Daylight|2:Cloudy|3:Tungsten|5:Custom|7:Fluorescent|\
        8:Fluorescent 2|11:Custom 2|12:Custom 3|8388608:Auto";
    let key = value.plain();
    Value::text(look_up(KINDS, &key).map_or_else(|| format!("Unknown ({key})"), str::to_owned))
}

/// Kind of light in the lower bits, its fine tuning around 8 in the upper ones.
fn raw_balance(value: &Value) -> Value {
    const KINDS: &str = "0:Auto|1:Daylight|2:Cloudy|3:Tungsten|4:Flash/Fluorescent|5:Fluorescent|\
        6:Shade|7:User 1|8:User 2|9:User 3|10:Temperature";
    let Some(n) = value.integer(0) else { return value.clone() };
    let kind = (n & 15).to_string();
    let kind = look_up(KINDS, &kind).map_or_else(|| format!("Unknown ({kind})"), str::to_owned);
    Value::text(match n >> 4 {
        tuned @ 6..=12 => format!("{kind} ({})", tuned - 8),
        _ => kind,
    })
}

/// Eight steps double it; some numbers are settings of their own.
fn raw_iso(value: &Value) -> Value {
    const SETTINGS: &str = "0:Auto|174:80 (Zone Matching Low)|184:200 (Zone Matching High)";
    if let Some(word) = look_up(SETTINGS, &value.plain()) {
        return Value::text(word);
    }
    let Some(n) = value.number(0) else { return value.clone() };
    Value::Floats(vec![(((n - 48.0) / 8.0).exp2() * 100.0).round()])
}

/// Year, month and day from the third byte down.
fn date(value: &Value) -> Value {
    let Some(n) = value.integer(0) else { return value.clone() };
    Value::text(format!("{:04}:{:02}:{:02}", n >> 16, n >> 8 & 0xff, n & 0xff))
}

fn time(value: &Value) -> Value {
    let Some(n) = value.integer(0) else { return value.clone() };
    Value::text(format!("{:02}:{:02}:{:02}", n >> 16, n >> 8 & 0xff, n & 0xff))
}

/// How far a sensor sees the picture before or behind it.
fn focus(value: &Value) -> Value {
    Value::text(match value.integer(0) {
        Some(0) => "In Focus".to_owned(),
        Some(-32768) => "Out of Focus".to_owned(),
        Some(n) if n < 0 => format!("Front Focus ({n:+})"),
        Some(n) => format!("Back Focus ({n:+})"),
        None => value.plain(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings() {
        assert_eq!(white_balance(&Value::int(8 << 20)).plain(), "Auto");
        assert_eq!(white_balance(&Value::int(2)).plain(), "Cloudy");
        assert_eq!(raw_balance(&Value::int(0x60)).plain(), "Auto (-2)");
        assert_eq!(raw_balance(&Value::int(0x8a)).plain(), "Temperature (0)");
        assert_eq!(raw_balance(&Value::int(0x5b)).plain(), "Unknown (11)");
        assert_eq!(raw_iso(&Value::int(43)).plain(), "65");
        assert_eq!(raw_iso(&Value::int(0)).plain(), "Auto");
        assert_eq!(date(&Value::int(131_336_978)).plain(), "2004:11:18");
        assert_eq!(time(&Value::int(1_510_970)).plain(), "23:14:58");
        assert_eq!(focus(&Value::int(-9)).plain(), "Front Focus (-9)");
        assert_eq!(focus(&Value::int(11)).plain(), "Back Focus (+11)");
    }
}
