//! Rules of the tables of panasonic.

use super::lenses::Lenses;
use crate::rule::MakerRule;
use crate::value::Value;

/// The rules that Panasonic's table names.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "panasonic.date", number: date, text: Value::clone },
    MakerRule { name: "panasonic.two_digits", number: Value::clone, text: two_digits },
    MakerRule { name: "panasonic.lens_model", number: lens_model, text: Value::clone },
    MakerRule { name: "panasonic.version", number: version, text: version_words },
    MakerRule { name: "panasonic.leica_lens", number: leica_lens, text: leica_lens_name },
];

static LEICA: Lenses = Lenses::new(include_str!("../../../tables/leica_lenses.tsv"));

/// Each number with two digits that count; a very large one stands for no place.
fn two_digits(value: &Value) -> Value {
    const NONE: f64 = 16_777_216.0;
    let numbers = value.numbers();
    if numbers.iter().all(|number| *number == NONE) {
        return Value::text("none");
    }
    let words = numbers.iter().map(|number| crate::number::significant(*number, 2));
    Value::Text(words.collect::<Vec<_>>().join(" "))
}

/// Two bytes in base 16.
fn lens_model(value: &Value) -> Value {
    let words = value.numbers().into_iter().map(|n| format!("{:02x}", n as u8));
    Value::Text(words.collect::<Vec<_>>().join(" "))
}

/// Four digits as text, or four numbers.
fn version(value: &Value) -> Value {
    let bytes: Vec<u8> = value.numbers().iter().map(|n| *n as u8).collect();
    match std::str::from_utf8(&bytes) {
        Ok(text) if !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) => Value::text(text),
        _ => value.clone(),
    }
}

fn version_words(value: &Value) -> Value {
    Value::Text(value.plain().replace(' ', "."))
}

/// The number of a lens, and in the last two bits which frame it shows.
fn leica_lens(value: &Value) -> Value {
    match value.integer(0) {
        Some(n) if value.count() == 1 => Value::text(format!("{} {}", n >> 2, n & 3)),
        _ => value.clone(),
    }
}

fn leica_lens_name(value: &Value) -> Value {
    let key = value.plain();
    let number = key.split(' ').next().unwrap_or_default();
    let name = LEICA.name(&key).or_else(|| LEICA.name(number));
    Value::Text(name.map_or_else(|| format!("Unknown ({key})"), str::to_owned))
}

/// Bytes of two decimal digits each.
fn date(value: &Value) -> Value {
    let Value::Ints(bytes) = value else { return value.clone() };
    let [century, year, month, day, hour, minute, second, part] = bytes[..] else {
        return value.clone();
    };
    Value::text(format!(
        "{century:02x}{year:02x}:{month:02x}:{day:02x} {hour:02x}:{minute:02x}:{second:02x}.{part:02x}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_decimal_digits() {
        let bytes = Value::Ints(vec![0x20, 0x11, 0x08, 0x31, 0x23, 0x59, 0x07, 0x50]);
        assert_eq!(date(&bytes).plain(), "2011:08:31 23:59:07.50");
    }

    #[test]
    fn versions_and_lenses() {
        let version = |bytes: [i64; 4]| version_words(&version(&Value::Ints(bytes.to_vec())));
        assert_eq!(version([48, 49, 48, 48]).plain(), "0100");
        assert_eq!(version([0, 1, 0, 2]).plain(), "0.1.0.2");
        assert_eq!(two_digits(&Value::Floats(vec![0.3359375, 0.5])).plain(), "0.34 0.5");
        let lens = |n: i64| leica_lens_name(&leica_lens(&Value::int(n))).plain();
        assert_eq!(lens(42 << 2 | 1), "Tri-Elmar-M 28-35-50mm f/4 ASPH. (at 28mm)");
        assert_eq!(lens(99 << 2 | 3), "Unknown (99 3)");
    }
}
