//! Rules of the tables of others.

use super::lenses::Lenses;
use crate::number::plain;
use crate::rule::MakerRule;
use crate::value::Value;

/// The rules that their tables name.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "others.humidity", number: Value::clone, text: humidity },
    MakerRule { name: "others.slashed_date", number: slashed_date, text: Value::clone },
    MakerRule { name: "others.sigma_lens", number: Value::clone, text: sigma_lens },
    MakerRule { name: "others.casio_date", number: Value::clone, text: casio_date },
    MakerRule { name: "others.casio_point", number: Value::clone, text: casio_point },
    MakerRule { name: "others.casio_distance", number: distance, text: metres },
    MakerRule { name: "others.month_day", number: month_day, text: Value::clone },
    MakerRule { name: "others.time", number: time, text: Value::clone },
    MakerRule { name: "others.behind_colon", number: behind_colon, text: Value::clone },
    MakerRule { name: "others.ricoh_date", number: ricoh_date, text: Value::clone },
    MakerRule { name: "others.dotted_date", number: dotted_date, text: Value::clone },
    MakerRule { name: "others.jvc_versions", number: jvc_versions, text: Value::clone },
    MakerRule { name: "others.ricoh_serial", number: ricoh_serial, text: Value::clone },
    MakerRule { name: "others.version", number: Value::clone, text: version },
];

static SIGMA: Lenses = Lenses::new(include_str!("../../../tables/sigma_lenses.tsv"));

/// A share, or per cent already.
fn humidity(value: &Value) -> Value {
    let number = value.number(0).unwrap_or(0.0);
    let percent = if number <= 2.0 { number * 100.0 } else { number };
    Value::Text(format!("{percent:.1} %"))
}

/// `2009/05/06` as `2009:05:06`.
fn slashed_date(value: &Value) -> Value {
    Value::Text(value.plain().replace('/', ":"))
}

fn sigma_lens(value: &Value) -> Value {
    SIGMA.word(value)
}

/// Digits of a date: `0302280945` as `2003:02:28 09:45`; two more are seconds.
fn casio_date(value: &Value) -> Value {
    let text = value.plain();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let Some(parts) = (digits.len() >= 10).then(|| [0, 2, 4, 6, 8].map(|at| &digits[at..at + 2]))
    else {
        return value.clone();
    };
    let [year, month, day, hour, minute] = parts;
    let century = if year < "70" { "20" } else { "19" };
    let seconds = digits.get(10..12).map(|seconds| format!(":{seconds}")).unwrap_or_default();
    Value::text(format!("{century}{year}:{month}:{day} {hour}:{minute}{seconds}"))
}

/// `1998.10.24.12.08.57` as `1998:10:24 12:08:57`.
fn dotted_date(value: &Value) -> Value {
    let text = value.plain();
    match text.split('.').collect::<Vec<_>>()[..] {
        [year, month, day, hour, minute, second] => {
            Value::Text(format!("{year}:{month}:{day} {hour}:{minute}:{second}"))
        }
        _ => value.clone(),
    }
}

/// Versions that zeros part: `CPU1 1.00, CPU2 0119`.
fn jvc_versions(value: &Value) -> Value {
    let text = value.plain();
    let text = text.trim_end_matches(['\0', ' ']);
    let parts = text.split('\0').map(str::trim_end).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    Value::Text(parts.join(", "))
}

/// The first eight letters of a serial number in brackets.
fn ricoh_serial(value: &Value) -> Value {
    let text = value.plain();
    match text.split_at_checked(8) {
        Some((kind, number)) => Value::Text(format!("({kind}){number}")),
        None => value.clone(),
    }
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
        assert_eq!(casio_date(&Value::text("021209161600")).plain(), "2002:12:09 16:16:00");
        assert_eq!(dotted_date(&Value::text("1998.10.24.12.08.57")).plain(), "1998:10:24 12:08:57");
        assert_eq!(
            jvc_versions(&Value::text("CPU1 1.00\0  CPU2 06\0 \0")).plain(),
            "CPU1 1.00,   CPU2 06"
        );
        assert_eq!(ricoh_serial(&Value::text("2010000038100611")).plain(), "(20100000)38100611");
        assert_eq!(casio_point(&Value::Ints(vec![176, 352, 120, 240])).plain(), "0.5 0.5");
        assert_eq!(month_day(&Value::Ints(vec![5, 1])).plain(), "05:01");
        assert_eq!(time(&Value::Ints(vec![10, 2, 28, 62])).plain(), "10:02:28.62");
        assert_eq!(behind_colon(&Value::text("Expo:+0.0")).plain(), "+0.0");
        assert_eq!(version(&Value::text("0207")).plain(), "2.07");
    }
}
