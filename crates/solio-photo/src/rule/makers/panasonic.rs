//! Rules of the tables of panasonic.

use super::lenses::Lenses;
use crate::rule::MakerRule;
use crate::value::Value;

/// The rules that Panasonic's table names.
pub(super) const RULES: &[MakerRule] = &[
    MakerRule { name: "panasonic.date", number: date, text: Value::clone },
    MakerRule { name: "panasonic.leica_lens", number: leica_lens, text: leica_lens_name },
];

static LEICA: Lenses = Lenses::new(include_str!("../../../tables/leica_lenses.tsv"));

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
}
