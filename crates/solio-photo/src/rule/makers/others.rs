//! Rules of the tables of others.

use crate::number::plain;
use crate::rule::MakerRule;
use crate::value::Value;

/// The rules that their tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "others.casio_date", number: Value::clone, text: casio_date },
    MakerRule { name: "others.casio_point", number: Value::clone, text: casio_point },
    MakerRule { name: "others.casio_distance", number: distance, text: metres },
    MakerRule { name: "others.month_day", number: month_day, text: Value::clone },
    MakerRule { name: "others.time", number: time, text: Value::clone },
    MakerRule { name: "others.behind_colon", number: behind_colon, text: Value::clone },
    MakerRule { name: "others.ricoh_date", number: ricoh_date, text: Value::clone },
    MakerRule { name: "others.version", number: Value::clone, text: version },
];

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
    if x == 65535.0 || width == 0.0 || height == 0.0 {
        return Value::text("n/a");
    }
    let part = |n: f64| crate::number::significant(n, 2);
    Value::text(format!("{} {}", part(x / width), part(y / height)))
}

/// Millimetres; very many stand for infinity.
fn distance(value: &Value) -> Value {
    match value.number(0) {
        Some(many) if many >= f64::from(0x2000_0000) => Value::text("inf"),
        Some(millimetres) => Value::Floats(vec![millimetres / 1000.0]),
        None => value.clone(),
    }
}

fn metres(metres: &Value) -> Value {
    match metres {
        Value::Floats(_) => Value::Text(format!("{} m", metres.plain())),
        infinity => infinity.clone(),
    }
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

    #[test]
    fn codings() {
        assert_eq!(casio_date(&Value::text("0302280945")).plain(), "2003:02:28 09:45");
        assert_eq!(casio_point(&Value::Ints(vec![176, 352, 120, 240])).plain(), "0.5 0.5");
        assert_eq!(month_day(&Value::Ints(vec![5, 1])).plain(), "05:01");
        assert_eq!(time(&Value::Ints(vec![10, 2, 28, 62])).plain(), "10:02:28.62");
        assert_eq!(behind_colon(&Value::text("Expo:+0.0")).plain(), "+0.0");
        assert_eq!(version(&Value::text("0207")).plain(), "2.07");
    }
}
